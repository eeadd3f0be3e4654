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
    std::string_view before = text.substr(0, code_point_offset(text, at.column - 1));
    std::string_view after = text.substr(before.size());
    if (at.column - 1 > kShownBeforeCaretMax) {
      before.remove_prefix(code_point_offset(before, at.column - 1 - kShownBeforeCaretMax));
    }
    after = after.substr(0, code_point_offset(after, kShownAfterCaretMax));
    const std::string_view marked = after.substr(
        0, std::min(error.span->end, line_end) - std::min(error.span->begin, line_end));
    const std::string left = display.shown(before);
    const std::string middle = display.shown(marked);

    out.append(gutter + 1, ' ');
    out += "--> " + name_ + ":" + number + ":" + std::to_string(at.column) + "\n";
    out.append(gutter + 2, ' ');
    out +=
        "|\n " + number + " | " + left + middle + display.shown(after.substr(marked.size())) + "\n";
    out.append(gutter + 2, ' ');
    out += "| " + std::string(display.width(left), ' ') +
           std::string(std::max<std::size_t>(display.width(middle), 1), '^') + "\n";
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
