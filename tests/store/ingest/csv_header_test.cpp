// Whether the first record of CSV names its columns or is an event.
#include "store/ingest/csv_header.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/time.h"
#include "tests/support/load_events.h"

TEST_CASE("what the first record of CSV holds tells whether its columns have names") {
  struct Row {
    std::string_view head;
    std::size_t columns;
    std::string_view value;
  };
  const Row rows[] = {
      {"a,b\n1,2\n", 0, ""},
      {"", 0, ""},
      {"a,b", 0, ""},
      // A time, alone or above one.
      {"2024-05-01 10:20:30.123 UTC,\"pg\",7\n2024-05-01 10:20:31.123 UTC,\"pg\",7\n", 3,
       "2024-05-01 10:20:30.123 UTC"},
      {"x;2024-05-01\n", 2, "2024-05-01"},
      {"5,7,01/05/2024\n6,8,2024-05-02,\n", 4, "01/05/2024"},
      {"a\t10:20:30.5\n\nb\t10:20:31\n", 2, "10:20:30.5"},
      {"\"2024-05-01T10:20:30Z\",\"a\"\n\"-\",\"b\"\n", 2, "2024-05-01T10:20:30Z"},
      {"1714557600,a\n1714557601,b\n", 2, "1714557600"},
      {"sep=;\nx;2024-05-01\n", 2, "2024-05-01"},
      // Names that are days, hours and years.
      {"country,2024-05-01,2024-05-02\nFR,1,2\n", 0, ""},
      {"Province,Lat,1/22/20,1/23/20\nx,33.9,0,0\n", 0, ""},
      {"host,10:00,11:00\na,1,2\n", 0, ""},
      {"country,1990,1991\nFR,1,2\n", 0, ""},
      // Also where the first of the numbers below them is missing, but not where one of two times
      // is.
      {"country,2024-05-01,2024-05-02\nFR,,2\n", 0, ""},
      {"country,2024-05-01,2024-05-02\nFR,-,2\n", 0, ""},
      {"a,2024-05-01,2024-05-02\nb,,2024-05-03\n", 3, "2024-05-02"},
      {"a,2024-05-01,2024-05-02\nb,2024-05-03,never\n", 3, "2024-05-01"},
      {"version,10.0.0.1\n1,2\n", 0, ""},
      // A value that is there again; a name that is may be a mistake.
      {"x,0,1,0\ny,1,1,0\n", 4, "0"},
      {"x,-,-\n", 3, "-"},
      {"US,x,US\nUS,y,US\n", 3, "US"},
      {"a,b,a\n1,2,3\n", 0, ""},
      {"a,,\n1,2,3\n", 0, ""},
      {"\"a\"b,2024-05-01\n", 0, ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    const auto found = evq::find_unnamed_columns(row.head, 0, true);
    REQUIRE(found.has_value());
    CHECK(found->count == row.columns);
    CHECK(found->value == row.value);
  }
}

TEST_CASE("a record that may be an event waits for the next one") {
  CHECK_FALSE(evq::find_unnamed_columns("2024-05-01,1\n", 0, false).has_value());
  CHECK_FALSE(evq::find_unnamed_columns("2024-05-01,1\n\n2", 0, false).has_value());
  CHECK(evq::find_unnamed_columns("2024-05-01,1\n2024-05-02,2\n", 0, false)->count == 2);
  CHECK(evq::find_unnamed_columns("a,b\n", 0, false)->count == 0);
  CHECK_FALSE(evq::find_unnamed_columns("a,b", 0, false).has_value());
}

TEST_CASE("of a very wide record as many cells are looked at as a header may name") {
  const auto wide = [](std::size_t cells) {
    std::string head;
    for (std::size_t i = 0; i < cells; ++i) {
      head += "column" + std::to_string(i) + ",";
    }
    return head + "1,1\n1\n";
  };
  CHECK(evq::find_unnamed_columns(wide(evq::kHeaderColumnsMax - 2), 0, true)->value == "1");
  CHECK(evq::find_unnamed_columns(wide(20 * evq::kHeaderColumnsMax), 0, true)->count == 0);
}

TEST_CASE("the names of columns without a header are numbers where the format is detected") {
  const std::string text = "2024-05-01,x\n2024-05-02,y\n";
  evq::IngestOptions options;
  const auto rows = [&] {
    const auto loaded = evq::test::load_events(text, options);
    REQUIRE(loaded.status.ok());
    return loaded.rows();
  };
  options.format = evq::InputFormat::kDetect;
  CHECK(rows() ==
        "_time=2023-11-14T22:13:20Z column1=\"2024-05-01\" column2=\"x\"\n"
        "_time=2023-11-14T22:13:20Z column1=\"2024-05-02\" column2=\"y\"\n");
  options.csv_fields = {"day", "name"};
  CHECK(rows().find("day=\"2024-05-01\" name=\"x\"") != std::string::npos);
  options.csv_fields.clear();
  for (const evq::InputFormat format : {evq::InputFormat::kCsv, evq::InputFormat::kAuto}) {
    options.format = format;
    CHECK(rows() == "_time=2023-11-14T22:13:20Z 2024-05-01=\"2024-05-02\" x=\"y\"\n");
  }
}

TEST_CASE("a value of the first record that comes again in its column is told") {
  const auto repeated = [](std::string_view head) {
    return evq::begins_with_repeated_cell(head, ',');
  };
  CHECK(repeated("US,a\nUS,b\nFR,c\nUS,d\n"));
  CHECK(repeated("a,ok\nb, ok\nc,ok"));
  CHECK_FALSE(repeated("US,a\nUS,b\nFR,c\n"));    // once
  CHECK_FALSE(repeated("US,a\nb,US\nc,US\n"));    // in another column
  CHECK_FALSE(repeated("0,1\n0,5\n0,6\n0,7\n"));  // numbers tell nothing
  CHECK_FALSE(repeated(",a\n,b\n,c\n"));
  CHECK_FALSE(repeated("\"a\"b,c\n\"a\"b,c\n"));
  CHECK_FALSE(repeated(""));
  const std::string_view eleventh = "a,b\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\n1,2\na,2\na,2\n";
  CHECK_FALSE(repeated(eleventh));
}
