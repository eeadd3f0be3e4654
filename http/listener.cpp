#include "http/listener.h"

#include <set>

namespace evq {

namespace {

// Binds and listens; `lone` says that the host has no other address.
error_code listen_on(const tcp::endpoint& endpoint, bool lone, tcp::acceptor* acceptor) {
  error_code error;
  acceptor->open(endpoint.protocol(), error);
  if (!error) {
    acceptor->set_option(asio::socket_base::reuse_address(true), error);
  }
  if (!error && !lone && endpoint.address().is_v6()) {
    acceptor->set_option(asio::ip::v6_only(true), error);  // 0.0.0.0 may be another of them
  }
  if (!error) {
    acceptor->bind(endpoint, error);
  }
  if (!error) {
    acceptor->listen(asio::socket_base::max_listen_connections, error);
  }
  if (!error) {
    acceptor->non_blocking(true, error);
  }
  return error;
}

Error cannot_listen(const HttpServerOptions& options, const error_code& error) {
  const bool taken = error == asio::error::address_in_use;
  return make_error(ErrorCode::kIo,
                    "cannot listen on " + options.host + ":" + std::to_string(options.port) + ": " +
                        error.message(),
                    taken ? "another server is there; --listen names another port" : "");
}

bool is_no_address_here(const error_code& error) {
  return error == asio::error::address_family_not_supported ||
         error == boost::system::errc::address_not_available;
}

}  // namespace

Status Listener::open(const HttpServerOptions& options, asio::io_context& context) {
  error_code error;
  tcp::resolver resolver(context);
  const auto found = resolver.resolve(options.host, std::to_string(options.port), error);
  if (error || found.empty()) {
    return make_error(ErrorCode::kUsage, "cannot resolve the address " + options.host);
  }
  std::set<tcp::endpoint> known;
  error_code absent;
  std::uint16_t port = options.port;
  for (const auto& each : found) {
    tcp::endpoint endpoint = each.endpoint();
    if (!known.insert(endpoint).second) {
      continue;
    }
    endpoint.port(port);  // a free one that was found is for all of them
    tcp::acceptor acceptor(context);
    error = listen_on(endpoint, found.size() == 1, &acceptor);
    if (is_no_address_here(error)) {
      absent = error;
      continue;
    }
    if (error) {
      return cannot_listen(options, error);
    }
    port = acceptor.local_endpoint().port();
    doors_.push_back({std::move(acceptor)});
  }
  return doors_.empty() ? Status(cannot_listen(options, absent)) : Status::success();
}

void Listener::wait_for_clients() {
  for (Door& door : doors_) {
    if (!door.waiting) {
      wait_at(door);
    }
  }
}

void Listener::wait_at(Door& door) {
  door.acceptor.async_wait(tcp::acceptor::wait_read, [this, &door](const error_code& /*error*/) {
    door.waiting = false;
    if (take_(door.acceptor)) {
      wait_at(door);
    }
  });
  door.waiting = true;
}

void Listener::close() {
  for (Door& door : doors_) {
    error_code ignored;
    door.acceptor.close(ignored);
  }
}

std::string text_of(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  return (endpoint.address().is_v6() ? "[" + address + "]" : address) + ":" +
         std::to_string(endpoint.port());
}

}  // namespace evq
