#pragma once
// Checking a store: of the catalog and of every dataset's file SQLite's own structure, every row
// and blob checksum, every header, every column and filter decoded, every count compared with what
// it counts; and which files no dataset has. Damage is reported, not returned: a check of a broken
// file succeeds and lists what is broken, the first kCheckProblemsMax of a file.

#include <string>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/catalog_definitions.h"
#include "store/open_datasets.h"
#include "store/store.h"

namespace evq {

struct CheckedStore {
  const std::string& directory;
  CatalogDefinitions& definitions;
  OpenDatasets& open;
};

// Any thread. Errors: only those of the control.
Result<CheckReport> check_store(const CheckedStore& store, QueryControl& control);

}  // namespace evq
