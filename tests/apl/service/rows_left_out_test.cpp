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

QueryStatus run(const TempService& service, const std::string& apl) {
  QueryRequest request;
  request.apl = apl;
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
  CHECK(run(service, "t | distinct n | where n > 3 | take 1").rows_examined == 5);
  CHECK(run(service, "t | summarize count() by n | take 1").rows_examined == 8);
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
