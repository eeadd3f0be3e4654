// Blocks that are read some rows at a time, since their columns are wide for the memory there is:
// answers are those of blocks that are read whole.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/answer_text.h"
#include "tests/support/temp_service.h"

namespace evq {
namespace {

constexpr std::size_t kMebibyte = std::size_t{1} << 20U;

// Events of texts that hardly compress, at times in no order: k=0, 1, … from `first` on.
std::string wide_events(int first, int count, std::size_t text_bytes) {
  std::string pool;
  std::uint64_t state = 5;
  const auto next = [&state] { return (state = state * 6364136223846793005U + 1) >> 33U; };
  for (int i = 0; i < 200000; ++i) {
    pool.push_back(static_cast<char>('a' + next() % 26));
  }
  std::string text;
  for (int k = first; k < first + count; ++k) {
    const std::string number = std::to_string(k);
    const std::uint64_t second = 1769904000 + next() % 86400;
    text += "{\"_time\":" + std::to_string(second) + ",\"k\":" + number + ",\"arr\":[" + number +
            ",1,2],\"w\":\"" + pool.substr(next() % 190000, text_bytes) + number + "\"}\n";
  }
  return text;
}

std::string answer_text(const TempService& service, const QueryRequest& request) {
  AnswerText answer;
  const Status status = service->query(request, answer);
  return status.ok() ? answer.text(false) : status.error().message;
}

ServiceOptions two_workers() {
  ServiceOptions options;
  options.workers = 2;
  return options;
}

TEST_CASE("blocks in pieces give the rows in the same order as whole ones") {
  const TempService service(two_workers());
  service.ingest("one", wide_events(0, 12000, 1500));
  service.ingest("two", wide_events(0, 6000, 1500));
  service.ingest("two", wide_events(6000, 6000, 1500));
  QueryControl control;
  REQUIRE(service.store().maintain("one", Maintenance::kFull, control).ok());
  for (const char* dataset : {"one", "two"}) {
    for (const char* order : {"asc", "desc"}) {
      for (const char* pipeline :
           {"| summarize l=make_list(k, 20000) | extend l=hash(tostring(l))",
            "| extend p=prev(_time), n=strlen(prev(z)) | summarize countif(p < _time), "
            "countif(p > _time), sum(n)",
            "| extend r=row_number() | where r % 997 == 0 | project k, r, strlen(z)"}) {
        QueryRequest request;
        request.apl = std::string(dataset) + " | extend z=strcat(w, 'x') | sort by _time " + order +
                      " " + pipeline;
        CAPTURE(request.apl);
        const std::string whole = answer_text(service, request);
        request.memory_limit_bytes = 64 * kMebibyte;
        CHECK(answer_text(service, request) == whole);
      }
    }
  }
}

TEST_CASE("rows that are fetched in pieces are told apart behind them") {
  const TempService service(two_workers());
  service.ingest("d", wide_events(0, 40000, 700));
  QueryControl control;
  REQUIRE(service.store().maintain("d", Maintenance::kFull, control).ok());
  QueryRequest request;
  request.apl =
      "d | summarize arg_max(_time, *) by k | mv-apply a=arr on (summarize n=count(), "
      "s=sum(tolong(a))) | summarize bad=countif(n != 3 or s != k + 3), count(), sum(strlen(w))";
  const std::string whole = answer_text(service, request);
  request.memory_limit_bytes = 128 * kMebibyte;
  CHECK(answer_text(service, request) == whole);
}

}  // namespace
}  // namespace evq
