// Connections: safety switches, error mapping, statements, transactions.
#include "store/catalog/sqlite.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/temp_store.h"

namespace evq {
namespace {

std::unique_ptr<Connection> open_writable(const std::string& path) {
  std::ofstream(path, std::ios::app).close();
  ConnectionOptions options;
  options.path = path;
  options.writable = true;
  options.page_size_bytes = 8192;
  auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  return std::move(connection).value();
}

TEST_CASE("a connection reads back what it wrote") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  REQUIRE(connection->execute("CREATE TABLE t(i INTEGER, s TEXT, b BLOB)").ok());
  {
    auto insert = connection->prepare("INSERT INTO t VALUES(?1, ?2, ?3)");
    REQUIRE(insert.ok());
    const std::string blob("a\0b", 3);
    REQUIRE(insert->bind(1, -5).bind_text(2, "").bind_blob(3, blob).run().ok());
    insert->reset();
    REQUIRE(insert->bind_null(1).bind_text(2, "ä").bind_blob(3, "").run().ok());
  }
  auto row = connection->prepare("SELECT i, s, b FROM t ORDER BY rowid");
  REQUIRE(row.ok());
  REQUIRE(row->step().value());
  CHECK(row->integer(0) == -5);
  CHECK(row->text(1).empty());
  CHECK_FALSE(row->is_null(1));
  CHECK(row->blob(2) == std::string_view("a\0b", 3));
  REQUIRE(row->step().value());
  CHECK(row->is_null(0));
  CHECK(row->text(1) == "ä");
  CHECK(row->integer(1) == 0);  // another storage class
  CHECK_FALSE(row->step().value());
}

TEST_CASE("a statement given back to the cache is clean when it comes again") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  for (int i = 0; i < 3; ++i) {
    auto row = connection->prepare("SELECT ?1 IS NULL");
    REQUIRE(row.ok());
    if (i == 1) {
      row->bind(1, 7);
    }
    REQUIRE(row->step().value());
    CHECK(row->integer(0) == (i == 1 ? 0 : 1));
  }
}

TEST_CASE("there may be more statements than are kept") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  auto first = connection->prepare("SELECT 'first', ?1");
  REQUIRE(first.ok());
  REQUIRE(first->bind(1, 5).step().value());
  for (int i = 0; i < 1000; ++i) {
    auto row = connection->prepare("SELECT " + std::to_string(i % 300));
    REQUIRE(row.ok());
    REQUIRE(row->step().value());
    CHECK(row->integer(0) == i % 300);
  }
  CHECK(first->integer(1) == 5);  // in use all the time
}

TEST_CASE("each row of a statement is seen, until one is refused") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  auto row = connection->prepare("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3");
  REQUIRE(row.ok());
  std::int64_t sum = 0;
  const auto add = [&]() -> Status {
    sum += row->integer(0);
    return {};
  };
  CHECK(row->each(add).ok());
  CHECK(sum == 6);
  row->reset();
  const auto refuse_two = [&]() -> Status {
    return row->integer(0) == 2 ? Status(make_error(ErrorCode::kUsage, "no")) : add();
  };
  CHECK(row->each(refuse_two).error().message == "no");
  CHECK(sum == 7);
}

TEST_CASE("a transaction that is not committed leaves nothing") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  REQUIRE(connection->execute("CREATE TABLE t(i INTEGER)").ok());
  {
    auto transaction = Transaction::begin(*connection, Transaction::Kind::kWrite);
    REQUIRE(transaction.ok());
    REQUIRE(connection->execute("INSERT INTO t VALUES(1)").ok());
    CHECK(connection->in_transaction());
  }
  CHECK_FALSE(connection->in_transaction());
  CHECK(connection->text_rows("SELECT CAST(i AS TEXT) FROM t")->empty());
  auto transaction = Transaction::begin(*connection, Transaction::Kind::kWrite);
  REQUIRE(connection->execute("INSERT INTO t VALUES(2)").ok());
  REQUIRE(transaction->commit().ok());
  CHECK(connection->text_rows("SELECT CAST(i AS TEXT) FROM t")->size() == 1);
}

TEST_CASE("a check of a file's structure ends when it is cancelled") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  REQUIRE(connection->execute("CREATE TABLE t(b BLOB)").ok());
  REQUIRE(connection
              ->execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
                        "2000) INSERT INTO t SELECT zeroblob(7000) FROM n")
              .ok());
  QueryControl control;
  const auto sound = connection->integrity_problems(control);
  REQUIRE(sound.ok());
  CHECK(sound->empty());
  control.cancel();
  // SQLite itself has ended early: only then is it an error. On a busy machine it may be through
  // before another thread stops it.
  auto ended = connection->integrity_problems(control);
  for (int tries = 1; tries < 50 && ended.ok(); ++tries) {
    ended = connection->integrity_problems(control);
  }
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().code == ErrorCode::kCancelled);
  const QueryControl later;
  CHECK(connection->integrity_problems(later).ok());
}

TEST_CASE("dangerous SQL is refused") {
  const TempDirectory directory;
  auto connection = open_writable(directory.path() + "/a.db");
  REQUIRE(connection->execute("CREATE TABLE t(i INTEGER)").ok());
  for (const char* sql :
       {"ATTACH 'other.db' AS other", "SELECT load_extension('x')",
        "UPDATE sqlite_schema SET sql = ''", "SELECT \"no such column\" FROM t"}) {
    const std::string text(sql);
    CAPTURE(text);
    connection->execute("PRAGMA writable_schema=1").ok();
    CHECK_FALSE(connection->execute(sql).ok());
  }
}

TEST_CASE("errors carry the file and the kind") {
  const TempDirectory directory;
  ConnectionOptions options;
  options.path = directory.path() + "/missing.db";
  const auto missing = Connection::open(options);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ErrorCode::kIo);
  CHECK(missing.error().message.find("missing.db") != std::string::npos);

  std::ofstream(directory.path() + "/text.db") << std::string(20000, 'x');
  options.path = directory.path() + "/text.db";
  auto text = Connection::open(options);
  const auto rows = text.ok() ? (*text)->text_rows("SELECT sql FROM sqlite_schema")
                              : Result<std::vector<std::string>>(std::move(text).take_error());
  REQUIRE_FALSE(rows.ok());
  CHECK(rows.error().code == ErrorCode::kCorrupt);

  std::filesystem::create_symlink("text.db", directory.path() + "/link.db");
  options.path = directory.path() + "/link.db";
  CHECK_FALSE(Connection::open(options).ok());
}

}  // namespace
}  // namespace evq
