// The words of a command line on their way to CLI11, which has ideas of its own about some of them,
// and options whose value is left empty: an empty variable of a script stands behind most of those.

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/option_tree.h"

namespace evq {
namespace {

// Options whose empty value says something: how nothing is shown, and that there is nothing to say.
constexpr std::string_view kMayBeEmpty[] = {"--null", "--description"};

// The name in a word such as "--name="; empty for other words.
std::string name_without_value(const std::string& word) {
  const std::size_t equals = word.find('=');
  return word.starts_with("--") && equals + 1 == word.size() ? word.substr(0, equals)
                                                             : std::string();
}

// Whether an option of this name, of whichever verb, takes a value.
bool takes_value(const CLI::App& app, const std::string& name) {
  const CLI::Option* const option = app.get_option_no_throw(name);
  const auto verbs = app.get_subcommands([](const CLI::App*) { return true; });
  return (option != nullptr && option->get_items_expected_max() > 0) ||
         std::ranges::any_of(verbs, [&](const CLI::App* verb) { return takes_value(*verb, name); });
}

bool is_left_empty(const CLI::Option& option) {
  return !option.get_positional() && option.get_items_expected_max() > 0 &&
         std::ranges::find(kMayBeEmpty, option.get_name()) == std::end(kMayBeEmpty) &&
         std::ranges::find(option.results(), std::string()) != option.results().end();
}

}  // namespace

std::vector<std::string> as_parsed_words(const CLI::App& root,
                                         const std::vector<std::string>& words) {
  std::vector<std::string> parsed;
  bool has_options = true;
  for (std::string word : words) {
    has_options = has_options && word != "--";
    const std::string name = has_options ? name_without_value(word) : std::string();
    if (!name.empty() && takes_value(root, name)) {
      parsed.push_back(name);
      word.clear();
    }
    const bool named = word.starts_with("['") || word.starts_with("[\"");
    word += named && word.ends_with(']') ? " " : "";
    parsed.push_back(std::move(word));
  }
  std::ranges::reverse(parsed);
  return parsed;
}

std::string empty_option(const CLI::App& root, const CLI::App& verb,
                         const std::vector<std::string>& words) {
  for (const CLI::App* app = &verb; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (is_left_empty(*option)) {
        return option->get_name() + ": its value is empty";
      }
    }
  }
  for (auto word = words.begin(); word != words.end() && *word != "--"; ++word) {
    const std::string name = name_without_value(*word);
    if (!name.empty() && !takes_value(root, name)) {
      return name + " takes no value";
    }
  }
  return {};
}

}  // namespace evq
