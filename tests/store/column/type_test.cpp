#include "store/column/type.h"

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {

TEST_CASE("every type is found by its name") {
  for (const Type type : kTypes) {
    if (type == Type::kNull) {
      CHECK_FALSE(type_from_name(type_name(type)).has_value());
    } else {
      CHECK(type_from_name(type_name(type)) == type);
    }
    CHECK_FALSE(api_type_name(type).empty());
  }
  CHECK(type_from_name("int") == Type::kLong);
  CHECK(type_from_name("double") == Type::kReal);
  CHECK_FALSE(type_from_name("Long").has_value());
}

TEST_CASE("common_type is symmetric, keeps equal types and absorbs null") {
  for (const Type a : kTypes) {
    CHECK(common_type(a, a) == a);
    CHECK(common_type(a, Type::kNull) == a);
    for (const Type b : kTypes) {
      CHECK(common_type(a, b) == common_type(b, a));
    }
  }
  CHECK(common_type(Type::kLong, Type::kReal) == Type::kReal);
  CHECK(common_type(Type::kLong, Type::kString) == Type::kDynamic);
}

}  // namespace evq::test
