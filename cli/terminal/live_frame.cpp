#include "cli/terminal/live_frame.h"

#include <cerrno>

namespace evq {

LiveFrame::LiveFrame(int output, bool moves, bool (*stopped)())
    : output_(output), moves_(moves), stopped_(stopped) {}

void LiveFrame::begin(TerminalSize size) {
  size_ = size;
  kept_ = ScreenText();
  direct_ = !moves_;
}

bool LiveFrame::write(std::string_view text) {
  if (direct_) {
    return put(text);
  }
  if (kept_.append(text, size_)) {
    return true;
  }
  direct_ = true;
  shown_.clear();
  return put(kept_.take());
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
  shown_ = kept_.take();
  bytes += shown_;
  return put(bytes);
}

bool LiveFrame::put(std::string_view bytes) {
  const bool written = write_quietly(output_, bytes, stopped_);
  failure_ = !written && errno != EPIPE ? errno : 0;
  return written;
}

}  // namespace evq
