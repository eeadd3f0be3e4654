#include "apl/syntax/source.h"

#include <algorithm>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr std::size_t kShownBeforeCaretMax = 100;  // code points of a long line kept on each side
constexpr std::size_t kShownAfterCaretMax = 60;

// One character per code point that keeps its place: tabs and control characters become blanks.
std::string shown(std::string_view text) {
  std::string out(text);
  for (char& byte : out) {
    if (static_cast<unsigned char>(byte) < 0x20U || byte == 0x7F) {
      byte = ' ';
    }
  }
  return out;
}

constexpr std::string_view kCut = "…";
constexpr std::size_t kExcerptColumnsMin = 8;  // narrower ones would show nothing

// A line as it is printed, in three parts; the middle one is marked.
struct Excerpt {
  std::string left;
  std::string middle;
  std::string right;
};

// The bytes at the front of `text` that fit in so many columns.
std::size_t fitting_front(std::string_view text, std::size_t columns,
                          const SourceDisplay& display) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t size = code_point_offset(text.substr(end), 1);
    const std::size_t width = display.width(display.shown(text.substr(end, size)));
    if (width > columns) {
      break;
    }
    columns -= width;
    end += size;
  }
  return end;
}

// The same at its back.
std::size_t fitting_back(std::string_view text, std::size_t columns, const SourceDisplay& display) {
  std::size_t begin = text.size();
  while (begin > 0) {
    std::size_t start = begin - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
      --start;
    }
    const std::size_t width = display.width(display.shown(text.substr(start, begin - start)));
    if (width > columns) {
      break;
    }
    columns -= width;
    begin = start;
  }
  return text.size() - begin;
}

// The front of `text` in at most so many columns, with a sign where it is cut.
std::string cut_front(std::string_view text, std::size_t columns, const SourceDisplay& display) {
  if (fitting_front(text, columns, display) == text.size()) {
    return display.shown(text);
  }
  const std::size_t kept =
      fitting_front(text, columns - std::min<std::size_t>(columns, 1), display);
  return display.shown(text.substr(0, kept)).append(columns == 0 ? std::string_view() : kCut);
}

// At least half of the room is for what is marked and follows; what that leaves is for what stands
// before.
Excerpt fitted_excerpt(std::string_view before, std::string_view marked, std::string_view rest,
                       std::size_t room, const SourceDisplay& display) {
  const auto width_within = [&](std::string_view text) {
    return display.width(display.shown(text.substr(0, fitting_front(text, room, display))));
  };
  const std::size_t behind = std::max<std::size_t>(width_within(marked) + width_within(rest), 1);
  const std::size_t room_before = room - std::min(behind, (room + 1) / 2);
  Excerpt excerpt;
  if (fitting_back(before, room_before, display) == before.size()) {
    excerpt.left = display.shown(before);
  } else {
    const std::size_t kept = fitting_back(before, room_before - 1, display);
    excerpt.left = std::string(kCut) + display.shown(before.substr(before.size() - kept));
  }
  std::size_t left = room - std::min(room, display.width(excerpt.left));
  const std::size_t marked_max = left - (rest.empty() ? 0 : 1);
  if (fitting_front(marked, marked_max, display) < marked.size()) {
    excerpt.middle =
        display.shown(marked.substr(0, fitting_front(marked, left - 1, display))).append(kCut);
    return excerpt;
  }
  excerpt.middle = display.shown(marked);
  left -= std::min(left, display.width(excerpt.middle));
  excerpt.right = cut_front(rest, left, display);
  return excerpt;
}

// Where the width is not known, so much on each side that the reader finds the place.
Excerpt usual_excerpt(std::string_view before, std::string_view marked, std::string_view rest,
                      const SourceDisplay& display) {
  const std::size_t count = count_code_points(before);
  if (count > kShownBeforeCaretMax) {
    before.remove_prefix(code_point_offset(before, count - kShownBeforeCaretMax));
  }
  marked = marked.substr(0, code_point_offset(marked, kShownAfterCaretMax));
  rest = rest.substr(0, code_point_offset(rest, kShownAfterCaretMax - count_code_points(marked)));
  return {display.shown(before), display.shown(marked), display.shown(rest)};
}

}  // namespace

SourceText::SourceText(std::string text, std::string name)
    : text_(std::move(text)), name_(std::move(name)), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_starts_.push_back(i + 1);
    }
  }
}

std::string_view SourceText::slice(Span span) const {
  const std::size_t begin = std::min(span.begin, text_.size());
  const std::size_t end = std::clamp(span.end, begin, text_.size());
  return std::string_view(text_).substr(begin, end - begin);
}

SourcePosition SourceText::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  const std::size_t start = line_starts_[line - 1];
  return {.line = line, .column = count_code_points(slice({start, offset})) + 1};
}

std::string_view SourceText::line(std::size_t number) const {
  if (number == 0 || number > line_starts_.size()) {
    return {};
  }
  const std::size_t end = number < line_starts_.size() ? line_starts_[number] - 1 : text_.size();
  std::string_view text = slice({line_starts_[number - 1], end});
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

std::string SourceText::render(const Error& error) const {
  return render(error, {shown, count_code_points});
}

std::string SourceText::render(const Error& error, const SourceDisplay& display) const {
  std::string out = "error[" + std::string(diag::slug_of(error)) + "]: " + error.message + "\n";
  std::size_t gutter = 1;
  if (error.span) {
    const SourcePosition at = position(error.span->begin);
    const std::string number = std::to_string(at.line);
    gutter = number.size();
    const std::string_view text = line(at.line);
    const std::size_t line_end = line_starts_[at.line - 1] + text.size();
    const std::string_view before = text.substr(0, code_point_offset(text, at.column - 1));
    const std::string_view after = text.substr(before.size());
    const std::string_view marked = after.substr(
        0, std::min(error.span->end, line_end) - std::min(error.span->begin, line_end));
    const std::string_view rest = after.substr(marked.size());
    const std::size_t margin = gutter + 4;  // " 12 | "
    const Excerpt excerpt =
        display.columns == 0
            ? usual_excerpt(before, marked, rest, display)
            : fitted_excerpt(before, marked, rest,
                             std::max(display.columns, margin + kExcerptColumnsMin) - margin,
                             display);

    out.append(gutter + 1, ' ');
    out += "--> " + name_ + ":" + number + ":" + std::to_string(at.column) + "\n";
    out.append(gutter + 2, ' ');
    out += "|\n " + number + " | " + excerpt.left + excerpt.middle + excerpt.right + "\n";
    out.append(gutter + 2, ' ');
    out += "| " + std::string(display.width(excerpt.left), ' ') +
           std::string(std::max<std::size_t>(display.width(excerpt.middle), 1), '^') + "\n";
  }
  if (!error.hint.empty()) {
    out.append(gutter + 2, ' ');
    out += "= " + error.hint + "\n";
  }
  return out;
}

std::string SourceText::render_line(const Error& error) const {
  std::string out(error.id);
  if (error.span) {
    const SourcePosition at = position(error.span->begin);
    out += (out.empty() ? "" : " ") + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  out += (out.empty() ? "" : " ") + error.message;
  if (!error.hint.empty()) {
    out += "; " + error.hint;
  }
  return out;
}

}  // namespace evq
