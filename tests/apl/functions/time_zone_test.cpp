// Time zones of the system's database, formats of times; models of series; geography.

#include "store/base/time_zone.h"

#include <cmath>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/base/time_parse.h"
#include "tests/support/function_calls.h"

namespace evq {
namespace {

// The zone file of Berlin in the slim form: no transitions, the rule alone.
std::string rule_only(std::string_view rule) {
  const auto header = [](char types) {
    std::string bytes = "TZif2";
    bytes.resize(44, '\0');
    bytes[39] = types;  // how many local time types
    return bytes;
  };
  std::string bytes = header(1) + std::string(6, '\0') + header(1) + std::string(6, '\0');
  return bytes.append("\n").append(rule).append("\n");
}

std::string local_text(const TimeZone& zone, std::string_view utc) {
  return instant_text(zone.local_from_utc(parse_instant(utc).value()).value());
}

TEST_CASE("rules of zones apply in both hemispheres") {
  const Result<TimeZone> berlin = TimeZone::parse(rule_only("CET-1CEST,M3.5.0,M10.5.0/3"));
  REQUIRE(berlin.ok());
  CHECK(local_text(berlin.value(), "2024-03-31T00:59:59Z") == "2024-03-31T01:59:59Z");
  CHECK(local_text(berlin.value(), "2024-03-31T01:00:00Z") == "2024-03-31T03:00:00Z");
  CHECK(local_text(berlin.value(), "2024-10-27T00:59:59Z") == "2024-10-27T02:59:59Z");
  CHECK(local_text(berlin.value(), "2024-10-27T01:00:00Z") == "2024-10-27T02:00:00Z");
  CHECK(local_text(berlin.value(), "2100-07-01T12:00:00Z") == "2100-07-01T14:00:00Z");
  const Result<TimeZone> sydney = TimeZone::parse(rule_only("AEST-10AEDT,M10.1.0,M4.1.0/3"));
  REQUIRE(sydney.ok());
  CHECK(local_text(sydney.value(), "2024-01-01T00:00:00Z") == "2024-01-01T11:00:00Z");
  CHECK(local_text(sydney.value(), "2024-07-01T00:00:00Z") == "2024-07-01T10:00:00Z");
  const Result<TimeZone> plain = TimeZone::parse(rule_only("<+0530>-5:30"));
  REQUIRE(plain.ok());
  CHECK(local_text(plain.value(), "2024-07-01T00:00:00Z") == "2024-07-01T05:30:00Z");
}

TEST_CASE("local times that exist twice or never") {
  const Result<TimeZone> zone = TimeZone::parse(rule_only("CET-1CEST,M3.5.0,M10.5.0/3"));
  REQUIRE(zone.ok());
  const auto utc = [&](std::string_view local) {
    return instant_text(zone.value().utc_from_local(parse_instant(local).value()).value());
  };
  CHECK(utc("2024-07-01T12:00:00Z") == "2024-07-01T10:00:00Z");
  CHECK(utc("2024-01-01T12:00:00Z") == "2024-01-01T11:00:00Z");
  CHECK(utc("2024-10-27T02:30:00Z") == "2024-10-27T00:30:00Z");
  CHECK(utc("2024-10-27T03:00:00Z") == "2024-10-27T02:00:00Z");
  CHECK(utc("2024-03-31T02:30:00Z") == "2024-03-31T00:30:00Z");
  CHECK(utc("2024-03-31T03:00:00Z") == "2024-03-31T01:00:00Z");
}

TEST_CASE("damaged files and strange names are refused") {
  const std::string good = rule_only("CET-1CEST,M3.5.0,M10.5.0/3");
  for (std::size_t size = 0; size < 100; ++size) {
    CHECK_FALSE(TimeZone::parse(std::string_view(good).substr(0, size)).ok());
  }
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = '\xFF';
    const Result<TimeZone> zone = TimeZone::parse(damaged);
    if (zone.ok()) {
      CHECK(std::abs(zone.value().offset_at(0)) <= INT64_C(1) << 32);
    }
  }
  for (const std::string_view name : {"", "../../etc/passwd", "/etc/passwd", "Nowhere/Here"}) {
    CHECK_FALSE(TimeZone::load(name).ok());
  }
}

TEST_CASE("formats") {
  const Value time = at("2024-05-01T13:04:05.678Z");
  const auto text = text_value;
  check_calls({
      {"format_datetime", {time, text("yyyy-MM-dd HH:mm:ss.fff")}, "2024-05-01 13:04:05.678"},
      {"format_datetime", {time, text("d/M/yy h:mm tt")}, "1/5/24 1:04 PM"},
      {"format_datetime", {time, text("s.FFFFFFF")}, "5.678"},
      {"format_timespan", {Value::timespan(-90 * kMinuteNs), text("hh:mm:ss")}, "-01:30:00"},
      {"format_timespan", {Value::timespan(INT64_MIN), text("d")}, "-106751"},
  });
}

TEST_CASE("models of series") {
  std::string json = "[";
  for (int i = 0; i < 60; ++i) {
    json.append(i == 0 ? "" : ",").append(std::to_string(i % 6 == 0 ? 100 : 10));
  }
  const Value seasonal = json_value(json + "]");
  check_calls({
      {"series_fit_line", {json_value("[1,3,5]")}, "[1,2,4,0,1,[1,3,5]]"},
      {"series_fit_line", {json_value("[1]")}, "null"},
      {"series_outliers", {json_value("[0,1,0,1,0,1,0,1,0,1,0,9]")}, "[0,0,0,0,0,0,0,0,0,0,0,8]"},
  });
  const Value season = call_shaped("series_seasonal", {seasonal}, {ArgumentShape::kFlat});
  const DynamicView values(season.as_text());
  REQUIRE(values.size() == 60);
  CHECK(values.at(0).as_real() == 100);
  CHECK(values.at(6).as_real() == doctest::Approx(values.at(0).as_real()));
  CHECK(values.at(1).as_real() == 10);
}

TEST_CASE("geography") {
  const auto real = [](double number) { return Value::real(number); };
  const Value square = json_value(
      R"({"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4],[0,0]],[[1,1],[2,1],[2,2],[1,2],[1,1]]]})");
  check_calls({
      {"geo_point_in_polygon", {real(3), real(3), square}, "true"},
      {"geo_point_in_polygon", {real(1.5), real(1.5), square}, "false"},
      {"geo_point_in_polygon", {real(5), real(3), square}, "false"},
      {"geo_point_in_polygon", {real(500), real(3), square}, "null"},
      {"geo_point_in_circle", {real(0), real(0.5), real(0), real(0), real(60000)}, "true"},
      {"geo_distance_2points", {real(0), real(91), real(0), real(0)}, "null"},
  });
  const Value half = call_shaped("geo_distance_2points", {real(0), real(0), real(180), real(0)},
                                 std::vector<ArgumentShape>(4, ArgumentShape::kFlat));
  CHECK(half.as_real() == doctest::Approx(20015114.4).epsilon(1e-6));
}

}  // namespace
}  // namespace evq
