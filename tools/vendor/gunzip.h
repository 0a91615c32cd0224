// SPDX-License-Identifier: MIT
// gzip (RFC 1952) in memory, bounded: tarballs are small enough to be held whole, and so are their contents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/result.h"

namespace piship {

// Bytes that are written once and never grow.
class Bytes {
 public:
  Bytes() = default;
  Bytes(std::unique_ptr<char[]> data, std::size_t size) : data_(std::move(data)), size_(size) {}
  std::string_view view() const { return {data_.get(), size_}; }

 private:
  std::unique_ptr<char[]> data_;
  std::size_t size_ = 0;
};

struct GunzipLimits {
  std::uint64_t bytes = std::uint64_t{2} << 30;
  // Uncompressed bytes per compressed byte, once there are more than `free_bytes`. Deflate reaches 1,032 at most, with
  // nothing but zeros.
  std::uint64_t ratio = 1000;
  std::uint64_t free_bytes = std::uint64_t{1} << 20;
};

inline bool IsGzip(std::string_view bytes) { return bytes.size() > 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b'; }

// All members one after the other; what follows the last one and is no member is ignored, as gzip and npm do.
// kTarballInvalid where any member is damaged or cut off, kLimitExceeded. Errors do not name the input: the caller
// does.
Result<Bytes> Gunzip(std::string_view compressed, const GunzipLimits& limits = {});

}  // namespace piship
