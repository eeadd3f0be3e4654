#pragma once
// A server over an application of the test's own, and a client that is no more than a socket. Both
// end with their scope.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/server.h"
#include "tests/support/comes_true.h"

namespace evq {

// A client that needs no memory until it reads. `receive_bytes`: of the system's buffer; 0: as many
// as the system likes.
class SocketClient {
 public:
  explicit SocketClient(std::uint16_t port, int receive_bytes = 0)
      : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes != 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~SocketClient() { ::close(socket_); }
  SocketClient(const SocketClient&) = delete;
  SocketClient& operator=(const SocketClient&) = delete;

  bool send(std::string_view text) const {
    return connected_ && ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL) ==
                             static_cast<ssize_t>(text.size());
  }
  // Something to read, or the end.
  bool readable(int patience_ms) const {
    pollfd wanted{socket_, POLLIN, 0};
    return ::poll(&wanted, 1, patience_ms) > 0;
  }
  // Whether the other side has thrown away what was sent to it.
  bool was_reset() const {
    pollfd wanted{socket_, 0, 0};
    return ::poll(&wanted, 1, 0) > 0 && (wanted.revents & POLLERR) != 0;
  }
  // What comes first, or nothing.
  std::string read(std::size_t bytes_max = 4096) const {
    char piece[4096];
    const std::size_t size = std::min(bytes_max, sizeof piece);
    const ssize_t got = readable(kPatienceMs) ? ::recv(socket_, piece, size, 0) : 0;
    return got > 0 ? std::string(piece, static_cast<std::size_t>(got)) : std::string();
  }

 private:
  int socket_;
  bool connected_ = false;
};

class RunningServer {
 public:
  explicit RunningServer(HttpApplication& application, HttpServerOptions options = {}) {
    options.port = 0;
    auto server = HttpServer::listen(options, application, metrics_);
    REQUIRE(server.ok());
    server_ = std::move(server).value();
    thread_ = std::thread([this] { server_->run(); });
    const SocketClient first(port());
    REQUIRE(comes_true([this] { return metrics_.connections_total.load() == 1; }));
  }
  ~RunningServer() {
    server_->stop();
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  std::uint16_t port() const { return server_->port(); }
  std::int64_t connections() const { return metrics_.connections.load(); }

 private:
  HttpMetrics metrics_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

}  // namespace evq
