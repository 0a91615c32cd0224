// SPDX-License-Identifier: MIT
// Three rounds, each a function: Get repeats what may pass, Attempt follows redirects, Hop makes one exchange on a
// pooled connection.
#include "net/http_client.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <thread>

#include "net/connection.h"
#include "net/exchange.h"

namespace piship {
namespace {

bool IsRedirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// As npm has it: what a server says when it may answer better later.
bool MayPass(int status) { return status == 408 || status == 420 || status == 429 || status >= 500; }

// Seconds of a Retry-After header; its other form, a date, needs the clocks of two machines to agree and is not used.
std::chrono::milliseconds RetryAfter(const ResponseHead& head) {
  const std::string* value = head.Find("Retry-After");
  std::uint32_t seconds = 0;
  if (value == nullptr) return std::chrono::milliseconds(0);
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), seconds);
  if (error != std::errc() || end != value->data() + value->size()) return std::chrono::milliseconds(0);
  return std::chrono::milliseconds(std::int64_t{seconds} * 1000);
}

std::chrono::milliseconds Backoff(const HttpRetries& retries, int attempt) {
  const double longest = static_cast<double>(retries.longest.count());
  const double wait = static_cast<double>(retries.first.count()) * std::pow(retries.factor, attempt);
  return std::chrono::milliseconds(static_cast<std::int64_t>(std::clamp(wait, 0.0, longest)));
}

// Credentials stay with their host: same origin, or the same host once it moves from http to https on the usual ports.
bool KeepsAuthorization(const Url& from, const Url& to) {
  const bool upgraded = from.host == to.host && from.port == 80 && !from.secure() && to.port == 443 && to.secure();
  return from.SameOrigin(to) || upgraded;
}

}  // namespace

struct HttpClient::State {
  State(HttpOptions given, std::shared_ptr<Resolver> resolver)
      : options(std::move(given)), pool(std::move(resolver), options.tls, options.proxies) {}

  Result<HttpResponse> Attempt(const Url& start, const HttpRequest& request, BodySink& sink);
  Result<ExchangeResult> Hop(const Url& url, const HttpRequest& request, std::string_view authorization,
                             Deadline deadline, BodySink& sink);

  HttpOptions options;
  ConnectionPool pool;
};

Result<ExchangeResult> HttpClient::State::Hop(const Url& url, const HttpRequest& request,
                                              std::string_view authorization, Deadline deadline, BodySink& sink) {
  const auto connect_deadline = [&] { return Deadline::Earlier(deadline, Deadline::In(options.timeouts.connect)); };
  PISHIP_TRY(Connection connection, pool.Take(url, connect_deadline()));
  PISHIP_TRY(const std::string text, FormatRequest(connection, url, request, options.user_agent, authorization));
  bool stale = false;
  auto result = Exchange(connection, text, request.body_limit, options.timeouts, deadline, sink, stale);
  if (!result && stale) {
    PISHIP_TRY(connection, pool.Open(url, connect_deadline()));
    result = Exchange(connection, text, request.body_limit, options.timeouts, deadline, sink, stale);
  }
  if (result && result->reusable) pool.Return(url, std::move(connection));
  return result;
}

Result<HttpResponse> HttpClient::State::Attempt(const Url& start, const HttpRequest& request, BodySink& sink) {
  const Deadline deadline = Deadline::In(options.timeouts.total);
  Url url = start;
  std::string authorization = request.authorization;
  bool other_host = false;
  for (int hop = 0;; ++hop) {
    auto result = Hop(url, request, authorization, deadline, sink);
    if (!result) return Fail(std::move(result).error().While("fetching " + Printable(url.ToString())));
    const std::string* location = result->head.Find("Location");
    if (!IsRedirect(result->head.status) || location == nullptr) {
      return HttpResponse{std::move(result->head), url.ToString(), result->body_bytes, std::move(result->error_body),
                          other_host};
    }
    if (hop == options.redirects) {
      return Fail(ErrorCode::kHttpFailed, "GET " + Printable(start.ToString()) + " is redirected more than " +
                                              std::to_string(options.redirects) + " times");
    }
    auto next = url.Resolve(*location);
    if (!next) return Fail(std::move(next).error().While("following a redirect of " + Printable(url.ToString())));
    if (url.secure() && !next->secure()) {
      return Fail(ErrorCode::kHttpFailed,
                  "GET " + Printable(url.ToString()) + " is redirected from https to " + Printable(next->ToString()),
                  "The server must not lead to an unprotected place.");
    }
    if (options.redirect_to == RedirectTo::kSameOrigin && !start.SameOrigin(*next)) {
      return Fail(ErrorCode::kHttpFailed, "GET " + Printable(start.ToString()) + " is redirected to another place, " +
                                              Printable(next->ToString()));
    }
    if (!KeepsAuthorization(url, *next)) {
      authorization.clear();
      other_host = true;
    }
    url = *std::move(next);
  }
}

HttpClient::HttpClient(HttpOptions options, std::shared_ptr<Resolver> resolver)
    : state_(std::make_unique<State>(std::move(options), std::move(resolver))) {}
HttpClient::~HttpClient() = default;

Result<HttpResponse> HttpClient::Get(const HttpRequest& request, BodySink& sink) {
  PISHIP_TRY(const Url url, Url::Parse(request.url));
  const HttpRetries& retries = state_->options.retries;
  for (int attempt = 0;; ++attempt) {
    auto response = state_->Attempt(url, request, sink);
    const bool again = response ? MayPass(response->head.status) : response.error().code == ErrorCode::kNetworkFailed;
    if (!again || attempt >= retries.count) {
      if (!response && attempt > 0)
        return Fail(std::move(response).error().While("attempt " + std::to_string(attempt + 1)));
      return response;
    }
    std::chrono::milliseconds wait = Backoff(retries, attempt);
    if (response) wait = std::max(wait, std::min(RetryAfter(response->head), retries.longest));
    std::this_thread::sleep_for(wait);
  }
}

}  // namespace piship
