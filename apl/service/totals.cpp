#include "apl/service/totals.h"

#include <algorithm>
#include <utility>
#include <variant>

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

}  // namespace

std::optional<std::size_t> make_totals_query(ast::Query* query) {
  if (query->pipelines.size() != 1) {
    return std::nullopt;
  }
  ast::OperatorList& operators = query->pipelines[0]->operators;
  std::size_t end = operators.size();
  while (end > 0 && (std::holds_alternative<ast::Sort>(operators[end - 1].node) ||
                     std::holds_alternative<ast::Render>(operators[end - 1].node))) {
    --end;
  }
  auto* summarize = end > 0 ? std::get_if<ast::Summarize>(&operators[end - 1].node) : nullptr;
  if (summarize == nullptr || summarize->aggregates.empty()) {
    return std::nullopt;
  }
  const auto bin = std::ranges::find_if(summarize->groups, is_time_bin);
  if (bin == summarize->groups.end()) {
    return std::nullopt;
  }
  const auto position = static_cast<std::size_t>(bin - summarize->groups.begin());
  const std::string name = bin->names.empty() ? std::string(kTimeField) : bin->names[0].text;
  summarize->groups.erase(bin);
  summarize->has_by = !summarize->groups.empty();
  // Sorts by other columns hold for the totals as well.
  for (std::size_t i = end; i < operators.size(); ++i) {
    if (auto* sort = std::get_if<ast::Sort>(&operators[i].node); sort != nullptr) {
      std::erase_if(sort->keys, [&](const ast::SortKey& key) {
        const auto* field = std::get_if<ast::FieldRef>(&key.value->node);
        return field != nullptr && field->name.text == name;
      });
    }
  }
  std::erase_if(operators, [](const ast::Operator& each) {
    const auto* sort = std::get_if<ast::Sort>(&each.node);
    return std::holds_alternative<ast::Render>(each.node) ||
           (sort != nullptr && sort->keys.empty());
  });
  return position;
}

void sort_totals(plan::Plan* plan) {
  const std::size_t first = plan->group_names.size();
  if (first == 0 || first >= plan->root->schema.size() || !plan->order.empty()) {
    return;
  }
  plan::Sort sort;
  sort.keys.push_back({first, {true, false}});
  Schema schema = plan->root->schema;
  std::vector<plan::NodePtr> inputs;
  inputs.push_back(std::move(plan->root));
  plan->root = plan::make_node(std::move(sort), std::move(inputs), std::move(schema));
}

}  // namespace evq
