// What may follow on a command line, read off the tree of options: verbs, options, the values an
// option takes, and what a position is called ("DATASET", "FILE").

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "apl/syntax/diagnostics.h"
#include "cli/option_tree.h"

namespace evq {
namespace {

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0 && option.get_items_expected_max() > 0;
}

const CLI::Option* find_option(const CLI::App& app, const std::string& word) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    if (const CLI::Option* found = at->get_option_no_throw(word.substr(0, word.find('=')))) {
      return found;
    }
  }
  return nullptr;
}

// By what options and positions are called: the same word means the same everywhere.
void add_values(const CLI::Option& option, const CLI::App& app, CompletionPlan* plan) {
  for (std::string& word : option_choices(option)) {
    plan->candidates.push_back({std::move(word), "", {}});
  }
  if (!plan->candidates.empty()) {
    return;
  }
  const std::string name = option.get_name();
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  const bool starred = app.get_parent() != nullptr && app.get_parent()->get_name() == "starred";
  plan->in_query = is({"APL", "--apl"});
  plan->datasets = plan->in_query || is({"DATASET", "WHAT", "--ingest", "--query"});
  plan->saved_queries = name == "ID" && starred;
  plan->files = is({"FILE", "DIRECTORY", "-f", "--file", "--store", "--ca-file", "--tls-cert",
                    "--tls-key", "--reject-file", "--geo-database", "--allow-external"}) ||
                (name == "--output" && app.get_name() == "export");
}

void add_verbs(const CLI::App& app, CompletionPlan* plan) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    plan->candidates.push_back({verb->get_name(), verb->get_description(), {}});
  }
}

// `evq help dataset cr`: the first word is a verb or a topic of the language, the next ones are the
// verb's actions.
void add_topics(const CLI::App& root, const std::vector<std::string>& before,
                CompletionPlan* plan) {
  plan->topics = before.empty();
  if (const CLI::App* verb = find_verb(root, before); verb != nullptr) {
    add_verbs(*verb, plan);
  }
}

// Those of the verb and of what it belongs to, which have --help as well.
void add_options(const CLI::App& app, CompletionPlan* plan) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        const std::string word = "--" + name;
        if (std::ranges::find(plan->candidates, word, &CompletionPlan::Candidate::text) ==
            plan->candidates.end()) {
          plan->candidates.push_back({word, option->get_description(), {}});
        }
      }
    }
  }
}

}  // namespace

std::vector<std::string> option_choices(const CLI::Option& option) {
  std::vector<std::string> words;
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.rfind('}');
  if (open == std::string::npos || close == std::string::npos || close < open) {
    return words;
  }
  std::size_t begin = open + 1;
  while (begin <= close) {
    const std::size_t end = std::min(type.find(',', begin), close);
    words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

CompletionPlan plan_completion(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* app = &root;
  const CLI::Option* pending = nullptr;  // waits for its value
  std::vector<std::string> positional;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (pending != nullptr) {
      pending = nullptr;
    } else if (word.starts_with("-") && word.size() > 1) {
      const CLI::Option* option = find_option(*app, word);
      const bool waits =
          option != nullptr && takes_value(*option) && word.find('=') == std::string::npos;
      pending = waits ? option : nullptr;
    } else if (const CLI::App* verb = find_verb(*app, {word}); verb != nullptr) {
      app = verb;
      positional.clear();
    } else {
      positional.push_back(word);
    }
  }
  CompletionPlan plan;
  const std::string prefix = words.empty() ? "" : words.back();
  if (pending != nullptr) {
    add_values(*pending, *app, &plan);
    return plan;
  }
  if (const std::size_t equals = prefix.find('=');
      prefix.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = find_option(*app, prefix);
    if (option != nullptr && takes_value(*option)) {
      plan.before = prefix.substr(0, equals + 1);
      add_values(*option, *app, &plan);
    }
    return plan;
  }
  if (prefix.starts_with("-")) {
    add_options(*app, &plan);
    return plan;
  }
  const auto positions =
      app->get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (!positions.empty()) {
    const CLI::Option* last = positions.back();
    const bool repeats = last->get_expected_max() > 1;
    if (last->get_name() == "TOPIC") {
      add_topics(root, positional, &plan);
    } else if (positional.size() < positions.size() || repeats) {
      add_values(*positions[std::min(positional.size(), positions.size() - 1)], *app, &plan);
    }
  }
  add_verbs(*app, &plan);
  return plan;
}

std::string nearest_name(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  if (word.starts_with("-")) {
    for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
      for (const CLI::Option* option : at->get_options()) {
        for (const std::string& name : option->get_lnames()) {
          names.push_back("--" + name);
        }
      }
    }
  } else {
    for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(sub->get_name());
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  return diag::suggest(word, views).best;
}

}  // namespace evq
