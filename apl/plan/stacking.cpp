#include "apl/plan/stacking.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace evq::plan {
namespace {

// What the columns of a relation are called after a projection.
class NewNames {
 public:
  NewNames(const Schema& from, const std::vector<NamedColumn>& columns) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      positions_.emplace(from[i].name, i);
    }
    for (const NamedColumn& column : columns) {
      names_.insert(column.name);
      if (!column.expr->is_column()) {
        continue;
      }
      const auto [at, is_first] = passed_.emplace(column.expr->column, column.name);
      if (!is_first && column.name == from[column.expr->column].name) {
        at->second = column.name;
      }
    }
  }

  // The new name of the column called `name`; null when it does not pass as it is.
  const std::string* of(std::string_view name) const {
    const auto position = positions_.find(name);
    const auto at = position != positions_.end() ? passed_.find(position->second) : passed_.end();
    return at != passed_.end() ? &at->second : nullptr;
  }
  bool has(std::string_view name) const { return names_.contains(name); }

 private:
  std::unordered_map<std::string_view, std::size_t> positions_;
  std::unordered_map<std::size_t, std::string> passed_;
  std::unordered_set<std::string_view> names_;
};

void follow_groups(const NewNames& names, RelationTraits* traits) {
  std::vector<std::string> groups;
  for (const std::string& group : traits->group_names) {
    if (const std::string* name = names.of(group); name != nullptr) {
      groups.push_back(*name);
    }
  }
  traits->group_names = std::move(groups);
  if (traits->bin_ns.has_value()) {
    const std::string* bin = names.of(traits->bin_name);
    traits->bin_name = bin != nullptr ? *bin : std::string();
    if (bin == nullptr) {
      traits->bin_ns.reset();
    }
  }
  decltype(traits->origins) origins;
  for (auto& [name, origin] : traits->origins) {
    if (const std::string* passed = names.of(name); passed != nullptr) {
      origins.emplace(*passed, std::move(origin));
    }
  }
  traits->origins = std::move(origins);
}

// A key that is dropped is still what the rows are ordered by; one whose name is another column's
// now tells nothing any more, and nor do those after it.
void follow_order(const NewNames& names, RelationTraits* traits) {
  for (std::size_t i = 0; i < traits->order.size(); ++i) {
    std::string& key = traits->order[i].first;
    if (const std::string* name = names.of(key); name != nullptr) {
      key = *name;
    } else if (names.has(key)) {
      traits->order.resize(i);
    }
  }
}

// Only what a path may lead to, or into, needs to be known as made.
void note_made(const Field& field, std::uint32_t when, RelationTraits* traits) {
  if (!is_hidden(field.name) && (field.type == Type::kDynamic || field.type == Type::kNull ||
                                 field.name.find('.') != std::string::npos)) {
    traits->made.insert_or_assign(field.name, when);
    traits->mixed_bags.erase(field.name);
  }
}

std::uint32_t latest_made(const RelationTraits& traits) {
  std::uint32_t latest = 0;
  for (const auto& [name, when] : traits.made) {
    latest = std::max(latest, when);
  }
  return latest;
}

// A column that passes by its name stays what it was; all others are made now.
void follow_made(const Schema& from, const std::vector<NamedColumn>& columns,
                 RelationTraits* traits) {
  const std::uint32_t now = latest_made(*traits) + 1;
  const decltype(traits->made) before = std::move(traits->made);
  traits->made.clear();
  for (const NamedColumn& column : columns) {
    if (!column.expr->is_column() || from[column.expr->column].name != column.name) {
      note_made({column.name, column.expr->type}, now, traits);
    } else if (const auto at = before.find(column.name); at != before.end()) {
      traits->made.insert(*at);
    }
  }
}

void follow_wide_longs(const Schema& from, const std::vector<NamedColumn>& columns,
                       RelationTraits* traits) {
  const decltype(traits->wide_longs) before = std::move(traits->wide_longs);
  traits->wide_longs.clear();
  for (const NamedColumn& column : columns) {
    if (column.expr->is_column() && before.contains(from[column.expr->column].name)) {
      traits->wide_longs.insert(column.name);
    }
  }
}

}  // namespace

NodePtr stack(NodePtr input, Operation op, Schema schema) {
  std::vector<NodePtr> inputs;
  inputs.push_back(std::move(input));
  return make_node(std::move(op), std::move(inputs), std::move(schema));
}

Relation choose(Relation input, std::vector<NamedColumn> columns) {
  if (!input.group_names.empty() || !input.origins.empty() || !input.order.empty() ||
      input.bin_ns.has_value()) {
    const NewNames names(input.schema(), columns);
    follow_groups(names, &input);
    follow_order(names, &input);
  }
  follow_made(input.schema(), columns, &input);
  follow_wide_longs(input.schema(), columns, &input);
  Project op;
  std::vector<Field> fields;
  for (NamedColumn& column : columns) {
    fields.push_back({std::move(column.name), column.expr->type});
    op.exprs.push_back(std::move(column.expr));
  }
  input.node = stack(std::move(input.node), std::move(op), Schema(std::move(fields)));
  return input;
}

Relation project(Relation input, std::vector<NamedColumn> columns) {
  const Schema& from = input.schema();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (is_hidden(from[i].name) &&
        std::ranges::find(columns, from[i].name, &NamedColumn::name) == columns.end()) {
      columns.push_back({from[i].name, make_column(i, from[i].type)});
    }
  }
  return choose(std::move(input), std::move(columns));
}

void follow_paths(const RelationTraits& from, const Schema& schema,
                  const std::vector<NamedColumn>& columns, RelationTraits* to) {
  to->take_paths(from);
  follow_made(schema, columns, to);
  const auto is_gone = [&](const std::string& bag) {
    return std::ranges::none_of(columns, [&](const NamedColumn& column) {
      return column.name == bag && column.expr->is_column() &&
             schema[column.expr->column].name == bag;
    });
  };
  std::erase_if(to->map_fields, is_gone);
  std::erase_if(to->mixed_bags, is_gone);
}

Relation made_by_query(Relation table) {
  for (const Field& field : table.schema().fields()) {
    note_made(field, 1, &table);
  }
  return table;
}

std::vector<NamedColumn> pass_through(const Relation& input) {
  std::vector<NamedColumn> columns;
  for (std::size_t i = 0; i < input.schema().size(); ++i) {
    const Field& field = input.schema()[i];
    if (!is_hidden(field.name)) {
      columns.push_back({field.name, make_column(i, field.type)});
    }
  }
  return columns;
}

std::vector<std::string_view> visible_names(const Relation& input) {
  std::vector<std::string_view> names;
  for (const Field& field : input.schema().fields()) {
    if (!is_hidden(field.name)) {
      names.push_back(field.name);
    }
  }
  for (const VirtualField& field : input.virtual_fields) {
    names.push_back(field.name);
  }
  return names;
}

bool joins_projection(const Relation& input, const Expr& expr) {
  const auto* project = std::get_if<Project>(&input.node->op);
  if (project == nullptr) {
    return false;
  }
  const std::size_t passed = input.node->inputs[0]->schema.size();
  bool joins = project->exprs.size() >= passed;
  for (std::size_t i = 0; joins && i < passed; ++i) {
    joins = project->exprs[i]->is_column() && project->exprs[i]->column == i;
  }
  for_each_column(expr, [&](std::size_t column) { joins = joins && column < passed; });
  return joins;
}

std::size_t carried(std::size_t column, bool joins) {
  constexpr std::size_t kNamesPerExpression = 64;
  // Operators on each other: so many come to a depth that all walks over a plan can bear.
  constexpr std::size_t kOperatorExpressions = 256;
  constexpr std::size_t kCarriedPerExpression = 4;
  return joins ? column / kNamesPerExpression
               : std::max(kOperatorExpressions, column / kCarriedPerExpression);
}

Relation append(Relation input, std::string name, ExprPtr expr) {
  std::vector<Field> fields = input.schema().fields();
  fields.push_back({std::move(name), expr->type});
  note_made(fields.back(), latest_made(input) + 1, &input);
  if (joins_projection(input, *expr)) {
    std::get<Project>(input.node->op).exprs.push_back(std::move(expr));
    input.node->schema = Schema(std::move(fields));
    return input;
  }
  Project op;
  op.exprs.reserve(fields.size());
  for (std::size_t i = 0; i < input.schema().size(); ++i) {
    op.exprs.push_back(make_column(i, fields[i].type));
  }
  op.exprs.push_back(std::move(expr));
  input.node = stack(std::move(input.node), std::move(op), Schema(std::move(fields)));
  return input;
}

Relation filter(Relation input, ExprPtr predicate) {
  Schema schema = input.schema();
  input.node = stack(std::move(input.node), Filter{std::move(predicate)}, std::move(schema));
  return input;
}

Relation order_naturally(Relation input, EventOrder order, std::string_view asker) {
  if (input.ordered || !input.natural()) {
    return input;
  }
  Schema schema = input.schema();
  const bool descending = order == EventOrder::kNewestFirst;
  Sort sort{{{*input.time_column(), {descending, !descending}},
             {*input.row_column(), {descending, !descending}}},
            asker};
  input.node = stack(std::move(input.node), std::move(sort), std::move(schema));
  input.ordered = true;
  return input;
}

void add_hidden(const Schema& schema, std::size_t count, std::vector<NamedColumn>* columns) {
  for (std::size_t i = 0; i < count; ++i) {
    if (is_hidden(schema[i].name)) {
      columns->push_back({schema[i].name, make_column(i, schema[i].type)});
    }
  }
}

}  // namespace evq::plan
