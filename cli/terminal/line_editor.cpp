#include "cli/terminal/line_editor.h"

#include <algorithm>
#include <array>
#include <utility>

#include "cli/terminal/editor_session.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq {

namespace {

constexpr std::size_t kPlainReadBytes = 4096;
// How long a complete text waits for a line that may belong to it; a file's lines come at once.
constexpr int kNextLineWaitMs = 20;

}  // namespace

LineEditor::LineEditor(TerminalDevice& device, const History& history, EditorCallbacks callbacks,
                       LineEditorOptions options)
    : device_(device),
      history_(history),
      callbacks_(std::move(callbacks)),
      options_(std::move(options)) {}

Result<EditorInput> LineEditor::read() {
  if (!device_.is_interactive()) {
    return read_plain();
  }
  RawMode raw(device_);
  EVQ_TRY(raw.take_status());
  buffer_.reset();
  return EditorSession({device_, history_, callbacks_, options_, buffer_, decoder_}).run();
}

ReadState LineEditor::next_plain_line(std::string& line) {
  while (true) {
    const std::size_t end = plain_.find('\n');
    if (end != std::string::npos) {
      line = plain_.substr(0, end);
      drop_plain(end + 1);
      break;
    }
    std::array<char, kPlainReadBytes> buffer{};
    const bool too_long = plain_.size() > kEditorTextBytesMax;
    const ReadOutcome outcome = too_long ? ReadOutcome{} : device_.read(buffer, -1);
    if (outcome.state == ReadState::kInterrupted) {
      drop_plain(plain_.size());
      return ReadState::kInterrupted;
    }
    if (outcome.state == ReadState::kEnd) {
      line = plain_;
      drop_plain(plain_.size());
      return line.empty() ? ReadState::kEnd : ReadState::kData;
    }
    plain_.append(buffer.data(), outcome.size);
  }
  if (line.ends_with('\r')) {
    line.pop_back();
  }
  return ReadState::kData;
}

void LineEditor::drop_plain(std::size_t size) {
  plain_.erase(0, size);
  passed_ -= std::min(passed_, size);
}

bool LineEditor::next_line_continues(std::string_view text) {
  if (!callbacks_.continues) {
    return false;
  }
  while (true) {
    const std::size_t end = plain_.find('\n', passed_);
    if (end == std::string::npos && plain_.size() <= kEditorTextBytesMax) {
      std::array<char, kPlainReadBytes> buffer{};
      const ReadOutcome outcome = device_.read(buffer, kNextLineWaitMs);
      if (outcome.state == ReadState::kData) {
        plain_.append(buffer.data(), outcome.size);
        continue;
      }
    }
    const std::string_view line = std::string_view(plain_).substr(passed_, end - passed_);
    if (end == std::string::npos || !callbacks_.is_aside || !callbacks_.is_aside(line)) {
      return callbacks_.continues(text, line);
    }
    passed_ = end + 1;
  }
}

Result<EditorInput> LineEditor::read_plain() {
  EditorInput input;
  std::string line;
  std::size_t incomplete = 0;  // bytes of the text that are known to be
  bool first = true;
  while (true) {
    if (device_.shows_prompt()) {
      device_.write(first ? options_.prompt : options_.continuation);
    }
    const ReadState read = next_plain_line(line);
    if (read == ReadState::kInterrupted) {
      device_.write("\n");  // behind the ^C
      input.event = InputEvent::kInterrupted;
      return input;
    }
    if (read == ReadState::kEnd) {
      if (device_.shows_prompt()) {
        device_.write("\n");  // behind the prompt
      }
      input.event = is_blank(input.text) ? InputEvent::kEnd : InputEvent::kText;
      return input;
    }
    input.text.append(first ? "" : "\n").append(line);
    first = false;
    if (input.text.size() > kEditorTextBytesMax) {
      return make_error(ErrorCode::kTooLarge, "the text is longer than " +
                                                  std::to_string(kEditorTextBytesMax) + " bytes");
    }
    // The next line is asked first, because it costs less than a look at all there is so far: a
    // long pipeline is looked at once.
    if (next_line_continues(input.text)) {
      input.text.append(passed_ > 0 ? "\n" : "").append(plain_, 0, passed_ - (passed_ > 0 ? 1 : 0));
      drop_plain(passed_);
      continue;
    }
    if (!callbacks_.is_complete || callbacks_.is_complete(input.text, incomplete)) {
      input.event = InputEvent::kText;
      return input;
    }
    incomplete = input.text.size();
  }
}

}  // namespace evq
