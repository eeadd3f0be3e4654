#pragma once
// Plain text logs: a line an event, the whole line as `message`, the time that it begins with, in
// whatever of the usual notations, as `_time`, and what log_fields.h finds in it as fields of their
// own. Pure functions; nothing here fails.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/ingest/event_assembler.h"

namespace evq {

// The field that holds the line.
inline constexpr std::string_view kTextLineField = "message";

// The instant a log line says it is from:
//   at its start, in brackets or not, any text of at most six words that parse_liberal_datetime
//     reads and that has a time of day: "2015-10-18 18:01:47,978 INFO …",
//     "[Sun Dec 04 04:47:44 2005]";
//   syslog: "Dec 10 06:55:46 host …", "<34>Oct 11 22:14:15 …", "<34>1 2003-10-11T22:14:15.003Z …";
//     a time without a year is the latest one not more than a day after `receipt_ns`;
//   klog: "I1010 13:55:36.123456 …", the year told in the same way;
//   Unix time: "1066036250.603 …";
//   an access log's "[10/Oct/2000:13:55:36 -0700]", further on in the line.
// Colours of a terminal are passed over.
std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t receipt_ns);

// The instant that a text is, and nothing else: in a usual notation with a time of day, or as Unix
// time of ten digits or more.
std::optional<std::int64_t> whole_time(std::string_view text);

// Puts the line, which has no line end, into `event`, which has begun and whose time the caller
// sets. `line` must outlive the event.
void read_text_line(std::string_view line, EventAssembler& event);

// The same event as a JSON object of this time, for those who send it on.
void append_text_as_json(std::string* out, std::string_view line, std::optional<std::int64_t> time);

}  // namespace evq
