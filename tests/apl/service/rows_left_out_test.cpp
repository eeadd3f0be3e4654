// What the answer does not need is not read, or not grouped.

#include <string>

#include <doctest/doctest.h>

#include "tests/support/temp_service.h"

namespace evq {
namespace {

class StatusSink final : public ResultSink {
 public:
  Status begin(const ResultHeader& /*header*/) override { return Status::success(); }
  Status push(const Chunk& /*chunk*/, std::span<const RowOrigin> /*origins*/) override {
    return Status::success();
  }
  Status end(const QueryStatus& ended) override {
    status = ended;
    return Status::success();
  }

  QueryStatus status;
};

QueryStatus run(const TempService& service, const std::string& apl, bool api_form = false) {
  QueryRequest request;
  request.apl = apl;
  request.api_form = api_form;
  StatusSink sink;
  REQUIRE(service->query(request, sink).ok());
  return sink.status;
}

TEST_CASE("groups are read until there are as many as are taken") {
  const TempService service;
  for (int block = 0; block < 8; ++block) {
    service.ingest("t", R"({"_time":"2024-05-01T0)" + std::to_string(block) + R"(:00:00Z","n":)" +
                            std::to_string(block) + "}\n");
  }
  CHECK(run(service, "t | distinct n | take 3").rows_examined == 3);
  CHECK(run(service, "t | summarize by n | project m = n + 1 | take 1").rows_examined == 1);
  CHECK(run(service, "t | distinct n | take 100").rows_examined == 8);
  CHECK(run(service, "t | distinct n | where n > 3 | take 1").rows_examined == 1);
  CHECK(run(service, "t | distinct n | where n > 3 | take 1", true).rows_examined == 5);
  CHECK(run(service, "t | summarize count() by n | take 1").rows_examined == 8);
}

TEST_CASE("blocks beyond the first rows by time are not read") {
  const TempService service;
  for (int block = 0; block < 60; ++block) {
    const std::string minute = (block < 10 ? "0" : "") + std::to_string(block);
    service.ingest("t", R"({"_time":"2024-05-01T00:)" + minute + R"(:00Z","n":)" +
                            std::to_string(block) + "}\n");
  }
  for (const char* few :
       {"top 1 by _time desc", "top 1 by _time asc", "sort by _time asc, n desc | take 1",
        "serialize r = row_number() | take 1", "sort by _time asc | extend p = next(n) | take 1",
        "mv-expand x = pack_array(1, 2) | take 1", "mv-expand x = range(1, 2) | top 1 by _time asc",
        "lookup (datatable (n:long, o:string) [1, 'a']) on n | take 1",
        "join kind=inner (range n from 0 to 99 step 1) on n | top 1 by _time asc"}) {
    const QueryStatus status = run(service, "t | " + std::string(few));
    CHECK_MESSAGE(status.blocks_examined <= 2, few);
    CHECK_MESSAGE(status.rows_examined == status.blocks_examined, few);  // each block has one
  }
  CHECK(run(service, "t | take 1").rows_examined == 1);
  CHECK(run(service, "t | where n == 7").rows_examined == 1);
  for (const char* api : {"t | take 1", "t | where n == 7"}) {  // as its clients understand it
    CHECK_MESSAGE(run(service, api, true).rows_examined == 60, api);
    CHECK_MESSAGE(run(service, api, true).blocks_examined == 60, api);
  }
  for (const char* all :
       {"top 1 by n asc", "extend t = _time + 1s | top 1 by t asc",
        "join kind=rightouter (datatable (n:long) [1]) on n | top 1 by _time asc"}) {
    CHECK_MESSAGE(run(service, "t | " + std::string(all)).blocks_examined == 60, all);
  }
}

TEST_CASE("the times of whole blocks are not read for their ends") {
  ServiceOptions options;
  options.cache_bytes = std::size_t{16} << 20;
  const TempService service(options);
  std::string events;
  for (int i = 0; i < 70000; ++i) {
    events += "{\"_time\":" + std::to_string(1'714'521'600 + i) + "}\n";
  }
  service.ingest("t", events);
  const auto cached = [&](const std::string& apl) {
    run(service, apl);
    return run(service, apl).blocks_cached;
  };
  CHECK(cached("t | summarize min(_time), max(_time), count()") == 0);
  CHECK(cached("t | summarize min(_time), dcount(_time)") > 0);
  CHECK(cached("t | where _time > datetime(2024-05-01) | summarize max(_time)") > 0);
}

TEST_CASE("only groups that a join's short left side has are made") {
  const TempService service;
  service.ingest("few", "{\"k\":7}\n{\"k\":9}\n");
  std::string events;
  for (int i = 0; i < 40000; ++i) {
    events += "{\"k\":" + std::to_string(i % 1000) + ",\"v\":" + std::to_string(i) + "}\n";
  }
  service.ingest("many", events);
  const std::string join = "few | join kind=inner (many | ";
  CHECK(run(service, join + "summarize count() by k) on k").groups == 2);
  CHECK(run(service, join + "summarize n = count() by k | extend m = n * 2) on k").groups == 2);
  CHECK(run(service, join + "summarize count() by k = k + 0) on k").groups == 2);
  CHECK(run(service, join + "summarize k = max(k) by v) on k").groups == 40000);
  CHECK(run(service,
            "few | join kind=inner (range n from 1 to 400000 step 1"
            " | summarize n = count() by k = n % 1000 | where n > 1) on k")
            .groups == 2);
  CHECK(run(service, "few | join kind=rightouter (many | summarize count() by k) on k").groups ==
        1000);
}

}  // namespace
}  // namespace evq
