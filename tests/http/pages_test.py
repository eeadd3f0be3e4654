#!/usr/bin/env python3
"""Pages by cursor: which events a page leaves out, which it does not, and names of fields that look
like the engine's own.

Usage: pages_test.py EVQ.
"""

import sys
import unittest

from evq_server import ServerCase

COUNT = 100


def second(i):
    return f"2024-05-01T00:{i // 60:02}:{i % 60:02}Z"


class Pages(ServerCase):
    @classmethod
    def fill(cls):
        for part in (range(0, 60), range(60, COUNT)):
            cls.server.call("POST", "/v1/ingest/t", [
                {"_time": second(i), "a": i + 1, "g": f"g{i % 5}"} for i in part])
        cls.server.call("POST", "/v1/ingest/u", [{"_time": second(i), "a": i} for i in (3, 50, 98)])

    def ask(self, apl, **body):
        status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular",
                                          {"apl": apl, **body})
        self.assertEqual(status, 200, answer)
        return answer

    def rows(self, answer, *names):
        table = answer["tables"][0]
        at = [[field["name"] for field in table["fields"]].index(name) for name in names]
        return list(zip(*[table["columns"][i] for i in at]))

    def pages(self, apl, *names, size=30, newer=False, **body):
        """All rows of a query, a page after the other."""
        found, cursor = [], ""
        while True:
            answer = self.ask(f"{apl} | take {size}", cursor=cursor, **body)
            found += self.rows(answer, *names)
            following = answer["status"]["maxCursor" if newer else "minCursor"]
            self.assertNotEqual(following, "", "rows without a cursor")
            if following == cursor:
                return found
            cursor = following

    def whole(self, apl, *names, **body):
        return self.rows(self.ask(apl, **body), *names)

    def test_pages_are_the_whole_cut_up(self):
        for apl, names in (
                ("t", ["a"]),
                ("t | where a > toscalar(t | summarize avg(a))", ["a"]),
                ("t | where a in ((t | top 40 by a | project a))", ["a"]),
                ("t | where a in ((u | project a))", ["a"]),
                ("t | extend total = toscalar(t | count)", ["a", "total"]),
                ("let n = toscalar(t | count); t | where a > n - 70", ["a"]),
                ("let big = t | where a > 30; big | where a < toscalar(big | summarize max(a))", ["a"]),
                ("let big = materialize(t | where a > 30); big"
                 " | where a < toscalar(big | summarize max(a))", ["a"]),
                ("t | join (t | summarize n = count() by g) on g", ["a", "g", "n"]),
                ("t | join kind=leftouter (u | project a, b = a) on a", ["a", "b"]),
                ("t | lookup (t | summarize n = count() by g) on g", ["a", "g", "n"]),
                ("(t | where a > 5) | where a in ((t | project a))", ["a"]),
                ("union t, (u | where a in ((t | project a)))", ["a"])):
            for newer in (False, True):
                order = {"defaultOrder": [{"field": "_time", "desc": not newer}]}
                self.assertEqual(self.pages(apl, *names, newer=newer, **order),
                                 self.whole(apl, *names, **order), (apl, newer))

    def test_pages_go_the_way_of_a_sort_by_time(self):
        apl = "let x = t | sort by _time asc; x | where a > toscalar(t | summarize avg(a))"
        self.assertEqual(self.pages(apl, "a", newer=True), [(a,) for a in range(51, COUNT + 1)])

    def test_a_cursor_bounds_totals_as_it_does_the_series(self):
        cursor = self.ask("t | take 30")["status"]["minCursor"]
        for order in ([], [{"field": "_time", "desc": True}]):
            answer = self.ask("t | summarize n = count() by bin(_time, 10s), g", cursor=cursor,
                              defaultOrder=order)
            series, totals = (
                dict.fromkeys(["g0", "g1", "g2", "g3", "g4"], 0) for _ in range(2))
            for g, n in self.rows(answer, "g", "n"):
                series[g] += n
            table = answer["tables"][1]
            names = [field["name"] for field in table["fields"]]
            for g, n in zip(*[table["columns"][names.index(name)] for name in ("g", "n")]):
                totals[g] += n
            self.assertEqual(series, dict.fromkeys(series, 14))
            self.assertEqual(totals, series)

    def test_groups_are_those_that_are_still_columns(self):
        def shape(rest):
            table = self.ask("t | summarize c = count() by bin(_time, 1m), g" + rest)["tables"][0]
            return ([group["name"] for group in table["groups"]], "buckets" in table,
                    [each["field"] for each in table["order"]])

        self.assertEqual(shape(""), (["_time", "g"], True, ["_time", "c"]))
        self.assertEqual(shape(" | project g, c"), (["g"], False, []))
        self.assertEqual(shape(" | project-rename h = g"), (["_time", "h"], True, ["_time", "c"]))
        self.assertEqual(shape(" | extend _time = tostring(_time)"), (["g"], False, []))
        self.assertEqual(shape(" | project c, _time"), (["_time"], True, []))
        self.assertEqual(shape(" | project _time, c"), (["_time"], True, ["_time", "c"]))
        self.assertEqual(shape(" | extend g = 1"), (["_time"], True, ["_time", "c"]))

    def test_no_field_is_taken_for_a_column_of_the_engine(self):
        events = [{"_time": second(i), "$type": f"k{i % 2}", "$time": i % 3 == 0, "$row": 10 ** 12 + i,
                   "$table": "x"} for i in range(4)]
        self.assertEqual(self.server.call("POST", "/v1/ingest/dollars", events)[0], 200)
        names = ["$type", "$time", "$row", "$table"]
        rows = [tuple(event[name] for name in names) for event in events]
        self.assertEqual(self.whole("dollars", *names), rows[::-1])
        self.assertEqual(self.pages("dollars", *names, size=1), rows[::-1])
        self.assertEqual(self.whole("t | extend ['$row'] = 999999999999 | take 1", "a", "$row"),
                         [(COUNT, 999999999999)])
        answer = self.ask("t | project ['$time'] = (a > 3), a | sort by a asc | take 12",
                          includeCursorField=True)
        self.assertEqual(self.rows(answer, "$time", "a"), [(a > 3, a) for a in range(1, 13)])
        cursors = [row[0] for row in self.rows(answer, "_cursor")]
        again = self.ask("t | take 1", cursor=cursors[4], includeCursor=True)
        self.assertEqual(self.rows(again, "a"), [(5,)])
        listed = self.server.call("GET", "/v2/datasets/dollars/fields")[1]
        self.assertTrue(set(names) <= {field["name"] for field in listed})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
