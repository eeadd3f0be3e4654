// Plain text logs: what a line becomes, and which times it may begin with.
#include "store/ingest/text_line.h"

#include <string>

#include <doctest/doctest.h>

#include "store/base/time.h"
#include "store/ingest/leading_time.h"
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

TEST_CASE("a zone, an offset and a year count whatever stands around the time") {
  struct Row {
    const char* line;
    const char* time;
  };
  const Row rows[] = {
      {"2015-10-18 18:01:47 -0700|x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 -07:00;x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 -0700' x", "2015-10-19T01:01:47Z"},
      {"'2015-10-18 18:01:47 -0700' x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 -0700) x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 -0700,978 x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 -07;x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47-07;x", "2015-10-19T01:01:47Z"},
      {"2015-10-18 18:01:47 CET,x", "2015-10-18T17:01:47Z"},
      {"2015-10-18 18:01:47 CET|x", "2015-10-18T17:01:47Z"},
      {"2015-10-18 18:01:47 CET;x", "2015-10-18T17:01:47Z"},
      {"2015-10-18 18:01:47 CET:x", "2015-10-18T17:01:47Z"},
      {"2015-10-18 18:01:47 UTC+2|x", "2015-10-18T16:01:47Z"},
      {"2015-10-18 18:01:47 CETUS|x", "2015-10-18T18:01:47Z"},
      {"10/Oct/2000:13:55:36 -0700|x", "2000-10-10T20:55:36Z"},
      {"Oct 10, 2000 1:55:36 PM -0700|x", "2000-10-10T20:55:36Z"},
      {"Oct 10, 2000 1:55:36 p.m. -0700 x", "2000-10-10T20:55:36Z"},
      {"Tue, 10 Oct 2000 13:55:36 -0700|x", "2000-10-10T20:55:36Z"},
      {"Nov 14 06:55:46 -0700 x", "2023-11-14T13:55:46Z"},
      {"Nov 14 06:55:46 -0700|x", "2023-11-14T13:55:46Z"},
      {"Nov 14 06:55:46 CET:x", "2023-11-14T05:55:46Z"},
      {"Date:   Tue Oct 10 13:55:36 2000 -0700", "2000-10-10T20:55:36Z"},
      {"INFO Tue Oct 10 13:55:36 2000 -0700", "2000-10-10T20:55:36Z"},
      {"x|Tue Oct 10 13:55:36 2000 -0700", "2000-10-10T20:55:36Z"},
      {"(Tue Oct 10 13:55:36 2000 -0700)", "2000-10-10T20:55:36Z"},
      {"INFO Tue Oct 10 13:55:36 2000 CET x", "2000-10-10T12:55:36Z"},
      {"INFO Tue Oct 10 13:55:36 -0700 2000 x", "2000-10-10T20:55:36Z"},
      {"INFO Oct 10, 2000 1:55:36 PM -0700 x", "2000-10-10T20:55:36Z"},
      {"INFO Oct 10, 2000 1:55:36 pm x", "2000-10-10T13:55:36Z"},
      {"INFO 2000-10-10 13:55:36-07 x", "2000-10-10T20:55:36Z"},
      {"INFO 2000-10-10 13:55:36 -07:00 x", "2000-10-10T20:55:36Z"},
      {"INFO 2000-10-10 13:55:36 -12 x", "2000-10-10T13:55:36Z"},
      {"INFO 2000-10-10 13:55:36-14:55:36 x", "2000-10-10T13:55:36Z"},
      {"INFO 2000-10-10 13:55:36 PM x", "2000-10-10T13:55:36Z"},
      {"sw1: 2000 Oct 10 13:55:36 CET: x", "2000-10-10T12:55:36Z"},
      {"switch1 2000 Oct 10 13:55:36 x", "2000-10-10T13:55:36Z"},
      {"switch1 2000 Oct 1 13:55:36 x", "2000-10-01T13:55:36Z"},
      {"switch1 2000-Oct-10 13:55:36 x", "2000-10-10T13:55:36Z"},
      {"7 Tue Oct 10 13:55:36 2000 x", "2000-10-10T13:55:36Z"},
      {"17/06/09 20:10:40 -0700 x", "2017-06-10T03:10:40Z"},
      {"[17/06/09 20:10:40] x", "2017-06-09T20:10:40Z"},
      {"INFO [17/06/09 20:10:40] x", "2017-06-09T20:10:40Z"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    CHECK(time_of(row.line) == row.time);
  }
}

TEST_CASE("a log line's time is the one it begins with") {
  struct Row {
    const char* line;
    const char* time;
  };
  const Row rows[] = {
      {"2024-05-01T10:20:30.5Z started", "2024-05-01T10:20:30.5Z"},
      {"2015-10-18 18:01:47,978 INFO [main] x", "2015-10-18T18:01:47.978Z"},
      {"2015-10-18 18:01:47,978 CEST x", "2015-10-18T16:01:47.978Z"},
      {"2015-10-18 18:01:47,978 PM x", "2015-10-18T18:01:47.978Z"},
      {"2015-10-18 06:01:47,978 pm x", "2015-10-18T18:01:47.978Z"},
      {"2015-10-18 18:01:47 +0200 x", "2015-10-18T16:01:47Z"},
      {"2015-10-18 18:01:47 Europe/Berlin x", "2015-10-18T16:01:47Z"},
      {"2015-10-18 18:01:47 ERROR: x", "2015-10-18T18:01:47Z"},
      {"2015-10-18 18:01:47 UTC: x", "2015-10-18T18:01:47Z"},
      {"2015-10-18 18:01:47 -0700 PDT m=+0.1 x", "2015-10-19T01:01:47Z"},
      {"2015-10-18T18:01:47.978Z CEST", "2015-10-18T18:01:47.978Z"},
      {"2015-10-18T18:01:47-0700: x", "2015-10-19T01:01:47Z"},
      {"2024-05-01 10:20:30 +0200 x", "2024-05-01T08:20:30Z"},
      {"2024/05/01 10:20:30 [error] 17#0: *1 open()", "2024-05-01T10:20:30Z"},
      {"2024-05-01 10:20:30\tx y", "2024-05-01T10:20:30Z"},
      {"[Sun Dec 04 04:47:44 2005] [notice] ok", "2005-12-04T04:47:44Z"},
      {"[2024-05-01 10:20:30] x", "2024-05-01T10:20:30Z"},
      {"[notice] [Sun Dec 04 04:47:44 2005] ok", "2005-12-04T04:47:44Z"},
      {"127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET / HTTP/1.0\" 200 5",
       "2000-10-10T20:55:36Z"},
      {"type=DAEMON_START msg=audit(1714558830.25:7): auditd start, ver=2.4.1",
       "2024-05-01T10:20:30.25Z"},
      {"type=X msg=audit(soon): x", "none"},
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
      // Behind other words.
      {"[2024-05-01T10:20:30Z INFO  app] x", "2024-05-01T10:20:30Z"},
      {"I, [2024-05-01T10:20:30.123456 #123]  INFO -- : x", "2024-05-01T10:20:30.123456Z"},
      {"[2024-05-01 10:20:30,123: INFO/MainProcess] x", "2024-05-01T10:20:30.123Z"},
      {"[I 2024-05-01 10:20:30.123 ServerApp] x", "2024-05-01T10:20:30.123Z"},
      {"[I 240501 10:20:30 web:2271] x", "2024-05-01T10:20:30Z"},
      {"INFO 2024-05-01 10:20:30,123 app x", "2024-05-01T10:20:30.123Z"},
      {"[INFO] 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"web_1  | 2024-05-01T10:20:30.5Z x [01/May/2024:09:00:00 +0000]", "2024-05-01T10:20:30.5Z"},
      {"[pod/web-1/app] 2024-05-01T10:20:30+02:00 x", "2024-05-01T08:20:30Z"},
      {"app.log.1.2017-05-16_13:53:08 2017-05-16 00:00:00.008 2 INFO x",
       "2017-05-16T00:00:00.008Z"},
      {"2024-05-01 10:20:30,123:INFO:module:x", "2024-05-01T10:20:30.123Z"},
      {"2024-05-01T10:20:30Z|00001|vlog|INFO|x", "2024-05-01T10:20:30Z"},
      {"20171223-22:15:29:606|Step_LSC|3|x", "2017-12-23T22:15:29.606Z"},
      {"2024-05-01_10:20:30.12345 x", "2024-05-01T10:20:30.12345Z"},
      {"=INFO REPORT==== 1-May-2024::10:20:30 ===", "2024-05-01T10:20:30Z"},
      {"123:M 01 May 2024 10:20:30.123 * Ready", "2024-05-01T10:20:30.123Z"},
      {"app: May 01, 2024 10:20:30 PM x", "2024-05-01T22:20:30Z"},
      {"x [Wed May  1 10:20:30 2024] y", "2024-05-01T10:20:30Z"},
      {"03-17 16:13:38.811  1702  2395 D WindowManager: x", "2023-03-17T16:13:38.811Z"},
      {"*Nov 16 06:55:46.123: %SYS-5-CONFIG_I: x", "2022-11-16T06:55:46.123Z"},
      {"1:M 01 May 10:20:30.123 * Ready", "2023-05-01T10:20:30.123Z"},
      {"I20240501 10:20:30.123456 1 file.cc:1] x", "2024-05-01T10:20:30.123456Z"},
      {"20240501T102030Z x", "2024-05-01T10:20:30Z"},
      {"081109 203615 148 INFO dfs.DataNode: x", "2008-11-09T20:36:15Z"},
      {"17/06/09 20:10:40 INFO executor: x", "2017-06-09T20:10:40Z"},
      {"22-05-01 10:20:30 x", "2022-05-01T10:20:30Z"},
      {"[19-11-01 10:20:30,5] x", "2019-11-01T10:20:30.5Z"},
      {"05/06/09 20:10:40 x", "2009-05-06T20:10:40Z"},
      {"05-06-09 20:10:40 x", "2009-05-06T20:10:40Z"},
      {"17/31/09 20:10:40 x", "none"},
      // The year does not come first where that is yet to come.
      {"28/11/22 10:20:30,5 x", "2022-11-28T10:20:30.5Z"},
      {"17/06/09 20:10:40,123 x", "2017-06-09T20:10:40.123Z"},
      {"28-11-22 10:20:30 x", "2022-11-28T10:20:30Z"},
      {"31/02/26 10:20:30 x", "2031-02-26T10:20:30Z"},
      {"20120702.102240,672 x", "2012-07-02T10:22:40.672Z"},
      {"20120702.102240 x", "2012-07-02T10:22:40Z"},
      {"20120702.102240,67", "none"},
      {"20121302.102240 x", "none"},
      {"APPREAD 1117869872 2005.06.04 R04-M1-N4-I:J18-U11 x", "2005-06-04T07:24:32Z"},
      {"INFO 1117869872 x", "2005-06-04T07:24:32Z"},
      {"ERROR 1117869872.123 x", "2005-06-04T07:24:32.123Z"},
      {"INFO 2005-06-03-15.42.50.675872 x", "2005-06-03T15:42:50.675872Z"},
      {"INFO 1117869872 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"User 1117869872 x", "none"},
      {"TEL 3012345678 x", "none"},
      {"EAN 1234567890123 x", "none"},
      {"[1714557600] x", "2024-05-01T10:00:00Z"},
      {"[1714557600.5] x", "2024-05-01T10:00:00.5Z"},
      {"- 1117838570 2005.06.03 R02 x", "2005-06-03T22:42:50Z"},
      // Zones by their names.
      {"Wed May  1 10:00:00 CEST 2024 x", "2024-05-01T08:00:00Z"},
      {"Wed May  1 10:00:00 AM CEST 2024 x", "2024-05-01T08:00:00Z"},
      {"Wed 01 May 2024 10:00:00 PM CEST x", "2024-05-01T20:00:00Z"},
      {"Wed May  1 10:00:00 +0545 2024 x", "2024-05-01T04:15:00Z"},
      {"Wed May  1 10:00:00 -03 2024 x", "2024-05-01T13:00:00Z"},
      {"2024-05-01 10:00:00 CEST x", "2024-05-01T08:00:00Z"},
      {"2024-05-01 10:00:00.123 CET [1]: LOG:  x", "2024-05-01T09:00:00.123Z"},
      {"2024-05-01 10:00:00 JST", "2024-05-01T01:00:00Z"},
      {"2024-05-01 10:00:00 GMT+2 x", "2024-05-01T08:00:00Z"},
      {"[01-May-2024 10:00:00 Europe/Berlin] PHP Warning: x", "2024-05-01T08:00:00Z"},
      {"[01-May-2024 10:00:00 America/New_York] PHP Warning: x", "2024-05-01T14:00:00Z"},
      {"[01-May-2024 10:00:00 UTC] PHP Warning: x", "2024-05-01T10:00:00Z"},
      {"INFO 2024-05-01 10:00:00 CEST x", "2024-05-01T08:00:00Z"},
      {"INFO 2024-05-01 10:00:00 Europe/Berlin: x", "2024-05-01T08:00:00Z"},
      {"x [Wed May  1 10:00:00 CEST 2024] y", "2024-05-01T08:00:00Z"},
      {"*May  1 10:00:00.5 CEST: %SYS-5-CONFIG_I: x", "2023-05-01T08:00:00.5Z"},
      {"May  1 10:00:00.5 CEST: %SYS-5-CONFIG_I: x", "2023-05-01T08:00:00.5Z"},
      {"20240501T100000 CEST x", "2024-05-01T08:00:00Z"},
      {"20240501T100000.5 Europe/Berlin x", "2024-05-01T08:00:00.5Z"},
      {"20240501T100000 GMT+2", "2024-05-01T08:00:00Z"},
      {"20240501T100000 -0800 x", "2024-05-01T18:00:00Z"},
      {"20240501T100000 CEST-1 x", "2024-05-01T10:00:00Z"},
      {"[20240501T100000 CEST] x", "2024-05-01T08:00:00Z"},
      {"2024-122 10:00:00 EDT x", "2024-05-01T14:00:00Z"},
      {"2024-122 10:00:00 XYZT x", "2024-05-01T10:00:00Z"},
      {"2024-W18-3 10:00:00 GMT+2 x", "2024-05-01T08:00:00Z"},
      {"2024-05-01-10.00.00.678640 NZDT x", "2024-04-30T21:00:00.67864Z"},
      {"2024-05-01-10.00.00.678640 x", "2024-05-01T10:00:00.67864Z"},
      {"2024-05-01-10.00.00 x", "2024-05-01T10:00:00Z"},
      {"2024-05-01-10.00.00+05:30 x", "2024-05-01T04:30:00Z"},
      {"2024-05-01-10.00.00.5Z", "2024-05-01T10:00:00.5Z"},
      {"2024-05-01-10.00.00+120 x", "2024-05-01T08:00:00Z"},
      {"2024-05-01-10.00.00x", "none"},
      // Right behind the half of the day.
      {"May 1, 2024 10:00:00 PMZ x", "2024-05-01T22:00:00Z"},
      {"Wednesday, May 1, 2024 10:00:00 PMZ", "2024-05-01T22:00:00Z"},
      {"May 1, 2024 10:00:00 AMCEST x", "2024-05-01T08:00:00Z"},
      {"05/01/2024 10:00:00 PMZ,INFO,x", "2024-05-01T22:00:00Z"},
      // Behind a time without a year the word is a host, and other words are no zones.
      {"May  1 10:00:00 MSK sshd[1]: x", "2023-05-01T10:00:00Z"},
      {"2024-05-01 10:00:00 CET-DB1 x", "2024-05-01T10:00:00Z"},
      {"INFO 2024-05-01 10:00:00 CET-DB1 x", "2024-05-01T10:00:00Z"},
      {"INFO 2024-05-01T10:00:00Z EST x", "2024-05-01T10:00:00Z"},
      {"2024-05-01 10:00:00 XYZT x", "2024-05-01T10:00:00Z"},
      {"2024-05-01 10:00:00 apps/Berlin x", "2024-05-01T10:00:00Z"},
      {"[01-May-2024 10:00:00 Europe/Nowhere] x", "2024-05-01T10:00:00Z"},
      {"Wed May  1 10:00:00 XYZT 2024 x", "2024-05-01T10:00:00Z"},
      {"Wed May  1 10:00:00 AM XYZT 2024 x", "2024-05-01T10:00:00Z"},
      {"x [Wed May  1 10:20:30 2024] y", "2024-05-01T10:20:30Z"},
      {"03-17 16:13:38.811 1999 2395 D x", "2023-03-17T16:13:38.811Z"},
      // Behind more words than two, if they are no sentence, and bars and dashes are no words.
      {"[GIN] 2022/02/07 - 10:49:33 | 401 | x", "2022-02-07T10:49:33Z"},
      {"[Nest] 7  - 08/02/2023, 7:32:47 PM    WARN x", "2023-08-02T19:32:47Z"},
      {"[Nest] 7  - 8/2/2023, 7:32:47 PM x", "2023-08-02T19:32:47Z"},
      {"INFO   | jvm 1    | 2015/04/28 18:40:00 | x", "2015-04-28T18:40:00Z"},
      {"INFO   |zellij_client  | 2025-05-16 19:31:19.601 [main]", "2025-05-16T19:31:19.601Z"},
      {"[INFO ] [main] 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"0 3 PVEFW-HOST-IN 20/Jun/2022:13:09:14 +0200 policy DROP: x", "2022-06-20T11:09:14Z"},
      {"<189>29: R1: *Mar  1 18:46:11.123 CET: %SYS-5", "2023-03-01T17:46:11.123Z"},
      {"<May 1, 2024 10:20:30 AM GMT> <Notice> x", "2024-05-01T10:20:30Z"},
      {"####<May 1, 2024 10:20:30 PM CEST> <Notice> x", "2024-05-01T20:20:30Z"},
      {"####<May 11, 2024, 10:20:30,123 AM GMT> <Notice> x", "2024-05-11T10:20:30.123Z"},
      {"Mar-18 21:41:15.684 [main] x", "2023-03-18T21:41:15.684Z"},
      {"a b c 05-13 10:20:30 x", "none"},
      {"A B C (2024-05-01 10:20:30) x", "none"},
      {"A B C D E F 2024-05-01 10:20:30 x", "none"},
      {"Caused by: a.b.C: 2024-05-01 10:20:30 x", "none"},
      {"DETAIL:  Key (at)=(2024-05-01 10:20:30) exists", "none"},
      {"HINT: not before 2024-05-01 10:20:30", "none"},
      {"x 1/2/2023 7:32:47", "none"},
      {"INFO 06/22/2014 09:56:12 x", "2014-06-22T09:56:12Z"},
      {"[main] 22-06-2014 09:56:12 x", "2014-06-22T09:56:12Z"},
      {"INFO in 06/22/2014 09:56:12 x", "none"},
      {"05/01/2024 10:00:00 PM,INFO,x", "2024-05-01T22:00:00Z"},
      {"05/01/2024 10:00:00 PM|x", "2024-05-01T22:00:00Z"},
      {"05/01/2024 10:00:00 p.m. x", "2024-05-01T22:00:00Z"},
      {"05/01/2024 12:00:00 a.m. x", "2024-05-01T00:00:00Z"},
      {"05/01/2024 10:00:00 pm; x", "2024-05-01T22:00:00Z"},
      {"05/01/2024 10:00:00 PMX x", "2024-05-01T10:00:00Z"},
      {"05/01/2024 22:00:00 PM,x", "2024-05-01T22:00:00Z"},
      {"INFO [05-01|10:20:30.123] Imported x", "2023-05-01T10:20:30.123Z"},
      {"a|2024-05-01|10:20:30|x", "none"},
      // What a sentence speaks of.
      {"ERROR failed at 2024-05-01T10:20:30Z", "none"},
      {"ERROR:root:no user at 2024-05-01 10:20:30", "none"},
      {"ERROR:root:late at 2024-05-01 10:20:30", "none"},
      {"WARN job due 2030-01-01 00:00:00 was moved", "none"},
      {"WARN next run 2030-01-01 00:00:00", "none"},
      {"[INFO] Finished at: 2024-05-01T10:20:30+02:00", "none"},
      {"retry after 2024-05-01 10:20:30", "none"},
      {"token expires 2024-05-01 10:20:30", "none"},
      {"Expires 2024-05-01 10:20:30", "none"},
      {"INFO until=\"2024-05-01T10:20:30Z\"", "none"},
      {"host app[12]: 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"web worker 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"INFO [at] 2024-05-01 10:20:30 x", "2024-05-01T10:20:30Z"},
      {"# Time: 2024-05-01T10:20:30.5Z", "2024-05-01T10:20:30.5Z"},
      {"Date: Wed, 01 May 2024 10:20:30 GMT", "2024-05-01T10:20:30Z"},
      // Fewer digits.
      {"20171223-22:15:3:606|b", "2017-12-23T22:15:03.606Z"},
      {"20171223-22:16:4:1|c", "2017-12-23T22:16:04.001Z"},
      {"20171223-22:15:29:16|d", "2017-12-23T22:15:29.016Z"},
      {"20171223-9:5:3:606|e", "2017-12-23T09:05:03.606Z"},
      {"20171223-22:1:33:6 x", "2017-12-23T22:01:33.006Z"},
      {"INFO 2024-05-01 9:5:3 x", "2024-05-01T09:05:03Z"},
      // Or more of them, and what is no fraction.
      {"(Tue Jul 14 11:01:17:259149 2020) [sssd] x", "2020-07-14T11:01:17.259149Z"},
      {"[Tue Jul 14 11:01:17:259149 2020] [sssd] x", "2020-07-14T11:01:17.259149Z"},
      {"20171223-22:15:29:6061|x", "2017-12-23T22:15:29Z"},
      {"2020-07-14 11:01:17,15,foo,bar baz", "2020-07-14T11:01:17Z"},
      {"2020-07-14 11:01:17,150,foo,bar baz", "2020-07-14T11:01:17.15Z"},
      {"2020-07-14 11:01:17,15 foo", "2020-07-14T11:01:17.15Z"},
      {"x 123456 1:2:3", "none"},
      {"x 12-31 1:2:3", "none"},
      {"x 2024-05-01 1:2", "none"},
      {"x 2024-05-01 1:234:5", "none"},
      // Of single programs.
      {"07/11/2022-10:29:01.860293  [**] [1:2] x", "2022-07-11T10:29:01.860293Z"},
      {"07/11/22-10:29:01.860293  [**] [1:2] x", "2022-07-11T10:29:01.860293Z"},
      {"10/20-20:43:32.334621  [**] [1:2] x", "2023-10-20T20:43:32.334621Z"},
      {"20/10/2023-20:43:32.334621  [**] [1:2] x", "2023-10-20T20:43:32.334621Z"},
      {"13/20-20:43:32.334621  [**] [1:2] x", "none"},
      {"1/20-20:43:32.334621 x", "none"},
      {"2024-05-01-10.20.30.123456+120 I1234A500 LEVEL: Info", "2024-05-01T08:20:30.123456Z"},
      {"2024-05-01-10.20.30.123456-060 I1234A500 LEVEL: Info", "2024-05-01T11:20:30.123456Z"},
      {"2024-05-01-10.20.30.123456 x", "2024-05-01T10:20:30.123456Z"},
      {"2024-05-01-10.20.30.123456+2 x", "none"},
      {"2024-05-41-10.20.30.123456+120 x", "none"},
      {"I240501 10:20:30.123456 1 server/node.go:1", "2024-05-01T10:20:30.123456Z"},
      {"I241301 10:20:30.123456 1 server/node.go:1", "none"},
      {"@40000000433225833b6e1a8c x", "2005-09-22T03:31:05.9970715Z"},
      {"@40000000433225833b6e1a8c", "2005-09-22T03:31:05.9970715Z"},
      {"@4000000043322583ffffffff x", "none"},
      {"@000000004332258300000000 x", "none"},
      {"@ffffffff4332258300000000 x", "none"},
      {"@40000000433225833b6e1a8 x", "none"},
      {"@4000000043322583zzzzzzzz x", "none"},
      {"[INFO] [1715595630.123456789]: x", "2024-05-13T10:20:30.123456789Z"},
      {"[ INFO] [1715595630.123456789]: x", "2024-05-13T10:20:30.123456789Z"},
      {"(1715595630.123456) can0 123#11", "2024-05-13T10:20:30.123456Z"},
      {"10000 1697048351.000001 execve(", "2023-10-11T18:19:11.000001Z"},
      {"[pid 10000] 1697048351.000001 execve(", "2023-10-11T18:19:11.000001Z"},
      {"10000 4102444799.000001 x", "2099-12-31T23:59:59.000001Z"},
      {"10000 4102444800.000001 x", "none"},
      {"item 9876543210.123 x", "none"},
      {"10000 1697048351.000001000001 x", "none"},
      {"  1234:20240501:102030.123 Starting Zabbix Server", "2024-05-01T10:20:30.123Z"},
      {"123456:20240501:102030.123 x", "2024-05-01T10:20:30.123Z"},
      {"  1234:20240501:102030 x", "none"},
      {"  1234:20241301:102030.123 x", "none"},
      {"Started GET \"/at 1\" for 10.0.0.1 at 2024-05-01 10:20:30 +0200", "2024-05-01T08:20:30Z"},
      {"[5f2c] [web] Started GET \"/\" for ::1 at 2024-05-01 10:20:30 +0000",
       "2024-05-01T10:20:30Z"},
      {"Started GET \"/\" for ::1", "none"},
      {"Started GET \"/\" for ::1 at noon", "none"},
      {"Started at 2024-05-01 10:20:30 +0000", "none"},
      {"[5f2c] Processing by A#b", "none"},
      {"[x]", "none"},
      {"10000 1697048351 execve(", "none"},
      {"10000 1697048351. execve(", "none"},
      {"10000 16970483510.000001 execve(", "none"},
      {"type=SYSCALL msg=audit(05/12/2024 10:20:30.123:456) : x", "2024-05-12T10:20:30.123Z"},
      {"type=SYSCALL msg=audit(13.05.2024 10:20:30.123:456) : x", "2024-05-13T10:20:30.123Z"},
      {"[10.30 16:49:06] chrome.exe - x", "2023-10-30T16:49:06Z"},
      {"[30.10 16:49:06] x", "2023-10-30T16:49:06Z"},
      {"Wed 2024-05-01 10:20:30 UTC host sshd[12]: y", "2024-05-01T10:20:30Z"},
      {"Wed 2024-05-01 10:20:30 CEST host sshd[12]: y", "2024-05-01T08:20:30Z"},
      {"2024-05-13 10:20:30 (GMT+3) x", "2024-05-13T07:20:30Z"},
      {"2024-05-13 10:20:30 (Europe/Berlin) x", "2024-05-13T08:20:30Z"},
      {"2024-05-13 10:20:30 (main) x", "2024-05-13T10:20:30Z"},
      // Dots mean that the day comes first.
      {"12.05.2024 10:00:00 x", "2024-05-12T10:00:00Z"},
      {"[12.05.2024 10:00:00] x", "2024-05-12T10:00:00Z"},
      {"INFO 12.05.2024 10:00:00,5 x", "2024-05-12T10:00:00.5Z"},
      {"05.13.2024 10:00:00 x", "2024-05-13T10:00:00Z"},
      {"the job waits until 2024-05-01 10:20:30", "none"},
      {"a/2024-05-01 10:20:30", "none"},
      {"x2024-05-01 10:20:30", "none"},
      {"x 99-99 10:20:30", "none"},
      {"x 2024-13-01 10:20:30", "none"},
      {"at 10.0.0.1:8080:22 5:10:20:30", "none"},
      {"081309 203615 148 x", "none"},
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

TEST_CASE("dates that read in both ways are read as those of the same log that do not") {
  const auto times_of = [](std::string_view log, evq::InputFormat format) {
    evq::IngestOptions options;
    options.format = format;
    std::string times;
    for (const evq::Table& table : evq::test::load_events(log, options).tables) {
      for (std::size_t row = 0; row < table.rows; ++row) {
        times += evq::instant_text(table.columns[0].value(row).as_integer()).substr(5, 5) + ' ';
      }
    }
    return times;
  };
  using enum evq::InputFormat;
  CHECK(times_of("12/05/2024 10:00:00 a\n13/05/2024 10:00:01 b\n", kDetect) == "05-12 05-13 ");
  CHECK(times_of("[12-05-2024 10:00:00] a\n[13-05-2024 10:00:01] b\n", kDetect) == "05-12 05-13 ");
  CHECK(times_of("12/05/2024 10:00:00 a\n05/13/2024 10:00:01 b\n", kDetect) == "12-05 05-13 ");
  CHECK(times_of("12/05/2024 10:00:00 a\n11/05/2024 10:00:01 b\n", kDetect) == "12-05 11-05 ");
  // Where they contradict each other nothing is told.
  CHECK(times_of("12/05/2024 10:00:00 a\n13/05/2024 10:00:01 b\n05/13/2024 10:00:02 c\n",
                 kDetect) == "12-05 05-13 05-13 ");
  CHECK(times_of("12/05/2024 10:00:00 a\n\tat x\n13/05/2024 10:00:01 b\n", kText) ==
        "05-12 05-12 05-13 ");
  CHECK(times_of("time=\"12/05/2024 10:00:00\" a=1\ntime=\"13/05/2024 10:00:01\" a=2\n", kLogfmt) ==
        "05-12 05-13 ");
  // Years of two digits: the day is what differs most, and no date is to come.
  CHECK(times_of("11/05/22 10:00:00 a\n12/05/22 10:00:01 b\n28/04/22 10:00:01 c\n", kDetect) ==
        "05-11 05-12 04-28 ");
  CHECK(times_of("22/05/11 10:00:00 a\n22/05/12 10:00:01 b\n", kDetect) == "05-11 05-12 ");
  CHECK(times_of("12/05/11 10:00:00 a\n12/05/13 10:00:01 b\n", kDetect) == "05-11 05-13 ");
  CHECK(times_of("[12/05/11 10:00:00] a\n[12/05/13 10:00:01] b\n", kDetect) == "05-11 05-13 ");
  CHECK(times_of("12-05-11 10:00:00 a\n12-05-13 10:00:01 b\n", kDetect) == "05-11 05-13 ");
  CHECK(times_of("13/05/23 10:00:00 a\n1/5/23 10:00:01 b\n", kDetect) == "05-13 05-01 ");
  CHECK(times_of("1/5/23 10:00:00 a\n28/11/22 10:00:01 b\n", kDetect) == "05-01 11-28 ");
  CHECK(times_of("05/13/22 10:00:00 a\n05/12/22 10:00:01 b\n", kDetect) == "05-13 05-12 ");
  CHECK(times_of("05/06/22 10:00:00 a\n", kDetect) == "05-06 ");
  CHECK(times_of("17/06/09 10:00:00 a\n", kDetect) == "06-09 ");
  CHECK(times_of("17-06-09 10:00:00 a\n", kDetect) == "06-09 ");
  CHECK(times_of("13/05/22 10:00:00 a\n05/13/22 10:00:01 b\n", kDetect) == "05-22 05-13 ");
  // One decision for all pieces of a log.
  std::string log = "13/05/2024 10:00:00 first\n";
  while (log.size() < 3000000) {
    log += "12/05/2024 10:00:00 a line like many others, as logs have them\n";
  }
  const std::string times = times_of(log, kDetect);
  CHECK(times.find("12-05") == std::string::npos);
  CHECK(times.starts_with("05-13 05-12 05-12 "));
}

TEST_CASE("a date far down the first megabyte of a log tells how those above it read") {
  const auto days_of = [](evq::InputFormat format, std::string_view line, std::string_view last) {
    std::string log;
    while (log.size() < 900000) {
      log += line;
    }
    log += last;
    evq::IngestOptions options;
    options.format = format;
    evq::test::SteppingSource source(log, log.size(), log.size());  // in as much as is asked for
    std::string days;
    for (const evq::Table& table : evq::test::load_source(source, options).tables) {
      for (std::size_t row = 0; row < table.rows; ++row) {
        const std::string time = evq::instant_text(table.columns[0].value(row).as_integer());
        const std::string day = time.substr(5, 5) + ' ';
        days += days.ends_with(day) ? "" : day;
      }
    }
    return days;
  };
  using enum evq::InputFormat;
  CHECK(days_of(kDetect, "12/05/2024 10:00:00 one of many\n", "13/05/2024 10:00:01 b\n") ==
        "05-12 05-13 ");
  CHECK(days_of(kText, "[12-05-22 10:00:00] one of many\n", "[13-05-22 10:00:01] b\n") ==
        "05-12 05-13 ");
  CHECK(days_of(kLogfmt, "date=12/05/2024 time=10:00:00 a=1\n",
                "date=13/05/2024 time=10:00:00 a=2\n") == "05-12 05-13 ");
}

TEST_CASE("a byte order mark before a log is none of its lines") {
  const auto loaded =
      evq::test::load_events("\xEF\xBB\xBF[notice] one\n2024-05-01T10:20:30Z two\n", detected());
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) ==
        "_time=2024-05-01T10:20:30Z message=\"[notice] one\"\n"
        "_time=2024-05-01T10:20:30Z message=\"2024-05-01T10:20:30Z two\"\n");
}

TEST_CASE("a line of plain text is an event") {
  const auto loaded = evq::test::load_events(
      "[notice] one\r\n\n2024-05-01T10:20:30Z two\nthr\xFF"
      "ee",
      detected());
  REQUIRE(loaded.tables.size() == 1);
  CHECK(evq::test::dump_rows(loaded.tables[0]) ==
        "_time=2024-05-01T10:20:30Z message=\"[notice] one\"\n"
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
  for (const auto& [wide, encoding] : {std::pair(std::string_view("{\0}\0", 4), "UTF-16LE"),
                                       std::pair(std::string_view("\0a\0b", 4), "UTF-16BE")}) {
    const auto loaded = evq::test::load_events(wide, detected());
    REQUIRE(!loaded.status.ok());
    CHECK(loaded.status.error().message ==
          "this is UTF-16 text without its byte order mark; convert it first: iconv -f " +
              std::string(encoding) + " -t UTF-8");
  }
  const auto zeros = evq::test::load_events(std::string(100, '\0'), detected());
  REQUIRE(!zeros.status.ok());
  CHECK(zeros.status.error().message ==
        "this is no text: byte 1 is zero (compressed input may be gzip or zstd)");
  std::string archive = "app.log";
  archive.resize(257, '\0');
  const auto tar = evq::test::load_events(archive + "ustar", detected());
  REQUIRE(!tar.status.ok());
  CHECK(tar.status.error().message == "this is a tar archive; unpack it first: tar -xOf FILE");
}
