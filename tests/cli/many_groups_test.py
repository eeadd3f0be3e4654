"""Groups by the hundred thousand over several blocks, which workers share: all of them, in the order
of their first rows, with every aggregate, and those of them that a query takes."""

import collections
import json
import unittest

from evq_case import EvqCase, main

ROWS = 350_000
KEYS = 120_011  # no divisor of what follows
START = 1714521600


class Row:
    """Row `i`: keys come again blocks later, and few of many rows have a place."""

    def __init__(self, i):
        self.second = START + i
        self.key = i * i % KEYS
        self.text = f"k{self.key % 60_013}"
        self.value = i % 1000


class Group:
    def __init__(self):
        self.count = self.sum = self.max = 0

    def add(self, value):
        self.count += 1
        self.sum += value
        self.max = max(self.max, value)


class ManyGroups(EvqCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = [Row(i) for i in range(ROWS)]

    def setUp(self):
        super().setUp()
        self.ingest("many", [json.dumps({"_time": START + i, "key": row.key, "text": row.text,
                                         "value": row.value}) for i, row in enumerate(self.rows)])

    def grouped(self, key):
        groups = collections.defaultdict(Group)
        for row in self.rows:
            groups[key(row)].add(row.value)
        return groups

    def ask(self, query):
        out, _ = self.evq("-q", "query", "--all", "-o", "csv", "--no-header", query)
        return [line.split(",") for line in out.splitlines()]

    def test_all_groups_come_in_the_order_of_their_first_rows(self):
        for by, key in (("key", lambda row: (row.key,)), ("text", lambda row: (row.text,)),
                        ("key, text", lambda row: (row.key, row.text)),
                        ("text, odd = value % 2", lambda row: (row.text, row.value % 2)),
                        # Groups that go on coming, few of which come again.
                        ("at = tolong(_time) / 2000000000, few = value % 3",
                         lambda row: (row.second // 2, row.value % 3))):
            wanted = [[*map(str, one), str(group.count), str(group.sum), str(group.max)]
                      for one, group in self.grouped(key).items()]
            columns = ", ".join(part.split(" = ")[0] for part in by.split(", "))
            query = (f"many | summarize n = count(), s = sum(value), m = max(value) by {by} "
                     f"| project {columns}, n, s, m")
            with self.subTest(by):
                self.assertEqual(self.ask(query), wanted)
                self.assertEqual(self.ask(query + " | take 37"), wanted[:37])
                self.assertEqual(self.ask(query + " | take 20000"), wanted[:20000])
                top = sorted(wanted, key=lambda line: -int(line[-2]))[:25]
                self.assertEqual(self.ask(query + " | top 25 by s"), top)
                first = columns.split(",")[0]
                by_key = (lambda line: line[0]) if first == "text" else (lambda line: int(line[0]))
                # Of a text with several groups those seen first, as the sort keeps them.
                for order, back in (("asc", False), ("desc", True)):
                    self.assertEqual(self.ask(query + f" | top 25 by {first} {order}"),
                                     sorted(wanted, key=by_key, reverse=back)[:25])

    def test_rows_are_counted_by_texts(self):
        for by, key in (("text", lambda row: (row.text,)),
                        ("text, value", lambda row: (row.text, row.value)),
                        ("t = iff(value < 300, '', text)",
                         lambda row: ("" if row.value < 300 else row.text,))):
            counts = collections.Counter(map(key, self.rows))
            wanted = [[*map(str, one), str(n)] for one, n in counts.items()]
            query = f"many | summarize n = count() by {by}"
            with self.subTest(by):
                self.assertEqual(self.ask(query), wanted)
                top = sorted(wanted, key=lambda line: -int(line[-1]))[:200]
                self.assertEqual(self.ask(query + " | top 200 by n"), top)

    def test_first_groups_of_lists_and_distinct_values(self):
        lists = collections.defaultdict(list)
        for row in self.rows:
            lists[row.key].append(row.value)
        wanted = [[str(key), str(len(set(values))), str(values[-1]), str(len(values))]
                  for key, values in list(lists.items())[:11]]
        self.assertEqual(self.ask("many | summarize d = dcount(value), l = make_list(value, 100), "
                                  "(t, last) = arg_max(_time, value) by key "
                                  "| project key, d, last, n = array_length(l) | take 11"), wanted)


if __name__ == "__main__":
    main()
