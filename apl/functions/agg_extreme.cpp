// min, max and their …if forms.

#include <algorithm>
#include <limits>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/registry.h"
#include "store/base/large_pages.h"
#include "store/column/dynamic.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

enum class Extreme : std::uint8_t { kMin, kMax };

template <Extreme kSide, class T>
bool beats(const T& challenger, const T& holder) {
  return kSide == Extreme::kMin ? challenger < holder : challenger > holder;
}

// Numbers, times and bools. NaN is passed over like a null: it beats nothing.
template <class T, Extreme kSide>
class ExtremeState final : public AggregateState {
 public:
  explicit ExtremeState(Type type) : type_(type) {}

  bool keeps_extremes() const override { return true; }

  void resize(std::size_t groups) override {
    if (groups > best_.size()) {
      best_.resize(groups, worst());
      seen_.resize(groups, 0);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const T* data = args[0].values().template data<T>();
    if (groups == nullptr && args[0].is_flat() && !args[0].may_have_nulls()) {
      reduce(data, rows);
      return;
    }
    if (groups != nullptr && lanes_pay(best_.size(), rows)) {
      add_in_lanes(args[0], groups, rows);
      return;
    }
    T* best = best_.data();
    std::uint8_t* seen = seen_.data();
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      offer(data[slot], &best[group], &seen[group]);
    });
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const ExtremeState&>(other);
    for (const GroupPair pair : pairs) {
      if (from.seen_[pair.from] != 0) {
        offer(from.best_[pair.from], &best_[pair.to], &seen_[pair.to]);
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    auto values = Values::make(type_, count);
    T* to = values->template mutable_data<T>();
    std::copy_n(best_.begin() + static_cast<std::ptrdiff_t>(begin), count, to);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<T, double>) {
        to[i] += 0.0;  // -0.0 equals 0.0: which of the two came first would be chance
      }
      if (seen_[begin + i] == 0) {
        values->set_null(i);
      }
    }
    return {Vector::flat(std::move(values))};
  }

  std::size_t size_bytes() const override { return best_.capacity() * (sizeof(T) + 1); }

 private:
  static T worst() {
    if constexpr (std::is_same_v<T, double>) {
      return kSide == Extreme::kMin ? std::numeric_limits<T>::infinity()
                                    : -std::numeric_limits<T>::infinity();
    } else {
      return kSide == Extreme::kMin ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
    }
  }

  static bool is_number(T value) {
    if constexpr (std::is_same_v<T, double>) {
      return value == value;
    } else {
      return true;
    }
  }

  static void offer(T value, T* best, std::uint8_t* seen) {
    *best = beats<kSide>(value, *best) ? value : *best;
    *seen = static_cast<std::uint8_t>(*seen | (is_number(value) ? 1U : 0U));
  }

  void add_in_lanes(const Vector& vector, const std::uint32_t* groups, std::size_t rows) {
    std::vector<T> best(best_.size() * kLanes, worst());
    std::vector<std::uint8_t> seen(best.size(), 0);
    visit_rows_in_lanes<T>(vector, groups, rows,
                           [to = best.data(), flags = seen.data()](std::size_t lane, T value) {
                             offer(value, &to[lane], &flags[lane]);
                           });
    for (std::size_t lane = 0; lane < best.size(); ++lane) {
      if (seen[lane] != 0) {
        offer(best[lane], &best_[lane / kLanes], &seen_[lane / kLanes]);
      }
    }
  }

  void reduce(const T* data, std::size_t rows) {
    T lanes[4] = {worst(), worst(), worst(), worst()};
    std::uint8_t seen = 0;
    std::size_t i = 0;
    for (; i + 4 <= rows; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) {
        offer(data[i + lane], &lanes[lane], &seen);
      }
    }
    for (; i < rows; ++i) {
      offer(data[i], lanes, &seen);
    }
    for (const T lane : lanes) {
      best_[0] = beats<kSide>(lane, best_[0]) ? lane : best_[0];
    }
    seen_[0] = static_cast<std::uint8_t>(seen_[0] | seen);
  }

  Type type_;
  LargeVector<T> best_;
  std::vector<std::uint8_t> seen_;
};

// Strings by bytes, dynamics in their total order. Of dynamics that are equal there (1 and 1.0) the
// one with the smaller bytes stays: which of them comes first would be chance.
template <Extreme kSide>
class TextExtremeState final : public AggregateState {
 public:
  explicit TextExtremeState(Type type) : type_(type) {}

  void resize(std::size_t groups) override {
    if (groups > best_.size()) {
      best_.resize(groups);
      seen_.resize(groups, 0);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    if (rows == 0) {
      return;
    }
    const std::string_view* data = args[0].values().data<std::string_view>();
    visit_counted(args[0], groups, rows, [&](std::size_t group, std::size_t slot, std::size_t) {
      offer(group, data[slot]);
    });
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const TextExtremeState&>(other);
    for (const GroupPair pair : pairs) {
      if (from.seen_[pair.from] != 0) {
        offer(pair.to, from.best_[pair.from]);
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    VectorBuilder builder(type_);
    for (std::size_t group = begin; group < begin + count; ++group) {
      if (seen_[group] != 0) {
        builder.append_text(best_[group]);
      } else {
        builder.append_null();
      }
    }
    return {builder.finish()};
  }

  std::size_t size_bytes() const override {
    return best_.capacity() * (sizeof(std::string) + 1) + text_bytes_;
  }

 private:
  void offer(std::size_t group, std::string_view text) {
    std::string& best = best_[group];
    if (seen_[group] != 0) {
      const int order = type_ == Type::kDynamic
                            ? compare_dynamic(DynamicView{text}, DynamicView{best})
                            : text.compare(best);
      const bool equal_stays = order == 0 && text >= best;
      if (equal_stays || (kSide == Extreme::kMin ? order > 0 : order < 0)) {
        return;
      }
    }
    text_bytes_ += text.size();
    text_bytes_ -= best.size();
    best.assign(text);
    seen_[group] = 1;
  }

  Type type_;
  std::vector<std::string> best_;
  std::vector<std::uint8_t> seen_;
  std::size_t text_bytes_ = 0;
};

template <Extreme kSide>
AggregateBindResult bind_extreme(const AggregateBindRequest& request) {
  Type type = request.arguments[0].type;
  std::shared_ptr<const BoundAggregate> aggregate;
  switch (physical_of(type)) {
    case Physical::kNone:
      type = Type::kReal;
      aggregate = make_aggregate<ExtremeState<double, kSide>>(type);
      break;
    case Physical::kDouble:
      aggregate = make_aggregate<ExtremeState<double, kSide>>(type);
      break;
    case Physical::kByte:
      aggregate = make_aggregate<ExtremeState<std::uint8_t, kSide>>(type);
      break;
    case Physical::kInt64:
      aggregate = make_aggregate<ExtremeState<std::int64_t, kSide>>(type);
      break;
    case Physical::kView:
      aggregate = make_aggregate<TextExtremeState<kSide>>(type);
      break;
  }
  return one_result(request, type, type, std::move(aggregate));
}

constexpr AggregateFunction kExtremeRows[] = {
    {.name = "min",
     .summary = "Gives the smallest value that is not null.",
     .params = {{{"value", "A value of any type; strings compare by code point."}}},
     .returns = "The argument's type; null when no value is there. NaN counts as null.",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = min(x)", "1"}}},
     .bind = bind_extreme<Extreme::kMin>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "min",
     .over_groups = "min"},
    {.name = "minif",
     .summary = "Gives the smallest value of the rows for which the predicate is true.",
     .params = {{{"value", "A value of any type; strings compare by code point."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As min().",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = minif(x, x > 1)", "2"}}},
     .bind = bind_extreme<Extreme::kMin>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "minif",
     .over_groups = "min"},
    {.name = "max",
     .summary = "Gives the largest value that is not null.",
     .params = {{{"value", "A value of any type; strings compare by code point."}}},
     .returns = "The argument's type; null when no value is there. NaN counts as null.",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = max(x)", "3"}}},
     .bind = bind_extreme<Extreme::kMax>,
     .arguments_min = 1,
     .arguments_max = 1,
     .api_name = "max",
     .over_groups = "max"},
    {.name = "maxif",
     .summary = "Gives the largest value of the rows for which the predicate is true.",
     .params = {{{"value", "A value of any type; strings compare by code point."},
                 {"predicate", "A bool; null is not true."}}},
     .returns = "As max().",
     .examples = {{{"datatable (x:long) [2, 1, 3] | summarize m = maxif(x, x < 3)", "2"}}},
     .bind = bind_extreme<Extreme::kMax>,
     .predicate = kLastArgument,
     .arguments_min = 2,
     .arguments_max = 2,
     .api_name = "maxif",
     .over_groups = "max"},
};

}  // namespace

std::span<const AggregateFunction> extreme_aggregates() {
  return kExtremeRows;
}

}  // namespace evq
