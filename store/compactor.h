#pragma once
// Compaction: fresh chunks become blocks, small blocks become big ones, deleted blocks go.
//
// Everything is read from a snapshot and encoded without holding any lock; the snapshot is let go,
// because it keeps the write-ahead file from starting over; then one short write transaction puts
// the result in and takes the sources out, provided all of them are still there as they were. If
// another process was faster, the work is thrown away: never twice, never half. Readers are not
// stalled, and snapshots taken before keep seeing the sources.
//
// What is damaged stays as it is, and the rest is merged around it; kCorrupt in the end.
//
// Rows keep their ordinals: sources are neighbours in arrival order, the result is in (_time,
// ordinal) order, and where row numbers no longer tell the ordinals they become the column
// kOrdinalField. Any thread.

#include <cstdint>
#include <memory>

#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/base/result.h"
#include "store/dataset.h"

namespace evq {

class ThreadPool;

// Fresh chunks of a dataset before the newest are merged: a query opens each of them.
inline constexpr std::uint64_t kFreshChunksMax = 64;

struct CompactOptions {
  std::uint32_t block_rows = kBlockRowsMax;
  ThreadPool* pool = nullptr;
  std::shared_ptr<SegmentCache> cache;  // columns that it has are not read
};

// Does what is due after a commit: seals when the fresh rows fill a block, merges the newest chunks
// into one when there are many, and seals those between blocks when there are many of them.
Status tidy_fresh(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
                  QueryControl& control);
// Merges runs of small blocks, some at a time: what is left to do when nobody writes.
Status merge_small(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
                   QueryControl& control);
// Seals every fresh chunk and merges runs of small neighbours, compressing harder.
Status compact(const std::shared_ptr<Dataset>& dataset, const CompactOptions& options,
               QueryControl& control);
// Removes the rows and bytes of queued blocks, in steps of a transaction each.
Status reap(Dataset& dataset, const QueryControl& control);
// Gives free pages of the file back to the file system, in steps that leave the write-ahead file
// short; readers in the way leave the rest to a later call.
Status give_back(Dataset& dataset, const QueryControl& control);

}  // namespace evq
