#include "cli/terminal/progress.h"

#include <csignal>
#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

struct ProgressSetup {
  std::int64_t now = 1000;
  std::string shown;

  Progress make(ProgressOptions options) {
    return Progress(
        std::move(options), [this] { return now; },
        [this](std::string_view text) { shown = text; });
  }
};

TEST_CASE("a quick task shows nothing, a long one a line that goes again") {
  ProgressSetup setup;
  {
    Progress progress = setup.make({.label = "loading a\x1b.log", .bytes_total = 4000000});
    setup.now += 299;
    progress.update({1000000, 0});
    CHECK(setup.shown.empty());
    setup.now += 201;
    progress.update({2000000, 1534});
    CHECK(setup.shown ==
          "\r\x1b[Kloading a\\x1b.log  50%  2 MB of 4 MB  1.53k rows  3.45 MB/s  "
          "1.0 s left");
    setup.shown.clear();
    setup.now += 99;
    progress.update({2100000, 1534});
    CHECK(setup.shown.empty());
    setup.now += 1;
    progress.update({5000000, 0});
    CHECK(setup.shown.find("5 MB  ") != std::string::npos);
    CHECK(setup.shown.find('%') == std::string::npos);
  }
  CHECK(setup.shown == "\r\x1b[K");
}

TEST_CASE("a task whose end nobody knows says how long it has taken") {
  ProgressSetup setup;
  Progress progress = setup.make({.label = "scanning", .elapsed = true});
  setup.now += 500;
  progress.update({});
  CHECK(setup.shown == "\r\x1b[Kscanning  500 ms");
  setup.now += 64500;
  progress.update({0, 1534});
  CHECK(setup.shown == "\r\x1b[Kscanning  1:05  1.53k rows");
}

TEST_CASE("a signal asks for the line, which stays, also where none is shown") {
  answer_progress_signals();
  for (const bool enabled : {true, false}) {
    ProgressSetup setup;
    Progress progress = setup.make({.enabled = enabled, .label = "loading"});
    setup.now += 1;
    progress.update({0, 1534});
    CHECK(setup.shown.empty());
    std::raise(SIGUSR1);
    progress.update({0, 1534});
    CHECK(setup.shown == "loading  1.53k rows\n");
    setup.shown.clear();
    progress.update({0, 1534});
    CHECK(setup.shown.empty());
  }
}

TEST_CASE("a terminal that becomes narrower has wrapped the line, which goes whole") {
  ProgressSetup setup;
  std::size_t columns = 100;
  {
    Progress progress =
        setup.make({.label = std::string(90, 'x'), .columns = [&] { return columns; }});
    setup.now += 1000;
    progress.update({0, 5});
    CHECK(setup.shown == "\r\x1b[K" + std::string(90, 'x') + "  5 ro…");
    columns = 40;
    setup.now += 100;
    progress.update({0, 5});
    CHECK(setup.shown == "\r\x1b[2A\x1b[J" + std::string(36, 'x') + "…");
    setup.now += 100;
    progress.update({0, 5});
    CHECK(setup.shown == "\r\x1b[K" + std::string(36, 'x') + "…");
    columns = 200;
    setup.now += 100;
    progress.update({0, 5});
    CHECK(setup.shown == "\r\x1b[K" + std::string(90, 'x') + "  5 rows");
    columns = 50;
  }
  CHECK(setup.shown == "\r\x1b[1A\x1b[J");
}

TEST_CASE("what has been read has no rate any more") {
  ProgressSetup setup;
  Progress progress = setup.make({.label = "scanning"});
  setup.now += 1000;
  progress.update({4000000, 10});
  CHECK(progress.line() == "scanning  4 MB  10 rows  4 MB/s");
  setup.now += 999;
  progress.update({4000000, 10});
  CHECK(progress.line().find("/s") != std::string::npos);
  setup.now += 100;
  progress.update({4000000, 10});
  CHECK(progress.line() == "scanning  4 MB  10 rows");
  progress.begin_step("laying out");
  setup.now += 100;
  progress.update({});
  CHECK(progress.line() == "laying out");
}

TEST_CASE("disabled, narrow, without a total, going back") {
  ProgressSetup setup;
  {
    Progress progress = setup.make({.enabled = false, .label = "x"});
    setup.now += 1000;
    progress.update({1, 1});
  }
  CHECK(setup.shown.empty());
  {
    Progress progress = setup.make({.label = "loading", .columns = [] { return 12; }});
    setup.now += 1000;
    progress.update({3000, 0});
    CHECK(setup.shown == "\r\x1b[Kloading …");
    CHECK(progress.line() == "loading  3 kB  3 kB/s");
    setup.now += 1000;
    progress.update({10, 0});
    CHECK(progress.line().starts_with("loading  10 B"));
  }
}

}  // namespace
}  // namespace evq
