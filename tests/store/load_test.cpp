// A load beside somebody who deletes what it fills.
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

void check_load_beside_drop(bool was_there) {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  auto other = open_store(directory.path(), 100);
  if (was_there) {
    REQUIRE(load(*store, "d", numbered_events(1000, 1, 0, 1)).ok());
  }
  IngestRequest request;
  request.options.format = InputFormat::kNdjson;
  request.clock = [] { return kReceipt; };
  std::uint64_t gone = 0;
  request.committed = [&](const IngestCounts& counts) {
    if (gone == 0) {
      gone = counts.ingested;
      REQUIRE(other->drop_dataset("d").ok());
    }
  };
  const std::string events = numbered_events(0, 350, 0, 1);
  const std::unique_ptr<ByteSource> source = memory_source(events);
  QueryControl control;
  const auto report = store->ingest("d", *source, request, control);
  REQUIRE(report.ok());
  REQUIRE(gone > 0);
  REQUIRE(gone < 350);
  std::vector<std::string> left;
  for (std::uint64_t number = gone; number < 350; ++number) {
    left.push_back(std::to_string(number));
  }
  CHECK(texts(read_rows(*store, "d", "n")) == left);
  const auto checked = store->check(control);
  REQUIRE(checked.ok());
  CHECK(checked->problems.empty());
  store.reset();
  other.reset();
  const auto names = list_directory(directory.path() + "/datasets");
  REQUIRE(names.ok());
  for (const std::string& name : *names) {
    CHECK(name.starts_with("2."));
  }
}

TEST_CASE("a load whose dataset is deleted meanwhile goes on in a new one of that name") {
  for (const bool was_there : {false, true}) {
    CAPTURE(was_there);
    check_load_beside_drop(was_there);
  }
}

}  // namespace
}  // namespace evq
