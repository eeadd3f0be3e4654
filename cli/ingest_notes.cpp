#include "cli/ingest_notes.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/container_lines.h"
#include "cli/output.h"
#include "cli/shell_word.h"
#include "cli/text_tables.h"
#include "cli/time_field.h"
#include "store/base/ascii.h"
#include "store/definitions.h"
#include "store/ingest/format.h"
#include "store/ingest/log_entry.h"
#include "store/ingest/log_fields.h"
#include "store/ingest/logfmt_line.h"

namespace evq {

namespace {

bool is_dataset_a_file(const IngestCommand& command) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(command.dataset, unknown);
}

}  // namespace

Error IngestNotes::with_file_hint(Error error, const IngestCommand& command) {
  if (is_dataset_a_file(command)) {
    const bool turned = command.files.size() == 1 && check_dataset_name(command.files[0]).ok();
    error.hint =
        turned ? "the dataset comes first: evq ingest " + command.files[0] + " " +
                     shell_word(command.dataset)
               : "for the events of that file: evq ingest DATASET " + shell_word(command.dataset);
  }
  return error;
}

void IngestNotes::note_standard_input() const {
  if (is_dataset_a_file(command_)) {
    print_note(global_, "note: " + command_.dataset +
                            " is taken for the name of a dataset; for the events of that file: " +
                            "evq ingest DATASET " + shell_word(command_.dataset));
  }
}

Error IngestNotes::with_order_hint(Error error, const std::string& path) const {
  if (is_dataset_a_file(command_) && check_dataset_name(path).ok()) {
    error.hint = "the dataset comes first: evq ingest " + path + " " + shell_word(command_.dataset);
  }
  return error;
}

void IngestNotes::note_failure(std::string_view text) {
  plain_lines_ = plain_lines_ || !(text.empty() || trimmed(text).starts_with('{'));
}

void IngestNotes::note_input(const std::string& path, const std::string& head,
                             const IngestOptions& options, const IngestCounts& counts) {
  inputs_.note_repairs(path, counts);
  if (path == "-" && head.empty()) {
    note_standard_input();
  }
  note_plain_lines(path, head, options);
  const bool table = inputs_.note_table_in_text(path, head, options);
  note_csv_options(path, head, options);
  inputs_.note_multiline(path, head, options);
  inputs_.note_header(path, head, options, counts);
  inputs_.note_odd_values(path, counts);
  if (!table) {
    note_plain_text(path, head, options);
    note_times(path, head, options, counts);
  }
  inputs_.note_listed_events(path, head, counts);
}

// Plain lines between lines of JSON, as a program prints them that dies, are no events of their
// format. A second load of the whole input would double the others.
void IngestNotes::note_plain_lines(const std::string& path, const std::string& head,
                                   const IngestOptions& options) {
  if (std::exchange(plain_lines_, false) && command_.reject_file.empty() &&
      kind_by_head(head, options.format) == PieceKind::kLines) {
    inputs_.tell(path, " has lines that are no JSON, which --reject-file keeps; to load them alone",
                 "grep -v '^ *{'", " --format text");
  }
}

// Whoever looks learns what became of lines that are neither JSON nor CSV.
void IngestNotes::note_plain_text(const std::string& path, const std::string& head,
                                  const IngestOptions& options) {
  const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
  if (options.format != InputFormat::kDetect || options.multiline || csv ||
      kind_by_head(head, InputFormat::kDetect) != PieceKind::kText) {
    return;
  }
  const std::string_view text = trimmed(head);
  // The last line may be cut.
  const std::string_view lines = trimmed(std::string_view(head).substr(0, head.rfind('\n')));
  const LogFields parts = log_fields(text.substr(0, text.find_first_of("\r\n")));
  std::string names;
  for (const LogField& field : parts.fields()) {
    names += (names.empty() ? "" : ", ") + std::string(field.name);
  }
  const std::size_t columns = columns_behind_times(head);
  const std::string cells =
      columns > 0 ? "; --csv-fields time,b,… --timestamp-field time makes fields of the " +
                        std::to_string(columns) + " cells that its lines have"
                  : "";
  inputs_.tell(path, " is plain text, a line an event: the field message, " +
                         (names.empty() ? "which parse takes apart (evq help parse)"
                                        : "and of its first line " + names) +
                         cells +
                         (has_longer_entries(lines)
                              ? "; --multiline makes one event of a line and those below that "
                                "belong to it, such as a stack trace"
                              : ""));
  inputs_.note_forms_of_lines(path, head, options);
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
  if (kind_by_head(head, format) != PieceKind::kRecords) {
    inputs_.tell(path, std::string(" is not read as CSV, so that ") +
                           (fields ? "--csv-fields" : "--csv-delimiter") + " means nothing");
  }
}

// Events without a time are welcome, but a field of times that nobody named is a mistake, and so
// is one whose times are written in another way than was thought.
void IngestNotes::note_times(const std::string& path, const std::string& head,
                             const IngestOptions& options, const IngestCounts& counts) {
  for (const std::string& note : time_notes(head, options, counts)) {
    inputs_.tell(path, ": " + note);
  }
}

}  // namespace evq
