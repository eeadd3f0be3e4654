#include "apl/exec/row_sorter.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/sort_numbers.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"
#include "store/base/free_memory.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

// With a limit, this many times the limit (and at least so many rows) are held before the rest is
// dropped again.
constexpr std::size_t kSlack = 4;
constexpr std::size_t kHeldRowsMin = 16384;
// Parts of so many rows are sorted by the digits of their first keys.
constexpr std::size_t kRadixRowsMin = 1024;
constexpr unsigned kDigitBits = 11;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
// A part that came first so many times in a row is asked how far it stays ahead.
constexpr std::size_t kStreak = 4;
constexpr std::size_t kHeadsAhead = 64;
constexpr std::size_t kNumberedKeys = 2;  // that a RowRef has numbers of
// Ranking the second key pays only among many rows, which the first may tell apart.
constexpr std::array<std::size_t, 2> kRowsPerRankedText = {1, 16};
// Workers made the parts, and another thread lets go of them: so much is worth giving back.
constexpr std::size_t kReturnedBytesMin = 32 * kMebibyte;

}  // namespace

RowSorter::RowSorter(const std::vector<plan::SortKey>& keys, std::size_t limit,
                     MemoryBudget* budget, std::string_view operator_name)
    : keys_(keys),
      limit_(limit),
      budget_(budget),
      name_(operator_name),
      lease_(budget, operator_name) {}

std::vector<std::uint64_t> RowSorter::key_numbers(const Chunk& chunk, std::size_t index) const {
  std::vector<std::uint64_t> numbers;
  if (index < keys_.size()) {
    sort_numbers(chunk.column(keys_[index].column), keys_[index].order, &numbers);
  }
  return numbers;
}

std::vector<std::uint64_t> RowSorter::part_numbers(std::size_t part, std::size_t index) const {
  const Chunk& chunk = parts_[part].chunk;
  if (!is_ranked(index)) {
    return key_numbers(chunk, index);
  }
  const Vector& column = chunk.column(keys_[index].column);
  std::vector<std::uint64_t> numbers(chunk.rows());
  for (std::size_t row = 0; row < numbers.size(); ++row) {
    numbers[row] = ranks_[index][part][column.slot(row)];
  }
  return numbers;
}

void RowSorter::rank_keys(std::size_t begin, std::size_t end) {
  for (std::size_t index = 0; index < ranks_.size(); ++index) {
    ranks_[index].clear();
    if (begin == end || index >= keys_.size() || key_types_[index] != Type::kString) {
      continue;
    }
    std::vector<const Values*> dictionaries;
    std::size_t texts = 0;
    std::size_t rows = 0;
    bool flat = false;
    for (std::size_t part = begin; part < end && !flat; ++part) {
      const Vector& column = parts_[part].chunk.column(keys_[index].column);
      flat = column.is_flat();
      dictionaries.push_back(&column.values());
      texts += column.values().size();
      rows += column.size();
    }
    if (!flat && texts * kRowsPerRankedText[index] <= rows) {
      std::vector<std::vector<std::uint64_t>> ranks = rank_texts(dictionaries, keys_[index].order);
      ranks_[index].resize(begin);
      std::ranges::move(ranks, std::back_inserter(ranks_[index]));
    }
  }
}

bool RowSorter::tells(std::size_t index, std::uint64_t number) const {
  return index < keys_.size() &&
         (is_ranked(index) || is_exact_sort_number(key_types_[index], number));
}

RowSorter::Position RowSorter::position(const RowRef& row) const {
  const Part& part = parts_[row.part];
  return part.positions.empty() ? Position{part.first.sequence, part.first.arrival + row.row}
                                : part.positions[row.row];
}

bool RowSorter::before(const RowRef& a, const RowRef& b) const {
  if (a.first_key != b.first_key) {
    return a.first_key < b.first_key;
  }
  std::size_t equal_keys = 0;  // that need no further look
  if (tells(0, a.first_key)) {
    if (a.second_key != b.second_key) {
      return a.second_key < b.second_key;
    }
    equal_keys = tells(1, a.second_key) ? 2 : 1;
  }
  const Chunk& left = parts_[a.part].chunk;
  const Chunk& right = parts_[b.part].chunk;
  for (std::size_t i = equal_keys; i < keys_.size(); ++i) {
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

Status RowSorter::charge(Part* part) {
  part->bytes = part->chunk.size_bytes() + part->positions.size() * sizeof(Position);
  return lease_.grow(part->bytes);
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
  if (key_types_.empty()) {
    for (const plan::SortKey& key : keys_) {
      key_types_.push_back(chunk.column(key.column).type());
    }
  }
  const Position first{chunk.sequence(), arrivals_};
  arrivals_ += chunk.rows();
  Part part{{}, first, {}, 0};
  if (is_limited()) {
    const RowList kept = candidates(key_numbers(chunk, 0), chunk.rows());
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
  rows_ += chunk.rows();
  part.chunk = std::move(chunk);
  parts_.push_back(std::move(part));
  if (!is_limited()) {
    return sort_part(parts_.size() - 1);
  }
  if ((rows_ > kHeldRowsMin && rows_ / kSlack >= limit_) ||
      (rows_ >= limit_ && !threshold_.has_value() && !keys_.empty())) {
    return keys_.empty() ? compact() : drop_others();
  }
  return charge(&parts_.back());
}

Status RowSorter::sort_part(std::size_t number) {
  Part& part = parts_[number];
  rank_keys(number, number + 1);
  std::vector<RowRef> rows;
  rows.reserve(part.chunk.rows());
  append_rows(number, &rows);
  const auto less = [this](const RowRef& a, const RowRef& b) { return before(a, b); };
  if (keys_.empty() || std::ranges::is_sorted(rows, less)) {
    return charge(&part);
  }
  if (std::is_sorted(rows.rbegin(), rows.rend(), less)) {  // as a block's times often are
    std::ranges::reverse(rows);
  } else {
    sort_rows(&rows, true);
  }
  std::vector<std::uint32_t> order(rows.size());
  std::ranges::transform(rows, order.begin(), &RowRef::row);
  AllocationMeter meter(budget_, nullptr, name_);
  EVQ_TRY(meter.guard([&] { part.chunk.select(order); }));
  return charge(&part);
}

// Where the first numbers say all of their keys the second ones are sorted by digits as well.
void RowSorter::sort_rows(std::vector<RowRef>* rows, bool ordered) const {
  const auto less = [this](const RowRef& a, const RowRef& b) { return before(a, b); };
  if (rows->size() < kRadixRowsMin) {
    std::ranges::sort(*rows, less);
    return;
  }
  const bool by_both = keys_.size() > 1 && std::ranges::all_of(*rows, [this](const RowRef& row) {
                         return tells(0, row.first_key);
                       });
  if (by_both) {
    sort_by_digits(rows, &RowRef::second_key);
  }
  sort_by_digits(rows, &RowRef::first_key);
  const auto differs = [by_both](const RowRef& a, const RowRef& b) {
    return a.first_key != b.first_key || (by_both && a.second_key != b.second_key);
  };
  const std::size_t numbers = by_both ? 2 : 1;
  for (auto begin = rows->begin(); begin != rows->end();) {
    const auto end =
        std::find_if(begin, rows->end(), [&](const RowRef& row) { return differs(*begin, row); });
    const std::uint64_t last = by_both ? begin->second_key : begin->first_key;
    if (end - begin > 1 && (!ordered || keys_.size() > numbers || !tells(numbers - 1, last))) {
      std::sort(begin, end, less);
    }
    begin = end;
  }
}

// Digit by digit from the lowest; digits that all rows share are skipped. Rows of equal keys keep
// their order.
void RowSorter::sort_by_digits(std::vector<RowRef>* rows, std::uint64_t RowRef::*key) {
  std::vector<RowRef> scratch(rows->size());
  std::vector<std::size_t> starts(kDigitValues);
  for (unsigned shift = 0; shift < std::numeric_limits<std::uint64_t>::digits;
       shift += kDigitBits) {
    const auto digit_of = [shift, key](const RowRef& row) {
      return (row.*key >> shift) & (kDigitValues - 1);
    };
    std::ranges::fill(starts, 0);
    for (const RowRef& row : *rows) {
      ++starts[digit_of(row)];
    }
    if (starts[digit_of(rows->front())] == rows->size()) {
      continue;
    }
    std::exclusive_scan(starts.begin(), starts.end(), starts.begin(), std::size_t{0});
    for (const RowRef& row : *rows) {
      scratch[starts[digit_of(row)]++] = row;
    }
    rows->swap(scratch);
  }
}

Status RowSorter::finish() {
  // One part need not be in order yet, and several may be too many rows.
  return is_limited() && !keys_.empty() && !parts_.empty() ? compact() : Status::success();
}

// By the first keys, and among rows that tie with the last that stays by all of them.
std::vector<RowList> RowSorter::first_rows() {
  std::vector<std::vector<std::uint64_t>> numbers;  // by part
  std::vector<std::uint64_t> all;
  all.reserve(rows_);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    numbers.push_back(part_numbers(part, 0));
    all.insert(all.end(), numbers.back().begin(), numbers.back().end());
  }
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(limit_ - 1));
  const std::uint64_t bound = all[limit_ - 1];
  threshold_ = bound;
  std::vector<RowList> kept(parts_.size());
  std::vector<RowRef> ties;
  std::size_t room = limit_;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    select_rows(numbers[part].size(), &kept[part],
                [&](std::size_t row) { return numbers[part][row] < bound; });
    room -= kept[part].size();
    for (std::uint32_t row = 0; row < numbers[part].size(); ++row) {
      if (numbers[part][row] == bound) {
        ties.push_back(head(part, row));
      }
    }
  }
  if (ties.size() > room) {
    std::ranges::nth_element(ties, ties.begin() + static_cast<std::ptrdiff_t>(room),
                             [this](const RowRef& a, const RowRef& b) { return before(a, b); });
    ties.resize(room);
  }
  for (const RowRef& tie : ties) {
    kept[tie.part].push_back(tie.row);
  }
  return kept;
}

Status RowSorter::drop_others() {
  std::vector<RowList> kept = first_rows();
  std::vector<Part> parts;
  AllocationMeter meter(budget_, nullptr, name_);
  rows_ = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (kept[i].empty()) {
      continue;
    }
    if (kept[i].size() != part.chunk.rows()) {
      std::ranges::sort(kept[i]);  // all but ties are in order
      EVQ_TRY(meter.guard([&] { part.chunk.select(kept[i]); }));
      std::ranges::transform(kept[i], part.positions.begin(),
                             [&](std::uint32_t row) { return part.positions[row]; });
      part.positions.resize(kept[i].size());
    }
    rows_ += kept[i].size();
    parts.push_back(std::move(part));
  }
  parts_ = std::move(parts);
  return charge_all();
}

Status RowSorter::charge_all() {
  lease_.reset();
  for (Part& part : parts_) {
    EVQ_TRY(charge(&part));
  }
  return Status::success();
}

Status RowSorter::compact() {
  std::vector<RowRef> rows;
  rows.reserve(rows_);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    append_rows(part, &rows);
  }
  const auto less = [this](const RowRef& a, const RowRef& b) { return before(a, b); };
  if (rows.size() > limit_) {
    std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(limit_), less);
    rows.resize(limit_);
  }
  sort_rows(&rows, false);
  std::vector<Part> parts;
  AllocationMeter meter(budget_, nullptr, name_);
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunkRowsMax) {
    const std::span<const RowRef> some(rows.data() + begin,
                                       std::min(kChunkRowsMax, rows.size() - begin));
    Part& part = parts.emplace_back();
    part.positions.reserve(some.size());
    for (const RowRef& row : some) {
      part.positions.push_back(position(row));
    }
    EVQ_TRY(meter.guard([&] { part.chunk = gather(some); }));
  }
  rows_ = rows.size();
  if (rows_ == limit_ && !keys_.empty() && limit_ > 0) {
    threshold_ = rows.back().first_key;
  }
  parts_ = std::move(parts);
  return charge_all();
}

Status RowSorter::add(RowSorter&& other) {
  other.lease_.reset();
  key_types_ = key_types_.empty() ? other.key_types_ : key_types_;
  rows_ += other.rows_;
  for (Part& part : other.parts_) {
    parts_.push_back(std::move(part));
    EVQ_TRY(charge(&parts_.back()));
  }
  other.parts_.clear();
  other.rows_ = 0;
  return Status::success();
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

// ---- merging

void RowSorter::fill_numbers(std::uint32_t part, std::size_t index, std::size_t begin,
                             std::span<std::uint64_t> out) const {
  const Vector& column = parts_[part].chunk.column(keys_[index].column);
  if (column.is_flat() && !is_ranked(index)) {
    number_slots(column.values(), begin, begin + out.size(), keys_[index].order, out.data());
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t slot = column.slot(begin + i);
    if (is_ranked(index)) {
      out[i] = ranks_[index][part][slot];
    } else {
      number_slots(column.values(), slot, slot + 1, keys_[index].order, &out[i]);
    }
  }
}

RowSorter::RowRef RowSorter::head(std::uint32_t part, std::uint32_t row) const {
  RowRef made{0, 0, part, row};
  for (std::size_t index = 0; index < std::min(keys_.size(), kNumberedKeys); ++index) {
    fill_numbers(part, index, row, {index == 0 ? &made.first_key : &made.second_key, 1});
  }
  return made;
}

// A row's texts may lie anywhere: those of many rows are waited for together.
RowSorter::RowRef RowSorter::next_head(std::uint32_t part, std::uint32_t row) {
  std::vector<RowRef>& ahead = ahead_[part];
  if (ahead.empty() || row > ahead.back().row) {
    ahead.assign(std::min(kHeadsAhead, parts_[part].chunk.rows() - row), {0, 0, part, row});
    std::array<std::uint64_t, kHeadsAhead> numbers;
    for (std::size_t index = 0; index < std::min(keys_.size(), kNumberedKeys); ++index) {
      fill_numbers(part, index, row, std::span(numbers).first(ahead.size()));
      for (std::size_t i = 0; i < ahead.size(); ++i) {
        (index == 0 ? ahead[i].first_key : ahead[i].second_key) = numbers[i];
      }
    }
    for (std::size_t i = 0; i < ahead.size(); ++i) {
      ahead[i].row += static_cast<std::uint32_t>(i);
    }
  }
  return ahead[row - ahead.front().row];
}

void RowSorter::start_merge() {
  merging_ = true;
  rows_left_ = std::min(rows_, limit_);
  rank_keys(0, is_limited() || parts_.size() == 1 ? 0 : parts_.size());
  ahead_.resize(parts_.size());
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    heads_.push_back(next_head(part, 0));
  }
  std::ranges::make_heap(heads_, [this](const RowRef& a, const RowRef& b) { return before(b, a); });
}

// Puts the row on top where it belongs: at once when it still comes first, as rows in time do.
void RowSorter::sift_down() {
  std::size_t at = 0;
  for (std::size_t child = 1; child < heads_.size(); child = 2 * at + 1) {
    if (child + 1 < heads_.size() && before(heads_[child + 1], heads_[child])) {
      ++child;
    }
    if (!before(heads_[child], heads_[at])) {
      return;
    }
    std::swap(heads_[child], heads_[at]);
    at = child;
  }
}

// How many rows of the part on top come before those of all others: 1 at least, `most` at most.
// Found in steps that double, for parts that hold a stretch of the order each, as blocks do of
// time.
std::size_t RowSorter::lead(std::size_t most) const {
  const RowRef& top = heads_.front();
  if (heads_.size() == 1) {
    return most;
  }
  const RowRef& rival = heads_.size() > 2 && before(heads_[2], heads_[1]) ? heads_[2] : heads_[1];
  const auto leads = [&](std::size_t row) {
    return before(head(top.part, top.row + static_cast<std::uint32_t>(row)), rival);
  };
  std::size_t ahead = 1;
  for (std::size_t step = 1; ahead < most; step *= 2) {
    std::size_t probe = std::min(ahead + step, most) - 1;
    if (leads(probe)) {
      ahead = probe + 1;
      continue;
    }
    while (ahead < probe) {
      const std::size_t middle = std::midpoint(ahead, probe);
      if (leads(middle)) {
        ahead = middle + 1;
      } else {
        probe = middle;
      }
    }
    break;
  }
  return ahead;
}

Chunk RowSorter::next() {
  if (!merging_) {
    start_merge();
  }
  std::vector<RowRef> rows;
  rows.reserve(std::min(rows_left_, kNextRowsMax));
  std::vector<std::uint32_t> used_up;
  std::size_t streak = 0;
  while (rows.size() < kNextRowsMax && rows_left_ > 0) {
    const RowRef row = heads_.front();
    streak = !rows.empty() && rows.back().part == row.part ? streak + 1 : 0;
    const std::size_t part_rows = parts_[row.part].chunk.rows() - row.row;
    const std::size_t most = std::min({part_rows, rows_left_, kNextRowsMax - rows.size()});
    const auto taken = static_cast<std::uint32_t>(streak < kStreak ? 1 : lead(most));
    for (std::uint32_t i = 0; i < taken; ++i) {
      rows.push_back({0, 0, row.part, row.row + i});
    }
    rows_left_ -= taken;
    if (taken < part_rows) {
      heads_.front() = next_head(row.part, row.row + taken);
    } else {
      used_up.push_back(row.part);
      heads_.front() = heads_.back();
      heads_.pop_back();
    }
    sift_down();
  }
  if (rows.empty()) {
    return {};
  }
  Chunk chunk = gather(rows);
  for (const std::uint32_t part : used_up) {
    lease_.shrink(parts_[part].bytes);
    freed_bytes_ += parts_[part].bytes;
    parts_[part] = {};
  }
  if (freed_bytes_ >= kReturnedBytesMin) {
    return_free_memory();
    freed_bytes_ = 0;
  }
  return chunk;
}

}  // namespace evq
