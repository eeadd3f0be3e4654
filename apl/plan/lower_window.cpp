// serialize, calls of window functions, and rows_near. A call appends its arguments and a Window
// node to the relation whose expression is being bound, or joins the Window that this ends with;
// positions of the columns it had before stay.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/fold.h"
#include "apl/plan/stacking.h"
#include "store/base/check.h"

namespace evq::plan {

Result<Relation> Binder::lower(const ast::Serialize& op, Span /*span*/, Relation input) {
  input = order_naturally(std::move(input), options_.event_order);
  input.serialized = true;
  if (op.items.empty()) {
    return input;
  }
  return extend(op.items, Invalid::kNew, std::move(input));
}

class WindowCallBinder {
 public:
  WindowCallBinder(Binder& binder, const ast::Call& call, Span span, Relation* relation)
      : binder_(binder), call_(call), span_(span), relation_(*relation) {}

  Result<ExprPtr> bind(WindowKind kind) {
    window_.kind = kind;
    EVQ_TRY(bind_arguments());
    const std::size_t column = relation_.schema().size();
    const Type type = window_.type;
    const bool joins = joins_window();
    EVQ_TRY(binder_.note_expressions(carried(column, joins), span_));
    std::vector<Field> fields = relation_.schema().fields();
    fields.push_back({hidden_name("window") + std::to_string(column), type});
    if (joins) {
      std::get<Window>(relation_.node->op).calls.push_back(std::move(window_));
      relation_.node->schema = Schema(std::move(fields));
    } else {
      Window op;
      op.calls.push_back(std::move(window_));
      relation_.node = stack(std::move(relation_.node), std::move(op), Schema(std::move(fields)));
    }
    return make_column(column, type, span_);
  }

 private:
  Status bind_arguments() {
    switch (window_.kind) {
      case WindowKind::kRowNumber:
        window_.type = Type::kLong;
        EVQ_TRY(count(0, 2));
        if (has(0)) {
          EVQ_TRY_ASSIGN(window_.offset, whole(0, "the first row number"));
        }
        return restart(1);
      case WindowKind::kRowCumsum:
        EVQ_TRY(count(1, 2));
        EVQ_TRY(summed());
        return restart(1);
      case WindowKind::kRowRankDense:
      case WindowKind::kRowRankMin:
        window_.type = Type::kLong;
        EVQ_TRY(count(1, 2));
        {
          EVQ_TRY_ASSIGN(ExprPtr value, argument(0));
          EVQ_TRY(add(std::move(value)));
        }
        return restart(1);
      case WindowKind::kPrev:
      case WindowKind::kNext:
        EVQ_TRY(count(1, 3));
        return shifted();
      case WindowKind::kRowWindowSession:
        EVQ_TRY(count(3, 4));
        return session();
      case WindowKind::kNear:  // no function
        break;
    }
    return Status::success();
  }

  // Whether the call asks nothing of those that the relation ends with: then it is one of them.
  bool joins_window() const {
    const Node& top = *relation_.node;
    if (!std::holds_alternative<Window>(top.op)) {
      return false;
    }
    const std::size_t passed = top.inputs[0]->schema.size();
    return window_.restart.value_or(0) < passed &&
           std::ranges::all_of(window_.args, [passed](std::size_t arg) { return arg < passed; });
  }

  Status summed() {
    EVQ_TRY_ASSIGN(ExprPtr value, argument(0));
    if (value->type == Type::kDynamic) {
      std::vector<ExprPtr> args;
      args.push_back(std::move(value));
      EVQ_TRY_ASSIGN(value, binder_.call("toreal", std::move(args), span_));
    }
    if (!is_numeric(value->type) && value->type != Type::kTimespan) {
      return diag::wrong_argument_type(value->span, name(), 1, "a number or timespan",
                                       type_name(value->type));
    }
    window_.type = value->type;
    return add(std::move(value));
  }

  Status shifted() {
    EVQ_TRY_ASSIGN(ExprPtr value, argument(0));
    if (has(1)) {
      EVQ_TRY_ASSIGN(window_.offset, whole(1, "the number of rows"));
      if (window_.offset < 0) {
        return diag::invalid_constant(call_.arguments[1].value->span, "the number of rows",
                                      "be 0 or more");
      }
    }
    window_.type = value->type;
    if (has(2)) {
      EVQ_TRY_ASSIGN(Value fallback,
                     binder_.bind_constant(*call_.arguments[2].value, "the default"));
      window_.type = common_type(value->type, fallback.type());
      value = make_cast(std::move(value), window_.type);
      ExprPtr cast =
          fold(make_cast(make_constant(std::move(fallback)), window_.type), binder_.context());
      if (!cast->is_constant()) {
        return diag::invalid_constant(call_.arguments[2].value->span, "the default",
                                      "be shorter than a mebibyte");
      }
      window_.fallback = cast->constant;
    } else {
      window_.fallback = Value::null(window_.type);
    }
    return add(std::move(value));
  }

  Status session() {
    window_.type = Type::kDatetime;
    EVQ_TRY_ASSIGN(ExprPtr time, argument(0));
    if (time->type != Type::kDatetime) {
      return diag::wrong_argument_type(time->span, name(), 1, "datetime", type_name(time->type));
    }
    EVQ_TRY(add(std::move(time)));
    EVQ_TRY_ASSIGN(window_.max_distance_first, distance(1));
    EVQ_TRY_ASSIGN(window_.max_distance_between, distance(2));
    return restart(3);
  }

  Result<std::int64_t> distance(std::size_t position) {
    const ast::Expr& expr = *call_.arguments[position].value;
    EVQ_TRY_ASSIGN(const Value value, binder_.bind_constant(expr, "a session's distance"));
    if (value.is_null() || value.type() != Type::kTimespan || value.as_integer() < 0) {
      return diag::invalid_constant(expr.span, "a session's distance",
                                    "be a timespan of 0 or more");
    }
    return value.as_integer();
  }

  Result<std::int64_t> whole(std::size_t position, std::string_view what) {
    const ast::Expr& expr = *call_.arguments[position].value;
    EVQ_TRY_ASSIGN(const Value value, binder_.bind_constant(expr, what));
    if (value.is_null() || value.type() != Type::kLong) {
      return diag::invalid_constant(expr.span, what, "be a whole number");
    }
    return value.as_integer();
  }

  Status restart(std::size_t position) {
    if (has(position)) {
      EVQ_TRY_ASSIGN(ExprPtr condition,
                     binder_.bind_predicate(*call_.arguments[position].value, &relation_, name()));
      EVQ_TRY_ASSIGN(window_.restart, place(std::move(condition)));
    }
    return Status::success();
  }

  Status count(std::size_t min, std::size_t max) const {
    const std::size_t found = call_.arguments.size();
    if (found < min || found > max) {
      return diag::wrong_argument_count(
          span_, name(), std::to_string(min) + " to " + std::to_string(max), found, "");
    }
    return Status::success();
  }

  Result<ExprPtr> argument(std::size_t position) {
    return binder_.bind_expr(*call_.arguments[position].value, &relation_);
  }
  Status add(ExprPtr value) {
    EVQ_TRY_ASSIGN(const std::size_t column, place(std::move(value)));
    window_.args.push_back(column);
    return Status::success();
  }
  Result<std::size_t> place(ExprPtr value) {
    if (value->is_column()) {
      return value->column;
    }
    std::string name = hidden_name("windowed") + std::to_string(relation_.schema().size());
    return binder_.add_column(&relation_, std::move(name), std::move(value));
  }
  bool has(std::size_t position) const { return position < call_.arguments.size(); }
  std::string_view name() const { return call_.function.text; }

  Binder& binder_;
  const ast::Call& call_;
  Span span_;
  Relation& relation_;
  WindowCall window_;
};

Result<ExprPtr> Binder::bind_window_call(const ast::Call& call, Span span, const Relation* input) {
  if (input == nullptr || input != windowed_ || !windowed_->serialized) {
    return diag::not_serialized(call.function.span, call.function.text);
  }
  return WindowCallBinder(*this, call, span, windowed_)
      .bind(*find_function(call.function.text)->window);
}

// rows_near(condition, rows, rows_after): what grep shows around its matches.
Result<Relation> Binder::rows_near(const ast::Evaluate& op, Relation input) {
  const std::vector<ast::Argument>& arguments = std::get<ast::Call>(op.call->node).arguments;
  if (arguments.size() < 2 || arguments.size() > 3) {
    return diag::wrong_argument_count(op.call->span, "rows_near", "2 or 3", arguments.size(),
                                      "rows_near(condition, rows, rows_after)");
  }
  const auto rows = [&](std::size_t position) -> Result<std::int64_t> {
    EVQ_TRY_ASSIGN(const std::uint64_t count,
                   bind_count(*arguments[position].value, "the number of rows"));
    return static_cast<std::int64_t>(std::min<std::uint64_t>(count, INT64_MAX));
  };
  WindowCall call;
  call.kind = WindowKind::kNear;
  call.type = Type::kBool;
  EVQ_TRY_ASSIGN(call.offset, rows(1));
  EVQ_TRY_ASSIGN(call.behind, rows(arguments.size() - 1));
  input = order_naturally(std::move(input), options_.event_order);
  input.serialized = true;
  std::vector<NamedColumn> columns = pass_through(input);
  const Meanwhile windows(&windowed_, &input);
  EVQ_TRY_ASSIGN(ExprPtr condition, bind_predicate(*arguments[0].value, &input, "rows_near"));
  std::size_t column = condition->column;
  if (!condition->is_column()) {
    EVQ_TRY_ASSIGN(column, add_column(&input, hidden_name("near"), std::move(condition)));
  }
  call.args.push_back(column);
  std::vector<Field> fields = input.schema().fields();
  const std::size_t made = fields.size();
  fields.push_back({hidden_name("window") + std::to_string(made), Type::kBool});
  input.node = stack(std::move(input.node), Window{{std::move(call)}}, Schema(std::move(fields)));
  return project(filter(std::move(input), make_column(made, Type::kBool)), std::move(columns));
}

}  // namespace evq::plan
