// Group commit from below: what the members of one group owe each other.
#include "store/dataset.h"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

FreshRows one_row(int number) {
  test::Loaded loaded = test::load_events("{\"n\":" + std::to_string(number) + "}\n");
  REQUIRE(loaded.tables.size() == 1);
  return {std::move(loaded.tables.front()), 10};
}

TEST_CASE("a job that fails takes none of its group along, and nothing is there twice") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  REQUIRE(load(*store, "d", "{\"n\":0}\n").ok());
  DatabaseOptions options;
  options.path = directory.path() + "/datasets/1.db";
  const auto dataset = Dataset::open("d", {.file_id = 1}, options);
  REQUIRE(dataset.ok());

  // The first leader stays inside its transaction until the others had time to queue up.
  std::atomic<bool> leading{false};
  std::atomic<bool> enough{false};
  WriteJob wait;
  wait.apply = [&](DatasetWriter& /*writer*/) -> Status {
    leading.store(true);
    while (!enough.load()) {
      std::this_thread::yield();
    }
    return {};
  };
  WriteJob fail;
  fail.apply = [](DatasetWriter& writer) -> Status {
    writer.take_ordinals(1000);
    return make_error(ErrorCode::kLimit, "no");
  };
  std::vector<std::thread> threads;
  threads.emplace_back([&] { CHECK((*dataset)->write(wait).ok()); });
  while (!leading.load()) {
    std::this_thread::yield();
  }
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([&, i] {
      const FreshRows rows = one_row(i);
      const auto counts = (*dataset)->append({&rows, 4096, nullptr});
      REQUIRE(counts.ok());
      CHECK(counts->rows >= 2);
      CHECK(counts->chunks >= 2);
    });
    threads.emplace_back([&] {
      const Status failed = (*dataset)->write(fail);
      REQUIRE_FALSE(failed.ok());
      CHECK(failed.error().message == "no");
    });
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  enough.store(true);
  for (std::thread& thread : threads) {
    thread.join();
  }
  std::vector<std::string> found = texts(read_rows(*store, "d", "n"));
  std::ranges::sort(found);
  CHECK(found == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(store->snapshot("d")->ordinal_end() == 4);
}

}  // namespace
}  // namespace evq
