#include "apl/exec/group_keys.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "store/base/checksum.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

std::uint64_t canonical_bits(double value) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value == value ? value + 0.0 : kNan);
}

// A value that is neither null nor a text.
std::uint64_t word_of(const Values& values, std::size_t slot) {
  switch (physical_of(values.type())) {
    case Physical::kByte:
      return values.data<std::uint8_t>()[slot];
    case Physical::kInt64:
      return static_cast<std::uint64_t>(values.data<std::int64_t>()[slot]);
    case Physical::kDouble:
      return canonical_bits(values.data<double>()[slot]);
    case Physical::kView:
    case Physical::kNone:
      break;
  }
  return 0;
}

}  // namespace

std::uint64_t GroupKeys::null_hash(std::uint64_t seed) {
  constexpr std::uint64_t kNullWord = 0x6E756C6C6E756C6CULL;
  return hash64(kNullWord, ~seed);
}

std::uint64_t GroupKeys::hash(const Values& values, std::size_t slot, std::uint64_t seed) const {
  if (values.is_null(slot)) {
    return null_hash(seed);
  }
  return text_ ? hash64(values.data<std::string_view>()[slot], seed)
               : hash64(word_of(values, slot), seed);
}

void GroupKeys::load_words(KeyColumn* keys) const {
  const Values& values = *keys->values;
  keys->words.resize(keys->slots.size());
  const auto load = [keys](const auto* data, const auto& word) {
    for (std::size_t j = 0; j < keys->slots.size(); ++j) {
      keys->words[j] = word(data[keys->slots[j]]);
    }
  };
  switch (physical_of(values.type())) {
    case Physical::kByte:
      load(values.data<std::uint8_t>(), [](std::uint8_t value) { return std::uint64_t{value}; });
      break;
    case Physical::kInt64:
      load(values.data<std::int64_t>(),
           [](std::int64_t value) { return static_cast<std::uint64_t>(value); });
      break;
    case Physical::kDouble:
      load(values.data<double>(), canonical_bits);
      break;
    case Physical::kView:
    case Physical::kNone:
      std::ranges::fill(keys->words, 0);
      break;
  }
  for (std::size_t j = 0; values.has_nulls() && j < keys->slots.size(); ++j) {
    keys->words[j] = values.is_null(keys->slots[j]) ? 0 : keys->words[j];
  }
}

void GroupKeys::hash_all(const KeyColumn& keys, std::uint64_t seed, std::uint64_t* hashes) const {
  const Values& values = *keys.values;
  if (text_) {
    for (std::size_t j = 0; j < keys.slots.size(); ++j) {
      hashes[j] = hash(values, keys.slots[j], seed);
    }
    return;
  }
  for (std::size_t j = 0; j < keys.slots.size(); ++j) {
    hashes[j] = hash64(keys.words[j], seed);
  }
  for (std::size_t j = 0; values.has_nulls() && j < keys.slots.size(); ++j) {
    hashes[j] = values.is_null(keys.slots[j]) ? null_hash(seed) : hashes[j];
  }
}

bool GroupKeys::equals(std::size_t group, const KeyColumn& keys, std::size_t j) const {
  if (!text_ && words_[group] != keys.words[j]) {
    return false;
  }
  const bool null = keys.values->is_null(keys.slots[j]);
  if (null || is_null(group)) {
    return null && is_null(group);
  }
  return !text_ || texts_[group] == keys.values->data<std::string_view>()[keys.slots[j]];
}

bool GroupKeys::equals(std::size_t group, const GroupKeys& other, std::size_t other_group) const {
  if (is_null(group) || other.is_null(other_group)) {
    return is_null(group) && other.is_null(other_group);
  }
  return text_ ? texts_[group] == other.texts_[other_group]
               : words_[group] == other.words_[other_group];
}

bool GroupKeys::equals_shared(std::size_t group, KeyColumn& keys, std::size_t j) {
  std::string_view* known = &keys.entry_texts[keys.slots[j]];
  std::string_view& held = texts_[group];
  if (known->data() != nullptr && held.data() == known->data() && held.size() == known->size()) {
    return true;
  }
  if (!equals(group, keys, j)) {
    return false;
  }
  // From here on the groups of one text hold it in one place.
  if (known->data() == nullptr) {
    *known = held;
  } else {
    held = *known;
  }
  return true;
}

void GroupKeys::note_null(bool null) {
  if (null && nulls_.empty()) {
    nulls_.resize(size_, 0);
  }
  ++size_;
  if (null || !nulls_.empty()) {
    nulls_.resize(size_, 0);
    nulls_.back() = null ? 1 : 0;
  }
}

void GroupKeys::append(const KeyColumn& keys, std::size_t j) {
  const bool null = keys.values->is_null(keys.slots[j]);
  if (!text_) {
    words_.push_back(keys.words[j]);
  } else if (null) {
    texts_.emplace_back();
  } else {
    texts_.push_back(arenas_[0]->copy(keys.values->data<std::string_view>()[keys.slots[j]]));
  }
  note_null(null);
}

void GroupKeys::append_shared(KeyColumn& keys, std::size_t j) {
  std::string_view* known = &keys.entry_texts[keys.slots[j]];
  if (known->data() == nullptr) {
    append(keys, j);
    *known = texts_.back();
  } else {
    texts_.push_back(*known);
    note_null(false);
  }
}

void GroupKeys::append(const GroupKeys& other, std::size_t other_group) {
  if (text_) {
    texts_.push_back(other.texts_[other_group]);
    shared_text_bytes_ += texts_.back().size();
  } else {
    words_.push_back(other.words_[other_group]);
  }
  note_null(other.is_null(other_group));
}

void GroupKeys::share_texts(const GroupKeys& other) {
  arenas_.insert(arenas_.end(), other.arenas_.begin(), other.arenas_.end());
}

void GroupKeys::prefetch_key(std::size_t group) const {
  __builtin_prefetch(text_ ? static_cast<const void*>(texts_.data() + group)
                           : static_cast<const void*>(words_.data() + group));
}

void GroupKeys::prefetch_text(std::size_t group) const {
  __builtin_prefetch(texts_[group].data());
}

Vector GroupKeys::gather_texts(std::span<const std::uint32_t> groups) const {
  const std::shared_ptr<Values> values = Values::make(type_, groups.size());
  auto* texts = values->mutable_data<std::string_view>();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    texts[i] = texts_[groups[i]];
    if (is_null(groups[i])) {
      values->set_null(i);
    }
  }
  for (const std::shared_ptr<StringArena>& arena : arenas_) {
    values->add_owner(arena);
  }
  return Vector::flat(values);
}

Vector GroupKeys::gather(std::span<const std::uint32_t> groups) const {
  if (text_) {
    return gather_texts(groups);
  }
  VectorBuilder builder(type_);
  builder.reserve(groups.size());
  for (const std::uint32_t group : groups) {
    if (is_null(group) || physical_of(type_) == Physical::kNone) {
      builder.append_null();
      continue;
    }
    switch (physical_of(type_)) {
      case Physical::kByte:
        builder.append_bool(words_[group] != 0);
        break;
      case Physical::kInt64:
        builder.append_integer(static_cast<std::int64_t>(words_[group]));
        break;
      case Physical::kDouble:
        builder.append_real(std::bit_cast<double>(words_[group]));
        break;
      case Physical::kView:
      case Physical::kNone:
        break;
    }
  }
  return builder.finish();
}

std::size_t GroupKeys::size_bytes() const {
  return arenas_[0]->size_bytes() + shared_text_bytes_ + words_.capacity() * sizeof(std::uint64_t) +
         texts_.capacity() * sizeof(std::string_view) + nulls_.capacity();
}

}  // namespace evq
