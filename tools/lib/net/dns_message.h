// SPDX-License-Identifier: MIT
// One question to a name server and its answer (RFC 1035, RFC 3596), as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/resolver.h"

namespace piship {

enum class DnsType : std::uint16_t { kIpv4 = 1, kIpv6 = 28 };

enum class DnsOutcome : std::uint8_t {
  kAnswered,   // with addresses, or without where the name has none of that type
  kNoName,     // there is no such name
  kTruncated,  // ask again over TCP
  kFailed,     // the server can't say: ask another one
  kOther,      // no answer to this question: wait on
};

struct DnsAnswer {
  DnsOutcome outcome = DnsOutcome::kOther;
  std::vector<SocketAddress> addresses = {};
};

// kHostUnknown where the name can't be one of a host: an empty or long label, a character that no host has.
Result<std::string> FormatDnsQuestion(std::uint16_t id, std::string_view name, DnsType type);
// Only an answer with this id that repeats the question is one. Aliases (CNAME) are followed within the message.
DnsAnswer ParseDnsAnswer(std::string_view message, std::string_view question, std::uint16_t port);

}  // namespace piship
