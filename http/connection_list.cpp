#include "http/connection_list.h"

#include <utility>

namespace evq {

ConnectionList::Handle ConnectionList::add(std::function<void()> close) {
  const MutexLock lock(mutex_);
  return entries_.insert(entries_.end(), Entry{0, std::move(close), {}});
}

void ConnectionList::remove(Handle entry) {
  const MutexLock lock(mutex_);
  entries_.erase(entry);
}

void ConnectionList::mark(Handle entry, bool idle, std::shared_ptr<QueryControl> control) {
  const MutexLock lock(mutex_);
  entry->idle_since_ns = idle ? monotonic_now_ns() : 0;
  entry->control.swap(control);
}

std::size_t ConnectionList::size() {
  const MutexLock lock(mutex_);
  return entries_.size();
}

void ConnectionList::close_oldest_idle() {
  const MutexLock lock(mutex_);
  const Entry* oldest = nullptr;
  for (const Entry& entry : entries_) {
    if (entry.idle_since_ns != 0 &&
        (oldest == nullptr || entry.idle_since_ns < oldest->idle_since_ns)) {
      oldest = &entry;
    }
  }
  if (oldest != nullptr) {
    oldest->close();
  }
}

void ConnectionList::close_idle() {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.idle_since_ns != 0) {
      entry.close();
    }
  }
}

void ConnectionList::cancel_all() {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.control != nullptr) {
      entry.control->cancel();
    } else {
      entry.close();
    }
  }
}

void ConnectionList::clear() {
  const MutexLock lock(mutex_);
  entries_.clear();
}

}  // namespace evq
