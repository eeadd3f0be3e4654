// QuantileSketch: exact with few values, and within the stated rank error on distributions that
// are hard for sketches, built in one piece or merged from many.

#include "apl/functions/quantile_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

struct Distribution {
  const char* name;
  std::function<double(std::size_t, std::mt19937_64&)> value;  // of row i
};

constexpr std::size_t kRows = 200000;

const std::vector<Distribution>& distributions() {
  static const std::vector<Distribution> kAll = {
      {"constant", [](std::size_t, std::mt19937_64&) { return 42.0; }},
      {"two points", [](std::size_t i, std::mt19937_64&) { return i % 10 == 0 ? 1e9 : -1.0; }},
      {"sorted", [](std::size_t i, std::mt19937_64&) { return static_cast<double>(i); }},
      {"reversed", [](std::size_t i, std::mt19937_64&) { return static_cast<double>(kRows - i); }},
      {"uniform",
       [](std::size_t, std::mt19937_64& r) { return static_cast<double>(r() % 1000000); }},
      {"heavy tail",
       [](std::size_t, std::mt19937_64& r) {
         return std::pow(1 - std::ldexp(static_cast<double>(r() >> 11), -53), -3.0);
       }},
      {"zigzag",
       [](std::size_t i, std::mt19937_64&) {
         return i % 2 == 0 ? static_cast<double>(i) : -static_cast<double>(i);
       }},
      {"half close together, half over every magnitude",
       [](std::size_t i, std::mt19937_64& r) {
         const double share = std::ldexp(static_cast<double>(r() >> 11), -53);
         return i % 2 == 0 ? 1 + share / 20
                           : std::ldexp(1 + share, static_cast<int>(i % 1200) - 600);
       }},
      {"exponents", [](std::size_t i, std::mt19937_64&) {
         return std::ldexp(1.0, static_cast<int>(i % 600) - 300);
       }}};
  return kAll;
}

std::vector<double> values_of(const Distribution& distribution) {
  std::mt19937_64 random(11);
  std::vector<double> values(kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    values[i] = distribution.value(i, random);
  }
  return values;
}

// How far the rank of `answer` is from the wanted one, as a share of all rows.
double rank_error(const std::vector<double>& sorted, double q, double answer) {
  const auto low = std::ranges::lower_bound(sorted, answer) - sorted.begin();
  const auto high = std::ranges::upper_bound(sorted, answer) - sorted.begin();
  const double rank = q * static_cast<double>(sorted.size());
  const double gap =
      std::max({0.0, static_cast<double>(low) - rank, rank - static_cast<double>(high)});
  return gap / static_cast<double>(sorted.size());
}

void check_errors(const std::vector<double>& sorted, const QuantileSketch<double>& sketch) {
  CHECK(sketch.count() == static_cast<double>(sorted.size()));
  CHECK(sketch.quantile(0) == sorted.front());
  CHECK(sketch.quantile(1) == sorted.back());
  for (const double q : {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999}) {
    CAPTURE(q);
    const double limit = q <= 0.01 || q >= 0.99 ? 0.001 : 0.005;
    CHECK(rank_error(sorted, q, sketch.quantile(q)) <= limit);
  }
}

TEST_CASE("quantile sketch: nearest rank exactly while there are few different values") {
  QuantileSketch<std::int64_t> sketch;
  for (std::int64_t i = 1; i <= 4000; ++i) {
    sketch.add(i);
    sketch.add(i);
  }
  sketch.flush();
  CHECK(sketch.is_exact());
  CHECK(sketch.quantile(0) == 1);
  CHECK(sketch.quantile(0.5) == 2000);
  CHECK(sketch.quantile(0.99) == 3960);
  CHECK(sketch.quantile(1) == 4000);
}

TEST_CASE("quantile sketch: errors hold in one piece and in many") {
  for (const Distribution& distribution : distributions()) {
    CAPTURE(distribution.name);
    const std::vector<double> values = values_of(distribution);
    std::vector<double> sorted = values;
    std::ranges::sort(sorted);

    QuantileSketch<double> whole;
    std::vector<QuantileSketch<double>> parts(13);
    for (std::size_t i = 0; i < values.size(); ++i) {
      whole.add(values[i]);
      parts[i * i % parts.size()].add(values[i]);
    }
    whole.flush();
    check_errors(sorted, whole);
    QuantileSketch<double> merged;
    for (const QuantileSketch<double>& part : parts) {
      merged.merge(part);
    }
    merged.flush();
    check_errors(sorted, merged);
    CHECK(merged.size_bytes() < 512 * 1024);
    // The same rows give the same answers, whatever their order and split: to the last bit.
    CHECK(merged.serialize() == whole.serialize());
    QuantileSketch<double> backwards;
    for (std::size_t i = parts.size(); i-- > 0;) {
      QuantileSketch<double> part = parts[i];
      part.merge(backwards);
      backwards = std::move(part);
    }
    backwards.flush();
    CHECK(backwards.serialize() == whole.serialize());
    const auto read_back = QuantileSketch<double>::parse(whole.serialize());
    REQUIRE(read_back.has_value());
    CHECK(read_back->quantile(0.5) == whole.quantile(0.5));
  }
}

// Values of weight 1 go another way, one by one and sorted by comparison.
template <class T>
void check_ways_agree(const std::vector<T>& values) {
  QuantileSketch<T> counted;
  QuantileSketch<T> compared;
  for (const T value : values) {
    counted.add(value);
    compared.add(value, 1.0);
  }
  counted.flush();
  compared.flush();
  CHECK(counted.count() == static_cast<double>(values.size()));
  CHECK(counted.serialize() == compared.serialize());
}

TEST_CASE("quantile sketch: counting by an index makes the buckets that sorting makes") {
  for (const Distribution& distribution : distributions()) {
    CAPTURE(distribution.name);
    std::vector<double> values = values_of(distribution);
    check_ways_agree(values);
    std::vector<std::int64_t> whole;
    for (std::size_t i = 0; i < values.size(); ++i) {
      whole.push_back(std::llround(std::clamp(values[i], -1e15, 1e15)));
      values[i] = i % 7 == 0 ? (i % 2 == 0 ? 0.0 : -0.0) : values[i];
    }
    check_ways_agree(values);
    check_ways_agree(whole);
  }
}

TEST_CASE("quantile sketch: bytes that are no state are refused") {
  QuantileSketch<double> sketch;
  sketch.add(1);
  sketch.add(2);
  sketch.flush();
  const std::string good = sketch.serialize();
  CHECK(QuantileSketch<double>::parse(good).has_value());
  CHECK(!QuantileSketch<double>::parse("").has_value());
  CHECK(!QuantileSketch<double>::parse(good.substr(0, good.size() - 1)).has_value());
  CHECK(!QuantileSketch<double>::parse(good + good.substr(1)).has_value());  // not ascending
  CHECK(!QuantileSketch<double>::parse("\xff" + good.substr(1)).has_value());
  const auto parses = [](QuantileSketch<double>::Bucket bucket) {
    std::string bytes(1 + sizeof bucket, '\0');
    std::memcpy(bytes.data() + 1, &bucket, sizeof bucket);
    return QuantileSketch<double>::parse(bytes).has_value();
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  CHECK(parses({1, 2, 3}));
  CHECK(parses({kInfinity, kInfinity, 1}));
  CHECK(parses({1, 1, 0x1p53}));
  CHECK(!parses({1, 1, 0x1p54}));
  CHECK(!parses({1, 1, 0}));
  CHECK(!parses({1, 1, 1.5}));
  CHECK(!parses({1, 1, kInfinity}));
  CHECK(!parses({1, 1, std::nan("")}));
  CHECK(!parses({-kInfinity, kInfinity, 2}));
  CHECK(!parses({1, kInfinity, 2}));
  CHECK(!parses({2, 1, 1}));
}

TEST_CASE("quantile sketch: weights stand for rows") {
  QuantileSketch<double> weighted;
  QuantileSketch<double> repeated;
  for (int i = 0; i < 3000; ++i) {
    weighted.add(i, i % 5);
    for (int j = 0; j < i % 5; ++j) {
      repeated.add(i);
    }
  }
  weighted.flush();
  repeated.flush();
  CHECK(weighted.count() == repeated.count());
  CHECK(std::abs(weighted.quantile(0.5) - repeated.quantile(0.5)) < 15);
}

TEST_CASE("quantile sketch: datetimes keep their nanoseconds and extremes do not overflow") {
  QuantileSketch<std::int64_t> times;
  constexpr std::int64_t kStart = 1700000000123456789;
  for (std::int64_t i = 0; i < 100000; ++i) {
    times.add(kStart + i);
  }
  times.flush();
  CHECK(std::abs(times.quantile(0.5) - kStart - 50000) < 500);
  QuantileSketch<std::int64_t> ends;
  for (std::int64_t i = 0; i < 10000; ++i) {
    ends.add(std::numeric_limits<std::int64_t>::max() - i);
    ends.add(std::numeric_limits<std::int64_t>::min() + i);
  }
  ends.flush();
  CHECK(ends.quantile(0) == std::numeric_limits<std::int64_t>::min());
  CHECK(ends.quantile(1) == std::numeric_limits<std::int64_t>::max());
  CHECK(ends.quantile(0.25) < std::numeric_limits<std::int64_t>::min() + 10000);
  CHECK(ends.quantile(0.75) > std::numeric_limits<std::int64_t>::max() - 10000);
}

TEST_CASE("quantile sketch: infinities are values") {
  QuantileSketch<double> sketch;
  for (int i = 0; i < 10000; ++i) {
    sketch.add(i);
  }
  sketch.add(std::numeric_limits<double>::infinity());
  sketch.add(-std::numeric_limits<double>::infinity());
  sketch.flush();
  CHECK(std::isinf(sketch.quantile(1)));
  CHECK(std::abs(sketch.quantile(0.5) - 5000) < 50);
}

}  // namespace
}  // namespace evq
