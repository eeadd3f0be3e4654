// evq starred: saved queries, kept in the store and shared with the HTTP API.

#include "apl/service/starred.h"

#include <utility>

#include <unistd.h>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/query_target.h"
#include "cli/remote_verbs.h"
#include "cli/table_output.h"
#include "cli/terminal/table_format.h"
#include "store/base/file.h"
#include "store/base/limits.h"

namespace evq {
namespace {

constexpr std::uint64_t kStarredRows = 1000;
constexpr std::size_t kStarredBytesMax = std::size_t{1} << 20U;

Result<std::string> put(Service& service, const StarredCommand& command) {
  const bool standard = command.file.empty() || command.file == "-";
  EVQ_TRY_ASSIGN(const std::string text, standard
                                             ? read_standard_input(kStarredBytesMax)
                                             : read_whole_file(command.file, kStarredBytesMax));
  EVQ_TRY_ASSIGN(const StarredQuery query, read_starred_query(text));
  EVQ_TRY_ASSIGN(const StoredObject stored,
                 put_starred(service.store().definitions(), command.id, query, false));
  return starred_answer(stored) + "\n";
}

Result<std::string> list(Service& service, const StarredCommand& command) {
  EVQ_TRY_ASSIGN(const std::vector<StoredObject> stored,
                 service.store().definitions().objects(ObjectKind::kSavedQuery, ""));
  std::string text;
  const bool table =
      command.output == "table" || (command.output.empty() && ::isatty(STDOUT_FILENO) != 0);
  TableRows rows;
  for (const StoredObject& object : stored) {
    if (!table) {
      text += starred_answer(object) + "\n";
      continue;
    }
    EVQ_TRY_ASSIGN(const QueryRequest request, starred_request(object));
    rows.push_back({{object.id, TableCellKind::kText},
                    {object.name, TableCellKind::kText},
                    {object.who, TableCellKind::kText},
                    {request.apl, TableCellKind::kText}});
  }
  return table ? format_table({{"id", "", TableCellKind::kText},
                               {"name", "", TableCellKind::kText},
                               {"who", "", TableCellKind::kText},
                               {"query", "", TableCellKind::kText}},
                              rows, {})
               : text;
}

int run_stored(QueryTarget& target, const StoredObject& stored, const GlobalOptions& global,
               const StarredCommand& command) {
  auto request = starred_request(stored);
  if (!request.ok()) {
    return report_error(request.error());
  }
  if (!request.value().default_limit.has_value()) {
    request.value().default_limit = kStarredRows;
  }
  request.value().control = &interrupt_control();
  TableOutputOptions options;
  fit_to_standard_output(&options, global.color);
  const bool terminal = ::isatty(STDOUT_FILENO) != 0;
  const bool table = command.output == "table" || (command.output.empty() && terminal);
  const std::unique_ptr<ResultSink> sink =
      table
          ? make_table_output(options, stdout_sink())
          : make_result_writer(command.output == "csv" ? ResultFormat::kCsv : ResultFormat::kNdjson,
                               stdout_sink());
  const Status done = target.query(request.value(), *sink);
  return done.ok() ? 0 : report_error(done.error(), request.value().apl);
}

Result<std::string> perform(Service& service, const StarredCommand& command) {
  if (command.action == "put") {
    return put(service, command);
  }
  if (command.action == "list") {
    return list(service, command);
  }
  if (command.action == "get") {
    EVQ_TRY_ASSIGN(const StoredObject stored,
                   find_starred(service.store().definitions(), command.id));
    return starred_answer(stored) + "\n";
  }
  EVQ_TRY(remove_starred(service.store().definitions(), command.id));
  return std::string();
}

}  // namespace

int run_starred(const GlobalOptions& global, const StarredCommand& command) {
  if (global.remote()) {
    if (command.action != "run") {
      return run_remote_starred(global, command);
    }
    auto target = open_query_target(global);
    const Result<StoredObject> stored =
        target.ok() ? find_remote_starred(global, command.id) : target.error();
    return stored.ok() ? run_stored(*target.value(), stored.value(), global, command)
                       : report_error(stored.error());
  }
  ServiceOptions options = existing_store();
  options.create_store = true;
  auto service = open_service(global, std::move(options));
  if (!service.ok()) {
    return report_error(service.error());
  }
  if (command.action == "run") {
    const auto stored = find_starred(service.value()->store().definitions(), command.id);
    return stored.ok()
               ? run_stored(*local_target(*service.value()), stored.value(), global, command)
               : report_error(stored.error());
  }
  const auto text = perform(*service.value(), command);
  if (!text.ok()) {
    return report_error(text.error());
  }
  (void)stdout_sink()(text.value()).ok();
  return 0;
}

}  // namespace evq
