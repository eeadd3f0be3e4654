// evq ingest: files or standard input into a dataset, with a progress line on a terminal and the
// six response fields at the end.

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "apl/service/service.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/ingest_options.h"
#include "cli/listed_events.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/remote_server.h"
#include "cli/rewritten_source.h"
#include "cli/skipped_lines.h"
#include "cli/terminal/number_text.h"
#include "cli/terminal/progress.h"
#include "cli/time_field.h"
#include "http/ingest_client.h"
#include "http/wire.h"
#include "store/base/ascii.h"
#include "store/base/file.h"
#include "store/base/free_memory.h"
#include "store/definitions.h"
#include "store/ingest/byte_source.h"
#include "store/ingest/format.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/log_fields.h"

namespace evq {
namespace {

constexpr int kDataStatus = 4;

// Into the dataset, of a store or a server.
using IngestFunction =
    std::function<Result<IngestReport>(ByteSource&, const IngestRequest&, QueryControl&)>;

// Counts what passes, for the progress line, which another thread may draw; the size is that of the
// file, compressed or not.
class CountedSource final : public ByteSource {
 public:
  CountedSource(std::unique_ptr<ByteSource> source, std::atomic<std::uint64_t>* bytes)
      : source_(std::move(source)), bytes_(bytes) {}
  Result<std::optional<std::size_t>> read(std::span<char> buffer,
                                          std::int64_t timeout_ms) override {
    auto size = source_->read(buffer, timeout_ms);
    if (size.ok() && size.value().has_value()) {
      *bytes_ += *size.value();
    }
    return size;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  std::atomic<std::uint64_t>* bytes_;
};

// Names, and values below them, each a word with one blank before it, as in a flow log of AWS. Half
// of the values have digits, which the words of a sentence seldom have.
bool is_table_of_words(std::string_view text) {
  constexpr std::ptrdiff_t kBlanksMin = 3;
  const std::string_view names = trimmed(text.substr(0, text.find('\n')));
  std::string_view values = text.substr(std::min(text.find('\n'), text.size()));
  values = trimmed(values.substr(0, values.find('\n', 1)));
  const std::ptrdiff_t blanks = std::ranges::count(names, ' ');
  bool begins = true;
  bool named = true;
  for (const char c : names) {
    const bool inside = is_letter_or_digit(c) || c == '-' || c == '_' || c == ' ';
    named = named && (begins ? is_letter(c) : inside);
    begins = c == ' ';
  }
  std::ptrdiff_t with_digits = 0;
  bool counted = false;
  for (const char c : values) {
    with_digits += is_digit(c) && !counted ? 1 : 0;
    counted = c != ' ' && (counted || is_digit(c));
  }
  return named && blanks >= kBlanksMin && blanks == std::ranges::count(values, ' ') &&
         values.find("  ") == std::string_view::npos && with_digits * 2 > blanks;
}

// One run of the command over all its inputs.
class IngestRun {
 public:
  IngestRun(const GlobalOptions& global, const IngestCommand& command, IngestFunction ingest)
      : global_(global), command_(command), ingest_(std::move(ingest)), skipped_(global) {}

  Status prepare() {
    EVQ_TRY_ASSIGN(options_, make_ingest_options(command_));
    if (!command_.reject_file.empty()) {
      EVQ_TRY(check_reject_file());
      EVQ_TRY_ASSIGN(File rejects, File::create_output(command_.reject_file));
      rejects_.emplace(std::move(rejects));
    }
    return Status::success();
  }

  Status load(const std::string& path, QueryControl& control) {
    const bool standard = path == "-";
    const std::string name = standard ? "stdin" : path;
    File file = File::standard_input();
    if (standard && ::isatty(STDIN_FILENO) != 0) {
      note_file_as_dataset();
      print_note(global_, "reading standard input; Ctrl-D ends it");
    }
    if (!standard) {
      auto opened = File::open_input(path, control);
      if (!opened.ok()) {
        return with_order_hint(std::move(opened).take_error(), path);
      }
      file = std::move(opened).value();
    }
    const auto size = file.size();
    ProgressOptions options;
    options.enabled = !global_.quiet && ::isatty(STDERR_FILENO) != 0;
    options.label = "loading " + name;
    options.noun = "events";
    options.bytes_total = size.ok() ? size.value() : 0;
    options.columns = terminal_size(STDERR_FILENO, process_environment()).columns;
    Progress progress(options);
    std::atomic<std::uint64_t> bytes{0};
    IngestCounts committed;
    IngestCounts refused;  // since then
    request_.reject = [&](std::string_view text, const IngestFailure& failure) {
      note_failure(name, text, failure);
      refused.fail(failure);
    };
    request_.committed = [&](const IngestCounts& counts) {
      committed = counts;
      refused = {};
      progress.update({bytes.load(), counts.ingested});
      if (command_.progress) {
        print_note(global_, name + ": " + std::to_string(counts.ingested + counts.failed) +
                                " events committed");
      }
    };
    auto counted = std::make_unique<CountedSource>(file_source(std::move(file)), &bytes);
    const std::unique_ptr<ByteSource> decoded = decoded_source(std::move(counted), {});
    RewrittenSource rewritten(*decoded);
    auto begun = rewritten.begin(options_, control);
    if (!begun.ok()) {
      return input_error(std::move(begun).take_error(), path);
    }
    request_.options = std::move(begun).value();
    InputHead source(rewritten);
    auto report = ingest_(source, request_, control);
    progress.clear();
    if (!report.ok()) {
      // What was committed before the failure stays, and is reported.
      total_.counts.add(std::move(committed));
      total_.counts.add(std::move(refused));
      return input_error(with_header_hint(std::move(report).take_error(), path), path);
    }
    note_repairs(name, report.value().counts);
    note_encoding(path, report.value().counts);
    const std::string head = source.text();
    if (standard && head.empty()) {
      note_file_as_dataset();
    }
    note_plain_text(name, head);
    note_header(name, head, report.value().counts);
    note_times(name, head, report.value().counts);
    note_listed_events(path, head, report.value().counts);
    total_.blocks_created += report.value().blocks_created;
    total_.wal_length = report.value().wal_length;
    total_.counts.add(std::move(report.value().counts));
    return std::exchange(rejects_kept_, Status::success());
  }

  // Prints what came of it; the command's exit status. A report that is lost says nothing of the
  // events, which have landed.
  int finish() {
    skipped_.note_rest();
    if (unsaid_ > 0) {
      print_note(global_, "note: the same is true of " + counted_text(unsaid_, "more file"));
    }
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
      if (Status written = rejects_->write_all(line); !written.ok() && rejects_kept_.ok()) {
        rejects_kept_ = std::move(written);
      }
    }
    skipped_.note(name, failure);
  }

  void note_repairs(const std::string& name, const IngestCounts& counts) {
    if (counts.repaired > 0 && counts.first_repaired.has_value()) {
      print_note(global_, name + ": " + counted_text(counts.repaired, "event") +
                              " repaired (first at line " +
                              std::to_string(counts.first_repaired->line) + ": " +
                              counts.first_repaired->reason + ")");
    }
  }

  bool is_dataset_a_file() const {
    std::error_code unknown;
    return std::filesystem::is_regular_file(command_.dataset, unknown);
  }

  // evq ingest FILE: standard input is read instead.
  void note_file_as_dataset() const {
    if (is_dataset_a_file()) {
      print_note(global_, "note: " + command_.dataset +
                              " is taken for the name of a dataset; for " +
                              "the events of that file: evq ingest DATASET " + command_.dataset);
    }
  }

  // evq ingest FILE DATASET.
  Error with_order_hint(Error error, const std::string& path) const {
    if (is_dataset_a_file() && check_dataset_name(path).ok()) {
      error.hint = "the dataset comes first: evq ingest " + path + " " + command_.dataset;
    }
    return error;
  }

  // What is so of many inputs, as of the files that a log was rotated into, is told of the first.
  void tell(const std::string& name, const std::string& note) {
    std::string said = note;
    for (std::size_t at = said.find(name); at != std::string::npos; at = said.find(name, at)) {
      said.erase(at, name.size());
    }
    if (told_.insert(said).second) {
      print_note(global_, note);
    } else if (std::exchange(unsaid_last_, name) != name) {
      ++unsaid_;
    }
  }

  // What another program makes of an input, read by this command. It cannot read what is packed.
  std::string piped(std::string program, const std::string& path) const {
    const bool packed = path.ends_with(".gz") || path.ends_with(".zst");
    program += path == "-" || packed ? "" : " " + path;
    return program + " | evq ingest " + command_.dataset;
  }

  Error with_header_hint(Error error, const std::string& path) const {
    if (error.message.find("the CSV header repeats") != std::string::npos) {
      error.hint = "name the columns: " + piped("tail -n +2", path) +
                   " --csv-fields a,b,…; without tail where the first line is an event";
    }
    return error;
  }

  // Text of another encoding is only read as such by whoever knows which it is.
  void note_encoding(const std::string& path, const IngestCounts& counts) {
    if (wants_json(command_.output) || !counts.first_repaired.has_value() ||
        !counts.first_repaired->reason.starts_with("invalid UTF-8")) {
      return;
    }
    tell(path == "-" ? "stdin" : path,
         "note: " + std::string(path == "-" ? "stdin" : path) +
             " is not all UTF-8; if it is of another encoding, such as " +
             "Windows-1252: " + piped("iconv -f WINDOWS-1252 -t UTF-8", path));
  }

  // Whoever looks learns what became of lines that are neither JSON nor CSV.
  void note_plain_text(const std::string& name, const std::string& head) {
    const IngestOptions& options = request_.options;
    const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
    if (wants_json(command_.output) || options.format != InputFormat::kDetect || csv ||
        detect_kind(head, InputFormat::kDetect, true) != std::optional(PieceKind::kText)) {
      return;
    }
    const std::string_view text = trimmed(head);
    if (is_table_of_words(text)) {
      tell(name, "note: " + name + " is plain text, a line an event, though its first line seems " +
                     "to name columns: --csv-delimiter ' ' makes fields of them");
      return;
    }
    const LogFields parts = log_fields(text.substr(0, text.find_first_of("\r\n")));
    std::string names;
    for (const LogField& field : parts.fields()) {
      names += (names.empty() ? "" : ", ") + std::string(field.name);
    }
    tell(name, "note: " + name + " is plain text, a line an event: the field message, " +
                   (names.empty() ? "which parse takes apart (evq help parse)"
                                  : "and of its first line " + names) +
                   (has_longer_entries(text)
                        ? "; --multiline makes one event of a line and those below that "
                          "belong to it, such as a stack trace"
                        : ""));
  }

  // A first line that is an event, and not the names of fields, would vanish in silence.
  void note_header(const std::string& name, const std::string& head, const IngestCounts& counts) {
    const IngestOptions& options = request_.options;
    const std::string_view text = trimmed(head);
    if (text.empty() || !options.csv_fields.empty() ||
        detect_kind(head, options.format, true) != std::optional(PieceKind::kRecords)) {
      return;
    }
    if (counts.ingested + counts.failed == 0) {
      tell(name, "note: " + name + " has the names of fields and no events below them" +
                     (options.format == InputFormat::kDetect
                          ? "; --format text makes an event of each line"
                          : ""));
      return;
    }
    if (is_digit(text.front()) && !wants_json(command_.output)) {
      tell(name, "note: " + name + ": the first line names the fields, though it begins " +
                     "with a number; --csv-fields names them where it is an event");
    }
  }

  // Events without a time are welcome, but a field of times that nobody named is a mistake, and so
  // is one whose times are written in another way than was thought.
  void note_times(const std::string& name, const std::string& head, const IngestCounts& counts) {
    const bool told = !request_.options.timestamp_field.empty() || !wants_json(command_.output);
    for (const std::string& note : {untimed_note(name, head, request_.options, counts),
                                    misread_note(name, head, request_.options, counts)}) {
      if (told && !note.empty()) {
        tell(name, note);
      }
    }
  }

  // What a service answered is one object, however many of its events are listed in it.
  void note_listed_events(const std::string& path, const std::string& head,
                          const IngestCounts& counts) {
    const std::string reason = counts.failures.empty() ? "" : counts.failures[0].reason;
    const bool too_large = reason.find("more than") != std::string::npos;
    const bool loaded = counts.ingested == 1 && !wants_json(command_.output);
    if (counts.ingested + counts.failed != 1 || !(loaded || too_large)) {
      return;
    }
    const bool wide = reason.ends_with(" fields") || reason.ends_with(" keys not seen before");
    const std::string list = wide ? find_keyed_events(head) : find_listed_events(head);
    if (list.empty()) {
      return;
    }
    tell(path == "-" ? "stdin" : path,
         "note: " + std::string(path == "-" ? "stdin" : path) + " is one event, with " +
             (wide ? "objects" : "a list of objects") + (list == "." ? "" : " in " + list) +
             "; for an event each: " + piped("jq -c '" + list + "[]'", path));
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
  SkippedLines skipped_;
  std::set<std::string> told_;  // notes, without the input's name
  std::uint64_t unsaid_ = 0;    // inputs of which nothing else is to be told
  std::string unsaid_last_;
};

int run_files(IngestRun& run, const IngestCommand& command) {
  if (const Status ready = run.prepare(); !ready.ok()) {
    return report_error(ready.error());
  }
  QueryControl& control = interrupt_control();
  answer_progress_signals();
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
      return report_error(named.error());
    }
  }
  if (command.follow) {
    return run_follow(global, command);
  }
  if (global.remote()) {
    return ingest_to_server(global, command);
  }
  keep_freed_pages();
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
