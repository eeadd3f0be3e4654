// Texts that strict JSON refuses are read as those of events are, or told with their place.
#include "store/ingest/tolerant_reader.h"

#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace {

using evq::DynamicBuilder;
using evq::DynamicView;
using evq::TolerantReader;

struct Row {
  std::string_view text;
  std::string_view value;  // as strict JSON
};

TEST_CASE("what strict JSON has not is repaired") {
  TolerantReader reader;
  for (const Row& row : {Row{R"({"a":[1,"x",null,true,2.5]})", R"({"a":[1,"x",null,true,2.5]})"},
                         Row{R"(["cut \ud83d"])", "[\"cut \xEF\xBF\xBD\"]"},
                         Row{R"(["\udc00\ud83d\ude00"])", "[\"\xEF\xBF\xBD\xF0\x9F\x98\x80\"]"},
                         Row{"{\"caf\xE9\":1}", "{\"caf\xEF\xBF\xBD\":1}"},
                         Row{" \"caf\xE9\"\n", "\"caf\xEF\xBF\xBD\""},
                         Row{R"({"a":1e400,"b":[-1e999,1]})", R"({"a":null,"b":[null,1]})"},
                         Row{R"(["\x41\ud83d"])", "[\"A\xEF\xBF\xBD\"]"},
                         Row{R"({"a":"\ud83d","a":2})", R"({"a":2})"}}) {
    CAPTURE(row.text);
    DynamicBuilder builder;
    REQUIRE_FALSE(reader.read(row.text, &builder).has_value());
    CHECK(evq::json_from_dynamic(DynamicView(builder.bytes())) == row.value);
  }
}

TEST_CASE("what cannot be helped is told with its place, and the builder is as it was") {
  struct Fault {
    std::string text;
    std::size_t offset;
    std::string_view reason;
  };
  const std::string deep = std::string(evq::kDynamicDepthMax + 1, '[');
  const std::string closed = deep + std::string(deep.size(), ']');
  TolerantReader reader;
  DynamicBuilder builder;
  builder.begin_array();
  builder.add_long(7);
  for (const Fault& fault : {Fault{"", 0, "expected a value"},
                             Fault{"{\"a\":\"\\ud83d\",}", 14, "expected a key in double quotes"},
                             Fault{"[1,\n{\"a\":NaN}]", 9, "expected a value"},
                             Fault{"[\"x]", 4, "the string is not closed"},
                             Fault{"{\"a\":1", 6, "the object is not closed"},
                             Fault{"{} x", 3, "unexpected text behind the value"},
                             Fault{closed, evq::kJsonDepthMax, "nested deeper than 100 levels"}}) {
    CAPTURE(fault.text);
    const auto found = reader.read(fault.text, &builder);
    REQUIRE(found.has_value());
    CHECK(found->offset == fault.offset);
    CHECK(found->reason == fault.reason);
  }
  builder.end_array();
  CHECK(evq::json_from_dynamic(DynamicView(builder.bytes())) == "[7]");
}

TEST_CASE("a text that is helped may be longer than a value of an event") {
  std::string text = "[\"\\ud83d\"";
  while (text.size() < 2 * evq::kFieldValueBuiltBytesMax) {
    text += ",\"" + std::string(1000, 'x') + "\\n\"";
  }
  text += "]";
  TolerantReader reader;
  DynamicBuilder builder;
  REQUIRE_FALSE(reader.read(text, &builder).has_value());
  CHECK(DynamicView(builder.bytes()).at(0).as_string() == "\xEF\xBF\xBD");
  builder.clear();
  REQUIRE_FALSE(reader.read("[1]", &builder).has_value());  // it goes on behind a long one
  CHECK(evq::json_from_dynamic(DynamicView(builder.bytes())) == "[1]");
}

TEST_CASE("places are counted from 1") {
  CHECK(evq::line_and_column("ab\ncd", 0) == "line 1, column 1");
  CHECK(evq::line_and_column("ab\ncd", 2) == "line 1, column 3");
  CHECK(evq::line_and_column("ab\ncd", 3) == "line 2, column 1");
  CHECK(evq::line_and_column("ab\ncd", 5) == "line 2, column 3");
}

}  // namespace
