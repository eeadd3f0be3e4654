// Cursor text: order, round trip, refusal of everything else.
#include "store/row_id.h"

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("cursors round-trip and sort like rows") {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kGreatest = std::numeric_limits<std::int64_t>::max();
  const std::vector<RowId> rows = {{kLeast, 0}, {-1, 5},         {0, 0}, {0, 1},
                                   {7, 3},      {7, 1ULL << 40}, {8, 0}, {kGreatest, 0}};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string text = encode_cursor(rows[i]);
    const auto back = decode_cursor(text);
    REQUIRE(back.ok());
    CHECK(*back == rows[i]);
    if (i > 0) {
      CHECK(encode_cursor(rows[i - 1]) < text);
    }
  }
}

TEST_CASE("text that is no cursor is refused") {
  const std::string good = encode_cursor({1'700'000'000'000'000'000, 42});
  std::vector<std::string> bad = {"", "0", good + "0", good.substr(1), "x" + good.substr(1)};
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string changed = good;
    changed[i] = changed[i] == '0' ? '1' : '0';
    bad.push_back(changed);
  }
  std::string upper = good;
  upper[3] = 'A';
  bad.push_back(upper);
  for (const std::string& text : bad) {
    CAPTURE(text);
    const auto decoded = decode_cursor(text);
    REQUIRE_FALSE(decoded.ok());
    CHECK(decoded.error().code == ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace evq
