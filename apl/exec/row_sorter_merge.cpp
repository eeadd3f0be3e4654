// How a RowSorter gives its rows back: the heads of all parts lie in a heap.

#include <algorithm>
#include <array>
#include <numeric>

#include "apl/exec/row_sorter.h"
#include "store/base/free_memory.h"

namespace evq {
namespace {

// A part that came first so many times in a row is asked how far it stays ahead.
constexpr std::size_t kStreak = 4;
constexpr std::size_t kHeadsAhead = 64;
// Workers made the parts, and another thread lets go of them: so much is worth giving back.
constexpr std::size_t kReturnedBytesMin = 32 * kMebibyte;

}  // namespace

void RowSorter::fill_numbers(std::uint32_t part, std::size_t number, std::size_t begin,
                             std::span<std::uint64_t> out) const {
  const Vector& column = parts_[part].chunk.column(keys_[key_of(number)].column);
  if (column.is_flat() && !is_ranked(number)) {
    number_values(column.values(), number, begin, begin + out.size(), out.data());
    return;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t slot = column.slot(begin + i);
    if (is_ranked(number)) {
      out[i] = ranks_[number][part][slot];
    } else {
      number_values(column.values(), number, slot, slot + 1, &out[i]);
    }
  }
}

RowSorter::RowRef RowSorter::head(std::uint32_t part, std::uint32_t row) const {
  RowRef made{0, 0, part, row};
  for (std::size_t number = 0; number < number_count(); ++number) {
    fill_numbers(part, number, row, {number == 0 ? &made.first_key : &made.second_key, 1});
  }
  return made;
}

// A row's texts may lie anywhere: those of many rows are waited for together.
RowSorter::RowRef RowSorter::next_head(std::uint32_t part, std::uint32_t row) {
  std::vector<RowRef>& ahead = ahead_[part];
  if (ahead.empty() || row > ahead.back().row) {
    ahead.assign(std::min(kHeadsAhead, parts_[part].chunk.rows() - row), {0, 0, part, row});
    std::array<std::uint64_t, kHeadsAhead> numbers;
    for (std::size_t number = 0; number < number_count(); ++number) {
      fill_numbers(part, number, row, std::span(numbers).first(ahead.size()));
      for (std::size_t i = 0; i < ahead.size(); ++i) {
        (number == 0 ? ahead[i].first_key : ahead[i].second_key) = numbers[i];
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
  const bool is_short = limit_ <= kOrderedRowsMax || parts_.size() == 1;
  settle_numbers(0, is_short ? 0 : parts_.size());
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
