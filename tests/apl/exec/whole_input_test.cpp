// join_collected(): memory that is charged for rows stays charged while they are joined, and more
// rows than have numbers are refused before that. push_whole(): consumers may take sinks in turn.

#include "apl/exec/whole_input.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "apl/exec/collect_sink.h"
#include "store/base/limits.h"
#include "tests/support/hungry_query.h"

namespace evq {
namespace {

Chunk chunk_of_longs(std::size_t rows) {
  std::vector<Vector> columns;
  columns.push_back(Vector::flat(Values::make(Type::kLong, rows)));
  return {std::move(columns), rows};
}

// Notes the sequences of the chunks that each of its sinks gets.
class NotedSequences final : public Consumer {
 public:
  Result<std::unique_ptr<Sink>> make_sink() override {
    return std::unique_ptr<Sink>(std::make_unique<CollectSink>(MemoryLease(nullptr, "test")));
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    for (const std::unique_ptr<Sink>& sink : sinks) {
      std::vector<std::uint64_t>& sequences = by_sink.emplace_back();
      for (const Chunk& chunk : static_cast<CollectSink&>(*sink).chunks()) {
        sequences.push_back(chunk.sequence());
      }
    }
    return Status::success();
  }

  std::vector<std::vector<std::uint64_t>> by_sink;
};

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

TEST_CASE("each sink gets the chunks that come after those of the sink before it") {
  QueryStats stats;
  ExecOptions options;
  options.workers = 2;
  options.rows_at_once = 10;
  Executor executor({}, options, nullptr, &stats);
  const auto pushed = [&](std::size_t rows) {
    NotedSequences noted;
    REQUIRE(push_whole(executor, chunk_of_longs(rows), "test", noted).ok());
    return noted.by_sink;
  };
  using Sequences = std::vector<std::vector<std::uint64_t>>;
  CHECK(pushed(45) == Sequences{{0, 1}, {2, 3, 4}});
  CHECK(pushed(20) == Sequences{{0}, {1}});
  CHECK(pushed(3) == Sequences{{0}});
  CHECK(pushed(0) == Sequences{{}});
}

}  // namespace
}  // namespace evq
