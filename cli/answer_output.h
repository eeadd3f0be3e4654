#pragma once
// The forms in which an answer can be printed, one row each, and the remarks that go with it. The
// rows name the forms for options, completion and help.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/result_writer.h"
#include "cli/options.h"
#include "cli/table_output.h"

namespace evq {

struct AnswerForm {
  std::string_view name;
  std::string_view summary;
  std::string_view suffix;  // of files that hold this form; may be empty
};
std::span<const AnswerForm> answer_forms();
std::vector<std::string> answer_form_names();
// kUsage for what is no form, and for one that standard output, a terminal, cannot show.
Status check_answer_form(const std::string& form);
// Chooses the form that was asked for, else the setting `output`, else a picture or table on a
// terminal and ndjson elsewhere; checked.
Result<std::string> choose_answer_form(const GlobalOptions& global, const std::string& asked);
// Returns "csv" for "rows.csv" and "ROWS.CSV"; nullopt when no form has the suffix.
std::optional<std::string_view> answer_form_of_file(std::string_view path);

// Whether a form shows the first rows before it has seen all.
bool is_streamed_form(std::string_view form);
// Whether a form is one of the API, whose answers carry cursors.
bool is_api_form(std::string_view form);
// Sets what the form needs in the request whose answer is shown in it.
void fit_request(std::string_view form, QueryRequest* request);

// A sink that writes the answer in the form that `options` names. `auto` is a picture for answers
// of `render` and a table for others.
std::unique_ptr<ResultSink> make_answer_output(const TableOutputOptions& options, ByteSink out);

// Whether a query asks for the field _sysTime by its name. Every event has it and hardly anybody
// wants to see it, so that forms for people leave it out unless somebody does; so do exports, for
// it is the store's, not the event's.
bool names_arrival_time(std::string_view apl);
// Passes an answer on to `next`, which outlives it, without that field.
std::unique_ptr<ResultSink> without_arrival_time(ResultSink& next);

// Writes "12 rows · 1,234,567 scanned · 3/87 blocks · 41 ms".
std::string answer_footer(const QueryStatus& status, bool unicode);
// Returns the warnings of the query, and that rows are missing for the default limit; `all_hint` is
// how all are asked for. One line each, without a line break.
std::vector<std::string> answer_remarks(const ResultHeader& header, const QueryStatus& status,
                                        std::string_view all_hint);

}  // namespace evq
