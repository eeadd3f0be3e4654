#include "store/base/time_parse.h"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"

namespace evq {
namespace {

struct TimeRow {
  const char* text;
  const char* instant;
};

std::string text_or_none(std::optional<std::int64_t> ns) {
  return ns ? instant_text(*ns) : "none";
}

constexpr TimeRow kInstants[] = {
    {"2024-05-01", "2024-05-01T00:00:00Z"},
    {"2024-05-01T10:20", "2024-05-01T10:20:00Z"},
    {"2024-05-01 10:20Z", "2024-05-01T10:20:00Z"},
    {"2024-05-01T10:20:30", "2024-05-01T10:20:30Z"},
    {"2024-05-01t10:20:30z", "2024-05-01T10:20:30Z"},
    {"2024-05-01T10:20:30Z", "2024-05-01T10:20:30Z"},
    {"2024-05-01 10:20:30,123", "2024-05-01T10:20:30.123Z"},
    {"2024-05-01T10:20:30.5Z", "2024-05-01T10:20:30.5Z"},
    {"2024-05-01T10:20:30.123456789Z", "2024-05-01T10:20:30.123456789Z"},
    {"2024-05-01T10:20:30.1234567899Z", "2024-05-01T10:20:30.123456789Z"},
    {"2024-05-01T10:20:30.12345678901234567890Z", "2024-05-01T10:20:30.123456789Z"},
    {"2024-05-01T10:20:30+02:00", "2024-05-01T08:20:30Z"},
    {"2024-05-01T10:20:30-0730", "2024-05-01T17:50:30Z"},
    {"2024-05-01T10:20:30.25+02", "2024-05-01T08:20:30.25Z"},
    {"2024-05-01 10:20:30 +0200", "2024-05-01T08:20:30Z"},
    {"2024-05-01T10:20+02:00", "2024-05-01T08:20:00Z"},
    {"2016-12-31T23:59:60Z", "2016-12-31T23:59:59.999999999Z"},
    {"2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"},
    {"2024-12-31T23:59:59Z", "2024-12-31T23:59:59Z"},
    {"20240501T102030Z", "2024-05-01T10:20:30Z"},
    {"20240501T1020", "2024-05-01T10:20:00Z"},
    {"20240501T102030.5+0200", "2024-05-01T08:20:30.5Z"},
    {"1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.9Z"},
    {"1677-09-21T00:12:43.145224192Z", "1677-09-21T00:12:43.145224192Z"},
    {"2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775807Z"},
};

constexpr const char* kNoInstants[] = {
    "",
    "2024",
    "2024-05",
    "2024-5-1",
    "20240501",
    "2024-05-01T",
    "2024-05-01T10",
    "2024-05-01T10:2",
    "2024-05-01T10:20:",
    "2024-05-01T10:20:3Z",
    "2024-05-01T10:20:30.Z",
    "2024-05-01T10:20:30.5.5Z",
    "2024-05-01T10:20:30.x5Z",
    "2024-05-01T10:20:30ZZ",
    "2024-05-01T10:20:30 Z",
    "2024-05-01T10:20:30+2",
    "2024-05-01T10:20:30+24:00",
    "2024-05-01T10:20:30+02:60",
    "2024-05-01T10:20:30+02:",
    "2024-05-01T10:20:61Z",
    "2024-05-01T10:60:00Z",
    "2024-05-01T24:00:00Z",
    "2024-13-01T00:00:00Z",
    "2024-00-01T00:00:00Z",
    "2024-05-00T00:00:00Z",
    "2024-05-32T00:00:00Z",
    "2024-04-31T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2024/05/01T00:00:00Z",
    "2024-05-01_10:20:30Z",
    "2024-05-01T10-20-30Z",
    "20240501T10:20:30Z",
    "2024-05-01T102030Z",
    "-024-05-01T10:20:30Z",
    "2O24-05-01T10:20:30Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "1677-09-21T00:12:43.145224191Z",
    "2262-04-11T23:47:16.854775808Z",
    " 2024-05-01T10:20:30Z",
    "2024-05-01T10:20:30Z ",
};

TEST_CASE("ISO 8601 in all lengths") {
  for (const TimeRow& row : kInstants) {
    CAPTURE(std::string(row.text));
    CHECK(text_or_none(parse_instant(row.text)) == row.instant);
    CHECK(text_or_none(parse_event_time(row.text)) == row.instant);
    CHECK(text_or_none(parse_liberal_datetime(row.text)) == row.instant);
  }
  for (const char* text : kNoInstants) {
    CAPTURE(std::string(text));
    CHECK(text_or_none(parse_instant(text)) == "none");
  }
  CHECK(!parse_instant(std::string(200, '2')));
  CHECK(!parse_instant("2024-05-01T10:20:30." + std::string(200, '1') + "Z"));
}

// With a blank for the T and without the Z, the same instant takes the slow reader.
TEST_CASE("the fast and the slow reader agree, on damaged texts too") {
  const std::uint64_t seed = 5;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200000; ++i) {
    std::string fast = instant_text(static_cast<std::int64_t>(random()) / 1000 * 1000);
    if (i % 2 == 0) {
      fast[random() % (fast.size() - 1)] = "0123456789:-T.Z/x"[random() % 17];
    }
    if (fast[10] != 'T') {
      continue;
    }
    std::string slow = fast;
    slow[10] = ' ';
    slow.back() = '+';
    slow += "00:00";
    CAPTURE(fast);
    REQUIRE(parse_instant(fast) == parse_instant(slow));
  }
}

TEST_CASE("event times are detected") {
  const TimeRow rows[] = {
      {"1714557600", "2024-05-01T10:00:00Z"},
      {" 1714557600\n", "2024-05-01T10:00:00Z"},
      {"1714557600123", "2024-05-01T10:00:00.123Z"},
      {"1714557600123456", "2024-05-01T10:00:00.123456Z"},
      {"1714557600123456789", "2024-05-01T10:00:00.123456789Z"},
      {"1714557600.123456789", "2024-05-01T10:00:00.123456789Z"},
      {"1714557600.5", "2024-05-01T10:00:00.5Z"},
      {"1714557600123.25", "2024-05-01T10:00:00.12325Z"},
      {"1.7145576e9", "2024-05-01T10:00:00Z"},
      {"0", "1970-01-01T00:00:00Z"},
      {"-1", "1969-12-31T23:59:59Z"},
      {"-1.5", "1969-12-31T23:59:58.5Z"},
      {"-0.5", "1969-12-31T23:59:59.5Z"},
      {"17/May/2015:08:05:30 +0000", "2015-05-17T08:05:30Z"},
      {"17/May/2015:08:05:30 +0200", "2015-05-17T06:05:30Z"},
      {"7/may/2015:08:05:30 -0700", "2015-05-07T15:05:30Z"},
      {"17/May/2015:08:05:30", "2015-05-17T08:05:30Z"},
      {"", "none"},
      {"   ", "none"},
      {"1714557600.", "2024-05-01T10:00:00Z"},
      {"1714557600.", "2024-05-01T10:00:00Z"},
      {"1.2.3", "none"},
      {"--1", "none"},
      {"99999999999", "none"},
      {"9223372036854775808", "none"},
      {"1e300", "none"},
      {"31/Apr/2015:08:05:30 +0000", "none"},
      {"17/Foo/2015:08:05:30 +0000", "none"},
      {"17/May/2015:24:05:30 +0000", "none"},
      {"May 17 2015", "none"},
  };
  for (const TimeRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(text_or_none(parse_event_time(row.text)) == row.instant);
  }
  CHECK(text_or_none(event_time_from_real(1714557600.123)) == "2024-05-01T10:00:00.123Z");
  CHECK(text_or_none(event_time_from_real(1714557600123.0)) == "2024-05-01T10:00:00.123Z");
  CHECK(text_or_none(event_time_from_real(0.00001)) == "1970-01-01T00:00:00.00001Z");
  CHECK(!event_time_from_real(std::numeric_limits<double>::quiet_NaN()));
  CHECK(!event_time_from_real(std::numeric_limits<double>::infinity()));
  CHECK(!event_time_from_real(1e19));
  CHECK(!event_time_from_integer(99999999999));
  CHECK(event_time_from_integer(std::numeric_limits<std::int64_t>::min()) == kInstantMin);
}

TEST_CASE("todatetime reads what people and programs write") {
  const TimeRow rows[] = {
      {"Mon, 02 Jan 2006 15:04:05 MST", "2006-01-02T22:04:05Z"},
      {"Mon, 02 Jan 2006 15:04:05 -0700", "2006-01-02T22:04:05Z"},
      {"Tue, 11 Jul 2017 16:28:13 +0200 (CEST)", "2017-07-11T14:28:13Z"},
      {"Mon, 02-Jan-06 15:04:05 MST", "2006-01-02T22:04:05Z"},
      {"Monday, 02-Jan-06 15:04:05 GMT", "2006-01-02T15:04:05Z"},
      {"02 Jan 06 15:04 UTC", "2006-01-02T15:04:00Z"},
      {"02 Jan 06 15:04 -0700", "2006-01-02T22:04:00Z"},
      {"Mon Jan  2 15:04:05 2006", "2006-01-02T15:04:05Z"},
      {"Mon Jan _2 15:04:05 2006", "none"},
      {"Mon Jan  2 15:04:05 MST 2006", "2006-01-02T22:04:05Z"},
      {"Mon Jan 02 15:04:05 -0700 2006", "2006-01-02T22:04:05Z"},
      {"May 8, 2009 5:57:51 PM", "2009-05-08T17:57:51Z"},
      {"May 8, 2009 12:57:51 am", "2009-05-08T00:57:51Z"},
      {"8 May 2009", "2009-05-08T00:00:00Z"},
      {"8 May 09", "2009-05-08T00:00:00Z"},
      {"May 8th, 2009", "2009-05-08T00:00:00Z"},
      {"September 17, 2012 at 5:00pm UTC", "2012-09-17T17:00:00Z"},
      {"Sept. 7, 1970", "1970-09-07T00:00:00Z"},
      {"oct 7, '70", "1970-10-07T00:00:00Z"},
      {"May 2009", "2009-05-01T00:00:00Z"},
      {"2009-05-08 5:57 PM", "2009-05-08T17:57:00Z"},
      {"2009-05-08 5 PM", "2009-05-08T17:00:00Z"},
      {"02/17/2016 08:40:01", "2016-02-17T08:40:01Z"},
      {"2/7/2016", "2016-02-07T00:00:00Z"},
      {"17/02/2016 08:40:01", "2016-02-17T08:40:01Z"},
      {"02/17/16", "2016-02-17T00:00:00Z"},
      {"2024/05/01 10:20:30.5", "2024-05-01T10:20:30.5Z"},
      {"2024/5/1", "2024-05-01T00:00:00Z"},
      {"2024/05", "2024-05-01T00:00:00Z"},
      {"2024-05", "2024-05-01T00:00:00Z"},
      {"3.31.2014", "2014-03-31T00:00:00Z"},
      {"31.3.2014", "2014-03-31T00:00:00Z"},
      {"02-Jan-2006 15:04:05", "2006-01-02T15:04:05Z"},
      {"Jan-02-2006", "2006-01-02T00:00:00Z"},
      {"2006-Jan-02", "2006-01-02T00:00:00Z"},
      {"17/May/2015:08:05:30 +0200", "2015-05-17T06:05:30Z"},
      {"2024-05-01 10:20:30 UTC", "2024-05-01T10:20:30Z"},
      {"2024-05-01 10:20:30 +0000 UTC", "2024-05-01T10:20:30Z"},
      {"2024-05-01 10:20:30.123 +0300 MSK", "2024-05-01T07:20:30.123Z"},
      {"2024-05-01T10:20:30 PDT", "2024-05-01T17:20:30Z"},
      {"2024", "2024-01-01T00:00:00Z"},
      {"20240501", "2024-05-01T00:00:00Z"},
      {"20240501 10:20:30", "2024-05-01T10:20:30Z"},
      {"20240501102030", "2024-05-01T10:20:30Z"},
      {"1714557600", "2024-05-01T10:00:00Z"},
      {"1714557600123", "2024-05-01T10:00:00.123Z"},
      {"1714557600123456", "2024-05-01T10:00:00.123456Z"},
      {"1714557600123456789", "2024-05-01T10:00:00.123456789Z"},
      {" 8 May 2009 ", "2009-05-08T00:00:00Z"},
      {"", "none"},
      {"hello", "none"},
      {"May", "none"},
      {"May 8", "none"},
      {"10:20:30", "none"},
      {"May 32, 2009", "none"},
      {"Feb 29, 2009", "none"},
      {"13/13/2016", "none"},
      {"May May 8 2009", "none"},
      {"8 9 May 2009 10", "none"},
      {"May 8, 2009 25:00", "none"},
      {"May 8, 2009 13:00 PM", "none"},
      {"May 8, 2009 5:00 PM PM", "none"},
      {"May 8, 2009 10:00 XYZT", "none"},
      {"20241301", "none"},
      {"2024-05-01 10:20:30 +0200 +0200", "none"},
      {"2024-05-01-05", "none"},
      {"1/2", "none"},
      {"1//2", "none"},
      {"/1/2/2024", "none"},
      {"99999999999999999999", "none"},
  };
  for (const TimeRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(text_or_none(parse_liberal_datetime(row.text)) == row.instant);
  }
  CHECK(!parse_liberal_datetime(std::string(200, ' ') + "x" + std::string(200, '1')));
}

TEST_CASE("the liberal reader survives any text") {
  const std::uint64_t seed = 9;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::string_view alphabet = "0123456789 :/-.,+TZ()'JanFebAMpmUTC";
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    const std::size_t size = random() % 30;
    for (std::size_t j = 0; j < size; ++j) {
      text.push_back(alphabet[random() % alphabet.size()]);
    }
    const auto strict = parse_instant(text);
    const auto liberal = parse_liberal_datetime(text);
    if (strict) {
      REQUIRE(liberal == strict);
    }
  }
}

TEST_CASE("datetime literals may be a time of today") {
  const std::int64_t now = parse_instant("2024-05-01T18:00:00Z").value_or(0);
  const TimeRow rows[] = {{"10:20", "2024-05-01T10:20:00Z"},
                          {"7:20:30.5", "2024-05-01T07:20:30.5Z"},
                          {"2016-06-26T08:20:03.123456Z", "2016-06-26T08:20:03.123456Z"},
                          {"2016-06-26 08:20", "2016-06-26T08:20:00Z"},
                          {"2015", "2015-01-01T00:00:00Z"},
                          {"25:00", "none"},
                          {"10:60", "none"},
                          {"10", "1970-01-01T00:00:10Z"},
                          {"nonsense", "none"}};
  for (const TimeRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(text_or_none(parse_datetime_literal(row.text, now)) == row.instant);
  }
}

TEST_CASE("relative times") {
  const std::int64_t now = parse_instant("2024-05-01T18:00:00Z").value_or(0);
  const TimeRow rows[] = {{"now", "2024-05-01T18:00:00Z"},
                          {"now-6h", "2024-05-01T12:00:00Z"},
                          {"now - 6h", "2024-05-01T12:00:00Z"},
                          {"now+1h", "2024-05-01T19:00:00Z"},
                          {"now-1h30m", "2024-05-01T16:30:00Z"},
                          {"-7d", "2024-04-24T18:00:00Z"},
                          {"7d", "2024-04-24T18:00:00Z"},
                          {"+1d", "2024-05-02T18:00:00Z"},
                          {"1w2d12h", "2024-04-22T06:00:00Z"},
                          {"15m", "2024-05-01T17:45:00Z"},
                          {"500ms", "2024-05-01T17:59:59.5Z"},
                          {"2024-04-30", "2024-04-30T00:00:00Z"},
                          {"2024-04-30T10:00:00+02:00", "2024-04-30T08:00:00Z"},
                          {"1714557600", "2024-05-01T10:00:00Z"},
                          {"0", "1970-01-01T00:00:00Z"},
                          {"", "none"},
                          {"now6h", "none"},
                          {"now-", "none"},
                          {"now--1h", "none"},
                          {"nowish", "none"},
                          {"7x", "none"},
                          {"7d8", "none"},
                          {"99999999w", "none"}};
  for (const TimeRow& row : rows) {
    CAPTURE(std::string(row.text));
    CHECK(text_or_none(parse_relative_time(row.text, now)) == row.instant);
  }
}

}  // namespace
}  // namespace evq
