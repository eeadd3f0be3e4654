#include "apl/plan/binder.h"

#include <algorithm>
#include <utility>

#include "apl/plan/field_name.h"
#include "apl/plan/number_hint.h"
#include "apl/plan/query_parameters.h"
#include "apl/plan/stacking.h"
#include "apl/syntax/words.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq::plan {
namespace {

// What a pipeline counts for beside kQueryExpressionsMax.
constexpr std::size_t kPipelineExpressions = 16;

// Whether the source gives rows that no dataset holds, or those of several.
bool makes_rows(const ast::SourceNode& source) {
  return std::holds_alternative<ast::Print>(source) || std::holds_alternative<ast::Range>(source) ||
         std::holds_alternative<ast::Datatable>(source) ||
         std::holds_alternative<ast::ExternalData>(source) ||
         std::holds_alternative<ast::Union>(source) || std::holds_alternative<ast::Find>(source);
}

}  // namespace

const Environment::Meaning* Environment::find(std::string_view name) const {
  for (const Environment* frame = this; frame != nullptr; frame = frame->outer) {
    if (const auto at = frame->names.find(name); at != frame->names.end()) {
      return &at->second;
    }
  }
  return nullptr;
}

const Environment::Meaning* Environment::find_scalar(std::string_view name) const {
  const Meaning* meaning = find(name);
  const bool table = meaning != nullptr && (std::holds_alternative<LetPipeline>(*meaning) ||
                                            std::holds_alternative<BoundTable>(*meaning));
  return table ? nullptr : meaning;
}

Binder::Binder(TableSource& tables, const BindOptions& options)
    : tables_(tables), options_(options), default_limit_(options.default_limit) {
  auto frame = std::make_unique<Environment>();
  for (const auto& [name, value] : options.variables) {
    frame->names.emplace(name, Environment::Scalar{make_constant(value)});
  }
  environment_ = frame.get();
  frames_.push_back(std::move(frame));
}

Result<Plan> bind_query(const ast::Query& query, TableSource& tables, const BindOptions& options) {
  return Binder(tables, options).bind(query);
}

Result<Plan> Binder::bind(const ast::Query& query) {
  query_ = &query;
  if (query.statements.size() > kQueryStatementsMax) {
    return diag::limit_exceeded(Span{}, "statements before the query", kQueryStatementsMax);
  }
  for (const ast::Statement& statement : query.statements) {
    EVQ_TRY(bind_statement(statement));
  }
  if (query.pipelines.empty()) {
    return diag::empty_query();
  }
  if (query.pipelines.size() > 1) {
    return diag::unsupported_feature(query.pipelines[1]->span, "a second result in one query",
                                     "run the queries one by one");
  }
  EVQ_TRY_ASSIGN(Relation root, bind_pipeline(*query.pipelines[0]));
  return finish(std::move(root));
}

// From here on the name is known. The let itself sees only what was defined before it.
void Binder::define(const ast::Let& let) {
  Environment::Meaning meaning;
  if (const auto* expr = std::get_if<ast::ExprPtr>(&let.value)) {
    meaning = Environment::LetExpr{expr->get(), environment_};
  } else if (const auto* pipeline = std::get_if<ast::PipelinePtr>(&let.value)) {
    meaning = Environment::LetPipeline{pipeline->get(), environment_};
  } else {
    meaning = Environment::Function{std::get<std::unique_ptr<ast::Lambda>>(let.value).get(),
                                    environment_};
  }
  auto frame = std::make_unique<Environment>();
  frame->outer = environment_;
  frame->names.emplace(let.name.text, std::move(meaning));
  environment_ = frame.get();
  frames_.push_back(std::move(frame));
}

Status Binder::bind_statement(const ast::Statement& statement) {
  if (const auto* let = std::get_if<ast::Let>(&statement)) {
    define(*let);
    return Status::success();
  }
  if (const auto* set = std::get_if<ast::Set>(&statement)) {
    return set_option(*set);
  }
  auto frame = std::make_unique<Environment>();
  frame->outer = environment_;
  const std::vector<ast::Parameter>& parameters =
      std::get<ast::DeclareParameters>(statement).parameters;
  for (const ast::Parameter& parameter : parameters) {
    if (const auto given = options_.variables.find(parameter.name.text);
        given != options_.variables.end()) {
      EVQ_TRY_ASSIGN(ExprPtr value, parameter_value(*this, parameter, given->second));
      frame->names.insert_or_assign(parameter.name.text, Environment::Scalar{std::move(value)});
      continue;
    }
    if (environment_->find(parameter.name.text) != nullptr) {
      continue;  // a let's
    }
    if (parameter.default_value == nullptr) {
      Error error = diag::missing_argument(parameter.name.span, "declare query_parameters",
                                           parameter.name.text);
      error.hint = "the request gives it among its variables; a default is written " +
                   parameter.name.text + ":" + std::string(type_name(parameter.type)) + " = …";
      return error;
    }
    EVQ_TRY_ASSIGN(ExprPtr value, bind_expr(*parameter.default_value, nullptr));
    EVQ_TRY_ASSIGN(value, fit(std::move(value), parameter.type, "declare query_parameters",
                              static_cast<std::size_t>(&parameter - parameters.data()) + 1));
    frame->names.emplace(parameter.name.text, Environment::Scalar{std::move(value)});
  }
  environment_ = frame.get();
  frames_.push_back(std::move(frame));
  return Status::success();
}

// A let that uses another one twice doubles what that stands for, and one that uses it once is as
// deep as both; a star stands for all fields.
Status Binder::note_expressions(std::size_t count, Span span) {
  expressions_ += count;
  if (nesting_ > kBoundDepthMax) {
    return diag::nested_too_deep(span, kBoundDepthMax);
  }
  if (context().control != nullptr) {
    EVQ_TRY(context().control->check());
  }
  if (expressions_ <= kQueryExpressionsMax) {
    return Status::success();
  }
  Error error = diag::limit_exceeded(span, "expressions, with lets and stars written out",
                                     kQueryExpressionsMax);
  error.hint = "let name = toscalar(…) is worked out once";
  return error;
}

Result<std::size_t> Binder::add_column(Relation* input, std::string name, ExprPtr expr) {
  const std::size_t column = input->schema().size();
  EVQ_TRY(note_expressions(carried(column, joins_projection(*input, *expr)), expr->span));
  *input = append(std::move(*input), std::move(name), std::move(expr));
  return column;
}

Result<ExprPtr> Binder::computed_once(ExprPtr value, Relation* input) {
  if (value->is_constant() || value->is_column()) {
    return value;
  }
  const Type type = value->type;
  const Span span = value->span;
  std::string name = hidden_name("once" + std::to_string(input->schema().size()));
  EVQ_TRY_ASSIGN(const std::size_t column, add_column(input, std::move(name), std::move(value)));
  return make_column(column, type, span);
}

Result<Relation> Binder::bind_pipeline(const ast::Pipeline& pipeline) {
  EVQ_TRY(note_expressions(kPipelineExpressions, pipeline.span));
  if (++depth_ > kQueryCallDepthMax) {
    return diag::nested_too_deep(pipeline.span, kQueryCallDepthMax);
  }
  if (options_.delete_only && makes_rows(pipeline.source)) {
    return diag::operator_not_allowed(pipeline.source_span, "", "a delete");
  }
  ++pipelines_;
  // Aggregates of a summarize around a subquery are not those of the subquery.
  auto aggregates = std::exchange(aggregate_binder_, nullptr);
  const bool own_names = std::exchange(own_names_first_, false);
  const bool case_sensitive = std::exchange(case_sensitive_, false);
  const Environment* outer = environment_;
  for (const ast::Let& let : pipeline.lets) {
    define(let);
  }
  auto source = std::visit([&](const auto& node) { return lower(node, pipeline.source_span); },
                           pipeline.source);
  auto bound = source.ok() ? bind_operators(pipeline.operators, std::move(source).value())
                           : std::move(source);
  environment_ = outer;
  aggregate_binder_ = std::move(aggregates);
  own_names_first_ = own_names;
  case_sensitive_ = case_sensitive;
  --pipelines_;
  --depth_;
  return bound;
}

Result<Relation> Binder::bind_operators(const ast::OperatorList& operators, Relation input) {
  const Environment* outer = environment_;
  Result<Relation> bound(std::move(input));
  for (const ast::Operator& op : operators) {
    bound = bind_operator(op, std::move(bound).value());
    if (!bound.ok()) {
      break;
    }
  }
  environment_ = outer;  // names given by `as` end with the pipeline
  return bound;
}

Result<Relation> Binder::bind_operator(const ast::Operator& op, Relation input) {
  if (options_.delete_only && !std::holds_alternative<ast::Where>(op.node) &&
      !std::holds_alternative<ast::Search>(op.node)) {
    return diag::operator_not_allowed(op.name_span, "", "a delete");
  }
  auto output =
      std::visit([&](const auto& node) { return lower(node, op.span, std::move(input)); }, op.node);
  if (output.ok()) {
    output->just_summarized = std::holds_alternative<ast::Summarize>(op.node);
  }
  return output;
}

Result<Table> Binder::run_now(const Node& node, Span span, std::string_view what) const {
  if (options_.subqueries == nullptr) {
    return diag::unsupported_feature(span, what, "");
  }
  if (reads_placeholder(node)) {
    return diag::unsupported_feature(span, std::string(what) + " inside partition or mv-apply", "");
  }
  return options_.subqueries->run(node);
}

// ---- building blocks

Relation Binder::limit(Relation input, std::uint64_t count) const {
  Schema schema = input.schema();
  Operation op = Limit{count};
  if (!input.ordered && input.natural()) {
    const bool descending = options_.event_order == EventOrder::kNewestFirst;
    op = TopN{
        {{*input.time_column(), {descending, false}}, {*input.row_column(), {descending, false}}},
        count};
    input.ordered = true;
  }
  input.node = stack(std::move(input.node), std::move(op), std::move(schema));
  input.limit = std::min(count, input.limit.value_or(count));
  return input;
}

// So many fields are named where one is unknown.
constexpr std::size_t kFieldsListedMax = 12;

namespace {

std::string listed(std::string text, const std::vector<std::string_view>& names) {
  for (const std::string_view name : names) {
    text.append(name == names[0] ? " " : ", ").append(name);
  }
  return text;
}

// Whether the rows had this field further up, before an operator that did not keep it.
bool had_field(const Relation& input, std::string_view name) {
  for (const Node* node = input.node.get(); node != nullptr && !is_hidden(name);
       node = node->inputs.empty() ? nullptr : node->inputs[0].get()) {
    if (node->schema.find(name).has_value()) {
      return true;
    }
  }
  return false;
}

// The column that Kusto, or who goes by its other names, would have called `name`: set_x, list_x,
// percentile_x_95, any_x, arg_max_x. Empty if none is.
std::string own_name(std::string_view name, std::span<const std::string_view> visible) {
  const std::size_t word = name.find('_') + 1;  // 0: there is none
  std::vector<std::string> owns;
  if (name.starts_with("set_") || name.starts_with("list_") || name.starts_with("bag_")) {
    const std::string made = "make_" + std::string(name.substr(0, word));
    owns = {made + std::string(name.substr(word)), made + "if_" + std::string(name.substr(word))};
  } else if (name.starts_with("percentile_")) {
    owns.emplace_back(name.substr(0, name.find_last_not_of("0123456789_") + 1));
  }
  for (const std::string_view prefix : {"any_", "take_any_", "arg_max_", "arg_min_"}) {
    if (name.starts_with(prefix)) {
      owns.emplace_back(name.substr(prefix.size()));
    }
  }
  const auto own = std::ranges::find_if(owns, [&](const std::string& each) {
    return std::ranges::find(visible, each) != visible.end();
  });
  return own != owns.end() ? *own : std::string();
}

}  // namespace

Result<std::string> Binder::name_argument(const ast::Expr& argument, const Relation* input) {
  const auto* field = std::get_if<ast::FieldRef>(&argument.node);
  const bool named = field != nullptr && input != nullptr &&
                     find_field(input->schema(), field->name.text).has_value();
  if (field != nullptr && (named || environment_->find(field->name.text) == nullptr)) {
    return field->name.text;
  }
  EVQ_TRY_ASSIGN(const Value name, bind_constant(argument, "the field's name"));
  if (name.type() != Type::kString || name.is_null()) {
    return diag::invalid_constant(argument.span, "the field's name", "be a text");
  }
  return std::string(name.as_text());
}

std::optional<Type> Binder::type_elsewhere(std::string_view name) const {
  const auto field = std::ranges::find(searched_fields_, name, &Field::name);
  return field != searched_fields_.end() ? std::optional(field->type) : std::nullopt;
}

namespace {

// How a member of a map is read that was asked for as a field by its whole name; empty where no
// map is above it.
std::string member_of_map(const Relation& input, std::string_view name) {
  const std::string* map = input.map_of(name);
  if (map == nullptr || !find_field(input.schema(), *map).has_value()) {
    return {};
  }
  const std::string_view key = name.substr(map->size() + 1);
  return "a key of the map '" + *map + "' is read by " + syntax::quote_name(*map) +
         (syntax::is_plain_name(key) ? "." + std::string(key) : syntax::bracket_name(key));
}

// How the virtual field of one of `datasets` is kept over an operator that makes other rows of
// events; empty where none has it.
std::string kept_virtual(TableSource& tables, const std::vector<std::string>& datasets,
                         std::string_view name) {
  for (const std::string& dataset : datasets) {
    const auto info = tables.table(dataset);
    if (info.ok() && std::ranges::find(info->virtual_fields, name, &VirtualField::name) !=
                         info->virtual_fields.end()) {
      const std::string field = syntax::quote_name(name);
      return "it is a virtual field of '" + dataset + "', which events alone have: extend " +
             field + " = " + field + " keeps its value";
    }
  }
  return {};
}

}  // namespace

Error Binder::unknown_field(const Relation* input, std::string_view name, Span span) const {
  const std::vector<std::string_view> visible =
      input != nullptr ? visible_names(*input) : std::vector<std::string_view>();
  std::vector<std::string_view> names = visible;
  // A join's condition compares fields alone.
  const Environment* frame = sided_ == nullptr ? environment_ : nullptr;
  for (; frame != nullptr; frame = frame->outer) {
    for (const auto& [known, meaning] : frame->names) {
      names.push_back(known);
    }
  }
  const bool dropped = input != nullptr && had_field(*input, name);
  const std::string_view dataset = input != nullptr && !dropped ? input->name : std::string_view();
  Error error = diag::unknown_field(span, name, dataset, names);
  if (std::string own = own_name(name, visible); !own.empty()) {
    error.hint = diag::did_you_mean({std::move(own), {}}, diag::Suggested::kName);
  } else if (std::string member = input != nullptr ? member_of_map(*input, name) : std::string();
             !member.empty()) {
    error.hint = std::move(member);
  } else if (std::string kept = input != nullptr ? kept_virtual(tables_, datasets_.all, name) : "";
             !kept.empty()) {
    error.hint = std::move(kept);
  } else if (dropped) {
    error.hint = "an operator before it left it out";
    error.hint += visible.empty() || visible.size() > kFieldsListedMax
                      ? ""
                      : listed("; the fields here are", visible);
  } else if (std::string hint = unknown_field_hint(input, name); !hint.empty()) {
    error.hint = std::move(hint);
  }
  return error;
}

namespace {

// Whether the rows are those of a union of tables, with more or fewer columns.
bool come_of_union(const Relation& rows) {
  const Node* node = rows.node.get();
  while (std::holds_alternative<Filter>(node->op) || std::holds_alternative<Project>(node->op) ||
         std::holds_alternative<Sort>(node->op) || std::holds_alternative<Limit>(node->op)) {
    node = node->inputs[0].get();
  }
  return std::holds_alternative<Union>(node->op);
}

// What other systems call the time of an event, in lower case without signs.
bool is_time_word(std::string_view name) {
  std::string word;
  for (const char c : name) {
    if (is_letter(c)) {
      word.push_back(to_lower(c));
    }
  }
  constexpr std::string_view kWords[] = {"timestamp", "timegenerated", "eventtime", "datetime",
                                         "ts",        "time",          "date"};
  return std::ranges::find(kWords, word) != std::end(kWords);
}

}  // namespace

// What the name that is no field may have meant; empty to leave it at names that look alike.
std::string Binder::unknown_field_hint(const Relation* input, std::string_view name) const {
  const std::vector<std::string_view> visible =
      input != nullptr ? visible_names(*input) : std::vector<std::string_view>();
  const bool like_another = !diag::did_you_mean(name, visible).empty();
  if (name == "asc" || name == "desc") {
    return "the direction stands behind its field, without a comma: field " + std::string(name);
  }
  if (name == "auto") {
    return "the size of bins is chosen by bin_auto(_time)";
  }
  if (std::string hint = number_hint(name); !hint.empty()) {
    return hint;
  }
  if (sided_ != nullptr && name.find('.') != std::string_view::npos) {
    return "write $left.field == $right.field";
  }
  if (is_time_word(name) && std::ranges::find(visible, "_time") != visible.end()) {
    return "the time of an event is _time";
  }
  constexpr std::string_view kSources[] = {"dataset", "table", "source", "index"};
  if (std::ranges::find(kSources, name) != std::end(kSources) && input != nullptr &&
      come_of_union(*input)) {
    return "which table a row is of becomes a field by union withsource=" + std::string(name) +
           " …";
  }
  const auto dashed = std::ranges::find_if(visible, [&](std::string_view field) {
    return field.starts_with(name) && field.substr(name.size()).starts_with('-');
  });
  if (dashed != visible.end()) {
    return "a name with dashes is written ['" + std::string(*dashed) + "']";
  }
  if (like_another) {
    return {};
  }
  if (const ScalarFunction* function = find_function(name); function != nullptr) {
    return "'" + std::string(name) + "' is a function: write " + signature(*function);
  }
  if (const AggregateFunction* function = find_aggregate(name); function != nullptr) {
    const bool plain = function->arguments_min == 0;
    return "'" + std::string(name) + "' is an aggregation: write " +
           (plain ? std::string(name) + "()" : signature(*function));
  }
  if (input == nullptr) {
    return "fields have no place here; a text needs quotes: '" + std::string(name) + "'";
  }
  std::vector<std::string_view> related;
  const std::string_view parent = name.substr(0, name.find('.'));
  for (const std::string_view field : visible) {
    if (field.starts_with(parent) && field.substr(parent.size()).starts_with('.')) {
      related.push_back(field);
    }
  }
  if (!related.empty() && related.size() <= kFieldsListedMax) {
    return listed("below '" + std::string(parent) + "' there are", related);
  }
  if (input->name.empty() && !visible.empty() && visible.size() <= kFieldsListedMax) {
    return listed("the fields here are", visible);
  }
  return {};
}

Result<std::size_t> Binder::find_column(const Relation& input, const ast::Name& name) const {
  if (const auto at = find_field(input.schema(), name.text); at.has_value()) {
    return *at;
  }
  return unknown_listed_field(*this, input, name.text, name.span);
}

void Binder::note_quoted_field(const ast::Expr& expr, const Relation* input) {
  const auto* literal = std::get_if<ast::Literal>(&expr.node);
  if (literal == nullptr || input == nullptr || literal->value.type() != Type::kString ||
      literal->value.is_null()) {
    return;
  }
  const std::string name(literal->value.as_text());
  if (find_field(input->schema(), name).has_value()) {
    warn("'" + name + "' in quotes is a text; the field is written " +
         (syntax::is_plain_name(name) ? name : "['" + name + "']"));
  }
}

void Binder::warn(std::string warning) {
  if (std::ranges::find(warnings_, warning) == warnings_.end()) {
    warnings_.push_back(std::move(warning));
  }
}

// ---- the end of the query

Result<Plan> Binder::finish(Relation root) {
  Plan plan;
  if (root.aggregated && !root.ordered && root.begins_with_bin()) {
    Sort sort{{{0, {false, true}}}};
    root.order.emplace_back(root.schema()[0].name, false);
    const auto is_value = [&](const Field& field) {
      return std::ranges::find(root.group_names, field.name) == root.group_names.end();
    };
    const std::vector<Field>& fields = root.schema().fields();
    if (const auto value = std::ranges::find_if(fields, is_value); value != fields.end()) {
      sort.keys.push_back({static_cast<std::size_t>(value - fields.begin()), {true, false}});
      root.order.emplace_back(value->name, true);
    }
    Schema schema = root.schema();
    root.node = stack(std::move(root.node), std::move(sort), std::move(schema));
    root.ordered = true;
  }
  if (!root.sorted && !(root.aggregated && root.ordered)) {
    EVQ_TRY_ASSIGN(root, sort_by_default(std::move(root)));
  }
  plan.explicit_limit = root.limit;
  std::optional<std::uint64_t> limit_rows = options_.request_limit;
  if (!root.limit.has_value() && !root.aggregated && default_limit_.has_value()) {
    limit_rows = std::min(*default_limit_, limit_rows.value_or(*default_limit_));
  }
  if (rows_max_.has_value()) {
    limit_rows = std::min(*rows_max_, limit_rows.value_or(*rows_max_));
  }
  if (!options_.delete_only) {
    if (limit_rows.has_value() && (!root.limit.has_value() || *limit_rows < *root.limit)) {
      root = limit(std::move(root), *limit_rows);
    }
    root = order_naturally(std::move(root), options_.event_order);
  }
  plan.aggregated = root.aggregated;
  plan.group_names = root.group_names;
  plan.bin_ns = root.bin_ns;
  plan.bin_origin_ns = root.bin_origin_ns;
  plan.sorted = root.sorted;
  plan.order = root.order;
  for (const Field& field : root.schema().fields()) {
    if (!is_hidden(field.name)) {
      const auto origin = root.origins.find(field.name);
      plan.origins.push_back(origin != root.origins.end() ? origin->second : Plan::ColumnOrigin{});
    }
  }
  plan.datasets = std::move(datasets_.all);
  plan.row_datasets = std::move(datasets_.of_rows);
  plan.warnings = std::move(warnings_);
  plan.render = std::move(render_);
  plan.root = std::move(root.node);
  return plan;
}

}  // namespace evq::plan
