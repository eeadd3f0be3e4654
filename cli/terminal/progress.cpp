#include "cli/terminal/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <utility>

#include <unistd.h>

#include "cli/terminal/number_text.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/text_width.h"

namespace evq {

namespace {

// How much of the past the rate remembers.
constexpr double kRateWindowMs = 3000;
// The rate is measured at most this often: shorter steps are noise.
constexpr std::int64_t kRateStepMs = 50;
// After so long without a byte there is no rate: the task does something else with what it read.
constexpr std::int64_t kRateStaleMs = 1000;
constexpr std::size_t kColumnsUnknown = 80;

volatile std::sig_atomic_t line_asked = 0;  // NOLINT: a signal handler can reach nothing else

void ask_for_line(int /*signal*/) {
  line_asked = 1;
}

ProgressOptions on_standard_error(ProgressOptions options) {
  if (options.columns == nullptr) {
    options.columns = [] { return terminal_size(STDERR_FILENO, process_environment()).columns; };
  }
  return options;
}

std::int64_t steady_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void answer_progress_signals() {
  std::signal(SIGUSR1, ask_for_line);
#ifdef SIGINFO
  std::signal(SIGINFO, ask_for_line);
#endif
}

Progress::Progress(ProgressOptions options)
    : Progress(on_standard_error(std::move(options)), steady_ms,
               [](std::string_view text) { write_quietly(STDERR_FILENO, text); }) {}

Progress::Progress(ProgressOptions options, Clock clock, Sink sink)
    : options_(std::move(options)),
      clock_(std::move(clock)),
      sink_(std::move(sink)),
      start_ms_(clock_()),
      drawn_ms_(start_ms_ + options_.delay_ms - options_.interval_ms),
      moved_ms_(start_ms_),
      rate_ms_(start_ms_) {}

Progress::~Progress() {
  clear();
}

void Progress::begin_step(std::string label) {
  options_.label = std::move(label);
  options_.bytes_total = 0;
  counts_ = {};
  rate_bytes_ = 0;
  bytes_per_second_ = 0;
}

std::string Progress::restart() const {
  // A terminal that has become narrower has wrapped the line.
  const std::size_t above = shown_ ? shown_width_ / std::max<std::size_t>(columns(), 1) : 0;
  return above == 0 ? "\r\x1b[K" : "\r\x1b[" + std::to_string(above) + "A\x1b[J";
}

std::size_t Progress::columns() const {
  return options_.columns == nullptr ? kColumnsUnknown : options_.columns();
}

void Progress::update(ProgressCounts counts) {
  const std::int64_t now = clock_();
  moved_ms_ = counts.bytes != counts_.bytes ? now : moved_ms_;
  counts_ = counts;
  const std::int64_t step = now - rate_ms_;
  if (step >= kRateStepMs) {
    const double bytes =
        counts.bytes >= rate_bytes_ ? static_cast<double>(counts.bytes - rate_bytes_) : 0;
    const double rate = bytes * 1000 / static_cast<double>(step);
    // A new measurement weighs as much as the time it covers; the first one is all there is.
    const double weight =
        rate_ms_ == start_ms_ ? 1 : 1 - std::exp(-static_cast<double>(step) / kRateWindowMs);
    bytes_per_second_ += weight * (rate - bytes_per_second_);
    bytes_per_second_ = now - moved_ms_ < kRateStaleMs ? bytes_per_second_ : 0;
    rate_ms_ = now;
    rate_bytes_ = counts.bytes;
  }
  if (line_asked != 0) {
    line_asked = 0;
    clear();
    sink_(line() + "\n");
  }
  if (!options_.enabled || now - drawn_ms_ < options_.interval_ms) {
    return;
  }
  drawn_ms_ = now;
  // Columns stay free for the ^C that a terminal shows behind the line, and one more, since the
  // last one may make it wrap: what has wrapped could not be removed.
  constexpr std::size_t kFree = 3;
  const std::size_t width = std::max(columns(), kFree + 1) - kFree;
  const std::string shown = truncate_to_width(line(), width);
  sink_(restart() + shown);
  shown_ = true;
  shown_width_ = text_width(shown);
}

void Progress::clear() {
  if (shown_) {
    sink_(restart());
    shown_ = false;
  }
}

std::string Progress::line() const {
  std::string out = visible_text(options_.label);
  const auto part = [&](const std::string& text) {
    out += out.empty() ? "" : "  ";
    out += text;
  };
  if (options_.elapsed) {
    part(elapsed_text(clock_() - start_ms_));
  }
  // A file may grow while it is read; then its old size says nothing any more.
  const std::uint64_t total = options_.bytes_total >= counts_.bytes ? options_.bytes_total : 0;
  if (total > 0) {
    const double share = static_cast<double>(counts_.bytes) / static_cast<double>(total);
    part(std::to_string(static_cast<int>(share * 100)) + "%");
    part(bytes_text(counts_.bytes) + " of " + bytes_text(total));
  } else if (counts_.bytes > 0) {
    part(bytes_text(counts_.bytes));
  }
  if (counts_.rows > 0) {
    part(quantity_text(static_cast<double>(counts_.rows)) + " " + options_.noun);
  }
  if (bytes_per_second_ >= 1) {
    part(bytes_text(static_cast<std::uint64_t>(bytes_per_second_)) + "/s");
    if (total > 0) {
      const double seconds = static_cast<double>(total - counts_.bytes) / bytes_per_second_;
      // Beyond a few days an estimate is no help.
      if (seconds < 1e6) {
        part(elapsed_text(static_cast<std::int64_t>(std::ceil(seconds)) * 1000) + " left");
      }
    }
  }
  return out;
}

}  // namespace evq
