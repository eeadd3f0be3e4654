#pragma once
// Rows in order of time without a sort of them all: a block has its rows in that order, so that the
// blocks of a scan, where few overlap at any time, are read one after the other and merged where
// they do. Workers read stretches of time each. Nothing here fails but for memory and the executor.

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/executor.h"

namespace evq {

// The numbers of the snapshot's blocks that reach into the scan's times, by their times.
std::vector<std::uint32_t> blocks_by_time(const Snapshot& snapshot, const plan::Scan& scan,
                                          TimeOrder order);

// What one worker reads of blocks in order: the rows from time_min to time_max, both included, of
// blocks of its own and of those before them that reach that far.
struct TimeStretch {
  std::vector<std::uint32_t> positions;  // in the order, ascending
  std::size_t own_begin = 0;             // the position of the first block of its own
  std::int64_t time_min = 0;
  std::int64_t time_max = 0;
};
// At least one; as many as `workers` where there are so many blocks.
std::vector<TimeStretch> time_stretches(const Snapshot& snapshot,
                                        std::span<const std::uint32_t> blocks, TimeOrder order,
                                        std::size_t workers);

// The order to ask of the scan below the Sort `node` so that TimeMerge makes its rows come sorted;
// kNone when it sorts by something else or too many blocks overlap.
Result<TimeOrder> time_order_below(Executor& executor, const plan::Node& node);

// Puts what a scan gives in such an order, with columns added by whoever is between, into the order
// of the Sort `node`: the sinks of `next` get a stretch each, in the order in which they are made.
class TimeMerge final : public Consumer {
 public:
  TimeMerge(Executor& executor, const plan::Node& node, TimeOrder order, Consumer& next);
  // Before make_sink().
  Status prepare();
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;

 private:
  Executor& executor_;
  const plan::Node& node_;
  const TimeOrder order_;
  Consumer& next_;
  std::vector<std::int64_t> begins_;  // of the blocks in order, as numbers that ascend
  unsigned sequence_bits_ = 0;        // of the sequences that one sink gives out
  std::uint64_t sinks_ = 0;
};

}  // namespace evq
