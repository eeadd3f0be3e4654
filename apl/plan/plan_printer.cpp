#include "apl/plan/plan_printer.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "apl/plan/node_traits.h"
#include "apl/plan/table_function.h"
#include "store/base/json_writer.h"
#include "store/base/time.h"

namespace evq::plan {
namespace {

std::string constant_text(const Value& value) {
  if (value.is_null()) {
    return "null";
  }
  if (value.type() == Type::kString) {
    std::string text;
    append_json_string(text, value.as_text());
    return text;
  }
  return value.to_text();
}

// A column's name; that of a hidden one begins with '$' here.
std::string shown(std::string_view name) {
  std::string text(name);
  if (is_hidden(name)) {
    text[0] = '$';
  }
  return text;
}

std::string column_list(const Schema& schema) {
  std::string text = "[";
  for (std::size_t i = 0; i < schema.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append(shown(schema[i].name));
  }
  return text + "]";
}

std::string key_list(const std::vector<SortKey>& keys, const Schema& schema) {
  std::string text = "[";
  for (std::size_t i = 0; i < keys.size(); ++i) {
    text.append(i == 0 ? "" : ", ").append(shown(schema[keys[i].column].name));
    text.append(keys[i].order.descending ? " desc" : " asc");
  }
  return text + "]";
}

std::string linear_text(const LinearForm& form) {
  std::string text;
  if (form.scale != 1) {
    text += " * " + std::to_string(form.scale);
  }
  if (form.shift != 0) {
    text += (form.shift < 0 ? " - " : " + ") + std::to_string(std::abs(form.shift));
  }
  return text;
}

std::string_view join_name(JoinKind kind) {
  constexpr std::array<std::string_view, 9> kNames = {"inner",      "innerunique", "leftouter",
                                                      "rightouter", "fullouter",   "leftsemi",
                                                      "rightsemi",  "leftanti",    "rightanti"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Describe {
  const Node& node;

  const Schema& input() const { return node.inputs[0]->schema; }

  std::string operator()(const Scan& scan) const {
    std::string text = "scan " + scan.table.name + " fields=" + column_list(node.schema);
    if (scan.time_min != kUnboundedStart || scan.time_max != kUnboundedEnd) {
      text += " time=[";
      if (scan.time_min != kUnboundedStart) {
        append_instant(text, scan.time_min);
      }
      text += "..";
      if (scan.time_max != kUnboundedEnd) {
        append_instant(text, scan.time_max);
      }
      text += "]";
    }
    for (std::size_t i = 0; i < scan.filters.size(); ++i) {
      text += i == 0 ? " filter=" : " and ";
      text += print_expr(*scan.filters[i], node.schema);
    }
    return text;
  }
  std::string operator()(const Sequence& sequence) const {
    return "sequence from=" + sequence.start.to_text() + " step=" + sequence.step.to_text() +
           " rows=" + std::to_string(sequence.count) + " " + column_list(node.schema);
  }
  std::string operator()(const ValuesNode& values) const {
    return "values rows=" + std::to_string(values.table->rows) + " " + column_list(node.schema);
  }
  std::string operator()(const Filter& filter) const {
    return "filter " + print_expr(*filter.predicate, input());
  }
  std::string operator()(const Project& project) const {
    std::string text = "project ";
    for (std::size_t i = 0; i < project.exprs.size(); ++i) {
      const std::string expr = print_expr(*project.exprs[i], input());
      text.append(i == 0 ? "" : ", ");
      const std::string name = shown(node.schema[i].name);
      if (expr != name) {
        text.append(name).append(" = ");
      }
      text.append(expr);
    }
    return text;
  }
  std::string operator()(const Extract& extract) const {
    return "extract " + extract.extractor->describe() + " from " +
           print_expr(*extract.source, input());
  }
  std::string operator()(const Aggregate& op) const {
    std::string text = "aggregate";
    std::size_t column = op.groups.size();
    for (const AggregateCall& call : op.aggregates) {
      text += " " + shown(node.schema[column].name) + "=" + std::string(call.function->name) + "(";
      for (std::size_t i = 0; i < call.args.size(); ++i) {
        text.append(i == 0 ? "" : ", ").append(shown(input()[call.args[i]].name));
      }
      text += linear_text(call.form) + ")";
      column += call.call.results.size();
    }
    for (std::size_t i = 0; i < op.groups.size(); ++i) {
      text.append(i == 0 ? " by " : ", ").append(shown(input()[op.groups[i]].name));
    }
    return text;
  }
  std::string operator()(const Sort& sort) const { return "sort " + key_list(sort.keys, input()); }
  std::string operator()(const Limit& limit) const {
    return "limit " + std::to_string(limit.count);
  }
  std::string operator()(const TopN& top) const {
    std::string text = "top " + std::to_string(top.count);
    for (std::size_t i = 0; i < top.groups; ++i) {
      text.append(i == 0 ? " of each " : ", ").append(shown(input()[top.keys[i].column].name));
    }
    return text + " by " + key_list(top.keys, input());
  }
  std::string operator()(const Fetch& fetch) const {
    std::string text = "fetch " + fetch.table.name + " fields=[";
    for (std::size_t i = 0; i < fetch.columns.size(); ++i) {
      text.append(i == 0 ? "" : ", ").append(shown(fetch.columns[i].field));
    }
    return text + (fetch.candidates.has_value() ? "] of candidates" : "]");
  }
  std::string operator()(const Sample& sample) const {
    return "sample " + Value::real(sample.probability).to_text();
  }
  std::string operator()(const Join& join) const {
    std::string text = "join kind=" + std::string(join_name(join.kind)) + " on ";
    for (std::size_t i = 0; i < join.left_keys.size(); ++i) {
      text.append(i == 0 ? "" : ", ");
      text += shown(input()[join.left_keys[i]].name) +
              " == " + shown(node.inputs[1]->schema[join.right_keys[i]].name);
    }
    return text;
  }
  std::string operator()(const Union& /*op*/) const { return "union"; }
  std::string operator()(const Unnest& unnest) const {
    std::string text = "unnest ";
    for (std::size_t i = 0; i < unnest.columns.size(); ++i) {
      text.append(i == 0 ? "" : ", ").append(shown(input()[unnest.columns[i].column].name));
    }
    text += unnest.row_place ? " with row" : "";
    text += unnest.keeps_empty ? " of all rows" : "";
    return text;
  }
  std::string operator()(const Series& series) const {
    return "series step=" + std::to_string(series.step) +
           (series.gives_axis ? "" : " without axis");
  }
  std::string operator()(const Window& window) const {
    return "window calls=" + std::to_string(window.calls.size());
  }
  std::string operator()(const Apply& apply) const {
    return std::string(apply.per_row ? "apply per row" : "apply per key");
  }
  std::string operator()(const Placeholder& /*op*/) const { return "placeholder"; }
  std::string operator()(const Transform& transform) const {
    return "transform " + transform.function->describe();
  }
  std::string operator()(const Shared& /*shared*/) const { return "shared"; }
};

using Before = std::function<std::string(const Node&)>;

bool reads_shared(const Node& node) {
  const Node* subplan = subplan_of(node);
  return std::holds_alternative<Shared>(node.op) ||
         (subplan != nullptr && reads_shared(*subplan)) ||
         std::ranges::any_of(node.inputs,
                             [](const NodePtr& input) { return reads_shared(*input); });
}

class PlanText {
 public:
  explicit PlanText(const Before& before) : before_(before) {}

  void add(const Node& node, std::size_t depth) {
    const auto* shared = std::get_if<Shared>(&node.op);
    const bool again = shared != nullptr && is_shown(*shared->plan);
    text_ += before_ != nullptr ? before_(node) : "";
    text_.append(2 * depth, ' ').append(std::visit(Describe{node}, node.op));
    text_ += again ? ", shown above\n" : "\n";
    for (const NodePtr& input : node.inputs) {
      add(*input, depth + 1);
    }
    if (shared != nullptr && !again) {
      add(*shared->plan, depth + 1);
    }
    if (const auto* apply = std::get_if<Apply>(&node.op)) {
      add(*apply->subplan, depth + 1);
    }
  }
  std::string take() { return std::move(text_); }

 private:
  // What shares others itself is shown once: the text would double with each level of it.
  bool is_shown(const Node& plan) { return reads_shared(plan) && !shown_.insert(&plan).second; }

  const Before& before_;
  std::set<const Node*> shown_;
  std::string text_;
};

}  // namespace

std::string print_expr(const Expr& expr, const Schema& input) {
  switch (expr.kind) {
    case ExprKind::kColumn:
      return shown(input[expr.column].name);
    case ExprKind::kConstant:
      return constant_text(expr.constant);
    case ExprKind::kCall:
      break;
  }
  const std::string_view name = expr.function->name;
  if (name == "op_cast") {
    return std::string(type_name(expr.type)) + "(" + print_expr(*expr.args[0], input) + ")";
  }
  std::string_view infix = expr.function->symbol;
  if (infix.empty() && expr.args.size() >= 2 && name.starts_with("op_") &&
      (expr.args.size() == 2 || name == "op_and" || name == "op_or")) {
    infix = name.substr(3);
  }
  std::string text = infix.empty() ? std::string(name) + "(" : "(";
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    if (i > 0) {
      text += infix.empty() ? ", " : " " + std::string(infix) + " ";
    }
    text += print_expr(*expr.args[i], input);
  }
  return text + ")";
}

std::string print_plan(const Node& root, const Before& before) {
  PlanText text(before);
  text.add(root, 0);
  return text.take();
}

}  // namespace evq::plan
