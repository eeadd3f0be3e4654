// Pages of a commit that are one write: how many there are, who sees them, and how failures are
// told.
#include "store/catalog/joined_writes.h"

#include <fstream>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "store/catalog/sqlite.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::size_t kPages = 100;
constexpr std::size_t kPageBytes = 8192;

std::unique_ptr<Connection> open_on(const FaultVfs& disk, const std::string& path, bool writable) {
  ConnectionOptions options;
  options.path = path;
  options.vfs = disk.name();
  options.writable = writable;
  options.page_size_bytes = kPageBytes;
  auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  return std::move(connection).value();
}

std::unique_ptr<Connection> open_writable(const FaultVfs& disk, const std::string& path) {
  std::ofstream(path).close();
  auto connection = open_on(disk, path, true);
  REQUIRE(connection->text_rows("PRAGMA journal_mode=WAL").ok());
  REQUIRE(connection->execute("CREATE TABLE t(b BLOB)").ok());
  return connection;
}

Status insert(Connection& connection, const std::string& blob) {
  auto statement = connection.prepare("INSERT INTO t VALUES(?1)");
  REQUIRE(statement.ok());
  return statement->bind_blob(1, blob).run();
}

std::string sizes(Connection& connection) {
  std::string text;
  const auto rows = connection.text_rows("SELECT CAST(length(b) AS TEXT) FROM t ORDER BY rowid");
  INFO((rows.ok() ? "" : rows.error().message));
  REQUIRE(rows.ok());
  for (const std::string& row : *rows) {
    text += row + ' ';
  }
  return text;
}

TEST_CASE("the pages of a commit are few writes, all of them before its sync") {
  const TempDirectory directory;
  FaultVfs disk;
  disk.set_powersafe(true);
  const std::string path = directory.path() + "/a.db";
  auto writer = open_writable(disk, path);
  disk.heal();
  const std::string blob(kPages * kPageBytes, 'x');
  REQUIRE(insert(*writer, blob).ok());
  CHECK(disk.writes() < kPages / 5);
  CHECK(disk.syncs() == 1);
  CHECK(sizes(*open_on(disk, path, false)) == std::to_string(blob.size()) + ' ');
  REQUIRE(writer->checkpoint(Checkpoint::kPassive).ok());
  CHECK(sizes(*open_on(disk, path, false)) == std::to_string(blob.size()) + ' ');
}

TEST_CASE("a write that was held back and fails is told by the commit") {
  const TempDirectory directory;
  FaultVfs disk;
  disk.set_powersafe(true);
  const std::string path = directory.path() + "/a.db";
  auto writer = open_writable(disk, path);
  for (const auto& [fault, code] : {std::pair{FaultVfs::Fault::kFull, ErrorCode::kDiskFull},
                                    std::pair{FaultVfs::Fault::kSync, ErrorCode::kIo}}) {
    CAPTURE(error_code_info(code).name);
    disk.fail_at(0, fault, false);
    const Status failed = insert(*writer, "small");
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().code == code);
    disk.heal();
    CHECK(sizes(*open_on(disk, path, false)).empty());
  }
  disk.fail_at(4, FaultVfs::Fault::kFull, false);  // when others are written already
  CHECK_FALSE(insert(*writer, std::string(kPages * kPageBytes, 'x')).ok());
  disk.heal();
  REQUIRE(insert(*writer, "after").ok());
  CHECK(sizes(*open_on(disk, path, false)) == "5 ");
}

TEST_CASE("a transaction that is rolled back leaves nothing, though pages of it were written") {
  for (const bool powersafe : {true, false}) {
    CAPTURE(powersafe);
    const TempDirectory directory;
    FaultVfs disk;
    disk.set_powersafe(powersafe);
    const std::string path = directory.path() + "/a.db";
    auto writer = open_writable(disk, path);
    REQUIRE(writer->execute("PRAGMA cache_spill=10").ok());
    REQUIRE(writer->execute("PRAGMA cache_size=10").ok());
    REQUIRE(writer->execute("BEGIN IMMEDIATE").ok());
    for (std::size_t i = 1; i <= kPages; ++i) {
      REQUIRE(insert(*writer, std::string(kPageBytes, 'x')).ok());
    }
    CHECK(sizes(*writer).size() == kPages * std::string("8192 ").size());  // what it wrote itself
    CHECK(sizes(*open_on(disk, path, false)).empty());
    REQUIRE(writer->execute("ROLLBACK").ok());
    REQUIRE(insert(*writer, "after").ok());
    CHECK(sizes(*writer) == "5 ");
    CHECK(sizes(*open_on(disk, path, false)) == "5 ");
  }
}

TEST_CASE("nothing of a transaction is written before it commits, however large it is") {
  const TempDirectory directory;
  FaultVfs disk;
  disk.set_powersafe(true);
  auto writer = open_writable(disk, directory.path() + "/a.db");
  disk.heal();
  REQUIRE(writer->execute("BEGIN IMMEDIATE").ok());
  for (int i = 0; i < 40; ++i) {
    REQUIRE(insert(*writer, std::string(kPages * kPageBytes, 'x')).ok());
  }
  CHECK(disk.writes() == 0);
  REQUIRE(writer->execute("COMMIT").ok());
  CHECK(disk.writes() > 0);
}

TEST_CASE("what a connection held back of a transaction given up does not harm a later commit") {
  const TempDirectory directory;
  FaultVfs disk;
  disk.set_powersafe(true);
  const std::string path = directory.path() + "/a.db";
  auto writer = open_writable(disk, path);
  REQUIRE(writer->execute("PRAGMA cache_spill=10").ok());
  REQUIRE(writer->execute("PRAGMA cache_size=10").ok());
  REQUIRE(writer->execute("BEGIN IMMEDIATE").ok());
  for (std::size_t i = 1; i <= kPages; ++i) {
    REQUIRE(insert(*writer, std::string(kPageBytes, 'x')).ok());
  }
  REQUIRE(writer->execute("ROLLBACK").ok());
  const std::string large(2 * kPages * kPageBytes, 'y');
  REQUIRE(insert(*open_on(disk, path, true), large).ok());
  writer.reset();
  CHECK(sizes(*open_on(disk, path, false)) == std::to_string(large.size()) + ' ');
}

TEST_CASE("there is one name for each file system, and none for one that is not known") {
  CHECK(joined_writes_vfs("no such").empty());
  const FaultVfs disk;
  const std::string name = joined_writes_vfs(disk.name());
  CHECK_FALSE(name.empty());
  CHECK(name == joined_writes_vfs(disk.name()));
  CHECK(name != joined_writes_vfs(""));
}

}  // namespace
}  // namespace evq
