// What a process keeps of files that it has open and nobody uses, and how others are opened while
// one of them goes.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/process.h"
#include "store/base/wait_scope.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/fault_memory.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/store_support.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

// A file of four megabytes whose rows are read whole.
std::unique_ptr<Database> open_full_database(const std::string& directory) {
  DatabaseOptions options;
  options.path = directory + "/d.db";
  options.page_size_bytes = kDatasetPageBytes;
  options.create = true;
  auto database = Database::open(options, dataset_schema());
  REQUIRE(database.ok());
  auto lock = (*database)->begin_write(Room::little());
  REQUIRE(lock.ok());
  REQUIRE(lock->connection().execute("CREATE TABLE t(x)").ok());
  REQUIRE(lock->connection()
              .execute("INSERT INTO t WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
                       "c WHERE i < 1000) SELECT zeroblob(4000) FROM c")
              .ok());
  REQUIRE(lock->commit().ok());
  return std::move(database).value();
}

TEST_CASE("readers that have ended keep little memory and few descriptors") {
  const FaultMemory memory;
  const TempDirectory directory;
  const std::size_t descriptors = count_descriptors();
  const auto database = open_full_database(directory.path());
  const std::uint64_t held_bytes = memory.held_bytes();
  {
    std::vector<ReadLease> leases;
    for (int i = 0; i < 8; ++i) {
      auto lease = database->begin_read();
      REQUIRE(lease.ok());
      CHECK(lease->connection().number("SELECT count(*) FROM t").value() == 1000);
      leases.push_back(std::move(lease).value());
    }
  }
  CHECK(memory.held_bytes() < held_bytes + kMebibyte);
  CHECK(count_descriptors() <= descriptors + kDescriptorsPerOpenDataset);
}

TEST_CASE("a dataset that is closed for another is copied while others are opened") {
  std::unique_ptr<Store> store;
  bool asked = false;
  FaultVfs vfs;
  vfs.before_sync([&](const std::string& name) {
    if (store == nullptr || name != "3.db" || std::exchange(asked, true)) {
      return;
    }
    const QueryControl control(5000);
    const WaitScope scope(control);
    const auto snapshot = store->snapshot("b");
    CHECK_MESSAGE(snapshot.ok(), (snapshot.ok() ? "" : snapshot.error().message));
  });
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.vfs = vfs.name();
  options.open_datasets_max = 1;
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  for (const char* name : {"a", "b", "c"}) {
    REQUIRE(load(**opened, name, numbered_events(0, 3, 0, 1)).ok());
  }
  store = std::move(opened).value();
  CHECK(store->snapshot("a").ok());
  CHECK(asked);
  store.reset();
}

}  // namespace
}  // namespace evq
