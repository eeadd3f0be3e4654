#pragma once
// Mutex, MutexLock and CondVar: std's, with the annotations clang's thread-safety analysis needs to
// prove that guarded members are touched under their lock only. g++ ignores the annotations;
// clang-tidy reports violations as errors.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#if defined(__clang__)
#define EVQ_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define EVQ_THREAD_ANNOTATION(x)
#endif

#define EVQ_CAPABILITY(x) EVQ_THREAD_ANNOTATION(capability(x))
#define EVQ_SCOPED_CAPABILITY EVQ_THREAD_ANNOTATION(scoped_lockable)
#define EVQ_GUARDED_BY(x) EVQ_THREAD_ANNOTATION(guarded_by(x))
#define EVQ_REQUIRES(...) EVQ_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EVQ_ACQUIRE(...) EVQ_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define EVQ_RELEASE(...) EVQ_THREAD_ANNOTATION(release_capability(__VA_ARGS__))

namespace evq {

class EVQ_CAPABILITY("mutex") Mutex {
 public:
  void lock() EVQ_ACQUIRE() { mutex_.lock(); }
  void unlock() EVQ_RELEASE() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

// Holds a Mutex for a scope.
class EVQ_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) EVQ_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() EVQ_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Waits may return without a reason: call them in a loop that tests the condition.
class CondVar {
 public:
  void wait(Mutex& mutex) EVQ_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // False when the time is over.
  bool wait_for_ms(Mutex& mutex, std::int64_t timeout_ms) EVQ_REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_for(lock, std::chrono::milliseconds(timeout_ms));
    lock.release();
    return status == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace evq
