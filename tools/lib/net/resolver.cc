// SPDX-License-Identifier: MIT
#include "net/resolver.h"

#include <netdb.h>

#include <cerrno>
#include <cstring>

namespace piship {
namespace {

class GetaddrinfoResolver : public Resolver {
 public:
  Result<std::vector<SocketAddress>> Resolve(const std::string& host, std::uint16_t port) override {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_NUMERICSERV;
    addrinfo* list = nullptr;
    const int status = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
    if (status != 0) return Fail(ToError(host, status));
    std::vector<SocketAddress> addresses;
    for (const addrinfo* item = list; item != nullptr; item = item->ai_next) {
      SocketAddress& address = addresses.emplace_back();
      if (item->ai_addrlen > sizeof address.storage) {
        addresses.pop_back();
        continue;
      }
      std::memcpy(&address.storage, item->ai_addr, item->ai_addrlen);
      address.size = item->ai_addrlen;
    }
    freeaddrinfo(list);
    if (addresses.empty()) return Fail(ToError(host, EAI_NONAME));
    return addresses;
  }

 private:
  static Error ToError(const std::string& host, int status) {
    const std::string reason = status == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(status);
    const bool passing = status == EAI_AGAIN || status == EAI_SYSTEM || status == EAI_MEMORY;
    return Error{passing ? ErrorCode::kNetworkFailed : ErrorCode::kHostUnknown,
                 "can't find the address of host '" + Printable(host) + "': " + reason,
                 passing ? "" : "Check the spelling of the host and whether a proxy has to be set."};
  }
};

}  // namespace

std::shared_ptr<Resolver> SystemResolver() { return std::make_shared<GetaddrinfoResolver>(); }

}  // namespace piship
