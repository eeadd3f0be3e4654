#include "store/base/file_lock.h"

#include <chrono>
#include <mutex>
#include <thread>

#include <doctest/doctest.h>
#include <fcntl.h>

#include "store/base/turn.h"
#include "store/base/wait_scope.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::int64_t kLongMs = 60000;

// Returns once somebody waits for the lock and is the next to get it.
void wait_until_somebody_waits(const std::string& path) {
  Result<File> file = File::open_read_write(path);
  REQUIRE(file.ok());
  for (;;) {
    struct flock first_byte {};
    first_byte.l_type = F_WRLCK;
    first_byte.l_len = 1;
    REQUIRE(::fcntl(file->descriptor(), F_OFD_GETLK, &first_byte) == 0);
    if (first_byte.l_type != F_UNLCK) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("locks exclude holders in the same process too") {
  const TempDirectory folder;
  const std::string path = folder.path() + "/lock";
  Result<FileLock> lock = FileLock::acquire(path, kLongMs);
  REQUIRE(lock.ok());
  CHECK(!FileLock::try_acquire(path).value().has_value());
  const Result<FileLock> late = FileLock::acquire(path, 20);
  REQUIRE(!late.ok());
  CHECK(late.error().code == ErrorCode::kUnavailable);
  CHECK(late.error().message == "cannot lock " + path + ": held by this process for 20 ms");
  lock->release();
  CHECK(FileLock::try_acquire(path).value().has_value());
  CHECK(FileLock::acquire(path, 0).ok());
}

TEST_CASE("a holder that comes back at once does not pass by one who has waited") {
  const TempDirectory folder;
  const std::string path = folder.path() + "/lock";
  std::mutex mutex;
  std::string order;
  const auto note = [&](char who) {
    const std::lock_guard guard(mutex);
    order.push_back(who);
  };
  for (int i = 0; i < 20; ++i) {
    Result<FileLock> lock = FileLock::acquire(path, kLongMs);
    REQUIRE(lock.ok());
    std::thread waiting([&] {
      const Result<FileLock> second = FileLock::acquire(path, kLongMs);
      note(second.ok() ? 'w' : '-');
    });
    wait_until_somebody_waits(path);
    lock->release();
    Result<FileLock> again = FileLock::acquire(path, kLongMs);
    note(again.ok() ? 'b' : '-');
    again->release();
    waiting.join();
  }
  std::string expected;
  for (int i = 0; i < 20; ++i) {
    expected += "wb";
  }
  CHECK(order == expected);
}

TEST_CASE("waits end with a scope of their thread, whichever of them says so") {
  const TempDirectory folder;
  const std::string path = folder.path() + "/lock";
  QueryControl outer;
  QueryControl inner;
  const WaitScope outer_scope(outer);
  const WaitScope inner_scope(inner);
  const Result<FileLock> held = FileLock::acquire(path, kLongMs);
  REQUIRE(held.ok());
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    outer.cancel();
  });
  const Result<FileLock> interrupted = FileLock::acquire(path, kLongMs);
  other.join();
  REQUIRE_FALSE(interrupted.ok());
  CHECK(interrupted.error().code == ErrorCode::kCancelled);
  CHECK(interrupted.error().message == "interrupted while waiting for the lock " + path);
  // What can be had without waiting is.
  CHECK(FileLock::acquire(path + "2", kLongMs).ok());

  const WaitScope for_others([] { return Status(); });
  CHECK(FileLock::acquire(path, 20).error().code == ErrorCode::kUnavailable);
  const QueryControl hurried(10);
  const WaitScope innermost(hurried);
  CHECK(FileLock::acquire(path, kLongMs).error().code == ErrorCode::kTimeout);
}

TEST_CASE("a turn is one thread's at a time, and who waits for it may give up") {
  Turn turn;
  QueryControl control;
  std::thread other;
  {
    const Result<Turn::Holder> mine = turn.take("it");
    REQUIRE(mine.ok());
    std::thread impatient([&] {
      const WaitScope scope(control);
      const Result<Turn::Holder> none = turn.take("it");
      REQUIRE_FALSE(none.ok());
      CHECK(none.error().message == "interrupted while waiting for it");
    });
    control.cancel();
    impatient.join();
    other = std::thread([&] { CHECK(turn.take("it").ok()); });
  }
  other.join();
  CHECK(turn.take("it").ok());
}

TEST_CASE("a lock that cannot be had says why") {
  const TempDirectory folder;
  CHECK(FileLock::try_acquire(folder.path()).error().code == ErrorCode::kIo);
  CHECK(FileLock::acquire(folder.path(), kLongMs).error().code == ErrorCode::kIo);
}

}  // namespace
}  // namespace evq
