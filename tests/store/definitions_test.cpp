// Datasets, objects, tokens and settings: what is put is found, also after reopening.
#include "store/definitions.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/control.h"
#include "store/base/file_lock.h"
#include "store/base/wait_scope.h"
#include "store/definition_coding.h"
#include "store/store.h"
#include "tests/support/temp_store.h"

namespace evq {
namespace {

std::unique_ptr<Store> open_in(const TempDirectory& directory) {
  StoreOptions options;
  options.directory = directory.path() + "/s";
  auto store = Store::open(options);
  REQUIRE(store.ok());
  return std::move(store).value();
}

TEST_CASE("an empty store has nothing and makes no files for being asked") {
  const TempDirectory directory;
  auto store = open_in(directory);
  Definitions& definitions = store->definitions();
  CHECK(definitions.datasets()->empty());
  CHECK_FALSE(definitions.find_dataset("x")->has_value());
  CHECK_FALSE(definitions.setting("org.id")->has_value());
  CHECK(definitions.tokens().list()->empty());
  CHECK(store->snapshot("x").error().code == ErrorCode::kNotFound);
  CHECK(std::filesystem::is_empty(directory.path() + "/s"));
}

TEST_CASE("datasets are created once, updated, listed and dropped") {
  const TempDirectory directory;
  auto store = open_in(directory);
  DatasetDefinition wanted;
  wanted.name = "web-1";
  wanted.description = "of the shop";
  wanted.map_fields = {"attributes", "x.y"};
  wanted.retention_days = 30;
  wanted.use_retention = true;
  const auto made = store->definitions().create_dataset(wanted);
  REQUIRE(made.ok());
  CHECK(made->file_id == 1);
  CHECK(made->created > 0);
  CHECK(store->definitions().create_dataset(wanted).error().code == ErrorCode::kConflict);
  CHECK(store->snapshot("web-1")->rows() == 0);

  const auto changed = store->definitions().change_dataset("web-1", [](DatasetDefinition* known) {
    known->description.clear();
    known->name = "other";  // stays
    return Status();
  });
  REQUIRE(changed.ok());
  CHECK(changed->name == "web-1");
  CHECK(changed->map_fields == wanted.map_fields);
  const auto refused = store->definitions().change_dataset("web-1", [](DatasetDefinition* known) {
    known->retention_days = 7;
    return Status(make_error(ErrorCode::kUsage, "no"));
  });
  CHECK(refused.error().code == ErrorCode::kUsage);
  store = open_in(directory);
  const auto found = store->definitions().find_dataset("web-1");
  REQUIRE(found.ok());
  REQUIRE(found->has_value());
  CHECK((*found)->description.empty());
  CHECK((*found)->map_fields == wanted.map_fields);
  CHECK((*found)->retention_days == 30);

  REQUIRE(store->drop_dataset("web-1").ok());
  CHECK(store->drop_dataset("web-1").error().code == ErrorCode::kNotFound);
  CHECK(store->snapshot("web-1").error().code == ErrorCode::kNotFound);
  CHECK_FALSE(std::filesystem::exists(directory.path() + "/s/datasets/1.db"));
  CHECK(store->definitions().create_dataset(wanted)->file_id == 2);
}

TEST_CASE("a definition may end before a member that came later, and go on after those known") {
  DatasetDefinition written;
  written.description = "of the shop";
  written.retention_days = 30;
  written.use_retention = true;
  const std::string coded = encode_definition(written);
  const std::string older = coded.substr(0, coded.size() - 1);  // without the list of map fields
  for (const std::string& bytes : {coded, older, coded + "what comes later"}) {
    DatasetDefinition read;
    REQUIRE(decode_definition(bytes, &read));
    CHECK(read.description == "of the shop");
    CHECK(read.retention_days == 30);
    CHECK(read.use_retention);
    CHECK(read.map_fields.empty());
    CHECK(encode_definition(read) == (bytes == older ? coded : bytes));
  }
  DatasetDefinition read;
  CHECK_FALSE(decode_definition(older.substr(0, older.size() - 1), &read));
}

TEST_CASE("who gives up is not kept by another who opens the catalog") {
  const TempDirectory directory;
  auto store = open_in(directory);
  const std::string path = directory.path() + "/s/catalog.db";
  auto other_process = FileLock::acquire(path + ".lock", 0);
  REQUIRE(other_process.ok());
  std::thread waiting([&] { CHECK(store->definitions().put_setting("a", "1").ok()); });
  while (!std::filesystem::exists(path)) {  // it is made under no lock, and filled under this one
    std::this_thread::yield();
  }
  QueryControl gone;
  gone.cancel();
  {
    const WaitScope scope(gone);
    CHECK(store->definitions().put_setting("b", "2").error().code == ErrorCode::kCancelled);
  }
  other_process->release();
  waiting.join();
  CHECK(store->definitions().setting("a").value() == "1");
}

TEST_CASE("names of datasets") {
  const TempDirectory directory;
  auto store = open_in(directory);
  for (const std::string& name :
       {std::string("a"), std::string("A.b_c-9"), std::string(128, 'x'), std::string("0")}) {
    DatasetDefinition definition;
    definition.name = name;
    CHECK(store->definitions().create_dataset(definition).ok());
  }
  for (const std::string& name :
       {std::string(), std::string(129, 'x'), std::string("-a"), std::string(".a"),
        std::string("a."), std::string("a b"), std::string("../a"), std::string("ä"),
        std::string("a\0b", 3), std::string("a/b"), std::string("a'b")}) {
    DatasetDefinition definition;
    definition.name = name;
    CAPTURE(name);
    CHECK(store->definitions().create_dataset(definition).error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("objects are kept by kind and id") {
  const TempDirectory directory;
  auto store = open_in(directory);
  StoredObject object;
  object.kind = ObjectKind::kSavedQuery;
  object.id = "q1";
  object.dataset = "web";
  object.body = R"({"name":"ä"})";
  object.created = 5;
  REQUIRE(store->definitions().put_object(object).ok());
  object.id = "q0";
  object.dataset = "other";
  object.created = 6;
  REQUIRE(store->definitions().put_object(object).ok());
  object.body = "{}";
  REQUIRE(store->definitions().put_object(object).ok());
  store = open_in(directory);
  Definitions& definitions = store->definitions();
  const auto all = definitions.objects(ObjectKind::kSavedQuery, "");
  REQUIRE(all.ok());
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].id == "q1");
  CHECK((*all)[1].body == "{}");
  CHECK(definitions.objects(ObjectKind::kSavedQuery, "web")->size() == 1);
  CHECK(definitions.objects(ObjectKind::kAnnotation, "")->empty());
  CHECK_FALSE(definitions.find_object(ObjectKind::kMonitor, "q1")->has_value());
  const auto refuse = [](const StoredObject& known) -> Status {
    return make_error(ErrorCode::kForbidden, "not " + known.id);
  };
  CHECK(definitions.remove_object(ObjectKind::kSavedQuery, "q1", refuse).error().message ==
        "not q1");
  CHECK(definitions.remove_object(ObjectKind::kSavedQuery, "q1", {}).value());
  CHECK_FALSE(definitions.remove_object(ObjectKind::kSavedQuery, "q1", {}).value());
}

TEST_CASE("tokens are found by digest only") {
  const TempDirectory directory;
  auto store = open_in(directory);
  Tokens& tokens = store->definitions().tokens();
  TokenRecord token;
  token.id = "t1";
  token.digest = std::string("\0digest\xff", 8);
  token.kind = "api";
  token.capabilities = "{}";
  token.created = 3;
  REQUIRE(tokens.put(token).ok());
  token.id = "t2";
  token.digest = std::string(32, 'b');
  token.expires = 99;
  REQUIRE(tokens.put(token).ok());
  token.last_used = 50;
  REQUIRE(tokens.put(token).ok());
  CHECK(tokens.list()->size() == 2);
  const auto found = tokens.find(std::string(32, 'b'));
  REQUIRE(found->has_value());
  CHECK((*found)->id == "t2");
  CHECK((*found)->expires == 99);
  CHECK((*found)->last_used == 50);
  REQUIRE(tokens.note_uses({{std::string(32, 'b'), 70}, {"gone", 71}}).ok());
  CHECK(tokens.find(std::string(32, 'b'))->value().last_used == 70);
  CHECK_FALSE(tokens.find("t2")->has_value());
  CHECK(tokens.find(std::string("\0digest\xff", 8))->value().id == "t1");
  CHECK(tokens.remove("t1").value());
  token.id = "t1";  // noting a use of a token that is gone does not bring it back
  REQUIRE(tokens.put(token).ok());
  CHECK(tokens.list()->size() == 1);
  CHECK_FALSE(tokens.remove("t1").value());
  // In the place of t2, which stays and ends earlier; a token that is gone stays so.
  const auto replace = [](TokenRecord* old) -> Result<TokenRecord> {
    TokenRecord next = *old;
    next.id = "t3";
    next.digest = std::string(32, 'c');
    old->expires = 60;
    return next;
  };
  REQUIRE(tokens.replace("t2", replace).ok());
  CHECK(tokens.find(std::string(32, 'b'))->value().expires == 60);
  CHECK(tokens.find(std::string(32, 'c'))->value().id == "t3");
  CHECK(tokens.remove("t2").value());
  CHECK(tokens.remove("t3").value());
  CHECK(tokens.replace("t2", replace).error().code == ErrorCode::kNotFound);
  CHECK(tokens.list()->empty());
  REQUIRE(store->definitions().put_setting("org.id", "local").ok());
  CHECK(store->definitions().setting("org.id")->value() == "local");
}

TEST_CASE("objects are found by dataset and name, and their ids in the same order") {
  const TempDirectory directory;
  auto store = open_in(directory);
  Definitions& definitions = store->definitions();
  for (int i = 0; i < 6; ++i) {
    StoredObject object;
    object.kind = ObjectKind::kView;
    object.id = std::to_string(9 - i);  // against the order of creation
    object.dataset = i % 2 == 0 ? "even" : "odd";
    object.name = "n" + std::to_string(i / 2);
    object.created = i;
    REQUIRE(definitions.put_object(object).ok());
  }
  const auto ids = [&](const ObjectFilter& which) {
    std::string text;
    const auto found = definitions.find_objects(which);
    REQUIRE(found.ok());
    for (const StoredObject& object : *found) {
      text += object.id;
    }
    std::string alone;
    const auto found_ids = definitions.find_object_ids(which);
    REQUIRE(found_ids.ok());
    for (const std::string& id : *found_ids) {
      alone += id;
    }
    CHECK(alone == text);
    return text;
  };
  constexpr ObjectKind kKind = ObjectKind::kView;
  CHECK(ids({kKind}) == "987654");
  CHECK(ids({kKind, "even"}) == "975");
  CHECK(ids({kKind, "even", "n1"}) == "7");
  CHECK(ids({kKind, "", "n1"}) == "76");
  CHECK(ids({kKind, "even", "other"}).empty());
  CHECK(ids({kKind, "other"}).empty());
  CHECK(ids({ObjectKind::kMonitor, "even"}).empty());
}

TEST_CASE("an object is changed as it is when it is stored") {
  const TempDirectory directory;
  auto store = open_in(directory);
  Definitions& definitions = store->definitions();
  const auto append = [&](std::string_view id) {
    return definitions.change_object(ObjectKind::kView, id, 1, [](const StoredObject* known) {
      StoredObject object = known == nullptr ? StoredObject() : *known;
      object.body += known == nullptr ? "a" : "b";
      return Result<StoredObject>(object);
    });
  };
  CHECK(append("v")->body == "a");
  CHECK(append("v")->body == "ab");
  CHECK(append("v")->kind == ObjectKind::kView);
  const auto refused = definitions.change_object(ObjectKind::kView, "v", 1,
                                                 [](const StoredObject*) -> Result<StoredObject> {
                                                   return make_error(ErrorCode::kConflict, "no");
                                                 });
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK((*definitions.find_object(ObjectKind::kView, "v"))->body == "abb");
  CHECK(definitions.objects(ObjectKind::kView, "")->size() == 1);
  const auto another = [&](const StoredObject*) -> Result<StoredObject> {
    EVQ_TRY_ASSIGN(const std::vector<StoredObject> known,
                   definitions.objects(ObjectKind::kView, ""));
    CHECK(known.size() == 1);
    return StoredObject();
  };
  CHECK(definitions.change_object(ObjectKind::kView, "w", 1, another).ok());
}

TEST_CASE("of several who would be the first, one is") {
  constexpr int kPeople = 8;
  const TempDirectory directory;
  auto store = open_in(directory);
  auto other = open_in(directory);  // as another process has it
  std::vector<std::string> settings(kPeople);
  std::atomic<int> tokens = 0;
  std::atomic<int> lengths = 0;
  {
    std::vector<std::jthread> people;
    for (int i = 0; i < kPeople; ++i) {
      people.emplace_back([&, i] {
        Definitions& definitions = (i % 2 == 0 ? store : other)->definitions();
        TokenRecord token;
        token.id = token.digest = std::to_string(i);
        tokens += definitions.tokens().put_first(token).value() ? 1 : 0;
        settings[static_cast<std::size_t>(i)] =
            definitions.setting_or("org.id", std::to_string(i)).value();
        const auto longer = definitions.change_object(
            ObjectKind::kView, "v", 1, [](const StoredObject* known) -> Result<StoredObject> {
              StoredObject object;
              object.body = (known == nullptr ? "" : known->body) + "x";
              return object;
            });
        lengths += longer.ok() ? 1 : 0;
      });
    }
  }
  CHECK(tokens == 1);
  CHECK(store->definitions().tokens().list()->size() == 1);
  CHECK(std::ranges::count(settings, settings[0]) == kPeople);
  CHECK(lengths == kPeople);
  CHECK((*store->definitions().find_object(ObjectKind::kView, "v"))->body.size() == kPeople);
}

TEST_CASE("a store that is not there is only made when asked for") {
  const TempDirectory directory;
  StoreOptions options;
  options.directory = directory.path() + "/none";
  options.create = false;
  CHECK(Store::open(options).error().code == ErrorCode::kNotFound);
  CHECK_FALSE(std::filesystem::exists(options.directory));
}

}  // namespace
}  // namespace evq
