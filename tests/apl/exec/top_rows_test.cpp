// rows_that_may_be_top() against all rows sorted: ties, nulls, texts that share their first bytes.

#include "apl/exec/top_rows.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kRows = 500;

// Of few distinct values, some null.
Vector column_of(Type type, std::mt19937& random) {
  VectorBuilder builder(type);
  for (std::size_t row = 0; row < kRows; ++row) {
    const auto number = static_cast<std::int64_t>(random() % 40);
    builder.append(number == 0           ? Value::null(type)
                   : type == Type::kLong ? Value::integer(number)
                   : type == Type::kReal ? Value::real(static_cast<double>(number) / 8)
                                         : Value::string("the same " + std::to_string(number)));
  }
  return builder.finish();
}

// The rows in order, those that tie by their places.
RowList sorted_rows(const Vector& column, SortOrder order,
                    const std::vector<std::uint64_t>& positions) {
  RowList rows(column.size());
  std::iota(rows.begin(), rows.end(), 0U);
  std::ranges::sort(rows, {}, [&](std::uint32_t row) { return positions[row]; });
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return compare_rows(column, a, column, b, order) < 0;
  });
  return rows;
}

TEST_CASE("top rows hold the first ones of all rows sorted") {
  std::mt19937 random(11);
  for (const Type type : {Type::kLong, Type::kReal, Type::kString}) {
    for (int round = 0; round < 60; ++round) {
      const Vector column = column_of(type, random);
      std::vector<std::uint64_t> positions(kRows);
      std::iota(positions.begin(), positions.end(), 1000U);
      std::ranges::shuffle(positions, random);
      const TopRows top{
          0, {random() % 2 == 0, random() % 2 == 0}, random() % 60, random() % 2 == 0};
      const RowList chosen =
          rows_that_may_be_top(column, top, [&](std::size_t row) { return positions[row]; });
      RowList expected = sorted_rows(column, top.order, positions);
      expected.resize(top.count);
      const auto is_chosen = [&](std::uint32_t row) {
        return std::ranges::count(chosen, row) == 1;
      };
      CHECK(std::ranges::all_of(expected, is_chosen));
      if (top.only_key && type != Type::kString) {
        CHECK(chosen.size() == top.count);
      }
    }
  }
}

TEST_CASE("more top rows than there are rows are all of them") {
  std::mt19937 random(12);
  const Vector column = column_of(Type::kLong, random);
  const auto in_place = [](std::size_t row) { return row; };
  CHECK(rows_that_may_be_top(column, {0, {}, 2 * kRows, true}, in_place).size() == kRows);
  CHECK(rows_that_may_be_top(column, {0, {}, 0, true}, in_place).empty());
}

}  // namespace
}  // namespace evq
