// The store as its callers see it: load, read, seal, merge, delete, trim, check.
#include "store/store.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/base/file_lock.h"
#include "store/base/time.h"
#include "store/catalog/sqlite.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

// Deletes the blocks that hold an event whose field n is one of `wanted`.
class NumbersFilter final : public RowFilter {
 public:
  explicit NumbersFilter(std::vector<std::int64_t> wanted) : wanted_(std::move(wanted)) {}
  bool may_match(const SnapshotBlock& /*block*/) const override { return true; }
  Result<BlockMatch> match(StoredBlock& block) const override {
    EVQ_TRY_ASSIGN(const Vector numbers, block.column("n"));
    EVQ_TRY_ASSIGN(const Vector times, block.column("_time"));
    BlockMatch match;
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const bool hit = !numbers.is_null(i) &&
                       std::ranges::find(wanted_, numbers.at<std::int64_t>(i)) != wanted_.end();
      if (hit) {
        const auto time = times.at<std::int64_t>(i);
        match.first_time = match.rows == 0 ? time : match.first_time;
        match.last_time = time;
        ++match.rows;
      }
    }
    return match;
  }

 private:
  std::vector<std::int64_t> wanted_;
};

std::vector<std::string> numbers(int first, int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    out.push_back(std::to_string(first + i));
  }
  return out;
}

void require_clean(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  for (const CheckProblem& problem : report->problems) {
    FAIL_CHECK(problem.file << ": " << problem.message);
  }
}

TEST_CASE("events are there at once, in this process and after reopening") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  const auto report = load(*store, "d", numbered_events(0, 5, 0, 1) + "not json\n");
  REQUIRE(report.ok());
  CHECK(report->counts.ingested == 5);
  CHECK(report->counts.failed == 1);
  CHECK(report->blocks_created == 0);
  CHECK(report->fresh_chunks == 1);
  CHECK(report->fresh_rows == 5);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 5));
  store = open_store(directory.path(), 100);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 5));
  const auto snapshot = store->snapshot("d");
  CHECK(snapshot->schema().size() == 3);
  CHECK(snapshot->schema()[0].name == "_time");
  CHECK(snapshot->schema()[2] == Field{"n", Type::kLong});
  require_clean(*store);
}

TEST_CASE("large loads seal blocks, the rest is a fresh chunk") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (const bool atomic : {true, false}) {
    CAPTURE(atomic);
    const std::string name = atomic ? "a" : "b";
    const auto report = load(*store, name, numbered_events(0, 330, 0, 1), atomic);
    REQUIRE(report.ok());
    CHECK(report->blocks_created == 3);
    CHECK(report->fresh_chunks == 1);
    CHECK(texts(read_rows(*store, name, "n")) == numbers(0, 330));
  }
  require_clean(*store);
}

TEST_CASE("fresh chunks are sealed when they fill a block, and rows keep their ids") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 20);
  std::vector<ReadRow> before;
  // Times go back and forth and repeat, so that arrival order and time order differ.
  for (int i = 0; i < 9; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i * 3, 3, (i * 7) % 5, i % 2)).ok());
    const auto now = read_rows(*store, "d", "n");
    CHECK(now.size() == static_cast<std::size_t>(3 * (i + 1)));
    // Every row that was there is still there under the same id.
    for (const ReadRow& row : before) {
      const auto same = std::ranges::find(now, row.id, &ReadRow::id);
      REQUIRE(same != now.end());
      CHECK(same->text == row.text);
    }
    before = now;
  }
  CHECK(store->stats("d")->blocks >= 1);
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(store->stats("d")->fresh_chunks == 0);
  const auto after = read_rows(*store, "d", "n");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i].id == before[i].id);
    CHECK(after[i].text == before[i].text);
  }
  require_clean(*store);
}

TEST_CASE("equal times keep their order of arrival") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 10);
  for (int i = 0; i < 12; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i * 2, 2, 0, 0)).ok());
  }
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 24));
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 24));
}

TEST_CASE("types of a field merge across chunks without losing values") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (const char* event :
       {R"({"_time":1,"n":1})", R"({"_time":2,"n":2.5})", R"({"_time":3,"n":null})",
        R"({"_time":4,"n":"x"})", R"({"_time":5,"m":true})"}) {
    REQUIRE(load(*store, "d", event).ok());
  }
  CHECK(store->snapshot("d")->schema()[2] == Field{"n", Type::kDynamic});
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(texts(read_rows(*store, "d", "n")) ==
        std::vector<std::string>{"1", "2.5", "null", "\"x\"", "null"});
  REQUIRE(load(*store, "e", R"({"_time":1,"n":9007199254740993})").ok());
  REQUIRE(load(*store, "e", R"({"_time":2,"n":0.5})").ok());
  CHECK(store->snapshot("e")->schema()[2] == Field{"n", Type::kDynamic});
  REQUIRE(store->maintain("e", Maintenance::kFull, control).ok());
  CHECK(store->stats("e")->blocks == 1);
  CHECK(texts(read_rows(*store, "e", "n")) == std::vector<std::string>{"9007199254740993", "0.5"});
  require_clean(*store);
}

TEST_CASE("columns are merged by name, wherever their chunks have them") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (const char* event :
       {R"({"_time":1,"a":"a1","b":1,"c":true})", R"({"_time":2,"c":false,"a":"a2"})",
        R"({"_time":3,"d":4.5})", R"({"_time":4,"b":2,"d":5.5,"c":true,"a":"a4"})"}) {
    REQUIRE(load(*store, "d", event).ok());
  }
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  REQUIRE(store->snapshot("d")->blocks().size() == 1);
  using Texts = std::vector<std::string>;
  CHECK(texts(read_rows(*store, "d", "a")) == Texts{"a1", "a2", "null", "a4"});
  CHECK(texts(read_rows(*store, "d", "b")) == Texts{"1", "null", "null", "2"});
  CHECK(texts(read_rows(*store, "d", "c")) == Texts{"true", "false", "null", "true"});
  CHECK(texts(read_rows(*store, "d", "d")) == Texts{"null", "null", "4.5", "5.5"});
}

TEST_CASE("a snapshot sees what was there when it was taken") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 10);
  REQUIRE(load(*store, "d", numbered_events(0, 25, 0, 1)).ok());
  const auto snapshot = store->snapshot("d");
  REQUIRE(snapshot.ok());
  REQUIRE(load(*store, "d", numbered_events(25, 25, 100, 1)).ok());
  QueryControl control;
  REQUIRE(store->remove("d", NumbersFilter({3, 30}), Removal::kCommit, control).ok());
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  REQUIRE(store->drop_dataset("d").ok());
  CHECK(texts(read_rows(*snapshot, "n")) == numbers(0, 25));
}

TEST_CASE("delete takes whole blocks, and only when told to") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 10);
  REQUIRE(load(*store, "d", numbered_events(0, 40, 0, 1)).ok());
  QueryControl control;
  const NumbersFilter doomed({3, 4, 35});
  for (const Removal removal : {Removal::kDryRun, Removal::kCommit}) {
    const auto report = store->remove("d", doomed, removal, control);
    REQUIRE(report.ok());
    CHECK(report->rows_matched == 3);
    CHECK(report->rows_deleted == 20);
    CHECK(report->blocks_deleted == 2);
    CHECK(report->first_matched_time == 1'600'000'003'000'000'000);
    CHECK(report->last_matched_time == 1'600'000'035'000'000'000);
    CHECK(store->snapshot("d")->rows() == (removal == Removal::kCommit ? 20U : 40U));
  }
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(10, 20));
  const auto nothing = store->remove("d", doomed, Removal::kCommit, control);
  CHECK(nothing->rows_matched == 0);
  CHECK_FALSE(nothing->first_matched_time.has_value());
  CHECK(store->stats("d")->queued_blocks == 0);
  require_clean(*store);
}

TEST_CASE("trim removes blocks that are wholly older") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 10);
  REQUIRE(load(*store, "d", numbered_events(0, 40, 0, 1)).ok());
  QueryControl control;
  CHECK(store->trim("d", 1'600'000'015'000'000'000, control).value() == 10);
  CHECK(store->trim("d", 1'600'000'015'000'000'000, control).value() == 0);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(10, 30));
}

TEST_CASE("more blocks than one step of a removal takes vanish at once") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 2);
  REQUIRE(load(*store, "d", numbered_events(0, 2000, 0, 1)).ok());
  REQUIRE(store->stats("d")->blocks == 1000);
  QueryControl control;
  CHECK(store->trim("d", 1'600'000'000'000'000'000 + 1'900'000'000'000, control).value() == 1900);
  CHECK(store->stats("d")->queued_blocks == 0);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(1900, 100));
  require_clean(*store);
}

TEST_CASE("events are kept for ever when that is how long they are to be kept") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 10);
  REQUIRE(load(*store, "d", numbered_events(0, 40, 0, 1)).ok());
  const auto keep_for = [&](std::int64_t days) {
    const auto change = [&](DatasetDefinition* known) {
      known->use_retention = true;
      known->retention_days = days;
      return Status();
    };
    REQUIRE(store->definitions().change_dataset("d", change).ok());
  };
  QueryControl control;
  for (const std::int64_t days : {std::int64_t{100'000}, std::int64_t{200'000}, INT64_MAX}) {
    keep_for(days);
    REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
    CHECK(store->stats("d")->rows == 40);
  }
  keep_for(1);
  REQUIRE(store->maintain("d", Maintenance::kDue, control).ok());
  CHECK(store->stats("d")->rows == 0);
}

TEST_CASE(
    "a process that starts on a clock far ahead of the last one's removes nothing that is old") {
  const TempDirectory directory;
  const auto rows_left = [&] {
    auto store = open_store(directory.path(), 10);
    REQUIRE(load(*store, "d", numbered_events(0, 40, 0, 1)).ok());
    const auto keep_a_day = [](DatasetDefinition* known) {
      known->use_retention = true;
      known->retention_days = 1;
      return Status();
    };
    REQUIRE(store->definitions().change_dataset("d", keep_a_day).ok());
    QueryControl control;
    REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
    return store->stats("d")->rows;
  };
  const auto put = [&](std::string_view setting, std::int64_t days_ago) {
    REQUIRE(open_store(directory.path(), 10)
                ->definitions()
                .put_setting(setting, std::to_string(wall_clock_now_ns() - days_ago * kDayNs))
                .ok());
  };
  CHECK(rows_left() == 0);
  CHECK(rows_left() == 0);
  put("clock.steady", 30);
  CHECK(rows_left() == 40);
  CHECK(rows_left() == 80);
  // A day after a process doubted it, the clock is believed, but not for an older doubt.
  put("clock.doubted", 2);
  CHECK(rows_left() == 0);
  put("clock.doubted", 31);
  put("clock.steady", 30);
  CHECK(rows_left() == 40);
  CHECK(rows_left() == 80);
  put("clock.doubted", -1);  // of a clock that was ahead, and was set right
  put("clock.steady", 30);
  CHECK(rows_left() == 120);
  put("clock.doubted", 2);
  CHECK(rows_left() == 0);
}

TEST_CASE("compaction merges small neighbours and gives space back") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (int i = 0; i < 10; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i * 50, 50, i * 50, 1)).ok());
  }
  CHECK(store->stats("d")->blocks == 10);
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(store->stats("d")->blocks == 5);
  CHECK(store->stats("d")->rows == 500);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 500));
  require_clean(*store);
}

TEST_CASE("many small loads fill blocks, and what is left over stays fresh") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (int i = 0; i < 36; ++i) {
    REQUIRE(load(*store, "d", numbered_events(i * 7, 7, i * 7, 1)).ok());
  }
  const auto stats = store->stats("d");
  REQUIRE(stats.ok());
  CHECK(stats->blocks == 2);
  CHECK(stats->rows - stats->fresh_rows == 2 * 98);
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, 252));
  require_clean(*store);
}

// The blocks of large loads keep the chunks between them from being merged with later ones.
TEST_CASE("chunks between blocks are sealed when they fill one together, or are too many") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 1000);
  int next = 0;
  const auto load_rows = [&](int rows) {
    REQUIRE(load(*store, "d", numbered_events(next, rows, next, 1)).ok());
    next += rows;
  };
  for (int i = 0; i < 6; ++i) {
    load_rows(180);
    load_rows(600);
  }
  CHECK(store->stats("d")->fresh_rows < 1000);
  for (int i = 0; i < 90; ++i) {
    load_rows(1);
    CHECK(store->stats("d")->fresh_chunks <= 64);
  }
  for (int i = 0; i < 70; ++i) {
    load_rows(1);
    load_rows(600);
    CHECK(store->stats("d")->fresh_chunks <= 64);
  }
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, next));
  require_clean(*store);
}

TEST_CASE("a load says how many chunks are left to be sealed, also when it merged some") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 200);
  bool fewer = false;
  std::uint32_t before = 0;
  for (int i = 0; i < 150; ++i) {
    const auto report = load(*store, "d", numbered_events(i * 2, 2, i * 2, 1));
    REQUIRE(report.ok());
    const auto stats = store->stats("d");
    CHECK(report->fresh_chunks == stats->fresh_chunks);
    CHECK(report->fresh_rows == stats->fresh_rows);
    fewer = fewer || report->fresh_chunks <= before;
    before = report->fresh_chunks;
  }
  CHECK(fewer);
}

// Whoever waits for the write lock with a snapshot open keeps the write-ahead file from starting
// over, and may be waited for by the one who has the lock.
TEST_CASE("merges and deletes wait for their turn without a snapshot") {
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.block_rows = 16;
  options.background_upkeep = true;  // loads leave merging to maintain()
  auto opened = Store::open(options);
  REQUIRE(opened.ok());
  Store& store = **opened;
  const std::string path = directory.path() + "/datasets/1.db";
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 8; ++i) {
      REQUIRE(load(store, "d", numbered_events((round * 8 + i) * 4, 4, i, 1)).ok());
    }
    auto lock = FileLock::acquire(path + ".lock", 60000);
    REQUIRE(lock.ok());
    std::atomic<bool> done{false};
    std::thread waiting([&] {
      QueryControl control;
      const NumbersFilter doomed({std::int64_t{round} * 32});
      CHECK((round % 2 == 0 ? store.maintain("d", Maintenance::kDue, control).ok()
                            : store.remove("d", doomed, Removal::kCommit, control).ok()));
      done.store(true);
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ConnectionOptions direct;
    direct.path = path;
    direct.writable = true;
    direct.busy_ms = 60000;  // while the snapshot that is merged from is open
    auto connection = Connection::open(direct);
    REQUIRE(connection.ok());
    CHECK((*connection)->checkpoint(Checkpoint::kTruncate).ok());
    CHECK_FALSE(done.load());
    lock->release();
    waiting.join();
  }
  require_clean(store);
}

TEST_CASE("fields can be described") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "d", R"({"_time":1,"n":1,"b":{"c":"x"}})").ok());
  const auto describe = [](FieldAttributes* attributes) {
    attributes->unit += "m";
    attributes->description = "how long";
    attributes->hidden = !attributes->hidden;
  };
  REQUIRE(store->change_field("d", "n", describe).ok());
  const auto changed =
      store->change_field("d", "n", [](FieldAttributes* attributes) { attributes->unit += "s"; });
  REQUIRE(changed.ok());
  CHECK(changed->description == "how long");
  CHECK(store->change_field("d", "q", describe).error().code == ErrorCode::kNotFound);
  const auto fields = store->fields("d");
  REQUIRE(fields.ok());
  const auto n = std::ranges::find(*fields, "n", &FieldInfo::name);
  REQUIRE(n != fields->end());
  CHECK(n->type == Type::kLong);
  CHECK(n->attributes.unit == "ms");
  CHECK(n->attributes.hidden);
  CHECK(std::ranges::find(*fields, "b.c", &FieldInfo::name) != fields->end());
}

TEST_CASE("concurrent loads all land, each whole") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 64);
  constexpr int kThreads = 8;
  constexpr int kLoads = 20;
  std::vector<std::thread> threads;
  std::vector<int> failed(kThreads, 0);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kLoads; ++i) {
        const int first = (t * kLoads + i) * 3;
        failed[static_cast<std::size_t>(t)] +=
            load(*store, "d", numbered_events(first, 3, first, 1)).ok() ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(failed == std::vector<int>(kThreads, 0));
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, kThreads * kLoads * 3));
  CHECK(store->stats("d")->fresh_chunks < 64);
  require_clean(*store);
}

// While one load is being written, others come; what they bring is written together.
TEST_CASE("loads that wait for the same commit share a chunk, each with its own report") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", numbered_events(0, 1, 0, 1)).ok());
  constexpr int kThreads = 6;
  int loads = 1;
  // Who comes in time is up to the threads, so the lock is held until some did.
  while (store->stats("d")->fresh_chunks == static_cast<std::uint64_t>(loads) && loads < 600) {
    auto lock = FileLock::acquire(directory.path() + "/datasets/1.db.lock", 60000);
    REQUIRE(lock.ok());
    std::vector<std::thread> threads;
    std::vector<std::string> reports(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const int first = loads + t;
        const auto report = load(*store, "d",
                                 std::string(static_cast<std::size_t>(t), '\n') + "broken\n" +
                                     numbered_events(first, 1, first, 1));
        if (report.ok() && report->counts.failures.size() == 1) {
          reports[static_cast<std::size_t>(t)] =
              std::to_string(report->counts.ingested) + " " +
              std::to_string(report->counts.failures[0].line) + " " +
              std::to_string(report->counts.processed_bytes - static_cast<std::uint64_t>(t)) + " " +
              (report->fresh_chunks > 1 ? "fresh" : "none");
        }
      });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    lock->release();
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (int t = 0; t < kThreads; ++t) {
      const std::size_t bytes = 7 + numbered_events(loads + t, 1, loads + t, 1).size();
      CHECK(reports[static_cast<std::size_t>(t)] ==
            "1 " + std::to_string(t + 1) + " " + std::to_string(bytes) + " fresh");
    }
    loads += kThreads;
  }
  CHECK(store->stats("d")->fresh_chunks < static_cast<std::uint64_t>(loads));
  CHECK(texts(read_rows(*store, "d", "n")) == numbers(0, loads));
  require_clean(*store);
}

// Small loads of all kinds of columns, some of which come late, go, or change their type.
std::string varied_events(int load_number) {
  std::string text;
  for (int i = 0; i < 6; ++i) {
    const int n = load_number * 6 + i;
    const std::string number = std::to_string(n);
    text += "{\"_time\":" + std::to_string(1'600'000'000 + n * 7 % 50) + ",\"n\":" + number;
    text += ",\"kind\":\"" + std::to_string(n % 3) + "\",\"text\":\"event " + number + "\"";
    text += load_number % 2 == 0 ? ",\"real\":" + number : ",\"real\":" + number + ".5";
    text += n % 4 == 0 ? ",\"some\":\"x\"" : load_number % 3 == 0 ? ",\"late\":true" : "";
    text += (n % 5 == 0 ? ",\"list\":[1,\"" + number + "\"],\"none\":null" : "");
    text += "}\n";
  }
  return text;
}

std::vector<std::string> all_fields(const Snapshot& snapshot) {
  std::vector<std::string> rows;
  for (const char* field : {"n", "kind", "text", "real", "some", "late", "list", "none", "_time"}) {
    for (const ReadRow& row : read_rows(snapshot, field)) {
      rows.push_back(std::string(field) + " " + std::to_string(row.id.ordinal) + " " + row.text);
    }
  }
  return rows;
}

TEST_CASE("rows that a cache still has are merged from it, and are those that were stored") {
  for (const bool full : {false, true}) {
    std::vector<std::vector<std::string>> seen;
    for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{20000}, kMebibyte}) {
      const TempDirectory directory;
      StoreOptions options;
      options.directory = directory.path();
      options.block_rows = 100;
      options.cache_bytes = cache_bytes;
      options.background_upkeep = true;
      auto store = Store::open(options);
      REQUIRE(store.ok());
      for (int i = 0; i < 20; ++i) {
        REQUIRE(load(**store, "d", varied_events(i)).ok());
      }
      std::optional<Snapshot> before = (*store)->snapshot("d").value();
      std::vector<std::string> rows = all_fields(*before);
      if (full) {
        before.reset();  // what is deleted is given back to the disk, which waits for readers
      }
      QueryControl control;
      REQUIRE((*store)->maintain("d", full ? Maintenance::kFull : Maintenance::kDue, control).ok());
      CHECK((*store)->stats("d")->blocks != 0);
      CHECK(all_fields(*(*store)->snapshot("d")) == rows);
      CHECK((!before || all_fields(*before) == rows));
      require_clean(**store);
      seen.push_back(std::move(rows));
    }
    CHECK(seen[0].size() == 9 * 120);
    CHECK(seen[1] == seen[0]);
    CHECK(seen[2] == seen[0]);
  }
}

TEST_CASE("decoded columns are kept within their budget") {
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path();
  options.block_rows = 10;
  options.cache_bytes = 4096;
  auto store = Store::open(options);
  REQUIRE(store.ok());
  REQUIRE(load(**store, "d", numbered_events(0, 200, 0, 1)).ok());
  for (int round = 0; round < 3; ++round) {
    CHECK(texts(read_rows(**store, "d", "n")) == numbers(0, 200));
  }
}

}  // namespace
}  // namespace evq
