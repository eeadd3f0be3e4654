#include "store/base/clock_watch.h"

#include <limits>

#include <doctest/doctest.h>

#include "store/base/time.h"

namespace evq {
namespace {

constexpr std::int64_t kStart = 1700000000 * kSecondNs;
constexpr std::int64_t kMinute = 60 * kSecondNs;

}  // namespace

TEST_CASE("a clock that goes on as time does is steady, also when it is adjusted a little") {
  ClockWatch watch(kStart, 0);
  CHECK(watch.is_steady(kStart + kMinute, kMinute));
  CHECK(watch.is_steady(kStart + 32 * kMinute, 2 * kMinute));
  CHECK(watch.is_steady(kStart + 90 * kDayNs, 90 * kDayNs));
}

TEST_CASE("a clock that jumped is distrusted for a day, whatever it says meanwhile") {
  for (const std::int64_t jump : {2 * kClockJumpNs, -2 * kClockJumpNs, 730 * kDayNs}) {
    CAPTURE(jump);
    ClockWatch watch(kStart, 0);
    CHECK_FALSE(watch.is_steady(kStart + jump, kMinute));
    CHECK_FALSE(watch.is_steady(kStart + jump + kMinute, 2 * kMinute));
    CHECK_FALSE(watch.is_steady(kStart + 3 * kMinute, 3 * kMinute));  // set right: a jump again
    CHECK_FALSE(watch.is_steady(kStart + kDayNs, kDayNs));
    CHECK(watch.is_steady(kStart + kDayNs + 3 * kMinute, kDayNs + 3 * kMinute));
  }
}

TEST_CASE(
    "a clock that is far ahead of what it was for the process before is distrusted for a day") {
  for (const std::int64_t gap : {-kDayNs, std::int64_t{0}, kClockGapNs}) {
    ClockWatch watch(kStart, 0);
    watch.continue_from(kStart - gap, kStart, 0);
    CHECK(watch.is_steady(kStart + kMinute, kMinute));
  }
  for (const std::int64_t gap : {kClockGapNs + 1, 3650 * kDayNs}) {
    ClockWatch watch(kStart, 0);
    watch.continue_from(kStart - gap, kStart, 0);
    CHECK_FALSE(watch.is_steady(kStart + kMinute, kMinute));
    CHECK_FALSE(watch.is_steady(kStart + kDayNs - 1, kDayNs - 1));
    CHECK(watch.is_steady(kStart + kDayNs, kDayNs));
  }
}

TEST_CASE("a clock at the ends of its range is not overrun") {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  ClockWatch watch(kLast, 0);
  CHECK_FALSE(watch.is_steady(kLast, 2 * kClockJumpNs));
  ClockWatch first(std::numeric_limits<std::int64_t>::min(), 0);
  CHECK_FALSE(first.is_steady(kLast, kMinute));
}

}  // namespace evq
