// SPDX-License-Identifier: MIT
#include "vendor/package.h"

#include <charconv>

#include "base/digest.h"
#include "base/utf8.h"

namespace piship {
namespace {

constexpr std::string_view kFirstLine = "piship-package 1\n";
// Raise this whenever the same tarball would become something else.
constexpr std::string_view kRules = "1 ";
constexpr std::size_t kLookedAt = 2048;  // npm decides by these first bytes

// Takes the text up to `end` off the front.
std::optional<std::string_view> Take(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

bool TakeContent(std::string_view& line, Digest& digest, std::uint64_t& size) {
  const auto hex = Take(line, ' ');
  const auto number = hex ? Take(line, ' ') : std::nullopt;
  if (!number || !Digest::Decode(*hex, digest)) return false;
  const auto [end, error] = std::from_chars(number->data(), number->data() + number->size(), size);
  return error == std::errc() && end == number->data() + number->size();
}

// A character that is not UTF-8 becomes U+FFFD, as in every text that npm reads and writes again. A truncated sequence
// counts once, a byte that can begin none counts alone (the WHATWG's rule for decoders).
std::string ReplaceInvalidUtf8(std::string_view text) {
  if (IsValidUtf8(text)) return std::string(text);
  std::string out;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  while (!text.empty()) {
    const Utf8Character character = DecodeUtf8(text);
    std::size_t length = character.length;
    if (character.valid) {
      out += text.substr(0, length);
    } else {
      const unsigned lead = byte(0);
      const unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
      const unsigned high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
      const std::size_t wanted = lead >= 0xf0 && lead <= 0xf4  ? 4
                                 : lead >= 0xe0 && lead < 0xf0 ? 3
                                 : lead >= 0xc2 && lead < 0xe0 ? 2
                                                               : 1;
      length = 1;
      if (wanted > 1 && byte(1) >= low && byte(1) <= high) {
        length = 2;
        while (length < wanted - 1 && (byte(length) & 0xc0U) == 0x80U) ++length;
      }
      AppendUtf8(out, 0xfffd);
    }
    text.remove_prefix(std::min(length, text.size()));
  }
  return out;
}

}  // namespace

std::optional<std::string> WithUnixFirstLine(std::string_view content) {
  if (!content.starts_with("#!")) return std::nullopt;
  const std::string_view seen = content.substr(0, kLookedAt);
  const std::size_t end = seen.find('\n');
  // "#!", at least one more character, then a carriage return before the first line feed.
  if (end == std::string_view::npos || end < 4 || content[end - 1] != '\r') return std::nullopt;
  std::string out(content.substr(0, end - 1));
  out += content.substr(end);
  return ReplaceInvalidUtf8(out);
}

std::string PackageKey(std::string_view canonical_integrity) {
  return std::string(kRules) + std::string(canonical_integrity);
}

// One line per fact: "f <sha256> <size> <x|-> <path>", "u <sha256> <size> <path>", "s <reason>\t<path>".
std::string Package::Text() const {
  std::string text(kFirstLine);
  for (const InventoryEntry& file : files) {
    text += "f ";
    file.digest.AppendHex(text);
    text +=
        " " + std::to_string(file.size) + (file.mode == FileMode::kExecutable ? " x " : " - ") + file.path.str() + "\n";
  }
  for (const UnixScript& script : scripts) {
    text += "u ";
    script.digest.AppendHex(text);
    text += " " + std::to_string(script.size) + " " + script.path.str() + "\n";
  }
  for (const SkippedEntry& entry : skipped) text += "s " + entry.reason + "\t" + entry.path + "\n";
  return text;
}

std::optional<Package> Package::Parse(std::string_view text) {
  if (!text.starts_with(kFirstLine)) return std::nullopt;
  text.remove_prefix(kFirstLine.size());
  Package package;
  while (!text.empty()) {
    auto line = Take(text, '\n');
    if (!line || line->size() < 2 || (*line)[1] != ' ') return std::nullopt;
    const char kind = (*line)[0];
    line->remove_prefix(2);
    if (kind == 's') {
      const auto reason = Take(*line, '\t');
      if (!reason) return std::nullopt;
      package.skipped.push_back({std::string(*line), std::string(*reason)});
      continue;
    }
    Digest digest;
    std::uint64_t size = 0;
    if (!TakeContent(*line, digest, size)) return std::nullopt;
    FileMode mode = FileMode::kPlain;
    if (kind == 'f') {
      const auto flag = Take(*line, ' ');
      if (!flag || (*flag != "x" && *flag != "-")) return std::nullopt;
      mode = *flag == "x" ? FileMode::kExecutable : FileMode::kPlain;
    }
    auto path = RelativePath::Parse(*line);
    if (!path) return std::nullopt;
    if (kind == 'f') {
      package.files.push_back({digest, size, mode, *std::move(path)});
    } else if (kind == 'u') {
      package.scripts.push_back({*std::move(path), digest, size});
    } else {
      return std::nullopt;
    }
  }
  return package;
}

Result<Package> UnpackPackage(std::string_view tarball, std::string_view name, const Store& store) {
  PISHIP_TRY(const Tarball contents, ReadTarball(tarball, name));
  Package package;
  package.skipped = contents.skipped;
  package.files.reserve(contents.files.size());
  for (const TarballFile& file : contents.files) {
    PISHIP_TRY(const Digest digest, store.Put(file.bytes));
    package.files.push_back({digest, file.bytes.size(), file.mode, file.path});
    if (const auto script = WithUnixFirstLine(file.bytes)) {
      PISHIP_TRY(const Digest script_digest, store.Put(*script));
      package.scripts.push_back({file.path, script_digest, script->size()});
    }
  }
  return package;
}

}  // namespace piship
