// SPDX-License-Identifier: MIT
// What a repository's server, or somebody between, does to a client: nothing is installed, what is known stays, and the
// next update from an honest server works. docs/security.md has the numbers.
#include "support/test_certificates.h"
#include "tool/runtime/channel_fixture.h"

namespace piship {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ChannelAttacks : public ChannelVerbs {
 protected:
  // 1.0.0 is installed and 2.0.0 offered.
  void SetUp() override {
    Add("1.0.0");
    ASSERT_EQ(InstallUrl().status, 0);
    Add("2.0.0", "stable", 50'000);
  }

  static bool IsFor(const ServerRequest& request, const std::string& what) {
    return request.target.find(what) != std::string::npos;
  }
  // Answers requests for what has `what` in its name by `bytes`, and then by `more` again and again.
  void AnswerEndlessly(const std::string& what, const std::string& bytes, const std::string& more) {
    instead_ = [=](const ServerRequest& request, ServerStream& stream) {
      if (!IsFor(request, what)) return false;
      stream.Send(bytes);
      while (!more.empty() && stream.Send(more)) {
      }
      return true;
    };
  }
  void Answer(const std::string& what, const std::string& bytes) { AnswerEndlessly(what, bytes, ""); }

  std::map<std::string, std::string> Trust() const {
    std::map<std::string, std::string> files;
    const std::string directory = TrustDirectory(install_home(), "hello");
    for (const std::string& name : Names(directory)) files[name] = *ReadFile(JoinPath(directory, name));
    return files;
  }
  void ExpectRefused(int status, const std::string& code) {
    const Ran ran = Piship({"update", "hello"});
    EXPECT_EQ(ran.status, status) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[" + code + "]"));
    EXPECT_EQ(Start().out, "1.0.0\n");
    EXPECT_THAT(AppNames(), ElementsAre(".lock", "1.0.0", "launch"));
  }
  void ExpectUpdates() {
    instead_ = nullptr;
    const Ran ran = Piship({"update", "hello"});
    EXPECT_EQ(ran.status, 0) << ran.err;
    ExpectActive("2.0.0");
  }
};

constexpr char kEndless[] = "HTTP/1.1 200 OK\r\n\r\n";

TEST_F(ChannelAttacks, T24TheEnvironmentTellsNoTime) {
  for (const char* seconds : {"0", "4102444800"}) {
    environment_["SOURCE_DATE_EPOCH"] = seconds;
    EXPECT_EQ(Piship({"update", "hello", "--check"}).status, 0);
  }
  ExpectUpdates();
}

TEST_F(ChannelAttacks, T30EndlessMetadataIsNotTaken) {
  const auto before = Trust();
  for (const char* name : {"2.root.json", "timestamp.json"}) {
    AnswerEndlessly(name, kEndless, std::string(4096, ' '));
    ExpectRefused(3, "LIMIT_EXCEEDED");
    AnswerEndlessly(name, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                    "1000\r\n" + std::string(4096, '{') + "\r\n");
    ExpectRefused(3, "LIMIT_EXCEEDED");
    Answer(name, "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n");
    ExpectRefused(3, "LIMIT_EXCEEDED");
    EXPECT_EQ(Trust(), before) << name;
  }
  ExpectUpdates();
}

TEST_F(ChannelAttacks, T31AnEndlessArchiveIsNotTaken) {
  AnswerEndlessly(".tar.zst", kEndless, std::string(4096, 'x'));
  ExpectRefused(3, "LIMIT_EXCEEDED");
  EXPECT_THAT(Downloads(), IsEmpty());
  Answer(".tar.zst", "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n");
  ExpectRefused(3, "LIMIT_EXCEEDED");
  EXPECT_THAT(Downloads(), IsEmpty());
  ExpectUpdates();
}

TEST_F(ChannelAttacks, T31AWrongContentLengthIsNoticed) {
  const std::string archive = archives_["2.0.0"];
  const auto announced = [](std::size_t size) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
  };
  Answer(".tar.zst", announced(archive.size() - 10) + archive);
  ExpectRefused(3, "INTEGRITY_FAILED");
  EXPECT_THAT(Downloads(), IsEmpty());
  Answer("timestamp.json", announced(100) + *ReadFile(temp_ / "repository/metadata/timestamp.json"));
  ExpectRefused(1, "JSON_INVALID");
  // What is announced and does not come may come later.
  Answer(".tar.zst", announced(archive.size()) + archive.substr(0, 20'000));
  ExpectRefused(4, "NETWORK_FAILED");
  EXPECT_EQ(Downloads().size(), 1U);
  Requests();
  ExpectUpdates();
  EXPECT_THAT(Requests().back(), HasSubstr("bytes=20000-"));
}

TEST_F(ChannelAttacks, T33ACompressedBombIsNotUndone) {
  const Ran bomb = RunProgram({.argv = {"/bin/gzip", "-c"}, .input = std::string(std::size_t{16} << 20, ' ')});
  ASSERT_EQ(bomb.status, 0);
  ASSERT_LT(bomb.out.size(), 20'000U);
  const std::string answer =
      "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(bomb.out.size()) + "\r\n\r\n" +
      bomb.out;
  const auto before = Trust();
  Answer("timestamp.json", answer);
  ExpectRefused(1, "JSON_INVALID");
  EXPECT_EQ(Trust(), before);
  Answer(".tar.zst", answer);
  ExpectRefused(3, "INTEGRITY_FAILED");
  EXPECT_THAT(Downloads(), IsEmpty());
  ExpectUpdates();
}

TEST_F(ChannelAttacks, T35AReleaseForAnotherPlatformIsNotOffered) {
  TestRelease other = TinyRelease("3.0.0");
  other.platform = Platform::OfThisProgram().str() == "linux-arm64" ? "linux-x64" : "linux-arm64";
  AddRelease(other, "stable", 0);
  EXPECT_EQ(Piship({"update", "hello", "--release-version", "3.0.0"}).status, 1);
  ExpectUpdates();
}

TEST_F(ChannelAttacks, T38ARedirectLeadsNowhereElse) {
  HttpServer other([this](const ServerRequest& request, ServerStream& stream) {
    stream.Respond(200, ReadFile(temp_.path() + request.target).value_or(""));
    return AfterAnswer::kKeepOpen;
  });
  const std::string host_and_port = other.url().substr(std::string("http://").size());
  for (const std::string& place : {other.url(), "http://127.0.0.1@" + host_and_port, "//" + host_and_port,
                                   std::string("file://" + temp_.path()), std::string("https://127.0.0.1")}) {
    for (const char* name : {"timestamp.json", ".tar.zst"}) {
      instead_ = [&](const ServerRequest& request, ServerStream& stream) {
        if (!IsFor(request, name)) return false;
        stream.Respond(302, "", "Location: " + place + request.target + "\r\n");
        return true;
      };
      const bool usable = !place.starts_with("file:");
      ExpectRefused(usable ? 4 : 1, usable ? "HTTP_FAILED" : "URL_INVALID");
      EXPECT_THAT(Downloads(), IsEmpty());
    }
  }
  EXPECT_EQ(other.connections(), 0);
  ExpectUpdates();
}

TEST_F(ChannelAttacks, ARangeOfOtherBytesIsFetchedWholeInstead) {
  const std::string archive = archives_["2.0.0"];
  const std::string wrong(archive.size(), 'x');
  const FilePart rest{20'000, archive.size()};
  const FilePart whole{0, archive.size()};
  const FilePart later{20'001, archive.size()};
  const std::string part = archive.substr(rest.begin);
  const std::pair<std::string, std::string> answers[] = {
      {RangeHeader(rest, archive), wrong.substr(rest.begin)},
      {RangeHeader(whole, archive), archive},
      {RangeHeader(later, archive), archive.substr(later.begin)},
      {RangeHeader(rest, archive), archive},
      {"", part},
      {RangeHeader(rest, archive), part.substr(1)},
  };
  const std::string begun = DownloadsDirectory(install_home()) + "/" + Digest::Of(archive).Hex() + ".part";
  for (const auto& [header, body] : answers) {
    Append(begun, archive.substr(0, rest.begin));
    instead_ = [&, answer_header = header, answer_body = body](const ServerRequest& request, ServerStream& stream) {
      if (request.Header("Range").empty()) return false;
      stream.Respond(206, answer_body, answer_header);
      return true;
    };
    Requests();
    const Ran ran = Piship({"update", "hello"});
    EXPECT_EQ(ran.status, 0) << ran.err << header;
    EXPECT_THAT(Requests(), Contains(HasSubstr("bytes=20000-"))) << header;
    ExpectActive("2.0.0");
    ASSERT_EQ(Piship({"uninstall", "hello"}).status, 0);
    instead_ = nullptr;
    ASSERT_EQ(InstallUrl({"--release-version", "1.0.0"}).status, 0);
  }
}

TEST_F(ChannelAttacks, AWrongCertificateIsNotTalkedTo) {
  const TestAuthority authority;
  const auto serve = [this](const ServerRequest& request, ServerStream& stream) {
    const auto file = ReadFile(temp_.path() + request.target);
    stream.Respond(file ? 200 : 404, file.value_or(""));
    return AfterAnswer::kKeepOpen;
  };
  ASSERT_TRUE(WriteFileAtomically(temp_ / "ca.pem", authority.certificate_pem()));
  environment_["SSL_CERT_FILE"] = temp_ / "ca.pem";
  ASSERT_EQ(Piship({"uninstall", "hello", "--purge"}).status, 0);
  const auto install = [&](const HttpServer& server) {
    return Piship({"install", server.url() + "/repository", "--id", "hello", "--root", RootFile()});
  };
  for (const TestCertificate& wrong :
       {authority.Issue({"other.example"}), authority.Issue({"localhost"}, -3, -2),
        TestAuthority().Issue({"localhost"}), TestAuthority::SelfSigned({"localhost"})}) {
    const HttpServer server(serve, wrong);
    const Ran ran = install(server);
    EXPECT_EQ(ran.status, 4) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("[TLS_FAILED]"));
    EXPECT_TRUE(server.requests().empty());
    EXPECT_EQ(ReceiptText(), "");
  }
  const HttpServer right(serve, authority.Issue({"localhost"}));
  const Ran ran = install(right);
  EXPECT_EQ(ran.status, 0) << ran.err;
  ExpectActive("2.0.0");
}

}  // namespace
}  // namespace piship
