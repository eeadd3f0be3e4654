#!/usr/bin/env python3
"""What `evq ingest` tells people about inputs that are not quite what they seem."""

import gzip
import os
import pty
import re

from evq_case import LoadCase, main


class IngestNotes(LoadCase):
    def test_text_of_another_encoding(self):
        text = "name,n\nMáo,1\n".encode("cp1252")
        (self.directory / "names.csv").write_bytes(text)
        note = "note: %s is not all UTF-8; if it is of another encoding, such as Windows-1252: " \
               "%siconv -f WINDOWS-1252 -t UTF-8%s | evq ingest d\n"
        piped = note % ("stdin", "… | ", "")
        for words, given, told in ((("names.csv",), None, note % ("names.csv", "", " names.csv")),
                                   ((), text, piped), (("-o", "json"), text, ""),
                                   ((), text.decode("cp1252"), "")):
            _, errors = self.evq("ingest", "d", *words, *(() if words == ("-o", "json") else ("-o", "text")),
                                 input=given)
            self.assertEqual("".join(re.findall("(?m)^note: .*\n", errors)), told)

    def test_lines_with_more_cells_than_there_are_names(self):
        text = '"Level","Date and Time"\nInfo,11/30/2026 10:15:32 AM,"on\n\nagain"\nInfo,11/30/2026 1:15:33 PM,off\n'
        (self.directory / "win.csv").write_text(text)
        note = "note: win.csv has more cells in its lines than names in the first; to name all of them: " \
               "tail -n +2 win.csv | %s --csv-fields a,b,…\n"
        _, errors = self.evq("ingest", "d", "win.csv", "-o", "text")
        self.assertEqual(re.findall("(?m)^note: .*\n", errors), [note % "evq ingest d"])
        _, errors = self.evq("query", "--file", "win.csv", "| count")
        self.assertEqual(re.findall("(?m)^note: .*\n", errors), [note % "evq query --file -"])
        below = text.split("\n", 1)[1]
        self.assertEqual(self.load(below, "--csv-fields", "level,when,text")[0]["ingested"], 2)
        # Where some lines have names for all cells, it is these that have too many.
        _, errors = self.evq("ingest", "d", "-o", "text", input="a,b\n1,2\n3,4\n5,6,7\n")
        self.assertEqual(re.findall("(?m)^note: .*\n", errors), [])

    def test_the_layout_of_times_below_a_header_that_was_left_in(self):
        text = "When,Name\n20.11.2026 10:15,x\n21.11.2026 10:16,y\n"
        _, errors = self.evq("ingest", "d", "-o", "text", "--csv-fields", "time,name",
                             "--timestamp-field", "time", input=text)
        self.assertEqual(re.findall("(?m)^note: .*\n", errors),
                         ["note: stdin: --timestamp-format '2.1.2006 15:04' reads '20.11.2026 10:15'\n"])

    def test_text_of_four_bytes_a_character(self):
        (self.directory / "a.json").write_bytes('{"a":1}\n'.encode("utf-32"))
        _, errors = self.evq("ingest", "d", "a.json", status=4)
        self.assertIn("a.json: this is UTF-32 text; convert it first: iconv -f UTF-32 -t UTF-8\n", errors)

    def test_what_is_so_of_many_files_is_told_once(self):
        for i in range(4):
            (self.directory / f"{i}.json").write_text('{"timestamp":"2024-05-01T10:00:00Z"}\n')
        (self.directory / "other.csv").write_text("date,a\n2024-05-01,1\n")
        note = "note: %s: no event has the field _time, so _time is when it was read; " \
               "--timestamp-field %s takes it from there\n"
        files = ("0.json", "1.json", "other.csv", "2.json", "3.json")
        self.assertEqual(self.evq("ingest", "d", *files, "-o", "text")[1],
                         note % ("0.json", "timestamp") + note % ("other.csv", "date") +
                         "note: the same is true of 3 more files\n")
        self.assertEqual(self.evq("ingest", "d", *files[:2], "-o", "text")[1],
                         note % ("0.json", "timestamp") + "note: the same is true of 1 more file\n")
        # Also where the names are words of the note.
        for name in ("a", "plain", "e"):
            (self.directory / name).write_text("hello\n")
        self.assertEqual(self.evq("ingest", "d", "a", "plain", "e", "-o", "text")[1],
                         "note: a is plain text, a line an event: the field message, which parse takes apart "
                         "(evq help parse)\nnote: a: no line begins with a time that is known, so _time is when "
                         "it was read\nnote: the same is true of 2 more files\n")

    def test_a_column_of_numbers_stays_one_behind_its_first_look(self):
        rows = "".join(f"{i},{10000 + i % 80000 if i < 200000 else i % 99999:05},{i}\n" for i in range(250000))
        (self.directory / "big.csv").write_text("id,zip,v\n" + rows + "x,N/A,N/A\ny,1,-\n")
        notes = "note: big.csv: column id: 2 values are no number and stay text; the first at line 250002\n" \
                "note: big.csv: column zip: 9,999 values are no number and stay text; the first at line 200002\n" \
                "note: big.csv: column v: 2 values are no number and stay text; the first at line 250002\n"
        for words in (("-o", "text"), ()):
            self.assertEqual(self.evq("ingest", "d" + str(len(words)), "big.csv", *words)[1], notes)
        self.assertEqual(self.evq("query", "--file", "big.csv", "big | count", "-o", "csv"),
                         ("Count\n250002\n", notes))
        for query, answer in (
                ("summarize n = count() by t = gettype(v) | sort by t asc", "t,n\nlong,250000\nstring,2\n"),
                ("summarize avg(v)", "avg_v\n124999.5\n"), ("where v > 249990 | count", "Count\n9\n"),
                ("where zip == '00005' | count", "Count\n1\n")):
            self.assertEqual(self.out("query", "d0 | " + query, "-o", "csv"), answer)

    def test_notes_are_told_whatever_the_form_of_the_report(self):
        for name, text, told in (
                ("t.json", '{"ts":1714557600.5,"a":1}\n',
                 ": no event has the field _time, so _time is when it was read; --timestamp-field ts takes it "
                 "from there"),
                ("docker.json", '{"log":"a","stream":"stdout","time":"2024-05-01T10:00:00.5Z"}\n',
                 ": no event has the field _time, so _time is when it was read; --timestamp-field time takes it "
                 "from there"),
                ("logstash.json", '{"@timestamp":"2024-05-01T10:00:00Z","event":{"created":"2024-05-01"}}\n',
                 ": no event has the field _time, so _time is when it was read; --timestamp-field @timestamp "
                 "takes it from there"),
                ("trail.json", '{"Records":[{"eventVersion":"1.0","userIdentity":{"sessionContext":{"creationDate":'
                               '"2024-05-01T09:00:00Z"}},"eventTime":"2024-05-01T10:00:00Z"}]}',
                 ": no event has the field _time, so _time is when it was read; --timestamp-field eventTime "
                 "takes it from there"),
                ("p.log", "2024-05-01T10:00:00Z hello world\n",
                 " is plain text, a line an event: the field message, which parse takes apart (evq help parse)"),
                ("h.csv", "5,7,x\n6,8,y\n", ": the first line names the fields, "),
                ("e.csv", "5,7,2024-05-01\n6,8,2024-05-02\n",
                 ": the first line is an event, for it has the value '2024-05-01', and its columns are column1 "
                 "to column3; --csv-fields names them, --format csv takes their names from that line"),
                ("n.csv", "a,2024-05-01\nb,2024-05-02\n", ": the first line is an event, for it has the value "),
                ("l.json", '{"hits":[{"a":1},{"a":2}]}',
                 " is one event, with a list of objects in .hits; for an event each: jq -c '.hits[]' l.json | "
                 "evq ingest d")):
            (self.directory / name).write_text(text)
            with self.subTest(name):
                for words in ((), ("-o", "json"), ("-o", "text")):
                    self.assertIn(f"note: {name}{told}", self.evq("ingest", "d", name, *words)[1])
                self.assertEqual(self.evq("-q", "ingest", "d", name)[1], "")
                if "--timestamp-field" in told:
                    self.assertIn(f"note: {name}{told}", self.evq("query", "--file", name, "| take 1")[1])

    def test_lines_that_are_of_another_form_than_the_first(self):
        json_note = " has lines of JSON behind others; to make fields of them: %sgrep '^ *{'%s | evq ingest d"
        for text, hint in (('Server starts\n{"a":1}\n{"a":2}\n', json_note % ("… | ", "")),
                           ('\n> app@1.0.0 start\n> node x.js\n\n> more\n{"level":30,"time":1}\n', json_note % ("… | ", "")),
                           ('Server starts\n{"a":1}\n{"a":2}\nand\nstops\n', ""),
                           ('it goes on\n' * 11 + '{"a":1}\n', ""),
                           ("starting level=info a=1\nlevel=info msg=x\nlevel=warn msg=y\n",
                            " has mostly lines of pairs key=value, of which --format logfmt makes fields"),
                           ("Server starts\n{a}\none\ntwo\n", "")):
            with self.subTest(text):
                _, errors = self.evq("ingest", "d", input=text)
                self.assertIn("note: stdin is plain text, a line an event: the field message, which parse takes "
                              "apart (evq help parse)\n" + (f"note: stdin{hint}\n" if hint else "note: stdin: no "), errors)
        (self.directory / "npm.log").write_text('> app@1.0.0 start\n\n{"level":30}\n')
        self.assertIn(f"note: npm.log{json_note % ('', ' npm.log')}\n", self.evq("ingest", "d", "npm.log")[1])

    def test_names_of_containers_below_other_lines(self):
        note = "note: stdin has the names of containers before its lines, as Docker Compose puts them; to make fields " \
               "of what stands behind them: … | sed 's/^[^|]*| //' | evq ingest d\n"
        for text, told in (('Attaching to caddy\ncaddy  | {"level":"info","ts":1761019822.3}\ncaddy  | {"a":1}\n', True),
                           ("Attaching to web\nweb  | level=info msg=x\nweb  | level=info msg=y\n", True),
                           ('caddy  | {"level":"info"}\n', False),
                           ('web-1  | it began\nweb-1  | {"a":1}\nweb-1  | it went on\n', False)):
            with self.subTest(text):
                self.assertEqual(note in self.evq("ingest", "d", input=text)[1], told)

    def test_names_stand_in_commands_as_a_shell_takes_them(self):
        latin = "Máo\n".encode("cp1252")
        (self.directory / "it's.log").write_bytes(latin)
        (self.directory / "a b.log.gz").write_bytes(gzip.compress(latin))
        (self.directory / "a b.csv").write_text("Sales\n\nid,name\n1,x\n2,y\n")
        (self.directory / "a b.json").write_text('{"it\'s":[{"a":1}]}')
        for name, command in (
                ("it's.log", "iconv -f WINDOWS-1252 -t UTF-8 'it'\\''s.log' | evq ingest d\n"),
                ("a b.log.gz", "gzip -dc 'a b.log.gz' | iconv -f WINDOWS-1252 -t UTF-8 | evq ingest d\n"),
                ("a b.csv", "tail -n +3 'a b.csv' | evq ingest d\n"),
                ("a b.json", "jq -c '.\"it'\\''s\"[]' 'a b.json' | evq ingest d\n")):
            with self.subTest(name):
                _, errors = self.evq("ingest", "d", name, "-o", "text")
                self.assertIn(": " + command, errors)
        _, errors = self.evq("query", "['a b.csv']", status=3)
        self.assertIn("a file is queried with evq query --file 'a b.csv'\n", errors)

    def test_a_file_where_the_dataset_belongs(self):
        (self.directory / "app.ndjson").write_text('{"a":1}\n')
        note = "note: app.ndjson is taken for the name of a dataset; for the events of that file: " \
               "evq ingest DATASET app.ndjson\n"
        self.assertEqual(self.evq("ingest", "app.ndjson", input="")[1], note)
        self.assertEqual(self.evq("ingest", "app.ndjson", input='{"a":1}\n')[1], "")
        self.assertEqual(self.evq("ingest", "d", input="")[1], "")
        _, errors = self.evq("ingest", "app.ndjson", "app", status=1)
        self.assertEqual(errors, "error: cannot open app: No such file or directory\n"
                                 "  = the dataset comes first: evq ingest app app.ndjson\n")
        _, errors = self.evq("ingest", "d", "app.json", status=1)
        self.assertEqual(errors, "error: cannot open app.json: No such file or directory\n")

    def test_labels_that_take_the_place_of_fields(self):
        note = "note: {} own, whose place --label has taken\n"
        events = "".join('{"a":1,"k":"own","o":{"p":2}}\n{"a":2}\n' for _ in range(500))
        self.assertEqual(self.load(events, "--label", "k=v")[1], note.format("500 events have a field k of their"))
        self.assertEqual(self.load(events, "--label", "k=v", "--label", "o.p=w")[1],
                         note.format("500 events have one of the fields k, o.p of their"))
        self.assertEqual(self.load(events, "--label", "n=v")[1], "")
        self.assertEqual(self.load('{"a":1}\n{"a":2,"k":null}\n', "--label", "k=v")[1], "")
        self.assertEqual(self.load("a,k\n1,x\n2,\n", "--label", "k=v")[1],
                         note.format("1 event has a field k of its"))
        self.assertEqual(self.rows("d | where isempty(n) and k != 'v'"), [])

    def test_a_header_that_repeats_a_name(self):
        _, errors = self.evq("ingest", "d", input="a,b,a\n1,2,3\n", status=4)
        self.assertEqual(errors, "error: stdin: the CSV header repeats the field 'a', in columns 1 "
                                 "and 3\n"
                                 "  = name the columns: … | tail -n +2 | evq ingest d --csv-fields a,b,…; "
                                 "without tail where the first line is an event\n")

    def test_plain_lines_between_lines_of_json(self):
        (self.directory / "app.ndjson").write_text(
            '{"a":1}\nTraceback (most recent call last):\n  File "x.py", line 1\n{"a":2}\n')
        note = "note: app.ndjson has lines that are no JSON, which --reject-file keeps; to load " \
               "them alone: grep -v '^ *{' app.ndjson | evq ingest d --format text\n"
        for form in ("text", "json"):
            _, errors = self.evq("ingest", "d", "app.ndjson", "-o", form)
            self.assertEqual(errors.count("(line skipped)"), 2)
            self.assertTrue(errors.endswith("(line skipped)\n" + note), errors)
        _, errors = self.evq("ingest", "d", input=(self.directory / "app.ndjson").read_text())
        self.assertIn(" alone: … | grep -v '^ *{' | evq ingest d --format text\n", errors)
        _, errors = self.evq("ingest", "d", "app.ndjson", "--reject-file", "rest.log")
        self.assertNotIn("note: ", errors)
        for text in ('{"a":1}\n{"a":\n{"a":2}\n', "a,b\n1,2,3\n1,2\n"):
            self.assertNotIn("--reject-file", self.evq("ingest", "d", input=text)[1])

    def test_a_field_of_times_is_pointed_out(self):
        for name in ("timestamp", "__REALTIME_TIMESTAMP", "eventTime"):
            _, errors = self.evq("ingest", "d", "-o", "text", input=f'{{"{name}":"1714521600123456"}}\n')
            self.assertIn(f"--timestamp-field {name} takes it from there", errors)
        _, errors = self.evq("ingest", "d", "-o", "text", input='{"it\'s time":"2024-05-01T00:00:00Z"}\n')
        self.assertIn("--timestamp-field 'it'\\''s time' takes it", errors)

        for text, field in (
                ('{"request_time":0.059,"time_iso8601":"2026-11-20T08:00:05+00:00"}', "time_iso8601"),
                ('{"n":1714521600,"payload":{"timestamp":1},"at":"2026-11-20 08:00"}', "at"),
                ('{"a":{"when":"2026-11-20T08:00:05Z"},"b":1}', "a.when"),
                ('{"started_at":1490385986240}', "started_at"),
                ('{"startedAt":1490385986,"n":1490385986240}', "startedAt"),
                ('{"instant":{"epochSecond":1714558830,"nanoOfSecond":123000000},"level":"INFO"}',
                 "instant.epochSecond,instant.nanoOfSecond"),
                (r'{"TimeCreated":"\/Date(1714558830123)\/","Id":4624}', "TimeCreated"),
                ('{"n":1490385986,"id":1490385986240000000}', ""),
                ('{"uptime":86400,"time":5,"date":"today","a":"1714521600"}', ""),
                ('{"Records":[{"eventTime":"2026-11-20T08:00:05Z"}]}', "eventTime"),
                ('[{"x":1,"created_at":"2026-11-20T08:00:05Z"}]', "created_at"),
                ('id;Placed At\n1;2026-11-20 08:00:00\n', "'Placed At'"),
                ('date\thost\n2026/11/20 08:01\ta\n', "date"),
                ('Date,Time,Level\n2015-10-18,"18:01:47,978",INFO\n', "Date,Time"),
                ('{"at":"18:01","ip":"::1","the day":"2015-10-18"}', "'the day,at'"),
                ('{"day":"2015-10-18","note":"at 18:01"}', "day")):
            with self.subTest(text):
                _, errors = self.evq("ingest", "d", "-o", "text", input=text)
                self.assertEqual(re.findall("--timestamp-field (.*) takes", errors), [field] * (field != ""))

    def test_times_in_an_unknown_form(self):
        text = "date,a\n11/20/2026 08:01,1\n11/20/2026 08:02,2\n"
        _, errors = self.evq("ingest", "d", "--timestamp-field", "date", input=text)
        self.assertIn("note: stdin: --timestamp-format '1/2/2006 15:04' reads '11/20/2026 08:01'", errors)
        _, errors = self.evq("ingest", "d", "--timestamp-field", "date", input="date\nat noon\n")
        self.assertIn("note: stdin: --timestamp-format says how times are written", errors)
        self.load(text, "--timestamp-field", "date", "--timestamp-format", "01/02/2006 15:04")
        self.load("date\n2026/11/20 08:03\n", "--timestamp-field", "date")
        self.assertEqual([row["_time"][11:] for row in self.rows("d | sort by _time asc")],
                         ["08:01:00Z", "08:02:00Z", "08:03:00Z"])

    def test_the_layout_of_times_is_told(self):
        for text, field, told in (
                ("date,a\nJan 1 2000,1\n", "date", "'Jan 2 2006' reads 'Jan 1 2000'"),
                ("date,a\n1/2/2000,1\n", "date", "1/2/2006, or 2/1/2006 where the day comes first, "
                                                  "reads '1/2/2000'"),
                ("date,a\n1/2/2000,1\n13/2/2000,1\n", "date", "2/1/2006 reads '1/2/2000'"),
                ("date,at\n1/13/2000,08:01\n", "date,at", "'1/2/2006 15:04' reads '1/13/2000 08:01'"),
                # One that is read does not make the others right.
                ('{"at":"1/13/2000"}\n' * 30 + '{"at":"2000-01-14"}\n', "at", "1/2/2006 reads '1/13/2000'"),
                ("date,a\n20000113,1\n", "date",
                 "20000113 is read as a Unix time; --timestamp-format 20060102 reads it as a date"),
                ('{"_time":"20000113"}\n', "", "20000113 is read as a Unix time; --timestamp-format 20060102 "
                                                "reads it as a date"),
                ('{"_time":20000113,"n":20000113}\n', "_time",
                 "20000113 is read as a Unix time; --timestamp-format 20060102 reads it as a date"),
                ('{"_time":"1970-08-20T11:35:13Z"}\n', "", ""),
                ('{"at":20000113023000}\n', "at", "20060102150405 reads '20000113023000'"),
                ("at,a\nJun 15 02:04:59,1\n", "at", "'Jan 2 15:04:05' reads 'Jun 15 02:04:59'"),
                ("date,a\n947721600,1\n", "date", "")):
            with self.subTest(text):
                _, errors = self.evq("ingest", "d", *(("--timestamp-field", field) if field else ()),
                                     input=text)
                notes = [line for line in errors.splitlines() if line.startswith("note: ")]
                wanted = ["note: stdin: " + ("" if "Unix" in told else "--timestamp-format ") + told]
                self.assertEqual(notes, wanted if told else [])
        _, errors = self.evq("ingest", "d", "--timestamp-field", "date", "--timestamp-format", "2006/01/02",
                             input="date,a\n1/13/2000,1\n")
        self.assertIn("note: stdin: --timestamp-format 1/2/2006 reads '1/13/2000'\n", errors)

    def test_a_field_of_times_in_a_form_of_their_own_is_pointed_out(self):
        for text, told in (
                ("a,Date\n1,24/08/2008\n", "Date --timestamp-format 2/1/2006"),
                ("a,Date\n1,08/07/2008\n",
                 "Date --timestamp-format 1/2/2006, or 2/1/2006 where the day comes first,"),
                ("Date,Time,a\n17/06/09,20:10:40,1\n",
                 "Date,Time --timestamp-format '06/1/2 15:04:05', or '2/1/06 15:04:05' where the day comes "
                 "first,"),
                ("a,Closed On\n1,\n2,3/14/2025 1:20\n", "'Closed On' --timestamp-format '1/2/2006 15:04'"),
                ("year,rate\n1958,0.9\n", "year --timestamp-format 2006"),
                ("n,DATE\n20180414,20180415\n", "DATE --timestamp-format 20060102"),
                ("year,Date\n1958,1958-03-01\n", "Date"),
                ("iata,n\nAB1,1\n0E0,20180414\n", "")):
            with self.subTest(text):
                _, errors = self.evq("ingest", "d", "-o", "text", input=text)
                self.assertEqual(re.findall("--timestamp-field (.*) takes", errors), [told] * (told != ""))

    def test_lines_without_times_are_told(self):
        note = "so _time is when it was read\n"
        for words, text, told in (
                ((), "it went on\n", "no line begins with a time that is known, " + note),
                ((), "it went on\n" * 1001 + "2024-05-01T10:00:00Z it ended\n",
                 "1,001 events tell no time that is known, nor does a line above, so _time is when they were read\n"),
                ((), "a=1 b=2\n" * 1001 + "ts=2024-05-01T10:00:00Z a=3\n",
                 "1,001 events tell no time that is known, nor does a line above, so _time is when they were read\n"),
                ((), "a=1 b=2\nc=3 d=4\n", "no line has a time that is known, " + note),
                ((), "2024-05-01T10:00:00Z it began\nit went on\n", ""),
                (("--csv-fields", "a,b,c"), "it went on\n", ""),
                (("--timestamp-format", "2006"), "a,b\n1,x\n", "no event has the field _time, " + note),
                (("--timestamp-format", "[01.02 15:04:05]"), "[07.27 10:27:47] x - open\n",
                 "--timestamp-format reads the field that --timestamp-field names, in JSON, CSV and the like; "
                 "the times of lines are not looked for then, " + note)):
            for form in ("text", "json"):
                with self.subTest(text[:60], form=form):
                    _, errors = self.evq("ingest", "d", "-o", form, *words, input=text)
                    self.assertEqual(re.findall("(?m)^note: stdin: (.*\n)", errors), [told] if told else [])
        (self.directory / "a.log").write_text("it went on\n")
        _, errors = self.evq("query", "--file", "a.log", "| project _time")
        self.assertEqual(errors, "note: a.log: no line begins with a time that is known, " + note)
        self.assertEqual(self.evq("query", "--file", "a.log", "| count")[1], "")

    def test_notes_of_files_that_are_queried(self):
        (self.directory / "a.csv").write_text("1,x\n2,y\n")
        (self.directory / "b c.csv").write_text("a,b,a\n1,2,3\n")
        (self.directory / "report.csv").write_text("Sales in May\n\nid,name\n1,x\n2,y\n")
        for name, told in (
                ("a.csv", "note: a.csv: the first line names the fields, though it has the value '1'; "
                          "--csv-fields names them where it is an event\n"),
                ("report.csv", "note: report.csv is plain text, a line an event, though it seems to be CSV below "
                               "its first 2 lines: tail -n +3 report.csv | evq query --file -\n")):
            for form in ("table", "json"):
                with self.subTest(name, form=form):
                    _, errors = self.evq("query", "-o", form, "--file", name, "| count")
                    self.assertEqual(errors, told)
            self.assertIn(told[:30], self.on_terminal("query", "--file", name, "--", "| count", columns=200))
        self.assertEqual(self.evq("query", "-o", "table", "--file", "a.csv", "--csv-fields", "n,s", "| count")[1], "")
        _, errors = self.evq("query", "--file", "b c.csv", "| count", status=4)
        self.assertIn("name the columns: tail -n +2 'b c.csv' | evq query --file - --csv-fields a,b,…; ", errors)
        (self.directory / "none.csv").write_text("a,b\n")
        self.assertEqual(self.evq("query", "--file", "none.csv", "| count")[1],
                         "note: none.csv has the names of fields and no events below them\n")

    def test_a_table_of_words_is_told(self):
        table = "version srcaddr dst-port bytes start\n2 10.0.0.1 443 568 1566848875\n2 10.0.0.2 - - 1566848875\n"
        note = "note: stdin is plain text, a line an event, though its first line seems to name columns: " \
               "--csv-delimiter ' ' makes fields of them\n"
        self.assertEqual(self.evq("ingest", "d", "-o", "text", input=table)[1], note)
        self.load(table, "--csv-delimiter", " ", dataset="flows")
        self.assertEqual(self.rows("flows | where bytes == 568 | project srcaddr, ['dst-port']"),
                         [{"srcaddr": "10.0.0.1", "dst-port": "443"}])
        for text in ("the lamp is on\nthe lamp 2 off\n", "a b c\n1 2 3\n", "the lamp is on\nit is 9 o'clock\n",
                     "a b c d\n", "PID  USER TTY TIME\n1  a b 2\n", "a b c d\nw x y z\n"):
            self.assertNotIn("seems to name", self.evq("ingest", "d", "-o", "text", input=text)[1])

    def test_a_table_below_other_lines_is_told(self):
        (self.directory / "report.csv").write_text("Sales in May\n\nid,name\n1,x\n2,y\n")
        _, errors = self.evq("ingest", "d", "report.csv", "-o", "text")
        self.assertEqual(errors, "note: report.csv is plain text, a line an event, though it seems to be CSV below "
                                 "its first 2 lines: tail -n +3 report.csv | evq ingest d\n")
        main_end, terminal = pty.openpty()  # the answer goes into a pipe, and notes to a person
        self.start("query", "--file", "report.csv", "--", "report", stderr=terminal).wait(timeout=60)
        self.assertIn("below its first 2 lines: tail -n +3 report.csv | evq query --file -\r\n",
                      os.read(main_end, 4096).decode())
        for descriptor in (main_end, terminal):
            os.close(descriptor)
        comments = "# made by a tool\n# on a day\nid,name\n1,x\n2,y\n"
        _, errors = self.evq("ingest", "d", "-o", "text", input=comments)
        self.assertIn("below its first 2 lines: … | tail -n +3 | evq ingest d\n", errors)
        for form in ("text", "json"):
            _, errors = self.evq("ingest", "d", "--format", "csv", "-o", form, input=comments)
            self.assertTrue(errors.endswith("note: stdin: the header seems to stand below the first 2 lines: "
                                            "… | tail -n +3 | evq ingest d\n"), errors)
        for text in ("it began, at last\nand went on\nid,name\n1\n", "[a] one\n[b] two, three\n[c] four\n"):
            self.assertNotIn("tail", self.evq("ingest", "d", "-o", "text", input=text)[1])

    def test_lines_that_tell_their_time_are_not_cut_off(self):
        log = "May  1 10:00:00 h a[1]: start\nMay  1 10:00:01 h a[1]: list\n\tserver=x\n\t\tids=[1,2]\n" \
              "\t\tpos={3,4}\n"
        _, errors = self.evq("ingest", "d", "-o", "text", input=log)
        self.assertNotIn("tail", errors)
        self.assertIn("--multiline makes one event of a line and those below", errors)

    def test_a_line_that_is_cut_where_notes_stop_reading_is_none_of_a_longer_event(self):
        log = "".join(f"2024-05-01 10:00:{i % 60:02} {'x' * 30}\n" for i in range(2000))  # 65536 is 51 * 1285 + 1
        self.assertNotIn("--multiline", self.evq("ingest", "d", "-o", "text", input=log)[1])

    def test_one_word_above_lines_of_words_is_no_header(self):
        log = 'Initializing\nLoaded 5 modules, 3 plugins in 3 s\nERROR: cannot open "x", giving up\nDone\n'
        report, errors = self.load(log, dataset="log")
        self.assertEqual((report["ingested"], report["failed"]), (4, 0))
        self.assertIn("note: stdin is plain text, a line an event", errors)
        # The name of the file, or of the field with the times, says what the word is.
        names = "name\nJane Doe\nJohn Roe\n"
        for file, text, options in (("names.csv", names, ()), ("names.txt", names, ("--format", "csv")),
                                    ("names.CSV.gz", names, ()),
                                    ("times.txt", "name\nat noon\nat one\n", ("--timestamp-field", "name"))):
            with self.subTest(file):
                encoded = text.encode()
                (self.directory / file).write_bytes(gzip.compress(encoded) if file.endswith("gz") else encoded)
                self.evq("ingest", "names", file, *options)
                if not options:
                    answer, _ = self.evq("query", "--file", file, "| count", "-o", "csv")
                    self.assertIn("2", answer)
        self.assertEqual(self.rows("names | where name != '' | count"), [{"Count": 6}])
        self.load(names, dataset="text")
        self.assertEqual(self.rows("text | where message == 'Jane Doe' | count"), [{"Count": 1}])

    def test_a_first_line_of_one_word_is_no_name_where_it_may_be_an_event(self):
        note = "note: %s: the first line names the field; --format text makes an event of each line\n"
        for name, text, events, told in (("a.log", "OK\nFAIL\n", 2, ""), ("b.txt.gz", "OK\nFAIL\n", 2, ""),
                                         ("c", "OK\nFAIL\nOK\n", 3, ""), ("d", "started\nready\n", 1, note % "d"),
                                         ("e.csv", "name\nEve\n", 1, ""), ("f", "id\n1\n2\n", 2, "")):
            with self.subTest(name):
                (self.directory / name).write_bytes(gzip.compress(text.encode()) if name[-1] == "z" else text.encode())
                out, errors = self.evq("query", "--file", name, "| count")
                self.assertEqual(out, f'{{"Count":{events}}}\n')
                self.assertEqual("names the field;" in errors, told != "")
                self.assertIn(told, errors)

    def test_options_of_csv_without_csv(self):
        for options, text, named in ((("--csv-fields", "a,b"), '{"a":1}\n', "--csv-fields"),
                                     (("--csv-fields", "a"), "[1]\n", "--csv-fields"),
                                     (("--csv-delimiter", ";"), '{"a":1}\n', "--csv-delimiter"),
                                     (("--csv-fields", "a", "--format", "text"), "x\n", "--csv-fields")):
            with self.subTest(options):
                _, errors = self.evq("ingest", "d", *options, input=text)
                self.assertIn(f"note: stdin is not read as CSV, so that {named} means nothing\n", errors)
        for options, text in ((("--csv-fields", "a,b"), "1,2\n"), (("--csv-fields", "a"), "")):
            self.assertEqual(self.evq("ingest", "d", *options, input=text)[1], "")

    def test_a_quote_that_is_not_closed(self):
        rows = "a,b\n1,\"x\n" + "2,y\n" * 1000
        report, errors = self.load(rows)
        self.assertEqual((report["ingested"], report["failed"]), (1000, 1))
        self.assertEqual(errors, "stdin:2:3: the quoted cell is not closed (line skipped)\n")
        _, errors = self.load('a,b\n1,"x\n2\n3\n')
        self.assertEqual(errors, "stdin:2:3: the quoted cell is not closed: 3 lines skipped\n")

    def test_a_header_that_may_be_an_event_is_told(self):
        _, errors = self.evq("ingest", "d", input="a,b\n")
        self.assertEqual(errors, "note: stdin has the names of fields and no events below them; "
                                 "--format text makes an event of each line\n")
        _, errors = self.evq("ingest", "d", "--format", "csv", input="a,b\n")
        self.assertEqual(errors, "note: stdin has the names of fields and no events below them\n")
        _, errors = self.evq("ingest", "d", "-o", "text", input="1,x\n2,y\n")
        self.assertIn("--csv-fields names them where it is an event", errors)
        note = "note: stdin: the first line names the fields, though %s; --csv-fields names them where it is " \
               "an event\n"
        for text, why in (
                ("US\t34050\t41.5\nUS\t34051\t41.5\n", "the next line has 'US' in the same place"),
                ("a,34050\nb,34051\n", "it has the value '34050'"),
                ('"1","x"\n"2","y"\n', "it has the value '1'"),
                ("sep=;\nx;y\nz;y\n", "the next line has 'y' in the same place"),
                ("country,1990,1991\nFR,1,2\n", "it has the value '1990'")):
            for form in ("text", "json"):
                with self.subTest(text, form=form):
                    self.assertEqual(self.evq("ingest", "d", "-o", form, input=text)[1], note % why)
            self.assertEqual(self.evq("--quiet", "ingest", "d", "-o", "text", input=text)[1], "")
        for text in ("", "[]", "\n"):
            self.assertEqual(self.evq("ingest", "d", "-o", "text", input=text)[1], "")
        for arguments, text in (((), "a,b\n1,2\n"), ((), "id2,Q1,user 1,inf\n1,2,3,4\n"), (("--csv-fields", "a,b"), "1,2\n")):
            self.assertEqual(self.evq("ingest", "d", "-o", "text", *arguments, input=text)[1], "")

    def test_a_first_line_that_is_an_event_is_told(self):
        text = '"2024-05-01 10:00:00","INFO","a"\n"2024-05-01 10:00:01","INFO","b"\n'
        note = "note: stdin: the first line is an event, for it has the value '2024-05-01 10:00:00', and its " \
               "columns are column1 to column3; --csv-fields names them, --format csv takes their names from that " \
               "line\n"
        report, errors = self.load(text, "--timestamp-field", "column1")
        self.assertEqual((report["ingested"], errors), (2, note))
        self.assertEqual(self.rows("d | where column3 == 'a' | project _time, column2"),
                         [{"_time": "2024-05-01T10:00:00Z", "column2": "INFO"}])
        (self.directory / "a.csv").write_text(text)
        self.assertEqual(self.evq("query", "--file", "a.csv", "| count", "-o", "csv"), ("Count\n2\n", note.replace("stdin", "a.csv")))
        _, errors = self.evq("ingest", "d", "--format", "csv", "-o", "text", input=text)
        self.assertIn("note: stdin: the first line names the fields, though it has the value '2024-05-01 10:00:00'",
                      errors)

    def test_a_log_stands_below_a_banner_that_looks_like_a_header(self):
        for banner, line in (("Hello, world", "2024-05-01 10:00:00,123 INFO a"),
                             ("Hello; world", "2024-05-01 10:00:00.123 INFO; a"),
                             ("Starting, please wait", "2024-05-01 10:00:00.123 host app: a, b")):
            with self.subTest(banner):
                (self.directory / "a.log").write_text(f"{banner}\n{line}\n")
                self.assertEqual(self.out("query", "--file", "a.log", "| project _time, message", "-o", "tsv"),
                                 f"_time\tmessage\n2024-05-01T10:00:00.123Z\t{line}\n"
                                 f"2024-05-01T10:00:00.123Z\t{banner}\n")
        note = "note: %s has lines of JSON behind others; to make fields of them: grep '^ *{' %s | evq query --file -\n"
        for banner in ("Server on port 3000, env=prod", "port,env", "Starting", "> app@1.0.0 start"):
            (self.directory / "b.log").write_text(banner + '\n{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n')
            _, errors = self.evq("query", "--file", "b.log", "| take 1")
            self.assertIn(note % ("b.log", "b.log"), errors, banner)

    def test_a_long_header(self):
        text = "id,How many hours do you work per week?\n1,40\n2,38\n"
        self.assertEqual(self.load(text)[0]["ingested"], 2)
        # Where the name says what it is, also above lines that do not.
        (self.directory / "a.csv").write_text('id,"x","What, in a few words of your own, is it"\n1,"a\nb",2\n')
        (self.directory / "b.csv").write_text("id,What do you think, in a few words of your own\n1,2\n")
        for name in ("a.csv", "b.csv"):
            self.assertEqual(self.out("query", "--file", name, "| project id", "-o", "csv"), "id\n1\n")

    def test_line_ends_of_cr_alone(self):
        for name, text in (("a.csv", 'id,name\r1,"Smith, J"\r2,"Doe, A"\r'),
                           ("a.log", "May  1 10:00:00 h p: a\rMay  1 10:00:01 h p: b\r")):
            (self.directory / name).write_bytes(text.encode())
            _, errors = self.evq("ingest", "d", name, status=4)
            self.assertIn("the line ends are CR alone; convert them first: tr '\\r' '\\n'", errors)

    def test_lines_of_a_file_named_as_csv_that_begin_with_a_time(self):
        text = "2024-05-01T10:00:00Z,web-1,/a,200\n2024-05-01T10:00:01Z,web-2,/b,404\n"
        event = "the first line is an event, for it has the value '2024-05-01%s10:00:00%s', and its columns are " \
                "column1 to column4; --csv-fields names them, --format csv takes their names from that line"
        for name, lines, value in (("a.csv", text, ("T", "Z")), ("b.TSV", text.replace(",", "\t"), ("T", "Z")),
                                   ("c.csv", text.replace("Z,", ",").replace("T", " "), (" ", ""))):
            (self.directory / name).write_text(lines)
            with self.subTest(name):
                _, errors = self.evq("ingest", name[0], name, "--timestamp-field", "column1", "--timestamp-zone", "UTC",
                                     "-o", "text")
                self.assertEqual(errors, f"note: {name}: {event % value}\n")
                self.assertEqual(self.rows(f"{name[0]} | where column4 == 404 | project _time, column2"),
                                 [{"_time": "2024-05-01T10:00:01Z", "column2": "web-2"}])
                _, errors = self.evq("query", "--file", name, "| take 1")
                self.assertIn("; --timestamp-field column1 takes it from there\n", errors)
        # Any other name may be that of a log, whose lines tell their times; a note says how to take them apart.
        (self.directory / "a.log").write_text(text)
        plain = "note: a.log is plain text, a line an event: the field message, which parse takes apart (evq help parse)"
        self.assertEqual(self.evq("ingest", "l", "a.log", "-o", "text")[1],
                         plain + "; --csv-fields time,b,… --timestamp-field time makes fields of the 4 cells that "
                                 "its lines have\n")
        self.assertEqual(self.out("query", "l | project _time", "-o", "csv"),
                         "_time\n2024-05-01T10:00:01Z\n2024-05-01T10:00:00Z\n")
        for lines in ("2024-05-01 10:00:00,123 INFO a,b\n2024-05-01 10:00:01,123 INFO a,b\n",
                      "2024-05-01 10:00:00Z, a, b\n2024-05-01 10:00:01Z, c, d\n",
                      "2024-05-01 10:00:00Z,a,b\n2024-05-01 10:00:01Z,c\n", "2024-05-01 10:00:00Z,a,b\n"):
            (self.directory / "a.log").write_text(lines)
            self.assertIn(plain + "\n", self.evq("ingest", "l", "a.log", "-o", "text")[1])
        (self.directory / "p.csv").write_text("2024-05-01 10:00:00,123 INFO a,b\n2024-05-01 10:00:01,123 INFO c,d\n")
        for words in ((), ("--format", "text"), ("--multiline",)):
            self.evq("ingest", "p", "p.csv", *words)
        self.assertEqual(self.rows("p | where message endswith 'a,b' | summarize n = count() by _time"),
                         [{"_time": "2024-05-01T10:00:00.123Z", "n": 3}])

    def test_a_time_that_follows_from_the_event_is_hardly_its_own(self):
        for text, field in (('{"EdgeEndTimestamp":1714557601000000000,"EdgeStartTimestamp":1714557600000000000}',
                             "EdgeStartTimestamp"),
                            ('{"expires_at":"2024-06-01T10:00:00Z","opened_at":"2024-05-01T10:00:00Z"}', "opened_at"),
                            ('{"end_time":"2024-05-01T10:00:00Z","start_time":"2024-05-01T10:00:00Z"}', "start_time"),
                            ('{"updated_at":"2024-05-01T10:00:00Z"}', "updated_at"),
                            ('{"message":"x","vendor_time":"2024-05-01T10:00:00Z"}', "vendor_time")):
            self.assertIn(f"; --timestamp-field {field} takes it from there\n",
                          self.evq("ingest", "d", "-o", "text", input=text)[1])

    def test_a_date_that_a_layout_reads_is_told_with_the_time_of_day_beside_it(self):
        text = "10,05/13/24,10:20:30,Assign\n11,05/14/24,00:20:30,Renew\n"
        found = "--timestamp-field column2,column3 --timestamp-format '1/2/06 15:04:05'"
        self.assertIn(f"; {found} takes it from there\n", self.evq("ingest", "d", "-o", "text", input=text)[1])
        self.load(text, "--timestamp-field", "column2,column3", "--timestamp-format", "1/2/06 15:04:05", dataset="e")
        self.assertEqual(self.out("query", "e | project _time", "-o", "csv"),
                         "_time\n2024-05-14T00:20:30Z\n2024-05-13T10:20:30Z\n")

    def test_seconds_and_nanoseconds_in_an_object(self):
        text = '{"instant":{"epochSecond":1714557600,"nanoOfSecond":5000},"level":"INFO"}\n'
        self.assertIn("; --timestamp-field instant.epochSecond,instant.nanoOfSecond takes it from there\n",
                      self.evq("ingest", "d", "-o", "text", input=text)[1])
        self.load(text, "--timestamp-field", "instant.epochSecond,instant.nanoOfSecond", dataset="e")
        self.assertEqual(self.out("query", "e | project _time", "-o", "csv"), "_time\n2024-05-01T10:00:00.000005Z\n")

    def test_a_number_as_large_as_a_time_may_be_one(self):
        note = "note: stdin: no event has the field _time, so _time is when it was read; --timestamp-field n takes it " \
               "from there, if that is a time\n"
        self.assertEqual(self.evq("ingest", "d", "-o", "text", input='{"n":1490385986240,"m":1}\n')[1], note)

    def test_times_of_java_and_dotnet(self):
        self.load(r'{"t":"\/Date(1714558830123)\/"}' '\n{"t":"2024-05-01T12:20:30.123+02:00[Europe/Berlin]"}\n',
                  "--timestamp-field", "t")
        self.assertEqual(self.rows("d | distinct _time"), [{"_time": "2024-05-01T10:20:30.123Z"}])

    def test_what_is_in_an_event_that_is_too_large_is_told(self):
        point = '{"type":"Feature","properties":{"mag":2,"place":"%s"}}' % ("x" * 1000)
        members = ",".join('"%d":{"name":"n","b":{"c":1}}' % i for i in range(600))
        for text, told in (
                ('{"type":"FeatureCollection","features":[' + ",".join([point] * 1100) + "]}",
                 "a list of objects in .features; for an event each: … | jq -c '.features[]' | evq ingest d\n"),
                ("{" + members + "}", "objects; for an event each: … | jq -c '.[]' | evq ingest d\n"),
                ('{"core":{"a":1},"id":"x","plug ins":{' + members + "}}",
                 "objects in .\"plug ins\"; for an event each: … | jq -c '.\"plug ins\"[]' | evq ingest d\n"),
                ("{" + ",".join('"%d":1' % i for i in range(1100)) + "}", ""), ('{"a":[{"b":1},', "")):
            for form in ("text", "json"):
                with self.subTest(text[:50], form=form):
                    _, errors = self.evq("ingest", "d", "-o", form, input=text)
                    self.assertEqual(re.findall("(?m)^note: stdin is one event, with (.*\n)", errors),
                                     [told] * (told != ""), errors)

    def test_a_list_in_one_event_is_told_to_people(self):
        for text, told in (
                ('{"events": [{"a": 1}, {"a": 2}], "next": null}', ".events"),
                ('{"log":{"version":"1,2}","creator":{"name":"x"},"pages":[],"n":[1,["]"]],"entries":[{"a":1}]}}',
                 ".log.entries"),
                ('{"@odata.context":"https://h/v1","value":[{"a":1}]}', ".value"),
                ('{"a b":{"c\\"d":[ {}]}}', '."a b"."c\\"d"'),
                ('{"events":[{"a":1}]}\n{"events":[{"a":1}]}', ""), ('{"tags":["a"],"n":{"b":[]},"c":"[{"}', ""),
                ('{"Records":[{"a":1}]}', ""), ('[{"a":1}]', ""), ('{"a":1}', "")):
            with self.subTest(text):
                _, errors = self.evq("ingest", "d", "-o", "text", input=text)
                self.assertEqual(re.findall(r"; for an event each: … \| jq -c '(.*)\[\]' \| evq ingest d\n", errors),
                                 [told] * (told != ""), errors)
                self.assertEqual(self.evq("ingest", "d", "-o", "json", input=text)[1], errors)
                self.assertEqual(self.evq("-q", "ingest", "d", input=text)[1], "")

    def test_a_field_of_times_that_nobody_named(self):
        text = '{"timestamp":"2024-05-01T10:00:00Z","a":1}\n'
        note = "note: stdin: no event has the field _time, so _time is when it was read; " \
               "--timestamp-field timestamp takes it from there\n"
        self.assertEqual(self.evq("ingest", "d", "-o", "text", input=text)[1], note)
        csv_text = "date,a\n2024-05-01,1\n"
        self.assertEqual(self.evq("ingest", "d", "-o", "text", input=csv_text)[1],
                         note.replace("field timestamp", "field date"))
        _, errors = self.evq("ingest", "d", "--timestamp-field", "tiemstamp", input=text)
        self.assertEqual(errors, note.replace("field _time", "field tiemstamp"))
        self.assertEqual(self.evq("ingest", "d", "-o", "json", input=text)[1], note)
        for quiet in (("--timestamp-field", "timestamp", "-o", "text"), ("--quiet",)):
            self.assertEqual(self.evq("ingest", "d", *quiet, input=text)[1], "")
        self.assertEqual(self.evq("ingest", "d", "-o", "text", input='{"a":1}\n')[1], "")


if __name__ == "__main__":
    main()
