#pragma once
// OverflowMark: set when the state of an operator, and not that of operators below or above it, did
// not fit into memory: then it may run again for a part of its keys. Any thread.

#include <atomic>

#include "store/base/result.h"

namespace evq {

class OverflowMark {
 public:
  // Sets the mark if a Status or Result of the operator's own is kLimit, and gives it back.
  template <class Outcome>
  Outcome note(Outcome outcome) {
    if (!outcome.ok() && outcome.error().code == ErrorCode::kLimit) {
      set_.store(true);
    }
    return outcome;
  }
  bool is_set() const { return set_.load(); }

 private:
  std::atomic<bool> set_{false};
};

}  // namespace evq
