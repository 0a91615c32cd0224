// SPDX-License-Identifier: MIT
// An HTTP/1.1 client for GET: TLS, proxies, redirects, kept connections, deadlines and retries, written once for all
// that this project fetches.
//
// Get blocks, and may be called from as many threads as requests shall be under way. Promises to every caller:
// - Authorization goes to the host that it was given for, never along a redirect to another one; https never leads to
// http.
// - Nothing is unbounded: header, body (the caller's limit), redirects, waiting for a connection, for an answer and for
//   the next byte, the whole, and a server that drips.
// - The body is passed on as it was sent; no Content-Encoding is undone.
// - A URL or a header can't add lines to a request.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/proxy.h"
#include "net/resolver.h"
#include "net/response_reader.h"
#include "net/tls.h"

namespace piship {

struct HttpTimeouts {
  std::chrono::milliseconds connect{30'000};   // address lookup excepted; with proxy and TLS
  std::chrono::milliseconds idle{300'000};     // for an answer to begin, and between two reads of it
  std::chrono::milliseconds total{3'600'000};  // one attempt, redirects included
  // A body that brings less than so many bytes within each such time is given up.
  std::chrono::milliseconds slow_window{60'000};
  std::uint64_t slow_bytes = std::uint64_t{60} * 1024;
};

// After failures that may pass (no or a broken connection, a truncated body, 408, 420, 429, 5xx) the request is made
// again: after `first` milliseconds, then each time `factor` times as many, at most `longest`; Retry-After is waited
// for if it is longer, at most `longest`.
struct HttpRetries {
  int count = 2;
  double factor = 10;
  std::chrono::milliseconds first{10'000};
  std::chrono::milliseconds longest{60'000};
};

// kSameOrigin: a redirect to another scheme, host or port is kHttpFailed.
enum class RedirectTo : std::uint8_t { kAnyHost, kSameOrigin };

struct HttpOptions {
  std::string user_agent = "piship";
  TlsSettings tls;
  ProxySettings proxies;
  HttpTimeouts timeouts;
  HttpRetries retries;
  int redirects = 20;  // as many as npm follows
  RedirectTo redirect_to = RedirectTo::kAnyHost;
};

struct HttpRequest {
  std::string url;
  std::string authorization;        // an Authorization header's value, or empty
  std::vector<HttpHeader> headers;  // besides Host, User-Agent, Accept-Encoding, Connection and Authorization
  std::uint64_t body_limit = 0;     // bytes; more of them are kLimitExceeded
};

// Receives the body of a response whose status is 2xx.
class BodySink {
 public:
  virtual ~BodySink() = default;
  // A body begins: at first, and again when a broken one is fetched anew, which discards what came before.
  virtual Status Begin(const ResponseHead& head) = 0;
  virtual Status Take(std::string_view bytes) = 0;
};

struct HttpResponse {
  ResponseHead head;
  std::string url;  // that answered, after redirects; without user information
  std::uint64_t body_bytes = 0;
  std::string error_body;                 // the beginning of the body where the status is not 2xx
  bool redirected_to_other_host = false;  // so that the request went without its Authorization
};

class HttpClient {
 public:
  // The resolver is chosen by the caller's code, so that a fully static program does not link the C library's.
  explicit HttpClient(HttpOptions options, std::shared_ptr<Resolver> resolver = SystemResolver());
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Any complete response is a success, whatever its status. Errors: kUrlInvalid, kHostUnknown, kNetworkFailed,
  // kTlsFailed, kHttpFailed (not HTTP, or a redirect that is refused), kAuthenticationFailed (of a proxy),
  // kLimitExceeded, and those of the sink. The message names the URL.
  Result<HttpResponse> Get(const HttpRequest& request, BodySink& sink);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "Basic <base64 of user:password>".
std::string BasicAuthorization(std::string_view user, std::string_view password);

// Keeps a body in memory.
class StringSink : public BodySink {
 public:
  Status Begin(const ResponseHead&) override {
    body.clear();
    return {};
  }
  Status Take(std::string_view bytes) override {
    body.append(bytes);
    return {};
  }
  std::string body;
};

}  // namespace piship
