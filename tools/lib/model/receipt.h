// SPDX-License-Identifier: MIT
// The receipt of an installed distribution: its rename is the only commit point. docs/formats/receipt.md has the
// format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/json.h"
#include "model/channel_place.h"
#include "model/platform.h"

namespace piship {

// What outside the archive vouched for it when it was installed.
enum class Origin : std::uint8_t {
  kUnproven,  // nothing: the content is intact, who made it is not known
  kSha256,    // the user named the archive's digest
  kChannel,   // the signed metadata of a channel
};
std::string_view OriginName(Origin origin);  // "unproven", "sha256", "channel"

enum class Qualification : std::uint8_t { kUnqualified, kQualified };
std::string_view QualificationName(Qualification qualification);  // "unqualified", "qualified"
std::optional<Qualification> ParseQualification(std::string_view name);

struct InstalledRelease {
  std::string version;  // Semantic Versioning; also the name of the payload's directory
  Platform platform;
  Digest inventory;
  Digest lock;
  std::optional<Digest> archive;  // absent where a directory was installed
  Origin origin = Origin::kUnproven;
  Qualification qualification = Qualification::kUnqualified;
  std::vector<json::Member> unknown;  // as in Receipt
};

// The package manager that an installation belongs to: only it changes what is installed.
struct ManagedBy {
  std::string manager;  // "dpkg"
  std::string package;  // as the manager names it
};

// Debian's rule: lower-case letters, digits, '+', '-' and '.', beginning with a letter or digit, 2 to 128 bytes.
bool IsPackageName(std::string_view text);

struct Receipt {
  static constexpr std::int64_t kFormat = 1;
  std::string id;
  std::string command;
  InstalledRelease active;
  std::vector<InstalledRelease> kept;  // newest first; other versions that may be activated again
  // Set by an install that did not wait for the disk: the boot in which it happened. A launch in another boot checks
  // the payload before it trusts it; the next verb in the same boot syncs and clears it.
  std::optional<std::string> unsynced_boot;
  std::optional<ChannelPlace> channel;
  std::optional<ManagedBy> managed_by;
  // How many versions the user wants to be kept beside the active one; absent: as many as the active one's lock says.
  std::optional<std::int64_t> keep_versions;
  // The newer version that the user went back from; an update does not offer it again.
  std::optional<std::string> rolled_back;
  std::vector<json::Member> unknown;  // keys of a newer minor form, kept when the receipt is written again

  // Active or kept, of that version; null where there is none.
  const InstalledRelease* Find(std::string_view version) const;

  // Canonical JSON.
  std::string Text() const;
  // `name` is the subject of errors. kJsonInvalid, kReceiptInvalid with all problems, or kFormatNewer.
  static Result<Receipt> Parse(std::string_view text, std::string_view name);
};

}  // namespace piship
