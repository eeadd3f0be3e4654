#include "cli/terminal/chart_canvas.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "cli/terminal/style.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

constexpr std::size_t kDotsWide = 2;
constexpr std::size_t kDotsHigh = 4;
constexpr char32_t kBrailleBase = 0x2800;

// The bit of each dot in a braille cell, by column and then row.
constexpr std::array<std::array<std::uint8_t, kDotsHigh>, kDotsWide> kDotBits = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

}  // namespace

std::string_view series_mark(std::size_t series, bool unicode) {
  static constexpr std::array<std::string_view, kSeriesColors> kUnicode = {"●", "○", "◆",
                                                                           "◇", "▲", "△"};
  static constexpr std::array<std::string_view, kSeriesColors> kAscii = {"*", "o", "+",
                                                                         "x", "#", "@"};
  return (unicode ? kUnicode : kAscii)[series % kSeriesColors];
}

ChartCanvas::ChartCanvas(std::size_t columns, std::size_t rows, CanvasMode mode)
    : columns_(columns), rows_(rows), mode_(mode), cells_(columns * rows) {}

std::size_t ChartCanvas::points_wide() const {
  return mode_ == CanvasMode::kDots ? columns_ * kDotsWide : columns_;
}

std::size_t ChartCanvas::points_high() const {
  return mode_ == CanvasMode::kDots ? rows_ * kDotsHigh : rows_;
}

void ChartCanvas::set(std::size_t x, std::size_t y, std::size_t series) {
  if (x >= points_wide() || y >= points_high()) {
    return;
  }
  const bool dots = mode_ == CanvasMode::kDots;
  CanvasCell& cell = cells_[(dots ? y / kDotsHigh : y) * columns_ + (dots ? x / kDotsWide : x)];
  if (cell.dots == 0) {
    cell.series = static_cast<std::uint8_t>(series % kSeriesColors);
  }
  const std::uint8_t bit = dots ? kDotBits[x % kDotsWide][y % kDotsHigh] : std::uint8_t{1};
  cell.dots = static_cast<std::uint8_t>(cell.dots | bit);
}

void ChartCanvas::draw_line(std::size_t x0, std::size_t y0, std::size_t x1, std::size_t y1,
                            std::size_t series) {
  const auto signed_of = [](std::size_t value) { return static_cast<std::int64_t>(value); };
  const std::int64_t wide = signed_of(x1) - signed_of(x0);
  const std::int64_t high = signed_of(y1) - signed_of(y0);
  const std::int64_t steps = std::max<std::int64_t>(std::max(std::abs(wide), std::abs(high)), 1);
  for (std::int64_t step = 0; step <= steps; ++step) {
    // Rounded half up; the sum is never negative, as both ends are inside.
    const std::int64_t x = signed_of(x0) + (2 * wide * step + steps) / (2 * steps);
    const std::int64_t y = (2 * signed_of(y0) * steps + 2 * high * step + steps) / (2 * steps);
    set(static_cast<std::size_t>(x), static_cast<std::size_t>(y), series);
  }
}

void ChartCanvas::append_row(std::string& out, std::size_t row, bool unicode, bool color) const {
  std::size_t end = columns_;
  while (end > 0 && cells_[row * columns_ + end - 1].dots == 0) {
    --end;
  }
  std::size_t series = kSeriesColors;  // of the colour that is on; none
  for (std::size_t column = 0; column < end; ++column) {
    const CanvasCell& cell = cells_[row * columns_ + column];
    if (cell.dots == 0) {
      out.push_back(' ');
      continue;
    }
    if (color && series != cell.series) {
      series = cell.series;
      out.append(series_code(series));
    }
    if (mode_ == CanvasMode::kDots) {
      append_code_point(out, kBrailleBase + cell.dots);
    } else {
      out.append(series_mark(cell.series, unicode));
    }
  }
  if (series != kSeriesColors) {
    out.append(kStyleReset);
  }
}

}  // namespace evq
