"""Operators whose rows do not fit work on some keys, groups or ranges of the order at a time."""

import json
import re
import unittest

from evq_case import main
from memory_case import MemoryCase, SANITIZED


class MemoryParts(MemoryCase):
    def test_groups_that_do_not_fit_are_made_some_at_a_time(self):
        count = 1_000_000
        many = f"range x from 1 to {count} step 1 | "
        total = count * (count + 1) // 2
        for query, answer in (
                ("summarize n = count() by k = x * 7 | summarize count(), sum(n), min(k), max(k)",
                 f"{count},{count},7,{7 * count}"),
                ("summarize n = count(), s = sum(x) by k = strcat('number ', x % 500000)"
                 " | summarize count(), min(n), max(n), sum(s)", f"{count // 2},2,2,{total}"),
                ("summarize s = stdev(x), v = varianceif(x, x < 0), d = dcountif(x, x < 0) by x"
                 " | summarize count(), sum(s), sum(d)", f"{count},0,0"),
                ("distinct x | count", f"{count}"),
                ("summarize n = count() by x, y = x % 3 | where x < 4 | sort by x asc"
                 " | summarize make_list(y)", '"[1,2,0]"'),
                ("union (range x from 1 to 3 step 1) | summarize n = count() by x | top 3 by n, x asc"
                 " | summarize sum(x)", "6")):
            with self.subTest(query):
                status, errors, path, peak = self.run_measured(
                    "--memory-limit", "40M", "-o", "csv", "--no-header", many + query)
                self.assertEqual((status, errors, path.read_text()), (0, "", answer + "\n"))
                if not SANITIZED:
                    self.assertLess(peak, (40 + 96) << 10)
        # Keys that differ each time cannot be made in parts, nor rows that depend on groups' order.
        for query in ("summarize count() by k = x + rand() | count",
                      "summarize n = count() by x | take 900000 | summarize count() by x | count"):
            with self.subTest(query):
                _, errors = self.evq("-q", "query", "--memory-limit", "20M", many + query, status=1)
                self.assertRegex(errors, "memory limit of .* exceeded in (summarize|top)")

    def test_no_more_parts_are_made_than_are_taken(self):
        count = 1_000_000
        rows = f"range x from 1 to {count} step 1"
        for operator in ("summarize n = count() by k = x * 7", f"join kind=inner ({rows}) on x"):
            with self.subTest(operator):
                query = f"{rows} | {operator} | project n = 1 | take 10 | summarize sum(n)"
                self.assertEqual(self.out("-q", "query", "--memory-limit", "40M", "-o", "csv",
                                          "--no-header", query), "10\n")
                profile = self.out("query", "--profile", "--memory-limit", "40M", query)
                # For all at once, which is too much, and for the first of four parts.
                read = re.findall("^ *([0-9,]+) .* sequence ", profile, re.MULTILINE)
                self.assertLessEqual(int(read[-1].replace(",", "")), 2 * count, profile)

    def test_sides_of_a_join_that_do_not_fit_are_joined_some_keys_at_a_time(self):
        left = ("range x from 1 to 60000 step 1 | where x % 3 != 0 | extend k = iff(x % 1000 == 1, "
                "long(null), x / 2), l = strcat('left ', tostring(x)) ")
        right = ("range y from 1 to 80000 step 2 | extend k = iff(y % 1000 == 1, long(null), y / 3), "
                 "r = strcat('right ', tostring(y))")
        for kind in ("inner", "innerunique", "leftouter", "rightouter", "fullouter", "leftsemi",
                     "rightsemi", "leftanti", "rightanti"):
            for keys in ("k", "$left.l == $right.r", "k, $left.x == $right.y"):
                for swap in (False, True):
                    first, second = (right, left) if swap else (left, right)
                    wanted = keys if not swap else keys.replace("l == $right.r", "r == $right.l"
                                                                ).replace("x == $right.y",
                                                                          "y == $right.x")
                    query = (f"{first} | join kind={kind} ({second}) on {wanted} "
                             "| extend row = tostring(pack_all()) "
                             "| summarize count(), sum(binary_and(hash(row), 1048575)), max(row)")
                    with self.subTest(kind=kind, keys=keys, swap=swap):
                        self.assertEqual(
                            self.out("-q", "query", "--memory-limit", "1M", query),
                            self.out("-q", "query", query))

    def test_sorts_that_do_not_fit_are_made_a_part_of_the_order_at_a_time(self):
        rows = ("range x from 1 to 150000 step 1 | extend y = x * 7919 % 150001 | extend "
                "s = iff(y % 50 == 0, '', strcat('all of them begin like this: ', tostring(y))), "
                "r = case(y % 9 == 0, real(nan), y % 10 == 0, real(null), y / 7.0 - 9000), "
                "t = datetime(2024-01-01) + y * 1ms, few = y % 3, k = iff(y % 8 == 0, long(null), y)"
                ", d = iff(y % 20 == 0, dynamic([1, 2]), todynamic(tostring(y)))")
        for order in ("s asc", "s desc nulls last", "r asc", "r desc nulls first", "t desc",
                      "few asc", "few desc, s asc", "few asc, k desc nulls last", "k asc nulls last",
                      "d asc", "d desc, r asc"):
            for operator in ("sort by", "top 100000 by", "top 1000 by"):
                query = (f"{rows} | {operator} {order} | extend n = row_number() "
                         "| summarize count(), sum(binary_and(hash(strcat(tostring(n), tostring(x))), "
                         "1048575))")
                with self.subTest(order=order, operator=operator):
                    self.assertEqual(self.out("-q", "query", "--memory-limit", "2M", query),
                                     self.out("-q", "query", query))

    def test_first_rows_of_groups_that_do_not_fit_are_found_a_part_of_the_order_at_a_time(self):
        rows = ("range x from 1 to 150000 step 1 | extend y = x * 7919 % 150001 | extend "
                "s = iff(y % 50 == 0, '', strcat('all of them begin like this: ', tostring(y / 2))), "
                "t = iff(y % 60 == 0, datetime(null), datetime(2024-01-01) + y / 3 * 1ms), few = y % 3,"
                " k = iff(y % 8 == 0, long(null), y / 2), r = iff(y % 9 == 0, real(nan), x / 7.0)")
        for groups, all_first in (("few", ("top 3 by r", "take 3", "top 30000 by x asc")),
                                  ("k", ("top 1 by x", "take 3", "sort by x desc | take 1")),
                                  ("s", ("top 2 by r desc, x asc", "take 1", "top 60000 by x")),
                                  ("t", ("top 1 by r asc nulls last", "top 2 by s", "take 2"))):
            for first in all_first:
                query = (f"{rows} | partition by {groups} ({first} | extend z = x + 1) "
                         "| serialize n = row_number() | summarize count(), sum(z), "
                         "sum(binary_and(hash(strcat(tostring(n), tostring(x))), 1048575))")
                with self.subTest(groups=groups, first=first):
                    self.assertEqual(self.out("-q", "query", "--memory-limit", "2500K", query),
                                     self.out("-q", "query", query))

    @unittest.skipIf(SANITIZED, "takes long")
    def test_first_rows_of_groups_in_parts_keep_to_the_limit(self):
        count, limit = 2_000_000, 30
        rows = (f"range x from 1 to {count} step 1 | extend k = x * 7919 % {count + 3} / 2, "
                "s = strcat('row ', tostring(x)) ")
        for first, wanted in (("top 1 by s", count // 2), ("top 2 by x", count)):
            with self.subTest(first):
                out, peak = self.measured(
                    "--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
                    f"{rows} | partition by k ({first}) | serialize p = prev(k) "
                    "| summarize n = count(), countif(p > k) | project n - n % 10, countif_")
                with out:
                    self.assertEqual(out.read(), f"{wanted},0\n")
                self.assertLess(peak, (limit + 96) << 10)
        # Rows of few groups that come first are few.
        out, peak = self.measured(
            "--memory-limit", "4M", "-o", "csv", "--no-header",
            f"{rows} | extend few = x % 3 | partition by few (take 5) | summarize count(), sum(x)")
        with out:
            self.assertEqual(out.read(), "15,120\n")

    def test_a_sort_in_parts_keeps_to_the_limit(self):
        count, limit = 2_000_000, 30
        rows = (f"range x from 1 to {count} step 1 | extend k = x * 7919 % {count + 3}, "
                f"s = strcat('row ', tostring(x * 104729 % {count - 7})) ")
        for wanted in (count, 1_500_000):
            with self.subTest(wanted):
                out, peak = self.measured(
                    "--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
                    f"{rows} | top {wanted} by s asc, k desc | extend n = row_number(), p = prev(s) "
                    "| summarize count(), sum(n), countif(p > s), dcount(tostring(x)) > 1000")
                with out:
                    self.assertEqual(out.read(),
                                     f"{wanted},{wanted * (wanted + 1) // 2},0,true\n")
                if not SANITIZED:
                    self.assertLess(peak, (limit + 96) << 10)
        # Rows that are all alike in what they are sorted by have no parts.
        _, errors = self.evq("-q", "query", "--memory-limit", "4M",
                             rows + "| extend c = x - x | sort by c asc | serialize n = row_number() "
                             "| summarize max(n)", status=1)
        self.assertRegex(errors, "memory limit of .* exceeded in sort")

    def test_a_join_in_parts_keeps_to_the_limit(self):
        count, limit = 1_500_000, 60
        side = f"range x from 1 to {count} step 1 | extend s = strcat('a row ', tostring(x)) "
        out, peak = self.measured(
            "--memory-limit", f"{limit}M", "-o", "csv", "--no-header",
            f"{side}| join kind=inner ({side}| project x = {count + 1} - x, t = s) on x "
            "| summarize count(), sum(x), countif(strlen(s) < 7 + strlen(t))")
        with out:
            self.assertEqual(out.read(), f"{count},{count * (count + 1) // 2},{count}\n")
        if not SANITIZED:
            self.assertLess(peak, (limit + 96) << 10)

    def test_what_was_read_for_groups_in_parts_counts_once(self):
        count = 400_000
        with open(self.directory / "ids.ndjson", "w") as events:
            for i in range(count):
                events.write(f'{{"_time":{1714521600000 + i},"id":"{i * 7919 % count:032x}"}}\n')
        self.evq("ingest", "ids", "ids.ndjson")
        for query, scanned in (
                ("ids | summarize n = count() by id | summarize count(), sum(n)", count),
                ("ids | join kind=inner (ids | project id, n = 1) on id | summarize count(), sum(n)",
                 2 * count)):
            for limit in ("24M", "1G"):
                with self.subTest(query=query, limit=limit):
                    out, errors = self.evq("query", "--stats", "--memory-limit", limit, query)
                    self.assertEqual(json.loads(out), {"count_": count, "sum_n": count})
                    self.assertIn(f"{scanned:,} scanned", errors)

    def test_what_was_read_of_a_left_side_that_seemed_short_counts_once(self):
        for name, count in (("left", 30_000), ("right", 9_000)):
            with open(self.directory / f"{name}.ndjson", "w") as events:
                for i in range(count):
                    events.write(f'{{"_time":{1714521600000 + i},"k":{i}}}\n')
            self.evq("ingest", name, f"{name}.ndjson")
        out, errors = self.evq("query", "--stats", "left | where k >= 0 | where k < 40000 "
                               "| join kind=inner (right) on k | count")
        self.assertEqual(json.loads(out), {"Count": 9_000})
        self.assertIn("39,000 scanned · 2/2 blocks", errors)
        # What the left side shares with others is not read again.
        out, errors = self.evq("query", "--stats", "left | extend n = strlen(extract('([0-9]+)', 1, "
                               "tostring(k))) | as all | where n < 9 | where k >= 0 "
                               "| join kind=inner (all | take 9000) on k | count")
        self.assertEqual(json.loads(out), {"Count": 9_000})
        self.assertIn("30,000 scanned · 1/1 blocks", errors)


if __name__ == "__main__":
    main()
