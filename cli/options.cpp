#include "cli/options.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <CLI/CLI.hpp>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apl/service/display_zone.h"
#include "apl/syntax/diagnostics.h"
#include "apl/syntax/words.h"
#include "cli/help.h"
#include "cli/list_output.h"
#include "cli/open_service.h"
#include "cli/option_checks.h"
#include "cli/option_tree.h"
#include "cli/output.h"
#include "cli/shell_word.h"
#include "store/base/ascii.h"
#include "store/base/file.h"

namespace evq {
namespace {

constexpr int kUsageStatus = 2;

// The settings that are options of every verb; the others belong to single verbs.
bool is_global(const SettingInfo& info) {
  return info.option.starts_with("--") && info.option != "--no-pager";
}

void add_global_options(CLI::App* app, ParsedOptions* parsed) {
  for (const SettingInfo& info : all_settings()) {
    const std::string name(info.name);
    if (!is_global(info)) {
      continue;
    }
    CLI::Option* option = app->add_option(std::string(info.option), parsed->settings[name],
                                          std::string(info.meaning));
    option->type_name(std::string(info.value));
    if (name == "color") {
      option->check(one_of({"auto", "always", "never"}));
    }
  }
  app->add_flag("-q,--quiet", parsed->global.quiet, "No progress and no notes on stderr");
}

Status resolve_settings(const CLI::App& app, ParsedOptions* parsed) {
  for (const SettingInfo& info : all_settings()) {
    if (!is_global(info) || app.count(std::string(info.option)) == 0) {
      parsed->settings.erase(std::string(info.name));
    }
  }
  GlobalOptions& global = parsed->global;
  EVQ_TRY_ASSIGN(global.settings, Settings::resolve(process_environment(), parsed->settings));
  const Setting& store = global.settings.setting("store");
  if (store.value.empty()) {
    return make_error(ErrorCode::kUsage, store.source + ": the store needs a directory");
  }
  global.store = store.value;
  global.geo_database = global.settings.value("geo-database");
  const Setting& color = global.settings.setting("color");
  const auto choice = parse_color_choice(color.value);
  if (!choice.has_value()) {
    return make_error(ErrorCode::kUsage,
                      color.source + ": '" + color.value + "' is not auto, always or never");
  }
  global.color = *choice;
  auto zone = DisplayZone::load(global.settings.value("tz"));
  if (!zone.ok()) {
    Error error = std::move(zone).take_error();
    error.message = global.settings.setting("tz").source + ": " + error.message;
    return error;
  }
  global.zone = std::move(zone).value();
  return Status::success();
}

void add_config(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers) {
  CLI::App* verb = root->add_subcommand("config", "Settings and where they come from");
  verb->require_subcommand(1);
  CLI::App* show = verb->add_subcommand("show", "Every setting, its value and its source");
  show->add_option("-o,--output", parsed->config.output, "Form of the answer")
      ->check(one_of(list_form_names()));
  show->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.config(parsed->global, parsed->config); };
  });
  set_examples(verb, {{"evq config show", "which server or store, and who said so"}});
}

void add_shell_verbs(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers) {
  CLI::App* verb = root->add_subcommand("completion", "A script for your shell's completion");
  verb->add_option("SHELL", parsed->completion.shell, "Which shell")
      ->required()
      ->check(one_of({"bash", "zsh", "fish"}, {}, true));
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] {
      return handlers.completion(parsed->global, parsed->completion);
    };
  });
  set_examples(verb, {{"source <(evq completion bash)", "in ~/.bashrc"},
                      {"source <(evq completion zsh)", "in ~/.zshrc, behind compinit"},
                      {"evq completion fish | source", "in ~/.config/fish/config.fish"}});
  verb = root->add_subcommand("demo", "Make a dataset to try things on, and show some queries");
  verb->add_option("--events", parsed->demo.events, "How many events (100000)")
      ->check(whole_number());
  verb->callback([=, &handlers] {
    parsed->chosen = [=, &handlers] { return handlers.demo(parsed->global, parsed->demo); };
  });
}

// Where to look, by a command line that cannot be parsed: the global options among its words.
std::optional<GlobalOptions> options_among(std::span<const std::string> words) {
  std::map<std::string, std::string> given;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const bool apart = equals == std::string::npos;
    for (const SettingInfo& info : all_settings()) {
      if (words[i].substr(0, equals) == info.option && is_global(info) &&
          (!apart || i + 1 < words.size())) {
        given[std::string(info.name)] = apart ? words[i + 1] : words[i].substr(equals + 1);
      }
    }
  }
  auto settings = Settings::resolve(process_environment(), given);
  if (!settings.ok()) {
    return std::nullopt;
  }
  GlobalOptions global;
  global.quiet = true;
  global.settings = std::move(settings).value();
  global.store = global.settings.setting("store").value;
  return global;
}

// The words of `evq __complete WORD…`, whose last one is being typed.
int complete(const CLI::App& root, const std::vector<std::string>& words) {
  const std::size_t typed = words.empty() ? 0 : 1;
  const auto global = options_among(std::span(words).first(words.size() - typed));
  return global.has_value() ? run_complete(*global, plan_completion(root, words),
                                           words.empty() ? "" : words.back())
                            : 0;
}

// `evq help VERB` is what `evq VERB --help` prints; other topics are the language's and help.cpp's.
void add_help(CLI::App* root, ParsedOptions* parsed, const CommandHandlers& handlers) {
  CLI::App* verb = root->add_subcommand("help", "Explain a command, function or operator");
  verb->add_option("TOPIC", parsed->help.topic, "query, dataset create, summarize, exit-codes, …");
  verb->add_flag("--coverage", parsed->help.coverage,
                 "Measure the language against its inventory: runs every entry's example");
  verb->callback([=, &handlers] {
    const CLI::App* found = explained_verb(*root, parsed->help.topic);
    if (found != nullptr) {
      parsed->chosen = [text = verb_help(*found)] { return print_data(text); };
      return;
    }
    for (const CLI::App* each : root->get_subcommands([](const CLI::App*) { return true; })) {
      parsed->help.verbs.push_back(each->get_name());
    }
    parsed->chosen = [=, &handlers] { return handlers.help(parsed->global, parsed->help); };
  });
  set_examples(verb, {{"evq help query", "a command"},
                      {"evq help summarize", "an operator or function of the language"},
                      {"evq help exit-codes", "what exit statuses mean"},
                      {"evq help --coverage", "how much of the language works"}});
}

// A usage error as it is told.
struct Mistake {
  std::string text;
  std::string hint;
};

std::string did_you_mean(const std::string& near) {
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

// -7d is a time and - is standard input.
bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         (word[1] == '-' ? word.size() > 2 : is_letter(word[1]));
}

// The option that a word such as --limit=5 or -o names; null when there is none.
const CLI::Option* named_option(const CLI::App& root, const CLI::App& app,
                                const std::string& word) {
  const std::string name =
      word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
  const CLI::Option* found = app.get_option_no_throw(name);
  return found != nullptr ? found : root.get_option_no_throw(name);
}

// Whether there is something for evq to read: a file, a pipe or a socket, whose first byte is
// waited for, however long what writes it takes. Empty input is none; so are terminals and
// /dev/null.
bool holds_text(int descriptor) {
  struct stat about {};
  if (::fstat(descriptor, &about) != 0 || S_ISCHR(about.st_mode)) {
    return false;
  }
  pollfd waiting{descriptor, POLLIN, 0};
  int bytes = 0;
  while (::poll(&waiting, 1, -1) < 0 && errno == EINTR) {
  }
  return ::ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes > 0;
}

// What people write who come from other programs.
std::string_view own_word(std::string_view foreign) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"stream", "tail"},     {"follow", "tail"},       {"import", "ingest"},
      {"load", "ingest"},     {"insert", "ingest"},     {"put", "ingest"},
      {"sql", "query"},       {"run", "query"},         {"search", "query"},
      {"select", "query"},    {"shell", "repl"},        {"console", "repl"},
      {"server", "serve"},    {"datasets", "dataset"},  {"ls", "list"},
      {"show", "info"},       {"describe", "info"},     {"schema", "fields"},
      {"stats", "info"},      {"add", "create"},        {"new", "create"},
      {"rm", "delete"},       {"remove", "delete"},     {"drop", "delete"},
      {"revoke", "delete"},   {"verify", "check"},      {"vacuum", "compact"},
      {"dump", "export"},     {"copy", "backup"},       {"save", "backup"},
      {"-V", "--version"},    {"version", "--version"}, {"--from", "--start-time"},
      {"--to", "--end-time"}, {"-n", "--limit"},        {"-s", "--since"}};
  const auto* const found =
      std::ranges::find(kWords, foreign, &std::pair<std::string_view, std::string_view>::first);
  return found == std::end(kWords) ? std::string_view() : found->second;
}

// An option of the verb or of what it belongs to.
bool has_option(const CLI::App* app, const std::string& name) {
  while (app != nullptr && (name.empty() || app->get_option_no_throw(name) == nullptr)) {
    app = app->get_parent();
  }
  return app != nullptr;
}

// The nearest verb or action of `app`, or the one that other programs call so; an action on
// datasets as well, of which others make verbs. What others drop or remove is a dataset: the verb
// delete is about events.
std::string nearest_verb(const CLI::App& app, const std::string& word) {
  std::string own(own_word(word));
  const bool dataset = app.get_parent() == nullptr && own == "delete" && word != "revoke";
  if (has_option(&app, own) || (!own.empty() && !dataset && find_verb(app, {own}) != nullptr)) {
    return own;
  }
  for (const std::string& action : {own, word}) {
    if (find_verb(app, {"dataset", action}) != nullptr) {
      return "dataset " + action;
    }
  }
  return nearest_name(app, word);
}

// Whether other servers have such an option to say where they listen.
bool listens_elsewhere(std::string_view option) {
  constexpr std::string_view kOptions[] = {"--port", "--host", "--address", "--bind", "-p"};
  return std::ranges::find(kOptions, option) != std::end(kOptions);
}

// What to write instead of an option that there is not: --json is -o json, --format csv is -o csv,
// and a file that is read has no option.
std::string instead_of_option(const CLI::App& app, const std::string& word,
                              const std::string& next) {
  const CLI::Option* const form = app.get_option_no_throw("-o");
  const std::vector<std::string> choices =
      form != nullptr ? option_choices(*form) : std::vector<std::string>();
  if (word.starts_with("--") && std::ranges::find(choices, word.substr(2)) != choices.end()) {
    return "write -o " + word.substr(2);
  }
  if (app.get_name() == "tail" && (word == "-f" || word == "--follow")) {
    return "tail follows by itself; --no-follow ends it after the newest events";
  }
  const std::string name =
      word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
  if (app.get_name() == "serve" && listens_elsewhere(name)) {
    return "write --listen 127.0.0.1:8080, an address with its port";
  }
  const std::string near = nearest_verb(app, name);
  if (near.starts_with("--")) {
    return did_you_mean(near);
  }
  if (form != nullptr && word.starts_with("--")) {
    if (word == "--jsonl" && std::ranges::find(choices, "ndjson") != choices.end()) {
      return "write -o ndjson";
    }
    const std::size_t equals = word.find('=');
    const std::string& value = equals == std::string::npos ? next : word.substr(equals + 1);
    if (std::ranges::find(choices, value) != choices.end()) {
      return "write -o " + value;
    }
  }
  const CLI::Option* const file = app.get_option_no_throw("FILE");
  if (file != nullptr && app.get_name() == "ingest" &&
      (word == "-f" || word == "--file" || word == "--input")) {
    return "a file stands alone: evq " + app.get_name() + " DATASET FILE";
  }
  return did_you_mean(near);
}

// The hint for a name alone that is a dataset's in the store; else empty. No server is asked.
std::string dataset_hint(const std::string& word, const std::vector<std::string>& words) {
  const std::optional<GlobalOptions> global = options_among(words);
  if (!global.has_value() || global->remote() || !store_has_dataset(*global, word)) {
    return {};
  }
  return "a query of it: evq query " + shell_word(syntax::quote_name(word));
}

Mistake not_a_verb(const CLI::App& root, const std::string& word,
                   const std::vector<std::string>& words) {
  if (word.find('|') != std::string::npos) {
    return {"a query comes after the command's name", "write evq query '" + word + "'"};
  }
  std::string hint = file_exists(word) ? "a prompt over a file: evq repl --file " + shell_word(word)
                                       : dataset_hint(word, words);
  return {"unknown command '" + word + "'",
          hint.empty() ? did_you_mean(nearest_verb(root, word)) : std::move(hint)};
}

// The first word that is neither a verb nor an option of the app it was given to.
std::optional<Mistake> unknown_word(const CLI::App& root, const CLI::App& app,
                                    const std::vector<std::string>& words) {
  bool verb_found = false;
  for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (looks_like_option(word)) {
      const CLI::Option* option = named_option(root, app, word);
      if (option == nullptr) {
        const std::string next = i + 1 < words.size() ? words[i + 1] : "";
        return Mistake{"unknown option '" + word + "'", instead_of_option(app, word, next)};
      }
      const bool takes_next =
          option->get_items_expected_max() > 0 &&
          (word.starts_with("--") ? word.find('=') == std::string::npos : word.size() == 2);
      i += takes_next ? 1U : 0U;
    } else if (!std::exchange(verb_found, true) && find_verb(root, {word}) == nullptr) {
      return not_a_verb(root, word, words);
    }
  }
  return std::nullopt;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) {
    text.append(text.empty() ? "" : between).append(word);
  }
  return text;
}

// "evq dataset" without an action, or with one that there is not.
Mistake missing_action(const CLI::App& app, const std::vector<std::string>& words) {
  std::vector<std::string> actions;
  for (const CLI::App* action : app.get_subcommands([](const CLI::App*) { return true; })) {
    actions.push_back(action->get_name());
  }
  const std::string all = "there are " + joined(actions, ", ");
  const auto verb = std::ranges::find(words, app.get_name());
  const auto given = std::find_if(verb == words.end() ? verb : verb + 1, words.end(),
                                  [](const std::string& word) { return !word.starts_with("-"); });
  if (given == words.end()) {
    return {"evq " + app.get_name() + " needs an action", all};
  }
  const std::string near = nearest_verb(app, *given);
  return {"evq " + app.get_name() + " has no action '" + *given + "'",
          near.empty() ? all : did_you_mean(near)};
}

// "evq ingest DATASET [FILE...]"
std::string usage_line(const CLI::App& app, const std::string& path) {
  std::string line = "evq " + path;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return each->get_positional(); })) {
    const std::string name = option->get_name() + (option->get_expected_max() > 1 ? "..." : "");
    line += option->get_required() ? name + " " : "[" + name + "] ";
  }
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* each) { return each->get_required(); })) {
    if (!option->get_positional()) {
      line += option->get_name() + " … ";
    }
  }
  line.pop_back();
  return line;
}

// What to write where one of the words of a query is it and the others name files; else empty.
std::string query_of_files(const CLI::App& app, std::vector<std::string> words) {
  const CLI::Option* const apl = app.get_option_no_throw("APL");
  if (app.get_name() != "query" || apl->results().empty()) {
    return {};
  }
  words.insert(words.begin(), apl->results()[0]);
  const auto query = std::stable_partition(words.begin(), words.end(), file_exists);
  if (query == words.begin() || words.end() - query != 1) {
    return {};
  }
  std::string text = "events in a file are queried with evq query --file";
  for (const std::string& word : words) {
    text += " " + shell_word(word);
  }
  return text;
}

// Words that have no place. A query without quotes, cut up by the shell, is the usual cause.
Mistake unexpected_words(const CLI::App& root, const CLI::App& app, const std::string& path) {
  const std::vector<std::string> extras = root.remaining(true);
  const bool takes_query = app.get_name() == "query" || app.get_name() == "delete" ||
                           app.get_name() == "export" || app.get_name() == "tail";
  Mistake mistake{"unexpected '" + joined(extras, " ") + "'", ""};
  if (!extras.empty() && looks_like_option(extras[0]) &&
      named_option(root, app, extras[0]) != nullptr) {
    return {extras[0] + " is an option of " + app.get_name(),
            "write it behind the command: evq " + path + extras[0]};
  }
  if (app.get_name() == "export" && extras.size() == 1 &&
      extras[0].find('.') != std::string::npos) {
    mistake.hint = "name the file with --output " + extras[0];
    return mistake;
  }
  if (mistake.hint = query_of_files(app, extras); !mistake.hint.empty()) {
    return mistake;
  }
  if (takes_query && !extras.empty() && !extras[0].starts_with("-")) {
    const std::string query =
        app.get_name() == "tail" ? "web \"where status >= 500\"" : "\"web | take 5\"";
    mistake.hint = "put the whole query between quotes: evq " + path + query;
  }
  return mistake;
}

// CLI11's words for a value that does not fit, in this program's.
Mistake bad_value(const std::string& what) {
  constexpr std::string_view kConversion = "Could not convert: ";
  if (what.starts_with(kConversion)) {
    const std::size_t equals = std::min(what.find(" = "), what.size());
    const std::string name = what.substr(kConversion.size(), equals - kConversion.size());
    return {name + ": '" + what.substr(std::min(equals + 3, what.size())) + "' is not a number",
            ""};
  }
  const std::size_t hint = what.find('\n');
  return hint == std::string::npos ? Mistake{what, ""}
                                   : Mistake{what.substr(0, hint), what.substr(hint + 1)};
}

// An option that means nothing without another one, which is not there.
std::optional<Mistake> option_alone(const CLI::App& app, const std::string& what) {
  const CLI::Option* const option =
      app.get_option_no_throw(what.substr(0, what.find_first_of(": ")));
  if (option == nullptr) {
    return std::nullopt;
  }
  for (const CLI::Option* const needed : option->get_needs()) {
    if (needed->count() == 0) {
      const CLI::Option* const form = app.get_option_no_throw("-o");
      const std::vector<std::string> forms =
          form != nullptr ? option_choices(*form) : std::vector<std::string>();
      const std::string value = option->results().empty() ? "" : option->results()[0];
      const bool is_form =
          option->get_name() == "--format" && std::ranges::find(forms, value) != forms.end();
      return Mistake{option->get_name() + " goes with " + needed->get_name(),
                     is_form ? "write -o " + value : ""};
    }
  }
  return std::nullopt;
}

// The message with the option that it begins with as it was typed: -o, where --output is its name.
std::string as_typed(const CLI::App& root, const CLI::App& app, std::string text,
                     const std::vector<std::string>& words) {
  const std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* const option =
      looks_like_option(name) ? named_option(root, app, name) : nullptr;
  std::string typed;
  for (const std::string& word : words) {
    if (option != nullptr && looks_like_option(word) && named_option(root, app, word) == option) {
      const std::string spelling =
          word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
      typed = typed.empty() || typed == spelling ? spelling : name;
    }
  }
  return typed.empty() ? text : text.replace(0, name.size(), typed);
}

// The verb or action that was chosen, and its name with those before it: "dataset create ".
std::pair<const CLI::App*, std::string> chosen_verb(const CLI::App& root) {
  const CLI::App* app = &root;
  std::string path;
  while (!app->get_subcommands().empty()) {
    app = app->get_subcommands().front();
    path += app->get_name() + " ";
  }
  return {app, std::move(path)};
}

int tell_mistake(const CLI::App& root, Mistake mistake, const std::vector<std::string>& words) {
  const auto& [app, path] = chosen_verb(root);
  mistake.text = as_typed(root, *app, std::move(mistake.text), words);
  const std::string see = "see evq " + path + "--help";
  print_error_line(mistake.text, mistake.hint.empty() ? see : mistake.hint);
  return kUsageStatus;
}

int usage_error(const CLI::App& root, const CLI::ParseError& error,
                const std::vector<std::string>& words) {
  const auto& [app, path] = chosen_verb(root);
  Mistake mistake = bad_value(error.what());
  const bool value = error.get_name() == "ValidationError" || error.get_name() == "ConversionError";
  if (auto unknown = unknown_word(root, *app, words); unknown.has_value() && !value) {
    mistake = *std::move(unknown);
  } else if (auto alone = option_alone(*app, mistake.text); alone.has_value()) {
    mistake = *std::move(alone);
  } else if (error.get_name() == "RequiredError") {
    const bool action = app->get_require_subcommand_min() > 0;
    mistake = action ? missing_action(*app, words)
                     : Mistake{error.what(), "write " + usage_line(*app, path)};
  } else if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    mistake = unexpected_words(root, *app, path);
  } else if (error.get_name() == "ArgumentMismatch") {
    mistake.text = mistake.text.substr(0, mistake.text.find(':')) + " needs a value";
  } else if (mistake.text == "APL excludes -f") {
    mistake = {"the query is there twice: as a word, and in the file of -f",
               "-o chooses the form of the answer"};
  }
  return tell_mistake(root, std::move(mistake), words);
}

}  // namespace

const CLI::App* find_verb(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* at = &root;
  for (const std::string& word : words) {
    const auto found =
        at->get_subcommands([&](const CLI::App* verb) { return verb->get_name() == word; });
    if (found.empty()) {
      return nullptr;
    }
    at = found.front();
  }
  return at;
}

int run_command_line(int argc, char** argv, const CommandHandlers& handlers) {
  CLI::App app("evq: store events locally and query them with APL", "evq");
  app.formatter(help_formatter());
  app.require_subcommand(0, 1);
  // The last word of an option counts, so that what an alias says can be said otherwise; options of
  // several words take all of them.
  app.option_defaults()->take_last();
  app.set_help_flag("-h,--help", "Explain the command and its options");
  app.set_version_flag("--version", "evq " EVQ_VERSION "\n" EVQ_LIBRARIES,
                       "The version, and those of the libraries");
  ParsedOptions parsed;
  add_global_options(&app, &parsed);
  app.fallthrough();
  add_event_verbs(&app, &parsed, handlers);
  add_store_verbs(&app, &parsed, handlers);
  add_config(&app, &parsed, handlers);
  add_shell_verbs(&app, &parsed, handlers);
  add_help(&app, &parsed, handlers);
  app.footer("evq help TOPIC explains a command, operator or function.\n\nExit status:\n" +
             exit_status_table());
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "__complete") {
    return complete(app, {words.begin() + 1, words.end()});
  }
  try {
    app.parse(as_parsed_words(app, words));
  } catch (const CLI::CallForHelp&) {
    return print_data(verb_help(*chosen_verb(app).first));
  } catch (const CLI::CallForVersion& version) {
    return print_data(std::string(version.what()) + "\n");
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, words);
  }
  if (const Status resolved = resolve_settings(app, &parsed); !resolved.ok()) {
    return report_error(resolved.error());
  }
  if (std::string empty = empty_option(app, *chosen_verb(app).first, words); !empty.empty()) {
    return tell_mistake(app, {std::move(empty), ""}, words);
  }
  if (parsed.chosen == nullptr) {
    if ((is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO)) || holds_text(STDIN_FILENO)) {
      return handlers.repl(parsed.global, parsed.repl);
    }
    return print_data(verb_help(app));
  }
  return parsed.chosen();
}

}  // namespace evq
