// A Sort or TopN over a scan needs only its keys, and what was computed on the way, to put its rows
// in order: the scan's other columns are left out and fetched afterwards, for the rows that are
// left and in their order.

#include <algorithm>
#include <optional>
#include <utility>

#include "apl/plan/optimizer.h"

namespace evq::plan {
namespace {

// So many rows of a TopN are few: whatever a column takes, reading it for them alone costs less.
constexpr std::uint64_t kFewRowsMax = 65536;
// So many columns without text take less room than what it costs to open their blocks again.
constexpr std::size_t kNarrowColumnsMax = 4;

using ScanSources = std::vector<std::optional<ScanColumn>>;

std::vector<SortKey>* keys_of_sort(Node* node) {
  if (auto* sort = std::get_if<Sort>(&node->op)) {
    return &sort->keys;
  }
  auto* top = std::get_if<TopN>(&node->op);
  return top != nullptr && !top->keys.empty() ? &top->keys : nullptr;
}

// The scan whose rows `node` has, one by one; null where there is none.
Scan* scan_below(Node* node) {
  if (auto* scan = std::get_if<Scan>(&node->op)) {
    return scan;
  }
  const bool passes_on = std::holds_alternative<Filter>(node->op) ||
                         std::holds_alternative<Project>(node->op) ||
                         std::holds_alternative<Extract>(node->op);
  return passes_on ? scan_below(node->inputs[0].get()) : nullptr;
}

// The scan's column that column `column` is, unchanged; nothing for what is computed.
std::optional<ScanColumn> source_of(const Node& node, std::size_t column) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    return scan->columns[column];
  }
  const Node& input = *node.inputs[0];
  if (const auto* project = std::get_if<Project>(&node.op)) {
    const Expr& expr = *project->exprs[column];
    return expr.is_column() ? source_of(input, expr.column) : std::nullopt;
  }
  return column < input.schema.size() ? source_of(input, column) : std::nullopt;
}

bool is_same_field(const std::optional<ScanColumn>& a, const std::optional<ScanColumn>& b) {
  const auto name = [](const ScanColumn& column) {
    return column.field == kTimeColumn ? std::string_view("_time") : column.field;
  };
  return a.has_value() && b.has_value() && name(*a) == name(*b) && a->type == b->type;
}

// A field that comes again among the keys tells nothing new.
void drop_repeated_keys(const ScanSources& sources, std::vector<SortKey>* keys) {
  std::vector<SortKey> kept;
  for (const SortKey& key : *keys) {
    const bool repeated = std::ranges::any_of(kept, [&](const SortKey& before) {
      return before.column == key.column ||
             is_same_field(sources[before.column], sources[key.column]);
    });
    if (!repeated) {
      kept.push_back(key);
    }
  }
  *keys = std::move(kept);
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
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; !columns.held[i] && j < count; ++j) {
      if (columns.held[j] && is_same_field(sources[i], sources[j])) {
        columns.twin[i] = j;
      }
    }
  }
  columns.sources = std::move(sources);
  return columns;
}

bool is_worth_it(const Node& sort, const SortColumns& columns) {
  std::size_t late = 0;
  bool text = false;
  for (std::size_t i = 0; i < columns.sources.size(); ++i) {
    if (columns.is_late(i)) {
      ++late;
      text = text || physical_of(columns.sources[i]->type) == Physical::kView;
    }
  }
  const auto* top = std::get_if<TopN>(&sort.op);
  const bool few_rows = top != nullptr && top->count <= kFewRowsMax;
  return late > 0 && (few_rows || text || late > kNarrowColumnsMax);
}

// A scan whose row column nobody asked for gets one, as the last column.
void add_row_column(Node* sort, SortColumns* columns) {
  auto& scan = std::get<Scan>(sort->inputs[0]->op);
  scan.columns.push_back({std::string(kRowColumn), Type::kLong});
  std::vector<Field> fields = sort->schema.fields();
  columns->row_column = fields.size();
  fields.push_back({std::string(kRowColumn), Type::kLong});
  sort->schema = Schema(std::move(fields));
  sort->inputs[0]->schema = sort->schema;
  columns->sources.emplace_back(scan.columns.back());
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

NodePtr rewrite(NodePtr node) {
  std::vector<SortKey>* keys = keys_of_sort(node.get());
  const Scan* scan = keys != nullptr ? scan_below(node->inputs[0].get()) : nullptr;
  if (scan == nullptr) {
    return node;
  }
  ScanSources sources;
  for (std::size_t i = 0; i < node->schema.size(); ++i) {
    sources.push_back(source_of(*node->inputs[0], i));
  }
  drop_repeated_keys(sources, keys);
  SortColumns columns = assign_columns(std::move(sources), *keys);
  const bool has_row = columns.row_column != kNoColumn;
  if (!is_worth_it(*node, columns) ||
      !(has_row || std::holds_alternative<Scan>(node->inputs[0]->op))) {
    return node;
  }
  const Schema output = node->schema;
  if (!has_row) {
    add_row_column(node.get(), &columns);
  }
  Fetch fetch{scan->table, 0, {}};
  std::vector<std::size_t> position = keep_held(node.get(), columns);
  fetch.row_column = position[columns.row_column];
  std::vector<Field> fields = node->schema.fields();
  for (std::size_t i = 0; i < output.size(); ++i) {
    if (columns.is_late(i)) {
      position[i] = fields.size();
      fields.push_back(output[i]);
      fetch.columns.push_back({columns.sources[i]->field, columns.sources[i]->type});
    }
  }
  std::vector<NodePtr> sorted;
  sorted.push_back(std::move(node));
  std::vector<NodePtr> fetched;
  fetched.push_back(make_node(std::move(fetch), std::move(sorted), Schema(std::move(fields))));
  Project restore;
  for (std::size_t i = 0; i < output.size(); ++i) {
    restore.exprs.push_back(make_column(position[columns.twin[i].value_or(i)], output[i].type));
  }
  return make_node(std::move(restore), std::move(fetched), output);
}

}  // namespace

NodePtr materialize_late(NodePtr root, const EvalContext& /*context*/) {
  return rewrite_bottom_up(std::move(root), rewrite);
}

}  // namespace evq::plan
