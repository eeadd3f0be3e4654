#pragma once
// Events for people who follow them, one a line: logfmt, with times in the reader's zone, keys that
// stand back and severities that stand out, and nothing in it that a terminal would obey. Lines go
// out with each push. One thread at a time; begin … end once a part.

#include <memory>

#include "apl/service/result_writer.h"
#include "cli/table_output.h"

namespace evq {

// Makes the sink. Of the options it uses zone, colour and whole_events: whole events begin with
// their time, severity and message, other rows have their fields in the order of their columns.
std::unique_ptr<ResultSink> make_event_lines(const TableOutputOptions& options, ByteSink out);

}  // namespace evq
