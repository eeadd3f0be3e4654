// Plain text logs: what a line becomes, and which times it may begin with.
#include "store/ingest/text_line.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "tests/support/load_events.h"

namespace {

using evq::test::kReceiptNs;

std::string time_of(std::string_view line) {
  const auto time = evq::leading_time(line, kReceiptNs);
  return time ? evq::instant_text(*time) : "none";
}

evq::IngestOptions detected() {
  evq::IngestOptions options;
  options.format = evq::InputFormat::kDetect;
  return options;
}

}  // namespace

TEST_CASE("a log line's time is the one it begins with") {
  struct Row {
    const char* line;
    const char* time;
  };
  const Row rows[] = {
      {"2024-05-01T10:20:30.5Z started", "2024-05-01T10:20:30.5Z"},
      {"2015-10-18 18:01:47,978 INFO [main] x", "2015-10-18T18:01:47.978Z"},
      {"2024-05-01 10:20:30 +0200 x", "2024-05-01T08:20:30Z"},
      {"2024/05/01 10:20:30 [error] 17#0: *1 open()", "2024-05-01T10:20:30Z"},
      {"2024-05-01 10:20:30\tx y", "2024-05-01T10:20:30Z"},
      {"[Sun Dec 04 04:47:44 2005] [notice] ok", "2005-12-04T04:47:44Z"},
      {"[2024-05-01 10:20:30] x", "2024-05-01T10:20:30Z"},
      {"[notice] [Sun Dec 04 04:47:44 2005] ok", "2005-12-04T04:47:44Z"},
      {"127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 5",
       "2000-10-10T20:55:36Z"},
      {"1066036250.603 31 10.0.0.1 TCP_MISS/200", "2003-10-13T09:10:50.603Z"},
      // Without a year: the last one before the receipt, 2023-11-14T22:13:20Z.
      {"Nov 14 06:55:46 host sshd[24200]: x", "2023-11-14T06:55:46Z"},
      {"Nov 15 06:55:46 host x", "2023-11-15T06:55:46Z"},
      {"Dec 10 06:55:46 host x", "2022-12-10T06:55:46Z"},
      {"<34>Oct 11 22:14:15 mymachine su: x", "2023-10-11T22:14:15Z"},
      {"<34>1 2003-10-11T22:14:15.003Z host su - ID47 - x", "2003-10-11T22:14:15.003Z"},
      {"I1010 13:55:36.123456       1 main.go:42] x", "2023-10-10T13:55:36.123456Z"},
      {"E1231 13:55:36.5 1 main.go:42] x", "2022-12-31T13:55:36.5Z"},
      {"X1010 13:55:36.5 1 main.go:42] x", "none"},
      {"I1010", "none"},
      {"\x1b[32m2023-10-10 13:55:36\x1b[0m \x1b[1;31mERROR\x1b[0m x", "2023-10-10T13:55:36Z"},
      {"\x1b[2m[2023-10-10 13:55:36]\x1b[m x", "2023-10-10T13:55:36Z"},
      {"\x1b[", "none"},
      {"error at 10:20:30 somewhere", "none"},
      {"10:20:30 x", "none"},
      {"12345 x", "none"},
      {"", "none"},
      {"[", "none"},
      {"[]", "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(time_of(row.line) == row.time);
  }
}

TEST_CASE("a line of plain text is an event") {
  const auto loaded = evq::test::load_events(
      "[notice] one\r\n\n2024-05-01T10:20:30Z two\nthr\xFF"
      "ee",
      detected());
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) ==
        "_time=2023-11-14T22:13:20Z message=\"[notice] one\"\n"
        "_time=2024-05-01T10:20:30Z message=\"2024-05-01T10:20:30Z two\"\n"
        "_time=2024-05-01T10:20:30Z message=\"thr\xEF\xBF\xBD"
        "ee\"\n");
  CHECK(loaded.counts.repaired == 1);
}

TEST_CASE("what is no text is refused whole") {
  const auto zero = evq::test::load_events(std::string_view("ab\0cd\n", 6), detected());
  REQUIRE(!zero.status.ok());
  CHECK(zero.status.error().message ==
        "this is no text: byte 3 is zero (compressed input may be gzip or zstd)");
  for (const auto& [head, message] :
       {std::pair("BZh91AY&SYabc\n", "this is compressed by bzip2; unpack it first: bunzip2 -c"),
        std::pair("PAR1\x15\x04\n", "this is a Parquet file; write it as NDJSON first"),
        std::pair("PK\x03\x04zip\n", "this is a ZIP archive; unpack it first: unzip -p")}) {
    const auto packed = evq::test::load_events(std::string_view(head), detected());
    REQUIRE(!packed.status.ok());
    CHECK(packed.status.error().message == message);
  }
  for (const std::string_view wide :
       {std::string_view("{\0}\0", 4), std::string_view("\0a\0b", 4)}) {
    const auto loaded = evq::test::load_events(wide, detected());
    REQUIRE(!loaded.status.ok());
    CHECK(loaded.status.error().message ==
          "this is UTF-16 text without its byte order mark; convert it first: "
          "iconv -f UTF-16LE -t UTF-8");
  }
  const auto zeros = evq::test::load_events(std::string(100, '\0'), detected());
  REQUIRE(!zeros.status.ok());
  CHECK(zeros.status.error().message ==
        "this is no text: byte 1 is zero (compressed input may be gzip or zstd)");
  std::string archive = "app.log";
  archive.resize(257, '\0');
  const auto tar = evq::test::load_events(archive + "ustar", detected());
  REQUIRE(!tar.status.ok());
  CHECK(tar.status.error().message == "this is a tar archive; unpack it first: tar -xO");
}
