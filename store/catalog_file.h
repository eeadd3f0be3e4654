#pragma once
// CatalogFile: catalog.db of one store, which the first call that needs it opens, and what this
// process knows of the lists in it. Definitions and tokens share it. Any thread.

#include <cstdint>
#include <memory>
#include <string>

#include "store/base/limits.h"
#include "store/base/mutex.h"
#include "store/base/turn.h"
#include "store/catalog/database.h"
#include "store/catalog_rows.h"

namespace evq {

struct CatalogOptions {
  std::string directory;  // canonical
  std::string vfs;
  std::uint64_t rows_max = kStoreResourcesMax;  // of each list; tests use less
};

// The path of the store's reserve file (disk_reserve.h).
std::string reserve_path(const std::string& directory);

class CatalogFile {
 public:
  explicit CatalogFile(CatalogOptions options);

  const CatalogOptions& options() const { return options_; }
  CheckedLists& checked() { return checked_; }

  // The open catalog; null when there is none yet.
  Result<Database*> find() { return open(Missing::kNull); }
  // The same, made when there is none yet.
  Result<Database*> obtain() { return open(Missing::kMade); }

 private:
  enum class Missing : std::uint8_t { kNull, kMade };
  Result<Database*> open(Missing missing);
  Result<std::unique_ptr<Database>> open_database(const std::string& path, Missing missing) const;

  const CatalogOptions options_;
  CheckedLists checked_;
  Turn opening_;  // may wait for another process
  Mutex mutex_;
  std::unique_ptr<Database> database_ EVQ_GUARDED_BY(mutex_);
};

}  // namespace evq
