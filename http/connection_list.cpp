#include "http/connection_list.h"

#include <algorithm>
#include <utility>

#include "http/limits.h"
#include "store/base/time.h"

namespace evq {

ConnectionList::Handle ConnectionList::add(std::function<void()> close) {
  const MutexLock lock(mutex_);
  Entry entry;
  entry.close = std::move(close);
  return entries_.insert(entries_.end(), std::move(entry));
}

void ConnectionList::remove(Handle entry) {
  const MutexLock lock(mutex_);
  entries_.erase(entry);
}

void ConnectionList::mark(Handle entry, ConnectionState state,
                          std::shared_ptr<QueryControl> control) {
  const MutexLock lock(mutex_);
  entry->state = state;
  entry->since_ns = monotonic_now_ns();
  entry->asked_to_close = false;
  entry->control.swap(control);
}

void ConnectionList::prove(Handle entry) {
  const MutexLock lock(mutex_);
  entry->unproven = false;
}

void ConnectionList::note_cost(Handle entry) {
  const MutexLock lock(mutex_);
  const std::int64_t now_ns = monotonic_now_ns();
  entry->costly = true;
  entry->costly_since_ns = now_ns;
  const auto stays = [](const Entry& each) {
    return each.costly && each.unproven && !each.asked_to_close;
  };
  auto unproven = static_cast<std::size_t>(std::ranges::count_if(entries_, stays));
  for (Entry& each : entries_) {  // the oldest first
    if (!stays(each) || &each == &*entry) {
      continue;
    }
    const bool had_time = now_ns - each.costly_since_ns >= kHttpProofMsMax * kMillisecondNs;
    if (unproven <= (had_time ? kHttpUnprovenMax : kHttpUnprovenBurstMax)) {
      break;
    }
    each.close();
    each.asked_to_close = true;
    --unproven;
  }
}

std::size_t ConnectionList::size() {
  const MutexLock lock(mutex_);
  return entries_.size();
}

void ConnectionList::close_oldest_idle() {
  const MutexLock lock(mutex_);
  Entry* oldest = nullptr;
  for (Entry& entry : entries_) {
    const bool held = entry.state == ConnectionState::kBusy ||
                      (entry.state == ConnectionState::kSending && !entry.unproven);
    if (held || entry.asked_to_close) {
      continue;
    }
    if (oldest == nullptr ||
        std::pair(entry.state, entry.since_ns) < std::pair(oldest->state, oldest->since_ns)) {
      oldest = &entry;
    }
  }
  if (oldest != nullptr) {
    oldest->close();
    oldest->asked_to_close = true;
  }
}

void ConnectionList::close_idle() {
  const MutexLock lock(mutex_);
  for (const Entry& entry : entries_) {
    if (entry.state == ConnectionState::kIdle || entry.state == ConnectionState::kReceiving) {
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

}  // namespace evq
