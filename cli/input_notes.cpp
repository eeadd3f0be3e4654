#include "cli/input_notes.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "cli/container_lines.h"
#include "cli/listed_events.h"
#include "cli/output.h"
#include "cli/shell_word.h"
#include "cli/terminal/number_text.h"
#include "cli/text_tables.h"
#include "store/base/ascii.h"
#include "store/ingest/binary_head.h"
#include "store/ingest/csv_header.h"
#include "store/ingest/csv_record.h"
#include "store/ingest/event_assembler.h"
#include "store/ingest/failure_reason.h"
#include "store/ingest/format.h"
#include "store/ingest/logfmt_line.h"

namespace evq {
namespace {

std::string shown_name(const std::string& path) {
  return path == "-" ? "stdin" : path;
}

// The program that passes on what stands below the first lines.
std::string below(std::size_t lines) {
  return "tail -n +" + std::to_string(lines + 1);
}

// What a log tells of itself by its first lines.
struct LineForms {
  std::size_t lines = 0;
  std::size_t json = 0;
  std::size_t json_behind = 0;  // lines at the end of which each is JSON
  std::size_t logfmt = 0;
  std::size_t prefixed = 0;  // JSON or logfmt behind the name of a container: "web-1  | {…}"
};

LineForms forms_of_lines(std::string_view head) {
  constexpr std::size_t kPairsMin = 2;
  LineForms forms;
  while (head.find('\n') != std::string_view::npos) {  // the last one may be cut
    const std::string_view line = trimmed(take_line(&head));
    if (line.empty()) {
      continue;
    }
    const bool json = is_whole_object(line);
    ++forms.lines;
    forms.json += json ? 1U : 0U;
    forms.json_behind = json ? forms.json_behind + 1 : 0;
    forms.logfmt += is_logfmt_line(line, kPairsMin) ? 1U : 0U;
    forms.prefixed += has_fields(trimmed(container_line(line).line)) ? 1U : 0U;
  }
  return forms;
}

// Whether nobody said what it is, and it is lines of plain text.
bool is_detected_text(const std::string& head, const IngestOptions& options) {
  const bool csv = options.csv_delimiter != 0 || !options.csv_fields.empty();
  return options.format == InputFormat::kDetect && !csv && !options.multiline &&
         kind_by_head(head, InputFormat::kDetect) == PieceKind::kText;
}

// Whether one word stands above others, of which no quote or number says that it names them.
bool names_words(std::string_view text) {
  const bool one = begins_with_one_name(text);
  take_line(&text);
  const std::string_view below = trimmed(take_line(&text));
  return one && !below.starts_with('"') && !reads_as_value(below);
}

}  // namespace

Error InputNotes::with_header_hint(Error error, const std::string& path) const {
  if (error.message.starts_with(kRepeatedNameError)) {
    error.hint = "name the columns: " + piped("tail -n +2", path) +
                 " --csv-fields a,b,…; without tail where the first line is an event";
  } else if (error.message.starts_with(kNoTextError)) {
    error.hint =
        "--format text makes an event of each line all the same, and --format csv reads CSV";
  }
  return error;
}

void InputNotes::note_rest() const {
  if (unsaid_ > 0) {
    print_note(global_, "note: the same is true of " + counted_text(unsaid_, "more file"));
  }
}

void InputNotes::tell(const std::string& path, const std::string& text, const std::string& program,
                      const std::string& options) {
  if (told_.insert(text + program).second) {
    print_note(global_, "note: " + shown_name(path) + text +
                            (program.empty() ? "" : ": " + piped(program, path) + options));
  } else if (std::exchange(unsaid_last_, path) != path) {
    ++unsaid_;
  }
}

// It cannot read what is packed.
std::string InputNotes::piped(const std::string& program, const std::string& path) const {
  const std::string file = shell_word(path);
  const std::string unpacked = path.ends_with(".gz")    ? "gzip -dc " + file + " | " + program
                               : path.ends_with(".zst") ? "zstd -dc " + file + " | " + program
                               : path == "-"            ? "… | " + program
                                                        : program + " " + file;
  return unpacked + " | " + reads_pipe_;
}

bool InputNotes::note_table_in_text(const std::string& path, const std::string& head,
                                    const IngestOptions& options) {
  if (!is_detected_text(head, options)) {
    return false;
  }
  if (const std::size_t lines = lines_above_csv(head); lines > 0) {
    tell(path,
         " is plain text, a line an event, though it seems to be CSV below its first " +
             counted_text(lines, "line"),
         below(lines));
    return true;
  }
  const bool words = is_table_of_words(trimmed(head));
  if (words) {
    tell(path,
         " is plain text, a line an event, though its first line seems to name columns: "
         "--csv-delimiter ' ' makes fields of them");
  }
  return words;
}

// Where most lines, or all behind a banner, are of another form than the first: how to read them.
void InputNotes::note_forms_of_lines(const std::string& path, const std::string& head,
                                     const IngestOptions& options) {
  constexpr std::size_t kBannerLinesMax = 10;
  if (!is_detected_text(head, options)) {
    return;
  }
  const LineForms forms = forms_of_lines(head);
  const bool banner = forms.json_behind > 0 && forms.lines - forms.json_behind <= kBannerLinesMax;
  if (2 * forms.prefixed > forms.lines) {
    tell(path,
         " has the names of containers before its lines, as Docker Compose puts them; "
         "to make fields of what stands behind them",
         "sed 's/^[^|]*| //'");
  } else if (2 * forms.json > forms.lines || banner) {
    tell(path, " has lines of JSON behind others; to make fields of them", "grep '^ *{'");
  } else if (2 * forms.logfmt > forms.lines) {
    tell(path, " has mostly lines of pairs key=value, of which --format logfmt makes fields");
  }
}

// The events of other formats end by themselves.
void InputNotes::note_multiline(const std::string& path, const std::string& head,
                                const IngestOptions& options) {
  if (options.multiline && options.format != InputFormat::kText && !is_blank(head) &&
      kind_by_head(head, options.format) != PieceKind::kText) {
    tell(path,
         " is not read as lines of plain text, so that --multiline means nothing; --format text "
         "takes it as such");
  }
}

void InputNotes::note_header(const std::string& path, const std::string& head,
                             const IngestOptions& options, const IngestCounts& counts) {
  const std::string_view text = trimmed(head);
  const bool csv = options.format == InputFormat::kDetect && options.csv_delimiter != 0;
  const InputFormat format = csv ? InputFormat::kAuto : options.format;
  note_no_json(path, head, options, counts);
  if (text.empty() || !options.csv_fields.empty() ||
      kind_by_head(head, format) != PieceKind::kRecords) {
    return;
  }
  if (counts.ingested + counts.failed == 0) {
    tell(path, std::string(" has the names of fields and no events below them") +
                   (options.format == InputFormat::kDetect && !is_named_csv(path)
                        ? "; --format text makes an event of each line"
                        : ""));
    return;
  }
  if (const std::size_t lines = lines_above_csv(head);
      lines > 0 && counts.failed > counts.ingested) {
    tell(path, ": the header seems to stand below the first " + counted_text(lines, "line"),
         below(lines));
  } else if (note_many_cells(path, counts)) {
    return;
  }
  if (note_unnamed_columns(path, head, options)) {
    return;
  }
  if (const std::string why = why_no_header(head, options.csv_delimiter); !why.empty()) {
    tell(path, ": the first line names the fields, " + why +
                   "; --csv-fields names them where it is an event");
  } else if (options.format == InputFormat::kDetect && !csv && names_words(text)) {
    tell(path, ": the first line names the field; --format text makes an event of each line");
  }
}

// Python prints objects that look like those of JSON, and logs may begin with braces.
void InputNotes::note_no_json(const std::string& path, std::string_view head,
                              const IngestOptions& options, const IngestCounts& counts) {
  const std::string_view text = trimmed(head);
  const bool names_none = text.starts_with("{'") || text.starts_with("{}");
  if (options.format == InputFormat::kDetect && names_none && counts.ingested == 0 &&
      counts.failed > 0) {
    tell(path, " has no line that is JSON; --format text makes an event of each line");
  }
}

// Whether the first record was taken for an event, which is told.
bool InputNotes::note_unnamed_columns(const std::string& path, const std::string& head,
                                      const IngestOptions& options) {
  const auto unnamed = options.format == InputFormat::kDetect
                           ? find_unnamed_columns(head, options.csv_delimiter, true)
                           : std::nullopt;
  if (!unnamed || unnamed->count == 0) {
    return false;
  }
  tell(path, ": the first line is an event, for it has the value '" + unnamed->value +
                 "', and its columns are column1" +
                 (unnamed->count > 1 ? " to column" + std::to_string(unnamed->count) : "") +
                 "; --csv-fields names them, --format csv takes their names from that line");
  return true;
}

// Whether most events were lost because their header names too few columns, which is told.
bool InputNotes::note_many_cells(const std::string& path, const IngestCounts& counts) {
  const bool lost = counts.failed > counts.ingested && !counts.failures.empty() &&
                    kind_of_failure(counts.failures[0].reason) == FailureKind::kManyCells;
  if (lost) {
    tell(path, " has more cells in its lines than names in the first; to name all of them",
         "tail -n +2", " --csv-fields a,b,…");
  }
  return lost;
}

// Text of another encoding is only read as such by whoever knows which it is.
void InputNotes::note_repairs(const std::string& path, const IngestCounts& counts) {
  if (counts.repaired == 0 || !counts.first_repaired.has_value()) {
    return;
  }
  print_note(global_, shown_name(path) + ": " + counted_text(counts.repaired, "event") +
                          " repaired (first at line " +
                          std::to_string(counts.first_repaired->line) + ": " +
                          counts.first_repaired->reason + ")");
  if (people_ && counts.first_repaired->reason == kRepairUtf8) {
    tell(path, " is not all UTF-8; if it is of another encoding, such as Windows-1252",
         "iconv -f WINDOWS-1252 -t UTF-8");
  }
}

// What a service answered is one object, however many of its events are listed in it.
void InputNotes::note_listed_events(const std::string& path, const std::string& head,
                                    const IngestCounts& counts) {
  const FailureKind kind =
      counts.failures.empty() ? FailureKind::kOther : kind_of_failure(counts.failures[0].reason);
  const bool wide = kind == FailureKind::kManyFields;
  const bool too_large = wide || kind == FailureKind::kLargeValues;
  const bool loaded = counts.ingested == 1;
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

// One look at the first columns tells what happened; a file of other things has many.
void InputNotes::note_odd_values(const std::string& path, const IngestCounts& counts) {
  constexpr std::size_t kColumnsMax = 5;
  std::size_t told = 0;
  for (const auto& [column, values] : counts.odd_csv_values) {
    if (told++ == kColumnsMax) {
      const std::size_t rest = counts.odd_csv_values.size() - kColumnsMax;
      tell(path, ": the same is true of " + counted_text(rest, "more column"));
      return;
    }
    const bool one = values.count == 1;
    tell(path, ": column " + values.field + ": " + counted_text(values.count, "value") +
                   (one ? " is" : " are") +
                   (values.number ? " no number" : " neither true nor false") +
                   (one ? " and stays" : " and stay") + " text; the first at line " +
                   std::to_string(values.line));
  }
}

}  // namespace evq
