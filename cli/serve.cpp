// evq serve: the HTTP API over the store.

#include <algorithm>
#include <csignal>

#include <poll.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/log_writer.h"
#include "cli/open_service.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/terminal/text_width.h"
#include "http/fetch.h"
#include "http/router.h"
#include "http/server.h"
#include "http/token_store.h"
#include "http/upkeep.h"
#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/process.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

void write_line(std::string_view line) {
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

// While the server serves: nothing is written where that would wait for who reads it.
void write_line_now(std::string_view line) {
  pollfd ready{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&ready, 1, 0) > 0) {
    write_line(line);
  }
}

Status check_exposure(const ServeCommand& command, const std::string& host) {
  if (command.no_auth && !is_loopback_host(host)) {
    return make_error(ErrorCode::kUsage, "--no-auth is for loopback addresses only",
                      "listen on 127.0.0.1, or create tokens with evq token create");
  }
  if (command.tls_certificate.empty() != command.tls_key.empty()) {
    return make_error(ErrorCode::kUsage, "--tls-cert and --tls-key belong together");
  }
  for (const std::string& origin : command.cors_origins) {
    const bool scheme = origin.starts_with("http://") || origin.starts_with("https://");
    if (origin != "*" && (!scheme || std::ranges::count(origin, '/') != 2)) {
      return make_error(ErrorCode::kUsage, "'" + origin + "' is not the origin of web pages",
                        "write http://localhost:3000, https://example.org, or *");
    }
  }
  return Status::success();
}

Result<ServiceOptions> make_service_options(const ServeCommand& command) {
  ServiceOptions options;
  options.background_upkeep = true;
  keep_decoded_data(&options);
  if (!command.cache_size.empty()) {
    EVQ_TRY_ASSIGN(options.cache_bytes, parse_size(command.cache_size));
    options.cache_bytes_grown = options.cache_bytes;
  }
  options.memory_limit_bytes = kQueryMemoryBytesDefault;
  if (!command.memory_limit.empty()) {
    EVQ_TRY_ASSIGN(options.memory_limit_bytes, parse_size(command.memory_limit));
  }
  options.memory_total_bytes = options.memory_limit_bytes;
  options.external.prefixes = command.external_prefixes;
  options.external.fetch = fetch_address;
  return options;
}

// Without any token nobody could get in: the first one is made and shown once.
Status bootstrap(Service& service) {
  TokenSpec spec;
  spec.name = "first run";
  spec.description = "made by the first start of evq serve";
  spec.capabilities = full_capabilities();
  auto made = create_first_token(service.store().definitions(), spec);
  if (!made.ok() && made.error().code == ErrorCode::kReadOnly) {
    return make_error(ErrorCode::kReadOnly,
                      "the store has no token yet, and none can be made: " + made.error().message,
                      "make one where it can be written (evq token create), or add --no-auth");
  }
  EVQ_TRY_ASSIGN(const std::optional<CreatedToken> created, std::move(made));
  if (created.has_value()) {
    write_line("evq: first token, shown this once: " + created->secret + "\n");
  }
  // Made here if it never was: requests are admitted by threads that must not wait for it.
  EVQ_TRY(organization_id(service.store().definitions()));
  return Status::success();
}

Status serve(const GlobalOptions& global, const ServeCommand& command) {
  set_up_heap(HeapUse::kQueries);
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the log may stop
  HttpServerOptions server;
  if (const Setting& remote = global.settings.setting("server");
      remote.weight == SettingWeight::kOption) {
    return make_error(ErrorCode::kUsage,
                      "--server does not go with evq serve, which serves a store",
                      "name the store with --store");
  }
  EVQ_TRY(parse_listen_address(command.listen, &server.host, &server.port));
  EVQ_TRY(check_exposure(command, server.host));
  EVQ_TRY_ASSIGN(ServiceOptions service_options, make_service_options(command));
  const auto timeout_ms = static_cast<std::int64_t>(command.timeout_s * 1000);
  server.query_timeout_ms = timeout_ms > 0 ? timeout_ms : kQueryTimeMsDefault;
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service,
                 open_service(global, std::move(service_options)));
  HttpMetrics metrics;
  LogWriter log(STDERR_FILENO, metrics.log_lines_dropped);
  ApiOptions api_options;
  api_options.authenticate = !command.no_auth;
  api_options.cors_origins = command.cors_origins;
  api_options.requests_per_minute = command.rate_limit;
  api_options.spool_directory = global.store;
  Api api(*service, metrics, std::move(api_options));
  server.tls_certificate = command.tls_certificate;
  server.tls_key = command.tls_key;
  server.spool_directory = global.store;
  if (!global.quiet && !command.no_access_log) {
    EVQ_TRY(log.start());
    // What reverses a line or ends it is JSON, but nothing for a terminal.
    server.access_log = [&log](std::string_view line) {
      log.write(is_ascii(line) ? std::string(line) : harmless_text(line));
    };
  }
  server.on_drain = [] {
    tell_service_manager("STOPPING=1");
    write_line_now("evq: stopping when running requests are done; once more stops at once\n");
  };
  server.on_renewal = [](const Status& status) {
    write_line_now(status.ok()
                       ? "evq: new connections get the new certificate\n"
                       : "evq: the certificate stays as it was: " + status.error().message + "\n");
  };
  Router router(api);
  EVQ_TRY_ASSIGN(const std::unique_ptr<HttpServer> listening,
                 HttpServer::listen(server, router, metrics));
  if (!command.no_auth) {
    EVQ_TRY(bootstrap(*service));
  }
  listening->catch_signals();
  if (is_interrupted()) {  // just before
    return make_error(ErrorCode::kCancelled, "interrupted");
  }
  Upkeep upkeep(api, command.upkeep_ms);
  api.upkeep_due = [&upkeep](std::string_view dataset) { upkeep.hurry(dataset); };
  EVQ_TRY(upkeep.start());
  const std::string scheme = server.tls_key.empty() ? "http" : "https";
  const bool v6 = server.host.find(':') != std::string::npos;
  write_line("evq: listening on " + scheme + "://" + (v6 ? "[" + server.host + "]" : server.host) +
             ":" + std::to_string(listening->port()) + "\n");
  tell_service_manager("READY=1");
  listening->run();
  return Status::success();
}

}  // namespace

int run_serve(const GlobalOptions& global, const ServeCommand& command) {
  keep_memory_private();
  const Status status = serve(global, command);
  return status.ok() ? 0 : report_error(status.error());
}

}  // namespace evq
