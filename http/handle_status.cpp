// /healthz, /ready and /metrics, and the small answers every handler uses.

#include <algorithm>
#include <array>
#include <charconv>

#include "http/api.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

// How a switch is written, in any case: as Splunk's clients do it, whose words those of others are
// among.
struct SwitchWords {
  std::string_view on;
  std::string_view off;
};

constexpr std::array kSwitchWords = {SwitchWords{"true", "false"}, SwitchWords{"t", "f"},
                                     SwitchWords{"yes", "no"},     SwitchWords{"y", "n"},
                                     SwitchWords{"on", "off"},     SwitchWords{"1", "0"}};

std::string switch_words_text() {
  std::string text;
  for (const SwitchWords& words : kSwitchWords) {
    text += (text.empty() ? "" : ", ") + std::string(words.on) + "/" + std::string(words.off);
  }
  return text;
}

}  // namespace

HttpResponse json_response(std::string body, int status) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse no_content() {
  HttpResponse response;
  response.status = 204;
  return response;
}

Result<HttpResponse> send_spooled(const std::shared_ptr<SpooledText>& text) {
  HttpResponse response;
  std::uint64_t position = 0;
  EVQ_TRY_ASSIGN(const bool more, text->read_on(0, &position, &response.body));
  if (more) {
    response.rest = [text, position](std::string* piece) mutable {
      return text->read_on(0, &position, piece);
    };
  }
  return response;
}

LongList::LongList(Api& api) : text_(std::make_shared<SpooledText>(api.answers, 1)) {
  text_->tail(0) = "[";
}

Status LongList::add(std::string_view item) {
  text_->tail(0).append(size_++ == 0 ? "" : ",").append(item);
  return text_->settle(0);
}

Result<HttpResponse> LongList::response() {
  text_->tail(0).push_back(']');
  EVQ_TRY(text_->settle(0));
  return send_spooled(text_);
}

Status each_object(Api& api, const HttpRequest& request, const ObjectFilter& which,
                   const ObjectTaker& take, std::size_t first) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> ids, api.definitions().find_object_ids(which));
  bool more = true;
  for (std::size_t i = first; more && i < ids.size(); ++i) {
    EVQ_TRY(request.control != nullptr ? request.control->check() : Status());
    EVQ_TRY_ASSIGN(const std::optional<StoredObject> object,
                   api.definitions().find_object(which.kind, ids[i]));
    if (object.has_value()) {
      EVQ_TRY_ASSIGN(more, take(*object));
    }
  }
  return Status::success();
}

Result<std::size_t> count_parameter(const HttpRequest& request, std::string_view name,
                                    std::size_t absent, std::size_t max) {
  const auto text = request.parameter(name);
  if (!text.has_value() || text->empty()) {
    return absent;
  }
  std::size_t value = 0;
  const char* end = text->data() + text->size();
  const auto [at, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || at != end || value > max) {
    return make_error(ErrorCode::kUsage,
                      std::string(name) + " must be a number up to " + std::to_string(max));
  }
  return value;
}

Result<std::size_t> list_limit(const HttpRequest& request, std::size_t absent) {
  EVQ_TRY_ASSIGN(const std::size_t limit, count_parameter(request, "limit", absent, 1000));
  if (limit == 0) {
    return make_error(ErrorCode::kUsage, "limit must be a number from 1 to 1000");
  }
  return limit;
}

Result<bool> switch_parameter(const HttpRequest& request, std::string_view name) {
  const std::string text = ascii_lower(request.parameter(name).value_or("false"));
  const bool is_on = std::ranges::find(kSwitchWords, text, &SwitchWords::on) != kSwitchWords.end();
  if (!is_on && std::ranges::find(kSwitchWords, text, &SwitchWords::off) == kSwitchWords.end()) {
    return make_error(ErrorCode::kUsage,
                      std::string(name) + " must be one of " + switch_words_text());
  }
  return is_on;
}

Result<HttpResponse> handle_health(Api& /*api*/, HttpRequest& /*request*/) {
  return json_response(R"({"status":"ok","version":")" EVQ_VERSION R"("})");
}

Result<HttpResponse> handle_ready(Api& /*api*/, HttpRequest& /*request*/) {
  HttpResponse response;
  response.content_type = "text/plain";
  response.body = "ready\n";
  return response;
}

Result<HttpResponse> handle_metrics(Api& api, HttpRequest& /*request*/) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  response.body = metrics_text(api.metrics, api.options.spool_directory);
  return response;
}

}  // namespace evq
