#pragma once
// Streams that an operator holds whole while they are short enough, and goes through afterwards,
// with all workers.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "apl/exec/executor.h"

namespace evq {

// The output of `node` in order; nothing when it has more than `rows_max` rows, or more bytes than
// are worth holding or fit the query's memory: then the node has to be run for a consumer that
// holds less. `operator_name`, a literal, is for memory errors.
Result<std::optional<Collected>> collect_short(Executor& executor, const plan::Node& node,
                                               std::size_t rows_max,
                                               std::string_view operator_name);
// Hands chunks on, in this order, to a sink of `consumer` for each worker.
Status push_side_by_side(const Executor& executor, std::vector<Chunk> chunks, Consumer& consumer);

}  // namespace evq
