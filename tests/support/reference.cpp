#include "tests/support/reference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "apl/functions/time_range.h"
#include "apl/plan/table_function.h"
#include "apl/syntax/parser.h"
#include "store/column/dynamic.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"
#include "tests/support/reference_rows.h"

namespace evq {
namespace {

constexpr std::uint64_t kSequenceRowsMax = 10'000;
// Rows that one answer makes on the way, all taken together.
constexpr std::size_t kMadeBytesMax = std::size_t{256} << 20;

class ReferenceTables final : public plan::TableSource, public TimeExtent {
 public:
  explicit ReferenceTables(Store& store) : store_(store) {}

  Result<plan::TableInfo> table(std::string_view name) override {
    EVQ_TRY_ASSIGN(const Snapshot snapshot, store_.snapshot(name));
    EVQ_TRY_ASSIGN(const std::optional<DatasetDefinition> definition,
                   store_.definitions().find_dataset(name));
    plan::TableInfo info;
    info.ref = {std::string(name), definition.has_value() ? definition->file_id : 0};
    info.schema = snapshot.schema();
    info.wide_longs = snapshot.wide_longs();
    if (definition.has_value()) {
      info.map_fields = definition->map_fields;
    }
    for (const SnapshotBlock& block : snapshot.blocks()) {
      oldest_ = std::min(oldest_, block.min_time);
      newest_ = std::max(newest_, block.max_time);
    }
    return info;
  }
  std::optional<std::pair<std::int64_t, std::int64_t>> time_extent() const override {
    if (!extent_.has_value() && oldest_ <= newest_) {
      extent_ = {oldest_, newest_};
    }
    return extent_;
  }
  Result<std::vector<std::string>> table_names() override {
    std::vector<std::string> names;
    const auto datasets = store_.definitions().datasets();
    for (const DatasetDefinition& dataset : datasets.value()) {
      names.push_back(dataset.name);
    }
    return names;
  }
  Result<plan::LocationBounds> locate(const plan::TableRef& /*table*/, std::int64_t /*time*/,
                                      std::uint64_t /*ordinal*/) override {
    return make_error(ErrorCode::kUnsupported, "cursors");
  }

  // Every row of a dataset, with its place in the order of arrival as the hidden row column.
  Result<std::vector<ReferenceRow>> rows(const plan::Scan& scan) {
    EVQ_TRY_ASSIGN(const Snapshot snapshot, store_.snapshot(scan.table.name));
    std::vector<ReferenceRow> rows;
    for (const SnapshotBlock& info : snapshot.blocks()) {
      EVQ_TRY_ASSIGN(StoredBlock block, snapshot.open(info));
      EVQ_TRY_ASSIGN(const Vector ordinals, block.ordinals());
      std::vector<Vector> columns;
      for (const plan::ScanColumn& column : scan.columns) {
        if (column.field == plan::kRowColumn) {
          columns.push_back(ordinals);
          continue;
        }
        EVQ_TRY_ASSIGN(const Vector values,
                       block.column(column.field == plan::kTimeColumn ? "_time" : column.field));
        columns.push_back(values.widen(column.type));
      }
      for (std::size_t row = 0; row < block.rows(); ++row) {
        ReferenceRow values;
        for (std::size_t i = 0; i < columns.size(); ++i) {
          values.push_back(columns[i].is_null(row) ? Value::null(scan.columns[i].type)
                                                   : columns[i].value(row));
        }
        rows.push_back(std::move(values));
      }
    }
    return rows;
  }

 private:
  Store& store_;
  std::int64_t oldest_ = INT64_MAX;  // of the tables named so far
  std::int64_t newest_ = INT64_MIN;
  mutable std::optional<std::pair<std::int64_t, std::int64_t>> extent_;
};

Vector single(const Value& value, Type type) {
  VectorBuilder builder(type);
  builder.append(value);
  return builder.finish();
}

class Interpreter final : public plan::SubqueryRunner {
 public:
  Interpreter(ReferenceTables& tables, const EvalContext& context)
      : tables_(tables), context_(context) {}

  Result<Table> run(const plan::Node& node) override {
    EVQ_TRY_ASSIGN(const std::vector<ReferenceRow> rows, evaluate(node));
    return table_of(rows, node.schema);
  }

  Result<std::vector<ReferenceRow>> evaluate(const plan::Node& node) {
    if (const auto* scan = std::get_if<plan::Scan>(&node.op)) {
      return evaluate_scan(*scan);
    }
    if (const auto* values = std::get_if<plan::ValuesNode>(&node.op)) {
      return rows_of(*values->table);
    }
    if (const auto* sequence = std::get_if<plan::Sequence>(&node.op)) {
      if (sequence->count > kSequenceRowsMax) {
        return make_error(ErrorCode::kUnsupported, "a sequence too long to go row by row");
      }
      return reference_sequence(*sequence);
    }
    if (const auto* placeholder = std::get_if<plan::Placeholder>(&node.op)) {
      return *placeholders_.at(placeholder->apply);
    }
    if (const auto* shared = std::get_if<plan::Shared>(&node.op)) {
      return evaluate_shared(shared->plan);
    }
    if (std::holds_alternative<plan::Union>(node.op)) {
      std::vector<ReferenceRow> rows;
      for (const plan::NodePtr& input : node.inputs) {
        EVQ_TRY_ASSIGN(std::vector<ReferenceRow> part, evaluate(*input));
        for (ReferenceRow& row : part) {
          EVQ_TRY(add(std::move(row), &rows));
        }
      }
      return rows;
    }
    if (const auto* join = std::get_if<plan::Join>(&node.op)) {
      EVQ_TRY_ASSIGN(const std::vector<ReferenceRow> left, evaluate(*node.inputs[0]));
      EVQ_TRY_ASSIGN(const std::vector<ReferenceRow> right, evaluate(*node.inputs[1]));
      return join_rows(*join, node, left, right);
    }
    if (node.inputs.size() != 1) {
      return make_error(ErrorCode::kUnsupported, "the slow twin does not know this node");
    }
    EVQ_TRY_ASSIGN(std::vector<ReferenceRow> rows, evaluate(*node.inputs[0]));
    return apply(node, std::move(rows));
  }

 private:
  // A row more of those that an operator makes.
  Status add(ReferenceRow row, std::vector<ReferenceRow>* rows) {
    for (const Value& value : row) {
      const bool text = value.type() == Type::kString || value.type() == Type::kDynamic;
      made_bytes_ += sizeof(Value) + (text && !value.is_null() ? value.as_text().size() : 0);
    }
    if (made_bytes_ > kMadeBytesMax) {
      return make_error(ErrorCode::kUnsupported, "rows too large to go row by row");
    }
    rows->push_back(std::move(row));
    return Status::success();
  }

  // Once for all that share it, unless it reads the rows of an operator around it.
  Result<std::vector<ReferenceRow>> evaluate_shared(const std::shared_ptr<const plan::Node>& node) {
    const auto known = shared_.find(node);
    if (known != shared_.end()) {
      return known->second;
    }
    EVQ_TRY_ASSIGN(std::vector<ReferenceRow> rows, evaluate(*node));
    if (!plan::reads_placeholder(*node)) {
      shared_.emplace(node, rows);
    }
    return rows;
  }

  Result<std::vector<ReferenceRow>> evaluate_scan(const plan::Scan& scan) {
    EVQ_TRY_ASSIGN(std::vector<ReferenceRow> rows, tables_.rows(scan));
    std::size_t time = 0;
    for (std::size_t i = 0; i < scan.columns.size(); ++i) {
      if (scan.columns[i].field == plan::kTimeColumn) {
        time = i;
      }
    }
    std::erase_if(rows, [&](const ReferenceRow& row) {
      const std::int64_t at = row[time].as_integer();
      return at < scan.time_min || at > scan.time_max;
    });
    return rows;
  }

  Value evaluate_expr(const plan::Expr& expr, const ReferenceRow& row) {
    if (expr.is_column()) {
      return row[expr.column];
    }
    if (expr.is_constant()) {
      return expr.constant;
    }
    std::vector<Vector> args;
    for (std::size_t i = 0; i < expr.args.size(); ++i) {
      args.push_back(single(evaluate_expr(*expr.args[i], row), expr.args[i]->type));
    }
    const Vector result = expr.call.function->evaluate(context_, args, 1);
    return result.is_null(0) ? Value::null(expr.type) : result.value(0);
  }

  Result<std::vector<ReferenceRow>> apply(const plan::Node& node, std::vector<ReferenceRow> rows) {
    if (const auto* filter = std::get_if<plan::Filter>(&node.op)) {
      std::erase_if(rows, [&](const ReferenceRow& row) {
        const Value truth = evaluate_expr(*filter->predicate, row);
        return truth.is_null() || !truth.as_bool();
      });
      return rows;
    }
    if (const auto* project = std::get_if<plan::Project>(&node.op)) {
      std::vector<ReferenceRow> made;
      for (const ReferenceRow& row : rows) {
        ReferenceRow projected;
        for (const plan::ExprPtr& expr : project->exprs) {
          projected.push_back(evaluate_expr(*expr, row));
        }
        EVQ_TRY(add(std::move(projected), &made));
      }
      return made;
    }
    if (const auto* sort = std::get_if<plan::Sort>(&node.op)) {
      sort_rows(sort->keys, &rows);
      return rows;
    }
    if (const auto* top = std::get_if<plan::TopN>(&node.op)) {
      return first_rows(*top, std::move(rows));
    }
    if (const auto* limit = std::get_if<plan::Limit>(&node.op)) {
      rows.resize(std::min<std::size_t>(rows.size(), limit->count));
      return rows;
    }
    if (const auto* aggregate = std::get_if<plan::Aggregate>(&node.op)) {
      return aggregate_rows(*aggregate, node.inputs[0]->schema, rows);
    }
    if (const auto* transform = std::get_if<plan::Transform>(&node.op)) {
      EVQ_TRY_ASSIGN(const Table made,
                     transform->function->run(context_, table_of(rows, node.inputs[0]->schema)));
      return rows_of(made);
    }
    if (const auto* unnest = std::get_if<plan::Unnest>(&node.op)) {
      std::vector<ReferenceRow> made;
      for (const ReferenceRow& row : rows) {
        EVQ_TRY(reference_unnest(*unnest, row,
                                 [&](ReferenceRow part) { return add(std::move(part), &made); }));
      }
      return made;
    }
    if (const auto* window = std::get_if<plan::Window>(&node.op)) {
      return reference_window(*window, std::move(rows));
    }
    if (const auto* series = std::get_if<plan::Series>(&node.op)) {
      return reference_series(*series, rows);
    }
    if (const auto* apply = std::get_if<plan::Apply>(&node.op)) {
      return apply->per_row ? expanded_rows(*apply, rows) : partition_rows(*apply, rows);
    }
    return make_error(ErrorCode::kUnsupported, "the slow twin does not know this node");
  }

  static std::vector<ReferenceRow> first_rows(const plan::TopN& top,
                                              std::vector<ReferenceRow> rows) {
    sort_rows(top.keys, &rows);
    const std::span<const plan::SortKey> groups(top.keys.data(), top.groups);
    std::vector<ReferenceRow> kept;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      number = i > 0 && compare_by(groups, rows[i - 1], rows[i]) == 0 ? number + 1 : 1;
      if (number <= top.count) {
        kept.push_back(rows[i]);
      }
    }
    return kept;
  }

  static Table table_of(const std::vector<ReferenceRow>& rows, const Schema& schema) {
    Table table{schema, {}, rows.size()};
    for (std::size_t column = 0; column < schema.size(); ++column) {
      VectorBuilder builder(schema[column].type);
      for (const ReferenceRow& row : rows) {
        builder.append(row[column]);
      }
      table.columns.push_back(builder.finish());
    }
    return table;
  }

  static std::vector<ReferenceRow> rows_of(const Table& table) {
    std::vector<ReferenceRow> rows;
    for (std::size_t row = 0; row < table.rows; ++row) {
      ReferenceRow made;
      for (const Vector& column : table.columns) {
        made.push_back(column.is_null(row) ? Value::null(column.type()) : column.value(row));
      }
      rows.push_back(std::move(made));
    }
    return rows;
  }

  // Every left row beside every right one.
  Result<std::vector<ReferenceRow>> join_rows(const plan::Join& join, const plan::Node& node,
                                              const std::vector<ReferenceRow>& left,
                                              const std::vector<ReferenceRow>& right) {
    using plan::JoinKind;
    const auto nulls = [](const Schema& schema) {
      ReferenceRow row;
      for (const Field& field : schema.fields()) {
        row.push_back(Value::null(field.type));
      }
      return row;
    };
    const auto beside = [](ReferenceRow row, const ReferenceRow& more) {
      row.insert(row.end(), more.begin(), more.end());
      return row;
    };
    const JoinKind kind = join.kind;
    std::vector<ReferenceRow> output;
    std::vector<bool> right_matched(right.size(), false);
    for (const ReferenceRow& row : left) {
      bool matched = false;
      for (std::size_t i = 0; i < right.size(); ++i) {
        if (!keys_match(join, row, right[i])) {
          continue;
        }
        right_matched[i] = true;
        const bool pairs = kind != JoinKind::kLeftSemi && kind != JoinKind::kLeftAnti;
        if (pairs && !(matched && kind == JoinKind::kInnerUnique)) {
          EVQ_TRY(add(beside(row, right[i]), &output));
        }
        matched = true;
      }
      if ((kind == JoinKind::kLeftSemi && matched) || (kind == JoinKind::kLeftAnti && !matched)) {
        EVQ_TRY(add(row, &output));
      } else if (!matched && (kind == JoinKind::kLeftOuter || kind == JoinKind::kFullOuter)) {
        EVQ_TRY(add(beside(row, nulls(node.inputs[1]->schema)), &output));
      }
    }
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (!right_matched[i] && (kind == JoinKind::kRightOuter || kind == JoinKind::kFullOuter)) {
        EVQ_TRY(add(beside(nulls(node.inputs[0]->schema), right[i]), &output));
      }
    }
    return output;
  }

  static bool keys_match(const plan::Join& join, const ReferenceRow& left,
                         const ReferenceRow& right) {
    for (std::size_t i = 0; i < join.left_keys.size(); ++i) {
      const Value& a = left[join.left_keys[i]];
      const Value& b = right[join.right_keys[i]];
      if (a.is_null() || b.is_null()) {
        if (!join.nulls_match || a.is_null() != b.is_null()) {
          return false;
        }
      } else if (compare_values(a, b) != 0 || (!join.nulls_match && is_nan(plain(a)))) {
        return false;
      }
    }
    return true;
  }

  // What a dynamic holds.
  static Value plain(const Value& value) {
    return value.type() == Type::kDynamic ? value_from_dynamic(DynamicView(value.as_text()))
                                          : value;
  }

  // The subplan over what each row expands to, behind the columns that are passed on.
  Result<std::vector<ReferenceRow>> expanded_rows(const plan::Apply& apply,
                                                  const std::vector<ReferenceRow>& rows) {
    std::vector<ReferenceRow> output;
    for (const ReferenceRow& row : rows) {
      std::vector<ReferenceRow> expanded;
      EVQ_TRY(reference_unnest(*apply.unnest, row,
                               [&](ReferenceRow part) { return add(std::move(part), &expanded); }));
      placeholders_[apply.id] = &expanded;
      auto made = evaluate(*apply.subplan);
      placeholders_.erase(apply.id);
      EVQ_TRY_ASSIGN(const std::vector<ReferenceRow> part, std::move(made));
      for (const ReferenceRow& inner : part) {
        ReferenceRow whole;
        for (const std::size_t column : apply.passed) {
          whole.push_back(row[column]);
        }
        whole.insert(whole.end(), inner.begin(), inner.end());
        EVQ_TRY(add(std::move(whole), &output));
      }
    }
    return output;
  }

  // The subplan over the rows of each key, in order of the keys.
  Result<std::vector<ReferenceRow>> partition_rows(const plan::Apply& apply,
                                                   const std::vector<ReferenceRow>& rows) {
    std::vector<std::vector<ReferenceRow>> groups;
    for (const ReferenceRow& row : rows) {
      const auto same = std::ranges::find_if(groups, [&](const std::vector<ReferenceRow>& group) {
        return std::ranges::all_of(apply.keys, [&](std::size_t key) {
          const Value& a = group[0][key];
          return a.is_null() == row[key].is_null() &&
                 (a.is_null() || compare_values(a, row[key]) == 0);
        });
      });
      if (same == groups.end()) {
        groups.push_back({row});
      } else {
        same->push_back(row);
      }
    }
    std::vector<plan::SortKey> order;
    for (const std::size_t key : apply.keys) {
      order.push_back({key, {}});
    }
    std::ranges::stable_sort(
        groups, [&](const auto& a, const auto& b) { return compare_by(order, a[0], b[0]) < 0; });
    std::vector<ReferenceRow> output;
    for (const std::vector<ReferenceRow>& group : groups) {
      placeholders_[apply.id] = &group;
      auto made = evaluate(*apply.subplan);
      placeholders_.erase(apply.id);
      EVQ_TRY_ASSIGN(std::vector<ReferenceRow> part, std::move(made));
      std::ranges::move(part, std::back_inserter(output));
    }
    return output;
  }

  static bool is_nan(const Value& value) {
    return !value.is_null() && value.type() == Type::kReal && std::isnan(value.as_real());
  }

  // Negative when a comes before b, 0 when the keys do not tell.
  static int compare_by(std::span<const plan::SortKey> keys, const ReferenceRow& a,
                        const ReferenceRow& b) {
    const auto first = [](bool is_a) { return is_a ? -1 : 1; };
    for (const plan::SortKey& key : keys) {
      const Value& left = a[key.column];
      const Value& right = b[key.column];
      if (left.is_null() != right.is_null()) {
        return first(left.is_null() == key.order.nulls_first);
      }
      if (is_nan(left) != is_nan(right)) {
        return first(is_nan(left) == key.order.nulls_first);
      }
      const int order = left.is_null() ? 0 : compare_values(left, right);
      if (order != 0) {
        return first((order < 0) != key.order.descending);
      }
    }
    return 0;
  }

  static void sort_rows(const std::vector<plan::SortKey>& keys, std::vector<ReferenceRow>* rows) {
    std::ranges::stable_sort(*rows, [&](const ReferenceRow& a, const ReferenceRow& b) {
      return compare_by(keys, a, b) < 0;
    });
  }

  // A key of a group as all that are equal to it are.
  static Value canonical(const Value& value) {
    if (value.type() == Type::kReal && !value.is_null() && value.as_real() == 0) {
      return Value::real(0);
    }
    return value.is_null() || value.type() != Type::kDynamic
               ? value
               : Value::dynamic(canonical_dynamic(DynamicView(value.as_text())));
  }

  // Different for different keys. JSON would write infinity, NaN and null alike.
  static std::string key_text(const Value& key) {
    if (key.is_null()) {
      return "null ";
    }
    const std::string text =
        key.type() == Type::kDynamic ? std::string(key.as_text()) : key.to_text();
    return std::to_string(text.size()) + ":" + text;
  }

  // One state a group, in order of first sight, fed row by row.
  Result<std::vector<ReferenceRow>> aggregate_rows(const plan::Aggregate& op, const Schema& input,
                                                   const std::vector<ReferenceRow>& rows) {
    struct Group {
      ReferenceRow key;
      std::vector<std::unique_ptr<AggregateState>> states;
    };
    std::vector<Group> groups;
    const auto new_group = [&](ReferenceRow key) {
      Group group{std::move(key), {}};
      for (const plan::AggregateCall& call : op.aggregates) {
        group.states.push_back(call.call.aggregate->make_state());
        group.states.back()->resize(1);
      }
      groups.push_back(std::move(group));
      return groups.size() - 1;
    };
    std::map<std::string, std::size_t> by_key;
    for (const ReferenceRow& row : rows) {
      ReferenceRow key;
      std::string text;
      for (const std::size_t column : op.groups) {
        key.push_back(canonical(row[column]));
        text += key_text(key.back());
      }
      auto at = by_key.find(text);
      if (at == by_key.end()) {
        at = by_key.emplace(text, new_group(std::move(key))).first;
      }
      for (std::size_t i = 0; i < op.aggregates.size(); ++i) {
        std::vector<Vector> args;
        for (const std::size_t column : op.aggregates[i].args) {
          args.push_back(single(row[column], input[column].type));
        }
        groups[at->second].states[i]->add(context_, args, nullptr, 1);
      }
    }
    if (op.groups.empty() && groups.empty()) {
      new_group({});
    }
    std::vector<ReferenceRow> output;
    for (Group& group : groups) {
      ReferenceRow row = std::move(group.key);
      for (std::size_t i = 0; i < group.states.size(); ++i) {
        const std::vector<Vector> results = group.states[i]->finish(context_, 0, 1);
        for (std::size_t j = 0; j < results.size(); ++j) {
          row.push_back(results[j].is_null(0) ? Value::null(op.aggregates[i].call.results[j])
                                              : results[j].value(0));
        }
      }
      output.push_back(std::move(row));
    }
    return output;
  }

  ReferenceTables& tables_;
  const EvalContext& context_;
  std::map<std::uint64_t, const std::vector<ReferenceRow>*> placeholders_;  // by apply
  std::map<std::shared_ptr<const plan::Node>, std::vector<ReferenceRow>> shared_;
  std::size_t made_bytes_ = 0;
};

}  // namespace

Result<ReferenceResult> reference_answer(Store& store, const std::string& apl,
                                         std::int64_t now_ns) {
  ReferenceTables tables(store);
  plan::BindOptions options;
  options.context.now_ns = now_ns;
  options.context.random_seed = 1;
  options.context.extent = &tables;
  Interpreter interpreter(tables, options.context);
  options.subqueries = &interpreter;
  EVQ_TRY_ASSIGN(const ast::Query query, syntax::parse(apl, now_ns));
  EVQ_TRY_ASSIGN(const plan::Plan plan, plan::bind_query(query, tables, options));
  EVQ_TRY_ASSIGN(const std::vector<ReferenceRow> rows, interpreter.evaluate(*plan.root));
  std::vector<std::size_t> visible;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < plan.root->schema.size(); ++i) {
    const Field& field = plan.root->schema[i];
    if (!plan::is_hidden(field.name)) {
      visible.push_back(i);
      fields.push_back(field);
    }
  }
  ReferenceResult result{Schema(std::move(fields)), {}};
  for (const ReferenceRow& row : rows) {
    ReferenceRow shown;
    for (const std::size_t column : visible) {
      shown.push_back(row[column]);
    }
    result.rows.push_back(std::move(shown));
  }
  return result;
}

}  // namespace evq
