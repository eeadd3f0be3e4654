#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "store/encoding/schemes.h"
#include "tests/support/random_text.h"

namespace evq {

TEST_CASE("letters take no more than the bytes they are written for") {
  Random random(6);
  constexpr std::size_t kRows = 20000;
  constexpr std::size_t kHashBytes = 32;
  const auto check = [&](std::string_view letters, unsigned bits) {
    std::vector<std::string> owned;
    for (std::size_t i = 0; i < kRows; ++i) {
      owned.push_back(random_letters(random, kHashBytes, letters, bits));
    }
    const std::vector<std::string_view> texts(owned.begin(), owned.end());
    ByteWriter out;
    REQUIRE(packed_text().encode({Type::kString, kRows, texts.data()}, {}, out));
    CHECK(out.size() < kRows * kHashBytes + 300);
  };
  check(kBase32, 5);
  check(kBase64, 6);
}

}  // namespace evq
