#pragma once
// Times, durations, sizes and forms as people write them on the command line and at the prompt.
// Texts in, values out; what cannot be read is nothing, or an error with a hint. Any thread.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

// Reads --since as a time: "1h" is now-1h; whole times stay.
std::string since_time(const std::string& text);
// Reads --start-time and --end-time as a time: four digits are a year, which begins then.
std::string bound_time(const std::string& text);
// Sets the range that --start-time, --since and --end-time give a query or a delete; no bound where
// none was given.
template <class Command, class Request>
void set_times(const Command& command, Request* request) {
  if (!command.start_time.empty()) {
    request->start_time = bound_time(command.start_time);
  }
  if (!command.since.empty()) {
    request->start_time = since_time(command.since);
  }
  if (!command.end_time.empty()) {
    request->end_time = bound_time(command.end_time);
  }
}
// Whether a duration is a small number without a unit: 5 of what?
bool lacks_unit(std::string_view text);

// Reads "30", "0.5", "30s", "5m" as seconds, a millisecond or more; nullopt for anything else.
std::optional<double> parse_seconds(std::string_view text);

// Finds the name of a form or format that `word` means: what other programs call so ("jsonl" is
// ndjson), else the nearest; empty when none is near.
std::string_view meant_form(std::string_view word, std::span<const std::string_view> names);

// Reads "512M", "2G", "1024" as bytes.
Result<std::size_t> parse_size(const std::string& text);

}  // namespace evq
