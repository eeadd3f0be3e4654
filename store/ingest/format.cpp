#include "store/ingest/format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "store/base/ascii.h"
#include "store/base/check.h"
#include "store/ingest/boundary.h"
#include "store/ingest/json_rows.h"
#include "store/ingest/json_text.h"
#include "store/ingest/leading_time.h"
#include "store/ingest/log_or_table.h"
#include "store/ingest/logfmt_line.h"
#include "store/ingest/w3c_log.h"

namespace evq {

namespace {

// Whether objects come a line each.
std::optional<PieceKind> detect_object_kind(std::string_view head, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (is_balanced(head.substr(0, line_end))) {
    return PieceKind::kLines;
  }
  const std::size_t next = skip_json_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  // A line that is cut off seldom ends where more must follow; one of a longer value does.
  const std::string_view line = trimmed(head.substr(0, line_end));
  const bool goes_on = std::string_view("[,:").find(line.back()) != std::string_view::npos;
  const bool begins_line = next < head.size() && head[next] == '{' && head[next - 1] == '\n';
  return begins_line && !goes_on ? PieceKind::kLines : PieceKind::kValues;
}

// Whether an array is one of many, a line each, or the whole input.
std::optional<PieceKind> detect_array_kind(std::string_view head, bool rows_possible, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (!is_balanced(head.substr(0, line_end))) {
    return PieceKind::kValues;
  }
  const std::size_t next = skip_json_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  if (next == head.size() || head[next] != '[') {
    return PieceKind::kValues;
  }
  return rows_possible && read_row_names(head.substr(0, line_end)).has_value() ? PieceKind::kRows
                                                                               : PieceKind::kLines;
}

// The size of the number of JSON that `text` begins with, which may be cut off at its end; 0 where
// there is none: "2024-05-12" and "007" are none.
std::size_t number_size(std::string_view text) {
  const auto digits_end = [&](std::size_t from) {
    return std::min(text.find_first_not_of("0123456789", from), text.size());
  };
  const auto follows = [&](std::size_t at, std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  const std::size_t first = follows(0, "-") ? 1 : 0;
  std::size_t end = digits_end(first);
  if ((end == first && end < text.size()) || (end - first > 1 && text[first] == '0')) {
    return 0;
  }
  if (follows(end, ".")) {
    end = digits_end(end + 1);
  }
  if (follows(end, "eE")) {
    end = digits_end(end + (follows(end + 1, "+-") ? 2 : 1));
  }
  return follows(end, "+-.:/_") || (end < text.size() && is_letter_or_digit(text[end])) ? 0 : end;
}

// The size of the word or the number that an array may begin with, 0 for one that is empty; nothing
// where no array does.
std::optional<std::size_t> plain_value(std::string_view text) {
  if (text.front() == ']') {
    return 0;
  }
  for (const std::string_view word : {"true", "false", "null"}) {
    const std::size_t size = std::min(word.size(), text.size());
    if (text.substr(0, size) == word.substr(0, size)) {
      return size;
    }
  }
  const std::size_t size = number_size(text);
  return size == 0 ? std::nullopt : std::optional(size);
}

// Whether nothing but one of `any` comes behind the value that begins at `begin`, on its last line.
bool only_followed_by(std::string_view head, std::size_t begin, std::string_view any) {
  const std::size_t size = end_of_value(head.substr(begin));
  const std::size_t behind = size == std::string_view::npos
                                 ? std::string_view::npos
                                 : head.find_first_not_of(" \t\r", begin + size);
  return behind == std::string_view::npos || any.find(head[behind]) != std::string_view::npos;
}

// Whether a JSON array can begin with this `[`: "[error] …", "[2024-05-01 …", "[null] …" and
// "[[ACTIVE] …" are log lines, and so are "[    0.000000] [drm] …", a kernel's, and all lines that
// go on behind an array of plain values.
bool begins_array(std::string_view head, std::size_t open) {
  std::size_t first = skip_json_blanks(head, open + 1);
  std::size_t innermost = open;
  while (first < head.size() && head[first] == '[') {
    innermost = first;
    first = skip_json_blanks(head, first + 1);
  }
  const std::string_view rest = head.substr(std::min(first, head.size()));
  if (rest.empty() || rest.front() == '{') {
    return true;
  }
  if (rest.front() != '"') {
    const std::optional<std::size_t> value = plain_value(rest);
    if (!value.has_value()) {
      return false;
    }
    const std::size_t next = skip_json_blanks(rest, *value);
    if (next < rest.size() && rest[next] != ']' && rest[next] != ',') {
      return false;
    }
  }
  return only_followed_by(head, innermost, innermost == open ? "\n" : "\n,]") &&
         only_followed_by(head, open, "\n");
}

// Whether a line holds pairs, of which the last has a value: lines of base64 may end in "=".
bool holds_pairs(std::string_view line) {
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  return is_logfmt_line(line, 1) && !line.ends_with('=');
}

// Nothing: more must be seen.
std::optional<bool> begins_with_logfmt(std::string_view head, bool at_end) {
  constexpr std::size_t kPairsMin = 2;
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  std::string_view line = head.substr(0, line_end);
  line.remove_suffix(line.ends_with('\r') ? 1 : 0);
  if (is_security_event(line)) {
    return false;
  }
  // Some of an audit daemon's lines hold more than pairs, such as the one of its start.
  if (is_logfmt_line(line, kPairsMin) || !audit_time_text(line).empty()) {
    return true;
  }
  // One pair may be anything, unless the next line holds pairs as well; cells may look like one.
  const bool cells = line.find('"') == std::string_view::npos &&
                     line.find_first_of(",;\t|") != std::string_view::npos;
  if (cells || !holds_pairs(line)) {
    return false;
  }
  const std::string_view rest = head.substr(std::min(line_end, head.size()));
  const std::size_t next = skip_json_blanks(rest, 0);
  const std::size_t next_end = rest.find('\n', next);
  if (next_end == std::string_view::npos && !at_end) {
    return std::nullopt;
  }
  return holds_pairs(rest.substr(next, next_end - next));
}

}  // namespace

std::optional<PieceKind> detect_kind(std::string_view head, InputFormat forced, bool at_end) {
  if (forced == InputFormat::kNdjson) {
    return PieceKind::kLines;
  }
  if (forced == InputFormat::kCsv) {
    return PieceKind::kRecords;
  }
  if (forced == InputFormat::kText) {
    return PieceKind::kText;
  }
  if (forced == InputFormat::kLogfmt) {
    return PieceKind::kLogfmt;
  }
  if (forced == InputFormat::kW3c) {
    return PieceKind::kW3c;
  }
  const std::size_t first = skip_json_blanks(head, 0);
  if (first == head.size()) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  constexpr char kRecordSeparator = '\x1E';  // before each line of a JSON text sequence
  if (head[first] == kRecordSeparator && first + 1 < head.size() && head[first + 1] == '{') {
    return PieceKind::kLines;
  }
  if (head[first] == '{' && forced == InputFormat::kDetect &&
      !may_begin_object(head.substr(first))) {
    return PieceKind::kText;
  }
  if (head[first] == '{') {
    const std::string_view object = head.substr(first);
    const auto wrapper = forced == InputFormat::kDetect ? records_prefix(object) : std::size_t{0};
    if (!wrapper && !at_end) {
      return std::nullopt;
    }
    return wrapper.value_or(0) > 0 ? PieceKind::kValues : detect_object_kind(object, at_end);
  }
  if (head[first] == '[' && forced == InputFormat::kDetect && !begins_array(head, first)) {
    return PieceKind::kText;
  }
  if (head[first] == '[' && forced != InputFormat::kJson) {
    return detect_array_kind(head.substr(first), forced == InputFormat::kDetect, at_end);
  }
  if (head[first] == '[' || forced == InputFormat::kJson) {
    return PieceKind::kValues;
  }
  if (forced == InputFormat::kDetect) {
    const std::optional<bool> w3c = begins_with_w3c_header(head.substr(first), at_end);
    if (w3c != std::optional(false)) {
      return w3c ? std::optional(PieceKind::kW3c) : std::nullopt;
    }
    const std::optional<bool> logfmt = begins_with_logfmt(head.substr(first), at_end);
    if (logfmt != std::optional(false)) {
      return logfmt ? std::optional(PieceKind::kLogfmt) : std::nullopt;
    }
    const std::optional<bool> log = begins_with_log_line(head.substr(first), at_end);
    if (!log) {
      return std::nullopt;
    }
    return *log ? PieceKind::kText : PieceKind::kRecords;
  }
  return PieceKind::kRecords;
}

PieceKind kind_by_head(std::string_view head, InputFormat forced) {
  const std::optional<PieceKind> kind = detect_kind(head, forced, true);
  EVQ_CHECK(kind.has_value());
  return *kind;
}

bool may_begin_object(std::string_view text) {
  const std::string_view behind = text.substr(std::min<std::size_t>(1, text.size()), 1);
  return text.starts_with('{') &&
         (behind.empty() || is_json_blank(behind[0]) ||
          std::string_view("\"}'").find(behind[0]) != std::string_view::npos);
}

bool begins_with_one_name(std::string_view head) {
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  return !line.empty() && count_words(line) == 1 && names_a_column(line) &&
         line.find(detect_delimiter(head)) == std::string_view::npos;
}

char detect_delimiter(std::string_view head) {
  constexpr std::string_view kDelimiters = ",;\t|";
  std::array<std::size_t, kDelimiters.size()> counts{};
  bool quoted = false;
  for (const char c : head) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '\n' && !quoted) {
      break;
    } else if (!quoted && kDelimiters.find(c) != std::string_view::npos) {
      ++counts[kDelimiters.find(c)];
    }
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    best = counts[i] > counts[best] ? i : best;
  }
  return kDelimiters[best];
}

}  // namespace evq
