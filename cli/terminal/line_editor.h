#pragma once
// LineEditor: reads one text, of one line or several, from the user at a terminal, with colours as
// they type, completion, history and the keys of emacs. All knowledge of the language comes from
// callbacks. Enter ends the text when is_complete() says so and breaks the line otherwise;
// Alt-Enter always breaks it.
// Without an interactive terminal it reads plain lines, and joins them until the text is complete.
// Input that is typed ahead is kept for the next read. One thread at a time; the device and the
// history must outlive the editor. Callbacks run on the calling thread and must be quick: they are
// asked at every key.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/completion_menu.h"
#include "cli/terminal/edit_buffer.h"
#include "cli/terminal/history.h"
#include "cli/terminal/key_decoder.h"
#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"
#include "store/base/result.h"

namespace evq {

// The questions that the editor asks of its caller; any of them may be empty.
struct EditorCallbacks {
  // The styles of the text; where spans overlap, the later one wins.
  std::function<std::vector<StyledSpan>(std::string_view text)> highlight;
  std::function<CompletionList(std::string_view text, std::size_t cursor)> complete;
  // Proposes what may follow the text; shown dim behind it, taken over by Right or End.
  std::function<std::string(std::string_view text)> hint;
  // Whether a text is complete; absent: every one is. `known` bytes at the front of a plain text,
  // of whole lines, are what the call before was asked about; else it is 0.
  std::function<bool(std::string_view text, std::size_t known)> is_complete;
  // Edits the text in another program (external_editor.h), at Ctrl-X Ctrl-E.
  std::function<Result<std::string>(const std::string& text)> edit;
  // A remark on the text, such as the signature of the call that the cursor lies in; shown dim
  // below the text.
  std::function<std::string(std::string_view text, std::size_t cursor)> remark{};
  // Whether a line belongs to the complete text before it, with which it came at once, from a pipe
  // or pasted.
  std::function<bool(std::string_view text, std::string_view line)> continues{};
  // Whether a line that came so says nothing itself, such as a comment: the first other line behind
  // it is asked about, and takes it along.
  std::function<bool(std::string_view line)> is_aside{};
};

struct LineEditorOptions {
  std::string prompt = "> ";
  std::string continuation = "  ";  // before the second line and those after it
  bool color = false;
  // Rows of the completion menu.
  std::size_t menu_rows_max = 10;
};

enum class InputEvent : std::uint8_t {
  kText,
  kInterrupted,  // Ctrl-C; the text is what was dropped
  kEnd,          // Ctrl-D on an empty text, the end of the input, or the terminal is gone
};

struct EditorInput {
  InputEvent event = InputEvent::kEnd;
  std::string text;
};

class LineEditor {
 public:
  LineEditor(TerminalDevice& device, const History& history, EditorCallbacks callbacks,
             LineEditorOptions options);

  // Fails when the terminal's mode cannot be set, or with kTooLarge for a plain text over the
  // limit.
  Result<EditorInput> read();
  // Sets the prompt from the next read on.
  void set_prompt(std::string prompt) { options_.prompt = std::move(prompt); }

 private:
  Result<EditorInput> read_plain();
  // Whether the next line that is no aside belongs to the text; the asides before it are passed.
  bool next_line_continues(std::string_view text);
  void drop_plain(std::size_t size);
  // Reads one line; kData: `line` is one, be it the last that has no line break.
  ReadState next_plain_line(std::string& line);

  TerminalDevice& device_;
  const History& history_;
  const EditorCallbacks callbacks_;
  LineEditorOptions options_;
  EditBuffer buffer_;
  KeyDecoder decoder_;
  std::string plain_;       // read but not used yet
  std::size_t passed_ = 0;  // bytes of it that are asides, of whole lines
};

}  // namespace evq
