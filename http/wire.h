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

// Header with the error's code as store/base/error.h names it, which tells more than a status.
inline constexpr const char* kErrorKindHeader = "X-Evq-Error";
// Header of answers about a dataset: the end of its arrivals (Service::arrival_end).
inline constexpr const char* kArrivalEndHeader = "X-Evq-Arrival-End";
// Header with the dataset's number; one that takes another's place under its name has another.
inline constexpr const char* kDatasetNumberHeader = "X-Evq-Dataset-Number";

// Header with the number of events kept with something repaired, and the place of the first:
// "2; line 1: invalid UTF-8 became U+FFFD".
inline constexpr const char* kRepairedHeader = "X-Evq-Repaired";
// Headers with the number of events that got the time of their receipt, and of those that had a
// field whose place a label took; absent for none.
inline constexpr const char* kUntimedHeader = "X-Evq-Untimed";
inline constexpr const char* kRelabelledHeader = "X-Evq-Relabelled";

// The error's message followed by its hint.
std::string message_of_error(const Error& error);
// Makes the error object of a failed request; `apl` gives a compile error its line and column.
HttpResponse response_of_error(const Error& error, std::string_view apl);

// {"apl":…,"startTime":…,"endTime":…,"cursor":…,…}
Result<QueryRequest> read_query_body(std::string_view text);
// One element of [{"queryId":…,"aplRequest":{…}},…]; with an mplRequest instead it is a query of
// metrics, which evq does not answer.
struct BatchItem {
  std::string id;
  bool of_metrics = false;
  QueryRequest query;
};
Result<std::vector<BatchItem>> read_batch_body(std::string_view text);
Result<DeleteRequest> read_delete_body(std::string_view text);

// {"apl":…,"cursor":…}: a place in a query, in bytes of UTF-8; without a cursor its end.
struct CompletionPlace {
  std::string apl;
  std::size_t cursor = 0;
};
Result<CompletionPlace> read_completion_body(std::string_view text);

std::string write_ingest_report(const IngestReport& report);
// Appends the report with at most `failures_max` of its failures; without failures it takes at
// most kBareReportBytesMax.
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
