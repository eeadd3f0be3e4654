// Orders as runs, and columns put in order by copying runs, against row by row, the slow twin.
#include "store/column/row_runs.h"

#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

// Numbers of rows [begin, begin + count).
void append_rows(std::uint32_t begin, std::uint32_t count, std::vector<std::uint32_t>* order) {
  const std::size_t size = order->size();
  order->resize(size + count);
  std::iota(order->begin() + static_cast<std::ptrdiff_t>(size), order->end(), begin);
}

std::vector<std::uint32_t> order_of(const std::vector<RowRun>& runs,
                                    const std::vector<std::size_t>& sizes) {
  std::vector<std::uint32_t> order;
  for (const RowRun& run : runs) {
    const std::size_t first =
        std::accumulate(sizes.begin(), sizes.begin() + run.part, std::size_t{run.begin});
    append_rows(static_cast<std::uint32_t>(first), run.count, &order);
  }
  return order;
}

}  // namespace

TEST_CASE("an order is told as the runs of each part") {
  const std::vector<std::size_t> sizes = {100, 0, 50};
  std::vector<std::uint32_t> order;
  append_rows(120, 30, &order);
  append_rows(0, 40, &order);
  append_rows(60, 60, &order);  // past the end of the first part
  append_rows(40, 20, &order);
  const std::vector<RowRun> runs = long_runs(order, sizes);
  REQUIRE(runs.size() == 5);
  CHECK(runs[2].part == 0);
  CHECK(runs[2].begin == 60);
  CHECK(runs[2].count == 40);
  CHECK(runs[3].part == 2);
  CHECK(runs[3].begin == 0);
  CHECK(runs[3].count == 20);
  CHECK(order_of(runs, sizes) == order);
}

TEST_CASE("an order of short runs, of one part or of nothing is not told") {
  std::vector<std::uint32_t> zigzag;
  for (std::uint32_t i = 0; i < 100; ++i) {
    zigzag.push_back(i);
    zigzag.push_back(100 + i);
  }
  const std::vector<std::size_t> two = {100, 100};
  const std::vector<std::size_t> one = {200};
  CHECK(long_runs(zigzag, two).empty());
  CHECK(long_runs({}, two).empty());
  std::vector<std::uint32_t> swapped;
  append_rows(100, 100, &swapped);
  append_rows(0, 100, &swapped);
  CHECK(long_runs(swapped, two).size() == 2);
  CHECK(long_runs(swapped, one).empty());
}

TEST_CASE("columns put in order run by run hold the rows picked one by one") {
  for (const Type type : kTypes) {
    CAPTURE(type);
    const std::vector<Vector> vectors = sample_vectors(type, 200);
    for (const Vector& first : vectors) {
      for (const Vector& second : vectors) {
        const std::vector<Vector> parts = {first, second, first.slice(5, 100)};
        // Runs that begin and end inside words of bitmaps, and one of a single row.
        const std::vector<RowRun> runs = {{2, 1, 70}, {1, 63, 1},   {0, 0, 64}, {1, 130, 70},
                                          {0, 70, 0}, {0, 65, 130}, {2, 99, 1}};
        const std::vector<std::uint32_t> order = order_of(runs, {200, 200, 100});
        const Vector sorted = concatenate(parts, runs);
        CHECK(sorted.is_flat());
        CHECK(sorted.type() == type);
        check_rows(sorted, values_of(concatenate(parts).gather(order)));
      }
    }
  }
}

}  // namespace evq::test
