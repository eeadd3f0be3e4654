#include "cli/terminal/screen_painter.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text_width.h"

namespace evq {

namespace {

constexpr std::string_view kTabBlanks = "    ";
constexpr std::string_view kClearLine = "\r\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

std::string sequence(std::size_t count, char final) {
  return "\x1b[" + std::to_string(count) + final;
}

}  // namespace

FrameBuilder::FrameBuilder(std::size_t columns, bool color)
    : columns_(std::max<std::size_t>(columns, 2)), color_(color) {
  frame_.rows.emplace_back();
}

void FrameBuilder::set_style(TextStyle style) {
  if (style == style_ || !color_) {
    return;
  }
  std::string& bytes = frame_.rows.back().bytes;
  if (style_ != TextStyle::kPlain) {
    bytes.append(kStyleReset);
  }
  bytes.append(style_code(style));
  style_ = style;
}

void FrameBuilder::append(std::string_view text, TextStyle style) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t end = next_grapheme(text, position);
    append_cluster(text.substr(position, end - position), style);
    position = end;
  }
}

void FrameBuilder::append_cluster(std::string_view cluster, TextStyle style) {
  const std::string shown = cluster == "\t" ? std::string(kTabBlanks) : visible_text(cluster);
  // An escape such as \x1b may be broken between its characters, a real cluster may not.
  std::size_t position = 0;
  while (position < shown.size()) {
    const std::size_t end = next_grapheme(shown, position);
    const std::string_view part = std::string_view(shown).substr(position, end - position);
    const std::size_t width = grapheme_width(part);
    if (column_ + width > columns_) {
      break_line();
    }
    set_style(style);
    frame_.rows.back().bytes.append(part);
    column_ += width;
    frame_.rows.back().width = column_;
    position = end;
  }
}

void FrameBuilder::break_line() {
  set_style(TextStyle::kPlain);
  frame_.rows.emplace_back();
  column_ = 0;
}

void FrameBuilder::mark_cursor() {
  if (column_ >= columns_) {
    break_line();
  }
  frame_.cursor_row = frame_.rows.size() - 1;
  frame_.cursor_column = column_;
}

Frame FrameBuilder::take() {
  set_style(TextStyle::kPlain);
  frame_.footer_rows = frame_.rows.size() - std::min(footer_begin_, frame_.rows.size());
  return std::move(frame_);
}

void ScreenPainter::move_to_row(std::string& out, std::size_t row) {
  // Going down by line feeds makes new rows at the bottom of the screen; cursor movement would not.
  // The carriage return first leaves the state after a row's last column, which terminals differ
  // in.
  out.push_back('\r');
  if (row < row_) {
    out.append(sequence(row_ - row, 'A'));
  } else {
    out.append(row - row_, '\n');
  }
  row_ = row;
  column_ = 0;
}

bool ScreenPainter::paint(const Frame& frame, TerminalSize size) {
  const std::size_t total = frame.rows.size();
  const std::size_t body = total - frame.footer_rows;
  const std::size_t footer = std::min(frame.footer_rows, size.rows - 1);
  const std::size_t count = std::min(body, size.rows - footer);
  std::size_t first = 0;
  if (body > count) {
    const std::size_t above = count / 2;
    first = std::min(body - count, frame.cursor_row - std::min(above, frame.cursor_row));
  }
  const auto row = [&](std::size_t index) {
    return frame.rows.begin() + static_cast<std::ptrdiff_t>(index);
  };
  std::vector<FrameRow> rows(row(first), row(first + count));
  rows.insert(rows.end(), row(body), row(body + footer));
  return paint_rows(std::move(rows), frame.cursor_row - first, frame.cursor_column);
}

bool ScreenPainter::paint_whole(const Frame& frame, TerminalSize size) {
  std::string out;
  if (frame.rows.size() > size.rows) {
    // What is on the screen is not the first of the rows.
    move_to_row(out, 0);
    out.append(kClearBelow);
    painted_.clear();
  }
  return (out.empty() || device_.write(out)) &&
         paint_rows(frame.rows, frame.cursor_row, frame.cursor_column);
}

bool ScreenPainter::paint_rows(std::vector<FrameRow> rows, std::size_t cursor_row,
                               std::size_t cursor_column) {
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i >= painted_.size() || !(painted_[i] == rows[i])) {
      move_to_row(out, i);
      out.append(kClearLine).append(rows[i].bytes);
    }
  }
  if (painted_.size() > rows.size()) {
    move_to_row(out, rows.size());
    out.append(kClearBelow);
  }
  if (!out.empty() || cursor_row != row_ || cursor_column != column_) {
    move_to_row(out, cursor_row);
    if (cursor_column > 0) {
      out.append(sequence(cursor_column, 'C'));
    }
    column_ = cursor_column;
  }
  painted_ = std::move(rows);
  return out.empty() || device_.write(out);
}

bool ScreenPainter::resize(TerminalSize size) {
  // A row wider than the new width takes several rows now.
  std::size_t above = column_ / size.columns;
  for (std::size_t i = 0; i < row_ && i < painted_.size(); ++i) {
    above += std::max<std::size_t>((painted_[i].width + size.columns - 1) / size.columns, 1);
  }
  // What went over the top of the screen cannot be reached any more.
  above = std::min(above, size.rows - 1);
  std::string out("\r");
  if (above > 0) {
    out.append(sequence(above, 'A'));
  }
  out.append(kClearBelow);
  painted_.clear();
  row_ = 0;
  column_ = 0;
  return device_.write(out);
}

bool ScreenPainter::finish() {
  std::string out;
  if (!painted_.empty()) {
    move_to_row(out, painted_.size() - 1);
    out.append("\r\n");
  }
  painted_.clear();
  row_ = 0;
  column_ = 0;
  return out.empty() || device_.write(out);
}

bool ScreenPainter::clear_screen() {
  painted_.clear();
  row_ = 0;
  column_ = 0;
  return device_.write("\x1b[H\x1b[2J");
}

}  // namespace evq
