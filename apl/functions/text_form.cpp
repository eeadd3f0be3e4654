#include "apl/functions/text_form.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/timespan.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

bool is_null_at(const Values& values, std::size_t slot) {
  return values.is_null(slot) || (values.type() == Type::kDynamic &&
                                  DynamicView(values.data<std::string_view>()[slot]).is_null());
}

}  // namespace

void append_text_form(DynamicView value, std::string* out) {
  switch (value.tag()) {
    case DynamicTag::kNull:
      return;
    case DynamicTag::kFalse:
      out->append("false");
      return;
    case DynamicTag::kTrue:
      out->append("true");
      return;
    case DynamicTag::kLong:
      append_int(*out, value.as_integer());
      return;
    case DynamicTag::kReal:
      append_real(*out, value.as_real());
      return;
    case DynamicTag::kString:
      out->append(value.as_string());
      return;
    case DynamicTag::kDatetime:
      append_instant(*out, value.as_integer());
      return;
    case DynamicTag::kTimespan:
      append_duration(*out, value.as_integer());
      return;
    case DynamicTag::kArray:
    case DynamicTag::kBag:
      append_json(value, out);
      return;
  }
}

void append_text_form(const Values& values, std::size_t slot, std::string* out) {
  if (values.is_null(slot)) {
    return;
  }
  switch (values.type()) {
    case Type::kNull:
      return;
    case Type::kBool:
      out->append(values.data<std::uint8_t>()[slot] != 0 ? "true" : "false");
      return;
    case Type::kLong:
      append_int(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kReal:
      append_real(*out, values.data<double>()[slot]);
      return;
    case Type::kString:
      out->append(values.data<std::string_view>()[slot]);
      return;
    case Type::kDatetime:
      append_instant(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kTimespan:
      append_duration(*out, values.data<std::int64_t>()[slot]);
      return;
    case Type::kDynamic:
      append_text_form(DynamicView(values.data<std::string_view>()[slot]), out);
      return;
  }
}

std::optional<bool> bool_of_text(std::string_view text) {
  for (const std::string_view yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) {
      return true;
    }
  }
  for (const std::string_view no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) {
      return false;
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> long_of_text(std::string_view text) {
  return parse_int(trimmed(text));
}

std::optional<double> real_of_text(std::string_view text) {
  text = trimmed(text);
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(is_signed ? 1 : 0);
  if (!digits.starts_with("0x") && !digits.starts_with("0X")) {
    return parse_real(text);
  }
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data() + 2, end, value, std::chars_format::hex);
  // Not a sign, nor the name of an infinity or NaN.
  const bool complete = digits.find_first_of("pP") != std::string_view::npos &&
                        (hex_digit(digits[2]) >= 0 || digits[2] == '.');
  if (!complete || read.ec != std::errc() || read.ptr != end) {
    return std::nullopt;
  }
  return text.starts_with('-') ? -value : value;
}

std::optional<std::int64_t> timespan_of_text(std::string_view text) {
  return parse_timespan(trimmed(text));
}

namespace {

// Of a number that is not a date by its digits ("2024", "20240501", "20240501102030", "2024.05").
bool tells_unit(std::string_view number, std::size_t whole_digits) {
  const bool digits_follow =
      whole_digits == number.size() ||
      (number[whole_digits] == '.' &&
       number.find_first_not_of("0123456789", whole_digits + 1) == std::string_view::npos);
  return digits_follow &&
         (whole_digits == 10 || whole_digits == 13 || whole_digits == 16 || whole_digits == 19);
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
         parse_real(text).has_value();
}

}  // namespace

std::optional<std::int64_t> datetime_of_text(std::string_view text) {
  text = trimmed(text);
  // No number has these dashes, so nothing below tells against a time.
  if (text.size() > 10 && text[4] == '-' && text[7] == '-') {
    if (const auto instant = parse_instant(text)) {
      return instant;
    }
  }
  std::string_view number = text;
  if (text.starts_with('-') || text.starts_with('+')) {
    number.remove_prefix(1);
  }
  const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
  const bool whole = digits == text.size();
  const bool is_date = whole && (digits == 4 || digits == 8 || digits == 14);
  const bool may_be_month = text.size() == 7 && digits == 4 && text[4] == '.';
  const bool ends = digits == number.size() || number[digits] == '.' || number[digits] == 'e' ||
                    number[digits] == 'E';
  if (ends && !is_date && !tells_unit(number, digits) && is_number(text)) {
    const std::string_view month = may_be_month ? text.substr(5) : std::string_view();
    if (month < "01" || month > "12") {
      return std::nullopt;
    }
  }
  return parse_liberal_datetime(text);
}

Vector text_forms(const Vector& vector) {
  if (vector.type() == Type::kString) {
    return vector;
  }
  const Values& from = vector.values();
  auto to = Values::make(Type::kString, from.size());
  auto arena = std::make_shared<StringArena>();
  auto* data = to->mutable_data<std::string_view>();
  std::string text;
  bool points = false;  // some text lies in the vector's own bytes
  for (std::size_t slot = 0; slot < from.size(); ++slot) {
    if (from.type() == Type::kDynamic && !from.is_null(slot)) {
      const DynamicView value(from.data<std::string_view>()[slot]);
      if (value.is_string() && value.as_string().size() <= kStringValueBytesMax) {
        data[slot] = value.as_string();
        points = true;
        continue;
      }
    }
    text.clear();
    append_text_form(from, slot, &text);
    if (is_null_at(from, slot) || text.size() > kStringValueBytesMax) {
      to->set_null(slot);
    } else {
      data[slot] = arena->copy(text);
    }
  }
  to->add_owner(std::move(arena));
  if (points) {
    to->add_owners_of(from);
  }
  return vector.with_values(std::move(to));
}

}  // namespace evq
