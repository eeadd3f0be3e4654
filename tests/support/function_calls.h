#pragma once
// Calls a function of the registry by name with values, in every shape its arguments can have:
// constants known at binding, unknown constants, flat columns, dictionaries. All shapes must agree.

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "store/base/time_parse.h"
#include "store/column/dynamic_json.h"

namespace evq {

inline Value text_value(std::string_view text) {
  return Value::string(std::string(text));
}
inline Value long_value(std::int64_t number) {
  return Value::integer(number);
}
inline Value json_value(std::string_view json) {
  return Value::dynamic(dynamic_from_json(json).value());
}

// The same in tables of calls, where short names read better.
inline Value t(std::string_view text) {
  return text_value(text);
}
inline Value n(std::int64_t number) {
  return long_value(number);
}
inline Value r(double number) {
  return Value::real(number);
}
inline Value j(std::string_view json) {
  return json_value(json);
}
inline Value at(std::string_view text) {
  return Value::datetime(parse_instant(text).value());
}
inline Value span(std::int64_t ns) {
  return Value::timespan(ns);
}
inline const Value kNothing = Value::null();
inline const Value kNullText = Value::null(Type::kString);

// How arguments are handed to a call under test.
enum class ArgumentShape { kKnownConstant, kConstant, kFlat, kDictionary };

inline Vector shaped(const Value& value, ArgumentShape shape, std::size_t rows) {
  const auto one = Values::make_constant(value);
  if (shape == ArgumentShape::kKnownConstant || shape == ArgumentShape::kConstant) {
    return Vector::constant(one, rows);
  }
  if (shape == ArgumentShape::kFlat) {
    return Vector::constant(one, rows).flatten();
  }
  auto codes = make_codes(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    codes.get()[i] = 0;
  }
  return Vector::dictionary(one, codes, rows);
}

// The message of the BindFailure, or nothing when the call binds.
inline std::optional<std::string> bind_failure(std::string_view name,
                                               const std::vector<Value>& values) {
  const ScalarFunction* function = find_function(name);
  REQUIRE_MESSAGE(function != nullptr, name);
  std::vector<Argument> arguments;
  for (const Value& value : values) {
    arguments.push_back({value.type(), &value});
  }
  const EvalContext context;
  const BindResult bound = bind_function(*function, {arguments, context});
  const auto* failure = std::get_if<BindFailure>(&bound);
  return failure == nullptr ? std::nullopt : std::optional(failure->message);
}

inline Value call_shaped(std::string_view name, const std::vector<Value>& values,
                         const std::vector<ArgumentShape>& shapes) {
  constexpr std::size_t kRows = 3;
  const ScalarFunction* function = find_function(name);
  REQUIRE_MESSAGE(function != nullptr, name);
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < values.size(); ++i) {
    arguments.push_back(
        {values[i].type(), shapes[i] == ArgumentShape::kKnownConstant ? &values[i] : nullptr});
  }
  const EvalContext context;
  const BindResult bound = bind_function(*function, {arguments, context});
  if (const auto* failure = std::get_if<BindFailure>(&bound)) {
    FAIL(name << ": " << failure->message);
  }
  const BoundCall& call = std::get<BoundCall>(bound);
  std::vector<Vector> args;
  for (std::size_t i = 0; i < values.size(); ++i) {
    args.push_back(implicit_cast(shaped(values[i], shapes[i], kRows), call.arguments[i]));
  }
  const Vector result = evaluate_call(call, function->flags, context, args, kRows);
  REQUIRE(result.size() == kRows);
  REQUIRE(result.type() == call.result);
  REQUIRE(result.value(0) == result.value(kRows - 1));
  return result.value(0);
}

// The result's text as Value::to_text gives it, the same for every shape of every argument.
inline std::string call_text(std::string_view name, const std::vector<Value>& values) {
  std::vector<ArgumentShape> shapes(values.size(), ArgumentShape::kKnownConstant);
  std::string expected = call_shaped(name, values, shapes).to_text();
  for (const ArgumentShape shape :
       {ArgumentShape::kConstant, ArgumentShape::kFlat, ArgumentShape::kDictionary}) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      std::vector<ArgumentShape> one(values.size(), ArgumentShape::kKnownConstant);
      one[i] = shape;
      CHECK_MESSAGE(call_shaped(name, values, one).to_text() == expected,
                    name << " with argument " << i << " in shape " << static_cast<int>(shape));
    }
    std::vector<ArgumentShape> all(values.size(), shape);
    CHECK_MESSAGE(call_shaped(name, values, all).to_text() == expected,
                  name << " in shape " << static_cast<int>(shape));
  }
  return expected;
}

struct CallCase {
  std::string_view name;
  std::vector<Value> values;
  std::string_view result;
};

inline void check_calls(std::initializer_list<CallCase> cases) {
  for (const CallCase& c : cases) {
    std::string written(c.name);
    for (const Value& value : c.values) {
      written.append(" | ").append(value.to_text());
    }
    INFO(written);
    CHECK(call_text(c.name, c.values) == c.result);
  }
}

}  // namespace evq
