#pragma once
// Small steps of the lowering files: putting one node on another, projections and filters.
// Relations go in and come out by value; what is known of their rows goes along. Pure.

#include <cstddef>
#include <string>
#include <string_view>
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
// Of rows that were made of those of `schema`, about which `from` is known: where paths lead to and
// into the columns. One that passes by its name stays what it was, all others are made now.
void follow_paths(const RelationTraits& from, const Schema& schema,
                  const std::vector<NamedColumn>& columns, RelationTraits* to);
// The columns of a table that the query itself writes or reads are all made at once.
Relation made_by_query(Relation table);
// What the query may name: those, and virtual fields.
std::vector<std::string_view> visible_names(const Relation& input);
// A further hidden or visible column at the end; its position is schema().size() - 1.
Relation append(Relation input, std::string name, ExprPtr expr);
// Whether that becomes another column of the projection on top, which passes all columns of its own
// input on: of nothing else that it makes. Otherwise the plan gets another projection.
bool joins_projection(const Relation& input, const Expr& expr);
// As how many expressions of a query it counts to make column number `column` for an item of an
// operator, which may have thousands of them: a new operator carries all columns before it, and one
// that is joined (`joins`) names them once more.
std::size_t carried(std::size_t column, bool joins);
Relation filter(Relation input, ExprPtr predicate);
// Gives a natural stream its order explicitly: newest or oldest first. For `asker` see Sort.
Relation order_naturally(Relation input, bool ascending, std::string_view asker = Sort().asker);
// Hidden columns among the first `count` of `schema`, as they are.
void add_hidden(const Schema& schema, std::size_t count, std::vector<NamedColumn>* columns);

}  // namespace evq::plan
