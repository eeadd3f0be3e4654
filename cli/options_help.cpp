// What --help and `evq help VERB` print, in lines that fit 80 columns.

#include <algorithm>

#include <CLI/CLI.hpp>

#include "cli/help.h"
#include "cli/option_tree.h"
#include "cli/terminal/text_width.h"

namespace evq {
namespace {

constexpr std::size_t kNamesWidth = 26;

// What stands for the value: "N", "TIME", "TEXT"; empty for flags.
std::string value_name(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (option.get_type_size() == 0 || type.empty()) {
    return {};
  }
  if (!option_choices(option).empty()) {
    return "WORD";
  }
  const std::size_t colon = type.find(':');
  const std::string base = type.substr(0, colon);
  const bool number = base == "UINT" || base == "INT";
  return number ? "N" : colon == std::string::npos ? base : type.substr(colon + 1);
}

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool positional) const override {
    std::string names = "  " + make_option_name(option, positional);
    if (positional) {
      names += option->get_expected_max() > 1 ? "..." : "";
    } else if (const std::string value = value_name(*option); !value.empty()) {
      names += " " + value;
    }
    std::string meaning = option->get_description();
    if (!positional && option->get_required()) {
      meaning += " (required)";
    }
    std::string choices;
    for (const std::string& word : option_choices(*option)) {
      choices.append(choices.empty() ? " {" : ", ").append(word);
    }
    meaning += choices.empty() ? "" : choices + "}";
    return two_columns(names, meaning);
  }
  std::string make_subcommand(const CLI::App* verb) const override {
    return two_columns("  " + verb->get_name(), verb->get_description());
  }

 private:
  static std::string two_columns(std::string left, const std::string& right) {
    if (left.size() >= kNamesWidth) {
      left += "\n" + std::string(kNamesWidth, ' ');
    } else {
      left.append(kNamesWidth - left.size(), ' ');
    }
    for (const std::string_view line : wrap_to_width(right, kHelpWidth - kNamesWidth)) {
      left.append(line.data() == right.data() ? "" : std::string(kNamesWidth, ' '));
      left.append(line.substr(0, line.find_last_not_of(' ') + 1)).push_back('\n');
    }
    return left;
  }
};

}  // namespace

std::shared_ptr<CLI::FormatterBase> help_formatter() {
  return std::make_shared<HelpFormatter>();
}

void set_examples(CLI::App* verb, std::initializer_list<UsageExample> examples) {
  std::string text = "Examples:";
  for (const UsageExample& example : examples) {
    text += "\n  " + std::string(example.command);
    if (!example.meaning.empty()) {
      text += "\n      " + std::string(example.meaning);
    }
  }
  verb->footer(text);
}

const CLI::App* explained_verb(const CLI::App& root, const std::vector<std::string>& words) {
  const CLI::App* verb = find_verb(root, words);
  if (verb == nullptr) {
    verb = find_verb(root, {words.begin(), words.end() - 1});
    const auto takes_last = [&](const CLI::Option* option) {
      return option->get_positional() &&
             std::ranges::count(option_choices(*option), words.back()) > 0;
    };
    verb = verb != nullptr && !verb->get_options(takes_last).empty() ? verb : nullptr;
  }
  return verb == &root ? nullptr : verb;
}

std::string verb_help(const CLI::App& verb) {
  std::string name;
  for (const CLI::App* at = verb.get_parent(); at != nullptr; at = at->get_parent()) {
    name.insert(0, at->get_name() + (name.empty() ? "" : " "));
  }
  std::string text = verb.help(name);
  for (std::size_t gap = text.find("\n\n\n"); gap != std::string::npos;
       gap = text.find("\n\n\n", gap)) {
    text.erase(gap, 1);  // groups of options have one line too many between them
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return text + (verb.get_parent() == nullptr ? "" : "\nGlobal options: see evq --help\n");
}

}  // namespace evq
