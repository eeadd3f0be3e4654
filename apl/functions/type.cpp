// Functions about what a value is: its type, whether it is null or empty, and the shapes of some
// well-known numbers. coalesce() is here because it is the remedy for nulls.

#include <algorithm>
#include <array>

#include "apl/functions/lift.h"
#include "apl/functions/pick_rows.h"
#include "apl/functions/registry.h"
#include "store/base/ascii.h"
#include "store/base/utf8.h"
#include "store/column/validity.h"

namespace evq {
namespace {

using SlotTest = bool (*)(const Values& values, std::size_t slot);

// A test of values of any type; never null.
template <SlotTest kTest>
class AnyTest final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    const Values& slots = args[0].values();
    auto out = Values::make(Type::kBool, slots.size());
    auto* to = out->mutable_data<std::uint8_t>();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to[i] = kTest(slots, i) ? 1 : 0;
    }
    return args[0].with_values(std::move(out));
  }
};

// Of nulls: a valid slot of a dynamic vector holds none either.
template <bool kNull>
class NullTest final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    const Values& slots = args[0].values();
    auto out = Values::make(Type::kBool, slots.size());
    auto* to = out->mutable_data<std::uint8_t>();
    constexpr std::uint8_t kOfNulls = kNull ? 1 : 0;
    constexpr std::uint8_t kOfOthers = kNull ? 0 : 1;
    std::fill_n(to, slots.size(), slots.type() == Type::kNull ? kOfNulls : kOfOthers);
    if (slots.validity() != nullptr) {
      set_null_bytes(slots.validity(), slots.size(), kOfNulls, to);
    }
    return args[0].with_values(std::move(out));
  }
};

template <class Test>
BindResult bind_test(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kBool;
  call.arguments = {request.arguments[0].type};
  call.function = std::make_shared<Test>();
  return call;
}

// The type of a slot's value; that of the value inside of a dynamic.
Type held_type(const Values& values, std::size_t slot) {
  if (values.is_null(slot)) {
    return Type::kNull;
  }
  return values.type() == Type::kDynamic ? DynamicView(values.data<std::string_view>()[slot]).type()
                                         : values.type();
}

bool is_empty_slot(const Values& values, std::size_t slot) {
  const Type type = held_type(values, slot);
  if (type != Type::kString) {
    return type == Type::kNull;
  }
  const std::string_view stored = values.data<std::string_view>()[slot];
  return values.type() == Type::kString ? stored.empty() : DynamicView(stored).as_string().empty();
}
bool is_not_empty_slot(const Values& values, std::size_t slot) {
  return !is_empty_slot(values, slot);
}

bool is_bool_slot(const Values& values, std::size_t slot) {
  return held_type(values, slot) == Type::kBool;
}
bool is_number_slot(const Values& values, std::size_t slot) {
  return is_numeric(held_type(values, slot));
}
bool is_string_slot(const Values& values, std::size_t slot) {
  return held_type(values, slot) == Type::kString;
}
bool is_map_slot(const Values& values, std::size_t slot) {
  return !values.is_null(slot) && values.type() == Type::kDynamic &&
         DynamicView(values.data<std::string_view>()[slot]).is_bag();
}

// ---- gettype

std::string_view public_type_name(const Values& values, std::size_t slot) {
  if (values.is_null(slot)) {
    return "null";
  }
  if (values.type() == Type::kDynamic) {
    const DynamicView value(values.data<std::string_view>()[slot]);
    if (value.is_array()) {
      return "array";
    }
    if (value.is_bag()) {
      return "dictionary";
    }
    return type_name(value.type());
  }
  return type_name(values.type());
}

class GetTypeCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t /*rows*/) const override {
    const Values& slots = args[0].values();
    auto out = Values::make(Type::kString, slots.size());
    auto* to = out->mutable_data<std::string_view>();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      to[i] = public_type_name(slots, i);
    }
    return args[0].with_values(std::move(out));
  }
};

BindResult bind_gettype(const BindRequest& request) {
  BoundCall call;
  call.result = Type::kString;
  call.arguments = {request.arguments[0].type};
  call.function = std::make_shared<GetTypeCall>();
  return call;
}

// ---- coalesce

class CoalesceCall final : public BoundFunction {
 public:
  Vector evaluate(const EvalContext& /*context*/, std::span<const Vector> args,
                  std::size_t rows) const override {
    const auto last = static_cast<Pick>(args.size() - 1);
    std::vector<Pick> picks(rows, last);
    std::vector<const Vector*> branches;
    for (Pick branch = 0; branch < last; ++branch) {
      const Vector& values = args[branch];
      for (std::size_t i = 0; i < rows; ++i) {
        const bool picked = picks[i] == last && !is_empty_slot(values.values(), values.slot(i));
        picks[i] = picked ? branch : picks[i];
      }
      branches.push_back(&values);
    }
    branches.push_back(&args.back());
    return pick_rows(branches, picks);
  }
};

BindResult bind_coalesce(const BindRequest& request) {
  BoundCall call;
  for (const Argument& argument : request.arguments) {
    const bool null = argument.constant != nullptr && argument.constant->is_null();
    call.result = null ? call.result : common_type(call.result, argument.type);
  }
  call.arguments.assign(request.arguments.size(), call.result);
  call.function = std::make_shared<CoalesceCall>();
  return call;
}

// ---- numbers with a check digit

// The digits of a number that may be written in groups; empty when something else is in it.
std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (is_digit(c)) {
      digits.push_back(c);
    } else if (c != ' ' && c != '-') {
      return {};
    }
  }
  return digits;
}

bool passes_luhn(std::string_view digits) {
  int sum = 0;
  bool twice = false;
  for (std::size_t i = digits.size(); i-- > 0; twice = !twice) {
    const int digit = (digits[i] - '0') * (twice ? 2 : 1);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 == 0;
}

struct CardIssuer {
  std::string_view first;  // the range of number prefixes, as text of equal size
  std::string_view last;
  std::uint8_t size_min;
  std::uint8_t size_max;
};

constexpr std::array<CardIssuer, 14> kCardIssuers = {{
    {"4", "4", 13, 19},        // Visa
    {"51", "55", 16, 16},      // Mastercard
    {"2221", "2720", 16, 16},  // Mastercard
    {"34", "34", 15, 15},      // American Express
    {"37", "37", 15, 15},      // American Express
    {"300", "305", 14, 19},    // Diners Club
    {"36", "36", 14, 19},      // Diners Club
    {"38", "39", 14, 19},      // Diners Club
    {"6011", "6011", 16, 19},  // Discover
    {"644", "649", 16, 19},    // Discover
    {"65", "65", 16, 19},      // Discover
    {"3528", "3589", 16, 19},  // JCB
    {"62", "62", 16, 19},      // UnionPay
    {"50", "50", 12, 19},      // Maestro
}};

bool is_card_number(std::string_view text) {
  const std::string digits = digits_of(text);
  const bool known = std::ranges::any_of(kCardIssuers, [&digits](const CardIssuer& issuer) {
    const std::string_view prefix = std::string_view{digits}.substr(0, issuer.first.size());
    return digits.size() >= issuer.size_min && digits.size() <= issuer.size_max &&
           prefix >= issuer.first && prefix <= issuer.last;
  });
  return known && passes_luhn(digits);
}
bool is_card_integer(std::int64_t number) {
  return is_card_number(std::to_string(number));
}

bool is_imei(std::string_view text) {
  const std::string digits = digits_of(text);
  return digits.size() == 15 && passes_luhn(digits);
}
bool is_imei_integer(std::int64_t number) {
  return is_imei(std::to_string(number));
}

bool is_utf8_text(std::string_view text) {
  return is_valid_utf8(text);
}

constexpr ParameterDoc kTestedValue{"value", "Any value."};

constexpr std::array<ScalarFunction, 13> kTypeFunctions = {{
    {.name = "coalesce",
     .category = "type",
     .summary = "Gives the first of its arguments that is not null; of texts, the first not empty.",
     .params = {{{"values...", "The values to choose from, in order."}}},
     .returns = "The common type of the arguments; null when all are. _time and _sysTime count as "
                "null where the rows have lost them.",
     .examples = {{{"print coalesce(long(null), 7, 8)", "7"}, {"print coalesce('', 'b')", "b"}}},
     .bind = bind_coalesce,
     .arguments_min = 1,
     .takes_lost_times = true,
     .meant_aggregation = "take_any(x)"},
    {.name = "gettype",
     .category = "type",
     .summary = "Names the type of a value.",
     .params = {{kTestedValue}},
     .returns = "string: bool, long, real, string, datetime, timespan, array, dictionary or null.",
     .examples = {{{"print gettype(1.5)", "real"},
                   {"print gettype(dynamic([1]))", "array"},
                   {"print gettype(dynamic({\"a\": 1}))", "dictionary"}}},
     .bind = bind_gettype,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isbool",
     .category = "conversion",
     .summary = "Tells whether a value is a bool.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isbool(true)", "true"}, {"print isbool('true')", "false"}}},
     .bind = bind_test<AnyTest<is_bool_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "iscc",
     .category = "type",
     .summary = "Tells whether a text is a payment card number of a known issuer.",
     .params = {{{"number", "The digits, which may be grouped by blanks or hyphens."}}},
     .returns = "bool.",
     .examples = {{{"print iscc('4111111111111111')", "true"},
                   {"print iscc('1234567890123456')", "false"}}},
     .overloads = {lift<is_card_number>(), lift<is_card_integer>()}},
    {.name = "isempty",
     .category = "string",
     .summary = "Tells whether a value is null or the empty text.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isempty('')", "true"}, {"print isempty(0)", "false"}}},
     .bind = bind_test<AnyTest<is_empty_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isimei",
     .category = "type",
     .summary = "Tells whether a text is the 15-digit identity of a mobile device.",
     .params = {{{"number", "The digits, which may be grouped by blanks or hyphens."}}},
     .returns = "bool.",
     .examples = {{{"print isimei('490154203237518')", "true"},
                   {"print isimei('490154203237519')", "false"}}},
     .overloads = {lift<is_imei>(), lift<is_imei_integer>()}},
    {.name = "ismap",
     .category = "type",
     .summary = "Tells whether a value is a bag of keys and values.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print ismap(dynamic({\"a\": 1}))", "true"},
                   {"print ismap(dynamic([1]))", "false"}}},
     .bind = bind_test<AnyTest<is_map_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isnotempty",
     .aliases = {"notempty"},
     .category = "string",
     .summary = "Tells whether a value is neither null nor the empty text.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isnotempty('a')", "true"}, {"print isnotempty('')", "false"}}},
     .bind = bind_test<AnyTest<is_not_empty_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isnotnull",
     .aliases = {"notnull"},
     .category = "string",
     .summary = "Tells whether a value is not null.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isnotnull('')", "true"}, {"print isnotnull(long(null))", "false"}}},
     .bind = bind_test<NullTest<false>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isnull",
     .category = "string",
     .summary = "Tells whether a value is null.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isnull(long(null))", "true"}, {"print isnull('')", "false"}}},
     .bind = bind_test<NullTest<true>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isreal",
     .category = "type",
     .summary = "Tells whether a value is a number.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isreal(123.4)", "true"}, {"print isreal('123.4')", "false"}}},
     .bind = bind_test<AnyTest<is_number_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isstring",
     .category = "type",
     .summary = "Tells whether a value is a text.",
     .params = {{kTestedValue}},
     .returns = "bool, never null.",
     .examples = {{{"print isstring('a')", "true"}, {"print isstring(1)", "false"}}},
     .bind = bind_test<AnyTest<is_string_slot>>,
     .arguments_min = 1,
     .arguments_max = 1},
    {.name = "isutf8",
     .category = "type",
     .summary = "Tells whether a text is well-formed UTF-8.",
     .params = {{{"text", "The text to look at."}}},
     .returns = "bool.",
     .examples = {{{"print isutf8('caf\xC3\xA9')", "true"}}},
     .overloads = {lift<is_utf8_text>()}},
}};

}  // namespace

std::span<const ScalarFunction> type_functions() {
  return kTypeFunctions;
}

}  // namespace evq
