#include "apl/syntax/habits.h"

#include <algorithm>
#include <string>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/operators.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"

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
    {"first", "SQL", "write | limit 10, after | sort by"},
    {"last", "another dialect", "write | sort by _time desc | limit 10"},
    {"skip", "another dialect", "narrow the time range, or use row_number() after serialize"},
    {"map", "another dialect", "write | extend name = expression"},
    {"project-exclude", "another dialect", "write | project-away field"},
    {"project-drop", "another dialect", "write | project-away field"},
    {"make-graph", "a graph operator of Kusto", "write | join (…) on $left.to == $right.from"},
    {"graph-match", "a graph operator of Kusto", "write | join (…) on $left.to == $right.from"},
    {"graph-to-table", "a graph operator of Kusto", "write | join (…) on $left.to == $right.from"},
    {"macro-expand", "a macro of Kusto", "write union for several datasets"},
    {"tail", "Splunk", "write | sort by _time asc | limit 10"},
    {"rex", "Splunk",
     "write | parse kind=regex field with …, or extend x = extract(regex, 1, field)"},
    {"regex", "Splunk", "write | where field matches regex '…'"},
    {"spath", "Splunk", "write | extend x = parse_json(field).key"},
    {"fillnull", "Splunk", "write | extend a = coalesce(a, 0)"},
    {"bucket", "Splunk", "write bin(_time, 5m) after by"},
    {"transaction", "Splunk", "write | summarize min(_time), max(_time) by id"},
    {"rare", "Splunk", "write | summarize n = count() by field | sort by n asc"},
    {"eventstats", "Splunk", "write | join (… | summarize …) on field"},
    {"streamstats", "Splunk", "write | serialize n = row_cumsum(x), or row_number()"},
    {"makemv", "Splunk", "write | extend parts = split(field, ',')"},
    {"mvcombine", "Splunk", "write | summarize make_list(field) by the other fields"},
    {"append", "Splunk", "write | union (…)"},
    {"inputlookup", "Splunk", "write externaldata (…) [\"file.csv\"], or lookup a dataset"},
    {"drop", "ES|QL", "write | project-away field"},
    {"keep", "ES|QL", "write | project-keep field"},
    {"dissect", "ES|QL", "write | parse field with 'text' name 'text' …"},
    {"grok", "ES|QL", "write | parse field with …, or | parse kind=regex field with …"},
    {"explode", "Spark", "write | mv-expand field"},
    {"unnest", "SQL", "write | mv-expand field"},
    {"flatten", "SQL", "write | mv-expand field"},
    {"left", "SQL", "write | join kind=leftouter (…) on field"},
    {"right", "SQL", "write | join kind=rightouter (…) on field"},
    {"full", "SQL", "write | join kind=fullouter (…) on field"},
    {"inner", "SQL", "write | join kind=inner (…) on field"},
    {"cross", "SQL", "write | extend k = 1 | join (… | extend k = 1) on k"},
    {"orderby", "SQL", "write | sort by field desc"},
    {"order_by", "SQL", "write | sort by field desc"},
    {"sort_by", "SQL", "write | sort by field desc"},
    {"group_by", "SQL", "write | summarize count() by field"},
    {"json", "LogQL", "write | extend d = parse_json(field), then d.key"},
    {"logfmt", "LogQL", "write | parse-kv field as (key:type) with (pair_delimiter=' ', …)"},
    {"line_format", "LogQL", "write | extend line = strcat(a, ' ', b)"},
    {"label_format", "LogQL", "write | project-rename new = old"},
    {"unwrap", "LogQL", "write the field in an aggregation: | summarize avg(field)"},
    {"derive", "PRQL", "write | extend name = expression"},
    {"aggregate", "PRQL", "write | summarize count() by field"},
    {"mutate", "dplyr", "write | extend name = expression"},
    {"arrange", "dplyr", "write | sort by field asc"},
    {"grep", "the shell", "write | where field contains 'text', or | search 'text'"},
    {"unique", "pandas", "write | distinct field"},
    {"value_counts", "pandas", "write | summarize count() by field"},
    {"describe", "pandas", "write | getschema, or | summarize min(x), avg(x), max(x)"},
    {"uniq", "the shell", "write | distinct field"},
    {"wc", "the shell", "write | count"},
    {"expand", "another dialect", "write | mv-expand field"},
    {"plot", "another dialect", "write | render timechart"},
};

// AND, Where, SELECT: a word whose lower-case form means something.
bool is_shouted(std::string_view word) {
  return ascii_lower(word) != word;
}

// The token `back` places before the cursor; the first one for ever.
const Token& before(const TokenCursor& cursor, std::size_t back) {
  return cursor.token(cursor.index() >= back ? cursor.index() - back : 0);
}

// my-field = 5: the span of the name before the cursor when dashes cut it into several.
std::optional<Span> dashed_name(const TokenCursor& cursor) {
  std::size_t first = cursor.index();
  bool dashes = false;
  const auto glued = [&](std::size_t at) {
    return cursor.token(at - 1).span.end == cursor.token(at).span.begin;
  };
  while (first > 0 && cursor.token(first - 1).kind == TokenKind::kName) {
    --first;
    if (first < 2 || !cursor.token(first - 1).is_symbol("-") || !glued(first) ||
        !glued(first - 1)) {
      break;
    }
    dashes = true;
    --first;
  }
  if (!dashes || cursor.token(first).kind != TokenKind::kName) {
    return std::nullopt;
  }
  return Span{cursor.token(first).span.begin, cursor.token(cursor.index() - 1).span.end};
}

// = where a comparison should be: alone, or as a part of ===, >== or =!.
std::optional<Error> wrong_equals(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const Token& last = before(cursor, 1);
  if (last.is_word("let")) {
    return std::nullopt;  // a name is missing
  }
  const bool after_sign = cursor.joined() && (last.is_symbol("==") || last.is_symbol("!=") ||
                                              last.is_symbol(">=") || last.is_symbol("<="));
  if (after_sign) {
    return diag::foreign_symbol({last.span.begin, token.span.end}, last.text + "=", last.text);
  }
  const Token& next = cursor.peek(1);
  if ((next.is_symbol("!") || next.is_symbol("<")) && cursor.joined(1)) {
    return diag::foreign_symbol({token.span.begin, next.span.end}, "=" + next.text,
                                next.text + "=");
  }
  return diag::single_equals(token.span);
}

std::optional<Error> symbol_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const Token& next = cursor.peek(1);
  if (token.text == "&&" || token.text == "&") {
    return diag::foreign_symbol(token.span, token.text, "and");
  }
  if (token.text == "||") {
    const bool joins_texts = next.kind == TokenKind::kString ||
                             (cursor.index() > 0 && before(cursor, 1).kind == TokenKind::kString);
    const bool pipes = next.kind == TokenKind::kName && find_operator(next.text) != nullptr;
    return diag::foreign_symbol(token.span, token.text,
                                joins_texts ? "strcat(a, b) to join texts, or for a choice"
                                : pipes     ? "one | before an operator"
                                            : "or; strcat(a, b) joins texts");
  }
  if (token.text == "!") {
    return diag::foreign_symbol(token.span, token.text, "not(…)");
  }
  if (token.text == "?" && next.is_symbol("?")) {
    return diag::foreign_symbol({token.span.begin, next.span.end}, "??", "coalesce(a, b)");
  }
  if (token.text == "?") {
    return diag::foreign_symbol(token.span, "a ? b : c", "iff(a, b, c)");
  }
  if (token.text == "~") {
    return diag::foreign_symbol(token.span, token.text, "=~ to ignore case, or matches regex '…'");
  }
  if (token.text == "/" && next.kind == TokenKind::kName) {
    return diag::foreign_symbol(token.span, "/…/", "matches regex '…', and texts in quotes");
  }
  if (token.text == ":" && next.is_symbol(":")) {
    return diag::foreign_symbol(token.span, "::", "toint(a), tostring(a) and the like to convert");
  }
  if (token.text == ":" && next.is_symbol("=")) {
    return diag::foreign_symbol(token.span, ":=", "= to name a value");
  }
  if (token.text == "=") {
    if (const std::optional<Span> name = dashed_name(cursor)) {
      return diag::unquoted_dashes(*name, cursor.slice(*name));
    }
    return wrong_equals(cursor);
  }
  return std::nullopt;
}

// Operators that only stand where a query begins.
bool begins_query(std::string_view word) {
  return word == "print" || word == "range" || word == "datatable" || word == "externaldata" ||
         word == "find";
}

bool is_type_word(std::string_view word) {
  constexpr std::string_view kTypes[] = {"int",  "integer", "bigint",   "long",     "string",
                                         "text", "varchar", "double",   "float",    "real",
                                         "bool", "boolean", "datetime", "timestamp"};
  return std::ranges::find(kTypes, word) != std::end(kTypes);
}

// Words that stand where an operator between expressions should.
std::optional<Error> phrase_habit(const TokenCursor& cursor, const std::string& word) {
  const Token& token = cursor.peek();
  const std::string next = ascii_lower(cursor.peek(1).text);
  struct Phrase {
    std::string_view first;
    std::string_view second;  // empty: any
    std::string_view instead;
  };
  constexpr Phrase kPhrases[] = {
      {"starts", "with", "startswith"},
      {"ends", "with", "endswith"},
      {"begins", "with", "startswith"},
      {"includes", "", "contains"},
      {"contains_any", "", "has_any ('a', 'b')"},
      {"eq", "", "=="},
      {"equals", "", "=="},
      {"ge", "", ">="},
      {"gt", "", ">"},
      {"le", "", "<="},
      {"lt", "", "<"},
      {"ne", "", "!="},
      {"descending", "", "desc"},
      {"ascending", "", "asc"},
      {"when", "", "case(condition, value, …, else)"},
      {"regexp_like", "", "matches regex"},
      {"exists", "", "isnotnull(field)"},
      {"mod", "", "%"},
      {"div", "", "/"},
      {"except", "", "| project-away field to leave fields out"},
  };
  for (const Phrase& phrase : kPhrases) {
    if (phrase.first == word && (phrase.second.empty() || phrase.second == next)) {
      const Span span =
          phrase.second.empty() ? token.span : Span{token.span.begin, cursor.peek(1).span.end};
      return diag::foreign_symbol(span, cursor.slice(span), phrase.instead);
    }
  }
  if (word == "as") {
    bool in_operator = false;
    for (std::size_t i = 0; i < cursor.index(); ++i) {
      in_operator =
          in_operator || cursor.token(i).is_symbol("|") || cursor.token(i).is_word("print");
    }
    if (in_operator && is_type_word(next)) {
      return diag::foreign_operator(token.span, "as " + cursor.peek(1).text, "SQL",
                                    "convert with toint(a), tostring(a), todatetime(a), …");
    }
    if (in_operator) {
      return diag::foreign_operator(token.span, token.text, "SQL here",
                                    "a name stands before its value: name = expression");
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> name_habit(std::string_view name, Span span) {
  const std::string word = ascii_lower(name);
  for (const Habit& habit : kOperatorHabits) {
    if (habit.word == word) {
      return diag::foreign_operator(span, name, habit.language, habit.hint);
    }
  }
  return std::nullopt;
}

std::string source_word_hint(std::string_view word) {
  if (word == "let" || word == "set" || word == "declare") {
    return "a statement stands before the query and ends with a semicolon";
  }
  if (!begins_query(word)) {
    return "";
  }
  return word == "print"  ? "it begins a query; behind a pipe write extend name = expression"
         : word == "find" ? "it begins a query; behind a pipe write where * has 'text', or search"
                          : "it begins a query; behind a pipe it stands in parentheses: union (" +
                                std::string(word) + " …)";
}

std::optional<Error> operator_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kSymbol && cursor.joined()) {
    // {app="x"} |= "error" |~ "time.*"
    if (token.text == "=" || token.text == "~") {
      return diag::foreign_operator(token.span, "|" + token.text, "LogQL",
                                    token.text == "=" ? "write | where field contains 'text'"
                                                      : "write | where field matches regex '…'");
    }
  }
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  if (is_shouted(token.text) && find_operator(ascii_lower(token.text)) != nullptr) {
    return diag::upper_case_keyword(token.span, token.text);
  }
  const Token& next = cursor.peek(1);
  const std::string dashed = token.text + "-" + next.text;
  const bool dash_missing = next.kind == TokenKind::kName && find_operator(dashed) != nullptr;
  if (dash_missing && find_operator(token.text) == nullptr) {
    return diag::foreign_symbol({token.span.begin, next.span.end}, token.text + " " + next.text,
                                dashed);
  }
  return name_habit(token.text, token.span);
}

namespace {

// How a query begins in other languages.
enum class Follow : std::uint8_t {
  kAnything,
  kName,
  kNameOrCall,
  kCall,
  kEquals,
  kDatabase,
  kAccess
};

struct SourceHabit {
  std::string_view word;
  Follow follow;  // what comes next
  std::string_view language;
  std::string_view hint;
};

constexpr std::string_view kDatasetFirst = "begin with the dataset: ['logs'] | where …";
constexpr std::string_view kDatasetFirstSql =
    "begin with the dataset: ['logs'] | where … | project a, b";
constexpr std::string_view kDatasetAlone = "write the dataset's name alone: ['logs'] | …";
constexpr std::string_view kWhatThereIs =
    "evq dataset list shows the datasets, | getschema the fields";
constexpr std::string_view kOnlyReads = "queries only read; evq ingest and evq delete change data";
constexpr std::string_view kLetInstead = "write let name = value;";

constexpr SourceHabit kSourceHabits[] = {
    {"select", Follow::kAnything, "SQL", kDatasetFirstSql},
    {"with", Follow::kName, "SQL", kDatasetFirstSql},
    {"from", Follow::kAnything, "SQL", "begin with the dataset itself: ['logs'] | …"},
    {"show", Follow::kNameOrCall, "SQL", kWhatThereIs},
    {"describe", Follow::kNameOrCall, "SQL", kWhatThereIs},
    {"desc", Follow::kNameOrCall, "SQL", kWhatThereIs},
    {"explain", Follow::kNameOrCall, "SQL", kWhatThereIs},
    {"insert", Follow::kName, "SQL", kOnlyReads},
    {"update", Follow::kName, "SQL", kOnlyReads},
    {"delete", Follow::kName, "SQL", kOnlyReads},
    {"alias", Follow::kDatabase, "a statement of Kusto", kDatasetAlone},
    {"restrict", Follow::kAccess, "a statement of Kusto",
     "what may be read is a matter of the token: evq help token"},
    {"cluster", Follow::kCall, "an address of Kusto", kDatasetAlone},
    {"database", Follow::kCall, "an address of Kusto", kDatasetAlone},
    {"index", Follow::kEquals, "Splunk", kDatasetFirst},
    {"source", Follow::kEquals, "Splunk", kDatasetFirst},
    {"sourcetype", Follow::kEquals, "Splunk", kDatasetFirst},
    {"var", Follow::kName, "a word of other languages", kLetInstead},
    {"const", Follow::kName, "a word of other languages", kLetInstead},
    {"def", Follow::kName, "a word of other languages", kLetInstead},
};

bool follows(Follow follow, const Token& next) {
  switch (follow) {
    case Follow::kAnything:
      return true;
    case Follow::kName:
      return next.kind == TokenKind::kName;
    case Follow::kNameOrCall:
      return next.kind == TokenKind::kName || next.is_symbol("(");
    case Follow::kCall:
      return next.is_symbol("(");
    case Follow::kEquals:
      return next.is_symbol("=");
    case Follow::kDatabase:
      return next.is_word("database");
    case Follow::kAccess:
      return next.is_word("access");
  }
  return false;
}

// where status == 500, mv-expand tags: an operator, and no dataset before it.
std::optional<Error> operator_without_source(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const bool dashed = cursor.peek(1).is_symbol("-") && cursor.peek(2).kind == TokenKind::kName;
  const std::string name = dashed ? token.text + "-" + cursor.peek(2).text : token.text;
  const OperatorInfo* row = find_operator(name);
  const bool goes_on = dashed || cursor.peek(1).kind == TokenKind::kName ||
                       cursor.peek(1).kind == TokenKind::kLiteral ||
                       cursor.peek(1).kind == TokenKind::kString;
  if (row == nullptr && dashed) {
    return name_habit(name, {token.span.begin, cursor.peek(2).span.end});
  }
  if (row == nullptr || row->parse == nullptr || !goes_on || name == "union" || name == "search") {
    return std::nullopt;
  }
  Error error = diag::unexpected_token({token.span.begin, cursor.peek(dashed ? 2 : 0).span.end},
                                       "a dataset", "'" + name + "'");
  error.hint = "a query begins with a dataset: ['logs'] | " + name + " …";
  return error;
}

}  // namespace

std::optional<Error> address_habit(const TokenCursor& cursor) {
  constexpr std::string_view kWords[] = {"cluster", "database",  "arg",     "adx",
                                         "app",     "workspace", "resource"};
  const Token& token = cursor.peek();
  const Token& open = cursor.peek(1);
  const bool known = token.kind == TokenKind::kName && open.is_symbol("(") &&
                     std::ranges::find(kWords, ascii_lower(token.text)) != std::end(kWords);
  if (!known || !cursor.token(open.partner + 1).is_symbol(".")) {
    return std::nullopt;
  }
  return diag::foreign_operator(token.span, token.text + "(…)", "an address of Kusto",
                                kDatasetAlone);
}

std::optional<Error> source_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  const Token& next = cursor.peek(1);
  if (token.is_symbol("{") && next.kind == TokenKind::kName) {
    return diag::foreign_operator(token.span, "{…}", "LogQL",
                                  "begin with the dataset: ['logs'] | where app == 'x'");
  }
  if (token.is_symbol(".") && next.kind == TokenKind::kName) {
    return diag::foreign_operator({token.span.begin, next.span.end}, "." + next.text,
                                  "a management command of Kusto",
                                  "evq dataset list shows the datasets, | getschema the fields");
  }
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  const bool stands_alone = next.kind == TokenKind::kEnd || next.is_symbol("|") ||
                            next.is_symbol(";") || next.is_symbol(")") || next.is_symbol(",");
  if (stands_alone) {
    return std::nullopt;
  }
  const std::string word = ascii_lower(token.text);
  const bool begins = begins_query(word) || word == "let" || word == "set" || word == "union" ||
                      word == "search" || word == "declare";
  if (is_shouted(token.text) && begins && next.kind != TokenKind::kSymbol) {
    return diag::upper_case_keyword(token.span, token.text);
  }
  if (std::optional<Error> headless = operator_without_source(cursor)) {
    return headless;
  }
  for (const SourceHabit& habit : kSourceHabits) {
    if (habit.word == word && follows(habit.follow, next)) {
      const std::string shown = token.text + (next.is_symbol("(") ? "(…)" : "");
      return diag::foreign_operator(token.span, shown, habit.language, habit.hint);
    }
  }
  if (std::optional<Error> address = address_habit(cursor)) {
    return address;
  }
  if (next.kind != TokenKind::kName && !next.is_symbol("(")) {
    return std::nullopt;
  }
  const bool selector = next.is_symbol("(") && cursor.peek(2).is_symbol("{");
  const bool nested = next.is_symbol("(") && cursor.peek(2).kind == TokenKind::kName &&
                      cursor.peek(3).is_symbol("(") && cursor.token(next.partner + 1).is_word("by");
  if (selector || nested || (next.is_word("by") && cursor.peek(2).is_symbol("("))) {
    return diag::foreign_operator(token.span, token.text + "(…)", "PromQL",
                                  "write ['logs'] | summarize rate(x) by bin(_time, 5m), field");
  }
  return std::nullopt;
}

bool in_let_statement(const TokenCursor& cursor) {
  std::size_t first = cursor.index();
  while (first > 0 && !cursor.token(first - 1).is_symbol(";")) {
    --first;
  }
  return cursor.token(first).is_word("let");
}

std::optional<Error> expression_habit(const TokenCursor& cursor) {
  const Token& token = cursor.peek();
  if (token.kind == TokenKind::kSymbol) {
    return symbol_habit(cursor);
  }
  if (token.kind != TokenKind::kName) {
    return std::nullopt;
  }
  const std::string word = ascii_lower(token.text);
  if (std::optional<Error> phrase = phrase_habit(cursor, word)) {
    return phrase;
  }
  if (word == "like" || word == "ilike" || word == "rlike") {
    return diag::like_operator(token.span);
  }
  if (word.starts_with("not") && is_infix_word("!" + word.substr(3))) {
    return diag::foreign_symbol(token.span, token.text, "!" + word.substr(3));
  }
  if (word == "matches" || word == "regexp") {
    return diag::foreign_symbol(token.span, token.text, "matches regex '…'");
  }
  if (word == "is") {
    const bool is_not = ascii_lower(cursor.peek(1).text) == "not";
    if (ascii_lower(cursor.peek(is_not ? 2 : 1).text) == "null") {
      return diag::null_comparison(token.span, is_not);
    }
  }
  if (word == "not" && !cursor.peek(1).is_symbol("(")) {
    const std::string next = ascii_lower(cursor.peek(1).text);
    const bool negates = next == "in" || next == "between" || next == "like" || next == "contains";
    return diag::foreign_symbol(token.span, token.text,
                                negates && next != "like" ? "!" + next : "not(…)");
  }
  const bool grammar_word = is_infix_word(word) || word == "by" || word == "asc" ||
                            word == "desc" || word == "on" || word == "with" || word == "not";
  if (is_shouted(token.text) && grammar_word) {
    return diag::upper_case_keyword(token.span, token.text);
  }
  if (word == "group" && ascii_lower(cursor.peek(1).text) == "by") {
    return diag::foreign_operator(token.span, "group by", "SQL",
                                  "write | summarize count() by field");
  }
  if (in_let_statement(cursor) && begins_query(word)) {
    Error error = diag::unexpected_token(token.span, "';'", "'" + token.text + "'");
    error.hint = "a let statement ends with a semicolon";
    return error;
  }
  if ((begins_query(word) || word == "union" || word == "search") && cursor.after_blank_line()) {
    Error error =
        diag::unexpected_token(token.span, "'|' or the end of the query", "'" + token.text + "'");
    error.hint = diag::kOneByOneHint;
    return error;
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
  return name_habit(token.text, token.span);
}

}  // namespace evq::syntax
