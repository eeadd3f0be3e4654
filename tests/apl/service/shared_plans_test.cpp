// Plans that share plans that share plans: the ways to the innermost double with each level, and
// whoever goes through a plan must not take them all.

#include <doctest/doctest.h>

#include "tests/support/temp_service.h"

namespace evq {
namespace {

constexpr int kLevels = 60;

std::string levels() {
  std::string operators;
  for (int i = 0; i < kLevels; ++i) {
    const std::string name = "a" + std::to_string(i);
    operators += " | as " + name + " | union " + name + " | take 1";
  }
  return operators;
}

TEST_CASE("a query of many levels of sharing is answered and explained at once") {
  const TempService service;
  QueryRequest request;
  for (const std::string& apl :
       {"print x = 1" + levels() + " | join kind=inner (range x from 1 to 10000 step 1) on x",
        "print x = 1 | partition by x (extend y = rand()" + levels() + ")",
        "print x = 1, a = range(1, 3) | mv-apply a on (extend y = rand()" + levels() + ")"}) {
    request.apl = apl;
    for (const bool api_form : {false, true}) {
      request.api_form = api_form;
      DroppedAnswer answer;
      CHECK_MESSAGE(service->query(request, answer).ok(), apl);
      CHECK(answer.status().rows == 1);
    }
    const auto plan = service->explain(request);
    REQUIRE(plan.ok());
    CHECK(plan->size() < 200'000);
  }
}

}  // namespace
}  // namespace evq
