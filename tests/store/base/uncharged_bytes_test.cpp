#include "store/base/uncharged_bytes.h"

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/memory_budget.h"

namespace evq {
namespace {

TEST_CASE("a thread holds a share uncharged, and a small limit makes it smaller") {
  const std::size_t share = uncharged_bytes(kUnchargedBlockBytesMax, nullptr);
  CHECK(share >= 2 * kMebibyte);
  CHECK(share <= kUnchargedBlockBytesMax);
  const MemoryBudget unlimited(0);
  CHECK(uncharged_bytes(kUnchargedBlockBytesMax, &unlimited) == share);
  const MemoryBudget large(kGibibyte);
  CHECK(uncharged_bytes(kUnchargedBlockBytesMax, &large) == share);
  // An eighth of the limit, and what a small one is for should fit.
  const MemoryBudget middle(128 * kMebibyte);
  CHECK(uncharged_bytes(kUnchargedBlockBytesMax, &middle) <= 16 * kMebibyte);
  const MemoryBudget small(kMebibyte);
  CHECK(uncharged_bytes(kUnchargedBlockBytesMax, &small) <= 8 * kMebibyte);
  CHECK(uncharged_bytes(kUnchargedBlockBytesMax, &small) >= 2 * kMebibyte);
}

}  // namespace
}  // namespace evq
