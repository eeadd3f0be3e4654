// extend j = parse_json(t) | project j.a.b, j.a.c reads these members of each text instead of all
// of it: where nobody sees the value of a call itself, but only elements of it, the call becomes
// one that makes these alone.

#include <algorithm>
#include <utility>
#include <vector>

#include "apl/plan/element_call.h"
#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// What asks for elements of the one column.
struct Uses {
  std::vector<const Expr*> indexes;  // of the column, one of each kind
  bool whole = false;                // somebody sees the value itself
};

bool is_element_of(const Expr& expr, std::size_t column) {
  return expr.is_call("op_index") && expr.args[0]->is_column() && expr.args[0]->column == column &&
         expr.args[1]->is_constant();
}

void find_uses(const Expr& expr, std::size_t column, Uses* uses) {
  if (is_element_of(expr, column)) {
    const auto is_same = [&](const Expr* known) { return expr_equal(*known, expr); };
    if (std::ranges::none_of(uses->indexes, is_same)) {
      uses->indexes.push_back(&expr);
    }
    // No function takes more.
    uses->whole = uses->whole || uses->indexes.size() > kOverloadParametersMax;
    return;
  }
  uses->whole = uses->whole || (expr.is_column() && expr.column == column);
  for (std::size_t i = 0; !uses->whole && i < expr.args.size(); ++i) {
    find_uses(*expr.args[i], column, uses);
  }
}

// Puts the column in the place of its one element that is asked for.
void take_out(ExprPtr* expr, std::size_t column) {
  if (is_element_of(**expr, column)) {
    *expr = make_column(column, (*expr)->type, (*expr)->span);
    return;
  }
  for (ExprPtr& arg : (*expr)->args) {
    take_out(&arg, column);
  }
}

// One projection, and all expressions that read its columns.
class Narrowing {
 public:
  Narrowing(Project& made, std::vector<ExprPtr*> users, const EvalContext& context)
      : made_(made), users_(std::move(users)), context_(context) {}

  void narrow_all() {
    for (std::size_t column = 0; column < made_.exprs.size(); ++column) {
      while (has_elements(*made_.exprs[column]) && narrow(column)) {
      }
    }
  }

 private:
  // Whether the column is an element now of what it was, of which elements may be asked for.
  bool narrow(std::size_t column) {
    Uses uses;
    for (const ExprPtr* user : users_) {
      find_uses(**user, column, &uses);
    }
    if (uses.whole || uses.indexes.empty()) {
      return false;
    }
    ExprPtr& call = made_.exprs[column];
    if (uses.indexes.size() > 1) {
      ExprPtr members = members_call(*call, uses.indexes, context_);
      call = members == nullptr ? std::move(call) : std::move(members);
      return false;
    }
    ExprPtr index = clone(*uses.indexes[0]);
    index->args[0] = clone(*call);
    ExprPtr element = element_call(*index, context_);
    if (element == nullptr || element->type != call->type) {
      return false;
    }
    call = std::move(element);
    for (ExprPtr* user : users_) {
      take_out(user, column);
    }
    return true;
  }

  Project& made_;
  const std::vector<ExprPtr*> users_;
  const EvalContext& context_;
};

}  // namespace

NodePtr take_members(NodePtr root, const EvalContext& context) {
  return rewrite_bottom_up(std::move(root), [&context](NodePtr node) -> NodePtr {
    auto* upper = std::get_if<Project>(&node->op);
    if (upper == nullptr) {
      return node;
    }
    std::vector<ExprPtr*> users;
    for (ExprPtr& expr : upper->exprs) {
      users.push_back(&expr);
    }
    Node* below = node->inputs[0].get();
    while (auto* filter = std::get_if<Filter>(&below->op)) {
      users.push_back(&filter->predicate);
      below = below->inputs[0].get();
    }
    if (auto* made = std::get_if<Project>(&below->op)) {
      Narrowing(*made, std::move(users), context).narrow_all();
    }
    return node;
  });
}

}  // namespace evq::plan
