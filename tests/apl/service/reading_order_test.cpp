#include "apl/service/reading_order.h"

#include <string_view>

#include <doctest/doctest.h>

#include "apl/syntax/parser.h"

namespace evq {
namespace {

TEST_CASE("pages go the way of the last sort by time") {
  enum class Way { kOlder, kNewer, kAsAsked };
  const struct {
    std::string_view apl;
    Way way;
  } rows[] = {
      {"t", Way::kAsAsked},
      {"t | where a > 1 | take 3", Way::kAsAsked},
      {"t | sort by _time asc", Way::kNewer},
      {"t | sort by _time", Way::kOlder},
      {"t | order by _time asc, a desc | project a", Way::kNewer},
      {"t | top 3 by _time asc | extend b = 1", Way::kNewer},
      {"t | sort by _time asc | sort by _time desc", Way::kOlder},
      {"t | sort by a asc, _time asc", Way::kAsAsked},
      {"t | sort by _time asc | sort by a asc", Way::kAsAsked},
      {"t | sort by _time asc | summarize count() by bin(_time, 1h)", Way::kAsAsked},
      {"t | summarize count() by bin(_time, 1h) | sort by _time asc", Way::kNewer},
      {"(t | sort by _time asc) | where a > 1", Way::kNewer},
      {"let x = t | sort by _time asc; x | where a > 1", Way::kNewer},
      {"let x = (t | sort by _time asc); x", Way::kNewer},
      {"let x = materialize(t | sort by _time asc); x", Way::kNewer},
      {"let x = () { t | sort by _time asc }; x()", Way::kNewer},
      {"let x = t | sort by _time asc; let y = x; y", Way::kNewer},
      {"let t = t | sort by _time asc; t", Way::kNewer},
      {"let x = t | sort by _time asc; t", Way::kAsAsked},
      {"t | where a in ((t | sort by _time asc | project a))", Way::kAsAsked},
      {"union t, (t | sort by _time asc)", Way::kAsAsked},
  };
  for (const auto& row : rows) {
    CAPTURE(row.apl);
    const Result<ast::Query> query = syntax::parse(row.apl, 0);
    REQUIRE(query.ok());
    CHECK(reads_descending(*query, true) == (row.way != Way::kNewer));
    CHECK(reads_descending(*query, false) == (row.way == Way::kOlder));
  }
}

}  // namespace
}  // namespace evq
