// Memory that runs out, at each allocation in turn: the call fails, nothing acknowledged is lost,
// and the same store goes on. This program's operator new counts, and fails when told to.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/thread_pool.h"
#include "tests/support/environment_number.h"
#include "tests/support/store_workload.h"
#include "tests/support/temp_store.h"

namespace {

struct Allocations {
  std::atomic<bool> watched{false};
  std::atomic<bool> for_good{false};
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> fails_at{~std::uint64_t{0}};

  bool fails() {
    if (!watched.load(std::memory_order_relaxed)) {
      return false;
    }
    const std::uint64_t number = made.fetch_add(1);
    return number == fails_at.load() || (for_good.load() && number > fails_at.load());
  }
};

Allocations& allocations() {
  static Allocations all;
  return all;
}

void* allocate(std::size_t size, std::size_t alignment) {
  void* memory = nullptr;
  if (!allocations().fails()) {
    memory = alignment <= alignof(std::max_align_t)
                 ? std::malloc(size == 0 ? 1 : size)
                 : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  }
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  return memory;
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size, 1);
}
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t& /*tag*/) noexcept {
  return allocations().fails() ? nullptr : std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory, const std::nothrow_t& /*tag*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace evq {
namespace {

constexpr std::uint32_t kMemoryBlockRows = 16;
constexpr int kMemorySteps = 12;
constexpr std::size_t kMemoryThreads = 2;

// With a pool, a load is parsed and encoded on its threads, and there the memory runs out as well.
Result<std::unique_ptr<Store>> open(const std::string& directory, ThreadPool* pool) {
  StoreOptions options;
  options.directory = directory;
  options.pool = pool;
  options.block_rows = kMemoryBlockRows;
  return Store::open(options);
}

// False when the memory ran out in it.
bool step(Store& store, Workload& workload) {
  try {
    return workload.step(store);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

std::uint64_t count_allocations(std::uint64_t work_seed) {
  const TempDirectory directory;
  Workload workload(work_seed);
  auto store = open(directory.path(), nullptr);
  REQUIRE(store.ok());
  allocations().made = 0;
  allocations().watched = true;
  bool all = true;
  for (int i = 0; i < kMemorySteps; ++i) {
    all = step(**store, workload) && all;
  }
  allocations().watched = false;
  REQUIRE(all);
  return allocations().made;
}

struct RunOut {
  std::uint64_t allocation;
  bool for_good;
  bool pooled;
};

void run_out(std::uint64_t work_seed, const RunOut& when) {
  CAPTURE(work_seed);
  CAPTURE(when.allocation);
  CAPTURE(when.for_good);
  CAPTURE(when.pooled);
  const TempDirectory directory;
  Workload workload(work_seed);
  ThreadPool pool(kMemoryThreads);
  {
    auto store = open(directory.path(), when.pooled ? &pool : nullptr);
    REQUIRE(store.ok());
    allocations().made = 0;
    allocations().fails_at = when.allocation;
    allocations().for_good = when.for_good;
    for (int i = 0; i < kMemorySteps; ++i) {
      allocations().watched = true;
      const bool done = step(**store, workload);
      allocations().watched = false;
      if (!done) {
        allocations().fails_at = ~std::uint64_t{0};
        REQUIRE(workload.observe(**store) == "");
      }
    }
    allocations().fails_at = ~std::uint64_t{0};
  }
  auto store = open(directory.path(), nullptr);
  REQUIRE(store.ok());
  CHECK(workload.verify(**store) == "");
}

TEST_CASE("an allocation that fails, once or for the rest of a call, loses nothing") {
  const std::uint64_t seed = number_from("EVQ_FAULT_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_FAULT_ROUNDS", 40);
  MESSAGE("EVQ_FAULT_SEED=" << seed << " EVQ_FAULT_ROUNDS=" << rounds);
  std::mt19937_64 random(seed);
  std::uint64_t failures = 0;
  while (failures < rounds) {
    const std::uint64_t work_seed = random();
    const std::uint64_t made = count_allocations(work_seed);
    for (int i = 0; i < 20 && failures < rounds; ++i, ++failures) {
      run_out(work_seed, {.allocation = random() % made,
                          .for_good = random() % 2 == 0,
                          .pooled = random() % 2 == 0});
    }
  }
  MESSAGE("failed allocations: " << failures);
}

TEST_CASE("every allocation of a piece of work fails in turn, once and for the rest of a call") {
  const std::uint64_t seed = number_from("EVQ_FAULT_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_FAULT_ROUNDS", 40);
  MESSAGE("EVQ_FAULT_SEED=" << seed << " EVQ_FAULT_ROUNDS=" << rounds);
  std::mt19937_64 random(seed);
  const std::uint64_t work_seed = random();
  const std::uint64_t made = count_allocations(work_seed);
  const std::uint64_t step = std::max<std::uint64_t>(1, 4 * made / rounds);
  for (std::uint64_t allocation = random() % step; allocation < made; allocation += step) {
    for (const unsigned variant : {0U, 1U, 2U, 3U}) {
      run_out(work_seed, {allocation, variant % 2 != 0, variant / 2 != 0});
    }
  }
  MESSAGE("allocations: " << made);
}

}  // namespace
}  // namespace evq
