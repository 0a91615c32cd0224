// SPDX-License-Identifier: MIT
// Connections to servers and proxies, kept for the next request to the same place (HTTP/1.1 keep-alive).
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/deadline.h"
#include "net/proxy.h"
#include "net/resolver.h"
#include "net/tls.h"
#include "net/transport.h"
#include "net/url.h"

namespace piship {

struct Connection {
  std::unique_ptr<Transport> transport;
  bool reused = false;                   // it has carried a request before, so it may have been closed meanwhile
  bool absolute_form = false;            // it ends at a proxy that wants the whole URL in the request line
  std::string proxy_authorization = {};  // for such a proxy; empty where it wants none
};

class ConnectionPool {
 public:
  ConnectionPool(std::shared_ptr<Resolver> resolver, TlsSettings tls, ProxySettings proxies)
      : resolver_(std::move(resolver)), tls_settings_(std::move(tls)), proxies_(std::move(proxies)) {}

  // A kept connection that is still quiet, else a new one. May be called from several threads.
  Result<Connection> Take(const Url& url, Deadline deadline);
  Result<Connection> Open(const Url& url, Deadline deadline);
  // Keeps it for the next request to the same place.
  void Return(const Url& url, Connection connection);

 private:
  Result<std::unique_ptr<Transport>> ConnectTo(const Url& url, Deadline deadline);
  Result<std::unique_ptr<Transport>> OpenTunnel(const Url& url, const Url& proxy, Deadline deadline);
  Result<std::shared_ptr<TlsContext>> Tls();
  std::string KeyOf(const Url& url) const;

  std::shared_ptr<Resolver> resolver_;
  TlsSettings tls_settings_;
  ProxySettings proxies_;
  std::mutex mutex_;  // protects what follows
  std::shared_ptr<TlsContext> tls_;
  std::map<std::string, std::vector<Connection>> idle_;
};

}  // namespace piship
