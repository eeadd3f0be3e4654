// What keeps a server answering when more is asked of it than it can do.
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "http/connection_list.h"
#include "http/dataset_turns.h"
#include "http/error_form.h"
#include "http/lane.h"
#include "http/limits.h"
#include "http/router.h"
#include "store/base/control.h"
#include "store/base/wait_scope.h"
#include "tests/support/running_server.h"

namespace evq {
namespace {

TEST_CASE("a lane runs what fits, refuses what is too much and tells what came too late") {
  std::atomic<bool> started{false};
  std::atomic<bool> enough{false};
  std::atomic<int> ran{0};
  std::atomic<int> expired{0};
  const auto run = [&] { ++ran; };
  const auto expire = [&] { ++expired; };
  {
    WorkerLane lane({1, 2, 20});
    CHECK(lane.submit(
        [&] {
          started.store(true);
          CHECK(comes_true([&] { return enough.load(); }));
        },
        expire));
    REQUIRE(comes_true([&] { return started.load(); }));
    CHECK(lane.submit(run, expire));
    CHECK(lane.submit(run, expire));
    CHECK_FALSE(lane.submit(run, expire));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    enough.store(true);
    REQUIRE(comes_true([&] { return ran + expired >= 2; }));
    CHECK(expired == 2);
    for (int tries = 0; ran < 1; ++tries) {  // where machines are busy, this comes too late as well
      CHECK(lane.submit(run, expire));
      REQUIRE(comes_true([&] { return ran + expired >= 3 + tries; }));
    }
  }
  CHECK(ran == 1);
}

TEST_CASE("what waits for too long is told while all workers are busy") {
  std::atomic<bool> enough{false};
  std::atomic<bool> started{false};
  std::atomic<int> ran{0};
  std::atomic<int> expired{0};
  const auto run = [&] { ++ran; };
  const auto expire = [&] { ++expired; };
  {
    WorkerLane lane({1, 1, 20});
    CHECK(lane.submit(
        [&] {
          started.store(true);
          CHECK(comes_true([&] { return enough.load(); }));
        },
        expire));
    REQUIRE(comes_true([&] { return started.load(); }));
    lane.expire_late();
    CHECK(lane.submit(run, expire));
    CHECK_FALSE(lane.submit(run, expire));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    lane.expire_late();
    CHECK(expired == 1);
    CHECK(lane.submit(run, expire));  // its place is free
    enough.store(true);
  }
  CHECK(ran + expired == 2);
}

TEST_CASE("of connections that cost much and have shown no right the oldest goes") {
  ConnectionList list;
  std::vector<std::size_t> closed;
  std::vector<ConnectionList::Handle> entries;
  for (std::size_t i = 0; i < kHttpUnprovenBurstMax + 3; ++i) {
    entries.push_back(list.add([&closed, i] { closed.push_back(i); }));
  }
  for (std::size_t i = 0; i < kHttpUnprovenBurstMax; ++i) {
    list.note_cost(entries[i]);
  }
  CHECK(closed.empty());
  list.prove(entries[0]);
  list.note_cost(entries[kHttpUnprovenBurstMax]);
  CHECK(closed.empty());
  list.note_cost(entries[kHttpUnprovenBurstMax + 1]);
  CHECK(closed == std::vector<std::size_t>{1});
  list.note_cost(entries[kHttpUnprovenBurstMax + 2]);  // the first one is on its way
  CHECK(closed == std::vector<std::size_t>{1, 2});
}

TEST_CASE("room for a connection is made by the one that has been idle longest") {
  ConnectionList list;
  std::vector<std::string> closed;
  const auto add = [&](const char* name) {
    return list.add([&closed, name] { closed.emplace_back(name); });
  };
  const auto busy = add("busy");
  const auto second = add("second");
  const auto first = add("first");
  list.close_oldest_idle();
  CHECK(closed.empty());  // nobody is idle yet
  list.mark(first, ConnectionState::kIdle, nullptr);
  list.mark(second, ConnectionState::kIdle, nullptr);
  list.close_oldest_idle();
  CHECK(closed == std::vector<std::string>{"first"});
  list.close_oldest_idle();  // the first one is on its way
  list.close_oldest_idle();
  list.remove(first);
  CHECK(closed == std::vector<std::string>{"first", "second"});
  CHECK(list.size() == 2);
  list.mark(second, ConnectionState::kReceiving, nullptr);
  list.close_oldest_idle();  // nobody is idle: a request that is not there yet has to do
  CHECK(closed == std::vector<std::string>{"first", "second", "second"});
  list.close_idle();  // it may be half a head
  CHECK(closed.size() == 4);
  list.mark(second, ConnectionState::kBusy, nullptr);
  list.close_oldest_idle();
  list.close_idle();
  CHECK(closed.size() == 4);
  const auto idle = add("idle");
  const auto ending = add("ending");
  list.mark(idle, ConnectionState::kIdle, nullptr);
  list.mark(ending, ConnectionState::kClosing, nullptr);
  CHECK(list.size() == 4);  // it takes a place until it is closed
  list.close_oldest_idle();
  CHECK(closed.back() == "ending");
  list.remove(idle);
  list.remove(ending);

  const auto control = std::make_shared<QueryControl>();
  list.mark(busy, ConnectionState::kBusy, control);
  list.cancel_all();  // what runs is cancelled, so that it can still be answered
  CHECK(control->should_stop());
  CHECK(closed ==
        std::vector<std::string>{"first", "second", "second", "second", "ending", "second"});
  list.remove(second);
  list.remove(busy);
  CHECK(list.size() == 0);
}

TEST_CASE("an answer is cut off for room only where no right to it was shown, and nobody waits") {
  ConnectionList list;
  std::vector<std::string> closed;
  const auto add = [&](const char* name, ConnectionState state) {
    const auto entry = list.add([&closed, name] { closed.emplace_back(name); });
    list.mark(entry, state, nullptr);
    return entry;
  };
  list.prove(add("proven", ConnectionState::kSending));
  add("busy", ConnectionState::kBusy);
  list.close_oldest_idle();
  CHECK(closed.empty());
  add("first", ConnectionState::kSending);
  add("second", ConnectionState::kSending);
  add("receiving", ConnectionState::kReceiving);
  for (int i = 0; i < 5; ++i) {
    list.close_oldest_idle();
  }
  CHECK(closed == std::vector<std::string>{"receiving", "first", "second"});
  list.close_idle();  // as before it ends: what is answered is let finish
  CHECK(closed == std::vector<std::string>{"receiving", "first", "second", "receiving"});
}

// Holds its workers while told to, and tells what the server itself has to say.
class HeldApplication final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {Lane::kQuery, 1024, {}}; }
  HttpResponse handle(HttpRequest& /*request*/) override {
    running.fetch_add(1);
    while (held.load()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return {};
  }
  HttpResponse refuse(const HttpRequest& request, const Refusal& why) const override {
    HttpResponse refusal;
    refusal.status = why.status;
    refusal.body = request.path + ": " + why.message;
    return refusal;
  }

  std::atomic<bool> held{true};
  std::atomic<std::size_t> running{0};
};

TEST_CASE("what the server says by itself is said by the application") {
  HeldApplication application;
  {
    const RunningServer server(application);
    const auto send = [&](std::string_view request) {
      auto client = std::make_unique<SocketClient>(server.port());
      REQUIRE(client->send(request));
      return client;
    };
    CHECK(send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n")
              ->read()
              .ends_with("/large: the request body is larger than the limit of 1 KiB"));
    CHECK(send("POST /larger HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n401\r\n" +
               std::string(1025, 'x') + "\r\n0\r\n\r\n")
              ->read()
              .ends_with("/larger: the request body is larger than the limit of 1 KiB"));
    // Who is refused is listened to for a while, and counts as long as that; the machine may be so
    // busy that the while is over here.
    bool counted = false;
    for (int tries = 0; tries < 5 && !counted; ++tries) {
      const auto refused = send("POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 1025\r\n\r\n");
      CHECK_FALSE(refused->read().empty());
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      counted = server.connections() > 0;
    }
    CHECK(counted);
    std::vector<std::unique_ptr<SocketClient>> clients;
    std::string answer;
    const std::size_t workers = ThreadPool::processors() * kQueriesPerProcessorMax;
    for (std::size_t i = 0; i < workers + kQueriesQueuedMax; ++i) {
      clients.push_back(send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
    }
    REQUIRE(comes_true([&] { return application.running.load() == workers; }));
    // One of them comes last, and all seats are taken.
    clients.push_back(send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
    REQUIRE(comes_true(
        [&] {
          for (const auto& client : clients) {
            answer = answer.empty() && client->readable(0) ? client->read() : answer;
          }
          return !answer.empty();
        },
        kPatienceMs));
    CHECK(answer.starts_with("HTTP/1.1 503 "));
    CHECK(answer.ends_with("/held: the server is busy, try again"));
    application.held.store(false);
  }
}

TEST_CASE("a request that waits for too long is answered while all workers are busy") {
  HeldApplication application;
  HttpServerOptions options;
  options.queue_wait_ms = 2000;
  const RunningServer server(application, options);
  const std::size_t workers = ThreadPool::processors() * kQueriesPerProcessorMax;
  std::vector<std::unique_ptr<SocketClient>> clients;
  const auto send = [&] {
    clients.push_back(std::make_unique<SocketClient>(server.port()));
    REQUIRE(clients.back()->send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
  };
  for (std::size_t i = 0; i < workers; ++i) {
    send();
    REQUIRE(comes_true([&] { return application.running.load() == i + 1; }));
  }
  send();
  CHECK(clients.back()->readable(kPatienceMs));
  CHECK(application.running.load() == workers);
  application.held.store(false);
  CHECK(clients.back()->read().ends_with("/held: the server is busy, try again"));
  CHECK(clients.front()->read().starts_with("HTTP/1.1 200 "));
  CHECK(application.running.load() == workers);
}

// Of a request that waits for events each turn has an empty page; others hold their workers.
class PagingApplication final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {Lane::kQuery, 1024, {}}; }
  HttpResponse handle(HttpRequest& request) override {
    HttpResponse response;
    if (request.path == "/watch") {
      turns.fetch_add(1);
      response.body = "an empty page";
      response.again_ms = 1;
      return response;
    }
    running.fetch_add(1);
    while (held.load()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return response;
  }
  HttpResponse refuse(const HttpRequest& /*request*/, const Refusal& why) const override {
    return error_response(why.status, why.message);
  }

  std::atomic<bool> held{true};
  std::atomic<std::size_t> turns{0};
  std::atomic<std::size_t> running{0};
};

TEST_CASE("who waits for events gets its empty page when no worker has time for the next turn") {
  PagingApplication application;
  HttpServerOptions options;
  options.queue_wait_ms = 2000;
  const RunningServer server(application, options);
  const auto send = [&](std::string_view path) {
    auto client = std::make_unique<SocketClient>(server.port());
    REQUIRE(client->send("GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n"));
    return client;
  };
  const auto watcher = send("/watch");
  REQUIRE(comes_true([&] { return application.turns.load() > 1; }));
  std::vector<std::unique_ptr<SocketClient>> clients;
  const std::size_t workers = ThreadPool::processors() * kQueriesPerProcessorMax;
  for (std::size_t i = 0; i < workers; ++i) {
    clients.push_back(send("/held"));
    REQUIRE(comes_true([&] { return application.running.load() == i + 1; }));
  }
  CHECK(watcher->readable(kPatienceMs));
  const std::string page = watcher->read();
  CHECK(page.starts_with("HTTP/1.1 200 "));
  CHECK(page.ends_with("an empty page"));
  application.held.store(false);
}

// Finds out that its requests are large once it has them.
class LargeApplication final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {Lane::kWrite, 1024, {}}; }
  HttpResponse handle(HttpRequest& request) override {
    HttpResponse response;
    if (!request.large) {
      request.large = true;
      response.again_ms = 0;
      small.fetch_add(1);
      return response;
    }
    running.fetch_add(1);
    while (held.load()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return response;
  }
  HttpResponse refuse(const HttpRequest& /*request*/, const Refusal& why) const override {
    return error_response(why.status, why.message);
  }

  std::atomic<bool> held{true};
  std::atomic<std::size_t> small{0};
  std::atomic<std::size_t> running{0};
};

TEST_CASE("requests that turn out to be large take the few seats of such") {
  LargeApplication application;
  const RunningServer server(application);
  constexpr std::size_t kClients = 2 * kHttpLargeWritesMax;
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server.port()));
    REQUIRE(clients.back()->send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n"));
  }
  CHECK(comes_true([&] { return application.small.load() == kClients; }));
  CHECK(comes_true([&] { return application.running.load() == kHttpLargeWritesMax; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(application.running.load() == kHttpLargeWritesMax);
  application.held.store(false);
  for (const auto& client : clients) {
    CHECK(client->read().starts_with("HTTP/1.1 200 "));
  }
}

TEST_CASE("a dataset is looked after by one at a time") {
  DatasetTurns turns;
  std::optional<DatasetTurns::Holder> first = turns.try_take("d");
  REQUIRE(first.has_value());
  CHECK_FALSE(turns.try_take("d").has_value());
  CHECK(turns.try_take("e").has_value());
  QueryControl control;
  std::atomic<int> done{0};
  const auto wait_for_turn = [&](bool expected) {
    const WaitScope scope(control);
    CHECK(turns.take("d").ok() == expected);
    done.fetch_add(1);
  };
  std::thread other([&] { wait_for_turn(true); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  CHECK(done.load() == 0);
  first.reset();
  other.join();
  const std::optional<DatasetTurns::Holder> second = turns.try_take("d");
  std::thread gone([&] { wait_for_turn(false); });
  control.cancel();
  gone.join();
  CHECK(done.load() == 2);
}

TEST_CASE("what goes through whole datasets has seats of its own") {
  for (const std::string_view path :
       {"/v1/datasets/d/vacuum", "/v2/datasets/d/vacuum", "/v1/_check_store"}) {
    const RouteMatch match = find_route("POST", path);
    REQUIRE(match.route != nullptr);
    CHECK(match.route->lane == Lane::kUpkeep);
  }
}

TEST_CASE("errors are said as each kind of client reads them") {
  const auto said = [](ErrorForm form, int status, const char* type = "application/json") {
    HttpRequest request;
    request.headers.emplace_back("content-type", type);
    HttpResponse response = error_response(status, "why \xff");
    put_error(form, request, "why \xff", &response);
    CHECK(response.status == status);
    return response.content_type + "|" + response.body;
  };
  const std::string why = "\"why \xef\xbf\xbd\"";
  const std::string json = "application/json|";
  CHECK(said(ErrorForm::kApi, 503) == json + "{\"code\":503,\"message\":" + why + "}");
  for (const auto& [status, code] : {std::pair(400, 6), std::pair(403, 4), std::pair(404, 404),
                                     std::pair(408, 6), std::pair(413, 27), std::pair(415, 6),
                                     std::pair(429, 9), std::pair(500, 8), std::pair(503, 9)}) {
    CHECK(said(ErrorForm::kSplunk, status) ==
          json + "{\"text\":" + why + ",\"code\":" + std::to_string(code) + "}");
  }
  for (const auto& [status, type] :
       {std::pair(400, "illegal_argument_exception"), std::pair(403, "security_exception"),
        std::pair(404, "resource_not_found_exception"),
        std::pair(413, "content_too_long_exception"),
        std::pair(429, "es_rejected_execution_exception"), std::pair(500, "exception"),
        std::pair(503, "es_rejected_execution_exception")}) {
    const std::string cause = "\"type\":\"" + std::string(type) + "\",\"reason\":" + why;
    CHECK(said(ErrorForm::kElastic, status) == json + "{\"error\":{\"root_cause\":[{" + cause +
                                                   "}]," + cause +
                                                   "},\"status\":" + std::to_string(status) + "}");
  }
  for (const auto& [status, code] :
       {std::pair(400, 3), std::pair(403, 7), std::pair(404, 5), std::pair(408, 4),
        std::pair(413, 8), std::pair(429, 8), std::pair(500, 13), std::pair(503, 14)}) {
    CHECK(said(ErrorForm::kOtlp, status, "application/json; charset=utf-8") ==
          json + "{\"code\":" + std::to_string(code) + ",\"message\":" + why + "}");
    CHECK(said(ErrorForm::kOtlp, status, "application/x-protobuf") ==
          "application/x-protobuf|\x08" + std::string(1, static_cast<char>(code)) +
              "\x12\x07why \xef\xbf\xbd");
  }
  CHECK(said(ErrorForm::kLoki, 400) == "text/plain; charset=utf-8|why \xef\xbf\xbd\n");
}

}  // namespace
}  // namespace evq
