#pragma once
// Following a dataset: the newest events, then those that arrive, written to standard output; for
// `evq tail` and for the prompt. It keeps the events of one round at most. One thread at a time.

#include <string>

#include "cli/options.h"
#include "cli/query_target.h"

namespace evq {

// Goes on until interrupt_control() cancels or the reader of the output has gone, both kCancelled.
// `apl` becomes the query, for errors that point into it.
Status tail_events(const GlobalOptions& global, const TailCommand& command, QueryTarget& target,
                   std::string* apl);

}  // namespace evq
