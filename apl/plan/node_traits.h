#pragma once
// What each kind of node does with the rows, the order and the columns of its inputs: the one place
// that tells, for passes and for the executor, which ask for the fact that they rest on instead of
// listing kinds. A kind without a row in node_traits.cpp does not compile. What the kinds of joins
// do besides stands in join_kinds.h. Pure; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "apl/plan/plan.h"

namespace evq::plan {

// What the rows that come out are made of.
enum class RowsMade : std::uint8_t {
  kAnew,       // no rows of an input
  kOfEach,     // each row of the one input makes one
  kOfSome,     // each row of the one input makes one, or none
  kAnyNumber,  // each row of the one input makes any number
  kOfInputs,   // each row of each input makes one
  kOfSeveral,  // rows of the inputs are put together
};

enum class ColumnsMade : std::uint8_t {
  kSame,      // those of the input, or of each of them
  kAppended,  // those of the input, and others behind them
  kComputed,  // one for each expression
  kOther,
};

// In which order rows come, one chunk after the other, where one sink is asked for.
enum class RowOrder : std::uint8_t { kNone, kOfInput, kOwn };

// Whether the order in which the rows of its inputs come can be seen in what comes out.
enum class OrderSeen : std::uint8_t {
  kNever,
  kInOrder,  // only in the order of what comes out
  kInRows,   // in the rows themselves, or whether they come out
};

struct NodeTraits {
  RowsMade rows;
  ColumnsMade columns;
  RowOrder order;
  OrderSeen order_seen;
  // Whether what a row makes depends on that row alone: rows that make nothing that is needed may
  // be left out before.
  bool by_row = false;
  // Whether it makes the same rows again of the same rows, as far as its expressions do (draws()).
  bool repeats = true;

  constexpr bool one_row_at_most() const {
    return rows == RowsMade::kOfEach || rows == RowsMade::kOfSome;
  }
  // Filters, projections and extractions: each row that comes out is one that came in, by itself.
  constexpr bool maps_rows() const { return by_row && one_row_at_most(); }
  // Whether one column more, behind the others of the input, can be handed on.
  constexpr bool can_pass_column() const {
    return columns == ColumnsMade::kSame || columns == ColumnsMade::kComputed;
  }
};

NodeTraits traits_of(const Operation& op);

// Whether the results of an aggregation depend on the order of its rows.
bool looks_at_order(const Aggregate& op);

// Finds the column of `node`'s one input, or of each of its inputs, that comes out as column
// `column`, unchanged; nothing for one that is made here, or by a join.
std::optional<std::size_t> column_below(const Node& node, std::size_t column);

// Finds the operator that puts the rows of `node` in the order in which they come, one chunk after
// the other, where one sink is asked for; null where they come otherwise.
const Node* ordered_below(const Node& node);

// Returns the plan that `node` reads besides its inputs, which it shares or runs; null without one.
const Node* subplan_of(const Node& node);

// Whether the operator by itself may give other rows or values when it is run again; see draws() of
// a whole plan.
bool draws_itself(const Operation& op);

// Calls `visit` with each expression of an operator, an ExprPtr.
template <class Op, class Visit>
void for_each_expr(Op& op, const Visit& visit) {
  if (auto* scan = std::get_if<Scan>(&op)) {
    for (auto& filter : scan->filters) {
      visit(filter);
    }
  } else if (auto* filter = std::get_if<Filter>(&op)) {
    visit(filter->predicate);
  } else if (auto* project = std::get_if<Project>(&op)) {
    for (auto& expr : project->exprs) {
      visit(expr);
    }
  } else if (auto* extract = std::get_if<Extract>(&op)) {
    visit(extract->source);
  }
}

}  // namespace evq::plan
