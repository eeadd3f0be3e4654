#pragma once
// Small steps of the lowering files: putting one node on another, projections and filters.
// Relations go in and come out by value; what is known of their rows goes along. Pure.

#include <cstddef>
#include <string>
#include <vector>

#include "apl/plan/binding.h"
#include "apl/plan/relation.h"

namespace evq::plan {

NodePtr stack(NodePtr input, Operation op, Schema schema);

// A projection to exactly the listed columns. What is known of a column goes on, by its new name,
// where it passes as it is.
Relation choose(Relation input, std::vector<NamedColumn> columns);
// As choose(), with the hidden columns that are not listed besides.
Relation project(Relation input, std::vector<NamedColumn> columns);
// All visible columns as they are.
std::vector<NamedColumn> pass_through(const Relation& input);
// A further hidden or visible column at the end; its position is schema().size() - 1.
Relation append(Relation input, std::string name, ExprPtr expr);
Relation filter(Relation input, ExprPtr predicate);
// `value` over `input`, of which several expressions will be made: what is computed becomes a
// hidden column of `input`, so that it is worked out once for all of them.
ExprPtr computed_once(ExprPtr value, Relation* input);

// Hidden columns among the first `count` of `schema`, as they are.
void add_hidden(const Schema& schema, std::size_t count, std::vector<NamedColumn>* columns);

}  // namespace evq::plan
