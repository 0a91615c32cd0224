// SPDX-License-Identifier: MIT
#include "net/exchange.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace piship {
namespace {

constexpr std::size_t kReadSize = std::size_t{64} * 1024;
constexpr std::size_t kErrorBodyKept = 2048;
constexpr std::uint64_t kErrorBodyRead =
    std::uint64_t{64} * 1024;  // a longer one is not worth keeping the connection for

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

Status AppendHeader(std::string& text, std::string_view name, std::string_view value) {
  bool valid = !name.empty();
  for (const char c : name) valid = valid && IsTokenCharacter(c);
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    valid = valid && (byte == '\t' || (byte >= 0x20 && byte != 0x7f));
  }
  if (!valid) return Fail(ErrorCode::kInternal, "a request header '" + Printable(name) + "' holds a control character");
  text.append(name).append(": ").append(value).append("\r\n");
  return {};
}

// A body that drips: fewer than the agreed bytes within a window.
class Pace {
 public:
  explicit Pace(const HttpTimeouts& timeouts) : timeouts_(timeouts) {}
  // False where the window that has just ended was too slow.
  bool Count(std::size_t bytes) {
    count_ += bytes;
    if (!end_.Passed()) return true;
    const bool fast_enough = count_ >= timeouts_.slow_bytes;
    count_ = 0;
    end_ = Deadline::In(timeouts_.slow_window);
    return fast_enough;
  }

 private:
  const HttpTimeouts& timeouts_;
  std::uint64_t count_ = 0;
  Deadline end_ = Deadline::In(timeouts_.slow_window);
};

// Passes a response on: 2xx to the sink within the limit, the beginning of any other to `error_body`.
class Receiver {
 public:
  Receiver(std::uint64_t limit, BodySink& sink) : limit_(limit), sink_(sink) {}

  Status OnHead(const ResponseHead& head) {
    result.head = head;
    wanted_ = head.status >= 200 && head.status < 300;
    if (!wanted_) return {};
    if (head.content_length && *head.content_length > limit_) return Fail(TooLong());
    return sink_.Begin(head);
  }
  Status OnBody(std::string_view bytes) {
    result.body_bytes += bytes.size();
    if (!wanted_) {
      result.error_body.append(bytes.substr(0, kErrorBodyKept - result.error_body.size()));
      return {};
    }
    if (result.body_bytes > limit_) return Fail(TooLong());
    return sink_.Take(bytes);
  }
  // An error's body that goes on and on.
  bool Tired() const { return !wanted_ && result.body_bytes > kErrorBodyRead; }
  bool wanted() const { return wanted_; }
  ExchangeResult result;

 private:
  Error TooLong() const {
    return Error{ErrorCode::kLimitExceeded, "the response is longer than " + std::to_string(limit_) + " bytes"};
  }
  std::uint64_t limit_;
  BodySink& sink_;
  bool wanted_ = false;
};

}  // namespace

Result<std::string> FormatRequest(const Connection& connection, const Url& url, const HttpRequest& request,
                                  std::string_view user_agent, std::string_view authorization) {
  std::string text = "GET ";
  text += connection.absolute_form ? url.ToString() : url.path + url.query;
  text += " HTTP/1.1\r\n";
  PISHIP_CHECK(AppendHeader(text, "Host", url.Authority()));
  PISHIP_CHECK(AppendHeader(text, "User-Agent", user_agent));
  PISHIP_CHECK(AppendHeader(text, "Accept-Encoding", "identity"));
  PISHIP_CHECK(AppendHeader(text, "Connection", "keep-alive"));
  if (!authorization.empty()) PISHIP_CHECK(AppendHeader(text, "Authorization", authorization));
  if (connection.absolute_form && !connection.proxy_authorization.empty()) {
    PISHIP_CHECK(AppendHeader(text, "Proxy-Authorization", connection.proxy_authorization));
  }
  for (const HttpHeader& header : request.headers) PISHIP_CHECK(AppendHeader(text, header.name, header.value));
  text += "\r\n";
  return text;
}

Result<ExchangeResult> Exchange(Connection& connection, const std::string& request_text, std::uint64_t body_limit,
                                const HttpTimeouts& timeouts, Deadline deadline, BodySink& sink, bool& stale) {
  stale = false;
  Transport& transport = *connection.transport;
  if (auto written = transport.Write(request_text, Deadline::Earlier(deadline, Deadline::In(timeouts.idle)));
      !written) {
    stale = connection.reused;
    return Fail(std::move(written).error());
  }
  Receiver receiver(body_limit, sink);
  ResponseReader reader(
      ResponseReader::Request::kGet, [&](const ResponseHead& head) { return receiver.OnHead(head); },
      [&](std::string_view bytes) { return receiver.OnBody(bytes); });
  std::vector<char> buffer(kReadSize);
  std::optional<Pace> pace;
  bool anything = false;
  while (!reader.done() && !receiver.Tired()) {
    // A body that is silent for a whole window is too slow in any case.
    const auto patience = pace ? std::min(timeouts.idle, timeouts.slow_window) : timeouts.idle;
    const Deadline until = Deadline::Earlier(deadline, Deadline::In(patience));
    auto count = transport.Read(buffer.data(), buffer.size(), until);
    if (!count) {
      stale = connection.reused && !anything && !until.Passed();
      return Fail(std::move(count).error());
    }
    if (*count == 0) {
      stale = connection.reused && !anything;
      PISHIP_CHECK(reader.FeedEnd());
      continue;
    }
    anything = true;
    PISHIP_CHECK(reader.Feed({buffer.data(), *count}));
    if (!pace && reader.head_seen()) pace.emplace(timeouts);
    if (pace && !reader.done() && !pace->Count(*count)) {
      return Fail(ErrorCode::kNetworkFailed, "the server sends too slowly (under " +
                                                 std::to_string(timeouts.slow_bytes) + " bytes in " +
                                                 std::to_string(timeouts.slow_window.count()) + " ms)");
    }
    if (deadline.Passed() && !reader.done()) {
      return Fail(ErrorCode::kNetworkFailed, "the response takes longer than the time allowed in all");
    }
  }
  receiver.result.reusable = reader.reusable();
  return std::move(receiver.result);
}

}  // namespace piship
