#pragma once
// ColumnBuilder: one column of a batch while it grows; it adapts to what it meets.
//   text     a dictionary while values repeat, else one run of text
//   numbers  64-bit slots; longs and reals meet as reals when every long is exact as a double
//   mixed    tagged dynamic bytes, each value as it came
//   CSV text the narrowest of bool, long, real that reads every value without loss, else text;
//            longs are read as they come, since their text can be made again, others at the end
// Rows without a value cost nothing until the next value, or take(), fills them with nulls.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "store/base/text_hash.h"
#include "store/base/text_head.h"
#include "store/column/row_order.h"
#include "store/column/vector.h"
#include "store/ingest/cell.h"
#include "store/ingest/text_buffer.h"

namespace evq {

class ColumnBuilder {
 public:
  // `integers`: what its integers stand for, kLong or kTimespan.
  explicit ColumnBuilder(std::uint64_t seed, Type integers = Type::kLong)
      : seed_(seed), integers_(integers) {}

  // Rows come in ascending order, each at most once.
  void append(std::size_t row, const Cell& cell);

  // Queues a cell for append() in settle(). Appending a column's values in a row costs far less
  // than one value of each column in turn, because its table stays in the fast caches and look-ups
  // do not wait for each other. Texts must live until settle().
  void defer(std::size_t row, const Cell& cell) {
    // In place: a copy by way of the stack would be read before it is written out.
    queue_.emplace_back(static_cast<std::uint32_t>(row), cell);
  }
  void settle();

  // Whether no value came since the last clear(), the queue included.
  bool empty() const { return state_ == State::kEmpty && queue_.empty(); }

  // The memory held, values or not, and what it may become with a few more values.
  std::size_t memory_bytes() const;
  std::size_t soon_bytes() const;

  // The type that take() will give. Needs a settled column that is not empty().
  Type type() const;
  // All `rows` rows as a vector, in `order`. Call it once, before clear(), and not when empty().
  // The vector owns its texts, or is lent them until clear(), so that their memory is used again.
  enum class Texts : std::uint8_t { kGiven, kLent };
  Vector take(std::size_t rows, Texts texts = Texts::kGiven, const RowOrder& order = {});
  // Drops the settled values and keeps the memory.
  void clear();
  // Drops the settled values and frees the memory; keeps what it learned about the column.
  void release();

 private:
  enum class State : std::uint8_t {
    kEmpty,
    kBool,
    kLong,
    kRawLong,  // CSV text, all of it longs so far, in the slots of longs
    kReal,
    kDictionary,
    kPlain,
    kTagged,
  };
  // A dictionary entry. A text that is no longer than its head is compared without a look at its
  // bytes.
  struct Entry {
    TextHead head;
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  // The key by which a text is looked up.
  struct TextKey {
    TextHead head;
    std::uint64_t hash = 0;
  };
  struct Slot {
    std::uint32_t tag = 0;   // high bits of the hash
    std::uint32_t code = 0;  // code + 1; 0 is a free slot
  };
  struct Deferred {
    Deferred(std::uint32_t row_of_cell, const Cell& value) : row(row_of_cell), cell(value) {}

    std::uint32_t row;
    Cell cell;
  };

  void start(const Cell& cell);
  void append_otherwise(std::size_t row, const Cell& cell);
  void append_dictionary(std::string_view text, bool raw);
  // The code + 1 of the entry that is this text; 0 when there is none.
  std::uint32_t find_entry(std::string_view text, const TextHead& head, std::uint64_t hash) const {
    const std::uint32_t tag = static_cast<std::uint32_t>(hash >> 32);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.code == 0 || (slot.tag == tag && is_entry(entries_[slot.code - 1], text, head))) {
        return slot.code;
      }
    }
  }
  bool is_entry(const Entry& entry, std::string_view text, const TextHead& head) const {
    constexpr std::size_t kHead = TextHead::kBytes;
    return entry.head == head && entry.size == text.size() &&
           (text.size() <= kHead || equal_text(text_of(entry).substr(kHead), text.substr(kHead)));
  }
  bool take_entry(std::string_view text, const TextHead& head, std::uint64_t hash, bool raw);
  std::size_t settle_dictionary(std::size_t begin, CellKind kind);
  std::size_t settle_raw_longs(std::size_t begin);
  template <class T>
  std::size_t settle_numbers(std::size_t begin, std::vector<T>& slots);
  std::size_t settle_texts(std::size_t begin, CellKind kind);
  std::size_t end_of(CellKind kind, std::size_t begin) const;
  void mark_valid(std::size_t begin, std::size_t end);
  void need_null_code();
  bool dictionary_pays() const;
  void append_plain(std::string_view text);
  void append_tagged(const Cell& cell);
  void add_entry(std::string_view text, const TextHead& head, std::uint64_t hash);
  std::string_view text_of(const Entry& entry) const {
    return {text_.data() + entry.offset, entry.size};
  }
  void grow_slots();
  void pad_to(std::size_t row);
  template <class BytesOf>
  std::size_t sum_parts(const BytesOf& bytes_of) const;
  void note_value();
  void make_raw_text();
  void make_plain();
  bool make_real();
  void make_tagged();
  Cell cell_at(std::size_t row) const;
  bool valid_at(std::size_t row) const;

  // The begin of the text, which `values` own from now on unless it is lent.
  const char* take_text(Texts texts, Values* values);
  Vector take_dictionary(Texts texts, const RowOrder& order);
  Vector take_flat_text(Type type, Texts texts, const RowOrder& order);
  Vector take_numbers(const RowOrder& order);

  std::vector<Deferred> queue_;  // beside the state: defer() touches nothing else
  std::uint64_t seed_;
  Type integers_;
  State state_ = State::kEmpty;
  bool tries_dictionary_ = true;    // false where the last batch showed that it does not pay
  bool tries_raw_longs_ = true;     // false where the last batch's CSV text was not all longs
  std::uint8_t batches_plain_ = 0;  // since the dictionary was given up
  std::uint8_t raw_classes_ = 0;    // what CSV text could be, a bit a class
  std::size_t rows_ = 0;            // slots filled
  std::size_t repeats_ = 0;         // values that were in the dictionary already
  std::size_t slots_known_ = 0;     // the last dictionary's, or half when that would have done
  std::size_t words_known_ = 0;     // of a bitmap of the last batch

  std::vector<std::uint64_t> validity_;  // empty until the first null; not for dictionaries
  std::vector<std::uint64_t> was_long_;  // of kReal: which rows came as longs; empty: none

  std::vector<std::uint8_t> bools_;
  std::vector<std::int64_t> longs_;
  std::vector<double> reals_;
  TextBuffer text_;                  // of dictionary entries, or of all rows one after the other
  std::vector<std::uint32_t> ends_;  // of kPlain and kTagged: where each row's text ends
  std::vector<Code> codes_;
  std::vector<TextKey> keys_;  // of the texts in the queue; memory kept between calls
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::uint32_t null_code_ = 0;  // code + 1 of the null entry; 0: none yet
};

}  // namespace evq
