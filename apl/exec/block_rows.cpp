#include "apl/exec/block_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/row_location.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"
#include "store/base/uncharged_bytes.h"
#include "store/block/block_reader.h"

namespace evq {
namespace {

// Below this share of a block's rows only the frames with wanted rows are decoded.
constexpr std::size_t kSparseDivisor = 16;
// Of cost_per_row(): from searches in texts on.
constexpr int kCostlyFilter = 100;

}  // namespace

PreparedScan prepare_scan(Executor& executor, const plan::Scan& node) {
  PreparedScan scan{executor, node};
  scan.last_filter.assign(node.columns.size(), 0);
  scan.counts_only = std::ranges::all_of(node.columns, &plan::ScanColumn::filter_only);
  for (const plan::ExprPtr& filter : node.filters) {
    std::vector<std::size_t>& columns = scan.filter_columns.emplace_back();
    const std::size_t number = scan.filter_columns.size();
    plan::for_each_column(*filter, [&](std::size_t column) {
      if (scan.last_filter[column] != number) {
        scan.last_filter[column] = number;
        columns.push_back(column);
      }
    });
    scan.searched_columns.push_back(searched_columns(*filter));
    scan.costly.push_back(plan::cost_per_row(*filter) >= kCostlyFilter);
  }
  return scan;
}

BlockRows::BlockRows(const PreparedScan& scan, StoredBlock& block, std::uint32_t block_index)
    : scan_(scan),
      block_(block),
      block_index_(block_index),
      columns_(scan.node.columns.size()),
      loaded_(scan.node.columns.size(), false),
      uncharged_max_(uncharged_bytes(kUnchargedBlockBytesMax, scan.executor.options().budget)),
      lease_(scan.executor.options().budget, "reading a block") {}

std::size_t BlockRows::size() const {
  return counted_.has_value() ? *counted_ : all_ ? block_.rows() : rows_.size();
}

Status BlockRows::load(std::size_t column) {
  if (loaded_[column]) {
    return Status::success();
  }
  const plan::ScanColumn& wanted = scan_.node.columns[column];
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

Status BlockRows::keep_times(std::int64_t min, std::int64_t max) {
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

Status BlockRows::keep_arrivals(std::uint64_t from, std::uint64_t before) {
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

Status BlockRows::keep_keys(const KeptKeys& kept) {
  for (const std::size_t column : kept.columns) {
    EVQ_TRY(load(column));
  }
  AllocationMeter meter = scan_.executor.meter("join");
  return meter.guard([&] {
    RowList rows = kept.test->rows_with(columns_, kept.columns, size());
    if (rows.size() != size()) {
      narrow(std::move(rows));
    }
  });
}

Status BlockRows::apply(std::size_t index) {
  const bool by_entries = is_by_entries(index) && !(scan_.costly[index] && has_few_left());
  if (mask_.is_set() && !by_entries) {
    apply_mask();
    if (size() == 0) {
      return Status::success();
    }
  }
  EVQ_TRY(load_for(index));
  AllocationMeter meter = scan_.executor.meter("where");
  Vector truth;
  EVQ_TRY(meter.guard([&] {
    truth = evaluate(*scan_.node.filters[index], scan_.executor.context(), columns_, size());
  }));
  filters_done_ = index + 1;
  if (!all_true(truth)) {
    mask_.keep_true(truth);
  }
  const bool last = filters_done_ == scan_.node.filters.size();
  if (!mask_.is_set() || (!last && by_entries)) {
    return Status::success();
  }
  if (last && scan_.counts_only) {
    counted_ = mask_.count();
    return Status::success();
  }
  apply_mask();
  return Status::success();
}

Result<Chunk> BlockRows::next(std::uint64_t sequence) {
  if (given_ == 0) {
    EVQ_TRY(settle_rows_at_once());
  }
  const std::size_t count = std::min(size() - given_, rows_at_once_);
  const std::size_t begin = scan_.last_rows_first ? size() - given_ - count : given_;
  given_ += count;
  std::vector<Vector> columns(count > 0 ? columns_.size() : 0);
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (scan_.node.columns[column].filter_only) {
      const Type type = scan_.node.columns[column].type;
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

Status BlockRows::load_for(std::size_t index) {
  const SearchedColumns& searched = scan_.searched_columns[index];
  for (const std::size_t column : scan_.filter_columns[index]) {
    const auto tests = searched.find(column);
    if (tests != searched.end() && !loaded_[column]) {
      EVQ_TRY_ASSIGN(const bool may_match, may_have_terms(column, tests->second));
      if (!may_match) {
        columns_[column] = Vector::constant(Value::null(scan_.node.columns[column].type), size());
        continue;
      }
    }
    EVQ_TRY(load(column));
  }
  return Status::success();
}

bool BlockRows::has_few_left() const {
  return mask_.is_set() && mask_.count() * kSparseDivisor < size();
}

bool BlockRows::is_by_entries(std::size_t index) const {
  std::size_t dictionaries = 0;
  for (const std::size_t column : scan_.filter_columns[index]) {
    const std::string& field = scan_.node.columns[column].field;
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

void BlockRows::apply_mask() {
  RowList passed;
  mask_.select(&passed);
  mask_.clear();
  if (passed.size() != size()) {
    narrow(std::move(passed));
  }
}

void BlockRows::narrow(RowList kept) {
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const bool done =
        scan_.node.columns[column].filter_only && scan_.last_filter[column] <= filters_done_;
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

Result<bool> BlockRows::may_have_terms(std::size_t column,
                                       const std::vector<SharedTerms>& searches) {
  const plan::ScanColumn& wanted = scan_.node.columns[column];
  const std::optional<std::size_t> at = block_.reader().find(stored_field(column));
  if (!at.has_value()) {
    return wanted.field == plan::kRowColumn;
  }
  const Type stored = block_.reader().header().columns[*at].type;
  if (stored != wanted.type && stored != Type::kString && stored != Type::kNull) {
    return true;  // its text may be another once it is widened
  }
  EVQ_TRY(scan_.executor.check());
  for (const SharedTerms& terms : searches) {
    EVQ_TRY_ASSIGN(const bool may_match, block_.may_have_terms(*at, *terms));
    if (may_match) {
      return true;
    }
  }
  return false;
}

Status BlockRows::settle_rows_at_once() {
  constexpr std::size_t kColumnBytes = 512;  // of each in a chunk, however few its rows are
  std::size_t bytes = 0;
  std::size_t fixed_bytes = 0;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const std::optional<std::size_t> at = scan_.node.columns[column].filter_only || loaded_[column]
                                              ? std::nullopt
                                              : block_.reader().find(stored_field(column));
    bytes += at.has_value() ? estimate_decoded_bytes(block_.reader().header(), *at) : 0;
    fixed_bytes += at.has_value() ? kColumnBytes : 0;
  }
  const std::size_t bytes_max = uncharged_bytes(kScannedBytesMax, scan_.executor.options().budget);
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
  rows_at_once_ = std::min(rows_at_once_, scan_.executor.options().rows_at_once.value_or(size()));
  return Status::success();
}

Result<Vector> BlockRows::slice(std::size_t column, std::size_t begin, std::size_t count) {
  const plan::ScanColumn& wanted = scan_.node.columns[column];
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

std::string_view BlockRows::stored_field(std::size_t column) const {
  const std::string& field = scan_.node.columns[column].field;
  return field == plan::kTimeColumn ? kTimeField : std::string_view(field);
}

Result<Vector> BlockRows::read(std::string_view field) {
  const bool sparse = !all_ && rows_.size() * kSparseDivisor < block_.rows();
  EVQ_TRY(charge(field, sparse));
  if (sparse) {
    return block_.column_rows(field, rows_);
  }
  EVQ_TRY_ASSIGN(Vector values, block_.column(field));
  return all_ ? std::move(values) : values.gather(rows_);
}

Status BlockRows::charge(std::string_view field, bool sparse) {
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

Vector BlockRows::locations() const {
  auto values = Values::make(Type::kLong, size());
  auto* data = values->mutable_data<std::int64_t>();
  for (std::size_t i = 0; i < size(); ++i) {
    data[i] = RowLocation{block_index_, all_ ? i : rows_[i]}.number();
  }
  return Vector::flat(std::move(values));
}

}  // namespace evq
