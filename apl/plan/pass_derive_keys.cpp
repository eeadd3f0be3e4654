// Groups by x and f(x) are the groups by x: f(x) is made of the key afterwards, once a group, and
// so are constants. Of types alone whose equal values no expression can tell apart: a key of
// another type is one value for all its equals, 0.0 for -0.0, which the expression need not yield.

#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

class KeyDeriver {
 public:
  KeyDeriver(const Aggregate& aggregate, const Project& below, std::size_t columns)
      : aggregate_(aggregate), below_(below), key_of_(columns, kNoColumn) {}

  // Nothing when every key is needed.
  NodePtr derive(Node* node) {
    find_kept();
    if (kept_.size() == aggregate_.groups.size() || kept_.empty()) {
      return nullptr;
    }
    std::vector<std::size_t> places(aggregate_.groups.size(), kNoColumn);  // of keys, if kept
    for (std::size_t place = 0; place < kept_.size(); ++place) {
      places[kept_[place]] = place;
    }
    std::vector<std::size_t> place_of_column(key_of_.size(), kNoColumn);
    for (std::size_t column = 0; column < key_of_.size(); ++column) {
      place_of_column[column] = key_of_[column] == kNoColumn ? kNoColumn : places[key_of_[column]];
    }
    Project made;
    for (std::size_t key = 0; key < places.size(); ++key) {
      if (places[key] != kNoColumn) {
        made.exprs.push_back(make_column(places[key], node->schema[key].type));
      } else {
        made.exprs.push_back(clone(expr_of(key)));
        remap_columns(made.exprs.back().get(), place_of_column);
      }
    }
    for (std::size_t i = places.size(); i < node->schema.size(); ++i) {
      made.exprs.push_back(make_column(i - places.size() + kept_.size(), node->schema[i].type));
    }
    return take(node, std::move(made));
  }

 private:
  const Expr& expr_of(std::size_t key) const { return *below_.exprs[aggregate_.groups[key]]; }

  void find_kept() {
    for (std::size_t key = 0; key < aggregate_.groups.size(); ++key) {
      const Expr& expr = expr_of(key);
      if (expr.is_column() && is_one_when_equal(expr.type) && key_of_[expr.column] == kNoColumn) {
        key_of_[expr.column] = key;
      }
    }
    for (std::size_t key = 0; key < aggregate_.groups.size(); ++key) {
      if (!is_derived(key)) {
        kept_.push_back(key);
      }
    }
  }

  bool is_derived(std::size_t key) const {
    const Expr& expr = expr_of(key);
    if (expr.is_column() && key_of_[expr.column] == key) {
      return false;
    }
    const auto is_no_key = [this](std::size_t column) { return key_of_[column] == kNoColumn; };
    return is_one_when_equal(expr.type) && is_deterministic(expr) && !reads_column(expr, is_no_key);
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
  std::vector<std::size_t> key_of_;  // by column below the projection: the first key that it is
  std::vector<std::size_t> kept_;    // keys, ascending
};

NodePtr derive(NodePtr node) {
  const auto* aggregate = std::get_if<Aggregate>(&node->op);
  const auto* below = aggregate == nullptr ? nullptr : std::get_if<Project>(&node->inputs[0]->op);
  if (below == nullptr || aggregate->groups.size() < 2) {
    return node;
  }
  const std::size_t columns = node->inputs[0]->inputs[0]->schema.size();
  NodePtr derived = KeyDeriver(*aggregate, *below, columns).derive(node.get());
  return derived != nullptr ? std::move(derived) : std::move(node);
}

}  // namespace

NodePtr derive_keys(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), derive);
}

}  // namespace evq::plan
