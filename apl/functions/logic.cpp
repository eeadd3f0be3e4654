// The logical operators over operands that have all been evaluated. Any number of these, so that
// the optimiser can flatten and split. What truth is with nulls stands in truths.h.

#include <array>

#include "apl/functions/registry.h"
#include "apl/functions/truths.h"

namespace evq {
namespace {

template <Junction kJunction>
class Logical final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    Truths truths(kJunction, rows);
    for (const Vector& arg : args) {
      truths.fold_in(arg);
    }
    return truths.values();
  }
};

template <Junction kJunction>
BindResult bind_logical(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kBool;
  call.arguments.assign(request.arguments.size(), Type::kBool);
  call.function = std::make_shared<Logical<kJunction>>();
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    if (!implicit_cast_cost(request.arguments[i].type, Type::kBool).has_value()) {
      return BindFailure{
          static_cast<int>(i),
          "and/or take bool operands, not a " + std::string(type_name(request.arguments[i].type)),
          "compare it with something first"};
    }
  }
  return call;
}

constexpr std::array<ScalarFunction, 2> kLogicFunctions = {{
    {.name = "op_and",
     .category = "operator",
     .summary = "a and b",
     .bind = bind_logical<Junction::kAnd>,
     .arguments_min = 1,
     .cost = CallCost::kLogic,
     .flags = FunctionFlags::kInternal},
    {.name = "op_or",
     .category = "operator",
     .summary = "a or b",
     .bind = bind_logical<Junction::kOr>,
     .arguments_min = 1,
     .cost = CallCost::kLogic,
     .flags = FunctionFlags::kInternal},
}};

}  // namespace

std::span<const ScalarFunction> logic_functions() {
  return kLogicFunctions;
}

}  // namespace evq
