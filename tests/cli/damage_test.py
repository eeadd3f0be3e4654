"""Damage made by hand: what is sound goes on, what is not is named, and no answer is wrong."""

import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess

from evq_case import EVQ, EvqCase, main

BLOCK = 65_536
START_MS = 1_714_521_600_000  # 2024-05-01T00:00:00Z
SEGMENT_BITS = 14


class Damage(EvqCase):
    def setUp(self):
        super().setUp()
        self.store = self.directory / "store"

    def fill(self, dataset="d", blocks=3, extra=""):
        self.ingest(dataset, [f'{{"_time":{START_MS + i * 1000},"i":{i}{extra}}}'
                              for i in range(blocks * BLOCK)])

    def change(self, *statements, file="datasets/1.db", store=None):
        with sqlite3.connect((store or self.store) / file) as database:
            for statement, *values in statements:
                database.execute(statement, values)
        database.close()

    def break_block(self, block, file="datasets/1.db"):
        self.change((f"UPDATE segments SET data = zeroblob(length(data)) WHERE id >> {SEGMENT_BITS} = "
                     f"{block}",), file=file)

    def count(self, query, *options):
        return int(self.out("-q", "query", query, "-o", "csv", "--no-header", *options))


class SoundParts(Damage):
    def setUp(self):
        super().setUp()
        self.fill()
        self.break_block(2)

    def test_a_best_effort_reads_the_rest(self):
        _, errors = self.evq("query", "d | summarize sum(i)", status=5)
        self.assertIn("datasets/1.db: block 2: column", errors)
        self.assertIn("set best_effort", errors)
        out, errors = self.evq("query", "set best_effort; d | summarize n = count(), sum(i)",
                               "-o", "csv")
        left = [i for i in range(3 * BLOCK) if i // BLOCK != 1]
        self.assertEqual(out, f"n,sum_i\n{len(left)},{sum(left)}\n")
        self.assertRegex(errors, r"^note: left out as damaged: datasets/1\.db: block 2: column .*\n$")
        # What no answer needs to read is left out all the same; outside the range nothing is.
        self.assertEqual(self.count("set best_effort; d | count"), len(left))
        self.assertEqual(self.count("set best_effort=false; d | count"), 3 * BLOCK)
        _, errors = self.evq("query", "set best_effort; d | count", "--end-time",
                             "2024-05-01T01:00:00Z")
        self.assertEqual(errors, "")

    def test_a_best_effort_does_without_a_row_of_the_list(self):
        self.change(("UPDATE blocks SET rows = rows - 1 WHERE id = 3",))
        self.evq("query", "d | count", status=5)
        out, errors = self.evq("query", "set best_effort; d | summarize n = count(), sum(i)",
                               "-o", "csv")
        self.assertEqual(out, f"n,sum_i\n{BLOCK},{sum(range(BLOCK))}\n")
        self.assertIn("left out as damaged: datasets/1.db: block 3: its row is damaged", errors)
        self.assertIn("left out as damaged: datasets/1.db: block 2: column", errors)

    def test_a_best_effort_does_without_a_row_of_fields(self):
        """What else of a field the row said is gone; its name and type stand in the blocks as well."""
        self.ingest("d", [f'{{"_time":{START_MS},"i":1,"late":true}}'])
        for change in ("unit = 'ms'", "description = 'x'", "types = 1", "name = 'j'",
                       "name = '_time'", "sum = sum + 1", "id = 77"):
            with self.subTest(change):
                copy = self.directory / "copy"
                shutil.rmtree(copy, ignore_errors=True)
                shutil.copytree(self.store, copy)
                self.change((f"UPDATE fields SET {change} WHERE name = 'i'",), store=copy)
                words = ("--store", copy, "query", "set best_effort; d | where i >= 0 "
                         "| summarize n = count(), sum(i), late = countif(late)", "-o", "csv")
                out, errors = self.evq(*words)
                left = [i for i in range(3 * BLOCK) if i // BLOCK != 1]
                self.assertEqual(out, f"n,sum_i,late\n{len(left) + 1},{sum(left) + 1},1\n")
                self.assertRegex(errors, r"left out as damaged: datasets/1\.db: field \d+: its row fails")
                self.evq("--store", copy, "query", "d | count", status=5)
                out, _ = self.evq("--store", copy, "check", status=5)
                self.assertIn("its row fails its checksum", out)
                self.assertNotIn("it is not in the list of fields", out)

    def test_a_server_says_what_it_leaves_out(self):
        url, token, _ = self.serve()
        out, errors = self.evq("--server", url, "--token", token, "query",
                               "set best_effort; d | summarize n = count()", "-o", "csv")
        self.assertEqual(out, f"n\n{2 * BLOCK}\n")
        self.assertIn("left out as damaged: datasets/1.db: block 2", errors)

    def test_deletes_go_on_beside_damage(self):
        _, errors = self.evq("delete", "d | where i % 65536 == 7", status=5)
        self.assertIn("datasets/1.db: block 2: column", errors)
        self.assertIn("the block was left alone, 131072 events of the sound blocks would be deleted",
                      errors)
        self.assertEqual(self.count("d | count"), 3 * BLOCK)
        _, errors = self.evq("delete", "d | where i % 65536 == 7", "--commit", "--yes", status=5)
        self.assertIn("131072 events of the sound blocks were deleted", errors)
        self.assertEqual(self.count("d | count"), BLOCK)
        # Its times alone say that all of it goes.
        report = json.loads(self.out("delete", "d", "--commit", "--yes",
                                     "--start-time", "2024-05-01", "--end-time", "2024-05-09"))
        self.assertEqual((report["rowsMatched"], report["rowsDeleted"]), (BLOCK, BLOCK))
        self.assertEqual(self.count("d | count"), 0)
        self.out("compact")
        self.out("check")

    def test_deletes_over_http_say_what_was_left(self):
        url, token, _ = self.serve()
        words = ("--server", url, "--token", token, "delete", "d | where i % 65536 == 7",
                 "--commit", "--yes")
        _, errors = self.evq(*words, status=5)
        self.assertIn("the block was left alone, 131072 events of the sound blocks were deleted",
                      errors)

    def test_compaction_goes_round_damage(self):
        for n in range(5):
            self.ingest("d", [json.dumps({"_time": START_MS, "i": n, "part": part})
                              for part in range(BLOCK // 8)])
        self.change((f"UPDATE chunks SET data = zeroblob(length(data)) WHERE id = 6",))
        self.fill("e", 1)
        for n in range(3):
            self.ingest("e", [json.dumps({"_time": START_MS, "i": n})])
        _, errors = self.evq("compact", status=5)
        self.assertIn("datasets/1.db: block 6:", errors)
        for dataset, chunks in (("d", 1), ("e", 0)):
            about = json.loads(self.out("dataset", "info", dataset, "-o", "json"))
            self.assertEqual(about["freshChunks"], chunks, about)
        self.assertEqual(self.count("set best_effort; d | where isnotnull(part) | count"),
                         4 * (BLOCK // 8))


QUERY = ("summarize count(), sum(i), dcount(t), countif(isnotnull(j)), min(_time), max(_time), "
         "sum(strlen(t)), sum(hash(strcat(t, '/', i)) % 1000003)")


class Forgery(Damage):
    """Parts of files that are sound by themselves, in a place or a store that is not theirs."""

    def setUp(self):
        super().setUp()
        self.other = self.directory / "other"
        for seed, store in enumerate((self.store, self.other)):
            for dataset in ("a", "b"):
                words = ("--store", store, "ingest", dataset)
                events = "".join(f'{{"_time":{START_MS + i},"i":{i + seed},"t":"text {i % 977}"}}\n'
                                 for i in range(BLOCK + 5000))
                self.evq(*words, input=events)
                self.evq("--store", store, "compact", dataset)
                for j in range(2):
                    self.evq(*words, input=f'{{"_time":{START_MS},"i":{j + seed},"j":{seed}}}\n')
        self.right = self.answers(self.store)
        self.evq("check")

    def answers(self, store):
        """Of each dataset its answer, or the error."""
        answers = []
        for dataset in ("a", "b"):
            done = subprocess.run([EVQ, "--store", store, "query", f"{dataset} | {QUERY}"],
                                  env=self.environment, capture_output=True, text=True, timeout=60)
            self.assertIn(done.returncode, (0, 2, 3, 5), done.stderr)
            answers.append(done.stdout if done.returncode == 0 else done.stderr)
        return answers

    def sources(self, table, where="1", file="datasets/1.db"):
        with sqlite3.connect(self.other / file) as database:
            rows = database.execute(f"SELECT * FROM {table} WHERE {where}").fetchall()
        database.close()
        return rows

    def put(self, store, table, rows, file="datasets/1.db"):
        holes = ",".join("?" * len(rows[0]))
        self.change(*((f"INSERT OR REPLACE INTO {table} VALUES({holes})", *row) for row in rows),
                    file=file, store=store)

    def swap(self, store, table, one, two):
        self.change((f"UPDATE {table} SET id = -1 WHERE id = {one}",),
                    (f"UPDATE {table} SET id = {one} WHERE id = {two}",),
                    (f"UPDATE {table} SET id = {two} WHERE id = -1",), store=store)

    def foreign_log(self, store, origin, number, *tables):
        """The write-ahead file of another dataset, with pages of these tables."""
        copy = self.directory / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(origin, copy)
        path = copy / "datasets" / f"{number}.db"
        database = sqlite3.connect(path)
        database.execute("PRAGMA wal_autocheckpoint = 0")
        for step in ("+ 1", "- 1"):
            for table, column in tables:
                database.execute(f"UPDATE {table} SET {column} = {column} {step}")
            database.commit()
        log = pathlib.Path(f"{path}-wal").read_bytes()
        database.close()
        self.assertGreater(len(log), 1000)
        (store / "datasets" / "1.db-wal").write_bytes(log)
        (store / "datasets" / "1.db-shm").unlink(missing_ok=True)

    def move(self, store, *names):
        """The first file to the place of the second, and so on round."""
        first, *others = (store / name for name in names)
        first.rename(store / "aside")
        for place, source in zip((first, *others), (*others, store / "aside")):
            source.rename(place)

    def segment(self, block, column):
        return block << SEGMENT_BITS | column

    def test_each_is_noticed(self):
        segment = self.segment
        blocks = [row[0] for row in self.list_of("blocks WHERE state = 0")]
        chunks = [row[0] for row in self.list_of("blocks WHERE state = 2")]
        self.assertEqual((len(blocks), len(chunks)), (2, 2))
        one, two = blocks
        forgeries = {
            "segments of two blocks": lambda s: self.swap(s, "segments", segment(one, 2), segment(two, 2)),
            "segments of two columns": lambda s: self.swap(s, "segments", segment(one, 2), segment(one, 3)),
            "headers": lambda s: self.swap(s, "headers", one, two),
            "chunks": lambda s: self.swap(s, "chunks", *chunks),
            "rows of blocks": lambda s: self.swap(s, "blocks", one, two),
            "rows of fields": lambda s: self.swap(s, "fields", 2, 3),
            "datasets": lambda s: self.move(s, "datasets/1.db", "datasets/2.db"),
            "a block of another store": lambda s: [
                self.put(s, table, self.sources(table, where)) for table, where in
                (("blocks", f"id = {one}"), ("headers", f"id = {one}"),
                 ("segments", f"id >> {SEGMENT_BITS} = {one}"))],
            "contents of a block of another store": lambda s: [
                self.put(s, table, self.sources(table, where)) for table, where in
                (("headers", f"id = {one}"), ("segments", f"id >> {SEGMENT_BITS} = {one}"))],
            "counters of another store": lambda s: self.put(s, "counters", self.sources("counters")),
            "a chunk of another store": lambda s: self.put(s, "chunks", self.sources("chunks")),
            "a file of another store": lambda s: shutil.copy(self.other / "datasets/1.db",
                                                             s / "datasets/1.db"),
            "the catalog of another store": lambda s: shutil.copy(self.other / "catalog.db",
                                                                  s / "catalog.db"),
            "a dataset's row of another store": lambda s: self.put(
                s, "datasets", self.sources("datasets", "name = 'a'", "catalog.db"), "catalog.db"),
            "a log of another store": lambda s: self.foreign_log(
                s, self.other, 1, ("blocks", "rows"), ("counters", "next_block")),
            "a log of another store: counters": lambda s: self.foreign_log(
                s, self.other, 1, ("counters", "next_block")),
            "a log of another store: fields": lambda s: self.foreign_log(
                s, self.other, 1, ("fields", "types")),
            "a log of the other dataset": lambda s: self.foreign_log(
                s, self.store, 2, ("blocks", "rows")),
            "a row that came back": lambda s: self.change(
                ("INSERT INTO blocks SELECT id + 50, state, dense, rows, first_ordinal, ordinal_end, "
                 "min_time, max_time, min_sys_time, max_sys_time, stored_bytes, raw_bytes, segments, "
                 f"payload_sum, sum FROM blocks WHERE id = {one}",), store=s),
            "half a copy": lambda s: os.truncate(
                s / "datasets/1.db", (s / "datasets/1.db").stat().st_size // 2),
        }
        for what, forge in forgeries.items():
            with self.subTest(what):
                store = self.directory / "forged"
                shutil.rmtree(store, ignore_errors=True)
                shutil.copytree(self.store, store)
                forge(store)
                for answer, right in zip(self.answers(store), self.right):
                    if answer != right:
                        self.assertRegex(answer, r"error.*(datasets/[12]\.db|catalog\.db)")
                self.assertNotEqual(self.answers(store), self.right)
                self.assertIn("problem", self.evq("--store", store, "check", status=5)[0])

    def test_damage_of_one_dataset_hides_nothing_of_another(self):
        self.change(("UPDATE datasets SET definition = x'' WHERE name = 'a'",), file="catalog.db")
        self.change(("UPDATE counters SET next_block = 1",), file="datasets/2.db")
        out, _ = self.evq("check", status=5)
        self.assertIn("the row of dataset 'a' is damaged", out)
        self.assertIn("datasets/2.db: ", out)

    def test_a_damaged_catalog_is_no_short_list_of_datasets(self):
        self.change(("UPDATE datasets SET file_key = file_key + 1 WHERE name = 'a'",),
                    file="catalog.db")
        told = "catalog.db: the row of dataset 'a' is damaged"
        for query in ("union *", "union a*", "union isfuzzy=true b, *", "search 'x'",
                      "search in (*) 'x'", "find where i == 1", "nosuch"):
            with self.subTest(query):
                self.assertIn(told, self.evq("query", f"{query} | count", status=5)[1])
        self.assertEqual(self.count("b | count"), BLOCK + 5002)
        url, token, _ = self.serve()
        errors = self.evq("--server", url, "--token", token, "query", "union * | count", status=5)[1]
        self.assertIn(told, errors)
        # Who may not see the dataset is not told its name.
        narrow = self.out("--server", url, "--token", token, "token", "create", "--name", "n", "--query", "b").strip()
        errors = self.evq("--server", url, "--token", narrow, "query", "union * | count", status=5)[1]
        self.assertIn("the catalog is damaged", errors)
        self.assertNotIn("'a'", errors)

    def test_a_list_of_datasets_goes_round_a_damaged_one(self):
        with open(self.store / "datasets/1.db", "r+b") as file:
            file.write(b"no database at all")
        for side in ("-wal", "-shm"):
            (self.store / ("datasets/1.db" + side)).unlink(missing_ok=True)
        listed = json.loads(self.evq("dataset", "list", "-o", "json")[0])
        damaged = [each for each in listed if "error" in each]
        self.assertEqual([each["name"] for each in damaged], ["a"])
        self.assertIn("datasets/1.db", damaged[0]["error"])
        self.assertGreater(len(listed), 1)
        self.assertTrue(all("numEvents" in each for each in listed if each not in damaged))
        self.assertRegex(self.evq("dataset", "list", "-o", "table")[0], r"a +\S* *damaged")
        _, errors = self.evq("dataset", "info", "a", status=5)
        self.assertIn("datasets/1.db", errors)
        url, token, _ = self.serve()
        there = ("--server", url, "--token", token)
        self.assertEqual(json.loads(self.out(*there, "dataset", "list", "-o", "json"))[0]["name"], "a")
        self.assertRegex(self.out(*there, "dataset", "list", "-o", "table"), r"a +\S* *damaged")
        self.evq(*there, "dataset", "info", "a", status=5)
        for dataset in [each["name"] for each in listed if each not in damaged]:
            self.evq("dataset", "delete", dataset, "--yes")
        self.assertRegex(self.evq("dataset", "list", "-o", "table")[0], r"a +\S* *damaged")

    def list_of(self, what):
        with sqlite3.connect(self.store / "datasets/1.db") as database:
            rows = database.execute(f"SELECT id FROM {what} ORDER BY id").fetchall()
        database.close()
        return rows

    def test_what_is_no_file_is_refused(self):
        for name in ("datasets/1.db", "catalog.db", "datasets/1.db.lock", "catalog.db.lock"):
            for kind in ("pipe", "link", "folder"):
                store = self.directory / f"no-{kind}"
                shutil.copytree(self.store, store)
                (store / name).rename(store / "aside")
                if kind == "pipe":
                    os.mkfifo(store / name)
                elif kind == "link":
                    (store / name).symlink_to(store / "aside")
                else:
                    (store / name).mkdir()
                _, errors = self.evq("--store", store, "query", "a | count", status=5)
                self.assertRegex(errors, f"{name} is a (named pipe|symbolic link|folder)")
                out, errors = self.evq("--store", store, "check", status=5)
                self.assertIn(name, out + errors)
                shutil.rmtree(store)


class Rows(Damage):
    """What is found in a row that no answer needs, and what is said of one that is in the way."""

    def test_a_second_row_of_counters_is_told(self):
        self.ingest("d", ['{"i":1}'])
        self.out("check")
        with sqlite3.connect(self.store / "datasets/1.db") as database:
            columns = [row[1] for row in database.execute("PRAGMA table_info(counters)")]
        database.close()
        others = ", ".join(name for name in columns if name != "id")
        self.change((f"INSERT INTO counters(id, {others}) SELECT id + 1, {others} FROM counters",))
        self.assertIn("datasets/1.db: there are counters besides", self.evq("check", status=5)[0])
        self.assertEqual(self.count("d | count"), 1)

    def test_a_damaged_token_can_be_deleted_as_its_hint_says(self):
        self.ingest("d", ['{"i":1}'])
        self.out("token", "create", "--name", "x", "--query", "d")
        self.change(("UPDATE tokens SET description = 'another'",), file="catalog.db")
        _, errors = self.evq("token", "list", status=5)
        command = re.search(r"delete it with 'evq (token delete [0-9a-f-]+)'", errors)
        self.assertIsNotNone(command, errors)
        self.out(*command[1].split())
        self.assertEqual(json.loads(self.out("token", "list", "-o", "json")), [])
        self.out("check")

    def test_of_a_damaged_token_the_list_is_whole_again_without_it(self):
        """Whatever is damaged of its row; several go one by one."""
        self.ingest("d", ['{"i":1}'])
        for change in ("sum = sum + 1", "name = 'y'", "name = 'y', sum = 7", "digest = x'00'"):
            with self.subTest(change):
                for name in ("sound", "bad", "bad"):
                    self.out("token", "create", "--name", name, "--query", "d")
                self.change((f"UPDATE tokens SET {change} WHERE name = 'bad'",) if "digest" not in change
                            else (f"UPDATE tokens SET {change} WHERE id = "
                                  "(SELECT min(id) FROM tokens WHERE name = 'bad')",),
                            file="catalog.db")
                while True:
                    done = subprocess.run([EVQ, "--store", self.store, "token", "list", "-o", "json"],
                                          env=self.environment, capture_output=True, text=True, timeout=60)
                    command = re.search(r"delete it with 'evq (token delete [0-9a-f-]+)'", done.stderr)
                    if command is None:
                        break
                    self.out(*command[1].split())
                self.assertEqual(done.returncode, 0, done.stderr)
                names = {token["name"] for token in json.loads(done.stdout)}
                self.assertLessEqual({"sound"}, names)
                self.assertLessEqual(names, {"sound", "bad"})
                self.out("check")
        self.serve()

    def test_of_a_damaged_dataset_the_others_can_be_queried(self):
        for dataset in ("a", "b"):
            self.ingest(dataset, ['{"i":1}'])
        self.change(("UPDATE datasets SET file_id = 99 WHERE name = 'a'",), file="catalog.db")
        for words in (("query", "a | count"), ("dataset", "delete", "a", "--yes")):
            _, errors = self.evq(*words, status=5)
            self.assertIn("the row of dataset 'a' is damaged", errors)
            self.assertIn("restore the store from a backup; its other datasets can be queried", errors)
            self.assertIn("'evq dataset delete a --damaged' gives this one up", errors)
        self.assertEqual(self.count("b | count"), 1)

    def test_a_damaged_dataset_can_be_deleted_when_that_is_said(self):
        """Whatever of its row is damaged: the others stay as they are, and so does a file that may be another's."""
        for what, change, told in (
                ("its definition", "definition = x''", True), ("its sum", "sum = sum + 1", True),
                ("its definition and its sum", "definition = x'', sum = 7", True),
                ("the number of its file", "file_id = 99", True),
                ("the number of its file, which is another's", "file_id = 2", True),
                ("the key of its file", "file_key = file_key + 1", False),
                ("the key of its file, which is another's",
                 "file_key = (SELECT file_key FROM datasets WHERE name = 'b')", False)):
            with self.subTest(what):
                shutil.rmtree(self.store, ignore_errors=True)
                for dataset in ("a", "b"):
                    self.ingest(dataset, ['{"i":1}'])
                self.change((f"UPDATE datasets SET {change} WHERE name = 'a'",), file="catalog.db")
                _, errors = self.evq("dataset", "delete", "a", "--yes", status=5)
                self.assertIn("the row of dataset 'a' is damaged", errors)
                _, errors = self.evq("dataset", "delete", "a", "--damaged", status=1)
                self.assertIn("this needs --yes", errors)
                _, errors = self.evq("dataset", "delete", "a", "--damaged", "--yes")
                self.assertEqual("evq check names it" in errors, not told, errors)
                self.assertEqual((self.store / "datasets/1.db").exists(), not told)
                self.assertEqual(self.count("union * | count"), 1)
                out, _ = self.evq("check", status=0 if told else 5)
                self.assertEqual("datasets/1.db: no dataset of the catalog has this file" in out, not told, out)
                self.ingest("a", ['{"i":1}', '{"i":2}'])
                self.assertEqual(self.count("union * | count"), 3)

    def test_several_damaged_datasets_can_be_deleted_one_by_one(self):
        for dataset in ("a", "b", "c"):
            self.ingest(dataset, ['{"i":1}'])
        self.change(("UPDATE datasets SET definition = x'', sum = 7 WHERE name <> 'c'",), file="catalog.db")
        self.evq("dataset", "delete", "a", "--damaged", "--yes")
        self.assertIn("the row of dataset 'b' is damaged", self.evq("query", "union * | count", status=5)[1])
        self.evq("dataset", "delete", "b", "--damaged", "--yes")
        self.out("check")
        self.assertEqual(self.count("union * | count"), 1)

    def test_a_sound_dataset_is_deleted_all_the_same_and_a_server_leaves_damaged_ones(self):
        self.ingest("a", ['{"i":1}'])
        url, token, _ = self.serve()
        _, errors = self.evq("--server", url, "--token", token, "dataset", "delete", "a", "--damaged", "--yes",
                             status=2)
        self.assertIn("there: evq dataset delete a --damaged", errors)
        self.evq("dataset", "delete", "a", "--damaged", "--yes")
        self.assertEqual(json.loads(self.out("dataset", "list", "-o", "json")), [])
        _, errors = self.evq("dataset", "delete", "a", "--damaged", "--yes", status=1)
        self.assertIn("'a' not found", errors)


class Log(Damage):
    def test_a_log_without_its_head_is_told_after_a_kill(self):
        url, token, server = self.serve()
        for number in range(3):
            self.evq("--server", url, "--token", token, "ingest", "d", input=f'{{"i":{number}}}\n')
        server.kill()
        server.wait()
        log = self.store / "datasets/1.db-wal"
        self.assertGreater(log.stat().st_size, 4096)
        with open(log, "r+b") as file:
            file.write(bytes(4096))
        damaged = log.read_bytes()
        for words in (("check",), ("query", "d | count"), ("ingest", "d")):
            out, errors = self.evq(*words, input='{"i":4}\n', status=5)
            self.assertIn("1.db-wal: damaged behind byte 0", out + errors)
        self.assertEqual(log.read_bytes(), damaged)


if __name__ == "__main__":
    main()
