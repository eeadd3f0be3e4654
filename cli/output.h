#pragma once
// What every verb prints the same way: errors on stderr with their exit status, data on stdout
// with a quiet end when the reader has gone, and the choice of form by where stdout leads.

#include <string>
#include <string_view>

#include "apl/service/result_writer.h"
#include "cli/options.h"
#include "store/base/result.h"

namespace evq {

// "error: text" and "  = hint", on stderr.
void print_error_line(std::string_view text, std::string_view hint);
// An error with its place in `query` when it has one; the exit status of its code.
int report_error(const Error& error, std::string_view query = {});
// A remark on stderr, unless --quiet.
void print_note(const GlobalOptions& global, std::string_view text);

// Writes to stdout; a closed pipe gives kCancelled, which ends a command quietly.
ByteSink stdout_sink();

// Reads standard input whole, up to `size_max` bytes.
Result<std::string> read_standard_input(std::size_t size_max);

}  // namespace evq
