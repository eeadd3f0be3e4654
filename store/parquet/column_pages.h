#pragma once
// The pages of one column of one row group of a Parquet file: a dictionary page where values
// repeat, then data pages (version 1), each compressed with zstd. Nulls are definition levels.
//
//   bool       BOOLEAN, PLAIN             long, datetime, timespan   INT64, PLAIN (nanoseconds)
//   real       DOUBLE, PLAIN              string, dynamic as JSON    BYTE_ARRAY, RLE_DICTIONARY
//                                                                    or PLAIN
//
// https://parquet.apache.org/docs/file-format/ is the specification. One thread.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

// Numbers that stand for types, encodings and pages in the format.
enum class ParquetType : std::int32_t { kBoolean = 0, kInt64 = 2, kDouble = 5, kByteArray = 6 };
enum class ParquetEncoding : std::int32_t { kPlain = 0, kRle = 3, kRleDictionary = 8 };
enum class ParquetPage : std::int32_t { kData = 0, kDictionary = 2 };
inline constexpr std::int32_t kParquetZstd = 6;

ParquetType parquet_type(Type type);

struct ColumnPages {
  std::string bytes;                         // page headers and bodies, one after the other
  std::uint64_t values = 0;                  // nulls included
  std::uint64_t uncompressed_bytes = 0;      // headers included
  std::optional<std::uint64_t> data_offset;  // in `bytes`, when a dictionary page comes first
  std::uint64_t nulls = 0;
  // Bounds of the values of INT64 columns; nothing when all are null.
  std::optional<std::int64_t> least;
  std::optional<std::int64_t> greatest;
};

// Encodes a column from its parts, in order, which are all of its type.
Result<ColumnPages> encode_column_pages(Type type, std::span<const Vector* const> parts);

}  // namespace evq
