// Conversions from any type to any other. Text is read strictly and in whole, but for blanks around
// numbers and times; what cannot be converted is null. Datetimes and timespans are nanoseconds as
// numbers.

#include "apl/functions/conversion.h"

#include <array>
#include <bit>
#include <cmath>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "apl/functions/text_form.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

template <class T>
std::optional<T> wrap(MaybeLong ns) {
  return ns.has_value() ? std::optional<T>(T{*ns}) : std::nullopt;
}

// ---- tobool

bool bool_of_bool(bool value) {
  return value;
}
bool bool_of_long(std::int64_t value) {
  return value != 0;
}
bool bool_of_real(double value) {
  return value != 0;
}
bool bool_of_time(Datetime value) {
  return value.ns != 0;
}
bool bool_of_span(Timespan value) {
  return value.ns != 0;
}
// ---- toint

std::int64_t long_of_bool(bool value) {
  return value ? 1 : 0;
}
std::int64_t long_of_long(std::int64_t value) {
  return value;
}
MaybeLong long_of_real(double value) {
  return int_from_real(value);
}
std::int64_t long_of_time(Datetime value) {
  return value.ns;
}
std::int64_t long_of_span(Timespan value) {
  return value.ns;
}
MaybeLong long_of_dynamic(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return long_of_bool(value.as_bool());
    case DynamicTag::kLong:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return value.as_integer();
    case DynamicTag::kReal:
      return int_from_real(value.as_real());
    case DynamicTag::kString:
      return long_of_text(value.as_string());
    case DynamicTag::kNull:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::nullopt;
}

// ---- toreal

double real_of_bool(bool value) {
  return value ? 1 : 0;
}
double real_of_real(double value) {
  return value;
}
double real_of_time(Datetime value) {
  return static_cast<double>(value.ns);
}
double real_of_span(Timespan value) {
  return static_cast<double>(value.ns);
}
MaybeReal real_of_dynamic(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return real_of_bool(value.as_bool());
    case DynamicTag::kLong:
    case DynamicTag::kReal:
      return value.as_real();
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return static_cast<double>(value.as_integer());
    case DynamicTag::kString:
      return real_of_text(value.as_string());
    case DynamicTag::kNull:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::nullopt;
}

// ---- todatetime and totimespan

Datetime time_of_time(Datetime value) {
  return value;
}
Datetime time_of_long(std::int64_t ns) {
  return {ns};
}
MaybeTime time_of_real(double ns) {
  return wrap<Datetime>(int_from_real(ns));
}
MaybeTime time_of_text(std::string_view text) {
  return wrap<Datetime>(datetime_of_text(text));
}
MaybeTime time_of_dynamic(DynamicView value) {
  switch (value.type()) {
    case Type::kDatetime:
    case Type::kLong:
      return Datetime{value.as_integer()};
    case Type::kReal:
      return time_of_real(value.as_real());
    case Type::kString:
      return time_of_text(value.as_string());
    case Type::kNull:
    case Type::kBool:
    case Type::kTimespan:
    case Type::kDynamic:
      break;
  }
  return std::nullopt;
}

Timespan span_of_span(Timespan value) {
  return value;
}
Timespan span_of_long(std::int64_t ns) {
  return {ns};
}
MaybeSpan span_from_real(double ns) {
  return wrap<Timespan>(int_from_real(ns));
}
MaybeSpan span_of_text(std::string_view text) {
  return wrap<Timespan>(timespan_of_text(text));
}
MaybeSpan span_of_dynamic(DynamicView value) {
  switch (value.type()) {
    case Type::kTimespan:
    case Type::kLong:
      return Timespan{value.as_integer()};
    case Type::kReal:
      return span_from_real(value.as_real());
    case Type::kString:
      return span_of_text(value.as_string());
    case Type::kNull:
    case Type::kBool:
    case Type::kDatetime:
    case Type::kDynamic:
      break;
  }
  return std::nullopt;
}

// ---- tohex

std::string hex_of_long(std::int64_t value, std::optional<std::int64_t> size_min) {
  std::string reversed;
  auto bits = static_cast<std::uint64_t>(value);
  do {
    reversed.push_back(kHexDigits[bits & 15U]);
    bits >>= 4U;
  } while (bits != 0);
  const std::int64_t wanted = std::min<std::int64_t>(size_min.value_or(0), 1024);
  while (static_cast<std::int64_t>(reversed.size()) < wanted) {
    reversed.push_back('0');
  }
  return {reversed.rbegin(), reversed.rend()};
}

// ---- toarray and JSON text

DynamicBytes array_of(DynamicView value) {
  DynamicBuilder builder;
  if (value.is_array()) {
    builder.add_encoded(value);
    return {builder.take()};
  }
  builder.begin_array();
  if (value.is_bag()) {
    DynamicView::Iterator entries(value);
    while (entries.next()) {
      builder.add_encoded(entries.value());
    }
  } else {
    builder.add_encoded(value);
  }
  builder.end_array();
  return {builder.take()};
}

std::string json_of(DynamicView value) {
  std::string text;
  if (value.is_array() || value.is_bag()) {
    append_json(value, &text, KeyOrder::kSorted);
  } else {
    append_text_form(value, &text);
  }
  return text;
}

std::optional<std::string> hex_of_text(std::string_view text, MaybeLong size_min) {
  const MaybeLong value = long_of_text(text);
  return value.has_value() ? std::optional(hex_of_long(*value, size_min)) : std::nullopt;
}

// Reads JSON out of texts; whatever is not a text passes as it is.
template <bool kKeepInvalid>
class ParseJsonCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    const Vector& from = args[0];
    const Values& slots = from.values();
    auto out = Values::make(Type::kDynamic, slots.size());
    auto arena = std::make_shared<StringArena>();
    JsonReader reader;
    DynamicBuilder builder;
    auto* to = out->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      builder.clear();
      if (!read(slots, i, &reader, &builder)) {
        out->set_null(i);
      } else {
        to[i] = arena->copy(builder.bytes());
      }
    }
    out->add_owner(std::move(arena));
    return from.with_values(std::move(out));
  }

 private:
  static bool read(const Values& slots, std::size_t slot, JsonReader* reader,
                   DynamicBuilder* builder) {
    if (slots.is_null(slot)) {
      return false;
    }
    std::string_view text = slots.data<std::string_view>()[slot];
    if (slots.type() == Type::kDynamic) {
      const DynamicView value(text);
      if (!value.is_string()) {
        builder->add_encoded(value);
        return !value.is_null();
      }
      text = value.as_string();
    }
    if (reader->read(text, builder)) {
      return !DynamicView(builder->bytes()).is_null();
    }
    if (kKeepInvalid) {
      builder->add_string(text);
    }
    return kKeepInvalid;
  }
};

constexpr std::size_t kJsonKeysMax = 4;

// The keys among a call's arguments.
using Key = std::optional<std::string_view>;

std::span<const std::string_view> given_keys(std::initializer_list<Key> keys,
                                             std::array<std::string_view, kJsonKeysMax>* given) {
  std::size_t count = 0;
  for (const Key& key : keys) {
    if (key.has_value()) {
      (*given)[count++] = *key;
    }
  }
  return std::span(*given).first(count);
}

// parse_json(text)[a][b]…: a text that is no JSON has no members, whichever function reads it.
MaybeDynamic json_member(JsonReader& reader, std::string_view text, std::string_view a, Key b,
                         Key c, Key d) {
  std::array<std::string_view, kJsonKeysMax> given;
  DynamicBuilder out;
  if (!reader.read_path(text, given_keys({a, b, c, d}, &given), &out) ||
      DynamicView(out.bytes()).is_null()) {
    return std::nullopt;
  }
  return DynamicBytes{out.take()};
}

// What parse_json(text) is for whoever asks it for members by these keys.
MaybeDynamic json_members(JsonReader& reader, std::string_view text, std::string_view a, Key b,
                          Key c, Key d) {
  std::array<std::string_view, kJsonKeysMax> given;
  DynamicBuilder out;
  if (!reader.read_members(text, given_keys({a, b, c, d}, &given), &out)) {
    return std::nullopt;
  }
  return DynamicBytes{out.take()};
}

template <bool kKeepInvalid>
BindResult bind_parse_json(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kDynamic;
  const Type type = request.arguments[0].type;
  call.arguments = {type == Type::kString ? Type::kString : Type::kDynamic};
  call.function = std::make_shared<ParseJsonCall<kKeepInvalid>>();
  return call;
}

// ---- tostring

class ToStringCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    Vector texts = text_forms(args[0]);
    const Values& slots = texts.values();
    if (!slots.has_nulls()) {
      return texts;
    }
    const std::string_view null_text = args[0].type() == Type::kBool ? "false" : "";
    auto out = Values::make(Type::kString, slots.size());
    auto* to = out->mutable_data<std::string_view>();
    const auto* from = slots.data<std::string_view>();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to[i] = slots.is_null(i) ? null_text : from[i];
    }
    out->add_owners_of(slots);
    return texts.with_values(std::move(out));
  }
};

BindResult bind_tostring(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kString;
  call.arguments = {request.arguments[0].type};
  call.function = std::make_shared<ToStringCall>();
  return call;
}

constexpr ParameterDoc kConvertedValue{"value", "The value to convert, of any type."};

constexpr std::array<ScalarFunction, 13> kConversionFunctions = {{
    {.name = "dynamic_to_json",
     .category = "conversion",
     .summary = "Writes a value as JSON in one canonical form: keys sorted, no blanks.",
     .params = {{{"value", "An array, a bag or a scalar."}}},
     .returns = "string; scalars as tostring() writes them.",
     .examples = {{{"print dynamic_to_json(dynamic({\"b\": 1, \"a\": [true]}))",
                    R"("{\"a\":[true],\"b\":1}")"}}},
     .overloads = {lift<json_of>()}},
    {.name = "parse_json",
     .aliases = {"parsejson", "toobject"},
     .category = "string",
     .summary = "Reads JSON text into a dynamic value; other text stays as it is.",
     .params = {{{"text", "JSON text."}}},
     .returns = "dynamic; the text itself when it is not JSON. A number beyond every real is null.",
     .examples = {{{"print parse_json('{\"a\": [1, 2]}').a[1]", "2"},
                   {"print parse_json('no json')", "no json"}}},
     .bind = bind_parse_json<true>,
     .arguments_min = 1,
     .arguments_max = 1,
     .cost = CallCost::kPattern,
     .element = "json_member",
     .members = "json_members",
     .result_name = ResultName::kArgument},
    {.name = "json_member",
     .category = "string",
     .summary = "parse_json(text)[key][key]…",
     .overloads = {lift<json_member>()},
     .cost = CallCost::kPattern,
     .flags = FunctionFlags::kInternal,
     .element = "json_member"},
    {.name = "json_members",
     .category = "string",
     .summary = "A bag of these members of parse_json(text).",
     .overloads = {lift<json_members>()},
     .cost = CallCost::kPattern,
     .flags = FunctionFlags::kInternal},
    {.name = "toarray",
     .category = "conversion",
     .summary = "Makes an array: of a bag's values, or of the one value.",
     .params = {{kConvertedValue}},
     .returns = "dynamic array.",
     .examples = {{{"print toarray(dynamic({\"a\": 1, \"b\": 2}))", "[1,2]"},
                   {"print toarray('x')", R"(["x"])"}}},
     .overloads = {lift<array_of>()}},
    {.name = "tobool",
     .aliases = {"toboolean"},
     .category = "conversion",
     .summary = "Converts to a bool: numbers and times are true unless zero.",
     .params = {{kConvertedValue}},
     .returns = "bool; null for a text other than 1 t T TRUE true True 0 f F FALSE false False.",
     .examples = {{{"print tobool('true')", "true"},
                   {"print tobool(0)", "false"},
                   {"print tobool('yes')", "null"}}},
     .overloads = {lift<bool_of_bool>(), lift<bool_of_long>(), lift<bool_of_real>(),
                   lift<bool_of_text>(), lift<bool_of_time>(), lift<bool_of_span>(),
                   lift<truth_of>()},
     .result_name = ResultName::kArgument},
    {.name = "todatetime",
     .category = "conversion",
     .summary = "Converts to a datetime: texts in many notations, numbers as Unix nanoseconds. The "
                "digits of a text that is a number tell what it is: 4 a year, 8 a date, 14 date "
                "and time, 10 seconds since 1970, 13 milliseconds, 16 microseconds, 19 "
                "nanoseconds. Of two numbers before the year the first is the month.",
     .params = {{kConvertedValue}},
     .returns = "datetime; null when the text is no time.",
     .examples = {{{"print todatetime('2024-05-01')", "2024-05-01T00:00:00Z"},
                   {"print todatetime('May 8, 2009 5:57:51 PM')", "2009-05-08T17:57:51Z"},
                   {"print todatetime('12/31/2024'), todatetime('31/12/2024')",
                    "2024-12-31T00:00:00Z  null"}}},
     .overloads = {lift<time_of_time>(), lift<time_of_long>(), lift<time_of_real>(),
                   lift<time_of_text>(), lift<time_of_dynamic>()},
     .result_name = ResultName::kArgument},
    {.name = "todynamic",
     .category = "conversion",
     .summary = "Reads JSON text into a dynamic value.",
     .params = {{{"text", "JSON text; other values become dynamic as they are."}}},
     .returns = "dynamic; null when the text is not JSON.",
     .examples = {{{"print todynamic('[1, {\"a\": 2}]')[1].a", "2"},
                   {"print todynamic('no json')", "null"}}},
     .bind = bind_parse_json<false>,
     .arguments_min = 1,
     .arguments_max = 1,
     .element = "json_member",
     .members = "json_members",
     .result_name = ResultName::kArgument},
    {.name = "tohex",
     .category = "conversion",
     .summary = "Writes an integer in hexadecimal; negative ones in two's complement.",
     .params = {{{"number", "The integer."}, {"[length]", "Pads with zeros to this length."}}},
     .returns = "string, lower case; null for a text that is not all digits.",
     .examples = {{{"print tohex(255)", "ff"},
                   {"print tohex(255, 4)", "00ff"},
                   {"print tohex(-1)", "ffffffffffffffff"}}},
     .overloads = {lift<hex_of_long>(), lift<hex_of_text>()},
     .result_name = ResultName::kArgument},
    {.name = "toint",
     .aliases = {"tolong"},
     .category = "conversion",
     .summary = "Converts to an integer: reals are truncated, times are nanoseconds.",
     .params = {{kConvertedValue}},
     .returns = "long; null for a text that is not all digits, but for blanks around them.",
     .examples = {{{"print toint('42')", "42"},
                   {"print toint(-2.9)", "-2"},
                   {"print tolong('1.5')", "null"}}},
     .overloads = {lift<long_of_bool>(), lift<long_of_long>(), lift<long_of_real>(),
                   lift<long_of_text>(), lift<long_of_time>(), lift<long_of_span>(),
                   lift<long_of_dynamic>()},
     .result_name = ResultName::kArgument},
    {.name = "toreal",
     .aliases = {"todouble", "todecimal"},
     .category = "conversion",
     .summary = "Converts to a real number; times are nanoseconds.",
     .params = {{kConvertedValue}},
     .returns = "real; null for a text that is no number, but for blanks around it.",
     .examples = {{{"print toreal('1.25e2'), toreal('0x1p-2')", "125  0.25"},
                   {"print todouble('abc')", "null"}}},
     .overloads = {lift<real_of_bool>(), lift<real_of_real>(), lift<real_of_text>(),
                   lift<real_of_time>(), lift<real_of_span>(), lift<real_of_dynamic>()},
     .result_name = ResultName::kArgument},
    {.name = "tostring",
     .category = "conversion",
     .summary = "Writes any value as text.",
     .params = {{kConvertedValue}},
     .returns =
         "string; empty for null, but false for a null bool; compact JSON for arrays and bags.",
     .examples = {{{"print tostring(0.1)", "0.1"},
                   {"print tostring(80s)", "1m20s"},
                   {"print tostring(dynamic([1, \"a\"]))", R"("[1,\"a\"]")"}}},
     .bind = bind_tostring,
     .arguments_min = 1,
     .arguments_max = 1,
     .result_name = ResultName::kArgument},
    {.name = "totimespan",
     .aliases = {"totime"},
     .category = "conversion",
     .summary = "Converts to a timespan: texts like 2h45m or 1.02:03:04, numbers as nanoseconds.",
     .params = {{kConvertedValue}},
     .returns = "timespan; null when the text is none, but for blanks around it.",
     .examples = {{{"print totimespan('2h45m')", "2h45m0s"},
                   {"print totimespan('1.02:03:04')", "26h3m4s"}}},
     .overloads = {lift<span_of_span>(), lift<span_of_long>(), lift<span_from_real>(),
                   lift<span_of_text>(), lift<span_of_dynamic>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::optional<bool> truth_of(DynamicView value) {
  switch (value.tag()) {
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      return value.as_bool();
    case DynamicTag::kLong:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      return value.as_integer() != 0;
    case DynamicTag::kReal:
      return value.as_real() != 0;
    case DynamicTag::kString:
      return bool_of_text(value.as_string());
    case DynamicTag::kNull:
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      break;
  }
  return std::nullopt;
}

std::span<const ScalarFunction> conversion_functions() {
  return kConversionFunctions;
}

}  // namespace evq
