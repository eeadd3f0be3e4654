#include "cli/terminal/terminal.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

std::string variable(const Environment& environment, const std::string& name) {
  return environment(name).value_or("");
}

std::size_t positive_number(const std::string& text, std::size_t otherwise) {
  const auto value = parse_uint(text);
  // Four digits are more than any screen has.
  return value && *value > 0 && *value < 10000 ? static_cast<std::size_t>(*value) : otherwise;
}

// The terminal in raw mode, for a signal that ends the process; a handler can reach nothing else.
std::atomic<int> raw_input = -1;   // NOLINT
std::atomic<int> raw_output = -1;  // NOLINT
termios mode_before_raw;           // NOLINT: set while raw_input is -1

// Whoever has the terminal next finds it as it was.
void leave_raw_mode_and_end(int signal) {
  if (const int input = raw_input.exchange(-1); input >= 0) {
    constexpr std::string_view kPasteModeOff = "\x1b[?2004l\r\n";
    static_cast<void>(::write(raw_output, kPasteModeOff.data(), kPasteModeOff.size()) == 0);
    ::tcsetattr(input, TCSANOW, &mode_before_raw);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Handles signals that would end the process, while it lives.
class EndingSignals {
 public:
  EndingSignals() {
    struct sigaction leave {};
    leave.sa_handler = leave_raw_mode_and_end;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      ::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_DFL) {
        ::sigaction(kSignals[i], &leave, nullptr);
      }
    }
  }
  ~EndingSignals() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
      if (before_[i].sa_handler == SIG_DFL) {
        ::sigaction(kSignals[i], &before_[i], nullptr);
      }
    }
  }
  EndingSignals(const EndingSignals&) = delete;
  EndingSignals& operator=(const EndingSignals&) = delete;

 private:
  static constexpr std::array<int, 4> kSignals = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> before_{};
};

std::atomic<bool> line_interrupted = false;  // NOLINT: a handler can reach nothing else

// Ctrl-C only tells that it was pressed, while it lives.
class LineInterrupt {
 public:
  LineInterrupt() {
    line_interrupted = false;
    struct sigaction tell {};
    tell.sa_handler = [](int) { line_interrupted = true; };
    ::sigaction(SIGINT, &tell, &before_);
  }
  ~LineInterrupt() { ::sigaction(SIGINT, &before_, nullptr); }
  LineInterrupt(const LineInterrupt&) = delete;
  LineInterrupt& operator=(const LineInterrupt&) = delete;

 private:
  struct sigaction before_ {};
};

class ProcessTerminal final : public TerminalDevice {
 public:
  ProcessTerminal(int input, int output, Environment environment)
      : input_(input),
        output_(output),
        environment_(std::move(environment)),
        terminal_(is_terminal(input) && is_terminal(output)),
        interactive_(terminal_ && !is_dumb_terminal(environment_)) {}
  ~ProcessTerminal() override { restore(); }
  ProcessTerminal(const ProcessTerminal&) = delete;
  ProcessTerminal& operator=(const ProcessTerminal&) = delete;

  bool is_interactive() const override { return interactive_; }
  bool shows_prompt() const override { return terminal_; }

  ReadOutcome read(std::span<char> buffer, int timeout_ms) override {
    if (!terminal_ || interactive_ || timeout_ms >= 0) {
      return read_within(buffer, timeout_ms);
    }
    const LineInterrupt interrupt;
    while (true) {
      // Another thread may be the one that is interrupted: the mark is looked at now and then.
      constexpr int kLookMs = 100;
      const ReadOutcome outcome = read_within(buffer, kLookMs);
      if (line_interrupted) {
        return {ReadState::kInterrupted, 0};
      }
      if (outcome.state != ReadState::kTimeout) {
        return outcome;
      }
    }
  }

  bool write(std::string_view bytes) override { return write_quietly(output_, bytes); }
  TerminalSize size() override { return terminal_size(output_, environment_); }

  Status enter_raw_mode() override {
    if (raw_ || !interactive_) {
      return Status::success();
    }
    if (::tcgetattr(input_, &cooked_) != 0) {
      return make_error(ErrorCode::kIo, "cannot read the terminal's mode");
    }
    termios raw = cooked_;
    raw.c_iflag &= ~static_cast<tcflag_t>(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    raw.c_cflag |= static_cast<tcflag_t>(CS8);
    raw.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return change_mode(raw);
  }

  void leave_raw_mode() override { restore(); }

  void hide_keys() override {
    if (raw_ || !interactive_ || ::tcgetattr(input_, &cooked_) != 0) {
      return;
    }
    termios hidden = cooked_;
    hidden.c_lflag &= ~static_cast<tcflag_t>(ECHO | ICANON);
    hidden.c_cc[VMIN] = 1;
    hidden.c_cc[VTIME] = 0;
    static_cast<void>(change_mode(hidden).ok());  // then keys are seen, which does no harm
  }

  void suspend() override {
    const bool was_raw = raw_;
    restore();
    ::raise(SIGTSTP);
    if (was_raw) {
      // A failure shows at the next read.
      static_cast<void>(enter_raw_mode().ok());
    }
  }

 private:
  Status change_mode(const termios& mode) {
    // Draining instead of flushing keeps what was typed ahead.
    if (::tcsetattr(input_, TCSADRAIN, &mode) != 0) {
      return make_error(ErrorCode::kIo, "cannot change the terminal's mode");
    }
    raw_ = true;
    mode_before_raw = cooked_;
    raw_output = output_;
    raw_input = input_;
    ending_signals_.emplace();
    return Status::success();
  }

  ReadOutcome read_within(std::span<char> buffer, int timeout_ms) const {
    pollfd waiting{input_, POLLIN, 0};
    while (true) {
      const int ready = ::poll(&waiting, 1, timeout_ms);
      if (ready == 0) {
        return {ReadState::kTimeout, 0};
      }
      if (ready < 0 && errno != EINTR) {
        return {};
      }
      if (ready < 0) {
        continue;
      }
      const ssize_t size = ::read(input_, buffer.data(), buffer.size());
      if (size > 0) {
        return {ReadState::kData, static_cast<std::size_t>(size)};
      }
      if (size == 0 || (errno != EINTR && errno != EAGAIN)) {
        return {};
      }
    }
  }

  void restore() {
    if (raw_) {
      ending_signals_.reset();
      raw_input = -1;
      ::tcsetattr(input_, TCSADRAIN, &cooked_);
      raw_ = false;
    }
  }

  const int input_;
  const int output_;
  const Environment environment_;
  const bool terminal_;
  const bool interactive_;
  bool raw_ = false;  // or with keys hidden
  termios cooked_{};
  std::optional<EndingSignals> ending_signals_;  // meanwhile
};

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string home_directory(const Environment& environment) {
  if (std::string home = environment("HOME").value_or(""); !home.empty()) {
    return home;
  }
  const passwd* const user = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe)
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : ".";
}

std::string expand_home(const std::string& path, const Environment& environment) {
  const bool home = path == "~" || path.starts_with("~/");
  return home ? home_directory(environment) + path.substr(1) : path;
}

std::optional<ColorChoice> parse_color_choice(std::string_view text) {
  if (text == "auto") {
    return ColorChoice::kAuto;
  }
  if (text == "always") {
    return ColorChoice::kAlways;
  }
  if (text == "never") {
    return ColorChoice::kNever;
  }
  return std::nullopt;
}

bool use_color(ColorChoice choice, const Environment& environment, bool terminal) {
  if (choice != ColorChoice::kAuto) {
    return choice == ColorChoice::kAlways;
  }
  if (!variable(environment, "NO_COLOR").empty()) {
    return false;
  }
  const std::string force = variable(environment, "CLICOLOR_FORCE");
  if (!force.empty() && force != "0") {
    return true;
  }
  return terminal && !is_dumb_terminal(environment) && variable(environment, "CLICOLOR") != "0";
}

bool use_unicode(const Environment& environment) {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const std::string value = to_lower(variable(environment, name));
    if (!value.empty()) {
      return value.find("utf-8") != std::string::npos || value.find("utf8") != std::string::npos;
    }
  }
  return true;
}

bool is_dumb_terminal(const Environment& environment) {
  const std::string term = variable(environment, "TERM");
  return term.empty() || term == "dumb";
}

TerminalSize terminal_size(int descriptor, const Environment& environment) {
  winsize window{};
  if (::ioctl(descriptor, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    return {window.ws_col, window.ws_row};
  }
  const TerminalSize usual;
  return {positive_number(variable(environment, "COLUMNS"), usual.columns),
          positive_number(variable(environment, "LINES"), usual.rows)};
}

std::unique_ptr<TerminalDevice> make_terminal_device(int input, int output,
                                                     Environment environment) {
  return std::make_unique<ProcessTerminal>(input, output, std::move(environment));
}

namespace {

// How long a device that takes no bytes after all is left alone.
constexpr int kFullDeviceMs = 10;

// The same pipe or terminal, opened so that writes do not wait, which others who have it open do
// not notice; a closed file where that cannot be had.
File own_opening(int descriptor) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || !(S_ISFIFO(about.st_mode) || is_terminal(descriptor))) {
    return {};
  }
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  const int opened = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  return opened < 0 ? File() : File::adopt(opened, path);
}

// When a wait for a reader ends: when `stopped` says so, and with the patience, from which the time
// waited is taken. Each may be null.
struct WaitEnd {
  bool (*stopped)() = nullptr;
  std::int64_t* patience_ms = nullptr;

  bool is_known() const { return stopped != nullptr || patience_ms != nullptr; }
};

// False when the wait ends before the descriptor takes bytes (ECANCELED, ETIMEDOUT), and when it
// cannot be asked.
bool wait_to_write(int descriptor, const WaitEnd& end) {
  pollfd waiting{descriptor, POLLOUT, 0};
  int ready = ::poll(&waiting, 1, 0);
  const std::int64_t begin_ns = ready == 0 ? monotonic_now_ns() : 0;
  while (ready == 0 || (ready < 0 && errno == EINTR)) {
    if (end.stopped != nullptr && end.stopped()) {
      errno = ECANCELED;
      return false;
    }
    std::int64_t left_ms = kControlPollMsMax;
    if (end.patience_ms != nullptr) {
      left_ms = *end.patience_ms - (monotonic_now_ns() - begin_ns) / kMillisecondNs;
      if (left_ms <= 0) {
        *end.patience_ms = 0;
        errno = ETIMEDOUT;
        return false;
      }
    }
    const auto wait_ms = static_cast<int>(std::min<std::int64_t>(left_ms, kControlPollMsMax));
    ready = ::poll(&waiting, 1, end.is_known() ? wait_ms : -1);
  }
  if (end.patience_ms != nullptr && begin_ns != 0) {
    const std::int64_t waited_ms = (monotonic_now_ns() - begin_ns) / kMillisecondNs;
    *end.patience_ms = std::max<std::int64_t>(0, *end.patience_ms - waited_ms);
  }
  return ready > 0;
}

// A piece after the other, and none after the end of a wait; what was written is taken off `rest`.
bool write_pieces(int descriptor, std::string_view* rest, const WaitEnd& end) {
  std::string_view& bytes = *rest;
  const File own = own_opening(descriptor);
  struct stat about {};
  const bool file = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  const std::size_t piece = own.is_open() || file ? kMebibyte : PIPE_BUF;
  descriptor = own.is_open() ? own.descriptor() : descriptor;
  while (!bytes.empty()) {
    if (!wait_to_write(descriptor, end)) {
      return false;
    }
    const ssize_t size = ::write(descriptor, bytes.data(), std::min(bytes.size(), piece));
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      pause_ms(kFullDeviceMs);
    } else if (errno != EINTR) {
      return false;
    }
    if (!bytes.empty() && end.stopped != nullptr && end.stopped()) {
      errno = ECANCELED;
      return false;
    }
  }
  return true;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = ::write(descriptor, bytes.data(), bytes.size());
    if (size >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno == EAGAIN) {
      // Another process may have made the shared terminal non-blocking.
      if (!wait_to_write(descriptor, {})) {
        return false;
      }
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

// Runs `write`, of which a closed pipe is a failure and no signal.
template <class Write>
bool without_pipe_signal(const Write& write) {
  sigset_t pipe_signal;
  sigset_t before;
  sigset_t pending;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::sigpending(&pending);
  const bool was_pending = ::sigismember(&pending, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  const bool written = write();
  const int failure = errno;
  if (!written && !was_pending) {
    // Takes the signal that the failed write left behind, before it is unblocked again.
    const timespec no_time{0, 0};
    ::sigtimedwait(&pipe_signal, nullptr, &no_time);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failure;
  return written;
}

}  // namespace

bool write_quietly(int descriptor, std::string_view bytes, bool (*stopped)()) {
  return without_pipe_signal([&] {
    return stopped != nullptr ? write_pieces(descriptor, &bytes, {.stopped = stopped})
                              : write_all(descriptor, bytes);
  });
}

bool write_in_time(int descriptor, std::string_view* rest, std::int64_t* patience_ms,
                   bool (*stopped)()) {
  return without_pipe_signal([&] {
    return write_pieces(descriptor, rest, {stopped, patience_ms}) || errno == ETIMEDOUT;
  });
}

}  // namespace evq
