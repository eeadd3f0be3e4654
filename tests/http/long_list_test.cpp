// Lists that are read object by object, while objects are deleted and moved.
#include "http/long_list.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/temp_service.h"

namespace evq {
namespace {

void put_query(Definitions& definitions, std::string_view id, std::string_view dataset) {
  StoredObject object;
  object.id = id;
  object.dataset = dataset;
  object.name = id;
  object.body = "{}";
  REQUIRE(definitions.put_object(object).ok());
}

// The ids of a list whose objects are changed by `meanwhile` once the first has been read.
template <class Meanwhile>
std::vector<std::string> ids_of(Api& api, const ObjectFilter& which, const Meanwhile& meanwhile,
                                std::size_t first = 0) {
  std::vector<std::string> ids;
  const auto take = [&](const StoredObject& object) -> Result<bool> {
    ids.push_back(object.id);
    if (ids.size() == 1) {
      meanwhile();
    }
    return true;
  };
  REQUIRE(each_object(api, HttpRequest(), which, take, first).ok());
  return ids;
}

TEST_CASE("what goes while a list is read is left out and hides none of the others") {
  const TempService service;
  HttpMetrics metrics;
  Api api(*service.operator->(), metrics, {});
  for (const char* id : {"a", "b", "c", "d", "e"}) {
    put_query(api.definitions(), id, "web");
  }
  using Ids = std::vector<std::string>;
  const ObjectFilter any{ObjectKind::kSavedQuery};
  const auto nothing = [] {};
  CHECK(ids_of(api, any, nothing) == Ids{"a", "b", "c", "d", "e"});
  CHECK(ids_of(api, any, nothing, 2) == Ids{"c", "d", "e"});
  CHECK(ids_of(api, any, nothing, 5).empty());
  CHECK(ids_of(api, any, nothing, 6).empty());
  const auto remove = [&](std::string_view id) {
    REQUIRE(api.definitions().remove_object(ObjectKind::kSavedQuery, id, {}).ok());
  };
  CHECK(ids_of(api, any, [&] { remove("a"); }) == Ids{"a", "b", "c", "d", "e"});
  CHECK(ids_of(api, any, [&] { remove("c"); }) == Ids{"b", "d", "e"});

  const ObjectFilter of_web{ObjectKind::kSavedQuery, "web"};
  const auto move = [&] { put_query(api.definitions(), "d", "mail"); };
  CHECK(ids_of(api, of_web, move) == Ids{"b", "e"});
  CHECK(ids_of(api, {ObjectKind::kSavedQuery, "mail"}, nothing) == Ids{"d"});
  const ObjectFilter named{ObjectKind::kSavedQuery, {}, "e"};
  CHECK(ids_of(api, named, nothing) == Ids{"e"});
}

TEST_CASE("a list that is cancelled ends") {
  const TempService service;
  HttpMetrics metrics;
  Api api(*service.operator->(), metrics, {});
  put_query(api.definitions(), "a", "web");
  put_query(api.definitions(), "b", "web");
  QueryControl control;
  HttpRequest request;
  request.control = &control;
  std::size_t taken = 0;
  const auto take = [&](const StoredObject& /*object*/) -> Result<bool> {
    ++taken;
    control.cancel();
    return true;
  };
  const Status status = each_object(api, request, {ObjectKind::kSavedQuery}, take);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == ErrorCode::kCancelled);
  CHECK(taken == 1);
}

TEST_CASE("a list of any length is one JSON array") {
  const TempService service;
  HttpMetrics metrics;
  Api api(*service.operator->(), metrics, {});
  for (const std::size_t items : {0U, 1U, 3U, 3000U}) {
    LongList list(api);
    std::string expected;
    for (std::size_t i = 0; i < items; ++i) {
      const std::string item =
          "{\"i\":" + std::to_string(i) + ",\"x\":\"" + std::string(1000, 'x') + "\"}";
      REQUIRE(list.add(item).ok());
      expected += (i == 0 ? "" : ",") + item;
    }
    CHECK(list.size() == items);
    Result<HttpResponse> response = list.response();
    REQUIRE(response.ok());
    std::string text = response->body;
    for (bool more = static_cast<bool>(response->rest); more;) {
      std::string piece;
      const Result<bool> read = response->rest(&piece);
      REQUIRE(read.ok());
      more = *read;
      text += piece;
    }
    CHECK((text == "[" + expected + "]"));
  }
}

}  // namespace
}  // namespace evq
