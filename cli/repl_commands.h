#pragma once
// The dot commands of the prompt, one row each in repl_commands.cpp; running, help and completion
// read the rows.

#include <string>
#include <string_view>

#include "cli/terminal/completion_menu.h"
#include "store/base/result.h"

namespace evq {

class Repl;

// Whether a text is a command: ".help", ".mode csv", and the bare words help, exit, quit and ?.
bool is_repl_command(std::string_view text);
// Whether a line that begins with a bar goes on with the command: its argument is a query.
bool takes_pipeline(std::string_view command);
// Runs a command; kUsage for an unknown command or argument, with a hint.
Status run_repl_command(Repl& repl, std::string_view text);
CompletionList complete_repl_command(Repl& repl, std::string_view text, std::size_t cursor);

}  // namespace evq
