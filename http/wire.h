#pragma once
// Request bodies to structs and structs to answers: the only code that knows how the API spells
// things in JSON. Reading is strict: a wrong type is kUsage with the member's name; null means
// "not given" for optional members; unknown members are ignored.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apl/service/completion.h"
#include "apl/service/request.h"
#include "http/message.h"
#include "store/store.h"

namespace evq {

// What kind of error it is, as store/base/error.h names them: more than a status can tell.
inline constexpr const char* kErrorKindHeader = "X-Evq-Error";
// Where the arrivals of a dataset end, in answers about it.
inline constexpr const char* kArrivalEndHeader = "X-Evq-Arrival-End";
// Which dataset that is: one that takes the place of another under its name has another number.
inline constexpr const char* kDatasetNumberHeader = "X-Evq-Dataset-Number";

// How many events of a request were kept with something repaired, and where the first is:
// "2; line 1: invalid UTF-8 became U+FFFD".
inline constexpr const char* kRepairedHeader = "X-Evq-Repaired";

// What went wrong, with what may help.
std::string message_of_error(const Error& error);
// The error object of a failed request; `apl` gives a compile error its line and column.
HttpResponse response_of_error(const Error& error, std::string_view apl);

// {"apl":…,"startTime":…,"endTime":…,"cursor":…,…}
Result<QueryRequest> read_query_body(std::string_view text);
// [{"queryId":…,"aplRequest":{…}},…]; of metrics when it has an mplRequest instead, which no query
// here answers.
struct BatchItem {
  std::string id;
  bool of_metrics = false;
  QueryRequest query;
};
Result<std::vector<BatchItem>> read_batch_body(std::string_view text);
Result<DeleteRequest> read_delete_body(std::string_view text);

// {"apl":…,"cursor":…}: a place in a query, in bytes of UTF-8; its end when there is none.
struct CompletionPlace {
  std::string apl;
  std::size_t cursor = 0;
};
Result<CompletionPlace> read_completion_body(std::string_view text);

std::string write_ingest_report(const IngestReport& report);
// The same with so many of the failures at most; without any in kBareReportBytesMax.
inline constexpr std::size_t kBareReportBytesMax = 256;
void append_ingest_report(const IngestReport& report, std::size_t failures_max, std::string* out);
std::string write_delete_response(const DeleteResponse& response);
// {"begin":…,"end":…,"candidates":[{"kind":…,"name":…,"replacement":…,"signature":…,"doc":…},…]}
std::string write_completion(const CompletionAnswer& answer);
// {"files":…,"blocks":…,"segments":…,"events":…,"problems":[{"file":…,"block":…,"message":…}]}
std::string write_check_report(const CheckReport& report);
// {"plan":…}
std::string write_plan(std::string_view plan);

}  // namespace evq
