#include "apl/service/present_cells.h"

#include <algorithm>
#include <memory>
#include <random>

#include <doctest/doctest.h>

namespace evq {
namespace {

// Longs of which one in `one_in` is there, flat or as codes of four entries, the second one null.
Vector some_longs(std::size_t rows, std::size_t one_in, bool dictionary, std::mt19937_64& random) {
  const std::size_t slots = dictionary ? 4 : rows;
  auto values = Values::make(Type::kLong, slots);
  for (std::size_t i = 0; i < slots; ++i) {
    values->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i);
    if (dictionary ? i == 1 : random() % one_in != 0) {
      values->set_null(i);
    }
  }
  if (!dictionary) {
    return Vector::flat(std::move(values));
  }
  auto codes = make_codes(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    codes.get()[i] = random() % one_in == 0 ? Code{2} : Code{1};
  }
  return Vector::dictionary(std::move(values), std::move(codes), rows);
}

}  // namespace

TEST_CASE("the cells that are there are those that are not null") {
  std::mt19937_64 random(1);
  for (const std::size_t rows : {0U, 1U, 63U, 64U, 65U, 1000U}) {
    CAPTURE(rows);
    std::vector<Vector> columns;
    for (const std::size_t one_in : {1U, 2U, 100U, 100000U}) {
      columns.push_back(some_longs(rows, one_in, false, random));
      columns.push_back(some_longs(rows, one_in, true, random));
    }
    columns.push_back(Vector::constant(Value::null(Type::kString), rows));
    columns.push_back(Vector::constant(Value::null(), rows));
    columns.push_back(Vector::constant(Value::integer(1), rows));
    columns.push_back(Vector::flat(Values::make(Type::kNull, rows)));
    const Chunk chunk(std::move(columns), rows);
    const PresentCells present(chunk);
    for (std::size_t row = 0; row < rows; ++row) {
      std::vector<std::uint32_t> expected;
      for (std::uint32_t column = 0; column < chunk.column_count(); ++column) {
        if (!chunk.column(column).is_null(row)) {
          expected.push_back(column);
        }
      }
      CHECK(std::ranges::equal(present.columns(row), expected));
    }
  }
}

}  // namespace evq
