#include "apl/exec/row_sorter.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/sort_numbers.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

// So many rows are sorted by the bits of their numbers, in bins of about eight.
constexpr std::size_t kRadixRowsMin = 1024;
constexpr int kRowsPerBinBits = 3;
constexpr int kBinBitsMax = 11;
// Fewer than this are sorted by insertion.
constexpr std::size_t kBinnedRowsMin = 32;
// Ranking the second key pays only among many rows, which the first may tell apart.
constexpr std::array<std::size_t, 2> kRowsPerRankedText = {1, 16};
// What a text takes while it is ranked, and its rank.
constexpr std::size_t kRankedTextBytes = 56;

// Calls back with each run of rows of one number.
template <class Row, class Callback>
void for_each_run(std::span<Row> rows, std::uint64_t Row::*number, Callback&& callback) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && rows[end].*number == rows[begin].*number) {
      ++end;
    }
    callback(rows.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace

RowSorter::RowSorter(const std::vector<plan::SortKey>& keys, std::size_t limit,
                     MemoryBudget* budget, const QueryControl* control,
                     std::string_view operator_name)
    : keys_(keys),
      limit_(limit),
      budget_(budget),
      control_(control),
      name_(operator_name),
      lease_(budget, operator_name) {}

void RowSorter::number_values(const Values& values, std::size_t number, std::size_t begin,
                              std::size_t end, std::uint64_t* out) const {
  const std::size_t key = key_of(number);
  const SortOrder order = keys_[key].order;
  if (key_types_[key] != Type::kString) {
    number_slots(values, begin, end, order, out);
  } else if (splits_text_ && number == 1) {
    number_text_tails(values, begin, end, order, text_offsets_[key], out);
  } else {
    number_text_heads(values, begin, end, order, text_offsets_[key], out);
  }
}

std::vector<std::uint64_t> RowSorter::key_numbers(const Chunk& chunk, std::size_t number) const {
  if (number >= number_count() || chunk.empty()) {
    return {};
  }
  const Vector& column = chunk.column(keys_[key_of(number)].column);
  std::vector<std::uint64_t> numbers(column.values().size());
  number_values(column.values(), number, 0, numbers.size(), numbers.data());
  return numbers_by_row(column, std::move(numbers));
}

std::vector<std::uint64_t> RowSorter::part_numbers(std::size_t part, std::size_t number) const {
  const Chunk& chunk = parts_[part].chunk;
  return is_ranked(number)
             ? numbers_by_row(chunk.column(keys_[number].column), ranks_[number][part])
             : key_numbers(chunk, number);
}

void RowSorter::settle_numbers(std::size_t begin, std::size_t end) {
  ranks_ = {};
  text_offsets_ = {};
  splits_text_ = !key_types_.empty() && key_types_[0] == Type::kString;
  for (std::size_t key = 0; key < std::min(key_types_.size(), kNumbers); ++key) {
    if (key_types_[key] != Type::kString) {
      continue;
    }
    rank_key(key, begin, end);
    if (!is_ranked(key)) {
      text_offsets_[key] = common_bytes(key, begin, end);
    } else if (key == 0) {
      splits_text_ = false;
    }
    if (splits_text_) {
      return;
    }
  }
}

void RowSorter::rank_key(std::size_t index, std::size_t begin, std::size_t end) {
  std::vector<const Values*> dictionaries;
  std::size_t texts = 0;
  std::size_t rows = 0;
  for (std::size_t part = begin; part < end; ++part) {
    const Vector& column = parts_[part].chunk.column(keys_[index].column);
    if (column.is_flat()) {
      return;
    }
    dictionaries.push_back(&column.values());
    texts += column.values().size();
    rows += column.size();
  }
  // Many texts are worth it only while there is memory for ranking them.
  MemoryLease passing(budget_, name_);
  if (begin == end || texts * kRowsPerRankedText[index] > rows ||
      !passing.grow(texts * kRankedTextBytes).ok()) {
    return;
  }
  std::vector<std::vector<std::uint64_t>> ranks = rank_texts(dictionaries, keys_[index].order);
  ranks_[index].resize(begin);
  std::ranges::move(ranks, std::back_inserter(ranks_[index]));
}

std::size_t RowSorter::common_bytes(std::size_t key, std::size_t begin, std::size_t end) {
  std::optional<std::string_view> common;
  const auto shorten = [](std::optional<std::string_view>* to, std::string_view text) {
    const auto ends = std::ranges::mismatch(to->value_or(text), text);
    *to = text.substr(0, static_cast<std::size_t>(ends.in2 - text.begin()));
  };
  for (std::size_t i = begin; i < end; ++i) {
    Part& part = parts_[i];
    const Values& values = part.chunk.column(keys_[key].column).values();
    if (!part.common[key].has_value()) {
      AllocationMeter::poll();
      for (std::size_t slot = 0; slot < values.size(); ++slot) {
        if (!values.is_null(slot)) {
          shorten(&part.common[key], values.data<std::string_view>()[slot]);
        }
      }
    }
    if (part.common[key].has_value()) {
      shorten(&common, *part.common[key]);
    }
  }
  return common.has_value() ? common->size() : 0;
}

bool RowSorter::tells(std::size_t index, std::uint64_t number) const {
  return index < keys_.size() &&
         (is_ranked(index) || is_exact_sort_number(key_types_[index], number));
}

std::size_t RowSorter::equal_keys(const RowRef& row) const {
  if (splits_text_) {
    return is_exact_text_tail(keys_[0].order, row.second_key) ? 1 : 0;
  }
  if (!tells(0, row.first_key)) {
    return 0;
  }
  return tells(1, row.second_key) ? 2 : 1;
}

RowSorter::Position RowSorter::position(const RowRef& row) const {
  const Part& part = parts_[row.part];
  return part.positions.empty() ? Position{part.first.sequence, part.first.arrival + row.row}
                                : part.positions[row.row];
}

// Of rows with the same first number.
bool RowSorter::before_in_rest(const RowRef& a, const RowRef& b) const {
  if (tells_first(a) && a.second_key != b.second_key) {
    return a.second_key < b.second_key;
  }
  const Chunk& left = parts_[a.part].chunk;
  const Chunk& right = parts_[b.part].chunk;
  for (std::size_t i = equal_keys(a); i < keys_.size(); ++i) {
    const plan::SortKey& key = keys_[i];
    const int order =
        compare_rows(left.column(key.column), a.row, right.column(key.column), b.row, key.order);
    if (order != 0) {
      return order < 0;
    }
  }
  return position(a) < position(b);
}

void RowSorter::append_rows(std::size_t part, std::vector<RowRef>* rows) const {
  const Chunk& chunk = parts_[part].chunk;
  const std::vector<std::uint64_t> first_keys = part_numbers(part, 0);
  const std::vector<std::uint64_t> second_keys = part_numbers(part, 1);
  for (std::size_t row = 0; row < chunk.rows(); ++row) {
    rows->push_back({first_keys.empty() ? 0 : first_keys[row],
                     second_keys.empty() ? 0 : second_keys[row], static_cast<std::uint32_t>(part),
                     static_cast<std::uint32_t>(row)});
  }
}

// A row with a position has besides it the number by which first_rows() tells whether it stays.
std::size_t RowSorter::held_bytes(const Part& part) {
  return part.chunk.size_bytes() +
         part.positions.size() * (sizeof(Position) + sizeof(std::uint64_t));
}

Status RowSorter::charge_last() {
  const std::size_t bytes = held_bytes(parts_.back());
  EVQ_TRY(lease_.grow(bytes));
  parts_.back().bytes = bytes;
  return {};
}

Status RowSorter::add(Chunk chunk) {
  if (key_types_.empty()) {
    for (const plan::SortKey& key : keys_) {
      key_types_.push_back(chunk.column(key.column).type());
    }
    settle_numbers(0, 0);
  }
  const Position first{chunk.sequence(), arrivals_};
  arrivals_ += chunk.rows();
  Part part{{}, first, {}, {}, 0};
  if (is_limited()) {
    RowList kept;
    EVQ_TRY(guarded([&] {
      kept = candidates(chunk, key_numbers(chunk, 0));
      return Status::success();
    }));
    part.positions.reserve(kept.size());
    for (const std::uint32_t row : kept) {
      part.positions.push_back({first.sequence, first.arrival + row});
    }
    if (kept.size() != chunk.rows()) {
      chunk.select(kept);
    }
  }
  if (chunk.empty()) {
    return Status::success();
  }
  chunk.detach();
  rows_ += chunk.rows();
  part.chunk = std::move(chunk);
  parts_.push_back(std::move(part));
  if (!is_limited()) {
    EVQ_TRY(guarded([this] { return sort_part(parts_.size() - 1); }));
    return charge_last();
  }
  return make_room();
}

Status RowSorter::sort_part(std::size_t number) {
  Part& part = parts_[number];
  settle_numbers(number, number + 1);
  std::vector<RowRef> rows;
  rows.reserve(part.chunk.rows());
  append_rows(number, &rows);
  const auto less = [this](const RowRef& a, const RowRef& b) { return before(a, b); };
  if (keys_.empty() || std::ranges::is_sorted(rows, less)) {
    return {};
  }
  if (std::is_sorted(rows.rbegin(), rows.rend(), less)) {  // as a block's times often are
    std::ranges::reverse(rows);
  } else {
    sort_rows(&rows, true);
  }
  std::vector<std::uint32_t> order(rows.size());
  std::ranges::transform(rows, order.begin(), &RowRef::row);
  AllocationMeter meter(budget_, control_, name_);
  return meter.guard([&] {
    part.chunk.select(order);
    if (!part.positions.empty()) {
      std::vector<Position> positions(order.size());
      std::ranges::transform(order, positions.begin(),
                             [&part](std::uint32_t row) { return part.positions[row]; });
      part.positions = std::move(positions);
    }
  });
}

// By their numbers, then where these leave it open by the keys themselves.
void RowSorter::sort_rows(std::vector<RowRef>* rows, bool ordered) const {
  PollCounter poll;
  const auto less = [&](const RowRef& a, const RowRef& b) {
    poll.add();
    return before(a, b);
  };
  if (rows->size() < kRadixRowsMin) {
    std::ranges::sort(*rows, less);
    return;
  }
  const auto settle = [&](std::span<RowRef> same, std::size_t equal) {
    if (same.size() > 1 && (!ordered || equal < keys_.size())) {
      std::ranges::sort(same, less);
    }
  };
  std::vector<RowRef> scratch(rows->size());
  sort_by_number(*rows, scratch.data(), &RowRef::first_key);
  for_each_run(std::span(*rows), &RowRef::first_key, [&](std::span<RowRef> same) {
    if (same.size() > 1 && number_count() > 1 && tells_first(same.front())) {
      sort_by_number(same, scratch.data(), &RowRef::second_key);
      for_each_run(same, &RowRef::second_key,
                   [&](std::span<RowRef> equals) { settle(equals, equal_keys(equals.front())); });
    } else {
      settle(same, number_count() == 1 ? equal_keys(same.front()) : 0);
    }
  });
}

// A stable radix sort from the highest bits down, of those in which the rows differ: rows go to a
// bin each, as many as leave few rows in one, then those of each bin by the bits below.
void RowSorter::sort_by_number(std::span<RowRef> rows, RowRef* scratch,
                               std::uint64_t RowRef::*number) {
  if (rows.size() < kBinnedRowsMin) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const RowRef row = rows[i];
      std::size_t at = i;
      for (; at > 0 && row.*number < rows[at - 1].*number; --at) {
        rows[at] = rows[at - 1];
      }
      rows[at] = row;
    }
    return;
  }
  std::uint64_t differing = 0;
  for (const RowRef& row : rows) {
    differing |= row.*number ^ rows.front().*number;
  }
  if (differing == 0) {
    return;
  }
  const int bits =
      std::min(static_cast<int>(std::bit_width(rows.size())) - kRowsPerBinBits, kBinBitsMax);
  const int shift = std::max(static_cast<int>(std::bit_width(differing)) - bits, 0);
  const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
  std::array<std::uint32_t, (std::size_t{1} << kBinBitsMax) + 1> ends;
  std::fill_n(ends.begin(), mask + 2, 0U);
  for (const RowRef& row : rows) {
    ++ends[(row.*number >> shift & mask) + 1];
  }
  std::inclusive_scan(ends.begin(), ends.begin() + mask + 1, ends.begin());
  for (const RowRef& row : rows) {
    scratch[ends[row.*number >> shift & mask]++] = row;
  }
  std::copy_n(scratch, rows.size(), rows.begin());
  std::uint32_t begin = 0;
  for (std::size_t bin = 0; shift > 0 && bin <= mask; ++bin) {
    sort_by_number(rows.subspan(begin, ends[bin] - begin), scratch, number);
    begin = ends[bin];
  }
}

Status RowSorter::finish() {
  if (!is_limited() || keys_.empty() || parts_.empty()) {
    return {};
  }
  // One part need not be in order yet, and several may be too many rows.
  return guarded([this] { return limit_ <= kOrderedRowsMax ? compact() : sort_parts(); });
}

Status RowSorter::sort_parts() {
  if (rows_ > limit_) {
    EVQ_TRY(drop_others());
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    AllocationMeter::poll();
    EVQ_TRY(sort_part(part));
  }
  return {};
}

Status RowSorter::guarded(const std::function<Status()>& work) const {
  AllocationMeter meter(nullptr, control_, name_);
  Status done;
  EVQ_TRY(meter.guard([&] { done = work(); }));
  return done;
}

// All at once: what was given back for a moment another query might take.
Status RowSorter::charge_all() {
  std::size_t bytes = 0;
  for (Part& part : parts_) {
    part.bytes = held_bytes(part);
    bytes += part.bytes;
  }
  return lease_.resize(bytes);
}

void RowSorter::add(RowSorter&& other) {
  lease_.take(&other.lease_);
  key_types_ = key_types_.empty() ? other.key_types_ : key_types_;
  rows_ += std::exchange(other.rows_, 0);
  std::ranges::move(other.parts_, std::back_inserter(parts_));
  other.parts_.clear();
}

Chunk RowSorter::gather(std::span<const RowRef> rows) const {
  std::vector<const Chunk*> chunks(parts_.size());
  std::ranges::transform(parts_, chunks.begin(), [](const Part& part) { return &part.chunk; });
  std::vector<RowPlace> places(rows.size());
  std::ranges::transform(rows, places.begin(), [](const RowRef& row) {
    return RowPlace{row.part, row.row};
  });
  return interleave(chunks, places);
}

}  // namespace evq
