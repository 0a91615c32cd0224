// SPDX-License-Identifier: MIT
#include "vendor/tarball.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "model/path_set.h"
#include "vendor/tar_parser.h"

namespace piship {
namespace {

std::string_view LastComponent(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// Where the entry would be without the tarball's first directory; empty where nothing is left. Empty and "." components
// mean nothing. False: the name leads out of the package.
bool StripFirst(std::string_view name, std::string& out) {
  if (name.starts_with('/')) return false;
  bool first = true;
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view component = name.substr(0, slash);
    if (component == ".." || component.find("..\\") != std::string_view::npos || component.ends_with("\\.."))
      return false;
    if (!first && !component.empty() && component != ".") out += (out.empty() ? "" : "/") + std::string(component);
    first = false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

const char* WhySkipped(char type) {
  switch (type) {
    case '0':
    case '7':
      return nullptr;
    case '1':
      return "hard link";
    case '2':
      return "symbolic link";
    case '3':
    case '4':
      return "device";
    case '6':
      return "pipe";
    default:
      return "entry of an unknown type";
  }
}

class TarballReader {
 public:
  TarballReader(std::string_view package, const TarballLimits& limits) : package_(package), limits_(limits) {}

  Result<Tarball> Read(std::string_view compressed) {
    Tarball tarball;
    if (IsGzip(compressed)) {
      auto data = Gunzip(compressed, limits_.gunzip);
      if (!data) return Fail(Named(std::move(data).error()));
      tarball.data = *std::move(data);
      compressed = tarball.data.view();
    } else {
      auto copy = std::make_unique_for_overwrite<char[]>(compressed.size());
      std::copy(compressed.begin(), compressed.end(), copy.get());
      tarball.data = Bytes(std::move(copy), compressed.size());
    }
    if (auto status = ReadEntries(tarball); !status) return Fail(Named(std::move(status).error()));
    return tarball;
  }

 private:
  Error Named(Error error) const {
    error.message = "the tarball of " + Printable(package_) + " " + error.message;
    if (error.code == ErrorCode::kTarballInvalid) {
      error.hint = "the package was made by a broken or hostile tool; report it to its author";
    }
    return error;
  }

  Status ReadEntries(Tarball& tarball) {
    TarParser parser(tarball.data.view());
    std::size_t count = 0;
    while (true) {
      PISHIP_TRY(auto entry, parser.Next());
      if (!entry) break;
      if (++count > limits_.entries) {
        return Fail(ErrorCode::kLimitExceeded, "holds more than " + std::to_string(limits_.entries) + " entries");
      }
      PISHIP_CHECK(Take(*entry, tarball));
    }
    if (tarball.files.empty()) return Fail(ErrorCode::kTarballInvalid, "holds no files");
    std::sort(tarball.files.begin(), tarball.files.end(),
              [](const TarballFile& a, const TarballFile& b) { return a.path < b.path; });
    PathSet paths;
    paths.Reserve(tarball.files.size());
    for (const TarballFile& file : tarball.files) {
      if (auto status = paths.Add(file.path); !status) {
        Error error = std::move(status).error();
        error.message = "holds names that can't exist side by side: " + error.message;
        return Fail(std::move(error));
      }
    }
    return {};
  }

  Status Take(const TarEntry& entry, Tarball& tarball) {
    std::string name = entry.path;
    std::string path;
    if (!StripFirst(name, path)) {
      return Fail(ErrorCode::kTarballInvalid,
                  "has the entry '" + Printable(name) + "', which leads out of the package");
    }
    if (entry.type == '5' || entry.type == 'D') return {};
    if (const char* why = WhySkipped(entry.type); why != nullptr) {
      tarball.skipped.push_back({Printable(name), why});
      return {};
    }
    if (path.empty()) {
      tarball.skipped.push_back({Printable(name), "file outside the tarball's first directory"});
      return {};
    }
    if (LastComponent(name) == ".npmignore") npmignores_.insert(name);
    if (LastComponent(name) == ".gitignore" && !RenameGitignore(name, path)) {
      tarball.skipped.push_back({Printable(name), ".npmignore stands in its place"});
      return {};
    }
    auto parsed = RelativePath::Parse(path);
    if (!parsed) {
      return Fail(ErrorCode::kTarballInvalid,
                  "has the entry '" + Printable(name) + "', whose name " + RelativePath::WhyNot(path));
    }
    Put({*std::move(parsed), entry.body, (entry.mode & 0100U) != 0 ? FileMode::kExecutable : FileMode::kPlain},
        tarball);
    return {};
  }

  // npm makes a .gitignore an .npmignore, unless it has met one in that directory.
  bool RenameGitignore(const std::string& name, std::string& path) const {
    constexpr std::string_view kGitignore = ".gitignore";
    if (npmignores_.contains(name.substr(0, name.size() - kGitignore.size()) + ".npmignore")) return false;
    path.replace(path.size() - kGitignore.size(), kGitignore.size(), ".npmignore");
    return true;
  }

  // Of two entries with one name the later one's bytes are written over the earlier one's, whose mode stays.
  void Put(TarballFile file, Tarball& tarball) {
    const auto [found, added] = index_.try_emplace(file.path.str(), tarball.files.size());
    if (added) {
      tarball.files.push_back(std::move(file));
    } else {
      tarball.files[found->second].bytes = file.bytes;
    }
  }

  std::string_view package_;
  const TarballLimits& limits_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_set<std::string> npmignores_;
};

}  // namespace

Result<Tarball> ReadTarball(std::string_view compressed, std::string_view package, const TarballLimits& limits) {
  return TarballReader(package, limits).Read(compressed);
}

}  // namespace piship
