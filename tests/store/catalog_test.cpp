// What keeps catalog.db honest: files that no dataset has, rows that vanish or come back, limits.
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/catalog/database.h"
#include "store/catalog/dataset_file.h"
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
                        "block; ") == 0);
    // A dataset made now takes a number of its own.
    REQUIRE(load(*store, "three", numbered_events(20, 2, 0, 1)).ok());
    CHECK(store->definitions().find_dataset("three")->value().file_id == 3);
    CHECK(problems(*store).size() == 1);
  }
  put_back(newer);
  auto store = open_store(directory.path(), 100);
  CHECK(read_rows(*store, "two", "n").size() == 4);
}

// Files by their names, as far as those begin so.
std::map<std::string, std::string> files_of(const std::string& folder, std::string_view beginning) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning)) {
      const auto bytes = read_whole_file(entry.path().string(), kMebibyte);
      REQUIRE(bytes.ok());
      files[name] = *bytes;
    }
  }
  return files;
}

TEST_CASE("a check changes no file that no dataset has, and makes none beside it") {
  const TempDirectory directory;
  const std::string folder = directory.path() + "/datasets/";
  auto store = open_store(directory.path(), 100);
  REQUIRE(load(*store, "one", numbered_events(0, 3, 0, 1)).ok());
  // As killed processes leave them: with all that was stored in the write-ahead file, without that,
  // in the making, and before.
  for (const char* suffix : {"", "-wal"}) {
    REQUIRE(size_or_zero(folder + "1.db" + suffix) > 0);
    std::filesystem::copy_file(folder + "1.db" + suffix, folder + "96.db" + suffix);
  }
  store.reset();
  REQUIRE(size_or_zero(folder + "1.db-wal") == 0);
  std::filesystem::copy_file(folder + "1.db", folder + "97.db");
  // SQLite's journal of the first page is longer than that.
  const std::string page(kDatasetPageBytes, 'p');
  REQUIRE(write_file_atomically(folder + "98.db", page).ok());
  REQUIRE(write_file_atomically(folder + "98.db-journal", page + "and more").ok());
  REQUIRE(write_file_atomically(folder + "99.db", "").ok());
  const auto before = files_of(folder, "9");
  CHECK(before.size() == 6);
  store = open_store(directory.path(), 100);
  for (int round = 0; round < 2; ++round) {
    const auto found = problems(*store);
    REQUIRE(found.size() == 2);
    CHECK(
        found[0].starts_with("datasets/96.db: no dataset of the catalog has this file, and it "
                             "holds 1 block; "));
    CHECK(
        found[1].starts_with("datasets/97.db: no dataset of the catalog has this file, and it "
                             "holds 1 block; "));
    CHECK(files_of(folder, "9") == before);
  }
  // A creation takes away what was in the making, and nothing else.
  REQUIRE(load(*store, "two", numbered_events(0, 1, 0, 1)).ok());
  CHECK(store->definitions().find_dataset("two")->value().file_id == 98);
  CHECK(files_of(folder, "98.db-journal").empty());
  CHECK(files_of(folder, "99").empty());
  auto after = before;
  std::erase_if(after, [](const auto& file) { return file.first >= "98"; });
  auto now = files_of(folder, "9");
  std::erase_if(now, [](const auto& file) { return file.first >= "98"; });
  CHECK(now == after);
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

TEST_CASE("some objects of a damaged list are not taken for all that are meant") {
  for (const std::string_view sql :
       {"UPDATE objects SET dataset = 'other' WHERE id = 'x'", "DELETE FROM objects WHERE id = 'x'",
        "UPDATE objects SET body = 'b' WHERE id = 'x'"}) {
    CAPTURE(sql);
    const TempDirectory directory;
    for (const char* id : {"x", "y"}) {
      StoredObject object;
      object.id = id;
      object.dataset = "d";
      object.body = std::string(8192, 'b');
      REQUIRE(open_store(directory.path(), 100)->definitions().put_object(object).ok());
    }
    CHECK(open_store(directory.path(), 100)
              ->definitions()
              .objects(ObjectKind::kSavedQuery, "d")
              ->size() == 2);
    run_sql(directory, std::string(sql));
    const auto found =
        open_store(directory.path(), 100)->definitions().objects(ObjectKind::kSavedQuery, "d");
    REQUIRE_FALSE(found.ok());
    CHECK(found.error().code == ErrorCode::kCorrupt);
  }
}

TokenRecord token_called(const std::string& id) {
  TokenRecord token;
  token.id = id;
  token.digest = id + std::string(31, '.');
  return token;
}

TEST_CASE("a token is found without reading the others until one of them has changed") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  Tokens& tokens = store->definitions().tokens();
  for (const char* id : {"a", "b", "c"}) {
    REQUIRE(tokens.put(token_called(id)).ok());
  }
  const auto find = [&](const std::string& id) { return tokens.find(token_called(id).digest); };
  CHECK(find("a")->has_value());
  run_sql(directory, "UPDATE tokens SET capabilities = '{}' WHERE id = 'b'");
  CHECK(find("a")->has_value());
  CHECK(find("b").error().code == ErrorCode::kCorrupt);
  CHECK(find("b").error().message.find("'b'") != std::string::npos);
  CHECK_FALSE(tokens.list().ok());
  REQUIRE(tokens.put(token_called("d")).ok());
  CHECK(find("a").error().code == ErrorCode::kCorrupt);
  CHECK_FALSE(find("none")->has_value());
}

TEST_CASE("whoever changes a token has read all of them, so that who looks for one need not") {
  const std::function<bool(Tokens&)> changes[] = {
      [](Tokens& tokens) { return tokens.put(token_called("c")).ok(); },
      [](Tokens& tokens) {
        return tokens.note_uses({{token_called("a").digest, 7}}).ok();
      },
      [](Tokens& tokens) {
        return tokens.replace("b", [](TokenRecord*) { return token_called("c"); }).ok();
      },
      [](Tokens& tokens) { return tokens.remove("b").value(); },
  };
  for (const auto& change : changes) {
    const TempDirectory directory;
    auto store = open_store(directory.path(), 100);
    Tokens& tokens = store->definitions().tokens();
    for (const char* id : {"a", "b", "damaged"}) {
      REQUIRE(tokens.put(token_called(id)).ok());
    }
    CHECK(tokens.find(token_called("a").digest)->has_value());
    REQUIRE(change(tokens));
    run_sql(directory, "UPDATE tokens SET capabilities = '{}' WHERE id = 'damaged'");
    const auto found = tokens.find(token_called("a").digest);
    REQUIRE(found.ok());
    CHECK(found->has_value());
  }
}

TEST_CASE("a token that another process removed is gone at once, and does not come back") {
  const TempDirectory directory;
  auto store = open_store(directory.path(), 100);
  Tokens& tokens = store->definitions().tokens();
  const TokenRecord token = token_called("a");
  REQUIRE(tokens.put(token).ok());
  REQUIRE(tokens.put(token_called("b")).ok());
  CHECK(tokens.find(token.digest)->has_value());
  CHECK(open_store(directory.path(), 100)->definitions().tokens().remove("a").value());
  CHECK_FALSE(tokens.find(token.digest)->has_value());
  // As an old page would have it.
  RowSum sum(0, "tokens");
  sum.add_text(token.id).add_text(token.digest);
  sum.add_text("")
      .add_text("")
      .add_text("")
      .add_text("")
      .add(std::int64_t{0})
      .add_null()
      .add_null();
  run_sql(directory, "INSERT INTO tokens VALUES('a', CAST('" + token.digest +
                         "' AS BLOB), '', '', '', '', 0, NULL, NULL, " +
                         std::to_string(sum.value()) + ")");
  const auto found = tokens.find(token.digest);
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().message.find("the list of tokens") != std::string::npos);
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
    CHECK(definitions.tokens().put(token).ok());
    CHECK(definitions.put_object(object).ok());
    CHECK(definitions.create_dataset(dataset).ok());
  }
  CHECK(definitions.tokens().put(token).ok());  // again, not more
  CHECK(definitions.put_object(object).ok());
  token.id = object.id = dataset.name = "more";
  token.digest = token.id;
  for (const Status& refused : {definitions.tokens().put(token), definitions.put_object(object),
                                Status(definitions.create_dataset(dataset).error())}) {
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kLimit);
    CHECK(refused.error().message.find("at most 3") != std::string::npos);
  }
  CHECK(definitions.tokens().remove("n0").value());
  CHECK(definitions.remove_object(ObjectKind::kSavedQuery, "n0", {}).value());
  CHECK(definitions.drop_dataset("n0").ok());
  CHECK(definitions.tokens().put(token).ok());
  CHECK(definitions.put_object(object).ok());
  CHECK(definitions.create_dataset(dataset).ok());
}

}  // namespace
}  // namespace evq
