#pragma once
// Backup: a copy of a whole store, made while it is in use. Each file is copied as of one instant,
// no sooner than the call (catalog/database_copy.h): the datasets first, the catalog last, which
// then names none that was not copied. It all happens in a folder beside the one that is asked for,
// which takes its name when everything in it is on the disk, so that there is a whole copy or none.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "store/base/control.h"
#include "store/base/result.h"
#include "store/catalog_definitions.h"
#include "store/dataset.h"
#include "store/store.h"

namespace evq {

struct BackupSource {
  std::string directory;  // canonical
  CatalogDefinitions& definitions;
  // Runs `run` on a dataset and returns its status; kNotFound when somebody dropped the dataset.
  using Run = std::function<Status(Dataset& dataset)>;
  std::function<Status(std::string_view name, const Run& run)> with_dataset;
};

// Implements Store::back_up().
Result<BackupReport> back_up(const BackupSource& source, const std::string& target,
                             const BackupProgress& progress, const QueryControl& control);

}  // namespace evq
