// SPDX-License-Identifier: MIT
#include "net/dns_resolver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/files.h"
#include "net/deadline.h"
#include "net/dns_message.h"

namespace piship {
namespace {

constexpr std::size_t kMaxFile = std::size_t{4} * 1024 * 1024;
constexpr std::size_t kMaxServers = 3;
constexpr std::size_t kMaxMessage = 65'535;

std::vector<std::string_view> Words(std::string_view line) {
  line = line.substr(0, line.find_first_of("#;"));
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <class OnLine>
void ForEachLine(std::string_view text, const OnLine& on_line) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    on_line(Words(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool SameName(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<SocketAddress> AddressOf(const std::string& text, std::uint16_t port) {
  SocketAddress address;
  sockaddr_in in{};
  if (inet_pton(AF_INET, text.c_str(), &in.sin_addr) == 1) {
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
    return address;
  }
  sockaddr_in6 in6{};
  if (inet_pton(AF_INET6, text.c_str(), &in6.sin6_addr) != 1) return std::nullopt;
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(port);
  std::memcpy(&address.storage, &in6, sizeof in6);
  address.size = sizeof in6;
  return address;
}

Result<std::uint16_t> RandomId() {
  std::uint16_t id = 0;
  if (getrandom(&id, sizeof id, 0) != sizeof id) return Fail(SystemError("get random bytes", errno));
  return id;
}

bool WaitFor(int fd, short events, const Deadline& deadline) {
  pollfd polled{fd, events, 0};
  return poll(&polled, 1, deadline.PollMilliseconds()) > 0;
}

const sockaddr* Raw(const SocketAddress& address) { return reinterpret_cast<const sockaddr*>(&address.storage); }

// A connected socket takes only what comes from that server; its port is the kernel's choice, anew for each question.
DnsAnswer AskByDatagram(const SocketAddress& server, const std::string& question, std::uint16_t port,
                        Deadline deadline) {
  const UniqueFd fd(socket(server.storage.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid() || connect(fd.get(), Raw(server), server.size) != 0 ||
      send(fd.get(), question.data(), question.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(question.size())) {
    return {DnsOutcome::kFailed};
  }
  std::string message(kMaxMessage, '\0');
  while (!deadline.Passed() && WaitFor(fd.get(), POLLIN, deadline)) {
    const ssize_t size = recv(fd.get(), message.data(), message.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (size < 0) break;  // nobody listens there
    DnsAnswer answer = ParseDnsAnswer({message.data(), static_cast<std::size_t>(size)}, question, port);
    if (answer.outcome != DnsOutcome::kOther) return answer;
  }
  return {DnsOutcome::kFailed};
}

bool Receive(int fd, char* to, std::size_t size, const Deadline& deadline) {
  while (size > 0) {
    if (deadline.Passed() || !WaitFor(fd, POLLIN, deadline)) return false;
    const ssize_t count = recv(fd, to, size, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) continue;
    if (count <= 0) return false;
    to += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

DnsAnswer AskByStream(const SocketAddress& server, const std::string& question, std::uint16_t port, Deadline deadline) {
  DnsAnswer failed{DnsOutcome::kFailed};
  const UniqueFd fd(socket(server.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return failed;
  if (connect(fd.get(), Raw(server), server.size) != 0 &&
      (errno != EINPROGRESS || !WaitFor(fd.get(), POLLOUT, deadline))) {
    return failed;
  }
  std::string sent;
  sent += static_cast<char>(question.size() >> 8);
  sent += static_cast<char>(question.size() & 0xff);
  sent += question;
  // Smaller than any socket's buffer, so it is taken at once or the connection has failed.
  if (send(fd.get(), sent.data(), sent.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(sent.size())) return failed;
  std::array<char, 2> head{};
  if (!Receive(fd.get(), head.data(), head.size(), deadline)) return failed;
  std::string message(
      static_cast<std::size_t>(static_cast<unsigned char>(head[0])) << 8 | static_cast<unsigned char>(head[1]), '\0');
  if (!Receive(fd.get(), message.data(), message.size(), deadline)) return failed;
  DnsAnswer answer = ParseDnsAnswer(message, question, port);
  if (answer.outcome == DnsOutcome::kTruncated || answer.outcome == DnsOutcome::kOther) return failed;
  return answer;
}

class FileAndDnsResolver : public Resolver {
 public:
  FileAndDnsResolver(std::string hosts_file, std::string resolv_conf)
      : hosts_file_(std::move(hosts_file)), resolv_conf_(std::move(resolv_conf)) {}
  FileAndDnsResolver(DnsSettings settings, std::string hosts)
      : settings_(std::move(settings)), hosts_(std::move(hosts)) {}

  Result<std::vector<SocketAddress>> Resolve(const std::string& host, std::uint16_t port) override {
    if (const auto address = AddressOf(host, port)) return std::vector{*address};
    std::vector<SocketAddress> addresses;
    for (const std::string& text : FindInHosts(Hosts(), host)) {
      if (const auto address = AddressOf(text, port)) addresses.push_back(*address);
    }
    if (!addresses.empty()) return addresses;
    if (SameName(host, "localhost") || (host.size() > 10 && SameName(host.substr(host.size() - 10), ".localhost"))) {
      return std::vector{*AddressOf("::1", port), *AddressOf("127.0.0.1", port)};
    }
    const DnsSettings settings = Settings();
    for (const std::string& name : Candidates(settings, host)) {
      PISHIP_TRY(addresses, Lookup(settings, name, port));
      if (!addresses.empty()) return addresses;
    }
    return Fail(ErrorCode::kHostUnknown, "there is no host '" + Printable(host) + "'",
                "Check the spelling of the host and whether a proxy has to be set.");
  }

 private:
  std::string Hosts() const {
    if (hosts_) return *hosts_;
    return ReadFile(hosts_file_, kMaxFile).value_or("");
  }
  DnsSettings Settings() const {
    if (settings_) return *settings_;
    return ParseResolvConf(ReadFile(resolv_conf_, kMaxFile).value_or(""));
  }
  static std::vector<std::string> Candidates(const DnsSettings& settings, const std::string& host) {
    if (host.ends_with('.')) return {host};
    std::vector<std::string> names;
    for (const std::string& domain : settings.search) names.push_back(host + "." + domain);
    const bool first = std::count(host.begin(), host.end(), '.') >= settings.dots;
    names.insert(first ? names.begin() : names.end(), host);
    return names;
  }
  // Empty where there is no such name; an error where no server could say.
  static Result<std::vector<SocketAddress>> Lookup(const DnsSettings& settings, const std::string& name,
                                                   std::uint16_t port) {
    std::vector<SocketAddress> addresses;
    std::optional<Error> failed;
    for (const DnsType type : {DnsType::kIpv6, DnsType::kIpv4}) {
      const auto answer = Ask(settings, name, type, port);
      if (!answer) {
        // Some servers know nothing of one of the types.
        failed = answer.error();
        continue;
      }
      if (answer->outcome == DnsOutcome::kNoName) return std::vector<SocketAddress>();
      addresses.insert(addresses.end(), answer->addresses.begin(), answer->addresses.end());
    }
    if (addresses.empty() && failed) return Fail(*std::move(failed));
    return addresses;
  }
  static Result<DnsAnswer> Ask(const DnsSettings& settings, const std::string& name, DnsType type, std::uint16_t port) {
    for (int attempt = 0; attempt < settings.attempts; ++attempt) {
      for (const std::string& text : settings.servers) {
        const auto server = AddressOf(text, settings.port);
        if (!server) continue;
        PISHIP_TRY(const std::uint16_t id, RandomId());
        PISHIP_TRY(const std::string question, FormatDnsQuestion(id, name, type));
        DnsAnswer answer = AskByDatagram(*server, question, port, Deadline::In(settings.timeout));
        if (answer.outcome == DnsOutcome::kTruncated) {
          answer = AskByStream(*server, question, port, Deadline::In(settings.timeout));
        }
        if (answer.outcome != DnsOutcome::kFailed) return answer;
      }
    }
    return Fail(ErrorCode::kNetworkFailed, "no name server says what the address of '" + Printable(name) + "' is");
  }

  std::string hosts_file_;
  std::string resolv_conf_;
  std::optional<DnsSettings> settings_;
  std::optional<std::string> hosts_;
};

int NumberIn(std::string_view word, std::string_view name, int otherwise, int highest) {
  if (!word.starts_with(name)) return otherwise;
  int number = otherwise;
  std::from_chars(word.data() + name.size(), word.data() + word.size(), number);
  return std::clamp(number, name == "ndots:" ? 0 : 1, highest);
}

}  // namespace

DnsSettings ParseResolvConf(std::string_view text) {
  DnsSettings settings;
  ForEachLine(text, [&](const std::vector<std::string_view>& words) {
    if (words.size() < 2) return;
    if (words[0] == "nameserver" && settings.servers.size() < kMaxServers) settings.servers.emplace_back(words[1]);
    // The last of the two counts.
    if (words[0] == "search" || words[0] == "domain") settings.search.assign(words.begin() + 1, words.end());
    if (words[0] != "options") return;
    for (const std::string_view word : words) {
      settings.dots = NumberIn(word, "ndots:", settings.dots, 15);
      settings.attempts = NumberIn(word, "attempts:", settings.attempts, 5);
      if (word.starts_with("timeout:")) settings.timeout = std::chrono::seconds(NumberIn(word, "timeout:", 5, 30));
    }
  });
  if (settings.servers.empty()) settings.servers.emplace_back("127.0.0.1");
  return settings;
}

std::vector<std::string> FindInHosts(std::string_view hosts, std::string_view name) {
  std::vector<std::string> addresses;
  ForEachLine(hosts, [&](const std::vector<std::string_view>& words) {
    for (std::size_t index = 1; index < words.size(); ++index) {
      if (SameName(words[index], name)) {
        addresses.emplace_back(words[0]);
        return;
      }
    }
  });
  return addresses;
}

std::shared_ptr<Resolver> DnsResolver(std::string hosts_file, std::string resolv_conf) {
  return std::make_shared<FileAndDnsResolver>(std::move(hosts_file), std::move(resolv_conf));
}

std::shared_ptr<Resolver> DnsResolver(DnsSettings settings, std::string hosts) {
  return std::make_shared<FileAndDnsResolver>(std::move(settings), std::move(hosts));
}

}  // namespace piship
