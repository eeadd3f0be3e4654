// What the rows of functions say for the planner where it rests on other rows: that those are
// there.

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"

namespace evq {
namespace {

TEST_CASE("the aggregate over the results of groups is over its own results, too") {
  std::size_t checked = 0;
  for (const AggregateFunction* row : all_aggregates()) {
    if (!row->over_groups.empty()) {
      CAPTURE(row->name);
      const AggregateFunction* over = find_aggregate(row->over_groups);
      REQUIRE(over != nullptr);
      CHECK(over->over_groups == over->name);
      CHECK(over->arguments_min == 1);
      ++checked;
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("a function of a set of characters has one of a regular expression beside it") {
  std::size_t checked = 0;
  for (const ScalarFunction* row : all_functions()) {
    if (row->takes_character_set) {
      CAPTURE(row->name);
      CHECK(find_function(std::string(row->name) + "_regex") != nullptr);
      ++checked;
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("a comparison is mirrored to the one that tests the same the other way round") {
  using enum Comparison;
  for (const std::string_view name :
       {"op_equal", "op_not_equal", "op_less", "op_less_equal", "op_greater", "op_greater_equal"}) {
    CAPTURE(name);
    const ScalarFunction* row = find_function(name);
    REQUIRE(row != nullptr);
    REQUIRE(row->comparison.has_value());
    CHECK(mirrored(mirrored(*row->comparison)) == *row->comparison);
  }
  CHECK(mirrored(kLess) == kGreater);
  CHECK(mirrored(kLessEqual) == kGreaterEqual);
  CHECK(mirrored(kEqual) == kEqual);
  CHECK(mirrored(kNotEqual) == kNotEqual);
}

}  // namespace
}  // namespace evq
