#pragma once
// The API's answers as a client reads them, and its requests as a client writes them: the other
// direction of wire.h. Answers come from other programs, so everything is checked: kServer for what
// is not as the API says. Members that are not known are ignored.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apl/service/completion.h"
#include "apl/service/request.h"
#include "store/store.h"

namespace evq {

std::string write_query_body(const QueryRequest& request);
std::string write_delete_body(const DeleteRequest& request);

// kServer.
Error unexpected_answer(std::string_view what);

// ---- answers of queries (wire_query_answer.cpp)

// The type here of what answers call so. What has several types there is dynamic, "integer|float"
// as well, whose integers may be longer than a real keeps; so is what is not known.
Type type_of_api_name(std::string_view name);
// A tabular answer into `sink`: begin, push, end. An answer that may lack rows is
// kLimit, before begin: one that says so, and one of `rows_max` rows or more.
Status read_tabular_answer(std::string_view text, std::uint64_t rows_max, ResultSink& sink);
// The status of an answer in either form, with its number of rows; those of a legacy aggregation
// are its totals.
Result<QueryStatus> read_answer_status(std::string_view text);
// kLimit for an answer that may lack rows: one that says so, and one of `rows_max` rows or more.
Status check_answer_whole(const QueryStatus& status, std::uint64_t rows_max);

// ---- other answers

Result<IngestReport> read_ingest_answer(std::string_view text);
Result<DeleteResponse> read_delete_answer(std::string_view text);
Result<CheckReport> read_check_answer(std::string_view text);
// The error object of an answer with this status; a compile error gets its place in `apl` back.
// `kind` is what kErrorKindHeader says, if anything.
Error read_error_answer(int status, std::string_view body, std::string_view apl,
                        std::string_view kind = {});

// Reads the answer of /v1/_complete.
Result<CompletionAnswer> read_completion_answer(std::string_view text);
std::string write_completion_body(std::string_view apl, std::size_t cursor);

// A list's elements as compact JSON texts.
Result<std::vector<std::string>> read_json_list(std::string_view text);
// A list of texts.
Result<std::vector<std::string>> read_text_list(std::string_view text);
// A text member of an object; empty when there is none.
Result<std::string> read_text_member(std::string_view text, const char* name);
// A dataset's or field's members as `evq dataset` shows them.
struct DatasetAnswer {
  std::string name;
  std::optional<DatasetStats> stats;  // Axiom does not tell
  std::string json;                   // compact
};
Result<DatasetAnswer> read_dataset_answer(std::string_view text);
struct FieldAnswer {
  std::string name;
  Type type = Type::kDynamic;  // as queries here see it
  std::string description;
  std::string json;  // compact
};
Result<std::vector<FieldAnswer>> read_field_answers(std::string_view text);

// Bodies of requests.
std::string write_dataset_body(std::string_view name, std::string_view description);
std::string write_name_body(std::string_view name);

}  // namespace evq
