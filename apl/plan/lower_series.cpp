// make-series: a summarize by the groups and the bin of the axis, then Series, which spreads each
// group's bins over arrays.

#include <algorithm>
#include <cmath>
#include <utility>

#include "apl/plan/binder.h"
#include "apl/plan/stacking.h"
#include "store/base/limits.h"
#include "store/base/time_parse.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

constexpr std::string_view kAxisColumn =
    "\xFF"
    "axis";

}  // namespace

class SeriesBinder {
 public:
  // `axis` is over the columns of `input`.
  SeriesBinder(Binder& binder, const ast::MakeSeries& op, Span span, ExprPtr axis, Relation input)
      : binder_(binder), op_(op), span_(span), input_(std::move(input)), axis_(std::move(axis)) {}

  // The input's rows within the range, and the node to come.
  Status bind_axis() {
    const Type type = axis_->type;
    if (type != Type::kDatetime && type != Type::kTimespan && !is_numeric(type)) {
      Error error =
          diag::wrong_argument_type(op_.axis.span, "make-series", 1,
                                    "a number, datetime or timespan as axis", type_name(type));
      error.hint = "the axis stands after on; a text is converted with todatetime() or toreal()";
      return error;
    }
    series_.axis_type = type;
    series_.nonempty = op_.non_empty;
    if (type == Type::kReal) {
      return bind_real_axis();
    }
    EVQ_TRY_ASSIGN(series_.from, bound(op_.from, "the start of the axis"));
    EVQ_TRY_ASSIGN(series_.to, bound(op_.to, "the end of the axis"));
    if (op_.in_range && series_.to.has_value() &&
        __builtin_add_overflow(*series_.to, 1, &*series_.to)) {
      return diag::invalid_constant(op_.to->span, "the end of the axis", "be smaller");
    }
    EVQ_TRY(bind_step());
    EVQ_TRY(check_length());
    if (series_.from.has_value()) {
      EVQ_TRY(keep("op_greater_equal", point(*series_.from, type)));
    }
    return series_.to.has_value() ? keep("op_less", point(*series_.to, type)) : Status::success();
  }

  Result<NamedColumn> bin() {
    const Type type = axis_->type;
    if (type == Type::kReal) {
      EVQ_TRY_ASSIGN(ExprPtr steps, real_bin());
      return NamedColumn{std::string(kAxisColumn), std::move(steps)};
    }
    const Type step_type = type == Type::kLong ? Type::kLong : Type::kTimespan;
    ExprPtr value = clone(*axis_);
    if (series_.from.has_value() && may_be_far_from(*series_.from)) {
      std::vector<ExprPtr> args;
      args.push_back(std::move(value));
      args.push_back(point(series_.step, step_type));
      args.push_back(point(*series_.from, type));
      EVQ_TRY_ASSIGN(value, binder_.call("bin_at", std::move(args), op_.axis.span));
      return NamedColumn{std::string(kAxisColumn), std::move(value)};
    }
    if (series_.from.has_value()) {
      EVQ_TRY_ASSIGN(value, pair("op_subtract", std::move(value), point(*series_.from, type)));
    }
    EVQ_TRY_ASSIGN(value, pair("bin", std::move(value), point(series_.step, step_type)));
    if (series_.from.has_value()) {
      EVQ_TRY_ASSIGN(value, pair("op_add", point(*series_.from, type), std::move(value)));
    }
    return NamedColumn{std::string(kAxisColumn), std::move(value)};
  }

  // What rate() divides by: a step that is no time is none of that.
  std::optional<std::int64_t> bin_ns() const {
    return is_numeric(series_.axis_type) ? std::nullopt : std::optional(series_.step);
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
    std::erase(grouped.group_names, kAxisColumn);
    grouped.node = stack(std::move(grouped.node), std::move(series_), Schema(std::move(fields)));
    return grouped;
  }

 private:
  std::string axis_name(const std::vector<Field>& fields) const {
    UniqueNames names;
    for (const Field& field : fields) {
      names.note(field.name);
    }
    return names.take(axis_name_.empty() ? "axis" : axis_name_);
  }

  Result<std::optional<std::int64_t>> bound(const ast::ExprPtr& expr, std::string_view what) {
    if (expr == nullptr) {
      return std::optional<std::int64_t>();
    }
    EVQ_TRY_ASSIGN(Value value, binder_.bind_constant(*expr, what));
    if (!value.is_null() && value.type() == Type::kString && axis_->type == Type::kDatetime) {
      // As where a text is compared with a time.
      const std::optional<std::int64_t> instant = parse_instant(value.as_text());
      value = instant.has_value() ? Value::datetime(*instant) : std::move(value);
    }
    if (value.is_null() || value.type() != axis_->type) {
      return diag::invalid_constant(expr->span, what,
                                    "be a " + std::string(type_name(axis_->type)));
    }
    return std::optional<std::int64_t>(value.as_integer());
  }

  // A real axis is counted in steps from its start, or from 0: sums of steps would drift.
  Status bind_real_axis() {
    EVQ_TRY_ASSIGN(const std::optional<double> from, real(op_.from, "the start of the axis"));
    EVQ_TRY_ASSIGN(const std::optional<double> to, real(op_.to, "the end of the axis"));
    EVQ_TRY_ASSIGN(const std::optional<double> step, real(op_.step, "the step of the axis"));
    if (!(*step > 0)) {
      return diag::invalid_constant(op_.step->span, "the step of the axis", "be above 0");
    }
    series_.real_origin = from.value_or(0);
    series_.real_step = *step;
    if (from.has_value()) {
      series_.from = 0;
      EVQ_TRY(keep("op_greater_equal", make_constant(Value::real(*from))));
    }
    if (!to.has_value()) {
      return Status::success();
    }
    const double length = (*to - series_.real_origin) / *step;
    if (!(std::abs(length) < static_cast<double>(kListItemsMax))) {
      return too_many_steps();
    }
    series_.to = op_.in_range ? static_cast<std::int64_t>(std::floor(length)) + 1
                              : static_cast<std::int64_t>(std::ceil(length));
    return keep(op_.in_range ? "op_less_equal" : "op_less", make_constant(Value::real(*to)));
  }

  Result<std::optional<double>> real(const ast::ExprPtr& expr, std::string_view what) {
    if (expr == nullptr) {
      return std::optional<double>();
    }
    EVQ_TRY_ASSIGN(const Value value, binder_.bind_constant(*expr, what));
    if (value.is_null() || !is_numeric(value.type())) {
      return diag::invalid_constant(expr->span, what, "be a number");
    }
    const double number =
        value.type() == Type::kLong ? static_cast<double>(value.as_integer()) : value.as_real();
    if (!std::isfinite(number)) {
      return diag::invalid_constant(expr->span, what, "be finite");
    }
    return std::optional<double>(number);
  }

  // The step a value falls in; rounding must not put one beyond the last.
  Result<ExprPtr> real_bin() {
    EVQ_TRY_ASSIGN(ExprPtr value, pair("op_subtract", clone(*axis_),
                                       make_constant(Value::real(series_.real_origin))));
    EVQ_TRY_ASSIGN(
        value, pair("op_divide", std::move(value), make_constant(Value::real(series_.real_step))));
    std::vector<ExprPtr> args;
    args.push_back(std::move(value));
    EVQ_TRY_ASSIGN(value, binder_.call("floor", std::move(args), op_.axis.span));
    return series_.to.has_value()
               ? pair("min_of", std::move(value), make_constant(Value::integer(*series_.to - 1)))
               : Result<ExprPtr>(std::move(value));
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
    if (!series_.from.has_value() || !series_.to.has_value() || *series_.to <= *series_.from) {
      return Status::success();
    }
    // Unsigned, since the two may lie further apart than the largest long.
    const std::uint64_t length =
        static_cast<std::uint64_t>(*series_.to) - static_cast<std::uint64_t>(*series_.from);
    return length / static_cast<std::uint64_t>(series_.step) >= kListItemsMax
               ? Status(too_many_steps())
               : Status::success();
  }

  // Whether a value within the range, less the start, may be larger than the largest long.
  bool may_be_far_from(std::int64_t start) const {
    std::int64_t length = 0;
    return __builtin_sub_overflow(series_.to.value_or(INT64_MAX), start, &length);
  }

  Error too_many_steps() const {
    Error error = diag::limit_exceeded(op_.step->span, "steps in a series", kListItemsMax);
    error.hint = "take a longer step, or a shorter time from … to";
    return error;
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

  Status keep(std::string_view function, ExprPtr limit) {
    EVQ_TRY_ASSIGN(ExprPtr predicate, pair(function, clone(*axis_), std::move(limit)));
    input_ = filter(std::move(input_), std::move(predicate));
    return Status::success();
  }

  // 0 for numbers and timespans, null for the rest.
  Result<Value> default_of(const ast::SeriesItem& item, Type type) {
    if (item.default_value != nullptr) {
      EVQ_TRY_ASSIGN(Value value,
                     binder_.bind_constant(*item.default_value, "the default of a series"));
      if (is_numeric(type) && !value.is_null() && !is_numeric(value.type())) {
        return diag::invalid_constant(item.default_value->span, "the default of a series",
                                      "be a number, or null, as the series is");
      }
      return value;
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
  EVQ_TRY_ASSIGN(ExprPtr axis, bind_expr(*op.axis.value, &input));
  if (!is_deterministic(*axis)) {  // the range and the bin are of one value
    EVQ_TRY_ASSIGN(axis, computed_once(std::move(axis), &input));
  }
  SeriesBinder series(*this, op, span, std::move(axis), std::move(input));
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
  parts.bin_ns = series.bin_ns();
  EVQ_TRY_ASSIGN(Relation grouped, summarize(std::move(parts), series.take_input()));
  return series.spread(std::move(grouped));
}

}  // namespace evq::plan
