#include "store/ingest/text_line.h"

#include <algorithm>
#include <array>
#include <string>

#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/utf8.h"
#include "store/ingest/log_fields.h"

namespace evq {

namespace {

// Where a time is looked for.
constexpr std::size_t kTimeBytesMax = 160;
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

// Where each of the first words ends.
struct Words {
  std::array<std::size_t, kTimeWordsMax> ends{};
  std::size_t count = 0;
};

Words first_words(std::string_view text) {
  Words words;
  std::size_t i = 0;
  while (i < text.size() && words.count < kTimeWordsMax) {
    while (i < text.size() && text[i] == ' ') {
      ++i;
    }
    while (i < text.size() && text[i] != ' ' && text[i] != '\t') {
      ++i;
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
  const int year = civil_from_ns(receipt_ns).year;
  for (const int candidate : {year + 1, year, year - 1}) {
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

// "I1010 13:55:36.123456", as Kubernetes' own programs begin their lines.
std::optional<std::int64_t> read_klog_time(std::string_view text, std::int64_t receipt_ns) {
  constexpr std::size_t kDateBytes = 6;  // the level's letter, month, day and a blank
  if (text.size() <= kDateBytes ||
      std::string_view("IWEF").find(text[0]) == std::string_view::npos ||
      !std::all_of(text.begin() + 1, text.begin() + kDateBytes - 1, is_digit) ||
      text[kDateBytes - 1] != ' ') {
    return std::nullopt;
  }
  const std::string month(text.substr(1, 2));
  const std::string day(text.substr(3, 2));
  const std::string time(text.substr(kDateBytes, text.find(' ', kDateBytes) - kDateBytes));
  if (!has_time_of_day(time)) {
    return std::nullopt;
  }
  return read_in_last_year(receipt_ns, [&](const std::string& year) {
    return year + '-' + month + '-' + day + ' ' + time;
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

}  // namespace

std::optional<std::int64_t> leading_time(std::string_view line, std::int64_t receipt_ns) {
  const std::string_view head = line.substr(0, kTimeBytesMax);
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
  if (text.front() != '[') {
    if (const auto time = read_first_words(text, receipt_ns)) {
      return time;
    }
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
  return text.size() <= kTimeBytesMax && (has_time_of_day(text) || is_unix_time(text))
             ? parse_liberal_datetime(text)
             : std::nullopt;
}

void read_text_line(std::string_view line, EventAssembler& event) {
  if (!is_valid_utf8(line)) {
    line = event.repair_text(line, 0);
  }
  event.add_text(event.visit(EventAssembler::kRoot, kTextLineField), line);
  const LogFields parts = log_fields(line);
  for (const LogField& field : parts.fields()) {
    const NodeId node = event.visit(EventAssembler::kRoot, field.name);
    if (field.number) {
      event.add_long(node, *field.number);
    } else {
      event.add_text(node, field.text);
    }
  }
}

void append_text_as_json(std::string* out, std::string_view line,
                         std::optional<std::int64_t> time) {
  JsonWriter json(*out);
  json.begin_object();
  if (time) {
    json.key("_time");
    json.instant(*time);
  }
  json.key(kTextLineField);
  json.string(line);
  const LogFields parts = log_fields(line);
  for (const LogField& field : parts.fields()) {
    json.key(field.name);
    if (field.number) {
      json.integer(*field.number);
    } else {
      json.string(field.text);
    }
  }
  json.end_object();
}

}  // namespace evq
