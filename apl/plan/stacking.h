#pragma once
// Small steps of the lowering files: putting one node on another, projections and filters.
// Relations go in and come out by value; what is known of their rows goes along. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "apl/plan/bind.h"
#include "apl/plan/binding.h"
#include "apl/plan/relation.h"

namespace evq::plan {

NodePtr stack(NodePtr input, Operation op, Schema schema);

// Projects to exactly the listed columns. What is known of a column goes on, by its new name, where
// it passes as it is.
Relation choose(Relation input, std::vector<NamedColumn> columns);
// As choose(), but keeps the hidden columns that are not listed.
Relation project(Relation input, std::vector<NamedColumn> columns);
// Lists all visible columns as they are.
std::vector<NamedColumn> pass_through(const Relation& input);
// Sets what is known of paths in `to` after a projection of rows of `schema`, of which `from` is
// known, to `columns`. A column that keeps its name stays what it was, all others are made now.
void follow_paths(const RelationTraits& from, const Schema& schema,
                  const std::vector<NamedColumn>& columns, RelationTraits* to);
// Marks the columns of a table that the query itself writes or reads as made, all at once.
Relation made_by_query(Relation table);
// Returns the names of visible columns and of virtual fields.
std::vector<std::string_view> visible_names(const Relation& input);
// Appends a column, hidden or visible; its position is schema().size() - 1.
Relation append(Relation input, std::string name, ExprPtr expr);
// Whether append() extends the projection on top: that must pass all columns of its input, and
// `expr` may read nothing else that it makes. Otherwise the plan gets another projection.
bool joins_projection(const Relation& input, const Expr& expr);
// Returns how many of a query's expressions it counts as to make column number `column`, of which
// there may be thousands: a new operator carries all columns before it, and one that is joined to a
// projection (`joins`) names them once more.
std::size_t carried(std::size_t column, bool joins);
Relation filter(Relation input, ExprPtr predicate);
// Gives a natural stream its order explicitly. For `asker` see Sort.
Relation order_naturally(Relation input, EventOrder order, std::string_view asker = Sort().asker);
// Appends the hidden ones among the first `count` columns of `schema`, as they are.
void add_hidden(const Schema& schema, std::size_t count, std::vector<NamedColumn>* columns);

}  // namespace evq::plan
