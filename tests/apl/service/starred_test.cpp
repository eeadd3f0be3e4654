#include "apl/service/starred.h"

#include <string>
#include <utility>

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

TEST_CASE("an answer is JSON whatever the id of a saved query is") {
  StoredObject object = saved("");
  for (const auto& [id, shown] :
       {std::pair("a\xFF", "a\xEF\xBF\xBD"), std::pair("a\"\x01", "a\\\"\\u0001"),
        std::pair("\xC3\xBC", "\xC3\xBC")}) {
    object.id = id;
    const std::string begin = std::string("{\"id\":\"") + shown + "\",\"kind\":";
    CHECK(starred_answer(object).substr(0, begin.size()) == begin);
  }
}

}  // namespace
}  // namespace evq
