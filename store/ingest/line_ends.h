#pragma once
// Line ends of an input, as far as they tell its format: LF, CR LF or CR alone. Pure functions;
// nothing here fails.

#include <cstdint>
#include <string_view>

namespace evq {

enum class RecordEnd : std::uint8_t { kNotYet, kLineFeed, kLoneCr };
// Tells what ends the first record of CSV: a line feed outside of quotes, or a CR there behind
// which the text seems to go on. An answer other than kNotYet stays the same when the text grows.
RecordEnd end_of_first_record(std::string_view text);

// Whether a whole text ends its lines with CR alone: it has several CRs and no line feed.
bool ends_lines_with_cr(std::string_view text);

// Whether more than blanks stand behind the first line feed.
bool has_second_line(std::string_view text);

}  // namespace evq
