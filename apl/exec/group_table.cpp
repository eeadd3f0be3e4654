#include "apl/exec/group_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "store/base/check.h"
#include "store/base/checksum.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// Combinations of dictionary codes are numbered through a direct table up to this many slots;
// beyond it (and beyond a few slots a row) clearing the table costs more than hashing.
constexpr std::size_t kCombinationsMax = std::size_t{1} << 20U;
constexpr std::size_t kCombinationsPerRowMax = 4;
constexpr std::size_t kFirstSlots = 64;

void append_integer(std::uint64_t value, std::string* out) {
  char bytes[sizeof(value)];
  std::memcpy(bytes, &value, sizeof(value));
  out->append(bytes, sizeof(bytes));
}

// -0.0 groups with 0.0 and every NaN with every other.
std::uint64_t canonical_bits(double value) {
  if (std::isnan(value)) {
    return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  }
  return value == 0 ? 0 : std::bit_cast<std::uint64_t>(value);
}

void append_key(const Values& values, std::size_t slot, std::string* out) {
  if (values.is_null(slot)) {
    out->push_back('\0');
    return;
  }
  out->push_back('\1');
  switch (physical_of(values.type())) {
    case Physical::kNone:
      return;
    case Physical::kByte:
      out->push_back(static_cast<char>(values.data<std::uint8_t>()[slot]));
      return;
    case Physical::kInt64:
      append_integer(static_cast<std::uint64_t>(values.data<std::int64_t>()[slot]), out);
      return;
    case Physical::kDouble:
      append_integer(canonical_bits(values.data<double>()[slot]), out);
      return;
    case Physical::kView: {
      const std::string_view text = values.data<std::string_view>()[slot];
      append_integer(text.size(), out);
      out->append(text);
      return;
    }
  }
}

// The inverse of append_key: moves one column's part of `key` into `out`.
void take_key(std::string_view* key, VectorBuilder* out) {
  const bool present = key->front() != '\0';
  key->remove_prefix(1);
  if (!present) {
    out->append_null();
    return;
  }
  std::uint64_t word = 0;
  switch (physical_of(out->type())) {
    case Physical::kNone:
      out->append_null();
      return;
    case Physical::kByte:
      out->append_bool(key->front() != '\0');
      key->remove_prefix(1);
      return;
    case Physical::kInt64:
      std::memcpy(&word, key->data(), sizeof(word));
      out->append_integer(static_cast<std::int64_t>(word));
      break;
    case Physical::kDouble:
      std::memcpy(&word, key->data(), sizeof(word));
      out->append_real(std::bit_cast<double>(word));
      break;
    case Physical::kView:
      std::memcpy(&word, key->data(), sizeof(word));
      out->append_text(key->substr(sizeof(word), word));
      key->remove_prefix(word);
      break;
  }
  key->remove_prefix(sizeof(word));
}

}  // namespace

GroupTable::GroupTable(std::vector<Type> key_types, std::uint64_t seed)
    : key_types_(std::move(key_types)), seed_(seed), slots_(kFirstSlots) {}

void GroupTable::grow() {
  std::vector<std::uint32_t> slots(slots_.size() * 2);
  const std::size_t mask = slots.size() - 1;
  for (std::size_t group = 0; group < keys_.size(); ++group) {
    std::size_t at = hashes_[group] & mask;
    while (slots[at] != 0) {
      at = (at + 1) & mask;
    }
    slots[at] = static_cast<std::uint32_t>(group + 1);
  }
  slots_ = std::move(slots);
}

std::uint32_t GroupTable::find_or_insert(std::string_view key, std::uint64_t hash,
                                         std::uint64_t order) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    const std::uint32_t group = slots_[at] - 1;
    if (hashes_[group] == hash && keys_[group] == key) {
      first_seen_[group] = std::min(first_seen_[group], order);
      return group;
    }
  }
  const auto group = static_cast<std::uint32_t>(keys_.size());
  slots_[at] = group + 1;
  keys_.push_back(arena_.copy(key));
  hashes_.push_back(hash);
  first_seen_.push_back(order);
  if (keys_.size() * 2 > slots_.size()) {
    grow();
  }
  return group;
}

void GroupTable::assign(std::span<const Vector> keys, std::size_t rows, std::uint64_t order,
                        std::uint32_t* groups) {
  EVQ_DCHECK(keys.size() == key_types_.size());
  std::size_t combinations = 1;
  bool coded = true;
  for (const Vector& key : keys) {
    coded = coded && !key.is_flat();
    if (coded) {
      combinations *= key.values().size();
      coded = combinations <= kCombinationsMax;
    }
  }
  if (coded && combinations <= std::max<std::size_t>(kCombinationsPerRowMax * rows, 256)) {
    assign_combined(keys, rows, order, groups);
  } else if (keys.size() == 1 && physical_of(keys[0].type()) == Physical::kInt64) {
    assign_integers(keys[0], rows, order, groups);
  } else {
    assign_general(keys, rows, order, groups);
  }
}

void GroupTable::assign_combined(std::span<const Vector> keys, std::size_t rows,
                                 std::uint64_t order, std::uint32_t* groups) {
  // Mixed-radix number of each row's codes; constants have radix 1 and add nothing.
  std::size_t combinations = 1;
  std::fill_n(groups, rows, 0U);
  for (const Vector& key : keys) {
    if (key.is_dictionary()) {
      const auto radix = static_cast<std::uint32_t>(key.values().size());
      const Code* codes = key.codes();
      for (std::size_t i = 0; i < rows; ++i) {
        groups[i] = groups[i] * radix + codes[i];
      }
      combinations *= radix;
    }
  }
  scratch_.assign(combinations, 0);
  std::string key_bytes;
  for (std::size_t i = 0; i < rows; ++i) {
    std::uint32_t& known = scratch_[groups[i]];
    if (known == 0) {
      key_bytes.clear();
      for (const Vector& key : keys) {
        append_key(key.values(), key.slot(i), &key_bytes);
      }
      known = find_or_insert(key_bytes, hash64(key_bytes, seed_), order + i) + 1;
    }
    groups[i] = known - 1;
  }
}

void GroupTable::assign_integers(const Vector& key, std::size_t rows, std::uint64_t order,
                                 std::uint32_t* groups) {
  std::string key_bytes;
  const Values& values = key.values();
  const std::int64_t* data = values.data<std::int64_t>();
  std::size_t i = 0;
  while (i < rows) {
    const std::size_t slot = key.slot(i);
    key_bytes.clear();
    append_key(values, slot, &key_bytes);
    const std::uint32_t group = find_or_insert(key_bytes, hash64(key_bytes, seed_), order + i);
    const bool null = values.is_null(slot);
    const std::int64_t value = data[slot];
    // Times come sorted, so equal neighbours are the rule.
    for (; i < rows && values.is_null(key.slot(i)) == null && (null || data[key.slot(i)] == value);
         ++i) {
      groups[i] = group;
    }
  }
}

void GroupTable::assign_general(std::span<const Vector> keys, std::size_t rows,
                                std::uint64_t order, std::uint32_t* groups) {
  std::string key_bytes;
  for (std::size_t i = 0; i < rows; ++i) {
    key_bytes.clear();
    for (const Vector& key : keys) {
      append_key(key.values(), key.slot(i), &key_bytes);
    }
    groups[i] = find_or_insert(key_bytes, hash64(key_bytes, seed_), order + i);
  }
}

void GroupTable::find(std::span<const Vector> keys, std::size_t rows,
                      std::uint32_t* groups) const {
  const std::size_t mask = slots_.size() - 1;
  std::string key_bytes;
  for (std::size_t i = 0; i < rows; ++i) {
    key_bytes.clear();
    for (const Vector& key : keys) {
      append_key(key.values(), key.slot(i), &key_bytes);
    }
    const std::uint64_t hash = hash64(key_bytes, seed_);
    groups[i] = kNoGroup;
    for (std::size_t at = hash & mask; slots_[at] != 0; at = (at + 1) & mask) {
      const std::uint32_t group = slots_[at] - 1;
      if (hashes_[group] == hash && keys_[group] == key_bytes) {
        groups[i] = group;
        break;
      }
    }
  }
}

void GroupTable::merge(const GroupTable& other, std::vector<std::uint32_t>* to) {
  EVQ_CHECK(seed_ == other.seed_);
  to->resize(other.size());
  for (std::size_t group = 0; group < other.size(); ++group) {
    (*to)[group] =
        find_or_insert(other.keys_[group], other.hashes_[group], other.first_seen_[group]);
  }
}

std::vector<Vector> GroupTable::keys(std::span<const std::uint32_t> groups) const {
  std::vector<VectorBuilder> builders;
  builders.reserve(key_types_.size());
  for (const Type type : key_types_) {
    builders.emplace_back(type);
  }
  for (const std::uint32_t group : groups) {
    std::string_view key = keys_[group];
    for (VectorBuilder& builder : builders) {
      take_key(&key, &builder);
    }
  }
  std::vector<Vector> columns;
  columns.reserve(builders.size());
  for (VectorBuilder& builder : builders) {
    columns.push_back(builder.finish());
  }
  return columns;
}

std::size_t GroupTable::size_bytes() const {
  return arena_.size_bytes() + keys_.size() * (sizeof(std::string_view) + 2 * sizeof(std::uint64_t)) +
         (slots_.size() + scratch_.size()) * sizeof(std::uint32_t);
}

}  // namespace evq
