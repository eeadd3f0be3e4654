#include "apl/functions/number_series.h"

#include <algorithm>
#include <cmath>

#include "store/base/number.h"

namespace evq {

std::optional<NumberSeries> NumberSeries::read(DynamicView array) {
  if (!array.is_array()) {
    return std::nullopt;
  }
  NumberSeries series;
  series.values.reserve(array.size());
  bool other = false;
  DynamicView::Iterator each(array);
  while (each.next()) {
    const DynamicView value = each.value();
    series.values.push_back(series_number(value));
    if (series.values.back().has_value()) {
      const bool timespan = value.tag() == DynamicTag::kTimespan;
      series.integers = series.integers && value.tag() == DynamicTag::kLong;
      series.timespans = series.timespans || timespan;
      other = other || !timespan;
    }
  }
  series.timespans = series.timespans && !other;
  return series;
}

std::optional<double> series_number(DynamicView value) {
  if (value.is_number()) {
    return value.as_real();
  }
  return value.tag() == DynamicTag::kTimespan
             ? std::optional(static_cast<double>(value.as_integer()))
             : std::nullopt;
}

Numbers NumberSeries::present() const {
  Numbers numbers;
  numbers.reserve(values.size());
  for (const std::optional<double>& value : values) {
    if (value.has_value()) {
      numbers.push_back(*value);
    }
  }
  return numbers;
}

Numbers NumberSeries::filled() const {
  return fill_gaps(values, [](double left, double right, std::size_t step, std::size_t steps) {
    return left + (right - left) * (static_cast<double>(step) / static_cast<double>(steps));
  });
}

void add_number(std::optional<double> value, DynamicBuilder* out) {
  if (value.has_value()) {
    out->add_real(*value);
  } else {
    out->add_null();
  }
}

void add_numbers(const Numbers& values, DynamicBuilder* out) {
  out->begin_array();
  for (const double value : values) {
    out->add_real(value);
  }
  out->end_array();
}

DynamicBytes series_of(const NumbersWithGaps& values) {
  DynamicBuilder out;
  out.begin_array();
  for (const std::optional<double>& value : values) {
    add_number(value, &out);
  }
  out.end_array();
  return {out.take()};
}

DynamicBytes timespans_of(const NumbersWithGaps& values) {
  DynamicBuilder out;
  out.begin_array();
  for (const std::optional<double>& value : values) {
    const std::optional<std::int64_t> ns =
        value.has_value() ? int_from_real(std::round(*value)) : std::nullopt;
    if (ns.has_value()) {
      out.add_timespan(*ns);
    } else {
      out.add_null();
    }
  }
  out.end_array();
  return {out.take()};
}

DynamicBytes series_of(const Numbers& values) {
  DynamicBuilder out;
  add_numbers(values, &out);
  return {out.take()};
}

SeriesMoments moments_of(const Numbers& values) {
  SeriesMoments moments;
  if (values.empty()) {
    return moments;
  }
  const auto count = static_cast<double>(values.size());
  double total = 0;
  double shares = 0;  // of the mean: less exact, but never beyond the range of doubles
  for (const double value : values) {
    total += value;
    shares += value / count;
  }
  const auto [least, most] = std::ranges::minmax_element(values);
  moments.mean = std::isfinite(total) ? total / count : shares;
  // Rounding must not make the mean of equal numbers another one.
  moments.mean = std::max(*least, std::min(*most, moments.mean));
  double squares = 0;
  for (const double value : values) {
    squares += (value - moments.mean) * (value - moments.mean);
  }
  moments.variance = values.size() > 1 ? squares / (count - 1) : 0;
  return moments;
}

}  // namespace evq
