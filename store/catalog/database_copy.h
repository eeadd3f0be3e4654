#pragma once
// A copy of a database as one read transaction sees it, made while others go on writing: SQLite's
// online backup (https://www.sqlite.org/backup.html), page by page, damaged ones as they are.

#include <cstdint>
#include <functional>
#include <string>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/catalog/sqlite.h"

namespace evq {

// Called now and then with the bytes copied so far.
using CopyProgress = std::function<void(std::uint64_t bytes)>;

// Copies a database into a new file (kConflict where there is one), which is synced on return, and
// returns its size in bytes. `source` must be in a transaction, and stays in it. A failure, for
// want of room (kDiskFull) or because of `control`, leaves a file that is no database. Beside the
// copy it makes the files for readers who may not write to its folder.
Result<std::uint64_t> copy_database(Connection& source, const std::string& path,
                                    const QueryControl& control, const CopyProgress& progress);
// Removes a copy, whole or partial, and the files beside it.
Status remove_copy(const std::string& path);

}  // namespace evq
