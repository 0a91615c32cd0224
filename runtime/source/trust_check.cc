// SPDX-License-Identifier: MIT
#include "source/trust_check.h"

#include <optional>

#include "tuf/metadata.h"
#include "tuf/trusted_directory.h"

namespace piship {
namespace {

class TrustExaminer {
 public:
  TrustExaminer(const std::string& directory, std::int64_t now) : directory_(directory), now_(now) {}

  // Adds the role to what is said, where it is there. The signatures are judged by the client, each time.
  template <class Body>
  Status Add(std::string_view role, Result<tuf::Metadata<Body>> (*parse)(std::string_view, std::string_view)) {
    PISHIP_TRY(const std::optional<std::string> text, directory_.Load(role));
    if (!text) return {};
    PISHIP_TRY(const auto metadata, parse(*text, std::string(role) + ".json"));
    said_ += (said_.empty() ? "" : ", ") + std::string(role) + " " + std::to_string(metadata.version) +
             (metadata.expires <= now_ ? " expired at " : " until ") + metadata.expires_text;
    expired_ = expired_ || metadata.expires <= now_;
    return {};
  }
  bool expired() const { return expired_; }
  const std::string& said() const { return said_; }

 private:
  tuf::TrustedDirectory directory_;
  std::int64_t now_;
  std::string said_;
  bool expired_ = false;
};

Status AddAll(TrustExaminer& examiner, const std::string& channel) {
  PISHIP_CHECK(examiner.Add(tuf::kRoot, tuf::ParseRoot));
  PISHIP_CHECK(examiner.Add(tuf::kTimestamp, tuf::ParseTimestamp));
  PISHIP_CHECK(examiner.Add(tuf::kSnapshot, tuf::ParseSnapshot));
  PISHIP_CHECK(examiner.Add(tuf::kTargets, tuf::ParseTargets));
  return examiner.Add(channel, tuf::ParseTargets);
}

}  // namespace

Check ExamineTrust(const std::string& trust_directory, const Receipt& receipt, std::int64_t now) {
  if (!receipt.channel) return {"trust", Health::kOk, "it was not installed from a channel"};
  const std::string anew = "move '" + trust_directory + "' aside and begin trust anew: piship install " +
                           receipt.channel->url + " --id " + receipt.id + " --root <the owner's root.json>";
  const auto root = tuf::TrustedDirectory(trust_directory).Load(tuf::kRoot);
  if (!root) return FailedCheck("trust", root.error(), "");
  if (!*root) return {"trust", Health::kFail, "there is no root.json in '" + trust_directory + "'", anew};
  TrustExaminer examiner(trust_directory, now);
  if (const Status read = AddAll(examiner, receipt.channel->name); !read) {
    return FailedCheck("trust", read.error(), anew);
  }
  const std::string text = "channel " + receipt.channel->name + " of " + receipt.channel->url + ": " + examiner.said();
  if (!examiner.expired()) return {"trust", Health::kOk, text};
  return {"trust", Health::kWarn, text, "piship update " + receipt.id + " --check asks for newer metadata"};
}

}  // namespace piship
