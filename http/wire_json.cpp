#include "http/wire_json.h"

#include "http/limits.h"
#include "store/base/limits.h"

namespace evq::wire {
namespace {

Error wrong_type(const char* name, std::string_view wanted) {
  return make_error(ErrorCode::kUsage, std::string(name) + " must be " + std::string(wanted));
}

}  // namespace

Result<Json> parse_any(std::string_view text) {
  bool too_deep = false;
  bool too_wide = false;
  std::vector<std::size_t> members;  // of the objects around
  const auto watch = [&](int depth, Json::parse_event_t event, Json& /*parsed*/) {
    too_deep = too_deep || depth > static_cast<int>(kJsonDepthMax);
    if (event == Json::parse_event_t::object_start) {
      members.push_back(0);
    } else if (event == Json::parse_event_t::object_end) {
      members.pop_back();
    } else if (event == Json::parse_event_t::key) {
      too_wide = too_wide || ++members.back() > kHttpObjectMembersMax;
    }
    return !too_deep && !too_wide;
  };
  Json json = Json::parse(text.begin(), text.end(), watch, false);
  if (too_deep) {
    return make_error(ErrorCode::kUsage, "the body is nested too deep");
  }
  if (too_wide) {
    return make_error(ErrorCode::kUsage, "an object of the body has more than " +
                                             std::to_string(kHttpObjectMembersMax) + " members");
  }
  if (json.is_discarded()) {
    return make_error(ErrorCode::kUsage, "the body is not JSON");
  }
  return json;
}

Result<Json> parse_object(std::string_view text) {
  EVQ_TRY_ASSIGN(Json json, parse_any(text));
  if (!json.is_object()) {
    return make_error(ErrorCode::kUsage, "the body must be a JSON object");
  }
  return json;
}

Result<Json> parse_array(std::string_view text) {
  EVQ_TRY_ASSIGN(Json json, parse_any(text));
  if (!json.is_array()) {
    return make_error(ErrorCode::kUsage, "the body must be a JSON array");
  }
  return json;
}

const Json* member(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Result<std::optional<std::string>> optional_string(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) {
    return std::optional<std::string>();
  }
  if (!value->is_string()) {
    return wrong_type(name, "a string");
  }
  return std::optional<std::string>(value->get_ref<const std::string&>());
}

Result<std::optional<bool>> optional_bool(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) {
    return std::optional<bool>();
  }
  if (!value->is_boolean()) {
    return wrong_type(name, "true or false");
  }
  return std::optional<bool>(value->get<bool>());
}

Result<std::optional<std::uint64_t>> optional_count(const Json& object, const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) {
    return std::optional<std::uint64_t>();
  }
  if (!value->is_number_unsigned()) {
    return wrong_type(name, "an integer that is not negative");
  }
  return std::optional<std::uint64_t>(value->get<std::uint64_t>());
}

Result<std::optional<std::vector<std::string>>> optional_strings(const Json& object,
                                                                 const char* name) {
  const Json* value = member(object, name);
  if (value == nullptr) {
    return std::optional<std::vector<std::string>>();
  }
  std::vector<std::string> texts;
  if (!value->is_array()) {
    return wrong_type(name, "a list of strings");
  }
  for (const Json& each : *value) {
    if (!each.is_string()) {
      return wrong_type(name, "a list of strings");
    }
    texts.push_back(each.get_ref<const std::string&>());
  }
  return std::optional<std::vector<std::string>>(std::move(texts));
}

Result<std::string> required_string(const Json& object, const char* name) {
  EVQ_TRY_ASSIGN(std::optional<std::string> text, optional_string(object, name));
  if (!text.has_value() || text->empty()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " is required");
  }
  return *std::move(text);
}

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evq::wire
