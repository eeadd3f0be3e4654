// Estimates of rows: a scan's conditions are tried on some blocks, once for all joins of a chain,
// and what cannot be tried is not taken for no rows.

#include "apl/exec/row_estimate.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "apl/plan/bind.h"
#include "apl/plan/optimizer.h"
#include "apl/service/snapshot_tables.h"
#include "apl/syntax/parser.h"
#include "store/ingest/byte_source.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

TEST_CASE("conditions that cannot be tried let through what conditions do on the average") {
  constexpr std::size_t kBlockRows = 1000;
  constexpr std::size_t kRows = 30 * kBlockRows;
  const TempDirectory directory;
  StoreOptions store_options;
  store_options.directory = directory.path() + "/store";
  store_options.block_rows = kBlockRows;
  auto opened = Store::open(store_options);
  REQUIRE(opened.ok());
  const std::unique_ptr<Store> store = std::move(opened).value();
  std::string text;
  for (std::size_t i = 0; i < kRows; ++i) {
    text += R"({"n":)" + std::to_string(i) + "}\n";
  }
  IngestRequest request;
  request.options.format = InputFormat::kNdjson;
  QueryControl control;
  const std::unique_ptr<ByteSource> source = memory_source(text);
  REQUIRE(store->ingest("d", *source, request, control).ok());

  SnapshotTables tables(*store, nullptr);
  const auto query = syntax::parse("d | where n >= 0 | project n", 0);
  REQUIRE(query.ok());
  const plan::BindOptions bind;
  auto plan = plan::bind_query(query.value(), tables, bind);
  REQUIRE(plan.ok());
  REQUIRE(plan::optimize(&plan.value(), bind.context).ok());
  const plan::Node* node = plan->root.get();
  while (!node->inputs.empty()) {
    node = node->inputs[0].get();
  }
  REQUIRE(std::holds_alternative<plan::Scan>(node->op));
  REQUIRE(std::get<plan::Scan>(node->op).filters.size() == 1);

  QueryStats stats;
  ExecOptions options;
  options.control = &control;
  Executor executor(bind.context, options, &tables, &stats);
  {
    const RowEstimates::Kept kept(executor.estimates());
    CHECK(estimated_rows(executor, *node) == doctest::Approx(kRows));
    control.cancel();
    CHECK(estimated_rows(executor, *node) == doctest::Approx(kRows));
  }
  CHECK(estimated_rows(executor, *node) == doctest::Approx(kRows / 8));
}

}  // namespace
}  // namespace evq
