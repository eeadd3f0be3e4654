#include "http/legacy_names.h"

#include <doctest/doctest.h>

#include "store/base/limits.h"

namespace evq {
namespace {

LegacyAggregation aggregation(std::string alias, std::string op, std::string field = "") {
  return {
      .alias = std::move(alias), .op = std::move(op), .field = std::move(field), .arguments = {}};
}

TEST_CASE("columns of aggregations have names that no group and no other aggregation has") {
  LegacyQuery query;
  query.group_by = {"SUM", "COUNT 2"};
  query.aggregations = {aggregation("", "count"), aggregation("", "count"), aggregation("", "sum"),
                        aggregation("COUNT 3", "max"), aggregation("SUM", "min")};
  const LegacyNames names(query);
  std::vector<std::string> columns;
  for (std::size_t i = 0; i < query.aggregations.size(); ++i) {
    columns.push_back(names.column_of(i));
  }
  CHECK(columns == std::vector<std::string>{"COUNT", "COUNT 4", "SUM 2", "COUNT 3", "SUM 3"});
  CHECK(names.renamed_columns() == std::map<std::string, std::string, std::less<>>{
                                       {"COUNT 4", "COUNT"}, {"SUM 2", "SUM"}, {"SUM 3", "SUM"}});
}

TEST_CASE("an alias stands for its field, the first for one that comes again") {
  LegacyQuery query;
  query.project = {{"f", "a"}, {"g", "a"}, {"h", ""}};
  const LegacyNames names(query);
  CHECK(names.field_of("a") == "f");
  CHECK(names.field_of("h") == "h");
  CHECK(names.name_of_ordered("a") == "f");
}

TEST_CASE("a name that is no path stays whole") {
  const LegacyQuery query;
  const LegacyNames names(query);
  CHECK(names.path_to("a") == "['a']");
  CHECK(names.path_to("a.b.where") == "['a'].b['where']");
  CHECK(names.path_to("k.app\\.io/x") == "['k']['app.io/x']");
  for (const std::string name : {"", ".", ".a", "a.", "a..b"}) {
    CHECK(names.path_to(name) == "['" + name + "']");
  }
  std::string deep = "a";
  for (std::size_t depth = 0; depth < kJsonDepthMax; ++depth) {
    deep += ".a";
  }
  CHECK(names.path_to(deep) == "['" + deep + "']");
  CHECK(names.map_above("a.b") == nullptr);
}

TEST_CASE("each of very many aggregations, groups and orders costs the same") {
  constexpr std::size_t kMany = 300'000;  // looked for one after the other they would take hours
  LegacyQuery query;
  query.aggregations.assign(kMany, aggregation("", "count"));
  for (std::size_t i = 0; i < kMany; ++i) {
    query.group_by.push_back("g" + std::to_string(i));
  }
  const LegacyNames names(query);
  CHECK(names.column_of(0) == "COUNT");
  CHECK(names.column_of(kMany - 1) == "COUNT " + std::to_string(kMany));
  CHECK(names.renamed_columns().size() == kMany - 1);
  std::size_t found = 0;
  for (const std::string& group : query.group_by) {
    found += names.name_of_ordered(group) == group && names.name_of_ordered("count") == "COUNT"
                 ? 1U
                 : 0U;
  }
  CHECK(found == kMany);
}

}  // namespace
}  // namespace evq
