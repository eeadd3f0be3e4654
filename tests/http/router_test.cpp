#include "http/router.h"

#include <cstdlib>
#include <fstream>
#include <set>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {
namespace {

TEST_CASE("every route of the table is found under its own method and path") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Route& route : routes()) {
    CAPTURE(route.pattern);
    CHECK(seen.emplace(route.method, route.pattern).second);
    CHECK((route.handler != nullptr));
    CHECK_FALSE(route.summary.empty());
    CHECK((find_route(route.method, route.pattern).route == &route));
  }
}

TEST_CASE("literal parts win over arguments") {
  CHECK(find_route("GET", "/v1/datasets/_fields").route->pattern == "/v1/datasets/_fields");
  CHECK(find_route("POST", "/v1/datasets/_apl").route->pattern == "/v1/datasets/_apl");
  CHECK(find_route("GET", "/v1/%64ata%73ets/%5ffields").route->pattern == "/v1/datasets/_fields");
  CHECK(find_route("GET", "/v1%2Fdatasets").route == nullptr);
  CHECK(find_route("GET", "/v1/%ataset").route == nullptr);
  const RouteMatch match = find_route("GET", "/v1/datasets/web");
  REQUIRE(match.route != nullptr);
  CHECK(match.route->pattern == "/v1/datasets/{dataset}");
  CHECK(match.arguments.at("dataset") == "web");
}

TEST_CASE("arguments are percent-decoded, a slash at the end means nothing") {
  const RouteMatch match = find_route("GET", "/v2/datasets/web/fields/geo%2ecity/");
  REQUIRE(match.route != nullptr);
  CHECK(match.arguments.at("field") == "geo.city");
}

TEST_CASE("a known path with another method names the allowed ones") {
  const RouteMatch match = find_route("PATCH", "/v2/apl-starred-queries/1");
  CHECK(match.route == nullptr);
  CHECK(match.allowed == std::vector<std::string_view>{"GET", "PUT", "DELETE"});
  CHECK(find_route("GET", "/nowhere").allowed.empty());
  CHECK(find_route("POST", "/v1/ingest/").route == nullptr);
}

TEST_CASE("the manual has every route") {
  const std::string page = render_http_manual();
  CHECK(page.find(".TH EVQ\\-HTTP 7") == 0);
  for (const Route& route : routes()) {
    CHECK(page.find(route.method) != std::string::npos);
  }
  CHECK(page.find("/v2/apl\\-starred\\-queries/{id}") != std::string::npos);
}

// EVQ_REWRITE=1 in the environment writes the page instead.
TEST_CASE("man/evq-http.7 is what the table renders") {
  if (std::getenv("EVQ_REWRITE") != nullptr) {
    std::ofstream(EVQ_SOURCE_DIR "/man/evq-http.7") << render_http_manual();
  }
  const Result<std::string> kept =
      read_whole_file(EVQ_SOURCE_DIR "/man/evq-http.7", kSmallFileBytesMax);
  REQUIRE(kept.ok());
  CHECK((kept.value() == render_http_manual()));
}

}  // namespace
}  // namespace evq
