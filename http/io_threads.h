#pragma once
// IoThreads: the threads of a server that move bytes, each with an io_context of its own, for
// server.cpp alone. What belongs to one connection runs on one of them from start to end and needs
// no strand; a strand that finds no memory to be run with never runs again. What throws, for want
// of memory mostly, is dropped, and its thread goes on. next() is the first thread's; stop() is
// anybody's.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <new>

#include "http/beast_support.h"
#include "http/metrics.h"
#include "store/base/short_turns.h"
#include "store/base/thread_pool.h"

namespace evq {

class IoThreads {
 public:
  asio::io_context& first() { return contexts_.front(); }
  // In turn, among those that have their thread.
  asio::io_context& next() { return contexts_.at(turn_++ % serving_.load()); }

  // Until stop(), the calling thread included. The first thread calls `look_after` every
  // kLookPause, whatever its context is busy with; it may run out of memory as well.
  void run(const std::function<void()>& look_after, HttpMetrics& metrics) {
    ThreadPool threads(contexts_.size() - 1);
    threads.run_parallel(contexts_.size(), [&](std::size_t i) {
      take_short_turns();
      asio::io_context& io = contexts_.at(i);
      const auto until_stopped = asio::make_work_guard(io);
      serving_.fetch_add(1);
      while (!io.stopped()) {
        if (i == 0) {
          go_on([&] { io.run_for(kLookPause); }, metrics);
          go_on(look_after, metrics);
        } else {
          go_on([&] { io.run(); }, metrics);
        }
      }
    });
  }

  void stop() {
    for (asio::io_context& io : contexts_) {
      io.stop();
    }
  }

 private:
  static constexpr std::chrono::milliseconds kLookPause{50};

  // A connection whose handler throws goes with it.
  template <class Work>
  static void go_on(const Work& work, HttpMetrics& metrics) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      metrics.out_of_memory.fetch_add(1);
    } catch (const std::exception&) {  // of a library
      metrics.failed_handlers.fetch_add(1);
    }
  }

  // Each told that one thread runs it.
  std::array<asio::io_context, 2> contexts_{asio::io_context(1), asio::io_context(1)};
  std::atomic<std::size_t> serving_{0};  // of them, from the first one on
  std::size_t turn_ = 0;
};

}  // namespace evq
