// top-nested: a summarize for each level of the rows whose combination of the levels before was
// kept, joined with those, of which each combination keeps its own top values. `with others` adds
// rows for what a level left out: the input's rows whose combination of the levels before was kept,
// but not together with their value of this one.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

// A level as bound over the input.
struct Level {
  std::string name;
  Type type = Type::kNull;
  std::size_t key = 0;         // the input's column that holds its value
  ExprPtr value;               // over the input
  std::optional<Value> label;  // of `with others`
};

}  // namespace

class TopNestedBinder {
 public:
  TopNestedBinder(Binder& binder, const ast::TopNested& op) : binder_(binder), op_(op) {}

  Result<Relation> bind(Relation input) {
    for (const ast::TopNestedLevel& level : op_.levels) {
      EVQ_TRY(bind_level(level, &input));
    }
    events_.take_fields(input);
    events_.ordered = input.ordered;
    all_ = std::move(input.node);
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      EVQ_TRY(keep_top(i));
    }
    std::vector<NodePtr> parts;
    parts.push_back(read_kept(levels_.size() - 1));
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      if (std::ranges::any_of(levels_.begin() + static_cast<std::ptrdiff_t>(i), levels_.end(),
                              [](const Level& level) { return level.label.has_value(); })) {
        EVQ_TRY_ASSIGN(NodePtr rest, rest_of(i));
        parts.push_back(std::move(rest));
      }
    }
    Relation output;
    output.aggregated = true;
    output.ordered = true;
    output.serialized = true;
    follow_paths(events_, all_->schema, given(), &output);
    output.node = parts.size() == 1 ? std::move(parts[0])
                                    : make_node(Union{}, std::move(parts), Schema(fields_));
    return output;
  }

 private:
  Status bind_level(const ast::TopNestedLevel& level, Relation* input) {
    EVQ_TRY_ASSIGN(ExprPtr value, binder_.bind_expr(*level.of.value, input));
    Level bound;
    bound.name = level.of.names.empty() ? binder_.derived_name(*level.of.value, input)
                                        : level.of.names[0].text;
    if (bound.name.empty()) {
      bound.name = "Column" + std::to_string(levels_.size() + 1);
    }
    bound.type = value->type;
    if (level.others != nullptr) {
      EVQ_TRY_ASSIGN(Value label, binder_.bind_constant(*level.others, "the name of the others"));
      if (bound.type == Type::kDynamic) {
        label = implicit_cast(Vector::constant(label, 1), Type::kDynamic).value(0);
      }
      if (label.type() != bound.type) {
        return diag::invalid_constant(
            level.others->span, "the name of the others",
            "be a " + std::string(type_name(bound.type)) + " like the values it stands beside");
      }
      bound.label = std::move(label);
    }
    bound.value = clone(*value);
    EVQ_TRY_ASSIGN(bound.key,
                   binder_.add_column(input, hidden_name("level") + std::to_string(levels_.size()),
                                      std::move(value)));
    levels_.push_back(std::move(bound));
    return Status::success();
  }

  Relation read_input() const { return read_shared(all_, events_); }
  NodePtr read_kept(std::size_t level) const {
    return make_node(Shared{kept_[level]}, {}, kept_[level]->schema);
  }

  // The first `count` levels of `input` as groups.
  std::vector<NamedColumn> groups(std::size_t count) const {
    std::vector<NamedColumn> columns;
    UniqueNames names;
    for (std::size_t i = 0; i < count; ++i) {
      columns.push_back(
          {names.take(levels_[i].name), make_column(levels_[i].key, levels_[i].type)});
    }
    return columns;
  }

  // The columns of the result, as far as they are the input's over that.
  std::vector<NamedColumn> given() {
    std::vector<NamedColumn> columns;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      columns.push_back({fields_[2 * i].name, std::move(levels_[i].value)});
      columns.push_back(
          {fields_[2 * i + 1].name, make_constant(Value::null(fields_[2 * i + 1].type))});
    }
    return columns;
  }

  Status keep_top(std::size_t i) {
    const ast::TopNestedLevel& level = op_.levels[i];
    std::optional<std::uint64_t> count;
    if (level.count != nullptr) {
      EVQ_TRY_ASSIGN(count, binder_.bind_count(*level.count, "the number of values"));
    }
    EVQ_TRY(binder_.note_expressions(carried(all_->schema.size() + fields_.size(), false),
                                     level.of.span));
    SummarizeParts parts;
    parts.bound_groups = groups(i + 1);
    parts.aggregates.emplace_back(level.by);
    Relation input = read_input();
    if (i > 0 && op_.levels[i - 1].count != nullptr) {  // the rest would be dropped below
      input.node = only(std::move(input.node), JoinKind::kLeftSemi, i - 1);
    }
    EVQ_TRY_ASSIGN(Relation grouped, binder_.summarize(std::move(parts), std::move(input)));
    const Schema own = grouped.schema();
    if (own.size() != i + 2) {
      return diag::unsupported_feature(level.by.span,
                                       "an aggregation with several results in top-nested", "");
    }
    Project place;
    NodePtr node = std::move(grouped.node);
    if (i > 0) {
      node = beside_kept(std::move(node), i);
      for (std::size_t column = 0; column < fields_.size(); ++column) {
        place.exprs.push_back(make_column(own.size() + column, fields_[column].type));
      }
    }
    place.exprs.push_back(make_column(i, own[i].type));
    place.exprs.push_back(make_column(i + 1, own[i + 1].type));
    // Levels that are called alike are told apart as the columns of a summarize are.
    fields_.push_back({names_.take(own[i].name), own[i].type});
    const std::string& aggregate = own[i + 1].name;
    fields_.push_back(
        {names_.take(level.by.names.empty() ? "aggregated_" + own[i].name : aggregate),
         own[i + 1].type});
    descending_.push_back(level.descending);
    node = stack(std::move(node), std::move(place), Schema(fields_));
    kept_.push_back(keep_first(std::move(node), count));
    return Status::success();
  }

  // The first `count` rows of each combination of the levels before, or all: each level by its
  // aggregate before its value, so that larger groups come first.
  NodePtr keep_first(NodePtr rows, std::optional<std::uint64_t> count) const {
    std::vector<SortKey> keys;
    for (std::size_t level = 0; level < descending_.size(); ++level) {
      const bool descending = descending_[level];
      keys.push_back({2 * level + 1, {descending, !descending}});
      keys.push_back({2 * level, {}});
    }
    const std::size_t before = keys.size() - 2;
    Operation first = Sort{keys};
    if (count.has_value()) {
      first = TopN{std::move(keys), *count, before};
    }
    return stack(std::move(rows), std::move(first), Schema(fields_));
  }

  // Rows that begin with the first `count` levels' values, and after each the kept row of the same
  // values.
  NodePtr beside_kept(NodePtr rows, std::size_t count) const {
    Join join{JoinKind::kInner, {}, {}, true};
    for (std::size_t key = 0; key < count; ++key) {
      join.left_keys.push_back(key);
      join.right_keys.push_back(2 * key);
    }
    std::vector<Field> both = rows->schema.fields();
    std::ranges::copy(kept_[count - 1]->schema.fields(), std::back_inserter(both));
    std::vector<NodePtr> sides;
    sides.push_back(std::move(rows));
    sides.push_back(read_kept(count - 1));
    return make_node(std::move(join), std::move(sides), Schema(std::move(both)));
  }

  // Rows of the input whose values of the levels up to `level` were kept, or were not.
  NodePtr only(NodePtr rows, JoinKind kind, std::size_t level) const {
    Join join{kind, {}, {}, true};
    for (std::size_t i = 0; i <= level; ++i) {
      join.left_keys.push_back(levels_[i].key);
      join.right_keys.push_back(2 * i);
    }
    Schema schema = rows->schema;
    std::vector<NodePtr> sides;
    sides.push_back(std::move(rows));
    sides.push_back(read_kept(level));
    return make_node(std::move(join), std::move(sides), std::move(schema));
  }

  // One row for each combination before `level` that has rows left over there.
  Result<NodePtr> rest_of(std::size_t level) {
    Relation left = read_input();
    if (level > 0) {
      left.node = only(std::move(left.node), JoinKind::kLeftSemi, level - 1);
    }
    left.node = only(std::move(left.node), JoinKind::kLeftAnti, level);
    SummarizeParts parts;
    parts.bound_groups = groups(level);
    if (level == 0) {
      // A group of its own, so that no rows give no row.
      parts.bound_groups.push_back({hidden_name("all"), make_constant(Value::integer(0))});
    }
    for (std::size_t i = level; i < levels_.size(); ++i) {
      if (levels_[i].label.has_value()) {
        parts.aggregates.emplace_back(op_.levels[i].by);
      }
    }
    std::size_t aggregate = parts.bound_groups.size();
    EVQ_TRY_ASSIGN(Relation grouped, binder_.summarize(std::move(parts), std::move(left)));
    NodePtr node = std::move(grouped.node);
    Project place;
    if (level > 0) {
      const std::size_t before = node->schema.size();
      node = beside_kept(std::move(node), level);
      for (std::size_t i = 0; i < 2 * level; ++i) {
        place.exprs.push_back(make_column(before + i, fields_[i].type));
      }
    }
    for (std::size_t i = level; i < levels_.size(); ++i) {
      if (levels_[i].label.has_value()) {
        place.exprs.push_back(make_constant(*levels_[i].label));
        place.exprs.push_back(make_column(aggregate++, fields_[2 * i + 1].type));
      } else {
        place.exprs.push_back(make_constant(Value::null(fields_[2 * i].type)));
        place.exprs.push_back(make_constant(Value::null(fields_[2 * i + 1].type)));
      }
    }
    return stack(std::move(node), std::move(place), Schema(fields_));
  }

  Binder& binder_;
  const ast::TopNested& op_;
  std::vector<Level> levels_;
  RelationTraits events_;  // of the input
  std::shared_ptr<const Node> all_;
  std::vector<std::shared_ptr<const Node>> kept_;  // by level: value and aggregate of each so far
  std::vector<Field> fields_;
  UniqueNames names_;  // of those
  std::vector<bool> descending_;
};

Result<Relation> Binder::lower(const ast::TopNested& op, Span /*span*/, Relation input) {
  return TopNestedBinder(*this, op).bind(std::move(input));
}

}  // namespace evq::plan
