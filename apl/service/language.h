#pragma once
// What the reference says of the language besides its operators, aggregates and functions: the
// operators of expressions, topics such as literals and types, and where evq's language parts from
// what Axiom documents. `evq help`, evq-apl(7) and the tests read these tables; there is no second
// description.

#include <span>
#include <string_view>

#include "apl/functions/function.h"

namespace evq {

// An operator between or in front of values.
struct ExpressionOperator {
  std::string_view spelling;
  std::string_view category;  // arithmetic, comparison, text, membership, logic, access
  std::string_view summary;   // one sentence
  Example example;
};

struct LanguageTopic {
  std::string_view name;  // "literals"
  std::string_view title;
  std::string_view text;  // paragraphs, separated by empty lines; each a few sentences
  Example examples[6];
  std::string_view words[13] = {};  // of the language that it explains
};

struct LanguageDifference {
  std::string_view subject;  // "int / int"
  std::string_view here;     // what evq does, and why
};

std::span<const ExpressionOperator> expression_operators();
std::span<const LanguageTopic> language_topics();
// Returns the differences from Axiom's documentation, and from Kusto's where Axiom is silent.
std::span<const LanguageDifference> axiom_differences();
std::span<const LanguageDifference> kusto_differences();

}  // namespace evq
