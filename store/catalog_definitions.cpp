// Datasets and settings. Objects are in catalog_objects.cpp, tokens in catalog_tokens.cpp.
//
// A dataset and its file are made in this order: under the catalog's write lock the file is created
// and given its key, then the catalog row is committed. Dropping commits the row's removal first,
// then unlinks. What a crash between leaves behind is catalog_orphans.cpp's business.
#include "store/catalog_definitions.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "store/base/checksum.h"
#include "store/base/control.h"
#include "store/base/limits.h"
#include "store/catalog/database_copy.h"
#include "store/catalog/dataset_file.h"
#include "store/catalog/row_sum.h"
#include "store/catalog/unsynced_vfs.h"
#include "store/catalog_rows.h"
#include "store/definition_coding.h"

namespace evq {

namespace {

constexpr std::string_view kNextFileId = "next_file_id";
constexpr std::string_view kSelectDatasets =
    "SELECT name, file_id, file_key, definition, sum FROM datasets ORDER BY name";
constexpr std::string_view kSelectDataset =
    "SELECT name, file_id, file_key, definition, sum FROM datasets WHERE name = ?1";
struct DatasetRow {
  DatasetDefinition definition;
  std::uint64_t file_key = 0;
  std::int64_t sum = 0;  // as it is stored: a newer version may have written more than is read here
};

std::int64_t dataset_sum(std::string_view name, std::uint64_t file_id, std::uint64_t file_key,
                         std::string_view definition) {
  return RowSum(0, "datasets")
      .add_text(name)
      .add(file_id)
      .add(file_key)
      .add_text(definition)
      .value();
}

Result<DatasetRow> dataset_of(const Statement& row) {
  DatasetRow dataset;
  dataset.definition.name = row.text(0);
  dataset.definition.file_id = static_cast<std::uint64_t>(row.integer(1));
  dataset.file_key = static_cast<std::uint64_t>(row.integer(2));
  dataset.sum = dataset_sum(dataset.definition.name, dataset.definition.file_id, dataset.file_key,
                            row.blob(3));
  if (row.integer(4) != dataset.sum || !decode_definition(row.blob(3), &dataset.definition)) {
    return corrupt_catalog("the row of dataset '" + dataset.definition.name + "' is damaged",
                           "restore the store from a backup; its other datasets can be queried by "
                           "their names, without wildcards; 'evq dataset delete " +
                               dataset.definition.name + " --damaged' gives this one up");
  }
  return dataset;
}

}  // namespace

CatalogList dataset_list() {
  const auto sum = [](const Statement& row) -> Result<std::int64_t> {
    EVQ_TRY_ASSIGN(const DatasetRow dataset, dataset_of(row));
    return row.integer(4);
  };
  return {"dataset_sums", std::string(kSelectDatasets), sum, "datasets"};
}

namespace {

Result<std::optional<DatasetRow>> read_dataset(Connection& connection, std::string_view name) {
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectDataset));
  EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, name).step());
  if (!found) {
    return std::optional<DatasetRow>();
  }
  EVQ_TRY_ASSIGN(DatasetRow dataset, dataset_of(row));
  return std::optional<DatasetRow>(std::move(dataset));
}

Status remove_row(Connection& connection, std::string_view name) {
  EVQ_TRY_ASSIGN(Statement remove, connection.prepare("DELETE FROM datasets WHERE name = ?1"));
  return remove.bind_text(1, name).run();
}

Status write_dataset(Connection& connection, const DatasetRow& dataset) {
  const DatasetDefinition& definition = dataset.definition;
  const std::string coded = encode_definition(definition);
  EVQ_TRY_ASSIGN(Statement write,
                 connection.prepare("INSERT OR REPLACE INTO datasets(name, file_id, file_key, "
                                    "definition, sum) VALUES(?1, ?2, ?3, ?4, ?5)"));
  write.bind_text(1, definition.name)
      .bind(2, definition.file_id)
      .bind(3, dataset.file_key)
      .bind_blob(4, coded)
      .bind(5, dataset.sum);
  return write.run();
}

Result<std::uint64_t> read_next_file_id(Connection& connection) {
  EVQ_TRY_ASSIGN(const std::optional<std::string> text, read_setting(connection, kNextFileId));
  std::uint64_t id = 1;
  if (text) {
    std::from_chars(text->data(), text->data() + text->size(), id);
  }
  return id;
}

Result<bool> has_dataset_files(const std::string& directory) {
  const std::string folder = directory + "/datasets";
  if (!is_directory(folder)) {
    return false;
  }
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, list_directory(folder));
  return std::ranges::any_of(names, [](const std::string& name) { return name.ends_with(".db"); });
}

// Of the row as write_dataset() writes it.
std::int64_t written_sum(const DatasetRow& dataset) {
  return dataset_sum(dataset.definition.name, dataset.definition.file_id, dataset.file_key,
                     encode_definition(dataset.definition));
}

// Makes the file of a new dataset with its key inside, durably.
Status make_dataset_file(const DatabaseOptions& options, std::uint64_t file_key) {
  EVQ_TRY_ASSIGN(const std::unique_ptr<Database> database,
                 Database::open(options, dataset_schema()));
  EVQ_TRY_ASSIGN(WriteLock lock, database->begin_write(Room::little()));
  EVQ_TRY(DatasetWriter::initialise(lock.connection(), file_key));
  return lock.commit();
}

}  // namespace

Error missing_dataset(std::string_view name) {
  return make_error(ErrorCode::kNotFound, "dataset '" + std::string(name) + "' not found");
}

std::string more_problems(std::uint64_t count) {
  return "… and " + std::to_string(count) + (count == 1 ? " more problem" : " more problems");
}

std::string dataset_file(std::uint64_t file_id) {
  return "datasets/" + std::to_string(file_id) + ".db";
}

std::string dataset_path(const std::string& directory, std::uint64_t file_id) {
  return directory + "/" + dataset_file(file_id);
}

Status check_dataset_name(std::string_view name) {
  const auto alphanumeric = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto allowed = [&](char c) { return alphanumeric(c) || c == '_' || c == '.' || c == '-'; };
  if (name.empty() || name.size() > kDatasetNameBytesMax || !alphanumeric(name.front()) ||
      !alphanumeric(name.back()) || !std::ranges::all_of(name, allowed)) {
    return make_error(ErrorCode::kUsage, "'" + std::string(name) + "' cannot name a dataset",
                      "a name has 1 to 128 letters, digits, '-', '_' or '.', the first and last a "
                      "letter or digit");
  }
  return {};
}

CatalogDefinitions::CatalogDefinitions(CatalogOptions options) : catalog_(std::move(options)) {}

// ---------------------------------------------------------------- datasets

Result<std::vector<DatasetDefinition>> CatalogDefinitions::list_datasets(Damaged damaged) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return std::vector<DatasetDefinition>();
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  return read_datasets(lease.connection(), damaged);
}

Result<std::vector<DatasetDefinition>> CatalogDefinitions::read_datasets(Connection& connection,
                                                                         Damaged damaged) {
  std::vector<DatasetDefinition> found;
  EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectDatasets));
  ListState read;
  const auto add = [&]() -> Status {
    Result<DatasetRow> dataset = dataset_of(row);
    if (!dataset.ok() && damaged == Damaged::kLeftOut) {
      return {};
    }
    EVQ_TRY_ASSIGN(DatasetRow known, std::move(dataset));
    read.add(known.sum);
    found.push_back(std::move(known.definition));
    return {};
  };
  EVQ_TRY(row.each(add));
  if (damaged == Damaged::kFail) {
    EVQ_TRY(check_list(connection, dataset_list(), read));
  }
  return found;
}

Result<std::vector<DatasetDefinition>> CatalogDefinitions::copy_to(const std::string& path,
                                                                   const QueryControl& control) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return make_error(ErrorCode::kNotFound, options_.directory + ": there is no catalog yet");
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY_ASSIGN(std::vector<DatasetDefinition> named,
                 read_datasets(lease.connection(), Damaged::kFail));
  EVQ_TRY(copy_database(lease.connection(), path, control, nullptr));
  return named;
}

Result<std::optional<DatasetDefinition>> CatalogDefinitions::find_dataset(std::string_view name) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return std::optional<DatasetDefinition>();
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  EVQ_TRY_ASSIGN(std::optional<DatasetRow> row, read_dataset(lease.connection(), name));
  if (!row) {
    EVQ_TRY(checked_.check(lease.connection(), dataset_list()));
  }
  return row ? std::optional<DatasetDefinition>(std::move(row->definition)) : std::nullopt;
}

Result<DatasetFileName> CatalogDefinitions::find_file(std::string_view name,
                                                      DatasetDefinition* definition) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog != nullptr) {
    EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
    EVQ_TRY_ASSIGN(std::optional<DatasetRow> row, read_dataset(lease.connection(), name));
    if (row) {
      const DatasetFileName file{row->definition.file_id, row->file_key};
      if (definition != nullptr) {
        *definition = std::move(row->definition);
      }
      return file;
    }
    EVQ_TRY(checked_.check(lease.connection(), dataset_list()));
  }
  return missing_dataset(name);
}

Result<DatasetDefinition> CatalogDefinitions::create_dataset(const DatasetDefinition& definition) {
  EVQ_TRY(check_dataset_name(definition.name));
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  EVQ_TRY_ASSIGN(DatasetDefinition made, insert_dataset(lock.connection(), definition));
  EVQ_TRY(lock.commit());
  return made;
}

Result<DatasetDefinition> CatalogDefinitions::insert_dataset(Connection& connection,
                                                             DatasetDefinition definition) {
  EVQ_TRY_ASSIGN(const std::optional<DatasetRow> taken, read_dataset(connection, definition.name));
  EVQ_TRY(check_list(connection, dataset_list()));
  if (taken) {
    return make_error(ErrorCode::kConflict, "dataset '" + definition.name + "' exists already");
  }
  EVQ_TRY_ASSIGN(const std::vector<std::uint64_t> unlisted, remove_leftovers(connection));
  DatasetRow row;
  EVQ_TRY_ASSIGN(definition.file_id, read_next_file_id(connection));
  for (const std::uint64_t taken_id : unlisted) {
    definition.file_id = std::max(definition.file_id, taken_id + 1);
  }
  definition.created = definition.created == 0 ? wall_clock_now_ns() : definition.created;
  definition.updated = definition.created;
  row.file_key = random_seed() | 1;  // 0 means "any"
  row.definition = std::move(definition);
  row.sum = written_sum(row);
  EVQ_TRY(note_change(connection, dataset_list(), {std::nullopt, row.sum}, options_.rows_max));
  DatabaseOptions options;
  options.path = dataset_path(options_.directory, row.definition.file_id);
  options.vfs = options_.vfs;
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  const bool unsynced = is_unsynced(options_.vfs);
  EVQ_TRY(make_private_directory(options_.directory + "/datasets",
                                 unsynced ? FolderUse::kUnsynced : FolderUse::kDurable));
  if (Status made = make_dataset_file(options, row.file_key); !made.ok()) {
    remove_dropped(row.definition.file_id);
    return std::move(made).take_error();
  }
  EVQ_TRY(write_setting(connection, kNextFileId, std::to_string(row.definition.file_id + 1)));
  EVQ_TRY(write_dataset(connection, row));
  return std::move(row.definition);
}

Result<DatasetDefinition> CatalogDefinitions::change_dataset(std::string_view name,
                                                             const DatasetChange& change) {
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::little()));
  EVQ_TRY_ASSIGN(std::optional<DatasetRow> row, read_dataset(lock.connection(), name));
  if (!row) {
    return missing_dataset(name);
  }
  const std::uint64_t file_id = row->definition.file_id;
  const std::int64_t before = row->sum;
  EVQ_TRY(change(&row->definition));
  row->definition.updated = wall_clock_now_ns();
  row->definition.name = name;
  row->definition.file_id = file_id;
  row->sum = written_sum(*row);
  EVQ_TRY(check_list(lock.connection(), dataset_list()));
  EVQ_TRY(write_dataset(lock.connection(), *row));
  EVQ_TRY(note_change(lock.connection(), dataset_list(), {before, row->sum}, options_.rows_max));
  EVQ_TRY(lock.commit());
  return std::move(row->definition);
}

Status CatalogDefinitions::drop_dataset(std::string_view name) {
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  return catalog->with_reserve([&] { return drop_dataset(*catalog, name); });
}

Status CatalogDefinitions::drop_dataset(Database& catalog, std::string_view name) {
  EVQ_TRY_ASSIGN(WriteLock lock, catalog.begin_write(Room::none()));
  EVQ_TRY_ASSIGN(const std::optional<DatasetRow> row, read_dataset(lock.connection(), name));
  if (!row) {
    return missing_dataset(name);
  }
  EVQ_TRY(remove_row(lock.connection(), name));
  const std::uint64_t file_id = row->definition.file_id;
  EVQ_TRY(
      note_change(lock.connection(), dataset_list(), {row->sum, std::nullopt}, options_.rows_max));
  EVQ_TRY(note_dropped(lock.connection(), file_id, row->file_key));
  EVQ_TRY(lock.commit());
  remove_dropped(file_id);
  return {};
}

Result<bool> CatalogDefinitions::drop_damaged_dataset(std::string_view name) {
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  return catalog->with_reserve([&] { return drop_damaged_dataset(*catalog, name); });
}

// What the row says may be another dataset's: only the file that has the row's key inside, and that
// no other row names, was this one's.
Result<bool> CatalogDefinitions::drop_damaged_dataset(Database& catalog, std::string_view name) {
  EVQ_TRY_ASSIGN(WriteLock lock, catalog.begin_write(Room::none()));
  Connection& connection = lock.connection();
  std::uint64_t file_key = 0;
  ListChange change;
  {
    EVQ_TRY_ASSIGN(Statement row, connection.prepare(kSelectDataset));
    EVQ_TRY_ASSIGN(const bool found, row.bind_text(1, name).step());
    if (!found) {
      return missing_dataset(name);
    }
    file_key = static_cast<std::uint64_t>(row.integer(2));
    change.before = row.integer(4);
  }
  EVQ_TRY(remove_row(connection, name));
  EVQ_TRY(note_change(connection, dataset_list(), change, options_.rows_max));
  EVQ_TRY(note_sound_rows(connection, dataset_list()));
  EVQ_TRY_ASSIGN(const std::optional<std::uint64_t> file_id, find_unlisted(connection, file_key));
  if (file_id) {
    EVQ_TRY(note_dropped(connection, *file_id, file_key));
  }
  EVQ_TRY(lock.commit());
  if (file_id) {
    remove_dropped(*file_id);
  }
  return file_id.has_value();
}

// ---------------------------------------------------------------- settings

Result<std::optional<std::string>> CatalogDefinitions::setting(std::string_view name) {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return std::optional<std::string>();
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  return read_setting(lease.connection(), name);
}

Status CatalogDefinitions::put_setting(std::string_view name, std::string_view value) {
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::for_bytes(value.size())));
  EVQ_TRY(write_setting(lock.connection(), name, value));
  return lock.commit();
}

Result<std::string> CatalogDefinitions::setting_or(std::string_view name, std::string_view value) {
  EVQ_TRY_ASSIGN(std::optional<std::string> known, setting(name));
  if (known) {
    return *std::move(known);
  }
  EVQ_TRY_ASSIGN(Database * catalog, obtain_catalog());
  EVQ_TRY_ASSIGN(WriteLock lock, catalog->begin_write(Room::for_bytes(value.size())));
  EVQ_TRY_ASSIGN(known, read_setting(lock.connection(), name));
  if (known) {
    return *std::move(known);
  }
  EVQ_TRY(write_setting(lock.connection(), name, value));
  EVQ_TRY(lock.commit());
  return std::string(value);
}

// ---------------------------------------------------------------- check

Status CatalogDefinitions::make_durable() {
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  return catalog == nullptr ? Status() : catalog->resync();
}

Result<std::vector<std::string>> CatalogDefinitions::check(const QueryControl& control,
                                                           std::vector<UnlistedFile>* unlisted) {
  std::vector<std::string> problems;
  EVQ_TRY_ASSIGN(Database * catalog, find_catalog());
  if (catalog == nullptr) {
    return problems;
  }
  EVQ_TRY_ASSIGN(ReadLease lease, catalog->begin_read());
  Connection& connection = lease.connection();
  EVQ_TRY_ASSIGN(problems, connection.integrity_problems(control));
  std::uint64_t more = 0;
  const auto note = [&](const Status& status) {
    if (status.ok() || std::ranges::find(problems, status.error().message) != problems.end()) {
      return;
    }
    if (problems.size() < kCheckProblemsMax) {
      problems.push_back(status.error().message);
    } else {
      ++more;
    }
  };
  const auto status_of = [](auto result) {
    return result.ok() ? Status() : Status(std::move(result).take_error());
  };
  const auto each = [&](std::string_view sql, const auto& read) -> Status {
    EVQ_TRY_ASSIGN(Statement row, connection.prepare(sql));
    return row.each([&]() -> Status {
      note(status_of(read(row)));
      return {};
    });
  };
  std::vector<CatalogList> lists = {dataset_list(), token_list(), setting_list()};
  for (const ObjectKind kind : kObjectKinds) {
    lists.push_back(object_list(kind));
  }
  for (const CatalogList& list : lists) {
    note(each(list.rows, list.sum));
    note(check_list(connection, list));
  }
  note(check_unlisted(*catalog, unlisted));
  note(status_of(tokens_.list()));
  if (more != 0) {
    problems.push_back(more_problems(more));
  }
  return problems;
}

}  // namespace evq
