// The table itself. A row: method, path, handler, scope with its permission, lane, body limit,
// rules for credentials, and a line for the manual; the form of errors where it is not the API's.

#include <array>

#include "http/limits.h"
#include "http/router.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::size_t kIngestBytes = kHttpIngestBodyBytesMax;
constexpr std::size_t kJsonBytes = kHttpQueryBodyBytesMax;
constexpr std::size_t kObjectBytes = kHttpObjectBytesMax;
constexpr std::size_t kGetBytes = 4 * kKibibyte;  // nothing reads them
constexpr AuthRules kNormal{};
constexpr AuthRules kNoToken{.open = true};
constexpr AuthRules kNoPersonal{.refuse_personal = true};
constexpr AuthRules kShippers{.refuse_personal = true, .other_schemes = true};
// axiom-go's tracing exports with whatever token it has, and names the organization.
constexpr AuthRules kOtlp{.other_schemes = true};
constexpr AuthRules kNoOrganization{.organization_optional = true};

constexpr std::string_view kOtherPath = "The same under its other path.";
constexpr std::string_view kOtherMethod = "The same, as other clients send it.";

constexpr Route elastic_info(std::string_view pattern, std::string_view summary) {
  return {.method = "GET",
          .pattern = pattern,
          .handler = handle_elastic_info,
          .scope = Scope::kToken,
          .resource = "",
          .action = "",
          .lane = pattern.ends_with("/elastic") ? Lane::kWrite : Lane::kInline,  // reads the store
          .body_bytes_max = kGetBytes,
          .rules = kShippers,
          .summary = summary,
          .errors = ErrorForm::kElastic};
}

constexpr Route elastic_bulk(std::string_view method, std::string_view pattern,
                             std::string_view summary) {
  return {.method = method,
          .pattern = pattern,
          .handler = handle_elastic_bulk,
          .scope = Scope::kDataset,
          .resource = "ingest",
          .action = "create",
          .lane = Lane::kWrite,
          .body_bytes_max = kIngestBytes,
          .rules = kShippers,
          .summary = summary,
          .errors = ErrorForm::kElastic};
}

constexpr Route elastic_setup(std::string_view method, std::string_view pattern,
                              std::string_view summary) {
  const bool shows = method == "GET";
  return {.method = method,
          .pattern = pattern,
          .handler = shows ? handle_elastic_setup_show : handle_elastic_setup_put,
          .scope = Scope::kDataset,
          .resource = "ingest",
          .action = "create",
          .lane = shows ? Lane::kInline : Lane::kWrite,
          .body_bytes_max = shows ? kGetBytes : kIngestBytes,  // Beats' templates are long
          .rules = kShippers,
          .summary = summary,
          .errors = ErrorForm::kElastic};
}

constexpr Route elastic_document(std::string_view method, std::string_view pattern,
                                 std::string_view summary) {
  Route route = elastic_bulk(method, pattern, summary);
  route.handler = handle_elastic_document;
  return route;
}

constexpr Route elastic_refresh(std::string_view method, std::string_view pattern,
                                std::string_view summary) {
  Route route = elastic_setup(method, pattern, summary);
  route.handler = handle_elastic_refresh;
  return route;
}

constexpr Route kRoutes[] = {
    {"GET", "/healthz", handle_health, Scope::kOpen, "", "", Lane::kInline, kGetBytes, kNoToken,
     false, "Answers 200 while the server is up."},
    {"GET", "/ready", handle_ready, Scope::kOpen, "", "", Lane::kInline, kGetBytes, kNoToken, false,
     "The same as the text ready, which senders to Loki ask for first."},
    {"GET", "/metrics", handle_metrics, Scope::kToken, "", "", Lane::kInline, kGetBytes, kNormal,
     false, "Counters, and what the process takes, in the text format of Prometheus."},

    {"POST", "/v1/ingest/{dataset}", handle_ingest, Scope::kDataset, "ingest", "create",
     Lane::kWrite, kIngestBytes, kNoPersonal, false,
     "Stores events: JSON, NDJSON or CSV, plain, gzip, zstd or deflate. All good events or none "
     "are kept. evq's own: the header X-Evq-Repaired tells how many events were kept with "
     "something repaired, and where the first is; with ?strict=true they fail. X-Evq-Untimed tells "
     "how many got the time of their receipt, X-Evq-Relabelled how many had a field whose place a "
     "label took. With ?otlp=true, attributes.custom and duration are what the OTLP endpoints make "
     "of them."},
    {"POST", "/v1/datasets/{dataset}/ingest", handle_ingest, Scope::kDataset, "ingest", "create",
     Lane::kWrite, kIngestBytes, kNormal, false,
     "The same under the older path; personal tokens may use it."},

    elastic_info("/v1/ingest/{dataset}/elastic", "What Elasticsearch clients ask for first."),
    elastic_info("/v1/datasets/{dataset}/elastic", kOtherPath),
    elastic_info("/v1/ingest/{dataset}/elastic/_license", "What Beats ask for next."),
    elastic_info("/v1/datasets/{dataset}/elastic/_license", kOtherPath),
    elastic_info("/v1/ingest/{dataset}/elastic/_cluster/health", "Whether the cluster is up."),
    elastic_info("/v1/datasets/{dataset}/elastic/_cluster/health", kOtherPath),
    elastic_info("/v1/ingest/{dataset}/elastic/_cluster/health/{index}",
                 "The same of an index, which is up as well."),
    elastic_info("/v1/datasets/{dataset}/elastic/_cluster/health/{index}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_index_template/{name}",
                  "An index template, which Beats and Logstash ask for before they send: it is "
                  "there, whatever its name."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_index_template/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_index_template/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_index_template/{name}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_template/{name}",
                  "The same for the templates of older versions."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_template/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_template/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_template/{name}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_component_template/{name}",
                  "The same for a part of a template."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_component_template/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_component_template/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_component_template/{name}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_data_stream/{name}",
                  "The same for a data stream."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_data_stream/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_data_stream/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_data_stream/{name}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_ilm/policy/{name}",
                  "The same for a policy of lifecycles."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_ilm/policy/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_ilm/policy/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_ilm/policy/{name}", kOtherPath),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/_ingest/pipeline/{name}",
                  "The same for a pipeline."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/_ingest/pipeline/{name}",
                  "Acknowledged, and not kept."),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/_ingest/pipeline/{name}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/_ingest/pipeline/{name}", kOtherPath),
    elastic_bulk("POST", "/v1/ingest/{dataset}/elastic/_bulk",
                 "Elasticsearch's bulk format; @timestamp is the event time. Errors are "
                 "Elasticsearch's, {error, status}."),
    elastic_bulk("PUT", "/v1/ingest/{dataset}/elastic/_bulk", kOtherMethod),
    elastic_bulk("POST", "/v1/ingest/{dataset}/elastic/{index}/_bulk",
                 "The same; the index changes nothing."),
    elastic_bulk("PUT", "/v1/ingest/{dataset}/elastic/{index}/_bulk", kOtherMethod),
    elastic_bulk("POST", "/v1/datasets/{dataset}/elastic/_bulk", kOtherPath),
    elastic_bulk("PUT", "/v1/datasets/{dataset}/elastic/_bulk", kOtherMethod),
    elastic_bulk("POST", "/v1/datasets/{dataset}/elastic/{index}/_bulk", kOtherPath),
    elastic_bulk("PUT", "/v1/datasets/{dataset}/elastic/{index}/_bulk", kOtherMethod),
    // Before /{index}/_doc/{id}, of which one with the type _doc has the shape as well.
    elastic_bulk("POST", "/v1/ingest/{dataset}/elastic/{index}/{type}/_bulk",
                 "The same, as older clients send it."),
    elastic_bulk("PUT", "/v1/ingest/{dataset}/elastic/{index}/{type}/_bulk", kOtherMethod),
    elastic_document("POST", "/v1/ingest/{dataset}/elastic/{index}/_doc",
                     "Stores one document, a JSON object; @timestamp is the event time. Answers "
                     "201 with an id that is made up."),
    elastic_document("PUT", "/v1/ingest/{dataset}/elastic/{index}/_doc/{id}",
                     "The same; the id is answered and not kept: of two documents with one id "
                     "there are two events."),
    elastic_document("POST", "/v1/ingest/{dataset}/elastic/{index}/_doc/{id}", kOtherMethod),
    elastic_document("PUT", "/v1/ingest/{dataset}/elastic/{index}/_create/{id}", "The same."),
    elastic_document("POST", "/v1/ingest/{dataset}/elastic/{index}/_create/{id}", kOtherMethod),
    elastic_refresh("POST", "/v1/ingest/{dataset}/elastic/_refresh",
                    "Nothing is to be done: events can be queried once they are stored."),
    elastic_refresh("GET", "/v1/ingest/{dataset}/elastic/_refresh", kOtherMethod),
    elastic_refresh("POST", "/v1/ingest/{dataset}/elastic/{index}/_refresh",
                    "The same; the index may be _all."),
    elastic_refresh("GET", "/v1/ingest/{dataset}/elastic/{index}/_refresh", kOtherMethod),
    elastic_setup("GET", "/v1/ingest/{dataset}/elastic/{index}",
                  "An index: it is there, whatever its name, which begins with no underscore."),
    elastic_setup("PUT", "/v1/ingest/{dataset}/elastic/{index}", "Acknowledged, and not kept."),
    elastic_bulk("POST", "/v1/datasets/{dataset}/elastic/{index}/{type}/_bulk", kOtherPath),
    elastic_bulk("PUT", "/v1/datasets/{dataset}/elastic/{index}/{type}/_bulk", kOtherMethod),
    elastic_document("POST", "/v1/datasets/{dataset}/elastic/{index}/_doc", kOtherPath),
    elastic_document("PUT", "/v1/datasets/{dataset}/elastic/{index}/_doc/{id}", kOtherPath),
    elastic_document("POST", "/v1/datasets/{dataset}/elastic/{index}/_doc/{id}", kOtherMethod),
    elastic_document("PUT", "/v1/datasets/{dataset}/elastic/{index}/_create/{id}", kOtherPath),
    elastic_document("POST", "/v1/datasets/{dataset}/elastic/{index}/_create/{id}", kOtherMethod),
    elastic_refresh("POST", "/v1/datasets/{dataset}/elastic/_refresh", kOtherPath),
    elastic_refresh("GET", "/v1/datasets/{dataset}/elastic/_refresh", kOtherMethod),
    elastic_refresh("POST", "/v1/datasets/{dataset}/elastic/{index}/_refresh", kOtherPath),
    elastic_refresh("GET", "/v1/datasets/{dataset}/elastic/{index}/_refresh", kOtherMethod),
    elastic_setup("GET", "/v1/datasets/{dataset}/elastic/{index}", kOtherPath),
    elastic_setup("PUT", "/v1/datasets/{dataset}/elastic/{index}", kOtherPath),
    {"POST", "/v1/logs", handle_otlp_logs, Scope::kContent, "ingest", "create", Lane::kWrite,
     kIngestBytes, kOtlp, false,
     "OTLP logs, JSON or Protocol Buffers; the dataset is in X-Axiom-Dataset, or the only one that "
     "the token may ingest to. Personal tokens may use it. Errors are a google.rpc.Status.",
     ErrorForm::kOtlp},
    {"POST", "/v1/traces", handle_otlp_traces, Scope::kContent, "ingest", "create", Lane::kWrite,
     kIngestBytes, kOtlp, false,
     "OTLP traces, one event a span; its duration is a timespan. Otherwise as logs.",
     ErrorForm::kOtlp},
    {"POST", "/v1/metrics", handle_otlp_metrics, Scope::kToken, "", "", Lane::kWrite, kIngestBytes,
     kOtlp, false, "OTLP metrics, of which evq keeps none: 404 that says so.", ErrorForm::kOtlp},
    {"POST", "/services/collector", handle_splunk_events, Scope::kContent, "ingest", "create",
     Lane::kWrite, kIngestBytes, kShippers, false,
     "Splunk's event collector; ?index= or the envelope names the dataset, as for OTLP. Errors are "
     "Splunk's, {text, code}.",
     ErrorForm::kSplunk},
    {"POST", "/services/collector/event", handle_splunk_events, Scope::kContent, "ingest", "create",
     Lane::kWrite, kIngestBytes, kShippers, false, kOtherPath, ErrorForm::kSplunk},
    {"POST", "/services/collector/event/1.0", handle_splunk_events, Scope::kContent, "ingest",
     "create", Lane::kWrite, kIngestBytes, kShippers, false,
     "The same under the path that Docker and Splunk's libraries use.", ErrorForm::kSplunk},
    {"POST", "/services/collector/raw", handle_splunk_raw, Scope::kContent, "ingest", "create",
     Lane::kWrite, kIngestBytes, kShippers, false,
     "Splunk's collector, one event a line of text, or an object of JSON that is sent as such.",
     ErrorForm::kSplunk},
    {"POST", "/services/collector/raw/1.0", handle_splunk_raw, Scope::kContent, "ingest", "create",
     Lane::kWrite, kIngestBytes, kShippers, false, kOtherPath, ErrorForm::kSplunk},
    {"POST", "/services/collector/ack", handle_splunk_ack, Scope::kToken, "", "", Lane::kInline,
     kJsonBytes, kShippers, false,
     "Whether events are stored: code 14, since answers to them come when they are.",
     ErrorForm::kSplunk},
    {"GET", "/services/collector/health", handle_splunk_health, Scope::kOpen, "", "", Lane::kInline,
     kGetBytes, kNoToken, false, "Whether the collector is up.", ErrorForm::kSplunk},
    {"GET", "/services/collector/health/1.0", handle_splunk_health, Scope::kOpen, "", "",
     Lane::kInline, kGetBytes, kNoToken, false, kOtherPath, ErrorForm::kSplunk},
    {"POST", "/loki/api/v1/push", handle_loki_push, Scope::kContent, "ingest", "create",
     Lane::kWrite, kIngestBytes, kShippers, false,
     "Loki's push, JSON or Protocol Buffers in Snappy; the dataset is in X-Axiom-Dataset or "
     "X-Scope-OrgID, or the only one that the token may ingest to. Errors are plain text.",
     ErrorForm::kLoki},

    {"POST", "/v1/query/_apl", handle_apl_query, Scope::kSomeDataset, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true, "Runs an APL query; ?format=tabular or legacy."},
    {"POST", "/v1/datasets/_apl", handle_apl_query, Scope::kSomeDataset, "query", "read",
     Lane::kQuery, kJsonBytes, kNormal, true, kOtherPath},
    {"POST", "/v1/query/batch", handle_batch_query, Scope::kSomeDataset, "query", "read",
     Lane::kQuery, kJsonBytes, kNormal, true,
     "Runs a list of {queryId, aplRequest}; answers server-sent events, one a query, when all of "
     "them are done. The time limit is that of each; one that fails is an event with error."},

    {"POST", "/v1/_check", handle_check, Scope::kSomeDataset, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true,
     "evq's own: compiles {apl, startTime, endTime} without running it and answers {plan}, or the "
     "error that the query would give. Subqueries whose values the plan holds, of toscalar() and "
     "in, do run."},
    {"POST", "/v1/_profile", handle_profile, Scope::kSomeDataset, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true,
     "evq's own: runs {apl, startTime, endTime}, drops the answer, and gives {plan}: the plan with "
     "the rows and the time of each of its nodes."},
    {"POST", "/v1/_complete", handle_complete, Scope::kAnyDataset, "query", "read", Lane::kQuery,
     kJsonBytes, kNormal, true,
     "evq's own: what may stand at the byte cursor of {apl, cursor}: {begin, end, note, "
     "candidates}, where each candidate's replacement takes the place of those bytes, and the note "
     "says why names are missing. Of datasets the token sees those that it may query."},

    {"POST", "/v1/datasets/{dataset}/query", handle_legacy_query, Scope::kDataset, "query", "read",
     Lane::kQuery, kJsonBytes, kNormal, true,
     "The older query: filter, aggregations, groupBy, order, limit, cursor; ?streaming-duration "
     "waits for events, which come as they arrive: see PAGES."},
    {"POST", "/v2/datasets/_apl/delete", handle_delete, Scope::kContent, "datasets", "update",
     Lane::kQuery, kJsonBytes, kNoPersonal, true,
     "Deletes whole blocks that hold a matching event; commit false only reports. Names one "
     "dataset, and takes variables."},

    {"GET", "/v2/apl-starred-queries", handle_starred_list, Scope::kContent, "starredQueries",
     "read", Lane::kWrite, kGetBytes, kNormal, false,
     "Those saved queries that the token may read: limit, offset, dataset, who, qs."},
    {"POST", "/v2/apl-starred-queries", handle_starred_create, Scope::kContent, "starredQueries",
     "create", Lane::kWrite, kJsonBytes, kNormal, true,
     "Saves a query under a new id; ?id= chooses it, up to 256 bytes, which is evq's own. Ids are "
     "of the whole store: 409 is one that is taken, be it by a query that the token may not see."},
    {"GET", "/v2/apl-starred-queries/{id}", handle_starred_show, Scope::kContent, "starredQueries",
     "read", Lane::kWrite, kGetBytes, kNormal, false, "One saved query."},
    {"PUT", "/v2/apl-starred-queries/{id}", handle_starred_update, Scope::kContent,
     "starredQueries", "update", Lane::kWrite, kJsonBytes, kNormal, true,
     "Replaces a saved query."},
    {"DELETE", "/v2/apl-starred-queries/{id}", handle_starred_delete, Scope::kContent,
     "starredQueries", "delete", Lane::kWrite, kJsonBytes, kNormal, false,
     "Removes a saved query."},

    {"GET", "/v1/datasets", handle_dataset_list, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNormal, false, "The datasets that the token may see."},
    {"POST", "/v1/datasets", handle_dataset_create, Scope::kOrganization, "datasets", "create",
     Lane::kWrite, kJsonBytes, kNormal, true, "Creates a dataset."},
    {"GET", "/v1/datasets/{dataset}", handle_dataset_show, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "One dataset."},
    {"PUT", "/v1/datasets/{dataset}", handle_dataset_update, Scope::kOrganization, "datasets",
     "update", Lane::kWrite, kJsonBytes, kNormal, true, "Changes its description or retention."},
    {"DELETE", "/v1/datasets/{dataset}", handle_dataset_delete, Scope::kOrganization, "datasets",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Removes a dataset and its events."},
    {"POST", "/v1/datasets/{dataset}/trim", handle_dataset_trim, Scope::kDataset, "trim", "update",
     Lane::kWrite, kJsonBytes, kNormal, true, "Removes blocks older than maxDuration."},
    {"POST", "/v1/datasets/{dataset}/vacuum", handle_dataset_vacuum, Scope::kDataset, "vacuum",
     "update", Lane::kUpkeep, kJsonBytes, kNormal, false, "Seals, merges and frees space now."},
    {"GET", "/v1/datasets/{dataset}/info", handle_dataset_info, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Counts, sizes and fields."},
    {"POST", "/v1/_check_store", handle_store_check, Scope::kOrganization, "datasets", "read",
     Lane::kUpkeep, kJsonBytes, kNormal, false,
     "evq's own: verifies every checksum and invariant of the store and answers {files, blocks, "
     "segments, events, problems}."},
    {"GET", "/v2/datasets", handle_dataset_list, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNormal, false, "The datasets that the token may see."},
    {"POST", "/v2/datasets", handle_dataset_create, Scope::kOrganization, "datasets", "create",
     Lane::kWrite, kJsonBytes, kNormal, true, "Creates a dataset."},
    {"GET", "/v2/datasets/{dataset}", handle_dataset_show, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "One dataset."},
    {"PUT", "/v2/datasets/{dataset}", handle_dataset_update, Scope::kOrganization, "datasets",
     "update", Lane::kWrite, kJsonBytes, kNormal, true, "Changes its description or retention."},
    {"DELETE", "/v2/datasets/{dataset}", handle_dataset_delete, Scope::kOrganization, "datasets",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Removes a dataset and its events."},
    {"POST", "/v2/datasets/{dataset}/trim", handle_dataset_trim, Scope::kDataset, "trim", "update",
     Lane::kWrite, kJsonBytes, kNormal, true, "Removes blocks older than maxDuration."},
    {"POST", "/v2/datasets/{dataset}/vacuum", handle_dataset_vacuum, Scope::kDataset, "vacuum",
     "update", Lane::kUpkeep, kJsonBytes, kNormal, false, "Seals, merges and frees space now."},
    {"GET", "/v2/datasets/{dataset}/info", handle_dataset_info, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Counts, sizes and fields."},
    {"GET", "/v1/datasets/_fields", handle_field_list_all, Scope::kToken, "", "", Lane::kWrite,
     kGetBytes, kNormal, false,
     "The fields of every dataset that the token may query, or may read."},
    {"GET", "/v2/datasets/{dataset}/fields", handle_field_list, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "The fields of a dataset."},
    {"GET", "/v1/datasets/{dataset}/fields", handle_field_list, Scope::kContent, "datasets", "read",
     Lane::kWrite, kGetBytes, kNormal, false, kOtherPath},
    {"GET", "/v2/datasets/{dataset}/fields/{field}", handle_field_show, Scope::kContent, "datasets",
     "read", Lane::kWrite, kGetBytes, kNormal, false, "One field."},
    {"GET", "/v1/datasets/{dataset}/fields/{field}", handle_field_show, Scope::kContent, "datasets",
     "read", Lane::kWrite, kGetBytes, kNormal, false, kOtherPath},
    {"PUT", "/v2/datasets/{dataset}/fields/{field}", handle_field_update, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true,
     "Changes its unit, description or visibility."},
    {"PUT", "/v1/datasets/{dataset}/fields/{field}", handle_field_update, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true, kOtherPath},
    {"GET", "/v2/datasets/{dataset}/mapfields", handle_map_field_list, Scope::kContent, "datasets",
     "read", Lane::kWrite, kGetBytes, kNormal, false, "Fields kept as one dynamic value."},
    {"GET", "/v1/datasets/{dataset}/mapfields", handle_map_field_list, Scope::kContent, "datasets",
     "read", Lane::kWrite, kGetBytes, kNormal, false, kOtherPath},
    {"PUT", "/v2/datasets/{dataset}/mapfields", handle_map_field_replace, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true, "Replaces the list."},
    {"PUT", "/v1/datasets/{dataset}/mapfields", handle_map_field_replace, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true, kOtherPath},
    {"POST", "/v2/datasets/{dataset}/mapfields", handle_map_field_add, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true, "Adds one."},
    {"POST", "/v1/datasets/{dataset}/mapfields", handle_map_field_add, Scope::kOrganization,
     "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, true, kOtherPath},
    {"DELETE", "/v2/datasets/{dataset}/mapfields/{field}", handle_map_field_remove,
     Scope::kOrganization, "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, false,
     "Removes one."},
    {"DELETE", "/v1/datasets/{dataset}/mapfields/{field}", handle_map_field_remove,
     Scope::kOrganization, "datasets", "update", Lane::kWrite, kJsonBytes, kNormal, false,
     kOtherPath},

    {"GET", "/v2/tokens", handle_token_list, Scope::kOrganization, "apiTokens", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "API tokens, without secrets."},
    {"POST", "/v2/tokens", handle_token_create, Scope::kOrganization, "apiTokens", "create",
     Lane::kWrite, kJsonBytes, kNormal, true,
     "Creates a token; its secret is shown this once. It may do no more than who makes it: what "
     "that one may do on every dataset it may on every view. One that expires makes none that "
     "lasts longer."},
    {"GET", "/v2/tokens/{id}", handle_token_show, Scope::kOrganization, "apiTokens", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "One token."},
    {"DELETE", "/v2/tokens/{id}", handle_token_delete, Scope::kOrganization, "apiTokens", "delete",
     Lane::kWrite, kJsonBytes, kNormal, false, "Revokes a token at once."},
    {"POST", "/v2/tokens/{id}/regenerate", handle_token_regenerate, Scope::kOrganization,
     "apiTokens", "update", Lane::kWrite, kJsonBytes, kNormal, true,
     "A new secret under a new id; the old one ends at existingTokenExpiresAt. Neither may do more "
     "than who asks, nor the new one last longer than a token that expires and asks."},

    {"GET", "/v1/_tokens", handle_any_token_list, Scope::kOrganization, "apiTokens", "read",
     Lane::kWrite, kGetBytes, kNormal, false,
     "evq's own: tokens of both kinds, with when they were last used."},
    {"POST", "/v1/_tokens", handle_any_token_create, Scope::kOrganization, "apiTokens", "create",
     Lane::kWrite, kJsonBytes, kNormal, true,
     "evq's own: as POST /v2/tokens, and with personal true a personal token, which only those may "
     "create who may do everything."},
    {"DELETE", "/v1/_tokens/{id}", handle_any_token_delete, Scope::kOrganization, "apiTokens",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false,
     "evq's own: revokes a token of either kind; a personal one for those who may do everything."},

    {"GET", "/v2/annotations", handle_object_list, Scope::kOrganization, "annotations", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Annotations: the list."},
    {"POST", "/v2/annotations", handle_object_create, Scope::kOrganization, "annotations", "create",
     Lane::kWrite, kObjectBytes, kNormal, true,
     "Annotations: keeps a new one; below is what is checked."},
    {"GET", "/v2/annotations/{id}", handle_object_show, Scope::kOrganization, "annotations", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Annotations: one of them."},
    {"PUT", "/v2/annotations/{id}", handle_object_update, Scope::kOrganization, "annotations",
     "update", Lane::kWrite, kObjectBytes, kNormal, true, "Annotations: changes one."},
    {"DELETE", "/v2/annotations/{id}", handle_object_delete, Scope::kOrganization, "annotations",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Annotations: removes one."},
    {"GET", "/v2/vfields", handle_object_list, Scope::kContent, "virtualFields", "read",
     Lane::kWrite, kGetBytes, kNormal, false,
     "Virtual fields: the list of those that the token may read."},
    {"POST", "/v2/vfields", handle_object_create, Scope::kContent, "virtualFields", "create",
     Lane::kWrite, kObjectBytes, kNormal, true,
     "Virtual fields: keeps a new one; below is what is checked."},
    {"GET", "/v2/vfields/{id}", handle_object_show, Scope::kContent, "virtualFields", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Virtual fields: one of them."},
    {"PUT", "/v2/vfields/{id}", handle_object_update, Scope::kContent, "virtualFields", "update",
     Lane::kWrite, kObjectBytes, kNormal, true, "Virtual fields: changes one."},
    {"DELETE", "/v2/vfields/{id}", handle_object_delete, Scope::kContent, "virtualFields", "delete",
     Lane::kWrite, kJsonBytes, kNormal, false, "Virtual fields: removes one."},
    {"GET", "/v2/monitors", handle_object_list, Scope::kOrganization, "monitors", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Monitors: the list."},
    {"POST", "/v2/monitors", handle_object_create, Scope::kOrganization, "monitors", "create",
     Lane::kWrite, kObjectBytes, kNormal, true,
     "Monitors: keeps a new one; below is what is checked."},
    {"GET", "/v2/monitors/{id}", handle_object_show, Scope::kOrganization, "monitors", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Monitors: one of them."},
    {"PUT", "/v2/monitors/{id}", handle_object_update, Scope::kOrganization, "monitors", "update",
     Lane::kWrite, kObjectBytes, kNormal, true, "Monitors: changes one."},
    {"DELETE", "/v2/monitors/{id}", handle_object_delete, Scope::kOrganization, "monitors",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Monitors: removes one."},
    {"GET", "/v2/monitors/{id}/history", handle_monitor_history, Scope::kOrganization, "monitors",
     "read", Lane::kWrite, kGetBytes, kNormal, false,
     "Monitors: an empty list, since monitors are kept and not run."},
    {"GET", "/api/internal/monitors/history", handle_monitor_histories, Scope::kOrganization,
     "monitors", "read", Lane::kInline, kGetBytes, kNormal, false,
     "The same for all monitors, as Axiom's MCP server asks for it."},
    {"GET", "/api/internal/integrations/dashboards", handle_integration_list, Scope::kToken, "", "",
     Lane::kInline, kGetBytes, kNormal, false,
     "An empty list, for Axiom's MCP server: which datasets an integration fills."},
    {"GET", "/v2/notifiers", handle_object_list, Scope::kOrganization, "notifiers", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Notifiers: the list."},
    {"POST", "/v2/notifiers", handle_object_create, Scope::kOrganization, "notifiers", "create",
     Lane::kWrite, kObjectBytes, kNormal, true,
     "Notifiers: keeps a new one; below is what is checked."},
    {"GET", "/v2/notifiers/{id}", handle_object_show, Scope::kOrganization, "notifiers", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Notifiers: one of them."},
    {"PUT", "/v2/notifiers/{id}", handle_object_update, Scope::kOrganization, "notifiers", "update",
     Lane::kWrite, kObjectBytes, kNormal, true, "Notifiers: changes one."},
    {"DELETE", "/v2/notifiers/{id}", handle_object_delete, Scope::kOrganization, "notifiers",
     "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Notifiers: removes one."},
    {"GET", "/v2/dashboards", handle_dashboard_list, Scope::kOrganization, "dashboards", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Dashboards: the list; limit, offset."},
    {"POST", "/v2/dashboards", handle_dashboard_create, Scope::kOrganization, "dashboards",
     "create", Lane::kWrite, kJsonBytes, kNormal, true,
     "Dashboards: keeps a new one, under its uid when it gives one; with overwrite true in the "
     "place of one that is there, for which the token needs dashboards|update as well."},
    {"GET", "/v2/dashboards/uid/{uid}", handle_dashboard_show, Scope::kOrganization, "dashboards",
     "read", Lane::kWrite, kGetBytes, kNormal, false, "Dashboards: one of them."},
    {"PUT", "/v2/dashboards/uid/{uid}", handle_dashboard_update, Scope::kOrganization, "dashboards",
     "update", Lane::kWrite, kJsonBytes, kNormal, true,
     "Dashboards: replaces one, whose version must be the known one unless overwrite is true, or "
     "keeps a new one, for which the token needs dashboards|create as well."},
    {"DELETE", "/v2/dashboards/uid/{uid}", handle_dashboard_delete, Scope::kOrganization,
     "dashboards", "delete", Lane::kWrite, kJsonBytes, kNormal, false, "Dashboards: removes one."},
    {"PATCH", "/v2/dashboards/uid/{uid}/charts/{chart}", handle_chart_patch, Scope::kOrganization,
     "dashboards", "update", Lane::kWrite, kJsonBytes, kNormal, true,
     "Dashboards: merges {chart} into one of its charts; version and overwrite as in PUT."},
    {"GET", "/v2/views", handle_object_list, Scope::kOrganization, "views", "read", Lane::kWrite,
     kGetBytes, kNormal, false, "Views: the list."},
    {"POST", "/v2/views", handle_object_create, Scope::kOrganization, "views", "create",
     Lane::kWrite, kObjectBytes, kNormal, true,
     "Views: keeps a new one; below is what is checked."},
    {"GET", "/v2/views/{id}", handle_object_show, Scope::kOrganization, "views", "read",
     Lane::kWrite, kGetBytes, kNormal, false, "Views: one of them."},
    {"PUT", "/v2/views/{id}", handle_object_update, Scope::kOrganization, "views", "update",
     Lane::kWrite, kObjectBytes, kNormal, true, "Views: changes one."},
    {"DELETE", "/v2/views/{id}", handle_object_delete, Scope::kOrganization, "views", "delete",
     Lane::kWrite, kJsonBytes, kNormal, false, "Views: removes one."},

    {"GET", "/v1/user", handle_user, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNoOrganization, false, "Who the token belongs to."},
    {"GET", "/v2/user", handle_user, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNoOrganization, false, "Who the token belongs to."},
    {"GET", "/v2/users", handle_user_list, Scope::kToken, "", "", Lane::kWrite, kGetBytes, kNormal,
     false, "The users: the owner."},
    {"GET", "/v2/users/{id}", handle_user_show, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNormal, false, "One user."},
    {"GET", "/v2/orgs", handle_organization_list, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNoOrganization, false, "The organizations: this store."},
    {"GET", "/v1/orgs", handle_organization_list, Scope::kToken, "", "", Lane::kWrite, kGetBytes,
     kNoOrganization, false, "The same under the path that older clients use."},
    {"GET", "/v2/orgs/{id}", handle_organization_show, Scope::kToken, "", "", Lane::kWrite,
     kGetBytes, kNormal, false, "One organization."},
    {"GET", "/v1/orgs/{id}", handle_organization_show, Scope::kToken, "", "", Lane::kWrite,
     kGetBytes, kNormal, false, kOtherPath},
    {"POST", "/v1/_set_org", handle_organization_set, Scope::kOrganization, "rbac", "update",
     Lane::kWrite, kJsonBytes, kNormal, true,
     "evq's own: {id} becomes the organization's id, which personal tokens must send from then "
     "on."},
};

}  // namespace

std::span<const Route> routes() {
  return kRoutes;
}

}  // namespace evq
