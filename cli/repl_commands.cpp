#include "cli/repl_commands.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "apl/service/reference.h"
#include "apl/service/starred.h"
#include "apl/syntax/diagnostics.h"
#include "cli/answer_output.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/repl.h"
#include "cli/repl_answer_commands.h"
#include "cli/repl_arguments.h"
#include "cli/tail.h"
#include "cli/terminal/external_editor.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/text_width.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

using Words = ArgumentWords;

// How long a key may wait for a server that tells the values of an argument.
constexpr std::int64_t kPatienceMsMax = 2000;

enum class ArgumentKind : std::uint8_t {
  kWord,
  kPath,      // a file or a directory
  kQuery,     // APL
  kTimed,     // APL with a number of seconds in front
  kPipeline,  // a dataset and APL behind it
};

bool holds_query(ArgumentKind kind) {
  return kind == ArgumentKind::kQuery || kind == ArgumentKind::kTimed ||
         kind == ArgumentKind::kPipeline;
}

struct CommandRow {
  std::string_view name;
  std::string_view argument;  // as help shows it
  std::string_view summary;
  Status (*run)(Repl& repl, const std::string& argument);
  Words (*complete)(Repl& repl);  // values of the argument; may be null
  ArgumentKind argument_kind = ArgumentKind::kWord;
};
std::span<const CommandRow> all_commands();

Words help_topics(Repl& /*repl*/) {
  Words words = reference_names();
  for (const CommandRow& row : all_commands()) {
    words.emplace_back(row.name.substr(1));
  }
  return words;
}

// ---------------------------------------------------------------- pieces

// What a command sets: told with an argument, and with none the answer to who asks.
void tell_setting(Repl& repl, const std::string& argument, const std::string& line) {
  if (argument.empty()) {
    repl.print(line + "\n");
  } else {
    repl.tell(line);
  }
}

// Switches with an argument, tells without one.
Status set_switch(Repl& repl, const std::string& argument, std::string_view name, bool* value) {
  if (!argument.empty()) {
    if (argument != "on" && argument != "off") {
      return make_error(ErrorCode::kUsage, "'" + argument + "' is neither on nor off");
    }
    *value = argument == "on";
  }
  tell_setting(repl, argument, std::string(name) + " is " + (*value ? "on" : "off"));
  return Status::success();
}

// The dataset that a command without an argument means.
Result<std::string> usual_dataset(Repl& repl) {
  const Words names = dataset_names(repl);
  if (repl.last_answer() != nullptr && !repl.last_answer()->header().datasets.empty()) {
    const std::string& asked = repl.last_answer()->header().datasets[0];
    if (std::ranges::find(names, asked) != names.end()) {  // it may be another store's
      return asked;
    }
  }
  if (names.size() == 1) {
    return names[0];
  }
  return make_error(ErrorCode::kUsage, "which dataset?",
                    names.empty() ? "there is none yet" : "for example .schema " + names[0]);
}

// ---------------------------------------------------------------- the commands

Status run_help(Repl& repl, const std::string& argument) {
  if (!argument.empty()) {
    const bool dotted = argument[0] == '.';
    const std::string_view word = std::string_view(argument).substr(dotted ? 1 : 0);
    const auto topic = reference_topic(argument);
    for (const CommandRow& row : all_commands()) {
      if (row.name.substr(1) == word) {
        repl.print(std::string(row.name) + " " + std::string(row.argument) + "\n    " +
                   std::string(row.summary) + "\n" + (topic.ok() ? "\n" : ""));
        if (!topic.ok()) {
          return Status::success();
        }
      }
    }
    if (!topic.ok()) {
      return topic.error();
    }
    repl.print(wrapped_help(topic.value()));
    return Status::success();
  }
  constexpr std::size_t kUsageWidth = 28;
  std::string text =
      "Type a query and Enter; an unfinished one goes on in the next line, and a line\n"
      "that begins with a bar goes on from the last answered query.\n\n";
  for (const CommandRow& row : all_commands()) {
    std::string usage = std::string(row.name) + " " + std::string(row.argument);
    usage.append(kUsageWidth - std::min(usage.size(), kUsageWidth - 1), ' ');
    text.append("  ").append(usage).append(row.summary).append("\n");
  }
  text +=
      "\n"
      "  Tab completes, Right takes the grey hint, Up and Ctrl-R search the history,\n"
      "  Alt-Enter breaks the line, Ctrl-X Ctrl-E opens your editor, Ctrl-C cancels,\n"
      "  Ctrl-D leaves. .help summarize explains an operator or function;\n"
      "  .help functions lists them all.\n";
  repl.print(text);
  return Status::success();
}

Status run_datasets(Repl& repl, const std::string& /*argument*/) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, repl.target().dataset_names());
  if (names.empty()) {
    repl.print("no datasets yet; evq ingest NAME FILE makes one\n");
    return Status::success();
  }
  EVQ_TRY_ASSIGN(const std::string text, repl.target().datasets_table(repl.settings().zone));
  repl.print(text);
  return Status::success();
}

Status run_schema(Repl& repl, const std::string& argument) {
  DatasetArgument named = parse_dataset_argument(argument);
  std::string dataset = named.rest.empty() ? std::move(named.dataset) : argument;
  if (dataset.empty()) {
    EVQ_TRY_ASSIGN(dataset, usual_dataset(repl));
  }
  auto text = repl.target().fields_table(dataset);
  if (!text.ok()) {
    return with_near_name(text.error(), dataset, dataset_names(repl), ".datasets");
  }
  repl.print(text.value());
  return Status::success();
}

// .tail web where status >= 500
Status run_tail_here(Repl& repl, const std::string& argument) {
  DatasetArgument parts = parse_dataset_argument(argument);
  TailCommand command;
  command.dataset = std::move(parts.dataset);
  command.pipeline = unquoted(std::string(trimmed(parts.rest)));  // as a shell wants it
  command.since = repl.settings().since;
  EVQ_TRY(check_typed(".tail goes on until Ctrl-C ends it, and standard input is no terminal",
                      "a shell shows events that arrive: evq tail DATASET"));
  if (command.dataset.empty()) {
    EVQ_TRY_ASSIGN(command.dataset, usual_dataset(repl));
  }
  return repl.follow(command);
}

Status run_mode(Repl& repl, const std::string& argument) {
  if (argument.empty()) {
    std::string text = "answers are shown as " + repl.settings().form + "; there are\n";
    for (const AnswerForm& form : answer_forms()) {
      std::string name(form.name);
      name.resize(std::max<std::size_t>(name.size(), 10), ' ');
      text.append("  ").append(name).append(form.summary).append("\n");
    }
    repl.print(text);
    return Status::success();
  }
  EVQ_TRY(check_form(argument));
  repl.settings().form = argument;
  repl.settings().form_chosen = argument != "auto";
  return Status::success();
}

// One end of the times that queries read: moves it with an argument, tells it without one.
Status set_bound(Repl& repl, const std::string& argument, std::string* bound,
                 const std::string& unbounded, const std::string& bounded) {
  if (argument == "off" || argument == "all") {
    bound->clear();
  } else if (!argument.empty()) {
    EVQ_TRY(check_time(argument));
    *bound = argument;
  }
  tell_setting(repl, argument, bound->empty() ? unbounded : bounded + *bound);
  return Status::success();
}

Status run_since(Repl& repl, const std::string& argument) {
  ReplSettings& settings = repl.settings();
  const std::string until = settings.until.empty() ? "" : " until " + settings.until;
  return set_bound(repl, argument, &settings.since, "queries read all times" + until,
                   "queries read events since ");
}

Status run_until(Repl& repl, const std::string& argument) {
  return set_bound(repl, argument, &repl.settings().until, "queries read up to the newest event",
                   "queries read events until ");
}

Status run_zone(Repl& repl, const std::string& argument) {
  if (!argument.empty()) {
    EVQ_TRY_ASSIGN(repl.settings().zone, DisplayZone::load(argument));
  }
  tell_setting(repl, argument, "times are shown in " + repl.settings().zone.name());
  return Status::success();
}

Status run_limit(Repl& repl, const std::string& argument) {
  std::uint64_t& limit = repl.settings().rows_max;
  if (argument == "all" || argument == "off") {
    limit = 0;
  } else if (!argument.empty()) {
    std::uint64_t number = 0;
    const char* end = argument.data() + argument.size();
    const auto [at, error] = std::from_chars(argument.data(), end, number);
    if (error != std::errc() || at != end || number == 0) {
      return make_error(ErrorCode::kUsage, "'" + argument + "' is not a number of rows",
                        "write .limit 5000, or .limit all");
    }
    limit = number;
  }
  tell_setting(repl, argument,
               limit == 0 ? "queries show all rows"
                          : "queries without a limit show " + counted_text(limit, "row"));
  return Status::success();
}

Status run_timeout(Repl& repl, const std::string& argument) {
  double& timeout = repl.settings().timeout_s;
  if (argument == "off") {
    timeout = 0;
  } else if (!argument.empty()) {
    const std::optional<double> seconds = parse_seconds(argument);
    if (!seconds.has_value()) {
      return make_error(ErrorCode::kUsage, "'" + argument + "' is not a number of seconds",
                        "write 30, 0.5, 30s or 5m");
    }
    timeout = *seconds;
  }
  tell_setting(repl, argument,
               timeout == 0
                   ? std::string("queries may take as long as they need")
                   : "queries may take " + elapsed_text(static_cast<std::int64_t>(timeout * 1000)));
  return Status::success();
}

Status run_load(Repl& repl, const std::string& argument) {
  if (argument.empty()) {
    return make_error(ErrorCode::kUsage, "which file?", "for example .load errors.apl");
  }
  const std::string path = unquoted(argument);
  EVQ_TRY_ASSIGN(std::string text, read_query_file(expand_home(path)));
  text.erase(text.find_last_not_of('\n') + 1);
  return repl.take(text, path);
}

Status run_edit(Repl& repl, const std::string& /*argument*/) {
  EVQ_TRY(check_typed(".edit needs someone at a terminal, and standard input is none",
                      "a file of queries: .load FILE"));
  bool written = false;
  EVQ_TRY_ASSIGN(std::string apl, edit_in_external_editor(repl.last_query(), "query.apl",
                                                          process_environment(), &written));
  apl.erase(apl.find_last_not_of('\n') + 1);
  if (!written || apl.empty()) {
    return Status::success();
  }
  repl.tell(visible_text(apl, LineBreaks::kKeep));
  repl.remember(apl);
  return repl.take(apl);
}

// Prints what `tell` says of the query given, or of the last one.
Status print_about_query(Repl& repl, const std::string& argument, std::string_view command,
                         Result<std::string> (Repl::*tell)(const std::string& apl)) {
  const std::string& apl = argument.empty() ? repl.last_query() : argument;
  if (apl.empty()) {
    return make_error(ErrorCode::kUsage, "there is no query yet",
                      "write " + std::string(command) + " and the query, or run it first");
  }
  const Result<std::string> text = (repl.*tell)(apl);
  if (!text.ok()) {
    repl.fail(text.error(), apl);
    return Status::success();
  }
  repl.print(visible_text(text.value(), LineBreaks::kKeep));  // names of fields are data
  return Status::success();
}

Status run_explain(Repl& repl, const std::string& argument) {
  return print_about_query(repl, argument, ".explain", &Repl::explain);
}

Status run_profile(Repl& repl, const std::string& argument) {
  return print_about_query(repl, argument, ".profile", &Repl::profile);
}

Status run_timing(Repl& repl, const std::string& argument) {
  return set_switch(repl, argument, "the line under answers", &repl.settings().footer);
}

Status run_pager(Repl& repl, const std::string& argument) {
  return set_switch(repl, argument, "the pager", &repl.settings().pager);
}

Status run_null(Repl& repl, const std::string& argument) {
  std::string& text = repl.settings().null_text;
  if (!argument.empty()) {
    text = unquoted(argument);
  }
  tell_setting(repl, argument,
               "null is shown as " + (text.empty() ? "nothing" : visible_text(text)));
  return Status::success();
}

Status run_starred(Repl& repl, const std::string& argument) {
  if (!argument.empty()) {
    EVQ_TRY_ASSIGN(const StoredObject stored, repl.target().saved_query(argument));
    EVQ_TRY_ASSIGN(QueryRequest saved, starred_request(stored));
    repl.tell(visible_text(saved.apl, LineBreaks::kKeep));
    repl.ask_saved(std::move(saved));
    return Status::success();
  }
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> stored, repl.target().saved_queries());
  std::string text;
  for (const StoredObject& object : stored) {
    EVQ_TRY_ASSIGN(const QueryRequest request, starred_request(object));
    text += "  " + visible_text(object.id) + "  " + visible_text(request.apl) + "\n";
  }
  repl.print(text.empty() ? "no saved queries; evq starred put ID saves one\n" : text);
  return Status::success();
}

Status run_store(Repl& repl, const std::string& argument) {
  if (!argument.empty()) {
    EVQ_TRY(repl.use_store(expand_home(argument)));
  }
  tell_setting(repl, argument, visible_text(repl.place()));
  return Status::success();
}

Status run_quit(Repl& repl, const std::string& /*argument*/) {
  repl.quit();
  return Status::success();
}

constexpr CommandRow kCommands[] = {
    {".help", "[TOPIC]", "These commands, or an operator or function", run_help, help_topics},
    {".datasets", "", "What can be queried", run_datasets, nullptr},
    {".schema", "[DATASET]", "Fields and their types", run_schema, dataset_names},
    {".tail", "[DATASET] [PIPELINE]", "The newest events, then those that arrive", run_tail_here,
     nullptr, ArgumentKind::kPipeline},
    {".since", "[1h|7d|TIME|off]", "Read only newer events", run_since, duration_words},
    {".until", "[TIME|off]", "Read only older events", run_until, duration_words},
    {".mode", "[FORM]", "How answers are shown", run_mode, form_names},
    {".last", "[FORM]", "Show the last answer again", run_last, form_names},
    {".chart", "[KIND]", "Show the last answer as a picture", run_chart, chart_kinds},
    {".watch", "[SECONDS] [QUERY]", "The last query, or this one, again and again", run_watch,
     nullptr, ArgumentKind::kTimed},
    {".save", "FILE", "Write the last answer, or the query to FILE.apl", run_save, nullptr,
     ArgumentKind::kPath},
    {".output", "[FILE]", "Write answers to a file from now on", run_output, nullptr,
     ArgumentKind::kPath},
    {".once", "FILE", "Write the next answer to a file", run_once, nullptr, ArgumentKind::kPath},
    {".load", "FILE", "Run the queries and commands in a file", run_load, nullptr,
     ArgumentKind::kPath},
    {".edit", "", "Change the last query in your editor and run it", run_edit, nullptr},
    {".starred", "[ID]", "Saved queries; run one", run_starred, starred_ids},
    {".explain", "[QUERY]", "The plan of a query", run_explain, nullptr, ArgumentKind::kQuery},
    {".profile", "[QUERY]", "The plan with what each part cost; runs the query", run_profile,
     nullptr, ArgumentKind::kQuery},
    {".stats", "", "What the last query read", run_stats, nullptr},
    {".timing", "[on|off]", "The line under answers", run_timing, switch_words},
    {".limit", "[N|all]", "Rows of queries without a limit", run_limit, nullptr},
    {".timeout", "[SECONDS|off]", "How long queries may take", run_timeout, nullptr},
    {".tz", "[ZONE]", "Time zone of tables and charts", run_zone, zone_words},
    {".null", "[TEXT]", "How tables show null", run_null, nullptr},
    {".pager", "[on|off]", "Page long answers", run_pager, switch_words},
    {".store", "[DIR]", "Show or change the store", run_store, nullptr, ArgumentKind::kPath},
    {".quit", "", "Leave, as Ctrl-D does", run_quit, nullptr},
};

std::span<const CommandRow> all_commands() {
  return kCommands;
}

}  // namespace

bool is_repl_command(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && (text[first] == '.' || text[first] == '\\')) {
    return true;
  }
  const ParsedCommand command = parse_command(text);
  return (command.name == ".help" && command.argument.find('|') == std::string::npos) ||
         (command.name == ".quit" && command.argument.empty());
}

bool takes_pipeline(std::string_view command) {
  const auto* row = std::ranges::find(kCommands, parse_command(command).name, &CommandRow::name);
  return row != std::end(kCommands) && holds_query(row->argument_kind);
}

Status run_repl_command(Repl& repl, std::string_view text) {
  const ParsedCommand command = parse_command(text);
  const auto* row = std::ranges::find(kCommands, command.name, &CommandRow::name);
  if (row != std::end(kCommands)) {
    if (row->argument.empty() && !command.argument.empty() && row->run != run_quit) {
      return make_error(
          ErrorCode::kUsage, command.name + " takes no argument",
          row->run == run_datasets ? "the fields of one: .schema " + command.argument : "");
    }
    return row->run(repl, command.argument);
  }
  std::vector<std::string_view> names;
  for (const CommandRow& each : kCommands) {
    names.push_back(each.name);
  }
  const std::string near = diag::did_you_mean(command.name, names);
  return make_error(ErrorCode::kUsage, "there is no command '" + command.name + "'",
                    near.empty() ? "see .help" : near);
}

CompletionList complete_repl_command(Repl& repl, std::string_view text, std::size_t cursor) {
  CompletionList list;
  const std::string_view before = text.substr(0, cursor);
  list.end = cursor;
  const std::size_t blank = before.find_last_of(" \t");
  if (blank == std::string_view::npos) {
    for (const CommandRow& row : kCommands) {
      if (row.name.starts_with(before)) {
        list.items.push_back({std::string(row.name) + (row.argument.empty() ? "" : " "),
                              std::string(row.name), std::string(row.summary)});
      }
    }
    return list;
  }
  const ParsedCommand command = parse_command(before);
  const auto* row = std::ranges::find(kCommands, command.name, &CommandRow::name);
  if (row == std::end(kCommands)) {
    return list;
  }
  std::size_t argument =
      std::min(before.find_first_not_of(" \t", before.find_first_of(" \t")), cursor);
  const InterruptScope patience(Interrupted::kInput, kPatienceMsMax);
  if (row->argument_kind == ArgumentKind::kTimed) {
    argument += parse_timed_query(before.substr(argument)).begin;
  }
  if (holds_query(row->argument_kind)) {
    const std::string_view rest = text.substr(argument);
    list = row->argument_kind == ArgumentKind::kPipeline
               ? complete_dataset_argument(repl, rest, cursor - argument)
               : repl.complete_query(rest, cursor - argument);
    list.begin += argument;
    list.end += argument;
  } else if (row->argument_kind == ArgumentKind::kPath) {
    list.begin = argument;
    for (const std::string& path : paths_starting(std::string(before.substr(argument)))) {
      list.items.push_back({path, "", ""});
    }
  } else if (row->complete != nullptr) {
    list.begin = blank + 1;
    for (const std::string& word : row->complete(repl)) {
      if (word.starts_with(before.substr(list.begin))) {
        list.items.push_back({word, "", ""});
      }
    }
  }
  return list;
}

}  // namespace evq
