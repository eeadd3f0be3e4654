// Databases: creation, modes, migrations, locks, checkpoints, snapshots of readers.
#include "store/catalog/database.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "store/base/limits.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

DatabaseOptions options_for(const TempDirectory& directory) {
  DatabaseOptions options;
  options.path = directory.path() + "/d.db";
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  return options;
}

std::unique_ptr<Database> open_new(const TempDirectory& directory) {
  auto database = Database::open(options_for(directory), dataset_schema());
  REQUIRE(database.ok());
  return std::move(database).value();
}

void initialise(Database& database, std::uint64_t key) {
  auto lock = database.begin_write(Room::little());
  REQUIRE(lock.ok());
  REQUIRE(DatasetWriter::initialise(lock->connection(), key).ok());
  REQUIRE(lock->commit().ok());
}

TEST_CASE("a new file is private and opens again") {
  const TempDirectory directory;
  ::umask(0);
  { initialise(*open_new(directory), 5); }
  for (const char* suffix : {"", "-wal", ".lock"}) {
    struct stat info = {};
    REQUIRE(::stat((directory.path() + "/d.db" + suffix).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0600);
  }
  auto options = options_for(directory);
  options.create = false;
  auto again = Database::open(options, dataset_schema());
  REQUIRE(again.ok());
  auto lease = (*again)->begin_read();
  REQUIRE(lease.ok());
  CHECK(read_counters(lease->connection(), 5).ok());
  CHECK(read_counters(lease->connection(), 6).error().code == ErrorCode::kCorrupt);
}

TEST_CASE("of many that open a new file at once all have it") {
  for (int round = 0; round < 40; ++round) {
    const TempDirectory directory;
    std::array<std::string, 4> errors;
    std::vector<std::thread> threads;
    for (std::string& error : errors) {
      threads.emplace_back([&] {
        const auto database = Database::open(options_for(directory), dataset_schema());
        error = database.ok() ? "" : database.error().message;
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const std::string& error : errors) {
      CHECK(error.empty());
    }
  }
}

TEST_CASE("a missing file is not made unless asked for") {
  const TempDirectory directory;
  auto options = options_for(directory);
  options.create = false;
  CHECK(Database::open(options, dataset_schema()).error().code == ErrorCode::kNotFound);
}

TEST_CASE("a file keeps the pages it was made with, and sizes are counted in them") {
  const TempDirectory directory;
  auto options = options_for(directory);
  options.page_size_bytes = 65536;
  {
    auto made = Database::open(options, dataset_schema());
    REQUIRE(made.ok());
    initialise(**made, 5);
  }
  options.page_size_bytes = 4096;
  auto database = Database::open(options, dataset_schema());
  REQUIRE(database.ok());
  {
    auto lock = (*database)->begin_write(Room::little());
    REQUIRE(lock.ok());
    auto writer = DatasetWriter::begin(lock->connection(), 5);
    REQUIRE(writer.ok());
    REQUIRE(writer->insert_blob(BlobTable::kChunks, {1, std::string(200'000, 'x')}).ok());
    REQUIRE(writer->finish().ok());
    REQUIRE(lock->commit().ok());
    const auto wal_bytes = std::filesystem::file_size(options.path + "-wal");
    CHECK(kWalHeaderBytes + lock->connection().wal_bytes() == wal_bytes);
    CHECK(wal_bytes > 200'000);
  }
  CHECK((*database)->checkpoint(Checkpoint::kTruncate).ok());
  CHECK(std::filesystem::file_size(options.path) % 65536 == 0);
}

TEST_CASE("closing empties the write-ahead file") {
  const TempDirectory directory;
  initialise(*open_new(directory), 5);
  CHECK(std::filesystem::file_size(directory.path() + "/d.db-wal") == 0);
}

// What is written to a file that others do not see is lost, and where another process has made a
// new index meanwhile, copying it to the database destroys what that one wrote.
TEST_CASE(
    "files removed, replaced or cut while they are open are told, and the database is whole") {
  enum class Harm { kNoIndex, kNoLog, kNeither, kOtherLog, kCutLog, kNoLogHeader };
  for (const Harm harm : {Harm::kNoIndex, Harm::kNoLog, Harm::kNeither, Harm::kOtherLog,
                          Harm::kCutLog, Harm::kNoLogHeader}) {
    CAPTURE(static_cast<int>(harm));
    const TempDirectory directory;
    const std::string path = directory.path() + "/d.db";
    {
      const auto database = open_new(directory);
      initialise(*database, 1);
      REQUIRE(database->checkpoint(Checkpoint::kTruncate).ok());
      {
        auto lock = database->begin_write(Room::little());
        REQUIRE(lock.ok());
        REQUIRE(lock->connection().execute("DELETE FROM counters").ok());
        REQUIRE(DatasetWriter::initialise(lock->connection(), 2).ok());
        REQUIRE(lock->commit().ok());
      }
      if (harm == Harm::kNoIndex || harm == Harm::kNeither) {
        std::filesystem::remove(path + "-shm");
      }
      if (harm == Harm::kNoLog || harm == Harm::kNeither) {
        std::filesystem::remove(path + "-wal");
      }
      if (harm == Harm::kOtherLog) {
        std::filesystem::copy_file(path + "-wal", path + "-old");
        std::filesystem::rename(path + "-old", path + "-wal");
      }
      if (harm == Harm::kCutLog) {
        std::filesystem::resize_file(path + "-wal", 0);
      }
      if (harm == Harm::kNoLogHeader) {
        std::fstream(path + "-wal", std::ios::in | std::ios::out | std::ios::binary) << "nothing";
      }
      const auto other = Database::open(options_for(directory), dataset_schema());
      const bool in_place = harm == Harm::kCutLog || harm == Harm::kNoLogHeader;
      if (!in_place) {
        CHECK(database->begin_read().error().code == ErrorCode::kIo);
      }
      const auto refused = database->begin_write(Room::little());
      REQUIRE(!refused.ok());
      CHECK(refused.error().code == ErrorCode::kIo);
      CHECK(refused.error().message.find("while evq had it open") != std::string::npos);
      CHECK(database->begin_write(Room::little()).error().message == refused.error().message);
      CHECK(!database->checkpoint(Checkpoint::kPassive).ok());
      CHECK(!database->checkpoint(Checkpoint::kTruncate).ok());
    }
    const auto again = Database::open(options_for(directory), dataset_schema());
    REQUIRE(again.ok());
    auto lease = (*again)->begin_read(Database::Loss::kAccepted);
    REQUIRE(lease.ok());
    const bool has_last = read_counters(lease->connection(), 2).ok();
    CHECK((has_last || read_counters(lease->connection(), 1).ok()));
    if (harm == Harm::kNoIndex || harm == Harm::kOtherLog) {
      CHECK(has_last);
    }
    CHECK(lease->connection().integrity_problems(QueryControl())->empty());
  }
}

TEST_CASE("files of another kind or a newer format are refused") {
  const TempDirectory directory;
  initialise(*open_new(directory), 5);
  CHECK(Database::open(options_for(directory), catalog_schema()).error().code ==
        ErrorCode::kCorrupt);
  {
    auto database = open_new(directory);
    auto lock = database->begin_write(Room::little());
    REQUIRE(lock->connection().execute("PRAGMA user_version=99").ok());
    REQUIRE(lock->commit().ok());
  }
  const auto newer = Database::open(options_for(directory), dataset_schema());
  REQUIRE_FALSE(newer.ok());
  CHECK(newer.error().code == ErrorCode::kUnsupported);
}

TEST_CASE("a file with a table of its own is refused") {
  const TempDirectory directory;
  initialise(*open_new(directory), 5);
  {
    auto database = open_new(directory);
    auto lock = database->begin_write(Room::little());
    REQUIRE(lock->connection().execute("CREATE TABLE extra(x)").ok());
    REQUIRE(lock->commit().ok());
  }
  CHECK(Database::open(options_for(directory), dataset_schema()).error().code ==
        ErrorCode::kCorrupt);
}

TEST_CASE("a reader keeps its state while others write, and the checkpoint waits for nobody") {
  const TempDirectory directory;
  auto database = open_new(directory);
  initialise(*database, 5);
  auto before = database->begin_read();
  REQUIRE(before.ok());
  const auto counters = read_counters(before->connection(), 5);
  REQUIRE(counters.ok());
  {
    auto lock = database->begin_write(Room::little());
    REQUIRE(lock.ok());
    auto writer = DatasetWriter::begin(lock->connection(), 5);
    REQUIRE(writer.ok());
    writer->take_ordinals(10);
    REQUIRE(writer->finish().ok());
    REQUIRE(lock->commit().ok());
  }
  REQUIRE(database->checkpoint(Checkpoint::kPassive).ok());
  CHECK(read_counters(before->connection(), 5)->next_ordinal == 0);
  auto after = database->begin_read();
  CHECK(read_counters(after->connection(), 5)->next_ordinal == 10);
}

TEST_CASE("a file with a larger target is checkpointed later") {
  constexpr std::size_t kCommits = 24;
  std::array<std::uintmax_t, 2>
      sizes{};  // of the database, everything else being in the other file
  for (const bool busy : {false, true}) {
    const TempDirectory directory;
    auto options = options_for(directory);
    options.wal_bytes_target = busy ? kBusyWalBytesTarget : kWalBytesTarget;
    auto database = Database::open(options, dataset_schema());
    REQUIRE(database.ok());
    initialise(**database, 5);
    const std::string blob(kMebibyte, 'x');
    for (std::uint64_t i = 1; i <= kCommits; ++i) {
      auto lock = (*database)->begin_write(Room::little());
      REQUIRE(lock.ok());
      auto writer = DatasetWriter::begin(lock->connection(), 5);
      REQUIRE(writer.ok());
      REQUIRE(writer->insert_blob(BlobTable::kChunks, {i, blob}).ok());
      REQUIRE(writer->finish().ok());
      REQUIRE(lock->commit().ok());
    }
    sizes[busy ? 1 : 0] = std::filesystem::file_size(options.path);
  }
  CHECK(sizes[0] > kWalBytesTarget);
  CHECK(sizes[1] < kMebibyte);
}

TEST_CASE("writers in several threads take turns") {
  const TempDirectory directory;
  auto database = open_new(directory);
  initialise(*database, 5);
  auto count = [&database] {
    for (int i = 0; i < 50; ++i) {
      auto lock = database->begin_write(Room::little());
      auto writer = DatasetWriter::begin(lock->connection(), 5);
      writer->take_ordinals(1);
      static_cast<void>(writer->finish());
      static_cast<void>(lock->commit());
    }
  };
  std::thread a(count);
  std::thread b(count);
  a.join();
  b.join();
  auto lease = database->begin_read();
  CHECK(read_counters(lease->connection(), 5)->next_ordinal == 100);
}

}  // namespace
}  // namespace evq
