#include "apl/service/reference.h"

#include <algorithm>
#include <map>
#include <vector>

#include "apl/functions/registry.h"
#include "apl/service/language.h"
#include "apl/syntax/diagnostics.h"
#include "apl/syntax/habits.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/words.h"

namespace evq {
namespace {

void append_lines(std::string_view margin, std::string_view text, std::string* out) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out->append(margin).append(text.substr(begin, end - begin)).append("\n");
    begin = end + 1;
  }
}

void append_example(std::string_view query, std::string_view result, std::string* out) {
  if (!query.empty()) {
    out->append("\n");
    append_lines("  ", query, out);
    append_lines("    ", result, out);
  }
}

template <class Row>
std::string describe(const Row& row) {
  std::string text = signature(row) + "\n\n" + std::string(row.summary) + "\n";
  bool any = false;
  for (const ParameterDoc& param : row.params) {
    if (!param.name.empty()) {
      text.append(any ? "" : "\n");
      text.append("  ").append(param.name).append(": ").append(param.description).append("\n");
      any = true;
    }
  }
  if (!row.returns.empty()) {
    text.append("\nReturns: ").append(row.returns).append("\n");
  }
  for (const Example& example : row.examples) {
    append_example(example.query, example.result, &text);
  }
  return text;
}

std::string describe_expression_operator(const ExpressionOperator& row) {
  std::string text = "a " + std::string(row.spelling) + " b\n\n" + std::string(row.summary) + "\n";
  append_example(row.example.query, row.example.result, &text);
  return text;
}

std::string describe_topic(const LanguageTopic& topic) {
  std::string text = std::string(topic.title) + "\n\n" + std::string(topic.text) + "\n";
  for (const Example& example : topic.examples) {
    append_example(example.query, example.result, &text);
  }
  return text;
}

std::string describe_differences() {
  std::string text = "Differences from Axiom's documentation\n";
  for (const LanguageDifference& row : axiom_differences()) {
    text.append("\n").append(row.subject).append(": ").append(row.here).append("\n");
  }
  text += "\nDifferences from Kusto\n";
  for (const LanguageDifference& row : kusto_differences()) {
    text.append("\n").append(row.subject).append(": ").append(row.here).append("\n");
  }
  return text;
}

// What topics and operators of expressions go by this name.
std::string language_entry(std::string_view name) {
  if (name == "differences") {
    return describe_differences();
  }
  for (const LanguageTopic& topic : language_topics()) {
    if (topic.name == name ||
        (!name.empty() && std::ranges::find(topic.words, name) != std::end(topic.words))) {
      return describe_topic(topic);
    }
  }
  for (const ExpressionOperator& row : expression_operators()) {
    if (row.spelling == name) {
      return describe_expression_operator(row);
    }
  }
  return {};
}

std::string describe_operator(const syntax::OperatorInfo& row) {
  std::string text = std::string(row.syntax) + "\n\n" + std::string(row.summary) + ".\n";
  text.append("\n").append(operator_description(row)).append("\n");
  for (const syntax::OperatorExample& example : row.examples) {
    append_example(example.query, example.answer, &text);
  }
  return text;
}

void append_names(std::string_view title, const std::vector<std::string_view>& names,
                  std::string* out) {
  constexpr std::size_t kWidth = 78;
  out->append(title).append("\n");
  std::string line = " ";
  for (const std::string_view name : names) {
    if (line.size() + 1 + name.size() > kWidth) {
      out->append(line).append("\n");
      line = " ";
    }
    line.append(" ").append(name);
  }
  out->append(line).append("\n\n");
}

}  // namespace

std::string operator_description(const syntax::OperatorInfo& row) {
  std::string text(row.description);
  if (row.syntax.find(" CHART ") != std::string_view::npos) {
    std::string_view before = " CHART is one of ";
    for (const std::string_view kind : syntax::chart_kinds()) {
      text.append(before).append(kind);
      before = ", ";
    }
    text += ".";
  }
  return text;
}

std::vector<std::string> reference_names() {
  std::vector<std::string> names;
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    names.emplace_back(row.name);
  }
  for (const AggregateFunction* row : all_aggregates()) {
    names.emplace_back(row->name);
  }
  for (const ScalarFunction* row : all_functions()) {
    names.emplace_back(row->name);
  }
  std::ranges::sort(names);
  return names;
}

std::string reference_overview() {
  std::string text = "evq help NAME explains one of these.\n\n";
  std::vector<std::string_view> names;
  for (const LanguageTopic& topic : language_topics()) {
    names.push_back(topic.name);
  }
  names.emplace_back("differences");
  append_names("topics", names, &text);
  names.clear();
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    names.push_back(row.name);
  }
  append_names("operators", names, &text);
  names.clear();
  for (const ExpressionOperator& row : expression_operators()) {
    names.push_back(row.spelling);
  }
  append_names("operators of expressions", names, &text);
  names.clear();
  for (const AggregateFunction* row : all_aggregates()) {
    names.push_back(row->name);
  }
  append_names("aggregates", names, &text);
  std::map<std::string_view, std::vector<std::string_view>> categories;
  for (const ScalarFunction* row : all_functions()) {
    categories[row->category].push_back(row->name);
  }
  for (const auto& [category, members] : categories) {
    append_names(std::string(category) + " functions", members, &text);
  }
  return text;
}

Result<std::string> reference_topic(std::string_view name) {
  if (name == "functions" || name == "operators" || name == "aggregates") {
    return reference_overview();
  }
  std::string text = language_entry(name);
  std::vector<std::string_view> known;
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    known.push_back(row.name);
    known.insert(known.end(), std::begin(row.aliases), std::end(row.aliases));
    if (row.name == name || std::ranges::find(row.aliases, name) != std::end(row.aliases)) {
      text.append(text.empty() ? "" : "\n").append(describe_operator(row));
    }
  }
  if (const ScalarFunction* row = find_function(name)) {
    text.append(text.empty() ? "" : "\n").append(describe(*row));
  }
  if (const AggregateFunction* row = find_aggregate(name)) {
    text.append(text.empty() ? "" : "\n").append(describe(*row));
  }
  if (!text.empty()) {
    return text;
  }
  for (const ScalarFunction* row : all_functions()) {
    known.push_back(row->name);
  }
  for (const AggregateFunction* row : all_aggregates()) {
    known.push_back(row->name);
  }
  const std::string_view instead = syntax::foreign_function_hint(name);
  return make_error(
      ErrorCode::kNotFound, "no operator or function '" + std::string(name) + "'",
      instead.empty() ? diag::did_you_mean(name, known) : "write " + std::string(instead));
}

}  // namespace evq
