#pragma once
// OverflowMark: set when the state of an operator, and not that of operators below or above it, did
// not fit into memory: then it may run again for a part of its keys. What ends with an error of its
// own below it would end so again. But those below may run short for the sake of what this one
// holds, and then the mark is set as well. Any thread.

#include <atomic>
#include <cstddef>

#include "store/base/memory_budget.h"
#include "store/base/result.h"

namespace evq {

class OverflowMark {
 public:
  // Sets the mark if a Status or Result of the operator's own is kLimit, and gives it back.
  template <class Outcome>
  Outcome note(Outcome outcome) {
    if (is_limit(outcome)) {
      set_.store(true);
    }
    return outcome;
  }
  // Counts bytes that the operator holds while those below it run.
  void add_held(std::size_t bytes) { held_bytes_ += bytes; }
  // Sets the mark if the run of the operators below ended with kLimit while this one held so much
  // of the query's memory, `budget`, that they may have run short of it. Gives the outcome back.
  template <class Outcome>
  Outcome note_below(Outcome outcome, const MemoryBudget* budget) {
    const std::size_t limit = budget != nullptr ? budget->limit() : 0;
    if (is_limit(outcome) && held_bytes_ > 0 && held_bytes_ >= limit / kHeldShareMin) {
      set_.store(true);
    }
    return outcome;
  }
  bool is_set() const { return set_.load(); }

 private:
  // With less than such a share of the memory more they would hardly get further.
  static constexpr std::size_t kHeldShareMin = 16;

  template <class Outcome>
  static bool is_limit(const Outcome& outcome) {
    return !outcome.ok() && outcome.error().code == ErrorCode::kLimit;
  }

  std::atomic<bool> set_{false};
  std::atomic<std::size_t> held_bytes_{0};
};

}  // namespace evq
