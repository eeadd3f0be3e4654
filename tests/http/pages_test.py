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

    def refused(self, apl, cursor, **body):
        status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular",
                                          {"apl": apl, "cursor": cursor, **body})
        self.assertEqual(status, 400, (apl, answer))
        return answer["message"]

    def fill_ties(self):
        if "ties" not in {each["name"] for each in self.server.call("GET", "/v2/datasets")[1]}:
            for dataset, count in (("ties", 40), ("others", 12)):
                self.server.call("POST", f"/v1/ingest/{dataset}", [
                    {"_time": second(i // 4), "i": i, "k": i % 3} for i in range(count)])

    def test_orders_that_pages_follow(self):
        self.fill_ties()
        unique = "(ties | summarize n = count() by k)"
        for apl, newer in (
                ("ties | sort by _time asc", True), ("ties | sort by _time desc", False),
                ("ties | order by _time", False), ("ties", False),
                ("ties | sort by _time asc, _time asc", True),
                ("ties | sort by _time asc | extend j = i * 2 | where j >= 0", True),
                (f"ties | join kind=inner {unique} on k | sort by _time asc", True),
                (f"ties | join kind=innerunique (ties | project k, m = i) on k", False),
                (f"ties | lookup {unique} on k | sort by _time desc", False),
                ("ties | join kind=leftsemi (ties | where i < 20) on k", False),
                ("union ties, others | sort by _time asc", True),
                ("union withsource=s ties, others | sort by _time desc", False),
                ("search in (ties) '*' | sort by _time asc", True)):
            for size in (1, 7, 40):
                self.assertEqual(self.pages(apl, "i", newer=newer, size=size),
                                 self.whole(apl, "i"), (apl, size))
        for apl, newer in (("top 7 by _time asc", True), ("top 7 by _time", False)):
            found, cursor = [], ""
            while True:
                answer = self.ask(f"ties | {apl}", cursor=cursor)
                found += self.rows(answer, "i")
                following = answer["status"]["maxCursor" if newer else "minCursor"]
                if following == cursor:
                    break
                cursor = following
            self.assertEqual(sorted(found), [(i,) for i in range(40)])

    def test_other_orders_have_no_cursors_and_take_none(self):
        self.fill_ties()
        cursor = self.ask("ties | take 7")["status"]["minCursor"]
        for apl, why in (
                ("ties | sort by _time desc, i asc", "order"),
                ("ties | sort by _time asc, k desc", "order"),
                ("ties | sort by k asc", "order"),
                ("ties | extend t = _time | sort by t asc", "order"),
                ("ties | sort by bin(_time, 1m) asc", "order"),
                ("ties | sort by tolong(_time) asc", "order"),
                ("ties | extend _time = _time + 1h | sort by _time asc", "order"),
                ("ties | top 7 by k | sort by _time asc", "order"),
                ("ties | sample 5", "order"),
                ("ties | mv-expand z = range(1, 3, 1)", "several rows"),
                ("ties | mv-expand z = range(1, 3, 1) | sort by _time asc", "several rows"),
                ("ties | sort by _time asc | extend n = row_number()", "beside"),
                ("ties | join kind=rightouter (others | project k, j = i) on k", "no events"),
                ("union ties, ties", "twice"),
                ("union ties, (ties | where i > 5) | sort by _time asc", "twice"),
                ("union (ties | sort by _time asc), others", "no events")):
            answer = self.ask(f"{apl} | take 7")
            self.assertEqual((answer["status"]["minCursor"], answer["status"]["maxCursor"]),
                             ("", ""), apl)
            self.assertEqual(len(self.rows(answer, "i")), 5 if "sample" in apl else 7, apl)
            message = self.refused(f"{apl} | take 7", cursor)
            self.assertIn("cannot go on at a cursor", message, apl)
            self.assertIn(why, message, apl)

    def test_no_page_ends_among_the_rows_of_one_event(self):
        self.fill_ties()
        # Each event has 4 rows, as far as those of a page go.
        apl = "ties | where i < 12 | join kind=inner (others | project k, j = i) on k"
        whole = self.whole(apl, "i", "j")
        self.assertEqual(len(whole), 48)
        for size in (4, 12, 44):
            self.assertEqual(sorted(self.pages(apl, "i", "j", size=size)), sorted(whole), size)
        answer = self.ask(f"{apl} | take 7")
        self.assertEqual(len(self.rows(answer, "i")), 7)
        self.assertEqual(answer["status"]["minCursor"], "")
        cursor = self.ask(f"{apl} | take 8")["status"]["minCursor"]
        self.assertEqual(self.rows(self.ask(f"{apl} | take 4", cursor=cursor), "i"), [(9,)] * 4)
        self.assertIn("among the rows of one event", self.refused(f"{apl} | take 7", cursor))

    def test_orders_of_the_older_form(self):
        self.fill_ties()

        def page(order, cursor):
            return self.server.call("POST", "/v1/datasets/ties/query", {
                "startTime": "2024-01-01T00:00:00Z", "endTime": "now", "limit": 7,
                "order": order, "cursor": cursor})

        for descending in (False, True):
            found, cursor = [], ""
            while True:
                status, answer = page([{"field": "_time", "desc": descending}], cursor)
                self.assertEqual(status, 200, answer)
                found += [match["data"]["i"] for match in answer["matches"]]
                following = answer["status"]["minCursor" if descending else "maxCursor"]
                if following == cursor:
                    break
                cursor = following
            self.assertEqual(found, list(range(40))[::-1 if descending else 1])
        for order in ([{"field": "_time", "desc": True}, {"field": "i", "desc": False}],
                      [{"field": "k", "desc": False}]):
            status, answer = page(order, "")
            self.assertEqual((status, answer["status"]["minCursor"]), (200, ""))
            self.assertTrue(all(match["_rowId"] for match in answer["matches"]))
            self.assertEqual(page(order, cursor)[0], 400)

    def test_cursors_of_other_queries(self):
        self.fill_ties()
        one, other, union = (self.ask(f"{source} | take 5")["status"]["minCursor"]
                             for source in ("ties", "others", "union ties, others"))
        for apl, cursor in (("others", one), ("ties", other), ("ties", union), ("others", union),
                            ("union ties, others", one), ("union ties, others", other),
                            ("union t, u", union)):
            self.assertIn("not one that evq gave out for this query",
                          self.refused(f"{apl} | take 3", cursor), apl)
        for apl, cursor in (("ties", one), ("others", other), ("union ties, others", union),
                            ("union others, ties", union), ("union ties, others, u", union)):
            self.ask(f"{apl} | take 3", cursor=cursor)
        for changed in (one[:-1] + ("0" if one[-1] != "0" else "1"), one[:-1], "abc"):
            self.refused("ties | take 3", changed)
        now = self.rows(self.ask("ties | extend c = cursor_current() | take 1"), "c")[0][0]
        self.assertEqual(len(self.rows(self.ask("ties | take 3", cursor=now), "i")), 3)

    def test_the_default_order_is_that_of_queries_without_one(self):
        self.fill_ties()

        def rows(apl, *order, names=("k", "i")):
            answer = self.ask(apl, defaultOrder=[{"field": field, "desc": desc} for field, desc in order])
            told = [(each["field"], each["desc"]) for each in answer["tables"][0]["order"]]
            return self.rows(answer, *names), told

        events = [(i % 3, i) for i in range(40)]
        by_both = sorted(events, key=lambda row: (row[0], -row[1]))
        order = (("k", False), ("i", True))
        self.assertEqual(rows("ties", *order), (by_both, list(order)))
        self.assertEqual(rows("ties | take 5", *order), (by_both[:5], list(order)))
        self.assertEqual(rows("ties | where i > 3 | extend j = i | take 5", ("j", True)),
                         (events[:-6:-1], [("j", True)]))
        self.assertEqual(rows("ties | take 5 | extend j = -i", ("j", True))[0],  # of the newest
                         sorted(events[:-6:-1], key=lambda row: row[1]))
        self.assertEqual(rows("ties", ("_time", False), ("i", True))[0][:5],
                         [(0, 3), (2, 2), (1, 1), (0, 0), (1, 7)])
        self.assertEqual(rows("ties | project i", ("_time", False), ("i", False), names=["i"])[0],
                         [(i,) for i in range(40)])
        self.assertEqual(rows("ties | summarize n = count() by k", ("n", True), ("k", True), names=["k", "n"]),
                         ([(0, 14), (2, 13), (1, 13)], [("n", True), ("k", True)]))
        self.assertEqual(rows("ties | summarize n = count()", ("_time", True), names=["n"])[0], [(40,)])
        # A query's own order, or that of a series, is not touched, whatever the default names.
        for own in ("ties | sort by i asc", "ties | top 40 by i asc", "ties | sort by i asc | take 40"):
            self.assertEqual(rows(own, ("nowhere", True)), (events, [("i", False)]), own)
        series = "ties | summarize n = count() by bin(_time, 4s)"
        self.assertEqual(rows(series, ("n", False), names=["_time"]), rows(series, names=["_time"]))
        for apl in ("ties", "ties | take 3", "ties | project i", "ties | summarize n = count() by k"):
            status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular", {
                "apl": apl, "defaultOrder": [{"field": "nowhere", "desc": True}]})
            self.assertEqual(status, 400, (apl, answer))
            self.assertIn("defaultOrder names a field that the answer does not have: 'nowhere'",
                          answer["message"])

    def test_what_is_made_of_many_events_has_no_pages(self):
        cursor = self.ask("t | take 30")["status"]["minCursor"]
        for apl in ("t | count", "t | summarize count()", "t | distinct g", "t | getschema",
                    "t | summarize n = count() by bin(_time, 10s), g", "t | summarize arg_max(_time, *) by g",
                    "t | summarize n = count() by g | sort by n desc",
                    "t | make-series count() on _time step 10s"):
            for form in ("tabular", "legacy"):
                status, answer = self.server.call("POST", "/v1/query/_apl?format=" + form,
                                                  {"apl": apl, "cursor": cursor})
                self.assertEqual(status, 400, (apl, answer))
                self.assertIn("cannot go on at a cursor", answer["message"], apl)
            self.ask(apl, cursor="")  # means none
        for more in ({"aggregations": [{"op": "count", "field": "*"}]}, {"groupBy": ["g"]}):
            status, answer = self.server.call("POST", "/v1/datasets/t/query", {"cursor": cursor, **more})
            self.assertEqual(status, 400, answer)

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
