#include "apl/exec/eval.h"

namespace evq {
namespace {

// 1 for each slot that is true and not null.
std::vector<std::uint8_t> truth_table(const Values& values) {
  std::vector<std::uint8_t> table(values.size());
  if (values.type() != Type::kBool) {
    return table;
  }
  const std::uint8_t* data = values.data<std::uint8_t>();
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<std::uint8_t>(data[i] != 0 && !values.is_null(i));
  }
  return table;
}

// Writes every row number and advances only past the ones that hold: no branch to mispredict.
template <class Holds>
void select_rows(std::size_t rows, RowList* out, const Holds& holds) {
  out->resize(rows + 1);
  std::uint32_t* to = out->data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    to[count] = static_cast<std::uint32_t>(i);
    count += holds(i) ? 1U : 0U;
  }
  out->resize(count);
}

}  // namespace

Vector evaluate(const plan::Expr& expr, const EvalContext& context,
                std::span<const Vector> columns, std::size_t rows) {
  switch (expr.kind) {
    case plan::ExprKind::kColumn:
      return columns[expr.column];
    case plan::ExprKind::kConstant:
      return Vector::constant(expr.constant, rows);
    case plan::ExprKind::kCall:
      break;
  }
  std::vector<Vector> args;
  args.reserve(expr.args.size());
  for (const plan::ExprPtr& arg : expr.args) {
    args.push_back(evaluate(*arg, context, columns, rows));
  }
  return evaluate_call(expr.call, expr.function->flags, context, args, rows);
}

void select_true(const Vector& predicate, RowList* out) {
  out->clear();
  const std::size_t rows = predicate.size();
  if (rows == 0 || predicate.type() != Type::kBool) {
    return;
  }
  const Values& values = predicate.values();
  const std::uint8_t* data = values.data<std::uint8_t>();
  if (predicate.is_constant()) {
    if (data[0] != 0 && !values.is_null(0)) {
      select_rows(rows, out, [](std::size_t) { return true; });
    }
    return;
  }
  if (predicate.is_dictionary()) {
    const std::vector<std::uint8_t> table = truth_table(values);
    const Code* codes = predicate.codes();
    select_rows(rows, out, [&](std::size_t i) { return table[codes[i]] != 0; });
    return;
  }
  if (!values.has_nulls()) {
    select_rows(rows, out, [data](std::size_t i) { return data[i] != 0; });
    return;
  }
  select_rows(rows, out, [&](std::size_t i) { return data[i] != 0 && !values.is_null(i); });
}

bool all_true(const Vector& predicate) {
  if (predicate.type() != Type::kBool || predicate.size() == 0) {
    return predicate.size() == 0;
  }
  if (predicate.is_flat() && predicate.size() > 64) {
    return false;  // the selection is as cheap to make as this answer
  }
  for (const std::uint8_t truth : truth_table(predicate.values())) {
    if (truth == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace evq
