#pragma once
// Editing a text in the user's own editor: VISUAL, else EDITOR, else vi, run by the shell on a
// private temporary file, which is removed again. The terminal must be out of raw mode. Fails when
// the editor cannot be run or ends with a failure, which is how users discard their changes.

#include <string>

#include "cli/terminal/terminal.h"
#include "store/base/result.h"

namespace evq {

// `file_name` tells the editor the language by its suffix. The editor uses the process's own
// standard streams. The result is whatever bytes the file holds then, at most kSmallFileBytesMax.
// `written`, unless it is null, tells whether the editor has written the file.
Result<std::string> edit_in_external_editor(const std::string& text, const std::string& file_name,
                                            const Environment& environment,
                                            bool* written = nullptr);

}  // namespace evq
