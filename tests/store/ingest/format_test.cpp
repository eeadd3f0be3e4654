// What an input is where a first line looks like the header of CSV, or of a W3C log, but need not
// be one; stream_test.cpp has the other kinds.
#include "store/ingest/format.h"

#include <optional>
#include <string_view>

#include <doctest/doctest.h>

using evq::InputFormat;
using evq::PieceKind;

TEST_CASE("whether a line is a header is told by the lines below it") {
  struct Row {
    std::string_view head;
    bool at_end;
    std::optional<PieceKind> kind;
  };
  const Row rows[] = {
      // One word, and cells of its column.
      {"id\n1\n2\n3\n4\n5\n6\n7\n8\n9\n\n10\n", false, PieceKind::kRecords},
      {"id\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n1,2", false, PieceKind::kRecords},
      {"name\n\"Doe, Jane\"\nEve\n\"a \"\"b\"\"\"\n", true, PieceKind::kRecords},
      {"name\n\"goes\non\"\n", false, PieceKind::kRecords},
      {"name\n\"a\" b\n", false, PieceKind::kText},
      {"at\n2024-05-01 10:00:00\n", true, PieceKind::kRecords},
      {"@timestamp\n1714557600\n", true, PieceKind::kRecords},
      // One word above lines that are no cells of its column.
      {"Starting\nLoaded 5 modules\n", false, PieceKind::kText},
      {"Starting\n\nx\na,b\n", false, PieceKind::kText},
      {"BEGIN\n2024-05-01T10:00:00Z x\n", false, PieceKind::kText},
      {"OK\nFAIL\nOK\n", false, PieceKind::kText},
      {"[] a\n[] b\n", false, PieceKind::kText},
      {"[null] a\n[null] b\n", false, PieceKind::kText},
      {"[true] a\n", false, PieceKind::kText},
      {"[[ACTIVE] a]\n", false, PieceKind::kText},
      {"[[1] a]\n", false, PieceKind::kText},
      {"[nullable]\n", false, PieceKind::kText},
      {"[[1] a\n", false, PieceKind::kText},
      {"[2024-05-12][10:15:30][app::main][INFO] starting\n", false, PieceKind::kText},
      {"[2024-05-12] [10:15:30] x\n", false, PieceKind::kText},
      {"[12][2024-05-12T10:15:30Z] x\n", false, PieceKind::kText},
      {"[1715508930.123][INFO]: Starting\n", false, PieceKind::kText},
      {"[    1.234567] [drm] Initialized\n", false, PieceKind::kText},
      {"[1][main] x\n[2][main] y\n", false, PieceKind::kText},
      {"[1,2] x\n", false, PieceKind::kText},
      {"[\"a\"] x\n", false, PieceKind::kText},
      {"[] [x] y\n", false, PieceKind::kText},
      {"[null] [a] x\n", false, PieceKind::kText},
      {"[1] {\"a\": 1}\n", false, PieceKind::kText},
      {"[2024-05-12,10:15:30] x\n", false, PieceKind::kText},
      {"[007, x] y\n", false, PieceKind::kText},
      {"[1.2.3, x] y\n", false, PieceKind::kText},
      {"[-1.5e+3, 2]\n[3, 4]\n", true, PieceKind::kLines},
      {"[\"a]\\\"\", 2]\n[3, 4]\n", true, PieceKind::kLines},
      {"[\n  1,\n  2\n]\n", true, PieceKind::kValues},
      {"[{\"a\": 1}, {\"a\": 2}] \n", true, PieceKind::kValues},
      {"[null]\n[null, 1]\n[2]\n", true, PieceKind::kLines},
      {"[[1], [true]]\n[[2], []]\n", true, PieceKind::kLines},
      {"[[[\n1]]]\n", true, PieceKind::kValues},
      {"OK\r\nFAIL\r\nOK\r\n", true, PieceKind::kText},
      {"OK\nFAIL\n", true, PieceKind::kRecords},
      // One that is no name.
      {"Initializing...\nx\n", false, PieceKind::kText},
      {"services:\nx\n", false, PieceKind::kText},
      {"==========\nx\n", false, PieceKind::kText},
      {"#1714557600\nls\n", false, PieceKind::kText},
      {"CEF:0|S|t|1.0|100|worm|10|src=1\n", false, PieceKind::kText},
      {"LEEF:2.0|S|t|1.0|100|^|src=1\n", false, PieceKind::kText},
      {"host CEF:1|S|\"t\"|1|100|worm|10|src=1 dst=2\n", false, PieceKind::kText},
      {"CEF:|a\n1|2\n", false, PieceKind::kRecords},
      {"XCEF:0|a\n1|2\n", false, PieceKind::kRecords},
      // A time with more behind it, in a cell without quotes.
      {"2024-05-01T10:20:30Z host app[1]: user,\"alice\",logged in\nx\n", false, PieceKind::kText},
      {"build\tSet up job\t2024-05-13T10:20:30.1234567Z Runner\nx\n", false, PieceKind::kText},
      {"a,\"b, c\",at 2024-05-13 10:20:30 it ended\n", true, PieceKind::kText},
      {"2024-05-01 10:20:30.1 UTC,\"a\",\"b\"\n", false, PieceKind::kRecords},
      {"\"2024-05-01 10:20:30 it began\",b\n", false, PieceKind::kRecords},
      {"2024-05-13\t10:20:30\tINFO\tx\n", true, PieceKind::kRecords},
      // A long header, and cells of it below.
      {"id,How many hours do you work per week?\n1,40\n2,38\n", true, PieceKind::kRecords},
      {"id,How many hours do you work per week?\n1,40\n", false, std::nullopt},
      {"id,How many hours do you work per week?\n", true, PieceKind::kText},
      {"id,How many hours do you work per week?\n1,\"4,0\"\n2,3\n3,4\n", false,
       PieceKind::kRecords},
      {"id,How many hours do you work per week?\n1,\n2,40\n", true, PieceKind::kRecords},
      {"id\tHow many hours do you work per week?\n1\t\r\n", true, PieceKind::kRecords},
      {"a,the quick brown fox jumps over it\nb\n", false, PieceKind::kText},
      // A level, an address or a path above another one, or above nothing.
      {"INFO | a\nWARN | b\n", false, PieceKind::kText},
      {"INFO;a\nWARN;b\n", false, PieceKind::kText},
      {"a, 10.0.0.1\nb, 10.0.0.2:80\n", false, PieceKind::kText},
      {"a,GET /x\nb,https://h/y\n", false, PieceKind::kText},
      {"INFO,a\n", true, PieceKind::kText},
      {"INFO,a\n", false, std::nullopt},
      {"service,INFO,ERROR\napi,1,2\n", true, PieceKind::kRecords},
      {"time,/a,10.0.0.1\n1,2,3\n", true, PieceKind::kRecords},
      {"id,info\n1,info\n2,debug\n", false, PieceKind::kRecords},
      {"Check,Warning,Critical\ndisk,80,90\nload,Warning,5\n", false, PieceKind::kRecords},
      {"id,error\r\n1,fatal\r\n", true, PieceKind::kRecords},
      {"id,error\n1,x\n", false, PieceKind::kRecords},
      {"id,error\n", true, PieceKind::kRecords},
      {"url (https://host/x),hits\nhttps://h/a,1\n", false, PieceKind::kRecords},
      {"Path /uri,hits\n/a,1\n", false, PieceKind::kRecords},
      {"km/h,cost / month\n/a,/b\n", false, PieceKind::kRecords},
      {"10.0.0.1,10:20:30\n10.0.0.2,10:20:31\n", false, PieceKind::kRecords},
      {"a, b\nc, d\ne, b\nf, b\n", false, PieceKind::kRecords},
      {"2024-05-13|10:20:30|INFO|x\n", true, PieceKind::kText},
      // A banner with a delimiter in it above a log.
      {"Hello, world\n2024-05-01 10:00:00,123 INFO a\n", false, PieceKind::kText},
      {"Hello; world\n2024-05-01 10:00:00 INFO; a\n", false, PieceKind::kText},
      {"Starting, please wait\nJun 21 16:47:46 m t[1]: hello, world\n", false, PieceKind::kText},
      {"at, n\n2024-05-01 10:00:00,123\n", false, PieceKind::kRecords},
      {"at,place\n2024-05-01 10:00:00,123 Main Street\n", false, PieceKind::kRecords},
      {"Port 3000, env=prod\n{\"a\":1,\"b\":\"x\"}\n", false, PieceKind::kText},
      {"port,env\n{\"a\":1,\"b\":\"x\"}\n", false, PieceKind::kText},
      {"port,env\n{\"a\":1,2\n", false, PieceKind::kRecords},
      {"Starting\n{\"a\":1}\n", false, PieceKind::kText},
      // One pair is logfmt where the next line holds pairs as well.
      {"level=info\nlevel=warn\nlevel=error\n", false, PieceKind::kLogfmt},
      {"level=info\r\n\nlevel=warn a=\"b c\"\r\n", false, PieceKind::kLogfmt},
      {"msg=\"a b\"\nmsg=c", true, PieceKind::kLogfmt},
      {"level=info\nlevel=warn", false, std::nullopt},
      {"level=info\n", false, std::nullopt},
      {"level=info\n", true, PieceKind::kText},
      {"level=info\nit began\n", false, PieceKind::kText},
      {"a=1,b=2\na=3,b=4\n", false, PieceKind::kRecords},
      {"YWJjZA=\nYWJjZQ=\n", true, PieceKind::kRecords},
      // What is no object.
      {"{2024-05-13 10:20:30} x\n", false, PieceKind::kText},
      {"{main} x\n", false, PieceKind::kText},
      {"{", true, PieceKind::kValues},
      {"{\"a\":1}\n", true, PieceKind::kLines},
      {"{'a':1}\n", true, PieceKind::kLines},
      {"{}\n", true, PieceKind::kLines},
      {"{\n\"a\":1}\n", true, PieceKind::kValues},
      {"#Software: x\n\n#Fields: a b\n", false, PieceKind::kW3c},
      {"#Software: x\n  \r\n#Fields: a b\n", false, PieceKind::kW3c},
      {"#Software: x\n  ", false, std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.head);
    CHECK(evq::detect_kind(row.head, InputFormat::kDetect, row.at_end) == row.kind);
    if (row.at_end) {
      CHECK(evq::kind_by_head(row.head, InputFormat::kDetect) == row.kind);
    }
  }
}

TEST_CASE("a first line of one word that may name a column") {
  for (const std::string_view head :
       {"id\n1", "_time", "@timestamp\r\n", "\xC3\x96l\n", " id \n"}) {
    CAPTURE(head);
    CHECK(evq::begins_with_one_name(head));
  }
  for (const std::string_view head :
       {"", "\n", "a b\n", "1\n", "{\"a\":1}\n", "---", "@", "/a", "a:", "a,b\n", "sep=;\n"}) {
    CAPTURE(head);
    CHECK_FALSE(evq::begins_with_one_name(head));
  }
}
