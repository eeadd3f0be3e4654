#include "apl/exec/event_time.h"

#include <algorithm>
#include <string>

#include "apl/plan/hidden_columns.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"
#include "store/block/format.h"

namespace evq {

bool is_event_time(const plan::Node& node, std::size_t column) {
  if (const auto* scan = std::get_if<plan::Scan>(&node.op)) {
    const std::string& field = scan->columns[column].field;
    return field == plan::kTimeColumn || field == kTimeField;
  }
  if (const auto* join = std::get_if<plan::Join>(&node.op)) {
    return plan::join_traits(join->kind).passes_left_rows() &&
           column < node.inputs[0]->schema.size() && is_event_time(*node.inputs[0], column);
  }
  const std::optional<std::size_t> below =
      plan::traits_of(node.op).by_row ? plan::column_below(node, column) : std::nullopt;
  return below.has_value() && std::ranges::all_of(node.inputs, [&](const plan::NodePtr& input) {
           return is_event_time(*input, *below);
         });
}

std::optional<ChosenTime> chosen_time(const plan::Aggregate& op, const plan::Node& input) {
  if (!op.groups.empty() || op.aggregates.empty()) {
    return std::nullopt;
  }
  const auto side_of = [](const plan::AggregateCall& call) {
    return call.function == nullptr ? 0 : call.function->extreme;
  };
  const int side = side_of(op.aggregates[0]);
  if (side == 0) {
    return std::nullopt;
  }
  const bool all = std::ranges::all_of(op.aggregates, [&](const plan::AggregateCall& call) {
    return side_of(call) == side && is_event_time(input, call.args[0]);
  });
  return all ? std::optional(ChosenTime{op.aggregates[0].args[0], side > 0}) : std::nullopt;
}

}  // namespace evq
