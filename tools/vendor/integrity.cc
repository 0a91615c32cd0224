// SPDX-License-Identifier: MIT
#include "vendor/integrity.h"

#include <algorithm>
#include <optional>

namespace piship {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct Algorithm {
  HashAlgorithm value;
  std::string_view name;
  std::size_t size;  // bytes of a digest
};
constexpr Algorithm kAlgorithms[] = {
    {HashAlgorithm::kSha1, "sha1", 20},
    {HashAlgorithm::kSha256, "sha256", 32},
    {HashAlgorithm::kSha384, "sha384", 48},
    {HashAlgorithm::kSha512, "sha512", 64},
};

const Algorithm* FindAlgorithm(std::string_view name) {
  for (const Algorithm& algorithm : kAlgorithms) {
    if (algorithm.name == name) return &algorithm;
  }
  return nullptr;
}

// Strict: the one spelling that encoding gives, so that one digest has one text.
std::optional<std::string> DecodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const std::size_t digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>((bits >> static_cast<unsigned>(count)) & 0xffU));
    }
  }
  const std::uint32_t rest = bits & ((1U << static_cast<unsigned>(count)) - 1U);
  if (rest != 0) return std::nullopt;
  return bytes;
}

std::string EncodeBase64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8U) | (i < group.size() ? static_cast<std::uint8_t>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text.push_back(i <= group.size() ? kAlphabet[(bits >> (18 - 6 * i)) & 63U] : '=');
    }
  }
  return text;
}

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }

Error Malformed(std::string_view text, std::string_view why) {
  return Error{ErrorCode::kLockfileInvalid, "integrity '" + Printable(text.substr(0, 200)) + "' " + std::string(why),
               "Write the lock again with npm."};
}

}  // namespace

std::string_view HashAlgorithmName(HashAlgorithm algorithm) {
  return kAlgorithms[static_cast<std::size_t>(algorithm)].name;
}

Result<Integrity> Integrity::Parse(std::string_view text) {
  const Algorithm* best = nullptr;
  Integrity result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (IsSpace(text[at])) {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && !IsSpace(text[end])) ++end;
    std::string_view item = text.substr(at, end - at);
    at = end;
    item = item.substr(0, item.find('?'));
    const std::size_t dash = item.find('-');
    if (dash == std::string_view::npos) return Fail(Malformed(text, "is not <algorithm>-<base64>"));
    const Algorithm* algorithm = FindAlgorithm(item.substr(0, dash));
    if (algorithm == nullptr) continue;
    std::optional<std::string> digest = DecodeBase64(item.substr(dash + 1));
    if (!digest || digest->size() != algorithm->size) {
      return Fail(Malformed(text, "holds a malformed " + std::string(algorithm->name) + " digest"));
    }
    if (best == nullptr || algorithm > best) {
      best = algorithm;
      result.digests_.clear();
    }
    if (algorithm == best && !result.Matches(*digest)) result.digests_.push_back(*std::move(digest));
  }
  if (best == nullptr) return Fail(Malformed(text, "has no sha512, sha384, sha256 or sha1 digest"));
  result.algorithm_ = best->value;
  return result;
}

bool Integrity::Matches(std::string_view raw_digest) const {
  return std::find(digests_.begin(), digests_.end(), raw_digest) != digests_.end();
}

std::string Integrity::Canonical() const {
  std::string text;
  for (const std::string& digest : digests_) {
    if (!text.empty()) text += ' ';
    text += FormatIntegrity(algorithm_, digest);
  }
  return text;
}

std::string FormatIntegrity(HashAlgorithm algorithm, std::string_view raw_digest) {
  return std::string(HashAlgorithmName(algorithm)) + "-" + EncodeBase64(raw_digest);
}

}  // namespace piship
