#include "cli/text_tables.h"

#include <algorithm>
#include <array>
#include <optional>

#include "store/base/ascii.h"
#include "store/ingest/format.h"

namespace evq {

namespace {

// Lines with as many delimiters as the first one, which reads like a header.
bool begins_with_csv(std::string_view text) {
  constexpr std::size_t kLinesRead = 5;
  if (text.empty() || is_digit(text.front()) ||
      detect_kind(text, InputFormat::kDetect, true) != std::optional(PieceKind::kRecords)) {
    return false;
  }
  const char delimiter = detect_delimiter(text);
  const auto delimiters = std::ranges::count(take_line(&text), delimiter);
  std::size_t records = 0;
  for (; records < kLinesRead && text.find('\n') != std::string_view::npos; ++records) {
    if (std::ranges::count(take_line(&text), delimiter) != delimiters) {
      return false;
    }
  }
  return delimiters > 0 && records > 0;
}

// Packed or not.
bool is_named_csv(std::string_view path) {
  constexpr std::array<std::string_view, 2> kPacked = {".gz", ".zst"};
  for (const std::string_view suffix : kPacked) {
    path.remove_suffix(path.ends_with(suffix) ? suffix.size() : 0);
  }
  constexpr std::string_view kSuffix = ".csv";
  return path.size() > kSuffix.size() &&
         equals_ignoring_ascii_case(path.substr(path.size() - kSuffix.size()), kSuffix);
}

}  // namespace

InputFormat format_of_one_column(std::string_view path, std::string_view head,
                                 const IngestOptions& options) {
  const std::string_view line = trimmed(head.substr(0, head.find('\n')));
  const bool named = is_named_csv(path) || (!line.empty() && line == options.timestamp_field);
  return options.format == InputFormat::kDetect && named && begins_with_one_name(head)
             ? InputFormat::kCsv
             : options.format;
}

bool is_table_of_words(std::string_view text) {
  constexpr std::ptrdiff_t kBlanksMin = 3;
  const std::string_view names = trimmed(text.substr(0, text.find('\n')));
  std::string_view values = text.substr(std::min(text.find('\n'), text.size()));
  values = trimmed(values.substr(0, values.find('\n', 1)));
  const std::ptrdiff_t blanks = std::ranges::count(names, ' ');
  bool begins = true;
  bool named = true;
  for (const char c : names) {
    const bool inside = is_letter_or_digit(c) || c == '-' || c == '_' || c == ' ';
    named = named && (begins ? is_letter(c) : inside);
    begins = c == ' ';
  }
  std::ptrdiff_t with_digits = 0;
  bool counted = false;
  for (const char c : values) {
    with_digits += is_digit(c) && !counted ? 1 : 0;
    counted = c != ' ' && (counted || is_digit(c));
  }
  return named && blanks >= kBlanksMin && blanks == std::ranges::count(values, ' ') &&
         values.find("  ") == std::string_view::npos && with_digits * 2 > blanks;
}

std::size_t lines_above_csv(std::string_view head) {
  constexpr std::size_t kLinesMax = 10;
  for (std::size_t lines = 1; lines <= kLinesMax && !head.empty(); ++lines) {
    take_line(&head);
    if (!is_blank(head.substr(0, head.find('\n'))) && begins_with_csv(head)) {
      return lines;
    }
  }
  return 0;
}

}  // namespace evq
