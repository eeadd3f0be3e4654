// links: evq_service evq_plan evq_store
// sources: support/reference.cpp support/reference_rows.cpp
// A whole query over a small store of odd events: with the optimiser, without it, by the slow twin,
// and as it runs where there is much to do. All that answer, answer the same; none crashes.
#include "tests/support/compared_answers.h"

namespace {

using evq::test::ComparedService;

constexpr std::size_t kTextBytesMax = 400;
constexpr std::int64_t kTimeoutMs = 2000;
constexpr std::size_t kOddRows = 42;

constexpr std::string_view kEvents =
    R"({"_time":"2024-05-01T00:00:00Z","n":1,"r":1.5,"s":"alpha","b":true,"l":[1,"x",null],"m":1}
{"_time":"2024-05-01T00:00:01Z","n":-7,"r":null,"s":"Beta gamma","b":false,"o":{"k":"v","d":2},"m":"1"}
{"_time":"2024-05-01T00:00:01Z","n":9223372036854775807,"r":-0.0,"s":"","b":null,"l":[]}
{"_time":"2024-05-02T12:30:00Z","n":0,"r":1e300,"s":"10.0.0.1 GET /a?b=c 200","t":"2024-01-02T03:04:05Z"}
{"_time":"2024-05-02T12:30:00Z","s":"alpha","o":{"k":null},"m":true}
{"_time":"2024-05-03T00:00:00Z","n":3,"r":0.1,"s":"\u00e9t\u00e9 \ud83d\ude00","j":"{\"a\":[1,2]}"}
)";

constexpr evq::test::ComparedWay kWays[] = {
    {"one thread", 4, 1, std::size_t{128} << 20, false},
    {"several threads", 4, 3, std::size_t{128} << 20, true},
    {"other blocks", 1, 2, std::size_t{128} << 20, true},
    {"little memory", 7, 2, 20'000, false},
    {"hardly any memory", 4, 2, 2'000, false},
};

std::vector<std::unique_ptr<ComparedService>> make_services() {
  std::vector<std::unique_ptr<ComparedService>> services;
  for (const evq::test::ComparedWay& way : kWays) {
    services.push_back(std::make_unique<ComparedService>(way, kTimeoutMs));
    services.back()->add("t", std::string(kEvents));
    services.back()->add("u", std::string(kEvents));
    services.back()->add("w", evq::test::odd_events(kOddRows));
  }
  return services;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::unique_ptr<ComparedService>> kServices = make_services();
  const std::string apl(reinterpret_cast<const char*>(data), std::min(size, kTextBytesMax));
  evq::test::compare_ways(apl, kServices, true);
  return 0;
}
