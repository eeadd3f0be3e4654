#pragma once
// The null section of a segment: which rows are null.
//
//   u8 kind, then
//     0 no row is null
//     1 bitmap       varint nulls, byte string of (rows + 7) / 8 bytes, 1 = valid, first row lowest
//     2 null rows    varint nulls, stream of longs: gaps between them (the first counts from row 0)
//     3 valid rows   varint nulls, the same of the others
//     4 every row is null

#include <cstddef>
#include <cstdint>
#include <vector>

#include "store/base/bytes.h"
#include "store/base/result.h"
#include "store/encoding/encoding.h"

namespace evq {

struct NullSection {
  std::size_t rows = 0;
  std::size_t nulls = 0;
  // One bit a row, 1 = valid, bits past the last row 0; empty when no row or every row is null.
  std::vector<std::uint64_t> valid;
};

// Counts the bits of `validity` (which may have any bits behind the last row).
NullSection make_null_section(const std::uint64_t* validity, std::size_t rows);
void write_null_section(const NullSection& section, const EncodeOptions& options, ByteWriter& out);
Result<NullSection> read_null_section(ByteReader& in, std::size_t rows);

}  // namespace evq
