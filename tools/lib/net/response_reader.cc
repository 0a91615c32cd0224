// SPDX-License-Identifier: MIT
#include "net/response_reader.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace piship {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::uint32_t kHeaderLimit = 64 * 1024;
constexpr std::size_t kBufferLimit =
    std::size_t{2} * kHeaderLimit;  // a header that is not complete, with what came after it
constexpr int kMostInterimResponses = 8;

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool EqualNames(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (LowerCase(a[i]) != LowerCase(b[i])) return false;
  }
  return true;
}

class Parser final : public http::basic_parser<false> {
 public:
  Parser(ResponseReader::Request request, const ResponseReader::OnHead& on_head, const ResponseReader::OnBody& on_body)
      : on_head_(on_head), on_body_(on_body) {
    // What follows an answer to CONNECT belongs to the tunnel, whatever its header says (RFC 9110, section 9.3.6).
    skip(request == ResponseReader::Request::kConnect);
    header_limit(kHeaderLimit);
    body_limit(boost::none);
    eager(true);
  }

  bool interim() const { return head_.status >= 100 && head_.status < 200; }
  const ResponseHead& head() const { return head_; }
  std::uint64_t body_bytes() const { return body_bytes_; }
  // What a callback returned.
  std::optional<Error> callback_error;

 private:
  void on_request_impl(http::verb, beast::string_view, beast::string_view, int, beast::error_code&) override {}
  void on_response_impl(int status, beast::string_view, int, beast::error_code&) override { head_.status = status; }
  void on_field_impl(http::field, beast::string_view name, beast::string_view value, beast::error_code&) override {
    if (complete_) return;  // a trailer
    head_.headers.push_back({std::string(name), std::string(value)});
  }
  void on_header_impl(beast::error_code& error) override {
    complete_ = true;
    if (const auto length = content_length()) head_.content_length = *length;
    if (!interim()) Check(on_head_(head_), error);
  }
  void on_body_init_impl(const boost::optional<std::uint64_t>&, beast::error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, beast::error_code& error) override { return Take(body, error); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, beast::error_code& error) override {
    return Take(body, error);
  }
  void on_finish_impl(beast::error_code&) override {}

  std::size_t Take(beast::string_view body, beast::error_code& error) {
    body_bytes_ += body.size();
    Check(on_body_({body.data(), body.size()}), error);
    return body.size();
  }

  void Check(Status status, beast::error_code& error) {
    if (status) return;
    callback_error = std::move(status).error();
    error = http::error::body_limit;  // any error stops the parser
  }

  const ResponseReader::OnHead& on_head_;
  const ResponseReader::OnBody& on_body_;
  ResponseHead head_;
  bool complete_ = false;
  std::uint64_t body_bytes_ = 0;
};

}  // namespace

const std::string* ResponseHead::Find(std::string_view name) const {
  for (const HttpHeader& header : headers) {
    if (EqualNames(header.name, name)) return &header.value;
  }
  return nullptr;
}

struct ResponseReader::State {
  State(Request of, OnHead head, OnBody body) : request(of), on_head(std::move(head)), on_body(std::move(body)) {
    parser.emplace(request, on_head, on_body);
  }

  Status Translate(const beast::error_code& error) {
    if (parser->callback_error) return Fail(*std::move(parser->callback_error));
    if (error == http::error::partial_message || error == http::error::end_of_stream) {
      return Fail(ErrorCode::kNetworkFailed, parser->head().content_length
                                                 ? "the connection was closed after " +
                                                       std::to_string(parser->body_bytes()) + " of " +
                                                       std::to_string(*parser->head().content_length) + " bytes"
                                                 : "the connection was closed before the response was complete");
    }
    if (error == http::error::header_limit) return Fail(ErrorCode::kHttpFailed, "the response's header is over 64 KiB");
    return Fail(ErrorCode::kHttpFailed, "the response is not valid HTTP: " + error.message());
  }

  Request request;
  OnHead on_head;
  OnBody on_body;
  std::optional<Parser> parser;
  std::string buffer;
  int interim_responses = 0;
};

ResponseReader::ResponseReader(Request request, OnHead on_head, OnBody on_body)
    : state_(std::make_unique<State>(request, std::move(on_head), std::move(on_body))) {}
ResponseReader::~ResponseReader() = default;

Status ResponseReader::Feed(std::string_view bytes) {
  State& state = *state_;
  state.buffer.append(bytes);
  std::size_t used = 0;
  while (used < state.buffer.size() && !done()) {
    beast::error_code error;
    const std::size_t count =
        state.parser->put(boost::asio::const_buffer(state.buffer.data() + used, state.buffer.size() - used), error);
    used += count;
    if (error && error != http::error::need_more) return state.Translate(error);
    if (state.parser->is_done() && state.parser->interim()) {
      if (state.parser->head().status == 101 || ++state.interim_responses > kMostInterimResponses) {
        return Fail(ErrorCode::kHttpFailed, "the server answers with interim responses only");
      }
      state.parser.emplace(state.request, state.on_head, state.on_body);
      continue;
    }
    if (error == http::error::need_more || count == 0) break;
  }
  state.buffer.erase(0, used);
  if (!done() && state.buffer.size() > kBufferLimit) {
    return Fail(ErrorCode::kHttpFailed, "the response's header is over 64 KiB");
  }
  return {};
}

Status ResponseReader::FeedEnd() {
  State& state = *state_;
  if (done()) return {};
  beast::error_code error;
  if (!state.parser->got_some()) {
    error = http::error::end_of_stream;
  } else {
    state.parser->put_eof(error);
  }
  if (error) return state.Translate(error);
  if (!done()) return state.Translate(http::error::partial_message);
  return {};
}

bool ResponseReader::done() const { return state_->parser->is_done() && !state_->parser->interim(); }
bool ResponseReader::head_seen() const { return state_->parser->is_header_done() && !state_->parser->interim(); }
std::uint64_t ResponseReader::body_bytes() const { return state_->parser->body_bytes(); }
bool ResponseReader::reusable() const {
  return done() && state_->parser->keep_alive() && !state_->parser->need_eof() && state_->buffer.empty();
}
std::string_view ResponseReader::left_over() const { return state_->buffer; }

}  // namespace piship
