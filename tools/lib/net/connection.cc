// SPDX-License-Identifier: MIT
#include "net/connection.h"

#include <array>

#include "net/http_client.h"
#include "net/response_reader.h"

namespace piship {
namespace {

constexpr std::size_t kIdlePerPlace = 32;

Error ProxyRefused(const Url& proxy, const Url& url, int status) {
  const std::string message =
      "proxy " + Printable(proxy.Authority()) + " answers " + std::to_string(status) + " for " + url.HostAndPort();
  if (status == 407) {
    return Error{ErrorCode::kAuthenticationFailed, message,
                 "Put the user and the password into the proxy's URL (http://user:password@host:port)."};
  }
  // A gateway's trouble may pass; a refusal does not.
  return Error{status >= 500 ? ErrorCode::kNetworkFailed : ErrorCode::kHttpFailed, message};
}

std::string ProxyAuthorization(const Url& proxy) {
  return proxy.user.empty() && proxy.password.empty() ? "" : BasicAuthorization(proxy.user, proxy.password);
}

}  // namespace

std::string BasicAuthorization(std::string_view user, std::string_view password) {
  static constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::string plain = std::string(user) + ":" + std::string(password);
  std::string text = "Basic ";
  for (std::size_t at = 0; at < plain.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = (bits << 8U) | (at + i < plain.size() ? static_cast<std::uint8_t>(plain[at + i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) text += at + i <= plain.size() ? kAlphabet[(bits >> (18 - 6 * i)) & 63U] : '=';
  }
  return text;
}

Result<Connection> ConnectionPool::Take(const Url& url, Deadline deadline) {
  while (true) {
    Connection connection;
    {
      const std::lock_guard lock(mutex_);
      const auto found = idle_.find(KeyOf(url));
      if (found == idle_.end() || found->second.empty()) break;
      connection = std::move(found->second.back());
      found->second.pop_back();
    }
    if (connection.transport->Quiet()) return connection;
  }
  return Open(url, deadline);
}

Result<Connection> ConnectionPool::Open(const Url& url, Deadline deadline) {
  Connection connection;
  const Url* proxy = ProxyFor(url, proxies_);
  if (proxy == nullptr) {
    PISHIP_TRY(connection.transport, ConnectTo(url, deadline));
  } else if (url.secure()) {
    PISHIP_TRY(connection.transport, OpenTunnel(url, *proxy, deadline));
  } else {
    PISHIP_TRY(connection.transport, ConnectTo(*proxy, deadline));
    connection.absolute_form = true;
    connection.proxy_authorization = ProxyAuthorization(*proxy);
  }
  return connection;
}

void ConnectionPool::Return(const Url& url, Connection connection) {
  connection.reused = true;
  const std::lock_guard lock(mutex_);
  std::vector<Connection>& kept = idle_[KeyOf(url)];
  if (kept.size() < kIdlePerPlace) kept.push_back(std::move(connection));
}

Result<std::unique_ptr<Transport>> ConnectionPool::ConnectTo(const Url& url, Deadline deadline) {
  PISHIP_TRY(const std::vector<SocketAddress> addresses, resolver_->Resolve(url.host, url.port));
  PISHIP_TRY(std::unique_ptr<Transport> transport, ConnectTcp(addresses, url.HostAndPort(), deadline));
  if (!url.secure()) return transport;
  PISHIP_TRY(const std::shared_ptr<TlsContext> tls, Tls());
  return tls->Handshake(std::move(transport), url.host, deadline);
}

Result<std::unique_ptr<Transport>> ConnectionPool::OpenTunnel(const Url& url, const Url& proxy, Deadline deadline) {
  PISHIP_TRY(std::unique_ptr<Transport> transport, ConnectTo(proxy, deadline));
  std::string request = "CONNECT " + url.HostAndPort() + " HTTP/1.1\r\nHost: " + url.HostAndPort() + "\r\n";
  if (const std::string authorization = ProxyAuthorization(proxy); !authorization.empty()) {
    request += "Proxy-Authorization: " + authorization + "\r\n";
  }
  PISHIP_CHECK(transport->Write(request + "\r\n", deadline));
  int status = 0;
  ResponseReader reader(
      ResponseReader::Request::kConnect,
      [&](const ResponseHead& head) -> Status {
        status = head.status;
        return {};
      },
      [](std::string_view) -> Status { return {}; });
  std::array<char, 4096> buffer;
  while (!reader.done()) {
    PISHIP_TRY(const std::size_t count, transport->Read(buffer.data(), buffer.size(), deadline));
    PISHIP_CHECK(count == 0 ? reader.FeedEnd() : reader.Feed({buffer.data(), count}));
  }
  if (status < 200 || status > 299) return Fail(ProxyRefused(proxy, url, status));
  // In TLS the client speaks first: what came already is not from the server.
  if (!reader.left_over().empty()) {
    return Fail(ErrorCode::kHttpFailed,
                "proxy " + Printable(proxy.Authority()) + " sends data before the tunnel is used");
  }
  PISHIP_TRY(const std::shared_ptr<TlsContext> tls, Tls());
  return tls->Handshake(std::move(transport), url.host, deadline);
}

// Certificates are read when the first secure connection needs them: that takes some milliseconds.
Result<std::shared_ptr<TlsContext>> ConnectionPool::Tls() {
  const std::lock_guard lock(mutex_);
  if (tls_ == nullptr) {
    PISHIP_TRY(tls_, TlsContext::Create(tls_settings_));
  }
  return tls_;
}

std::string ConnectionPool::KeyOf(const Url& url) const {
  const Url* proxy = ProxyFor(url, proxies_);
  // Plain requests through one proxy share its connections, whatever server they are for.
  if (proxy != nullptr && !url.secure()) return "proxy " + proxy->HostAndPort();
  return url.scheme + " " + url.HostAndPort();
}

}  // namespace piship
