#include "apl/plan/shared_draw.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "apl/plan/evaluate.h"

namespace evq::plan {
namespace {

// An expression as a function: its columns are the arguments.
class BodyFunction final : public BoundFunction {
 public:
  explicit BodyFunction(ExprPtr body) : body_(std::move(body)) {}
  Vector evaluate(const EvalContext& context, std::span<const Vector> args,
                  std::size_t rows) const override {
    return evq::evaluate(*body_, context, args, rows);
  }

 private:
  const ExprPtr body_;
};

constexpr ScalarFunction kBody = {
    .name = "op_function_body",
    .category = "operator",
    .summary = "Evaluates the body of a function of the query.",
    .flags = static_cast<FunctionFlags>(static_cast<unsigned>(FunctionFlags::kInternal) |
                                        static_cast<unsigned>(FunctionFlags::kPerRow)),
};

// Whether `expr` has two copies of one draw; `seen` are those met before.
bool repeats_draw(const Expr& expr, std::set<std::uint64_t>* seen) {
  if (expr.draw != 0 && !seen->insert(expr.draw).second) {
    return true;
  }
  return std::ranges::any_of(expr.args,
                             [&](const ExprPtr& arg) { return repeats_draw(*arg, seen); });
}

// Takes an expression apart: its innermost draws and the columns it reads become arguments, and
// columns of the function where they stood. Draws around those stay, to be shared in the body.
class BodyMaker {
 public:
  ExprPtr make(ExprPtr expr) {
    const Type type = expr->type;
    const Span span = expr->span;
    note_draws(*expr);
    replace(&expr);
    auto call = std::make_unique<Expr>();
    call->kind = ExprKind::kCall;
    call->type = type;
    call->span = span;
    call->function = &kBody;
    call->call.result = type;
    for (const ExprPtr& argument : arguments_) {
      call->call.arguments.push_back(argument->type);
    }
    call->call.function = std::make_shared<BodyFunction>(share_draws(std::move(expr)));
    call->args = std::move(arguments_);
    return call;
  }

 private:
  // Whether `expr` draws.
  bool note_draws(const Expr& expr) {
    bool inside = false;
    for (const ExprPtr& arg : expr.args) {
      inside = note_draws(*arg) || inside;
    }
    if (expr.draw != 0 && !inside) {
      innermost_.insert(&expr);
    }
    return inside || expr.draw != 0;
  }

  void replace(ExprPtr* expr) {
    if (innermost_.contains(expr->get())) {
      read(expr, &draws_[(*expr)->draw]);
    } else if ((*expr)->is_column()) {
      read(expr, &columns_[(*expr)->column]);
    } else {
      for (ExprPtr& arg : (*expr)->args) {
        replace(&arg);
      }
    }
  }

  // `position` is that of the argument that stands for it, counted from 1; 0: there is none yet.
  void read(ExprPtr* expr, std::size_t* position) {
    const Type type = (*expr)->type;
    const Span span = (*expr)->span;
    if (*position == 0) {
      arguments_.push_back(std::move(*expr));
      *position = arguments_.size();
    }
    *expr = make_column(*position - 1, type, span);
  }

  std::set<const Expr*> innermost_;
  std::vector<ExprPtr> arguments_;
  std::map<std::uint64_t, std::size_t> draws_;
  std::map<std::size_t, std::size_t> columns_;
};

}  // namespace

ExprPtr share_draws(ExprPtr expr) {
  std::set<std::uint64_t> seen;
  return repeats_draw(*expr, &seen) ? BodyMaker().make(std::move(expr)) : std::move(expr);
}

}  // namespace evq::plan
