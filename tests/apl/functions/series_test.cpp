// Series: element-wise functions, gaps, filters and transforms against direct formulas.

#include <cmath>
#include <complex>
#include <numbers>

#include <doctest/doctest.h>

#include "apl/functions/fourier.h"
#include "store/base/allocation_meter.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("a transform ends when its query must") {
  QueryControl control;
  AllocationMeter meter(nullptr, &control, "a test");
  for (const std::size_t size : {std::size_t{1} << 17U, std::size_t{100'003}}) {
    CHECK(
        meter.guard([size] { fourier_transform(ComplexSeries(size), FourierDirection::kForward); })
            .ok());
  }
  control.cancel();
  for (const std::size_t size : {std::size_t{1} << 17U, std::size_t{100'003}}) {
    const Status done =
        meter.guard([size] { fourier_transform(ComplexSeries(size), FourierDirection::kForward); });
    REQUIRE(!done.ok());
    CHECK(done.error().code == ErrorCode::kCancelled);
  }
}

TEST_CASE("element by element") {
  check_calls({
      {"series_abs", {j("[-1,2,null]")}, "[1,2,null]"},
      {"series_log", {j("[1,0]")}, "[0,null]"},
      {"series_abs", {n(1)}, "null"},
      {"series_add", {j("[1,2]"), j("[10,20,30]")}, "[11,22]"},
      {"series_subtract", {j("[5,6,7]"), j("[1,2]")}, "[4,4,null]"},
      {"series_multiply", {j("[1,null]"), j("[2,2]")}, "[2,null]"},
      {"series_divide", {j("[6,1]"), j("[2,0]")}, "[3,null]"},
      {"series_pow", {j("[1,2,3]"), n(2)}, "[1,4,9]"},
      {"series_greater", {j("[1,3]"), j("[2,2]")}, "[false,true]"},
      {"series_equals", {j(R"([1,"a",null])"), t("a")}, "[false,true,null]"},
      {"series_max", {j("[1,5]"), j("[3,2]")}, "[3,5]"},
  });
}

TEST_CASE("gaps are filled") {
  check_calls({
      {"series_fill_const", {j("[1,null,-1]"), n(0)}, "[1,0,-1]"},
      {"series_fill_const", {j("[1,null,-1]"), n(0), n(-1)}, "[1,0,0]"},
      {"series_fill_forward", {j("[null,1,null]")}, "[null,1,1]"},
      {"series_fill_backward", {j("[null,1,null]")}, "[1,1,null]"},
      {"series_fill_linear", {j("[null,1,null,null,4,null]")}, "[1,1,2,3,4,4]"},
      {"series_fill_linear", {j("[null,null]")}, "[0,0]"},
      {"series_fill_linear",
       {j("[null,1,null,3]"), kNothing, Value::boolean(false)},
       "[null,1,2,3]"},
  });
}

TEST_CASE("statistics") {
  check_calls({
      {"series_sum", {j("[]")}, "0"},
      {"series_sum", {j("[1,null,2]")}, "3"},
      {"series_dot_product", {j("[1,2,3]"), j("[4,5]")}, "14"},
      {"series_magnitude", {j("[3,4]")}, "5"},
      {"series_cosine_similarity", {j("[1,1]"), j("[0,0]")}, "null"},
      {"series_pearson_correlation", {j("[1,2,3]"), j("[6,4,2]")}, "-1"},
      {"series_stats",
       {j("[2,4,null,6,2]")},
       "[2,0,6,3,3.5,3.6666666666666665,1.9148542155126762]"},
      {"series_stats", {j("[]")}, "null"},
  });
}

TEST_CASE("filters by their direct forms") {
  check_calls({
      {"series_fir", {j("[2,4,6,8]"), j("[1,1]")}, "[1,3,5,7]"},
      {"series_fir", {j("[1,4,9]"), j("[1,-1]"), Value::boolean(false)}, "[1,3,5]"},
      {"series_fir", {j("[1,2,3]"), j("[1,-1]")}, "[1,1,1]"},
      {"series_fir",
       {j("[3,6,9]"), j("[1,1,1]"), Value::boolean(false), Value::boolean(true)},
       "[9,18,15]"},
      {"series_iir", {j("[1,2,3,4]"), j("[1]"), j("[1,-1]")}, "[1,3,6,10]"},
      {"series_iir", {j("[4,0,0]"), j("[1]"), j("[2,-1]")}, "[2,1,0.5]"},
      {"series_iir", {j("[1]"), j("[1]"), j("[0]")}, "null"},
      {"series_fft", {j("[1,1,1,1]")}, "[[4,0,0,0],[0,0,0,0]]"},
      {"series_fft", {j("[1,2]"), j("[1]")}, "null"},
  });
}

TEST_CASE("the transform of any length agrees with its definition and its inverse") {
  for (std::size_t size = 0; size <= 70; ++size) {
    ComplexSeries input(size);
    for (std::size_t i = 0; i < size; ++i) {
      input[i] = {std::sin(static_cast<double>(i * i)), static_cast<double>(i % 5) - 2};
    }
    const ComplexSeries output = fourier_transform(input, FourierDirection::kForward);
    ComplexSeries back = fourier_transform(output, FourierDirection::kInverse);
    REQUIRE(output.size() == size);
    for (std::size_t k = 0; k < size; ++k) {
      std::complex<double> sum;
      for (std::size_t i = 0; i < size; ++i) {
        const double angle =
            -2 * std::numbers::pi * static_cast<double>(i * k % size) / static_cast<double>(size);
        sum += input[i] * std::polar(1.0, angle);
      }
      CHECK(std::abs(sum - output[k]) < 1e-9);
      CHECK(std::abs(back[k] / static_cast<double>(size) - input[k]) < 1e-9);
    }
  }
}

}  // namespace
}  // namespace evq
