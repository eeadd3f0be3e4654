#!/usr/bin/env python3
"""Lines that may be those of a log or of a table, and by which of them: no first event is lost as a header."""

import json

from evq_case import LoadCase, main
from processes import wait_until


class LogOrTable(LoadCase):
    def check_lines(self, text, *names):
        """Each line is an event as it stands, from files of these names, also when followed, and from a pipe."""
        lines = text.splitlines()
        for i, name in enumerate(names):
            with self.subTest(text, name=name):
                (self.directory / name).write_text(text)
                report = json.loads(self.out("ingest", f"d{i}", name))
                self.assertEqual((report["ingested"], report["failed"]), (len(lines), 0))
                for words in ((f"d{i} | project message",), ("--file", name, "| project message")):
                    rows = json.loads(self.out("query", *words, "-o", "json"))
                    self.assertEqual(sorted(row["message"] for row in rows), sorted(lines))
                self.evq("dataset", "delete", f"d{i}", "--yes")
        with self.subTest(text, name="-"):
            rows = json.loads(self.out("query", "--file", "-", "| project message", "-o", "json", input=text))
            self.assertEqual(sorted(row["message"] for row in rows), sorted(lines))

    def test_two_groups_in_brackets(self):
        for text in ("[1715508930.123][INFO]: Starting ChromeDriver\n[1715508931.123][SEVERE]: bind failed\n",
                     "[2024-05-12][10:15:30][app::main][INFO] starting\n[2024-05-12][10:15:31][app::main][ERROR] boom\n",
                     "[    1.234567] [drm] Initialized\n[    1.3] [drm] x\n", "[1][main] x\n", '["a"] x\n["b"] x\n',
                     "[] [x] y\n", "[null] [a] x\n"):
            self.check_lines(text, "a.log", "b")

    def test_a_date_and_a_time_of_day_apart(self):
        for line in ("2024-05-12|10:15:30.5|INFO|x", "2024-05-12;10:15:30.5;INFO;x", "2024-05-12,10:15:30.5,INFO,x",
                     "2024-05-12 | 10:15:30.5 | INFO", "12.05.2024;12:15:30.5 +0200;x", "2024/05/12|10:15:30,5|x",
                     "[2024-05-12][10:15:30.5][app::main][INFO] x", "[2024-05-12] [10:15:30.5] x",
                     "[2024-05-12] 10:15:30.5 x", "2024-133T10:15:30,5:DEBUG:x"):
            with self.subTest(line):
                rows = json.loads(self.out("query", "--file", "-", "-o", "json", "| project _time, message", input=line + "\n"))
                self.assertEqual([(row["_time"], row["message"]) for row in rows],
                                 [("2024-05-12T10:15:30.5Z", line)])
        text = "2024-05-12\t10:15:30\tINFO\tx\n"
        (self.directory / "a.log").write_text(text)
        (self.directory / "a.tsv").write_text(text * 2)
        self.assertEqual(self.out("query", "--file", "a.log", "| project _time, message"),
                         '{"_time":"2024-05-12T10:15:30Z","message":"2024-05-12\\t10:15:30\\tINFO\\tx"}\n')
        self.assertEqual(self.out("query", "--file", "a.tsv", "| distinct column1, column2"),
                         '{"column1":"2024-05-12","column2":"10:15:30"}\n')
        for line in ("2024-05-12|10:15:30x|a", "2024-05-12|10:15|a", "10,05/13/24,10:20:30,a", "[2024-05-12 [10:15:30] x"):
            answer = self.out("query", "--file", "-", "| where _time < ago(1d) | count", input=line + "\n" + line + "\n")
            self.assertEqual(answer, '{"Count":0}\n', line)

    def test_values_above_others_of_their_kind(self):
        for text in ("INFO | start\nWARN | retry\nINFO | stop\nINFO | start\n", "INFO | start\n",
                     "INFO;start\n[warn];retry;again\n", "alice, 10.0.0.1, GET /x\nbob, 10.0.0.2:80, GET /y\n",
                     "a,/x\nc,https://h/y\nb\n"):
            self.check_lines(text, "a.log", "b.txt", "c")
        for text in ("service,INFO,ERROR\napi,1,2\n", "time,/a,/b\n2024-05-01T00:00:00Z,1,2\n",
                     "km/h,cost / month\n/x,/y\n", "host,10.0.0.1,10.0.0.2\nx,1,2\n", "name, type\nid, long\nname, string\n",
                     "level,text\nINFO,x\nINFO,x\nINFO,y\n", "a,b\n1,2\na,b\n3,4\n", "id,info\n1,info\n2,debug\n",
                     "a,b,c\n1,2,3,\n4,5,6,\n", 'id,note\n1,"hello\nfoo, bar, baz\nend"\n2,x\n'):
            with self.subTest(text):
                names = sorted(text.split("\n")[0].replace(", ", ",").split(","))
                (self.directory / "t.txt").write_text(text)
                for words, given in ((("--file", "t.txt"), None), (("--file", "-"), text)):
                    row = json.loads(self.out("query", *words, "-o", "json", "| take 1 | project-away _time, _sysTime",
                                              input=given))[0]
                    self.assertEqual(sorted(name.strip() for name in row), names)

    def test_names_of_logs(self):
        for text in ("start | all\nstop | some\n", "key;word\nz;w\nv;u;t\n", "a,ok\nb,ok\nc,ok\n",
                     "user bob, logged in\nuser eve, logged out\nuser ann, logged in\nuser joe, logged in\n"):
            for name in ("a.log", "a.TXT"):
                (self.directory / name).write_text(text)
                self.assertEqual(len(self.out("query", "--file", name, "| where isnotempty(message)").splitlines()),
                                 len(text.splitlines()), text)
        (self.directory / "a.log").write_text("start | all\nstop | some\n")
        self.evq("dataset", "create", "d")
        process = self.start("ingest", "d", "--follow", "a.log")
        wait_until(lambda: self.out("query", "d | count") == '{"Count":2}\n')
        self.assertEqual(self.interrupt(process), 130)
        self.assertEqual(len(self.rows("d | where message has 'all' or message has 'some'")), 2)

    def test_parts_of_times_are_told(self):
        note = "note: stdin: no field tells a date and a time that are known, so _time is when it was read\n"
        for text, told in (("time,v\n10:15:30,5\n", note), ("Month,Date,Time\nJun,3,10:15:30\n", note),
                           ('{"a":"10:15:30"}\n', note), ('{"a":"x","n":5}\n', ""), ("a,b\n1,2\n", "")):
            self.assertEqual(self.evq("ingest", "d", input=text)[1], told, text)

    def test_lines_that_only_begin_as_json_does(self):
        note = "note: stdin has no line that is JSON; --format text makes an event of each line\n"
        for text, told in (("{'a': 1, 'b': None}\n{'a': 2}\n", True), ("{} 2024-05-12 10:15:30 x\n", True),
                           ("{'a': 1}\n{\"a\":1}\n", False), ("{}\n", False)):
            for words in (("ingest", "d"), ("query", "--file", "-", "| count")):
                self.assertEqual(note in self.evq(*words, input=text)[1], told, text)


if __name__ == "__main__":
    main()
