#include <doctest/doctest.h>

#include "store/row_id.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

class CountedRows final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& chunk, std::span<const RowOrigin> /*origins*/) override {
    rows += chunk.rows();
    return Status::success();
  }
  Status push_totals(const Chunk& chunk) override {
    totals += chunk.rows();
    return Status::success();
  }
  Status end(const QueryStatus& /*status*/) override { return Status::success(); }

  std::size_t rows = 0;
  std::size_t totals = 0;
};

TEST_CASE("a request reads external data once, also with a cursor and with totals") {
  int fetched = 0;
  ServiceOptions options;
  options.external.any = true;
  options.external.fetch = [&](const std::string& /*address*/, std::size_t /*bytes_max*/,
                               bool /*may_redirect*/,
                               const QueryControl& /*control*/) -> Result<std::string> {
    ++fetched;
    return std::string("1\n2\n3\n");
  };
  const TempService service(options);
  std::string events;
  for (int i = 0; i < 8; ++i) {
    events += R"({"_time":"2024-05-01T0)" + std::to_string(i) + R"(:00:00Z","n":)" +
              std::to_string(i % 4) + "}\n";
  }
  service.ingest("t", events);
  QueryRequest request;
  request.apl =
      "t | where n in ((externaldata (n:long) ['http://localhost/n.csv']))"
      " | summarize count() by bin(_time, 1h), n";
  request.api_form = true;
  CountedRows whole;
  REQUIRE(service->query(request, whole).ok());
  CHECK(whole.rows == 6);
  CHECK(whole.totals == 3);
  CHECK(fetched == 1);
  // Beyond 05:00, towards older events.
  request.cursor = encode_cursor({1'714'539'600'000'000'000, 0});
  CountedRows page;
  REQUIRE(service->query(request, page).ok());
  CHECK(page.rows == 3);
  CHECK(page.totals == 3);
  CHECK(fetched == 2);
}

TEST_CASE("a cursor bounds the rows of the answer, not what is read beside them") {
  const TempService service;
  service.ingest("t", R"({"_time":"2024-05-01T00:00:00Z","n":1}
{"_time":"2024-05-01T01:00:00Z","n":2}
{"_time":"2024-05-01T02:00:00Z","n":3}
)");
  QueryRequest request;
  // Beyond 01:30, towards older events: two of the three, of which each must see all.
  request.cursor = encode_cursor({1'714'527'000'000'000'000, 0});
  for (const char* apl :
       {"t | as all | where toscalar(all | count) == 3",
        "t | as a | as b | join kind=inner (b | summarize n = max(n) - 1) on n | where n == 2"
        " | union (print n = 0)",
        "let f = (T:(*)) { T | where toscalar(T | count) == 3 }; f(t)",
        "let f = (T:(*)) { T | where toscalar(T | count) == 3 }; t | invoke f()",
        "let m = materialize(t); m | where toscalar(m | count) == 3",
        "t | partition by n (as part | where toscalar(t | count) == 3)"}) {
    request.apl = apl;
    CountedRows page;
    const Status status = service->query(request, page);
    CHECK_MESSAGE(status.ok(), apl);
    CHECK_MESSAGE(page.rows == 2, apl);
  }
}

}  // namespace
}  // namespace evq
