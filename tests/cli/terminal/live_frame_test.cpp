#include "cli/terminal/live_frame.h"

#include <array>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

namespace evq {
namespace {

// A pipe that stands for the screen.
struct Screen {
  Screen() { REQUIRE(::pipe(ends.data()) == 0); }
  ~Screen() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  // What was written since the last call.
  std::string written() {
    REQUIRE(::write(ends[1], "$", 1) == 1);
    std::array<char, 4096> buffer{};
    const ssize_t size = ::read(ends[0], buffer.data(), buffer.size());
    REQUIRE(size > 0);
    return {buffer.data(), static_cast<std::size_t>(size) - 1};
  }
  std::array<int, 2> ends{};
};

void show(LiveFrame& frame, TerminalSize size, std::string_view text) {
  frame.begin(size);
  CHECK(frame.write(text));
  CHECK(frame.finish());
}

TEST_CASE("a text takes the place of the last one") {
  Screen screen;
  LiveFrame frame(screen.ends[1], true);
  const TerminalSize size{10, 5};
  show(frame, size, "one\ntwo\n");
  CHECK(screen.written() == "one\ntwo\n");
  show(frame, size, "three\n");
  CHECK(screen.written() == "\r\x1b[2A\x1b[Jthree\n");
  show(frame, size, "a line of more than ten\n");
  CHECK(screen.written() == "\r\x1b[1A\x1b[Ja line of more than ten\n");
  show(frame, size, "x\n");
  CHECK(screen.written() == "\r\x1b[3A\x1b[Jx\n");
}

TEST_CASE("a text that does not fit goes below, and stays") {
  Screen screen;
  LiveFrame frame(screen.ends[1], true);
  const TerminalSize size{10, 4};
  show(frame, size, "1\n2\n3\n");
  CHECK(screen.written() == "1\n2\n3\n");
  frame.begin(size);
  CHECK(frame.write("1\n2\n3\n"));
  CHECK(screen.written().empty());
  CHECK(frame.write("4\n"));
  CHECK(screen.written() == "1\n2\n3\n4\n");
  CHECK(frame.write("5\n"));
  CHECK(screen.written() == "5\n");
  CHECK(frame.finish());
  show(frame, size, "x\n");
  CHECK(screen.written() == "x\n");
  show(frame, size, "y\n");
  CHECK(screen.written() == "\r\x1b[1A\x1b[Jy\n");
}

TEST_CASE("a screen that was narrowed has wrapped the last text") {
  Screen screen;
  LiveFrame frame(screen.ends[1], true);
  show(frame, {20, 5}, "fourteen wide.\n");
  screen.written();
  show(frame, {10, 5}, "x\n");
  CHECK(screen.written() == "\r\x1b[2A\x1b[Jx\n");
  show(frame, {20, 5}, "1\n2\n3\n");
  screen.written();
  show(frame, {20, 3}, "x\n");
  CHECK(screen.written() == "x\n");  // the beginning is above the screen
}

TEST_CASE("without a cursor every text goes below the last one") {
  Screen screen;
  LiveFrame frame(screen.ends[1], false);
  show(frame, {10, 5}, "x\n");
  show(frame, {10, 5}, "y\n");
  CHECK(screen.written() == "x\ny\n");
}

}  // namespace
}  // namespace evq
