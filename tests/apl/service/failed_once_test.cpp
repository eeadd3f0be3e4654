// What fails for a reason that is not memory is not run again for a part of the keys.

#include <doctest/doctest.h>

#include "tests/support/answer_text.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{256} << 20U;

// How many rows are read until the query ends with kLimit.
std::uint64_t rows_read(const TempService& service, const std::string& apl,
                        std::optional<std::size_t> left_rows) {
  QueryControl control;
  QueryRequest request;
  request.apl = apl;
  request.control = &control;
  request.memory_limit_bytes = kMemoryBytes;
  request.join_left_rows = left_rows;
  DroppedAnswer answer;
  const Status status = service->query(request, answer);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kLimit);
  CHECK(status.error().message.find("steps") != std::string::npos);
  return control.rows();
}

TEST_CASE("a right side that fails at a limit of its own runs once") {
  const TempService service;
  service.ingest("l", R"({"_time":"2024-05-01T00:00:00Z","n":1})");
  service.ingest("r", R"({"_time":"2024-05-01T00:00:00Z","n":1}
{"_time":"2024-05-01T00:00:01Z","n":1}
)");
  const std::string right = "(r | make-series count() on _time step 1ns by n) on n";
  CHECK(rows_read(service, "l | join kind=rightouter " + right, std::nullopt) == 2);
  // The left side, which is held, is one row more.
  CHECK(rows_read(service, "l | join kind=inner " + right, 10) == 3);
}

}  // namespace
}  // namespace evq
