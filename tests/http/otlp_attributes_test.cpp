#include "http/otlp_attributes.h"

#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;  // a name, and a value's text

std::string list_of(const Pairs& pairs) {
  std::string text = "[";
  for (const auto& [name, value] : pairs) {
    text += text.size() > 1 ? "," : "";
    text += "{\"key\":";
    append_json_string(text, name);
    text += ",\"value\":" + value + "}";
  }
  return text + "]";
}

std::string written(OtlpAttributes* attributes, const std::string& list) {
  const std::optional<std::string> pairs = dynamic_from_json(list);
  REQUIRE(pairs.has_value());
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  attributes->write("x", DynamicView(*pairs), &json);
  json.key("after");
  json.boolean(true);
  json.end_object();
  return text;
}

std::string written(OtlpAttributes::Names names, const Pairs& pairs) {
  OtlpAttributes attributes(names);
  return written(&attributes, list_of(pairs));
}

std::string number(int value) {
  return R"({"intValue":")" + std::to_string(value) + "\"}";
}

// The slow twin: a tree of nodes, one a part of a name.
struct Node {
  std::map<std::string, Node> children;
  std::optional<std::string> value;

  void write(std::string* out) const {
    if (children.empty()) {
      out->append(value.value_or("null"));
      return;
    }
    const char* comma = "{";
    if (value.has_value()) {
      std::string word = "_value";
      while (children.contains(word)) {
        word.insert(0, "_");
      }
      out->append("{\"").append(word).append("\":").append(*value);
      comma = ",";
    }
    for (const auto& [name, child] : children) {
      out->append(comma);
      append_json_string(*out, name);
      out->append(":");
      child.write(out);
      comma = ",";
    }
    out->append("}");
  }
};

std::string tree_text(const Pairs& pairs) {
  Node root;
  std::size_t position = 0;
  for (const auto& [name, value] : pairs) {
    const bool splits = name.size() <= kFieldNameBytesMax && position++ < kEventFieldsMax;
    Node* node = &root;
    std::size_t from = 0;
    for (bool last = false; !last;) {
      const std::size_t dot = splits ? name.find('.', from) : std::string::npos;
      last = dot == std::string::npos;
      node = &node->children[name.substr(from, last ? dot : dot - from)];
      from = dot + 1;
    }
    node->value = value.substr(13, value.size() - 15);  // of {"intValue":"1"}
  }
  std::string text;
  root.write(&text);
  return text;
}

}  // namespace

TEST_CASE("attributes are nested by the parts of their names") {
  using enum OtlpAttributes::Names;
  CHECK(written(kAll, {}) == R"({"after":true})");
  CHECK(written(kAll, {{"b", number(1)}, {"a", number(2)}}) ==
        R"({"x":{"a":2,"b":1},"after":true})");
  CHECK(written(kAll, {{"a.b.c", number(1)}, {"d", number(2)}, {"a.b.e", number(3)}}) ==
        R"({"x":{"a":{"b":{"c":1,"e":3}},"d":2},"after":true})");
  CHECK(written(kAll, {{"a!", number(1)}, {"a.b", number(2)}, {"a", number(3)}}) ==
        R"({"x":{"a":{"_value":3,"b":2},"a!":1},"after":true})");
  CHECK(written(kAll, {{"a", number(1)}, {"a", number(2)}}) == R"({"x":{"a":2},"after":true})");
  CHECK(written(kAll, {{"", number(1)}, {".", number(2)}, {"a..b", number(3)}}) ==
        R"({"x":{"":{"_value":1,"":2},"a":{"":{"b":3}}},"after":true})");
}

TEST_CASE("a value beside the members below its name takes the place of none") {
  using enum OtlpAttributes::Names;
  CHECK(written(kAll, {{"a._value", number(1)}, {"a", number(2)}, {"a.c", number(3)}}) ==
        R"({"x":{"a":{"__value":2,"_value":1,"c":3}},"after":true})");
  CHECK(written(kAll, {{"a", number(1)}, {"a._value.b", number(2)}}) ==
        R"({"x":{"a":{"__value":1,"_value":{"b":2}}},"after":true})");
  CHECK(written(kAll, {{"a", number(1)}, {"a.__value", number(2)}, {"a._value", number(3)}}) ==
        R"({"x":{"a":{"___value":1,"__value":2,"_value":3}},"after":true})");
  CHECK(written(kAll, {{"a._value", number(1)}, {"a._value.b", number(2)}}) ==
        R"({"x":{"a":{"_value":{"_value":1,"b":2}}},"after":true})");
}

TEST_CASE("names of no convention stand whole in a map") {
  CHECK(
      written(OtlpAttributes::Names::kConventions, {{"my.own", number(1)},
                                                    {"http.route", R"({"stringValue":"/"})"},
                                                    {"alone", R"({"boolValue":true})"},
                                                    {"my.own", number(2)}}) ==
      R"({"x":{"http":{"route":"/"},"custom":{"my.own":1,"alone":true,"my.own":2}},"after":true})");
}

TEST_CASE("values of attributes") {
  const auto value = [](const std::string& any) {
    std::string text = written(OtlpAttributes::Names::kAll, {{"v", any}});
    return text.substr(10, text.size() - 10 - 15);
  };
  CHECK(value(R"({"stringValue":"a\"b"})") == R"("a\"b")");
  CHECK(value(R"({"stringValue":"12"})") == R"("12")");
  CHECK(value(R"({"intValue":"-12"})") == "-12");
  CHECK(value(R"({"intValue":12})") == "12");
  CHECK(value(R"({"intValue":"x"})") == R"("x")");
  CHECK(value(R"({"intValue":12.0})") == "12");
  CHECK(value(R"({"boolValue":null,"intValue":12})") == "12");
  CHECK(value(R"({"doubleValue":0.5})") == "0.5");
  CHECK(value(R"({"doubleValue":3})") == "3.0");
  CHECK(value(R"({"doubleValue":-3.0})") == "-3.0");
  CHECK(value(R"({"doubleValue":9007199254740993})") == "9007199254740992.0");
  CHECK(value(R"({"doubleValue":1e300})") == "1e+300");
  CHECK(value(R"({"doubleValue":"2.5"})") == "2.5");
  CHECK(value(R"({"doubleValue":"-2"})") == "-2.0");
  const auto double_of = [&](const std::string& text) {
    return value(R"({"doubleValue":")" + text + R"("})");
  };
  for (const char* none : {"NaN", "Infinity", "-Infinity"}) {
    CHECK(double_of(none) == "null");
  }
  for (const std::string text : {"nan", "inf", "-infinity", "1e400", "soon", "", " 1"}) {
    CHECK(double_of(text) == '"' + text + '"');
  }
  CHECK(value(R"({"arrayValue":{"values":[{"doubleValue":1},{"intValue":1}]}})") == "[1.0,1]");
  CHECK(value(R"({"boolValue":false})") == "false");
  CHECK(value(R"({"arrayValue":{"values":[{"intValue":"1"},{"stringValue":"s"}]}})") ==
        R"([1,"s"])");
  CHECK(value(R"({"arrayValue":{}})") == "[]");
  CHECK(
      value(
          R"({"kvlistValue":{"values":[{"key":"k.l","value":{"intValue":"1"}},{"value":{"intValue":2}}]}})") ==
      R"({"k.l":1,"":2})");
  CHECK(value("{}") == "null");
  CHECK(value("7") == "null");
}

TEST_CASE("a list that was seen before is written as one seen for the first time") {
  std::mt19937 random(7);
  const std::vector<std::string> parts = {"", "a", "b", "ab", "!", "_value"};
  OtlpAttributes kept(OtlpAttributes::Names::kAll);
  std::vector<Pairs> seen;
  for (int round = 0; round < 2000; ++round) {
    Pairs pairs;
    if (seen.size() > 60 && random() % 2 == 0) {
      pairs = seen[random() % seen.size()];
      for (auto& [name, value] : pairs) {
        value = number(static_cast<int>(random() % 1000));
      }
    } else {
      for (std::size_t i = random() % 8 + 1; i > 0; --i) {
        std::string name = parts[random() % parts.size()];
        for (std::size_t more = random() % 3; more > 0; --more) {
          name += "." + parts[random() % parts.size()];
        }
        pairs.emplace_back(name, number(static_cast<int>(random() % 1000)));
      }
      seen.push_back(pairs);
    }
    CAPTURE(list_of(pairs));
    REQUIRE(written(&kept, list_of(pairs)) == "{\"x\":" + tree_text(pairs) + ",\"after\":true}");
  }
}

TEST_CASE("names too long for a field, and more than an event may have, stay whole") {
  const std::string longest = "a." + std::string(kFieldNameBytesMax - 2, 'b');
  for (const std::string& name : {longest, longest + "b"}) {
    CHECK(written(OtlpAttributes::Names::kAll, {{name, number(1)}, {"a.c", number(2)}}) ==
          "{\"x\":" + tree_text({{name, number(1)}, {"a.c", number(2)}}) + ",\"after\":true}");
  }
  Pairs many;
  for (std::size_t i = 0; i < kEventFieldsMax + 5; ++i) {
    many.emplace_back("a." + std::to_string(i), number(1));
  }
  const std::string text = written(OtlpAttributes::Names::kAll, many);
  CHECK(text == "{\"x\":" + tree_text(many) + ",\"after\":true}");
  CHECK(text.find("\"a." + std::to_string(kEventFieldsMax) + '"') != std::string::npos);
}

}  // namespace evq
