#pragma once
// Removal: whole blocks of a dataset that vanish at once and durably, because of what they hold or
// because they are old, and the room that this gives back. Any thread; a block that is merged
// meanwhile is looked for again.

#include <cstdint>
#include <memory>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/dataset.h"
#include "store/store.h"

namespace evq {

// As Store::remove.
Result<RemoveReport> remove_matches(const std::shared_ptr<Dataset>& dataset,
                                    const std::shared_ptr<SegmentCache>& cache,
                                    const RowFilter& doomed, Removal removal,
                                    QueryControl& control);

// Marks the blocks whose newest event is older deleted; their rows.
Result<std::uint64_t> queue_older(Dataset& dataset, std::int64_t before);

// Of deleted blocks, the bytes inside the file; and those of the file where the disk needs them.
Status free_removed(Dataset& dataset, const QueryControl& control);
// After a delete, which is durable by then: what fails is made up for by the next upkeep.
void free_removed_if_possible(Dataset& dataset, const QueryControl& control);

}  // namespace evq
