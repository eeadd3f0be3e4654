// Dataset files that no row of the catalog names. Three things leave such files behind:
//
//   a creation that was cut short: the file is empty, and goes with the next creation;
//   a drop that was cut short after its commit: a setting "dropped_<id>" with the file's key says
//     so, and the next creation removes the file;
//   a catalog that was put back from an older copy: the file holds events that may be nowhere else.
//     It stays where it is, its number is not used again, and `check` speaks of it. When the newer
//     catalog comes back, it is a dataset as before.
#include <algorithm>
#include <charconv>
#include <iterator>

#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "store/base/limits.h"
#include "store/catalog/dataset_file.h"
#include "store/catalog/migrations.h"
#include "store/catalog/sqlite.h"
#include "store/catalog_definitions.h"
#include "store/catalog_rows.h"

namespace evq {

namespace {

constexpr std::string_view kDropped = "dropped_";
// How long a drop, which holds the catalog's lock, waits for who writes to the dataset.
constexpr std::int64_t kDropWaitMsMax = 2000;
// How long a check waits for who makes or drops a dataset.
constexpr std::int64_t kCheckWaitMsMax = 60000;

std::string dropped_setting(std::uint64_t file_id) {
  return std::string(kDropped) + std::to_string(file_id);
}

// What SQLite and the lock keep beside a file, and the file itself.
constexpr const char* kSuffixes[] = {"-wal", "-shm", "-journal", ".lock", ""};

// Missing ones are fine. The file goes last, so that what is cut short is found again by its name.
void remove_dataset_files(const std::string& path) {
  for (const char* suffix : kSuffixes) {
    static_cast<void>(remove_file(path + suffix));
  }
}

// The number that is all of the text but its suffix.
std::optional<std::uint64_t> id_before(std::string_view text, std::string_view suffix) {
  std::uint64_t id = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, id);
  const bool whole = parsed.ec == std::errc() && std::string_view(parsed.ptr, end) == suffix;
  return whole ? std::optional(id) : std::nullopt;
}

Result<std::vector<std::uint64_t>> dataset_file_ids(const std::string& directory) {
  std::vector<std::uint64_t> ids;
  const std::string folder = directory + "/datasets";
  if (!is_directory(folder)) {
    return ids;
  }
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, list_directory(folder));
  for (const std::string& name : names) {
    if (const auto id = id_before(name, ".db")) {
      ids.push_back(*id);
    }
  }
  return ids;
}

// What is in a file that nobody names. An unreadable one may hold anything.
struct Contents {
  bool readable = false;
  bool empty = false;
  std::uint64_t file_key = 0;
  std::uint64_t blocks = 0;
};

// Who may read the file without changing it or those beside it, or making one. Where somebody else
// has it open, the files that are shared are there.
Result<std::unique_ptr<Connection>> open_untouched(const std::string& path,
                                                   const std::string& vfs) {
  ConnectionOptions options;
  options.path = path;
  options.vfs = vfs;
  options.unchanging = size_or_zero(path + "-wal") == 0;
  if (options.unchanging) {
    return Connection::open(options);
  }
  ConnectionOptions alone = options;
  alone.writable = true;  // the lock that keeps others out is one for writing
  alone.alone = true;
  alone.busy_ms = 0;
  Result<std::unique_ptr<Connection>> connection = Connection::open(alone);
  if (connection.ok() && (*connection)->number("SELECT count(*) FROM sqlite_schema").ok()) {
    return connection;
  }
  return Connection::open(options);
}

Contents contents_of(Connection& connection) {
  const Result<bool> current = schema_is_current(connection, dataset_schema());
  const Result<Transaction> look = Transaction::begin(connection, Transaction::Kind::kRead);
  const Result<std::int64_t> tables = connection.number("SELECT count(*) FROM sqlite_schema");
  if (!current.ok() || !look.ok() || !tables.ok()) {
    return {};
  }
  if (*tables == 0) {
    return {.readable = true, .empty = true};
  }
  const Result<Counters> counters = read_counters(connection, 0);
  if (!counters.ok()) {
    // The tables were made, the counters were not: nothing was ever stored.
    const auto rows = connection.text_rows("SELECT 'row' FROM blocks LIMIT 1");
    const auto keys = connection.text_rows("SELECT 'row' FROM counters");
    const bool unused = rows.ok() && keys.ok() && rows->empty() && keys->empty();
    return {.readable = unused, .empty = unused};
  }
  return {true, counters->next_block == 1, counters->file_key, counters->block_count};
}

// Not by Database::open(), which ends what a killed process began, and migrates.
Contents look_into(const std::string& path, const std::string& vfs) {
  const FileMark file = mark_of(path);
  const auto is_odd = [&path](const char* suffix) {
    return !other_than_file(path + suffix).empty();
  };
  if (file.inode == 0 || std::ranges::any_of(kSuffixes, is_odd)) {
    return {};
  }
  // SQLite's own journal is there until the file has its first page; tables, each of which takes a
  // page of its own, come later, by way of the write-ahead file.
  if (file.size_bytes == 0 || size_or_zero(path + "-journal") != 0) {
    const bool unmade = file.size_bytes <= kDatasetPageBytes && size_or_zero(path + "-wal") == 0;
    return {.readable = unmade, .empty = unmade};
  }
  const Result<std::unique_ptr<Connection>> connection = open_untouched(path, vfs);
  return connection.ok() ? contents_of(**connection) : Contents();
}

}  // namespace

Status CatalogDefinitions::note_dropped(Connection& connection, std::uint64_t file_id,
                                        std::uint64_t file_key) {
  return write_setting(connection, dropped_setting(file_id), std::to_string(file_key));
}

// Whoever writes there ends first, and those behind find the file gone, and not a part of it.
void CatalogDefinitions::remove_dropped(std::uint64_t file_id) const {
  const std::string path = dataset_path(options_.directory, file_id);
  const Result<FileLock> lock = FileLock::acquire(path + ".lock", kDropWaitMsMax);
  static_cast<void>(lock.ok());  // who keeps it longer than this writes for nobody
  remove_dataset_files(path);
}

Result<std::vector<std::uint64_t>> CatalogDefinitions::unlisted_files(
    Connection& connection) const {
  EVQ_TRY_ASSIGN(std::vector<std::uint64_t> ids, dataset_file_ids(options_.directory));
  std::vector<std::uint64_t> listed;
  EVQ_TRY_ASSIGN(Statement row, connection.prepare("SELECT file_id FROM datasets"));
  const auto add = [&]() -> Status {
    listed.push_back(static_cast<std::uint64_t>(row.integer(0)));
    return {};
  };
  EVQ_TRY(row.each(add));
  std::ranges::sort(ids);
  std::ranges::sort(listed);
  std::vector<std::uint64_t> unlisted;
  std::ranges::set_difference(ids, listed, std::back_inserter(unlisted));
  return unlisted;
}

Result<std::optional<std::uint64_t>> CatalogDefinitions::find_unlisted(
    Connection& connection, std::uint64_t file_key) const {
  EVQ_TRY_ASSIGN(const std::vector<std::uint64_t> unlisted, unlisted_files(connection));
  const auto has_key = [&](std::uint64_t id) {
    const Contents contents = look_into(dataset_path(options_.directory, id), options_.vfs);
    return contents.file_key == file_key && file_key != 0;  // 0: it could not be read
  };
  const auto found = std::ranges::find_if(unlisted, has_key);
  return found == unlisted.end() ? std::nullopt : std::optional(*found);
}

// Under the catalog's write lock, so that none of the files is in the making.
Result<std::vector<std::uint64_t>> CatalogDefinitions::remove_leftovers(Connection& connection) {
  EVQ_TRY_ASSIGN(std::vector<std::uint64_t> unlisted, unlisted_files(connection));
  std::vector<std::string> kept;  // marks of files that could not be removed
  for (const std::uint64_t id : std::vector(unlisted)) {
    const std::string path = dataset_path(options_.directory, id);
    const Contents contents = look_into(path, options_.vfs);
    EVQ_TRY_ASSIGN(const std::optional<std::string> dropped,
                   read_setting(connection, dropped_setting(id)));
    const bool doomed =
        dropped && (!contents.readable || *dropped == std::to_string(contents.file_key));
    if (doomed || contents.empty) {
      remove_dataset_files(path);
      std::erase(unlisted, id);
    }
    if (doomed && file_exists(path)) {
      kept.push_back(dropped_setting(id));
    }
  }
  EVQ_TRY_ASSIGN(
      const std::vector<std::string> marks,
      connection.text_rows("SELECT name FROM settings WHERE name GLOB 'dropped_[0-9]*'"));
  if (marks.empty()) {
    return unlisted;
  }
  for (const std::string& mark : marks) {
    const auto id = id_before(std::string_view(mark).substr(kDropped.size()), "");
    if (id && !file_exists(dataset_path(options_.directory, *id))) {
      remove_dataset_files(dataset_path(options_.directory, *id));  // what lay beside it
    }
  }
  // The files must be gone for good before the marks are.
  EVQ_TRY(sync_directory(options_.directory + "/datasets"));
  for (const std::string& mark : marks) {
    if (std::ranges::find(kept, mark) == kept.end()) {
      EVQ_TRY(remove_setting(connection, mark));
    }
  }
  return unlisted;
}

Status CatalogDefinitions::check_unlisted(Database& catalog,
                                          std::vector<UnlistedFile>* found) const {
  const auto list = [&]() -> Result<std::vector<std::uint64_t>> {
    EVQ_TRY_ASSIGN(ReadLease lease, catalog.begin_read());
    return unlisted_files(lease.connection());
  };
  EVQ_TRY_ASSIGN(std::vector<std::uint64_t> unlisted, list());
  if (unlisted.empty()) {
    return {};
  }
  // Whoever makes or drops a dataset holds the catalog's lock: what is there without them stays.
  EVQ_TRY_ASSIGN(const FileLock lock,
                 FileLock::acquire(options_.directory + "/catalog.db.lock", kCheckWaitMsMax));
  EVQ_TRY_ASSIGN(unlisted, list());
  for (const std::uint64_t id : unlisted) {
    const Contents contents = look_into(dataset_path(options_.directory, id), options_.vfs);
    EVQ_TRY_ASSIGN(ReadLease lease, catalog.begin_read());
    EVQ_TRY_ASSIGN(const std::optional<std::string> dropped,
                   read_setting(lease.connection(), dropped_setting(id)));
    if (contents.empty || dropped) {
      continue;
    }
    const std::string holds = contents.readable ? "it holds " + std::to_string(contents.blocks) +
                                                      (contents.blocks == 1 ? " block" : " blocks")
                                                : "it cannot be read";
    found->push_back({id, "no dataset of the catalog has this file, and " + holds +
                              "; evq leaves it alone: was an older catalog.db put back?"});
  }
  return {};
}

}  // namespace evq
