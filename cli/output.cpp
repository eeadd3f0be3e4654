#include "cli/output.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <unistd.h>

#include "apl/syntax/diagnostics.h"
#include "apl/syntax/source.h"
#include "cli/interrupt.h"
#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/text_width.h"
#include "store/base/file.h"
#include "store/base/limits.h"
#include "store/base/system_call.h"

namespace evq {

void print_error_line(std::string_view text, std::string_view hint) {
  std::string line = "error: " + visible_text(text) + "\n";
  if (!hint.empty()) {
    line += "  = " + visible_text(hint) + "\n";
  }
  write_quietly(STDERR_FILENO, line);
}

bool wants_json(const std::string& output) {
  return output == "json" || (output.empty() && ::isatty(STDOUT_FILENO) == 0);
}

namespace {

// A tab is as wide as any blank here, and more would not fit.
std::string shown_line(std::string_view text) {
  std::string line(text);
  std::ranges::replace(line, '\t', ' ');
  return visible_text(line);
}

// Places in the text stay what they are.
std::string with_comment_for_interpreter(std::string text) {
  if (text.starts_with("#!")) {
    text.replace(0, 2, "//");
  }
  return text;
}

// Colours what SourceText::render wrote: the words before the message, and the carets.
std::string colored_report(const std::string& report) {
  const std::string_view text = report;
  std::string out;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string_view line = text.substr(begin, end - begin);
    const std::size_t colon = line.find(": ");
    const std::size_t caret = line.find_first_not_of(" |");
    if (begin == 0 && colon != std::string_view::npos) {
      append_styled(out, line.substr(0, colon), TextStyle::kError, true);
      out.append(line.substr(colon));
    } else if (caret != std::string_view::npos && line[caret] == '^') {
      out.append(line.substr(0, caret));
      append_styled(out, line.substr(caret, line.size() - caret - 1), TextStyle::kError, true);
      out.push_back('\n');
    } else {
      out.append(line);
    }
    begin = end;
  }
  return out;
}

}  // namespace

int report_error(const Error& error, std::string_view query, ColorChoice color,
                 std::string_view name) {
  if (error.span.has_value() && !query.empty()) {
    Error shown = error;  // names in it are data
    shown.message = visible_text(error.message);
    shown.hint = visible_text(error.hint);
    const Environment environment = process_environment();
    const bool terminal = ::isatty(STDERR_FILENO) != 0;
    const std::size_t columns =
        terminal ? terminal_size(STDERR_FILENO, environment).columns : std::size_t{0};
    const std::string report = SourceText(std::string(query), visible_text(name))
                                   .render(shown, {shown_line, text_width, columns});
    const bool colored = use_color(color, environment, terminal);
    write_quietly(STDERR_FILENO, colored ? colored_report(report) : report);
  } else {
    // No others close some of its files in a moment, as those that a server works for may.
    print_error_line(error.message, is_no_descriptors(error)
                                        ? "raise the limit of open files: ulimit -n 4096"
                                        : error.hint);
  }
  const bool other_server = error.code == ErrorCode::kNotFound && error.message == kPathNotFound;
  return error.code == ErrorCode::kCancelled
             ? interrupted_status()
             : error_code_info(other_server ? ErrorCode::kServer : error.code).exit_status;
}

Error with_near_name(Error error, std::string_view word, const std::vector<std::string>& names,
                     std::string_view list_command) {
  if (error.code == ErrorCode::kNotFound && error.hint.empty()) {
    const std::vector<std::string_view> views(names.begin(), names.end());
    const std::string near = diag::did_you_mean(word, views);
    error.hint = near.empty() ? std::string(list_command) + " shows what there is" : near;
  }
  return error;
}

Error input_error(Error error, const std::string& path) {
  const std::string name = path == "-" ? "stdin" : path;
  if (error.code == ErrorCode::kCancelled && !error.message.starts_with("interrupted")) {
    error.message = "interrupted";
  }
  if (error.message.find(name) == std::string::npos && error.code != ErrorCode::kUsage) {
    error.message = name + ": " + error.message;
  }
  return error;
}

Status check_input_path(const std::string& path) {
  if (path == "-" || !is_directory(path)) {
    return Status::success();
  }
  const std::string folder = path.ends_with('/') ? path : path + "/";
  return make_error(ErrorCode::kUsage, path + " is a directory",
                    "name its files: " + (folder == "./" ? "" : folder) + "*");
}

int report_end(const Status& done, std::string_view query, ColorChoice color) {
  if (done.ok()) {
    return 0;
  }
  if (done.error().code == ErrorCode::kCancelled) {
    return is_interrupted() ? interrupted_status() : 0;
  }
  return report_error(done.error(), query, color);
}

void print_note(const GlobalOptions& global, std::string_view text) {
  if (!global.quiet) {
    write_quietly(STDERR_FILENO, visible_text(text) + "\n");
  }
}

std::string pager_here(const GlobalOptions& global) {
  return is_terminal(STDIN_FILENO) && is_terminal(STDOUT_FILENO) &&
                 !is_dumb_terminal(process_environment())
             ? global.settings.value("pager")
             : std::string();
}

bool shows_progress(const GlobalOptions& global) {
  return !global.quiet && is_terminal(STDERR_FILENO) && !is_dumb_terminal(process_environment());
}

namespace {

// What a failed write to standard output means.
Error write_error(int failure) {
  if (failure == ECANCELED) {
    return make_error(ErrorCode::kCancelled, "interrupted");
  }
  return failure == 0 || failure == EPIPE
             ? make_error(ErrorCode::kCancelled, "the reader of the output has gone")
             : make_error(ErrorCode::kIo,
                          "cannot write standard output: " + std::string(std::strerror(failure)));
}

}  // namespace

ByteSink stdout_sink() {
  return [](std::string_view bytes) -> Status {
    if (!bytes.empty() && !write_quietly(STDOUT_FILENO, bytes, is_interrupted)) {
      return write_error(errno);
    }
    return Status::success();
  };
}

int print_data(std::string_view text) {
  return report_end(plain_sink()(text));
}

ByteSink wanted_sink(ByteSink out) {
  return [out = std::move(out)](std::string_view bytes) {
    return is_interrupted() ? write_error(ECANCELED) : out(bytes);
  };
}

ByteSink paged_sink(PagedOutput& paged) {
  return [&paged](std::string_view bytes) -> Status {
    if (is_interrupted() && !paged.is_paging()) {
      return write_error(ECANCELED);
    }
    if (!bytes.empty() && !paged.write(bytes)) {
      return write_error(paged.failure());
    }
    return Status::success();
  };
}

Status drain_paged(PagedOutput& paged) {
  return paged.drain() ? Status::success() : write_error(paged.failure());
}

Status finish_paged(PagedOutput& paged, Status done) {
  paged.finish();
  if (done.ok() && paged.failure() != 0) {
    return write_error(paged.failure());
  }
  return done;
}

ByteSink frame_sink(LiveFrame& frame) {
  return [&frame](std::string_view bytes) -> Status {
    const bool interrupted = is_interrupted();
    if (interrupted || !frame.write(bytes)) {
      return write_error(interrupted ? ECANCELED : frame.failure());
    }
    return Status::success();
  };
}

Status finish_frame(LiveFrame& frame) {
  return frame.finish() ? Status::success() : write_error(frame.failure());
}

ByteSink harmless_sink(ByteSink out) {
  return [out = std::move(out)](std::string_view bytes) { return out(harmless_text(bytes)); };
}

ByteSink plain_sink() {
  return is_terminal(STDOUT_FILENO) ? harmless_sink(stdout_sink()) : stdout_sink();
}

Result<std::string> read_standard_input(std::size_t size_max) {
  File input = File::standard_input();
  return read_input(&input, size_max, interrupt_control());
}

Result<std::string> read_input_file(const std::string& path, std::size_t size_max) {
  if (is_directory(path)) {
    return make_error(ErrorCode::kUsage, path + " is a directory", "name a file in it");
  }
  EVQ_TRY_ASSIGN(File input, File::open_input(path, interrupt_control()));
  return read_input(&input, size_max, interrupt_control());
}

Result<std::string> read_query_input() {
  EVQ_TRY_ASSIGN(std::string text, read_standard_input(kQueryTextBytesMax));
  return with_comment_for_interpreter(std::move(text));
}

Result<std::string> read_query_file(const std::string& path) {
  EVQ_TRY_ASSIGN(std::string text, read_input_file(path, kQueryTextBytesMax));
  return with_comment_for_interpreter(std::move(text));
}

}  // namespace evq
