#include "store/base/heap_watch.h"

#include <cstddef>

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace evq {
namespace {

// A process that holds `kept` bytes which are free, and the rest in use.
struct FakeHeap {
  std::size_t resident = 0;
  std::size_t kept = 0;
  int returns = 0;
} heap;

constexpr WatchedHeap kFakeHeap = {
    [] { return heap.resident; },
    [] {
      heap.resident -= heap.kept;
      heap.kept = 0;
      ++heap.returns;
    },
};

constexpr std::size_t kLimit = 100 * kMebibyte;
constexpr std::size_t kCode = 30 * kMebibyte;

}  // namespace

TEST_SUITE("heap watch") {
  TEST_CASE(
      "what queries freed is kept as long as the process holds little more than their limit") {
    heap = {kCode + kLimit, kLimit};
    HeapWatch watch(kLimit, kFakeHeap);
    watch.note(kHeapWatchStepBytes, kHeapWatchStepBytes);
    CHECK(heap.returns == 0);
    heap = {kLimit + kHeapBesidesLimitBytes + 1, kLimit};
    watch.note(kHeapWatchStepBytes - 1, 0);
    CHECK(heap.returns == 0);  // looked at once in so many bytes
    watch.note(1, 0);
    CHECK(heap.returns == 1);
  }

  TEST_CASE("what is kept beside queries does not have free memory returned again and again") {
    constexpr std::size_t kDecoded = 900 * kMebibyte;
    heap = {kCode + kDecoded, 0};
    HeapWatch watch(kLimit, kFakeHeap);
    watch.note(kHeapWatchStepBytes, kHeapWatchStepBytes);
    CHECK(heap.returns == 1);
    for (int query = 0; query < 10; ++query) {
      heap.resident = kCode + kDecoded + kLimit;
      heap.kept = kLimit;
      watch.note(kHeapWatchStepBytes, kHeapWatchStepBytes);
    }
    CHECK(heap.returns == 1);
    // What more is kept than the limit and that goes back.
    heap.resident = kCode + kDecoded + kLimit + kHeapBesidesLimitBytes;
    heap.kept = kLimit + kHeapBesidesLimitBytes;
    watch.note(kHeapWatchStepBytes, kHeapWatchStepBytes);
    CHECK(heap.returns == 2);
  }

  TEST_CASE("without a limit nothing is looked at") {
    heap = {SIZE_MAX, 0};
    HeapWatch watch;
    watch.note(SIZE_MAX, 0);
    HeapWatch unlimited(0, kFakeHeap);
    unlimited.note(kHeapWatchStepBytes, kHeapWatchStepBytes);
    CHECK(heap.returns == 0);
  }
}

}  // namespace evq
