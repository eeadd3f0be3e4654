// Events that are kept with something repaired: what counts as a repair, and where the first is
// told to be. What becomes of each value is in event_rules_test.cpp.
#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace {

using evq::test::load_events;
using evq::test::Loaded;

TEST_CASE("a long integer that its real is written as is no repair") {
  const Loaded loaded = load_events(
      "{\"a\":100000000000000000000,\"b\":-10000000000000000000}\n{\"a\":[100000000000000000000]}"
      "\n");
  CHECK(loaded.counts.repaired == 0);
  CHECK(load_events("{\"a\":100000000000000000001}").counts.repaired == 1);
}

TEST_CASE("the first repair is named") {
  const Loaded loaded = load_events("{\"a\":1}\n{\"a\":\"ok\",\"b\":\"x\xFF\"}\n{\"a\":1e999}\n");
  REQUIRE(loaded.counts.first_repaired.has_value());
  CHECK(loaded.counts.first_repaired->line == 2);
  CHECK(loaded.counts.first_repaired->column == 17);
  CHECK(loaded.counts.repaired == 2);
  const Loaded second = load_events("{\"a\":1}{\"a\":\"x\xFF\"}\n{}");
  REQUIRE(second.counts.first_repaired.has_value());
  CHECK(second.counts.first_repaired->column == 15);
  const Loaded element = load_events("{}\n[{\"a\":1},{\"a\":\"x\xFF\"}]\n");
  REQUIRE(element.counts.first_repaired.has_value());
  CHECK(element.counts.first_repaired->line == 2);
  CHECK(element.counts.first_repaired->column == 17);
}

}  // namespace
