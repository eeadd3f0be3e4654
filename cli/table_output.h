#pragma once
// Answers for people: tables fitted to the terminal, Markdown, one field a line, logfmt. The rows
// are held until the end, since widths depend on all of them.

#include <memory>
#include <string>

#include "apl/service/result_writer.h"
#include "cli/terminal/terminal.h"

namespace evq {

struct TableOutputOptions {
  std::string form = "table";  // table, markdown, line, logfmt
  std::string null_text = "null";
  bool header = true;
  ColorChoice color = ColorChoice::kAuto;
};

std::unique_ptr<ResultSink> make_table_output(const TableOutputOptions& options, ByteSink out);

}  // namespace evq
