// The process: hands the command line to its verb and turns what no layer expected into an exit
// status. The only catch-all of the program.

#include <csignal>
#include <exception>
#include <new>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "store/base/process.h"

int main(int argc, char** argv) {
  // A write past the limit of a file's size is an error like a full disk's, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  const evq::CommandHandlers handlers{
      .ingest = evq::run_ingest,
      .query = evq::run_query,
      .tail = evq::run_tail,
      .export_events = evq::run_export,
      .remove = evq::run_delete,
      .starred = evq::run_starred,
      .dataset = evq::run_dataset,
      .check = evq::run_check,
      .compact = evq::run_compact,
      .backup = evq::run_backup,
      .serve = evq::run_serve,
      .token = evq::run_token,
      .organization = evq::run_organization,
      .config = evq::run_config,
      .completion = evq::run_completion,
      .demo = evq::run_demo,
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
