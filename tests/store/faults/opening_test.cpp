// A dataset whose file takes long to open, and everybody else meanwhile.
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <doctest/doctest.h>

#include "store/base/control.h"
#include "store/base/wait_scope.h"
#include "tests/support/fault_opening.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr std::uint32_t kFewRows = 8;

// Looks at a dataset on a thread of its own.
class Look {
 public:
  using Stats = Result<DatasetStats>;

  explicit Look(std::function<Stats()> look)
      : look_(std::move(look)), stats_(look_.get_future()), thread_([this] { look_(); }) {}
  ~Look() { thread_.join(); }
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  bool ends_within(std::chrono::seconds patience) {
    return stats_.wait_for(patience) == std::future_status::ready;
  }
  Stats stats() { return stats_.get(); }

 private:
  std::packaged_task<Stats()> look_;
  std::future<Stats> stats_;
  std::thread thread_;
};

// A store of the datasets a and b, over that disk; a is open.
std::unique_ptr<Store> open_over(const TempDirectory& directory, const HeldOpening& disk) {
  {
    const auto store = open_store(directory.path(), kFewRows);
    REQUIRE(load(*store, "a", numbered_events(0, 3, 0, 1)).ok());
    REQUIRE(load(*store, "b", numbered_events(0, 5, 0, 1)).ok());
  }
  StoreOptions options;
  options.directory = directory.path();
  options.vfs = disk.name();
  auto store = Store::open(options);
  REQUIRE(store.ok());
  REQUIRE((*store)->snapshot("a").ok());
  return std::move(store).value();
}

TEST_CASE("whoever has a dataset open does not wait for another that is being opened") {
  const TempDirectory directory;
  HeldOpening disk("/datasets/2.db");
  const auto store = open_over(directory, disk);
  Look slow([&] { return store->stats("b"); });
  REQUIRE(disk.is_waited_for());
  Look quick([&] { return store->stats("a"); });
  CHECK(quick.ends_within(std::chrono::seconds(10)));
  CHECK_FALSE(slow.ends_within(std::chrono::seconds(0)));
  disk.let_go();
  CHECK(quick.stats().value().rows == 3);
  CHECK(slow.stats().value().rows == 5);
}

TEST_CASE("who waits until a dataset is opened gives up when told to, and others get it") {
  const TempDirectory directory;
  HeldOpening disk("/datasets/2.db");
  const auto store = open_over(directory, disk);
  Look first([&] { return store->stats("b"); });
  REQUIRE(disk.is_waited_for());
  Look second([&] { return store->stats("b"); });
  QueryControl control;
  control.cancel();
  Look cancelled([&] {
    const WaitScope scope(control);
    return store->stats("b");
  });
  CHECK(cancelled.ends_within(std::chrono::seconds(10)));
  disk.let_go();
  const auto none = cancelled.stats();
  CHECK((!none.ok() && none.error().code == ErrorCode::kCancelled));
  CHECK(first.stats().value().rows == 5);
  CHECK(second.stats().value().rows == 5);
}

}  // namespace
}  // namespace evq
