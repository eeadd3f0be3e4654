#include "http/message.h"

#include <algorithm>

#include "store/base/ascii.h"
#include "store/base/json_writer.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

std::optional<std::string_view> find_first(
    const std::vector<std::pair<std::string, std::string>>& pairs, std::string_view name) {
  const auto found = std::ranges::find(pairs, name, &std::pair<std::string, std::string>::first);
  if (found == pairs.end()) {
    return std::nullopt;
  }
  return found->second;
}

}  // namespace

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  return find_first(headers, name);
}

std::size_t HttpRequest::count_headers(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count(headers, name, &std::pair<std::string, std::string>::first));
}

std::optional<std::string_view> HttpRequest::parameter(std::string_view name) const {
  return find_first(parameters, name);
}

const std::string& HttpRequest::argument(std::string_view name) const {
  static const std::string kNone;
  const auto found = arguments.find(name);
  return found == arguments.end() ? kNone : found->second;
}

Error ask_again(HttpRequest& request, std::int64_t again_ms) {
  request.again_ms = again_ms;
  return make_error(ErrorCode::kUnavailable, std::string(kBusyText));
}

HttpResponse error_response(int status, std::string_view message, std::string_view detail,
                            std::string_view hint) {
  HttpResponse response;
  response.status = status;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("code");
  json.integer(status);
  json.key("message");
  json.string(repair_utf8(message));
  if (!hint.empty()) {
    json.key("hint");
    json.string(repair_utf8(hint));
  }
  if (!detail.empty()) {
    json.key("detail");
    json.raw(detail);
  }
  json.end_object();
  return response;
}

std::string media_type(const HttpRequest& request) {
  std::string_view type = request.header("content-type").value_or("");
  type = type.substr(0, type.find(';'));
  return ascii_lower(trimmed(type));
}

Error wrong_media_type(const HttpRequest& request, std::string_view accepted) {
  const std::string type = media_type(request);
  return make_error(
      ErrorCode::kUnsupported,
      "Content-Type must be " + std::string(accepted) + ", and is '" + repair_utf8(type) + "'",
      type == "application/x-www-form-urlencoded"
          ? "which is what curl sends unless it is told another: add -H "
            "'Content-Type: application/json'"
          : "");
}

std::optional<std::string> decode_url_text(std::string_view text, PlusSign plus) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus == PlusSign::kBlank) {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const bool whole = text.size() - i > 2;
      const int high = whole ? hex_digit(text[i + 1]) : -1;
      const int low = whole ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0 || high + low == 0) {
        return std::nullopt;
      }
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return out;
}

bool split_target(std::string_view target, std::string* path,
                  std::vector<std::pair<std::string, std::string>>* parameters) {
  const std::size_t question = target.find('?');
  *path = target.substr(0, question);
  if (question == std::string_view::npos) {
    return true;
  }
  std::string_view rest = target.substr(question + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) {
      continue;
    }
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto name = decode_url_text(pair.substr(0, equals), PlusSign::kBlank);
    const auto value =
        decode_url_text(pair.substr(std::min(equals + 1, pair.size())), PlusSign::kBlank);
    if (!name.has_value() || !value.has_value()) {
      return false;
    }
    parameters->emplace_back(*name, *value);
  }
  return true;
}

}  // namespace evq
