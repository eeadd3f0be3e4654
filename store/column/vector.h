#pragma once
// Vector: one column of a chunk. It has one of three shapes:
//   flat        one slot a row,
//   constant    one slot for all rows,
//   dictionary  a code a row into a flat vector of distinct-ish entries.
// In a dictionary, nullness lives in the entries alone (a null row's code names a null entry), so
// codes say everything about a row; entries may repeat after a function mapped them (`tolower`).
// Buffers are shared and immutable once a Vector holds them: copying a Vector copies pointers.
// A dynamic null is a null slot: valid slots of a dynamic vector never hold the null tag.
// Values is the flat payload; it is mutable only between Values::make and the first sharing.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "store/base/check.h"
#include "store/column/type.h"
#include "store/column/value.h"

namespace evq {

// Owns the bytes behind string views; grows by appending, never moves what it handed out.
class StringArena {
 public:
  // A copy of `text` that lives as long as the arena.
  std::string_view copy(std::string_view text);
  // Writable room for `size` bytes, for callers that build a string in place.
  char* allocate(std::size_t size);
  // Bytes of memory held, unused room included.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> slabs_;  // the last one is being filled
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
  std::size_t size_bytes_ = 0;
};

// Keeps memory that string views point into alive; `size_bytes` is its size, whoever else keeps it.
struct TextOwner {
  std::shared_ptr<const void> memory;
  std::size_t size_bytes = 0;
};

class Values {
 public:
  // `size` uninitialised slots of `type`, all valid, aligned to 64 bytes and with 64 readable
  // bytes after the last one.
  static std::shared_ptr<Values> make(Type type, std::size_t size);
  // One slot holding `value`; a null Value gives a null slot of the value's type.
  static std::shared_ptr<Values> make_constant(const Value& value);

  Type type() const { return type_; }
  std::size_t size() const { return size_; }

  // T is the physical type: std::uint8_t, std::int64_t, double or std::string_view.
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(slots_.get());
  }
  template <class T>
  T* mutable_data() {
    return reinterpret_cast<T*>(slots_.get());
  }

  bool has_nulls() const { return !validity_.empty() || type_ == Type::kNull; }
  bool is_null(std::size_t i) const {
    return type_ == Type::kNull ||
           (!validity_.empty() && ((validity_[i >> 6] >> (i & 63)) & 1) == 0);
  }
  // One bit a slot, 1 = valid; null pointer when every slot is valid (and the type not kNull).
  const std::uint64_t* validity() const { return validity_.empty() ? nullptr : validity_.data(); }
  // Marks a slot null; the slot's value becomes zero or empty.
  void set_null(std::size_t i);
  // Takes over a whole bitmap of (size + 63) / 64 words.
  void set_validity(std::vector<std::uint64_t> validity) { validity_ = std::move(validity); }

  // Keeps the memory behind string views alive as long as these values.
  void add_owner(TextOwner owner) { owners_.push_back(std::move(owner)); }
  // Keeps an arena alive, counted with the size that it has now.
  void add_owner(std::shared_ptr<const StringArena> arena);
  // Keeps the memory behind the views of `other` alive, for views that may point there, too.
  void add_owners_of(const Values& other);
  const std::vector<TextOwner>& owners() const { return owners_; }
  // The bytes behind string views, those that no view shows included.
  std::size_t owned_bytes() const;

  // When the rows' strings lie in row order in one run of memory (nulls empty), that run: lets a
  // search scan the whole column at once. Rows may have separators between them.
  std::string_view contiguous_text() const { return contiguous_; }
  void set_contiguous_text(std::string_view text) { contiguous_ = text; }

  // Whether the values are known to be distinct, nulls aside: a dictionary's entries need not be
  // compared again then.
  bool are_distinct() const { return distinct_; }
  void set_distinct() { distinct_ = true; }

  // Bytes of the slots and bitmap, without string bytes.
  std::size_t size_bytes() const;

 private:
  Values(Type type, std::size_t size);

  struct Free {
    void operator()(std::byte* p) const;
  };

  Type type_;
  std::size_t size_;
  std::unique_ptr<std::byte, Free> slots_;
  std::vector<std::uint64_t> validity_;
  std::vector<TextOwner> owners_;
  std::string_view contiguous_;
  bool distinct_ = false;
};

// Dictionary codes; a chunk has at most 65,536 rows, so 16 bits name any entry.
using Code = std::uint16_t;

// `size` uninitialised codes with 64 readable bytes after the last one.
std::shared_ptr<Code[]> make_codes(std::size_t size);

class Vector {
 public:
  enum class Shape : std::uint8_t { kFlat, kConstant, kDictionary };

  Vector() = default;  // no rows, type null
  static Vector flat(std::shared_ptr<const Values> values);
  static Vector constant(std::shared_ptr<const Values> value, std::size_t size);
  static Vector constant(const Value& value, std::size_t size);
  // `codes` holds `size` codes below entries->size().
  static Vector dictionary(std::shared_ptr<const Values> entries,
                           std::shared_ptr<const Code[]> codes, std::size_t size);

  Type type() const { return values_ ? values_->type() : Type::kNull; }
  Shape shape() const { return shape_; }
  std::size_t size() const { return size_; }
  bool is_flat() const { return shape_ == Shape::kFlat; }
  bool is_constant() const { return shape_ == Shape::kConstant; }
  bool is_dictionary() const { return shape_ == Shape::kDictionary; }

  // The payload: the rows when flat, the one value when constant, the entries when dictionary.
  const Values& values() const { return *values_; }
  const std::shared_ptr<const Values>& shared_values() const { return values_; }
  const Code* codes() const { return codes_.get(); }
  const std::shared_ptr<const Code[]>& shared_codes() const { return codes_; }

  // The slot of values() that holds row `i`.
  std::size_t slot(std::size_t i) const {
    return shape_ == Shape::kFlat ? i : shape_ == Shape::kConstant ? 0 : codes_.get()[i];
  }
  bool is_null(std::size_t i) const { return values_->is_null(slot(i)); }
  bool may_have_nulls() const { return size_ != 0 && values_->has_nulls(); }
  template <class T>
  T at(std::size_t i) const {
    return values_->data<T>()[slot(i)];
  }
  Value value(std::size_t i) const;

  // The same rows in flat shape.
  Vector flatten() const;
  // Rows `rows` in that order; dictionaries and constants keep their shape.
  Vector gather(std::span<const std::uint32_t> rows) const;
  Vector slice(std::size_t begin, std::size_t count) const;
  // A vector of the same shape and codes over other values, which must be as many.
  Vector with_values(std::shared_ptr<const Values> values) const;
  // Every row converted to `target` by the implicit conversions: long to real, scalar to dynamic,
  // null to anything; other pairs are a broken invariant.
  Vector widen(Type target) const;

  // The same rows in hardly more memory than they need: copies texts when they are few of a whole
  // column's, and drops a dictionary's unused entries when they are many. For whoever keeps some
  // rows and lets go of the rest.
  Vector detached() const;

  // Bytes held, shared buffers counted in full; string bytes estimated by their lengths, which is
  // much too little for some of a column's rows that are not detached.
  std::size_t size_bytes() const;

 private:
  Shape shape_ = Shape::kFlat;
  std::size_t size_ = 0;
  std::shared_ptr<const Values> values_;
  std::shared_ptr<const Code[]> codes_;
};

// Copies strings one after the other into memory of their own, as a decoded column has them.
std::shared_ptr<const Values> copy_texts(const Values& from);

// All rows of `parts`, which have one type, one after the other, in flat shape.
Vector concatenate(std::span<const Vector> parts);

// A row of one of several parts.
struct RowPlace {
  std::uint32_t part = 0;
  std::uint32_t row = 0;
};
// The rows at `places`, in that order. All parts, one at least, have one type. Dictionaries and
// constants become one dictionary when that has no more entries than rows, else flat.
Vector interleave(std::span<const Vector> parts, std::span<const RowPlace> places);

}  // namespace evq
