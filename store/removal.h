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

// Implements Store::remove.
Result<RemoveReport> remove_matches(const std::shared_ptr<Dataset>& dataset,
                                    const std::shared_ptr<SegmentCache>& cache,
                                    const RowFilter& doomed, Removal removal,
                                    QueryControl& control);

// Marks blocks whose newest event is older than `before` as deleted; returns their rows.
Result<std::uint64_t> queue_older(Dataset& dataset, std::int64_t before);

// Frees the pages of deleted blocks inside the file, and shrinks the file when the disk is short.
Status free_removed(Dataset& dataset, const QueryControl& control);
// Like free_removed() after a durable delete; ignores failures, which the next upkeep makes up for.
void free_removed_if_possible(Dataset& dataset, const QueryControl& control);

}  // namespace evq
