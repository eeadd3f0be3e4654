#include "apl/service/starred.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

StoredObject saved(const std::string& order) {
  StoredObject object;
  object.body = R"({"kind":"apl","name":"n","who":"me","metadata":{},"query":{"apl":"d")" +
                (order.empty() ? std::string() : R"(,"defaultOrder":)" + order) + "}}";
  return object;
}

TEST_CASE("a saved query comes in the order that it was saved with") {
  const struct {
    std::string order;
    bool ascending;
  } rows[] = {
      {"", false},
      {"[]", false},
      {R"([{"field":"_time"}])", true},
      {R"([{"field":"_time","desc":false}])", true},
      {R"([{"field":"_time","desc":true}])", false},
      {R"([{"field":"n","desc":false}])", false},
      {R"([{"field":"n"},{"field":"_time"}])", true},
  };
  for (const auto& row : rows) {
    CAPTURE(row.order);
    const Result<QueryRequest> request = starred_request(saved(row.order));
    REQUIRE(request.ok());
    CHECK(request->ascending == row.ascending);
  }
}

}  // namespace
}  // namespace evq
