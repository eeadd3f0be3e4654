// A hand-written scanner. Every method consumes at least one byte or fails, so lexing is linear.

#include "apl/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/literal.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/base/number.h"
#include "store/base/timespan.h"
#include "store/base/utf8.h"

namespace evq::syntax {

namespace {

// Longest first, so that a prefix never wins.
constexpr std::string_view kSymbols[] = {
    "==", "=~", "=>", "!=", "!~", "<>", "<=", ">=", "..", "&&", "||", "(", ")", "[", "]", "{", "}",
    ",",  ";",  ":",  ".",  "|",  "+",  "-",  "*",  "/",  "%",  "=",  "<", ">", "!", "&", "~", "?"};

constexpr std::string_view kLiteralTypes[] = {"datetime", "date", "timespan", "time",    "long",
                                              "int",      "real", "double",   "bool",    "boolean",
                                              "decimal",  "guid", "uuid",     "uniqueid"};

// Without its sign no long.
constexpr std::string_view kLeastLongDigits = "9223372036854775808";

Token make_token(TokenKind kind, Span span, std::string text = {}) {
  Token token;
  token.kind = kind;
  token.span = span;
  token.text = std::move(text);
  return token;
}

Token make_literal(Span span, Value value) {
  Token token = make_token(TokenKind::kLiteral, span);
  token.value = std::move(value);
  return token;
}

// What is wrong with a number and the word behind it, which together are no timespan.
std::string_view bad_timespan_hint(std::string_view number, bool has_unit) {
  if (!has_unit) {
    return "units of time are w, d, h, m, s, ms, us and ns";
  }
  return number.find_first_of("eE") != std::string_view::npos
             ? "a number with a unit of time has no exponent: 1500ms"
             : diag::kTimespanRangeHint;
}

class Scanner {
 public:
  Scanner(std::string_view text, std::int64_t now_ns) : text_(text), now_ns_(now_ns) {}

  // The next token; kEnd at the end of the text.
  Result<Token> next();

  // Spans of the comments passed so far.
  const std::vector<Span>& comments() const { return comments_; }
  void move_to(std::size_t offset) { at_ = offset; }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Span span_from(std::size_t begin) const { return {begin, at_}; }

  Status skip_blanks();
  std::size_t name_end(std::size_t begin) const;
  bool at_string() const;
  Result<Token> scan_string();
  Result<Token> scan_fenced_string();
  Result<Token> scan_hex();
  Result<Token> scan_number();
  Result<Token> scan_name();
  Result<Token> scan_typed_literal(std::size_t begin, std::string_view type);
  Result<Token> scan_symbol();

  std::string_view text_;
  std::int64_t now_ns_;
  std::size_t at_ = 0;
  std::vector<Span> comments_;
};

Status Scanner::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = peek();
    if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
      ++at_;
      continue;
    }
    if (c == '/' && peek(1) == '/') {
      const std::size_t begin = at_;
      at_ = std::min(text_.find('\n', at_), text_.size());
      comments_.push_back(span_from(begin));
      continue;
    }
    if (c == '/' && peek(1) == '*') {
      return diag::foreign_comment({at_, at_ + 2}, "/*");
    }
    if (c == '-' && peek(1) == '-' && (peek(2) == ' ' || peek(2) == '\n' || peek(2) == '\r')) {
      return diag::foreign_comment({at_, at_ + 2}, "--");
    }
    if (c == '#') {
      return diag::foreign_comment({at_, at_ + 1}, "#");
    }
    if (static_cast<unsigned char>(c) >= 0x80U) {
      std::size_t after = at_;
      const char32_t point = next_code_point(text_, after);
      if (is_space(point) || shows_nothing(point)) {
        at_ = after;
        continue;
      }
    }
    break;
  }
  return Status::success();
}

std::size_t Scanner::name_end(std::size_t begin) const {
  std::size_t end = begin;
  while (end < text_.size()) {
    const char c = text_[end];
    if (is_letter_or_digit(c) || c == '_') {
      ++end;
      continue;
    }
    std::size_t after = end;
    if (static_cast<unsigned char>(c) < 0x80U || !is_alphanumeric(next_code_point(text_, after))) {
      break;
    }
    end = after;
  }
  return end;
}

// A quote, or the prefixes @, h, h@ of one.
bool Scanner::at_string() const {
  std::size_t i = 0;
  if (peek() == 'h' || peek() == 'H') {
    i = 1;
  }
  if (peek(i) == '@') {
    ++i;
  }
  return peek(i) == '"' || peek(i) == '\'';
}

Result<Token> Scanner::scan_string() {
  const std::size_t begin = at_;
  if (peek() == 'h' || peek() == 'H') {
    ++at_;
  }
  const bool raw = peek() == '@';
  at_ += raw ? 1 : 0;
  const char quote = peek();
  const std::size_t body = ++at_;
  while (at_ < text_.size() && peek() != '\n') {
    if (!raw && peek() == '\\' && peek(1) != '\n') {
      at_ = std::min(at_ + 2, text_.size());
      continue;
    }
    if (peek() == quote) {
      if (raw && peek(1) == quote) {
        at_ += 2;
        continue;
      }
      const std::string_view content = text_.substr(body, at_ - body);
      ++at_;
      Token token = make_token(TokenKind::kString, span_from(begin));
      token.text = raw ? decode_raw_string(content, quote) : decode_string(content);
      return token;
    }
    ++at_;
  }
  return diag::unterminated_string(span_from(begin));
}

// ```…``` over several lines; a line end right after the opening belongs to the fence.
Result<Token> Scanner::scan_fenced_string() {
  const std::size_t begin = at_;
  const std::size_t body = at_ + 3;
  const std::size_t close = text_.find("```", body);
  if (close == std::string_view::npos) {
    at_ = text_.size();
    return diag::unterminated_fence({begin, begin + 3});
  }
  at_ = close + 3;
  Token token = make_token(TokenKind::kString, span_from(begin));
  std::string_view content = text_.substr(body, close - body);
  if (content.starts_with("\r\n")) {
    content.remove_prefix(2);
  } else if (content.starts_with('\n')) {
    content.remove_prefix(1);
  }
  token.text = std::string(content);
  return token;
}

Result<Token> Scanner::scan_hex() {
  const std::size_t begin = at_;
  at_ += 2;
  while (hex_digit(peek()) >= 0) {
    ++at_;
  }
  const std::size_t number_end = at_;
  at_ = name_end(at_);
  const std::string_view whole = text_.substr(begin, at_ - begin);
  if (at_ > number_end) {
    return diag::invalid_number(span_from(begin), whole,
                                "the digits after 0x are 0 to 9 and a to f");
  }
  const std::optional<std::int64_t> value = parse_hex(whole.substr(2));
  if (!value) {
    return diag::invalid_number(span_from(begin), whole, diag::kWholeNumberHint);
  }
  return make_literal(span_from(begin), Value::integer(*value));
}

Result<Token> Scanner::scan_number() {
  if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && hex_digit(peek(2)) >= 0) {
    return scan_hex();
  }
  const std::size_t begin = at_;
  bool real = false;
  while (is_digit(peek())) {
    ++at_;
  }
  const bool dot_ends_number =
      peek(1) != '.' && !is_letter(peek(1)) && peek(1) != '_' && peek(1) != '[' && peek(1) != '*';
  if (peek() == '.' && (is_digit(peek(1)) || dot_ends_number)) {
    real = true;
    ++at_;
    while (is_digit(peek())) {
      ++at_;
    }
  }
  const std::size_t sign = (peek(1) == '+' || peek(1) == '-') ? 2 : 1;
  if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign))) {
    real = true;
    at_ += sign;
    while (is_digit(peek())) {
      ++at_;
    }
  }
  const std::size_t number_end = at_;
  at_ = name_end(at_);
  const std::string_view whole = text_.substr(begin, at_ - begin);
  Token token = make_token(TokenKind::kLiteral, span_from(begin));
  if (at_ > number_end) {
    if (const auto ns = parse_timespan_literal(whole)) {
      token.value = Value::timespan(*ns);
      return token;
    }
    const bool has_unit = timespan_unit_ns(whole.substr(number_end - begin)) != 0;
    if (has_unit || real) {
      return diag::invalid_number(token.span, whole,
                                  bad_timespan_hint(whole.substr(0, number_end - begin), has_unit));
    }
    token.kind = TokenKind::kName;  // 2xx and the like may name a field
    token.text = std::string(whole);
    return token;
  }
  if (real) {
    token.value = Value::real(parse_real(whole).value_or(0.0));
    if (std::isinf(token.value.as_real())) {
      return diag::invalid_number(token.span, whole, diag::kRealRangeHint);
    }
    return token;
  }
  const std::optional<std::int64_t> value = parse_int(whole);
  if (!value && whole != kLeastLongDigits) {
    return diag::invalid_number(token.span, whole, diag::kWholeNumberHint);
  }
  token.value = Value::integer(value.value_or(std::numeric_limits<std::int64_t>::min()));
  return token;
}

Result<Token> Scanner::scan_name() {
  const std::size_t begin = at_;
  at_ = name_end(peek() == '$' ? at_ + 1 : at_);
  Token token = make_token(TokenKind::kName, span_from(begin));
  token.text = std::string(text_.substr(begin, at_ - begin));
  if (token.text.size() > kQueryNameBytesMax) {
    return diag::name_too_long(token.span, kQueryNameBytesMax);
  }
  if (token.text == "in" && peek() == '~') {
    ++at_;
    token.text = "in~";
    token.span = span_from(begin);
    return token;
  }
  const bool literal_type = std::find(std::begin(kLiteralTypes), std::end(kLiteralTypes),
                                      token.text) != std::end(kLiteralTypes);
  const std::size_t after = std::min(text_.find_first_not_of(" \t", at_), text_.size());
  // uuid() is a function of SQL.
  const bool is_call = token.text == "uuid" && text_.substr(after).starts_with("()");
  if (literal_type && !is_call && after < text_.size() && text_[after] == '(') {
    at_ = after + 1;
    return scan_typed_literal(begin, token.text);
  }
  return token;
}

// The raw text up to the closing parenthesis; quotes hide one, nested ones are counted.
Result<Token> Scanner::scan_typed_literal(std::size_t begin, std::string_view type) {
  const std::size_t body = at_;
  std::size_t open = 1;
  char quote = '\0';
  for (; at_ < text_.size(); ++at_) {
    const char c = peek();
    if (quote != '\0') {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open == 0) {
      break;
    }
  }
  if (at_ >= text_.size()) {
    return diag::unclosed_bracket({body - 1, body}, '(');
  }
  const std::string_view raw = text_.substr(body, at_ - body);
  ++at_;
  std::optional<Value> value = parse_typed_literal(type, raw, now_ns_);
  if (!value) {
    Error error = diag::invalid_literal(span_from(begin), type, raw);
    if (std::string hint = literal_hint(type, raw); !hint.empty()) {
      error.hint = std::move(hint);
    }
    return error;
  }
  return make_literal(span_from(begin), *std::move(value));
}

Result<Token> Scanner::scan_symbol() {
  const std::size_t begin = at_;
  const std::string_view rest = text_.substr(at_);
  // `!in`, `! has`: one token, whatever blanks stand between.
  if (rest.front() == '!' && !rest.starts_with("!=") && !rest.starts_with("!~")) {
    std::size_t word = at_ + 1;
    while (word < text_.size() && (text_[word] == ' ' || text_[word] == '\t')) {
      ++word;
    }
    const std::size_t end = name_end(word);
    if (end > word && is_infix_word(text_.substr(word, end - word))) {
      Token token = make_token(TokenKind::kName, {});
      token.text = "!" + std::string(text_.substr(word, end - word));
      at_ = end;
      if (token.text == "!in" && peek() == '~') {
        ++at_;
        token.text = "!in~";
      }
      token.span = span_from(begin);
      return token;
    }
  }
  for (const std::string_view symbol : kSymbols) {
    if (rest.starts_with(symbol)) {
      at_ += symbol.size();
      return make_token(TokenKind::kSymbol, span_from(begin), std::string(symbol));
    }
  }
  next_code_point(text_, at_);
  return diag::unexpected_character(span_from(begin), text_.substr(begin));
}

Result<Token> Scanner::next() {
  EVQ_TRY(skip_blanks());
  if (at_ >= text_.size()) {
    return make_token(TokenKind::kEnd, {text_.size(), text_.size()});
  }
  if (at_string()) {
    return scan_string();
  }
  if (text_.substr(at_).starts_with("```")) {
    return scan_fenced_string();
  }
  if (is_digit(peek())) {
    return scan_number();
  }
  const bool dollar_name = peek() == '$' && is_letter(peek(1));
  if (dollar_name || name_end(at_) > at_) {
    return scan_name();
  }
  return scan_symbol();
}

char closing_of(std::string_view open) {
  if (open == "(") {
    return ')';
  }
  return open == "[" ? ']' : '}';
}

bool is_opening(const Token& token) {
  return token.is_symbol("(") || token.is_symbol("[") || token.is_symbol("{");
}

bool is_closing(const Token& token) {
  return token.is_symbol(")") || token.is_symbol("]") || token.is_symbol("}");
}

// Pairs brackets and notes the next delimiter of every token, walking from the right.
Status match_brackets(std::vector<Token>* tokens, bool unfinished) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens->size(); ++i) {
    Token& token = (*tokens)[i];
    if (is_opening(token)) {
      open.push_back(i);
    } else if (is_closing(token)) {
      if (open.empty() || closing_of((*tokens)[open.back()].text) != token.text.front()) {
        return open.empty() ? diag::unmatched_bracket(token.span, token.text.front())
                            : diag::unclosed_bracket((*tokens)[open.back()].span,
                                                     (*tokens)[open.back()].text.front());
      }
      (*tokens)[open.back()].partner = i;
      token.partner = open.back();
      open.pop_back();
    }
  }
  if (!open.empty() && !unfinished) {
    const Token* const token = tokens->data() + open.back();
    // A string that a comma follows or columns precede begins a list, another one is a name.
    const bool open_name = token->is_symbol("[") && (open.back() == 0 || !token[-1].is_symbol(")"));
    if (open_name && token[1].kind == TokenKind::kString && !token[2].is_symbol(",")) {
      return diag::unterminated_name({token->span.begin, token[1].span.end});
    }
    return diag::unclosed_bracket(token->span, token->text.front());
  }
  for (const std::size_t i : open) {
    (*tokens)[i].partner = tokens->size() - 1;
  }
  std::vector<std::size_t> delimiter(open.size() + 1, tokens->size() - 1);
  for (std::size_t i = tokens->size(); i-- > 0;) {
    Token& token = (*tokens)[i];
    if (is_closing(token)) {
      token.next_delimiter = delimiter.back();
      delimiter.push_back(i);
      continue;
    }
    if (is_opening(token)) {
      delimiter.pop_back();
    }
    token.next_delimiter = delimiter.back();
    if (token.is_symbol(",") || token.is_symbol("|") || token.is_symbol(";")) {
      delimiter.back() = i;
    }
  }
  return Status::success();
}

bool ends_value(const Token& token) {
  const bool name = token.kind == TokenKind::kName && !is_keyword(token.text) &&
                    !is_infix_word(token.text) && find_operator(token.text) == nullptr;
  return token.kind == TokenKind::kLiteral || token.kind == TokenKind::kString || name ||
         token.is_symbol(")") || token.is_symbol("]");
}

// The sign before the digits of the least long becomes part of it.
Status join_least_long(std::string_view text, std::vector<Token>* tokens) {
  const Token& number = tokens->back();
  if (number.kind != TokenKind::kLiteral ||
      text.substr(number.span.begin, number.span.end - number.span.begin) != kLeastLongDigits) {
    return Status::success();
  }
  const std::size_t count = tokens->size();
  const bool is_signed = count > 1 && (*tokens)[count - 2].is_symbol("-") &&
                         (*tokens)[count - 2].span.end == number.span.begin &&
                         (count == 2 || !ends_value((*tokens)[count - 3]));
  if (!is_signed) {
    return diag::invalid_number(number.span, kLeastLongDigits, diag::kWholeNumberHint);
  }
  (*tokens)[count - 2] = make_literal({number.span.begin - 1, number.span.end}, number.value);
  tokens->pop_back();
  return Status::success();
}

HighlightKind highlight_kind(const Token& token, const Token* before, char after) {
  switch (token.kind) {
    case TokenKind::kString:
      return HighlightKind::kString;
    case TokenKind::kLiteral:
      return HighlightKind::kNumber;
    case TokenKind::kSymbol:
      return HighlightKind::kSymbol;
    case TokenKind::kEnd:
    case TokenKind::kName:
      break;
  }
  const bool opens_operator = before == nullptr || before->is_symbol("|") ||
                              before->is_symbol("(") || before->is_symbol(";");
  if (opens_operator && find_operator(token.text) != nullptr && after != ')') {
    return HighlightKind::kOperator;
  }
  if (is_keyword(token.text) || is_infix_word(token.text)) {
    return HighlightKind::kKeyword;
  }
  return after == '(' ? HighlightKind::kFunction : HighlightKind::kName;
}

}  // namespace

Result<std::vector<Token>> lex(std::string_view text, std::int64_t now_ns) {
  if (text.size() > kQueryTextBytesMax) {
    return diag::text_too_long(kQueryTextBytesMax);
  }
  if (const std::size_t valid = valid_utf8_prefix(text); valid < text.size()) {
    return diag::invalid_utf8({valid, valid + 1});
  }
  Scanner scanner(text, now_ns);
  std::vector<Token> tokens;
  while (tokens.empty() || tokens.back().kind != TokenKind::kEnd) {
    Result<Token> token = scanner.next();
    if (!token.ok()) {
      return explain_quote(std::move(token).take_error(), text, tokens);
    }
    tokens.push_back(std::move(token).value());
    EVQ_TRY(join_least_long(text, &tokens));
  }
  EVQ_TRY(match_brackets(&tokens, false));
  return tokens;
}

std::vector<Token> lex_unfinished(std::string_view text) {
  std::vector<Token> tokens;
  if (text.size() > kQueryTextBytesMax || valid_utf8_prefix(text) < text.size()) {
    return tokens;
  }
  Scanner scanner(text, 0);
  while (tokens.empty() || tokens.back().kind != TokenKind::kEnd) {
    Result<Token> token = scanner.next();
    if (!token.ok()) {
      return {};
    }
    tokens.push_back(std::move(token).value());
  }
  return match_brackets(&tokens, true).ok() ? tokens : std::vector<Token>{};
}

std::vector<HighlightToken> tokenize(std::string_view text) {
  Scanner scanner(text, 0);
  std::vector<HighlightToken> out;
  std::optional<Token> before;
  for (;;) {
    Result<Token> token = scanner.next();
    if (!token.ok()) {
      const Span bad = token.error().span.value_or(Span{text.size(), text.size()});
      const std::size_t line_end = std::min(text.find('\n', bad.begin), text.size());
      const std::size_t end = std::max(bad.end, line_end);
      out.push_back({HighlightKind::kInvalid, {bad.begin, end}});
      scanner.move_to(end);
      before.reset();
      continue;
    }
    if (token->kind == TokenKind::kEnd) {
      break;
    }
    // mv-expand and the like: one token for the reader, several for the grammar.
    Span span = token->span;
    const bool after_pipe = before && before->is_symbol("|");
    while (after_pipe && token->kind == TokenKind::kName && span.end + 1 < text.size() &&
           text[span.end] == '-' && is_letter(text[span.end + 1])) {
      scanner.move_to(span.end + 1);
      Result<Token> more = scanner.next();
      if (!more.ok() || more->kind != TokenKind::kName) {
        scanner.move_to(span.end);
        break;
      }
      span.end = more->span.end;
      token->text += "-" + more->text;
    }
    const char after = span.end < text.size() ? text[span.end] : '\0';
    out.push_back({highlight_kind(*token, before ? &*before : nullptr, after), span});
    before = std::move(token).value();
  }
  for (const Span& comment : scanner.comments()) {
    out.push_back({HighlightKind::kComment, comment});
  }
  std::stable_sort(out.begin(), out.end(), [](const HighlightToken& a, const HighlightToken& b) {
    return a.span.begin < b.span.begin;
  });
  return out;
}

}  // namespace evq::syntax
