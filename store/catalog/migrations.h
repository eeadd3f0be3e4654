#pragma once
// Migrations: the tables of evq's two kinds of files, by version. Changes go forward only: a file
// of an older version is brought up to date by the first command that opens it, a file of a newer
// version is refused. What each table and column means stands in migrations.cpp, beside the SQL.

#include <cstdint>
#include <span>
#include <string_view>

#include "store/base/result.h"
#include "store/catalog/sqlite.h"

namespace evq {

// The changes that lead from one version to the next.
struct Migration {
  std::span<const std::string_view> statements;
  Status (*convert)(Connection&) = nullptr;  // runs after them, for what SQL cannot express
};

struct SchemaSpec {
  std::string_view name;                         // for messages: "catalog", "dataset"
  std::int64_t application_id;                   // in the file's header; tells the kinds apart
  std::span<const Migration> migrations;         // [0] leads from the empty file to version 1
  std::span<const std::string_view> statements;  // what sqlite_schema must hold at the newest
  std::int64_t readable_from;                    // files of this version on have the same tables
};

const SchemaSpec& catalog_schema();
const SchemaSpec& dataset_schema();

// True when the file is at the newest version and its tables are exactly the known ones. False
// when it is empty or older and migrate() is due. kUnsupported for a newer version, kCorrupt for
// another kind of file or foreign tables.
Result<bool> schema_is_current(Connection& connection, const SchemaSpec& spec);

// Whether a file that is not at the newest version can be read without being brought there.
Result<bool> schema_is_readable(Connection& connection, const SchemaSpec& spec);

// Brings the file to the newest version; inside a write transaction.
Status migrate(Connection& connection, const SchemaSpec& spec);

}  // namespace evq
