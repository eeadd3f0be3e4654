// union, search and find: several tables as one stream, and text in any field.

#include <algorithm>
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

// Of search and find, without a list of tables.
ast::TableItem every_table(Span span) {
  return ast::NamePattern{{"", ""}, span};
}

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

// Where two tables disagree about a column's type the union holds it as dynamic.
std::vector<Field> merged_fields(const std::vector<Relation>& inputs, bool inner) {
  std::vector<Field> fields;
  std::vector<std::size_t> seen;
  Positions positions;
  for (const Relation& input : inputs) {
    for (const Field& field : input.schema().fields()) {
      const auto [at, fresh] = positions.emplace(field.name, fields.size());
      if (fresh) {
        fields.push_back(field);
        seen.push_back(1);
      } else {
        Field& merged = fields[at->second];
        merged.type = common_type(merged.type, field.type);
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

// Whether a path that begins with `map` goes into a map in `input`, or nowhere.
bool fits_map(const Relation& input, const std::string& map) {
  return std::ranges::find(input.map_fields, map) != input.map_fields.end() ||
         std::ranges::none_of(input.schema().fields(), [&map](const Field& field) {
           return field.name.starts_with(map + ".");
         });
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

// What is still known of the fields of tables that were united: maps, unless they are flattened
// fields of another, and virtual fields. One whose text came to nothing keeps it, for the message.
void take_united_fields(const std::vector<Relation>& inputs, const Schema& schema,
                        Relation* output) {
  std::set<std::string> maps;
  std::set<std::string> virtuals;
  for (const Relation& input : inputs) {
    maps.insert(input.map_fields.begin(), input.map_fields.end());
    for (const auto& [name, when] : input.made) {
      std::uint32_t& latest = output->made[name];
      latest = std::max(latest, when);
    }
    for (const VirtualField& field : input.virtual_fields) {
      if (virtuals.insert(field.name).second) {
        const bool held = schema.find(virtual_column(field.name)).has_value();
        output->virtual_fields.push_back({field.name, held ? std::string() : field.expression});
      }
    }
  }
  for (const std::string& map : maps) {
    if (std::ranges::all_of(inputs, [&map](const Relation& each) { return fits_map(each, map); })) {
      output->map_fields.push_back(map);
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
    const std::string source = input.name.empty() ? "union_arg" + std::to_string(i) : input.name;
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

}  // namespace

Result<std::vector<Relation>> Binder::union_inputs(std::span<const ast::TableItem> tables,
                                                   bool fuzzy) {
  std::vector<Relation> inputs;
  // A fuzzy union does without the tables that are not there, also where a pipe follows them.
  const auto take = [&](auto&& bind) -> Status {
    const Environment* outer = environment_;
    const auto depth = depth_;
    Result<Relation> relation = bind();
    if (relation.ok()) {
      inputs.push_back(std::move(relation).value());
    } else if (!fuzzy || relation.error().id != kUnknownDataset) {
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
    const std::size_t before = inputs.size();
    for (const std::string& name : views_matching(pattern)) {
      EVQ_TRY_ASSIGN(Relation relation, named_table(name, pattern.span));
      inputs.push_back(std::move(relation));
    }
    for (const std::string& name : tables_.table_names()) {
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
    if (inputs.size() == before && !fuzzy) {
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
  EVQ_TRY_ASSIGN(std::vector<Relation> inputs, union_inputs(source.tables, source.is_fuzzy));
  if (!inputs.empty()) {
    return union_of(std::move(inputs), source);
  }
  // A fuzzy one without any table fails as its first one does.
  if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&source.tables[0])) {
    return bind_pipeline(**pipeline);
  }
  return diag::no_dataset_matches(span, std::get<ast::NamePattern>(source.tables[0]).text());
}

Result<Relation> Binder::lower(const ast::Union& op, Span /*span*/, Relation input) {
  EVQ_TRY_ASSIGN(std::vector<Relation> others, union_inputs(op.tables, op.is_fuzzy));
  std::vector<Relation> inputs;
  inputs.push_back(std::move(input));
  std::ranges::move(others, std::back_inserter(inputs));
  return union_of(std::move(inputs), op);
}

Result<Relation> Binder::lower(const ast::Search& source, Span span) {
  const ast::TableItem every = every_table(span);
  EVQ_TRY_ASSIGN(
      std::vector<Relation> inputs,
      union_inputs(source.tables.empty() ? std::span(&every, 1) : std::span(source.tables), false));
  return search_tables(std::move(inputs), source);
}

// Each table is searched over its own fields; a field that only others have is null in it.
Result<std::vector<ExprPtr>> Binder::bind_searches(const ast::Expr& predicate, ast::SearchKind kind,
                                                   const std::vector<Relation>& tables) {
  std::vector<Field> fields;
  for (const Relation& table : tables) {
    std::ranges::copy(table.schema().fields(), std::back_inserter(fields));
  }
  std::vector<Field> outer = std::exchange(searched_fields_, std::move(fields));
  const Meanwhile cases(&case_sensitive_, kind == ast::SearchKind::kCaseSensitive);
  std::vector<ExprPtr> predicates;
  for (const Relation& table : tables) {
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(predicate, table));
    predicates.push_back(std::move(bound));
  }
  searched_fields_ = std::move(outer);
  return predicates;
}

// Filtered before the tables become one.
Result<Relation> Binder::search_tables(std::vector<Relation> inputs, const ast::Search& search) {
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> predicates,
                 bind_searches(*search.predicate, search.kind, inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i] = filter(std::move(inputs[i]), std::move(predicates[i]));
  }
  ast::Union with_table;
  with_table.with_source = ast::Name{"$table", {}, true};
  return union_of(std::move(inputs), with_table);
}

Result<Relation> Binder::lower(const ast::Search& op, Span span, Relation input) {
  if (!op.tables.empty()) {
    return diag::unsupported_feature(span, "a list of datasets behind '|'",
                                     "it stands at the start of a query: search in (web) 'x'");
  }
  const Meanwhile cases(&case_sensitive_, op.kind == ast::SearchKind::kCaseSensitive);
  EVQ_TRY_ASSIGN(ExprPtr predicate, bind_search(*op.predicate, input));
  return filter(std::move(input), std::move(predicate));
}

namespace {

// attributes.user.id, which is one field or a part of one.
std::vector<PathStep> path_steps(const ast::Name& name) {
  std::vector<PathStep> steps;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != name.text.size(); begin = end + 1) {
    end = std::min(name.text.find('.', begin), name.text.size());
    steps.push_back({name.text.substr(begin, end - begin), name.span});
  }
  return steps;
}

}  // namespace

// What find's project leaves of all columns: the table's name, the fields named, and with
// pack_all() one bag, pack_, of the others that are not null.
Result<std::vector<NamedColumn>> Binder::found_columns(const ast::Find& source,
                                                       const Relation& output,
                                                       std::vector<NamedColumn> all, Span span) {
  std::vector<NamedColumn> chosen;
  for (const ast::ColumnSpec& spec : source.columns) {
    if (spec.name.text == all[0].name ||
        std::ranges::find(chosen, spec.name.text, &NamedColumn::name) != chosen.end()) {
      return diag::duplicate_name(spec.name.span, spec.name.text, "find");
    }
    ExprPtr value;
    if (!spec.name.quoted) {
      EVQ_TRY_ASSIGN(value, bind_steps(path_steps(spec.name), &output));
    }
    if (value == nullptr &&
        (find_field(output.schema(), spec.name.text).has_value() || output.knows(spec.name.text))) {
      EVQ_TRY_ASSIGN(value, bind_name(spec.name, spec.name.span, &output));
    }
    if (value == nullptr) {
      value = make_constant(Value::null(spec.type));
    } else if (spec.type != Type::kNull && value->type != spec.type) {
      EVQ_TRY_ASSIGN(value, convert(std::move(value), spec.type, spec.type_span));
    }
    chosen.push_back({spec.name.text, std::move(value)});
  }
  if (source.pack_rest) {
    std::vector<ExprPtr> args;
    args.push_back(make_constant(Value::boolean(true), span));
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (std::ranges::find(chosen, all[i].name, &NamedColumn::name) == chosen.end()) {
        args.push_back(make_constant(Value::string(all[i].name), span));
        args.push_back(std::move(all[i].expr));
      }
    }
    EVQ_TRY_ASSIGN(ExprPtr bag, call("pack_all", std::move(args), span));
    chosen.push_back({UniqueNames(chosen).take("pack_"), std::move(bag)});
  }
  chosen.insert(chosen.begin(), std::move(all[0]));
  return chosen;
}

Result<Relation> Binder::lower(const ast::Find& source, Span span) {
  ast::Union all;
  all.with_source = source.with_source.value_or(ast::Name{"source_", span, true});
  const ast::TableItem every = every_table(span);
  EVQ_TRY_ASSIGN(
      std::vector<Relation> inputs,
      union_inputs(source.tables.empty() ? std::span(&every, 1) : std::span(source.tables), false));
  EVQ_TRY_ASSIGN(std::vector<ExprPtr> predicates,
                 bind_searches(*source.predicate, ast::SearchKind::kDefault, inputs));
  // Tables without a row to find leave no columns; when all are, they tell those of no rows.
  const auto may_match = [](const ExprPtr& predicate) {
    const bool is_true = predicate->is_constant() && predicate->constant == Value::boolean(true);
    return is_true || reads_column(*predicate);
  };
  const bool none = std::ranges::none_of(predicates, may_match);
  std::vector<Relation> matching;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (none || may_match(predicates[i])) {
      matching.push_back(filter(std::move(inputs[i]), std::move(predicates[i])));
    }
  }
  EVQ_TRY_ASSIGN(Relation output, union_of(std::move(matching), all));
  std::vector<NamedColumn> columns = pass_through(output);
  if (!source.columns.empty() || source.pack_rest) {
    EVQ_TRY_ASSIGN(columns, found_columns(source, output, std::move(columns), span));
  }
  const NamePatterns away(source.away);
  std::erase_if(columns, [&](const NamedColumn& column) { return away.match(column.name); });
  return project(std::move(output), std::move(columns));
}

namespace {

// What a search term asks of a text: "x" has, "x*" hasprefix, "*x" hassuffix, "*x*" contains, with
// other wildcards a regular expression.
struct SearchPattern {
  std::string kind;
  std::string text;
};

SearchPattern search_pattern(std::string_view term) {
  const auto inner_wildcard = [](std::string_view text) {
    return text.find_first_of("*?") != std::string_view::npos;
  };
  std::string_view core = term;
  const bool front = core.starts_with('*');
  if (front) {
    core.remove_prefix(1);
  }
  const bool back = core.ends_with('*');
  if (back) {
    core.remove_suffix(1);
  }
  if (!inner_wildcard(core)) {
    return {front ? (back ? "contains" : "hassuffix") : (back ? "hasprefix" : "has"),
            std::string(core)};
  }
  // RE2's \b knows words of ASCII only: beside other letters it says what \b means of them.
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  std::string pattern;
  if (!front) {
    pattern = is_ascii(core.front()) ? "\\b" : "(?:^|[^\\pL\\pN_])";
  }
  for (const char c : core) {
    if (c == '*') {
      pattern += ".*";
    } else if (c == '?') {
      pattern += ".";
    } else {
      if (std::string_view("\\^$.|+()[]{}").find(c) != std::string_view::npos) {
        pattern.push_back('\\');
      }
      pattern.push_back(c);
    }
  }
  if (!back) {
    pattern += is_ascii(core.back()) ? "\\b" : "(?:$|[^\\pL\\pN_])";
  }
  return {"regex", std::move(pattern)};
}

}  // namespace

Result<ExprPtr> Binder::search_term(std::string_view term, const Relation& input, const Expr* field,
                                    Span span) {
  if (term == "*") {
    return make_constant(Value::boolean(true), span);
  }
  SearchPattern pattern = search_pattern(term);
  if (case_sensitive_) {
    pattern.kind += "_cs";
  }
  return search_fields(pattern.kind, pattern.text, input, field, span);
}

Result<ExprPtr> Binder::search_fields(std::string_view kind, std::string_view text,
                                      const Relation& input, const Expr* field, Span span) {
  if (Status few = note_expressions(field != nullptr ? 1 : input.schema().size(), span);
      !few.ok()) {
    Error error = std::move(few).take_error();
    if (error.code == ErrorCode::kCompile) {
      error.hint =
          "each word is searched for in every field: name the field, or project some first";
    }
    return error;
  }
  std::vector<ExprPtr> args;
  args.push_back(make_constant(Value::string(std::string(text)), span));
  args.push_back(make_constant(Value::string(std::string(kind)), span));
  if (field != nullptr) {
    args.push_back(clone(*field));
  }
  for (std::size_t i = 0; field == nullptr && i < input.schema().size(); ++i) {
    const Field& candidate = input.schema()[i];
    if (!is_hidden(candidate.name)) {
      args.push_back(make_column(i, candidate.type, span));
    }
  }
  return call("op_search", std::move(args), span);
}

Result<ExprPtr> Binder::bind_search(const ast::Expr& predicate, const Relation& input) {
  if (std::holds_alternative<ast::Star>(predicate.node)) {
    return make_constant(Value::boolean(true), predicate.span);
  }
  if (const auto* literal = std::get_if<ast::Literal>(&predicate.node)) {
    if (literal->value.type() == Type::kBool) {
      return make_constant(literal->value, predicate.span);
    }
    return search_term(literal->value.to_text(), input, nullptr, predicate.span);
  }
  if (const auto* logical = std::get_if<ast::Logical>(&predicate.node)) {
    std::vector<ExprPtr> args;
    for (const ast::ExprPtr& operand : logical->operands) {
      EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(*operand, input));
      args.push_back(std::move(bound));
    }
    return call(logical->is_or ? "op_or" : "op_and", std::move(args), predicate.span);
  }
  if (const auto* unary = std::get_if<ast::Unary>(&predicate.node);
      unary != nullptr && unary->op == ast::UnaryOp::kNot) {
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_search(*unary->operand, input));
    std::vector<ExprPtr> args;
    args.push_back(std::move(bound));
    return call("not", std::move(args), predicate.span);
  }
  if (const auto* term = std::get_if<ast::SearchTerm>(&predicate.node)) {
    EVQ_TRY_ASSIGN(ExprPtr field, bind_expr(*term->field, &input));
    EVQ_TRY_ASSIGN(const Value text, bind_constant(*term->term, "a search term"));
    if (field->is_constant() && field->constant.is_null()) {
      return make_constant(Value::boolean(false), predicate.span);
    }
    return search_term(text.to_text(), input, field.get(), predicate.span);
  }
  auto bound = bind_predicate(predicate, &input, "search");
  const auto* word = std::get_if<ast::FieldRef>(&predicate.node);
  if (!bound.ok() && word != nullptr) {
    Error error = std::move(bound).take_error();
    if (error.span != predicate.span) {
      return error;  // of what a let has the name stand for
    }
    error.hint = "a text to search for stands in quotes: search '" + word->name.text + "'";
    return error;
  }
  return bound;
}

}  // namespace evq::plan
