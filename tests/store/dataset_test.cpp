// Group commit from below: what the members of one group owe each other.
#include "store/dataset.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/base/thread_pool.h"
#include "store/block/block_writer.h"
#include "store/ingest/event_rules.h"
#include "store/segment_cache.h"
#include "store/stored_form.h"
#include "tests/support/load_events.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

FreshRows one_row(int number) {
  test::Loaded loaded = test::load_events("{\"n\":" + std::to_string(number) + "}\n");
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), 10};
}

// A write that stays inside its transaction until others had time to queue up behind it.
class SlowLeader {
 public:
  explicit SlowLeader(Dataset& dataset) : thread_([this, &dataset] { lead(dataset); }) {
    while (!leading_.load()) {
      std::this_thread::yield();
    }
  }
  void let_go() {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    enough_.store(true);
    thread_.join();
  }

 private:
  void lead(Dataset& dataset) {
    WriteJob wait;
    wait.apply = [this](DatasetWriter& /*writer*/) -> Status {
      leading_.store(true);
      while (!enough_.load()) {
        std::this_thread::yield();
      }
      return {};
    };
    CHECK(dataset.write(wait).ok());
  }

  std::atomic<bool> leading_{false};
  std::atomic<bool> enough_{false};
  std::thread thread_;
};

std::shared_ptr<Dataset> open_first_dataset(const std::string& directory) {
  DatabaseOptions options;
  options.path = directory + "/datasets/1.db";
  const auto dataset = Dataset::open("d", {.file_id = 1}, options);
  REQUIRE(dataset.ok());
  return *dataset;
}

TEST_CASE("a job that fails takes none of its group along, and nothing is there twice") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"n\":0}\n").ok());
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory.path());
  WriteJob fail;
  fail.apply = [](DatasetWriter& writer) -> Status {
    writer.take_ordinals(1000);
    return make_error(ErrorCode::kLimit, "no");
  };
  SlowLeader leader(*dataset);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([&, i] {
      const FreshRows rows = one_row(i);
      const auto counts = dataset->append({&rows, 4096, nullptr});
      REQUIRE(counts.ok());
      CHECK(counts->fresh.rows >= 2);
      CHECK(counts->fresh.chunks >= 2);
    });
    threads.emplace_back([&] {
      const Status failed = dataset->write(fail);
      REQUIRE_FALSE(failed.ok());
      CHECK(failed.error().message == "no");
    });
  }
  leader.let_go();
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<std::string> found = texts(read_rows(*store, "d", "n"));
  std::ranges::sort(found);
  CHECK(found == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(store->snapshot("d")->ordinal_end() == 4);
}

TEST_CASE("a group that has given up as a whole is not tried again") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"n\":0}\n").ok());
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory.path());
  QueryControl gone;
  std::atomic<int> calls{0};
  WriteJob last;  // the client's patience ends in it
  last.apply = [&](DatasetWriter& /*writer*/) {
    ++calls;
    gone.cancel();
    return gone.check();
  };
  WriteJob sound;
  sound.apply = [](DatasetWriter& /*writer*/) { return Status(); };
  SlowLeader leader(*dataset);
  std::vector<std::thread> threads;
  // Prepared beside the leader's transaction, so that the others mostly share the next one.
  threads.emplace_back([&] { CHECK(dataset->write(sound).ok()); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  constexpr int kWriters = 3;
  for (int i = 0; i < kWriters; ++i) {
    threads.emplace_back([&] {
      const WaitScope scope(gone);
      const Status written = dataset->write(last);
      REQUIRE_FALSE(written.ok());
      CHECK(written.error().code == ErrorCode::kCancelled);
    });
  }
  leader.let_go();
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(calls.load() >= 1);
  CHECK(calls.load() <= kWriters);  // once a group, however they are grouped
}

TEST_CASE("builders that admit what was before a renewal are not kept") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"n\":0}\n").ok());
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory.path());
  const IngestOptions plain;
  IngestOptions other;
  other.timestamp_field = "at";
  const auto admission = [&](const IngestOptions& options) {
    const auto pool = dataset->builders(options);
    REQUIRE(pool.ok());
    return (*pool)->rules()->admission;
  };
  for (int round = 0; round < 1000; ++round) {
    std::thread beside([&] { admission(plain); });
    dataset->renew_builders();
    admission(other);
    beside.join();
    REQUIRE(admission(plain) == admission(other));
  }
}

TEST_CASE("loads that fill more than a quarter of a block are stored as one") {
  constexpr std::uint32_t kSmallBlock = 3;
  const TempDirectory directory;
  auto store = open_store(directory.path(), kSmallBlock);
  DatasetDefinition definition;
  definition.name = "d";
  REQUIRE(store->definitions().create_dataset(definition).ok());
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory.path());
  SegmentCache cache(kMebibyte);
  ThreadPool pool(2);

  // Who comes first is prepared beside the leader's transaction, and the others mostly share the
  // next one; however they do, none of them fits into a chunk.
  std::atomic<std::uint32_t> created{0};
  SlowLeader leader(*dataset);
  std::vector<std::thread> threads;
  for (int i = 1; i <= 4; ++i) {
    threads.emplace_back([&, i] {
      const FreshRows rows = one_row(i);
      const auto done = dataset->append({&rows, kSmallBlock, &pool, &cache});
      REQUIRE(done.ok());
      CHECK(done->fresh.rows == 0);
      created += done->blocks_created;
    });
  }
  leader.let_go();
  for (std::thread& thread : threads) {
    thread.join();
  }
  CHECK(created.load() >= 2);
  CHECK(store->stats("d")->blocks == created.load());
  std::vector<std::string> found = texts(read_rows(*store, "d", "n"));
  std::ranges::sort(found);
  CHECK(found == std::vector<std::string>{"1", "2", "3", "4"});
  QueryControl control;
  CHECK(store->check(control)->problems.empty());
}

// What is done to a block's header before it is written.
using Craft = std::function<void(BlockHeader*)>;

// A block of one row as a form whose row, header and list of fields contradict each other.
Status insert_odd(const std::string& directory, const Table& table,
                  std::vector<std::pair<std::string, std::uint32_t>> fields, bool dense,
                  const Craft& craft = {}) {
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory);
  auto block = encode_block(table, Effort::kIngest);
  REQUIRE(block.ok());
  if (craft) {
    craft(&block->header);
  }
  StoredForm form = make_sealed(*std::move(block), 10);
  form.row.dense = dense;
  if (!fields.empty()) {
    form.fields = std::move(fields);
  }
  WriteJob job;
  job.room = Room::little();
  job.apply = [&](DatasetWriter& writer) { return insert_form(writer, form); };
  return dataset->write(job);
}

Table odd_table() {
  Table table;
  table.rows = 1;
  table.schema =
      Schema({{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}, {"i", Type::kLong}});
  table.columns = {Vector::constant(Value::datetime(5), 1),
                   Vector::constant(Value::datetime(77), 1),
                   Vector::constant(Value::integer(7), 1)};
  return table;
}

std::size_t problems_of(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  return report->problems.size();
}

TEST_CASE("a column of a type that its field never had is damage") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"j\":1}\n").ok());
  REQUIRE(insert_odd(directory.path(), odd_table(),
                     {{"i", 1U << static_cast<unsigned>(Type::kBool)}}, true)
              .ok());
  CHECK(problems_of(*store) == 1);
  const auto snapshot = store->snapshot("d");
  REQUIRE(snapshot.ok());
  auto block = snapshot->open(snapshot->blocks().back());
  REQUIRE(block.ok());
  const auto values = block->column("i");
  REQUIRE(values.ok());
  CHECK(block->widened(*values, Type::kDynamic).ok());
  const auto wrong = block->widened(*values, Type::kBool);
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().code == ErrorCode::kCorrupt);
  CHECK(wrong.error().message.find("block 2") != std::string::npos);
}

TEST_CASE("a block without the ordinals that readers take for granted is damage") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"i\":1}\n").ok());
  REQUIRE(insert_odd(directory.path(), odd_table(), {}, false).ok());
  CHECK(problems_of(*store) == 1);
  const auto snapshot = store->snapshot("d");
  REQUIRE(snapshot.ok());
  const auto block = snapshot->open(snapshot->blocks().back());
  REQUIRE_FALSE(block.ok());
  CHECK(block.error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a check lists so many problems of a file, and counts the others") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"i\":1}\n").ok());
  const std::shared_ptr<Dataset> dataset = open_first_dataset(directory.path());
  const auto add_strays = [&](std::uint64_t first, std::uint64_t count) {
    WriteJob job;
    job.apply = [=](DatasetWriter& writer) -> Status {
      for (std::uint64_t id = first; id < first + count; ++id) {
        EVQ_TRY(writer.insert_blob(BlobTable::kHeaders, {id, "of no block"}));
      }
      return {};
    };
    REQUIRE(dataset->write(job).ok());
  };
  add_strays(100, kCheckProblemsMax);
  CHECK(problems_of(*store) == kCheckProblemsMax);
  add_strays(100 + kCheckProblemsMax, 7);
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  REQUIRE(report->problems.size() == kCheckProblemsMax + 1);
  CHECK(report->problems.back().message == "… and 7 more problems");
}

// Eight bytes a row are read of times, and one was decoded. Read so, these are in order.
TEST_CASE("a block whose times are of another type is damage that a check only tells") {
  constexpr std::size_t kRows = 60000;
  Table table;
  table.rows = kRows;
  table.schema =
      Schema({{"_time", Type::kDatetime}, {"_sysTime", Type::kDatetime}, {"b", Type::kBool}});
  auto flags = Values::make(Type::kBool, kRows);
  for (std::size_t row = 0; row < kRows; ++row) {
    flags->mutable_data<std::uint8_t>()[row] = row % 8 == 0 ? 1 : 0;
  }
  table.columns = {Vector::constant(Value::datetime(5), kRows),
                   Vector::constant(Value::datetime(77), kRows), Vector::flat(std::move(flags))};
  Table short_last = table;  // which is stored behind those of times
  short_last.columns[2] = Vector::constant(Value::boolean(true), kRows);
  const auto widen = [](BlockHeader* header) {
    header->min_time = 0;
    header->max_time = std::numeric_limits<std::int64_t>::max();
    header->columns[*header->find("b")].name = "_time";
  };
  const Craft alone = [&](BlockHeader* header) {
    header->columns[*header->find("_time")].name = "x";
    widen(header);
  };
  const auto problems_with = [&](const Table& rows, const Craft& craft) {
    const TempDirectory directory;
    auto store = open_store(directory.path(), 65536);
    REQUIRE(load(*store, "d", "{\"i\":1}\n").ok());
    REQUIRE(insert_odd(directory.path(), rows, {}, true, craft).ok());
    return problems_of(*store);
  };
  CHECK(problems_with(table, alone) == 1);
  CHECK(problems_with(short_last, widen) == 0);  // the second of that name, which nobody reads
}

}  // namespace
}  // namespace evq
