// Sums of doubles: exact, whatever order they are added up in.

#include "apl/functions/exact_sum.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace evq {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

struct SumCase {
  std::vector<double> values;
  double total;
};

double added_one_by_one(const std::vector<double>& values) {
  RealSum sum;
  for (const double value : values) {
    sum.add(value);
  }
  return sum.value();
}

double added_as_products(const std::vector<double>& values) {
  ProductSum sum;
  for (const double value : values) {
    sum.add(value);
  }
  return sum.value();
}

double added_in_halves(const std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  RealSum sum = sum_of(values.data(), half);
  sum.add(sum_of(values.data() + half, values.size() - half));
  return sum.value();
}

TEST_CASE("exact_sum: totals are right in every order") {
  const std::vector<SumCase> cases = {
      {{}, 0},
      {{0.1, 0.2, 0.3}, 0.6},
      {{1e300, 1, 1e-300, -1e300, -1}, 1e-300},
      {{1e16, 1, 1, -1e16}, 2},
      {{kLargest, kLargest, -kLargest}, kLargest},
      {{kLargest, kLargest, kLargest, -kLargest, -kLargest, -kLargest, 1}, 1},
      {{kLeast, kLeast, -1, 1, kLeast}, 3 * kLeast},
      {{1, 0x1p-53}, 1},                       // a tie goes to the even neighbour
      {{1, 0x1p-53, 0x1p-1000}, 1 + 0x1p-52},  // and a bit more decides it
      {{1 + 0x1p-52, 0x1p-53}, 1 + 0x1p-51},
      {{-1, -0x1p-53, -0x1p-1000, 1e200, -1e200}, -1 - 0x1p-52},
      {{kLargest, 0x1p+970}, std::numeric_limits<double>::infinity()},
      {{std::numeric_limits<double>::infinity(), -kLargest},
       std::numeric_limits<double>::infinity()},
  };
  std::mt19937_64 random(7);
  for (const SumCase& test : cases) {
    std::vector<double> values = test.values;
    for (int round = 0; round < 20; ++round) {
      std::ranges::shuffle(values, random);
      CHECK(added_one_by_one(values) == test.total);
      CHECK(added_as_products(values) == test.total);
      CHECK(added_in_halves(values) == test.total);
    }
  }
}

TEST_CASE("exact_sum: infinities and NaN in any order") {
  const double infinite = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& values :
       std::vector<std::vector<double>>{{infinite, -infinite, 1},
                                        {1, -infinite, infinite},
                                        {std::nan(""), 1},
                                        {1, std::nan("")}}) {
    CHECK(std::isnan(added_one_by_one(values)));
    CHECK(std::isnan(added_as_products(values)));
    CHECK(std::isnan(added_in_halves(values)));
  }
}

TEST_CASE("exact_sum: a counted value is as many values") {
  for (const double value : {0.1, 1e300, kLargest, kLeast, 0x1.fffffffffffffp-900, 1e-310, 3.0}) {
    for (const std::uint64_t count : {1U, 2U, 3U, 1000U}) {
      RealSum counted;
      counted.add(-1e5);
      counted.add_times(value, count);
      counted.add_times(exact_product(value, value), count);
      RealSum each;
      each.add(-1e5);
      for (std::uint64_t i = 0; i < count; ++i) {
        each.add(value);
        each.add(exact_product(value, value));
      }
      CHECK(counted.value() == each.value());
    }
  }
  WideSum wide;
  wide.add(0x1p-1074, std::uint64_t{1} << 52);
  CHECK(wide.value() == 0x1p-1022);
}

// A value of at most `bits` bits, some place above 2^least: such values often cancel and often tie.
double random_value(std::mt19937_64& random, unsigned bits, int least, unsigned places) {
  const auto whole = static_cast<double>(random() >> (64 - bits));
  const double value = std::ldexp(whole, least + static_cast<int>(random() % places));
  return random() % 2 == 0 ? value : -value;
}

TEST_CASE("exact_sum: the first digits are those of a sum that has a place for every one") {
  std::mt19937_64 random(11);
  for (const unsigned bits : {1U, 3U, 53U}) {
    for (const unsigned places : {4U, 54U, 110U}) {
      for (int round = 0; round < 2000; ++round) {
        ProductSum sum;
        WideSum wide;
        for (std::uint64_t i = random() % 8; i > 0; --i) {
          const double value = random_value(random, bits, -60, places);
          sum.add(value);
          wide.add(value);
        }
        const DoublePair digits = sum.digits();
        CHECK(digits.high == wide.value());
        wide.add(-digits.high);
        CHECK(digits.low == wide.value());
      }
    }
  }
}

}  // namespace
}  // namespace evq
