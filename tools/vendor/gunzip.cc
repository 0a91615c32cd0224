// SPDX-License-Identifier: MIT
// The last four bytes of a member say its length modulo 2^32. They are only a hint: a buffer of that size is tried
// first, since it nearly always fits, and grows within the limits where it does not. A hint beyond what packages are
// compressed to is a lie or a bomb, and no memory follows from it.
#include "vendor/gunzip.h"

#include <libdeflate.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace piship {
namespace {

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const { libdeflate_free_decompressor(decompressor); }
};

// One per thread: its tables are set up anew for each block, its memory is not.
libdeflate_decompressor* Decompressor() {
  thread_local std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor(libdeflate_alloc_decompressor());
  return decompressor.get();
}

constexpr std::uint64_t kBelievedRatio = 64;

std::uint64_t LengthHint(std::string_view member) {
  if (member.size() < 18) return 0;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(member[member.size() - 4 + i])} << (8 * i);
  }
  return std::min(length, kBelievedRatio * member.size());
}

class Gunzipper {
 public:
  Gunzipper(std::string_view compressed, const GunzipLimits& limits)
      : rest_(compressed),
        limit_(std::min(limits.bytes, std::max(limits.free_bytes, limits.ratio * std::uint64_t{compressed.size()}))) {}

  Result<Bytes> Run() {
    if (Decompressor() == nullptr) return Fail(ErrorCode::kIoFailed, "no memory to decompress");
    capacity_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(LengthHint(rest_), 512, limit_));
    buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
    if (!IsGzip(rest_)) return Fail(ErrorCode::kTarballInvalid, "is not gzip data");
    // What begins as a member must be a whole one, also after others: else a damaged one would only shorten the data.
    while (IsGzip(rest_)) {
      PISHIP_TRY(const bool good, Member());
      if (!good) return Fail(ErrorCode::kTarballInvalid, "is not valid gzip data, or cut off");
    }
    return Bytes(std::move(buffer_), size_);
  }

 private:
  Result<bool> Member() {
    while (true) {
      std::size_t consumed = 0;
      std::size_t written = 0;
      const libdeflate_result result = libdeflate_gzip_decompress_ex(
          Decompressor(), rest_.data(), rest_.size(), buffer_.get() + size_, capacity_ - size_, &consumed, &written);
      if (result == LIBDEFLATE_SUCCESS) {
        size_ += written;
        rest_.remove_prefix(consumed);
        return true;
      }
      if (result != LIBDEFLATE_INSUFFICIENT_SPACE) return false;
      PISHIP_CHECK(Grow());
    }
  }
  Status Grow() {
    if (capacity_ >= limit_) {
      return Fail(ErrorCode::kLimitExceeded, "unpacks to more than " + std::to_string(limit_) + " bytes");
    }
    const auto larger = static_cast<std::size_t>(std::min<std::uint64_t>(limit_, std::uint64_t{capacity_} * 2));
    auto buffer = std::make_unique_for_overwrite<char[]>(larger);
    std::memcpy(buffer.get(), buffer_.get(), size_);
    buffer_ = std::move(buffer);
    capacity_ = larger;
    return {};
  }

  std::string_view rest_;
  std::uint64_t limit_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace

Result<Bytes> Gunzip(std::string_view compressed, const GunzipLimits& limits) {
  return Gunzipper(compressed, limits).Run();
}

}  // namespace piship
