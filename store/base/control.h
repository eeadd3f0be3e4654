#pragma once
// QueryControl: what a running query is told and what it tells. Every loop over blocks, chunks or
// long values calls check() at least every kControlPollMsMax milliseconds of work and returns its
// error at once. cancel() may be called from any thread and from a signal handler; the counters
// may be read while the query runs. Also here: the program's two clocks and its pause.

#include <atomic>
#include <cstdint>

#include "store/base/result.h"

namespace evq {

// Wall clock, nanoseconds since the Unix epoch. The only reader of the system's clock: everything
// else takes `now` as a parameter, so that tests choose it. A clock that is set to a time which has
// no such number, or nearly none, stands still, so that what is added to now stays a time.
std::int64_t wall_clock_now_ns();
// The last instant that the wall clock shows, 2262-01-01T00:00:00Z, and the first, as long before
// 1970.
inline constexpr std::int64_t kWallClockLastS = 9214646400;
// What wall_clock_now_ns() returns for a time of the system's clock.
std::int64_t wall_clock_ns(std::int64_t seconds, std::int64_t nanoseconds);
// Monotonic clock, nanoseconds from an arbitrary origin: for deadlines and elapsed time.
std::int64_t monotonic_now_ns();
// Lets time pass on this thread, at least `milliseconds` unless a signal comes: who waits for
// something looks again after it.
void pause_ms(int milliseconds);

class QueryControl {
 public:
  // No deadline.
  QueryControl() = default;
  // Sets a deadline `timeout_ms` from now; zero or less means none.
  explicit QueryControl(std::int64_t timeout_ms);
  QueryControl(const QueryControl&) = delete;
  QueryControl& operator=(const QueryControl&) = delete;

  // Starts the time limit anew. Only the thread that runs the query may call it, between two of its
  // parts.
  void restart();
  // Ends the work `timeout_ms`, more than zero, from now unless its limit does so sooner. As for
  // restart().
  void shorten(std::int64_t timeout_ms);

  // Returns kCancelled, or kTimeout with the limit in its text. Takes 25 ns: call it every chunk.
  Status check() const;
  // Whether check() fails, for loops that cannot return a Status.
  bool should_stop() const;
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  void add_rows(std::uint64_t rows) { rows_.fetch_add(rows, std::memory_order_relaxed); }
  void add_bytes(std::uint64_t bytes) { bytes_.fetch_add(bytes, std::memory_order_relaxed); }
  // Rows examined and stored bytes read so far.
  std::uint64_t rows() const { return rows_.load(std::memory_order_relaxed); }
  std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::int64_t timeout_ms_ = 0;
  std::int64_t deadline_ns_ = 0;  // on the monotonic clock; 0: none
  std::atomic<bool> cancelled_{false};
  std::atomic<std::uint64_t> rows_{0};
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace evq
