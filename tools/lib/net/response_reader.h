// SPDX-License-Identifier: MIT
// Reads one HTTP/1.1 response (RFC 9112) from bytes as they arrive. The only place that knows Boost.Beast, whose parser
// refuses contradictory lengths; what it leaves open is bounded here: 64 KiB of header, as much of a chunk's head,
// eight interim responses. Bodies are passed on as they came: no Content-Encoding is undone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace piship {

struct HttpHeader {
  std::string name;
  std::string value;
};

struct ResponseHead {
  int status = 0;
  std::vector<HttpHeader> headers;
  std::optional<std::uint64_t> content_length;

  // The first header of that name, in any case; null where there is none.
  const std::string* Find(std::string_view name) const;
};

class ResponseReader {
 public:
  enum class Request : std::uint8_t { kGet, kConnect };  // an answer to CONNECT is its header alone
  using OnHead = std::function<Status(const ResponseHead&)>;
  using OnBody = std::function<Status(std::string_view)>;

  ResponseReader(Request request, OnHead on_head, OnBody on_body);
  ~ResponseReader();

  // Takes the next bytes. A malformed response is kHttpFailed; an error of a callback comes back as it is. Once done,
  // further bytes are left over.
  Status Feed(std::string_view bytes);
  // The connection has closed: ends a body that has no length. kNetworkFailed if the response is not complete.
  Status FeedEnd();
  bool done() const;
  bool head_seen() const;
  std::uint64_t body_bytes() const;
  // The connection may carry another request: complete, not asked to close, and nothing left over.
  bool reusable() const;
  // Bytes that came after the end of the response.
  std::string_view left_over() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace piship
