"""Operators that hold their whole input or output say so when it does not fit."""

import json
import unittest

from evq_case import main
from memory_case import MemoryCase, ROWS, SANITIZED


class Memory(MemoryCase):
    def test_operators_keep_to_the_limit(self):
        for operators, name in (
                ("extend p = prev(s)", "a window function"),
                ("where x < 9 | make-series count() on x from 0 to 900000 step 1", "make-series"),
                ("partition by x (extend y = x + 1)", "partition"),
                ("extend a = pack_array(s, s) | mv-apply a on (take 1)", "mv-apply"),
                ("scan declare (n:long = 0) with (step a: true => n = a.n + 1;)", "scan"),
                ("reduce by s", "reduce"),
                ("evaluate narrow()", "narrow"),
                ("as t | union t | summarize max(x), max(s)", "a shared table"),
                ("where s in ((range y from 1 to 400000 step 1 | project strcat('n', tostring(y))))"
                 " | count", "a subquery"),
                ("join kind=inner (range x from 1 to 400000 step 1 | where rand() < 2) on x | count",
                 "join"),
                ("where rand() < 2 | sort by s asc", "sort")):
            with self.subTest(operators):
                _, errors = self.evq("-q", "query", "--memory-limit", "1M", ROWS + "| " + operators,
                                     status=None)
                self.assertRegex(errors, f"memory limit of .* exceeded in {name}")

    def test_lists_and_copies_are_counted(self):
        for query, limit, name in (
                ("range x from 1 to 400000 step 1 | join kind=inner "
                 "(range x from 1 to 400000 step 1 | where rand() < 2) on x | count", "12M", "join"),
                ("range x from 1 to 60000 step 1 | extend a = pack_array(strrep(tostring(x), 100)) "
                 "| mv-expand a | count", "100M", "mv-expand")):
            with self.subTest(name):
                _, errors = self.evq("-q", "query", "--memory-limit", limit, query, status=1)
                self.assertRegex(errors, f"memory limit of .* exceeded in {name}")

    @unittest.skipIf(SANITIZED, "takes long")
    def test_what_a_join_knows_of_its_rows_is_counted(self):
        # A column of one value takes next to nothing.
        for kind, limit, rows in (("rightouter", 100, 60_000_000), ("inner", 200, 45_000_000)):
            with self.subTest(kind):
                status, errors, _, peak = self.run_measured(
                    "--memory-limit", f"{limit}M", f"range x from 1 to 1 step 1 | join kind={kind} "
                    f"(range y from 1 to {rows} step 1 | project x = 1) on x | count")
                self.assertRegex(errors, "memory limit of .* exceeded in join")
                self.assertEqual(status, 1)
                self.assertLess(peak, (limit + 96) << 10)

    def test_what_a_join_pairs_is_counted(self):
        columns = ", ".join(f"c{i} = x + {i}" for i in range(100))
        query = (f"range x from 1 to 60000 step 1 | extend {columns} | join kind=inner "
                 "(range i from 1 to 60999 step 1 | project x = iff(i > 60000, 1, i)) on x "
                 "| summarize n = count(), " + ", ".join(f"s{i} = sum(c{i})" for i in range(100)))
        _, errors = self.evq("-q", "query", "--memory-limit", "64M", query, status=1)
        self.assertRegex(errors, "memory limit of .* exceeded in join")
        sums = [str(sum(range(1 + i, 60001 + i)) + 999 * (1 + i)) for i in range(100)]
        self.assertEqual(self.out("-q", "query", "--memory-limit", "200M", "-o", "csv",
                                  "--no-header", query), ",".join(["60999", *sums]) + "\n")

    def test_blocks_of_large_events_are_counted(self):
        with open(self.directory / "large.ndjson", "w") as events:
            for i in range(9000):
                text = f"{i:08d} lorem ipsum dolor sit amet " * 400
                events.write(f'{{"_time":{1714521600000 + i},"k":{i * 7919 % 9000},"text":"{text}"}}\n')
        self.evq("ingest", "large", "large.ndjson")
        self.evq("compact", "large")
        self.assertGreater(json.loads(self.out("dataset", "info", "large"))["numBlocks"], 1)
        for operators in ("", "sort by k asc | serialize a = 1 | "):
            with self.subTest(operators):
                out, peak = self.measured("--memory-limit", "400M", "large | " + operators +
                                          "summarize n = countif(strlen(text) > 1000)")
                with out:
                    self.assertEqual(json.load(out), {"n": 9000})
                if not SANITIZED:
                    self.assertLess(peak, (400 + 96) << 10)
        _, errors = self.evq("-q", "query", "--memory-limit", "8M",
                             "large | where text contains '00777' | count", status=1)
        self.assertRegex(errors, "memory limit of .* exceeded in reading a block")

    @unittest.skipIf(SANITIZED, "takes long")
    def test_rows_of_very_many_columns_are_read_some_at_a_time(self):
        fields, count, limit = 7000, 10_000, 24
        with open(self.directory / "wide.ndjson", "w") as file:
            for i in range(count):
                file.write(f'{{"_time":{1714521600000 + i},"f{i * 7919 % fields}":"{i % 100}"}}\n')
        self.evq("ingest", "wide", "wide.ndjson")
        self.evq("compact", "wide")
        query = ("wide | where f0 != 'none' or isnull(f0) | extend row = tostring(pack_all(true)) "
                 "| summarize count(), sum(strlen(row)), sum(binary_and(hash(row), 1048575))")
        out, peak = self.measured("--memory-limit", f"{limit}M", query)
        with out:
            self.assertEqual(out.read(), self.out("-q", "query", "--memory-limit", "4G", query))
        self.assertLess(peak, (limit + 96) << 10)

    @unittest.skipIf(SANITIZED, "takes long, and its own memory would be measured")
    def test_what_very_many_columns_take_beside_their_values_is_counted(self):
        """Most of it where a chunk has few rows: objects, codes and keys of absent values."""
        fields, limit = 9000, 128
        with open(self.directory / "wide.ndjson", "w") as file:
            for i in range(9000):
                members = ",".join(f'"f{(i * 97 + k) % fields}":"t{(i * 31 + k) % 1009}"'
                                   for k in range(60))
                file.write(f'{{"_time":{1714521600000 + i},{members}}}\n')
        self.evq("ingest", "wide", "wide.ndjson")
        for query in ("wide | serialize n = row_number() | take 3",
                      "wide | join kind=inner (wide | where f7 != '' | project f1, k = 1) on f1",
                      "wide | top 20 by f5", "wide | sort by f2 asc | take 30",
                      "wide | summarize arg_max(_time, *)"):
            with self.subTest(query):
                out, peak = self.measured("--memory-limit", f"{limit}M", query)
                with out:
                    self.assertEqual(out.read(), self.out("-q", "query", "--memory-limit", "4G", query))
                self.assertLess(peak, (limit + 96) << 10)

    def test_a_table_keeps_to_the_limit(self):
        rows = "range x from 1 to 100000 step 1"
        for form in ("table", "markdown", "line"):
            _, errors = self.evq("-q", "query", "--memory-limit", "4M", "-o", form, rows, status=1)
            self.assertEqual(errors, "error: memory limit of 4 MiB exceeded in the rows of the table\n"
                             "  = csv and ndjson hold no rows; or ask for fewer, or raise the memory limit\n")
            self.evq("-q", "query", "--memory-limit", "40M", "-o", form, rows)
        self.evq("-q", "query", "--memory-limit", "4M", "-o", "csv", rows)

    @unittest.skipIf(SANITIZED, "a sanitizer's own memory would be measured")
    def test_a_picture_holds_only_the_groups_that_it_shows(self):
        out, peak = self.measured(
            "-o", "chart", "range x from 0 to 99999 step 1 | extend user = tostring(x % 2000), "
            "_time = datetime(2024-01-01) + x * 1s | summarize count() by bin(_time, 1s), user "
            "| render timechart")
        with out:
            self.assertIn("1,960 more groups are not shown", out.read())
        self.assertLess(peak, 256 << 10)

    @unittest.skipIf(SANITIZED, "a sanitizer's own memory would be measured")
    def test_a_header_of_very_many_columns_is_refused_before_it_is_held(self):
        with open(self.directory / "wide.csv", "w") as table:
            # A process counts its parent's memory as its own: this one stays small.
            for _ in range(1600):
                table.write("," * 10_000)
            table.write("\n1\n2\n")
        status, errors, _, peak = self.run_measured(
            "wide", str(self.directory / "wide.csv"), verb="ingest")
        self.assertEqual(status, 4)
        self.assertIn("the header has more than 10000 columns", errors)
        self.assertLess(peak, 96 << 10)

    def test_a_sort_for_an_operator_over_all_rows_keeps_to_the_limit(self):
        count = 300_000
        with open(self.directory / "wide.ndjson", "w") as events:
            for i in range(count):
                k = i * 7919 % count
                events.write(f'{{"_time":{1714521600000 + i},"k":{k},"text":"{self.text_of(k)}"}}\n')
        self.evq("ingest", "wide", "wide.ndjson")
        # In order of time workers read stretches side by side, which are held until it gets tight.
        for key in ("k", "_time", "text"):
            for limit, fits in ((4, None), (40, True), (300, True)):
                with self.subTest(key=key, limit=limit):
                    status, errors, path, peak = self.run_measured(
                        "--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
                        f"wide | sort by {key} asc | serialize n = row_number(), p = prev(text) "
                        "| summarize sum(n), max(text), countif(p == '')")
                    if not SANITIZED:
                        self.assertLess(peak, (limit + 96) << 10)
                    self.assertIn(fits, (status == 0, None))
                    if status == 0:
                        self.assertEqual(path.read_text(), f"{count * (count + 1) // 2},"
                                         f"{self.text_of(count - 1)},0\n")
                    else:
                        self.assertRegex(errors, "memory limit of .* exceeded in")

    def test_window_functions_over_others_keep_to_the_limit(self):
        """Also where memory is enough for the rows of the inner ones, and not for all."""
        count = 150_000
        with open(self.directory / "times.ndjson", "w") as events:
            for i in range(count):
                events.write(f'{{"_time":{1714521600000 + i},"x":{i}}}\n')
        self.evq("ingest", "times", "times.ndjson")
        for limit in range(6000, 10_000, 500):
            with self.subTest(limit):
                self.assertEqual(self.out("-q", "query", "--memory-limit", f"{limit}K", "-o", "csv",
                                          "--no-header", "times | sort by _time asc "
                                          "| extend p = prev(x) | extend q = prev(p) "
                                          "| summarize sum(x - q)"), f"{2 * (count - 2)}\n")

    @staticmethod
    def text_of(key):
        return f"{key:08d}" * 40

    def test_a_sort_of_events_holds_what_it_sorts_by(self):
        count = 100_000
        keys = [i * 7919 % count for i in range(count)]
        same = "s" * 500
        # A process counts its parent's memory as its own: this one stays small.
        with open(self.directory / "wide.ndjson", "w") as events:
            for i, k in enumerate(keys):
                events.write(f'{{"_time":{1714521600000 + i},"k":{k},"text":"{self.text_of(k)}",'
                             f'"same":"{same}"}}\n')
        self.evq("ingest", "wide", "wide.ndjson")
        for query, order in (
                ("wide | project k, text, same", keys[::-1]),
                ("wide | sort by _time asc | project k, text, same", keys),
                # Neighbours lie in all blocks: each batch reads most of them.
                ("wide | sort by k asc | project k, text, same", sorted(keys)),
                ("wide | extend n = strlen(text) | where n > 1 | sort by n asc, k desc "
                 "| project k, text, same", sorted(keys, reverse=True))):
            with self.subTest(query):
                out, peak = self.measured("--all", "-o", "csv", "--no-header",
                                          "--memory-limit", "24M", query)
                with out:
                    for wanted, line in zip(order, out, strict=True):
                        self.assertEqual(line, f"{wanted},{self.text_of(wanted)},{same}\n")
                if not SANITIZED:
                    self.assertLess(peak, (24 + 96) << 10)
        # The texts of few values are shared by all rows, however they are put together.
        self.assertEqual(self.out("-q", "query", "--memory-limit", "24M",
                                  "wide | project same | serialize n = row_number() "
                                  "| summarize n = max(n), long = max(strlen(same))"),
                         '{"n":100000,"long":500}\n')

    def test_few_rows_do_not_keep_the_texts_of_the_others(self):
        count, limit = 700_000, 64
        with open(self.directory / "long.ndjson", "w") as events:
            for i in range(count):
                text = f"{i * 7919 % count:08d}" * 40
                events.write(f'{{"_time":{1714521600000 + i},"k":{i},"text":"{text}"}}\n')
        self.evq("ingest", "long", "long.ndjson")
        for query, wanted in (
                ("top 300 by text asc | summarize count(), max(text)", f"300,{'00000299' * 40}"),
                ("where k % 97 == 3 | sort by text asc | serialize n = row_number() "
                 "| summarize max(n), max(k)", "7217,699955"),
                ("extend t = substring(text, 0, 8) | where k % 4 == 3 | project t "
                 "| sort by t asc | serialize n = row_number() | summarize max(n), min(t)",
                 "175000,00000001"),
                ("project k, t = substring(text, 0, 8) | where k % 10 == 3 "
                 "| join kind=inner (long | where k % 100 == 3 | project k, text) on k "
                 "| summarize count(), max(strlen(text))", "7000,320"),
                ("where k % 100 == 7 | as some | union some | summarize count(), max(strlen(text))",
                 "14000,320")):
            with self.subTest(query):
                out, peak = self.measured("--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
                                          "long | " + query)
                with out:
                    self.assertEqual(out.read(), wanted + "\n")
                if not SANITIZED:
                    self.assertLess(peak, (limit + 96) << 10)

    def test_a_large_limit_holds_little_more_than_its_rows(self):
        limit = 120
        out, peak = self.measured(
            "--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
            "range x from 1 to 3000000 step 1 | extend s = strcat(tostring(x * 7919 % 3000000), ' ') "
            "| top 1000000 by s asc | summarize count(), max(strlen(s))")
        with out:
            self.assertEqual(out.read(), "1000000,8\n")
        if not SANITIZED:
            self.assertLess(peak, (limit + 96) << 10)

    def test_a_table_of_groups_asks_before_it_grows(self):
        limit = 140
        keys = "range x from 1 to 8000000 step 1 | extend s = tostring(x * 7919 % 4000000) "
        for operators, answer in (("| where rand() >= 0.0 | distinct s | count", None),
                                  ("| distinct s | count", '{"Count":4000000}\n')):
            with self.subTest(operators):
                status, errors, path, peak = self.run_measured("--memory-limit", f"{limit}M",
                                                               keys + operators)
                self.assertEqual(status, 1 if answer is None else 0)
                if answer is None:
                    self.assertRegex(errors, "memory limit of .* exceeded in summarize")
                else:
                    self.assertEqual(path.read_text(), answer)
                if not SANITIZED:
                    self.assertLess(peak, (limit + 96) << 10)

    def test_what_groups_keep_is_counted(self):
        # Of rows that may differ the next time, so that groups cannot be made some at a time.
        shared = ("range x from 1 to 4000 step 1 | where rand() < 2 "
                  "| extend s = iff(x > 0, strrep(strrep('a', 1024), 1024), 'b') | summarize r = %s by x"
                  " | summarize max(tostring(r))")
        for call in ("make_list(s)", "make_set(s)", "make_set(pack_array(s))", "max(s)",
                     "take_any(s)", "count_distinct(s)", "topk(s, 1)", "make_bag(bag_pack('k', s))",
                     "make_list_if(s, x > 1)"):
            query = shared % call
            with self.subTest(query):
                status, errors, _, peak = self.run_measured(
                    "--memory-limit", "100M", query)
                self.assertRegex(errors, "memory limit of .* exceeded in summarize")
                self.assertEqual(status, 1)
                if not SANITIZED:
                    self.assertLess(peak, (100 + 96) << 10)

    def test_what_groups_merge_is_counted(self):
        # One row makes its group a whole sketch.
        for state, merge in (("hll(x, 4)", "hll_merge"), ("tdigest(x)", "tdigest_merge")):
            with self.subTest(merge):
                status, errors, _, peak = self.run_measured(
                    "--memory-limit", "100M",
                    f"let big = toscalar(range x from 1 to 100000 step 1 | summarize {state}); "
                    "range x from 1 to 2000 step 1 | where rand() < 2 | extend s = iff(x > 0, big, 'b') "
                    f"| summarize r = {merge}(s) by x | summarize max(r)")
                self.assertRegex(errors, "memory limit of .* exceeded in summarize")
                self.assertEqual(status, 1)
                if not SANITIZED:
                    self.assertLess(peak, (100 + 96) << 10)

    def test_groups_of_one_expanded_row_are_counted(self):
        self.assert_refused(
            "print r = 1 | mv-apply x = range(1, 1000000) to typeof(long) on "
            "(summarize c = count() by s = strcat('a long text of a group ', x)) | count",
            "memory limit of .* exceeded in summarize")

    def test_what_scan_and_reduce_keep_is_counted(self):
        rows = "range x from 1 to 600000 step 1 | "
        step = "scan partition by x declare (n:long = 0) with (step a: true => n = 1;) | count"
        for operators, name in (
                (step, "scan"),
                ("extend s = strcat('a', x, ' b', x) | reduce by s with threshold=0 | count", "reduce")):
            with self.subTest(name):
                self.assert_refused(rows + operators, f"memory limit of .* exceeded in {name}")

    def test_what_scan_computes_for_a_row_is_free_after_it(self):
        out = self.out("-q", "query", "--memory-limit", "100M",
                       "range x from 1 to 600000 step 1 | scan declare (n:long = 0, s:string) with "
                       "(step a: true => n = a.n + strlen(strcat(x, s)), s = strcat(x, ' ');) "
                       "| summarize max(n), max(s)")
        self.assertEqual(json.loads(out)["max_s"], "99999 ")

    @unittest.skipIf(SANITIZED, "takes long")
    def test_events_are_exported_however_large(self):
        # Sixteen of them are more than the limit of a gibibyte.
        self.ingest("large", [f'{{"n":{n}}}' for n in range(16)])
        texts = ", ".join(f"s{i} = strrep(strrep(tostring(n % 10), 1024), 1024)" for i in range(80))
        export = self.start("export", f"large | extend {texts}", "-o", "csv")
        size = 0
        while piece := export.stdout.buffer.read(1 << 20):
            size += len(piece)
        self.assertEqual((export.wait(), export.stderr.read()), (0, ""))
        self.assertGreater(size, 16 * 80 * 1024 * 1024)

    def test_the_same_fits_without_a_small_limit(self):
        self.assertEqual(self.out("-q", "query", "-o", "csv", "--no-header",
                                  ROWS + "| extend p = prev(x) | summarize sum(p)").strip(),
                         str(399999 * 400000 // 2))


if __name__ == "__main__":
    main()
