#pragma once
// What every verb prints the same way: errors on stderr with their exit status, data on stdout
// with a quiet end when the reader has gone, and the choice of form by where stdout leads.

#include <string>
#include <string_view>
#include <vector>

#include "apl/service/result_writer.h"
#include "cli/options.h"
#include "cli/terminal/live_frame.h"
#include "cli/terminal/pager.h"
#include "store/base/result.h"

namespace evq {

// What a server says of a path that it does not have: it is another server than was meant.
inline constexpr std::string_view kPathNotFound = "path not found";

// Prints "error: text" and "  = hint" on stderr.
void print_error_line(std::string_view text, std::string_view hint);
// Prints an error with its place in `query` when it has one; returns the exit status of its code.
// With colour the kind of error and its place stand out, where stderr is a terminal and `color`
// allows it. `name` says where the query stands.
int report_error(const Error& error, std::string_view query = {},
                 ColorChoice color = ColorChoice::kNever, std::string_view name = "query");
// Adds a hint to the error that `word` was not found: the nearest of `names`, else the command that
// lists them. Errors of other kinds, and those with a hint of their own, stay as they are.
Error with_near_name(Error error, std::string_view word, const std::vector<std::string>& names,
                     std::string_view list_command);
// kUsage when an input of events is a directory, whose files are to be named instead.
Status check_input_path(const std::string& path);
// Adds the name of the input, standard input for `-`, to an error that reading it gave.
Error input_error(Error error, const std::string& path);
// Returns a command's exit status: quietly 0 when the reader of a pipe has seen enough and 130 when
// it was interrupted, else that of report_error.
int report_end(const Status& done, std::string_view query = {},
               ColorChoice color = ColorChoice::kNever);
// Prints a remark on stderr, unless --quiet.
void print_note(const GlobalOptions& global, std::string_view text);

// Returns the pager's command; empty where nobody reads a screen, and where the terminal knows no
// way to move on one.
std::string pager_here(const GlobalOptions& global);
// Whether stderr may show a line of progress, which is drawn again and again.
bool shows_progress(const GlobalOptions& global);

// Whether a verb that knows a table and JSON prints JSON: asked for, or stdout is no terminal.
bool wants_json(const std::string& output);

// Writes to stdout; a closed pipe gives kCancelled, which ends a command quietly, and a full disk
// kIo. After Ctrl-C it does not wait for a reader (kCancelled), and long texts end early.
ByteSink stdout_sink();
// Wraps `out`: gives kCancelled after Ctrl-C, for answers, of which nobody wants the rest.
ByteSink wanted_sink(ByteSink out);
// Prints all of `text` through plain_sink(); returns the command's exit status.
int print_data(std::string_view text);
// Makes a stdout_sink() through a pager, which must outlive the sink; a reader who quits it gives
// kCancelled, and so does Ctrl-C before there is a pager.
ByteSink paged_sink(PagedOutput& paged);
// Waits until a slow reader has what is kept for it; errors as of the sink.
Status drain_paged(PagedOutput& paged);
// Ends that output: waits for the pager's reader; `done` unless the output's end was lost.
Status finish_paged(PagedOutput& paged, Status done);
// Makes a stdout_sink() through a frame that is drawn anew, which must outlive the sink.
ByteSink frame_sink(LiveFrame& frame);
Status finish_frame(LiveFrame& frame);

// Wraps `out` where a terminal shows a form for programs: data cannot make it do anything.
ByteSink harmless_sink(ByteSink out);
// Makes a stdout_sink() for text without colours: harmless on a terminal.
ByteSink plain_sink();

// Reads standard input whole, up to `size_max` bytes.
Result<std::string> read_standard_input(std::size_t size_max);
// Reads a file of any kind whole, up to `size_max` bytes; symbolic links are followed.
Result<std::string> read_input_file(const std::string& path, std::size_t size_max);
// Read the text of a query, or of several, so: up to kQueryTextBytesMax, and a first line that
// begins with #! and names the interpreter of a script is a comment.
Result<std::string> read_query_input();
Result<std::string> read_query_file(const std::string& path);

}  // namespace evq
