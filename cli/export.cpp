// evq export: a dataset, or the answer of a query, as one file or stream that other tools read.
//
// Queries that look at each event alone are answered a range of arrivals at a time: each part is
// complete before it is written, so memory holds one part, and no snapshot stays pinned while the
// output is slow. The end of the arrivals is read once, at the start, so that an export ends
// however much arrives meanwhile. Other queries (summarize, sort, join) are answered whole.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include <unistd.h>

#include "apl/service/row_wise.h"
#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/joined_parts.h"
#include "cli/open_service.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/query_target.h"
#include "cli/terminal/number_text.h"
#include "cli/watched_query.h"
#include "store/base/file.h"

namespace evq {
namespace {

// Parts that do not fit the memory limit are halved down to this.
constexpr std::uint64_t kPartEventsMin = 1024;

// The output file under another name until it is complete.
class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path) {
    OutputFile made;
    made.path_ = path;
    made.partial_ = path + ".partial";
    EVQ_TRY_ASSIGN(made.file_, File::create_output(made.partial_));
    return made;
  }
  Status write(std::string_view bytes) { return file_.write_all(bytes); }
  Status finish() {
    EVQ_TRY(file_.sync());
    EVQ_TRY(file_.close());
    if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
      return make_error(ErrorCode::kIo, "cannot rename " + partial_ + " to " + path_);
    }
    return Status::success();
  }
  void discard() { (void)remove_file(partial_).ok(); }

 private:
  File file_;
  std::string path_;
  std::string partial_;
};

Result<ResultFormat> form_of(const ExportCommand& command) {
  if (const auto format = find_result_format(command.form); format.has_value()) {
    return *format;
  }
  const std::size_t dot = command.file.rfind('.');
  const std::string extension = dot == std::string::npos ? "" : command.file.substr(dot + 1);
  const auto format = find_result_format(extension == "jsonl" ? "ndjson" : extension);
  if (extension == "gz" || extension == "zst") {
    return make_error(ErrorCode::kUsage, "export does not compress",
                      std::string("without --output, a pipe does: evq export … -o csv | ") +
                          (extension == "gz" ? "gzip" : "zstd") + " > " + command.file);
  }
  if (!command.file.empty() && !format.has_value()) {
    return make_error(ErrorCode::kUsage, "which form has " + command.file + "?",
                      "give -o ndjson, csv, tsv or parquet");
  }
  return format.value_or(ResultFormat::kNdjson);
}

class Export {
 public:
  Export(const GlobalOptions& global, const ExportCommand& command, QueryTarget& target)
      : command_(command), target_(target), watched_(global) {}

  Status run(std::uint64_t* rows) {
    EVQ_TRY_ASSIGN(const ResultFormat format, form_of(command_));
    if (format == ResultFormat::kParquet && command_.file.empty() && is_terminal(STDOUT_FILENO)) {
      return make_error(ErrorCode::kUsage, "a terminal cannot show Parquet",
                        "write it to a file: --output events.parquet");
    }
    ByteSink out = watched_.output(plain_sink());
    std::optional<OutputFile> file;
    if (!command_.file.empty()) {
      EVQ_TRY_ASSIGN(OutputFile created, OutputFile::create(command_.file));
      file.emplace(std::move(created));
      out = [&file](std::string_view bytes) { return file->write(bytes); };
    }
    const std::unique_ptr<ResultSink> writer =
        format == ResultFormat::kNdjson
            ? make_event_writer(std::move(out))
            : make_result_writer(format, std::move(out), !command_.no_header);
    const std::unique_ptr<ResultSink> narrowed =
        names_arrival_time(command_.what) ? nullptr : without_arrival_time(*writer);
    JoinedParts parts(narrowed != nullptr ? *narrowed : *writer, format == ResultFormat::kParquet);
    Status done = watched_.run(interrupt_control(), [&] { return answer(parts); });
    if (done.ok()) {
      done = parts.finish();
    }
    *rows = parts.rows();
    if (file.has_value() && done.ok()) {
      done = file->finish();
    }
    if (file.has_value() && !done.ok()) {
      file->discard();
    }
    return done;
  }

  const std::string& apl() const { return request_.apl; }

 private:
  Status answer(JoinedParts& parts) {
    EVQ_TRY_ASSIGN(const std::optional<std::string> dataset, make_request());
    std::optional<std::uint64_t> end;
    if (dataset.has_value()) {
      EVQ_TRY_ASSIGN(end, target_.arrival_end(*dataset));
    }
    if (!end.has_value()) {
      return target_.query(request_, parts);
    }
    request_.ascending = true;
    std::uint64_t step = target_.part_events_max();
    std::uint64_t from = 0;
    do {
      request_.arrivals.from = from;
      request_.arrivals.before = std::min(*end, from + step);
      Status part = target_.query(request_, parts);
      if (!part.ok() && part.error().code == ErrorCode::kLimit && step > kPartEventsMin) {
        step /= 2;
        continue;
      }
      EVQ_TRY(std::move(part));
      from = request_.arrivals.before;
    } while (from < *end);
    return Status::success();
  }

  // The dataset when the query can be answered in parts.
  Result<std::optional<std::string>> make_request() {
    request_.apl = command_.what;
    const bool name = command_.what.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
                      std::string::npos;
    if (name) {
      request_.apl = syntax::bracket_name(command_.what);
    }
    request_.keeps_rows = false;
    request_.control = &interrupt_control();
    request_.now_ns = wall_clock_now_ns();  // one now for all parts
    set_times(command_, &request_);
    return row_wise_dataset(request_.apl,
                            {.expanding = true, .subqueries = target_.caps_answers()});
  }

  const ExportCommand& command_;
  QueryTarget& target_;
  WatchedQuery watched_;
  QueryRequest request_;
};

}  // namespace

int run_export(const GlobalOptions& global, const ExportCommand& command) {
  auto target = open_query_target(global);
  if (!target.ok()) {
    return report_error(target.error());
  }
  Export work(global, command, *target.value());
  std::uint64_t rows = 0;
  const Status done = work.run(&rows);
  if (done.ok() && !command.file.empty()) {
    print_note(global, "exported " + counted_text(rows, "event") + " to " + command.file);
  }
  return report_end(done, work.apl(), global.color);
}

}  // namespace evq
