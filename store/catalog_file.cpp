#include "store/catalog_file.h"

#include <utility>

#include "store/base/file.h"
#include "store/catalog/dataset_file.h"

namespace evq {

std::string reserve_path(const std::string& directory) {
  return directory + "/reserve";
}

CatalogFile::CatalogFile(CatalogOptions options) : options_(std::move(options)) {}

Result<Database*> CatalogFile::open(Missing missing) {
  const auto find = [this] {
    const MutexLock lock(mutex_);
    return database_.get();
  };
  if (Database* const known = find(); known != nullptr) {
    return known;
  }
  const std::string path = options_.directory + "/catalog.db";
  EVQ_TRY_ASSIGN(const Turn::Holder turn, opening_.take(path));
  if (Database* const known = find(); known != nullptr) {
    return known;
  }
  EVQ_TRY_ASSIGN(std::unique_ptr<Database> opened, open_database(path, missing));
  const MutexLock lock(mutex_);
  database_ = std::move(opened);
  return database_.get();
}

Result<std::unique_ptr<Database>> CatalogFile::open_database(const std::string& path,
                                                             Missing missing) const {
  DatabaseOptions options;
  options.path = path;
  options.reserve_path = reserve_path(options_.directory);
  options.vfs = options_.vfs;
  options.create = missing == Missing::kMade;
  // Datasets are made after their catalog: where there are some, there was one.
  EVQ_TRY_ASSIGN(const bool used, has_dataset_files(options_.directory));
  options.may_be_new = !used;
  if (!file_exists(options.path)) {
    if (used) {
      return make_error(ErrorCode::kCorrupt, options.path + ": the catalog is missing",
                        "restore it from a backup");
    }
    if (!options.create) {
      return std::unique_ptr<Database>();
    }
  }
  return Database::open(options, catalog_schema());
}

}  // namespace evq
