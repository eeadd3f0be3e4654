// The client's connection: coroutines on an io_context that the calling thread runs in short turns,
// so that a cancelled control ends any wait within kTurnMs.

#include "http/client.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <thread>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include "http/beast_names.h"
#include "http/name_lookup.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/time.h"

namespace evq {
namespace {

constexpr std::int64_t kTurnMs = 50;
constexpr std::int64_t kLookupStepMsMax = 20;
// Longer unused, a kept connection is not trusted with a request that must not be repeated.
constexpr std::int64_t kTrustedIdleMs = 5'000;
constexpr std::int64_t kRetryFirstMs = 200;
constexpr std::int64_t kRetryStepMsMax = 10'000;

struct Address {
  bool tls = false;
  std::string host;
  std::string port;
  std::string prefix;  // without a slash at the end
  std::string origin;
};

Error not_an_address(const std::string& url) {
  const bool lacks_scheme =
      url.find("://") == std::string::npos && url.find_first_of(".:") != std::string::npos;
  return make_error(ErrorCode::kUsage, "'" + url + "' is not a server's address",
                    lacks_scheme ? "write http://" + url + " or https://" + url
                                 : "write http://127.0.0.1:8080 or https://host");
}

Result<Address> parse_address(const std::string& url) {
  Address address;
  std::string_view rest = url;
  const std::string_view scheme = url_scheme(url);
  if (scheme.empty()) {
    return not_an_address(url);
  }
  address.tls = scheme == "https://";
  rest.remove_prefix(scheme.size());
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  std::string_view authority = rest.substr(0, slash);
  address.prefix = std::string(rest.substr(slash));
  while (address.prefix.ends_with('/')) {
    address.prefix.pop_back();
  }
  const std::size_t bracket = authority.find(']');
  const std::size_t colon = authority.rfind(':');
  const bool port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  address.port = port ? std::string(authority.substr(colon + 1)) : address.tls ? "443" : "80";
  address.host = std::string(authority.substr(0, port ? colon : authority.size()));
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  }
  std::uint16_t number = 0;  // the resolver would take others modulo 65,536
  const char* end = address.port.data() + address.port.size();
  const auto [at, error] = std::from_chars(address.port.data(), end, number);
  if (address.host.empty() || error != std::errc() || at != end ||
      address.host.find('@') != std::string::npos) {
    return not_an_address(url);
  }
  address.origin = std::string(scheme).append(authority);
  return address;
}

bool is_ip_address(const std::string& host) {
  error_code error;
  asio::ip::make_address(host, error);
  return !error;
}

using WireRequest = http::request<http::string_body>;
using WireResponse = http::response<http::string_body>;

// A machine that has gone without a word is noticed while its answer is waited for.
void notice_silent_death(int socket) {
  const std::pair<std::pair<int, int>, int> options[] = {{{SOL_SOCKET, SO_KEEPALIVE}, 1},
                                                         {{IPPROTO_TCP, TCP_KEEPIDLE}, 60},
                                                         {{IPPROTO_TCP, TCP_KEEPINTVL}, 15},
                                                         {{IPPROTO_TCP, TCP_KEEPCNT}, 4}};
  for (const auto& [option, value] : options) {
    static_cast<void>(::setsockopt(socket, option.first, option.second, &value, sizeof(value)));
  }
}

// How far one attempt came.
struct Attempt {
  error_code error;
  const char* step = "";
  bool connected = false;  // the request may have reached the server
  bool answered = false;   // some of the answer has come
  bool stopped = false;    // whoever waits for it wants it no more
  WireResponse response;
};

error_code error_of(LookupOutcome outcome) {
  switch (outcome) {
    case LookupOutcome::kFound:
      return {};
    case LookupOutcome::kUnknownName:
      return asio::error::host_not_found;
    case LookupOutcome::kNoAnswer:
      return asio::error::host_not_found_try_again;
    case LookupOutcome::kFailed:
      return asio::error::no_recovery;
  }
  return {};
}

// Whether a refusal may be over soon. An evq server names the reason of each, and says when to come
// again where that helps; a file system that is only read stays so, and a full disk until somebody
// frees some, who had better be told.
bool may_pass(const ClientResponse& response) {
  const auto kind = response.header(ascii_lower(kErrorKindHeader));
  const bool lasts = kind.has_value() && (*kind == error_code_info(ErrorCode::kDiskFull).name ||
                                          !response.header("retry-after").has_value());
  return response.status == 429 || (response.status == 503 && !lasts);
}

// Until then, or until `control`, which may be null, says otherwise.
Status pause_for(std::int64_t ms, const QueryControl* control) {
  const std::int64_t wake_ns = monotonic_now_ns() + ms * kMillisecondNs;
  while (monotonic_now_ns() < wake_ns) {
    if (control != nullptr) {
      EVQ_TRY(control->check());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(std::min(kTurnMs, ms)));
  }
  return Status::success();
}

std::int64_t retry_after_ms(const ClientResponse& response, std::int64_t fallback) {
  const std::string_view text = response.header("retry-after").value_or("");
  std::int64_t seconds = 0;
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = error == std::errc() && at == text.data() + text.size() && seconds >= 0;
  return whole && seconds < kRetryStepMsMax / 1000 ? std::max<std::int64_t>(seconds * 1000, 1)
         : whole                                   ? kRetryStepMsMax
                                                   : fallback;
}

}  // namespace

std::string_view url_scheme(std::string_view url) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equals_ignoring_ascii_case(url.substr(0, scheme.size()), scheme)) {
      return scheme;
    }
  }
  return {};
}

std::optional<std::string_view> ClientResponse::header(std::string_view name) const {
  for (const auto& [known, value] : headers) {
    if (known == name) {
      return value;
    }
  }
  return std::nullopt;
}

struct HttpClient::State {
  HttpClientOptions options;
  Address address;
  asio::io_context io;
  asio::ssl::context tls{asio::ssl::context::tls_client};
  std::unique_ptr<PlainStream> plain_stream;
  std::unique_ptr<TlsStream> tls_stream;
  beast::flat_buffer buffer;
  std::int64_t used_ns = 0;  // when the kept connection was last good

  bool open() const { return plain_stream != nullptr || tls_stream != nullptr; }
  beast::tcp_stream& lowest() const {
    return tls_stream != nullptr ? beast::get_lowest_layer(*tls_stream) : *plain_stream;
  }
  void drop() {
    if (open()) {
      error_code ignored;
      lowest().socket().close(ignored);
    }
    plain_stream.reset();
    tls_stream.reset();
    buffer.clear();
  }

  // The server has ended the kept connection, or it has been idle for too long to tell.
  bool stale(bool only_reads) const {
    const std::int64_t idle_ms = (monotonic_now_ns() - used_ns) / kMillisecondNs;
    if (!only_reads && idle_ms > kTrustedIdleMs) {
      return true;
    }
    error_code error;
    char byte = 0;
    lowest().socket().non_blocking(true, error);
    const std::size_t size =
        lowest().socket().receive(asio::buffer(&byte, 1), tcp::socket::message_peek, error);
    return !error ? size == 0 || tls_stream == nullptr : error != asio::error::would_block;
  }

  // In short steps, because whoever wants the answer no more ends the waiting, not the look-up.
  asio::awaitable<void> resolve(Attempt& attempt, std::vector<tcp::endpoint>* found) {
    std::uint16_t port = 0;
    std::from_chars(address.port.data(), address.port.data() + address.port.size(), port);
    error_code no_digits;
    const auto digits = asio::ip::make_address(address.host, no_digits);
    if (!no_digits) {
      found->emplace_back(digits, port);
      co_return;
    }
    NameLookup lookup(address.host);
    asio::steady_timer pause(io);
    for (std::int64_t step_ms = 1; !lookup.is_done() && !attempt.stopped;) {
      pause.expires_after(std::chrono::milliseconds(step_ms));
      co_await pause.async_wait(asio::use_awaitable);
      step_ms = std::min(2 * step_ms, kLookupStepMsMax);
    }
    std::vector<std::string> addresses;
    attempt.error = attempt.stopped ? error_code(asio::error::operation_aborted)
                                    : error_of(lookup.take(&addresses));
    for (const std::string& text : addresses) {
      error_code unusable;
      const auto known = asio::ip::make_address(text, unusable);
      if (!unusable) {
        found->emplace_back(known, port);
      }
    }
  }

  asio::awaitable<void> connect(Attempt& attempt) {
    attempt.step = "cannot resolve the name of";
    std::vector<tcp::endpoint> found;
    co_await resolve(attempt, &found);
    if (attempt.error) {
      co_return;
    }
    attempt.step = "cannot connect to";
    if (address.tls) {
      tls_stream = std::make_unique<TlsStream>(io, tls);
    } else {
      plain_stream = std::make_unique<PlainStream>(io);
    }
    lowest().expires_after(std::chrono::milliseconds(options.connect_ms_max));
    co_await lowest().async_connect(found, quietly(attempt.error));
    if (attempt.error) {
      co_return;
    }
    error_code ignored;
    lowest().socket().set_option(tcp::no_delay(true), ignored);
    notice_silent_death(lowest().socket().native_handle());
    if (tls_stream != nullptr) {
      attempt.step = "no TLS with";
      if (!is_ip_address(address.host)) {  // only names are told to the server (RFC 6066, 3)
        // What SSL_set_tlsext_host_name expands to, without its cast.
        SSL_ctrl(tls_stream->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME,
                 TLSEXT_NAMETYPE_host_name, address.host.data());
      }
      tls_stream->set_verify_callback(asio::ssl::host_name_verification(address.host));
      co_await tls_stream->async_handshake(asio::ssl::stream_base::client, quietly(attempt.error));
    }
  }

  template <class Stream>
  asio::awaitable<void> exchange(Stream& stream, WireRequest& request, Attempt& attempt) {
    attempt.step = "the connection broke while sending to";
    attempt.connected = true;
    http::request_serializer<http::string_body> serializer(request);
    while (!serializer.is_done()) {
      lowest().expires_after(std::chrono::milliseconds(options.stall_ms_max));
      co_await http::async_write_some(stream, serializer, quietly(attempt.error));
      if (attempt.error) {
        co_return;
      }
    }
    attempt.step = "the connection broke while waiting for";
    http::response_parser<http::string_body> parser;
    parser.body_limit(options.answer_bytes_max);
    while (!parser.is_done()) {
      const std::int64_t patience_ms =
          attempt.answered ? options.stall_ms_max : options.answer_ms_max;
      patience_ms > 0 ? lowest().expires_after(std::chrono::milliseconds(patience_ms))
                      : lowest().expires_never();
      const std::size_t size =
          co_await http::async_read_some(stream, buffer, parser, quietly(attempt.error));
      attempt.answered = attempt.answered || size > 0;
      if (attempt.error) {
        co_return;
      }
    }
    attempt.response = parser.release();
  }

  asio::awaitable<void> perform(WireRequest& request, bool only_reads, Attempt& attempt) {
    if (open() && stale(only_reads)) {
      drop();
    }
    if (!open()) {
      co_await connect(attempt);
    }
    if (!attempt.error) {
      if (tls_stream != nullptr) {
        co_await exchange(*tls_stream, request, attempt);
      } else {
        co_await exchange(*plain_stream, request, attempt);
      }
    }
    if (attempt.error || !attempt.response.keep_alive()) {
      drop();
    } else {
      lowest().expires_never();
      used_ns = monotonic_now_ns();
    }
  }

  // One attempt; false when `control` stopped it.
  bool run(WireRequest& request, bool only_reads, Attempt& attempt, const QueryControl* control) {
    bool done = false;
    asio::co_spawn(io, perform(request, only_reads, attempt), [&](const std::exception_ptr& why) {
      done = true;
      if (why != nullptr && !attempt.error) {
        attempt.error = asio::error::fault;
      }
    });
    io.restart();
    while (!done) {
      io.run_for(std::chrono::milliseconds(kTurnMs));
      if (io.stopped() && !done) {
        io.restart();
      }
      if (!done && control != nullptr && control->should_stop()) {
        attempt.stopped = true;
        if (open()) {
          lowest().cancel();
          error_code ignored;
          lowest().socket().close(ignored);
        }
      }
    }
    return !attempt.stopped;
  }

  // What else a failure may mean: http:// and https:// were mixed up.
  std::string other_scheme(const Attempt& attempt) const {
    const bool no_tls = address.tls &&
                        attempt.error.category() == asio::error::get_ssl_category() &&
                        ERR_GET_REASON(static_cast<unsigned long>(attempt.error.value())) ==
                            SSL_R_WRONG_VERSION_NUMBER;
    const bool hung_up = !address.tls && attempt.connected && !attempt.answered &&
                         (attempt.error == http::error::end_of_stream ||
                          attempt.error == asio::error::connection_reset);
    return no_tls    ? "; is it a plain http:// server?"
           : hung_up ? "; is it an https:// server?"
                     : "";
  }

  WireRequest wire(const ClientRequest& request) const {
    WireRequest wire;
    wire.version(11);
    wire.method_string(request.method);
    wire.target(address.prefix + request.target);
    const bool default_port = address.port == (address.tls ? "443" : "80");
    const bool v6 = address.host.find(':') != std::string::npos;
    wire.set(http::field::host, (v6 ? "[" + address.host + "]" : address.host) +
                                    (default_port ? "" : ":" + address.port));
    wire.set(http::field::user_agent, "evq/" EVQ_VERSION);
    wire.set(http::field::accept, "application/json");
    if (!options.token.empty()) {
      wire.set(http::field::authorization, "Bearer " + options.token);
    }
    if (!options.organization.empty()) {
      wire.set("X-Axiom-Org-Id", options.organization);
    }
    if (!request.body.empty()) {
      wire.set(http::field::content_type, request.content_type);
    }
    if (!request.content_encoding.empty()) {
      wire.set(http::field::content_encoding, request.content_encoding);
    }
    for (const auto& [name, value] : request.headers) {
      wire.set(name, value);
    }
    wire.body() = request.body;
    wire.prepare_payload();
    return wire;
  }
};

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::~HttpClient() = default;
const std::string& HttpClient::origin() const {
  return state_->address.origin;
}

Result<std::unique_ptr<HttpClient>> HttpClient::create(const HttpClientOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  for (const std::string* text : {&options.token, &options.organization}) {
    if (text->find_first_of("\r\n") != std::string::npos) {
      return make_error(ErrorCode::kUsage, "a token or organization id cannot hold a line break");
    }
  }
  EVQ_TRY_ASSIGN(state->address, parse_address(options.url));
  error_code error;
  if (options.ca_file.empty()) {
    state->tls.set_default_verify_paths(error);
  } else {
    state->tls.load_verify_file(options.ca_file, error);
  }
  if (error) {
    return make_error(ErrorCode::kUsage, "cannot read the certificates of " + options.ca_file +
                                             ": " + error.message());
  }
  state->tls.set_verify_mode(asio::ssl::verify_peer, error);
  return std::unique_ptr<HttpClient>(new HttpClient(std::move(state)));
}

Result<ClientResponse> HttpClient::send(const ClientRequest& request, const QueryControl* control) {
  const WireRequest wire = state_->wire(request);
  const std::int64_t until = monotonic_now_ns() + state_->options.retry_ms_max * kMillisecondNs;
  std::int64_t pause_ms = kRetryFirstMs;
  bool repeated = false;
  while (true) {
    Attempt attempt;
    WireRequest copy = wire;
    const bool stopped = control != nullptr && control->should_stop();
    if (stopped || !state_->run(copy, request.only_reads, attempt, control)) {
      return control->cancelled() ? make_error(ErrorCode::kCancelled, "interrupted")
                                  : control->check().error();
    }
    if (attempt.error == http::error::body_limit) {
      return make_error(ErrorCode::kTooLarge, "the answer of " + origin() + " is larger than " +
                                                  std::to_string(state_->options.answer_bytes_max) +
                                                  " bytes");
    }
    if (attempt.error) {
      if (attempt.connected && !attempt.answered && request.only_reads && !repeated) {
        repeated = true;
        continue;
      }
      if (!attempt.connected && request.awaits_server &&
          monotonic_now_ns() + pause_ms * kMillisecondNs <= until) {
        EVQ_TRY(pause_for(pause_ms, control));
        pause_ms = std::min(pause_ms * 2, kRetryStepMsMax);
        continue;
      }
      const bool unknown = attempt.connected && !request.only_reads;
      return make_error(ErrorCode::kServer,
                        std::string(attempt.step) + " " + origin() + ": " +
                            attempt.error.message() + state_->other_scheme(attempt),
                        unknown ? "whether the request was carried out is unknown" : "");
    }
    ClientResponse response;
    response.status = static_cast<int>(attempt.response.result_int());
    for (const auto& field : attempt.response) {
      const auto name = field.name_string();
      response.headers.emplace_back(ascii_lower({name.data(), name.size()}),
                                    std::string(field.value()));
    }
    response.body = std::move(attempt.response.body());
    const bool again = may_pass(response);
    const std::int64_t wait_ms = again ? retry_after_ms(response, pause_ms) : 0;
    if (!again || monotonic_now_ns() + wait_ms * kMillisecondNs > until) {
      return response;
    }
    EVQ_TRY(pause_for(wait_ms, control));
    pause_ms = std::min(pause_ms * 2, kRetryStepMsMax);
  }
}

}  // namespace evq
