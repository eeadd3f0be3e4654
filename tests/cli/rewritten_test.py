"""evq ingest of files that are no events yet: what OpenTelemetry's collector wrote, and a journal's
export."""

import json
import os
import subprocess
import zlib

from evq_case import EVQ, EvqCase, main
from sanitizer import sanitizer_runtime

SANITIZED = sanitizer_runtime(EVQ) is not None


class Rewritten(EvqCase):
    def load(self, text, dataset="d"):
        """The report of a load from standard input, and stderr."""
        out, errors = self.evq("ingest", dataset, input=text)
        return json.loads(out), errors

    def rows(self, query="d", drop=("_sysTime",)):
        rows = json.loads(self.out("query", query, "-o", "json"))
        return [{k: v for k, v in row.items() if k not in drop and v is not None} for row in rows]

    def test_lines_of_a_collector_are_the_records_in_them(self):
        value = {"key": "a", "value": {"intValue": "1"}}
        custom = {"key": "my.own", "value": {"stringValue": "x"}}
        logs = {"resourceLogs": [{"resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "shop"}}]}, "scopeLogs": [{"logRecords": [
                {"timeUnixNano": f"171455763{i}000000000", "severityText": "INFO",
                 "body": {"stringValue": f"m{i}"}, "attributes": [value, custom]}
                for i in range(2)]}]}]}
        spans = {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"name": "GET", "startTimeUnixNano": "1714557640000000000",
             "endTimeUnixNano": "1714557642500000000"}]}]}]}
        text = json.dumps(logs) + "\n" + json.dumps(spans) + "\n" + '{"resourceLogs":1}\n' + "\n"
        report, errors = self.load(text)
        self.assertEqual((report["ingested"], report["failed"], errors), (4, 0, ""))
        rows = self.rows("d | where isnull(resourceLogs) | sort by _time asc | project _time, body, "
                         "name, duration, ['service.name'], ['attributes.custom']['my.own']")
        self.assertEqual([row["_time"] for row in rows],
                         ["2024-05-01T10:00:30Z", "2024-05-01T10:00:31Z", "2024-05-01T10:00:40Z"])
        self.assertEqual([row.get("body") for row in rows], ["m0", "m1", None])
        self.assertEqual(rows[2]["duration"], "2.5s")
        self.assertEqual(rows[0]["service.name"], "shop")
        self.assertIn("x", rows[0].values())
        # A number is no timespan where no collector wrote it.
        self.load('{"duration":5,"resourceLogs":[]}\n', dataset="other")
        self.assertEqual(self.rows("other | project duration + 1"), [{"Column1": 6}])

    def test_what_a_collector_wrote_has_the_same_types_on_a_server(self):
        attributes = [{"key": "my.own", "value": {"stringValue": "x"}}]
        log = {"resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"timeUnixNano": "1714557630000000000", "attributes": attributes}]}]}]}
        span = {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"name": "GET", "attributes": attributes, "startTimeUnixNano": "1714557640000000000",
             "endTimeUnixNano": "1714557642500000000"}]}]}]}
        (self.directory / "c.json").write_text(json.dumps(log) + "\n" + json.dumps(span) + "\n")
        url, token, _ = self.serve()
        self.evq("ingest", "here", "c.json")
        self.evq("--server", url, "--token", token, "ingest", "there", "c.json")
        here, there = (self.rows(f"{dataset} | getschema | sort by ColumnName asc | "
                                 "project ColumnName, ColumnType") for dataset in ("here", "there"))
        self.assertEqual(here, there)
        types = {row["ColumnName"]: row["ColumnType"] for row in there}
        self.assertEqual((types["duration"], types["attributes.custom"]), ("timespan", "dynamic"))

    def test_reals_that_a_collector_wrote_are_reals(self):
        values = ("3", "-2.0", '"2.5"', "1e300")
        lines = ['{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"17145576%d000000000","body":{"doubleValue":%s},'
                 '"attributes":[{"key":"own","value":{"arrayValue":{"values":[{"doubleValue":%s}]}}}]}]}]}]}'
                 % (30 + n, value, value) for n, value in enumerate(values)]
        lines.append(lines[0].replace('"doubleValue":3', '"doubleValue":"NaN"'))
        (self.directory / "c.json").write_text("\n".join(lines) + "\n")
        self.evq("ingest", "reals", "c.json")
        apl = ("| summarize by b = gettype(body), o = gettype(['attributes.custom']['own'][0]), h = body / 2 "
               "| sort by h asc nulls last")
        wanted = [{"b": "real", "o": "real", "h": h} for h in (-1.0, 1.25, 1.5, 5e299)] + [{"b": "null", "o": "null", "h": None}]
        for words in (("query", "reals " + apl), ("query", "--file", "c.json", apl)):
            self.assertEqual(json.loads(self.out(*words, "-o", "json")), wanted, words)

    def test_ids_that_are_none_leave_a_line_as_it_is(self):
        span = '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"%s","name":"s","startTimeUnixNano":"1714557630000000000"}]}]}]}\n'
        self.load(span % "5B8EFFF798038103d269b633813fc60c" + span % "W47/95gDgQPSabYzgT/GDA==", dataset="ids")
        self.assertEqual(self.rows("ids | where isnotnull(trace_id) | project trace_id"),
                         [{"trace_id": "5b8efff798038103d269b633813fc60c"}])
        self.assertEqual(self.rows("ids | where isnotnull(resourceSpans) | count"), [{"Count": 1}])

    def test_lines_behind_the_names_of_containers(self):
        report, errors = self.load(
            'web-1  | {"level":"info","n":1}\n'
            'web-1  | {}\n'
            'db-1   | t=2024-05-01T10:20:30Z lvl=warn msg="two words"\n'
            '\n'
            'web-1  | {"container":"own","n":2}\n'
            'db-1   | 2024-05-01T10:20:31Z it says "more"\n'
            'db-1   |     {indented} \n'
            'db-1   | \n'
            'db-1 exited with code 0\n')
        self.assertEqual((report["ingested"], report["failed"], errors), (7, 0, ""))
        self.assertEqual(self.rows("d | where message has 'indented' | project container, message"),
                         [{"container": "db-1", "message": "    {indented} "}])
        self.assertEqual(self.rows("d | where container == 'web-1' and n == 1 | project level"), [{"level": "info"}])
        self.assertEqual(self.rows("d | where container == 'web-1' | count"), [{"Count": 2}])
        self.assertEqual(self.rows("d | where container == 'own' | project n"), [{"n": 2}])
        self.assertEqual(self.rows("d | where container == 'db-1' and _time < now(-1d) | sort by _time asc | "
                                   "project _time, msg, message"),
                         [{"_time": "2024-05-01T10:20:30Z", "msg": "two words"},
                          {"_time": "2024-05-01T10:20:31Z", "message": '2024-05-01T10:20:31Z it says "more"'}])
        self.assertEqual(self.rows("d | where message startswith 'db-1 exited' and isempty(container) | count"),
                         [{"Count": 1}])
        report, errors = self.load('\ufeffweb-1 | {"n":1}\nweb-1 | {"n":2}\n', dataset="marked")
        self.assertEqual(self.rows("marked | summarize count() by container"), [{"container": "web-1", "count_": 2}])
        # Lines of plain text keep it, and so do tables.
        for text, query, wanted in (
                ("web-1  | it began\nweb-1  | it ended\n", "where message startswith 'web-1  | it'", 2),
                (" id | data\n----+------\n 1 | {}\n", "where isnotempty(container)", 0),
                ('a | {"b":1}\nb\n', "where isnotempty(message)", 2)):
            with self.subTest(text):
                dataset = "t" + str(len(text))
                self.load(text, dataset=dataset)
                self.assertEqual(self.rows(f"{dataset} | extend container = column_ifexists('container', '') | "
                                           f"{query} | count"), [{"Count": wanted}])

    def test_lines_that_a_containers_runtime_took_apart(self):
        text = '2024-05-01T10:20:31.1Z stdout P {"level":"war\n' \
               "2024-05-01T10:20:31.15Z stderr P what \n" \
               '2024-05-01T10:20:31.2Z stdout F n"}\n' \
               "2024-05-01T10:20:31.3Z stdout F whole\n" \
               "2024-05-01T10:20:31.4Z stderr F it is\n" \
               "2024-05-01T10:20:31.5Z stdout P cut\n"
        (self.directory / "c.log").write_text(text)
        out, _ = self.evq("ingest", "c", "--multiline", "c.log")
        self.assertEqual(json.loads(out)["ingested"], 4)
        self.assertEqual(self.rows("c | sort by _time asc | project _time, stream, message"), [
            {"_time": "2024-05-01T10:20:31.1Z", "stream": "stdout",
             "message": '2024-05-01T10:20:31.1Z stdout F {"level":"warn"}'},
            {"_time": "2024-05-01T10:20:31.15Z", "stream": "stderr",
             "message": "2024-05-01T10:20:31.15Z stderr F what it is"},
            {"_time": "2024-05-01T10:20:31.3Z", "stream": "stdout", "message": "2024-05-01T10:20:31.3Z stdout F whole"},
            {"_time": "2024-05-01T10:20:31.5Z", "stream": "stdout", "message": "2024-05-01T10:20:31.5Z stdout F cut"}])
        self.evq("ingest", "apart", "c.log")
        self.assertEqual(self.rows("apart | count"), [{"Count": 6}])
        # No message grows without end.
        (self.directory / "long.log").write_text(
            ("2024-05-01T10:20:31Z stdout P " + "x" * 16000 + "\n") * 100 + "2024-05-01T10:20:32Z stdout F end\n")
        out, errors = self.evq("ingest", "long", "--multiline", "long.log")
        self.assertEqual((json.loads(out)["ingested"], json.loads(out)["failed"]), (2, 0), errors)

    def test_what_a_break_of_the_input_tears_is_told(self):
        log = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"timeUnixNano": "1714557630000000000", "body": {"stringValue": "m"}}] * 2}]}]}) + "\n"
        entry = "__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1714557600000001\nMESSAGE=m\n_PID=1\n\n"
        for name, text, cut, stored, line in (
                ("collector", log * 3, 9, 4, 5), ("journal", entry * 3, 9, 2, 3),
                ("journal-field", entry * 3, 1, 2, 3), ("journal-begun", entry * 3, 70, 2, 3),
                ("short", '[{"a":1},{"a":2},{"a"', 0, 2, 1), ("nothing", "", 0, 0, 0)):
            with self.subTest(name):
                packer = zlib.compressobj(wbits=31)
                (self.directory / "cut.gz").write_bytes(
                    packer.compress(text[:len(text) - cut].encode()) +
                    packer.flush(zlib.Z_SYNC_FLUSH))
                out, errors = self.evq("ingest", name, "cut.gz", status=4)
                report = json.loads(out)
                self.assertEqual((report["ingested"], report["failed"]), (stored, 1 if line else 0))
                if line:
                    self.assertIn(f"cut.gz:{line}:", errors)
                self.assertRegex(errors, "the compressed data ends too early\n"
                                 "(  = load only what comes behind the first [0-9]+ events?, "
                                 "which (is|are) stored\n)?$")

    def test_a_long_line_of_a_collector_takes_little_memory_and_has_a_limit(self):
        limit = 16 << 20
        record = '{"timeUnixNano":"1714557630000000000","body":{"stringValue":"a message"}}'
        head, tail = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[', "]}]}]}\n"
        count = (limit - len(head) - len(tail)) // (len(record) + 1)
        for padding, ingested in ((0, count), (1, 0)):
            line = head + ",".join([record] * count) + tail
            line = line[:-1] + " " * (limit - len(line) + padding) + "\n"
            self.assertEqual(len(line), limit + padding)
            (self.directory / "long").write_text(line)
            with subprocess.Popen([EVQ, "ingest", "long", "long"], env=self.environment,
                                  cwd=self.directory, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True) as process:
                report = json.loads(process.stdout.read())
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
            self.assertEqual(report["ingested"], ingested, report)
            if not SANITIZED:
                self.assertLess(usage.ru_maxrss, 256 << 10)

    def test_an_export_of_a_journal_is_its_entries(self):
        entry = (b"__CURSOR=s=1;i=2\n__REALTIME_TIMESTAMP=1714557600000001\nPRIORITY=6\n"
                 b"MESSAGE\n" + (9).to_bytes(8, "little") + b"two\nlines\n_PID=1\n\n")
        journal = self.directory / "journal"
        journal.write_bytes(b"\n" * 0 + entry + entry.replace(b"001\n", b"002\n") * 5000 + entry[:-1])
        report = json.loads(self.out("ingest", "d", journal))
        self.assertEqual((report["ingested"], report["failed"]), (5002, 0))
        self.assertEqual(self.rows("d | summarize count() by MESSAGE, PRIORITY, _PID, _time"),
                         [{"MESSAGE": "two\nlines", "PRIORITY": "6", "_PID": "1",
                           "_time": "2024-05-01T10:00:00.000001Z", "count_": 2},
                          {"MESSAGE": "two\nlines", "PRIORITY": "6", "_PID": "1",
                           "_time": "2024-05-01T10:00:00.000002Z", "count_": 5000}])
        out = self.out("query", "--file", journal, "journal | count")
        self.assertEqual(json.loads(out), {"Count": 5002})

    def test_an_entry_of_a_journal_whose_time_is_none_has_that_of_reading(self):
        times = ("9223372036854775807", "9223372036854776", "-9223372036854776", "12x", "", "soon",
                 "9223372036854775", "-1")
        journal = "".join(f"__CURSOR=s={i}\n__REALTIME_TIMESTAMP={time}\n\n" for i, time in enumerate(times))
        report, _ = self.load(journal)
        self.assertEqual((report["ingested"], report["failed"]), (len(times), 0))
        self.assertEqual(self.rows("d | where _time > ago(1h) and _time < now(1h) | summarize s = make_set(__CURSOR)"),
                         [{"s": [f"s={i}" for i in range(6)]}])
        self.assertEqual(self.rows("d | where __CURSOR in ('s=6', 's=7') | sort by _time asc | project _time"),
                         [{"_time": "1969-12-31T23:59:59.999999Z"}, {"_time": "2262-04-11T23:47:16.854775Z"}])

    def test_a_long_field_of_a_journal_is_told(self):
        limit = 1 << 20  # of a field's value
        def entry(number, dump, line):
            return (b"__CURSOR=s=%d\n__REALTIME_TIMESTAMP=171455760000000%d\n" % (number, number) +
                    b"COREDUMP\n" + dump.to_bytes(8, "little") + b"\n" * dump + b"\n" +
                    b"LINE=" + b"x" * line + b"\nMESSAGE=end\n\n")
        (self.directory / "journal").write_bytes(
            entry(1, 10, 10) + entry(2, limit + 1, 10) + entry(3, limit, limit) + entry(4, 10, limit + 1) +
            entry(5, 3 * limit, 3 * limit) + b"n" * 3 * limit + b"\n\n" + b"n" * 2 * limit + b"=1\nA=1\n\n" +
            entry(6, 10, 10)[:-1])
        report = json.loads(self.evq("ingest", "d", self.directory / "journal")[0])
        self.assertEqual((report["ingested"], report["failed"]), (3, 5))
        refused = ("COREDUMP", "LINE", "COREDUMP", "field name is longer", "field name is longer")
        for failure, field in zip(report["failures"], refused, strict=True):
            self.assertIn(field, failure["error"])
        self.assertEqual(self.rows("d | sort by _time asc | project __CURSOR, MESSAGE, strlen(COREDUMP), strlen(LINE)"),
                         [{"__CURSOR": f"s={i}", "MESSAGE": "end", "Column1": size, "Column2": size}
                          for i, size in ((1, 10), (3, limit), (6, 10))])


if __name__ == "__main__":
    main()
