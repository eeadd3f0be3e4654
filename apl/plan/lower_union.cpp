// union: several tables as one stream.

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/dataset_location.h"
#include "apl/plan/field_name.h"
#include "apl/plan/name_patterns.h"
#include "apl/plan/stacking.h"
#include "apl/plan/virtual_columns.h"
#include "store/base/seeded_text_hash.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

constexpr std::string_view kUnknownDataset = "APL2001";  // the id of that error

// Fields by name; where a name comes again, its first place.
using Positions = std::unordered_map<std::string_view, std::size_t, SeededTextHash>;

Positions positions_of(const std::vector<Field>& fields) {
  Positions positions;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    positions.emplace(fields[i].name, i);
  }
  return positions;
}

using Names = std::set<std::string, std::less<>>;

// The type of a column of two tables. Where they disagree it is dynamic, which keeps both kinds of
// values; numbers are reals unless some of the longs are none.
Type united_type(Type a, Type b, bool wide) {
  const Type common = common_type(a, b);
  return common == Type::kReal && a != b && wide ? Type::kDynamic : common;
}

std::vector<Field> merged_fields(const std::vector<Relation>& inputs, bool inner) {
  std::vector<Field> fields;
  std::vector<std::size_t> seen;
  Names wide;
  Positions positions;
  for (const Relation& input : inputs) {
    wide.insert(input.wide_longs.begin(), input.wide_longs.end());
  }
  for (const Relation& input : inputs) {
    for (const Field& field : input.schema().fields()) {
      const auto [at, fresh] = positions.emplace(field.name, fields.size());
      if (fresh) {
        fields.push_back(field);
        seen.push_back(1);
      } else {
        Field& merged = fields[at->second];
        merged.type = united_type(merged.type, field.type, wide.contains(field.name));
        ++seen[at->second];
      }
    }
  }
  if (inner) {
    std::vector<Field> shared;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (seen[i] == inputs.size()) {
        shared.push_back(fields[i]);
      }
    }
    return shared;
  }
  return fields;
}

// Columns of all inputs that only other inputs have: a null each. Tables with little in common have
// many, so that they count little; their memory is charged instead.
constexpr std::size_t kNullsPerExpression = 16;

// Whether paths lead into the column: it is a map, or the query made it.
bool is_bag(const RelationTraits& input, std::string_view name) {
  return std::ranges::find(input.map_fields, name) != input.map_fields.end() ||
         input.made_at(name) > 0;
}

// Of the bags of some table those that `field` is below, which are none in `input`.
std::vector<std::string_view> bags_above(const Relation& input, std::string_view field,
                                         const Names& bags) {
  std::vector<std::string_view> above;
  for (std::size_t dot = field.find('.'); dot != std::string_view::npos;
       dot = field.find('.', dot + 1)) {
    const std::string_view name = field.substr(0, dot);
    if (bags.contains(name) && !is_bag(input, name)) {
      above.push_back(name);
    }
  }
  return above;
}

// Where the tables of a union differ in what a path leads into, a row's own is meant; so a field
// below a bag of another table is never the latest that was made.
void take_united_paths(const std::vector<Relation>& inputs, Relation* output) {
  Names maps;
  Names bags;
  for (const Relation& input : inputs) {
    maps.insert(input.map_fields.begin(), input.map_fields.end());
    std::ranges::transform(input.made, std::inserter(bags, bags.end()),
                           [](const auto& made) { return made.first; });
  }
  bags.insert(maps.begin(), maps.end());
  for (const Relation& input : inputs) {
    output->mixed_bags.insert(input.mixed_bags.begin(), input.mixed_bags.end());
    for (const Field& field : input.schema().fields()) {
      const std::vector<std::string_view> above = bags_above(input, field.name, bags);
      output->mixed_bags.insert(above.begin(), above.end());
      if (const std::uint32_t made = input.made_at(field.name); made > 0 && above.empty()) {
        std::uint32_t& latest = output->made[field.name];
        latest = std::max(latest, made);
      }
    }
  }
  output->map_fields.assign(maps.begin(), maps.end());
}

// Of the columns that are longs in the union.
void take_united_longs(const std::vector<Relation>& inputs, const Schema& schema,
                       Relation* output) {
  for (const Relation& input : inputs) {
    for (const std::string& name : input.wide_longs) {
      const std::optional<std::size_t> at = schema.find(name);
      if (at.has_value() && schema[*at].type == Type::kLong) {
        output->wide_longs.insert(name);
      }
    }
  }
}

// Where one table has as a column what is a virtual field of another, both are that column.
void show_held(std::vector<Relation>* inputs) {
  std::set<std::string, std::less<>> shown;
  for (const Relation& input : *inputs) {
    for (const Field& field : input.schema().fields()) {
      const std::string_view name = field.name;
      if (is_virtual_column(name) && std::ranges::any_of(*inputs, [name](const Relation& other) {
            return other.schema().find(virtual_field_of(name)).has_value();
          })) {
        shown.emplace(virtual_field_of(name));
      }
    }
  }
  for (std::size_t i = 0; !shown.empty() && i < inputs->size(); ++i) {
    Relation& input = (*inputs)[i];
    std::vector<NamedColumn> columns;
    for (std::size_t at = 0; at < input.schema().size(); ++at) {
      const Field& field = input.schema()[at];
      const bool is_shown =
          is_virtual_column(field.name) && shown.contains(virtual_field_of(field.name));
      columns.push_back({is_shown ? std::string(virtual_field_of(field.name)) : field.name,
                         make_column(at, field.type)});
    }
    input = choose(std::move(input), std::move(columns));
  }
}

// What is still known of the fields of tables that were united: where paths lead, and virtual
// fields. One whose text came to nothing keeps it, for the message.
void take_united_fields(const std::vector<Relation>& inputs, const Schema& schema,
                        Relation* output) {
  take_united_paths(inputs, output);
  take_united_longs(inputs, schema, output);
  std::set<std::string> virtuals;
  for (const Relation& input : inputs) {
    for (const VirtualField& field : input.virtual_fields) {
      if (virtuals.insert(field.name).second) {
        const bool held = schema.find(virtual_column(field.name)).has_value();
        output->virtual_fields.push_back({field.name, held ? std::string() : field.expression});
      }
    }
  }
}

// Begins each table with a column of its name. A column that is called so has, in all of them, the
// first number that makes it another.
void add_sources(const std::string& name, std::vector<Relation>* inputs) {
  UniqueNames names;
  names.note(name);
  for (const Relation& input : *inputs) {
    for (const Field& field : input.schema().fields()) {
      names.note(field.name);
    }
  }
  const std::string renamed = names.take(name);
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    Relation& input = (*inputs)[i];
    // What is no dataset has no name but its place.
    const std::string source = !input.source.empty() ? input.source
                               : !input.name.empty() ? input.name
                                                     : "union_arg" + std::to_string(i);
    std::vector<NamedColumn> columns = pass_through(input);
    const auto same = std::ranges::find(columns, name, &NamedColumn::name);
    if (same != columns.end()) {
      same->name = renamed;
    }
    columns.insert(columns.begin(), {name, make_constant(Value::string(source))});
    input = project(std::move(input), std::move(columns));
  }
}

// What a dataset's handle adds to the locations of rows that come from it alone; 0 when they do
// not, as those of a union within the union, which have it already.
std::int64_t location_offset(const Node* node) {
  while (!std::holds_alternative<Scan>(node->op)) {
    if (node->inputs.size() != 1) {
      return 0;
    }
    node = node->inputs[0].get();
  }
  const std::uint64_t handle = std::get<Scan>(node->op).table.handle;
  return handle <= kUnionHandleMax ? location_of_handle(handle) : 0;
}

Fuzzy fuzzy_of(const ast::Union& op) {
  return op.is_fuzzy ? Fuzzy::kYes : Fuzzy::kNo;
}

}  // namespace

Result<std::vector<Relation>> Binder::union_inputs(std::span<const ast::TableItem> tables,
                                                   Fuzzy fuzzy) {
  std::vector<Relation> inputs;
  // Those that are not there go also where a pipe follows them.
  const auto take = [&](auto&& bind) -> Status {
    const Environment* outer = environment_;
    const auto depth = depth_;
    Result<Relation> relation = bind();
    if (relation.ok()) {
      inputs.push_back(std::move(relation).value());
    } else if (fuzzy == Fuzzy::kNo || relation.error().id != kUnknownDataset) {
      return std::move(relation).take_error();
    }
    environment_ = outer;
    depth_ = depth;
    return Status::success();
  };
  for (const ast::TableItem& item : tables) {
    if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&item)) {
      EVQ_TRY(take([&] { return bind_pipeline(**pipeline); }));
      continue;
    }
    const auto& pattern = std::get<ast::NamePattern>(item);
    if (!pattern.is_wild()) {
      EVQ_TRY(take([&] { return named_table(pattern.text(), pattern.span); }));
      continue;
    }
    if (options_.delete_only) {  // the same request would empty others as soon as they are there
      return diag::unsupported_feature(pattern.span, "a delete from datasets that are not named",
                                       "begin it with the name of one dataset");
    }
    const std::size_t before = inputs.size();
    for (const std::string& name : views_matching(pattern)) {
      EVQ_TRY_ASSIGN(Relation relation, named_table(name, pattern.span));
      inputs.push_back(std::move(relation));
    }
    EVQ_TRY_ASSIGN(const std::vector<std::string> datasets, tables_.table_names());
    for (const std::string& name : datasets) {
      if (!pattern.matches(name)) {
        continue;
      }
      auto relation = scan_dataset(name, pattern.span);
      if (relation.ok()) {
        inputs.push_back(std::move(relation).value());
      } else if (relation.error().id != kUnknownDataset) {  // one that went since is none of them
        return std::move(relation).take_error();
      }
    }
    if (inputs.size() == before && fuzzy == Fuzzy::kNo) {
      return diag::no_dataset_matches(pattern.span, pattern.text());
    }
  }
  return inputs;
}

// The views of the query, let name = view () { … }, that a wildcard reaches as it does datasets.
std::set<std::string> Binder::views_matching(const ast::NamePattern& pattern) const {
  std::set<std::string> names;
  for (const Environment* frame = environment_; frame != nullptr; frame = frame->outer) {
    for (const auto& [name, meaning] : frame->names) {
      const auto* function = std::get_if<Environment::Function>(&meaning);
      if (function != nullptr && function->lambda->is_view &&
          function->lambda->parameters.empty() && pattern.matches(name)) {
        names.insert(name);
      }
    }
  }
  return names;
}

Result<Relation> Binder::union_of(std::vector<Relation> inputs, const ast::Union& op) {
  for (Relation& input : inputs) {
    hold_virtual_fields(&input);
  }
  show_held(&inputs);
  if (op.with_source.has_value()) {
    add_sources(op.with_source->text, &inputs);
  }
  const bool natural = std::ranges::all_of(
      inputs, [](const Relation& input) { return input.natural() && !input.ordered; });
  std::vector<Field> fields = merged_fields(inputs, op.kind == ast::UnionKind::kInner);
  if (!natural) {
    std::erase_if(fields, [](const Field& field) {
      return is_hidden(field.name) && !is_virtual_column(field.name);
    });
  }
  std::stable_partition(fields.begin(), fields.end(),
                        [](const Field& field) { return !is_hidden(field.name); });
  const Schema schema(std::move(fields));
  EVQ_TRY(note_union(inputs, schema.size()));
  Relation output;
  output.aggregated = std::ranges::all_of(inputs, &Relation::aggregated);
  take_united_fields(inputs, schema, &output);
  std::vector<NodePtr> nodes;
  for (Relation& input : inputs) {
    const std::int64_t offset = inputs.size() > 1 ? location_offset(input.node.get()) : 0;
    EVQ_TRY_ASSIGN(Project aligned, align(input.schema(), schema, offset));
    nodes.push_back(stack(std::move(input.node), std::move(aligned), schema));
  }
  output.node =
      nodes.size() == 1 ? std::move(nodes[0]) : make_node(Union{}, std::move(nodes), schema);
  return output;
}

// What the columns of a union cost: those of its inputs, and nulls in the places of the others.
Status Binder::note_union(const std::vector<Relation>& inputs, std::size_t width) {
  std::size_t own = 0;
  for (const Relation& input : inputs) {
    own += std::min(input.schema().size(), width);
  }
  const std::size_t nulls = inputs.size() * width - own;
  EVQ_TRY(note_expressions(own + nulls / kNullsPerExpression, Span{}));
  return options_.held != nullptr ? options_.held->grow(nulls * sizeof(Expr)) : Status::success();
}

// The columns of `from` in the places and types of `to`; `offset` comes to their locations.
Result<Project> Binder::align(const Schema& from, const Schema& to, std::int64_t offset) const {
  const Positions positions = positions_of(from.fields());
  Project aligned;
  aligned.exprs.reserve(to.size());
  for (const Field& field : to.fields()) {
    const auto at = positions.find(field.name);
    if (at == positions.end()) {
      aligned.exprs.push_back(make_constant(Value::null(field.type)));
      continue;
    }
    ExprPtr column = make_column(at->second, from[at->second].type);
    if (offset != 0 && field.name == kRowColumn) {
      std::vector<ExprPtr> sum;
      sum.push_back(std::move(column));
      sum.push_back(make_constant(Value::integer(offset)));
      EVQ_TRY_ASSIGN(column, call("op_add", std::move(sum), {}));
    }
    aligned.exprs.push_back(make_cast(std::move(column), field.type));
  }
  return aligned;
}

Result<Relation> Binder::lower(const ast::Union& source, Span span) {
  EVQ_TRY_ASSIGN(std::vector<Relation> inputs, union_inputs(source.tables, fuzzy_of(source)));
  if (!inputs.empty()) {
    return union_of(std::move(inputs), source);
  }
  // A fuzzy one without any table fails as its first one does.
  if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&source.tables[0])) {
    return bind_pipeline(**pipeline);
  }
  const auto& pattern = std::get<ast::NamePattern>(source.tables[0]);
  if (environment_->find(pattern.text()) != nullptr) {
    return named_table(pattern.text(), pattern.span);
  }
  return diag::no_dataset_matches(span, pattern.text());
}

Result<Relation> Binder::lower(const ast::Union& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(std::vector<Relation> others, union_inputs(op.tables, fuzzy_of(op)));
  std::vector<Relation> inputs;
  inputs.push_back(std::move(input));
  std::ranges::move(others, std::back_inserter(inputs));
  return union_of(std::move(inputs), op);
}

}  // namespace evq::plan
