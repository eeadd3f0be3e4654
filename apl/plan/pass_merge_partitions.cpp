// partition by k (…) and mv-apply … on (…) of operators that tell groups apart themselves: they run
// once over all rows, with the key or the place of the input row in each of them, instead of once
// for every value of the key or every row.

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/registry.h"
#include "apl/plan/hidden_columns.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/stacking.h"
#include "store/base/check.h"

namespace evq::plan {
namespace {

bool is_deterministic_projection(const Project& project) {
  return std::ranges::all_of(project.exprs,
                             [](const ExprPtr& expr) { return is_deterministic(*expr); });
}

// The …if form of an aggregate function.
const AggregateFunction* filtered_form(const AggregateFunction& function) {
  for (const std::string_view suffix : {"if", "_if"}) {
    const AggregateFunction* form = find_aggregate(std::string(function.name).append(suffix));
    if (form != nullptr && form->predicate.has_value()) {
      return form;
    }
  }
  return nullptr;
}

// What is known of the runs of a subplan's operators, one on the other, when they become one.
struct Mergeable {
  bool can = true;
  bool may_lose_runs = false;  // a run may be without rows
  bool has_whole = false;      // an aggregate without groups, which has a row even of no rows,
  bool counts_rows = false;    // does of runs without rows: such rows are kept and do not count
  bool drops_rows = false;     // rows are lost that cannot be kept so
};

Mergeable mergeable(const Node& node, const Apply& apply) {
  if (const auto* rows = std::get_if<Placeholder>(&node.op)) {
    return {.can = rows->apply == apply.id, .may_lose_runs = apply.per_row};
  }
  if (node.inputs.size() != 1) {
    return {.can = false};
  }
  Mergeable rows = mergeable(*node.inputs[0], apply);
  const auto* project = std::get_if<Project>(&node.op);
  const auto* top = std::get_if<TopN>(&node.op);
  const auto* limit = std::get_if<Limit>(&node.op);
  const auto* extract = std::get_if<Extract>(&node.op);
  const auto* unnest = std::get_if<Unnest>(&node.op);
  if (const auto* filter = std::get_if<Filter>(&node.op)) {
    rows.can = rows.can && is_deterministic(*filter->predicate);
    rows.may_lose_runs = true;
  } else if (const auto* aggregate = std::get_if<Aggregate>(&node.op)) {
    const bool loses = aggregate->groups.empty() && rows.may_lose_runs;
    rows.can =
        rows.can &&
        (!loses || (!rows.has_whole && !rows.drops_rows &&
                    std::ranges::all_of(aggregate->aggregates, [](const AggregateCall& call) {
                      return filtered_form(*call.function);
                    })));
    rows.counts_rows = rows.counts_rows || loses;
    if (aggregate->groups.empty()) {
      rows.has_whole = true;
      rows.may_lose_runs = false;
    }
  } else if (extract != nullptr || unnest != nullptr) {
    const bool drops = extract != nullptr ? extract->drop_unmatched : !unnest->keeps_empty;
    rows.can = rows.can && (extract == nullptr || is_deterministic(*extract->source));
    rows.may_lose_runs = rows.may_lose_runs || drops;
    rows.drops_rows = rows.drops_rows || drops;
  } else {
    rows.can = rows.can &&
               ((project != nullptr && is_deterministic_projection(*project)) ||
                (top != nullptr && top->count != 0) || (limit != nullptr && limit->count != 0) ||
                std::holds_alternative<Sort>(node.op));
  }
  return rows;
}

// Else the rows of one group would only come after those of another, as they do now.
bool makes_fewer_rows(const Node& node) {
  const NodeTraits traits = traits_of(node.op);
  return traits.rows == RowsMade::kOfSeveral ||
         (traits.rows == RowsMade::kOfSome && !traits.by_row) ||
         std::ranges::any_of(node.inputs,
                             [](const NodePtr& input) { return makes_fewer_rows(*input); });
}

// Operators with what tells their runs apart in each row.
struct MergedRows {
  NodePtr node;
  std::vector<std::size_t> columns;   // where those of the operators are
  std::vector<std::size_t> keys;      // equal in the rows of one run, and in them alone
  std::vector<std::size_t> passed;    // columns that are the same in all rows of a run
  std::optional<std::size_t> counts;  // a bool: whether the row is one of the operators' rows
  bool in_order = false;              // runs come one after the other, by their keys
};

std::vector<std::size_t> own_places(std::size_t size) {
  std::vector<std::size_t> places(size);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

void remap(const std::vector<std::size_t>& places, std::vector<SortKey>* keys) {
  for (SortKey& key : *keys) {
    key.column = places[key.column];
  }
}

Field carried_field(const Node& below, std::size_t column) {
  return {hidden_name("partition"), below.schema[column].type};
}

// Computes what tells runs apart behind its other columns.
void carry(Project* project, const MergedRows& below, MergedRows* merged) {
  Node& node = *merged->node;
  for (const ExprPtr& expr : project->exprs) {
    remap_columns(expr.get(), below.columns);
  }
  merged->columns = own_places(node.schema.size());
  std::vector<Field> fields = node.schema.fields();
  const auto add = [&](std::size_t column) {
    fields.push_back(carried_field(*below.node, column));
    project->exprs.push_back(make_column(column, fields.back().type));
    return fields.size() - 1;
  };
  std::ranges::transform(below.keys, std::back_inserter(merged->keys), add);
  std::ranges::transform(below.passed, std::back_inserter(merged->passed), add);
  if (below.counts.has_value()) {
    merged->counts = add(*below.counts);
  }
  node.schema = Schema(std::move(fields));
}

// One that tells which rows count on.
Project counting(Filter filter, const MergedRows& below, const EvalContext& context) {
  remap_columns(filter.predicate.get(), below.columns);
  Project project;
  for (std::size_t i = 0; i < below.node->schema.size(); ++i) {
    project.exprs.push_back(make_column(i, below.node->schema[i].type));
  }
  ExprPtr& counts = project.exprs[*below.counts];
  std::vector<ExprPtr> both;
  both.push_back(std::move(counts));
  both.push_back(std::move(filter.predicate));
  auto made = make_call(*find_function("op_and"), std::move(both), context, {});
  EVQ_CHECK(made.ok());
  counts = std::move(made).value();
  return project;
}

// Values of the one row that a run has of its passed columns.
AggregateCall passed_of_run(const MergedRows& below) {
  const AggregateFunction* any = find_aggregate("take_any");
  std::vector<Argument> arguments;
  for (const std::size_t column : below.passed) {
    arguments.push_back({below.node->schema[column].type, nullptr});
  }
  return {
      any,
      std::get<BoundAggregateCall>(bind_aggregate(*any, {arguments, EvalContext(), std::nullopt})),
      below.passed, "take_any(*)"};
}

// Groups by what tells runs apart before its other groups.
void carry(Aggregate* op, const MergedRows& below, MergedRows* merged) {
  Node& node = *merged->node;
  for (std::size_t& group : op->groups) {
    group = below.columns[group];
  }
  for (AggregateCall& call : op->aggregates) {
    for (std::size_t& arg : call.args) {
      arg = below.columns[arg];
    }
  }
  std::vector<std::size_t> before = below.keys;
  if (below.counts.has_value() && op->groups.empty()) {
    for (AggregateCall& call : op->aggregates) {
      call.function = filtered_form(*call.function);
      call.call = filtered(std::move(call.call));
      call.args.push_back(*below.counts);
    }
  } else if (below.counts.has_value()) {
    merged->counts = before.size();
    before.push_back(*below.counts);
  }
  op->groups.insert(op->groups.begin(), before.begin(), before.end());
  merged->keys = own_places(below.keys.size());
  std::vector<Field> fields;
  fields.reserve(before.size() + node.schema.size() + below.passed.size());
  for (const std::size_t column : before) {
    fields.push_back(carried_field(*below.node, column));
  }
  for (const Field& field : node.schema.fields()) {
    merged->columns.push_back(fields.size());
    fields.push_back(field);
  }
  if (!below.passed.empty()) {
    op->aggregates.push_back(passed_of_run(below));
    for (const std::size_t column : below.passed) {
      merged->passed.push_back(fields.size());
      fields.push_back(carried_field(*below.node, column));
    }
  }
  node.schema = Schema(std::move(fields));
}

// Ahead of `keys`, which are `below`'s, what tells runs apart.
std::vector<SortKey> keys_within_runs(std::vector<SortKey> keys, const MergedRows& below) {
  std::vector<SortKey> all;
  for (const std::size_t key : below.keys) {
    all.push_back({key, {}});
  }
  all.insert(all.end(), keys.begin(), keys.end());
  return all;
}

// The same for each run; rows that come as they do where `top` has no keys. Those that count come
// first.
TopN limit_of_runs(TopN top, const MergedRows& below) {
  if (below.counts.has_value()) {
    top.keys.insert(top.keys.begin() + static_cast<std::ptrdiff_t>(top.groups),
                    {*below.counts, {.descending = true, .nulls_first = false}});
  }
  return {keys_within_runs(std::move(top.keys), below), top.count, below.keys.size() + top.groups};
}

// An operator whose columns are those of its input, as one over all runs.
void merge_same_columns(Operation* op, const MergedRows& below, const EvalContext& context) {
  if (auto* filter = std::get_if<Filter>(op)) {
    if (below.counts.has_value()) {
      *op = counting(std::move(*filter), below, context);
    } else {
      remap_columns(filter->predicate.get(), below.columns);
    }
  } else if (auto* sort = std::get_if<Sort>(op)) {
    remap(below.columns, &sort->keys);
    sort->keys = keys_within_runs(std::move(sort->keys), below);
  } else if (auto* top = std::get_if<TopN>(op)) {
    remap(below.columns, &top->keys);
    *op = limit_of_runs(std::move(*top), below);
  } else {
    *op = limit_of_runs({{}, std::get<Limit>(*op).count}, below);
  }
}

// An operator that appends columns to those of its input.
void merge_appending(MergedRows* merged, const MergedRows& below) {
  Node& node = *merged->node;
  std::vector<Field> fields = below.node->schema.fields();
  for (std::size_t i = below.columns.size(); i < node.schema.size(); ++i) {
    merged->columns.push_back(fields.size());
    fields.push_back(node.schema[i]);
  }
  node.schema = Schema(std::move(fields));
  if (auto* extract = std::get_if<Extract>(&node.op)) {
    remap_columns(extract->source.get(), below.columns);
    return;
  }
  for (UnnestColumn& column : std::get<Unnest>(node.op).columns) {
    column.column = below.columns[column.column];
  }
}

// `rows` takes the placeholder's place.
MergedRows merge(NodePtr node, MergedRows rows, const EvalContext& context) {
  if (std::holds_alternative<Placeholder>(node->op)) {
    return rows;
  }
  MergedRows below = merge(std::move(node->inputs[0]), std::move(rows), context);
  MergedRows merged{std::move(node), {}, {}, {}, {}, below.in_order};
  Operation& op = merged.node->op;
  merged.in_order = merged.in_order || traits_of(op).order == RowOrder::kOwn;
  if (auto* project = std::get_if<Project>(&op)) {
    carry(project, below, &merged);
  } else if (auto* aggregate = std::get_if<Aggregate>(&op)) {
    carry(aggregate, below, &merged);
  } else {
    merged.columns = below.columns;
    merged.keys = below.keys;
    merged.passed = below.passed;
    merged.counts = below.counts;
    if (traits_of(op).columns == ColumnsMade::kAppended) {
      merge_appending(&merged, below);
    } else {
      merged.node->schema = below.node->schema;
      merge_same_columns(&op, below, context);
    }
  }
  merged.node->inputs[0] = std::move(below.node);
  return merged;
}

// The rows that a partition has, of which all count.
MergedRows rows_of_groups(NodePtr input, const Apply& apply, bool counts) {
  MergedRows rows{nullptr, own_places(input->schema.size()), apply.keys, {}, {}, false};
  if (counts) {
    rows.counts = input->schema.size();
    Project project;
    std::vector<Field> fields = input->schema.fields();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      project.exprs.push_back(make_column(i, fields[i].type));
    }
    project.exprs.push_back(make_constant(Value::boolean(true)));
    fields.push_back({hidden_name("counts"), Type::kBool});
    input = stack(std::move(input), std::move(project), Schema(std::move(fields)));
  }
  rows.node = std::move(input);
  return rows;
}

// The rows that mv-apply makes of each row; of one without elements, a row that does not count.
MergedRows rows_of_elements(NodePtr input, const Apply& apply, bool counts) {
  Unnest unnest = *apply.unnest;
  std::vector<Field> fields = input->schema.fields();
  if (unnest.item_index) {
    fields.push_back({hidden_name("index"), Type::kLong});
  }
  MergedRows rows{nullptr, own_places(fields.size()), {fields.size()}, apply.passed, {}, true};
  unnest.row_place = true;
  fields.push_back({hidden_name("place"), Type::kLong});
  if (counts) {
    rows.counts = fields.size();
    unnest.keeps_empty = true;
    fields.push_back({hidden_name("counts"), Type::kBool});
  }
  rows.node = stack(std::move(input), std::move(unnest), Schema(std::move(fields)));
  return rows;
}

// Runs one after the other, as they come without this pass.
void order_runs(MergedRows* rows) {
  if (!rows->in_order) {
    const Schema schema = rows->node->schema;
    rows->node = stack(std::move(rows->node), Sort{keys_within_runs({}, *rows)}, schema);
  }
}

bool has_plain_keys(const Apply& apply, const Schema& input) {
  return std::ranges::all_of(apply.keys,
                             [&](std::size_t key) { return is_one_when_equal(input[key].type); });
}

NodePtr merge_apply(NodePtr node, const EvalContext& context) {
  auto* apply = std::get_if<Apply>(&node->op);
  if (apply == nullptr || !has_plain_keys(*apply, node->inputs[0]->schema)) {
    return node;
  }
  NodePtr subplan = fuse_top_n(merge_partitions(clone(*apply->subplan), context), context);
  const Mergeable rows = mergeable(*subplan, *apply);
  if (!rows.can || !(apply->per_row || makes_fewer_rows(*subplan))) {
    return node;
  }
  NodePtr input = std::move(node->inputs[0]);
  MergedRows merged =
      merge(std::move(subplan),
            apply->per_row ? rows_of_elements(std::move(input), *apply, rows.counts_rows)
                           : rows_of_groups(std::move(input), *apply, rows.counts_rows),
            context);
  order_runs(&merged);
  std::vector<std::size_t> places = merged.passed;
  places.insert(places.end(), merged.columns.begin(), merged.columns.end());
  Project restore;
  for (std::size_t i = 0; i < node->schema.size(); ++i) {
    restore.exprs.push_back(make_column(places[i], node->schema[i].type));
  }
  return stack(std::move(merged.node), std::move(restore), node->schema);
}

}  // namespace

NodePtr merge_partitions(NodePtr root, const EvalContext& context) {
  return rewrite_bottom_up(
      std::move(root), [&context](NodePtr node) { return merge_apply(std::move(node), context); });
}

}  // namespace evq::plan
