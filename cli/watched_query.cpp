#include "cli/watched_query.h"

#include <chrono>
#include <exception>
#include <optional>
#include <semaphore>
#include <utility>

#include <unistd.h>

#include "cli/output.h"
#include "cli/terminal/terminal.h"

namespace evq {
namespace {

constexpr std::chrono::milliseconds kPoll{50};

ProgressOptions progress_options(const GlobalOptions& global, const std::string& label) {
  ProgressOptions options;
  options.enabled = shows_progress(global);
  options.label = label;
  options.elapsed = true;
  return options;
}

// Tells when the query has ended: what follows is its output's work.
class EndNoticed final : public ResultSink {
 public:
  EndNoticed(std::unique_ptr<ResultSink> next, std::function<void()> ended)
      : next_(std::move(next)), ended_(std::move(ended)) {}
  Status begin(const ResultHeader& header) override { return next_->begin(header); }
  Status push(const Chunk& rows, std::span<const RowOrigin> origins) override {
    return next_->push(rows, origins);
  }
  Status push_totals(const Chunk& rows) override { return next_->push_totals(rows); }
  Status end(const QueryStatus& status) override {
    ended_();
    return next_->end(status);
  }

 private:
  std::unique_ptr<ResultSink> next_;
  std::function<void()> ended_;
};

}  // namespace

WatchedQuery::WatchedQuery(const GlobalOptions& global, const std::string& label)
    : progress_(progress_options(global, label)) {}

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

std::unique_ptr<ResultSink> WatchedQuery::laid_out_by(std::unique_ptr<ResultSink> next) {
  return std::make_unique<EndNoticed>(std::move(next), [this] {
    const MutexLock lock(mutex_);
    laying_out_ = true;
    progress_.begin_step("laying out");
  });
}

Status WatchedQuery::run(const QueryControl& control, const std::function<Status()>& work) {
  std::optional<Status> done;
  std::binary_semaphore finished(0);
  std::exception_ptr failure;
  thread_.submit([&] {
    try {
      done = work();
    } catch (const std::exception&) {  // main() says what becomes of it
      failure = std::current_exception();
    }
    finished.release();
  });
  while (!finished.try_acquire_for(kPoll)) {
    const MutexLock lock(mutex_);
    if (!answering_) {
      progress_.update(laying_out_ ? ProgressCounts{}
                                   : ProgressCounts{control.bytes(), control.rows()});
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
