#pragma once
// Candidates: the rows of a stream that may be chosen, where groups, or the whole stream, are asked
// for their first rows by a key. Other rows are dropped, so that columns that only a chosen row
// needs are read for few rows, or few are sorted: while chunks come, and again at each worker's
// end. Where most rows stay, all pass.

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
