#include "store/ingest/format.h"

#include <array>
#include <cstddef>

#include "store/ingest/json_text.h"

namespace evq {

namespace {

std::size_t skip_blanks(std::string_view text, std::size_t i) {
  while (i < text.size() && is_json_blank(text[i])) {
    ++i;
  }
  return i;
}

// True when all brackets and strings of a line are closed at its end.
bool is_balanced(std::string_view line) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_string) {
      i += c == '\\' ? 1U : 0U;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return depth == 0 && !in_string;
}

// Whether objects come a line each.
std::optional<PieceKind> detect_object_kind(std::string_view head, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (is_balanced(head.substr(0, line_end))) {
    return PieceKind::kLines;
  }
  const std::size_t next = skip_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  const bool begins_line = next < head.size() && head[next] == '{' && head[next - 1] == '\n';
  return begins_line ? PieceKind::kLines : PieceKind::kValues;
}

// Whether an array is one of many, a line each, or the whole input.
std::optional<PieceKind> detect_array_kind(std::string_view head, bool at_end) {
  const std::size_t line_end = head.find('\n');
  if (line_end == std::string_view::npos) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (!is_balanced(head.substr(0, line_end))) {
    return PieceKind::kValues;
  }
  const std::size_t next = skip_blanks(head, line_end);
  if (next == head.size() && !at_end) {
    return std::nullopt;
  }
  return next < head.size() && head[next] == '[' ? PieceKind::kLines : PieceKind::kValues;
}

}  // namespace

std::optional<PieceKind> detect_kind(std::string_view head, InputFormat forced, bool at_end) {
  if (forced == InputFormat::kNdjson) {
    return PieceKind::kLines;
  }
  if (forced == InputFormat::kCsv) {
    return PieceKind::kRecords;
  }
  const std::size_t first = skip_blanks(head, 0);
  if (first == head.size()) {
    return at_end ? std::optional(PieceKind::kValues) : std::nullopt;
  }
  if (head[first] == '{') {
    return detect_object_kind(head.substr(first), at_end);
  }
  if (head[first] == '[' && forced == InputFormat::kAuto) {
    return detect_array_kind(head.substr(first), at_end);
  }
  if (head[first] == '[' || forced == InputFormat::kJson) {
    return PieceKind::kValues;
  }
  return PieceKind::kRecords;
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
