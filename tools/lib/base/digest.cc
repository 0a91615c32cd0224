// SPDX-License-Identifier: MIT
// The direct SHA functions are deprecated in OpenSSL 3, but stay until its next major version; see digest.h for why.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/digest.h"

#include <openssl/sha.h>

namespace piship {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

void AppendHexOf(std::string& out, const std::uint8_t* bytes, std::size_t size) {
  const std::size_t start = out.size();
  out.resize(start + 2 * size);
  char* to = out.data() + start;
  for (std::size_t index = 0; index < size; ++index) {
    *to++ = kDigits[bytes[index] >> 4];
    *to++ = kDigits[bytes[index] & 15];
  }
}

// One load a digit; a parse of 30,000 inventory lines makes two million of them.
constexpr std::array<std::int8_t, 256> MakeNibbles() {
  std::array<std::int8_t, 256> table{};
  for (auto& value : table) value = -1;
  for (int digit = 0; digit < 10; ++digit)
    table[static_cast<std::size_t>('0' + digit)] = static_cast<std::int8_t>(digit);
  for (int digit = 10; digit < 16; ++digit) {
    table[static_cast<std::size_t>('a' + digit - 10)] = static_cast<std::int8_t>(digit);
  }
  return table;
}
constexpr auto kNibbles = MakeNibbles();

SHA256_CTX* Context(std::array<std::uint8_t, 128>& state) {
  static_assert(sizeof(SHA256_CTX) <= 128);
  return reinterpret_cast<SHA256_CTX*>(state.data());
}

}  // namespace

bool Digest::Decode(std::string_view hex, Digest& out) {
  if (hex.size() != kHexSize) return false;
  int invalid = 0;
  for (std::size_t index = 0; index < kSize; ++index) {
    const int high = kNibbles[static_cast<unsigned char>(hex[2 * index])];
    const int low = kNibbles[static_cast<unsigned char>(hex[2 * index + 1])];
    invalid |= high | low;
    out.bytes_[index] = static_cast<std::uint8_t>(((high & 15) << 4) | (low & 15));
  }
  return invalid >= 0;
}

Result<Digest> Digest::Parse(std::string_view hex) {
  Digest digest;
  if (!Decode(hex, digest)) {
    return Fail(ErrorCode::kDigestInvalid, "'" + std::string(hex.substr(0, 80)) + "' is not a SHA-256 digest",
                "a digest is 64 lower-case hexadecimal digits");
  }
  return digest;
}

Digest Digest::Of(std::string_view bytes) {
  Sha256 hasher;
  hasher.Update(bytes);
  return hasher.Finish();
}

std::string Digest::Hex() const {
  std::string out;
  AppendHex(out);
  return out;
}

void Digest::AppendHex(std::string& out) const { AppendHexOf(out, bytes_.data(), bytes_.size()); }

Sha256::Sha256() { SHA256_Init(Context(state_)); }

void Sha256::Update(std::string_view bytes) { SHA256_Update(Context(state_), bytes.data(), bytes.size()); }

Digest Sha256::Finish() {
  std::array<std::uint8_t, Digest::kSize> bytes;
  SHA256_Final(bytes.data(), Context(state_));
  SHA256_Init(Context(state_));
  return Digest(bytes);
}

struct Hasher::State {
  SHA_CTX sha1;
  SHA256_CTX sha256;
  SHA512_CTX sha512;  // also SHA-384
};

Hasher::Hasher(HashAlgorithm algorithm) : algorithm_(algorithm), state_(std::make_unique<State>()) { Reset(); }
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::Reset() {
  switch (algorithm_) {
    case HashAlgorithm::kSha1:
      SHA1_Init(&state_->sha1);
      break;
    case HashAlgorithm::kSha256:
      SHA256_Init(&state_->sha256);
      break;
    case HashAlgorithm::kSha384:
      SHA384_Init(&state_->sha512);
      break;
    case HashAlgorithm::kSha512:
      SHA512_Init(&state_->sha512);
      break;
  }
}

void Hasher::Update(std::string_view bytes) {
  switch (algorithm_) {
    case HashAlgorithm::kSha1:
      SHA1_Update(&state_->sha1, bytes.data(), bytes.size());
      break;
    case HashAlgorithm::kSha256:
      SHA256_Update(&state_->sha256, bytes.data(), bytes.size());
      break;
    case HashAlgorithm::kSha384:
      SHA384_Update(&state_->sha512, bytes.data(), bytes.size());
      break;
    case HashAlgorithm::kSha512:
      SHA512_Update(&state_->sha512, bytes.data(), bytes.size());
      break;
  }
}

std::string Hasher::Finish() {
  std::array<std::uint8_t, SHA512_DIGEST_LENGTH> bytes;
  std::size_t size = 0;
  switch (algorithm_) {
    case HashAlgorithm::kSha1:
      SHA1_Final(bytes.data(), &state_->sha1);
      size = SHA_DIGEST_LENGTH;
      break;
    case HashAlgorithm::kSha256:
      SHA256_Final(bytes.data(), &state_->sha256);
      size = SHA256_DIGEST_LENGTH;
      break;
    case HashAlgorithm::kSha384:
      SHA384_Final(bytes.data(), &state_->sha512);
      size = SHA384_DIGEST_LENGTH;
      break;
    case HashAlgorithm::kSha512:
      SHA512_Final(bytes.data(), &state_->sha512);
      size = SHA512_DIGEST_LENGTH;
      break;
  }
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::string HexOf(std::string_view bytes) {
  std::string out;
  AppendHexOf(out, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return out;
}

}  // namespace piship
