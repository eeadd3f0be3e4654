// Arrays, bags and sets: order, negative indexes, nulls, wrong types, paths.

#include <doctest/doctest.h>

#include "tests/support/function_calls.h"

namespace evq {
namespace {

Value t(std::string_view text) {
  return text_value(text);
}
Value n(std::int64_t number) {
  return long_value(number);
}
Value r(double number) {
  return Value::real(number);
}
Value j(std::string_view json) {
  return json_value(json);
}
const Value kNothing = Value::null();

TEST_CASE("arrays") {
  check_calls({
      {"array_concat", {j("[1]"), j("[]"), j("[2,null]")}, "[1,2,null]"},
      {"array_concat", {j("[1]"), n(2), j("null"), j("{\"a\":[3]}"), j("[4]")}, "[1,4]"},
      {"array_concat", {j("null"), n(2)}, "null"},
      {"array_extract", {j(R"([{"a":1},{"b":2},{"a":3}])"), t("$[*].a")}, "[1,3]"},
      {"array_extract", {j(R"([{"a b":[1,2]}])"), t("$[0]['a b'][-1]")}, "[2]"},
      {"array_extract", {j("[1]"), t("$[x]")}, "null"},
      {"array_iff", {j("[true,false,null,1]"), j("[1,2]"), t("x")}, R"([1,"x",null,null])"},
      {"array_index_of", {j("[1,2,1]"), r(1.0), n(1)}, "2"},
      {"array_index_of", {j("[1,2,1]"), n(1), n(0), n(-1), n(2)}, "2"},
      {"array_index_of", {j("[1,2,1]"), n(1), n(-2), n(1)}, "-1"},
      {"array_index_of", {t("x"), n(1)}, "null"},
      {"array_length", {j("{}")}, "null"},
      {"array_reverse", {j("[1,2,3]")}, "[3,2,1]"},
      {"array_rotate_left", {j("[1,2,3,4]"), n(-1)}, "[4,1,2,3]"},
      {"array_rotate_right", {j("[1,2,3,4]"), n(5)}, "[4,1,2,3]"},
      {"array_rotate_left", {j("[]"), n(5)}, "[]"},
      {"array_select_dict", {j(R"([1,{"k":1},{"k":2}])"), t("k"), n(2)}, R"({"k":2})"},
      {"array_shift_left", {j("[1,2,3]"), n(2)}, "[3,null,null]"},
      {"array_shift_right", {j("[1,2,3]")}, "[null,1,2]"},
      {"array_shift_right", {j("[1,2,3]"), n(9), n(0)}, "[0,0,0]"},
      {"array_slice", {j("[1,2,3,4]"), n(1), n(-1)}, "[2,3]"},
      {"array_slice", {j("[1,2,3,4]"), n(3), n(1)}, "[]"},
      {"array_sort_asc", {j(R"([3,null,"b",1.5,"a"])")}, R"([1.5,3,"a","b",null])"},
      {"array_sort_desc", {j("[1,null,2]")}, "[2,1,null]"},
      {"array_sort_asc", {n(1)}, "[]"},
      {"array_split", {j("[1,2,3,4,5]"), j("[1,-2]")}, "[[1],[2,3],[4,5]]"},
      {"array_split", {j("[1,2]"), n(9)}, "[[1,2],[]]"},
      {"array_sum", {j("[1,2,3.5]")}, "6.5"},
      {"array_sum", {j("[1,2]")}, "3"},
      {"array_sum", {j("[]")}, "null"},
      {"array_sum", {j(R"([1,"a",null])")}, "1"},
      {"array_sum", {j(R"(["a"])")}, "null"},
      {"array_sum", {j("[9223372036854775807,1]")}, "9223372036854776000"},
      {"isarray", {t("[1]")}, "false"},
      {"isarray", {Value::null(Type::kDynamic)}, "false"},
      {"len", {t("né")}, "2"},
      {"len", {j(R"({"a":1})")}, "1"},
      {"pack_array", {n(1), t("a"), kNothing}, R"([1,"a",null])"},
      {"repeat", {t("a"), n(2)}, R"(["a","a"])"},
      {"repeat", {t("a"), n(2000000)}, "null"},
      {"strcat_array", {j(R"(["a",1,null])"), t("-")}, "a-1-"},
      {"zip", {j("[1,2]"), j(R"(["a"])")}, R"([[1,"a"],[2,null]])"},
  });
}

TEST_CASE("bags") {
  check_calls({
      {"bag_has_key", {j(R"({"a":{"b":null}})"), t("$.a.b")}, "true"},
      {"bag_has_key", {j(R"({"a.b":1})"), t("a")}, "false"},
      {"bag_has_key", {j(R"(["a"])"), t("a")}, "false"},
      {"bag_keys", {j(R"({"b":1,"a":2})")}, R"(["b","a"])"},
      {"bag_keys", {j("[1]")}, "null"},
      {"bag_merge", {j(R"({"a":1})"), j(R"({"a":2,"b":3})")}, R"({"a":1,"b":3})"},
      {"bag_merge", {j(R"({"a":1})"), j("[1,2]"), j("5"), j(R"({"b":3})")}, R"({"a":1,"b":3})"},
      {"bag_pack", {t("a"), n(1), n(2), kNothing}, R"({"a":1,"2":null})"},
      {"bag_pack", {t("a"), n(1), t("a"), n(2)}, R"({"a":2})"},
      {"bag_remove_keys",
       {j(R"({"a":1,"b":{"c":2,"d":3}})"), j(R"(["a","$.b.c"])")},
       R"({"b":{"d":3}})"},
      {"bag_set_key", {j(R"({"a":1})"), t("$.b.c"), n(2)}, R"({"a":1,"b":{"c":2}})"},
      {"bag_set_key", {j(R"({"a":1})"), t("a"), n(2)}, R"({"a":2})"},
      {"bag_zip", {j(R"(["a","b"])"), j("[1]")}, R"({"a":1})"},
      {"treepath", {j(R"({"a":{"b":[1]}})")}, R"(["['a']","['a']['b']","['a']['b'][0]"])"},
  });
  CHECK(bind_failure("bag_pack", {t("a")}).has_value());
}

TEST_CASE("sets") {
  check_calls({
      {"set_union", {j("[1,2,1]"), j("[2.0,3]")}, "[1,2,3]"},
      {"set_intersect", {j("[3,1,2,3]"), j("[3,2.0]")}, "[3,2]"},
      {"set_difference", {j("[1,2,2,3]"), j("[3]"), j("[1]")}, "[2]"},
      {"set_union", {j("[1]"), n(1)}, "null"},
      {"set_has_element", {j(R"(["a",1])"), r(1)}, "true"},
      {"set_has_element", {j("[1]"), t("1")}, "false"},
      {"jaccard_index", {j("[1,2,3]"), j("[2,3,4]")}, "0.5"},
      {"jaccard_index", {j("[]"), j("[]")}, "null"},
  });
}

TEST_CASE("pairs and conversations") {
  check_calls({
      {"pair", {t("k"), t("v")}, R"({"key":"k","value":"v","separator":":"})"},
      {"parse_pair", {t("a:b:c")}, R"({"key":"a","value":"b:c","separator":":"})"},
      {"parse_pair", {t("abc")}, R"({"key":"","value":"abc","separator":":"})"},
      {"find_pair",
       {j(R"(["x:1","host:db1","host:db2"])"), t("h*t"), t("*b2")},
       R"({"key":"host","value":"db2","separator":":"})"},
      {"find_pair", {j("[]"), t("*"), t("*")}, "null"},
      {"genai_conversation_turns",
       {j(R"([{"role":"user"},{"role":"assistant"},{"role":"user"}])")},
       "1"},
      {"genai_get_content_by_index", {j(R"([{"content":[{"text":"a"},"b"]}])"), n(0)}, "ab"},
      {"genai_get_content_by_index", {j("[]"), n(3)}, ""},
      {"genai_get_content_by_index", {j(R"([{"content":"a"}])"), n(-1)}, ""},
      {"genai_get_role", {j(R"([{"role":"user"}])"), n(0)}, "user"},
      {"genai_get_role", {j(R"([{"role":"user"}])"), n(-1)}, ""},
      {"genai_extract_tool_calls", {j("[]")}, "null"},
      {"genai_cost", {t("gpt-4-0613"), n(1000), n(500)}, "0.06"},
      {"genai_cost", {t("gpt-4o-2024-08-06"), n(1000000), n(0)}, "2.5"},
      {"genai_get_pricing", {t("gpt-40")}, "null"},
      {"genai_is_truncated", {j("[]"), t("length")}, "true"},
      {"genai_is_truncated", {j("[]"), t("stop")}, "false"},
      {"genai_is_truncated", {j("[]"), j(R"(["stop","length"])")}, "true"},
      {"genai_is_truncated", {j("[]"), j(R"(["max_tokens"])")}, "true"},
      {"genai_is_truncated", {j("[]"), j(R"(["stop",5,null])")}, "false"},
      {"genai_is_truncated", {j("[]"), j(R"("length")")}, "true"},
      {"genai_is_truncated", {j("[]"), kNothing}, "null"},
  });
}

}  // namespace
}  // namespace evq
