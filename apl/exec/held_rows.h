#pragma once
// Streams that an operator holds whole while they are short enough, and goes through afterwards; a
// longer one is run again by whoever wanted it.

#include <cstddef>
#include <optional>
#include <string_view>

#include "apl/exec/executor.h"

namespace evq {

// Returns the output of `node` in order; nothing when it has more than `rows_max` rows, or more
// bytes than are worth holding or fit the query's memory: then the node has to be run for a
// consumer that holds less. `operator_name`, a literal, is for memory errors.
Result<std::optional<Collected>> collect_short(Executor& executor, const plan::Node& node,
                                               std::size_t rows_max, std::string_view operator_name,
                                               const Demand& demand);

}  // namespace evq
