#pragma once
// Merging: stored blocks that are neighbours in arrival order as one block, in (_time, ordinal)
// order and with their ordinals; on the way to its place in a dataset file (stored_form.h).
//
// Nothing is locked or written. A block that is damaged fails the merge (kCorrupt); which one it
// is, find_damage() tells. Any thread; blocks belong to one thread at a time.

#include <cstddef>
#include <optional>
#include <span>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/block/block_writer.h"
#include "store/snapshot.h"
#include "store/stored_form.h"

namespace evq {

class ThreadPool;

using Sources = std::span<const SnapshotBlock>;  // neighbours in arrival order

// How blocks are merged.
struct MergePlan {
  Effort effort = Effort::kIngest;
  bool stay_fresh = false;
};

// What the merges of one round share: threads, and the control that may stop them.
struct MergeMeans {
  ThreadPool* pool;
  const QueryControl& control;
};

// Merges the rows of all blocks into one block. Errors: kCorrupt, kCancelled, kTimeout.
Result<StoredForm> merge_blocks(std::span<StoredBlock> blocks, const MergePlan& plan,
                                const MergeMeans& means);

// The first block with a part that cannot be read, and why; nothing when all are sound. Reads and
// decodes every column, but for those that lie decoded in memory.
struct DamagedBlock {
  std::size_t at = 0;
  Status damage;  // names the block
};
Result<std::optional<DamagedBlock>> find_damage(std::span<StoredBlock> blocks,
                                                const QueryControl& control);

}  // namespace evq
