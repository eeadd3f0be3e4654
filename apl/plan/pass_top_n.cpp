// Limit over Sort becomes TopN, Limit over Limit or TopN the smaller of the two, and a Limit moves
// below projections and window functions, so that rows are dropped before anything is computed for
// them.

#include <algorithm>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

NodePtr fuse(NodePtr node);

NodePtr limit_rows(NodePtr input, std::uint64_t count) {
  const Schema schema = input->schema;
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input));
  return make_node(Limit{count}, std::move(inputs), schema);
}

// The first rows of a window depend on as many of its input, and on those that calls look ahead at.
NodePtr limit_window(NodePtr node, std::uint64_t count) {
  std::uint64_t ahead = 0;
  for (const WindowCall& call : std::get<Window>(node->op).calls) {
    ahead = std::max(ahead, call.rows_ahead());
  }
  NodePtr& input = node->inputs[0];
  input = fuse(limit_rows(std::move(input), count + std::min(ahead, UINT64_MAX - count)));
  return ahead == 0 ? std::move(node) : limit_rows(std::move(node), count);
}

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
  if (std::holds_alternative<Window>(input->op)) {
    return limit_window(std::move(input), count);
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
