#include "apl/syntax/words.h"

#include <algorithm>
#include <iterator>

#include "store/base/ascii.h"

namespace evq::syntax {

namespace {

constexpr std::string_view kKeywords[] = {
    "as",           "asc",         "bool",    "boolean",  "by",      "consume",    "datatable",
    "date",         "datetime",    "decimal", "declare",  "default", "desc",       "double",
    "dynamic",      "evaluate",    "extend",  "facet",    "false",   "fork",       "from",
    "guid",         "hint",        "in",      "int",      "kind",    "let",        "limit",
    "long",         "not",         "null",    "nulls",    "of",      "on",         "order",
    "parse",        "print",       "project", "range",    "real",    "search",     "set",
    "step",         "string",      "time",    "timespan", "to",      "toscalar",   "true",
    "typeof",       "union",       "view",    "where",    "with",    "withsource", "find",
    "externaldata", "materialize", "True",    "TRUE",     "False",   "FALSE",      "select",
    "like",         "is",          "index",   "SELECT"};

constexpr std::string_view kInfixWords[] = {
    "and",      "or",          "in",         "in~",           "between",   "matches",
    "contains", "contains_cs", "startswith", "startswith_cs", "endswith",  "endswith_cs",
    "has",      "has_cs",      "hasprefix",  "hasprefix_cs",  "hassuffix", "hassuffix_cs",
    "has_any",  "has_any_cs",  "has_all",    "has_all_cs"};

constexpr std::string_view kChartKinds[] = {
    "timechart", "linechart",    "areachart",    "barchart",         "columnchart", "piechart",
    "treemap",   "scatterchart", "anomalychart", "stackedareachart", "table"};

template <class Table>
bool holds(const Table& table, std::string_view word) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

bool in_plain_name(char c) {
  return is_letter_or_digit(c) || c == '_';
}

}  // namespace

bool is_keyword(std::string_view word) {
  return holds(kKeywords, word);
}

std::span<const std::string_view> infix_words() {
  return kInfixWords;
}

bool is_infix_word(std::string_view word) {
  if (word.starts_with('!')) {
    word.remove_prefix(1);
  }
  return holds(kInfixWords, word);
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         (in_plain_name(name.front()) || name.front() == '$') &&
         std::all_of(name.begin() + 1, name.end(), in_plain_name) && !is_keyword(name) &&
         !is_infix_word(name);
}

std::span<const std::string_view> chart_kinds() {
  return kChartKinds;
}

std::string quote_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    switch (c) {
      case '\\':
        out += "\\\\";
        break;
      case '\'':
        out += "\\'";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\0':
        out += "\\x00";
        break;
      default:
        out += c;
    }
  }
  return out + "'";
}

std::string quote_name(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : "[" + quote_text(name) + "]";
}

}  // namespace evq::syntax
