// HyperLogLog: exact below the limit, within its error above, and the same however it was built.

#include "apl/functions/hyperloglog.h"

#include <cmath>
#include <random>

#include <doctest/doctest.h>

#include "apl/functions/value_hash.h"

namespace evq {
namespace {

HyperLogLog sketch_of(std::int64_t begin, std::int64_t end,
                      unsigned precision = HyperLogLog::kPrecisionDefault) {
  HyperLogLog sketch(precision);
  for (std::int64_t i = begin; i < end; ++i) {
    sketch.add(sketch_hash(i));
  }
  return sketch;
}

double relative_error(const HyperLogLog& sketch, double truth) {
  return std::abs(static_cast<double>(sketch.estimate()) - truth) / truth;
}

TEST_CASE("hyperloglog: exact up to its limit, repeated values or not") {
  for (const std::int64_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9, 100, 4095, 4096}) {
    HyperLogLog sketch = sketch_of(0, count);
    sketch.merge(sketch_of(0, count));
    CHECK(sketch.estimate() == static_cast<std::uint64_t>(count));
    sketch.settle();
    CHECK(sketch.is_exact());
    CHECK(sketch.estimate() == static_cast<std::uint64_t>(count));
  }
  HyperLogLog zero;
  zero.add(0);
  zero.add(0);
  CHECK(zero.estimate() == 1);
  HyperLogLog many = sketch_of(0, 4097);
  many.settle();
  CHECK_FALSE(many.is_exact());
  HyperLogLog full = sketch_of(0, 4096);
  full.settle();
  full.add(0);
  CHECK(full.estimate() == [] {
    HyperLogLog other = sketch_of(0, 4000);
    other.add(0);
    other.merge(sketch_of(4000, 4096));
    return other.estimate();
  }());
  full.settle();
  CHECK_FALSE(full.is_exact());
}

TEST_CASE("hyperloglog: settling between any two values changes nothing") {
  std::mt19937_64 random(11);
  for (const std::uint64_t values : {3U, 20U, 700U, 4096U, 6000U}) {
    HyperLogLog seldom;
    HyperLogLog often;
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t hash = sketch_hash(static_cast<std::int64_t>(random() % values));
      seldom.add(hash);
      often.add(hash);
      if (random() % 50 == 0) {
        often.settle();
      }
    }
    CHECK(seldom.serialize() == often.serialize());
    often.settle();
    CHECK(often.size_bytes() <= 128 * 1024);
  }
}

TEST_CASE("hyperloglog: four standard errors hold at every size") {
  for (const unsigned precision : {14U, 16U, 17U, 18U}) {
    const double sigma = 1.04 / std::sqrt(std::ldexp(1.0, static_cast<int>(precision)));
    for (const std::int64_t count : {4097, 10000, 40000, 100000, 330000, 1000000}) {
      CAPTURE(precision);
      CAPTURE(count);
      CHECK(relative_error(sketch_of(0, count, precision), static_cast<double>(count)) < 4 * sigma);
    }
  }
}

TEST_CASE("hyperloglog: any split gives the same answer and the same bytes") {
  std::mt19937_64 random(7);
  for (const std::int64_t count : {3000, 5000, 50000}) {
    const HyperLogLog whole = sketch_of(0, count);
    for (int round = 0; round < 5; ++round) {
      const auto cut = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
      HyperLogLog left = sketch_of(cut, count);
      left.merge(sketch_of(0, cut));
      CHECK(left.estimate() == whole.estimate());
      CHECK(left.serialize() == whole.serialize());
    }
  }
}

TEST_CASE("hyperloglog: few values, which have no table, are as many") {
  for (std::int64_t left = 0; left < 10; ++left) {
    for (std::int64_t right = 0; right < 10; ++right) {
      HyperLogLog merged = sketch_of(0, left);
      merged.merge(sketch_of(0, left));
      merged.merge(sketch_of(left, left + right));
      merged.add(0);
      HyperLogLog whole = sketch_of(0, left + right);
      whole.add(0);
      CHECK(merged.estimate() == static_cast<std::uint64_t>(left + right + 1));
      CHECK(merged.serialize() == whole.serialize());
    }
  }
  CHECK(sketch_of(0, 4).size_bytes() == 0);
}

TEST_CASE("hyperloglog: different precisions meet at the smaller") {
  for (const std::int64_t count : {1000, 100000}) {
    HyperLogLog fine = sketch_of(0, count, 18);
    fine.merge(sketch_of(0, count, 14));
    CHECK(fine.precision() == 14);
    CHECK(fine.estimate() == sketch_of(0, count, 14).estimate());
    HyperLogLog coarse = sketch_of(0, count, 14);
    coarse.merge(sketch_of(0, count, 18));
    CHECK(coarse.estimate() == sketch_of(0, count, 14).estimate());
  }
}

TEST_CASE("hyperloglog: the serialized form reads back, other bytes do not") {
  for (const std::int64_t count : {0, 10, 100000}) {
    const HyperLogLog sketch = sketch_of(0, count);
    const auto parsed = HyperLogLog::parse(sketch.serialize());
    REQUIRE(parsed.has_value());
    CHECK(parsed->estimate() == sketch.estimate());
  }
  const std::string dense = sketch_of(0, 100000).serialize();
  CHECK_FALSE(HyperLogLog::parse("").has_value());
  CHECK_FALSE(HyperLogLog::parse(dense.substr(0, dense.size() - 1)).has_value());
  std::string large = dense;
  large.back() = static_cast<char>(0xFF);
  CHECK_FALSE(HyperLogLog::parse(large).has_value());
  CHECK_FALSE(HyperLogLog::parse(std::string("\x20\x01", 2)).has_value());
}

TEST_CASE("hyperloglog: memory is bounded") {
  CHECK(sketch_of(0, 4096).size_bytes() <= 128 * 1024);
  CHECK(sketch_of(0, 1000000).size_bytes() == 16384);
}

}  // namespace
}  // namespace evq
