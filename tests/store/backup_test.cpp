// Copies of a store in use: whole ones or none.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "store/base/file.h"
#include "store/store.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

Result<BackupReport> back_up(Store& store, const std::string& target,
                             const BackupProgress& progress = nullptr) {
  QueryControl control;
  return store.back_up(target, progress, control);
}

std::vector<std::string> names_of(Store& store) {
  const auto datasets = store.definitions().datasets();
  REQUIRE(datasets.ok());
  std::vector<std::string> names;
  for (const DatasetDefinition& dataset : *datasets) {
    names.push_back(dataset.name);
  }
  return names;
}

void check_sound(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  CHECK(report->problems.empty());
}

unsigned mode_of(const std::string& path) {
  struct stat found {};
  REQUIRE(::stat(path.c_str(), &found) == 0);
  return found.st_mode & 0777U;
}

TEST_CASE("a backup is a store with the same events, definitions and tokens") {
  const TempDirectory directory;
  const std::string copy = directory.path() + "/backups/today";
  auto store = open_store(directory.path() + "/store", 100);
  REQUIRE(load(*store, "d", numbered_events(0, 330, 0, 1)).ok());
  REQUIRE(load(*store, "e", numbered_events(0, 7, 0, 1)).ok());
  REQUIRE(store->definitions().put_setting("s", "kept").ok());
  std::uint64_t told = 0;
  const auto report = back_up(*store, copy + "/", [&](std::uint64_t bytes, std::uint64_t total) {
    CHECK(bytes >= told);
    CHECK(bytes <= total);
    told = bytes;
  });
  REQUIRE(report.ok());
  CHECK(report->datasets == 2);
  CHECK(report->rows == 337);
  CHECK(told > 0);
  CHECK(mode_of(copy) == 0700);
  CHECK(mode_of(copy + "/datasets") == 0700);
  std::uint64_t bytes = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(copy)) {
    if (entry.is_regular_file()) {
      CHECK(mode_of(entry.path().string()) == 0600);
      // What readers share is beside each database, and holds nothing of it.
      const bool shared = entry.path().extension() != ".db";
      CHECK((!shared || entry.path().extension() == ".db-shm" ||
             (entry.path().extension() == ".db-wal" && entry.file_size() == 0)));
      bytes += shared ? 0 : entry.file_size();
    }
  }
  CHECK(report->bytes == bytes);

  REQUIRE(load(*store, "d", numbered_events(330, 10, 0, 1)).ok());  // after it
  auto copied = open_store(copy, 100);
  check_sound(*copied);
  CHECK(read_rows(*copied, "d", "n").size() == 330);
  CHECK(read_rows(*copied, "e", "n").size() == 7);
  const auto setting = copied->definitions().setting("s");
  REQUIRE(setting.ok());
  CHECK(setting->value_or("") == "kept");
  REQUIRE(load(*copied, "d", numbered_events(330, 5, 0, 1)).ok());
  REQUIRE(load(*copied, "new", numbered_events(0, 5, 0, 1)).ok());
  CHECK(read_rows(*copied, "d", "n").size() == 335);
  CHECK(read_rows(*store, "d", "n").size() == 340);
}

TEST_CASE("what is made, dropped and loaded while a store is copied") {
  const TempDirectory directory;
  const std::string copy = directory.path() + "/copy";
  auto store = open_store(directory.path() + "/store", 100);
  for (const char* name : {"a", "b", "c"}) {
    REQUIRE(load(*store, name, numbered_events(0, 100, 0, 1)).ok());
  }
  auto other = open_store(directory.path() + "/store", 100);
  bool first = true;
  const auto report = back_up(*store, copy, [&](std::uint64_t, std::uint64_t) {
    if (std::exchange(first, false)) {  // while `a` is copied
      REQUIRE(load(*other, "a", numbered_events(100, 50, 0, 1)).ok());
      REQUIRE(load(*other, "c", numbered_events(100, 50, 0, 1)).ok());
      REQUIRE(other->drop_dataset("a").ok());
      REQUIRE(other->drop_dataset("b").ok());
      REQUIRE(load(*other, "b", numbered_events(0, 20, 0, 1)).ok());
      REQUIRE(load(*other, "d", numbered_events(0, 30, 0, 1)).ok());
    }
  });
  REQUIRE(report.ok());
  CHECK(report->datasets == 3);
  auto copied = open_store(copy, 100);
  check_sound(*copied);
  CHECK(names_of(*copied) == std::vector<std::string>{"b", "c", "d"});
  CHECK(read_rows(*copied, "b", "n").size() == 20);
  CHECK(read_rows(*copied, "c", "n").size() == 150);
  CHECK(read_rows(*copied, "d", "n").size() == 30);
  CHECK(report->rows == 200);
  const std::filesystem::directory_iterator files(copy + "/datasets");
  CHECK(std::count_if(begin(files), end(files),
                      [](const auto& file) { return file.path().extension() == ".db"; }) == 3);
}

TEST_CASE("a dataset is copied as of one instant while others load into it") {
  const TempDirectory directory;
  auto store = open_store(directory.path() + "/store", 1000);
  REQUIRE(load(*store, "d", numbered_events(0, 5000, 0, 1)).ok());
  std::atomic<std::uint64_t> acknowledged = 5000;
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    auto other = open_store(directory.path() + "/store", 1000);
    while (!stop.load()) {
      const std::uint64_t before = acknowledged.load();
      REQUIRE(load(*other, "d", numbered_events(static_cast<int>(before), 250, 0, 1)).ok());
      acknowledged.store(before + 250);
    }
  });
  for (int round = 0; round < 5; ++round) {
    const std::string copy = directory.path() + "/copy" + std::to_string(round);
    const std::uint64_t before = acknowledged.load();
    const auto report = back_up(*store, copy);
    const std::uint64_t after = acknowledged.load() + 250;
    REQUIRE(report.ok());
    auto copied = open_store(copy, 1000);
    check_sound(*copied);
    std::vector<ReadRow> rows = read_rows(*copied, "d", "n");
    CHECK(rows.size() == report->rows);
    CHECK(rows.size() >= before);
    CHECK(rows.size() <= after);
    CHECK(rows.size() % 250 == 0);  // no part of a load
  }
  stop.store(true);
  writer.join();
}

TEST_CASE("a backup that is stopped or fails leaves nothing") {
  const TempDirectory directory;
  auto store = open_store(directory.path() + "/store", 100);
  REQUIRE(load(*store, "d", numbered_events(0, 330, 0, 1)).ok());
  QueryControl control;
  const auto stopped = store->back_up(
      directory.path() + "/copy", [&](std::uint64_t, std::uint64_t) { control.cancel(); }, control);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
  const auto names = list_directory(directory.path());
  REQUIRE(names.ok());
  CHECK(*names == std::vector<std::string>{"store"});
}

TEST_CASE("a backup takes a folder of its own, which may be there when it is empty") {
  const TempDirectory directory;
  const std::string folder = directory.path();
  auto store = open_store(folder + "/store", 100);
  CHECK(back_up(*store, folder + "/copy").error().code == ErrorCode::kNotFound);  // no catalog yet
  REQUIRE(load(*store, "d", numbered_events(0, 330, 0, 1)).ok());
  std::filesystem::create_directory(folder + "/empty");
  std::filesystem::create_directory(folder + "/full");
  std::ofstream(folder + "/full/file") << "mine";
  std::ofstream(folder + "/file") << "mine";
  std::filesystem::create_directory_symlink(folder + "/empty", folder + "/link");
  CHECK(back_up(*store, folder + "/link").error().code == ErrorCode::kConflict);
  CHECK(back_up(*store, folder + "/empty").ok());
  CHECK(back_up(*store, folder + "/full").error().code == ErrorCode::kConflict);
  CHECK(back_up(*store, folder + "/file").error().code == ErrorCode::kConflict);
  CHECK(back_up(*store, folder + "/empty").error().code == ErrorCode::kConflict);
  for (const char* inside :
       {"/store", "/store/", "/store/copy", "/store/datasets/x", "/empty/../store/y"}) {
    CHECK(back_up(*store, folder + inside).error().code == ErrorCode::kUsage);
  }
  for (const char* nothing : {"", ".", "./", ".."}) {
    CHECK(back_up(*store, nothing).error().code == ErrorCode::kUsage);
  }
  CHECK(read_rows(*open_store(folder + "/empty", 100), "d", "n").size() == 330);
  CHECK(file_exists(folder + "/full/file"));
}

}  // namespace
}  // namespace evq
