// Saved queries. Permission is asked on the query's dataset, or on every one ("*") when it names
// none.

#include "apl/service/starred.h"
#include "http/api.h"
#include "http/long_list.h"
#include "http/parameters.h"
#include "http/wire_resources.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

Status check(const HttpRequest& request, std::string_view dataset, std::string_view action) {
  const std::string_view name = dataset.empty() ? std::string_view("*") : dataset;
  return request.identity.may(name, "starredQueries", action)
             ? Status::success()
             : Status(permission_error("starredQueries", action));
}

// One that is not there looks like those that the token may not see.
Result<StoredObject> allowed_starred(Api& api, const HttpRequest& request,
                                     std::string_view action) {
  auto stored = find_starred(api.definitions(), request.argument("id"));
  if (stored.ok()) {
    EVQ_TRY(check(request, stored->dataset, action));
  } else if (stored.error().code == ErrorCode::kNotFound) {
    EVQ_TRY(check(request, "", action));
  }
  return stored;
}

// `qs` is part of the name or of the query, in any case.
bool wanted(const HttpRequest& request, const StoredObject& object) {
  const std::string_view who = request.parameter("who").value_or("");
  const std::string text = fold_case(request.parameter("qs").value_or(""));
  if (!who.empty() && who != "all" && who != object.who) {
    return false;
  }
  if (text.empty() || fold_case(object.name).find(text) != std::string::npos) {
    return true;
  }
  const Result<QueryRequest> query = starred_request(object);
  return query.ok() && fold_case(query->apl).find(text) != std::string::npos;
}

}  // namespace

Result<HttpResponse> handle_starred_list(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::size_t limit, list_limit(request, 100));
  EVQ_TRY_ASSIGN(std::size_t offset, count_parameter(request, "offset", 0, SIZE_MAX / 2));
  // Before they are looked up: what the answer is must not tell which there are.
  const std::string_view dataset = request.parameter("dataset").value_or("");
  if (!dataset.empty()) {
    EVQ_TRY(check(request, dataset, "read"));
  } else if (!request.identity.may_somewhere("starredQueries", "read")) {
    return permission_error("starredQueries", "read");
  }
  LongList list(api);
  const auto take = [&](const StoredObject& object) -> Result<bool> {
    if (!check(request, object.dataset, "read").ok() || !wanted(request, object)) {
      return true;
    }
    if (offset > 0) {
      --offset;
      return true;
    }
    EVQ_TRY(list.add(write_listed_starred(object)));
    return list.size() < limit;
  };
  EVQ_TRY(each_object(api, request, {ObjectKind::kSavedQuery, dataset}, take));
  return list.response();
}

Result<HttpResponse> handle_starred_create(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const StarredQuery query, read_starred_query(body));
  EVQ_TRY(check(request, query.dataset, "create"));
  EVQ_TRY_ASSIGN(
      const StoredObject stored,
      put_starred(api.definitions(), request.parameter("id").value_or(""), query, PutRule::kNew));
  return json_response(starred_answer(stored));
}

Result<HttpResponse> handle_starred_show(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject stored, allowed_starred(api, request, "read"));
  return json_response(starred_answer(stored));
}

Result<HttpResponse> handle_starred_update(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const std::string body, request.body.text());
  EVQ_TRY_ASSIGN(const StarredQuery query, read_starred_query(body));
  EVQ_TRY(check(request, query.dataset, "update"));
  EVQ_TRY_ASSIGN(const StoredObject known, allowed_starred(api, request, "update"));
  // Another request may move it to another dataset meanwhile.
  EVQ_TRY_ASSIGN(
      const StoredObject stored,
      put_starred(api.definitions(), known.id, query, PutRule::kKnown,
                  [&](const StoredObject& at) { return check(request, at.dataset, "update"); }));
  return json_response(starred_answer(stored));
}

Result<HttpResponse> handle_starred_delete(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const StoredObject known, allowed_starred(api, request, "delete"));
  EVQ_TRY(remove_starred(api.definitions(), known.id, [&](const StoredObject& at) {
    return check(request, at.dataset, "delete");
  }));
  return no_content();
}

}  // namespace evq
