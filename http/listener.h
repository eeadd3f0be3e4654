#pragma once
// Listener: the addresses where a server's clients come in. Opened before anything is served;
// errors name the address and what is wanted.

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "http/beast_support.h"

namespace evq {

// Runs on the thread of its context, which must outlive it.
class Listener {
 public:
  // Takes clients from an acceptor that has some; true when more are to be waited for there.
  using Take = std::function<bool(tcp::acceptor& acceptor)>;

  explicit Listener(Take take) : take_(std::move(take)) {}

  // Binds and listens at every address that the host's name has, at one port; accepting does not
  // block. An address that this machine has not, such as ::1 without IPv6, is passed over where
  // another is there. kUsage for a host that cannot be resolved, kIo for an address that is taken.
  Status open(const HttpServerOptions& options, asio::io_context& context);
  std::uint16_t port() const { return doors_[0].acceptor.local_endpoint().port(); }
  // Where it is not waiting already.
  void wait_for_clients();
  void close();

 private:
  struct Door {
    tcp::acceptor acceptor;
    bool waiting = false;
  };
  void wait_at(Door& door);

  const Take take_;
  std::vector<Door> doors_;  // as many as there are once it is open
};

// "127.0.0.1:8080", "[::1]:8080".
std::string text_of(const tcp::endpoint& endpoint);

}  // namespace evq
