// Time zones: rules, times that exist twice or never, damaged files.

#include "store/base/time_zone.h"

#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include "store/base/time.h"
#include "store/base/time_parse.h"

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

TEST_CASE("a zone that cannot be read now is not one that is not there") {
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit none{0, limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
  const Result<TimeZone> loaded = TimeZone::load("Asia/Tokyo");
  const std::optional<std::int64_t> parsed = parse_event_time("2024-03-31 09:00:00 Asia/Tokyo");
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().code == ErrorCode::kUnavailable);
  CHECK_FALSE(parsed.has_value());
  CHECK(instant_text(parse_event_time("2024-03-31 09:00:00 Asia/Tokyo").value()) ==
        "2024-03-31T00:00:00Z");
  CHECK(TimeZone::load("Asia").error().code == ErrorCode::kNotFound);
  CHECK(TimeZone::load("Asia/Tokyo/Ginza").error().code == ErrorCode::kNotFound);
}

}  // namespace
}  // namespace evq
