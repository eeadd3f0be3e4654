#pragma once
// InterruptScope: how signals reach the work that runs. They are handled while a scope lives, and
// as before it again afterwards: a prompt between two of its queries is ended by them. Scopes may
// nest, the inner one counts; the thread that runs the verb makes them, and others may ask what the
// functions here tell as long as that thread waits for them.

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>

#include "store/base/control.h"
#include "store/base/wait_scope.h"

namespace evq {

// The kind of work that the signals of a scope interrupt.
enum class Interrupted : std::uint8_t {
  // The command that the process is for: SIGINT, SIGTERM and, unless it is ignored, SIGHUP cancel
  // it, and a second one ends the process, unless it comes within a fifth of a second.
  kCommand,
  // An input of a prompt, or what a pager shows: Ctrl-C cancels, however often it is pressed, and
  // the process goes on.
  kInput,
};

// The signals cancel its control, and with it the waits of its thread; `timeout_ms` sets a
// deadline, 0: none.
class InterruptScope {
 public:
  explicit InterruptScope(Interrupted what, std::int64_t timeout_ms = 0);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  QueryControl& control() { return control_; }

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

  QueryControl control_;
  const WaitScope waits_{control_};
  QueryControl* const outer_;
  const std::size_t handled_;  // of kSignals
  std::array<struct sigaction, kSignals.size()> before_{};
};

// The control of the innermost scope; without any, one that nothing cancels.
QueryControl& interrupt_control();

// Whether a signal, or a prompt's Ctrl-C, has cancelled what runs now; from any thread.
bool is_interrupted();

// The exit status of who was interrupted: 128 and the signal's number.
int interrupted_status();

}  // namespace evq
