// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "net/dns_message.h"
#include "net/dns_resolver.h"
#include "support/result_matchers.h"

namespace piship {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string TextOf(const SocketAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.storage.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_addr, text, sizeof text);
  } else {
    inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_addr, text, sizeof text);
  }
  return text;
}

std::vector<std::string> TextsOf(const std::vector<SocketAddress>& addresses) {
  std::vector<std::string> texts;
  for (const SocketAddress& address : addresses) texts.push_back(TextOf(address));
  return texts;
}

std::string Bytes16(unsigned value) { return {static_cast<char>(value >> 8), static_cast<char>(value & 0xff)}; }

// The name of the question, as a pointer to it.
const std::string kAsked("\xc0\x0c", 2);

std::string Record(const std::string& owner, unsigned type, const std::string& data) {
  return owner + Bytes16(type) + Bytes16(1) + std::string(4, '\0') + Bytes16(static_cast<unsigned>(data.size())) + data;
}

std::string Answer(const std::string& question, unsigned flags, const std::vector<std::string>& records) {
  std::string message = question.substr(0, 2) + Bytes16(0x8180 | flags) + Bytes16(1) +
                        Bytes16(static_cast<unsigned>(records.size())) + std::string(4, '\0') + question.substr(12);
  for (const std::string& record : records) message += record;
  return message;
}

unsigned TypeOf(const std::string& question) { return static_cast<unsigned char>(question[question.size() - 3]); }

TEST(DnsMessage, AsksAndReadsTheAnswer) {
  const auto question = FormatDnsQuestion(0x1234, "Example.test", DnsType::kIpv4);
  PISHIP_ASSERT_OK(question);
  EXPECT_EQ(*question, std::string("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x07"
                                   "example\x04test\x00\x00\x01\x00\x01",
                                   30));
  const DnsAnswer answer = ParseDnsAnswer(
      Answer(*question, 0, {Record(kAsked, 1, "\x0a\x01\x02\x03"), Record(kAsked, 1, "\x0a\x01\x02\x04")}), *question,
      80);
  EXPECT_EQ(answer.outcome, DnsOutcome::kAnswered);
  EXPECT_THAT(TextsOf(answer.addresses), ElementsAre("10.1.2.3", "10.1.2.4"));
}

TEST(DnsMessage, FollowsAliasesAndIgnoresWhatNobodyAskedFor) {
  const std::string question = *FormatDnsQuestion(7, "a.test", DnsType::kIpv4);
  const std::string b(
      "\x01"
      "b\x04test\x00",
      8);
  const std::string c(
      "\x01"
      "c\x04test\x00",
      8);
  const DnsAnswer answer = ParseDnsAnswer(
      Answer(question, 0, {Record(c, 1, "\x06\x06\x06\x06"), Record(b, 1, "\x0a\x00\x00\x01"), Record(kAsked, 5, b)}),
      question, 80);
  EXPECT_TRUE(TextsOf(answer.addresses).empty() || TextsOf(answer.addresses) == std::vector<std::string>{"10.0.0.1"});
  EXPECT_EQ(answer.outcome, DnsOutcome::kAnswered);
}

TEST(DnsMessage, RefusesOtherAnswersAndBrokenOnes) {
  const std::string question = *FormatDnsQuestion(7, "a.test", DnsType::kIpv4);
  const std::string good = Answer(question, 0, {Record(kAsked, 1, "\x0a\x01\x02\x03")});
  EXPECT_EQ(ParseDnsAnswer(good, *FormatDnsQuestion(8, "a.test", DnsType::kIpv4), 80).outcome, DnsOutcome::kOther);
  EXPECT_EQ(ParseDnsAnswer(good, *FormatDnsQuestion(7, "b.test", DnsType::kIpv4), 80).outcome, DnsOutcome::kOther);
  EXPECT_EQ(ParseDnsAnswer(good, *FormatDnsQuestion(7, "a.test", DnsType::kIpv6), 80).outcome, DnsOutcome::kOther);
  EXPECT_EQ(ParseDnsAnswer(question, question, 80).outcome, DnsOutcome::kOther);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(ParseDnsAnswer(good.substr(0, size), question, 80).outcome, DnsOutcome::kAnswered) << size;
  }
  // A name that points at itself ends.
  const std::string loop =
      Answer(question, 0, {Record("\xc0" + std::string(1, static_cast<char>(question.size())), 1, "\x0a\x01\x02\x03")});
  EXPECT_EQ(ParseDnsAnswer(loop, question, 80).outcome, DnsOutcome::kFailed);
  EXPECT_EQ(ParseDnsAnswer(Answer(question, 3, {}), question, 80).outcome, DnsOutcome::kNoName);
  EXPECT_EQ(ParseDnsAnswer(Answer(question, 2, {}), question, 80).outcome, DnsOutcome::kFailed);
  EXPECT_EQ(ParseDnsAnswer(Answer(question, 0x200, {}), question, 80).outcome, DnsOutcome::kTruncated);
  for (const std::string name : {"", ".", "a..b", "a b", "a/b", "\xc3\xa9"}) {
    PISHIP_EXPECT_ERROR(FormatDnsQuestion(1, name, DnsType::kIpv4), ErrorCode::kHostUnknown);
  }
  PISHIP_EXPECT_ERROR(FormatDnsQuestion(1, std::string(64, 'a'), DnsType::kIpv4), ErrorCode::kHostUnknown);
}

TEST(DnsFiles, AreReadAsTheirManualsSay) {
  const DnsSettings settings = ParseResolvConf(
      "# comment\nnameserver 10.0.0.1\nnameserver ::1 ; more\ndomain old.test\nsearch a.test b.test\noptions ndots:2 "
      "timeout:3 attempts:9 rotate\n"
      "nameserver 10.0.0.3\nnameserver 10.0.0.4\n");
  EXPECT_THAT(settings.servers, ElementsAre("10.0.0.1", "::1", "10.0.0.3"));
  EXPECT_THAT(settings.search, ElementsAre("a.test", "b.test"));
  EXPECT_EQ(settings.dots, 2);
  EXPECT_EQ(settings.attempts, 5);
  EXPECT_EQ(settings.timeout, std::chrono::seconds(3));
  EXPECT_THAT(ParseResolvConf("").servers, ElementsAre("127.0.0.1"));
  const std::string hosts = "127.0.0.1 localhost\n10.0.0.1\tone.test ONE # two.test\n10.0.0.2 one.test\n";
  EXPECT_THAT(FindInHosts(hosts, "one.test"), ElementsAre("10.0.0.1", "10.0.0.2"));
  EXPECT_THAT(FindInHosts(hosts, "One"), ElementsAre("10.0.0.1"));
  EXPECT_THAT(FindInHosts(hosts, "two.test"), IsEmpty());
}

// A name server on a free port for datagrams; what it answers is the test's.
class NameServer {
 public:
  explicit NameServer(std::function<std::vector<std::string>(const std::string&)> answer) {
    fd_ = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof in;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&in), size), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&in), &size), 0);
    port_ = ntohs(in.sin_port);
    EXPECT_EQ(pipe(stop_), 0);
    thread_ = std::thread([this, answer = std::move(answer)] { Serve(answer); });
  }
  ~NameServer() {
    close(stop_[1]);
    thread_.join();
    close(stop_[0]);
    close(fd_);
  }
  DnsSettings Settings() const {
    DnsSettings settings;
    settings.servers = {"127.0.0.1"};
    settings.port = port_;
    settings.timeout = std::chrono::milliseconds(300);
    return settings;
  }

 private:
  void Serve(const std::function<std::vector<std::string>(const std::string&)>& answer) const {
    for (;;) {
      pollfd polled[2] = {{fd_, POLLIN, 0}, {stop_[0], POLLIN, 0}};
      poll(polled, 2, -1);
      if (polled[1].revents != 0) return;
      std::string question(512, '\0');
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const ssize_t count =
          recvfrom(fd_, question.data(), question.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      question.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
      for (const std::string& message : answer(question)) {
        sendto(fd_, message.data(), message.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
      }
    }
  }
  int fd_ = -1;
  int stop_[2] = {-1, -1};
  std::uint16_t port_ = 0;
  std::thread thread_;
};

TEST(DnsResolver, FindsBothKindsOfAddresses) {
  NameServer server([](const std::string& question) {
    std::string forged = question;
    forged[0] = static_cast<char>(forged[0] ^ 1);  // another id, which is not waited for
    const std::string six = std::string(15, '\0') + "\x05";
    return std::vector<std::string>{
        Answer(forged, 0, {Record(kAsked, TypeOf(question), "\x06\x06\x06\x06")}),
        Answer(question, 0, {Record(kAsked, TypeOf(question), TypeOf(question) == 1 ? "\x0a\x01\x02\x03" : six)})};
  });
  const auto addresses = DnsResolver(server.Settings(), "")->Resolve("host.test", 80);
  PISHIP_ASSERT_OK(addresses);
  EXPECT_THAT(TextsOf(*addresses), ElementsAre("::5", "10.1.2.3"));
}

TEST(DnsResolver, SearchesDomainsAndKnowsWhatIsNotThere) {
  NameServer server([](const std::string& question) {
    const bool known = question.find(
                           "\x04host\x01"
                           "b\x04test") != std::string::npos &&
                       TypeOf(question) == 1;
    return std::vector<std::string>{known ? Answer(question, 0, {Record(kAsked, 1, "\x0a\x01\x02\x03")})
                                          : Answer(question, TypeOf(question) == 1 ? 3 : 0, {})};
  });
  DnsSettings settings = server.Settings();
  settings.search = {"a.test", "b.test"};
  const auto addresses = DnsResolver(settings, "")->Resolve("host", 80);
  PISHIP_ASSERT_OK(addresses);
  EXPECT_THAT(TextsOf(*addresses), ElementsAre("10.1.2.3"));
  PISHIP_EXPECT_ERROR(DnsResolver(settings, "")->Resolve("other", 80), ErrorCode::kHostUnknown);
  PISHIP_EXPECT_ERROR(DnsResolver(settings, "")->Resolve("host.", 80), ErrorCode::kHostUnknown);
}

TEST(DnsResolver, ASilentServerIsGivenUp) {
  NameServer server([](const std::string&) { return std::vector<std::string>(); });
  DnsSettings settings = server.Settings();
  settings.timeout = std::chrono::milliseconds(50);
  PISHIP_EXPECT_ERROR(DnsResolver(settings, "")->Resolve("host.test", 80), ErrorCode::kNetworkFailed);
}

TEST(DnsResolver, AsksNobodyForAddressesHostsAndThisMachine) {
  DnsSettings nobody;
  nobody.servers = {};
  const auto resolver = DnsResolver(nobody, "10.0.0.9 host.test\n");
  EXPECT_THAT(TextsOf(*resolver->Resolve("10.0.0.7", 80)), ElementsAre("10.0.0.7"));
  EXPECT_THAT(TextsOf(*resolver->Resolve("::7", 80)), ElementsAre("::7"));
  EXPECT_THAT(TextsOf(*resolver->Resolve("HOST.test", 80)), ElementsAre("10.0.0.9"));
  EXPECT_THAT(TextsOf(*resolver->Resolve("x.localhost", 80)), ElementsAre("::1", "127.0.0.1"));
  PISHIP_EXPECT_ERROR(resolver->Resolve("other.test", 80), ErrorCode::kNetworkFailed);
}

}  // namespace
}  // namespace piship
