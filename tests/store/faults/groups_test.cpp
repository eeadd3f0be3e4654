// Groups of loads that follow each other closely, and commits that fail between them: a group that
// fails takes the next one, which is prepared by then, along only when the writer is poisoned.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "store/dataset.h"
#include "tests/support/environment_number.h"
#include "tests/support/fault_vfs.h"
#include "tests/support/load_events.h"
#include "tests/support/store_support.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

FreshRows row_of(int number) {
  test::Loaded loaded = test::load_events("{\"n\":" + std::to_string(number) + "}\n");
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), 10};
}

// A dataset on a disk that fails when told to.
class FaultyDataset {
 public:
  FaultyDataset() {
    REQUIRE(load(*open_store(directory_.path(), 4096), "d", "{\"n\":-1}\n").ok());
    DatabaseOptions options;
    options.path = directory_.path() + "/datasets/1.db";
    options.vfs = vfs.name();
    auto opened = Dataset::open("d", {.file_id = 1}, options);
    REQUIRE(opened.ok());
    dataset = std::move(opened).value();
  }

  // How the load of one event ended.
  Status append(int number) const {
    const FreshRows rows = row_of(number);
    const auto counts = dataset->append({&rows, 4096, nullptr});
    return counts.ok() ? Status() : Status(Error(counts.error()));
  }

  // What the next process finds; the dataset is closed by that.
  std::multiset<std::string> stored() {
    dataset.reset();
    const auto store = open_store(directory_.path(), 4096);
    QueryControl control;
    const auto report = store->check(control);
    REQUIRE(report.ok());
    CHECK(report->problems.empty());
    const std::vector<std::string> found = texts(read_rows(*store, "d", "n"));
    return {found.begin(), found.end()};
  }

  FaultVfs vfs;
  std::shared_ptr<Dataset> dataset;

 private:
  TempDirectory directory_;
};

struct Outcomes {
  Status first;                // of the group that fails
  std::vector<Status> others;  // of those that came while it was committed
};

// A first commit that goes on when others wait behind it, one of them prepared by then.
Outcomes commit_before_others(FaultyDataset& faulty, FaultVfs::Fault fault) {
  constexpr int kOthers = 5;
  std::atomic<bool> leading{false};
  std::atomic<bool> enough{false};
  WriteJob job;
  job.room = Room::little();
  job.apply = [&](DatasetWriter& writer) -> Status {
    leading.store(true);
    while (!enough.load()) {
      std::this_thread::yield();
    }
    return writer.note_field("added", 0);
  };
  Outcomes outcomes;
  outcomes.others.resize(kOthers);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { outcomes.first = faulty.dataset->write(job); });
  while (!leading.load()) {
    std::this_thread::yield();
  }
  for (int i = 0; i < kOthers; ++i) {
    threads.emplace_back(
        [&, i] { outcomes.others[static_cast<std::size_t>(i)] = faulty.append(i); });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  faulty.vfs.fail_at(0, fault, false);
  enough.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
  return outcomes;
}

TEST_CASE("a commit that a full disk refuses takes nobody along who waits behind it") {
  FaultyDataset faulty;
  const Outcomes outcomes = commit_before_others(faulty, FaultVfs::Fault::kFull);
  REQUIRE_FALSE(outcomes.first.ok());
  CHECK(outcomes.first.error().code == ErrorCode::kDiskFull);
  CHECK(std::ranges::all_of(outcomes.others, &Status::ok));
  CHECK(faulty.stored() == std::multiset<std::string>{"-1", "0", "1", "2", "3", "4"});
}

TEST_CASE("a sync that fails is told to all who wait behind it, and none of them is written") {
  FaultyDataset faulty;
  const Outcomes outcomes = commit_before_others(faulty, FaultVfs::Fault::kSync);
  REQUIRE_FALSE(outcomes.first.ok());
  CHECK(outcomes.first.error().code == ErrorCode::kIo);
  for (const Status& other : outcomes.others) {
    REQUIRE_FALSE(other.ok());
    CHECK(other.error().code == ErrorCode::kIo);
  }
  CHECK_FALSE(faulty.append(9).ok());
  CHECK(faulty.stored() == std::multiset<std::string>{"-1"});
}

// Loads on many threads, each until `rounds` are done, while `disturb` runs beside them.
struct Ledger {
  std::mutex mutex;
  std::set<std::string> stored = {"-1"};
  std::set<std::string> refused;
  std::vector<ErrorCode> errors;
};

void load_beside(FaultyDataset& faulty, Ledger& ledger, const std::function<void()>& disturb) {
  constexpr int kThreads = 8;
  constexpr int kRounds = 30;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < kRounds; ++i) {
        const int number = thread * kRounds + i;
        const Status status = faulty.append(number);
        const std::lock_guard<std::mutex> lock(ledger.mutex);
        (status.ok() ? ledger.stored : ledger.refused).insert(std::to_string(number));
        if (!status.ok()) {
          ledger.errors.push_back(status.error().code);
        }
      }
    });
  }
  disturb();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_CASE("of loads beside commits that fail, exactly those are there that were acknowledged") {
  FaultyDataset faulty;
  Ledger ledger;
  load_beside(faulty, ledger, [&] {
    for (int i = 0; i < 20; ++i) {
      faulty.vfs.fail_at(static_cast<std::uint64_t>(i % 5), FaultVfs::Fault::kFull, false);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    faulty.vfs.heal();
  });
  CHECK(std::ranges::all_of(ledger.errors,
                            [](ErrorCode code) { return code == ErrorCode::kDiskFull; }));
  MESSAGE("stored: " << ledger.stored.size() << ", refused: " << ledger.refused.size());
  CHECK(faulty.stored() == std::multiset<std::string>(ledger.stored.begin(), ledger.stored.end()));
}

TEST_CASE("nothing is acknowledged after a sync that failed, and all is there that was before") {
  const std::uint64_t rounds = std::max<std::uint64_t>(3, number_from("EVQ_FAULT_ROUNDS", 40) / 8);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    FaultyDataset faulty;
    Ledger ledger;
    load_beside(faulty, ledger,
                [&] { faulty.vfs.fail_at(2 + round, FaultVfs::Fault::kSync, false); });
    CHECK_FALSE(ledger.refused.empty());
    CHECK(
        std::ranges::all_of(ledger.errors, [](ErrorCode code) { return code == ErrorCode::kIo; }));
    const std::multiset<std::string> found = faulty.stored();
    CHECK(std::set<std::string>(found.begin(), found.end()).size() == found.size());
    CHECK(std::ranges::includes(found, ledger.stored));
  }
}

}  // namespace
}  // namespace evq
