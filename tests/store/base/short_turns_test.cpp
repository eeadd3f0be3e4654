#include "store/base/short_turns.h"

#include <thread>

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/resource.h>

TEST_CASE("a thread with short turns keeps its policy and its nice value") {
  std::thread([] {
    REQUIRE(::setpriority(PRIO_PROCESS, 0, 3) == 0);  // of a thread alone, on Linux
    evq::take_short_turns();
    evq::take_short_turns();
    CHECK(::getpriority(PRIO_PROCESS, 0) == 3);
    CHECK(::sched_getscheduler(0) == SCHED_OTHER);
  }).join();
  std::thread([] {
    const sched_param none{};
    REQUIRE(::sched_setscheduler(0, SCHED_BATCH, &none) == 0);
    evq::take_short_turns();
    CHECK(::sched_getscheduler(0) == SCHED_BATCH);
  }).join();
}
