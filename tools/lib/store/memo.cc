// SPDX-License-Identifier: MIT
// A memo's text proves itself: the first line holds the SHA-256 of all that follows it, and the key lies beside the
// value, so a memo that is damaged, cut off or lies at another key's place is none.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "store/impl.h"

namespace piship {
namespace {

constexpr std::string_view kMemoStart = "piship-memo 1 ";
constexpr std::size_t kMemoLimit = std::size_t{256} << 20;

bool TakeNumber(std::string_view& text, char end, std::size_t& number) {
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop == text.data() + text.size() || *stop != end) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  return true;
}

bool IsKind(std::string_view kind) {
  return !kind.empty() && kind.size() <= 64 && std::all_of(kind.begin(), kind.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
}

}  // namespace

std::string MemoPath(std::string_view kind, std::string_view key) {
  std::string path = "memos/";
  path += kind;
  path += '/';
  const std::string hex = Digest::Of(key).Hex();
  path.append(hex, 0, 2);
  path += '/';
  path.append(hex, 2);
  return path;
}

bool ParseMemo(std::string_view text, MemoParts& parts) {
  if (!text.starts_with(kMemoStart)) return false;
  text.remove_prefix(kMemoStart.size());
  Digest digest;
  if (text.size() < Digest::kHexSize + 1 || text[Digest::kHexSize] != '\n') return false;
  if (!Digest::Decode(text.substr(0, Digest::kHexSize), digest)) return false;
  text.remove_prefix(Digest::kHexSize + 1);
  if (Digest::Of(text) != digest) return false;
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return false;
  parts.kind = text.substr(0, space);
  text.remove_prefix(space + 1);
  std::size_t key_size = 0;
  std::size_t value_size = 0;
  if (!IsKind(parts.kind) || !TakeNumber(text, ' ', key_size) || !TakeNumber(text, '\n', value_size)) return false;
  if (key_size > text.size() || value_size != text.size() - key_size) return false;
  parts.key = text.substr(0, key_size);
  parts.value = text.substr(key_size);
  return true;
}

std::optional<std::string> Store::Recall(std::string_view kind, std::string_view key) const {
  const std::string path = MemoPath(kind, key);
  const auto held = impl_->Root();
  const UniqueFd fd(openat(held->get(), path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!fd.valid() || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  auto text = ReadAll(fd.get(), path, kMemoLimit);
  MemoParts parts;
  if (!text || !ParseMemo(*text, parts) || parts.kind != kind || parts.key != key) return std::nullopt;
  if (IsStale(status)) MarkUsed(held->get(), path.c_str());
  text->erase(0, text->size() - parts.value.size());
  return *std::move(text);
}

Status Store::Remember(std::string_view kind, std::string_view key, std::string_view value) const {
  if (!IsKind(kind)) return Fail(ErrorCode::kInternal, "'" + std::string(kind) + "' is no kind of memo");
  std::string rest(kind);
  rest += ' ' + std::to_string(key.size()) + ' ' + std::to_string(value.size()) + '\n';
  rest += key;
  rest += value;
  if (rest.size() > kMemoLimit / 2) {
    return Fail(ErrorCode::kLimitExceeded, "a memo of " + std::to_string(rest.size()) + " bytes is too large");
  }
  std::string text(kMemoStart);
  Digest::Of(rest).AppendHex(text);
  text += '\n';
  text += rest;
  return impl_->Write(MemoPath(kind, key), text);
}

}  // namespace piship
