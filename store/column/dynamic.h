#pragma once
// Dynamic values (arrays, bags and the scalars inside them) as compact tagged bytes, read in place.
//
// Encoding, little endian; the tags are on disk and never reused:
//   00 null | 01 false | 02 true
//   03 long: 8 bytes | 04 real: 8 bytes | 06 datetime: 8 bytes ns | 07 timespan: 8 bytes ns
//   05 string: u32 size, bytes
//   08 array: u32 body size, u32 count, then the elements
//   09 bag: u32 body size, u32 count, then per entry u32 key size, key bytes, value
// A body size counts the bytes after the count.
// Bags keep the order of insertion and hold each key once: a repeated key overwrites (last wins).
// DynamicView trusts its bytes: whatever comes from disk or the network passes
// validate_dynamic first. Views do not own; they follow the buffer they were made from.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/column/type.h"
#include "store/column/value.h"

namespace evq {

enum class DynamicTag : std::uint8_t {
  kNull = 0,
  kFalse = 1,
  kTrue = 2,
  kLong = 3,
  kReal = 4,
  kString = 5,
  kDatetime = 6,
  kTimespan = 7,
  kArray = 8,
  kBag = 9,
};

// True when `bytes` is exactly one well-formed value, nested at most `kDynamicDepthMax` deep (a
// scalar is 0 deep). Text is not checked to be UTF-8, nor keys to differ: neither breaks a reader.
bool validate_dynamic(std::string_view bytes);

class DynamicView {
 public:
  DynamicView() : bytes_(std::string_view("\0", 1)) {}
  explicit DynamicView(std::string_view bytes) : bytes_(bytes) {}

  std::string_view bytes() const { return bytes_; }
  // No bytes at all, as in a null slot of a vector, read as null.
  DynamicTag tag() const {
    return bytes_.empty() ? DynamicTag::kNull
                          : static_cast<DynamicTag>(static_cast<unsigned char>(bytes_[0]));
  }
  bool is_null() const { return tag() == DynamicTag::kNull; }
  bool is_array() const { return tag() == DynamicTag::kArray; }
  bool is_bag() const { return tag() == DynamicTag::kBag; }
  bool is_string() const { return tag() == DynamicTag::kString; }
  bool is_number() const { return tag() == DynamicTag::kLong || tag() == DynamicTag::kReal; }
  bool is_bool() const { return tag() == DynamicTag::kFalse || tag() == DynamicTag::kTrue; }
  // The APL type of a scalar; kDynamic for arrays and bags, kNull for null.
  Type type() const;

  bool as_bool() const { return tag() == DynamicTag::kTrue; }
  std::int64_t as_integer() const;     // long, datetime, timespan
  double as_real() const;              // real, or a long widened
  std::string_view as_string() const;  // string only

  // Elements of an array, entries of a bag; 0 for scalars.
  std::size_t size() const;
  // Negative indexes count from the end. Out of range or not an array: a null view.
  DynamicView at(std::int64_t index) const;
  // The value under `key`; nothing when absent or not a bag.
  std::optional<DynamicView> find(std::string_view key) const;

  class Iterator;

 private:
  std::string_view bytes_;
};

// Walks elements or entries in order; over a scalar, ends at once.
class DynamicView::Iterator {
 public:
  explicit Iterator(DynamicView container);
  bool next();                                   // must be true before key() and value()
  std::string_view key() const { return key_; }  // empty in arrays
  DynamicView value() const { return value_; }

 private:
  std::string_view rest_;
  std::size_t left_ = 0;
  bool bag_ = false;
  std::string_view key_;
  DynamicView value_;
};

// Appends one value to a string of bytes, containers by begin/end pairs.
class DynamicBuilder {
 public:
  void add_null();
  void add_bool(bool value);
  void add_long(std::int64_t value);
  void add_real(double value);
  void add_string(std::string_view value);
  void add_datetime(std::int64_t nanoseconds);
  void add_timespan(std::int64_t nanoseconds);
  void add_value(const Value& value);
  void add_encoded(DynamicView value);

  void begin_array() { begin(DynamicTag::kArray); }
  void end_array() { end(DynamicTag::kArray); }
  void begin_bag() { begin(DynamicTag::kBag); }
  // Before each value of a bag. A repeated key replaces the value and keeps the first place.
  void key(std::string_view name);
  void end_bag() { end(DynamicTag::kBag); }

  std::size_t depth() const { return open_.size(); }
  // The size of the bytes built so far; repeated keys count until their bag ends.
  std::size_t size() const { return size_; }
  // The bytes built so far, until the next change; all containers must be closed.
  std::string_view bytes() const;
  std::string take();
  // Forgets everything and keeps the memory.
  void clear();

  // A place to return to when a value turns out bad half-way: everything added or begun since is
  // forgotten. Containers open at the mark must still be open.
  struct Mark {
    std::size_t size = 0;
    std::size_t depth = 0;
    std::uint32_t count = 0;
  };
  Mark mark() const;
  void return_to(const Mark& mark);

 private:
  struct Open {
    std::size_t start;    // of the tag
    std::uint32_t count;  // elements or entries so far
    bool bag;
    bool duplicate_keys_possible;
    std::uint64_t seen;  // a bit for each key's hash
  };
  void begin(DynamicTag tag);
  void end(DynamicTag tag);
  void count_element();
  // Room for `size` more bytes, which the caller writes.
  char* extend(std::size_t size);
  void grow(std::size_t size);
  void add_tag(DynamicTag tag);
  void append_text(std::string_view text);
  void add_fixed(DynamicTag tag, std::uint64_t bits);
  void drop_duplicate_keys(std::size_t start, std::uint32_t* count);

  std::string buffer_;  // the bytes, then room to grow into
  std::size_t size_ = 0;
  std::vector<Open> open_;
};

// The size of the first value in `bytes` (trusted).
std::size_t dynamic_size(std::string_view bytes);

// A total order over all dynamic values: null, bools, numbers and timespans (by value: 1 and 1.0
// are equal, and so are -0.0 and 0.0; a timespan counts nanoseconds and comes just behind the
// number of as many; NaN last), datetimes, strings by bytes, arrays (element-wise, a prefix first),
// bags (by entries in order of keys: the order in which a bag was built does not count). Nothing on
// disk follows it.
int compare_dynamic(DynamicView a, DynamicView b);
// A hash that is equal for values that compare as 0; for hash tables, not for disk.
std::uint64_t hash_dynamic(DynamicView value, std::uint64_t seed);

// The canonical form gives all values that compare as equal the same bytes: bags in the order of
// their keys, reals without a fraction as longs where they fit, one NaN.
bool is_canonical_dynamic(DynamicView value);
std::string canonical_dynamic(DynamicView value);

// Compare exactly, without rounding the long; NaN is above every number and equal to itself.
int compare_reals(double a, double b);
int compare_long_with_real(std::int64_t a, double b);

// A scalar view as a Value of its own type; arrays and bags as a dynamic Value; null as a bare
// null.
Value value_from_dynamic(DynamicView view);
std::string dynamic_from_value(const Value& value);

}  // namespace evq
