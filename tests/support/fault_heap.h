#pragma once
// FaultHeap: memory that runs out, for C++. A program that is built with fault_heap.cpp has
// operators new and delete, and an aligned_alloc(), that count while told to and fail once or from
// then on. What is deleted is overwritten, so that whoever still reads it notices.
//
// All of the program's threads are counted together. Any thread may ask.

#include <cstdint>

namespace evq {

class FaultHeap {
 public:
  // From here on numbers count from 0.
  static void count();
  // The same, and that allocation fails: with `for_good` all later ones as well.
  static void fail_at(std::uint64_t allocation, bool for_good);
  // Not counted, nor failing, between the two.
  static void pause();
  static void go_on();
  // No more failures.
  static void heal();

  static std::uint64_t allocations();
  static bool failed();  // since the last count() or fail_at()
};

}  // namespace evq
