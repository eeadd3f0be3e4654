#include "cli/terminal/live_frame.h"

#include <cerrno>
#include <utility>

#include "cli/terminal/pager.h"

namespace evq {

LiveFrame::LiveFrame(int output, bool moves, bool (*stopped)())
    : output_(output), moves_(moves), stopped_(stopped) {}

void LiveFrame::begin(TerminalSize size) {
  size_ = size;
  kept_.clear();
  rows_ = 0;
  line_start_ = 0;
  direct_ = !moves_;
}

bool LiveFrame::write(std::string_view text) {
  if (direct_) {
    return put(text);
  }
  const std::size_t begin = kept_.size();
  kept_.append(text);
  if (const std::size_t last_break = text.rfind('\n'); last_break != std::string_view::npos) {
    const std::size_t end = begin + last_break + 1;
    rows_ += count_screen_rows(std::string_view(kept_).substr(line_start_, end - line_start_),
                               size_.columns, size_.rows);
    line_start_ = end;
  }
  // The cursor below needs a row, too.
  const bool fits = rows_ < size_.rows && kept_.size() - line_start_ < size_.columns * size_.rows;
  if (fits) {
    return true;
  }
  direct_ = true;
  shown_.clear();
  return put(std::exchange(kept_, {}));
}

bool LiveFrame::finish() {
  if (direct_) {
    return true;
  }
  // A terminal that has become narrower has wrapped what it showed.
  const std::size_t rows = count_screen_rows(shown_, size_.columns, size_.rows);
  std::string bytes;
  if (rows != 0 && rows < size_.rows) {
    bytes = "\r\x1b[" + std::to_string(rows) + "A\x1b[J";
  }
  bytes += kept_;
  shown_ = std::move(kept_);
  return put(bytes);
}

bool LiveFrame::put(std::string_view bytes) {
  const bool written = write_quietly(output_, bytes, stopped_);
  failure_ = !written && errno != EPIPE ? errno : 0;
  return written;
}

}  // namespace evq
