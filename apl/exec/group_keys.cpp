#include "apl/exec/group_keys.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kWordBits = 64;
constexpr std::size_t kTextWords = 2;

std::uint64_t canonical_bits(double value) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return std::bit_cast<std::uint64_t>(value == value ? value + 0.0 : kNan);
}

std::string_view text_at(const std::uint64_t* words) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): put there by put_text()
  return {reinterpret_cast<const char*>(words[0]), static_cast<std::size_t>(words[1])};
}

void put_text(std::uint64_t* words, std::string_view text) {
  words[0] = reinterpret_cast<std::uintptr_t>(text.data());
  words[1] = text.size();
}

bool is_same_place(std::string_view a, std::string_view b) {
  return a.data() == b.data() && a.size() == b.size();
}

// Whether keys of the batch are likely to have the same texts.
bool shares_texts(const KeyBatch& batch, std::size_t column) {
  return !batch.columns.empty() && !batch.columns[column].entry_texts.empty();
}

// Whether it is not known yet where the table holds the text of key j.
bool is_entrys_own(const KeyBatch::Column& keys, std::size_t j) {
  const std::uint32_t slot = keys.slots[j];
  return keys.entry_texts[slot].data() == keys.values->data<std::string_view>()[slot].data();
}

// Most texts are short, and yet reach from one line of the cache into the next.
void prefetch_ends(std::string_view text) {
  if (!text.empty()) {
    __builtin_prefetch(&text.front());
    __builtin_prefetch(&text.back());
  }
}

// The texts of a dictionary's entries lie anywhere.
void prefetch_texts(const Values& values, std::span<const std::uint32_t> slots) {
  const auto* texts = values.data<std::string_view>();
  for (const std::uint32_t slot : slots) {
    __builtin_prefetch(texts + slot);
  }
  for (const std::uint32_t slot : slots) {
    prefetch_ends(texts[slot]);
  }
}

}  // namespace

bool is_sparse(std::span<const Vector> keys) {
  return keys.size() == 1 && keys[0].is_flat() && keys[0].values().has_nulls();
}

void split_sparse(const Vector& key, std::size_t begin, std::size_t end,
                  std::vector<std::uint32_t>* some, std::vector<std::uint32_t>* nulls) {
  for (auto row = static_cast<std::uint32_t>(begin); row < end; ++row) {
    (key.is_null(row) ? nulls : some)->push_back(row);
  }
}

GroupKeys::GroupKeys(const std::vector<Type>& types, KeyTexts texts)
    : plain_((types.size() + kWordBits - 1) / kWordBits) {
  for (const Type type : types) {
    const bool text = physical_of(type) == Physical::kView;
    columns_.push_back({type, text, plain_});
    plain_ += text ? 0 : 1;
  }
  stride_ = plain_;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    if (columns_[column].text) {
      texts_.push_back(column);
      columns_[column].place = stride_;
      stride_ += kTextWords;
    }
  }
  copies_texts_ = texts == KeyTexts::kCopied && !texts_.empty();
}

std::vector<Type> GroupKeys::types() const {
  std::vector<Type> types;
  for (const Column& column : columns_) {
    types.push_back(column.type);
  }
  return types;
}

// ---------------------------------------------------------------- batches

void GroupKeys::load(KeyBatch* batch) const {
  batch->loaded.assign(batch->size * stride_, 0);
  batch->rows = batch->loaded.data();
  batch->stride = stride_;
  batch->has_nulls = false;
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    load_column(column, batch);
    const KeyBatch::Column& keys = batch->columns[column];
    if (!keys.values->has_nulls()) {
      continue;
    }
    for (std::size_t j = 0; j < batch->size; ++j) {
      if (keys.values->is_null(keys.slots[j])) {
        std::uint64_t* row = batch->loaded.data() + j * stride_;
        std::fill_n(row + columns_[column].place, columns_[column].text ? kTextWords : 1, 0);
        row[column / kWordBits] |= std::uint64_t{1} << (column % kWordBits);
        batch->has_nulls = true;
      }
    }
  }
}

void GroupKeys::load_column(std::size_t column, KeyBatch* batch) const {
  const KeyBatch::Column& keys = batch->columns[column];
  const std::uint32_t* slots = keys.slots.data();
  std::uint64_t* to = batch->loaded.data() + columns_[column].place;
  const auto load = [&](const auto* data, const auto& put) {
    for (std::size_t j = 0; j < batch->size; ++j) {
      put(to + j * stride_, data[slots[j]]);
    }
  };
  switch (physical_of(keys.values->type())) {
    case Physical::kByte:
      load(keys.values->data<std::uint8_t>(),
           [](std::uint64_t* word, std::uint8_t value) { *word = value; });
      break;
    case Physical::kInt64:
      load(keys.values->data<std::int64_t>(), [](std::uint64_t* word, std::int64_t value) {
        *word = static_cast<std::uint64_t>(value);
      });
      break;
    case Physical::kDouble:
      load(keys.values->data<double>(),
           [](std::uint64_t* word, double value) { *word = canonical_bits(value); });
      break;
    case Physical::kView:
      load(keys.entry_texts.empty() ? keys.values->data<std::string_view>()
                                    : keys.entry_texts.data(),
           put_text);
      break;
    case Physical::kNone:
      break;
  }
}

void GroupKeys::hash_all(const KeyBatch& batch, std::uint64_t seed, std::uint64_t* hashes) const {
  std::fill_n(hashes, batch.size, seed);  // that of a key without columns
  for (std::size_t column = 0; column < columns_.size(); ++column) {
    const KeyBatch::Column& keys = batch.columns[column];
    const std::uint64_t* words = batch.rows + columns_[column].place;
    const auto mix = [&](const auto& own) {
      for (std::size_t j = 0; j < batch.size; ++j) {
        hashes[j] = hash64(own(j), hashes[j]);
      }
    };
    if (!columns_[column].text) {
      mix([&](std::size_t j) { return words[j * stride_]; });
    } else if (!keys.entry_hashes.empty()) {
      mix([&](std::size_t j) { return keys.entry_hashes[keys.slots[j]]; });
    } else {
      prefetch_texts(*keys.values, keys.slots);
      mix([&](std::size_t j) { return hash64(text_at(words + j * stride_), seed); });
    }
  }
  const std::size_t flag_words = (columns_.size() + kWordBits - 1) / kWordBits;
  for (std::size_t word = 0; batch.has_nulls && word < flag_words; ++word) {
    for (std::size_t j = 0; j < batch.size; ++j) {
      const std::uint64_t flags = batch.rows[j * stride_ + word];
      hashes[j] = flags == 0 ? hashes[j] : hash64(flags, hashes[j]);
    }
  }
}

// ---------------------------------------------------------------- groups

bool GroupKeys::same_texts(const std::uint64_t* a, const std::uint64_t* b) const {
  return std::ranges::all_of(texts_, [&](std::size_t column) {
    const std::size_t place = columns_[column].place;
    return text_at(a + place) == text_at(b + place);
  });
}

bool GroupKeys::holds_texts(std::size_t group, KeyBatch* batch, std::size_t j) {
  for (const std::size_t column : texts_) {
    std::uint64_t* held = rows_.data() + group * stride_ + columns_[column].place;
    const std::uint64_t* own = batch->rows + j * batch->stride + columns_[column].place;
    if (!shares_texts(*batch, column)) {
      if (text_at(held) != text_at(own)) {
        return false;
      }
      continue;
    }
    KeyBatch::Column& keys = batch->columns[column];
    std::string_view& text = keys.entry_texts[keys.slots[j]];
    if (is_same_place(text, text_at(held))) {
      continue;
    }
    if (text_at(held) != text_at(own)) {
      return false;
    }
    // From here on the groups of one text hold it in one place.
    if (is_entrys_own(keys, j)) {
      text = text_at(held);
    } else {
      put_text(held, text);
    }
  }
  return true;
}

// The last group's texts are still those of the batch.
void GroupKeys::own_last_texts(KeyBatch* batch, std::size_t j) {
  for (const std::size_t column : texts_) {
    std::uint64_t* held = rows_.data() + rows_.size() - stride_ + columns_[column].place;
    if (text_at(held).data() == nullptr) {  // null
      continue;
    }
    if (!shares_texts(*batch, column)) {
      put_text(held, arenas_[0]->copy(text_at(held)));
      continue;
    }
    KeyBatch::Column& keys = batch->columns[column];
    std::string_view& text = keys.entry_texts[keys.slots[j]];
    if (is_entrys_own(keys, j)) {
      text = arenas_[0]->copy(text);
    }
    put_text(held, text);
  }
}

void GroupKeys::append(const GroupKeys& other, std::size_t other_group) {
  const std::uint64_t* key = other.row(other_group);
  append(key);
  for (const std::size_t column : texts_) {
    shared_text_bytes_ += key[columns_[column].place + 1];
  }
}

void GroupKeys::share_texts(const GroupKeys& other) {
  arenas_.insert(arenas_.end(), other.arenas_.begin(), other.arenas_.end());
}

void GroupKeys::own_texts() {
  const auto arena = std::make_shared<StringArena>();
  for (std::size_t row = 0; row < rows_.size(); row += stride_) {
    for (const std::size_t column : texts_) {
      std::uint64_t* held = rows_.data() + row + columns_[column].place;
      if (text_at(held).data() != nullptr) {
        put_text(held, arena->copy(text_at(held)));
      }
    }
  }
  arenas_.assign(1, arena);
  shared_text_bytes_ = 0;
}

void GroupKeys::prefetch_key_texts(const KeyBatch& batch) const {
  for (std::size_t j = 0; !texts_.empty() && j < batch.size; ++j) {
    prefetch_ends(text_at(batch.rows + j * batch.stride + columns_[texts_[0]].place));
  }
}

void GroupKeys::prefetch_text(std::size_t group) const {
  if (!texts_.empty()) {
    prefetch_ends(text_at(row(group) + columns_[texts_[0]].place));
  }
}

Vector GroupKeys::gather(std::size_t column, std::span<const std::uint32_t> groups) const {
  const Column& of = columns_[column];
  const std::shared_ptr<Values> values = Values::make(of.type, groups.size());
  const auto fill = [&](auto* to, const auto& value) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      to[i] = value(row(groups[i]) + of.place);
    }
  };
  switch (physical_of(of.type)) {
    case Physical::kByte:
      fill(values->mutable_data<std::uint8_t>(),
           [](const std::uint64_t* word) { return static_cast<std::uint8_t>(*word); });
      break;
    case Physical::kInt64:
      fill(values->mutable_data<std::int64_t>(),
           [](const std::uint64_t* word) { return static_cast<std::int64_t>(*word); });
      break;
    case Physical::kDouble:
      fill(values->mutable_data<double>(),
           [](const std::uint64_t* word) { return std::bit_cast<double>(*word); });
      break;
    case Physical::kView:
      fill(values->mutable_data<std::string_view>(), text_at);
      for (const std::shared_ptr<StringArena>& arena : arenas_) {
        values->add_owner(arena);
      }
      break;
    case Physical::kNone:
      return Vector::constant(Value::null(of.type), groups.size());
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if ((row(groups[i])[column / kWordBits] >> (column % kWordBits) & 1) != 0) {
      values->set_null(i);
    }
  }
  return Vector::flat(values);
}

std::size_t GroupKeys::size_bytes() const {
  return arenas_[0]->size_bytes() + shared_text_bytes_ + rows_.size() * sizeof(std::uint64_t);
}

}  // namespace evq
