#pragma once
// Times, durations, sizes and forms as people write them on the command line and at the prompt.
// Texts in, values out; what cannot be read is nothing, or an error with a hint. Any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apl/service/display_zone.h"
#include "store/base/result.h"

namespace evq {

// Reads --since as a time: "1h" is now-1h; whole times stay. "today", "yesterday" and "tomorrow"
// are where that day begins in the zone.
std::string since_time(const std::string& text, const DisplayZone& zone);
// Reads --start-time and --end-time as a time: such days as well; four digits are a year, which
// begins then.
std::string bound_time(const std::string& text, const DisplayZone& zone);
// Sets the range that --start-time, --since and --end-time give a query or a delete; no bound where
// none was given.
template <class Command, class Request>
void set_times(const Command& command, const DisplayZone& zone, Request* request) {
  if (!command.start_time.empty()) {
    request->start_time = bound_time(command.start_time, zone);
  }
  if (!command.since.empty()) {
    request->start_time = since_time(command.since, zone);
  }
  if (!command.end_time.empty()) {
    request->end_time = bound_time(command.end_time, zone);
  }
}
// Checks what these read, which is meant as `kind`: "a time", "a duration". kUsage with what to
// write, which is `hint` where nothing better is known.
Status check_time(const std::string& text, std::string_view kind, std::string hint);
// Whether a duration is a small number without a unit: 5 of what?
bool lacks_unit(std::string_view text);
// The same of what bound_time() reads, where it is no year, no date, and not 0: as a Unix time it
// would be of 1970.
bool is_hardly_a_time(std::string_view text);
// The error that says so, and what to write.
Error unit_error(std::string_view text);

// Reads "30", "0.5", "30s", "5m" as seconds, a millisecond or more; nullopt for anything else.
std::optional<double> parse_seconds(std::string_view text);

// Finds the name of a form or format that `word` means: what other programs call so ("jsonl" is
// ndjson), else the nearest; empty when none is near.
std::string_view meant_form(std::string_view word, std::span<const std::string_view> names);

// Reads "512M", "2G", "1024" as bytes.
Result<std::size_t> parse_size(const std::string& text);

}  // namespace evq
