#pragma once
// Operators that hold something of every key: when all of it does not fit into memory, they run for
// some of the keys at a time, by their hashes, over the same input again. Nothing is written to a
// disk, and what is held needs no form outside of memory; what comes out comes share by share.

#include <functional>

#include "apl/exec/executor.h"
#include "apl/exec/group_table.h"
#include "apl/exec/overflow_mark.h"

namespace evq {

// Runs an operator for the keys of some shares. It marks an overflow when it fails because their
// state does not fit, which it must find out before it hands anything on.
using RunShares =
    std::function<Status(const KeyShares& shares, Consumer& consumer, OverflowMark& overflow)>;

// Calls `run` for all keys at once; if that overflows and the input is repeatable, for as many
// shares at a time as fit the memory, until the operators above need no more. Statistics count what
// is read as read once.
Status run_by_keys(Executor& executor, const std::function<bool()>& is_repeatable,
                   const RunShares& run, Consumer& consumer);

}  // namespace evq
