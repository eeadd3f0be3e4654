#pragma once
// LogWriter: lines for a descriptor, written by a thread of their own: whoever logs never waits for
// whoever reads. What does not fit while nobody reads is dropped and counted. Any thread may write.

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "store/base/mutex.h"
#include "store/base/result.h"
#include "store/base/thread_pool.h"

namespace evq {

class LogWriter {
 public:
  // `dropped` must outlive the writer.
  LogWriter(int descriptor, std::atomic<std::uint64_t>& dropped);
  // Begins to write. kUnavailable when there is no thread for it.
  Status start();
  // Writes what is queued, unless the reader does not take it at once.
  ~LogWriter();
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // Queues `line`, which has its end.
  void write(std::string_view line);

 private:
  void run();
  // Waits for lines; false when there will be no more.
  bool take(std::string* lines);
  void put(std::string_view bytes);

  const int descriptor_;
  std::atomic<std::uint64_t>& dropped_;
  std::atomic<bool> ending_{false};
  Mutex mutex_;
  CondVar changed_;
  std::string queued_ EVQ_GUARDED_BY(mutex_);
  ThreadPool thread_{1};  // last: it ends first
};

}  // namespace evq
