#pragma once
// GroupMerge: makes one of the groups that the workers of an aggregation saw: all together while
// they are few, or part by part, side by side (group_parts.h).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "apl/exec/group_parts.h"
#include "apl/exec/group_states.h"
#include "store/base/result.h"

namespace evq {

class GroupMerge {
 public:
  using Groups = std::unique_ptr<GroupStates>;

  // Merges what `workers`, which have settled to merge, and `shared` hold, and besides them
  // groups merged `earlier`, which are settled, may have packed keys where the workers' are not,
  // and may be of rows before or behind theirs. They must outlive this.
  GroupMerge(const GroupStates::Spec& spec, GroupParts::Shared& shared,
             std::vector<GroupParts*> workers, std::span<const Groups> earlier = {});

  // How many parts there are; one holds all groups.
  std::size_t parts() const { return in_parts_ ? GroupParts::kCount : 1; }
  bool in_parts() const { return in_parts_; }
  // Finds out what belongs to which part: once, before make().
  Status prepare();
  // Makes a part, once, settled. Any thread.
  Status make(std::size_t part, Groups* to);

 private:
  using PartLists = std::vector<std::vector<std::uint32_t>>;  // of groups

  bool pays_in_parts() const;
  Status merge_together(Groups* to);
  Status merge_part(std::size_t part, Groups* to);
  static Status merge_all(const GroupStates& from, GroupStates* to);

  const GroupStates::Spec& spec_;
  GroupParts::Shared& shared_;
  const std::vector<GroupParts*> workers_;
  const std::span<const Groups> earlier_;
  const bool in_parts_;
  std::vector<PartLists> of_workers_;  // of those whose groups are together
  std::vector<PartLists> of_earlier_;
};

}  // namespace evq
