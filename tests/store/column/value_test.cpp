#include "store/column/value.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/column_samples.h"

namespace evq::test {

TEST_CASE("values print themselves") {
  struct Case {
    Value value;
    std::string_view text;
  };
  const Case cases[] = {
      {Value(), "null"},
      {Value::null(Type::kString), "null"},
      {Value::boolean(true), "true"},
      {Value::integer(-3), "-3"},
      {Value::real(0.5), "0.5"},
      {Value::real(1), "1"},
      {Value::string("a \"b\""), "a \"b\""},
      {Value::datetime(1714521600000000000), "2024-05-01T00:00:00Z"},
      {Value::timespan(5400000000000), "1h30m0s"},
      {dynamic_value(R"([1, {"a": null}])"), R"([1,{"a":null}])"},
  };
  for (const Case& test : cases) {
    CHECK(test.value.to_text() == test.text);
  }
}

TEST_CASE("equality is of type and value") {
  CHECK(Value() == Value::null());
  CHECK_FALSE(Value() == Value::null(Type::kLong));
  CHECK_FALSE(Value::null(Type::kLong) == Value::integer(0));
  CHECK_FALSE(Value::integer(1) == Value::real(1));
  CHECK_FALSE(Value::datetime(1) == Value::timespan(1));
  CHECK(Value::real(0.0) == Value::real(-0.0));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(Value::real(nan) == Value::real(nan));
  CHECK(dynamic_value(R"({"a":1,"b":2})") == dynamic_value(R"({"b":2,"a":1})"));
}

TEST_CASE("a dynamic null is a null value") {
  CHECK(Value::dynamic(std::string(1, '\0')) == Value::null(Type::kDynamic));
  CHECK(Value::dynamic("").is_null());
}

}  // namespace evq::test
