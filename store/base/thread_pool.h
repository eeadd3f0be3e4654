#pragma once
// ThreadPool: a fixed set of worker threads, the only place of the program that creates threads.
// The threads start with the first task, so a program that never needs them does not pay for them.
// All methods may be called from any thread, workers included.

#include <cstddef>
#include <functional>
#include <memory>

namespace evq {

class ThreadPool {
 public:
  // `threads` is at most kThreadsMax. With 0, run_parallel runs everything on the caller and
  // submitted tasks run inside submit().
  explicit ThreadPool(std::size_t threads);
  // Finishes the tasks already submitted, then joins.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Calls fn(0) … fn(workers - 1), each exactly once, on the caller and on pool threads, and
  // returns when all are done. The calls may run one after the other on one thread, so they must
  // not wait for each other; nesting is fine, because the caller runs what no thread has taken.
  // An exception of a library (out of memory) is rethrown here after the others have finished.
  void run_parallel(std::size_t workers, const std::function<void(std::size_t)>& fn);

  // Runs `task` on a pool thread some time, on the caller's when there is none or no memory to
  // queue it; it must not throw.
  void submit(const std::function<void()>& task);
  // Like submit(), for tasks that run on and on: returns false where that would run one here.
  bool offer(const std::function<void()>& task);

  std::size_t threads() const;

  // Processors this process may use; at least 1.
  static std::size_t processors();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace evq
