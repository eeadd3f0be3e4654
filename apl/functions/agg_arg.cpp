// arg_max, arg_min and take_any: whole rows chosen from each group.

#include <algorithm>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/registry.h"
#include "apl/functions/value_hash.h"
#include "store/column/ordering.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// One chosen row a group, cell by cell.
class ChosenRows {
 public:
  explicit ChosenRows(std::vector<Type> types) : types_(std::move(types)) {}

  std::size_t width() const { return types_.size(); }
  void resize(std::size_t groups) {
    if (groups > chosen_.size()) {
      chosen_.resize(groups, 0);
      cells_.resize(groups * types_.size());
    }
  }
  bool has(std::size_t group) const { return chosen_[group] != 0; }
  const Value& cell(std::size_t group, std::size_t column) const {
    return cells_[group * types_.size() + column];
  }
  void set(std::size_t group, std::size_t column, Value value) {
    Value& cell = cells_[group * types_.size() + column];
    text_bytes_ += value.as_text().size();
    text_bytes_ -= cell.as_text().size();
    cell = std::move(value);
    chosen_[group] = 1;
  }

  std::vector<Vector> columns(std::size_t begin, std::size_t count) const {
    std::vector<Vector> columns;
    for (std::size_t column = 0; column < types_.size(); ++column) {
      VectorBuilder builder(types_[column]);
      builder.reserve(count);
      for (std::size_t group = begin; group < begin + count; ++group) {
        const Value& value = cell(group, column);
        if (value.is_null()) {
          builder.append_null();
        } else {
          builder.append(value);
        }
      }
      columns.push_back(builder.finish());
    }
    return columns;
  }

  std::size_t size_bytes() const {
    return cells_.capacity() * sizeof(Value) + chosen_.capacity() + text_bytes_;
  }

 private:
  std::vector<Type> types_;
  std::vector<std::uint8_t> chosen_;
  std::vector<Value> cells_;
  std::size_t text_bytes_ = 0;
};

template <class T>
int compare_kept(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, DynamicView>) {
    return compare_dynamic(a, b);
  } else if constexpr (std::is_same_v<T, std::string_view>) {
    return a.compare(b);
  } else {
    return a < b ? -1 : b < a ? 1 : 0;
  }
}

template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return value != value;
  } else {
    return false;
  }
}

// The row with the largest (sign 1) or smallest (sign -1) first argument. Rows where it is null or
// NaN count only when there are no others. Among equals the row whose further cells are largest
// wins, the first cell first: the answer then does not depend on who saw which row.
class ArgState final : public AggregateState {
 public:
  ArgState(std::vector<Type> types, int sign) : rows_(std::move(types)), sign_(sign) {}

  void resize(std::size_t groups) override {
    rows_.resize(groups);
    best_.resize(std::max(best_.size(), groups), 0);
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    with_value_type(args[0].type(), [&](auto tag) { choose<decltype(tag)>(args, groups, rows); });
    for (const std::uint32_t group : touched_) {
      offer(group, args, best_[group] - 1);
      best_[group] = 0;
    }
    touched_.clear();
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const ArgState&>(other);
    for (const GroupPair pair : pairs) {
      if (from.rows_.has(pair.from) &&
          wins(pair.to, [&](std::size_t column) { return from.rows_.cell(pair.from, column); })) {
        for (std::size_t column = 0; column < rows_.width(); ++column) {
          rows_.set(pair.to, column, from.rows_.cell(pair.from, column));
        }
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return rows_.columns(begin, count);
  }

  std::size_t size_bytes() const override {
    return rows_.size_bytes() + (best_.capacity() + touched_.capacity()) * sizeof(std::uint32_t);
  }

 private:
  // Sets best_ to one more than the best row of this chunk for each group in touched_.
  template <class T>
  void choose(std::span<const Vector> args, const std::uint32_t* groups, std::size_t rows) {
    const Vector& key = args[0];
    const Values& values = key.values();
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t group = groups == nullptr ? 0 : groups[row];
      std::uint32_t& best = best_[group];
      if (best == 0) {
        touched_.push_back(group);
        best = static_cast<std::uint32_t>(row + 1);
        continue;
      }
      const int order = compare_keys<T>(values, key.slot(row), key.slot(best - 1));
      if (order > 0 || (order == 0 && cells_order(args, row, best - 1) > 0)) {
        best = static_cast<std::uint32_t>(row + 1);
      }
    }
  }

  // Positive when the key at `a` is preferred to the one at `b`.
  template <class T>
  int compare_keys(const Values& values, std::size_t a, std::size_t b) const {
    if (a == b) {
      return 0;
    }
    const bool a_missing = values.is_null(a) || is_nan(slot_value<T>(values, a));
    const bool b_missing = values.is_null(b) || is_nan(slot_value<T>(values, b));
    if (a_missing || b_missing) {
      return (a_missing ? 0 : 1) - (b_missing ? 0 : 1);
    }
    return sign_ * compare_kept(slot_value<T>(values, a), slot_value<T>(values, b));
  }

  static int cells_order(std::span<const Vector> args, std::size_t a, std::size_t b) {
    for (std::size_t column = 1; column < args.size(); ++column) {
      if (const int order = compare_rows(args[column], a, args[column], b); order != 0) {
        return order;
      }
    }
    return 0;
  }

  static bool missing(const Value& key) {
    return key.is_null() || (key.type() == Type::kReal && is_nan(key.as_real()));
  }

  // Whether a row, given by cell(column), is preferred to what the group has.
  template <class Cell>
  bool wins(std::size_t group, const Cell& cell) const {
    if (!rows_.has(group)) {
      return true;
    }
    const Value key = cell(0);
    const Value& held = rows_.cell(group, 0);
    int order = (missing(key) ? 0 : 1) - (missing(held) ? 0 : 1);
    if (order == 0 && !missing(key)) {
      order = sign_ * compare_values(key, held);
    }
    for (std::size_t column = 1; order == 0 && column < rows_.width(); ++column) {
      order = compare_cells(cell(column), rows_.cell(group, column));
    }
    return order > 0;
  }

  static int compare_cells(const Value& a, const Value& b) {
    return a.is_null() || b.is_null() ? (a.is_null() ? 0 : 1) - (b.is_null() ? 0 : 1)
                                      : compare_values(a, b);
  }

  void offer(std::size_t group, std::span<const Vector> args, std::size_t row) {
    if (wins(group, [&](std::size_t column) { return args[column].value(row); })) {
      for (std::size_t column = 0; column < args.size(); ++column) {
        rows_.set(group, column, args[column].value(row));
      }
    }
  }

  ChosenRows rows_;
  int sign_;
  std::vector<std::uint32_t> best_;  // by group, during add() only
  std::vector<std::uint32_t> touched_;
};

// The first row of each group, or with one column the first value that is not null.
class AnyState final : public AggregateState {
 public:
  explicit AnyState(std::vector<Type> types) : rows_(std::move(types)) {}

  void resize(std::size_t groups) override {
    rows_.resize(groups);
    group_count_ = std::max(group_count_, groups);
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    for (std::size_t row = 0; row < rows && chosen_ < group_count_; ++row) {
      const std::size_t group = groups == nullptr ? 0 : groups[row];
      if (rows_.has(group) || (args.size() == 1 && args[0].is_null(row))) {
        continue;
      }
      for (std::size_t column = 0; column < args.size(); ++column) {
        rows_.set(group, column, args[column].value(row));
      }
      ++chosen_;
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const AnyState&>(other);
    for (const GroupPair pair : pairs) {
      if (!rows_.has(pair.to) && from.rows_.has(pair.from)) {
        for (std::size_t column = 0; column < rows_.width(); ++column) {
          rows_.set(pair.to, column, from.rows_.cell(pair.from, column));
        }
        ++chosen_;
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return rows_.columns(begin, count);
  }

  std::size_t size_bytes() const override { return rows_.size_bytes(); }

 private:
  ChosenRows rows_;
  std::size_t group_count_ = 0;
  std::size_t chosen_ = 0;  // groups that have a row
};

// ---- binding

BoundAggregateCall call_for_columns(const AggregateBindRequest& request) {
  BoundAggregateCall call;
  call.arguments = types_of(request.arguments);
  call.results = call.arguments;
  call.result_suffixes.resize(call.results.size());
  return call;
}

template <int kSign>
AggregateBindResult bind_arg(const AggregateBindRequest& request) {
  BoundAggregateCall call = call_for_columns(request);
  call.aggregate = make_aggregate<ArgState>(call.results, kSign);
  return call;
}

AggregateBindResult bind_any(const AggregateBindRequest& request) {
  BoundAggregateCall call = call_for_columns(request);
  call.aggregate = make_aggregate<AnyState>(call.results);
  return call;
}

constexpr ParameterDoc kFields{"[fields...]", "What else to return of that row; * for all fields."};
constexpr std::string_view kArgReturns =
    "A column for the value and one for each field. Rows with a null value count only when there "
    "are no others; among equal values the row whose further fields are largest is taken.";

constexpr AggregateFunction kArgRows[] = {
    {.name = "arg_max",
     .aliases = {"argmax"},
     .summary = "Finds the row with the largest value and returns fields of it.",
     .params = {{{"value", "What to maximise."}, kFields}},
     .returns = kArgReturns,
     .examples = {{{"datatable (x:long, s:string) [1, \"a\", 3, \"b\", 2, \"c\"] | summarize "
                    "arg_max(x, s)",
                    "3  b"}}},
     .bind = bind_arg<1>,
     .arguments_min = 1,
     .api_name = "argmax",
     .gives_fields = true},
    {.name = "arg_min",
     .aliases = {"argmin"},
     .summary = "Finds the row with the smallest value and returns fields of it.",
     .params = {{{"value", "What to minimise."}, kFields}},
     .returns = kArgReturns,
     .examples = {{{"datatable (x:long, s:string) [2, \"a\", 1, \"b\", 3, \"c\"] | summarize "
                    "arg_min(x, s)",
                    "1  b"}}},
     .bind = bind_arg<-1>,
     .arguments_min = 1,
     .api_name = "argmin",
     .gives_fields = true},
    {.name = "take_any",
     .aliases = {"any"},
     .summary = "Returns fields of one row of each group: the first one.",
     .params = {{{"fields...", "The fields to return; * for all."}}},
     .returns = "A column a field, of its type. A single field gives its first value that is not "
                "null.",
     .examples = {{{"datatable (x:long) [7, 7] | summarize v = take_any(x)", "7"}}},
     .bind = bind_any,
     .arguments_min = 1,
     .order_sensitive = true,
     .gives_fields = true},
    {.name = "take_anyif",
     .aliases = {"anyif"},
     .summary = "Returns a field of one row of each group for which the predicate is true.",
     .params = {{{"field", "The field to return."}, {"predicate", "A bool; null is not true."}}},
     .returns = "As take_any().",
     .examples = {{{"datatable (x:long) [7, 8] | summarize v = take_anyif(x, x > 7)", "8"}}},
     .bind = bind_any,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .order_sensitive = true},
};

}  // namespace

std::span<const AggregateFunction> arg_aggregates() {
  return kArgRows;
}

}  // namespace evq
