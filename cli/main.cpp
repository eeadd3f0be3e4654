// The process: hands the command line to its verb and turns what no layer expected into an exit
// status. The only catch-all of the program.

#include <csignal>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/terminal/progress.h"
#include "store/base/process.h"

namespace {

// A verb that signals interrupt. Those that are not made so either end at once by a signal, as
// those that only look at the options do, or say themselves what is interrupted.
template <class Command>
auto interruptible(int (*run)(const evq::GlobalOptions&, const Command&)) {
  return [run](const evq::GlobalOptions& global, const Command& command) {
    const evq::InterruptScope interrupt(evq::Interrupted::kCommand);
    return run(global, command);
  };
}

}  // namespace

int main(int argc, char** argv) {
  // A write past the limit of a file's size is an error like a full disk's, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  // Of every verb: who asks one that shows no progress, or is idle, does not end it.
  evq::answer_progress_signals();
  const evq::CommandHandlers handlers{
      .ingest = interruptible(evq::run_ingest),
      .query = evq::run_query,
      .tail = interruptible(evq::run_tail),
      .export_events = interruptible(evq::run_export),
      .remove = interruptible(evq::run_delete),
      .starred = interruptible(evq::run_starred),
      .dataset = interruptible(evq::run_dataset),
      .check = interruptible(evq::run_check),
      .compact = interruptible(evq::run_compact),
      .backup = interruptible(evq::run_backup),
      .serve = interruptible(evq::run_serve),
      .token = interruptible(evq::run_token),
      .organization = interruptible(evq::run_organization),
      .config = evq::run_config,
      .completion = evq::run_completion,
      .demo = interruptible(evq::run_demo),
      .help = evq::run_help,
      .repl = evq::run_repl,
  };
  evq::occupy_standard_descriptors();
  try {
    return evq::run_command_line(argc, argv, handlers);
  } catch (const std::bad_alloc&) {
    evq::print_error_line("out of memory", "give the query a --memory-limit, or narrow it");
  } catch (const std::exception& error) {
    evq::print_error_line(std::string("unexpected: ") + error.what(), "please report this");
  }
  return 1;
}
