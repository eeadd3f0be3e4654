#pragma once
// Answers as pictures: lines over time, one for each group; bars for categories; points for two
// numbers; sparklines when there are more groups than lines can tell apart. What is drawn follows
// `render KIND` and its properties, or else the columns: a time and numbers make lines, names and
// numbers bars. Answers that hold no number come out as tables. The rows are held until the end.

#include <memory>

#include "apl/service/result_writer.h"
#include "cli/table_output.h"

namespace evq {

std::unique_ptr<ResultSink> make_chart_output(const TableOutputOptions& options, ByteSink out);

}  // namespace evq
