#!/usr/bin/env python3
"""Watching a dataset as Axiom's command line does: the older query with a time to wait, asked again
with the cursor of the last event that came.

Usage: watching_test.py EVQ.
"""

import re
import sys
import threading
import time
import unittest

from evq_server import ServerCase, T0


class Watcher:
    def __init__(self, server, dataset, **body):
        self.server, self.dataset, self.cursor, self.pages = server, dataset, "", []
        self.body = {"startTime": T0, "order": [{"field": "_time", "desc": False}], **body}

    def look(self, wait="1ms"):
        """The `n` of the events that have come since, in the order in which they come."""
        path = f"/v1/datasets/{self.dataset}/query?streaming-duration={wait}"
        status, answer = self.server.call("POST", path, {**self.body, "cursor": self.cursor})
        assert status == 200, answer
        matches = answer["matches"]
        if matches:
            self.cursor = matches[-1]["_rowId"]
            self.pages.append(len(matches))
        self.status = answer["status"]
        return [match["data"]["n"] for match in matches]

    def look_until_nothing_comes(self):
        seen = []
        while came := self.look():
            seen += came
        return seen


class Watching(ServerCase):
    def send(self, dataset, *events):
        status, answer = self.server.call("POST", "/v1/ingest/" + dataset, list(events))
        self.assertEqual((status, answer["failed"]), (200, 0))

    def test_an_event_comes_when_it_arrives_whatever_its_time(self):
        self.send("late", {"n": 1, "_time": "2024-05-01T00:00:10Z"})
        watcher = Watcher(self.server, "late")
        self.assertEqual(watcher.look(), [1])
        self.send("late", {"n": 2, "_time": "2024-05-01T00:00:20Z"})
        self.send("late", {"n": 3, "_time": "2024-05-01T00:00:05Z"})  # behind the first in time
        self.assertEqual(watcher.look(), [2, 3])
        self.assertEqual(watcher.status["rowsMatched"], 3)
        self.assertEqual(watcher.status["minCursor"], watcher.cursor)  # that of the oldest
        self.send("late", {"n": 4, "_time": "2099-01-01T00:00:00Z"})
        self.assertEqual(watcher.look(), [4])
        self.send("late", {"n": 5, "_time": "2024-05-01T00:00:30Z"})
        self.assertEqual(watcher.look(), [5])
        self.send("late", {"n": 6, "_time": "2024-04-30T23:59:59Z"})  # before startTime
        self.assertEqual(watcher.look(), [])
        self.assertEqual(watcher.status["rowsMatched"], 5)
        watcher.body["includeCursor"] = True
        self.assertEqual(watcher.look(), [5])

    def test_all_of_a_backlog_comes_once_a_page_at_a_time(self):
        for first in range(0, 120, 10):  # later ones have older times
            self.send("backlog", *({"n": n, "_time": f"2024-05-01T00:{59 - n // 10:02}:{n % 10:02}Z"}
                                   for n in range(first, first + 10)))
        for size in (1, 7, 120, 0):
            watcher = Watcher(self.server, "backlog", limit=size)
            self.assertEqual(watcher.look_until_nothing_comes(), list(range(120)), size)
            self.assertLessEqual(max(watcher.pages), size or 120)
        watcher = Watcher(self.server, "backlog", limit=2, filter={"op": "<", "field": "n", "value": 3})
        self.assertEqual(watcher.look_until_nothing_comes(), [0, 1, 2])
        watcher = Watcher(self.server, "backlog", limit=2, filter={"op": ">", "field": "n", "value": 116})
        self.assertEqual(watcher.look_until_nothing_comes(), [117, 118, 119])

    def test_without_a_time_to_wait_and_in_other_orders_time_counts(self):
        self.send("ordered", {"n": 1, "_time": "2024-05-01T00:00:10Z"})
        self.send("ordered", {"n": 2, "_time": "2024-05-01T00:00:05Z"})
        path = "/v1/datasets/ordered/query"
        for query, desc, wanted in (("", False, [2, 1]), ("?streaming-duration=0s", False, [2, 1]),
                                    ("?streaming-duration=1ms", True, [1, 2])):
            _, answer = self.server.call("POST", path + query, {"order": [{"field": "_time", "desc": desc}]})
            self.assertEqual([match["data"]["n"] for match in answer["matches"]], wanted, query)

    def test_cursors_of_another_dataset_and_of_nothing_are_refused(self):
        for dataset in ("one", "other"):
            self.send(dataset, {"n": 1, "_time": T0})
        watcher = Watcher(self.server, "one")
        self.assertEqual(watcher.look(), [1])
        for dataset, cursor in (("other", watcher.cursor), ("one", "made-up"), ("one", watcher.cursor[:-1] + "x")):
            status, _ = self.server.call("POST", f"/v1/datasets/{dataset}/query?streaming-duration=1ms",
                                         {**watcher.body, "cursor": cursor})
            self.assertEqual(status, 400, cursor)

    def test_several_datasets_are_watched_by_time(self):
        for n in range(4):
            self.send(f"several-{n % 2}", {"n": n, "_time": f"2024-05-01T00:00:0{n}Z"})
        watcher = Watcher(self.server, "several-*")
        self.assertEqual(watcher.look(), [0, 1, 2, 3])
        self.send("several-0", {"n": 4, "_time": "2024-05-01T00:00:09Z"})
        self.assertEqual(watcher.look(), [4])

    def rows_examined(self):
        text = self.server.call("GET", "/metrics")[1].decode()
        return int(re.search(r"^evq_rows_examined_total (\d+)$", text, re.MULTILINE)[1])

    def test_while_nothing_arrives_nothing_is_read_again(self):
        for order in ({"field": "n", "desc": True}, {"field": "_time", "desc": False}):
            with self.subTest(order):
                dataset = "still-" + order["field"]
                self.send(dataset, *({"n": n} for n in range(50)))
                wanted = {"op": "==", "field": "n", "value": -1}
                watcher = Watcher(self.server, dataset, startTime="now-1h", filter=wanted, order=[order])
                before = self.rows_examined()
                self.assertEqual(watcher.look("1500ms"), [])
                self.assertLessEqual(self.rows_examined() - before, 150)  # not at each look
                sender = threading.Timer(0.3, self.send, (dataset, {"n": 7}, {"n": -1}))
                sender.start()
                self.assertEqual(watcher.look("60s"), [-1])
                sender.join()

    def test_what_many_send_at_once_comes_once_each(self):
        self.send("crowd", {"n": -1})
        watcher = Watcher(self.server, "crowd", startTime="now-1h")
        writers, each = 4, 60
        done = threading.Event()
        seen = []

        def watch():
            last = False
            while not last:
                last = done.is_set()  # asked for before the last look
                seen.extend(watcher.look("50ms"))

        def write(number):
            pad = "x" * 200_000 if number == 0 else ""
            for n in range(number * each, (number + 1) * each):
                self.send("crowd", {"n": n, "pad": pad})

        reader = threading.Thread(target=watch)
        reader.start()
        threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(0.1)
        done.set()
        reader.join()
        self.assertEqual(sorted(seen), list(range(-1, writers * each)))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
