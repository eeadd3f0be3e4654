#!/usr/bin/env python3
"""Queries and deletes over HTTP: pages, streams, limits, times.

Usage: queries_test.py EVQ.
"""

import gzip
import json
import re
import sys
import threading
import time
import unittest

from evq_server import Server, ServerCase, T0
from processes import wait_until


class Queries(ServerCase):
    def page(self, order, size, endpoint):
        """All `n` values by cursor, in the order they came."""
        seen, cursor = [], None
        for _ in range(100):
            if endpoint == "apl":
                body = {"apl": f"['paging'] | sort by _time {order} | limit {size}"}
                path = "/v1/query/_apl?format=legacy"
            else:
                body = {"limit": size, "order": [{"field": "_time", "desc": order == "desc"}]}
                path = "/v1/datasets/paging/query"
            if cursor is not None:
                body["cursor"] = cursor
            status, answer = self.server.call("POST", path, body)
            self.assertEqual(status, 200, answer)
            seen += [match["data"]["n"] for match in answer["matches"]]
            self.assertEqual(answer["status"]["rowsMatched"], 57)
            following = answer["status"]["minCursor" if order == "desc" else "maxCursor"]
            if following == cursor:
                self.assertEqual(answer["matches"], [])
                return seen
            cursor = following
        self.fail("paging does not end")

    def test_paging_by_cursor_sees_every_row_once_also_with_equal_times(self):
        events = [{"_time": f"2024-05-01T00:00:{i // 10:02}Z", "n": i} for i in range(57)]
        for first in range(0, 57, 20):
            self.server.call("POST", "/v1/ingest/paging", events[first:first + 20])
        for endpoint in ("apl", "legacy"):
            self.assertEqual(self.page("asc", 8, endpoint), list(range(57)))
            self.assertEqual(self.page("desc", 8, endpoint), list(range(56, -1, -1)))
        status, _ = self.server.call("POST", "/v1/query/_apl", {"apl": "['paging']", "cursor": "made-up"})
        self.assertEqual(status, 400)
        status, answer = self.server.call("POST", "/v1/query/_apl?format=legacy&cursor=", {
            "apl": "['paging'] | limit 1"})
        by_url = "/v1/query/_apl?format=legacy&cursor=" + answer["status"]["minCursor"]
        status, answer = self.server.call("POST", by_url, {"apl": "['paging'] | limit 1"})
        self.assertEqual(answer["matches"][0]["data"]["n"], 55)

    def test_a_streaming_query_waits_for_events(self):
        self.server.call("POST", "/v1/ingest/stream", [{"n": 1}])
        _, answer = self.server.call("POST", "/v1/datasets/stream/query", {"limit": 10})
        cursor = answer["matches"][-1]["_rowId"]

        def later():
            time.sleep(0.6)
            self.server.call("POST", "/v1/ingest/stream", [{"n": 2}])

        thread = threading.Thread(target=later)
        thread.start()
        started = time.monotonic()
        _, answer = self.server.call(
            "POST", "/v1/datasets/stream/query?streaming-duration=25s",
            {"cursor": cursor, "order": [{"field": "_time", "desc": False}], "startTime": "now-1h",
             "endTime": "now"})
        thread.join()
        self.assertEqual([match["data"]["n"] for match in answer["matches"]], [2])
        self.assertLess(time.monotonic() - started, 20)

        def queries_answered():
            return int(re.search(rb"evq_queries_total (\d+)", self.server.call("GET", "/metrics")[1])[1])

        before = queries_answered()
        _, answer = self.server.call("POST", "/v1/datasets/stream/query?streaming-duration=300ms", {
            "cursor": answer["matches"][-1]["_rowId"], "order": [{"field": "_time", "desc": False}]})
        self.assertEqual((answer["matches"], answer["status"]["rowsMatched"]), ([], 2))
        self.assertEqual(queries_answered(), before + 1)
        _, answer = self.server.call("POST", "/v1/datasets/stream/query?streaming-duration=1ms",
                                     {"startTime": "2099-01-01T00:00:00Z"})
        status = answer["status"]
        self.assertLessEqual(status["minBlockTime"], status["maxBlockTime"])

    def test_a_time_to_wait_that_is_none_is_refused(self):
        path = "/v1/datasets/waits/query?streaming-duration="
        self.server.call("POST", "/v1/ingest/waits", [{"n": 1}])
        for text in ("5000000000", "5", "soon", "5x", "-5s", "1m30", "%20"):
            status, answer = self.server.call("POST", path + text, {})
            self.assertEqual((status, answer["code"]), (400, 400), text)
            self.assertIn("streaming-duration must be", answer["message"])
            self.assertIn("5s", answer["message"])
        for text in ("", "auto", "0", "0s", "5s", "1m0s", "1d"):
            status, answer = self.server.call("POST", path + text, {})
            self.assertEqual((status, len(answer["matches"])), (200, 1), text)

    def test_the_wait_of_a_compressed_stream_is_none_of_its_query_s_time(self):
        server = Server("--no-auth", "--timeout", "1")
        server.call("POST", "/v1/ingest/stream", [{"n": 1}])
        body = gzip.compress(json.dumps({"filter": {"op": "==", "field": "n", "value": 2}}).encode())
        status, answer = server.call(
            "POST", "/v1/datasets/stream/query?streaming-duration=2500ms", body,
            {"Content-Type": "application/json", "Content-Encoding": "gzip"})
        self.assertEqual((status, answer.get("matches")), (200, []), answer)
        self.assertEqual(server.stop(), 0)

    def test_a_query_of_a_batch_that_takes_too_long_is_one_event_of_it(self):
        server = Server("--no-auth", "--timeout", "2")
        done = {"apl": "print n = 1"}
        endless = {"apl": "range x from 1 to 1000000000 step 1 "
                          "| extend n = strlen(strrep(tostring(x), 20000)) | summarize sum(n)"}
        status, raw = server.call("POST", "/v1/query/batch", [
            {"queryId": name, "aplRequest": request}
            for name, request in (("a", done), ("b", endless), ("c", endless), ("d", done))])
        self.assertEqual(status, 200, raw)
        events = [json.loads(line.removeprefix("data: ")) for line in raw.decode().split("\n\n") if line]
        self.assertEqual([event["queryId"] for event in events], ["a", "b", "c", "d"])
        for event in events:
            if event["queryId"] in "ad":
                self.assertEqual(event["data"]["tables"][0]["columns"], [[1]])
            else:
                self.assertEqual(event["error"]["code"], 422)
                self.assertIn("longer than its limit of 2 s", event["error"]["message"])
        self.assertEqual(server.stop(), 0)

    def test_default_limit_and_request_limit(self):
        lines = "\n".join('{"n":%d}' % i for i in range(1500))
        self.server.call("POST", "/v1/ingest/many", lines, {"Content-Type": "application/x-ndjson"})
        count = lambda answer: len(answer["tables"][0]["columns"][0])
        self.assertEqual(count(self.server.query("['many']")), 1000)
        self.assertEqual(count(self.server.query("['many'] | limit 1200")), 1200)
        self.assertEqual(count(self.server.query("['many'] | limit 1200", limit=7)), 7)
        self.assertEqual(self.server.query("['many'] | where n < 0")["tables"][0]["columns"][0], [])

    def test_times_beyond_those_of_events_bound_nothing(self):
        self.server.call("POST", "/v1/ingest/ages", [{"_time": T0}])
        zero, far = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"
        for start, end, rows in ((zero, zero, 1), (zero, "2000-01-01T00:00:00Z", 0), ("", far, 1),
                                 ("1000-06-01T00:00:00+02:00", far, 1), (far, "", 0), (zero, "now", 1)):
            status, answer = self.server.call("POST", "/v1/datasets/ages/query",
                                              {"startTime": start, "endTime": end})
            self.assertEqual((status, len(answer.get("matches", ()))), (200, rows), (start, end, answer))
        for wrong in ("9999-13-01T00:00:00Z", "2024-02-30T00:00:00Z", "99999", "later"):
            status, answer = self.server.call("POST", "/v1/query/_apl",
                                              {"apl": "ages", "startTime": wrong + "x"})
            self.assertEqual(status, 400, wrong)

    def test_block_delete(self):
        self.server.call("POST", "/v1/ingest/doomed", [{"_time": T0, "k": 1}, {"_time": T0, "k": 2}])
        body = {"apl": "['doomed'] | where k == 1", "startTime": "2024-01-01T00:00:00Z",
                "endTime": "now", "commit": False}
        path = "/v2/datasets/_apl/delete"
        self.assertEqual(self.server.call("POST", path, body)[1], {
            "dryRun": True, "rowsMatched": 1, "rowsDeleted": 2, "firstMatchedEvent": T0,
            "lastMatchedEvent": T0})
        named = {**body, "apl": "['doomed'] | where k == wanted"}
        for wanted, matched in ((2, 1), (3, 0)):
            status, answer = self.server.call("POST", path, {**named, "variables": {"wanted": wanted}})
            self.assertEqual((status, answer["rowsMatched"]), (200, matched))
        self.assertEqual(self.server.call("POST", path, named)[0], 400)
        self.assertEqual(self.server.call("POST", path, {**body, "commit": None})[0], 400)
        status, _ = self.server.call("POST", path, {**body, "apl": "['doomed'] | limit 1"})
        self.assertEqual(status, 400)
        self.assertFalse(self.server.call("POST", path, {**body, "commit": True})[1]["dryRun"])
        self.assertEqual(self.server.query("['doomed'] | count")["tables"][0]["columns"], [[0]])


class LongAnswers(unittest.TestCase):
    """Rows that share a long value are gigabytes of text: what ends a query ends its writing, too."""

    APL = {"apl": "print x = range(0, 500000, 1) | mv-expand y = range(1, 900, 1)"}

    def test_an_answer_ends_at_the_time_limit(self):
        server = Server("--no-auth", "--timeout", "1")
        started = time.monotonic()
        for form in ("tabular", "legacy"):
            status, answer = server.call("POST", "/v1/query/_apl?format=" + form, self.APL)
            self.assertEqual((status, "longer than its limit" in answer["message"]), (422, True), answer)
        status, raw = server.call("POST", "/v1/query/batch", [
            {"queryId": "long", "aplRequest": self.APL}, {"queryId": "one", "aplRequest": {"apl": "print 1"}}])
        events = [json.loads(event.removeprefix("data: ")) for event in raw.decode().split("\n\n") if event]
        self.assertEqual((status, events[0]["error"]["code"], "data" in events[1]), (200, 422, True), raw)
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual(server.stop(), 0)

    def test_an_answer_ends_when_nobody_waits_for_it(self):
        server = Server("--no-auth", "--timeout", "100")
        body = json.dumps(self.APL)
        running = lambda: b"evq_http_requests_running 0\n" not in server.call("GET", "/metrics")[1]
        with server.connect() as sock:
            sock.sendall((f"POST /v1/query/_apl?format=tabular HTTP/1.1\r\nHost: localhost\r\n"
                          f"Content-Length: {len(body)}\r\n\r\n{body}").encode())
            wait_until(server.unnamed_files)  # the text has begun
        wait_until(lambda: not running(), 5, "the answer goes on")
        wait_until(lambda: not server.unnamed_files(), 5, "its text is kept")
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
