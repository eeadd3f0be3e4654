#include "apl/syntax/habits.h"

#include <algorithm>
#include <string>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/words.h"

namespace evq::syntax {

namespace {

struct Habit {
  std::string_view word;
  std::string_view language;
  std::string_view hint;
};

constexpr Habit kOperatorHabits[] = {
    {"select", "SQL", "write | project a, b to choose fields"},
    {"from", "SQL", "begin the query with the dataset: ['logs'] | …"},
    {"group", "SQL", "write | summarize count() by field"},
    {"groupby", "SQL", "write | summarize count() by field"},
    {"having", "SQL", "write | where after summarize"},
    {"offset", "SQL", "narrow the time range, or use row_number() after serialize"},
    {"stats", "Splunk", "write | summarize count() by field"},
    {"timechart", "Splunk", "write | summarize count() by bin(_time, 5m)"},
    {"chart", "Splunk", "write | summarize count() by field"},
    {"eval", "Splunk", "write | extend name = expression"},
    {"table", "Splunk", "write | project a, b"},
    {"fields", "Splunk", "write | project a, b, or project-away to drop fields"},
    {"rename", "Splunk", "write | project-rename new = old"},
    {"dedup", "Splunk", "write | distinct a, b, or summarize arg_max(_time, *) by a"},
    {"head", "Splunk", "write | limit 10"},
    {"tail", "Splunk", "write | sort by _time asc | limit 10"},
    {"rex", "Splunk",
     "write | parse kind=regex field with …, or extend x = extract(regex, 1, field)"},
    {"regex", "Splunk", "write | where field matches regex '…'"},
    {"spath", "Splunk", "write | extend x = parse_json(field).key"},
    {"fillnull", "Splunk", "write | extend a = coalesce(a, 0)"},
    {"bucket", "Splunk", "write bin(_time, 5m) after by"},
    {"transaction", "Splunk", "write | summarize min(_time), max(_time) by id"},
    {"rare", "Splunk", "write | summarize n = count() by field | sort by n asc"},
    {"drop", "a pipe language", "write | project-away field"},
    {"keep", "a pipe language", "write | project-keep field"},
    {"grep", "the shell", "write | where field contains 'text', or | search 'text'"},
    {"uniq", "the shell", "write | distinct field"},
    {"wc", "the shell", "write | count"},
};

std::string lowered(std::string_view word) {
  std::string out(word);
  for (char& c : out) {
    c = (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

// AND, Where, SELECT: a word whose lower-case form means something.
bool is_shouted(std::string_view word) {
  return lowered(word) != word;
}

std::optional<Error> habit_of(const Token& token) {
  const std::string word = lowered(token.text);
  for (const Habit& habit : kOperatorHabits) {
    if (habit.word == word) {
      return diag::foreign_operator(token.span, token.text, habit.language, habit.hint);
    }
  }
  return std::nullopt;
}

std::optional<Error> symbol_habit(const Token& token) {
  if (token.text == "&&" || token.text == "&") {
    return diag::foreign_symbol(token.span, token.text, "and");
  }
  if (token.text == "||") {
    return diag::foreign_symbol(token.span, token.text, "or");
  }
  if (token.text == "!") {
    return diag::foreign_symbol(token.span, token.text, "not(…)");
  }
  if (token.text == "=") {
    return diag::single_equals(token.span);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> operator_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  if (is_shouted(token.text) && find_operator(lowered(token.text)) != nullptr) {
    return diag::upper_case_keyword(token.span, token.text);
  }
  return habit_of(token);
}

std::optional<Error> source_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const Token& next = cursor.peek(1);
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  const bool stands_alone = next.kind == TokenKind::kEnd || next.is_symbol("|") ||
                            next.is_symbol(";") || next.is_symbol(")") || next.is_symbol(",");
  if (stands_alone) {
    return std::nullopt;
  }
  const std::string word = lowered(token.text);
  if (word == "select") {
    return diag::foreign_operator(token.span, token.text, "SQL",
                                  "begin with the dataset: ['logs'] | where … | project a, b");
  }
  if (word == "from") {
    return diag::foreign_operator(token.span, token.text, "SQL",
                                  "begin with the dataset itself: ['logs'] | …");
  }
  if (next.is_symbol("=") && (word == "index" || word == "source" || word == "sourcetype")) {
    return diag::foreign_operator(token.span, token.text, "Splunk",
                                  "begin with the dataset: ['logs'] | where …");
  }
  return std::nullopt;
}

std::optional<Error> expression_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kSymbol) {
    return symbol_habit(token);
  }
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  const std::string word = lowered(token.text);
  if (word == "like" || word == "ilike" || word == "rlike") {
    return diag::like_operator(token.span);
  }
  if (word == "matches" || word == "regexp") {
    return diag::foreign_symbol(token.span, token.text, "matches regex '…'");
  }
  if (word == "is") {
    const bool is_not = lowered(cursor.peek(1).text) == "not";
    if (lowered(cursor.peek(is_not ? 2 : 1).text) == "null") {
      return diag::null_comparison(token.span, is_not);
    }
  }
  if (word == "not" && !cursor.peek(1).is_symbol("(")) {
    const std::string next = lowered(cursor.peek(1).text);
    const bool negates = next == "in" || next == "between" || next == "like" || next == "contains";
    return diag::foreign_symbol(token.span, token.text,
                                negates && next != "like" ? "!" + next : "not(…)");
  }
  const bool grammar_word = is_infix_word(word) || word == "by" || word == "asc" ||
                            word == "desc" || word == "on" || word == "with" || word == "not";
  if (is_shouted(token.text) && grammar_word) {
    return diag::upper_case_keyword(token.span, token.text);
  }
  if (word == "group" && lowered(cursor.peek(1).text) == "by") {
    return diag::foreign_operator(token.span, "group by", "SQL",
                                  "write | summarize count() by field");
  }
  if (find_operator(word) != nullptr || word == "order") {
    return is_shouted(token.text) ? diag::upper_case_keyword(token.span, token.text)
                                  : diag::missing_pipe(token.span, token.text);
  }
  const Token& next = cursor.peek(1);
  if (next.is_symbol("-") && cursor.peek(2).kind == TokenKind::kName) {
    const std::string joined = word + "-" + cursor.peek(2).text;
    if (find_operator(joined) != nullptr) {
      return diag::missing_pipe({token.span.begin, cursor.peek(2).span.end}, joined);
    }
  }
  return habit_of(token);
}

}  // namespace evq::syntax
