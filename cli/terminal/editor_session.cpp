#include "cli/terminal/editor_session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/text_width.h"

namespace evq {

namespace {

// How often a waiting editor looks whether the terminal has a new size.
constexpr int kSizePollMs = 200;
// A lone Escape is one when nothing follows for this long; keys over a slow line come together.
constexpr int kEscapeTimeoutMs = 50;
constexpr std::size_t kReadBytes = 4096;
constexpr std::string_view kPasteModeOn = "\x1b[?2004h";
constexpr std::string_view kPasteModeOff = "\x1b[?2004l";

bool is_ctrl(const Key& key, std::string_view letter) {
  return key.code == KeyCode::kText && key.ctrl && key.text == letter;
}

}  // namespace

EditorSession::EditorSession(Parts parts)
    : parts_(parts),
      painter_(parts.device),
      size_(parts.device.size()),
      history_at_(parts.history.size()) {}

EditorInput EditorSession::run() {
  gone_ = !parts_.device.write(kPasteModeOn);
  // What was typed while the last text was at work comes first.
  while (!ended_ && !gone_) {
    if (std::optional<Key> key = parts_.decoder.next()) {
      handle(*key);
      continue;
    }
    repaint(false);
    if (!read_keys()) {
      end(InputEvent::kEnd);
    }
  }
  if (!gone_) {
    repaint(true);
    painter_.finish();
    parts_.device.write(kPasteModeOff);
  }
  return {ended_.value_or(InputEvent::kEnd), parts_.buffer.text()};
}

bool EditorSession::read_keys() {
  std::array<char, kReadBytes> buffer{};
  const bool ambiguous = parts_.decoder.is_ambiguous();
  const ReadOutcome outcome =
      parts_.device.read(buffer, ambiguous ? kEscapeTimeoutMs : kSizePollMs);
  switch (outcome.state) {
    case ReadState::kEnd:
      return false;
    case ReadState::kData:
      parts_.decoder.push({buffer.data(), outcome.size});
      break;
    case ReadState::kInterrupted:  // not in raw mode
    case ReadState::kTimeout:
      if (const std::optional<Key> key = parts_.decoder.flush()) {
        handle(*key);
      }
      break;
  }
  const TerminalSize size = parts_.device.size();
  if (!(size == size_)) {
    size_ = size;
    return painter_.resize(size);
  }
  return true;
}

void EditorSession::end(InputEvent event) {
  ended_ = event;
}

void EditorSession::bell() {
  gone_ = !parts_.device.write("\a") || gone_;
}

void EditorSession::handle(const Key& key) {
  note_.clear();
  if (prefixed_) {
    prefixed_ = false;
    handle_prefixed(key);
    return;
  }
  if ((search_ && handle_search(key)) || (menu_.is_open() && handle_menu(key))) {
    return;
  }
  if (const auto command = find_session_command(key)) {
    handle_command(*command);
  } else if (const auto editing = find_edit_command(key)) {
    edit(*editing);
  } else if (key.code == KeyCode::kPaste || (key.code == KeyCode::kText && !key.ctrl && !key.alt)) {
    insert(key.text);
  } else {
    bell();
  }
}

void EditorSession::handle_prefixed(const Key& key) {
  if (is_ctrl(key, "e")) {
    edit_outside();
  } else if (is_ctrl(key, "u")) {
    edit(EditCommand::kUndo);
  } else {
    bell();
  }
}

void EditorSession::handle_command(SessionCommand command) {
  switch (command) {
    case SessionCommand::kAccept:
      accept();
      return;
    case SessionCommand::kNewLine:
      insert("\n");
      return;
    case SessionCommand::kComplete:
    case SessionCommand::kCompleteBack:
      start_completion(command == SessionCommand::kComplete);
      return;
    case SessionCommand::kInterrupt:
      end(InputEvent::kInterrupted);
      return;
    case SessionCommand::kDeleteOrEnd:
      if (parts_.buffer.text().empty()) {
        end(InputEvent::kEnd);
      } else {
        edit(EditCommand::kDeleteRight);
      }
      return;
    case SessionCommand::kCancel:
      return;
    case SessionCommand::kOlder:
    case SessionCommand::kNewer:
      walk_history(command == SessionCommand::kOlder, false);
      return;
    case SessionCommand::kOlderStarting:
    case SessionCommand::kNewerStarting:
      walk_history(command == SessionCommand::kOlderStarting, true);
      return;
    case SessionCommand::kSearch:
      search_ = Search();
      return;
    case SessionCommand::kForward:
      take_hint(EditCommand::kRight, false);
      return;
    case SessionCommand::kForwardEnd:
      take_hint(EditCommand::kLineEnd, false);
      return;
    case SessionCommand::kForwardWord:
      take_hint(EditCommand::kWordRight, true);
      return;
    case SessionCommand::kClearScreen:
      gone_ = !painter_.clear_screen() || gone_;
      return;
    case SessionCommand::kSuspend:
      suspend();
      return;
    case SessionCommand::kPrefix:
      prefixed_ = true;
      return;
  }
}

// ---------------------------------------------------------------- text

void EditorSession::insert(std::string_view text) {
  if (!parts_.buffer.insert(text)) {
    bell();
  }
}

void EditorSession::edit(EditCommand command) {
  if (!parts_.buffer.apply(command)) {
    bell();
  }
}

void EditorSession::accept() {
  const std::string& text = parts_.buffer.text();
  const EditorCallbacks& callbacks = parts_.callbacks;
  // A terminal without bracketed paste sends pasted lines as if they were typed, all at once.
  std::string_view pending = parts_.decoder.pending();
  std::string_view line = pending.substr(0, pending.find_first_of("\r\n"));
  while (callbacks.is_aside && line.size() < pending.size() && callbacks.is_aside(line)) {
    pending.remove_prefix(line.size() + 1);
    line = pending.substr(0, pending.find_first_of("\r\n"));
  }
  const bool goes_on = callbacks.continues && !pending.empty() && callbacks.continues(text, line);
  if (!goes_on && (!callbacks.is_complete || callbacks.is_complete(text, 0))) {
    end(InputEvent::kText);
  } else {
    insert("\n");
  }
}

void EditorSession::take_hint(EditCommand otherwise, bool word_only) {
  const EditBuffer& buffer = parts_.buffer;
  update_hint();
  if (buffer.cursor() < buffer.text().size() || hint_.empty()) {
    edit(otherwise);
    return;
  }
  std::string_view taken = hint_;
  if (word_only) {
    const std::size_t start = taken.find_first_not_of(' ');
    taken = taken.substr(0, start == std::string_view::npos ? start : taken.find(' ', start));
  }
  insert(taken);
}

void EditorSession::edit_outside() {
  if (!parts_.callbacks.edit) {
    bell();
    return;
  }
  repaint(false);
  parts_.device.write(kPasteModeOff);
  painter_.finish();
  parts_.device.leave_raw_mode();
  Result<std::string> edited = parts_.callbacks.edit(parts_.buffer.text());
  gone_ = !parts_.device.enter_raw_mode().ok() || gone_;
  parts_.device.write(kPasteModeOn);
  if (!edited.ok()) {
    parts_.device.write(visible_text(edited.error().message) + "\r\n");
    return;
  }
  // Other editors end a file with a line break.
  while (edited->ends_with('\n')) {
    edited->pop_back();
  }
  if (!parts_.buffer.set_text(*edited)) {
    bell();
  }
}

void EditorSession::suspend() {
  repaint(false);
  parts_.device.write(kPasteModeOff);
  painter_.finish();
  parts_.device.suspend();
  gone_ = !parts_.device.write(kPasteModeOn) || gone_;
}

// ---------------------------------------------------------------- completion

void EditorSession::start_completion(bool forward) {
  if (!parts_.callbacks.complete) {
    bell();
    return;
  }
  EditBuffer& buffer = parts_.buffer;
  CompletionList list = parts_.callbacks.complete(buffer.text(), buffer.cursor());
  note_ = list.note;
  if (list.items.empty()) {
    bell();
    return;
  }
  const std::string_view text = buffer.text();
  const std::size_t begin = std::min(list.begin, text.size());
  const std::string_view typed = text.substr(begin, list.end - std::min(begin, list.end));
  // What does not go on from what was typed is a guess, and for the user to take.
  const bool sure = list.note.empty() && begins_as_typed(list.items[0], typed);
  if (list.items.size() == 1 && sure) {
    if (!buffer.replace(list.begin, list.end, list.items[0].replacement)) {
      bell();
    }
    return;
  }
  const std::string prefix = common_prefix(list);
  if (sure && prefix.size() > typed.size() && buffer.replace(list.begin, list.end, prefix)) {
    list.end = list.begin + prefix.size();
  }
  menu_.open(std::move(list), buffer.text(), buffer.cursor());
  if (!forward) {
    menu_.step(false);
    apply_choice();
  }
}

void EditorSession::apply_choice() {
  const Completion* chosen = menu_.chosen();
  // The chosen text takes the place of the one shown before it, as one step of undo each.
  if (chosen != nullptr &&
      (!parts_.buffer.set_text(menu_.original_text()) ||
       !parts_.buffer.replace(menu_.list().begin, menu_.list().end, chosen->replacement))) {
    bell();
  }
}

void EditorSession::cancel_menu() {
  if (menu_.chosen() != nullptr) {
    parts_.buffer.set_text(menu_.original_text());
    parts_.buffer.set_cursor(menu_.original_cursor());
  }
  menu_.close();
}

std::size_t EditorSession::menu_rows() const {
  return std::min(parts_.options.menu_rows_max, std::max<std::size_t>(size_.rows / 2, 2));
}

std::ptrdiff_t EditorSession::menu_jump(const Key& key) const {
  const auto all = static_cast<std::ptrdiff_t>(menu_.list().items.size());
  const auto page = static_cast<std::ptrdiff_t>(std::max<std::size_t>(menu_rows(), 2)) - 1;
  const std::pair<KeyCode, std::ptrdiff_t> jumps[] = {{KeyCode::kPageUp, -page},
                                                      {KeyCode::kPageDown, page},
                                                      {KeyCode::kHome, -all},
                                                      {KeyCode::kEnd, all}};
  const auto* const found =
      std::ranges::find(jumps, key.code, &std::pair<KeyCode, std::ptrdiff_t>::first);
  return found == std::end(jumps) ? 0 : found->second;
}

void EditorSession::reopen_menu(std::size_t begin) {
  EditBuffer& buffer = parts_.buffer;
  CompletionList list = parts_.callbacks.complete(buffer.text(), buffer.cursor());
  if (!list.items.empty() && list.begin == begin && buffer.cursor() >= begin) {
    menu_.open(std::move(list), buffer.text(), buffer.cursor());
  }
}

bool EditorSession::handle_menu(const Key& key) {
  const bool forward =
      (key.code == KeyCode::kTab && !key.shift) || key.code == KeyCode::kDown || is_ctrl(key, "n");
  const bool back =
      (key.code == KeyCode::kTab && key.shift) || key.code == KeyCode::kUp || is_ctrl(key, "p");
  if (forward || back) {
    menu_.step(forward);
    apply_choice();
    return true;
  }
  if (key.code == KeyCode::kEscape || is_ctrl(key, "g")) {
    cancel_menu();
    return true;
  }
  if (const std::ptrdiff_t count = menu_jump(key); count != 0) {
    menu_.jump(count);
    apply_choice();
    return true;
  }
  const bool chosen = menu_.chosen() != nullptr;
  const std::size_t begin = menu_.list().begin;
  menu_.close();
  const bool text = key.code == KeyCode::kText && !key.ctrl && !key.alt;
  if (!chosen && (text || find_edit_command(key) == EditCommand::kDeleteLeft)) {
    text ? insert(key.text) : edit(EditCommand::kDeleteLeft);
    reopen_menu(begin);
    return true;
  }
  // Enter takes the choice; any other key goes on with it.
  return chosen && key.code == KeyCode::kEnter && !key.alt;
}

// ---------------------------------------------------------------- history

void EditorSession::show_entry(std::size_t index) {
  const History& history = parts_.history;
  if (history_at_ == history.size()) {
    draft_ = parts_.buffer.text();
  }
  history_at_ = index;
  parts_.buffer.set_text(index == history.size() ? draft_ : history.entry(index));
}

void EditorSession::walk_history(bool older, bool starting) {
  EditBuffer& buffer = parts_.buffer;
  if (!starting && buffer.apply(older ? EditCommand::kLineUp : EditCommand::kLineDown)) {
    return;
  }
  const History& history = parts_.history;
  if (!starting) {
    if (older ? history_at_ == 0 : history_at_ >= history.size()) {
      bell();
    } else {
      show_entry(older ? history_at_ - 1 : history_at_ + 1);
    }
    return;
  }
  const std::size_t cursor = buffer.cursor();
  const std::string prefix = buffer.text().substr(0, cursor);
  std::optional<std::size_t> found;
  if (older) {
    found = history.find_starting(prefix, history_at_);
  } else {
    for (std::size_t i = history_at_ + 1; i <= history.size() && !found; ++i) {
      const bool matches = i == history.size() || history.entry(i).starts_with(prefix);
      found = matches ? std::optional(i) : std::nullopt;
    }
  }
  if (!found) {
    bell();
    return;
  }
  show_entry(*found);
  buffer.set_cursor(cursor);
}

void EditorSession::search_again(bool older, bool from_next) {
  const History& history = parts_.history;
  Search& search = *search_;
  const std::size_t at = search.match.value_or(history.size());
  std::optional<std::size_t> found;
  if (older) {
    found = history.find_containing(search.pattern, from_next ? at : at + 1);
  } else {
    found = history.find_containing_after(search.pattern, at + 1);
  }
  search.failed = !found;
  if (found) {
    search.match = found;
  } else {
    bell();
  }
}

bool EditorSession::handle_search(const Key& key) {
  Search& search = *search_;
  if (is_ctrl(key, "r") || is_ctrl(key, "s")) {
    search_again(is_ctrl(key, "r"), true);
    return true;
  }
  if (key.code == KeyCode::kBackspace && !key.alt) {
    if (!search.pattern.empty()) {
      search.pattern.erase(previous_grapheme(search.pattern, search.pattern.size()));
    }
    search.match.reset();
    search.failed = false;
    if (!search.pattern.empty()) {
      search_again(true, true);
    }
    return true;
  }
  if ((key.code == KeyCode::kText && !key.ctrl && !key.alt) || key.code == KeyCode::kPaste) {
    search.pattern += key.text;
    search_again(true, false);
    return true;
  }
  if (is_ctrl(key, "g") || is_ctrl(key, "c")) {
    search_.reset();
    return true;
  }
  // Any other key takes the match over and then does what it always does, save Escape.
  if (search.match) {
    const std::size_t cursor = shown_cursor();
    show_entry(*search.match);
    parts_.buffer.set_cursor(cursor);
  }
  search_.reset();
  return key.code == KeyCode::kEscape;
}

}  // namespace evq
