// A program around the terminal's building blocks, for the test that drives it in a real terminal:
// reads texts with the line editor and prints each as C-like escaped text. Words starting with a
// dot ask for a table, a chart or paged lines.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

#include "cli/terminal/chart.h"
#include "cli/terminal/external_editor.h"
#include "cli/terminal/line_editor.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table_format.h"
#include "cli/terminal/text_width.h"

namespace evq {
namespace {

const std::vector<std::string>& words() {
  static const std::vector<std::string> kWords = {"count", "countif", "dcount", "日本語", "where"};
  return kWords;
}

CompletionList complete(std::string_view text, std::size_t cursor) {
  CompletionList list;
  const std::size_t blank = text.substr(0, cursor).find_last_of(" \n");
  list.begin = blank == std::string_view::npos ? 0 : blank + 1;
  list.end = cursor;
  for (const std::string& word : words()) {
    if (word.starts_with(text.substr(list.begin, cursor - list.begin))) {
      list.items.push_back({word, "", "word number " + std::to_string(list.items.size())});
    }
  }
  return list;
}

std::vector<StyledSpan> highlight(std::string_view text) {
  std::vector<StyledSpan> spans;
  for (const std::string& word : words()) {
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
      spans.push_back({at, at + word.size(), TextStyle::kKeyword});
    }
  }
  return spans;
}

bool is_complete(std::string_view text, std::size_t /*known*/) {
  return text.find('(') == std::string_view::npos || text.find(')') != std::string_view::npos;
}

std::string answer(const std::string& text, TerminalSize size) {
  if (text == ".table") {
    TableOptions options;
    options.width = size.columns;
    return format_table({{"name", "string"}, {"n", "long"}},
                        {{{"日本語"}, {"12", TableCellKind::kNumber}},
                         {{"👩‍👩‍👧 e\u0301 \x1b[31m"}, {"3", TableCellKind::kNumber}}},
                        options);
  }
  if (text == ".chart") {
    return line_chart({{"", {1, 5, 2, 8, 3}}}, {}, {.width = size.columns, .height = 5});
  }
  if (text == ".long") {
    std::string lines;
    for (int i = 1; i <= 200; ++i) {
      lines += "line " + std::to_string(i) + "\n";
    }
    return lines;
  }
  return "got: " + visible_text(text) + "\n";
}

int run() {
  const Environment environment = process_environment();
  const auto device = make_terminal_device(STDIN_FILENO, STDOUT_FILENO, environment);
  History history;
  if (const auto path = environment("DEMO_HISTORY")) {
    if (!history.load(*path).ok()) {
      return 1;
    }
  }
  EditorCallbacks callbacks{highlight, complete,
                            [](std::string_view text) {
                              return text == "whe" ? std::string("re status") : std::string();
                            },
                            is_complete,
                            [&](const std::string& text) {
                              return edit_in_external_editor(text, "text.txt", environment);
                            }};
  LineEditorOptions options;
  options.prompt = "demo> ";
  options.color = use_color(ColorChoice::kAuto, environment, device->is_interactive());
  LineEditor editor(*device, history, callbacks, options);
  while (true) {
    Result<EditorInput> input = editor.read();
    if (!input.ok() || input->event == InputEvent::kEnd) {
      return input.ok() ? 0 : 1;
    }
    if (input->event == InputEvent::kInterrupted) {
      std::puts("interrupted");
      std::fflush(stdout);
      continue;
    }
    static_cast<void>(history.add(input->text).ok());
    PagedOutput output(STDOUT_FILENO, device->size(),
                       device->is_interactive() ? pager_command(environment) : "");
    output.write(answer(input->text, device->size()));
    output.finish();
  }
}

}  // namespace
}  // namespace evq

int main() {
  return evq::run();
}
