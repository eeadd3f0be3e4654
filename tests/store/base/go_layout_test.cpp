#include "store/base/go_layout.h"

#include <cstdint>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/base/time_parse.h"

namespace evq {
namespace {

const std::int64_t kReference = 1714557600 * kSecondNs;  // 2024-05-01T10:00:00Z

std::string parsed(const char* layout, std::string_view text) {
  const Result<GoLayout> compiled = GoLayout::compile(layout);
  if (!compiled.ok()) {
    return "bad layout";
  }
  const auto ns = compiled->parse(text, kReference);
  return ns ? instant_text(*ns) : "none";
}

TEST_CASE("layouts of real logs") {
  struct Row {
    const char* layout;
    const char* text;
    const char* instant;
  };
  const Row rows[] = {
      // nginx and Apache access logs
      {"2/Jan/2006:15:04:05 +0000", "17/May/2015:08:05:30 +0000", "2015-05-17T08:05:30Z"},
      {"2/Jan/2006:15:04:05 +0000", "7/May/2015:08:05:30 +0200", "none"},
      {"02/Jan/2006:15:04:05 -0700", "17/May/2015:08:05:30 +0200", "2015-05-17T06:05:30Z"},
      {"02/Jan/2006 15:04:05", "17/May/2015 08:05:30", "2015-05-17T08:05:30Z"},
      // nginx and Apache error logs
      {"2006/01/02 15:04:05", "2024/05/01 10:20:30", "2024-05-01T10:20:30Z"},
      {"Mon Jan 02 15:04:05.000000 2006", "Wed May 01 10:20:30.123456 2024",
       "2024-05-01T10:20:30.123456Z"},
      // syslog, old and new
      {"Jan _2 15:04:05", "May  1 10:20:30", "2024-05-01T10:20:30Z"},
      {"Jan _2 15:04:05", "Apr 30 10:20:30", "2024-04-30T10:20:30Z"},
      {"Jan _2 15:04:05", "Dec 31 23:59:59", "2023-12-31T23:59:59Z"},
      {"Jan 2 15:04:05", "Oct  1 10:20:30", "2023-10-01T10:20:30Z"},
      {"2006-01-02T15:04:05.999999Z07:00", "2024-05-01T10:20:30.5+02:00", "2024-05-01T08:20:30.5Z"},
      // Java, Python
      {"2006-01-02 15:04:05,000", "2024-05-01 10:20:30,123", "2024-05-01T10:20:30.123Z"},
      {"2006-01-02 15:04:05.000", "2024-05-01 10:20:30,123", "2024-05-01T10:20:30.123Z"},
      {"Jan 2, 2006 3:04:05 PM", "May 1, 2024 12:20:30 AM", "2024-05-01T00:20:30Z"},
      {"Jan 2, 2006 3:04:05 PM", "May 1, 2024 12:20:30 PM", "2024-05-01T12:20:30Z"},
      {"Jan 2, 2006 3:04:05 PM", "May 1, 2024 1:20:30 PM", "2024-05-01T13:20:30Z"},
      {"2006-01-02 03:04pm", "2024-05-01 11:20pm", "2024-05-01T23:20:00Z"},
      // Go's own
      {"Mon Jan _2 15:04:05 2006", "Wed May  1 10:20:30 2024", "2024-05-01T10:20:30Z"},
      {"Mon Jan _2 15:04:05 MST 2006", "Wed May  1 10:20:30 PDT 2024", "2024-05-01T17:20:30Z"},
      {"Mon Jan 02 15:04:05 -0700 2006", "Wed May 01 10:20:30 -0700 2024", "2024-05-01T17:20:30Z"},
      {"Mon Jan _2 15:04:05 MST 2006", "Wed May  1 10:20:30 CEST 2024", "2024-05-01T08:20:30Z"},
      {"Mon Jan _2 15:04:05 MST 2006", "Wed May  1 10:20:30 XYZT 2024", "2024-05-01T10:20:30Z"},
      {"02-Jan-2006 15:04:05 MST", "01-May-2024 10:20:30 Asia/Kolkata", "2024-05-01T04:50:30Z"},
      {"02-Jan-2006 15:04:05 MST", "01-May-2024 10:20:30 Asia/Nowhere", "none"},
      {"2006-01-02 15:04 MST-0700", "2024-05-01 10:20 UTC+0200", "2024-05-01T08:20:00Z"},
      {"02 Jan 06 15:04 MST", "01 May 24 10:20 UTC", "2024-05-01T10:20:00Z"},
      {"Monday, 02-Jan-06 15:04:05 MST", "Wednesday, 01-May-24 10:20:30 GMT",
       "2024-05-01T10:20:30Z"},
      {"Mon, 02 Jan 2006 15:04:05 -0700", "Wed, 01 May 2024 10:20:30 +0530",
       "2024-05-01T04:50:30Z"},
      {"2006-01-02T15:04:05Z07:00", "2024-05-01T10:20:30Z", "2024-05-01T10:20:30Z"},
      {"2006-01-02T15:04:05Z07:00", "2024-05-01T10:20:30.123Z", "2024-05-01T10:20:30.123Z"},
      {"2006-01-02T15:04:05.999999999Z07:00", "2024-05-01T10:20:30Z", "2024-05-01T10:20:30Z"},
      {"3:04PM", "4:05PM", "2024-05-01T16:05:00Z"},
      // the rest of the elements
      {"2006-002", "2024-060", "2024-02-29T00:00:00Z"},
      {"2006-__2", "2024-  1", "2024-01-01T00:00:00Z"},
      {"2006-002", "2023-366", "none"},
      {"January 2, 2006", "mAY 1, 2024", "2024-05-01T00:00:00Z"},
      {"06-1-2", "24-5-1", "2024-05-01T00:00:00Z"},
      {"06-1-2", "70-5-1", "1970-05-01T00:00:00Z"},
      {"20060102150405", "20240501102030", "2024-05-01T10:20:30Z"},
      {"2006-01-02T15:04:05-07:00:00", "2024-05-01T10:20:30+01:00:30", "2024-05-01T09:20:00Z"},
      {"2006-01-02T15:04:05-07", "2024-05-01T10:20:30+01", "2024-05-01T09:20:30Z"},
      {"2006-01-02 MST", "2024-05-01 GMT+3", "2024-04-30T21:00:00Z"},
      {"2006-01-02_15", "2024-05-01_10", "2024-05-01T10:00:00Z"},
      {"_2006", "_2024", "2024-01-01T00:00:00Z"},
      {"Month 2006", "Month 2024", "2024-01-01T00:00:00Z"},
      // the range of instants is that of the instant, not of the local time
      {"2006-01-02 15:04:05 -0700", "2262-04-12 00:47:16 +0100", "2262-04-11T23:47:16Z"},
      {"2006-01-02 15:04:05 -0700", "2262-04-12 00:47:17 +0100", "none"},
      {"2006-01-02 15:04:05 -0700", "1677-09-20 17:12:44 -0700", "1677-09-21T00:12:44Z"},
      // misfits
      {"2006-01-02", "2024-05-01 ", "none"},
      {"2006-01-02", "2024-5-01", "none"},
      {"2006-01-02", "2024-13-01", "none"},
      {"2006-01-02", "2024-02-30", "none"},
      {"2006-01-02", "", "none"},
      {"2006-01-02 15:04", "2024-05-01 24:00", "none"},
      {"15:04:05.000 2006", "10:20:30.12 2024", "none"},
      {"Jan 2006", "Foo 2024", "none"},
      {"2006-01-02T15:04:05Z07:00", "2024-05-01T10:20:30+0200", "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.layout));
    CAPTURE(std::string(row.text));
    CHECK(parsed(row.layout, row.text) == row.instant);
  }
}

TEST_CASE("a layout without a year picks the latest one that is not a day ahead") {
  const Result<GoLayout> syslog = GoLayout::compile("Jan _2 15:04:05");
  REQUIRE(syslog.ok());
  const std::int64_t new_year = parse_instant("2024-01-01T00:00:10Z").value_or(0);
  CHECK(syslog->parse("Dec 31 23:59:59", new_year) == parse_instant("2023-12-31T23:59:59Z"));
  const std::int64_t old_year = parse_instant("2023-12-31T23:59:50Z").value_or(0);
  CHECK(syslog->parse("Jan  1 00:00:01", old_year) == parse_instant("2024-01-01T00:00:01Z"));
  CHECK(syslog->parse("Jan  1 23:59:51", old_year) == parse_instant("2023-01-01T23:59:51Z"));
  CHECK(syslog->parse("Feb 29 00:00:00", old_year) == parse_instant("2020-02-29T00:00:00Z"));
  const std::int64_t november = parse_instant("2026-11-27T00:00:00Z").value_or(0);
  CHECK(syslog->parse("May  1 10:00:00", november) == parse_instant("2026-05-01T10:00:00Z"));
  const std::int64_t no_leap = parse_instant("1904-02-28T00:00:00Z").value_or(0);
  CHECK(syslog->parse("Feb 29 00:00:00", no_leap) == parse_instant("1904-02-29T00:00:00Z"));
  CHECK(syslog->parse("Feb 29 00:00:00", no_leap - kDayNs) ==
        parse_instant("1896-02-29T00:00:00Z"));
  CHECK(!syslog->parse("Feb 30 00:00:00", november));
  CHECK(syslog->parse("May  1 10:00:00", kInstantMax) == parse_instant("2261-05-01T10:00:00Z"));
  // Where the new year has begun already.
  const Result<GoLayout> zoned = GoLayout::compile("Jan _2 15:04:05 -0700");
  REQUIRE(zoned.ok());
  const std::int64_t before = parse_instant("2023-12-31T12:00:00Z").value_or(0);
  CHECK(zoned->parse("Jan  1 01:00:00 +1200", before) == parse_instant("2023-12-31T13:00:00Z"));
}

TEST_CASE("bad layouts are refused") {
  for (const std::string& layout :
       {std::string(), std::string("abc"), std::string(129, '2'), std::string(100, '1')}) {
    const Result<GoLayout> compiled = GoLayout::compile(layout);
    REQUIRE(!compiled.ok());
    CHECK(compiled.error().code == ErrorCode::kUsage);
  }
}

TEST_CASE("a layout of strftime or Java is refused with what Go writes") {
  const auto hint_of = [](std::string_view layout) {
    const auto compiled = evq::GoLayout::compile(layout);
    return compiled.ok() ? std::string("OK") : compiled.error().hint;
  };
  const std::string how = "write the reference time Mon Jan 2 15:04:05 MST 2006 in your format";
  CHECK(hint_of("%d.%m.%Y %H:%M") == how + ": '02.01.2006 15:04'");
  CHECK(hint_of("%FT%T.%f%z") == how + ": '2006-01-02T15:04:05.000000-0700'");
  CHECK(hint_of("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'") == how + ": '2006-01-02T15:04:05.000Z'");
  CHECK(hint_of("HH:mm") == how + ": '15:04'");
  CHECK(hint_of("%-m/%-d/%Y") == how + ": '1/2/2006'");
  CHECK(hint_of("YYYY-MM-DDTHH:mm:ssZ") == how + ": '2006-01-02T15:04:05-0700'");
  CHECK(hint_of("MM/DD/YYYY HH:MI:SS AM") == how + ": '01/02/2006 15:04:05 PM'");
  CHECK(hint_of("M/d/yyyy h:mm a") == how + ": '1/2/2006 3:04 PM'");
  CHECK(hint_of("mm/dd/yyyy") == how + ": '01/02/2006'");
  CHECK(hint_of("%Y %Q") == how);
  CHECK(hint_of("yyyy q") == how);
  CHECK(hint_of("when") == how);
}

TEST_CASE("what a layout writes it reads") {
  const std::uint64_t seed = 2;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  for (const char* text :
       {"2006-01-02T15:04:05.000000000Z07:00", "Mon Jan _2 15:04:05.999999999 MST 2006",
        "02/Jan/2006:03:04:05.999999999 PM -0700", "Monday, January 2 2006 3:4:5,999999999 pm",
        "2006 002 15:04:05.999999999 -07:00", "20060102150405.000000000"}) {
    const Result<GoLayout> layout = GoLayout::compile(text);
    REQUIRE(layout.ok());
    for (int i = 0; i < 2000; ++i) {
      const auto ns = static_cast<std::int64_t>(random());
      CAPTURE(std::string(text));
      CAPTURE(layout->format(ns));
      REQUIRE(layout->parse(layout->format(ns), 0) == ns);
    }
  }
  CHECK(GoLayout::compile("Jan _2 06 03:04PM")->format(kReference) == "May  1 24 10:00AM");
}

}  // namespace
}  // namespace evq
