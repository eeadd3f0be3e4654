#pragma once
// Candidates: of a stream whose groups are asked for their first rows by a key, or for those that
// come first, only the rows that may be among them, so that the columns which only a chosen row
// needs are read for few, or few are sorted. Rows are left out while they come and again at the end
// of each worker's; where most stay, all pass.

#include <memory>
#include <string_view>

#include "apl/exec/executor.h"

namespace evq {

// Hands on, chunk by chunk and in their order, the rows that may be chosen and the first row of
// each group, which tells where the group comes in the stream. kLimit when memory has no room;
// `operator_name`, a literal, is for that.
std::unique_ptr<Sink> make_candidate_sink(const Executor& executor,
                                          const plan::RowCandidates& candidates,
                                          std::string_view operator_name,
                                          std::unique_ptr<Sink> next);

}  // namespace evq
