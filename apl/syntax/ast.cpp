#include "apl/syntax/ast.h"

namespace evq::ast {

// Greedy matching from the left is exact here: each literal part must occur in order, the first at
// the start and the last at the end.
bool NamePattern::matches(std::string_view name) const {
  if (parts.empty()) {
    return false;
  }
  if (parts.size() == 1) {
    return name == parts.front();
  }
  if (!name.starts_with(parts.front())) {
    return false;
  }
  name.remove_prefix(parts.front().size());
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t found = name.find(parts[i]);
    if (found == std::string_view::npos) {
      return false;
    }
    name.remove_prefix(found + parts[i].size());
  }
  return name.ends_with(parts.back());
}

std::string NamePattern::text() const {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    out += (i == 0 ? "" : "*") + parts[i];
  }
  return out;
}

std::string_view binary_op_text(BinaryOp op) {
  switch (op) {
    case BinaryOp::kMultiply:
      return "*";
    case BinaryOp::kDivide:
      return "/";
    case BinaryOp::kModulo:
      return "%";
    case BinaryOp::kAdd:
      return "+";
    case BinaryOp::kSubtract:
      return "-";
    case BinaryOp::kEqual:
      return "==";
    case BinaryOp::kNotEqual:
      return "!=";
    case BinaryOp::kLess:
      return "<";
    case BinaryOp::kLessEqual:
      return "<=";
    case BinaryOp::kGreater:
      return ">";
    case BinaryOp::kGreaterEqual:
      return ">=";
    case BinaryOp::kEqualFold:
      return "=~";
    case BinaryOp::kNotEqualFold:
      return "!~";
    case BinaryOp::kMatchesRegex:
      return "matches regex";
    case BinaryOp::kContains:
      return "contains";
    case BinaryOp::kContainsCs:
      return "contains_cs";
    case BinaryOp::kStartswith:
      return "startswith";
    case BinaryOp::kStartswithCs:
      return "startswith_cs";
    case BinaryOp::kEndswith:
      return "endswith";
    case BinaryOp::kEndswithCs:
      return "endswith_cs";
    case BinaryOp::kHas:
      return "has";
    case BinaryOp::kHasCs:
      return "has_cs";
    case BinaryOp::kHasprefix:
      return "hasprefix";
    case BinaryOp::kHasprefixCs:
      return "hasprefix_cs";
    case BinaryOp::kHassuffix:
      return "hassuffix";
    case BinaryOp::kHassuffixCs:
      return "hassuffix_cs";
  }
  return "";
}

std::string_view membership_op_text(MembershipOp op) {
  switch (op) {
    case MembershipOp::kIn:
      return "in";
    case MembershipOp::kInFold:
      return "in~";
    case MembershipOp::kHasAny:
      return "has_any";
    case MembershipOp::kHasAnyCs:
      return "has_any_cs";
    case MembershipOp::kHasAll:
      return "has_all";
    case MembershipOp::kHasAllCs:
      return "has_all_cs";
  }
  return "";
}

std::string_view join_kind_text(JoinKind kind) {
  switch (kind) {
    case JoinKind::kDefault:
      return "";
    case JoinKind::kInner:
      return "inner";
    case JoinKind::kInnerUnique:
      return "innerunique";
    case JoinKind::kLeftOuter:
      return "leftouter";
    case JoinKind::kRightOuter:
      return "rightouter";
    case JoinKind::kFullOuter:
      return "fullouter";
    case JoinKind::kLeftAnti:
      return "leftanti";
    case JoinKind::kRightAnti:
      return "rightanti";
    case JoinKind::kLeftSemi:
      return "leftsemi";
    case JoinKind::kRightSemi:
      return "rightsemi";
  }
  return "";
}

}  // namespace evq::ast
