#include "cli/terminal/number_text.h"

#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

namespace evq {
namespace {

TEST_CASE("quantities have three digits and a prefix") {
  const struct {
    double value;
    std::string text;
  } rows[] = {
      {0, "0"},          {-0.0, "0"},         {12, "12"},          {1.5, "1.5"},
      {999, "999"},      {999.6, "1k"},       {1000, "1k"},        {1534, "1.53k"},
      {20e6, "20M"},     {-2.5e9, "-2.5G"},   {0.05, "0.05"},      {0.0004, "0.0004"},
      {1e-7, "1e-07"},   {3e21, "3e+21"},     {123456, "123k"},    {1e18, "1E"},
      {HUGE_VAL, "inf"}, {-HUGE_VAL, "-inf"}, {std::nan(""), "-"},
  };
  for (const auto& row : rows) {
    CHECK(quantity_text(row.value) == row.text);
  }
}

TEST_CASE("bytes, counts, durations, ticks") {
  CHECK(bytes_text(0) == "0 B");
  CHECK(bytes_text(999) == "999 B");
  CHECK(bytes_text(1500) == "1.5 kB");
  CHECK(bytes_text(3200000000) == "3.2 GB");
  CHECK(bytes_text(std::numeric_limits<std::uint64_t>::max()) == "18.4 EB");
  CHECK(counted_text(1, "row") == "1 row");
  CHECK(counted_text(0, "row") == "0 rows");
  CHECK(counted_text(48211, "event") == "48,211 events");
  CHECK(elapsed_text(-5) == "0 ms");
  CHECK(elapsed_text(41) == "41 ms");
  CHECK(elapsed_text(1260) == "1.2 s");
  CHECK(elapsed_text(59999) == "59.9 s");
  CHECK(elapsed_text(125000) == "2:05");
  CHECK(elapsed_text(3725000) == "1:02:05");
  CHECK(tick_text(1000.2, 1000.4, 0.2) == "1000.2");
  CHECK(tick_text(5, 10, 5) == "5");
  CHECK(tick_text(0, 2000, 500) == "0");
  CHECK(tick_text(500, 2000, 500) == "0.5k");
}

}  // namespace
}  // namespace evq
