#include "store/ingest/csv_value.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <memory>

#include "store/base/ascii.h"
#include "store/base/number.h"

namespace evq {

namespace {

// Of significant digits a double tells so many apart; a fraction may have more, but no integer.
constexpr std::size_t kSignificantDigitsMax = 17;
constexpr std::size_t kExactDigitsMax = 15;
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

// How many digits a number has from its first one that is not 0 on.
std::size_t count_significant(std::string_view integer, std::string_view fraction) {
  const std::size_t first = integer.find_first_not_of('0');
  if (first != std::string_view::npos) {
    return integer.size() - first + fraction.size();
  }
  const std::size_t zeros = fraction.find_first_not_of('0');
  return zeros == std::string_view::npos ? 0 : fraction.size() - zeros;
}

// Whether `text`, of digits, is a decimal number with a fraction, an exponent with a sign, or both.
// Without either it would be an integer, or the name that 1e5 may be.
bool is_decimal(std::string_view text) {
  std::size_t end = skip_digits(text, 0);
  const std::string_view integer = text.substr(0, end);
  if (integer.size() > 1 && integer[0] == '0') {
    return false;
  }
  std::string_view fraction;
  if (text.substr(end).starts_with('.')) {
    const std::size_t after = skip_digits(text, end + 1);
    fraction = text.substr(end + 1, after - end - 1);
    if (fraction.empty()) {
      return false;
    }
    end = after;
  }
  const bool scaled = end < text.size() && (text[end] == 'e' || text[end] == 'E');
  bool marked = !fraction.empty();
  if (scaled) {
    marked = marked || (end + 1 < text.size() && !is_digit(text[end + 1]));
    end = integer.empty() && fraction.empty() ? 0 : skip_exponent(text, end);
  }
  if (!marked || end != text.size() ||
      (integer.size() > kExactDigitsMax &&
       count_significant(integer, fraction) > kSignificantDigitsMax)) {
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
  if (is_letter(text[0])) {
    return is_bool(text) ? kRawIsBool : kRawIsText;
  }
  const bool has_sign = text[0] == '-' || text[0] == '+';
  return is_decimal(text.substr(has_sign ? 1 : 0)) ? kRawIsReal : kRawIsText;
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

CsvColumn csv_column_of(std::uint8_t classes) {
  if (classes == 0) {
    return CsvColumn::kUnknown;
  }
  const Type type = type_of_csv_classes(classes);
  return type == Type::kBool   ? CsvColumn::kBool
         : type == Type::kLong ? CsvColumn::kLong
         : type == Type::kReal ? CsvColumn::kReal
                               : CsvColumn::kText;
}

namespace {

// A number of few digits, as most are, in one pass: what read_csv_long() and parse_real() make of
// it. False for any other text, which may be a number as well.
bool read_short_number(std::string_view text, bool as_real, Cell* cell) {
  // Less than 2^53 is left without the point, and no power of ten is rounded: nor is the quotient.
  constexpr std::size_t kBytesMax = 16;
  constexpr std::array<double, kBytesMax> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative ? 1 : 0);
  if (text.empty() || text.size() > kBytesMax) {
    return false;
  }
  std::int64_t number = 0;
  std::size_t point = text.size();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      number = number * 10 + (text[i] - '0');
    } else if (text[i] == '.' && point == text.size()) {
      point = i;
    } else {
      return false;
    }
  }
  const bool whole = point == text.size();
  if (point == 0 || point + 1 == text.size() || (text[0] == '0' && point > 1) ||
      (whole && ((negative && number == 0) || text.size() == kBytesMax))) {
    return false;
  }
  if (whole && !as_real) {
    *cell = Cell::of_long(negative ? -number : number);
    return true;
  }
  const double real = static_cast<double>(number) / kPowers[whole ? 0 : text.size() - point - 1];
  *cell = Cell::of_real(negative ? -real : real);
  return true;
}

}  // namespace

Cell read_csv_value(CsvColumn column, std::string_view text) {
  const Cell as_text = Cell::of_text(CellKind::kText, text);
  if (column == CsvColumn::kText) {
    return as_text;
  }
  if (column == CsvColumn::kBool) {
    return is_bool(text) ? Cell::of_bool(is_true(text)) : as_text;
  }
  Cell number;
  if (read_short_number(text, column == CsvColumn::kReal, &number)) {
    return number;
  }
  if (const auto integer = read_csv_long(text)) {
    return column == CsvColumn::kReal && is_exact_as_real(*integer)
               ? Cell::of_real(static_cast<double>(*integer))
               : Cell::of_long(*integer);
  }
  const std::uint8_t classes = classify_csv_value(text);
  if (classes == kRawIsReal) {
    return Cell::of_real(parse_real(text).value_or(0));
  }
  return column == CsvColumn::kUnknown && classes == kRawIsBool ? Cell::of_bool(is_true(text))
                                                                : as_text;
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
