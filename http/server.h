#pragma once
// HttpServer: HTTP/1.1 over TCP or TLS for an HttpApplication. IO threads move bytes, route heads
// and answer what is trivial; any other request reaches a worker when its body is complete, so slow
// clients hold nothing but their own connection. Deadlines for header, body rate, idling and
// writing; ambiguous framing is refused and ends the connection; a client that goes away cancels
// its request. Limits are in http/limits.h.
//
// run() serves until SIGTERM, SIGINT or, unless it is ignored, SIGHUP; then it stops accepting,
// lets requests finish, and returns; a second one ends what is left at once. They end the process
// as before until catch_signals() or run() is called.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/limits.h"
#include "http/message.h"
#include "http/metrics.h"
#include "store/base/result.h"

namespace evq {

struct HttpServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8080;    // 0: any free one
  std::string tls_certificate;  // PEM files; both or none (http/certificate.h)
  std::string tls_key;
  std::string spool_directory;        // for long bodies
  std::int64_t query_timeout_ms = 0;  // of one query; 0: none
  // Time until a request that waits for a worker is told that the server is busy.
  std::int64_t queue_wait_ms = kQueryQueueMsMax;
  // Time over which a client takes its answer at the least rate, or is left.
  std::int64_t answer_window_ms = kHttpAnswerRateWindowMs;
  // Time after which a connection without a request is ended.
  std::int64_t idle_ms = kHttpIdleMsMax;
  // Takes one line of JSON for each answered request; empty: no access log.
  std::function<void(std::string_view line)> access_log;
  // Called once, on an IO thread, when the server begins to end; may be empty.
  std::function<void()> on_drain;
  // Called on an IO thread when those files have been replaced: whether the new certificate is in
  // use, or why the one before still is. May be empty.
  std::function<void(const Status& status)> on_renewal;
};

class HttpServer {
 public:
  // Binds and listens. The application and the metrics must outlive the server.
  static Result<std::unique_ptr<HttpServer>> listen(const HttpServerOptions& options,
                                                    HttpApplication& application,
                                                    HttpMetrics& metrics);
  virtual ~HttpServer() = default;
  virtual std::uint16_t port() const = 0;
  // From here on those signals are run()'s, also those that come before it.
  virtual void catch_signals() = 0;
  // Blocks; the calling thread is one of the IO threads.
  virtual void run() = 0;
  // As SIGTERM does; from any thread.
  virtual void stop() = 0;
};

// "127.0.0.1:8080", "[::1]:0", ":8080" (loopback), "localhost:8080". kUsage for other texts.
Status parse_listen_address(std::string_view text, std::string* host, std::uint16_t* port);
// 127.0.0.0/8, ::1, localhost.
bool is_loopback_host(std::string_view host);

}  // namespace evq
