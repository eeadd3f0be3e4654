// Times that an event tells in several fields, as exports of spreadsheets and of Hadoop's logs do;
// and fields of times that hold objects.
#include <string>

#include <doctest/doctest.h>

#include "tests/support/load_events.h"

namespace {

using evq::IngestOptions;
using evq::test::load_events;
using evq::test::Loaded;

IngestOptions with_times(const char* field, const char* layout = "") {
  IngestOptions options;
  options.timestamp_field = field;
  options.timestamp_layout = layout;
  return options;
}

std::string rows_of(const std::string& text, const IngestOptions& options) {
  const Loaded loaded = load_events(text, options);
  REQUIRE(loaded.status.ok());
  std::string rows;
  for (const evq::Table& table : loaded.tables) {
    rows += evq::test::dump_rows(table);
  }
  for (const evq::IngestFailure& failure : loaded.counts.failures) {
    rows += failure.reason + "\n";
  }
  return rows;
}

TEST_CASE("fields after one another tell the time, in the order in which they are named") {
  const std::string time = "_time=2015-10-18T18:01:47.978Z";
  CHECK(rows_of("day,at\n2015-10-18,\"18:01:47,978\"\n", with_times("day,at")) ==
        time + " day=\"2015-10-18\" at=\"18:01:47,978\"\n");
  CHECK(rows_of(R"({"at":"18:01:47.978","day":"2015-10-18"})", with_times("day,at")) ==
        time + " at=\"18:01:47.978\" day=\"2015-10-18\"\n");
  CHECK(rows_of(R"({"t":{"at":"18:01:47.978","day":"2015-10-18"}})", with_times("t.day,t.at")) ==
        time + " t.at=\"18:01:47.978\" t.day=\"2015-10-18\"\n");
}

TEST_CASE("a layout reads them with a space between") {
  CHECK(rows_of("m,d,t,y\nDec,10,06:55:46,2015\n", with_times("m,d,t,y", "Jan 2 15:04:05 2006")) ==
        "_time=2015-12-10T06:55:46Z m=\"Dec\" d=10 t=\"06:55:46\" y=2015\n");
  CHECK(rows_of("d,t\n081109,203615\n", with_times("d,t", "060102 150405")) ==
        "_time=2008-11-09T20:36:15Z d=\"081109\" t=203615\n");
  CHECK(rows_of(R"({"y":2015,"d":32})", with_times("y,d", "2006 2")) ==
        "the value of 'y,d' is no time: '2015 32'\n");
}

TEST_CASE("two whole numbers may be seconds and nanoseconds") {
  const IngestOptions options = with_times("i.s,i.n");
  const auto time_of = [&](const std::string& seconds, const std::string& rest) {
    const std::string row = rows_of(R"({"i":{"s":)" + seconds + R"(,"n":)" + rest + "}}", options);
    return row.substr(0, row.find(" i."));
  };
  CHECK(time_of("1714557600", "123456789") == "_time=2024-05-01T10:00:00.123456789Z");
  CHECK(time_of("1714557600", "5000") == "_time=2024-05-01T10:00:00.000005Z");
  CHECK(time_of("1714557600", "0") == "_time=2024-05-01T10:00:00Z");
  CHECK(time_of("1714557600", "null") == "_time=2024-05-01T10:00:00Z");
  CHECK(time_of("1714557600", "1000000000") ==
        "the value of 'i.s,i.n' is no time: '1714557600 1000000000'\n");
  CHECK(time_of("1714557600", "-1") == "the value of 'i.s,i.n' is no time: '1714557600 -1'\n");
  CHECK(time_of("999999999", "1") == "the value of 'i.s,i.n' is no time: '999999999 1'\n");
  CHECK(time_of("1714557600123", "1") == "the value of 'i.s,i.n' is no time: '1714557600123 1'\n");
}

TEST_CASE("a time that is a number keeps all of its digits") {
  const IngestOptions options;
  const std::string time = "_time=2024-05-01T10:00:00.123456789Z";
  CHECK(rows_of(R"({"_time":1714557600.123456789,"a":1714557600.123456789})", options) ==
        time + " a=1714557600.1234567\n");
  CHECK(rows_of(R"({"_time":1714557600123.456789})", options) == time + "\n");
  CHECK(rows_of("{\"b\":\"\xff\",\"_time\":1714557600.123456789}", options) ==
        time + " b=\"\xEF\xBF\xBD\"\n");  // as the parser of what has to be repaired reads it
  CHECK(rows_of(R"({"_time":1714557600.123456999,"_time":1714557600.123456789})", options) ==
        time + "\n");
  CHECK(rows_of(R"({"time":1714557600.123456789,"data":{"a":1}})", options) ==
        time + " data.a=1\n");
}

TEST_CASE("parts that are missing are left out; without any, _time tells") {
  const IngestOptions options = with_times("day,at");
  CHECK(rows_of(R"({"day":"2015-10-18"})", options) ==
        "_time=2015-10-18T00:00:00Z day=\"2015-10-18\"\n");
  CHECK(rows_of(R"({"day":"2015-10-18","at":null})", options) ==
        "_time=2015-10-18T00:00:00Z day=\"2015-10-18\"\n");
  CHECK(rows_of(R"({"_time":"2020-01-02T03:04:05Z","at":null})", options) ==
        "_time=2020-01-02T03:04:05Z\n");
  CHECK(rows_of(R"({"at":"18:01"})", options) == "the value of 'day,at' is no time: '18:01'\n");
  CHECK(rows_of(R"({"day":"2015-10-18","at":true})", options) ==
        "the value of 'day,at' is no time\n");
}

TEST_CASE("the last of repeated keys counts, and no event sees another's parts") {
  CHECK(rows_of(R"({"day":"junk","at":"1:02","day":"2015-10-18"})"
                "\n"
                R"({"day":"2015-10-19"})",
                with_times("day,at")) ==
        "_time=2015-10-18T01:02:00Z day=\"2015-10-18\" at=\"1:02\"\n"
        "_time=2015-10-19T00:00:00Z day=\"2015-10-19\"\n");
}

TEST_CASE("a field whose name has a comma is itself") {
  CHECK(rows_of(R"({"day,at":"2015-10-18T01:00:00Z","day":"junk"})", with_times("day,at")) ==
        "_time=2015-10-18T01:00:00Z day,at=\"2015-10-18T01:00:00Z\" day=\"junk\"\n");
}

TEST_CASE("_time may be one of the parts") {
  CHECK(rows_of(R"({"day":"2015-10-18","_time":"18:01:47"})", with_times("day,_time")) ==
        "_time=2015-10-18T18:01:47Z day=\"2015-10-18\"\n");
  CHECK(rows_of(R"({"_time":"2015-10-18","at":"18:01:47"})", with_times("_time,at")) ==
        "_time=2015-10-18T18:01:47Z at=\"18:01:47\"\n");
}

TEST_CASE("no letter of a text that is no time is cut apart where the reason ends") {
  std::string letters;
  for (int i = 0; i < 40; ++i) {
    letters += "\u00e9";
  }
  CHECK(rows_of("{\"day\":\"x" + letters + "\"}", with_times("day,at")) ==
        "the value of 'day,at' is no time: 'x" + letters.substr(0, 62) + "\u2026'\n");
}

TEST_CASE("at most so many parts") {
  CHECK(load_events("{}", with_times("a,b,c,d,e,f,g,h")).status.ok());
  CHECK_FALSE(load_events("{}", with_times("a,b,c,d,e,f,g,h,i")).status.ok());
}

TEST_CASE("an object where the time should be tells none, as a list does") {
  const std::string unread = "the value of '_time' is no time\n";
  CHECK(rows_of(R"({"_time":[1]})", {}) == unread);
  CHECK(rows_of(R"({"_time":{"a":1}})", {}) == unread);
  CHECK(rows_of(R"([{"_time":{"a":1}}])", {}) == unread);
  CHECK(rows_of(R"({"b":1,"_time":{}})", {}) == unread);
  CHECK(rows_of(R"({"_time":{"a":1},"_time":"2025-06-01T00:00:01Z"})", {}) ==
        "_time=2025-06-01T00:00:01Z\n");
  CHECK(rows_of(R"({"a":{"_time":{"b":1}}})", {}) == "_time=2023-11-14T22:13:20Z a._time.b=1\n");
  const IngestOptions at = with_times("at");
  CHECK(rows_of(R"({"at":{"ms":5}})", at) == "the value of 'at' is no time\n");
  CHECK(rows_of(R"({"at":{"ms":5},"_time":"2025-06-01T00:00:01Z"})", at) ==
        "the value of 'at' is no time\n");
  CHECK(rows_of(R"({"at":{"$date":"2025-06-01T00:00:01Z"}})", with_times("at.$date")) ==
        "_time=2025-06-01T00:00:01Z at.$date=\"2025-06-01T00:00:01Z\"\n");
  CHECK(rows_of(R"({"day":{"a":1},"at":"18:01"})", with_times("day,at")) ==
        "the value of 'day,at' is no time\n");
}

}  // namespace
