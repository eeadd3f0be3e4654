// evq export: a dataset, or the answer of a query, as one file or stream that other tools read.
//
// Queries that look at each event alone are answered a range of arrivals at a time: each part is
// complete before it is written, so memory holds one part, and no snapshot stays pinned while the
// output is slow. The end of the arrivals is read once, at the start, so that an export ends
// however much arrives meanwhile. Other queries (summarize, sort, join) are answered whole.

#include "cli/export.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <unistd.h>

#include "apl/service/row_wise.h"
#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/held_answer.h"
#include "cli/interrupt.h"
#include "cli/joined_parts.h"
#include "cli/missed_events.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/query_target.h"
#include "cli/terminal/number_text.h"
#include "cli/watched_query.h"
#include "store/base/ascii.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// After a part that does not fit the memory limit a quarter of its events is tried, down to one: an
// event may have more than a hundred mebibytes.
constexpr std::uint64_t kPartShrinkage = 4;
// A part that took less memory may be followed by one of twice as many events.
constexpr std::size_t kSmallPartBytes = kQueryMemoryBytesDefault / 4;

std::optional<ResultFormat> find_form(const std::string& name) {
  const std::vector<std::string> names = export_form_names();
  const bool known = std::ranges::find(names, name) != names.end();
  return known ? find_result_format(name) : std::nullopt;
}

// What -o asks for, else what the file's name says; nothing when neither does.
Result<std::optional<ResultFormat>> form_of(const ExportCommand& command) {
  if (const auto format = find_form(command.form); format.has_value()) {
    return format;
  }
  const std::size_t dot = command.file.rfind('.');
  const std::string extension =
      dot == std::string::npos ? "" : ascii_lower(command.file.substr(dot + 1));
  if (extension == "gz" || extension == "zst") {
    return make_error(ErrorCode::kUsage, "export does not compress",
                      std::string("without --output, a pipe does: evq export … -o csv | ") +
                          (extension == "gz" ? "gzip" : "zstd") + " > " + command.file);
  }
  if (find_form(command.file).has_value()) {
    return make_error(
        ErrorCode::kUsage, "--output names the file, not its form",
        "give -o " + command.file + "; or, for a file of that name, --output ./" + command.file);
  }
  return find_form(extension == "jsonl" ? "ndjson" : extension);
}

class Export {
 public:
  Export(const GlobalOptions& global, const ExportCommand& command, QueryTarget& target)
      : command_(command), zone_(global.zone), target_(target), watched_(global) {}

  Status run() {
    EVQ_TRY_ASSIGN(const std::optional<ResultFormat> told, form_of(command_));
    const ResultFormat format = told.value_or(ResultFormat::kNdjson);
    form_is_told_ = told.has_value();
    if (format == ResultFormat::kParquet && command_.file.empty() && is_terminal(STDOUT_FILENO)) {
      return make_error(ErrorCode::kUsage, "a terminal cannot show Parquet",
                        "write it to a file: --output events.parquet");
    }
    if (command_.file.empty()) {
      return write(format, watched_.output(wanted_sink(plain_sink())));
    }
    return write_output_file(command_.file, interrupt_control(),
                             [&](const ByteSink& out) { return write(format, out); });
  }

  const std::string& apl() const { return request_.apl; }
  // What is odd about the time range; empty: nothing.
  std::string note_on_times() const {
    const std::string misread = misread_bound_note(request_);
    const std::string wrong = wrong_range_note(request_);
    return !misread.empty() ? misread : !wrong.empty() ? wrong : missed_;
  }
  // What a person hears of the file.
  std::string note() const {
    return "exported " + counted_text(rows_, "event") + " to " + command_.file +
           (form_is_told_ ? "" : " as ndjson");
  }

 private:
  Status write(ResultFormat format, const ByteSink& out) {
    const std::unique_ptr<ResultSink> writer =
        format == ResultFormat::kNdjson
            ? make_event_writer(out)
            : make_result_writer(format, out, !command_.no_header, WholeReals::kPointed);
    const std::unique_ptr<ResultSink> narrowed =
        names_arrival_time(command_.what) ? nullptr : without_arrival_time(*writer);
    JoinedParts parts(narrowed != nullptr ? *narrowed : *writer, format == ResultFormat::kParquet);
    EVQ_TRY(watched_.run(interrupt_control(), [&] { return answer(parts); }));
    rows_ = parts.rows();
    missed_ = missed_events_note(target_, request_, parts.header(), parts.status());
    return parts.finish();
  }

  Status answer(JoinedParts& parts) {
    EVQ_TRY_ASSIGN(const std::optional<std::string> dataset, make_request());
    std::optional<ArrivalEnd> end;
    if (dataset.has_value()) {
      EVQ_TRY_ASSIGN(end, target_.arrival_end(*dataset));
    }
    if (!end.has_value()) {
      return target_.query(request_, parts);
    }
    request_.ascending = true;
    request_.keeps_rows = true;
    std::uint64_t step = target_.part_events_max();
    std::uint64_t from = 0;
    do {
      request_.arrivals.from = from;
      request_.arrivals.before = std::min(end->end, from + step);
      HeldAnswer part;  // a query that fails has given some of its rows
      Status done = target_.query(request_, part);
      if (!done.ok() && done.error().code == ErrorCode::kLimit && step > 1) {
        step = std::max<std::uint64_t>(step / kPartShrinkage, 1);
        continue;
      }
      EVQ_TRY(std::move(done));
      EVQ_TRY(part.replay(parts));
      from = request_.arrivals.before;
      const std::size_t taken = part.status().memory_peak_bytes;  // 0: a server does not tell
      if (taken > 0 && taken < kSmallPartBytes) {
        step = std::min(2 * step, target_.part_events_max());
      }
    } while (from < end->end);
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
    set_times(command_, zone_, &request_);
    return row_wise_dataset(request_.apl,
                            {.expanding = true, .subqueries = target_.caps_answers()});
  }

  const ExportCommand& command_;
  const DisplayZone zone_;
  QueryTarget& target_;
  WatchedQuery watched_;
  QueryRequest request_;
  std::uint64_t rows_ = 0;
  std::string missed_;  // the note that no event lies in the time range
  bool form_is_told_ = true;
};

}  // namespace

std::vector<std::string> export_form_names() {
  return {"ndjson", "json", "csv", "tsv", "logfmt", "parquet"};
}

int run_export(const GlobalOptions& global, const ExportCommand& command) {
  ExportCommand named = command;
  if (named.file == "-") {
    named.file.clear();  // standard output
  }
  auto target = open_query_target(global);
  if (!target.ok()) {
    return report_no_target(target.error());
  }
  Export work(global, named, *target.value());
  const Status done = work.run();
  if (const std::string note = work.note_on_times(); done.ok() && !note.empty()) {
    print_note(global, note);
  }
  if (done.ok() && !named.file.empty()) {
    print_note(global, work.note());
  }
  return report_end(done, work.apl(), global.color);
}

}  // namespace evq
