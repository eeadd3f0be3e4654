// summarize: group and aggregate expressions become columns of a projection below an Aggregate,
// scalar expressions around aggregates a projection above it.

#include <algorithm>
#include <map>
#include <utility>

#include "apl/functions/time_range.h"
#include "apl/plan/aggregation_hint.h"
#include "apl/plan/asked_time.h"
#include "apl/plan/binder.h"
#include "apl/plan/fold.h"
#include "apl/plan/stacking.h"
#include "apl/plan/time_bin.h"
#include "apl/syntax/words.h"
#include "store/base/checked_math.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

std::vector<std::string_view> aggregate_names() {
  std::vector<std::string_view> names;
  for (const AggregateFunction* row : all_aggregates()) {
    names.push_back(row->name);
  }
  return names;
}

// What stands before the arguments in the name of an unnamed result of a call by that name.
std::string result_prefix(const AggregateFunction& row, const std::string& called) {
  const bool alias = called != row.name;
  if (row.keeps_names ? !alias : row.gives_fields) {
    return "";
  }
  return (alias && !row.alias_prefix.empty() ? std::string(row.alias_prefix) : called) + "_";
}

}  // namespace

// Binds one summarize. Columns below the Aggregate: the groups first, then aggregate arguments.
class SummarizeBinder {
 public:
  SummarizeBinder(Binder& binder, Relation input) : binder_(binder), input_(std::move(input)) {}

  Result<Relation> bind(SummarizeParts parts) {
    for (const SummarizeItem& item : parts.groups) {
      EVQ_TRY(bind_group(item));
    }
    if (parts.bin_ns.has_value()) {
      bin_ = TimeBin{*parts.bin_ns};
    }
    std::ranges::move(parts.bound_groups, std::back_inserter(groups_));
    for (const SummarizeItem& item : parts.aggregates) {
      if (Status bound = bind_item(item); !bound.ok()) {
        std::vector<std::string_view> made;
        made.reserve(results_.size());
        for (const NamedColumn& result : results_) {
          made.push_back(result.name);
        }
        return diag::made_here(std::move(bound).take_error(), made, "use it in a later | extend");
      }
    }
    return build();
  }

 private:
  Status bind_group(const SummarizeItem& item) {
    binder_.note_quoted_field(*item.value, &input_);
    auto value = binder_.bind_expr(*item.value, &input_);
    if (const auto* call = std::get_if<ast::Call>(&item.value->node);
        !value.ok() && call != nullptr && find_aggregate(call->function.text) != nullptr &&
        find_function(call->function.text) == nullptr) {
      Error error = std::move(value).take_error();
      error.hint =
          "aggregations stand before by: summarize " + call->function.text + "(…) by field";
      return error;
    }
    EVQ_TRY_ASSIGN(ExprPtr bound, std::move(value));
    std::string name =
        item.names.empty() ? binder_.derived_name(*item.value, &input_) : item.names[0].text;
    if (name.empty()) {
      name = "Column" + std::to_string(++unnamed_);
    }
    const std::optional<TimeBin> bin = find_time_bin(*bound, binder_.context());
    const std::size_t count = std::max<std::size_t>(item.names.size(), 1);
    EVQ_TRY_ASSIGN(std::vector<ExprPtr> parts, binder_.parts_of(std::move(bound), count, &input_));
    for (std::size_t i = 0; i < count; ++i) {
      groups_.push_back(
          {group_names_.take(i == 0 ? name : item.names[i].text), std::move(parts[i])});
    }
    if (bin.has_value() && !bin_.has_value()) {
      bin_ = bin;
      bin_name_ = groups_.back().name;
    }
    return Status::success();
  }

  Status bind_item(const SummarizeItem& item) {
    const std::size_t first = aggregates_.size();
    EVQ_TRY_ASSIGN(ExprPtr bound, bind_outer(*item.value));
    // A bare aggregate with several result columns gives all of them.
    const bool bare = bound->is_column() && aggregates_.size() == first + 1;
    std::string name = item.names.empty() ? item_name(*item.value) : item.names[0].text;
    if (bare) {
      const BoundAggregateCall& call = aggregates_[first].call;
      origins_.push_back(origin(aggregates_[first], aggregates_[first].args));
      if (call.results.size() > 1 || !call.result_suffixes[0].empty() ||
          (aggregates_[first].function->gives_fields && names_fields(*item.value))) {
        return add_columns(item, first, *bound);
      }
      if (aggregates_[first].function->gives_fields) {
        note_given(aggregates_[first], 0);
      }
    } else {
      origins_.emplace_back();
    }
    if (item.names.size() > 1) {
      return add_parts(item, *bound);
    }
    if (bare && aggregates_[first].function->collects_values) {
      collected_.push_back(results_.size());
    }
    results_.push_back({std::move(name), std::move(bound)});
    return Status::success();
  }

  // (a, b) = make_list(x): the elements of one result.
  Status add_parts(const SummarizeItem& item, const Expr& bound) {
    origins_.back() = {};
    origins_.resize(origins_.size() + item.names.size() - 1);
    EVQ_TRY(binder_.note_expressions(item.names.size() * node_count(bound), item.span));
    for (const ast::Name& name : item.names) {
      std::vector<ExprPtr> args;
      args.push_back(clone(bound));
      args.push_back(make_constant(
          Value::integer(static_cast<std::int64_t>(&name - item.names.data())), item.span));
      EVQ_TRY_ASSIGN(ExprPtr part, binder_.call("op_index", std::move(args), item.span));
      results_.push_back({name.text, std::move(part)});
    }
    return Status::success();
  }

  // arg_max(x, a, b): one output column a result, named by the function or by the query.
  Status add_columns(const SummarizeItem& item, std::size_t aggregate, const Expr& bound) {
    const AggregateCall& whole = aggregates_[aggregate];
    const BoundAggregateCall& call = whole.call;
    for (std::size_t i = 0; i < call.results.size(); ++i) {
      std::string name = i < item.names.size() ? item.names[i].text : result_name(call, i);
      if (i > 0) {
        origins_.emplace_back();
      }
      // Each column is about its own argument: that of percentiles(x, 50, 90), and the field of
      // arg_max(x, *) besides what is the largest.
      Plan::ColumnOrigin& made = origins_.back();
      const std::size_t fields[] = {whole.args[0],
                                    whole.args[whole.function->gives_fields ? i : 0]};
      made = whole.function->gives_fields ? origin(whole, std::span(fields, i == 0 ? 1 : 2))
                                          : origin(whole, whole.args);
      if (call.results.size() > 1 && made.args.size() == call.results.size()) {
        made.args = {Value(made.args[i])};
      }
      if (whole.function->gives_fields) {
        note_given(whole, i);
      }
      results_.push_back(
          {std::move(name), make_column(bound.column + i, call.results[i], item.span)});
    }
    return Status::success();
  }

  // A result is named by its function ("percentile_*_50", the star being the first argument) or
  // else after the argument at its place; an argument without a name is numbered.
  std::string result_name(const BoundAggregateCall& call, std::size_t i) {
    std::string name = call.result_suffixes[i];
    if (name.empty()) {
      const bool named = i < argument_names_.size() && !argument_names_[i].empty();
      return named ? argument_names_[i] : "Column" + std::to_string(++unnamed_);
    }
    if (const std::size_t star = name.find('*'); star != std::string::npos) {
      name.replace(star, 1, argument_names_.empty() ? "" : argument_names_[0]);
    }
    return name;
  }

  // Whether even a single result is a field of its own name: arg_max(*), arg_max(a = x).
  static bool names_fields(const ast::Expr& expr) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    return call != nullptr &&
           std::ranges::any_of(call->arguments, [](const ast::Argument& argument) {
             return argument.name.has_value() ||
                    std::holds_alternative<ast::Star>(argument.value->node);
           });
  }

  // The name of an unnamed item; empty when it has none of its own.
  std::string own_name(const ast::Expr& expr) const {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    if (call == nullptr || (find_aggregate(call->function.text) == nullptr &&
                            find_function(call->function.text) == nullptr)) {
      return call == nullptr ? binder_.derived_name(expr, &input_) : call->function.text + "_";
    }
    const ast::Expr* first = call->arguments.empty() ? nullptr : call->arguments[0].value.get();
    if (const AggregateFunction* row = find_aggregate(call->function.text)) {
      std::string name = result_prefix(*row, call->function.text);
      const std::size_t named =
          std::min<std::size_t>(row->naming_arguments, call->arguments.size());
      for (std::size_t i = 0; i < named; ++i) {
        const std::string argument = binder_.derived_name(*call->arguments[i].value, &input_);
        name.append(i > 0 && !argument.empty() ? "_" : "").append(argument);
      }
      return name.empty() ? call->function.text + "_" : name;
    }
    if (first == nullptr || !keeps_argument_name(call->function.text)) {
      return "";
    }
    const std::optional<ast::Name>& given = call->arguments[0].name;
    return given.has_value() ? given->text : own_name(*first);
  }

  std::string item_name(const ast::Expr& expr) {
    std::string name = own_name(expr);
    return name.empty() ? "Column" + std::to_string(++unnamed_) : name;
  }

  // `args` are those of its arguments that a column is about.
  Plan::ColumnOrigin origin(const AggregateCall& call, std::span<const std::size_t> args) const {
    Plan::ColumnOrigin made;
    made.aggregate = std::string(call.function->api_name.empty() ? call.function->name
                                                                 : call.function->api_name);
    for (const std::size_t arg : args) {
      const Expr& expr = *below_[arg].expr;
      if (expr.is_column()) {
        made.fields.push_back(input_.schema()[expr.column].name);
      } else if (expr.is_constant()) {
        made.args.push_back(expr.constant);
      } else if (const auto named = virtual_arguments_.find(arg);
                 named != virtual_arguments_.end()) {
        made.fields.push_back(named->second);
      }
    }
    return made;
  }

  // Notes that the next result gives values of that argument as they are.
  void note_given(const AggregateCall& call, std::size_t argument) {
    if (const Expr& given = *below_[call.args[argument]].expr; given.is_column()) {
      given_fields_.emplace(results_.size(), given.column);
    }
  }

  // Scalar expressions over aggregates and groups: the ordinary expression binder asks back for
  // what an aggregate among them means.
  Result<ExprPtr> bind_outer(const ast::Expr& expr) {
    if (const auto* call = std::get_if<ast::Call>(&expr.node);
        call != nullptr && find_aggregate(call->function.text) == nullptr &&
        find_function(call->function.text) == nullptr &&
        binder_.environment_->find(call->function.text) == nullptr) {
      return diag::unknown_aggregate(call->function.span, call->function.text, aggregate_names());
    }
    auto outer = std::exchange(binder_.aggregate_binder_,
                               [this](const AggregateFunction& row, const ast::Call& call,
                                      Span span) { return bind_aggregate_call(row, call, span); });
    auto bound = binder_.bind_expr(expr, &input_);
    binder_.aggregate_binder_ = std::move(outer);
    EVQ_TRY_ASSIGN(ExprPtr value, std::move(bound));
    auto grouped = over_groups(std::move(value), expr.span);
    return grouped.ok() ? std::move(grouped)
                        : with_aggregation_hint(std::move(grouped).take_error(), expr);
  }

  // An expression of the input is allowed when it is constant or made of group expressions.
  Result<ExprPtr> over_groups(ExprPtr expr, Span span) {
    if (expr->is_constant()) {
      return expr;
    }
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      if (expr_equal(*expr, *groups_[i].expr)) {
        return make_column(i, expr->type, span);
      }
    }
    if (expr->is_column()) {
      if (expr->column >= kFirstResult) {
        return expr;
      }
      return diag::field_not_grouped(expr->span.end > expr->span.begin ? expr->span : span,
                                     input_.schema()[expr->column].name);
    }
    for (ExprPtr& arg : expr->args) {
      EVQ_TRY_ASSIGN(arg, over_groups(std::move(arg), span));
    }
    return expr;
  }

  // What rate() divides by: the bins' width, or what conditions on the time leave.
  Result<std::optional<std::int64_t>> width_for(const AggregateFunction& row) const {
    if (!row.reads_bin_width || bin_.has_value()) {
      return bin_.has_value() ? std::optional(bin_->width_ns) : std::nullopt;
    }
    EVQ_TRY_ASSIGN(const std::optional<EvalContext> asked,
                   asked_time_range(*input_.node, binder_.context()));
    const auto range = asked.has_value() ? known_time_range(*asked) : std::nullopt;
    return range.has_value() ? checked_subtract(range->end_ns, range->start_ns) : std::nullopt;
  }

  Result<ExprPtr> bind_aggregate_call(const AggregateFunction& row, const ast::Call& call,
                                      Span span) {
    const auto wrong_count = [&](std::size_t count) {
      return diag::wrong_argument_count(span, row.name,
                                        argument_range(row.arguments_min, row.arguments_max), count,
                                        signature(row));
    };
    // Without its predicate, another argument would be taken for one.
    if (row.predicate.has_value() && call.arguments.size() < row.arguments_min) {
      return wrong_count(call.arguments.size());
    }
    // Inside its arguments a name is that of a scalar function.
    auto outer = std::exchange(binder_.aggregate_binder_, nullptr);
    auto bound_args = bind_aggregate_arguments(row, call);
    binder_.aggregate_binder_ = std::move(outer);
    EVQ_TRY_ASSIGN(std::vector<ExprPtr> args, std::move(bound_args));
    if (!takes_arguments(row.arguments_min, row.arguments_max, args.size())) {
      return wrong_count(args.size());
    }
    std::vector<Argument> arguments;
    arguments.reserve(args.size());
    for (const ExprPtr& arg : args) {
      arguments.push_back({arg->type, arg->is_constant() ? &arg->constant : nullptr});
    }
    EVQ_TRY_ASSIGN(const std::optional<std::int64_t> width, width_for(row));
    AggregateBindResult bound =
        evq::bind_aggregate(row, {arguments, binder_.context(), width, argument_names_});
    if (const auto* failure = std::get_if<BindFailure>(&bound)) {
      Error error = make_error(ErrorCode::kCompile, failure->message, failure->hint);
      error.id = "APL2008";
      error.span =
          failure->argument >= 0 ? args[static_cast<std::size_t>(failure->argument)]->span : span;
      return error;
    }
    warn_of_shares(row, args);
    warn_of_counted_field(row, call);
    AggregateCall made{&row, std::move(std::get<BoundAggregateCall>(bound)), {}, {}};
    made.text = std::string(row.name) + "()";
    for (std::size_t i = 0; i < args.size() && i < made.call.arguments.size(); ++i) {
      const auto* field = i < call.arguments.size()
                              ? std::get_if<ast::FieldRef>(&call.arguments[i].value->node)
                              : nullptr;
      if (field != nullptr) {
        virtual_arguments_.emplace(below_.size(), field->name.text);
      }
      made.args.push_back(below_.size());
      below_.push_back({hidden_name("arg") + std::to_string(below_.size()),
                        make_cast(std::move(args[i]), made.call.arguments[i])});
    }
    order_sensitive_ = order_sensitive_ || row.order_sensitive;
    const std::size_t column = kFirstResult + result_columns_;
    const Type type = made.call.results[0];
    result_columns_ += made.call.results.size();
    aggregates_.push_back(std::move(made));
    return make_column(column, type, span);
  }

  // What * stands for: fields that are neither arguments already nor grouped by, since those are
  // columns of the result by themselves.
  void add_all_fields(Span span, const std::string& prefix, std::vector<ExprPtr>* args) {
    std::vector<bool> is_there(input_.schema().size());
    const auto note = [&is_there](const Expr& expr) {
      if (expr.is_column()) {
        is_there[expr.column] = true;
      }
    };
    for (const ExprPtr& arg : *args) {
      note(*arg);
    }
    for (const NamedColumn& group : groups_) {
      note(*group.expr);
    }
    for (std::size_t i = 0; i < is_there.size(); ++i) {
      const Field& field = input_.schema()[i];
      if (!is_hidden(field.name) && !is_there[i]) {
        args->push_back(make_column(i, field.type, span));
        argument_names_.push_back(prefix + field.name);
      }
    }
  }

  // percentile(x, 0.95), as other languages write the 95th.
  void warn_of_shares(const AggregateFunction& row, const std::vector<ExprPtr>& args) {
    for (const ExprPtr& arg : args) {
      if (row.takes_percentages && arg->type == Type::kReal && arg->is_constant() &&
          !arg->constant.is_null() && arg->constant.as_real() > 0 && arg->constant.as_real() < 1) {
        const std::string percent = arg->constant.to_text();
        binder_.warn(std::string(row.name) + "(): percentiles go from 0 to 100, so " + percent +
                     " is less than one percent");
      }
    }
  }

  // count(x), which in SQL leaves out the rows without an x.
  void warn_of_counted_field(const AggregateFunction& row, const ast::Call& call) {
    const auto* field = row.ignores_argument && call.arguments.size() == 1
                            ? std::get_if<ast::FieldRef>(&call.arguments[0].value->node)
                            : nullptr;
    if (field != nullptr) {
      const std::string name = syntax::quote_name(field->name.text);
      binder_.warn("count(" + name + ") counts all rows; countif(isnotnull(" + name +
                   ")) counts those that have a value there");
    }
  }

  Result<std::vector<ExprPtr>> bind_aggregate_arguments(const AggregateFunction& row,
                                                        const ast::Call& call) {
    std::vector<ExprPtr> args;
    argument_names_.clear();
    const std::string prefix = row.keeps_names ? result_prefix(row, call.function.text) : "";
    for (const ast::Argument& argument : call.arguments) {
      if (std::holds_alternative<ast::Star>(argument.value->node)) {
        if (row.ignores_argument) {
          continue;  // count(*) is what SQL calls it
        }
        add_all_fields(argument.value->span, prefix, &args);
        continue;
      }
      if (const auto* inner = std::get_if<ast::Call>(&argument.value->node);
          inner != nullptr && find_aggregate(inner->function.text) != nullptr &&
          find_function(inner->function.text) == nullptr) {
        return diag::nested_aggregate(argument.value->span, inner->function.text);
      }
      const auto position = static_cast<std::size_t>(&argument - call.arguments.data());
      const bool predicate = row.predicate.has_value() &&
                             position == std::min(*row.predicate, call.arguments.size() - 1);
      const bool renames = argument.name.has_value() && row.gives_fields;
      if (argument.name.has_value() && !renames &&
          !is_parameter(row.params, position, argument.name->text)) {
        return predicate ? diag::single_equals(argument.name->span)
                         : diag::named_argument(argument.name->span, call.function.text);
      }
      binder_.note_quoted_field(*argument.value, &input_);
      EVQ_TRY_ASSIGN(ExprPtr bound, predicate
                                        ? binder_.bind_predicate(*argument.value, &input_, row.name)
                                        : binder_.bind_expr(*argument.value, &input_));
      // As the parameter of a function may be.
      if (reads_column(*bound, [](std::size_t column) { return column >= kFirstResult; })) {
        const auto* field = std::get_if<ast::FieldRef>(&argument.value->node);
        return diag::nested_aggregate(argument.value->span,
                                      field != nullptr ? field->name.text : row.name);
      }
      std::string name =
          renames ? argument.name->text : binder_.derived_name(*argument.value, &input_);
      const bool given = renames || name.empty();
      argument_names_.push_back(given ? std::move(name) : prefix + name);
      args.push_back(std::move(bound));
    }
    return args;
  }

  RelationTraits name_results();
  Result<Relation> build();

  // Columns of the Aggregate's results are numbered from here until the groups are all known.
  static constexpr std::size_t kFirstResult = std::size_t{1} << 20U;

  Binder& binder_;
  Relation input_;
  std::vector<NamedColumn> groups_;
  UniqueNames group_names_;
  std::vector<NamedColumn> below_;  // aggregate arguments
  std::vector<AggregateCall> aggregates_;
  std::vector<NamedColumn> results_;
  std::vector<Plan::ColumnOrigin> origins_;
  // Results that are arrays of values: a path of names means the field that they stand beside.
  std::vector<std::size_t> collected_;
  std::map<std::size_t, std::size_t> given_fields_;  // by result: whose values it gives
  std::vector<std::string> argument_names_;
  // By argument in below_: the name it was given by, which a virtual field's value has lost.
  std::map<std::size_t, std::string> virtual_arguments_;
  std::size_t result_columns_ = 0;
  std::optional<TimeBin> bin_;
  std::string bin_name_;
  bool order_sensitive_ = false;
  int unnamed_ = 0;
};

// What is known of the rows of the result, whose columns get their names.
RelationTraits SummarizeBinder::name_results() {
  RelationTraits traits;
  traits.aggregated = true;
  if (bin_.has_value()) {
    traits.bin_ns = bin_->width_ns;
    traits.bin_origin_ns = bin_->origin_ns;
    traits.bin_name = bin_name_;
  }
  std::vector<NamedColumn> given;  // as far as they are the input's, over that
  for (const NamedColumn& group : groups_) {
    traits.group_names.push_back(group.name);
    given.push_back({group.name, clone(*group.expr)});
  }
  UniqueNames names(groups_);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    results_[i].name = names.take(results_[i].name);
    if (!origins_[i].aggregate.empty()) {
      traits.origins.emplace(results_[i].name, origins_[i]);
    }
    const Type type = results_[i].expr->type;
    const auto field = given_fields_.find(i);
    given.push_back({results_[i].name, field != given_fields_.end()
                                           ? make_column(field->second, type)
                                           : make_constant(Value::null(type))});
  }
  follow_paths(input_, input_.schema(), given, &traits);
  for (const std::size_t i : collected_) {
    traits.made.erase(results_[i].name);
  }
  return traits;
}

Result<Relation> SummarizeBinder::build() {
  if (order_sensitive_) {
    input_ = order_naturally(std::move(input_), EventOrder::kOldestFirst, "summarize");
  }
  RelationTraits traits = name_results();
  Aggregate op;
  Project below;
  std::vector<Field> below_fields;
  std::vector<Field> fields;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    op.groups.push_back(i);
    below_fields.push_back({groups_[i].name, groups_[i].expr->type});
    fields.push_back(below_fields.back());
    below.exprs.push_back(clone(*groups_[i].expr));
  }
  for (NamedColumn& column : below_) {
    below_fields.push_back({column.name, column.expr->type});
    below.exprs.push_back(std::move(column.expr));
  }
  for (AggregateCall& call : aggregates_) {
    for (std::size_t& arg : call.args) {
      arg += groups_.size();
    }
    for (const Type type : call.call.results) {
      fields.push_back({hidden_name("agg") + std::to_string(fields.size()), type});
    }
    op.aggregates.push_back(std::move(call));
  }
  NodePtr projected =
      stack(std::move(input_.node), std::move(below), Schema(std::move(below_fields)));
  NodePtr aggregate = stack(std::move(projected), std::move(op), Schema(std::move(fields)));

  std::vector<NamedColumn> columns;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    columns.push_back({groups_[i].name, make_column(i, groups_[i].expr->type)});
  }
  for (NamedColumn& result : results_) {
    const std::function<void(Expr*)> place = [&](Expr* expr) {
      if (expr->is_column() && expr->column >= kFirstResult) {
        expr->column = expr->column - kFirstResult + groups_.size();
      }
      for (const ExprPtr& arg : expr->args) {
        place(arg.get());
      }
    };
    place(result.expr.get());
    columns.push_back(std::move(result));
  }
  Relation output = choose({{}, std::move(aggregate)}, std::move(columns));
  return Relation{std::move(traits), std::move(output.node)};
}

Result<Relation> Binder::lower(const ast::Summarize& op, Span /*span*/, Relation input) {
  SummarizeParts parts;
  for (const ast::NamedExpr& item : op.groups) {
    parts.groups.emplace_back(item);
  }
  for (const ast::NamedExpr& item : op.aggregates) {
    parts.aggregates.emplace_back(item);
  }
  return summarize(std::move(parts), std::move(input));
}

Result<Relation> Binder::summarize(SummarizeParts parts, Relation input) {
  return SummarizeBinder(*this, std::move(input)).bind(std::move(parts));
}

}  // namespace evq::plan
