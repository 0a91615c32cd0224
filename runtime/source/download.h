// SPDX-License-Identifier: MIT
// An archive of a channel as a file in the install home. One file for each digest, <downloads>/<sha256>.part, locked by
// whoever writes or reads it: a second process waits for the first one's bytes. What a killed one has left is gone on
// with. Whatever is there is nothing before its digest is the signed one; only then is it read as an archive. Where
// only some frames are fetched the file is <sha256>.frames, and frames_source.h says what it holds.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/digest.h"
#include "base/files.h"
#include "base/result.h"
#include "tuf/fetcher.h"

namespace piship {

// The SHA-256 of the whole open file, which is read from its beginning.
Result<Digest> DigestOfFile(int fd, const std::string& name);

// What of the file is fetched.
enum class Extent : std::uint8_t { kWhole, kFrames };

class Download {
 public:
  // Waits for another process that has it. `on_wait` is called once with its description where there is one.
  static Result<Download> Claim(const std::string& directory, const Digest& digest, Extent extent,
                                const std::function<void(const std::string&)>& on_wait);

  // Removes what is there of that file, except what a process is writing or reading.
  static void Discard(const std::string& directory, const Digest& digest);

  const std::string& path() const { return path_; }
  int fd() const { return fd_.get(); }
  // Bytes that were there already, of `bytes`; what is longer begins anew.
  Result<std::uint64_t> Resume(std::uint64_t bytes);
  // Whether every byte is there already.
  Result<bool> IsWhole() const;
  // Fetches what is missing: `fetch` gets the offset and where the bytes go. Where that does not go with what was there
  // (a power cut may have spoilt it, or the server gives other parts), all of it is fetched anew. kIntegrityFailed
  // where the file then has another length than `bytes` or another digest, and it is removed. After another error what
  // has come stays.
  Status Fill(std::uint64_t bytes, const std::function<Status(std::uint64_t, tuf::ArtifactSink&)>& fetch);
  // The archive has been installed, or is not the right one.
  void Remove();

 private:
  Download(std::string path, UniqueFd fd, const Digest& digest)
      : path_(std::move(path)), fd_(std::move(fd)), digest_(digest) {}
  Status FillFrom(std::uint64_t present, std::uint64_t bytes,
                  const std::function<Status(std::uint64_t, tuf::ArtifactSink&)>& fetch);

  std::string path_;
  UniqueFd fd_;
  Digest digest_;
};

}  // namespace piship
