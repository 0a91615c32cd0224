// SPDX-License-Identifier: MIT
#include "net/proxy.h"

#include "unit/net/client_fixture.h"

namespace piship {
namespace {

bool Direct(std::string_view url, std::string_view no_proxy) {
  ProxySettings settings;
  settings.for_http = *ParseProxy("proxy.example:3128");
  settings.for_https = settings.for_http;
  settings.no_proxy = ParseNoProxy(no_proxy);
  return ProxyFor(*Url::Parse(url), settings) == nullptr;
}

TEST(Proxy, NoProxyCoversDomainsAddressesAndPorts) {
  EXPECT_FALSE(Direct("http://example.com/", ""));
  EXPECT_TRUE(Direct("http://example.com/", "example.com"));
  EXPECT_TRUE(Direct("https://a.example.com/", "other.example, Example.COM"));
  EXPECT_TRUE(Direct("http://a.example.com/", ".example.com"));
  EXPECT_TRUE(Direct("http://a.example.com/", "*.example.com"));
  EXPECT_FALSE(Direct("http://badexample.com/", "example.com"));
  EXPECT_FALSE(Direct("http://example.com.evil.example/", "example.com"));
  EXPECT_TRUE(Direct("http://anything.example/", "*"));
  EXPECT_TRUE(Direct("http://127.0.0.1/", "localhost 127.0.0.1"));
  EXPECT_TRUE(Direct("http://[::1]/", "::1"));
  EXPECT_TRUE(Direct("http://[::1]:8080/", "[::1]:8080"));
  EXPECT_TRUE(Direct("http://example.com:8080/", "example.com:8080"));
  EXPECT_FALSE(Direct("http://example.com/", "example.com:8080"));
}

TEST(Proxy, ParsesWhatPeopleWrite) {
  EXPECT_EQ(ParseProxy("proxy.example:3128")->HostAndPort(), "proxy.example:3128");
  EXPECT_EQ(ParseProxy("https://proxy.example")->HostAndPort(), "proxy.example:443");
  PISHIP_EXPECT_ERROR(ParseProxy("socks5://proxy.example:1080"), ErrorCode::kUrlInvalid);
  PISHIP_EXPECT_ERROR(ParseProxy("http://"), ErrorCode::kUrlInvalid);
}

// A proxy that wants "user" and "pass word" and knows one server.
class ProxyServer {
 public:
  explicit ProxyServer(const HttpServer& origin, std::optional<TestCertificate> tls = std::nullopt)
      : server(
            [&origin](const ServerRequest& request, ServerStream& stream) {
              if (request.Header("Proxy-Authorization") != "Basic dXNlcjpwYXNzIHdvcmQ=") {
                stream.Respond(407, "who are you", "Proxy-Authenticate: Basic\r\n");
                return AfterAnswer::kKeepOpen;
              }
              if (request.method == "CONNECT") {
                stream.Send("HTTP/1.1 200 Connection established\r\n\r\n");
                stream.TunnelTo(origin.port());
                return AfterAnswer::kClose;
              }
              stream.Respond(200, "proxied " + request.target);
              return AfterAnswer::kKeepOpen;
            },
            std::move(tls)) {}
  Url UrlWith(const std::string& user_information) const {
    std::string url = server.url();
    return *ParseProxy(url.insert(url.find("//") + 2, user_information));
  }
  HttpServer server;
};

AfterAnswer Hello(const ServerRequest&, ServerStream& stream) {
  stream.Respond(200, "hello");
  return AfterAnswer::kKeepOpen;
}

TEST(Proxy, PlainRequestsNameTheWholeUrlAndShareAConnection) {
  HttpServer origin(Hello);
  ProxyServer proxy(origin);
  HttpOptions options = QuickRetries();
  options.proxies.for_http = proxy.UrlWith("user:pass%20word@");
  HttpClient client(options);
  for (const std::string host : {"one.example", "two.example"}) {
    CollectingSink sink;
    PISHIP_ASSERT_OK(client.Get(RequestFor("http://" + host + "/x"), sink));
    EXPECT_EQ(sink.body, "proxied http://" + host + "/x");
  }
  EXPECT_EQ(proxy.server.connections(), 1);
  EXPECT_EQ(proxy.server.requests()[1].Header("Host"), "two.example");
  EXPECT_TRUE(origin.requests().empty());
}

TEST(Proxy, TlsGoesThroughATunnelThatIsKept) {
  const TestAuthority authority;
  HttpServer origin(Hello, authority.Issue({"secure.example"}));
  ProxyServer proxy(origin);
  HttpOptions options = QuickRetries();
  options.tls.pem = {authority.certificate_pem()};
  options.proxies.for_https = proxy.UrlWith("user:pass%20word@");
  HttpClient client(options);
  HttpRequest request = RequestFor("https://secure.example/x");
  request.authorization = "Bearer secret";
  for (int i = 0; i < 2; ++i) {
    CollectingSink sink;
    PISHIP_ASSERT_OK(client.Get(request, sink));
    EXPECT_EQ(sink.body, "hello");
  }
  ASSERT_EQ(proxy.server.requests().size(), 1U);
  EXPECT_EQ(proxy.server.requests()[0].target, "secure.example:443");
  EXPECT_EQ(proxy.server.requests()[0].head.find("secret"), std::string::npos);
  EXPECT_EQ(origin.requests()[0].Header("Authorization"), "Bearer secret");
  EXPECT_EQ(origin.requests()[0].Header("Proxy-Authorization"), "");
}

TEST(Proxy, TheProxyItselfMaySpeakTls) {
  const TestAuthority authority;
  HttpServer origin(Hello, authority.Issue({"secure.example"}));
  ProxyServer proxy(origin, authority.Issue({"localhost"}));
  HttpOptions options = QuickRetries();
  options.tls.pem = {authority.certificate_pem()};
  options.proxies.for_https = proxy.UrlWith("user:pass%20word@");
  HttpClient client(options);
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor("https://secure.example/x"), sink));
  EXPECT_EQ(sink.body, "hello");
}

TEST(Proxy, MissingCredentialsOfATunnelAreNamed) {
  const TestAuthority authority;
  HttpServer origin(Hello, authority.Issue({"secure.example"}));
  ProxyServer proxy(origin);
  HttpOptions options = QuickRetries();
  options.proxies.for_https = proxy.UrlWith("user:wrong@");
  HttpClient client(options);
  CollectingSink sink;
  const auto response = client.Get(RequestFor("https://secure.example/x"), sink);
  PISHIP_EXPECT_ERROR(response, ErrorCode::kAuthenticationFailed);
  EXPECT_EQ(FormatError("test", response.error()).find("wrong"), std::string::npos);
  EXPECT_TRUE(origin.requests().empty());
}

TEST(Proxy, HostsOfNoProxyAreReachedDirectly) {
  HttpServer origin(Hello);
  ProxyServer proxy(origin);
  HttpOptions options = QuickRetries();
  options.proxies.for_http = proxy.UrlWith("user:pass%20word@");
  options.proxies.no_proxy = ParseNoProxy("127.0.0.1");
  HttpClient client(options);
  CollectingSink sink;
  PISHIP_ASSERT_OK(client.Get(RequestFor(origin.url()), sink));
  EXPECT_TRUE(proxy.server.requests().empty());
}

}  // namespace
}  // namespace piship
