// SPDX-License-Identifier: MIT
// What a healthy server sees, redirects, and credentials.
#include "net/http_client.h"

#include <atomic>
#include <thread>

#include "unit/net/client_fixture.h"

namespace piship {
namespace {

TEST(HttpClient, DeliversABodyAndReusesTheConnection) {
  HttpServer server([](const ServerRequest& request, ServerStream& stream) {
    stream.Respond(200, "body of " + request.target);
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  for (const std::string path : {"/one", "/two?x=1", "/three"}) {
    CollectingSink sink;
    const auto response = client.Get(RequestFor(server.url() + path), sink);
    PISHIP_ASSERT_OK(response);
    EXPECT_EQ(response->head.status, 200);
    EXPECT_EQ(sink.body, "body of " + path);
    EXPECT_EQ(response->body_bytes, sink.body.size());
  }
  EXPECT_EQ(server.connections(), 1);
  const ServerRequest request = server.requests()[0];
  EXPECT_EQ(request.Header("Host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(request.Header("Accept-Encoding"), "identity");
  EXPECT_EQ(request.Header("Authorization"), "");
}

TEST(HttpClient, ReadsChunkedBodies) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 3; ++i) stream.Send("4\r\nabcd\r\n");
    stream.Send("0\r\n\r\n");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  EXPECT_EQ(sink.body, "abcdabcdabcd");
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, AKeptConnectionThatTheServerClosedIsReplaced) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "x");
    return AfterAnswer::kClose;  // without saying so
  });
  HttpOptions options = QuickRetries();
  options.retries.count = 0;
  HttpClient client(options);
  for (int i = 0; i < 5; ++i) {
    CollectingSink sink;
    PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  }
  EXPECT_EQ(server.requests().size(), 5U);
}

TEST(HttpClient, SeveralThreadsShareIt) {
  HttpServer server([](const ServerRequest& request, ServerStream& stream) {
    stream.Respond(200, request.target);
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string path = "/" + std::to_string(t) + "-" + std::to_string(i);
        CollectingSink sink;
        if (client.Get(RequestFor(server.url() + path), sink) && sink.body == path) ++good;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, 100);
  EXPECT_LE(server.connections(), 4);
}

TEST(HttpClient, StatusesAreAnswersAndKeepTheBeginningOfTheirText) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(404, "{\"error\":\"not found\"}" + std::string(10000, ' '));
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  const auto response = client.Get(RequestFor(server.url()), sink);
  PISHIP_ASSERT_OK(response);
  EXPECT_EQ(response->head.status, 404);
  EXPECT_EQ(response->error_body.substr(0, 21), "{\"error\":\"not found\"}");
  EXPECT_EQ(response->error_body.size(), 2048U);
  EXPECT_EQ(sink.begun, 0);
  EXPECT_EQ(server.requests().size(), 1U);
}

TEST(HttpClient, CredentialsFollowARedirectOnTheSameHost) {
  HttpServer server([](const ServerRequest& request, ServerStream& stream) {
    if (request.target == "/start") {
      stream.Respond(302, "moved", "Location: /end\r\n");
    } else {
      stream.Respond(200, "end");
    }
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  HttpRequest request = RequestFor(server.url() + "/start");
  request.authorization = "Bearer secret";
  CollectingSink sink;
  const auto response = client.Get(request, sink);
  PISHIP_ASSERT_OK(response);
  EXPECT_EQ(response->url, server.url() + "/end");
  EXPECT_FALSE(response->redirected_to_other_host);
  ASSERT_EQ(server.requests().size(), 2U);
  EXPECT_EQ(server.requests()[1].Header("Authorization"), "Bearer secret");
}

TEST(HttpClient, T38CredentialsStayBehindOnARedirectToAnotherHost) {
  HttpServer other([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "elsewhere");
    return AfterAnswer::kKeepOpen;
  });
  HttpServer server([&](const ServerRequest&, ServerStream& stream) {
    stream.Respond(307, "", "Location: " + other.url() + "/x\r\n");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  HttpRequest request = RequestFor(server.url());
  request.authorization = "Bearer secret";
  CollectingSink sink;
  const auto response = client.Get(request, sink);
  PISHIP_ASSERT_OK(response);
  EXPECT_EQ(sink.body, "elsewhere");
  EXPECT_TRUE(response->redirected_to_other_host);
  EXPECT_EQ(server.requests()[0].Header("Authorization"), "Bearer secret");
  EXPECT_EQ(other.requests()[0].Header("Authorization"), "");
  EXPECT_EQ(other.requests()[0].head.find("secret"), std::string::npos);
}

TEST(HttpClient, CredentialsDoNotComeBackAfterADetour) {
  HttpServer* home = nullptr;
  HttpServer other([&](const ServerRequest&, ServerStream& stream) {
    stream.Respond(302, "", "Location: " + home->url() + "/back\r\n");
    return AfterAnswer::kKeepOpen;
  });
  HttpServer server([&](const ServerRequest& request, ServerStream& stream) {
    if (request.target == "/back") {
      stream.Respond(200, "x");
    } else {
      stream.Respond(302, "", "Location: " + other.url() + "/\r\n");
    }
    return AfterAnswer::kKeepOpen;
  });
  home = &server;
  HttpClient client(QuickRetries());
  HttpRequest request = RequestFor(server.url());
  request.authorization = "Bearer secret";
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(request, sink));
  EXPECT_EQ(server.requests()[1].Header("Authorization"), "");
}

TEST(HttpClient, RedirectLoopsEnd) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(301, "", "Location: /again\r\n");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kHttpFailed);
  EXPECT_EQ(server.requests().size(), 21U);
}

TEST(HttpClient, T38RedirectsToOtherSchemesAreRefused) {
  for (const std::string location : {"file:///etc/passwd", "ftp://example.com/", "http://exa\\mple/", "//"}) {
    HttpServer server([&](const ServerRequest&, ServerStream& stream) {
      stream.Respond(302, "", "Location: " + location + "\r\n");
      return AfterAnswer::kKeepOpen;
    });
    HttpClient client(QuickRetries());
    CollectingSink sink;
    PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url()), sink), ErrorCode::kUrlInvalid);
  }
}

TEST(HttpClient, T38NothingAddsALineToARequest) {
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "");
    return AfterAnswer::kKeepOpen;
  });
  HttpClient client(QuickRetries());
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url() + "/a\r\nX: y"), sink), ErrorCode::kUrlInvalid);
  HttpRequest request = RequestFor(server.url());
  request.authorization = "Bearer a\r\nX: y";
  PISHIP_EXPECT_ERROR(client.Get(request, sink), ErrorCode::kInternal);
  request.authorization = "";
  request.headers = {{"A: b\r\nC", "d"}};
  PISHIP_EXPECT_ERROR(client.Get(request, sink), ErrorCode::kInternal);
  EXPECT_TRUE(server.requests().empty());
}

TEST(HttpClient, AnIpv6AddressIsAHost) {
  class Loopback4 : public Resolver {
   public:
    Result<std::vector<SocketAddress>> Resolve(const std::string& host, std::uint16_t port) override {
      asked = host;
      return SystemResolver()->Resolve("127.0.0.1", port);
    }
    std::string asked;
  };
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "");
    return AfterAnswer::kKeepOpen;
  });
  const auto resolver = std::make_shared<Loopback4>();
  HttpOptions options = QuickRetries();
  HttpClient client(options, resolver);
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor("http://[::1]:" + std::to_string(server.port()) + "/"), sink));
  EXPECT_EQ(resolver->asked, "::1");
  EXPECT_EQ(server.requests()[0].Header("Host"), "[::1]:" + std::to_string(server.port()));
}

TEST(HttpClient, ABrokenAddressDoesNotHideAGoodOne) {
  class TwoAddresses : public Resolver {
   public:
    Result<std::vector<SocketAddress>> Resolve(const std::string&, std::uint16_t port) override {
      PISHIP_TRY(std::vector<SocketAddress> addresses, SystemResolver()->Resolve("127.0.0.1", 1));
      PISHIP_TRY(const std::vector<SocketAddress> good, SystemResolver()->Resolve("127.0.0.1", port));
      addresses.push_back(good[0]);
      return addresses;
    }
  };
  HttpServer server([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "");
    return AfterAnswer::kKeepOpen;
  });
  HttpOptions options = QuickRetries();
  options.retries.count = 0;
  HttpClient client(options, std::make_shared<TwoAddresses>());
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor("http://two.example:" + std::to_string(server.port()) + "/"), sink));
}

TEST(HttpClient, AnUnknownHostIsNotTriedAgain) {
  class NoSuchName : public Resolver {
   public:
    Result<std::vector<SocketAddress>> Resolve(const std::string&, std::uint16_t) override {
      ++asked;
      return Fail(ErrorCode::kHostUnknown, "no such name");
    }
    int asked = 0;
  };
  const auto resolver = std::make_shared<NoSuchName>();
  HttpOptions options = QuickRetries();
  HttpClient client(options, resolver);
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor("http://nowhere.invalid/"), sink), ErrorCode::kHostUnknown);
  EXPECT_EQ(resolver->asked, 1);
}

TEST(HttpClient, T38RedirectsStayWithinTheOriginWhereThatIsAskedFor) {
  HttpServer other([](const ServerRequest&, ServerStream& stream) {
    stream.Respond(200, "other");
    return AfterAnswer::kKeepOpen;
  });
  HttpServer server([&](const ServerRequest& request, ServerStream& stream) {
    if (request.target == "/here") stream.Respond(302, "", "Location: /end\r\n");
    if (request.target == "/there") stream.Respond(302, "", "Location: " + other.url() + "/end\r\n");
    if (request.target == "/file") stream.Respond(302, "", "Location: file:///etc/passwd\r\n");
    if (request.target == "/end") stream.Respond(200, "here");
    return AfterAnswer::kKeepOpen;
  });
  HttpOptions options = ShortTimes();
  options.redirect_to = RedirectTo::kSameOrigin;
  HttpClient client(options);
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(server.url() + "/here"), sink));
  EXPECT_EQ(sink.body, "here");
  PISHIP_EXPECT_ERROR(client.Get(RequestFor(server.url() + "/there"), sink), ErrorCode::kHttpFailed);
  EXPECT_FALSE(client.Get(RequestFor(server.url() + "/file"), sink));
  EXPECT_EQ(other.connections(), 0);
}

}  // namespace
}  // namespace piship
