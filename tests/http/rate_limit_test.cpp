#include "http/rate_limit.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"

namespace evq {
namespace {

TEST_CASE("each client has its requests of each minute") {
  const std::int64_t start = 1'000 * kMinuteNs + 17;
  RateLimiter rates(2, start);
  CHECK(rates.enabled());
  CHECK(rates.take("a", start).remaining == 1);
  const RateState last = rates.take("a", start + 59 * kSecondNs);
  CHECK(last.allowed);
  CHECK(last.limit == 2);
  CHECK(last.remaining == 0);
  CHECK(last.reset_s == 1);
  const RateState refused = rates.take("a", start + 59 * kSecondNs + 999 * kMillisecondNs);
  CHECK_FALSE(refused.allowed);
  CHECK(refused.remaining == 0);
  CHECK(refused.reset_s == 1);  // at least
  // Whoever waits as long as it is told is let in.
  CHECK(rates.take("a", start + 500 * kMillisecondNs).reset_s == 60);
  CHECK(rates.take("b", start + 59 * kSecondNs).allowed);
  const RateState next = rates.take("a", start + kMinuteNs);
  CHECK(next.allowed);
  CHECK(next.reset_s == 60);
}

TEST_CASE("a table full of clients lets one more in, and those after it share") {
  RateLimiter rates(1, 0);
  for (int i = 0; i < 65536; ++i) {
    REQUIRE(rates.take(std::to_string(i), 1).allowed);
  }
  CHECK(rates.take("late", 1).allowed);
  CHECK_FALSE(rates.take("later", 1).allowed);
  CHECK_FALSE(rates.take("7", 1).allowed);
  CHECK(rates.take("late", kMinuteNs).allowed);
}

TEST_CASE("no limit counts nothing") {
  CHECK_FALSE(RateLimiter(0, 0).enabled());
}

}  // namespace
}  // namespace evq
