#include "store/base/control.h"

#include <limits>
#include <thread>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("a query without a deadline runs until it is cancelled") {
  QueryControl control;
  CHECK(control.check().ok());
  control.cancel();
  CHECK(control.should_stop());
  CHECK(control.check().error().code == ErrorCode::kCancelled);
}

TEST_CASE("a deadline ends the query and names its limit") {
  const QueryControl control(5);
  std::this_thread::sleep_for(std::chrono::milliseconds(8));
  const Status status = control.check();
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::kTimeout);
  CHECK(status.error().message == "the query took longer than its limit of 5 ms");
}

TEST_CASE("a limit may count anew, and who has cancelled has cancelled for good") {
  QueryControl control(5000);
  control.restart();
  CHECK(control.check().ok());
  QueryControl unlimited;
  unlimited.restart();
  CHECK(unlimited.check().ok());
  control.cancel();
  control.restart();
  CHECK(control.check().error().code == ErrorCode::kCancelled);
}

TEST_CASE("a limit becomes shorter and never longer") {
  for (const std::int64_t before_ms : {0, 60000}) {
    QueryControl control(before_ms);
    control.shorten(5);
    control.shorten(60000);
    std::this_thread::sleep_for(std::chrono::milliseconds(8));
    const Status status = control.check();
    REQUIRE(!status.ok());
    CHECK(status.error().message == "the query took longer than its limit of 5 ms");
  }
  QueryControl cancelled;
  cancelled.cancel();
  cancelled.shorten(60000);
  CHECK(cancelled.check().error().code == ErrorCode::kCancelled);
}

TEST_CASE("zero, negative and endless limits are none") {
  CHECK(QueryControl(0).check().ok());
  CHECK(QueryControl(-1).check().ok());
  CHECK(QueryControl(std::numeric_limits<std::int64_t>::max()).check().ok());
}

TEST_CASE("progress adds up and clocks run") {
  QueryControl control;
  control.add_rows(2);
  control.add_rows(3);
  control.add_bytes(7);
  CHECK(control.rows() == 5);
  CHECK(control.bytes() == 7);
  const std::int64_t before = monotonic_now_ns();
  CHECK(monotonic_now_ns() >= before);
  CHECK(wall_clock_now_ns() > 1700000000000000000);
}

}  // namespace
}  // namespace evq
