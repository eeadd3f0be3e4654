#include <doctest/doctest.h>

#include "tests/support/answer_text.h"
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

TEST_CASE("rows of a union of many sorted inputs keep their order") {
  constexpr int kInputs = 300;
  ServiceOptions options;
  options.workers = 2;
  const TempService service(options);
  service.ingest("d", R"({"_time":1})");
  service.ingest("d", R"({"_time":2})");
  QueryRequest request;
  request.apl = "union ";
  std::string expected = "g:long  count_:long";
  for (int i = 0; i < kInputs; ++i) {
    const std::string number = std::to_string(i);
    request.apl += (i == 0 ? "" : ", ") + ("(d | sort by _time asc | extend g = " + number + ")");
    expected += "\n" + number + "  2";
  }
  request.apl += " | summarize count() by g";
  AnswerText answer;
  REQUIRE(service->query(request, answer).ok());
  CHECK(answer.text(false) == expected);
}

}  // namespace
}  // namespace evq
