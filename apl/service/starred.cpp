// Validation is one table a kind of object: name, type, allowed values, required or not. The walk
// over the tables is the same for the query, its request and its options.

#include "apl/service/starred.h"

#include <algorithm>
#include <array>
#include <random>
#include <span>
#include <utility>

#include "store/base/control.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

enum class Shape : std::uint8_t { kString, kBool, kInteger, kStrings, kObject, kTexts, kOrder };

struct Member {
  std::string_view name;
  Shape shape = Shape::kString;
  bool required = false;
  // Allowed values between commas, such as ",low,medium,"; empty: any.
  std::string_view allowed;
};

constexpr std::array kQueryMembers = {
    Member{"kind", Shape::kString, true, ",apl,"}, Member{"name", Shape::kString, true, ""},
    Member{"who", Shape::kString, true, ""},       Member{"query", Shape::kObject, true, ""},
    Member{"metadata", Shape::kTexts, true, ""},   Member{"dataset", Shape::kString, false, ""},
};

constexpr std::array kRequestMembers = {
    Member{"apl", Shape::kString, true, ""},
    Member{"startTime", Shape::kString, false, ""},
    Member{"endTime", Shape::kString, false, ""},
    Member{"cursor", Shape::kString, false, ""},
    Member{"includeCursor", Shape::kBool, false, ""},
    Member{"includeCursorField", Shape::kBool, false, ""},
    Member{"defaultLimit", Shape::kInteger, false, ""},
    Member{"defaultOrder", Shape::kOrder, false, ""},
    Member{"libraries", Shape::kStrings, false, ""},
    Member{"variables", Shape::kObject, false, ""},
    Member{"queryOptions", Shape::kObject, false, ""},
};

constexpr std::array kOptionMembers = {
    Member{"disableCache", Shape::kBool, false, ""},
    Member{"disableStats", Shape::kBool, false, ""},
    Member{"disableTrace", Shape::kBool, false, ""},
    Member{"maxDataPoints", Shape::kInteger, false, ""},
    Member{"maxSeries", Shape::kInteger, false, ""},
    Member{"noAggregation", Shape::kBool, false, ""},
    Member{"noFill", Shape::kBool, false, ""},
    Member{"noInterpolation", Shape::kBool, false, ""},
    Member{"priority", Shape::kString, false, ",low,medium,high,"},
    Member{"resolution", Shape::kString, false, ""},
    Member{"displayNull", Shape::kString, false, ",auto,null,span,zero,,"},
    Member{"overlayCharts", Shape::kString, false, ",true,false,,"},
    Member{"shownColumns", Shape::kString, false, ""},
    Member{"timeSeriesVariant", Shape::kString, false, ",area,bars,line,lines,,"},
    Member{"timeSeriesView", Shape::kString, false, ",charts,resultsTable,charts|resultsTable,,"},
};

// What is nested this deep at most is told that it is, and not that it is no JSON.
constexpr std::size_t kToldDepthMax = 1000;

std::string_view shape_name(Shape shape) {
  switch (shape) {
    case Shape::kString:
      return "a string";
    case Shape::kBool:
      return "true or false";
    case Shape::kInteger:
      return "an integer";
    case Shape::kStrings:
      return "a list of strings";
    case Shape::kObject:
      return "an object";
    case Shape::kTexts:
      return "an object of strings";
    case Shape::kOrder:
      return "a list of {\"field\": string, \"desc\": boolean}";
  }
  return "";
}

bool all_strings(DynamicView container) {
  for (DynamicView::Iterator each(container); each.next();) {
    if (!each.value().is_string()) {
      return false;
    }
  }
  return true;
}

bool is_order(DynamicView list) {
  for (DynamicView::Iterator each(list); each.next();) {
    const auto field = each.value().find("field");
    const auto desc = each.value().find("desc");
    if (!field.has_value() || !field->is_string() || (desc.has_value() && !desc->is_bool())) {
      return false;
    }
  }
  return list.is_array();
}

bool has_shape(DynamicView value, Shape shape) {
  switch (shape) {
    case Shape::kString:
      return value.is_string();
    case Shape::kBool:
      return value.is_bool();
    case Shape::kInteger:
      return value.tag() == DynamicTag::kLong;
    case Shape::kStrings:
      return value.is_array() && all_strings(value);
    case Shape::kObject:
      return value.is_bag();
    case Shape::kTexts:
      return value.is_bag() && all_strings(value);
    case Shape::kOrder:
      return is_order(value);
  }
  return false;
}

Status check_members(DynamicView object, std::span<const Member> members,
                     const std::string& prefix) {
  for (const Member& member : members) {
    const std::string path = prefix + std::string(member.name);
    const std::optional<DynamicView> value = object.find(member.name);
    if (!value.has_value() || value->is_null()) {
      if (member.required) {
        return make_error(ErrorCode::kUsage, path + " is required");
      }
      continue;
    }
    if (!has_shape(*value, member.shape)) {
      return make_error(ErrorCode::kUsage,
                        path + " must be " + std::string(shape_name(member.shape)));
    }
    if (!member.allowed.empty()) {
      const std::string text(value->as_string());
      std::string entry = ",";  // `allowed` lists its values between commas
      entry.append(text).push_back(',');
      if (text.find(',') != std::string::npos ||
          member.allowed.find(entry) == std::string_view::npos) {
        std::string reason = path;
        reason.append(" may not be '").append(text).append("'");
        return make_error(ErrorCode::kUsage, std::move(reason));
      }
    }
  }
  return Status::success();
}

Status check_options(DynamicView options) {
  const std::string prefix = "query.queryOptions.";
  EVQ_TRY(check_members(options, kOptionMembers, prefix));
  for (DynamicView::Iterator each(options); each.next();) {
    const auto known = [&](const Member& member) { return member.name == each.key(); };
    if (std::none_of(kOptionMembers.begin(), kOptionMembers.end(), known)) {
      return make_error(ErrorCode::kUsage, prefix + std::string(each.key()) + " is not an option");
    }
  }
  const auto columns = options.find("shownColumns");
  if (columns.has_value() && columns->is_string() &&
      count_code_points(columns->as_string()) > kShownColumnsCharactersMax) {
    return make_error(ErrorCode::kUsage, prefix + "shownColumns is longer than 10000 characters");
  }
  return Status::success();
}

std::string text_member(DynamicView object, std::string_view name) {
  const auto value = object.find(name);
  return value.has_value() && value->is_string() ? std::string(value->as_string()) : std::string();
}

bool bool_member(DynamicView object, std::string_view name) {
  const auto value = object.find(name);
  return value.has_value() && value->is_bool() && value->as_bool();
}

std::optional<std::string> given_text(DynamicView object, std::string_view name) {
  std::string text = text_member(object, name);
  return text.empty() ? std::nullopt : std::optional<std::string>(std::move(text));
}

// A saved query, its request or its options, without `without` and without the members that are
// null, which means that they were not given.
void write_given(JsonWriter* writer, DynamicView object, std::string_view without = {}) {
  writer->begin_object();
  for (DynamicView::Iterator each(object); each.next();) {
    if (each.value().is_null() || (!without.empty() && each.key() == without)) {
      continue;
    }
    writer->key(each.key());
    if (each.value().is_bag() && (each.key() == "query" || each.key() == "queryOptions")) {
      write_given(writer, each.value());
    } else {
      append_json(each.value(), &writer->raw());
    }
  }
  writer->end_object();
}

// An answer that holds another id would be no JSON.
Status check_new_id(std::string_view id) {
  if (id.size() > kResourceNameBytesMax || !is_valid_utf8(id)) {
    return make_error(ErrorCode::kUsage, "the id cannot be that of a saved query",
                      "it is UTF-8 of at most " + std::to_string(kResourceNameBytesMax) + " bytes");
  }
  return Status::success();
}

std::string fresh_id() {
  std::random_device random;
  std::string id;
  for (int i = 0; i < 22; ++i) {
    id.push_back("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[random() % 62]);
  }
  return id;
}

}  // namespace

Result<StarredQuery> read_starred_query(std::string_view json) {
  const std::optional<std::string> bytes = dynamic_from_json(json);
  if (!bytes.has_value() && dynamic_from_json(json, kToldDepthMax).has_value()) {
    return make_error(ErrorCode::kUsage, "the saved query is nested too deep");
  }
  if (!bytes.has_value() || !DynamicView(*bytes).is_bag()) {
    return make_error(ErrorCode::kUsage, "a saved query is a JSON object");
  }
  const DynamicView object(*bytes);
  EVQ_TRY(check_members(object, kQueryMembers, ""));
  const DynamicView request = *object.find("query");
  EVQ_TRY(check_members(request, kRequestMembers, "query."));
  const auto options = request.find("queryOptions");
  if (options.has_value() && options->is_bag()) {
    EVQ_TRY(check_options(*options));
  }
  StarredQuery query;
  query.name = text_member(object, "name");
  query.who = text_member(object, "who");
  query.dataset = text_member(object, "dataset");
  if (query.name.size() > kResourceNameBytesMax) {
    return make_error(ErrorCode::kUsage, "name is too long");
  }
  JsonWriter writer(query.body);
  write_given(&writer, object, "id");
  return query;
}

Result<QueryRequest> starred_request(const StoredObject& stored) {
  const std::optional<std::string> bytes = dynamic_from_json(stored.body);
  const auto query = bytes.has_value() ? DynamicView(*bytes).find("query") : std::nullopt;
  if (!query.has_value()) {
    return make_error(ErrorCode::kCorrupt, "the saved query '" + stored.id + "' holds no query");
  }
  QueryRequest request;
  request.apl = text_member(*query, "apl");
  request.start_time = given_text(*query, "startTime");
  request.end_time = given_text(*query, "endTime");
  request.cursor = given_text(*query, "cursor");
  request.include_cursor = bool_member(*query, "includeCursor");
  request.include_cursor_field = bool_member(*query, "includeCursorField");
  const auto order = query->find("defaultOrder");
  if (order.has_value() && order->is_array()) {
    for (DynamicView::Iterator each(*order); each.next();) {
      request.order_by_default(text_member(each.value(), "field"),
                               bool_member(each.value(), "desc"));
    }
  }
  const auto limit = query->find("defaultLimit");
  if (limit.has_value() && limit->tag() == DynamicTag::kLong && limit->as_integer() > 0) {
    request.default_limit = static_cast<std::uint64_t>(limit->as_integer());
  }
  const auto variables = query->find("variables");
  if (variables.has_value() && variables->is_bag()) {
    for (DynamicView::Iterator each(*variables); each.next();) {
      request.variables[std::string(each.key())] = value_from_dynamic(each.value());
    }
  }
  return request;
}

std::string starred_answer(const StoredObject& stored) {
  std::string text = "{\"id\":";
  append_json_string(text, repair_utf8(stored.id));
  const std::string_view members = std::string_view(stored.body).substr(1);
  text.append(members == "}" ? "" : ",").append(members);
  return text;
}

Result<StoredObject> put_starred(Definitions& definitions, std::string_view id,
                                 const StarredQuery& query, PutRule rule,
                                 const ObjectCheck& check) {
  const std::string own_id = id.empty() ? fresh_id() : std::string(id);
  const auto change = [&](const StoredObject* known) -> Result<StoredObject> {
    if (known == nullptr && rule == PutRule::kKnown) {
      return make_error(ErrorCode::kNotFound, "saved query not found");
    }
    if (known != nullptr && rule == PutRule::kNew) {
      return make_error(ErrorCode::kConflict, "the saved query '" + own_id + "' exists already");
    }
    if (known == nullptr) {
      EVQ_TRY(check_new_id(own_id));
    }
    if (known != nullptr && check) {
      EVQ_TRY(check(*known));
    }
    StoredObject object;
    object.updated = wall_clock_now_ns();
    object.created = known != nullptr ? known->created : object.updated;
    object.dataset = query.dataset;
    object.name = query.name;
    object.who = query.who;
    object.body = query.body;
    return object;
  };
  return definitions.change_object(ObjectKind::kSavedQuery, own_id, query.body.size(), change);
}

Result<StoredObject> find_starred(Definitions& definitions, std::string_view id) {
  EVQ_TRY_ASSIGN(std::optional<StoredObject> found,
                 definitions.find_object(ObjectKind::kSavedQuery, id));
  if (!found.has_value()) {
    return make_error(ErrorCode::kNotFound, "saved query not found");
  }
  return *std::move(found);
}

Status remove_starred(Definitions& definitions, std::string_view id, const ObjectCheck& check) {
  EVQ_TRY_ASSIGN(const bool removed, definitions.remove_object(ObjectKind::kSavedQuery, id, check));
  return removed ? Status::success()
                 : Status(make_error(ErrorCode::kNotFound, "saved query not found"));
}

}  // namespace evq
