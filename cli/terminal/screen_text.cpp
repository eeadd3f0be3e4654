#include "cli/terminal/screen_text.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text_width.h"

namespace evq {

namespace {

// A line of more bytes, such as an answer of the API, is taken to fill the screen.
constexpr std::size_t kKeptLineBytesMax = std::size_t{1} << 20U;

// Where the escape sequence that starts at `position` ends: ESC [ parameters final, or ESC and one.
std::size_t end_of_escape(std::string_view text, std::size_t position) {
  std::size_t end = position + 1;
  if (end < text.size() && text[end] == '[') {
    ++end;
    while (end < text.size() && text[end] >= 0x20 && text[end] < 0x40) {
      ++end;
    }
  }
  return std::min(end + 1, text.size());
}

std::size_t line_width(std::string_view line) {
  std::size_t width = 0;
  std::size_t position = 0;
  while (position < line.size()) {
    if (line[position] == '\x1b') {
      position = end_of_escape(line, position);
      continue;
    }
    const std::size_t end = std::min(line.find('\x1b', position), line.size());
    width += text_width(line.substr(position, end - position));
    position = end;
  }
  return width;
}

}  // namespace

std::size_t count_screen_rows(std::string_view text, std::size_t columns, std::size_t rows_max) {
  columns = std::max<std::size_t>(columns, 1);
  std::size_t rows = 0;
  while (!text.empty() && rows <= rows_max) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::size_t width = line_width(text.substr(0, end));
    rows += std::max<std::size_t>((width + columns - 1) / columns, 1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return rows;
}

std::string without_escapes(std::string_view text) {
  std::string plain;
  for (std::size_t position = 0; position < text.size();) {
    const std::size_t end = std::min(text.find('\x1b', position), text.size());
    plain.append(text.substr(position, end - position));
    position = end < text.size() ? end_of_escape(text, end) : end;
  }
  return plain;
}

bool ScreenText::append(std::string_view text, TerminalSize size) {
  const std::size_t begin = text_.size();
  text_.append(text);
  if (const std::size_t last_break = text.rfind('\n'); last_break != std::string_view::npos) {
    const std::size_t end = begin + last_break + 1;
    rows_ += count_screen_rows(std::string_view(text_).substr(line_start_, end - line_start_),
                               size.columns, size.rows);
    line_start_ = end;
  }
  return rows_ < size.rows && text_.size() - line_start_ <= kKeptLineBytesMax;
}

std::string ScreenText::take() {
  rows_ = 0;
  line_start_ = 0;
  return std::exchange(text_, {});
}

}  // namespace evq
