// SPDX-License-Identifier: MIT
#include "vendor/npm_config.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "support/result_matchers.h"
#include "support/temp_dir.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A home, a project and a prefix of its own; no file of the machine is seen.
class NpmConfigTest : public testing::Test {
 protected:
  NpmConfigTest() {
    for (const char* name : {"home", "project", "prefix/etc"}) EXPECT_TRUE(MakeDirectories(directory_ / name));
    environment_ = {{"HOME", directory_ / "home"}, {"PREFIX", directory_ / "prefix"}};
  }
  void Write(std::string_view name, std::string_view text) {
    EXPECT_TRUE(WriteFileAtomically(directory_ / name, text));
  }
  Result<NpmConfig> Load(const std::string& registry = "") {
    return NpmConfig::Load(directory_ / "project", environment_, registry);
  }
  NpmConfig Loaded(const std::string& registry = "") {
    auto config = Load(registry);
    EXPECT_TRUE(config) << (config ? "" : FormatError("test", config.error()));
    return config ? *std::move(config) : NpmConfig();
  }
  std::string Authorization(std::string_view url, std::string_view package = "x") {
    return Loaded().CredentialsFor(*Url::Parse(url), package).authorization;
  }

  TempDir directory_;
  Environment environment_;
};

TEST_F(NpmConfigTest, NearerLayersWin) {
  EXPECT_EQ(Loaded().RegistryFor("x"), "");
  EXPECT_EQ(Loaded("http://fallback.example").RegistryFor("x"), "http://fallback.example/");
  Write("prefix/etc/npmrc", "registry=http://global.example\n");
  EXPECT_EQ(Loaded("http://fallback.example").RegistryFor("x"), "http://global.example/");
  Write("home/.npmrc", "registry=http://user.example/\n");
  EXPECT_EQ(Loaded().RegistryFor("x"), "http://user.example/");
  Write("project/.npmrc", "registry = HTTP://Project.example:80/npm\n");
  EXPECT_EQ(Loaded().RegistryFor("x"), "http://project.example/npm/");
  environment_["NPM_CONFIG_REGISTRY"] = "http://environment.example/";
  EXPECT_EQ(Loaded().RegistryFor("x"), "http://environment.example/");
}

TEST_F(NpmConfigTest, FilesCanBeMoved) {
  Write("elsewhere-user", "registry=http://user.example/\n");
  Write("elsewhere-global", "@a:registry=http://global.example/\n");
  environment_["npm_config_userconfig"] = directory_ / "elsewhere-user";
  environment_["NPM_CONFIG_GLOBALCONFIG"] = directory_ / "elsewhere-global";
  EXPECT_EQ(Loaded().RegistryFor("x"), "http://user.example/");
  EXPECT_EQ(Loaded().RegistryFor("@a/x"), "http://global.example/");
  environment_.erase("NPM_CONFIG_GLOBALCONFIG");
  Write("prefix/etc/npmrc", "@a:registry=http://prefix.example/\n");
  EXPECT_EQ(Loaded().RegistryFor("@a/x"), "http://prefix.example/");
  environment_["npm_config_prefix"] = directory_ / "other";
  EXPECT_TRUE(MakeDirectories(directory_ / "other/etc"));
  Write("other/etc/npmrc", "@a:registry=http://other.example/\n");
  EXPECT_EQ(Loaded().RegistryFor("@a/x"), "http://other.example/");
}

TEST_F(NpmConfigTest, NpmAndNodeOfThePathSayWhereItsFilesLie) {
  EXPECT_TRUE(MakeDirectories(directory_ / "node/bin"));
  EXPECT_TRUE(MakeDirectories(directory_ / "node/etc"));
  EXPECT_TRUE(MakeDirectories(directory_ / "lib/npm/bin"));
  Write("node/bin/node", "");
  Write("lib/npm/bin/npm-cli.js", "");
  std::filesystem::create_symlink(directory_ / "lib/npm/bin/npm-cli.js", directory_ / "node/bin/npm");
  Write("node/etc/npmrc", "@global:registry=http://global.example/\n");
  Write("lib/npm/npmrc", "@builtin:registry=http://builtin.example/\n@global:registry=http://hidden.example/\n");
  environment_.erase("PREFIX");
  environment_["PATH"] = "/nonexistent:" + (directory_ / "node/bin");
  EXPECT_EQ(Loaded().RegistryFor("@global/x"), "http://global.example/");
  EXPECT_EQ(Loaded().RegistryFor("@builtin/x"), "http://builtin.example/");
  // As Debian's npm does.
  Write("lib/npm/npmrc", "globalconfig=" + (directory_ / "moved") + "\n");
  Write("moved", "@global:registry=http://moved.example/\n");
  EXPECT_EQ(Loaded().RegistryFor("@global/x"), "http://moved.example/");
}

TEST_F(NpmConfigTest, AProjectInTheHomeDirectoryReadsItsFileOnce) {
  Write("home/.npmrc", "registry=http://user.example/\nfetch-retries=x\n");
  const auto config = NpmConfig::Load(directory_ / "home", environment_, "");
  PISHIP_EXPECT_ERROR(config, ErrorCode::kNpmrcInvalid);
  EXPECT_TRUE(config.error().problems.empty()) << "one problem, told once";
}

TEST_F(NpmConfigTest, ScopesHaveRegistriesOfTheirOwn) {
  Write("home/.npmrc", "registry=http://all.example/\n@acme:registry=http://acme.example/npm\n");
  EXPECT_EQ(Loaded().RegistryFor("@acme/x"), "http://acme.example/npm/");
  EXPECT_EQ(Loaded().RegistryFor("@other/x"), "http://all.example/");
  EXPECT_EQ(Loaded().RegistryFor("acme"), "http://all.example/");
}

TEST_F(NpmConfigTest, TheLongestPathHasTheCredentials) {
  environment_["TOKEN"] = "from-variable";
  Write("home/.npmrc",
        "//host.example/:_authToken=short\n"
        "//host.example/deep/:_authToken=${TOKEN}\n"
        "//host.example/basic/:_auth=dTpw\n"
        "//host.example/user:username=me\n"
        "//host.example/user:_password=c2VjcmV0\n"
        "//host.example:8080/:_authToken=port\n"
        "//other.example/:_authToken=${UNSET}\n");
  EXPECT_EQ(Authorization("https://host.example/x/-/x-1.0.0.tgz"), "Bearer short");
  EXPECT_EQ(Authorization("https://host.example/deep/x"), "Bearer from-variable");
  EXPECT_EQ(Authorization("https://host.example/deeper/x"), "Bearer short");
  EXPECT_EQ(Authorization("https://host.example/basic/x"), "Basic dTpw");
  EXPECT_EQ(Authorization("https://host.example/user/x"), "Basic bWU6c2VjcmV0");
  EXPECT_EQ(Authorization("https://host.example:8080/deep/x"), "Bearer port");
  EXPECT_EQ(Authorization("https://other.example/x"), "Bearer ${UNSET}");
  EXPECT_EQ(Authorization("https://nowhere.example/x"), "");
  EXPECT_EQ(Authorization("https://host.example.evil.example/x"), "");
}

TEST_F(NpmConfigTest, TheRegistrysCredentialsServeItsWholeHost) {
  Write("home/.npmrc",
        "registry=https://host.example/npm/\n"
        "//host.example/npm/:_authToken=secret\n");
  EXPECT_EQ(Authorization("https://host.example/npm/x"), "Bearer secret");
  EXPECT_EQ(Authorization("https://host.example/files/x.tgz"), "Bearer secret");
  EXPECT_EQ(Authorization("https://other.example/npm/x"), "");
  EXPECT_EQ(Authorization("https://host.example:8443/npm/x"), "");
  // What belongs to an https registry is not sent in the clear.
  EXPECT_EQ(Authorization("http://host.example/npm/x"), "");
}

TEST_F(NpmConfigTest, KeysOfTheEnvironmentKeepTheirCase) {
  environment_["npm_config_//host.example/:_authToken"] = "secret";
  EXPECT_EQ(Authorization("https://host.example/x"), "Bearer secret");
}

TEST_F(NpmConfigTest, EveryProblemIsToldWithItsPlace) {
  Write("project/.npmrc", "registry=ftp://a/\n\n  strict-ssl = maybe\nfetch-retries=-1\n");
  Write("home/.npmrc", "_authToken=secret\nproxy=socks5://h:1\n@a:registry=nonsense\n");
  environment_["npm_config_maxsockets"] = "0";
  const auto config = Load();
  PISHIP_EXPECT_ERROR(config, ErrorCode::kNpmrcInvalid);
  const std::string project = directory_ / "project/.npmrc";
  const std::string home = directory_ / "home/.npmrc";
  const std::string text = FormatError("test", config.error());
  EXPECT_THAT(text, HasSubstr(".npmrc:1:1: \"registry\""));
  EXPECT_THAT(text, HasSubstr(".npmrc:3:3: \"strict-ssl\""));
  EXPECT_THAT(text, HasSubstr(".npmrc:4:1: \"fetch-retries\""));
  EXPECT_THAT(text, HasSubstr("write it as //<host>/<path>/:_authToken"));
  EXPECT_THAT(text, HasSubstr(".npmrc:2:1: \"proxy\""));
  EXPECT_THAT(text, HasSubstr(".npmrc:3:1: \"@a:registry\""));
  EXPECT_THAT(text, HasSubstr("\"maxsockets\" is less than 1"));
  EXPECT_EQ(text.find("secret"), std::string::npos);
  EXPECT_EQ(config.error().problems.size(), 7U);
}

TEST_F(NpmConfigTest, ATokenCanNotAddAHeader) {
  Write("home/.npmrc", "//host.example/:_authToken=\"a\\r\\nX: y\"\n");
  PISHIP_EXPECT_ERROR(Load(), ErrorCode::kNpmrcInvalid);
}

TEST_F(NpmConfigTest, CertificatesComeFromNpmAndTheEnvironment) {
  Write("ca.pem", "x");
  environment_["SSL_CERT_FILE"] = "/etc/certificates";
  environment_["SSL_CERT_DIR"] = "/etc/directory";
  environment_["NODE_EXTRA_CA_CERTS"] = "/etc/extra";
  const TlsSettings plain = Loaded().http().tls;
  EXPECT_EQ(plain.environment_file, "/etc/certificates");
  EXPECT_EQ(plain.environment_directory, "/etc/directory");
  EXPECT_THAT(plain.extra_files, ElementsAre("/etc/extra"));
  EXPECT_EQ(plain.verify, VerifyPeer::kYes);
  Write("home/.npmrc", "ca[]=one\\ntwo\nca[]=\"three\\nfour\"\n");
  EXPECT_THAT(Loaded().http().tls.pem, ElementsAre("one\ntwo", "three\nfour"));
  Write("home/.npmrc", "ca=one\ncafile=../ca.pem\n");
  EXPECT_THAT(Loaded().http().tls.files, ElementsAre(directory_ / "project/../ca.pem"));
  EXPECT_TRUE(Loaded().http().tls.pem.empty());
  Write("home/.npmrc", "cafile=~/none.pem\n");
  EXPECT_TRUE(Loaded().http().tls.files.empty());
  ASSERT_EQ(Loaded().warnings().size(), 1U);
  EXPECT_THAT(Loaded().warnings()[0], HasSubstr("home/none.pem"));
}

TEST_F(NpmConfigTest, SwitchingVerificationOffIsHonouredAndTold) {
  Write("project/.npmrc", "strict-ssl=false\n");
  EXPECT_EQ(Loaded().http().tls.verify, VerifyPeer::kNo);
  ASSERT_EQ(Loaded().warnings().size(), 1U);
  EXPECT_THAT(Loaded().warnings()[0], HasSubstr("project/.npmrc"));
  environment_["npm_config_strict_ssl"] = "true";
  EXPECT_EQ(Loaded().http().tls.verify, VerifyPeer::kYes);
}

TEST_F(NpmConfigTest, PatienceIsConfigured) {
  const HttpRetries defaults = Loaded().http().retries;
  EXPECT_EQ(defaults.count, 2);
  EXPECT_EQ(defaults.factor, 10);
  EXPECT_EQ(defaults.first, std::chrono::milliseconds(10'000));
  EXPECT_EQ(defaults.longest, std::chrono::milliseconds(60'000));
  EXPECT_EQ(Loaded().max_sockets(), 15U);
  Write("home/.npmrc",
        "fetch-retries=5\nfetch-retry-factor=1.5\nfetch-retry-mintimeout=7\nfetch-retry-maxtimeout=70\n"
        "fetch-timeout=1000\nmaxsockets=3\n");
  const NpmConfig config = Loaded();
  EXPECT_EQ(config.http().retries.count, 5);
  EXPECT_EQ(config.http().retries.factor, 1.5);
  EXPECT_EQ(config.http().retries.first, std::chrono::milliseconds(7));
  EXPECT_EQ(config.http().retries.longest, std::chrono::milliseconds(70));
  EXPECT_EQ(config.http().timeouts.idle, std::chrono::milliseconds(1000));
  EXPECT_EQ(config.http().timeouts.slow_bytes, 1024U);
  EXPECT_EQ(config.max_sockets(), 3U);
}

TEST_F(NpmConfigTest, ProxiesComeFromNpmElseFromTheEnvironment) {
  const auto proxy = [&](const std::optional<Url>& url) { return url ? url->HostAndPort() : ""; };
  environment_["HTTP_PROXY"] = "http://plain.example:1";
  EXPECT_EQ(proxy(Loaded().http().proxies.for_http), "plain.example:1");
  EXPECT_EQ(proxy(Loaded().http().proxies.for_https), "");
  environment_["https_proxy"] = "secure.example:2";
  environment_["HTTPS_PROXY"] = "shadowed.example:2";
  environment_["NO_PROXY"] = "a.example,b.example";
  EXPECT_EQ(proxy(Loaded().http().proxies.for_https), "secure.example:2");
  EXPECT_EQ(proxy(Loaded().http().proxies.for_http), "secure.example:2") << "as in npm";
  EXPECT_THAT(Loaded().http().proxies.no_proxy, ElementsAre("a.example", "b.example"));
  Write("home/.npmrc", "proxy=http://npm.example:3\nnoproxy[]=c.example\nnoproxy[]=d.example\n");
  EXPECT_EQ(proxy(Loaded().http().proxies.for_https), "npm.example:3");
  EXPECT_THAT(Loaded().http().proxies.no_proxy, ElementsAre("c.example", "d.example"));
  Write("home/.npmrc", "proxy=http://npm.example:3\nhttps-proxy=http://npms.example:4\n");
  EXPECT_EQ(proxy(Loaded().http().proxies.for_https), "npms.example:4");
  Write("home/.npmrc", "proxy=false\n");
  EXPECT_EQ(proxy(Loaded().http().proxies.for_https), "");
}

TEST_F(NpmConfigTest, ReplaceRegistryHostIsReadAsAlwaysUnlessItSaysOtherwise) {
  const auto rule = [&] { return Loaded().replace_host().rule; };
  EXPECT_EQ(rule(), ReplaceHost::Rule::kAlways);
  for (const char* value : {"npmjs", "always"}) {
    Write("home/.npmrc", "replace-registry-host=" + std::string(value));
    EXPECT_EQ(rule(), ReplaceHost::Rule::kAlways);
  }
  Write("home/.npmrc", "replace-registry-host=never");
  EXPECT_EQ(rule(), ReplaceHost::Rule::kNever);
  Write("home/.npmrc", "replace-registry-host=https://old.example/npm");
  EXPECT_EQ(rule(), ReplaceHost::Rule::kHost);
  EXPECT_EQ(Loaded().replace_host().host, "old.example");
}

TEST_F(NpmConfigTest, AFileThatIsTooLargeIsRefused) {
  Write("home/.npmrc", std::string(2'000'000, '#'));
  PISHIP_EXPECT_ERROR(Load(), ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace piship
