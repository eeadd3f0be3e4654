// The menu of candidates: when it opens, and the keys that walk it.
#include <string>

#include <doctest/doctest.h>

#include "cli/terminal/line_editor.h"
#include "tests/support/fake_terminal.h"

namespace evq {
namespace {

struct Session {
  FakeTerminal terminal{TerminalSize{40, 10}};
  History history;
  EditorCallbacks callbacks;
  LineEditorOptions options;

  // The screen after the keys, and the text after Enter as often as it needs.
  std::string screen_after(const std::string& keys, std::string* text) {
    std::string seen;
    terminal = FakeTerminal({40, 10});
    terminal.type(keys);
    terminal.then([&] { seen = terminal.screen(); });
    terminal.type("\r\r");
    LineEditor editor(terminal, history, callbacks, options);
    const Result<EditorInput> input = editor.read();
    REQUIRE(input.ok());
    *text = input->text;
    return seen;
  }
};

CompletionList list_of(std::size_t begin, std::size_t end, std::vector<Completion> items,
                       std::string note = "") {
  return {begin, end, std::move(items), std::move(note)};
}

TEST_CASE("a lone candidate is inserted where it goes on from what was typed") {
  const struct {
    CompletionList list;
    std::string screen;
    std::string text;
  } rows[] = {
      {list_of(0, 3, {{"agent", "", ""}}), "> agent", "agent"},
      {list_of(0, 3, {{"['age-x']", "age-x", ""}}), "> ['age-x']", "['age-x']"},
      {list_of(0, 3, {{"AGENT", "", ""}}), "> AGENT", "AGENT"},
      {list_of(0, 3, {{"parse_user_agent(", "parse_user_agent", ""}}), "> age\n  parse_user_agent",
       "age"},
      {list_of(0, 3, {{"agent", "", ""}}, "no dataset 'x'"), "> age\nno dataset 'x'\n  agent",
       "age"},
      {list_of(0, 3, {{"agent", "", ""}, {"agents", "", ""}}, "no dataset 'x'"),
       "> age\nno dataset 'x'\n  agent\n  agents", "age"},
      {list_of(0, 3, {}, "no dataset 'x'"), "> age\nno dataset 'x'", "age"},
      {list_of(0, 3, {{"x_age_1", "", ""}, {"x_age_2", "", ""}}), "> age\n  x_age_1\n  x_age_2",
       "age"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.screen);
    Session session;
    session.callbacks.complete = [&](std::string_view, std::size_t) { return row.list; };
    std::string text;
    CHECK(session.screen_after("age\t", &text) == row.screen);
    CHECK(text == row.text);
  }
}

TEST_CASE("the menu and the remark are seen below a text that is taller than the screen") {
  Session session;
  session.callbacks.complete = [&](std::string_view, std::size_t cursor) {
    return list_of(cursor, cursor, {{"one", "", ""}, {"two", "", ""}});
  };
  session.callbacks.remark = [](std::string_view) { return "remark"; };
  const std::string lines = "\x1b[200~1\r2\r3\r4\r5\r6\r7\r8\x1b[201~";
  std::vector<std::string> seen;
  session.terminal = FakeTerminal({20, 5});
  const auto look = [&] { seen.push_back(session.terminal.screen()); };
  session.terminal.type(lines);
  session.terminal.then(look);
  session.terminal.type("\t");
  session.terminal.then(look);
  session.terminal.type("\x07\x1b<");
  session.terminal.then(look);
  session.terminal.type("\r");
  session.terminal.then(look);
  LineEditor editor(session.terminal, session.history, session.callbacks, session.options);
  REQUIRE(editor.read().ok());
  CHECK(seen == std::vector<std::string>{"  5\n  6\n  7\n  8\nremark",
                                         "  6\n  7\n  8\n  one\n  two",
                                         "> 1\n  2\n  3\n  4\nremark"});
  // All of it was written in the end, the lines that did not fit as well.
  const std::string& output = session.terminal.raw_output();
  const std::size_t whole = output.rfind("> 1");
  std::size_t at = whole;
  for (const char* line : {"  2", "  3", "  4", "  5", "  6", "  7", "  8"}) {
    at = output.find(line, at);
    CHECK(at != std::string::npos);
  }
  CHECK(session.terminal.screen() == "  5\n  6\n  7\n  8");
}

TEST_CASE("a note goes with the next key, and stays while the menu is walked") {
  Session session;
  session.callbacks.complete = [&](std::string_view, std::size_t cursor) {
    return list_of(0, cursor, {{"agent", "", ""}}, "why");
  };
  std::string text;
  CHECK(session.screen_after("age\t\x1b[D", &text) == "> age");
  CHECK(session.screen_after("age\t\t", &text) == "> agent\nwhy\n> agent");
  CHECK(text == "agent");
}

}  // namespace
}  // namespace evq
