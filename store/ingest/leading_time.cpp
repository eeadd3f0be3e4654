#include "store/ingest/leading_time.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/base/ascii.h"
#include "store/base/time_parse.h"
#include "store/base/time_scan.h"
#include "store/ingest/log_fields.h"
#include "store/ingest/program_times.h"
#include "store/ingest/time_behind_words.h"
#include "store/ingest/time_shapes.h"

namespace evq {

namespace {

constexpr std::size_t kTimeWordsMax = 6;

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

// Where each of the first words ends, up to one that cannot belong to a time. Behind a half of the
// day that is the last of them the zone may follow. A zone with more behind it than marks ends
// them.
struct Words {
  std::array<std::size_t, kTimeWordsMax + 1> ends{};
  std::size_t count = 0;
};

std::string_view trim_punctuation(std::string_view text) {
  while (!text.empty() && std::string_view(",:;|-").find(text.back()) != std::string_view::npos) {
    text.remove_suffix(1);
  }
  return text;
}

// How much of a word behind a time is a zone, as in "-0500|x", "CET,x" and "+01:00)", with a colon
// behind it; 0: all of it, or none is.
std::size_t zone_before_more(std::string_view word) {
  const std::size_t size = zone_size(word);
  const bool marks_only = trim_punctuation(word).size() <= size;
  return marks_only ? 0 : size > 0 && word[size] == ':' ? size + 1 : size;
}

Words first_words(std::string_view text) {
  Words words;
  std::size_t i = 0;
  const std::size_t foreign = text.find_first_of(kForeignToTimes);
  const bool commented = text.find('(') < foreign;
  const auto behind_half_day = [&] {
    const std::string_view read = text.substr(0, i);
    return words.count == kTimeWordsMax && (read.ends_with(" AM") || read.ends_with(" PM"));
  };
  while (i < text.size() && (words.count < kTimeWordsMax || behind_half_day())) {
    while (i < text.size() && text[i] == ' ') {
      ++i;
    }
    const std::size_t begin = i;
    while (i < text.size() && text[i] != ' ' && text[i] != '\t') {
      ++i;
    }
    const std::size_t zone = has_time_of_day(text.substr(0, begin))
                                 ? zone_before_more(text.substr(begin, i - begin))
                                 : 0;
    if (zone > 0 && (begin + zone <= foreign || commented)) {
      words.ends[words.count++] = begin + zone;
      break;
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

// "Oct 11 22:14:15".
std::optional<std::int64_t> read_without_year(std::string_view text, std::int64_t from_ns) {
  return read_in_last_year(
      from_ns, [text](const std::string& year) { return std::string(text) + ' ' + year; });
}

// Whether the last word is a zone with a colon behind it, as in "Nov 16 06:55:46.123 CET: %SYS-5",
// or an offset in hours and minutes.
bool ends_in_zone(std::string_view words) {
  constexpr std::size_t kHoursOnly = 3;
  const bool colon = words.ends_with(':');
  words.remove_suffix(colon ? 1 : 0);
  const std::string_view last = words.substr(words.rfind(' ') + 1);
  const bool is_offset =
      last.size() > kHoursOnly && (last.starts_with('+') || last.starts_with('-'));
  return (colon || is_offset) && !last.empty() && zone_size(last) == last.size();
}

// Of ISO 8601 with its zone, as machines write it: no word behind it can belong to the time.
std::optional<std::int64_t> read_zoned_instant(std::string_view text) {
  constexpr std::size_t kSizeMin = std::string_view("2024-05-01T10:20:30Z").size();
  constexpr std::size_t kLetterAt = std::string_view("2024-05-01").size();
  const std::string_view word = trim_punctuation(text.substr(0, text.find(' ')));
  if (word.size() < kSizeMin || word[kLetterAt] != 'T') {
    return std::nullopt;
  }
  const std::string_view end = word.substr(kSizeMin - 1);
  const bool has_zone = end.ends_with('Z') || end.find_first_of("+-") != std::string_view::npos;
  return has_zone ? parse_instant(word) : std::nullopt;
}

// Whether a word behind date and time may say more of them: a zone, an offset, a half of the day.
bool may_belong_to_time(std::string_view word) {
  if (word.empty() || word.front() == '[') {
    return false;
  }
  const auto* const end = std::find_if_not(word.begin(), word.end(), is_letter);
  const std::string_view letters = word.substr(0, static_cast<std::size_t>(end - word.begin()));
  constexpr std::size_t kHalfDayLetters = 2;
  const bool is_name = end == word.end() || *end == ':' || *end == ',' || *end == '[';
  return letters.size() <= kHalfDayLetters || !is_name || zone_from_name(letters).has_value();
}

// "2024-05-01 10:20:30,123" where what follows cannot belong to it, such as "INFO" and "[main]".
std::optional<std::int64_t> read_lone_instant(std::string_view text) {
  constexpr std::size_t kSizeMin = std::string_view("2024-05-01 10:20:30").size();
  constexpr std::size_t kBlankAt = std::string_view("2024-05-01").size();
  if (text.size() < kSizeMin || text[kBlankAt] != ' ') {
    return std::nullopt;
  }
  const std::size_t end = std::min(text.find(' ', kBlankAt + 1), text.size());
  const std::size_t next = std::min(text.find_first_not_of(' ', end), text.size());
  const std::string_view word = text.substr(next, text.find(' ', next) - next);
  return may_belong_to_time(word) ? std::nullopt
                                  : parse_instant(trim_punctuation(text.substr(0, end)));
}

// The half of the day behind a time where more follows it without a blank, or it is abbreviated,
// and the zone: " PM" of " PM,INFO" and " p.m. x", " PM CET" of " p.m. CET x", " PM Z" of
// " PMZ,INFO"; empty: there is none.
std::string half_day_behind(std::string_view rest) {
  if (rest.size() < 3 || rest[0] != ' ') {
    return {};
  }
  const char letter = to_lower(rest[1]);
  rest.remove_prefix(2);
  rest.remove_prefix(rest.starts_with('.') ? 1 : 0);
  const bool has_m = !rest.empty() && to_lower(rest[0]) == 'm';
  if ((letter != 'a' && letter != 'p') || !has_m) {
    return {};
  }
  rest.remove_prefix(1);
  const bool goes_on = !rest.empty() && is_letter_or_digit(rest[0]);
  rest.remove_prefix(rest.starts_with('.') ? 1 : 0);
  const bool blank = rest.starts_with(' ');
  rest.remove_prefix(blank ? 1 : 0);
  const std::size_t zone = goes_on || blank ? zone_size(rest) : 0;
  if (goes_on && zone == 0) {
    return {};
  }
  std::string half_day = letter == 'a' ? " AM" : " PM";
  return zone > 0 ? (half_day += ' ').append(rest.substr(0, zone)) : half_day;
}

// The longest run of the first words that is a time.
std::optional<std::int64_t> read_first_words(std::string_view text, std::int64_t from_ns,
                                             DateOrder order) {
  if (const auto time = read_zoned_instant(text)) {
    return time;
  }
  if (const auto time = read_lone_instant(text)) {
    return time;
  }
  const Words words = first_words(text);
  const bool month_first = begins_with_month(text);
  for (std::size_t n = words.count; n > 0; --n) {
    const std::string_view run = text.substr(0, words.ends[n - 1]);
    const std::string_view candidate = trim_punctuation(run);
    const bool lacks_year = month_first && (n == 3 || (n == 4 && ends_in_zone(run)));
    if (lacks_year && has_time_of_day(candidate)) {
      if (const auto time = read_without_year(candidate, from_ns)) {
        return time;
      }
    }
    if (has_time_of_day(candidate) || n == 1) {
      const std::string half_day = half_day_behind(text.substr(run.size()));
      const auto time = half_day.empty()
                            ? std::nullopt
                            : whole_time(std::string(candidate).append(half_day), order);
      if (const auto any = time ? time : whole_time(candidate, order)) {
        return any;
      }
    }
  }
  return std::nullopt;
}

// What the brackets from `open` on hold.
std::optional<std::int64_t> read_in_brackets(std::string_view text, std::size_t open,
                                             std::int64_t from_ns, DateOrder order) {
  const std::size_t close = text.find(']', open);
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view inside = text.substr(open + 1, close - open - 1);
  if (const auto time = short_year_time(inside, from_ns, order)) {
    return time;
  }
  return has_time_of_day(inside) ? parse_logged_datetime(inside, order) : std::nullopt;
}

}  // namespace

std::string_view audit_time_text(std::string_view line) {
  constexpr std::string_view kMark = " msg=audit(";
  if (!line.starts_with("type=") && !line.starts_with("node=")) {
    return {};
  }
  const std::size_t mark = line.substr(0, kTimeHeadBytesMax).find(kMark);
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

std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t from_ns,
                                         DateOrder order) {
  const std::string_view head = line.substr(0, kTimeHeadBytesMax);
  if (head.find("\x1b[") != std::string_view::npos) {
    return leading_time(without_colors(head), from_ns, order);
  }
  const std::string_view text = skip_priority(head);
  if (text.empty()) {
    return std::nullopt;
  }
  if (const auto time = klog_time(text, from_ns)) {
    return time;
  }
  if (const auto time = short_year_time(text, from_ns, order)) {
    return time;
  }
  if (const auto time = text.front() == '[' ? read_in_brackets(text, 0, from_ns, order)
                                            : read_first_words(text, from_ns, order)) {
    return time;
  }
  if (const auto time = program_time(text)) {
    return time;
  }
  if (const auto time = time_behind_words(text, from_ns, order)) {
    return time;
  }
  if (const std::string_view audit = audit_time_text(text); !audit.empty()) {
    return parse_liberal_datetime(audit);
  }
  if (const auto time = rare_program_time(text, from_ns, order)) {
    return time;
  }
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    if (const auto time = read_in_brackets(text, open, from_ns, order)) {
      return time;
    }
  }
  return std::nullopt;
}

std::optional<DateOrder> told_date_order(std::string_view text) {
  constexpr std::size_t kYearDigits = 4;
  TimeScanner scanner(text);
  const auto date = take_date_numbers(&scanner);
  const auto is_month = [](int number) { return number >= 1 && number <= 12; };
  if (!date || date->third_digits != kYearDigits ||
      is_month(date->first) == is_month(date->second)) {
    return std::nullopt;
  }
  return is_month(date->first) ? DateOrder::kMonthFirst : DateOrder::kDayFirst;
}

std::optional<std::int64_t> whole_time(std::string_view text, DateOrder order) {
  return text.size() <= kTimeHeadBytesMax && (has_time_of_day(text) || is_unix_time(text))
             ? parse_logged_datetime(text, order)
             : std::nullopt;
}

}  // namespace evq
