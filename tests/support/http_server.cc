// SPDX-License-Identifier: MIT
#include "support/http_server.h"

#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <list>
#include <mutex>
#include <thread>

#include "base/files.h"

namespace piship {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr Milliseconds kStep{5};

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

SSL_CTX* MakeTls(const TestCertificate& certificate) {
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* bio = BIO_new_mem_buf(certificate.certificate_pem.data(), static_cast<int>(certificate.certificate_pem.size()));
  X509* x509 = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, x509);
  X509_free(x509);
  BIO_free_all(bio);
  bio = BIO_new_mem_buf(certificate.key_pem.data(), static_cast<int>(certificate.key_pem.size()));
  EVP_PKEY* key = PEM_read_bio_PrivateKey(bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_PrivateKey(context, key);
  EVP_PKEY_free(key);
  BIO_free_all(bio);
  return context;
}

class Stream : public ServerStream {
 public:
  Stream(int fd, SSL_CTX* tls, const std::atomic<bool>& stopping) : fd_(fd), stopping_(stopping) {
    if (tls == nullptr) return;
    ssl_ = SSL_new(tls);
    SSL_set_fd(ssl_, fd);
    open_ = SSL_accept(ssl_) == 1;
  }
  ~Stream() override {
    if (ssl_ != nullptr) {
      if (open_) SSL_shutdown(ssl_);
      SSL_free(ssl_);
    }
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  bool Send(std::string_view bytes) override {
    while (open_ && !bytes.empty()) {
      const ssize_t count = ssl_ != nullptr ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                                            : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      open_ = count > 0;
      if (open_) bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return open_;
  }

  bool Sleep(Milliseconds duration) override {
    const auto end = std::chrono::steady_clock::now() + duration;
    while (std::chrono::steady_clock::now() < end) {
      if (stopping_) return false;
      std::this_thread::sleep_for(std::min(duration, kStep));
    }
    return true;
  }

  void TunnelTo(std::uint16_t port) override {
    const UniqueFd other(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = Loopback(port);
    if (connect(other.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    std::array<char, 16384> buffer;
    while (!stopping_) {
      pollfd entries[2] = {{fd_, POLLIN, 0}, {other.get(), POLLIN, 0}};
      if (poll(entries, 2, static_cast<int>(kStep.count())) <= 0) continue;
      if (entries[0].revents != 0) {
        const ssize_t count = Read(buffer.data(), buffer.size());
        if (count <= 0 || send(other.get(), buffer.data(), static_cast<std::size_t>(count), MSG_NOSIGNAL) != count)
          return;
      }
      if (entries[1].revents != 0) {
        const ssize_t count = recv(other.get(), buffer.data(), buffer.size(), 0);
        if (count <= 0 || !Send({buffer.data(), static_cast<std::size_t>(count)})) return;
      }
    }
  }

  void Cut() { open_ = false; }

  // The head of the next request; empty when the client has gone.
  std::string ReadHead() {
    while (open_ && buffered_.find("\r\n\r\n") == std::string::npos) {
      std::array<char, 4096> buffer;
      const ssize_t count = Read(buffer.data(), buffer.size());
      if (count <= 0) return {};
      buffered_.append(buffer.data(), static_cast<std::size_t>(count));
    }
    if (!open_) return {};
    const std::size_t end = buffered_.find("\r\n\r\n") + 4;
    std::string head = buffered_.substr(0, end);
    buffered_.erase(0, end);
    return head;
  }

 private:
  ssize_t Read(char* buffer, std::size_t size) {
    return ssl_ != nullptr ? SSL_read(ssl_, buffer, static_cast<int>(size)) : recv(fd_, buffer, size, 0);
  }
  int fd_;
  const std::atomic<bool>& stopping_;
  SSL* ssl_ = nullptr;
  bool open_ = true;
  std::string buffered_;
};

ServerRequest ParseHead(std::string head, int connection) {
  const std::size_t first = head.find(' ');
  const std::size_t second = head.find(' ', first + 1);
  ServerRequest request;
  request.method = head.substr(0, first);
  request.target = head.substr(first + 1, second - first - 1);
  request.connection = connection;
  request.head = std::move(head);
  return request;
}

}  // namespace

std::string ServerRequest::Header(std::string_view name) const {
  const std::string start = "\r\n" + std::string(name) + ": ";
  const std::size_t at = head.find(start);
  if (at == std::string::npos) return {};
  const std::size_t value = at + start.size();
  return head.substr(value, head.find("\r\n", value) - value);
}

bool ServerStream::Respond(int status, std::string_view body, std::string_view extra_headers) {
  std::string head = "HTTP/1.1 " + std::to_string(status) +
                     " Status\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + std::string(extra_headers) +
                     "\r\n";
  return Send(head.append(body));
}

struct HttpServer::State {
  Handler handler;
  SSL_CTX* tls = nullptr;
  UniqueFd listener;
  std::uint16_t port = 0;
  std::atomic<bool> stopping{false};
  std::atomic<int> connections{0};
  std::thread acceptor;
  mutable std::mutex mutex;  // protects what follows
  std::vector<ServerRequest> requests;
  std::list<std::pair<UniqueFd, std::thread>> clients;

  void Accept() {
    while (true) {
      const int fd = accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0 || stopping) {
        if (fd >= 0) close(fd);
        return;
      }
      const int number = ++connections;
      const std::lock_guard lock(mutex);
      clients.emplace_back(UniqueFd(fd), std::thread([this, fd, number] { Serve(fd, number); }));
    }
  }

  void Serve(int fd, int number) {
    {
      Stream stream(fd, tls, stopping);
      while (!stopping) {
        std::string head = stream.ReadHead();
        if (head.empty()) break;
        const ServerRequest request = ParseHead(std::move(head), number);
        {
          const std::lock_guard lock(mutex);
          requests.push_back(request);
        }
        const AfterAnswer after = handler(request, stream);
        if (after == AfterAnswer::kCut) stream.Cut();
        if (after != AfterAnswer::kKeepOpen) break;
      }
    }
    shutdown(fd, SHUT_RDWR);
  }
};

HttpServer::HttpServer(Handler handler, std::optional<TestCertificate> tls) : state_(std::make_unique<State>()) {
  std::signal(SIGPIPE, SIG_IGN);  // SSL_write can't be told MSG_NOSIGNAL
  state_->handler = std::move(handler);
  if (tls) state_->tls = MakeTls(*tls);
  state_->listener.Reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  if (bind(state_->listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      listen(state_->listener.get(), 64) != 0 ||
      getsockname(state_->listener.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    std::abort();
  }
  state_->port = ntohs(address.sin_port);
  state_->acceptor = std::thread([state = state_.get()] { state->Accept(); });
}

HttpServer::~HttpServer() {
  state_->stopping = true;
  shutdown(state_->listener.get(), SHUT_RDWR);
  state_->acceptor.join();
  for (auto& [fd, thread] : state_->clients) {
    shutdown(fd.get(), SHUT_RDWR);
    thread.join();
  }
  SSL_CTX_free(state_->tls);
}

std::uint16_t HttpServer::port() const { return state_->port; }
std::string HttpServer::url() const {
  return (state_->tls != nullptr ? "https://localhost:" : "http://127.0.0.1:") + std::to_string(state_->port);
}
std::vector<ServerRequest> HttpServer::requests() const {
  const std::lock_guard lock(state_->mutex);
  return state_->requests;
}
int HttpServer::connections() const { return state_->connections; }

}  // namespace piship
