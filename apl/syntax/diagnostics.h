#pragma once
// Every message of the front end, one function and one stable code each, so that wording is
// reviewed in one place (diagnostics.cpp and diagnostics_syntax.cpp). APL1xxx come from the parser,
// APL2xxx from the planner. All give an Error of code kCompile with span, one sentence and a hint.
//
// Candidates of "did you mean" are any range of names; the functions keep nothing of them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/base/error.h"

namespace evq::diag {

struct DiagnosticInfo {
  std::string_view id;    // APL2003
  std::string_view slug;  // unknown-field
};
std::span<const DiagnosticInfo> all_diagnostics();
// Finds an id as Error::id holds it; empty when no diagnostic has it.
std::string_view find_diagnostic_id(std::string_view id);
// Returns "unknown-field" for "APL2003"; the error code's name for an error without an id.
std::string_view slug_of(const Error& error);

// ---------------------------------------------------------------------------------- nearest names

using Candidates = std::span<const std::string_view>;

struct Suggestion {
  std::string best;               // empty: nothing is near enough
  std::vector<std::string> also;  // at most two more, nearest first
};
Suggestion suggest(std::string_view name, Candidates candidates);
// Suggests the longer names that have `name` as a word: 'Major Genre' for 'genre'.
Suggestion suggest_by_word(std::string_view name, Candidates candidates);
// Writes "did you mean 'count'?   (also: countif, dcount)"; empty when nothing is near. A name of a
// dataset or a field stands there as it is written in a query: ['Major Genre'].
enum class Suggested : std::uint8_t { kWord, kName };
std::string did_you_mean(const Suggestion& suggestion, Suggested what);
std::string did_you_mean(std::string_view name, Candidates candidates);
// Rewrites a hint, which is laid out for a line of its own, for use within a text: "did you mean
// 'count'? also: countif, dcount".
std::string inline_hint(std::string_view hint);

// --------------------------------------------------------------------------- parser (APL1xxx)

Error unexpected_character(Span at, std::string_view rest);  // of the text, from there on
Error unterminated_string(Span at);
Error unterminated_fence(Span at);
Error unterminated_name(Span at);
// Hints of invalid_number(), which tell what is wrong with the number.
inline constexpr std::string_view kWholeNumberHint =
    "whole numbers have 64 bits; write 1e30 for a larger, approximate one";
inline constexpr std::string_view kRealRangeHint =
    "numbers reach from -1.8e308 to 1.8e308; infinity is real(+inf)";
inline constexpr std::string_view kTimespanRangeHint =
    "timespans reach from -106751d to 106751d, some 292 years";
Error invalid_number(Span at, std::string_view text, std::string_view hint);
Error invalid_literal(Span at, std::string_view type, std::string_view text);
Error unexpected_token(Span at, std::string_view expected, std::string_view found);
Error unexpected_end(Span at, std::string_view expected);
Error unclosed_bracket(Span open, char bracket);
Error unmatched_bracket(Span close, char bracket);
Error unknown_operator(Span at, std::string_view name, Candidates operators);
Error missing_pipe(Span at, std::string_view name);
// Hints of errors at the beginning of another query.
inline constexpr std::string_view kNextLineHint =
    "the end of a line does not end a query: run them one by one";
inline constexpr std::string_view kOneByOneHint =
    "a blank line does not end a query: run them one by one";
Error foreign_operator(Span at, std::string_view name, std::string_view language,
                       std::string_view hint);
Error single_equals(Span at);
Error foreign_symbol(Span at, std::string_view symbol, std::string_view instead);
Error like_operator(Span at);
Error null_comparison(Span at, bool is_not);
Error unquoted_dashes(Span at, std::string_view name);
Error foreign_comment(Span at, std::string_view symbol);
Error upper_case_keyword(Span at, std::string_view name);
Error chained_comparison(Span at, std::string_view op);
Error text_too_long(std::size_t bytes_max);
Error nested_too_deep(Span at, std::size_t depth_max);
Error too_many_operators(Span at, std::size_t operators_max);
Error empty_query();
Error invalid_option_value(Span at, std::string_view option, std::string_view value,
                           Candidates allowed);
Error unknown_option(Span at, std::string_view operator_name, std::string_view option,
                     Candidates allowed);
Error unknown_type(Span at, std::string_view name);
Error quoted_timespan(Span at, std::string_view text);
Error invalid_utf8(Span at);
Error name_too_long(Span at, std::size_t bytes_max);
Error missing_clause(Span at, std::string_view operator_name, std::string_view clause);
Error unknown_chart(Span at, std::string_view name, Candidates charts);

// -------------------------------------------------------------------------- planner (APL2xxx)

Error unknown_dataset(Span at, std::string_view name, Candidates datasets);
Error no_dataset_matches(Span at, std::string_view pattern);
// `where` names the input ("'web'" without the quotes), or is empty for a computed input.
Error unknown_field(Span at, std::string_view name, std::string_view dataset, Candidates fields);
// Adds `advice` to `error` when its unknown field is one that the same operator makes.
Error made_here(Error error, Candidates made, std::string_view advice);
Error unknown_function(Span at, std::string_view name, Candidates functions);
// The error where a table is wanted; `piped`: behind invoke, which gives it one.
Error unknown_table_function(Span at, std::string_view name, bool piped);
Error unknown_aggregate(Span at, std::string_view name, Candidates aggregates);
Error unknown_plugin(Span at, std::string_view name, Candidates plugins);
// `expected` is text such as "2", "1 to 3", "at least 1"; `signature` may be empty.
Error wrong_argument_count(Span at, std::string_view function, std::string_view expected,
                           std::size_t found, std::string_view signature);
Error wrong_argument_type(Span at, std::string_view function, std::size_t position,
                          std::string_view expected, std::string_view found);
Error not_an_aggregate(Span at, std::string_view name);
Error aggregate_in_scalar(Span at, std::string_view name);
Error nested_aggregate(Span at, std::string_view name);
Error field_not_grouped(Span at, std::string_view name);
// The error of `op` between a left and a right of these types.
Error type_mismatch(Span at, std::string_view op, std::string_view left, std::string_view right);
Error predicate_not_bool(Span at, std::string_view where, std::string_view found);
Error constant_required(Span at, std::string_view what);
// `must` completes "what must …": "be a positive number".
Error invalid_constant(Span at, std::string_view what, std::string_view must);
Error duplicate_name(Span at, std::string_view name, std::string_view where);
// The errors of a new name that is taken, and of one field under two new names.
Error name_taken(Span at, std::string_view name, std::string hint);
Error renamed_twice(Span at, std::string_view name);
Error table_expected(Span at, std::string_view found);
Error scalar_expected(Span at, std::string_view found);
Error named_argument(Span at, std::string_view function);
Error unknown_argument(Span at, std::string_view function, std::string_view name,
                       Candidates parameters);
Error duplicate_argument(Span at, std::string_view function, std::string_view name);
Error invalid_join_condition(Span at);
Error unsupported_kind(Span at, std::string_view operator_name, std::string_view kind,
                       std::string_view allowed);
Error unsupported_feature(Span at, std::string_view what, std::string_view hint);
Error not_serialized(Span at, std::string_view function);
Error invalid_regex(Span at, const Error& reason);
Error recursive_function(Span at, std::string_view name);
Error recursive_call(Span at, std::string_view function);
Error misplaced_star(Span at);
Error missing_argument(Span at, std::string_view function, std::string_view name);
Error row_shape(Span at, std::size_t values, std::size_t columns);
Error operator_not_allowed(Span at, std::string_view operator_name, std::string_view where);
Error limit_exceeded(Span at, std::string_view what, std::size_t limit);
// A value that APL takes only as a name: project-rename a = b + 1.
Error name_required(Span at, std::string_view where);

}  // namespace evq::diag
