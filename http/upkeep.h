#pragma once
// Upkeep: the background worker of a server. Every few seconds it goes round the datasets: fresh
// chunks that are due are sealed, small blocks merged, deleted blocks reaped, expired events of
// datasets with a retention period removed. It shares nothing with requests but the store.

#include <cstdint>

#include "apl/service/service.h"
#include "http/metrics.h"
#include "store/base/control.h"
#include "store/base/mutex.h"
#include "store/base/thread_pool.h"

namespace evq {

class Upkeep {
 public:
  // Starts at once; the service and the metrics must outlive it.
  Upkeep(Service& service, HttpMetrics& metrics, std::int64_t interval_ms);
  // Ends the round that runs and joins.
  ~Upkeep();
  Upkeep(const Upkeep&) = delete;
  Upkeep& operator=(const Upkeep&) = delete;

 private:
  void run();
  void go_round();

  Service& service_;
  HttpMetrics& metrics_;
  const std::int64_t interval_ms_;
  QueryControl control_;
  Mutex mutex_;
  CondVar wake_;
  bool stopping_ EVQ_GUARDED_BY(mutex_) = false;
  ThreadPool thread_{1};
};

}  // namespace evq
