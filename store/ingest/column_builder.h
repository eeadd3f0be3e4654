#pragma once
// ColumnBuilder: one column of a batch while it grows; it adapts to what it meets.
//   text     a dictionary while values repeat, else one run of text
//   numbers  64-bit slots; longs and reals meet as reals when every long is exact as a double
//   mixed    tagged dynamic bytes, each value as it came
//   CSV text the narrowest of bool, long, real that reads every value without loss, else text
// Rows without a value cost nothing until the next value, or take(), fills them with nulls.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "store/column/vector.h"
#include "store/ingest/cell.h"

namespace evq {

// A growing run of bytes that can be handed over without a copy.
class TextBuffer {
 public:
  TextBuffer() = default;
  ~TextBuffer();
  TextBuffer(TextBuffer&& other) noexcept;
  TextBuffer& operator=(TextBuffer&& other) noexcept;
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void append(std::string_view text);
  const char* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  void clear() { size_ = 0; }
  // Gives the memory away; the buffer is empty afterwards.
  std::shared_ptr<const void> release();

 private:
  void grow(std::size_t size_min);

  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

class ColumnBuilder {
 public:
  explicit ColumnBuilder(std::uint64_t seed) : seed_(seed) {}

  // Rows come in ascending order, each at most once.
  void append(std::size_t row, const Cell& cell);

  // No value since the last take().
  bool empty() const { return state_ == State::kEmpty; }
  // Bytes a row costs in the present state, text aside.
  std::size_t row_bytes() const;
  std::size_t text_bytes() const { return text_.size(); }

  // All `rows` rows as a vector; not when empty().
  Vector take(std::size_t rows);

 private:
  enum class State : std::uint8_t { kEmpty, kBool, kLong, kReal, kDictionary, kPlain, kTagged };
  struct Entry {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  struct Slot {
    std::uint32_t tag = 0;   // high bits of the hash
    std::uint32_t code = 0;  // code + 1; 0 is a free slot
  };

  void start(const Cell& cell);
  void append_otherwise(std::size_t row, const Cell& cell);
  void append_dictionary(std::string_view text, bool raw);
  void append_plain(std::string_view text);
  void append_tagged(const Cell& cell);
  void add_entry(std::string_view text, std::uint64_t hash);
  void grow_slots();
  void pad_to(std::size_t row);
  void note_value();
  void make_plain();
  bool make_real();
  void make_tagged();
  Cell cell_at(std::size_t row) const;
  bool valid_at(std::size_t row) const;

  Vector take_dictionary();
  Vector take_flat_text(Type type);
  Vector take_numbers();
  void reset();

  std::uint64_t seed_;
  State state_ = State::kEmpty;
  bool tries_dictionary_ = true;    // false where the last batch showed that it does not pay
  std::uint8_t batches_plain_ = 0;  // since the dictionary was given up
  std::uint8_t raw_classes_ = 0;    // what CSV text could be, a bit a class
  std::size_t rows_ = 0;            // slots filled
  std::size_t repeats_ = 0;         // values that were in the dictionary already

  std::vector<std::uint64_t> validity_;  // empty until the first null; not for dictionaries
  std::vector<std::uint64_t> was_long_;  // of kReal: which rows came as longs; empty: none

  std::vector<std::uint8_t> bools_;
  std::vector<std::int64_t> longs_;
  std::vector<double> reals_;
  TextBuffer text_;                  // of dictionary entries, or of all rows one after the other
  std::vector<std::uint32_t> ends_;  // of kPlain and kTagged: where each row's text ends
  std::vector<Code> codes_;
  std::vector<Entry> entries_;
  std::vector<Slot> slots_;
  std::uint32_t null_code_ = 0;  // code + 1 of the null entry; 0: none yet
};

}  // namespace evq
