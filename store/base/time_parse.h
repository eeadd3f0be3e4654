#pragma once
// Text to instants, from strict to liberal. Each reader takes the whole text or fails: nothing is
// left over, nothing is guessed beyond what is said here. Behind a date, second 60 is read as
// 59.999999999. All return nothing on failure and for instants outside of int64 nanoseconds (years
// 1677 to 2262). All functions are pure.

#include <cstdint>
#include <optional>
#include <string_view>

namespace evq {

// ISO 8601 and RFC 3339: "2024-05", "2024-05-01", "2024-05-01T10", "2024-05-01T10:20", "2024-05-01
// 10:20:30,5+0200"; `T`, `t` or a blank; a fraction of any length (digits past nanoseconds are
// dropped) after a dot or comma; 24:00 for the end of the day; `Z`, `+02:00`, `+0200`, `+02` (a
// blank may stand before the sign), or none for UTC; also the day of a year, 2024-122, and of a
// week, 2024-W18-3, the basic form 20240501T102030Z, and each half of it with the other one.
std::optional<std::int64_t> parse_instant(std::string_view text);

// Reads times that machines write, blanks around allowed: parse_instant with "[Zone]" behind it,
// event_time_from_real, "02/Jan/2006:15:04:05 -0700" and "/Date(1714558830123)/".
std::optional<std::int64_t> parse_machine_time(std::string_view text);

// An event's time as ingest detects it: parse_machine_time or parse_unmistakable_datetime. Blanks
// around the text are allowed.
std::optional<std::int64_t> parse_event_time(std::string_view text);

// A date and a time of day that read in one way only, for the year comes first or the month has its
// name: "2006/01/02 15:04", "20060102-15:04:05:000", "Mon, 02 Jan 2006 15:04:05 GMT", "Jan 2
// 15:04:05 2006", "2 Jan 2006 3:04 PM", and ISO 8601 with the name of a zone behind it,
// "20060102T150405 CET".
std::optional<std::int64_t> parse_unmistakable_datetime(std::string_view text);

// Unix time whose unit is told by its size: |v| below 1e11 is seconds, below 1e14 milliseconds,
// below 1e17 microseconds, else nanoseconds. So milliseconds start in 1973, and seconds reach past
// the last instant.
std::optional<std::int64_t> event_time_from_integer(std::int64_t value);
// Like event_time_from_integer, for a number with a fraction. It means the shortest decimal text of
// the double: 1714557600.123 is exactly 123 ms past the second.
std::optional<std::int64_t> event_time_from_real(double value);

// What todatetime() reads: everything parse_event_time does, and RFC 822/850/1123, ANSI C, Unix
// date, "02/17/2016 08:40:01" (of two numbers before the year the first is always the month),
// "May 8, 2009 5:57:51 PM", "8 May 2009", "2009-05-08 5:57 PM", "20240501", "20240501102030",
// "2024/05/01", "2024:05:01", "2024.05", "2024年05月01日", "240501 10:20:30", "05:01:2024 4:8:9",
// the zones of read_named_zone (zone_text.h), any other with its offset behind it, what Go prints
// behind a time. A fraction that a colon separates, of one to three digits, is in milliseconds.
// Digits alone: 4 are a year, 8 a date, 14 date and time, others epoch.
std::optional<std::int64_t> parse_liberal_datetime(std::string_view text);

// The number that comes first in a date such as "05/04/2024" or "05-04-2024", when both of its
// first numbers may be a month. kYearFirst is only for dates of two digits each, "24/04/05", in a
// log that has the year first.
enum class DateOrder : std::uint8_t { kMonthFirst, kDayFirst, kYearFirst };

// Like parse_liberal_datetime, for logs: reads such dates in the order given, and those with dots,
// "05.04.2024", with the day first; where only one of the numbers may be a month, it is the month.
std::optional<std::int64_t> parse_logged_datetime(std::string_view text, DateOrder order);

// A datetime literal of a query: parse_liberal_datetime, or a time of day alone ("10:20", which
// means that time on the day of `now_ns`).
std::optional<std::int64_t> parse_datetime_literal(std::string_view text, std::int64_t now_ns);

// A time on the command line or in a request: ISO/RFC 3339, "now", "now-6h", "now+1h", "-7d",
// "1w2d12h" (that long ago), or a Unix time. Units ns us ms s m h d w.
std::optional<std::int64_t> parse_relative_time(std::string_view text, std::int64_t now_ns);

}  // namespace evq
