// evq query: one APL query over the store or over files of events, in any output form.

#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <utility>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/event_files.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/table_output.h"
#include "cli/terminal/number_text.h"
#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::uint64_t kDefaultRows = 1000;

Result<std::string> query_text(const QueryCommand& command) {
  if (!command.apl_file.empty()) {
    return read_whole_file(command.apl_file, kQueryTextBytesMax);
  }
  if (command.apl_given) {
    return command.apl;
  }
  if (::isatty(STDIN_FILENO) != 0) {
    return make_error(ErrorCode::kUsage, "no query given",
                      "write it as an argument, with -f FILE, or on standard input");
  }
  return read_standard_input(kQueryTextBytesMax);
}

std::string output_form(const QueryCommand& command) {
  if (!command.output.empty()) {
    return command.output;
  }
  return ::isatty(STDOUT_FILENO) != 0 ? "table" : "ndjson";
}

// Passes rows on and remembers what the end of the command has to say.
class ObservedSink final : public ResultSink {
 public:
  explicit ObservedSink(std::unique_ptr<ResultSink> next) : next_(std::move(next)) {}
  Status begin(const ResultHeader& header) override {
    header_ = header;
    return next_->begin(header);
  }
  Status push(const Chunk& rows, std::span<const RowId> ids) override {
    return next_->push(rows, ids);
  }
  Status end(const QueryStatus& status) override {
    status_ = status;
    return next_->end(status);
  }
  const ResultHeader& header() const { return header_; }
  const QueryStatus& status() const { return status_; }

 private:
  std::unique_ptr<ResultSink> next_;
  ResultHeader header_;
  QueryStatus status_;
};

std::unique_ptr<ResultSink> make_sink(const GlobalOptions& global, const QueryCommand& command,
                                      const std::string& form) {
  const bool header = !command.no_header;
  if (form == "json") {
    return make_result_writer(ResultFormat::kJson, stdout_sink());
  }
  if (form == "ndjson") {
    return make_result_writer(ResultFormat::kNdjson, stdout_sink());
  }
  if (form == "csv") {
    return make_result_writer(ResultFormat::kCsv, stdout_sink(), header);
  }
  if (form == "tsv") {
    return make_result_writer(ResultFormat::kTsv, stdout_sink(), header);
  }
  if (form == "tabular") {
    return make_result_writer(ResultFormat::kTabular, stdout_sink());
  }
  if (form == "legacy") {
    return make_result_writer(ResultFormat::kLegacy, stdout_sink());
  }
  TableOutputOptions options;
  options.form = form;
  options.null_text = command.null_text;
  options.header = header;
  options.color = global.color;
  return make_table_output(options, stdout_sink());
}

std::string duration_of(std::int64_t us) {
  return us < 1000 ? std::to_string(us) + " us"
                   : us < 10'000'000 ? std::to_string(us / 1000) + " ms"
                                     : std::to_string(us / 1'000'000) + " s";
}

void print_footer(const GlobalOptions& global, const QueryCommand& command,
                  const std::string& form, const ObservedSink& sink) {
  const QueryStatus& status = sink.status();
  for (const std::string& warning : sink.header().warnings) {
    print_note(global, "note: " + warning);
  }
  const bool limited = sink.header().default_limited && status.rows == kDefaultRows;
  if (limited) {
    std::string note = grouped_text(status.rows) + " rows shown, the newest";
    if (status.rows_matched > status.rows) {
      note = grouped_text(status.rows) + " of " + grouped_text(status.rows_matched) +
             " rows shown";
    }
    print_note(global, note + "; add \"| limit N\" or --all for more");
  }
  const bool person = ::isatty(STDERR_FILENO) != 0 && form == "table";
  if (command.stats || person) {
    print_note(global, grouped_text(status.rows) + (status.rows == 1 ? " row" : " rows") + ", " +
                           grouped_text(status.rows_examined) + " scanned, " +
                           std::to_string(status.blocks_examined) + "/" +
                           std::to_string(status.blocks_total) + " blocks, " +
                           duration_of(status.elapsed_us));
  }
}

Result<QueryRequest> make_request(const QueryCommand& command, const std::string& form) {
  QueryRequest request;
  EVQ_TRY_ASSIGN(request.apl, query_text(command));
  if (!command.start_time.empty()) {
    request.start_time = command.start_time;
  }
  if (!command.since.empty()) {
    request.start_time = command.since.starts_with('-') || command.since.starts_with("now")
                             ? command.since
                             : "now-" + command.since;
  }
  if (!command.end_time.empty()) {
    request.end_time = command.end_time;
  }
  request.limit = command.limit;
  if (!command.all && !command.limit.has_value()) {
    request.default_limit = kDefaultRows;
  }
  if (!command.cursor.empty()) {
    request.cursor = command.cursor;
  }
  if (!command.memory_limit.empty()) {
    EVQ_TRY_ASSIGN(request.memory_limit_bytes, parse_size(command.memory_limit));
  }
  request.timeout_ms = static_cast<std::int64_t>(command.timeout_s * 1000);
  const bool api_form = form == "tabular" || form == "legacy";
  request.row_ids = api_form;
  request.exact_matches = api_form;
  return request;
}

int run(const GlobalOptions& global, const QueryCommand& command, Service& service) {
  const std::string form = output_form(command);
  auto made = make_request(command, form);
  if (!made.ok()) {
    return report_error(made.error());
  }
  QueryRequest& request = made.value();
  if (request.timeout_ms == 0) {
    request.control = &interrupt_control();
  }
  if (command.explain) {
    const auto plan = service.explain(request);
    if (!plan.ok()) {
      return report_error(plan.error(), request.apl);
    }
    (void)stdout_sink()(plan.value()).ok();
    return 0;
  }
  ObservedSink sink(make_sink(global, command, form));
  const Status done = service.query(request, sink);
  if (!done.ok()) {
    if (done.error().code == ErrorCode::kCancelled && !interrupt_control().cancelled()) {
      return 0;  // the reader of a pipe has seen enough
    }
    return report_error(done.error(), request.apl);
  }
  print_footer(global, command, form, sink);
  return command.fail_on_empty && sink.status().rows == 0 ? 1 : 0;
}

}  // namespace

int run_query(const GlobalOptions& global, const QueryCommand& command) {
  ServiceOptions options;
  std::optional<EventFiles> files;
  if (!command.event_files.empty()) {
    auto loaded = EventFiles::load(command.event_files, command.timestamp_field);
    if (!loaded.ok()) {
      return report_error(loaded.error());
    }
    files.emplace(std::move(loaded).value());
    options.store_directory = files->directory();
  }
  options.create_store = false;
  auto service = open_service(global, options);
  if (!service.ok() && service.error().code == ErrorCode::kNotFound && !files.has_value()) {
    // `print` and its like need no store; anything else says what it misses.
    print_note(global, "note: there is no store at " + global.store);
    auto empty = EventFiles::load({}, "");
    if (!empty.ok()) {
      return report_error(empty.error());
    }
    files.emplace(std::move(empty).value());
    options.store_directory = files->directory();
    service = open_service(global, options);
  }
  if (!service.ok()) {
    return report_error(service.error());
  }
  return run(global, command, *service.value());
}

}  // namespace evq
