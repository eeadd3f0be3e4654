#include "apl/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace evq::plan {
namespace {

// Copies an operation; only expressions need care.
struct CloneOperation {
  Operation operator()(const Scan& scan) const {
    Scan copy{scan.table,        scan.columns,        {},          scan.time_min, scan.time_max,
              scan.arrived_from, scan.arrived_before, scan.counted};
    for (const ExprPtr& filter : scan.filters) {
      copy.filters.push_back(clone(*filter));
    }
    return copy;
  }
  Operation operator()(const Filter& filter) const {
    return Filter{clone(*filter.predicate), filter.of_page};
  }
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

namespace {

// Whether `is_read` is true of a placeholder in `node`; `within` numbers the applies around that.
bool finds_placeholder(const Node& node, std::vector<std::uint64_t>* within,
                       const std::function<bool(std::uint64_t)>& is_read) {
  if (const auto* placeholder = std::get_if<Placeholder>(&node.op)) {
    return is_read(placeholder->apply);
  }
  if (const auto* shared = std::get_if<Shared>(&node.op)) {
    return finds_placeholder(*shared->plan, within, is_read);
  }
  if (const auto* apply = std::get_if<Apply>(&node.op)) {
    within->push_back(apply->id);
    const bool found = finds_placeholder(*apply->subplan, within, is_read);
    within->pop_back();
    if (found) {
      return true;
    }
  }
  return std::ranges::any_of(node.inputs, [&](const NodePtr& input) {
    return finds_placeholder(*input, within, is_read);
  });
}

}  // namespace

bool reads_placeholder(const Node& node) {
  std::vector<std::uint64_t> within;
  return finds_placeholder(node, &within, [&](std::uint64_t apply) {
    return std::ranges::find(within, apply) == within.end();
  });
}

bool reads_placeholder(const Node& node, std::uint64_t apply) {
  std::vector<std::uint64_t> within;
  return finds_placeholder(node, &within, [apply](std::uint64_t read) { return read == apply; });
}

}  // namespace evq::plan
