// What a store does besides what it is asked: space that is given back, datasets that are closed.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/catalog/sqlite.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

TEST_CASE("a compaction that is cancelled stops, and the next one ends its work") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "d", numbered_events(0, 20000, 0, 1)).ok());
  REQUIRE(store->trim("d", INT64_MAX).value() == 20000);
  const std::uint64_t before = store->stats("d")->file_bytes;
  QueryControl control;
  control.cancel();
  CHECK(store->maintain("d", true, control).error().code == ErrorCode::kCancelled);
  QueryControl again;
  REQUIRE(store->maintain("d", true, again).ok());
  CHECK(store->stats("d")->file_bytes < before);
}

TEST_CASE("a damaged chunk stays, and what is around it is merged") {
  const TempDirectory directory;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(load(*open_store(directory.path(), 1000), "d", numbered_events(i, 1, i, 1)).ok());
  }
  {
    ConnectionOptions options;
    options.path = directory.path() + "/datasets/1.db";
    options.writable = true;
    const auto connection = Connection::open(options);
    REQUIRE(connection.ok());
    const char* const damage = "UPDATE chunks SET data = zeroblob(length(data)) WHERE id = 2";
    REQUIRE((*connection)->execute(damage).ok());
  }
  const auto store = open_store(directory.path(), 1000);
  for (int i = 3; i < 200; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i, 1, i, 1)).ok());
  }
  CHECK(store->stats("d")->fresh_chunks < 100);
  QueryControl control;
  CHECK(store->maintain("d", true, control).error().code == ErrorCode::kCorrupt);
  CHECK(store->stats("d")->fresh_chunks == 1);
  CHECK(store->stats("d")->blocks == 2);
  CHECK(store->stats("d")->rows == 200);
}

TEST_CASE("datasets that nobody uses do not all stay open") {
  constexpr int kDatasets = 12;
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.open_datasets_max = 3;
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  const auto store = std::move(opened).value();
  const auto name_of = [](int i) { return "d" + std::to_string(i); };
  const auto number = [](int i) { return std::vector<std::string>{std::to_string(i)}; };
  REQUIRE(load(*store, name_of(0), numbered_events(0, 1, 0, 1)).ok());
  const auto kept = store->snapshot(name_of(0));
  REQUIRE(kept.ok());
  const auto open_files = [] { return list_directory("/proc/self/fd").value().size(); };
  std::size_t at_limit = 0;
  for (int i = 1; i < kDatasets; ++i) {
    REQUIRE(load(*store, name_of(i), numbered_events(i, 1, 0, 1)).ok());
    at_limit = i == 4 ? open_files() : at_limit;
  }
  CHECK(open_files() <= at_limit);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kDatasets; ++i) {
      CHECK(texts(read_rows(*store, name_of(i), "n")) == number(i));
      REQUIRE(load(*store, name_of(i), "").ok());
    }
  }
  CHECK(texts(read_rows(*kept, "n")) == number(0));
}

}  // namespace
}  // namespace evq
