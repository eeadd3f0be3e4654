#include "store/encoding/bitpack.h"

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace evq {

TEST_CASE("numbers of every width come back") {
  std::mt19937_64 random(12);
  for (unsigned width = 0; width <= 64; ++width) {
    if (!is_packed_width(width)) {
      continue;
    }
    for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 63U, 64U, 65U, 1000U}) {
      CAPTURE(width);
      CAPTURE(count);
      std::vector<std::uint64_t> numbers(count);
      for (std::uint64_t& number : numbers) {
        number = width == 0 ? 0 : random() >> (64 - width);
      }
      ByteWriter out;
      pack_bits(numbers.data(), count, width, out);
      REQUIRE(out.size() == packed_bytes(count, width));
      // Exactly as long as the packed bytes, so that a sanitizer sees any read behind them.
      const auto exact = std::make_unique<char[]>(out.size());
      out.view().copy(exact.get(), out.size());
      std::vector<std::uint64_t> wide(count);
      std::vector<std::uint16_t> narrow(count);
      unpack_bits(exact.get(), count, width, wide.data());
      unpack_bits(exact.get(), count, width, narrow.data());
      CHECK(wide == numbers);
      for (std::size_t i = 0; i < count; ++i) {
        REQUIRE(narrow[i] == static_cast<std::uint16_t>(numbers[i]));
        REQUIRE(unpack_one(exact.get(), count, width, i) == numbers[i]);
      }
    }
  }
}

TEST_CASE("widths are what numbers need, and round up past the kernels") {
  CHECK(packed_width(0) == 0);
  CHECK(packed_width(1) == 1);
  CHECK(packed_width(255) == 8);
  CHECK(packed_width((std::uint64_t{1} << 56) - 1) == 56);
  CHECK(packed_width(std::uint64_t{1} << 56) == 64);
  CHECK(packed_width(~std::uint64_t{0}) == 64);
}

}  // namespace evq
