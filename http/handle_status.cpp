// /healthz and /metrics, and the small answers every handler uses.

#include "http/api.h"

namespace evq {

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

std::string media_type(const HttpRequest& request) {
  std::string type(request.header("content-type").value_or(""));
  type.resize(std::min(type.find(';'), type.size()));
  while (type.ends_with(' ') || type.ends_with('\t')) {
    type.pop_back();
  }
  for (char& c : type) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return type;
}

Result<HttpResponse> handle_health(Api& /*api*/, HttpRequest& /*request*/) {
  return json_response(R"({"status":"ok","version":")" EVQ_VERSION R"("})");
}

Result<HttpResponse> handle_metrics(Api& api, HttpRequest& /*request*/) {
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4";
  response.body = metrics_text(api.metrics);
  return response;
}

}  // namespace evq
