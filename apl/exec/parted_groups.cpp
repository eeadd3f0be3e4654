#include "apl/exec/parted_groups.h"

#include <utility>

namespace evq {
namespace {

// From which part on the next thread goes, after the last: far from the others', whatever their
// number.
constexpr std::size_t kStride = 27;

}  // namespace

Status PartedGroups::for_each(const Work& work) {
  const std::size_t first = turns_.fetch_add(1, std::memory_order_relaxed) * kStride;
  for (std::size_t i = 0; i < kCount; ++i) {
    EVQ_TRY(at((first + i) % kCount, work));
  }
  return Status::success();
}

Status PartedGroups::at(std::size_t part, const Work& work) {
  const MutexLock lock(parts_[part].mutex);
  std::unique_ptr<GroupStates>& groups = parts_[part].groups;
  if (groups == nullptr) {
    groups = std::make_unique<GroupStates>(spec_);
  }
  return work(part, *groups);
}

std::unique_ptr<GroupStates> PartedGroups::release(std::size_t part) {
  const MutexLock lock(parts_[part].mutex);
  std::unique_ptr<GroupStates>& groups = parts_[part].groups;
  return groups != nullptr ? std::move(groups) : std::make_unique<GroupStates>(spec_);
}

std::size_t PartedGroups::size() const {
  std::size_t groups = 0;
  for (const Part& part : parts_) {
    const MutexLock lock(part.mutex);
    groups += part.groups != nullptr ? part.groups->size() : 0;
  }
  return groups;
}

}  // namespace evq
