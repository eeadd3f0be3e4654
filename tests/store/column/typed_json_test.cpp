#include "store/column/typed_json.h"

#include <limits>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "store/column/dynamic_json.h"

namespace evq {
namespace {

std::string real(double value) {
  std::string text = "x";
  append_typed_real(value, &text);
  return text.substr(1);
}

TEST_CASE("typed reals are read as reals") {
  CHECK(real(3) == "3.0");
  CHECK(real(0) == "0.0");
  CHECK(real(-0.0) == "-0.0");
  CHECK(real(0.5) == "0.5");
  CHECK(real(-1234567890123) == "-1234567890123.0");
  CHECK(real(1e20) == "100000000000000000000.0");
  CHECK(real(1e21) == "1e+21");
  CHECK(real(1e-7) == "1e-7");
  CHECK(real(std::numeric_limits<double>::quiet_NaN()) == "null");
  CHECK(real(-std::numeric_limits<double>::infinity()) == "null");
}

TEST_CASE("typed values are read as they were written") {
  for (const char* text :
       {"3.0", "3", "-0.0", R"("3.0")", "null", "true", "[]", "{}", "[1,1.0,[2.0,[]],{}]",
        R"({"a":1.0,"b":{"c":[2.0,"x\"\n"],"":-5.0},"d":1e+300,"e":false})"}) {
    CAPTURE(text);
    const std::optional<std::string> value = dynamic_from_json(text);
    REQUIRE(value.has_value());
    std::string written = "[1.5]";  // what is there already is not looked at
    append_typed_json(DynamicView(*value), &written);
    CHECK(written == "[1.5]" + std::string(text));
    CHECK(dynamic_from_json(written.substr(5)) == value);
  }
}

}  // namespace
}  // namespace evq
