#pragma once
// Times as requests give them, where a text can mean none, or lie beyond what an event's time can
// be (years 1677 to 2262). Pure; any thread.

#include <cstdint>
#include <optional>
#include <string_view>

namespace evq {

// Whether a text is "" or Go's zero time, year 1, which its clients write for a time not given.
bool is_no_time(std::string_view text);

// Reads as parse_instant, but takes for instants beyond its range the nearest within it.
std::optional<std::int64_t> parse_given_time(std::string_view text);

}  // namespace evq
