#include "store/base/time_zone.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/time.h"
#include "store/base/time_scan.h"

namespace evq {
namespace {

constexpr std::string_view kZoneFolder = "/usr/share/zoneinfo/";
constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kTypeBytes = 6;
constexpr std::int64_t kSecondsOfDay = 86400;

// Letters, digits and "_+-/": so a name cannot leave the folder.
bool is_zone_name(std::string_view name) {
  return !name.empty() && name.size() <= kTimeTextBytesMax && name[0] != '/' &&
         std::ranges::all_of(name, [](char c) {
           return is_letter_or_digit(c) || c == '_' || c == '+' || c == '-' || c == '/';
         });
}

// Big-endian numbers; callers check the size first.
std::uint64_t big_endian(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}
std::int64_t signed_32(std::string_view bytes, std::size_t at) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(bytes, at, 4)));
}

struct Header {
  std::size_t isutc = 0;
  std::size_t isstd = 0;
  std::size_t leaps = 0;
  std::size_t times = 0;
  std::size_t types = 0;
  std::size_t characters = 0;
  std::size_t body_bytes(std::size_t time_bytes) const {
    return times * (time_bytes + 1) + types * kTypeBytes + characters + leaps * (time_bytes + 4) +
           isstd + isutc;
  }
};

std::optional<Header> read_header(std::string_view bytes) {
  if (bytes.size() < kHeaderBytes || !bytes.starts_with("TZif")) {
    return std::nullopt;
  }
  Header header;
  std::size_t at = 20;
  for (std::size_t* field : {&header.isutc, &header.isstd, &header.leaps, &header.times,
                             &header.types, &header.characters}) {
    *field = big_endian(bytes, at, 4);
    at += 4;
  }
  return header;
}

// "CET", "<+03>": the name of a zone in a rule, which nobody needs.
bool skip_zone_name(TimeScanner* scanner) {
  if (scanner->take('<')) {
    while (!scanner->at_end() && scanner->peek() != '>') {
      scanner->skip(1);
    }
    return scanner->take('>');
  }
  return !scanner->take_word().empty();
}

// [+-]hh[:mm[:ss]] as seconds.
std::optional<std::int64_t> take_clock(TimeScanner* scanner) {
  const bool negative = scanner->take('-');
  if (!negative) {
    scanner->take('+');
  }
  const std::optional<int> hours = scanner->take_number(1, 3);
  if (!hours.has_value()) {
    return std::nullopt;
  }
  std::int64_t seconds = std::int64_t{*hours} * 3600;
  for (const std::int64_t unit : {60, 1}) {
    if (!scanner->take(':')) {
      break;
    }
    const std::optional<int> part = scanner->take_number(2, 2);
    if (!part.has_value()) {
      return std::nullopt;
    }
    seconds += *part * unit;
  }
  return negative ? -seconds : seconds;
}

std::optional<ZoneRuleDate> take_date(TimeScanner* scanner) {
  ZoneRuleDate date;
  std::optional<int> last;
  if (scanner->take('M')) {
    const std::optional<int> month = scanner->take_number(1, 2);
    const std::optional<int> week = scanner->take('.') ? scanner->take_number(1, 1) : std::nullopt;
    last = scanner->take('.') ? scanner->take_number(1, 1) : std::nullopt;
    date.month = month.value_or(0);
    date.week = week.value_or(0);
    if (date.month < 1 || date.month > 12 || date.week < 1 || date.week > 5 ||
        last.value_or(7) > 6) {
      return std::nullopt;
    }
  } else {
    date.kind = scanner->take('J') ? ZoneRuleDate::Kind::kJulian : ZoneRuleDate::Kind::kDayOfYear;
    last = scanner->take_number(1, 3);
  }
  if (!last.has_value()) {
    return std::nullopt;
  }
  date.day = *last;
  if (scanner->take('/')) {
    const std::optional<std::int64_t> second = take_clock(scanner);
    if (!second.has_value()) {
      return std::nullopt;
    }
    date.second = *second;
  }
  return date;
}

// The local second at which the rule strikes in a year, counted from the epoch.
std::int64_t local_second(const ZoneRuleDate& date, std::int64_t year) {
  std::int64_t day = days_from_civil(year, 1, 1);
  switch (date.kind) {
    case ZoneRuleDate::Kind::kDayOfYear:
      day += date.day;
      break;
    case ZoneRuleDate::Kind::kJulian:  // 29 February is never counted
      day += date.day - 1 + (is_leap_year(year) && date.day > 59 ? 1 : 0);
      break;
    case ZoneRuleDate::Kind::kMonthWeekDay: {
      const std::int64_t first = days_from_civil(year, date.month, 1);
      const std::int64_t weekday = ((first + 4) % 7 + 7) % 7;  // 1970-01-01 was a Thursday
      std::int64_t number = (date.day - weekday + 7) % 7 + std::int64_t{date.week - 1} * 7;
      if (number >= days_in_month(year, date.month)) {
        number -= 7;
      }
      day = first + number;
      break;
    }
  }
  return day * kSecondsOfDay + date.second;
}

std::int64_t floor_seconds(std::int64_t ns) {
  const std::int64_t seconds = ns / kSecondNs;
  return seconds * kSecondNs > ns ? seconds - 1 : seconds;
}

// What stands before the slash of a zone's name. Other words with a slash in them are looked for
// nowhere.
constexpr std::array<std::string_view, 16> kAreas = {
    "Africa", "America", "Antarctica", "Arctic", "Asia",   "Atlantic", "Australia", "Brazil",
    "Canada", "Chile",   "Etc",        "Europe", "Indian", "Mexico",   "Pacific",   "US"};

// The zones that a thread met last, and names that are none.
class MetZones {
 public:
  std::shared_ptr<const TimeZone> find(std::string_view name) {
    for (const Met& met : met_) {
      if (met.name == name) {
        return met.zone;
      }
    }
    auto loaded = TimeZone::load(name);
    if (!loaded.ok() && loaded.error().code != ErrorCode::kNotFound) {
      return nullptr;  // for now: there may be descriptors again
    }
    // Made before either is kept: where the memory runs out, the name must not stay without its
    // zone.
    Met met{std::string(name),
            loaded.ok() ? std::make_shared<const TimeZone>(std::move(loaded).value()) : nullptr};
    Met& oldest = met_[next_];
    next_ = (next_ + 1) % met_.size();
    oldest = std::move(met);
    return oldest.zone;
  }

 private:
  static constexpr std::size_t kMetMax = 16;
  struct Met {
    std::string name;
    std::shared_ptr<const TimeZone> zone;
  };
  std::array<Met, kMetMax> met_;
  std::size_t next_ = 0;
};

}  // namespace

std::optional<TimeZone::Rule> TimeZone::parse_rule(std::string_view text) {
  TimeScanner scanner(text);
  Rule rule;
  const std::optional<std::int64_t> west =
      skip_zone_name(&scanner) ? take_clock(&scanner) : std::nullopt;
  if (!west.has_value()) {
    return std::nullopt;
  }
  rule.standard = -*west;
  if (scanner.at_end()) {
    return rule;
  }
  rule.has_summer = true;
  rule.summer = rule.standard + 3600;
  if (!skip_zone_name(&scanner)) {
    return std::nullopt;
  }
  if (scanner.peek() != ',') {
    const std::optional<std::int64_t> summer = take_clock(&scanner);
    if (!summer.has_value()) {
      return std::nullopt;
    }
    rule.summer = -*summer;
  }
  const std::optional<ZoneRuleDate> begin = scanner.take(',') ? take_date(&scanner) : std::nullopt;
  const std::optional<ZoneRuleDate> end = scanner.take(',') ? take_date(&scanner) : std::nullopt;
  if (!begin.has_value() || !end.has_value() || !scanner.at_end()) {
    return std::nullopt;
  }
  rule.begin = *begin;
  rule.end = *end;
  return rule;
}

Result<TimeZone> TimeZone::parse(std::string_view bytes) {
  const Error corrupt = make_error(ErrorCode::kCorrupt, "the time zone file is malformed");
  const std::optional<Header> old = read_header(bytes);
  if (!old.has_value() || bytes[4] < '2' || old->body_bytes(4) > bytes.size() - kHeaderBytes) {
    return corrupt;
  }
  bytes.remove_prefix(kHeaderBytes + old->body_bytes(4));
  const std::optional<Header> header = read_header(bytes);
  if (!header.has_value() || header->body_bytes(8) > bytes.size() - kHeaderBytes ||
      header->types == 0) {
    return corrupt;
  }
  const std::string_view body = bytes.substr(kHeaderBytes, header->body_bytes(8));
  const std::size_t types_at = header->times * 9;
  TimeZone zone;
  zone.first_offset_ = signed_32(body, types_at);
  for (std::size_t i = 0; i < header->times; ++i) {
    const std::size_t type = big_endian(body, header->times * 8 + i, 1);
    if (type >= header->types) {
      return corrupt;
    }
    zone.transitions_.push_back(static_cast<std::int64_t>(big_endian(body, i * 8, 8)));
    zone.offsets_.push_back(signed_32(body, types_at + type * kTypeBytes));
  }
  if (!std::ranges::is_sorted(zone.transitions_)) {
    return corrupt;
  }
  std::string_view footer = bytes.substr(kHeaderBytes + body.size());
  if (footer.size() > 2) {
    zone.rule_ = parse_rule(footer.substr(1, footer.size() - 2));
  }
  return zone;
}

Result<TimeZone> TimeZone::load(std::string_view name) {
  if (!is_zone_name(name)) {
    return make_error(ErrorCode::kUsage, "'" + std::string(name) + "' is no name of a time zone",
                      "write it as Europe/Berlin or UTC");
  }
  const std::string path = std::string(kZoneFolder).append(name);
  const Result<std::string> bytes = read_whole_file(path, kSmallFileBytesMax);
  if (!bytes.ok() && (bytes.error().code == ErrorCode::kNotFound || is_directory(path))) {
    return make_error(ErrorCode::kNotFound, "there is no time zone '" + std::string(name) + "'",
                      "datetime_list_timezones() lists those that the system knows");
  }
  return bytes.ok() ? parse(bytes.value()) : bytes.error();
}

TimeZone TimeZone::fixed(std::int64_t offset) {
  TimeZone zone;
  zone.first_offset_ = offset;
  return zone;
}

Result<TimeZone> TimeZone::of_environment(std::string_view text) {
  const Error unknown = make_error(
      ErrorCode::kUsage, "the environment's TZ, '" + std::string(text) + "', is no time zone",
      "set it to a name such as Europe/Berlin, or write the zone itself instead of local");
  if (text.starts_with(':')) {
    text.remove_prefix(1);
  }
  if (text.empty()) {
    return fixed(0);
  }
  if (text.starts_with('/')) {
    const Result<std::string> bytes = read_whole_file(std::string(text), kSmallFileBytesMax);
    return bytes.ok() ? parse(bytes.value()) : unknown;
  }
  if (auto zone = load(text); zone.ok()) {
    return zone;
  }
  // A zone with a summer time and no dates of it has those of the United States, as everywhere.
  constexpr std::string_view kUsualDates = ",M3.2.0,M11.1.0";
  TimeZone zone;
  zone.rule_ = parse_rule(text);
  if (!zone.rule_.has_value()) {
    zone.rule_ = parse_rule(std::string(text).append(kUsualDates));
  }
  return zone.rule_.has_value() ? Result<TimeZone>(std::move(zone)) : unknown;
}

Result<TimeZone> TimeZone::local() {
  if (const char* const variable = std::getenv("TZ"); variable != nullptr) {
    return of_environment(variable);
  }
  const Result<std::string> bytes = read_whole_file("/etc/localtime", kSmallFileBytesMax);
  if (!bytes.ok() && bytes.error().code == ErrorCode::kNotFound) {
    return fixed(0);
  }
  return bytes.ok() ? parse(bytes.value()) : bytes.error();
}

Result<std::vector<std::string>> TimeZone::names() {
  EVQ_TRY_ASSIGN(const std::string text,
                 read_whole_file(std::string(kZoneFolder) + "zone1970.tab", kSmallFileBytesMax));
  std::vector<std::string> names = {"UTC"};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.starts_with('#')) {
      continue;
    }
    for (int column = 0; column < 2; ++column) {
      line.remove_prefix(std::min(line.find('\t'), line.size() - 1) + 1);
    }
    const std::string_view name = line.substr(0, line.find('\t'));
    if (is_zone_name(name)) {
      names.emplace_back(name);
    }
  }
  std::ranges::sort(names);
  return names;
}

std::int64_t TimeZone::rule_offset_at(std::int64_t utc_seconds) const {
  if (!rule_->has_summer) {
    return rule_->standard;
  }
  const std::int64_t ns =
      std::clamp(utc_seconds + rule_->standard, kInstantMin / kSecondNs, kInstantMax / kSecondNs) *
      kSecondNs;
  const std::int64_t year = civil_from_ns(ns).year;
  const std::int64_t begin = local_second(rule_->begin, year) - rule_->standard;
  const std::int64_t end = local_second(rule_->end, year) - rule_->summer;
  const bool summer = begin < end ? utc_seconds >= begin && utc_seconds < end
                                  : utc_seconds >= begin || utc_seconds < end;
  return summer ? rule_->summer : rule_->standard;
}

std::int64_t TimeZone::offset_at(std::int64_t utc_seconds) const {
  const auto after = std::ranges::upper_bound(transitions_, utc_seconds);
  if (after == transitions_.end() && rule_.has_value()) {
    return rule_offset_at(utc_seconds);
  }
  if (after == transitions_.begin()) {
    return first_offset_;
  }
  return offsets_[static_cast<std::size_t>(after - transitions_.begin()) - 1];
}

std::optional<std::int64_t> TimeZone::local_from_utc(std::int64_t utc_ns) const {
  return checked_add(utc_ns, offset_at(floor_seconds(utc_ns)) * kSecondNs);
}

std::optional<std::int64_t> TimeZone::utc_from_local(std::int64_t local_ns) const {
  const std::int64_t local = floor_seconds(local_ns);
  const std::int64_t before = offset_at(local - kSecondsOfDay);
  const std::int64_t after = offset_at(local + kSecondsOfDay);
  const bool before_fits = offset_at(local - before) == before;
  return checked_subtract(local_ns, (before_fits ? before : after) * kSecondNs);
}

bool is_utc_word(std::string_view text) {
  return text == "UTC" || text == "utc" || text == "Z";
}

Result<std::shared_ptr<const TimeZone>> named_time_zone(std::string_view text) {
  if (is_utc_word(text)) {
    return std::make_shared<const TimeZone>(TimeZone::fixed(0));
  }
  TimeScanner scanner(text);
  if (const auto offset = scanner.take_offset(); offset && scanner.at_end()) {
    return std::make_shared<const TimeZone>(TimeZone::fixed(*offset));
  }
  if (text == "local") {
    EVQ_TRY_ASSIGN(TimeZone zone, TimeZone::local());
    return std::make_shared<const TimeZone>(std::move(zone));
  }
  auto zone = TimeZone::load(text);
  if (!zone.ok()) {
    return make_error(
        ErrorCode::kUsage, "there is no time zone '" + std::string(text) + "'",
        "write local, UTC, a name such as Europe/Berlin, or an offset such as +02:00");
  }
  return std::make_shared<const TimeZone>(std::move(zone).value());
}

std::shared_ptr<const TimeZone> find_time_zone(std::string_view name) {
  const std::string_view area = name.substr(0, name.find('/'));
  if (area.size() == name.size() || std::ranges::find(kAreas, area) == kAreas.end()) {
    return nullptr;
  }
  thread_local MetZones met;
  return met.find(name);
}

}  // namespace evq
