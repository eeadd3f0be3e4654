// The newest events of a dataset, then those that arrive, as they arrive.
//
// Following goes by order of arrival and not by time, so that events with old times show too. Each
// round asks for the arrivals between where the last round ended and where the dataset ends now,
// which gives every event exactly once; a dataset that takes the place of one that was deleted is
// shown from its start. A server that cannot tell where its arrivals end is
// followed by cursor instead: by time.

#include "cli/tail.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "apl/service/row_wise.h"
#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/event_lines.h"
#include "cli/held_answer.h"
#include "cli/interrupt.h"
#include "cli/missed_events.h"
#include "cli/observed_sink.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/query_target.h"
#include "cli/row_output.h"
#include "cli/shell_word.h"
#include "cli/whole_events.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/time.h"
#include "store/block/format.h"

namespace evq {
namespace {

constexpr RowWiseForm kFollowed{.expanding = true, .subqueries = true};

// Nobody reads standard output any more.
bool reader_has_gone() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

// For people unless a form was asked for or nobody looks.
bool is_for_people(const TailCommand& command) {
  return command.output.empty() && ::isatty(STDOUT_FILENO) != 0;
}

// A field that the header of CSV lacks: with the option that names all columns.
std::string left_out_note(const std::string& field, const Schema& columns) {
  constexpr std::size_t kNamedMax = 8;
  std::string names;
  for (const Field& column : columns.fields()) {
    names += column.name == kSysTimeField ? "" : column.name + ",";
  }
  return "note: the field " + field + " came after the header and is not shown; --fields " +
         (columns.size() > kNamedMax ? "" : shell_word(names + field) + " ") + "names the columns";
}

// `rows` becomes the output when it is one for programs.
std::unique_ptr<ResultSink> make_output(const GlobalOptions& global, const TailCommand& command,
                                        const std::string& apl, RowOutput** rows) {
  if (!is_for_people(command)) {
    const auto format = find_result_format(command.output);
    auto output =
        std::make_unique<RowOutput>(format.value_or(ResultFormat::kNdjson), plain_sink(),
                                    [&global](const std::string& field, const Schema& columns) {
                                      print_note(global, left_out_note(field, columns));
                                    });
    *rows = output.get();
    return output;
  }
  TableOutputOptions options;
  options.zone = global.zone;
  options.whole_events = shows_whole_events(apl);
  fit_to_standard_output(&options, global.color);
  return make_event_lines(options, stdout_sink());
}

class Tail {
 public:
  Tail(const GlobalOptions& global, const TailCommand& command, QueryTarget& target)
      : global_(global), command_(command), target_(target) {}

  Status prepare() {
    if (const std::size_t bar = command_.dataset.find('|'); bar != std::string::npos) {
      const std::string_view text = command_.dataset;
      return make_error(ErrorCode::kUsage, "tail takes the dataset and what follows it apart",
                        "write evq tail " + std::string(trimmed(text.substr(0, bar))) + " '" +
                            std::string(trimmed(text.substr(bar + 1))) + "'");
    }
    request_.apl = syntax::bracket_name(command_.dataset);
    std::string pipeline = command_.pipeline;
    pipeline.erase(0, std::min(pipeline.size(), pipeline.find_first_not_of(" \t\n|")));
    if (!pipeline.empty()) {
      request_.apl += " | " + pipeline;
    }
    fields_begin_ = request_.apl.size();
    for (const std::string& field : command_.fields) {
      request_.apl +=
          (&field == command_.fields.data() ? " | project " : ", ") + syntax::bracket_name(field);
    }
    EVQ_TRY_ASSIGN(const auto dataset, row_wise_dataset(request_.apl, kFollowed));
    if (!dataset.has_value()) {
      Error error =
          make_error(ErrorCode::kUsage, "tail takes operators that look at each event alone",
                     "such as where, search, extend, project and parse");
      EVQ_TRY_ASSIGN(error.span, other_operator(request_.apl, kFollowed));
      return error;
    }
    request_.control = &interrupt_control();
    output_.emplace(make_output(global_, command_, request_.apl, &rows_));
    if (is_for_people(command_) && !names_arrival_time(request_.apl)) {
      narrowed_ = without_arrival_time(*output_);
    }
    return Status::success();
  }

  Status run() {
    EVQ_TRY_ASSIGN(const auto end, target_.arrival_end(command_.dataset));
    EVQ_TRY(show_last(end));
    if (!command_.follow) {
      return rows_ != nullptr ? rows_->finish() : Status::success();
    }
    seen_ = end.value_or(ArrivalEnd{});
    bool told = false;
    while (true) {
      EVQ_TRY(wait());
      Status round = end.has_value() ? show_new() : show_after_cursor();
      // A server that went away may come back; what was shown stays shown once.
      if (!round.ok() && round.error().code == ErrorCode::kServer) {
        if (!told) {
          print_note(global_, "note: " + round.error().message + "; trying again");
        }
        told = true;
        continue;
      }
      EVQ_TRY(std::move(round));
      told = false;
    }
  }

  // Without the fields of --fields: what the user wrote as a pipeline.
  std::string apl() const { return request_.apl.substr(0, fields_begin_); }
  // An error in those points nowhere, and names the option.
  Error about_fields(Error error) const {
    if (error.span.has_value() && error.span->begin >= fields_begin_) {
      error.span.reset();
      error.message.insert(0, "--fields: ");
    }
    return error;
  }

 private:
  Status show_last(std::optional<ArrivalEnd> end) {
    QueryRequest last = request_;
    if (end.has_value()) {
      last.arrivals.before = end->end;
    } else {
      last.api_form = true;
    }
    if (!command_.since.empty()) {
      last.start_time = since_time(command_.since, global_.zone);
    }
    last.limit = std::max<std::uint64_t>(command_.lines, 1);
    HeldAnswer rows;
    EVQ_TRY(target_.query(last, rows));
    if (const std::string note = missed_events_note(target_, last, rows.header(), rows.status());
        !note.empty()) {
      print_note(global_, note);
    }
    cursor_ = rows.status().max_cursor;
    if (!end.has_value() && cursor_.empty()) {
      request_.start_time = instant_text(wall_clock_now_ns());
    }
    return command_.lines == 0 ? Status::success() : rows.hand_on_reversed(sink());
  }

  Status show_new() {
    EVQ_TRY_ASSIGN(const auto now, target_.arrival_end(command_.dataset));
    if (!now.has_value()) {
      return tell_if_deleted();
    }
    // A server that tells no numbers gives away a new dataset by its fewer arrivals alone.
    if (now->dataset != seen_.dataset || now->end < seen_.end) {
      print_note(global_, "note: " + command_.dataset + " was made anew");
      seen_ = {0, now->dataset};
    }
    deleted_ = false;
    return show_arrivals(now->end);
  }

  // Looks once whether there is no such dataset any more: a server may have had another reason.
  Status tell_if_deleted() {
    if (deleted_) {
      return Status::success();
    }
    EVQ_TRY_ASSIGN(const std::vector<std::string> names, target_.dataset_names());
    deleted_ = std::ranges::find(names, command_.dataset) == names.end();
    if (deleted_) {
      print_note(global_, "note: " + command_.dataset + " was deleted; waiting for a new one");
    }
    return Status::success();
  }

  Status show_arrivals(std::uint64_t end) {
    while (seen_.end < end) {
      QueryRequest round = request_;
      round.ascending = true;
      round.arrivals.from = seen_.end;
      round.arrivals.before = std::min(end, seen_.end + target_.part_events_max());
      EVQ_TRY(target_.query(round, sink()));
      seen_.end = round.arrivals.before;
    }
    return Status::success();
  }

  Status show_after_cursor() {
    QueryRequest round = request_;
    round.ascending = true;
    round.api_form = true;
    round.cursor = cursor_;
    EVQ_TRY(target_.query(round, sink()));
    const std::string& last = output_->status().max_cursor;
    cursor_ = last.empty() ? cursor_ : last;
    return Status::success();
  }

  Status wait() const {
    constexpr std::int64_t kStepMs = 20;
    const std::int64_t until = monotonic_now_ns() + command_.interval_ms * kMillisecondNs;
    do {
      EVQ_TRY(interrupt_control().check());
      if (reader_has_gone()) {
        return make_error(ErrorCode::kCancelled, "the reader of the output has gone");
      }
      pause_ms(kStepMs);
    } while (monotonic_now_ns() < until);
    return Status::success();
  }

  ResultSink& sink() { return narrowed_ != nullptr ? *narrowed_ : *output_; }

  const GlobalOptions& global_;
  const TailCommand& command_;
  QueryTarget& target_;
  RowOutput* rows_ = nullptr;  // in `output_`
  std::optional<ObservedSink> output_;
  std::unique_ptr<ResultSink> narrowed_;  // in front of it
  QueryRequest request_;
  std::size_t fields_begin_ = 0;  // in its query
  std::string cursor_;
  ArrivalEnd seen_;       // up to where events were shown
  bool deleted_ = false;  // and not made anew yet
};

}  // namespace

Status tail_events(const GlobalOptions& global, const TailCommand& command, QueryTarget& target,
                   std::string* apl) {
  Tail tail(global, command, target);
  Status done = tail.prepare();
  if (done.ok()) {
    done = tail.run();
  }
  *apl = tail.apl();
  return done.ok() ? std::move(done) : Status(tail.about_fields(std::move(done).take_error()));
}

int run_tail(const GlobalOptions& global, const TailCommand& command) {
  auto target = open_query_target(global);
  if (!target.ok()) {
    return report_no_target(target.error());
  }
  std::string apl;
  const Status done = tail_events(global, command, *target.value(), &apl);
  return report_end(done, apl, global.color);
}

}  // namespace evq
