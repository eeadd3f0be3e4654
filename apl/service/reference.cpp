#include "apl/service/reference.h"

#include <algorithm>
#include <map>
#include <vector>

#include "apl/functions/registry.h"
#include "apl/syntax/diagnostics.h"
#include "apl/syntax/operators.h"

namespace evq {
namespace {

template <class Row>
std::string signature(const Row& row) {
  std::string text = std::string(row.name) + "(";
  bool first = true;
  for (const ParameterDoc& param : row.params) {
    if (!param.name.empty()) {
      text.append(first ? "" : ", ").append(param.name);
      first = false;
    }
  }
  return text + ")";
}

void append_example(std::string_view query, std::string_view result, std::string* out) {
  if (query.empty()) {
    return;
  }
  out->append("\n  ").append(query).append("\n");
  std::size_t begin = 0;
  while (begin <= result.size()) {
    const std::size_t end = std::min(result.find('\n', begin), result.size());
    out->append("    ").append(result.substr(begin, end - begin)).append("\n");
    begin = end + 1;
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

std::string describe_operator(const syntax::OperatorInfo& row) {
  std::string text = std::string(row.syntax) + "\n\n" + std::string(row.summary) + ".\n";
  text.append("\n").append(row.description).append("\n");
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

std::string reference_overview() {
  std::string text = "evq help NAME explains one of these.\n\n";
  std::vector<std::string_view> names;
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    names.push_back(row.name);
  }
  append_names("operators", names, &text);
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
  std::string text;
  std::vector<std::string_view> known;
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    known.push_back(row.name);
    if (row.name == name || std::ranges::find(row.aliases, name) != std::end(row.aliases)) {
      text += describe_operator(row);
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
  return make_error(ErrorCode::kNotFound, "no operator or function '" + std::string(name) + "'",
                    diag::did_you_mean(name, known));
}

}  // namespace evq
