// Longs that no double holds, and reals, in one field: its values stay what they were, however they
// came and whatever is merged.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "store/column/dynamic_kinds.h"
#include "store/dataset.h"
#include "tests/support/load_events.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

constexpr std::string_view kWide = "9007199254740993";

std::string event(int second, std::string_view n) {
  return "{\"_time\":" + std::to_string(1'600'000'000 + second) + ",\"n\":" + std::string(n) +
         "}\n";
}

Type type_of_n(Store& store) {
  const auto snapshot = store.snapshot("d");
  REQUIRE(snapshot.ok());
  REQUIRE(snapshot->schema().size() == 3);
  return snapshot->schema()[2].type;
}

std::vector<Type> types_seen(Store& store) {
  const auto fields = store.fields("d");
  REQUIRE(fields.ok());
  return fields->back().types_seen;
}

TEST_CASE("a field has one type, whether its values came together or not") {
  const std::vector<std::vector<std::string>> loads = {
      {event(0, kWide), event(1, "1.5")},
      {event(0, "1.5"), event(1, kWide)},
      {event(0, kWide) + event(1, "1.5")},
      {event(0, "1"), event(1, "1.5"), event(2, "-9007199254740993")},
  };
  for (const std::vector<std::string>& together : loads) {
    CAPTURE(together.front());
    const TempDirectory directory;
    auto store = open_store(directory.path(), 100);
    for (const std::string& load_of : together) {
      REQUIRE(load(*store, "d", load_of).ok());
    }
    QueryControl control;
    for (const bool merged : {false, true}) {
      CAPTURE(merged);
      if (merged) {
        REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
      }
      CHECK(type_of_n(*store) == Type::kDynamic);
      CHECK(types_seen(*store) == std::vector<Type>{Type::kLong, Type::kReal});
    }
  }
}

TEST_CASE("longs that are all doubles and reals are reals") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  for (const char* n : {"9007199254740992", "-9007199254740992", "1.5"}) {
    REQUIRE(load(*store, "d", event(0, n)).ok());
  }
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(type_of_n(*store) == Type::kReal);
}

TEST_CASE("chunks of wide longs and of reals are merged, and every value stays") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 4096);
  std::vector<std::string> expected;
  for (int i = 0; i < 120; ++i) {
    const std::string n(i % 2 == 0 ? kWide : "1.5");
    REQUIRE(load(*store, "d", event(i, n)).ok());
    expected.push_back(n);
  }
  CHECK(store->stats("d")->fresh_chunks <= 64);
  CHECK(texts(read_rows(*store, "d", "n")) == expected);
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(store->stats("d")->blocks == 1);
  CHECK(texts(read_rows(*store, "d", "n")) == expected);
  CHECK(store->check(control)->problems.empty());
}

// As early versions wrote them: the field's row says nothing of wide longs.
void append_unnoted(const std::string& directory, const std::string& ndjson) {
  DatabaseOptions options;
  options.path = directory + "/datasets/1.db";
  const auto dataset = Dataset::open("d", {.file_id = 1}, options);
  REQUIRE(dataset.ok());
  test::Loaded loaded = test::load_events(ndjson);
  REQUIRE(loaded.tables.size() == 1);
  const FreshRows rows{std::move(loaded.tables.front()), ndjson.size()};
  JoinedRows chunk(100);
  REQUIRE(chunk.add(rows));
  auto form = chunk.encode(nullptr);
  REQUIRE(form.ok());
  bool noted = false;
  for (auto& field : form->fields) {
    noted = noted || (field.second & kWideLongs) != 0;
    field.second &= ~kWideLongs;
  }
  CHECK(noted);
  WriteJob job;
  job.room = Room::little();
  job.apply = [&](DatasetWriter& writer) { return insert_form(writer, *form); };
  REQUIRE((*dataset)->write(job).ok());
}

TEST_CASE("a file that does not tell wide longs reads as before until they are merged") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "d", event(0, "1.5")).ok());
  append_unnoted(directory.path(), event(1, kWide));
  CHECK(type_of_n(*store) == Type::kReal);
  QueryControl control;
  REQUIRE(store->maintain("d", Maintenance::kFull, control).ok());
  CHECK(type_of_n(*store) == Type::kDynamic);
  CHECK(texts(read_rows(*store, "d", "n")) == std::vector<std::string>{"1.5", std::string(kWide)});
  CHECK(store->check(control)->problems.empty());
}

}  // namespace
}  // namespace evq
