#pragma once
// QuantileStates: the base of aggregates whose state of a group is one QuantileSketch. What is left
// to them is which values they add, and what they make of the sketches.

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "apl/functions/aggregate_function.h"
#include "apl/functions/quantile_sketch.h"
#include "apl/functions/size_meter.h"
#include "store/base/allocation_meter.h"

namespace evq {

template <class T>
class QuantileStates : public AggregateState {
 public:
  void resize(std::size_t groups) final { sketches_.resize(std::max(groups, sketches_.size())); }
  void settle() final {
    PollCounter poll;
    for (QuantileSketch<T>& sketch : sketches_) {
      poll.add(1 + sketch.size_bytes() / kPollTextBytes);
      meter_.grow(sketch, [&] { sketch.flush(); });
    }
    meter_.measure(sketches_);
  }
  void merge(const AggregateState& other, std::span<const GroupPair> pairs) final {
    const auto& from = static_cast<const QuantileStates&>(other);
    PollCounter poll;
    for (const GroupPair pair : pairs) {
      poll.add(kMergeSteps);
      merge_into(pair.to, from.sketches_[pair.from]);
    }
    meter_.measure(sketches_);
  }
  std::size_t size_bytes() const final { return meter_.bytes(sketches_); }

 protected:
  std::vector<QuantileSketch<T>>& sketches() { return sketches_; }
  const std::vector<QuantileSketch<T>>& sketches() const { return sketches_; }
  // Merges a whole sketch into a group and meters it, which note_rows() cannot.
  void merge_into(std::size_t group, const QuantileSketch<T>& sketch) {
    QuantileSketch<T>& into = sketches_[group];
    meter_.grow(into, [&] { into.merge(sketch); });
  }
  // Must be called at the end of add().
  void note_rows(std::size_t rows) { meter_.note_rows(rows, sketches_); }

 private:
  // Most bytes that a row adds to a sketch, with the spare capacity of its vectors.
  static constexpr std::size_t kRowBytesMax = 64;
  // Microseconds that it takes to merge two full sketches.
  static constexpr std::size_t kMergeSteps = 64;

  std::vector<QuantileSketch<T>> sketches_;
  SizeMeter meter_{kRowBytesMax};
};

}  // namespace evq
