"""What expressions, constants and sources make of their rows is counted, and only once."""

import json
import unittest

from evq_case import main
from memory_case import MemoryCase, SANITIZED


class MemoryOfValues(MemoryCase):
    def test_what_expressions_make_is_counted(self):
        wide = "range x from 1 to 60000 step 1 | extend s = tostring(x) "
        for operators, name in (
                ("extend t = strrep(s, 2000) | summarize max(t)", "extend"),
                ("where strrep(s, 2000) contains 'z' | count", "where"),
                ("extend n = array_length(range(0, x)) | summarize sum(n)", "extend"),
                ("extend t = strrep(s, 500) | extend u = replace_regex(t, '[0-9]', 'QQQQQQQQ') "
                 "| summarize max(u)", "extend"),
                ("extend t = split(strrep(strcat(s, ' '), 500), ' ') | summarize max(tostring(t))",
                 "extend")):
            with self.subTest(operators):
                status, errors, _, peak = self.run_measured("--memory-limit", "64M",
                                                            wide + "| " + operators)
                self.assertRegex(errors, f"memory limit of .* exceeded in {name}")
                self.assertEqual(status, 1)
                if not SANITIZED:
                    self.assertLess(peak, (64 + 96) << 10)

    def test_what_functions_hold_while_they_compute_is_counted(self):
        rows = ("range i from 1 to 3 step 1 | extend a = range(1, 900000), "
                "s = strcat(strrep(strrep('abc&', 1000), 900), i) | summarize max(array_length({}))")
        for value in ("series_fft(a)", "series_fit_2lines(a)[6]", "series_seasonal(a)",
                      "series_add(a, a)", "set_difference(a, a)", "zip(a, a)",
                      "bag_keys(parse_urlquery(s))"):
            with self.subTest(value):
                self.assert_refused(rows.format(value), "memory limit of .* exceeded in extend")

    def test_lists_in_the_order_of_time_are_of_summarize(self):
        self.ingest("big", [json.dumps({"_time": 1714521600 + i // 10, "k": i % 7, "s": f"value {i:064}"})
                            for i in range(150_000)])
        for query in ("big | summarize make_list(s) by k", "big | summarize take_any(s), make_list(s)",
                      "big | extend t = strcat(s, 'x') | summarize make_list(t) by k"):
            with self.subTest(query):
                _, errors = self.evq("-q", "query", "--memory-limit", "12M", query, status=1)
                self.assertRegex(errors, "memory limit of .* exceeded in (summarize|extend)")

    def test_what_rows_become_is_counted(self):
        long_text = "strcat(strrep(strrep('x', 1000), 1024), strrep(strrep('y', 25), 1000))"
        for query, limit, wanted in (
                (f"print s = {long_text} | project n = array_length(array_iff(range(1, 4096), s, 0))",
                 64, '{"n":null}'),
                ("print d = 1 | make-series c = take_any('a') default = strrep('a', 1000) on d "
                 "from 0 to 1000000 step 1 | project n = strlen(tostring(c[0]))", 64, None),
                ("range x from 1 to 30000 step 1 | extend a = pack_array(x) "
                 "| mv-apply a on (extend b = 1) | count", 24, '{"Count":30000}'),
                ("range x from 1 to 10 step 1 | extend s = strcat(strrep(strrep('a', 1024), 1024), x) "
                 "| summarize n = countif(strlen(replace_strings(s, dynamic(['a']), "
                 "dynamic(['b']))) > 0), m = countif(array_length(treepath(split(s, 'z'))) > 0)",
                 128, '{"n":10,"m":10}')):
            with self.subTest(query):
                status, errors, path, peak = self.run_measured("--memory-limit", f"{limit}M", query)
                if wanted is not None:
                    self.assertEqual((status, errors), (0, ""))
                    self.assertEqual(path.read_text().strip(), wanted)
                if not SANITIZED:
                    self.assertLess(peak, (limit + 96) << 10)

    def test_texts_of_rows_that_repeat_count_once(self):
        rows = ("range i from 1 to 9 step 1 "
                "| extend s = strcat(strrep(strrep('a', 1024), 1024), i), a = range(1, 5000) ")
        for operators, wanted in (
                ("mv-expand a | summarize n = count(), l = max(strlen(s))", (45000, 1048577)),
                ("mv-expand a | sort by tolong(a) asc, i desc "
                 "| summarize n = take_any(i), l = max(strlen(s))", (9, 1048577)),
                ("project i, s, g = 1 | join kind=inner (range b from 1 to 5000 step 1 | extend g = 1) "
                 "on g | sort by b asc, i desc | summarize n = take_any(i), l = max(strlen(s))",
                 (9, 1048577)),
                ("mv-apply a on (where tolong(a) % 2 == 0) | sort by tolong(a) asc, i desc "
                 "| summarize n = count(), l = max(strlen(s))", (22500, 1048577)),
                ("mv-expand a | serialize p = prev(s, 1, '') | where isempty(p) "
                 "| summarize n = count(), l = max(strlen(s))", (1, 1048577))):
            with self.subTest(operators):
                out, peak = self.measured("--memory-limit", "100M", rows + "| " + operators)
                with out:
                    answer = json.load(out)
                self.assertEqual((answer["n"], answer["l"]), wanted)
                if not SANITIZED:
                    self.assertLess(peak, (100 + 96) << 10)

    @unittest.skipIf(SANITIZED, "a sanitizer's own memory would be measured")
    def test_groups_of_held_rows_are_counted_as_they_come(self):
        for query, limit, name in (
                ("range x from 1 to 4000000 step 1 | partition by x (extend y = rand() | top 1 by y)",
                 100, "partition"),
                ("range x from 1 to 6000000 step 1 | extend t = 1 "
                 "| make-series count() on t step 1 by x", 200, "make-series")):
            with self.subTest(name):
                status, errors, _, peak = self.run_measured("--memory-limit", f"{limit}M", query)
                self.assertRegex(errors, f"memory limit of .* exceeded in {name}")
                self.assertEqual(status, 1)
                self.assertLess(peak, (limit + 96) << 10)

    def test_rows_of_many_groups_wait_only_while_there_is_memory(self):
        query = ("range x from 1 to 1300000 step 1 "
                 "| summarize n = count(), s = sum(x) by k = x * 7919 % 250007, "
                 "u = strcat('u', tostring(x % 3)) | summarize groups = count(), n = sum(n), s = sum(s)")
        for limit in (16, 24, 40, 60, 100):
            with self.subTest(limit):
                out, peak = self.measured("--memory-limit", f"{limit}M", query)
                with out:
                    self.assertEqual(json.load(out), {"groups": 750021, "n": 1300000,
                                                      "s": 1300000 * 1300001 // 2})
                if not SANITIZED:
                    self.assertLess(peak, (limit + 96) << 10)

    def test_pairs_of_a_bag_that_rows_share_are_made_some_at_a_time(self):
        value = "strrep(strrep('x', 1000), 50)"
        query = (f"range x from 1 to 8000 step 1 | extend b = iff(x %% 2 == 0, bag_pack('a', {value}), "
                 f"bag_pack('b', {value})) | mv-expand kind=%s b | summarize n = countif(%s)")
        for kind, holds in (("bag", "array_length(bag_keys(b)) == 1"),
                            ("array", "strlen(tostring(b[1])) == 50000")):
            with self.subTest(kind):
                out, peak = self.measured("--memory-limit", "100M", query % (kind, holds))
                with out:
                    self.assertEqual(json.load(out), {"n": 8000})
                if not SANITIZED:
                    self.assertLess(peak, (100 + 96) << 10)

    def test_external_data_is_counted(self):
        (self.directory / "commas.csv").write_text("," * (4 << 20))
        (self.directory / "short.csv").write_text("a\n" * (4 << 20))
        (self.directory / "short.json").write_text('{"a":1}\n' * (2 << 20))
        commas = f"externaldata (a:string) ['{self.directory}/commas.csv'] | count"
        out, peak = self.measured("--memory-limit", "32M", "-o", "csv", "--no-header", commas)
        with out:
            self.assertEqual(out.read(), "1\n")
        if not SANITIZED:
            self.assertLess(peak, (32 + 96) << 10)
        for name in ("short.csv", "short.json"):
            with self.subTest(name):
                self.assert_refused(f"externaldata (a:string) ['{self.directory}/{name}'] | count",
                                    "memory limit of .* exceeded in externaldata")

    def test_external_data_is_counted_before_it_is_read(self):
        # In pieces: what this process has taken before it forks counts as taken by its child.
        with open(self.directory / "line.txt", "w") as line:
            for _ in range(60):
                line.write("a" * (1 << 20))
        self.assert_refused(f"externaldata (a:string) ['{self.directory}/line.txt'] | count",
                            "memory limit of .* exceeded in externaldata", besides=32)

    def test_the_table_of_a_pivot_is_counted(self):
        self.assert_refused("range x from 1 to 4400 step 1 | extend p = tostring(x) "
                            "| evaluate pivot(p, take_any(p), x) | count",
                            "memory limit of .* exceeded in the plan")

    def test_constants_are_counted(self):
        columns = ", ".join(f"c{i} = range(0, {900000 + i})" for i in range(100))
        _, errors = self.evq("-q", "query", "--memory-limit", "64M", "print " + columns, status=1)
        self.assertIn("memory limit of", errors)


if __name__ == "__main__":
    main()
