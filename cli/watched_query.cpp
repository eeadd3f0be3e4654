#include "cli/watched_query.h"

#include <chrono>
#include <exception>
#include <new>
#include <optional>
#include <semaphore>
#include <utility>

#include <unistd.h>

#include "cli/terminal/terminal.h"

namespace evq {
namespace {

constexpr std::chrono::milliseconds kPoll{50};

ProgressOptions progress_options(const GlobalOptions& global, const std::string& label) {
  ProgressOptions options;
  options.enabled = !global.quiet && is_terminal(STDERR_FILENO);
  options.label = label;
  options.elapsed = true;
  options.columns = terminal_size(STDERR_FILENO, process_environment()).columns;
  return options;
}

}  // namespace

WatchedQuery::WatchedQuery(const GlobalOptions& global, const std::string& label)
    : progress_(progress_options(global, label)) {
  answer_progress_signals();
}

ByteSink WatchedQuery::output(ByteSink out) {
  if (!is_terminal(STDOUT_FILENO)) {
    return out;
  }
  return [this, out = std::move(out)](std::string_view bytes) -> Status {
    if (!bytes.empty()) {
      const MutexLock lock(mutex_);
      progress_.clear();
      answering_ = true;
    }
    return out(bytes);
  };
}

Status WatchedQuery::run(const QueryControl& control, const std::function<Status()>& work) {
  std::optional<Status> done;
  std::binary_semaphore finished(0);
  std::exception_ptr failure;
  thread_.submit([&] {
    try {
      done = work();
    } catch (const std::bad_alloc&) {
      failure = std::current_exception();
    }
    finished.release();
  });
  while (!finished.try_acquire_for(kPoll)) {
    const MutexLock lock(mutex_);
    if (!answering_) {
      progress_.update({control.bytes(), control.rows()});
    }
  }
  const MutexLock lock(mutex_);
  progress_.clear();
  if (failure != nullptr) {
    std::rethrow_exception(failure);
  }
  return std::move(*done);
}

}  // namespace evq
