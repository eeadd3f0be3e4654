#include "store/base/told_number.h"

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("groups of three digits") {
  CHECK(grouped_text(0) == "0");
  CHECK(grouped_text(999) == "999");
  CHECK(grouped_text(48211) == "48,211");
  CHECK(grouped_text(1234567) == "1,234,567");
}

TEST_CASE("a limit is told in the unit it was given in") {
  constexpr std::size_t kMib = std::size_t{1} << 20;
  CHECK(memory_limit_text(1) == "1 byte");
  CHECK(memory_limit_text(1023) == "1023 bytes");
  CHECK(memory_limit_text(1024) == "1 KiB");
  CHECK(memory_limit_text(kMib) == "1 MiB");
  CHECK(memory_limit_text(kMib + 512 * 1024) == "1536 KiB");
  CHECK(memory_limit_text(kMib + 1) == "1048577 bytes");
  CHECK(memory_limit_text(1500 * kMib) == "1500 MiB");
  CHECK(memory_limit_text(2048 * kMib) == "2 GiB");
}

}  // namespace
}  // namespace evq
