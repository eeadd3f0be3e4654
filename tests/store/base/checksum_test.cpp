#include "store/base/checksum.h"

#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include <doctest/doctest.h>

#include "store/base/seeded_text_hash.h"

namespace evq {
namespace {

TEST_CASE("checksums are XXH3-64, whose values are fixed for ever") {
  // The published test vectors of the empty input; the third is this format's own anchor.
  CHECK(checksum64("") == 0x2D06800538D394C2ULL);
  CHECK(checksum64(std::string_view("abc")) == 0x78AF5F94892F3950ULL);
  const std::vector<std::uint8_t> bytes = {'a', 'b', 'c'};
  CHECK(checksum64(std::span<const std::uint8_t>(bytes)) == checksum64("abc"));
}

TEST_CASE("every flipped bit and every seed changes the sum") {
  std::string bytes(100, 'x');
  std::set<std::uint64_t> sums = {checksum64(bytes)};
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    const auto mask = static_cast<char>(1U << (i % 8));
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ mask);
    CHECK(sums.insert(checksum64(bytes)).second);
    bytes[i / 8] = static_cast<char>(bytes[i / 8] ^ mask);
  }
  for (std::uint64_t seed = 1; seed < 100; ++seed) {
    CHECK(sums.insert(checksum64(bytes, seed)).second);
  }
}

TEST_CASE("tables of texts have seeds of their own and find views") {
  const SeededTextHash one;
  const SeededTextHash other;
  const SeededTextHash copy = one;
  CHECK(one("a name") != other("a name"));
  CHECK(one("a name") == copy("a name"));
  CHECK(one("a name") != one("a mane"));
  const std::unordered_set<std::string, SeededTextHash, std::equal_to<>> names = {"a", "b"};
  CHECK(names.contains(std::string_view("ab").substr(0, 1)));
  CHECK_FALSE(names.contains(std::string_view("ab")));
}

TEST_CASE("integer hashes differ by value and seed") {
  std::set<std::uint64_t> hashes;
  for (std::uint64_t value = 0; value < 1000; ++value) {
    CHECK(hashes.insert(hash64(value, 1)).second);
    CHECK(hashes.insert(hash64(value, 2)).second);
  }
  CHECK(random_seed() != random_seed());
}

}  // namespace
}  // namespace evq
