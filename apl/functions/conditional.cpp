// iff() and case(): each row takes the first branch whose condition is true, else the last one.
// The result's type is the common type of the branches; constant nulls do not count for it.

#include <array>

#include "apl/functions/aggregate_rows.h"
#include "apl/functions/conversion.h"
#include "apl/functions/pick_rows.h"
#include "apl/functions/registry.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

// Arguments: condition, branch, condition, branch, …, else.
class CaseCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const auto last = static_cast<Pick>(args.size() / 2);
    std::vector<Pick> picks(rows, last);
    std::vector<const Vector*> branches;
    for (Pick branch = 0; branch < last; ++branch) {
      const Vector& condition = args[std::size_t{branch} * 2];
      const auto pick_where = [&](const auto& holds) {
        visiting::visit_shapes(condition, rows, [&](std::size_t i, std::size_t slot) {
          picks[i] = picks[i] == last && holds(slot) ? branch : picks[i];
        });
      };
      if (condition.type() == Type::kDynamic) {
        const auto* values = condition.values().data<std::string_view>();
        pick_where([values](std::size_t slot) {
          return truth_of(DynamicView(values[slot])).value_or(false);
        });
      } else {
        const auto* values = condition.values().data<std::uint8_t>();
        pick_where([values](std::size_t slot) { return values[slot] != 0; });
      }
      branches.push_back(&args[std::size_t{branch} * 2 + 1]);
    }
    branches.push_back(&args.back());
    return pick_rows(branches, picks);
  }
};

BindResult bind_case(const BindRequest& request) {
  const std::size_t count = request.arguments.size();
  // case(…, true, x): a last condition that always holds says what is left.
  const Value* last_condition = request.arguments[count - 2].constant;
  const bool complete = last_condition != nullptr && last_condition->type() == Type::kBool &&
                        !last_condition->is_null() && last_condition->as_bool();
  if (count % 2 == 0 && !complete) {
    return BindFailure{-1, "case() needs a value for the rows that meet no condition",
                       "add a last argument without a condition"};
  }
  BoundCall call;
  const auto gives_value = [&](std::size_t i) { return i % 2 == 1 || i + 1 == count; };
  for (std::size_t i = 0; i < count; ++i) {
    const Argument& argument = request.arguments[i];
    if (gives_value(i)) {
      const bool null = argument.constant != nullptr && argument.constant->is_null();
      call.result = null ? call.result : common_type(call.result, argument.type);
    } else if (!implicit_cast_cost(argument.type, Type::kBool).has_value()) {
      return BindFailure{
          static_cast<int>(i),
          "a condition must be a bool, not a " + std::string(type_name(argument.type)),
          "compare it with something"};
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const bool loose = request.arguments[i].type == Type::kDynamic;
    call.arguments.push_back(gives_value(i) ? call.result : loose ? Type::kDynamic : Type::kBool);
  }
  call.function = std::make_shared<CaseCall>();
  return call;
}

constexpr std::array<ScalarFunction, 2> kConditionalFunctions = {{
    {.name = "case",
     .category = "conditional",
     .summary = "Gives the value that belongs to the first true condition.",
     .params = {{{"condition", "A bool; null counts as false."},
                 {"value", "The result where the condition is the first true one."},
                 {"more...", "Further pairs of a condition and a value."},
                 {"else",
                  "The result where no condition is true; not needed when the last condition is "
                  "constantly true."}}},
     .returns = "The common type of the values.",
     .examples = {{{"print case(false, 'a', 2 > 1, 'b', 'c')", "b"},
                   {"print case(bool(null), 1, 2)", "2"}}},
     .bind = bind_case,
     .arguments_min = 3},
    {.name = "iff",
     .aliases = {"iif"},
     .category = "conditional",
     .summary = "Gives one of two values, as a condition says.",
     .params = {{{"condition", "A bool; null counts as false."},
                 {"then", "The result where the condition is true."},
                 {"else", "The result elsewhere."}}},
     .returns = "The common type of the values.",
     .examples = {{{"print iff(1 < 2, 'yes', 'no')", "yes"},
                   {"print iff(bool(null), 1, 0.5)", "0.5"}}},
     .bind = bind_case,
     .arguments_min = 3,
     .arguments_max = 3},
}};

}  // namespace

std::span<const ScalarFunction> conditional_functions() {
  return kConditionalFunctions;
}

}  // namespace evq
