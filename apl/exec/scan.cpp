// Scanning a dataset: workers take one block after the other from a shared list. In a block the
// filters run first, each over the rows the ones before it left, and the remaining columns are
// decoded for the surviving rows only. Blocks are skipped by time range, by the bound of a TopN
// above (ScanHints::time_floor), and by statistics and token filters (BlockTest), in that order.

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/executor.h"
#include "apl/exec/pruning.h"
#include "apl/exec/time_order.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/base/uncharged_bytes.h"
#include "store/block/block_reader.h"

namespace evq {
namespace {

// Below this share of a block's rows only the frames with wanted rows are decoded.
constexpr std::size_t kSparseDivisor = 16;
// Of cost_per_row(): from searches in texts on.
constexpr int kCostlyFilter = 100;

// Block indexes of a snapshot in the order to visit them.
std::vector<std::uint32_t> visiting_order(const Snapshot& snapshot, const plan::Scan& scan,
                                          const ScanHints& hints) {
  if (hints.time_order != TimeOrder::kNone) {
    return blocks_by_time(snapshot, scan, hints.time_order);
  }
  std::vector<std::uint32_t> order(snapshot.blocks().size());
  std::iota(order.begin(), order.end(), 0U);
  if (hints.newest_first) {
    std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
      return snapshot.blocks()[a].max_time > snapshot.blocks()[b].max_time;
    });
  }
  return order;
}

void lower(std::atomic<std::int64_t>* bound, std::int64_t value) {
  std::int64_t seen = bound->load(std::memory_order_relaxed);
  while (value < seen && !bound->compare_exchange_weak(seen, value)) {
  }
}

void raise(std::atomic<std::int64_t>* bound, std::int64_t value) {
  std::int64_t seen = bound->load(std::memory_order_relaxed);
  while (value > seen && !bound->compare_exchange_weak(seen, value)) {
  }
}

// What all workers of one scan share.
struct SharedScan {
  Executor& executor;
  const plan::Scan& scan;
  const Snapshot& snapshot;
  const ScanHints& hints;
  BlockTest test;
  bool has_test;
  std::vector<std::uint32_t> order;
  std::vector<std::vector<std::size_t>> filter_columns;  // columns each filter reads
  std::vector<SearchedColumns> searched_columns;         // of each filter
  std::vector<std::size_t> last_filter;  // by column: the last filter that reads it, + 1
  bool counts_only = false;              // no column's values come out
  std::vector<bool> costly{};            // filters: those that search in texts
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stop{false};
};

// The rows of one block that are still wanted, and the columns read for them so far.
class BlockRows {
 public:
  BlockRows(const SharedScan& shared, StoredBlock& block, std::uint32_t block_index)
      : shared_(shared),
        block_(block),
        block_index_(block_index),
        columns_(shared.scan.columns.size()),
        loaded_(shared.scan.columns.size(), false),
        uncharged_max_(uncharged_bytes(kUnchargedBlockBytesMax, shared.executor.options().budget)),
        lease_(shared.executor.options().budget, "reading a block") {}

  std::size_t size() const {
    return counted_.has_value() ? *counted_ : all_ ? block_.rows() : rows_.size();
  }

  Status load(std::size_t column) {
    if (loaded_[column]) {
      return Status::success();
    }
    const plan::ScanColumn& wanted = shared_.scan.columns[column];
    if (wanted.field == plan::kRowColumn) {
      columns_[column] = locations();
    } else {
      EVQ_TRY_ASSIGN(Vector values, read(stored_field(column)));
      if (values.type() != wanted.type) {
        EVQ_TRY_ASSIGN(values, block_.widened(values, wanted.type));
      }
      columns_[column] = std::move(values);
    }
    loaded_[column] = true;
    return Status::success();
  }

  // Drops rows outside the closed range; a block's rows are sorted by time.
  Status keep_times(std::int64_t min, std::int64_t max) {
    if (min <= block_.info().min_time && block_.info().max_time <= max) {
      return Status::success();
    }
    EVQ_TRY_ASSIGN(const Vector stored, block_.column(kTimeField));
    const Vector times = stored.is_flat() ? stored : stored.flatten();
    const std::int64_t* data = times.values().data<std::int64_t>();
    const std::int64_t* end = data + times.size();
    const auto first = static_cast<std::uint32_t>(std::lower_bound(data, end, min) - data);
    const auto last = static_cast<std::uint32_t>(std::upper_bound(data, end, max) - data);
    RowList rows(last > first ? last - first : 0);
    std::iota(rows.begin(), rows.end(), first);
    narrow(std::move(rows));
    return Status::success();
  }

  // Drops rows that arrived outside the range.
  Status keep_arrivals(std::uint64_t from, std::uint64_t before) {
    const SnapshotBlock& info = block_.info();
    if (from <= info.first_ordinal && info.ordinal_end <= before) {
      return Status::success();
    }
    EVQ_TRY_ASSIGN(const Vector stored, block_.ordinals());
    const Vector ordinals = stored.is_flat() ? stored : stored.flatten();
    const std::int64_t* data = ordinals.values().data<std::int64_t>();
    RowList kept;
    for (std::uint32_t row = 0; row < size(); ++row) {
      const auto ordinal = static_cast<std::uint64_t>(data[all_ ? row : rows_[row]]);
      if (from <= ordinal && ordinal < before) {
        kept.push_back(row);
      }
    }
    narrow(std::move(kept));
    return Status::success();
  }

  // Filter number `index` of the scan. What filters say by dictionary entries is gathered in the
  // mask; the others, and costly ones when there are few, see only the rows that are left.
  Status apply(std::size_t index) {
    const bool by_entries = is_by_entries(index) && !(shared_.costly[index] && has_few_left());
    if (mask_.is_set() && !by_entries) {
      apply_mask();
      if (size() == 0) {
        return Status::success();
      }
    }
    EVQ_TRY(load_for(index));
    const ExecOptions& options = shared_.executor.options();
    AllocationMeter meter(options.budget, options.control, "where");
    Vector truth;
    EVQ_TRY(meter.guard([&] {
      truth = evaluate(*shared_.scan.filters[index], shared_.executor.context(), columns_, size());
    }));
    filters_done_ = index + 1;
    if (!all_true(truth)) {
      mask_.keep_true(truth);
    }
    const bool last = filters_done_ == shared_.scan.filters.size();
    if (!mask_.is_set() || (!last && by_entries)) {
      return Status::success();
    }
    if (last && shared_.counts_only) {
      counted_ = mask_.count();
      return Status::success();
    }
    apply_mask();
    return Status::success();
  }

  // The rows that are left, all at once or, where they have very many columns or very long texts,
  // some at a time; an empty chunk when there are no more.
  Result<Chunk> next(std::uint64_t sequence) {
    if (given_ == 0) {
      EVQ_TRY(settle_rows_at_once());
    }
    const std::size_t begin = given_;
    const std::size_t count = std::min(size() - begin, rows_at_once_);
    given_ += count;
    std::vector<Vector> columns(count > 0 ? columns_.size() : 0);
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (shared_.scan.columns[column].filter_only) {
        const Type type = shared_.scan.columns[column].type;
        columns[column] = Vector::constant(Value::null(type), count);
      } else if (count == size()) {
        EVQ_TRY(load(column));
        columns[column] = std::move(columns_[column]);
      } else {
        EVQ_TRY_ASSIGN(columns[column], slice(column, begin, count));
      }
    }
    Chunk chunk(std::move(columns), count);
    chunk.set_sequence(sequence);
    return chunk;
  }

 private:
  // The columns that filter `index` reads; a null where search cannot find anything.
  Status load_for(std::size_t index) {
    const SearchedColumns& searched = shared_.searched_columns[index];
    for (const std::size_t column : shared_.filter_columns[index]) {
      const auto tests = searched.find(column);
      if (tests != searched.end() && !loaded_[column]) {
        EVQ_TRY_ASSIGN(const bool may_match, may_have_terms(column, tests->second));
        if (!may_match) {
          columns_[column] =
              Vector::constant(Value::null(shared_.scan.columns[column].type), size());
          continue;
        }
      }
      EVQ_TRY(load(column));
    }
    return Status::success();
  }

  // Their values are read, and asked, for less than all entries of a dictionary.
  bool has_few_left() const { return mask_.is_set() && mask_.count() * kSparseDivisor < size(); }

  // Whether a filter is evaluated entry by entry of one dictionary: then all rows cost no more than
  // some of them. Asked before the filter's columns are loaded.
  bool is_by_entries(std::size_t index) const {
    std::size_t dictionaries = 0;
    for (const std::size_t column : shared_.filter_columns[index]) {
      const std::string& field = shared_.scan.columns[column].field;
      const auto at = block_.reader().find(field);
      if (!at.has_value()) {
        if (field == plan::kRowColumn || field == plan::kTimeColumn) {
          return false;
        }
        continue;  // null in all rows
      }
      const ColumnHeader& header = block_.reader().header().columns[*at];
      if (!header.has(kColumnIsDictionary) && header.nulls != block_.rows()) {
        return false;
      }
      ++dictionaries;
    }
    return dictionaries <= 1;
  }

  void apply_mask() {
    RowList passed;
    mask_.select(&passed);
    mask_.clear();
    if (passed.size() != size()) {
      narrow(std::move(passed));
    }
  }

  // `kept` numbers rows of the current selection.
  void narrow(RowList kept) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const bool done =
          shared_.scan.columns[column].filter_only && shared_.last_filter[column] <= filters_done_;
      if (done) {
        columns_[column] = Vector();
        loaded_[column] = false;
      } else if (loaded_[column]) {
        columns_[column] = columns_[column].gather(kept);
      }
    }
    if (!all_) {
      for (std::uint32_t& row : kept) {
        row = rows_[row];
      }
    }
    rows_ = std::move(kept);
    all_ = false;
  }

  // Whether a value of the column may have the terms of one of the searches that read it.
  Result<bool> may_have_terms(std::size_t column, const std::vector<SharedTerms>& searches) {
    const plan::ScanColumn& wanted = shared_.scan.columns[column];
    const std::optional<std::size_t> at = block_.reader().find(stored_field(column));
    if (!at.has_value()) {
      return wanted.field == plan::kRowColumn;
    }
    const Type stored = block_.reader().header().columns[*at].type;
    if (stored != wanted.type && stored != Type::kString && stored != Type::kNull) {
      return true;  // its text may be another once it is widened
    }
    EVQ_TRY(shared_.executor.check());
    for (const SharedTerms& terms : searches) {
      EVQ_TRY_ASSIGN(const bool may_match, block_.may_have_terms(*at, *terms));
      if (may_match) {
        return true;
      }
    }
    return false;
  }

  // So many that what is not loaded yet stays within kScannedBytesMax.
  Status settle_rows_at_once() {
    constexpr std::size_t kColumnBytes = 512;  // of each in a chunk, however few its rows are
    std::size_t bytes = 0;
    std::size_t fixed_bytes = 0;
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      const std::optional<std::size_t> at =
          shared_.scan.columns[column].filter_only || loaded_[column]
              ? std::nullopt
              : block_.reader().find(stored_field(column));
      bytes += at.has_value() ? estimate_decoded_bytes(block_.reader().header(), *at) : 0;
      fixed_bytes += at.has_value() ? kColumnBytes : 0;
    }
    const std::size_t bytes_max =
        uncharged_bytes(kScannedBytesMax, shared_.executor.options().budget);
    bytes = bytes / block_.rows() * size();
    rows_at_once_ = size();
    if (bytes + fixed_bytes > bytes_max) {
      const std::size_t room = bytes_max - std::min(bytes_max / 2, fixed_bytes);
      if (bytes > room) {
        rows_at_once_ = std::max<std::size_t>(1, size() * room / bytes);
      }
      held_bytes_ += std::min(bytes, room) + fixed_bytes;
      EVQ_TRY(lease_.resize(held_bytes_ - std::min(held_bytes_, uncharged_max_)));
    }
    return Status::success();
  }

  // Rows [begin, begin + count) of those that are left.
  Result<Vector> slice(std::size_t column, std::size_t begin, std::size_t count) {
    const plan::ScanColumn& wanted = shared_.scan.columns[column];
    if (loaded_[column] || wanted.field == plan::kRowColumn) {
      EVQ_TRY(load(column));
      return columns_[column].slice(begin, count);
    }
    const std::string_view field = stored_field(column);
    EVQ_TRY_ASSIGN(Vector values,
                   all_ ? block_.column_range(field, begin, count)
                        : block_.column_rows(field, std::span(rows_).subspan(begin, count)));
    return values.type() == wanted.type ? std::move(values) : block_.widened(values, wanted.type);
  }

  std::string_view stored_field(std::size_t column) const {
    const std::string& field = shared_.scan.columns[column].field;
    return field == plan::kTimeColumn ? kTimeField : std::string_view(field);
  }

  Result<Vector> read(std::string_view field) {
    const bool sparse = !all_ && rows_.size() * kSparseDivisor < block_.rows();
    EVQ_TRY(charge(field, sparse));
    if (sparse) {
      return block_.column_rows(field, rows_);
    }
    EVQ_TRY_ASSIGN(Vector values, block_.column(field));
    return all_ ? std::move(values) : values.gather(rows_);
  }

  // What the column takes as it is stored, and, unless few rows are wanted, all its rows decoded,
  // before they are. Their texts stay while any row does; the stored bytes, while the block is
  // read.
  Status charge(std::string_view field, bool sparse) {
    const BlockHeader& header = block_.reader().header();
    const std::optional<std::size_t> at = header.find(field);
    if (at.has_value()) {
      held_bytes_ += header.columns[*at].segment_bytes;
      held_bytes_ += sparse ? 0 : estimate_decoded_bytes(header, *at);
      const std::size_t free = std::min(held_bytes_, uncharged_max_);
      EVQ_TRY(lease_.resize(held_bytes_ - free));
    }
    return Status::success();
  }

  Vector locations() const {
    auto values = Values::make(Type::kLong, size());
    auto* data = values->mutable_data<std::int64_t>();
    const auto base = static_cast<std::int64_t>(block_index_) << kLocationRowBits;
    for (std::size_t i = 0; i < size(); ++i) {
      data[i] = base | static_cast<std::int64_t>(all_ ? i : rows_[i]);
    }
    return Vector::flat(std::move(values));
  }

  const SharedScan& shared_;
  StoredBlock& block_;
  std::uint32_t block_index_;
  std::vector<Vector> columns_;
  std::vector<bool> loaded_;
  bool all_ = true;
  RowList rows_;
  std::size_t given_ = 0;               // of these, in chunks
  std::size_t rows_at_once_ = 0;        // of a chunk
  std::optional<std::size_t> counted_;  // when only the number of rows is left to tell
  std::size_t filters_done_ = 0;
  std::size_t held_bytes_ = 0;
  const std::size_t uncharged_max_;
  MemoryLease lease_;
  RowMask mask_;  // of the current rows, from filters whose verdict was not applied yet
};

class ScanWorker {
 public:
  // With a stretch of its own, or null.
  ScanWorker(SharedScan& shared, Sink& sink, const TimeStretch* stretch)
      : shared_(shared), sink_(sink), stretch_(stretch) {
    if (stretch != nullptr) {
      time_min_ = std::max(time_min_, stretch->time_min);
      time_max_ = std::min(time_max_, stretch->time_max);
    }
  }

  Status run() {
    while (!shared_.stop.load(std::memory_order_relaxed)) {
      const std::optional<std::size_t> position = take_position();
      if (!position.has_value()) {
        break;
      }
      EVQ_TRY(shared_.executor.check());
      const std::uint32_t index = shared_.order[*position];
      own_ = stretch_ == nullptr || *position >= stretch_->own_begin;
      EVQ_TRY_ASSIGN(const Flow flow, scan_block(index, stretch_ != nullptr ? *position : index));
      if (flow == Flow::kDone) {
        break;
      }
    }
    return sink_.finish();
  }

 private:
  std::optional<std::size_t> take_position() {
    if (stretch_ != nullptr) {
      return taken_ < stretch_->positions.size()
                 ? std::optional<std::size_t>(stretch_->positions[taken_++])
                 : std::nullopt;
    }
    const std::size_t position = shared_.next.fetch_add(1, std::memory_order_relaxed);
    return position < shared_.order.size() ? std::optional(position) : std::nullopt;
  }

  Result<Flow> scan_block(std::uint32_t index, std::uint64_t sequence) {
    const SnapshotBlock& info = shared_.snapshot.blocks()[index];
    const plan::Scan& scan = shared_.scan;
    if (info.max_time < time_min_ || info.min_time > time_max_ ||
        info.ordinal_end <= scan.arrived_from || info.first_ordinal >= scan.arrived_before) {
      return Flow::kMore;
    }
    const bool inside = time_min_ <= info.min_time && info.max_time <= time_max_ &&
                        scan.arrived_from <= info.first_ordinal &&
                        info.ordinal_end <= scan.arrived_before;
    const bool below_floor =
        shared_.hints.time_floor != nullptr && info.max_time < shared_.hints.time_floor->load();
    if (inside && scan.filters.empty() && (below_floor || scan.columns.empty())) {
      // Nothing of the block is needed but its number of rows.
      count(info, info.rows, !below_floor);
      if (below_floor) {
        return Flow::kMore;
      }
      Chunk chunk({}, info.rows);
      chunk.set_sequence(sequence);
      return sink_.push(std::move(chunk));
    }
    if (below_floor && !shared_.executor.options().exact_matches) {
      return Flow::kMore;
    }
    return scan_rows(index, sequence, info, below_floor);
  }

  Result<Flow> scan_rows(std::uint32_t index, std::uint64_t sequence, const SnapshotBlock& info,
                         bool count_only) {
    EVQ_TRY_ASSIGN(StoredBlock block, shared_.snapshot.open(info));
    if (shared_.has_test) {
      EVQ_TRY_ASSIGN(const bool may_match, block.may_match(shared_.test));
      if (!may_match) {
        const std::uint64_t examined = own_ && shared_.scan.counted ? info.rows : 0;
        shared_.executor.stats().rows_examined.fetch_add(examined, std::memory_order_relaxed);
        return Flow::kMore;
      }
    }
    BlockRows rows(shared_, block, index);
    EVQ_TRY(rows.keep_times(time_min_, time_max_));
    EVQ_TRY(rows.keep_arrivals(shared_.scan.arrived_from, shared_.scan.arrived_before));
    for (std::size_t i = 0; i < shared_.scan.filters.size() && rows.size() > 0; ++i) {
      EVQ_TRY(rows.apply(i));
    }
    count(info, rows.size(), true);
    if (rows.size() == 0 || count_only) {
      count_cached(block);
      return Flow::kMore;
    }
    Flow flow = Flow::kMore;
    while (flow == Flow::kMore) {
      EVQ_TRY_ASSIGN(Chunk chunk, rows.next(sequence));
      if (chunk.empty()) {
        break;
      }
      EVQ_TRY_ASSIGN(flow, sink_.push(std::move(chunk)));
    }
    count_cached(block);
    return flow;
  }

  void count(const SnapshotBlock& info, std::size_t matched, bool examined) {
    QueryStats& stats = shared_.executor.stats();
    if (!shared_.scan.counted) {
      return;
    }
    if (!own_) {  // somebody else counts the block
      stats.rows_matched.fetch_add(matched, std::memory_order_relaxed);
      return;
    }
    stats.rows_examined.fetch_add(info.rows, std::memory_order_relaxed);
    stats.rows_matched.fetch_add(matched, std::memory_order_relaxed);
    if (examined) {
      stats.blocks_examined.fetch_add(1, std::memory_order_relaxed);
      stats.blocks_matched.fetch_add(matched > 0 ? 1 : 0, std::memory_order_relaxed);
    }
    lower(&stats.min_block_time, info.min_time);
    raise(&stats.max_block_time, info.max_time);
    if (shared_.executor.options().control != nullptr) {
      shared_.executor.options().control->add_rows(info.rows);
      shared_.executor.options().control->add_bytes(info.stored_bytes);
    }
  }

  // Once all that is wanted of the block has been read.
  void count_cached(const StoredBlock& block) {
    if (own_ && shared_.scan.counted && block.came_from_cache()) {
      shared_.executor.stats().blocks_cached.fetch_add(1, std::memory_order_relaxed);
    }
  }

  SharedScan& shared_;
  Sink& sink_;
  const TimeStretch* const stretch_;
  std::int64_t time_min_ = shared_.scan.time_min;
  std::int64_t time_max_ = shared_.scan.time_max;
  std::size_t taken_ = 0;  // of the stretch's blocks
  bool own_ = true;        // the block at hand
};

}  // namespace

Status run_scan(Executor& executor, const plan::Scan& scan, const ScanHints& hints,
                Consumer& consumer) {
  EVQ_TRY_ASSIGN(const Snapshot* snapshot, executor.tables().snapshot(scan.table));
  SharedScan shared{executor,
                    scan,
                    *snapshot,
                    hints,
                    block_test(scan),
                    !scan.filters.empty(),
                    visiting_order(*snapshot, scan, hints),
                    {},
                    {},
                    {}};
  shared.last_filter.assign(scan.columns.size(), 0);
  shared.counts_only = std::ranges::all_of(scan.columns, &plan::ScanColumn::filter_only);
  for (const plan::ExprPtr& filter : scan.filters) {
    std::vector<std::size_t>& columns = shared.filter_columns.emplace_back();
    plan::for_each_column(*filter, [&](std::size_t column) {
      columns.push_back(column);
      shared.last_filter[column] = shared.filter_columns.size();
    });
    shared.searched_columns.push_back(searched_columns(*filter));
    shared.costly.push_back(plan::cost_per_row(*filter) >= kCostlyFilter);
  }
  executor.stats().blocks_total.fetch_add(snapshot->blocks().size());
  const std::size_t workers =
      std::max<std::size_t>(1, std::min(executor.options().workers, shared.order.size()));
  std::vector<TimeStretch> stretches;
  if (hints.time_order != TimeOrder::kNone) {
    stretches = time_stretches(*snapshot, shared.order, hints.time_order, workers);
  }
  std::vector<std::unique_ptr<Sink>> sinks;
  for (std::size_t i = 0; i < workers; ++i) {
    EVQ_TRY_ASSIGN(std::unique_ptr<Sink> sink, consumer.make_sink());
    sinks.push_back(std::move(sink));
  }
  std::vector<Status> outcomes(workers);
  const auto work = [&](std::size_t worker) {
    const TimeStretch* stretch = stretches.empty() ? nullptr : &stretches[worker];
    outcomes[worker] = ScanWorker(shared, *sinks[worker], stretch).run();
    if (!outcomes[worker].ok()) {
      shared.stop.store(true);
    }
  };
  executor.run_workers(workers, work);
  for (Status& outcome : outcomes) {
    EVQ_TRY(std::move(outcome));
  }
  return consumer.complete(std::move(sinks));
}

}  // namespace evq
