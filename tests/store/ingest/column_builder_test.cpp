// How columns of a batch get their types and shapes.
#include <string>

#include <doctest/doctest.h>

#include "store/column/dynamic.h"
#include "tests/support/load_events.h"

namespace {

using evq::Table;
using evq::test::dump_schema;
using evq::test::load_events;
using evq::test::Loaded;

std::string schema_of(std::string_view text) {
  const Loaded loaded = load_events(text);
  REQUIRE(loaded.tables.size() == 1);
  return dump_schema(loaded.tables[0]);
}

const evq::Vector& column(const Table& table, std::string_view name) {
  const auto i = table.schema.find(name);
  REQUIRE(i.has_value());
  return table.columns[*i];
}

}  // namespace

TEST_CASE("a column's type is the narrowest that keeps every value") {
  CHECK(schema_of("{\"a\":1}\n{\"a\":2}\n") == "a:long");
  CHECK(schema_of("{\"a\":1}\n{\"a\":2.5}\n") == "a:real");
  CHECK(schema_of("{\"a\":2.5}\n{\"a\":1}\n") == "a:real");
  CHECK(schema_of("{\"a\":9007199254740993}\n{\"a\":2.5}\n") == "a:dynamic");
  CHECK(schema_of("{\"a\":2.5}\n{\"a\":9007199254740993}\n") == "a:dynamic");
  CHECK(schema_of("{\"a\":1}\n{\"a\":\"x\"}\n") == "a:dynamic");
  CHECK(schema_of("{\"a\":true}\n{\"a\":1}\n") == "a:dynamic");
  CHECK(schema_of("{\"a\":true}\n{\"a\":false}\n") == "a:bool");
  CHECK(schema_of("{\"a\":[1]}\n{\"a\":[2]}\n") == "a:dynamic");
  CHECK(schema_of("{\"a\":null}\n{\"b\":1}\n") == "b:long");
}

TEST_CASE("values of a mixed column stay what they were") {
  const Loaded loaded = load_events(
      "{\"a\":1}\n{\"a\":2.5}\n{}\n{\"a\":\"x\"}\n{\"a\":true}\n{\"a\":[1]}\n{\"a\":3}\n");
  REQUIRE(loaded.tables.size() == 1);
  const evq::Vector& a = column(loaded.tables[0], "a");
  using evq::DynamicTag;
  const DynamicTag tags[] = {DynamicTag::kLong,   DynamicTag::kReal, DynamicTag::kNull,
                             DynamicTag::kString, DynamicTag::kTrue, DynamicTag::kArray,
                             DynamicTag::kLong};
  for (std::size_t row = 0; row < 7; ++row) {
    CAPTURE(row);
    CHECK(a.is_null(row) == (row == 2));
    if (row != 2) {
      CHECK(evq::DynamicView(a.at<std::string_view>(row)).tag() == tags[row]);
    }
  }
}

TEST_CASE("few distinct strings make a dictionary, one a constant, many a flat run") {
  std::string text;
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    text += "{\"one\":\"c\",\"few\":\"v" + std::to_string(i % 7) + "\",\"many\":\"m" +
            std::to_string(i) + "\"}\n";
  }
  const Loaded loaded = load_events(text);
  REQUIRE(loaded.tables.size() == 1);
  const Table& table = loaded.tables[0];
  CHECK(column(table, "one").is_constant());
  CHECK(column(table, "few").is_dictionary());
  CHECK(column(table, "few").values().size() == 7);
  const evq::Vector& many = column(table, "many");
  CHECK(many.is_flat());
  std::string run;
  for (int i = 0; i < 5000; ++i) {
    const auto row = static_cast<std::size_t>(i);
    CHECK(many.at<std::string_view>(row) == "m" + std::to_string(i));
    CHECK(column(table, "few").at<std::string_view>(row) == "v" + std::to_string(i % 7));
    run += "m" + std::to_string(i);
  }
  CHECK(many.values().contiguous_text() == run);
}

TEST_CASE("absent values are null, whatever the column's shape") {
  std::string text;
  for (int i = 0; i < 3000; ++i) {
    const std::string n = std::to_string(i);
    text += i % 3 == 0   ? "{\"l\":" + n + "}\n"
            : i % 3 == 1 ? "{\"r\":" + n + ".5,\"b\":true,\"many\":\"m" + n + "\"}\n"
                         : "{\"few\":\"x\",\"arr\":[" + n + "]}\n";
  }
  const Loaded loaded = load_events(text);
  REQUIRE(loaded.tables.size() == 1);
  const Table& table = loaded.tables[0];
  struct Place {
    const char* name;
    std::size_t remainder;  // of the rows with a value, divided by 3
  };
  const Place places[] = {{"l", 0}, {"r", 1}, {"b", 1}, {"many", 1}, {"few", 2}, {"arr", 2}};
  for (const Place& place : places) {
    CAPTURE(place.name);
    const evq::Vector& values = column(table, place.name);
    REQUIRE(values.size() == 3000);
    std::size_t wrong = 0;
    for (std::size_t row = 0; row < 3000; ++row) {
      wrong += values.is_null(row) != (row % 3 != place.remainder) ? 1U : 0U;
    }
    CHECK(wrong == 0);
  }
  CHECK(column(table, "few").is_dictionary());
  CHECK(column(table, "few").values().size() == 2);
  CHECK(column(table, "l").at<std::int64_t>(2997) == 2997);
}

TEST_CASE("a column forgets its type between batches") {
  evq::IngestOptions options;
  options.batch_rows_max = 2;
  const Loaded loaded =
      load_events("{\"a\":1}\n{\"a\":2}\n{\"a\":\"x\"}\n{\"b\":1}\n{\"b\":2}\n", options);
  REQUIRE(loaded.tables.size() == 3);
  CHECK(dump_schema(loaded.tables[0]) == "a:long");
  CHECK(dump_schema(loaded.tables[1]) == "a:string b:long");
  CHECK(dump_schema(loaded.tables[2]) == "b:long");
}
