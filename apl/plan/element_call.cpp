#include "apl/plan/element_call.h"

#include <utility>
#include <vector>

namespace evq::plan {
namespace {

bool takes_constant(const Expr& index) {
  return index.is_constant() && !index.constant.is_null() &&
         (index.type == Type::kString ||
          (index.type == Type::kLong && index.constant.as_integer() >= 0));
}

// Without conversions: parse_json() takes what is no text, which its element does not.
bool takes(const Overload& form, const std::vector<ExprPtr>& args) {
  bool all = form.required_count <= args.size() && args.size() <= form.parameter_count;
  for (std::size_t i = 0; all && i < args.size(); ++i) {
    all = form.parameters[i] == args[i]->type;
  }
  return all;
}

// A call of `name`, of one form, with the arguments of `whole` and the constants of these indexes;
// null where it does not take them or is of another type.
ExprPtr call_with(std::string_view name, const Expr& whole, std::span<const Expr* const> indexes,
                  Type type, const EvalContext& context) {
  if (name.empty()) {
    return nullptr;
  }
  std::vector<ExprPtr> args;
  for (const ExprPtr& arg : whole.args) {
    args.push_back(clone(*arg));
  }
  for (const Expr* index : indexes) {
    if (!takes_constant(*index->args[1])) {
      return nullptr;
    }
    args.push_back(clone(*index->args[1]));
  }
  const ScalarFunction* function = find_function(name);
  if (!takes(function->overloads[0], args)) {
    return nullptr;
  }
  Result<ExprPtr> call = make_call(*function, std::move(args), context, whole.span);
  return call.ok() && call.value()->type == type ? std::move(call).value() : nullptr;
}

}  // namespace

bool has_elements(const Expr& call) {
  return call.kind == ExprKind::kCall &&
         (!call.function->element.empty() || !call.function->members.empty());
}

ExprPtr element_call(const Expr& index, const EvalContext& context) {
  if (!index.is_call("op_index") || !has_elements(*index.args[0])) {
    return nullptr;
  }
  const Expr& whole = *index.args[0];
  const Expr* const asked = &index;
  return call_with(whole.function->element, whole, {&asked, 1}, index.type, context);
}

ExprPtr members_call(const Expr& call, std::span<const Expr* const> indexes,
                     const EvalContext& context) {
  return has_elements(call) ? call_with(call.function->members, call, indexes, call.type, context)
                            : nullptr;
}

}  // namespace evq::plan
