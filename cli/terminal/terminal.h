#pragma once
// The terminal as a device: is there one, how large is it, may it show colours and Unicode, and
// reading keys from it without the kernel's line editing. Text made safe for it is in
// text_width.h, styles are in style.h.
// A changed size is found by asking for it, without a signal handler; those that would end the
// process leave raw mode first.
// Policies are pure functions of an environment, which tests replace. One thread at a time may use
// a TerminalDevice.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/base/result.h"

namespace evq {

// Looks up one environment variable; nothing when it is not set.
using Environment = std::function<std::optional<std::string>(const std::string& name)>;
Environment process_environment();
// Returns HOME, else what the system knows of the user. From the main thread.
std::string home_directory(const Environment& environment);
// Expands ~ or ~/ in front of a path that no shell has looked at, as a shell would.
std::string expand_home(const std::string& path, const Environment& environment);

enum class ColorChoice : std::uint8_t { kAuto, kAlways, kNever };

// Reads "auto", "always", "never"; nullopt for other text.
std::optional<ColorChoice> parse_color_choice(std::string_view text);
// The user's own choice wins; then NO_COLOR, CLICOLOR_FORCE, TERM=dumb, CLICOLOR=0, in this order.
bool use_color(ColorChoice choice, const Environment& environment, bool terminal);
// False when the locale is set and names another encoding than UTF-8.
bool use_unicode(const Environment& environment);
// Whether a terminal knows no escape sequences: TERM is dumb, empty or not set.
bool is_dumb_terminal(const Environment& environment);

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
  friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};

// Asks the device, else COLUMNS and LINES, else takes 80 by 24; neither is ever 0.
TerminalSize terminal_size(int descriptor, const Environment& environment);

enum class ReadState : std::uint8_t {
  kData,
  kTimeout,
  kEnd,
  kInterrupted,  // Ctrl-C at a terminal that is not in raw mode
};

struct ReadOutcome {
  ReadState state = ReadState::kEnd;
  std::size_t size = 0;  // bytes read, with kData
};

// A terminal as a line editor needs it; tests have one of their own.
class TerminalDevice {
 public:
  virtual ~TerminalDevice() = default;

  // Whether it understands cursor movement; otherwise lines are read as they come.
  virtual bool is_interactive() const = 0;
  // Whether a person reads the screen, even if it is not interactive.
  virtual bool shows_prompt() const = 0;
  // Waits at most `timeout_ms` (negative: without end). A failure reads as the end. A terminal that
  // shows a prompt and is not interactive is read as lines, and Ctrl-C interrupts the waiting.
  virtual ReadOutcome read(std::span<char> buffer, int timeout_ms) = 0;
  // Writes all of it at once; false when the terminal is gone.
  virtual bool write(std::string_view bytes) = 0;
  virtual TerminalSize size() = 0;
  // Enters or leaves raw mode, which delivers every key; leaving twice does nothing.
  virtual Status enter_raw_mode() = 0;
  virtual void leave_raw_mode() = 0;
  // Hides keys, which come without Enter, until leave_raw_mode; those that are signals elsewhere
  // stay so: for what redraws the screen by itself. Does nothing where it is not interactive.
  virtual void hide_keys() = 0;
  // Stops the process as Ctrl-Z does and returns when it goes on.
  virtual void suspend() = 0;
};

// The process's terminal: keys from `input`, screen at `output`; neither is closed. Interactive
// when both are terminals and TERM is not dumb. Leaves raw mode when it is destroyed.
std::unique_ptr<TerminalDevice> make_terminal_device(int input, int output,
                                                     Environment environment);

// Holds the terminal in raw mode for as long as it lives.
class RawMode {
 public:
  explicit RawMode(TerminalDevice& device) : device_(device), status_(device.enter_raw_mode()) {}
  ~RawMode() { device_.leave_raw_mode(); }
  RawMode(const RawMode&) = delete;
  RawMode& operator=(const RawMode&) = delete;

  // Returns whether raw mode was entered; called only once.
  Status take_status() { return std::move(status_); }

 private:
  TerminalDevice& device_;
  Status status_;
};

// Writes all bytes to the descriptor; false on failure, which errno tells. A closed pipe is a
// failure (EPIPE), not a signal. Where `stopped` is given and says so, no more than one piece is
// written, and a reader who does not read is not waited for: ECANCELED. It may be called from
// whatever thread writes.
bool write_quietly(int descriptor, std::string_view bytes, bool (*stopped)() = nullptr);
// The same, but ends when it has waited for the reader for `patience_ms`, which becomes what is
// left of it, and leaves in `rest` what was not written.
bool write_in_time(int descriptor, std::string_view* rest, std::int64_t* patience_ms,
                   bool (*stopped)());

}  // namespace evq
