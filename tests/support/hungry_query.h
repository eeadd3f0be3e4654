#pragma once
// HungryQuery: another query of the same memory, which takes whatever is free of a budget, at once
// and for good. Whoever gives memory back for a moment does not get it again. The budget must
// outlive it.

#include <atomic>
#include <cstddef>
#include <thread>

#include "store/base/memory_budget.h"

namespace evq {

class HungryQuery {
 public:
  // Returns when there is nothing left.
  explicit HungryQuery(MemoryBudget& budget)
      : budget_(budget), lease_(&budget, "another"), thread_([this] { eat(); }) {
    while (budget_.used() < budget_.limit()) {
      std::this_thread::yield();
    }
  }
  ~HungryQuery() {
    sated_ = true;
    thread_.join();
  }
  HungryQuery(const HungryQuery&) = delete;
  HungryQuery& operator=(const HungryQuery&) = delete;

 private:
  void eat() {
    while (!sated_) {
      const std::size_t used = budget_.used();
      if (used < budget_.limit()) {
        static_cast<void>(lease_.grow(budget_.limit() - used).ok());
      }
    }
  }

  MemoryBudget& budget_;
  MemoryLease lease_;
  std::atomic<bool> sated_{false};
  std::thread thread_;
};

}  // namespace evq
