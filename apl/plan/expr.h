#pragma once
// Bound expressions: what an AST expression means once names, types and overloads are resolved.
// A tree of three kinds of node; immutable after optimisation. Everything that computes is a
// Call of a function row, operators included (op_add, op_and, …), so the evaluator, the optimiser
// and the slow twin know one thing only.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "apl/functions/registry.h"
#include "store/base/error.h"

namespace evq::plan {

enum class ExprKind : std::uint8_t { kColumn, kConstant, kCall };

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  Type type = Type::kNull;
  Span span;  // where it was written, for messages

  std::size_t column = 0;                    // kColumn: position in the input's schema
  Value constant;                            // kConstant
  const ScalarFunction* function = nullptr;  // kCall; kConstant: what was folded, or null
  BoundCall call;                            // kCall; arguments already have its types
  std::vector<ExprPtr> args;                 // kCall
  // kCall: number of a draw, for an argument of a query's own function that draws (rand()) and its
  // copies where the function names it: one number, one draw (shared_draw.h). Else 0.
  std::uint64_t draw = 0;
  bool by_kind = false;  // kCall: a comparison that depends on what a dynamic holds (by_kind.h)

  bool is_constant() const { return kind == ExprKind::kConstant; }
  bool is_column() const { return kind == ExprKind::kColumn; }
  // True for a call of the function row called `name`.
  bool is_call(std::string_view name) const;
  // True for such a call, and for the constant that one became.
  bool comes_of(std::string_view name) const;
};

ExprPtr make_column(std::size_t column, Type type, Span span = {});
ExprPtr make_constant(Value value, Span span = {});
// Binds `function` over `args` (inserting implicit casts); an error carries the argument's span.
Result<ExprPtr> make_call(const ScalarFunction& function, std::vector<ExprPtr> args,
                          const EvalContext& context, Span span);
ExprPtr make_cast(ExprPtr expr, Type type);
ExprPtr clone(const Expr& expr);
// Whether both give the same value for every row; false for expressions that draw their values.
bool expr_equal(const Expr& a, const Expr& b);
// Counts the nodes of the whole tree.
std::size_t node_count(const Expr& expr);

// Calls `visit(column)` for each column reference, pre-order: as often as a column is mentioned.
void for_each_column(const Expr& expr, const std::function<void(std::size_t)>& visit);
// Whether `expr` reads a column of which `is_one` is true; without `is_one`, any column.
bool reads_column(const Expr& expr, const std::function<bool(std::size_t)>& is_one = {});
// The new position of a column that is gone.
inline constexpr std::size_t kNoColumn = static_cast<std::size_t>(-1);
// Replaces every column reference c by mapping[c].
void remap_columns(Expr* expr, const std::vector<std::size_t>& mapping);
// False when the same row may give another value another time (rand, now before folding).
bool is_deterministic(const Expr& expr);

}  // namespace evq::plan
