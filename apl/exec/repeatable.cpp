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

// What may come in another order when it is made again, since memory may be short at one time.
bool is_made_by_keys(const plan::Node& node) {
  return std::holds_alternative<plan::Aggregate>(node.op) ||
         std::holds_alternative<plan::Join>(node.op) ||
         std::ranges::any_of(node.inputs,
                             [](const plan::NodePtr& input) { return is_made_by_keys(*input); });
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
  bool operator()(const plan::Limit& /*limit*/) const { return !is_made_by_keys(node); }
  bool operator()(const plan::TopN& /*top*/) const { return !is_made_by_keys(node); }
  bool operator()(const plan::Window& /*window*/) const { return !is_made_by_keys(node); }
  bool operator()(const plan::Unnest& unnest) const {
    return !unnest.row_place || !is_made_by_keys(node);
  }

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
