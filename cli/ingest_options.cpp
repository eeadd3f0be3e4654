#include "cli/ingest_options.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "store/base/json_writer.h"
#include "store/base/time_zone.h"
#include "store/ingest/csv_record.h"

namespace evq {
namespace {

InputFormat input_format(const std::string& name) {
  if (name == "json") {
    return InputFormat::kJson;
  }
  if (name == "ndjson") {
    return InputFormat::kNdjson;
  }
  if (name == "text") {
    return InputFormat::kText;
  }
  if (name == "logfmt") {
    return InputFormat::kLogfmt;
  }
  if (name == "w3c") {
    return InputFormat::kW3c;
  }
  return name == "csv" || name == "tsv" ? InputFormat::kCsv : InputFormat::kDetect;
}

// Of times that say none; null where nobody named one.
Result<std::shared_ptr<const TimeZone>> input_zone(const std::string& name) {
  if (name.empty()) {
    return std::shared_ptr<const TimeZone>();
  }
  auto zone = named_time_zone(name);
  if (!zone.ok()) {
    Error error = zone.error();
    error.message.insert(0, "--timestamp-zone: ");
    return error;
  }
  return zone;
}

// {"k":"v",…} of the --label K=V options.
Result<std::string> labels_json(const std::vector<std::string>& labels) {
  if (labels.empty()) {
    return std::string();
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const std::string& label : labels) {
    const std::size_t equals = label.find('=');
    if (equals == std::string::npos || equals == 0) {
      return make_error(ErrorCode::kUsage, "the label '" + label + "' is not KEY=VALUE");
    }
    const std::string key = label.substr(0, equals);
    if (key == "_time") {
      return make_error(ErrorCode::kUsage, "--label cannot set _time",
                        "an event tells its time itself: --timestamp-field names the field");
    }
    json.key(key);
    json.string(label.substr(equals + 1));
  }
  json.end_object();
  return text;
}

}  // namespace

Result<IngestOptions> make_reading_options(const ReadingOptions& reading) {
  IngestOptions options;
  options.format = input_format(reading.format);
  const bool text = options.format == InputFormat::kText || options.format == InputFormat::kDetect;
  if (reading.multiline &&
      (!text || !reading.csv_fields.empty() || !reading.csv_delimiter.empty())) {
    return make_error(ErrorCode::kUsage, "--multiline is for logs of plain text",
                      "it goes with --format text alone");
  }
  options.multiline = reading.multiline;
  options.timestamp_field = reading.timestamp_field;
  options.timestamp_layout = reading.timestamp_format;
  EVQ_TRY_ASSIGN(options.zone, input_zone(reading.timestamp_zone));
  options.csv_fields = reading.csv_fields;
  if (const auto repeated = complete_csv_names(&options.csv_fields); repeated.has_value()) {
    return make_error(ErrorCode::kUsage, "--csv-fields repeats the field " + *repeated);
  }
  const bool tab = reading.csv_delimiter == "\\t";
  if (reading.format == "tsv") {
    options.csv_delimiter = '\t';
  }
  if ((reading.csv_delimiter.size() > 1 && !tab) ||
      !std::ranges::all_of(reading.csv_delimiter, may_delimit_csv)) {
    return make_error(ErrorCode::kUsage,
                      "--csv-delimiter takes one character, and no quote or line end");
  }
  if (!reading.csv_delimiter.empty()) {
    options.csv_delimiter = tab ? '\t' : reading.csv_delimiter[0];
  }
  return options;
}

Result<IngestOptions> make_ingest_options(const IngestCommand& command) {
  if (command.reject_file == "-") {
    return make_error(ErrorCode::kUsage, "--reject-file - would mix lines with the report",
                      "name a file, or /dev/stderr");
  }
  EVQ_TRY_ASSIGN(IngestOptions options, make_reading_options(command.reading));
  options.strict = command.strict;
  options.failures_max = command.errors_max;
  EVQ_TRY_ASSIGN(options.labels_json, labels_json(command.labels));
  return options;
}

}  // namespace evq
