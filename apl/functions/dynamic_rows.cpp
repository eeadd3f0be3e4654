#include "apl/functions/dynamic_rows.h"

#include "apl/functions/dynamic_elements.h"

namespace evq {

Vector RowsFunction::evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                              std::size_t rows) const {
  DynamicRows views(args);
  VectorBuilder out(result_);
  out.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    function_(views.row(i), &out);
  }
  return out.finish();
}

Vector DynamicRowsFunction::evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                                     std::size_t rows) const {
  DynamicRows views(args);
  VectorBuilder out(Type::kDynamic);
  out.reserve(rows);
  DynamicBuilder value;
  for (std::size_t i = 0; i < rows; ++i) {
    value.clear();
    const bool present = function_(views.row(i), &value);
    const DynamicView made(present ? value.bytes() : std::string_view());
    if (!made.is_null() && within_dynamic_limits(made)) {
      out.append_text(made.bytes());
    } else {
      out.append_null();
    }
  }
  return out.finish();
}

}  // namespace evq
