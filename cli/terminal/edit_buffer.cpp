#include "cli/terminal/edit_buffer.h"

#include <algorithm>
#include <utility>

#include "cli/terminal/text_width.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq {

namespace {

bool is_word(std::string_view text, std::size_t position) {
  const char32_t code_point = next_code_point(text, position);
  return is_alphanumeric(code_point) || code_point == '_';
}

bool is_one_word_character(std::string_view text) {
  return !text.empty() && next_grapheme(text, 0) == text.size() &&
         !is_space(static_cast<unsigned char>(text[0]));
}

}  // namespace

bool EditBuffer::apply(EditCommand command) {
  const bool vertical = command == EditCommand::kLineUp || command == EditCommand::kLineDown;
  column_kept_ = column_kept_ && vertical;
  switch (command) {
    case EditCommand::kLeft:
      return cursor_ > 0 && move(previous_grapheme(text_, cursor_));
    case EditCommand::kRight:
      return cursor_ < text_.size() && move(next_grapheme(text_, cursor_));
    case EditCommand::kWordLeft:
      return move(word_left(false));
    case EditCommand::kWordRight:
      return move(word_right());
    case EditCommand::kLineStart:
      return move(line_start(cursor_));
    case EditCommand::kLineEnd:
      return move(line_end(cursor_));
    case EditCommand::kLineUp:
    case EditCommand::kLineDown:
      return move_line(command == EditCommand::kLineUp);
    case EditCommand::kTextStart:
      return move(0);
    case EditCommand::kTextEnd:
      return move(text_.size());
    case EditCommand::kDeleteLeft:
      return cursor_ > 0 && erase(previous_grapheme(text_, cursor_), cursor_);
    case EditCommand::kDeleteRight:
      return cursor_ < text_.size() && erase(cursor_, next_grapheme(text_, cursor_));
    case EditCommand::kKillWordLeft:
      return kill(word_left(false), cursor_);
    case EditCommand::kKillBlankLeft:
      return kill(word_left(true), cursor_);
    case EditCommand::kKillWordRight:
      return kill(cursor_, word_right());
    case EditCommand::kKillLineStart:
      return kill(line_start(cursor_), cursor_);
    case EditCommand::kKillLineEnd: {
      const std::size_t end = line_end(cursor_);
      return kill(cursor_, end == cursor_ && end < text_.size() ? end + 1 : end);
    }
    case EditCommand::kYank:
      return yank();
    case EditCommand::kYankOlder:
      return yank_older();
    case EditCommand::kTranspose:
      return transpose();
    case EditCommand::kUpperWord:
    case EditCommand::kLowerWord:
    case EditCommand::kTitleWord:
      return change_case(command);
    case EditCommand::kUndo:
      return undo();
    case EditCommand::kRedo:
      return redo();
  }
  return false;
}

bool EditBuffer::insert(std::string_view text) {
  const std::string repaired = repair_utf8(text);
  if (repaired.empty() || text_.size() + repaired.size() > kEditorTextBytesMax) {
    return false;
  }
  const bool typing = is_one_word_character(repaired);
  remember(typing ? Change::kTyping : Change::kOther);
  text_.insert(cursor_, repaired);
  cursor_ += repaired.size();
  column_kept_ = false;
  return true;
}

bool EditBuffer::replace(std::size_t begin, std::size_t end, std::string_view text) {
  begin = std::min(begin, text_.size());
  end = std::clamp(end, begin, text_.size());
  const std::string repaired = repair_utf8(text);
  if (text_.size() - (end - begin) + repaired.size() > kEditorTextBytesMax) {
    return false;
  }
  remember(Change::kOther);
  // A range that splits a character would leave malformed text behind.
  text_ = repair_utf8(text_.substr(0, begin)) + repaired + repair_utf8(text_.substr(end));
  cursor_ = std::min(begin + repaired.size(), text_.size());
  column_kept_ = false;
  return true;
}

bool EditBuffer::set_text(std::string_view text) {
  return replace(0, text_.size(), text);
}

void EditBuffer::set_cursor(std::size_t cursor) {
  cursor = std::min(cursor, text_.size());
  while (cursor > 0 && cursor < text_.size() &&
         (static_cast<unsigned char>(text_[cursor]) & 0xC0U) == 0x80) {
    --cursor;
  }
  move(cursor);
}

void EditBuffer::reset() {
  text_.clear();
  cursor_ = 0;
  column_kept_ = false;
  last_ = Change::kNone;
  undo_.clear();
  redo_.clear();
  undo_bytes_ = 0;
}

bool EditBuffer::move(std::size_t cursor) {
  const bool moved = cursor != cursor_;
  cursor_ = cursor;
  last_ = Change::kNone;
  return moved;
}

bool EditBuffer::move_line(bool up) {
  const std::size_t start = line_start(cursor_);
  const std::size_t end = line_end(cursor_);
  if (up ? start == 0 : end == text_.size()) {
    return false;
  }
  if (!column_kept_) {
    column_wanted_ = text_width(std::string_view(text_).substr(start, cursor_ - start));
    column_kept_ = true;
  }
  std::size_t position = up ? line_start(start - 1) : end + 1;
  const std::size_t stop = line_end(position);
  std::size_t column = 0;
  while (position < stop) {
    const std::size_t next = next_grapheme(text_, position);
    column += grapheme_width(std::string_view(text_).substr(position, next - position));
    if (column > column_wanted_) {
      break;
    }
    position = next;
  }
  return move(position);
}

bool EditBuffer::erase(std::size_t begin, std::size_t end) {
  if (begin >= end) {
    return false;
  }
  remember(Change::kOther);
  text_.erase(begin, end - begin);
  cursor_ = begin;
  return true;
}

bool EditBuffer::kill(std::size_t begin, std::size_t end) {
  if (begin >= end) {
    return false;
  }
  const bool joins = last_ == Change::kKill && !kills_.empty();
  const bool backward = end == cursor_;
  const std::string killed = text_.substr(begin, end - begin);
  remember(Change::kKill);
  text_.erase(begin, end - begin);
  cursor_ = begin;
  if (joins) {
    kills_.back() = backward ? killed + kills_.back() : kills_.back() + killed;
  } else {
    kills_.push_back(killed);
  }
  if (kills_.size() > kEditorKillsMax) {
    kills_.erase(kills_.begin());
  }
  return true;
}

bool EditBuffer::yank() {
  if (kills_.empty()) {
    return false;
  }
  const std::size_t begin = cursor_;
  if (!insert(kills_.back())) {
    return false;
  }
  yank_begin_ = begin;
  yank_age_ = 0;
  last_ = Change::kYank;
  return true;
}

bool EditBuffer::yank_older() {
  if (last_ != Change::kYank || kills_.size() < 2) {
    return false;
  }
  yank_age_ = (yank_age_ + 1) % kills_.size();
  const bool replaced = replace(yank_begin_, cursor_, kills_[kills_.size() - 1 - yank_age_]);
  last_ = Change::kYank;
  return replaced;
}

bool EditBuffer::transpose() {
  if (text_.empty() || cursor_ == 0) {
    return false;
  }
  const std::size_t end = cursor_ < text_.size() ? next_grapheme(text_, cursor_) : cursor_;
  const std::size_t middle = previous_grapheme(text_, end);
  if (middle == 0) {
    return false;
  }
  const std::size_t begin = previous_grapheme(text_, middle);
  return replace(begin, end,
                 text_.substr(middle, end - middle) + text_.substr(begin, middle - begin));
}

bool EditBuffer::change_case(EditCommand command) {
  const std::size_t end = word_right();
  const std::string word = text_.substr(cursor_, end - cursor_);
  if (word.empty()) {
    return false;
  }
  return replace(cursor_, end,
                 command == EditCommand::kUpperWord   ? to_upper(word)
                 : command == EditCommand::kLowerWord ? to_lower(word)
                                                      : to_title(word));
}

void EditBuffer::remember(Change change) {
  const bool joins = change == Change::kTyping && last_ == Change::kTyping;
  last_ = change;
  redo_.clear();
  if (joins && !undo_.empty()) {
    return;
  }
  undo_.push_back({text_, cursor_});
  undo_bytes_ += text_.size();
  while (undo_.size() > kEditorUndoStepsMax || undo_bytes_ > kEditorUndoBytesMax) {
    undo_bytes_ -= undo_.front().text.size();
    undo_.erase(undo_.begin());
  }
}

bool EditBuffer::undo() {
  if (undo_.empty()) {
    return false;
  }
  redo_.push_back({std::move(text_), cursor_});
  State state = std::move(undo_.back());
  undo_.pop_back();
  undo_bytes_ -= state.text.size();
  text_ = std::move(state.text);
  cursor_ = state.cursor;
  last_ = Change::kNone;
  return true;
}

bool EditBuffer::redo() {
  if (redo_.empty()) {
    return false;
  }
  undo_bytes_ += text_.size();
  undo_.push_back({std::move(text_), cursor_});
  State state = std::move(redo_.back());
  redo_.pop_back();
  text_ = std::move(state.text);
  cursor_ = state.cursor;
  last_ = Change::kNone;
  return true;
}

std::size_t EditBuffer::line_start(std::size_t position) const {
  const std::size_t found = position == 0 ? std::string::npos : text_.rfind('\n', position - 1);
  return found == std::string::npos ? 0 : found + 1;
}

std::size_t EditBuffer::line_end(std::size_t position) const {
  return std::min(text_.find('\n', position), text_.size());
}

std::size_t EditBuffer::word_left(bool blanks_only) const {
  const auto inside = [&](std::size_t position) {
    std::size_t at = position;
    return blanks_only ? !is_space(next_code_point(text_, at)) : is_word(text_, position);
  };
  std::size_t position = cursor_;
  while (position > 0 && !inside(previous_grapheme(text_, position))) {
    position = previous_grapheme(text_, position);
  }
  while (position > 0 && inside(previous_grapheme(text_, position))) {
    position = previous_grapheme(text_, position);
  }
  return position;
}

std::size_t EditBuffer::word_right() const {
  std::size_t position = cursor_;
  while (position < text_.size() && !is_word(text_, position)) {
    position = next_grapheme(text_, position);
  }
  while (position < text_.size() && is_word(text_, position)) {
    position = next_grapheme(text_, position);
  }
  return position;
}

}  // namespace evq
