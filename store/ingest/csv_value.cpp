#include "store/ingest/csv_value.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>

#include "store/base/ascii.h"
#include "store/base/number.h"

namespace evq {

namespace {

constexpr std::size_t kSignificantDigitsMax = 17;
constexpr std::array<std::string_view, 3> kTrueWords = {"true", "True", "TRUE"};
constexpr std::array<std::string_view, 3> kFalseWords = {"false", "False", "FALSE"};

bool is_true(std::string_view text) {
  return text == kTrueWords[0] || text == kTrueWords[1] || text == kTrueWords[2];
}

bool is_bool(std::string_view text) {
  return is_true(text) || text == kFalseWords[0] || text == kFalseWords[1] ||
         text == kFalseWords[2];
}

std::size_t skip_digits(std::string_view text, std::size_t i) {
  while (i < text.size() && is_digit(text[i])) {
    ++i;
  }
  return i;
}

// The end of the exponent that begins at `i`; 0 when there is none, or none of at most three
// digits.
std::size_t skip_exponent(std::string_view text, std::size_t i) {
  ++i;
  if (i < text.size() && (text[i] == '+' || text[i] == '-')) {
    ++i;
  }
  const std::size_t end = skip_digits(text, i);
  return end > i && end - i <= 3 ? end : 0;
}

// Whether `text`, whose integer digits end at `end`, is a decimal number with a fraction, an
// exponent with a sign, or both. Without either it would be an integer, or the name that 1e5 may
// be.
bool is_decimal(std::string_view text, std::size_t integer_digits, std::size_t end) {
  std::size_t digits = integer_digits;
  bool marked = false;
  if (text[end] == '.') {
    const std::size_t after = skip_digits(text, end + 1);
    if (after == end + 1) {
      return false;
    }
    digits += after - end - 1;
    end = after;
    marked = true;
  }
  const bool scaled = end < text.size() && (text[end] == 'e' || text[end] == 'E');
  if (scaled) {
    marked = marked || (end + 1 < text.size() && !is_digit(text[end + 1]));
    end = skip_exponent(text, end);
  }
  if (!marked || end != text.size() || digits > kSignificantDigitsMax) {
    return false;
  }
  return !scaled || std::isfinite(parse_real(text).value_or(0));
}

}  // namespace

std::optional<std::int64_t> read_csv_long(std::string_view text) {
  constexpr std::size_t kDigitsSafe = 18;  // of which any fit
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || (digits[0] == '0' && text.size() > 1)) {
    return std::nullopt;
  }
  std::int64_t value = 0;
  for (const char c : digits.substr(0, kDigitsSafe)) {
    if (!is_digit(c)) {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  if (digits.size() > kDigitsSafe) {
    return parse_int(text);
  }
  return negative ? -value : value;
}

std::uint8_t classify_csv_value(std::string_view text) {
  if (text.empty()) {
    return kRawIsText;
  }
  if (const auto integer = read_csv_long(text)) {
    return is_exact_as_real(*integer) ? kRawIsLong : kRawIsWideLong;
  }
  const std::size_t begin = text[0] == '-' ? 1 : 0;
  if (begin == text.size() || !is_digit(text[begin])) {
    return is_bool(text) ? kRawIsBool : kRawIsText;
  }
  const std::size_t end = skip_digits(text, begin);
  if (text[begin] == '0' && end - begin > 1) {
    return kRawIsText;
  }
  return end < text.size() && is_decimal(text, end - begin, end) ? kRawIsReal : kRawIsText;
}

Type type_of_csv_classes(std::uint8_t classes) {
  constexpr unsigned kLongs = kRawIsLong | kRawIsWideLong;
  if (classes == kRawIsBool) {
    return Type::kBool;
  }
  if ((classes & ~kLongs) == 0) {
    return Type::kLong;
  }
  return (classes & ~(kRawIsLong | kRawIsReal)) == 0 ? Type::kReal : Type::kString;
}

namespace {

template <class T, class ValueOf>
std::shared_ptr<Values> typed_values(const Values& text, Type type, const ValueOf& value_of) {
  auto out = Values::make(type, text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.is_null(i)) {
      out->set_null(i);
    } else {
      out->mutable_data<T>()[i] = value_of(text.data<std::string_view>()[i]);
    }
  }
  return out;
}

std::shared_ptr<Values> retype(const Values& text, Type type) {
  if (type == Type::kBool) {
    return typed_values<std::uint8_t>(
        text, type, [](std::string_view word) { return static_cast<std::uint8_t>(is_true(word)); });
  }
  if (type == Type::kLong) {
    return typed_values<std::int64_t>(
        text, type, [](std::string_view word) { return parse_int(word).value_or(0); });
  }
  return typed_values<double>(text, type,
                              [](std::string_view word) { return parse_real(word).value_or(0); });
}

}  // namespace

Vector retype_csv_values(const Vector& text, Type type) {
  if (type == Type::kString) {
    return text;
  }
  std::shared_ptr<Values> typed = retype(text.values(), type);
  if (text.is_flat()) {
    return Vector::flat(std::move(typed));
  }
  const Vector shaped = text.with_values(std::move(typed));
  return shaped.is_dictionary() ? shaped.flatten() : shaped;
}

}  // namespace evq
