// Rows of values under a line of names.
#include "store/ingest/json_rows.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace {

evq::test::Loaded load(std::string_view text) {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  return evq::test::load_events(text, options);
}

}  // namespace

TEST_CASE("a row's values are the fields that the first line names") {
  const auto loaded = load(
      "[\"_time\", \"a.b\", \"c\"]\n"
      "[\"2024-05-01T10:20:30Z\", 1, {\"d\": [2, \"x\"]}]\r\n"
      "\n"
      "[\"2024-05-01T10:20:31Z\", null]\n"
      "[]");
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) ==
        "_time=2024-05-01T10:20:30Z a.b=1 c.d=[2,\"x\"]\n"
        "_time=2024-05-01T10:20:31Z\n"
        "_time=2023-11-14T22:13:20Z\n");
  CHECK(loaded.counts.failed == 0);
}

TEST_CASE("blank lines before the names are passed over") {
  const auto loaded = load(std::string(700000, '\n') + " [\"a\",\"b\"]\n\n[1,2]\n[1,2,3]\n");
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) == "_time=2023-11-14T22:13:20Z a=1 b=2\n");
  REQUIRE(loaded.counts.failures.size() == 1);
  CHECK(loaded.counts.failures[0].line == 700004);
}

TEST_CASE("rows that are none fail alone") {
  const auto loaded = load("[\"a\",\"b\"]\n[1,2,3]\n{\"a\":1}\n[1,2\n[1,x]\n[1] 2\n[3,4]\n");
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) == "_time=2023-11-14T22:13:20Z a=3 b=4\n");
  CHECK(loaded.failures() ==
        "2:6 more values than the 2 names of the first line\n"
        "3:1 expected an array of values, as the lines before\n"
        "4:5 the array is not closed\n"
        "5:4 expected a value\n"
        "6:5 unexpected text after the event\n");
}

TEST_CASE("a row as an object") {
  const std::string names[] = {"a", "b"};
  CHECK(evq::row_as_object("[1,{\"x\":[null]}]", names) == "{\"a\":1,\"b\":{\"x\":[null]}}");
  CHECK(evq::row_as_object(" [ ] ", names) == "{}");
  CHECK(evq::row_as_object("[ 2.0 , \"],\\\"\\ud800\xFF\"]\r", names) ==
        "{\"a\":2.0,\"b\":\"],\\\"\\ud800\xFF\"}");
  CHECK(evq::row_as_object("[1e400,{\"x\":}]", names) == "{\"a\":1e400,\"b\":{\"x\":}}");
  CHECK(!evq::row_as_object("[1,2,3]", names));
  CHECK(!evq::row_as_object("{}", names));
  for (const char* text : {"[1", "[1,]", "[1 2]", "[1][2]", "[1] 2", "1", "", "[1]]", "[1,,2]"}) {
    CAPTURE(text);
    CHECK(!evq::row_as_object(text, names));
  }
}
