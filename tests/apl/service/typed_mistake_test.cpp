// What is wrong with a query while it is typed, and what only is not finished.

#include "apl/service/typed_mistake.h"

#include <string>

#include <doctest/doctest.h>

#include "apl/functions/registry.h"
#include "apl/plan/table_source.h"
#include "apl/syntax/operators.h"
#include "store/base/control.h"

namespace evq {
namespace {

const QueryControl kEndless;

struct WebTable final : plan::TableSource {
  Result<plan::TableInfo> table(std::string_view name) override {
    if (name == "away") {
      return make_error(ErrorCode::kServer, "cannot connect");
    }
    if (name != "web") {
      return make_error(ErrorCode::kNotFound, "there is no such dataset");
    }
    plan::TableInfo info;
    info.ref.name = name;
    info.schema = Schema({{"_sysTime", Type::kDatetime},
                          {"_time", Type::kDatetime},
                          {"path", Type::kString},
                          {"status", Type::kLong}});
    return info;
  }
  Result<std::vector<std::string>> table_names() override {
    return std::vector<std::string>{"web"};
  }
  Result<plan::LocationBounds> locate(const plan::TableRef& /*table*/, std::int64_t /*time*/,
                                      std::uint64_t /*ordinal*/) override {
    return make_error(ErrorCode::kUnsupported, "no rows are read");
  }
};

// The text with the mistake between braces; as it is where there is none.
std::string marked(std::string text) {
  WebTable tables;
  if (const std::optional<Error> found = typed_mistake(text, tables, kEndless)) {
    text.insert(found->span->end, "}").insert(found->span->begin, "{");
  }
  return text;
}

TEST_CASE("a mistake is what nothing behind it can make right") {
  for (const std::string_view text : {
           "web | where {stauts} == 500",
           "web | where {stauts} == 500 | summarize count() by pa",
           "web | where status > 1 and ({stauts} < 5 or path == 'a') | ",
           "web | {wher} status == 5",
           "{wbe} | count",
           "web | extend x = {strln}(path), y",
           "web | extend a = 1 | extend b = {c} + a | where (",
           "web | join (web | where {regon} == 'x' | project path) on path | where",
           "let a = 5; web | where status == {b} | count",
           "web | where status {=} 5 | count",
           "web\n| where {stauts} == 5\n| count",
       }) {
    std::string plain(text);
    std::erase_if(plain, [](char c) { return c == '{' || c == '}'; });
    CHECK(marked(plain) == text);
  }
}

TEST_CASE("what is not finished is no mistake") {
  for (const std::string text : {
           "",
           "  ",
           "w",
           "wbe ",
           "web | wher",
           "web | mv-",
           "web | where path matches reg",
           "web | wher status",
           "web | where stat",
           "web | where status",  // a number is no condition
           "web | where status ",
           "web | where status =",
           "web | where stauts ==",
           "web | project foo ",
           "web | project foo = status | where foo > 5",
           "web | summarize n = count() by bin(_time, 1h), ",
           "web | where path has 'a' and (status > 500",
           "web | join (web | where stat",
           "web | where path == 'not clos",
           "print x = range(1, 5)",
           "away | where nobody == knows | count",
           "web | where status == toscalar(web | summarize max(status)) | count",
       }) {
    CHECK(marked(text) == text);
  }
}

// Every beginning of a text that is right may become it.
void check_beginnings(std::string_view query) {
  WebTable tables;
  for (std::size_t size = 0; size <= query.size(); ++size) {
    const std::string_view typed = query.substr(0, size);
    const auto found = typed_mistake(typed, tables, kEndless);
    CHECK_MESSAGE(!found.has_value(), typed << ": " << found->message);
  }
}

TEST_CASE("no beginning of an example is a mistake") {
  for (const ScalarFunction* row : all_functions()) {
    for (const Example& example : row->examples) {
      check_beginnings(example.query);
    }
  }
  for (const AggregateFunction* row : all_aggregates()) {
    for (const Example& example : row->examples) {
      check_beginnings(example.query);
    }
  }
  for (const syntax::OperatorInfo& row : syntax::all_operators()) {
    for (const syntax::OperatorExample& example : row.examples) {
      check_beginnings(example.query);
    }
  }
}

TEST_CASE("a mistake comes with what to do") {
  WebTable tables;
  const auto found = typed_mistake("web | where stauts == 500", tables, kEndless);
  REQUIRE(found.has_value());
  CHECK(found->message == "unknown field 'stauts' in 'web'");
  CHECK(found->hint == "did you mean 'status'?");
}

TEST_CASE("what was looked at for no time has no mistake") {
  WebTable tables;
  QueryControl over;
  over.cancel();
  CHECK_FALSE(typed_mistake("web | where stauts == 500", tables, over).has_value());
}

TEST_CASE("a text is looked at up to a length") {
  WebTable tables;
  const std::string query = "web | where stauts == 500 // ";
  const std::string at = query + std::string(kMistakeTextBytesMax - query.size(), 'x');
  CHECK(typed_mistake(at, tables, kEndless).has_value());
  CHECK_FALSE(typed_mistake(at + "x", tables, kEndless).has_value());
}

}  // namespace
}  // namespace evq
