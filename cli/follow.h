#pragma once
// evq ingest --follow FILE: the lines of a file that grows, into a dataset, each exactly once,
// across restarts, rotation and kill -9; on a server at least once.
//
// The store's setting "follow <dataset> <path>" says how far each file of that name was read:
// device and inode, the offset up to which all is stored, the batch that was about to be stored, by
// its end and its stamp, and checksums of what stands before these two places. A batch is stored
// whole or not at all, with the stamp as the receipt time (_sysTime) of its events; so after a kill
// the events themselves tell whether the batch was stored. A file that shrank, or in which
// something else stands before the offset, is read from its start, when what was read of it and is
// whole has been stored.
//
// A file that rotation has renamed is read on beside the one that has its name now, because its
// writers open that only after a while, until nothing has come to it for kRenamedFileQuietMs. All
// are kept open, so that none is missed that has the name for a moment, and a thread of its own
// looks for them while a batch is being stored, which may last, and has the progress saved with
// each (PathWatch).
//
// One PieceCutter reads a file for as long as it grows; its pieces are the batches. What it has
// learnt goes with each (input_before.h), and is looked up in the file when a run goes on.
//
// With a server the same numbers are kept in the user's state folder, after each batch: a batch
// that was sent and whose answer never came is sent again. A server that is away is waited for.

#include "cli/options.h"

namespace evq {

// Runs until it is interrupted; the exit status of the process.
int run_follow(const GlobalOptions& global, const IngestCommand& command);

}  // namespace evq
