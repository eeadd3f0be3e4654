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
  session.callbacks.remark = [](std::string_view, std::size_t) { return "remark"; };
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

TEST_CASE("an open menu narrows and widens with what is typed") {
  Session session;
  session.callbacks.complete = [&](std::string_view text, std::size_t cursor) {
    const std::size_t begin = text.substr(0, cursor).rfind(' ') + 1;
    CompletionList list{begin, cursor, {}};
    for (const char* word : {"one", "on", "two", "three"}) {
      if (std::string_view(word).starts_with(text.substr(begin, cursor - begin))) {
        list.items.push_back({word, "", ""});
      }
    }
    return list;
  };
  const struct {
    std::string keys;
    std::string screen;
    std::string text;
  } rows[] = {
      {"t\tw", "> tw\n  two", "tw"},
      {"t\tw\t", "> two\n> two", "two"},
      {"x \to", "> x o\n  one\n  on", "x o"},
      {"x o\t\x7f\x7f", "> x\n  one\n  on\n  two\n  three", "x "},
      {"x o\t\x7f\x7f\x7f", "> x", "x"},
      {"t\t ", "> t", "t "},
      {"t\tx", "> tx", "tx"},
      {"t\t\tx", "> twox", "twox"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    std::string text;
    CHECK(session.screen_after(row.keys, &text) == row.screen);
    CHECK(text == row.text);
  }
}

TEST_CASE("a menu is walked by pages and to its ends") {
  Session session;
  session.options.menu_rows_max = 4;
  session.callbacks.complete = [](std::string_view, std::size_t) {
    CompletionList list{0, 0, {}};
    for (int i = 1; i <= 9; ++i) {
      list.items.push_back({"item" + std::to_string(i), "", ""});
    }
    return list;
  };
  const std::pair<std::string, std::string> rows[] = {
      {"\t\x1b[F", "item9"},      {"\t\x1b[F\x1b[H", "item1"},
      {"\t\t\x1b[6~", "item4"},   {"\t\t\x1b[6~\x1b[6~\x1b[6~\x1b[6~", "item9"},
      {"\t\t\t\x1b[5~", "item1"}, {"\t\x1b[F\x1b[5~", "item6"},
  };
  for (const auto& [keys, wanted] : rows) {
    CAPTURE(keys);
    std::string text;
    static_cast<void>(session.screen_after(keys, &text));
    CHECK(text == wanted);
  }
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
