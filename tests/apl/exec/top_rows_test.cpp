// rows_that_may_be_top() against all rows sorted: ties, nulls, texts that share their first bytes.

#include "apl/exec/top_rows.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/allocation_meter.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kRows = 500;

// Of few distinct values, some null.
Vector column_of(Type type, std::size_t rows, std::mt19937& random) {
  VectorBuilder builder(type);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto number = static_cast<std::int64_t>(random() % 40);
    builder.append(number == 0           ? Value::null(type)
                   : type == Type::kLong ? Value::integer(number)
                   : type == Type::kReal ? Value::real(static_cast<double>(number) / 8)
                                         : Value::string("the same " + std::to_string(number)));
  }
  return builder.finish();
}

RowsToRank known_of(const std::vector<Vector>& keys, const std::vector<std::uint64_t>& positions) {
  return {[&](std::size_t key, const RowList& rows) { return keys[key].gather(rows); },
          [&](std::size_t row) { return positions[row]; }};
}

// The rows in order, those that tie by their places.
RowList sorted_rows(const std::vector<Vector>& keys, const TopRows& top,
                    const std::vector<std::uint64_t>& positions) {
  RowList rows(keys[0].size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::sort(rows, {}, [&](std::uint32_t row) { return positions[row]; });
  for (std::size_t key = top.keys.size(); key-- > 0;) {
    std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
      return compare_rows(keys[key], a, keys[key], b, top.keys[key].order) < 0;
    });
  }
  return rows;
}

std::vector<std::uint64_t> shuffled_places(std::size_t rows, std::mt19937& random) {
  std::vector<std::uint64_t> positions(rows);
  std::iota(positions.begin(), positions.end(), 1000U);
  std::ranges::shuffle(positions, random);
  return positions;
}

// The first rows are among the chosen ones, and none is chosen twice.
void check_chosen(const RowList& chosen, const std::vector<Vector>& keys, const TopRows& top,
                  const std::vector<std::uint64_t>& positions) {
  RowList expected = sorted_rows(keys, top, positions);
  expected.resize(std::min(top.count, expected.size()));
  RowList ascending = chosen;
  std::ranges::sort(ascending);
  CHECK(std::ranges::adjacent_find(ascending) == ascending.end());
  std::ranges::sort(expected);
  CHECK(std::ranges::includes(ascending, expected));
}

TEST_CASE("top rows hold the first ones of all rows sorted") {
  std::mt19937 random(11);
  for (const Type type : {Type::kLong, Type::kReal, Type::kString}) {
    for (int round = 0; round < 60; ++round) {
      const std::vector<Vector> keys{column_of(type, kRows, random)};
      const std::vector<std::uint64_t> positions = shuffled_places(kRows, random);
      const TopRows top{
          {{0, {random() % 2 == 0, random() % 2 == 0}}}, random() % 60, random() % 2 == 0};
      const RowList chosen = rows_that_may_be_top(kRows, top, known_of(keys, positions));
      check_chosen(chosen, keys, top, positions);
      if (top.all_keys && type != Type::kString) {
        CHECK(chosen.size() == top.count);
      }
    }
  }
}

TEST_CASE("rows that tie in one key are told apart by the next") {
  constexpr std::size_t kMany = 60000;
  std::mt19937 random(13);
  for (int round = 0; round < 12; ++round) {
    std::vector<Vector> keys;
    TopRows top;
    for (std::size_t key = 0; key < 3; ++key) {
      keys.push_back(
          column_of(key == 1 && round % 3 == 0 ? Type::kString : Type::kLong, kMany, random));
      top.keys.push_back({key, {random() % 2 == 0, random() % 2 == 0}});
    }
    top.count = 1 + random() % 2000;
    top.all_keys = round % 2 == 0;
    const std::vector<std::uint64_t> positions = shuffled_places(kMany, random);
    const RowList chosen = rows_that_may_be_top(kMany, top, known_of(keys, positions));
    check_chosen(chosen, keys, top, positions);
    if (round % 3 != 0) {  // 1,500 rows tie in the first key, 40 in the second
      CHECK(chosen.size() < top.count + 1100);
    }
  }
}

TEST_CASE("the search for top rows ends when the query is cancelled") {
  constexpr std::size_t kMany = 60000;
  std::mt19937 random(14);
  const Vector key = column_of(Type::kLong, kMany, random);
  QueryControl control;
  const RowsToRank known{[&](std::size_t /*key*/, const RowList& rows) {
                           control.cancel();
                           return key.gather(rows);
                         },
                         [](std::size_t row) { return row; }};
  AllocationMeter meter(nullptr, &control, "summarize");
  const Status found = meter.guard([&] {
    static_cast<void>(rows_that_may_be_top(kMany, {{{0, {}}}, 10, false}, known));
  });
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().code == ErrorCode::kCancelled);
}

TEST_CASE("more top rows than there are rows are all of them") {
  std::mt19937 random(12);
  const std::vector<Vector> keys{column_of(Type::kLong, kRows, random)};
  const std::vector<std::uint64_t> positions = shuffled_places(kRows, random);
  const RowsToRank known = known_of(keys, positions);
  CHECK(rows_that_may_be_top(kRows, {{{0, {}}}, 2 * kRows, true}, known).size() == kRows);
  CHECK(rows_that_may_be_top(kRows, {{{0, {}}}, 0, true}, known).empty());
}

}  // namespace
}  // namespace evq
