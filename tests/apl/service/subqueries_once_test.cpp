#include <doctest/doctest.h>

#include "apl/service/service.h"
#include "store/ingest/byte_source.h"
#include "store/row_id.h"
#include "tests/support/temp_store.h"

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
  TempDirectory folder;
  int fetched = 0;
  ServiceOptions options;
  options.store_directory = folder.path();
  options.workers = 1;
  options.external.any = true;
  options.external.fetch = [&](const std::string& /*address*/, std::size_t /*bytes_max*/,
                               bool /*may_redirect*/,
                               const QueryControl& /*control*/) -> Result<std::string> {
    ++fetched;
    return std::string("1\n2\n3\n");
  };
  const auto service = Service::open(options);
  REQUIRE(service.ok());
  std::string events;
  for (int i = 0; i < 8; ++i) {
    events += R"({"_time":"2024-05-01T0)" + std::to_string(i) + R"(:00:00Z","n":)" +
              std::to_string(i % 4) + "}\n";
  }
  const std::unique_ptr<ByteSource> source = memory_source(events);
  QueryControl control;
  REQUIRE((*service)->store().ingest("t", *source, {}, control).ok());
  QueryRequest request;
  request.apl =
      "t | where n in ((externaldata (n:long) ['http://localhost/n.csv']))"
      " | summarize count() by bin(_time, 1h), n";
  request.api_form = true;
  CountedRows whole;
  REQUIRE((*service)->query(request, whole).ok());
  CHECK(whole.rows == 6);
  CHECK(whole.totals == 3);
  CHECK(fetched == 1);
  // Beyond 05:00, towards older events.
  request.cursor = encode_cursor({1'714'539'600'000'000'000, 0});
  CountedRows page;
  REQUIRE((*service)->query(request, page).ok());
  CHECK(page.rows == 3);
  CHECK(page.totals == 3);
  CHECK(fetched == 2);
}

}  // namespace
}  // namespace evq
