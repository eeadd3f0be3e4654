#include "cli/terminal/line_editor.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/fake_terminal.h"

namespace evq {
namespace {

// A text is complete when its brackets are closed.
bool closed(std::string_view text, std::size_t /*known*/) {
  return std::count(text.begin(), text.end(), '(') <= std::count(text.begin(), text.end(), ')');
}

CompletionList complete_words(std::string_view text, std::size_t cursor) {
  CompletionList list;
  const std::size_t blank = text.substr(0, cursor).find_last_of(" \n");
  list.begin = blank == std::string_view::npos ? 0 : blank + 1;
  list.end = cursor;
  const std::string typed(text.substr(list.begin, cursor - list.begin));
  for (const char* word : {"count", "countif", "dcount", "日本", "where"}) {
    if (std::string_view(word).starts_with(typed)) {
      list.items.push_back({word, "", "of type \x1b[1m"});
    }
  }
  return list;
}

struct Setup {
  FakeTerminal terminal{TerminalSize{40, 10}};
  History history;
  EditorCallbacks callbacks;
  LineEditorOptions options;

  EditorInput read() {
    LineEditor editor(terminal, history, callbacks, options);
    Result<EditorInput> input = editor.read();
    REQUIRE(input.ok());
    CHECK_FALSE(terminal.in_raw_mode());
    CHECK_FALSE(terminal.pastes_in_brackets());
    return *input;
  }
};

TEST_CASE("keys make a text, and the screen shows it") {
  const struct {
    std::string keys;
    std::string text;
    std::string screen;
  } rows[] = {
      {"hello\r", "hello", "> hello"},
      {"日本\x1b[D!\r", "日!本", "> 日!本"},
      {"f(\ra)\r", "f(\na)", "> f(\n  a)"},
      {"one\x1b\rtwo\r", "one\ntwo", "> one\n  two"},
      {"one two\x17\x19\x19\r", "one twotwo", "> one twotwo"},
      {"abc\x01\x0b\r", "", ">"},
      {"\x1b[200~a\rb\x1b[0m\x1b[201~\r", "a\nb\x1b[0m", "> a\n  b\\x1b[0m"},
      {"a\xff"
       "b\r",
       "a\uFFFDb", "> a\uFFFDb"},
      {"abc\x1f\r", "", ">"},
      {"0123456789012345678901234567890123456789\r", "0123456789012345678901234567890123456789",
       "> 01234567890123456789012345678901234567\n89"},
      {"01234567890123456789012345678901234567\r", "01234567890123456789012345678901234567",
       "> 01234567890123456789012345678901234567"},
      {"0123456789012345678901234567890123456日\r", "0123456789012345678901234567890123456日",
       "> 0123456789012345678901234567890123456\n日"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    for (const bool at_once : {true, false}) {
      Setup setup;
      setup.callbacks.is_complete = closed;
      for (std::size_t i = 0; i < (at_once ? 1 : row.keys.size()); ++i) {
        setup.terminal.type(at_once ? row.keys : row.keys.substr(i, 1));
      }
      const EditorInput input = setup.read();
      CHECK(input.event == InputEvent::kText);
      CHECK(input.text == row.text);
      CHECK(setup.terminal.screen() == row.screen);
      CHECK(setup.terminal.cursor_column() == 0);
    }
  }
}

TEST_CASE("Ctrl-C drops the text, Ctrl-D ends only an empty one, a lost terminal ends") {
  {
    Setup setup;
    setup.terminal.type("abc\x03");
    const EditorInput input = setup.read();
    CHECK(input.event == InputEvent::kInterrupted);
    CHECK(input.text == "abc");
    CHECK(setup.terminal.screen() == "> abc^C");
  }
  {
    Setup setup;
    setup.terminal.type("ab\x01\x04\x04\x04");
    CHECK(setup.read().event == InputEvent::kEnd);
  }
  {
    Setup setup;
    setup.terminal.type("abc");
    CHECK(setup.read().event == InputEvent::kEnd);
  }
}

TEST_CASE("history: up, down, the draft, entries of several lines, and by prefix") {
  Setup setup;
  for (const char* text : {"first", "two\nlines", "where x", "third"}) {
    REQUIRE(setup.history.add(text).ok());
  }
  const struct {
    std::string keys;
    std::string text;
  } rows[] = {
      {"\x1b[A\r", "third"},
      {"dra\x1b[A\x1b[A\x1b[B\x1b[B\r", "dra"},
      {"\x1b[A\x1b[A\x1b[A\x1b[A!\r", "two!\nlines"},
      {"\x1b[A\x1b[A\x1b[A\x1b[A\x1b[A\r", "first"},
      {"\x10\x10\x0e\r", "third"},
      {"wh\x1b[5~\r", "where x"},
      {"t\x1b[5~\x1b[5~\r", "two\nlines"},
      {"t\x1b[5~\x1b[5~\x1b[6~\r", "third"},
      {"zz\x1b[5~\r", "zz"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    setup.terminal.type(row.keys);
    CHECK(setup.read().text == row.text);
  }
}

TEST_CASE("Ctrl-R searches while the pattern is typed") {
  Setup setup;
  for (const char* text : {"alpha one", "beta", "alpha two"}) {
    REQUIRE(setup.history.add(text).ok());
  }
  std::string seen;
  const auto look = [&] { seen = setup.terminal.screen(); };
  const struct {
    std::string keys;
    std::string screen;
    std::string after;
    std::string text;
  } rows[] = {
      {"\x12", "search '': ", "\x07ok\r", "ok"},
      {"\x12"
       "alp",
       "search 'alp': alpha two", "\r", "alpha two"},
      {"\x12"
       "alp\x12",
       "search 'alp': alpha one", "\r", "alpha one"},
      {"\x12"
       "alp\x12\x13",
       "search 'alp': alpha two", "\x1b[C\x1b[C!\r", "al!pha two"},
      {"\x12"
       "bety",
       "no match 'bety': beta", "\x7f\x1b[F!\r", "beta!"},
      {"draft\x12"
       "alp",
       "search 'alp': alpha two", "\x07\r", "draft"},
      {"\x12one", "search 'one': alpha one", "\x1b", "alpha X"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    setup.terminal = FakeTerminal({40, 10});
    setup.terminal.type(row.keys);
    setup.terminal.then(look);
    setup.terminal.type(row.after);
    if (row.after == "\x1b") {
      setup.terminal.wait();
      setup.terminal.type("\x0bX\r");
    }
    CHECK(setup.read().text == row.text);
    CHECK(seen + (row.screen.ends_with(' ') ? " " : "") == row.screen);
  }
}

TEST_CASE("completion: one candidate, a common prefix, a menu to walk, take and leave") {
  Setup setup;
  setup.callbacks.complete = complete_words;
  std::string seen;
  const auto look = [&] { seen = setup.terminal.screen(); };
  const struct {
    std::string keys;
    std::string screen;
    std::string after;
    std::string text;
  } rows[] = {
      {"wh\t", "> where", "\r", "where"},
      {"x\t", "> x", "\r", "x"},
      {"x co\t", "> x count\n  count    of type \\x1b[1m\n  countif  of type \\x1b[1m", "\r",
       "x count"},
      {"co\t\t\t", "> countif\n  count    of type \\x1b[1m\n> countif  of type \\x1b[1m", "\r\r",
       "countif"},
      {"co\t\t\t", "> countif\n  count    of type \\x1b[1m\n> countif  of type \\x1b[1m", "(\r",
       "countif("},
      {"co\x1b[Z", "> countif\n  count    of type \\x1b[1m\n> countif  of type \\x1b[1m",
       "\x1b[Z\r\r", "count"},
      {"co\t\t\t", "> countif\n  count    of type \\x1b[1m\n> countif  of type \\x1b[1m", "\x07!\r",
       "count!"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    setup.terminal = FakeTerminal({40, 10});
    setup.terminal.type(row.keys);
    setup.terminal.then(look);
    setup.terminal.type(row.after);
    CHECK(setup.read().text == row.text);
    CHECK(seen == row.screen);
  }
}

TEST_CASE("a long menu scrolls within its rows and disappears without a trace") {
  Setup setup;
  setup.options.menu_rows_max = 4;
  setup.callbacks.complete = [](std::string_view, std::size_t cursor) {
    CompletionList list{cursor, cursor, {}};
    for (int i = 1; i <= 20; ++i) {
      list.items.push_back({"item" + std::to_string(i), "", ""});
    }
    return list;
  };
  std::vector<std::string> seen;
  const auto look = [&] { seen.push_back(setup.terminal.screen()); };
  setup.terminal.type("\t\x1b[A");
  setup.terminal.then(look);
  setup.terminal.type("\t\t\t");
  setup.terminal.then(look);
  setup.terminal.type("\x07");
  setup.terminal.then(look);
  setup.terminal.type("\r");
  CHECK(setup.read().text == "item");
  CHECK(seen == std::vector<std::string>{"> item20\n  item18\n  item19\n> item20\n  20 of 20",
                                         "> item3\n  item2\n> item3\n  item4\n  3 of 20",
                                         "> item"});
}

TEST_CASE("a hint is shown behind the text and taken by Right, End and word by word") {
  Setup setup;
  setup.options.color = true;
  setup.callbacks.hint = [](std::string_view text) {
    const std::string_view whole = "where status == 500";
    return whole.starts_with(text) && !text.empty() ? std::string(whole.substr(text.size()))
                                                    : std::string();
  };
  std::string seen;
  const struct {
    std::string keys;
    std::string text;
  } rows[] = {
      {"wh\r", "wh"},
      {"wh\x1b[C\r", "where status == 500"},
      {"wh\x05\r", "where status == 500"},
      {"wh\x1b"
       "f\x1b"
       "f\r",
       "where status"},
      {"wh\x1b[D\x1b[C\r", "wh"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.keys);
    setup.terminal = FakeTerminal({40, 10});
    setup.terminal.type(row.keys.substr(0, 2));
    setup.terminal.then([&] { seen = setup.terminal.screen(); });
    setup.terminal.type(row.keys.substr(2));
    CHECK(setup.read().text == row.text);
    CHECK(seen == "> where status == 500");
    CHECK(setup.terminal.screen() == "> " + row.text);
  }
}

TEST_CASE("highlighting colours the text; spans outside of it do no harm") {
  Setup setup;
  setup.options.color = true;
  setup.callbacks.highlight = [](std::string_view text) {
    return std::vector<StyledSpan>{{0, 5, TextStyle::kKeyword},
                                   {4, 9999, TextStyle::kError},
                                   {text.size() + 1, 2, TextStyle::kDim}};
  };
  setup.terminal.type("where x\r");
  CHECK(setup.read().text == "where x");
  const std::string wanted = "\x1b[1;34mwher\x1b[0m\x1b[31me x\x1b[0m";
  CHECK(setup.terminal.raw_output().find(wanted) != std::string::npos);
}

TEST_CASE("a narrower or wider terminal is drawn anew, at the same place") {
  Setup setup;
  std::vector<std::string> seen;
  setup.terminal.write("above\r\n");
  setup.terminal.type("0123456789012345678901234567890123456789");
  setup.terminal.then([&] { setup.terminal.resize({20, 10}); });
  setup.terminal.then([&] { seen.push_back(setup.terminal.screen()); });
  setup.terminal.then([&] { setup.terminal.resize({60, 10}); });
  setup.terminal.then([&] { seen.push_back(setup.terminal.screen()); });
  setup.terminal.type("\r");
  CHECK(setup.read().text.size() == 40);
  CHECK(seen == std::vector<std::string>{"above\n> 012345678901234567\n89012345678901234567\n89",
                                         "above\n> 0123456789012345678901234567890123456789"});
}

TEST_CASE("a text taller than the screen shows the part around the cursor") {
  Setup setup;
  setup.terminal = FakeTerminal({20, 4});
  std::vector<std::string> seen;
  const auto look = [&] { seen.push_back(setup.terminal.screen()); };
  setup.terminal.type("\x1b[200~1\r2\r3\r4\r5\r6\x1b[201~");
  setup.terminal.then(look);
  setup.terminal.type("\x1b<");
  setup.terminal.then(look);
  setup.terminal.type("\r");
  CHECK(setup.read().text == "1\n2\n3\n4\n5\n6");
  CHECK(seen == std::vector<std::string>{"  3\n  4\n  5\n  6", "> 1\n  2\n  3\n  4"});
}

TEST_CASE("another program edits the text, the screen clears, the process sleeps") {
  Setup setup;
  std::string given;
  bool raw_during = true;
  setup.callbacks.edit = [&](const std::string& text) -> Result<std::string> {
    given = text;
    raw_during = setup.terminal.in_raw_mode();
    if (text == "bad") {
      return make_error(ErrorCode::kIo, "no editor\x1b");
    }
    return std::string("edited\ntext\n\n");
  };
  setup.terminal.type("abc\x18\x05\r");
  CHECK(setup.read().text == "edited\ntext");
  CHECK(given == "abc");
  CHECK_FALSE(raw_during);
  CHECK(setup.terminal.screen() == "> abc\n> edited\n  text");

  setup.terminal = FakeTerminal({40, 10});
  setup.terminal.type("bad\x18\x05\x1a\r");
  CHECK(setup.read().text == "bad");
  CHECK(setup.terminal.screen() == "> bad\nno editor\\x1b\n> bad\n> bad");
  CHECK(setup.terminal.suspensions() == 1);

  setup.terminal = FakeTerminal({40, 10});
  setup.terminal.write("old\r\n");
  setup.terminal.type("ab\x0c\r");
  CHECK(setup.read().text == "ab");
  CHECK(setup.terminal.screen() == "> ab");
}

TEST_CASE("what is typed ahead is for the next read") {
  Setup setup;
  LineEditor editor(setup.terminal, setup.history, {}, {});
  setup.terminal.type("one\rtwo\rthr");
  setup.terminal.type("ee\r");
  for (const char* text : {"one", "two", "three"}) {
    Result<EditorInput> input = editor.read();
    REQUIRE(input.ok());
    CHECK(input->text == text);
  }
}

TEST_CASE("pasted lines that go on belong to the text, also without brackets around the paste") {
  Setup setup;
  const auto goes_on = [](std::string_view text, std::string_view line) {
    return line.starts_with('|') && !text.starts_with('.');
  };
  for (const bool interactive : {true, false}) {
    setup.terminal = FakeTerminal({40, 10});
    setup.terminal.set_interactive(interactive, true);
    EditorCallbacks callbacks;
    callbacks.continues = goes_on;
    LineEditor editor(setup.terminal, setup.history, callbacks, {});
    const std::string end = interactive ? "\r" : "\n";
    setup.terminal.type("one" + end + "| two" + end + "| three" + end + "four" + end);
    setup.terminal.type(".five" + end + "| six" + end);
    for (const char* text : {"one\n| two\n| three", "four", ".five", "| six"}) {
      Result<EditorInput> input = editor.read();
      REQUIRE(input.ok());
      CHECK(input->text == text);
    }
  }
}

TEST_CASE("lines that say nothing are taken along by one behind them that goes on") {
  Setup setup;
  for (const bool interactive : {true, false}) {
    setup.terminal = FakeTerminal({40, 20});
    setup.terminal.set_interactive(interactive, true);
    EditorCallbacks callbacks;
    callbacks.continues = [](std::string_view, std::string_view line) {
      return line.starts_with('|');
    };
    callbacks.is_aside = [](std::string_view line) { return line.empty() || line[0] == '/'; };
    LineEditor editor(setup.terminal, setup.history, callbacks, {});
    const std::string end = interactive ? "\r" : "\n";
    setup.terminal.type("one" + end + "/" + end + end + "| two" + end + "/ of" + end + "| three" +
                        end);
    setup.terminal.type("four" + end + "/ five" + end + "six" + end + "/");
    for (const char* text : {"one\n/\n\n| two\n/ of\n| three", "four", "/ five", "six"}) {
      Result<EditorInput> input = editor.read();
      REQUIRE(input.ok());
      CHECK(input->text == text);
    }
  }
}

TEST_CASE("without an interactive terminal lines are read as they come") {
  const struct {
    std::string input;
    std::vector<std::string> texts;
  } rows[] = {
      {"", {}},
      {"a\nb\r\n", {"a", "b"}},
      {"f(\n1)\nlast", {"f(\n1)", "last"}},
      {"f(\n1", {"f(\n1"}},
      {"\x1b[A\n", {"\x1b[A"}},
  };
  for (const auto& row : rows) {
    for (const bool prompt : {false, true}) {
      Setup setup;
      setup.terminal.set_interactive(false, prompt);
      setup.terminal.type(row.input);
      LineEditor editor(setup.terminal, setup.history, {{}, {}, {}, closed, {}}, {});
      std::vector<std::string> texts;
      while (true) {
        Result<EditorInput> input = editor.read();
        REQUIRE(input.ok());
        if (input->event == InputEvent::kEnd) {
          break;
        }
        texts.push_back(input->text);
      }
      CHECK(texts == row.texts);
      CHECK(setup.terminal.raw_output().empty() == !prompt);
    }
  }
}

TEST_CASE("a plain text over the limit is an error") {
  Setup setup;
  setup.terminal.set_interactive(false, false);
  for (std::size_t i = 0; i <= kEditorTextBytesMax / 4000; ++i) {
    setup.terminal.type(std::string(4000, 'x'));
  }
  LineEditor editor(setup.terminal, setup.history, {}, {});
  Result<EditorInput> input = editor.read();
  REQUIRE_FALSE(input.ok());
  CHECK(input.error().code == ErrorCode::kTooLarge);
}

TEST_CASE("each key costs one write, of the row that changed") {
  Setup setup;
  setup.options.color = true;
  setup.callbacks.highlight = [](std::string_view text) {
    std::vector<StyledSpan> spans;
    for (std::size_t i = 0; i + 3 < text.size(); i += 4) {
      spans.push_back({i, i + 3, TextStyle::kKeyword});
    }
    return spans;
  };
  setup.terminal.type(std::string(200, 'x'));
  std::size_t before = 0;
  std::size_t bytes_before = 0;
  constexpr int kKeys = 100;
  setup.terminal.then([&] {
    before = setup.terminal.writes();
    bytes_before = setup.terminal.raw_output().size();
  });
  for (int i = 0; i < kKeys; ++i) {
    setup.terminal.type(i % 2 == 0 ? "y" : "\x7f");
  }
  setup.terminal.then([&] {
    CHECK(setup.terminal.writes() - before == kKeys);
    CHECK((setup.terminal.raw_output().size() - bytes_before) / kKeys < 400);
  });
  setup.terminal.type("\r");
  CHECK(setup.read().text.size() == 200);
}

TEST_CASE("random bytes neither crash nor leave the screen") {
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 200; ++round) {
    Setup setup;
    setup.callbacks.complete = complete_words;
    REQUIRE(setup.history.add("some entry\nof 日本").ok());
    for (int i = 0; i < 60; ++i) {
      std::string bytes;
      for (std::uint64_t size = next() % 6; size > 0; --size) {
        const std::string_view interesting = "\x1b[O~;125ABCDu\r\t\x12\x7f\x0b\x19\x1f";
        bytes.push_back(next() % 2 == 0 ? interesting[next() % interesting.size()]
                                        : static_cast<char>(next() % 256));
      }
      // The model of the screen knows no reports of other programs, and 0x03 would end the round.
      std::erase(bytes, '\x03');
      setup.terminal.type(bytes);
      if (next() % 4 == 0) {
        setup.terminal.wait();
      }
      if (next() % 16 == 0) {
        const TerminalSize size = {5 + next() % 60, 2 + next() % 12};
        setup.terminal.then([&setup, size] { setup.terminal.resize(size); });
      }
    }
    LineEditor editor(setup.terminal, setup.history, setup.callbacks, setup.options);
    for (int reads = 0; reads < 100; ++reads) {
      Result<EditorInput> input = editor.read();
      REQUIRE(input.ok());
      if (input->event == InputEvent::kEnd) {
        break;
      }
    }
  }
}

}  // namespace
}  // namespace evq
