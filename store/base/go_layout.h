#pragma once
// GoLayout: a time layout written as Go's reference time ("2/Jan/2006:15:04:05 -0700"), compiled
// once and then matched against many texts. Everything in the layout that is not an element of the
// reference time is literal text; so " +0000" is literal and " -0700" is a zone.
// Immutable after compile: may be shared between threads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/result.h"

namespace evq {

class GoLayout {
 public:
  enum class Element : std::uint8_t {
    kLiteral,
    kYear4,             // 2006
    kYear2,             // 06
    kMonthNumber,       // 1
    kMonthNumber2,      // 01
    kMonthShort,        // Jan
    kMonthLong,         // January
    kDay,               // 2
    kDayBlank,          // _2
    kDay2,              // 02
    kDayOfYear3,        // 002
    kDayOfYearBlank,    // __2
    kWeekdayShort,      // Mon
    kWeekdayLong,       // Monday
    kHour24,            // 15
    kHour12,            // 3
    kHour12Two,         // 03
    kMinute,            // 4
    kMinute2,           // 04
    kSecond,            // 5
    kSecond2,           // 05
    kFractionFixed,     // .000 or ,000: exactly `width` digits
    kFractionOptional,  // .999 or ,999: any number of digits, may be absent
    kUpperPm,           // PM
    kLowerPm,           // pm
    kZoneName,          // MST
    kZone,              // -07, -0700, -07:00 and with seconds
    kZoneZ,             // Z07, Z0700, Z07:00: the same, or the letter Z
  };

  // One piece of a compiled layout.
  struct Part {
    Element element = Element::kLiteral;
    int width = 0;        // digits of a fraction
    std::string literal;  // of kLiteral; of a fraction, its separator; of a zone, its text
  };

  // kUsage when the layout has no element at all or is too long.
  static Result<GoLayout> compile(std::string_view layout);

  // The instant, when the whole text fits the layout and the date exists. As in Go, a fraction
  // after the seconds is accepted even when the layout has none, month and day names match
  // without case, a blank matches any run of blanks, and a missing month or day is the first.
  // A layout without a year (syslog) gets the latest one that puts the result not more than a day
  // after `reference_ns`; one without any date, that day. Without a zone the time is UTC; names of
  // zones are those that zone_from_name() knows, others count as UTC.
  std::optional<std::int64_t> parse(std::string_view text, std::int64_t reference_ns) const;

  // Writes an instant (UTC) in this layout.
  std::string format(std::int64_t ns) const;

  const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace evq
