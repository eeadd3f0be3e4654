#include "store/block/block_filter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/block/block_writer.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"
#include "tests/support/packed_block.h"

// Random tests over random blocks, held against a row-by-row evaluation.

namespace evq {
namespace {

using Random = std::mt19937_64;

Value random_value(Type type, Random& random) {
  const auto small = static_cast<std::int64_t>(random() % 12) - 3;
  switch (type) {
    case Type::kBool:
      return Value::boolean(small > 2);
    case Type::kLong:
      return Value::integer(small * 10);
    case Type::kReal:
      return random() % 20 == 0 ? Value::real(std::nan(""))
                                : Value::real(static_cast<double>(small) * 2.5);
    case Type::kString: {
      const char* const words[] = {"",         "alpha",      "Beta gamma", "GET /x/42",
                                   "straße-7", "alpha-beta", "42",         "gamma!delta"};
      return Value::string(words[random() % 8]);
    }
    case Type::kDatetime:
      return Value::datetime(small * 1000);
    case Type::kTimespan:
      return Value::timespan(small * 1000);
    case Type::kNull:
    case Type::kDynamic:
      break;
  }
  return Value::null(type);
}

Table random_table(std::size_t rows, Random& random) {
  std::vector<Field> fields = {{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}};
  VectorBuilder times(Type::kDatetime);
  for (std::size_t i = 0; i < rows; ++i) {
    times.append_integer(static_cast<std::int64_t>(random() % 100000));
  }
  Table table;
  table.rows = rows;
  table.columns = {times.finish(), Vector::constant(Value::datetime(5), rows)};
  const Type types[] = {Type::kBool,   Type::kLong,   Type::kReal,
                        Type::kString, Type::kString, Type::kTimespan};
  for (std::size_t c = 0; c < 6; ++c) {
    VectorBuilder column(types[c]);
    const std::size_t null_percent = random() % 3 == 0 ? 0 : random() % 3 == 0 ? 100 : 30;
    const bool constant = random() % 4 == 0;
    const Value one = random_value(types[c], random);
    const bool unique = c == 4;
    for (std::size_t i = 0; i < rows; ++i) {
      if (random() % 100 < null_percent) {
        column.append_null();
      } else if (unique && !constant) {
        column.append_text("id" + std::to_string(random() % 100000) + " " +
                           std::string(random_value(Type::kString, random).as_text()));
      } else {
        column.append(constant ? one : random_value(types[c], random));
      }
    }
    fields.push_back({"c" + std::to_string(c), types[c]});
    table.columns.push_back(column.finish());
  }
  table.schema = Schema(fields);
  return table;
}

// A test and what it means for one row.
struct Sample {
  BlockTest test = BlockTest::unknown();
  std::function<bool(const Table&, std::size_t row)> matches;
};

bool is_nan(const Value& value) {
  return value.type() == Type::kReal && !value.is_null() && value.as_real() != value.as_real();
}

bool comparable(const Value& a, const Value& b) {
  return a.type() == b.type() || (is_numeric(a.type()) && is_numeric(b.type()));
}

// In the two readings a language may give NaN: unordered, or after all numbers. Both must be
// inside of what the block test says.
bool compare_value(const Value& value, CompareOp op, const Value& constant, bool nan_ordered) {
  if (!nan_ordered && (is_nan(value) || is_nan(constant))) {
    return false;
  }
  const int order = compare_values(value, constant);
  switch (op) {
    case CompareOp::kEqual:
      return order == 0;
    case CompareOp::kLess:
      return order < 0;
    case CompareOp::kLessEqual:
      return order <= 0;
    case CompareOp::kGreater:
      return order > 0;
    case CompareOp::kGreaterEqual:
      return order >= 0;
  }
  return false;
}

// What a language makes of values that cannot be compared is not known: any answer must be allowed
// for.
bool matches_somehow(const Value& value, CompareOp op, const Value& constant, bool nan_ordered,
                     std::size_t row) {
  return comparable(value, constant) ? compare_value(value, op, constant, nan_ordered)
                                     : row % 2 == 0;
}

constexpr Type kConstantTypes[] = {Type::kBool,   Type::kLong,     Type::kReal,
                                   Type::kString, Type::kTimespan, Type::kDatetime};

Sample random_compare(Random& random, bool nan_ordered) {
  const std::string field = "c" + std::to_string(random() % 7);  // c6 is in no block
  const Value constant = random_value(kConstantTypes[random() % 6], random);
  const auto op = static_cast<CompareOp>(random() % 5);
  return {BlockTest::compare(field, op, constant), [=](const Table& table, std::size_t row) {
            const auto column = table.schema.find(field);
            if (!column.has_value() || table.columns[*column].is_null(row)) {
              return false;
            }
            return matches_somehow(table.columns[*column].value(row), op, constant, nan_ordered,
                                   row);
          }};
}

Sample random_list(Random& random, bool nan_ordered) {
  const std::string field = "c" + std::to_string(random() % 7);
  const Type usual = kConstantTypes[random() % 6];
  std::vector<Value> constants;
  for (auto count = random() % 5; count > 0; --count) {
    const bool other = random() % 10 == 0;
    constants.push_back(random_value(other ? kConstantTypes[random() % 6] : usual, random));
  }
  return {BlockTest::in_list(field, constants), [=](const Table& table, std::size_t row) {
            const auto column = table.schema.find(field);
            if (!column.has_value() || table.columns[*column].is_null(row)) {
              return false;
            }
            const Value value = table.columns[*column].value(row);
            return std::ranges::any_of(constants, [&](const Value& constant) {
              return matches_somehow(value, CompareOp::kEqual, constant, nan_ordered, row);
            });
          }};
}

bool has_term(std::string_view text, const std::vector<std::string>& terms) {
  const std::vector<std::string> found = required_terms(text, false, false);
  return std::all_of(terms.begin(), terms.end(), [&](const std::string& term) {
    return std::find(found.begin(), found.end(), term) != found.end();
  });
}

std::string random_needle(Random& random) {
  const char* const needles[] = {"alpha", "BETA", "42", "strasse", "STRAßE", "gamma delta",
                                 "x",     "",     "7",  "true",    "id7",    "10"};
  return needles[random() % 12];
}

Sample random_text(Random& random) {
  const std::string field = "c" + std::to_string(3 + random() % 2);
  const std::vector<std::string> terms = required_terms(random_needle(random), false, false);
  return {BlockTest::has_terms(field, terms), [=](const Table& table, std::size_t row) {
            const Vector& column = table.columns[*table.schema.find(field)];
            return !column.is_null(row) && has_term(column.at<std::string_view>(row), terms);
          }};
}

Sample random_nullness(Random& random) {
  const std::string field = "c" + std::to_string(random() % 7);
  const bool null = random() % 2 == 0;
  return {null ? BlockTest::is_null(field) : BlockTest::is_not_null(field),
          [=](const Table& table, std::size_t row) {
            const auto column = table.schema.find(field);
            const bool is_null = !column.has_value() || table.columns[*column].is_null(row);
            return is_null == null;
          }};
}

Sample random_test(Random& random, int depth, bool nan_ordered) {
  if (depth > 0 && random() % 2 == 0) {
    const Sample a = random_test(random, depth - 1, nan_ordered);
    const Sample b = random_test(random, depth - 1, nan_ordered);
    const bool all = random() % 2 == 0;
    return {all ? BlockTest::all_of({a.test, b.test}) : BlockTest::any_of({a.test, b.test}),
            [=](const Table& table, std::size_t row) {
              return all ? a.matches(table, row) && b.matches(table, row)
                         : a.matches(table, row) || b.matches(table, row);
            }};
  }
  switch (random() % 5) {
    case 0:
      return random_text(random);
    case 1:
      return random_nullness(random);
    case 2:
      return random_list(random, nan_ordered);
    default:
      return random_compare(random, nan_ordered);
  }
}

struct Opened {
  EncodedBlock block;
  std::unique_ptr<BlockReader> reader;
};

Opened open_block(const Table& table) {
  Result<EncodedBlock> encoded = encode_block(table, Effort::kIngest);
  REQUIRE(encoded.ok());
  Opened opened{std::move(encoded).value(), nullptr};
  opened.reader = std::make_unique<BlockReader>(
      std::make_shared<BlockHeader>(opened.block.header),
      make_packed_source(opened.block.header, test::pack_block(opened.block)));
  return opened;
}

Table ids_table(std::size_t rows, const std::function<std::string(std::size_t)>& id_of) {
  VectorBuilder times(Type::kDatetime);
  VectorBuilder ids(Type::kString);
  for (std::size_t i = 0; i < rows; ++i) {
    times.append_integer(static_cast<std::int64_t>(i));
    ids.append_text(id_of(i));
  }
  Table table;
  table.rows = rows;
  table.schema =
      Schema({{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}, {"id", Type::kString}});
  table.columns = {times.finish(), Vector::constant(Value::datetime(1), rows), ids.finish()};
  return table;
}

Table orders_table(std::size_t rows) {
  return ids_table(rows,
                   [](std::size_t i) { return "Order-" + std::to_string(i * 3) + " für Ärzte"; });
}

}  // namespace

TEST_CASE("block tests are never wrong") {
  Random random(7);
  int decided = 0;
  for (int round = 0; round < 60; ++round) {
    const std::size_t rows = 1 + random() % 200;
    const Table table = random_table(rows, random);
    const Opened opened = open_block(table);
    for (int i = 0; i < 200; ++i) {
      const Sample sample = random_test(random, 2, random() % 2 == 0);
      bool matches = false;
      for (std::size_t row = 0; row < rows; ++row) {
        matches = matches || sample.matches(table, row);
      }
      const bool quick = sample.test.may_match(opened.block.header);
      const Result<bool> full = sample.test.may_match(*opened.reader);
      REQUIRE(full.ok());
      CHECK((quick || !matches));
      CHECK((*full || !matches));
      CHECK((quick || !*full));
      decided += *full ? 0 : 1;
    }
  }
  // The property is empty if nothing is ever decided.
  CHECK(decided > 2000);
}

TEST_CASE("filters find terms without case and deny others") {
  const Opened opened = open_block(orders_table(20000));
  const auto has = [&](const char* text) {
    return *BlockTest::has_terms("id", required_terms(text, false, false))
                .may_match(*opened.reader);
  };
  const auto equals = [&](const char* text) {
    return *BlockTest::compare("id", CompareOp::kEqual, Value::string(text))
                .may_match(*opened.reader);
  };
  CHECK(opened.block.header.columns[2].filter_bytes > 0);
  CHECK(has("ORDER"));
  CHECK(has("59997"));
  CHECK(has("ärzte"));
  CHECK_FALSE(has("zanzibar"));
  CHECK(equals("Order-9 für Ärzte"));
  CHECK_FALSE(equals("Order-9 für Zorro"));
  int denied = 0;
  for (int i = 0; i < 1000; ++i) {
    denied += has(("absent" + std::to_string(i)).c_str()) ? 0 : 1;
  }
  CHECK(denied > 930);
}

TEST_CASE("ids that grow with time are found, and those of other times are not") {
  const auto id_of = [](std::size_t i) {
    return i % 500 == 9 ? std::string("self") : "K" + std::to_string(7000000 + i * 3);
  };
  const Table table = ids_table(20000, id_of);
  const Opened opened = open_block(table);
  CHECK(opened.block.header.columns[2].filter_bytes < 1000);
  const auto equal = [&](const std::string& id) {
    return *BlockTest::compare("id", CompareOp::kEqual, Value::string(id))
                .may_match(*opened.reader);
  };
  const auto has = [&](std::string_view text) {
    return *BlockTest::has_terms("id", required_terms(text, false, false))
                .may_match(*opened.reader);
  };
  for (std::size_t i = 0; i < table.rows; ++i) {
    REQUIRE(equal(id_of(i)));
  }
  CHECK(has("SELF"));
  CHECK(has("k7000003"));
  CHECK_FALSE(equal("K6999999"));
  CHECK_FALSE(has("k7060000"));
  CHECK_FALSE(has("7000003"));
}

TEST_CASE("packed ids that pass the filter are compared without being decoded") {
  const auto id_of = [](std::size_t i) {
    const std::string low = std::to_string(10000 + i % 500 * 7);
    return low + "-" + std::to_string(20000 + i * 31 % 9973);
  };
  const Table table = ids_table(9000, id_of);
  const Opened opened = open_block(table);
  REQUIRE(opened.block.header.columns[2].filter_bytes > 0);
  const auto equal = [&](const std::string& id) {
    return *BlockTest::compare("id", CompareOp::kEqual, Value::string(id))
                .may_match(*opened.reader);
  };
  for (std::size_t i = 0; i < table.rows; i += 7) {
    REQUIRE(equal(id_of(i)));
    // The same terms, which the filter has, in the other order.
    const std::string swapped = id_of(i).substr(6) + "-" + id_of(i).substr(0, 5);
    REQUIRE_FALSE(equal(swapped));
    REQUIRE(*BlockTest::has_terms("id", required_terms(swapped, false, false))
                 .may_match(*opened.reader));
    std::vector<Value> list = {Value::string(swapped), Value::string("10000-20031")};
    REQUIRE_FALSE(*BlockTest::in_list("id", list).may_match(*opened.reader));
    list.push_back(Value::string(id_of(i)));
    REQUIRE(*BlockTest::in_list("id", list).may_match(*opened.reader));
  }
}

TEST_CASE("a list of texts is looked for as one text is") {
  const auto id_of = [](std::size_t i) {
    return "user " + std::to_string(i % 500) + " of " + std::to_string(500 - i % 500);
  };
  const Opened opened = open_block(ids_table(9000, id_of));
  REQUIRE(opened.block.header.columns[2].has(kColumnIsDictionary));
  std::vector<Value> swapped;  // all terms are there, but not together
  for (std::size_t i = 0; i < 490; ++i) {
    swapped.push_back(Value::string("user " + std::to_string(i) + " of " + std::to_string(i + 5)));
  }
  CHECK_FALSE(*BlockTest::in_list("id", swapped).may_match(*opened.reader));
  CHECK_FALSE(*BlockTest::in_list("id", {}).may_match(*opened.reader));
  std::vector<Value> one_there = swapped;
  one_there.insert(one_there.begin() + 250, Value::string(id_of(499)));
  CHECK(*BlockTest::in_list("id", one_there).may_match(*opened.reader));
  std::vector<Value> with_null = swapped;
  with_null.push_back(Value::null(Type::kString));
  CHECK(*BlockTest::in_list("id", with_null).may_match(*opened.reader));
}

TEST_CASE("a search for a number asks number columns by their bounds") {
  Table table = orders_table(100);
  VectorBuilder numbers(Type::kLong);
  for (int i = 0; i < 100; ++i) {
    numbers.append_integer(-500 - i);
  }
  table.schema =
      Schema({{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}, {"n", Type::kLong}});
  table.columns[2] = numbers.finish();
  const Opened opened = open_block(table);
  const auto search = [&](const char* term) {
    return *column_may_have_terms(*opened.reader, 2, {term});
  };
  CHECK(search("550"));
  CHECK(!search("55"));
  CHECK(!search("0550"));
  CHECK(!search("abc"));
}

TEST_CASE("required terms leave out what touches an open end") {
  using Terms = std::vector<std::string>;
  CHECK(required_terms("Foo-bar baz", false, false) == Terms{"bar", "baz", "foo"});
  CHECK(required_terms("Foo-bar baz", true, true) == Terms{"bar"});
  CHECK(required_terms("-bar-", true, true) == Terms{"bar"});
  CHECK(required_terms("foo-bar", false, true) == Terms{"foo"});
  CHECK(required_terms("foo", true, false).empty());
  CHECK(required_terms("foo", true, true).empty());
  CHECK(required_terms("", true, true).empty());
}

}  // namespace evq
