// A disk and a memory that fail under every route: each call of the system and each allocation of
// SQLite that a request makes fails in turn, or as many of them as there are rounds, evenly spread.
// The answer is then what it would have been, or an error of the server that says something; and
// the store is sound and answers the request as soon as all is well again. EVQ_FAULT_ROUNDS says
// how many faults are tried, EVQ_FAULT_SEED repeats a run.
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "apl/service/service.h"
#include "http/metrics.h"
#include "http/router.h"
#include "http/token_store.h"
#include "store/base/control.h"
#include "tests/support/environment_number.h"
#include "tests/support/fault_memory.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

struct Ask {
  std::string_view method;
  std::string_view target;
  std::string_view body;
  bool steady = false;  // the same answer each time
};

#define EVQ_TEST_RANGE R"("startTime":"2000-01-01T00:00:00Z","endTime":"2100-01-01T00:00:00Z")"

#define EVQ_TEST_BOARD                                             \
  R"("charts":[],"layout":[],"refreshTime":60,"schemaVersion":2,)" \
  R"("timeWindowStart":"qr-now-1h","timeWindowEnd":"qr-now")"

constexpr Ask kAsks[] = {
    {"GET", "/healthz", "", true},
    {"GET", "/ready", "", true},
    {"GET", "/metrics", ""},
    {"GET", "/v1/ingest/d/elastic", "", true},
    {"GET", "/v1/ingest/d/elastic/_index_template/t", "", true},
    {"PUT", "/v1/ingest/d/elastic/_index_template/t", "{}", true},
    {"POST", "/v1/ingest/d/elastic/_refresh", "", true},
    {"GET", "/services/collector/health", "", true},

    {"POST", "/v1/ingest/d", R"([{"n":100},{"n":101,"more":"x"}])"},
    {"POST", "/v1/datasets/new/ingest", R"([{"n":100}])"},
    {"POST", "/v1/ingest/d/elastic/_bulk", "{\"index\":{}}\n{\"n\":1}\n"},
    {"POST", "/v1/ingest/d/elastic/i/_doc", R"({"n":1})"},
    {"POST", "/services/collector/event?index=d", R"({"event":{"n":1}})"},
    {"POST", "/services/collector/raw?index=d", "a line\n"},
    {"POST", "/loki/api/v1/push",
     R"({"streams":[{"stream":{"a":"b"},"values":[["1714521600000000000","line"]]}]})"},
    {"POST", "/v1/logs",
     R"({"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"x"}}]}]}]})"},
    {"POST", "/v1/traces",
     R"({"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x","traceId":"5b8efff798038103d269b633813fc60c"}]}]}]})"},

    {"POST", "/v1/query/_apl?format=tabular",
     R"({"apl":"d | where n >= 3 | summarize count() by s | sort by s asc",)" EVQ_TEST_RANGE "}",
     true},
    {"POST", "/v1/query/_apl?format=legacy",
     R"({"apl":"d | sort by n asc","includeCursor":true,)" EVQ_TEST_RANGE "}", true},
    {"POST", "/v1/query/batch",
     R"([{"queryId":"a","aplRequest":{"apl":"d | count",)" EVQ_TEST_RANGE "}}]"},
    {"POST", "/v1/_check", R"({"apl":"d | count"})", true},
    {"POST", "/v1/_profile", R"({"apl":"d | count"})"},
    {"POST", "/v1/_complete", R"({"apl":"d | where ","cursor":10})"},
    {"POST", "/v1/datasets/d/query",
     R"({"filter":{"op":">","field":"n","value":3},)" EVQ_TEST_RANGE "}", true},
    {"POST", "/v2/datasets/_apl/delete",
     R"({"apl":"d | where n == 3","commit":true,)" EVQ_TEST_RANGE "}"},

    {"GET", "/v2/apl-starred-queries", "", true},
    {"POST", "/v2/apl-starred-queries?id=t",
     R"({"name":"q","kind":"apl","who":"me","metadata":{},"dataset":"d","query":{"apl":"d","queryOptions":{}}})"},
    {"GET", "/v2/apl-starred-queries/x", "", true},
    {"PUT", "/v2/apl-starred-queries/x",
     R"({"name":"r","kind":"apl","who":"me","metadata":{},"dataset":"d","query":{"apl":"d","queryOptions":{}}})"},
    {"DELETE", "/v2/apl-starred-queries/x", ""},

    {"GET", "/v2/datasets", "", true},
    {"POST", "/v2/datasets", R"({"name":"e","description":"x"})"},
    {"GET", "/v2/datasets/d", "", true},
    {"PUT", "/v2/datasets/d", R"({"description":"y"})"},
    {"DELETE", "/v2/datasets/d", ""},
    {"POST", "/v2/datasets/d/trim", R"({"maxDuration":"1h"})"},
    {"POST", "/v2/datasets/d/vacuum", ""},
    {"GET", "/v2/datasets/d/info", "", true},
    {"POST", "/v1/_check_store", "", true},
    {"GET", "/v1/datasets/_fields", "", true},
    {"GET", "/v2/datasets/d/fields", "", true},
    {"GET", "/v2/datasets/d/fields/n", "", true},
    {"PUT", "/v2/datasets/d/fields/n", R"({"unit":"ms","description":"y","hidden":true})"},
    {"GET", "/v2/datasets/d/mapfields", "", true},
    {"PUT", "/v2/datasets/d/mapfields", R"(["labels"])"},
    {"POST", "/v2/datasets/d/mapfields", R"({"name":"more"})"},
    {"DELETE", "/v2/datasets/d/mapfields/tags", ""},

    {"GET", "/v2/tokens", ""},
    {"POST", "/v2/tokens", R"({"name":"t","datasetCapabilities":{"d":{"query":["read"]}}})"},
    {"GET", "/v2/tokens/x", "", true},
    {"DELETE", "/v2/tokens/x", ""},
    {"POST", "/v2/tokens/x/regenerate",
     R"({"existingTokenExpiresAt":"2100-01-01T00:00:00Z","newTokenExpiresAt":"2101-01-01T00:00:00Z"})"},
    {"GET", "/v1/_tokens", ""},
    {"POST", "/v1/_tokens", R"({"name":"p","personal":true})"},
    {"DELETE", "/v1/_tokens/x", ""},

    {"GET", "/v2/annotations?datasets=d", "", true},
    {"POST", "/v2/annotations", R"({"datasets":["d"],"type":"deploy"})"},
    {"GET", "/v2/annotations/x", "", true},
    {"PUT", "/v2/annotations/x", R"({"title":"y"})"},
    {"DELETE", "/v2/annotations/x", ""},
    {"GET", "/v2/vfields?dataset=d", "", true},
    {"POST", "/v2/vfields", R"({"dataset":"d","name":"w","expression":"n + 2"})"},
    {"PUT", "/v2/vfields/x", R"({"dataset":"d","name":"v","expression":"n + 3"})"},
    {"DELETE", "/v2/vfields/x", ""},
    {"POST", "/v2/monitors",
     R"({"name":"m","aplQuery":"d | count","operator":"Above","threshold":1})"},
    {"GET", "/v2/monitors/x/history?startTime=2024-01-01T00:00:00Z", "", true},
    {"GET", "/api/internal/monitors/history?monitorIds=x", "", true},
    {"GET", "/api/internal/integrations/dashboards", "", true},
    {"GET", "/v2/dashboards", "", true},
    {"POST", "/v2/dashboards",
     R"({"uid":"x","overwrite":true,"dashboard":{"name":"b",)" EVQ_TEST_BOARD "}}"},
    {"GET", "/v2/dashboards/uid/x", "", true},
    {"PUT", "/v2/dashboards/uid/x",
     R"({"overwrite":true,"dashboard":{"name":"c",)" EVQ_TEST_BOARD "}}"},
    {"PATCH", "/v2/dashboards/uid/x/charts/c", R"({"overwrite":true,"chart":{"name":"c"}})"},
    {"DELETE", "/v2/dashboards/uid/x", ""},

    {"GET", "/v2/user", "", true},
    {"GET", "/v2/users", "", true},
    {"GET", "/v2/users/owner", "", true},
    {"GET", "/v2/orgs", "", true},
    {"GET", "/v2/orgs/acme", "", true},
    {"POST", "/v1/_set_org", R"({"id":"acme"})"},
};

// What clients hold: a personal token, and one for the routes that take no personal ones.
struct Secrets {
  std::string personal;
  std::string api;
};

// A server without its connections, over a store.
struct World {
  std::unique_ptr<Service> service;
  HttpMetrics metrics;
  std::optional<Api> api;
  std::optional<Router> router;

  explicit World(const std::string& directory) {
    ServiceOptions options;
    options.store_directory = directory;
    options.block_rows = 16;
    options.workers = 1;
    auto opened = Service::open(options);
    REQUIRE(opened.ok());
    service = std::move(*opened);
    api.emplace(*service, metrics, ApiOptions{});
    router.emplace(*api);
  }
};

HttpRequest request_of(const Ask& ask, const Secrets& secrets) {
  HttpRequest request;
  request.method = ask.method;
  request.target = ask.target;
  REQUIRE(split_target(ask.target, &request.path, &request.parameters));
  request.peer = "127.0.0.1";
  const Route* route = find_route(request.method, request.path).route;
  REQUIRE(route != nullptr);
  const std::string& secret = route->rules.refuse_personal ? secrets.api : secrets.personal;
  request.headers = {{"authorization", "Bearer " + secret},
                     {"x-axiom-org-id", "acme"},
                     {"x-axiom-dataset", "d"},
                     {"content-type", "application/json"}};
  REQUIRE(request.body.append(ask.body).ok());
  return request;
}

HttpResponse answer(World& world, const Ask& ask, const Secrets& secrets) {
  HttpRequest request = request_of(ask, secrets);
  QueryControl control;
  request.control = &control;
  request.received_ns = monotonic_now_ns();
  Admission admission = world.router->admit(request);
  if (admission.refusal.has_value()) {
    return *std::move(admission.refusal);
  }
  HttpResponse response = world.router->handle(request);
  for (bool more = static_cast<bool>(response.rest); more;) {
    more = response.rest(&response.body).value();
  }
  return response;
}

// The answer without how long it took.
std::string steady_part(std::string text) {
  static constexpr std::string_view kElapsed = "\"elapsedTime\":";
  for (std::size_t at = text.find(kElapsed); at != std::string::npos;
       at = text.find(kElapsed, at + 1)) {
    const std::size_t begin = at + kElapsed.size();
    text.erase(begin, text.find_first_not_of("0123456789", begin) - begin);
  }
  return text;
}

bool is_well(const HttpResponse& response) {
  return response.status >= 200 && response.status < 300;
}

Secrets fill(const std::string& directory) {
  World world(directory);
  Definitions& definitions = world.service->store().definitions();
  REQUIRE(set_organization_id(definitions, "acme").ok());
  const auto personal = create_token(definitions, {"mine", "", true, "", {}});
  const auto shippers = create_token(
      definitions, {"api",
                    "",
                    false,
                    R"({"datasetCapabilities":{"*":{"ingest":["create"],"query":["read"]}},)"
                    R"("orgCapabilities":{"datasets":["read","update"]}})",
                    {}});
  REQUIRE(personal.ok());
  REQUIRE(shippers.ok());
  Secrets secrets{personal->secret, shippers->secret};
  TokenRecord token;
  token.id = "x";
  token.digest = std::string(32, 'x');
  token.name = "x";
  token.kind = "api";
  token.capabilities = "{}";
  REQUIRE(definitions.tokens().put(token).ok());
  const std::pair<ObjectKind, std::string_view> objects[] = {
      {ObjectKind::kAnnotation, R"({"datasets":["d"],"type":"deploy"})"},
      {ObjectKind::kVirtualField, R"({"dataset":"d","name":"v","expression":"n + 1"})"},
      {ObjectKind::kMonitor, R"({"name":"m"})"},
      {ObjectKind::kDashboard,
       R"({"version":1,"updatedBy":"me","dashboard":{"name":"b","charts":[{"id":"c","type":"Note"}]}})"}};
  for (const auto& [kind, body] : objects) {
    StoredObject object;
    object.kind = kind;
    object.id = "x";
    object.dataset = "d";
    object.name = "v";
    object.body = body;
    REQUIRE(definitions.put_object(object).ok());
  }
  std::string events;
  for (int i = 0; i < 40; ++i) {
    events += R"({"_time":"2024-05-01T00:00:00Z","n":)" + std::to_string(i) + R"(,"s":")" +
              "ab"[i % 2] + "\"}\n";
  }
  const Ask first[] = {
      {"POST", "/v1/ingest/d", events},
      {"POST", "/v2/datasets/d/vacuum", ""},
      {"POST", "/v2/datasets/d/mapfields", R"({"name":"tags"})"},
      {"POST", "/v1/ingest/d", R"([{"_time":"2024-05-02T00:00:00Z","n":40}])"},
      {"POST", "/v2/apl-starred-queries?id=x",
       R"({"name":"q","kind":"apl","who":"me","metadata":{},"dataset":"d","query":{"apl":"d","queryOptions":{}}})"}};
  for (const Ask& ask : first) {
    const HttpResponse response = answer(world, ask, secrets);
    CAPTURE(response.body);
    REQUIRE(is_well(response));
  }
  return secrets;
}

// What went wrong says so, and blames nobody else.
bool is_failure(const HttpResponse& response) {
  constexpr int kStatuses[] = {413, 422, 500, 503};
  const auto says = [&](const std::string& member) {
    const std::size_t found = response.body.find("\"" + member + "\":\"");
    return found != std::string::npos && response.body[found + member.size() + 4] != '"';
  };
  return std::ranges::find(kStatuses, response.status) != std::end(kStatuses) &&
         (says("message") || says("text") || says("reason") ||  // as the clients read it
          (response.content_type.starts_with("text/plain") && response.body.size() > 1));
}

enum class Kind : std::uint8_t { kCall, kWrite, kAllocation };
constexpr Kind kKinds[] = {Kind::kCall, Kind::kWrite, Kind::kAllocation};

struct Fault {
  Kind kind = Kind::kCall;
  std::uint64_t number = 0;  // of its kind, since the request came
  bool for_good = false;
};

class Trial {
 public:
  Trial(const std::string& source, const Secrets& secrets, FaultMemory& memory)
      : source_(source), secrets_(secrets), memory_(memory) {}

  // `ask` without a fault: its answer; afterwards count() tells what could have failed.
  HttpResponse measure(const Ask& ask) {
    FaultVfs disk(true);
    const Copy copy(source_);
    World world(copy.path());
    memory_.heal();
    HttpResponse response = answer(world, ask, secrets_);
    counts_ = {disk.calls(), disk.writes(), memory_.allocations()};
    return response;
  }
  std::uint64_t count(Kind kind) const { return counts_.at(static_cast<std::size_t>(kind)); }

  // `ask` with a fault, which is over when it is answered. True when the answer was an error.
  bool fail(const Ask& ask, const HttpResponse& well, const Fault& fault) {
    FaultVfs disk(true);
    const Copy copy(source_);
    bool failed = false;
    {
      World world(copy.path());
      if (fault.kind == Kind::kAllocation) {
        memory_.fail_at(fault.number, fault.for_good);
      } else {
        const bool write = fault.kind == Kind::kWrite;
        disk.fail_at(fault.number, write ? FaultVfs::Fault::kFull : FaultVfs::Fault::kIo,
                     fault.for_good);
      }
      const HttpResponse response = answer(world, ask, secrets_);
      disk.heal();
      memory_.heal();
      failed = !is_well(response);
      CAPTURE(response.status);
      CAPTURE(response.body);
      if (failed) {
        CHECK(is_failure(response));
      } else if (ask.steady) {
        CHECK((steady_part(response.body) == steady_part(well.body) ||
               response.body.find("\"problems\":[{") != std::string::npos));
      }
    }
    World world(copy.path());
    const HttpResponse again = answer(world, ask, secrets_);
    CAPTURE(again.status);
    CAPTURE(again.body);
    if (ask.steady) {
      CHECK(steady_part(again.body) == steady_part(well.body));
    } else {  // it may have happened
      CHECK((is_well(again) || (ask.method == "DELETE" && again.status == 404) ||
             again.status == 409));
      const HttpResponse checked = answer(world, {"POST", "/v1/_check_store", ""}, secrets_);
      CHECK(is_well(checked));
      CHECK(checked.body.find("\"problems\":[]") != std::string::npos);
    }
    return failed;
  }

 private:
  // A store of its own for one request.
  class Copy {
   public:
    explicit Copy(const std::string& source) {
      std::filesystem::copy(source, path(), std::filesystem::copy_options::recursive);
    }
    const std::string& path() const { return directory_.path(); }

   private:
    TempDirectory directory_;
  };

  const std::string& source_;
  const Secrets& secrets_;
  FaultMemory& memory_;
  std::array<std::uint64_t, std::size(kKinds)> counts_ = {};
};

TEST_CASE("whatever fails under a request is an error that says so, and nothing is lost by it") {
  const std::uint64_t seed = number_from("EVQ_FAULT_SEED", std::random_device()());
  // Of each request; there are many.
  const std::uint64_t rounds = std::max<std::uint64_t>(1, number_from("EVQ_FAULT_ROUNDS", 40) / 4);
  MESSAGE("EVQ_FAULT_SEED=" << seed << ", faults of each kind and request: " << rounds);
  std::mt19937_64 random(seed);
  FaultMemory memory;
  const TempDirectory directory;
  const Secrets secrets = fill(directory.path());
  Trial trial(directory.path(), secrets, memory);
  std::set<Handler> handlers;
  std::uint64_t all_faults = 0;
  std::uint64_t all_errors = 0;
  for (const Ask& ask : kAsks) {
    CAPTURE(ask.method);
    CAPTURE(ask.target);
    const std::string_view path = ask.target.substr(0, ask.target.find('?'));
    handlers.insert(find_route(ask.method, path).route->handler);
    const HttpResponse well = trial.measure(ask);
    CAPTURE(well.body);
    REQUIRE(is_well(well));
    std::uint64_t errors = 0;
    std::uint64_t faults = 0;
    for (const Kind kind : kKinds) {
      const std::uint64_t step = std::max<std::uint64_t>(1, trial.count(kind) / rounds);
      for (std::uint64_t number = random() % step; number < trial.count(kind); number += step) {
        const Fault fault{kind, number, random() % 2 == 0};
        CAPTURE(static_cast<int>(fault.kind));
        CAPTURE(fault.number);
        CAPTURE(fault.for_good);
        errors += trial.fail(ask, well, fault) ? 1U : 0U;
        ++faults;
      }
    }
    CHECK((errors > 0 || faults < 20));
    all_faults += faults;
    all_errors += errors;
  }
  MESSAGE("faults: " << all_faults << ", of them answered by an error: " << all_errors);
  for (const Route& route : routes()) {
    CAPTURE(route.pattern);
    const bool refuses_all =
        route.handler == handle_otlp_metrics || route.handler == handle_splunk_ack;
    CHECK((refuses_all || handlers.contains(route.handler)));
  }
}

// What changes something is answered with what became of it, whatever became of the token
// meanwhile.
TEST_CASE("requests that only read queries end with their token, and no others") {
  const TempDirectory directory;
  const Secrets secrets = fill(directory.path());
  World world(directory.path());
  std::size_t ended = 0;
  for (const Ask& ask : kAsks) {
    CAPTURE(ask.target);
    HttpRequest request = request_of(ask, secrets);
    const Admission admission = world.router->admit(request);
    REQUIRE_FALSE(admission.refusal.has_value());
    const Route* route = find_route(request.method, request.path).route;
    const bool is_query = route->resource == "query" && route->action == "read";
    CHECK(static_cast<bool>(admission.still_allowed) == is_query);
    if (is_query) {
      CHECK(admission.still_allowed().ok());
      ++ended;
    }
  }
  CHECK(ended == 7);
}

}  // namespace
}  // namespace evq
