#pragma once
// The types of CSV cells besides text. CSV has no types, so a whole column decides, by its values
// in the input's beginning (sniff_csv_columns in csv_record.h); of a W3C log, those of each batch:
//   bool  every value is true or false (also True/False, TRUE/FALSE),
//   long  every value is an integer within int64, without leading zeros, plus sign or -0,
//   real  every value is such an integer or a decimal number: with a fraction (.5 and +0.5, too),
//         an exponent with a sign, or both, of which all digits count for a double, or all but the
//         last of the fraction; and no integer changes its value as a double,
//   text  otherwise: 007, +1, 5., NaN, 1e5, 0x1f, 12345678901234567890 and 12345678901234567.89
//         stay what they are.
// Quotes around a cell make no difference; empty cells are absent and decide nothing.
// What comes later changes no decision: in a column of numbers a number of either kind is one and
// anything else is text by itself, as it is in a column of bools; in a column of text all is text.
// Where the beginning had no value, each is what it is by itself.

#include <cstdint>
#include <optional>
#include <string_view>

#include "store/column/vector.h"
#include "store/ingest/cell.h"

namespace evq {

// Bits of a column's `classes`.
inline constexpr std::uint8_t kRawIsBool = 1;
inline constexpr std::uint8_t kRawIsLong = 2;
inline constexpr std::uint8_t kRawIsReal = 4;
inline constexpr std::uint8_t kRawIsText = 8;
inline constexpr std::uint8_t kRawIsWideLong = 16;  // a long that no real is

// The integer that `text` is, when that is its class; it is also the only text of that integer.
std::optional<std::int64_t> read_csv_long(std::string_view text);

// The bit (kRaw…) of the narrowest class of `text`.
std::uint8_t classify_csv_value(std::string_view text);

// The type of a column whose values have these classes, one at least: kBool, kLong, kReal, kString.
Type type_of_csv_classes(std::uint8_t classes);

// The type that was decided for a column of CSV.
enum class CsvColumn : std::uint8_t { kUnknown, kBool, kLong, kReal, kText };

// The type of a column whose values have these classes; kUnknown without any.
CsvColumn csv_column_of(std::uint8_t classes);

// Reads a value of such a column; a text refers to `text` itself.
Cell read_csv_value(CsvColumn column, std::string_view text);

// Whether that value is text in a column that is not.
inline bool is_odd_csv_value(CsvColumn column, const Cell& value) {
  return value.kind == CellKind::kText && column != CsvColumn::kText &&
         column != CsvColumn::kUnknown;
}

// A string vector whose values' classes decide on `type`, as a vector of that type.
Vector retype_csv_values(const Vector& text, Type type);

}  // namespace evq
