// The server: clients are taken and given to the IO threads' connections (connection.h), and what
// must go on is looked after by the first of those threads between the others' work.

#include "http/server.h"

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "http/beast_support.h"
#include "http/certificate.h"
#include "http/connection.h"
#include "http/idle_watch.h"
#include "http/io_threads.h"
#include "http/limits.h"
#include "http/listener.h"
#include "http/tls_greeting.h"
#include "store/base/heap.h"
#include "store/base/process.h"
#include "store/base/time.h"

namespace evq {
namespace {

// At least about half of the descriptors are left for the files that requests need: who opens one
// cannot make connections go.
std::size_t connections_max() {
  return std::min(kHttpConnectionsMax, descriptor_limit() / 2);
}

class BeastServer final : public HttpServer {
 public:
  BeastServer(const HttpServerOptions& options, HttpApplication& application, HttpMetrics& metrics)
      : shared_(options, application, metrics),
        signals_(io_.first()),
        certificate_(options.tls_certificate, options.tls_key) {}

  Status open() {
    if (certificate_.is_wanted()) {
      EVQ_TRY(certificate_.load());
    }
    return listener_.open(shared_.options, io_.first());
  }

  std::uint16_t port() const override { return listener_.port(); }

  void catch_signals() override {
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    struct sigaction hangup {};
    if (::sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {  // nohup
      signals_.add(SIGHUP);
    }
  }

  void run() override {
    raise_descriptor_limit();
    catch_signals();
    wait_for_signal();
    listener_.wait_for_clients();
    io_.run([this] { look_after(); }, shared_.metrics);
    shared_.queries.reset();
    shared_.writes.reset();
    shared_.large_writes.reset();
    shared_.upkeep.reset();
  }

  void stop() override {
    asio::post(io_.first(), [this] { drain(); });
  }

 private:
  void wait_for_signal() {
    signals_.async_wait([this](const error_code& error, int /*signal*/) {
      if (!error) {
        drain();
        wait_for_signal();
      }
    });
  }

  void look_after() {
    const std::int64_t now_ns = monotonic_now_ns();
    const bool few_bodies = bodies_watch_.is_due(shared_.bodies->memory.held.load(), now_ns);
    const HttpMetrics& metrics = shared_.metrics;
    const std::uint64_t each =
        certificate_.is_wanted() ? kHttpTlsConnectionBytes : kHttpConnectionBytes;
    const bool few_clients = connections_watch_.is_due(shared_.connections.size() * each, now_ns);
    if (idle_watch_.is_due(metrics.requests_running.load(), metrics.queries.load(), now_ns) ||
        few_bodies || few_clients) {
      static_cast<void>(shared_.writes->submit([] { return_free_memory(); }, [] {}));
    }
    if (shared_.draining.load()) {
      go_on_draining();
      return;
    }
    if (certificate_.is_wanted()) {
      renew_certificate(now_ns);
    }
    listener_.wait_for_clients();
  }

  void renew_certificate(std::int64_t now_ns) {
    if (const std::optional<Status> renewed = certificate_.renew(now_ns);
        renewed.has_value() && shared_.options.on_renewal) {
      shared_.options.on_renewal(*renewed);
    }
  }

  // Those who have come, but not so many that others wait for long, and one at a time where another
  // has to go for it. False when descriptors are short, or the server is to end.
  bool take_clients(tcp::acceptor& acceptor) {
    constexpr int kClientsAtOnceMax = 64;
    for (int taken = 0; taken < kClientsAtOnceMax; ++taken) {
      if (shared_.draining.load()) {
        return false;
      }
      tcp::socket socket(io_.next());
      error_code error;
      acceptor.accept(socket, error);
      if (error == asio::error::would_block) {
        return true;
      }
      const std::size_t open = shared_.connections.size();
      const std::size_t most = connections_max();
      const bool crowded = error || open >= most;
      if (crowded) {
        shared_.connections.close_oldest_idle();
      }
      if (!error && open < most + most / 8) {
        start(std::move(socket));
      }
      if (crowded) {
        return !error;
      }
    }
    return true;
  }

  void start(tcp::socket socket) {
    error_code error;
    socket.set_option(tcp::no_delay(true), error);
    const tcp::endpoint remote = socket.remote_endpoint(error);
    const std::optional<tcp::endpoint> client = error ? std::nullopt : std::optional(remote);
    if (certificate_.is_wanted()) {
      greet_over_tls(shared_, std::move(socket), certificate_.context(), client);
    } else {
      start_connection(shared_, PlainStream(std::move(socket)), client);
    }
  }

  void drain() {
    if (shared_.draining.exchange(true)) {
      shared_.connections.cancel_all();
      io_.stop();  // asked twice
      return;
    }
    listener_.close();
    drain_started_ns_ = monotonic_now_ns();
    if (shared_.options.on_drain) {
      shared_.options.on_drain();
    }
  }

  void go_on_draining() {
    const std::int64_t waited_ms = (monotonic_now_ns() - drain_started_ns_) / kMillisecondNs;
    if (shared_.connections.size() == 0 || waited_ms > kHttpDrainMsMax + kHttpDrainMsMax / 8) {
      io_.stop();
      return;
    }
    shared_.heads_late.store(waited_ms > kHttpDrainHeadMsMax);
    shared_.connections.close_idle();
    if (waited_ms > kHttpDrainMsMax) {
      shared_.hurrying.store(true);
      shared_.connections.cancel_all();
    }
  }

  Shared shared_;
  IoThreads io_;
  asio::signal_set signals_;
  // Of the first IO thread.
  Certificate certificate_;
  Listener listener_{[this](tcp::acceptor& acceptor) { return take_clients(acceptor); }};
  std::int64_t drain_started_ns_ = 0;
  QuietWatch bodies_watch_;
  QuietWatch connections_watch_;
  IdleWatch idle_watch_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(const HttpServerOptions& options,
                                                       HttpApplication& application,
                                                       HttpMetrics& metrics) {
  auto server = std::make_unique<BeastServer>(options, application, metrics);
  EVQ_TRY(server->open());
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace evq
