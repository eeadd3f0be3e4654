#include "store/ingest/program_times.h"

#include <algorithm>
#include <string>

#include "store/base/ascii.h"
#include "store/base/time_parse.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

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

}  // namespace

std::optional<std::int64_t> klog_time(std::string_view text, std::int64_t receipt_ns) {
  constexpr std::size_t kDayBytes = 4;  // month and day
  constexpr std::size_t kYearBytes = 4;
  const std::size_t blank = text.find(' ');
  const bool has_year = blank == 1 + kYearBytes + kDayBytes;
  if ((blank != 1 + kDayBytes && !has_year) ||
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
  return has_year ? parse_liberal_datetime(in_year(std::string(text.substr(1, kYearBytes))))
                  : read_in_last_year(receipt_ns, in_year);
}

std::optional<std::int64_t> short_year_time(std::string_view text, std::int64_t receipt_ns,
                                            DateOrder order) {
  constexpr std::string_view kShape = "99/99/99 99:99:99";
  if (!begins_with_shape(text, kShape) || order != DateOrder::kMonthFirst ||
      text.substr(0, 2) <= "12") {
    return std::nullopt;
  }
  std::size_t end = kShape.size();
  if (end + 1 < text.size() && (text[end] == '.' || text[end] == ',') && is_digit(text[end + 1])) {
    end = std::min(text.find_first_not_of("0123456789", end + 1), text.size());
  }
  const std::string_view time = text.substr(0, end);
  const auto year_first = parse_logged_datetime(time, DateOrder::kYearFirst);
  const bool ahead = year_first && *year_first > receipt_ns + kDayNs;
  return ahead && parse_logged_datetime(time, DateOrder::kDayFirst) ? std::nullopt : year_first;
}

std::optional<std::int64_t> program_time(std::string_view text) {
  if (const auto time = read_marked_unix_time(text)) {
    return time;
  }
  return read_digits_of_time(text);
}

}  // namespace evq
