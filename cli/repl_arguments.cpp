#include "cli/repl_arguments.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "apl/syntax/lexer.h"
#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/option_values.h"
#include "cli/repl.h"
#include "cli/terminal/terminal.h"
#include "store/base/ascii.h"
#include "store/base/file.h"
#include "store/base/time_zone.h"

namespace evq {

ParsedCommand parse_command(std::string_view text) {
  const auto trim = [](std::string_view part) {
    const std::size_t first = part.find_first_not_of(" \t\r\n");
    const std::size_t last = part.find_last_not_of(" \t\r\n;");
    return first == std::string_view::npos || last == std::string_view::npos || last < first
               ? std::string_view()
               : part.substr(first, last - first + 1);
  };
  text = trim(text);
  const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
  ParsedCommand command{std::string(text.substr(0, end)), std::string(trim(text.substr(end)))};
  constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
      {"?", ".help"},          {"help", ".help"},       {".h", ".help"},
      {".?", ".help"},         {"\\?", ".help"},        {"\\h", ".help"},
      {"exit", ".quit"},       {"exit()", ".quit"},     {"quit", ".quit"},
      {"quit()", ".quit"},     {".exit", ".quit"},      {".q", ".quit"},
      {":q", ".quit"},         {"\\q", ".quit"},        {".tables", ".datasets"},
      {".ls", ".datasets"},    {"\\dt", ".datasets"},   {".read", ".load"},
      {"\\i", ".load"},        {"\\o", ".output"},      {"\\watch", ".watch"},
      {"\\e", ".edit"},        {".open", ".store"},     {".timer", ".timing"},
      {"\\timing", ".timing"}, {".nullvalue", ".null"}, {".plan", ".explain"},
      {".fields", ".schema"},  {".columns", ".schema"}, {".describe", ".schema"},
      {"\\d", ".schema"},
  };
  const auto* const other = std::ranges::find(
      kOtherNames, command.name, &std::pair<std::string_view, std::string_view>::first);
  if (other != std::end(kOtherNames)) {
    command.name = other->second;
  }
  return command;
}

namespace {

// Where the dataset in front of the argument ends; npos while its quotes are open.
std::size_t dataset_end(std::string_view argument) {
  if (!argument.starts_with('[')) {
    return std::min(argument.find_first_of(" \t\r\n|"), argument.size());
  }
  const std::vector<syntax::HighlightToken> tokens = syntax::tokenize(argument);
  const bool quoted = tokens.size() >= 3 && tokens[1].kind == syntax::HighlightKind::kString &&
                      argument[tokens[2].span.begin] == ']';
  return quoted ? tokens[2].span.end : std::string_view::npos;
}

}  // namespace

DatasetArgument parse_dataset_argument(std::string_view argument) {
  const std::size_t end = dataset_end(argument);
  if (end == std::string_view::npos || !argument.starts_with('[')) {
    const std::size_t named = std::min(argument.find_first_of(" \t\r\n|"), argument.size());
    return {std::string(argument.substr(0, named)), std::string(argument.substr(named))};
  }
  const auto tokens = syntax::lex(argument.substr(0, end), 0);
  return {tokens.ok() ? (*tokens)[1].text : std::string(argument.substr(0, end)),
          std::string(argument.substr(end))};
}

CompletionList complete_dataset_argument(Repl& repl, std::string_view argument,
                                         std::size_t cursor) {
  std::string query(argument);
  const std::size_t end = dataset_end(argument);
  if (cursor <= end && !argument.starts_with('[')) {
    CompletionList list{0, cursor, {}};
    for (const std::string& name : dataset_names(repl)) {
      if (name.starts_with(argument.substr(0, cursor))) {
        list.items.push_back({name, "", "dataset"});
      }
    }
    return list;
  }
  // As a query it needs its bar, and quotes where the name is not plain.
  std::size_t added = 0;
  if (end != std::string_view::npos) {
    const std::size_t rest = argument.find_first_not_of(" \t\r\n", end);
    const bool barred = rest != std::string_view::npos && argument[rest] == '|';
    const std::string named(argument.substr(0, end));
    const std::string front = (named.starts_with('[') ? named : syntax::quote_name(named)) +
                              (barred || cursor <= end ? "" : "|");
    query.replace(0, end, front);
    added = front.size() - end;
  }
  CompletionList list = repl.complete_query(query, cursor + added);
  list.begin -= std::min(list.begin, added);
  list.end -= std::min(list.end, added);
  return list;
}

TimedQuery parse_timed_query(std::string_view argument) {
  TimedQuery timed;
  // No query begins like a number.
  if (argument.find_first_of("0123456789.+-") == 0) {
    const std::size_t end = std::min(argument.find_first_of(" \t\r\n|"), argument.size());
    timed.seconds = argument.substr(0, end);
    timed.begin = std::min(argument.find_first_not_of(kBlanks, end), argument.size());
  }
  timed.query = argument.substr(timed.begin);
  return timed;
}

ArgumentWords dataset_names(Repl& repl) {
  auto names = repl.target().completion().dataset_names();
  return names.ok() ? std::move(names).value() : ArgumentWords();
}

ArgumentWords form_names(Repl& /*repl*/) {
  return answer_form_names();
}

ArgumentWords switch_words(Repl& /*repl*/) {
  return {"on", "off"};
}

ArgumentWords duration_words(Repl& /*repl*/) {
  return {"15m", "1h", "6h", "1d", "7d", "30d", "today", "yesterday", "off"};
}

ArgumentWords zone_words(Repl& /*repl*/) {
  auto names = TimeZone::names();
  ArgumentWords words = names.ok() ? std::move(names).value() : ArgumentWords{"UTC"};
  words.emplace_back("local");
  return words;
}

ArgumentWords chart_kinds(Repl& /*repl*/) {
  ArgumentWords words;
  for (const std::string_view kind : syntax::chart_kinds()) {
    words.emplace_back(kind);
  }
  return words;
}

ArgumentWords starred_ids(Repl& repl) {
  ArgumentWords words;
  const auto objects = repl.target().saved_queries();
  if (objects.ok()) {
    for (const StoredObject& object : objects.value()) {
      words.push_back(object.id);
    }
  }
  return words;
}

Status check_time(const std::string& text) {
  if (lacks_unit(text)) {
    return unit_error(text);
  }
  return check_time(text, "a time", "write 1h, 7d, 2024-05-01, or 2024-05-01T12:00:00Z");
}

Status check_typed(const std::string& message, const std::string& hint) {
  return is_terminal(STDIN_FILENO) ? Status::success()
                                   : make_error(ErrorCode::kUsage, message, hint);
}

Status check_form(const std::string& form) {
  Status known = check_answer_form(form);
  if (known.ok()) {
    return known;
  }
  Error error = std::move(known).take_error();
  if (!error.hint.starts_with("did you mean")) {
    error.hint = answer_form_of_file("." + form).has_value()
                     ? "write it to a file: .save answer." + form
                     : ".mode lists them";
  }
  return error;
}

std::string unquoted(const std::string& argument) {
  const bool quoted = argument.size() >= 2 && (argument[0] == '\'' || argument[0] == '"') &&
                      argument.back() == argument[0];
  return quoted ? argument.substr(1, argument.size() - 2) : argument;
}

std::string expand_home(const std::string& path) {
  return expand_home(path, process_environment());
}

ArgumentWords paths_starting(const std::string& typed) {
  const std::size_t name_begin = typed.rfind('/') + 1;
  const std::string folder = typed.substr(0, name_begin);
  const std::string name = typed.substr(name_begin);
  const std::string place = folder.empty() ? "." : expand_home(folder);
  ArgumentWords paths;
  const auto entries = list_directory(place);
  if (!entries.ok()) {
    return paths;
  }
  for (const std::string& entry : entries.value()) {
    if (entry.starts_with(name) && (name.starts_with('.') || !entry.starts_with('.'))) {
      std::string& path = paths.emplace_back(folder);
      path.append(entry);
      path.append(is_directory(std::string(place).append("/").append(entry)) ? "/" : "");
    }
  }
  return paths;
}

}  // namespace evq
