#include "store/base/go_layout.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <utility>

#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/foreign_layout.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"
#include "store/base/time_zone.h"
#include "store/base/zone_text.h"
#include "store/base/zoneless.h"

namespace evq {

namespace {

using Element = GoLayout::Element;
using Part = GoLayout::Part;

struct Token {
  std::string_view text;
  Element element;
};

// Longer texts before their prefixes.
constexpr std::array<Token, 33> kTokens = {{
    {"January", Element::kMonthLong},
    {"Jan", Element::kMonthShort},
    {"Monday", Element::kWeekdayLong},
    {"Mon", Element::kWeekdayShort},
    {"MST", Element::kZoneName},
    {"2006", Element::kYear4},
    {"002", Element::kDayOfYear3},
    {"__2", Element::kDayOfYearBlank},
    {"_2", Element::kDayBlank},
    {"01", Element::kMonthNumber2},
    {"02", Element::kDay2},
    {"03", Element::kHour12Two},
    {"04", Element::kMinute2},
    {"05", Element::kSecond2},
    {"06", Element::kYear2},
    {"15", Element::kHour24},
    {"1", Element::kMonthNumber},
    {"2", Element::kDay},
    {"3", Element::kHour12},
    {"4", Element::kMinute},
    {"5", Element::kSecond},
    {"PM", Element::kUpperPm},
    {"pm", Element::kLowerPm},
    {"-07:00:00", Element::kZone},
    {"-070000", Element::kZone},
    {"-07:00", Element::kZone},
    {"-0700", Element::kZone},
    {"-07", Element::kZone},
    {"Z07:00:00", Element::kZoneZ},
    {"Z070000", Element::kZoneZ},
    {"Z07:00", Element::kZoneZ},
    {"Z0700", Element::kZoneZ},
    {"Z07", Element::kZoneZ},
}};

// ".000" and ".999" (or with a comma): digits all alike, and no digit behind them.
std::size_t fraction_size(std::string_view rest) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',') || (rest[1] != '0' && rest[1] != '9')) {
    return 0;
  }
  const std::size_t end = std::min(rest.find_first_not_of(rest[1], 1), rest.size());
  return end < rest.size() && is_digit(rest[end]) ? 0 : end;
}

const Token* find_token(std::string_view rest) {
  for (const Token& token : kTokens) {
    if (rest.substr(0, token.text.size()) != token.text) {
      continue;
    }
    // "Month" and "Janet" are words of their own.
    const bool short_name =
        token.element == Element::kMonthShort || token.element == Element::kWeekdayShort;
    const char next = rest.size() > 3 ? rest[3] : '\0';
    if (short_name && next >= 'a' && next <= 'z') {
      continue;
    }
    // "_2006" is an underscore and a year.
    if (token.element == Element::kDayBlank && rest.substr(0, 5) == "_2006") {
      continue;
    }
    return &token;
  }
  return nullptr;
}

// What has been read so far; -1 where the layout has no such element.
struct Fields {
  int year = -1;
  int month = -1;
  int day = -1;
  int day_of_year = -1;
  int hour = 0;
  int minute = 0;
  int second = 0;
  int ns = 0;
  bool zoned = false;
  int offset = 0;     // seconds east of UTC
  int half_day = -1;  // 0 before noon, 1 after
  std::shared_ptr<const TimeZone> zone_rules;
};

// A number of one or two digits, or of exactly two, up to `max`.
bool take_small(TimeScanner& scanner, bool two, int min, int max, int& field) {
  const auto number = scanner.take_number(two ? 2 : 1, 2);
  if (!number || *number < min || *number > max) {
    return false;
  }
  field = *number;
  return true;
}

// Which of the numbers from `first` to `last` has the name, whole or its first three letters, that
// the text begins with.
std::optional<int> take_name(TimeScanner& scanner, bool long_name, std::string_view (*name_of)(int),
                             int first, int last) {
  for (int i = first; i <= last; ++i) {
    const std::string_view name = long_name ? name_of(i) : name_of(i).substr(0, 3);
    if (equals_ignoring_ascii_case(scanner.rest().substr(0, name.size()), name)) {
      scanner.skip(name.size());
      return i;
    }
  }
  return std::nullopt;
}

bool take_month_name(TimeScanner& scanner, bool long_name, int& month) {
  const std::optional<int> taken = take_name(scanner, long_name, month_name, 1, 12);
  month = taken.value_or(month);
  return taken.has_value();
}

bool take_weekday_name(TimeScanner& scanner, bool long_name) {
  return take_name(scanner, long_name, weekday_name, 0, 6).has_value();
}

// Blanks match any run of blanks, other bytes themselves.
bool take_literal(TimeScanner& scanner, std::string_view literal) {
  while (!literal.empty()) {
    if (literal[0] == ' ') {
      if (!scanner.at_end() && scanner.peek() != ' ') {
        return false;
      }
      while (scanner.take(' ')) {
      }
      literal.remove_prefix(std::min(literal.find_first_not_of(' '), literal.size()));
    } else if (scanner.take(literal[0])) {
      literal.remove_prefix(1);
    } else {
      return false;
    }
  }
  return true;
}

// A numeric zone in exactly the layout's shape, such as "-07:00".
bool take_zone(TimeScanner& scanner, std::string_view shape, int& offset) {
  const char sign = scanner.peek();
  if (sign != '+' && sign != '-') {
    return false;
  }
  scanner.skip(1);
  std::array<int, 3> parts{};
  std::size_t count = 0;
  for (std::size_t i = 1; i < shape.size();) {
    if (shape[i] == ':') {
      if (!scanner.take(':')) {
        return false;
      }
      ++i;
      continue;
    }
    const int max = count == 0 ? 24 : 59;
    if (!take_small(scanner, true, 0, max, parts[count++])) {
      return false;
    }
    i += 2;
  }
  const int seconds = (parts[0] * 60 + parts[1]) * 60 + parts[2];
  offset = sign == '-' ? -seconds : seconds;
  return true;
}

// A name that is not known counts as UTC; "GMT+3" carries its own hours.
bool take_zone_name(TimeScanner& scanner, Fields& fields) {
  const std::string_view text = scanner.rest();
  const std::string_view word = scanner.take_word();
  NamedZone zone = read_named_zone(text);
  if (zone.rules == nullptr && (word.size() < 3 || word.size() > 5)) {
    return false;
  }
  if (zone.rules != nullptr || word == "GMT") {
    scanner.skip(zone.size - word.size());
    fields.offset = zone.offset;
    fields.zone_rules = std::move(zone.rules);
  } else {  // hours behind other names are an element of their own
    fields.offset = zone_from_name(word).value_or(0);
  }
  return true;
}

bool take_half_day(TimeScanner& scanner, bool upper, int& half_day) {
  const std::string_view word = scanner.rest().substr(0, 2);
  if (word == (upper ? "PM" : "pm")) {
    half_day = 1;
  } else if (word == (upper ? "AM" : "am")) {
    half_day = 0;
  } else {
    return false;
  }
  scanner.skip(2);
  return true;
}

bool take_fraction_fixed(TimeScanner& scanner, std::size_t digits, int& ns) {
  if (scanner.peek() != '.' && scanner.peek() != ',') {
    return false;
  }
  TimeScanner part(scanner.rest().substr(1, digits));
  if (part.digit_count() != digits) {
    return false;
  }
  ns = part.take_fraction().value_or(0);
  scanner.skip(1 + digits);
  return true;
}

bool take_fraction_optional(TimeScanner& scanner, int& ns) {
  if ((scanner.peek() == '.' || scanner.peek() == ',') && scanner.digit_at(1)) {
    scanner.skip(1);
    ns = scanner.take_fraction().value_or(0);
  }
  return true;
}

// As in Go, a fraction may follow the seconds of a layout that does not mention it.
bool take_second(TimeScanner& scanner, bool two, bool fraction_follows, Fields& fields) {
  return take_small(scanner, two, 0, 59, fields.second) &&
         (fraction_follows || take_fraction_optional(scanner, fields.ns));
}

bool take_year(TimeScanner& scanner, bool two_digits, int& year) {
  const std::size_t digits = two_digits ? 2 : 4;
  const auto number = scanner.take_number(digits, digits);
  year = number ? (two_digits ? year_from_two_digits(*number) : *number) : -1;
  return number.has_value();
}

bool take_day_of_year(TimeScanner& scanner, bool blanks, int& day_of_year) {
  std::size_t digits = 3;
  while (blanks && digits > 1 && scanner.take(' ')) {
    --digits;
  }
  const auto number = scanner.take_number(digits, digits);
  day_of_year = number.value_or(0);
  return day_of_year >= 1 && day_of_year <= 366;
}

// One element in front of the text; `fraction_follows` when the next one is a fraction.
bool take_element(const Part& part, bool fraction_follows, TimeScanner& scanner, Fields& fields) {
  const Element element = part.element;
  switch (element) {
    case Element::kLiteral:
      return take_literal(scanner, part.literal);
    case Element::kYear4:
    case Element::kYear2:
      return take_year(scanner, element == Element::kYear2, fields.year);
    case Element::kMonthNumber:
    case Element::kMonthNumber2:
      return take_small(scanner, element == Element::kMonthNumber2, 1, 12, fields.month);
    case Element::kMonthShort:
    case Element::kMonthLong:
      return take_month_name(scanner, element == Element::kMonthLong, fields.month);
    case Element::kDayBlank:
      static_cast<void>(scanner.take(' '));
      return take_small(scanner, false, 1, 31, fields.day);
    case Element::kDay:
    case Element::kDay2:
      return take_small(scanner, element == Element::kDay2, 1, 31, fields.day);
    case Element::kDayOfYear3:
    case Element::kDayOfYearBlank:
      return take_day_of_year(scanner, element == Element::kDayOfYearBlank, fields.day_of_year);
    case Element::kWeekdayShort:
    case Element::kWeekdayLong:
      return take_weekday_name(scanner, element == Element::kWeekdayLong);
    case Element::kHour24:
      return take_small(scanner, false, 0, 23, fields.hour);
    case Element::kHour12:
    case Element::kHour12Two:
      return take_small(scanner, element == Element::kHour12Two, 0, 12, fields.hour);
    case Element::kMinute:
    case Element::kMinute2:
      return take_small(scanner, element == Element::kMinute2, 0, 59, fields.minute);
    case Element::kSecond:
    case Element::kSecond2:
      return take_second(scanner, element == Element::kSecond2, fraction_follows, fields);
    case Element::kFractionFixed:
      return take_fraction_fixed(scanner, static_cast<std::size_t>(part.width), fields.ns);
    case Element::kFractionOptional:
      return take_fraction_optional(scanner, fields.ns);
    case Element::kUpperPm:
    case Element::kLowerPm:
      return take_half_day(scanner, element == Element::kUpperPm, fields.half_day);
    case Element::kZoneName:
      fields.zoned = true;
      return take_zone_name(scanner, fields);
    case Element::kZone:
      fields.zoned = true;
      return take_zone(scanner, part.literal, fields.offset);
    case Element::kZoneZ:
      fields.zoned = true;
      return scanner.take('Z') || take_zone(scanner, part.literal, fields.offset);
  }
  return false;
}

bool is_fraction(Element element) {
  return element == Element::kFractionFixed || element == Element::kFractionOptional;
}

std::optional<std::int64_t> instant_of(const Fields& fields, int year) {
  Civil civil = {year,
                 std::max(fields.month, 1),
                 std::max(fields.day, 1),
                 fields.hour,
                 fields.minute,
                 fields.second,
                 fields.ns};
  if (fields.day_of_year > 0 && fields.month < 0 && fields.day < 0) {
    civil.day = fields.day_of_year;
    while (civil.month < 12 && civil.day > days_in_month(year, civil.month)) {
      civil.day -= days_in_month(year, civil.month++);
    }
  }
  const auto instant = ns_from_civil(civil, fields.offset);
  if (!fields.zoned) {
    return ZonelessTimes::instant_of(instant);
  }
  return instant && fields.zone_rules ? fields.zone_rules->utc_from_local(*instant) : instant;
}

// The latest year that puts the instant not more than a day after the reference: logs are from
// before they are read, and clocks and zones differ by less. 29 February may be eight years back.
std::optional<std::int64_t> latest_instant(const Fields& fields, std::int64_t reference_ns) {
  constexpr int kYearsBack = 8;
  const std::int64_t end = checked_add(reference_ns, kDayNs).value_or(kInstantMax);
  const int latest = civil_from_ns(end).year + 1;  // of a zone where the year has begun
  for (int year = latest; year >= latest - 1 - kYearsBack; --year) {
    const auto instant = instant_of(fields, year);
    if (instant && *instant <= end) {
      return instant;
    }
  }
  return std::nullopt;
}

void append_padded(std::string& out, int value, int width, char pad) {
  std::array<char, 12> digits{};
  int count = 0;
  do {
    digits[static_cast<std::size_t>(count++)] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  out.append(static_cast<std::size_t>(std::max(0, width - count)), pad);
  while (count > 0) {
    out.push_back(digits[static_cast<std::size_t>(--count)]);
  }
}

void append_fraction(std::string& out, const Part& part, int ns) {
  std::string digits;
  append_padded(digits, ns, 9, '0');
  digits.resize(static_cast<std::size_t>(std::min(part.width, 9)));
  digits.append(static_cast<std::size_t>(std::max(0, part.width - 9)), '0');
  if (part.element == Element::kFractionOptional) {
    digits.resize(digits.find_last_not_of('0') + 1);
    if (digits.empty()) {
      return;
    }
  }
  out.append(part.literal).append(digits);
}

// "-07:00" for UTC is "+00:00".
void append_utc_zone(std::string& out, std::string_view shape) {
  out.push_back('+');
  for (const char c : shape.substr(1)) {
    out.push_back(is_digit(c) ? '0' : c);
  }
}

void append_element(std::string& out, const Part& part, const Civil& civil, std::int64_t ns) {
  const int hour12 = civil.hour % 12 == 0 ? 12 : civil.hour % 12;
  switch (part.element) {
    case Element::kLiteral:
      out.append(part.literal);
      return;
    case Element::kYear4:
      return append_padded(out, civil.year, 4, '0');
    case Element::kYear2:
      return append_padded(out, civil.year % 100, 2, '0');
    case Element::kMonthNumber:
      return append_padded(out, civil.month, 1, '0');
    case Element::kMonthNumber2:
      return append_padded(out, civil.month, 2, '0');
    case Element::kMonthShort:
      out.append(month_name(civil.month).substr(0, 3));
      return;
    case Element::kMonthLong:
      out.append(month_name(civil.month));
      return;
    case Element::kDay:
      return append_padded(out, civil.day, 1, '0');
    case Element::kDayBlank:
      return append_padded(out, civil.day, 2, ' ');
    case Element::kDay2:
      return append_padded(out, civil.day, 2, '0');
    case Element::kDayOfYear3:
      return append_padded(out, day_of_year(ns), 3, '0');
    case Element::kDayOfYearBlank:
      return append_padded(out, day_of_year(ns), 3, ' ');
    case Element::kWeekdayShort:
      out.append(weekday_name(day_of_week(ns)).substr(0, 3));
      return;
    case Element::kWeekdayLong:
      out.append(weekday_name(day_of_week(ns)));
      return;
    case Element::kHour24:
      return append_padded(out, civil.hour, 2, '0');
    case Element::kHour12:
      return append_padded(out, hour12, 1, '0');
    case Element::kHour12Two:
      return append_padded(out, hour12, 2, '0');
    case Element::kMinute:
      return append_padded(out, civil.minute, 1, '0');
    case Element::kMinute2:
      return append_padded(out, civil.minute, 2, '0');
    case Element::kSecond:
      return append_padded(out, civil.second, 1, '0');
    case Element::kSecond2:
      return append_padded(out, civil.second, 2, '0');
    case Element::kFractionFixed:
    case Element::kFractionOptional:
      return append_fraction(out, part, civil.nanosecond);
    case Element::kUpperPm:
      out.append(civil.hour < 12 ? "AM" : "PM");
      return;
    case Element::kLowerPm:
      out.append(civil.hour < 12 ? "am" : "pm");
      return;
    case Element::kZoneName:
      out.append("UTC");
      return;
    case Element::kZone:
      return append_utc_zone(out, part.literal);
    case Element::kZoneZ:
      out.push_back('Z');
      return;
  }
}

}  // namespace

Result<GoLayout> GoLayout::compile(std::string_view layout) {
  GoLayout compiled;
  compiled.text_ = layout;
  bool has_element = false;
  std::vector<Part>& parts = compiled.parts_;
  for (std::string_view rest = layout; !rest.empty();) {
    if (layout.size() > kTimeTextBytesMax || parts.size() >= kTimeLayoutElementsMax) {
      return make_error(ErrorCode::kUsage, "the time layout is too long");
    }
    std::size_t size = fraction_size(rest);
    if (size > 0) {
      const Element element = rest[1] == '0' ? Element::kFractionFixed : Element::kFractionOptional;
      parts.push_back({element, static_cast<int>(size - 1), std::string(rest.substr(0, 1))});
      has_element = true;
    } else if (const Token* token = find_token(rest)) {
      size = token->text.size();
      parts.push_back({token->element, 0, std::string(token->text)});
      has_element = true;
    } else {
      size = 1;
      if (parts.empty() || parts.back().element != Element::kLiteral) {
        parts.push_back({Element::kLiteral, 0, {}});
      }
      parts.back().literal.push_back(rest[0]);
    }
    rest.remove_prefix(size);
  }
  if (!has_element) {
    const std::string instead = go_layout_from_foreign(layout);
    return make_error(ErrorCode::kUsage,
                      "the time layout " + std::string(layout) + " has no part of a time",
                      "write the reference time Mon Jan 2 15:04:05 MST 2006 in your format" +
                          (instead.empty() ? "" : ": '" + instead + "'"));
  }
  return compiled;
}

std::optional<std::int64_t> GoLayout::parse(std::string_view text,
                                            std::int64_t reference_ns) const {
  TimeScanner scanner(text);
  Fields fields;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const bool fraction_follows = i + 1 < parts_.size() && is_fraction(parts_[i + 1].element);
    if (!take_element(parts_[i], fraction_follows, scanner, fields)) {
      return std::nullopt;
    }
  }
  if (!scanner.at_end()) {
    return std::nullopt;
  }
  if (fields.half_day == 1 && fields.hour < 12) {
    fields.hour += 12;
  } else if (fields.half_day == 0 && fields.hour == 12) {
    fields.hour = 0;
  }
  if (fields.year >= 0) {
    return instant_of(fields, fields.year);
  }
  if (fields.month < 0 && fields.day < 0 && fields.day_of_year < 0) {
    const Civil reference = civil_from_ns(reference_ns);
    fields.month = reference.month;
    fields.day = reference.day;
    return instant_of(fields, reference.year);
  }
  return latest_instant(fields, reference_ns);
}

std::string GoLayout::format(std::int64_t ns) const {
  const Civil civil = civil_from_ns(ns);
  std::string out;
  for (const Part& part : parts_) {
    append_element(out, part, civil, ns);
  }
  return out;
}

}  // namespace evq
