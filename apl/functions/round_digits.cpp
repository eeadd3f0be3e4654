// round(): to a number of decimal digits.

#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

#include "apl/functions/lift.h"
#include "apl/functions/registry.h"
#include "store/base/checked_math.h"
#include "store/base/number.h"

namespace evq {
namespace {

// The powers of ten that are doubles.
constexpr std::array<double, 23> kPowersOfTen = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_power_of_ten(std::int64_t places) {
  return places >= 1 && static_cast<std::size_t>(places) < kPowersOfTen.size();
}

// x rounded to some places after the point. `sure` where scaling by the power cannot carry it to
// another side of a tie than its decimal text would: what both err by is less than 2^-50 of the
// scaled number. Without a branch.
struct Rounded {
  double value;
  bool sure;
};
Rounded round_scaled(double x, double power) {
  constexpr double kScaledMax = 0x1p49;
  const double scaled = std::fabs(x * power);
  const bool small = scaled < kScaledMax;
  const auto whole = static_cast<double>(static_cast<std::int64_t>(small ? scaled : 0));
  const double beyond_tie = scaled - whole - 0.5;
  return {std::copysign((whole + static_cast<double>(beyond_tie > 0)) / power, x),
          small && std::fabs(beyond_tie) > scaled * 0x1p-50};
}

// The number that the decimal text of x is, its point moved by some places to the right.
MaybeReal shifted(double x, std::int64_t places) {
  std::string text;
  append_real(text, x);
  const std::size_t e = text.find('e');
  std::int64_t exponent = 0;
  if (e != std::string::npos) {
    exponent = std::strtoll(text.c_str() + e + 1, nullptr, 10);
    text.resize(e);
  }
  return parse_real(text + "e" + std::to_string(exponent + places));
}

// Half away from zero. Scaling by a power of ten can carry a tie to the wrong side (1.005), so the
// decimal text of the number, which is what its author meant, decides.
MaybeReal round_digits(double x, MaybeLong digits) {
  const std::int64_t places = digits.value_or(0);
  constexpr std::int64_t kPlacesMax = 308;
  constexpr double kWholeFrom = 0x1p53;  // larger numbers have no fraction
  const bool whole = places > 0 && std::fabs(x) >= kWholeFrom;
  if (!std::isfinite(x) || places > kPlacesMax || whole) {
    return x;
  }
  if (places < -kPlacesMax) {
    return 0.0;
  }
  if (places == 0) {
    return std::round(x);
  }
  if (is_power_of_ten(places)) {
    if (std::fabs(x) * kPowersOfTen[static_cast<std::size_t>(places)] >= kWholeFrom) {
      return x;  // its digits end before those places
    }
    const Rounded rounded = round_scaled(x, kPowersOfTen[static_cast<std::size_t>(places)]);
    if (rounded.sure) {
      return rounded.value;
    }
  }
  const MaybeReal scaled = shifted(x, places);
  return scaled.has_value() && std::isfinite(*scaled) ? shifted(std::round(*scaled), -places) : x;
}

// A whole column to one number of places.
Vector round_kernel(const KernelCall& call) {
  const Vector& input = call.args[0];
  const bool plain = input.is_flat() && !input.may_have_nulls() && call.args.size() == 2 &&
                     call.args[1].is_constant() && !call.args[1].may_have_nulls();
  const std::int64_t places = plain && call.rows > 0 ? call.args[1].at<std::int64_t>(0) : 0;
  if (!is_power_of_ten(places)) {
    return lifting::kernel<&round_digits>(call);
  }
  const double power = kPowersOfTen[static_cast<std::size_t>(places)];
  const double* data = input.values().data<double>();
  std::shared_ptr<Values> values = Values::make(Type::kReal, call.rows);
  auto* out = values->mutable_data<double>();
  for (std::size_t i = 0; i < call.rows; ++i) {
    const Rounded rounded = round_scaled(data[i], power);
    out[i] = rounded.value;
    if (!rounded.sure) [[unlikely]] {
      const MaybeReal exact = round_digits(data[i], places);
      if (exact.has_value()) {
        out[i] = *exact;
      } else {
        values->set_null(i);
      }
    }
  }
  return Vector::flat(std::move(values));
}

constexpr Overload lift_round() {
  Overload overload = lift<round_digits>();
  overload.kernel = &round_kernel;
  return overload;
}

// An integer has nothing to round but by negative digits.
MaybeLong round_long(std::int64_t x, MaybeLong digits) {
  const std::int64_t places = digits.value_or(0);
  if (places >= 0) {
    return x;
  }
  // 10^19 has no place in a long: only what is nearer to 0 has a result.
  constexpr std::int64_t kPlacesMax = 18;
  constexpr std::int64_t kHalfOfNextUnit = 5'000'000'000'000'000'000;
  if (places < -kPlacesMax) {
    const bool up = places == -kPlacesMax - 1 && (x >= kHalfOfNextUnit || x <= -kHalfOfNextUnit);
    return up ? std::nullopt : MaybeLong(0);
  }
  std::int64_t unit = 1;
  for (std::int64_t digit = places; digit < 0; ++digit) {
    unit *= 10;
  }
  const std::int64_t rest = x % unit;
  const std::int64_t down = x - rest;
  const std::int64_t half = unit / 2;
  if (rest >= half) {
    return checked_add(down, unit);
  }
  return rest <= -half ? checked_subtract(down, unit) : down;
}

// A timespan counts as its nanoseconds, as toreal() has it: queries about spans divide their
// durations by 1000000.0 and round that to milliseconds.
MaybeLong round_span(Timespan x, MaybeLong digits) {
  return round_long(x.ns, digits);
}

constexpr std::array<ScalarFunction, 1> kRoundDigitsFunctions = {{
    {.name = "round",
     .category = "math",
     .summary = "Rounds to a number of decimal digits, halves away from zero.",
     .params =
         {{{"x", "The number to round, or a timespan: the number of its nanoseconds."},
           {"[digits]",
            "Digits after the point, 0 when left out; negative ones round to tens, hundreds, …"}}},
     .returns = "A real for a real, otherwise a long.",
     .examples = {{{"print round(2.5), round(-2.5)", "3  -3"},
                   {"print round(1.005, 2)", "1.01"},
                   {"print round(1250, -2)", "1300"}}},
     .overloads = {lift<round_long>(), lift_round(), lift<round_span>()},
     .result_name = ResultName::kArgument},
}};

}  // namespace

std::span<const ScalarFunction> round_digits_functions() {
  return kRoundDigitsFunctions;
}

}  // namespace evq
