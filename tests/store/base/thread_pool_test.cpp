#include "store/base/thread_pool.h"

#include <atomic>
#include <new>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/mutex.h"

namespace evq {
namespace {

TEST_CASE("every worker number runs exactly once, with any number of threads") {
  for (const std::size_t threads : {0U, 1U, 3U}) {
    ThreadPool pool(threads);
    for (const std::size_t workers : {0U, 1U, 2U, 50U}) {
      std::vector<std::atomic<int>> runs(workers);
      pool.run_parallel(workers, [&](std::size_t worker) { runs[worker].fetch_add(1); });
      for (const auto& count : runs) {
        CHECK(count.load() == 1);
      }
    }
  }
}

TEST_CASE("nested parallel runs end") {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  pool.run_parallel(4, [&](std::size_t) {
    pool.run_parallel(
        4, [&](std::size_t) { pool.run_parallel(2, [&](std::size_t) { total.fetch_add(1); }); });
  });
  CHECK(total.load() == 32);
}

TEST_CASE("an exception reaches the caller after all workers are done") {
  ThreadPool pool(2);
  std::atomic<int> done{0};
  CHECK_THROWS_AS(pool.run_parallel(8,
                                    [&](std::size_t worker) {
                                      if (worker == 3) {
                                        throw std::bad_alloc();
                                      }
                                      done.fetch_add(1);
                                    }),
                  std::bad_alloc);
  CHECK(done.load() == 7);
}

TEST_CASE("submitted tasks are finished before the pool goes") {
  std::atomic<int> done{0};
  {
    ThreadPool pool(2);
    for (int i = 0; i < 1000; ++i) {
      pool.submit([&] { done.fetch_add(1); });
    }
  }
  CHECK(done.load() == 1000);
  ThreadPool none(0);
  none.submit([&] { done.fetch_add(1); });
  CHECK(done.load() == 1001);
  CHECK(ThreadPool::processors() >= 1);
}

TEST_CASE("a condition variable wakes a waiter and times out") {
  Mutex mutex;
  CondVar condition;
  bool ready = false;
  ThreadPool pool(1);
  pool.submit([&] {
    const MutexLock lock(mutex);
    ready = true;
    condition.notify_all();
  });
  const MutexLock lock(mutex);
  while (!ready) {
    condition.wait(mutex);
  }
  CHECK(ready);
  CHECK(!condition.wait_for_ms(mutex, 1));
}

}  // namespace
}  // namespace evq
