"""evq delete, starred, dataset and check on the local store."""

import json
import os
import pty
import resource
import sqlite3
import subprocess

from evq_case import EVQ, EvqCase, main

BLOCK = 65_536
DAY_MS = 86_400_000
START_MS = 1_714_521_600_000  # 2024-05-01T00:00:00Z

STARRED = {"kind": "apl", "name": "errors", "who": "ops", "metadata": {"team": "web"},
           "query": {"apl": "d | where i < 3 | summarize n = count()"}}


class Delete(EvqCase):
    def setUp(self):
        super().setUp()
        # Two whole blocks and the beginning of a third, in order of time.
        self.count = 2 * BLOCK + 1000
        self.ingest("d", [f'{{"_time":{START_MS + i * 1000},"i":{i}}}' for i in range(self.count)])
        self.out("compact", "d")

    def delete(self, apl, *options, status=0):
        return json.loads(self.out("delete", apl, *options, status=status))

    def left(self):
        return int(self.out("query", "d | count", "-o", "csv", "--no-header"))

    def test_a_dry_run_changes_nothing(self):
        report = self.delete("d | where i == 5 or i == 7")
        self.assertEqual(report, {"dryRun": True, "rowsMatched": 2, "rowsDeleted": BLOCK,
                                  "firstMatchedEvent": "2024-05-01T00:00:05Z",
                                  "lastMatchedEvent": "2024-05-01T00:00:07Z"})
        self.assertEqual(self.left(), self.count)

    def test_whole_blocks_go(self):
        report = self.delete("d | where i == 5", "--commit", "--yes")
        self.assertEqual((report["dryRun"], report["rowsMatched"], report["rowsDeleted"]),
                         (False, 1, BLOCK))
        self.assertEqual(self.left(), self.count - BLOCK)
        self.assertEqual(self.out("query", "d | summarize min(i)", "-o", "csv", "--no-header"),
                         f"{BLOCK}\n")
        self.out("check")
        again = self.delete("d | where i == 5", "--commit", "--yes")
        self.assertEqual((again["rowsMatched"], again["rowsDeleted"]), (0, 0))
        self.assertEqual((again["firstMatchedEvent"], again["lastMatchedEvent"]), ("", ""))

    def test_times_bound_what_matches(self):
        report = self.delete("d", "--start-time", "2024-05-01T00:00:10Z",
                             "--end-time", "2024-05-01T00:00:20Z")
        self.assertEqual((report["rowsMatched"], report["rowsDeleted"]), (11, BLOCK))  # both ends belong
        report = self.delete("d | where i == 5", "--start-time", "2024-05-01T00:00:06Z")
        self.assertEqual((report["rowsMatched"], report["rowsDeleted"]), (0, 0))

    def test_until_and_since_are_times_too(self):
        self.ingest("old", ['{"_time":"2024-05-01T00:00:00Z","n":1}'])
        for times, matched in ((("--until", "2024-05-02"), 1), (("--until", "2024-04-30"), 0),
                               (("--since", "1h"), 0), (("--since", "2024-04-30"), 1)):
            report = json.loads(self.out("delete", "old | where n == 1", *times))
            self.assertEqual(report["rowsMatched"], matched, times)

    def test_search_matches_too(self):
        self.ingest("words", ['{"text":"one needle"}', '{"text":"hay"}'])
        self.assertEqual(self.delete("words | search 'needle'")["rowsMatched"], 1)

    def test_other_operators_are_refused(self):
        for apl in ("d | take 5", "d | extend x = 1", "d | summarize count()", "d | where i in (d)",
                    "union d, d", "print x = 1"):
            with self.subTest(apl):
                out, errors = self.evq("delete", apl, "--commit", "--yes", status=3)
                self.assertEqual(out, "")
                self.assertIn("--> query:1:", errors)
        self.assertEqual(self.left(), self.count)

    def test_scripts_must_say_yes(self):
        out, errors = self.evq("delete", "d | where i == 5", "--commit", status=1)
        self.assertIn("--yes", errors)
        self.assertEqual(self.left(), self.count)

    def test_ctrl_c_is_an_answer(self):
        for words in (("delete", "d | where i == 5", "--commit"), ("dataset", "delete", "d")):
            ours, terminal = pty.openpty()
            self.addCleanup(os.close, ours)
            process = self.start(*words, stdin=terminal)
            os.close(terminal)
            asked = ""
            while "[y/N]" not in asked:
                asked += process.stderr.read(1)
            self.assertEqual(self.interrupt(process), 130)
        self.assertEqual(self.left(), self.count)

    def test_the_end_of_the_input_is_an_answer(self):
        for words in (("delete", "d | where i == 5", "--commit"), ("dataset", "delete", "d")):
            for keys, status in ((b"\x04", 1), (b"n\n", 1)):
                ours, terminal = pty.openpty()
                self.addCleanup(os.close, ours)
                process = self.start(*words, stdin=terminal)
                os.close(terminal)
                asked = ""
                while "[y/N] " not in asked:
                    asked += process.stderr.read(1)
                os.write(ours, keys)
                self.assertEqual(process.wait(timeout=30), status)
                self.assertEqual(process.stderr.read(), "\n" if keys == b"\x04" else "")
        self.assertEqual(self.left(), self.count)

    def test_a_dry_run_may_be_said(self):
        self.assertEqual(self.delete("d | where i == 5", "--dry-run"), self.delete("d | where i == 5"))
        self.assertEqual(self.left(), self.count)
        _, errors = self.evq("delete", "d | where i == 5", "--dry-run", "--commit", status=2)
        self.assertIn("excludes", errors)

    def test_for_people(self):
        self.assertEqual(self.out("delete", "d | where i == 5", "-o", "text"),
                         "1 event matches; --commit would delete 65,536 events: every event of the "
                         "blocks that hold a match\n")
        for options, told in (((), "--commit would delete nothing"),
                              (("--commit", "--yes"), "nothing was deleted")):
            self.assertEqual(
                self.evq("delete", "d | where i == -1", "-o", "text", *options),
                (f"no event matches; {told}\n",
                 "note: no block holds a match; evq query 'd | where i == -1' --stats shows which "
                 "events and how many blocks a condition finds, evq dataset info how many blocks "
                 "there are\n"))


class Starred(EvqCase):
    def put(self, name, body, status=0):
        return self.evq("starred", "put", name, input=json.dumps(body), status=status)

    def test_life_of_a_saved_query(self):
        self.ingest("d", [f'{{"i":{i}}}' for i in range(9)])
        self.put("errors", STARRED)
        self.assertEqual(json.loads(self.out("starred", "get", "errors")),
                         {**STARRED, "id": "errors"})
        self.assertEqual(self.out("starred", "run", "errors", "-o", "csv"), "n\n3\n")
        self.put("errors", {**STARRED, "name": "other", "dataset": "d"})
        self.assertEqual([each["name"] for each in json.loads(self.out("starred", "list", "-o",
                                                                       "json"))], ["other"])
        self.evq("starred", "delete", "errors")
        self.evq("starred", "get", "errors", status=1)
        self.evq("starred", "delete", "errors", status=1)

    def test_a_query_alone_is_saved(self):
        self.ingest("d", [f'{{"i":{i}}}' for i in range(1100)])
        self.evq("starred", "put", "odd", "--apl", "d | where i % 2 == 1 | project i")
        stored = json.loads(self.out("starred", "get", "odd"))
        self.assertEqual((stored["name"], stored["query"]),
                         ("odd", {"apl": "d | where i % 2 == 1 | project i"}))
        self.assertEqual(len(self.out("starred", "run", "odd").splitlines()), 550)
        self.evq("starred", "put", "all", "--apl", "d")
        note = "note: the query does not parse: no operator named 'wher'; did you mean 'where'?\n"
        self.assertEqual(self.evq("starred", "put", "wrong", "--apl", "d | wher x")[1], note)
        self.assertEqual(self.evq("--quiet", "starred", "put", "wrong", "--apl", "d | wher x")[1], "")
        self.evq("starred", "run", "wrong", status=3)
        self.evq("starred", "delete", "wrong")
        _, errors = self.evq("starred", "run", "all")
        self.assertEqual(errors, '1,000 rows shown, the newest; add "| limit N" or evq query --all for '
                         "more\n")
        self.evq("starred", "put", "x", "file", "--apl", "d", status=2)

    def test_every_field_is_kept(self):
        query = {"apl": "d", "startTime": "now-1d", "endTime": "now", "cursor": "",
                 "includeCursor": True, "includeCursorField": False, "defaultLimit": 10,
                 "defaultOrder": [{"field": "_time", "desc": True}], "libraries": ["l"],
                 "variables": {"v": 1},
                 "queryOptions": {"disableCache": True, "disableStats": False,
                                  "disableTrace": True, "maxDataPoints": 5, "maxSeries": 6,
                                  "noAggregation": False, "noFill": True, "noInterpolation": True,
                                  "priority": "high", "resolution": "1m", "displayNull": "span",
                                  "overlayCharts": "true", "shownColumns": "a",
                                  "timeSeriesVariant": "bars",
                                  "timeSeriesView": "charts|resultsTable"}}
        body = {**STARRED, "dataset": "d", "query": query}
        self.put("full", body)
        self.assertEqual(json.loads(self.out("starred", "get", "full")), {**body, "id": "full"})

    def test_what_is_refused(self):
        def with_query(**members):
            return {**STARRED, "query": {**STARRED["query"], **members}}

        def with_options(**members):
            return with_query(queryOptions=members)

        wrong = [{k: v for k, v in STARRED.items() if k != name} for name in STARRED]
        wrong += [{**STARRED, "kind": "sql"}, {**STARRED, "name": 1}, {**STARRED, "who": None},
                  {**STARRED, "metadata": {"n": 1}}, {**STARRED, "metadata": "m"},
                  {**STARRED, "dataset": 1}, {**STARRED, "query": {}},
                  with_query(defaultLimit="9"), with_query(includeCursor="yes"),
                  with_query(defaultOrder=[{"desc": True}]), with_query(libraries="l"),
                  with_query(variables=[]), with_options(unknown=True),
                  with_options(priority="urgent"), with_options(overlayCharts=True),
                  with_options(maxSeries=1.5), with_options(noFill="true"),
                  with_options(displayNull="none"), with_options(timeSeriesVariant="pie"),
                  with_options(timeSeriesView="table"), with_options(resolution=60),
                  with_options(shownColumns="x" * 10_001)]
        for body in wrong:
            with self.subTest(body):
                out, errors = self.put("wrong", body, status=None)
                self.assertEqual(out, "")
                self.assertTrue(errors.startswith("error"), errors)
        self.assertEqual(json.loads(self.out("starred", "list", "-o", "json")), [])
        self.put("longest", with_options(shownColumns="x" * 10_000))


class Datasets(EvqCase):
    def test_life_of_a_dataset(self):
        self.evq("dataset", "create", "app")
        self.evq("dataset", "create", "app", status=1)
        info = json.loads(self.out("dataset", "info", "app", "-o", "json"))
        self.assertEqual((info["name"], info["numEvents"]), ("app", 0))
        self.ingest("app", ['{"_time":"2024-05-01T00:00:00Z","n":1,"x":{"y":"z"}}', '{"n":2.5}'])
        info = json.loads(self.out("dataset", "info", "app", "-o", "json"))
        self.assertEqual((info["numEvents"], info["minTime"]), (2, "2024-05-01T00:00:00Z"))
        fields = {field["name"]: field["type"]
                  for field in map(json.loads, self.out("dataset", "fields", "app").splitlines())}
        self.assertEqual(set(fields), {"_time", "_sysTime", "n", "x.y"})
        self.assertEqual(fields["x.y"], "string")
        self.evq("dataset", "delete", "app", status=1)  # not without --yes
        self.evq("dataset", "delete", "app", "--yes")
        self.assertEqual(self.out("dataset", "list"), "")
        self.evq("query", "app", status=3)

    def test_the_list_fits_a_terminal(self):
        event = '{"_time":"2024-05-01T00:00:00Z"}'
        self.ingest("web", [event])
        full = "│ 2024-05-01T00:00:00Z │ 2024-05-01T00:00:00Z │"
        text = self.on_terminal("dataset", "list", columns=80)
        self.assertIn(full, text)
        self.assertIn(" size │", text)
        for length, row in ((30, "│ 2024-05-01 │ 2024-05-01T00:00:00Z │"), (35, "│ 2024-05-01 │ 2024-05-01 │")):
            self.ingest("x" * length, [event])
            lines = self.on_terminal("dataset", "list", columns=80).splitlines()
            self.assertEqual(sum("─" in line for line in lines), 3, lines)
            self.assertLessEqual(max(map(len, lines)), 80)
            self.assertEqual(sum(row in line for line in lines), len(lines) - 4, lines)
        self.ingest("x" * 70, [event])
        self.assertIn("size    │", self.on_terminal("dataset", "list", columns=80))  # lines tell all
        self.assertIn(full, self.on_terminal("dataset", "list", columns=160))

    def test_a_query_reads_more_datasets_than_its_first_limit_of_descriptors_allows(self):
        for i in range(30):
            self.ingest(f"d{i}", ['{"n":1}'])

        def limit():
            resource.setrlimit(resource.RLIMIT_NOFILE,
                               (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))

        done = subprocess.run([EVQ, "query", "union d* | count"], env=self.environment,
                              capture_output=True, text=True, timeout=120, preexec_fn=limit)
        self.assertEqual((done.stdout, done.stderr), ('{"Count":30}\n', ""))

    def test_more_datasets_than_descriptors(self):
        for i in range(30):
            self.evq("dataset", "create", f"d{i}")
        done = subprocess.run([EVQ, "query", "union d* | count"], env=self.environment,
                              capture_output=True, text=True, timeout=120,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)))
        self.assertEqual(done.returncode, 6)
        self.assertRegex(done.stderr, "too many files are open for one more dataset\n"
                                      "  = raise the limit of open files: ulimit -n 4096\n$")

    def test_a_mistyped_place_does_not_become_a_store(self):
        place = self.directory / "typo"
        for words in (("dataset", "list"), ("dataset", "info", "x"), ("dataset", "delete", "x", "--yes"),
                      ("dataset", "map-field", "add", "x", "y"), ("token", "list"),
                      ("token", "delete", "x"), ("org",), ("starred", "list"), ("starred", "get", "x")):
            with self.subTest(words):
                _, errors = self.evq("--store", place, *words, status=None)
                self.assertIn("there is no store at", errors)
                self.assertFalse(place.exists())
        # Where a dataset that is not there would have ended with 3, so does a store that is not.
        for words in (("query", "x"), ("export", "x"), ("tail", "x", "--no-follow")):
            _, errors = self.evq("--store", place, *words, status=3)
            self.assertIn(f"there is no store at {place}", errors)
        self.evq("--store", place, "token", "create", "--name", "t")
        self.assertTrue(place.exists())

    def test_map_fields(self):
        self.evq("dataset", "create", "app")
        self.evq("dataset", "map-field", "add", "app", "labels")
        self.evq("dataset", "map-field", "add", "app", "a.b")
        self.assertEqual(self.out("dataset", "map-field", "list", "app"), "labels\na.b\n")
        self.evq("dataset", "map-field", "add", "app", "labels", status=1)
        _, errors = self.evq("dataset", "map-field", "remove", "app", "label", status=1)
        self.assertEqual(errors,
                         "error: map field 'label' not found\n  = did you mean 'labels'?\n")
        self.evq("dataset", "map-field", "remove", "app", "labels")
        self.assertEqual(self.out("dataset", "map-field", "list", "app"), "a.b\n")
        self.ingest("app", ['{"a":{"b":{"c":1}}}'])
        self.assertIn('"a.b"', self.out("dataset", "fields", "app"))

    def test_names(self):
        for name in ("a", "with.dots-and_bars", "0", "x" * 128):
            self.evq("dataset", "create", name)
        for name in ("", "with blank", "a/b", "../up", "caf\u00e9", "x" * 129):
            with self.subTest(name):
                self.evq("dataset", "create", name, status=None)


class Check(EvqCase):
    def test_a_sound_store_and_a_damaged_one(self):
        self.ingest("d", [f'{{"i":{i},"t":"text {i * 7919 % 1000}"}}' for i in range(BLOCK + 10)])
        self.assertIn("sound", self.out("check"))
        path = next(path for path in (self.directory / "store").rglob("*")
                    if path.is_file() and path.suffix not in (".db-wal", ".db-shm")
                    and path.name != "catalog.db" and path.stat().st_size > 100_000)
        with sqlite3.connect(path) as database:  # fold the log in, so that the file is all
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0x10
        path.write_bytes(content)
        out, errors = self.evq("check", status=5)
        self.assertIn(path.name, out + errors)
        self.assertIn("block", out + errors)


class Answers(EvqCase):
    """The response objects of the API, from the command line."""

    def setUp(self):
        super().setUp()
        self.ingest("d", ['{"_time":"2024-05-01T00:00:00Z","n":1,"s":"a"}',
                          '{"_time":"2024-05-01T00:00:01Z","n":2,"s":"b"}'])

    def test_tabular(self):
        answer = json.loads(self.out("query", "d | project _time, n", "-o", "tabular"))
        self.assertEqual(answer["format"], "tabular")
        status = answer["status"]
        self.assertEqual((status["rowsExamined"], status["rowsMatched"], status["isPartial"],
                          status["minBlockTime"], status["maxBlockTime"]),
                         (2, 2, False, "2024-05-01T00:00:00Z", "2024-05-01T00:00:01Z"))
        table, = answer["tables"]
        self.assertEqual(table["sources"], [{"name": "d"}])
        self.assertEqual(table["fields"], [{"name": "_time", "type": "datetime"},
                                           {"name": "n", "type": "integer"}])
        self.assertEqual(table["order"], [{"field": "_time", "desc": True}])
        self.assertEqual(table["columns"],
                         [["2024-05-01T00:00:01Z", "2024-05-01T00:00:00Z"], [2, 1]])
        self.assertEqual(answer["datasetNames"], ["d"])
        self.assertEqual([field["name"] for field in answer["fieldsMetaMap"]["d"]], ["_time", "n"])

    def test_tabular_groups(self):
        answer = json.loads(self.out("query", "d | summarize n = count() by s", "-o", "tabular"))
        table, = answer["tables"]
        self.assertEqual(table["groups"], [{"name": "s"}])
        self.assertEqual(table["fields"][1]["name"], "n")
        self.assertEqual(answer["status"]["numGroups"], 2)

    def test_legacy(self):
        answer = json.loads(self.out("query", "d | project _time, n", "-o", "legacy"))
        self.assertEqual([match["data"] for match in answer["matches"]], [{"n": 2}, {"n": 1}])
        self.assertEqual([match["_time"] for match in answer["matches"]],
                         ["2024-05-01T00:00:01Z", "2024-05-01T00:00:00Z"])
        answer = json.loads(self.out("query", "d | summarize count() by s", "-o", "legacy"))
        totals = answer["buckets"]["totals"]
        self.assertEqual([(each["group"], each["aggregations"]) for each in totals],
                         [({"s": "a"}, [{"op": "count_", "value": 1}]),
                          ({"s": "b"}, [{"op": "count_", "value": 1}])])


if __name__ == "__main__":
    main()
