// RowSorter: the order cut into stretches for several threads, that what is charged for its rows is
// never given back while it has them, and that it ends when the query must.

#include "apl/exec/row_sorter.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/allocation_meter.h"
#include "store/base/checksum.h"
#include "tests/support/hungry_query.h"

namespace evq {
namespace {

Chunk chunk_of(std::size_t rows, std::uint64_t sequence, std::int64_t (*value)(std::uint64_t)) {
  const std::shared_ptr<Values> values = Values::make(Type::kLong, rows);
  for (std::size_t row = 0; row < rows; ++row) {
    values->mutable_data<std::int64_t>()[row] = value(sequence << 32U | row);
  }
  std::vector<Vector> columns;
  columns.push_back(Vector::flat(values));
  Chunk chunk(std::move(columns), rows);
  chunk.set_sequence(sequence);
  return chunk;
}

std::int64_t place_in_part(std::uint64_t row) {
  return static_cast<std::int64_t>(row & 0xffffffffU);
}
std::int64_t any_number(std::uint64_t row) {
  return static_cast<std::int64_t>(split_mix(row));
}

TEST_CASE("stretches are of about one length, also of parts that are alike") {
  constexpr std::size_t kParts = 60;
  for (const std::size_t rows : {std::size_t{65536}, std::size_t{65000}, std::size_t{2048}}) {
    for (const auto value : {place_in_part, any_number}) {
      RowSorter sorter({{0, {}}}, RowSorter::kNoLimit, nullptr, nullptr, "sort");
      for (std::size_t part = 0; part < kParts; ++part) {
        REQUIRE(sorter.add(chunk_of(rows, part, value)).ok());
      }
      REQUIRE(sorter.finish().ok());
      const std::size_t stretches = sorter.cut();
      CHECK(stretches == kParts * rows / RowSorter::kNextRowsMax);
      std::size_t all = 0;
      std::size_t longest = 0;
      for (std::size_t i = 0; i < stretches; ++i) {
        const std::size_t found = sorter.stretch(i).rows();
        all += found;
        longest = std::max(longest, found);
      }
      CHECK(all == kParts * rows);
      CHECK(longest < 3 * RowSorter::kNextRowsMax / 2);
    }
  }
}

constexpr std::size_t kSorterMemoryBytes = std::size_t{64} << 20U;
constexpr int kMoments = 200;  // for the chance of one

std::size_t rows_to_come(RowSorter* sorter) {
  std::size_t rows = 0;
  for (Chunk chunk = sorter->next(); !chunk.empty(); chunk = sorter->next()) {
    rows += chunk.rows();
  }
  return rows;
}

TEST_CASE("dropping rows needs no memory that another query could take meanwhile") {
  constexpr std::size_t kLimit = 8000;
  constexpr std::size_t kPartRows = 4000;
  for (int round = 0; round < kMoments; ++round) {
    MemoryBudget budget(kSorterMemoryBytes);
    RowSorter sorter({{0, {}}}, kLimit, &budget, nullptr, "top");
    for (std::size_t part = 0; part < 3; ++part) {
      REQUIRE(sorter.add(chunk_of(kPartRows, part, any_number)).ok());
    }
    const HungryQuery other(budget);
    REQUIRE(sorter.finish().ok());
    REQUIRE(rows_to_come(&sorter) == kLimit);
  }
}

TEST_CASE("a sorter that takes over another's rows takes over what is charged for them") {
  constexpr std::size_t kParts = 20;
  constexpr std::size_t kPartRows = 1000;
  MemoryBudget budget(kSorterMemoryBytes);
  RowSorter sorter({{0, {}}}, RowSorter::kNoLimit, &budget, nullptr, "sort");
  RowSorter others({{0, {}}}, RowSorter::kNoLimit, &budget, nullptr, "sort");
  for (std::size_t part = 0; part < kParts; ++part) {
    REQUIRE((part % 2 == 0 ? sorter : others).add(chunk_of(kPartRows, part, any_number)).ok());
  }
  const std::size_t bytes = sorter.bytes() + others.bytes();
  const HungryQuery other(budget);
  sorter.add(std::move(others));
  CHECK(sorter.bytes() == bytes);
  CHECK(rows_to_come(&sorter) == kParts * kPartRows);
}

TEST_CASE("putting many rows in order ends when the query is cancelled") {
  constexpr std::size_t kPartRows = 60'000;
  constexpr std::size_t kParts = 3;
  // The few that are put in order at once, most of the rows, and all of them.
  for (const std::size_t limit : {std::size_t{1000}, std::size_t{100'000}, kParts * kPartRows}) {
    CAPTURE(limit);
    QueryControl control;
    RowSorter sorter({{0, {}}}, limit, nullptr, &control, "top");
    for (std::size_t part = 0; part < kParts; ++part) {
      REQUIRE(sorter.add(chunk_of(kPartRows, part, any_number)).ok());
    }
    control.cancel();
    const Status finished = sorter.finish();
    REQUIRE_FALSE(finished.ok());
    CHECK(finished.error().code == ErrorCode::kCancelled);
  }
}

TEST_CASE("taking rows in ends when the query is cancelled") {
  constexpr std::size_t kPartRows = 60'000;
  // One puts each chunk in order, the other drops rows at once.
  for (const std::size_t limit : {RowSorter::kNoLimit, std::size_t{50'000}}) {
    CAPTURE(limit);
    QueryControl control;
    control.cancel();
    RowSorter sorter({{0, {}}}, limit, nullptr, &control, "top");
    const Status added = sorter.add(chunk_of(kPartRows, 0, any_number));
    REQUIRE_FALSE(added.ok());
    CHECK(added.error().code == ErrorCode::kCancelled);
  }
}

TEST_CASE("cutting an order into stretches ends when the query is cancelled") {
  RowSorter sorter({{0, {}}}, RowSorter::kNoLimit, nullptr, nullptr, "sort");
  for (std::size_t part = 0; part < 4; ++part) {
    REQUIRE(sorter.add(chunk_of(kChunkRowsMax, part, any_number)).ok());
  }
  REQUIRE(sorter.finish().ok());
  QueryControl control;
  control.cancel();
  AllocationMeter meter(nullptr, &control, "sort");
  const Status cut = meter.guard([&] { sorter.cut(); });
  REQUIRE_FALSE(cut.ok());
  CHECK(cut.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace evq
