// SPDX-License-Identifier: MIT
// A URL's normal form is a fixed point and fits into a request line; so does whatever a redirect makes of it. A line
// feed in the input parts the URL from the reference.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "net/url.h"

using piship::Url;

namespace {

void CheckNormal(const Url& url) {
  const std::string text = url.ToString();
  for (const char c : text) {
    if (static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f) std::abort();
  }
  const auto again = Url::Parse(text);
  if (!again) {
    if (text.size() > 8192) return;  // percent-encoding has made it too long
    std::abort();
  }
  if (again->ToString() != text || !again->SameOrigin(url)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  const auto url = Url::Parse(text.substr(0, end));
  if (!url) return 0;
  CheckNormal(*url);
  if (end == std::string_view::npos) return 0;
  const auto resolved = url->Resolve(text.substr(end + 1));
  if (!resolved) return 0;
  if (!resolved->user.empty() || !resolved->password.empty()) std::abort();
  CheckNormal(*resolved);
  return 0;
}
