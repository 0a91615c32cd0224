// SPDX-License-Identifier: MIT
#include "net/url.h"

#include <gtest/gtest.h>

#include "support/result_matchers.h"

namespace piship {
namespace {

std::string Normal(std::string_view text) {
  const auto url = Url::Parse(text);
  return url ? url->ToString() : "error: " + url.error().message;
}

std::string Resolved(std::string_view base, std::string_view reference) {
  const auto url = Url::Parse(base)->Resolve(reference);
  return url ? url->ToString() : "error: " + url.error().message;
}

TEST(Url, HasOneNormalForm) {
  EXPECT_EQ(Normal("HTTPS://Example.COM"), "https://example.com/");
  EXPECT_EQ(Normal("https://example.com:443/a"), "https://example.com/a");
  EXPECT_EQ(Normal("http://example.com:443/a"), "http://example.com:443/a");
  EXPECT_EQ(Normal("http://example.com/a/./b/../c?x=/../y#fragment"), "http://example.com/a/c?x=/../y");
  EXPECT_EQ(Normal("http://example.com/../../a"), "http://example.com/a");
  EXPECT_EQ(Normal("http://example.com/a/%2e%2E/b"), "http://example.com/b");
  EXPECT_EQ(Normal("http://example.com/a/.."), "http://example.com/");
  EXPECT_EQ(Normal("http://example.com//a//"), "http://example.com//a//");
  EXPECT_EQ(Normal("http://example.com/@s%2fn"), "http://example.com/@s%2fn");
  EXPECT_EQ(Normal("http://example.com/a b\xc3\xa4"), "http://example.com/a%20b%C3%A4");
  EXPECT_EQ(Normal("http://[2001:DB8::1]:8080/x"), "http://[2001:db8::1]:8080/x");
  EXPECT_EQ(Normal("http://[::1]"), "http://[::1]/");
  EXPECT_EQ(Normal("http://example.com?q"), "http://example.com/?q");
}

TEST(Url, UserInformationIsDecodedAndNeverShown) {
  const auto url = Url::Parse("https://me%40home:p%3aw@example.com/x");
  PISHIP_ASSERT_OK(url);
  EXPECT_EQ(url->user, "me@home");
  EXPECT_EQ(url->password, "p:w");
  EXPECT_EQ(url->host, "example.com");
  EXPECT_EQ(url->ToString(), "https://example.com/x");
  const auto bad = Url::Parse("ftp://me:secret@example.com/");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().message.find("secret"), std::string::npos);
}

TEST(Url, T38RefusesWhatCouldInjectALineOrAHost) {
  for (const std::string& text : {
           std::string("http://example.com/a\r\nX: y"),
           std::string("http://example.com/a\nb"),
           std::string("http://exa\tmple.com/"),
           std::string("http://example.com/\0b", 21),
           std::string("http://example.com\\@evil.example/"),
           std::string("http://a/\x7f"),
           std::string("http://"),
           std::string("http:///path"),
           std::string("example.com"),
           std::string("file:///etc/passwd"),
           std::string("javascript:alert(1)"),
           std::string("http://exa mple.com/"),
           std::string("http://ex\xc3\xa4mple.com/"),
           std::string("http://example.com:0/"),
           std::string("http://example.com:65536/"),
           std::string("http://example.com:8x/"),
           std::string("http://[::1/"),
           std::string("http://[nonsense]/"),
           std::string("http://[::1]x/"),
           std::string("http://u%zz@example.com/"),
           "http://example.com/" + std::string(9000, 'a'),
           "http://" + std::string(300, 'a') + "/",
           std::string(),
       }) {
    PISHIP_EXPECT_ERROR(Url::Parse(text), ErrorCode::kUrlInvalid);
  }
}

TEST(Url, ResolvesReferences) {
  const std::string base = "https://example.com/a/b?q";
  EXPECT_EQ(Resolved(base, "c"), "https://example.com/a/c");
  EXPECT_EQ(Resolved(base, "../c"), "https://example.com/c");
  EXPECT_EQ(Resolved(base, "/c?d"), "https://example.com/c?d");
  EXPECT_EQ(Resolved(base, "?d"), "https://example.com/a/b?d");
  EXPECT_EQ(Resolved(base, "//other.example/c"), "https://other.example/c");
  EXPECT_EQ(Resolved(base, "http://other.example"), "http://other.example/");
  EXPECT_EQ(Resolved(base, "c:d").substr(0, 6), "error:");
  EXPECT_EQ(Resolved(base, "/c\r\nX: y").substr(0, 6), "error:");
  EXPECT_EQ(Resolved("https://user:pw@example.com/", "/x"), "https://example.com/x");
  EXPECT_TRUE(Url::Parse("https://user:pw@example.com/")->Resolve("/x")->user.empty());
  EXPECT_TRUE(Url::Parse(base)->Resolve("//u:p@other.example/")->user.empty());
}

TEST(Url, OriginsDifferBySchemeHostAndPort) {
  const auto same = [](std::string_view a, std::string_view b) { return Url::Parse(a)->SameOrigin(*Url::Parse(b)); };
  EXPECT_TRUE(same("https://a.example/x", "https://A.example:443/y"));
  EXPECT_FALSE(same("https://a.example/", "http://a.example/"));
  EXPECT_FALSE(same("https://a.example/", "https://a.example:8443/"));
  EXPECT_FALSE(same("https://a.example/", "https://b.example/"));
}

TEST(Url, PercentEncodeLeavesOnlyUnreservedCharacters) {
  EXPECT_EQ(PercentEncode("aZ0-._~/?#%\r\n\xc3\xa4"), "aZ0-._~%2F%3F%23%25%0D%0A%C3%A4");
}

}  // namespace
}  // namespace piship
