// sum(x + 1), avg(x * 8) and the like, of longs, take x itself: no column of x + 1 is made, and
// several sums over one x become one (share_aggregates).

#include <cstdlib>
#include <optional>
#include <utility>

#include "apl/functions/linear_sum.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

struct Linear {
  ExprPtr* of;  // x
  LinearForm form;
};

std::optional<std::int64_t> constant_within(const Expr& expr, std::int64_t bound) {
  if (!expr.is_constant() || expr.type != Type::kLong || expr.constant.is_null()) {
    return std::nullopt;
  }
  const std::int64_t value = expr.constant.as_integer();
  return -bound <= value && value <= bound ? std::optional(value) : std::nullopt;
}

bool is_of_longs(const Expr& expr) {
  return expr.type == Type::kLong && expr.args.size() == 2 && expr.args[0]->type == Type::kLong &&
         expr.args[1]->type == Type::kLong &&
         expr.args[0]->is_constant() != expr.args[1]->is_constant();
}

std::optional<Linear> scaled(Expr* expr) {
  if (!expr->is_call("op_multiply") || !is_of_longs(*expr)) {
    return std::nullopt;
  }
  const std::size_t constant = expr->args[0]->is_constant() ? 0 : 1;
  const auto scale = constant_within(*expr->args[constant], LinearForm::kScaleMax);
  return scale.has_value() ? std::optional(Linear{&expr->args[1 - constant], {*scale, 0}})
                           : std::nullopt;
}

std::optional<Linear> linear(Expr* expr) {
  const bool minus = expr->is_call("op_subtract");
  if ((!minus && !expr->is_call("op_add")) || !is_of_longs(*expr)) {
    return scaled(expr);
  }
  const std::size_t constant = expr->args[0]->is_constant() ? 0 : 1;
  const auto shift = constant_within(*expr->args[constant], LinearForm::kShiftMax);
  if (!shift.has_value()) {
    return std::nullopt;
  }
  ExprPtr* const rest = &expr->args[1 - constant];
  if (minus && constant == 0) {
    return Linear{rest, {-1, *shift}};
  }
  const std::int64_t added = minus ? -*shift : *shift;
  if (std::optional<Linear> inner = scaled(rest->get());
      inner.has_value() && inner->form.scale != -1) {
    inner->form.shift = added;
    return inner;
  }
  return Linear{rest, {1, added}};
}

// The projection below an aggregate has a column for each argument of each call.
NodePtr linearize(NodePtr node) {
  auto* aggregate = std::get_if<Aggregate>(&node->op);
  auto* project = aggregate == nullptr ? nullptr : std::get_if<Project>(&node->inputs[0]->op);
  if (project == nullptr) {
    return node;
  }
  std::vector<std::size_t> readers(project->exprs.size(), 0);
  for (const std::size_t group : aggregate->groups) {
    ++readers[group];
  }
  for (const AggregateCall& call : aggregate->aggregates) {
    for (const std::size_t arg : call.args) {
      ++readers[arg];
    }
  }
  for (AggregateCall& call : aggregate->aggregates) {
    if (call.args.size() != 1 || readers[call.args[0]] != 1) {
      continue;
    }
    ExprPtr& expr = project->exprs[call.args[0]];
    const std::optional<Linear> found = linear(expr.get());
    auto made = found.has_value() ? aggregate_of_linear(*call.call.aggregate, found->form)
                                  : std::shared_ptr<const BoundAggregate>();
    if (made != nullptr) {
      call.call.aggregate = std::move(made);
      call.form = found->form;
      ExprPtr of = std::move(*found->of);
      expr = std::move(of);
    }
  }
  return node;
}

}  // namespace

NodePtr linearize_sums(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), linearize);
}

}  // namespace evq::plan
