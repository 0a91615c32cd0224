// SPDX-License-Identifier: MIT
#include "vendor/registry.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "support/http_server.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

using testing::HasSubstr;

TarballRequest Request(std::string name, std::string version, std::string resolved = "") {
  return {std::move(name), std::move(version), std::move(resolved), ""};
}

// A registry client for the configuration `npmrc`.
class Client {
 public:
  explicit Client(const std::string& npmrc) {
    EXPECT_TRUE(
        WriteFileAtomically(directory_ / ".npmrc", npmrc + "\nfetch-retry-mintimeout=1\nfetch-retry-maxtimeout=2\n"));
    auto config = NpmConfig::Load(directory_.path(), {{"HOME", "/nonexistent"}, {"PREFIX", "/nonexistent"}}, "");
    EXPECT_TRUE(config) << FormatError("test", config ? Error{} : config.error());
    config_ = *std::move(config);
    http_ = std::make_unique<HttpClient>(config_.http());
  }
  std::string Place(const TarballRequest& request) const {
    const auto place = Registry(config_, *http_).Locate(request);
    return place ? place->url.ToString() : std::string(ErrorCodeName(place.error().code));
  }
  Status Download(const TarballRequest& request, StringSink& sink) const {
    return Registry(config_, *http_).Download(request, sink);
  }

 private:
  TempDir directory_;
  NpmConfig config_;
  std::unique_ptr<HttpClient> http_;
};

TEST(Registry, EntriesWithoutAPlaceFollowTheConvention) {
  const Client client("registry=https://r.example/npm\n@acme:registry=https://acme.example/\n");
  EXPECT_EQ(client.Place(Request("left-pad", "1.3.0")), "https://r.example/npm/left-pad/-/left-pad-1.3.0.tgz");
  EXPECT_EQ(client.Place(Request("@scope/x", "1.0.0-beta.1+b")),
            "https://r.example/npm/@scope/x/-/x-1.0.0-beta.1+b.tgz");
  EXPECT_EQ(client.Place(Request("@acme/x", "2.0.0")), "https://acme.example/@acme/x/-/x-2.0.0.tgz");
}

TEST(Registry, AnUnknownRegistryIsAnErrorOnlyWhereItIsNeeded) {
  const Client client("");
  EXPECT_EQ(client.Place(Request("x", "1.0.0")), "REGISTRY_UNKNOWN");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "https://r.example/x/-/x-1.0.0.tgz")),
            "https://r.example/x/-/x-1.0.0.tgz");
}

TEST(Registry, OtherRegistriesTarballsComeFromTheConfiguredOne) {
  const Client client("registry=https://r.example/npm/\n");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "https://old.example/x/-/x-1.0.0.tgz")),
            "https://r.example/npm/x/-/x-1.0.0.tgz");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "http://old.example/deep/path/x/-/x-1.0.0.tgz?token=1")),
            "https://r.example/npm/x/-/x-1.0.0.tgz");
  for (const char* name : {"@s/x", "%40s%2fx", "@s%2Fx"}) {
    EXPECT_EQ(client.Place(Request("@s/x", "1.0.0", "https://old.example/" + std::string(name) + "/-/x-1.0.0.tgz")),
              "https://r.example/npm/@s/x/-/x-1.0.0.tgz");
  }
  // Not a registry's tarball: it stays where it is.
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "https://host.example/archive/v1.tar.gz")),
            "https://host.example/archive/v1.tar.gz");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "https://host.example/notx/-/x-1.0.0.tgz")),
            "https://host.example/notx/-/x-1.0.0.tgz");
}

TEST(Registry, WhatIsAtTheConfiguredHostStaysThereAndUnderTls) {
  const Client client("registry=https://r.example/npm/\n");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "https://r.example/files/x/-/x-1.0.0.tgz")),
            "https://r.example/files/x/-/x-1.0.0.tgz");
  EXPECT_EQ(client.Place(Request("x", "1.0.0", "http://r.example/npm/x/-/x-1.0.0.tgz")),
            "https://r.example/npm/x/-/x-1.0.0.tgz");
}

TEST(Registry, ReplacingCanBeRestricted) {
  const TarballRequest old = Request("x", "1.0.0", "https://old.example/x/-/x-1.0.0.tgz");
  EXPECT_EQ(Client("registry=https://r.example/\nreplace-registry-host=never").Place(old), old.resolved);
  EXPECT_EQ(Client("registry=https://r.example/\nreplace-registry-host=other.example").Place(old), old.resolved);
  EXPECT_EQ(Client("registry=https://r.example/\nreplace-registry-host=old.example").Place(old),
            "https://r.example/x/-/x-1.0.0.tgz");
}

// T38
TEST(Registry, NamesAndPlacesCanNotLeaveTheRegistry) {
  const Client client("registry=https://r.example/npm/\n");
  for (const auto& [name, version] : std::vector<std::pair<std::string, std::string>>{{"..", "1.0.0"},
                                                                                      {"../x", "1.0.0"},
                                                                                      {"@../x", "1.0.0"},
                                                                                      {"@s/..", "1.0.0"},
                                                                                      {"@s/a/b", "1.0.0"},
                                                                                      {"@s", "1.0.0"},
                                                                                      {"", "1.0.0"},
                                                                                      {"x", ""},
                                                                                      {"x", "../../y"}}) {
    EXPECT_EQ(client.Place(Request(name, version)), "LOCKFILE_INVALID") << name << " " << version;
  }
  EXPECT_EQ(client.Place(Request("a?b#c\r\n", "1.0.0")),
            "https://r.example/npm/a%3Fb%23c%0D%0A/-/a%3Fb%23c%0D%0A-1.0.0.tgz");
  for (const std::string& url : {std::string("file:///etc/passwd"), std::string("git+ssh://h/x"),
                                 std::string("https://h/a\r\nb"), std::string("nonsense")}) {
    EXPECT_EQ(client.Place(Request("x", "1.0.0", url)), "LOCKFILE_INVALID") << url;
  }
}

using Answers = std::map<std::string, std::string>;

// Answers by exact target; anything else is 404.
class FakeRegistry {
 public:
  explicit FakeRegistry(Answers answers)
      : answers_(std::move(answers)), server([this](const ServerRequest& request, ServerStream& stream) {
          const auto found = answers_.find(request.target);
          if (found == answers_.end()) {
            stream.Respond(404, "{\"error\":\"not found\"}");
          } else {
            std::string body = found->second;
            for (std::size_t at = 0; (at = body.find("HOST", at)) != std::string::npos;)
              body.replace(at, 4, server.url());
            stream.Respond(200, body);
          }
          return AfterAnswer::kKeepOpen;
        }) {}

 private:
  Answers answers_;

 public:
  HttpServer server;
};

TEST(Registry, MetadataIsAskedWhereTheConventionFails) {
  FakeRegistry registry({{"/@s%2fx", R"({"versions":{"1.0.0":{"dist":{"tarball":"HOST/odd/place.tgz"}}}})"},
                         {"/odd/place.tgz", "tarball"}});
  const Client client("registry=" + registry.server.url());
  StringSink sink;
  PISHIP_ASSERT_OK(client.Download(Request("@s/x", "1.0.0"), sink));
  EXPECT_EQ(sink.body, "tarball");
  const auto requests = registry.server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].target, "/@s/x/-/x-1.0.0.tgz");
  EXPECT_THAT(requests[1].Header("Accept"), HasSubstr("application/vnd.npm.install-v1+json"));
}

TEST(Registry, MetadataThatDoesNotHelpIsAnError) {
  for (const std::string body :
       {R"({"versions":{"2.0.0":{}}})", R"({"versions":{"1.0.0":{"dist":{"tarball":7}}}})", "[]"}) {
    FakeRegistry registry(Answers{{"/x", body}});
    const Client client("registry=" + registry.server.url());
    StringSink sink;
    PISHIP_EXPECT_ERROR(client.Download(Request("x", "1.0.0"), sink), ErrorCode::kHttpFailed);
  }
  FakeRegistry broken(Answers{{"/x", "{"}});
  StringSink sink;
  PISHIP_EXPECT_ERROR(Client("registry=" + broken.server.url()).Download(Request("x", "1.0.0"), sink),
                      ErrorCode::kJsonInvalid);
  FakeRegistry empty(Answers{});
  const auto status = Client("registry=" + empty.server.url()).Download(Request("x", "1.0.0"), sink);
  PISHIP_EXPECT_ERROR(status, ErrorCode::kHttpFailed);
  EXPECT_THAT(status.error().message, HasSubstr("x@1.0.0"));
  EXPECT_THAT(status.error().message, HasSubstr("404"));
  EXPECT_THAT(status.error().message, HasSubstr("not found"));
}

// A registry behind something that speaks TLS for it, and does not know that.
TEST(Registry, MetadataNeverLeadsOutOfTls) {
  const TempDir directory;
  const TestAuthority authority;
  EXPECT_TRUE(WriteFileAtomically(directory / "ca.pem", authority.certificate_pem()));
  std::string tarball;
  HttpServer server(
      [&](const ServerRequest& request, ServerStream& stream) {
        if (request.target == "/odd.tgz") {
          stream.Respond(200, "tarball");
        } else if (request.target == "/x") {
          stream.Respond(200, R"({"versions":{"1.0.0":{"dist":{"tarball":")" + tarball + R"("}}}})");
        } else {
          stream.Respond(404, "");
        }
        return AfterAnswer::kKeepOpen;
      },
      authority.Issue({"localhost"}));
  const Client client("registry=" + server.url() + "\ncafile=" + (directory / "ca.pem"));
  StringSink sink;
  tarball = "http://localhost/odd.tgz";
  PISHIP_ASSERT_OK(client.Download(Request("x", "1.0.0"), sink));
  EXPECT_EQ(sink.body, "tarball");
  tarball = "http://other.invalid/odd.tgz";
  PISHIP_EXPECT_ERROR(client.Download(Request("x", "1.0.0"), sink), ErrorCode::kHttpFailed);
  PISHIP_EXPECT_ERROR(Client("registry=" + server.url()).Download(Request("x", "1.0.0"), sink), ErrorCode::kTlsFailed);
  PISHIP_ASSERT_OK(Client("registry=" + server.url() + "\nstrict-ssl=false")
                       .Download(Request("x", "1.0.0", server.url() + "/odd.tgz"), sink));
}

// A registry that wants exactly this Authorization.
HttpServer::Handler Wanting(std::string authorization) {
  return [authorization = std::move(authorization)](const ServerRequest& request, ServerStream& stream) {
    if (request.Header("Authorization") == authorization) {
      stream.Respond(200, "tarball");
    } else {
      stream.Respond(401, "{\"error\":\"unauthorized\"}");
    }
    return AfterAnswer::kKeepOpen;
  };
}

TEST(Registry, TokensAndBasicCredentialsAreSent) {
  HttpServer by_token(Wanting("Bearer secret"));
  HttpServer basic(Wanting("Basic bWU6c2VjcmV0"));
  StringSink sink;
  const auto place = [](const HttpServer& server) { return "//127.0.0.1:" + std::to_string(server.port()) + "/"; };
  PISHIP_ASSERT_OK(Client("registry=" + by_token.url() + "\n" + place(by_token) + ":_authToken=secret")
                       .Download(Request("x", "1.0.0"), sink));
  PISHIP_ASSERT_OK(Client("registry=" + basic.url() + "\n" + place(basic) + ":_auth=bWU6c2VjcmV0")
                       .Download(Request("x", "1.0.0"), sink));
  PISHIP_ASSERT_OK(
      Client("registry=" + basic.url() + "\n" + place(basic) + ":username=me\n" + place(basic) + ":_password=c2VjcmV0")
          .Download(Request("x", "1.0.0"), sink));
}

TEST(Registry, MissingAndWrongCredentialsNameTheSetting) {
  HttpServer server(Wanting("Bearer secret"));
  const std::string key = "//127.0.0.1:" + std::to_string(server.port()) + "/:_authToken";
  StringSink sink;
  const auto error = [&](const std::string& npmrc) {
    const auto status = Client("registry=" + server.url() + "\n" + npmrc).Download(Request("x", "1.0.0"), sink);
    EXPECT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::kAuthenticationFailed);
    EXPECT_EQ(FormatError("test", status.error()).find("hunter2"), std::string::npos);
    return status.error().hint;
  };
  EXPECT_THAT(error(""), HasSubstr("Set " + key));
  EXPECT_THAT(error(key + "=hunter2"), HasSubstr(key + " were not accepted"));
  EXPECT_THAT(error(key + "=${NPM_TOKEN}"), HasSubstr("${NPM_TOKEN}"));
}

TEST(Registry, ARedirectToAnotherHostThatWantsCredentialsSaysSo) {
  HttpServer other(Wanting("Bearer secret"));
  HttpServer server([&](const ServerRequest&, ServerStream& stream) {
    stream.Respond(302, "", "Location: " + other.url() + "/\r\n");
    return AfterAnswer::kKeepOpen;
  });
  StringSink sink;
  const auto status =
      Client("registry=" + server.url() + "\n//127.0.0.1:" + std::to_string(server.port()) + "/:_authToken=secret")
          .Download(Request("x", "1.0.0"), sink);
  PISHIP_EXPECT_ERROR(status, ErrorCode::kAuthenticationFailed);
  EXPECT_THAT(status.error().hint, HasSubstr("redirected"));
}

}  // namespace
}  // namespace piship
