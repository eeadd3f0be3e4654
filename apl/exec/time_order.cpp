#include "apl/exec/time_order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <queue>
#include <string_view>
#include <tuple>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/numbered_rows.h"
#include "apl/exec/sequence_rows.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/uncharged_bytes.h"
#include "store/block/format.h"

namespace evq {
namespace {

// Blocks that may overlap at one time: rows of so many are held whole.
constexpr std::size_t kOpenBlocksMax = 4;
// Runs of so many rows are handed on as they are, without being copied.
constexpr std::size_t kUncopiedRowsMin = 1024;
constexpr std::size_t kCopiedRowsMax = 32768;
// Of rows of many columns fewer are copied at a time, but so many.
constexpr std::size_t kCopiedRowsMin = 64;
// Sequences that one sink gives out, at most.
constexpr unsigned kSinkSequenceBitsMax = 24;
static_assert(kThreadsMax <= kSequencesMax >> kSinkSequenceBitsMax,
              "a row's place in the stream has room for the sequences of all sinks");
// For a chunk that it gets, of a row at least.
constexpr std::uint64_t kSequencesPerRowMax = 4;

// Of a time or a place, a number that ascends in the order.
std::int64_t ascending(std::int64_t value, TimeOrder order) {
  return order == TimeOrder::kDescending ? ~value : value;
}
std::int64_t first_of(const SnapshotBlock& block, TimeOrder order) {
  return ascending(order == TimeOrder::kDescending ? block.max_time : block.min_time, order);
}
std::int64_t last_of(const SnapshotBlock& block, TimeOrder order) {
  return ascending(order == TimeOrder::kDescending ? block.min_time : block.max_time, order);
}

// What the keys ask for: time, then place in the stream.
TimeOrder order_of_keys(const plan::Node& sort) {
  const std::vector<plan::SortKey>& keys = std::get<plan::Sort>(sort.op).keys;
  const plan::Node& input = *sort.inputs[0];
  const auto field = [&](std::size_t key) {
    const plan::ScanColumn* column = plan::scanned_column(input, keys[key].column);
    return column != nullptr ? std::string_view(column->field) : std::string_view();
  };
  if (keys.size() != 2 || (field(0) != plan::kTimeColumn && field(0) != kTimeField) ||
      field(1) != plan::kRowColumn || keys[0].order.descending != keys[1].order.descending) {
    return TimeOrder::kNone;
  }
  return keys[0].order.descending ? TimeOrder::kDescending : TimeOrder::kAscending;
}

bool few_overlap(const Snapshot& snapshot, std::span<const std::uint32_t> blocks, TimeOrder order) {
  std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> open;  // their ends
  for (const std::uint32_t number : blocks) {
    const SnapshotBlock& block = snapshot.blocks()[number];
    while (!open.empty() && open.top() < first_of(block, order)) {
      open.pop();
    }
    open.push(last_of(block, order));
    if (open.size() > kOpenBlocksMax) {
      return false;
    }
  }
  return true;
}

// The sequences of one sink's chunks: from `begin` on, below `end`.
struct SinkSequences {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// One worker's rows, in chunks of some of a block's each, which come in order.
class TimeMergeSink final : public ForwardingSink {
 public:
  TimeMergeSink(const Executor& executor, const plan::Sort& sort, TimeOrder order,
                const std::vector<std::int64_t>& begins, const SinkSequences& sequences,
                std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        executor_(executor),
        keys_(sort.keys),
        name_(sort.asker),
        order_(order),
        begins_(begins),
        sequences_(sequences),
        lease_(executor.options().budget, sort.asker) {}

  Result<Flow> push(Chunk chunk) override {
    EVQ_TRY(executor_.check());
    if (chunk.empty()) {
      return flow_;
    }
    const std::size_t next_block = chunk.sequence() + 1;
    EVQ_TRY(guarded([&] { add(std::move(chunk)); }));
    EVQ_TRY(charge_parts());
    // What comes next is of this block, behind the chunk's last row, or of a later one.
    const auto [time, row] = place(parts_.back(), parts_.back().chunk.rows() - 1);
    Place end{time, row + 1};
    if (next_block < begins_.size()) {
      end = std::min(end, Place{begins_[next_block], kFirst});
    }
    EVQ_TRY(hand_on(end));
    return flow_;
  }
  Status finish() override {
    EVQ_TRY(hand_on(kEnd));
    return ForwardingSink::finish();
  }

 private:
  // Rows that are still to be handed on, ascending.
  struct Part {
    Chunk chunk;
    Vector times;
    Vector rows;
    std::size_t next = 0;
  };
  using Place = std::pair<std::int64_t, std::int64_t>;
  static constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();
  // Behind all rows: there are not so many that one has this place.
  static constexpr Place kEnd{std::numeric_limits<std::int64_t>::max(),
                              std::numeric_limits<std::int64_t>::max()};

  template <class Work>
  Status guarded(const Work& work) {
    AllocationMeter meter = executor_.meter(name_);
    return meter.guard(work);
  }

  void add(Chunk chunk) {
    if (order_ == TimeOrder::kDescending) {
      RowList backwards(chunk.rows());
      std::iota(backwards.rbegin(), backwards.rend(), 0U);
      chunk.select(backwards);
    }
    chunk.detach();
    Vector times = chunk.column(keys_[0].column).flatten();
    Vector rows = chunk.column(keys_[1].column).flatten();
    parts_.push_back({std::move(chunk), std::move(times), std::move(rows), 0});
  }

  Place place(const Part& part, std::size_t row) const {
    return {ascending(part.times.at<std::int64_t>(row), order_),
            ascending(part.rows.at<std::int64_t>(row), order_)};
  }

  // How many rows of the part come before `end`: looked for in steps that double.
  std::size_t rows_before(const Part& part, const Place& end) const {
    const std::size_t rows = part.chunk.rows();
    std::size_t low = part.next;
    std::size_t step = 1;
    while (low + step <= rows && place(part, low + step - 1) < end) {
      low += step;
      step *= 2;
    }
    std::size_t high = std::min(low + step, rows);
    while (low < high) {
      const std::size_t middle = std::midpoint(low, high);
      if (place(part, middle) < end) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - part.next;
  }

  // Rows of one part that come before all others.
  struct Run {
    std::size_t part = 0;
    std::size_t count = 0;
  };
  // The next ones before `end`; none when there are no more.
  Run next_run(const Place& end) const {
    Run run;
    Place head = kEnd;
    Place bound = end;  // `end`, or the first row of another part
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].next == parts_[i].chunk.rows()) {
        continue;
      }
      const Place other = place(parts_[i], parts_[i].next);
      bound = std::min(bound, std::max(head, other));
      if (other < head) {
        head = other;
        run.part = i;
      }
    }
    run.count = head < bound ? rows_before(parts_[run.part], bound) : 0;
    return run;
  }

  // Hands on the rows before `end`.
  Status hand_on(const Place& end) {
    while (flow_ == Flow::kMore) {
      const Run run = next_run(end);
      if (run.count == 0) {
        break;
      }
      EVQ_TRY(take(run.part, run.count));
    }
    EVQ_TRY(push_copied());
    std::erase_if(parts_, [](const Part& part) { return part.next == part.chunk.rows(); });
    return charge_parts();
  }

  Status charge_parts() {
    std::size_t bytes = 0;
    std::size_t rows = 0;
    for (const Part& part : parts_) {
      bytes += part.chunk.size_bytes();
      rows += part.chunk.rows();
    }
    const std::size_t row_bytes = bytes / std::max<std::size_t>(rows, 1);
    const std::size_t copied_bytes_max =
        uncharged_bytes(kUnchargedColumnBytesMax, executor_.options().budget);
    copied_rows_max_ = std::clamp(copied_bytes_max / std::max<std::size_t>(row_bytes, 1),
                                  kCopiedRowsMin, kCopiedRowsMax);
    return lease_.resize(bytes);
  }

  Status take(std::size_t number, std::size_t count) {
    Part& part = parts_[number];
    const std::size_t begin = part.next;
    part.next += count;
    if (count >= kUncopiedRowsMin) {
      EVQ_TRY(push_copied());
      return push_next(count == part.chunk.rows() ? part.chunk : part.chunk.slice(begin, count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      copied_.push_back(
          {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(begin + i)});
    }
    return copied_.size() < copied_rows_max_ ? Status::success() : push_copied();
  }

  Status push_copied() {
    if (copied_.empty()) {
      return Status::success();
    }
    Chunk made;
    const RowPlace first = copied_.front();
    // Of one part all rows are taken, one after the other.
    if (std::ranges::all_of(copied_, [&](const RowPlace& row) { return row.part == first.part; })) {
      made = parts_[first.part].chunk.slice(first.row, copied_.size());
    } else {
      std::vector<const Chunk*> chunks(parts_.size());
      std::ranges::transform(parts_, chunks.begin(), [](const Part& part) { return &part.chunk; });
      EVQ_TRY(guarded([&] { made = interleave(chunks, copied_); }));
    }
    copied_.clear();
    return push_next(std::move(made));
  }

  Status push_next(Chunk chunk) {
    if (flow_ == Flow::kDone) {  // of the rows taken before this one
      return Status::success();
    }
    if (sequences_.begin == sequences_.end) {
      return too_many_chunks();
    }
    chunk.set_sequence(sequences_.begin++);
    EVQ_TRY_ASSIGN(flow_, next().push(std::move(chunk)));
    return Status::success();
  }

  const Executor& executor_;
  const std::vector<plan::SortKey>& keys_;
  const std::string_view name_;
  const TimeOrder order_;
  const std::vector<std::int64_t>& begins_;
  SinkSequences sequences_;  // of the chunks to come
  MemoryLease lease_;
  std::vector<Part> parts_;
  std::vector<RowPlace> copied_;  // rows on their way into a chunk of their own
  std::size_t copied_rows_max_ = kCopiedRowsMax;
  Flow flow_ = Flow::kMore;
};

}  // namespace

std::vector<std::uint32_t> blocks_by_time(const Snapshot& snapshot, const plan::Scan& scan,
                                          TimeOrder order) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < snapshot.blocks().size(); ++i) {
    const SnapshotBlock& block = snapshot.blocks()[i];
    if (block.min_time <= scan.time_max && scan.time_min <= block.max_time) {
      numbers.push_back(i);
    }
  }
  std::ranges::sort(numbers, {}, [&](std::uint32_t i) {
    const SnapshotBlock& block = snapshot.blocks()[i];
    return std::tuple(first_of(block, order), last_of(block, order), i);
  });
  return numbers;
}

std::vector<TimeStretch> time_stretches(const Snapshot& snapshot,
                                        std::span<const std::uint32_t> blocks, TimeOrder order,
                                        std::size_t workers) {
  const std::size_t count =
      std::clamp<std::size_t>(blocks.size(), 1, std::max<std::size_t>(workers, 1));
  std::vector<TimeStretch> stretches(count);
  std::int64_t begin = std::numeric_limits<std::int64_t>::min();
  for (std::size_t i = 0; i < count; ++i) {
    TimeStretch& stretch = stretches[i];
    stretch.own_begin = i * blocks.size() / count;
    const std::size_t own_end = (i + 1) * blocks.size() / count;
    for (std::size_t position = 0; position < own_end; ++position) {
      const SnapshotBlock& block = snapshot.blocks()[blocks[position]];
      if (position >= stretch.own_begin || last_of(block, order) >= begin) {
        stretch.positions.push_back(static_cast<std::uint32_t>(position));
      }
    }
    constexpr std::int64_t kEarliest = std::numeric_limits<std::int64_t>::min();
    const bool last = i + 1 == count;
    const std::int64_t next = last ? 0 : first_of(snapshot.blocks()[blocks[own_end]], order);
    const bool before_time = !last && next == kEarliest;  // what it has is of the next one as well
    if (before_time) {
      stretch.positions.clear();
    }
    const std::int64_t end = last          ? std::numeric_limits<std::int64_t>::max()
                             : before_time ? kEarliest
                                           : next - 1;
    const bool descending = order == TimeOrder::kDescending;
    stretch.time_min = descending ? ~end : begin;
    stretch.time_max = descending ? ~begin : end;
    begin = next;
  }
  return stretches;
}

Result<TimeOrder> time_order_below(Executor& executor, const plan::Node& node) {
  const plan::Scan* scan = plan::scan_of_rows(*node.inputs[0]);
  const TimeOrder order = scan != nullptr ? order_of_keys(node) : TimeOrder::kNone;
  if (order == TimeOrder::kNone) {
    return order;
  }
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(scan->table));
  const bool few = few_overlap(*snapshot, blocks_by_time(*snapshot, *scan, order), order);
  return few ? order : TimeOrder::kNone;
}

TimeMerge::TimeMerge(Executor& executor, const plan::Node& node, TimeOrder order, Consumer& next)
    : executor_(executor), node_(node), order_(order), next_(next) {}

Status TimeMerge::prepare() {
  const plan::Scan& scan = *plan::scan_of_rows(*node_.inputs[0]);
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor_.tables().snapshot(scan.table));
  std::uint64_t rows = 0;
  for (const std::uint32_t number : blocks_by_time(*snapshot, scan, order_)) {
    const SnapshotBlock& block = snapshot->blocks()[number];
    begins_.push_back(first_of(block, order_));
    rows += block.rows;
  }
  // No more than needed: unions add those of all their inputs up.
  sequence_bits_ = std::min(static_cast<unsigned>(std::bit_width(kSequencesPerRowMax * rows)),
                            kSinkSequenceBitsMax);
  return Status::success();
}

Result<std::unique_ptr<Sink>> TimeMerge::make_sink() {
  EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
  const SinkSequences sequences{sinks_ << sequence_bits_, (sinks_ + 1) << sequence_bits_};
  ++sinks_;
  return std::unique_ptr<Sink>(std::make_unique<TimeMergeSink>(
      executor_, std::get<plan::Sort>(node_.op), order_, begins_, sequences, std::move(next)));
}

Status TimeMerge::complete(std::vector<std::unique_ptr<Sink>> sinks) {
  return next_.complete(forwarded_sinks(std::move(sinks)));
}

}  // namespace evq
