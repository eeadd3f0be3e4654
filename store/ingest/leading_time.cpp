#include "store/ingest/leading_time.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "store/base/ascii.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/ingest/log_fields.h"

namespace evq {

namespace {

// Where a time is looked for.
constexpr std::size_t kHeadBytesMax = 160;
constexpr std::size_t kTimeWordsMax = 6;

bool has_time_of_day(std::string_view text) {
  return text.find(':') != std::string_view::npos &&
         std::any_of(text.begin(), text.end(), is_digit);
}

// "<34>" of syslog, and the version number behind it.
std::string_view skip_priority(std::string_view line) {
  if (take_priority(&line) && line.starts_with("1 ")) {
    line.remove_prefix(2);
  }
  return line;
}

// The text without the sequences by which terminals are told colours.
std::string without_colors(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t escape = std::min(text.find("\x1b["), text.size());
    plain.append(text.substr(0, escape));
    text.remove_prefix(escape);
    const std::size_t end = text.find_first_not_of("0123456789;", 2);
    text.remove_prefix(end == std::string_view::npos ? text.size()
                                                     : std::min(end + 1, text.size()));
  }
  return plain;
}

// What no time holds, unless in a comment in parentheses.
constexpr std::string_view kForeignToTimes = "\"[{<";

// Where each of the first words ends, up to one that cannot belong to a time.
struct Words {
  std::array<std::size_t, kTimeWordsMax> ends{};
  std::size_t count = 0;
};

Words first_words(std::string_view text) {
  Words words;
  std::size_t i = 0;
  const std::size_t foreign = text.find_first_of(kForeignToTimes);
  const bool commented = text.find('(') < foreign;
  while (i < text.size() && words.count < kTimeWordsMax) {
    while (i < text.size() && text[i] == ' ') {
      ++i;
    }
    while (i < text.size() && text[i] != ' ' && text[i] != '\t') {
      ++i;
    }
    if (i > foreign && !commented) {
      break;
    }
    words.ends[words.count++] = i;
    if (i < text.size() && text[i] == '\t') {
      break;
    }
  }
  return words;
}

bool begins_with_month(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return text.size() > 3 && text[3] == ' ' &&
         std::find(kMonths.begin(), kMonths.end(), text.substr(0, 3)) != kMonths.end();
}

// The time that `in_year` writes out with a year, in the year that puts it last before the receipt.
template <class InYear>
std::optional<std::int64_t> read_in_last_year(std::int64_t receipt_ns, const InYear& in_year) {
  // Zones are less than a day apart from each other.
  const int latest = civil_from_ns(receipt_ns + 2 * kDayNs).year;
  for (const int candidate : {latest, latest - 1, latest - 2}) {
    const auto time = parse_liberal_datetime(in_year(std::to_string(candidate)));
    if (time && *time <= receipt_ns + kDayNs) {
      return time;
    }
  }
  return std::nullopt;
}

// "Oct 11 22:14:15".
std::optional<std::int64_t> read_without_year(std::string_view text, std::int64_t receipt_ns) {
  return read_in_last_year(
      receipt_ns, [text](const std::string& year) { return std::string(text) + ' ' + year; });
}

// "I1010 13:55:36.123456", as Kubernetes' own programs begin their lines, or with the year.
std::optional<std::int64_t> read_klog_time(std::string_view text, std::int64_t receipt_ns) {
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

// Whether the text has the shape: 9 stands for a digit, _ for one or a blank, A for a letter.
bool fits(std::string_view text, std::string_view shape) {
  return std::ranges::equal(text, shape, [](char c, char wanted) {
    switch (wanted) {
      case '9':
        return is_digit(c);
      case '_':
        return is_digit(c) || c == ' ';
      case 'A':
        return is_letter(c);
      default:
        return c == wanted;
    }
  });
}

bool is_unix_time(std::string_view word) {
  constexpr std::size_t kSecondsDigits = 10;
  const std::size_t digits =
      static_cast<std::size_t>(std::find_if_not(word.begin(), word.end(), is_digit) - word.begin());
  return digits >= kSecondsDigits &&
         (digits == word.size() ||
          (word[digits] == '.' &&
           std::all_of(word.begin() + static_cast<std::ptrdiff_t>(digits) + 1, word.end(),
                       is_digit)));
}

std::string_view trim_punctuation(std::string_view text) {
  while (!text.empty() && std::string_view(",:;|-").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

// The longest run of the first words that is a time.
std::optional<std::int64_t> read_first_words(std::string_view text, std::int64_t receipt_ns) {
  const Words words = first_words(text);
  for (std::size_t n = words.count; n > 0; --n) {
    const std::string_view candidate = trim_punctuation(text.substr(0, words.ends[n - 1]));
    if (n == 3 && begins_with_month(candidate) && has_time_of_day(candidate)) {
      if (const auto time = read_without_year(candidate, receipt_ns)) {
        return time;
      }
    }
    if (has_time_of_day(candidate) || n == 1) {
      if (const auto time = whole_time(candidate)) {
        return time;
      }
    }
  }
  return std::nullopt;
}

// What the brackets from `open` on hold.
std::optional<std::int64_t> read_in_brackets(std::string_view text, std::size_t open) {
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  return has_time_of_day(inside) ? parse_liberal_datetime(inside) : std::nullopt;
}

// ---------------------------------------------------------------- behind other words

// Dates as they stand before a time of day. The shapes that others end in come last.
constexpr std::array<std::string_view, 10> kDates = {
    "9999-99-99",  "9999/99/99",  "9999.99.99",   "99-AAA-9999", "99/AAA/9999",
    "99 AAA 9999", "AAA _9 9999", "AAA 99, 9999", "99999999",    "999999"};
constexpr std::array<std::string_view, 1> kShortDates = {"9-AAA-9999"};
constexpr std::array<std::string_view, 3> kDatesWithoutYear = {"AAA _9", "99 AAA", "99-99"};

// The end of the text that has one of the shapes and does not belong to a longer word.
std::string_view date_at_end(std::string_view text, std::span<const std::string_view> shapes) {
  for (const std::string_view shape : shapes) {
    if (text.size() < shape.size()) {
      continue;
    }
    const std::size_t begin = text.size() - shape.size();
    const char before = begin == 0 ? ' ' : text[begin - 1];
    if (fits(text.substr(begin), shape) && !is_letter_or_digit(before) &&
        std::string_view("-./_").find(before) == std::string_view::npos) {
      return text.substr(begin);
    }
  }
  return {};
}

// A time of day and what is told with it.
struct TimeOfDay {
  std::size_t begin = 0;
  std::string text;       // with its fraction, half of the day and zone
  std::string_view year;  // where it stands behind
};

// What stands around the first colon of "10:20:30"; nothing where that is no time of day.
std::optional<TimeOfDay> time_of_day_at(std::string_view text, std::size_t colon) {
  constexpr std::string_view kShape = "9:99:99";
  if (colon == 0 || !fits(text.substr(colon - 1, kShape.size()), kShape)) {
    return std::nullopt;
  }
  TimeOfDay time;
  time.begin = colon - (colon > 1 && is_digit(text[colon - 2]) ? 2 : 1);
  std::size_t end = colon - 1 + kShape.size();
  time.text = text.substr(time.begin, end - time.begin);
  const auto digits_from = [&](std::size_t at) {
    return std::min(text.find_first_not_of("0123456789", at), text.size()) -
           std::min(at, text.size());
  };
  const std::size_t fraction = digits_from(end + 1);
  const char point = end < text.size() ? text[end] : ' ';
  if (fraction > 0 && (point == '.' || point == ',' || (point == ':' && fraction == 3))) {
    time.text.append(".").append(text.substr(end + 1, fraction));
    end += 1 + fraction;
  }
  const std::string_view rest = text.substr(end);
  if (rest.starts_with('Z')) {
    time.text += 'Z';
  } else if (fits(rest.substr(0, 6), "+99:99") || fits(rest.substr(0, 6), "-99:99")) {
    time.text.append(rest.substr(0, 6));
  } else if (fits(rest.substr(0, 5), "+9999") || fits(rest.substr(0, 5), "-9999")) {
    time.text.append(rest.substr(0, 5));
  } else if (fits(rest.substr(0, 6), " +9999") || fits(rest.substr(0, 6), " -9999")) {
    time.text.append(rest.substr(0, 6));
  } else if (rest.starts_with(" AM") || rest.starts_with(" PM")) {
    time.text.append(rest.substr(0, 3));
  } else if (fits(rest.substr(0, 5), " 9999") && digits_from(end + 1) == 4) {
    time.year = rest.substr(1, 4);
  }
  return time;
}

// The first date and time of day behind at most two words: "INFO 2024-05-01 10:20:30,123",
// "web-1 | 2024-05-01T10:20:30Z", "[I 240501 10:20:30 web:1]". Only notations that cannot be
// anything else.
std::optional<std::int64_t> read_behind_words(std::string_view text, std::int64_t receipt_ns) {
  constexpr std::size_t kWordsBeforeMax = 2;
  for (std::size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    const auto time = time_of_day_at(text, colon);
    if (!time || time->begin == 0) {
      continue;
    }
    const char separator = text[time->begin - 1];
    if (std::string_view(" T_-:").find(separator) == std::string_view::npos) {
      continue;
    }
    std::string_view before = text.substr(0, time->begin - 1);
    before = before.substr(0, before.find_last_not_of(" :,") + 1);
    std::string_view date = date_at_end(before, kDates);
    date = date.empty() ? date_at_end(before, kShortDates) : date;
    const bool has_year = !date.empty();
    date = has_year ? date : date_at_end(before, kDatesWithoutYear);
    if (date.empty() ||
        count_words(before.substr(0, before.size() - date.size())) > kWordsBeforeMax) {
      continue;
    }
    const auto in_year = [&](const std::string& year) {
      const bool dashes = date[2] == '-' && date.size() == 5;
      return (dashes ? year + '-' + std::string(date) : std::string(date) + ' ' + year) + ' ' +
             time->text;
    };
    const auto instant = has_year ? parse_liberal_datetime(std::string(date) + ' ' + time->text)
                         : time->year.empty()
                             ? read_in_last_year(receipt_ns, in_year)
                             : parse_liberal_datetime(in_year(std::string(time->year)));
    if (instant) {
      return instant;
    }
  }
  return std::nullopt;
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

// "17/06/09 20:10:40 INFO …", as Spark and Hadoop begin their lines: what cannot be a month stands
// for the year.
std::optional<std::int64_t> read_short_year(std::string_view text) {
  constexpr std::string_view kShape = "99/99/99 99:99:99";
  const std::string_view time = text.substr(0, kShape.size());
  return fits(time, kShape) && time.substr(0, 2) > "12"
             ? parse_liberal_datetime("20" + std::string(time))
             : std::nullopt;
}

// "081109 203615 148 INFO …", as Hadoop's file system once began its lines.
std::optional<std::int64_t> read_digits_of_time(std::string_view text) {
  constexpr std::string_view kShape = "999999 999999 ";
  if (!fits(text.substr(0, kShape.size()), kShape)) {
    return std::nullopt;
  }
  const std::string digits(text.substr(0, kShape.size()));
  return parse_liberal_datetime(digits.substr(0, 9) + ':' + digits.substr(9, 2) + ':' +
                                digits.substr(11, 2));
}

}  // namespace

std::string_view audit_time_text(std::string_view line) {
  constexpr std::string_view kMark = " msg=audit(";
  if (!line.starts_with("type=") && !line.starts_with("node=")) {
    return {};
  }
  const std::size_t mark = line.substr(0, kHeadBytesMax).find(kMark);
  if (mark == std::string_view::npos) {
    return {};
  }
  const std::string_view time = line.substr(mark + kMark.size());
  const std::string_view text = time.substr(0, time.find_first_of(":) "));
  return is_unix_time(text) ? text : std::string_view();
}

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1U : 0U;
  }
  return words;
}

std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t receipt_ns) {
  const std::string_view head = line.substr(0, kHeadBytesMax);
  if (head.find("\x1b[") != std::string_view::npos) {
    return leading_time(without_colors(head), receipt_ns);
  }
  const std::string_view text = skip_priority(head);
  if (text.empty()) {
    return std::nullopt;
  }
  if (const auto time = read_klog_time(text, receipt_ns)) {
    return time;
  }
  if (const auto time = read_short_year(text)) {
    return time;
  }
  if (const auto time =
          text.front() == '[' ? read_in_brackets(text, 0) : read_first_words(text, receipt_ns)) {
    return time;
  }
  if (const auto time = read_marked_unix_time(text)) {
    return time;
  }
  if (const auto time = read_digits_of_time(text)) {
    return time;
  }
  if (const auto time = read_behind_words(text, receipt_ns)) {
    return time;
  }
  if (const std::string_view audit = audit_time_text(text); !audit.empty()) {
    return parse_liberal_datetime(audit);
  }
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    if (const auto time = read_in_brackets(text, open)) {
      return time;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> whole_time(std::string_view text) {
  constexpr std::string_view kBasic = "99999999T999999";
  return text.size() <= kHeadBytesMax && (has_time_of_day(text) || is_unix_time(text) ||
                                          fits(text.substr(0, kBasic.size()), kBasic))
             ? parse_liberal_datetime(text)
             : std::nullopt;
}

}  // namespace evq
