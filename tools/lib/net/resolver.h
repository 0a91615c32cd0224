// SPDX-License-Identifier: MIT
// Host names to addresses. An interface, because a fully static program can't use the C library's name services and
// brings a resolver of its own.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace piship {

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

class Resolver {
 public:
  virtual ~Resolver() = default;
  // The addresses of `host` (a name, or an IPv4 or IPv6 address without brackets) in the order in which to try them;
  // never empty. kHostUnknown where there is no such name, kNetworkFailed where nobody could be asked. Called from
  // several threads.
  virtual Result<std::vector<SocketAddress>> Resolve(const std::string& host, std::uint16_t port) = 0;
};

// getaddrinfo(3): whatever the machine is configured to use. Not bounded by a deadline of ours.
std::shared_ptr<Resolver> SystemResolver();

}  // namespace piship
