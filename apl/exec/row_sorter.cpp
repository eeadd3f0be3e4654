#include "apl/exec/row_sorter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

constexpr unsigned kPositionShift = 17;  // a chunk has at most 2^16 rows
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63U;
// With a limit, this many times the limit (and at least so many rows) are held before the rest is
// dropped again.
constexpr std::size_t kSlack = 4;
constexpr std::size_t kHeldRowsMin = 16384;

// Not of NaN.
std::uint64_t number_of_double(double value) {
  const double canonical = value == 0 ? 0.0 : value;
  const auto bits = std::bit_cast<std::uint64_t>(canonical);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

std::uint64_t number_of_text(std::string_view text) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof(number); ++i) {
    number = (number << 8U) | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return number;
}

// Room for the nulls at both ends; values squeezed together are told apart by full comparison.
constexpr std::uint64_t kNumberMin = 1;
constexpr std::uint64_t kNumberMax = ~std::uint64_t{0} - 1;

template <class T, class NumberOf>
void number_slots(const Values& values, SortOrder order, std::uint64_t* out,
                  const NumberOf& number_of) {
  const T* data = values.data<T>();
  const std::size_t count = values.size();
  const std::uint64_t flip = order.descending ? ~std::uint64_t{0} : 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::clamp<std::uint64_t>(number_of(data[i]) ^ flip, kNumberMin, kNumberMax);
  }
  const std::uint64_t null_number = order.nulls_first ? 0 : ~std::uint64_t{0};
  for (std::size_t i = 0; values.has_nulls() && i < count; ++i) {
    out[i] = values.is_null(i) ? null_number : out[i];
  }
}

void number_slots(const Values& values, SortOrder order, std::uint64_t* out) {
  switch (physical_of(values.type())) {
    case Physical::kByte:
      return number_slots<std::uint8_t>(values, order, out,
                                        [](std::uint8_t value) { return std::uint64_t{value}; });
    case Physical::kInt64:
      return number_slots<std::int64_t>(values, order, out, [](std::int64_t value) {
        return static_cast<std::uint64_t>(value) ^ kSignBit;
      });
    case Physical::kDouble:
      number_slots<double>(values, order, out, number_of_double);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const bool aside = std::isnan(values.data<double>()[i]) && !values.is_null(i);
        out[i] = !aside ? out[i] : order.nulls_first ? kNumberMin : kNumberMax;
      }
      return;
    case Physical::kView:
      if (values.type() == Type::kString) {
        return number_slots<std::string_view>(values, order, out, number_of_text);
      }
      // Dynamics are told apart by the full comparison only.
      return number_slots<std::string_view>(values, order, out,
                                            [](std::string_view) { return std::uint64_t{0}; });
    case Physical::kNone:
      std::fill_n(out, values.size(), order.nulls_first ? 0 : ~std::uint64_t{0});
      return;
  }
}

}  // namespace

void sort_numbers(const Vector& column, SortOrder order, std::vector<std::uint64_t>* out) {
  out->resize(column.size());
  if (column.size() == 0) {
    return;
  }
  if (column.is_flat()) {
    number_slots(column.values(), order, out->data());
    return;
  }
  std::vector<std::uint64_t> entries(column.values().size());
  number_slots(column.values(), order, entries.data());
  for (std::size_t i = 0; i < out->size(); ++i) {
    (*out)[i] = entries[column.slot(i)];
  }
}

bool is_exact_sort_number(Type type, std::uint64_t number) {
  const bool extreme = number == kNumberMin || number == kNumberMax;
  return physical_of(type) != Physical::kView && !extreme;
}

RowSorter::RowSorter(const std::vector<plan::SortKey>& keys, std::size_t limit,
                     MemoryBudget* budget, std::string_view operator_name)
    : keys_(keys), limit_(limit), lease_(budget, operator_name) {}

std::vector<std::uint64_t> RowSorter::key_numbers(const Chunk& chunk, std::size_t index) const {
  std::vector<std::uint64_t> numbers;
  if (index < keys_.size()) {
    sort_numbers(chunk.column(keys_[index].column), keys_[index].order, &numbers);
  }
  return numbers;
}

bool RowSorter::tells(std::size_t index, std::uint64_t number) const {
  return index < keys_.size() &&
         is_exact_sort_number(parts_[0].chunk.column(keys_[index].column).type(), number);
}

bool RowSorter::before(const RowRef& a, const RowRef& b) const {
  if (a.first_key != b.first_key) {
    return a.first_key < b.first_key;
  }
  std::size_t equal_keys = 0;  // that need no further look
  if (keys_.empty() || tells(0, a.first_key)) {
    if (a.second_key != b.second_key) {
      return a.second_key < b.second_key;
    }
    equal_keys = tells(1, a.second_key) ? 2 : 1;
  }
  const Part& left = parts_[a.part];
  const Part& right = parts_[b.part];
  for (std::size_t i = equal_keys; i < keys_.size(); ++i) {
    const plan::SortKey& key = keys_[i];
    const int order = compare_rows(left.chunk.column(key.column), a.row,
                                   right.chunk.column(key.column), b.row, key.order);
    if (order != 0) {
      return order < 0;
    }
  }
  return left.positions[a.row] < right.positions[b.row];
}

std::vector<RowSorter::RowRef> RowSorter::all_rows() const {
  std::vector<RowRef> refs;
  refs.reserve(rows_);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    const Part& held = parts_[part];
    for (std::size_t row = 0; row < held.chunk.rows(); ++row) {
      refs.push_back({held.first_keys.empty() ? 0 : held.first_keys[row],
                      held.second_keys.empty() ? held.positions[row] : held.second_keys[row],
                      static_cast<std::uint32_t>(part), static_cast<std::uint32_t>(row)});
    }
  }
  return refs;
}

void RowSorter::sort_rows(std::vector<RowRef>* rows) const {
  const auto less = [this](const RowRef& a, const RowRef& b) { return before(a, b); };
  if (rows->size() > limit_) {
    std::nth_element(rows->begin(), rows->begin() + static_cast<std::ptrdiff_t>(limit_),
                     rows->end(), less);
    rows->resize(limit_);
  }
  std::sort(rows->begin(), rows->end(), less);
}

Status RowSorter::charge(const Part& added) {
  bytes_ += added.chunk.size_bytes() +
            (added.first_keys.size() + added.second_keys.size() + added.positions.size()) *
                sizeof(std::uint64_t);
  return lease_.resize(bytes_);
}

Status RowSorter::charge_all() {
  bytes_ = 0;
  for (const Part& part : parts_) {
    EVQ_TRY(charge(part));
  }
  return lease_.resize(bytes_);
}

// The rows that can be among the first `limit`: at most that many, and ties by the first key.
RowList RowSorter::candidates(const std::vector<std::uint64_t>& first_keys,
                              std::size_t rows) const {
  RowList kept;
  if (first_keys.empty()) {
    kept.resize(std::min(rows, limit_));
    std::iota(kept.begin(), kept.end(), 0U);
    return kept;
  }
  const std::uint64_t bound = threshold_.value_or(~std::uint64_t{0});
  select_rows(rows, &kept, [&](std::size_t i) { return first_keys[i] <= bound; });
  if (kept.size() <= limit_) {
    return kept;
  }
  if (limit_ == 0) {
    return {};
  }
  std::vector<std::uint64_t> sorted(kept.size());
  std::ranges::transform(kept, sorted.begin(), [&](std::uint32_t i) { return first_keys[i]; });
  std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(limit_ - 1));
  const std::uint64_t nearer = sorted[limit_ - 1];
  std::erase_if(kept, [&](std::uint32_t i) { return first_keys[i] > nearer; });
  return kept;
}

Status RowSorter::add(Chunk chunk) {
  Part part;
  const std::uint64_t base = chunk.sequence() << kPositionShift;
  part.first_keys = key_numbers(chunk, 0);
  const RowList kept = candidates(part.first_keys, chunk.rows());
  if (kept.empty()) {
    return Status::success();
  }
  part.positions.reserve(kept.size());
  for (const std::uint32_t i : kept) {
    part.positions.push_back(base + i);
  }
  if (kept.size() != chunk.rows()) {
    std::vector<std::uint64_t> keys;
    keys.reserve(part.first_keys.empty() ? 0 : kept.size());
    for (std::size_t i = 0; !part.first_keys.empty() && i < kept.size(); ++i) {
      keys.push_back(part.first_keys[kept[i]]);
    }
    part.first_keys = std::move(keys);
    chunk.select(kept);
  }
  rows_ += kept.size();
  part.second_keys = key_numbers(chunk, 1);
  part.chunk = std::move(chunk);
  parts_.push_back(std::move(part));
  const bool limited = limit_ != kNoLimit;
  if (limited && (rows_ > std::max(limit_ * kSlack, kHeldRowsMin) ||
                  (rows_ >= limit_ && !threshold_.has_value() && !keys_.empty()))) {
    return compact();
  }
  return charge(parts_.back());
}

void RowSorter::sort() {
  sorted_ = all_rows();
  sort_rows(&sorted_);
}

Status RowSorter::add(RowSorter&& other) {
  other.lease_.reset();
  for (RowRef& row : other.sorted_) {
    row.part += static_cast<std::uint32_t>(parts_.size());
  }
  rows_ += other.rows_;
  for (Part& part : other.parts_) {
    parts_.push_back(std::move(part));
    EVQ_TRY(charge(parts_.back()));
  }
  other.parts_.clear();
  other.rows_ = 0;
  std::vector<RowRef> both(sorted_.size() + other.sorted_.size());
  std::ranges::merge(sorted_, other.sorted_, both.begin(),
                     [this](const RowRef& a, const RowRef& b) { return before(a, b); });
  both.resize(std::min(both.size(), limit_));
  sorted_ = std::move(both);
  return Status::success();
}

std::vector<Chunk> RowSorter::gather(std::span<const RowRef> rows, bool keep_positions,
                                     std::vector<std::uint64_t>* positions) const {
  std::vector<std::uint32_t> part_begin(parts_.size());
  std::uint32_t total = 0;
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    part_begin[part] = total;
    total += static_cast<std::uint32_t>(parts_[part].chunk.rows());
  }
  std::vector<std::uint32_t> from(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    from[i] = part_begin[rows[i].part] + rows[i].row;
    if (keep_positions) {
      positions->push_back(parts_[rows[i].part].positions[rows[i].row]);
    }
  }
  // Column by column: all of them side by side, whole and gathered, would be twice the rows again.
  const std::size_t columns = parts_.empty() ? 0 : parts_[0].chunk.column_count();
  std::vector<std::vector<Vector>> gathered((from.size() + kChunkRowsMax - 1) / kChunkRowsMax);
  std::vector<Vector> pieces;
  const auto slice_of = [&](std::size_t chunk) {
    const std::size_t begin = chunk * kChunkRowsMax;
    return std::span<const std::uint32_t>(from.data() + begin,
                                          std::min(kChunkRowsMax, from.size() - begin));
  };
  for (std::size_t column = 0; column < columns; ++column) {
    pieces.clear();
    for (const Part& part : parts_) {
      pieces.push_back(part.chunk.column(column));
    }
    const Vector whole = pieces.size() == 1 ? pieces[0] : concatenate(pieces);
    for (std::size_t chunk = 0; chunk < gathered.size(); ++chunk) {
      gathered[chunk].push_back(whole.gather(slice_of(chunk)));
    }
  }
  std::vector<Chunk> chunks;
  for (std::size_t chunk = 0; chunk < gathered.size(); ++chunk) {
    chunks.emplace_back(std::move(gathered[chunk]), slice_of(chunk).size());
  }
  return chunks;
}

Status RowSorter::compact() {
  std::vector<RowRef> refs = all_rows();
  sort_rows(&refs);
  std::vector<std::uint64_t> positions;
  std::vector<Chunk> chunks = gather(refs, true, &positions);
  std::vector<Part> parts;
  std::size_t at = 0;
  for (Chunk& chunk : chunks) {
    Part part;
    const std::size_t rows = chunk.rows();
    for (std::size_t i = 0; i < rows; ++i) {
      if (!keys_.empty()) {
        part.first_keys.push_back(refs[at + i].first_key);
      }
      part.positions.push_back(positions[at + i]);
    }
    at += rows;
    part.second_keys = key_numbers(chunk, 1);
    part.chunk = std::move(chunk);
    parts.push_back(std::move(part));
  }
  rows_ = refs.size();
  if (refs.size() == limit_ && !keys_.empty() && limit_ > 0) {
    threshold_ = refs.back().first_key;
  }
  parts_ = std::move(parts);
  return charge_all();
}

std::optional<std::uint64_t> RowSorter::threshold() const {
  return threshold_;
}

Result<std::vector<Chunk>> RowSorter::finish() {
  std::vector<Chunk> chunks = gather(sorted_, false, nullptr);
  sorted_.clear();
  parts_.clear();
  rows_ = 0;
  return chunks;
}

}  // namespace evq
