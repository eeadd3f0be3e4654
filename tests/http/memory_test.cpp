// Memory that runs out while a request is handed to a worker.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <new>
#include <thread>

#include <doctest/doctest.h>

#include "http/lane.h"
#include "tests/support/fault_heap.h"

namespace evq {
namespace {

constexpr int kPatienceMs = 10000;

bool comes_true(const std::function<bool()>& condition, int patience_ms) {
  for (int ms = 0; ms < patience_ms; ++ms) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

TEST_CASE("a task that finds no memory leaves its seat to the next one") {
  std::atomic<int> told{0};
  const auto tell = [&] { ++told; };
  WorkerLane lane({1, 1, kPatienceMs});
  std::uint64_t failures = 0;
  for (std::uint64_t round = 0; round < 200; ++round) {
    const int before = told.load();
    bool taken = false;
    FaultHeap::fail_at(round % 3, false);
    try {
      taken = lane.submit(tell, tell);
    } catch (const std::bad_alloc&) {  // it was not taken then
    }
    FaultHeap::heal();
    failures += FaultHeap::failed() ? 1U : 0U;
    REQUIRE(comes_true([&] { return told.load() == before + (taken ? 1 : 0); }, kPatienceMs));
    // The worker may still be on its way back.
    REQUIRE(comes_true([&] { return lane.submit(tell, tell); }, kPatienceMs));
    REQUIRE(comes_true([&] { return told.load() == before + (taken ? 2 : 1); }, kPatienceMs));
  }
  CHECK(failures > 10);
}

}  // namespace
}  // namespace evq
