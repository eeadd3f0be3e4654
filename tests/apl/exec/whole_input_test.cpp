// join_collected(): memory that is charged for rows stays charged while they are joined, and more
// rows than have numbers are refused before that.

#include "apl/exec/whole_input.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/hungry_query.h"

namespace evq {
namespace {

Chunk chunk_of_longs(std::size_t rows) {
  std::vector<Vector> columns;
  columns.push_back(Vector::flat(Values::make(Type::kLong, rows)));
  return {std::move(columns), rows};
}

TEST_CASE("joining rows needs no memory that another query could take meanwhile") {
  constexpr std::size_t kParts = 3;
  constexpr std::size_t kPartRows = 1000;
  constexpr int kRounds = 200;  // for a moment's chance
  for (int round = 0; round < kRounds; ++round) {
    MemoryBudget budget(std::size_t{64} << 20U);
    ExecOptions options;
    options.budget = &budget;
    QueryStats stats;
    Executor executor({}, options, nullptr, &stats);
    Collected collected{{}, MemoryLease(&budget, "test")};
    for (std::size_t part = 0; part < kParts; ++part) {
      collected.chunks.push_back(chunk_of_longs(kPartRows));
      REQUIRE(collected.lease.grow(collected.chunks.back().size_bytes()).ok());
    }
    const HungryQuery other(budget);
    const auto whole = join_collected(executor, std::move(collected), Schema(), "test");
    REQUIRE(whole.ok());
    REQUIRE(whole->rows.rows() == kParts * kPartRows);
    REQUIRE(whole->lease.bytes() == whole->rows.size_bytes());
  }
}

TEST_CASE("more rows than have numbers are refused") {
  QueryStats stats;
  Executor executor({}, {}, nullptr, &stats);
  const auto join = [&](std::size_t rows) {
    Collected collected;
    collected.chunks.emplace_back(std::vector<Vector>(), rows - 1);
    collected.chunks.emplace_back(std::vector<Vector>(), 1);
    return join_collected(executor, std::move(collected), Schema(), "join");
  };
  const auto most = join(kNumberedRowsMax);
  REQUIRE(most.ok());
  CHECK(most->rows.rows() == kNumberedRowsMax);
  const auto more = join(kNumberedRowsMax + 1);
  REQUIRE(!more.ok());
  CHECK(more.error().code == ErrorCode::kLimit);
  CHECK(more.error().message == "more than 4,294,967,294 rows to hold at once in join");
}

}  // namespace
}  // namespace evq
