#pragma once
// Api: what every handler works with, and the handlers' shape. A handler takes a request whose
// route, permission and body limit have been checked and gives an answer or an error, which the
// router turns into an error object. Handlers run on many workers at once.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apl/service/service.h"
#include "apl/service/spooled_text.h"
#include "http/auth.h"
#include "http/dataset_turns.h"
#include "http/message.h"
#include "http/metrics.h"
#include "http/rate_limit.h"
#include "http/rewriting_claim.h"
#include "store/base/control.h"

namespace evq {

struct ApiOptions {
  bool authenticate = true;
  std::vector<std::string> cors_origins;  // "*" or origins; empty: no CORS headers
  std::uint64_t requests_per_minute = 0;  // by one client; 0: any number
  std::string spool_directory;            // for long answers
};

struct Api {
  Api(Service& s, HttpMetrics& m, ApiOptions o)
      : service(s),
        auth(s.store().definitions(), o.authenticate),
        rates(o.requests_per_minute, monotonic_now_ns()),
        metrics(m),
        options(std::move(o)) {
    answers->directory = options.spool_directory;
    answers->file_bytes_max = kAnswerFileBytesMax;
  }

  Store& store() { return service.store(); }
  Definitions& definitions() { return service.store().definitions(); }

  Service& service;
  Authenticator auth;
  RateLimiter rates;
  HttpMetrics& metrics;
  RewritingBudget rewriting{kRewritingBytesMax};
  DatasetTurns upkeep_turns;
  ApiOptions options;
  const std::shared_ptr<SpoolSpace> answers = std::make_shared<SpoolSpace>();
  // Called with datasets that have many fresh chunks, which queries open one by one; may be empty.
  // Set before the first request.
  std::function<void(std::string_view dataset)> upkeep_due;
};

using Handler = Result<HttpResponse> (*)(Api& api, HttpRequest& request);

// ---- the handlers, by file
Result<HttpResponse> handle_health(Api& api, HttpRequest& request);
Result<HttpResponse> handle_ready(Api& api, HttpRequest& request);
Result<HttpResponse> handle_metrics(Api& api, HttpRequest& request);

Result<HttpResponse> handle_ingest(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_bulk(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_document(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_info(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_setup_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_setup_put(Api& api, HttpRequest& request);
Result<HttpResponse> handle_elastic_refresh(Api& api, HttpRequest& request);
Result<HttpResponse> handle_splunk_events(Api& api, HttpRequest& request);
Result<HttpResponse> handle_splunk_raw(Api& api, HttpRequest& request);
Result<HttpResponse> handle_splunk_ack(Api& api, HttpRequest& request);
Result<HttpResponse> handle_splunk_health(Api& api, HttpRequest& request);
Result<HttpResponse> handle_loki_push(Api& api, HttpRequest& request);
Result<HttpResponse> handle_otlp_logs(Api& api, HttpRequest& request);
Result<HttpResponse> handle_otlp_traces(Api& api, HttpRequest& request);
Result<HttpResponse> handle_otlp_metrics(Api& api, HttpRequest& request);

Result<HttpResponse> handle_apl_query(Api& api, HttpRequest& request);
Result<HttpResponse> handle_batch_query(Api& api, HttpRequest& request);
Result<HttpResponse> handle_legacy_query(Api& api, HttpRequest& request);
Result<HttpResponse> handle_delete(Api& api, HttpRequest& request);
Result<HttpResponse> handle_check(Api& api, HttpRequest& request);
Result<HttpResponse> handle_profile(Api& api, HttpRequest& request);
Result<HttpResponse> handle_complete(Api& api, HttpRequest& request);

Result<HttpResponse> handle_dataset_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_update(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_delete(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_info(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_trim(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dataset_vacuum(Api& api, HttpRequest& request);
Result<HttpResponse> handle_store_check(Api& api, HttpRequest& request);
Result<HttpResponse> handle_field_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_field_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_field_update(Api& api, HttpRequest& request);
Result<HttpResponse> handle_field_list_all(Api& api, HttpRequest& request);
Result<HttpResponse> handle_map_field_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_map_field_replace(Api& api, HttpRequest& request);
Result<HttpResponse> handle_map_field_add(Api& api, HttpRequest& request);
Result<HttpResponse> handle_map_field_remove(Api& api, HttpRequest& request);

Result<HttpResponse> handle_starred_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_starred_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_starred_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_starred_update(Api& api, HttpRequest& request);
Result<HttpResponse> handle_starred_delete(Api& api, HttpRequest& request);

Result<HttpResponse> handle_token_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_token_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_token_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_token_delete(Api& api, HttpRequest& request);
Result<HttpResponse> handle_token_regenerate(Api& api, HttpRequest& request);
Result<HttpResponse> handle_any_token_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_any_token_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_any_token_delete(Api& api, HttpRequest& request);

Result<HttpResponse> handle_dashboard_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dashboard_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dashboard_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dashboard_update(Api& api, HttpRequest& request);
Result<HttpResponse> handle_dashboard_delete(Api& api, HttpRequest& request);
Result<HttpResponse> handle_chart_patch(Api& api, HttpRequest& request);

// Annotations, virtual fields, monitors, notifiers, views: the kind is told by the route's path.
Result<HttpResponse> handle_object_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_object_create(Api& api, HttpRequest& request);
Result<HttpResponse> handle_object_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_object_update(Api& api, HttpRequest& request);
Result<HttpResponse> handle_object_delete(Api& api, HttpRequest& request);
// Lists that are always empty here: the history of one monitor, of all, and integrations.
Result<HttpResponse> handle_monitor_history(Api& api, HttpRequest& request);
Result<HttpResponse> handle_monitor_histories(Api& api, HttpRequest& request);
Result<HttpResponse> handle_integration_list(Api& api, HttpRequest& request);

Result<HttpResponse> handle_user(Api& api, HttpRequest& request);
Result<HttpResponse> handle_user_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_user_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_organization_list(Api& api, HttpRequest& request);
Result<HttpResponse> handle_organization_show(Api& api, HttpRequest& request);
Result<HttpResponse> handle_organization_set(Api& api, HttpRequest& request);

// ---- shared by handlers
HttpResponse json_response(std::string body, int status = 200);
HttpResponse no_content();
// Returns kForbidden, with the same text whether the dataset exists or not.
Error permission_error(std::string_view resource, std::string_view action,
                       std::string_view dataset = {});

}  // namespace evq
