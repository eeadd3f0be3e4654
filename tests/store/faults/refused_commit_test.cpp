// Commits that a full disk refuses, at each of their writes in turn: not there after a restart,
// even when all of their pages had been written. And commits whose sync failed.
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/fault_memory.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

std::unique_ptr<Database> open_database(const std::string& directory, const std::string& vfs) {
  DatabaseOptions options;
  options.path = directory + "/d.db";
  options.vfs = vfs;
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  auto database = Database::open(options, dataset_schema());
  REQUIRE(database.ok());
  return std::move(database).value();
}

// A table of several pages.
Status add_table(Database& database, const std::string& name) {
  EVQ_TRY_ASSIGN(WriteLock lock, database.begin_write(Room::little()));
  EVQ_TRY(lock.connection().execute("CREATE TABLE " + name + "(x)"));
  EVQ_TRY(lock.connection().execute("INSERT INTO " + name + " VALUES(zeroblob(300000))"));
  return lock.commit();
}

// What is there by the rules of SQLite, which are those of every process that opens the file.
std::vector<std::string> tables(const std::string& path) {
  ConnectionOptions options;
  options.path = path;
  options.writable = true;
  auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  auto names =
      (*connection)->text_rows("SELECT name FROM sqlite_schema WHERE name LIKE 't_' ORDER BY name");
  REQUIRE(names.ok());
  return *names;
}

// The state that a process finds which starts after a crash at this moment.
std::vector<std::string> tables_after_crash(const std::string& directory) {
  const TempDirectory copy;
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(directory + "/d.db" + suffix, copy.path() + "/d.db" + suffix);
  }
  return tables(copy.path() + "/d.db");
}

TEST_CASE("a commit refused for want of room is not there after a crash") {
  std::uint64_t writes = 0;
  for (;; ++writes) {
    CAPTURE(writes);
    FaultVfs vfs;
    const TempDirectory directory;
    const auto database = open_database(directory.path(), vfs.name());
    REQUIRE(add_table(*database, "t1").ok());
    vfs.heal();
    vfs.fail_at(writes, FaultVfs::Fault::kFull, writes % 2 == 1);
    const Status status = add_table(*database, "t2");
    vfs.heal();
    if (status.ok()) {
      break;  // it has fewer writes
    }
    CHECK(status.error().code == ErrorCode::kDiskFull);
    CHECK(tables(directory.path() + "/d.db") == std::vector<std::string>{"t1"});
    CHECK(tables_after_crash(directory.path()) == std::vector<std::string>{"t1"});
    REQUIRE(add_table(*database, "t3").ok());
    CHECK(tables_after_crash(directory.path()) == std::vector<std::string>{"t1", "t3"});
  }
  CHECK(writes > 5);
}

// With an I/O error, which some of them become, nobody is promised anything.
TEST_CASE("a commit refused for want of memory is not there after a crash") {
  std::uint64_t refused = 0;
  for (std::uint64_t allocation = 0;; ++allocation) {
    CAPTURE(allocation);
    FaultMemory memory;
    const TempDirectory directory;
    const auto database = open_database(directory.path(), "");
    REQUIRE(add_table(*database, "t1").ok());
    memory.fail_at(allocation, allocation % 2 == 1);
    const Status status = add_table(*database, "t2");
    const bool failed = memory.failed();
    memory.heal();
    if (!failed) {
      break;  // it has fewer allocations
    }
    if (status.ok() || status.error().code == ErrorCode::kIo) {
      continue;
    }
    ++refused;
    CHECK(status.error().code == ErrorCode::kUnavailable);  // not what to drop events for
    CHECK(tables_after_crash(directory.path()) == std::vector<std::string>{"t1"});
    REQUIRE(add_table(*database, "t3").ok());
    CHECK(tables_after_crash(directory.path()) == std::vector<std::string>{"t1", "t3"});
  }
  CHECK(refused > 5);
}

// What the process still sees of the write-ahead file may not be on the platter: copied in part to
// the database, it would be half a commit after a power cut.
TEST_CASE("nothing is copied to the database after a sync that failed") {
  for (const Checkpoint checkpoint : {Checkpoint::kPassive, Checkpoint::kTruncate}) {
    CAPTURE(static_cast<int>(checkpoint));
    FaultVfs vfs;
    const TempDirectory directory;
    const auto database = open_database(directory.path(), vfs.name());
    REQUIRE(add_table(*database, "t1").ok());
    vfs.heal();
    vfs.fail_at(0, FaultVfs::Fault::kSync, false);
    const Status committed = add_table(*database, "t2");
    REQUIRE(!committed.ok());
    CHECK(committed.error().code == ErrorCode::kIo);
    vfs.heal();
    const Status copied = database->checkpoint(checkpoint);
    REQUIRE(!copied.ok());
    CHECK(copied.error().code == ErrorCode::kIo);
    CHECK(copied.error().message.find("a write to the disk failed before") != std::string::npos);
    CHECK(vfs.changes() == 0);
  }
}

}  // namespace
}  // namespace evq
