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

// Told now and then how many bytes of the copy there are.
using CopyProgress = std::function<void(std::uint64_t bytes)>;

// Into a new file (kConflict where there is one), which is synced on return; its bytes. `source` is
// in a transaction, and stays in it. What failed, for want of room (kDiskFull) or because `control`
// said so, leaves a file that is no database.
// Beside it are the files that those need who may read the copy and not write to its folder.
Result<std::uint64_t> copy_database(Connection& source, const std::string& path,
                                    const QueryControl& control, const CopyProgress& progress);
// A copy that is not wanted after all, or what there is of one.
Status remove_copy(const std::string& path);

}  // namespace evq
