"""evq export: all events of a dataset, or a query's answer, for other tools. That Parquet files are
what they should be is for readers of Parquet to say: DuckDB's Python package, where it is
installed."""

import contextlib
import csv
import io
import json
import os
import subprocess
import unittest

from evq_case import EVQ, EvqCase, main
from processes import wait_until
from sanitizer import sanitizer_runtime

COUNT = 300_000
SANITIZED = sanitizer_runtime(EVQ) is not None


class Export(EvqCase):
    target = ()

    def lines(self, out):
        return [json.loads(line) for line in out.splitlines()]

    def test_everything_once_in_order_of_arrival(self):
        for part in range(3):
            self.ingest("logs", [f'{{"_time":{1714521600 + i},"i":{part * 1000 + i}}}'
                                 for i in range(1000)])
        rows = self.lines(self.out(*self.target, "export", "logs"))
        self.assertEqual(sorted(row["i"] for row in rows), list(range(3000)))
        self.evq("compact")
        self.assertEqual(len(self.lines(self.out(*self.target, "export", "logs"))), 3000)

    def test_more_than_one_part(self):
        self.evq("ingest", "many", input="".join(
            f'{{"_time":{1714521600000 + i},"i":{i},"text":"t{i % 7}"}}\n' for i in range(COUNT)))
        rows = list(csv.DictReader(io.StringIO(
            self.out(*self.target, "export", "many", "-o", "csv"))))
        self.assertEqual([int(row["i"]) for row in rows], list(range(COUNT)))

    def test_where_it_goes(self):
        self.ingest("logs", ['{"_time":1,"a":"x"}'])
        export = ("export", "logs | project a", "-o", "csv", "--output")
        self.assertEqual(self.out(*export, "-"), "a\nx\n")
        (self.directory / "folder").mkdir()
        file = self.directory / "folder/file.csv"
        file.write_text("before")
        file.chmod(0o640)
        link = self.directory / "link.csv"
        link.symlink_to("folder/file.csv")
        self.evq(*export, "link.csv")
        self.assertEqual((link.is_symlink(), file.read_text()), (True, "a\nx\n"))
        self.assertEqual(file.stat().st_mode & 0o777, 0o640)
        os.mkfifo(self.directory / "pipe")
        process = self.start(*export, "pipe")
        self.assertEqual((self.directory / "pipe").read_text(), "a\nx\n")
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertTrue((self.directory / "pipe").is_fifo())
        link.unlink()
        link.symlink_to("folder/new.csv")
        self.evq("repl", input="logs | project a\n.save link.csv\n.save nowhere/link.csv\n", status=None)
        self.assertEqual((link.is_symlink(), link.read_text()), (True, "a\nx\n"))
        self.evq("export", "logs | where a ==", "--output", "link.csv", status=3)
        self.assertEqual(link.read_text(), "a\nx\n")
        self.assertEqual(sorted(os.listdir(self.directory / "folder")), ["file.csv", "new.csv"])

    def test_files_have_the_rights_that_the_umask_leaves(self):
        self.ingest("logs", ['{"_time":1,"a":"x"}'])
        commands = "logs | project a\n.save saved.csv\n.save saved.apl\n.once once.csv\nlogs\n.output sent.csv\nlogs\n"
        for mask, mode in ((0o022, 0o644), (0o002, 0o664), (0o077, 0o600)):
            folder = self.directory / oct(mask)
            folder.mkdir()

            def run(*words, input=None):
                subprocess.run([EVQ, *words], env=self.environment, cwd=folder, input=input, text=True,
                               capture_output=True, timeout=60, umask=mask)

            run("export", "logs", "--output", "all.ndjson")
            run("repl", input=commands)
            run("ingest", "logs", "--format", "ndjson", "--reject-file", "rejects", input="bad\n")
            self.assertEqual({name: oct((folder / name).stat().st_mode & 0o777) for name in os.listdir(folder)},
                             dict.fromkeys(("all.ndjson", "saved.csv", "saved.apl", "once.csv", "sent.csv",
                                            "rejects"), oct(mode)))
            (folder / "all.ndjson").chmod(0o600)  # whoever made a file private keeps it so
            run("export", "logs", "--output", "all.ndjson")
            self.assertEqual((folder / "all.ndjson").stat().st_mode & 0o777, 0o600)
        for root, folders, files in os.walk(self.directory / "store"):
            for name in files:
                self.assertEqual(os.stat(os.path.join(root, name)).st_mode & 0o077, 0, name)

    def test_forms(self):
        self.ingest("logs", ['{"_time":1,"a":"x y"}', '{"_time":2,"b":1}'])
        array = '[\n{"a":"x y","b":null},\n{"a":null,"b":1}\n]\n'
        query = "logs | project a, b"
        self.assertEqual(self.out(*self.target, "export", query, "-o", "json"), array)
        self.assertEqual(self.out(*self.target, "export", query, "-o", "logfmt"), 'a="x y"\nb=1\n')
        for name, text in (("e.json", array), ("e.logfmt", 'a="x y"\nb=1\n'),
                           ("e.jsonl", '{"a":"x y"}\n{"b":1}\n')):
            self.evq(*self.target, "export", query, "--output", name)
            self.assertEqual((self.directory / name).read_text(), text)
        for name in ("e.tabular", "e.txt", "ev", "./csv"):
            _, told = self.evq(*self.target, "export", query, "--output", name)
            self.assertEqual(told, f"exported 2 events to {name} as ndjson\n")
            self.assertEqual((self.directory / name).read_text(), '{"a":"x y"}\n{"b":1}\n')
        _, told = self.evq(*self.target, "export", query, "--output", "E.CSV")
        self.assertEqual(told, "exported 2 events to E.CSV\n")
        self.assertEqual((self.directory / "E.CSV").read_text(), "a,b\nx y,\n,1\n")
        _, errors = self.evq(*self.target, "export", query, "--output", "/dev/full", status=None)
        self.assertIn("/dev/full", errors)
        _, errors = self.evq(*self.target, "export", query, "--output", "csv", status=2)
        self.assertIn("give -o csv; or, for a file of that name, --output ./csv\n", errors)
        self.evq("ingest", "many", input="".join(
            f'{{"_time":{1714521600000 + i},"i":{i}}}\n' for i in range(COUNT)))
        rows = json.loads(self.out(*self.target, "export", "many | project i", "-o", "json"))
        self.assertEqual([row["i"] for row in rows], list(range(COUNT)))

    def test_a_place_whose_whole_path_is_too_long(self):
        self.ingest("logs", ['{"a":1}'])

        def go_deep():
            os.chdir(self.directory)
            for _ in range(20):
                os.makedirs("d" * 250, exist_ok=True)
                os.chdir("d" * 250)

        done = subprocess.run([EVQ, "export", "logs | project a", "--output", "out.csv"], preexec_fn=go_deep,
                              env=self.environment, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, "exported 1 event to out.csv\n"))

    def test_queries(self):
        self.ingest("logs", [f'{{"_time":{1714521600 + i},"i":{i}}}' for i in range(100)])
        out = self.out(*self.target, "export", "logs | where i < 3 | project i", "-o", "csv")
        self.assertEqual(out, "i\n0\n1\n2\n")
        out = self.out(*self.target, "export", "logs | summarize n = count()")
        self.assertEqual(out, '{"n":100}\n')
        out = self.out(*self.target, "export", "logs | sort by i desc | take 2 | project i")
        self.assertEqual(out, '{"i":99}\n{"i":98}\n')

    def test_a_row_without_anything_is_no_blank_line(self):
        self.ingest("gaps", ['{"_time":1,"a":"x"}', '{"_time":2,"b":1}', '{"_time":3,"a":""}'])
        for form in ("csv", "tsv"):
            out = self.out(*self.target, "export", "gaps | project a", "-o", form)
            self.assertEqual(out, 'a\nx\n""\n""\n')
        out = self.out(*self.target, "export", "gaps | project a, b", "-o", "csv")
        self.assertEqual(out, "a,b\nx,\n,1\n,\n")
        (self.directory / "gaps.csv").write_text('a\nx\n""\n""\n')
        self.assertEqual(self.out("query", "--file", "gaps.csv", "--", "gaps | count"), '{"Count":3}\n')

    def test_subqueries_read_all_events_whatever_part_is_exported(self):
        self.evq("ingest", "many", input="".join(
            f'{{"_time":{1714521600000 + i},"a":{i}}}\n' for i in range(1, COUNT + 1)))
        out = self.out(*self.target, "export", "many | where a in ((many | top 3 by a | project a))"
                       " | project a")
        self.assertEqual(sorted(row["a"] for row in self.lines(out)),
                         [COUNT - 2, COUNT - 1, COUNT])
        above = "many | where a > toscalar(many | summarize avg(a)) - 149000"
        count = self.lines(self.out(*self.target, "query", above + " | count"))[0]["Count"]
        out = self.out(*self.target, "query", "--all", "-o", "ndjson", above)
        self.assertEqual((count, out.count("\n")), (299_000, 299_000))

    def test_names_that_begin_with_a_dollar_sign(self):
        self.ingest("shop", ['{"_time":1714521600,"$type":"view","$time":true,"$row":9}'])
        row = {"$type": "view", "$time": True, "$row": 9}
        for words in (("export", "shop | project-away _time, _sysTime"),
                      ("query", "shop | project-away _time, _sysTime", "-o", "ndjson"),
                      ("query", "--all", "shop | project-away _time, _sysTime", "-o", "ndjson")):
            self.assertEqual(self.lines(self.out(*self.target, *words)), [row], words)

    def test_goes_back_in(self):
        events = ['{"_time":"2024-05-01T00:00:00Z","a":{"b":1},"list":[1,"x"],"s":"q\\"\\n"}',
                  '{"_time":"2024-05-01T00:00:01Z","real":0.1,"s":""}']
        self.ingest("logs", events)
        first = self.out(*self.target, "export", "logs")
        self.evq("ingest", "copy", input=first)
        self.assertEqual(self.out(*self.target, "export", "copy"), first)
        self.assertEqual(self.lines(first)[0].keys(), {"_time", "a.b", "list", "s"})

    def test_whole_reals_stay_reals(self):
        lines = ['{"_time":"2024-05-01T00:00:00Z","r":5.0,"big":1e21,"in":{"list":[1.0,{"x":-0.0},2]}}',
                 '{"_time":"2024-05-01T00:00:01Z","r":-0.0,"mixed":7.0}',
                 '{"_time":"2024-05-01T00:00:02Z","mixed":"seven"}']
        self.ingest("logs", lines)
        out = self.out("export", "logs")
        self.assertEqual(out, (
            '{"_time":"2024-05-01T00:00:00Z","big":1e+21,"in.list":[1.0,{"x":-0.0},2],"r":5.0}\n'
            '{"_time":"2024-05-01T00:00:01Z","mixed":7.0,"r":-0.0}\n'
            '{"_time":"2024-05-01T00:00:02Z","mixed":"seven"}\n'))
        for query in ("logs | project r / 2", "logs | project mixed / 2", "logs | project r"):
            answer = self.out("query", query)
            self.evq("ingest", "copy", "--format", "ndjson", input=self.out("export", "logs"))
            self.assertEqual(self.out("query", query.replace("logs", "copy")), answer)
            self.evq("dataset", "delete", "copy", "--yes")
        for form, text in (("csv", 'r,mixed,list\n5.0,,"[1.0,{""x"":-0.0},2]"\n-0.0,7.0,\n,seven,\n'),
                           ("logfmt", 'r=5.0 list="[1.0,{\\"x\\":-0.0},2]"\nr=-0.0 mixed=7.0\nmixed=seven\n')):
            self.assertEqual(self.out("export", "logs | project r, mixed, list = ['in.list']", "-o", form),
                             text)
        self.assertEqual(self.out("export", "logs | where isnotnull(r) | project r", "-o", "json"),
                         '[\n{"r":5.0},\n{"r":-0.0}\n]\n')
        self.assertEqual(self.out("export", "logs | project r, q = 1 / 0.0", "-o", "csv").splitlines()[1],
                         "5.0,+Inf")
        self.assertIn('"r":5.0}', self.out(*self.target, "export", "logs"))
        self.assertEqual(self.out(*self.target, "query", "logs | project r | where r > 0"), '{"r":5}\n')

    def test_when_an_event_was_taken_in_is_told_where_it_is_asked_for(self):
        self.ingest("logs", ['{"_time":"2024-05-01T00:00:00Z","i":1}'])
        self.assertEqual(self.out(*self.target, "export", "logs", "-o", "csv"),
                         "_time,i\n2024-05-01T00:00:00Z,1\n")
        row = self.lines(self.out(*self.target, "export", "logs | where _sysTime > now(-1d)"))[0]
        self.assertEqual(row.keys(), {"_sysTime", "_time", "i"})

    def test_fields_that_an_event_does_not_have_are_left_out(self):
        self.ingest("logs", ['{"_time":"2024-05-01T00:00:00Z","a":1,"m":{"x":null}}',
                             '{"_time":"2024-05-01T00:00:01Z","b":"two"}'])
        self.assertEqual(self.out(*self.target, "export", "logs | project a, b"),
                         '{"a":1}\n{"b":"two"}\n')
        self.assertEqual(self.out(*self.target, "export", "logs | project c = a + 1, b", "-o",
                                  "csv"), "c,b\n2,\n,two\n")
        self.assertEqual(self.out(*self.target, "query", "logs | sort by _time asc | project a",
                                  "-o", "ndjson"), '{"a":1}\n{"a":null}\n')

    def test_files(self):
        self.ingest("logs", ['{"i":1}'])
        for name in ("out.ndjson", "out.csv", "out.parquet"):
            _, errors = self.evq(*self.target, "export", "logs", "--output", name)
            self.assertIn("exported 1 event to", errors)
        self.assertEqual(list(self.directory.glob("*.partial")), [])
        _, told = self.evq(*self.target, "export", "logs", "--output", "out.csv.gz", status=2)
        self.assertIn("export does not compress", told)
        self.evq(*self.target, "export", "nothing", "--output", "none.csv", status=3)
        self.assertFalse(list(self.directory.glob("none*")))
        (self.directory / "link.csv").symlink_to("no/such/out.csv")
        for name in ("no/such/out.csv", "link.csv"):
            _, errors = self.evq(*self.target, "export", "logs", "--output", name, status=1)
            self.assertEqual(errors, f"error: cannot create {name}: No such file or directory\n")

    def when_it_is_read(self, process, pipe):
        """The writing end of a named pipe, once the process reads it."""
        def opened():
            self.assertIsNone(process.poll(), "it did not read the pipe")
            with contextlib.suppress(OSError):  # nobody reads it
                return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)

        return wait_until(opened)

    def test_two_at_once_to_one_path(self):
        pipe = self.directory / "pipe.csv"
        os.mkfifo(pipe)
        own = self.directory / "out.csv.partial"
        own.write_text("somebody's own")
        self.ingest("logs", ['{"i":1}'])
        late = self.start("export", f'externaldata (id:long) ["{pipe}"]', "--output", "out.csv")
        with open(self.when_it_is_read(late, pipe), "w") as writer:
            self.evq("export", "range x from 1 to 3 step 1", "--output", "out.csv")
            self.assertEqual((self.directory / "out.csv").read_text(), "x\n1\n2\n3\n")
            writer.write("7\n")
        self.assertEqual(late.wait(timeout=60), 0)
        self.assertEqual((self.directory / "out.csv").read_text(), "id\n7\n")
        self.assertEqual(list(self.directory.glob("*.partial")), [own])
        self.assertEqual(own.read_text(), "somebody's own")

    def test_parquet(self):
        self.ingest("logs", [json.dumps({
            "_time": 1714521600 + i, "i": i if i % 3 else None, "real": i / 4,
            "flag": i % 2 == 0, "word": f"w{i % 5}", "unique": f"text number {i}",
            "list": [i, {"k": None}]}) for i in range(50_000)])
        self.evq(*self.target, "export", "logs", "--output", "out.parquet")
        data = (self.directory / "out.parquet").read_bytes()
        self.assertEqual((data[:4], data[-4:]), (b"PAR1", b"PAR1"))
        footer = int.from_bytes(data[-8:-4], "little")
        self.assertLess(footer, len(data))
        try:
            import duckdb
        except ImportError:
            return
        path = str(self.directory / "out.parquet")
        rows = duckdb.sql(f"""select count(*), sum(i), sum(real), count(i), sum(flag::int),
            count(distinct word), count(distinct "unique"), max(_time)::varchar,
            max(list::varchar) from '{path}'""").fetchone()
        self.assertEqual(rows[:7], (50_000, sum(i for i in range(50_000) if i % 3), 312493750.0,
                                    33_333, 25_000, 5, 50_000))


class LargeParts(EvqCase):
    @unittest.skipIf(SANITIZED, "a gigabyte of events takes a sanitizer too long")
    def test_a_part_that_does_not_fit_has_written_nothing(self):
        with open(self.directory / "many.ndjson", "w") as file:
            for i in range(67_150):
                text = f"{i:05}" * 200_000 if i >= 66_000 else ""
                file.write(f'{{"_time":{1714521600000 + i},"i":{i},"text":"{text}"}}\n')
        self.evq("ingest", "many", "many.ndjson")
        _, told = self.evq("export", "many", "--output", "many.parquet", timeout=400)
        self.assertEqual(told, "exported 67,150 events to many.parquet\n")


class ExportFromServer(Export):
    def setUp(self):
        super().setUp()
        self.evq("dataset", "create", "first")
        url, token, _ = self.serve()
        self.target = ("--server", url, "--token", token)

    def test_numbers_of_both_kinds_are_the_stores(self):
        self.ingest("logs", ['{"_time":1,"i":9007199254740993,"z":-0.0}', '{"_time":2,"i":1.5,"z":2.5}'])
        for words in (("query", "logs | project i, z"), ("export", "logs | project i, z", "-o", "csv"),
                      ("export", "logs"), ("tail", "logs", "--no-follow", "-o", "ndjson"),
                      ("dataset", "fields", "logs", "-o", "table")):
            told = self.out(*self.target, *words)
            self.assertEqual(told, self.out(*words))
            self.assertIn("993" if words[0] != "dataset" else "dynamic", told)


if __name__ == "__main__":
    main()
