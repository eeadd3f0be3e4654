// Moves filters down: conjunct by conjunct through projections, sorts, extractions and unions, and
// into the scan, where they run before the other columns are read.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

void split_conjuncts(ExprPtr expr, std::vector<ExprPtr>* out) {
  if (expr->is_call("op_and")) {
    for (ExprPtr& arg : expr->args) {
      split_conjuncts(std::move(arg), out);
    }
    return;
  }
  out->push_back(std::move(expr));
}

NodePtr wrap(NodePtr node, ExprPtr predicate) {
  Schema schema = node->schema;
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(node));
  return make_node(Filter{std::move(predicate)}, std::move(inputs), std::move(schema));
}

bool uses_columns_below(const Expr& expr, std::size_t limit) {
  bool below = true;
  for_each_column(expr, [&](std::size_t column) { below = below && column < limit; });
  return below;
}

// What a filter is worth: a larger one costs more where it goes than the rows it keeps away, and
// one that meets extend s = s + s time and again would double each time.
constexpr std::size_t kConjunctSizeMax = 256;

// The calls of `expr` over the inputs of the projection that makes its columns, or more than `left`
// when they are more.
std::size_t size_below(const Expr& expr, const std::vector<ExprPtr>* columns, std::size_t left) {
  if (expr.is_column() && columns != nullptr) {
    return size_below(*(*columns)[expr.column], nullptr, left);
  }
  std::size_t size = expr.kind == ExprKind::kCall ? 1 : 0;
  for (const ExprPtr& arg : expr.args) {
    if (size > left) {
      break;
    }
    size += size_below(*arg, columns, left - size);
  }
  return size;
}

// One conjunct as far down as it goes.
NodePtr push(NodePtr node, ExprPtr conjunct) {
  if (!is_deterministic(*conjunct)) {
    return wrap(std::move(node), std::move(conjunct));
  }
  if (auto* scan = std::get_if<Scan>(&node->op)) {
    scan->filters.push_back(std::move(conjunct));
    return node;
  }
  if (auto* project = std::get_if<Project>(&node->op)) {
    bool stable = size_below(*conjunct, &project->exprs, kConjunctSizeMax) <= kConjunctSizeMax;
    for_each_column(*conjunct, [&](std::size_t column) {
      stable = stable && is_deterministic(*project->exprs[column]);
    });
    if (stable) {
      ExprPtr below = substitute(std::move(conjunct), project->exprs);
      node->inputs[0] = push(std::move(node->inputs[0]), std::move(below));
      return node;
    }
  } else if (std::holds_alternative<Filter>(node->op) || std::holds_alternative<Sort>(node->op)) {
    node->inputs[0] = push(std::move(node->inputs[0]), std::move(conjunct));
    return node;
  } else if (std::holds_alternative<Extract>(node->op)) {
    if (uses_columns_below(*conjunct, node->inputs[0]->schema.size())) {
      node->inputs[0] = push(std::move(node->inputs[0]), std::move(conjunct));
      return node;
    }
  } else if (std::holds_alternative<Union>(node->op)) {
    for (NodePtr& input : node->inputs) {
      input = push(std::move(input), clone(*conjunct));
    }
    return node;
  }
  return wrap(std::move(node), std::move(conjunct));
}

}  // namespace

NodePtr push_filters(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), [](NodePtr node) -> NodePtr {
    auto* filter = std::get_if<Filter>(&node->op);
    if (filter == nullptr) {
      return node;
    }
    std::vector<ExprPtr> conjuncts;
    split_conjuncts(std::move(filter->predicate), &conjuncts);
    NodePtr input = std::move(node->inputs[0]);
    for (ExprPtr& conjunct : conjuncts) {
      input = push(std::move(input), std::move(conjunct));
    }
    return input;
  });
}

}  // namespace evq::plan
