"""Mistakes on the command line: what is wrong, one hint, the exit status, nothing on stdout."""

import json
import os
import pathlib
import pty
import shutil
import subprocess
import unittest

from evq_case import EVQ, EvqCase, main


class Mistakes(EvqCase):
    def setUp(self):
        super().setUp()
        self.ingest("web", ['{"_time":"2024-05-01T00:00:00Z","status":200}'])

    def check(self, words, status, text):
        with self.subTest(words):
            out, errors = self.evq(*words, status=status)
            self.assertEqual((out, errors), ("", text))

    # Where another user may run it: the checkout may be root's own.
    def evq_for_all(self):
        self.directory.chmod(0o755)
        return shutil.copy(EVQ, self.directory / "evq")

    def test_usage(self):
        for words, text in (
            (("query", "-o", "cvs", "web"),
             "error: -o: 'cvs' is not one of its words\n  = did you mean 'csv'?\n"),
            (("ingest", "web", "-o", "x"),
             "error: -o: 'x' is not one of its words\n  = there are json, text\n"),
            (("query", "--limit", "many", "web"),
             "error: --limit: 'many' is not a whole number\n  = see evq query --help\n"),
            (("query", "--timeout", "-1", "web"),
             "error: --timeout: '-1' is not a number of seconds\n  = write 30, 0.5, 30s or 5m\n"),
            (("query", "--timeout", "1x", "web"),
             "error: --timeout: '1x' is not a number of seconds\n  = write 30, 0.5, 30s or 5m\n"),
            (("query", "--memory-limit", "much", "web"),
             "error: --memory-limit: 'much' is not a size\n  = write 512M or 2G\n"),
            (("query", "--since", "1x", "web"),
             "error: --since: '1x' is not a duration\n"
             "  = write 15m, 1h, 7d or 1w2d12h, or a time\n"),
            (("query", "--start-time", "tomorow", "web"),
             "error: --start-time: 'tomorow' is not a time\n  = did you mean 'tomorrow'?\n"),
            (("query", "--start-time", "soon", "web"),
             "error: --start-time: 'soon' is not a time\n  = write RFC 3339 such as "
             "2024-05-01T12:00:00Z, now, now-6h, or -7d\n"),
            (("query", "--since", "99999999d", "web"),
             "error: --since: '99999999d' is out of range\n"
             "  = times are from 1677-09-21 to 2262-04-11\n"),
            (("query", "--until", "3000-01-01", "web"),
             "error: --until: '3000-01-01' is out of range\n"
             "  = times are from 1677-09-21 to 2262-04-11\n"),
            (("query", "--since", "1y", "web"), "error: --since: '1y' is not a duration\n  = write 365d\n"),
            (("tail", "web", "--since", "1 hour ago"),
             "error: --since: '1 hour ago' is not a duration\n  = write 1h\n"),
            (("export", "web", "--until", "2 weeks"), "error: --until: '2 weeks' is not a time\n  = write 2w\n"),
            (("--limit", "5", "query", "web"),
             "error: --limit is an option of query\n"
             "  = write it behind the command: evq query --limit\n"),
            (("query", "web", "--since"),
             "error: --since needs a value\n  = see evq query --help\n"),
            (("query", "--limit", "-1", "web"),
             "error: --limit: '-1' is negative\n  = write 0 or more\n"),
            (("tail", "web", "-n", "99999999999999999999"),
             "error: -n: '99999999999999999999' is too large\n  = see evq tail --help\n"),
            (("query", "--since", "5", "web"),
             "error: --since: '5' has no unit\n  = write 5m, 5h or 5d\n"),
            (("query", "--since", "1h", "--start-time", "now", "web"),
             "error: --start-time excludes --since\n  = see evq query --help\n"),
            (("query", "--limit", "1", "--all", "web"),
             "error: --limit excludes --all\n  = see evq query --help\n"),
            (("query", "-f", "x.apl", "web"),
             "error: the query is there twice: as a word, and in the file of -f\n"
             "  = -o chooses the form of the answer\n"),
            (("query", "web", "--format", "csv"),
             "error: --format goes with --file\n  = write -o csv\n"),
            (("query", "--format", "table", "web"),
             "error: --format goes with --file\n  = write -o table\n"),
            (("query", "web", "--format", "text"),
             "error: --format goes with --file\n  = see evq query --help\n"),
            (("query", "web", "--csv-fields", "a,b"),
             "error: --csv-fields goes with --file\n  = see evq query --help\n"),
            (("query", "--multiline", "web"),
             "error: --multiline goes with --file\n  = see evq query --help\n"),
            (("query", "--format", "cvs", "--file", "x"),
             "error: --format: 'cvs' is not one of its words\n  = did you mean 'csv'?\n"),
            (("ingest", "web", "--foramt", "json"),
             "error: unknown option '--foramt'\n  = did you mean '--format'?\n"),
            (("query", "--format=json", "web"),
             "error: --format goes with --file\n  = write -o json\n"),
            (("query", "web | count", "-o", "table", "-o", "jsno"),
             "error: -o: 'jsno' is not one of its words\n  = did you mean 'json'?\n"),
            (("ingest", "web", "-f", "x.log"),
             "error: unknown option '-f'\n  = a file stands alone: evq ingest DATASET FILE\n"),
            (("query", "-o", "jsonl", "web"),
             "error: -o: 'jsonl' is not one of its words\n  = did you mean 'ndjson'?\n"),
            (("query", "-o", "md", "web"),
             "error: -o: 'md' is not one of its words\n  = did you mean 'markdown'?\n"),
            (("export", "-o", "table", "web"),
             "error: -o: 'table' is not one of its words\n"
             "  = there are ndjson, json, csv, tsv, logfmt, parquet\n"),
            (("export", "--form", "tabs", "web"),
             "error: --form: 'tabs' is not one of its words\n  = did you mean 'tsv'?\n"),
            (("query", "web", "--output=cvs"),
             "error: --output: 'cvs' is not one of its words\n  = did you mean 'csv'?\n"),
            (("query", "web", "-ocvs"),
             "error: -o: 'cvs' is not one of its words\n  = did you mean 'csv'?\n"),
            (("query", "web", "-o"),
             "error: -o needs a value\n  = see evq query --help\n"),
            (("tail", "web", "-n", "-5"),
             "error: -n: '-5' is negative\n  = write 0 or more\n"),
            (("query", "--limit", "1.5", "web"),
             "error: --limit: '1.5' is not a whole number\n  = see evq query --help\n"),
            (("completion", "tcsh"),
             "error: SHELL: 'tcsh' is not one of its words\n  = there are bash, zsh, fish\n"),
            (("export", "-o", "tabs", "web"),
             "error: -o: 'tabs' is not one of its words\n  = did you mean 'tsv'?\n"),
            (("ingest", "-o", "JSONL", "web"),
             "error: -o: 'JSONL' is not one of its words\n  = did you mean 'json'?\n"),
            (("ingest", "--format", "jsonl", "web"),
             "error: --format: 'jsonl' is not one of its words\n  = did you mean 'ndjson'?\n"),
            (("query", "--jsonl", "web"),
             "error: unknown option '--jsonl'\n  = write -o ndjson\n"),
            (("query", "--json", "web"),
             "error: unknown option '--json'\n  = write -o json\n"),
            (("query", "--csv", "web"),
             "error: unknown option '--csv'\n  = write -o csv\n"),
            (("query", "--tsv", "web"),
             "error: unknown option '--tsv'\n  = write -o tsv\n"),
            (("export", "--parquet", "web"),
             "error: unknown option '--parquet'\n  = write -o parquet\n"),
            (("query", "web", "--chart"),
             "error: unknown option '--chart'\n  = write -o chart\n"),
            (("query", "web", "--from", "1h"),
             "error: unknown option '--from'\n  = did you mean '--start-time'?\n"),
            (("query", "web", "--to=now"),
             "error: unknown option '--to=now'\n  = did you mean '--end-time'?\n"),
            (("version",), "error: unknown command 'version'\n  = did you mean '--version'?\n"),
            (("-V",), "error: unknown option '-V'\n  = did you mean '--version'?\n"),
            (("serve", "--port", "8080"), "error: unknown option '--port'\n  = write --listen 127.0.0.1:8080, an "
                                          "address with its port\n"),
            (("serve", "--host=h"), "error: unknown option '--host=h'\n  = write --listen 127.0.0.1:8080, an "
                                    "address with its port\n"),
            (("query", "-x", "web"),
             "error: unknown option '-x'\n  = see evq query --help\n"),
            (("query", "-n", "5", "web"), "error: unknown option '-n'\n  = did you mean '--limit'?\n"),
            (("query", "-s1h", "web"), "error: unknown option '-s1h'\n  = did you mean '--since'?\n"),
            (("tail", "-s", "1h", "web"), "error: unknown option '-s'\n  = did you mean '--since'?\n"),
            (("tail", "-f", "web"),
             "error: unknown option '-f'\n"
             "  = tail follows by itself; --no-follow ends it after the newest events\n"),
            (("--quiet", "igest", "web"),
             "error: unknown command 'igest'\n  = did you mean 'ingest'?\n"),
            (("stream", "web"), "error: unknown command 'stream'\n  = did you mean 'tail'?\n"),
            (("ls",), "error: unknown command 'ls'\n  = did you mean 'dataset list'?\n"),
            ((__file__,), "error: unknown command '%s'\n  = a prompt over a file: evq repl --file %s\n"
             % (__file__, __file__)),
            (("fields", "web"),
             "error: unknown command 'fields'\n  = did you mean 'dataset fields'?\n"),
            (("drop", "web"), "error: unknown command 'drop'\n  = did you mean 'dataset delete'?\n"),
            (("dataset", "drop", "web"),
             "error: evq dataset has no action 'drop'\n  = did you mean 'delete'?\n"),
            (("dataset", "ls"),
             "error: evq dataset has no action 'ls'\n  = did you mean 'list'?\n"),
            (("dataset", "map-field", "add", "web"),
             "error: FIELD is required\n  = write evq dataset map-field add DATASET FIELD\n"),
            (("dataset", "map-field", "add", "web", ""),
             "error: FIELD is required\n  = write evq dataset map-field add DATASET FIELD\n"),
            (("dataset", "map-field", "add", "web", "__x__"),
             "error: '__x__' cannot be a map field\n"),
            (("token", "create"),
             "error: --name is required\n  = write evq token create --name …\n"),
            (("token", "create", "--name", "a", "--allow", "dataset|update"),
             "error: there is no permission 'dataset|update'\n"
             "  = did you mean 'datasets|update'?\n"),
            (("token", "create", "--name", "a", "--allow", "logs:query|write"),
             "error: there is no permission 'query|write'\n"
             "  = what can be allowed of query: read\n"),
            (("token", "create", "--name", "a", "--ingest", "web,app"),
             "error: 'web,app' cannot name a dataset\n"
             "  = a name has 1 to 128 letters, digits, '-', '_' or '.', the first and last a letter or "
             "digit\n"),
            (("token", "create", "--name", "a", "--personal", "--ingest", "web"),
             "error: --ingest excludes --personal\n  = see evq token create --help\n"),
            (("org", "set", "a b"),
             "error: 'a b' cannot be the id of an organization\n"
             "  = it has 1 to 256 visible ASCII characters without blanks\n"),
            (("serve", "--cors-origin", "localhost"),
             "error: 'localhost' is not the origin of web pages\n"
             "  = write http://localhost:3000, https://example.org, or *\n"),
            (("serve", "--rate-limit", "-1"),
             "error: --rate-limit: '-1' is negative\n  = write 0 or more\n"),
            (("serve", "--server", "http://localhost:1"),
             "error: --server does not go with evq serve, which serves a store\n"
             "  = name the store with --store\n"),
            (("--server", "localhost:8080", "query", "web"),
             "error: 'localhost:8080' is not a server's address\n"
             "  = write http://localhost:8080 or https://localhost:8080\n"),
            (("--store", "", "query", "web"), "error: --store: the store needs a directory\n"),
            (("export", "web", "--output", "web.csv.gz"),
             "error: export does not compress\n"
             "  = without --output, a pipe does: evq export … -o csv | gzip > web.csv.gz\n"),
            (("export", "web", "web.csv"),
             "error: unexpected 'web.csv'\n  = name the file with --output web.csv\n"),
            (("export", "web", "-o", "web.csv"),
             "error: -o: 'web.csv' is not one of its words\n  = --output names the file\n"),
            (("tail", "web | where status == 200"),
             "error: tail takes the dataset and what follows it apart\n"
             "  = write evq tail web 'where status == 200'\n"),
            (("tail", "web", "summarize count()"),
             "error[usage]: tail takes operators that look at each event alone\n"
             "  --> query:1:11\n   |\n 1 | ['web'] | summarize count()\n"
             "   |           ^^^^^^^^^\n"
             "   = such as where, search, extend, project and parse\n"),
            (("web | count",),
             "error: a query comes after the command's name\n"
             "  = write evq query 'web | count'\n"),
            (("ingest",),
             "error: DATASET is required\n  = write evq ingest DATASET [FILE...]\n"),
            (("query", "web", "where", "status", "==", "500"),
             "error: unexpected 'where status == 500'\n"
             "  = put the whole query between quotes: evq query \"web | take 5\"\n"),
            (("tail", "web", "where", "status"),
             "error: unexpected 'status'\n"
             "  = put the whole query between quotes: evq tail web \"where status >= 500\"\n"),
            (("dataset",),
             "error: evq dataset needs an action\n"
             "  = there are list, info, create, delete, fields, map-field\n"),
            (("dataset", "crate", "x"),
             "error: evq dataset has no action 'crate'\n  = did you mean 'create'?\n"),
        ):
            self.check(words, 2, text)

    def test_a_dataset_alone_is_no_command(self):
        self.ingest("my-logs", ['{"a":1}'])
        self.ingest("ingester", ['{"a":1}'])
        self.check(("my-logs",), 2, "error: unknown command 'my-logs'\n"
                                    "  = a query of it: evq query '['\\''my-logs'\\'']'\n")
        self.check(("ingester",), 2, "error: unknown command 'ingester'\n"
                                     "  = a query of it: evq query ingester\n")
        self.check(("--store", "elsewhere", "ingester"), 2,
                   "error: unknown command 'ingester'\n  = did you mean 'ingest'?\n")
        self.assertFalse((self.directory / "elsewhere").exists())

    def test_a_dataset_whose_name_reads_as_a_value(self):
        for name in ("2024", "2024-05-01"):
            self.ingest(name, ['{"a":1}'])
            for query in (name + " | count", f"print a = 1 | union {name}"):
                _, errors = self.evq("query", query, status=3)
                self.assertIn(f"   = begin with a dataset, ['{name}'], or with print\n", errors)
        _, errors = self.evq("query", "2025-05-01 | count", status=3)
        self.assertIn("begin with a dataset, ['logs'], or with print", errors)

    def test_a_field_of_tail_that_is_not_there(self):
        self.ingest("shop", ['{"a":1}'])
        self.check(("tail", "shop", "where a == 1", "--fields", "a,nope", "--no-follow"), 3,
                   "error: --fields: unknown field 'nope' in 'shop'\n"
                   "  = fields not seen yet are reached by column_ifexists('name', default)\n")
        self.check(("tail", "shop", "where nope == 1", "--fields", "a", "--no-follow"), 3,
                   "error[unknown-field]: unknown field 'nope' in 'shop'\n  --> query:1:18\n   |\n"
                   " 1 | ['shop'] | where nope == 1\n   |                  ^^^^\n"
                   "   = fields not seen yet are reached by column_ifexists('name', default)\n")

    def test_a_dash_is_standard_input(self):
        for words in (("query", "-"), ("query", "-f", "-"), ("query",)):
            self.assertEqual(self.out(*words, input="web | count"), '{"Count":1}\n')

    def test_the_place_of_a_mistake_behind_wide_characters(self):
        self.check(("query", "web\t| where '日本 e\u0301' == '' or stauts == '👩‍👩‍👧'"), 3,
                   "error[unknown-field]: unknown field 'stauts' in 'web'\n"
                   "  --> query:1:30\n   |\n"
                   " 1 | web | where '日本 e\u0301' == '' or stauts == '👩‍👩‍👧'\n"
                   f"   | {' ' * 30}^^^^^^\n"
                   "   = did you mean 'status'?\n")

    def test_what_is_rather_a_slip_is_noted(self):
        for query, answer, note in (
            ("web | summarize p = percentile(status, 0.95)", '{"p":200}\n',
             "note: percentile(): percentiles go from 0 to 100, so 0.95 is less than one percent\n"),
            ("web | summarize n = count(['status'])", '{"n":1}\n',
             "note: count(status) counts all rows; countif(isnotnull(status)) counts those that "
             "have a value there\n"),
            ("web | extend s = 2.5 * status | where s > 1s and s < 9s or s == 7s | project status", "",
             "note: a number is compared with a timespan as nanoseconds; one of seconds is compared "
             "with a number\n"),
            ("web | where status < 1s | project status", '{"status":200}\n', ""),
            ("web | summarize n = count(*), m = count(1)", '{"n":1,"m":1}\n', ""),
            ("web | extend s = 'a-b' | project t = replace_string(s, '-', '+')", '{"t":"a+b"}\n',
             "note: replace_string() took its first argument for the text, since the last is the "
             "same in every row; APL writes replace_string(lookup, rewrite, text)\n"),
            ("web | extend s = 'iam.com' | project t = trim_end(@'\\.com', s)", '{"t":"ia"}\n',
             "note: trim_end() removes any of these characters; trim_end_regex() takes a regular "
             "expression\n"),
            ("web | extend s = 'a\\n' | project t = trim(' \\n[]', s)", '{"t":"a"}\n', ""),
            ("web | where 'status' == '200' or \"status\" == 200 | count", '{"Count":0}\n',
             "note: 'status' in quotes is a text; the field is written status\n"),
            ("web | summarize n = count() by '_time', 'other' | project n", '{"n":1}\n',
             "note: '_time' in quotes is a text; the field is written _time\n"),
            ("web | sort by 'status' | summarize n = max('status')", '{"n":"status"}\n',
             "note: 'status' in quotes is a text; the field is written status\n"),
            ("web | project status | where * !in (datetime(2024-01-01)) | count", '{"Count":1}\n',
             "note: no field here can be compared with what follows *, so that every row is "
             "kept\nnote: where clause always evaluates to TRUE, which will include all data\n"),
            ("web | project status | where * == 1s | count", '{"Count":0}\n',
             "note: no field here can be compared with what follows *, so that no row is found\n"),
            ("web | project status | where * !in (5) | count", '{"Count":1}\n', ""),
            ("set nonsense; web | count", '{"Count":1}\n',
             "note: the option 'nonsense' is not known and was ignored\n"),
        ):
            with self.subTest(query):
                self.assertEqual(self.evq("query", query), (answer, note))

    def test_names_that_are_not_there(self):
        for words, text in (
            (("dataset", "info", "wbe"),
             "error: dataset 'wbe' not found\n  = did you mean 'web'?\n"),
            (("dataset", "fields", "quite-other"),
             "error: dataset 'quite-other' not found\n  = evq dataset list shows what there is\n"),
            (("dataset", "delete", "wbe", "--yes"),
             "error: dataset 'wbe' not found\n  = did you mean 'web'?\n"),
            (("compact", "wbe"), "error: dataset 'wbe' not found\n  = did you mean 'web'?\n"),
            (("starred", "get", "x"),
             "error: saved query not found\n  = evq starred list shows what there is\n"),
            (("starred", "run", "x"),
             "error: saved query not found\n  = evq starred list shows what there is\n"),
            (("token", "delete", "x"),
             "error: token not found\n  = evq token list shows what there is\n"),
            (("help", "nonsense-word"),
             "error: no command, operator or function 'nonsense-word'\n"
             "  = evq help lists what there is\n"),
        ):
            self.check(words, 1, text)

    def test_saved_queries_that_are_not_there(self):
        self.evq("starred", "put", "errors", "--apl", "web")
        for action in ("get", "run", "delete"):
            self.check(("starred", action, "erors"), 1,
                       "error: saved query not found\n  = did you mean 'errors'?\n")

    def test_names_that_cannot_be(self):
        _, errors = self.evq("ingest", "bad name!", input="{}\n", status=2)
        self.assertEqual(errors, "error: 'bad name!' cannot name a dataset\n  = a name has 1 to 128 "
                         "letters, digits, '-', '_' or '.', the first and last a letter or digit\n")
        waiting = self.start("ingest", "bad name!", stdin=subprocess.PIPE)  # of which nothing comes
        self.assertEqual(waiting.wait(timeout=60), 2)
        self.assertEqual(waiting.stderr.read(), errors)

    def test_files(self):
        _, errors = self.evq("ingest", "web", "nofile.json", status=1)
        self.assertEqual(errors, "error: cannot open nofile.json: No such file or directory\n")
        (self.directory / "one.ndjson").write_text("{}\n")
        for words in (("ingest", "web", "one.ndjson"), ("ingest", "web", "--follow"),
                      ("query", "--file")):
            with self.subTest(words):
                out, errors = self.evq(*words, self.directory, status=2)
                self.assertEqual(errors, f"error: {self.directory} is a directory\n"
                                 f"  = name its files: {self.directory}/*\n")
                self.assertEqual(out, "")
        for words in (("query", "-f"), ("export", "web", "--output")):
            with self.subTest(words):
                _, errors = self.evq(*words, self.directory, status=2)
                self.assertEqual(errors, f"error: {self.directory} is a directory\n  = name a file in it\n")
        (self.directory / "cut.log").write_bytes(b"one\n\0\0two\n")
        for words in (("ingest", "web"), ("query", "| count", "--file")):
            with self.subTest(words):
                _, errors = self.evq(*words, "cut.log", status=4)
                self.assertEqual(errors, "error: cut.log: this is no text: byte 5 is zero (compressed input may be "
                                         "gzip or zstd)\n  = --format text makes an event of each line all the same, and "
                                         "--format csv reads CSV\n")
        _, errors = self.evq("ingest", "web", ".", status=2)
        self.assertEqual(errors, "error: . is a directory\n  = name its files: *\n")
        if os.geteuid() != 0:
            closed = self.directory / "closed.json"
            closed.write_text("{}")
            closed.chmod(0)
            _, errors = self.evq("ingest", "web", closed, status=5)
            self.assertEqual(errors, f"error: cannot open {closed}: Permission denied\n")

    def test_files_that_are_queried(self):
        (self.directory / "part.json").write_text('{"a":1}\n{"a":\n{"a":3}\n')
        out, errors = self.evq("query", "--file", "part.json", "part | count")
        self.assertEqual((out, errors), (
            '{"Count":2}\n', "part.json:2:6: expected a value, found the end (line skipped)\n"))
        (self.directory / "timed.json").write_text('{"a":1,"time":"2026-11-20T08:00:05Z"}\n')
        note = "--timestamp-field time takes it from there\n"
        for query, told in (("timed | summarize min(_time) | count", note), ("timed | count", "")):
            out, errors = self.evq("query", "--file", "timed.json", query)
            self.assertEqual((out, errors[-len(note):]), ('{"Count":1}\n', told))
        _, errors = self.evq("query", "--timestamp-field", "time", "--file", "timed.json", "--",
                             "timed | summarize min(_time)")
        self.assertEqual(errors, "")
        (self.directory / "dated.csv").write_text("date,a\n1/13/2000,1\n")
        _, errors = self.evq("query", "--timestamp-field", "date", "--file", "dated.csv", "--", "| count")
        self.assertIn("note: dated.csv: --timestamp-format 1/2/2006 reads '1/13/2000'\n", errors)
        out, errors = self.evq("query", "--timestamp-field", "date", "--timestamp-format", "1/2/2006",
                               "--file", "dated.csv", "--", "| project _time")
        self.assertEqual((out, errors), ('{"_time":"2000-01-13T00:00:00Z"}\n', ""))
        (self.directory / "boot.log").write_text("name,at\na,1\n")
        for words, answer in (((), '{"at":1,"name":"a"}\n'), (("--format", "text"), ""),
                              (("--csv-fields", "x,y"), '{"x":"a","y":"1"}\n{"x":"name","y":"at"}\n'),
                              (("--csv-delimiter", ";"), '{"name,at":"a,1"}\n')):
            with self.subTest(words):
                out, errors = self.evq("query", "--file", "boot.log", *words, "| project-away _time, _sysTime")
                self.assertEqual(errors.count("no line begins with a time"), words.count("text"))
                lines = sorted(out.splitlines(keepends=True))
                self.assertEqual("".join(lines), answer or '{"message":"a,1"}\n{"message":"name,at"}\n')
        # What ingest tells of repairs and lists is told of files as well.
        (self.directory / "names.csv").write_bytes("name,n\nMáo,1\n".encode("cp1252"))
        self.assertEqual(self.evq("query", "--file", "names.csv", "| count", "-o", "csv")[1],
                         "names.csv: 1 event repaired (first at line 2: invalid UTF-8 became U+FFFD)\n"
                         "note: names.csv is not all UTF-8; if it is of another encoding, such as Windows-1252: "
                         "iconv -f WINDOWS-1252 -t UTF-8 names.csv | evq query --file -\n")
        (self.directory / "page.json").write_text('{"items":[{"a":1},{"a":2}]}\n')
        self.assertIn("note: page.json is one event, with a list of objects in .items; for an event each: "
                      "jq -c '.items[]' page.json | evq ", self.evq("query", "--file", "page.json", "| count")[1])
        self.check(("ingest", "d", "--label", "_time=2024-01-01"), 2, "error: --label cannot set _time\n"
                   "  = an event tells its time itself: --timestamp-field names the field\n")
        self.check(("query", "--file", "boot.log", "--csv-delimiter", "ab", "--", "boot"), 2,
                   "error: --csv-delimiter takes one character, and no quote or line end\n")
        (self.directory / "many.json").write_text("{\n" * 25)
        _, errors = self.evq("query", "--file", "many.json", "many | count")
        self.assertTrue(errors.endswith("15 more lines skipped\n"), errors)
        _, errors = self.evq("query", "--file", "part.json", "--", "events", status=3)
        self.assertIn("   = the files are part\n", errors)
        _, errors = self.evq("query", "--file", "part.json", "where a == 1", status=3)
        self.assertIn("   = a query begins with a dataset: part | where …\n", errors)
        self.assertEqual(self.out("query", "--file", "part.json", "--", "| project a"),
                         '{"a":1}\n{"a":3}\n')
        self.assertEqual(self.out("query", "--file", "part.json", input="\n").count('"a":'), 2)
        (self.directory / "packed.gz").write_bytes(b"\x1f\x8b\x08\x00")
        _, errors = self.evq("query", "--file", "packed.gz", "--", "packed", status=4)
        self.assertEqual(errors, "error: packed.gz: the compressed data ends too early\n")
        (self.directory / "logs").mkdir()  # a folder of a made-up name may name no dataset
        self.check(("query", "--file", "logs", "--", "x"), 2,
                   "error: logs is a directory\n"
                   "  = name its files: logs/*\n")

    def test_the_name_of_a_file_is_written_as_a_query_takes_it(self):
        (self.directory / "2024-05-01.json").write_text('{"a":1}\n')
        _, errors = self.evq("query", "--file", "2024-05-01.json", "2024-05-01 | count", status=3)
        self.assertIn("= begin with a dataset, ['2024-05-01'], or with print", errors)

    def test_no_query_and_one_without_a_dataset_are_about_all_files(self):
        for name, rows in (("a", 2), ("b", 3), ("empty", 0)):
            (self.directory / (name + ".ndjson")).write_text(f'{{"{name}":1}}\n' * rows)
        files = ("--file", "a.ndjson", "b.ndjson", "empty.ndjson")
        self.assertEqual(self.out("query", *files, "| count"), '{"Count":5}\n')
        self.assertEqual(self.out("query", *files, "  | where b == 1 | count"), '{"Count":3}\n')
        self.assertEqual(self.out("query", *files, input="\n").count("\n"), 5)
        self.assertEqual(self.out("query", *files, "a | count"), '{"Count":2}\n')
        self.assertEqual(self.out("query", *files, "union a, empty | count"), '{"Count":2}\n')
        self.assertEqual(self.out("query", "--file", "empty.ndjson", "| count"), '{"Count":0}\n')

    def test_many_files_are_one_dataset_unless_they_are_told_apart(self):
        files = [f"part-{i:02}.ndjson" for i in range(17)]
        for i, name in enumerate(files):
            (self.directory / name).write_text(json.dumps({"n": i} if i % 2 else {"n": str(i), "odd": False}) + "\n")

        def datasets(given, *query):
            answer = json.loads(self.out("query", "--file", *given, "--output", "tabular", "--", *query))
            return answer["datasetNames"]
        self.assertEqual(datasets(files, "| where n != 3"), ["events"])
        self.assertEqual(datasets(files, "| count"), ["events"])
        self.assertEqual(len(datasets(files[:16], "| count")), 16)
        for query in ("| where tostring(n) != 'part-03'", "| join kind=leftanti (union *) on n",
                      "| union (['part-00'])"):
            self.assertGreater(len(datasets(files, query)), 16, query)
        for query in ("| summarize count() by t = gettype(n), odd | sort by t asc", "| take 3 | project n, odd",
                      "| summarize make_list(n)", "| where n == 7 | project n"):
            together, apart = (self.out("query", "--file", *files, "--", query + end)
                               for end in ("", " // union"))
            self.assertEqual(together, apart)

    def test_events_without_times_come_as_they_stand_in_the_file(self):
        count = 150000  # of several batches
        (self.directory / "n.csv").write_text("n\n" + "".join(f"{i}\n" for i in range(count)))
        def numbers(query):
            return [json.loads(line)["n"] for line in self.out("query", "--file", "n.csv", query).splitlines()]
        self.assertEqual(numbers("| take 3"), [0, 1, 2])
        self.assertEqual(numbers("n"), list(range(1000)))
        self.assertEqual(numbers("| where n % 1000 == 0 | limit 2000"), list(range(0, count, 1000)))
        self.assertEqual(numbers("| where n > 70000 | take 2"), [70001, 70002])
        self.assertEqual(numbers("| top 2 by n"), [count - 1, count - 2])
        (self.directory / "two.csv").write_text("n,m\n1,x\n2,y\n")
        for form in ("csv", "tsv", "table", "ndjson", "json", "markdown", "line"):
            out = self.out("query", "-o", form, "--file", "two.csv", "--", "two")
            self.assertNotIn("_sysTime", out)
        self.assertIn("_sysTime", self.out("query", "--file", "two.csv", "| where isnotnull(_sysTime)"))
        self.assertIn("_sysTime", self.out("query", "-o", "legacy", "--file", "two.csv", "--", "two"))
        (self.directory / "t.csv").write_text("_time,n\n2024-01-01,1\n2024-01-02,2\n")
        self.assertEqual(self.out("query", "--file", "t.csv", "| project n"), '{"n":2}\n{"n":1}\n')

    def test_a_file_with_a_folder_where_a_dataset_belongs(self):
        (self.directory / "d").mkdir()
        (self.directory / "d" / "a.ndjson").write_text('{"a":1}\n')
        for words, hint in ((("./d/a.ndjson",), "for the events of that file: evq ingest DATASET ./d/a.ndjson"),
                            (("d/a.ndjson", "app"), "the dataset comes first: evq ingest app d/a.ndjson")):
            _, errors = self.evq("ingest", *words, status=2)
            self.assertTrue(errors.endswith(f"  = {hint}\n"), errors)
        _, errors = self.evq("query", "d/a.ndjson", status=3)
        self.assertIn("   = a file is queried with evq query --file d/a.ndjson\n", errors)

    def test_a_year_is_one(self):
        self.ingest("years", ['{"_time":"2024-05-01","n":1}', '{"_time":"2025-05-01","n":2}'])
        for words, rows in ((("--start-time", "2025"), [2]), (("--end-time", "2025"), [1]),
                            (("--start-time", "2024", "--end-time", "2026"), [2, 1]),
                            (("--start-time", "1746057600"), [2]), (("--start-time", "2024-06"), [2])):
            out = self.out("query", "years | project n", *words)
            self.assertEqual([json.loads(row)["n"] for row in out.splitlines()], rows)

    def test_a_token_that_nobody_saw_is_none(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([EVQ, "token", "create", "--name", "ci"], env=self.environment, stdout=full,
                                  stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr),
                         (5, "error: cannot write standard output: No space left on device\n"
                             "  = the token is deleted again\n"))
        self.assertNotIn("ci", self.out("token", "list"))

    def test_a_file_where_a_dataset_belongs(self):
        (self.directory / "app.ndjson").write_text('{"a":1}\n')
        for query in ("app.ndjson | count", "['app.ndjson']"):
            _, errors = self.evq("query", query, status=3)
            self.assertIn("   = a file is queried with evq query --file app.ndjson\n", errors)
        _, errors = self.evq("query", "app.json | count", status=3)
        self.assertNotIn("--file", errors)

    def test_what_the_datasets_of_files_are_called(self):
        for name, dataset in (("é1.json", "1"), ("è.json", "events"), (".hidden.json", "hidden"),
                              ("-_a b-.json", "a_b"), ("n" * 200, "n" * 128)):
            (self.directory / name).write_text('{"a":1}\n')
            self.assertEqual(self.out("query", "--file", "./" + name, "--", f"['{dataset}'] | count"),
                             '{"Count":1}\n')
        (self.directory / "a b.json").write_text('{"c,d":1}\n')
        for query in ("['a_b']", '["a_b"]', "['a_b'] | project ['c,d']"):
            self.assertIn('"c,d":1}', self.out("query", "--file", "a b.json", query))
        for name in ("same.log", "same.log.1"):
            (self.directory / name).write_text("a line\n")
        self.assertEqual(self.out("query", "--file", "same.log", "same.log.1", "| count"), '{"Count":2}\n')
        _, errors = self.evq("query", "--file", "same.log", "--", "same", env={"TMPDIR": "nowhere"}, status=5)
        self.assertIn("cannot make a folder in nowhere: No such file or directory", errors)

    def test_a_terminal_that_is_read_is_told_how_it_ends(self):
        for words in (("ingest", "d"), ("query", "--file", "-", "--", "| count")):
            ours, terminal = pty.openpty()
            self.addCleanup(os.close, ours)
            process = self.start(*words, stdin=terminal)
            os.close(terminal)
            self.assertEqual(process.stderr.readline(), "reading standard input; Ctrl-D ends it\n")
            os.write(ours, b'{"a":1}\n\x04')
            self.assertEqual(process.wait(timeout=30), 0)

    def test_queries_about_what_is_piped_or_named(self):
        events = self.directory / "my app.ndjson"
        events.write_text('{"a":1}\n{"a":2}\n')
        for query, hint in (("| count", "'| count'"), ("where a > 1", "'| where a > 1'"),
                            ("| count\n| take 1", "'| …'")):
            _, errors = self.evq("query", query, input=events.read_text(), status=3)
            self.assertTrue(errors.endswith(
                f"= events on standard input are queried with evq query --file - {hint}\n"), errors)
            _, errors = self.evq("query", query, input="", status=3)
            self.assertIn("= a query begins with a dataset", errors)
        for words in (("| count", events.name), (events.name, "| count")):
            self.check(("query", *words), 2,
                       f"error: unexpected '{words[1]}'\n  = events in a file are queried with "
                       "evq query --file 'my app.ndjson' '| count'\n")

    def test_a_saved_query_has_an_id(self):
        self.check(("starred", "put", "", "--apl", "web"), 2,
                   "error: a saved query needs an id\n  = evq starred list shows which there are\n")

    def test_a_range_that_is_empty(self):
        for verb in ("query", "export"):
            self.assertEqual(
                self.evq(verb, "web", "--start-time", "now", "--end-time", "now-1h"),
                ("", "note: the time range ends before it begins\n"))
        self.ingest("old", ['{"_time":"2024-05-01T10:00:00Z"}'])
        note = "note: the time range ends where 2024-05-01 begins; 2024-05-02 as its end takes all of that day\n"
        for verb in ("query", "export"):
            for start in ("2024-05-01", "2024-05-01T08:00:00Z"):
                self.assertEqual(self.evq(verb, "old", "--since", start, "--until", "2024-05-01"), ("", note))
            self.assertEqual(self.evq(verb, "old", "--since", "2024-05-02", "--until", "2024-05-01"),
                             ("", "note: the time range ends before it begins\n"))
        self.assertEqual(self.evq("export", "web | count", "--start-time", "20240310")[1],
                         "note: --start-time 20240310 is read as a Unix time; the date is 2024-03-10\n")
        self.assertEqual(self.evq("query", "web | count", "--start-time", "20240310")[1],
                         "note: --start-time 20240310 is read as a Unix time; the date is 2024-03-10\n")

    def test_a_range_beside_all_events(self):
        self.evq("ingest", "old", input='{"_time":"2024-05-01T10:00:00Z"}\n'
                                        '{"_time":"2024-05-02T10:00:00Z"}\n')
        note = ("note: old has no events in this time; its events are from 2024-05-01T10:00:00Z to "
                "2024-05-02T10:00:00Z\n")
        for words, told in (
                (("--since", "1h"), note),
                (("--end-time", "2024-05-01"), note),
                (("--end-time", "2024-05-01T10:00:00Z"), ""),
                (("--start-time", "2024-05-01T12:00:00Z", "--end-time", "2024-05-01T13:00:00Z"), ""),
                (("--start-time", "2024-05-02T10:00:00Z"), "")):
            with self.subTest(words):
                _, errors = self.evq("query", "old | where isnotnull(_time)", *words)
                self.assertEqual(errors, told)
        self.assertEqual(self.evq("query", "old | count", "--since", "1h", "-o", "csv"),
                         ("Count\n0\n", note))
        self.assertEqual(self.evq("tail", "old", "--since", "1h", "--no-follow"), ("", note))
        self.assertEqual(self.evq("tail", "old", "--since", "2024-05-02", "--no-follow")[1], "")
        for what in ("old", "old | count"):
            self.assertEqual(self.evq("export", what, "--since", "1h")[1], note)
            self.assertEqual(self.evq("export", what, "--start-time", "2024-05-02")[1], "")
        self.evq("dataset", "create", "none")
        self.assertEqual(self.evq("query", "none", "--since", "1h"), ("", ""))

    def test_closed_descriptors(self):
        for verb in (("ingest", "web"), ("query",)):
            done = subprocess.run([EVQ, *verb], env=self.environment, capture_output=True, text=True,
                                  preexec_fn=lambda: os.close(0), timeout=60)
            self.assertEqual(done.returncode, 5, done)
            self.assertIn("cannot read", done.stderr)

    def test_a_saved_query_that_is_none(self):
        (self.directory / "no.json").write_text('{"a":1}')
        for words, status in ((("starred", "put", "x", "nofile"), 1),
                              (("starred", "put", "x", "no.json"), 2)):
            _, errors = self.evq(*words, status=status)
            self.assertIn('  = write {"kind":"apl"', errors)

    def test_a_store_that_is_a_file(self):
        path = self.directory / "file"
        path.write_text("")
        _, errors = self.evq("--store", path, "query", "web", status=None)
        self.assertIn(f"there is no store at {path}", errors)

    def test_a_store_of_somebody_else_is_not_an_empty_one(self):
        store = pathlib.Path(self.environment["EVQ_STORE"])
        closed = os.geteuid() != 0
        store.chmod(0 if closed else 0o700)
        evq = self.evq_for_all()
        for words in (("query", "web"), ("dataset", "list"), ("ingest", "web")):
            done = subprocess.run([evq, *words], env=self.environment, input="", text=True,
                                  capture_output=True, timeout=60,
                                  preexec_fn=None if closed else lambda: os.setuid(65534))
            self.assertEqual(done.returncode, 5, done)
            self.assertIn(f"cannot list {store}: Permission denied\n", done.stderr)
        store.chmod(0o700)

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_what_root_makes_in_the_store_of_somebody_is_theirs(self):
        nobody, store = 65534, self.directory / "theirs" / "store"
        store.parent.mkdir()
        os.chown(store.parent, nobody, nobody)
        evq = self.evq_for_all()
        self.evq("--store", store, "ingest", "d", input='{"n":1}')
        self.evq("--store", store, "compact")
        for path in (store, *store.rglob("*")):
            self.assertEqual(path.stat().st_uid, nobody, path)
        done = subprocess.run([evq, "--store", store, "ingest", "d"], input=b'{"n":2}',
                              env=self.environment, user=nobody, group=nobody, cwd="/",
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_search_for_very_much(self):
        fields = ",".join(f'"f{i}":"x{i}"' for i in range(900))
        self.evq("ingest", "wide", input="{" + fields + "}\n")
        words = lambda count: " or ".join(f"'x{i}'" for i in range(count))
        self.assertEqual(self.out("query", "-f", "-", "-o", "csv",
                                  input=f"wide | search {words(200)} | count").split()[1], "1")
        _, errors = self.evq("query", "-f", "-", input=f"wide | search {words(2000)}", status=3)
        self.assertIn("more than 200000 expressions", errors)
        self.assertIn("name the field", errors)

    def test_a_link_to_no_store(self):
        link = self.directory / "link"
        link.symlink_to(self.directory / "gone")
        self.check(("--store", link, "dataset", "create", "d"), 5,
                   f"error: cannot create the folder {link}: it is a link to a folder that is not there\n"
                   "  = --store names another place\n")

    @unittest.skipIf(os.geteuid() != 0, "needs root")
    def test_a_store_that_another_user_may_only_read(self):
        store, nobody = pathlib.Path(self.environment["EVQ_STORE"]), 65534
        store.chmod(0o755)
        for path in store.rglob("*"):
            path.chmod(0o755 if path.is_dir() else 0o644)
        evq = self.evq_for_all()
        run = lambda *words: subprocess.run([evq, *words], env=self.environment, input="", text=True, cwd="/",
                                            user=nobody, group=nobody, capture_output=True, timeout=60)
        self.assertEqual(run("query", "web | count").stdout, '{"Count":1}\n')
        self.assertEqual(run("org").stdout, "evq\n")
        done = run("dataset", "create", "d")
        self.assertEqual(done.returncode, 5)
        self.assertIn("Permission denied\n  = what is there can be read; to write, be its owner", done.stderr)

    def test_a_store_that_cannot_be_made(self):
        _, errors = self.evq("--store", "/proc/none", "ingest", "web", input="", status=5)
        self.assertIn("/proc/none", errors)
        self.assertNotIn("there is no store", errors)

    def test_delete_takes_filters_only(self):
        self.check(("delete", "web | count"), 3,
                   "error[operator-not-allowed]: this operator is not allowed in a delete\n"
                   "  --> query:1:7\n   |\n 1 | web | count\n   |       ^^^^^\n"
                   "   = a delete takes a dataset, where and search only\n")

    def test_servers(self):
        _, errors = self.evq("--server", "http://127.0.0.1:1", "query", "web", status=6)
        self.assertEqual(errors, "error: cannot connect to http://127.0.0.1:1: Connection refused\n"
                         "  = does the server run? evq config show tells who named it\n")

    def test_times_of_since(self):
        self.assertEqual(self.out("query", "web | count", "--since", "2024-04-30"),
                         '{"Count":1}\n')
        self.assertEqual(self.out("query", "web | count", "--since", "2024-05-02"),
                         '{"Count":0}\n')


if __name__ == "__main__":
    main()
