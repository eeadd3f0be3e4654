// The queries of the prompt and their answers: on the screen, again and again, or in a file.

#include <utility>

#include <unistd.h>

#include "cli/answer_output.h"
#include "cli/interrupt.h"
#include "cli/missed_events.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/repl.h"
#include "cli/tail.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/text_width.h"
#include "cli/watched_query.h"
#include "cli/whole_events.h"

namespace evq {
namespace {

// What a saved query says of itself counts before what the prompt says of every query.
QueryRequest with_saved(QueryRequest request, const QueryRequest& saved) {
  request.variables = saved.variables;
  request.start_time = saved.start_time.has_value() ? saved.start_time : request.start_time;
  request.end_time = saved.end_time.has_value() ? saved.end_time : request.end_time;
  return request;
}

}  // namespace

QueryRequest Repl::request_of(const std::string& apl) const {
  QueryRequest request;
  request.apl = apl;
  if (!settings_.since.empty()) {
    request.start_time = since_time(settings_.since, settings_.zone);
  }
  if (!settings_.until.empty()) {
    request.end_time = bound_time(settings_.until, settings_.zone);
  }
  if (settings_.rows_max != 0) {
    request.default_limit = settings_.rows_max;
  }
  // Events that all have the same time come as they stand in the files.
  request.ascending = files_.has_value() && files_->untimed();
  return request;
}

Status Repl::run_query(const QueryRequest& request, QueryControl& control, ResultSink& sink) {
  if (!interactive_ || global_.quiet) {
    return target_->query(request, sink);
  }
  return WatchedQuery(global_).run(control, [&] { return target_->query(request, sink); });
}

QueryRequest Repl::last_request() const {
  QueryRequest request = request_of(last_query_);
  return saved_query_.has_value() ? with_saved(std::move(request), *saved_query_) : request;
}

bool Repl::find_store() {
  if (no_store_.has_value()) {
    if (const Status opened = open(); !opened.ok()) {
      fail(opened.error(), "");
      return false;
    }
  }
  return true;
}

Status Repl::answer(const QueryRequest& request, QueryControl& control) {
  HeldAnswer answer;
  EVQ_TRY(run_query(request, control, answer));
  last_answer_ = std::move(answer);
  answered_query_ = request.apl;
  return Status::success();
}

std::vector<std::string> Repl::remarks_on(const QueryRequest& request) {
  const QueryStatus& status = last_answer_->status();
  std::vector<std::string> remarks = answer_remarks(last_answer_->header(), status, ".limit all");
  if (std::string note = missed_events_note(*target_, request, last_answer_->header(), status);
      !note.empty()) {
    remarks.insert(remarks.begin(), std::move(note));
  }
  return remarks;
}

std::string Repl::footer(bool color) const {
  std::string line;
  if (settings_.footer && !global_.quiet) {
    append_styled(line, answer_footer(last_answer_->status(), use_unicode(environment_)),
                  TextStyle::kDim, color);
    line += "\n";
  }
  return line;
}

void Repl::ask(const std::string& apl) {
  last_query_ = apl;
  saved_query_.reset();
  ask(last_request());
}

void Repl::ask_saved(QueryRequest saved) {
  last_query_ = saved.apl;
  saved_query_.emplace(std::move(saved));
  ask(last_request());
}

void Repl::ask(QueryRequest request) {
  if (!find_store()) {
    return;
  }
  if (const std::string note = wrong_range_note(request); !note.empty()) {
    print_note(global_, note);
  }
  InterruptScope interrupt(Interrupted::kInput,
                           static_cast<std::int64_t>(settings_.timeout_s * 1000));
  request.control = &interrupt.control();
  Status done = answer(request, interrupt.control());
  if (done.ok()) {
    done = show(*last_answer_, settings_.form);
  }
  if (!done.ok()) {
    fail(done.error(), request.apl);
    return;
  }
  for (const std::string& remark : remarks_on(request)) {
    print_note(global_, remark);
  }
  write_quietly(STDERR_FILENO,
                footer(use_color(global_.color, environment_, is_terminal(STDERR_FILENO))));
}

Result<std::string> Repl::describe(const std::string& apl,
                                   Result<std::string> (QueryTarget::*how)(const QueryRequest&)) {
  InterruptScope interrupt(Interrupted::kInput,
                           static_cast<std::int64_t>(settings_.timeout_s * 1000));
  QueryRequest request = request_of(apl);
  request.control = &interrupt.control();
  return ((*target_).*how)(request);
}

Result<std::string> Repl::explain(const std::string& apl) {
  return describe(apl, &QueryTarget::explain);
}

Result<std::string> Repl::profile(const std::string& apl) {
  return describe(apl, &QueryTarget::profile);
}

Status Repl::follow(const TailCommand& command) {
  std::string apl;
  GlobalOptions options = global_;
  options.zone = settings_.zone;
  Status done = tail_events(options, command, *target_, &apl);
  if (!done.ok() && done.error().code == ErrorCode::kCancelled) {
    if (interactive_) {
      device_->write("\n");  // behind the ^C
    }
    return Status::success();
  }
  if (!done.ok()) {
    fail(done.error(), apl);
  }
  return Status::success();
}

std::string Repl::pager() const {
  return settings_.pager ? pager_here(global_) : std::string();
}

TableOutputOptions Repl::output_options(const std::string& form) const {
  TableOutputOptions options;
  options.form = form;
  options.null_text = settings_.null_text;
  options.zone = settings_.zone;
  options.arrival_time = names_arrival_time(answered_query_);
  options.whole_events = shows_whole_events(answered_query_);
  options.control = &interrupt_control();
  return options;
}

Status Repl::lay_out(const HeldAnswer& answer, const TableOutputOptions& options, ByteSink out) {
  const std::unique_ptr<ResultSink> whole = make_answer_output(options, std::move(out));
  // When a file was read is no news of its events.
  const bool narrow = files_.has_value() && !options.arrival_time && !is_api_form(options.form);
  return answer.replay(narrow ? *without_arrival_time(*whole) : *whole);
}

std::string Repl::form_in_file(const std::string& path, const std::string& form) const {
  const bool free = !settings_.form_chosen && form == settings_.form;
  return std::string(free ? answer_form_of_file(path).value_or(form) : form);
}

Status Repl::send_answers_to(const std::string& path) {
  EVQ_TRY_ASSIGN(AnswerFile file, AnswerFile::open(path, interrupt_control()));
  Status closed = show_answers();
  answer_file_.emplace(std::move(file));
  return closed;
}

Status Repl::send_next_answer_to(const std::string& path) {
  EVQ_TRY(check_output_path(path));
  next_file_ = path;
  return Status::success();
}

Status Repl::show_answers() {
  next_file_.clear();
  if (!answer_file_.has_value()) {
    return Status::success();
  }
  AnswerFile file = std::move(*answer_file_);
  answer_file_.reset();
  return file.close();
}

Status Repl::write_in_file(const HeldAnswer& answer, const std::string& form) {
  const bool alone = !next_file_.empty();
  const std::string path = alone ? std::exchange(next_file_, {}) : answer_file_->path();
  const TableOutputOptions options = output_options(form_in_file(path, form));
  EVQ_TRY(alone ? Status::success() : check_joinable(options.form, path));
  const auto produce = [&](const ByteSink& out) -> Status {
    bool broken = true;  // the line
    EVQ_TRY(lay_out(answer, options, [&](std::string_view bytes) {
      broken = bytes.empty() ? broken : bytes.ends_with('\n');
      return out(bytes);
    }));
    return alone || broken ? Status::success() : out("\n");
  };
  EVQ_TRY(alone ? write_output_file(path, interrupt_control(), produce)
                : answer_file_->add(produce, interrupt_control()));
  tell("wrote " + counted_text(answer.status().rows, "row") + " to " + visible_text(path));
  return Status::success();
}

Status Repl::show(const HeldAnswer& answer, const std::string& form) {
  if (answers_go_to_file()) {
    return write_in_file(answer, form);
  }
  TableOutputOptions options = output_options(form);
  fit_to_standard_output(&options, global_.color);
  PagedOutput paged(STDOUT_FILENO, device_->size(), pager(), is_interrupted);
  if (use_color(global_.color, environment_, false)) {
    paged.force_color();
  }
  WatchedQuery watched(global_, "laying out");
  const auto work = [&] { return lay_out(answer, options, watched.output(paged_sink(paged))); };
  const bool watching = interactive_ && !global_.quiet;
  Status shown = finish_paged(paged, watching ? watched.run(QueryControl(), work) : work());
  if (!shown.ok() && shown.error().code == ErrorCode::kCancelled && !is_interrupted()) {
    return Status::success();  // the pager was left early
  }
  return shown;
}

void Repl::print(std::string_view text) {
  PagedOutput paged(STDOUT_FILENO, device_->size(), pager(), is_interrupted);
  paged.write(text);
  paged.finish();
}

void Repl::tell(const std::string& line) {
  if (is_terminal(STDOUT_FILENO)) {
    print(line + "\n");
  } else if (!global_.quiet) {
    write_quietly(STDERR_FILENO, line + "\n");
  }
}

}  // namespace evq
