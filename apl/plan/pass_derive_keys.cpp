// Groups by x and f(x) are the groups by x: f(x) is made of the key afterwards, once a group, and
// so are constants. Of types alone whose equal values no expression can tell apart.

#include <optional>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

class KeyDeriver {
 public:
  KeyDeriver(const Aggregate& aggregate, const Project& below)
      : aggregate_(aggregate), below_(below) {}

  // Nothing when every key is needed.
  NodePtr derive(Node* node) {
    find_kept();
    if (kept_.size() == aggregate_.groups.size() || kept_.empty()) {
      return nullptr;
    }
    Project made;
    for (std::size_t key = 0; key < aggregate_.groups.size(); ++key) {
      made.exprs.push_back(place_of(key).has_value()
                               ? make_column(*place_of(key), node->schema[key].type)
                               : of_keys(clone(expr_of(key))));
    }
    for (std::size_t i = aggregate_.groups.size(); i < node->schema.size(); ++i) {
      made.exprs.push_back(
          make_column(i - aggregate_.groups.size() + kept_.size(), node->schema[i].type));
    }
    return take(node, std::move(made));
  }

 private:
  const Expr& expr_of(std::size_t key) const { return *below_.exprs[aggregate_.groups[key]]; }

  // The first key that is this column of what is below the projection.
  std::optional<std::size_t> key_of(std::size_t column) const {
    for (std::size_t key = 0; key < aggregate_.groups.size(); ++key) {
      const Expr& expr = expr_of(key);
      if (expr.is_column() && expr.column == column && is_one_when_equal(expr.type)) {
        return key;
      }
    }
    return std::nullopt;
  }

  bool is_derived(std::size_t key) const {
    const Expr& expr = expr_of(key);
    if (expr.is_column() && key_of(expr.column).value_or(key) == key) {
      return false;
    }
    const auto is_no_key = [this](std::size_t column) { return !key_of(column).has_value(); };
    return is_deterministic(expr) && !reads_column(expr, is_no_key);
  }

  void find_kept() {
    for (std::size_t key = 0; key < aggregate_.groups.size(); ++key) {
      if (!is_derived(key)) {
        kept_.push_back(key);
      }
    }
  }

  // Where a key is among those that are kept.
  std::optional<std::size_t> place_of(std::size_t key) const {
    for (std::size_t place = 0; place < kept_.size(); ++place) {
      if (kept_[place] == key) {
        return place;
      }
    }
    return std::nullopt;
  }

  // The same of the keys of a group.
  ExprPtr of_keys(ExprPtr expr) const {
    if (expr->is_column()) {
      expr->column = *place_of(*key_of(expr->column));
    }
    for (ExprPtr& arg : expr->args) {
      arg = of_keys(std::move(arg));
    }
    return expr;
  }

  NodePtr take(Node* node, Project made) const {
    Aggregate fewer;
    std::vector<Field> fields;
    for (const std::size_t key : kept_) {
      fewer.groups.push_back(aggregate_.groups[key]);
      fields.push_back(node->schema[key]);
    }
    for (std::size_t i = aggregate_.groups.size(); i < node->schema.size(); ++i) {
      fields.push_back(node->schema[i]);
    }
    const Schema schema = node->schema;
    fewer.aggregates = std::move(std::get<Aggregate>(node->op).aggregates);
    std::vector<NodePtr> inputs;
    inputs.push_back(make_node(std::move(fewer), std::move(node->inputs), Schema(fields)));
    return make_node(std::move(made), std::move(inputs), schema);
  }

  const Aggregate& aggregate_;
  const Project& below_;
  std::vector<std::size_t> kept_;  // keys, ascending
};

NodePtr derive(NodePtr node) {
  const auto* aggregate = std::get_if<Aggregate>(&node->op);
  const auto* below = aggregate == nullptr ? nullptr : std::get_if<Project>(&node->inputs[0]->op);
  if (below == nullptr || aggregate->groups.size() < 2) {
    return node;
  }
  NodePtr derived = KeyDeriver(*aggregate, *below).derive(node.get());
  return derived != nullptr ? std::move(derived) : std::move(node);
}

}  // namespace

NodePtr derive_keys(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), derive);
}

}  // namespace evq::plan
