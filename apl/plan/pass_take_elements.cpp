// split(x, '/')[2] and parse_url(x).host make one part instead of all of them: an index or key of a
// call whose function has an `element` becomes a call of that.

#include <utility>
#include <vector>

#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

bool takes_constant(const Expr& index) {
  return index.is_constant() && !index.constant.is_null() &&
         (index.type == Type::kString ||
          (index.type == Type::kLong && index.constant.as_integer() >= 0));
}

// Without conversions: parse_json() takes what is no text, which its element does not.
bool takes(const Overload& form, const std::vector<ExprPtr>& args) {
  bool all = form.parameter_count == args.size();
  for (std::size_t i = 0; all && i < args.size(); ++i) {
    all = form.parameters[i] == args[i]->type;
  }
  return all;
}

// The call that gives `expr`'s value alone, or null.
ExprPtr element_call(const Expr& expr, const EvalContext& context) {
  if (!expr.is_call("op_index") || expr.args[0]->kind != ExprKind::kCall ||
      expr.args[0]->function->element.empty() || !takes_constant(*expr.args[1])) {
    return nullptr;
  }
  const Expr& whole = *expr.args[0];
  const ScalarFunction* element = find_function(whole.function->element);
  const Overload& form = element->overloads[0];
  std::vector<ExprPtr> args;
  for (const ExprPtr& arg : whole.args) {
    args.push_back(clone(*arg));
  }
  args.push_back(clone(*expr.args[1]));
  if (!takes(form, args)) {
    return nullptr;
  }
  Result<ExprPtr> call = make_call(*element, std::move(args), context, expr.span);
  return call.ok() && call.value()->type == expr.type ? std::move(call).value() : nullptr;
}

ExprPtr take(ExprPtr expr, const EvalContext& context) {
  for (ExprPtr& arg : expr->args) {
    arg = take(std::move(arg), context);
  }
  ExprPtr element = element_call(*expr, context);
  return element == nullptr ? std::move(expr) : std::move(element);
}

}  // namespace

NodePtr take_elements(NodePtr root, const EvalContext& context) {
  return rewrite_bottom_up(std::move(root), [&context](NodePtr node) -> NodePtr {
    for_each_expr(node->op, [&context](ExprPtr& expr) { expr = take(std::move(expr), context); });
    return node;
  });
}

}  // namespace evq::plan
