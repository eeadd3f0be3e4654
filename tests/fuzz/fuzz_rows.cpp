// links: evq_service evq_plan evq_store
// sources: support/reference.cpp support/reference_rows.cpp
// As fuzz_query, over so many events that what pays only then is done: without the slow twin, which
// would take too long.
#include "tests/support/compared_answers.h"

namespace {

using evq::test::ComparedService;

constexpr std::size_t kTextBytesMax = 400;
constexpr std::int64_t kTimeoutMs = 2000;
constexpr std::size_t kRows = 20'000;

constexpr evq::test::ComparedWay kWays[] = {
    {"one thread", 6000, 1, std::size_t{128} << 20, false},
    {"several threads", 6000, 3, std::size_t{128} << 20, false},
    {"other blocks", 9973, 2, std::size_t{128} << 20, false},
    {"little memory", 6000, 2, 1'500'000, false},
    {"hardly any memory", 9973, 2, 200'000, false},
};

std::vector<std::unique_ptr<ComparedService>> make_services() {
  std::vector<std::unique_ptr<ComparedService>> services;
  const std::string many = evq::test::odd_events(kRows);
  const std::string few = evq::test::odd_events(kRows / 1000);
  for (const evq::test::ComparedWay& way : kWays) {
    services.push_back(std::make_unique<ComparedService>(way, kTimeoutMs));
    services.back()->add("w", many);
    services.back()->add("v", few);
  }
  return services;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::unique_ptr<ComparedService>> kServices = make_services();
  const std::string apl(reinterpret_cast<const char*>(data), std::min(size, kTextBytesMax));
  evq::test::compare_ways(apl, kServices, false);
  return 0;
}
