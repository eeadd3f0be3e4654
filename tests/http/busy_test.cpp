// What keeps a server answering when more is asked of it than it can do.
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "http/connection_list.h"
#include "http/lane.h"

namespace evq {
namespace {

void wait_until(const std::atomic<bool>& flag) {
  while (!flag.load()) {
    std::this_thread::yield();
  }
}

TEST_CASE("a lane runs what fits, refuses what is too much and tells what came too late") {
  std::atomic<bool> started{false};
  std::atomic<bool> enough{false};
  std::atomic<int> ran{0};
  std::atomic<int> expired{0};
  const auto run = [&] { ++ran; };
  const auto expire = [&] { ++expired; };
  {
    WorkerLane lane({1, 2, 20});
    CHECK(lane.submit(
        [&] {
          started.store(true);
          wait_until(enough);
        },
        expire));
    wait_until(started);
    CHECK(lane.submit(run, expire));
    CHECK(lane.submit(run, expire));
    CHECK_FALSE(lane.submit(run, expire));
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    enough.store(true);
    while (ran + expired < 2) {
      std::this_thread::yield();
    }
    CHECK(expired == 2);
    for (int tries = 0; ran < 1; ++tries) {  // where machines are busy, this comes too late as well
      CHECK(lane.submit(run, expire));
      while (ran + expired < 3 + tries) {
        std::this_thread::yield();
      }
    }
  }
  CHECK(ran == 1);
}

TEST_CASE("room for a connection is made by the one that has been idle longest") {
  ConnectionList list;
  std::vector<std::string> closed;
  const auto add = [&](const char* name) {
    return list.add([&closed, name] { closed.emplace_back(name); });
  };
  const auto busy = add("busy");
  const auto second = add("second");
  const auto first = add("first");
  list.close_oldest_idle();
  CHECK(closed.empty());  // nobody is idle yet
  list.mark(first, ConnectionState::kIdle, nullptr);
  list.mark(second, ConnectionState::kIdle, nullptr);
  list.close_oldest_idle();
  CHECK(closed == std::vector<std::string>{"first"});
  list.close_oldest_idle();  // the first one is on its way
  list.close_oldest_idle();
  list.remove(first);
  CHECK(closed == std::vector<std::string>{"first", "second"});
  CHECK(list.size() == 2);
  list.mark(second, ConnectionState::kReceiving, nullptr);
  list.close_idle();
  CHECK(closed.size() == 2);
  list.close_oldest_idle();  // nobody is idle: a request that is not there yet has to do
  CHECK(closed == std::vector<std::string>{"first", "second", "second"});
  list.mark(second, ConnectionState::kBusy, nullptr);
  list.close_oldest_idle();
  CHECK(closed.size() == 3);

  const auto control = std::make_shared<QueryControl>();
  list.mark(busy, ConnectionState::kBusy, control);
  list.cancel_all();  // what runs is cancelled, so that it can still be answered
  CHECK(control->should_stop());
  CHECK(closed == std::vector<std::string>{"first", "second", "second", "second"});
  list.remove(second);
  list.remove(busy);
  CHECK(list.size() == 0);
}

}  // namespace
}  // namespace evq
