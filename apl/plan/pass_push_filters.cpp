// Moves filters down: conjunct by conjunct through projections, sorts, extractions, expansions and
// unions, through aggregations where they are about groups, to the sides of joins, and into the
// scan, where they run before the other columns are read.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "apl/plan/join_kinds.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"

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

// Whether `is_fit` is true of every column of `expr`.
bool uses_only(const Expr& expr, const std::function<bool(std::size_t)>& is_fit) {
  return !reads_column(expr, [&](std::size_t column) { return !is_fit(column); });
}

bool uses_columns_below(const Expr& expr, std::size_t limit) {
  return uses_only(expr, [limit](std::size_t column) { return column < limit; });
}

ExprPtr remapped(ExprPtr expr, const std::vector<std::size_t>& mapping) {
  remap_columns(expr.get(), mapping);
  return expr;
}

// a and b, for a filter: one call of all their conjuncts.
ExprPtr both(ExprPtr a, ExprPtr b) {
  if (!a->is_call("op_and")) {
    const ScalarFunction* row = find_function("op_and");
    const std::vector<Argument> truths(1, Argument{Type::kBool, nullptr});
    auto one = std::make_unique<Expr>();
    one->kind = ExprKind::kCall;
    one->type = Type::kBool;
    one->span = a->span;
    one->function = row;
    one->call = std::get<BoundCall>(bind_function(*row, {truths, EvalContext()}));
    one->args.push_back(std::move(a));
    a = std::move(one);
  }
  a->args.push_back(std::move(b));
  a->call.arguments.push_back(Type::kBool);
  return a;
}

// So many filters lie on each other, the ones below sparing the ones above their rows; what comes
// after joins the lowest, since a plan is walked by recursion and as deep as its operators are.
constexpr std::size_t kFiltersMax = 16;

// What a filter is worth: a larger one costs more where it goes than the rows it keeps away, and
// one that meets extend s = s + s time and again would double each time.
constexpr std::size_t kConjunctSizeMax = 256;

// Calls that filters have in all the copies made of them, one for every input of a union: thousands
// of conditions over a hundred inputs would take more memory than the query may.
constexpr std::size_t kCopiesMax = 100'000;

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

// Cheap enough for every row rather than once a group: columns beside constants.
bool is_comparison(const Expr& expr) {
  const bool joins = expr.is_call("op_and") || expr.is_call("op_or") || expr.is_call("not");
  return expr.kind == ExprKind::kCall && std::ranges::all_of(expr.args, [&](const ExprPtr& arg) {
           return arg->is_column() || arg->is_constant() || (joins && is_comparison(*arg));
         });
}

// A function that pushes takes the conjunct; one that does not leaves it.
class FilterPusher {
 public:
  // One conjunct as far down as it goes.
  NodePtr push(NodePtr node, ExprPtr conjunct) {
    AllocationMeter::poll();
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
    } else if (std::holds_alternative<Filter>(node->op)) {
      push_below_filters(node.get(), std::move(conjunct));
      return node;
    } else if (std::holds_alternative<Sort>(node->op)) {
      node->inputs[0] = push(std::move(node->inputs[0]), std::move(conjunct));
      return node;
    } else if (std::holds_alternative<Extract>(node->op)) {
      if (uses_columns_below(*conjunct, node->inputs[0]->schema.size())) {
        node->inputs[0] = push(std::move(node->inputs[0]), std::move(conjunct));
        return node;
      }
    } else if (std::holds_alternative<Union>(node->op) &&
               may_copy(*conjunct, node->inputs.size())) {
      for (NodePtr& input : node->inputs) {
        input = push(std::move(input), clone(*conjunct));
      }
      return node;
    } else if (push_through(node.get(), &conjunct)) {
      return node;
    }
    return wrap(std::move(node), std::move(conjunct));
  }

 private:
  // Whether copies of `expr` may be made, of all of those for a plan.
  bool may_copy(const Expr& expr, std::size_t copies) {
    const std::size_t size = (1 + size_below(expr, nullptr, kConjunctSizeMax)) * copies;
    if (size > copies_left_) {
      return false;
    }
    copies_left_ -= size;
    return true;
  }

  // ---- through operators that make rows of several

  bool push_below_groups(const Aggregate& aggregate, Node* node, ExprPtr* conjunct) {
    const bool about_groups = uses_only(**conjunct, [&](std::size_t column) {
      return column < aggregate.groups.size() && is_one_when_equal(node->schema[column].type);
    });
    if (aggregate.groups.empty() || !about_groups || !is_comparison(**conjunct)) {
      return false;
    }
    node->inputs[0] =
        push(std::move(node->inputs[0]), remapped(std::move(*conjunct), aggregate.groups));
    return true;
  }

  bool push_below_expansion(const Unnest& unnest, Node* node, ExprPtr* conjunct) {
    const bool passed = uses_only(**conjunct, [&](std::size_t column) {
      return column < node->inputs[0]->schema.size() &&
             std::ranges::find(unnest.columns, column, &UnnestColumn::column) ==
                 unnest.columns.end();
    });
    if (passed) {
      node->inputs[0] = push(std::move(node->inputs[0]), std::move(*conjunct));
    }
    return passed;
  }

  // A conjunct about one side goes there; about keys alone, to their partners on the other as well,
  // since rows without a partner there have no part in the rows that are left.
  bool push_to_sides(const Join& join, Node* node, ExprPtr* conjunct) {
    const JoinTraits traits = join_traits(join.kind);
    const std::size_t left_size = node->inputs[0]->schema.size();
    const bool to_left = traits.passes_left_rows() && uses_columns_below(**conjunct, left_size);
    const bool to_right =
        traits.passes_right_rows() &&
        uses_only(**conjunct, [left_size](std::size_t column) { return column >= left_size; });
    if (!to_left && !to_right) {
      return false;
    }
    const std::size_t first = to_left ? 0 : left_size;  // column of this side
    NodePtr& side = node->inputs[to_left ? 0 : 1];
    NodePtr& other = node->inputs[to_left ? 1 : 0];
    const std::vector<std::size_t>& keys = to_left ? join.left_keys : join.right_keys;
    const std::vector<std::size_t>& partners = to_left ? join.right_keys : join.left_keys;
    std::vector<std::size_t> to_side(node->schema.size());
    std::vector<std::size_t> to_other(node->schema.size());
    const bool about_keys = uses_only(**conjunct, [&](std::size_t column) {
      const auto key = std::ranges::find(keys, column - first);
      if (key != keys.end()) {
        to_other[column] = partners[static_cast<std::size_t>(key - keys.begin())];
      }
      return key != keys.end() && is_one_when_equal(node->schema[column].type) &&
             node->schema[column].type == other->schema[to_other[column]].type;
    });
    for (std::size_t column = first; column < to_side.size(); ++column) {
      to_side[column] = column - first;
    }
    if (about_keys && may_copy(**conjunct, 1)) {
      other = push(std::move(other), remapped(clone(**conjunct), to_other));
    }
    side = push(std::move(side), remapped(std::move(*conjunct), to_side));
    return true;
  }

  bool push_through(Node* node, ExprPtr* conjunct) {
    if (const auto* aggregate = std::get_if<Aggregate>(&node->op)) {
      return push_below_groups(*aggregate, node, conjunct);
    }
    if (const auto* unnest = std::get_if<Unnest>(&node->op)) {
      return push_below_expansion(*unnest, node, conjunct);
    }
    if (const auto* join = std::get_if<Join>(&node->op)) {
      return push_to_sides(*join, node, conjunct);
    }
    return false;
  }

  void push_below_filters(Node* filter, ExprPtr conjunct) {
    std::size_t filters = 1;
    while (std::holds_alternative<Filter>(filter->inputs[0]->op)) {
      filter = filter->inputs[0].get();
      ++filters;
    }
    NodePtr below = push(std::move(filter->inputs[0]), std::move(conjunct));
    if (auto* rested = std::get_if<Filter>(&below->op);
        rested != nullptr && filters >= kFiltersMax) {
      auto& lowest = std::get<Filter>(filter->op);
      lowest.predicate = both(std::move(lowest.predicate), std::move(rested->predicate));
      below = std::move(below->inputs[0]);
    }
    filter->inputs[0] = std::move(below);
  }

  std::size_t copies_left_ = kCopiesMax;
};

}  // namespace

NodePtr push_filters(NodePtr root, const EvalContext& /*context*/) {
  FilterPusher pusher;
  return rewrite_bottom_up(std::move(root), [&pusher](NodePtr node) -> NodePtr {
    auto* filter = std::get_if<Filter>(&node->op);
    if (filter == nullptr) {
      return node;
    }
    std::vector<ExprPtr> conjuncts;
    split_conjuncts(std::move(filter->predicate), &conjuncts);
    NodePtr input = std::move(node->inputs[0]);
    for (ExprPtr& conjunct : conjuncts) {
      input = pusher.push(std::move(input), std::move(conjunct));
    }
    return input;
  });
}

}  // namespace evq::plan
