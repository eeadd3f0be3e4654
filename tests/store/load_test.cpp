// A load beside somebody who deletes what it fills.
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/catalog/dataset_file.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

void check_load_beside_drop(bool was_there) {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  auto other = open_store(directory.path(), 100);
  if (was_there) {
    REQUIRE(load(*store, "d", numbered_events(1000, 1, 0, 1)).ok());
  }
  IngestRequest request;
  request.options.format = InputFormat::kNdjson;
  request.clock = [] { return kReceipt; };
  std::uint64_t gone = 0;
  request.committed = [&](const IngestCounts& counts) {
    if (gone == 0) {
      gone = counts.ingested;
      REQUIRE(other->drop_dataset("d").ok());
    }
  };
  const std::string events = numbered_events(0, 350, 0, 1);
  const std::unique_ptr<ByteSource> source = memory_source(events);
  QueryControl control;
  const auto report = store->ingest("d", *source, request, control);
  REQUIRE(report.ok());
  REQUIRE(gone > 0);
  REQUIRE(gone < 350);
  std::vector<std::string> left;
  for (std::uint64_t number = gone; number < 350; ++number) {
    left.push_back(std::to_string(number));
  }
  CHECK(texts(read_rows(*store, "d", "n")) == left);
  const auto checked = store->check(control);
  REQUIRE(checked.ok());
  CHECK(checked->problems.empty());
  store.reset();
  other.reset();
  const auto names = list_directory(directory.path() + "/datasets");
  REQUIRE(names.ok());
  for (const std::string& name : *names) {
    CHECK(name.starts_with("2."));
  }
}

TEST_CASE("a load whose dataset is deleted meanwhile goes on in a new one of that name") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    check_load_beside_drop(was_there);
  }
}

// Those who delete may be this process or another one; between two deletions somebody stores.
TEST_CASE("loads of many threads land, however often their dataset is deleted") {
  for (const bool same : {true, false}) {
    CAPTURE(same);
    constexpr int kThreads = 4;
    constexpr int kLoads = 25;
    const TempDirectory directory;
    const auto store = open_store(directory.path(), 64);
    const auto other = same ? nullptr : open_store(directory.path(), 64);
    std::atomic<int> stored = 0;
    std::vector<std::string> refused(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < kLoads; ++i, ++stored) {
          const auto loaded = load(*store, "d", numbered_events(i, 3, i, 1));
          if (!loaded.ok()) {
            refused[static_cast<std::size_t>(t)] = loaded.error().message;
          }
        }
      });
    }
    for (int seen = 0; seen < kThreads * kLoads; seen = stored) {
      Store& dropping = same ? *store : *other;
      const Status dropped = dropping.drop_dataset("d");
      CHECK((dropped.ok() || dropped.error().code == ErrorCode::kNotFound));
      while (stored == seen) {
        std::this_thread::yield();
      }
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    CHECK(refused == std::vector<std::string>(kThreads));
    QueryControl control;
    CHECK(store->check(control)->problems.empty());
  }
}

TEST_CASE("a file that is removed without its dataset is told, and not made anew") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 64);
  REQUIRE(load(*store, "d", numbered_events(0, 3, 0, 1)).ok());
  const std::string log = directory.path() + "/datasets/1.db-wal";
  REQUIRE(std::filesystem::remove(log));
  const auto refused = load(*store, "d", numbered_events(3, 3, 3, 1));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kIo);
  CHECK(refused.error().message == log + ": removed or replaced while evq had it open");
}

TEST_CASE("a database that is removed without its dataset is told by whoever asks first") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 64);
  REQUIRE(load(*store, "d", numbered_events(0, 3, 0, 1)).ok());
  const std::string path = directory.path() + "/datasets/1.db";
  REQUIRE(std::filesystem::remove(path));
  const auto check = [&](const auto& outcome) {
    REQUIRE_FALSE(outcome.ok());
    CHECK(outcome.error().code == ErrorCode::kCorrupt);
    CHECK(outcome.error().message == path + ": the file is missing");
  };
  check(store->snapshot("d"));
  check(load(*store, "d", numbered_events(3, 3, 3, 1)));
  check(store->stats("d"));
  CHECK_FALSE(file_exists(path));
  CHECK(store->drop_dataset("d").ok());
  CHECK(store->snapshot("d").error().code == ErrorCode::kNotFound);
}

TEST_CASE("a file that is cut short while it is open is told, and left as it is") {
  struct Cut {
    const char* suffix;
    std::uint64_t size_bytes;
  };
  for (const Cut& cut :
       {Cut{"-shm", 0}, Cut{"-shm", 4096}, Cut{"", 0}, Cut{"", kDatasetPageBytes}}) {
    CAPTURE(cut.suffix);
    CAPTURE(cut.size_bytes);
    const TempDirectory directory;
    const std::string database = directory.path() + "/datasets/1.db";
    REQUIRE(load(*open_store(directory.path(), 64), "d", numbered_events(0, 20000, 0, 1)).ok());
    REQUIRE(size_or_zero(database) > 20 * kDatasetPageBytes);  // all was copied into it
    auto store = open_store(directory.path(), 64);
    REQUIRE(store->snapshot("d").ok());
    REQUIRE(load(*store, "d", numbered_events(20000, 1, 0, 1)).ok());
    const std::string path = database + cut.suffix;
    std::filesystem::resize_file(path, cut.size_bytes);
    const auto refused = load(*store, "d", numbered_events(20001, 1, 0, 1));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kIo);
    CHECK(refused.error().message == path + ": cut short while evq had it open");
    CHECK_FALSE(store->snapshot("d").ok());
    const std::uint64_t log_bytes = size_or_zero(database + "-wal");
    store.reset();
    CHECK(size_or_zero(path) == cut.size_bytes);
    CHECK(size_or_zero(database + "-wal") == log_bytes);
  }
}

}  // namespace
}  // namespace evq
