#include "cli/repl.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/repl_commands.h"
#include "cli/repl_inputs.h"
#include "cli/shell_word.h"
#include "cli/terminal/external_editor.h"
#include "cli/terminal/line_editor.h"
#include "cli/terminal/text_width.h"
#include "store/base/ascii.h"
#include "store/base/file.h"
#include "store/base/heap.h"

namespace evq {
namespace {

constexpr std::size_t kGreetedDatasetsMax = 8;

}  // namespace

Repl::Repl(const GlobalOptions& global, const ReplCommand& command)
    : global_(global),
      command_(command),
      environment_(process_environment()),
      device_(make_terminal_device(STDIN_FILENO, STDOUT_FILENO, environment_)) {
  remote_ = global.remote();
  interactive_ = is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO);
  settings_.form = command.output;
  settings_.form_chosen = !command.output.empty() || !global.settings.value("output").empty();
  settings_.since = command.since;
  settings_.footer = interactive_;
  settings_.pager = interactive_ && !command.no_pager;
}

Status Repl::open() {
  EVQ_TRY_ASSIGN(settings_.form, choose_answer_form(global_, settings_.form));
  if (!command_.event_files.empty()) {
    return open_files();
  }
  if (!remote_) {
    return open_store();
  }
  EVQ_TRY_ASSIGN(auto target, open_query_target(global_));
  set_target(std::move(target));
  return Status::success();
}

Result<EventFiles> Repl::load_files() const {
  const InterruptScope interrupt(Interrupted::kCommand);
  return EventFiles::load(global_, command_.event_files, command_.reading, "evq query --file -");
}

Status Repl::open_files() {
  if (std::ranges::find(command_.event_files, "-") != command_.event_files.end()) {
    return make_error(ErrorCode::kUsage, "standard input is the prompt's own",
                      "name the files, or ask one query: evq query --file -");
  }
  EVQ_TRY_ASSIGN(EventFiles files, load_files());
  EVQ_TRY_ASSIGN(auto target, open_store_target(global_, files.directory()));
  set_target(std::move(target));
  for (const std::string& note : files.time_notes()) {
    print_note(global_, note);
  }
  if (files.broken().has_value()) {
    fail(*files.broken(), "");
  }
  remote_ = false;
  answered_query_ = files.all_events();  // what a text that begins with a bar is about
  files_.emplace(std::move(files));
  return Status::success();
}

void Repl::set_target(std::unique_ptr<QueryTarget> target) {
  last_answer_.reset();  // its rows count in the memory of the target that gave them
  target_ = std::move(target);
}

Status Repl::open_store() {
  auto target = open_store_target(global_, global_.store);
  const bool missing = !target.ok() && target.error().code == ErrorCode::kNotFound;
  if (missing && no_store_.has_value()) {
    return Status::success();
  }
  std::optional<EventFiles> stand_in;
  if (missing) {
    // `print` and .help need no store; before each query it is looked for again.
    EVQ_TRY_ASSIGN(EventFiles empty, EventFiles::none());
    stand_in.emplace(std::move(empty));
    target = open_store_target(global_, stand_in->directory());
  }
  if (!target.ok()) {
    return target.error();
  }
  set_target(std::move(target).value());
  no_store_.reset();
  if (stand_in.has_value()) {
    no_store_.emplace(*std::move(stand_in));
  }
  return Status::success();
}

Status Repl::use_store(const std::string& directory) {
  EVQ_TRY_ASSIGN(auto target, open_store_target(global_, directory));
  set_target(std::move(target));
  no_store_.reset();
  files_.reset();
  global_.store = directory;
  remote_ = false;
  answered_query_.clear();  // its datasets are the other store's
  return Status::success();
}

std::string Repl::source() const {
  if (remote_) {
    return global_.settings.value("server");
  }
  if (!files_.has_value()) {
    return global_.store;
  }
  std::string files;
  for (const std::string& file : command_.event_files) {
    files += (files.empty() ? "" : ", ") + file;
  }
  return files;
}

std::string Repl::place() const {
  const bool one = command_.event_files.size() == 1;
  return (remote_               ? "the server is "
          : !files_.has_value() ? "the store is "
          : one                 ? "the file is "
                                : "the files are ") +
         source();
}

int Repl::run() {
  if (const Status opened = open(); !opened.ok()) {
    return report_error(opened.error());
  }
  if (interactive_) {
    const std::string folder = state_directory(environment_);
    Status loaded = make_private_directory(folder);
    if (loaded.ok()) {
      loaded = history_.load(folder + "/history");
    }
    history_told_ = !loaded.ok();
    if (history_told_) {
      print_note(global_, "note: no history: " + loaded.error().message);
    }
    greet();
  }
  if (interactive_ || !take_whole_file()) {
    read_inputs();
  }
  if (const Status closed = show_answers(); !closed.ok()) {
    fail(closed.error(), "");
  }
  return interactive_ ? 0 : status_;
}

void Repl::greet() {
  if (global_.quiet) {
    return;
  }
  const bool color = use_color(global_.color, environment_, true);
  std::string text;
  append_styled(text, std::string("evq ") + EVQ_VERSION, TextStyle::kBold, color);
  std::string about = "  " + source();
  const InterruptScope interrupt(Interrupted::kInput);
  const auto found = target_->dataset_names();
  const std::vector<std::string> datasets = found.ok() ? found.value() : std::vector<std::string>();
  for (std::size_t i = 0; i < std::min(datasets.size(), kGreetedDatasetsMax); ++i) {
    about += (i == 0 ? ": " : ", ") + datasets[i];
  }
  about += datasets.size() > kGreetedDatasetsMax ? ", …" : "";
  const std::size_t used = text_width("evq ") + text_width(EVQ_VERSION);
  const std::size_t room = device_->size().columns - std::min(device_->size().columns, used);
  append_styled(text, truncate_to_width(visible_text(about), room), TextStyle::kDim, color);
  text += "\n";
  if (found.ok() && datasets.empty() && !files_.has_value()) {
    const std::string evq = visible_text(evq_command(global_));
    text += "No events yet. In another terminal:\n  " + evq +
            " ingest logs app.ndjson     NDJSON, JSON, CSV or log lines; or from a pipe\n  " + evq +
            " demo                       or made-up requests to try things on\n"
            "and then here:\n"
            "  logs | summarize count() by bin(_time, 1h)\n";
  }
  const std::string_view tab = device_->is_interactive() ? "Tab completes; " : "";
  append_styled(text, std::string(tab) + ".help explains; Ctrl-D leaves.", TextStyle::kDim, color);
  write_quietly(STDOUT_FILENO, text + "\n");
  if (!found.ok()) {
    report_error(found.error());
  }
}

std::string Repl::prompt() const {
  std::string text = "evq";
  if (remote_) {
    const std::string server = global_.settings.value("server");
    const std::size_t host = server.find("://");
    text += " " + (host == std::string::npos ? server : server.substr(host + 3));
  }
  if (!settings_.since.empty()) {
    text += " " + settings_.since;
  }
  if (!settings_.until.empty()) {
    text += " ..." + settings_.until;
  }
  if (settings_.form != "auto" && settings_.form != "ndjson") {
    text += " " + settings_.form;
  }
  return visible_text(text) + "> ";
}

bool Repl::take_whole_file() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size > static_cast<off_t>(kQueryTextBytesMax)) {
    return false;
  }
  Result<std::string> text = read_query_input();
  if (!text.ok()) {
    fail(text.error(), "");
    return true;
  }
  text->erase(text->find_last_not_of('\n') + 1);
  static_cast<void>(take(*text, {}).ok());  // nothing loads it
  return true;
}

void Repl::read_inputs() {
  EditorCallbacks callbacks;
  callbacks.highlight = [this](std::string_view text) { return highlight(text); };
  callbacks.complete = [this](std::string_view text, std::size_t cursor) {
    return complete(text, cursor);
  };
  callbacks.hint = [this](std::string_view text) -> std::string {
    const auto found =
        is_blank(text) ? std::nullopt : history_.find_starting(text, history_.size());
    return found.has_value() ? history_.entry(*found).substr(text.size()) : "";
  };
  callbacks.remark = [this](std::string_view text, std::size_t cursor) {
    return remark(text, cursor);
  };
  callbacks.is_complete = [this](std::string_view text, std::size_t known) {
    return is_complete(text, known);
  };
  callbacks.continues = continues_input;
  callbacks.is_aside = is_aside;
  callbacks.edit = [this](const std::string& text) {
    return edit_in_external_editor(text, "query.apl", environment_);
  };
  LineEditorOptions options;
  options.color = use_color(global_.color, environment_, interactive_);
  options.continuation = "...> ";
  LineEditor editor(*device_, history_, std::move(callbacks), std::move(options));
  std::size_t line = 1;  // of standard input, where nobody types
  while (!ended_) {
    editor.set_prompt(prompt());
    const Result<EditorInput> input = editor.read();
    if (!input.ok()) {
      fail(input.error(), "");
      return;
    }
    if (input->event == InputEvent::kEnd) {
      return;
    }
    if (input->event == InputEvent::kText && !is_blank(input->text)) {
      remember(input->text);
      static_cast<void>(take(input->text, {}, line).ok());  // nothing loads it
    }
    line += interactive_ ? 0 : 1 + static_cast<std::size_t>(std::ranges::count(input->text, '\n'));
  }
}

void Repl::remember(std::string text) {
  if (!interactive_) {
    return;
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
    text.pop_back();
  }
  const Status kept = history_.add(text);
  if (!kept.ok() && !std::exchange(history_told_, true)) {
    print_note(global_, "note: not kept in the history: " + kept.error().message);
  }
}

int run_repl(const GlobalOptions& global, const ReplCommand& command) {
  set_up_heap(HeapUse::kQueries);
  Repl repl(global, command);
  repl.settings().zone = global.zone;
  return repl.run();
}

}  // namespace evq
