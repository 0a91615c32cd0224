// SPDX-License-Identifier: MIT
// A server on a free loopback port whose answers a test writes byte by byte: also wrong, slow and endless ones. It
// plays registries and proxies. A handler runs on the connection's thread; destruction closes every connection.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/test_certificates.h"

namespace piship {

struct ServerRequest {
  std::string method;
  std::string target;
  std::string head;    // all lines as they came
  int connection = 0;  // counted from 1
  // The header's value, or empty.
  std::string Header(std::string_view name) const;
};

class ServerStream {
 public:
  virtual ~ServerStream() = default;
  // False once the client has gone.
  virtual bool Send(std::string_view bytes) = 0;
  // Waits, or less where the server is being stopped; false then.
  virtual bool Sleep(std::chrono::milliseconds duration) = 0;
  // A whole response with Content-Length.
  bool Respond(int status, std::string_view body, std::string_view extra_headers = {});
  // Passes bytes both ways until one side closes.
  virtual void TunnelTo(std::uint16_t port) = 0;
};

enum class AfterAnswer : std::uint8_t {
  kKeepOpen,
  kClose,
  kCut,  // closes without the end that TLS promises
};

class HttpServer {
 public:
  using Handler = std::function<AfterAnswer(const ServerRequest&, ServerStream&)>;
  explicit HttpServer(Handler handler, std::optional<TestCertificate> tls = std::nullopt);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  // "http://127.0.0.1:<port>", for TLS "https://localhost:<port>".
  std::string url() const;
  std::vector<ServerRequest> requests() const;
  int connections() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace piship
