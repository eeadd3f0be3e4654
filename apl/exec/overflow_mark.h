#pragma once
// OverflowMark: whether what an operator holds did not fit into memory, and not what is below or
// above it: then it may run again for a part of it. Any thread.

#include <atomic>

#include "store/base/result.h"

namespace evq {

class OverflowMark {
 public:
  // Sees whether a Status or Result of the operator's own is kLimit, and gives it back.
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
