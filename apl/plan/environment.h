#pragma once
// Environment: the names that a query has made known at some place of it, and what they mean. The
// Binder owns the frames; they live as long as it does.

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "apl/plan/plan.h"
#include "apl/plan/relation.h"
#include "apl/syntax/ast.h"

namespace evq::plan {

// Names that lets, function parameters and variables define. Frames nest; the innermost wins.
struct Environment {
  struct Scalar {
    ExprPtr expr;       // over no columns, or over the caller's for a function's argument
    int pipelines = 0;  // number of pipelines around it where it has these columns
  };
  struct LetExpr {  // a scalar or a table, bound where it is used
    const ast::Expr* expr = nullptr;
    const Environment* defined_in = nullptr;
  };
  struct LetPipeline {
    const ast::Pipeline* pipeline = nullptr;
    const Environment* defined_in = nullptr;
  };
  struct Function {
    const ast::Lambda* lambda = nullptr;
    const Environment* defined_in = nullptr;
  };
  struct BoundTable {  // a table argument or the name of an `as`: computed once
    std::shared_ptr<const Node> plan;
    RelationTraits traits;
  };
  using Meaning = std::variant<Scalar, LetExpr, LetPipeline, Function, BoundTable>;

  const Environment* outer = nullptr;
  std::map<std::string, Meaning, std::less<>> names;

  const Meaning* find(std::string_view name) const;
  // As find(), but null for a table.
  const Meaning* find_scalar(std::string_view name) const;
};

}  // namespace evq::plan
