#include "apl/exec/group_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string_view>

#include "apl/exec/key_combinations.h"
#include "apl/exec/key_slots.h"
#include "apl/exec/numbered_rows.h"
#include "store/base/allocation_meter.h"
#include "store/base/checksum.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// With fewer rows for each combination that may occur, what a chunk does with each one of them
// takes longer than looking up every row where combinations are kept from chunk to chunk.
constexpr std::size_t kRowsPerCombinationMin = 3;
// Combinations are kept in a table for each column of the key: not of thousands.
constexpr std::size_t kLocatedKeysMax = 256;
// Moving to a larger table waits for memory as look-ups do: rather seldom.
constexpr std::size_t kGrowth = 4;
constexpr std::size_t kAhead = 16;
// Fewer of keys of thousands of columns.
constexpr std::size_t kBatchBytesMax = 2 * kMebibyte;
// Smaller tables are in a near cache anyway.
constexpr std::size_t kPrefetchSlotsMin = std::size_t{1} << 13U;
// Entries are hashed ahead when they come about so often.
constexpr std::size_t kHashedEntryRowsMin = 2;
constexpr std::uint64_t kUnseen = ~std::uint64_t{0};

// A null entry's is that of an empty text.
std::uint64_t entry_hash(const Values& values, std::size_t slot, std::uint64_t seed) {
  return values.is_null(slot) ? hash64(std::string_view(), seed)
                              : hash64(values.data<std::string_view>()[slot], seed);
}

// Whether equal neighbours are the rule in a flat column of integers, as in times, which come
// sorted.
bool has_runs(const Vector& key, std::size_t rows) {
  constexpr std::size_t kRowsPerRunMin = 2;
  const auto* data = key.values().data<std::int64_t>();
  std::size_t runs = 1;
  for (std::size_t i = 1; i < rows; ++i) {
    runs += data[i] != data[i - 1] ? 1 : 0;
  }
  return runs * kRowsPerRunMin <= rows;
}

}  // namespace

GroupTable::GroupTable(const std::vector<Type>& key_types, std::uint64_t seed, KeyTexts texts)
    : seed_(seed),
      keys_(key_types, texts),
      slots_(kFirstSlots),
      knows_range_(key_types.size() == 1 && physical_of(key_types[0]) == Physical::kInt64) {}

// ---------------------------------------------------------------- the hash table

void GroupTable::reserve(std::size_t groups) {
  const std::size_t count = std::bit_ceil(groups * kSlotsPerGroupMin);
  if (direct_ == nullptr && count > slots_.size()) {
    make_slots(count);
  }
}

void GroupTable::make_slots(std::size_t count) {
  // The keys are there twice for a moment.
  AllocationMeter::charge(count * sizeof(Slot) + keys_.size_bytes());
  LargeVector<Slot> slots(count);
  const std::size_t mask = count - 1;
  PollCounter poll;
  for (std::size_t group = 0; group < hashes_.size(); ++group) {
    poll.add();
    __builtin_prefetch(&slots[hashes_[std::min(group + kAhead, hashes_.size() - 1)] & mask], 1);
    std::size_t at = hashes_[group] & mask;
    while (slots[at].group != 0) {
      at = (at + 1) & mask;
    }
    slots[at] = {tag_of(hashes_[group]), static_cast<std::uint32_t>(group + 1)};
  }
  slots_ = std::move(slots);
  // Memory that is not used yet costs nothing, and what is there would be copied later.
  const std::size_t groups = slots_.size() / kSlotsPerGroupMin + 1;
  hashes_.reserve(groups);
  AllocationMeter::poll();
  first_seen_.reserve(groups);
  AllocationMeter::poll();
  keys_.reserve(groups);
}

void GroupTable::add_group(std::uint64_t hash) {
  if (!can_number(size() + 1)) {
    AllocationMeter::refuse(too_many_groups());
  }
  hashes_.push_back(hash);
  first_seen_.push_back(kUnseen);
}

void GroupTable::insert(std::uint64_t hash, std::size_t slot) {
  add_group(hash);
  slots_[slot] = {tag_of(hash), static_cast<std::uint32_t>(hashes_.size())};
  if (hashes_.size() * kSlotsPerGroupMin > slots_.size()) {
    make_slots(slots_.size() * kGrowth);
  }
}

// Each round asks for the memory to which the one before points.
void GroupTable::approach(std::span<const std::uint64_t> hashes, Places* places) const {
  const std::size_t mask = slots_.size() - 1;
  places->slots = slots_.size();
  if (slots_.size() < kPrefetchSlotsMin || keys_.columns() == 0) {
    std::ranges::transform(hashes, places->of_key.begin(),
                           [mask](std::uint64_t hash) { return hash & mask; });
    return;
  }
  for (const std::uint64_t hash : hashes) {
    __builtin_prefetch(&slots_[hash & mask]);
  }
  std::array<std::uint32_t, kBatchMax> groups;  // that may have one of the keys
  std::size_t count = 0;
  for (std::size_t j = 0; j < hashes.size(); ++j) {
    const std::size_t at =
        slot_of(hashes[j], hashes[j] & mask, [](std::size_t /*group*/) { return true; });
    places->of_key[j] = at;
    groups[count] = slots_[at].group - 1;
    count += slots_[at].group != 0 ? std::size_t{1} : 0;
  }
  for (std::size_t i = 0; i < count; ++i) {
    keys_.prefetch_row(groups[i]);
  }
  for (std::size_t i = 0; keys_.is_text(0) && i < count; ++i) {
    keys_.prefetch_text(groups[i]);
  }
}

void GroupTable::resolve(KeyBatch& batch, std::uint32_t* groups) {
  if (direct_ != nullptr) {
    resolve_direct(batch, groups);
    return;
  }
  std::array<std::uint64_t, kBatchMax> hashes;
  keys_.hash_all(batch, seed_, hashes.data());
  resolve(batch, std::span(hashes).first(batch.size), groups);
}

void GroupTable::resolve(KeyBatch& batch, std::span<const std::uint64_t> hashes,
                         std::uint32_t* groups) {
  Places places;
  approach(hashes, &places);
  const std::size_t known = size();
  for (std::size_t j = 0; j < batch.size; ++j) {
    const std::size_t slot =
        slot_of(hashes[j], place_of(hashes[j], places, j),
                [&](std::size_t group) { return keys_.holds(group, &batch, j); });
    if (slots_[slot].group != 0) {
      groups[j] = slots_[slot].group - 1;
    } else {
      groups[j] = static_cast<std::uint32_t>(size());
      keys_.append(&batch, j);
      insert(hashes[j], slot);
    }
  }
  charge_keys(size() - known);
}

void GroupTable::find_batch(const KeyBatch& batch, std::uint32_t* groups) const {
  if (direct_ != nullptr) {
    find_direct(batch, groups);
    return;
  }
  std::array<std::uint64_t, kBatchMax> hashes;
  keys_.hash_all(batch, seed_, hashes.data());
  Places places;
  approach(std::span(hashes).first(batch.size), &places);
  // Many keys may have no group, which nearly all free slots tell without a branch to guess.
  std::array<std::uint32_t, kBatchMax> others;
  std::size_t count = 0;
  for (std::uint32_t j = 0; j < batch.size; ++j) {
    groups[j] = kNoGroup;
    others[count] = j;
    count += slots_[places.of_key[j]].group != 0 ? std::size_t{1} : 0;
  }
  for (const std::uint32_t j : std::span(others).first(count)) {
    const auto equal = [&](std::size_t group) { return keys_.equals(group, batch, j); };
    const std::uint32_t group = slots_[slot_of(hashes[j], places.of_key[j], equal)].group;
    groups[j] = group == 0 ? kNoGroup : group - 1;
  }
}

// ---------------------------------------------------------------- rows to keys

std::size_t GroupTable::batch_max() const {
  const std::size_t fitting = kBatchBytesMax / std::max<std::size_t>(keys_.row_bytes(), 1);
  return std::clamp<std::size_t>(fitting, 1, kBatchMax);
}

void GroupTable::charge_keys(std::size_t groups) const {
  if (batch_max() < kBatchMax) {
    AllocationMeter::charge(groups * keys_.row_bytes());
  }
}

KeyBatch GroupTable::batch_of(std::span<const Vector> keys, std::size_t count,
                              Hashes hashes) const {
  KeyBatch batch;
  batch.columns.resize(keys.size());
  for (std::size_t column = 0; column < keys.size(); ++column) {
    const Values& values = keys[column].values();
    KeyBatch::Column& to = batch.columns[column];
    to.values = &values;
    if (!keys_.is_text(column) || keys[column].is_flat() ||
        values.size() * kHashedEntryRowsMin > count) {
      continue;
    }
    if (hashes == Hashes::kAhead) {
      to.entry_hashes.resize(values.size());
      for (std::size_t slot = 0; slot < values.size(); ++slot) {
        to.entry_hashes[slot] = entry_hash(values, slot, seed_);
      }
    }
    if (keys.size() > 1) {  // alone it comes once a chunk
      const auto* texts = values.data<std::string_view>();
      to.entry_texts.assign(texts, texts + values.size());
    }
  }
  return batch;
}

// Calls take(batch, begin) with the keys begin, begin + 1, … of `count`; fill_slots(column, begin,
// slots) says where those of a column lie.
template <class FillSlots, class Take>
void GroupTable::for_each_batch(std::span<const Vector> keys, std::size_t count,
                                const FillSlots& fill_slots, const Take& take,
                                Hashes hashes) const {
  KeyBatch batch = batch_of(keys, count, hashes);
  for (std::size_t begin = 0; begin < count; begin += batch_max()) {
    batch.size = std::min(batch_max(), count - begin);
    for (std::size_t column = 0; column < keys.size(); ++column) {
      KeyBatch::Column& to = batch.columns[column];
      to.slots.resize(batch.size);
      fill_slots(column, begin, std::span(to.slots));
    }
    keys_.load(&batch);
    take(batch, begin);
  }
}

template <class PositionOf>
void GroupTable::note_seen(std::span<const std::uint32_t> groups, std::size_t known,
                           std::uint64_t order, Positions positions,
                           const PositionOf& position_of) {
  // Chunks nearly always come in the order of the stream, and then only new groups need a look.
  const bool late = order < order_max_;
  order_max_ = std::max(order_max_, order);
  if (positions == Positions::kAscending && !late) {  // they were numbered as they came
    for (std::size_t j = 0; known < size(); ++j) {
      if (groups[j] == known) {
        first_seen_[known++] = order + position_of(j);
      }
    }
    return;
  }
  for (std::size_t j = 0; j < groups.size(); ++j) {
    if (groups[j] >= known || late) {
      std::uint64_t& seen = first_seen_[groups[j]];
      seen = std::min(seen, order + position_of(j));
    }
  }
}

std::optional<GroupTable::Counted> GroupTable::count(std::span<const Vector> keys, std::size_t rows,
                                                     std::uint64_t order) {
  fit_direct(keys, rows);
  const std::size_t radix = combinations_of(keys, rows);
  located_ = (radix == 0 || radix * kRowsPerCombinationMin > rows) && locate(keys, rows);
  if (radix == 0 || located_) {
    return std::nullopt;
  }
  combinations_.find(keys, rows, radix);
  found_groups_.resize(combinations_.size());
  const std::size_t known = size();
  for_each_batch(
      keys, combinations_.size(), CombinationSlots(keys, combinations_.numbers()),
      [&](KeyBatch& batch, std::size_t begin) { resolve(batch, found_groups_.data() + begin); });
  if (size() > known || order < order_max_) {
    combinations_.find_first_rows();
  }
  note_seen(found_groups_, known, order, Positions::kUnordered,
            [&](std::size_t j) { return combinations_.first_row(j); });
  return Counted{found_groups_, combinations_.counts()};
}

void GroupTable::assign_rows(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                             std::uint32_t* groups) {
  if (keys.size() == 1 && keys[0].is_flat() && physical_of(keys[0].type()) == Physical::kInt64 &&
      has_runs(keys[0], rows)) {
    assign_runs(keys[0], rows, order, groups);
    return;
  }
  if (is_sparse(keys)) {
    assign_sparse(keys, rows, order, groups);
    return;
  }
  const std::size_t known = size();
  if (located_) {
    assign_located(keys, rows, groups);
  } else if (is_direct(keys)) {
    assign_direct(keys[0], rows, groups);
  } else {
    for_each_batch(keys, rows, RowSlots(keys),
                   [&](KeyBatch& batch, std::size_t begin) { resolve(batch, groups + begin); });
  }
  note_seen({groups, rows}, known, order, Positions::kAscending,
            [](std::size_t row) { return row; });
}

// Rows without the field are one group, which is looked up once.
void GroupTable::assign_sparse(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                               std::uint32_t* groups) {
  std::vector<std::uint32_t> nulls;
  row_numbers_.clear();
  split_sparse(keys[0], 0, rows, &row_numbers_, &nulls);
  const std::size_t known = size();
  const auto assign_each = [&](std::span<const std::uint32_t> some) {
    found_groups_.resize(some.size());
    for_each_batch(
        keys, some.size(), SomeRowSlots(keys, some),
        [&](KeyBatch& batch, std::size_t begin) { resolve(batch, found_groups_.data() + begin); });
    for (std::size_t j = 0; j < some.size(); ++j) {
      groups[some[j]] = found_groups_[j];
    }
  };
  assign_each(row_numbers_);
  assign_each(std::span(nulls).first(std::min<std::size_t>(nulls.size(), 1)));
  for (const std::uint32_t row : nulls) {
    groups[row] = groups[nulls[0]];
  }
  note_seen({groups, rows}, known, order, Positions::kUnordered,
            [](std::size_t row) { return row; });
}

bool GroupTable::locate(std::span<const Vector> keys, std::size_t rows) {
  if (keys.size() > kLocatedKeysMax || std::ranges::count_if(keys, &Vector::is_dictionary) < 2) {
    return false;  // of one, the entries would be looked up just as often
  }
  if (combination_groups_ == nullptr) {
    combination_groups_ = std::make_unique<CombinationGroups>(keys_.types(), seed_);
  }
  return combination_groups_->locate(keys, rows, &row_numbers_);
}

// Only the first row of a new combination is looked up in the hash table.
void GroupTable::assign_located(std::span<const Vector> keys, std::size_t rows,
                                std::uint32_t* groups) {
  constexpr std::uint32_t kComing = kNoGroup - 1;
  std::vector<std::uint32_t> first_rows;
  std::vector<std::uint32_t> later_rows;
  for (std::uint32_t row = 0; row < rows; ++row) {
    __builtin_prefetch(&(*combination_groups_)[row_numbers_[std::min(row + kAhead, rows - 1)]]);
    std::uint32_t& group = (*combination_groups_)[row_numbers_[row]];
    if (group == kNoGroup) {
      group = kComing;
      first_rows.push_back(row);
    } else if (group == kComing) {
      later_rows.push_back(row);
    }
    groups[row] = group;
  }
  std::vector<std::uint32_t> new_groups(first_rows.size());
  for_each_batch(
      keys, first_rows.size(), SomeRowSlots(keys, first_rows),
      [&](KeyBatch& batch, std::size_t begin) { resolve(batch, new_groups.data() + begin); });
  for (std::size_t j = 0; j < first_rows.size(); ++j) {
    const std::uint32_t row = first_rows[j];
    groups[row] = (*combination_groups_)[row_numbers_[row]] = new_groups[j];
  }
  for (const std::uint32_t row : later_rows) {
    groups[row] = (*combination_groups_)[row_numbers_[row]];
  }
}

void GroupTable::assign(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                        std::uint32_t* groups) {
  assign_rest(count(keys, rows, order).has_value(), keys, rows, order, groups);
}

std::optional<GroupTable::Counted> GroupTable::assign_counted(std::span<const Vector> keys,
                                                              std::size_t rows, std::uint64_t order,
                                                              bool counts_do,
                                                              std::vector<std::uint32_t>* groups) {
  const std::optional<Counted> counted = count(keys, rows, order);
  if (!counted.has_value() || !counts_do) {
    groups->resize(rows);
    assign_rest(counted.has_value(), keys, rows, order, groups->data());
  }
  return counted;
}

// What is left to do when combinations were `counted`, or not.
void GroupTable::assign_rest(bool counted, std::span<const Vector> keys, std::size_t rows,
                             std::uint64_t order, std::uint32_t* groups) {
  counted ? combinations_.spread(found_groups_.data(), groups)
          : assign_rows(keys, rows, order, groups);
}

void GroupTable::assign_runs(const Vector& key, std::size_t rows, std::uint64_t order,
                             std::uint32_t* groups) {
  const Values& values = key.values();
  const auto* data = values.data<std::int64_t>();
  const bool nulls = values.has_nulls();
  row_numbers_.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == 0 || data[i] != data[i - 1] || (nulls && values.is_null(i) != values.is_null(i - 1))) {
      row_numbers_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  const std::size_t known = size();
  found_groups_.resize(row_numbers_.size());
  for_each_batch(
      {&key, 1}, row_numbers_.size(), SomeRowSlots({&key, 1}, row_numbers_),
      [&](KeyBatch& batch, std::size_t begin) { resolve(batch, found_groups_.data() + begin); });
  note_seen(found_groups_, known, order, Positions::kAscending,
            [&](std::size_t run) { return row_numbers_[run]; });
  for (std::size_t run = 0; run < row_numbers_.size(); ++run) {
    const std::size_t end = run + 1 < row_numbers_.size() ? row_numbers_[run + 1] : rows;
    std::fill(groups + row_numbers_[run], groups + end, found_groups_[run]);
  }
}

void GroupTable::find(std::span<const Vector> keys, std::size_t rows, std::uint32_t* groups) const {
  if (is_direct(keys)) {
    find_direct(keys[0], rows, groups);
    return;
  }
  const std::size_t radix = combinations_of(keys, rows);
  if (radix == 0 || radix > rows) {
    for_each_batch(keys, rows, RowSlots(keys), [&](const KeyBatch& batch, std::size_t begin) {
      find_batch(batch, groups + begin);
    });
    return;
  }
  std::vector<std::uint32_t> combinations(radix);
  std::iota(combinations.begin(), combinations.end(), 0U);
  std::vector<std::uint32_t> found(radix);
  for_each_batch(
      keys, radix, CombinationSlots(keys, combinations),
      [&](const KeyBatch& batch, std::size_t begin) { find_batch(batch, found.data() + begin); });
  std::vector<std::uint32_t> numbers;
  number_combinations(keys, rows, &numbers);
  for (std::size_t i = 0; i < rows; ++i) {
    groups[i] = found[numbers[i]];
  }
}

template <class FillSlots>
void GroupTable::hash_all(std::span<const Vector> keys, std::size_t count,
                          const FillSlots& fill_slots, std::uint64_t* hashes) const {
  for_each_batch(keys, count, fill_slots, [&](const KeyBatch& batch, std::size_t begin) {
    keys_.hash_all(batch, seed_, hashes + begin);
  });
}

void GroupTable::hash(std::span<const Vector> keys, std::size_t rows, std::uint64_t* hashes) const {
  hash_all(keys, rows, RowSlots(keys), hashes);
}

void GroupTable::hash(std::span<const Vector> keys, const ChunkCombinations& combinations,
                      std::uint64_t* hashes) const {
  hash_all(keys, combinations.size(), CombinationSlots(keys, combinations.numbers()), hashes);
}

void GroupTable::load(std::span<const Vector> keys, std::span<const std::uint32_t> rows,
                      std::uint64_t* loaded) const {
  const auto take = [&, words = keys_.row_words()](const KeyBatch& batch, std::size_t begin) {
    std::array<std::uint64_t, kBatchMax> hashes;
    keys_.hash_all(batch, seed_, hashes.data());
    std::uint64_t* to = loaded + begin * loaded_words();
    for (std::size_t j = 0; j < batch.size; ++j) {
      *to++ = hashes[j];
      for (std::size_t i = 0; i < words; ++i) {  // few: a call of memcpy() would take longer
        *to++ = batch.rows[j * words + i];
      }
    }
  };
  for_each_batch(keys, rows.size(), SomeRowSlots(keys, rows), take);
}

void GroupTable::assign_loaded(const std::uint64_t* loaded, std::span<const std::uint32_t> rows,
                               std::uint64_t order, std::uint32_t* groups) {
  forget_range();
  const std::size_t known = size();
  KeyBatch batch;
  batch.stride = loaded_words();
  for (std::size_t begin = 0; begin < rows.size(); begin += batch_max()) {
    batch.size = std::min(batch_max(), rows.size() - begin);
    const std::uint64_t* first = loaded + begin * batch.stride;
    batch.rows = first + 1;
    keys_.prefetch_key_texts(batch);
    std::array<std::uint64_t, kBatchMax> hashes;
    for (std::size_t j = 0; j < batch.size; ++j) {
      hashes[j] = first[j * batch.stride];
    }
    resolve(batch, std::span(hashes).first(batch.size), groups + begin);
  }
  note_seen({groups, rows.size()}, known, order, Positions::kAscending,
            [&](std::size_t j) { return rows[j]; });
}

void GroupTable::assign_some(std::span<const Vector> keys, const ChunkCombinations& combinations,
                             std::span<const std::uint32_t> some, const std::uint64_t* hashes,
                             std::uint64_t order, std::uint32_t* groups) {
  forget_range();
  std::vector<std::uint32_t> numbers(some.size());
  std::ranges::transform(some, numbers.begin(),
                         [&](std::uint32_t one) { return combinations.numbers()[one]; });
  const std::size_t known = size();
  const auto take = [&](KeyBatch& batch, std::size_t begin) {
    std::array<std::uint64_t, kBatchMax> own;
    for (std::size_t j = 0; j < batch.size; ++j) {
      own[j] = hashes[some[begin + j]];
    }
    resolve(batch, std::span(own).first(batch.size), groups + begin);
  };
  for_each_batch(keys, some.size(), CombinationSlots(keys, numbers), take, Hashes::kKnown);
  note_seen({groups, some.size()}, known, order, Positions::kUnordered,
            [&](std::size_t j) { return combinations.first_row(some[j]); });
}

void GroupTable::merge(std::span<const Vector> keys, std::span<const std::uint64_t> first_seen,
                       std::uint32_t* groups) {
  forget_range();
  for_each_batch(keys, first_seen.size(), RowSlots(keys),
                 [&](KeyBatch& batch, std::size_t begin) { resolve(batch, groups + begin); });
  for (std::size_t i = 0; i < first_seen.size(); ++i) {
    first_seen_[groups[i]] = std::min(first_seen_[groups[i]], first_seen[i]);
    order_max_ = std::max(order_max_, first_seen[i]);
  }
}

// By bits of the hash that neither slots nor the parts of a merge are told by.
std::vector<std::uint32_t> GroupTable::rows_of(const KeyShares& shares,
                                               std::span<const Vector> keys,
                                               std::size_t rows) const {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15;
  std::vector<std::uint64_t> hashes(rows);
  hash(keys, rows, hashes.data());
  std::vector<std::uint32_t> found;
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint64_t share = hashes[row] * kMix >> (64 - KeyShares::kBits);
    if (share - shares.begin < shares.end - shares.begin) {
      found.push_back(row);
    }
  }
  return found;
}

std::size_t GroupTable::size_bytes() const {
  return keys_.size_bytes() + (hashes_.size() + first_seen_.size()) * sizeof(std::uint64_t) +
         slots_.capacity() * sizeof(Slot) + (direct_ != nullptr ? direct_->size_bytes() : 0) +
         (combination_groups_ != nullptr ? combination_groups_->size_bytes() : 0) +
         combinations_.size_bytes() + row_numbers_.capacity() * sizeof(std::uint32_t);
}

}  // namespace evq
