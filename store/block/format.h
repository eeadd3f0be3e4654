#pragma once
// The block format: what the bytes of a sealed block are, and BlockHeader, its header in memory.
//
// A block is up to kBlockRowsMax rows of a table in ascending `_time` order (rows of equal time
// keep their order of arrival). On disk it is one header, and for every column one segment and
// possibly one filter, all separate byte strings that the store keeps where it likes. Every number
// is little endian; "varint" and "zigzag" are those of store/base/bytes.h, "string" is a varint
// size and bytes.
//
// Header
//   u32     kBlockMagic
//   u8      kBlockFormatVersion
//   varint  rows, 1 to kBlockRowsMax
//   i64     least `_time`, i64 greatest, i64 least `_sysTime`, i64 greatest
//   varint  columns, then per column:
//     string  name
//     u8      type (store/column/type.h)
//     u8      encoding: the first byte of the segment (store/encoding/encoding.h)
//     u8      flags: kColumn… below
//     varint  nulls, varint distinct values (nulls not counted)
//     bounds  when kColumnHasBounds: least, then greatest: i64 for bool, long, datetime, timespan;
//             f64 for real; string for string
//     varint  raw bytes: the values as text or machine words, before any encoding, and at most
//             kBlockBytesMax, which values that repeat may be beyond
//     varint  segment bytes, u64 checksum of the segment
//     varint  filter bytes, 0 when there is none; otherwise u64 checksum of the filter
//   u64     checksum of everything above (store/base/checksum.h)
//
// Segments are specified in store/encoding/encoding.h, filters in store/encoding/token_filter.h.
// A field absent from the header is null in every row. Numbers, once given, are never reused.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"
#include "store/column/type.h"
#include "store/column/value.h"

namespace evq {

inline constexpr std::uint32_t kBlockMagic = 0x4B515645;  // "EVQK" as bytes
inline constexpr std::uint8_t kBlockFormatVersion = 1;

// The columns every block has: the event's time, and when the store took it in.
inline constexpr std::string_view kTimeField = "_time";
inline constexpr std::string_view kSysTimeField = "_sysTime";

// Flags of a column.
inline constexpr std::uint8_t kColumnHasBounds = 1;      // least and greatest value follow
inline constexpr std::uint8_t kColumnDistinctExact = 2;  // the distinct count is no estimate
inline constexpr std::uint8_t kColumnLeastExact = 4;     // the least value occurs as it is stored
inline constexpr std::uint8_t kColumnGreatestExact = 8;  // the same of the greatest
inline constexpr std::uint8_t kColumnHasNan = 16;        // reals: some value is NaN
inline constexpr std::uint8_t kColumnIsDictionary = 32;  // decodes to a dictionary vector

// Longer string bounds are cut to this size, the greatest one raised so that it stays a bound.
inline constexpr std::size_t kBoundBytesMax = 32;

struct ColumnHeader {
  std::string name;
  Type type = Type::kNull;
  std::uint8_t encoding = 0;
  std::uint8_t flags = 0;
  std::uint32_t nulls = 0;
  std::uint32_t distinct = 0;  // of non-null values; exact only with kColumnDistinctExact
  // Bounds of all non-null, non-NaN values, of the column's type: no value is below `least` or
  // above `greatest`. Null values when there are none, and for dynamic columns.
  Value least;
  Value greatest;
  std::uint64_t raw_bytes = 0;
  std::uint64_t segment_bytes = 0;
  std::uint64_t segment_checksum = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t filter_checksum = 0;

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
};

struct BlockHeader {
  std::uint32_t rows = 0;
  std::int64_t min_time = 0;
  std::int64_t max_time = 0;
  std::int64_t min_sys_time = 0;
  std::int64_t max_sys_time = 0;
  std::vector<ColumnHeader> columns;
  std::vector<std::uint32_t> by_name;  // index_names()'s: positions in the order of the names

  // The position of the column called `name`.
  std::optional<std::size_t> find(std::string_view name) const;
  // Makes find() fast where there are many columns; no column may be added afterwards.
  void index_names();
  // The bytes of all segments and filters together.
  std::uint64_t stored_bytes() const;
};

// An estimate of the bytes that a column takes in memory when it is decoded whole.
std::size_t estimate_decoded_bytes(const BlockHeader& header, std::size_t column);

std::string encode_header(const BlockHeader& header);
// Accepts any bytes: what encode_header cannot have written is kCorrupt.
Result<BlockHeader> decode_header(std::string_view bytes);

}  // namespace evq
