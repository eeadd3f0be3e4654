#include "store/column/schema.h"

#include <doctest/doctest.h>

namespace evq {

TEST_CASE("fields are found by exact name, the first of equal ones") {
  const Schema schema({{"a", Type::kLong}, {"B", Type::kString}, {"a", Type::kReal}});
  CHECK(schema.size() == 3);
  CHECK(schema.find("a") == 0);
  CHECK(schema.find("B") == 1);
  CHECK_FALSE(schema.find("b").has_value());
  CHECK_FALSE(schema.find("").has_value());
  CHECK(schema[2].type == Type::kReal);
}

TEST_CASE("schemas are equal when their fields are") {
  CHECK(Schema() == Schema());
  CHECK(Schema({{"a", Type::kLong}}) == Schema({{"a", Type::kLong}}));
  CHECK_FALSE(Schema({{"a", Type::kLong}}) == Schema({{"a", Type::kReal}}));
  CHECK(Schema().size() == 0);
}

}  // namespace evq
