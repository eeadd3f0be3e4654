#include "store/ingest/program_times.h"

#include <algorithm>
#include <string>

#include "store/base/ascii.h"
#include "store/base/checked_math.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

// What stands before the next blank.
std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find(' '));
}

// "[1714557600.123] …" and "- 1117838570 …", as Nagios and supercomputers begin their lines.
std::optional<std::int64_t> read_marked_unix_time(std::string_view text) {
  if (!text.starts_with('[') && !text.starts_with("- ")) {
    return std::nullopt;
  }
  const std::string_view number = text.substr(text[0] == '[' ? 1 : 2);
  const std::string_view word = number.substr(0, number.find_first_of("] "));
  return is_unix_time(word) ? parse_liberal_datetime(word) : std::nullopt;
}

// "081109 203615 148 INFO …", as Hadoop's file system once began its lines.
std::optional<std::int64_t> read_digits_of_time(std::string_view text) {
  constexpr std::string_view kShape = "999999 999999 ";
  if (!begins_with_shape(text, kShape)) {
    return std::nullopt;
  }
  const std::string digits(text.substr(0, kShape.size()));
  return parse_liberal_datetime(digits.substr(0, 9) + ':' + digits.substr(9, 2) + ':' +
                                digits.substr(11, 2));
}

// "20120702.102240,672 …" and "20120702.102240 …".
std::optional<std::int64_t> read_dotted_digits(std::string_view text) {
  constexpr std::string_view kShape = "99999999.999999";
  const std::string_view word = first_word(text);
  const std::string_view fraction = word.substr(std::min(kShape.size(), word.size()));
  if (!begins_with_shape(word, kShape) || word.size() == text.size() ||
      !(fraction.empty() || fits_shape(fraction, ",999") || fits_shape(fraction, ".999"))) {
    return std::nullopt;
  }
  std::string time(word);
  time[kShape.find('.')] = 'T';
  return parse_instant(time);
}

// "07/11/2022-10:29:01.860293  [**]" and "10/20-20:43:32.334621", as Suricata and Snort begin their
// lines: the month comes first.
std::optional<std::int64_t> read_alert_time(std::string_view text, std::int64_t from_ns) {
  const std::string_view word = first_word(text);
  const std::size_t dash = std::min(word.find('-'), word.size());
  const std::string date(word.substr(0, dash));
  if (!begins_with_shape(word.substr(dash), "-99:99:99.")) {
    return std::nullopt;
  }
  const std::string time(word.substr(dash + 1));
  if (fits_shape(date, "99/99")) {
    return read_in_last_year(
        from_ns, [&](const std::string& year) { return date + '/' + year + ' ' + time; });
  }
  return fits_shape(date, "99/99/9999") || fits_shape(date, "99/99/99")
             ? parse_logged_datetime(date + ' ' + time, DateOrder::kMonthFirst)
             : std::nullopt;
}

// "2024-05-01-10.20.30.123456+120", as Db2 begins its lines: the offset is in minutes. Or with any
// other zone, "2024-05-01-10.20.30 CEST".
std::optional<std::int64_t> read_db2_time(std::string_view text) {
  constexpr std::string_view kShape = "9999-99-99-99.99.99";
  constexpr std::size_t kHourAt = std::string_view("9999-99-99-").size();
  if (!begins_with_shape(text, kShape)) {
    return std::nullopt;
  }
  std::size_t end = kShape.size();
  if (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) {
    end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
  }
  std::string time(text.substr(0, end));
  time[kHourAt - 1] = 'T';
  time[kHourAt + 2] = ':';
  time[kHourAt + 5] = ':';
  text.remove_prefix(end);
  const std::string_view offset = first_word(text);
  if (fits_shape(offset, "+999") || fits_shape(offset, "-999")) {
    const std::int64_t minutes = TimeScanner(offset.substr(1)).take_number(3, 3).value_or(0);
    const std::int64_t east = offset[0] == '+' ? minutes : -minutes;
    const auto clock = parse_instant(time + 'Z');
    return clock ? checked_subtract(*clock, east * kMinuteNs) : std::nullopt;
  }
  const std::size_t blank = text.starts_with(' ') ? 1 : 0;
  const std::size_t zone = zone_size(text.substr(blank));
  if (zone > 0) {
    return parse_liberal_datetime(time.append(text.substr(0, blank + zone)));
  }
  return offset.empty() ? parse_instant(time) : std::nullopt;
}

// "APPREAD 1117869872 2005.06.04 …", "ERROR 1117869872.123 …" and "INFO 2005-06-03-15.42.50.675872
// …", as supercomputers mark lines, and programs begin them with a level. Of numbers only those
// that are seconds of the years 2001 to 2033: others count more.
std::optional<std::int64_t> read_time_behind_flag(std::string_view text) {
  constexpr std::size_t kSecondsDigits = 10;
  const std::string_view flag = first_word(text);
  const auto in_flag = [](char c) {
    return c == '_' || (is_letter_or_digit(c) && c == to_upper(c));
  };
  if (flag.size() < 2 || !is_letter(flag[0]) || !std::ranges::all_of(flag, in_flag)) {
    return std::nullopt;
  }
  text.remove_prefix(flag.size());
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  const std::string_view word = first_word(text);
  if (is_unix_time(word) && word[0] == '1' &&
      (word.size() == kSecondsDigits || word[kSecondsDigits] == '.')) {
    return parse_liberal_datetime(word);
  }
  return read_db2_time(text);
}

// "@40000000433225833b6e1a8c", TAI64N as multilog writes it: from a second ten before Unix time's
// first on, without leap seconds.
std::optional<std::int64_t> read_tai64n(std::string_view text) {
  constexpr std::size_t kDigits = 24;
  constexpr std::size_t kSecondDigits = 16;
  constexpr std::uint64_t kEpoch = (std::uint64_t{1} << 62U) + 10;
  const std::string_view digits = first_word(text.substr(std::min<std::size_t>(1, text.size())));
  if (!text.starts_with('@') || digits.size() != kDigits) {
    return std::nullopt;
  }
  std::uint64_t seconds = 0;
  std::uint64_t ns = 0;
  for (std::size_t i = 0; i < kDigits; ++i) {
    const int digit = hex_digit(digits[i]);
    if (digit < 0) {
      return std::nullopt;
    }
    std::uint64_t& number = i < kSecondDigits ? seconds : ns;
    number = number << 4U | static_cast<unsigned>(digit);
  }
  return seconds >= kEpoch && seconds - kEpoch < kEpoch && ns < kSecondNs
             ? ns_from_seconds(static_cast<std::int64_t>(seconds - kEpoch), static_cast<int>(ns))
             : std::nullopt;
}

// "[10.30 16:49:06]", as Proxifier begins its lines: the month comes first where it may.
std::optional<std::int64_t> read_dotted_day(std::string_view text, std::int64_t from_ns) {
  constexpr std::string_view kShape = "[99.99 99:99:99]";
  if (!begins_with_shape(text, kShape)) {
    return std::nullopt;
  }
  const std::string first(text.substr(1, 2));
  const std::string second(text.substr(4, 2));
  const std::string time(text.substr(7, 8));
  const bool day_first = first > "12";
  return read_in_last_year(from_ns, [&](const std::string& year) {
    return year + '-' + (day_first ? second + '-' + first : first + '-' + second) + ' ' + time;
  });
}

// "[INFO] [1715595630.123456789]: …", "(1715595630.123456) can0 …" and "10000 1697048351.000001
// execve(…", as robots, buses and strace log: Unix time with a whole unit behind the point, behind
// two words at most. Of what comes behind the year 2100 or the nanosecond other things count more.
std::optional<std::int64_t> read_precise_unix_time(std::string_view text) {
  constexpr std::size_t kWordsMax = 3;
  constexpr std::size_t kSecondsDigits = 10;
  constexpr std::size_t kNanosecondDigits = 9;
  constexpr std::string_view kSecondsEnd = "4102444800";
  for (std::size_t i = 0; i < kWordsMax && !text.empty(); ++i) {
    std::string_view word = first_word(text);
    text.remove_prefix(word.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    word.remove_prefix(word.starts_with('[') || word.starts_with('(') ? 1 : 0);
    word = word.substr(0, word.find_last_not_of("]):") + 1);
    const std::size_t digits = word.size() - std::min(kSecondsDigits + 1, word.size());
    const bool fills_unit = digits > 0 && digits % 3 == 0 && digits <= kNanosecondDigits;
    if (fills_unit && is_unix_time(word) && word[kSecondsDigits] == '.' && word < kSecondsEnd) {
      return parse_liberal_datetime(word);
    }
  }
  return std::nullopt;
}

// "  1234:20240501:102030.123 …", as Zabbix begins its lines, behind the number of the process.
std::optional<std::int64_t> read_zabbix_time(std::string_view text) {
  constexpr std::string_view kShape = ":99999999:999999.999 ";
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
  if (!begins_with_shape(text, kShape)) {
    return std::nullopt;
  }
  const std::string_view day = text.substr(1, 8);
  const std::string_view time = text.substr(day.size() + 2, 10);
  return parse_logged_datetime(std::string(day) + ' ' + std::string(time.substr(0, 2)) + ':' +
                                   std::string(time.substr(2, 2)) + ':' +
                                   std::string(time.substr(4)),
                               DateOrder::kYearFirst);
}

// "Started GET "/a" for 10.0.0.1 at 2024-05-01 10:20:30 +0200", perhaps behind tags in brackets:
// the only line of a request that has a time where nothing puts one before the lines of Rails.
std::optional<std::int64_t> read_request_start(std::string_view text) {
  constexpr std::string_view kShape = "9999-99-99 99:99:99 ";
  while (text.starts_with('[')) {
    text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
  }
  if (!text.starts_with("Started ") || text.find("\" for ") == std::string_view::npos) {
    return std::nullopt;
  }
  constexpr std::string_view kBefore = " at ";
  const std::size_t at = text.rfind(kBefore);
  const std::string_view time =
      at == std::string_view::npos ? "" : text.substr(at + kBefore.size());
  return begins_with_shape(time, kShape) ? parse_logged_datetime(time, DateOrder::kYearFirst)
                                         : std::nullopt;
}

// "type=SYSCALL msg=audit(05/13/2024 10:20:30.123:456) : …", as ausearch -i shows lines of the
// audit daemon.
std::optional<std::int64_t> read_shown_audit_time(std::string_view text, DateOrder order) {
  constexpr std::string_view kMark = " msg=audit(";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos ||
      (!text.starts_with("type=") && !text.starts_with("node="))) {
    return std::nullopt;
  }
  text.remove_prefix(mark + kMark.size());
  text = text.substr(0, text.find(')'));
  text = text.substr(0, text.rfind(':'));
  return has_time_of_day(text) ? parse_logged_datetime(text, order) : std::nullopt;
}

// The size of the time of day that a text begins with, "10:20:30.123" with its zone; 0: there is
// none, or more stands behind it without a mark. A comma is no point where it parts `cells`.
std::size_t clock_size(std::string_view text, bool cells) {
  constexpr std::string_view kShape = "99:99:99";
  if (!begins_with_shape(text, kShape)) {
    return 0;
  }
  std::size_t end = kShape.size();
  const char mark = end + 1 < text.size() ? text[end] : ' ';
  if ((mark == '.' || (mark == ',' && !cells)) && is_digit(text[end + 1])) {
    end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
  }
  const std::size_t blank = text.substr(end).starts_with(' ') ? 1 : 0;
  const std::size_t zone = zone_size(text.substr(end + blank));
  end += zone > 0 ? blank + zone : 0;
  return end < text.size() && is_letter_or_digit(text[end]) ? 0 : end;
}

// "2024-05-12|10:20:30.123|INFO|x", "12.05.2024;10:20:30;x" and "[2024-05-12] [10:20:30] x": date
// and time of day in two cells or brackets.
std::optional<std::int64_t> read_split_time(std::string_view text, DateOrder order) {
  constexpr std::string_view kDelimiters = ",;|\t";
  constexpr std::size_t kDateBytesMin = 8;
  constexpr std::size_t kDateBytesMax = 10;
  const bool brackets = text.starts_with('[');
  text.remove_prefix(brackets ? 1 : 0);
  const std::size_t date_size = std::min(text.find_first_not_of("0123456789-/."), text.size());
  if (date_size < kDateBytesMin || date_size > kDateBytesMax) {
    return std::nullopt;
  }
  const std::string date(text.substr(0, date_size));
  const auto pass = [&text](std::size_t bytes) {
    text.remove_prefix(std::min(text.find_first_not_of(' ', bytes), text.size()));
    return text.empty() ? ' ' : text.front();
  };
  const char mark = pass(date_size);
  if (brackets ? mark != ']' : kDelimiters.find(mark) == std::string_view::npos) {
    return std::nullopt;
  }
  if (pass(1) == '[' && brackets) {
    pass(1);
  }
  const std::size_t size = clock_size(text, mark == ',');
  return size > 0 ? parse_logged_datetime(date + ' ' + std::string(text.substr(0, size)), order)
                  : std::nullopt;
}

// "2012-025T10:20:30,672:DEBUG:x": the day of the year, and a colon behind the time.
std::optional<std::int64_t> read_day_of_year(std::string_view text) {
  constexpr std::string_view kDay = "9999-999T";
  const std::size_t size =
      begins_with_shape(text, kDay) ? clock_size(text.substr(kDay.size()), false) : 0;
  return size > 0 ? parse_instant(text.substr(0, kDay.size() + size)) : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> klog_time(std::string_view text, std::int64_t from_ns) {
  constexpr std::size_t kDayBytes = 4;  // month and day
  constexpr std::size_t kYearBytes = 4;
  const std::size_t blank = text.find(' ');
  const bool has_year = blank == 1 + kYearBytes + kDayBytes;
  const bool has_short_year = blank == 1 + kYearBytes / 2 + kDayBytes;
  if ((blank != 1 + kDayBytes && !has_year && !has_short_year) ||
      std::string_view("IWEFD").find(text[0]) == std::string_view::npos ||
      !std::ranges::all_of(text.substr(1, blank - 1), is_digit)) {
    return std::nullopt;
  }
  const std::string month(text.substr(blank - kDayBytes, 2));
  const std::string day(text.substr(blank - 2, 2));
  const std::string time(text.substr(blank + 1, text.find(' ', blank + 1) - blank - 1));
  if (!has_time_of_day(time)) {
    return std::nullopt;
  }
  const auto in_year = [&](const std::string& year) {
    return year + '-' + month + '-' + day + ' ' + time;
  };
  if (has_year || has_short_year) {
    const std::string year(text.substr(1, blank - 1 - kDayBytes));
    return parse_liberal_datetime(in_year(has_year ? year : "20" + year));
  }
  return read_in_last_year(from_ns, in_year);
}

std::optional<std::int64_t> short_year_time(std::string_view text, std::int64_t from_ns,
                                            DateOrder order) {
  constexpr std::string_view kShape = "99/99/99 99:99:99";
  constexpr std::string_view kDashedShape = "99-99-99 99:99:99";
  if (!(begins_with_shape(text, kShape) || begins_with_shape(text, kDashedShape)) ||
      order != DateOrder::kMonthFirst || text.substr(0, 2) <= "12") {
    return std::nullopt;
  }
  std::size_t end = kShape.size();
  if (end + 1 < text.size() && (text[end] == '.' || text[end] == ',') && is_digit(text[end + 1])) {
    end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
  }
  const std::size_t blank = text.substr(end).starts_with(' ') ? 1 : 0;
  const std::size_t zone = zone_size(text.substr(end + blank));
  end += zone > 0 ? blank + zone : 0;
  const std::string_view time = text.substr(0, end);
  const auto year_first = parse_logged_datetime(time, DateOrder::kYearFirst);
  const bool ahead = year_first && *year_first > from_ns + kDayNs;
  return ahead && parse_logged_datetime(time, DateOrder::kDayFirst) ? std::nullopt : year_first;
}

std::optional<std::int64_t> program_time(std::string_view text) {
  if (const auto time = read_marked_unix_time(text)) {
    return time;
  }
  const auto time = read_digits_of_time(text);
  return time ? time : read_dotted_digits(text);
}

std::optional<std::int64_t> rare_program_time(std::string_view text, std::int64_t from_ns,
                                              DateOrder order) {
  // Most lines of a log without a time, as those of a stack trace, begin with none of these.
  const char first = text.empty() ? ' ' : text.front();
  if (first == 't' || first == 'n') {
    return read_shown_audit_time(text, order);
  }
  if (first == '@') {
    return read_tai64n(text);
  }
  if (first == ' ') {
    return read_zabbix_time(text);
  }
  if (first >= 'A' && first <= 'Z') {
    const auto time = read_time_behind_flag(text);
    return time || first != 'S' ? time : read_request_start(text);
  }
  if (first != '[' && first != '(' && !is_digit(first)) {
    return std::nullopt;
  }
  if (const auto time = read_alert_time(text, from_ns)) {
    return time;
  }
  if (const auto time = read_db2_time(text)) {
    return time;
  }
  if (const auto time = read_dotted_day(text, from_ns)) {
    return time;
  }
  if (const auto time = read_split_time(text, order)) {
    return time;
  }
  if (const auto time = read_day_of_year(text)) {
    return time;
  }
  if (const auto time = first == '[' ? read_request_start(text) : read_zabbix_time(text)) {
    return time;
  }
  return read_precise_unix_time(text);
}

}  // namespace evq
