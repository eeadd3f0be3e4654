// Ingest as Axiom's clients do it: what the request's headers and parameters say of the body, the
// events into the dataset of the path, and an answer that must not fail once they are stored.

#include <algorithm>
#include <cstdint>
#include <utility>

#include "http/ingest_body.h"
#include "http/otlp.h"
#include "http/parameters.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/column/dynamic_json.h"
#include "store/ingest/csv_record.h"

namespace evq {
namespace {

// The header may be sent in parts (RFC 9110, 5.3). None for a text of blanks, which clients send
// where the body has a header.
std::vector<std::string> csv_fields_of(const HttpRequest& request) {
  std::vector<std::string> names;
  for (const auto& [header, text] : request.headers) {
    if (header != "x-axiom-csv-fields" || trimmed(text).empty()) {
      continue;
    }
    std::string_view rest = text;
    for (bool more = true; more;) {
      const std::size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      names.emplace_back(trimmed(rest.substr(0, comma)));
      rest.remove_prefix(more ? comma + 1 : rest.size());
    }
  }
  return names;
}

Result<InputFormat> format_of(const HttpRequest& request) {
  const std::string type = media_type(request);
  if (type.empty()) {
    return InputFormat::kAuto;
  }
  if (type == "application/json") {
    return InputFormat::kJson;
  }
  for (const std::string_view lines :
       {"application/x-ndjson", "application/ndjson", "application/nd-json", "application/jsonl"}) {
    if (type == lines) {
      return InputFormat::kNdjson;
    }
  }
  if (type == "text/csv") {
    return InputFormat::kCsv;
  }
  return wrong_media_type(request, "application/json, application/x-ndjson or text/csv");
}

Result<IngestOptions> ingest_options(const HttpRequest& request) {
  IngestOptions options;
  EVQ_TRY_ASSIGN(options.format, format_of(request));
  options.timestamp_field = std::string(request.parameter("timestamp-field").value_or(""));
  options.timestamp_layout = std::string(request.parameter("timestamp-format").value_or(""));
  const std::string_view delimiter = request.parameter("csv-delimiter").value_or("");
  if (options.format == InputFormat::kCsv &&
      (delimiter.size() > 1 || !std::ranges::all_of(delimiter, may_delimit_csv))) {
    return make_error(ErrorCode::kUsage,
                      "csv-delimiter must be one character, and no quote or line end");
  }
  options.csv_delimiter = delimiter.size() == 1 ? delimiter[0] : '\0';
  options.csv_fields = csv_fields_of(request);
  const bool json = options.format == InputFormat::kJson || options.format == InputFormat::kNdjson;
  if (const auto repeated = complete_csv_names(&options.csv_fields);
      repeated.has_value() && !json) {
    return make_error(ErrorCode::kUsage, "X-Axiom-CSV-Fields repeats the field " + *repeated);
  }
  options.labels_json = std::string(request.header("x-axiom-event-labels").value_or(""));
  EVQ_TRY_ASSIGN(options.strict, switch_parameter(request, "strict"));
  EVQ_TRY_ASSIGN(const bool otlp, switch_parameter(request, "otlp"));
  if (otlp) {
    options.map_fields.emplace_back(kOtlpCustomField);
    options.timespan_fields.emplace_back(kOtlpDurationField);
  }
  if (!options.labels_json.empty()) {
    const std::optional<std::string> labels = dynamic_from_json(options.labels_json);
    if (!labels.has_value() || !DynamicView(*labels).is_bag()) {
      return make_error(ErrorCode::kUsage, "X-Axiom-Event-Labels must be a JSON object");
    }
  }
  return options;
}

void tell_counts(const IngestCounts& counts, HttpResponse* response) {
  if (counts.untimed > 0) {
    response->headers.emplace_back(kUntimedHeader, std::to_string(counts.untimed));
  }
  if (counts.relabelled > 0) {
    response->headers.emplace_back(kRelabelledHeader, std::to_string(counts.relabelled));
  }
  if (counts.repaired > 0 && counts.first_repaired.has_value()) {
    response->headers.emplace_back(kRepairedHeader,
                                   std::to_string(counts.repaired) + "; line " +
                                       std::to_string(counts.first_repaired->line) + ": " +
                                       counts.first_repaired->reason);
  }
}

HttpResponse ingest_answer(const IngestReport& report) {
  HttpResponse response;
  append_ingest_report(report, SIZE_MAX, &response.body);
  tell_counts(report.counts, &response);
  return response;
}

}  // namespace

Result<HttpResponse> handle_ingest(Api& api, HttpRequest& request) {
  EVQ_TRY_ASSIGN(const IngestOptions options, ingest_options(request));
  EVQ_TRY_ASSIGN(const std::unique_ptr<ByteSource> source, streamed_body(request));
  HttpResponse bare;
  bare.body.reserve(kBareReportBytesMax);
  Result<IngestReport> report =
      store_events(api, request, request.argument("dataset"), *source, options);
  if (!report.ok()) {
    Error error = std::move(report).take_error();
    if (error.message.starts_with(kRepeatedNameError)) {
      error.hint =
          "leave the header line out and name the columns with csv-fields, over HTTP in the header "
          "X-Axiom-CSV-Fields";
    }
    return error;
  }
  append_ingest_report(*report, 0, &bare.body);
  return answer_stored(std::move(bare), [&] { return ingest_answer(*report); });
}

}  // namespace evq
