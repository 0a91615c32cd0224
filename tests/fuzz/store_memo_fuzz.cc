// SPDX-License-Identifier: MIT
// A memo's parts lie within its text and add up to it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "store/impl.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view rest(reinterpret_cast<const char*>(data), size);
  piship::MemoParts parts;
  piship::ParseMemo(rest, parts);
  // A fuzzer does not guess digests: the same text once more, with the right one before it.
  const std::string text = "piship-memo 1 " + piship::Digest::Of(rest).Hex() + "\n" + std::string(rest);
  if (!piship::ParseMemo(text, parts)) return 0;
  if (parts.kind.size() + parts.key.size() + parts.value.size() > rest.size()) std::abort();
  if (!rest.ends_with(std::string(parts.key) + std::string(parts.value))) std::abort();
  piship::MemoPath(parts.kind, parts.key);
  return 0;
}
