// SPDX-License-Identifier: MIT
// Certificates of an authority that each test makes for itself.
#include "net/tls.h"

#include <fstream>

#include "support/temp_dir.h"
#include "unit/net/client_fixture.h"

namespace piship {
namespace {

AfterAnswer Hello(const ServerRequest&, ServerStream& stream) {
  stream.Respond(200, "hello");
  return AfterAnswer::kKeepOpen;
}

Result<HttpResponse> GetWith(const TlsSettings& tls, const std::string& url, BodySink& sink) {
  HttpOptions options = QuickRetries();
  options.tls = tls;
  HttpClient client(options);
  return client.Get(RequestFor(url), sink);
}

std::string WriteText(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

TEST(Tls, TrustsTheAuthoritiesThatAreNamed) {
  const TestAuthority authority;
  const TempDir directory;
  const std::string file = WriteText(directory / "ca.pem", authority.certificate_pem());
  HttpServer server(Hello, authority.Issue({"localhost"}));
  TlsSettings by_text;
  by_text.pem = {authority.certificate_pem()};
  TlsSettings by_file;
  by_file.files = {file};
  TlsSettings by_environment;
  by_environment.environment_file = file;
  TlsSettings by_extra;
  by_extra.environment_file = WriteText(directory / "stranger.pem", TestAuthority().certificate_pem());
  by_extra.extra_files = {file};
  for (const TlsSettings& settings : {by_text, by_file, by_environment, by_extra}) {
    CollectingSink sink;
    PISHIP_ASSERT_OK(GetWith(settings, server.url(), sink));
    EXPECT_EQ(sink.body, "hello");
  }
}

TEST(Tls, KeepsItsConnections) {
  const TestAuthority authority;
  HttpServer server(Hello, authority.Issue({"localhost"}));
  HttpOptions options = QuickRetries();
  options.tls.pem = {authority.certificate_pem()};
  HttpClient client(options);
  for (int i = 0; i < 3; ++i) {
    CollectingSink sink;
    PISHIP_ASSERT_OK(client.Get(RequestFor(server.url()), sink));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(Tls, AddressesAreCheckedAsAddresses) {
  const TestAuthority authority;
  TlsSettings settings;
  settings.pem = {authority.certificate_pem()};
  CollectingSink sink;
  HttpServer right(Hello, authority.Issue({"127.0.0.1"}));
  PISHIP_ASSERT_OK(GetWith(settings, "https://127.0.0.1:" + std::to_string(right.port()), sink));
  HttpServer wrong(Hello, authority.Issue({"localhost"}));
  PISHIP_EXPECT_ERROR(GetWith(settings, "https://127.0.0.1:" + std::to_string(wrong.port()), sink),
                      ErrorCode::kTlsFailed);
}

TEST(Tls, RefusesCertificatesThatProveNothing) {
  const TestAuthority authority;
  const TestAuthority stranger;
  TlsSettings settings;
  settings.pem = {authority.certificate_pem()};
  const struct {
    TestCertificate certificate;
    std::string_view reason;
  } cases[] = {
      {authority.Issue({"other.example"}), "hostname mismatch"},
      {authority.Issue({"localhost"}, -3, -2), "expired"},
      {authority.Issue({"localhost"}, 2, 3), "not yet valid"},
      {stranger.Issue({"localhost"}), "unable to get local issuer"},
      {TestAuthority::SelfSigned({"localhost"}), "self-signed"},
  };
  for (const auto& each : cases) {
    HttpServer server(Hello, each.certificate);
    CollectingSink sink;
    const auto response = GetWith(settings, server.url(), sink);
    PISHIP_EXPECT_ERROR(response, ErrorCode::kTlsFailed);
    EXPECT_NE(response.error().message.find(each.reason), std::string::npos) << response.error().message;
    EXPECT_FALSE(response.error().hint.empty());
    EXPECT_TRUE(server.requests().empty());
    EXPECT_EQ(server.connections(), 1) << "a refused certificate is not tried again";
  }
}

TEST(Tls, WhatIsNamedReplacesTheSystemsAuthorities) {
  const TestAuthority authority;
  const TestAuthority stranger;
  HttpServer server(Hello, authority.Issue({"localhost"}));
  const TempDir directory;
  TlsSettings settings;
  settings.pem = {stranger.certificate_pem()};
  settings.environment_file = WriteText(directory / "ca.pem", authority.certificate_pem());
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(GetWith(settings, server.url(), sink), ErrorCode::kTlsFailed);
}

TEST(Tls, VerificationCanBeSwitchedOff) {
  HttpServer server(Hello, TestAuthority::SelfSigned({"other.example"}));
  TlsSettings settings;
  settings.verify = VerifyPeer::kNo;
  CollectingSink sink;
  PISHIP_ASSERT_OK(GetWith(settings, server.url(), sink));
  EXPECT_EQ(sink.body, "hello");
}

TEST(Tls, CertificatesThatCanNotBeReadAreNamed) {
  const TempDir directory;
  const std::string garbage = WriteText(directory / "ca.pem", "not a certificate");
  TlsSettings missing;
  missing.environment_file = directory / "none.pem";
  TlsSettings by_file;
  by_file.files = {garbage};
  TlsSettings by_text;
  by_text.pem = {"not a certificate"};
  for (const TlsSettings& settings : {missing, by_file, by_text}) {
    PISHIP_EXPECT_ERROR(TlsContext::Create(settings), ErrorCode::kTlsFailed);
  }
  EXPECT_NE(TlsContext::Create(by_file).error().message.find("ca.pem"), std::string::npos);
}

TEST(Tls, ARedirectNeverLeadsFromHttpsToHttp) {
  const TestAuthority authority;
  HttpServer plain(Hello);
  HttpServer server(
      [&](const ServerRequest&, ServerStream& stream) {
        stream.Respond(302, "", "Location: " + plain.url() + "\r\n");
        return AfterAnswer::kKeepOpen;
      },
      authority.Issue({"localhost"}));
  TlsSettings settings;
  settings.pem = {authority.certificate_pem()};
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(GetWith(settings, server.url(), sink), ErrorCode::kHttpFailed);
  EXPECT_TRUE(plain.requests().empty());
}

// A body without length: only an orderly end of TLS says that it is complete.
TEST(Tls, ACutConnectionIsNotTheEndOfABody) {
  const TestAuthority authority;
  TlsSettings settings;
  settings.pem = {authority.certificate_pem()};
  const auto answer_then = [](AfterAnswer after) {
    return [after](const ServerRequest&, ServerStream& stream) {
      stream.Send("HTTP/1.1 200 OK\r\n\r\nhello");
      return after;
    };
  };
  CollectingSink sink;
  HttpServer orderly(answer_then(AfterAnswer::kClose), authority.Issue({"localhost"}));
  PISHIP_ASSERT_OK(GetWith(settings, orderly.url(), sink));
  EXPECT_EQ(sink.body, "hello");
  HttpServer cutting(answer_then(AfterAnswer::kCut), authority.Issue({"localhost"}));
  PISHIP_EXPECT_ERROR(GetWith(settings, cutting.url(), sink), ErrorCode::kNetworkFailed);
}

TEST(Tls, AServerThatDoesNotSpeakItIsGivenUp) {
  HttpServer plain(Hello);
  HttpOptions options = QuickRetries();
  options.tls.verify = VerifyPeer::kNo;
  options.timeouts.connect = Milliseconds(200);
  options.retries.count = 0;
  HttpClient client(options);
  CollectingSink sink;
  PISHIP_EXPECT_ERROR(client.Get(RequestFor("https://127.0.0.1:" + std::to_string(plain.port())), sink),
                      ErrorCode::kNetworkFailed);
}

}  // namespace
}  // namespace piship
