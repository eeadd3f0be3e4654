#include "store/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sched.h>

#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/mutex.h"

namespace evq {

namespace {

// What the deepest plans that the limits allow need, and some: a lower `ulimit -s` does not count.
// An aggregation takes 6 KiB, 40 where addresses are checked; what is not touched is no memory.
constexpr std::size_t kStackBytesMin = std::size_t{64} << 20U;

// One call of run_parallel. Threads claim worker numbers until none is left, so a pool task that
// comes late finds nothing to do; it holds the job alive, but touches `fn` only after a claim,
// and the caller does not return before every claimed number is done.
struct ParallelJob {
  ParallelJob(std::size_t worker_count, const std::function<void(std::size_t)>& function)
      : workers(worker_count), fn(function), running(worker_count) {}

  const std::size_t workers;
  const std::function<void(std::size_t)>& fn;
  std::atomic<std::size_t> next{0};
  Mutex mutex;
  CondVar done;
  std::size_t running EVQ_GUARDED_BY(mutex);
  std::exception_ptr failure EVQ_GUARDED_BY(mutex);
};

void run_claimed(ParallelJob& job) {
  for (;;) {
    const std::size_t worker = job.next.fetch_add(1, std::memory_order_relaxed);
    if (worker >= job.workers) {
      return;
    }
    std::exception_ptr failure;
    try {
      job.fn(worker);
    } catch (...) {
      failure = std::current_exception();
    }
    const MutexLock lock(job.mutex);
    if (failure != nullptr && job.failure == nullptr) {
      job.failure = failure;
    }
    if (--job.running == 0) {
      job.done.notify_all();
    }
  }
}

}  // namespace

struct ThreadPool::State {
  explicit State(std::size_t count) : thread_count(count) {}

  const std::size_t thread_count;
  Mutex mutex;
  CondVar work;
  std::deque<std::function<void()>> tasks EVQ_GUARDED_BY(mutex);
  std::vector<pthread_t> threads EVQ_GUARDED_BY(mutex);
  std::size_t idle EVQ_GUARDED_BY(mutex) = 0;
  bool stopping EVQ_GUARDED_BY(mutex) = false;

  void run() {
    for (;;) {
      std::function<void()> task;
      {
        const MutexLock lock(mutex);
        ++idle;
        while (tasks.empty() && !stopping) {
          work.wait(mutex);
        }
        --idle;
        if (tasks.empty()) {
          return;
        }
        task = std::move(tasks.front());
        tasks.pop_front();
      }
      task();
    }
  }

  static void* enter(void* state) {
    join_heap();
    static_cast<State*>(state)->run();
    return nullptr;
  }

  // False when the system has no thread left, or no memory for it.
  bool start_thread() EVQ_REQUIRES(mutex) {
    pthread_t thread{};
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) {
      return false;
    }
    std::size_t stack_bytes = 0;
    bool started =
        pthread_attr_getstacksize(&attributes, &stack_bytes) == 0 &&
        pthread_attr_setstacksize(&attributes, std::max(stack_bytes, kStackBytesMin)) == 0;
    try {
      threads.reserve(threads.size() + 1);
      started = started && pthread_create(&thread, &attributes, &State::enter, this) == 0;
    } catch (const std::bad_alloc&) {
      started = false;
    }
    pthread_attr_destroy(&attributes);
    if (started) {
      threads.push_back(thread);
    }
    return started;
  }

  // False when the task cannot be taken because no thread could be started at all, or because
  // there is no memory for it.
  bool push(const std::function<void()>& task) {
    {
      const MutexLock lock(mutex);
      // Where there is no further one, those already there take the task.
      if (tasks.size() >= idle && threads.size() < thread_count && !start_thread() &&
          threads.empty()) {
        return false;
      }
      try {
        tasks.push_back(task);
      } catch (const std::bad_alloc&) {
        return false;
      }
    }
    work.notify_one();  // without the lock, which the thread that wakes up takes
    return true;
  }
};

ThreadPool::ThreadPool(std::size_t threads)
    : state_(std::make_unique<State>(std::min(threads, kThreadsMax))) {}

ThreadPool::~ThreadPool() {
  std::vector<pthread_t> threads;
  {
    const MutexLock lock(state_->mutex);
    state_->stopping = true;
    threads = std::move(state_->threads);
    state_->work.notify_all();
  }
  for (const pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
}

void ThreadPool::run_parallel(std::size_t workers, const std::function<void(std::size_t)>& fn) {
  if (workers == 0) {
    return;
  }
  const auto job = std::make_shared<ParallelJob>(workers, fn);
  const std::size_t helpers = std::min(workers - 1, state_->thread_count);
  const std::function<void()> task = [job] { run_claimed(*job); };
  for (std::size_t i = 0; i < helpers; ++i) {
    if (!state_->push(task)) {
      break;
    }
  }
  run_claimed(*job);
  std::exception_ptr failure;
  {
    const MutexLock lock(job->mutex);
    while (job->running > 0) {
      job->done.wait(job->mutex);
    }
    failure = job->failure;
  }
  if (failure != nullptr) {
    std::rethrow_exception(failure);
  }
}

void ThreadPool::submit(const std::function<void()>& task) {
  if (!offer(task)) {
    task();
  }
}

bool ThreadPool::offer(const std::function<void()>& task) {
  return state_->thread_count != 0 && state_->push(task);
}

std::size_t ThreadPool::threads() const {
  return state_->thread_count;
}

std::size_t ThreadPool::processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) {
      return static_cast<std::size_t>(count);
    }
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace evq
