// How a RowSorter gives its rows back.

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "apl/exec/row_sorter.h"
#include "store/base/allocation_meter.h"
#include "store/base/heap.h"

namespace evq {
namespace {

// A part that came first so many times in a row is asked how far it stays ahead.
constexpr std::size_t kStreak = 4;
constexpr std::size_t kHeadsAhead = 64;
constexpr std::size_t kMergedPartsMax = 4;
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

std::vector<std::uint32_t> RowSorter::part_ends() const {
  std::vector<std::uint32_t> ends(parts_.size());
  std::ranges::transform(parts_, ends.begin(), [](const Part& part) {
    return static_cast<std::uint32_t>(part.chunk.rows());
  });
  return ends;
}

RowSorter::Merge::Merge(const RowSorter& sorter, std::span<const std::uint32_t> begins,
                        std::vector<std::uint32_t> ends)
    : sorter_(sorter),
      ends_(std::move(ends)),
      next_(begins.begin(), begins.end()),
      heads_(ends_.size()),
      losers_(ends_.size(), kNobody),
      ahead_(ends_.size()) {
  for (std::uint32_t part = 0; part < ends_.size(); ++part) {
    if (!used_up(part)) {
      heads_[part] = next_head(part);
    }
    play(part);
  }
}

bool RowSorter::Merge::wins(std::uint32_t part, std::uint32_t other) const {
  return !used_up(part) && (used_up(other) || sorter_.before(heads_[part], heads_[other]));
}

// From its leaf up, against whoever lost there; the first to come to a place waits for the other.
void RowSorter::Merge::play(std::uint32_t part) {
  for (std::size_t node = (part + losers_.size()) / 2; node > 0; node /= 2) {
    if (losers_[node] == kNobody) {
      losers_[node] = part;
      return;
    }
    if (wins(losers_[node], part)) {
      std::swap(losers_[node], part);
    }
  }
  winner_ = part;
}

// A row's texts may lie anywhere: those of many rows are waited for together.
RowSorter::RowRef RowSorter::Merge::next_head(std::uint32_t part) {
  const std::uint32_t row = next_[part];
  std::vector<RowRef>& ahead = ahead_[part];
  if (ahead.empty() || row > ahead.back().row) {
    ahead.assign(std::min<std::size_t>(kHeadsAhead, ends_[part] - row), {0, 0, part, row});
    std::array<std::uint64_t, kHeadsAhead> numbers;
    for (std::size_t number = 0; number < sorter_.number_count(); ++number) {
      sorter_.fill_numbers(part, number, row, std::span(numbers).first(ahead.size()));
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

// How many rows of the winner come before those of all others: 1 at least, `most` at most. Found in
// steps that double, for parts that hold a stretch of the order each, as blocks do of time.
std::size_t RowSorter::Merge::lead(std::size_t most) const {
  const RowRef& top = heads_[winner_];
  std::uint32_t second = kNobody;  // the best of those who lost to the winner
  for (std::size_t node = (winner_ + losers_.size()) / 2; node > 0; node /= 2) {
    second = second == kNobody || wins(losers_[node], second) ? losers_[node] : second;
  }
  if (second == kNobody || used_up(second)) {
    return most;
  }
  const RowRef& rival = heads_[second];
  const auto leads = [&](std::size_t row) {
    return sorter_.before(sorter_.head(top.part, top.row + static_cast<std::uint32_t>(row)), rival);
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

std::vector<RowSorter::RowRef> RowSorter::Merge::take(std::size_t most) {
  std::vector<RowRef> rows;
  rows.reserve(most);
  std::size_t streak = 0;
  while (rows.size() < most && winner_ != kNobody && !used_up(winner_)) {
    const std::uint32_t part = winner_;
    const std::uint32_t row = heads_[part].row;
    streak = !rows.empty() && rows.back().part == part ? streak + 1 : 0;
    const std::size_t room = std::min<std::size_t>(ends_[part] - row, most - rows.size());
    const auto taken = static_cast<std::uint32_t>(streak < kStreak ? 1 : lead(room));
    for (std::uint32_t i = 0; i < taken; ++i) {
      rows.push_back({0, 0, part, row + i});
    }
    next_[part] += taken;
    if (!used_up(part)) {
      heads_[part] = next_head(part);
    }
    play(part);
  }
  return rows;
}

Chunk RowSorter::next() {
  if (!merge_.has_value()) {
    rows_left_ = std::min(rows_, limit_);
    const bool is_short = limit_ <= kOrderedRowsMax || parts_.size() == 1;
    settle_numbers(0, is_short ? 0 : parts_.size());
    merge_.emplace(*this, std::vector<std::uint32_t>(parts_.size()), part_ends());
  }
  const std::vector<RowRef> rows = merge_->take(std::min(rows_left_, kNextRowsMax));
  if (rows.empty()) {
    return {};
  }
  rows_left_ -= rows.size();
  Chunk chunk = gather(rows);
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (merge_->used_up(part)) {
      let_go_of_part(part);
    }
  }
  return_freed();
  return chunk;
}

std::size_t RowSorter::cut() {
  // Counted on from part to part, and a prime that is far from dividing their lengths: of parts
  // that are alike, as blocks are, the samples would else lie at the same places of the order.
  constexpr std::size_t kRowsPerSample = 1279;
  settle_numbers(0, parts_.size());
  std::vector<RowRef> samples;
  std::size_t row = 0;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    for (; row < parts_[part].chunk.rows(); row += kRowsPerSample) {
      samples.push_back(head(part, static_cast<std::uint32_t>(row)));
    }
    row -= parts_[part].chunk.rows();
  }
  std::ranges::sort(samples, [this](const RowRef& a, const RowRef& b) { return before(a, b); });
  const std::size_t stretches = std::clamp<std::size_t>(rows_ / kNextRowsMax, 1, samples.size());
  cuts_.assign(1, std::vector<std::uint32_t>(parts_.size()));
  for (std::size_t stretch = 1; stretch < stretches; ++stretch) {
    AllocationMeter::poll();
    const RowRef& bound = samples[stretch * samples.size() / stretches];
    std::vector<std::uint32_t>& begins = cuts_.emplace_back();
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
      begins.push_back(first_row_from(part, bound));
    }
  }
  cuts_.push_back(part_ends());
  return stretches;
}

// The first row of a part that does not come before `bound`.
std::uint32_t RowSorter::first_row_from(std::uint32_t part, const RowRef& bound) const {
  std::uint32_t low = 0;
  auto high = static_cast<std::uint32_t>(parts_[part].chunk.rows());
  while (low < high) {
    const std::uint32_t middle = std::midpoint(low, high);
    if (before(head(part, middle), bound)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// A few parts are merged, and texts, which take long to look at. The rows of many parts are put in
// order anew, which takes as long for each however many there are.
Chunk RowSorter::stretch(std::size_t i) const {
  const std::vector<std::uint32_t>& begins = cuts_[i];
  const std::vector<std::uint32_t>& ends = cuts_[i + 1];
  std::vector<std::uint32_t> parts;
  std::size_t rows_max = 0;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (begins[part] != ends[part]) {
      parts.push_back(part);
      rows_max += ends[part] - begins[part];
    }
  }
  if (keys_.empty() || splits_text_ || parts.size() <= kMergedPartsMax) {
    return gather(Merge(*this, begins, ends).take(rows_max));
  }
  std::ranges::sort(parts, {}, [this](std::uint32_t part) { return parts_[part].first; });
  std::vector<RowRef> rows;
  rows.reserve(rows_max);
  for (const std::uint32_t part : parts) {
    append_rows(part, begins[part], ends[part], &rows);
  }
  sort_rows(&rows, true);
  return gather(rows);
}

void RowSorter::append_rows(std::uint32_t part, std::uint32_t begin, std::uint32_t end,
                            std::vector<RowRef>* rows) const {
  std::array<std::vector<std::uint64_t>, kNumbers> numbers;
  for (std::size_t number = 0; number < kNumbers; ++number) {
    numbers[number].resize(end - begin);
    if (number < number_count()) {
      fill_numbers(part, number, begin, numbers[number]);
    }
  }
  for (std::uint32_t row = begin; row < end; ++row) {
    rows->push_back({numbers[0][row - begin], numbers[1][row - begin], part, row});
  }
}

void RowSorter::let_go(std::size_t stretch) {
  const std::vector<std::uint32_t>& begins = cuts_[stretch];
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    if (begins[part] == cuts_.back()[part]) {
      let_go_of_part(part);
    }
  }
  return_freed();
}

void RowSorter::let_go_of_part(std::uint32_t part) {
  lease_.shrink(parts_[part].bytes);
  freed_bytes_ += parts_[part].bytes;
  parts_[part] = {};
}

void RowSorter::return_freed() {
  if (freed_bytes_ >= kReturnedBytesMin) {
    return_free_memory();
    freed_bytes_ = 0;
  }
}

}  // namespace evq
