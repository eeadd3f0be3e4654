#pragma once
// PartedGroups: the groups of an aggregation in parts by the hash of their keys, so that a part
// fits a near cache and parts are finished side by side. Several threads may add to it: a part is
// one thread's at a time, and since each goes through the parts from another one on, they seldom
// wait.

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "apl/exec/group_states.h"
#include "apl/exec/parted_rows.h"
#include "store/base/mutex.h"

namespace evq {

class PartedGroups {
 public:
  static constexpr unsigned kBits = PartedRows::kBits;
  static constexpr std::size_t kCount = PartedRows::kCount;

  // `spec` stays the caller's.
  explicit PartedGroups(const GroupStates::Spec& spec) : spec_(spec) {}

  using Work = std::function<Status(std::size_t part, GroupStates& groups)>;
  // Calls `work` for each part, or until one call fails.
  Status for_each(const Work& work);
  Status at(std::size_t part, const Work& work);
  // Gives up a part's groups: once for each part, when nobody adds any more. Never null.
  std::unique_ptr<GroupStates> release(std::size_t part);
  std::size_t size() const;

 private:
  struct Part {
    mutable Mutex mutex;
    std::unique_ptr<GroupStates> groups EVQ_GUARDED_BY(mutex);  // once it is asked for
  };

  const GroupStates::Spec& spec_;
  std::array<Part, kCount> parts_;
  std::atomic<std::size_t> turns_{0};
};

}  // namespace evq
