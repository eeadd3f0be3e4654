#include "store/base/control.h"

#include <limits>
#include <thread>

#include <doctest/doctest.h>

#include "store/base/time.h"

namespace evq {
namespace {

TEST_CASE("a clock set to what is no time in nanoseconds stands still") {
  constexpr std::int64_t kLastNs = 9214646400 * kSecondNs;  // 2262-01-01
  CHECK(wall_clock_ns(0, 5) == 5);
  CHECK(wall_clock_ns(-1, 999999999) == -1);
  CHECK(wall_clock_ns(1714608000, 1) == 1714608000000000001);
  CHECK(wall_clock_ns(9214646399, 999999999) == kLastNs - 1);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t seconds : {std::int64_t{9214646400}, std::int64_t{10413792000}, kMax}) {
    CHECK(wall_clock_ns(seconds, 999999999) == kLastNs);
  }
  for (const std::int64_t seconds : {std::int64_t{-9214646401}, -kMax}) {
    CHECK(wall_clock_ns(seconds, 999999999) == -kLastNs);
  }
}

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
