#pragma once
// EditorSession: one interactive read of a LineEditor, from the first prompt to Enter. It turns
// keys into commands on the buffer, walks the history, runs the completion menu and the incremental
// search, and draws. Which key does what is two tables in editor_keys.cpp. Only line_editor.cpp
// makes one; the device is in raw mode meanwhile.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/line_editor.h"
#include "cli/terminal/screen_painter.h"

namespace evq {

// A key's command beyond editing text.
enum class SessionCommand : std::uint8_t {
  kAccept,   // Enter
  kNewLine,  // Alt-Enter
  kComplete,
  kCompleteBack,
  kInterrupt,
  kDeleteOrEnd,
  kCancel,
  kOlder,  // a line up, or the older entry
  kNewer,
  kOlderStarting,  // the older entry that starts as the text before the cursor
  kNewerStarting,
  kSearch,
  kForward,      // to the right, or takes over the hint
  kForwardEnd,   // to the line's end, or takes over the hint
  kForwardWord,  // a word to the right, or takes a word of the hint
  kClearScreen,
  kSuspend,
  kPrefix,  // Ctrl-X: the next key belongs to it
};

std::optional<EditCommand> find_edit_command(const Key& key);
std::optional<SessionCommand> find_session_command(const Key& key);

class EditorSession {
 public:
  // The editor's parts, all of which outlive the session.
  struct Parts {
    TerminalDevice& device;
    const History& history;
    const EditorCallbacks& callbacks;
    const LineEditorOptions& options;
    EditBuffer& buffer;
    KeyDecoder& decoder;
  };

  explicit EditorSession(Parts parts);
  EditorInput run();

 private:
  struct Search {
    std::string pattern;
    std::optional<std::size_t> match;
    bool failed = false;
  };

  // Waits for input and returns false at its end.
  bool read_keys();
  void handle(const Key& key);
  void handle_command(SessionCommand command);
  void handle_prefixed(const Key& key);
  // True when the key belonged to the open menu.
  bool handle_menu(const Key& key);
  // True when the key belonged to the search; otherwise the search has ended.
  bool handle_search(const Key& key);
  void end(InputEvent event);
  void bell();

  void insert(std::string_view text);
  void edit(EditCommand command);
  void accept();
  void start_completion(bool forward);
  void apply_choice();
  void cancel_menu();
  // Returns how many candidates the key moves in the open menu; 0 for other keys.
  std::ptrdiff_t menu_jump(const Key& key) const;
  std::size_t menu_rows() const;
  // Shows what goes on from the text now, while its beginning stays where it was.
  void reopen_menu(std::size_t begin);
  void walk_history(bool older, bool starting);
  void show_entry(std::size_t index);
  void search_again(bool older, bool from_next);
  void take_hint(EditCommand otherwise, bool word_only);
  void edit_outside();
  void suspend();

  const std::string& shown_text() const;
  std::size_t shown_cursor() const;
  void update_highlight(const std::string& text);
  void update_hint();
  void append_remark(FrameBuilder& frame);
  // Appends one line below what there is, dim and cut to the width; nothing for an empty text.
  static void append_line(FrameBuilder& frame, const std::string& text);
  void append_text(FrameBuilder& frame, const std::string& text, std::size_t cursor);
  void repaint(bool final);

  Parts parts_;
  ScreenPainter painter_;
  TerminalSize size_;
  CompletionMenu menu_;
  std::optional<Search> search_;
  bool prefixed_ = false;
  std::optional<InputEvent> ended_;
  bool gone_ = false;  // the terminal does not answer any more

  std::size_t history_at_;  // history.size(): the draft
  std::string draft_;

  std::string highlighted_;
  std::vector<TextStyle> styles_;  // of each byte of highlighted_
  bool highlight_known_ = false;
  std::string hint_;
  std::string hinted_;  // the text hint_ was made for
  bool hint_known_ = false;
  std::string remark_;
  std::string remarked_;  // the text remark_ was made for
  std::size_t remarked_cursor_ = 0;
  std::string note_;  // of the last completion, until the next key
};

}  // namespace evq
