// SPDX-License-Identifier: MIT
// A connected stream of bytes whose every operation has a deadline. Layers stack: TLS (tls.h) lies on any other
// transport, so TLS through an HTTPS proxy's tunnel is TLS on TLS on TCP, without a type for each combination.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/deadline.h"
#include "net/resolver.h"

namespace piship {

class Transport {
 public:
  virtual ~Transport() = default;
  // Up to `size` bytes, at least one; 0 when the other end has closed in order. Errors are kNetworkFailed (and for TLS
  // kTlsFailed); after one the transport is of no more use.
  virtual Result<std::size_t> Read(char* buffer, std::size_t size, Deadline deadline) = 0;
  // All of `bytes`.
  virtual Status Write(std::string_view bytes, Deadline deadline) = 0;
  // Nothing unread and not closed: between two requests anything else means that it can't be used again.
  virtual bool Quiet() = 0;
};

// Tries the addresses in their order, the next one a quarter of a second after the one before or as soon as that has
// failed (RFC 8305); the first that answers wins. `name` ("host:port") is the subject of errors.
Result<std::unique_ptr<Transport>> ConnectTcp(const std::vector<SocketAddress>& addresses, std::string_view name,
                                              Deadline deadline);

}  // namespace piship
