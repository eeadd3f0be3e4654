#include "apl/plan/query_parameters.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/plan/binder.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"

namespace evq::plan {
namespace {

// So much of a value is shown that does not fit.
constexpr std::size_t kShownBytes = 60;

// The function that makes `given` a value of the declared type; empty where none may.
std::string_view reader_of(Type declared, const Value& given) {
  const Type type = given.type();
  const bool text = type == Type::kString;
  switch (declared) {
    case Type::kBool:
      return text ? "tobool" : "";
    case Type::kLong:  // half of a number is not taken
      return text || (type == Type::kReal && std::trunc(given.as_real()) == given.as_real())
                 ? "tolong"
                 : "";
    case Type::kReal:
      return text || type == Type::kLong ? "toreal" : "";
    case Type::kString:
      return type != Type::kDynamic ? "tostring" : "";
    case Type::kDatetime:
      return text ? "todatetime" : "";
    case Type::kTimespan:
      return text ? "totimespan" : "";
    case Type::kDynamic:
    case Type::kNull:
      break;
  }
  return "";
}

// A text for a dynamic is the array or the bag that it writes, or itself: it may be meant so.
Value dynamic_value(const Value& given) {
  if (given.type() == Type::kString) {
    std::optional<std::string> bytes = dynamic_from_json(given.as_text());
    if (bytes.has_value() && (DynamicView(*bytes).is_array() || DynamicView(*bytes).is_bag())) {
      return Value::dynamic(*std::move(bytes));
    }
  }
  return given;
}

Error misfit(const ast::Parameter& parameter, const Value& given) {
  const std::string text = given.to_text();
  std::string shown(utf8_prefix(text, kShownBytes));
  shown += shown.size() < text.size() ? "…" : "";
  if (given.type() == Type::kString) {
    shown = "'" + shown + "'";
  }
  Error error = diag::invalid_constant(
      parameter.name.span, "the parameter '" + parameter.name.text + "'",
      "be a " + std::string(type_name(parameter.type)) + "; the request gives " + shown);
  error.hint = "the request gives it among its variables";
  if (parameter.type == Type::kDatetime) {
    error.hint += ", as a text such as \"2024-05-01T00:00:00Z\"";
  } else if (parameter.type == Type::kTimespan) {
    error.hint += ", as a text such as \"1h30m\"";
  }
  return error;
}

}  // namespace

Result<ExprPtr> parameter_value(const Binder& binder, const ast::Parameter& parameter,
                                const Value& given) {
  const Span span = parameter.name.span;
  if (given.is_null() || given.type() == parameter.type) {
    return make_cast(make_constant(given, span), parameter.type);
  }
  if (parameter.type == Type::kDynamic) {
    return make_cast(make_constant(dynamic_value(given), span), Type::kDynamic);
  }
  const std::string_view reader = reader_of(parameter.type, given);
  if (reader.empty()) {
    return misfit(parameter, given);
  }
  std::vector<ExprPtr> args;
  args.push_back(make_constant(given, span));
  EVQ_TRY_ASSIGN(ExprPtr value, binder.call(reader, std::move(args), span));
  return value->is_constant() && value->constant.is_null() ? misfit(parameter, given)
                                                           : Result<ExprPtr>(std::move(value));
}

}  // namespace evq::plan
