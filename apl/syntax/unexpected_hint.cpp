// What to write instead, where a token does not fit and no habit of another language explains it:
// told by the token, by what stands before it, and by what the grammar wanted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/habits.h"
#include "apl/syntax/literal.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/timespan.h"

namespace evq::syntax {

namespace {

bool is_membership(const Token& token) {
  constexpr std::array<std::string_view, 6> kWords = {"in",         "in~",     "has_any",
                                                      "has_any_cs", "has_all", "has_all_cs"};
  std::string_view word = token.text;
  word.remove_prefix(word.starts_with('!') ? 1 : 0);
  for (const std::string_view known : kWords) {
    if (token.kind == TokenKind::kName && word == known) {
      return true;
    }
  }
  return false;
}

// A shorter word is near too many operators.
constexpr std::size_t kMistypedBytesMin = 5;

bool is_value(const Token& token) {
  return token.kind == TokenKind::kName || token.kind == TokenKind::kString ||
         token.kind == TokenKind::kLiteral;
}

// What follows the last pipe.
const Token& operator_word(const TokenCursor& cursor) {
  std::size_t at = cursor.index();
  while (at > 0 && !cursor.token(at - 1).is_symbol("|")) {
    --at;
  }
  return cursor.token(at);
}

bool is_comparison(const Token& token) {
  constexpr std::array<std::string_view, 8> kSymbols = {"==", "!=", "<",  ">",
                                                        "<=", ">=", "=~", "!~"};
  return token.kind == TokenKind::kSymbol &&
         std::ranges::find(kSymbols, token.text) != kSymbols.end();
}

// web status == 500, web 'refused': what stands behind the dataset without a bar.
std::string missing_operator(const TokenCursor& cursor, const Token& dataset) {
  const Token& token = cursor.peek();
  if (cursor.index() != 1 || dataset.kind != TokenKind::kName) {
    return "";
  }
  const std::string found(cursor.slice(token.span));
  return is_comparison(token) ? "a query begins with a dataset: ['logs'] | where " + dataset.text +
                                    " " + found + " …"
         : token.kind == TokenKind::kString ? "write | search " + found
         : token.kind == TokenKind::kName && is_comparison(cursor.peek(1))
             ? "write | where " + found + " " + cursor.peek(1).text + " …"
             : "";
}

// An address such as 10.0.0.1, whose first part is `first`, up to where its numbers end.
std::string dotted_numbers(const TokenCursor& cursor, const Token& first) {
  std::size_t end = cursor.peek().span.begin;
  for (std::size_t i = 0;
       cursor.peek(i).span.begin == end &&
       (cursor.peek(i).kind == TokenKind::kLiteral || cursor.peek(i).is_symbol("."));
       ++i) {
    end = cursor.peek(i).span.end;
  }
  return std::string(cursor.slice({first.span.begin, end}));
}

bool is_capitalised(std::string_view word) {
  return to_lower(word[0]) != word[0];
}

// The words at the cursor that may all belong to one name, each with a blank before it.
std::string name_after(const TokenCursor& cursor) {
  std::string words;
  for (std::size_t i = 0; cursor.peek(i).kind == TokenKind::kName; ++i) {
    const std::string& word = cursor.peek(i).text;
    if (i > 0 && (is_keyword(word) || is_infix_word(word))) {
      break;
    }
    words += " " + word;
  }
  return words;
}

// sort by x dsc: the direction that is meant; empty where none can stand.
std::string near_direction(const TokenCursor& cursor) {
  constexpr std::size_t kBytesMin = 3;
  constexpr std::array<std::string_view, 2> kDirections = {"desc", "asc"};
  const Token& word = operator_word(cursor);
  const std::string token = ascii_lower(cursor.peek().text);
  if (token.size() < kBytesMin ||
      !(word.is_word("sort") || word.is_word("order") || word.is_word("top"))) {
    return "";
  }
  for (const std::string_view& direction : kDirections) {
    if (token == direction) {
      return "";  // not where it stands
    }
    if (token.starts_with(direction) ||
        (token[0] == direction[0] && !diag::did_you_mean(token, {&direction, 1}).empty())) {
      return "write " + std::string(direction);
    }
  }
  return "";
}

// summarize count() every 1h, per user, by _time span 1h; and 1h ago: words of English between two
// values.
std::string word_between(const TokenCursor& cursor, const Token& last) {
  const Token& token = cursor.peek();
  const Token& next = cursor.peek(1);
  if (token.is_word("ago") && last.kind == TokenKind::kLiteral) {
    return "write ago(" + std::string(cursor.slice(last.span)) + ")";
  }
  constexpr std::array<std::string_view, 5> kPer = {"every", "each", "over", "per", "span"};
  if (token.kind != TokenKind::kName || std::ranges::find(kPer, token.text) == kPer.end() ||
      !operator_word(cursor).is_word("summarize")) {
    return "";
  }
  const std::string found(cursor.slice(next.span));
  return next.kind == TokenKind::kLiteral ? "write by bin(_time, " + found + ")"
         : next.kind == TokenKind::kName  ? "write by " + found
                                          : "";
}

// Between a finished expression and another value something is missing.
std::string missing_between(const TokenCursor& cursor, const Token& last) {
  const Token& token = cursor.peek();
  if (std::string hint = missing_operator(cursor, last); !hint.empty()) {
    return hint;
  }
  if (in_let_statement(cursor) &&
      cursor.slice({last.span.end, token.span.begin}).find('\n') != std::string_view::npos) {
    return "a let statement ends with a semicolon";
  }
  if (last.kind == TokenKind::kLiteral && token.kind == TokenKind::kName &&
      parse_timespan_literal("1" + token.text).has_value()) {
    return "write the number and its unit without a blank: " +
           std::string(cursor.slice(last.span)) + token.text;
  }
  if (std::string hint = word_between(cursor, last); !hint.empty()) {
    return hint;
  }
  if (token.is_word("is") && is_value(cursor.peek(1))) {
    return "write ==";
  }
  if (last.is_word("function") || last.is_word("create")) {
    return "a function is written let f = (x:long) { x + 1 };";
  }
  if (last.is_symbol("*") && cursor.index() > 1 &&
      cursor.token(cursor.index() - 2).is_symbol("*")) {
    return "write pow(a, b)";
  }
  if (last.kind == TokenKind::kName && token.kind == TokenKind::kName) {
    if (cursor.peek(1).is_symbol("=") && is_infix_word(token.text)) {
      return "a field of that name is written ['" + token.text + "']";
    }
    if (cursor.peek(1).is_symbol("=") && token.is_word("span") &&
        operator_word(cursor).is_word("summarize")) {
      return "bins of a time are written bin(" + last.text + ", 1h)";
    }
    const std::string both = last.text + " " + token.text;
    if (cursor.index() == 1 || cursor.peek(1).is_symbol("=")) {
      return "a name with a blank is written ['" + both + "']";
    }
    const bool mistyped = !is_capitalised(token.text) && is_value(cursor.peek(1)) &&
                          token.text.size() >= kMistypedBytesMin;
    if (std::string near = mistyped ? diag::did_you_mean(token.text, infix_words()) : "";
        !near.empty()) {
      return near;
    }
    if (is_capitalised(last.text) || is_capitalised(token.text)) {
      return "a name with a blank is written ['" + last.text + name_after(cursor) +
             "']; between two, a comma or an operator is missing";
    }
    const bool asks = last.text.starts_with("is") && last.text.size() > 2;  // isnull, isempty, …
    if (asks || operator_word(cursor).is_word("summarize")) {
      return "a comma or an operator is missing before it; a call is written " + last.text + "(" +
             token.text + ")";
    }
  }
  const bool ended = is_value(last) || last.is_symbol(")") || last.is_symbol("]");
  if (ended && token.kind == TokenKind::kName) {
    if (std::string direction = near_direction(cursor); !direction.empty()) {
      return direction;
    }
  }
  if (ended && token.kind == TokenKind::kName && token.text.size() >= kMistypedBytesMin) {
    if (std::string near = diag::did_you_mean(token.text, infix_words()); !near.empty()) {
      return near;
    }
  }
  return ended ? "a comma or an operator is missing before it" : "";
}

// A comma in an operator that takes one thing only.
std::string comma_hint(const TokenCursor& cursor) {
  if (cursor.token(cursor.index() - 1).kind == TokenKind::kLiteral &&
      cursor.peek(1).kind == TokenKind::kLiteral && cursor.joined() && cursor.joined(1)) {
    return "numbers are written without commas";
  }
  const Token& word = operator_word(cursor);
  if (cursor.index() == 1 && cursor.peek(1).kind == TokenKind::kName) {
    return "several datasets are one with union " + word.text + ", " + cursor.peek(1).text;
  }
  if (word.is_word("where") || word.is_word("filter")) {
    return "join conditions with and, or with or";
  }
  if (word.is_word("let")) {
    return "each name has a let of its own: let a = 1; let b = 2;";
  }
  return word.is_word("limit") || word.is_word("take")
             ? "there is no offset: sort, and narrow with where"
             : "";
}

// project away: what the dash of an operator's name should stand before.
bool is_projection(const Token& token) {
  return token.is_word("away") || token.is_word("keep") || token.is_word("rename") ||
         token.is_word("reorder");
}

// field == (1, 2), field contains ('a', 'b'): the comma.
std::string list_hint(const TokenCursor& cursor) {
  const std::size_t at = cursor.index();
  const bool words =
      at > 2 && cursor.token(at - 2).is_symbol("(") &&
      (cursor.token(at - 3).is_word("contains") || cursor.token(at - 3).is_word("has"));
  return words ? "one of several words is asked for by has_any ('a', 'b')"
               : "a list of values stands behind in: field in (1, 2)";
}

// field in 1, 2: the list behind such an operator.
std::string parentheses_hint(const Token& membership) {
  const bool words = membership.text.find("has_") != std::string::npos;
  return "a list of values stands in parentheses: " +
         (words ? membership.text + " ('a', 'b')" : "in (1, 2)");
}

// Where a list, an array or a bag begins or goes on.
std::string hint_for_list(const TokenCursor& cursor, std::string_view expected, const Token& last,
                          const Token& second_last) {
  const Token& token = cursor.peek();
  if (token.is_symbol("[")) {
    return is_membership(last)       ? parentheses_hint(last)
           : expected == "a dataset" ? "a dataset's name is quoted as ['logs']"
                                     : "an array is written dynamic([1, 2])";
  }
  if (token.is_symbol("{")) {
    return is_membership(last) ? parentheses_hint(last) : "a bag is written dynamic({'a': 1})";
  }
  if (token.is_symbol(",")) {
    return is_membership(second_last)    ? parentheses_hint(second_last)
           : expected == "'..'"          ? "write between (low .. high)"
           : expected.starts_with("'|'") ? comma_hint(cursor)
           : expected == "')'"           ? list_hint(cursor)
           : expected == "':'"           ? "a name is followed by its type: (x:long)"
                                         : "";
  }
  return "";
}

std::string hint_for_symbol(const TokenCursor& cursor, std::string_view expected, const Token& last,
                            const Token& second_last) {
  const Token& token = cursor.peek();
  if (token.is_symbol("[") || token.is_symbol("{") || token.is_symbol(",")) {
    return hint_for_list(cursor, expected, last, second_last);
  }
  if (is_comparison(token) && (last.is_word("and") || last.is_word("or"))) {
    return "name the field again: a > 1 and a < 2, or a between (1 .. 2)";
  }
  if (std::string hint = missing_operator(cursor, last); !hint.empty()) {
    return hint;
  }
  if (token.is_symbol("*") && expected == "a type") {
    return "programs in Python or R do not run here: write the expressions of a query";
  }
  if (token.is_symbol("*") && expected == "a column") {
    return "the star comes first: (*, name:type)";
  }
  if (token.is_symbol("..") && expected.starts_with("','")) {
    return "a range stands after between: between (low .. high)";
  }
  if (token.is_symbol("(") && (last.is_word("count") || last.is_word("getschema"))) {
    return "as an operator it takes no parentheses: | " + last.text;
  }
  if (token.is_symbol("(") && second_last.is_symbol(".")) {
    return "APL has no methods: write " + last.text + "(…), or an operator such as contains";
  }
  if (last.is_word("count") && second_last.is_symbol("|") && expected.starts_with("'|'")) {
    return "count gives a field: | count | where Count > 1";
  }
  if (token.is_symbol("=>") && expected.starts_with("'|'")) {
    return "write >= to compare; a name gets its value by =: name = expression";
  }
  if (token.is_symbol(":") && expected.starts_with("'|'")) {
    return "a name gets its value by =: name = expression";
  }
  if (token.is_symbol("|") && expected == "a dataset") {
    return last.is_symbol(";") ? "remove the semicolon before it"
                               : "a query begins with a dataset: ['logs'] | …";
  }
  if (token.is_symbol("=") && last.is_word("let")) {
    return "write let name = value;";
  }
  if (token.is_symbol("==") && expected == "'='") {
    return "a name gets its value by =";
  }
  if ((token.is_symbol("(") && expected == "'='") ||
      (token.is_symbol(":") && expected == "')'" && in_let_statement(cursor))) {
    return "a function is written let f = (x:long) { x + 1 };";
  }
  if (token.is_symbol(")") && expected == "':'") {
    return "a name is followed by its type: (x:long)";
  }
  if (token.is_symbol("|") && last.is_symbol("|")) {
    return "remove one of the pipes";
  }
  if (token.is_symbol("|") && last.is_symbol(",")) {
    return "remove the comma before it";
  }
  if (token.is_symbol("-") && expected == "'by'") {
    return "the direction stands behind the field: sort by field desc";
  }
  if (token.is_symbol(">") && last.is_symbol("-") && second_last.kind == TokenKind::kName) {
    return "a key stands behind a dot: " + second_last.text + "." + cursor.peek(1).text;
  }
  const Token& next = cursor.peek(1);
  if (token.is_symbol(".") && next.kind == TokenKind::kLiteral && cursor.joined(1)) {
    return "a number begins with a digit: 0." + std::string(cursor.slice(next.span));
  }
  return "";
}

std::string hint_for_by(const TokenCursor& cursor, std::string_view expected, const Token& last,
                        const Token& second_last) {
  if (last.is_word("top")) {
    return "the number of rows stands first: top 10 by field";
  }
  if (second_last.is_word("limit") || second_last.is_word("take")) {
    return "write | top 10 by field";
  }
  if (last.is_word("limit") || last.is_word("take")) {
    return "write the number of rows alone: | take 10";
  }
  if (second_last.is_word("sample")) {
    return "each group on its own: | partition by field (sample 10)";
  }
  return operator_word(cursor).is_word("top") && expected.starts_with("'|'")
             ? "write | summarize n = count() by field | top 10 by n"
             : "";
}

std::string hint_for_word(const TokenCursor& cursor, std::string_view expected, const Token& last,
                          const Token& second_last) {
  const Token& token = cursor.peek();
  const bool begins_statement =
      token.is_word("let") || token.is_word("set") || token.is_word("declare");
  if (begins_statement && expected.ends_with("the end of the query") &&
      cursor.peek(1).kind == TokenKind::kName && !in_let_statement(cursor)) {
    return source_word_hint(token.text);
  }
  if ((last.is_word("desc") || last.is_word("asc")) && !token.is_word("desc") &&
      !token.is_word("asc")) {
    return "the direction stands behind its field: " + token.text + " " + last.text;
  }
  if (last.is_word("count") && second_last.is_symbol("|")) {
    return "write | summarize count() by field";
  }
  if (token.is_word("by") && expected.starts_with("'on'")) {
    return "the axis comes first: make-series count() on _time step 1h by field";
  }
  if (last.is_word("by") && operator_word(cursor).is_word("render")) {
    return "write render timechart with (series=field)";
  }
  if (expected.starts_with("'with'")) {
    return "write parse field with 'text' name";
  }
  if (token.is_word("by") && last.is_symbol(",")) {
    const Token& next = cursor.peek(1);
    const bool alone = next.kind == TokenKind::kEnd || next.is_symbol("|") || next.is_symbol(",") ||
                       next.is_symbol(")");
    return alone ? "a field of that name is written ['by']" : "remove the comma before 'by'";
  }
  if (expected == "'by'") {
    return "write 'by' before '" + std::string(cursor.slice(token.span)) + "'";
  }
  if (expected == "a key after '.'" && second_last.kind == TokenKind::kLiteral) {
    return "a text needs quotes: '" + dotted_numbers(cursor, second_last) + "'";
  }
  if (expected == "a key after '.'" && token.kind == TokenKind::kLiteral) {
    return "an element of an array is written [" + std::string(cursor.slice(token.span)) + "]";
  }
  if (expected == "'='" && second_last.is_word("let")) {
    return "write let " + last.text + " = value;";
  }
  if (last.is_word("distinct") && second_last.is_symbol("(")) {
    return "different values are counted by dcount(field)";
  }
  if (second_last.is_word("project") && is_projection(last)) {
    return "the operator is written project-" + last.text;
  }
  if (expected == "a dataset") {
    return last.is_symbol("=") ? "a let statement ends with a semicolon"
           : token.kind == TokenKind::kString
               ? "a dataset's name is quoted as ['" + token.text + "']"
               : "begin with a dataset, ['logs'], or with print";
  }
  return expected.starts_with("'|'") || expected.starts_with("','") ? missing_between(cursor, last)
                                                                    : "";
}

}  // namespace

std::string operator_name_hint(const TokenCursor& cursor, const std::string& name) {
  if (std::string hint = source_word_hint(name); !hint.empty()) {
    return hint;
  }
  if (const std::string_view instead = foreign_function_hint(name); instead.starts_with('|')) {
    return "write " + std::string(instead);
  }
  const Token& token = cursor.peek();
  if (is_infix_word(name)) {
    return "write | where field " + name + " …";
  }
  if (is_comparison(token) || (token.kind == TokenKind::kName && is_infix_word(token.text))) {
    return "write | where " + name + " " + token.text + " …";
  }
  return token.is_symbol("(") ? "a call stands in an operator: | summarize " + name +
                                    "(…), or | extend x = " + name + "(…)"
                              : "";
}

std::string unexpected_hint(const TokenCursor& cursor, std::string_view expected) {
  static const Token kNone;
  const std::size_t at = cursor.index();
  const Token& token = cursor.peek();
  const Token& last = at > 0 ? cursor.token(at - 1) : kNone;
  const Token& second_last = at > 1 ? cursor.token(at - 2) : kNone;
  if (last.kind == TokenKind::kString) {
    if (std::string hint = escaped_quote_hint(cursor.slice(last.span)); !hint.empty()) {
      return hint;
    }
  }
  if (expected.starts_with("'|'") && cursor.after_blank_line() &&
      (token.kind == TokenKind::kName || cursor.at_quoted_name())) {
    return std::string(diag::kOneByOneHint);
  }
  if ((expected.starts_with("'|'") || expected.starts_with("','")) && cursor.at_next_query()) {
    return std::string(diag::kNextLineHint);
  }
  if (last.is_word("between") || last.is_word("!between") || expected == "'..'") {
    return "write between (low .. high)";
  }
  if (expected == "'on' and the key fields") {
    return token.kind == TokenKind::kEnd ? "the key stands at the end: on field"
                                         : "the key stands behind the table: on field";
  }
  if (last.is_symbol("%") && !is_value(token)) {
    return "% is what a division leaves, and nothing is counted in percent: write 0.5 for 50%";
  }
  if (second_last.is_word("distinct") && last.is_word("on")) {
    return "write | distinct field, or | summarize arg_max(_time, *) by field";
  }
  if (expected == "'='" && operator_word(cursor).is_word("fork")) {
    return "each branch stands in parentheses: fork (count) (take 10)";
  }
  if (token.kind == TokenKind::kEnd) {
    return expected == "'by'" ? "say by what: by field" : "";
  }
  if (expected == "a key after '.'" && token.is_symbol("*")) {
    return "* stands for names in lists of fields: project-keep field.*, project-away field.*";
  }
  if (token.kind == TokenKind::kSymbol) {
    return hint_for_symbol(cursor, expected, last, second_last);
  }
  if (token.is_word("by")) {
    if (std::string hint = hint_for_by(cursor, expected, last, second_last); !hint.empty()) {
      return hint;
    }
  }
  return hint_for_word(cursor, expected, last, second_last);
}

}  // namespace evq::syntax
