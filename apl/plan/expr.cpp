#include "apl/plan/expr.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "apl/syntax/diagnostics.h"

namespace evq::plan {
namespace {

bool has_flag(FunctionFlags flags, FunctionFlags flag) {
  return (static_cast<unsigned>(flags) & static_cast<unsigned>(flag)) != 0;
}

// At the argument that failed, or at the whole call.
Error bind_error(const BindFailure& failure, const std::vector<ExprPtr>& args, Span span) {
  Error error = make_error(ErrorCode::kCompile, failure.message, failure.hint);
  error.id = "APL2008";
  error.span = failure.argument >= 0 && static_cast<std::size_t>(failure.argument) < args.size()
                   ? args[static_cast<std::size_t>(failure.argument)]->span
                   : span;
  return error;
}

}  // namespace

bool Expr::is_call(std::string_view name) const {
  return kind == ExprKind::kCall && function->name == name;
}

bool Expr::comes_of(std::string_view name) const {
  return function != nullptr && function->name == name;
}

ExprPtr make_column(std::size_t column, Type type, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kColumn;
  expr->type = type;
  expr->span = span;
  expr->column = column;
  return expr;
}

ExprPtr make_constant(Value value, Span span) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kConstant;
  expr->type = value.type();
  expr->span = span;
  expr->constant = std::move(value);
  return expr;
}

Result<ExprPtr> make_call(const ScalarFunction& function, std::vector<ExprPtr> args,
                          const EvalContext& context, Span span) {
  std::vector<Argument> arguments;
  arguments.reserve(args.size());
  for (const ExprPtr& arg : args) {
    arguments.push_back({arg->type, arg->is_constant() ? &arg->constant : nullptr});
  }
  BindResult bound = bind_function(function, {arguments, context});
  if (const auto* failure = std::get_if<BindFailure>(&bound)) {
    return bind_error(*failure, args, span);
  }
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::kCall;
  expr->span = span;
  expr->function = &function;
  expr->call = std::move(std::get<BoundCall>(bound));
  expr->type = expr->call.result;
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Type wanted = expr->call.arguments[i];
    expr->args.push_back(args[i]->type == wanted ? std::move(args[i])
                                                 : make_cast(std::move(args[i]), wanted));
  }
  return expr;
}

namespace {

// The implicit conversion to one type as a function, so that the evaluator needs no other node.
class CastFunction final : public BoundFunction {
 public:
  explicit CastFunction(Type type) : type_(type) {}
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    return implicit_cast(args[0], type_);
  }

 private:
  Type type_;
};

constexpr ScalarFunction kCast = {
    .name = "op_cast",
    .category = "operator",
    .summary = "Converts implicitly.",
    .arguments_min = 1,
    .arguments_max = 1,
    .flags = FunctionFlags::kInternal,
};

}  // namespace

ExprPtr make_cast(ExprPtr expr, Type type) {
  if (expr->type == type) {
    return expr;
  }
  if (expr->is_constant()) {
    const Vector cast = implicit_cast(Vector::constant(expr->constant, 1), type);
    return make_constant(cast.is_null(0) ? Value::null(type) : cast.value(0), expr->span);
  }
  auto cast = std::make_unique<Expr>();
  cast->kind = ExprKind::kCall;
  cast->span = expr->span;
  cast->type = type;
  cast->function = &kCast;
  cast->call.result = type;
  cast->call.arguments = {expr->type};
  cast->call.function = std::make_shared<CastFunction>(type);
  cast->args.push_back(std::move(expr));
  return cast;
}

ExprPtr clone(const Expr& expr) {
  auto copy = std::make_unique<Expr>();
  copy->kind = expr.kind;
  copy->type = expr.type;
  copy->span = expr.span;
  copy->column = expr.column;
  copy->constant = expr.constant;
  copy->function = expr.function;
  copy->call = expr.call;
  copy->draw = expr.draw;
  copy->by_kind = expr.by_kind;
  for (const ExprPtr& arg : expr.args) {
    copy->args.push_back(clone(*arg));
  }
  return copy;
}

std::size_t node_count(const Expr& expr) {
  std::size_t count = 1;
  for (const ExprPtr& arg : expr.args) {
    count += node_count(*arg);
  }
  return count;
}

namespace {

// Whether no expression can tell them apart, which is more than being equal: 0.0 equals -0.0, and
// dynamic(1) equals dynamic(1.0).
bool is_same(const Value& a, const Value& b) {
  if (a != b || a.is_null()) {
    return a == b;
  }
  if (a.type() == Type::kReal) {
    return std::bit_cast<std::uint64_t>(a.as_real()) == std::bit_cast<std::uint64_t>(b.as_real());
  }
  return a.type() != Type::kDynamic || a.as_text() == b.as_text();
}

}  // namespace

bool expr_equal(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.type != b.type) {
    return false;
  }
  switch (a.kind) {
    case ExprKind::kColumn:
      return a.column == b.column;
    case ExprKind::kConstant:
      return is_same(a.constant, b.constant);
    case ExprKind::kCall:
      break;
  }
  if (a.function != b.function || a.by_kind != b.by_kind || a.args.size() != b.args.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.args.size(); ++i) {
    if (!expr_equal(*a.args[i], *b.args[i])) {
      return false;
    }
  }
  return !has_flag(a.function->flags, FunctionFlags::kPerRow);
}

void for_each_column(const Expr& expr, const std::function<void(std::size_t)>& visit) {
  if (expr.is_column()) {
    visit(expr.column);
  }
  for (const ExprPtr& arg : expr.args) {
    for_each_column(*arg, visit);
  }
}

bool reads_column(const Expr& expr, const std::function<bool(std::size_t)>& is_one) {
  if (expr.is_column() && (!is_one || is_one(expr.column))) {
    return true;
  }
  return std::ranges::any_of(expr.args,
                             [&](const ExprPtr& arg) { return reads_column(*arg, is_one); });
}

void remap_columns(Expr* expr, const std::vector<std::size_t>& mapping) {
  if (expr->is_column()) {
    expr->column = mapping[expr->column];
  }
  for (const ExprPtr& arg : expr->args) {
    remap_columns(arg.get(), mapping);
  }
}

bool is_deterministic(const Expr& expr) {
  if (expr.kind == ExprKind::kCall && has_flag(expr.function->flags, FunctionFlags::kPerRow)) {
    return false;
  }
  for (const ExprPtr& arg : expr.args) {
    if (!is_deterministic(*arg)) {
      return false;
    }
  }
  return true;
}

}  // namespace evq::plan
