#include "store/base/descriptor_room.h"

#include <algorithm>
#include <utility>

#include "store/base/control.h"
#include "store/base/process.h"

namespace evq {

DescriptorRoom::DescriptorRoom()
    : DescriptorRoom({descriptor_limit, count_descriptors, monotonic_now_ns}) {}

DescriptorRoom::DescriptorRoom(Source source) : source_(std::move(source)) {}

bool DescriptorRoom::take(std::size_t wanted) {
  const std::int64_t now_ns = source_.steady_ns();
  {
    const MutexLock lock(mutex_);
    if (wanted <= left_ && now_ns - counted_ns_ < kDescriptorCountNs) {
      left_ -= wanted;
      return true;
    }
  }
  const std::size_t limit = source_.limit();
  const std::size_t usable = limit - limit / 8;
  const std::size_t open = source_.count();  // takes a while, so without the lock
  const std::size_t left = (usable - std::min(open, usable)) / 2;
  const MutexLock lock(mutex_);
  left_ = left - std::min(wanted, left);
  counted_ns_ = now_ns;
  return open < usable;
}

}  // namespace evq
