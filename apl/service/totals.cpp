#include "apl/service/totals.h"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "apl/plan/stacking.h"
#include "apl/plan/without_group.h"
#include "store/block/format.h"

namespace evq {
namespace {

bool is_time_bin(const ast::NamedExpr& group) {
  const auto* call = std::get_if<ast::Call>(&group.value->node);
  if (call == nullptr || call->arguments.empty() ||
      (call->function.text != "bin" && call->function.text != "bin_auto" &&
       call->function.text != "floor" && call->function.text != "bin_at")) {
    return false;
  }
  const auto* field = std::get_if<ast::FieldRef>(&call->arguments[0].value->node);
  return field != nullptr && field->name.text == kTimeField;
}

// Whether the operator may stand between a summarize and the end of a query that has totals: it
// chooses among rows or columns, or adds some.
bool keeps_totals(const ast::Operator& op) {
  return std::holds_alternative<ast::Sort>(op.node) ||
         std::holds_alternative<ast::Render>(op.node) ||
         std::holds_alternative<ast::Limit>(op.node) ||
         std::holds_alternative<ast::Where>(op.node) ||
         std::holds_alternative<ast::Extend>(op.node) ||
         std::holds_alternative<ast::Project>(op.node) ||
         std::holds_alternative<ast::ProjectAway>(op.node) ||
         std::holds_alternative<ast::ProjectRename>(op.node) ||
         std::holds_alternative<ast::ProjectReorder>(op.node);
}

// The groups of the summarize that the query ends in.
struct Groups {
  std::size_t bin = 0;  // the number of the one that is the time bin
  std::size_t count = 0;
};

std::optional<Groups> find_groups(const ast::Query& query) {
  if (query.pipelines.size() != 1) {
    return std::nullopt;
  }
  const ast::OperatorList& operators = query.pipelines[0]->operators;
  const auto last = std::find_if_not(operators.rbegin(), operators.rend(), keeps_totals);
  const auto* summarize =
      last != operators.rend() ? std::get_if<ast::Summarize>(&last->node) : nullptr;
  if (summarize == nullptr || summarize->aggregates.empty()) {
    return std::nullopt;
  }
  std::optional<std::size_t> bin;
  std::size_t count = 0;
  for (const ast::NamedExpr& group : summarize->groups) {
    if (!bin.has_value() && is_time_bin(group)) {
      bin = count;
    }
    count += std::max<std::size_t>(group.names.size(), 1);
  }
  return bin.has_value() ? std::optional(Groups{*bin, count}) : std::nullopt;
}

// Without what was worked out on the way: an answer's columns are the others.
plan::NodePtr without_hidden(plan::NodePtr node) {
  plan::Project op;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < node->schema.size(); ++i) {
    if (!plan::is_hidden(node->schema[i].name)) {
      op.exprs.push_back(plan::make_column(i, node->schema[i].type));
      fields.push_back(node->schema[i]);
    }
  }
  return fields.size() == node->schema.size()
             ? std::move(node)
             : plan::stack(std::move(node), std::move(op), Schema(std::move(fields)));
}

}  // namespace

std::optional<Totals> make_totals(const ast::Query& query, const plan::Plan& plan) {
  const std::optional<Groups> groups = find_groups(query);
  // A limit that counts rows does not tell which groups are left, unless there is only one.
  if (!groups.has_value() || !plan.bin_ns.has_value() || plan.group_names.size() != groups->count ||
      (plan.explicit_limit.has_value() && groups->count > 1)) {
    return std::nullopt;
  }
  std::optional<plan::WithoutGroup> made = plan::without_group(*plan.root, groups->bin);
  if (!made.has_value()) {
    return std::nullopt;
  }
  const std::vector<Field>& all = plan.root->schema.fields();
  const auto bin = static_cast<std::size_t>(
      std::count_if(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(made->column),
                    [](const Field& field) { return !plan::is_hidden(field.name); }));
  made->node = without_hidden(std::move(made->node));
  const std::vector<Field>& fields = made->node->schema.fields();
  const auto value = std::ranges::find_if(fields, [&](const Field& field) {
    return std::ranges::find(plan.group_names, field.name) == plan.group_names.end();
  });
  if (!made->sorted && groups->count > 1 && value != fields.end()) {
    const auto column = static_cast<std::size_t>(value - fields.begin());
    Schema schema = made->node->schema;
    made->node = plan::stack(std::move(made->node), plan::Sort{{{column, {true, false}}}},
                             std::move(schema));
  }
  return Totals{std::move(made->node), bin};
}

}  // namespace evq
