#pragma once
// Answers for people: tables fitted to the terminal, Markdown, one field a line. The rows are held
// as texts until the end, since widths depend on all of them; kLimit when those are too many.

#include <memory>
#include <string>

#include "apl/service/display_zone.h"
#include "apl/service/result_writer.h"
#include "cli/terminal/terminal.h"
#include "store/base/control.h"
#include "store/base/limits.h"

namespace evq {

struct TableOutputOptions {
  std::string form = "table";  // a name of answer_output.h
  std::string null_text = "null";
  bool header = true;
  DisplayZone zone;
  bool arrival_time = true;  // `auto` shows the field _sysTime of events
  // The rows are events with all their fields: null says that there is no such field, so that where
  // each field has a line of its own, nulls have none.
  bool whole_events = false;
  std::size_t rows_bytes_max = kQueryMemoryBytesDefault;  // of the texts of rows that are held
  // Columns and rows of the place where the answer goes. Width 0: no limit, as for a file.
  std::size_t width = 0;
  std::size_t rows = 0;                                // likewise
  std::size_t picture_width = TerminalSize().columns;  // width of pictures where `width` is 0
  bool unicode = true;
  bool color = false;
  // Control of the query that is laid out; cancelling it ends the layout. Null: nobody ends it.
  const QueryControl* control = nullptr;
  bool is_for_terminal() const { return width != 0; }
};

// Sets the options for standard output as it is now: a terminal's width and what it can show.
// Pictures in a pipe are as wide as COLUMNS says.
void fit_to_standard_output(TableOutputOptions* options, ColorChoice color);

// Appends one cell as a person reads it, times in the zone.
void append_shown_cell(std::string* out, const Vector& column, std::size_t row,
                       const DisplayZone& zone);

// Makes the forms table, markdown, line.
std::unique_ptr<ResultSink> make_table_output(const TableOutputOptions& options, ByteSink out);

}  // namespace evq
