// set_null_bytes: eight slots at once make of bytes what one after the other does.

#include "store/column/validity.h"

#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace evq::test {
namespace {

TEST_CASE("bytes of null slots are set, whatever the bitmap") {
  std::mt19937_64 random(11);
  for (std::size_t size = 0; size < 300; ++size) {
    std::vector<std::uint64_t> validity((size + 63) / 64);
    for (std::uint64_t& word : validity) {
      const std::uint64_t kind = random() % 4;
      word = kind == 0 ? 0 : kind == 1 ? ~std::uint64_t{0} : random();
    }
    std::vector<std::uint8_t> bytes(size + 1);
    for (std::uint8_t& byte : bytes) {
      byte = static_cast<std::uint8_t>(random());
    }
    for (const std::uint8_t otherwise : {std::uint8_t{0}, std::uint8_t{1}, std::uint8_t{0xa5}}) {
      std::vector<std::uint8_t> expected = bytes;
      for (std::size_t i = 0; i < size; ++i) {
        const bool valid = ((validity[i / 64] >> (i % 64)) & 1) != 0;
        expected[i] = valid ? bytes[i] : otherwise;
      }
      std::vector<std::uint8_t> set = bytes;
      set_null_bytes(validity.data(), size, otherwise, set.data());
      REQUIRE(set == expected);
    }
  }
}

}  // namespace
}  // namespace evq::test
