#pragma once
// CatalogDefinitions: Definitions (definitions.h) over catalog.db, and what the store itself needs
// from there: which file belongs to which dataset, and the making and dropping of both together.
// Tokens are kept in the same file (catalog_tokens.h). Any thread.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/control.h"
#include "store/catalog/database.h"
#include "store/catalog_file.h"
#include "store/catalog_rows.h"
#include "store/catalog_tokens.h"
#include "store/definitions.h"

namespace evq {

// A dataset's file that no dataset of the catalog refers to.
struct UnlistedFile {
  std::uint64_t file_id = 0;
  std::string problem;
};

// Which file a dataset's events are in, and the key inside it.
struct DatasetFileName {
  std::uint64_t file_id = 0;
  std::uint64_t file_key = 0;
};

// The kNotFound error for a dataset.
Error missing_dataset(std::string_view name);
// The last line of a list of problems cut at kCheckProblemsMax: `count` are left out.
std::string more_problems(std::uint64_t count);
// "datasets/7.db": its name in the store's directory, and in messages.
std::string dataset_file(std::uint64_t file_id);
std::string dataset_path(const std::string& directory, std::uint64_t file_id);

class CatalogDefinitions final : public Definitions {
 public:
  explicit CatalogDefinitions(CatalogOptions options);

  Result<std::vector<DatasetDefinition>> datasets() override {
    return list_datasets(Damaged::kFail);
  }
  // Lists the datasets whose rows are sound, even when the list as a whole is damaged.
  Result<std::vector<DatasetDefinition>> sound_datasets() {
    return list_datasets(Damaged::kLeftOut);
  }
  Result<std::optional<DatasetDefinition>> find_dataset(std::string_view name) override;
  Result<DatasetDefinition> create_dataset(const DatasetDefinition& definition) override;
  Result<DatasetDefinition> change_dataset(std::string_view name,
                                           const DatasetChange& change) override;
  Result<std::vector<StoredObject>> find_objects(const ObjectFilter& which) override;
  Result<std::vector<std::string>> find_object_ids(const ObjectFilter& which) override;
  Result<std::optional<StoredObject>> find_object(ObjectKind kind, std::string_view id) override;
  Status put_object(const StoredObject& object) override;
  Result<StoredObject> change_object(ObjectKind kind, std::string_view id, std::size_t body_bytes,
                                     const ObjectChange& change) override;
  Result<bool> remove_object(ObjectKind kind, std::string_view id,
                             const ObjectCheck& check) override;
  Tokens& tokens() override { return tokens_; }
  Result<std::optional<std::string>> setting(std::string_view name) override;
  Status put_setting(std::string_view name, std::string_view value) override;
  Result<std::string> setting_or(std::string_view name, std::string_view value) override;

  // Finds a dataset's file, and sets `definition` unless it is null. kNotFound without a dataset.
  Result<DatasetFileName> find_file(std::string_view name, DatasetDefinition* definition = nullptr);
  // Removes the definition, durably, then the file.
  Status drop_dataset(std::string_view name);
  // Removes a row that is damaged; true when the file with its key inside was found and went too.
  Result<bool> drop_damaged_dataset(std::string_view name);
  // Makes durable what this process read of the catalog; call it before writing a dataset's file.
  Status make_durable();
  // Copies catalog.db into a new file, as copy_database() does, and returns the datasets that the
  // copy lists. kNotFound when there is no catalog yet.
  Result<std::vector<DatasetDefinition>> copy_to(const std::string& path,
                                                 const QueryControl& control);
  // Reads every row and returns the problems found; none when the catalog does not exist yet.
  Result<std::vector<std::string>> check(const QueryControl& control,
                                         std::vector<UnlistedFile>* unlisted);

 private:
  // What damaged rows of a list do.
  enum class Damaged : std::uint8_t { kFail, kLeftOut };
  Result<Database*> find_catalog() { return catalog_.find(); }
  Result<Database*> obtain_catalog() { return catalog_.obtain(); }
  Result<std::vector<DatasetDefinition>> list_datasets(Damaged damaged);
  static Result<std::vector<DatasetDefinition>> read_datasets(Connection& connection,
                                                              Damaged damaged);
  Result<DatasetDefinition> insert_dataset(Connection& connection, DatasetDefinition definition);
  Status drop_dataset(Database& catalog, std::string_view name);
  Result<bool> drop_damaged_dataset(Database& catalog, std::string_view name);
  Result<bool> remove_object(Database& catalog, ObjectKind kind, std::string_view id,
                             const ObjectCheck& check) const;
  Status note_dropped(Connection& connection, std::uint64_t file_id, std::uint64_t file_key);
  void remove_dropped(std::uint64_t file_id) const;
  Result<std::vector<std::uint64_t>> unlisted_files(Connection& connection) const;
  // The one of them that has this key inside.
  Result<std::optional<std::uint64_t>> find_unlisted(Connection& connection,
                                                     std::uint64_t file_key) const;
  // Removes files of dropped datasets; returns the ids of other files that no dataset refers to.
  Result<std::vector<std::uint64_t>> remove_leftovers(Connection& connection);
  Status check_unlisted(Database& catalog, std::vector<UnlistedFile>* found) const;

  CatalogFile catalog_;
  CatalogTokens tokens_{catalog_};
  const CatalogOptions& options_ = catalog_.options();
  CheckedLists& checked_ = catalog_.checked();
};

}  // namespace evq
