// Memory that runs out, at each allocation in turn: the call fails, nothing acknowledged is lost,
// and the same store goes on.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "store/base/thread_pool.h"
#include "store/base/time_zone.h"
#include "tests/support/environment_number.h"
#include "tests/support/fault_heap.h"
#include "tests/support/store_support.h"
#include "tests/support/store_workload.h"
#include "tests/support/temp_store.h"

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
  FaultHeap::count();
  bool all = true;
  for (int i = 0; i < kMemorySteps; ++i) {
    all = step(**store, workload) && all;
  }
  FaultHeap::heal();
  REQUIRE(all);
  return FaultHeap::allocations();
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
    FaultHeap::fail_at(when.allocation, when.for_good);
    FaultHeap::pause();
    for (int i = 0; i < kMemorySteps; ++i) {
      FaultHeap::go_on();
      const bool done = step(**store, workload);
      FaultHeap::pause();
      if (!done) {
        FaultHeap::heal();
        REQUIRE(workload.observe(**store) == "");
      }
    }
    FaultHeap::heal();
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

// Loads events that fill a block with those of the chunks before them, so that merging is due;
// memory runs out at that allocation after their commit. Whether there were so many allocations.
bool run_out_behind_commit(std::uint64_t allocation, bool for_good) {
  constexpr int kEvents = kMemoryBlockRows;
  constexpr int kChunkRows = kEvents / 4;
  const TempDirectory directory;
  auto store = open(directory.path(), nullptr);
  REQUIRE(store.ok());
  for (int first = 0; first < kEvents - kChunkRows; first += kChunkRows) {
    REQUIRE(load(**store, "d", numbered_events(first, kChunkRows, 0, 1)).ok());
  }
  REQUIRE((*store)->stats("d")->fresh_chunks == 3);
  IngestRequest request;
  request.atomic = true;
  request.options.format = InputFormat::kNdjson;
  request.committed = [&](const IngestCounts& /*counts*/) {
    FaultHeap::fail_at(allocation, for_good);
  };
  const std::string events = numbered_events(kEvents - kChunkRows, kChunkRows, 0, 1);
  const std::unique_ptr<ByteSource> source = memory_source(events);
  QueryControl control;
  bool told_stored = false;
  try {
    told_stored = (*store)->ingest("d", *source, request, control).ok();
  } catch (const std::bad_alloc&) {  // which its sender would take for events that are not stored
  }
  FaultHeap::heal();
  const bool failed = FaultHeap::failed();
  CHECK(told_stored);
  CHECK(read_rows(**store, "d", "n").size() == kEvents);
  // The merges are made up for by the next load.
  REQUIRE(load(**store, "d", numbered_events(kEvents, 1, 0, 1)).ok());
  const auto stats = (*store)->stats("d");
  REQUIRE(stats.ok());
  CHECK(stats->rows == kEvents + 1);
  CHECK(stats->blocks == 1);
  return failed;
}

TEST_CASE("memory that runs out in the merges behind a commit is no failure of its load") {
  for (const bool for_good : {false, true}) {
    std::uint64_t allocation = 0;
    for (bool failed = true; failed; ++allocation) {
      CAPTURE(allocation);
      CAPTURE(for_good);
      failed = run_out_behind_commit(allocation, for_good);
    }
    MESSAGE("allocations: " << allocation);
    CHECK(allocation > 20);
  }
}

TEST_CASE("a time zone that there was no memory for is there when there is") {
  bool failed = true;
  for (std::uint64_t allocation = 0; failed; ++allocation) {
    std::shared_ptr<const TimeZone> zone;
    std::thread thread([&] {  // which remembers the zones that it met
      FaultHeap::fail_at(allocation, false);
      try {
        find_time_zone("Europe/Berlin");
      } catch (const std::bad_alloc&) {  // as it should
      }
      FaultHeap::heal();
      failed = FaultHeap::failed();
      zone = find_time_zone("Europe/Berlin");
    });
    thread.join();
    CHECK(zone != nullptr);
  }
}

}  // namespace
}  // namespace evq
