// Which fields the lines of access logs and of syslog have.
#include "store/ingest/log_fields.h"

#include <string>

#include <doctest/doctest.h>

TEST_CASE("lines of web servers and of syslog tell fields") {
  struct Row {
    const char* line;
    const char* fields;
  };
  const Row rows[] = {
      {R"(127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /a?b=1 HTTP/1.0" 200 2326)",
       "client=127.0.0.1 user=frank method=GET path=/a?b=1 protocol=HTTP/1.0 status:200 "
       "bytes:2326"},
      {R"(::1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/2.0" 304 - "http://r/" "a \"b\" c" 12 x)",
       "client=::1 method=GET path=/ protocol=HTTP/2.0 status:304 referer=http://r/ "
       R"(user_agent=a \"b\" c)"},
      {R"(10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "\x16\x03" 400 150 "-" "-")",
       "client=10.0.0.1 status:400 bytes:150"},
      {R"(10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a b HTTP/1.1" 200 1)",
       "client=10.0.0.1 method=GET path=/a b protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 2000 1)", ""},
      {R"(10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1)", ""},
      {R"(10.0.0.1 - - [10/Oct/2000:13:55:36 -0700])", ""},
      {R"(10.0.0.1 - [x] "GET / HTTP/1.1" 200 1)", ""},
      {R"(a.example:443 ::1 - bob [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1 "-" "x")",
       "host=a.example:443 client=::1 user=bob method=GET path=/ protocol=HTTP/1.1 status:200 "
       "bytes:1 user_agent=x"},
      {R"(a b ::1 - bob [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)", ""},
      {R"(10.0.0.1, 10.0.0.2 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "client=10.0.0.1 method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(::1, ::2, ::3 - eve [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "client=::1 user=eve method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(a.example ::1, ::2, ::3 - eve [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "host=a.example client=::1 user=eve method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(10.0.0.1 - a b [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "client=10.0.0.1 user=a b method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(a.example ::1 - a b c [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "host=a.example client=::1 user=a b c method=GET path=/ protocol=HTTP/1.1 status:200 "
       "bytes:1"},
      {R"(a.example - - bob [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.1" 200 1)",
       "host=a.example user=bob method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"(10.0.0.1 - - [13/May/2024:10:20:30 +0000] "GET /" 200 12)",
       "client=10.0.0.1 method=GET path=/ status:200 bytes:12"},
      {R"(10.0.0.1 - - [13/May/2024:10:20:30 +0000] "\x16 \x03" 400 12)",
       "client=10.0.0.1 status:400 bytes:12"},
      {R"(10.0.0.1 - - [13/May/2024:10:20:30 +0000] "GET" 400 12)",
       "client=10.0.0.1 status:400 bytes:12"},
      {R"("1.2.3.4" 10.0.0.1 - - [13/May/2024:10:20:30 +0000] "GET / HTTP/1.1" 200 1 "-" "UA")",
       "client=10.0.0.1 method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1 user_agent=UA"},
      {R"("1.2.3.4, 1.2.3.5" 10.0.0.1 - - [13/May/2024:10:20:30 +0000] "GET / HTTP/1.1" 200 1)",
       "client=10.0.0.1 method=GET path=/ protocol=HTTP/1.1 status:200 bytes:1"},
      {R"([httpd] 10.0.0.1 - - [13/May/2024:10:20:30 +0000] "POST /w HTTP/1.1" 204 0)",
       "client=10.0.0.1 method=POST path=/w protocol=HTTP/1.1 status:204 bytes:0"},
      {R"(10.0.0.1, 10.0.0.2, )", ""},
      {R"(10.0.0.1 - a )", ""},
      {R"(10.0.0.1 - a b)", ""},
      {R"(2024-05-01T00:00:00.000Z	INFO	main.go:12	hello	{"a": 1, "b": 2})", ""},
      {"Oct 11 22:14:15 host sshd[42]: x", "host=host program=sshd pid:42"},
      {"Oct  1 22:14:15 host kernel: [ 1.0] x", "host=host program=kernel"},
      {"Oct 11 22:14:15.123456 host sshd[42]: x", "host=host program=sshd pid:42"},
      {"Oct 11 22:14:15.12x host sshd[42]: x", ""},
      {"<165>1 - - -", "facility=local4 severity=notice"},
      {"<165>1 - host app 7 - - x", "host=host program=app pid:7 facility=local4 severity=notice"},
      {"<165>- host app: x", ""},
      {"Jun 14 15:16:01 combo sshd(pam_unix)[19939]: x",
       "host=combo program=sshd(pam_unix) pid:19939"},
      {"<34>Oct 11 22:14:15 mymachine su: x",
       "host=mymachine program=su facility=auth severity=crit"},
      {"<34>Oct 11 22:14:15 mymachine said something",
       "host=mymachine facility=auth severity=crit"},
      {"<165>1 2003-10-11T22:14:15.003Z h.example.com evntslog 7 ID47 [x@1 a=\"b\"] m",
       "host=h.example.com program=evntslog pid:7 facility=local4 severity=notice"},
      {"<34>1 2003-10-11T22:14:15.003Z host su - ID47 - x",
       "host=host program=su facility=auth severity=crit"},
      {"2024-05-01T10:00:00.123456+02:00 host CRON[7]: x", "host=host program=CRON pid:7"},
      {"Jul 17 14:49:57 dnsmasq[15210]: query[A] a.example from ::1", "program=dnsmasq pid:15210"},
      {"<30>Jul 17 14:49:57 dnsmasq[15210]: x",
       "program=dnsmasq pid:15210 facility=daemon severity=info"},
      {"Jul 17 14:49:57 dnsmasq[a]: x", ""},
      {"Jul 17 14:49:57 imap-login: Info: Login: x", "program=imap-login"},
      {"<30>Jul 17 14:49:57 imap-login: x", "program=imap-login facility=daemon severity=info"},
      {"Jul 17 14:49:57 ERROR: main: x", ""},
      {"Jul 17 14:49:57 fw1: %ASA-6-302013: x", "host=fw1: program=%ASA-6-302013"},
      {"Jul 17 14:49:57 10.0.0.1: app: x", "host=10.0.0.1: program=app"},
      {"2024-05-01T10:20:30Z main: step: x", ""},
      {"2024-05-01T10:20:30: PM2 log: x", ""},
      {"Wed 2024-05-01 10:20:30 UTC host sshd[12]: y", "host=host program=sshd pid:12"},
      {"Wed 2024-05-01 10:20:30.123456 +03 host systemd[1]: y", "host=host program=systemd pid:1"},
      {"Wed 2024-05-01 10:20:30 2024 host sshd[12]: y", ""},
      {"Wed 2024-05-01 10:20:30", ""},
      {"2024-05-01T10:00:00.1+02:00 stderr F main[7]: x", "stream=stderr"},
      {"2024-05-01T10:00:00Z stdout P ", "stream=stdout"},
      {"2024-05-01T10:00:00Z stdout main: x", "host=stdout program=main"},
      {"2024-05-01T10:00:00Z INFO main: x", ""},
      {"2024-05-01T10:00:00Z [info] main[7]: x", ""},
      {"2024-05-01T10:00:00Z one two three", ""},
      {"Oct 11 22:14:15 last message repeated", ""},
      {"<192>Oct 11 22:14:15 host su: x", ""},
      {"<>Oct 11 22:14:15 host su: x", ""},
      {"Oct 11 22:14:15", ""},
      {"Oct 11 22:14:15 ", ""},
      {"<34>", ""},
      {"<34>1 ", ""},
      {"", ""},
      {"hello", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.line);
    std::string text;
    const evq::LogFields parts = evq::log_fields(row.line);
    for (const evq::LogField& field : parts.fields()) {
      text.append(text.empty() ? "" : " ").append(field.name).append(field.number ? ":" : "=");
      text.append(field.number ? std::to_string(*field.number) : std::string(field.text));
    }
    CHECK(text == row.fields);
  }
}
