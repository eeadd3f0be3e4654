// evq ingest: files or standard input into a dataset, with a progress line on a terminal and the
// six response fields at the end.

#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/progress.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

constexpr int kDataStatus = 4;

InputFormat input_format(const std::string& name) {
  if (name == "json") {
    return InputFormat::kJson;
  }
  if (name == "ndjson") {
    return InputFormat::kNdjson;
  }
  return name == "csv" ? InputFormat::kCsv : InputFormat::kAuto;
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
    json.key(label.substr(0, equals));
    json.string(label.substr(equals + 1));
  }
  json.end_object();
  return text;
}

// Counts what passes, for the progress line; the size is that of the file, compressed or not.
class CountedSource final : public ByteSource {
 public:
  CountedSource(std::unique_ptr<ByteSource> source, std::uint64_t* bytes)
      : source_(std::move(source)), bytes_(bytes) {}
  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    auto size = source_->read(buffer, timeout_ms);
    if (size.ok() && size.value().has_value()) {
      *bytes_ += *size.value();
    }
    return size;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::uint64_t* bytes_;
};

// One run of the command over all its inputs.
class IngestRun {
 public:
  IngestRun(const GlobalOptions& global, const IngestCommand& command, Service& service)
      : global_(global), command_(command), service_(service) {}

  Status prepare() {
    request_.options.format = input_format(command_.format);
    request_.options.timestamp_field = command_.timestamp_field;
    request_.options.timestamp_layout = command_.timestamp_format;
    request_.options.csv_fields = command_.csv_fields;
    request_.options.strict = command_.strict;
    request_.options.failures_max = command_.errors_max;
    if (command_.csv_delimiter.size() > 1 && command_.csv_delimiter != "\\t") {
      return make_error(ErrorCode::kUsage, "--csv-delimiter takes one character");
    }
    if (!command_.csv_delimiter.empty()) {
      request_.options.csv_delimiter =
          command_.csv_delimiter == "\\t" ? '\t' : command_.csv_delimiter[0];
    }
    EVQ_TRY_ASSIGN(request_.options.labels_json, labels_json(command_.labels));
    if (!command_.reject_file.empty()) {
      EVQ_TRY_ASSIGN(File rejects, File::create_output(command_.reject_file));
      rejects_.emplace(std::move(rejects));
    }
    auto definition = service_.store().definitions().find_dataset(command_.dataset);
    if (definition.ok() && definition.value().has_value()) {
      request_.options.map_fields = definition.value()->map_fields;
    }
    return Status::success();
  }

  Status load(const std::string& path, QueryControl& control) {
    const bool standard = path == "-";
    const std::string name = standard ? "stdin" : path;
    File file = File::standard_input();
    if (!standard) {
      EVQ_TRY_ASSIGN(file, File::open_input(path));
    }
    const auto size = file.size();
    ProgressOptions options;
    options.enabled = !global_.quiet && ::isatty(STDERR_FILENO) != 0;
    options.label = "loading " + name;
    options.bytes_total = size.ok() ? size.value() : 0;
    options.columns = terminal_size(STDERR_FILENO, process_environment()).columns;
    Progress progress(options);
    std::uint64_t bytes = 0;
    request_.reject = [&](std::string_view text, const IngestFailure& failure) {
      note_failure(name, text, failure);
    };
    IngestCounts committed;
    request_.committed = [&](const IngestCounts& counts) {
      committed = counts;
      progress.update({bytes, counts.ingested});
      if (command_.progress) {
        print_note(global_, name + ": " + std::to_string(counts.ingested + counts.failed) +
                                " events committed");
      }
    };
    auto counted = std::make_unique<CountedSource>(file_source(std::move(file)), &bytes);
    const std::unique_ptr<ByteSource> source = decoded_source(std::move(counted), {});
    auto report = service_.store().ingest(command_.dataset, *source, request_, control);
    progress.clear();
    if (!report.ok()) {
      // What was committed before the failure stays, and is reported.
      total_.counts.add(std::move(committed));
      Error error = std::move(report).take_error();
      if (error.code == ErrorCode::kCancelled) {
        error.message = "interrupted";
      }
      error.message = name + ": " + error.message;
      return error;
    }
    note_repairs(name, report.value().counts);
    total_.blocks_created += report.value().blocks_created;
    total_.wal_length = report.value().wal_length;
    total_.counts.add(std::move(report.value().counts));
    return Status::success();
  }

  int finish() {
    print_report();
    const bool imperfect = total_.counts.failed > 0 || total_.counts.repaired > 0;
    return command_.strict && imperfect ? kDataStatus : 0;
  }

 private:
  void note_failure(const std::string& name, std::string_view text, const IngestFailure& failure) {
    if (rejects_.has_value()) {
      const std::string line = std::string(text) + "\n";
      (void)rejects_->write_all(line).ok();
    }
    if (shown_failures_++ < kShownFailuresMax) {
      print_note(global_, name + ":" + std::to_string(failure.line) + ":" +
                              std::to_string(failure.column) + ": " + failure.reason +
                              " (line skipped)");
    }
  }

  void note_repairs(const std::string& name, const IngestCounts& counts) {
    if (counts.repaired > 0 && counts.first_repaired.has_value()) {
      print_note(global_, name + ": " + std::to_string(counts.repaired) +
                              " events repaired (first at line " +
                              std::to_string(counts.first_repaired->line) + ": " +
                              counts.first_repaired->reason + ")");
    }
  }

  void print_report() {
    const bool json = command_.output == "json" ||
                      (command_.output.empty() && ::isatty(STDOUT_FILENO) == 0);
    const IngestCounts& counts = total_.counts;
    std::string text;
    if (!json) {
      text = "ingested " + grouped_text(counts.ingested) + ", failed " +
             grouped_text(counts.failed);
      if (!counts.failures.empty()) {
        text += " (first at line " + std::to_string(counts.failures[0].line) + ": " +
                counts.failures[0].reason + ")";
      }
      text += "\n";
      (void)stdout_sink()(text).ok();
      return;
    }
    JsonWriter writer(text);
    writer.begin_object();
    writer.key("ingested");
    writer.unsigned_integer(counts.ingested);
    writer.key("failed");
    writer.unsigned_integer(counts.failed);
    writer.key("failures");
    writer.begin_array();
    for (const IngestFailure& failure : counts.failures) {
      writer.begin_object();
      writer.key("timestamp");
      writer.instant(failure.time_ns);
      writer.key("error");
      writer.string("line " + std::to_string(failure.line) + ", column " +
                    std::to_string(failure.column) + ": " + failure.reason);
      writer.end_object();
    }
    writer.end_array();
    writer.key("processedBytes");
    writer.unsigned_integer(counts.processed_bytes);
    writer.key("blocksCreated");
    writer.unsigned_integer(total_.blocks_created);
    writer.key("walLength");
    writer.unsigned_integer(total_.wal_length);
    writer.end_object();
    text.push_back('\n');
    (void)stdout_sink()(text).ok();
  }

  static constexpr std::uint64_t kShownFailuresMax = 10;

  const GlobalOptions& global_;
  const IngestCommand& command_;
  Service& service_;
  IngestRequest request_;
  std::optional<File> rejects_;
  IngestReport total_;
  std::uint64_t shown_failures_ = 0;
};

}  // namespace

int run_ingest(const GlobalOptions& global, const IngestCommand& command) {
  auto service = open_service(global, {});
  if (!service.ok()) {
    return report_error(service.error());
  }
  IngestRun run(global, command, *service.value());
  if (const Status ready = run.prepare(); !ready.ok()) {
    return report_error(ready.error());
  }
  QueryControl& control = interrupt_control();
  std::vector<std::string> files = command.files;
  if (files.empty()) {
    files.emplace_back("-");
  }
  for (const std::string& file : files) {
    if (const Status loaded = run.load(file, control); !loaded.ok()) {
      run.finish();
      return report_error(loaded.error());
    }
  }
  return run.finish();
}

}  // namespace evq
