#include "cli/ingest_notes.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/listed_events.h"
#include "cli/output.h"
#include "cli/shell_word.h"
#include "cli/terminal/number_text.h"
#include "cli/text_tables.h"
#include "cli/time_field.h"
#include "store/base/ascii.h"
#include "store/definitions.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/format.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/log_fields.h"

namespace evq {
namespace {

std::string shown_name(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

// The program that passes on what stands below the first lines.
std::string below(std::size_t lines) {
  return "tail -n +" + std::to_string(lines + 1);
}

}  // namespace

bool IngestNotes::is_dataset_a_file() const {
  std::error_code unknown;
  return std::filesystem::is_regular_file(command_.dataset, unknown);
}

void IngestNotes::note_standard_input() const {
  if (is_dataset_a_file()) {
    print_note(global_, "note: " + command_.dataset +
                            " is taken for the name of a dataset; for the events of that file: " +
                            "evq ingest DATASET " + shell_word(command_.dataset));
  }
}

Error IngestNotes::with_order_hint(Error error, const std::string& path) const {
  if (is_dataset_a_file() && check_dataset_name(path).ok()) {
    error.hint = "the dataset comes first: evq ingest " + path + " " + shell_word(command_.dataset);
  }
  return error;
}

Error IngestNotes::with_header_hint(Error error, const std::string& path) const {
  if (error.message.starts_with(kRepeatedNameError)) {
    error.hint = "name the columns: " + piped("tail -n +2", path) +
                 " --csv-fields a,b,…; without tail where the first line is an event";
  }
  return error;
}

void IngestNotes::note_failure(std::string_view text) {
  plain_lines_ = plain_lines_ || !(text.empty() || trimmed(text).starts_with('{'));
}

void IngestNotes::note_input(const std::string& path, const std::string& head,
                             const IngestOptions& options, const IngestCounts& counts) {
  note_encoding(path, counts);
  if (path == "-" && head.empty()) {
    note_standard_input();
  }
  note_plain_lines(path, head, options);
  note_plain_text(path, head, options);
  note_csv_options(path, head, options);
  note_header(path, head, options, counts);
  note_times(path, head, options, counts);
  note_listed_events(path, head, counts);
}

void IngestNotes::note_rest() const {
  if (unsaid_ > 0) {
    print_note(global_, "note: the same is true of " + counted_text(unsaid_, "more file"));
  }
}

void IngestNotes::tell(const std::string& path, const std::string& text, const std::string& program,
                       const std::string& options) {
  if (told_.insert(text + program).second) {
    print_note(global_, "note: " + shown_name(path) + text +
                            (program.empty() ? "" : ": " + piped(program, path) + options));
  } else if (std::exchange(unsaid_last_, path) != path) {
    ++unsaid_;
  }
}

// What another program makes of an input, read by this command. It cannot read what is packed.
std::string IngestNotes::piped(const std::string& program, const std::string& path) const {
  const std::string file = shell_word(path);
  const std::string unpacked = path.ends_with(".gz")    ? "gzip -dc " + file + " | " + program
                               : path.ends_with(".zst") ? "zstd -dc " + file + " | " + program
                               : path == "-"            ? program
                                                        : program + " " + file;
  return unpacked + " | evq ingest " + command_.dataset;
}

// Plain lines between lines of JSON, as a program prints them that dies, are no events of their
// format. A second load of the whole input would double the others.
void IngestNotes::note_plain_lines(const std::string& path, const std::string& head,
                                   const IngestOptions& options) {
  if (std::exchange(plain_lines_, false) && command_.reject_file.empty() &&
      detect_kind(head, options.format, true) == std::optional(PieceKind::kLines)) {
    tell(path, " has lines that are no JSON, which --reject-file keeps; to load them alone",
         "grep -v '^ *{'", " --format text");
  }
}

// Text of another encoding is only read as such by whoever knows which it is.
void IngestNotes::note_encoding(const std::string& path, const IngestCounts& counts) {
  if (!wants_json(command_.output) && counts.first_repaired.has_value() &&
      counts.first_repaired->reason == kRepairUtf8) {
    tell(path, " is not all UTF-8; if it is of another encoding, such as Windows-1252",
         "iconv -f WINDOWS-1252 -t UTF-8");
  }
}

// Whoever looks learns what became of lines that are neither JSON nor CSV.
void IngestNotes::note_plain_text(const std::string& path, const std::string& head,
                                  const IngestOptions& options) {
  const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
  if (wants_json(command_.output) || options.format != InputFormat::kDetect || csv ||
      detect_kind(head, InputFormat::kDetect, true) != std::optional(PieceKind::kText)) {
    return;
  }
  if (const std::size_t lines = lines_above_csv(head); lines > 0) {
    tell(path,
         " is plain text, a line an event, though it seems to be CSV below its first " +
             counted_text(lines, "line"),
         below(lines));
    return;
  }
  const std::string_view text = trimmed(head);
  if (is_table_of_words(text)) {
    tell(path,
         " is plain text, a line an event, though its first line seems to name columns: "
         "--csv-delimiter ' ' makes fields of them");
    return;
  }
  const LogFields parts = log_fields(text.substr(0, text.find_first_of("\r\n")));
  std::string names;
  for (const LogField& field : parts.fields()) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  tell(path, " is plain text, a line an event: the field message, " +
                 (names.empty() ? "which parse takes apart (evq help parse)"
                                : "and of its first line " + names) +
                 (has_longer_entries(text)
                      ? "; --multiline makes one event of a line and those below that "
                        "belong to it, such as a stack trace"
                      : ""));
}

// What says how CSV is read does nothing to another format.
void IngestNotes::note_csv_options(const std::string& path, const std::string& head,
                                   const IngestOptions& options) {
  const bool fields = !options.csv_fields.empty();
  if ((!fields && options.csv_delimiter == 0) || is_blank(head)) {
    return;
  }
  const InputFormat format =
      options.format == InputFormat::kDetect ? InputFormat::kAuto : options.format;
  if (detect_kind(head, format, true) != std::optional(PieceKind::kRecords)) {
    tell(path, std::string(" is not read as CSV, so that ") +
                   (fields ? "--csv-fields" : "--csv-delimiter") + " means nothing");
  }
}

// A first line that is an event, and not the names of fields, would vanish in silence.
void IngestNotes::note_header(const std::string& path, const std::string& head,
                              const IngestOptions& options, const IngestCounts& counts) {
  const std::string_view text = trimmed(head);
  if (text.empty() || !options.csv_fields.empty() ||
      detect_kind(head, options.format, true) != std::optional(PieceKind::kRecords)) {
    return;
  }
  if (counts.ingested + counts.failed == 0) {
    tell(path,
         std::string(" has the names of fields and no events below them") +
             (options.format == InputFormat::kDetect ? "; --format text makes an event of each line"
                                                     : ""));
    return;
  }
  if (const std::size_t lines = lines_above_csv(head);
      lines > 0 && counts.failed > counts.ingested) {
    tell(path, ": the header seems to stand below the first " + counted_text(lines, "line"),
         below(lines));
  }
  if (const std::string why = why_no_header(head, options.csv_delimiter); !why.empty()) {
    tell(path, ": the first line names the fields, " + why +
                   "; --csv-fields names them where it is an event");
  }
}

// Events without a time are welcome, but a field of times that nobody named is a mistake, and so
// is one whose times are written in another way than was thought.
void IngestNotes::note_times(const std::string& path, const std::string& head,
                             const IngestOptions& options, const IngestCounts& counts) {
  if (options.timestamp_field.empty() && wants_json(command_.output)) {
    return;
  }
  for (const std::string& note : time_notes(head, options, counts)) {
    tell(path, ": " + note);
  }
}

// What a service answered is one object, however many of its events are listed in it.
void IngestNotes::note_listed_events(const std::string& path, const std::string& head,
                                     const IngestCounts& counts) {
  const FailureKind kind =
      counts.failures.empty() ? FailureKind::kOther : kind_of_failure(counts.failures[0].reason);
  const bool wide = kind == FailureKind::kManyFields;
  const bool too_large = wide || kind == FailureKind::kLargeValues;
  const bool loaded = counts.ingested == 1 && !wants_json(command_.output);
  if (counts.ingested + counts.failed != 1 || !(loaded || too_large)) {
    return;
  }
  const std::string list = wide ? find_keyed_events(head) : find_listed_events(head);
  if (!list.empty()) {
    tell(path,
         std::string(" is one event, with ") + (wide ? "objects" : "a list of objects") +
             (list == "." ? "" : " in " + list) + "; for an event each",
         "jq -c " + shell_word(list + "[]"));
  }
}

}  // namespace evq
