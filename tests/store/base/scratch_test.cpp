#include "store/base/scratch.h"

#include <cstdint>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/memory_budget.h"

namespace evq {
namespace {

constexpr std::size_t kMib = std::size_t{1} << 20U;

TEST_CASE("scratch memory is charged while it is held, and given back") {
  MemoryBudget budget(256 * kMib);
  AllocationMeter meter(&budget, nullptr, "a test");
  std::size_t held = 0;
  std::size_t first = 0;
  CHECK(meter
            .guard([&] {
              for (int i = 0; i < 3; ++i) {
                const ScratchVector<std::uint64_t> numbers(64 * kMib / 8);
                const ScratchVector<char> more(32 * kMib);
                held = budget.used();
                first = i == 0 ? held : first;
              }
            })
            .ok());
  CHECK(first >= 96 * kMib - kUnchargedColumnBytesMax);
  CHECK(held == first);
  CHECK(budget.used() == 0);
}

TEST_CASE("scratch memory beside memory that stays") {
  MemoryBudget budget(256 * kMib);
  AllocationMeter meter(&budget, nullptr, "a test");
  CHECK(meter.guard([] { AllocationMeter::charge(64 * kMib); }).ok());
  const std::size_t stays = budget.used();
  CHECK(meter
            .guard([] {
              const ScratchVector<char> more(32 * kMib);
              AllocationMeter::charge(8 * kMib);
            })
            .ok());
  CHECK(budget.used() == stays + 8 * kMib);
}

TEST_CASE("scratch memory that does not fit is refused, and what was held is given back") {
  MemoryBudget budget(64 * kMib);
  AllocationMeter meter(&budget, nullptr, "a test");
  const Status status = meter.guard([] {
    const ScratchVector<char> fits(40 * kMib);
    const ScratchVector<char> does_not(100 * kMib);
  });
  REQUIRE(!status.ok());
  CHECK(status.error().message == "memory limit of 64 MiB exceeded in a test");
  CHECK(budget.used() == 0);
  CHECK(meter.guard([] { const ScratchVector<char> fits(40 * kMib); }).ok());
}

TEST_CASE("without a meter, and below the least that counts, nothing is charged") {
  const ScratchVector<char> alone(2 * kScratchBytesMin);
  MemoryBudget budget(64 * kMib);
  AllocationMeter meter(&budget, nullptr, "a test");
  const std::size_t before = AllocationMeter::held_bytes();
  CHECK(meter
            .guard([before] {
              const ScratchVector<char> small(kScratchBytesMin - 1);
              CHECK(AllocationMeter::held_bytes() == before);
              const ScratchVector<char> counts(kScratchBytesMin);
              CHECK(AllocationMeter::held_bytes() == before + kScratchBytesMin);
            })
            .ok());
  CHECK(AllocationMeter::held_bytes() == before);
}

}  // namespace
}  // namespace evq
