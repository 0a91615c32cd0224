// SPDX-License-Identifier: MIT
// Client::Download: the specification's 5.7.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <map>

#include "base/files.h"
#include "net/url.h"
#include "tuf/client.h"

namespace piship::tuf {
namespace {

// Length and every known digest of a stream of bytes.
class Check {
 public:
  explicit Check(const TargetFile& file) : file_(file) { Reset(); }

  void Reset() {
    length_ = 0;
    hashers_.clear();
    for (const auto& [algorithm, hex] : file_.hashes.known) hashers_.emplace(algorithm, Hasher(algorithm));
  }
  void Update(std::string_view bytes) {
    length_ += bytes.size();
    for (auto& [algorithm, hasher] : hashers_) hasher.Update(bytes);
  }
  bool Finish() {
    bool good = length_ == file_.length && !hashers_.empty();
    for (auto& [algorithm, hasher] : hashers_) {
      good = HexOf(hasher.Finish()) == file_.hashes.known.at(algorithm) && good;
    }
    return good;
  }

 private:
  const TargetFile& file_;
  std::uint64_t length_ = 0;
  std::map<HashAlgorithm, Hasher> hashers_;
};

bool IsThere(const TargetFile& target, const std::string& file) {
  const auto opened = OpenFile(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (!opened || fstat(opened->get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) != target.length) {
    return false;
  }
  Check check(target);
  std::string buffer(std::size_t{256} * 1024, '\0');
  for (;;) {
    const auto size = ReadSome(opened->get(), buffer.data(), buffer.size(), file);
    if (!size) return false;
    if (*size == 0) return check.Finish();
    check.Update({buffer.data(), *size});
  }
}

// "dir/name" as a URL's path, with the digest before the name where the repository keeps several versions of a file.
// A path that a URL would normalize away, and so could lead out of the base, is refused.
Result<std::string> UrlPathOf(std::string_view path, std::string_view prefix) {
  std::string out;
  for (;;) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") {
      return Fail(ErrorCode::kPathInvalid, "a target's path has the component '" + std::string(part) + "'");
    }
    if (slash == std::string_view::npos) {
      if (!prefix.empty()) out += std::string(prefix) + ".";
      return out + PercentEncode(part);
    }
    out += PercentEncode(part) + "/";
    path.remove_prefix(slash + 1);
  }
}

class FileSink : public ArtifactSink {
 public:
  FileSink(std::string path, const TargetFile& target) : path_(std::move(path)), check_(target) {}
  ~FileSink() override { unlink(path_.c_str()); }
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  Status Begin(std::uint64_t /*offset*/) override {
    PISHIP_TRY(file_, OpenFile(path_, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0644));
    check_.Reset();
    return {};
  }
  Status Take(std::string_view bytes) override {
    check_.Update(bytes);
    return WriteAll(file_.get(), bytes, path_);
  }
  // Whether what came is what was signed.
  bool Finish() { return file_.valid() && check_.Finish(); }

 private:
  std::string path_;
  UniqueFd file_;
  Check check_;
};

}  // namespace

Status Client::Fetch(const FoundTarget& target, const ByteRange& range, ArtifactSink& sink) {
  const TargetFile& wanted = target.file;
  if (wanted.hashes.known.empty()) {
    return Fail(ErrorCode::kIntegrityFailed,
                "'" + Printable(target.path) + "' has no digest of a kind that this client knows");
  }
  const std::string_view prefix =
      root_.body.consistent_snapshot ? std::string_view(wanted.hashes.known.begin()->second) : std::string_view();
  PISHIP_TRY(const std::string path, UrlPathOf(target.path, prefix));
  return fetcher_->FetchArtifact(path, range, wanted.length, sink);
}

Status Client::Download(const FoundTarget& target, const std::string& file) {
  const TargetFile& wanted = target.file;
  const std::string subject = "'" + Printable(target.path) + "'";
  if (wanted.hashes.known.empty()) {
    return Fail(ErrorCode::kIntegrityFailed, subject + " has no digest of a kind that this client knows");
  }
  if (IsThere(wanted, file)) return {};
  const std::string temporary = TemporaryNameFor(file);
  FileSink sink(temporary, wanted);
  PISHIP_CHECK(Fetch(target, {}, sink));
  if (!sink.Finish()) {
    return Fail(ErrorCode::kIntegrityFailed, "what the repository sent for " + subject + " is not what was signed");
  }
  if (std::rename(temporary.c_str(), file.c_str()) != 0) return Fail(SystemError("write '" + file + "'", errno));
  return {};
}

}  // namespace piship::tuf
