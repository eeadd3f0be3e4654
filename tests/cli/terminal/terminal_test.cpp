#include "cli/terminal/terminal.h"

#include <array>
#include <cerrno>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

namespace evq {
namespace {

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

TEST_CASE("who decides about colour") {
  using enum ColorChoice;
  const Variables xterm = {{"TERM", "xterm"}};
  const auto with = [&](const std::string& name, const std::string& value) {
    Variables variables = xterm;
    variables[name] = value;
    return variables;
  };
  const struct {
    ColorChoice choice;
    Variables variables;
    bool terminal;
    bool color;
  } rows[] = {
      {kAuto, xterm, true, true},
      {kAuto, xterm, false, false},
      {kAlways, with("NO_COLOR", "1"), false, true},
      {kNever, with("CLICOLOR_FORCE", "1"), true, false},
      {kAuto, with("NO_COLOR", "1"), true, false},
      {kAuto, with("NO_COLOR", ""), true, true},
      {kAuto, with("CLICOLOR_FORCE", "1"), false, true},
      {kAuto, with("CLICOLOR_FORCE", "0"), false, false},
      {kAuto, with("CLICOLOR", "0"), true, false},
      {kAuto, with("CLICOLOR", "1"), true, true},
      {kAuto, with("CLICOLOR", "1"), false, false},
      {kAuto, with("TERM", "dumb"), true, false},
      {kAuto, {}, true, false},
      {kAuto, {{"NO_COLOR", "1"}, {"CLICOLOR_FORCE", "1"}}, true, false},
  };
  for (const auto& row : rows) {
    CHECK(use_color(row.choice, environment_of(row.variables), row.terminal) == row.color);
  }
  CHECK(parse_color_choice("auto") == kAuto);
  CHECK(parse_color_choice("always") == kAlways);
  CHECK(parse_color_choice("never") == kNever);
  CHECK(parse_color_choice("yes") == std::nullopt);
}

TEST_CASE("the locale decides about Unicode, and LC_ALL before LANG") {
  CHECK(use_unicode(environment_of({})));
  CHECK(use_unicode(environment_of({{"LANG", "de_DE.UTF-8"}})));
  CHECK(use_unicode(environment_of({{"LANG", "C.utf8"}})));
  CHECK_FALSE(use_unicode(environment_of({{"LANG", "C"}})));
  CHECK_FALSE(use_unicode(environment_of({{"LANG", "de_DE.UTF-8"}, {"LC_ALL", "POSIX"}})));
  CHECK(use_unicode(environment_of({{"LANG", "C"}, {"LC_CTYPE", "en_US.UTF-8"}, {"LC_ALL", ""}})));
}

TEST_CASE("the size comes from the environment when there is no terminal") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  CHECK(terminal_size(ends[1], environment_of({})) == TerminalSize{80, 24});
  CHECK(terminal_size(ends[1], environment_of({{"COLUMNS", "132"}, {"LINES", "50"}})) ==
        TerminalSize{132, 50});
  CHECK(terminal_size(ends[1], environment_of({{"COLUMNS", "0"}, {"LINES", "99999999999"}})) ==
        TerminalSize{80, 24});
  auto device = make_terminal_device(ends[0], ends[1], environment_of({{"TERM", "xterm"}}));
  CHECK_FALSE(device->is_interactive());
  CHECK_FALSE(device->shows_prompt());
  CHECK(device->enter_raw_mode().ok());
  CHECK(device->write("hello"));
  std::array<char, 16> buffer{};
  const ReadOutcome data = device->read(buffer, 1000);
  CHECK(data.state == ReadState::kData);
  CHECK(std::string(buffer.data(), data.size) == "hello");
  CHECK(device->read(buffer, 1).state == ReadState::kTimeout);
  ::close(ends[1]);
  CHECK(device->read(buffer, -1).state == ReadState::kEnd);
  ::close(ends[0]);
}

TEST_CASE("a write that is stopped waits for no reader") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const auto stopped = [] { return true; };
  CHECK(write_quietly(ends[1], "short texts go out", stopped));
  errno = 0;
  CHECK_FALSE(write_quietly(ends[1], std::string(1 << 20, 'x'), stopped));
  CHECK(errno == ECANCELED);
  static int asked = 0;
  CHECK_FALSE(write_quietly(ends[1], std::string(1 << 20, 'x'), [] { return ++asked > 20; }));
  CHECK(errno == ECANCELED);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("a closed pipe is a failed write and no signal") {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  ::close(ends[0]);
  CHECK_FALSE(write_quietly(ends[1], "x"));
  CHECK_FALSE(write_quietly(ends[1], "x"));
  CHECK(write_quietly(ends[1], ""));
  ::close(ends[1]);
}

}  // namespace
}  // namespace evq
