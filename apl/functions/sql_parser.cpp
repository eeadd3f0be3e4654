// The parser keeps one token of lookahead and turns each expression into bytes of its own, so that
// an operator found later can still take it as its first parameter.

#include "apl/functions/sql_parser.h"

#include <algorithm>
#include <array>
#include <vector>

#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"

namespace evq {
namespace {

enum class TokenKind : std::uint8_t { kEnd, kName, kQuotedName, kString, kNumber, kSign, kBad };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;
};

bool starts_name(char c) {
  return is_letter(c) || c == '_';
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) {}

  Token next() {
    while (!rest_.empty() && is_blank(rest_[0])) {
      rest_.remove_prefix(1);
    }
    if (rest_.empty()) {
      return {};
    }
    const char c = rest_[0];
    if (c == '\'') {
      return quoted(c);
    }
    if (quotes_name(c)) {
      return in_parts(quoted(c));
    }
    if (is_digit(c)) {
      return number();
    }
    if (starts_name(c)) {
      return in_parts(name());
    }
    return sign();
  }

 private:
  static bool quotes_name(char c) { return c == '"' || c == '`'; }

  // A name with what follows its point: of the parts any may be in quotes.
  Token in_parts(Token token) {
    while (token.kind != TokenKind::kBad && !rest_.empty()) {
      if (rest_[0] == '.') {  // behind quotes, since a word takes its points
        token.text.push_back('.');
        rest_.remove_prefix(1);
      } else if (token.text.ends_with('.') && quotes_name(rest_[0])) {
        const Token part = quoted(rest_[0]);
        token.text += part.text;
        token.kind = part.kind;
      } else if (token.text.ends_with('.') && starts_name(rest_[0])) {
        token.text += name().text;
      } else if (token.text.ends_with('.') && rest_[0] == '*') {
        token.text += take(TokenKind::kSign, 1).text;
      } else {
        break;
      }
    }
    return token;
  }
  Token take(TokenKind kind, std::size_t size) {
    Token token{kind, std::string(rest_.substr(0, size))};
    rest_.remove_prefix(size);
    return token;
  }
  Token name() {
    const auto belongs = [](char c) { return starts_name(c) || is_digit(c) || c == '.'; };
    std::size_t size = 1;
    while (size < rest_.size() && belongs(rest_[size])) {
      ++size;
    }
    // "t.*": the star belongs to the name.
    if (rest_[size - 1] == '.' && size < rest_.size() && rest_[size] == '*') {
      ++size;
    }
    return take(TokenKind::kName, size);
  }
  // 12, 1.5, 1.5e-3.
  Token number() {
    const auto digits_end = [this](std::size_t from) {
      return std::min(rest_.find_first_not_of("0123456789.", from), rest_.size());
    };
    const std::size_t end = digits_end(0);
    std::size_t exponent = end + 1;
    if (exponent < rest_.size() && (rest_[exponent] == '+' || rest_[exponent] == '-')) {
      ++exponent;
    }
    const bool has_exponent =
        exponent < rest_.size() && to_lower(rest_[end]) == 'e' && is_digit(rest_[exponent]);
    return take(TokenKind::kNumber, has_exponent ? digits_end(exponent) : end);
  }
  Token sign() {
    constexpr std::array<std::string_view, 5> kLong = {"<=", ">=", "<>", "!=", "||"};
    for (const std::string_view sign : kLong) {
      if (rest_.starts_with(sign)) {
        return take(TokenKind::kSign, sign.size());
      }
    }
    constexpr std::string_view kShort = "(),*+-/%<>=;";
    return take(
        kShort.find(rest_[0]) != std::string_view::npos ? TokenKind::kSign : TokenKind::kBad, 1);
  }
  // A doubled quote stands for one.
  Token quoted(char quote) {
    Token token{quote == '\'' ? TokenKind::kString : TokenKind::kQuotedName, {}};
    rest_.remove_prefix(1);
    while (!rest_.empty()) {
      const char c = rest_[0];
      rest_.remove_prefix(1);
      if (c != quote) {
        token.text.push_back(c);
      } else if (!rest_.empty() && rest_[0] == quote) {
        token.text.push_back(c);
        rest_.remove_prefix(1);
      } else {
        return token;
      }
    }
    token.kind = TokenKind::kBad;
    return token;
  }

  std::string_view rest_;
};

// Words that end an expression or name, so they are no aliases.
constexpr std::array<std::string_view, 28> kReserved = {
    "and",    "as", "asc",   "between", "by",    "cross", "desc",  "from",  "full",    "group",
    "having", "in", "inner", "is",      "join",  "left",  "like",  "limit", "natural", "not",
    "offset", "on", "or",    "order",   "right", "union", "using", "where"};

using Bytes = std::string;  // one expression as dynamic bytes
using MaybeBytes = std::optional<Bytes>;

Bytes leaf(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  DynamicBuilder out;
  out.begin_bag();
  for (const auto& [key, value] : fields) {
    out.key(key);
    out.add_string(value);
  }
  out.end_bag();
  return out.take();
}

Bytes node(std::string_view kind, std::string_view name, const std::vector<Bytes>& params) {
  DynamicBuilder out;
  out.begin_bag();
  out.key(kind);
  out.add_string(name);
  out.key("params");
  out.begin_array();
  for (const Bytes& param : params) {
    out.add_encoded(DynamicView(param));
  }
  out.end_array();
  out.end_bag();
  return out.take();
}

Bytes with_field(const Bytes& bag, std::string_view key, DynamicView value) {
  DynamicBuilder out;
  out.begin_bag();
  DynamicView::Iterator each{DynamicView(bag)};
  while (each.next()) {
    out.key(each.key());
    out.add_encoded(each.value());
  }
  out.key(key);
  out.add_encoded(value);
  out.end_bag();
  return out.take();
}

Bytes with_text(const Bytes& bag, std::string_view key, std::string_view text) {
  DynamicBuilder value;
  value.add_string(text);
  return with_field(bag, key, DynamicView(value.bytes()));
}

class Parser {
 public:
  explicit Parser(std::string_view text) : lexer_(text) { advance(); }

  MaybeBytes statement() {
    DynamicBuilder out;
    out.begin_bag();
    if (!take_word("select")) {
      return std::nullopt;
    }
    out.key("statement");
    out.add_string("select");
    if (take_word("distinct")) {
      out.key("distinct");
      out.add_bool(true);
    }
    const bool good = clause(&out, "columns", list([this] { return column(); })) &&
                      (!take_word("from") || clause(&out, "from", tables())) &&
                      (!take_word("where") || clause(&out, "where", expression())) &&
                      (!take_words("group", "by") ||
                       clause(&out, "group", list([this] { return expression(); }))) &&
                      (!take_word("having") || clause(&out, "having", expression())) &&
                      (!take_words("order", "by") ||
                       clause(&out, "order", list([this] { return order_item(); }))) &&
                      (!take_word("limit") || clause(&out, "limit", primary())) &&
                      (!take_word("offset") || clause(&out, "offset", primary()));
    take_sign(";");
    if (!good || token_.kind != TokenKind::kEnd) {
      return std::nullopt;
    }
    out.end_bag();
    return out.take();
  }

 private:
  void advance() { token_ = lexer_.next(); }
  bool is_word(std::string_view word) const {
    return token_.kind == TokenKind::kName && equals_ignoring_ascii_case(token_.text, word);
  }
  bool take_word(std::string_view word) {
    if (!is_word(word)) {
      return false;
    }
    advance();
    return true;
  }
  // False also when only the first is there; no clause begins with it alone.
  bool take_words(std::string_view first, std::string_view second) {
    return take_word(first) && take_word(second);
  }
  bool is_sign(std::string_view sign) const {
    return token_.kind == TokenKind::kSign && token_.text == sign;
  }
  bool take_sign(std::string_view sign) {
    if (!is_sign(sign)) {
      return false;
    }
    advance();
    return true;
  }
  bool is_name() const {
    if (token_.kind == TokenKind::kQuotedName) {
      return true;
    }
    return token_.kind == TokenKind::kName &&
           std::ranges::none_of(kReserved, [this](std::string_view word) { return is_word(word); });
  }
  std::string take_text() {
    std::string text = std::move(token_.text);
    advance();
    return text;
  }

  static bool clause(DynamicBuilder* out, std::string_view key, const MaybeBytes& value) {
    if (value.has_value()) {
      out->key(key);
      out->add_encoded(DynamicView(*value));
    }
    return value.has_value();
  }

  template <class Item>
  MaybeBytes list(const Item& item) {
    DynamicBuilder out;
    out.begin_array();
    do {
      const MaybeBytes bytes = item();
      if (!bytes.has_value()) {
        return std::nullopt;
      }
      out.add_encoded(DynamicView(*bytes));
    } while (take_sign(","));
    out.end_array();
    return out.take();
  }

  MaybeBytes aliased(MaybeBytes item) {
    const bool as = take_word("as");
    if (item.has_value() && is_name()) {
      return with_text(*item, "alias", take_text());
    }
    return as ? std::nullopt : item;
  }

  MaybeBytes column() {
    if (take_sign("*")) {
      return leaf({{"colname", "*"}});
    }
    return aliased(expression());
  }

  MaybeBytes table() {
    if (!is_name()) {
      return std::nullopt;
    }
    return aliased(leaf({{"table", take_text()}}));
  }

  // Tables by commas; each may be joined with others.
  MaybeBytes tables() {
    DynamicBuilder out;
    out.begin_array();
    MaybeBytes item = table();
    while (item.has_value()) {
      out.add_encoded(DynamicView(*item));
      const std::optional<std::string> join = join_kind();
      if (join.has_value()) {
        item = joined_table(*join);
      } else if (take_sign(",")) {
        item = table();
      } else {
        out.end_array();
        return out.take();
      }
    }
    return std::nullopt;
  }

  std::optional<std::string> join_kind() {
    for (const std::string_view kind : {"inner", "left", "right", "full", "cross"}) {
      if (take_word(kind)) {
        take_word("outer");
        return take_word("join") ? std::optional(std::string(kind))
                                 : std::optional<std::string>("");
      }
    }
    return take_word("join") ? std::optional<std::string>("inner") : std::nullopt;
  }

  MaybeBytes joined_table(const std::string& kind) {
    MaybeBytes item = kind.empty() ? std::nullopt : table();
    if (!item.has_value()) {
      return std::nullopt;
    }
    item = with_text(*item, "join", kind);
    if (take_word("on")) {
      const MaybeBytes condition = expression();
      return condition.has_value() ? MaybeBytes(with_field(*item, "on", DynamicView(*condition)))
                                   : std::nullopt;
    }
    return item;
  }

  MaybeBytes order_item() {
    const MaybeBytes item = expression();
    if (!item.has_value()) {
      return std::nullopt;
    }
    const bool descending = take_word("desc");
    if (!descending) {
      take_word("asc");
    }
    DynamicBuilder out;
    out.begin_bag();
    out.key("direction");
    out.add_string(descending ? "desc" : "asc");
    out.key("expr");
    out.add_encoded(DynamicView(*item));
    out.end_bag();
    return out.take();
  }

  // ---- expressions, weakest operator first

  MaybeBytes expression() {
    if (depth_ >= kSqlDepthMax) {
      return std::nullopt;
    }
    ++depth_;
    MaybeBytes result =
        chain({"or"}, [this] { return chain({"and"}, [this] { return negation(); }); });
    --depth_;
    return result;
  }

  // Operands joined by any of the operators, to the left. Each step wraps the left side once more,
  // so the number of steps is bounded like depth is.
  template <class Operand>
  MaybeBytes chain(std::initializer_list<std::string_view> operators, const Operand& operand) {
    MaybeBytes left = operand();
    for (std::size_t steps = 0; left.has_value(); ++steps) {
      const auto found = std::ranges::find_if(
          operators, [this](std::string_view op) { return is_word(op) || is_sign(op); });
      if (found == operators.end()) {
        return left;
      }
      advance();
      const MaybeBytes right = operand();
      if (!right.has_value() || steps >= kSqlDepthMax) {
        return std::nullopt;
      }
      left = node("operator", *found, {*left, *right});
    }
    return left;
  }

  MaybeBytes negation() {
    if (!take_word("not")) {
      return comparison();
    }
    const MaybeBytes operand = depth_ < kSqlDepthMax ? nested_negation() : std::nullopt;
    return operand.has_value() ? MaybeBytes(node("operator", "not", {*operand})) : std::nullopt;
  }
  MaybeBytes nested_negation() {
    ++depth_;
    MaybeBytes operand = negation();
    --depth_;
    return operand;
  }

  MaybeBytes sum() {
    return chain({"+", "-", "||"}, [this] {
      return chain({"*", "/", "%"}, [this] { return primary(); });
    });
  }

  MaybeBytes comparison() {
    const MaybeBytes left = sum();
    if (!left.has_value()) {
      return std::nullopt;
    }
    for (const std::string_view op : {"=", "<=", ">=", "<>", "!=", "<", ">"}) {
      if (take_sign(op)) {
        return with_right(op, *left, sum());
      }
    }
    if (take_word("is")) {
      const bool negated = take_word("not");
      return take_word("null")
                 ? MaybeBytes(node("operator", negated ? "is not null" : "is null", {*left}))
                 : std::nullopt;
    }
    const std::string prefix = take_word("not") ? "not " : "";
    if (take_word("like")) {
      return with_right(prefix + "like", *left, sum());
    }
    if (take_word("in")) {
      return in_list(prefix + "in", *left);
    }
    if (take_word("between")) {
      const MaybeBytes low = sum();
      const MaybeBytes high = take_word("and") ? sum() : std::nullopt;
      return low.has_value() && high.has_value()
                 ? MaybeBytes(node("operator", prefix + "between", {*left, *low, *high}))
                 : std::nullopt;
    }
    return prefix.empty() ? MaybeBytes(left) : std::nullopt;
  }

  static MaybeBytes with_right(std::string_view op, const Bytes& left, const MaybeBytes& right) {
    return right.has_value() ? MaybeBytes(node("operator", op, {left, *right})) : std::nullopt;
  }

  MaybeBytes in_list(std::string_view op, const Bytes& left) {
    std::vector<Bytes> params = {left};
    return take_sign("(") && arguments(&params) ? MaybeBytes(node("operator", op, params))
                                                : std::nullopt;
  }

  // Expressions up to the closing parenthesis.
  bool arguments(std::vector<Bytes>* params) {
    do {
      MaybeBytes item = take_sign("*") ? leaf({{"colname", "*"}}) : expression();
      if (!item.has_value()) {
        return false;
      }
      params->push_back(*std::move(item));
    } while (take_sign(","));
    return take_sign(")");
  }

  MaybeBytes primary() {
    if (token_.kind == TokenKind::kNumber || is_sign("-")) {
      const std::string sign = take_sign("-") ? "-" : "";
      if (token_.kind != TokenKind::kNumber) {
        return std::nullopt;
      }
      const std::string number = sign + take_text();
      const bool whole = number.find_first_of(".eE") == std::string::npos;
      return leaf({{"value", number}, {"valtype", whole ? "integer" : "float"}});
    }
    if (token_.kind == TokenKind::kString) {
      return leaf({{"value", take_text()}, {"valtype", "string"}});
    }
    if (take_sign("(")) {
      MaybeBytes inner = expression();
      return take_sign(")") ? inner : std::nullopt;
    }
    return is_name() ? name_or_call() : std::nullopt;
  }

  MaybeBytes name_or_call() {
    const bool quoted = token_.kind == TokenKind::kQuotedName;
    const std::string name = take_text();
    const std::string lower = ascii_lower(name);
    if (!quoted && (lower == "true" || lower == "false")) {
      return leaf({{"value", lower}, {"valtype", "boolean"}});
    }
    if (!quoted && lower == "null") {
      return leaf({{"value", "null"}, {"valtype", "null"}});
    }
    if (quoted || !take_sign("(")) {
      return leaf({{"colname", name}});
    }
    std::vector<Bytes> params;
    if (!take_sign(")") && !arguments(&params)) {
      return std::nullopt;
    }
    return node("function", lower, params);
  }

  Lexer lexer_;
  Token token_;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<std::string> sql_model_from_text(std::string_view text) {
  return text.size() <= kSqlTextBytesMax ? Parser(text).statement() : std::nullopt;
}

bool is_plain_sql_name(std::string_view name) {
  const auto is_part = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  return !name.empty() && !is_digit(name[0]) && std::ranges::all_of(name, is_part) &&
         std::ranges::none_of(kReserved, [name](std::string_view word) {
           return equals_ignoring_ascii_case(name, word);
         });
}

}  // namespace evq
