#pragma once
// WatchedQuery: a query that runs on a thread of its own while this one shows on standard error how
// far it is. The line goes before the first byte of an answer reaches a terminal, and appears where
// standard error is one; SIGUSR1 asks for it anywhere. One query an object; one thread uses it.

#include <functional>
#include <memory>
#include <string>

#include "apl/service/result_writer.h"
#include "cli/options.h"
#include "cli/terminal/progress.h"
#include "store/base/control.h"
#include "store/base/mutex.h"
#include "store/base/thread_pool.h"

namespace evq {

class WatchedQuery {
 public:
  // Shows `label` as what is done.
  explicit WatchedQuery(const GlobalOptions& global, const std::string& label = "scanning");

  // Wraps `out`: the line is removed first where standard output is a terminal. For `work` alone.
  ByteSink output(ByteSink out);
  // Wraps `next`, whose end() lays the answer out: the line says so from then on.
  std::unique_ptr<ResultSink> laid_out_by(std::unique_ptr<ResultSink> next);
  // Runs `work`, which counts in `control`, and returns what it does.
  Status run(const QueryControl& control, const std::function<Status()>& work);

 private:
  Mutex mutex_;
  Progress progress_ EVQ_GUARDED_BY(mutex_);
  bool answering_ EVQ_GUARDED_BY(mutex_) = false;
  bool laying_out_ EVQ_GUARDED_BY(mutex_) = false;
  ThreadPool thread_{1};
};

}  // namespace evq
