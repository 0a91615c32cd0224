// SPDX-License-Identifier: MIT
// SHA-256 digests, the names of all content, and the hashers for them and for npm's integrity values.
//
// The hashers use libcrypto's direct SHA functions, not EVP: those need no provider, no configuration file and no
// allocation, so a launch pays nothing before its first hash (docs/adr/0004).
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace piship {

class Digest {
 public:
  static constexpr std::size_t kSize = 32;
  static constexpr std::size_t kHexSize = 64;

  Digest() = default;  // all zero: no content has it
  explicit Digest(const std::array<std::uint8_t, kSize>& bytes) : bytes_(bytes) {}

  // Exactly 64 lower-case hexadecimal digits.
  static Result<Digest> Parse(std::string_view hex);
  // The same without an error text: false leaves `out` unspecified. For parsers that name the line themselves.
  static bool Decode(std::string_view hex, Digest& out);
  static Digest Of(std::string_view bytes);

  std::string Hex() const;
  void AppendHex(std::string& out) const;
  const std::array<std::uint8_t, kSize>& bytes() const { return bytes_; }
  auto operator<=>(const Digest&) const = default;

 private:
  std::array<std::uint8_t, kSize> bytes_{};
};

// Spreads well because the bytes of a digest do.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t value = 0;
    std::memcpy(&value, digest.bytes().data(), sizeof value);
    return value;
  }
};

enum class HashAlgorithm : std::uint8_t { kSha1, kSha256, kSha384, kSha512 };

// Incremental hashing; a finished hasher may be used again after Reset.
class Hasher {
 public:
  explicit Hasher(HashAlgorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void Reset();
  void Update(std::string_view bytes);
  // The raw digest: 20, 32, 48 or 64 bytes.
  std::string Finish();

 private:
  struct State;
  HashAlgorithm algorithm_;
  std::unique_ptr<State> state_;
};

class Sha256 {
 public:
  Sha256();
  void Update(std::string_view bytes);
  // The digest of what was put in; the hasher then starts anew.
  Digest Finish();

 private:
  // SHA256_CTX, which has no destructor; kept out of this header so that OpenSSL's stay in digest.cc.
  alignas(8) std::array<std::uint8_t, 128> state_;
};

// Lower-case hexadecimal digits of any bytes.
std::string HexOf(std::string_view bytes);

}  // namespace piship
