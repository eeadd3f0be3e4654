#pragma once
// Waiting in a test for what other threads do. Whoever waits sleeps, so that on a busy machine the
// others get the processor, and waits so long that only what never comes is given up.

#include <chrono>
#include <functional>
#include <thread>

namespace evq {

inline constexpr int kPatienceMs = 10000;

// Whether the condition, asked once a millisecond, has come true in time.
inline bool comes_true(const std::function<bool()>& condition, int patience_ms = kPatienceMs) {
  for (int ms = 0; ms < patience_ms; ++ms) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

}  // namespace evq
