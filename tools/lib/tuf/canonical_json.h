// SPDX-License-Identifier: MIT
// The canonical JSON that TUF signs (specification 1.0, section 4.2: the form of the One Laptop Per Child project): no
// white space, members sorted by the bytes of their names, strings with only '"' and '\' escaped, integers only.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace piship::tuf {

// `name` is the subject of errors. kMetadataInvalid where there is a number that is no integer: it has no canonical
// form.
Result<std::string> CanonicalForm(const json::Value& value, std::string_view name);

}  // namespace piship::tuf
