#pragma once
// FileLock: a lock between processes, and between holders in one process, on a side file. Every
// function may be called from any thread; one FileLock belongs to one thread at a time.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "store/base/error.h"
#include "store/base/file.h"

namespace evq {

// A flock() lock. Waiters queue for a second lock, on the file's first byte, and only its holder
// may take the first one, so that a holder that comes back at once cannot overtake a waiter. The
// file is created when missing and never removed. The lock is released when this is destroyed or
// the process ends.
class FileLock {
 public:
  // Waits up to `timeout_ms` (kUnavailable), and no longer than the thread's WaitScope lets it
  // (kCancelled, kTimeout).
  static Result<FileLock> acquire(const std::string& path, std::int64_t timeout_ms);
  // Returns nothing while the lock is held. Does not queue: for work that may as well be skipped.
  static Result<std::optional<FileLock>> try_acquire(const std::string& path);
  void release();

  // Sets the function that is called once, by the first thread to wait longer than kLockWaitToldMs,
  // with the lock's path and its holder ("process 4711"). Null: none.
  using WaitTeller = void (*)(const std::string& path, const std::string& holder);
  static void tell_of_wait(WaitTeller tell);

  // Writes a few bytes into the file for later holders. They replace the previous note, which goes
  // even when there is no room for the new one. Not synced.
  void note(std::string_view bytes) noexcept;
  // Removes the note.
  void forget() noexcept;
  // Reads the note, up to `size_max` bytes; needs no lock. Empty when there is nothing to read.
  static std::string noted(const std::string& path, std::size_t size_max);

 private:
  explicit FileLock(File file) : file_(std::move(file)) {}

  File file_;
};

}  // namespace evq
