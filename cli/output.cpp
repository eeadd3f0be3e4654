#include "cli/output.h"

#include <unistd.h>

#include <csignal>

#include "apl/syntax/source.h"
#include "cli/terminal/style.h"
#include "cli/terminal/text_width.h"
#include "store/base/file.h"

namespace evq {

void print_error_line(std::string_view text, std::string_view hint) {
  std::string line = "error: " + visible_text(text) + "\n";
  if (!hint.empty()) {
    line += "  = " + visible_text(hint) + "\n";
  }
  write_quietly(STDERR_FILENO, line);
}

int report_error(const Error& error, std::string_view query) {
  if (error.span.has_value() && !query.empty()) {
    write_quietly(STDERR_FILENO, SourceText(std::string(query)).render(error));
  } else {
    print_error_line(error.message, error.hint);
  }
  return error_code_info(error.code).exit_status;
}

void print_note(const GlobalOptions& global, std::string_view text) {
  if (!global.quiet) {
    write_quietly(STDERR_FILENO, std::string(text) + "\n");
  }
}

ByteSink stdout_sink() {
  return [](std::string_view bytes) -> Status {
    if (!bytes.empty() && !write_quietly(STDOUT_FILENO, bytes)) {
      return make_error(ErrorCode::kCancelled, "the reader of the output has gone");
    }
    return Status::success();
  };
}

Result<std::string> read_standard_input(std::size_t size_max) {
  File input = File::standard_input();
  std::string text;
  char buffer[1 << 16];
  while (true) {
    EVQ_TRY_ASSIGN(const std::size_t size, input.read_some(buffer));
    if (size == 0) {
      return text;
    }
    text.append(buffer, size);
    if (text.size() > size_max) {
      return make_error(ErrorCode::kTooLarge, "standard input is too long");
    }
  }
}

}  // namespace evq
