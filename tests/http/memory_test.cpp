// Memory that runs out while a connection is accepted, a request is read, handed over and answered:
// that connection may end, but the server accepts the next one and answers it, and a worker still
// has what it works on when its connection has gone.
#include <atomic>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include <doctest/doctest.h>

#include "http/api.h"
#include "http/lane.h"
#include "http/metrics.h"
#include "http/router.h"
#include "http/server.h"
#include "store/base/control.h"
#include "tests/support/fault_heap.h"
#include "tests/support/running_server.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

// Longer than what strings keep within themselves.
constexpr std::string_view kLongTarget = "/a/target/that/a/string/keeps/in/memory/of/its/own";

TEST_CASE("a task that finds no memory leaves its seat to the next one") {
  std::atomic<int> told{0};
  const auto tell = [&] { ++told; };
  WorkerLane lane({1, 1, kPatienceMs});
  std::uint64_t failures = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    const int before = told.load();
    bool taken = false;
    FaultHeap::fail_at(round % 3, false);
    try {
      taken = lane.submit(tell, tell);
    } catch (const std::bad_alloc&) {  // it was not taken then
    }
    FaultHeap::heal();
    failures += FaultHeap::failed() ? 1U : 0U;
    REQUIRE(comes_true([&] { return told.load() == before + (taken ? 1 : 0); }));
    // The worker may still be on its way back.
    REQUIRE(comes_true([&] { return lane.submit(tell, tell); }));
    REQUIRE(comes_true([&] { return told.load() == before + (taken ? 2 : 1); }));
  }
  CHECK(failures > 10);
}

// Looks at its request last of all; holds its workers while told to.
class TargetApplication final : public HttpApplication {
 public:
  Admission admit(HttpRequest& /*request*/) override { return {Lane::kWrite, 1024, {}}; }
  HttpResponse handle(HttpRequest& request) override {
    running.store(true);
    while (held.load()) {
      std::this_thread::yield();
    }
    saw_its_request = request.target == kLongTarget && !request.control->cancelled();
    running.store(false);
    return {};
  }
  HttpResponse refuse(const HttpRequest& /*request*/, const Refusal& why) const override {
    return error_response(why.status, why.message);
  }

  std::atomic<bool> held{false};
  std::atomic<bool> running{false};
  std::atomic<bool> saw_its_request{true};
};

std::string get(std::uint16_t port, std::string_view request) {
  const SocketClient client(port);
  return client.send(request) ? client.read() : std::string();
}

// A server of its own, so that Asio has no memory at hand that it had before. Whether there were so
// many allocations.
bool fail_one(const std::string& request, std::uint64_t allocation) {
  TargetApplication application;
  const RunningServer server(application);
  application.held.store(true);
  {
    FaultHeap::fail_at(allocation, false);
    const SocketClient client(server.port());
    REQUIRE(client.send(request));
    const auto settled = [&] { return application.running.load() || client.readable(0); };
    const bool seen = comes_true(settled);
    application.held.store(false);
    const bool ended = client.readable(kPatienceMs);
    FaultHeap::heal();
    CHECK(seen);
    CHECK(ended);
    CHECK(comes_true([&] { return !application.running.load(); }));
  }
  const bool failed = FaultHeap::failed();
  CHECK(application.saw_its_request.load());
  CHECK(get(server.port(), request).starts_with("HTTP/1.1 200 "));
  CHECK(comes_true([&] { return server.connections() == 0; }));
  return failed;
}

TEST_CASE("memory that runs out ends a connection and takes nothing from its worker or the next") {
  const std::string request =
      "GET " + std::string(kLongTarget) + " HTTP/1.1\r\nHost: a\r\nUser-Agent: b\r\n\r\n";
  std::uint64_t allocation = 0;
  for (bool failed = true; failed; ++allocation) {
    CAPTURE(allocation);
    failed = fail_one(request, allocation);
  }
  MESSAGE("allocations: " << allocation);
  CHECK(allocation > 20);
}

// Two events, one of which cannot be kept, as each interface has them.
struct SentEvents {
  std::string_view path;
  std::string_view type;
  std::string_view body;
};

constexpr SentEvents kSentEvents[] = {
    {"/v1/ingest/d", "application/x-ndjson", "{\"n\":1}\n{\"n\":\n"},
    {"/v1/ingest/d/elastic/_bulk", "application/x-ndjson",
     "{\"index\":{}}\n{\"n\":1}\n{\"index\":{}}\n{\"n\":\n"},
    {"/v1/ingest/d/elastic/logs/_doc", "application/json", R"({"n":1})"},
    {"/services/collector", "application/json",
     R"({"event":{"n":1},"index":"d"}{"event":{"n":2},"index":"d","time":"soon"})"},
    {"/loki/api/v1/push", "application/json",
     R"({"streams":[{"stream":{"a":"b"},"values":[["1714521600000000000","a"],)"
     R"(["99999999999999999999999","b"]]}]})"},
    {"/v1/logs", "application/json",
     R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"a"}},)"
     R"({"timeUnixNano":"99999999999999999999999"}]}]}]})"},
};

// Sends them while that allocation fails; the answer.
HttpResponse ingest_with_failing(Router& router, const SentEvents& sent, std::uint64_t allocation,
                                 bool for_good) {
  HttpRequest request;
  request.method = "POST";
  request.target = request.path = sent.path;
  request.headers.emplace_back("content-type", sent.type);
  request.headers.emplace_back("x-axiom-dataset", "d");
  QueryControl control;
  request.control = &control;
  REQUIRE_FALSE(router.admit(request).refusal.has_value());
  REQUIRE(request.body.append(sent.body).ok());
  HttpResponse response;
  FaultHeap::fail_at(allocation, for_good);
  try {
    response = router.handle(request);
  } catch (const std::bad_alloc&) {  // the server says so
    FaultHeap::heal();
    response.status = 503;
  }
  FaultHeap::heal();
  return response;
}

TEST_CASE("events that memory ran out for may be sent again, and those that are stored are not") {
  HttpMetrics metrics;
  ApiOptions options;
  options.authenticate = false;
  for (const SentEvents& sent : kSentEvents) {
    for (const bool for_good : {false, true}) {
      // Of its own: with many chunks each request merges, and allocates more than the one before.
      const TempService service;
      service.ingest("d", R"({"n":0})");
      Api api(*service.operator->(), metrics, options);
      Router router(api);
      const auto rows = [&] {
        const auto stats = service.store().stats("d");
        REQUIRE(stats.ok());
        return stats->rows;
      };
      std::uint64_t allocation = 0;
      for (bool failed = true; failed; ++allocation) {
        CAPTURE(sent.path);
        CAPTURE(allocation);
        CAPTURE(for_good);
        const std::uint64_t before = rows();
        const HttpResponse response = ingest_with_failing(router, sent, allocation, for_good);
        failed = FaultHeap::failed();
        CAPTURE(response.body);
        CAPTURE(response.status);
        // What tells its sender to send all of it again.
        const bool again = response.status >= 500;
        const bool unknown =
            response.body.find("memory ran out during a commit") != std::string::npos;
        CHECK(((rows() != before) != again || unknown));
      }
      MESSAGE("allocations: " << allocation);
      CHECK(allocation > 20);
    }
  }
}

}  // namespace
}  // namespace evq
