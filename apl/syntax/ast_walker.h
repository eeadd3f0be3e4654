#pragma once
// Traversal of expressions, pre-order, without recursion, for callers that only look at nodes.
// Subqueries are visited as nodes; their pipelines are not entered.

#include <utility>
#include <variant>
#include <vector>

#include "apl/syntax/ast.h"

namespace evq::ast {

// Appends the direct children of `expr`, left to right; null children are left out.
inline void append_children(const Expr& expr, std::vector<const Expr*>* out) {
  const auto add = [out](const ExprPtr& child) {
    if (child) {
      out->push_back(child.get());
    }
  };
  if (const auto* member = std::get_if<Member>(&expr.node)) {
    add(member->object);
  } else if (const auto* index = std::get_if<Index>(&expr.node)) {
    add(index->object);
    add(index->key);
  } else if (const auto* call = std::get_if<Call>(&expr.node)) {
    for (const Argument& argument : call->arguments) {
      add(argument.value);
    }
  } else if (const auto* unary = std::get_if<Unary>(&expr.node)) {
    add(unary->operand);
  } else if (const auto* binary = std::get_if<Binary>(&expr.node)) {
    add(binary->left);
    add(binary->right);
  } else if (const auto* logical = std::get_if<Logical>(&expr.node)) {
    for (const ExprPtr& operand : logical->operands) {
      add(operand);
    }
  } else if (const auto* membership = std::get_if<Membership>(&expr.node)) {
    add(membership->value);
    for (const ExprPtr& item : membership->list) {
      add(item);
    }
  } else if (const auto* between = std::get_if<Between>(&expr.node)) {
    add(between->value);
    add(between->low);
    add(between->high);
  } else if (const auto* term = std::get_if<SearchTerm>(&expr.node)) {
    add(term->field);
    add(term->term);
  }
}

// Calls visit(node) for `root` and everything below it, parents first, left to right. Where visit
// returns false, the node's children are left out.
template <class Visit>
void walk(const Expr& root, Visit visit) {
  std::vector<const Expr*> waiting{&root};
  std::vector<const Expr*> children;
  while (!waiting.empty()) {
    const Expr* expr = waiting.back();
    waiting.pop_back();
    if (!visit(*expr)) {
      continue;
    }
    children.clear();
    append_children(*expr, &children);
    waiting.insert(waiting.end(), children.rbegin(), children.rend());
  }
}

}  // namespace evq::ast
