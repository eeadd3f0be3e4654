#include "store/base/timespan.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"

namespace evq {
namespace {

constexpr std::int64_t kSpanMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kSpanMax = std::numeric_limits<std::int64_t>::max();

struct SpanRow {
  const char* text;
  std::optional<std::int64_t> ns;
};

TEST_CASE("durations print as Go prints them") {
  struct Printed {
    std::int64_t ns;
    const char* go;
    const char* kusto;
  };
  const Printed rows[] = {
      {0, "0s", "00:00:00"},
      {1, "1ns", "00:00:00.000000001"},
      {1000, "1\u00b5s", "00:00:00.0000010"},
      {1500, "1.5\u00b5s", "00:00:00.0000015"},
      {250 * kMillisecondNs, "250ms", "00:00:00.2500000"},
      {2200001, "2.200001ms", "00:00:00.002200001"},
      {kSecondNs, "1s", "00:00:01"},
      {80 * kSecondNs, "1m20s", "00:01:20"},
      {2 * kHourNs, "2h0m0s", "02:00:00"},
      {kHourNs + 2 * kMinuteNs + 3500 * kMillisecondNs, "1h2m3.5s", "01:02:03.5000000"},
      {-1500 * kMillisecondNs, "-1.5s", "-00:00:01.5000000"},
      {kDayNs + 2 * kHourNs, "26h0m0s", "1.02:00:00"},
      {kSpanMin, "-2562047h47m16.854775808s", "-106751.23:47:16.854775808"},
      {kSpanMax, "2562047h47m16.854775807s", "106751.23:47:16.854775807"}};
  for (const Printed& row : rows) {
    CHECK(duration_text(row.ns) == row.go);
    CHECK(parse_go_duration(row.go) == row.ns);
    CHECK(parse_kusto_timespan(row.kusto) == row.ns);
  }
}

TEST_CASE("random spans go round") {
  const std::uint64_t seed = 1;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 100000; ++i) {
    const auto ns = static_cast<std::int64_t>(random()) >> (random() % 64);
    REQUIRE(parse_go_duration(duration_text(ns)) == ns);
    REQUIRE(parse_timespan(duration_text(ns)) == ns);
  }
}

TEST_CASE("Go durations") {
  const SpanRow rows[] = {{"0", 0},
                          {"-1.5h", -90 * kMinuteNs},
                          {"2h45m", 165 * kMinuteNs},
                          {"+5s", 5 * kSecondNs},
                          {"1us", 1000},
                          {"1\u00b5s", 1000},
                          {"1\u03bcs", 1000},
                          {".5s", kSecondNs / 2},
                          {"5.s", 5 * kSecondNs},
                          {"0.3333333333333333333h", 1199999999999},
                          {"9223372036854775807ns", kSpanMax},
                          {"-9223372036854775808ns", kSpanMin},
                          {"9223372036854775808ns", std::nullopt},
                          {"3000000h", std::nullopt},
                          {"", std::nullopt},
                          {"1", std::nullopt},
                          {"-", std::nullopt},
                          {"s", std::nullopt},
                          {".s", std::nullopt},
                          {"1d", std::nullopt},
                          {"1h-2m", std::nullopt},
                          {"1 h", std::nullopt},
                          {"1h ", std::nullopt}};
  for (const SpanRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(parse_go_duration(row.text) == row.ns);
  }
}

TEST_CASE("APL literals, Kusto texts and spans of the command line") {
  const SpanRow literals[] = {{"7d", 7 * kDayNs},
                              {"1.5h", 90 * kMinuteNs},
                              {"30min", 30 * kMinuteNs},
                              {"2hours", 2 * kHourNs},
                              {"100ms", 100 * kMillisecondNs},
                              {"10microseconds", 10000},
                              {"5ns", 5},
                              {"3tick", 300},
                              {"-1d", -kDayNs},
                              {"0.1s", 100 * kMillisecondNs},
                              {"1w", 7 * kDayNs},
                              {"1y", std::nullopt},
                              {"1h2m", std::nullopt},
                              {"1", std::nullopt},
                              {"1D", std::nullopt}};
  for (const SpanRow& row : literals) {
    CAPTURE(std::string(row.text));
    CHECK(parse_timespan_literal(row.text) == row.ns);
  }
  const SpanRow kusto[] = {{"1.02:03:04.5", kDayNs + 7384 * kSecondNs + kSecondNs / 2},
                           {"02:03", 123 * kMinuteNs},
                           {"2", 2 * kDayNs},
                           {"-1.00:00:00", -kDayNs},
                           {"24:00:00", std::nullopt},
                           {"00:60", std::nullopt},
                           {"1.2", std::nullopt},
                           {"1.02:", std::nullopt},
                           {"1.02:03:", std::nullopt},
                           {"1.02:03:04.", std::nullopt},
                           {"1.02:03:04x", std::nullopt},
                           {"106752.00:00:00", std::nullopt},
                           {"", std::nullopt}};
  for (const SpanRow& row : kusto) {
    CAPTURE(std::string(row.text));
    CHECK(parse_kusto_timespan(row.text) == row.ns);
  }
  CHECK(parse_combined_span("1w2d12h") == 9 * kDayNs + 12 * kHourNs);
  CHECK(parse_combined_span("-7d") == -7 * kDayNs);
  CHECK(!parse_combined_span("7"));
  CHECK(!parse_timespan("2"));
  CHECK(parse_timespan("7d") == 7 * kDayNs);
  CHECK(parse_timespan("1.02:03:04") == kDayNs + 7384 * kSecondNs);
  CHECK(timespan_unit_ns("fortnight") == 0);
  CHECK(timespan_unit_ns("") == 0);
}

}  // namespace
}  // namespace evq
