// SPDX-License-Identifier: MIT
// Servers and networks that fail, drip, stall, lie and never end (reference numbers T30 to T34 of the attack list).
#include <atomic>

#include "net/http_client.h"
#include "unit/net/client_fixture.h"

namespace piship {
namespace {

using Clock = std::chrono::steady_clock;
// Less than any of the waits that must not be waited for, and more than a busy machine needs.
constexpr Milliseconds kFarBelow{15'000};

// Answers the first `count` requests with `bad`, and all later ones with a good body.
HttpServer::Handler BadThenGood(int count, std::function<AfterAnswer(ServerStream&)> bad) {
  auto left = std::make_shared<std::atomic<int>>(count);
  return [left, bad = std::move(bad)](const ServerRequest&, ServerStream& stream) {
    if ((*left)-- > 0) return bad(stream);
    stream.Respond(200, "good");
    return AfterAnswer::kKeepOpen;
  };
}

TEST(HttpFaults, ServerErrorsAreTriedAgain) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    HttpServer server(BadThenGood(2, [&](ServerStream& stream) {
      stream.Respond(status, "later");
      return AfterAnswer::kKeepOpen;
    }));
    HttpClient client(QuickRetries());
    CollectingSink sink;
    const auto response = client.Get(RequestFor(server.url()), sink);
    PISHIP_ASSERT_OK(response);
    EXPECT_EQ(response->head.status, 200);
    EXPECT_EQ(sink.body, "good");
    EXPECT_EQ(server.requests().size(), 3U);
  }
}

TEST(HttpFaults, TheLastServerErrorIsTheAnswer) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(503, "down");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_ASSERT_OK(response);
  EXPECT_EQ(response->head.status, 503);
  EXPECT_EQ(response->error_body, "down");
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpFaults, ClientErrorsAreNotTriedAgain) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(403, "no");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpFaults, RetryAfterIsWaitedForUpToTheLongest) {
  const auto time_with = [](std::string_view value, Milliseconds longest) {
    HttpServer server(BadThenGood(1, [&](ServerStream& stream) {
      stream.Respond(429, "", "Retry-After: " + std::string(value) + "\r\n");
      return AfterAnswer::kKeepOpen;
    }));
    HttpOptions options = QuickRetries();
    options.retries.longest = longest;
    HttpClient client(options);
    CollectingSink sink;
    const auto start = Clock::now();
    EXPECT_TRUE(client.Get(RequestFor(server.url()), sink));
    EXPECT_EQ(sink.body, "good");
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start);
  };
  EXPECT_GE(time_with("1", Milliseconds(5000)), Milliseconds(1000));
  EXPECT_LT(time_with("3600", Milliseconds(100)), kFarBelow);
  EXPECT_GE(time_with("3600", Milliseconds(100)), Milliseconds(100));
  EXPECT_LT(time_with("Fri, 31 Dec 2999 23:59:59 GMT", Milliseconds(60'000)), kFarBelow);
}

TEST(HttpFaults, WaitsGrow) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(500, "");
    return AfterAnswer::kKeepOpen;
  });
  HttpOptions options = QuickRetries();
  options.retries = {3, 10, Milliseconds(10), Milliseconds(150)};
  HttpClient client(options);
  CollectingSink sink;
  const auto start = Clock::now();
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_GE(Clock::now() - start, Milliseconds(10 + 100 + 150));
  EXPECT_EQ(server.requests().size(), 4U);
}

TEST(HttpFaults, T31ATruncatedBodyIsFetchedAnew) {
  HttpServer server(BadThenGood(2, [](ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
    return AfterAnswer::kClose;
  }));
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_EQ(sink.body, "good");
  EXPECT_EQ(sink.begun, 3);
}

TEST(HttpFaults, ATruncatedBodySaysHowMuchCame) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this");
    return AfterAnswer::kClose;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_EXPECT_ERROR(response, ErrorCode::kNetworkFailed);
  EXPECT_NE(response.error().message.find("after 9 of 100 bytes"), std::string::npos) << response.error().message;
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpFaults, T30AnAnnouncedLengthOverTheLimitIsRefusedAtOnce) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n");
    stream.Sleep(Milliseconds(5000));
    return AfterAnswer::kClose;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kLimitExceeded);
  EXPECT_EQ(sink.begun, 0);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpFaults, T30AndT31AnEndlessBodyStopsAtTheLimit) {
  for (const bool chunked : {false, true}) {
    HttpServer server([&](const ServerRequest&, ServerStream& stream) {
      stream.Send(chunked ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" : "HTTP/1.1 200 OK\r\n\r\n");
      const std::string piece = chunked ? "400\r\n" + std::string(1024, 'x') + "\r\n" : std::string(1024, 'x');
      while (stream.Send(piece)) {
      }
      return AfterAnswer::kClose;
    });
    HttpClient client(QuickRetries());
    CollectingSink sink;
    PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kLimitExceeded);
    EXPECT_LE(sink.body.size(), 1'000'000U);
    EXPECT_EQ(server.requests().size(), 1U);
  }
}

TEST(HttpFaults, AnEndlessErrorBodyIsNotReadToItsEnd) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 404 No\r\n\r\n");
    const std::string piece(1024, 'x');
    while (stream.Send(piece)) {
    }
    return AfterAnswer::kClose;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_ASSERT_OK(response);
  EXPECT_EQ(response->head.status, 404);
}

TEST(HttpFaults, ABodyOfExactlyTheLimitIsFine) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, std::string(1000, 'x'));
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  HttpRequest request = RequestFor(server.url());
  request.body_limit = 1000;
  PISHIP_ASSERT_OK(client.Get(request, sink));
  request.body_limit = 999;
  PISHIP_EXPECT_ERROR(client.Get(request, sink), ErrorCode::kLimitExceeded);
}

TEST(HttpFaults, AnEndlessHeaderIsRefused) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\n");
    while (stream.Send("X-Padding: " + std::string(1000, 'x') + "\r\n")) {
    }
    return AfterAnswer::kClose;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kHttpFailed);
}

TEST(HttpFaults, T33NoContentEncodingIsUndone) {
  const std::string body("\x1f\x8b\x08\0not really", 14);
  HttpServer server([&](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, body, "Content-Encoding: gzip\r\n");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_EQ(sink.body, body);
}

// The time limits, with a server that is alive all the while.
TEST(HttpFaults, T34AServerThatNeverAnswersIsGivenUp) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Sleep(Milliseconds(20'000));
    return AfterAnswer::kClose;
  });
  HttpOptions options = ShortTimes();
  options.retries.count = 1;
  HttpClient client(options);
  CollectingSink sink;
  const auto start = Clock::now();
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_EXPECT_ERROR(response, ErrorCode::kNetworkFailed);
  EXPECT_NE(response.error().message.find("timed out"), std::string::npos);
  EXPECT_LT(Clock::now() - start, kFarBelow);
  EXPECT_EQ(server.requests().size(), 2U);
}

TEST(HttpFaults, T34AStallNearTheEndIsGivenUp) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + std::string(99, 'x'));
    stream.Sleep(Milliseconds(20'000));
    return AfterAnswer::kClose;
  });
  HttpOptions options = ShortTimes();
  options.retries.count = 0;
  HttpClient client(options);
  CollectingSink sink;
  const auto start = Clock::now();
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kNetworkFailed);
  EXPECT_LT(Clock::now() - start, kFarBelow);
}

TEST(HttpFaults, T34ADrippingBodyIsGivenUp) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    while (stream.Send("x") && stream.Sleep(Milliseconds(10))) {
    }
    return AfterAnswer::kClose;
  });
  HttpOptions options = ShortTimes();
  options.retries.count = 0;
  HttpClient client(options);
  CollectingSink sink;
  const auto start = Clock::now();
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_EXPECT_ERROR(response, ErrorCode::kNetworkFailed);
  EXPECT_NE(response.error().message.find("too slowly"), std::string::npos) << response.error().message;
  EXPECT_LT(Clock::now() - start, kFarBelow);
}

TEST(HttpFaults, ASlowButSteadyBodyIsFine) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 2500\r\n\r\n");
    for (int i = 0; i < 25; ++i) {
      stream.Sleep(Milliseconds(100));
      stream.Send(std::string(100, 'x'));
    }
    return AfterAnswer::kKeepOpen;
  });
  // The whole takes longer than each of these, no part of it does.
  HttpOptions options = ShortTimes();
  options.timeouts.idle = Milliseconds(2000);
  options.timeouts.slow_window = Milliseconds(2000);
  options.timeouts.total = Milliseconds(60'000);
  HttpClient client(options);
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_EQ(sink.body.size(), 2500U);
  EXPECT_EQ(sink.begun, 1);
}

TEST(HttpFaults, TheWholeIsBoundedToo) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    while (stream.Send(std::string(100, 'x')) && stream.Sleep(Milliseconds(20))) {
    }
    return AfterAnswer::kClose;
  });
  HttpOptions options = ShortTimes();
  options.timeouts.total = Milliseconds(600);
  options.retries.count = 0;
  HttpClient client(options);
  CollectingSink sink;
  const auto start = Clock::now();
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kNetworkFailed);
  EXPECT_GE(Clock::now() - start, Milliseconds(500));
  EXPECT_LT(Clock::now() - start, kFarBelow);
}

TEST(HttpFaults, NobodyListensIsTriedAgainAndReported) {
  std::uint16_t port = 0;
  {
    HttpServer gone([](const ServerRequest&, ServerStream&) { return AfterAnswer::kClose; });
    port = gone.port();
  }
  HttpClient client(QuickRetries());
  CollectingSink sink;
  const auto response = client.Get(RequestFor("http://127.0.0.1:" + std::to_string(port) + "/"), sink);
  PISHIP_EXPECT_ERROR(response, ErrorCode::kNetworkFailed);
  EXPECT_NE(response.error().message.find("127.0.0.1:" + std::to_string(port)), std::string::npos);
}

TEST(HttpFaults, ASinkThatFailsEndsItWithItsError) {
  class FullDisk : public BodySink {
   public:
    Status Begin(const ResponseHead&) override { return {}; }
    Status Take(std::string_view) override { return Fail(ErrorCode::kDiskFull, "full"); }
  };
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "x");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  FullDisk sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kDiskFull);
  EXPECT_EQ(server.requests().size(), 1U);
}

}  // namespace
}  // namespace piship
