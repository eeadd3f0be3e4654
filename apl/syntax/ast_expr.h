#pragma once
// Scalar expressions of APL as they were written: one struct per form, held in the variant of
// ast::Expr, every node with the span of the text it came from. Names are not resolved here.
// Include "apl/syntax/ast.h", which completes the types this file only declares.
//
// No expression tree is higher than kQueryDepthMax nodes (`and`/`or` chains are one node with many
// operands), so recursion over a parsed tree is safe.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "store/base/error.h"
#include "store/column/type.h"
#include "store/column/value.h"

namespace evq::ast {

struct Expr;
struct Pipeline;
using ExprPtr = std::unique_ptr<Expr>;
using PipelinePtr = std::unique_ptr<Pipeline>;

// A name as meant, without quotes and escapes.
struct Name {
  std::string text;
  Span span;
  bool quoted = false;  // written ['…'] or ["…"]
};

// A name with wildcards: the literal parts between the stars. One part: an ordinary name;
// {"data", ""} is data*, {"", ""} is *. Unquoted paths (geo.city) are joined by dots.
struct NamePattern {
  std::vector<std::string> parts;
  Span span;

  bool is_wild() const { return parts.size() > 1; }
  bool matches(std::string_view name) const;
  // Returns the parts joined by stars, for messages.
  std::string text() const;
};

// A literal of any scalar type, typed nulls included; dynamic literals as dynamic bytes.
struct Literal {
  Value value;
};

// An unqualified name: a field, a let-bound scalar or table, $left, $right.
struct FieldRef {
  Name name;
};

// object.key
struct Member {
  ExprPtr object;
  Name key;
};

// object[key]: key is a string, a number or any expression.
struct Index {
  ExprPtr object;
  ExprPtr key;
};

// `*` as an argument, in `where * has …`, `distinct *`, and as a search term.
struct Star {};

// An argument; `name = expr` where a name is given.
struct Argument {
  std::optional<Name> name;
  ExprPtr value;
};

// function(arguments); toscalar, materialize and table functions get Subquery arguments.
struct Call {
  Name function;
  std::vector<Argument> arguments;
};

enum class UnaryOp : std::uint8_t { kMinus, kPlus, kNot };  // kNot only inside search predicates

struct Unary {
  UnaryOp op;
  ExprPtr operand;
};

enum class BinaryOp : std::uint8_t {
  kMultiply,
  kDivide,
  kModulo,
  kAdd,
  kSubtract,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqualFold,     // =~
  kNotEqualFold,  // !~
  kMatchesRegex,
  kContains,
  kContainsCs,
  kStartswith,
  kStartswithCs,
  kEndswith,
  kEndswithCs,
  kHas,
  kHasCs,
  kHasprefix,
  kHasprefixCs,
  kHassuffix,
  kHassuffixCs,
};
// The operators' order keeps these together.
constexpr bool is_search(BinaryOp op) {  // tests that `search` makes of a text as well
  return op == BinaryOp::kContains || op == BinaryOp::kContainsCs || op >= BinaryOp::kHas;
}
constexpr bool is_arithmetic(BinaryOp op) {
  return op >= BinaryOp::kMultiply && op <= BinaryOp::kSubtract;
}
constexpr bool is_comparison(BinaryOp op) {
  return op >= BinaryOp::kEqual && op <= BinaryOp::kGreaterEqual;
}

// Returns the name printed and looked up: "+", "==", "has_cs"; `negated` forms add a leading "!".
std::string_view binary_op_text(BinaryOp op);

// left op right; `negated` for !has, !contains, … (never for symbols, which have their own op).
struct Binary {
  BinaryOp op;
  bool negated = false;
  ExprPtr left;
  ExprPtr right;
};

// A chain of `and` or of `or` with two or more operands, in order.
struct Logical {
  bool is_or = false;
  std::vector<ExprPtr> operands;
};

enum class MembershipOp : std::uint8_t { kIn, kInFold, kHasAny, kHasAnyCs, kHasAll, kHasAllCs };

std::string_view membership_op_text(MembershipOp op);  // "in", "in~", "has_any", …

// value in (list), !in, in~, has_any (…), has_all (…); a list item may be a Subquery.
struct Membership {
  MembershipOp op;
  bool negated = false;
  ExprPtr value;
  std::vector<ExprPtr> list;
};

// value between (low .. high)
struct Between {
  bool negated = false;
  ExprPtr value;
  ExprPtr low;
  ExprPtr high;
};

// A column of a datatable, externaldata, evaluate or parameter schema.
struct ColumnSpec {
  Name name;
  Type type = Type::kString;
  Span type_span;
};

// typeof(long), or typeof(a:long, b:string) for several columns.
struct TypeOf {
  Type type = Type::kDynamic;
  std::vector<ColumnSpec> columns;  // empty for the plain form
};

// A parenthesised pipeline used as a value: in ((T | …)), toscalar(T | …), a table argument.
struct Subquery {
  PipelinePtr pipeline;
};

// field : term, inside search predicates only.
struct SearchTerm {
  ExprPtr field;
  ExprPtr term;
};

using ExprNode = std::variant<Literal, FieldRef, Member, Index, Star, Call, Unary, Binary, Logical,
                              Membership, Between, TypeOf, Subquery, SearchTerm>;

struct Expr {
  Span span;
  int height = 1;  // of this tree, kept by the parser to bound recursion
  ExprNode node;
};

// `name = expr`, `(a, b) = expr`, or a bare expr without names.
struct NamedExpr {
  std::vector<Name> names;  // none: the planner derives the output name
  ExprPtr value;
  Span span;
};

}  // namespace evq::ast
