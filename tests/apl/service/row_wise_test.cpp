#include "apl/service/row_wise.h"

#include <string_view>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("what looks at each event alone") {
  for (const std::string_view apl :
       {"['t']", "t | where a > 1 and b in (1, c) | extend d = strlen(e), f = bin(g, 5)",
        "t | project a | project-away b* | project-rename c = a | project-reorder c",
        "t | search 'x' | parse a with 'b' c | parse-kv d as (e:long)", "t | where a in (b)"}) {
    CAPTURE(apl);
    const auto dataset = row_wise_dataset(apl, {});
    REQUIRE(dataset.ok());
    CHECK(*dataset == "t");
  }
  CHECK_FALSE(row_wise_dataset("t | mv-expand a", {})->has_value());
  CHECK(row_wise_dataset("t | mv-expand a", {.expanding = true})->has_value());
}

TEST_CASE("what reads other rows as well does not") {
  for (const std::string_view apl :
       {"t | summarize count()", "t | sort by a", "union t, u", "let n = 1; t | where a > n",
        "t | where a > toscalar(t | summarize avg(a))", "t | where a > 1 + toscalar(u) - 2",
        "t | where a in ((t | top 3 by a | project a))", "t | where not(a in ((u | project a)))",
        "t | extend b = iff(a > 1, toscalar(u), 0)",
        "t | project b = array_length((u | project a))", "t | where a between (1 .. toscalar(u))",
        "t | where a in (table('u'))", "t | search 'x' or a in ((u | project a))",
        "t | parse toscalar(u) with 'b' c", "t | mv-expand a = toscalar(u)"}) {
    CAPTURE(apl);
    const auto dataset = row_wise_dataset(apl, {.expanding = true});
    REQUIRE(dataset.ok());
    CHECK_FALSE(dataset->has_value());
  }
  CHECK(row_wise_dataset("t | where a in ((u | project a))", {.subqueries = true})->has_value());
  CHECK_FALSE(
      row_wise_dataset("t | where a in ((u | take 1)) | count", {.subqueries = true})->has_value());
  const auto other = other_operator("t | project a | where a > toscalar(u)", {.expanding = true});
  REQUIRE(other.ok());
  REQUIRE(other->has_value());
  CHECK((*other)->begin == 16);
}

}  // namespace
}  // namespace evq
