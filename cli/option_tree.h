#pragma once
// The verbs and their options as CLI11's tree, which the options*.cpp files build and nobody else
// sees: every verb is added by one function, with its usage, its options and examples, and is read
// into ParsedOptions. Parsing fills `chosen`; running it is left to the caller.

#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cli/completion.h"
#include "cli/options.h"

namespace CLI {
class App;
class FormatterBase;
class Option;
}  // namespace CLI

namespace evq {

struct ParsedOptions {
  GlobalOptions global;
  // The settings that were given as options, by name.
  std::map<std::string, std::string> settings;
  IngestCommand ingest;
  QueryCommand query;
  TailCommand tail;
  ExportCommand export_events;
  DeleteCommand remove;
  StarredCommand starred;
  DatasetCommand dataset;
  StoreCommand check;
  StoreCommand compact;
  BackupCommand backup;
  ServeCommand serve;
  TokenCommand token;
  OrganizationCommand organization;
  ConfigCommand config;
  CompletionCommand completion;
  DemoCommand demo;
  HelpCommand help;
  ReplCommand repl;
  // Runs the verb that was named; empty when there was none.
  std::function<int()> chosen;
};

// A command line and what it does.
struct UsageExample {
  std::string_view command;
  std::string_view meaning;
};
// Sets the examples that the help of a verb ends with.
void set_examples(CLI::App* verb, std::initializer_list<UsageExample> examples);

// Adds ingest, query, tail, export, repl, delete.
void add_event_verbs(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers);
// Adds starred, dataset, check, compact, backup, token, org, serve.
void add_store_verbs(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers);

// Makes the layout of the verbs' help.
std::shared_ptr<CLI::FormatterBase> help_formatter();

// Finds the verb or action that `words` name ("dataset create"); null when there is none.
const CLI::App* find_verb(const CLI::App& root, const std::vector<std::string>& words);
// Finds the verb or action that explains `words`, which may end with a word that it takes
// ("dataset map-field add"); null when there is none.
const CLI::App* explained_verb(const CLI::App& root, const std::vector<std::string>& words);
// Returns the text that --help and `evq help VERB` print.
std::string verb_help(const CLI::App& verb);
// Finds what may stand in the place of the last of `words`.
CompletionPlan plan_completion(const CLI::App& root, const std::vector<std::string>& words);
// Reads an option's words off a type such as "TEXT:{auto,always,never}"; none: any value.
std::vector<std::string> option_choices(const CLI::Option& option);
// Returns the words as the parser takes them, the last one first. A query such as ['my logs'] |
// project ['a,b'] would be a list to it, which it takes apart, where an option takes several words:
// a blank behind it keeps it whole. Behind an option with an empty value, --name=, it would take
// the next word instead: the empty one becomes a word of its own.
std::vector<std::string> as_parsed_words(const CLI::App& root,
                                         const std::vector<std::string>& words);
// Tells what is wrong with an option of the verb whose value is empty; empty when none is.
std::string empty_option(const CLI::App& root, const CLI::App& verb,
                         const std::vector<std::string>& words);
// Finds a mistyped word's nearest verb or option; empty when none is near.
std::string nearest_name(const CLI::App& app, const std::string& word);

}  // namespace evq
