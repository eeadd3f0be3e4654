// One coroutine a connection, on one IO thread from its start to its end: read a head, admit it,
// read the body into the request, hand it to a lane of workers, wait (looking now and then whether
// the client is still there, and its token), write the answer, and again. Request and answer belong
// to the worker as well (exchange.h), which may outlive the coroutine.
//
// Asio destroys a coroutine that finds no memory to wait with, and what it was to do next is lost.
// So a connection may end like that at any time, and what must go on is no coroutine: the first IO
// thread looks after it between the others' work (server.cpp).

#include "http/connection.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <new>
#include <utility>

#include <poll.h>

#include "http/exchange.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/listener.h"
#include "http/read_deadline.h"
#include "http/receive_body.h"
#include "http/send_response.h"
#include "store/base/ascii.h"
#include "store/base/on_scope_exit.h"
#include "store/base/time.h"
#include "store/base/wait_scope.h"

namespace evq {
namespace {

// What a connection is at whenever it waits.
enum class Phase : std::uint8_t {
  kIdle,     // no request has begun to come
  kAsked,    // the same, and it was asked to end
  kHead,     // of a request that has begun to come
  kBody,     // the head is there
  kBusy,     // a complete request is with a worker
  kSending,  // its answer
  kClosing,  // after the last answer
};

// What others know of it.
ConnectionState state_in(Phase phase) {
  switch (phase) {
    case Phase::kIdle:
    case Phase::kAsked:
      return ConnectionState::kIdle;
    case Phase::kHead:
    case Phase::kBody:
      return ConnectionState::kReceiving;
    case Phase::kBusy:
      break;
    case Phase::kSending:
      return ConnectionState::kSending;
    case Phase::kClosing:
      return ConnectionState::kClosing;
  }
  return ConnectionState::kBusy;
}

template <class Stream>
class Connection : public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Shared& shared, Stream stream, const std::optional<tcp::endpoint>& client)
      : shared_(shared),
        stream_(std::move(stream)),
        peer_(client ? text_of(*client) : std::string()),
        address_(client ? client->address().to_string() : std::string()) {}
  ~Connection() { leave(); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  asio::awaitable<void> run() {
    enter();
    buffer_.reserve(kHeadBufferBytes);
    while (!shared_.draining.load()) {
      const bool more = co_await serve_one();
      if (!more) {
        break;
      }
    }
    mark(Phase::kClosing);
    co_await close();
    leave();
  }

 private:
  using Parser = RequestParser;
  static constexpr bool kIsCostly = std::is_same_v<Stream, TlsStream>;  // of memory

  tcp::socket& socket() { return beast::get_lowest_layer(stream_).socket(); }
  void expire_after_ms(std::int64_t ms) {
    beast::get_lowest_layer(stream_).expires_after(std::chrono::milliseconds(ms));
  }

  void enter() {
    std::weak_ptr<Connection> weak = this->weak_from_this();
    auto executor = stream_.get_executor();
    entry_ = shared_.connections.add([weak, executor] {
      asio::post(executor, [weak] {
        if (const auto self = weak.lock()) {
          self->make_room();
        }
      });
    });
    if constexpr (kIsCostly) {
      shared_.connections.note_cost(*entry_);
    }
    shared_.metrics.connections.fetch_add(1);
    shared_.metrics.connections_total.fetch_add(1);
  }
  // Somebody else needs its place, or the server ends: then what is a request may go on for a
  // while.
  void make_room() {
    auto& bytes = beast::get_lowest_layer(stream_);
    const bool draining = shared_.draining.load();
    if (unproven_ && !draining && (kIsCostly || phase_ == Phase::kSending)) {
      bytes.close();  // a farewell would take its time
      return;
    }
    switch (phase_) {
      case Phase::kIdle:
      case Phase::kAsked:
        phase_ = Phase::kAsked;
        bytes.cancel();
        break;
      case Phase::kHead:
        if (!draining || shared_.heads_late.load()) {
          bytes.cancel();
        }
        break;
      case Phase::kBody:
        if (!draining || shared_.hurrying.load()) {
          bytes.cancel();
        }
        break;
      case Phase::kBusy:
        break;
      case Phase::kSending:
        if (shared_.hurrying.load()) {
          bytes.close();
        }
        break;
      case Phase::kClosing:
        bytes.close();
        break;
    }
  }
  void leave() {
    if (entry_.has_value()) {
      shared_.connections.remove(*std::exchange(entry_, std::nullopt));
      shared_.metrics.connections.fetch_sub(1);
    }
  }
  void mark(Phase phase, std::shared_ptr<QueryControl> control = nullptr) {
    phase_ = phase;
    shared_.connections.mark(*entry_, state_in(phase), std::move(control));
  }

  asio::awaitable<void> close() {
    error_code error;
    expire_after_ms(kHttpLingerMsMax);
    if constexpr (std::is_same_v<Stream, TlsStream>) {
      co_await stream_.async_shutdown(quietly(error));  // ends at what is no farewell
    }
    socket().shutdown(tcp::socket::shutdown_send, error);
    auto& bytes = beast::get_lowest_layer(stream_);  // encrypted ones as they are
    std::array<char, 4096> waste{};
    while (lingering_ && !error) {
      co_await bytes.async_read_some(asio::buffer(waste), quietly(error));
    }
    bytes.close();
  }

  // One request and its answer; false when the connection is to end.
  asio::awaitable<bool> serve_one() {
    Parser parser;
    parser.header_limit(kHttpHeaderBytesMax);
    parser.body_limit(boost::none);
    error_code error;
    skip_empty_line();
    while (received().empty() || received() == "\r") {  // half of an empty line
      co_await wait_for_first_byte(error);
      if (error || phase_ == Phase::kAsked) {
        co_return false;
      }
      skip_empty_line();
    }
    mark(Phase::kHead);
    deadline_.set(kHttpHeaderMsMax);
    co_await read_head(parser, error);
    deadline_.clear();
    phase_ = Phase::kBody;  // the list has it as one that receives for as long as it did
    error = deadline_.reason(error);
    const auto exchange = std::make_shared<Exchange>(stream_.get_executor());
    HttpRequest& request = exchange->request;
    request.body = RequestBody(shared_.bodies);
    request.peer = address_;
    request.tls = std::is_same_v<Stream, TlsStream>;
    trace_id_ = make_trace_id();
    started_ns_ = monotonic_now_ns();
    if (error) {
      int status = status_of(error);
      std::string_view why = what_is_wrong(error);
      if (status == 501 && parser.get().count(http::field::content_length) != 0) {
        status = 400;  // two lengths that may disagree, whatever the encoding
        why = kTwoLengthsText;
      }
      if (status == 505 && !names_other_version(received())) {
        status = 400;
      }
      if (status != 0) {
        HttpResponse refusal = error_response(status, why.empty() ? refusal_reason(status) : why);
        refusal.close = true;
        lingering_ = true;
        co_await write(request, refusal, parser.get().method() == http::verb::head);
      }
      co_return false;
    }
    co_return co_await answer(parser, exchange);
  }

  // One empty line before a request means nothing (RFC 9112, 2.2); old clients end bodies with it.
  void skip_empty_line() {
    if (received().starts_with("\r\n")) {
      buffer_.consume(2);
    }
  }

  // What has come and nobody has taken yet.
  std::string_view received() const {
    const auto bytes = buffer_.cdata();
    return {static_cast<const char*>(bytes.data()), bytes.size()};
  }

  // A head and not a byte of the body.
  asio::awaitable<void> read_head(Parser& parser, error_code& error) {
    parser.on_chunk_header(check_chunk_);
    while (!parser.is_header_done()) {
      if (has_folded_line(received())) {
        error = http::error::bad_field;
        co_return;
      }
      buffer_.consume(parser.put(buffer_.data(), error));
      if (error != http::error::need_more) {
        co_return;
      }
      error = {};
      const std::size_t got =
          co_await stream_.async_read_some(buffer_.prepare(kHeadBufferBytes), quietly(error));
      buffer_.commit(got);
      if (error) {
        co_return;
      }
    }
  }

  asio::awaitable<void> wait_for_first_byte(error_code& error) {
    mark(Phase::kIdle);
    if (shared_.draining.load()) {
      phase_ = Phase::kAsked;
      co_return;
    }
    deadline_.set(shared_.options.idle_ms);
    const std::size_t got =
        co_await stream_.async_read_some(buffer_.prepare(kHeadBufferBytes), quietly(error));
    deadline_.clear();
    buffer_.commit(got);
    lingering_ = deadline_.reason(error) == beast::error::timeout;  // one may be on its way
  }

  asio::awaitable<bool> answer(Parser& parser, std::shared_ptr<Exchange> exchange) {
    HttpRequest& request = exchange->request;
    const bool head = parser.get().method() == http::verb::head;
    std::optional<HttpResponse> refusal = take_head(parser, request);
    Admission admission;
    if (!refusal.has_value()) {
      admission = shared_.application.admit(request);
      refusal = std::move(admission.refusal);
    }
    if (!refusal.has_value()) {
      // What needs no token, such as /healthz, shows nothing.
      const bool proven = request.identity.full || !request.identity.token_id.empty();
      if (proven && std::exchange(unproven_, false)) {
        shared_.connections.prove(*entry_);
      }
      Refusal why;
      const BodyEnd end = co_await read_body(parser, request, admission.body_bytes_max, &why);
      if (end == BodyEnd::kGone) {
        account_gone(request);
        co_return false;
      }
      if (end == BodyEnd::kRefused) {
        refusal = shared_.application.refuse(request, why);
      }
    }
    shrink_buffer();
    mark(Phase::kBusy);
    HttpResponse response;
    if (refusal.has_value()) {
      response = *std::move(refusal);
      if (!parser.is_done()) {
        response.close = true;
        lingering_ = true;
      }
    } else {
      exchange->still_allowed = std::move(admission.still_allowed);
      response = co_await handle(exchange, admission.lane);
    }
    if (!parser.get().keep_alive() || asks_to_close(request) || shared_.draining.load()) {
      response.close = true;
    }
    if (unproven_ && ++unproven_requests_ >= kHttpUnprovenRequestsMax) {
      response.close = true;
      lingering_ = true;  // more of them may be on their way
    }
    if (gone_) {
      account_gone(request);
      co_return false;
    }
    const bool sent = co_await write(request, response, head);
    co_return sent && !response.close;
  }

  // It is as long as a head between two bodies.
  void shrink_buffer() {
    if (buffer_.size() == 0 && buffer_.capacity() > kHeadBufferBytes) {
      buffer_ = beast::flat_buffer(kInputBytesMax);
      buffer_.reserve(kHeadBufferBytes);
      buffer_held_.give_back();
    }
  }

  // Copies the head and checks what Beast leaves to us; an answer when it is not acceptable.
  std::optional<HttpResponse> take_head(Parser& parser, HttpRequest& request) {
    const auto& message = parser.get();
    version_ = message.version() == 10 ? 10 : 11;
    request.method = std::string(message.method_string());
    if (request.method == "HEAD") {
      request.method = "GET";
    }
    request.target = std::string(message.target());
    for (const auto& field : message) {
      const auto name = field.name_string();
      const auto value = field.value();
      request.headers.emplace_back(ascii_lower({name.data(), name.size()}),
                                   std::string(value.data(), value.size()));
    }
    return refuse_head(request, message.version());
  }

  // The whole body into the request, held to its limit and to the least rate.
  asio::awaitable<BodyEnd> read_body(Parser& parser, HttpRequest& request, std::size_t bytes_max,
                                     Refusal* why) {
    if (parser.content_length().value_or(0) > bytes_max) {
      *why = body_too_large(bytes_max);
      co_return BodyEnd::kRefused;
    }
    error_code error;
    if (!parser.is_done() && version_ == 11 &&
        equals_ignoring_ascii_case(request.header("expect").value_or(""), "100-continue")) {
      http::response<http::empty_body> go_on{http::status::continue_, 11};
      expire_after_ms(shared_.options.answer_window_ms);
      co_await http::async_write(stream_, go_on, quietly(error));
      if (error) {
        co_return BodyEnd::kGone;
      }
    }
    BodyReceiver<Stream> receiver(stream_, deadline_, buffer_, buffer_held_, parser);
    co_return co_await receiver.receive(request, bytes_max, why);
  }

  // Runs the handler on its lane. Meanwhile the client may go: then the handler is told.
  asio::awaitable<HttpResponse> handle(std::shared_ptr<Exchange> exchange, Lane lane) {
    HttpRequest& request = exchange->request;
    shared_.metrics.request_bytes.fetch_add(request.body.size());
    request.received_ns = monotonic_now_ns();
    HttpResponse response;
    if (lane == Lane::kInline) {
      co_return shared_.application.handle(request);
    }
    // What stores events takes the time it takes: a client told otherwise would drop them.
    const std::int64_t timeout_ms =
        lane == Lane::kQuery ? shared_.options.query_timeout_ms : std::int64_t{0};
    const Counted running(shared_.metrics.requests_running);
    for (;;) {
      // A query's time is that of each turn: what lies between two of them is waiting. A write
      // keeps its control, which its claim of memory points to.
      if (exchange->control == nullptr || lane == Lane::kQuery) {
        exchange->control = std::make_shared<QueryControl>(timeout_ms);
        request.control = exchange->control.get();
      }
      mark(Phase::kBusy, exchange->control);
      const bool answered = response.again_ms.value_or(0) > 0;  // the turn before
      HttpResponse turn = co_await on_worker(exchange, lane);
      if (exchange->barred.has_value()) {
        response = shared_.application.refuse(request, {403, {}, exchange->barred});
        break;
      }
      if (exchange->turned_away && answered) {
        break;  // nothing is wrong with that answer
      }
      response = std::move(turn);
      const bool waits = response.again_ms.value_or(0) > 0;
      if (!response.again_ms.has_value() || gone_ || (waits && shared_.draining.load())) {
        break;
      }
      asio::steady_timer timer(stream_.get_executor(),
                               std::chrono::milliseconds(*response.again_ms));
      error_code ignored;
      co_await timer.async_wait(quietly(ignored));
      notice_client(*exchange->control);
      if (gone_) {
        break;
      }
    }
    request.control = nullptr;
    co_return response;
  }

  WorkerLane& workers_for(Lane lane, const HttpRequest& request) {
    if (lane == Lane::kQuery) {
      return *shared_.queries;
    }
    if (lane == Lane::kUpkeep) {
      return *shared_.upkeep;
    }
    const bool large = request.large || request.body.size() > kHttpSerialBodyBytesMax;
    return large ? *shared_.large_writes : *shared_.writes;
  }

  asio::awaitable<HttpResponse> on_worker(std::shared_ptr<Exchange> exchange, Lane lane) {
    WorkerLane& workers = workers_for(lane, exchange->request);
    exchange->finished.store(false);
    exchange->turned_away = false;
    const bool accepted = workers.submit(
        [exchange, &application = shared_.application] {
          const WaitScope scope(*exchange->control);
          finish(exchange, [&] { return application.handle(exchange->request); });
        },
        [exchange, &shared = shared_] {
          exchange->turned_away = true;
          finish(exchange, [&] { return busy(shared, exchange->request); });
        });
    if (!accepted) {
      exchange->turned_away = true;
      co_return busy(shared_, exchange->request);
    }
    // Where this ends by an exception nobody looks after a query any more; what is stored goes on.
    const OnScopeExit orphaned([&] {
      if (lane == Lane::kQuery && !exchange->finished.load()) {
        exchange->control->cancel();
      }
    });
    while (!exchange->finished.load()) {
      exchange->done.expires_after(std::chrono::milliseconds(kClientCheckMs));
      error_code ignored;
      co_await exchange->done.async_wait(quietly(ignored));
      if (!exchange->finished.load()) {
        workers.expire_late();
        notice_client(*exchange->control);
        notice_token(*exchange);
      }
    }
    co_return std::move(exchange->response);
  }

  static HttpResponse busy(Shared& shared, const HttpRequest& request) {
    shared.metrics.refused_busy.fetch_add(1);
    return shared.application.refuse(request, {503, std::string(kBusyText)});
  }

  // A client that has ended its side waits for nothing, whatever it sent before: a look at what can
  // be read would show that first, such as TLS's word of farewell.
  void notice_client(QueryControl& control) {
    pollfd ended{socket().native_handle(), POLLRDHUP, 0};
    if (::poll(&ended, 1, 0) > 0) {
      gone_ = true;
      control.cancel();
    }
  }

  // A query may run for long after its token was deleted or has expired. What cannot be found out
  // now is asked again soon.
  static void notice_token(Exchange& exchange) {
    if (exchange.still_allowed && !exchange.barred.has_value()) {
      Status allowed;
      try {
        allowed = exchange.still_allowed();
      } catch (const std::bad_alloc&) {
        return;
      }
      if (!allowed.ok() && allowed.error().code == ErrorCode::kForbidden) {
        exchange.control->cancel();
        exchange.barred = std::move(allowed).take_error();
      }
    }
  }

  // Whether all of it was sent.
  asio::awaitable<bool> write(HttpRequest& request, HttpResponse& response, bool head) {
    const SendOptions options{trace_id_, version_, head, shared_.options.answer_window_ms,
                              shared_.options.idle_ms};
    mark(Phase::kSending);
    const SendOutcome outcome = co_await send_response(stream_, response, options);
    account(request, response, outcome.body_bytes);
    co_return outcome.sent;
  }

  // Nobody is there to be answered.
  void account_gone(const HttpRequest& request) {
    HttpResponse none;
    none.status = kClientGoneStatus;
    account(request, none, 0);
  }
  void account(const HttpRequest& request, const HttpResponse& response, std::uint64_t body_bytes) {
    HttpMetrics& metrics = shared_.metrics;
    const auto digit = static_cast<std::size_t>(response.status / 100);
    if (digit < metrics.responses.size()) {
      metrics.responses.at(digit).fetch_add(1);
    }
    metrics.response_bytes.fetch_add(body_bytes);
    const std::int64_t elapsed_us = (monotonic_now_ns() - started_ns_) / kMicrosecondNs;
    metrics.request_us.fetch_add(static_cast<std::uint64_t>(elapsed_us));
    if (!shared_.options.access_log) {
      return;
    }
    const std::string line =
        access_line(request, {peer_, trace_id_, response.status, elapsed_us, body_bytes});
    shared_.options.access_log(line);
  }

  Shared& shared_;
  Stream stream_;
  ReadDeadline deadline_{beast::get_lowest_layer(stream_)};
  std::function<void(std::uint64_t, beast::string_view, error_code&)> check_chunk_ =
      [this](std::uint64_t size, beast::string_view extensions, error_code& error) {
        const auto digits_end = static_cast<std::size_t>(extensions.data() - received().data());
        error = chunk_error(size, {extensions.data(), extensions.size()},
                            received().substr(0, digits_end),
                            received().substr(digits_end + extensions.size()));
      };
  const std::string peer_;     // the client's address and port; empty when it has gone already
  const std::string address_;  // the same without the port
  beast::flat_buffer buffer_{kInputBytesMax};
  HeldBytes buffer_held_;
  std::string trace_id_;
  unsigned version_ = 11;  // of the request
  std::int64_t started_ns_ = 0;
  std::optional<ConnectionList::Handle> entry_;  // none before and after
  Phase phase_ = Phase::kBusy;
  bool unproven_ = true;               // no request has had a right to be answered
  std::size_t unproven_requests_ = 0;  // until one has
  bool gone_ = false;                  // the client has left
  bool lingering_ = false;             // input is left unread
};

// Whatever a library throws ends that connection only.
template <class Stream>
void spawn(Shared& shared, Stream stream, const std::optional<tcp::endpoint>& client) {
  const auto executor = stream.get_executor();
  auto connection = std::make_shared<Connection<Stream>>(shared, std::move(stream), client);
  asio::co_spawn(
      executor, [connection]() -> asio::awaitable<void> { return connection->run(); },
      asio::detached);
}

}  // namespace

void start_connection(Shared& shared, PlainStream stream,
                      const std::optional<tcp::endpoint>& client) {
  spawn(shared, std::move(stream), client);
}

void start_connection(Shared& shared, TlsStream stream,
                      const std::optional<tcp::endpoint>& client) {
  spawn(shared, std::move(stream), client);
}

}  // namespace evq
