// How an EditorSession looks: the prompt, the text in its colours, the hint, the menu.

#include <algorithm>

#include "cli/terminal/editor_session.h"
#include "cli/terminal/text_width.h"
#include "store/base/utf8.h"

namespace evq {

const std::string& EditorSession::shown_text() const {
  return search_ && search_->match ? parts_.history.entry(*search_->match) : parts_.buffer.text();
}

std::size_t EditorSession::shown_cursor() const {
  if (!search_ || !search_->match) {
    return parts_.buffer.cursor();
  }
  const std::string& text = shown_text();
  const std::size_t exact = text.find(search_->pattern);
  if (exact != std::string::npos) {
    return exact;
  }
  // Folding keeps the number of code points, so that a place in the folded text is one in the text.
  const std::string folded = fold_case(text);
  const std::size_t found = folded.find(fold_case(search_->pattern));
  return found == std::string::npos
             ? text.size()
             : code_point_offset(text, count_code_points(folded.substr(0, found)));
}

void EditorSession::update_highlight(const std::string& text) {
  if (highlight_known_ && highlighted_ == text) {
    return;
  }
  highlight_known_ = true;
  highlighted_ = text;
  styles_.assign(text.size(), TextStyle::kPlain);
  if (!parts_.callbacks.highlight || !parts_.options.color) {
    return;
  }
  for (const StyledSpan& span : parts_.callbacks.highlight(text)) {
    const std::size_t begin = std::min(span.begin, text.size());
    const std::size_t end = std::clamp(span.end, begin, text.size());
    std::fill(styles_.begin() + static_cast<std::ptrdiff_t>(begin),
              styles_.begin() + static_cast<std::ptrdiff_t>(end), span.style);
  }
}

void EditorSession::update_hint() {
  const std::string& text = parts_.buffer.text();
  if (hint_known_ && hinted_ == text) {
    return;
  }
  hint_known_ = true;
  hinted_ = text;
  // Without colour a hint could not be told from what was typed.
  const bool wanted = parts_.callbacks.hint && parts_.options.color;
  hint_ = wanted ? repair_utf8(parts_.callbacks.hint(text)) : std::string();
}

void EditorSession::append_remark(FrameBuilder& frame) {
  if (menu_.is_open() || !note_.empty()) {
    append_line(frame, menu_.is_open() ? menu_.list().note : note_);
    return;
  }
  if (!parts_.callbacks.remark) {
    return;
  }
  const std::string& text = parts_.buffer.text();
  const std::size_t cursor = parts_.buffer.cursor();
  if (text != remarked_ || cursor != remarked_cursor_) {
    remarked_ = text;
    remarked_cursor_ = cursor;
    remark_ = parts_.callbacks.remark(text, cursor);
  }
  append_line(frame, remark_);
}

void EditorSession::append_line(FrameBuilder& frame, const std::string& text) {
  if (text.empty()) {
    return;
  }
  frame.break_line();
  const std::size_t room = frame.columns_left() - std::min<std::size_t>(frame.columns_left(), 1);
  frame.append(truncate_to_width(visible_text(text, LineBreaks::kEscape, room), room),
               TextStyle::kDim);
}

void EditorSession::append_text(FrameBuilder& frame, const std::string& text, std::size_t cursor) {
  std::size_t position = 0;
  while (position < text.size()) {
    if (position == cursor) {
      frame.mark_cursor();
    }
    const std::size_t end = next_grapheme(text, position);
    if (cursor > position && cursor < end) {
      frame.mark_cursor();
    }
    if (text[position] == '\n') {
      frame.break_line();
      frame.append(parts_.options.continuation, TextStyle::kDim);
    } else {
      frame.append_cluster(std::string_view(text).substr(position, end - position),
                           styles_[position]);
    }
    position = end;
  }
  if (cursor >= text.size()) {
    frame.mark_cursor();
  }
}

void EditorSession::repaint(bool final) {
  if (final) {
    menu_.close();
    search_.reset();
  }
  FrameBuilder frame(size_.columns, parts_.options.color);
  if (search_) {
    const std::string_view state = search_->failed ? "no match" : "search";
    frame.append(std::string(state) + " '" + search_->pattern + "': ", TextStyle::kDim);
  } else {
    frame.append(parts_.options.prompt, TextStyle::kPrompt);
  }
  const std::string& text = shown_text();
  const std::size_t cursor = final ? text.size() : shown_cursor();
  update_highlight(text);
  append_text(frame, text, cursor);
  if (final && ended_ == InputEvent::kInterrupted) {
    frame.append("^C", TextStyle::kDim);
  }
  if (!final && !search_ && !menu_.is_open() && cursor == text.size()) {
    update_hint();
    // One line of it, on this row only.
    const std::string shown =
        visible_text(hint_.substr(0, hint_.find('\n')), LineBreaks::kEscape, frame.columns_left());
    frame.append(truncate_to_width(shown, frame.columns_left()), TextStyle::kDim);
  }
  frame.begin_footer();
  if (!final && !search_) {
    append_remark(frame);
  }
  if (menu_.is_open()) {
    menu_.append_rows(frame, menu_rows(), parts_.options.color);
  }
  const Frame rows = frame.take();
  gone_ = !(final ? painter_.paint_whole(rows, size_) : painter_.paint(rows, size_)) || gone_;
}

}  // namespace evq
