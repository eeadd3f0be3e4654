// kill -9 at any moment: a child loads numbered events and acknowledges each load through a pipe;
// the parent kills it at a random moment and counts. Every acknowledged event must be there exactly
// once, every load wholly there or wholly absent, and `check` must be content. The seed is printed;
// EVQ_CRASH_SEED repeats a run and EVQ_CRASH_ROUNDS makes it longer.
//
// The parent holds no store open across fork: SQLite's locks do not survive it.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/environment_number.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr int kEventsPerLoad = 3;
constexpr std::uint32_t kBlockRows = 32;

// Ends a child that found what no kill explains; the test shows why.
[[noreturn]] void give_up(std::string_view what, const Error& error) {
  const std::string text = std::string(what) + ": " + error.message + "\n";
  const bool told =
      ::write(STDERR_FILENO, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::_exit(told ? 1 : 2);
}

// Loads batch after batch, saying so after each; compacts now and then. Never returns.
[[noreturn]] void run_child(const std::string& directory, int writer, int first_load, int pipe) {
  StoreOptions options;
  options.directory = directory;
  options.block_rows = kBlockRows;
  auto store = Store::open(options);
  if (!store.ok()) {
    give_up("open", store.error());
  }
  for (int i = first_load;; ++i) {
    std::string text;
    for (int k = 0; k < kEventsPerLoad; ++k) {
      text += "{\"_time\":" + std::to_string(1'600'000'000 + i % 7) +
              ",\"w\":" + std::to_string(writer) +
              ",\"n\":" + std::to_string(i * kEventsPerLoad + k) + "}\n";
    }
    IngestRequest request;
    request.atomic = true;
    QueryControl control;
    const auto source = memory_source(text);
    if (const auto loaded = (*store)->ingest("d", *source, request, control); !loaded.ok()) {
      give_up("ingest", loaded.error());
    }
    if (::write(pipe, &i, sizeof i) != sizeof i) {
      ::_exit(2);
    }
    if (i % 11 == 10) {
      if (const Status done = (*store)->maintain("d", Maintenance::kFull, control); !done.ok()) {
        give_up("maintain", done.error());
      }
    }
  }
}

struct Child {
  pid_t pid = 0;
  int pipe = -1;
};

Child start_child(const std::string& directory, int writer, int first_load) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::close(ends[0]);
    run_child(directory, writer, first_load, ends[1]);
  }
  ::close(ends[1]);
  return {pid, ends[0]};
}

// Kills the child and reads what it had acknowledged; the last load it said was done.
int stop_child(const Child& child, int last) {
  REQUIRE(::kill(child.pid, SIGKILL) == 0);
  int status = 0;
  REQUIRE(::waitpid(child.pid, &status, 0) == child.pid);
  CHECK(WIFSIGNALED(status));  // it must not have ended by itself: that is a failed call
  int load = 0;
  while (::read(child.pipe, &load, sizeof load) == sizeof load) {
    last = load;
  }
  ::close(child.pipe);
  return last;
}

// How often each load of a writer is there; every one must be whole.
std::map<int, int> count_loads(Store& store, int writer) {
  std::map<int, int> events;
  const auto numbers = read_rows(store, "d", "n");
  const auto writers = read_rows(store, "d", "w");
  REQUIRE(numbers.size() == writers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (writers[i].text == std::to_string(writer)) {
      ++events[std::stoi(numbers[i].text)];
    }
  }
  std::map<int, int> loads;
  for (const auto& [number, times] : events) {
    CHECK(times == 1);
    ++loads[number / kEventsPerLoad];
  }
  for (const std::pair<const int, int>& load : loads) {
    CAPTURE(load.first);
    CHECK(load.second == kEventsPerLoad);
  }
  return loads;
}

void check_store(const std::string& directory, const std::vector<int>& acknowledged,
                 std::vector<int>* next) {
  auto store = open_store(directory, kBlockRows);
  QueryControl control;
  const auto report = store->check(control);
  REQUIRE(report.ok());
  for (const CheckProblem& problem : report->problems) {
    FAIL_CHECK(problem.file << ": " << problem.message);
  }
  const auto datasets = store->definitions().datasets();
  REQUIRE(datasets.ok());
  if (datasets->empty()) {
    return;  // killed before the first load
  }
  for (std::size_t writer = 0; writer < acknowledged.size(); ++writer) {
    const auto loads = count_loads(*store, static_cast<int>(writer));
    for (int load = 0; load <= acknowledged[writer]; ++load) {
      CAPTURE(load);
      CHECK(loads.contains(load));
    }
    (*next)[writer] = loads.empty() ? 0 : loads.rbegin()->first + 1;
    CHECK((*next)[writer] <= acknowledged[writer] + 2);  // at most one more than was said
    CHECK(loads.size() == static_cast<std::size_t>((*next)[writer]));
  }
}

TEST_CASE("kill -9 loses nothing acknowledged and leaves nothing half") {
  const std::uint64_t seed = number_from("EVQ_CRASH_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_CRASH_ROUNDS", 20);
  MESSAGE("EVQ_CRASH_SEED=" << seed);
  std::mt19937_64 random(seed);
  const TempDirectory directory;
  constexpr std::size_t kWriters = 2;
  std::vector<int> acknowledged(kWriters, -1);
  std::vector<int> next(kWriters, 0);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    CAPTURE(round);
    std::vector<Child> children;
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
      children.push_back(start_child(directory.path(), static_cast<int>(writer), next[writer]));
    }
    ::usleep(static_cast<useconds_t>(random() % 60'000));
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
      acknowledged[writer] = stop_child(children[writer], acknowledged[writer]);
    }
    check_store(directory.path(), acknowledged, &next);
    for (std::size_t writer = 0; writer < kWriters; ++writer) {
      acknowledged[writer] = next[writer] - 1;
    }
  }
}

TEST_CASE("kill -9 while the store is being made leaves one that works") {
  const std::uint64_t seed = number_from("EVQ_CRASH_SEED", std::random_device()());
  const std::uint64_t rounds = number_from("EVQ_CRASH_ROUNDS", 20);
  MESSAGE("EVQ_CRASH_SEED=" << seed);
  std::mt19937_64 random(seed);
  for (std::uint64_t round = 0; round < 2 * rounds; ++round) {
    CAPTURE(round);
    const TempDirectory directory;
    const Child child = start_child(directory.path(), 0, 0);
    ::usleep(static_cast<useconds_t>(random() % 15'000));
    const std::vector<int> acknowledged = {stop_child(child, -1)};
    std::vector<int> next(1, 0);
    check_store(directory.path(), acknowledged, &next);
    auto store = open_store(directory.path(), kBlockRows);
    CHECK(load(*store, "d", "{\"n\":1}").ok());
  }
}

TEST_CASE("two processes write and a third reads; counts only grow") {
  const TempDirectory directory;
  {
    auto store = open_store(directory.path(), kBlockRows);
    DatasetDefinition definition;
    definition.name = "d";
    REQUIRE(store->definitions().create_dataset(definition).ok());
  }
  const Child a = start_child(directory.path(), 0, 0);
  const Child b = start_child(directory.path(), 1, 0);
  {
    auto store = open_store(directory.path(), kBlockRows);
    std::uint64_t before = 0;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    for (int i = 0; i < 100 || (before == 0 && std::chrono::steady_clock::now() < patience); ++i) {
      const auto snapshot = store->snapshot("d");
      REQUIRE(snapshot.ok());
      CHECK(snapshot->rows() % kEventsPerLoad == 0);
      CHECK(snapshot->rows() >= before);
      CHECK(read_rows(*snapshot, "n").size() == snapshot->rows());
      before = snapshot->rows();
      ::usleep(2'000);
    }
    CHECK(before > 0);
  }
  std::vector<int> acknowledged = {stop_child(a, -1), stop_child(b, -1)};
  std::vector<int> next(2, 0);
  check_store(directory.path(), acknowledged, &next);
}

}  // namespace
}  // namespace evq
