#include "apl/syntax/words.h"

#include <algorithm>
#include <array>
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
    "timechart",    "linechart",        "areachart", "barchart", "columnchart",  "piechart",
    "scatterchart", "stackedareachart", "card",      "table",    "anomalychart", "ladderchart",
    "pivotchart",   "timepivot",        "treemap",   "plotly",   "graph"};

constexpr std::string_view kTruths[] = {"true", "false"};
constexpr std::string_view kStackings[] = {"default", "unstacked", "stacked", "stacked100", "map"};
constexpr std::string_view kLegends[] = {"visible", "hidden"};
constexpr std::string_view kScales[] = {"linear", "log"};
constexpr std::string_view kSplits[] = {"none", "axes", "panels"};

using Property = ChartProperty::Value;
constexpr ChartProperty kChartProperties[] = {
    {"title", Property::kText, {}},
    {"xtitle", Property::kText, {}},
    {"ytitle", Property::kText, {}},
    {"xcolumn", Property::kColumns, {}},
    {"ycolumns", Property::kColumns, {}},
    {"series", Property::kColumns, {}},
    {"anomalycolumns", Property::kColumns, {}},
    {"kind", Property::kWord, kStackings},
    {"legend", Property::kWord, kLegends},
    {"xaxis", Property::kWord, kScales},
    {"yaxis", Property::kWord, kScales},
    {"ysplit", Property::kWord, kSplits},
    {"accumulate", Property::kWord, kTruths},
    {"xmin", Property::kText, {}},
    {"xmax", Property::kText, {}},
    {"ymin", Property::kNumber, {}},
    {"ymax", Property::kNumber, {}},
};

template <class Table>
bool holds(const Table& table, std::string_view word) {
  return std::find(std::begin(table), std::end(table), word) != std::end(table);
}

bool in_plain_name(char c) {
  return is_letter_or_digit(c) || c == '_';
}

}  // namespace

bool spells_bool(std::string_view word) {
  return word == "true" || word == "True" || word == "TRUE" || word == "false" || word == "False" ||
         word == "FALSE";
}

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
  const bool dollar = name.starts_with('$') && name.size() > 1 && is_letter(name[1]);
  return !name.empty() && !is_digit(name.front()) && (in_plain_name(name.front()) || dollar) &&
         std::all_of(name.begin() + 1, name.end(), in_plain_name) && !is_keyword(name) &&
         !is_infix_word(name);
}

std::span<const std::string_view> chart_kinds() {
  return kChartKinds;
}

std::span<const std::string_view> chart_property_names() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, std::size(kChartProperties)> names{};
    std::ranges::transform(kChartProperties, names.begin(), &ChartProperty::name);
    return names;
  }();
  return kNames;
}

const ChartProperty* find_chart_property(std::string_view name) {
  const auto* found = std::ranges::find(kChartProperties, name, &ChartProperty::name);
  return found == std::end(kChartProperties) ? nullptr : found;
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

std::string bracket_name(std::string_view name) {
  return "[" + quote_text(name) + "]";
}

std::string quote_name(std::string_view name) {
  return is_plain_name(name) ? std::string(name) : bracket_name(name);
}

}  // namespace evq::syntax
