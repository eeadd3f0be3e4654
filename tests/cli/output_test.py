"""Every output form of evq query, kept in golden/, and what a query says by its exit status."""

import concurrent.futures
import json
import os
import re
import subprocess

from evq_case import EVQ, EvqCase, main

EVENTS = [
    '{"_time":"2024-05-01T00:00:00Z","n":1,"real":1.5,"text":"plain","ok":true,"tags":["a","b"]}',
    '{"_time":"2024-05-01T00:00:01.000000001Z","n":-2,"text":"two words, \\"quoted\\"","ok":false}',
    '{"_time":"2024-05-01T00:00:02Z","n":9007199254740993,"real":1e300,"text":"a=b\\tc\\nd"}',
    '{"_time":"2024-05-01T00:00:03Z","text":"caf\\u00e9 \\u4e2d\\u6587 \\ud83d\\ude00 \\u001b[31mred"}',
    '{"_time":"2024-05-01T00:00:04Z","text":"","tags":[1,null,{"x":"y"}]}',
]
QUERY = "logs | project _time, n, real, text, ok, tags | sort by _time asc"


class Output(EvqCase):
    def setUp(self):
        super().setUp()
        self.ingest("logs", EVENTS)

    def test_forms(self):
        for form in ("json", "ndjson", "csv", "tsv", "logfmt", "table", "markdown", "line"):
            with self.subTest(form):
                self.check_golden(f"output_{form}.txt", self.out("query", QUERY, "-o", form))

    def test_programs_read_the_forms(self):
        rows = json.loads(self.out("query", QUERY, "-o", "json"))
        lines = [json.loads(line) for line in self.out("query", QUERY).splitlines()]
        self.assertEqual(rows, lines)
        self.assertEqual(rows[2]["n"], 9007199254740993)
        self.assertEqual(rows[4]["tags"], [1, None, {"x": "y"}])

    def test_logfmt_is_read_back_as_it_was(self):
        written = self.out("query", 'print a="true", b="-5", c=5, d=false, e="1e5", f="two words", g=""', "-o", "logfmt")
        self.assertEqual(written, 'a="true" b="-5" c=5 d=false e="1e5" f="two words" g=""\n')
        (self.directory / "a.log").write_text(written)
        read = self.out("query", "--file", "a.log", "--format", "logfmt", "| project-away _time, _sysTime", "-o", "json")
        self.assertEqual(json.loads(read), [{"a": "true", "b": "-5", "c": 5, "d": False, "e": "1e5",
                                             "f": "two words", "g": ""}])

    def test_logfmt_keeps_names_apart(self):
        query = """print ['k"q'] = 1, k_q = 2, ['k q'] = 3, ['k=q'] = 4, k_q_2 = 5, other = 6"""
        self.assertEqual(self.out("query", query, "-o", "logfmt"),
                         "k_q_3=1 k_q=2 k_q_4=3 k_q_5=4 k_q_2=5 other=6\n")

    def test_no_escape_sequence_reaches_a_terminal_form(self):
        for form in ("logfmt", "table", "line", "markdown"):
            self.assertNotIn("\x1b", self.out("query", QUERY, "-o", form))

    def test_an_answer_that_cannot_be_written_is_no_success(self):
        for words in (("query", "logs"), ("query", "logs", "-o", "table"), ("export", "logs"),
                      ("tail", "logs", "--no-follow"), ("dataset", "list"), ("help", "count"),
                      ("query", "logs", "--explain"), ("--help",), ("help", "ingest"),
                      ("--version",), ()):
            with self.subTest(words), open("/dev/full", "w") as full:
                done = subprocess.run([EVQ, *words], env=self.environment, stdout=full, text=True,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
                self.assertEqual((done.returncode, done.stderr), (
                    5, "error: cannot write standard output: No space left on device\n"))

    def test_an_answer_outlives_a_pager_that_is_not_there(self):
        text = self.on_terminal("query", "range n from 1 to 60 step 1",
                                env={"EVQ_PAGER": "no-such-pager -R"})
        self.assertTrue(text.startswith("note: there is no pager 'no-such-pager'\r\n"), text)
        rows = re.findall(r"(?m)^│ +(\d+) │\r$", re.sub(r"\x1b\[\d*m", "", text))
        self.assertEqual(rows, [str(n) for n in range(1, 61)])

    def test_a_search_shows_no_times_of_arrival(self):
        for query in ("search 'two'", "union withsource=from_ * | where n < 0", "union *", "logs"):
            with self.subTest(query):
                self.assertNotIn("_sysTime", self.out("query", query, "-o", "auto"))
                self.assertIn("_sysTime", self.out("query", query))
        self.assertIn("_sysTime", self.out("query", "search 'two' | project-keep _sysTime, n", "-o", "auto"))

    def test_lines_of_whole_events_leave_out_nulls(self):
        def fields(query, *options):
            return [line.split(" │ ")[0].strip() for line in
                    self.out("query", query, "-o", "line", *options).splitlines() if " │ " in line]
        last = ["_sysTime", "_time", "tags", "text"]
        for query in ("logs | top 1 by _time", "logs | where isnotempty(tags) | sort by _time desc | take 1"):
            self.assertEqual(fields(query), last)
        every = ["n", "ok", "real"]
        self.assertEqual(sorted(fields("logs | top 1 by _time", "--null", "-")), sorted(last + every))
        # What a query names is shown, null or not.
        self.assertEqual(fields("logs | top 1 by _time | project text, n"), ["text", "n"])
        self.assertEqual(fields("logs | summarize n = min(toint(text))"), ["n"])
        self.assertEqual(fields("print a = 1, b = int(null)"), ["a", "b"])

    def test_a_header_alone_that_fits_no_screen(self):
        self.ingest("wide", ["{" + ",".join(f'"field_number_{i}":1' for i in range(40)) + "}"])
        for form in ("table", "auto"):
            self.assertEqual(self.out("query", "wide | where _time < datetime(1990)", "-o", form),
                             f"no rows; there are {42 - (form == 'auto')} columns\n")
        self.assertIn("│ n ", self.out("query", "logs | where n > 5e18", "-o", "table"))
        self.assertEqual(self.out("query", "wide | where _time < datetime(1990)", "-o", "table",
                                  "--no-header").count("\n"), 2)

    def test_what_was_read_is_told(self):
        for part in range(3):  # a block each, which the next one's times are behind
            self.evq("ingest", "parts", input="".join(
                f'{{"_time":{1714521600 + part * 70000 + i},"n":{i}}}\n' for i in range(70000)))
        self.evq("compact")
        blocks = int(json.loads(self.out("dataset", "info", "parts", "-o", "json"))["numBlocks"])

        def told(query):
            return self.evq("query", query + " | project n", "--stats")[1].split(" · ")[1:3]

        rows, read = told("parts | take 1")
        self.assertEqual(read, f"1/{blocks} blocks")
        self.assertLessEqual(int(rows.replace(",", "").split()[0]), 65536)
        rows, read = told("parts | where n == 77777")
        self.assertEqual((rows, read), ("0 scanned", f"0/{blocks} blocks"))
        self.assertEqual(told("parts | where n >= 0 | summarize n = count()"),
                         ["210,000 scanned", f"{blocks}/{blocks} blocks"])

    def test_commands_side_by_side_end(self):
        # Threads that begin with giving memory back, while others do, once waited for themselves.
        def ask(_):
            return [self.evq("query", "search 'two'", "--stats")[1].split(" · ")[0] for _ in range(20)]
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for told in pool.map(ask, range(8)):
                self.assertEqual(len(set(told)), 1, told)

    def test_fewer_processors_than_there_are_change_nothing(self):
        self.evq("ingest", "few", input='{"n":1}\n' * 100)
        allowed = os.sched_getaffinity(0)
        self.addCleanup(os.sched_setaffinity, 0, allowed)
        os.sched_setaffinity(0, {max(allowed)})
        for words in (("--version",), ("query", "few | count"), ("ingest", "few", "--quiet")):
            self.assertEqual(self.evq(*words, input='{"n":1}\n')[1], "", words)

    def test_counts_of_a_profile_are_in_groups(self):
        self.evq("ingest", "many", input='{"n":1}\n' * 12345)
        text = self.out("query", "many | where n > 0 | summarize sum(n)", "--profile")
        self.assertRegex(text, r"(?m)^ +12,345 +[0-9.]+ ms +scan many")
        self.assertRegex(text, r"(?m)^1 of 1 blocks read, 12,345 rows examined; ")

    def test_the_last_of_an_option_counts(self):
        query = "range n from 1 to 3 step 1"
        self.assertEqual(self.out("query", query, "-o", "json", "--limit", "1", "--output", "csv", "--limit", "2"),
                         "n\n1\n2\n")
        self.ingest("d", ['{"a":1}'])
        self.assertEqual(self.out("--store", "nowhere", "query", "d | project a", "--store",
                                  self.environment["EVQ_STORE"]), '{"a":1}\n')
        for name in ("one", "two"):
            (self.directory / f"{name}.csv").write_text(f"a\n{name}\n")
        self.assertEqual(self.out("query", "--file", "one.csv", "--file", "two.csv", "--",
                                  "union one, two | sort by a asc | project a"), '{"a":"one"}\n{"a":"two"}\n')
        self.evq("ingest", "d", "--label", "x=1", "--label", "y=2", input='{"a":2}\n')
        self.assertEqual(self.out("query", "d | where a == 2 | project x, y"), '{"x":"1","y":"2"}\n')

    def test_variables(self):
        words = ("--variable", "n=5", "--variable", "version=1.10", "--variable", "list=[1, 2]",
                 "--variable", 's="7"', "--variable", "t=a=b")
        self.assertEqual(self.out("query", "print n + 1, version, list, s, t", *words, "-o", "csv", "--no-header"),
                         '6,1.10,"[1,2]",7,a=b\n')
        query = "declare query_parameters(n:real, version:string, since:timespan); print n, version, since"
        declared = (*words[:4], "--variable", "since=1h", "-o", "csv", "--no-header")
        answer = self.out("query", query, *declared)
        self.assertEqual(answer, "5,1.10,1h0m0s\n")
        self.evq("dataset", "create", "first")
        url, token, _ = self.serve()
        self.assertEqual(self.out("--server", url, "--token", token, "query", query, *declared), answer)
        for word in ("n", "=5"):
            _, errors = self.evq("query", "print 1", "--variable", word, status=2)
            self.assertIn(f"the variable '{word}' is not NAME=VALUE", errors)

    def test_no_header(self):
        with_header = self.out("query", QUERY, "-o", "csv")
        without = self.out("query", QUERY, "-o", "csv", "--no-header")
        self.assertEqual(with_header, "_time,n,real,text,ok,tags\n" + without)

    def test_fail_on_empty(self):
        self.evq("query", "logs | where n == 77", "--fail-on-empty", status=1)
        self.evq("query", "logs | where n == 77")
        self.evq("query", "logs", "--fail-on-empty")

    def test_form_from_the_environment(self):
        for variables in ({"EVQ_OUTPUT": "csv"}, {"EVQ_FORMAT": "csv"},
                          {"EVQ_OUTPUT": "csv", "EVQ_FORMAT": "json"}):
            self.assertEqual(self.out("query", "logs | count", env=variables), "Count\n5\n")

    def test_the_form_from_the_environment_is_every_verbs(self):
        env = {"EVQ_OUTPUT": "csv"}
        self.evq("starred", "put", "all", "--apl", "logs | count")
        self.assertEqual(self.out("starred", "run", "all", env=env), "Count\n5\n")
        self.assertEqual(self.out("repl", input="logs | count\n", env=env), "Count\n5\n")
        for words in (("query", "logs"), ("starred", "run", "all"), ("repl",)):
            _, errors = self.evq(*words, env={"EVQ_OUTPUT": "cvs"}, input="", status=2)
            self.assertEqual(errors,
                             "error: EVQ_OUTPUT: there is no form 'cvs'\n  = did you mean 'csv'?\n")

    def test_a_saved_query_is_answered_as_if_it_were_typed(self):
        self.evq("starred", "put", "some", "--apl", "logs | take 2")
        untimed = lambda text: re.sub(r'"elapsedTime":\d+', "", text)
        for form in ("auto", "table", "line", "ndjson", "tabular", "legacy"):
            self.assertEqual(untimed(self.out("starred", "run", "some", "-o", form)),
                             untimed(self.out("query", "logs | take 2", "-o", form)))

    def test_parquet(self):
        for words in (("query", QUERY), ("repl",)):
            done = subprocess.run([EVQ, *words, "-o", "parquet"], env=self.environment,
                                  input=QUERY.encode(), capture_output=True, check=True)
            self.assertEqual((done.stdout[:4], done.stdout[-4:]), (b"PAR1", b"PAR1"))
        self.assertEqual(self.on_terminal("query", QUERY, "-o", "parquet"),
                         "error: a terminal cannot show Parquet\r\n"
                         "  = send it to a file: > answer.parquet\r\n")
        done = subprocess.run([EVQ, "query", "print a = 1 | project-away a", "-o", "parquet"],
                              env=self.environment, capture_output=True, check=False)
        self.assertEqual((done.stdout, done.stderr),
                         (b"", b"error: a Parquet file needs a column\n"
                               b"  = the answer has none: ndjson and csv can say so\n"))

    def test_all_comes_page_by_page(self):
        count = 300_000
        self.evq("ingest", "many", input="".join(
            f'{{"_time":{1714521600000 + i % 1000},"i":{i}}}\n' for i in range(count)))
        out = self.out("query", "many | where i >= 0 | project i", "--all", "-o", "csv")
        numbers = [int(line) for line in out.splitlines()[1:]]
        self.assertEqual(sorted(numbers), list(range(count)))
        newest_first = sorted(range(count), key=lambda i: (i % 1000, i), reverse=True)
        self.assertEqual(numbers, newest_first)
        out = self.out("query", "many | project i", "--limit", "270000", "-o", "csv")
        self.assertEqual([int(line) for line in out.splitlines()[1:]], newest_first[:270_000])
        # How many there would be is not known where reading ended early, or rows were made.
        for query in ("many", "many | where i % 7 == 0", "many | mv-expand x = range(1, 3)",
                      "many | parse-where tostring(i) with * '7' rest"):
            _, errors = self.evq("query", query)
            self.assertIn("1,000 rows shown, the newest; add", errors)
        _, errors = self.evq("query", "many | sort by i asc")
        self.assertIn("1,000 rows shown, the first; add", errors)

    def test_legacy_rows_tell_when_each_arrived(self):
        for n in range(3):
            self.evq("ingest", "late", input=f'{{"n":{n}}}\n')
        self.evq("compact", "late")  # one block, so that it has to be read for them
        apl = "late | sort by n asc"
        arrived = [json.loads(line)["_sysTime"]
                   for line in self.out("query", apl, "-o", "ndjson").splitlines()]
        self.assertEqual(len(set(arrived)), 3)
        matches = json.loads(self.out("query", apl + " | project n", "-o", "legacy"))["matches"]
        self.assertEqual([match["_sysTime"] for match in matches], arrived)
        self.assertEqual([match["data"] for match in matches], [{"n": 0}, {"n": 1}, {"n": 2}])


if __name__ == "__main__":
    main()
