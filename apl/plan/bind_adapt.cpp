// What operands of an operator become beside operands of another type, before the operator's own
// overloads are asked, and between, which asks two of them. `set stricttypes` keeps nearly all of
// it off.

#include <algorithm>
#include <span>
#include <utility>

#include "apl/plan/binder.h"
#include "store/base/time.h"

namespace evq::plan {
namespace {

bool is_time(Type type) {
  return type == Type::kTimespan || type == Type::kDatetime;
}

// 1 and 0 beside a bool are true and false; any other number stays an error.
ExprPtr adapt_flag(ExprPtr constant, const Expr& other) {
  if (other.type != Type::kBool || !constant->is_constant() || constant->type != Type::kLong ||
      constant->constant.is_null()) {
    return constant;
  }
  const std::int64_t number = constant->constant.as_integer();
  return number == 0 || number == 1 ? make_constant(Value::boolean(number == 1), constant->span)
                                    : std::move(constant);
}

// Whether the value is what the function gives, by way of columns that nothing has changed since.
bool comes_of(std::string_view function, const Expr& value, const Relation* input) {
  const Expr* made = &value;
  const Node* node = input != nullptr ? input->node.get() : nullptr;
  for (std::size_t column = value.column; !made->comes_of(function); node = node->inputs[0].get()) {
    // An aggregate's result is none of the input's columns.
    if (made->kind != ExprKind::kColumn || node == nullptr || node->inputs.size() != 1 ||
        column >= node->schema.size()) {
      return false;
    }
    if (const auto* project = std::get_if<Project>(&node->op)) {
      made = project->exprs[column].get();
      column = made->column;
    } else if (const auto* aggregate = std::get_if<Aggregate>(&node->op)) {
      if (column >= aggregate->groups.size()) {
        return false;
      }
      column = aggregate->groups[column];
    } else if (!std::holds_alternative<Filter>(node->op) &&
               !std::holds_alternative<Sort>(node->op) &&
               !std::holds_alternative<Limit>(node->op) &&
               !std::holds_alternative<TopN>(node->op)) {
      return false;
    }
  }
  return true;
}

// A number of the data beside a timespan counts nanoseconds; a number written in the query is
// rather one whose unit was forgotten.
Status adapt_span(const Binder& binder, ast::BinaryOp op, ExprPtr* number, ExprPtr* timespan) {
  if (!is_numeric((*number)->type) || (*number)->is_constant() ||
      (*timespan)->type != Type::kTimespan || op == ast::BinaryOp::kMultiply) {
    return {};
  }
  // A real number may have parts of them, which a timespan has not.
  const bool divides_real = op == ast::BinaryOp::kDivide && (*number)->type == Type::kReal;
  ExprPtr* const adapted = divides_real ? timespan : number;
  const Span span = (*adapted)->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(*adapted));
  EVQ_TRY_ASSIGN(*adapted,
                 binder.call(divides_real ? "toint" : "totimespan", std::move(args), span));
  return {};
}

}  // namespace

// What a constant is taken for beside values of another type: a text for the datetime, number,
// bool or timespan that it spells, a number for its text where only equality is asked, a number
// and a timespan for each other's nanoseconds. With `set stricttypes` only texts for datetimes,
// which have no other way to be written short.
Result<ExprPtr> Binder::adapt(ExprPtr constant, Type other, bool equality) const {
  if (!constant->is_constant() || constant->constant.is_null() || constant->type == other) {
    return constant;
  }
  if (!strict_types_ && constant->type == Type::kTimespan && other == Type::kLong) {
    return make_constant(Value::integer(constant->constant.as_integer()), constant->span);
  }
  if (!strict_types_ && constant->type == Type::kLong && other == Type::kTimespan) {
    return make_constant(Value::timespan(constant->constant.as_integer()), constant->span);
  }
  if (strict_types_ && (constant->type != Type::kString || other != Type::kDatetime)) {
    return constant;
  }
  std::string_view function;
  if (constant->type == Type::kString) {
    function = is_numeric(other)          ? "toreal"
               : other == Type::kBool     ? "tobool"
               : other == Type::kTimespan ? "totimespan"
               : other == Type::kDatetime ? "todatetime"
                                          : "";
  } else if (is_numeric(constant->type) && other == Type::kString && equality) {
    function = "tostring";
  }
  if (function.empty()) {
    return constant;
  }
  std::vector<ExprPtr> args;
  args.push_back(clone(*constant));
  if (function == "toreal") {
    std::vector<ExprPtr> whole;
    whole.push_back(clone(*constant));
    EVQ_TRY_ASSIGN(ExprPtr number, call("tolong", std::move(whole), constant->span));
    if (!number->constant.is_null()) {
      return number;
    }
  }
  EVQ_TRY_ASSIGN(ExprPtr converted, call(function, std::move(args), constant->span));
  return converted->constant.is_null() ? std::move(constant) : std::move(converted);
}

// A value of another type must not arrive as null. A number and a timespan that are compared tell
// each other's unit; here one was meant, and is missing.
Result<ExprPtr> Binder::fit(ExprPtr value, Type type, std::string_view function,
                            std::size_t position) const {
  if (value->type == Type::kString) {
    EVQ_TRY_ASSIGN(value, adapt(std::move(value), type, false));
  }
  if (type != Type::kNull && !implicit_cast_cost(value->type, type).has_value()) {
    return diag::wrong_argument_type(value->span, function, position, type_name(type),
                                     type_name(value->type));
  }
  return make_cast(std::move(value), type);
}

// Texts whose order beside a constant number, timespan or datetime is asked are read as such. Of
// two constants the mismatch is a slip and stays an error, except for the null of a field that only
// other tables have.
Result<ExprPtr> Binder::adapt_texts(ExprPtr value, const Expr& other) const {
  const std::string_view reader = is_numeric(other.type)          ? "toreal"
                                  : other.type == Type::kTimespan ? "totimespan"
                                  : other.type == Type::kDatetime ? "todatetime"
                                                                  : "";
  const bool written = value->is_constant() && !value->constant.is_null();
  if (strict_types_ || reader.empty() || !other.is_constant() || value->type != Type::kString ||
      written) {
    return value;
  }
  const Span span = value->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  return call(reader, std::move(args), span);
}

// dayofweek() is a number here and days since Sunday in Kusto, whose queries compare it with 1d.
Result<ExprPtr> Binder::adapt_weekday(ExprPtr value, Type other, const Relation* input) const {
  if (strict_types_ || other != Type::kTimespan || !comes_of("dayofweek", *value, input)) {
    return value;
  }
  const Span span = value->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  args.push_back(make_constant(Value::timespan(kDayNs), span));
  return call("op_multiply", std::move(args), span);
}

// The two sides as what the operator makes of each beside the other.
Status Binder::adapt_operands(ast::BinaryOp op, ExprPtr* left, ExprPtr* right,
                              const Relation* input) const {
  if (op != ast::BinaryOp::kMultiply) {  // a number of days is what 1d makes of it
    EVQ_TRY_ASSIGN(*left, adapt_weekday(std::move(*left), (*right)->type, input));
    EVQ_TRY_ASSIGN(*right, adapt_weekday(std::move(*right), (*left)->type, input));
  }
  if (is_comparison(op)) {
    const bool equality = op == ast::BinaryOp::kEqual || op == ast::BinaryOp::kNotEqual;
    if (!strict_types_) {
      *left = adapt_flag(std::move(*left), **right);
      *right = adapt_flag(std::move(*right), **left);
    }
    EVQ_TRY_ASSIGN(*left, adapt(std::move(*left), (*right)->type, equality));
    EVQ_TRY_ASSIGN(*right, adapt(std::move(*right), (*left)->type, equality));
    if (!equality || is_time((*right)->type) || is_time((*left)->type)) {
      EVQ_TRY_ASSIGN(*left, adapt_texts(std::move(*left), **right));
      EVQ_TRY_ASSIGN(*right, adapt_texts(std::move(*right), **left));
    }
  } else if (is_arithmetic(op) && !strict_types_) {
    EVQ_TRY(adapt_span(*this, op, left, right));
    if (op != ast::BinaryOp::kDivide) {
      EVQ_TRY(adapt_span(*this, op, right, left));
    }
  }
  return Status::success();
}

// The value and the items of `in`, each as == has it beside the other. A text field beside times
// alone is read as one.
Status Binder::adapt_items(std::vector<ExprPtr>* args) const {
  ExprPtr& value = args->front();
  const std::span<ExprPtr> items = std::span(*args).subspan(1);
  const Type type = items.empty() ? Type::kNull : items[0]->type;
  if (is_time(type) && std::ranges::all_of(items, [type](const ExprPtr& item) {
        return item->is_constant() && item->type == type;
      })) {
    EVQ_TRY_ASSIGN(value, adapt_texts(std::move(value), *items[0]));
  }
  for (ExprPtr& item : items) {
    if (!strict_types_) {
      item = adapt_flag(std::move(item), *value);
    }
    EVQ_TRY_ASSIGN(item, adapt(std::move(item), value->type, true));
  }
  return Status::success();
}

// value >= low and value <= high: two comparisons that pruning understands, except where each of
// them would draw a value of its own.
Result<ExprPtr> Binder::within(ExprPtr value, ExprPtr low, ExprPtr high, Span span) {
  std::vector<ExprPtr> args;
  if (!is_deterministic(*value)) {
    args.push_back(std::move(value));
    args.push_back(std::move(low));
    args.push_back(std::move(high));
    return call("op_between", std::move(args), span);
  }
  EVQ_TRY(note_expressions(node_count(*value), span));
  std::vector<ExprPtr> above;
  above.push_back(clone(*value));
  above.push_back(std::move(low));
  EVQ_TRY_ASSIGN(ExprPtr at_least, call("op_greater_equal", std::move(above), span));
  std::vector<ExprPtr> below;
  below.push_back(std::move(value));
  below.push_back(std::move(high));
  EVQ_TRY_ASSIGN(ExprPtr at_most, call("op_less_equal", std::move(below), span));
  args.push_back(std::move(at_least));
  args.push_back(std::move(at_most));
  return call("op_and", std::move(args), span);
}

namespace {

// The end of a range of times: a timespan there counts from the start, also where dynamics hold
// them; any other value of a dynamic is the end itself.
Result<ExprPtr> end_from(const Binder& binder, const Expr& start, ExprPtr end) {
  const Span span = end->span;
  const bool typed = start.type == Type::kDatetime && end->type == Type::kTimespan;
  ExprPtr itself = typed ? nullptr : clone(*end);
  std::vector<ExprPtr> args;
  args.push_back(clone(start));
  args.push_back(std::move(end));
  EVQ_TRY_ASSIGN(ExprPtr sum,
                 binder.call(typed ? "op_add" : "op_time_after", std::move(args), span));
  if (itself == nullptr) {
    return sum;
  }
  std::vector<ExprPtr> choice;
  choice.push_back(std::move(sum));
  choice.push_back(std::move(itself));
  return binder.call("coalesce", std::move(choice), span);
}

}  // namespace

Result<ExprPtr> Binder::bind_between(const ast::Between& between, Span span,
                                     const Relation* input) {
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*between.value, input));
  EVQ_TRY_ASSIGN(ExprPtr low, bind_expr(*between.low, input));
  EVQ_TRY_ASSIGN(ExprPtr high, bind_expr(*between.high, input));
  EVQ_TRY_ASSIGN(value, adapt_weekday(std::move(value), low->type, input));
  EVQ_TRY_ASSIGN(low, adapt(std::move(low), value->type, false));
  EVQ_TRY_ASSIGN(high, adapt(std::move(high), value->type, false));
  EVQ_TRY_ASSIGN(value, adapt(std::move(value), low->type, false));
  EVQ_TRY_ASSIGN(value, adapt_texts(std::move(value), *low));
  EVQ_TRY_ASSIGN(low, adapt_texts(std::move(low), *value));
  EVQ_TRY_ASSIGN(high, adapt_texts(std::move(high), *value));
  const bool times = low->type == Type::kDatetime ||
                     (low->type == Type::kDynamic &&
                      (value->type == Type::kDatetime || value->type == Type::kDynamic));
  if (times && (high->type == Type::kTimespan || high->type == Type::kDynamic)) {
    EVQ_TRY(note_expressions(node_count(*low) + node_count(*high), between.high->span));
    EVQ_TRY_ASSIGN(high, end_from(*this, *low, std::move(high)));
  }
  EVQ_TRY_ASSIGN(ExprPtr inside, within(std::move(value), std::move(low), std::move(high), span));
  if (!between.negated) {
    return inside;
  }
  std::vector<ExprPtr> negated;
  negated.push_back(std::move(inside));
  return call("not", std::move(negated), span);
}

}  // namespace evq::plan
