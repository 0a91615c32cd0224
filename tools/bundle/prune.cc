// SPDX-License-Identifier: MIT
#include "bundle/prune.h"

#include <algorithm>
#include <array>
#include <functional>
#include <initializer_list>
#include <set>

#include "base/files.h"
#include "model/names.h"

namespace piship::bundle {
namespace {

struct Machine {
  unsigned number;  // e_machine of ELF
  std::string_view cpu;
};
constexpr std::array<Machine, 8> kMachines = {{{62, "x64"},
                                               {183, "arm64"},
                                               {40, "arm"},
                                               {3, "ia32"},
                                               {258, "loong64"},
                                               {21, "ppc64"},
                                               {243, "riscv64"},
                                               {22, "s390x"}}};

unsigned Byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

bool ElfFits(std::string_view bytes, const Platform& platform) {
  if (bytes.size() < 20 || Byte(bytes, 7) == 9) return false;  // EI_OSABI: FreeBSD
  const bool little = Byte(bytes, 5) == 1;
  const unsigned machine = little ? Byte(bytes, 18) | Byte(bytes, 19) << 8U : Byte(bytes, 19) | Byte(bytes, 18) << 8U;
  const auto known =
      std::find_if(kMachines.begin(), kMachines.end(), [&](const Machine& m) { return m.number == machine; });
  if (platform.os() != "linux" || (known != kMachines.end() && known->cpu != platform.cpu())) return false;
  // Each C library has its own name; a file that needs neither or whose name is not there runs with both.
  const bool musl = bytes.find("libc.musl-") != std::string_view::npos;
  const bool glibc = bytes.find("libc.so.6") != std::string_view::npos;
  if (musl == glibc) return bytes.find("OpenBSD") == std::string_view::npos;
  return musl == (platform.libc() == "musl");
}

bool StartsWithMachO(std::string_view bytes) {
  constexpr std::array<std::string_view, 3> kMagics = {"\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe"};
  return std::any_of(kMagics.begin(), kMagics.end(), [&](std::string_view magic) { return bytes.starts_with(magic); });
}

bool EndsWithAny(std::string_view path, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
}

// What native code was compiled from or linked with.
bool IsNativeSource(std::string_view path) {
  return EndsWithAny(path, {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".S", ".asm", ".def", ".lib",
                            ".exp", ".gyp", ".gypi", ".cmake", "/CMakeLists.txt", ".rs", "/Cargo.toml"});
}

bool IsDocumentation(std::string_view path) {
  return EndsWithAny(path, {".md", ".markdown", ".rst"}) && !IsLicence(path);
}

bool IsImage(std::string_view path) { return EndsWithAny(path, {".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg"}); }

void AddComponents(std::string_view path, std::set<std::string, std::less<>>& components) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) components.emplace(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
  }
}

class Pruner {
 public:
  Pruner(BundledApp& app, const Plan& plan, const Ledger& ledger, const Platform& platform, GlobSet& keep,
         const Store& store)
      : app_(app), plan_(plan), ledger_(ledger), platform_(platform), keep_(keep), store_(store) {}

  Result<std::map<std::string, std::string>> Run() {
    FindReadPackages();
    std::vector<InventoryEntry> staying;
    for (const InventoryEntry& entry : app_.inventory.entries()) {
      PISHIP_TRY(const std::string reason, ReasonToGo(entry));
      if (reason.empty()) {
        staying.push_back(entry);
        continue;
      }
      pruned_[entry.path.str()] = reason;
      if (IsLicence(entry.path.str())) {
        PISHIP_TRY(const std::string text, store_.Read(entry.digest, entry.size));
        licences_ += "\n" + entry.path.str().substr(4) + ":\n\n" + text + (text.ends_with('\n') ? "" : "\n");
      }
    }
    PISHIP_CHECK(AddLicences(staying));
    PISHIP_TRY(app_.inventory, Inventory::FromEntries(std::move(staying)));
    return std::move(pruned_);
  }

 private:
  // The packages of which something besides the modules of the bundle may be read when the application runs.
  void FindReadPackages() {
    const auto add = [&](const std::string& path) { read_.emplace(PackageOf(path)); };
    for (const auto& [path, why] : plan_.entries) add(path);
    for (const auto& [path, why] : plan_.kept) add(path);
    for (const std::string& path : plan_.located) add(path);
    for (const std::string& path : plan_.reached) {
      const Facts* facts = ledger_.Find(path);
      if (facts == nullptr) continue;
      for (const std::string& literal : facts->literals.others)
        AddComponents(literal, names_[std::string(PackageOf(path))]);
      const bool looks = (facts->mentions & (kMentionsMeta | kMentionsPlace | kLocatesModules)) != 0;
      if (looks || facts->other_requires || facts->HasComputedImport()) add(path);
      for (const Import& import : facts->imports) {
        if (!import.external && !IsModuleFile(import.path) && !import.path.ends_with(".json")) add(import.path);
      }
    }
  }

  Result<std::string> ReasonToGo(const InventoryEntry& entry) {
    const std::string& path = entry.path.str();
    const std::string_view package = PackageOf(path);
    const bool of_bundle = path.starts_with(std::string(kBundleDirectory) + '/');
    if (of_bundle || package.empty() || keep_.Matches(path.substr(4)) || plan_.kept.contains(path) ||
        plan_.entries.contains(path)) {
      return std::string();
    }
    if (!read_.contains(package)) return std::string("unread-package");
    if (path.ends_with(".node")) {
      PISHIP_TRY(const std::string bytes, store_.Read(entry.digest, entry.size));
      return std::string(MayRunOn(bytes, platform_) ? "" : "other-platform");
    }
    if (IsNativeSource(path)) return std::string("native-source");
    if (IsLicence(path) && !NamesFile(path, package)) return std::string("joined-licence");
    if (IsImage(path) && !NamesFile(path, package)) {
      PISHIP_TRY(const std::string_view documentation, DocumentationOf(package));
      if (documentation.find(FileName(path)) != std::string_view::npos) return std::string("documentation-image");
    }
    if (IsDocumentation(path) && !IsNamed(path, package)) return std::string("unnamed-documentation");
    const bool module = IsModuleFile(path) && path.find('.', path.rfind('/')) != std::string::npos;
    // A module that nothing loads may still be read as text.
    const bool named = plan_.located.contains(path) || NamesFile(path, package);
    return std::string(module && !named ? "unreached-module" : "");
  }

  // Whether a module of the package has the file's name, or that of a directory above it, in a string.
  bool IsNamed(const std::string& path, std::string_view package) const {
    const auto names = names_.find(package);
    if (names == names_.end()) return false;
    std::set<std::string, std::less<>> components;
    AddComponents(std::string_view(path).substr(package.size()), components);
    return std::any_of(components.begin(), components.end(),
                       [&](const std::string& component) { return names->second.contains(component); });
  }

  bool NamesFile(const std::string& path, std::string_view package) const {
    const auto names = names_.find(package);
    return names != names_.end() && names->second.contains(FileName(path));
  }

  // The text of all documentation of the package.
  Result<std::string_view> DocumentationOf(std::string_view package) {
    const auto [text, is_new] = documentation_.try_emplace(std::string(package));
    if (!is_new) return std::string_view(text->second);
    for (const InventoryEntry& entry : app_.inventory.entries()) {
      if (!IsDocumentation(entry.path.str()) || PackageOf(entry.path.str()) != package) continue;
      PISHIP_TRY(const std::string page, store_.Read(entry.digest, entry.size));
      text->second += page;
    }
    return std::string_view(text->second);
  }

  Status AddLicences(std::vector<InventoryEntry>& staying) {
    if (licences_.empty()) return {};
    const std::string path = std::string(kBundleDirectory) + "/LICENSES.txt";
    const auto there =
        std::find_if(staying.begin(), staying.end(), [&](const InventoryEntry& e) { return e.path.str() == path; });
    std::string text = licences_;
    if (there != staying.end()) {
      PISHIP_TRY(const std::string comments, store_.Read(there->digest, there->size));
      text = comments + text;
      staying.erase(there);
    }
    PISHIP_TRY(const Digest digest, store_.Put(text));
    PISHIP_TRY(RelativePath parsed, RelativePath::Parse(path));
    staying.push_back({digest, text.size(), FileMode::kPlain, std::move(parsed)});
    return {};
  }

  BundledApp& app_;
  const Plan& plan_;
  const Ledger& ledger_;
  const Platform& platform_;
  GlobSet& keep_;
  const Store& store_;
  std::set<std::string, std::less<>> read_;
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
      names_;  // in strings of each package's modules
  std::map<std::string, std::string, std::less<>> documentation_;
  std::map<std::string, std::string> pruned_;
  std::string licences_;
};

}  // namespace

bool MayRunOn(std::string_view bytes, const Platform& platform) {
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return ElfFits(bytes, platform);
  if (StartsWithMachO(bytes)) return platform.os() == "darwin";
  if (bytes.starts_with("MZ")) return platform.os() == "win32";
  return true;
}

Result<std::map<std::string, std::string>> Prune(BundledApp& app, const Plan& plan, const Ledger& ledger,
                                                 const Platform& platform, GlobSet& keep, const Store& store) {
  return Pruner(app, plan, ledger, platform, keep, store).Run();
}

}  // namespace piship::bundle
