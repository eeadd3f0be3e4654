#pragma once
// Sample values and vectors for tests of columns: for every type its edge values, and every shape
// a vector can have over them. Values by Value they are the slow twin of whatever is tested.

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"
#include "store/column/value.h"
#include "store/column/vector.h"
#include "store/column/vector_builder.h"

namespace evq::test {

inline constexpr std::array<Type, kTypeCount> kTypes = {
    Type::kNull,   Type::kBool,     Type::kLong,     Type::kReal,
    Type::kString, Type::kDatetime, Type::kTimespan, Type::kDynamic};

inline Value dynamic_value(std::string_view json) {
  const auto bytes = dynamic_from_json(json);
  REQUIRE(bytes.has_value());
  return Value::dynamic(*bytes);
}

// Non-null values of a type, in ascending order; none for kNull.
inline std::vector<Value> sample_values(Type type) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::vector<Value> values;
  switch (type) {
    case Type::kNull:
      break;
    case Type::kBool:
      return {Value::boolean(false), Value::boolean(true)};
    case Type::kLong:
      for (const std::int64_t number : {kMin, std::int64_t{-1}, std::int64_t{0}, std::int64_t{7},
                                        std::int64_t{9007199254740993}, kMax}) {
        values.push_back(Value::integer(number));
      }
      break;
    case Type::kReal:
      for (const double number :
           {-std::numeric_limits<double>::infinity(), -1.5, 0.0, 5e-324, 0.1, 9007199254740992.0,
            std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
        values.push_back(Value::real(number));
      }
      break;
    case Type::kString:
      for (const std::string& text : {std::string(), std::string("\0", 1), std::string("A"),
                                      std::string("a"), std::string("ab"), std::string(9000, 'b'),
                                      std::string("\u00e9"), std::string("\U0001F600")}) {
        values.push_back(Value::string(text));
      }
      break;
    case Type::kDatetime:
      for (const std::int64_t number : {kMin, std::int64_t{0}, kMax}) {
        values.push_back(Value::datetime(number));
      }
      break;
    case Type::kTimespan:
      for (const std::int64_t number : {kMin, std::int64_t{0}, std::int64_t{1}, kMax}) {
        values.push_back(Value::timespan(number));
      }
      break;
    case Type::kDynamic:
      for (const char* json : {"true", "3", "2.5e300", "\"x\"", "[]", "[1]", "[1,2]", "[[]]", "{}",
                               R"({"a":1})", R"({"a":1,"b":[true,null]})", R"({"a":2})"}) {
        values.push_back(dynamic_value(json));
      }
      break;
  }
  return values;
}

// `count` values that cycle through the samples with nulls in between.
inline std::vector<Value> mixed_values(Type type, std::size_t count, bool with_nulls) {
  std::vector<Value> cycle = sample_values(type);
  if (with_nulls || cycle.empty()) {
    cycle.insert(cycle.begin() + static_cast<std::ptrdiff_t>(cycle.size() / 2), Value::null(type));
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(cycle[(i * 5 + i / 11) % cycle.size()]);
  }
  return values;
}

inline Vector flat_vector(Type type, const std::vector<Value>& values) {
  VectorBuilder builder(type);
  for (const Value& value : values) {
    builder.append(value);
  }
  return builder.finish();
}

inline std::vector<Value> values_of(const Vector& vector) {
  std::vector<Value> values;
  for (std::size_t i = 0; i < vector.size(); ++i) {
    values.push_back(vector.value(i));
  }
  return values;
}

// Vectors of `size` rows in every shape, with and without nulls; entries of the dictionaries
// repeat and are not all used.
inline std::vector<Vector> sample_vectors(Type type, std::size_t size) {
  std::vector<Vector> vectors;
  for (const bool with_nulls : {false, true}) {
    vectors.push_back(flat_vector(type, mixed_values(type, size, with_nulls)));
    const Vector entries = flat_vector(type, mixed_values(type, 19, with_nulls));
    std::shared_ptr<Code[]> codes = make_codes(size);
    for (std::size_t i = 0; i < size; ++i) {
      codes.get()[i] = static_cast<Code>((i * 3 + i / 5) % 17);
    }
    vectors.push_back(Vector::dictionary(entries.shared_values(), std::move(codes), size));
  }
  vectors.push_back(Vector::constant(Value::null(type), size));
  const std::vector<Value> samples = sample_values(type);
  if (!samples.empty()) {
    vectors.push_back(Vector::constant(samples.back(), size));
  }
  return vectors;
}

// Every row of `vector` is the value of that place, by value() and by is_null().
inline void check_rows(const Vector& vector, const std::vector<Value>& expected) {
  REQUIRE(vector.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    REQUIRE(vector.is_null(i) == expected[i].is_null());
    REQUIRE(vector.value(i) == expected[i]);
  }
}

}  // namespace evq::test

namespace doctest {
template <>
struct StringMaker<evq::Value> {
  static String convert(const evq::Value& value) { return value.to_text().c_str(); }
};
}  // namespace doctest
