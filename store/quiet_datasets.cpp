#include "store/quiet_datasets.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/time.h"

namespace evq {

namespace {

// Far above the tick of any file system's clock.
constexpr std::int64_t kSettledNs = 2 * kSecondNs;

}  // namespace

Result<std::int64_t> oldest_end(Dataset& dataset) {
  EVQ_TRY_ASSIGN(ReadLease lease, dataset.database().begin_read());
  EVQ_TRY_ASSIGN(const std::shared_ptr<const Listing> listing, dataset.listing(lease.connection()));
  std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
  for (const SnapshotBlock& block : listing->blocks) {
    oldest = std::min(oldest, block.max_time);
  }
  return oldest;
}

std::optional<FileMarks> QuietDatasets::look(const std::string& path) {
  const std::int64_t now = wall_clock_now_ns();
  const FileMarks marks = {mark_of(path), mark_of(path + "-wal")};
  // A time to come is one of before the clock was put back.
  const bool settled = std::ranges::all_of(marks, [&](const FileMark& mark) {
    return mark.changed_ns < now - kSettledNs || mark.changed_ns > now + kSettledNs;
  });
  return settled ? std::optional(marks) : std::nullopt;
}

bool QuietDatasets::holds(std::uint64_t file_id, const std::string& path,
                          std::optional<std::int64_t> before) {
  const FileMarks now = {mark_of(path), mark_of(path + "-wal")};
  const MutexLock lock(mutex_);
  const auto known = quiet_.find(file_id);
  return known != quiet_.end() && known->second.marks == now &&
         !(before && known->second.oldest_end < *before);
}

// Numbers of files are never used again, so those of dropped datasets go when there are too many.
void QuietDatasets::note(std::uint64_t file_id, const std::string& path, const FileMarks& marks,
                         std::int64_t oldest_end) {
  const FileMarks now = {mark_of(path), mark_of(path + "-wal")};
  const MutexLock lock(mutex_);
  if (quiet_.size() > 2 * kStoreResourcesMax) {
    quiet_.clear();
  }
  if (now == marks) {
    quiet_[file_id] = {marks, oldest_end};
  } else {
    quiet_.erase(file_id);
  }
}

}  // namespace evq
