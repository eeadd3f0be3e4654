// The parser's messages. Each is one sentence without a full stop, and one hint that says what to
// write instead.

#include <algorithm>
#include <iterator>
#include <utility>

#include "apl/syntax/diagnostics.h"
#include "store/base/ascii.h"

namespace evq::diag {

namespace {

Error syntax_error(std::string_view id, Span at, std::string message, std::string hint = {}) {
  Error error = make_error(ErrorCode::kCompile, std::move(message), std::move(hint));
  error.id = id;
  error.span = at;
  return error;
}

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string listed(Candidates names) {
  std::string out;
  for (const std::string_view name : names) {
    out += (out.empty() ? "" : ", ") + std::string(name);
  }
  return out;
}

// `dataset`:`metric`, with which a query of Axiom's metrics begins; empty for anything else.
std::string_view metric_source(std::string_view text) {
  const std::size_t dataset = text.starts_with('`') ? text.find('`', 1) : std::string_view::npos;
  if (dataset == std::string_view::npos || !text.substr(dataset).starts_with("`:`")) {
    return {};
  }
  const std::size_t metric = text.find('`', dataset + 3);
  return metric == std::string_view::npos ? std::string_view() : text.substr(0, metric + 1);
}

// What word processors and chat put in the place of a character, and that character.
struct Typographic {
  std::string_view character;
  std::string_view name;
  std::string_view instead;
};

constexpr Typographic kTypographic[] = {
    {"–", "an en dash", "-"},
    {"—", "an em dash", "-"},
    {"−", "a minus sign", "-"},
    {"‐", "a hyphen", "-"},
    {"‑", "a no-break hyphen", "-"},
    {"…", "an ellipsis", ".."},
    {"≤", "a less-or-equal sign", "<="},
    {"≥", "a greater-or-equal sign", ">="},
    {"≠", "a not-equal sign", "!="},
    {"×", "a multiplication sign", "*"},
    {"÷", "a division sign", "/"},
    {"│", "a line of a table", "|"},
    {"｜", "a full-width bar", "|"},
};
constexpr std::string_view kTypographicQuotes[] = {"“", "”", "„", "‟", "‘", "’", "‚",
                                                   "‛", "«", "»", "‹", "›", "′", "″"};

std::string unexpected_character_hint(std::string_view character) {
  if (std::ranges::find(kTypographicQuotes, character) != std::end(kTypographicQuotes)) {
    return "strings are written with plain quotes: \"…\" or '…'";
  }
  if (const auto* sign = std::ranges::find(kTypographic, character, &Typographic::character);
      sign != std::end(kTypographic)) {
    return "this is " + std::string(sign->name) + "; write " + std::string(sign->instead);
  }
  return character == "^" ? "write pow(a, b) for a power, binary_xor(a, b) for bits"
                          : "names with special characters are written ['like this']";
}

}  // namespace

Error unexpected_character(Span at, std::string_view rest) {
  if (const std::string_view source = metric_source(rest); !source.empty()) {
    return foreign_operator({at.begin, at.begin + source.size()}, source,
                            "MPL, the language of Axiom's metrics",
                            "events are queried in APL: ['logs'] | summarize avg(x) by "
                            "bin(_time, 5m)");
  }
  const std::string_view character = rest.substr(0, at.end - at.begin);
  return syntax_error("APL1001", at, "unexpected character " + in_quotes(character),
                      unexpected_character_hint(character));
}

Error unterminated_string(Span at) {
  return syntax_error("APL1002", at, "this string is not closed",
                      "close it with the same quote on the same line; write \\\\ for a backslash");
}

Error unterminated_fence(Span at) {
  return syntax_error("APL1002", at, "this string is not closed",
                      "it ends with ``` and may have several lines");
}

Error unterminated_name(Span at) {
  return syntax_error("APL1003", at, "this quoted name is not closed",
                      "a quoted name is written ['my-name']");
}

Error invalid_number(Span at, std::string_view text, std::string_view hint) {
  return syntax_error("APL1004", at, in_quotes(text) + " is not a number APL can hold",
                      std::string(hint));
}

Error invalid_literal(Span at, std::string_view type, std::string_view text) {
  const bool quoted =
      text.size() > 1 && (text[0] == '\'' || text[0] == '"') && text.ends_with(text[0]);
  text = quoted ? text.substr(1, text.size() - 2) : text;
  std::string hint;
  if (type == "datetime" || type == "date") {
    hint = text == "now" ? "write now()"
                         : "write datetime(2024-05-01T12:30:00Z); todatetime(…) converts a value";
  } else if (type == "timespan" || type == "time") {
    hint = "write timespan(1h), 90s or 1.5d; totimespan(…) converts a value";
  } else if (type == "dynamic") {
    hint = "write dynamic({\"a\": [1, 2]}); parse_json(…) and bag_pack(…) build computed values";
  } else {
    hint = "only a literal fits here; to" + std::string(type) + "(…) converts a value";
  }
  return syntax_error("APL1005", at,
                      in_quotes(text) + " is not " + (type == "int" ? "an " : "a ") +
                          std::string(type) + " literal",
                      std::move(hint));
}

Error unexpected_token(Span at, std::string_view expected, std::string_view found) {
  return syntax_error("APL1006", at,
                      "expected " + std::string(expected) + ", found " + std::string(found));
}

Error unexpected_end(Span at, std::string_view expected) {
  return syntax_error("APL1007", at,
                      "expected " + std::string(expected) + ", but the query ends here");
}

Error unclosed_bracket(Span open, char bracket) {
  const char closing = bracket == '(' ? ')' : (bracket == '[' ? ']' : '}');
  return syntax_error("APL1008", open, in_quotes({&bracket, 1}) + " is never closed",
                      "add the missing " + in_quotes({&closing, 1}));
}

Error unmatched_bracket(Span close, char bracket) {
  return syntax_error("APL1009", close, in_quotes({&bracket, 1}) + " closes nothing that is open",
                      "remove it, or open the bracket it belongs to");
}

Error unknown_operator(Span at, std::string_view name, Candidates operators) {
  return syntax_error("APL1010", at, "no operator named " + in_quotes(name),
                      did_you_mean(name, operators));
}

Error missing_pipe(Span at, std::string_view name) {
  return syntax_error("APL1011", at, "a pipe is missing before " + in_quotes(name),
                      "write | " + std::string(name));
}

Error foreign_operator(Span at, std::string_view name, std::string_view language,
                       std::string_view hint) {
  return syntax_error("APL1012", at, in_quotes(name) + " is " + std::string(language) + ", not APL",
                      std::string(hint));
}

Error single_equals(Span at) {
  return syntax_error("APL1013", at, "'=' names a value and compares nothing",
                      "write == to compare, =~ to ignore case");
}

Error foreign_symbol(Span at, std::string_view symbol, std::string_view instead) {
  return syntax_error("APL1014", at, in_quotes(symbol) + " is not an APL operator",
                      "write " + std::string(instead));
}

Error like_operator(Span at) {
  return syntax_error("APL1015", at, "'like' is not an APL operator",
                      "use contains, startswith, endswith, or matches regex");
}

Error null_comparison(Span at, bool is_not) {
  return syntax_error("APL1016", at, "null is not a value to compare with",
                      is_not ? "write isnotnull(field)" : "write isnull(field)");
}

Error unquoted_dashes(Span at, std::string_view name) {
  return syntax_error("APL1017", at, "a name with dashes needs quotes",
                      "write ['" + std::string(name) + "']");
}

Error foreign_comment(Span at, std::string_view symbol) {
  return syntax_error("APL1018", at, in_quotes(symbol) + " does not start a comment in APL",
                      "write // before a comment; each one ends with its line");
}

Error upper_case_keyword(Span at, std::string_view name) {
  return syntax_error("APL1019", at, "APL's words are written in lower case",
                      "write " + ascii_lower(name) + " instead of " + std::string(name));
}

Error chained_comparison(Span at, std::string_view op) {
  return syntax_error("APL1020", at, "comparisons cannot be chained with " + in_quotes(op),
                      "join two comparisons with and, or use between (a .. b)");
}

Error text_too_long(std::size_t bytes_max) {
  return syntax_error("APL1021", Span{},
                      "the query is longer than " + std::to_string(bytes_max) + " bytes",
                      "load long lists into a dataset and use lookup or in ((…))");
}

Error nested_too_deep(Span at, std::size_t depth_max) {
  return syntax_error("APL1022", at,
                      "the query nests deeper than " + std::to_string(depth_max) + " levels",
                      "name parts of it with let, or use in (…) for long lists");
}

Error too_many_operators(Span at, std::size_t operators_max) {
  return syntax_error("APL1023", at,
                      "a pipeline has at most " + std::to_string(operators_max) + " operators",
                      "merge neighbouring extend or where operators");
}

Error empty_query() {
  return syntax_error("APL1025", Span{}, "there is no query in this text",
                      "start with a dataset: ['my-logs'] | limit 10");
}

Error invalid_option_value(Span at, std::string_view option, std::string_view value,
                           Candidates allowed) {
  std::string hint = did_you_mean(value, allowed);
  return syntax_error("APL1026", at, in_quotes(value) + " is not a value of " + in_quotes(option),
                      hint.empty() ? "use one of: " + listed(allowed) : std::move(hint));
}

Error unknown_option(Span at, std::string_view operator_name, std::string_view option,
                     Candidates allowed) {
  return syntax_error(
      "APL1027", at, in_quotes(operator_name) + " has no option " + in_quotes(option),
      allowed.empty() ? "it takes no options" : "its options are: " + listed(allowed));
}

Error unknown_type(Span at, std::string_view name) {
  constexpr std::string_view kTypes[] = {"bool",   "datetime", "dynamic", "int",
                                         "long",   "real",     "string",  "timespan",
                                         "double", "boolean",  "date",    "time"};
  std::string hint = did_you_mean(name, kTypes);
  if (hint.empty()) {
    hint = "types are bool, datetime, dynamic, int, long, real, string and timespan";
  }
  return syntax_error("APL1028", at, "no type named " + in_quotes(name), std::move(hint));
}

Error quoted_timespan(Span at, std::string_view text) {
  return syntax_error("APL1029", at, "ago(…) takes a timespan, not a string",
                      "write ago(" + std::string(text) + ") without quotes");
}

Error invalid_utf8(Span at) {
  return syntax_error("APL1030", at, "the query is not valid UTF-8 here",
                      "save the text as UTF-8, or escape the byte in a string");
}

Error name_too_long(Span at, std::size_t bytes_max) {
  return syntax_error("APL1031", at, "a name has at most " + std::to_string(bytes_max) + " bytes",
                      "shorten the name; a missing closing quote can also cause this");
}

Error missing_clause(Span at, std::string_view operator_name, std::string_view clause) {
  return syntax_error("APL1032", at, in_quotes(operator_name) + " needs " + std::string(clause),
                      "see: evq help " + std::string(operator_name));
}

Error unknown_chart(Span at, std::string_view name, Candidates charts) {
  std::string hint = did_you_mean(name, charts);
  return syntax_error("APL1033", at, "no chart named " + in_quotes(name),
                      hint.empty() ? "charts are: " + listed(charts) : std::move(hint));
}

}  // namespace evq::diag
