#include "store/base/short_turns.h"

#include <cstdint>

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace evq {

namespace {

// A parser's work on a small request takes a few of them.
constexpr std::uint64_t kTurnNs = 200000;

// The kernel's struct sched_attr, as it was first; the C library has none.
struct SchedulerSettings {
  std::uint32_t size = sizeof(SchedulerSettings);
  std::uint32_t policy = 0;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t turn_ns = 0;
  std::uint64_t deadline_ns = 0;
  std::uint64_t period_ns = 0;
};
static_assert(sizeof(SchedulerSettings) == 48);

bool ask_for_short_turns() {
  SchedulerSettings settings;
  if (::syscall(SYS_sched_getattr, 0, &settings, sizeof settings, 0) != 0 ||
      settings.policy != SCHED_OTHER) {
    return false;
  }
  settings.turn_ns = kTurnNs;
  return ::syscall(SYS_sched_setattr, 0, &settings, 0) == 0;
}

}  // namespace

void take_short_turns() {
  thread_local const bool kAsked = ask_for_short_turns();
  static_cast<void>(kAsked);
}

}  // namespace evq
