// Puts shared subplans where they are read, so that what is above them reaches into them and their
// rows need not be kept: those that one place reads, and those that cost hardly more to run again
// than their rows to read, which are scans with filters on short values and simple expressions.

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// Of all expressions of a subplan together: less than one search in a text.
constexpr int kRepeatedCostMax = 100;

// What running `expr` again costs, or more than the limit when it would give something else.
int repeated_cost(const Expr& expr) {
  if (!is_deterministic(expr)) {
    return kRepeatedCostMax + 1;
  }
  return expr.is_column() ? 0 : cost_per_row(expr);
}

// Expressions and columns of a subplan that is put where it is read: more are read from where they
// are kept, or plans would double with each level of what is shared.
constexpr std::size_t kRepeatedSizeMax = 400'000;

std::size_t size_of(const Node& node) {
  std::size_t size = 1 + node.schema.size();
  for_each_expr(node.op, [&](const ExprPtr& expr) { size += node_count(*expr); });
  for (const NodePtr& input : node.inputs) {
    size += size_of(*input);
  }
  return size;
}

int repeated_cost(const Node& node) {
  const bool cheap =
      std::holds_alternative<Scan>(node.op) || std::holds_alternative<Filter>(node.op) ||
      std::holds_alternative<Project>(node.op) || std::holds_alternative<Union>(node.op) ||
      std::holds_alternative<ValuesNode>(node.op);
  int cost = cheap ? 0 : kRepeatedCostMax + 1;
  for_each_expr(node.op, [&](const ExprPtr& expr) {
    cost = std::min(cost + repeated_cost(*expr), kRepeatedCostMax + 1);
  });
  for (const NodePtr& input : node.inputs) {
    cost = std::min(cost, kRepeatedCostMax + 1) + repeated_cost(*input);
  }
  return cost;
}

class SharedInliner {
 public:
  explicit SharedInliner(const Node& root) { count(root); }

  NodePtr rewrite(NodePtr root) {
    return rewrite_bottom_up(std::move(root), [this](NodePtr node) -> NodePtr {
      auto* shared = std::get_if<Shared>(&node->op);
      if (shared == nullptr || shared->stays || pinned_.contains(shared->plan.get())) {
        return node;
      }
      if (uses_.at(shared->plan.get()) == 1) {
        return rewrite(clone(*shared->plan));
      }
      shared->plan = rewritten(shared->plan);
      if (repeated_cost(*shared->plan) <= kRepeatedCostMax &&
          size_of(*shared->plan) <= kRepeatedSizeMax) {
        return clone(*shared->plan);
      }
      shared->stays = true;
      return node;
    });
  }

 private:
  void count(const Node& node) {
    for (const NodePtr& input : node.inputs) {
      count(*input);
    }
    if (const auto* shared = std::get_if<Shared>(&node.op)) {
      if (uses_[shared->plan.get()]++ == 0) {
        count(*shared->plan);
      }
    } else if (const auto* apply = std::get_if<Apply>(&node.op)) {
      pin(*apply->subplan);
    }
  }

  // What a subplan of an Apply reads is read once for each of its runs.
  void pin(const Node& node) {
    for (const NodePtr& input : node.inputs) {
      pin(*input);
    }
    const Node* subplan = subplan_of(node);
    if (subplan != nullptr && pinned_.insert(subplan).second) {
      pin(*subplan);
    }
  }

  // The subplan with what it shares itself put in; the same one for all who read it.
  std::shared_ptr<const Node> rewritten(const std::shared_ptr<const Node>& plan) {
    const auto known = rewritten_.find(plan);
    if (known != rewritten_.end()) {
      return known->second;
    }
    std::shared_ptr<const Node> made = rewrite(clone(*plan));
    rewritten_.emplace(plan, made);
    return made;
  }

  std::map<const Node*, std::size_t> uses_;
  std::set<const Node*> pinned_;
  std::map<std::shared_ptr<const Node>, std::shared_ptr<const Node>> rewritten_;
};

}  // namespace

NodePtr inline_shared(NodePtr root, const EvalContext& /*context*/) {
  SharedInliner inliner(*root);
  return inliner.rewrite(std::move(root));
}

}  // namespace evq::plan
