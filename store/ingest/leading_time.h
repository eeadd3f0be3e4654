#pragma once
// The times that log lines begin with, in whatever of the usual notations. Pure functions; nothing
// here fails.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "store/base/time_parse.h"

namespace evq {

// The instant a log line says it is from:
//   at its start, in brackets or not, any text of at most six words that parse_logged_datetime
//     reads and that has a time of day: "2015-10-18 18:01:47,978 INFO …",
//     "[Sun Dec 04 04:47:44 2005]", "2024-05-01 10:20:30 CEST …";
//     a zone or an offset counts whatever stands behind it, as in "… 10:20:30 -0500|INFO";
//   syslog: "Dec 10 06:55:46 host …", "<34>Oct 11 22:14:15 …", "<34>1 2003-10-11T22:14:15.003Z …";
//     a time without a year is the latest one not more than a day after `from_ns`, and the name
//     of a zone counts there with a colon behind it, for else the word is the host;
//   klog: "I1010 13:55:36.123456 …", the year told in the same way;
//   Unix time: "1066036250.603 …", "[1066036250] …", "- 1066036250 …";
//   "081109 203615 …", and "17/06/09 20:10:40 …", in brackets or not, where 17 is the year unless
//     that is yet to come;
//   a date and a time of day that can be nothing else, behind a few words (time_behind_words.h):
//     "INFO 2024-05-01 10:20:30,123 …", "web-1 | 2024-05-01T10:20:30Z …", "I, [2024-05-01T10:20:30
//     #1]", "03-17 16:13:38.811 …", which is without a year;
//   the one of an audit daemon: "type=LOGIN msg=audit(1714557600.123:456): …";
//   rarer notations of single programs (program_times.h);
//   what brackets hold further on in the line: "… [10/Oct/2000:13:55:36 -0700]".
// Colours of a terminal are passed over. `order` is that of dates which read in several ways. A
// word behind the time that is no zone read_named_zone (zone_text.h) knows says nothing: the time
// is UTC.
std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t from_ns,
                                         DateOrder order = DateOrder::kMonthFirst);

// The order of the date that a text begins with, in brackets or not, where it reads in one way
// only: "13/05/2024 …", "05-13-2024 …".
std::optional<DateOrder> told_date_order(std::string_view text);

// The Unix time in a line that begins as those of Linux's audit daemon do; empty: it is none.
std::string_view audit_time_text(std::string_view line);

// Counts the runs of bytes between blanks.
std::size_t count_words(std::string_view text);

// Reads a text that is all an instant: in a usual notation with a time of day, or as Unix time of
// ten digits or more.
std::optional<std::int64_t> whole_time(std::string_view text,
                                       DateOrder order = DateOrder::kMonthFirst);

}  // namespace evq
