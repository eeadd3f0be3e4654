#include "store/column/dynamic_json.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

std::string round_trip(std::string_view json, KeyOrder keys = KeyOrder::kAsStored) {
  const auto bytes = dynamic_from_json(json);
  if (!bytes) {
    return "(refused)";
  }
  CHECK(validate_dynamic(*bytes));
  std::string text;
  append_json(DynamicView(*bytes), &text, keys);
  return text;
}

std::string brackets(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

}  // namespace

TEST_CASE("JSON goes to dynamic and back") {
  struct Case {
    std::string_view json;
    std::string_view expected;
  };
  const Case cases[] = {
      {"null", "null"},
      {" true ", "true"},
      {"[ 1 , -2,3.50 , 1e3]", "[1,-2,3.5,1000]"},
      {R"({"b":1,"a":{"z":[],"y":{}}})", R"({"b":1,"a":{"z":[],"y":{}}})"},
      {R"({"a":1,"b":2,"a":3})", R"({"a":3,"b":2})"},
      {R"("q\"b\\s\/\u0001\n\u00e9\ud83d\ude00")", "\"q\\\"b\\\\s/\\u0001\\n\u00e9\U0001F600\""},
      {"9223372036854775807", "9223372036854775807"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"9223372036854775808", "9223372036854776000"},
      {"18446744073709551615", "18446744073709552000"},
      {"18446744073709551616", "18446744073709552000"},
      {"-9223372036854775809", "-9223372036854776000"},
      {"[123456789012345678901234567890,1]", "[1.2345678901234568e+29,1]"},
      {R"({"12345678901234567890123":12345678901234567890123,"s":"\"99999999999999999999"})",
       R"({"12345678901234567890123":1.2345678901234568e+22,"s":"\"99999999999999999999"})"},
      {"[99999999999999999999.5,0.12345678901234567890123,1e-7]",
       "[100000000000000000000,0.12345678901234568,1e-7]"},
      {"-0.0", "-0"},
      {"", "(refused)"},
      {" ", "(refused)"},
      {"[1,]", "(refused)"},
      {"{'a':1}", "(refused)"},
      {"nul", "(refused)"},
      {"01", "(refused)"},
      {"1 2", "(refused)"},
      {"+1", "(refused)"},
      {"NaN", "(refused)"},
      {"1e400", "(refused)"},
      {"0123456789012345678901234567890", "(refused)"},
      {"\"\xff\"", "(refused)"},
      {"\"tab\there\"", "(refused)"},
      {R"({"a":1)", "(refused)"},
      {R"("\ud800")", "(refused)"},
  };
  for (const Case& test : cases) {
    CAPTURE(test.json);
    CHECK(round_trip(test.json) == test.expected);
  }
}

TEST_CASE("written JSON reads back as the same value") {
  for (const Value& value : sample_values(Type::kDynamic)) {
    const DynamicView view(value.as_text());
    const auto again = dynamic_from_json(json_from_dynamic(view));
    REQUIRE(again.has_value());
    CHECK(compare_dynamic(view, DynamicView(*again)) == 0);
  }
}

TEST_CASE("keys are sorted at every level on request") {
  CHECK(round_trip(R"({"b":[{"d":1,"c":2}],"a":0})", KeyOrder::kSorted) ==
        R"({"a":0,"b":[{"c":2,"d":1}]})");
}

TEST_CASE("values JSON does not have") {
  struct Case {
    Value value;
    std::string_view json;
  };
  const Case cases[] = {
      {Value::datetime(1714521600000000000), R"("2024-05-01T00:00:00Z")"},
      {Value::datetime(1714521600000000001), R"("2024-05-01T00:00:00.000000001Z")"},
      {Value::timespan(90000000000), R"("1m30s")"},
      {Value::real(std::numeric_limits<double>::quiet_NaN()), "null"},
      {Value::real(-std::numeric_limits<double>::infinity()), "null"},
      {Value::real(0.1), "0.1"},
  };
  for (const Case& test : cases) {
    CHECK(json_from_dynamic(DynamicView(dynamic_from_value(test.value))) == test.json);
  }
}

TEST_CASE("nesting is read up to its limit") {
  CHECK(round_trip(brackets(kDynamicDepthMax)) == brackets(kDynamicDepthMax));
  CHECK(round_trip(brackets(kDynamicDepthMax + 1)) == "(refused)");
  CHECK(round_trip(brackets(100000)) == "(refused)");
}

TEST_CASE("a reader reads one text after the other") {
  JsonReader reader;
  DynamicBuilder builder;
  builder.begin_array();
  CHECK(reader.read("1", &builder));
  CHECK_FALSE(reader.read("[1,", &builder));
  CHECK_FALSE(reader.read("[2," + brackets(kDynamicDepthMax) + "]", &builder));
  CHECK(reader.read('"' + std::string(100000, 'x') + '"', &builder));
  CHECK(reader.read("[{}]", &builder));
  builder.end_array();
  const std::string bytes = builder.take();
  REQUIRE(validate_dynamic(bytes));
  const DynamicView array(bytes);
  CHECK(array.size() == 3);
  CHECK(array.at(1).as_string().size() == 100000);
  CHECK(array.at(2).at(0).is_bag());
}

TEST_CASE("numbers beyond every double are null inside of a value, or refused") {
  JsonReader reader;
  const auto read = [&](std::string_view json, HugeNumbers huge) {
    DynamicBuilder builder;
    return reader.read(json, &builder, kDynamicDepthMax, huge)
               ? json_from_dynamic(DynamicView(builder.bytes()))
               : "(refused)";
  };
  const std::string digits(400, '9');
  CHECK(read("[-1e400,1]", HugeNumbers::kNull) == "[null,1]");
  CHECK(read("{\"a\":" + digits + ",\"b\":true}", HugeNumbers::kNull) == R"({"a":null,"b":true})");
  CHECK(read(R"(["1e400\"",1e400,18446744073709551616])", HugeNumbers::kNull) ==
        R"(["1e400\"",null,18446744073709552000])");
  CHECK(read("[1e400]", HugeNumbers::kRefused) == "(refused)");
  for (const std::string& json :
       {std::string("1e400"), digits, std::string("[01e400]"), std::string("[1e400"),
        std::string("[1e400e]"), std::string("[1.e400]"), std::string("[-.5e400]"),
        std::string("[-01e400]")}) {
    CAPTURE(json);
    CHECK(read(json, HugeNumbers::kNull) == "(refused)");
  }
}

}  // namespace evq::test
