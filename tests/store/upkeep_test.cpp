// What a store does besides what it is asked: space that is given back, datasets that are closed.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/on_scope_exit.h"
#include "store/base/process.h"
#include "store/catalog/sqlite.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

void change(const std::string& directory, const std::string& sql) {
  ConnectionOptions options;
  options.path = directory + "/datasets/1.db";
  options.writable = true;
  const auto connection = Connection::open(options);
  REQUIRE(connection.ok());
  REQUIRE((*connection)->execute(sql).ok());
}

// Four blocks of ten events; the second one's segments are bytes of nothing.
void make_damaged_blocks(const std::string& directory) {
  REQUIRE(load(*open_store(directory, 10), "d", numbered_events(0, 40, 0, 1), false).ok());
  change(directory, "UPDATE segments SET data = zeroblob(length(data)) WHERE id >> 14 = 2");
}

// Whether this process has the file open.
bool is_open(const std::string& path) {
  const auto names = list_directory("/proc/self/fd");
  REQUIRE(names.ok());
  return std::ranges::any_of(*names, [&](const std::string& name) {
    std::error_code gone;
    return std::filesystem::read_symlink("/proc/self/fd/" + name, gone) == path;
  });
}

// Longer than a file must have been left alone to be taken for unchanged.
void let_files_settle() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
}

// Deletes the blocks with an event whose field n is 3 beyond a multiple of ten.
class EndsInThree final : public RowFilter {
 public:
  bool may_match(const SnapshotBlock& /*block*/) const override { return true; }
  Result<BlockMatch> match(StoredBlock& block) const override {
    EVQ_TRY_ASSIGN(const Vector numbers, block.column("n"));
    BlockMatch match;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      match.rows += numbers.at<std::int64_t>(i) % 10 == 3 ? 1U : 0U;
    }
    return match;
  }
};

std::string problems_of(const Result<CheckReport>& report) {
  std::string all = report.ok() ? "" : report.error().message;
  for (std::size_t i = 0; report.ok() && i < report->problems.size(); ++i) {
    all += report->problems[i].file + ": " + report->problems[i].message + "\n";
  }
  return all;
}

// Blocks come, become others and go away between the parts of a check.
TEST_CASE("a check beside loads, compactions and deletes finds nothing damaged") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 50);
  constexpr int kRounds = 300;
  std::atomic<int> round = 0;
  std::thread writer([&] {
    QueryControl control;
    for (; round < kRounds; ++round) {
      CHECK(load(*store, "d", numbered_events(round * 40, 40, round, 1), round % 3 != 0).ok());
      if (round % 4 == 3) {
        CHECK(store->remove("d", EndsInThree(), Removal::kCommit, control).ok());
        CHECK(store->maintain("d", Maintenance::kFull, control).ok());
      }
    }
  });
  std::uint64_t blocks = 0;
  QueryControl control;
  while (round < kRounds) {
    const auto report = store->check(control);
    CHECK(problems_of(report) == "");
    blocks += report.ok() ? report->blocks : 0;
  }
  writer.join();
  CHECK(blocks > 0);
}

TEST_CASE("a compaction that is cancelled stops, and the next one ends its work") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "d", numbered_events(0, 20000, 0, 1)).ok());
  QueryControl control;
  REQUIRE(store->trim("d", INT64_MAX, control).value() == 20000);
  const std::uint64_t before = store->stats("d")->file_bytes;
  control.cancel();
  CHECK(store->maintain("d", Maintenance::kFull, control).error().code == ErrorCode::kCancelled);
  QueryControl again;
  REQUIRE(store->maintain("d", Maintenance::kFull, again).ok());
  CHECK(store->stats("d")->file_bytes < before);
}

TEST_CASE("a merge takes in as many columns as it may, counted in each chunk") {
  constexpr std::size_t kChunks = 8;
  constexpr std::size_t kFieldsOfEvent = 900;
  for (const std::size_t past : {0U, 1U}) {
    // Beside those of its events each chunk has _time and _sysTime.
    const std::size_t fields = kMergedColumnsMax / kChunks - 2 + past;
    std::string events;
    for (std::size_t field = 0; field < fields; ++field) {
      events += field % kFieldsOfEvent != 0 ? "," : field == 0 ? "{" : "}\n{";
      events += "\"f" + std::to_string(field) + "\":1";
    }
    events += "}\n";
    const TempDirectory directory;
    const auto store = open_store(directory.path(), 1000);
    for (std::size_t chunk = 0; chunk < kChunks; ++chunk) {
      REQUIRE(load(*store, "d", events).ok());
    }
    REQUIRE(store->snapshot("d")->blocks().size() == kChunks);
    QueryControl control;
    REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
    CHECK(store->stats("d")->blocks == 1 + past);
    CHECK(store->snapshot("d")->rows() == kChunks * (fields / kFieldsOfEvent + 1));
  }
}

TEST_CASE("a merge makes no chunk of more events than a chunk may have") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), kBlockRowsMax);
  std::string text;
  for (int i = 0; i < 100; ++i) {
    text += "{\"_time\":" + std::to_string(i) + ",\"s\":\"" + std::string(4500, 'x') + "\"}\n";
  }
  std::uint64_t loads = 0;
  for (; loads * text.size() < 2 * kFreshChunkBytesMax; ++loads) {
    REQUIRE(load(*store, "d", text).ok());
  }
  const auto snapshot = store->snapshot("d");
  REQUIRE(snapshot.ok());
  CHECK(snapshot->rows() == loads * 100);
  CHECK(snapshot->blocks().size() < loads);
  for (const SnapshotBlock& block : snapshot->blocks()) {
    CHECK((!block.fresh || block.raw_bytes <= kFreshChunkBytesMax));
  }
}

TEST_CASE("a damaged block stays, and those around it are merged") {
  const TempDirectory directory;
  make_damaged_blocks(directory.path());
  const auto store = open_store(directory.path(), 1000);
  QueryControl control;
  const Status merged = store->maintain("d", Maintenance::kFull, control);
  REQUIRE_FALSE(merged.ok());
  CHECK(merged.error().code == ErrorCode::kCorrupt);
  CHECK(merged.error().message.find("datasets/1.db: block 2: column") != std::string::npos);
  CHECK(store->stats("d")->blocks == 3);
  CHECK(store->stats("d")->rows == 40);
  std::vector<std::string> problems;
  const auto sound = store->sound_snapshot("d", {INT64_MIN, INT64_MAX, control}, &problems);
  REQUIRE(sound.ok());
  CHECK(sound->rows() == 30);
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].find("datasets/1.db: block 2: ") != std::string::npos);
  CHECK(read_rows(*sound, "n").size() == 30);
}

TEST_CASE("check tells of bytes that belong to no block, and to no column of one") {
  const TempDirectory directory;
  REQUIRE(load(*open_store(directory.path(), 10), "d", numbered_events(0, 10, 0, 1), false).ok());
  const auto problems = [&] {
    QueryControl control;
    const auto report = open_store(directory.path(), 10)->check(control);
    REQUIRE(report.ok());
    return report->problems;
  };
  CHECK(problems().empty());
  SUBCASE("block") {
    change(directory.path(), "INSERT INTO segments VALUES((9 << 14) | 1, x'00')");
    const auto found = problems();
    REQUIRE(found.size() == 1);
    CHECK(found[0].block == 9);
    CHECK(found[0].message == "there are bytes of a block that is not listed");
  }
  SUBCASE("column") {
    change(directory.path(), "INSERT INTO segments VALUES((1 << 14) | 99, x'00')");
    const auto found = problems();
    REQUIRE(found.size() == 1);
    CHECK(found[0].block == 1);
    CHECK(found[0].message == "there are bytes of a column that it does not have");
  }
}

TEST_CASE("a delete goes past a damaged block and says so") {
  const TempDirectory directory;
  make_damaged_blocks(directory.path());
  const auto store = open_store(directory.path(), 10);
  QueryControl control;
  for (const Removal removal : {Removal::kDryRun, Removal::kCommit}) {
    const auto report = store->remove("d", EndsInThree(), removal, control);
    REQUIRE(report.ok());
    CHECK(report->blocks_deleted == 3);
    CHECK(report->rows_matched == 3);
    CHECK(report->blocks_damaged == 1);
    REQUIRE_FALSE(report->damage.ok());
    CHECK(report->damage.error().message.find("block 2: column 'n'") != std::string::npos);
    CHECK(store->stats("d")->rows == (removal == Removal::kCommit ? 10 : 40));
  }
}

TEST_CASE("upkeep does not open a dataset whose files nobody has changed") {
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.open_datasets_max = 1;
  options.block_rows = 3;
  options.background_upkeep = true;
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  const auto store = std::move(opened).value();
  REQUIRE(load(*store, "one", numbered_events(0, 1, 0, 1)).ok());
  REQUIRE(load(*store, "two", numbered_events(0, 1, 0, 1)).ok());
  QueryControl control;
  const auto opens_one = [&] {
    REQUIRE(store->maintain("two", Maintenance::kDue, control).ok());
    REQUIRE(store->snapshot("two").ok());  // the only one that stays open
    REQUIRE(store->maintain("one", Maintenance::kDue, control).ok());
    return is_open(directory.path() + "/datasets/1.db");
  };
  CHECK(opens_one());  // changed just now
  let_files_settle();
  CHECK(opens_one());
  CHECK_FALSE(opens_one());
  {
    const auto other = Store::open(options);  // as another process would
    REQUIRE(other.ok());
    for (int i = 1; i < 3; ++i) {
      REQUIRE(load(**other, "one", numbered_events(i, 1, i, 1)).ok());
    }
  }
  CHECK(opens_one());
  CHECK(store->stats("one")->blocks == 1);
  CHECK(store->stats("one")->fresh_chunks == 0);
}

TEST_CASE("small blocks are merged when nobody has written for some seconds") {
  const TempDirectory directory;
  const auto store = open_store(directory.path(), 10);
  for (int i = 0; i < 3; ++i) {
    REQUIRE(load(*store, "d", numbered_events(5 * i, 5, 5 * i, 1)).ok());
  }
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  CHECK(store->stats("d")->blocks == 3);
  let_files_settle();
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  CHECK(store->stats("d")->blocks == 2);
  CHECK(store->stats("d")->rows == 15);
  let_files_settle();
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  CHECK(store->stats("d")->blocks == 2);  // only one of them is small
}

// The rows of a dataset before and after its only event, which has so many seconds to live,
// outlives its retention; nothing when it had done so before anybody looked.
std::optional<std::pair<std::uint64_t, std::uint64_t>> rows_around_the_end(std::int64_t seconds) {
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.background_upkeep = true;
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  const auto store = std::move(opened).value();
  const std::int64_t day_ago_s = wall_clock_now_ns() / 1'000'000'000 - 86'400;
  REQUIRE(load(*store, "d", "{\"_time\":" + std::to_string(day_ago_s + seconds) + "}\n").ok());
  const auto retain_a_day = [](DatasetDefinition* definition) -> Status {
    definition->use_retention = true;
    definition->retention_days = 1;
    return {};
  };
  REQUIRE(store->definitions().change_dataset("d", retain_a_day).ok());
  QueryControl control;
  let_files_settle();
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  const std::uint64_t before = store->stats("d")->rows;
  const std::int64_t left_s = day_ago_s + seconds - (wall_clock_now_ns() / 1'000'000'000 - 86'400);
  if (left_s <= 0) {
    return std::nullopt;
  }
  std::this_thread::sleep_for(std::chrono::seconds(left_s + 1));
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  return std::pair(before, store->stats("d")->rows);
}

TEST_CASE("events that outlive their retention in a file that nobody changes are removed") {
  std::optional<std::pair<std::uint64_t, std::uint64_t>> rows;
  for (std::int64_t seconds = 4; !rows.has_value(); seconds *= 2) {  // a slow machine takes longer
    rows = rows_around_the_end(seconds);
  }
  CHECK(rows->first == 1);
  CHECK(rows->second == 0);
}

TEST_CASE("a damaged chunk stays, and what is around it is merged") {
  const TempDirectory directory;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(load(*open_store(directory.path(), 1000), "d", numbered_events(i, 1, i, 1)).ok());
  }
  change(directory.path(), "UPDATE chunks SET data = zeroblob(length(data)) WHERE id = 2");
  const auto store = open_store(directory.path(), 1000);
  for (int i = 3; i < 200; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i, 1, i, 1)).ok());
  }
  CHECK(store->stats("d")->fresh_chunks < 100);
  QueryControl control;
  CHECK(store->maintain("d", Maintenance::kFull, control).error().code == ErrorCode::kCorrupt);
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

TEST_CASE("who is short of descriptors closes what nobody uses, and opens no more while it is") {
  constexpr int kDatasets = 120;
  const TempDirectory directory;
  const auto open_files = [] { return list_directory("/proc/self/fd").value().size(); };
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
  rlimit few = before;
  few.rlim_cur = open_files() + 200;
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  const OnScopeExit restore([&] { static_cast<void>(::setrlimit(RLIMIT_NOFILE, &before)); });
  StoreOptions options;
  options.directory = directory.path();
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  const auto store = std::move(opened).value();
  const auto name_of = [](int i) { return "d" + std::to_string(i); };
  for (int i = 0; i < kDatasets; ++i) {
    REQUIRE(load(*store, name_of(i), numbered_events(i, 1, 0, 1)).ok());
  }
  CHECK(open_files() < few.rlim_cur * 3 / 4);  // so few stay open
  std::vector<Snapshot> query;
  Status ended;
  for (int i = 0; i < kDatasets && ended.ok(); ++i) {
    auto snapshot = store->snapshot(name_of(i));
    if (snapshot.ok()) {
      query.push_back(std::move(snapshot).value());
    } else {
      ended = snapshot.error();
    }
  }
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().code == ErrorCode::kUnavailable);
  CHECK(ended.error().message.find("too many files are open") != std::string::npos);
  CHECK(open_files() + 10 < few.rlim_cur);  // those of connections and answers
  query.clear();
  for (int i = 0; i < kDatasets; ++i) {
    REQUIRE(load(*store, name_of(i), numbered_events(i, 1, 0, 1)).ok());
  }
}

TEST_CASE("upkeep closes what a query over many datasets left open") {
  constexpr int kDatasets = 8;
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.open_datasets_max = 3;
  options.background_upkeep = true;
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  const auto store = std::move(opened).value();
  const auto name_of = [](int i) { return "d" + std::to_string(i); };
  std::vector<Snapshot> query;
  for (int i = 1; i <= kDatasets; ++i) {
    REQUIRE(load(*store, name_of(i), numbered_events(i, 1, 0, 1)).ok());
    auto snapshot = store->snapshot(name_of(i));
    REQUIRE(snapshot.ok());
    query.push_back(std::move(snapshot).value());
  }
  const auto count_open = [&] {
    int open = 0;
    for (int i = 1; i <= kDatasets; ++i) {
      open += is_open(directory.path() + "/datasets/" + std::to_string(i) + ".db") ? 1 : 0;
    }
    return open;
  };
  store->close_unused();
  CHECK(count_open() == kDatasets);  // in use
  query.clear();
  store->close_unused();
  CHECK(count_open() == 3);
}

TEST_CASE("upkeep closes the files of a dataset that another process has dropped") {
  const TempDirectory directory;
  const auto here = open_store(directory.path(), 16);
  const auto there = open_store(directory.path(), 16);
  for (const char* name : {"a", "b"}) {
    REQUIRE(load(*here, name, numbered_events(0, 3, 0, 1)).ok());
  }
  auto in_use = here->snapshot("b");
  REQUIRE(in_use.ok());
  const std::size_t before = count_descriptors();
  REQUIRE(there->drop_dataset("a").ok());
  REQUIRE(there->drop_dataset("b").ok());
  here->close_unused();
  const std::size_t without_one = count_descriptors();
  CHECK(without_one < before);
  CHECK(read_rows(*in_use, "n").size() == 3);
  in_use = here->snapshot("b");
  CHECK_FALSE(in_use.ok());
  CHECK(count_descriptors() < without_one);
}

}  // namespace
}  // namespace evq
