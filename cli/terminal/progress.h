#pragma once
// Progress: one line on standard error that says how far a long task is. It appears only after a
// while, so that quick tasks stay silent, is redrawn a few times a second, and is gone when the
// task ends. The caller decides whether there is a terminal to show it on. It must be cleared
// before anything else is written to the terminal. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace evq {

struct ProgressOptions {
  bool enabled = true;
  std::string label;              // "loading app.log"
  std::string noun = "rows";      // what is counted
  std::uint64_t bytes_total = 0;  // 0: not known, so no share and no time left
  bool elapsed = false;           // says how long the task has taken
  // Width of the terminal, which may change; empty: 80, or that of the process's standard error.
  std::function<std::size_t()> columns = nullptr;
  std::int64_t delay_ms = 300;
  std::int64_t interval_ms = 100;
};

// The progress of the task; a count that is 0 is not shown.
struct ProgressCounts {
  std::uint64_t bytes = 0;
  std::uint64_t rows = 0;
};

// From now on a Progress that is updated answers SIGUSR1 (and SIGINFO, which Ctrl-T sends, where
// there is one) with its line. The signals end a process that has not called this.
void answer_progress_signals();

class Progress {
 public:
  using Clock = std::function<std::int64_t()>;  // milliseconds that never go back
  using Sink = std::function<void(std::string_view)>;

  // Uses the process's own clock and standard error.
  explicit Progress(ProgressOptions options);
  Progress(ProgressOptions options, Clock clock, Sink sink);
  // Clears the line.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Begins a task called `label`; counts and rate begin anew.
  void begin_step(std::string label);
  // Cheap to call for every batch. Also writes the line once, to stay, when a signal asked for it,
  // whether or not progress is shown.
  void update(ProgressCounts counts);
  // Removes the line; the next update may draw it again.
  void clear();
  // Returns the line, for a user who asks for it: "loading app.log  42%  1.2 GB of 2.8 GB …".
  std::string line() const;

 private:
  // Returns what erases the line, and the rows that a narrower terminal has wrapped it to.
  std::string restart() const;
  std::size_t columns() const;

  ProgressOptions options_;
  const Clock clock_;
  const Sink sink_;
  const std::int64_t start_ms_;
  std::int64_t drawn_ms_;
  bool shown_ = false;
  std::size_t shown_width_ = 0;
  ProgressCounts counts_;
  // The rate, averaged over the last seconds; 0 when nothing has come for a while.
  std::int64_t moved_ms_;
  std::int64_t rate_ms_;
  std::uint64_t rate_bytes_ = 0;
  double bytes_per_second_ = 0;
};

}  // namespace evq
