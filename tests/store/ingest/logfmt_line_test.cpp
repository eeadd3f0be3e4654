// logfmt: which lines are of pairs, what the pairs become, and that the JSON that is sent to a
// server becomes the same.
#include "store/ingest/logfmt_line.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/ingest/line_times.h"
#include "tests/support/load_events.h"

namespace {

using evq::test::kReceiptNs;

std::string rows_as(std::string_view text, evq::InputFormat format) {
  evq::IngestOptions options;
  options.format = format;
  const auto loaded = evq::test::load_events(std::string(text), options);
  REQUIRE(loaded.status.ok());
  std::string rows;
  for (const auto& table : loaded.tables) {
    rows += evq::test::dump_rows(table);
  }
  return rows;
}

}  // namespace

TEST_CASE("a line of logfmt holds pairs and nothing besides") {
  for (const char* line :
       {"a=1", "a=1 b=2", "  a=  b=\"\"  ", "@t=x msg=\"it is \\\"so\\\"\"", "a.b-c/d=1\te=2",
        "a=b=c", "a='b'", "_time=x", "a=1, b=\"2\", c=3", "<189>a=1"}) {
    CAPTURE(line);
    CHECK(evq::is_logfmt_line(line, 1));
  }
  for (const char* line :
       {"", "  ", "a", "a b=1", "b=1 a", "=1", "1=2", "a=\"b", "a=\"b\"c", "a=b\"c", "\"a\"=b",
        "a=\"b\\\"", "a = b", "a=\"b\",", "<192>a=1", "<9>b"}) {
    CAPTURE(line);
    CHECK_FALSE(evq::is_logfmt_line(line, 1));
  }
  CHECK(evq::is_logfmt_line("a=1 b=2", 2));
  CHECK_FALSE(evq::is_logfmt_line("a=1", 2));
}

TEST_CASE("the time of a line of logfmt") {
  struct Row {
    const char* line;
    const char* time;
  };
  const Row rows[] = {
      {"time=2024-05-01T10:20:30.5Z level=info", "2024-05-01T10:20:30.5Z"},
      {"level=info ts=\"2024-05-01 10:20:30\"", "2024-05-01T10:20:30Z"},
      {"timestamp=1714558830 a=b", "2024-05-01T10:20:30Z"},
      {"time=5ms ts=1714558830.25", "2024-05-01T10:20:30.25Z"},
      {"t=2024-05-01T10:20:30Z lvl=info msg=a", "2024-05-01T10:20:30Z"},
      {"@timestamp=2024-05-01T10:20:30Z a=b", "2024-05-01T10:20:30Z"},
      {"a=b datetime=\"2024-05-01 10:20:30\"", "2024-05-01T10:20:30Z"},
      {"<189>date=2024-05-01 time=13:46:53 eventtime=1728938813367205651 tz=\"-0700\" a=b",
       "2024-05-01T20:46:53Z"},
      {"date=2024-05-01 time=13:46:53 tz=local", "2024-05-01T13:46:53Z"},
      {"date=2024-05-01 time=13:46:53 ts=1714558830", "2024-05-01T10:20:30Z"},
      {"date=2024-05-01 a=b", "none"},
      {"t=5ms a=b", "none"},
      {"time=0.53 a=b", "none"},
      {"time=10:20:30", "none"},
      {"times=2024-05-01T10:20:30Z", "none"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    const auto time = evq::logfmt_time(row.line);
    CHECK((time ? evq::instant_text(*time) : "none") == row.time);
  }
}

TEST_CASE("lines of logfmt are events, here and sent on as JSON") {
  struct Row {
    const char* line;
    const char* event;
  };
  const Row rows[] = {
      {"level=info took=5ms n=-12 x=1.5e3 ok=true no=false",
       "_time=2023-11-14T22:13:20Z level=\"info\" took=\"5ms\" n=-12 x=1500.0 ok=true no=false\n"},
      {"id=007 big=99999999999999999999 quoted=\"5\" word=True",
       "_time=2023-11-14T22:13:20Z id=\"007\" big=\"99999999999999999999\" quoted=\"5\" "
       "word=\"True\"\n"},
      {"msg=\"two words\" esc=\"a\\n\\\"b\\\"\\u00e9\" odd=\"\\x1b\" none= empty=\"\"",
       "_time=2023-11-14T22:13:20Z msg=\"two words\" esc=\"a\\n\\\"b\\\"é\" odd=\"\\\\x1b\" "
       "empty=\"\"\n"},
      {"ts=2024-05-01T10:20:30Z http.status=200",
       "_time=2024-05-01T10:20:30Z ts=\"2024-05-01T10:20:30Z\" http.status=200\n"},
      {"ts=2024-05-01T10:20:30Z _time=2020-01-01T00:00:00Z a=b",
       "_time=2020-01-01T00:00:00Z ts=\"2024-05-01T10:20:30Z\" a=\"b\"\n"},
      {"a=1, b=\"x,\",\tc=y,z d=,e f=g,",
       "_time=2023-11-14T22:13:20Z a=1 b=\"x,\" c=\"y,z\" d=\",e\" f=\"g,\"\n"},
      {"<189>date=2024-05-01 time=13:46:53 tz=\"+0200\" level=notice",
       "_time=2024-05-01T11:46:53Z date=\"2024-05-01\" time=\"13:46:53\" tz=\"+0200\" "
       "level=\"notice\"\n"},
      {"a=1 a=2", "_time=2023-11-14T22:13:20Z a=2\n"},
      {"a=1 a= b=x _time=", "_time=2023-11-14T22:13:20Z b=\"x\"\n"},
      {"type=USER_LOGIN msg=audit(1714558830.25:7): pid=3 msg='op=login acct=\"root\" res=failed'",
       "_time=2024-05-01T10:20:30.25Z type=\"USER_LOGIN\" msg=\"audit(1714558830.25:7):\" pid=3 "
       "op=\"login\" acct=\"root\" res=\"failed\"\n"},
      {"node=h type=X msg=audit(1714558830.25:7): msg=' a=\"b\"'\x1dUID=\"root\" AUID=\"x\"",
       "_time=2024-05-01T10:20:30.25Z node=\"h\" type=\"X\" msg=\"audit(1714558830.25:7):\" "
       "a=\"b\" UID=\"root\" AUID=\"x\"\n"},
      {"type=X msg=audit(1714558830.25:7): key=(null)\x1dSYSCALL=execve",
       "_time=2024-05-01T10:20:30.25Z type=\"X\" msg=\"audit(1714558830.25:7):\" "
       "key=\"(null)\" SYSCALL=\"execve\"\n"},
      {"type=DAEMON_START msg=audit(1714558830.25:7): auditd start",
       "_time=2024-05-01T10:20:30.25Z message=\"type=DAEMON_START msg=audit(1714558830.25:7): "
       "auditd start\"\n"},
      {"a=b msg='c=d'", "_time=2023-11-14T22:13:20Z a=\"b\" msg=\"'c=d'\"\n"},
      {"  at main.go:12", "_time=2023-11-14T22:13:20Z message=\"  at main.go:12\"\n"},
      {"2024-05-01T10:20:30Z plain",
       "_time=2024-05-01T10:20:30Z message=\"2024-05-01T10:20:30Z "
       "plain\"\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(rows_as(std::string(row.line) + "\n", evq::InputFormat::kLogfmt) == row.event);
    evq::Piece piece;
    piece.kind = evq::PieceKind::kLogfmt;
    piece.receipt_ns = kReceiptNs;
    std::string json;
    evq::append_logfmt_as_json(&json, row.line, evq::LineTimes(piece, true).next(row.line));
    CHECK(rows_as(json + "\n", evq::InputFormat::kNdjson) == row.event);
  }
}

TEST_CASE("logfmt that is no UTF-8 is repaired") {
  CHECK(rows_as("a=x\xFF b=1\r\n\n", evq::InputFormat::kDetect) ==
        "_time=2023-11-14T22:13:20Z a=\"x\xEF\xBF\xBD\" b=1\n");
}
