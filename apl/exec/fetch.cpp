// Late materialisation: after a Sort or a TopN has put its rows in order by the columns it needs
// for that, the other columns are read for them, block by block, and handed on in the rows' order.
//
// Rows are fetched in batches. Where neighbours lie in few blocks, as rows in order of time do, a
// batch is small. Where they are scattered, each batch reads most of every block: then it is as
// large as memory allows, so that the blocks are read few times. A batch that does not fit is
// halved.

#include "apl/exec/fetch.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "apl/exec/candidates.h"
#include "apl/exec/executor.h"
#include "apl/exec/forwarding_sink.h"
#include "apl/exec/row_location.h"
#include "apl/exec/time_order.h"
#include "store/base/allocation_meter.h"
#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/uncharged_bytes.h"
#include "store/block/block_reader.h"
#include "store/block/format.h"

namespace evq {
namespace {

// In place of a block's number: no row, as an aggregation of no rows chooses it.
constexpr std::size_t kNoBlock = ~std::size_t{0};
// Rows of a batch, unless they are scattered; and down to which a batch is halved.
constexpr std::size_t kBatchRowsMin = 65536;
constexpr std::size_t kSplitRowsMin = 1024;
// Of a batch that are handed on at a time, however many their columns are.
constexpr std::size_t kRowsAtOnceMin = 256;
// Rows are scattered when their blocks have so many times as many.
constexpr std::size_t kScatterFactor = 4;
// Below this share only the frames with wanted rows are decoded.
constexpr std::size_t kFrameDivisor = 16;
// Of a row in the lists of a batch.
constexpr std::size_t kListedRowBytes = 24;

struct FetchSpec {
  Executor& executor;
  const plan::Fetch& op;
  const Snapshot& snapshot;
  std::string_view name;  // of the operator that wants the rows, in errors
};

// The wanted rows of one block, ascending, and their columns.
struct BlockPart {
  const SnapshotBlock* block = nullptr;
  std::vector<std::uint32_t> rows;
  std::vector<Vector> columns;
};

std::string_view field_of(const plan::ScanColumn& wanted) {
  return wanted.field == plan::kTimeColumn ? kTimeField : std::string_view(wanted.field);
}

// Few rows and runs of rows are decoded by themselves.
bool reads_whole(const BlockPart& part) {
  const std::size_t reach = part.rows.back() - part.rows.front() + 1;
  return part.rows.size() == part.block->rows ||
         (part.rows.size() != reach && part.rows.size() * kFrameDivisor >= part.block->rows);
}

// What there is for a moment besides the rows: all of a large block's column, and their copies.
std::size_t passing_bytes(StoredBlock& block, const plan::ScanColumn& wanted, const BlockPart& part,
                          const MemoryBudget* budget) {
  const auto at = block.reader().find(field_of(wanted));
  if (!at.has_value() || !reads_whole(part)) {
    return 0;
  }
  const std::size_t copies = part.rows.size() == part.block->rows ? 1 : 2;
  const std::size_t bytes = copies * estimate_decoded_bytes(block.reader().header(), *at);
  return bytes - std::min(bytes, uncharged_bytes(kUnchargedBlockBytesMax, budget));
}

Result<Vector> read_column(StoredBlock& block, const plan::ScanColumn& wanted,
                           const BlockPart& part) {
  const std::string_view field = field_of(wanted);
  Vector values;
  if (reads_whole(part)) {
    EVQ_TRY_ASSIGN(values, block.column(field));
    if (part.rows.size() != block.rows()) {
      values = values.gather(part.rows);
    }
  } else {
    EVQ_TRY_ASSIGN(values, block.column_rows(field, part.rows));
  }
  values = values.detached();  // some rows would keep all of the block's texts
  return values.type() == wanted.type ? std::move(values) : block.widened(values, wanted.type);
}

// Every `shares`-th column of a block, charged to the lease.
Status read_share(const FetchSpec& spec, BlockPart* part, std::size_t share, std::size_t shares,
                  MemoryLease* lease) {
  EVQ_TRY(spec.executor.check());
  if (part->block == nullptr) {
    for (std::size_t i = share; i < part->columns.size(); i += shares) {
      const Value none = Value::null(spec.op.columns[i].type);
      part->columns[i] = Vector::constant(none, part->rows.size());
    }
    return Status::success();
  }
  EVQ_TRY_ASSIGN(StoredBlock block, spec.snapshot.open(*part->block));
  for (std::size_t i = share; i < part->columns.size(); i += shares) {
    MemoryBudget* const budget = spec.executor.options().budget;
    MemoryLease whole(budget, spec.name);
    EVQ_TRY(whole.grow(passing_bytes(block, spec.op.columns[i], *part, budget)));
    EVQ_TRY_ASSIGN(part->columns[i], read_column(block, spec.op.columns[i], *part));
    whole.reset();
    EVQ_TRY(lease->grow(part->columns[i].size_bytes()));
  }
  return Status::success();
}

// One batch: its rows by block, read by all workers.
class Batch {
 public:
  explicit Batch(const FetchSpec& spec)
      : spec_(spec), lease_(spec.executor.options().budget, spec.name) {}

  // kLimit when it does not fit; the batch is of no use then.
  Status read(std::span<const Chunk* const> chunks) {
    std::size_t rows = 0;
    for (const Chunk* chunk : chunks) {
      rows += chunk->rows();
    }
    EVQ_TRY(lease_.grow(rows * kListedRowBytes));
    list_rows(chunks, rows);
    return read_parts();
  }

  // The fetched columns of `count` rows from number `begin` on.
  Chunk rows(std::size_t begin, std::size_t count) const {
    std::vector<const Chunk*> chunks(read_.size());
    std::ranges::transform(read_, chunks.begin(), [](const Chunk& chunk) { return &chunk; });
    return interleave(chunks, std::span(places_).subspan(begin, count));
  }
  std::size_t size_bytes() const { return bytes_; }
  std::size_t row_count() const { return places_.size(); }

 private:
  void list_rows(std::span<const Chunk* const> chunks, std::size_t count) {
    // By block: row of the block, row of the batch.
    std::map<std::size_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> blocks;
    std::uint32_t number = 0;
    std::size_t last = 0;  // the block of the row before, as it often is of the next
    std::vector<std::pair<std::uint32_t, std::uint32_t>>* rows_of_last = nullptr;
    for (const Chunk* chunk : chunks) {
      const Vector& locations = chunk->column(spec_.op.row_column);
      for (std::size_t i = 0; i < locations.size(); ++i) {
        const auto location = RowLocation::of(locations.at<std::int64_t>(i));
        const std::size_t block = locations.is_null(i) ? kNoBlock : location.block;
        if (rows_of_last == nullptr || block != last) {
          last = block;
          rows_of_last = &blocks[last];
        }
        rows_of_last->emplace_back(static_cast<std::uint32_t>(location.row), number++);
      }
    }
    places_.resize(count);
    for (auto& [index, rows] : blocks) {
      if (!std::ranges::is_sorted(rows)) {
        std::ranges::sort(rows);
      }
      BlockPart part;
      part.block = index == kNoBlock ? nullptr : &spec_.snapshot.blocks()[index];
      part.rows.reserve(rows.size());
      for (const auto& [block_row, batch_row] : rows) {
        places_[batch_row] = {static_cast<std::uint32_t>(parts_.size()),
                              static_cast<std::uint32_t>(part.rows.size())};
        part.rows.push_back(block_row);
      }
      part.columns.resize(spec_.op.columns.size());
      parts_.push_back(std::move(part));
    }
  }

  // Workers take one block after the other, and share the columns where there are few blocks.
  Status read_parts() {
    const std::size_t workers = std::max<std::size_t>(spec_.executor.options().workers, 1);
    const std::size_t shares =
        parts_.size() < 2 * workers ? std::min(workers, spec_.op.columns.size()) : 1;
    const std::size_t tasks = parts_.size() * shares;
    const std::size_t busy = std::min(workers, tasks);
    std::vector<Status> outcomes(busy);
    std::vector<MemoryLease> leases(busy);
    std::atomic<std::size_t> next = 0;
    const auto work = [&](std::size_t worker) {
      leases[worker] = MemoryLease(spec_.executor.options().budget, spec_.name);
      for (std::size_t i = next++; i < tasks && outcomes[worker].ok(); i = next++) {
        outcomes[worker] =
            read_share(spec_, &parts_[i / shares], i % shares, shares, &leases[worker]);
      }
    };
    spec_.executor.run_workers(busy, work);
    for (std::size_t worker = 0; worker < busy; ++worker) {
      EVQ_TRY(std::move(outcomes[worker]));
      bytes_ += leases[worker].bytes();
      leases_.push_back(std::move(leases[worker]));
    }
    for (BlockPart& part : parts_) {
      read_.emplace_back(std::move(part.columns), part.rows.size());
    }
    parts_.clear();
    return Status::success();
  }

  const FetchSpec& spec_;
  MemoryLease lease_;
  std::vector<MemoryLease> leases_;
  std::vector<RowPlace> places_;  // of the batch's rows
  std::vector<BlockPart> parts_;
  std::vector<Chunk> read_;
  std::size_t bytes_ = 0;
};

class FetchSink final : public ForwardingSink {
 public:
  FetchSink(const FetchSpec& spec, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)),
        spec_(spec),
        pending_lease_(spec.executor.options().budget, spec.name),
        touched_(spec.snapshot.blocks().size(), false) {
    std::uint64_t raw_bytes = 0;
    for (const SnapshotBlock& block : spec.snapshot.blocks()) {
      raw_bytes += block.raw_bytes;
    }
    row_bytes_ =
        static_cast<std::size_t>(raw_bytes / std::max<std::uint64_t>(spec.snapshot.rows(), 1));
  }

  Result<Flow> push(Chunk chunk) override {
    if (chunk.empty()) {
      return Flow::kMore;
    }
    chunk.detach();
    EVQ_TRY(pending_lease_.grow(chunk.size_bytes()));
    pending_rows_ += chunk.rows();
    const Vector& locations = chunk.column(spec_.op.row_column);
    for (std::size_t i = 0; i < locations.size(); ++i) {
      const std::size_t block = RowLocation::of(locations.at<std::int64_t>(i)).block;
      if (!locations.is_null(i) && !touched_[block]) {
        touched_[block] = true;
        touched_rows_ += spec_.snapshot.blocks()[block].rows;
      }
    }
    pending_.push_back(std::move(chunk));
    return is_enough() ? flush() : Flow::kMore;
  }
  Status finish() override {
    EVQ_TRY(flush());
    return ForwardingSink::finish();
  }

 private:
  bool is_enough() const {
    const bool scattered = pending_rows_ * kScatterFactor < touched_rows_;
    return pending_rows_ >= kBatchRowsMin &&
           (!scattered || pending_rows_ * row_bytes_ >= free_bytes() / 2);
  }
  std::size_t free_bytes() const {
    const MemoryBudget* budget = spec_.executor.options().budget;
    if (budget == nullptr || budget->limit() == 0) {
      return kQueryMemoryBytesDefault;
    }
    return budget->limit() - std::min(budget->limit(), budget->used());
  }

  // Fetches and hands on what is pending, in as large batches as there is room for.
  Result<Flow> flush() {
    std::size_t count = pending_.size();
    while (!pending_.empty() && flow_ == Flow::kMore) {
      count = std::min(count, pending_.size());
      std::vector<const Chunk*> chunks(count);
      std::transform(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count),
                     chunks.begin(), [](const Chunk& chunk) { return &chunk; });
      std::optional<Batch> batch(spec_);
      if (Status read = batch->read(chunks); !read.ok()) {
        if (read.error().code != ErrorCode::kLimit || !halve(&count)) {
          return std::move(read).take_error();
        }
        batch.reset();
        return_free_memory();  // or the smaller batch is added to what this one held
        continue;
      }
      EVQ_TRY(hand_on(*batch, count));
    }
    touched_.assign(touched_.size(), false);
    touched_rows_ = 0;
    return flow_;
  }

  // Makes the next batch smaller; false when it is as small as can be.
  bool halve(std::size_t* count) {
    if (*count > 1) {
      *count /= 2;
      return true;
    }
    const Chunk first = std::move(pending_.front());
    const std::size_t half = first.rows() / 2;
    pending_.front() = first.slice(0, half);
    pending_.insert(pending_.begin() + 1, first.slice(half, first.rows() - half));
    return half >= kSplitRowsMin;
  }

  // The first `count` chunks, complete.
  Status hand_on(const Batch& batch, std::size_t count) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < count && flow_ == Flow::kMore; ++i) {
      const Chunk chunk = std::move(pending_.front());
      pending_.pop_front();
      pending_rows_ -= chunk.rows();
      pending_lease_.shrink(std::min(pending_lease_.bytes(), chunk.size_bytes()));
      const std::size_t at_once = rows_at_once(batch);
      for (std::size_t row = 0; row < chunk.rows() && flow_ == Flow::kMore; row += at_once) {
        const std::size_t rows = std::min(at_once, chunk.rows() - row);
        EVQ_TRY(complete_rows(batch, begin + row, chunk.slice(row, rows)));
      }
      begin += chunk.rows();
    }
    row_bytes_ = std::max<std::size_t>(batch.size_bytes() / std::max<std::size_t>(begin, 1), 1);
    return Status::success();
  }

  // Of a batch's rows, so many that their columns stay within kScannedBytesMax.
  std::size_t rows_at_once(const Batch& batch) const {
    const std::size_t row_bytes =
        std::max<std::size_t>(batch.size_bytes() / std::max<std::size_t>(batch.row_count(), 1),
                              spec_.op.columns.size() * sizeof(Code));
    const std::size_t bytes_max =
        uncharged_bytes(kScannedBytesMax, spec_.executor.options().budget);
    const std::size_t fitting =
        std::max(kRowsAtOnceMin, bytes_max / std::max<std::size_t>(row_bytes, 1));
    return std::min(fitting, spec_.executor.options().rows_at_once.value_or(fitting));
  }

  // Hands on `chunk`, the batch's rows from `begin` on, with the fetched columns.
  Status complete_rows(const Batch& batch, std::size_t begin, Chunk chunk) {
    AllocationMeter meter = spec_.executor.meter(spec_.name);
    EVQ_TRY(meter.guard([&] {
      Chunk fetched = batch.rows(begin, chunk.rows());
      std::ranges::move(fetched.columns(), std::back_inserter(chunk.columns()));
    }));
    EVQ_TRY_ASSIGN(flow_, next().push(std::move(chunk)));
    return Status::success();
  }

  const FetchSpec& spec_;
  std::deque<Chunk> pending_;  // rows whose columns are not fetched yet
  MemoryLease pending_lease_;
  std::size_t pending_rows_ = 0;
  std::vector<bool> touched_;     // blocks with pending rows
  std::size_t touched_rows_ = 0;  // of those blocks
  std::size_t row_bytes_ = 0;     // of a fetched row, about: as ingested, then as read
  Flow flow_ = Flow::kMore;
};

// Reads rows as they come, by block.
class BlockFetchSink final : public ForwardingSink {
 public:
  BlockFetchSink(const FetchSpec& spec, std::unique_ptr<Sink> next)
      : ForwardingSink(std::move(next)), spec_(spec) {}

  Result<Flow> push(Chunk chunk) override {
    if (chunk.empty()) {
      return Flow::kMore;
    }
    const Vector& locations = chunk.column(spec_.op.row_column);
    BlockPart part;
    part.block = &spec_.snapshot.blocks()[RowLocation::of(locations.at<std::int64_t>(0)).block];
    part.rows.resize(chunk.rows());
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      part.rows[i] = static_cast<std::uint32_t>(RowLocation::of(locations.at<std::int64_t>(i)).row);
    }
    part.columns.resize(spec_.op.columns.size());
    MemoryLease lease(spec_.executor.options().budget, spec_.name);
    EVQ_TRY(read_share(spec_, &part, 0, 1, &lease));
    std::ranges::move(part.columns, std::back_inserter(chunk.columns()));
    return next().push(std::move(chunk));
  }

 private:
  const FetchSpec& spec_;
};

enum class RowsCome : std::uint8_t {
  kByBlock,  // a chunk has some of one block's, ascending
  kAnyhow,
};

class FetchConsumer final : public Consumer {
 public:
  FetchConsumer(const FetchSpec& spec, RowsCome come, Consumer& next)
      : spec_(spec), come_(come), next_(next) {}
  Result<std::unique_ptr<Sink>> make_sink() override {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> next, next_.make_sink());
    std::unique_ptr<Sink> sink;
    if (come_ == RowsCome::kByBlock) {
      sink = std::make_unique<BlockFetchSink>(spec_, std::move(next));
    } else {
      sink = std::make_unique<FetchSink>(spec_, std::move(next));
    }
    return spec_.op.candidates.has_value()
               ? make_candidate_sink(spec_.executor, *spec_.op.candidates, "summarize",
                                     std::move(sink))
               : std::move(sink);
  }
  Status complete(std::vector<std::unique_ptr<Sink>> sinks) override {
    sinks = forwarded_sinks(std::move(sinks));
    if (spec_.op.candidates.has_value()) {
      sinks = forwarded_sinks(std::move(sinks));
    }
    return next_.complete(std::move(sinks));
  }

 private:
  const FetchSpec& spec_;
  const RowsCome come_;
  Consumer& next_;
};

}  // namespace

Result<Chunk> fetch_rows(Executor& executor, const plan::Fetch& fetch, const Chunk& places) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(fetch.table));
  const FetchSpec spec{executor, fetch, *snapshot, "summarize"};
  Batch batch(spec);
  const Chunk* const only = &places;
  EVQ_TRY(batch.read(std::span(&only, 1)));
  Chunk rows;
  AllocationMeter meter = executor.meter(spec.name);
  EVQ_TRY(meter.guard([&] { rows = batch.rows(0, places.rows()); }));
  return rows;
}

Status run_fetch(Executor& executor, const plan::Node& node, const Demand& demand,
                 Consumer& consumer) {
  const auto& fetch = std::get<plan::Fetch>(node.op);
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(fetch.table));
  const plan::Node& input = *node.inputs[0];
  const auto* const sort = std::get_if<plan::Sort>(&input.op);
  const FetchSpec spec{executor, fetch, *snapshot, sort != nullptr ? sort->asker : "sort"};
  if (sort == nullptr) {
    // Candidates are of a scan, other rows of a TopN.
    const RowsCome come = fetch.candidates.has_value() ? RowsCome::kByBlock : RowsCome::kAnyhow;
    FetchConsumer fetched(spec, come, consumer);
    return executor.run(input, fetched);
  }
  Demand below;
  if (demand.order.takes_stretches) {
    EVQ_TRY_ASSIGN(below.order.time_order, time_order_below(executor, input));
  }
  if (below.order.time_order == TimeOrder::kNone) {
    FetchConsumer fetched(spec, RowsCome::kAnyhow, consumer);
    return executor.run(input, fetched);
  }
  if (fetch.candidates.has_value()) {  // few rows, which are known when they are in order
    FetchConsumer fetched(spec, RowsCome::kAnyhow, consumer);
    TimeMerge merge(executor, input, below.order.time_order, fetched);
    EVQ_TRY(merge.prepare());
    return executor.run(*input.inputs[0], merge, below);
  }
  TimeMerge merge(executor, input, below.order.time_order, consumer);
  EVQ_TRY(merge.prepare());
  FetchConsumer fetched(spec, RowsCome::kByBlock, merge);
  return executor.run(*input.inputs[0], fetched, below);
}

}  // namespace evq
