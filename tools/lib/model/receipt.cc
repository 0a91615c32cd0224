// SPDX-License-Identifier: MIT
// Ids, commands and versions of a receipt become names of files, so they are checked as strictly as those of a lock; a
// receipt that was edited by hand can name nothing outside the homes.
#include "model/receipt.h"

#include <algorithm>
#include <array>

#include "base/problems.h"
#include "model/distribution_lock.h"
#include "model/names.h"
#include "model/semver.h"

namespace piship {
namespace {

constexpr std::array<std::string_view, 3> kOrigins = {"unproven", "sha256", "channel"};
constexpr std::array<std::string_view, 2> kQualifications = {"unqualified", "qualified"};
constexpr std::size_t kMaxBootBytes = 64;
constexpr std::size_t kMaxUrlBytes = 2048;
constexpr std::size_t kMaxPackageBytes = 128;

template <class Enum, std::size_t kCount>
std::optional<Enum> FindName(const std::array<std::string_view, kCount>& names, std::string_view name) {
  for (std::size_t index = 0; index < kCount; ++index) {
    if (names[index] == name) return static_cast<Enum>(index);
  }
  return std::nullopt;
}

// Reads the members; what is wrong goes to `problems`.
class ReceiptReader {
 public:
  explicit ReceiptReader(Problems& problems) : problems_(problems) {}

  Receipt Read(const json::Value& document) {
    Receipt receipt;
    ObjectReader reader(document, "the receipt", problems_, UnknownKeys::kIgnore);
    reader.Integer("format");
    receipt.id = Name(reader, "id");
    receipt.command = Name(reader, "command");
    if (const json::Value* active = reader.Object("active")) receipt.active = ReadRelease(*active);
    if (const json::Value* kept = reader.Array("kept")) {
      for (const json::Value& item : kept->array()) receipt.kept.push_back(ReadRelease(item));
    }
    receipt.unsynced_boot = reader.OptionalString("unsynced_boot");
    if (receipt.unsynced_boot && receipt.unsynced_boot->size() > kMaxBootBytes) {
      problems_.Add(reader.PositionOf("unsynced_boot"), "the name of the boot is too long");
    }
    if (const json::Value* channel = reader.OptionalObject("channel")) receipt.channel = ReadChannel(*channel);
    if (const json::Value* owner = reader.OptionalObject("managed_by")) receipt.managed_by = ReadManagedBy(*owner);
    receipt.keep_versions = reader.OptionalInteger("keep_versions");
    if (receipt.keep_versions && (*receipt.keep_versions < 0 || *receipt.keep_versions > kMostKeepVersions)) {
      problems_.Add(reader.PositionOf("keep_versions"),
                    "the number of versions to keep must be between 0 and " + std::to_string(kMostKeepVersions));
    }
    receipt.rolled_back = reader.OptionalString("rolled_back");
    if (receipt.rolled_back) Note(reader, "rolled_back", Version::Parse(*receipt.rolled_back));
    KeepUnknown(document,
                {"active", "channel", "command", "format", "id", "keep_versions", "kept", "managed_by", "rolled_back",
                 "unsynced_boot"},
                receipt.unknown);
    for (std::size_t index = 0; index < receipt.kept.size(); ++index) {
      const std::string& version = receipt.kept[index].version;
      if (receipt.Find(version) != &receipt.kept[index]) {
        problems_.Add(reader.PositionOf("kept"), "the version " + version + " is named twice");
      }
    }
    return receipt;
  }

 private:
  InstalledRelease ReadRelease(const json::Value& value) {
    InstalledRelease release;
    ObjectReader reader(value, "the release", problems_, UnknownKeys::kIgnore);
    if (auto version = reader.String("version")) {
      Note(reader, "version", Version::Parse(*version));
      release.version = *std::move(version);
    }
    if (const auto text = reader.String("platform")) {
      auto platform = Platform::Parse(*text);
      if (Note(reader, "platform", platform)) release.platform = *std::move(platform);
    }
    release.inventory = DigestOf(reader, "inventory", reader.String("inventory"));
    release.lock = DigestOf(reader, "lock", reader.String("lock"));
    if (const auto hex = reader.OptionalString("archive")) release.archive = DigestOf(reader, "archive", hex);
    if (const auto name = reader.String("origin")) {
      const auto origin = FindName<Origin>(kOrigins, *name);
      if (!origin) problems_.Add(reader.PositionOf("origin"), "unknown origin \"" + *name + "\"");
      release.origin = origin.value_or(Origin::kUnproven);
    }
    if (const auto name = reader.String("qualification")) {
      const auto qualification = ParseQualification(*name);
      if (!qualification) problems_.Add(reader.PositionOf("qualification"), "unknown qualification \"" + *name + "\"");
      release.qualification = qualification.value_or(Qualification::kUnqualified);
    }
    KeepUnknown(value, {"archive", "inventory", "lock", "origin", "platform", "qualification", "version"},
                release.unknown);
    return release;
  }

  ChannelPlace ReadChannel(const json::Value& value) {
    ChannelPlace place;
    ObjectReader reader(value, "the channel", problems_, UnknownKeys::kIgnore);
    place.url = reader.String("url").value_or("");
    place.name = reader.String("name").value_or("");
    if (place.url.size() > kMaxUrlBytes || place.name.size() > kMaxUrlBytes) {
      problems_.Add(value.position(), "the place of the channel is too long");
    }
    return place;
  }

  // Both become words of messages and of commands that a user is told to type.
  ManagedBy ReadManagedBy(const json::Value& value) {
    ManagedBy owner;
    ObjectReader reader(value, "the package manager", problems_, UnknownKeys::kIgnore);
    owner.manager = Name(reader, "manager");
    owner.package = reader.String("package").value_or("");
    if (!IsPackageName(owner.package)) {
      problems_.Add(reader.PositionOf("package"), "\"package\" is not the name of a package");
    }
    return owner;
  }

  std::string Name(ObjectReader& reader, std::string_view member) {
    auto text = reader.String(member);
    if (!text) return {};
    Note(reader, member, CheckId(*text, "the " + std::string(member)));
    return *std::move(text);
  }

  Digest DigestOf(ObjectReader& reader, std::string_view member, const std::optional<std::string>& hex) {
    Digest digest;
    if (hex && !Digest::Decode(*hex, digest)) {
      problems_.Add(reader.PositionOf(member), "\"" + std::string(member) + "\" is not a SHA-256 digest");
    }
    return digest;
  }

  template <class T>
  bool Note(ObjectReader& reader, std::string_view member, const Result<T>& result) {
    if (result) return true;
    problems_.Add(reader.PositionOf(member), result.error().message);
    return false;
  }

  // The canonical form has no fractions, so one can't be kept, and no PiShip has written it.
  static bool CanBeKept(const json::Value& value) {
    if (value.is(json::Kind::kNumber)) return false;
    if (value.is(json::Kind::kArray)) return std::all_of(value.array().begin(), value.array().end(), CanBeKept);
    if (!value.is(json::Kind::kObject)) return true;
    return std::all_of(value.object().begin(), value.object().end(),
                       [](const json::Member& member) { return CanBeKept(member.value); });
  }

  void KeepUnknown(const json::Value& value, std::initializer_list<std::string_view> known,
                   std::vector<json::Member>& unknown) {
    for (const json::Member& member : value.object()) {
      if (std::find(known.begin(), known.end(), member.name) != known.end()) continue;
      if (!CanBeKept(member.value)) {
        problems_.Add(member.position, "\"" + member.name + "\" holds a number with a fraction");
      }
      unknown.push_back(member);
    }
  }

  Problems& problems_;
};

json::Value ValueOf(const InstalledRelease& release) {
  json::Value value = json::Value::Object();
  for (const json::Member& member : release.unknown) value.Set(member.name, member.value);
  if (release.archive) value.Set("archive", release.archive->Hex());
  value.Set("inventory", release.inventory.Hex());
  value.Set("lock", release.lock.Hex());
  value.Set("origin", OriginName(release.origin));
  value.Set("platform", release.platform.str());
  value.Set("qualification", QualificationName(release.qualification));
  value.Set("version", release.version);
  return value;
}

}  // namespace

std::string_view OriginName(Origin origin) { return kOrigins[static_cast<std::size_t>(origin)]; }

std::string_view QualificationName(Qualification qualification) {
  return kQualifications[static_cast<std::size_t>(qualification)];
}

std::optional<Qualification> ParseQualification(std::string_view name) {
  return FindName<Qualification>(kQualifications, name);
}

bool IsPackageName(std::string_view text) {
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return text.size() >= 2 && text.size() <= kMaxPackageBytes && alphanumeric(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return alphanumeric(c) || c == '+' || c == '-' || c == '.'; });
}

const InstalledRelease* Receipt::Find(std::string_view version) const {
  if (active.version == version) return &active;
  for (const InstalledRelease& release : kept) {
    if (release.version == version) return &release;
  }
  return nullptr;
}

std::string Receipt::Text() const {
  json::Value document = json::Value::Object();
  for (const json::Member& member : unknown) document.Set(member.name, member.value);
  document.Set("active", ValueOf(active));
  if (channel) {
    json::Value place = json::Value::Object();
    place.Set("name", channel->name).Set("url", channel->url);
    document.Set("channel", std::move(place));
  }
  document.Set("command", command);
  document.Set("format", kFormat);
  document.Set("id", id);
  if (keep_versions) document.Set("keep_versions", *keep_versions);
  if (managed_by) {
    json::Value owner = json::Value::Object();
    owner.Set("manager", managed_by->manager).Set("package", managed_by->package);
    document.Set("managed_by", std::move(owner));
  }
  json::Value list = json::Value::Array();
  for (const InstalledRelease& release : kept) list.Append(ValueOf(release));
  document.Set("kept", std::move(list));
  if (rolled_back) document.Set("rolled_back", *rolled_back);
  if (unsynced_boot) document.Set("unsynced_boot", *unsynced_boot);
  return json::Canonical(document);
}

Result<Receipt> Receipt::Parse(std::string_view text, std::string_view name) {
  PISHIP_TRY(const json::Value document, json::Parse(text, name));
  if (const json::Value* format = document.Find("format"); format != nullptr && format->is(json::Kind::kInteger)) {
    const std::int64_t number = format->integer();
    if (number > kFormat) {
      return Fail(ErrorCode::kFormatNewer,
                  std::string(name) + ": format " + std::to_string(number) + " is newer than this PiShip reads (" +
                      std::to_string(kFormat) + ")",
                  "use a newer PiShip");
    }
    if (number < kFormat) {
      return Fail(ErrorCode::kReceiptInvalid, std::string(name) + ": unknown format " + std::to_string(number));
    }
  }
  Problems problems{std::string(name)};
  Receipt receipt = ReceiptReader(problems).Read(document);
  if (!problems.empty()) {
    return Fail(
        problems.ToError(ErrorCode::kReceiptInvalid,
                         "move the file aside and install the distribution again; its own data is not touched"));
  }
  return receipt;
}

}  // namespace piship
