#include "cli/terminal/edit_buffer.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace evq {
namespace {

// A text with its cursor as "|".
EditBuffer buffer_of(std::string marked) {
  const std::size_t cursor = marked.find('|');
  marked.erase(cursor, 1);
  EditBuffer buffer;
  buffer.insert(marked);
  buffer.set_cursor(cursor);
  return buffer;
}

std::string marked_text(const EditBuffer& buffer) {
  std::string text = buffer.text();
  return text.insert(buffer.cursor(), "|");
}

TEST_CASE("each command is a function of text and cursor") {
  using enum EditCommand;
  const struct {
    std::string before;
    EditCommand command;
    std::string after;  // empty: nothing changes and the bell rings
  } rows[] = {
      {"ab|c", kLeft, "a|bc"},
      {"|abc", kLeft, ""},
      {"日e\u0301|", kLeft, "日|e\u0301"},
      {"|👩‍👩‍👧x", kRight, "👩‍👩‍👧|x"},
      {"x|", kRight, ""},
      {"foo bar_1|", kWordLeft, "foo |bar_1"},
      {"foo  |", kWordLeft, "|foo  "},
      {"|foo.bar", kWordRight, "foo|.bar"},
      {"foo|.bar", kWordRight, "foo.bar|"},
      {"one\ntw|o\nx", kLineStart, "one\n|two\nx"},
      {"one\ntw|o\nx", kLineEnd, "one\ntwo|\nx"},
      {"long line\nab|", kLineUp, "lo|ng line\nab"},
      {"ab|", kLineUp, ""},
      {"abc|d\nx\ny", kLineDown, "abcd\nx|\ny"},
      {"日本|\nabcdef", kLineDown, "日本\nabcd|ef"},
      {"a\nb|", kTextStart, "|a\nb"},
      {"|a\nb", kTextEnd, "a\nb|"},
      {"e\u0301|x", kDeleteLeft, "|x"},
      {"🇩🇪|", kDeleteLeft, "|"},
      {"|", kDeleteLeft, ""},
      {"|日x", kDeleteRight, "|x"},
      {"x|", kDeleteRight, ""},
      {"foo bar|", kKillWordLeft, "foo |"},
      {"foo a.b|", kKillBlankLeft, "foo |"},
      {"|foo bar", kKillWordRight, "| bar"},
      {"one\ntwo|x", kKillLineStart, "one\n|x"},
      {"a|bc\nd", kKillLineEnd, "a|\nd"},
      {"a|\nd", kKillLineEnd, "a|d"},
      {"a|", kKillLineEnd, ""},
      {"a|", kYank, ""},
      {"ab|", kTranspose, "ba|"},
      {"a|b", kTranspose, "ba|"},
      {"|ab", kTranspose, ""},
      {"é日|", kTranspose, "日é|"},
      {"|straße x", kUpperWord, "STRAßE| x"},
      {"|ABC", kLowerWord, "abc|"},
      {"|hello", kTitleWord, "Hello|"},
      {"a|", kRedo, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.before);
    EditBuffer buffer = buffer_of(row.before);
    CHECK(buffer.apply(row.command) == !row.after.empty());
    CHECK(marked_text(buffer) == (row.after.empty() ? row.before : row.after));
  }
}

TEST_CASE("moving between lines keeps the column, even through shorter lines") {
  EditBuffer buffer = buffer_of("abcdef|\nx\nuvwxyz");
  buffer.apply(EditCommand::kLineDown);
  buffer.apply(EditCommand::kLineDown);
  CHECK(marked_text(buffer) == "abcdef\nx\nuvwxyz|");
  buffer.apply(EditCommand::kLeft);
  buffer.apply(EditCommand::kLineUp);
  buffer.apply(EditCommand::kLineUp);
  CHECK(marked_text(buffer) == "abcde|f\nx\nuvwxyz");
}

TEST_CASE("kills in a row are one text to yank, and older ones come back in turn") {
  EditBuffer buffer = buffer_of("one two three|");
  buffer.apply(EditCommand::kKillWordLeft);
  buffer.apply(EditCommand::kKillWordLeft);
  CHECK(marked_text(buffer) == "one |");
  buffer.apply(EditCommand::kLineStart);
  buffer.apply(EditCommand::kKillWordRight);
  CHECK(marked_text(buffer) == "| ");
  buffer.apply(EditCommand::kYank);
  CHECK(marked_text(buffer) == "one| ");
  CHECK(buffer.apply(EditCommand::kYankOlder));
  CHECK(marked_text(buffer) == "two three| ");
  CHECK(buffer.apply(EditCommand::kYankOlder));
  CHECK(marked_text(buffer) == "one| ");
  buffer.apply(EditCommand::kRight);
  CHECK_FALSE(buffer.apply(EditCommand::kYankOlder));
}

TEST_CASE("undo goes back word by word and redo forward again") {
  EditBuffer buffer;
  for (const char letter : std::string("foo bar")) {
    buffer.insert(std::string(1, letter));
  }
  buffer.apply(EditCommand::kDeleteLeft);
  const std::vector<std::string> steps = {"foo bar|", "foo |", "foo|", "|"};
  for (const std::string& step : steps) {
    CHECK(buffer.apply(EditCommand::kUndo));
    CHECK(marked_text(buffer) == step);
  }
  CHECK_FALSE(buffer.apply(EditCommand::kUndo));
  for (int i = 0; i < 4; ++i) {
    CHECK(buffer.apply(EditCommand::kRedo));
  }
  CHECK(marked_text(buffer) == "foo ba|");
  CHECK_FALSE(buffer.apply(EditCommand::kRedo));
  buffer.apply(EditCommand::kUndo);
  buffer.insert("!");
  CHECK_FALSE(buffer.apply(EditCommand::kRedo));
}

TEST_CASE("the text stays valid UTF-8 and within its limit") {
  EditBuffer buffer;
  buffer.insert("a\xff\xe6");
  CHECK(buffer.text() == "a\uFFFD\uFFFD");
  buffer.set_text("日");
  buffer.set_cursor(2);
  CHECK(buffer.cursor() == 0);
  CHECK(buffer.replace(1, 2, "x"));
  CHECK(buffer.text() == "\uFFFDx\uFFFD");
  buffer.set_text(std::string(kEditorTextBytesMax, 'x'));
  CHECK(buffer.text().size() == kEditorTextBytesMax);
  CHECK_FALSE(buffer.insert("y"));
  CHECK_FALSE(buffer.set_text(std::string(kEditorTextBytesMax + 1, 'x')));
  // Many large steps of undo are forgotten from the oldest on.
  for (int i = 0; i < 200; ++i) {
    buffer.apply(EditCommand::kDeleteLeft);
  }
  std::size_t steps = 0;
  while (buffer.apply(EditCommand::kUndo)) {
    ++steps;
  }
  CHECK(steps >= 60);
  CHECK(steps <= kEditorUndoBytesMax / (kEditorTextBytesMax - 200));
}

}  // namespace
}  // namespace evq
