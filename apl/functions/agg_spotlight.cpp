// spotlight: which fields, and which of their values, tell selected rows from the others.

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "apl/functions/aggregate_binding.h"
#include "apl/functions/aggregate_rows.h"
#include "apl/functions/canonical.h"
#include "apl/functions/frequent_items.h"
#include "apl/functions/group_values.h"
#include "apl/functions/quantile_sketch.h"
#include "apl/functions/registry.h"
#include "apl/functions/size_meter.h"
#include "apl/functions/value_encoder.h"
#include "store/base/allocation_meter.h"
#include "store/base/number.h"
#include "store/column/vector_builder.h"

namespace evq {
namespace {

constexpr std::size_t kSpotlightCounters = 8192;  // different values counted exactly on each side
// Where not all values are counted exactly: how often one occurs, on both sides together, to be
// compared by itself. Tests of counts need at least five.
constexpr double kCommonCountMin = 5;
constexpr std::size_t kDifferencesMax = 10;    // values listed for one field
constexpr std::size_t kCategoriesMax = 20;     // numbers with no more values are categories
constexpr std::size_t kComparisonSteps = 200;  // quantiles at which distributions are compared

// What is known of one field on one side.
struct Side {
  FrequentItems items{kSpotlightCounters};
  QuantileSketch<double> numbers;

  std::size_t size_bytes() const { return items.size_bytes() + numbers.size_bytes(); }
};

// A field of one group: the baseline, and the selection.
struct FieldSides {
  Side sides[2];

  std::size_t size_bytes() const { return sides[0].size_bytes() + sides[1].size_bytes(); }
};

bool is_measured(Type type) {
  return type == Type::kLong || type == Type::kReal || type == Type::kTimespan;
}

// A number that was a long, as one again: doubles round the largest up to the first that is none.
std::int64_t whole_number(double number) {
  return int_from_real(std::round(number)).value_or(std::numeric_limits<std::int64_t>::max());
}

double number_at(const Values& values, std::size_t slot) {
  return values.type() == Type::kReal ? values.data<double>()[slot]
                                      : static_cast<double>(values.data<std::int64_t>()[slot]);
}

// The chance of a chi-square at least this large, by Wilson and Hilferty's cube root.
double chi_square_tail(double chi_square, double freedom) {
  if (freedom <= 0 || chi_square <= 0) {
    return 1;
  }
  const double variance = 2 / (9 * freedom);
  const double z = (std::cbrt(chi_square / freedom) - (1 - variance)) / std::sqrt(variance);
  return 0.5 * std::erfc(z / std::sqrt(2.0));
}

// Cramér's V over a table of two rows, less what chance alone makes of it (Bergsma 2013): without
// that a field whose every value is unique would tell rows apart best of all.
double corrected_association(double chi_square, double total, double columns) {
  if (total <= 1) {
    return 0;
  }
  const double chance = (columns - 1) / (total - 1);
  const double columns_left = (columns - 1) * (1 - chance);
  const double rows_left = 1 - 1 / (total - 1);
  const double most = std::min(columns_left, rows_left);
  const double association = chi_square / total - chance;
  return association > 0 && most > 0 ? std::min(1.0, std::sqrt(association / most)) : 0;
}

struct Difference {
  std::string value;  // dynamic bytes
  double selected = 0;
  double baseline = 0;
};

// What is said of one field.
struct Finding {
  std::size_t field = 0;
  bool numeric = false;
  double p_value = 1;
  double effect_size = 0;  // Cramér's V corrected, or the Kolmogorov-Smirnov distance
  double delta_score = 0;  // the largest difference of shares, -1 to 1
  double selected_total = 0;
  double baseline_total = 0;
  std::vector<Difference> differences;
  Difference rest;  // of values that are not among the differences
  const FieldSides* sides = nullptr;
};

double share(double count, double total) {
  return total > 0 ? count / total : 0;
}

double delta(const Difference& difference, const Finding& finding) {
  return share(difference.selected, finding.selected_total) -
         share(difference.baseline, finding.baseline_total);
}

// Chi-square over the table of two rows and a column for each value, and one for the rest.
void judge_categories(Finding* finding) {
  const double total = finding->selected_total + finding->baseline_total;
  if (finding->selected_total > 0 && finding->baseline_total > 0) {
    double chi_square = 0;
    double columns = 0;
    const auto add_column = [&](const Difference& difference) {
      const double both = difference.selected + difference.baseline;
      if (both <= 0) {
        return;
      }
      const double selected = both * finding->selected_total / total;
      const double baseline = both * finding->baseline_total / total;
      chi_square += (difference.selected - selected) * (difference.selected - selected) / selected;
      chi_square += (difference.baseline - baseline) * (difference.baseline - baseline) / baseline;
      columns += 1;
    };
    std::ranges::for_each(finding->differences, add_column);
    // Counts that are estimates are never too low, so the rest may come out below nothing.
    add_column({"", std::max(0.0, finding->rest.selected), std::max(0.0, finding->rest.baseline)});
    finding->effect_size = corrected_association(chi_square, total, columns);
    finding->p_value = chi_square_tail(chi_square, columns - 1);
  }
  std::ranges::sort(finding->differences, [&](const Difference& a, const Difference& b) {
    const double left = std::abs(delta(a, *finding));
    const double right = std::abs(delta(b, *finding));
    return left != right ? left > right
                         : compare_dynamic(DynamicView(a.value), DynamicView(b.value)) < 0;
  });
  if (!finding->differences.empty()) {
    finding->delta_score = delta(finding->differences[0], *finding);
  }
  finding->differences.resize(std::min(kDifferencesMax, finding->differences.size()));
}

// The share of rows at or below `value`.
double share_up_to(const QuantileSketch<double>& numbers, double value) {
  double count = 0;
  for (const auto& bucket : numbers.buckets()) {
    if (bucket.middle() > value) {
      break;
    }
    count += bucket.weight;
  }
  return share(count, numbers.count());
}

void judge_numbers(const QuantileSketch<double>& baseline, const QuantileSketch<double>& selected,
                   Finding* finding) {
  if (baseline.count() == 0 || selected.count() == 0) {
    return;
  }
  for (const auto* numbers : {&baseline, &selected}) {
    for (std::size_t step = 0; step <= kComparisonSteps; ++step) {
      const double value =
          numbers->quantile(static_cast<double>(step) / static_cast<double>(kComparisonSteps));
      const double gap = share_up_to(baseline, value) - share_up_to(selected, value);
      if (std::abs(gap) > std::abs(finding->delta_score)) {
        finding->delta_score = gap;
      }
    }
  }
  finding->effect_size = std::abs(finding->delta_score);
  const double size = baseline.count() * selected.count() / (baseline.count() + selected.count());
  finding->p_value =
      std::min(1.0, 2 * std::exp(-2 * size * finding->effect_size * finding->effect_size));
}

class SpotlightState final : public AggregateState {
 public:
  SpotlightState(std::vector<Type> types, std::vector<std::string> names)
      : types_(std::move(types)), names_(std::move(names)) {}

  void resize(std::size_t groups) override {
    group_count_ = std::max(group_count_, groups);
    const std::size_t fields = group_count_ * types_.size();
    if (fields > fields_.size()) {
      AllocationMeter::charge((fields - fields_.size()) * sizeof(FieldSides));
      fields_.resize(fields);
    }
  }

  void add(const EvalContext& /*context*/, std::span<const Vector> args,
           const std::uint32_t* groups, std::size_t rows) override {
    std::vector<Vector> values(args.begin() + 1, args.end());
    std::ranges::transform(values, values.begin(), canonical_dynamics);
    for (std::size_t row = 0; row < rows; ++row) {
      if (!args[0].is_null(row)) {
        const std::size_t side = args[0].at<std::uint8_t>(row) != 0 ? 1 : 0;
        add_row(values, row, groups == nullptr ? 0 : groups[row], side);
      }
    }
  }

  void settle() override {
    PollCounter poll;
    for (FieldSides& field : fields_) {
      for (Side& side : field.sides) {
        poll.add(1 + side.size_bytes() / kPollTextBytes);
        meter_.grow(side, [&] { side.items.settle(); });
      }
    }
  }

  void merge(const AggregateState& other, std::span<const GroupPair> pairs) override {
    const auto& from = static_cast<const SpotlightState&>(other);
    PollCounter poll;
    for (const GroupPair pair : pairs) {
      for (std::size_t field = 0; field < types_.size(); ++field) {
        for (std::size_t side = 0; side < 2; ++side) {
          Side& mine = fields_[pair.to * types_.size() + field].sides[side];
          const Side& theirs = from.fields_[pair.from * types_.size() + field].sides[side];
          poll.add(1 + theirs.size_bytes() / kPollTextBytes);
          meter_.grow(mine, [&] {
            mine.items.merge(theirs.items);
            mine.numbers.merge(theirs.numbers);
          });
        }
      }
    }
  }

  std::vector<Vector> finish(const EvalContext& /*context*/, std::size_t begin,
                             std::size_t count) const override {
    return {dynamics_of_groups(
        begin, count, [&](std::size_t group, DynamicBuilder* list) { write_group(group, list); })};
  }

  std::size_t size_bytes() const override { return meter_.bytes(fields_); }

 private:
  void add_row(std::span<const Vector> values, std::size_t row, std::size_t group,
               std::size_t side) {
    for (std::size_t field = 0; field < types_.size(); ++field) {
      const Vector& vector = values[field];
      if (vector.is_null(row)) {
        continue;
      }
      Side& target = fields_[group * types_.size() + field].sides[side];
      poll_.add();
      if (!is_measured(types_[field])) {
        const std::string_view bytes = encoder_.encode(vector.values(), vector.slot(row));
        poll_.add(bytes.size() / kPollTextBytes);
        meter_.grow(target, [&] { target.items.add(bytes, 1); });
      } else if (const double number = number_at(vector.values(), vector.slot(row));
                 number == number) {
        meter_.grow(target, [&] { target.numbers.add(number); });
      }
    }
  }

  // A number as a value of the field's type.
  std::string value_bytes(std::size_t field, double number) const {
    DynamicBuilder value;
    if (types_[field] == Type::kReal) {
      value.add_real(number);
    } else if (types_[field] == Type::kTimespan) {
      value.add_timespan(whole_number(number));
    } else {
      value.add_long(whole_number(number));
    }
    return value.take();
  }

  // Values by their counts on both sides. Where a side has too many to count exactly, those that it
  // is certain to list stand for themselves, and all others together make up the rest. Rare ones,
  // such as ids, are of the rest then, even where the other side could list them: that it alone
  // lists them would tell the sides apart.
  void collect(Finding* finding) const {
    std::set<std::string> values;
    for (const Side& side : finding->sides->sides) {
      for (const FrequentItems::Item& item : side.items.top(kSpotlightCounters)) {
        if (item.count > side.items.certain_above()) {
          values.emplace(item.bytes);
        }
      }
      for (const auto& bucket : side.numbers.buckets()) {
        values.insert(value_bytes(finding->field, bucket.middle()));
      }
    }
    const auto count_of = [&](const Side& side, const std::string& value) {
      double count = static_cast<double>(side.items.count_of(value));
      for (const auto& bucket : side.numbers.buckets()) {
        count += value_bytes(finding->field, bucket.middle()) == value ? bucket.weight : 0;
      }
      return count;
    };
    const Side& baseline = finding->sides->sides[0];
    const Side& selected = finding->sides->sides[1];
    finding->baseline_total =
        static_cast<double>(baseline.items.total()) + baseline.numbers.count();
    finding->selected_total =
        static_cast<double>(selected.items.total()) + selected.numbers.count();
    finding->rest = {"", finding->selected_total, finding->baseline_total};
    const bool exact = baseline.items.certain_above() == 0 && selected.items.certain_above() == 0;
    for (const std::string& value : values) {
      const Difference difference{value, count_of(selected, value), count_of(baseline, value)};
      if (!exact && difference.selected + difference.baseline < kCommonCountMin) {
        continue;
      }
      finding->differences.push_back(difference);
      finding->rest.selected -= finding->differences.back().selected;
      finding->rest.baseline -= finding->differences.back().baseline;
    }
  }

  void write_group(std::size_t group, DynamicBuilder* list) const {
    std::vector<FieldSides> sides(
        fields_.begin() + static_cast<std::ptrdiff_t>(group * types_.size()),
        fields_.begin() + static_cast<std::ptrdiff_t>((group + 1) * types_.size()));
    std::vector<Finding> findings;
    for (std::size_t field = 0; field < types_.size(); ++field) {
      AllocationMeter::poll();  // thousands of values may be compared
      for (Side& side : sides[field].sides) {
        side.items.settle();
        side.numbers.flush();
      }
      findings.push_back(judge(field, sides[field]));
    }
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
      return a.effect_size != b.effect_size ? a.effect_size > b.effect_size : a.p_value < b.p_value;
    });
    list->begin_array();
    for (const Finding& finding : findings) {
      write_finding(finding, list);
    }
    list->end_array();
  }

  Finding judge(std::size_t field, const FieldSides& sides) const {
    Finding finding;
    finding.field = field;
    finding.sides = &sides;
    const auto& baseline = sides.sides[0].numbers;
    const auto& selected = sides.sides[1].numbers;
    finding.numeric =
        is_measured(types_[field]) &&
        std::max(baseline.buckets().size(), selected.buckets().size()) > kCategoriesMax;
    if (finding.numeric) {
      judge_numbers(baseline, selected, &finding);
    } else {
      collect(&finding);
      judge_categories(&finding);
    }
    return finding;
  }

  void write_finding(const Finding& finding, DynamicBuilder* out) const {
    out->begin_bag();
    out->key("dimension");
    out->add_string(finding.field < names_.size() ? names_[finding.field] : "");
    out->key("kind");
    out->add_string(finding.numeric ? "numeric" : "categorical");
    out->key("p_value");
    out->add_real(finding.p_value);
    out->key("effect_size");
    out->add_real(finding.effect_size);
    out->key("delta_score");
    out->add_real(finding.delta_score);
    if (finding.numeric) {
      write_boxes(finding, out);
    } else {
      write_differences(finding, out);
    }
    out->end_bag();
  }

  static void write_differences(const Finding& finding, DynamicBuilder* out) {
    out->key("differences");
    out->begin_array();
    for (const Difference& difference : finding.differences) {
      const double selected = share(difference.selected, finding.selected_total);
      const double baseline = share(difference.baseline, finding.baseline_total);
      out->begin_bag();
      out->key("value");
      out->add_encoded(DynamicView(difference.value));
      out->key("selection_count");
      out->add_long(std::llround(difference.selected));
      out->key("comparison_count");
      out->add_long(std::llround(difference.baseline));
      out->key("selection_frequency");
      out->add_real(selected);
      out->key("comparison_frequency");
      out->add_real(baseline);
      out->key("frequency_ratio");
      if (baseline > 0) {
        out->add_real(selected / baseline);
      } else {
        out->add_null();
      }
      out->end_bag();
    }
    out->end_array();
  }

  void write_boxes(const Finding& finding, DynamicBuilder* out) const {
    const auto& baseline = finding.sides->sides[0].numbers;
    const auto& selected = finding.sides->sides[1].numbers;
    out->key("median_relative_change");
    const double before = baseline.count() > 0 ? baseline.quantile(0.5) : 0;
    if (before != 0 && selected.count() > 0) {
      out->add_real((selected.quantile(0.5) - before) / std::abs(before));
    } else {
      out->add_null();
    }
    write_box("selection", finding.field, selected, out);
    write_box("comparison", finding.field, baseline, out);
  }

  void write_box(std::string_view key, std::size_t field, const QuantileSketch<double>& numbers,
                 DynamicBuilder* out) const {
    static constexpr std::pair<std::string_view, double> kQuantiles[] = {
        {"min", 0}, {"p25", 0.25}, {"median", 0.5}, {"p75", 0.75}, {"max", 1}};
    out->key(key);
    out->begin_bag();
    out->key("count");
    out->add_long(std::llround(numbers.count()));
    for (const auto& [name, q] : kQuantiles) {
      out->key(name);
      if (numbers.count() > 0) {
        out->add_encoded(DynamicView(value_bytes(field, numbers.quantile(q))));
      } else {
        out->add_null();
      }
    }
    out->end_bag();
  }

  std::vector<Type> types_;
  std::vector<std::string> names_;
  std::size_t group_count_ = 0;
  std::vector<FieldSides> fields_;  // by group, then by field
  SizeMeter meter_{0};              // every value is counted as it comes
  ValueEncoder encoder_;
  PollCounter poll_;
};

AggregateBindResult bind_spotlight(const AggregateBindRequest& request) {
  if (!implicit_cast_cost(request.arguments[0].type, Type::kBool).has_value()) {
    return BindFailure{0, "the first argument selects rows and must be a bool",
                       "for example: spotlight(status >= 500, method, uri)"};
  }
  std::vector<Type> types = types_of(request.arguments.subspan(1));
  std::vector<std::string> names;
  if (request.argument_names.size() == request.arguments.size()) {
    names.assign(request.argument_names.begin() + 1, request.argument_names.end());
  }
  return one_result(request, Type::kDynamic, Type::kBool,
                    make_aggregate<SpotlightState>(std::move(types), std::move(names)));
}

constexpr AggregateFunction kSpotlightRows[] = {
    {.name = "spotlight",
     .summary = "Compares the rows for which a predicate is true with those for which it is false, "
                "field by field, and ranks the fields by how much they differ.",
     .params = {{{"predicate", "A bool that selects rows; rows where it is null are left out."},
                 {"fields...", "The fields to compare; * for all."}}},
     .returns =
         "dynamic: an array with a bag for each field, largest effect first, then smallest "
         "p-value. Categories (strings, "
         "bools, numbers of at most 20 values) have {dimension, kind, p_value, effect_size "
         "(Cramer's V, corrected for chance), delta_score, differences: [{value, selection_count, "
         "comparison_count, "
         "selection_frequency, comparison_frequency, frequency_ratio}]}; numbers have {…, "
         "effect_size (Kolmogorov-Smirnov distance), median_relative_change, selection, "
         "comparison: {count, min, p25, median, p75, max}}. Counts are exact up to 8,192 different "
         "values a side; beyond, values of more than 1 / 1,700 of a side's rows are listed, with "
         "counts that are too high by 1 / 3,000 of them for less than 1 value in 100. Quantiles "
         "are those of percentile(). None of it depends on how rows are split among workers.",
     .examples = {{{"range i from 1 to 8 step 1 | extend m = iff(i > 4, 'a', 'b') | summarize s = "
                    "spotlight(i > 4, m) | project e = s[0].effect_size",
                    "1"}}},
     .bind = bind_spotlight,
     .arguments_min = 2,
     .api_name = "spotlight"},
};

}  // namespace

std::span<const AggregateFunction> spotlight_aggregates() {
  return kSpotlightRows;
}

}  // namespace evq
