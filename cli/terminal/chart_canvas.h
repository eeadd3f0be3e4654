#pragma once
// ChartCanvas: a grid of terminal cells that series are drawn into. In dots mode every cell has two
// by four braille dots; in marks mode a cell has one character of its series. A cell belongs to the
// series that drew there first, so that later ones do not hide it. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

enum class CanvasMode : std::uint8_t { kDots, kMarks };

class ChartCanvas {
 public:
  ChartCanvas(std::size_t columns, std::size_t rows, CanvasMode mode);

  // Returns the number of points to the right and down that can be told apart.
  std::size_t points_wide() const;
  std::size_t points_high() const;
  // Sets a point; `y` counts from the top; points outside are left out.
  void set(std::size_t x, std::size_t y, std::size_t series);
  // Sets all points between the two.
  void draw_line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1,
                 std::size_t series);
  // Appends one row of cells, without a line break and without blanks at its end.
  void append_row(std::string& out, std::size_t row, bool unicode, bool color) const;

 private:
  struct CanvasCell {
    std::uint8_t dots = 0;  // braille bits, or 1 in marks mode
    std::uint8_t series = 0;
  };

  const std::size_t columns_;
  const std::size_t rows_;
  const CanvasMode mode_;
  std::vector<CanvasCell> cells_;
};

// Returns the character that stands for a series in marks mode.
std::string_view series_mark(std::size_t series, bool unicode);

}  // namespace evq
