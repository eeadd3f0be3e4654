// mv-expand and mv-apply. The expanded expressions become dynamic columns at the end of the input,
// Unnest repeats rows for their elements, and a projection converts the elements and puts them
// where they belong.

#include <algorithm>
#include <set>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/join_kinds.h"
#include "apl/plan/stacking.h"
#include "store/base/allocation_meter.h"
#include "store/base/limits.h"

namespace evq::plan {
namespace {

std::string_view conversion_name(Type type) {
  switch (type) {
    case Type::kBool:
      return "tobool";
    case Type::kLong:
      return "tolong";
    case Type::kReal:
      return "toreal";
    case Type::kString:
      return "tostring";
    case Type::kDatetime:
      return "todatetime";
    case Type::kTimespan:
      return "totimespan";
    case Type::kDynamic:
    case Type::kNull:
      break;
  }
  return {};
}

// Gives `otherwise` where `value` is null.
Result<ExprPtr> or_else(const Binder& binder, ExprPtr value, ExprPtr otherwise) {
  std::vector<ExprPtr> tested;
  tested.push_back(clone(*value));
  std::vector<ExprPtr> args;
  EVQ_TRY_ASSIGN(ExprPtr is_null, binder.call("isnull", std::move(tested), {}));
  args.push_back(std::move(is_null));
  args.push_back(std::move(otherwise));
  args.push_back(std::move(value));
  return binder.call("iff", std::move(args), {});
}

// Whether some rows of `node` may come from another table alone, and have nulls for the fields of
// what it reads otherwise. `searched` are the shared plans that have been looked at: the ways to
// plans that share others double with each of them.
bool adds_rows(const Node& node, std::set<const Node*>* searched) {
  AllocationMeter::poll();
  if (const auto* shared = std::get_if<Shared>(&node.op)) {
    return searched->insert(shared->plan.get()).second && adds_rows(*shared->plan, searched);
  }
  if (const auto* join = std::get_if<Join>(&node.op)) {  // of the right side only matches come
    return join_traits(join->kind).keeps_unmatched_right || adds_rows(*node.inputs[0], searched);
  }
  return std::holds_alternative<Union>(node.op) ||
         std::ranges::any_of(
             node.inputs, [searched](const NodePtr& input) { return adds_rows(*input, searched); });
}

Result<ExprPtr> convert_value(Binder& binder, ExprPtr value, Type type, Span span) {
  const std::string_view conversion = conversion_name(type);
  if (conversion.empty()) {
    return value;
  }
  std::vector<ExprPtr> args;
  if (type != Type::kString) {
    args.push_back(std::move(value));
    return binder.call(conversion, std::move(args), span);
  }
  // tostring gives the empty text for null, which here must stay null.
  std::vector<ExprPtr> tested;
  tested.push_back(clone(*value));
  std::vector<ExprPtr> converted;
  converted.push_back(std::move(value));
  EVQ_TRY_ASSIGN(ExprPtr is_null, binder.call("isnull", std::move(tested), span));
  EVQ_TRY_ASSIGN(ExprPtr text, binder.call(conversion, std::move(converted), span));
  args.push_back(std::move(is_null));
  args.push_back(make_constant(Value::null(Type::kString), span));
  args.push_back(std::move(text));
  return binder.call("iff", std::move(args), span);
}

struct Expansion {
  Relation input;  // the expanded columns appended, all dynamic
  std::vector<std::string> names;
  Unnest unnest;
  std::size_t before = 0;  // columns of the operator's own input
};

}  // namespace

class ExpansionBinder {
 public:
  explicit ExpansionBinder(Binder& binder) : binder_(binder) {}

  Result<Expansion> bind(const std::vector<ast::ExpandItem>& items, const ast::ExprPtr& limit,
                         ast::ExpandKind kind, Relation input) {
    Expansion made;
    made.before = input.schema().size();
    std::vector<NamedColumn> columns;
    for (std::size_t i = 0; i < made.before; ++i) {
      columns.push_back({input.schema()[i].name, make_column(i, input.schema()[i].type)});
    }
    for (const ast::ExpandItem& item : items) {
      EVQ_TRY_ASSIGN(ExprPtr value, binder_.bind_expr(*item.value.value, &input));
      std::string name = item.value.names.empty() ? binder_.derived_name(*item.value.value, &input)
                                                  : item.value.names[0].text;
      if (name.empty()) {
        name = "Column" + std::to_string(made.names.size() + 1);
      }
      if (std::ranges::find(made.names, name) != made.names.end()) {
        return diag::duplicate_name(item.value.span, name, "mv-expand");
      }
      made.names.push_back(std::move(name));
      made.unnest.columns.push_back({columns.size(), kind == ast::ExpandKind::kArray});
      columns.push_back({hidden_name("expand") + std::to_string(columns.size()),
                         make_cast(std::move(value), Type::kDynamic)});
    }
    if (limit != nullptr) {
      EVQ_TRY_ASSIGN(made.unnest.row_limit, binder_.bind_count(*limit, "the number of elements"));
    }
    made.input = choose(std::move(input), std::move(columns));
    return made;
  }

  // The node's columns after Unnest: those of the input, elements in their places, the index.
  Result<std::vector<NamedColumn>> placed(const Expansion& made,
                                          const std::vector<ast::ExpandItem>& items,
                                          const std::optional<ast::Name>& item_index) {
    const Schema& schema = made.input.schema();
    std::vector<NamedColumn> columns;
    std::vector<bool> used(made.names.size(), false);
    for (std::size_t i = 0; i < made.before; ++i) {
      if (is_hidden(schema[i].name)) {
        continue;
      }
      const auto at = std::ranges::find(made.names, schema[i].name);
      if (at == made.names.end()) {
        columns.push_back({schema[i].name, make_column(i, schema[i].type)});
        continue;
      }
      const auto item = static_cast<std::size_t>(at - made.names.begin());
      used[item] = true;
      EVQ_TRY_ASSIGN(ExprPtr value, element(made, items, item));
      columns.push_back({schema[i].name, std::move(value)});
    }
    for (std::size_t item = 0; item < made.names.size(); ++item) {
      if (!used[item]) {
        EVQ_TRY_ASSIGN(ExprPtr value, element(made, items, item));
        columns.push_back({made.names[item], std::move(value)});
      }
    }
    if (item_index.has_value()) {
      std::erase_if(columns, [&](const NamedColumn& c) { return c.name == item_index->text; });
      columns.push_back({item_index->text, make_column(schema.size(), Type::kLong)});
    }
    add_hidden(schema, made.before, &columns);
    return columns;
  }

 private:
  Result<ExprPtr> element(const Expansion& made, const std::vector<ast::ExpandItem>& items,
                          std::size_t item) {
    return convert_value(binder_,
                         make_column(made.before + item, Type::kDynamic, items[item].value.span),
                         items[item].to_type.value_or(Type::kDynamic), items[item].value.span);
  }

  Binder& binder_;
};

namespace {

Schema unnested_schema(const Expansion& made) {
  std::vector<Field> fields = made.input.schema().fields();
  if (made.unnest.item_index) {
    fields.push_back({hidden_name("index"), Type::kLong});
  }
  return Schema(std::move(fields));
}

}  // namespace

Result<ExprPtr> Binder::convert(ExprPtr value, Type type, Span span) {
  return convert_value(*this, std::move(value), type, span);
}

Result<Relation> Binder::lower(const ast::MvExpand& op, Span /*span*/, Relation input) {
  ExpansionBinder expansion(*this);
  EVQ_TRY_ASSIGN(Expansion made, expansion.bind(op.items, op.limit, op.kind, std::move(input)));
  made.unnest.item_index = op.item_index.has_value();
  EVQ_TRY_ASSIGN(std::vector<NamedColumn> columns, expansion.placed(made, op.items, op.item_index));
  Schema schema = unnested_schema(made);
  Relation output = std::move(made.input);
  output.node = stack(std::move(output.node), std::move(made.unnest), std::move(schema));
  output.limit.reset();  // a limit before counted other rows
  return choose(std::move(output), std::move(columns));
}

// The subplan sees the elements of one row, in order; the row's fields that it does not give back,
// or not for the rows that it adds from elsewhere, are repeated, but for those that have been
// expanded under their own names.
Result<Relation> Binder::lower(const ast::MvApply& op, Span /*span*/, Relation input) {
  ExpansionBinder expansion(*this);
  EVQ_TRY_ASSIGN(Expansion made, expansion.bind(op.items, op.limit, op.kind, std::move(input)));
  made.unnest.item_index = op.item_index.has_value();
  EVQ_TRY_ASSIGN(std::vector<NamedColumn> columns, expansion.placed(made, op.items, op.item_index));
  Relation body;
  body.take_fields(made.input);
  body.ordered = true;
  body.serialized = true;
  const std::uint64_t id = ++applies_;
  body.node = make_node(Placeholder{id}, {}, unnested_schema(made));
  body = choose(std::move(body), std::move(columns));
  EVQ_TRY_ASSIGN(body, bind_operators(op.body, std::move(body)));

  const Schema inner = body.schema();
  const Schema outer = made.input.schema();
  Apply apply;
  apply.id = id;
  apply.per_row = true;
  apply.unnest = made.unnest;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < made.before; ++i) {
    apply.passed.push_back(i);
    fields.push_back(outer[i]);
  }
  std::ranges::copy(inner.fields(), std::back_inserter(fields));
  apply.subplan = std::move(body.node);
  std::set<const Node*> searched;
  const bool adds = adds_rows(*apply.subplan, &searched);
  std::vector<NamedColumn> result;
  std::vector<bool> used(inner.size(), false);
  for (std::size_t i = 0; i < made.before; ++i) {
    if (is_hidden(outer[i].name)) {
      continue;
    }
    const bool expanded = std::ranges::find(made.names, outer[i].name) != made.names.end();
    ExprPtr repeated = make_column(i, outer[i].type);
    if (const auto at = inner.find(outer[i].name); at.has_value()) {
      const Type type = inner[*at].type;
      ExprPtr value = make_column(made.before + *at, type);
      if (adds && !expanded && (type == outer[i].type || type == Type::kDynamic)) {
        EVQ_TRY_ASSIGN(value, or_else(*this, std::move(value), std::move(repeated)));
      }
      used[*at] = true;
      result.push_back({outer[i].name, std::move(value)});
    } else if (!expanded) {
      result.push_back({outer[i].name, std::move(repeated)});
    }
  }
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (!used[i] && !is_hidden(inner[i].name)) {
      result.push_back({inner[i].name, make_column(made.before + i, inner[i].type)});
    }
  }
  add_hidden(outer, made.before, &result);
  Relation output = std::move(made.input);
  output.node = stack(std::move(output.node), std::move(apply), Schema(std::move(fields)));
  output.limit.reset();
  return choose(std::move(output), std::move(result));
}

Result<Relation> Binder::partition_pipelines(const ast::Partition& op, Span span, Relation input) {
  EVQ_TRY_ASSIGN(ExprPtr key, bind_expr(*op.by, &input));
  std::string name = derived_name(*op.by, &input);
  SummarizeParts parts;
  parts.bound_groups.push_back({name, std::move(key)});
  EVQ_TRY_ASSIGN(Relation keys, summarize(std::move(parts), std::move(input)));
  const Schema schema = keys.schema();
  keys.node = stack(std::move(keys.node), Sort{{{0, {}}}, "partition"}, schema);
  EVQ_TRY_ASSIGN(const Table values, run_now(*keys.node, span, "partition with a whole pipeline"));
  if (values.rows > kPartitionPipelinesMax) {
    return diag::limit_exceeded(op.by->span, "values of a partition's key", kPartitionPipelinesMax);
  }
  const auto bind_for = [&](Value value) -> Result<Relation> {
    auto frame = std::make_unique<Environment>();
    frame->outer = environment_;
    frame->names.emplace(name, Environment::Scalar{make_constant(std::move(value))});
    const Environment* outer = std::exchange(environment_, frame.get());
    frames_.push_back(std::move(frame));
    auto bound = bind_pipeline(*op.pipeline);
    environment_ = outer;
    return bound;
  };
  std::vector<Relation> parts_bound;
  for (std::size_t row = 0; row < values.rows; ++row) {
    const Vector& column = values.columns[0];
    EVQ_TRY_ASSIGN(Relation part,
                   bind_for(column.is_null(row) ? Value::null(column.type()) : column.value(row)));
    parts_bound.push_back(std::move(part));
  }
  if (parts_bound.empty()) {
    // No rows, but their columns.
    EVQ_TRY_ASSIGN(Relation none, bind_for(Value::null(keys.schema()[0].type)));
    return limit(std::move(none), 0);
  }
  return union_of(std::move(parts_bound), ast::Union());
}

Result<Relation> Binder::lower(const ast::Partition& op, Span span, Relation input) {
  if (op.pipeline != nullptr) {
    return partition_pipelines(op, span, std::move(input));
  }
  EVQ_TRY_ASSIGN(ExprPtr key, bind_expr(*op.by, &input));
  const std::size_t before = input.schema().size();
  std::size_t column = before;
  if (key->is_column()) {
    column = key->column;
  } else {
    input = append(std::move(input), hidden_name("partition"), std::move(key));
  }
  Relation body;
  body.take_fields(input);
  body.ordered = input.ordered;
  body.serialized = input.serialized;
  const std::uint64_t id = ++applies_;
  body.node = make_node(Placeholder{id}, {}, input.schema());
  EVQ_TRY_ASSIGN(body, bind_operators(op.body, std::move(body)));
  body = order_naturally(std::move(body), options_.event_order, "partition");
  Apply apply;
  apply.id = id;
  apply.keys.push_back(column);
  const Schema schema = body.schema();
  apply.subplan = std::move(body.node);
  // What is known of one group's rows is so of all of them, but for their order and number: groups
  // come by their keys.
  Relation output{body.traits(), nullptr};
  output.ordered = true;
  output.sorted = false;
  output.serialized = false;
  output.order.clear();
  output.bin_ns.reset();
  output.limit.reset();
  output.aggregated = input.aggregated || body.aggregated;
  output.node = stack(std::move(input.node), std::move(apply), schema);
  std::vector<NamedColumn> kept;
  for (std::size_t i = 0; i < schema.size(); ++i) {
    if (schema[i].name != hidden_name("partition")) {
      kept.push_back({schema[i].name, make_column(i, schema[i].type)});
    }
  }
  return choose(std::move(output), std::move(kept));
}

}  // namespace evq::plan
