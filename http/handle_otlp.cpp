// OTLP over HTTP: logs and traces into the dataset that X-Axiom-Dataset names, or the only one that
// the token may ingest to.

#include "http/ingest_body.h"
#include "http/limits.h"
#include "http/otlp.h"
#include "http/protobuf.h"
#include "store/base/json_writer.h"
#include "store/ingest/failure_reason.h"

namespace evq {
namespace {

// Why the first record was refused. A time is called as it was sent, not as it is stored.
std::string first_reason(const IngestReport& report, const OtlpEvents& events) {
  if (report.counts.failures.empty()) {
    return {};
  }
  const IngestFailure& first = report.counts.failures[0];
  const auto time = events.unread_times.find(first.line);
  const std::string stored = unread_time_reason("_time");
  return time != events.unread_times.end() && first.reason.starts_with(stored)
             ? unread_time_reason(time->second) + first.reason.substr(stored.size())
             : first.reason;
}

// What an answer takes that does not say why.
constexpr std::size_t kBareAnswerBytesMax = 128;

// Appends an Export…ServiceResponse with the count of what was refused, and why; nothing of
// Protocol Buffers when nothing was.
void append_answer(std::uint64_t failed, std::string_view why, OtlpSignal signal,
                   OtlpEncoding encoding, std::string* text) {
  if (encoding == OtlpEncoding::kJson) {
    JsonWriter json(*text);
    json.begin_object();
    if (failed > 0) {
      json.key("partialSuccess");
      json.begin_object();
      json.key(signal == OtlpSignal::kLogs ? "rejectedLogRecords" : "rejectedSpans");
      json.string(std::to_string(failed));
      json.key("errorMessage");
      json.string(why);
      json.end_object();
    }
    json.end_object();
    return;
  }
  if (failed == 0) {
    return;
  }
  std::string partial_success;
  append_proto_varint(1, failed, &partial_success);
  append_proto_bytes(2, why, &partial_success);
  append_proto_bytes(1, partial_success, text);
}

Result<HttpResponse> store_signal(Api& api, HttpRequest& request, OtlpSignal signal) {
  std::string dataset(request.header("x-axiom-dataset").value_or(""));
  if (dataset.empty()) {
    dataset = request.identity.only_dataset("ingest", "create").value_or("");
  }
  if (dataset.empty()) {
    return make_error(ErrorCode::kUsage, "the X-Axiom-Dataset header is required");
  }
  if (!request.identity.may(dataset, "ingest", "create")) {
    return permission_error("ingest", "create", dataset);
  }
  EVQ_TRY(check_dataset_name(dataset));  // a request without events asks whether they would be kept
  const std::string type = media_type(request);
  if (!is_protobuf(request) && type != "application/json" && !type.empty()) {
    return wrong_media_type(request, "application/x-protobuf or application/json");
  }
  EVQ_TRY_ASSIGN(const std::shared_ptr<RewritingClaim> claim, begin_rewriting(api, request));
  EVQ_TRY_ASSIGN(std::string body, decoded_text(request, kHttpIngestBodyBytesMax, claim.get()));
  const bool protobuf = is_protobuf(request) || (type.empty() && !begins_json_object(body));
  const OtlpEncoding encoding = protobuf ? OtlpEncoding::kProtobuf : OtlpEncoding::kJson;
  EVQ_TRY_ASSIGN(const OtlpEvents events,
                 otlp_events(std::move(body), signal, encoding, claim.get()));
  IngestReport report;
  HttpResponse bare;
  bare.content_type = protobuf ? kProtobufType : "application/json";
  bare.body.reserve(kBareAnswerBytesMax);
  if (!events.text.empty()) {
    IngestOptions options;
    options.map_fields.emplace_back(kOtlpCustomField);
    if (signal == OtlpSignal::kTraces) {
      options.timespan_fields.emplace_back(kOtlpDurationField);
    }
    EVQ_TRY_ASSIGN(report, store_ndjson(api, request, dataset, events.text, std::move(options)));
  }
  append_answer(report.counts.failed, {}, signal, encoding, &bare.body);
  return answer_stored(std::move(bare), [&] {
    HttpResponse response;
    response.content_type = protobuf ? kProtobufType : "application/json";
    append_answer(report.counts.failed, first_reason(report, events), signal, encoding,
                  &response.body);
    return response;
  });
}

}  // namespace

Result<HttpResponse> handle_otlp_logs(Api& api, HttpRequest& request) {
  return store_signal(api, request, OtlpSignal::kLogs);
}

Result<HttpResponse> handle_otlp_metrics(Api& /*api*/, HttpRequest& /*request*/) {
  return make_error(
      ErrorCode::kNotFound,
      "evq keeps logs and traces, no metrics: set OTEL_METRICS_EXPORTER=none, or take "
      "metrics out of the pipeline that exports to it");
}

Result<HttpResponse> handle_otlp_traces(Api& api, HttpRequest& request) {
  return store_signal(api, request, OtlpSignal::kTraces);
}

}  // namespace evq
