#include "apl/exec/group_merge.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "store/base/control.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// Merging a group whose states hold so much takes long, as of sets and sketches: it pays to part
// groups that are together so far.
constexpr std::size_t kSlowlyMergedBytesMin = 96;
// Less is merged before other threads wake up.
constexpr std::size_t kMergedBytesMin = kMebibyte;

}  // namespace

GroupMerge::GroupMerge(const GroupStates::Spec& spec, GroupParts::Shared& shared,
                       std::vector<GroupParts*> workers, std::span<const Groups> earlier)
    : spec_(spec),
      shared_(shared),
      workers_(std::move(workers)),
      earlier_(earlier),
      in_parts_(pays_in_parts()),
      of_workers_(workers_.size()),
      of_earlier_(earlier_.size()) {}

Status GroupMerge::prepare() {
  if (!in_parts_) {
    return Status::success();
  }
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (!workers_[i]->parted()) {
      const GroupStates& together = workers_[i]->together();
      EVQ_TRY(together.list_by_hash(GroupParts::kBits, together, &of_workers_[i]));
    }
  }
  const GroupStates like(spec_);
  for (std::size_t i = 0; i < earlier_.size(); ++i) {
    EVQ_TRY(earlier_[i]->list_by_hash(GroupParts::kBits, like, &of_earlier_[i]));
  }
  return Status::success();
}

bool GroupMerge::pays_in_parts() const {
  std::size_t groups = 0;
  std::size_t state_bytes = 0;
  for (const GroupParts* worker : workers_) {
    if (worker->parted()) {
      return true;
    }
    groups += worker->together().size();
    state_bytes += worker->together().state_bytes();
  }
  const bool slow = state_bytes >= groups * kSlowlyMergedBytesMin;
  const bool pays = slow && state_bytes >= kMergedBytesMin && groups >= GroupParts::kCount;
  return workers_.size() > 1 && !spec_.op.groups.empty() &&
         (spec_.parting == Parting::kAlways || pays || earlier_.size() > 1);
}

Status GroupMerge::make(std::size_t part, Groups* to) {
  if (spec_.context.control != nullptr) {
    EVQ_TRY(spec_.context.control->check());
  }
  EVQ_TRY(in_parts_ ? merge_part(part, to) : merge_together(to));
  return (*to)->settle();
}

// Of workers none of which has parts.
Status GroupMerge::merge_together(Groups* to) {
  *to = workers_[0]->release_together();
  for (const GroupParts* worker : std::span(workers_).subspan(1)) {
    EVQ_TRY(merge_all(worker->together(), to->get()));
  }
  for (const Groups& groups : earlier_) {
    EVQ_TRY(merge_all(*groups, to->get()));
  }
  return Status::success();
}

Status GroupMerge::merge_part(std::size_t part, Groups* to) {
  *to = shared_.parts.release(part);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    GroupParts& worker = *workers_[i];
    if (!worker.parted()) {
      EVQ_TRY((*to)->merge(worker.together(), of_workers_[i][part]));
    } else if (worker.own_parts() != nullptr) {
      Groups own = worker.own_parts()->release(part);
      if ((*to)->size() == 0) {
        *to = std::move(own);
      } else {
        EVQ_TRY(merge_all(*own, to->get()));
      }
    }
    EVQ_TRY(worker.take_in(part, to->get()));
  }
  for (std::size_t i = 0; i < earlier_.size(); ++i) {
    EVQ_TRY((*to)->merge(*earlier_[i], of_earlier_[i][part]));
  }
  return Status::success();
}

Status GroupMerge::merge_all(const GroupStates& from, GroupStates* to) {
  std::vector<std::uint32_t> all(from.size());
  std::iota(all.begin(), all.end(), 0U);
  return to->merge(from, all);
}

}  // namespace evq
