// tests/data/stores/vN: stores as version N of the format wrote them, kept for ever. This version
// opens a copy, brings it up to date, and answers as the old one did.
#include <filesystem>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "store/base/checksum.h"
#include "store/block/block_reader.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

// Every event of a dataset as text: fields in order of appearance, rows in order of ids.
std::string everything(Store& store, std::string_view dataset) {
  const auto snapshot = store.snapshot(dataset);
  REQUIRE(snapshot.ok());
  std::string all;
  for (const Field& field : snapshot->schema().fields()) {
    all += field.name + ":" + std::string(type_name(field.type)) + "\n";
    if (field.name == "_sysTime") {
      continue;
    }
    for (const ReadRow& row : read_rows(*snapshot, field.name)) {
      all += row.text + "\n";
    }
  }
  return all;
}

std::set<int> encodings(Store& store, std::string_view dataset) {
  std::set<int> found;
  const auto snapshot = store.snapshot(dataset);
  REQUIRE(snapshot.ok());
  for (const SnapshotBlock& info : snapshot->blocks()) {
    auto block = snapshot->open(info);
    REQUIRE(block.ok());
    for (const ColumnHeader& column : block->reader().header().columns) {
      found.insert(column.encoding);
    }
  }
  return found;
}

void require_sound(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  for (const CheckProblem& problem : report->problems) {
    FAIL_CHECK(problem.file << ": " << problem.message);
  }
}

TEST_CASE("a store of version 1 opens, answers and is written to") {
  const TempDirectory directory;
  const std::string path = directory.path() + "/v1";
  std::filesystem::copy(EVQ_TEST_DATA "/stores/v1", path, std::filesystem::copy_options::recursive);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  auto store = open_store(path, 65536);

  const std::string kinds = everything(*store, "kinds");
  CHECK(store->snapshot("kinds")->rows() == 1200);
  CHECK(checksum64(kinds) == 15858462817744638624ULL);
  CHECK(encodings(*store, "kinds").size() >= 8);
  const auto other = store->definitions().find_dataset("other");
  REQUIRE(other->has_value());
  CHECK((*other)->map_fields == std::vector<std::string>{"attributes"});
  CHECK(texts(read_rows(*store, "other", "a")) == std::vector<std::string>{"1", "2.5"});
  CHECK(texts(read_rows(*store, "other", "attributes")) ==
        std::vector<std::string>{"null", R"({"k":{"deep":[1,2,null]}})"});
  CHECK(store->definitions().setting("org.id")->value() == "frozen-org");
  const auto tokens = store->definitions().tokens().list();
  REQUIRE(tokens->size() == 1);
  CHECK(tokens->front().name == "frozen");
  CHECK(store->definitions().objects(ObjectKind::kSavedQuery, "")->size() == 1);
  require_sound(*store);

  QueryControl control;
  REQUIRE(load(*store, "kinds", "{\"_time\":1,\"message\":\"new\"}").ok());
  REQUIRE(store->maintain("kinds", Maintenance::kFull, control).ok());
  CHECK(store->snapshot("kinds")->rows() == 1201);
  store = open_store(path, 65536);
  require_sound(*store);
}

}  // namespace
}  // namespace evq
