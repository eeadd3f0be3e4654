// The mathematical functions: domains, exact integers, rounding, ranges, bits.

#include <cmath>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("numbers in and out of domains") {
  check_calls({
      {"abs", {n(-5)}, "5"},
      {"abs", {n(INT64_MIN)}, "null"},
      {"abs", {r(-2.5)}, "2.5"},
      {"abs", {span(-kHourNs)}, "1h0m0s"},
      {"acos", {r(2)}, "null"},
      {"asin", {r(0)}, "0"},
      {"log", {n(0)}, "null"},
      {"log2", {n(8)}, "3"},
      {"log10", {n(-1)}, "null"},
      {"gamma", {n(5)}, "24"},
      {"gamma", {n(-2)}, "null"},
      {"loggamma", {n(0)}, "null"},
      {"pow", {n(2), n(53)}, "9007199254740992"},
      {"pow", {n(2), n(-1)}, "0.5"},
      {"sqrt", {n(9)}, "3"},
      {"isnan", {r(std::nan(""))}, "true"},
      {"isint", {n(4)}, "true"},
      {"isint", {r(4.5)}, "false"},
      {"isfinite", {kNothing}, "false"},
      {"not", {Value::boolean(true)}, "false"},
      {"not", {Value::null(Type::kBool)}, "null"},
      {"sign", {r(-0.5)}, "-1"},
      {"exp", {n(0)}, "1"},
      {"binary_and", {n(12), n(10)}, "8"},
      {"binary_shift_left", {n(1), n(-1)}, "null"},
      {"binary_shift_right", {n(-16), n(2)}, "-4"},
      {"bitset_count_ones", {n(-1)}, "64"},
      {"around", {n(5), n(4), n(1)}, "true"},
  });
  CHECK(bind_failure("sqrt", {t("9")}).has_value());
}

TEST_CASE("round goes half away from zero, by the decimal text") {
  check_calls({
      {"round", {r(2.5)}, "3"},
      {"round", {r(-2.5)}, "-3"},
      {"round", {r(1.005), n(2)}, "1.01"},
      {"round", {r(0.285), n(2)}, "0.29"},
      {"round", {r(1234.5), n(-2)}, "1200"},
      {"round", {n(1250), n(-2)}, "1300"},
      {"round", {n(-1250), n(-2)}, "-1300"},
      {"round", {n(7), n(3)}, "7"},
      {"round", {r(1e22), n(2)}, "1e+22"},
      {"round", {n(5), n(-19)}, "0"},
  });
}

TEST_CASE("extremes and ranges") {
  check_calls({
      {"max_of", {n(1), r(2.5), kNothing}, "2.5"},
      {"min_of", {t("b"), t("a")}, "a"},
      {"min_of", {kNothing, kNothing}, "null"},
      {"range", {n(1), n(8), n(3)}, "[1,4,7]"},
      {"range", {n(5), n(1), n(-2)}, "[5,3,1]"},
      {"range", {n(1), n(3), n(0)}, "null"},
      {"range", {n(3), n(1)}, "[]"},
      {"range", {r(1), r(2), r(0.5)}, "[1,1.5,2]"},
      {"range", {n(INT64_MAX - 1), n(INT64_MAX)}, "[9223372036854775806,9223372036854775807]"},
      {"array_length", {j("[1,2]")}, "2"},
  });
  CHECK(call_shaped("range", {n(0), n(2000000)},
                    {ArgumentShape::kKnownConstant, ArgumentShape::kKnownConstant})
            .as_text()
            .size() > 9 * 1048576);
}

Value call_flat(std::string_view name, const std::vector<Value>& values) {
  return call_shaped(name, values, std::vector<ArgumentShape>(values.size(), ArgumentShape::kFlat));
}

TEST_CASE("the beta distribution is right for shapes of any size") {
  struct Known {
    double x;
    double a;
    double b;
    double share;
  };
  // By the continued fraction with 40 digits.
  static constexpr Known kKnown[] = {
      {0.25, 2, 3, 0.26171875},
      {0.25, 0.5, 0.5, 0.33333333333333333},
      {0.33, 1e4, 2e4, 0.11020551912741972},
      {0.5003, 1e6, 1e6, 0.80192803715788503},
      {0.2501, 1e7, 3e7, 0.92792701637422898},
      {1e-12, 0.5, 1e12, 0.84270079294976675},
      {3e-11, 30, 1e12, 0.52428301395796161},
  };
  for (const Known& known : kKnown) {
    CAPTURE(known.a);
    CHECK(call_flat("beta_cdf", {r(known.x), r(known.a), r(known.b)}).as_real() ==
          doctest::Approx(known.share).epsilon(1e-11));
  }
  for (double shape = 1e-3; shape < 1e299; shape *= 10) {
    CAPTURE(shape);
    CHECK(call_flat("beta_cdf", {r(0.5), r(shape), r(shape)}).as_real() ==
          doctest::Approx(0.5).epsilon(1e-12));
  }
  CHECK(call_flat("beta_cdf", {r(0.5), r(1e308), r(1e308)}).is_null());
  CHECK(call_flat("beta_pdf", {r(0.5), r(1e12), r(1e12)}).as_real() ==
        doctest::Approx(1128379.1670955126).epsilon(1e-9));
  CHECK(call_flat("beta_inv", {r(0.5), r(1e12), r(1e12)}).as_real() == 0.5);
  CHECK(call_flat("beta_inv", {r(0.3), r(1e7), r(2e7)}).as_real() ==
        doctest::Approx(0.33328819743794613).epsilon(1e-12));
  CHECK(call_flat("beta_inv", {r(1e-300), r(0.5), r(0.5)}).as_real() < 1e-300);
  // As many degrees of freedom as make it the normal distribution.
  for (const double count : {1e12, 1e15, 1e30, 1e200}) {
    CAPTURE(count);
    CHECK(call_flat("welch_test", {r(0), r(count), r(count), r(std::sqrt(8.0)), r(count), r(count)})
              .as_real() == doctest::Approx(0.045500263896358414).epsilon(1e-11));
  }
}

TEST_CASE("random numbers lie in their range and differ") {
  const EvalContext context;
  const BoundCall call = std::get<BoundCall>(bind_function(*find_function("rand"), {{}, context}));
  const Vector a = call.function->evaluate(context, {}, 1000);
  const Vector b = call.function->evaluate(context, {}, 1000);
  double sum = 0;
  for (std::size_t i = 0; i < 1000; ++i) {
    CHECK((a.at<double>(i) >= 0 && a.at<double>(i) < 1));
    CHECK(a.at<double>(i) != b.at<double>(i));
    sum += a.at<double>(i);
  }
  CHECK((sum > 450 && sum < 550));
}

}  // namespace
}  // namespace evq
