#pragma once
// PagedOutput: text for standard output that goes through a pager when it does not fit the screen.
// It keeps what is written until that is taller than the screen and only then starts the pager, so
// that short answers never flash by. When the pager quits, write() says so and the producer can
// stop; that is no error. One thread at a time.

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "cli/terminal/patient_writer.h"
#include "cli/terminal/screen_text.h"
#include "cli/terminal/terminal.h"
#include "store/base/result.h"

namespace evq {

// Returns EVQ_PAGER, else PAGER, else less with colours and without clearing the screen. Empty when
// the user wants none: the variable is set but empty, or is cat.
std::string pager_command(const Environment& environment);

// Whether the pager shows colours instead of their codes: less with -R or -r, which `less`, the
// variable LESS, may say as well (without it PagedOutput does), and a few others.
bool pager_takes_color(std::string_view command, const std::optional<std::string>& less);

class PagedOutput {
 public:
  // Writes to `output`, which stays open. An empty command pages never; so does the caller's choice
  // when output is no terminal.
  // What is written past a pager ends when `stopped` says so, as in write_quietly.
  PagedOutput(int output, TerminalSize size, std::string command, bool (*stopped)() = nullptr);
  // Waits for the pager.
  ~PagedOutput();
  PagedOutput(const PagedOutput&) = delete;
  PagedOutput& operator=(const PagedOutput&) = delete;

  // A pager that takes no colours gets them all the same; otherwise it does not, whatever is
  // written.
  void force_color() { forces_color_ = true; }
  // False when the reader is gone: no more text is wanted.
  bool write(std::string_view text);
  // Waits until a slow reader has what PatientWriter holds for it; false as write().
  bool drain();
  // Shows what is kept, waits until the user leaves the pager; false as write().
  bool finish();
  // Returns why the output could not be written, as errno, ECANCELED for `stopped`; 0 when it
  // could, and when a reader has gone.
  int failure() const { return failure_; }
  bool is_paging() const { return pager_ != nullptr; }
  // Whether the user left the pager before all was written to it.
  bool was_left() const { return left_; }

 private:
  bool pass_on(bool written);

  const int output_;
  const TerminalSize size_;
  const std::string command_;
  bool (*const stopped_)();
  ScreenText kept_;
  std::optional<PatientWriter> writer_;  // to the pager while there is one, or past it
  std::FILE* pager_ = nullptr;
  bool forces_color_ = false;
  bool plain_ = false;  // the pager takes no colours
  bool gone_ = false;
  bool left_ = false;
  int failure_ = 0;
  bool direct_ = false;  // the pager could not be started or none is wanted
};

}  // namespace evq
