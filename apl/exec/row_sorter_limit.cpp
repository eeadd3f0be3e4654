// What a RowSorter with a limit does to hold few rows.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/eval.h"
#include "apl/exec/row_sorter.h"
#include "store/base/allocation_meter.h"
#include "store/column/ordering.h"

namespace evq {
namespace {

// With a limit, this many times the limit (and at least so many rows) are held before the rest is
// dropped again, or when memory is short and such a share of them can go.
constexpr std::size_t kSlack = 2;
constexpr std::size_t kHeldRowsMin = 16384;
constexpr std::size_t kDroppedShareMin = 8;
// Parts of fewer rows on the average become one when they have so many columns together, which take
// more memory than their rows do.
constexpr std::size_t kPartRowsMin = 64;
constexpr std::size_t kPartColumnsMax = 65536;

}  // namespace

// Tells which rows of a chunk come after the last of the first ones by their keys. Rows whose first
// number is that of the last row ask: texts that begin alike may be many, but of few entries.
class RowSorter::AfterLast {
 public:
  AfterLast(const RowSorter& sorter, const Chunk& chunk)
      : sorter_(sorter),
        chunk_(chunk),
        first_(chunk.column(sorter.keys_[0].column)),
        order_of_slot_(first_.is_flat() ? 0 : first_.values().size()) {}

  bool operator()(std::uint32_t row) {
    poll_.add();
    int order = first_order(row);
    for (std::size_t i = 1; order == 0 && i < sorter_.keys_.size(); ++i) {
      order = compare(i, row);
    }
    return order > 0;
  }

 private:
  int first_order(std::uint32_t row) {
    if (order_of_slot_.empty()) {
      return compare(0, row);
    }
    std::optional<int>& known = order_of_slot_[first_.slot(row)];
    if (!known.has_value()) {
      known = compare(0, row);
    }
    return *known;
  }
  int compare(std::size_t i, std::uint32_t row) const {
    const plan::SortKey& key = sorter_.keys_[i];
    return compare_rows(chunk_.column(key.column), row, sorter_.last_.column(key.column), 0,
                        key.order);
  }

  const RowSorter& sorter_;
  const Chunk& chunk_;
  const Vector& first_;
  std::vector<std::optional<int>> order_of_slot_;  // of a dictionary, as far as asked
  PollCounter poll_;
};

// The rows that can be among the first `limit`: at most that many, and ties by the first key.
RowList RowSorter::candidates(const Chunk& chunk,
                              const std::vector<std::uint64_t>& first_keys) const {
  RowList kept;
  if (first_keys.empty()) {
    kept.resize(std::min(chunk.rows(), limit_));
    std::iota(kept.begin(), kept.end(), 0U);
    return kept;
  }
  const std::uint64_t bound = threshold_.value_or(~std::uint64_t{0});
  select_rows(chunk.rows(), &kept, [&](std::size_t i) { return first_keys[i] <= bound; });
  if (!last_.empty()) {
    AfterLast after(*this, chunk);
    std::erase_if(kept, [&](std::uint32_t i) { return first_keys[i] == bound && after(i); });
  }
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

Status RowSorter::make_room() {
  const bool many_small_parts =
      rows_ < parts_.size() * kPartRowsMin &&
      parts_.size() * parts_.back().chunk.columns().size() >= kPartColumnsMax;
  const bool many_rows = rows_ > kHeldRowsMin && rows_ / kSlack >= limit_;
  const bool threshold_due = rows_ >= limit_ && !threshold_.has_value() && !keys_.empty();
  if (many_small_parts) {
    return guarded([this] { return compact(); });
  }
  if (many_rows || threshold_due) {
    return guarded([this] { return keys_.empty() ? compact() : drop_others(); });
  }
  Status charged = charge_last();
  const bool can_drop = !keys_.empty() && rows_ - rows_ / kDroppedShareMin >= limit_;
  if (!charged.ok() && charged.error().code == ErrorCode::kLimit && can_drop) {
    return guarded([this] { return drop_others(); });
  }
  return charged;
}

// The first key of the last row that stays.
std::uint64_t RowSorter::last_first_key() const {
  std::vector<std::uint64_t> all;
  all.reserve(rows_);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    AllocationMeter::poll();
    const std::vector<std::uint64_t> numbers = part_numbers(part, 0);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  PollCounter poll;
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(limit_ - 1),
                           [&](std::uint64_t a, std::uint64_t b) {
                             poll.add();
                             return a < b;
                           });
  return all[limit_ - 1];
}

// By the first keys, and among rows that tie with the last that stays by all of them.
Result<std::vector<RowList>> RowSorter::first_rows() {
  const std::uint64_t bound = last_first_key();
  threshold_ = bound;
  std::vector<RowList> kept(parts_.size());
  std::vector<RowRef> ties;
  MemoryLease ties_lease(budget_, name_);
  std::size_t room = limit_;
  for (std::uint32_t part = 0; part < parts_.size(); ++part) {
    AllocationMeter::poll();
    const std::vector<std::uint64_t> numbers = part_numbers(part, 0);
    select_rows(numbers.size(), &kept[part], [&](std::size_t row) { return numbers[row] < bound; });
    room -= kept[part].size();
    const auto tied = static_cast<std::size_t>(std::ranges::count(numbers, bound));
    EVQ_TRY(ties_lease.grow(tied * sizeof(RowRef)));
    for (std::uint32_t row = 0; tied > 0 && row < numbers.size(); ++row) {
      if (numbers[row] == bound) {
        ties.push_back(head(part, row));
      }
    }
  }
  if (ties.size() > room) {
    PollCounter poll;
    std::ranges::nth_element(ties, ties.begin() + static_cast<std::ptrdiff_t>(room),
                             [&](const RowRef& a, const RowRef& b) {
                               poll.add();
                               return before(a, b);
                             });
    ties.resize(room);
  }
  EVQ_TRY(note_last(*std::ranges::max_element(
      ties, [this](const RowRef& a, const RowRef& b) { return before(a, b); })));
  for (const RowRef& tie : ties) {
    kept[tie.part].push_back(tie.row);
  }
  return kept;
}

Status RowSorter::drop_others() {
  EVQ_TRY_ASSIGN(std::vector<RowList> kept, first_rows());
  std::vector<Part> parts;
  AllocationMeter meter(budget_, control_, name_);
  rows_ = 0;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    Part& part = parts_[i];
    if (kept[i].empty()) {
      continue;
    }
    if (kept[i].size() != part.chunk.rows()) {
      std::ranges::sort(kept[i]);  // all but ties are in order
      EVQ_TRY(meter.guard([&] {
        part.chunk.select(kept[i]);
        part.chunk.detach();
        part.common = {};  // they were of texts that may be gone
      }));
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

Status RowSorter::note_last(const RowRef& row) {
  AllocationMeter meter(budget_, control_, name_);
  return meter.guard([&] {
    last_ = gather(std::span(&row, 1));
    last_.detach();
  });
}

Status RowSorter::compact() {
  std::vector<RowRef> rows;
  rows.reserve(rows_);
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    append_rows(part, &rows);
  }
  if (rows.size() > limit_) {
    PollCounter poll;
    const auto less = [&](const RowRef& a, const RowRef& b) {
      poll.add();
      return before(a, b);
    };
    std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(limit_), less);
    rows.resize(limit_);
  }
  sort_rows(&rows, false);
  std::vector<Part> parts;
  AllocationMeter meter(budget_, control_, name_);
  for (std::size_t begin = 0; begin < rows.size(); begin += kChunkRowsMax) {
    const std::span<const RowRef> some(rows.data() + begin,
                                       std::min(kChunkRowsMax, rows.size() - begin));
    Part& part = parts.emplace_back();
    part.positions.reserve(some.size());
    for (const RowRef& row : some) {
      part.positions.push_back(position(row));
    }
    EVQ_TRY(meter.guard([&] {
      part.chunk = gather(some);
      part.chunk.detach();
    }));
  }
  rows_ = rows.size();
  if (rows_ == limit_ && !keys_.empty() && limit_ > 0) {
    threshold_ = rows.back().first_key;
    EVQ_TRY(note_last(rows.back()));
  }
  parts_ = std::move(parts);
  return charge_all();
}

}  // namespace evq
