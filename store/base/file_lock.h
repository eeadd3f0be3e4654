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

// The lock is flock's. Those who wait take turns at a second one, a lock of the file's first byte:
// only who has that one may take the lock, so that a holder that comes back at once cannot pass by
// one who has waited. The file is created when missing and never removed. Released when destroyed
// or when the process ends.
class FileLock {
 public:
  // Waits up to `timeout_ms` (kUnavailable), and no longer than the thread's WaitScope lets it
  // (kCancelled, kTimeout).
  static Result<FileLock> acquire(const std::string& path, std::int64_t timeout_ms);
  // Nothing when there is a holder. Does not take turns: for work that may as well be left.
  static Result<std::optional<FileLock>> try_acquire(const std::string& path);
  void release();

  // The first of the process that waits for longer than kLockWaitToldMs calls `tell`, on its own
  // thread, with the lock and who holds it ("process 4711"); null: nobody does.
  using WaitTeller = void (*)(const std::string& path, const std::string& holder);
  static void tell_of_wait(WaitTeller tell);

  // Keeps a few bytes in the file for those who come later, in place of what was kept before, also
  // where there is no room for them. Not synced.
  void note(std::string_view bytes) noexcept;
  // Keeps nothing.
  void forget() noexcept;
  // What is kept, up to `size_max` bytes; needs no lock. Empty when there is nothing to read.
  static std::string noted(const std::string& path, std::size_t size_max);

 private:
  explicit FileLock(File file) : file_(std::move(file)) {}

  File file_;
};

}  // namespace evq
