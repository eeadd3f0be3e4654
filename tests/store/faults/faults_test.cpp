// Disks that fail and power that goes, at each call in turn: what was acknowledged is there once,
// what failed is there wholly or not at all, and the next command works. A seed chooses the work;
// EVQ_FAULT_SEED repeats a run, EVQ_FAULT_ROUNDS says how many faults of each kind are tried.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
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
#include "tests/support/store_workload.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

constexpr std::uint32_t kBlockRows = 16;
constexpr int kSteps = 25;

struct Run {
  std::uint64_t seed = number_from("EVQ_FAULT_SEED", std::random_device()());
  std::uint64_t rounds = number_from("EVQ_FAULT_ROUNDS", 40);
  std::mt19937_64 random{seed};
  std::map<std::string, std::uint64_t> kinds;  // of calls that failed: "sync 1.db-wal"

  Run() { MESSAGE("EVQ_FAULT_SEED=" << seed << " EVQ_FAULT_ROUNDS=" << rounds); }
  ~Run() {
    std::string text;
    for (const auto& [kind, times] : kinds) {
      text += " " + kind + " " + std::to_string(times) + ",";
    }
    MESSAGE("failed calls:" << text);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void note(const std::string& failure) { ++kinds[failure.substr(0, failure.find(' '))]; }
};

Result<std::unique_ptr<Store>> open(const std::string& directory, const std::string& vfs) {
  StoreOptions options;
  options.directory = directory;
  options.block_rows = kBlockRows;
  options.vfs = vfs;
  return Store::open(options);
}

// Steps until one fails or all are done; how many steps that took.
int work(Store& store, Workload& workload, int steps) {
  for (int i = 0; i < steps; ++i) {
    if (!workload.step(store)) {
      return i;
    }
  }
  return steps;
}

std::string verify(const std::string& directory, Workload& workload) {
  auto store = open(directory, "");
  return store.ok() ? workload.verify(**store) : store.error().message;
}

// After the crash everything must go on as if nothing had been.
void go_on(const std::string& directory, Workload& workload) {
  auto store = open(directory, "");
  REQUIRE(store.ok());
  CHECK(work(**store, workload, 3) == 3);
  CHECK(workload.verify(**store) == "");
}

// Both kinds of disks.
bool is_powersafe(std::uint64_t work_seed) {
  return work_seed % 2 == 0;
}

// What a process notes of its commits in lock files is not synced, so a power cut may take it.
void lose_notes(const std::string& directory) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.path().string().ends_with(".db.lock")) {
      std::filesystem::resize_file(entry.path(), 0);
    }
  }
}

// The same work without a fault: how many calls and changes there are to choose from.
struct Extent {
  std::uint64_t calls = 0;
  std::uint64_t writes = 0;
  std::uint64_t syncs = 0;
  std::uint64_t changes = 0;
};

Extent measure(std::uint64_t seed) {
  FaultVfs vfs;
  vfs.set_powersafe(is_powersafe(seed));
  const TempDirectory directory;
  Workload workload(seed);
  {
    auto store = open(directory.path(), vfs.name());
    REQUIRE(store.ok());
    REQUIRE(work(**store, workload, kSteps) == kSteps);
  }
  REQUIRE(verify(directory.path(), workload) == "");
  return {vfs.calls(), vfs.writes(), vfs.syncs(), vfs.changes()};
}

// ---------------------------------------------------------------- power

void cut_power(Run& run, std::uint64_t work_seed, std::uint64_t change,
               FaultVfs::Survival survival) {
  FaultVfs vfs;
  vfs.set_powersafe(is_powersafe(work_seed));
  const TempDirectory directory;
  Workload workload(work_seed);
  vfs.cut_at(change);
  {
    auto store = open(directory.path(), vfs.name());
    REQUIRE(store.ok());
    work(**store, workload, kSteps);
  }
  run.note(vfs.failure());
  const std::string failure = vfs.failure();
  CAPTURE(failure);
  vfs.settle(survival, run.random);
  const bool notes_lost = run.random() % 2 == 0;
  CAPTURE(notes_lost);
  if (notes_lost) {
    lose_notes(directory.path());
  }
  if (run.random() % 3 == 0) {  // and again while the store recovers
    vfs.cut_at(run.random() % 12);
    {
      auto store = open(directory.path(), vfs.name());
      REQUIRE(store.ok());
      Workload::tidy(**store);
    }
    run.note(vfs.failure());
    vfs.settle(survival, run.random);
  }
  CHECK(verify(directory.path(), workload) == "");
  go_on(directory.path(), workload);
}

TEST_CASE("a power cut at any change loses nothing acknowledged and leaves nothing half") {
  Run run;
  std::uint64_t cuts = 0;
  while (cuts < run.rounds) {
    const std::uint64_t work_seed = run.random();
    const Extent extent = measure(work_seed);
    // A few cuts to each piece of work, so that long runs see many pieces.
    for (int i = 0; i < 20 && cuts < run.rounds; ++i, ++cuts) {
      const std::uint64_t change = run.random() % (extent.changes + 1);
      const auto survival = static_cast<FaultVfs::Survival>(run.random() % 4);
      CAPTURE(work_seed);
      CAPTURE(change);
      CAPTURE(static_cast<int>(survival));
      cut_power(run, work_seed, change, survival);
    }
  }
  MESSAGE("cuts: " << cuts);
}

// ---------------------------------------------------------------- failing calls

bool is_expected(const Error& error) {
  constexpr ErrorCode kExpected[] = {ErrorCode::kIo, ErrorCode::kDiskFull, ErrorCode::kUnavailable,
                                     ErrorCode::kCorrupt};
  return std::ranges::find(kExpected, error.code) != std::end(kExpected) && !error.message.empty();
}

void fail_call(Run& run, std::uint64_t work_seed, std::uint64_t call, FaultVfs::Fault fault,
               bool for_good) {
  FaultVfs vfs;
  vfs.set_powersafe(is_powersafe(work_seed));
  const TempDirectory directory;
  Workload workload(work_seed);
  vfs.fail_at(call, fault, for_good);
  {
    auto store = open(directory.path(), vfs.name());
    REQUIRE(store.ok());
    int left = kSteps;
    while (left > 0) {
      left -= work(**store, workload, left) + 1;
      if (left < 0) {
        break;
      }
      CAPTURE(workload.error().message);
      CHECK(is_expected(workload.error()));
      const std::string failure = vfs.failure();
      vfs.heal();
      CAPTURE(failure);
      run.note(failure);
      // What a commit that failed has left behind is known when the store is opened anew.
      if (workload.error().code == ErrorCode::kIo) {
        break;
      }
      REQUIRE(workload.observe(**store) == "");
    }
  }
  CHECK(verify(directory.path(), workload) == "");
  go_on(directory.path(), workload);
}

TEST_CASE("any call that fails, once or for good, is an error that loses nothing") {
  Run run;
  std::uint64_t faults = 0;
  while (faults < run.rounds) {
    const std::uint64_t work_seed = run.random();
    const Extent extent = measure(work_seed);
    for (int i = 0; i < 20 && faults < run.rounds; ++i, ++faults) {
      const auto fault = run.random() % 4 == 0 ? FaultVfs::Fault::kFull : FaultVfs::Fault::kIo;
      const bool full = fault == FaultVfs::Fault::kFull;
      const std::uint64_t call = run.random() % (full ? extent.writes : extent.calls);
      const bool for_good = run.random() % 2 == 0;
      CAPTURE(work_seed);
      CAPTURE(call);
      CAPTURE(full);
      CAPTURE(for_good);
      fail_call(run, work_seed, call, fault, for_good);
    }
  }
  MESSAGE("faults: " << faults);
}

// Not by chance: each call, or as many of them as there are rounds, evenly spread.
TEST_CASE("every call of a piece of work fails in turn, once and for good") {
  Run run;
  const std::uint64_t work_seed = run.random();
  const Extent extent = measure(work_seed);
  const auto each = [&](std::uint64_t count, FaultVfs::Fault fault) {
    const std::uint64_t step = std::max<std::uint64_t>(1, 4 * count / run.rounds);
    for (std::uint64_t call = run.random() % step; call < count; call += step) {
      for (const bool for_good : {false, true}) {
        CAPTURE(work_seed);
        CAPTURE(call);
        CAPTURE(for_good);
        fail_call(run, work_seed, call, fault, for_good);
      }
    }
  };
  each(extent.calls, FaultVfs::Fault::kIo);
  each(extent.writes, FaultVfs::Fault::kFull);
  MESSAGE("calls: " << extent.calls << ", of them writes: " << extent.writes);
}

// ---------------------------------------------------------------- one commit for many

constexpr int kMembers = 5;
constexpr int kMemberRows = 3;

// A load of rows numbered by its member; odd ones have a field that the others have not.
FreshRows rows_of_member(int member) {
  std::string text;
  for (int i = 0; i < kMemberRows; ++i) {
    text += "{\"n\":" + std::to_string(member * kMemberRows + i);
    text += member % 2 == 0 ? "}\n" : ",\"odd\":\"x\"}\n";
  }
  test::Loaded loaded = test::load_events(text);
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), text.size()};
}

// What became of the members: loads and, if wanted, a job that fails by itself and so makes each
// of them try alone. All wait for one commit, which begins once `before` was called.
std::vector<Status> commit_together(Dataset& dataset, bool with_failing_job,
                                    const std::function<void()>& before) {
  const Error no = make_error(ErrorCode::kLimit, "no");
  std::atomic<bool> leading{false};
  std::atomic<bool> enough{false};
  std::atomic<int> waiting{0};
  WriteJob hold;
  hold.apply = [&](DatasetWriter& /*writer*/) -> Status {
    leading.store(true);
    while (!enough.load()) {
      std::this_thread::yield();
    }
    return no;
  };
  WriteJob fail;
  fail.apply = [&](DatasetWriter& /*writer*/) -> Status { return no; };
  std::vector<Status> outcomes(kMembers);
  std::vector<std::thread> threads;
  threads.emplace_back([&] { static_cast<void>(dataset.write(hold).ok()); });
  while (!leading.load()) {
    std::this_thread::yield();
  }
  for (int member = 0; member < kMembers; ++member) {
    threads.emplace_back([&, member] {
      const FreshRows rows = rows_of_member(member);
      waiting.fetch_add(1);
      auto counts = dataset.append({&rows, 4096, nullptr});
      if (!counts.ok()) {
        outcomes[static_cast<std::size_t>(member)] = std::move(counts).take_error();
      }
    });
  }
  if (with_failing_job) {
    threads.emplace_back([&] {
      waiting.fetch_add(1);
      CHECK_FALSE(dataset.write(fail).ok());
    });
  }
  while (waiting.load() < kMembers + (with_failing_job ? 1 : 0)) {
    std::this_thread::yield();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  before();
  enough.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
  return outcomes;
}

struct Grouped {
  std::vector<Status> outcomes;
  Extent extent;  // of the commit
};

Grouped commit_group(const std::string& directory, FaultVfs& vfs, bool with_failing_job,
                     const std::function<void()>& before) {
  {
    auto store = open(directory, vfs.name());
    REQUIRE(store.ok());
    DatasetDefinition definition;
    definition.name = "d";
    REQUIRE((*store)->definitions().create_dataset(definition).ok());
  }
  DatabaseOptions options;
  options.path = directory + "/datasets/1.db";
  options.vfs = vfs.name();
  const auto dataset = Dataset::open("d", {.file_id = 1}, options);
  REQUIRE(dataset.ok());
  Grouped grouped;
  grouped.outcomes = commit_together(**dataset, with_failing_job, [&] {
    vfs.heal();
    before();
  });
  grouped.extent = {vfs.calls(), vfs.writes(), vfs.syncs(), vfs.changes()};
  return grouped;
}

// How many of each member's rows are there. Doubled ones are no member's.
std::map<int, int> rows_of_members(Store& store) {
  std::map<int, int> counts;
  std::set<std::string> seen;
  for (const std::string& n : texts(read_rows(store, "d", "n"))) {
    ++counts[seen.insert(n).second ? std::stoi(n) / kMemberRows : -1];
  }
  return counts;
}

void fail_group(Run& run, std::uint64_t number, FaultVfs::Fault fault, bool for_good,
                bool with_failing_job) {
  FaultVfs vfs;
  const TempDirectory directory;
  const Grouped grouped = commit_group(directory.path(), vfs, with_failing_job,
                                       [&] { vfs.fail_at(number, fault, for_good); });
  const std::string failure = vfs.failure();
  CAPTURE(failure);
  run.note(failure);
  auto store = open(directory.path(), "");
  REQUIRE(store.ok());
  std::map<int, int> rows = rows_of_members(**store);
  CHECK(rows.count(-1) == 0);
  for (int member = 0; member < kMembers; ++member) {
    const Status& outcome = grouped.outcomes[static_cast<std::size_t>(member)];
    CAPTURE(member);
    if (outcome.ok()) {
      CHECK(rows[member] == kMemberRows);
      continue;
    }
    CAPTURE(outcome.error().message);
    CHECK(is_expected(outcome.error()));
    // A commit that failed may be found in the write-ahead file by the next process, as a whole.
    CHECK((rows[member] == 0 || rows[member] == kMemberRows));
  }
  QueryControl control;
  const auto report = (*store)->check(control);
  REQUIRE(report.ok());
  CHECK(report->problems.empty());
  CHECK(load(**store, "d", "{\"n\":1000}\n").ok());
}

TEST_CASE("any call that fails while loads share a commit is no lie to any of them") {
  Run run;
  for (std::uint64_t faults = 0; faults < run.rounds; ++faults) {
    const bool with_failing_job = faults % 3 == 0;
    CAPTURE(with_failing_job);
    Extent extent;
    {
      FaultVfs vfs;
      const TempDirectory directory;
      const Grouped grouped = commit_group(directory.path(), vfs, with_failing_job, [] {});
      CHECK(std::ranges::all_of(grouped.outcomes, &Status::ok));
      extent = grouped.extent;
    }
    const auto fault = static_cast<FaultVfs::Fault>(run.random() % 3);
    const std::uint64_t numbers = fault == FaultVfs::Fault::kIo     ? extent.calls
                                  : fault == FaultVfs::Fault::kFull ? extent.writes
                                                                    : extent.syncs;
    const std::uint64_t number = run.random() % numbers;
    const bool for_good = run.random() % 2 == 0;
    CAPTURE(static_cast<int>(fault));
    CAPTURE(number);
    CAPTURE(for_good);
    fail_group(run, number, fault, for_good, with_failing_job);
  }
}

// ---------------------------------------------------------------- failing syncs

// The next process sees, in memory, what never reached the platter. What it acknowledges on top of
// that must outlast the power all the same.
void outlast_failed_sync(Run& run, std::uint64_t work_seed, std::uint64_t sync) {
  FaultVfs vfs;
  vfs.set_powersafe(is_powersafe(work_seed));
  const TempDirectory directory;
  Workload workload(work_seed);
  std::string failure;
  CAPTURE(failure);
  {
    auto store = open(directory.path(), vfs.name());
    REQUIRE(store.ok());
    vfs.fail_at(sync, FaultVfs::Fault::kSync, false);
    work(**store, workload, kSteps);
    failure = vfs.failure();
    CAPTURE(workload.error().message);
    run.note(failure);
    vfs.heal();
    const Status later = (*store)->definitions().put_setting("later", "1");
    const bool refused = !later.ok() && later.error().code == ErrorCode::kIo;
    // A file that is still in the making is opened anew by the next call.
    const auto datasets = (*store)->definitions().datasets();
    const bool made = datasets.ok() && !datasets->empty();
    CHECK((refused || !made || workload.error().code != ErrorCode::kIo ||
           failure != "sync catalog.db-wal"));
  }
  {
    auto store = open(directory.path(), vfs.name());
    REQUIRE(store.ok());
    CHECK((*store)->definitions().put_setting("later", "2").ok());
    Workload::tidy(**store);
    REQUIRE(workload.observe(**store) == "");
    const int done = work(**store, workload, 4);
    CAPTURE(workload.error().message);
    CHECK(done == 4);
    vfs.cut_at(0);
  }
  vfs.settle(static_cast<FaultVfs::Survival>(run.random() % 4), run.random);
  const std::string problem = workload.error().message;
  CAPTURE(problem);
  CHECK(verify(directory.path(), workload) == "");
}

TEST_CASE("a sync that failed poisons the writer, and what comes after is as durable as ever") {
  Run run;
  std::uint64_t failures = 0;
  while (failures < run.rounds) {
    const std::uint64_t work_seed = run.random();
    const Extent extent = measure(work_seed);
    for (int i = 0; i < 20 && failures < run.rounds; ++i, ++failures) {
      const std::uint64_t sync = run.random() % extent.syncs;
      CAPTURE(work_seed);
      CAPTURE(sync);
      outlast_failed_sync(run, work_seed, sync);
    }
  }
  MESSAGE("failed syncs: " << failures);
}

}  // namespace
}  // namespace evq
