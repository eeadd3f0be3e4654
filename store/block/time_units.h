#pragma once
// Columns that repeat `_time`: a field that events were dated by stays a field of its own, such as
// a `time_us`. Where it is `_time` in a coarser unit in every row of a block, only the unit is
// stored.
//
//   segment  u8 EncodingId::kTimeUnits, null section (no nulls), varint nanoseconds a unit: 1,
//            1,000, 1,000,000 or 1,000,000,000; a value is `_time` divided by it
//
// Longs, datetimes and timespans, never `_time` itself. Pure functions.

#include <optional>
#include <string>
#include <string_view>

#include "store/base/result.h"
#include "store/column/vector.h"

namespace evq {

// Encodes `values` when they are `times` (`_time` of the same rows) in one of the units. Nothing
// otherwise, and for a single row, which is a constant.
std::optional<std::string> encode_time_units(const Vector& values, const Vector& times);

bool is_time_units(std::string_view segment);
// Decodes the values, of type `type`, of the rows that have `times`, in a block of `rows` rows. Any
// bytes are accepted; kCorrupt for what encode_time_units() cannot have written.
Result<Vector> decode_time_units(std::string_view segment, Type type, std::size_t rows,
                                 const Vector& times);

}  // namespace evq
