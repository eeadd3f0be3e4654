// /healthz, /ready and /metrics, and the small answers that every handler uses.

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
