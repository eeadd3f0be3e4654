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

// "error: text" and "  = hint", on stderr.
void print_error_line(std::string_view text, std::string_view hint);
// An error with its place in `query` when it has one; the exit status of its code. With colour
// the kind of error and its place stand out, where stderr is a terminal and `color` allows it.
// `name` says where the query stands.
int report_error(const Error& error, std::string_view query = {},
                 ColorChoice color = ColorChoice::kNever, std::string_view name = "query");
// What may have been meant when `word` was not found: the nearest of `names`, else the command that
// lists them. Errors of other kinds, and those with a hint of their own, stay as they are.
Error with_near_name(Error error, std::string_view word, const std::vector<std::string>& names,
                     std::string_view list_command);
// kUsage when an input of events is a directory, whose files are to be named instead.
Status check_input_path(const std::string& path);
// An error while the input of this path, `-` for standard input, was read: with its name in it.
Error input_error(Error error, const std::string& path);
// What a command ends with: quietly with 0 when the reader of a pipe has seen enough and with 130
// when it was interrupted, else report_error.
int report_end(const Status& done, std::string_view query = {},
               ColorChoice color = ColorChoice::kNever);
// A remark on stderr, unless --quiet.
void print_note(const GlobalOptions& global, std::string_view text);

// The pager's command; empty where nobody reads a screen, and where the terminal knows no way to
// move on one.
std::string pager_here(const GlobalOptions& global);
// Whether a line that is drawn again and again may say on stderr how far the work is.
bool shows_progress(const GlobalOptions& global);

// Whether a verb that knows a table and JSON prints JSON: asked for, or nobody looks.
bool wants_json(const std::string& output);

// Writes to stdout; a closed pipe gives kCancelled, which ends a command quietly, and a full disk
// kIo. After Ctrl-C it does not wait for a reader (kCancelled), and long texts end early.
ByteSink stdout_sink();
// `out` until Ctrl-C, then kCancelled: for answers, of which nobody wants the rest.
ByteSink wanted_sink(ByteSink out);
// plain_sink() for all there is to say; the command's exit status.
int print_data(std::string_view text);
// stdout_sink() through a pager, which must outlive the sink; a reader who quits it gives
// kCancelled, and so does Ctrl-C before there is a pager.
ByteSink paged_sink(PagedOutput& paged);
// The end of that output: waits for the pager's reader; `done` unless the output's end was lost.
Status finish_paged(PagedOutput& paged, Status done);
// stdout_sink() through a frame that is drawn anew, which must outlive the sink.
ByteSink frame_sink(LiveFrame& frame);
Status finish_frame(LiveFrame& frame);

// Where a terminal shows a form for programs: data cannot make it do anything.
ByteSink harmless_sink(ByteSink out);
// stdout_sink() for text without colours: harmless on a terminal.
ByteSink plain_sink();

// Reads standard input whole, up to `size_max` bytes.
Result<std::string> read_standard_input(std::size_t size_max);
// The same for a file of any kind; symbolic links are followed.
Result<std::string> read_input_file(const std::string& path, std::size_t size_max);

}  // namespace evq
