#include "apl/syntax/diagnostics.h"

#include <utility>

#include "apl/syntax/habits.h"
#include "apl/syntax/words.h"

namespace evq::diag {

namespace {

constexpr DiagnosticInfo kDiagnostics[] = {
    {"APL1001", "unexpected-character"}, {"APL1002", "unterminated-string"},
    {"APL1003", "unterminated-name"},    {"APL1004", "invalid-number"},
    {"APL1005", "invalid-literal"},      {"APL1006", "unexpected-token"},
    {"APL1007", "unexpected-end"},       {"APL1008", "unclosed-bracket"},
    {"APL1009", "unmatched-bracket"},    {"APL1010", "unknown-operator"},
    {"APL1011", "missing-pipe"},         {"APL1012", "foreign-operator"},
    {"APL1013", "single-equals"},        {"APL1014", "foreign-symbol"},
    {"APL1015", "like-operator"},        {"APL1016", "null-comparison"},
    {"APL1017", "unquoted-dashes"},      {"APL1018", "foreign-comment"},
    {"APL1019", "upper-case-keyword"},   {"APL1020", "chained-comparison"},
    {"APL1021", "text-too-long"},        {"APL1022", "nested-too-deep"},
    {"APL1023", "too-many-operators"},   {"APL1025", "empty-query"},
    {"APL1026", "invalid-option-value"}, {"APL1027", "unknown-option"},
    {"APL1028", "unknown-type"},         {"APL1029", "quoted-timespan"},
    {"APL1030", "invalid-utf8"},         {"APL1031", "name-too-long"},
    {"APL1032", "missing-clause"},       {"APL1033", "unknown-chart"},
    {"APL2001", "unknown-dataset"},      {"APL2002", "no-dataset-matches"},
    {"APL2003", "unknown-field"},        {"APL2004", "unknown-function"},
    {"APL2005", "unknown-function"},     {"APL2006", "unknown-plugin"},
    {"APL2007", "wrong-argument-count"}, {"APL2008", "wrong-argument-type"},
    {"APL2009", "not-an-aggregate"},     {"APL2010", "aggregate-in-scalar"},
    {"APL2011", "nested-aggregate"},     {"APL2012", "field-not-grouped"},
    {"APL2013", "type-mismatch"},        {"APL2015", "predicate-not-bool"},
    {"APL2016", "constant-required"},    {"APL2017", "invalid-constant"},
    {"APL2019", "duplicate-name"},       {"APL2020", "table-expected"},
    {"APL2021", "scalar-expected"},      {"APL2022", "unknown-argument"},
    {"APL2023", "duplicate-argument"},   {"APL2024", "invalid-join-condition"},
    {"APL2025", "unsupported-kind"},     {"APL2026", "unsupported-feature"},
    {"APL2027", "not-serialized"},       {"APL2028", "invalid-regex"},
    {"APL2029", "recursive-function"},   {"APL2030", "misplaced-star"},
    {"APL2031", "missing-argument"},     {"APL2032", "row-shape"},
    {"APL2033", "operator-not-allowed"}, {"APL2034", "limit-exceeded"},
    {"APL2035", "name-required"},
};

Error planner_error(std::string_view id, Span at, std::string message, std::string hint = {}) {
  Error error = make_error(ErrorCode::kCompile, std::move(message), std::move(hint));
  error.id = id;
  error.span = at;
  return error;
}

std::string quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// The hint for a name, or a general one when nothing is near.
std::string near_or(std::string_view name, Candidates candidates, std::string otherwise) {
  std::string hint = did_you_mean(name, candidates);
  return hint.empty() ? std::move(otherwise) : hint;
}

// The same for a dataset or a field, which may also be meant by a word of its name.
std::string near_name_or(std::string_view name, Candidates candidates, std::string otherwise) {
  Suggestion near = suggest(name, candidates);
  if (near.best.empty()) {
    near = suggest_by_word(name, candidates);
  }
  std::string hint = did_you_mean(near, Suggested::kName);
  return hint.empty() ? std::move(otherwise) : hint;
}

// Of the name of an object, whose members are fields of their own; empty for other names.
std::string object_hint(std::string_view name, Candidates fields) {
  constexpr std::size_t kNamedMax = 3;
  const std::string prefix = std::string(name) + ".";
  std::string names;
  std::size_t count = 0;
  for (const std::string_view field : fields) {
    if (field.starts_with(prefix) && ++count <= kNamedMax) {
      names.append(count == 1 ? "" : ", ").append(field);
    }
  }
  return count == 0 ? std::string()
                    : quoted(name) + " is an object, kept as the field" + (count > 1 ? "s " : " ") +
                          names + (count > kNamedMax ? ", …" : "") + ": name " +
                          (count > 1 ? "one of them" : "that") + ", or project-keep " + prefix +
                          (count > 1 ? "* to take them all" : "* to take all of it");
}

// Names shorter than this are near too many of other languages.
constexpr std::size_t kForeignNameBytesMin = 5;

// What the function is called here, before names that only look alike.
std::string function_hint(std::string_view name, Candidates candidates, std::string otherwise) {
  std::string_view instead = syntax::foreign_function_hint(name);
  if (instead.empty()) {
    if (std::string near = did_you_mean(name, candidates); !near.empty()) {
      return near;
    }
    if (name.size() >= kForeignNameBytesMin) {
      instead = syntax::foreign_function_hint(suggest(name, syntax::foreign_functions()).best);
    }
  }
  return instead.empty() ? std::move(otherwise) : "write " + std::string(instead);
}

}  // namespace

std::span<const DiagnosticInfo> all_diagnostics() {
  return kDiagnostics;
}

std::string_view find_diagnostic_id(std::string_view id) {
  const auto* row = std::ranges::find(kDiagnostics, id, &DiagnosticInfo::id);
  return row != std::end(kDiagnostics) ? row->id : std::string_view();
}

std::string_view slug_of(const Error& error) {
  for (const DiagnosticInfo& info : kDiagnostics) {
    if (info.id == error.id) {
      return info.slug;
    }
  }
  return error_code_info(error.code).name;
}

Error unknown_dataset(Span at, std::string_view name, Candidates datasets) {
  return planner_error("APL2001", at, "no dataset named " + quoted(name),
                       near_name_or(name, datasets, "evq dataset list shows what there is"));
}

Error no_dataset_matches(Span at, std::string_view pattern) {
  return planner_error("APL2002", at, "no dataset matches " + quoted(pattern),
                       "evq dataset list shows what there is");
}

Error unknown_field(Span at, std::string_view name, std::string_view dataset, Candidates fields) {
  const std::string where = dataset.empty() ? "" : " in " + quoted(dataset);
  const std::string object = object_hint(name, fields);
  return planner_error(
      "APL2003", at, "unknown field " + quoted(name) + where,
      object.empty()
          ? near_name_or(name, fields,
                         "fields not seen yet are reached by column_ifexists('name', default)")
          : object);
}

Error made_here(Error error, Candidates made, std::string_view advice) {
  for (const std::string_view name : made) {
    if (error.id == "APL2003" && error.message.starts_with("unknown field " + quoted(name))) {
      error.hint = quoted(name) + " is made by this operator itself: " + std::string(advice);
    }
  }
  return error;
}

Error unknown_function(Span at, std::string_view name, Candidates functions) {
  return planner_error("APL2004", at, "no function named " + quoted(name),
                       function_hint(name, functions, "evq help functions lists them all"));
}

Error unknown_table_function(Span at, std::string_view name, bool piped) {
  const std::string_view instead = syntax::foreign_function_hint(name);
  return planner_error("APL2004", at, "no function named " + quoted(name),
                       instead.empty()
                           ? "define it before the query: let " + std::string(name) +
                                 (piped ? " = (T:(*)) { T | where … };" : " = () { ['logs'] | … };")
                           : "write " + std::string(instead));
}

Error unknown_aggregate(Span at, std::string_view name, Candidates aggregates) {
  return planner_error("APL2005", at, "no aggregation named " + quoted(name),
                       function_hint(name, aggregates, "evq help aggregates lists them all"));
}

Error unknown_plugin(Span at, std::string_view name, Candidates plugins) {
  return planner_error("APL2006", at, "no plugin named " + quoted(name),
                       near_or(name, plugins, "evq help evaluate lists them all"));
}

Error wrong_argument_count(Span at, std::string_view function, std::string_view expected,
                           std::size_t found, std::string_view signature) {
  return planner_error(
      "APL2007", at,
      quoted(function) + " takes " + std::string(expected) +
          (expected == "1" || expected == "at least 1" ? " argument, got " : " arguments, got ") +
          std::to_string(found),
      signature.empty() ? "" : "write " + std::string(signature));
}

Error wrong_argument_type(Span at, std::string_view function, std::size_t position,
                          std::string_view expected, std::string_view found) {
  return planner_error("APL2008", at,
                       "argument " + std::to_string(position) + " of " + quoted(function) +
                           " must be " + std::string(expected) + ", not " + std::string(found),
                       expected == "dynamic" ? "parse_json(…) reads a text, bag_pack(…) makes a bag"
                       : expected.find(' ') == std::string_view::npos
                           ? "convert it first: to" + std::string(expected) + "(…)"
                           : "convert it first, for instance with toreal or totimespan");
}

Error not_an_aggregate(Span at, std::string_view name) {
  return planner_error("APL2009", at, quoted(name) + " computes a value per row, not per group",
                       "put it inside an aggregation such as max(…), or after by");
}

Error aggregate_in_scalar(Span at, std::string_view name) {
  return planner_error("APL2010", at, quoted(name) + " is an aggregation and needs summarize",
                       "write | summarize " + std::string(name) + "(…)");
}

Error nested_aggregate(Span at, std::string_view name) {
  return planner_error("APL2011", at, quoted(name) + " stands inside another aggregation",
                       "use two summarize operators, one after the other");
}

Error field_not_grouped(Span at, std::string_view name) {
  return planner_error("APL2012", at, quoted(name) + " is neither aggregated nor grouped by",
                       "add it after by, or wrap it: take_any(" + std::string(name) + ")");
}

Error type_mismatch(Span at, std::string_view op, std::string_view left, std::string_view right) {
  return planner_error(
      "APL2013", at,
      quoted(op) + " does not work between " + std::string(left) + " and " + std::string(right),
      "convert one side, for instance with tolong(…) or tostring(…)");
}

Error predicate_not_bool(Span at, std::string_view where, std::string_view found) {
  return planner_error(
      "APL2015", at, quoted(where) + " needs a true-or-false expression, not " + std::string(found),
      "compare it: field == value, or isnotnull(field)");
}

Error constant_required(Span at, std::string_view what) {
  return planner_error("APL2016", at, std::string(what) + " must be a constant",
                       "use a literal or a let-bound scalar; fields differ from row to row");
}

Error invalid_constant(Span at, std::string_view what, std::string_view must) {
  return planner_error("APL2017", at, std::string(what) + " must " + std::string(must));
}

Error duplicate_name(Span at, std::string_view name, std::string_view where) {
  return planner_error("APL2019", at, quoted(name) + " appears twice in " + std::string(where),
                       "give one of them another name");
}

Error name_taken(Span at, std::string_view name, std::string hint) {
  return planner_error("APL2019", at, "there is a field " + quoted(name) + " already",
                       std::move(hint));
}

Error renamed_twice(Span at, std::string_view name) {
  return planner_error(
      "APL2019", at, quoted(name) + " is renamed twice",
      "| extend makes a second field of it: extend name = " + syntax::quote_name(name));
}

Error table_expected(Span at, std::string_view found) {
  return planner_error("APL2020", at, "a table is needed here, not " + std::string(found),
                       "use a dataset, a let-bound table or a query in parentheses");
}

Error scalar_expected(Span at, std::string_view found) {
  return planner_error("APL2021", at, "one value is needed here, not " + std::string(found),
                       "toscalar(…) takes the first cell of a table");
}

Error unknown_argument(Span at, std::string_view function, std::string_view name,
                       Candidates parameters) {
  return planner_error("APL2022", at, quoted(function) + " has no parameter named " + quoted(name),
                       did_you_mean(name, parameters));
}

Error named_argument(Span at, std::string_view function) {
  return planner_error("APL2022", at, "arguments of " + std::string(function) + "() have no names",
                       "write == to compare, =~ to ignore case");
}

Error duplicate_argument(Span at, std::string_view function, std::string_view name) {
  return planner_error("APL2023", at, quoted(name) + " is given twice to " + quoted(function),
                       "remove one of the two");
}

Error invalid_join_condition(Span at) {
  return planner_error("APL2024", at, "this is not a condition a join understands",
                       "write a common field, or $left.a == $right.b");
}

Error unsupported_kind(Span at, std::string_view operator_name, std::string_view kind,
                       std::string_view allowed) {
  return planner_error("APL2025", at, quoted(operator_name) + " has no kind " + quoted(kind),
                       "use one of: " + std::string(allowed));
}

Error unsupported_feature(Span at, std::string_view what, std::string_view hint) {
  return planner_error("APL2026", at, std::string(what) + " is not supported", std::string(hint));
}

Error not_serialized(Span at, std::string_view function) {
  return planner_error("APL2027", at, quoted(function) + " needs rows in a definite order",
                       "put | sort by … or | serialize before it");
}

Error invalid_regex(Span at, const Error& reason) {
  const bool special = !reason.hint.empty() && !reason.hint.starts_with("the syntax is");
  return planner_error(
      "APL2028", at, reason.message,
      special ? reason.hint : "the syntax is RE2's: no look-around, no back-references");
}

Error recursive_function(Span at, std::string_view name) {
  return planner_error("APL2029", at, quoted(name) + " refers to itself",
                       "a let may use only what is defined before it");
}

Error recursive_call(Span at, std::string_view function) {
  return planner_error("APL2029", at, "the function " + quoted(function) + " calls itself",
                       "a function may call only those that are defined before it");
}

Error misplaced_star(Span at) {
  return planner_error("APL2030", at, "'*' does not stand for all fields here",
                       "it works in distinct *, where * has …, and calls such as arg_max(x, *)");
}

Error missing_argument(Span at, std::string_view function, std::string_view name) {
  return planner_error("APL2031", at, quoted(function) + " needs a value for " + quoted(name),
                       "write " + std::string(function) + "(" + std::string(name) + " = …)");
}

Error row_shape(Span at, std::size_t values, std::size_t columns) {
  return planner_error("APL2032", at,
                       std::to_string(values) + " values do not fill rows of " +
                           std::to_string(columns) + " columns",
                       "write the table row by row, a value for every column");
}

Error operator_not_allowed(Span at, std::string_view operator_name, std::string_view where) {
  const std::string subject = operator_name.empty() ? "this operator" : quoted(operator_name);
  return planner_error("APL2033", at, subject + " is not allowed in " + std::string(where),
                       std::string(where) + " takes a dataset, where and search only");
}

Error limit_exceeded(Span at, std::string_view what, std::size_t limit) {
  return planner_error("APL2034", at,
                       "more than " + std::to_string(limit) + " " + std::string(what),
                       "split the query, or load the values into a dataset");
}

Error name_required(Span at, std::string_view where) {
  return planner_error("APL2035", at, quoted(where) + " takes the name of a field here",
                       "compute values with extend first");
}

}  // namespace evq::diag
