#pragma once
// RowSum: the checksum every row of evq's tables carries, because SQLite's pages carry none. It
// covers the table's name, a seed that names the file, and each value with its kind, so that a
// flipped bit, a row of another table or a row of another file is an error and never an answer.
// The coding of the values is part of the format on disk and never changes.

#include <cstdint>
#include <string_view>

#include "store/base/bytes.h"

namespace evq {

class RowSum {
 public:
  RowSum(std::uint64_t seed, std::string_view table);

  RowSum& add(std::int64_t value);
  RowSum& add(std::uint64_t value) { return add(static_cast<std::int64_t>(value)); }
  RowSum& add_text(std::string_view value);
  RowSum& add_null();
  // The sum as SQLite stores it: 64 bits read as a signed integer.
  std::int64_t value() const;

 private:
  std::uint64_t seed_;
  ByteWriter bytes_;
};

}  // namespace evq
