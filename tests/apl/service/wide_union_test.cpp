#include <doctest/doctest.h>

#include "tests/support/temp_service.h"

namespace evq {
namespace {

TEST_CASE("many datasets with fields of their own are searched and united together") {
  constexpr int kDatasets = 60;
  constexpr int kFields = 100;
  const TempService service;
  for (int dataset = 0; dataset < kDatasets; ++dataset) {
    const std::string name = "d" + std::to_string(dataset);
    std::string event = R"({"_time":"2024-05-01T00:00:00Z","text":"hello")";
    for (int field = 0; field < kFields; ++field) {
      event += ",\"" + name + "_" + std::to_string(field) + "\":" + std::to_string(field);
    }
    event += "}\n";
    service.ingest(name, event);
  }
  QueryRequest request;
  for (const char* apl : {"search 'hello'", "union d*", "find 'hello'"}) {
    request.apl = apl;
    DroppedAnswer answer;
    const Status status = service->query(request, answer);
    CHECK_MESSAGE(status.ok(), apl);
    CHECK(answer.status().rows == kDatasets);
  }
  // What the columns of the plan take is charged.
  request.memory_limit_bytes = 16'000'000;
  DroppedAnswer refused;
  const Status status = service->query(request, refused);
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::kLimit);
}

}  // namespace
}  // namespace evq
