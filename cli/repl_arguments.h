#pragma once
// Dot commands as a person types them: their names, also those of other programs, what their
// arguments can be, for completion, and paths. The words are of the prompt that is given, and what
// cannot be told, as of a server that has gone, is no word. One thread, the prompt's.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/completion_menu.h"
#include "store/base/result.h"

namespace evq {

class Repl;
using ArgumentWords = std::vector<std::string>;

struct ParsedCommand {
  std::string name;  // the command's, also where another program's was given
  std::string argument;
};

// Splits off the first word; both without blanks and semicolons around them.
ParsedCommand parse_command(std::string_view text);

// A dataset, as named or as queries write it, and what stands behind: "['my-logs'] | where x".
struct DatasetArgument {
  std::string dataset;
  std::string rest;
};
DatasetArgument parse_dataset_argument(std::string_view argument);
// Finds what may stand at the cursor of such an argument; the rest of it is a pipeline, whose first
// bar may be missing.
CompletionList complete_dataset_argument(Repl& repl, std::string_view argument, std::size_t cursor);

// A number of seconds and a query, each of which may be missing: "5 web | count".
struct TimedQuery {
  std::string seconds;  // as it is written, well or not
  std::string query;
  std::size_t begin = 0;  // of the query in the argument
};
TimedQuery parse_timed_query(std::string_view argument);

ArgumentWords dataset_names(Repl& repl);
ArgumentWords form_names(Repl& repl);
ArgumentWords switch_words(Repl& repl);
ArgumentWords duration_words(Repl& repl);
ArgumentWords zone_words(Repl& repl);
ArgumentWords chart_kinds(Repl& repl);
ArgumentWords starred_ids(Repl& repl);

// Fails with kUsage and these words where standard input is no terminal, for commands that only a
// person at one can end.
Status check_typed(const std::string& message, const std::string& hint);
// kUsage for what is no time, or no form, with hints that hold at the prompt.
Status check_time(const std::string& text);
Status check_form(const std::string& form);
// Removes the pair of quotes around an argument, if there is one.
std::string unquoted(const std::string& argument);
// Replaces ~ in "~/rows.csv" by the home directory; other paths stay as they are.
std::string expand_home(const std::string& path);
// Lists the files and directories that a path which is being typed may become, directories with a
// slash at the end, in the order of their names. Hidden ones only when the dot is there.
ArgumentWords paths_starting(const std::string& typed);

}  // namespace evq
