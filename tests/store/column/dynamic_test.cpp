#include "store/column/dynamic.h"

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "store/column/dynamic_json.h"
#include "tests/support/column_samples.h"

namespace evq::test {
namespace {

std::string sample_bytes() {
  DynamicBuilder builder;
  builder.begin_bag();
  builder.key("name");
  builder.add_string("caf\u00e9");
  builder.key("when");
  builder.add_datetime(1714521600000000000);
  builder.key("took");
  builder.add_timespan(-1500000000);
  builder.key("list");
  builder.begin_array();
  builder.add_null();
  builder.add_bool(true);
  builder.add_long(-7);
  builder.add_real(0.25);
  builder.begin_bag();
  builder.end_bag();
  builder.end_array();
  builder.key("");
  builder.add_bool(false);
  builder.end_bag();
  return builder.take();
}

std::string nested_arrays(std::size_t depth) {
  DynamicBuilder builder;
  for (std::size_t i = 0; i < depth; ++i) {
    builder.begin_array();
  }
  for (std::size_t i = 0; i < depth; ++i) {
    builder.end_array();
  }
  return builder.take();
}

// Reads everything there is in a value.
std::size_t walk(DynamicView view) {
  std::size_t sum = view.size() + static_cast<std::size_t>(view.type());
  if (view.is_number() && view.as_real() > 0) {
    ++sum;
  }
  if (view.is_string()) {
    sum += view.as_string().size();
  }
  DynamicView::Iterator iterator(view);
  while (iterator.next()) {
    sum += iterator.key().size() + walk(iterator.value());
  }
  const std::size_t found = view.find("name").has_value() ? 1 : 0;
  return sum + found + view.at(0).bytes().size();
}

void check_hostile(const std::string& text) {
  // A heap block of exactly this size lets the address sanitizer see any read past it.
  const auto block = std::make_unique<char[]>(text.size());
  std::memcpy(block.get(), text.data(), text.size());
  const std::string_view bytes(block.get(), text.size());
  if (!validate_dynamic(bytes)) {
    return;
  }
  const DynamicView view(bytes);
  CHECK(dynamic_size(bytes) == bytes.size());
  walk(view);
  json_from_dynamic(view);
  hash_dynamic(view, 3);
  CHECK(compare_dynamic(view, view) == 0);
}

// Ascending groups of encoded values; those of one group are equal.
std::vector<std::vector<std::string>> ordered_groups() {
  std::vector<std::vector<std::string>> groups;
  const auto add_json = [&groups](std::initializer_list<const char*> texts) {
    groups.emplace_back();
    for (const char* text : texts) {
      groups.back().push_back(*dynamic_from_json(text));
    }
  };
  const auto add_value = [&groups](const Value& value) {
    groups.push_back({dynamic_from_value(value)});
  };
  for (const char* text : {"null", "false", "true", "-1e300"}) {
    add_json({text});
  }
  add_value(Value::timespan(-9));
  add_json({"-1"});
  add_json({"0", "0.0", "-0.0"});
  add_json({"1", "1.0"});
  add_value(Value::timespan(1));
  add_json({"1.5"});
  add_value(Value::timespan(2));
  add_json({"9007199254740992", "9007199254740992.0"});
  add_value(Value::timespan(9007199254740992));
  add_json({"9007199254740993"});
  add_json({"1e300"});
  for (const Value& value : {Value::real(std::numeric_limits<double>::quiet_NaN()),
                             Value::datetime(-5), Value::datetime(5)}) {
    add_value(value);
  }
  for (const char* text : {R"("")", R"("a")", R"("ab")", "\"\u00e9\"", "[]", "[null]"}) {
    add_json({text});
  }
  add_json({"[1]", "[1.0]"});
  for (const char* text : {"[1,2]", "[2]", "{}", R"({"a":1})"}) {
    add_json({text});
  }
  add_json({R"({"a":1,"b":2})", R"({"b":2,"a":1})", R"({"b":2.0,"a":1})"});
  add_json({R"({"a":2})"});
  add_json({R"({"b":0})"});
  return groups;
}

void check_order(const std::string& a, const std::string& b, int expected) {
  CAPTURE(json_from_dynamic(DynamicView(a)));
  CAPTURE(json_from_dynamic(DynamicView(b)));
  const int order = compare_dynamic(DynamicView(a), DynamicView(b));
  CHECK((order > 0) == (expected > 0));
  CHECK((order < 0) == (expected < 0));
  const bool same_hash = hash_dynamic(DynamicView(a), 5) == hash_dynamic(DynamicView(b), 5);
  CHECK(same_hash == (expected == 0));
  CHECK((canonical_dynamic(DynamicView(a)) == canonical_dynamic(DynamicView(b))) ==
        (expected == 0));
  CHECK(is_canonical_dynamic(DynamicView(canonical_dynamic(DynamicView(a)))));
  CHECK(is_canonical_dynamic(DynamicView(a)) == (canonical_dynamic(DynamicView(a)) == a));
}

}  // namespace

TEST_CASE("a built bag reads back") {
  const std::string bytes = sample_bytes();
  REQUIRE(validate_dynamic(bytes));
  const DynamicView bag(bytes);
  CHECK(bag.is_bag());
  CHECK(bag.type() == Type::kDynamic);
  CHECK(bag.size() == 5);
  CHECK(bag.find("name")->as_string() == "caf\u00e9");
  CHECK(bag.find("when")->type() == Type::kDatetime);
  CHECK(bag.find("took")->as_integer() == -1500000000);
  CHECK(bag.find("")->is_bool());
  CHECK_FALSE(bag.find("nothing").has_value());
  CHECK(bag.at(0).is_null());
  const DynamicView list = *bag.find("list");
  CHECK(list.size() == 5);
  CHECK(list.at(0).is_null());
  CHECK(list.at(1).as_bool());
  CHECK(list.at(2).as_integer() == -7);
  CHECK(list.at(2).as_real() == -7.0);
  CHECK(list.at(-2).as_real() == 0.25);
  CHECK(list.at(-5).is_null());
  CHECK(list.at(-1).is_bag());
  for (const std::int64_t index :
       {std::int64_t{5}, std::int64_t{-6}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    CHECK(list.at(index).is_null());
  }
  CHECK_FALSE(list.find("name").has_value());
}

TEST_CASE("no bytes read as null") {
  const DynamicView view{std::string_view()};
  CHECK(view.is_null());
  CHECK(view.type() == Type::kNull);
  CHECK(view.size() == 0);
  CHECK(value_from_dynamic(view).is_null());
  DynamicBuilder builder;
  builder.add_encoded(view);
  CHECK(builder.bytes() == std::string(1, '\0'));
}

TEST_CASE("scalars go to Values and back") {
  for (const Type type : kTypes) {
    for (const Value& value : sample_values(type)) {
      const std::string bytes = dynamic_from_value(value);
      REQUIRE(validate_dynamic(bytes));
      CHECK(dynamic_size(bytes) == bytes.size());
      const Value back = value_from_dynamic(DynamicView(bytes));
      CHECK(dynamic_from_value(back) == bytes);
      // A scalar inside a dynamic comes out as what it is.
      CHECK((back == value || (type == Type::kDynamic && back.type() != Type::kDynamic)));
    }
    CHECK(value_from_dynamic(DynamicView(dynamic_from_value(Value::null(type)))).is_null());
  }
}

TEST_CASE("every truncation and every changed byte is refused or harmless") {
  const std::string bytes = sample_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CHECK_FALSE(validate_dynamic(std::string_view(bytes).substr(0, size)));
  }
  CHECK_FALSE(validate_dynamic(bytes + '\0'));
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(byte);
      check_hostile(changed);
    }
  }
}

TEST_CASE("two changed bytes are refused or harmless") {
  const std::string bytes = sample_bytes();
  std::uint64_t state = 88172645463325252ULL;
  const auto next = [&state] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string changed = bytes;
    changed[next() % changed.size()] = static_cast<char>(next() % 12);
    changed[next() % changed.size()] = static_cast<char>(next());
    check_hostile(changed);
  }
}

TEST_CASE("nesting is valid up to its limit") {
  CHECK(validate_dynamic(nested_arrays(kDynamicDepthMax)));
  CHECK_FALSE(validate_dynamic(nested_arrays(kDynamicDepthMax + 1)));
}

TEST_CASE("a repeated key keeps its first place and its last value") {
  for (const std::size_t distinct :
       {std::size_t{1}, std::size_t{3}, std::size_t{40}, std::size_t{1000}}) {
    DynamicBuilder builder;
    builder.begin_array();
    builder.begin_bag();
    for (std::size_t round = 0; round < 3; ++round) {
      for (std::size_t i = 0; i < distinct; ++i) {
        builder.key("key" + std::to_string(i));
        builder.add_long(static_cast<std::int64_t>(round * distinct + i));
      }
    }
    builder.end_bag();
    builder.add_bool(true);
    builder.end_array();
    const std::string bytes = builder.take();
    REQUIRE(validate_dynamic(bytes));
    const DynamicView bag = DynamicView(bytes).at(0);
    CHECK(DynamicView(bytes).at(1).as_bool());
    REQUIRE(bag.size() == distinct);
    DynamicView::Iterator entries(bag);
    for (std::size_t i = 0; i < distinct; ++i) {
      REQUIRE(entries.next());
      CHECK(entries.key() == "key" + std::to_string(i));
      CHECK(entries.value().as_integer() == static_cast<std::int64_t>(2 * distinct + i));
    }
  }
}

TEST_CASE("many different keys stay in their order") {
  DynamicBuilder builder;
  builder.begin_bag();
  for (int i = 0; i < 500; ++i) {
    builder.key(std::to_string((i * 37) % 500));
    builder.add_long(i);
  }
  builder.end_bag();
  const std::string bytes = builder.take();
  DynamicView::Iterator entries{DynamicView(bytes)};
  for (int i = 0; i < 500; ++i) {
    REQUIRE(entries.next());
    REQUIRE(entries.key() == std::to_string((i * 37) % 500));
    REQUIRE(entries.value().as_integer() == i);
  }
  CHECK_FALSE(entries.next());
}

TEST_CASE("a builder returns to a mark") {
  DynamicBuilder builder;
  builder.begin_bag();
  builder.key("a");
  const DynamicBuilder::Mark mark = builder.mark();
  builder.begin_array();
  builder.add_long(1);
  builder.begin_bag();
  builder.key("inner");
  builder.return_to(mark);
  builder.add_null();
  builder.key("b");
  builder.add_bool(true);
  builder.end_bag();
  CHECK(json_from_dynamic(DynamicView(builder.bytes())) == R"({"a":null,"b":true})");
  builder.clear();
  CHECK(builder.bytes().empty());
}

TEST_CASE("dynamics are in one total order") {
  const std::vector<std::vector<std::string>> groups = ordered_groups();
  std::vector<std::pair<int, std::string>> ranked;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (const std::string& bytes : groups[i]) {
      ranked.emplace_back(static_cast<int>(i), bytes);
    }
  }
  for (const auto& [a_rank, a] : ranked) {
    for (const auto& [b_rank, b] : ranked) {
      check_order(a, b, a_rank - b_rank);
    }
  }
}

}  // namespace evq::test
