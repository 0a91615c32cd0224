// SPDX-License-Identifier: MIT
#include "model/entry.h"

#include <algorithm>
#include <vector>

#include "base/json.h"
#include "base/problems.h"

namespace piship {
namespace {

struct Program {
  std::string name;
  std::string file;  // as the package.json spells it
};

std::string Joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// "@scope/tool" is called "tool" on a command line.
std::string CommandOf(std::string_view package) { return std::string(package.substr(package.rfind('/') + 1)); }

// npm reads the path of a program as if the package were the root of the file system: leading "/", "./" and "../"
// vanish.
std::string NormalizedFile(std::string_view file) {
  std::vector<std::string_view> components;
  std::size_t begin = 0;
  while (begin <= file.size()) {
    const std::size_t end = std::min(file.find('/', begin), file.size());
    const std::string_view component = file.substr(begin, end - begin);
    begin = end + 1;
    if (component.empty() || component == ".") continue;
    if (component == "..") {
      if (!components.empty()) components.pop_back();
      continue;
    }
    components.push_back(component);
  }
  std::string out;
  for (const std::string_view component : components) out += (out.empty() ? "" : "/") + std::string(component);
  return out;
}

// `bin` is a path, for one program with the package's name, or a map of names to paths.
Result<std::vector<Program>> ProgramsOf(const json::Value& manifest, std::string_view package, std::string_view file) {
  std::vector<Program> programs;
  const json::Value* bin = manifest.Find("bin");
  if (bin == nullptr || bin->is(json::Kind::kNull)) return programs;
  Problems problems{std::string(file)};
  if (bin->is(json::Kind::kString)) {
    programs.push_back({CommandOf(package), bin->string()});
  } else if (bin->is(json::Kind::kObject)) {
    for (const json::Member& member : bin->object()) {
      if (member.value.is(json::Kind::kString)) {
        programs.push_back({member.name, member.value.string()});
      } else {
        problems.Add(member.value.position(), "the program \"" + member.name + "\" must be a path");
      }
    }
  } else {
    problems.Add(bin->position(), "\"bin\" must be a path or an object of paths");
  }
  if (!problems.empty()) return Fail(problems.ToError(ErrorCode::kManifestInvalid));
  return programs;
}

Result<Program> ChooseProgram(const std::vector<Program>& programs, const EntryRequest& request) {
  const std::string& package = *request.package;
  std::vector<std::string> names;
  names.reserve(programs.size());
  for (const Program& program : programs) names.push_back(program.name);
  if (programs.empty()) {
    return Fail(ErrorCode::kEntryPointMissing, "the package " + package + " declares no program (\"bin\")",
                "name a file with ENTRY_POINT instead");
  }
  const std::string wanted = request.bin.value_or(CommandOf(package));
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return programs[static_cast<std::size_t>(found - names.begin())];
  if (request.bin) {
    std::string hint = "it declares: " + Joined(names);
    if (const auto nearest = NearestName(wanted, names); !nearest.empty()) {
      hint += "; did you mean '" + std::string(nearest) + "'?";
    }
    return Fail(ErrorCode::kEntryPointMissing, "the package " + package + " declares no program '" + wanted + "'",
                hint);
  }
  if (programs.size() == 1) return programs.front();
  return Fail(ErrorCode::kEntryPointMissing, "the package " + package + " declares several programs: " + Joined(names),
              "name one of them with ENTRY_BIN");
}

Result<RelativePath> FromPackage(const EntryRequest& request, const Inventory& payload, const ReadPayloadFile& read) {
  const std::string& package = *request.package;
  const std::string directory = "app/node_modules/" + package;
  const InventoryEntry* manifest_entry = payload.Find(directory + "/package.json");
  if (manifest_entry == nullptr) {
    return Fail(ErrorCode::kEntryPointMissing, "the entry package " + package + " is not in the payload",
                "name it among the dependencies of package.json and update package-lock.json");
  }
  PISHIP_TRY(const std::string text, read(*manifest_entry));
  PISHIP_TRY(const json::Value manifest, json::Parse(text, manifest_entry->path.str()));
  PISHIP_TRY(const auto programs, ProgramsOf(manifest, package, manifest_entry->path.str()));
  PISHIP_TRY(const Program program, ChooseProgram(programs, request));
  const std::string path = directory + "/" + NormalizedFile(program.file);
  const InventoryEntry* entry = payload.Find(path);
  if (entry == nullptr) {
    return Fail(ErrorCode::kEntryPointMissing,
                "the program '" + program.name + "' of " + package + " is '" + path + "', which is not in the payload");
  }
  return entry->path;
}

Result<RelativePath> FromPoint(const std::string& point, const Inventory& payload) {
  const InventoryEntry* entry = payload.Find("app/" + point);
  if (entry != nullptr) return entry->path;
  std::vector<std::string> own;
  for (const InventoryEntry& candidate : payload.entries()) {
    const std::string_view path = candidate.path.str();
    if (path.starts_with("app/") && !path.starts_with("app/node_modules/")) own.emplace_back(path.substr(4));
  }
  std::string hint = own.empty() ? "the distribution has no SOURCES" : "list it in SOURCES";
  if (const auto nearest = NearestName(point, own); !nearest.empty()) {
    hint += "; did you mean '" + std::string(nearest) + "'?";
  }
  return Fail(ErrorCode::kEntryPointMissing, "the entry point '" + point + "' is not in the payload", hint);
}

}  // namespace

Result<RelativePath> ResolveEntry(const EntryRequest& request, const Inventory& payload, const ReadPayloadFile& read) {
  if (request.package && request.point) return Fail(ErrorCode::kUsage, "--entry-package excludes --entry-point");
  if (request.bin && !request.package) return Fail(ErrorCode::kUsage, "--entry-bin needs --entry-package");
  if (request.package) return FromPackage(request, payload, read);
  if (request.point) return FromPoint(*request.point, payload);
  return Fail(ErrorCode::kUsage, "one of --entry-point and --entry-package is needed");
}

}  // namespace piship
