#include "apl/syntax/operators.h"

#include <set>
#include <string>

#include <doctest/doctest.h>

#include "apl/syntax/parser.h"

namespace evq::syntax {

TEST_CASE("every operator is documented and its examples parse") {
  std::string_view before;
  for (const OperatorInfo& info : all_operators()) {
    CAPTURE(info.name);
    CHECK(before < info.name);
    before = info.name;
    CHECK(!info.summary.empty());
    CHECK(!info.summary.ends_with('.'));
    CHECK(info.syntax.find(info.name) != std::string_view::npos);
    CHECK(info.description.ends_with('.'));
    REQUIRE(!info.examples[0].query.empty());
    for (const OperatorExample& example : info.examples) {
      if (!example.query.empty()) {
        CAPTURE(example.query);
        CHECK(example.query.find(info.name) != std::string_view::npos);
        CHECK(parse(example.query, 0).ok());
      }
    }
  }
}

TEST_CASE("operators are found by name and alias") {
  CHECK(find_operator("where")->name == "where");
  CHECK(find_operator("filter")->name == "where");
  CHECK(find_operator("take")->name == "limit");
  CHECK(find_operator("order")->name == "sort");
  CHECK(find_operator("mvexpand")->name == "mv-expand");
  CHECK(find_operator("") == nullptr);
  CHECK(find_operator("Where") == nullptr);
  std::set<std::string_view> names;
  for (const std::string_view name : operator_names()) {
    CHECK(names.insert(name).second);
    CHECK((find_operator(name)->parse != nullptr));
  }
  CHECK(names.count("print") == 0);
}

}  // namespace evq::syntax
