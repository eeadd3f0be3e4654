// evq ingest: files or standard input into a dataset, with a progress line on a terminal and the
// six response fields at the end.

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/ingest_notes.h"
#include "cli/ingest_options.h"
#include "cli/input_files.h"
#include "cli/interrupt.h"
#include "cli/loading_progress.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/rewritten_source.h"
#include "cli/skipped_lines.h"
#include "cli/terminal/number_text.h"
#include "cli/text_tables.h"
#include "cli/time_field.h"
#include "http/ingest_client.h"
#include "http/wire.h"
#include "store/base/file.h"
#include "store/base/heap.h"
#include "store/base/limits.h"
#include "store/base/told_number.h"
#include "store/definitions.h"
#include "store/ingest/byte_source.h"

namespace evq {
namespace {

constexpr int kDataStatus = 4;

// Into the dataset, of a store or a server.
using IngestFunction =
    std::function<Result<IngestReport>(ByteSource&, const IngestRequest&, QueryControl&)>;

// One run of the command over all its inputs.
class IngestRun {
 public:
  IngestRun(const GlobalOptions& global, const IngestCommand& command, IngestFunction ingest)
      : global_(global),
        command_(command),
        ingest_(std::move(ingest)),
        skipped_(global),
        notes_(global, command) {}

  Status prepare() {
    EVQ_TRY_ASSIGN(options_, make_ingest_options(command_));
    EVQ_TRY(check_inputs(command_.files, [this](Error error, const std::string& path) {
      return notes_.with_order_hint(std::move(error), path);
    }));
    if (!command_.reject_file.empty()) {
      EVQ_TRY(check_reject_file());
      EVQ_TRY_ASSIGN(File rejects, File::create_output(command_.reject_file, interrupt_control()));
      rejects_.emplace(std::move(rejects));
    }
    return Status::success();
  }

  Status load(const std::string& path, QueryControl& control) {
    const bool standard = path == "-";
    const std::string name = standard ? "stdin" : path;
    File file = File::standard_input();
    if (standard && ::isatty(STDIN_FILENO) != 0) {
      notes_.note_standard_input();
    }
    if (!standard) {
      auto opened = File::open_input(path, control);
      if (!opened.ok()) {
        return notes_.with_order_hint(std::move(opened).take_error(), path);
      }
      file = std::move(opened).value();
    }
    IngestOptions options = options_;
    options.written_ns = standard || global_.remote() ? std::nullopt : written_ns(file);
    LoadingProgress progress(global_, name, file);
    IngestReport stored;
    IngestCounts refused;
    request_.keeps_read = true;
    request_.so_far = &stored;
    request_.reject = [&](std::string_view text, const IngestFailure& failure) {
      progress.clear();
      note_failure(name, text, failure);
      refused.fail(failure);
    };
    request_.committed = [&](const IngestCounts& counts) {
      stored.counts = counts;
      progress.update(counts.ingested);
      return_free_memory_beyond(kIngestResidentBytesMax);
      if (command_.progress) {
        print_note(global_, name + ": " + std::to_string(counts.ingested + counts.failed) +
                                " events committed");
      }
    };
    const std::unique_ptr<ByteSource> decoded =
        decoded_source(progress.source_of(std::move(file)), {});
    RewrittenSource rewritten(*decoded);
    auto begun = rewritten.begin(std::move(options), control);
    if (!begun.ok()) {
      return input_error(std::move(begun).take_error(), path);
    }
    request_.options = read_as_named(path, rewritten.head(), std::move(begun).value());
    InputHead source(rewritten);
    auto report = ingest_(source, request_, control);
    progress.clear();
    if (!report.ok()) {
      // What was committed before the failure stays, and is reported with all that was refused.
      if (refused.failed > stored.counts.failed) {
        stored.counts.failed = refused.failed;
        stored.counts.failures = std::move(refused.failures);
      }
      Error error = notes_.with_header_hint(std::move(report).take_error(), path);
      if (stored.counts.ingested > 0) {
        error = with_stored_hint(std::move(error), stored.counts.ingested);
      }
      add_report(std::move(stored));
      return input_error(std::move(error), path);
    }
    relabelled_ += report.value().counts.relabelled;
    notes_.note_input(path, source.text(), request_.options, report.value().counts);
    add_report(std::move(report).value());
    return std::exchange(rejects_kept_, Status::success());
  }

  // Prints what came of it; the command's exit status. A report that is lost says nothing of the
  // events, which have landed.
  int finish() {
    skipped_.note_rest();
    notes_.note_rest();
    note_relabelled();
    if (Status printed = print_report(); !printed.ok()) {
      Error error = std::move(printed).take_error();
      const bool one = total_.counts.ingested == 1;
      error.hint = counted_text(total_.counts.ingested, "event") +
                   (one ? " is stored" : " are stored") + "; only the report of it is lost";
      if (const int status = report_end(std::move(error)); status != 0) {
        return status;
      }
    }
    const bool imperfect = total_.counts.failed > 0 || total_.counts.repaired > 0;
    return command_.strict && imperfect ? kDataStatus : 0;
  }

 private:
  // Repeating the command, as these errors would have it, stores the first events twice.
  static Error with_stored_hint(Error error, std::uint64_t events) {
    const std::string rest = "load only what comes behind the first " +
                             counted_text(events, "event") + ", which " +
                             (events == 1 ? "is" : "are") + " stored";
    if (error.code == ErrorCode::kDiskFull) {
      error.hint = "free some space or raise its limit, then " + rest;
    } else if (error.code == ErrorCode::kUnavailable || error.hint.empty()) {
      error.hint = rest;
    }
    return error;
  }

  void add_report(IngestReport report) {
    total_.blocks_created += report.blocks_created;
    total_.fresh_chunks = report.fresh_chunks;
    total_.counts.add(std::move(report.counts));
  }

  // It is emptied before the inputs are read.
  Status check_reject_file() const {
    for (const std::string& input : command_.files) {
      std::error_code absent;
      if (std::filesystem::equivalent(command_.reject_file, input, absent)) {
        return make_error(ErrorCode::kUsage, "--reject-file names the input " + input,
                          "it would be overwritten: name another file");
      }
    }
    return Status::success();
  }

  void note_failure(const std::string& name, std::string_view text, const IngestFailure& failure) {
    if (rejects_.has_value() && !text.empty()) {
      const std::string line = std::string(text) + "\n";
      if (Status written = rejects_->write_all(line, interrupt_control());
          !written.ok() && rejects_kept_.ok()) {
        rejects_kept_ = std::move(written);
      }
    }
    notes_.note_failure(text);
    skipped_.note(name, failure);
  }

  // What a field of the same name had held is in no event any more.
  void note_relabelled() const {
    if (relabelled_ == 0) {
      return;
    }
    std::string names;
    for (const std::string& label : command_.labels) {
      names += (names.empty() ? "" : ", ") + label.substr(0, label.find('='));
    }
    print_note(global_, "note: " + counted_text(relabelled_, "event") +
                            (relabelled_ == 1 ? " has" : " have") +
                            (command_.labels.size() == 1 ? " a field " : " one of the fields ") +
                            names + (relabelled_ == 1 ? " of its own" : " of their own") +
                            ", whose place --label has taken");
  }

  Status print_report() const {
    const bool json = wants_json(command_.output);
    const IngestCounts& counts = total_.counts;
    std::string text;
    if (!json) {
      text =
          "ingested " + grouped_text(counts.ingested) + ", failed " + grouped_text(counts.failed);
      if (!counts.failures.empty()) {
        text += " (first: " + skipped_.first_place() + ": " + counts.failures[0].reason + ")";
      }
      return plain_sink()(text + "\n");
    }
    return plain_sink()(write_ingest_report(total_) + "\n");
  }

  const GlobalOptions& global_;
  const IngestCommand& command_;
  IngestFunction ingest_;
  IngestOptions options_;  // of all inputs
  IngestRequest request_;
  std::optional<File> rejects_;
  Status rejects_kept_;  // the first failure to write a rejected line down
  IngestReport total_;
  std::uint64_t relabelled_ = 0;  // events of all inputs
  SkippedLines skipped_;
  IngestNotes notes_;
};

int run_files(IngestRun& run, const IngestCommand& command) {
  if (const Status ready = run.prepare(); !ready.ok()) {
    return report_error(ready.error());
  }
  QueryControl& control = interrupt_control();
  std::vector<std::string> files = command.files;
  if (files.empty()) {
    files.emplace_back("-");
  }
  for (const std::string& file : files) {
    if (const Status loaded = run.load(file, control); !loaded.ok()) {
      run.finish();
      return report_error(loaded.error());
    }
  }
  return run.finish();
}

int ingest_to_server(const GlobalOptions& global, const IngestCommand& command) {
  auto server = RemoteServer::open(global);
  if (!server.ok()) {
    return report_error(server.error());
  }
  HttpClient& client = server.value()->client();
  const Failures failures = command.reject_file.empty() ? Failures::kFirst : Failures::kAll;
  IngestRun run(global, command,
                [&](ByteSource& source, const IngestRequest& request, QueryControl& control) {
                  return ingest_remotely(client, command.dataset, source, request, control,
                                         failures);
                });
  return run_files(run, command);
}

}  // namespace

int run_ingest(const GlobalOptions& global, const IngestCommand& command) {
  if (!global.remote()) {  // before any input is waited for
    if (const Status named = check_dataset_name(command.dataset); !named.ok()) {
      return report_error(IngestNotes::with_file_hint(named.error(), command));
    }
    tell_of_wait(global);
  }
  if (global.remote() && !command.reading.timestamp_zone.empty()) {
    return report_error(make_error(ErrorCode::kUsage,
                                   "a server takes times that say no zone as UTC",
                                   "leave out --timestamp-zone"));
  }
  if (command.follow) {
    return run_follow(global, command);
  }
  if (global.remote()) {
    return ingest_to_server(global, command);
  }
  set_up_heap(HeapUse::kLoading);
  auto service = open_service(global, {});
  if (!service.ok()) {
    return report_error(service.error());
  }
  Store& store = service.value()->store();
  IngestRun run(global, command,
                [&](ByteSource& source, const IngestRequest& request, QueryControl& control) {
                  return store.ingest(command.dataset, source, request, control);
                });
  return run_files(run, command);
}

}  // namespace evq
