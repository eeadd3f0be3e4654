#pragma once
// Where the lines of an input end, as far as that tells what it is. Pure functions; nothing here
// fails.

#include <cstdint>
#include <string_view>

namespace evq {

enum class RecordEnd : std::uint8_t { kNotYet, kLineFeed, kLoneCr };
// What ends the first record of CSV: a line feed outside of quotes, or a CR there behind which it
// seems to go on. However much of the text there is, the answer is the same once there is one.
RecordEnd end_of_first_record(std::string_view text);

// Whether a whole text has no line feed, and CRs where other texts have them.
bool ends_lines_with_cr(std::string_view text);

// Whether more than blanks stand behind the first line feed.
bool has_second_line(std::string_view text);

}  // namespace evq
