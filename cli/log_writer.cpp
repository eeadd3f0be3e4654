#include "cli/log_writer.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <poll.h>
#include <unistd.h>

#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kLogBytesMax = 1 * kMebibyte;
constexpr int kLogPollMs = 100;

}  // namespace

LogWriter::LogWriter(int descriptor, std::atomic<std::uint64_t>& dropped)
    : descriptor_(descriptor), dropped_(dropped) {}

Status LogWriter::start() {
  if (!thread_.offer([this] { run(); })) {
    return make_error(ErrorCode::kUnavailable, "the system has no thread for the access log",
                      "its limit of processes or memory is reached");
  }
  return Status::success();
}

LogWriter::~LogWriter() {
  const MutexLock lock(mutex_);
  ending_.store(true);
  changed_.notify_one();
}

void LogWriter::write(std::string_view line) {
  const MutexLock lock(mutex_);
  if (queued_.size() + line.size() > kLogBytesMax) {
    dropped_.fetch_add(1);
    return;
  }
  queued_.append(line);
  changed_.notify_one();
}

void LogWriter::run() {
  std::string lines;
  while (take(&lines)) {
    put(lines);
  }
}

bool LogWriter::take(std::string* lines) {
  const MutexLock lock(mutex_);
  while (queued_.empty() && !ending_.load()) {
    changed_.wait(mutex_);
  }
  lines->clear();
  lines->swap(queued_);
  return !lines->empty();
}

// A pipe that is ready takes PIPE_BUF bytes without blocking, and perhaps no more.
void LogWriter::put(std::string_view bytes) {
  while (!bytes.empty()) {
    pollfd ready{descriptor_, POLLOUT, 0};
    if (::poll(&ready, 1, kLogPollMs) <= 0) {
      if (ending_.load()) {
        return;
      }
      continue;
    }
    const ssize_t written =
        ::write(descriptor_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return;  // nobody will read it
    }
    bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(written, 0)));
  }
}

}  // namespace evq
