"""evq ingest --follow: a file has the events that it has where it is loaded whole, or is refused."""

import json
import signal
import time

from evq_case import EvqCase, main


def collected():
    """What a collector wrote: two requests of two records each, and one of a span."""
    logs = [{"resourceLogs": [{"scopeLogs": [{"logRecords": [
        {"timeUnixNano": f"171455763{i}000000000", "body": {"stringValue": f"m{i}{j}"},
         "attributes": [{"key": "my.own", "value": {"stringValue": "x"}}]} for j in range(2)]}]}]}
        for i in range(2)]
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [
        {"name": "GET", "startTimeUnixNano": "1714557640000000000",
         "endTimeUnixNano": "1714557642500000000"}]}]}]}
    return "".join(json.dumps(line) + "\n" for line in (*logs, spans)).encode()


class FollowForm(EvqCase):
    target = ()

    def setUp(self):
        super().setUp()
        self.file = self.directory / "app.log"

    def follow(self, dataset, *options):
        return self.start(*self.target, "ingest", dataset, "--follow", self.file, *options)

    def rows(self, dataset):
        """The events without the times of their receipt, in any order."""
        out = self.out("query", f"{dataset} | project-away _time, _sysTime", "-o", "ndjson")
        return sorted(json.dumps({k: v for k, v in json.loads(line).items() if v is not None}, sort_keys=True)
                      for line in out.splitlines())

    def wait_for(self, dataset, count):
        deadline = time.monotonic() + 60
        while len(self.rows(dataset)) < count and time.monotonic() < deadline:
            time.sleep(0.05)
        return self.rows(dataset)

    def check_same(self, dataset, content, count, *options):
        """Follows half of the lines, then the others by a run of its own after a kill, which a server may make repeat
        some."""
        self.file.write_bytes(content)
        self.evq("ingest", dataset + "-whole", self.file, *options)
        whole = self.rows(f"['{dataset}-whole']")
        self.assertEqual(len(whole), count)
        lines = content.splitlines(keepends=True)
        begin = b"".join(lines[:(len(lines) + 1) // 2])
        self.evq("dataset", "create", dataset)
        self.file.write_bytes(begin)
        process = self.follow(dataset, *options)
        self.wait_for(f"['{dataset}']", 1)
        process.send_signal(signal.SIGINT if self.target else signal.SIGKILL)
        process.wait()
        process = self.follow(dataset, *options)
        with open(self.file, "ab") as file:
            file.write(content[len(begin):])
        self.assertEqual(self.wait_for(f"['{dataset}']", count), whole, dataset)
        self.interrupt(process)

    def test_the_events_are_those_of_the_whole_file(self):
        mark = b"\xef\xbb\xbf"
        for dataset, content, count in (
                ("marked", mark + b'{"a":1}\n{"a":2}\n', 2),
                ("pairs", mark + b"a=1 b=x\na=2 b=y\n", 2),
                ("w3c", mark + b"#Fields: date time cs-uri\n2024-05-01 10:20:30 /a\n"
                               b"2024-05-01 10:20:31 /b\n2024-05-01 10:20:32 /c\n", 3),
                ("text", mark + b"10 sparrows sat there\nand one flew off\n", 2),
                ("sequence", b'\x1e{"a":1}\n\x1e{"a":2}\n', 2),
                ("commas", b'{"a":1},\n{"a":2},\n', 2),
                ("several", b'{"a":1}{"a":2}\n{"a":3}\n', 3),
                ("blank", b'\n{"a":1}\n{"a":2}\n', 2),
                ("brackets", b"[] a\n[null] b\n[true] c\n", 3),
                ("threads", b"[[ACTIVE] one] a\n[[ACTIVE] two] b\n", 2),
                ("braces", b"{main} is here\n{main} is gone\n", 2),
                ("collected", collected(), 5),
                ("marked-collected", mark + collected(), 5),
                ("marked-containers", mark + b'web-1  | {"a":1}\ndb-1   | {"a":2}\nweb-1  | {"a":3}\n', 3),
                ("marked-pairs-of-containers", mark + b"web-1  | a=1 b=x\nweb-1  | a=2 b=y\n", 2),
                ("marked-runtime", mark + b'2024-05-01T10:00:00Z stdout F {"a":1}\n'
                                          b'2024-05-01T10:00:01Z stderr F a word\n', 2),
                ("marked-journal", mark + b'{"__CURSOR":"s=1","MESSAGE":"a"}\n{"__CURSOR":"s=2","MESSAGE":"b"}\n', 2)):
            self.check_same(dataset, content, count)

    def test_parts_behind_a_mark_are_joined(self):
        """The parts of a line, the first of which has the file's byte order mark before it."""
        content = (b"\xef\xbb\xbf2024-05-01T10:00:00Z stdout P begins \n2024-05-01T10:00:01Z stdout F ends\n"
                   b"2024-05-01T10:00:02Z stdout F another\n2024-05-01T10:00:03Z stdout F last\n")
        self.check_same("parts", content, 3, "--multiline")

    def test_so_they_are_on_a_server(self):
        url, token, _ = self.serve()
        self.target = ("--server", url, "--token", token)
        for dataset, content, count in (
                ("marked", b'\xef\xbb\xbf{"a":1}\n{"a":2}\n', 2),
                ("commas", b'{"a":1},\n{"a":2},\n', 2),
                ("several", b'{"a":1}{"a":2}\n{"a":3}\n', 3),
                ("collected", collected(), 5),
                ("marked-collected", b"\xef\xbb\xbf" + collected(), 5)):
            self.check_same(dataset, content, count)

    def test_the_place_of_a_line_behind_a_request_is_told(self):
        log = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "m"}}] * 3}]}]}
        line = json.dumps(log) + "\n"
        self.evq("dataset", "create", "app")
        self.file.write_text(line + "no request\n" + line)
        process = self.follow("app")
        self.assertEqual(len(self.wait_for("app", 6)), 6)
        self.interrupt(process)
        self.assertIn(f"{self.file}: byte {len(line)}: ", process.stderr.read())

    def test_an_object_that_does_not_end_in_its_line_is_waited_for(self):
        self.evq("dataset", "create", "app")
        self.file.write_text('{"a":1,"b":"torn\n')
        process = self.follow("app")
        time.sleep(0.5)
        with open(self.file, "a") as file:
            file.write('{"a":2}\n')
        self.assertEqual(self.wait_for("app", 1), ['{"a": 2}'])
        self.interrupt(process)
        self.assertIn(": byte 0: ", process.stderr.read())

    def test_entries_of_several_lines_may_begin_as_cells_do(self):
        self.evq("dataset", "create", "app")
        self.file.write_text("svc,started\n  at x\nsvc,stopped\n  at y\n")
        process = self.follow("app", "--multiline")
        # The last entry may have more lines.
        self.assertEqual(self.wait_for("app", 1)[:1], ['{"message": "svc,started\\n  at x"}'])
        self.interrupt(process)

    def test_what_is_not_a_line_each_is_refused(self):
        whole = "; without --follow, evq ingest reads it to its end"
        for content, told in (
                ('{"Records":[{"a":1},{"a":2}]}\n{"Records":[{"a":3}]}\n',
                 "seems to be JSON whose values are not a line each" + whole),
                ('[{"a":1},\n{"a":2}]\n', "seems to be JSON whose values are not a line each" + whole),
                ('{\n  "a": 1\n}\n', "seems to be JSON whose values are not a line each" + whole),
                ('["ts","a"]\n["2024-05-01T10:20:30Z",1]\n',
                 "seems to be JSON arrays under a line of names" + whole),
                ("__CURSOR=s=1\n__REALTIME_TIMESTAMP=1714557600000000\nMESSAGE=hi\n\n",
                 "seems to be a journal's export, whose entries are several lines; journalctl -f -o json, "
                 "piped into evq ingest, goes on with a journal"),
                ("2024-05-01\tx\t1\n2024-05-02\ty\t2\n",
                 "seems to be CSV without a header line; --csv-fields names its columns"),
                ("id,name\n1,x\n", "seems to be CSV with a header line; --format text makes an event of each line")):
            for mark in ("", "\ufeff"):
                self.file.write_text(mark + content)
                process = self.follow("app")
                self.assertEqual(process.wait(timeout=30), 2, content)
                self.assertEqual(process.stderr.read(),
                                 "ingested 0, failed 0\n"
                                 "error: --follow reads NDJSON, lines of a log, or CSV with --csv-fields\n"
                                 f"  = {self.file} {told}\n")
        self.file.write_text("2024-05-01\tx\t1\n2024-05-02\ty\t2\n")
        self.evq("dataset", "create", "named")
        process = self.follow("named", "--csv-fields", "day,b,c")
        self.assertEqual(len(self.wait_for("named", 2)), 2)
        self.interrupt(process)


if __name__ == "__main__":
    main()
