#include "apl/service/totals.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "store/block/format.h"

namespace evq {
namespace {

bool is_time_bin(const ast::NamedExpr& group) {
  const auto* call = std::get_if<ast::Call>(&group.value->node);
  if (call == nullptr || call->arguments.empty() ||
      (call->function.text != "bin" && call->function.text != "bin_auto" &&
       call->function.text != "floor")) {
    return false;
  }
  const auto* field = std::get_if<ast::FieldRef>(&call->arguments[0].value->node);
  return field != nullptr && field->name.text == kTimeField;
}

// The number of the group that is the time bin.
std::optional<std::size_t> time_bin(const ast::Query& query) {
  if (query.pipelines.size() != 1) {
    return std::nullopt;
  }
  const ast::OperatorList& operators = query.pipelines[0]->operators;
  const auto last =
      std::find_if_not(operators.rbegin(), operators.rend(), [](const ast::Operator& each) {
        return std::holds_alternative<ast::Sort>(each.node) ||
               std::holds_alternative<ast::Render>(each.node);
      });
  const auto* summarize =
      last != operators.rend() ? std::get_if<ast::Summarize>(&last->node) : nullptr;
  if (summarize == nullptr || summarize->aggregates.empty()) {
    return std::nullopt;
  }
  std::size_t number = 0;
  for (const ast::NamedExpr& group : summarize->groups) {
    if (is_time_bin(group)) {
      return number;
    }
    number += std::max<std::size_t>(group.names.size(), 1);
  }
  return std::nullopt;
}

// A plan again with a column less: group number `column` of its aggregation, which has the same
// place in all nodes above.
class WithoutColumn {
 public:
  explicit WithoutColumn(std::size_t column) : column_(column) {}

  // Null where the column is needed, or where a node has no place in a query with totals.
  plan::NodePtr make(const plan::Node& node) {
    if (std::holds_alternative<plan::Aggregate>(node.op)) {
      plan::NodePtr made = clone(node);
      auto& groups = std::get<plan::Aggregate>(made->op).groups;
      groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(column_));
      made->schema = without_column(node.schema);
      return made;
    }
    if (node.inputs.size() != 1) {
      return nullptr;
    }
    plan::NodePtr input = make(*node.inputs[0]);
    if (input == nullptr) {
      return nullptr;
    }
    if (const auto* project = std::get_if<plan::Project>(&node.op)) {
      return make_project(*project, node, std::move(input));
    }
    if (const auto* sort = std::get_if<plan::Sort>(&node.op)) {
      return make_sort(*sort, node, std::move(input));
    }
    if (const auto* limit = std::get_if<plan::Limit>(&node.op)) {
      return stack(*limit, node, std::move(input));
    }
    return nullptr;
  }

  bool is_sorted() const { return sorted_; }

 private:
  plan::NodePtr make_project(const plan::Project& project, const plan::Node& node,
                             plan::NodePtr input) const {
    plan::Project made;
    for (std::size_t i = 0; i < project.exprs.size(); ++i) {
      if (i == column_) {
        continue;
      }
      plan::ExprPtr expr = clone(*project.exprs[i]);
      if (!renumber(expr.get())) {
        return nullptr;
      }
      made.exprs.push_back(std::move(expr));
    }
    return stack(std::move(made), node, std::move(input));
  }

  plan::NodePtr make_sort(const plan::Sort& sort, const plan::Node& node, plan::NodePtr input) {
    plan::Sort made;
    for (const plan::SortKey& key : sort.keys) {
      if (key.column != column_) {
        made.keys.push_back({place(key.column), key.order});
      }
    }
    if (made.keys.empty()) {
      return input;
    }
    sorted_ = true;
    return stack(std::move(made), node, std::move(input));
  }

  plan::NodePtr stack(plan::Operation op, const plan::Node& node, plan::NodePtr input) const {
    std::vector<plan::NodePtr> inputs;
    inputs.push_back(std::move(input));
    return make_node(std::move(op), std::move(inputs), without_column(node.schema));
  }

  // Whether the expression can do without the column.
  bool renumber(plan::Expr* expr) const {
    if (expr->is_column()) {
      if (expr->column == column_) {
        return false;
      }
      expr->column = place(expr->column);
    }
    return std::ranges::all_of(expr->args,
                               [this](const plan::ExprPtr& arg) { return renumber(arg.get()); });
  }

  std::size_t place(std::size_t column) const { return column > column_ ? column - 1 : column; }

  Schema without_column(const Schema& schema) const {
    std::vector<Field> fields = schema.fields();
    fields.erase(fields.begin() + static_cast<std::ptrdiff_t>(column_));
    return Schema(std::move(fields));
  }

  const std::size_t column_;
  bool sorted_ = false;
};

}  // namespace

std::optional<Totals> make_totals(const ast::Query& query, const plan::Plan& plan) {
  const std::optional<std::size_t> bin = time_bin(query);
  if (!bin.has_value() || !plan.bin_ns.has_value()) {
    return std::nullopt;
  }
  WithoutColumn without(*bin);
  plan::NodePtr root = without.make(*plan.root);
  if (root == nullptr) {
    return std::nullopt;
  }
  const std::size_t first = plan.group_names.size() - 1;
  if (!without.is_sorted() && first > 0 && first < root->schema.size()) {
    Schema schema = root->schema;
    std::vector<plan::NodePtr> inputs;
    inputs.push_back(std::move(root));
    root = make_node(plan::Sort{{{first, {true, false}}}}, std::move(inputs), std::move(schema));
  }
  return Totals{std::move(root), *bin};
}

}  // namespace evq
