#include "apl/exec/group_parts.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/exec/key_combinations.h"
#include "apl/functions/canonical.h"
#include "apl/functions/number_codes.h"
#include "store/base/allocation_meter.h"

namespace evq {
namespace {

// What is done once a part and chunk would take longer than the rows of smaller chunks do.
constexpr std::size_t kRowsPerPartMin = 128;
// So many rows of a chunk tell whether most find a group that is in the cache still: they do not
// where three of four are of different groups. The first chunk's are looked at before the others,
// where they are not most of it.
constexpr std::size_t kLookRows = 8192;
constexpr std::pair<std::size_t, std::size_t> kManyGroupsPerRows{3, 4};
constexpr std::size_t kChunkPerLookMin = 4;
// Workers with so many groups merge them side by side, however often they come.
constexpr std::size_t kGroupsMax = std::size_t{1} << 17U;
// With fewer rows, on average, for each group that a chunk was the first to have, most rows are of
// such.
constexpr std::size_t kRowsPerNewGroupMax = 2;
// Keys of many columns would take more memory while they wait than their groups do.
constexpr std::size_t kKeyWordsMax = 16;
// Fewer rows of a combination, on average, wait for themselves: looking them up takes most of the
// time.
constexpr std::size_t kRowsPerCombinationMax = 4;
// Of more combinations that may occur, clearing a table takes longer than looking up rows.
constexpr std::size_t kPartedCombinationsPerRowMax = 2;

// How many of a part's rows are the first of their groups, chunk after chunk.
class NewGroups {
 public:
  // Of the `rows` of a chunk `groups` were; how many of the `to_come` will probably be. 0 where
  // they become fewer: the keys come again, and nobody can tell how many there are.
  std::size_t note(std::size_t rows, std::size_t groups, std::size_t to_come) {
    const double before =
        std::exchange(share_, static_cast<double>(groups) / static_cast<double>(rows));
    const bool goes_on = before > 0 && share_ >= before * kShareLeftMin && share_ >= kShareMin;
    return goes_on ? static_cast<std::size_t>(share_ * static_cast<double>(to_come)) : 0;
  }

 private:
  static constexpr double kShareLeftMin = 0.9;
  static constexpr double kShareMin = 0.125;

  double share_ = 0;
};

bool few_rows_share(std::size_t combinations, std::size_t rows) {
  return combinations * kRowsPerCombinationMax >= rows;
}

}  // namespace

GroupParts::GroupParts(const GroupStates::Spec& spec, Shared& shared)
    : spec_(spec),
      shared_(shared),
      together_(std::make_unique<GroupStates>(spec)),
      lease_(spec.budget, "summarize") {}

std::vector<Vector> GroupParts::keys_of(const plan::Aggregate& op, const Chunk& chunk) {
  std::vector<Vector> keys;
  for (const std::size_t column : op.groups) {
    keys.push_back(code_numbers(canonical_dynamics(chunk.column(column))));
  }
  return keys;
}

void GroupParts::slice_keys(std::size_t begin, std::size_t count) {
  for (Vector& key : keys_) {
    key = key.slice(begin, count);
  }
}

Status GroupParts::keep_shares(Chunk* chunk) {
  if (spec_.shares.all()) {
    return Status::success();
  }
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard([&] {
    const std::vector<Vector> keys = keys_of(spec_.op, *chunk);
    chunk->select(together_->table().rows_of(spec_.shares, keys, chunk->rows()));
  });
}

Status GroupParts::keep_first(Chunk* chunk) {
  const bool looks = !std::exchange(started_, true) && chunk->sequence() == 0 &&
                     shared_.first.may_tell(chunk->rows());
  if (!looks && !shared_.first.known()) {
    return Status::success();
  }
  AllocationMeter meter(spec_.budget, spec_.context.control, "summarize");
  return meter.guard([&] {
    const std::vector<Vector> keys = keys_of(spec_.op, *chunk);
    if (looks) {
      shared_.first.find(keys, chunk->rows());
    }
    if (shared_.first.known()) {
      chunk->select(shared_.first.rows_of(keys, chunk->rows()));
    }
  });
}

Status GroupParts::add(Chunk chunk, std::uint64_t order) {
  EVQ_TRY(keep_shares(&chunk));
  EVQ_TRY(keep_first(&chunk));
  if (chunk.empty()) {
    return Status::success();
  }
  keys_ = keys_of(spec_.op, chunk);
  return add_chunk(chunk, order);
}

Status GroupParts::add_packed(const Chunk& chunk, std::vector<Vector> keys, std::uint64_t order) {
  keys_ = std::move(keys);
  return add_chunk(chunk, order);
}

Status GroupParts::add_chunk(const Chunk& chunk, std::uint64_t order) {
  std::size_t begin = 0;
  if (!parted() && looks_first(chunk)) {
    begin = kLookRows;
    const std::vector<Vector> all = keys_;
    slice_keys(0, begin);
    EVQ_TRY(add_together(chunk.slice(0, begin), order));
    keys_ = all;
  }
  if (parted()) {
    return add_to_parts(chunk, begin, order);
  }
  if (begin == 0) {
    return add_together(chunk, order);
  }
  const std::size_t rest = chunk.rows() - begin;
  slice_keys(begin, rest);
  return add_together(chunk.slice(begin, rest), order + begin);
}

Status GroupParts::add_together(const Chunk& chunk, std::uint64_t order) {
  rows_ += chunk.rows();
  ++chunks_;
  const std::size_t known = together_->size();
  EVQ_TRY(together_->add(chunk, keys_, order));
  const std::size_t found = together_->size() - known;
  mostly_new_ = found * kRowsPerNewGroupMax >= chunk.rows();
  return part_pays() ? part() : Status::success();
}

// Where few rows tell that there will be very many groups, the others of the first chunk need not
// find theirs in one table.
bool GroupParts::looks_first(const Chunk& chunk) const {
  return chunks_ == 0 && spec_.parting == Parting::kManyGroups &&
         chunk.rows() >= kLookRows * kChunkPerLookMin && !spec_.op.groups.empty() &&
         std::ranges::none_of(keys_, &Vector::is_constant) &&
         combinations_of(keys_, chunk.rows()) == 0;
}

bool GroupParts::part_pays() const {
  const GroupTable& table = together_->table();
  if (spec_.op.groups.empty() || spec_.parting == Parting::kNever ||
      table.loaded_words() > kKeyWordsMax) {
    return false;
  }
  if (spec_.parting == Parting::kAlways) {
    return true;
  }
  // Rows of known combinations find their groups sooner where they are; those of new ones do not.
  const bool finds_known = table.located() && !mostly_new_;
  if (finds_known || rows_ < chunks_ * kCount * kRowsPerPartMin) {
    return false;
  }
  const bool looked_first = chunks_ == 1 && !is_sparse(keys_);
  return table.size() >= kGroupsMax ||
         ((looked_first || table.size() >= kGroupsMin) && look_finds_many());
}

// Of the rows with a key, where most may have none. Entries, of which several may be in a group,
// tell little by their number.
bool GroupParts::look_finds_many() const {
  if (!rows_may_wait()) {
    return false;
  }
  if (const std::size_t combinations = together_->counted_combinations(); combinations > 0) {
    return together_->size() >= kGroupsMin && few_rows_share(combinations, keys_[0].size());
  }
  const std::optional<std::size_t> groups = together_->groups_of_first_rows(kLookRows);
  if (!groups.has_value()) {
    return false;
  }
  std::size_t rows = kLookRows;
  for (std::size_t row = 0; is_sparse(keys_) && row < kLookRows; ++row) {
    rows -= keys_[0].is_null(row) ? std::size_t{1} : 0;
  }
  return *groups * kManyGroupsPerRows.second >= rows * kManyGroupsPerRows.first;
}

void GroupParts::empty_lists(PartLists* lists) {
  lists->resize(kCount);
  for (std::vector<std::uint32_t>& list : *lists) {
    list.clear();
  }
}

void GroupParts::list_by_part(std::span<const std::uint64_t> hashes, PartLists* lists) {
  empty_lists(lists);
  for (std::uint32_t i = 0; i < hashes.size(); ++i) {
    (*lists)[GroupTable::part_of(hashes[i], kBits)].push_back(i);
  }
}

Status GroupParts::add_to_parts(const Chunk& chunk, std::size_t begin, std::uint64_t order) {
  const std::size_t radix = combinations_of(keys_, chunk.rows());
  if (begin == 0 && radix != 0 && radix <= chunk.rows() * kPartedCombinationsPerRowMax) {
    const bool waits = rows_may_wait() && few_rows_share(radix, chunk.rows());
    if (!waits) {
      return add_combinations(chunk, order, radix);
    }
    if (together_->only_counts_rows()) {
      return add_counts(chunk, order, radix);
    }
  }
  if (is_sparse(keys_)) {  // most rows may be of one group
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> nulls;
    split_sparse(keys_[0], begin, chunk.rows(), &rows, &nulls);
    EVQ_TRY(add_nulls(chunk, nulls, order));
    return add_rows(chunk, rows, order);
  }
  std::vector<std::uint32_t> rows(chunk.rows() - begin);
  std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(begin));
  return add_rows(chunk, rows, order);
}

Status GroupParts::add_counts(const Chunk& chunk, std::uint64_t order, std::size_t radix) {
  combinations_.find(keys_, chunk.rows(), radix);
  combinations_.find_first_rows();
  std::vector<std::uint32_t> counts(chunk.rows());
  for (std::size_t i = 0; i < combinations_.size(); ++i) {
    counts[combinations_.first_row(i)] = combinations_.counts()[i];
  }
  RowList rows;  // several combinations may be of one group: its first row comes first
  select_rows(chunk.rows(), &rows, [&](std::size_t row) { return counts[row] != 0; });
  return add_rows(chunk, rows, order, counts);
}

Status GroupParts::add_rows(const Chunk& chunk, std::span<const std::uint32_t> rows,
                            std::uint64_t order, std::span<const std::uint32_t> counts) {
  const std::size_t bytes = PartedRows::bytes_of(together_->table(), rows.size());
  if (!lease_.grow(bytes).ok()) {
    EVQ_TRY(take_in_all());
    EVQ_TRY(lease_.grow(bytes));
  }
  std::size_t held_bytes = 0;
  std::vector<Vector> texts;
  for (Vector& key : keys_) {
    if (physical_of(key.type()) == Physical::kView) {
      key = key.detached();
      held_bytes += key.size_bytes();
      texts.push_back(key);
    }
  }
  PartedRows parted(together_->table(), keys_, rows);
  EVQ_TRY_ASSIGN(Chunk arguments, together_->arguments_of(chunk, parted.rows()));
  arguments.detach();
  held_bytes += arguments.size_bytes();
  std::vector<std::uint32_t> own_counts;
  for (std::size_t j = 0; !counts.empty() && j < rows.size(); ++j) {
    own_counts.push_back(counts[parted.rows()[j]]);
  }
  held_bytes += own_counts.size() * sizeof(std::uint32_t);
  waiting_.push_back(
      {std::move(arguments), order, std::move(parted), std::move(texts), std::move(own_counts)});
  waiting_rows_ += rows.size();
  const bool waits = waiting_rows_ < spec_.waiting_rows_max;
  return waits && lease_.grow(held_bytes).ok() ? Status::success() : take_in_all();
}

Status GroupParts::take_in_all() {
  EVQ_TRY(parts_->for_each(
      [this](std::size_t part, GroupStates& groups) { return take_in(part, &groups); }));
  waiting_.clear();
  waiting_rows_ = 0;
  return lease_.resize(0);
}

Status GroupParts::take_in(std::size_t part, GroupStates* to) const {
  std::size_t to_come = 0;
  for (const WaitingRows& waiting : waiting_) {
    to_come += waiting.rows.part(part).rows.size();
  }
  NewGroups found;
  for (const WaitingRows& waiting : waiting_) {
    const PartedRows::Part some = waiting.rows.part(part);
    if (some.rows.empty()) {
      continue;
    }
    const std::size_t known = to->size();
    EVQ_TRY(take_in(waiting, some, to));
    to_come -= some.rows.size();
    if (const std::size_t more = found.note(some.rows.size(), to->size() - known, to_come)) {
      // Where the memory does not allow it, the table grows as groups come.
      static_cast<void>(to->reserve(to->size() + more));
    }
  }
  return Status::success();
}

Status GroupParts::take_in(const WaitingRows& waiting, const PartedRows::Part& some,
                           GroupStates* to) {
  const std::size_t count = some.rows.size();
  if (waiting.counts.empty()) {
    return to->add_some(waiting.arguments.slice(some.begin, count), waiting.order, some);
  }
  return to->add_counted(waiting.order, some, std::span(waiting.counts).subspan(some.begin, count));
}

Status GroupParts::add_nulls(const Chunk& chunk, std::span<const std::uint32_t> rows,
                             std::uint64_t order) {
  if (rows.empty()) {
    return Status::success();
  }
  const PartedRows first(together_->table(), keys_, rows.first(1));
  std::size_t part = 0;
  while (first.part(part).rows.empty()) {
    ++part;
  }
  return parts_->at(part, [&](std::size_t /*part*/, GroupStates& groups) {
    return groups.add_same(chunk, order, first.part(part), rows);
  });
}

Status GroupParts::add_combinations(const Chunk& chunk, std::uint64_t order, std::size_t radix) {
  combinations_.find(keys_, chunk.rows(), radix);
  hashes_.resize(combinations_.size());
  together_->table().hash(keys_, combinations_, hashes_.data());
  list_by_part(hashes_, &combinations_of_part_);
  empty_lists(&rows_of_part_);
  if (!together_->only_counts_rows()) {
    list_rows(chunk.rows());
  }
  combinations_.find_first_rows();
  return parts_->for_each([&](std::size_t part, GroupStates& groups) {
    const std::vector<std::uint32_t>& some = combinations_of_part_[part];
    return some.empty() ? Status::success()
                        : groups.add_some(chunk, keys_, order,
                                          {combinations_, some, hashes_.data(), rows_of_part_[part],
                                           combination_of_row_.data(), groups_.data()});
  });
}

// The rows of each part by the hashes of their combinations.
void GroupParts::list_rows(std::size_t rows) {
  groups_.resize(combinations_.size());
  std::iota(groups_.begin(), groups_.end(), 0U);
  combination_of_row_.resize(rows);
  combinations_.spread(groups_.data(), combination_of_row_.data());
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t hash = hashes_[combination_of_row_[row]];
    rows_of_part_[GroupTable::part_of(hash, kBits)].push_back(row);
  }
}

Status GroupParts::settle_to_merge() {
  EVQ_TRY(together_->settle_to_merge());
  return own_parts_ == nullptr
             ? Status::success()
             : own_parts_->for_each([](std::size_t /*part*/, GroupStates& groups) {
                 return groups.settle_to_merge();
               });
}

Status GroupParts::part() {
  EVQ_TRY(together_->settle_to_merge());
  std::vector<std::vector<std::uint32_t>> groups;
  EVQ_TRY(together_->list_by_hash(kBits, *together_, &groups));
  if (!rows_may_wait()) {
    own_parts_ = std::make_unique<PartedGroups>(spec_);
  }
  parts_ = rows_may_wait() ? &shared_.parts : own_parts_.get();
  EVQ_TRY(parts_->for_each(
      [&](std::size_t part, GroupStates& to) { return to.merge(*together_, groups[part]); }));
  together_ = std::make_unique<GroupStates>(spec_);
  return Status::success();
}

std::size_t GroupParts::size() const {
  return together_->size() + (own_parts_ != nullptr ? own_parts_->size() : 0);
}

}  // namespace evq
