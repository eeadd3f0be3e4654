// evq help TOPIC: exit statuses, and the language explained from its own tables.

#include "cli/help.h"

#include <algorithm>
#include <utility>

#include <unistd.h>

#include "apl/service/coverage.h"
#include "apl/service/reference.h"
#include "apl/syntax/diagnostics.h"
#include "cli/commands.h"
#include "cli/event_files.h"
#include "cli/interrupt.h"
#include "cli/open_service.h"
#include "cli/output.h"
#include "cli/terminal/pager.h"
#include "cli/terminal/terminal.h"
#include "cli/terminal/text_width.h"
#include "store/base/ascii.h"

namespace evq {
namespace {

struct ExitStatus {
  int status;
  std::string_view meaning;
};

// What store/base/error.cpp gives to each kind of error, and the statuses of verbs.
constexpr ExitStatus kExitStatuses[] = {
    {0, "done"},
    {1, "failed: something named is not there, a memory limit, --fail-on-empty"},
    {2, "wrong usage, or not supported"},
    {3, "the query does not compile, or names a dataset that is not there"},
    {4, "the input: malformed, too large, too many failures, any with --strict"},
    {5, "the store: I/O error, disk full, read-only, damage"},
    {6, "server and authorization; the store is locked for too long"},
    {124, "the query took longer than --timeout"},
    {129, "interrupted by SIGHUP: the terminal is gone"},
    {130, "interrupted"},
    {143, "interrupted by SIGTERM"},
};

Result<std::string> topic_text(const HelpCommand& command) {
  if (command.topic.empty()) {
    std::string names;
    for (const std::string& verb : command.verbs) {
      names += verb + " ";
    }
    std::string verbs = "commands\n";
    for (const std::string_view line : wrap_to_width(names, kHelpWidth - 4)) {
      verbs.append("  ").append(line.substr(0, line.find_last_not_of(' ') + 1)).append("\n");
    }
    std::string text = reference_overview();
    const std::size_t first_blank = text.find("\n\n");
    return text.insert(first_blank + 2, verbs + "\n");
  }
  std::string name = command.topic[0];
  for (std::size_t i = 1; i < command.topic.size(); ++i) {
    name += " " + command.topic[i];
  }
  if (name == "exit-codes" || name == "exit-status") {
    return exit_status_table();
  }
  auto text = reference_topic(name);
  if (text.ok()) {
    return text;
  }
  Error error = std::move(text).take_error();
  if (error.hint.empty()) {
    const std::vector<std::string_view> verbs(command.verbs.begin(), command.verbs.end());
    error.hint = diag::did_you_mean(name, verbs);
    error.hint = error.hint.empty() ? "evq help lists what there is" : error.hint;
  }
  error.message = "no command, operator or function '" + name + "'";
  return error;
}

// In an empty store of its own: examples bring their data.
Result<Coverage> coverage_of_language(const GlobalOptions& global) {
  EVQ_TRY_ASSIGN(const EventFiles files, EventFiles::none());
  ServiceOptions options = existing_store();
  options.store_directory = files.directory();
  EVQ_TRY_ASSIGN(const std::unique_ptr<Service> service, open_service(global, options));
  return measure_coverage(*service, files.directory());
}

// Through a pager where somebody reads a screen.
int print_pages(const GlobalOptions& global, std::string_view text) {
  const InterruptScope interrupt(Interrupted::kInput);
  PagedOutput paged(STDOUT_FILENO, terminal_size(STDOUT_FILENO, process_environment()),
                    pager_here(global), is_interrupted);
  Status written = paged_sink(paged)(text);
  return report_end(finish_paged(paged, std::move(written)));
}

}  // namespace

std::string exit_status_table() {
  std::string text;
  for (const ExitStatus& row : kExitStatuses) {
    const std::string status = std::to_string(row.status);
    text.append(5 - status.size(), ' ').append(status).append("  ").append(row.meaning) += '\n';
  }
  return text;
}

std::string wrapped_help(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::string_view line = take_line(&text);
    if (line.starts_with(' ')) {
      out.append(line).push_back('\n');
      continue;
    }
    for (const std::string_view part : wrap_to_width(line, kHelpWidth)) {
      out.append(part.substr(0, part.find_last_not_of(' ') + 1)).push_back('\n');
    }
  }
  return out;
}

int run_help(const GlobalOptions& global, const HelpCommand& command) {
  if (command.coverage) {
    const auto coverage = coverage_of_language(global);
    if (!coverage.ok()) {
      return report_error(coverage.error());
    }
    const int printed = print_data(coverage.value().text());
    return coverage.value().working() == coverage.value().total() ? printed : 1;
  }
  const auto text = topic_text(command);
  if (!text.ok()) {
    return report_error(text.error());
  }
  return print_pages(global, wrapped_help(text.value()));
}

}  // namespace evq
