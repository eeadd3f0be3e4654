// join_columns against concatenate(), its slow twin, for parts of every shape and type.
#include "store/block/join_columns.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/segment.h"
#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

constexpr std::size_t kPlenty = 100000;

Vector coded(const std::vector<std::string>& entries, std::size_t size, std::size_t step) {
  std::vector<Value> values;
  for (const std::string& entry : entries) {
    values.push_back(Value::string(entry));
  }
  std::shared_ptr<Code[]> codes = make_codes(size);
  for (std::size_t i = 0; i < size; ++i) {
    codes.get()[i] = static_cast<Code>(i * step % entries.size());
  }
  return Vector::dictionary(flat_vector(Type::kString, values).shared_values(), codes, size);
}

Vector constant_text(const std::string& text, std::size_t size) {
  return Vector::constant(Value::string(text), size);
}

}  // namespace

TEST_CASE("joined parts hold the rows of concatenated ones") {
  for (const Type type : kTypes) {
    CAPTURE(type);
    const std::vector<Vector> vectors = sample_vectors(type, 130);
    for (const Vector& first : vectors) {
      for (const Vector& second : vectors) {
        const std::vector<Vector> parts = {first, second, first.slice(3, 7)};
        const std::vector<Value> expected = values_of(concatenate(parts));
        for (const std::size_t entries_max : {std::size_t{0}, std::size_t{4}, kPlenty}) {
          const Vector joined = join_columns(parts, entries_max);
          CHECK(joined.type() == type);
          check_rows(joined, expected);
        }
      }
    }
  }
}

TEST_CASE("runs of joined parts hold the rows of runs of concatenated ones") {
  const std::vector<RowRun> runs = {{1, 3, 60}, {2, 0, 7}, {0, 100, 30}, {0, 1, 64}, {1, 0, 3}};
  for (const Type type : kTypes) {
    CAPTURE(type);
    const std::vector<Vector> vectors = sample_vectors(type, 130);
    for (const Vector& first : vectors) {
      for (const Vector& second : vectors) {
        const std::vector<Vector> parts = {first, second, first.slice(3, 7)};
        const std::vector<Value> expected = values_of(concatenate(parts, runs));
        for (const std::size_t entries_max : {std::size_t{0}, std::size_t{4}, kPlenty}) {
          check_rows(join_columns(parts, entries_max, runs), expected);
        }
      }
    }
  }
}

TEST_CASE("strings that repeat stay a dictionary, each value once") {
  const Vector first = coded({"a", "b", "a"}, 100, 1);
  const Vector second = coded({"c", "b"}, 50, 1);
  const Vector nulls = Vector::constant(Value::null(Type::kString), 5);
  const std::vector<Vector> parts = {first, nulls, second, constant_text("b", 3)};
  const Vector joined = join_columns(parts, 3);
  REQUIRE(joined.is_dictionary());
  CHECK(joined.values().size() == 4);  // and null
  check_rows(joined, values_of(concatenate(parts)));
  CHECK(join_columns(parts, 2).is_flat());
}

TEST_CASE("rows that are all equal are a constant") {
  const std::vector<Vector> parts = {constant_text("b", 3), coded({"b", "b"}, 10, 1)};
  const Vector joined = join_columns(parts, 8);
  REQUIRE(joined.is_constant());
  CHECK(joined.size() == 13);
  CHECK(joined.value(12) == Value::string("b"));
  CHECK(join_columns(std::vector{constant_text("b", 3), constant_text("c", 1)}, 8).size() == 4);
}

// So a merge makes the same blocks as if it had hashed every row.
TEST_CASE("columns of few values are encoded to the same bytes whether joined or concatenated") {
  std::vector<std::string> entries;
  for (int i = 0; i < 30; ++i) {
    entries.push_back("value " + std::to_string(i * i));
  }
  const std::vector<Vector> parts = {coded(entries, 700, 7), coded(entries, 800, 11),
                                     coded({"x", "y", "value 4"}, 300, 1)};
  const auto slow = encode_segment(concatenate(parts), {1}, 32);
  const auto fast = encode_segment(join_columns(parts, 1800 / 8), {1}, 32);
  REQUIRE(slow.ok());
  REQUIRE(fast.ok());
  CHECK(fast->bytes == slow->bytes);
  CHECK(fast->filter == slow->filter);
  CHECK(fast->statistics.distinct == slow->statistics.distinct);
}

// As blocks that have a field in few rows, or not at all, are decoded.
TEST_CASE("few values stay the entries of a dictionary, and are encoded as if they were flat") {
  for (const Type type : kTypes) {
    const std::vector<Value> samples = sample_values(type);
    if (samples.empty()) {
      continue;
    }
    CAPTURE(type);
    std::vector<Value> some(800, Value::null(type));
    for (std::size_t i = 0; i < 12; ++i) {
      some[i * 53 + 7] = samples[i * i % samples.size()];
    }
    const auto stored = encode_segment(flat_vector(type, some), {.zstd_level = 1}, 32);
    REQUIRE(stored.ok());
    const auto part = decode_segment(stored->bytes, type, some.size(), {0, some.size(), nullptr});
    REQUIRE(part.ok());
    const std::vector<Vector> parts = {Vector::constant(Value::null(type), 1000), *part,
                                       part->slice(5, 400)};
    const std::vector<RowRun> runs = {{2, 0, 400}, {0, 10, 900}, {1, 300, 500}, {1, 0, 300}};
    for (const Vector& joined : {join_columns(parts, 0), join_columns(parts, 0, runs)}) {
      CHECK(joined.is_dictionary());
    }
    const auto fast = encode_segment(join_columns(parts, 0, runs), {.zstd_level = 1}, 32);
    const auto slow = encode_segment(concatenate(parts, runs), {.zstd_level = 1}, 32);
    REQUIRE(fast.ok());
    REQUIRE(slow.ok());
    CHECK(fast->bytes == slow->bytes);
    CHECK(fast->filter == slow->filter);
    CHECK(fast->statistics.distinct == slow->statistics.distinct);
  }
}

}  // namespace evq::test
