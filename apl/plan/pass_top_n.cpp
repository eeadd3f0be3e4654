// Limit over Sort becomes TopN, Limit over Limit or TopN the smaller of the two, and a Limit moves
// below projections, so that rows are dropped before anything is computed for them.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

NodePtr fuse(NodePtr node) {
  auto* limit = std::get_if<Limit>(&node->op);
  if (limit == nullptr) {
    return node;
  }
  const std::uint64_t count = limit->count;
  NodePtr& input = node->inputs[0];
  if (auto* sort = std::get_if<Sort>(&input->op)) {
    input->op = TopN{std::move(sort->keys), count, 0};
    return std::move(input);
  }
  if (auto* top = std::get_if<TopN>(&input->op); top != nullptr && top->groups == 0) {
    top->count = std::min(top->count, count);
    return std::move(input);
  }
  if (auto* inner = std::get_if<Limit>(&input->op)) {
    inner->count = std::min(inner->count, count);
    return std::move(input);
  }
  if (std::holds_alternative<Project>(input->op)) {
    NodePtr project = std::move(input);
    node->schema = project->inputs[0]->schema;
    node->inputs[0] = std::move(project->inputs[0]);
    project->inputs[0] = fuse(std::move(node));
    return project;
  }
  return node;
}

}  // namespace

NodePtr fuse_top_n(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), fuse);
}

}  // namespace evq::plan
