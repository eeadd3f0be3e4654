#pragma once
// TimeZone: a zone of the tz database ("Europe/Berlin") read from the system's compiled files
// (TZif, RFC 8536): the listed transitions, and the rule in the footer after the last of them.
// Immutable once loaded; may be shared between threads.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"

namespace evq {

// One change of a yearly rule: the weekday-th `day` of week `week` of a month (week 5 is the last),
// or a day of the year.
struct ZoneRuleDate {
  enum class Kind : std::uint8_t { kMonthWeekDay, kJulian, kDayOfYear };
  Kind kind = Kind::kMonthWeekDay;
  int month = 1;
  int week = 1;
  int day = 0;
  std::int64_t second = 7200;  // of that day, local time
};

class TimeZone {
 public:
  // kUsage for names that no zone can have, kNotFound when the system has no such zone, kCorrupt
  // when its file is none; others when the file cannot be read, which may go by.
  static Result<TimeZone> load(std::string_view name);
  // kCorrupt when `bytes` are no TZif file.
  static Result<TimeZone> parse(std::string_view bytes);
  // The zone with a constant offset, in seconds east of UTC.
  static TimeZone fixed(std::int64_t offset);
  // The machine's: what the environment's TZ says in any form of tzset(3) (a name, the path of a
  // file, a rule such as "CET-1CEST,M3.5.0,M10.5.0/3", nothing for UTC), else the file that the
  // system's administrator chose, else UTC. kUsage for a TZ that is none of these.
  static Result<TimeZone> local();
  // The names of the system's zones, sorted; kNotFound when the system has no list.
  static Result<std::vector<std::string>> names();

  // Seconds east of UTC at an instant.
  std::int64_t offset_at(std::int64_t utc_seconds) const;
  // Converts a local time: one that exists twice gives the earlier instant, and one that does not
  // exist is converted with the offset after the gap.
  std::optional<std::int64_t> utc_from_local(std::int64_t local_ns) const;
  std::optional<std::int64_t> local_from_utc(std::int64_t utc_ns) const;

 private:
  struct Rule {
    std::int64_t standard = 0;
    std::int64_t summer = 0;
    bool has_summer = false;
    ZoneRuleDate begin;
    ZoneRuleDate end;
  };
  static std::optional<Rule> parse_rule(std::string_view text);
  static Result<TimeZone> of_environment(std::string_view text);
  std::int64_t rule_offset_at(std::int64_t utc_seconds) const;

  std::vector<std::int64_t> transitions_;  // UTC seconds, ascending
  std::vector<std::int64_t> offsets_;      // after each transition
  std::int64_t first_offset_ = 0;
  std::optional<Rule> rule_;
};

// Whether `text` is one of the words for UTC that users write: "UTC", "utc", "Z".
bool is_utc_word(std::string_view text);
// The zone that a user names: a word for UTC, "local", a name of the tz database, or an offset such
// as "+02:00". kUsage for other texts.
Result<std::shared_ptr<const TimeZone>> named_time_zone(std::string_view text);

// The zone of a name with an area in it ("Europe/Berlin", "America/New_York"), for texts that name
// the same few zones over and over: each thread keeps those that it met last, loaded once. Null:
// the system has none of that name.
std::shared_ptr<const TimeZone> find_time_zone(std::string_view name);

}  // namespace evq
