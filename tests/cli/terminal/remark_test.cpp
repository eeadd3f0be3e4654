#include <string>

#include <doctest/doctest.h>

#include "cli/terminal/line_editor.h"
#include "tests/support/fake_terminal.h"

namespace evq {
namespace {

TEST_CASE("a remark stands below the text and goes with it") {
  FakeTerminal terminal(TerminalSize{20, 10});
  History history;
  EditorCallbacks callbacks;
  callbacks.remark = [](std::string_view text, std::size_t cursor) {
    return text.substr(0, cursor).ends_with('(') ? std::string("f(a, b)  a: something very long")
                                                 : std::string();
  };
  LineEditor editor(terminal, history, callbacks, {});
  std::string with;
  std::string without;
  terminal.type("f(");
  terminal.then([&] { with = terminal.screen(); });
  terminal.type("1");
  terminal.then([&] { without = terminal.screen(); });
  terminal.type("\r");
  const Result<EditorInput> input = editor.read();
  REQUIRE(input.ok());
  CHECK(input->text == "f(1");
  CHECK(with == "> f(\nf(a, b)  a: someth…");
  CHECK(without == "> f(1");
}

TEST_CASE("a remark follows the cursor, and what stands behind it") {
  FakeTerminal terminal(TerminalSize{20, 10});
  History history;
  EditorCallbacks callbacks;
  callbacks.remark = [](std::string_view text, std::size_t cursor) {
    return std::to_string(cursor) + " of " + std::to_string(text.size());
  };
  LineEditor editor(terminal, history, callbacks, {});
  std::string moved;
  std::string cut;
  terminal.type("abc\x02");
  terminal.then([&] { moved = terminal.screen(); });
  terminal.type("\x04");
  terminal.then([&] { cut = terminal.screen(); });
  terminal.type("\r");
  REQUIRE(editor.read().ok());
  CHECK(moved == "> abc\n2 of 3");
  CHECK(cut == "> ab\n2 of 2");
}

TEST_CASE("lines without a terminal that go on with the text before them join it") {
  FakeTerminal terminal;
  terminal.set_interactive(false, false);
  History history;
  EditorCallbacks callbacks;
  callbacks.continues = [](std::string_view, std::string_view line) {
    return line.starts_with('|');
  };
  LineEditor editor(terminal, history, callbacks, {});
  terminal.type("a\n| b");
  terminal.type("\n| c\nd\n");
  for (const std::string text : {"a\n| b\n| c", "d"}) {
    const Result<EditorInput> input = editor.read();
    REQUIRE(input.ok());
    CHECK(input->text == text);
  }
  const Result<EditorInput> end = editor.read();
  REQUIRE(end.ok());
  CHECK(end->event == InputEvent::kEnd);
}

}  // namespace
}  // namespace evq
