// make-series: a summarize by the groups and the bin of the axis, then Series, which spreads each
// group's bins over arrays.

#include <algorithm>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/base/limits.h"

namespace evq::plan {
namespace {

constexpr std::string_view kAxisColumn = "$axis";

}  // namespace

class SeriesBinder {
 public:
  SeriesBinder(Binder& binder, const ast::MakeSeries& op, Span span, Relation input)
      : binder_(binder), op_(op), span_(span), input_(std::move(input)) {}

  // The input's rows within the range, the axis to group by, and the node to come.
  Status bind_axis() {
    EVQ_TRY_ASSIGN(axis_, binder_.bind_expr(*op_.axis.value, &input_));
    const Type type = axis_->type;
    if (type != Type::kDatetime && type != Type::kTimespan && type != Type::kLong) {
      return diag::wrong_argument_type(op_.axis.span, "make-series", 1,
                                       "a datetime, timespan or long axis", type_name(type));
    }
    series_.axis_type = type;
    series_.nonempty = op_.non_empty;
    EVQ_TRY_ASSIGN(series_.from, bound(op_.from, "the start of the axis"));
    EVQ_TRY_ASSIGN(series_.to, bound(op_.to, "the end of the axis"));
    if (op_.in_range && series_.to.has_value() &&
        __builtin_add_overflow(*series_.to, 1, &*series_.to)) {
      return diag::invalid_constant(op_.to->span, "the end of the axis", "be smaller");
    }
    EVQ_TRY(bind_step());
    EVQ_TRY(check_length());
    EVQ_TRY(keep("op_greater_equal", series_.from));
    return keep("op_less", series_.to);
  }

  Result<NamedColumn> bin() {
    const Type type = axis_->type;
    const Type step_type = type == Type::kLong ? Type::kLong : Type::kTimespan;
    ExprPtr value = clone(*axis_);
    if (series_.from.has_value()) {
      EVQ_TRY_ASSIGN(value, pair("op_subtract", std::move(value), point(*series_.from, type)));
    }
    EVQ_TRY_ASSIGN(value, pair("bin", std::move(value), point(series_.step, step_type)));
    if (series_.from.has_value()) {
      EVQ_TRY_ASSIGN(value, pair("op_add", point(*series_.from, type), std::move(value)));
    }
    return NamedColumn{std::string(kAxisColumn), std::move(value)};
  }

  // The axis is named while the input is there.
  Relation take_input() {
    axis_name_ = op_.axis.names.empty() ? binder_.derived_name(*op_.axis.value, &input_)
                                        : op_.axis.names[0].text;
    return std::move(input_);
  }

  Result<Relation> spread(Relation grouped) {
    const std::size_t groups = op_.groups.size();
    const Schema below = grouped.schema();
    if (below.size() != groups + 1 + op_.items.size()) {
      return diag::unsupported_feature(span_, "an aggregation with several results in make-series",
                                       "");
    }
    series_.group_count = groups;
    std::vector<Field> fields(below.fields().begin(),
                              below.fields().begin() + static_cast<std::ptrdiff_t>(groups));
    for (std::size_t i = 0; i < op_.items.size(); ++i) {
      const Field& field = below[groups + 1 + i];
      EVQ_TRY_ASSIGN(Value value, default_of(op_.items[i], field.type));
      series_.defaults.push_back(std::move(value));
      fields.push_back({field.name, Type::kDynamic});
    }
    fields.push_back({axis_name(fields), Type::kDynamic});
    grouped.bin_ns.reset();
    grouped.bin_first = false;
    std::erase(grouped.group_names, kAxisColumn);
    grouped.node = stack(std::move(grouped.node), std::move(series_), Schema(std::move(fields)));
    return grouped;
  }

 private:
  std::string axis_name(const std::vector<Field>& fields) const {
    std::string name = axis_name_.empty() ? "axis" : axis_name_;
    while (std::ranges::any_of(fields, [&](const Field& field) { return field.name == name; })) {
      name += "1";
    }
    return name;
  }

  Result<std::optional<std::int64_t>> bound(const ast::ExprPtr& expr, std::string_view what) {
    if (expr == nullptr) {
      return std::optional<std::int64_t>();
    }
    EVQ_TRY_ASSIGN(const Value value, binder_.bind_constant(*expr, what));
    if (value.is_null() || value.type() != axis_->type) {
      return diag::invalid_constant(expr->span, what,
                                    "be a " + std::string(type_name(axis_->type)));
    }
    return std::optional<std::int64_t>(value.as_integer());
  }

  Status bind_step() {
    EVQ_TRY_ASSIGN(const Value step, binder_.bind_constant(*op_.step, "the step of the axis"));
    const Type wanted = axis_->type == Type::kLong ? Type::kLong : Type::kTimespan;
    if (step.is_null() || step.type() != wanted || step.as_integer() <= 0) {
      return diag::invalid_constant(op_.step->span, "the step of the axis",
                                    "be a " + std::string(type_name(wanted)) + " above 0");
    }
    series_.step = step.as_integer();
    return Status::success();
  }

  Status check_length() {
    if (!series_.from.has_value() || !series_.to.has_value()) {
      return Status::success();
    }
    std::int64_t length = 0;
    if (__builtin_sub_overflow(*series_.to, *series_.from, &length) ||
        (length > 0 && static_cast<std::uint64_t>(length / series_.step) >= kListItemsMax)) {
      return diag::limit_exceeded(span_, "steps in a series", kListItemsMax);
    }
    return Status::success();
  }

  static ExprPtr point(std::int64_t value, Type type) {
    return make_constant(type == Type::kDatetime   ? Value::datetime(value)
                         : type == Type::kTimespan ? Value::timespan(value)
                                                   : Value::integer(value));
  }
  Result<ExprPtr> pair(std::string_view function, ExprPtr left, ExprPtr right) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(left));
    args.push_back(std::move(right));
    return binder_.call(function, std::move(args), op_.axis.span);
  }

  Status keep(std::string_view function, std::optional<std::int64_t> limit) {
    if (limit.has_value()) {
      EVQ_TRY_ASSIGN(ExprPtr predicate, pair(function, clone(*axis_), point(*limit, axis_->type)));
      input_ = binder_.filter(std::move(input_), std::move(predicate));
    }
    return Status::success();
  }

  // 0 for numbers and timespans, null for the rest.
  Result<Value> default_of(const ast::SeriesItem& item, Type type) {
    if (item.default_value != nullptr) {
      return binder_.bind_constant(*item.default_value, "the default of a series");
    }
    if (type == Type::kReal) {
      return Value::real(0);
    }
    if (type == Type::kTimespan) {
      return Value::timespan(0);
    }
    return type == Type::kLong ? Value::integer(0) : Value::null(type);
  }

  Binder& binder_;
  const ast::MakeSeries& op_;
  Span span_;
  Relation input_;
  ExprPtr axis_;
  std::string axis_name_;
  Series series_;
};

Result<Relation> Binder::lower(const ast::MakeSeries& op, Span span, Relation input) {
  SeriesBinder series(*this, op, span, std::move(input));
  EVQ_TRY(series.bind_axis());
  SummarizeParts parts;
  for (const ast::NamedExpr& item : op.groups) {
    parts.groups.emplace_back(item);
  }
  for (const ast::SeriesItem& item : op.items) {
    parts.aggregates.emplace_back(item.aggregate);
  }
  EVQ_TRY_ASSIGN(NamedColumn bin, series.bin());
  parts.bound_groups.push_back(std::move(bin));
  EVQ_TRY_ASSIGN(Relation grouped, summarize(std::move(parts), series.take_input()));
  return series.spread(std::move(grouped));
}

}  // namespace evq::plan
