#pragma once
// Upkeep: the background worker of a server. Every few seconds it goes round the datasets: fresh
// chunks that are due are sealed, small blocks merged, deleted blocks reaped, expired events of
// datasets with a retention period removed; when tokens were used is written down. It shares
// nothing with requests but the store and the authenticator.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "http/api.h"
#include "store/base/control.h"
#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/base/thread_pool.h"

namespace evq {

class Upkeep {
 public:
  // The api must outlive it.
  Upkeep(Api& api, std::int64_t interval_ms);
  // Begins its rounds. kUnavailable when there is no thread for them.
  Status start();
  // Ends the round that runs and joins.
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;
  // Looks after a dataset now rather than in the next round; any thread.
  void hurry(std::string_view dataset);

 private:
  void run();
  void serve_hurried();
  void go_round();
  void maintain(const std::string& dataset);
  std::set<std::string, std::less<>> wait_for_round();

  Api& api_;
  const std::int64_t interval_ms_;
  std::int64_t next_round_ns_ = 0;  // the thread's own
  QueryControl control_;
  Mutex mutex_;
  CondVar wake_;
  bool stopping_ EVQ_GUARDED_BY(mutex_) = false;
  std::set<std::string, std::less<>> hurried_ EVQ_GUARDED_BY(mutex_);
  ThreadPool thread_{1};
};

}  // namespace evq
