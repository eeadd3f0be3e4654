#pragma once
// Aggregation by the places of rows (plan::Unnest::row_place), as mv-apply's operators become: what
// one row was expanded to comes together, so that its groups are complete when those of the next
// row come. They are made chunk by chunk and go on as a stream, in its order: no more of them are
// held than those of one chunk and of a row that goes on in others, and nothing is merged with what
// other workers saw.

#include <cstddef>

#include "apl/exec/executor.h"
#include "apl/plan/plan.h"

namespace evq {

// Whether `column` of `node`'s output is such a place, and the rows with one place come one right
// after the other, in one sink.
bool comes_in_runs(const plan::Node& node, std::size_t column);
// Whether run_whole_groups() can run `node`, an Aggregate.
bool groups_by_place(const plan::Node& node);
// Runs `node`. What is held of groups must fit into memory: kLimit if it does not.
Status run_whole_groups(Executor& executor, const plan::Node& node, Consumer& consumer);

}  // namespace evq
