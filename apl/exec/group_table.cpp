#include "apl/exec/group_table.h"

#include <algorithm>
#include <numeric>

#include "store/base/check.h"
#include "store/base/checksum.h"

namespace evq {
namespace {

// Combinations of dictionary codes are numbered through a direct table up to this many slots;
// beyond it (and beyond so many slots a row) clearing the table costs more than hashing.
constexpr std::size_t kCombinationsMax = std::size_t{1} << 20U;
constexpr std::size_t kCombinationsPerRowMax = 16;
constexpr std::size_t kCombinationsMin = 256;
constexpr std::size_t kFirstSlots = 64;
// Moving to a larger table waits for memory as look-ups do: rather seldom.
constexpr std::size_t kGrowth = 4;
constexpr std::size_t kAhead = 16;
// Keys looked up side by side: their slots, keys and texts stay in the nearest cache.
constexpr std::size_t kBatchMax = 512;
// Smaller tables are in a near cache anyway.
constexpr std::size_t kPrefetchSlotsMin = std::size_t{1} << 13U;
// With few combinations, rows in a row would wait for each other's count: lanes keep them apart.
constexpr std::size_t kCountLanes = 4;
constexpr std::size_t kLaneCombinationsMax = 2048;
// Entries are hashed ahead when they come about so often.
constexpr std::size_t kHashedEntryRowsMin = 2;
constexpr std::uint64_t kUnseen = ~std::uint64_t{0};

std::uint32_t tag_of(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 32U);
}

// The number of combinations of entries of keys that are all dictionaries or constants; 0 when
// there are too many, or a key is neither.
std::size_t combinations_of(std::span<const Vector> keys, std::size_t rows) {
  const std::size_t most =
      std::min(kCombinationsMax, std::max(kCombinationsPerRowMax * rows, kCombinationsMin));
  std::size_t combinations = 1;
  for (const Vector& key : keys) {
    if (key.is_flat()) {
      return 0;
    }
    combinations *= key.values().size();
    if (combinations > most) {
      return 0;
    }
  }
  return combinations;
}

// Mixed-radix number of each row's codes, the first key's most significant; constants have radix 1.
void number_combinations(std::span<const Vector> keys, std::size_t rows,
                         std::vector<std::uint32_t>* numbers) {
  numbers->assign(rows, 0);
  std::uint32_t* to = numbers->data();
  for (const Vector& key : keys) {
    if (!key.is_dictionary()) {
      continue;
    }
    const auto radix = static_cast<std::uint32_t>(key.values().size());
    const Code* codes = key.codes();
    for (std::size_t i = 0; i < rows; ++i) {
      to[i] = to[i] * radix + codes[i];
    }
  }
}

const Vector* only_dictionary(std::span<const Vector> keys) {
  const Vector* found = nullptr;
  for (const Vector& key : keys) {
    if (key.is_dictionary()) {
      if (found != nullptr) {
        return nullptr;
      }
      found = &key;
    }
  }
  return found;
}

// counts[c] becomes the number of rows with combination c.
template <class C>
void count_each(const C* combinations, std::size_t rows, std::size_t radix,
                std::vector<std::uint32_t>* counts) {
  const std::size_t lanes = radix <= kLaneCombinationsMax && rows > radix ? kCountLanes : 1;
  counts->assign(radix * lanes, 0);
  std::uint32_t* to = counts->data();
  std::size_t i = 0;
  if (lanes > 1) {
    for (; i + kCountLanes <= rows; i += kCountLanes) {
      for (std::size_t lane = 0; lane < kCountLanes; ++lane) {
        ++to[lane * radix + combinations[i + lane]];
      }
    }
  }
  for (; i < rows; ++i) {
    ++to[combinations[i]];
  }
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    for (std::size_t c = 0; c < radix; ++c) {
      to[c] += to[lane * radix + c];
    }
  }
  counts->resize(radix);
}

// The texts of a dictionary's entries lie anywhere.
void prefetch_texts(const Values& values, std::span<const std::uint32_t> slots) {
  const auto* texts = values.data<std::string_view>();
  for (const std::uint32_t slot : slots) {
    __builtin_prefetch(texts + slot);
  }
  for (const std::uint32_t slot : slots) {
    __builtin_prefetch(texts[slot].data());
  }
}

// Maps combination numbers[j] back to the slot of each key.
class CombinationSlots {
 public:
  CombinationSlots(std::span<const Vector> keys, std::span<const std::uint32_t> numbers)
      : numbers_(numbers), radixes_(keys.size(), 1), units_(keys.size(), 1) {
    std::uint32_t unit = 1;
    for (std::size_t column = keys.size(); column-- > 0;) {
      units_[column] = unit;
      if (keys[column].is_dictionary()) {
        radixes_[column] = static_cast<std::uint32_t>(keys[column].values().size());
      }
      unit *= radixes_[column];
    }
  }
  std::uint32_t operator()(std::size_t column, std::size_t j) const {
    return numbers_[j] / units_[column] % radixes_[column];
  }

 private:
  std::span<const std::uint32_t> numbers_;
  std::vector<std::uint32_t> radixes_;
  std::vector<std::uint32_t> units_;
};

}  // namespace

GroupTable::GroupTable(const std::vector<Type>& key_types, std::uint64_t seed)
    : seed_(seed), null_hash_(GroupKeys::null_hash(seed)), slots_(kFirstSlots) {
  for (const Type type : key_types) {
    columns_.emplace_back(type);
  }
  one_number_ = columns_.size() == 1 && !columns_[0].is_text();
}

// ---------------------------------------------------------------- the hash table

void GroupTable::grow() {
  LargeVector<Slot> slots(slots_.size() * kGrowth);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t group = 0; group < hashes_.size(); ++group) {
    __builtin_prefetch(&slots[hashes_[std::min(group + kAhead, hashes_.size() - 1)] & mask], 1);
    std::size_t at = hashes_[group] & mask;
    while (slots[at].group != 0) {
      at = (at + 1) & mask;
    }
    slots[at] = {tag_of(hashes_[group]), static_cast<std::uint32_t>(group + 1)};
  }
  slots_ = std::move(slots);
}

void GroupTable::insert(std::uint64_t hash) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at].group != 0) {
    at = (at + 1) & mask;
  }
  hashes_.push_back(hash);
  first_seen_.push_back(kUnseen);
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(hashes_.size())};
  if (hashes_.size() * 2 > slots_.size()) {
    grow();
  }
}

void GroupTable::hash_batch(const KeyBatch& batch, std::vector<std::uint64_t>* hashes) const {
  hashes->resize(batch.size);
  std::vector<std::uint64_t> own(batch.size);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const KeyColumn& keys = batch.columns[column];
    std::vector<std::uint64_t>& to = column == 0 ? *hashes : own;
    if (keys.entry_hashes.empty()) {
      if (columns_[column].is_text()) {
        prefetch_texts(*keys.values, keys.slots);
      }
      columns_[column].hash_all(keys, seed_, to.data());
    } else {
      std::ranges::transform(keys.slots, to.begin(),
                             [&](std::uint32_t slot) { return keys.entry_hashes[slot]; });
    }
    for (std::size_t j = 0; column > 0 && j < batch.size; ++j) {
      (*hashes)[j] = hash64(own[j], (*hashes)[j]);
    }
  }
}

// Each round asks for the memory to which the one before points.
void GroupTable::prefetch(std::span<const std::uint64_t> hashes) const {
  if (slots_.size() < kPrefetchSlotsMin || columns_.empty()) {
    return;
  }
  const std::size_t mask = slots_.size() - 1;
  for (const std::uint64_t hash : hashes) {
    __builtin_prefetch(&slots_[hash & mask]);
  }
  std::vector<std::size_t> groups;  // that may have one of the keys
  groups.reserve(hashes.size());
  for (const std::uint64_t hash : hashes) {
    const Slot& slot = slots_[hash & mask];
    if (slot.group != 0 && slot.tag == tag_of(hash)) {
      groups.push_back(slot.group - 1);
    }
  }
  if (one_number_) {
    for (const std::size_t group : groups) {
      __builtin_prefetch(&hashes_[group]);
    }
    return;
  }
  for (const GroupKeys& column : columns_) {
    for (const std::size_t group : groups) {
      column.prefetch_key(group);
    }
  }
  for (std::size_t j = 0; columns_[0].is_text() && j < groups.size(); ++j) {
    columns_[0].prefetch_text(groups[j]);
  }
}

std::uint32_t GroupTable::look_up(const KeyBatch& batch, std::size_t j, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].group != 0; at = (at + 1) & mask) {
    if (slots_[at].tag != tag_of(hash)) {
      continue;
    }
    const std::uint32_t group = slots_[at].group - 1;
    bool equal = !one_number_ || hashes_[group] == hash;
    for (std::size_t column = 0; equal && !is_key(hash) && column < columns_.size(); ++column) {
      equal = columns_[column].equals(group, batch.columns[column], j);
    }
    if (equal) {
      return group;
    }
  }
  return kNoGroup;
}

bool GroupTable::holds_key(std::size_t group, KeyBatch& batch, std::size_t j) {
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    KeyColumn& keys = batch.columns[column];
    if (keys.entry_texts.empty() ? !columns_[column].equals(group, keys, j)
                                 : !columns_[column].equals_shared(group, keys, j)) {
      return false;
    }
  }
  return true;
}

void GroupTable::append_key(KeyBatch& batch, std::size_t j) {
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    KeyColumn& keys = batch.columns[column];
    if (keys.entry_texts.empty()) {
      columns_[column].append(keys, j);
    } else {
      columns_[column].append_shared(keys, j);
    }
  }
}

void GroupTable::resolve(KeyBatch& batch, std::uint32_t* groups) {
  std::vector<std::uint64_t> hashes;
  hash_batch(batch, &hashes);
  prefetch(hashes);
  for (std::size_t j = 0; j < batch.size; ++j) {
    const std::uint64_t hash = hashes[j];
    groups[j] = kNoGroup;
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = hash & mask; slots_[at].group != 0; at = (at + 1) & mask) {
      if (slots_[at].tag != tag_of(hash)) {
        continue;
      }
      const std::uint32_t group = slots_[at].group - 1;
      if (is_key(hash) ? hashes_[group] == hash : holds_key(group, batch, j)) {
        groups[j] = group;
        break;
      }
    }
    if (groups[j] == kNoGroup) {
      groups[j] = static_cast<std::uint32_t>(size());
      append_key(batch, j);
      insert(hash);
    }
  }
}

void GroupTable::find_batch(const KeyBatch& batch, std::uint32_t* groups) const {
  std::vector<std::uint64_t> hashes;
  hash_batch(batch, &hashes);
  prefetch(hashes);
  for (std::size_t j = 0; j < batch.size; ++j) {
    groups[j] = look_up(batch, j, hashes[j]);
  }
}

// ---------------------------------------------------------------- rows to keys

// Calls take(batch, begin) with the keys begin, begin + 1, … of `count`; slot_of(column, j) is
// where key j lies.
template <class SlotOf, class Take>
void GroupTable::for_each_batch(std::span<const Vector> keys, std::size_t count,
                                const SlotOf& slot_of, const Take& take) const {
  KeyBatch batch;
  batch.columns.resize(keys.size());
  for (std::size_t column = 0; column < keys.size(); ++column) {
    const Values& values = keys[column].values();
    KeyColumn& to = batch.columns[column];
    to.values = &values;
    if (!keys[column].is_flat() && values.size() * kHashedEntryRowsMin <= count) {
      to.entry_hashes.resize(values.size());
      for (std::size_t slot = 0; slot < values.size(); ++slot) {
        to.entry_hashes[slot] = columns_[column].hash(values, slot, seed_);
      }
      if (columns_[column].is_text() && keys.size() > 1) {  // alone it comes once a chunk
        to.entry_texts.resize(values.size());
      }
    }
  }
  for (std::size_t begin = 0; begin < count; begin += kBatchMax) {
    batch.size = std::min(kBatchMax, count - begin);
    for (std::size_t column = 0; column < keys.size(); ++column) {
      KeyColumn& to = batch.columns[column];
      to.slots.resize(batch.size);
      for (std::size_t j = 0; j < batch.size; ++j) {
        to.slots[j] = slot_of(column, begin + j);
      }
      if (!columns_[column].is_text()) {
        columns_[column].load_words(&to);
      }
    }
    take(batch, begin);
  }
}

template <class PositionOf>
void GroupTable::note_seen(std::span<const std::uint32_t> groups, std::size_t known,
                           std::uint64_t order, const PositionOf& position_of) {
  // Chunks nearly always come in the order of the stream, and then only new groups need a look.
  const bool late = order < order_max_;
  order_max_ = std::max(order_max_, order);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    if (groups[j] >= known || late) {
      std::uint64_t& seen = first_seen_[groups[j]];
      seen = std::min(seen, order + position_of(j));
    }
  }
}

template <class C>
void GroupTable::resolve_combinations(const C* combinations, std::size_t rows, std::size_t radix,
                                      std::span<const Vector> keys, std::uint64_t order) {
  count_each(combinations, rows, radix, &by_combination_);
  present_.clear();
  present_counts_.clear();
  for (std::size_t c = 0; c < radix; ++c) {
    if (by_combination_[c] != 0) {
      present_.push_back(static_cast<std::uint32_t>(c));
      present_counts_.push_back(by_combination_[c]);
    }
  }
  present_groups_.resize(present_.size());
  const std::size_t known = size();
  const bool late = order < order_max_;
  for_each_batch(
      keys, present_.size(), CombinationSlots(keys, present_),
      [&](KeyBatch& batch, std::size_t begin) { resolve(batch, present_groups_.data() + begin); });
  if (size() > known || late) {
    for (std::size_t i = rows; i-- > 0;) {
      by_combination_[combinations[i]] = static_cast<std::uint32_t>(i);
    }
  }
  note_seen(present_groups_, known, order,
            [&](std::size_t j) { return by_combination_[present_[j]]; });
}

template <class C>
void GroupTable::assign_combinations(const C* combinations, std::size_t rows,
                                     std::uint32_t* groups) {
  for (std::size_t j = 0; j < present_.size(); ++j) {
    by_combination_[present_[j]] = present_groups_[j];
  }
  const std::uint32_t* group_of = by_combination_.data();
  for (std::size_t i = 0; i < rows; ++i) {
    groups[i] = group_of[combinations[i]];
  }
}

std::optional<GroupTable::Counted> GroupTable::count(std::span<const Vector> keys, std::size_t rows,
                                                     std::uint64_t order) {
  const std::size_t radix = combinations_of(keys, rows);
  if (radix == 0) {
    return std::nullopt;
  }
  if (const Vector* only = only_dictionary(keys)) {
    resolve_combinations(only->codes(), rows, radix, keys, order);
  } else {
    number_combinations(keys, rows, &row_numbers_);
    resolve_combinations(row_numbers_.data(), rows, radix, keys, order);
  }
  return Counted{present_groups_, present_counts_};
}

void GroupTable::assign_counted(std::span<const Vector> keys, std::size_t rows,
                                std::uint32_t* groups) {
  if (const Vector* only = only_dictionary(keys)) {
    assign_combinations(only->codes(), rows, groups);
  } else {
    assign_combinations(row_numbers_.data(), rows, groups);
  }
}

void GroupTable::assign_uncounted(std::span<const Vector> keys, std::size_t rows,
                                  std::uint64_t order, std::uint32_t* groups) {
  if (keys.size() == 1 && keys[0].is_flat() && physical_of(keys[0].type()) == Physical::kInt64) {
    assign_runs(keys[0], rows, order, groups);
    return;
  }
  row_numbers_.resize(rows);
  std::iota(row_numbers_.begin(), row_numbers_.end(), 0U);
  assign_rows(keys, row_numbers_, order, groups);
}

void GroupTable::assign(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                        std::uint32_t* groups) {
  EVQ_DCHECK(keys.size() == columns_.size());
  if (count(keys, rows, order).has_value()) {
    assign_counted(keys, rows, groups);
  } else {
    assign_uncounted(keys, rows, order, groups);
  }
}

// Times come sorted, so equal neighbours are the rule.
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
  present_groups_.resize(row_numbers_.size());
  assign_rows({&key, 1}, row_numbers_, order, present_groups_.data());
  for (std::size_t run = 0; run < row_numbers_.size(); ++run) {
    const std::size_t end = run + 1 < row_numbers_.size() ? row_numbers_[run + 1] : rows;
    std::fill(groups + row_numbers_[run], groups + end, present_groups_[run]);
  }
}

void GroupTable::assign_rows(std::span<const Vector> keys, std::span<const std::uint32_t> rows,
                             std::uint64_t order, std::uint32_t* groups) {
  const std::size_t known = size();
  for_each_batch(
      keys, rows.size(),
      [&](std::size_t column, std::size_t j) {
        return static_cast<std::uint32_t>(keys[column].slot(rows[j]));
      },
      [&](KeyBatch& batch, std::size_t begin) { resolve(batch, groups + begin); });
  note_seen({groups, rows.size()}, known, order, [&](std::size_t j) { return rows[j]; });
}

void GroupTable::find(std::span<const Vector> keys, std::size_t rows, std::uint32_t* groups) const {
  const std::size_t radix = combinations_of(keys, rows);
  if (radix == 0 || radix > rows) {
    for_each_batch(
        keys, rows,
        [&](std::size_t column, std::size_t i) {
          return static_cast<std::uint32_t>(keys[column].slot(i));
        },
        [&](const KeyBatch& batch, std::size_t begin) { find_batch(batch, groups + begin); });
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

void GroupTable::merge(const GroupTable& other, std::span<const std::uint32_t> groups,
                       std::vector<GroupPair>* pairs) {
  EVQ_CHECK(seed_ == other.seed_);
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].share_texts(other.columns_[column]);
  }
  pairs->clear();
  pairs->reserve(groups.size());
  std::vector<std::uint64_t> hashes;
  for (std::size_t begin = 0; begin < groups.size(); begin += kBatchMax) {
    const auto batch = groups.subspan(begin, std::min(kBatchMax, groups.size() - begin));
    for (const std::uint32_t group : batch) {
      other.prefetch_group(group);
    }
    hashes.clear();
    for (const std::uint32_t group : batch) {
      hashes.push_back(other.hashes_[group]);
    }
    prefetch(hashes);
    for (const std::uint32_t group : batch) {
      pairs->push_back({group, merge_one(other, group)});
    }
  }
}

std::vector<std::vector<std::uint32_t>> GroupTable::by_hash(unsigned bits) const {
  std::vector<std::vector<std::uint32_t>> parts(std::size_t{1} << bits);
  for (std::vector<std::uint32_t>& part : parts) {
    part.reserve(size() / parts.size() + size() / parts.size() / 4);
  }
  for (std::uint32_t group = 0; group < size(); ++group) {
    parts[bits == 0 ? 0 : hashes_[group] >> (64 - bits)].push_back(group);
  }
  return parts;
}

// For tables whose groups are taken here and there.
void GroupTable::prefetch_group(std::size_t group) const {
  __builtin_prefetch(&hashes_[group]);
  __builtin_prefetch(&first_seen_[group]);
  for (const GroupKeys& column : columns_) {
    column.prefetch_key(group);
  }
}

std::uint32_t GroupTable::merge_one(const GroupTable& other, std::size_t other_group) {
  const std::uint64_t hash = other.hashes_[other_group];
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask; slots_[at].group != 0; at = (at + 1) & mask) {
    const std::uint32_t group = slots_[at].group - 1;
    bool equal = slots_[at].tag == tag_of(hash) && (!one_number_ || hashes_[group] == hash);
    for (std::size_t column = 0; equal && !is_key(hash) && column < columns_.size(); ++column) {
      equal = columns_[column].equals(group, other.columns_[column], other_group);
    }
    if (equal) {
      first_seen_[group] = std::min(first_seen_[group], other.first_seen_[other_group]);
      return group;
    }
  }
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    columns_[column].append(other.columns_[column], other_group);
  }
  insert(hash);
  first_seen_.back() = other.first_seen_[other_group];
  return static_cast<std::uint32_t>(size() - 1);
}

std::vector<Vector> GroupTable::keys(std::span<const std::uint32_t> groups) const {
  std::vector<Vector> columns;
  columns.reserve(columns_.size());
  for (const GroupKeys& column : columns_) {
    columns.push_back(column.gather(groups));
  }
  return columns;
}

std::size_t GroupTable::size_bytes() const {
  std::size_t bytes =
      (hashes_.capacity() + first_seen_.capacity()) * sizeof(std::uint64_t) +
      slots_.capacity() * sizeof(Slot) +
      (by_combination_.capacity() + row_numbers_.capacity()) * sizeof(std::uint32_t);
  for (const GroupKeys& column : columns_) {
    bytes += column.size_bytes();
  }
  return bytes;
}

}  // namespace evq
