// What others do to the files of a store that is open: another evq drops and makes datasets, a
// person removes or empties files.
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr std::uint32_t kFewRows = 8;

void remove_catalog(const std::string& directory) {
  for (const char* ending : {"", "-wal", "-shm"}) {
    std::filesystem::remove(directory + "/catalog.db" + ending);
  }
}

TEST_CASE("a dataset that another process drops is gone, and one made anew is the new one") {
  const TempDirectory directory;
  const auto here = open_store(directory.path(), kFewRows);
  const auto there = open_store(directory.path(), kFewRows);
  REQUIRE(load(*here, "d", numbered_events(0, 3, 0, 1)).ok());
  CHECK(read_rows(*there, "d", "n").size() == 3);

  REQUIRE(there->drop_dataset("d").ok());
  CHECK(here->snapshot("d").error().code == ErrorCode::kNotFound);
  CHECK(here->stats("d").error().code == ErrorCode::kNotFound);

  REQUIRE(there->drop_dataset("d").error().code == ErrorCode::kNotFound);
  REQUIRE(load(*there, "d", numbered_events(10, 2, 0, 1)).ok());
  CHECK(texts(read_rows(*here, "d", "n")) == std::vector<std::string>{"10", "11"});

  // Not asked for in between: the old file is still open here.
  REQUIRE(there->drop_dataset("d").ok());
  REQUIRE(load(*there, "d", numbered_events(20, 1, 0, 1)).ok());
  REQUIRE(load(*here, "d", numbered_events(30, 1, 9, 1)).ok());
  CHECK(texts(read_rows(*there, "d", "n")) == std::vector<std::string>{"20", "30"});
}

// Drops the dataset while it is searched.
class DroppingFilter final : public RowFilter {
 public:
  explicit DroppingFilter(Store& store) : store_(store) {}
  bool may_match(const SnapshotBlock& /*block*/) const override { return true; }
  Result<BlockMatch> match(StoredBlock& block) const override {
    static_cast<void>(store_.drop_dataset("d").ok());
    return BlockMatch{block.rows(), block.info().min_time, block.info().max_time};
  }

 private:
  Store& store_;
};

TEST_CASE("a dataset that is dropped meanwhile is not found, and not damaged") {
  const TempDirectory directory;
  const auto here = open_store(directory.path(), kFewRows);
  const auto there = open_store(directory.path(), kFewRows);
  REQUIRE(load(*here, "d", numbered_events(0, 3, 0, 1)).ok());
  QueryControl control;
  const auto removed = here->remove("d", DroppingFilter(*there), Removal::kCommit, control);
  REQUIRE_FALSE(removed.ok());
  CHECK(removed.error().code == ErrorCode::kNotFound);
  CHECK(removed.error().message == "dataset 'd' not found");

  std::atomic<bool> done = false;
  std::thread drops([&] {
    for (int i = 0; i < 200; ++i) {
      const auto loaded = load(*there, "d", numbered_events(i, 1, 0, 1));
      CHECK_MESSAGE(loaded.ok(), (loaded.ok() ? "" : loaded.error().message));
      const Status dropped = there->drop_dataset("d");
      CHECK_MESSAGE(dropped.ok(), (dropped.ok() ? "" : dropped.error().message));
    }
    done = true;
  });
  const auto check_reason = [](const auto& outcome) {
    const bool gone = !outcome.ok() && outcome.error().code == ErrorCode::kNotFound;
    CHECK_MESSAGE((outcome.ok() || gone), (outcome.ok() ? "" : outcome.error().message));
  };
  while (!done) {
    check_reason(here->snapshot("d"));
    check_reason(here->stats("d"));
    check_reason(here->fields("d"));
    check_reason(here->trim("d", 0, control));
    check_reason(here->maintain("d", Maintenance::kFull, control));
    const auto report = here->check(control);
    REQUIRE(report.ok());
    for (const CheckProblem& problem : report->problems) {
      FAIL_CHECK(problem.file << ": " << problem.message);
    }
  }
  drops.join();
}

TEST_CASE("a store that lost its catalog is not begun anew over its datasets") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), kFewRows), "d", numbered_events(0, 3, 0, 1)).ok());
  remove_catalog(directory.path());
  const auto store = open_store(directory.path(), kFewRows);
  const auto refused = load(*store, "d", numbered_events(3, 1, 0, 1));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kCorrupt);
  CHECK(refused.error().message.ends_with("/catalog.db: the catalog is missing"));
  CHECK(refused.error().hint == "restore it from a backup");
  CHECK(store->definitions().put_setting("a", "b").error().code == ErrorCode::kCorrupt);
  CHECK_FALSE(std::filesystem::exists(directory.path() + "/catalog.db"));
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  CHECK_FALSE(report->problems.empty());
}

TEST_CASE("a dataset whose file was emptied says so instead of being empty") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), kFewRows), "d", numbered_events(0, 9, 0, 1)).ok());
  const std::string path = directory.path() + "/datasets/1.db";
  std::filesystem::remove(path + "-wal");
  std::filesystem::resize_file(path, 0);
  const auto store = open_store(directory.path(), kFewRows);
  const auto snapshot = store->snapshot("d");
  REQUIRE_FALSE(snapshot.ok());
  CHECK(snapshot.error().code == ErrorCode::kCorrupt);
  CHECK(snapshot.error().message == path + ": the file has lost its contents");
  CHECK(load(*store, "d", numbered_events(9, 1, 0, 1)).error().code == ErrorCode::kCorrupt);
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  REQUIRE(report->problems.size() == 1);
  CHECK(report->problems[0].file == "datasets/1.db");
}

TEST_CASE("a store that took another's place is not written to by who had that open") {
  const TempDirectory directory;
  const std::string path = directory.path() + "/store";
  for (const bool wrote : {true, false}) {
    std::filesystem::remove_all(path);
    std::filesystem::remove_all(path + ".gone");
    REQUIRE(load(*open_store(path, kFewRows), "d", numbered_events(0, 3, 0, 1)).ok());
    const auto store = open_store(path, kFewRows);
    REQUIRE(store->snapshot("d").ok());
    if (wrote) {
      REQUIRE(load(*store, "d", numbered_events(3, 1, 0, 1)).ok());
    }
    std::filesystem::copy(path, path + ".copy", std::filesystem::copy_options::recursive);
    std::filesystem::rename(path, path + ".gone");
    std::filesystem::rename(path + ".copy", path);
    const auto refused = load(*store, "d", numbered_events(4, 1, 0, 1));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kIo);
    CHECK(refused.error().message.ends_with(": another file has taken its place"));
    const auto anew = open_store(path, kFewRows);
    REQUIRE(load(*anew, "d", numbered_events(4, 1, 0, 1)).ok());
    CHECK(anew->snapshot("d")->rows() == (wrote ? 5 : 4));
    QueryControl control;
    CHECK(anew->check(control)->problems.empty());
  }
}

TEST_CASE("what is not there is not found, not changed and not removed twice") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), kFewRows);
  Definitions& definitions = store->definitions();
  CHECK(definitions.change_dataset("missing", [](DatasetDefinition*) { return Status(); })
            .error()
            .code == ErrorCode::kNotFound);
  CHECK(store->drop_dataset("missing").error().code == ErrorCode::kNotFound);
  CHECK(store->fields("missing").error().code == ErrorCode::kNotFound);
  QueryControl control;
  CHECK(store->trim("missing", 0, control).error().code == ErrorCode::kNotFound);
  CHECK(store->maintain("missing", Maintenance::kFull, control).error().code ==
        ErrorCode::kNotFound);
  StoredObject object;
  object.id = "x";
  REQUIRE(definitions.put_object(object).ok());
  CHECK(definitions.remove_object(object.kind, "x", {}).value());
  CHECK_FALSE(definitions.remove_object(object.kind, "x", {}).value());
  REQUIRE(load(*store, "d", numbered_events(0, 1, 0, 1)).ok());
  const auto described = store->change_field("d", "none", [](FieldAttributes* /*known*/) {});
  REQUIRE_FALSE(described.ok());
  CHECK(described.error().code == ErrorCode::kNotFound);
  CHECK(described.error().message == "field 'none' not found in dataset 'd'");
}

}  // namespace
}  // namespace evq
