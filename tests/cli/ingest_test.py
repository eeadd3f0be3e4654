"""evq ingest on the local store: every form of input, every option, what it counts and says, and how
it ends."""

import bz2
import csv
import fcntl
import gzip
import io
import json
import os
import shutil
import signal
import subprocess
import termios
import unittest

from evq_case import EVQ, LoadCase, main
from processes import catches, wait_until


class Ingest(LoadCase):
    def wait_until_read(self, process):
        """Until evq handles Ctrl-C and has taken from its pipe what was written."""
        wait_until(lambda: catches(process.pid, signal.SIGINT)
                   and fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4)) == bytes(4))

    def test_a_zero_byte_in_a_log(self):
        log = "one\0two\nthree\n"
        self.evq("ingest", "d", input=log, status=4)
        for form in ("text", "logfmt"):
            report, _ = self.load(log, "--format", form, dataset=form)
            self.assertEqual((report["ingested"], report["failed"]), (2, 0))
            self.assertEqual(self.rows(f"{form} | where message contains 'two' | project message"),
                             [{"message": "one\0two"}])
        self.evq("ingest", "d", "--format", "text", input=b"\x1f\x8b\x08\x00", status=4)
        self.evq("ingest", "d", "--format", "text", input="a\nb\n".encode("utf-16-le"), status=4)

    def test_a_zero_byte_in_a_value_of_csv(self):
        self.ingest("n", [r'{"_time":"2024-05-01T10:00:00Z","s":"a\u0000b"}'])
        for form in ("csv", "tsv"):
            text = self.out("query", "n | project _time, s", "-o", form)
            report, _ = self.load(text, "--format", form, dataset=form)
            self.assertEqual((report["ingested"], report["failed"]), (1, 0))
            self.assertEqual(self.rows(f"{form} | project s"), [{"s": "a\0b"}])
        _, errors = self.evq("ingest", "d", input=text, status=4)
        self.assertIn("--format csv", errors)
        _, errors = self.evq("ingest", "d", "--format", "csv", input="a,\0b\n1,2\n", status=4)
        self.assertEqual(errors, "error: stdin: this is no CSV: byte 3, in its header, is zero\n")

    def test_what_was_read_whole_is_stored_when_a_load_is_interrupted(self):
        for number, (words, text, stored) in enumerate((
                ((), '{"a":1}\n{"a":2}\n{"a"', 2), ((), '{"a":1}\n{"a":2}', 2),
                (("--format", "text"), "one\ntwo\nthr", 2), ((), "a,b\n1,2\n3,", 1), ((), "", 0))):
            with self.subTest(text):
                process = self.start("ingest", f"p{number}", *words, "-o", "json", stdin=subprocess.PIPE)
                process.stdin.write(text)
                process.stdin.flush()
                self.wait_until_read(process)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(timeout=30), 130)
                report = json.loads(process.stdout.read())
                self.assertEqual((report["ingested"], report["failed"]), (stored, 0))
                if stored > 0:
                    self.assertEqual(self.rows(f"p{number} | count"), [{"Count": stored}])

    def test_the_report_of_a_load_that_ends_early_counts_what_is_stored(self):
        process = self.start("ingest", "cut", "-o", "json", stdin=subprocess.PIPE)
        process.stdin.write('{"a":1}\n' * 200_000)
        process.stdin.flush()
        self.wait_until_read(process)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        interrupted = json.loads(process.stdout.read())
        text = '{"a":1}\n' * 200_000 + "bad\n"
        refused = json.loads(self.evq("ingest", "bad", "--max-errors", "0", input=text, status=4)[0])
        self.assertEqual((interrupted["ingested"], refused["failed"]), (200_000, 1))
        for dataset, report in (("cut", interrupted), ("bad", refused)):
            with self.subTest(dataset):
                stored = json.loads(self.out("dataset", "info", dataset, "-o", "json"))
                self.assertGreater(report["ingested"], 65_536)
                self.assertEqual(report["processedBytes"], 8 * report["ingested"])
                self.assertIn(report["blocksCreated"], range(1, stored["numBlocks"] + 1))
                self.assertEqual((report["ingested"], report["walLength"]),
                                 (stored["numEvents"], stored["freshChunks"]))

    def test_times_that_cannot_be_held(self):
        text = '{"_time":"0001-01-01T00:00:00Z"}\n{"_time":"9999-12-31T23:59:59Z"}\n{"_time":"soon"}\n' \
               '{"_time":99999999999}\n{"_time":"Mon, 01 Jan 1500 10:00:00 GMT"}\n' \
               '{"_time":"2023-02-29T09:11:27Z"}\n{"_time":"1600-02-29T00:00:00Z"}\n'
        report, _ = self.load(text)
        self.assertEqual((report["ingested"], report["failed"]), (0, 7))
        held = "the value of '_time' is outside of the times that evq holds, 1677 to 2262"
        self.assertEqual([failure["error"].split(": ", 1)[1] for failure in report["failures"]],
                         [held + ": '0001-01-01T00:00:00Z'", held + ": '9999-12-31T23:59:59Z'",
                          "the value of '_time' is no time: 'soon'", held,
                          held + ": 'Mon, 01 Jan 1500 10:00:00 GMT'",
                          "the value of '_time' is no time: '2023-02-29T09:11:27Z'",
                          held + ": '1600-02-29T00:00:00Z'"])

    def test_a_file_that_is_missing_is_told_before_any_is_loaded(self):
        (self.directory / "a.ndjson").write_text('{"a":1}\n')
        (self.directory / "folder").mkdir()
        for words, told in (
                (("a.ndjson", "none.ndjson", "a.ndjson"),
                 "error: cannot open none.ndjson: No such file or directory\n"
                 "  = nothing of the other files has been read\n"),
                (("a.ndjson", "none.ndjson", "-", "folder", "x/y"),
                 "error: cannot open none.ndjson: No such file or directory; folder is a directory; "
                 "cannot open x/y: No such file or directory\n"
                 "  = nothing of the other files has been read\n")):
            self.assertEqual(self.evq("ingest", "many", *words, status=1), ("", told))
            self.assertEqual(self.evq("query", "many | count", status=3)[0], "")
            self.assertEqual(self.evq("query", "--file", *words, "--", "| count", status=1)[1], told)

    def test_the_six_fields(self):
        text = '{"a":1}\n{"a":2}\n'
        report, errors = self.load(text)
        self.assertEqual(list(report), ["ingested", "failed", "failures", "processedBytes",
                                        "blocksCreated", "walLength"])
        self.assertEqual((report["ingested"], report["failed"], report["failures"]), (2, 0, []))
        self.assertEqual(report["processedBytes"], len(text))
        self.assertEqual((report["blocksCreated"], report["walLength"]), (0, 1))
        self.assertEqual(errors, "")
        report, _ = self.load("".join(f'{{"a":{i}}}\n' for i in range(70_000)))
        self.assertGreaterEqual(report["blocksCreated"], 1)
        self.assertEqual(self.rows("d | count"), [{"Count": 70_002}])

    def test_forms_of_json(self):
        wanted = [{"a": 1}, {"a": 2}, {"a": 3}]
        for name, text in (
                ("lines", '{"a":1}\n{"a":2}\n{"a":3}\n'),
                ("no last newline", '{"a":1}\n{"a":2}\n{"a":3}'),
                ("carriage returns", '{"a":1}\r\n{"a":2}\r\n\r\n{"a":3}\r\n'),
                ("concatenated", '{"a":1}{"a":2} {"a":3}'),
                ("over lines", '{\n "a": 1\n}\n{\n "a": 2\n}\n{"a":\n3}\n'),
                ("array", '[{"a":1},{"a":2},{"a":3}]'),
                ("array over lines", ' [\n {"a":1},\n {"a":2},\n {"a":3}\n]\n'),
                ("arrays by line", '[{"a":1},{"a":2}]\n[{"a":3}]\n'),
                ("rows of values", '["a","b"]\n[1,"x"]\n[2]\n[3,null]\n'),
                ("byte order mark", '\ufeff{"a":1}\n{"a":2}\n{"a":3}\n')):
            with self.subTest(name):
                dataset = name.replace(" ", "-")
                report, _ = self.load(text, dataset=dataset)
                self.assertEqual((report["ingested"], report["failed"]), (3, 0), report)
                self.assertEqual(self.rows(f"['{dataset}'] | project a | sort by a asc"), wanted)

    def test_compressed(self):
        plain = b'{"a":1}\n{"a":2}\n'
        pressed = {"gz": gzip.compress(plain), "two-gz": gzip.compress(plain) * 2}
        if shutil.which("zstd"):
            pressed["zst"] = self.zstd("-c", plain)
        for name, content in pressed.items():
            with self.subTest(name):  # no suffix tells: the content does
                path = self.directory / f"{name}.input"
                path.write_bytes(content)
                self.out("ingest", name, path)
                self.out("ingest", name, input=content)
                count = 8 if name == "two-gz" else 4
                self.assertEqual(self.rows(f"['{name}'] | count"), [{"Count": count}])

    def test_compressed_input_that_is_cut_or_damaged(self):
        """What was whole before the break is stored, here and over HTTP; the rest is told."""
        lines = [b'{"i":%d,"s":"%s"}\n' % (i, str(i * i).encode()) for i in range(60_000)]
        text = b"".join(lines)
        url, token, _ = self.serve()
        packers = {"gzip": gzip.compress}
        if shutil.which("zstd"):
            packers["zstd"] = lambda plain: self.zstd("-c", plain)
        for packer, pack in packers.items():
            whole = pack(text)
            half = len(whole) // 2
            for kind, content, error in (
                    ("cut", whole[:half], "the compressed data ends too early"),
                    ("damaged", whole[:half] + b"\xff" * 99 + whole[half + 99:],
                     f"the {packer} data is damaged(: the checksum)? near byte \\d+( is not .*|: .*)?"),
                    ("followed", whole + b"what is this", f"the {packer} data is followed by "
                     f"something else from byte {len(whole) + 1} on")):
                with self.subTest(packed=packer, kind=kind):
                    self.check_broken(f"{kind}-{packer}", content, error, len(lines), url, token)
        self.evq("ingest", "padded", input=gzip.compress(text) + bytes(512))

    def check_broken(self, name, content, error, count, url, token):
        path = self.directory / name
        path.write_bytes(content)
        out, errors = self.evq("ingest", name, path, status=4)
        report = json.loads(out)
        stored = report["ingested"]
        # Damaged symbols of gzip are symbols as well, until the text makes no sense.
        garbled = name == "damaged-gzip"
        sure = count // 3 if garbled else stored
        self.assertGreaterEqual(stored, count if "followed" in name else sure)
        self.assertEqual(self.rows(f"['{name}'] | summarize n = count(), s = sumif(i, i < {sure})"),
                         [{"n": stored, "s": sum(range(sure))}])
        if not garbled:
            self.assertLessEqual(report["failed"], 1)
            if report["failed"]:
                self.assertRegex(errors, rf"{name}:{stored + 1}:1: the event is cut off: {error} "
                                 r"\(line skipped\)\n")
            self.assertRegex(errors, rf"error: .*{name}: line {stored + 1}, column \d+: {error}\n")
        self.assertRegex(errors, rf"error: .*{name}: line \d+, column \d+: {error}\n"
                         rf"  = load only what comes behind the first {stored:,} events, "
                         r"which are stored\n$")
        out, told = self.evq("--server", url, "--token", token, "ingest", name + "-there", path,
                             status=4)
        self.assertEqual((json.loads(out)["ingested"], json.loads(out)["failed"], told),
                         (stored, report["failed"], errors))

    @staticmethod
    def zstd(option, data):
        return subprocess.run(["zstd", option], input=data, capture_output=True, check=True).stdout

    def test_several_files(self):
        for i in range(3):
            (self.directory / f"{i}.ndjson").write_text(f'{{"i":{i}}}\n')
        (self.directory / "last.csv").write_text("i\n3\n")
        report = json.loads(self.out("ingest", "d", "0.ndjson", "1.ndjson", "2.ndjson", "last.csv"))
        self.assertEqual(report["ingested"], 4)
        self.assertEqual(self.rows("d | project i | sort by i asc"), [{"i": i} for i in range(4)])

    def test_csv(self):
        text = ('id,text,n\n1,"two\nlines, ""quoted""",1.5\n2,,\n'
                '3,"caf\u00e9",-7\n')
        report, _ = self.load(text)
        self.assertEqual((report["ingested"], report["failed"]), (3, 0))
        self.assertEqual(
            self.rows("d | project id, text, n | sort by id asc"),
            [{"id": 1, "text": 'two\nlines, "quoted"', "n": 1.5},
             {"id": 2},  # an empty cell is no value
             {"id": 3, "text": "caf\u00e9", "n": -7.0}])
        self.load("1;x\n2;y\n", "--csv-fields", "a,b", "--csv-delimiter", ";", dataset="semi")
        self.assertEqual(self.rows("semi | project a, b | sort by a asc"),
                         [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])
        self.load("a\tb\n1\tx,y\n", "--csv-delimiter", "\\t", dataset="tab")
        self.assertEqual(self.rows("tab | project a, b"), [{"a": 1, "b": "x,y"}])
        for delimiter in ('"', "\n", "\r", "ab"):
            _, errors = self.evq("ingest", "d", "--csv-delimiter", delimiter, input="", status=2)
            self.assertIn("--csv-delimiter takes one character, and no quote or line end", errors)
        _, errors = self.evq("ingest", "d", "--csv-fields", "a,b,a", input="1,2,3\n", status=2)
        self.assertIn("--csv-fields repeats the field 'a', in columns 1 and 3", errors)
        self.load("sep=|\r\na,b|c\r\n1|x\r\n", dataset="named")
        self.assertEqual(self.rows("named | project ['a,b'], c"), [{"a,b": 1, "c": "x"}])
        report, errors = self.load("a,b\n1,2\n1,2,3\n4\n", "--format", "csv", dataset="odd")
        self.assertEqual((report["ingested"], report["failed"]), (2, 1))
        self.assertIn("stdin:3:", errors)

    def test_csv_with_line_ends_of_cr_alone_makes_no_dataset(self):
        (self.directory / "old.csv").write_bytes(b"a,b\r1,2\r3,4\r")
        _, errors = self.evq("ingest", "old", "old.csv", status=4)
        self.assertIn(r"the line ends are CR alone; convert them first: tr '\r' '\n'", errors)
        self.evq("query", "old | count", status=None)

    def test_what_goes_out_as_csv_comes_back(self):  # blanks at ends and large numbers too
        self.ingest("one", ['{"_time":"2024-05-01T00:00:00Z","t":" a,\\"b\\"\\nc","n":5,"r":0.1}',
                            '{"_time":"2024-05-01T00:00:01Z","t":"\\t","n":-5,"r":1e300}'])
        query = "project _time, t, n, r | sort by _time asc"
        text = self.out("query", f"one | {query}", "-o", "csv")
        self.assertEqual(len(list(csv.reader(io.StringIO(text)))), 3)
        self.load(text, dataset="two")
        self.assertEqual(self.rows(f"two | {query}"), self.rows(f"one | {query}"))

    def test_grouped_and_nested_events(self):
        self.load('{"time":"2024-05-01T00:00:00.123456789Z","data":{"x":{"y":[1,[2,3]]},"n":1},'
                  '"labels":{"host":"h"}}\n'
                  '{"_time":"2024-05-01T00:00:01Z","x":{"y":[[4]]},"deep":{"a":{"b":{"c":true}}}}\n',
                  "--label", "env=prod", "--label", "host=outer")
        first, second = self.rows("d | sort by _time asc")
        self.assertEqual(first["_time"], "2024-05-01T00:00:00.123456789Z")
        self.assertIn([1, [2, 3]], first.values())
        self.assertEqual(second["x.y"], [[4]])
        self.assertIs(second["deep.a.b.c"], True)
        self.assertTrue(any(name.endswith("env") and value == "prod"
                            for name, value in second.items()), second)

    def test_an_index_action_is_an_event(self):
        report, _ = self.load('{"index":{"_index":"x"}}\n{"a":1}\n')
        self.assertEqual(report["ingested"], 2)

    def test_times(self):
        for name, options, value, wanted in (
                ("text", (), '"2024-05-01T02:00:00.5+02:00"', "2024-05-01T00:00:00.5Z"),
                ("seconds", (), "1714521600", "2024-05-01T00:00:00Z"),
                ("milliseconds", (), "1714521600123", "2024-05-01T00:00:00.123Z"),
                ("microseconds", (), "1714521600123456", "2024-05-01T00:00:00.123456Z"),
                ("nanoseconds", (), "1714521600123456789", "2024-05-01T00:00:00.123456789Z"),
                ("layout", ("--timestamp-format", "02/Jan/2006:15:04:05 -0700"),
                 '"01/May/2024:02:00:00 +0200"', "2024-05-01T00:00:00Z")):
            with self.subTest(name):
                self.load(f'{{"at":{value}}}\n', "--timestamp-field", "at", *options, dataset=name)
                self.assertEqual(self.rows(f"{name} | project _time"), [{"_time": wanted}])
        self.load('{"a":1}\n', dataset="receipt")
        self.assertEqual(self.rows("receipt | where _time == _sysTime | count"), [{"Count": 1}])

    def test_bad_lines_stop_nothing(self):
        text = '{"a":1}\nbad\n{"a":2,}\n[1,{"a":3}]\n"text"\n{"a":4}\n{"a":\n'
        report, errors = self.load(text, "--format", "ndjson", "--reject-file", "rejects")
        self.assertEqual(report["ingested"] + report["failed"], 8)
        self.assertEqual(self.rows("d | where a in (1, 4) | count"), [{"Count": 2}])
        self.assertIn("stdin:2:1: ", errors)
        self.assertIn("stdin:5:1: ", errors)
        self.assertEqual(len(report["failures"]), report["failed"])
        self.assertTrue(report["failures"][0]["error"].startswith("line 2, column 1: "))
        rejects = (self.directory / "rejects").read_text().splitlines()
        self.assertEqual(len(rejects), report["failed"])
        self.assertEqual(rejects[0], "bad")
        # Only ten are shown, all are counted and kept.
        many = '{"a":1}\n' + "bad\n" * 25
        report, errors = self.load(many, "--reject-file", "more", dataset="m")
        self.assertEqual((report["failed"], errors.count("stdin:")), (25, 10))
        self.assertEqual((self.directory / "more").read_text(), "bad\n" * 25)

    ACCESS = (
        '10.0.0.1 - bob [01/May/2024:10:00:00 +0000] "GET /?a=1,2 HTTP/1.1" 200 12 "-" "x (y, z)"\n'
        '10.0.0.2 - - [01/May/2024:10:00:01 +0000] "POST /b HTTP/1.1" 500 5 "http://c/" "curl/8"\n')
    LOGFMT = (
        'time=2024-05-01T10:00:00Z level=info msg="it is, \\"so\\"" took=1.5 ok=true n=3 id=007\n'
        'ts=2024-05-01T10:00:01Z level=warn http.status=500 none=\n'
        '    at main.go:12\n')

    def test_a_log_of_the_audit_daemon(self):
        line = "type=%s msg=audit(1714558830.%d:7): %s\n"
        report, _ = self.load(line % ("DAEMON_START", 1, "auditd start, ver=2.4.1 pid=251") +
                              line % ("USER_LOGIN", 2, "pid=3 msg='op=login acct=\"root\" res=failed'"))
        self.assertEqual((report["ingested"], report["failed"]), (2, 0))
        self.assertEqual(self.rows("d | where res == 'failed' | project _time, type, acct"), [
            {"_time": "2024-05-01T10:20:30.2Z", "type": "USER_LOGIN", "acct": "root"}])
        self.assertEqual(self.rows("d | where message has 'start' | project _time"),
                         [{"_time": "2024-05-01T10:20:30.1Z"}])

    def test_nearly_json(self):
        report, errors = self.load('{"a":"x\\x22\\xC3\\xA9"},\n{"a":"\\xFF"}\n{"a":"z"},\n')
        self.assertEqual((report["ingested"], report["failed"]), (3, 0))
        self.assertIn("3 events repaired (first at line 1: an escape with x", errors)
        self.assertEqual(sorted(row["a"] for row in self.rows("d | project a")),
                         ['x"\u00e9', "z", "\ufffd"])
        report, _ = self.load('{"a":1},\n{"a":"\\q"}\n', "--format", "ndjson", dataset="strict")
        self.assertEqual((report["ingested"], report["failed"]), (0, 2))

    def test_logs_that_are_neither_json_nor_csv(self):
        for dataset, text, count in (("web", self.ACCESS, 2), ("web", self.ACCESS.split("\n")[0], 1),
                                     ("app", self.LOGFMT, 3), ("app", self.LOGFMT.split("\n")[0], 1)):
            with self.subTest(text):
                report, errors = self.load(text, dataset=dataset)
                self.assertEqual((report["ingested"], report["failed"]), (count, 0))
                self.assertEqual("is plain text" in errors, dataset == "web", errors)
                rows = self.rows(f"{dataset} | sort by _time asc | take {count}")
                if dataset == "web":
                    self.assertEqual([row["message"] for row in rows], text.splitlines()[:count])
                    self.assertEqual(rows[0]["_time"], "2024-05-01T10:00:00Z")
                else:
                    self.assertEqual(
                        {k: v for k, v in rows[0].items() if k != "time"},
                        {"_time": "2024-05-01T10:00:00Z", "level": "info", "msg": 'it is, "so"',
                         "took": 1.5, "ok": True, "n": 3, "id": "007"})
                self.evq("dataset", "delete", dataset, "--yes")
        self.load(self.LOGFMT)
        self.assertEqual(self.rows("d | where isnotnull(message)")[0]["message"],
                         "    at main.go:12")
        self.assertEqual(self.rows("d | where ['http.status'] == 500")[0]["_time"],
                         "2024-05-01T10:00:01Z")

    def test_lines_of_known_logs_have_fields(self):
        self.load(self.ACCESS, dataset="web")
        self.assertEqual(self.rows("web | where status == 500 | project-away message, _time"), [
            {"client": "10.0.0.2", "method": "POST", "path": "/b", "protocol": "HTTP/1.1",
             "status": 500, "bytes": 5, "referer": "http://c/", "user_agent": "curl/8"}])
        self.load("<34>Oct 11 22:14:15 h su[7]: x\n", dataset="sys")
        self.assertEqual(self.rows("sys | project host, program, pid, facility, severity"), [
            {"host": "h", "program": "su", "pid": 7, "facility": "auth", "severity": "crit"}])

    TRACE = ("2023-10-10 13:55:36,123 ERROR [main] x.App - Boom\njava.lang.Error: x\n\tat x.App\n"
             "2023-10-10 13:55:38,123 INFO  [main] x.App - Done\n")

    def test_a_line_without_a_time_is_from_when_the_line_before_is(self):
        filler = "2023-10-10 13:55:36,123 INFO [main] x.App - Begin\n" * 30_000
        self.load("no time yet\n" + filler + self.TRACE * 10_000, dataset="here")
        query = "summarize n = count() by t = tostring(_time), timed = _time != _sysTime | sort by n asc"
        counts = [(row["timed"], row["n"]) for row in self.rows("here | " + query)]
        self.assertEqual(counts, [(True, 10_000), (True, 60_001)])
        self.load(self.LOGFMT, dataset="pairs")
        self.assertEqual(self.rows("pairs | where isnotnull(message) | project _time"),
                         [{"_time": "2024-05-01T10:00:01Z"}])
        url, token, _ = self.serve()
        self.evq("--server", url, "--token", token, "ingest", "there", input=self.TRACE)
        self.assertEqual(self.rows("there | summarize n = count() by _time | project n | sort by n asc"),
                         [{"n": 1}, {"n": 3}])

    def test_what_a_broken_file_holds_is_queried(self):
        whole = gzip.compress("".join(f'{{"i":{i}}}\n' for i in range(100_000)).encode())
        (self.directory / "cut.ndjson.gz").write_bytes(whole[:len(whole) // 2])
        (self.directory / "open.json").write_text('[{"a":1},{"a":2}')
        (self.directory / "none.gz").write_bytes(whole[:5])
        answer, errors = self.evq("query", "--file", "cut.ndjson.gz", "| summarize max(i)", status=4)
        self.assertGreater(json.loads(answer)["max_i"], 1000)
        self.assertIn("error: cut.ndjson.gz: line ", errors)
        answer, errors = self.evq("query", "--file", "open.json", "| count", status=4)
        self.assertEqual(answer, '{"Count":2}\n')
        self.assertIn("the array is not closed", errors)
        answer, errors = self.evq("query", "--file", "none.gz", "| count", status=4)
        self.assertEqual(answer, "")
        self.assertEqual(errors, "error: none.gz: the compressed data ends too early\n")

    def test_lines_that_belong_together_are_one_event(self):
        text = self.TRACE * 3
        messages = [text.splitlines()[0] + "\njava.lang.Error: x\n\tat x.App", text.splitlines()[3]] * 3
        url, token, _ = self.serve()
        for dataset, where in (("here", ()), ("there", ("--server", url, "--token", token))):
            self.evq(*where, "ingest", dataset, "--multiline", input=text)
            rows = self.rows(f"{dataset} | sort by _time asc, message desc")
            self.assertEqual(sorted(row["message"] for row in rows), sorted(messages))
            self.assertEqual({row["_time"] for row in rows},
                             {"2023-10-10T13:55:36.123Z", "2023-10-10T13:55:38.123Z"})
        (self.directory / "app.log").write_text(text)
        self.assertEqual(self.out("query", "app | count", "--file", "app.log", "--multiline"),
                         '{"Count":6}\n')
        _, errors = self.evq("ingest", "lines", "-o", "text", "app.log")
        self.assertIn("--multiline makes one event", errors)
        _, errors = self.evq("ingest", "lines", "--multiline", "--format", "csv", "app.log", status=2)
        self.assertIn("goes with --format text alone", errors)

    def test_lines_of_other_formats_are_not_put_together(self):
        note = "so that --multiline means nothing; --format text takes it as such"
        for name, text in (("a.json", '{"n":3}\n{"n":4}\n'), ("b.txt", "n=3 b=x\nn=4 b=y\n"),
                           ("c.txt", "n,b\n3,x\n4,y\n"), ("d.csv", "n,b\n3,x\n  4,y\n"),
                           ("e.txt", 'web-1  | {"n":3}\nweb-1  | {"n":4}\n')):
            with self.subTest(name):
                (self.directory / name).write_text(text)
                _, errors = self.evq("ingest", name[0], "--multiline", name)
                self.assertIn(note, errors)
                self.assertEqual(self.rows(f"{name[0]} | project n | sort by n asc"), [{"n": 3}, {"n": 4}])
                out, errors = self.evq("query", "--file", name, "--multiline", "| project n | sort by n asc")
                self.assertEqual(out, '{"n":3}\n{"n":4}\n')
                self.assertIn(note, errors)
                self.evq("ingest", name[0] + "t", "--multiline", "--format", "text", name)
                self.assertEqual(self.rows(f"{name[0]}t | where message contains '3' | count"), [{"Count": 1}])
        # What seems to be CSV is a log where its lines go on.
        (self.directory / "f.log").write_text("job a,b\n  at x,y\njob c,d\n  at x,y\n")
        _, errors = self.evq("ingest", "f", "--multiline", "f.log")
        self.assertNotIn("--multiline", errors)
        self.assertEqual(self.rows("f | count"), [{"Count": 2}])

    def test_an_entry_of_a_pipe_ends_when_no_line_comes(self):
        self.evq("dataset", "create", "d")
        process = self.start("ingest", "d", "--multiline", stdin=subprocess.PIPE)
        process.stdin.write("".join(self.TRACE.splitlines(True)[:3]))
        process.stdin.flush()
        wait_until(lambda: '"n":1' in self.out("query", "d | summarize n = count()"))
        self.assertIn("at x.App", self.out("query", "d"))
        process.stdin.write("\tat y\n")
        process.stdin.close()
        self.assertEqual(process.wait(timeout=30), 0)
        self.assertIn('"Count":2', self.out("query", "d | count"))

    def test_a_line_goes_to_a_server_with_its_fields(self):
        url, token, _ = self.serve()
        self.evq("--server", url, "--token", token, "ingest", "there", input=self.ACCESS)
        self.load(self.ACCESS, dataset="here")
        query = " | sort by _time asc | project-away _sysTime"
        self.assertEqual(self.rows("there" + query), self.rows("here" + query))
        self.assertEqual(self.out("dataset", "fields", "there"), self.out("dataset", "fields", "here"))

    def test_records_in_an_object_are_events(self):
        records = [{"i": i, "eventTime": "2024-05-01T00:00:00Z"} for i in range(3)]
        whole = json.dumps({"Records": records})
        for name, text, count in (
                ("line", whole, 3), ("lines", whole + "\n" + whole + "\n", 6),
                ("pretty", json.dumps({"records": records}, indent=2), 3),
                ("mixed", whole + '\n{"i":3}\n' + whole, 7)):
            with self.subTest(name):
                report, _ = self.load(text, "--timestamp-field", "eventTime", dataset=name)
                self.assertEqual((report["ingested"], report["failed"]), (count, 0))
                self.assertEqual(self.rows(f"{name} | where i == 2 | take 1 | project i, _time"),
                                 [{"i": 2, "_time": "2024-05-01T00:00:00Z"}])
        self.load(whole, "--format", "json", dataset="one")
        self.assertEqual(self.rows("one | project n = array_length(Records)"), [{"n": 3}])
        report, _ = self.load(whole[:-1] + ',"MillisBehindLatest":0}', dataset="more")
        self.assertEqual((report["ingested"], report["failed"]), (3, 0))
        _, errors = self.evq("ingest", "more", input=whole[:-1] + '"next":"x"}', status=4)
        self.assertIn("expected ',' or '}' after the array of records", errors)
        _, errors = self.evq("ingest", "cut", input=whole[:-1], status=4)
        self.assertIn("is not closed", errors)

    def test_csv_behind_a_byte_order_mark_is_no_plain_text(self):
        _, errors = self.evq("ingest", "d", "-o", "text", input='\ufeff"a";"b"\r\n"1";"2"\r\n')
        self.assertEqual(errors, "")

    def test_utf16_is_read_as_what_it_says(self):
        for name, text in (("csv", "\ufeffname,n\r\nÖ,1\r\n"), ("json", '\ufeff{"name":"Ö","n":1}\r\n')):
            for encoding in ("utf-16-le", "utf-16-be"):
                self.load(text.encode(encoding), dataset=name)
            self.assertEqual(self.rows(f"{name} | project name, n"), [{"name": "Ö", "n": 1}] * 2)
        packed = gzip.compress("\ufeffa;b\n1;2\n".encode("utf-16-le"))
        _, errors = self.evq("ingest", "packed", "-o", "text", input=packed)
        self.assertEqual(errors, "")
        self.assertEqual(self.rows("packed | project a, b"), [{"a": 1, "b": 2}])

    def test_kernel_and_other_logs_are_plain_text(self):
        for name, text in (
                ("dmesg", "[    0.000000] Linux version 6.1.0\n[    1.234567] usb 1-1: new\n"),
                ("klog", "I1010 13:55:36.123456       1 main.go:42] Starting\nE1010 13:55:37 1 x] y\n"),
                ("notes", "# What was seen:\n#Fields of rye and wheat\n")):
            with self.subTest(name):
                report, _ = self.load(text, dataset=name)
                self.assertEqual((report["ingested"], report["failed"]), (2, 0))
                self.assertEqual([row["message"] for row in self.rows(f"{name} | sort by message asc")],
                                 sorted(text.splitlines()))

    def test_plain_text_is_told(self):
        for text, told in ((self.ACCESS, "and of its first line client, user, method, path, protocol"),
                           ("one two\n", "which parse takes apart"), (self.LOGFMT, ""),
                           ("a,b\n1,2\n", ""), ('{"a":1}\n', "")):
            _, errors = self.evq("ingest", "d", "-o", "text", input=text)
            self.assertEqual("stdin is plain text" in errors, told != "", errors)
            self.assertIn(told, errors)
            self.assertEqual(self.evq("ingest", "d", "-o", "json", input=text)[1], errors)
            self.assertEqual(self.evq("-q", "ingest", "d", input=text)[1], "")

    def test_logfmt_comes_back(self):
        self.load('{"a":1,"b":"x y","c":true,"d":2.5,"e":"","f":"q\\"uo\\nte"}\n', dataset="one")
        self.load(self.out("query", "one", "-o", "logfmt"), dataset="two")
        self.assertEqual(self.rows("two", drop=("_sysTime", "_user_sysTime")), self.rows("one"))

    def test_logfmt_goes_to_a_server_as_it_is_stored_here(self):
        url, token, _ = self.serve()
        self.evq("--server", url, "--token", token, "ingest", "there", input=self.LOGFMT)
        self.load(self.LOGFMT, dataset="here")
        query = " | sort by _time asc | where isnull(message) | project-away _sysTime"
        self.assertEqual(self.rows("there" + query), self.rows("here" + query))
        self.assertEqual(self.out("dataset", "fields", "there"), self.out("dataset", "fields", "here"))

    def test_a_w3c_log_goes_to_a_server_as_it_is_stored_here(self):
        log = ("#Software: X\n#Fields: date time cs-uri-stem sc-status time-taken cs-id\n"
               "2024-05-01 00:00:01 /a 200 0.5 9007199254740993\n"
               "2024-05-01 00:00:02 /b - 2 0.5\n"  # no real is that id: the column is text
               "#Fields: date time s-ip\n2024-05-01 00:00:03 10.0.0.1\n")
        url, token, _ = self.serve()
        self.evq("--server", url, "--token", token, "ingest", "there", input=log)
        self.load(log, dataset="here")
        query = " | sort by _time asc | project-away _sysTime"
        self.assertEqual(self.rows("there" + query), self.rows("here" + query))
        self.assertEqual(self.rows("here | summarize sum(['sc-status']), count()"),
                         [{"sum_sc-status": 200, "count_": 3}])
        self.assertEqual(self.out("dataset", "fields", "there"), self.out("dataset", "fields", "here"))

    def test_packed_files_are_named_for_what_they_are(self):
        _, errors = self.evq("ingest", "d", input=bz2.compress(b'{"a":1}\n'), status=4)
        self.assertEqual(errors, "error: stdin: this is compressed by bzip2; unpack it first: "
                         "bunzip2 -c\n")

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_rejects_that_cannot_be_kept_are_told(self):
        out, errors = self.evq("ingest", "d", "--reject-file", "/dev/full",
                               input='{"a":1}\nbad\n{"a":2}\n', status=5)
        self.assertEqual(json.loads(out)["ingested"], 2)
        self.assertIn("No space left on device", errors)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_report_that_cannot_be_written_is_told(self):
        for form in ("json", "text"):
            with self.subTest(form), open("/dev/full", "w") as full:
                done = subprocess.run([EVQ, "ingest", form, "-o", form], env=self.environment,
                                      input='{"a":1}\n{"a":2}\n', stdout=full,
                                      stderr=subprocess.PIPE, text=True)
                self.assertEqual((done.returncode, done.stderr), (
                    5, "error: cannot write standard output: No space left on device\n"
                    "  = 2 events are stored; only the report of it is lost\n"))
                self.assertEqual(self.out("query", form + " | count"), '{"Count":2}\n')

    def test_tsv_is_a_format(self):
        self.load("a\tb,c\n1\tx,y\n", "--format", "tsv")
        self.assertEqual([{k: v for k, v in row.items() if k != "_time"} for row in self.rows()],
                         [{"a": 1, "b,c": "x,y"}])

    def test_rejects_do_not_mix_with_the_report(self):
        _, errors = self.evq("ingest", "d", "--reject-file", "-", input="bad\n", status=2)
        self.assertEqual(errors, "error: --reject-file - would mix lines with the report\n"
                         "  = name a file, or /dev/stderr\n")
        self.assertFalse((self.directory / "-").exists())

    def test_an_input_is_not_overwritten_by_its_rejects(self):
        events = self.directory / "events.json"
        events.write_text('{"a":1}\n')
        (self.directory / "link.json").symlink_to(events)
        for rejects in ("events.json", "./events.json", "link.json"):
            _, errors = self.evq("ingest", "d", "events.json", "--reject-file", rejects, status=2)
            self.assertIn("--reject-file names the input events.json", errors)
        self.assertEqual(events.read_text(), '{"a":1}\n')
        self.evq("ingest", "d", "events.json", "--reject-file", "new.json")

    def test_strict_and_max_errors(self):
        report, _ = self.load('{"a":1}\nbad\n', "--strict", status=4)
        self.assertEqual((report["ingested"], report["failed"]), (1, 1))
        self.load('{"a":1}\n', "--strict")
        text = '{"a":1}\nbad\nbad\nbad\n{"a":2}\n'
        out, errors = self.evq("ingest", "few", "--max-errors", "2", input=text, status=4)
        self.assertTrue(errors.endswith("error: stdin: too many events failed: 3, the first in line 2, column 1: "
                                        "expected an object\n  = no event is stored\n"), errors)
        report = json.loads(out)
        self.assertEqual((report["ingested"], report["failed"], len(report["failures"])), (0, 3, 3))
        report, _ = self.load(text, "--max-errors", "3", dataset="enough")
        self.assertEqual((report["ingested"], report["failed"]), (2, 3))

    def test_report_for_people(self):
        out = self.out("ingest", "d", "-o", "text", input='{"a":1}\n' * 1234)
        self.assertEqual(out, "ingested 1,234, failed 0\n")

    def test_lines_show_while_the_pipe_is_open(self):
        self.evq("dataset", "create", "d")
        process = self.start("ingest", "d", stdin=subprocess.PIPE)
        process.stdin.write('{"a":1}\n')
        process.stdin.flush()
        wait_until(lambda: '"numEvents":1,' in self.out("dataset", "list", "-o", "json").replace(" ", ""),
                   told="the first event has not shown")
        process.stdin.write('{"a":2}\n')
        process.stdin.close()
        self.assertEqual(process.wait(), 0)
        self.assertEqual(self.rows("d | count"), [{"Count": 2}])


if __name__ == "__main__":
    main()
