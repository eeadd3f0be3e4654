#pragma once
// Repl: the prompt of `evq` and `evq repl`, over a store, a server or files. It reads queries and
// dot commands, from a terminal with a line editor or from any other input line by line, and shows
// answers in the form the user has chosen. What the language is stays with apl/.
// Ctrl-C cancels the query that runs. One thread uses a Repl; a query runs on another while this
// one shows its progress.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/completion.h"
#include "apl/service/display_zone.h"
#include "apl/syntax/unfinished.h"
#include "cli/answer_file.h"
#include "cli/event_files.h"
#include "cli/held_answer.h"
#include "cli/options.h"
#include "cli/query_target.h"
#include "cli/repl_inputs.h"
#include "cli/table_output.h"
#include "cli/terminal/completion_menu.h"
#include "cli/terminal/history.h"
#include "cli/terminal/style.h"
#include "cli/terminal/terminal.h"
#include "store/base/limits.h"

namespace evq {

class LiveFrame;  // cli/terminal/live_frame.h

// The settings that dot commands change.
struct ReplSettings {
  std::string form = "auto";
  bool form_chosen = false;  // the user chose it; else a file's name may say it
  std::string since;         // as given: 1h; empty: all times
  std::string until;
  DisplayZone zone;
  std::string null_text = "null";
  std::uint64_t rows_max = kResultRowsDefault;  // of queries without a limit; 0: no such limit
  double timeout_s = 0;                         // 0: none
  bool footer = true;
  bool pager = true;
};

class Repl {
 public:
  Repl(const GlobalOptions& global, const ReplCommand& command);
  // Reads until the end of the input; the exit status of the process.
  int run();

  // ---- for the dot commands (repl_commands.h)
  ReplSettings& settings() { return settings_; }
  QueryTarget& target() { return *target_; }
  const GlobalOptions& global() const { return global_; }
  // Returns "the store is …", "the server is …", "the files are …".
  std::string place() const;
  // Goes on with another store, without the last answer; the one in use stays when that fails.
  Status use_store(const std::string& directory);
  // Runs the queries and commands of a text one after the other, as standard input gives them,
  // until one is cancelled or ends the prompt; their errors are told, with their place in the file
  // of this name if there is one, where the text begins in this line. kUsage when texts load each
  // other without end.
  Status take(std::string_view text, const std::string& name = {}, std::size_t line = 1);
  // Runs the query and shows its answer or its error, which becomes the exit status.
  void ask(const std::string& apl);
  // Does the same with a saved query, its variables and times included.
  void ask_saved(QueryRequest saved);
  // Runs the query, or the last one where none is given, and shows its answer again and again,
  // with so many seconds between two, until Ctrl-C, q or an error, which is told.
  Status watch(const std::string& apl, double seconds);
  // Tells an error, of the query `apl` or, where that is empty, of a command; it becomes the exit
  // status.
  void fail(const Error& error, std::string_view apl);
  // Adds a text to the history of a person's prompt.
  void remember(std::string text);
  CompletionList complete_query(std::string_view text, std::size_t cursor);
  Result<std::string> explain(const std::string& apl);
  Result<std::string> profile(const std::string& apl);
  // Shows events as they arrive, until Ctrl-C.
  Status follow(const TailCommand& command);
  // Returns the answer of the last query; null before the first of this store.
  HeldAnswer* last_answer() { return last_answer_ ? &*last_answer_ : nullptr; }
  std::string& last_query() { return last_query_; }
  // Shows an answer on the screen, or writes it to the file that answers go to.
  Status show(const HeldAnswer& answer, const std::string& form);
  // Sends answers to this file from now on, one after the other; the last file is closed, which may
  // fail as well. kUsage for what can be no such file.
  Status send_answers_to(const std::string& path);
  // Sends the next answer to this file, alone.
  Status send_next_answer_to(const std::string& path);
  // Shows answers on the screen again; returns an error of the file they went to.
  Status show_answers();
  // Returns the form of an answer in a file of this name.
  std::string form_in_file(const std::string& path, const std::string& form) const;
  // Writes text to standard output, through the pager when it is long.
  void print(std::string_view text);
  // Tells what a command has done, a line: to a terminal, else out of the way of data.
  void tell(const std::string& line);
  void quit() { ended_ = true; }

 private:
  Status open();
  // Returns the store, the server or the files, by their names alone.
  std::string source() const;
  Status open_store();
  Status open_files();
  Result<EventFiles> load_files() const;
  // Replaces the target in use, whose answer goes with it.
  void set_target(std::unique_ptr<QueryTarget> target);
  void greet();
  void read_inputs();
  // Takes standard input as .load takes a file, if it is one of that size; else reads nothing.
  bool take_whole_file();
  void take_input(std::string_view text);
  std::vector<ReplInput> inputs_of(std::string_view text);
  bool goes_on(std::string_view text) const;
  std::string whole_query(std::string_view text) const;
  bool is_complete(std::string_view text, std::size_t known);
  CompletionList complete(std::string_view text, std::size_t cursor);
  // Finds the mistake in the text that is being typed; valid until the next call.
  const Error* mistake(std::string_view text);
  std::optional<Error> look_for_mistake(std::string_view text);
  std::vector<StyledSpan> highlight(std::string_view text);
  std::string remark(std::string_view text, std::size_t cursor);
  Result<std::string> describe(const std::string& apl,
                               Result<std::string> (QueryTarget::*how)(const QueryRequest&));
  // Makes the request of a query, with what the settings say of every query.
  QueryRequest request_of(const std::string& apl) const;
  QueryRequest last_request() const;
  void ask(QueryRequest request);
  // Opens the store if it has come meanwhile; false, with the error told, where there is none.
  bool find_store();
  Status run_query(const QueryRequest& request, QueryControl& control, ResultSink& sink);
  // Runs the query, whose answer becomes the last one.
  Status answer(const QueryRequest& request, QueryControl& control);
  Status watch_once(QueryRequest request, double seconds, LiveFrame& frame);
  // False when Ctrl-C or a key ended the wait.
  bool wait_for_next(double seconds);
  // Lists what the last answer leaves out and why; one line each.
  std::vector<std::string> remarks_on(const QueryRequest& request);
  // Returns the line under answers; empty when there is none.
  std::string footer(bool color) const;
  TableOutputOptions output_options(const std::string& form) const;
  bool answers_go_to_file() const { return answer_file_.has_value() || !next_file_.empty(); }
  Status write_in_file(const HeldAnswer& answer, const std::string& form);
  Status lay_out(const HeldAnswer& answer, const TableOutputOptions& options, ByteSink out);
  std::string prompt() const;
  std::string pager() const;

  GlobalOptions global_;
  const ReplCommand command_;
  ReplSettings settings_;
  const Environment environment_;
  std::unique_ptr<TerminalDevice> device_;
  bool interactive_ = false;            // a person reads and types
  bool remote_ = false;                 // the target is the server of the settings
  std::optional<EventFiles> no_store_;  // stands in until there is a store
  std::optional<EventFiles> files_;     // instead of one
  std::unique_ptr<QueryTarget> target_;
  syntax::GrowingText growing_;       // the query that comes line by line
  std::size_t growing_comments_ = 0;  // bytes of the comments in front of it
  std::string looked_at_;             // the text mistake_ is of
  std::optional<Error> mistake_;
  std::int64_t slow_looks_ns_ = 0;  // that looks at the text now typed took, the quick ones aside
  History history_;
  bool history_told_ = false;  // the user knows that it cannot be kept
  std::optional<HeldAnswer> last_answer_;
  std::string last_query_;
  std::optional<QueryRequest> saved_query_;  // the last query if saved, with variables and times
  std::string answered_query_;               // the last one without an error
  std::optional<AnswerFile> answer_file_;    // where answers go instead of the screen
  std::string next_file_;                    // where the next one goes; empty: as the others
  std::size_t loading_ = 0;                  // texts that are being taken, one by the other
  ReplPlace place_;                          // of the input that is being taken
  bool ended_ = false;
  bool cancelled_ = false;  // the last query; nothing of its text goes on
  int status_ = 0;
};

}  // namespace evq
