// A batch's columns, made one at a time.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/ingest/batch_builder.h"
#include "store/ingest/event_rules.h"
#include "tests/support/load_events.h"

TEST_CASE("columns taken one by one are those of the table, batch after batch") {
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BatchBuilder one_by_one(rules.value());
  evq::BatchBuilder whole(rules.value());
  // Texts that repeat and texts that do not, more and fewer of them, absent ones, mixed types.
  for (const int rows : {3000, 3000, 10, 2000, 1}) {
    for (int i = 0; i < rows; ++i) {
      const std::string number = std::to_string(i);
      const std::string event = R"({"id":"id )" + std::to_string(rows) + "/" + number +
                                R"(","kind":"k)" + std::to_string(i % 7) + R"(","n":)" + number +
                                (i % 3 == 0 ? R"(,"some":"s)" + number + "\"" : "") +
                                R"(,"mixed":)" +
                                (i % 2 == 0 ? number : R"([")" + number + R"("])") + "}";
      REQUIRE(one_by_one.add_json(event, i).ok());
      REQUIRE(whole.add_json(event, i).ok());
    }
    const evq::Table expected = whole.take();
    {
      evq::BatchColumns columns(one_by_one);
      evq::Table table;
      table.schema = columns.schema();
      table.rows = columns.rows();
      for (std::size_t i = 0; i < table.schema.size(); ++i) {
        table.columns.push_back(columns.take(i));
      }
      CHECK(evq::test::dump_schema(table) == evq::test::dump_schema(expected));
      CHECK(evq::test::dump_rows(table) == evq::test::dump_rows(expected));
    }
    CHECK(one_by_one.rows() == 0);
  }
}

TEST_CASE("columns taken in an order are those put in it") {
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BatchBuilder builder(rules.value());
  evq::BatchBuilder whole(rules.value());
  // Of each kind one column that all rows have, one that most have, one for some and one for few.
  const char* const kinds[] = {"b", "l", "r", "d", "t", "x"};
  const auto value_of = [](std::string_view kind, int row) -> std::string {
    const std::string number = std::to_string(row);
    switch (kind[0]) {
      case 'b':
        return row % 5 < 2 ? "true" : "false";
      case 'l':
        return number;
      case 'r':
        return number + ".25";
      case 'd':
        return "\"kind " + std::to_string(row % 9) + "\"";
      case 't':
        return "\"text of its own " + number + "\"";
      default:
        return "[" + number + ",{}]";
    }
  };
  constexpr int kShares[] = {1, -7, 3, 11};  // one row in so many; negative: all but those
  for (const int rows : {1, 63, 64, 65, 3000, 2999}) {
    std::vector<std::uint32_t> order;
    for (int row = 0; row < rows; ++row) {
      std::string event;
      for (const char* kind : kinds) {
        for (const int share : kShares) {
          if ((row % std::abs(share) == 0) == (share > 0)) {
            event += (event.empty() ? "\"" : ",\"") + std::string(kind) + std::to_string(share) +
                     "\":" + value_of(kind, row);
          }
        }
      }
      REQUIRE(builder.add_json("{" + event + "}", row).ok());
      REQUIRE(whole.add_json("{" + event + "}", row).ok());
      // 0 2 1 3 5 4 …, the last first.
      order.push_back(static_cast<std::uint32_t>(row % 3 == 1 && row + 1 < rows ? row + 1
                                                 : row % 3 == 2                 ? row - 1
                                                                                : row));
    }
    std::rotate(order.begin(), order.end() - 1, order.end());
    evq::Table expected = whole.take();
    for (evq::Vector& column : expected.columns) {
      column = column.gather(order);
    }
    evq::BatchColumns columns(builder);
    evq::Table table;
    table.schema = columns.schema();
    table.rows = columns.rows();
    const evq::RowOrder row_order(order);
    for (std::size_t i = 0; i < table.schema.size(); ++i) {
      table.columns.push_back(columns.take(i, row_order));
    }
    CAPTURE(rows);
    CHECK(evq::test::dump_schema(table) == evq::test::dump_schema(expected));
    CHECK(evq::test::dump_rows(table) == evq::test::dump_rows(expected));
  }
}

TEST_CASE("columns that nobody takes are gone") {
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BatchBuilder builder(rules.value());
  REQUIRE(builder.add_json(R"({"a":"old","b":1})", 0).ok());
  CHECK(evq::BatchColumns(builder).rows() == 1);
  REQUIRE(builder.add_json(R"({"a":"new"})", 0).ok());
  const evq::Table table = builder.take();
  CHECK(evq::test::dump_schema(table) == "a:string");
  CHECK(evq::test::dump_rows(table).find("new") != std::string::npos);
}

TEST_CASE("columns that only other batches have keep no memory beside many") {
  constexpr std::size_t kBatches = 8;
  constexpr std::size_t kFields = 500;
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BatchBuilder builder(rules.value());
  std::size_t of_first = 0;
  for (std::size_t batch = 0; batch < kBatches; ++batch) {
    for (std::size_t row = 0; row < 2000; ++row) {
      std::string event = "{";
      for (std::size_t i = 0; i < kFields; ++i) {
        event += (i == 0 ? "\"f" : ",\"f") + std::to_string(batch * kFields + i) +
                 "\":" + std::to_string(row + i);
      }
      REQUIRE(builder.add_json(event + "}", 0).ok());
    }
    CHECK(builder.take().columns.size() == kFields + 2);
    of_first = batch == 0 ? builder.memory_bytes() : of_first;
  }
  CHECK(builder.memory_bytes() < of_first + evq::kIdleBuilderBytesMax);
}

TEST_CASE("a batch without events lets no memory go") {
  const auto rules = evq::make_event_rules({}, nullptr);
  REQUIRE(rules.ok());
  evq::BatchBuilder builder(rules.value());
  const std::string text(evq::kMebibyte / 4, 'x');
  for (std::size_t row = 0; row < 4 * evq::kIdleBuilderBytesMax / evq::kMebibyte + 4; ++row) {
    REQUIRE(builder.add_json(R"({"t":")" + std::to_string(row) + text + "\"}", 0).ok());
  }
  CHECK(evq::BatchColumns(builder).rows() > 0);
  const std::size_t kept = builder.memory_bytes();
  REQUIRE(kept > evq::kIdleBuilderBytesMax);
  CHECK(evq::BatchColumns(builder).rows() == 0);
  CHECK(builder.memory_bytes() == kept);
}
