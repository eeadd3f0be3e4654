#pragma once
// LiveFrame: a text on the screen that is shown anew again and again, each time in the place of the
// last one where both fit the screen, else below it. A text is kept until it is whole and goes out
// in one write, so that nothing flickers; one that outgrows the screen goes out as it comes. What
// others write between two texts must leave the cursor at the beginning of its line, below the
// text. One thread at a time.

#include <string>
#include <string_view>

#include "cli/terminal/screen_text.h"
#include "cli/terminal/terminal.h"

namespace evq {

class LiveFrame {
 public:
  // Writes to `output`, which stays open. `moves`: it is a terminal with a cursor that moves;
  // elsewhere every text goes below the last one. Writing ends when `stopped` says so, as in
  // write_quietly.
  LiveFrame(int output, bool moves, bool (*stopped)() = nullptr);

  // Begins the next text, for a screen of this size; the last one stays until that is whole.
  void begin(TerminalSize size);
  // False when the output takes no more.
  bool write(std::string_view text);
  // Shows the text, which ends with a line break; false as write().
  bool finish();
  // Returns why it could not be written, as PagedOutput::failure().
  int failure() const { return failure_; }

 private:
  bool put(std::string_view bytes);

  const int output_;
  const bool moves_;
  bool (*const stopped_)();
  TerminalSize size_;
  ScreenText kept_;
  std::string shown_;    // above the cursor, to be replaced; empty: nothing is
  bool direct_ = false;  // the text goes out as it comes
  int failure_ = 0;
};

}  // namespace evq
