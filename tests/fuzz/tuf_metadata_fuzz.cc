// SPDX-License-Identifier: MIT
// No text makes the parsers of root, timestamp, snapshot and targets do anything but accept or refuse; what one accepts
// has a canonical form that parses to the same canonical form, and its signatures can be counted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tuf/canonical_json.h"
#include "tuf/delegation.h"
#include "tuf/metadata.h"

using namespace piship;

namespace {

void CheckCanonical(const std::string& text) {
  const auto value = json::Parse(text, "canonical");
  // Canonical strings hold control characters as they are, which is no JSON.
  if (!value) return;
  const auto again = tuf::CanonicalForm(*value, "canonical");
  if (!again || *again != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto root = tuf::ParseRoot(text, "root")) {
    CheckCanonical(root->signed_bytes);
    for (const auto& [name, role] : root->body.roles) {
      const std::size_t count = tuf::CountSignatures(root->signed_bytes, root->signatures, root->body.keys, role);
      if (count > role.key_ids.size()) std::abort();
    }
    if (root->body.roles.size() != 4) std::abort();
  }
  if (const auto timestamp = tuf::ParseTimestamp(text, "timestamp")) {
    CheckCanonical(timestamp->signed_bytes);
    if (timestamp->version < 1 || timestamp->body.snapshot.version < 1) std::abort();
  }
  if (const auto snapshot = tuf::ParseSnapshot(text, "snapshot")) {
    CheckCanonical(snapshot->signed_bytes);
    if (!snapshot->body.roles.contains(tuf::kTargets)) std::abort();
  }
  if (const auto targets = tuf::ParseTargets(text, "targets")) {
    CheckCanonical(targets->signed_bytes);
    for (const auto& [path, file] : targets->body.targets) {
      for (const tuf::DelegatedRole& role : targets->body.delegations) (void)tuf::IsDelegated(role, path);
      if (targets->body.succinct) (void)tuf::BinFor(*targets->body.succinct, path);
    }
  }
  return 0;
}
