// summarize count(), arg_max(_time, *) by k: the rows are chosen by their places in the table, and
// their fields are read when they are known, for them alone. So a group takes two words, however
// many fields there are, and what drops groups afterwards (top, where, take) comes before the
// reading. The same for take_any(*), the first rows.

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "apl/functions/row_choice.h"
#include "apl/plan/node_traits.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/row_cells.h"
#include "store/base/check.h"

namespace evq::plan {
namespace {

// Expressions put into one another may come to many times what the query says.
constexpr std::size_t kCellNodesMax = 256;

const Scan* scan_below(const Node& node) {
  if (const auto* scan = std::get_if<Scan>(&node.op)) {
    return scan;
  }
  const NodeTraits traits = traits_of(node.op);
  const bool passes_on =
      traits.can_pass_column() && (traits.maps_rows() || traits.rows == RowsMade::kOfEach);
  return passes_on ? scan_below(*node.inputs[0]) : nullptr;
}

// Column `column` of `node`'s output as an expression over the columns of the scan below it; null
// where it is none of moderate size, or comes out differently when it is computed again.
ExprPtr over_scan(const Node& node, std::size_t column) {
  if (std::holds_alternative<Scan>(node.op)) {
    return make_column(column, node.schema[column].type);
  }
  const auto* project = std::get_if<Project>(&node.op);
  if (project == nullptr) {
    return over_scan(*node.inputs[0], column);
  }
  const Expr& expr = *project->exprs[column];
  if (!is_deterministic(expr)) {
    return nullptr;
  }
  std::vector<ExprPtr> columns(node.inputs[0]->schema.size());
  std::size_t nodes = node_count(expr);
  bool known = true;
  for_each_column(expr, [&](std::size_t used) {
    if (known && columns[used] == nullptr) {
      columns[used] = over_scan(*node.inputs[0], used);
    }
    known = known && columns[used] != nullptr;
    nodes += known ? node_count(*columns[used]) : 0;
  });
  return known && nodes <= kCellNodesMax ? substitute(clone(expr), columns) : nullptr;
}

// The fields of the rows that one call chooses, as they are read later.
class LateFields {
 public:
  explicit LateFields(const Scan& scan) : scan_(scan) {}

  // False for what cannot be had from the fields of a row.
  bool add(const Node& input, std::size_t column) {
    ExprPtr cell = over_scan(input, column);
    if (cell == nullptr) {
      return false;
    }
    std::vector<std::size_t> place(scan_.columns.size(), kNoColumn);
    bool fields_only = true;
    for_each_column(*cell, [&](std::size_t used) {
      const ScanColumn& wanted = scan_.columns[used];
      fields_only = fields_only && wanted.field != kRowColumn;
      const auto at = std::ranges::find(columns_, wanted.field, &ScanColumn::field);
      place[used] = static_cast<std::size_t>(at - columns_.begin());
      if (at == columns_.end()) {
        columns_.push_back({wanted.field, wanted.type});
      }
    });
    remap_columns(cell.get(), place);
    cells_.push_back(std::move(cell));
    return fields_only;
  }

  const std::vector<ScanColumn>& columns() const { return columns_; }
  // Over columns() when they come from `begin` on.
  ExprPtr cell(std::size_t index, std::size_t begin) const {
    std::vector<std::size_t> place(columns_.size());
    for (std::size_t i = 0; i < place.size(); ++i) {
      place[i] = begin + i;
    }
    ExprPtr cell = clone(*cells_[index]);
    remap_columns(cell.get(), place);
    return cell;
  }
  std::shared_ptr<const RowCells> row_cells(std::size_t count) const {
    auto made = std::make_shared<RowCells>();
    made->fetch = Fetch{scan_.table, 0, columns_};
    for (std::size_t i = 0; i < count; ++i) {
      made->cells.push_back(cell(i, 0));
    }
    return made;
  }

 private:
  const Scan& scan_;
  std::vector<ScanColumn> columns_;
  std::vector<ExprPtr> cells_;
};

bool takes_first_row(const AggregateCall& call) {
  return call.function->takes_first_row && call.args.size() > 1;
}

// Few numbers are held as easily as they are read again; texts are copied for each row that is best
// for a while.
bool is_worth_it(const AggregateCall& call, std::size_t from) {
  const std::span<const Type> types = call.call.arguments;
  return call.args.size() > from + kNarrowColumnsMax ||
         std::ranges::any_of(types.subspan(std::min(from, types.size())),
                             [](Type type) { return physical_of(type) == Physical::kView; });
}

// What a call's results are made of later; nothing for one that is better left as it is. The first
// fields are those after the value; that itself is one of them where equal values may differ.
std::optional<LateFields> late_fields(const AggregateCall& call, const Node& input,
                                      const Scan& scan) {
  const bool first_row = takes_first_row(call);
  const std::size_t from = first_row ? 0 : 1;
  if (!is_worth_it(call, from) ||
      (!first_row && (call.function->extreme == 0 || !has_row_choice(call.call.arguments[0]) ||
                      call.row_cells != nullptr))) {
    return std::nullopt;
  }
  LateFields fields(scan);
  for (std::size_t i = from; i < call.args.size(); ++i) {
    if (!fields.add(input, call.args[i])) {
      return std::nullopt;
    }
  }
  const bool has_value =
      first_row || call.call.arguments[0] != Type::kReal || fields.add(input, call.args[0]);
  return has_value ? std::optional(std::move(fields)) : std::nullopt;
}

// The call that chooses by place instead.
AggregateCall located(const AggregateCall& call, const LateFields& fields, std::size_t row) {
  AggregateCall made;
  made.function = call.function;
  made.text = call.text;
  if (takes_first_row(call)) {
    const std::vector<Argument> arguments{{Type::kLong, nullptr}};
    made.call = std::get<BoundAggregateCall>(
        bind_aggregate(*call.function, {arguments, EvalContext(), std::nullopt}));
    made.args = {row};
  } else {
    made.call = row_choice_call(call.call.arguments[0], call.function->extreme);
    made.args = {call.args[0], row};
    made.row_cells = fields.row_cells(call.args.size() - 1);
  }
  return made;
}

// `cell`, or null where there is no row whose fields it could be over: an aggregation without
// groups gives one of null fields for no rows, and what is made of those need not be null.
ExprPtr of_some_row(ExprPtr cell, std::size_t row_column, const EvalContext& context) {
  if (cell->is_column() || (cell->is_constant() && cell->constant.is_null())) {
    return cell;  // a null anyway
  }
  const auto call = [&context](std::string_view name, std::vector<ExprPtr> args) {
    Result<ExprPtr> made = make_call(*find_function(name), std::move(args), context, {});
    EVQ_CHECK(made.ok());
    return std::move(made).value();
  };
  const Type type = cell->type;
  std::vector<ExprPtr> row;
  row.push_back(make_column(row_column, Type::kLong));
  std::vector<ExprPtr> either;
  either.push_back(call("isnull", std::move(row)));
  either.push_back(make_constant(Value::null(type)));
  either.push_back(std::move(cell));
  ExprPtr made = call("iff", std::move(either));
  EVQ_CHECK(made->type == type);
  return made;
}

// Puts what is read for the rows of one call on top of `node`; its results are then `results`.
NodePtr fetch_fields(NodePtr node, const LateFields& fields, const AggregateCall& call,
                     std::size_t place, std::vector<ExprPtr>* results) {
  const bool first_row = takes_first_row(call);
  const std::size_t begin = node->schema.size();
  Fetch fetch{fields.row_cells(0)->fetch};
  fetch.row_column = first_row ? place : place + 1;
  std::vector<Field> all = node->schema.fields();
  for (const ScanColumn& column : fields.columns()) {
    all.push_back({column.field, column.type});
  }
  const std::size_t late = call.args.size() - (first_row ? 0 : 1);
  if (!first_row) {
    results->push_back(call.call.arguments[0] == Type::kReal
                           ? fields.cell(late, begin)
                           : make_column(place, call.call.arguments[0]));
  }
  for (std::size_t i = 0; i < late; ++i) {
    results->push_back(fields.cell(i, begin));
  }
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(node));
  return make_node(std::move(fetch), std::move(inputs), Schema(std::move(all)));
}

NodePtr locate(NodePtr node, const EvalContext& context) {
  const auto* op = std::get_if<Aggregate>(&node->op);
  const Scan* scan = op != nullptr ? scan_below(*node->inputs[0]) : nullptr;
  if (scan == nullptr) {
    return node;
  }
  std::vector<std::optional<LateFields>> late;
  for (const AggregateCall& call : op->aggregates) {
    late.push_back(late_fields(call, *node->inputs[0], *scan));
  }
  if (std::ranges::none_of(late, [](const auto& fields) { return fields.has_value(); })) {
    return node;
  }
  const std::size_t row = add_row_column(node->inputs[0].get());
  Aggregate changed{op->groups, {}};
  std::vector<Field> fields;
  std::vector<std::size_t> places;  // of each call's results
  for (std::size_t i = 0; i < op->groups.size(); ++i) {
    fields.push_back(node->schema[i]);
  }
  std::size_t before = fields.size();
  for (std::size_t i = 0; i < late.size(); ++i) {
    const AggregateCall& call = op->aggregates[i];
    changed.aggregates.push_back(late[i].has_value() ? located(call, *late[i], row) : call);
    places.push_back(fields.size());
    for (const Type type : changed.aggregates.back().call.results) {
      fields.push_back({node->schema[before + fields.size() - places.back()].name, type});
    }
    before += call.call.results.size();
  }
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(node->inputs[0]));
  const std::size_t width = fields.size();
  NodePtr made = make_node(std::move(changed), std::move(inputs), Schema(std::move(fields)));
  keep_columns(made.get(), std::vector<bool>(width, true));
  Project restore;
  for (std::size_t i = 0; i < op->groups.size(); ++i) {
    restore.exprs.push_back(make_column(i, node->schema[i].type));
  }
  for (std::size_t i = 0; i < late.size(); ++i) {
    const AggregateCall& call = op->aggregates[i];
    if (late[i].has_value()) {
      const std::size_t first = restore.exprs.size();
      made = fetch_fields(std::move(made), *late[i], call, places[i], &restore.exprs);
      const std::size_t row_column = std::get<Fetch>(made->op).row_column;
      for (std::size_t j = first; op->groups.empty() && j < restore.exprs.size(); ++j) {
        restore.exprs[j] = of_some_row(std::move(restore.exprs[j]), row_column, context);
      }
      continue;
    }
    for (std::size_t j = 0; j < call.call.results.size(); ++j) {
      restore.exprs.push_back(make_column(places[i] + j, call.call.results[j]));
    }
  }
  node->inputs.clear();
  node->inputs.push_back(std::move(made));
  node->op = std::move(restore);
  return node;
}

// Column `column` of `node`'s output as one of the Fetch below it, through projections; kNoColumn
// for what is computed or fetched.
std::size_t column_before_fetch(const Node& node, std::size_t column) {
  const std::optional<std::size_t> below = column_below(node, column);
  if (!below.has_value()) {
    return kNoColumn;
  }
  return std::holds_alternative<Fetch>(node.op) ? *below
                                                : column_before_fetch(*node.inputs[0], *below);
}

// Which rows are left, and in which order, is settled before their fields are read, where it does
// not depend on those.
NodePtr settle_rows(NodePtr node) {
  std::vector<std::size_t*> columns;
  auto* filter = std::get_if<Filter>(&node->op);
  if (auto* sort = std::get_if<Sort>(&node->op)) {
    for (SortKey& key : sort->keys) {
      columns.push_back(&key.column);
    }
  } else if (auto* top = std::get_if<TopN>(&node->op)) {
    for (SortKey& key : top->keys) {
      columns.push_back(&key.column);
    }
  } else if (filter == nullptr && !std::holds_alternative<Limit>(node->op)) {
    return node;
  }
  Node* fetch = node->inputs[0].get();
  while (std::holds_alternative<Project>(fetch->op)) {
    fetch = fetch->inputs[0].get();
  }
  if (!std::holds_alternative<Fetch>(fetch->op)) {
    return node;
  }
  std::vector<std::size_t> place(node->schema.size());
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] = column_before_fetch(*node->inputs[0], i);
  }
  bool known = std::ranges::all_of(
      columns, [&](const std::size_t* column) { return place[*column] != kNoColumn; });
  if (filter != nullptr) {
    for_each_column(*filter->predicate,
                    [&](std::size_t column) { known = known && place[column] != kNoColumn; });
  }
  if (!known) {
    return node;
  }
  for (std::size_t* column : columns) {
    *column = place[*column];
  }
  if (filter != nullptr) {
    remap_columns(filter->predicate.get(), place);
  }
  NodePtr top = std::move(node->inputs[0]);
  node->schema = fetch->inputs[0]->schema;
  node->inputs[0] = std::move(fetch->inputs[0]);
  fetch->inputs[0] = settle_rows(std::move(node));
  return top;
}

}  // namespace

NodePtr locate_rows(NodePtr root, const EvalContext& context) {
  bool changed = false;
  root = rewrite_bottom_up(std::move(root), [&](NodePtr node) {
    const bool aggregates = std::holds_alternative<Aggregate>(node->op);
    node = aggregates ? locate(std::move(node), context) : settle_rows(std::move(node));
    changed = changed || (aggregates && !std::holds_alternative<Aggregate>(node->op));
    return node;
  });
  if (changed) {  // of the fields that tell rows apart not all are asked for
    keep_columns(root.get(), std::vector<bool>(root->schema.size(), true));
  }
  return root;
}

}  // namespace evq::plan
