// Stores that are deleted after use, which nothing syncs.
#include <string>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/catalog/unsynced_vfs.h"
#include "store/store.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

StoreOptions scratch(const std::string& directory) {
  StoreOptions options;
  options.directory = directory;
  options.block_rows = 100;
  options.scratch = true;
  return options;
}

TEST_CASE("a scratch store is read at once, by others and after it was closed") {
  const TempDirectory directory;
  auto store = Store::open(scratch(directory.path()));
  REQUIRE(store.ok());
  REQUIRE(load(**store, "d", numbered_events(0, 330, 0, 1)).ok());
  CHECK(read_rows(**store, "d", "n").size() == 330);
  for (int round = 0; round < 2; ++round) {
    auto other = open_store(directory.path(), 100);
    CHECK(read_rows(*other, "d", "n").size() == 330);
    REQUIRE(load(**store, "e", numbered_events(0, 7, 0, 1)).ok());
    CHECK(read_rows(*other, "e", "n").size() == 7 * static_cast<std::size_t>(round + 1));
  }
  store.value().reset();
  auto other = open_store(directory.path(), 100);
  CHECK(read_rows(*other, "d", "n").size() == 330);
  QueryControl control;
  const auto report = other->check(control);
  REQUIRE(report.ok());
  CHECK(report->problems.empty());
}

TEST_CASE("a store that is kept cannot be opened as a scratch store") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 100), "d", numbered_events(0, 5, 0, 1)).ok());
  const auto refused = Store::open(scratch(directory.path()));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK(is_unsynced(unsynced_vfs()));
  CHECK_FALSE(is_unsynced(StoreOptions().vfs));
}

}  // namespace
}  // namespace evq
