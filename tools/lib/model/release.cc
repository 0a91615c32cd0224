// SPDX-License-Identifier: MIT
#include "model/release.h"

#include "base/problems.h"
#include "model/names.h"
#include "model/relative_path.h"
#include "model/semver.h"

namespace piship {
namespace {

// Reads the members; what is wrong goes to `problems`.
class ReleaseReader {
 public:
  explicit ReleaseReader(Problems& problems) : problems_(problems) {}

  Release Read(const json::Value& document) {
    Release release;
    ObjectReader reader(document, "the release", problems_, UnknownKeys::kIgnore);
    release.id = Name(reader, "id");
    release.command = Name(reader, "command");
    if (auto version = reader.String("version")) {
      Note(reader, "version", Version::Parse(*version));
      release.version = *std::move(version);
    }
    if (const auto text = reader.String("platform")) {
      auto platform = Platform::Parse(*text);
      if (Note(reader, "platform", platform)) release.platform = *std::move(platform);
    }
    release.inventory = DigestOf(reader, "inventory");
    release.lock = DigestOf(reader, "lock");
    if (const auto name = reader.String("qualification")) {
      const auto qualification = ParseQualification(*name);
      if (!qualification) problems_.Add(reader.PositionOf("qualification"), "unknown qualification \"" + *name + "\"");
      release.qualification = qualification.value_or(Qualification::kUnqualified);
    }
    if (const json::Value* archive = reader.Object("archive")) ReadArchive(*archive, release);
    return release;
  }

 private:
  void ReadArchive(const json::Value& value, Release& release) {
    ObjectReader reader(value, "\"archive\"", problems_, UnknownKeys::kIgnore);
    release.archive = DigestOf(reader, "sha256");
    if (auto name = reader.String("name")) {
      const char* why = RelativePath::WhyNot(*name);
      if (why != nullptr || name->find('/') != std::string::npos) {
        problems_.Add(reader.PositionOf("name"), "the archive's name is not the name of a file beside it");
      }
      release.archive_name = *std::move(name);
    }
    if (const auto bytes = reader.Integer("bytes")) {
      if (*bytes < 0) problems_.Add(reader.PositionOf("bytes"), "the archive's size is negative");
      release.archive_bytes = static_cast<std::uint64_t>(*bytes);
    }
  }

  std::string Name(ObjectReader& reader, std::string_view member) {
    auto text = reader.String(member);
    if (!text) return {};
    Note(reader, member, CheckId(*text, "the " + std::string(member)));
    return *std::move(text);
  }

  Digest DigestOf(ObjectReader& reader, std::string_view member) {
    Digest digest;
    const auto hex = reader.String(member);
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

  Problems& problems_;
};

}  // namespace

std::string Release::Text() const {
  json::Value file = json::Value::Object();
  file.Set("bytes", static_cast<std::int64_t>(archive_bytes));
  file.Set("name", archive_name);
  file.Set("sha256", archive.Hex());
  json::Value value = json::Value::Object();
  value.Set("archive", std::move(file));
  value.Set("command", command);
  value.Set("format", kFormat);
  value.Set("id", id);
  value.Set("inventory", inventory.Hex());
  value.Set("lock", lock.Hex());
  value.Set("platform", platform.str());
  value.Set("qualification", QualificationName(qualification));
  value.Set("version", version);
  return json::Canonical(value);
}

Result<Release> Release::Parse(std::string_view text, std::string_view name) {
  auto document = json::Parse(text, name);
  if (!document) {
    Error error = std::move(document).error();
    error.code = ErrorCode::kReleaseInvalid;
    return Fail(std::move(error));
  }
  if (const json::Value* format = document->Find("format"); format != nullptr && format->is(json::Kind::kInteger)) {
    if (format->integer() > kFormat) {
      return Fail(
          ErrorCode::kFormatNewer,
          std::string(name) + " has release format " + std::to_string(format->integer()) + ", this PiShip reads 1",
          "use a newer PiShip");
    }
  }
  Problems problems{std::string(name)};
  ObjectReader form(*document, "the release", problems, UnknownKeys::kIgnore);
  if (const auto format = form.Integer("format"); format && *format < 1) {
    problems.Add(form.PositionOf("format"), "the format is not a number that any PiShip wrote");
  }
  Release release = ReleaseReader(problems).Read(*document);
  if (!problems.empty()) return Fail(problems.ToError(ErrorCode::kReleaseInvalid));
  return release;
}

}  // namespace piship
