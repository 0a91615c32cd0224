// SPDX-License-Identifier: MIT
// What --prune leaves out beyond the modules of the bundle: files that, as far as is known, nothing reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/facts.h"
#include "bundle/output.h"
#include "bundle/plan.h"
#include "model/glob.h"
#include "model/platform.h"

namespace piship::bundle {

// Takes files out of `app` and gives each with a stable code: "unreached-module" (a module that nothing reaches, or the
// TypeScript behind one), "unread-package" (a package that is wholly in the bundle and never looks at its own place),
// "other-platform" (a native file), "native-source" (what native code
// was made from), "unnamed-documentation" (of a package whose modules name neither the file nor its directory).
// Licences of packages that go are joined in app/node_modules/@piship/bundle/LICENSES.txt.
Result<std::map<std::string, std::string>> Prune(BundledApp& app, const Plan& plan, const Ledger& ledger,
                                                 const Platform& platform, GlobSet& keep, const Store& store);

// False only where the file's header says that it is native code for another system or processor.
bool MayRunOn(std::string_view bytes, const Platform& platform);

}  // namespace piship::bundle
