// When a server that has nothing to do gives memory back.

#include "http/idle_watch.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("memory is given back once after the last of some queries") {
  IdleWatch watch;
  const auto ask = [&](std::int64_t running, std::uint64_t queries, std::int64_t ms) {
    return watch.is_due(running, queries, ms * kMillisecondNs);
  };
  CHECK_FALSE(ask(0, 0, 0));
  CHECK_FALSE(ask(0, 0, 60'000));  // there was none
  CHECK_FALSE(ask(1, 1, 61'000));
  CHECK_FALSE(ask(1, 1, 65'000));
  CHECK_FALSE(ask(0, 1, 66'900));
  CHECK_FALSE(ask(0, 2, 66'950));
  CHECK_FALSE(ask(1, 2, 68'000));  // an ingest runs
  CHECK_FALSE(ask(0, 2, 69'999));
  CHECK(ask(0, 2, 70'000));
  CHECK_FALSE(ask(0, 2, 90'000));
  CHECK_FALSE(ask(0, 3, 90'100));
  CHECK_FALSE(ask(0, 3, 92'050));
  CHECK(ask(0, 3, 92'100));
}

}  // namespace
}  // namespace evq
