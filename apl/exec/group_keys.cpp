#include "apl/exec/group_keys.h"

#include <bit>
#include <cmath>
#include <limits>

#include "store/base/checksum.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::uint64_t kNullWord = 0x6E756C6C6E756C6CULL;

std::uint64_t canonical_bits(double value) {
  if (std::isnan(value)) {
    return std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());
  }
  return value == 0 ? 0 : std::bit_cast<std::uint64_t>(value);
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

std::uint64_t GroupKeys::hash(const Values& values, std::size_t slot, std::uint64_t seed) const {
  if (values.is_null(slot)) {
    return hash64(kNullWord, ~seed);
  }
  return text_ ? hash64(values.data<std::string_view>()[slot], seed)
               : hash64(word_of(values, slot), seed);
}

bool GroupKeys::equals(std::size_t group, const Values& values, std::size_t slot) const {
  const bool null = values.is_null(slot);
  if (null || is_null(group)) {
    return null && is_null(group);
  }
  return text_ ? texts_[group] == values.data<std::string_view>()[slot]
               : words_[group] == word_of(values, slot);
}

bool GroupKeys::equals(std::size_t group, const GroupKeys& other, std::size_t other_group) const {
  if (is_null(group) || other.is_null(other_group)) {
    return is_null(group) && other.is_null(other_group);
  }
  return text_ ? texts_[group] == other.texts_[other_group]
               : words_[group] == other.words_[other_group];
}

bool GroupKeys::equals_shared(std::size_t group, const Values& values, std::size_t slot,
                              std::string_view* known) {
  std::string_view& held = texts_[group];
  if (known->data() != nullptr && held.data() == known->data() && held.size() == known->size()) {
    return true;
  }
  if (!equals(group, values, slot)) {
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

void GroupKeys::append(const Values& values, std::size_t slot) {
  const bool null = values.is_null(slot);
  if (text_) {
    texts_.push_back(null ? std::string_view()
                          : arenas_[0]->copy(values.data<std::string_view>()[slot]));
  } else {
    words_.push_back(null ? 0 : word_of(values, slot));
  }
  note_null(null);
}

void GroupKeys::append_shared(const Values& values, std::size_t slot, std::string_view* known) {
  if (known->data() == nullptr) {
    append(values, slot);
    *known = texts_.back();
  } else {
    texts_.push_back(*known);
    note_null(false);
  }
}

void GroupKeys::append(const GroupKeys& other, std::size_t other_group) {
  if (text_) {
    texts_.push_back(other.texts_[other_group]);
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
  std::size_t arena_bytes = 0;
  for (const std::shared_ptr<StringArena>& arena : arenas_) {
    arena_bytes += arena->size_bytes();
  }
  return arena_bytes + words_.capacity() * sizeof(std::uint64_t) +
         texts_.capacity() * sizeof(std::string_view) + nulls_.capacity();
}

}  // namespace evq
