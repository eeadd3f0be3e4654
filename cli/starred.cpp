// evq starred: saved queries, kept in the store and shared with the HTTP API.

#include "apl/service/starred.h"

#include <utility>

#include "apl/service/service.h"
#include "apl/syntax/diagnostics.h"
#include "apl/syntax/parser.h"
#include "cli/answer_output.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/observed_sink.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/query_target.h"
#include "cli/remote_verbs.h"
#include "cli/store_tables.h"
#include "cli/whole_events.h"
#include "http/wire_resources.h"
#include "store/base/file.h"
#include "store/base/json_writer.h"
#include "store/base/limits.h"

namespace evq {
namespace {

// What the argument of `put` must be, for whoever gave another one.
Error with_example(Error error) {
  if (error.hint.empty() && error.code != ErrorCode::kIo) {
    error.hint =
        R"(write {"kind":"apl","name":"errors","who":"me","metadata":{},"query":{"apl":"web"}},)"
        R"( or give --apl)";
  }
  return error;
}

// The object of --apl, a file or standard input.
Result<std::string> read_body(const StarredCommand& command) {
  if (!command.apl.empty()) {
    std::string body;
    JsonWriter json(body);
    json.begin_object();
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, std::string>>{
             {"kind", "apl"},
             {"name", command.id},
             {"who", process_environment()("USER").value_or("evq")}}) {
      json.key(key);
      json.string(value);
    }
    json.key("metadata");
    json.raw("{}");
    json.key("query");
    json.begin_object();
    json.key("apl");
    json.string(command.apl);
    json.end_object();
    json.end_object();
    return body;
  }
  if (command.file.empty() || command.file == "-") {
    return read_standard_input(kStarredBytesMax);
  }
  auto text = read_input_file(command.file, kStarredBytesMax);
  return text.ok() ? std::move(text) : Result<std::string>(with_example(text.error()));
}

// Any text is stored, as the API does: what is no query to this evq may be one to another.
void note_mistake(const GlobalOptions& global, const std::string& apl) {
  if (const auto parsed = syntax::parse(apl, 0); !parsed.ok()) {
    const Error& error = parsed.error();
    print_note(global, "note: the query does not parse: " + error.message +
                           (error.hint.empty() ? "" : "; " + diag::inline_hint(error.hint)));
  }
}

Result<std::string> put(Service& service, const GlobalOptions& global,
                        const StarredCommand& command) {
  EVQ_TRY_ASSIGN(const std::string text, starred_body(global, command));
  auto read = read_starred_query(text);
  if (!read.ok()) {
    return with_example(read.error());
  }
  const StarredQuery& query = read.value();
  EVQ_TRY_ASSIGN(const StoredObject stored,
                 put_starred(service.store().definitions(), command.id, query, PutRule::kAny));
  return starred_answer(stored) + "\n";
}

Result<std::string> list(Service& service, const StarredCommand& command) {
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> stored,
                 service.store().definitions().objects(ObjectKind::kSavedQuery, ""));
  const ListForm form = list_form(command.output);
  if (form == ListForm::kTable) {
    return saved_queries_table(stored);
  }
  std::vector<std::string> items;
  items.reserve(stored.size());
  for (const StoredObject& object : stored) {
    items.push_back(write_listed_starred(object));
  }
  return items_text(items, form);
}

int run_stored(QueryTarget& target, const StoredObject& stored, const GlobalOptions& global,
               const StarredCommand& command) {
  auto request = starred_request(stored);
  if (!request.ok()) {
    return report_error(request.error());
  }
  if (!request.value().default_limit.has_value()) {
    request.value().default_limit = kResultRowsDefault;
  }
  request.value().control = &interrupt_control();
  TableOutputOptions options;
  auto form = choose_answer_form(global, command.output);
  if (!form.ok()) {
    return report_error(form.error());
  }
  options.form = std::move(form).value();
  options.zone = global.zone;
  options.arrival_time = names_arrival_time(request.value().apl);
  options.whole_events = shows_whole_events(request.value().apl);
  fit_request(options.form, &request.value());
  options.control = request.value().control;
  fit_to_standard_output(&options, global.color);
  const ByteSink out = wanted_sink(stdout_sink());
  ObservedSink sink(make_answer_output(options, out));
  const Status done = query_in_form(target, request.value(), options.form, sink, out);
  if (done.ok()) {
    for (const std::string& remark :
         answer_remarks(sink.header(), sink.status(), "evq query --all")) {
      print_note(global, remark);
    }
  }
  return report_end(done, request.value().apl, global.color);
}

Result<std::string> perform(Service& service, const GlobalOptions& global,
                            const StarredCommand& command) {
  switch (command.action) {
    case StarredAction::kPut:
      return put(service, global, command);
    case StarredAction::kGet: {
      EVQ_TRY_ASSIGN(const StoredObject stored,
                     find_starred(service.store().definitions(), command.id));
      return starred_answer(stored) + "\n";
    }
    case StarredAction::kDelete: {
      EVQ_TRY(remove_starred(service.store().definitions(), command.id));
      return std::string();
    }
    case StarredAction::kList:
    case StarredAction::kRun:  // is run_saved()'s
      break;
  }
  return list(service, command);
}

int run_saved(QueryTarget& target, const GlobalOptions& global, const StarredCommand& command) {
  const auto stored = target.saved_query(command.id);
  if (stored.ok()) {
    return run_stored(target, stored.value(), global, command);
  }
  const Error& error = stored.error();
  return report_error(error.code == ErrorCode::kNotFound
                          ? near_saved_query(error, command.id, target.saved_queries())
                          : error);
}

int run_local_starred(const GlobalOptions& global, const StarredCommand& command) {
  ServiceOptions options = existing_store();
  options.create_store = command.action == StarredAction::kPut;
  auto service = open_service(global, std::move(options));
  if (!service.ok()) {
    return report_error(service.error());
  }
  const std::unique_ptr<QueryTarget> target = local_target(*service.value());
  if (command.action == StarredAction::kRun) {
    return run_saved(*target, global, command);
  }
  const auto text = perform(*service.value(), global, command);
  return text.ok()
             ? print_data(text.value())
             : report_error(near_saved_query(text.error(), command.id, target->saved_queries()));
}

}  // namespace

Result<std::string> starred_body(const GlobalOptions& global, const StarredCommand& command) {
  EVQ_TRY_ASSIGN(std::string body, read_body(command));
  if (const auto saved = read_starred_query(body); saved.ok()) {
    StoredObject object;
    object.body = saved->body;
    EVQ_TRY_ASSIGN(const QueryRequest request, starred_request(object));
    note_mistake(global, request.apl);
  }
  return body;
}

Error near_saved_query(Error error, std::string_view id,
                       const Result<std::vector<StoredObject>>& stored) {
  std::vector<std::string> ids;
  if (stored.ok()) {
    for (const StoredObject& object : stored.value()) {
      ids.push_back(object.id);
    }
  }
  return with_near_name(std::move(error), id, ids, "evq starred list");
}

int run_starred(const GlobalOptions& global, const StarredCommand& command) {
  if (command.action != StarredAction::kList && command.id.empty()) {
    return report_error(make_error(ErrorCode::kUsage, "a saved query needs an id",
                                   "evq starred list shows which there are"));
  }
  if (!global.remote()) {
    return run_local_starred(global, command);
  }
  if (command.action != StarredAction::kRun) {
    return run_remote_starred(global, command);
  }
  const auto target = open_query_target(global);
  return target.ok() ? run_saved(*target.value(), global, command) : report_error(target.error());
}

}  // namespace evq
