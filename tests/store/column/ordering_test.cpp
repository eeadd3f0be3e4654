#include "store/column/ordering.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

int sign(int order) {
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

constexpr std::uint64_t kSeeds[] = {0, 1, 0x123456789ABCDEFULL};

// Samples with a null in front and values that are equal but not the same bytes.
std::vector<Value> ordered_samples(Type type) {
  std::vector<Value> values = sample_values(type);
  values.insert(values.begin(), Value::null(type));
  if (type == Type::kReal) {
    values.push_back(Value::real(-0.0));
    values.push_back(Value::real(-std::numeric_limits<double>::quiet_NaN()));
  }
  if (type == Type::kDynamic) {
    values.push_back(dynamic_value(R"({"b":[true,null],"a":1})"));
    values.push_back(dynamic_value(R"([0.0,{"x":0.0}])"));
    values.push_back(dynamic_value(R"([-0.0,{"x":-0.0}])"));
  }
  return values;
}

void check_triple(const Value& a, const Value& b, const Value& c) {
  const bool ascending = compare_values(a, b) <= 0 && compare_values(b, c) <= 0;
  const bool holds = !ascending || compare_values(a, c) <= 0;
  REQUIRE_MESSAGE(holds, a, " ", b, " ", c);
  REQUIRE(sign(compare_values(a, b)) == -sign(compare_values(b, a)));
  REQUIRE(compare_values(a, a) == 0);
}

void check_total_order(const std::vector<Value>& list) {
  for (const Value& a : list) {
    for (const Value& b : list) {
      for (const Value& c : list) {
        check_triple(a, b, c);
      }
    }
  }
}

void check_row_pair(const Vector& a, std::size_t i, const Vector& b, std::size_t j) {
  const int expected = sign(compare_values(a.value(i), b.value(j)));
  REQUIRE(sign(compare_rows(a, i, b, j)) == expected);
  REQUIRE(rows_equal(a, i, b, j) == (expected == 0));
}

void check_rows_compare(const Vector& a, const Vector& b) {
  for (std::size_t i = 0; i < a.size(); i += 3) {
    for (std::size_t j = 0; j < b.size(); j += 2) {
      check_row_pair(a, i, b, j);
    }
  }
}

void check_hash_pair(const Value& a, const Value& b, std::uint64_t seed) {
  const auto hash_of = [seed](const Value& value) {
    return hash_row(Vector::constant(value, 1), 0, seed);
  };
  const bool equal = compare_values(a, b) == 0;
  const bool same_hash = hash_of(a) == hash_of(b);
  CHECK_MESSAGE(same_hash == equal, a, " ", b);
  CHECK_MESSAGE((a == b) == equal, a, " ", b);
}

void check_hashes_follow_equality(const std::vector<Value>& samples, std::uint64_t seed) {
  for (const Value& a : samples) {
    for (const Value& b : samples) {
      check_hash_pair(a, b, seed);
    }
  }
}

void check_hashes(const Vector& vector) {
  const Vector flat = vector.flatten();
  for (std::size_t i = 0; i < vector.size(); ++i) {
    const std::uint64_t hash = hash_row(vector, i, 9);
    REQUIRE(hash == hash_row(flat, i, 9));
    REQUIRE(hash == hash_row(Vector::constant(vector.value(i), 1), 0, 9));
  }
}

}  // namespace

TEST_CASE("samples are in ascending order, null first") {
  for (const Type type : kTypes) {
    if (type == Type::kDynamic) {
      continue;  // order of dynamics has tests of its own
    }
    const std::vector<Value> samples = sample_values(type);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      CHECK(compare_values(Value::null(type), samples[i]) < 0);
      CHECK(compare_values(samples[i], Value::null(type)) > 0);
      for (std::size_t j = 0; j < samples.size(); ++j) {
        CAPTURE(samples[i]);
        CAPTURE(samples[j]);
        CHECK(sign(compare_values(samples[i], samples[j])) == (i < j ? -1 : i > j ? 1 : 0));
      }
    }
  }
}

TEST_CASE("the order is total over each type") {
  for (const Type type : kTypes) {
    check_total_order(ordered_samples(type));
  }
}

TEST_CASE("the order is total over longs with reals") {
  std::vector<Value> numbers = ordered_samples(Type::kLong);
  const std::vector<Value> reals = ordered_samples(Type::kReal);
  numbers.insert(numbers.end(), reals.begin(), reals.end());
  numbers.push_back(Value::real(9223372036854775808.0));
  numbers.push_back(Value::real(-9223372036854775808.0));
  numbers.push_back(Value::real(6.999999999));
  check_total_order(numbers);
}

TEST_CASE("longs and reals compare without rounding") {
  struct Case {
    std::int64_t a;
    double b;
    int order;
  };
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  const Case cases[] = {
      {9007199254740993, 9007199254740992.0, 1},
      {9007199254740992, 9007199254740992.0, 0},
      {kMax, 9223372036854775808.0, -1},
      {kMin, -9223372036854775808.0, 0},
      {kMin, -9223372036854777856.0, 1},
      {0, -0.0, 0},
      {0, 5e-324, -1},
      {0, -5e-324, 1},
      {-1, -1.5, 1},
      {-2, -1.5, -1},
      {kMax, std::numeric_limits<double>::infinity(), -1},
      {kMin, -std::numeric_limits<double>::infinity(), 1},
      {kMax, std::numeric_limits<double>::quiet_NaN(), -1},
  };
  for (const Case& test : cases) {
    CAPTURE(test.a);
    CAPTURE(test.b);
    CHECK(compare_long_with_real(test.a, test.b) == test.order);
    CHECK(compare_values(Value::integer(test.a), Value::real(test.b)) == test.order);
    CHECK(compare_values(Value::real(test.b), Value::integer(test.a)) == -test.order);
  }
}

TEST_CASE("rows compare as their values, whatever the shapes") {
  for (const Type type : kTypes) {
    const std::vector<Vector> vectors = sample_vectors(type, 40);
    for (const Vector& a : vectors) {
      for (const Vector& b : vectors) {
        check_rows_compare(a, b);
      }
    }
  }
}

TEST_CASE("sort orders place nulls and reverse the rest") {
  const Vector vector =
      flat_vector(Type::kReal, {Value::null(Type::kReal), Value::real(1), Value::real(2),
                                Value::real(std::numeric_limits<double>::quiet_NaN())});
  for (const bool descending : {false, true}) {
    for (const bool nulls_first : {false, true}) {
      const SortOrder order{.descending = descending, .nulls_first = nulls_first};
      CHECK(compare_rows(vector, 0, vector, 0, order) == 0);
      CHECK(sign(compare_rows(vector, 0, vector, 1, order)) == (nulls_first ? -1 : 1));
      CHECK(sign(compare_rows(vector, 3, vector, 0, order)) == (nulls_first ? 1 : -1));
      CHECK(sign(compare_rows(vector, 1, vector, 2, order)) == (descending ? 1 : -1));
      CHECK(sign(compare_rows(vector, 2, vector, 3, order)) == (nulls_first ? 1 : -1));
    }
  }
}

TEST_CASE("equal values hash equally, different ones differently") {
  for (const Type type : kTypes) {
    for (const std::uint64_t seed : kSeeds) {
      check_hashes_follow_equality(ordered_samples(type), seed);
    }
  }
}

TEST_CASE("a row hashes to one value in every shape") {
  for (const Type type : kTypes) {
    for (const std::size_t size : {std::size_t{0}, std::size_t{5}, std::size_t{200}}) {
      for (const Vector& vector : sample_vectors(type, size)) {
        check_hashes(vector);
      }
    }
  }
}

TEST_CASE("hashes of consecutive integers spread over all bits") {
  constexpr std::size_t kCount = 4096;
  auto values = Values::make(Type::kLong, kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    values->mutable_data<std::int64_t>()[i] = static_cast<std::int64_t>(i);
  }
  for (const std::uint64_t seed : kSeeds) {
    const Vector vector = Vector::flat(values);
    std::vector<std::uint64_t> hashes(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      hashes[i] = hash_row(vector, i, seed);
    }
    for (unsigned bit = 0; bit < 64; ++bit) {
      const auto ones = std::count_if(hashes.begin(), hashes.end(), [bit](std::uint64_t hash) {
        return ((hash >> bit) & 1) != 0;
      });
      CAPTURE(bit);
      CHECK(ones > 1700);
      CHECK(ones < 2400);
    }
    for (std::uint64_t& hash : hashes) {
      hash >>= 24;
    }
    std::sort(hashes.begin(), hashes.end());
    CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
  }
}

}  // namespace evq::test
