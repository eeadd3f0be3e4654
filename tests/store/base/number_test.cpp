#include "store/base/number.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

std::string real(double value) {
  std::string out;
  append_real(out, value);
  return out;
}

std::string json(double value) {
  std::string out;
  append_real_json(out, value);
  return out;
}

TEST_CASE("integers are read strictly") {
  CHECK(parse_int("0") == 0);
  CHECK(parse_int("-0") == 0);
  CHECK(parse_int("+7") == 7);
  CHECK(parse_int("007") == 7);
  CHECK(parse_int("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_int("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  for (const char* bad : {"", "+", "-", "+-1", "--1", " 1", "1 ", "1.0", "0x10", "1e3", "abc",
                          "9223372036854775808", "-9223372036854775809", "1_000"}) {
    CAPTURE(std::string(bad));
    CHECK(!parse_int(bad));
  }
  CHECK(parse_uint("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK(!parse_uint("18446744073709551616"));
  CHECK(!parse_uint("-1"));
}

TEST_CASE("reals are read whole") {
  CHECK(parse_real("1") == 1.0);
  CHECK(parse_real("+1.5") == 1.5);
  CHECK(parse_real("-.5") == -0.5);
  CHECK(parse_real("1.") == 1.0);
  CHECK(parse_real("1e3") == 1000.0);
  CHECK(parse_real("1E-3") == 0.001);
  CHECK(parse_real("0.1") == 0.1);
  CHECK(parse_real("1e400") == std::numeric_limits<double>::infinity());
  CHECK(parse_real("-1e400") == -std::numeric_limits<double>::infinity());
  CHECK(parse_real("1e-400") == 0.0);
  CHECK(parse_real("5e-324") == std::numeric_limits<double>::denorm_min());
  CHECK(parse_real("inf") == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(parse_real("NaN").value_or(0)));
  for (const char* bad :
       {"", "+", "-", ".", "e3", "1e", "1 ", " 1", "1x", "0x10", "+-1", "1,5", "nan(1)", "1.2.3"}) {
    CAPTURE(std::string(bad));
    CHECK(!parse_real(bad));
  }
}

TEST_CASE("reals print as Go prints them") {
  struct Row {
    double value;
    const char* text;
    const char* json;
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Row rows[] = {
      {0, "0", "0"},
      {-0.0, "-0", "-0"},
      {1, "1", "1"},
      {-1.5, "-1.5", "-1.5"},
      {0.1, "0.1", "0.1"},
      {1e6, "1000000", "1000000"},
      {123456789, "123456789", "123456789"},
      {1e20, "100000000000000000000", "100000000000000000000"},
      {1e21, "1e+21", "1e+21"},
      {1.5e300, "1.5e+300", "1.5e+300"},
      {0.0001, "0.0001", "0.0001"},
      {0.00001, "1e-05", "0.00001"},
      {0.000001, "1e-06", "0.000001"},
      {1.25e-7, "1.25e-07", "1.25e-7"},
      {5e-324, "5e-324", "5e-324"},
      {9007199254740993.0, "9007199254740992", "9007199254740992"},
      {1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"},
      {infinity, "+Inf", "null"},
      {-infinity, "-Inf", "null"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN", "null"}};
  for (const Row& row : rows) {
    CHECK(real(row.value) == row.text);
    CHECK(json(row.value) == row.json);
  }
}

TEST_CASE("random doubles survive the round trip in both notations") {
  const std::uint64_t seed = 42;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200000; ++i) {
    double value = std::bit_cast<double>(random());
    if (i % 2 == 0) {
      value = static_cast<double>(static_cast<std::int64_t>(random() >> 20)) / 1000.0;
    }
    if (!std::isfinite(value)) {
      continue;
    }
    const std::string text = real(value);
    REQUIRE(text.size() <= kNumberTextBytesMax);
    REQUIRE(parse_real(text) == value);
    REQUIRE(parse_real(json(value)) == value);
  }
}

TEST_CASE("doubles become integers only inside the range") {
  CHECK(int_from_real(-1.9) == -1);
  CHECK(int_from_real(-9223372036854775808.0) == std::numeric_limits<std::int64_t>::min());
  CHECK(!int_from_real(9223372036854775808.0));
  CHECK(!int_from_real(std::numeric_limits<double>::quiet_NaN()));
}

TEST_CASE("integers print at the ends of their ranges") {
  std::string out;
  append_int(out, std::numeric_limits<std::int64_t>::min());
  out.push_back(' ');
  append_uint(out, std::numeric_limits<std::uint64_t>::max());
  CHECK(out == "-9223372036854775808 18446744073709551615");
}

}  // namespace
}  // namespace evq
