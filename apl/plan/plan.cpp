#include "apl/plan/plan.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "apl/plan/node_traits.h"

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

// Looks for a placeholder of which `is_read` is true, given the numbers of the applies around it.
class PlaceholderSearch {
 public:
  using Within = std::vector<std::uint64_t>;
  using IsRead = std::function<bool(const Within& within, std::uint64_t apply)>;

  explicit PlaceholderSearch(IsRead is_read) : is_read_(std::move(is_read)) {}

  bool finds(const Node& node) {
    if (const auto* placeholder = std::get_if<Placeholder>(&node.op)) {
      return is_read_(within_, placeholder->apply);
    }
    if (const auto* shared = std::get_if<Shared>(&node.op)) {
      // Once is enough: the ways to plans that share others double with each of them.
      return searched_.emplace(shared->plan.get(), within_).second && finds(*shared->plan);
    }
    if (const auto* apply = std::get_if<Apply>(&node.op)) {
      within_.push_back(apply->id);
      const bool found = finds(*apply->subplan);
      within_.pop_back();
      if (found) {
        return true;
      }
    }
    return std::ranges::any_of(node.inputs, [this](const NodePtr& input) { return finds(*input); });
  }

 private:
  const IsRead is_read_;
  Within within_;
  std::set<std::pair<const Node*, Within>> searched_;  // shared plans, by what is around them
};

// Whether a plan has a node of which `wanted` is true.
template <class Wanted>
bool finds(const Node& node, const Wanted& wanted, std::set<const Node*>* searched) {
  if (wanted(node)) {
    return true;
  }
  const Node* subplan = subplan_of(node);
  return (subplan != nullptr && searched->insert(subplan).second &&
          finds(*subplan, wanted, searched)) ||
         std::ranges::any_of(node.inputs,
                             [&](const NodePtr& input) { return finds(*input, wanted, searched); });
}

}  // namespace

bool reads_placeholder(const Node& node) {
  return PlaceholderSearch([](const PlaceholderSearch::Within& within, std::uint64_t apply) {
           return std::ranges::find(within, apply) == within.end();
         })
      .finds(node);
}

bool reads_placeholder(const Node& node, std::uint64_t apply) {
  return PlaceholderSearch([apply](const PlaceholderSearch::Within& /*within*/,
                                   std::uint64_t read) { return read == apply; })
      .finds(node);
}

bool scans(const Node& node) {
  std::set<const Node*> searched;
  return finds(
      node, [](const Node& each) { return std::holds_alternative<Scan>(each.op); }, &searched);
}

bool makes_rows(const Node& node) {
  std::set<const Node*> searched;
  const auto makes_some = [](const Node& each) {
    const auto* values = std::get_if<ValuesNode>(&each.op);
    const auto* sequence = std::get_if<Sequence>(&each.op);
    return (values != nullptr && values->table->rows > 0) ||
           (sequence != nullptr && sequence->count > 0);
  };
  return finds(node, makes_some, &searched);
}

bool draws(const Node& node) {
  std::set<const Node*> searched;
  return finds(
      node, [](const Node& each) { return draws_itself(each.op); }, &searched);
}

}  // namespace evq::plan
