#include "http/wire_json.h"

#include <cmath>

#include "http/limits.h"
#include "store/base/limits.h"
#include "store/base/utf8.h"

namespace evq::wire {
namespace {

// Up to here every integer is a real.
constexpr double kWholeRealMax = 9007199254740992;  // 2^53

Error wrong_type(const char* name, std::string_view wanted) {
  return make_error(ErrorCode::kUsage, std::string(name) + " must be " + std::string(wanted));
}

// The text behind a mark, all of it when it has none.
std::string_view behind(std::string_view text, std::string_view mark) {
  const std::size_t at = text.find(mark);
  return at == std::string_view::npos ? text : text.substr(at + mark.size());
}

// What is wrong with a text that the parser refuses, and where: "line 1, column 8: invalid
// literal". The parser says so only when it throws, so it reads the text once more and keeps
// nothing of it. Of "[json.exception.parse_error.101] parse error at line 1, column 8: syntax error
// while parsing object - invalid literal; last read: '"a" x'" the last part is left out: it may be
// long, and no UTF-8.
std::string fault_of(std::string_view text) {
  constexpr std::size_t kFaultBytesMax = 256;
  const auto keep_nothing = [](int, Json::parse_event_t, Json&) { return false; };
  std::string said;
  try {
    [[maybe_unused]] const Json nothing = Json::parse(text.begin(), text.end(), keep_nothing);
  } catch (const Json::exception& fault) {
    said = fault.what();
  }
  const std::string_view all = behind(said, "] ");
  const std::string_view place = behind(all, "parse error at ");
  const std::size_t place_size = place.find(": ");
  if (place.size() == all.size() || place_size == std::string_view::npos) {
    return std::string(utf8_prefix(all, kFaultBytesMax));  // a number too large, which has no place
  }
  std::string_view why = behind(place.substr(place_size), " - ");
  why = why.substr(0, why.find("; last read: "));
  return std::string(place.substr(0, place_size)).append(": ").append(why);
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
    return make_error(ErrorCode::kUsage, "the body is not JSON: " + fault_of(text));
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

void drop_nulls(Json* json) {
  if (!json->is_object()) {
    return;
  }
  Json::object_t given;  // appended to: to erase one moves all behind it
  for (auto& [name, value] : json->get_ref<Json::object_t&>()) {
    if (!value.is_null()) {
      given.emplace_back(name, std::move(value));
    }
  }
  *json = std::move(given);
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
  if (value->is_number_unsigned()) {
    return std::optional<std::uint64_t>(value->get<std::uint64_t>());
  }
  // As clients write it that know no integers: 2.0.
  const double real = value->is_number_float() ? value->get<double>() : -1;
  if (real >= 0 && real <= kWholeRealMax && std::trunc(real) == real) {
    return std::optional<std::uint64_t>(static_cast<std::uint64_t>(real));
  }
  return wrong_type(name, "an integer that is not negative");
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

Result<std::uint64_t> required_count(const Json& object, const char* name) {
  EVQ_TRY_ASSIGN(const std::optional<std::uint64_t> count, optional_count(object, name));
  if (!count.has_value()) {
    return make_error(ErrorCode::kUsage, std::string(name) + " is required: an integer");
  }
  return *count;
}

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace evq::wire
