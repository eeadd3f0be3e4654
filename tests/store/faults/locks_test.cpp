// The lock between processes that makes the write-ahead file's fault of SQLite before 3.51.3
// impossible (database.h): no file is ever changed by one who does not hold it.
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "store/catalog/sqlite.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr int kLockRounds = 30;
constexpr int kLockLoadRows = 20;

std::unique_ptr<Store> open_watched(const TempDirectory& directory, const FaultVfs& vfs) {
  StoreOptions options;
  options.directory = directory.path();
  options.block_rows = 64;
  options.vfs = vfs.name();
  auto store = Store::open(options);
  REQUIRE(store.ok());
  return std::move(store).value();
}

TEST_CASE("every change of a file is made under its lock, whoever else works on the store") {
  FaultVfs vfs;
  const TempDirectory directory;
  std::atomic<int> failures = 0;
  {
    // Two stores stand for two processes: locks of files do not know the difference.
    const std::unique_ptr<Store> stores[] = {open_watched(directory, vfs),
                                             open_watched(directory, vfs)};
    const auto write = [&](Store& store, int first) {
      for (int i = 0; i < kLockRounds; ++i) {
        const std::string text = numbered_events(first + i * kLockLoadRows, kLockLoadRows, 0, 1);
        failures += load(store, "d", text).ok() ? 0 : 1;
      }
    };
    const auto tidy = [&](Store& store) {
      for (int i = 0; i < kLockRounds; ++i) {
        QueryControl control;
        failures += store.definitions().put_setting("round", std::to_string(i)).ok() ? 0 : 1;
        const Status done =
            store.maintain("d", i % 3 == 0 ? Maintenance::kFull : Maintenance::kDue, control);
        failures += done.ok() || done.error().code == ErrorCode::kNotFound ? 0 : 1;
      }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < 2; ++i) {
      threads.emplace_back(write, std::ref(*stores[i]), i * kLockRounds * kLockLoadRows);
      threads.emplace_back(tidy, std::ref(*stores[i]));
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
  }
  CHECK(failures == 0);
  CHECK(vfs.unlocked_change() == "");
  const std::unique_ptr<Store> store = open_store(directory.path(), 64);
  CHECK(read_rows(*store, "d", "n").size() == 2 * kLockRounds * kLockLoadRows);
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  CHECK(report->problems.empty());
}

TEST_CASE("a change without the lock does not go unseen") {
  FaultVfs vfs;
  const TempDirectory directory;
  { REQUIRE(load(*open_watched(directory, vfs), "d", "{\"n\":1}\n").ok()); }
  REQUIRE(vfs.unlocked_change() == "");
  ConnectionOptions options;
  options.path = directory.path() + "/datasets/1.db";
  options.vfs = vfs.name();
  options.writable = true;
  auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  REQUIRE((*connection)->execute("DELETE FROM chunks").ok());
  CHECK(vfs.unlocked_change() == "write 1.db-wal");
}

}  // namespace
}  // namespace evq
