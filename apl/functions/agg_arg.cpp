// arg_max, arg_min and take_any: whole rows chosen from each group.

#include <algorithm>
#include <bit>
#include <string>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/registry.h"
#include "apl/functions/value_hash.h"
#include "store/base/large_pages.h"
#include "store/column/ordering.h"
#include "store/column/physical.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

// A value as it lies in memory: its bits, or its bytes.
struct ChosenCell {
  bool null = true;
  std::uint64_t word = 0;
  std::string_view text;
};

ChosenCell chosen_cell(const Vector& from, std::size_t row) {
  if (from.is_null(row)) {
    return {};
  }
  switch (physical_of(from.type())) {
    case Physical::kByte:
      return {false, from.at<std::uint8_t>(row), {}};
    case Physical::kDouble:
      return {false, std::bit_cast<std::uint64_t>(from.at<double>(row)), {}};
    case Physical::kView:
      return {false, 0, from.at<std::string_view>(row)};
    case Physical::kInt64:
    case Physical::kNone:
      break;
  }
  return {false, static_cast<std::uint64_t>(from.at<std::int64_t>(row)), {}};
}

// Orders cells of one type as compare_values() does their values, without making these.
int compare_chosen(Type type, const ChosenCell& a, const ChosenCell& b) {
  if (a.null || b.null) {
    return (a.null ? 0 : 1) - (b.null ? 0 : 1);
  }
  if (type == Type::kDynamic) {
    return compare_dynamic(DynamicView(a.text), DynamicView(b.text));
  }
  if (type == Type::kString) {
    return a.text.compare(b.text);
  }
  if (type == Type::kReal) {
    return compare_reals(std::bit_cast<double>(a.word), std::bit_cast<double>(b.word));
  }
  const auto left = static_cast<std::int64_t>(a.word);
  const auto right = static_cast<std::int64_t>(b.word);
  return left < right ? -1 : right < left ? 1 : 0;
}

// One column of the chosen rows, by group. It takes no room while all its cells are null, as those
// of most fields are that few events have.
class ChosenColumn {
 public:
  explicit ChosenColumn(Type type) : type_(type), is_text_(physical_of(type) == Physical::kView) {}

  Type type() const { return type_; }
  bool is_null(std::size_t group) const { return group >= present_.size() || present_[group] == 0; }
  bool is_empty_text(std::size_t group) const {
    return is_text_ && !is_null(group) && sizes_[group] == 0;
  }
  ChosenCell cell(std::size_t group) const {
    if (is_null(group)) {
      return {};
    }
    return is_text_ ? ChosenCell{false, 0, text_at(group)} : ChosenCell{false, words_[group], {}};
  }
  void append_to(VectorBuilder* to, std::size_t group) const {
    if (is_null(group)) {
      to->append_null();
    } else if (is_text_) {
      to->append_text(text_at(group));
    } else if (type_ == Type::kBool) {
      to->append_bool(words_[group] != 0);
    } else if (type_ == Type::kReal) {
      to->append_real(std::bit_cast<double>(words_[group]));
    } else {
      to->append_integer(static_cast<std::int64_t>(words_[group]));
    }
  }

  // The cell, of a vector or another column, becomes that of `group`; `groups` is the number of
  // all.
  void set(std::size_t group, std::size_t groups, const ChosenCell& cell) {
    if (cell.null) {
      clear(group);
    } else if (is_text_) {
      set_text(group, groups, cell.text);
    } else {
      set_word(group, groups, cell.word);
    }
  }

  std::size_t size_bytes() const {
    return present_.capacity() + words_.capacity() * sizeof(std::uint64_t) +
           sizes_.capacity() * sizeof(std::uint32_t) + text_.capacity();
  }

 private:
  std::string_view text_at(std::size_t group) const {
    return std::string_view(text_).substr(words_[group], sizes_[group]);
  }

  void clear(std::size_t group) {
    if (!is_null(group)) {
      present_[group] = 0;
      if (is_text_) {
        drop_text(group);
      }
    }
  }
  void set_word(std::size_t group, std::size_t groups, std::uint64_t word) {
    if (group >= present_.size()) {
      present_.resize(groups);
      words_.resize(groups);
    }
    present_[group] = 1;
    words_[group] = word;
  }
  void set_text(std::size_t group, std::size_t groups, std::string_view text) {
    if (group >= sizes_.size()) {
      sizes_.resize(groups);
    }
    if (!is_null(group)) {
      drop_text(group);
    }
    set_word(group, groups, text_.size());
    sizes_[group] = static_cast<std::uint32_t>(text.size());
    text_.append(text);
    if (unused_ > kUnusedBytesMin && unused_ > text_.size() / 2) {
      close_up();
    }
  }
  void drop_text(std::size_t group) {
    unused_ += sizes_[group];
    sizes_[group] = 0;
  }
  // Leaves the texts that are still some group's.
  void close_up() {
    std::string kept;
    kept.reserve(text_.size() - unused_);
    for (std::size_t group = 0; group < sizes_.size(); ++group) {
      if (sizes_[group] != 0) {
        const std::string_view text = text_at(group);
        words_[group] = kept.size();
        kept.append(text);
      } else {
        words_[group] = 0;
      }
    }
    text_ = std::move(kept);
    unused_ = 0;
  }

  static constexpr std::size_t kUnusedBytesMin = std::size_t{64} << 10U;

  Type type_;
  bool is_text_;
  LargeVector<std::uint8_t> present_;  // whether the group's cell is not null; the rest are
  LargeVector<std::uint64_t> words_;   // the value, or where its text begins
  LargeVector<std::uint32_t> sizes_;   // of texts
  std::string text_;
  std::size_t unused_ = 0;  // bytes of it
};

// One chosen row a group, column by column.
class ChosenRows {
 public:
  explicit ChosenRows(const std::vector<Type>& types) {
    for (const Type type : types) {
      columns_.emplace_back(type);
    }
  }

  std::size_t width() const { return columns_.size(); }
  void resize(std::size_t groups) {
    if (groups > chosen_.size()) {
      chosen_.resize(groups, 0);
    }
  }
  bool has(std::size_t group) const { return chosen_[group] != 0; }
  ChosenCell cell(std::size_t group, std::size_t column) const {
    return columns_[column].cell(group);
  }
  Type type(std::size_t column) const { return columns_[column].type(); }
  bool is_empty_text(std::size_t group, std::size_t column) const {
    return columns_[column].is_empty_text(group);
  }
  void set(std::size_t group, std::span<const Vector> args, std::size_t row) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      columns_[column].set(group, chosen_.size(), chosen_cell(args[column], row));
    }
    chosen_[group] = 1;
  }
  void set(std::size_t group, const ChosenRows& from, std::size_t other) {
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      columns_[column].set(group, chosen_.size(), from.cell(other, column));
    }
    chosen_[group] = 1;
  }

  std::vector<Vector> columns(std::size_t begin, std::size_t count) const {
    std::vector<Vector> columns;
    for (const ChosenColumn& column : columns_) {
      VectorBuilder builder(column.type());
      builder.reserve(count);
      for (std::size_t group = begin; group < begin + count; ++group) {
        column.append_to(&builder, group);
      }
      columns.push_back(builder.finish());
    }
    return columns;
  }

  std::size_t size_bytes() const {
    std::size_t bytes = chosen_.capacity();
    for (const ChosenColumn& column : columns_) {
      bytes += column.size_bytes();
    }
    return bytes;
  }

 private:
  std::vector<ChosenColumn> columns_;
  LargeVector<std::uint8_t> chosen_;
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
  ArgState(const std::vector<Type>& types, int sign) : rows_(types), sign_(sign) {}

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
        rows_.set(pair.to, from.rows_, pair.from);
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

  bool missing(const ChosenCell& key) const {
    return key.null || (rows_.type(0) == Type::kReal && is_nan(std::bit_cast<double>(key.word)));
  }

  // Whether a row, given by cell(column), is preferred to what the group has.
  template <class CellAt>
  bool wins(std::size_t group, const CellAt& cell) const {
    if (!rows_.has(group)) {
      return true;
    }
    const ChosenCell key = cell(0);
    const ChosenCell held = rows_.cell(group, 0);
    int order = (missing(key) ? 0 : 1) - (missing(held) ? 0 : 1);
    if (order == 0 && !missing(key)) {
      order = sign_ * compare_chosen(rows_.type(0), key, held);
    }
    for (std::size_t column = 1; order == 0 && column < rows_.width(); ++column) {
      order = compare_chosen(rows_.type(column), cell(column), rows_.cell(group, column));
    }
    return order > 0;
  }

  void offer(std::size_t group, std::span<const Vector> args, std::size_t row) {
    if (wins(group, [&](std::size_t column) { return chosen_cell(args[column], row); })) {
      rows_.set(group, args, row);
    }
  }

  ChosenRows rows_;
  int sign_;
  std::vector<std::uint32_t> best_;  // by group, during add() only
  std::vector<std::uint32_t> touched_;
};

// The first row of each group, or with one column the first value that is not null: the first text
// that is not empty, when there is one.
class AnyState final : public AggregateState {
 public:
  explicit AnyState(const std::vector<Type>& types)
      : rows_(types), one_(types.size() == 1), text_(one_ && types[0] == Type::kString) {}

  void resize(std::size_t groups) override {
    rows_.resize(groups);
    group_count_ = std::max(group_count_, groups);
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    for (std::size_t row = 0; row < rows && settled_ < group_count_; ++row) {
      const std::size_t group = groups == nullptr ? 0 : groups[row];
      if (is_settled(group) || (one_ && args[0].is_null(row))) {
        continue;
      }
      const bool empty = text_ && args[0].at<std::string_view>(row).empty();
      if (empty && rows_.has(group)) {
        continue;
      }
      rows_.set(group, args, row);
      settled_ += empty ? 0 : 1;
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const AnyState&>(other);
    for (const GroupPair pair : pairs) {
      const bool settles = from.is_settled(pair.from);
      if (!is_settled(pair.to) && (settles || (!rows_.has(pair.to) && from.rows_.has(pair.from)))) {
        rows_.set(pair.to, from.rows_, pair.from);
        settled_ += settles ? 1 : 0;
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return rows_.columns(begin, count);
  }

  std::size_t size_bytes() const override { return rows_.size_bytes(); }

 private:
  // Whether no further row can change what the group has.
  bool is_settled(std::size_t group) const {
    return rows_.has(group) && !(text_ && rows_.is_empty_text(group, 0));
  }

  ChosenRows rows_;
  bool one_;
  bool text_;  // the one column is a string
  std::size_t group_count_ = 0;
  std::size_t settled_ = 0;  // groups
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
     .gives_fields = true,
     .extreme = 1},
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
     .gives_fields = true,
     .extreme = -1},
    {.name = "take_any",
     .aliases = {"any"},
     .summary = "Returns fields of one row of each group: the first one.",
     .params = {{{"fields...", "The fields to return; * for all."}}},
     .returns = "A column a field, of its type. A single field gives its first value that is not "
                "null, nor empty text where there is other.",
     .examples = {{{"datatable (x:long) [7, 7] | summarize v = take_any(x)", "7"}}},
     .bind = bind_any,
     .arguments_min = 1,
     .order_sensitive = true,
     .keeps_names = true,
     .gives_fields = true,
     .takes_first_row = true},
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
     .order_sensitive = true,
     .keeps_names = true},
};

}  // namespace

std::span<const AggregateFunction> arg_aggregates() {
  return kArgRows;
}

}  // namespace evq
