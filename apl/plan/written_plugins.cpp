// What the texts name besides the call's columns, such as b and w, is their own: they read nothing
// else, and are bound where no name of the query is known.

#include "apl/plan/written_plugins.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "apl/plan/stacking.h"
#include "apl/syntax/parser.h"
#include "store/base/check.h"
#include "store/column/unique_names.h"

namespace evq::plan {
namespace {

// What an argument is, by its place; dimensions may follow.
enum class Role : std::uint8_t {
  kValue,     // a column
  kTimeline,  // a column of times or numbers
  kPoint,     // a constant on the timeline
  kStep,      // a constant length on the timeline, above 0
  kNumber,    // a constant
  kCount      // a constant whole number, above 0
};

// A plugin. In its text and in the names of what that makes stand {x} and {t} for the value and the
// timeline, {dims} for the dimensions, {dims asc} for them as sort keys, {dims new} for whether one
// is another than in the row before, {3} for the constant at that place, {type} for the timeline's
// type and {name} for the value's name. {snap} is the text `snap`, and {whole} a hair, where the
// timeline is of reals, whose sums of steps lie beside the bins; else nothing.
struct WrittenPlugin {
  std::string_view name;
  std::string_view usage;
  std::span<const Role> roles;
  std::string_view text;
  // What the columns are called that the text makes after the timeline's and the dimensions'.
  std::span<const std::string_view> results;
  std::string_view snap;
};

constexpr std::array<Role, 5> kActivityRoles = {Role::kValue, Role::kTimeline, Role::kPoint,
                                                Role::kPoint, Role::kStep};
constexpr std::array<std::string_view, 4> kActivityResults = {"count", "dcount", "new_dcount",
                                                              "aggregated_dcount"};
constexpr std::array<Role, 5> kRollingRoles = {Role::kValue, Role::kNumber, Role::kTimeline,
                                               Role::kStep, Role::kCount};
constexpr std::array<std::string_view, 1> kRollingResults = {"rolling_{4}_percentile{name}_{1}"};
constexpr std::array<Role, 6> kSlidingRoles = {Role::kValue, Role::kTimeline, Role::kPoint,
                                               Role::kPoint, Role::kStep,     Role::kStep};
constexpr std::array<std::string_view, 2> kSlidingResults = {"Count", "dcount"};

constexpr std::array<WrittenPlugin, 3> kWrittenPlugins = {{
    // An id's rows come in order of time, so that the first of them is where it is new; of two
    // nulls != says nothing.
    {"activity_counts_metrics", "activity_counts_metrics(id, time, start, end, step, dimension, …)",
     kActivityRoles,
     "| where {t} between ({2} .. {3}) | extend w = bin_at({t}, {4}, {2})"
     "| summarize n = count() by w, {x}{dims}"
     "| sort by {dims asc}{x} asc, w asc"
     "| extend first = isnotnull({x}) and row_number(1, isnull(prev({x})) or {x} != prev({x}){dims "
     "new}) == 1"
     "| summarize rows = sum(n), ids = countif(isnotnull({x})), fresh = countif(first) by w{dims}"
     "| sort by {dims asc}w asc | extend so_far = row_cumsum(fresh, false{dims new})",
     kActivityResults, ""},
    // A row counts in its own bin and in those after it as far as a window reaches.
    {"rolling_percentile", "rolling_percentile(value, percentile, time, bin, bins, dimension, …)",
     kRollingRoles,
     "| extend b = bin({t}, {3})"
     "| mv-expand w = range(b, b + ({4} - 1) * {3}, {3}) to typeof({type}){snap}"
     "| summarize p = percentile({x}, {1}), own = countif(w == b) by w{dims}"
     "| where own > 0 | project-away own | sort by {dims asc}w asc",
     kRollingResults, "| extend w = bin(w + {3} * 0.5, {3})"},
    {"sliding_window_counts",
     "sliding_window_counts(id, time, start, end, lookback, bin, dimension, …)", kSlidingRoles,
     "| extend reach = (max_of(tolong({4} / {5}{whole}), 1) - 1) * {5}"
     "| where {t} between ({2} - reach .. {3}) | extend b = bin_at({t}, {5}, {2})"
     "| mv-expand w = range(b, b + reach, {5}) to typeof({type}){snap}"
     "| where w between ({2} .. {3})"
     "| summarize rows = count(), ids = dcount({x}) by w{dims} | sort by {dims asc}w asc",
     kSlidingResults, "| extend w = bin_at(w + {5} * 0.5, {5}, {2})"},
}};

const WrittenPlugin& plugin_of(std::string_view name) {
  const auto* at = std::ranges::find(kWrittenPlugins, name, &WrittenPlugin::name);
  EVQ_CHECK(at != kWrittenPlugins.end());
  return *at;
}

// A constant as the language writes it.
std::string literal(const Value& value) {
  if (value.type() == Type::kTimespan) {
    return "totimespan(" + std::to_string(value.as_integer()) + ")";
  }
  return value.type() == Type::kDatetime ? "datetime(" + value.to_text() + ")" : value.to_text();
}

// Checks the arguments of a call and puts them into the text, where its columns are ['~0'], ['~1'],
// …: the value, the timeline and the dimensions.
class PluginCall {
 public:
  PluginCall(Binder& binder, const WrittenPlugin& plugin, const ast::Call& call,
             const Relation& input)
      : binder_(binder), plugin_(plugin), call_(call), input_(input) {}

  Status bind() {
    constants_.resize(call_.arguments.size());
    for (std::size_t i = 0; i < call_.arguments.size(); ++i) {
      const Role role = i < plugin_.roles.size() ? plugin_.roles[i] : Role::kValue;
      if (role == Role::kValue || role == Role::kTimeline) {
        EVQ_TRY(column(i, role));
      } else {
        EVQ_TRY(constant(i, role));
      }
    }
    return Status::success();
  }
  std::vector<NamedColumn> take_columns() { return std::move(columns_); }
  std::string filled(std::string_view text) const {
    std::string to;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t begin = std::min(text.find('{', at), text.size());
      to.append(text.substr(at, begin - at));
      const std::size_t end = std::min(text.find('}', begin), text.size());
      if (begin < end) {
        to += meaning(text.substr(begin + 1, end - begin - 1));
      }
      at = end + 1;
    }
    return to;
  }
  // Of all columns that the text makes.
  std::vector<std::string> result_names() const {
    std::vector<std::string> names(names_.begin() + 1, names_.end());
    for (const std::string_view result : plugin_.results) {
      names.push_back(filled(result));
    }
    return names;
  }

 private:
  Status column(std::size_t i, Role role) {
    const ast::Expr& argument = *call_.arguments[i].value;
    EVQ_TRY_ASSIGN(ExprPtr value, binder_.bind_expr(argument, &input_));
    if (role == Role::kTimeline) {
      timeline_ = value->type;
      if (!is_time(value->type) && !is_numeric(value->type)) {
        return diag::wrong_argument_type(argument.span, plugin_.name, i + 1,
                                         "datetime, timespan or a number", type_name(value->type));
      }
    }
    names_.push_back(binder_.derived_name(argument, &input_));
    columns_.push_back({"~" + std::to_string(columns_.size()), std::move(value)});
    return Status::success();
  }

  Status constant(std::size_t i, Role role) {
    const ast::Expr& argument = *call_.arguments[i].value;
    const std::string what =
        "argument " + std::to_string(i + 1) + " of " + std::string(plugin_.name);
    EVQ_TRY_ASSIGN(const Value value, binder_.bind_constant(argument, what));
    const std::string must = what_it_must_be(role, value);
    if (!must.empty()) {
      return diag::invalid_constant(argument.span, what, "be a " + must);
    }
    if (role != Role::kNumber && timeline_ == Type::kLong && value.type() == Type::kReal &&
        value.as_real() != std::floor(value.as_real())) {
      timeline_ = Type::kReal;  // the bins are no whole numbers
    }
    constants_[i] = literal(value);
    return Status::success();
  }

  static std::string column_name(std::size_t i) { return "['~" + std::to_string(i) + "']"; }
  // For each dimension `before`, its column and `after`.
  std::string for_dimensions(std::string_view before, std::string_view after) const {
    std::string text;
    for (std::size_t i = 2; i < names_.size(); ++i) {
      text.append(before).append(column_name(i)).append(after);
    }
    return text;
  }
  std::string dimensions_new() const {
    std::string text;
    for (std::size_t i = 2; i < names_.size(); ++i) {
      const std::string now = column_name(i);
      text.append(" or isnull(").append(now).append(") != isnull(prev(").append(now);
      text.append(")) or ").append(now).append(" != prev(").append(now).append(")");
    }
    return text;
  }
  // Of what stands between braces.
  std::string meaning(std::string_view word) const {
    if (word == "x" || word == "t") {
      return column_name(word == "x" ? 0 : 1);
    }
    if (word == "dims") {
      return for_dimensions(", ", "");
    }
    if (word == "dims asc") {
      return for_dimensions("", " asc, ");
    }
    if (word == "dims new") {
      return dimensions_new();
    }
    if (word == "snap" || word == "whole") {
      return timeline_ != Type::kReal ? "" : word == "snap" ? filled(plugin_.snap) : " + 1e-9";
    }
    if (word == "type") {
      return std::string(type_name(timeline_));
    }
    if (word == "name") {
      return names_[0].empty() ? "" : "_" + names_[0];
    }
    return constants_[static_cast<std::size_t>(word[0] - '0')];
  }

  // Empty when it is that.
  std::string what_it_must_be(Role role, const Value& value) const {
    if (role == Role::kCount) {
      const bool fits = !value.is_null() && value.type() == Type::kLong && value.as_integer() > 0;
      return fits ? "" : "whole number above 0";
    }
    const bool time = is_time(timeline_) && role != Role::kNumber;
    const Type wanted = role == Role::kStep ? Type::kTimespan : timeline_;
    const bool typed =
        !value.is_null() && (time ? value.type() == wanted : is_numeric(value.type()));
    if (typed && is_finite(value) && (role != Role::kStep || is_positive(value))) {
      return {};
    }
    return (role == Role::kStep ? "positive " : "") +
           std::string(time ? type_name(wanted) : "number");
  }

  static bool is_time(Type type) { return type == Type::kDatetime || type == Type::kTimespan; }
  static bool is_finite(const Value& value) {
    return value.type() != Type::kReal || std::isfinite(value.as_real());
  }
  static bool is_positive(const Value& value) {
    return value.type() == Type::kReal ? value.as_real() > 0 : value.as_integer() > 0;
  }

  Binder& binder_;
  const WrittenPlugin& plugin_;
  const ast::Call& call_;
  const Relation& input_;
  std::vector<NamedColumn> columns_;
  std::vector<std::string> names_;      // of the columns in the input, perhaps empty
  std::vector<std::string> constants_;  // by place among all arguments
  Type timeline_ = Type::kDatetime;
};

}  // namespace

Result<WrittenCall> write_plugin(Binder& binder, const ast::Evaluate& op, Relation input) {
  const auto& call = std::get<ast::Call>(op.call->node);
  const WrittenPlugin& plugin = plugin_of(call.function.text);
  if (call.arguments.size() < plugin.roles.size()) {
    return diag::wrong_argument_count(op.call->span, plugin.name,
                                      "at least " + std::to_string(plugin.roles.size()),
                                      call.arguments.size(), plugin.usage);
  }
  PluginCall bound(binder, plugin, call, input);
  EVQ_TRY(bound.bind());
  WrittenCall written;
  EVQ_TRY_ASSIGN(written.text,
                 syntax::parse("print 0 " + bound.filled(plugin.text), binder.context().now_ns));
  written.names = bound.result_names();
  written.input = choose(std::move(input), bound.take_columns());
  return written;
}

Result<Relation> bind_written(Binder& binder, WrittenCall call, Span span) {
  auto made = binder.bind_operators(call.text.pipelines[0]->operators, std::move(call.input));
  if (!made.ok()) {
    Error error = std::move(made).take_error();
    error.span = span;
    return error;
  }
  std::vector<NamedColumn> columns = pass_through(*made);
  UniqueNames taken;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = call.names[i];
    columns[i].name = taken.take(name.empty() ? "Column" + std::to_string(i + 1) : name);
  }
  return choose(std::move(made).value(), std::move(columns));
}

}  // namespace evq::plan
