#pragma once
// GroupKeys: one key column of the groups of a GroupTable, by group number. Numbers, times and
// bools are kept as words, texts and dynamics as bytes; -0.0 is kept as 0.0 and every NaN as one.
// One worker's.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/large_pages.h"
#include "store/column/vector.h"

namespace evq {

// The keys of one column that are looked up side by side.
struct KeyColumn {
  const Values* values = nullptr;
  std::vector<std::uint32_t> slots;  // of each key
  std::vector<std::uint64_t> words;  // each key as GroupKeys keeps it, unless the column is a text
  // By entry, where each entry is likely to come several times; else empty.
  std::vector<std::uint64_t> entry_hashes;
  std::vector<std::string_view> entry_texts;
};

struct KeyBatch {
  std::vector<KeyColumn> columns;
  std::size_t size = 0;
};

class GroupKeys {
 public:
  explicit GroupKeys(Type type) : type_(type), text_(physical_of(type) == Physical::kView) {}

  static std::uint64_t null_hash(std::uint64_t seed);
  // The hash of the value at `slot`, which has the column's type.
  std::uint64_t hash(const Values& values, std::size_t slot, std::uint64_t seed) const;
  // Fills keys->words from its slots.
  void load_words(KeyColumn* keys) const;
  // The hash of each key whose words are loaded.
  void hash_all(const KeyColumn& keys, std::uint64_t seed, std::uint64_t* hashes) const;
  // Whether a group has key j.
  bool equals(std::size_t group, const KeyColumn& keys, std::size_t j) const;
  bool equals(std::size_t group, const GroupKeys& other, std::size_t other_group) const;
  // As equals(), for texts that many keys of a batch share: an entry's text is noted where this
  // table holds it, once that was found out, and then groups that hold it there need no look at its
  // bytes.
  bool equals_shared(std::size_t group, KeyColumn& keys, std::size_t j);
  // The key of the next group.
  void append(const KeyColumn& keys, std::size_t j);
  void append_shared(KeyColumn& keys, std::size_t j);
  // After share_texts(other): its texts stay where they are and live on with this.
  void append(const GroupKeys& other, std::size_t other_group);
  void share_texts(const GroupKeys& other);
  // Ask for the memory that equals() will read: first the one, then, for texts, the other.
  void prefetch_key(std::size_t group) const;
  void prefetch_text(std::size_t group) const;
  bool is_text() const { return text_; }

  // The keys of `groups`, in that order. Texts are shared with the vector.
  Vector gather(std::span<const std::uint32_t> groups) const;
  std::size_t size_bytes() const;

 private:
  bool is_null(std::size_t group) const { return !nulls_.empty() && nulls_[group] != 0; }
  void note_null(bool null);
  Vector gather_texts(std::span<const std::uint32_t> groups) const;

  Type type_;
  bool text_;
  LargeVector<std::uint64_t> words_;     // when the column is no text
  LargeVector<std::string_view> texts_;  // when it is
  std::vector<std::uint8_t> nulls_;      // a flag a group; empty until the first null
  std::size_t size_ = 0;
  // The first is this column's own; texts in the others are counted one by one.
  std::vector<std::shared_ptr<StringArena>> arenas_{std::make_shared<StringArena>()};
  std::size_t shared_text_bytes_ = 0;
};

}  // namespace evq
