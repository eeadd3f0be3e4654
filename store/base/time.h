#pragma once
// Instants and calendar arithmetic. An instant is an int64 of nanoseconds since the Unix epoch,
// UTC, no leap seconds: 1677-09-21T00:12:43.145224192Z to 2262-04-11T23:47:16.854775807Z. Text
// outside of that range does not parse, arithmetic that leaves it gives nothing. The calendar is
// the proleptic Gregorian one. Reading text into instants is in time_parse.h, spans of time in
// timespan.h, layouts in go_layout.h. All functions are pure; none allocates unless it returns a
// string.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace evq {

inline constexpr std::int64_t kMicrosecondNs = 1000;
inline constexpr std::int64_t kMillisecondNs = 1000 * kMicrosecondNs;
inline constexpr std::int64_t kSecondNs = 1000 * kMillisecondNs;
inline constexpr std::int64_t kMinuteNs = 60 * kSecondNs;
inline constexpr std::int64_t kHourNs = 60 * kMinuteNs;
inline constexpr std::int64_t kDayNs = 24 * kHourNs;
inline constexpr std::int64_t kWeekNs = 7 * kDayNs;
inline constexpr std::int64_t kTickNs = 100;
inline constexpr std::int64_t kInstantMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kInstantMax = std::numeric_limits<std::int64_t>::max();

// A point in the UTC calendar.
struct Civil {
  int year = 1970;
  int month = 1;  // 1..12
  int day = 1;    // 1..31
  int hour = 0;
  int minute = 0;
  int second = 0;
  int nanosecond = 0;
  friend bool operator==(const Civil&, const Civil&) = default;
};

bool is_leap_year(std::int64_t year);
int days_in_month(std::int64_t year, int month);
// Days since 1970-01-01; any year whose days fit, month 1..12, any day number.
std::int64_t days_from_civil(std::int64_t year, int month, int day);
Civil civil_from_ns(std::int64_t ns);
// The instant of a civil time in a zone `offset_seconds` east of UTC. Nothing when a field (second
// 60 included) or the instant is out of range.
std::optional<std::int64_t> ns_from_civil(const Civil& civil, int offset_seconds = 0);
// The instant `seconds` and `nanosecond` (0..999999999) after the epoch. Nothing out of range.
std::optional<std::int64_t> ns_from_seconds(std::int64_t seconds, int nanosecond);

// RFC 3339 with up to nine digits of fraction, trailing zeros dropped: 2024-05-01T00:00:00.5Z.
inline constexpr std::size_t kInstantTextBytesMax = 30;
// Writes at most kInstantTextBytesMax bytes, returns the end; no terminating zero.
char* write_instant(std::int64_t ns, char* buffer);
void append_instant(std::string& out, std::int64_t ns);
std::string instant_text(std::int64_t ns);

// The greatest multiple of `size` that is not above `ns`: bins with the epoch as origin.
// Nothing when size <= 0 or when the multiple is below the range.
std::optional<std::int64_t> floor_to(std::int64_t ns, std::int64_t size);
// Like floor_to(), with bins that start at `origin`.
std::optional<std::int64_t> floor_to_from(std::int64_t ns, std::int64_t size, std::int64_t origin);

enum class CalendarUnit : std::uint8_t {
  kHour,
  kDay,
  kWeek,  // starts on Sunday
  kMonth,
  kQuarter,
  kYear,
};

// The first nanosecond of the unit that holds `ns`, moved by `offset` whole units.
std::optional<std::int64_t> start_of(CalendarUnit unit, std::int64_t ns, std::int64_t offset = 0);
// The last nanosecond of that unit.
std::optional<std::int64_t> end_of(CalendarUnit unit, std::int64_t ns, std::int64_t offset = 0);
// Adds calendar months (negative: earlier); the day is clipped to the month's length.
std::optional<std::int64_t> add_months(std::int64_t ns, std::int64_t months);

// 0 = Sunday … 6 = Saturday.
int day_of_week(std::int64_t ns);
// 1..366.
int day_of_year(std::int64_t ns);

struct IsoWeek {
  int year = 0;  // may differ from the calendar year around 1 January
  int week = 0;  // 1..53
};
IsoWeek iso_week(std::int64_t ns);

}  // namespace evq
