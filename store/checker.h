#pragma once
// Checking a dataset's file: SQLite's own structure, every row and blob checksum, every header,
// every column and filter decoded, every count compared with what it counts. Damage is reported,
// not returned: a check of a broken file succeeds and lists what is broken, the first
// kCheckProblemsMax of a file.

#include <memory>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/dataset.h"
#include "store/store.h"

namespace evq {

// Adds to `report`. Errors: only those of the control.
Status check_dataset(const std::shared_ptr<Dataset>& dataset, QueryControl& control,
                     CheckReport* report);

}  // namespace evq
