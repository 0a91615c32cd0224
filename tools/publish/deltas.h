// SPDX-License-Identifier: MIT
// Deltas of a channel: for its newest release of each distribution and platform, a file that makes it of one of the
// releases before. docs/formats/delta.md has the bytes, docs/formats/channel.md the entry.
#pragma once

#include <functional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "publish/repository.h"

namespace piship::publish {

// The changed "targets": deltas to each newest release from the `count` releases before it; those to others are gone.
// Deltas that are there are kept as they are. `told` gets a line for each one that is made, and for each that is not
// worth it.
Result<json::Value> WithDeltas(const json::Value& targets, const Repository& repository, const std::string& channel,
                               int count, const std::function<void(const std::string&)>& told);

}  // namespace piship::publish
