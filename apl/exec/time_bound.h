#pragma once
// TimeBound: how old, or how new, a row may be to be among the first rows by time. It draws nearer
// as such rows are found, or as the catalog tells where they are, and spares a scan whole blocks.
// Its methods may be called from any thread. Reading the catalog fails where the snapshot does.

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"
#include "store/column/vector.h"

namespace evq {

class TimeBound {
 public:
  // `newest`: the newest rows come first, else the oldest.
  explicit TimeBound(bool newest)
      : newest_(newest), time_(newest ? kUnboundedStart : kUnboundedEnd) {}

  bool newest() const { return newest_; }
  // Draws the bound to `time`, if that is nearer: rows beyond it cannot reach the result, rows at
  // it may.
  void draw_to(std::int64_t time) {
    std::int64_t seen = time_.load(std::memory_order_relaxed);
    while ((newest_ ? time > seen : time < seen) && !time_.compare_exchange_weak(seen, time)) {
    }
  }
  // Whether rows of these times cannot reach the result.
  bool excludes(std::int64_t min_time, std::int64_t max_time) const {
    const std::int64_t time = time_.load(std::memory_order_relaxed);
    return newest_ ? max_time < time : min_time > time;
  }

 private:
  const bool newest_;
  std::atomic<std::int64_t> time_;
};

// Draws a bound to the newest, or the oldest, of some times.
void draw_to_extreme(const Vector& times, TimeBound* bound);

// Draws a bound to a time on whose side, as the catalog tells, at least so many rows of `node` lie;
// leaves it where rows are dropped on the way from the scan.
Status draw_to_catalog(Executor& executor, const plan::Node& node, std::size_t rows,
                       TimeBound* bound);

}  // namespace evq
