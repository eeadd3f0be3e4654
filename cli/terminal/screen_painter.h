#pragma once
// Drawing what is being edited: a FrameBuilder lays styled text out in rows of the terminal's
// width, a ScreenPainter brings the rows to the terminal. It remembers what is on the screen,
// writes only rows that changed, and does so in one write, so that nothing flickers. It draws from
// the line the cursor is on downwards and never touches what is above.
// A frame taller than the screen is shown around its cursor, above its footer. One thread at a
// time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"

namespace evq {

struct FrameRow {
  std::string bytes;  // printable text and styles; starts and ends plain
  std::size_t width = 0;
  friend bool operator==(const FrameRow&, const FrameRow&) = default;
};

struct Frame {
  std::vector<FrameRow> rows;   // at least one
  std::size_t footer_rows = 0;  // the last ones, which are shown whatever else is not
  std::size_t cursor_row = 0;
  std::size_t cursor_column = 0;  // below the terminal's width
};

class FrameBuilder {
 public:
  FrameBuilder(std::size_t columns, bool color);

  // Appends any text; it is made visible, a tab becomes blanks, and it goes on in the next row.
  void append(std::string_view text, TextStyle style);
  // Appends one character as the user sees it.
  void append_cluster(std::string_view cluster, TextStyle style);
  void break_line();
  // Makes what follows, from the next row on, the footer.
  void begin_footer() { footer_begin_ = frame_.rows.size(); }
  // Puts the cursor here; without this, it is at the start.
  void mark_cursor();
  std::size_t columns_left() const { return columns_ - column_; }
  // Returns the frame; called once, at the end.
  Frame take();

 private:
  void set_style(TextStyle style);

  const std::size_t columns_;
  const bool color_;
  Frame frame_;
  std::size_t footer_begin_ = SIZE_MAX;
  std::size_t column_ = 0;
  TextStyle style_ = TextStyle::kPlain;
};

class ScreenPainter {
 public:
  explicit ScreenPainter(TerminalDevice& device) : device_(device) {}

  // False when the terminal is gone.
  bool paint(const Frame& frame, TerminalSize size);
  // Paints all rows, also those that go over the top of the screen, for good. Without a footer.
  bool paint_whole(const Frame& frame, TerminalSize size);
  // Erases what a terminal with a new width has wrapped, to be painted again.
  bool resize(TerminalSize size);
  // Leaves what is painted and goes to the line below it.
  bool finish();
  // Empties the screen and starts at its top.
  bool clear_screen();

 private:
  void move_to_row(std::string& out, std::size_t row);
  bool paint_rows(std::vector<FrameRow> rows, std::size_t cursor_row, std::size_t cursor_column);

  TerminalDevice& device_;
  std::vector<FrameRow> painted_;
  std::size_t row_ = 0;     // where the cursor is, counted from the first painted row
  std::size_t column_ = 0;  // the cursor's column there
};

}  // namespace evq
