// Commits that a full disk refuses, at each of their writes in turn: not there after a restart,
// even when all of their pages had been written. And commits whose sync failed.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file_lock.h"
#include "store/base/limits.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "store/catalog/wal_loss.h"
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

// A reader of what is there now.
Result<ReadLease> begin_reading(Database& database) {
  EVQ_TRY_ASSIGN(ReadLease lease, database.begin_read());
  EVQ_TRY(lease.connection().execute("SELECT count(*) FROM sqlite_schema"));
  return lease;
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

// What was copied while a reader held the checkpoint up is dropped by the system with the sync that
// fails, though SQLite counts it as copied.
void fail_checkpoint(const std::string& directory, FaultVfs& vfs) {
  const auto database = open_database(directory, vfs.name());
  const auto another = open_database(directory, vfs.name());  // keeps the index
  REQUIRE(database->checkpoint(Checkpoint::kTruncate).ok());
  REQUIRE(add_table(*database, "t1").ok());
  {
    const auto reader = begin_reading(*another);
    REQUIRE(reader.ok());
    REQUIRE(add_table(*database, "t2").ok());
    REQUIRE(database->checkpoint(Checkpoint::kPassive).ok());
  }
  vfs.heal();
  vfs.fail_at(1, FaultVfs::Fault::kSync, false);
  const Status emptied = database->checkpoint(Checkpoint::kTruncate);
  CHECK(vfs.failure() == "sync d.db");
  REQUIRE(!emptied.ok());
  CHECK(emptied.error().code == ErrorCode::kIo);
  vfs.heal();
  const Status added = add_table(*database, "t3");
  REQUIRE(!added.ok());
  CHECK(added.error().code == ErrorCode::kIo);

  REQUIRE(another->checkpoint(Checkpoint::kTruncate).ok());
  vfs.cut_at(0);
  CHECK(!add_table(*another, "t4").ok());
}

// Of a disk that writes whole sectors a note covers less, and the next process writes all again.
TEST_CASE("after a checkpoint whose sync failed the next one copies everything") {
  for (const bool powersafe : {true, false}) {
    CAPTURE(powersafe);
    FaultVfs vfs;
    vfs.set_powersafe(powersafe);
    const TempDirectory directory;
    std::mt19937_64 random(1);
    fail_checkpoint(directory.path(), vfs);
    vfs.settle(FaultVfs::Survival::kNothing, random);
    vfs.heal();
    CHECK(tables(directory.path() + "/d.db") == std::vector<std::string>{"t1", "t2"});
    ConnectionOptions options;
    options.path = directory.path() + "/d.db";
    const auto connection = Connection::open(options);
    REQUIRE(connection.ok());
    const auto problems = (*connection)->integrity_problems(QueryControl());
    REQUIRE(problems.ok());
    CHECK(problems->empty());
  }
}

// A row as the tables of a dataset have it: the file may be opened again.
Status add_chunk(Database& database, int id, std::size_t bytes = 300000) {
  EVQ_TRY_ASSIGN(WriteLock lock, database.begin_write(Room::little()));
  EVQ_TRY(lock.connection().execute("INSERT INTO chunks VALUES(" + std::to_string(id) +
                                    ", zeroblob(" + std::to_string(bytes) + "))"));
  return lock.commit();
}

std::vector<std::string> chunks(const std::string& directory) {
  ConnectionOptions options;
  options.path = directory + "/d.db";
  options.writable = true;
  auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  auto ids = (*connection)->text_rows("SELECT CAST(id AS TEXT) FROM chunks ORDER BY id");
  REQUIRE(ids.ok());
  return *ids;
}

// Of the write-ahead file, as if another had been made by the last commit.
void change_note(const std::string& directory, const std::function<void(WalReach*)>& change) {
  const std::string path = directory + "/d.db.lock";
  std::optional<WalReach> noted = decode_reach(FileLock::noted(path, sizeof(WalReachText)));
  REQUIRE(noted.has_value());
  change(&*noted);
  const WalReachText text = encode_reach(*noted);
  auto lock = FileLock::try_acquire(path);
  REQUIRE(lock.ok());
  REQUIRE(lock->has_value());
  (*lock)->note({text.data(), text.size()});
}

TEST_CASE("the next process writes nothing again that was acknowledged since the system started") {
  enum class Note { kSame, kOfEarlierRun, kOfOtherHeader, kOfFewerFrames };
  for (const Note note :
       {Note::kSame, Note::kOfEarlierRun, Note::kOfOtherHeader, Note::kOfFewerFrames}) {
    CAPTURE(static_cast<int>(note));
    FaultVfs vfs;
    vfs.set_powersafe(true);
    const TempDirectory directory;
    std::mt19937_64 random(1);
    {
      const auto another = open_database(directory.path(), vfs.name());
      const auto reader = begin_reading(*another);  // so that nobody empties the file
      REQUIRE(reader.ok());
      REQUIRE(add_chunk(*open_database(directory.path(), vfs.name()), 1).ok());
      change_note(directory.path(), [&](WalReach* reach) {
        reach->boot += note == Note::kOfEarlierRun ? 1 : 0;
        reach->header[kWalHeaderBytes - 1] ^= note == Note::kOfOtherHeader ? 1 : 0;
        reach->frames -= note == Note::kOfFewerFrames ? 1 : 0;
      });
      const auto next = open_database(directory.path(), vfs.name());
      vfs.heal();
      REQUIRE(next->resync().ok());
      CHECK((vfs.changes() == 0) == (note == Note::kSame));
      REQUIRE(add_chunk(*next, 2).ok());
      vfs.cut_at(0);
    }
    vfs.settle(FaultVfs::Survival::kNothing, random);
    vfs.heal();
    CHECK(chunks(directory.path()) == std::vector<std::string>{"1", "2"});
  }
}

// Where some process is left, the index goes on to say that there was no such commit. Without one
// it is made anew from the file, and in memory that has the commit.
TEST_CASE("what a failed sync has left is nothing or is written again before anything follows") {
  for (const bool index_stays : {true, false}) {
    CAPTURE(index_stays);
    FaultVfs vfs;
    vfs.set_powersafe(true);
    const TempDirectory directory;
    std::mt19937_64 random(1);
    open_database(directory.path(), vfs.name()).reset();
    {
      auto another = open_database(directory.path(), vfs.name());  // never writes
      {
        const auto database = open_database(directory.path(), vfs.name());
        REQUIRE(add_chunk(*database, 1).ok());
        vfs.heal();
        vfs.fail_at(0, FaultVfs::Fault::kSync, false);
        CHECK(add_chunk(*database, 2).error().code == ErrorCode::kIo);
        CHECK(vfs.failure() == "sync d.db-wal");
        vfs.heal();
      }
      if (!index_stays) {
        another.reset();
      }
      const auto next = open_database(directory.path(), vfs.name());
      vfs.heal();
      REQUIRE(next->resync().ok());
      CHECK((vfs.changes() == 0) == index_stays);
      REQUIRE(add_chunk(*next, 3).ok());
      vfs.cut_at(0);
    }
    vfs.settle(FaultVfs::Survival::kNothing, random);
    vfs.heal();
    CHECK(chunks(directory.path()) == (index_stays ? std::vector<std::string>{"1", "3"}
                                                   : std::vector<std::string>{"1", "2", "3"}));
  }
}

TEST_CASE("a reader that stays holds up a commit each time that the file has grown a lot") {
  FaultVfs vfs;
  vfs.set_powersafe(true);
  const TempDirectory directory;
  const auto database = open_database(directory.path(), vfs.name());
  {
    const auto reader = begin_reading(*database);
    REQUIRE(reader.ok());
    REQUIRE(add_chunk(*database, 1, kWalBytesMax / 2).ok());
    CHECK(vfs.sleeps() == 0);
    REQUIRE(add_chunk(*database, 2, kWalBytesMax / 2).ok());
    const std::uint64_t waited = vfs.sleeps();
    CHECK(waited > 0);
    REQUIRE(add_chunk(*database, 3).ok());
    REQUIRE(add_chunk(*open_database(directory.path(), vfs.name()), 4).ok());
    CHECK(vfs.sleeps() == waited);
    REQUIRE(add_chunk(*database, 5, kWalBytesTarget).ok());
    CHECK(vfs.sleeps() > waited);
  }
  REQUIRE(add_chunk(*database, 6).ok());
  CHECK(std::filesystem::file_size(directory.path() + "/d.db-wal") == 0);
}

}  // namespace
}  // namespace evq
