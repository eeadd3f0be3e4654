// A Sort or TopN over a scan needs only its keys, and what was computed on the way, to put its rows
// in order: the scan's other columns are left out and fetched afterwards, for the rows that are
// left and in their order. So does an aggregation that asks for nothing but rows with an extreme
// value (arg_max, arg_min), or for the first ones (take_any), need its groups and those values to
// tell which rows may be chosen.

#include <algorithm>
#include <optional>
#include <utility>

#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"
#include "store/base/allocation_meter.h"
#include "store/base/check.h"

namespace evq::plan {
namespace {

// So many rows of a TopN are few: whatever a column takes, reading it for them alone costs less.
constexpr std::uint64_t kFewRowsMax = 65536;

// By column of a sort's output, the scan's column that it is, if any; the scan itself changes.
using ScanSources = std::vector<std::optional<ScanColumn>>;

std::vector<SortKey>* keys_of_sort(Node* node) {
  if (auto* sort = std::get_if<Sort>(&node->op)) {
    return &sort->keys;
  }
  auto* top = std::get_if<TopN>(&node->op);
  return top != nullptr && !top->keys.empty() ? &top->keys : nullptr;
}

bool is_same_field(const std::optional<ScanColumn>& a, const std::optional<ScanColumn>& b) {
  const auto name = [](const ScanColumn& column) {
    return column.field == kTimeColumn ? std::string_view("_time") : column.field;
  };
  return a.has_value() && b.has_value() && name(*a) == name(*b) && a->type == b->type;
}

// A field that comes again among the keys tells nothing new.
void drop_repeated_keys(const ScanSources& sources, Node* sort) {
  std::vector<SortKey>* keys = keys_of_sort(sort);
  auto* top = std::get_if<TopN>(&sort->op);
  std::size_t groups = 0;
  std::vector<SortKey> kept;
  for (const SortKey& key : *keys) {
    const bool repeated = std::ranges::any_of(kept, [&](const SortKey& before) {
      return before.column == key.column ||
             is_same_field(sources[before.column], sources[key.column]);
    });
    if (!repeated) {
      kept.push_back(key);
    }
    if (top != nullptr && static_cast<std::size_t>(&key - keys->data()) < top->groups) {
      groups = kept.size();
    }
  }
  *keys = std::move(kept);
  if (top != nullptr) {
    top->groups = groups;
  }
}

// What becomes of the columns of a sort's output.
struct SortColumns {
  ScanSources sources;
  std::vector<bool> held;                        // by the sort
  std::vector<std::optional<std::size_t>> twin;  // the held column with the same field
  std::size_t row_column = kNoColumn;

  bool is_late(std::size_t column) const { return !held[column] && !twin[column].has_value(); }
};

SortColumns assign_columns(ScanSources sources, const std::vector<SortKey>& keys) {
  SortColumns columns;
  const std::size_t count = sources.size();
  columns.held.resize(count);
  columns.twin.resize(count);
  for (const SortKey& key : keys) {
    columns.held[key.column] = true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (sources[i].has_value() && sources[i]->field == kRowColumn) {
      columns.row_column = i;
    }
    columns.held[i] = columns.held[i] || !sources[i].has_value() || columns.row_column == i;
  }
  std::vector<std::size_t> held;  // few of many columns
  for (std::size_t i = 0; i < count; ++i) {
    if (columns.held[i]) {
      held.push_back(i);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; !columns.held[i] && j < held.size(); ++j) {
      if (is_same_field(sources[i], sources[held[j]])) {
        columns.twin[i] = held[j];
      }
    }
  }
  columns.sources = std::move(sources);
  return columns;
}

std::size_t late_columns(const SortColumns& columns) {
  std::size_t late = 0;
  for (std::size_t i = 0; i < columns.sources.size(); ++i) {
    late += columns.is_late(i) ? 1U : 0U;
  }
  return late;
}

bool is_worth_it(const Node& sort, const SortColumns& columns) {
  const std::size_t late = late_columns(columns);
  bool text = false;
  for (std::size_t i = 0; i < columns.sources.size(); ++i) {
    text = text || (columns.is_late(i) && physical_of(columns.sources[i]->type) == Physical::kView);
  }
  const auto* top = std::get_if<TopN>(&sort.op);
  const bool few_rows = top != nullptr && top->groups == 0 && top->count <= kFewRowsMax;
  return late > 0 && (few_rows || text || late > kNarrowColumnsMax);
}

// Whether what is between the sort and its scan can hand on one column more, behind the others.
bool takes_row_column(const Node& node) {
  const NodeTraits traits = traits_of(node.op);
  return std::holds_alternative<Scan>(node.op) ||
         (traits.maps_rows() && traits.can_pass_column() && takes_row_column(*node.inputs[0]));
}

// Rows that nobody asked the places of get them as the last column.
void hold_row_column(Node* sort, SortColumns* columns) {
  columns->row_column = add_row_column(sort);
  EVQ_CHECK(columns->row_column == columns->sources.size());
  columns->sources.emplace_back(ScanColumn{std::string(kRowColumn), Type::kLong});
  columns->held.push_back(true);
  columns->twin.emplace_back();
}

// Leaves the sort with the held columns; where each of them is then.
std::vector<std::size_t> keep_held(Node* sort, const SortColumns& columns) {
  const std::vector<std::size_t> kept = keep_columns(sort, columns.held);
  std::vector<std::size_t> position(kept.size(), kNoColumn);
  // What filters read comes along: without it.
  Project project;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (columns.held[i]) {
      position[i] = fields.size();
      fields.push_back(sort->schema[kept[i]]);
      project.exprs.push_back(make_column(kept[i], fields.back().type));
    }
  }
  if (fields.size() == sort->schema.size()) {
    return position;
  }
  std::vector<std::size_t> narrowed(sort->schema.size(), kNoColumn);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (columns.held[i]) {
      narrowed[kept[i]] = position[i];
    }
  }
  for (SortKey& key : *keys_of_sort(sort)) {
    key.column = narrowed[key.column];
  }
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(sort->inputs[0]));
  sort->schema = Schema(std::move(fields));
  sort->inputs[0] = make_node(std::move(project), std::move(inputs), sort->schema);
  return position;
}

ScanSources sources_of(const Node& node) {
  ScanSources sources;
  for (std::size_t i = 0; i < node.schema.size(); ++i) {
    const ScanColumn* source = scanned_column(*node.inputs[0], i);
    sources.push_back(source != nullptr ? std::optional(*source) : std::nullopt);
  }
  return sources;
}

// What the sort gave, from what it holds and what is fetched.
struct LateRows {
  NodePtr rows;
  Fetch* fetch = nullptr;   // in `rows`
  NodePtr* sort = nullptr;  // the input of that
};

LateRows fetch_late(NodePtr sort, SortColumns columns) {
  const Schema output = sort->schema;
  const TableRef table = scan_of_rows(*sort->inputs[0])->table;
  if (columns.row_column == kNoColumn) {
    hold_row_column(sort.get(), &columns);
  }
  Fetch fetch{table, 0, {}};
  std::vector<std::size_t> position = keep_held(sort.get(), columns);
  fetch.row_column = position[columns.row_column];
  std::vector<Field> fields = sort->schema.fields();
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (columns.is_late(i)) {
      position[i] = fields.size();
      fields.push_back(output[i]);
      fetch.columns.push_back({columns.sources[i]->field, columns.sources[i]->type});
    }
  }
  std::vector<NodePtr> sorted;
  sorted.push_back(std::move(sort));
  std::vector<NodePtr> fetched;
  fetched.push_back(make_node(std::move(fetch), std::move(sorted), Schema(std::move(fields))));
  Node& made = *fetched[0];
  Project restore;
  for (std::size_t i = 0; i < output.size(); ++i) {
    restore.exprs.push_back(make_column(position[columns.twin[i].value_or(i)], output[i].type));
  }
  return {make_node(std::move(restore), std::move(fetched), output), &std::get<Fetch>(made.op),
          &made.inputs[0]};
}

NodePtr rewrite_sort(NodePtr node) {
  std::vector<SortKey>* keys = keys_of_sort(node.get());
  ScanSources sources = sources_of(*node);
  drop_repeated_keys(sources, node.get());
  SortColumns columns = assign_columns(std::move(sources), *keys);
  const bool can =
      columns.row_column != kNoColumn || std::holds_alternative<Scan>(node->inputs[0]->op);
  if (!can || !is_worth_it(*node, columns)) {
    return node;
  }
  return fetch_late(std::move(node), std::move(columns)).rows;
}

// A sort stands in for the aggregation, as if groups and extreme values were its keys: so it says
// what is held. It goes again when the others are fetched, as candidates need no order.
NodePtr rewrite_aggregate(NodePtr node) {
  const auto& op = std::get<Aggregate>(node->op);
  if (op.aggregates.empty() || !takes_row_column(*node->inputs[0]) ||
      std::ranges::any_of(op.aggregates,
                          [](const AggregateCall& call) { return call.function->extreme == 0; })) {
    return node;
  }
  Sort keys;
  for (const std::size_t column : op.groups) {
    keys.keys.push_back({column, {}});
  }
  for (const AggregateCall& call : op.aggregates) {
    keys.keys.push_back({call.args[0], {call.function->extreme > 0, false}});
  }
  const Schema schema = node->inputs[0]->schema;
  NodePtr stand_in = make_node(std::move(keys), std::move(node->inputs), schema);
  SortColumns columns = assign_columns(sources_of(*stand_in), std::get<Sort>(stand_in->op).keys);
  if (late_columns(columns) <= kNarrowColumnsMax) {  // texts are not copied before rows are chosen
    node->inputs = std::move(stand_in->inputs);
    return node;
  }
  LateRows late = fetch_late(std::move(stand_in), std::move(columns));
  stand_in = std::move(*late.sort);
  *late.sort = std::move(stand_in->inputs[0]);
  RowCandidates candidates;
  for (const SortKey& key : std::get<Sort>(stand_in->op).keys) {
    if (candidates.groups.size() < op.groups.size()) {
      candidates.groups.push_back(key.column);
    } else {
      candidates.keys.push_back(key);
    }
  }
  late.fetch->candidates = std::move(candidates);
  node->inputs.clear();
  node->inputs.push_back(std::move(late.rows));
  return node;
}

// Where the group columns of an aggregation are in the output of the Sort below it, reached through
// projections; nothing where there is none, or a group is computed on the way.
struct SortedGroups {
  NodePtr* sort = nullptr;
  std::vector<std::size_t> columns;
};

std::optional<SortedGroups> groups_of_sort(Node* node, std::vector<std::size_t> columns) {
  NodePtr& input = node->inputs[0];
  if (std::holds_alternative<Sort>(input->op)) {
    return SortedGroups{&input, std::move(columns)};
  }
  if (!std::holds_alternative<Project>(input->op)) {
    return std::nullopt;
  }
  for (std::size_t& column : columns) {
    const std::optional<std::size_t> below = column_below(*input, column);
    if (!below.has_value()) {
      return std::nullopt;
    }
    column = *below;
  }
  return groups_of_sort(input.get(), std::move(columns));
}

// Of a take_any() of several fields only the first row of each group counts, whatever is in it; one
// of a single field looks for the first value.
bool takes_first_rows(const Aggregate& op) {
  return !op.aggregates.empty() &&
         std::ranges::all_of(op.aggregates, [](const AggregateCall& call) {
           return call.function->takes_first_row && call.args.size() > 1;
         });
}

// Whether it asks for their places only (locate_rows).
bool takes_first_places(const Aggregate& op, const Schema& input) {
  return std::ranges::any_of(op.aggregates, [&](const AggregateCall& call) {
    return call.function->takes_first_row && input[call.args[0]].name == kRowColumn;
  });
}

// The sort below an aggregation that asks for first rows holds the groups besides its keys, and the
// other columns are read for those rows only. Whether that was to be done, and is.
bool fetch_first_rows(Node* node) {
  const auto* op = std::get_if<Aggregate>(&node->op);
  const bool places_only = op != nullptr && takes_first_places(*op, node->inputs[0]->schema);
  if (op == nullptr || (!places_only && !takes_first_rows(*op))) {
    return false;
  }
  const std::optional<SortedGroups> groups = groups_of_sort(node, op->groups);
  if (!groups.has_value() || !takes_row_column(*(*groups->sort)->inputs[0])) {
    return false;
  }
  Node& sort = **groups->sort;
  std::vector<SortKey>& keys = std::get<Sort>(sort.op).keys;
  ScanSources sources = sources_of(sort);
  drop_repeated_keys(sources, &sort);
  const std::size_t key_count = keys.size();
  for (const std::size_t column : groups->columns) {
    keys.push_back({column, {}});
  }
  SortColumns columns = assign_columns(std::move(sources), keys);
  if (places_only || !is_worth_it(sort, columns)) {
    keys.resize(key_count);
    return places_only && late_columns(columns) == 0;
  }
  LateRows late = fetch_late(std::move(*groups->sort), std::move(columns));
  std::vector<SortKey>& held = *keys_of_sort(late.sort->get());
  late.fetch->candidates.emplace();
  for (std::size_t i = key_count; i < held.size(); ++i) {
    late.fetch->candidates->groups.push_back(held[i].column);
  }
  held.resize(key_count);
  *groups->sort = std::move(late.rows);
  return true;
}

NodePtr rewrite(NodePtr node) {
  AllocationMeter::poll();
  if (!fetch_first_rows(node.get())) {
    for (NodePtr& input : node->inputs) {
      input = rewrite(std::move(input));
    }
  }
  if (std::holds_alternative<Aggregate>(node->op)) {
    return rewrite_aggregate(std::move(node));
  }
  const bool sorts = keys_of_sort(node.get()) != nullptr;
  return sorts && scan_of_rows(*node->inputs[0]) != nullptr ? rewrite_sort(std::move(node))
                                                            : std::move(node);
}

}  // namespace

NodePtr materialize_late(NodePtr root, const EvalContext& /*context*/) {
  return rewrite(std::move(root));
}

}  // namespace evq::plan
