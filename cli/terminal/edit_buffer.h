#pragma once
// EditBuffer: the text being edited, the cursor, the kill ring and undo. It moves by what the user
// sees as characters and knows lines, since a text may have several. The text is always valid
// UTF-8 and at most kEditorTextBytesMax long: more is refused. No terminal here, so that every
// command is a function of text and cursor. One thread at a time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace evq {

enum class EditCommand : std::uint8_t {
  kLeft,
  kRight,
  kWordLeft,
  kWordRight,
  kLineStart,
  kLineEnd,
  kLineUp,  // false on the first line
  kLineDown,
  kTextStart,
  kTextEnd,
  kDeleteLeft,
  kDeleteRight,
  kKillWordLeft,   // to the start of a word
  kKillBlankLeft,  // to the last blank
  kKillWordRight,
  kKillLineStart,
  kKillLineEnd,  // at the end of a line: the line break
  kYank,
  kYankOlder,  // only after a yank: replaces it with the kill before
  kTranspose,
  kUpperWord,
  kLowerWord,
  kTitleWord,
  kUndo,
  kRedo,
};

class EditBuffer {
 public:
  const std::string& text() const { return text_; }
  std::size_t cursor() const { return cursor_; }

  // Runs a command; false when nothing changed, for a bell.
  bool apply(EditCommand command);
  // Inserts at the cursor, repaired to valid UTF-8. False when it does not fit.
  bool insert(std::string_view text);
  // Replaces a byte range and puts the cursor after it; false when it does not fit.
  bool replace(std::size_t begin, std::size_t end, std::string_view text);
  // Sets a new text, which undo can take back, the cursor at its end.
  bool set_text(std::string_view text);
  void set_cursor(std::size_t cursor);
  // Empties the text and forgets undo; the kill ring stays.
  void reset();

 private:
  struct State {
    std::string text;
    std::size_t cursor = 0;
  };
  // The kind of the last change, so that typing a word is one step of undo and kills in a row join.
  enum class Change : std::uint8_t { kNone, kTyping, kKill, kYank, kOther };

  bool move(std::size_t cursor);
  bool move_line(bool up);
  bool kill(std::size_t begin, std::size_t end);
  bool erase(std::size_t begin, std::size_t end);
  bool yank();
  bool yank_older();
  bool transpose();
  bool change_case(EditCommand command);
  bool undo();
  bool redo();
  void remember(Change change);

  std::size_t line_start(std::size_t position) const;
  std::size_t line_end(std::size_t position) const;
  std::size_t word_left(bool blanks_only) const;
  std::size_t word_right() const;

  std::string text_;
  std::size_t cursor_ = 0;
  std::size_t column_wanted_ = 0;  // of the moves between lines
  bool column_kept_ = false;
  Change last_ = Change::kNone;
  std::vector<State> undo_;
  std::vector<State> redo_;
  std::size_t undo_bytes_ = 0;
  std::vector<std::string> kills_;  // the newest is last
  std::size_t yank_begin_ = 0;
  std::size_t yank_age_ = 0;
};

}  // namespace evq
