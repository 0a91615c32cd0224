// SPDX-License-Identifier: MIT
// Which keys sign which role: the beginning of a repository, and the rotation of keys.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "publish/publish.h"
#include "publish/repository.h"

namespace piship::publish {

// Stages the first version of every role. A role that no --role-key names gets a new key in the keys directory; new
// keys also join `signers`.
Status Initialize(Repository& repository, const Options& options, std::int64_t now, Signers& signers);
// Gives a role other keys.
Status Rotate(Repository& repository, const Options& options, std::int64_t now, Signers& signers);
// A new timestamp for what is published; kSignatureInvalid where its keys are not at hand.
Status Refresh(Repository& repository, const Signers& signers, std::int64_t now);

}  // namespace piship::publish
