#include "apl/service/delete_filter.h"

#include <doctest/doctest.h>

#include "apl/service/snapshot_tables.h"
#include "apl/syntax/parser.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

TEST_CASE("a delete that was made for other types of its fields removes nothing") {
  const TempService service;
  service.ingest("d", R"({"n":1})");
  EvalContext context;
  MemoryBudget budget(UINT64_MAX, nullptr);
  const auto query = syntax::parse("d | where n >= 1", 0);
  REQUIRE(query.ok());
  const auto make_filter = [&] {
    SnapshotTables tables(service.store(), nullptr);
    auto plan = bind_delete(*query, tables, {}, context);
    REQUIRE(plan.ok());
    auto filter = make_delete_filter(std::move(*plan), context, &budget);
    REQUIRE(filter.ok());
    return std::move(*filter);
  };
  QueryControl control;
  const auto before = make_filter();
  service.ingest("d", R"({"n":"x"})");
  const auto refused = service.store().remove("d", *before, Removal::kCommit, control);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK(service.store().snapshot("d")->rows() == 2);
  const auto removed = service.store().remove("d", *make_filter(), Removal::kCommit, control);
  REQUIRE(removed.ok());
  CHECK(removed->rows_matched == 1);
  CHECK(service.store().snapshot("d")->rows() == 1);
}

}  // namespace
}  // namespace evq
