#pragma once
// evq ingest --follow FILE: the lines of a file that grows, into a dataset of the local store, each
// exactly once, across restarts, rotation and kill -9.
//
// The store's setting "follow <dataset> <path>" says how far the file was read: device and inode,
// the offset up to which all is stored, and the batch that was about to be stored, by its end and
// its stamp. A batch is stored whole or not at all, with the stamp as the receipt time (_sysTime)
// of its events; so after a kill the events themselves tell whether the batch was stored. A file
// that shrank is read from its start; one that was renamed is read to its end before the new file
// of its name is.

#include "cli/options.h"

namespace evq {

// Runs until it is interrupted; the exit status of the process.
int run_follow(const GlobalOptions& global, const IngestCommand& command);

}  // namespace evq
