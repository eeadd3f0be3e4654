#include "apl/plan/aggregation_hint.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "apl/functions/registry.h"
#include "apl/syntax/diagnostics.h"

namespace evq::plan {
namespace {

struct Meant {
  std::string_view function;
  std::string_view aggregation;
};
constexpr Meant kMeant[] = {
    {"array_concat", "make_list(x)"},
    {"bag_merge", "make_bag(x)"},
    {"bag_pack", "make_bag(bag_pack('key', x)), or make_list(bag_pack('key', x))"},
    {"coalesce", "take_any(x)"},
    {"max_of", "max(x)"},
    {"min_of", "min(x)"},
    {"pack_all", "make_list(pack_all())"},
    {"pack_array", "make_list(x)"},
    {"set_union", "make_set(x)"},
    {"strcat", "strcat_array(make_list(x), '')"},
    {"strcat_array", "strcat_array(make_list(x), ',')"},
    {"strcat_delim", "strcat_array(make_list(x), ',')"},
};

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
  const auto* const meant = std::ranges::find(kMeant, function->name, &Meant::function);
  error.hint = call->function.text + "() looks at one row alone: " +
               (meant != std::end(kMeant) ? "write " + std::string(meant->aggregation)
                                          : "put it after by, or in an aggregation: take_any(" +
                                                call->function.text + "(…))") +
               "; extend makes it of each row";
  return error;
}

}  // namespace evq::plan
