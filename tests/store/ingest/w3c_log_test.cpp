// Logs under a header of lines that begin with #: what their cells become, which time they tell, a
// header that changes on the way, and that the JSON that is sent to a server becomes the same.
#include "store/ingest/w3c_log.h"

#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "store/base/limits.h"
#include "tests/support/load_events.h"

namespace {

std::string fields_of(std::string_view text, evq::InputFormat format,
                      std::string_view timestamp_field = {}) {
  evq::IngestOptions options;
  options.format = format;
  options.timestamp_field = timestamp_field;
  const auto loaded = evq::test::load_events(std::string(text), options);
  REQUIRE(loaded.status.ok());
  CHECK(loaded.counts.failed == 0);
  std::string rows;
  for (const auto& table : loaded.tables) {
    rows += evq::test::dump_rows(table);
  }
  return rows;
}

std::string as_json(std::string_view text) {
  evq::Piece piece;
  piece.kind = evq::PieceKind::kW3c;
  piece.receipt_ns = evq::test::kReceiptNs;
  piece.size = text.size();
  piece.memory = std::make_unique<char[]>(text.size());
  text.copy(piece.memory.get(), text.size());
  std::string json;
  evq::append_w3c_as_json(&json, piece, true);
  return json;
}

}  // namespace

TEST_CASE("a log of each kind: as it is, and sent on as JSON") {
  struct Row {
    const char* log;
    const char* events;
  };
  const Row rows[] = {
      // IIS: blanks, a header again on the way with other columns.
      {"#Software: Microsoft Internet Information Services 10.0\r\n#Version: 1.0\r\n"
       "#Date: 2024-05-01 00:00:01\r\n"
       "#Fields: date time cs-uri-stem cs-uri-query sc-status cs(User-Agent)\r\n"
       "2024-05-01 00:00:01 /a - 200 Mozilla/5.0+(Windows)\r\n"
       "2024-05-01 00:00:02.5 /b x=1 404 -\r\n\r\n"
       "#Fields: date time sc-status cs-method\r\n"
       "2024-05-01 00:00:03 500 GET\r\n",
       "_time=2024-05-01T00:00:01Z date=\"2024-05-01\" time=\"00:00:01\" cs-uri-stem=\"/a\" "
       "sc-status=200 cs(User-Agent)=\"Mozilla/5.0+(Windows)\"\n"
       "_time=2024-05-01T00:00:02.5Z date=\"2024-05-01\" time=\"00:00:02.5\" cs-uri-stem=\"/b\" "
       "sc-status=404 cs-uri-query=\"x=1\"\n"
       "_time=2024-05-01T00:00:03Z date=\"2024-05-01\" time=\"00:00:03\" sc-status=500 "
       "cs-method=\"GET\"\n"},
      // A proxy: quotes around cells; times of the day of #Date.
      {"#Date: 2024-05-01 10:00:00\n#Fields: time c-ip cs(Referer) note\n"
       "10:20:30 10.0.0.1 \"a \"\"b\"\" c\" x\"y\n"
       "10:20:31   10.0.0.2 \"\" \"open\n",
       "_time=2024-05-01T10:20:30Z time=\"10:20:30\" c-ip=\"10.0.0.1\" cs(Referer)=\"a \\\"b\\\" "
       "c\" note=\"x\\\"y\"\n"
       "_time=2024-05-01T10:20:31Z time=\"10:20:31\" c-ip=\"10.0.0.2\" note=\"\\\"open\"\n"},
      // CloudFront: names apart by blanks, cells by tabs.
      {"#Version: 1.0\n#Fields: date time x-edge-location sc-bytes cs(Host) time-taken\n"
       "2019-12-04\t21:02:31\tLAX1\t392\ta b\t0.5\n2019-12-04\t21:02:32\tLAX1\t-\t-\t2\n",
       "_time=2019-12-04T21:02:31Z date=\"2019-12-04\" time=\"21:02:31\" "
       "x-edge-location=\"LAX1\" sc-bytes=392 cs(Host)=\"a b\" time-taken=0.5\n"
       "_time=2019-12-04T21:02:32Z date=\"2019-12-04\" time=\"21:02:32\" "
       "x-edge-location=\"LAX1\" time-taken=2.0\n"},
      // Exchange: commas.
      {"#Log-type: Message Tracking Log\n#Fields: date-time,client-ip,message-subject\n"
       "2024-05-01T10:20:30.123Z,10.0.0.1,\"a, b\"\n2024-05-01T10:20:31Z,,x y\n",
       "_time=2024-05-01T10:20:30.123Z date-time=\"2024-05-01T10:20:30.123Z\" "
       "client-ip=\"10.0.0.1\" message-subject=\"a, b\"\n"
       "_time=2024-05-01T10:20:31Z date-time=\"2024-05-01T10:20:31Z\" message-subject=\"x y\"\n"},
      // Zeek: types, lists, escapes.
      {"#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n"
       "#path\tconn\n#open\t2024-05-01-10-20-30\n"
       "#fields\tts\tuid\tid.orig_p\tduration\tlocal_orig\ttunnel_parents\tnote\n"
       "#types\ttime\tstring\tport\tinterval\tbool\tset[string]\tstring\n"
       "1714558830.25\tC1\t52000\t2.000000\tT\t(empty)\ta b\\x09c\n"
       "1714558831.000000\t007\t-\t-\tF\tx,-,y\t(empty)\n"
       "#close\t2024-05-01-11-00-00\n",
       "_time=2024-05-01T10:20:30.25Z ts=1714558830.25 uid=\"C1\" id.orig_p=52000 duration=2.0 "
       "local_orig=true tunnel_parents=[] note=\"a b\\tc\"\n"
       "_time=2024-05-01T10:20:31Z ts=1714558831.0 uid=\"007\" local_orig=false "
       "tunnel_parents=[\"x\",null,\"y\"] note=\"\"\n"},
      // Cells that stand otherwise in their lines, one below the other.
      {"#Fields: date-time,subject\n2024-05-01T10:20:30Z,\"say \"\"one\"\"\"\n"
       "2024-05-01T10:20:31Z,\"say \"\"two\"\"\"\n",
       "_time=2024-05-01T10:20:30Z date-time=\"2024-05-01T10:20:30Z\" subject=\"say \\\"one\\\"\"\n"
       "_time=2024-05-01T10:20:31Z date-time=\"2024-05-01T10:20:31Z\" subject=\"say "
       "\\\"two\\\"\"\n"},
      {"#fields\ta\nx\\x41y\nx\\x42y\n\\xffz\n",
       "_time=2023-11-14T22:13:20Z a=\"xAy\"\n_time=2023-11-14T22:13:20Z a=\"xBy\"\n"
       "_time=2023-11-14T22:13:20Z a=\"\\\\xffz\"\n"},
      // What does not fit the header is kept as it is.
      {"#Fields: a b\n1 2\n2024-05-01T10:20:30Z 4 5\n6\n",
       "_time=2023-11-14T22:13:20Z a=1 b=2\n"
       "_time=2024-05-01T10:20:30Z message=\"2024-05-01T10:20:30Z 4 5\"\n"
       "_time=2023-11-14T22:13:20Z a=6\n"},
      {"#Fields: a b\nx\xFF 2\n", "_time=2023-11-14T22:13:20Z a=\"x\xEF\xBF\xBD\" b=2\n"},
      {"#Fields: _time a\n2024-05-01T10:20:30Z 1\n", "_time=2024-05-01T10:20:30Z a=1\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.log);
    CHECK(fields_of(row.log, evq::InputFormat::kDetect) == row.events);
    CHECK(fields_of(as_json(row.log), evq::InputFormat::kNdjson) == row.events);
  }
}

TEST_CASE("reals within a list are sent on as reals") {
  const std::string json = as_json(
      "#separator \\x09\n#set_separator\t,\n#fields\ta\tb\n#types\tvector[double]\tcount\n"
      "1.000000,0.5\t7\n");
  CHECK(json.find("{\"a\":[1.0,0.5],\"b\":7}") != std::string::npos);
}

TEST_CASE("a field that is named tells the time") {
  CHECK(fields_of("#Fields: date time seen\n2024-05-01 10:20:30 2020-01-01T00:00:00Z\n",
                  evq::InputFormat::kDetect, "seen") ==
        "_time=2020-01-01T00:00:00Z date=\"2024-05-01\" time=\"10:20:30\" "
        "seen=\"2020-01-01T00:00:00Z\"\n");
}

TEST_CASE("of a header's names no more are kept than a dataset may have fields") {
  for (const char separator : {' ', '\t'}) {  // of Zeek, whose word has no colon, the second
    std::string line = separator == ' ' ? "#Fields:" : "#fields";
    for (std::size_t i = 0; i < 2 * evq::kHeaderColumnsMax; ++i) {
      line += separator + std::to_string(i);
    }
    evq::W3cHeader header;
    header.take(line);
    CHECK(header.zeek == (separator == '\t'));
    CHECK(header.columns.size() == evq::kHeaderColumnsMax);
  }
  evq::W3cHeader header;
  header.take("#Fields: date " + std::string(100000, 'n'));
  REQUIRE(header.columns.size() == 2);
  CHECK(header.columns[1].name.size() == evq::kFieldNameBytesMax + 1);
}

TEST_CASE("the header is known to all pieces of a large log") {
  std::string log = "#Fields: date time n\n";
  constexpr int kLines = 100000;
  for (int i = 0; i < kLines; ++i) {
    if (i == kLines / 2) {
      log += "#Fields: n date time\n";
    }
    log += i < kLines / 2 ? "2024-05-01 10:20:30 7\n" : "8 2024-05-01 10:20:30\n";
  }
  const std::string rows = fields_of(log, evq::InputFormat::kDetect);
  const auto count = [&rows](std::string_view text) {
    int found = 0;
    for (auto at = rows.find(text); at != std::string::npos; at = rows.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  CHECK(count("_time=2024-05-01T10:20:30Z") == kLines);
  CHECK(count(" n=7") == kLines / 2);
  CHECK(count(" n=8") == kLines / 2);
}
