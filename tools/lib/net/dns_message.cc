// SPDX-License-Identifier: MIT
#include "net/dns_message.h"

#include <netinet/in.h>

#include <cstring>
#include <optional>

namespace piship {
namespace {

constexpr std::size_t kHeader = 12;
constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxLabel = 63;
constexpr int kMaxJumps = 32;
constexpr int kMaxAliases = 16;
constexpr std::uint16_t kAlias = 5;
constexpr std::uint16_t kInternet = 1;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

void Append16(std::string& out, std::uint16_t value) {
  out += static_cast<char>(value >> 8);
  out += static_cast<char>(value & 0xff);
}

// Reads a message front to back; any step beyond its end makes it bad, and what is read then is zero.
class Reader {
 public:
  explicit Reader(std::string_view message) : message_(message) {}

  bool bad() const { return bad_; }
  void Seek(std::size_t at) { at_ = at; }
  std::uint8_t Byte() {
    if (at_ >= message_.size()) {
      bad_ = true;
      return 0;
    }
    return static_cast<std::uint8_t>(message_[at_++]);
  }
  std::uint16_t Number() {
    const unsigned high = Byte();
    return static_cast<std::uint16_t>(high << 8 | Byte());
  }
  std::string_view Bytes(std::size_t size) {
    if (size > message_.size() || at_ > message_.size() - size) {
      bad_ = true;
      return {};
    }
    at_ += size;
    return message_.substr(at_ - size, size);
  }
  // In lower case, with a dot behind each label; pointers lead anywhere in the message, a bounded number of times.
  std::string Name() {
    std::string name;
    std::size_t end = 0;
    for (int jumps = 0; !bad_;) {
      const std::uint8_t size = Byte();
      if (size == 0) break;
      if ((size & 0xc0) == 0xc0) {
        const std::size_t target = (static_cast<std::size_t>(size & 0x3f) << 8) | Byte();
        if (end == 0) end = at_;
        if (++jumps > kMaxJumps) bad_ = true;
        at_ = target;
        continue;
      }
      if (size > kMaxLabel || name.size() + size > kMaxName) {
        bad_ = true;
        break;
      }
      for (const char c : Bytes(size)) name += Lower(c);
      name += '.';
    }
    if (end != 0) at_ = end;
    return name;
  }
  std::size_t at() const { return at_; }

 private:
  std::string_view message_;
  std::size_t at_ = 0;
  bool bad_ = false;
};

struct Record {
  std::string owner;
  std::uint16_t type = 0;
  std::size_t data = 0;  // where it begins
  std::string_view bytes;
};

std::optional<SocketAddress> AddressFrom(const Record& record, std::uint16_t port) {
  SocketAddress address;
  if (record.bytes.size() == 4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(port);
    std::memcpy(&in.sin_addr, record.bytes.data(), 4);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
    return address;
  }
  if (record.bytes.size() == 16) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(port);
    std::memcpy(&in.sin6_addr, record.bytes.data(), 16);
    std::memcpy(&address.storage, &in, sizeof in);
    address.size = sizeof in;
    return address;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> FormatDnsQuestion(std::uint16_t id, std::string_view name, DnsType type) {
  const auto unknown = [&] {
    return Fail(ErrorCode::kHostUnknown, "'" + Printable(name) + "' can't be the name of a host",
                "Check the spelling of the host.");
  };
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty() || name.size() > kMaxName) return unknown();
  std::string out;
  Append16(out, id);
  Append16(out, 0x0100);  // a question; recursion is wanted
  Append16(out, 1);
  out.append(6, '\0');
  while (true) {
    const std::string_view label = name.substr(0, name.find('.'));
    if (label.empty() || label.size() > kMaxLabel) return unknown();
    out += static_cast<char>(label.size());
    for (const char c : label) {
      const bool fine =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
      if (!fine) return unknown();
      out += Lower(c);
    }
    if (label.size() == name.size()) break;
    name.remove_prefix(label.size() + 1);
  }
  out += '\0';
  Append16(out, static_cast<std::uint16_t>(type));
  Append16(out, kInternet);
  return out;
}

DnsAnswer ParseDnsAnswer(std::string_view message, std::string_view question, std::uint16_t port) {
  Reader reader(message);
  Reader asked(question);
  const std::uint16_t id = reader.Number();
  const std::uint16_t flags = reader.Number();
  if (id != asked.Number() || (flags & 0x8000) == 0 || reader.Number() != 1) return {};
  const std::uint16_t count = reader.Number();
  reader.Seek(kHeader);
  asked.Seek(kHeader);
  const std::string name = asked.Name();
  const std::uint16_t type = asked.Number();
  if (reader.Name() != name || reader.Number() != type || reader.Number() != kInternet || reader.bad()) return {};
  if ((flags & 0x0200) != 0) return {DnsOutcome::kTruncated};
  const unsigned code = flags & 0x000f;
  if (code == 3) return {DnsOutcome::kNoName};
  if (code != 0) return {DnsOutcome::kFailed};
  std::vector<Record> records;
  for (unsigned index = 0; index < count && !reader.bad(); ++index) {
    Record record;
    record.owner = reader.Name();
    record.type = reader.Number();
    const std::uint16_t record_class = reader.Number();
    reader.Bytes(4);  // how long it may be kept
    const std::uint16_t size = reader.Number();
    record.data = reader.at();
    record.bytes = reader.Bytes(size);
    if (record_class == kInternet && !reader.bad()) records.push_back(std::move(record));
  }
  if (reader.bad()) return {DnsOutcome::kFailed};
  DnsAnswer answer{DnsOutcome::kAnswered};
  std::string owner = name;
  for (int step = 0; step < kMaxAliases; ++step) {
    const Record* alias = nullptr;
    for (const Record& record : records) {
      if (record.owner != owner) continue;
      if (record.type == kAlias) alias = &record;
      if (record.type != type || record.bytes.size() != (type == static_cast<std::uint16_t>(DnsType::kIpv4) ? 4U : 16U))
        continue;
      if (const auto address = AddressFrom(record, port)) answer.addresses.push_back(*address);
    }
    if (!answer.addresses.empty() || alias == nullptr) break;
    Reader target(message);
    target.Seek(alias->data);
    owner = target.Name();
    if (target.bad()) return {DnsOutcome::kFailed};
  }
  return answer;
}

}  // namespace piship
