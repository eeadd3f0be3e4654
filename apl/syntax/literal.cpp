#include "apl/syntax/literal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/number.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "store/base/timespan.h"
#include "store/base/utf8.h"
#include "store/column/dynamic.h"

namespace evq::syntax {

namespace {

// `size` hexadecimal digits at the start of `text`.
std::optional<char32_t> hex_code_point(std::string_view text, std::size_t size) {
  if (text.size() < size) {
    return std::nullopt;
  }
  std::uint32_t point = 0;
  const char* end = text.data() + size;
  const auto parsed = std::from_chars(text.data(), end, point, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || point > 0x10FFFFU ||
      (point >= 0xD800U && point <= 0xDFFFU)) {
    return std::nullopt;
  }
  return static_cast<char32_t>(point);
}

// A UTF-16 pair of two \uXXXX escapes, as JSON writes characters past U+FFFF; `text` follows "\u".
std::optional<char32_t> surrogate_pair(std::string_view text) {
  if (text.size() < 10 || text.substr(4, 2) != "\\u") {
    return std::nullopt;
  }
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  const char* data = text.data();
  if (std::from_chars(data, data + 4, high, 16).ptr != data + 4 ||
      std::from_chars(data + 6, data + 10, low, 16).ptr != data + 10 || high < 0xD800U ||
      high > 0xDBFFU || low < 0xDC00U || low > 0xDFFFU) {
    return std::nullopt;
  }
  return static_cast<char32_t>(0x10000U + ((high - 0xD800U) << 10U) + (low - 0xDC00U));
}

// Three octal digits: fewer stay as they are, so that '\1' can name a capture group.
std::optional<char32_t> octal_code_point(std::string_view text) {
  std::uint32_t point = 0;
  if (text.size() < 3 ||
      std::from_chars(text.data(), text.data() + 3, point, 8).ptr != text.data() + 3) {
    return std::nullopt;
  }
  return static_cast<char32_t>(point);
}

// Appends what the escape at the start of `rest` (after its backslash) means; returns how many
// bytes of `rest` it took, 0 for an unknown escape.
std::size_t append_escape(std::string_view rest, std::string* out) {
  constexpr std::pair<char, char> kSimple[] = {{'\\', '\\'}, {'\'', '\''}, {'"', '"'},
                                               {'t', '\t'},  {'n', '\n'},  {'r', '\r'},
                                               {'f', '\f'},  {'a', '\a'},  {'v', '\v'}};
  for (const auto& [name, meaning] : kSimple) {
    if (rest.front() == name) {
      *out += meaning;
      return 1;
    }
  }
  const std::string_view digits = rest.substr(1);
  std::optional<char32_t> point;
  std::size_t size = 0;
  if (rest.front() == 'x') {
    size = 3;
    point = hex_code_point(digits, 2);
  } else if (rest.front() == 'u') {
    size = 5;
    point = hex_code_point(digits, 4);
    if (!point) {
      size = 11;
      point = surrogate_pair(digits);
    }
  } else if (rest.front() == 'U') {
    size = 9;
    point = hex_code_point(digits, 8);
  } else if (rest.front() >= '0' && rest.front() <= '3') {
    size = 3;
    point = octal_code_point(rest);
    if (!point && rest.front() == '0') {
      size = 1;
      point = U'\0';
    }
  }
  if (!point) {
    return 0;
  }
  append_code_point(*out, *point);
  return size;
}

std::optional<Value> parse_bool(std::string_view text) {
  if (ascii_lower(text) == "true") {
    return Value::boolean(true);
  }
  if (ascii_lower(text) == "false") {
    return Value::boolean(false);
  }
  if (const auto number = parse_int(text)) {
    return Value::boolean(*number != 0);
  }
  return std::nullopt;
}

std::optional<Value> parse_long(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = negative ? trimmed(text.substr(1)) : text;
  if (digits.starts_with("0x") || digits.starts_with("0X")) {
    const auto value = parse_hex(digits.substr(2));
    return value ? std::optional(Value::integer(negative ? -*value : *value)) : std::nullopt;
  }
  const auto value = parse_int(text);
  return value ? std::optional(Value::integer(*value)) : std::nullopt;
}

// timespan(15 seconds): within the parentheses the unit may stand apart.
std::optional<std::int64_t> parse_span_in_two(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || blank == 0 || !is_digit(text[blank - 1]) ||
      !is_letter(text[blank + 1])) {
    return std::nullopt;
  }
  return parse_timespan_literal(std::string(text.substr(0, blank)).append(text.substr(blank + 1)));
}

std::optional<Value> parse_span(std::string_view text) {
  auto ns = parse_timespan_literal(text);
  if (!ns) {
    ns = parse_span_in_two(text);
  }
  if (!ns) {
    ns = parse_kusto_timespan(text);
  }
  if (!ns) {
    ns = parse_timespan(text);
  }
  if (!ns) {
    if (const auto days = parse_real(text)) {
      ns = int_from_real(*days * static_cast<double>(kDayNs));
    }
  }
  return ns ? std::optional(Value::timespan(*ns)) : std::nullopt;
}

// datetime(2024, 5, 1) and datetime(2024 - 05 - 01): the date as it is usually written.
std::string joined_date(std::string_view text) {
  std::string out;
  std::size_t digits = 0;  // of the number being read
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    if (is_digit(c)) {
      out += c;
      ++digits;
    } else if (c == ',' || c == '-') {
      if (digits == 1) {
        out.insert(out.size() - 1, 1, '0');
      }
      digits = 0;
      out += i < text.size() ? "-" : "";
    } else if (c != ' ') {
      return {};
    }
  }
  return out;
}

std::string real_text(double value) {
  if (std::isnan(value)) {
    return "real(nan)";
  }
  if (std::isinf(value)) {
    return value < 0 ? "real(-inf)" : "real(+inf)";
  }
  std::string out;
  append_real(out, value);
  if (out.find_first_of(".e") == std::string::npos) {
    out += ".0";
  }
  return std::signbit(value) ? "real(" + out + ")" : out;
}

// Recursion is bounded: the bytes come from the parser, which limits nesting.
void append_dynamic(DynamicView view, std::string* out) {
  switch (view.tag()) {
    case DynamicTag::kNull:
      *out += "null";
      return;
    case DynamicTag::kFalse:
    case DynamicTag::kTrue:
      *out += view.as_bool() ? "true" : "false";
      return;
    case DynamicTag::kArray:
    case DynamicTag::kBag: {
      *out += view.is_bag() ? "{" : "[";
      bool first = true;
      for (DynamicView::Iterator it(view); it.next(); first = false) {
        *out += first ? "" : ", ";
        if (view.is_bag()) {
          *out += quote_text(it.key()) + ": ";
        }
        append_dynamic(it.value(), out);
      }
      *out += view.is_bag() ? "}" : "]";
      return;
    }
    case DynamicTag::kLong:
    case DynamicTag::kReal:
    case DynamicTag::kString:
    case DynamicTag::kDatetime:
    case DynamicTag::kTimespan:
      *out += literal_text(value_from_dynamic(view));
  }
}

}  // namespace

std::string decode_string(std::string_view content) {
  std::string out;
  out.reserve(content.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (content[i] != '\\' || i + 1 == content.size()) {
      out += content[i];
      continue;
    }
    const std::size_t taken = append_escape(content.substr(i + 1), &out);
    if (taken == 0) {
      out += '\\';
    }
    i += taken;
  }
  return out;
}

std::string decode_raw_string(std::string_view content, char quote) {
  std::string out;
  out.reserve(content.size());
  for (std::size_t i = 0; i < content.size(); ++i) {
    out += content[i];
    if (content[i] == quote && i + 1 < content.size() && content[i + 1] == quote) {
      ++i;
    }
  }
  return out;
}

std::optional<std::int64_t> parse_hex(std::string_view digits) {
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, 16);
  if (digits.empty() || parsed.ec != std::errc() || parsed.ptr != end || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<Value> parse_typed_literal(std::string_view type, std::string_view raw,
                                         std::int64_t now_ns) {
  std::string_view text = trimmed(raw);
  const Type target = type_from_name(type).value_or(Type::kNull);
  if (text == "null") {
    return Value::null(target);
  }
  const bool quoted = text.size() >= 2 && (text.front() == '"' || text.front() == '\'') &&
                      text.back() == text.front();
  if (quoted) {
    text = trimmed(text.substr(1, text.size() - 2));
  }
  switch (target) {
    case Type::kDatetime: {
      if (text.empty() && !quoted) {
        return Value::datetime(now_ns);
      }
      auto ns = parse_datetime_literal(text, now_ns);
      if (!ns && !quoted) {
        ns = parse_datetime_literal(joined_date(text), now_ns);
      }
      return ns ? std::optional(Value::datetime(*ns)) : std::nullopt;
    }
    case Type::kTimespan:
      return parse_span(text);
    case Type::kLong:
      return quoted ? std::nullopt : parse_long(text);
    case Type::kReal: {
      const auto value = quoted ? std::nullopt : parse_real(text);
      // Infinity is written as a word.
      const bool too_large = value && std::isinf(*value) && std::ranges::any_of(text, is_digit);
      return value && !too_large ? std::optional(Value::real(*value)) : std::nullopt;
    }
    case Type::kBool:
      return parse_bool(text);
    case Type::kString:
      return Value::string(std::string(text));
    case Type::kNull:
    case Type::kDynamic:
      break;
  }
  return std::nullopt;
}

namespace {

std::string_view without_quotes(std::string_view raw) {
  raw = trimmed(raw);
  const bool quoted =
      raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front();
  return quoted ? raw.substr(1, raw.size() - 2) : raw;
}

// Whether the text would be a literal nearer to the present, or shorter.
bool is_beyond_range(std::string_view type, std::string_view raw) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::size_t kYearDigits = 4;
  constexpr std::string_view kYearFirst = "1677";  // both in part
  constexpr std::string_view kYearLast = "2262";
  constexpr std::size_t kLongSpanDigits = 6;  // so many days are too many
  const std::size_t first = raw.find_first_of(kDigits);
  if (first == std::string_view::npos) {
    return false;
  }
  const std::size_t digits = std::min(raw.find_first_not_of(kDigits, first), raw.size()) - first;
  const bool is_date = type.starts_with("date");
  if (is_date ? digits != kYearDigits : !type.starts_with("time") || digits < kLongSpanDigits) {
    return false;
  }
  const std::string_view year = raw.substr(first, digits);
  if (is_date && year > kYearFirst && year < kYearLast) {
    return false;
  }
  std::string nearer(raw);
  nearer.replace(first, digits, is_date ? "2000" : "1");
  return parse_typed_literal(type, nearer, 0).has_value();
}

}  // namespace

bool shows_nothing(char32_t point) {
  return (point >= 0x200B && point <= 0x200F) || point == 0x2060 || point == 0xFEFF;
}

std::string literal_hint(std::string_view type, std::string_view raw) {
  for (std::size_t at = 0; at < raw.size();) {
    const bool ascii = static_cast<unsigned char>(raw[at]) < 0x80U;
    const char32_t point = next_code_point(raw, at);
    if (!ascii && (is_space(point) || shows_nothing(point))) {
      constexpr char32_t kNoBreak = 0xA0;
      constexpr char32_t kNarrowNoBreak = 0x202F;
      const bool no_break = point == kNoBreak || point == kNarrowNoBreak;
      return "there is " +
             std::string(no_break               ? "a no-break space"
                         : shows_nothing(point) ? "a character that shows nothing"
                                                : "a special space") +
             " in it; type it anew";
    }
  }
  if (type.starts_with("date") &&
      parse_logged_datetime(without_quotes(raw), DateOrder::kDayFirst).has_value()) {
    return "the month comes before the day, or the year before both: 2024-12-31";
  }
  if (!is_beyond_range(type, raw)) {
    return {};
  }
  return type.starts_with("date") ? "datetimes reach from 1677-09-21 to 2262-04-11"
                                  : std::string(diag::kTimespanRangeHint);
}

std::string escaped_quote_hint(std::string_view literal) {
  const char quote = literal.empty() ? '\0' : literal[0];
  if (quote != '\'' && quote != '"') {
    return {};
  }
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    if (literal[i] != '\\') {
      continue;
    }
    ++i;
    if (literal[i] == quote) {
      // An apostrophe within a word, or a quotation that begins, was meant.
      const std::size_t after = i + 1;
      const bool looks_closed =
          after == literal.size() ||
          std::string_view(" \t\r\n),]").find(literal[after]) != std::string_view::npos;
      return looks_closed ? std::string(
                                "the backslash before the quote keeps the text open: "
                                "write @") +
                                quote + "…" + quote + " for a text with backslashes, or \\\\"
                          : std::string();
    }
  }
  return {};
}

Error explain_quote(Error error, std::string_view text, std::span<const Token> tokens) {
  const Span at = error.span.value_or(Span{});
  std::string hint = escaped_quote_hint(text.substr(at.begin, at.end - at.begin));
  const auto string = std::find_if(tokens.rbegin(), tokens.rend(), [](const Token& token) {
    return token.kind == TokenKind::kString;
  });
  if (hint.empty() && string != tokens.rend() &&
      text.substr(string->span.end, at.begin - string->span.end).find('\n') ==
          std::string_view::npos) {
    hint =
        escaped_quote_hint(text.substr(string->span.begin, string->span.end - string->span.begin));
  }
  if (!hint.empty()) {
    error.hint = std::move(hint);
  }
  return error;
}

std::string literal_text(const Value& value) {
  if (value.is_null()) {
    return value.type() == Type::kNull ? "null" : std::string(type_name(value.type())) + "(null)";
  }
  switch (value.type()) {
    case Type::kNull:
      return "null";
    case Type::kBool:
      return value.as_bool() ? "true" : "false";
    case Type::kLong: {
      const std::string digits = std::to_string(value.as_integer());
      return value.as_integer() < 0 ? "long(" + digits + ")" : digits;
    }
    case Type::kReal:
      return real_text(value.as_real());
    case Type::kString:
      return quote_text(value.as_text());
    case Type::kDatetime:
      return "datetime(" + instant_text(value.as_integer()) + ")";
    case Type::kTimespan: {
      std::string text;
      append_duration(text, value.as_integer());
      return "timespan('" + text + "')";
    }
    case Type::kDynamic: {
      std::string out = "dynamic(";
      append_dynamic(DynamicView(value.as_text()), &out);
      return out + ")";
    }
  }
  return "null";
}

}  // namespace evq::syntax
