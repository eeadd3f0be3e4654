#include "apl/plan/time_bin.h"

#include "apl/functions/rounding.h"

namespace evq::plan {
namespace {

bool is_known(const Expr& expr, Type type) {
  return expr.is_constant() && expr.type == type && !expr.constant.is_null();
}

}  // namespace

std::optional<TimeBin> find_time_bin(const Expr& expr, const EvalContext& context) {
  if (expr.is_call("bin_auto")) {
    return TimeBin{auto_bin_ns(context)};
  }
  const bool from_origin = expr.is_call("bin_at");
  if ((!from_origin && !expr.is_call("bin") && !expr.is_call("floor")) ||
      expr.type != Type::kDatetime || expr.args.size() < 2 ||
      !is_known(*expr.args[1], Type::kTimespan) ||
      (from_origin && !is_known(*expr.args[2], Type::kDatetime))) {
    return std::nullopt;
  }
  return TimeBin{expr.args[1]->constant.as_integer(),
                 from_origin ? expr.args[2]->constant.as_integer() : 0};
}

}  // namespace evq::plan
