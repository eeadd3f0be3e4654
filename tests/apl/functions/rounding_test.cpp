// bin(), bin_auto(), floor(), ceiling(): buckets below zero, all types, and the dictionary form.

#include "apl/functions/rounding.h"

#include <optional>
#include <tuple>
#include <utility>

#include <doctest/doctest.h>

#include "apl/functions/time_range.h"
#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("bins of every type") {
  check_calls({
      {"bin", {n(-7), n(5)}, "-10"},
      {"bin", {n(-10), n(5)}, "-10"},
      {"bin", {n(7), n(5)}, "5"},
      {"bin", {n(7), n(0)}, "null"},
      {"bin", {n(7), n(-5)}, "null"},
      {"bin", {r(4.6), r(0.5)}, "4.5"},
      {"bin", {n(7), r(2.5)}, "5"},
      {"bin", {r(-0.1), n(1)}, "-1"},
      {"bin", {kNothing, n(1)}, "null"},
      {"bin", {n(1), kNothing}, "null"},
      {"bin", {n(INT64_MIN), n(10)}, "null"},
      {"bin", {n(INT64_MAX), n(10)}, "9223372036854775800"},
      {"bin", {at("2024-05-01T10:20:30Z"), span(kHourNs)}, "2024-05-01T10:00:00Z"},
      {"bin", {at("1969-12-31T23:59:59Z"), span(kDayNs)}, "1969-12-31T00:00:00Z"},
      {"bin", {span(90 * kMinuteNs), span(kHourNs)}, "1h0m0s"},
      {"floor", {r(-1.1)}, "-2"},
      {"floor", {n(3)}, "3"},
      {"floor", {n(17), n(5)}, "15"},
      {"floor", {r(1e300)}, "null"},
      {"ceiling", {r(-1.1)}, "-1"},
      {"ceil", {r(1.1)}, "2"},
      {"bin_auto", {at("2024-05-01T10:20:30Z")}, "2024-05-01T10:00:00Z"},
  });
  CHECK(bind_failure("bin", {at("2024-05-01"), n(1)}).has_value());
  CHECK(bind_failure("bin", {t("x"), n(1)}).has_value());
}

TEST_CASE("bins of many rows are the same as dictionary and as flat vector") {
  for (const std::size_t rows : {std::size_t{5}, std::size_t{1000}, std::size_t{65536}}) {
    for (const std::int64_t width : {std::int64_t{1}, std::int64_t{7}, std::int64_t{5000}}) {
      auto values = Values::make(Type::kLong, rows);
      for (std::size_t i = 0; i < rows; ++i) {
        const auto row = static_cast<std::int64_t>(i);
        values->mutable_data<std::int64_t>()[i] = 40000 - row + (row % 3) * 11;
      }
      values->set_null(rows / 2);
      const Vector input = Vector::flat(values);
      const Value size = n(width);
      const Argument arguments[] = {{Type::kLong, nullptr}, {Type::kLong, &size}};
      const EvalContext context;
      const BoundCall call =
          std::get<BoundCall>(bind_function(*find_function("bin"), {arguments, context}));
      const Vector args[] = {input, Vector::constant(size, rows)};
      const Vector result = call.function->evaluate(context, args, rows);
      CHECK((width == 5000 && rows > 5 ? result.is_dictionary() : true));
      for (std::size_t i = 0; i < rows; ++i) {
        REQUIRE(result.is_null(i) == (i == rows / 2));
        if (i != rows / 2) {
          const std::int64_t value = input.at<std::int64_t>(i);
          REQUIRE(result.at<std::int64_t>(i) == floor_to(value, width).value());
        }
      }
    }
  }
}

EvalContext context_of(std::int64_t start_ns, std::int64_t end_ns) {
  EvalContext context;
  context.range_start_ns = start_ns;
  context.range_end_ns = end_ns;
  return context;
}

class Extent final : public TimeExtent {
 public:
  Extent(std::int64_t oldest_ns, std::int64_t newest_ns) : bounds_(oldest_ns, newest_ns) {}
  std::optional<std::pair<std::int64_t, std::int64_t>> time_extent() const override {
    return bounds_;
  }

 private:
  std::pair<std::int64_t, std::int64_t> bounds_;
};

TEST_CASE("automatic widths are round and give about as many bins as are asked for") {
  CHECK(auto_bin_ns(context_of(kUnboundedStart, 0)) == kHourNs);
  CHECK(auto_bin_ns(context_of(0, kHourNs)) == kMinuteNs);
  CHECK(auto_bin_ns(context_of(0, kDayNs)) == 15 * kMinuteNs);
  CHECK(auto_bin_ns(context_of(0, 7 * kDayNs)) == 2 * kHourNs);
  EvalContext context = context_of(0, kHourNs);
  context.auto_bins = 15;
  CHECK(auto_bin_ns(context) == 5 * kMinuteNs);
  context.auto_bins = 1;
  CHECK(auto_bin_ns(context) == kHourNs);

  const Extent data(2 * kHourNs, 4 * kHourNs);
  for (const auto& [start_ns, end_ns, width] :
       {std::tuple(kUnboundedStart, kUnboundedEnd, 2 * kMinuteNs),
        std::tuple(kUnboundedStart, 26 * kHourNs, 15 * kMinuteNs),
        std::tuple(3 * kHourNs, kUnboundedEnd, kMinuteNs),
        std::tuple(5 * kHourNs, kUnboundedEnd, kHourNs)}) {
    EvalContext open = context_of(start_ns, end_ns);
    open.extent = &data;
    CHECK(auto_bin_ns(open) == width);
  }
  for (const std::int64_t bins : {std::int64_t{1}, kAutoBinsDefault, std::int64_t{10000}}) {
    for (std::int64_t range = 1000; range < INT64_MAX / 3; range *= 3) {
      context.range_end_ns = range;
      context.auto_bins = bins;
      CHECK(range / auto_bin_ns(context) <= bins);
    }
  }
}

}  // namespace
}  // namespace evq
