// What loads that wait for one commit become: which of them are joined, and what is in it.
#include "store/fresh_rows.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/thread_pool.h"
#include "store/mini_block.h"
#include "tests/support/load_events.h"

namespace evq::test {
namespace {

constexpr std::uint32_t kBlockRows = 65536;

FreshRows rows_of(const std::string& ndjson) {
  Loaded loaded = load_events(ndjson);
  REQUIRE(loaded.status.ok());
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), ndjson.size()};
}

std::string event(int second, const std::string& fields) {
  return "{\"_time\":" + std::to_string(1'600'000'000 + second) + "," + fields + "}\n";
}

// The rows of a chunk as text, its fields in their order.
std::string dump(const StoredForm& form) {
  const auto reader = open_mini_block({form.chunk, nullptr});
  REQUIRE(reader.ok());
  Table table;
  table.rows = form.row.rows;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < (*reader)->header().columns.size(); ++i) {
    const ColumnHeader& column = (*reader)->header().columns[i];
    fields.push_back({column.name, column.type});
    const auto values = (*reader)->read(i, Selection::all());
    REQUIRE(values.ok());
    table.columns.push_back(*values);
  }
  table.schema = Schema(std::move(fields));
  return dump_schema(table) + "\n" + dump_rows(table);
}

// The same of what it was before it was encoded.
std::string dump(const DecodedBlock& decoded) {
  Table table;
  table.rows = decoded.header->rows;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < decoded.columns.size(); ++i) {
    const ColumnHeader& column = decoded.header->columns[i];
    CHECK(decoded.columns[i].type() == column.type);
    CHECK(decoded.columns[i].size() == decoded.header->rows);
    const bool text = column.type == Type::kString && column.nulls < decoded.header->rows;
    CHECK((!text || decoded.columns[i].values().owners().size() == 1));  // nothing of the loads
    const bool flat_text = column.type == Type::kString && decoded.columns[i].is_flat();
    CHECK((!flat_text || !decoded.columns[i].values().contiguous_text().empty()));
    fields.push_back({column.name, column.type});
    table.columns.push_back(decoded.columns[i]);
  }
  table.schema = Schema(std::move(fields));
  return dump_schema(table) + "\n" + dump_rows(table);
}

std::string dump_together(const std::vector<std::string>& loads, ThreadPool* pool = nullptr) {
  std::vector<FreshRows> rows;
  for (const std::string& load : loads) {
    rows.push_back(rows_of(load));
  }
  JoinedRows chunk(kBlockRows);
  for (const FreshRows& load : rows) {
    REQUIRE(chunk.add(load));
  }
  const auto form = chunk.encode(pool);
  REQUIRE(form.ok());
  DecodedBlock decoded;
  REQUIRE(chunk.encode(pool, &decoded).ok());
  CHECK(dump(decoded) == dump(*form));
  return dump(*form);
}

bool share(const std::string& first, const std::string& second) {
  const FreshRows one = rows_of(first);
  const FreshRows other = rows_of(second);
  JoinedRows chunk(kBlockRows);
  return chunk.add(one) && chunk.add(other);
}

}  // namespace

TEST_CASE("rows of several loads are one chunk in the order of their times") {
  CHECK(dump_together({event(3, R"("n":1,"s":"a")") + event(1, R"("n":2,"s":"b")"),
                       event(2, R"("n":3,"s":"a")"), event(3, R"("n":4,"s":"c")")}) ==
        "n:long s:string\n"
        "_time=2020-09-13T12:26:41Z n=2 s=\"b\"\n"
        "_time=2020-09-13T12:26:42Z n=3 s=\"a\"\n"
        "_time=2020-09-13T12:26:43Z n=1 s=\"a\"\n"
        "_time=2020-09-13T12:26:43Z n=4 s=\"c\"\n");
}

// Rows that come in runs are copied in runs: the same chunk as when a row stands between all runs.
TEST_CASE("loads whose times follow each other in turn are one chunk in the order of their times") {
  std::vector<std::string> loads(3);
  std::string sorted;
  for (int i = 0; i < 600; ++i) {
    const int load = i / 40 % 3;
    std::string fields = "\"n\":" + std::to_string(i) + R"(,"s":")" + std::to_string(i % 7) +
                         R"(","id":"row )" + std::to_string(i) + "\"";
    fields += i % 5 == 0 ? R"(,"some":true)" : "";
    fields += load == 1 ? R"(,"mine":[1,2])" : "";
    loads[static_cast<std::size_t>(load)] += event(i, fields);
    sorted += event(i, fields);
  }
  std::swap(loads[0], loads[2]);
  const std::string together = dump_together(loads);
  const std::string alone = dump_together({sorted});
  CHECK(together.substr(together.find('\n')) == alone.substr(alone.find('\n')));
}

TEST_CASE("fields that a load has not are null in its rows") {
  CHECK(dump_together({event(1, R"("a":1,"b":"x")"), event(2, R"("c":true,"b":"y")"),
                       event(3, R"("c":false,"a":2)")}) ==
        "a:long b:string c:bool\n"
        "_time=2020-09-13T12:26:41Z a=1 b=\"x\"\n"
        "_time=2020-09-13T12:26:42Z b=\"y\" c=true\n"
        "_time=2020-09-13T12:26:43Z a=2 c=false\n");
}

TEST_CASE("longs and reals share a column while every long is exact as a real") {
  CHECK(dump_together({event(1, R"("n":1)"), event(2, R"("n":2.5)"), event(3, R"("n":3)")}) ==
        "n:real\n"
        "_time=2020-09-13T12:26:41Z n=1.0\n"
        "_time=2020-09-13T12:26:42Z n=2.5\n"
        "_time=2020-09-13T12:26:43Z n=3.0\n");
  const std::string inexact = event(1, R"("n":9007199254740993)");
  const std::string real = event(1, R"("n":0.5)");
  CHECK_FALSE(share(inexact, real));
  CHECK_FALSE(share(real, inexact));
  CHECK(share(inexact, inexact));
}

TEST_CASE("no load makes a field of another one dynamic") {
  const std::string text = event(1, R"("n":"x")");
  const std::string number = event(1, R"("n":1)");
  const std::string list = event(1, R"("n":[1])");
  CHECK_FALSE(share(text, number));
  CHECK_FALSE(share(number, list));
  CHECK(share(list, list));
}

TEST_CASE("a dynamic field says what its values are in all of the loads") {
  const FreshRows numbers = rows_of(event(1, R"("n":1)") + event(2, R"("n":"x")"));
  const FreshRows truths = rows_of(event(1, R"("n":true)") + event(2, R"("n":"x")"));
  JoinedRows chunk(kBlockRows);
  REQUIRE(chunk.add(numbers));
  REQUIRE(chunk.add(truths));
  const auto form = chunk.encode(nullptr);
  REQUIRE(form.ok());
  const auto n =
      std::ranges::find(form->fields, "n", [](const auto& field) { return field.first; });
  REQUIRE(n != form->fields.end());
  std::uint32_t expected = 0;
  for (const Type type : {Type::kLong, Type::kString, Type::kBool}) {
    expected |= 1U << static_cast<unsigned>(type);
  }
  CHECK(n->second == expected);
}

TEST_CASE("rows are joined up to those of a block, and sealed from a quarter of one on") {
  const FreshRows three = rows_of(event(1, "\"n\":1") + event(2, "\"n\":2") + event(3, "\"n\":3"));
  JoinedRows joined(12);
  CHECK(joined.add(three));
  CHECK(joined.encode(nullptr)->row.state == BlockState::kFresh);
  CHECK(joined.add(three));
  CHECK(joined.encode(nullptr)->row.state == BlockState::kStored);
  CHECK(joined.add(three));
  CHECK(joined.add(three));
  CHECK_FALSE(joined.add(three));
  CHECK(joined.encode(nullptr)->row.rows == 12);
  JoinedRows tiny(2);
  CHECK(tiny.add(three));
  CHECK_FALSE(tiny.add(three));
}

TEST_CASE("rows are joined up to so many bytes of input") {
  FreshRows half = rows_of(event(1, "\"n\":1"));
  half.raw_bytes = kMergedEventBytesMax / 2;
  JoinedRows joined(kBlockRows);
  CHECK(joined.add(half));
  CHECK(joined.add(half));
  CHECK_FALSE(joined.add(half));
  CHECK(joined.encode(nullptr)->row.raw_bytes == kMergedEventBytesMax);
}

TEST_CASE("a chunk is of so many bytes of input, and more are a block") {
  FreshRows rows = rows_of(event(1, "\"n\":1"));
  for (const std::size_t bytes : {kFreshChunkBytesMax, kFreshChunkBytesMax + 1}) {
    rows.raw_bytes = bytes;
    JoinedRows joined(kBlockRows);
    REQUIRE(joined.add(rows));
    CHECK(joined.is_block() == (bytes > kFreshChunkBytesMax));
    CHECK((joined.encode(nullptr)->row.state == BlockState::kStored) == joined.is_block());
  }
}

TEST_CASE("threads that help change nothing") {
  std::vector<std::string> loads(4);
  for (int load = 0; load < 4; ++load) {
    for (int i = 0; i < 1000; ++i) {
      std::string fields = "\"load\":" + std::to_string(load);
      for (int field = 0; field < 80; ++field) {
        fields += ",\"f" + std::to_string(field) + "\":\"" + std::to_string(i * field % 97) + "\"";
      }
      loads[static_cast<std::size_t>(load)] += event(i * 7 % 1000, fields);
    }
  }
  ThreadPool pool(3);
  CHECK(dump_together(loads, &pool) == dump_together(loads));
}

TEST_CASE("large batches do not wait to be encoded") {
  FreshRows rows = rows_of(event(1, "\"n\":1") + event(2, "\"n\":2"));
  CHECK(is_small(rows, 8));
  CHECK_FALSE(is_small(rows, 7));
  rows.raw_bytes = kFreshChunkBytesMax;
  CHECK_FALSE(is_small(rows, 8));
  FreshRows wide;
  wide.table.rows = 1;
  wide.table.columns = {Vector::constant(Value::string(std::string(8 * kMebibyte, 'x')), 1)};
  CHECK_FALSE(is_small(wide, kBlockRows));
}

}  // namespace evq::test
