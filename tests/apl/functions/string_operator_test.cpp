#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

TEST_CASE("string operators and their negated forms") {
  struct Case {
    std::string_view op;
    std::string_view left;
    std::string_view right;
    bool holds;
  };
  constexpr Case kCases[] = {
      {"contains", "Hello World", "WORLD", true},
      {"contains", "Hello", "", true},
      {"contains", "", "a", false},
      {"contains_cs", "Hello World", "WORLD", false},
      {"contains_cs", "Hello World", "World", true},
      {"startswith", "Hello", "hEL", true},
      {"startswith_cs", "Hello", "hel", false},
      {"startswith_cs", "Hello", "Hel", true},
      {"endswith", "Hello", "LLO", true},
      {"endswith_cs", "Hello", "LLO", false},
      {"has", "foo_bar", "FOO", true},
      {"has", "error2", "error", false},
      {"has_cs", "foo_bar", "FOO", false},
      {"has_cs", "foo_bar", "bar", true},
      {"hasprefix", "x error2", "ERR", true},
      {"hasprefix", "terror", "err", false},
      {"hasprefix_cs", "x error2", "ERR", false},
      {"hassuffix", "terror x", "ROR", true},
      {"hassuffix", "error2", "error", false},
      {"hassuffix_cs", "terror x", "ROR", false},
      {"matches_regex", "amount=57", "amount=[5-9][0-9]", true},
      {"matches_regex", "amount=47", "amount=[5-9][0-9]", false},
      {"matches_regex", "ABC", "(?i)abc", true},
  };
  for (const Case& c : kCases) {
    INFO(c.op << " " << c.left << " " << c.right);
    const std::vector<Value> values = {text_value(c.left), text_value(c.right)};
    CHECK(call_text("op_" + std::string(c.op), values) == (c.holds ? "true" : "false"));
    CHECK(call_text("op_not_" + std::string(c.op), values) == (c.holds ? "false" : "true"));
  }
}

TEST_CASE("a null text is an empty one to string operators") {
  check_calls({
      {"op_contains", {kNullText, text_value("a")}, "false"},
      {"op_not_contains", {kNullText, text_value("a")}, "true"},
      {"op_has", {kNullText, text_value("a")}, "false"},
      {"op_not_has", {kNullText, text_value("a")}, "true"},
      {"op_contains", {text_value("a"), kNullText}, "true"},
      {"op_not_matches_regex", {kNullText, text_value("a")}, "true"},
      {"op_matches_regex", {kNullText, text_value("^$")}, "true"},
  });
}

TEST_CASE("=~ treats nulls as == does") {
  check_calls({
      {"op_equal_fold", {text_value("ABC"), text_value("abc")}, "true"},
      {"op_equal_fold", {text_value("ABC"), text_value("abd")}, "false"},
      {"op_not_equal_fold", {text_value("ABC"), text_value("abd")}, "true"},
      {"op_equal_fold", {kNullText, text_value("a")}, "false"},
      {"op_not_equal_fold", {kNullText, text_value("a")}, "true"},
      {"op_equal_fold", {kNullText, text_value("")}, "false"},
      {"op_equal_fold", {kNullText, kNullText}, "null"},
      {"op_not_equal_fold", {kNullText, kNullText}, "null"},
  });
}

TEST_CASE("the left side may be of any type and counts by its text") {
  check_calls({
      {"op_contains", {json_value(R"({"a":["Deep"]})"), text_value("deep")}, "true"},
      {"op_has", {json_value(R"("some text")"), text_value("text")}, "true"},
      {"op_startswith", {long_value(404), text_value("40")}, "true"},
  });
}

TEST_CASE("in compares like == and flattens arrays") {
  check_calls({
      {"op_in", {text_value("a"), text_value("b"), text_value("a")}, "true"},
      {"op_in", {text_value("A"), text_value("a")}, "false"},
      {"op_in_fold", {text_value("A"), text_value("a")}, "true"},
      {"op_not_in_fold", {text_value("A"), text_value("a")}, "false"},
      {"op_not_in", {text_value("a"), text_value("b")}, "true"},
      {"op_in", {text_value("c"), json_value(R"(["a","b","c","d","e","f"])")}, "true"},
      {"op_in", {text_value("x"), json_value(R"(["a","b","c","d","e","f"])")}, "false"},
      {"op_in", {long_value(2), Value::real(2.0)}, "true"},
      {"op_in", {Value::real(2.5), long_value(2), Value::real(2.5)}, "true"},
      {"op_in", {long_value((std::int64_t{1} << 53) + 1), Value::real(0x1p53)}, "false"},
      {"op_in", {Value::real(0x1p53), long_value((std::int64_t{1} << 53) + 1)}, "false"},
      {"op_in", {long_value(3), json_value("[1,2,3]")}, "true"},
      {"op_in", {Value::boolean(true), Value::boolean(false), Value::boolean(true)}, "true"},
      {"op_in", {Value::datetime(5), Value::datetime(5)}, "true"},
      {"op_in", {Value::timespan(5), Value::timespan(6)}, "false"},
      {"op_in", {json_value("2"), long_value(2)}, "true"},
      {"op_in", {json_value(R"("a")"), text_value("a")}, "true"},
      {"op_in", {json_value("[1]"), json_value("[[1],2]")}, "true"},
      {"op_in", {kNullText, text_value("")}, "false"},
      {"op_not_in", {kNullText, text_value("")}, "true"},
      {"op_in", {text_value("a"), kNullText}, "false"},
  });
  CHECK(bind_failure("op_in", {text_value("1"), long_value(1)}).has_value());
}

TEST_CASE("has_any and has_all") {
  const Value text = text_value("disk sda is FULL");
  check_calls({
      {"op_has_any", {text, text_value("net"), text_value("full")}, "true"},
      {"op_has_any_cs", {text, text_value("net"), text_value("full")}, "false"},
      {"op_not_has_any", {text, text_value("net")}, "true"},
      {"op_has_any", {text, json_value(R"(["x","sda"])")}, "true"},
      {"op_has_all", {text, text_value("disk"), text_value("full")}, "true"},
      {"op_has_all_cs", {text, text_value("disk"), text_value("full")}, "false"},
      {"op_has_all", {text, json_value(R"(["disk","net"])")}, "false"},
      {"op_not_has_all", {text, json_value(R"(["disk","net"])")}, "true"},
      {"op_has_any", {kNullText, text_value("a")}, "false"},
  });
}

Value search_row(std::string_view pattern, std::string_view kind, std::vector<Value> columns) {
  std::vector<Value> values = {text_value(pattern), text_value(kind)};
  values.insert(values.end(), columns.begin(), columns.end());
  std::vector<ArgumentShape> shapes(values.size(), ArgumentShape::kFlat);
  shapes[0] = ArgumentShape::kKnownConstant;
  shapes[1] = ArgumentShape::kKnownConstant;
  return call_shaped("op_search", values, shapes);
}

TEST_CASE("search looks at the text of columns of all types") {
  const std::vector<Value> columns = {long_value(404),
                                      Value::real(0.5),
                                      Value::boolean(true),
                                      text_value("Not Found"),
                                      Value::timespan(80000000000),
                                      json_value(R"({"k":"deep"})"),
                                      Value::datetime(0),
                                      kNullText};
  const std::pair<std::string_view, bool> has[] = {
      {"404", true},  {"0.5", true},  {"TRUE", true},    {"found", true}, {"1m20s", true},
      {"deep", true}, {"1970", true}, {"absent", false}, {"40", false}};
  for (const std::pair<std::string_view, bool>& each : has) {
    INFO(each.first);
    CHECK(search_row(each.first, "has", columns) == Value::boolean(each.second));
  }
  CHECK(search_row("40", "hasprefix", columns) == Value::boolean(true));
  CHECK(search_row("04", "hassuffix", columns) == Value::boolean(true));
  CHECK(search_row("oun", "contains", columns) == Value::boolean(true));
  CHECK(search_row("OUN", "contains_cs", columns) == Value::boolean(false));
  CHECK(search_row("not found", "equal", columns) == Value::boolean(true));
  CHECK(search_row("f.und", "regex", columns) == Value::boolean(true));
  CHECK(search_row("f.und", "regex_cs", columns) == Value::boolean(false));
  CHECK(search_row("x", "has", {}) == Value::boolean(false));
}

TEST_CASE("an invalid new value keeps the old one") {
  check_calls({
      {"op_valid_or", {text_value(""), text_value("old")}, "old"},
      {"op_valid_or", {text_value("new"), text_value("old")}, "new"},
      {"op_valid_or", {long_value(0), long_value(7)}, "7"},
      {"op_valid_or", {Value::real(1e308 * 10), Value::real(7)}, "7"},
      {"op_valid_or", {json_value("[]"), json_value("[1]")}, "[1]"},
      {"op_valid_or", {Value::boolean(false), Value::null(Type::kBool)}, "null"},
  });
}

TEST_CASE("a bad pattern names its fault") {
  const auto message = bind_failure("op_matches_regex", {text_value("a"), text_value("(")});
  REQUIRE(message.has_value());
  CHECK(message->find("missing )") != std::string::npos);
}

}  // namespace
}  // namespace evq
