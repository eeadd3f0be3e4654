#pragma once
// The text form of every value, as tostring(), strcat(), search and implicit conversions give it:
// null is empty, reals as Go's FormatFloat prints them (1, 0.1, 1e+21), datetimes RFC 3339 with
// nanoseconds, timespans as Go durations (1m20s), arrays and bags as compact JSON.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/column/dynamic.h"
#include "store/column/vector.h"

namespace evq {

void append_text_form(DynamicView value, std::string* out);
// Appends the value at `slot`, of any type; nothing for null.
void append_text_form(const Values& values, std::size_t slot, std::string* out);
// Reads the bool that a text spells: 1 t T TRUE true True, or 0 f F FALSE false False.
std::optional<bool> bool_of_text(std::string_view text);
// Reads the number that a text spells, or the nanoseconds of a span; blanks around it do not count.
// An integer is a sign and digits; a real may be in the hexadecimal form of Go and C as well,
// 0x1.8p-2, whose exponent may not be left out.
std::optional<std::int64_t> long_of_text(std::string_view text);
std::optional<double> real_of_text(std::string_view text);
std::optional<std::int64_t> timespan_of_text(std::string_view text);
// Reads the instant that a text spells, in nanoseconds, by parse_liberal_datetime, which reads any
// number as Unix time. Here the digits before the point must tell the unit: 10 are seconds, 13
// milliseconds, 16 microseconds, 19 nanoseconds; other numbers are no times.
std::optional<std::int64_t> datetime_of_text(std::string_view text);
// Converts every row to text; null rows stay null, and so do dynamic nulls and texts above
// kStringValueBytesMax. Strings are passed through.
Vector text_forms(const Vector& vector);

}  // namespace evq
