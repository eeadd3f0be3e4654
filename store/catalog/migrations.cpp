// The format of evq's SQLite files. Everything here is on disk: a published statement is never
// edited, a change is a new Migration at the end of its list, and retired numbers stay retired.
// PRAGMA user_version holds the version, PRAGMA application_id the kind of file.
//
// Integers are SQLite integers; unsigned 64-bit values are stored as the signed ones of the same
// bits. Times are nanoseconds since the Unix epoch. Every row ends in `sum`, the checksum of the
// row's other columns in order (row_sum.h); blobs are covered by a checksum in another row.
#include "store/catalog/migrations.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "store/catalog/row_sum.h"

namespace evq {

namespace {

// catalog.db, version 1. The seed of its row sums is 0.
//
// settings: one value a name ("org.id", …). "next_file_id" is the number of the next dataset
//   file, "dataset_sums" the exclusive-or of the sums of all rows of `datasets`; other names that
//   evq itself uses came with version 2.
// datasets: name; file_id names datasets/<file_id>.db and is never reused; file_key is the random
//   key inside that file, so that a swapped file is noticed; definition is the rest, as a list of
//   texts and numbers coded by definition_coding.cpp.
// tokens: id is the public name; digest is SHA-256 of the secret (32 bytes, as a blob), unique, and
//   the only trace of it; kind is "api" or "personal"; capabilities is JSON text; expires and
//   last_used may be null.
// objects: saved queries and whatever else the API stores as given; kind is ObjectKind
//   (definitions.h), id is unique within the kind, body is JSON text.
constexpr std::string_view kCatalogV1[] = {
    "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT, sum INTEGER) WITHOUT ROWID",
    "CREATE TABLE datasets(name TEXT PRIMARY KEY, file_id INTEGER, file_key INTEGER, "
    "definition BLOB, sum INTEGER) WITHOUT ROWID",
    "CREATE TABLE tokens(id TEXT PRIMARY KEY, digest BLOB UNIQUE, name TEXT, description TEXT, "
    "kind TEXT, capabilities TEXT, created INTEGER, expires INTEGER, last_used INTEGER, "
    "sum INTEGER) WITHOUT ROWID",
    "CREATE TABLE objects(kind INTEGER, id TEXT, dataset TEXT, name TEXT, who TEXT, "
    "created INTEGER, updated INTEGER, body TEXT, sum INTEGER, "
    "PRIMARY KEY(kind, id)) WITHOUT ROWID",
};

// catalog.db, version 2. Settings tell what every list of rows was at the last commit, so that a
// row which vanished or came back is noticed: "dataset_sums", "token_sums", "object_sums_<kind>"
// and "setting_sums" (all rows of `settings` but this one) are the exclusive-or of the rows' sums,
// a blank, and their number. "dropped_<id>" is the key of a dataset's file that may still have to
// be removed.
std::string list_of(const std::vector<std::int64_t>& sums) {
  std::int64_t all = 0;
  for (const std::int64_t sum : sums) {
    all ^= sum;
  }
  return std::to_string(all) + " " + std::to_string(sums.size());
}

Status note_lists(Connection& connection) {
  std::map<std::string, std::vector<std::int64_t>> lists = {{"dataset_sums", {}},
                                                            {"token_sums", {}}};
  const auto collect = [&](std::string_view sql, const std::string& prefix) -> Status {
    EVQ_TRY_ASSIGN(Statement row, connection.prepare(sql));
    return row.each([&]() -> Status {
      lists[prefix + std::string(row.text(1))].push_back(row.integer(0));
      return {};
    });
  };
  EVQ_TRY(collect("SELECT sum, '' FROM datasets", "dataset_sums"));
  EVQ_TRY(collect("SELECT sum, '' FROM tokens", "token_sums"));
  EVQ_TRY(collect("SELECT sum, CAST(kind AS TEXT) FROM objects", "object_sums_"));
  const auto put = [&](std::string_view name, std::string_view value) -> Status {
    EVQ_TRY_ASSIGN(
        Statement write,
        connection.prepare("INSERT OR REPLACE INTO settings(name, value, sum) VALUES(?1, ?2, ?3)"));
    const std::int64_t sum = RowSum(0, "settings").add_text(name).add_text(value).value();
    return write.bind_text(1, name).bind_text(2, value).bind(3, sum).run();
  };
  for (const auto& [name, sums] : lists) {
    EVQ_TRY(put(name, list_of(sums)));
  }
  EVQ_TRY(collect("SELECT sum, '' FROM settings WHERE name <> 'setting_sums'", "setting_sums"));
  return put("setting_sums", list_of(lists["setting_sums"]));
}

// datasets/<id>.db. The seed of its row sums is counters.file_key. The tables are those of version
// 1; since version 2 a fresh chunk's payload_sum may be that of its head.
//
// counters: one row, id 1. file_key: random, chosen when the file was made. next_block,
//   next_ordinal: the next block id and row ordinal; ids and ordinals are never reused.
//   block_count, block_sums: how many rows `blocks` has and the exclusive-or of their sums, so that
//   a row which vanished or came back is noticed; field_count, field_sums likewise for `fields`;
//   fresh_count, fresh_rows: how many chunks are fresh, and their rows.
// blocks: one row a sealed block or fresh chunk. state: 0 stored, 1 queued (deleted, invisible, to
//   be reaped), 2 fresh. dense: 1 when row r has the ordinal first_ordinal + r, else the ordinals
//   are the column `_rowID`. ordinal_end: one past the highest ordinal that may be in the block.
//   min_/max_: of the columns `_time` and `_sysTime`. stored_bytes: of
//   the payload; raw_bytes: of the input it came from. segments: how many. payload_sum: checksum
//   of the header blob (sealed), or of what store/mini_block.h says of the chunk blob (fresh),
//   seeded with the block id.
// headers: id = block id; the block's header (store/block/format.h): names, statistics, checksums
//   of the segments. Apart from `blocks` so that a list of blocks reads few pages.
// segments: id = block id * 16384 + position of the column; one encoded column.
// filters: same ids; what a column's header says about tokens, apart because few queries need it.
// chunks: id = block id; a fresh chunk whole: header, segments and filters (store/mini_block.h).
// fields: id = order of first appearance, from 0. types: bit n is set when a value of Type n was
//   ever stored, bit 8 when a long beyond 2^53 either way was: beside reals, which cannot hold it,
//   it makes the field dynamic. Files of early versions lack bit 8 until the block of such a long
//   is merged. hidden, unit, description: as given by people.
// Statements are longer than lines. NOLINTBEGIN(bugprone-suspicious-missing-comma)
constexpr std::string_view kDatasetV1[] = {
    "CREATE TABLE counters(id INTEGER PRIMARY KEY, file_key INTEGER, next_block INTEGER, "
    "next_ordinal INTEGER, block_count INTEGER, block_sums INTEGER, fresh_count INTEGER, "
    "fresh_rows INTEGER, field_count INTEGER, field_sums INTEGER, sum INTEGER)",
    "CREATE TABLE blocks(id INTEGER PRIMARY KEY, state INTEGER, dense INTEGER, rows INTEGER, "
    "first_ordinal INTEGER, ordinal_end INTEGER, min_time INTEGER, max_time INTEGER, "
    "min_sys_time INTEGER, max_sys_time INTEGER, stored_bytes INTEGER, raw_bytes INTEGER, "
    "segments INTEGER, payload_sum INTEGER, sum INTEGER)",
    "CREATE TABLE headers(id INTEGER PRIMARY KEY, data BLOB)",
    "CREATE TABLE segments(id INTEGER PRIMARY KEY, data BLOB)",
    "CREATE TABLE filters(id INTEGER PRIMARY KEY, data BLOB)",
    "CREATE TABLE chunks(id INTEGER PRIMARY KEY, data BLOB)",
    "CREATE TABLE fields(id INTEGER PRIMARY KEY, name TEXT, types INTEGER, hidden INTEGER, "
    "unit TEXT, description TEXT, sum INTEGER)",
};
// NOLINTEND(bugprone-suspicious-missing-comma)

constexpr Migration kCatalogMigrations[] = {{kCatalogV1}, {{}, note_lists}};
constexpr Migration kDatasetMigrations[] = {{kDatasetV1}, {}};

constexpr SchemaSpec kCatalog = {"catalog", 0x65767163 /* "evqc" */, kCatalogMigrations, kCatalogV1,
                                 2};
constexpr SchemaSpec kDataset = {"dataset", 0x65767164 /* "evqd" */, kDatasetMigrations, kDatasetV1,
                                 1};

// A table nobody knows could redirect what the known ones mean; such a file is not ours.
Status check_tables(Connection& connection, const SchemaSpec& spec) {
  EVQ_TRY_ASSIGN(
      const std::vector<std::string> found,
      connection.text_rows("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"));
  const bool same = found.size() == spec.statements.size() &&
                    std::equal(found.begin(), found.end(), spec.statements.begin(),
                               [](const std::string& a, std::string_view b) { return a == b; });
  if (!same) {
    return make_error(ErrorCode::kCorrupt, connection.path() +
                                               ": its tables are not those of an evq " +
                                               std::string(spec.name) + " file");
  }
  return {};
}

}  // namespace

const SchemaSpec& catalog_schema() {
  return kCatalog;
}
const SchemaSpec& dataset_schema() {
  return kDataset;
}

Result<bool> schema_is_current(Connection& connection, const SchemaSpec& spec) {
  // All of it as of one moment: another process may be making the file.
  EVQ_TRY_ASSIGN(const Transaction look, Transaction::begin(connection, Transaction::Kind::kRead));
  EVQ_TRY_ASSIGN(const std::int64_t version, connection.number("PRAGMA user_version"));
  EVQ_TRY_ASSIGN(const std::int64_t kind, connection.number("PRAGMA application_id"));
  const auto newest = static_cast<std::int64_t>(spec.migrations.size());
  if (version == 0 && kind == 0) {
    EVQ_TRY_ASSIGN(const std::int64_t tables,
                   connection.number("SELECT count(*) FROM sqlite_schema"));
    if (tables == 0) {
      return false;
    }
  }
  if (kind != spec.application_id || version < 1) {
    return make_error(ErrorCode::kCorrupt,
                      connection.path() + ": not an evq " + std::string(spec.name) + " file");
  }
  if (version > newest) {
    return make_error(ErrorCode::kUnsupported,
                      connection.path() + ": written by a newer evq (format " +
                          std::to_string(version) + ", this one knows " + std::to_string(newest) +
                          ")",
                      "install the newer version again");
  }
  if (version < newest) {
    return false;
  }
  EVQ_TRY(check_tables(connection, spec));
  return true;
}

Result<bool> schema_is_readable(Connection& connection, const SchemaSpec& spec) {
  EVQ_TRY_ASSIGN(const std::int64_t version, connection.number("PRAGMA user_version"));
  if (version < spec.readable_from) {
    return false;
  }
  EVQ_TRY(check_tables(connection, spec));
  return true;
}

Status migrate(Connection& connection, const SchemaSpec& spec) {
  EVQ_TRY_ASSIGN(const std::int64_t version, connection.number("PRAGMA user_version"));
  for (auto at = static_cast<std::size_t>(version); at < spec.migrations.size(); ++at) {
    for (const std::string_view statement : spec.migrations[at].statements) {
      EVQ_TRY(connection.execute(statement));
    }
    if (spec.migrations[at].convert != nullptr) {
      EVQ_TRY(spec.migrations[at].convert(connection));
    }
  }
  EVQ_TRY(connection.execute("PRAGMA application_id=" + std::to_string(spec.application_id)));
  return connection.execute("PRAGMA user_version=" + std::to_string(spec.migrations.size()));
}

}  // namespace evq
