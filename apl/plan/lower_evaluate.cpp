// evaluate: plugins whose columns depend on the data. What they need to know of the rows is
// learned by running the input while binding; a schema after the call spares bag_unpack that.

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/optimizer.h"
#include "apl/plan/plugins.h"
#include "apl/plan/stacking.h"
#include "apl/plan/table_function.h"
#include "apl/plan/written_plugins.h"
#include "apl/syntax/ast_walker.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"
#include "store/column/ordering.h"
#include "store/column/unique_names.h"
#include "store/column/vector_builder.h"

namespace evq::plan {

// What happens to a key that is named as a column of the input.
enum class UnpackConflict : std::uint8_t { kError, kReplaceSource, kKeepSource };
struct UnpackOptions {
  std::string prefix;
  UnpackConflict conflict = UnpackConflict::kError;
  std::vector<std::string> ignored;
};

namespace {

enum class PluginKind : std::uint8_t { kBagUnpack, kLookup, kNarrow, kPivot, kRowsNear, kWritten };

// A plugin that is written in the language itself has a row in written_plugins.cpp as well.
struct Plugin {
  std::string_view name;
  PluginKind kind;
};
constexpr std::array<Plugin, 9> kPlugins = {{
    {"activity_counts_metrics", PluginKind::kWritten},
    {"bag_unpack", PluginKind::kBagUnpack},
    {"ipv4_lookup", PluginKind::kLookup},
    {"ipv6_lookup", PluginKind::kLookup},
    {"narrow", PluginKind::kNarrow},
    {"pivot", PluginKind::kPivot},
    {"rolling_percentile", PluginKind::kWritten},
    {"rows_near", PluginKind::kRowsNear},
    {"sliding_window_counts", PluginKind::kWritten},
}};
constexpr auto kPluginNames = [] {
  std::array<std::string_view, kPlugins.size()> names;
  std::ranges::transform(kPlugins, names.begin(), &Plugin::name);
  return names;
}();

// Plugins of Kusto that are none here, and what comes near them.
struct OtherPlugin {
  std::string_view name;
  std::string_view instead;
};
constexpr std::array<OtherPlugin, 31> kOtherPlugins = {{
    {"active_users_count", "| summarize dcount(user) by bin(_time, 1d)"},
    {"activity_engagement",
     "| summarize dcount(user) by bin(_time, 1d), then the same by 7d, and divide"},
    {"activity_metrics", "| summarize dcount(user) by bin(_time, 1d)"},
    {"ai_chat_completion", "the genai_ functions over stored conversations: evq help genai_cost"},
    {"ai_chat_completion_prompt",
     "the genai_ functions over stored conversations: evq help genai_cost"},
    {"ai_embeddings", "series_cosine_similarity(a, b) over stored embeddings"},
    {"autocluster", "| summarize count() by field, or spotlight(condition, *)"},
    {"azure_digital_twins_query_request", "externaldata (name:type, …) ['file.json']"},
    {"basket", "| top-nested 5 of field by count(), top-nested 5 of other by count()"},
    {"cosmosdb_sql_request", "externaldata (name:type, …) ['file.json']"},
    {"dcount_intersect", "dcount_hll(hll_merge(a, b)), and subtract it from both dcount_hll"},
    {"diffpatterns", "| summarize spotlight(condition, *)"},
    {"diffpatterns_text", "| summarize spotlight(condition, *)"},
    {"funnel_sequence", "| scan with (step a: event == 'x'; step b: event == 'y';)"},
    {"funnel_sequence_completion", "| scan with (step a: event == 'x'; step b: event == 'y';)"},
    {"geo_line_lookup", "| where geo_distance_point_to_line(longitude, latitude, line) < 100"},
    {"geo_polygon_lookup", "| where geo_point_in_polygon(longitude, latitude, polygon)"},
    {"http_request", "externaldata (name:type, …) ['https://host/file.json']"},
    {"http_request_post", "externaldata (name:type, …) ['https://host/file.json']"},
    {"infer_storage_schema", "externaldata (name:type, …) ['file.json'] | getschema"},
    {"infer_storage_schema_with_suggestions",
     "externaldata (name:type, …) ['file.json'] | getschema"},
    {"mysql_request", "externaldata (name:type, …) ['file.csv']"},
    {"new_activity_metrics",
     "| summarize first = min(_time) by user | summarize count() by bin(first, 1d)"},
    {"postgresql_request", "externaldata (name:type, …) ['file.csv']"},
    {"preview", "| take 10"},
    {"python", "the expressions of a query; evq help functions lists what there is"},
    {"r", "the expressions of a query; evq help functions lists what there is"},
    {"schema_merge", "| union a, b | getschema"},
    {"sequence_detect", "| scan with (step a: event == 'x'; step b: event == 'y';)"},
    {"session_count", "| sort by user, _time asc | extend s = row_window_session(_time, 1d, 30m)"},
    {"sql_request", "externaldata (name:type, …) ['file.csv']"},
}};

// The keys of all bags of a column, by name, with the type that holds all their values.
std::map<std::string, Type, std::less<>> bag_keys(const Vector& bags) {
  std::map<std::string, Type, std::less<>> keys;
  for (std::size_t row = 0; row < bags.size(); ++row) {
    if (bags.is_null(row)) {
      continue;
    }
    const DynamicView bag(bags.at<std::string_view>(row));
    DynamicView::Iterator entries(bag);
    while (bag.is_bag() && entries.next()) {
      const auto at = keys.try_emplace(std::string(entries.key()), Type::kNull).first;
      at->second = common_type(at->second, entries.value().type());
    }
  }
  return keys;
}

// One row per cell: number of the row, name and text of the column.
class Narrow final : public TableFunction {
 public:
  Result<Table> run(const EvalContext& /*context*/, Table input) const override {
    VectorBuilder rows(Type::kLong);
    VectorBuilder names(Type::kString);
    VectorBuilder values(Type::kString);
    for (std::size_t row = 0; row < input.rows; ++row) {
      for (std::size_t column = 0; column < input.columns.size(); ++column) {
        rows.append_integer(static_cast<std::int64_t>(row));
        names.append_text(input.schema[column].name);
        values.append_row(input.columns[column], row);
      }
    }
    Table output;
    output.rows = rows.size();
    output.columns = {rows.finish(), names.finish(), values.finish()};
    return output;
  }
  std::string_view name() const override { return "narrow"; }
  std::string describe() const override { return "narrow"; }
};

Result<std::vector<std::string>> unpack_ignored(const Value& value, Span span) {
  std::vector<std::string> ignored;
  const bool array =
      !value.is_null() && value.type() == Type::kDynamic && DynamicView(value.as_text()).is_array();
  if (!array) {
    return diag::invalid_constant(span, "bag_unpack's ignoredProperties",
                                  "be an array of names: dynamic(['a'])");
  }
  DynamicView::Iterator each{DynamicView(value.as_text())};
  while (each.next()) {
    ignored.emplace_back(each.value().is_string() ? each.value().as_string() : std::string_view());
  }
  return ignored;
}

// bag_unpack(bag, prefix, conflict, ignored): the last three also by Kusto's names for them.
Result<UnpackOptions> unpack_options(Binder& binder, const ast::Evaluate& op) {
  constexpr std::array<std::string_view, 3> kNames = {"OutputColumnPrefix", "columnsConflict",
                                                      "ignoredProperties"};
  const auto& call = std::get<ast::Call>(op.call->node);
  if (call.arguments.empty() || call.arguments.size() > 1 + kNames.size()) {
    return diag::wrong_argument_count(op.call->span, "bag_unpack", "1 to 4", call.arguments.size(),
                                      "bag_unpack(bag, prefix, conflict, ignored)");
  }
  UnpackOptions options;
  for (std::size_t i = 1; i < call.arguments.size(); ++i) {
    const ast::Argument& argument = call.arguments[i];
    std::size_t option = i - 1;
    if (argument.name.has_value()) {
      const auto* const named = std::ranges::find(kNames, argument.name->text);
      if (named == kNames.end()) {
        return diag::unknown_argument(argument.name->span, "bag_unpack", argument.name->text,
                                      kNames);
      }
      option = static_cast<std::size_t>(named - kNames.begin());
    }
    const std::string what = "bag_unpack's " + std::string(kNames.at(option));
    EVQ_TRY_ASSIGN(const Value value, binder.bind_constant(*argument.value, what));
    if (option == 2) {
      EVQ_TRY_ASSIGN(options.ignored, unpack_ignored(value, argument.value->span));
      continue;
    }
    if (value.is_null() || value.type() != Type::kString) {
      return diag::invalid_constant(argument.value->span, what, "be a text");
    }
    if (option == 0) {
      options.prefix = value.as_text();
      continue;
    }
    constexpr std::array<std::string_view, 3> kConflicts = {"error", "replace_source",
                                                            "keep_source"};
    const auto* const conflict = std::ranges::find(kConflicts, value.as_text());
    if (conflict == kConflicts.end()) {
      return diag::invalid_option_value(argument.value->span, "columnsConflict", value.as_text(),
                                        kConflicts);
    }
    options.conflict = static_cast<UnpackConflict>(conflict - kConflicts.begin());
  }
  return options;
}

// The bags of all rows of `input`. Where they would be others when it is run again, it becomes the
// rows that were made here.
Result<Vector> bags_of(SubqueryRunner& subqueries, const Expr& bag, Relation* input) {
  Relation probe;
  probe.node = clone(*input->node);
  std::vector<NamedColumn> only;
  only.push_back({"bag", clone(bag)});
  probe = choose(std::move(probe), std::move(only));
  const NodePtr needed = clone(*probe.node);  // without what the bags do not depend on
  keep_columns(needed.get(), {true});
  if (!bag.is_column() || !draws(*needed)) {
    EVQ_TRY_ASSIGN(const Table bags, subqueries.run(*probe.node));
    return bags.columns.at(0);
  }
  EVQ_TRY_ASSIGN(Table rows, subqueries.run(*input->node));
  auto table = std::make_shared<Table>(std::move(rows));
  Vector bags = table->columns.at(bag.column);
  Schema schema = table->schema;
  input->node = make_node(ValuesNode{std::move(table)}, {}, std::move(schema));
  return bags;
}

Value zero_of(Type type) {
  return type == Type::kReal       ? Value::real(0)
         : type == Type::kTimespan ? Value::timespan(0)
                                   : Value::integer(0);
}

struct PivotShape {
  std::size_t groups = 0;  // leading columns; then the pivot's text, then the value
  bool zero = false;
};

// The rows of `grouped`, which are sorted by the groups and then by the pivot's text, as one row
// per group with a column per pivot text; `held`, which may be null, is charged for them.
Result<Table> pivot_table(const Table& grouped, const PivotShape& shape, Span span,
                          MemoryLease* held) {
  const Vector& pivots = grouped.columns[shape.groups];
  const Vector& cells = grouped.columns[shape.groups + 1];
  std::vector<Field> fields(
      grouped.schema.fields().begin(),
      grouped.schema.fields().begin() + static_cast<std::ptrdiff_t>(shape.groups));
  const auto text_of = [&pivots](std::size_t row) { return pivots.at<std::string_view>(row); };
  std::set<std::string, std::less<>> names;
  std::vector<std::uint32_t> first_rows;  // of the groups
  for (std::size_t row = 0; row < grouped.rows; ++row) {
    bool same = row > 0;
    for (std::size_t i = 0; same && i < shape.groups; ++i) {
      same = rows_equal(grouped.columns[i], row - 1, grouped.columns[i], row);
    }
    if (!same) {
      first_rows.push_back(static_cast<std::uint32_t>(row));
    }
    if (!names.contains(text_of(row))) {
      names.emplace(text_of(row));
    }
    if (shape.groups + names.size() > kDatasetFieldsMax) {
      return diag::limit_exceeded(span, "columns of pivot", kDatasetFieldsMax);
    }
  }
  if (first_rows.size() * names.size() > kPivotCellsMax) {
    return diag::limit_exceeded(span, "cells of pivot", kPivotCellsMax);
  }
  if (held != nullptr) {
    EVQ_TRY(held->grow(first_rows.size() * names.size() * sizeof(std::string_view)));
  }
  Table output;
  output.rows = first_rows.size();
  for (std::size_t i = 0; i < shape.groups; ++i) {
    output.columns.push_back(grouped.columns[i].gather(first_rows));
  }
  const Value missing = shape.zero ? zero_of(cells.type()) : Value::null(cells.type());
  UniqueNames taken;
  for (const Field& field : fields) {
    taken.note(field.name);
  }
  std::vector<std::uint32_t> next = first_rows;  // by group, its first row that has no column yet
  for (const std::string& name : names) {
    VectorBuilder column(cells.type());
    for (std::size_t group = 0; group < next.size(); ++group) {
      const std::size_t end = group + 1 < next.size() ? first_rows[group + 1] : grouped.rows;
      std::uint32_t& row = next[group];
      if (row < end && text_of(row) == name) {
        column.append_row(cells, row);
      } else {
        column.append(missing);
      }
      while (row < end && text_of(row) == name) {
        ++row;
      }
    }
    output.columns.push_back(column.finish());
    fields.push_back({taken.take(name), cells.type()});
  }
  output.schema = Schema(std::move(fields));
  return output;
}

// Groups that are there already, in their order.
Relation relation_of(Table rows) {
  auto table = std::make_shared<Table>(std::move(rows));
  Relation output;
  output.aggregated = true;
  output.ordered = true;
  output.serialized = true;
  Schema schema = table->schema;
  output.node = make_node(ValuesNode{std::move(table)}, {}, std::move(schema));
  return output;
}

}  // namespace

std::span<const std::string_view> plugin_names() {
  return kPluginNames;
}

Result<Relation> Binder::lower(const ast::Evaluate& op, Span /*span*/, Relation input) {
  const auto* call = std::get_if<ast::Call>(&op.call->node);
  const std::string_view name = call != nullptr ? std::string_view(call->function.text) : "";
  const auto* plugin = std::ranges::find(kPlugins, name, &Plugin::name);
  if (plugin == kPlugins.end()) {
    Error error = diag::unknown_plugin(op.call->span, name, kPluginNames);
    if (const auto* other = std::ranges::find(kOtherPlugins, ascii_lower(name), &OtherPlugin::name);
        other != kOtherPlugins.end()) {
      error.hint = "write " + std::string(other->instead);
    }
    return error;
  }
  const auto conformed = [&](Result<Relation> made) -> Result<Relation> {
    EVQ_TRY_ASSIGN(Relation rows, std::move(made));
    return conform(op, std::move(rows));
  };
  switch (plugin->kind) {
    case PluginKind::kBagUnpack:
      return bag_unpack(op, std::move(input));
    case PluginKind::kPivot:
      return conformed(pivot(op, std::move(input)));
    case PluginKind::kRowsNear:
      return conformed(rows_near(op, std::move(input)));
    case PluginKind::kLookup:
      return conformed(ip_lookup(op, std::move(input)));
    case PluginKind::kNarrow:
      if (!call->arguments.empty()) {
        return diag::wrong_argument_count(op.call->span, name, "0", call->arguments.size(), "");
      }
      return conformed(narrow(std::move(input)));
    case PluginKind::kWritten:
      break;
  }
  EVQ_TRY_ASSIGN(WrittenCall written, write_plugin(*this, op, std::move(input)));
  const auto bind_text = [&] {
    static const Environment kNoNames;
    const Meanwhile names(&environment_, &kNoNames);
    return bind_written(*this, std::move(written), op.call->span);
  };
  return conformed(bind_text());
}

Result<Relation> Binder::conform(const ast::Evaluate& op, Relation made) {
  if (op.columns.empty()) {
    return made;
  }
  std::vector<NamedColumn> columns;
  if (op.keep_others) {
    columns = pass_through(made);
    std::erase_if(columns, [&](const NamedColumn& column) {
      return std::ranges::any_of(
          op.columns, [&](const ast::ColumnSpec& spec) { return spec.name.text == column.name; });
    });
  }
  for (const ast::ColumnSpec& spec : op.columns) {
    ExprPtr value = make_constant(Value::null(spec.type), spec.name.span);
    if (const auto at = made.schema().find(spec.name.text); at.has_value()) {
      value = make_column(*at, made.schema()[*at].type, spec.name.span);
      if (value->type != spec.type) {
        EVQ_TRY_ASSIGN(value, convert(std::move(value), spec.type, spec.name.span));
      }
    }
    columns.push_back({spec.name.text, std::move(value)});
  }
  return project(std::move(made), std::move(columns));
}

Result<Relation> Binder::narrow(Relation input) {
  input = order_naturally(std::move(input), options_.event_order);
  std::vector<NamedColumn> columns = pass_through(input);
  for (NamedColumn& column : columns) {
    const Span span = column.expr->span;
    EVQ_TRY_ASSIGN(column.expr, convert(std::move(column.expr), Type::kString, span));
  }
  Relation output;
  output.aggregated = true;
  output.ordered = true;
  output.serialized = true;
  output.node = stack(
      choose(std::move(input), std::move(columns)).node, Transform{std::make_shared<Narrow>()},
      Schema({{"Row", Type::kLong}, {"Column", Type::kString}, {"Value", Type::kString}}));
  return output;
}

// The columns to make, named with the prefix: of the schema, or learned from the bags.
Result<std::vector<Field>> Binder::unpack_fields(const ast::Evaluate& op, const Expr& bag,
                                                 const UnpackOptions& options,
                                                 Relation* input) const {
  std::vector<Field> wanted;
  if (!op.columns.empty()) {
    for (const ast::ColumnSpec& column : op.columns) {
      wanted.push_back({column.name.text, column.type});
    }
    return wanted;
  }
  if (options_.subqueries == nullptr || reads_placeholder(*input->node)) {
    return diag::unsupported_feature(op.call->span, "bag_unpack without a schema here",
                                     "write the columns: bag_unpack(…) : (name:type, …)");
  }
  EVQ_TRY_ASSIGN(const Vector bags, bags_of(*options_.subqueries, bag, input));
  for (const auto& [key, type] : bag_keys(bags)) {
    if (std::ranges::find(options.ignored, key) == options.ignored.end()) {
      wanted.push_back({options.prefix + key, type == Type::kNull ? Type::kDynamic : type});
    }
  }
  if (wanted.size() > kDatasetFieldsMax) {
    return diag::limit_exceeded(op.call->span, "keys to unpack", kDatasetFieldsMax);
  }
  return wanted;
}

Result<Relation> Binder::bag_unpack(const ast::Evaluate& op, Relation input) {
  EVQ_TRY_ASSIGN(const UnpackOptions options, unpack_options(*this, op));
  const auto& call = std::get<ast::Call>(op.call->node);
  EVQ_TRY_ASSIGN(ExprPtr bag, bind_expr(*call.arguments[0].value, &input));
  if (bag->type != Type::kDynamic) {
    return diag::wrong_argument_type(bag->span, "bag_unpack", 1, "dynamic", type_name(bag->type));
  }
  const bool is_field = bag->is_column();
  EVQ_TRY_ASSIGN(bag, computed_once(std::move(bag), &input));
  EVQ_TRY_ASSIGN(const std::vector<Field> wanted, unpack_fields(op, *bag, options, &input));
  std::vector<NamedColumn> columns = pass_through(input);
  std::erase_if(columns, [&](const NamedColumn& column) {
    const bool schema_drops = !op.columns.empty() && !op.keep_others &&
                              std::ranges::find(wanted, column.name, &Field::name) == wanted.end();
    return (is_field && column.expr->column == bag->column) || schema_drops;
  });
  for (const Field& field : wanted) {
    const auto source = std::ranges::find(columns, field.name, &NamedColumn::name);
    const bool exists = source != columns.end();
    if (exists && (!op.columns.empty() || options.conflict == UnpackConflict::kKeepSource)) {
      continue;  // a schema names the columns that stay, too
    }
    if (exists && options.conflict == UnpackConflict::kError) {
      return diag::name_taken(op.call->span, field.name,
                              "a prefix tells them apart: bag_unpack(bag, 'bag_'); "
                              "columnsConflict='replace_source' keeps the bag's");
    }
    std::string key = field.name;
    if (key.starts_with(options.prefix)) {
      key.erase(0, options.prefix.size());
    }
    std::vector<ExprPtr> args;
    args.push_back(clone(*bag));
    args.push_back(make_constant(Value::string(std::move(key)), op.call->span));
    EVQ_TRY_ASSIGN(ExprPtr value, this->call("op_index", std::move(args), op.call->span));
    EVQ_TRY_ASSIGN(value, convert(std::move(value), field.type, op.call->span));
    if (exists) {
      source->expr = std::move(value);
    } else {
      columns.push_back({field.name, std::move(value)});
    }
  }
  return project(std::move(input), std::move(columns));
}

namespace {

// What stands in an aggregation's place in pivot: a value per row, or one that is computed of
// aggregations, which has no value for groups without rows.
Error no_pivot_aggregate(const ast::Expr& expr) {
  bool computed = false;
  ast::walk(expr, [&](const ast::Expr& node) {
    const auto* call = std::get_if<ast::Call>(&node.node);
    computed = computed || (call != nullptr && find_aggregate(call->function.text) != nullptr);
    return !computed;
  });
  if (computed) {
    return diag::unsupported_feature(
        expr.span, "a computation with aggregations in pivot",
        "summarize first: | summarize v = … by key, group | evaluate pivot(key, take_any(v), "
        "group)");
  }
  const auto* call = std::get_if<ast::Call>(&expr.node);
  const auto* field = std::get_if<ast::FieldRef>(&expr.node);
  return diag::not_an_aggregate(expr.span, call != nullptr    ? call->function.text
                                           : field != nullptr ? field->name.text
                                                              : "this");
}

}  // namespace

Result<Relation> Binder::pivot(const ast::Evaluate& op, Relation input) {
  const auto& call = std::get<ast::Call>(op.call->node);
  if (call.arguments.empty()) {
    return diag::wrong_argument_count(op.call->span, "pivot", "at least 1", 0,
                                      "pivot(column, aggregation, group, …)");
  }
  ast::Expr count;
  count.span = op.call->span;
  count.node = ast::Call{ast::Name{"count", op.call->span, false}, {}};
  const ast::Expr* aggregate = call.arguments.size() > 1 ? call.arguments[1].value.get() : &count;
  const auto* aggregate_call = std::get_if<ast::Call>(&aggregate->node);
  const AggregateFunction* function =
      aggregate_call != nullptr ? find_aggregate(aggregate_call->function.text) : nullptr;
  if (function == nullptr) {
    return no_pivot_aggregate(*aggregate);
  }
  // Never null: that has the empty text's column, and its rows must be in the same group.
  EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*call.arguments[0].value, &input));
  // The two zeros are one value in a group, and so in the name of its column.
  if (value->type == Type::kReal) {
    std::vector<ExprPtr> sum;
    sum.push_back(std::move(value));
    sum.push_back(make_constant(Value::real(0)));
    EVQ_TRY_ASSIGN(value, this->call("op_add", std::move(sum), call.arguments[0].value->span));
  }
  EVQ_TRY_ASSIGN(ExprPtr column, text_form(std::move(value), call.arguments[0].value->span));
  SummarizeParts parts;
  for (std::size_t i = 2; i < call.arguments.size(); ++i) {
    parts.groups.emplace_back(*call.arguments[i].value);
  }
  if (call.arguments.size() <= 2) {
    std::set<std::size_t> used;
    for_each_column(*column, [&](std::size_t at) { used.insert(at); });
    for (const ast::Argument& argument : aggregate_call->arguments) {
      EVQ_TRY_ASSIGN(const ExprPtr bound, bind_expr(*argument.value, &input));
      for_each_column(*bound, [&](std::size_t at) { used.insert(at); });
    }
    for (NamedColumn& other : pass_through(input)) {
      if (!used.contains(other.expr->column)) {
        parts.bound_groups.push_back(std::move(other));
      }
    }
  }
  const std::size_t groups = parts.groups.size() + parts.bound_groups.size();
  parts.bound_groups.push_back({hidden_name("pivot"), std::move(column)});
  parts.aggregates.emplace_back(*aggregate);
  EVQ_TRY_ASSIGN(Relation grouped, summarize(std::move(parts), std::move(input)));
  const Schema schema = grouped.schema();
  if (schema.size() != groups + 2) {
    return diag::unsupported_feature(aggregate->span,
                                     "an aggregation with several results in pivot", "");
  }
  Sort sort;
  for (std::size_t i = 0; i <= groups; ++i) {
    sort.keys.push_back({i, {false, true}});
  }
  const NodePtr sorted = stack(std::move(grouped.node), std::move(sort), schema);
  EVQ_TRY_ASSIGN(const Table rows, run_now(*sorted, op.call->span, "pivot"));
  const PivotShape shape{groups, function->zero_of_nothing};
  EVQ_TRY_ASSIGN(Table pivoted, pivot_table(rows, shape, op.call->span, options_.held));
  Relation output = relation_of(std::move(pivoted));
  output.take_paths(grouped);  // the groups are columns yet
  return output;
}

}  // namespace evq::plan
