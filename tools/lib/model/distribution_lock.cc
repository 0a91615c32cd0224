// SPDX-License-Identifier: MIT
// The lock is written once, by assemble, and believed only after its digest has been compared with the receipt's. Parse
// is strict all the same: an archive that nobody vouches for is installed too, and its lock then names what is
// executed. There is exactly one text for a lock, so after reading the members Parse writes the lock again and
// compares: that refuses every spelling which a less careful reader might understand in another way.
#include "model/distribution_lock.h"

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/problems.h"
#include "model/names.h"

namespace piship {
namespace {

constexpr std::array<std::string_view, 3> kPlaces = {"{payload}", "{resources}", "{state}"};
constexpr std::size_t kMaxNameBytes = 256;

bool HasControlCharacter(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

json::Value EngineValue(const EngineRequirement& engine) {
  json::Value value = json::Value::Object();
  if (engine.kind == EngineKind::kSystem) {
    value.Set("check", engine.check.str());
    value.Set("kind", "system");
    value.Set("range", engine.range.str());
  } else {
    value.Set("executable", engine.executable.str());
    value.Set("kind", "payload");
    value.Set("package", engine.package);
    value.Set("version", engine.version);
  }
  if (!engine.flags.empty()) {
    json::Value flags = json::Value::Array();
    for (const std::string& flag : engine.flags) flags.Append(flag);
    value.Set("flags", std::move(flags));
  }
  if (engine.prepare) value.Set("prepare", engine.prepare->str());
  return value;
}

json::Value ResourcesValue(const std::vector<LockedResource>& resources) {
  json::Value value = json::Value::Array();
  for (const LockedResource& resource : resources) {
    json::Value item = json::Value::Object();
    item.Set("digest", resource.digest.Hex());
    item.Set("kind", resource.kind);
    item.Set("path", resource.path.str());
    value.Append(std::move(item));
  }
  return value;
}

// Reads the members of one lock. Every function notes what is wrong and goes on, so that one run shows all of it.
class LockReader {
 public:
  explicit LockReader(Problems& problems) : problems_(problems) {}

  DistributionLock Read(const json::Value& document) {
    DistributionLock lock;
    ObjectReader reader(document, "the lock", problems_, UnknownKeys::kError);
    reader.Integer("format");
    ReadNames(reader, lock);
    if (const auto text = reader.String("platform")) {
      if (auto platform = Take(reader, "platform", Platform::Parse(*text))) lock.platform = *std::move(platform);
    }
    if (auto path = ReadPath(reader, "entry", "app/")) lock.entry = *std::move(path);
    if (const json::Value* engine = reader.Object("engine")) ReadEngine(*engine, lock.engine);
    if (const json::Value* channel = reader.OptionalObject("channel")) ReadChannel(*channel, lock);
    if (const json::Value* environment = reader.Object("environment")) ReadEnvironment(*environment, lock);
    if (const json::Value* arguments = reader.Array("arguments")) ReadArguments(*arguments, lock);
    if (const json::Value* resources = reader.Array("resources")) ReadResources(*resources, lock);
    if (const auto hex = reader.OptionalString("npm_lock")) {
      if (auto digest = Take(reader, "npm_lock", Digest::Parse(*hex))) lock.npm_lock = *digest;
    }
    if (const auto verify = reader.OptionalBoolean("verify_at_launch")) {
      lock.verify_at_launch = *verify ? VerifyAtLaunch::kOn : VerifyAtLaunch::kOff;
    }
    ReadNumber(reader, "keep_versions", kMostKeepVersions, lock.keep_versions);
    ReadNumber(reader, "state_schema", kMostStateSchema, lock.state_schema);
    lock.compile_cache = reader.OptionalBoolean("compile_cache").value_or(false);
    if (lock.compile_cache && (!lock.engine.prepare || lock.verify_at_launch == VerifyAtLaunch::kOn)) {
      problems_.Add(reader.PositionOf("compile_cache"),
                    "\"compile_cache\" needs the engine's \"prepare\" and excludes \"verify_at_launch\"");
    }
    reader.Finish();
    return lock;
  }

 private:
  template <class T>
  std::optional<T> Take(ObjectReader& reader, std::string_view member, Result<T> result) {
    if (result) return *std::move(result);
    problems_.Add(reader.PositionOf(member), "\"" + std::string(member) + "\": " + result.error().message);
    return std::nullopt;
  }

  void Check(ObjectReader& reader, std::string_view member, const Status& status) {
    if (!status) problems_.Add(reader.PositionOf(member), status.error().message);
  }

  void ReadNumber(ObjectReader& reader, std::string_view member, std::int64_t most, std::int64_t& out) {
    const auto number = reader.OptionalInteger(member);
    if (!number) return;
    if (*number < 0 || *number > most) {
      problems_.Add(reader.PositionOf(member),
                    "\"" + std::string(member) + "\" must be between 0 and " + std::to_string(most));
    }
    out = *number;
  }

  void ReadNames(ObjectReader& reader, DistributionLock& lock) {
    if (auto text = reader.String("id")) {
      Check(reader, "id", CheckId(*text, "the id"));
      lock.id = *std::move(text);
    }
    if (auto text = reader.String("command")) {
      Check(reader, "command", CheckId(*text, "the command"));
      lock.command = *std::move(text);
    }
    if (auto text = reader.String("name")) {
      if (text->empty() || text->size() > kMaxNameBytes || HasControlCharacter(*text)) {
        problems_.Add(reader.PositionOf("name"), "the name must have 1 to 256 bytes and no control character");
      }
      lock.name = *std::move(text);
    }
    if (auto text = reader.String("version")) {
      Take(reader, "version", Version::Parse(*text));
      lock.version = *std::move(text);
    }
  }

  void ReadChannel(const json::Value& value, DistributionLock& lock) {
    ObjectReader reader(value, "the channel", problems_, UnknownKeys::kError);
    ChannelPlace place{reader.String("url").value_or(""), reader.String("name").value_or("")};
    reader.Finish();
    if (const std::string why = WhyNotChannelPlace(place); !why.empty()) problems_.Add(value.position(), why);
    lock.channel = std::move(place);
  }

  std::optional<RelativePath> ReadPath(ObjectReader& reader, std::string_view member, std::string_view below) {
    const auto text = reader.String(member);
    if (!text) return std::nullopt;
    auto path = Take(reader, member, RelativePath::Parse(*text));
    if (path && !path->str().starts_with(below)) {
      problems_.Add(reader.PositionOf(member), "\"" + std::string(member) + "\" must lie below " + std::string(below));
      return std::nullopt;
    }
    return path;
  }

  void ReadEngine(const json::Value& value, EngineRequirement& engine) {
    ObjectReader reader(value, "\"engine\"", problems_, UnknownKeys::kError);
    const auto kind = reader.String("kind");
    if (!kind) return;
    if (*kind == "system") {
      engine.kind = EngineKind::kSystem;
      if (auto path = ReadPath(reader, "check", "engine/")) engine.check = *std::move(path);
      if (const auto text = reader.String("range")) {
        if (auto range = Take(reader, "range", VersionRange::Parse(*text))) engine.range = *std::move(range);
      }
    } else if (*kind == "payload") {
      engine.kind = EngineKind::kPayload;
      if (auto path = ReadPath(reader, "executable", "engine/")) engine.executable = *std::move(path);
      if (auto text = reader.String("package")) engine.package = *std::move(text);
      if (auto text = reader.String("version")) {
        Take(reader, "version", Version::Parse(*text));
        engine.version = *std::move(text);
      }
    } else {
      problems_.Add(reader.PositionOf("kind"), "unknown engine kind \"" + *kind + "\"");
      return;
    }
    if (const json::Value* flags = reader.OptionalArray("flags")) ReadFlags(*flags, engine);
    if (reader.OptionalString("prepare")) engine.prepare = ReadPath(reader, "prepare", "engine/");
    if (engine.kind == EngineKind::kSystem && engine.prepare && *engine.prepare != engine.check) {
      problems_.Add(reader.PositionOf("prepare"), "\"prepare\" must be the script that \"check\" names");
    }
    reader.Finish();
  }

  void ReadFlags(const json::Value& value, EngineRequirement& engine) {
    for (const json::Value& item : value.array()) {
      const std::string why = item.is(json::Kind::kString) ? WhyNotEngineFlag(item.string()) : "is not a string";
      if (!why.empty()) {
        problems_.Add(item.position(), "the engine's flag " + why);
        continue;
      }
      engine.flags.push_back(item.string());
    }
  }

  void ReadEnvironment(const json::Value& value, DistributionLock& lock) {
    for (const json::Member& member : value.object()) {
      if (const Status status = CheckEnvironmentName(member.name); !status) {
        problems_.Add(member.position, status.error().message);
      }
      if (!member.value.is(json::Kind::kString)) {
        problems_.Add(member.value.position(), "the value of " + member.name + " must be a string");
        continue;
      }
      CheckTemplate(member.value, "the value of " + member.name);
      lock.environment.push_back({member.name, member.value.string()});
    }
    std::sort(lock.environment.begin(), lock.environment.end(),
              [](const EnvironmentEntry& a, const EnvironmentEntry& b) { return a.name < b.name; });
  }

  void ReadArguments(const json::Value& value, DistributionLock& lock) {
    for (const json::Value& item : value.array()) {
      if (!item.is(json::Kind::kString)) {
        problems_.Add(item.position(), "an argument must be a string");
        continue;
      }
      CheckTemplate(item, "the argument");
      lock.arguments.push_back(item.string());
    }
  }

  void ReadResources(const json::Value& value, DistributionLock& lock) {
    for (const json::Value& item : value.array()) {
      ObjectReader reader(item, "the resource", problems_, UnknownKeys::kError);
      LockedResource resource;
      if (auto kind = reader.String("kind")) {
        Check(reader, "kind", CheckId(*kind, "the resource's kind"));
        resource.kind = *std::move(kind);
      }
      if (auto path = ReadPath(reader, "path", "resources/" + resource.kind + "/")) resource.path = *std::move(path);
      if (const auto hex = reader.String("digest")) {
        if (auto digest = Take(reader, "digest", Digest::Parse(*hex))) resource.digest = *digest;
      }
      reader.Finish();
      if (!lock.resources.empty() && lock.resources.back().path >= resource.path) {
        problems_.Add(item.position(), "the resources are not sorted by path, each once");
      }
      lock.resources.push_back(std::move(resource));
    }
  }

  void CheckTemplate(const json::Value& value, const std::string& what) {
    if (const std::string why = WhyNotTemplate(value.string()); !why.empty()) {
      problems_.Add(value.position(), what + " " + why);
    }
  }

  Problems& problems_;
};

}  // namespace

std::string WhyNotTemplate(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "contains a NUL character";
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("{{")) {
      at += 2;
      continue;
    }
    const auto* place = std::find_if(kPlaces.begin(), kPlaces.end(), [&](auto name) { return rest.starts_with(name); });
    if (place == kPlaces.end()) {
      return "has a \"{\" that begins none of {payload}, {resources}, {state}; write \"{{\" for the character itself";
    }
    at += place->size();
  }
  return {};
}

std::string WhyNotEngineFlag(std::string_view text) {
  std::size_t end = 2;
  const auto is_name = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; };
  while (end < text.size() && is_name(text[end])) ++end;
  if (!text.starts_with("--") || end < 3 || text[2] == '-' || (end < text.size() && text[end] != '=')) {
    return "'" + std::string(text.substr(0, 80)) + "' is neither --<name> nor --<name>=<value>";
  }
  const std::string why = WhyNotTemplate(text);
  return why.empty() ? why : "'" + std::string(text.substr(0, 80)) + "' " + why;
}

std::string ExpandTemplate(std::string_view text, const Places& places) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', done)) {
    out += text.substr(done, at - done);
    const std::string_view rest = text.substr(at);
    if (rest.starts_with(kPlaces[0])) {
      out += places.payload;
      done = at + kPlaces[0].size();
    } else if (rest.starts_with(kPlaces[1])) {
      out += places.payload + "/resources";
      done = at + kPlaces[1].size();
    } else if (rest.starts_with(kPlaces[2])) {
      out += places.state;
      done = at + kPlaces[2].size();
    } else {
      out += '{';
      done = at + (rest.starts_with("{{") ? 2 : 1);
    }
  }
  out += text.substr(done);
  return out;
}

std::string DistributionLock::Text() const {
  json::Value document = json::Value::Object();
  json::Value argument_list = json::Value::Array();
  for (const std::string& argument : arguments) argument_list.Append(argument);
  json::Value variables = json::Value::Object();
  for (const EnvironmentEntry& entry_of_environment : environment) {
    variables.Set(entry_of_environment.name, entry_of_environment.value);
  }
  document.Set("arguments", std::move(argument_list));
  if (channel) {
    json::Value place = json::Value::Object();
    place.Set("name", channel->name).Set("url", channel->url);
    document.Set("channel", std::move(place));
  }
  document.Set("command", command);
  if (compile_cache) document.Set("compile_cache", true);
  document.Set("engine", EngineValue(engine));
  document.Set("entry", entry.str());
  document.Set("environment", std::move(variables));
  document.Set("format", kFormat);
  document.Set("id", id);
  if (keep_versions != kDefaultKeepVersions) document.Set("keep_versions", keep_versions);
  document.Set("name", name);
  if (npm_lock) document.Set("npm_lock", npm_lock->Hex());
  document.Set("platform", platform.str());
  document.Set("resources", ResourcesValue(resources));
  if (state_schema != 0) document.Set("state_schema", state_schema);
  document.Set("verify_at_launch", verify_at_launch == VerifyAtLaunch::kOn);
  document.Set("version", version);
  return json::Canonical(document);
}

Result<DistributionLock> DistributionLock::Parse(std::string_view text, std::string_view name) {
  PISHIP_TRY(const json::Value document, json::Parse(text, name));
  if (const json::Value* format = document.Find("format");
      format != nullptr && format->is(json::Kind::kInteger) && format->integer() != kFormat) {
    const std::string number = std::to_string(format->integer());
    if (format->integer() < kFormat)
      return Fail(ErrorCode::kLockInvalid, std::string(name) + ": unknown format " + number);
    return Fail(
        ErrorCode::kFormatNewer,
        std::string(name) + ": format " + number + " is newer than this PiShip reads (" + std::to_string(kFormat) + ")",
        "use a newer PiShip");
  }
  Problems problems{std::string(name)};
  DistributionLock lock = LockReader(problems).Read(document);
  if (!problems.empty()) return Fail(problems.ToError(ErrorCode::kLockInvalid));
  if (lock.Text() != text) {
    return Fail(ErrorCode::kLockInvalid, std::string(name) + ": is not written in the canonical form");
  }
  return lock;
}

}  // namespace piship
