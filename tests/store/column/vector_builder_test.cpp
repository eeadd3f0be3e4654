#include "store/column/vector_builder.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {

TEST_CASE("a builder gives back what was appended, and is empty afterwards") {
  for (const Type type : kTypes) {
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{300}}) {
      for (const bool with_nulls : {false, true}) {
        CAPTURE(type);
        CAPTURE(size);
        const std::vector<Value> values = mixed_values(type, size, with_nulls);
        VectorBuilder builder(type);
        builder.reserve(size);
        for (int round = 0; round < 2; ++round) {
          for (const Value& value : values) {
            builder.append(value);
          }
          CHECK(builder.size() == size);
          const Vector vector = builder.finish();
          CHECK(vector.type() == type);
          CHECK((vector.may_have_nulls() || !with_nulls || size < 2));
          check_rows(vector, values);
          CHECK(builder.size() == 0);
          CHECK(builder.size_bytes() == 0);
        }
      }
    }
  }
}

TEST_CASE("a null at any place leaves the rows around it valid") {
  for (std::size_t place = 0; place < 130; ++place) {
    VectorBuilder builder(Type::kLong);
    for (std::size_t i = 0; i < 130; ++i) {
      if (i == place) {
        builder.append_null();
      } else {
        builder.append_integer(static_cast<std::int64_t>(i));
      }
    }
    const Vector vector = builder.finish();
    for (std::size_t i = 0; i < 130; ++i) {
      REQUIRE(vector.is_null(i) == (i == place));
      REQUIRE(vector.at<std::int64_t>(i) == (i == place ? 0 : static_cast<std::int64_t>(i)));
    }
  }
}

TEST_CASE("append_row copies from every shape and widens") {
  for (const Type type : kTypes) {
    for (const Vector& vector : sample_vectors(type, 70)) {
      for (const Type target : {type, Type::kDynamic}) {
        VectorBuilder builder(target);
        for (std::size_t i = 0; i < vector.size(); ++i) {
          builder.append_row(vector, i);
        }
        check_rows(builder.finish(), values_of(vector.widen(target)));
      }
    }
  }
}

TEST_CASE("longs widen to reals") {
  VectorBuilder builder(Type::kReal);
  builder.append(Value::integer(3));
  builder.append_row(Vector::constant(Value::integer(4), 1), 0);
  check_rows(builder.finish(), {Value::real(3), Value::real(4)});
}

TEST_CASE("a dynamic null becomes a null row") {
  VectorBuilder builder(Type::kDynamic);
  builder.append_text(std::string_view("\0", 1));
  builder.append_view(std::string_view("\0", 1));
  builder.append(Value::null(Type::kLong));
  const Vector vector = builder.finish();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(vector.is_null(i));
  }
}

TEST_CASE("views live as long as what the values that they are of keep") {
  Vector vector;
  {
    const auto values =
        Values::make_constant(Value::string("a text long enough to be on the heap"));
    VectorBuilder builder(Type::kString);
    builder.append_view(*values->data<std::string_view>());
    builder.keep_alive(*values);
    vector = builder.finish();
  }
  CHECK(vector.at<std::string_view>(0) == "a text long enough to be on the heap");
}

}  // namespace evq::test
