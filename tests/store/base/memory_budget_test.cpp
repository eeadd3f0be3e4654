#include "store/base/memory_budget.h"

#include <limits>
#include <utility>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("a budget gives at its limit and refuses one byte past it") {
  MemoryBudget budget(100);
  CHECK(budget.reserve(60, "sort").ok());
  CHECK(budget.reserve(40, "sort").ok());
  const Status status = budget.reserve(1, "summarize");
  REQUIRE(!status.ok());
  CHECK(status.error().code == ErrorCode::kLimit);
  CHECK(status.error().message == "memory limit of 100 bytes exceeded in summarize");
  CHECK(budget.used() == 100);
  budget.release(70);
  CHECK(budget.used() == 30);
  CHECK(budget.peak() == 100);
  CHECK(!budget.reserve(std::numeric_limits<std::size_t>::max(), "join").ok());
  budget.release(30);
}

TEST_CASE("a limit is told in a unit that fits it") {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  const Status status = MemoryBudget(64 * kMib).reserve(65 * kMib, "sort");
  REQUIRE(!status.ok());
  CHECK(status.error().message == "memory limit of 64 MiB exceeded in sort");
}

TEST_CASE("a parent is charged too, and a refusal there leaves nothing behind") {
  MemoryBudget process(100);
  MemoryBudget first(0, &process);
  MemoryBudget second(80, &process);
  CHECK(first.reserve(50, "join").ok());
  CHECK(!second.reserve(60, "join").ok());
  CHECK(second.used() == 0);
  CHECK(second.peak() == 0);
  CHECK(process.used() == 50);
  CHECK(second.reserve(50, "join").ok());
  second.release(50);
  first.release(50);
  CHECK(process.used() == 0);
}

TEST_CASE("a lease takes over what another holds of a full budget") {
  MemoryBudget budget(100);
  MemoryLease from(&budget, "sort");
  CHECK(from.grow(60).ok());
  MemoryLease to(&budget, "sort");
  CHECK(to.grow(40).ok());
  to.take(&from);
  CHECK(to.bytes() == 100);
  CHECK(from.bytes() == 0);
  CHECK(budget.used() == 100);
  from.reset();
  to.reset();
  CHECK(budget.used() == 0);
}

TEST_CASE("a lease gives back what it holds") {
  MemoryBudget budget(100);
  {
    MemoryLease lease(&budget, "sort");
    CHECK(lease.grow(10).ok());
    CHECK(lease.resize(90).ok());
    CHECK(!lease.resize(101).ok());
    CHECK(lease.bytes() == 90);
    CHECK(lease.resize(20).ok());
    CHECK(budget.used() == 20);
    MemoryLease other = std::move(lease);
    CHECK(budget.used() == 20);
    MemoryLease third(&budget, "top");
    CHECK(third.grow(5).ok());
    third = std::move(other);
    CHECK(budget.used() == 20);
  }
  CHECK(budget.used() == 0);
  MemoryLease without;
  CHECK(without.grow(1000).ok());
  CHECK(without.bytes() == 0);
}

}  // namespace
}  // namespace evq
