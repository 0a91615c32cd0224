// SPDX-License-Identifier: MIT
// One request and its response over one connection.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "net/connection.h"
#include "net/http_client.h"

namespace piship {

struct ExchangeResult {
  ResponseHead head;
  std::uint64_t body_bytes = 0;
  std::string error_body;
  bool reusable = false;
};

// A connection that was kept may turn out to be closed before the response begins: then `stale` is set, and the request
// may be made again on a new one.
Result<ExchangeResult> Exchange(Connection& connection, const std::string& request_text, std::uint64_t body_limit,
                                const HttpTimeouts& timeouts, Deadline deadline, BodySink& sink, bool& stale);

// The text of a GET request. kInternal where a header would break out of its line.
Result<std::string> FormatRequest(const Connection& connection, const Url& url, const HttpRequest& request,
                                  std::string_view user_agent, std::string_view authorization);

}  // namespace piship
