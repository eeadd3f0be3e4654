#include "apl/plan/aggregation_hint.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "apl/functions/registry.h"
#include "apl/syntax/diagnostics.h"

namespace evq::plan {
namespace {

// Whether an argument is an aggregation, or may hold one.
bool may_aggregate(const ast::Expr& argument) {
  const auto* call = std::get_if<ast::Call>(&argument.node);
  if (call == nullptr) {
    return !std::holds_alternative<ast::FieldRef>(argument.node) &&
           !std::holds_alternative<ast::Literal>(argument.node);
  }
  return find_function(call->function.text) == nullptr ||
         std::ranges::any_of(call->arguments,
                             [](const auto& inner) { return may_aggregate(*inner.value); });
}

}  // namespace

Error with_aggregation_hint(Error error, const ast::Expr& expr) {
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const ScalarFunction* function = call == nullptr ? nullptr : find_function(call->function.text);
  if (function == nullptr || error.id != diag::field_not_grouped({}, "").id) {
    return error;
  }
  // An argument that is a call may be the aggregation, beside a field that is forgotten after by.
  if (std::ranges::any_of(call->arguments, [](const auto& argument) {
        return std::holds_alternative<ast::Call>(argument.value->node) &&
               may_aggregate(*argument.value);
      })) {
    return error;
  }
  error.hint =
      call->function.text + "() looks at one row alone: " +
      (!function->meant_aggregation.empty()
           ? "write " + std::string(function->meant_aggregation)
           : "put it after by, or in an aggregation: take_any(" + call->function.text + "(…))") +
      "; extend makes it of each row";
  return error;
}

}  // namespace evq::plan
