#include "apl/plan/plan.h"

#include <algorithm>
#include <utility>

namespace evq::plan {
namespace {

// Copies an operation; only expressions need care.
struct CloneOperation {
  Operation operator()(const Scan& scan) const {
    Scan copy{scan.table, scan.columns, {}, scan.time_min, scan.time_max};
    for (const ExprPtr& filter : scan.filters) {
      copy.filters.push_back(clone(*filter));
    }
    return copy;
  }
  Operation operator()(const Filter& filter) const { return Filter{clone(*filter.predicate)}; }
  Operation operator()(const Project& project) const {
    Project copy;
    for (const ExprPtr& expr : project.exprs) {
      copy.exprs.push_back(clone(*expr));
    }
    return copy;
  }
  Operation operator()(const Extract& extract) const {
    return Extract{clone(*extract.source), extract.extractor, extract.produced,
                   extract.drop_unmatched};
  }
  template <class Op>
  Operation operator()(const Op& op) const {
    return op;
  }
};

}  // namespace

NodePtr make_node(Operation op, std::vector<NodePtr> inputs, Schema schema) {
  return std::make_unique<Node>(Node{std::move(op), std::move(inputs), std::move(schema)});
}

NodePtr clone(const Node& node) {
  std::vector<NodePtr> inputs;
  inputs.reserve(node.inputs.size());
  for (const NodePtr& input : node.inputs) {
    inputs.push_back(clone(*input));
  }
  return make_node(std::visit(CloneOperation{}, node.op), std::move(inputs), node.schema);
}

bool reads_placeholder(const Node& node) {
  if (std::holds_alternative<Placeholder>(node.op)) {
    return true;
  }
  if (const auto* shared = std::get_if<Shared>(&node.op)) {
    return reads_placeholder(*shared->plan);
  }
  return std::ranges::any_of(node.inputs,
                             [](const NodePtr& input) { return reads_placeholder(*input); });
}

}  // namespace evq::plan
