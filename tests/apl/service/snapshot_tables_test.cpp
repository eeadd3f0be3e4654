#include "apl/service/snapshot_tables.h"

#include <doctest/doctest.h>

#include "apl/service/service.h"
#include "store/ingest/byte_source.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

// Of events of one time there may be any number of blocks, which a cursor has to look through.
TEST_CASE("the place of a cursor is looked for no longer than somebody waits for it") {
  const TempDirectory folder;
  ServiceOptions options;
  options.store_directory = folder.path();
  const auto service = Service::open(options);
  REQUIRE(service.ok());
  Store& store = (*service)->store();
  QueryControl control;
  const std::unique_ptr<ByteSource> source = memory_source(R"({"_time":5})");
  REQUIRE(store.ingest("d", *source, {}, control).ok());
  SnapshotTables tables(store, nullptr, &control);
  const Result<plan::TableInfo> table = tables.table("d");
  REQUIRE(table.ok());
  const std::int64_t time = tables.time_bounds()->first;
  const Result<plan::LocationBounds> found = tables.locate(table->ref, time, 0);
  REQUIRE(found.ok());
  CHECK(found->lower == 0);
  control.cancel();
  const Result<plan::LocationBounds> stopped = tables.locate(table->ref, time, 0);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().code == ErrorCode::kCancelled);
}

}  // namespace
}  // namespace evq
