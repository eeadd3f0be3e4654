#pragma once
// GroupKeys: the keys of a GroupTable, by group number. Each is a row of words: flags of null, then
// the columns that are numbers, times and bools, then place and length of the texts and dynamics;
// so a look-up waits for one place in memory, whatever the number of columns. -0.0 is kept as 0.0
// and every NaN as one. One worker's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/checksum.h"
#include "store/base/large_pages.h"
#include "store/column/vector.h"

namespace evq {

// A batch of keys that are looked up side by side.
struct KeyBatch {
  struct Column {
    const Values* values = nullptr;
    std::vector<std::uint32_t> slots;  // by key: its slot among the values
    // For text dictionaries whose entries are likely to repeat, by entry; else empty. A text points
    // to the table's own copy once that was found, until then to the entry's.
    std::vector<std::uint64_t> entry_hashes;
    std::vector<std::string_view> entry_texts;
  };
  std::vector<Column> columns;  // none when the keys were loaded before
  std::size_t size = 0;
  // The keys as rows of words, as GroupKeys keeps them: key j begins at rows + j * stride.
  const std::uint64_t* rows = nullptr;
  std::size_t stride = 0;
  std::vector<std::uint64_t> loaded;  // memory of the rows, where the batch has columns
  bool has_nulls = false;
};

// Whether the key is a single flat column with nulls, whose null rows need no look-up each.
bool is_sparse(std::span<const Vector> keys);
// Appends the rows of [begin, end) with a value to `some`, the others to `nulls`, ascending.
void split_sparse(const Vector& key, std::size_t begin, std::size_t end,
                  std::vector<std::uint32_t>* some, std::vector<std::uint32_t>* nulls);

// Whether a table copies the texts of its keys, or they stay in the columns that they came in,
// which whoever made the table keeps as long as it.
enum class KeyTexts : std::uint8_t { kCopied, kStay };

class GroupKeys {
 public:
  explicit GroupKeys(const std::vector<Type>& types, KeyTexts texts = KeyTexts::kCopied);

  std::size_t columns() const { return columns_.size(); }
  // The size of a key, without the bytes of its texts.
  std::size_t row_words() const { return stride_; }
  std::size_t row_bytes() const { return stride_ * sizeof(std::uint64_t); }
  std::vector<Type> types() const;
  bool is_text(std::size_t column) const { return columns_[column].text; }
  // Fills the batch's rows from its slots.
  void load(KeyBatch* batch) const;
  // Hashes each loaded key of the batch.
  void hash_all(const KeyBatch& batch, std::uint64_t seed, std::uint64_t* hashes) const;

  // Hashes a key that is a single number, given as a row of two words.
  static std::uint64_t hash_number(const std::uint64_t* row, std::uint64_t seed) {
    const std::uint64_t hash = hash64(row[1], seed);
    return row[0] == 0 ? hash : hash64(row[0], hash);
  }

  // Whether a group has key j.
  bool equals(std::size_t group, const KeyBatch& batch, std::size_t j) const {
    const std::uint64_t* key = batch.rows + j * batch.stride;
    return same_words(row(group), key, plain_) && (texts_.empty() || same_texts(row(group), key));
  }
  // As equals(), for texts that many keys of a batch share: group and batch come to point to one
  // copy of an equal text, so that later comparisons need not read its bytes.
  bool holds(std::size_t group, KeyBatch* batch, std::size_t j) {
    const std::uint64_t* key = batch->rows + j * batch->stride;
    if (same_words(row(group), key, stride_)) {
      return true;
    }
    return !texts_.empty() && same_words(row(group), key, plain_) && holds_texts(group, batch, j);
  }
  bool equals(std::size_t group, const GroupKeys& other, std::size_t other_group) const {
    return same_words(row(group), other.row(other_group), plain_) &&
           (texts_.empty() || same_texts(row(group), other.row(other_group)));
  }
  void reserve(std::size_t groups) { rows_.reserve(groups * stride_); }
  // Appends the key of the next group; a row alone is enough where keys have no texts.
  void append(const std::uint64_t* key) {
    for (std::size_t i = 0; i < stride_; ++i) {  // few: insert() would take longer
      rows_.push_back(key[i]);
    }
  }
  void append(KeyBatch* batch, std::size_t j) {
    append(batch->rows + j * batch->stride);
    if (copies_texts_) {
      own_last_texts(batch, j);
    }
  }
  // Appends a key of `other`, whose texts stay where they are: share_texts(other) must come before.
  void append(const GroupKeys& other, std::size_t other_group);
  void share_texts(const GroupKeys& other);
  // Copies all texts into memory of this object's own and lets go of shared memory.
  void own_texts();

  // Prefetch the memory that equals() will read: the row, then its first text.
  void prefetch_row(std::size_t group) const { __builtin_prefetch(row(group)); }
  void prefetch_text(std::size_t group) const;
  // Prefetches the first text of keys that were loaded a while ago.
  void prefetch_key_texts(const KeyBatch& batch) const;

  // Returns a key column for `groups`, in that order. Texts are shared with the vector.
  Vector gather(std::size_t column, std::span<const std::uint32_t> groups) const;
  std::size_t size_bytes() const;
  // The words of a group's key.
  const std::uint64_t* row(std::size_t group) const { return rows_.data() + group * stride_; }

 private:
  struct Column {
    Type type;
    bool text;
    std::size_t place;  // index of its first word in a row
  };

  static bool same_words(const std::uint64_t* a, const std::uint64_t* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {  // few: a call of memcmp() would take longer
      if (a[i] != b[i]) {
        return false;
      }
    }
    return true;
  }
  bool same_texts(const std::uint64_t* a, const std::uint64_t* b) const;
  bool holds_texts(std::size_t group, KeyBatch* batch, std::size_t j);
  void own_last_texts(KeyBatch* batch, std::size_t j);
  void load_column(std::size_t column, KeyBatch* batch) const;

  std::vector<Column> columns_;
  std::vector<std::size_t> texts_;  // numbers of the text columns
  bool copies_texts_ = false;       // and there are some
  std::size_t plain_ = 0;           // words before the texts
  std::size_t stride_ = 0;          // words of a row
  LargeVector<std::uint64_t> rows_;
  // The first is this object's own; texts in the others are counted one by one.
  std::vector<std::shared_ptr<StringArena>> arenas_{std::make_shared<StringArena>()};
  std::size_t shared_text_bytes_ = 0;
};

}  // namespace evq
