#pragma once
// ConnectionList: the open connections of a server, with what others need to end them: the oldest
// idle ones make room for new ones, all idle ones go when the server drains. Any thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>

#include "store/base/control.h"
#include "store/base/mutex.h"

namespace evq {

class ConnectionList {
 public:
  struct Entry {
    std::int64_t idle_since_ns = 0;         // monotonic; 0: busy
    std::function<void()> close;            // asks the connection to end, from any thread
    std::shared_ptr<QueryControl> control;  // of the request that runs
  };
  using Handle = std::list<Entry>::iterator;

  Handle add(std::function<void()> close);
  void remove(Handle entry);
  // What the connection does now.
  void mark(Handle entry, bool idle, std::shared_ptr<QueryControl> control);

  std::size_t size();
  void close_oldest_idle();
  void close_idle();
  // Cancels what runs and closes the rest.
  void cancel_all();
  // Forgets the connections that will not run on: what would close them goes before their executor.
  void clear();

 private:
  Mutex mutex_;
  std::list<Entry> entries_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
