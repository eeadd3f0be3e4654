// Reads and carries only the columns that something above needs. Each node is told which of its
// output columns are needed and says where each of them has gone.

#include <algorithm>
#include <numeric>
#include <utility>

#include "apl/plan/column_pruning.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/table_function.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"

namespace evq::plan {
namespace {

void need_columns(const Expr& expr, Needed* needed) {
  for_each_column(expr, [needed](std::size_t column) { (*needed)[column] = true; });
}

Mapping identity(std::size_t size) {
  Mapping mapping(size);
  std::iota(mapping.begin(), mapping.end(), std::size_t{0});
  return mapping;
}

// Keeps the fields whose mapping is not kNoColumn; the mapping must be ascending.
Schema kept_fields(const Schema& schema, const Mapping& mapping) {
  std::vector<Field> fields;
  for (std::size_t i = 0; i < mapping.size(); ++i) {
    if (mapping[i] != kNoColumn) {
      fields.push_back(schema[i]);
    }
  }
  return Schema(std::move(fields));
}

Mapping compact(const Needed& keep) {
  Mapping mapping(keep.size(), kNoColumn);
  std::size_t next = 0;
  for (std::size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) {
      mapping[i] = next++;
    }
  }
  return mapping;
}

Mapping prune_scan(Node* node, Scan* scan, Needed needed) {
  const Needed above = needed;
  for (const ExprPtr& filter : scan->filters) {
    need_columns(*filter, &needed);
  }
  Mapping mapping = compact(needed);
  std::vector<ScanColumn> columns;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      columns.push_back(std::move(scan->columns[i]));
      columns.back().filter_only = !above[i];
    }
  }
  scan->columns = std::move(columns);
  for (const ExprPtr& filter : scan->filters) {
    remap_columns(filter.get(), mapping);
  }
  node->schema = kept_fields(node->schema, mapping);
  return mapping;
}

Mapping prune_project(Node* node, Project* project, const Needed& needed) {
  Needed below(node->inputs[0]->schema.size());
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      need_columns(*project->exprs[i], &below);
    }
  }
  const Mapping input = prune(node->inputs[0].get(), std::move(below));
  Mapping mapping = compact(needed);
  std::vector<ExprPtr> exprs;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      remap_columns(project->exprs[i].get(), input);
      exprs.push_back(std::move(project->exprs[i]));
    }
  }
  project->exprs = std::move(exprs);
  node->schema = kept_fields(node->schema, mapping);
  return mapping;
}

// take_any() of several fields gives those of the first row, whichever they are: it needs the ones
// that are used, and two of them, since of a single one it gives the first that is not null.
// arg_max() and arg_min() tell equal values apart by the fields in turn: those behind the last one
// that is used have no say in it. Of other calls all results are used if one is.
void need_fields(const AggregateFunction& function, Needed* used) {
  if (function.takes_first_row && used->size() > 2) {
    if (std::ranges::count(*used, true) == 1) {
      *std::ranges::find(*used, false) = true;
    }
  } else if (function.extreme != 0) {
    const auto last = std::find(used->rbegin(), used->rend(), true);
    std::fill(last, used->rend(), true);
  } else {
    used->assign(used->size(), true);
  }
}

// Leaves of a call that gives its arguments' values those that are `used`.
void narrow_call(AggregateCall* call, const Needed& used) {
  if (std::ranges::find(used, false) == used.end()) {
    return;
  }
  std::vector<Argument> arguments;
  std::vector<std::size_t> args;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (used[i]) {
      arguments.push_back({call->call.arguments[i], nullptr});
      args.push_back(call->args[i]);
    }
  }
  call->call = std::get<BoundAggregateCall>(
      bind_aggregate(*call->function, {arguments, EvalContext(), std::nullopt}));
  call->args = std::move(args);
  call->row_cells = nullptr;
}

Mapping prune_aggregate(Node* node, Aggregate* op, const Needed& needed) {
  Needed below(node->inputs[0]->schema.size());
  for (const std::size_t column : op->groups) {
    below[column] = true;
  }
  Needed keep(needed.size());
  std::fill_n(keep.begin(), op->groups.size(), true);
  std::vector<AggregateCall> calls;
  std::size_t column = op->groups.size();
  for (AggregateCall& call : op->aggregates) {
    const std::size_t results = call.call.results.size();
    const auto first = needed.begin() + static_cast<std::ptrdiff_t>(column);
    Needed used(first, first + static_cast<std::ptrdiff_t>(results));
    if (std::ranges::find(used, true) != used.end()) {
      need_fields(*call.function, &used);
      narrow_call(&call, used);
      for (std::size_t i = 0; i < results; ++i) {
        keep[column + i] = used[i];
      }
      for (const std::size_t arg : call.args) {
        below[arg] = true;
      }
      calls.push_back(std::move(call));
    }
    column += results;
  }
  op->aggregates = std::move(calls);
  const Mapping input = prune(node->inputs[0].get(), std::move(below));
  for (std::size_t& group : op->groups) {
    group = input[group];
  }
  for (AggregateCall& call : op->aggregates) {
    for (std::size_t& arg : call.args) {
      arg = input[arg];
    }
  }
  Mapping mapping = compact(keep);
  node->schema = kept_fields(node->schema, mapping);
  return mapping;
}

// Which columns of the input of a node are needed that appends its own to them.
Needed needed_of_input(const Node& node, const Needed& needed) {
  const std::size_t inner = node.inputs[0]->schema.size();
  return {needed.begin(), needed.begin() + static_cast<std::ptrdiff_t>(inner)};
}

// The node's own columns come after those of its input, and stay.
Mapping prune_below_appended(Node* node, Needed below) {
  const std::size_t inner = below.size();
  const Schema before = node->schema;
  Mapping mapping = prune(node->inputs[0].get(), std::move(below));
  std::vector<Field> fields = node->inputs[0]->schema.fields();
  for (std::size_t i = inner; i < before.size(); ++i) {
    mapping.push_back(fields.size());
    fields.push_back(before[i]);
  }
  node->schema = Schema(std::move(fields));
  return mapping;
}

Mapping prune_extract(Node* node, Extract* extract, const Needed& needed) {
  Needed below = needed_of_input(*node, needed);
  need_columns(*extract->source, &below);
  Mapping mapping = prune_below_appended(node, std::move(below));
  remap_columns(extract->source.get(), mapping);
  return mapping;
}

Mapping prune_unnest(Node* node, Unnest* unnest, const Needed& needed) {
  Needed below = needed_of_input(*node, needed);
  for (const UnnestColumn& column : unnest->columns) {
    below[column.column] = true;
  }
  Mapping mapping = prune_below_appended(node, std::move(below));
  for (UnnestColumn& column : unnest->columns) {
    column.column = mapping[column.column];
  }
  return mapping;
}

Mapping prune_fetch(Node* node, Fetch* fetch, const Needed& needed) {
  const std::size_t inner = node->inputs[0]->schema.size();
  Needed below = needed_of_input(*node, needed);
  const bool fetches = std::find(needed.begin() + static_cast<std::ptrdiff_t>(inner), needed.end(),
                                 true) != needed.end();
  if (!fetches && !fetch->candidates.has_value()) {
    NodePtr input = std::move(node->inputs[0]);
    *node = std::move(*input);
    Mapping mapping = prune(node, std::move(below));
    mapping.resize(needed.size(), kNoColumn);
    return mapping;
  }
  below[fetch->row_column] = true;
  if (fetch->candidates.has_value()) {
    for (const std::size_t group : fetch->candidates->groups) {
      below[group] = true;
    }
    for (const SortKey& key : fetch->candidates->keys) {
      below[key.column] = true;
    }
  }
  const Schema before = node->schema;
  Mapping mapping = prune(node->inputs[0].get(), std::move(below));
  fetch->row_column = mapping[fetch->row_column];
  if (fetch->candidates.has_value()) {
    for (std::size_t& group : fetch->candidates->groups) {
      group = mapping[group];
    }
    for (SortKey& key : fetch->candidates->keys) {
      key.column = mapping[key.column];
    }
  }
  std::vector<Field> fields = node->inputs[0]->schema.fields();
  std::vector<ScanColumn> columns;
  for (std::size_t i = inner; i < before.size(); ++i) {
    mapping.push_back(needed[i] ? fields.size() : kNoColumn);
    if (needed[i]) {
      fields.push_back(before[i]);
      columns.push_back(std::move(fetch->columns[i - inner]));
    }
  }
  fetch->columns = std::move(columns);
  node->schema = Schema(std::move(fields));
  return mapping;
}

Mapping prune_window(Node* node, Window* window, const Needed& needed) {
  Needed below = needed_of_input(*node, needed);
  for (const WindowCall& call : window->calls) {
    for (const std::size_t arg : call.args) {
      below[arg] = true;
    }
    if (call.restart.has_value()) {
      below[*call.restart] = true;
    }
  }
  Mapping mapping = prune_below_appended(node, std::move(below));
  for (WindowCall& call : window->calls) {
    for (std::size_t& arg : call.args) {
      arg = mapping[arg];
    }
    if (call.restart.has_value()) {
      call.restart = mapping[*call.restart];
    }
  }
  return mapping;
}

Mapping prune_join(Node* node, Join* join, const Needed& needed) {
  const std::size_t left_size = node->inputs[0]->schema.size();
  const std::size_t right_size = node->inputs[1]->schema.size();
  const bool has_right = join_traits(join->kind).emits_right;
  Needed left(left_size);
  Needed right(right_size);
  for (std::size_t i = 0; i < left_size; ++i) {
    left[i] = needed[i];
  }
  for (std::size_t i = 0; has_right && i < right_size; ++i) {
    right[i] = needed[left_size + i];
  }
  for (const std::size_t key : join->left_keys) {
    left[key] = true;
  }
  for (const std::size_t key : join->right_keys) {
    right[key] = true;
  }
  const Mapping left_map = prune(node->inputs[0].get(), std::move(left));
  const Mapping right_map = prune(node->inputs[1].get(), std::move(right));
  for (std::size_t& key : join->left_keys) {
    key = left_map[key];
  }
  for (std::size_t& key : join->right_keys) {
    key = right_map[key];
  }
  Mapping mapping;
  std::vector<Field> fields;
  const auto add = [&](const Mapping& side, std::size_t begin, const Schema& pruned) {
    const std::size_t base = fields.size();
    std::vector<Field> renamed(pruned.fields());
    for (std::size_t i = 0; i < side.size(); ++i) {
      mapping.push_back(side[i] == kNoColumn ? kNoColumn : base + side[i]);
      if (side[i] != kNoColumn) {
        renamed[side[i]].name = node->schema[begin + i].name;
      }
    }
    std::ranges::move(renamed, std::back_inserter(fields));
  };
  add(left_map, 0, node->inputs[0]->schema);
  if (has_right) {
    add(right_map, left_size, node->inputs[1]->schema);
  }
  node->schema = Schema(std::move(fields));
  return mapping;
}

// `node` with a projection to exactly the needed columns, in order.
NodePtr prune_to(NodePtr node, const Needed& needed, const Schema& schema) {
  const Schema before = node->schema;
  const Mapping inner = prune(node.get(), needed);
  Project project;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i]) {
      project.exprs.push_back(make_column(inner[i], before[i].type));
    }
  }
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(node));
  return make_node(std::move(project), std::move(inputs), schema);
}

Mapping prune_union(Node* node, const Needed& needed) {
  Mapping mapping = compact(needed);
  const Schema schema = kept_fields(node->schema, mapping);
  for (NodePtr& input : node->inputs) {
    input = prune_to(std::move(input), needed, schema);
  }
  node->schema = schema;
  return mapping;
}

// The arrays that are needed, and the groups, which tell the rows apart.
Mapping prune_series(Node* node, Series* series, Needed needed) {
  if (std::ranges::find(needed, false) == needed.end()) {
    return prune_nothing(node);
  }
  const std::size_t groups = series->group_count;
  std::fill_n(needed.begin(), groups, true);
  Needed below(node->inputs[0]->schema.size());
  std::fill_n(below.begin(), groups + 1, true);  // and the axis
  std::vector<Value> defaults;
  for (std::size_t i = 0; i < series->defaults.size(); ++i) {
    if (needed[groups + i]) {
      below[groups + 1 + i] = true;
      defaults.push_back(std::move(series->defaults[i]));
    }
  }
  series->gives_axis = series->gives_axis && needed.back();
  series->defaults = std::move(defaults);
  NodePtr& input = node->inputs[0];
  const Schema schema = kept_fields(input->schema, compact(below));
  input = prune_to(std::move(input), below, schema);
  Mapping mapping = compact(needed);
  node->schema = kept_fields(node->schema, mapping);
  return mapping;
}

Mapping prune_transform(Node* node, Transform* transform, const Needed& needed) {
  auto narrowed = transform->function->narrowed(needed);
  if (!narrowed.has_value()) {
    return prune_nothing(node);
  }
  NodePtr& input = node->inputs[0];
  const Schema schema = kept_fields(input->schema, compact(narrowed->input));
  input = prune_to(std::move(input), narrowed->input, schema);
  transform->function = std::move(narrowed->function);
  node->schema = kept_fields(node->schema, narrowed->output);
  return narrowed->output;
}

struct PruneColumns {
  Node* node;
  Needed needed;

  Mapping operator()(Scan& scan) { return prune_scan(node, &scan, std::move(needed)); }
  Mapping operator()(Project& project) const { return prune_project(node, &project, needed); }
  Mapping operator()(Aggregate& aggregate) const {
    return prune_aggregate(node, &aggregate, needed);
  }
  Mapping operator()(Extract& extract) const { return prune_extract(node, &extract, needed); }
  Mapping operator()(Unnest& unnest) const { return prune_unnest(node, &unnest, needed); }
  Mapping operator()(Fetch& fetch) const { return prune_fetch(node, &fetch, needed); }
  Mapping operator()(Window& window) const { return prune_window(node, &window, needed); }
  Mapping operator()(Join& join) const { return prune_join(node, &join, needed); }
  Mapping operator()(Union& /*all*/) const { return prune_union(node, needed); }
  Mapping operator()(Apply& apply) const { return prune_apply(node, &apply, needed); }
  Mapping operator()(Series& series) { return prune_series(node, &series, std::move(needed)); }
  Mapping operator()(Transform& transform) const {
    return prune_transform(node, &transform, needed);
  }
  // The output has the input's columns.
  Mapping operator()(Filter& filter) {
    need_columns(*filter.predicate, &needed);
    Mapping mapping = prune_input();
    remap_columns(filter.predicate.get(), mapping);
    return mapping;
  }
  Mapping operator()(Sort& sort) { return prune_sorted(&sort.keys); }
  Mapping operator()(TopN& top) { return prune_sorted(&top.keys); }
  Mapping operator()(Limit& /*limit*/) { return prune_input(); }
  Mapping operator()(Sample& /*sample*/) { return prune_input(); }
  // Others may need more.
  Mapping operator()(Shared& shared) {
    shared.needed = std::move(needed);
    return identity(node->schema.size());
  }
  Mapping operator()(Placeholder& rows) {
    rows.needed = std::move(needed);
    return identity(node->schema.size());
  }
  Mapping operator()(Sequence& /*sequence*/) const { return prune_nothing(node); }
  Mapping operator()(ValuesNode& /*values*/) const { return prune_nothing(node); }

  Mapping prune_sorted(std::vector<SortKey>* keys) {
    for (const SortKey& key : *keys) {
      needed[key.column] = true;
    }
    Mapping mapping = prune_input();
    for (SortKey& key : *keys) {
      key.column = mapping[key.column];
    }
    return mapping;
  }
  Mapping prune_input() {
    Mapping mapping = prune(node->inputs[0].get(), std::move(needed));
    node->schema = node->inputs[0]->schema;
    return mapping;
  }
};

}  // namespace

// Everything else reads all of its input.
Mapping prune_nothing(Node* node) {
  for (const NodePtr& input : node->inputs) {
    const std::size_t size = input->schema.size();
    const Mapping mapping = prune(input.get(), Needed(size, true));
    EVQ_CHECK(mapping == identity(size));
  }
  return identity(node->schema.size());
}

Mapping prune(Node* node, Needed needed) {
  EVQ_CHECK(needed.size() == node->schema.size());
  AllocationMeter::poll();
  return std::visit(PruneColumns{node, std::move(needed)}, node->op);
}

std::vector<std::size_t> keep_columns(Node* node, std::vector<bool> needed) {
  return prune(node, std::move(needed));
}

NodePtr prune_columns(NodePtr root, const EvalContext& /*context*/) {
  prune(root.get(), Needed(root->schema.size(), true));
  return root;
}

}  // namespace evq::plan
