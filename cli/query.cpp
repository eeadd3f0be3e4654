// evq query: one APL query over the store or over files of events, in any output form.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apl/service/row_wise.h"
#include "apl/service/service.h"
#include "apl/syntax/diagnostics.h"
#include "apl/syntax/words.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/event_files.h"
#include "cli/interrupt.h"
#include "cli/joined_parts.h"
#include "cli/missed_events.h"
#include "cli/observed_sink.h"
#include "cli/open_service.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/query_target.h"
#include "cli/shell_word.h"
#include "cli/terminal/pager.h"
#include "cli/watched_query.h"
#include "cli/whole_events.h"
#include "store/base/ascii.h"
#include "store/base/control.h"
#include "store/base/file.h"
#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/column/dynamic.h"
#include "store/column/dynamic_json.h"

namespace evq {
namespace {

bool reads_query_from_input(const QueryCommand& command) {
  return command.apl_file == "-" || command.apl == "-";
}

Result<std::string> query_text(const QueryCommand& command) {
  if (reads_query_from_input(command)) {
    return read_query_input();
  }
  if (!command.apl_file.empty()) {
    return read_query_file(command.apl_file);
  }
  if (command.apl_given) {
    return command.apl;
  }
  if (!command.event_files.empty() && ::isatty(STDIN_FILENO) != 0) {
    return std::string();  // all there is
  }
  if (::isatty(STDIN_FILENO) != 0) {
    return make_error(ErrorCode::kUsage, "no query given",
                      "write it as an argument, with -f FILE, or on standard input");
  }
  return read_query_input();
}

// The query where it is an argument.
std::optional<std::string_view> query_argument(const QueryCommand& command) {
  const bool is_argument = command.apl_given && command.apl != "-" && command.apl_file.empty();
  return is_argument ? std::optional<std::string_view>(command.apl) : std::nullopt;
}

TableOutputOptions output_options(const GlobalOptions& global, const QueryCommand& command,
                                  const QueryRequest& request, const std::string& form) {
  TableOutputOptions options;
  options.form = form;
  if (request.memory_limit_bytes != 0) {
    options.rows_bytes_max = request.memory_limit_bytes;
  }
  options.null_text = command.null_text;
  options.header = !command.no_header;
  options.zone = global.zone;
  options.control = request.control;
  fit_to_standard_output(&options, global.color);
  return options;
}

bool is_for_people(std::string_view form) {
  return form == "auto" || form == "table" || form == "chart";
}

void print_footer(const GlobalOptions& global, const QueryCommand& command, const std::string& form,
                  const ObservedSink& sink) {
  const QueryStatus& status = sink.status();
  for (const std::string& remark : answer_remarks(sink.header(), status, "--all")) {
    print_note(global, remark);
  }
  const bool person = ::isatty(STDERR_FILENO) != 0 && is_for_people(form);
  if (command.stats || person) {
    print_note(global, answer_footer(status, use_unicode(process_environment())));
  }
}

// A value of --variable: what JSON writes so, else a text. A number that would be written
// otherwise, such as 1.10 or 007, is a text as well, which a parameter of a type reads as one of
// that type.
Value variable_value(const std::string& text) {
  const std::optional<std::string> bytes = dynamic_from_json(text);
  if (!bytes.has_value()) {
    return Value::string(text);
  }
  const DynamicView view(*bytes);
  const bool exact = !view.is_number() || json_from_dynamic(view) == text;
  return exact ? value_from_dynamic(view) : Value::string(text);
}

Result<QueryVariables> make_variables(const std::vector<std::string>& given) {
  QueryVariables variables;
  for (const std::string& word : given) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      return make_error(ErrorCode::kUsage, "the variable '" + word + "' is not NAME=VALUE");
    }
    variables.insert_or_assign(word.substr(0, equals), variable_value(word.substr(equals + 1)));
  }
  return variables;
}

// Whether a name stands in a text, and not as a part of a longer one.
bool has_name(std::string_view text, std::string_view name) {
  const auto goes_on = [](std::string_view rest) {
    return !rest.empty() && (is_letter(rest[0]) || is_digit(rest[0]) || rest[0] == '_');
  };
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    if (!goes_on(text.substr(at + name.size())) && (at == 0 || !goes_on(text.substr(at - 1)))) {
      return true;
    }
  }
  return false;
}

// A mistyped name would leave a parameter of the query at its default, without a word.
std::string unread_variables_note(const QueryRequest& request) {
  std::string unread;
  for (const auto& [name, value] : request.variables) {
    if (!has_name(request.apl, name)) {
      unread += (unread.empty() ? "" : ", ") + name;
    }
  }
  return unread.empty() ? "" : "note: the query does not name what --variable gives: " + unread;
}

Result<QueryRequest> make_request(const QueryCommand& command, const std::string& form,
                                  const DisplayZone& zone) {
  QueryRequest request;
  EVQ_TRY_ASSIGN(request.apl, query_text(command));
  EVQ_TRY_ASSIGN(request.variables, make_variables(command.variables));
  set_times(command, zone, &request);
  request.limit = command.limit;
  if (!command.all && !command.limit.has_value()) {
    request.default_limit = kResultRowsDefault;
  }
  if (!command.cursor.empty()) {
    request.cursor = command.cursor;
    request.pages = true;
  }
  if (!command.memory_limit.empty()) {
    EVQ_TRY_ASSIGN(request.memory_limit_bytes, parse_size(command.memory_limit));
  }
  request.control = &interrupt_control();
  fit_request(form, &request);
  return request;
}

// Many rows of events go out page by page.
Status answer(QueryTarget& target, const QueryRequest& request, const std::string& form,
              ObservedSink& sink, const ByteSink& out, PagedOutput& paged) {
  const bool many = !request.default_limit.has_value() &&
                    request.limit.value_or(UINT64_MAX) > target.part_events_max();
  if (is_streamed_form(form) && many && !request.cursor.has_value()) {
    EVQ_TRY_ASSIGN(const auto dataset,
                   row_wise_dataset(request.apl, {.subqueries = target.caps_answers()}));
    if (dataset.has_value()) {
      return query_in_pages(target, *dataset, request, sink, [&] { return drain_paged(paged); });
    }
  }
  return query_in_form(target, request, form, sink, out);
}

// What a query can name other than the datasets of a store or a server.
struct Sources {
  std::vector<std::string> files;       // datasets of --file
  std::string all_events;               // of these, as a query
  std::vector<std::string> time_notes;  // of those files, for queries where times matter
  bool untimed = false;                 // no event of the files tells a time
  std::string missing_store;            // its place, when there is none
};

// Over files, no query asks for the events of all, and one that begins with a bar is about them.
std::string query_over(const Sources& sources, std::string apl) {
  if (sources.files.empty()) {
    return apl;
  }
  const std::string_view text = trimmed(apl);
  return text.empty()            ? sources.all_events
         : text.starts_with('|') ? sources.all_events + " " + apl
                                 : apl;
}

bool is_file(std::string_view name) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(name, unknown);
}

// The dataset that is not there, where a file has its name; else empty.
std::string file_named(std::string_view message) {
  const std::size_t begin = message.find('\'') + 1;
  const std::string name(message.substr(begin, message.rfind('\'') - begin));
  return is_file(name) ? name : "";
}

// Whether something stands on standard input that nobody has read: events, as some programs take
// them. What writes it may have begun only now.
bool input_is_left() {
  constexpr int kWaitMs = 200;
  struct stat about {};
  pollfd waiting{STDIN_FILENO, POLLIN, 0};
  int bytes = 0;
  return ::fstat(STDIN_FILENO, &about) == 0 && !S_ISCHR(about.st_mode) &&
         ::poll(&waiting, 1, kWaitMs) > 0 && ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 &&
         bytes > 0;
}

// For a query that begins with no dataset, in one line.
std::string hint_at_input(std::string_view apl) {
  std::string query(trimmed(apl));
  query = query.find('\n') != std::string::npos ? "| …" : query;
  query.insert(0, query.starts_with('|') ? "" : "| ");
  return "events on standard input are queried with evq query --file - " + shell_word(query);
}

Error with_sources(Error error, const Sources& sources, std::string_view apl) {
  constexpr std::string_view kAnyDataset = "['logs']";
  const std::size_t example = error.hint.find(kAnyDataset);
  if (!sources.files.empty() && example != std::string::npos) {
    error.hint.replace(example, kAnyDataset.size(), syntax::quote_name(sources.files[0]));
  }
  if (sources.files.empty() && is_file(trimmed(apl))) {
    error.hint = "a file is queried with evq query --file " + shell_word(std::string(trimmed(apl)));
    return error;
  }
  if (sources.files.empty() && error.hint.starts_with("a query begins with a dataset") &&
      input_is_left()) {
    error.hint = hint_at_input(apl);
    return error;
  }
  if (error.id != diag::unknown_dataset({}, "", {}).id) {
    return error;
  }
  if (const std::string named = file_named(error.message);
      sources.files.empty() && !named.empty()) {
    error.hint = "a file is queried with evq query --file " + shell_word(named);
  } else if (!sources.missing_store.empty()) {
    error.hint = "there is no store at " + sources.missing_store;
  } else if (!sources.files.empty() && !error.hint.starts_with("did you mean")) {
    error.hint = "the files are";
    for (const std::string& file : sources.files) {
      error.hint += (&file == sources.files.data() ? " " : ", ") + file;
    }
  }
  return error;
}

int run(const GlobalOptions& global, const QueryCommand& command, QueryTarget& target,
        const Sources& sources) {
  const auto chosen = choose_answer_form(global, command.output);
  if (!chosen.ok()) {
    return report_error(chosen.error());
  }
  const std::string& form = chosen.value();
  auto made = make_request(command, form, global.zone);
  if (!made.ok()) {
    return report_end(made.error());
  }
  QueryRequest& request = made.value();
  request.apl = query_over(sources, std::move(request.apl));
  // Events that all have the same time come as they stand in the files.
  request.ascending = sources.untimed;
  if (command.explain || command.profile) {
    const auto plan = command.explain ? target.explain(request) : target.profile(request);
    if (!plan.ok()) {
      return report_error(with_sources(plan.error(), sources, request.apl), request.apl,
                          global.color);
    }
    return print_data(plan.value());
  }
  if (request.apl.find("_time") != std::string::npos || shows_whole_events(request.apl) ||
      request.start_time.has_value() || request.end_time.has_value() ||
      !command.reading.timestamp_field.empty() || !command.reading.timestamp_format.empty()) {
    for (const std::string& note : sources.time_notes) {
      print_note(global, note);
    }
  }
  for (const std::string& note :
       {misread_bound_note(request), wrong_range_note(request), unread_variables_note(request)}) {
    if (!note.empty()) {
      print_note(global, note);
    }
  }
  TableOutputOptions options = output_options(global, command, request, form);
  options.arrival_time = names_arrival_time(request.apl);
  options.whole_events = shows_whole_events(request.apl);
  PagedOutput paged(STDOUT_FILENO, terminal_size(STDOUT_FILENO, process_environment()),
                    command.no_pager ? std::string() : pager_here(global), is_interrupted);
  if (use_color(global.color, process_environment(), false)) {
    paged.force_color();
  }
  WatchedQuery watched(global);
  const ByteSink out = watched.output(paged_sink(paged));
  std::unique_ptr<ResultSink> whole = watched.laid_out_by(make_answer_output(options, out));
  // When a file was read is no news of its events.
  const bool narrow = !sources.files.empty() && !options.arrival_time && !is_api_form(form);
  std::unique_ptr<ResultSink> narrowed = narrow ? without_arrival_time(*whole) : nullptr;
  ObservedSink sink(narrow ? std::move(narrowed) : std::move(whole));
  const Status done = finish_paged(paged, watched.run(*request.control, [&] {
    return answer(target, request, form, sink, out, paged);
  }));
  // Who leaves the pager early has had the whole answer to look at.
  const bool left = paged.was_left() && sink.has_ended() && !is_interrupted();
  if (!done.ok() && !(left && done.error().code == ErrorCode::kCancelled)) {
    return report_end(with_sources(done.error(), sources, request.apl), request.apl, global.color);
  }
  if (const std::string note = missed_events_note(target, request, sink.header(), sink.status());
      !note.empty()) {
    print_note(global, note);
  }
  print_footer(global, command, form, sink);
  return command.fail_on_empty && sink.status().rows == 0 ? 1 : 0;
}

// Some of each large page is held without being asked for. A wrong limit is told later.
bool has_memory_for_large_pages(const QueryCommand& command) {
  constexpr std::size_t kLimitMin = 256 * kMebibyte;
  const Result<std::size_t> limit = parse_size(command.memory_limit);
  return command.memory_limit.empty() || (limit.ok() && *limit >= kLimitMin);
}

}  // namespace

int run_query(const GlobalOptions& global, const QueryCommand& command) {
  if (has_memory_for_large_pages(command)) {
    set_up_heap(HeapUse::kQueries);
  }
  const InterruptScope interrupt(Interrupted::kCommand,
                                 static_cast<std::int64_t>(command.timeout_s * 1000));
  if (global.remote() && command.event_files.empty()) {
    auto target = open_query_target(global);
    return target.ok() ? run(global, command, *target.value(), {}) : report_error(target.error());
  }
  if (reads_query_from_input(command) &&
      std::ranges::find(command.event_files, "-") != command.event_files.end()) {
    return report_error(make_error(ErrorCode::kUsage,
                                   "standard input cannot be both the query and its events",
                                   "write the query as a word, or into a file for -f"));
  }
  ServiceOptions options = existing_store();
  std::optional<EventFiles> files;
  if (!command.event_files.empty()) {
    auto loaded = EventFiles::load(global, command.event_files, command.reading,
                                   "evq query --file -", query_argument(command));
    if (!loaded.ok()) {
      return report_error(loaded.error());
    }
    files.emplace(std::move(loaded).value());
    options.store_directory = files->directory();
  }
  auto service = open_service(global, options);
  const bool no_store =
      !service.ok() && service.error().code == ErrorCode::kNotFound && !files.has_value();
  if (no_store) {  // `print` and its like need none
    auto empty = EventFiles::none();
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
  Sources sources;
  if (no_store) {
    sources.missing_store = global.store;
  } else if (files.has_value()) {
    sources.files = files->datasets();
    sources.all_events = files->all_events();
    sources.time_notes = files->time_notes();
    sources.untimed = files->untimed();
  }
  const int status = run(global, command, *local_target(*service.value()), sources);
  if (files.has_value() && files->broken().has_value()) {
    const int broken = report_error(*files->broken());
    return status == 0 ? broken : status;
  }
  return status;
}

}  // namespace evq
