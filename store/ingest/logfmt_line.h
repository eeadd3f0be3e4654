#pragma once
// logfmt, as many programs write their logs: a line an event, `level=info msg="two words" took=5`.
// true, false and JSON numbers without quotes are values of these types, everything else is text; a
// key with nothing behind its `=` is absent. Between two pairs stands a blank, or a comma and a
// blank; the priority that syslog puts before a line is passed over. A line that is anything else,
// such as one of a stack trace, becomes what a line of plain text does (text_line.h). Pure
// functions; nothing here fails.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/base/time_parse.h"
#include "store/ingest/event_assembler.h"

namespace evq {

// Whether a line holds pairs, as many as `pairs_min`, and nothing besides.
bool is_logfmt_line(std::string_view line, std::size_t pairs_min);

// The first value of the keys time, ts, timestamp, t, @timestamp and datetime that tells an
// instant, or the one of an audit daemon's msg=audit(1714557600.123:456); else what date=2024-05-01
// and time=13:46:53 tell together, with the offset in tz="-0700" if there is one.
std::optional<std::int64_t> logfmt_time(std::string_view line,
                                        DateOrder order = DateOrder::kMonthFirst);
// The first value of these keys, or of date, that begins with a date of numbers whose order others
// may tell (take_date_numbers in time_shapes.h); empty: there is none.
std::string_view logfmt_date(std::string_view line);

// Puts the line, which has no line end, into `event`, which has begun and whose time the caller
// sets. `line` must outlive the event.
void read_logfmt_line(std::string_view line, EventAssembler& event);

// Appends the same event as a JSON object with this time, for programs that forward it.
void append_logfmt_as_json(std::string* out, std::string_view line,
                           std::optional<std::int64_t> time);

}  // namespace evq
