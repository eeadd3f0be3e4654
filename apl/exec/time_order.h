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

// Returns the numbers of the snapshot's blocks that reach into the scan's times, in `order`.
std::vector<std::uint32_t> blocks_by_time(const Snapshot& snapshot, const plan::Scan& scan,
                                          TimeOrder order);

// A stretch of time that one worker reads: the rows from time_min to time_max, both included, of
// blocks of its own and of those before them in the order that reach that far.
struct TimeStretch {
  std::vector<std::uint32_t> positions;  // in the order, ascending
  std::size_t own_begin = 0;             // the position of the first block of its own
  std::int64_t time_min = 0;
  std::int64_t time_max = 0;
};
// Cuts `blocks` into stretches: at least one, and one a worker where there are so many blocks.
std::vector<TimeStretch> time_stretches(const Snapshot& snapshot,
                                        std::span<const std::uint32_t> blocks, TimeOrder order,
                                        std::size_t workers);

// Returns the order to ask of the scan below the Sort `node` so that TimeMerge makes its rows come
// sorted; kNone when it sorts by something else or too many blocks overlap.
Result<TimeOrder> time_order_below(Executor& executor, const plan::Node& node);

// Merges what a scan gives in such an order, with columns that operators between may add, into the
// order of the Sort `node`: the sinks of `next` get a stretch each, in the order in which they are
// made.
class TimeMerge final : public Consumer {
 public:
  TimeMerge(Executor& executor, const plan::Node& node, TimeOrder order, Consumer& next);
  // Looks up where the blocks begin: to be called before make_sink().
  Status prepare();
  Result<std::unique_ptr<Sink>> make_sink() override;
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override;

 private:
  Executor& executor_;
  const plan::Node& node_;
  const TimeOrder order_;
  Consumer& next_;
  std::vector<std::int64_t> begins_;  // first times of the blocks in order, made to ascend
  unsigned sequence_bits_ = 0;        // bits for the sequences that one sink gives out
  std::uint64_t sinks_ = 0;
};

}  // namespace evq
