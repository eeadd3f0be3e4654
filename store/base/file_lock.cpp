#include "store/base/file_lock.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/system_call.h"
#include "store/base/wait_scope.h"

namespace evq {

namespace {

std::atomic<FileLock::WaitTeller> wait_teller = nullptr;  // NOLINT: of the process

constexpr useconds_t kPauseUsMin = 100;
constexpr useconds_t kPauseUsMax = 5000;

// False when there is a holder.
Result<bool> try_lock(const File& file) {
  if (retried([&] { return ::flock(file.descriptor(), LOCK_EX | LOCK_NB); }) == 0) {
    return true;
  }
  if (errno == EWOULDBLOCK) {
    return false;
  }
  return system_error("lock", file.path(), errno);
}

// Takes the turn or gives it up; false when somebody else has it.
Result<bool> set_turn(const File& file, bool mine) {
  struct flock first_byte {};
  first_byte.l_type = static_cast<short>(mine ? F_WRLCK : F_UNLCK);
  first_byte.l_whence = SEEK_SET;
  first_byte.l_len = 1;
  if (retried([&] { return ::fcntl(file.descriptor(), F_OFD_SETLK, &first_byte); }) == 0) {
    return true;
  }
  if (errno == EAGAIN || errno == EACCES) {
    return false;
  }
  return system_error("lock", file.path(), errno);
}

// Who holds the lock, as the kernel lists it: "1: FLOCK ADVISORY WRITE 4711 fe:00:393230 0 EOF",
// with the process, the device and the inode. Another process namespace has none that can be named.
std::string holder_of(const File& file) {
  struct stat info {};
  std::ifstream locks("/proc/locks");
  std::string line;
  while (::fstat(file.descriptor(), &info) == 0 && std::getline(locks, line)) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string mode;
    std::string access;
    pid_t process = 0;
    std::string place;
    words >> number >> kind >> mode >> access >> process >> place;
    if (process > 0 && kind == "FLOCK" && place.ends_with(':' + std::to_string(info.st_ino))) {
      return process == ::getpid() ? "this process" : "process " + std::to_string(process);
    }
  }
  return "another process";
}

}  // namespace

Result<std::optional<FileLock>> FileLock::try_acquire(const std::string& path) {
  EVQ_TRY_ASSIGN(File file, File::open_read_write(path));
  EVQ_TRY_ASSIGN(const bool locked, try_lock(file));
  return locked ? std::optional<FileLock>(FileLock(std::move(file))) : std::nullopt;
}

// Neither kind of lock knows a time-out, so who waits looks again, with pauses that grow.
Result<FileLock> FileLock::acquire(const std::string& path, std::int64_t timeout_ms) {
  EVQ_TRY_ASSIGN(File file, File::open_read_write(path));
  const std::int64_t start_ns = monotonic_now_ns();
  useconds_t pause_us = kPauseUsMin;
  for (bool my_turn = false;;) {
    if (!my_turn) {
      EVQ_TRY_ASSIGN(my_turn, set_turn(file, true));
    }
    if (my_turn) {
      EVQ_TRY_ASSIGN(const bool locked, try_lock(file));
      if (locked) {
        break;
      }
    }
    EVQ_TRY(WaitScope::check("the lock " + path));
    const std::int64_t waited_ms = (monotonic_now_ns() - start_ns) / 1000000;
    if (waited_ms >= kLockWaitToldMs && wait_teller != nullptr) {
      if (const WaitTeller tell = wait_teller.exchange(nullptr); tell != nullptr) {
        tell(path, holder_of(file));
      }
    }
    if (waited_ms >= timeout_ms) {
      return make_error(ErrorCode::kUnavailable,
                        "cannot lock " + path + ": held by " + holder_of(file) + " for " +
                            std::to_string(timeout_ms) + " ms",
                        "wait until it has finished its write, or stop it");
    }
    static_cast<void>(::usleep(pause_us));
    pause_us = std::min(pause_us * 2, kPauseUsMax);
  }
  EVQ_TRY(set_turn(file, false));
  return FileLock(std::move(file));
}

void FileLock::tell_of_wait(WaitTeller tell) {
  wait_teller = tell;
}

// Closing the only descriptor of the open file releases its lock.
void FileLock::release() {
  static_cast<void>(file_.close());
}

void FileLock::note(std::string_view bytes) noexcept {
  const ssize_t written =
      retried([&] { return ::pwrite(file_.descriptor(), bytes.data(), bytes.size(), 0); });
  if (written != static_cast<ssize_t>(bytes.size())) {
    forget();
  }
}

void FileLock::forget() noexcept {
  static_cast<void>(retried([&] { return ::ftruncate(file_.descriptor(), 0); }));
}

// Never waits, whatever lies there.
std::string FileLock::noted(const std::string& path, std::size_t size_max) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int descriptor = retried([&] { return ::open(path.c_str(), kFlags); });
  if (descriptor < 0) {
    return {};
  }
  const File file = File::adopt(descriptor, path);
  std::string bytes(size_max, '\0');
  const Result<std::size_t> size = file.read_at(0, bytes);
  bytes.resize(size.ok() ? *size : 0);
  return bytes;
}

}  // namespace evq
