// What keeps catalog.db honest: files that no dataset has, rows that vanish or come back, limits.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/catalog/database.h"
#include "store/catalog/row_sum.h"
#include "store/catalog_definitions.h"
#include "store/catalog_rows.h"
#include "tests/support/store_support.h"

namespace evq {
namespace {

std::vector<std::string> problems(Store& store) {
  QueryControl control;
  const auto report = store.check(control);
  REQUIRE(report.ok());
  std::vector<std::string> found;
  for (const CheckProblem& problem : report->problems) {
    found.push_back(problem.file + ": " + problem.message);
  }
  return found;
}

Result<std::unique_ptr<Database>> open_database(const std::string& path, const SchemaSpec& spec) {
  DatabaseOptions options;
  options.path = path;
  options.create = true;
  return Database::open(options, spec);
}

TEST_CASE("an older catalog put back harms no newer dataset, and the newer one finds all again") {
  const TempDirectory directory;
  const std::string catalog = directory.path() + "/catalog.db";
  const std::string older = directory.path() + "/older";
  const std::string newer = directory.path() + "/newer";
  REQUIRE(load(*open_store(directory.path(), 100), "one", numbered_events(0, 3, 0, 1)).ok());
  std::filesystem::copy_file(catalog, older);
  REQUIRE(load(*open_store(directory.path(), 100), "two", numbered_events(10, 4, 0, 1)).ok());
  std::filesystem::copy_file(catalog, newer);

  const auto put_back = [&](const std::string& copy) {
    for (const char* suffix : {"", "-wal", "-shm"}) {
      std::filesystem::remove(catalog + suffix);
    }
    std::filesystem::copy_file(copy, catalog);
  };
  put_back(older);
  {
    auto store = open_store(directory.path(), 100);
    CHECK(store->snapshot("two").error().code == ErrorCode::kNotFound);
    const auto found = problems(*store);
    REQUIRE(found.size() == 1);
    CHECK(found[0].find("datasets/2.db: no dataset of the catalog has this file, and it holds 1 "
                        "blocks") == 0);
    // A dataset made now takes a number of its own.
    REQUIRE(load(*store, "three", numbered_events(20, 2, 0, 1)).ok());
    CHECK(store->definitions().find_dataset("three")->value().file_id == 3);
    CHECK(problems(*store).size() == 1);
  }
  put_back(newer);
  auto store = open_store(directory.path(), 100);
  CHECK(read_rows(*store, "two", "n").size() == 4);
}

TEST_CASE("what a creation or a drop cut short left behind goes with the next creation") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "one", numbered_events(0, 3, 0, 1)).ok());
  REQUIRE(load(*store, "two", numbered_events(0, 3, 0, 1)).ok());
  const std::string folder = directory.path() + "/datasets/";
  std::filesystem::copy_file(folder + "2.db", directory.path() + "/kept");
  REQUIRE(store->drop_dataset("two").ok());
  store.reset();
  // The unlinking never reached the disk; and a file was being made when the power went.
  std::filesystem::copy_file(directory.path() + "/kept", folder + "2.db");
  REQUIRE(write_file_atomically(folder + "2.db-wal", "left").ok());
  const auto empty = open_database(folder + "3.db", dataset_schema());
  REQUIRE(empty.ok());
  store = open_store(directory.path(), 100);
  CHECK(problems(*store).empty());
  REQUIRE(load(*store, "four", numbered_events(0, 1, 0, 1)).ok());
  CHECK_FALSE(std::filesystem::exists(folder + "2.db"));
  CHECK_FALSE(std::filesystem::exists(folder + "2.db-wal"));
  CHECK(store->definitions().find_dataset("four")->value().file_id == 3);
  CHECK(problems(*store).empty());
}

TEST_CASE("what lay beside a dropped file goes with the next creation") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "one", numbered_events(0, 3, 0, 1)).ok());
  REQUIRE(store->drop_dataset("one").ok());
  const std::string left = directory.path() + "/datasets/1.db-wal";
  REQUIRE(write_file_atomically(left, "left").ok());
  REQUIRE(load(*store, "two", numbered_events(0, 3, 0, 1)).ok());
  CHECK_FALSE(std::filesystem::exists(left));
  CHECK(problems(*store).empty());
}

void run_sql(const TempDirectory& directory, std::string_view sql) {
  auto database = open_database(directory.path() + "/catalog.db", catalog_schema());
  REQUIRE(database.ok());
  auto lock = (*database)->begin_write(Room::little());
  REQUIRE(lock.ok());
  REQUIRE(lock->connection().execute(sql).ok());
  REQUIRE(lock->commit().ok());
}

// As a later version may write it.
void lengthen_definition(const TempDirectory& directory) {
  auto database = open_database(directory.path() + "/catalog.db", catalog_schema());
  REQUIRE(database.ok());
  auto lock = (*database)->begin_write(Room::little());
  REQUIRE(lock.ok());
  std::int64_t before = 0;
  std::int64_t after = 0;
  std::string definition;
  {
    auto row = lock->connection().prepare(
        "SELECT name, file_id, file_key, definition, sum FROM datasets WHERE name = 'one'");
    REQUIRE(row.ok());
    REQUIRE(*row->step());
    definition = std::string(row->blob(3)) + "more";
    before = row->integer(4);
    after = RowSum(0, "datasets")
                .add_text(row->text(0))
                .add(row->integer(1))
                .add(row->integer(2))
                .add_text(definition)
                .value();
  }
  {
    auto write = lock->connection().prepare(
        "UPDATE datasets SET definition = ?1, sum = ?2 WHERE name = 'one'");
    REQUIRE(write.ok());
    REQUIRE(write->bind_blob(1, definition).bind(2, after).run().ok());
  }
  REQUIRE(note_change(lock->connection(), dataset_list(), {before, after}, 10).ok());
  REQUIRE(lock->commit().ok());
}

TEST_CASE("a definition that a later version wrote is read, changed and dropped") {
  for (const bool dropped : {false, true}) {
    CAPTURE(dropped);
    const TempDirectory directory;
    REQUIRE(load(*open_store(directory.path(), 100), "one", numbered_events(0, 3, 0, 1)).ok());
    lengthen_definition(directory);
    auto store = open_store(directory.path(), 100);
    CHECK(problems(*store).empty());
    auto definition = store->definitions().find_dataset("one");
    REQUIRE(definition.ok());
    REQUIRE(definition->has_value());
    if (dropped) {
      REQUIRE(store->drop_dataset("one").ok());
    } else {
      const auto change = [](DatasetDefinition* known) {
        known->description = "changed";
        return Status();
      };
      REQUIRE(store->definitions().change_dataset("one", change).ok());
      const auto changed = store->definitions().find_dataset("one");
      REQUIRE(changed.ok());
      CHECK((*changed)->description == "changed");
      CHECK((*changed)->later == "more");  // for the version that knows what it is
    }
    CHECK(problems(*store).empty());
    CHECK(store->definitions().datasets()->size() == (dropped ? 0U : 1U));
  }
}

TEST_CASE("a check lists so many damaged rows of the catalog, and counts the others") {
  const TempDirectory directory;
  REQUIRE(open_store(directory.path(), 100)->definitions().put_setting("plain", "value").ok());
  run_sql(directory,
          "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
              std::to_string(kCheckProblemsMax + 5) +
              ") INSERT INTO objects SELECT 1, 'id' || i, '', '', '', 0, 0, '', 0 FROM n");
  const auto found = problems(*open_store(directory.path(), 100));
  REQUIRE(found.size() == kCheckProblemsMax + 1);
  CHECK(found.back() == "catalog.db: … and 5 more problems");
}

TEST_CASE("a row that vanished from the catalog is noticed") {
  struct Case {
    std::string_view sql;
    std::string_view named;
  };
  const Case cases[] = {
      {"DELETE FROM tokens", "tokens"},
      {"DELETE FROM objects WHERE id = 'x'", "objects"},
      {"DELETE FROM settings WHERE name = 'plain'", "settings"},
      {"DELETE FROM settings WHERE name = 'token_sums'", "tokens"},
      {"DELETE FROM settings WHERE name = 'setting_sums'", "settings"},
      {"DELETE FROM datasets", "datasets"},
  };
  for (const Case& each : cases) {
    CAPTURE(each.sql);
    const TempDirectory directory;
    {
      auto store = open_store(directory.path(), 100);
      REQUIRE(load(*store, "one", numbered_events(0, 3, 0, 1)).ok());
      REQUIRE(store->definitions().put_setting("plain", "value").ok());
      StoredObject object;
      object.id = "x";
      REQUIRE(store->definitions().put_object(object).ok());
      TokenRecord token;
      token.id = "t";
      token.digest = std::string(32, 'd');
      REQUIRE(store->definitions().tokens().put(token).ok());
      CHECK(problems(*store).empty());
    }
    run_sql(directory, each.sql);
    auto store = open_store(directory.path(), 100);
    const auto found = problems(*store);
    REQUIRE_FALSE(found.empty());
    CHECK(found[0].find(each.named) != std::string::npos);
    Definitions& definitions = store->definitions();
    const bool refused = !definitions.tokens().list().ok() || !definitions.setting("plain").ok() ||
                         !definitions.setting("absent").ok() ||
                         !definitions.objects(ObjectKind::kSavedQuery, "").ok() ||
                         !definitions.datasets().ok();
    CHECK(refused);
  }
}

TEST_CASE("a list that was found sound is read again when it has changed") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  Definitions& definitions = store->definitions();
  const auto put = [&](Store& through, const std::string& id) {
    StoredObject object;
    object.id = id;
    REQUIRE(through.definitions().put_object(object).ok());
  };
  const auto find = [&](const std::string& id) {
    return definitions.find_object(ObjectKind::kSavedQuery, id);
  };
  put(*store, "x");
  for (int again = 0; again < 2; ++again) {
    CHECK_FALSE(find("y")->has_value());
  }
  put(*open_store(directory.path(), 100), "y");
  CHECK(find("y")->has_value());
  CHECK_FALSE(find("z")->has_value());
  CHECK(definitions.objects(ObjectKind::kSavedQuery, "")->size() == 2);
  run_sql(directory, "DELETE FROM objects WHERE id = 'x'");
  CHECK_FALSE(definitions.objects(ObjectKind::kSavedQuery, "").ok());
  put(*store, "z");
  CHECK(find("x").error().code == ErrorCode::kCorrupt);
}

TEST_CASE("a row whose key is damaged does not count as absent") {
  struct Case {
    std::string_view sql;
    bool (*told)(Definitions& definitions);
  };
  const Case cases[] = {
      {"UPDATE settings SET name = 'qlain' WHERE name = 'plain'",
       [](Definitions& definitions) { return !definitions.setting("plain").ok(); }},
      {"UPDATE objects SET id = 'y' WHERE id = 'x'",
       [](Definitions& definitions) {
         return !definitions.find_object(ObjectKind::kSavedQuery, "x").ok();
       }},
      {"UPDATE objects SET kind = 99",
       [](Definitions& definitions) {
         return !definitions.objects(ObjectKind::kSavedQuery, "").ok();
       }},
      {"UPDATE datasets SET name = 'other'",
       [](Definitions& definitions) { return !definitions.find_dataset("one").ok(); }},
  };
  for (const Case& each : cases) {
    CAPTURE(each.sql);
    const TempDirectory directory;
    {
      auto store = open_store(directory.path(), 100);
      REQUIRE(load(*store, "one", numbered_events(0, 3, 0, 1)).ok());
      REQUIRE(store->definitions().put_setting("plain", "value").ok());
      StoredObject object;
      object.id = "x";
      REQUIRE(store->definitions().put_object(object).ok());
    }
    run_sql(directory, each.sql);
    auto store = open_store(directory.path(), 100);
    CHECK(each.told(store->definitions()));
    CHECK_FALSE(problems(*store).empty());
  }
}

TEST_CASE("a list of the catalog grows to its limit and no further") {
  const TempDirectory directory;
  CatalogDefinitions definitions({directory.path(), "", 3});
  TokenRecord token;
  StoredObject object;
  DatasetDefinition dataset;
  for (int i = 0; i < 3; ++i) {
    token.id = object.id = dataset.name = "n" + std::to_string(i);
    token.digest = token.id;
    CHECK(definitions.put(token).ok());
    CHECK(definitions.put_object(object).ok());
    CHECK(definitions.create_dataset(dataset).ok());
  }
  CHECK(definitions.put(token).ok());  // again, not more
  CHECK(definitions.put_object(object).ok());
  token.id = object.id = dataset.name = "more";
  token.digest = token.id;
  for (const Status& refused : {definitions.put(token), definitions.put_object(object),
                                Status(definitions.create_dataset(dataset).error())}) {
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kLimit);
    CHECK(refused.error().message.find("at most 3") != std::string::npos);
  }
  CHECK(definitions.remove("n0").value());
  CHECK(definitions.remove_object(ObjectKind::kSavedQuery, "n0", {}).value());
  CHECK(definitions.drop_dataset("n0").ok());
  CHECK(definitions.put(token).ok());
  CHECK(definitions.put_object(object).ok());
  CHECK(definitions.create_dataset(dataset).ok());
}

}  // namespace
}  // namespace evq
