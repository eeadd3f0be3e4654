// The logical operators, three-valued: null and false = false, null or true = true, otherwise a
// null operand gives null. Any number of operands, so that the optimiser can flatten and split.

#include <array>

#include "apl/functions/registry.h"

namespace evq {
namespace {

constexpr std::uint8_t kUnknown = 2;

// 0, 1 or kUnknown for each row.
void fold_in(const Vector& operand, bool absorbing, std::vector<std::uint8_t>* truth) {
  const Values& values = operand.values();
  const std::uint8_t* data = values.data<std::uint8_t>();
  const std::uint8_t winner = absorbing ? 1 : 0;
  for (std::size_t i = 0; i < truth->size(); ++i) {
    const std::size_t slot = operand.slot(i);
    const std::uint8_t value =
        values.is_null(slot) ? kUnknown : static_cast<std::uint8_t>(data[slot] != 0);
    std::uint8_t& so_far = (*truth)[i];
    if (so_far == winner || value == winner) {
      so_far = winner;
    } else if (value == kUnknown) {
      so_far = kUnknown;
    }
  }
}

// `kAbsorbing` is the value that decides alone: true for or, false for and.
template <bool kAbsorbing>
class Logical final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    std::vector<std::uint8_t> truth(rows, kAbsorbing ? 0 : 1);
    for (const Vector& arg : args) {
      fold_in(arg, kAbsorbing, &truth);
    }
    auto out = Values::make(Type::kBool, rows);
    auto* data = out->mutable_data<std::uint8_t>();
    for (std::size_t i = 0; i < rows; ++i) {
      data[i] = static_cast<std::uint8_t>(truth[i] == 1);
    }
    for (std::size_t i = 0; i < rows; ++i) {
      if (truth[i] == kUnknown) {
        out->set_null(i);
      }
    }
    return Vector::flat(std::move(out));
  }
};

template <bool kAbsorbing>
BindResult bind_logical(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kBool;
  call.arguments.assign(request.arguments.size(), Type::kBool);
  call.function = std::make_shared<Logical<kAbsorbing>>();
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
     .bind = bind_logical<false>,
     .arguments_min = 1,
     .cost = CallCost::kLogic,
     .flags = FunctionFlags::kInternal},
    {.name = "op_or",
     .category = "operator",
     .summary = "a or b",
     .bind = bind_logical<true>,
     .arguments_min = 1,
     .cost = CallCost::kLogic,
     .flags = FunctionFlags::kInternal},
}};

}  // namespace

std::span<const ScalarFunction> logic_functions() {
  return kLogicFunctions;
}

}  // namespace evq
