// What operands of an operator become beside operands of another type, before the operator's own
// overloads are asked. `set stricttypes` keeps nearly all of it off.

#include <optional>
#include <utility>

#include "apl/plan/adapt.h"
#include "apl/plan/node_traits.h"
#include "store/base/time.h"

namespace evq::plan {
namespace {

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
    } else if (const std::optional<std::size_t> below = column_below(*node, column)) {
      column = *below;
    } else {
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
// bool or timespan that it spells, a number and a timespan for each other's nanoseconds. With `set
// stricttypes` only texts for datetimes, which have no other way to be written short.
Result<ExprPtr> Binder::adapt(ExprPtr constant, Type other) const {
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
    EVQ_TRY_ASSIGN(value, adapt(std::move(value), type));
  }
  if (type != Type::kNull && !implicit_cast_cost(value->type, type).has_value()) {
    return diag::wrong_argument_type(value->span, function, position, type_name(type),
                                     type_name(value->type));
  }
  return make_cast(std::move(value), type);
}

std::string_view text_reader(Type constant) {
  return is_numeric(constant)          ? "toreal"
         : constant == Type::kTimespan ? "totimespan"
         : constant == Type::kDatetime ? "todatetime"
                                       : "";
}

ExprPtr adapt_flag(ExprPtr constant, Type other) {
  if (other != Type::kBool || !constant->is_constant() || constant->type != Type::kLong ||
      constant->constant.is_null()) {
    return constant;
  }
  const std::int64_t number = constant->constant.as_integer();
  return number == 0 || number == 1 ? make_constant(Value::boolean(number == 1), constant->span)
                                    : std::move(constant);
}

Result<ExprPtr> adapt_texts(const Binder& binder, ExprPtr value, const Expr& other) {
  const std::string_view reader = text_reader(other.type);
  const bool written = value->is_constant() && !value->constant.is_null();
  if (binder.strict_types() || reader.empty() || !other.is_constant() ||
      value->type != Type::kString || written) {
    return value;
  }
  const Span span = value->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  return binder.call(reader, std::move(args), span);
}

Result<ExprPtr> adapt_weekday(const Binder& binder, ExprPtr value, Type other,
                              const Relation* input) {
  if (binder.strict_types() || other != Type::kTimespan || !comes_of("dayofweek", *value, input)) {
    return value;
  }
  const Span span = value->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(value));
  args.push_back(make_constant(Value::timespan(kDayNs), span));
  return binder.call("op_multiply", std::move(args), span);
}

bool equals_as_text(const Expr& number, const Expr& other) {
  if (!is_numeric(number.type) || !number.is_constant() || number.constant.is_null() ||
      other.type != Type::kString) {
    return false;
  }
  constexpr std::int64_t kExactMax = std::int64_t{1} << 53;
  const bool coarse = number.type == Type::kLong && (number.constant.as_integer() <= -kExactMax ||
                                                     number.constant.as_integer() >= kExactMax);
  return coarse || (other.is_constant() && !other.constant.is_null());
}

namespace {

// The number as the text that `other` may equal, where it is one.
Result<ExprPtr> adapt_number(const Binder& binder, ExprPtr number, const Expr& other) {
  if (binder.strict_types() || !equals_as_text(*number, other)) {
    return number;
  }
  const Span span = number->span;
  std::vector<ExprPtr> args;
  args.push_back(std::move(number));
  return binder.call("tostring", std::move(args), span);
}

}  // namespace

Status adapt_operands(const Binder& binder, ast::BinaryOp op, ExprPtr* left, ExprPtr* right,
                      const Relation* input) {
  if (op != ast::BinaryOp::kMultiply) {  // a number of days is what 1d makes of it
    EVQ_TRY_ASSIGN(*left, adapt_weekday(binder, std::move(*left), (*right)->type, input));
    EVQ_TRY_ASSIGN(*right, adapt_weekday(binder, std::move(*right), (*left)->type, input));
  }
  if (is_comparison(op)) {
    if (!binder.strict_types()) {
      *left = adapt_flag(std::move(*left), (*right)->type);
      *right = adapt_flag(std::move(*right), (*left)->type);
    }
    EVQ_TRY_ASSIGN(*left, binder.adapt(std::move(*left), (*right)->type));
    EVQ_TRY_ASSIGN(*right, binder.adapt(std::move(*right), (*left)->type));
    if (op == ast::BinaryOp::kEqual || op == ast::BinaryOp::kNotEqual) {
      EVQ_TRY_ASSIGN(*left, adapt_number(binder, std::move(*left), **right));
      EVQ_TRY_ASSIGN(*right, adapt_number(binder, std::move(*right), **left));
    }
    EVQ_TRY_ASSIGN(*left, adapt_texts(binder, std::move(*left), **right));
    EVQ_TRY_ASSIGN(*right, adapt_texts(binder, std::move(*right), **left));
  } else if (is_arithmetic(op) && !binder.strict_types()) {
    EVQ_TRY(adapt_span(binder, op, left, right));
    if (op != ast::BinaryOp::kDivide) {
      EVQ_TRY(adapt_span(binder, op, right, left));
    }
  }
  return Status::success();
}

}  // namespace evq::plan
