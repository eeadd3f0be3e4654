#include "apl/exec/repeatable.h"

#include <algorithm>
#include <variant>
#include <vector>

namespace evq {
namespace {

bool all_deterministic(const std::vector<plan::ExprPtr>& exprs) {
  return std::ranges::all_of(
      exprs, [](const plan::ExprPtr& expr) { return plan::is_deterministic(*expr); });
}

// Groups may come in another order when they are made again.
bool has_aggregation(const plan::Node& node) {
  return std::holds_alternative<plan::Aggregate>(node.op) ||
         std::ranges::any_of(node.inputs,
                             [](const plan::NodePtr& input) { return has_aggregation(*input); });
}

// Of one node, when its inputs are repeatable.
struct Repeats {
  const plan::Node& node;

  bool operator()(const plan::Scan& scan) const { return all_deterministic(scan.filters); }
  bool operator()(const plan::Filter& filter) const {
    return plan::is_deterministic(*filter.predicate);
  }
  bool operator()(const plan::Project& project) const { return all_deterministic(project.exprs); }
  bool operator()(const plan::Extract& extract) const {
    return plan::is_deterministic(*extract.source);
  }
  // What they make of a row depends on those before it.
  bool operator()(const plan::Limit& /*limit*/) const { return !has_aggregation(node); }
  bool operator()(const plan::TopN& /*top*/) const { return !has_aggregation(node); }
  bool operator()(const plan::Window& /*window*/) const { return !has_aggregation(node); }

  bool operator()(const plan::Sample& /*sample*/) const { return false; }
  bool operator()(const plan::Apply& /*apply*/) const { return false; }
  bool operator()(const plan::Transform& /*transform*/) const { return false; }

  template <class Other>  // whose rows depend on those of the inputs alone
  bool operator()(const Other& /*op*/) const {
    return true;
  }
};

}  // namespace

bool is_repeatable(const plan::Node& node) {
  return std::visit(Repeats{node}, node.op) &&
         std::ranges::all_of(node.inputs,
                             [](const plan::NodePtr& input) { return is_repeatable(*input); });
}

}  // namespace evq
