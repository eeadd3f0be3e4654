// Verbs about the store itself: dataset, delete, check, compact, backup.

#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/list_output.h"
#include "cli/open_service.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/remote_verbs.h"
#include "cli/shell_word.h"
#include "cli/store_tables.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/table_format.h"
#include "cli/terminal/text_width.h"
#include "http/map_fields.h"
#include "http/wire.h"
#include "http/wire_answer.h"
#include "store/base/ascii.h"
#include "store/base/told_number.h"

namespace evq {
namespace {

Result<std::vector<std::string>> dataset_names(Store& store) {
  EVQ_TRY_ASSIGN(const std::vector<DatasetDefinition> datasets, store.definitions().datasets());
  std::vector<std::string> names;
  names.reserve(datasets.size());
  for (const DatasetDefinition& dataset : datasets) {
    names.push_back(dataset.name);
  }
  return names;
}

Result<std::string> describe_dataset(Store& store, const DatasetCommand& command,
                                     const DisplayZone& zone) {
  EVQ_TRY_ASSIGN(const ListedDataset row, dataset_row(store, command.name));
  return datasets_text({row}, single_form(command.output), zone);
}

Result<std::string> list_datasets(Store& store, const DatasetCommand& command,
                                  const DisplayZone& zone) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> names, dataset_names(store));
  EVQ_TRY_ASSIGN(const std::vector<ListedDataset> rows, dataset_rows(store, names));
  return datasets_text(rows, list_form(command.output), zone);
}

Result<std::string> describe_fields(Store& store, const DatasetCommand& command) {
  EVQ_TRY_ASSIGN(const std::vector<ListedField> rows, field_rows(store, command.name));
  return fields_text(rows, list_form(command.output));
}

// Asks on a terminal; elsewhere only --yes will do. What the process ends with when the answer is
// no, or Ctrl-C.
std::optional<int> refused(const std::string& question) {
  if (::isatty(STDIN_FILENO) == 0) {
    print_error_line("this needs --yes when it is not run on a terminal", "");
    return 1;
  }
  const QueryControl& control = interrupt_control();
  write_quietly(STDERR_FILENO, question + " [y/N] ");
  constexpr int kLookMs = 100;
  pollfd typed{STDIN_FILENO, POLLIN, 0};
  while (::poll(&typed, 1, kLookMs) <= 0) {  // a read would go on after Ctrl-C
    if (control.cancelled()) {
      write_quietly(STDERR_FILENO, "\n");
      return interrupted_status();
    }
  }
  std::string line;
  std::getline(std::cin, line);
  if (std::cin.eof()) {
    write_quietly(STDERR_FILENO, "\n");  // nobody pressed Enter
  }
  const std::string answer = ascii_lower(trimmed(line));
  return answer == "y" || answer == "yes" ? std::nullopt : std::optional(1);
}

Result<std::vector<std::string>> map_fields_of(Store& store, const std::string& name) {
  EVQ_TRY_ASSIGN(const std::optional<DatasetDefinition> dataset,
                 store.definitions().find_dataset(name));
  if (!dataset.has_value()) {
    return make_error(ErrorCode::kNotFound, "dataset '" + name + "' not found");
  }
  return dataset->map_fields;
}

// Adds or removes the field of the command.
Result<std::string> change_map_fields(Store& store, const DatasetCommand& command,
                                      Status (*change)(DatasetDefinition*, const std::string&)) {
  EVQ_TRY_ASSIGN(const std::vector<std::string> known, map_fields_of(store, command.name));
  const auto changed = store.definitions().change_dataset(
      command.name, [&](DatasetDefinition* dataset) { return change(dataset, command.field); });
  if (!changed.ok()) {
    return with_near_name(changed.error(), command.field, known,
                          "evq dataset map-field list " + command.name);
  }
  return std::string();
}

using RemoveFunction = std::function<Result<DeleteResponse>(const DeleteRequest&)>;

// Deletes in the store or on the server that the options name.
Result<RemoveFunction> open_remover(const GlobalOptions& global) {
  if (global.remote()) {
    EVQ_TRY_ASSIGN(std::unique_ptr<RemoteServer> opened, RemoteServer::open(global));
    const std::shared_ptr<RemoteServer> server = std::move(opened);
    return RemoveFunction([server](const DeleteRequest& request) -> Result<DeleteResponse> {
      EVQ_TRY_ASSIGN(const ClientResponse answer,
                     server->call_apl("/v2/datasets/_apl/delete", write_delete_body(request),
                                      request.apl, !request.commit));
      return read_delete_answer(answer.body);
    });
  }
  tell_of_wait(global);
  EVQ_TRY_ASSIGN(std::unique_ptr<Service> opened, open_service(global, existing_store()));
  const std::shared_ptr<Service> service = std::move(opened);
  return RemoveFunction(
      [service](const DeleteRequest& request) { return service->remove(request); });
}

Status drop_dataset(Store& store, const GlobalOptions& global, const DatasetCommand& command) {
  if (!command.damaged) {
    return store.drop_dataset(command.name);
  }
  EVQ_TRY_ASSIGN(const bool whole, store.drop_damaged_dataset(command.name));
  if (!whole) {
    print_note(global, "note: the damaged row does not tell which file has the events of " +
                           command.name +
                           "; it stays, and evq check names it among those that no dataset has");
  }
  return Status::success();
}

Result<std::string> perform(Store& store, const GlobalOptions& global,
                            const DatasetCommand& command) {
  switch (command.action) {
    case DatasetAction::kInfo:
      return describe_dataset(store, command, global.zone);
    case DatasetAction::kFields:
      return describe_fields(store, command);
    case DatasetAction::kCreate: {
      DatasetDefinition definition;
      definition.name = command.name;
      definition.description = command.description;
      EVQ_TRY(store.definitions().create_dataset(definition));
      return std::string();
    }
    case DatasetAction::kDelete: {
      EVQ_TRY(drop_dataset(store, global, command));
      return std::string();
    }
    case DatasetAction::kListMapFields: {
      EVQ_TRY_ASSIGN(const std::vector<std::string> fields, map_fields_of(store, command.name));
      return items_text(fields, ListForm::kNdjson);
    }
    case DatasetAction::kAddMapField:
      return change_map_fields(store, command, add_map_field);
    case DatasetAction::kRemoveMapField:
      return change_map_fields(store, command, remove_map_field);
    case DatasetAction::kList:
      break;
  }
  return list_datasets(store, command, global.zone);
}

// The store, or that of the server.
Result<CheckReport> check_store(const GlobalOptions& global) {
  if (global.remote()) {
    EVQ_TRY_ASSIGN(const std::unique_ptr<RemoteServer> server, RemoteServer::open(global));
    Result<std::string> answer = server->call("POST", "/v1/_check_store");
    if (!answer.ok() && answer.error().code == ErrorCode::kNotFound) {
      return make_error(ErrorCode::kUnsupported, "this server does not check its store");
    }
    EVQ_TRY_ASSIGN(const std::string report, std::move(answer));
    return read_check_answer(report);
  }
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_service(global, existing_store()));
  return service->store().check(interrupt_control());
}

// What was found, a line a problem and a summary; what the process ends with.
int print_check(const Result<CheckReport>& checked) {
  if (!checked.ok()) {
    return report_error(checked.error());
  }
  const CheckReport& report = checked.value();
  for (const CheckProblem& problem : report.problems) {
    print_data(
        problem.file +
        (problem.block.has_value() ? ": block " + std::to_string(*problem.block) : std::string()) +
        ": " + problem.message + "\n");
  }
  const int printed = print_data(
      counted_text(report.files, "file") + ", " + counted_text(report.blocks, "block") + ", " +
      counted_text(report.segments, "segment") + ", " + counted_text(report.rows, "event") + ": " +
      (report.problems.empty() ? std::string("sound")
                               : counted_text(report.problems.size(), "problem")) +
      "\n");
  return report.problems.empty() ? printed : error_code_info(ErrorCode::kCorrupt).exit_status;
}

// The store that a backup has made.
Result<CheckReport> check_copy(const std::string& directory) {
  StoreOptions options;
  options.directory = directory;
  options.create = false;
  EVQ_TRY_ASSIGN(const std::unique_ptr<Store> copy, Store::open(options));
  return copy->check(interrupt_control());
}

Error near_dataset(Store& store, const Error& error, const std::string& name) {
  const auto names = dataset_names(store);
  return with_near_name(error, name, names.ok() ? names.value() : std::vector<std::string>(),
                        "evq dataset list");
}

// Of a dataset in the store or on the server, which need not tell.
Result<std::optional<std::uint64_t>> count_events(const GlobalOptions& global,
                                                  const std::string& dataset) {
  if (global.remote()) {
    return count_remote_events(global, dataset);
  }
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_service(global, existing_store()));
  Store& store = service->store();
  const auto stats = store.stats(dataset);
  if (!stats.ok()) {
    return near_dataset(store, stats.error(), dataset);
  }
  return std::optional(stats.value().rows);
}

}  // namespace

int run_dataset(const GlobalOptions& global, const DatasetCommand& command) {
  const bool adds = command.action == DatasetAction::kAddMapField;
  if (command.field.empty() && (adds || command.action == DatasetAction::kRemoveMapField)) {
    print_error_line("FIELD is required", std::string("write evq dataset map-field ") +
                                              (adds ? "add" : "remove") + " DATASET FIELD");
    return error_code_info(ErrorCode::kUsage).exit_status;
  }
  if (command.damaged && global.remote()) {
    return report_error(make_error(
        ErrorCode::kUnsupported, "a server deletes no dataset whose row is damaged",
        "there: evq dataset delete " + command.name + " --damaged, while the server runs"));
  }
  if (command.action == DatasetAction::kDelete && !command.yes) {
    const auto events = count_events(global, command.name);
    const bool uncounted =
        command.damaged && !events.ok() && events.error().code == ErrorCode::kCorrupt;
    if (!events.ok() && !uncounted) {
      return report_error(events.error());
    }
    const std::string what = events.ok() && events.value().has_value()
                                 ? "its " + counted_text(*events.value(), "event")
                                 : std::string("all its events");
    if (const auto status = refused("Delete the dataset " + command.name + " and " + what + "?")) {
      return *status;
    }
  }
  if (global.remote()) {
    return run_remote_dataset(global, command);
  }
  auto service = open_service(
      global, command.action == DatasetAction::kCreate ? ServiceOptions() : existing_store());
  if (!service.ok()) {
    return report_error(service.error());
  }
  Store& store = service.value()->store();
  const auto text = perform(store, global, command);
  return text.ok() ? print_data(text.value())
                   : report_error(near_dataset(store, text.error(), command.name));
}

int run_delete(const GlobalOptions& global, const DeleteCommand& command) {
  auto remover = open_remover(global);
  if (!remover.ok()) {
    return report_error(remover.error());
  }
  const RemoveFunction& remove = remover.value();
  DeleteRequest request;
  request.apl = command.apl;
  set_times(command, global.zone, &request);
  request.control = &interrupt_control();
  if (command.commit && !command.yes) {
    const auto effect = remove(request);
    if (!effect.ok()) {
      return report_error(effect.error(), command.apl, global.color);
    }
    const std::uint64_t events = effect.value().rows_deleted;
    const auto status =
        events == 0 ? std::nullopt
                    : refused("Delete " + counted_text(events, "event") + " (" +
                              grouped_text(effect.value().rows_matched) + " of them matching)?");
    if (status.has_value()) {
      return *status;
    }
  }
  request.commit = command.commit;
  const auto removed = remove(request);
  if (!removed.ok()) {
    return report_error(removed.error(), command.apl, global.color);
  }
  const DeleteResponse& report = removed.value();
  if (report.rows_matched == 0) {
    print_note(global, "note: no block holds a match; evq query " + shell_word(command.apl) +
                           " --stats shows which events and how many blocks a condition finds, "
                           "evq dataset info how many blocks there are");
  }
  if (wants_json(command.output)) {
    return print_data(write_delete_response(report) + "\n");
  }
  if (report.rows_matched == 0) {
    return print_data(report.dry_run ? "no event matches; --commit would delete nothing\n"
                                     : "no event matches; nothing was deleted\n");
  }
  return print_data(counted_text(report.rows_matched, "event") +
                    (report.rows_matched == 1 ? " matches; " : " match; ") +
                    (report.dry_run ? "--commit would delete " : "deleted ") +
                    counted_text(report.rows_deleted, "event") +
                    ": every event of the blocks that hold a match\n");
}

int run_check(const GlobalOptions& global, const StoreCommand& /*command*/) {
  return print_check(check_store(global));
}

int run_compact(const GlobalOptions& global, const StoreCommand& command) {
  if (global.remote()) {
    return run_remote_compact(global, command);
  }
  tell_of_wait(global);
  auto service = open_service(global, existing_store());
  if (!service.ok()) {
    return report_error(service.error());
  }
  Store& store = service.value()->store();
  const auto names = command.dataset.empty() ? dataset_names(store)
                                             : Result<std::vector<std::string>>({command.dataset});
  if (!names.ok()) {
    return report_error(names.error());
  }
  int status = 0;
  for (const std::string& name : names.value()) {
    const Status done = store.maintain(name, Maintenance::kFull, interrupt_control());
    if (!done.ok() && done.error().code == ErrorCode::kNotFound && command.dataset.empty()) {
      continue;  // deleted since it was listed
    }
    if (!done.ok()) {
      status = report_error(near_dataset(store, done.error(), name));
    }
    if (!done.ok() && done.error().code != ErrorCode::kCorrupt) {
      break;  // damage is one dataset's own
    }
  }
  return status;
}

int run_backup(const GlobalOptions& global, const BackupCommand& command) {
  if (global.remote()) {
    return report_error(make_error(ErrorCode::kUnsupported,
                                   "a server's store is copied where it is",
                                   "there: evq backup DIRECTORY, while the server runs"));
  }
  auto service = open_service(global, existing_store());
  if (!service.ok()) {
    return report_error(service.error());
  }
  ProgressOptions shown;
  shown.enabled = shows_progress(global);
  shown.label = "copying to " + command.directory;
  std::optional<Progress> line;
  const auto progress = [&](std::uint64_t bytes, std::uint64_t bytes_total) {
    if (!line.has_value()) {
      shown.bytes_total = bytes_total;
      line.emplace(shown);
    }
    line->update({bytes, 0});
  };
  const auto copied =
      service.value()->store().back_up(command.directory, progress, interrupt_control());
  line.reset();
  if (!copied.ok()) {
    return report_error(copied.error());
  }
  const BackupReport& report = copied.value();
  const int printed = print_data(
      counted_text(report.datasets, "dataset") + ", " + counted_text(report.rows, "event") + ", " +
      bytes_text(report.bytes) + ": copied to " + visible_text(command.directory) + "\n");
  return command.check && printed == 0 ? print_check(check_copy(command.directory)) : printed;
}

}  // namespace evq
