// SPDX-License-Identifier: MIT
#include "net/transport.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "base/files.h"

namespace piship {
namespace {

constexpr std::chrono::milliseconds kNextAddressAfter{250};

Error NetworkError(std::string_view action, std::string_view name, std::string_view reason) {
  return Error{ErrorCode::kNetworkFailed, std::string(action) + " " + Printable(name) + ": " + std::string(reason)};
}

class TcpTransport : public Transport {
 public:
  TcpTransport(UniqueFd socket, std::string name) : socket_(std::move(socket)), name_(std::move(name)) {}

  Result<std::size_t> Read(char* buffer, std::size_t size, Deadline deadline) override {
    while (true) {
      const ssize_t count = recv(socket_.get(), buffer, size, 0);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EAGAIN || errno == EWOULDBLOCK) {
        PISHIP_CHECK(Wait(POLLIN, deadline, "read from"));
      } else if (errno != EINTR) {
        return Fail(NetworkError("read from", name_, std::strerror(errno)));
      }
    }
  }

  Status Write(std::string_view bytes, Deadline deadline) override {
    while (!bytes.empty()) {
      // MSG_NOSIGNAL: a closed connection is an error to report, not a signal.
      const ssize_t count = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count >= 0) {
        bytes.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        PISHIP_CHECK(Wait(POLLOUT, deadline, "write to"));
      } else if (errno != EINTR) {
        return Fail(NetworkError("write to", name_, std::strerror(errno)));
      }
    }
    return {};
  }

  bool Quiet() override {
    pollfd entry{socket_.get(), POLLIN, 0};
    return poll(&entry, 1, 0) == 0;
  }

 private:
  Status Wait(short events, Deadline deadline, std::string_view action) const {
    while (true) {
      if (deadline.Passed()) return Fail(NetworkError(action, name_, "timed out"));
      pollfd entry{socket_.get(), events, 0};
      const int ready = poll(&entry, 1, deadline.PollMilliseconds());
      if (ready > 0) return {};
      if (ready < 0 && errno != EINTR) return Fail(NetworkError(action, name_, std::strerror(errno)));
    }
  }

  UniqueFd socket_;
  std::string name_;
};

// The race between the addresses of one host.
class ConnectRace {
 public:
  ConnectRace(const std::vector<SocketAddress>& addresses, std::string_view name, Deadline deadline)
      : addresses_(addresses), name_(name), deadline_(deadline) {}

  Result<UniqueFd> Run() {
    while (true) {
      if (UniqueFd winner = StartNext(); winner.valid()) return winner;
      if (running_.empty() && next_ == addresses_.size()) return Fail(NetworkError("connect to", name_, reason_));
      if (deadline_.Passed()) return Fail(NetworkError("connect to", name_, "timed out"));
      if (UniqueFd winner = Await(); winner.valid()) return winner;
    }
  }

 private:
  // Begins with the next address if it is its turn; gives the socket of a connection that was made at once.
  UniqueFd StartNext() {
    while (next_ < addresses_.size() && (running_.empty() || next_start_.Passed())) {
      const SocketAddress& address = addresses_[next_++];
      next_start_ = Deadline::In(kNextAddressAfter);
      UniqueFd fd(socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
      if (!fd.valid()) {
        reason_ = std::strerror(errno);
        continue;
      }
      if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) == 0) return fd;
      if (errno == EINPROGRESS || errno == EINTR) {
        running_.push_back(std::move(fd));
      } else {
        reason_ = std::strerror(errno);
      }
    }
    return UniqueFd();
  }

  // Waits until one of the running attempts ends or the next may start.
  UniqueFd Await() {
    if (running_.empty()) return UniqueFd();
    std::vector<pollfd> entries;
    for (const UniqueFd& fd : running_) entries.push_back({fd.get(), POLLOUT, 0});
    const Deadline until = next_ < addresses_.size() ? Deadline::Earlier(deadline_, next_start_) : deadline_;
    if (poll(entries.data(), entries.size(), until.PollMilliseconds()) <= 0) return UniqueFd();
    for (std::size_t i = entries.size(); i-- > 0;) {
      if (entries[i].revents == 0) continue;
      int error = 0;
      socklen_t size = sizeof error;
      if (getsockopt(running_[i].get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
      if (error == 0) return std::move(running_[i]);
      reason_ = std::strerror(error);
      running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return UniqueFd();
  }

  const std::vector<SocketAddress>& addresses_;
  std::string_view name_;
  Deadline deadline_;
  Deadline next_start_ = Deadline::In(std::chrono::milliseconds(0));
  std::size_t next_ = 0;
  std::vector<UniqueFd> running_;
  std::string reason_ = "no address";
};

}  // namespace

Result<std::unique_ptr<Transport>> ConnectTcp(const std::vector<SocketAddress>& addresses, std::string_view name,
                                              Deadline deadline) {
  PISHIP_TRY(UniqueFd socket, ConnectRace(addresses, name, deadline).Run());
  // Requests are single writes and must not wait for more of them.
  const int on = 1;
  setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  return std::unique_ptr<Transport>(std::make_unique<TcpTransport>(std::move(socket), std::string(name)));
}

}  // namespace piship
