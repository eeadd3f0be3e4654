#include "apl/service/snapshot_tables.h"

#include <doctest/doctest.h>

#include "tests/support/temp_service.h"

namespace evq {
namespace {

// Of events of one time there may be any number of blocks, which a cursor has to look through.
TEST_CASE("the place of a cursor is looked for no longer than somebody waits for it") {
  const TempService service;
  service.ingest("d", R"({"_time":5})");
  QueryControl control;
  SnapshotTables tables(service.store(), nullptr, &control);
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

TEST_CASE("a dataset that goes between the list of all and its turn is none that matches") {
  const TempService service;
  for (const char* apl : {"union d*", "search 'x'", "find 'x'"}) {
    for (const char* dataset : {"d1", "d2", "d3"}) {
      service.ingest(dataset, R"({"text":"x"})");
    }
    QueryRequest request;
    request.apl = apl;
    // Asked when the names are listed, and again when the dataset is opened.
    int asked = 0;
    request.may_read = [&](const std::string& dataset) {
      if (dataset == "d2" && ++asked == 2) {
        REQUIRE(service.store().drop_dataset("d2").ok());
      }
      return true;
    };
    DroppedAnswer answer;
    const Status status = service->query(request, answer);
    CHECK_MESSAGE(status.ok(), apl);
    CHECK(asked == 2);
    CHECK(answer.status().rows == 2);
    for (const char* dataset : {"d1", "d3"}) {
      REQUIRE(service.store().drop_dataset(dataset).ok());
    }
  }
}

TEST_CASE("a dataset that goes once it is read is part of an answer of the API") {
  const TempService service;
  for (const char* dataset : {"d1", "d2", "d3"}) {
    service.ingest(dataset, R"({"text":"x"})");
  }
  QueryRequest request;
  request.apl = "union d*";
  request.api_form = true;
  // Asked when the names are listed, and again when the dataset is opened.
  int asked = 0;
  request.may_read = [&](const std::string& dataset) {
    if (dataset == "d3" && ++asked == 2) {
      REQUIRE(service.store().drop_dataset("d1").ok());
    }
    return true;
  };
  DroppedAnswer answer;
  const Status status = service->query(request, answer);
  CHECK_MESSAGE(status.ok(), (status.ok() ? "" : status.error().message));
  CHECK(asked == 2);
  CHECK(answer.status().rows == 3);
}

TEST_CASE("a dataset that may not be deleted from is refused as that") {
  const TempService service;
  service.ingest("d", R"({"n":1})");
  DeleteRequest request;
  request.may_delete = [](const std::string&) { return false; };
  for (const char* dataset : {"d", "absent"}) {
    request.apl = dataset;
    const Result<DeleteResponse> refused = service->remove(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kForbidden);
    CHECK(refused.error().message ==
          "no permission to delete from the dataset '" + request.apl + "'");
  }
}

TEST_CASE("a delete names its dataset, however few there are") {
  const TempService service;
  service.ingest("d", R"({"text":"x"})");
  DeleteRequest request;
  request.commit = true;
  for (const char* apl : {"['*']", "['d*'] | where true", "search 'x'", "search in (d*) 'x'",
                          "(['*']) | where true"}) {
    CAPTURE(apl);
    request.apl = apl;
    const Result<DeleteResponse> refused = service->remove(request);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message == "a delete from datasets that are not named is not supported");
  }
  CHECK(service.store().snapshot("d")->rows() == 1);
  request.apl = "search in (d) 'x'";
  REQUIRE(service->remove(request).ok());
  CHECK(service.store().snapshot("d")->rows() == 0);
}

}  // namespace
}  // namespace evq
