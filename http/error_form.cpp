#include "http/error_form.h"

#include <string>

#include "http/protobuf.h"
#include "store/base/json_writer.h"
#include "store/base/utf8.h"

namespace evq {
namespace {

// The collector's own number for a refusal with this status.
int splunk_code(int status) {
  constexpr int kInvalidToken = 4;
  constexpr int kInvalidFormat = 6;
  constexpr int kServerError = 8;
  constexpr int kServerBusy = 9;
  constexpr int kTooLarge = 27;
  constexpr int kNotFound = 404;
  switch (status) {
    case 403:
      return kInvalidToken;
    case 404:
      return kNotFound;
    case 413:
      return kTooLarge;
    case 429:
    case 503:
      return kServerBusy;
    default:
      return status >= 500 ? kServerError : kInvalidFormat;
  }
}

std::string_view elastic_type(int status) {
  switch (status) {
    case 403:
      return "security_exception";
    case 404:  // a path: no index is ever missing
      return "resource_not_found_exception";
    case 413:
      return "content_too_long_exception";
    case 429:
    case 503:
      return "es_rejected_execution_exception";
    default:
      return status >= 500 ? "exception" : "illegal_argument_exception";
  }
}

// google.rpc.Code.
int rpc_code(int status) {
  switch (status) {
    case 403:
      return 7;  // PERMISSION_DENIED
    case 404:
      return 5;  // NOT_FOUND
    case 408:
      return 4;  // DEADLINE_EXCEEDED
    case 413:
    case 429:
      return 8;  // RESOURCE_EXHAUSTED
    case 503:
      return 14;  // UNAVAILABLE
    default:
      return status >= 500 ? 13 : 3;  // INTERNAL, INVALID_ARGUMENT
  }
}

std::string elastic_body(int status, std::string_view reason) {
  std::string text;
  JsonWriter json(text);
  const auto cause = [&] {
    json.key("type");
    json.string(elastic_type(status));
    json.key("reason");
    json.string(reason);
  };
  json.begin_object();
  json.key("error");
  json.begin_object();
  json.key("root_cause");
  json.begin_array();
  json.begin_object();
  cause();
  json.end_object();
  json.end_array();
  cause();
  json.end_object();
  json.key("status");
  json.integer(status);
  json.end_object();
  return text;
}

std::string rpc_status(int status, std::string_view message, bool protobuf) {
  std::string text;
  if (protobuf) {
    append_proto_varint(1, static_cast<std::uint64_t>(rpc_code(status)), &text);
    append_proto_bytes(2, message, &text);
    return text;
  }
  JsonWriter json(text);
  json.begin_object();
  json.key("code");
  json.integer(rpc_code(status));
  json.key("message");
  json.string(message);
  json.end_object();
  return text;
}

}  // namespace

HttpResponse splunk_answer(int status, int code, std::string_view text,
                           std::optional<std::size_t> wrong_event, std::string_view detail) {
  HttpResponse response;
  response.status = status;
  JsonWriter json(response.body);
  json.begin_object();
  json.key("text");
  json.string(repair_utf8(text));
  json.key("code");
  json.integer(code);
  if (wrong_event.has_value()) {
    json.key("invalid-event-number");
    json.integer(static_cast<std::int64_t>(*wrong_event));
  }
  if (!detail.empty()) {
    json.key("detail");
    json.string(repair_utf8(detail));
  }
  json.end_object();
  return response;
}

void add_elastic_header(HttpResponse* response) {
  response->headers.emplace_back("X-Elastic-Product", "Elasticsearch");
}

void put_error(ErrorForm form, const HttpRequest& request, std::string_view message,
               HttpResponse* response) {
  const int status = response->status;
  switch (form) {
    case ErrorForm::kApi:
      break;
    case ErrorForm::kSplunk:
      response->body = splunk_answer(status, splunk_code(status), message).body;
      break;
    case ErrorForm::kElastic:
      response->body = elastic_body(status, repair_utf8(message));
      add_elastic_header(response);
      break;
    case ErrorForm::kOtlp:
      response->body = rpc_status(status, repair_utf8(message), is_protobuf(request));
      response->content_type = is_protobuf(request) ? kProtobufType : "application/json";
      break;
    case ErrorForm::kLoki:
      response->body = repair_utf8(message) + "\n";
      response->content_type = "text/plain; charset=utf-8";
      break;
  }
}

}  // namespace evq
