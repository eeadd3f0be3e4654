#pragma once
// DescriptorRoom: whether a process has descriptors left for one more thing that takes several. To
// count those that are open takes as long as there are many (count_descriptors()), and who opens
// thousands of files asks each time; so half of what a count finds free is given away before the
// next one. The other half is for whatever else is opened meanwhile, and a count holds for a short
// time only. Any thread.

#include <cstddef>
#include <cstdint>
#include <functional>

#include "store/base/mutex.h"

namespace evq {

// How long a count holds.
inline constexpr std::int64_t kDescriptorCountNs = 100'000'000;

class DescriptorRoom {
 public:
  // What it asks: how many descriptors there may be and are, and a steady clock.
  struct Source {
    std::function<std::size_t()> limit;
    std::function<std::size_t()> count;
    std::function<std::int64_t()> steady_ns;
  };
  // Asks the system.
  DescriptorRoom();
  explicit DescriptorRoom(Source source);

  // Whether there are some for what takes up to `wanted` of them. Not where an eighth of all or
  // less is left, which connections, locks and answers need: then each call counts.
  bool take(std::size_t wanted);

 private:
  const Source source_;
  Mutex mutex_;
  std::size_t left_ EVQ_GUARDED_BY(mutex_) = 0;         // to give away before the next count
  std::int64_t counted_ns_ EVQ_GUARDED_BY(mutex_) = 0;  // when the last one was
};

}  // namespace evq
