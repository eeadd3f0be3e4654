#include "cli/interrupt.h"

#include <atomic>

namespace evq {
namespace {

// Of the innermost scope. This and the next are what a signal handler can reach.
std::atomic<QueryControl*> innermost = nullptr;  // NOLINT
static_assert(std::atomic<QueryControl*>::is_always_lock_free);

volatile std::sig_atomic_t ending_signal = SIGINT;  // NOLINT

// timeout(1) signals the process and then its group, a terminal that is closed sends two signals:
// what comes this soon is no second Ctrl-C.
constexpr std::int64_t kRepeatNs = 200'000'000;

std::atomic<std::int64_t> interrupted_at = 0;  // NOLINT: on the monotonic clock
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

void interrupt(int signal) {
  const std::int64_t now = monotonic_now_ns();
  QueryControl* const control = innermost;
  if (control != nullptr && !control->cancelled()) {
    ending_signal = signal;
    interrupted_at = now;
    control->cancel();
  } else if (now - interrupted_at >= kRepeatNs) {
    std::signal(signal, SIG_DFL);  // a second Ctrl-C ends the process at once
    std::raise(signal);
  }
}

// Of a prompt: cancels, and never ends the process.
void cancel_input(int /*signal*/) {
  if (QueryControl* const control = innermost; control != nullptr) {
    control->cancel();
  }
}

}  // namespace

InterruptScope::InterruptScope(Interrupted what, std::int64_t timeout_ms)
    : control_(timeout_ms),
      outer_(innermost.exchange(&control_)),
      handled_(what == Interrupted::kCommand ? kSignals.size() : 1) {
  struct sigaction handling {};
  handling.sa_handler = what == Interrupted::kCommand ? interrupt : cancel_input;
  handling.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < handled_; ++i) {
    ::sigaction(kSignals[i], nullptr, &before_[i]);
    if (kSignals[i] != SIGHUP || before_[i].sa_handler != SIG_IGN) {  // nohup
      ::sigaction(kSignals[i], &handling, nullptr);
    }
  }
}

InterruptScope::~InterruptScope() {
  for (std::size_t i = 0; i < handled_; ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  innermost = outer_;
}

QueryControl& interrupt_control() {
  static QueryControl uninterrupted;
  QueryControl* const control = innermost;
  return control != nullptr ? *control : uninterrupted;
}

bool is_interrupted() {
  const QueryControl* const control = innermost;
  return control != nullptr && control->cancelled();
}

int interrupted_status() {
  constexpr int kSignalStatus = 128;
  return kSignalStatus + ending_signal;
}

}  // namespace evq
