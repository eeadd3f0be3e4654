#!/usr/bin/env python3
"""The HTTP API over a real server: every rule that needs a connection to be seen.

Usage: server_test.py EVQ. Starts `evq serve` on a free loopback port over a store of its own and
stops it by its process id.
"""

import base64
import concurrent.futures
import email.utils
import fcntl
import gzip
import http.client
import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from evq_server import EVQ, Server, T0, run_evq


class Open(unittest.TestCase):
    """A server without authentication."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-auth")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def test_ingest_answers_six_members_and_counts_bytes(self):
        body = '[{"a":1},\n {"a":2}, 7]'
        status, answer = self.server.call("POST", "/v1/ingest/six", body,
                                          {"Content-Type": "application/json"})
        self.assertEqual(status, 200)
        self.assertEqual(set(answer), {"ingested", "failed", "failures", "processedBytes",
                                       "blocksCreated", "walLength"})
        self.assertEqual((answer["ingested"], answer["failed"]), (2, 1))
        self.assertEqual(answer["processedBytes"], len(body))
        self.assertRegex(answer["failures"][0]["timestamp"], r"^\d{4}-\d\d-\d\dT")
        self.assertTrue(self.server.headers["X-Axiom-Trace-Id"])

    def test_ingest_formats_encodings_and_labels(self):
        call = self.server.call
        lines = b'{"n":1}\n\n{"n":2}\n{"index":{}}\n'
        status, answer = call("POST", "/v1/ingest/forms", gzip.compress(lines), {
            "Content-Type": "application/x-ndjson", "Content-Encoding": "gzip",
            "X-Axiom-Event-Labels": '{"env":"x"}'})
        self.assertEqual((status, answer["ingested"]), (200, 3))
        self.assertEqual(answer["processedBytes"], len(lines) + len('{"env":"x"}'))
        for encoding in ("", "identity", "1"):
            status, _ = call("POST", "/v1/datasets/forms/ingest", b'{"n":3}',
                             {"Content-Type": "application/json", "Content-Encoding": encoding})
            self.assertEqual(status, 200, encoding)
        status, answer = call("POST", "/v1/ingest/forms?csv-delimiter=;", b"1;2\n3;4\n", {
            "Content-Type": "text/csv", "X-Axiom-CSV-Fields": "p,q"})
        self.assertEqual((status, answer["ingested"]), (200, 2))
        self.assertEqual(call("POST", "/v1/ingest/forms", b"{}", {"Content-Type": "text/html"})[0], 415)
        self.assertEqual(call("POST", "/v1/ingest/forms", b"{}", {"Content-Encoding": "br"})[0], 415)
        status, _ = call("POST", "/v1/ingest/forms", gzip.compress(b'{"n":4}'), {
            "Content-Type": "application/json", "Content-Encoding": "GZip"})
        self.assertEqual(status, 200)
        status, _ = call("POST", "/v1/ingest/forms", b'[{"n":9},', {"Content-Type": "application/json"})
        self.assertEqual(status, 400)
        found = self.server.query("['forms'] | where env == 'x' | count")
        self.assertEqual(found["tables"][0]["columns"], [[3]])

    def test_chunked_bodies_and_expect(self):
        head = ("POST /v1/ingest/chunks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Connection: close\r\n")
        answer = self.server.raw((head + "Transfer-Encoding: chunked\r\n\r\n"
                                  "4\r\n[{\"a\r\n5\r\n\":1}]\r\n0\r\n\r\n").encode())
        self.assertIn(b'"ingested":1', answer)
        answer = self.server.raw((head + "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"
                                  "[{\"a\":1}]").encode())
        self.assertTrue(answer.startswith(b"HTTP/1.1 100 "), answer)
        self.assertIn(b'"ingested":1', answer)

    def test_requests_as_old_clients_and_those_of_proxies_send_them(self):
        ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        for text, answers in ((f"\r\n{ask}Connection: close\r\n\r\n", 1),
                              (f"{ask}\r\n\r\n{ask}Connection: close\r\n\r\n", 2),
                              ("GET http://localhost:1/healthz HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n", 1),
                              ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1)):
            answer = self.server.raw(text.encode())
            self.assertEqual(answer.count(b"HTTP/1.1 200 "), answers, text)
        # Nobody but HTTP/1.1 is told to go on.
        answer = self.server.raw(b"POST /v1/ingest/old HTTP/1.0\r\nContent-Length: 9\r\n"
                                 b"Expect: 100-continue\r\n\r\n" + b'[{"a":1}]')
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        # Such a client reads to the end of the connection unless it is told that there is none.
        kept = self.server.raw(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
                               b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertEqual(kept.count(b"HTTP/1.1 200 "), 2, kept)
        self.assertEqual(kept.count(b"Connection: keep-alive\r\n"), 1, kept)
        self.assertEqual(kept.count(b"Connection: close\r\n"), 1, kept)

    def test_ambiguous_framing_is_refused_and_closed(self):
        cases = {
            "Content-Length: 2\r\nTransfer-Encoding: chunked": b"400",
            "Content-Length: 2\r\nContent-Length: 3": b"400",
            "Content-Length: -1": b"400",
            "Content-Length: 99999999999999999999": b"400",
            "Transfer-Encoding: gzip, chunked": b"501",
            "Transfer-Encoding: identity": b"501",
            "Content-Length: 999999999": b"413",
            "Host: y\r\nContent-Length: 2": b"400",
            "X: " + "a" * 20000: b"431",
        }
        for headers, status in cases.items():
            answer = self.server.raw(("POST /v1/ingest/bad HTTP/1.1\r\nHost: localhost\r\n" + headers +
                                      "\r\n\r\n{}").encode())
            self.assertIn(b" " + status + b" ", answer.split(b"\r\n")[0], headers[:60])
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, headers[:60])
        self.assertIn(b" 400 ", self.server.raw(b"GET /healthz HTTP/1.1\r\n\r\n"))
        self.assertIn(b" 400 ", self.server.raw(b"\x16\x03\x01\x02\x00\r\n\r\n"))
        cut = self.server.raw(b"POST /v1/ingest/cut HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n"
                              b'{"a":1}\n', wait=1)
        self.assertNotIn(b"200 OK", cut)
        self.assertEqual(self.server.call("GET", "/v2/datasets/cut")[0], 404)

    def test_pipelined_requests_are_answered_in_order(self):
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = self.server.raw(one + one + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.assertEqual(answer.count(b"HTTP/1.1 200 "), 3)

    def test_errors_are_objects(self):
        call = self.server.call
        for method, path, body, expected in (
                ("GET", "/nope", None, 404), ("PATCH", "/v2/datasets", None, 405),
                ("GET", "/v2/datasets/missing", None, 404),
                ("POST", "/v1/query/_apl?format=xml", {"apl": "x"}, 400),
                ("POST", "/v1/query/_apl?format=tabular", {"apl": "['nowhere']"}, 404),
                ("POST", "/v1/datasets/nowhere/query", {"limit": 1}, 404),
                ("POST", "/v1/query/_apl", b"", 422), ("POST", "/v1/query/_apl", b"{", 400),
                ("POST", "/v2/datasets", {"name": "../x"}, 400)):
            status, answer = call(method, path, body)
            self.assertEqual(status, expected, (path, answer))
            self.assertEqual(answer["code"], expected)
            self.assertIsInstance(answer["message"], str)
            self.assertTrue(self.server.headers["X-Axiom-Trace-Id"])
            if expected == 404:
                self.assertIn("not found", answer["message"].lower())
        status, _ = call("POST", "/v1/query/_apl", b'{"apl":"x"}', {"Content-Type": "text/plain"})
        self.assertEqual(status, 415)
        kind = {"Content-Type": "application/json"}
        packed = gzip.compress(b'{"apl":"print 1"}')
        status, _ = call("POST", "/v1/query/_apl", packed, {**kind, "Content-Encoding": "gzip"})
        self.assertEqual(status, 200)
        status, _ = call("POST", "/v1/query/_apl", packed, {**kind, "Content-Encoding": "br"})
        self.assertEqual(status, 415)
        bomb = gzip.compress(b" " * (2 << 20) + b'{"apl":"print 1"}')
        status, _ = call("POST", "/v1/query/_apl", bomb, {**kind, "Content-Encoding": "gzip"})
        self.assertEqual(status, 413)
        for wrong in ({"queryOptions": []}, {"libraries": [1]}):
            self.assertEqual(call("POST", "/v1/query/_apl", {"apl": "print 1", **wrong})[0], 400)
        status, answer = call("POST", "/v1/query/_apl", {"apl": "['six']\n| zap"})
        self.assertEqual((status, answer["detail"]["line"]), (400, 2))

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
            "POST", "/v1/datasets/stream/query?streaming-duration=10s",
            {"cursor": cursor, "order": [{"field": "_time", "desc": False}], "startTime": "now-1h",
             "endTime": "now"})
        thread.join()
        self.assertEqual([match["data"]["n"] for match in answer["matches"]], [2])
        self.assertLess(time.monotonic() - started, 8)
        _, answer = self.server.call("POST", "/v1/datasets/stream/query?streaming-duration=300ms", {
            "cursor": answer["matches"][-1]["_rowId"], "order": [{"field": "_time", "desc": False}]})
        self.assertEqual((answer["matches"], answer["status"]["rowsMatched"]), ([], 2))
        _, answer = self.server.call("POST", "/v1/datasets/stream/query?streaming-duration=1ms",
                                     {"startTime": "2099-01-01T00:00:00Z"})
        status = answer["status"]
        self.assertLessEqual(status["minBlockTime"], status["maxBlockTime"])

    def test_the_wait_of_a_compressed_stream_is_none_of_its_query_s_time(self):
        server = Server("--no-auth", "--timeout", "1")
        server.call("POST", "/v1/ingest/stream", [{"n": 1}])
        body = gzip.compress(json.dumps({"filter": {"op": "==", "field": "n", "value": 2}}).encode())
        status, answer = server.call(
            "POST", "/v1/datasets/stream/query?streaming-duration=2500ms", body,
            {"Content-Type": "application/json", "Content-Encoding": "gzip"})
        self.assertEqual((status, answer.get("matches")), (200, []), answer)
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
        self.assertEqual(self.server.call("POST", path, {**body, "commit": None})[0], 400)
        status, _ = self.server.call("POST", path, {**body, "apl": "['doomed'] | limit 1"})
        self.assertEqual(status, 400)
        self.assertFalse(self.server.call("POST", path, {**body, "commit": True})[1]["dryRun"])
        self.assertEqual(self.server.query("['doomed'] | count")["tables"][0]["columns"], [[0]])

    def test_saved_queries(self):
        query = {"kind": "apl", "name": "n", "who": "me", "metadata": {"a": "b"}, "dataset": "d",
                 "query": {"apl": "['d']", "queryOptions": {"priority": "low"}}}
        path = "/v2/apl-starred-queries"
        status, made = self.server.call("POST", path, query)
        self.assertEqual(status, 200, made)
        self.assertEqual({**query, "id": made["id"]}, made)
        one = path + "/" + made["id"]
        self.assertEqual(self.server.call("GET", one)[1], made)
        status, changed = self.server.call("PUT", one, {
            **query, "id": "other", "name": "m", "dataset": None, "metadata": {},
            "query": {"apl": "a", "cursor": None, "variables": {"x": None},
                      "queryOptions": {"noFill": None}}})
        self.assertEqual((status, changed), (200, {  # null is what was not given
            "id": made["id"], "kind": "apl", "name": "m", "who": "me", "metadata": {},
            "query": {"apl": "a", "variables": {"x": None}, "queryOptions": {}}}))
        self.assertEqual(self.server.call("PUT", path + "/none", query)[0], 404)
        options = lambda **o: {**query, "query": {"apl": "x", "queryOptions": o}}
        for bad in ({**query, "kind": "mpl"}, {**query, "metadata": {"a": 1}}, {**query, "who": None},
                    options(priority="urgent"), options(surprise=1), options(noFill="true"),
                    options(maxSeries=1.5), options(shownColumns="é" * 10001), options(displayNull="no")):
            self.assertEqual(self.server.call("PUT", one, bad)[0], 400, bad)
        for good in (options(shownColumns="é" * 10000), options(displayNull=""), options(priority=None)):
            self.assertEqual(self.server.call("PUT", one, good)[0], 200, good)
        plain = self.server.call("PUT", one, {**query, "query": {"apl": "x"}})[1]
        self.assertEqual(plain["query"], {"apl": "x"})
        listed = next(each for each in self.server.call("GET", path)[1] if each["id"] == made["id"])
        self.assertEqual(listed, {**plain, "query": {"apl": "x", "queryOptions": {}}})
        self.assertEqual(self.server.call("DELETE", one)[0], 204)
        self.assertEqual(self.server.call("GET", one)[0], 404)

    def test_datasets(self):
        call = self.server.call
        for version in ("/v1", "/v2"):
            name = "set" + version[1:]
            status, made = call("POST", version + "/datasets", {"name": name, "description": "d"})
            self.assertEqual((status, made["id"]), (200, name))
            self.assertEqual(call("POST", version + "/datasets", {"name": name})[0], 409)
            one = f"{version}/datasets/{name}"
            status, changed = call("PUT", one, {"description": "e", "retentionDays": 3})
            self.assertEqual((changed["description"], changed["retentionDays"]), ("e", 3))
            self.assertEqual((changed["created"], made["updatedAt"]), (made["created"], made["created"]))
            self.assertNotEqual(changed["updatedAt"], made["updatedAt"])
            self.assertEqual(call("GET", one)[1], changed)
            self.assertIn(changed, call("GET", version + "/datasets")[1])
            self.assertEqual(call("POST", one + "/trim", {"maxDuration": "1h0m0s"})[0],
                             200 if version == "/v1" else 204)
            self.assertEqual(call("DELETE", one)[0], 204)
            self.assertEqual(call("GET", one)[0], 404)
        status, _ = call("POST", "/v2/datasets", {"name": "never", "useRetentionPeriod": True})
        self.assertEqual(status, 400)
        call("POST", "/v1/ingest/fielded", [{"ms": 1, "s": "x"}])
        fields = {f["name"]: f for f in call("GET", "/v2/datasets/fielded/fields")[1]}
        self.assertEqual(fields["ms"]["type"], "integer")
        status, field = call("PUT", "/v2/datasets/fielded/fields/ms", {"unit": "ms"})
        self.assertEqual((status, field["unit"]), (200, "ms"))
        self.assertIn("fielded", [d["datasetName"] for d in call("GET", "/v1/datasets/_fields")[1]])
        maps = "/v2/datasets/fielded/mapfields"
        self.assertEqual(call("POST", maps, {"name": "m"}), (200, {"name": "m"}))
        self.assertEqual(call("POST", maps, {"name": "m"})[0], 409)
        self.assertEqual(call("PUT", maps, ["a", "b"]), (200, ["a", "b"]))
        for wrong in (b'["a"],"x":1', b'"a"', b"[1]", b'["a"'):
            self.assertEqual(call("PUT", maps, wrong, {"Content-Type": "application/json"})[0], 400, wrong)
        self.assertEqual(call("DELETE", maps + "/a")[0], 204)
        self.assertEqual(call("GET", "/v2/datasets/fielded")[1]["mapFields"], ["b"])
        self.assertEqual(call("GET", "/v1/datasets/fielded/info")[1]["numEvents"], 1)

    def test_annotations_and_kept_objects(self):
        call = self.server.call
        status, made = call("POST", "/v2/annotations", {"type": "deploy", "datasets": ["a"],
                                                        "title": None})
        self.assertEqual(status, 201)
        self.assertTrue(made["id"].startswith("ann_"))
        one = "/v2/annotations/" + made["id"]
        status, changed = call("PUT", one, {"title": "t", "type": None})
        self.assertEqual((changed["title"], changed["type"]), ("t", "deploy"))
        self.assertEqual(call("GET", "/v2/annotations?datasets=a,b")[1], [changed])
        self.assertEqual(call("GET", "/v2/annotations?datasets=z")[1], [])
        for wrong in ({"datasets": "a"}, {"datasets": []}, {"type": 1}, {"type": ""}, {"time": "soon"},
                      {"title": {}}, {"endTime": 5}):
            self.assertEqual(call("PUT", one, wrong)[0], 400, wrong)
        self.assertEqual(call("GET", one)[1], changed)
        call("PUT", one, {"time": T0, "endTime": "2024-05-02T00:00:00Z"})
        self.assertEqual(call("PUT", one, {"endTime": "2024-04-30T00:00:00Z"})[0], 400)
        self.assertEqual(call("PUT", one, {"time": "2024-05-03T00:00:00Z"})[0], 400)
        self.assertEqual(call("PUT", one, {"endTime": T0})[0], 200)  # an instant
        self.assertEqual(call("PUT", one, {"endTime": "2024-05-02T00:00:00Z"})[0], 200)
        for query, count in (("start=2024-05-01T12:00:00Z", 1), ("end=2024-04-01T00:00:00Z", 0),
                             ("start=2024-05-03T00:00:00Z", 0), ("start=0001-01-01T00:00:00Z", 1),
                             ("start=2024-04-01T00:00:00%2B02:00&end=now", None)):
            status, found = call("GET", "/v2/annotations?datasets=a&" + query)
            self.assertEqual(status, 400 if count is None else 200, query)
            self.assertEqual(len(found) if count is not None else None, count, query)
        self.assertEqual(call("DELETE", one)[0], 204)
        for kind in ("monitors", "notifiers", "views"):
            status, kept = call("POST", "/v2/" + kind, {"name": "k", "deep": {"x": [1, 2.5]}})
            self.assertEqual((status, kept["deep"]), (200, {"x": [1, 2.5]}))
            self.assertEqual(call("GET", f"/v2/{kind}/{kept['id']}")[1], kept)
        self.assertEqual(call("POST", "/v2/vfields", {"name": "x"})[0], 400)
        for wrong in ("a +", "a | take 1", "a), b = (c", ""):
            status, answer = call("POST", "/v2/vfields", {"dataset": "d", "name": "x", "expression": wrong})
            self.assertEqual(status, 400, wrong)
        status, kept = call("POST", "/v2/monitors", {"name": "m", "aplQuery": "", "mplQuery": "`d`:`m`"})
        self.assertEqual((status, kept["aplQuery"], "mplQuery" in kept), (200, "`d`:`m`", False))
        # Go's client sends its empty members along.
        for kind in ("monitors", "notifiers"):
            given = {"name": "m", "createdAt": "0001-01-01T00:00:00Z", "createdBy": "",
                     "updatedAt": "0001-01-01T00:00:00Z"}
            made = call("POST", "/v2/" + kind, given)[1]
            self.assertGreater(made["createdAt"], "2024")
            self.assertEqual((made["createdBy"] != "", made["updatedAt"]), (True, made["createdAt"]))
            changed = call("PUT", f"/v2/{kind}/{made['id']}", given)[1]
            self.assertEqual([changed[name] for name in ("createdAt", "createdBy")],
                             [made[name] for name in ("createdAt", "createdBy")])
            self.assertGreater(changed["updatedAt"], made["updatedAt"])
        self.assertEqual(call("POST", "/v2/monitors", {"name": "m", "aplQuery": "a", "mplQuery": "b"})[0],
                         400)

    def test_elasticsearch_bulk(self):
        body = ('{"index":{"_index":"x"}}\n{"@timestamp":"2024-05-01T00:00:05Z","m":"a"}\n'
                '{"create":{}}\n{"m":\n{"delete":{"_id":1}}\n')
        status, answer = self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", body.encode(),
                                          {"Content-Type": "application/x-ndjson"})
        self.assertEqual(status, 200)
        self.assertEqual([list(item.values())[0]["status"] for item in answer["items"]], [201, 400])
        self.assertEqual([list(item.values())[0]["_index"] for item in answer["items"]], ["bulk", "bulk"])
        self.assertEqual(answer["items"][0]["index"]["result"], "created")
        self.assertTrue(answer["errors"])
        row = self.server.query("['bulk'] | where m == 'a' | project _time")
        self.assertEqual(row["tables"][0]["columns"], [["2024-05-01T00:00:05Z"]])
        for base in ("/v1/ingest/bulk/elastic", "/v1/datasets/bulk/elastic"):
            self.assertIn("number", self.server.call("GET", base)[1]["version"])
            license = self.server.call("GET", base + "/_license")[1]["license"]
            self.assertEqual(license["status"], "active")
            health = self.server.call("GET", base + "/_cluster/health")[1]
            self.assertEqual(health["status"], "green")
            for method in ("POST", "PUT"):
                for path in ("/_bulk", "/logs-2024/_bulk"):
                    one = json.dumps({"way": method + base + path}).encode()
                    answer = self.server.call(method, base + path, b'{"create":{}}\n' + one + b"\n")[1]
                    self.assertEqual(answer["items"], [{"create": {"_index": "bulk", "status": 201,
                                                                   "result": "created"}}])
        self.assertEqual(self.server.query("['bulk'] | summarize dcount(way)")["tables"][0]["columns"], [[8]])
        many = b'{"index":{}}\n{"@timestamp":"x"}\n' * 1200 + b'{"index":{}}\n{"a":1}\n'
        answer = self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", many)[1]
        self.assertEqual({item["index"]["status"] for item in answer["items"][:1200]}, {400})
        for wrong in (b'{"update":{}}\n{"doc":{}}\n', b"[1]\n{}\n", b'{"index":1}\n{}\n', b"{}\n{}\n"):
            self.assertEqual(self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", wrong)[0], 400, wrong)

    def test_splunk_and_loki(self):
        call = self.server.call
        body = b'{"event":"text","time":1714521600,"host":"h"}{"event":{"k":1},"fields":{"f":"g"}}'
        self.assertEqual(call("POST", "/services/collector/event?index=splunk", body),
                         (200, {"text": "Success", "code": 0}))
        self.assertEqual(call("POST", "/services/collector?index=splunk", b"")[1]["code"], 5)
        self.assertEqual(call("POST", "/services/collector", b'{"event":1}')[1]["code"], 7)
        self.assertEqual(call("POST", "/services/collector/raw?index=splunk", b"a\nb\n")[0], 200)
        self.assertEqual(call("OPTIONS", "/services/collector/event/1.0")[0], 200)
        for version in ("event", "event/1.0"):  # Docker's driver and Splunk's libraries use the latter
            self.assertEqual(call("POST", f"/services/collector/{version}?index=versions",
                                  [{"event": "e"}])[0], 200)
        self.assertEqual(call("POST", "/services/collector/raw/1.0?index=versions", b"r")[0], 200)
        for wrong in (b'{"event":1}x{"event":2}', b'{"event":1}}', b'"a"{"event":1}', b'{"event":1}{"event":'):
            status, answer = call("POST", "/services/collector?index=versions", wrong)
            self.assertEqual((status, answer["code"]), (400, 6), wrong)
        for count, expected in ((100, 200), (101, 400)):
            body = "".join(json.dumps({"event": 1, "index": f"many{i}"}) for i in range(count))
            self.assertEqual(call("POST", "/services/collector", body)[0], expected)
        rows = self.server.query("['versions'] | count")["tables"][0]["columns"]
        self.assertEqual(rows, [[3]])
        rows = self.server.query("['splunk'] | summarize count(), countif(isnotnull(_raw))")
        self.assertEqual(rows["tables"][0]["columns"], [[4], [3]])
        push = {"streams": [{"stream": {"app": "x"}, "values": [["1714521600000000001", "l1"],
                                                                ["1714521600000000002", "l2"]]}]}
        self.assertEqual(call("POST", "/loki/api/v1/push", push, {"X-Axiom-Dataset": "loki"})[0], 204)
        rows = self.server.query("['loki'] | sort by _time asc | project _time, app, line")
        self.assertEqual(rows["tables"][0]["columns"], [
            ["2024-05-01T00:00:00.000000001Z", "2024-05-01T00:00:00.000000002Z"], ["x", "x"],
            ["l1", "l2"]])

    def test_opentelemetry(self):
        span = {"traceId": "aa", "spanId": "bb", "name": "get", "kind": 2,
                "startTimeUnixNano": "1714521600000000000", "endTimeUnixNano": "1714521600000000500",
                "attributes": [{"key": "http.method", "value": {"stringValue": "GET"}}],
                "status": {"code": 2}}
        body = {"resourceSpans": [{"resource": {"attributes": [
            {"key": "service.name", "value": {"stringValue": "web"}}]},
            "scopeSpans": [{"scope": {"name": "lib"}, "spans": [span]}]}]}
        status, answer = self.server.call("POST", "/v1/traces", body, {"X-Axiom-Dataset": "otel"})
        self.assertEqual((status, answer), (200, {}))
        rows = self.server.query("['otel'] | project ['attributes.http.method'], duration, kind, error, "
                                 "['service.name'], ['scope.name']")
        self.assertEqual([column[0] for column in rows["tables"][0]["columns"]],
                         ["GET", "500ns", "server", True, "web", "lib"])
        self.assertEqual(self.server.call("POST", "/v1/logs", body)[0], 400)
        for wrong in ({"resourceLogs": {}}, {"resourceLogs": [{"scopeLogs": "x"}]},
                      {"resourceLogs": [{"scopeLogs": [{"logRecords": {}}]}]},
                      {"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}):
            self.assertEqual(self.server.call("POST", "/v1/logs", wrong, {"X-Axiom-Dataset": "otel"})[0],
                             400, wrong)

    def test_slow_clients_delay_nobody(self):
        slow = []
        for i in range(100):
            sock = socket.create_connection(("127.0.0.1", self.server.port))
            sock.sendall(b"POST /v1/ingest/slow HTTP/1.1\r\nHost: localhost\r\n" +
                         (b"Content-Length: 1000\r\n\r\n[" if i % 2 else b"X-"))
            slow.append(sock)
        times = []
        for _ in range(20):
            started = time.monotonic()
            self.assertEqual(self.server.call("POST", "/v1/ingest/healthy", [{"a": 1}])[0], 200)
            times.append(time.monotonic() - started)
        for sock in slow:
            sock.close()
        self.assertLess(sorted(times)[10], 1.0, times)

    def test_no_change_of_a_dataset_is_lost(self):
        self.server.call("POST", "/v2/datasets", {"name": "shared"})
        path = "/v2/datasets/shared"
        names = [f"field{i}" for i in range(24)]
        statuses = []

        def change(name):
            statuses.append(self.server.call("POST", path + "/mapfields", {"name": name})[0])
            statuses.append(self.server.call("PUT", path, {"description": name})[0])

        threads = [threading.Thread(target=change, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses), {200})
        self.assertEqual(sorted(self.server.call("GET", path + "/mapfields")[1]), sorted(names))

    def test_no_change_of_a_field_is_lost(self):
        self.server.call("POST", "/v1/ingest/described", [{"n": 1}])
        path = "/v2/datasets/described/fields/n"
        for turn in range(20):
            changes = {"unit": f"u{turn}", "description": f"d{turn}", "hidden": turn % 2 == 0}
            threads = [threading.Thread(target=self.server.call, args=("PUT", path, {name: value}))
                       for name, value in changes.items()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            known = self.server.call("GET", path)[1]
            self.assertEqual({name: known[name] for name in changes}, changes)

    def test_the_log_waits_for_nobody(self):
        for reads in (True, False):
            with tempfile.TemporaryDirectory(prefix="evq-log-") as directory:
                process = subprocess.Popen(
                    [EVQ, "--store", directory, "serve", "--no-auth", "--listen", "127.0.0.1:0"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1)
                port = int(re.search(r":(\d+)$", process.stderr.readline().strip()).group(1))
                if not reads:
                    process.stderr.close()
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                for _ in range(1000):  # more than a pipe holds
                    connection.request("GET", "/healthz?" + "x" * 100)
                    self.assertEqual(connection.getresponse().read()[:1], b"{")
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(30), 0)
                if reads:
                    process.stderr.close()

    def test_a_name_that_was_made_to_lead_here_is_refused(self):
        for host, expected in (("localhost", 200), ("LocalHost:8080", 200), ("127.0.0.1:1", 200),
                               ("127.1.2.3", 200), ("[::1]", 200), ("[::1]:80", 200),
                               ("evil.com", 403), ("127.evil.com", 403), ("localhost.evil.com:80", 403),
                               ("10.0.0.1", 403), ("[::2]", 403), ("", 403)):
            headers = {"Host": host, "Origin": "http://" + host}
            status, answer = self.server.call("GET", "/v2/datasets", headers=headers)
            self.assertEqual(status, expected, (host, answer))

    def test_every_answer_has_its_date(self):
        for method, path in (("GET", "/healthz"), ("GET", "/none"), ("OPTIONS", "/v2/datasets")):
            self.server.call(method, path)
            sent = email.utils.parsedate_to_datetime(self.server.headers["Date"]).timestamp()
            self.assertLess(abs(sent - time.time()), 10)

    def test_methods_are_allowed_once(self):
        self.assertEqual(self.server.call("POST", "/v2/datasets/x")[0], 405)
        self.assertEqual(self.server.headers["Allow"], "GET, PUT, DELETE")

    def test_other_origins_are_refused(self):
        status, _ = self.server.call("GET", "/v2/datasets", headers={"Origin": "http://evil"})
        self.assertEqual(status, 403)

    def test_metrics_and_log(self):
        status, text = self.server.call("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertIn(b"evq_ingested_events_total ", text)
        self.server.call("GET", "/healthz?secret=1")
        time.sleep(0.3)
        entries = [json.loads(line) for line in self.server.lines if line.startswith("{")]
        self.assertTrue(any(entry["path"] == "/healthz" for entry in entries))
        self.assertFalse(any("secret" in line for line in self.server.lines))

    def test_the_log_stays_readable_whatever_is_asked_for(self):
        self.assertIn(b"404", self.server.raw(
            b"GET /no-\xff\xfe\"text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        time.sleep(0.3)
        entries = [json.loads(line) for line in self.server.lines if line.startswith("{")]
        self.assertIn("/no-\ufffd\ufffd\"text", [entry["path"] for entry in entries])


class Guarded(unittest.TestCase):
    """Tokens and permissions."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        assert cls.server.token.startswith("xaat-")
        cls.server.call("POST", "/v1/ingest/logs", [{"a": 1}])

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def make(self, *words):
        return run_evq(self.server.directory, "token", "create", "--name", "t", *words)

    def status(self, token, method, path, body=None, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = "Bearer " + token
        else:
            sent["Authorization"] = ""
        return self.server.call(method, path, body, sent)[0]

    def test_failed_authentication_is_403_before_anything_else(self):
        for token in (None, "xaat-wrong", self.server.token + "x"):
            for method, path in (("GET", "/v2/datasets"), ("POST", "/v1/ingest/logs"), ("GET", "/none"),
                                 ("PATCH", "/v2/datasets"), ("GET", "/metrics")):
                self.assertEqual(self.status(token, method, path), 403, (token, path))
        self.assertEqual(self.status(None, "GET", "/healthz"), 200)

    def test_dataset_permissions(self):
        ingest = self.make("--ingest", "logs")
        query = self.make("--query", "logs")
        apl = {"apl": "['logs'] | count"}
        self.assertEqual(self.status(ingest, "POST", "/v1/ingest/logs", [{"a": 2}]), 200)
        self.assertEqual(self.status(ingest, "POST", "/v1/ingest/other", [{"a": 2}]), 403)
        self.assertEqual(self.status(ingest, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(self.status(query, "POST", "/v1/query/_apl", apl), 200)
        self.assertEqual(self.status(query, "POST", "/v1/ingest/logs", [{"a": 2}]), 403)
        self.server.call("POST", "/v1/ingest/hidden", [{"a": 1}])
        for text in ("['hidden'] | count", "['logs'] | union ['hidden'] | count",
                     "['logs'] | join (['hidden']) on a", "let h = ['hidden']; ['logs'] | union h"):
            self.assertEqual(self.status(query, "POST", "/v1/query/_apl", {"apl": text}), 403, text)
        self.assertEqual(self.status(query, "POST", "/v1/datasets/hidden/query", {}), 403)
        remove = {"apl": "['logs']", "commit": False}
        self.assertEqual(self.status(query, "POST", "/v2/datasets/_apl/delete", remove), 403)
        update = self.make("--allow", "datasets|update")
        self.assertEqual(self.status(update, "POST", "/v2/datasets/_apl/delete", remove), 200)
        listed = self.server.call("GET", "/v2/datasets", None, {"Authorization": "Bearer " + query})[1]
        self.assertEqual([each["id"] for each in listed], ["logs"])

    def test_personal_tokens(self):
        token = self.make("--personal")
        self.assertTrue(token.startswith("xapt-"))
        org = run_evq(self.server.directory, "org")
        self.assertEqual(self.status(token, "GET", "/v2/datasets"), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id="wrong"), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=org), 200)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", X_Axiom_Org_Id=org), 200)
        for path in ("/v1/user", "/v2/user", "/v2/orgs"):
            self.assertEqual(self.status(token, "GET", path), 200)
        events = [{"a": 3}]
        self.assertEqual(self.status(token, "POST", "/v1/ingest/logs", events, X_Axiom_Org_Id=org), 403)
        self.assertEqual(
            self.status(token, "POST", "/v1/datasets/logs/ingest", events, X_Axiom_Org_Id=org), 200)

    def test_personal_tokens_over_the_api(self):
        call = self.server.call
        status, made = call("POST", "/v1/_tokens", {"name": "own", "personal": True})
        self.assertEqual(status, 200, made)
        org = run_evq(self.server.directory, "org")
        self.assertTrue(made["token"].startswith("xapt-"))
        self.assertEqual(
            self.status(made["token"], "GET", "/v2/datasets", x_service_org_id=org), 200)
        kinds = {each["id"]: each["kind"] for each in call("GET", "/v1/_tokens")[1]}
        self.assertEqual(kinds[made["id"]], "personal")
        self.assertIn("api", kinds.values())
        self.assertNotIn(made["id"], [each["id"] for each in call("GET", "/v2/tokens")[1]])
        # Whoever may make tokens but not do everything makes and revokes no personal one.
        some = self.make("--allow", "apiTokens|create", "--allow", "apiTokens|delete")
        for personal, expected in ((True, 403), (False, 200)):
            self.assertEqual(self.status(some, "POST", "/v1/_tokens",
                                         {"name": "x", "personal": personal}), expected)
        self.assertEqual(self.status(some, "DELETE", "/v1/_tokens/" + made["id"]), 403)
        self.assertEqual(call("DELETE", "/v1/_tokens/" + made["id"])[0], 204)
        self.assertEqual(call("DELETE", "/v1/_tokens/" + made["id"])[0], 404)
        self.assertEqual(
            self.status(made["token"], "GET", "/v2/datasets", x_service_org_id=org), 403)
        for wrong in ({}, {"name": "x", "personal": "yes"}, {"name": ""}):
            self.assertEqual(call("POST", "/v1/_tokens", wrong)[0], 400, wrong)

    def test_the_organization_can_be_renamed(self):
        call = self.server.call
        before = run_evq(self.server.directory, "org")
        token = self.make("--personal")
        status, changed = call("POST", "/v1/_set_org", {"id": "acme-1"})
        self.assertEqual((status, changed["id"]), (200, "acme-1"))
        self.assertEqual(run_evq(self.server.directory, "org"), "acme-1")
        self.assertEqual(call("GET", "/v2/orgs")[1][0]["id"], "acme-1")
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id="acme-1"), 200)
        for wrong in ("", "a b", "gr\u00fcn", "a\nb", "x" * 257, 7, None):
            self.assertEqual(call("POST", "/v1/_set_org", {"id": wrong})[0], 400, wrong)
        self.assertEqual(call("POST", "/v1/_set_org", {"id": before})[0], 200)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 200)
        run_evq(self.server.directory, "org", "set", "acme-2")  # another process
        self.assertTrue(self.comes_true(
            lambda: self.status(token, "GET", "/v2/datasets", x_service_org_id="acme-2") == 200))
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 403)
        run_evq(self.server.directory, "org", "set", before)

    def comes_true(self, condition):
        for _ in range(100):
            if condition():
                return True
            time.sleep(0.05)
        return False

    def test_a_token_that_is_gone_does_not_come_back(self):
        for _ in range(20):
            made = self.server.call("POST", "/v2/tokens", {"name": "short"})[1]["id"]
            asks = [threading.Thread(target=self.server.call, args=args) for args in (
                ("POST", f"/v2/tokens/{made}/regenerate", {"existingTokenExpiresAt": "2100-01-01T00:00:00Z"}),
                ("DELETE", "/v2/tokens/" + made))]
            for ask in asks:
                ask.start()
            for ask in asks:
                ask.join()
            self.assertEqual(self.server.call("GET", "/v2/tokens/" + made)[0], 404)

    def test_tokens_over_the_api(self):
        call = self.server.call
        wanted = {"name": "api", "description": "", "expiresAt": None, "datasetCapabilities": {
            "logs": {"query": ["read"]}}, "orgCapabilities": {"annotations": ["read"]}}
        status, made = call("POST", "/v2/tokens", wanted)
        self.assertEqual(status, 200, made)
        secret = made.pop("token")
        self.assertEqual({**wanted, "id": made["id"]}, made)
        self.assertEqual(call("GET", "/v2/tokens/" + made["id"])[1], made)
        apl = {"apl": "['logs'] | count"}
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 200)
        status, again = call("POST", f"/v2/tokens/{made['id']}/regenerate",
                             {"existingTokenExpiresAt": "2020-01-01T00:00:00Z", "newTokenExpiresAt": None})
        self.assertEqual(status, 200)
        self.assertNotEqual(again["id"], made["id"])
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(self.status(again["token"], "POST", "/v1/query/_apl", apl), 200)
        self.assertEqual(call("DELETE", "/v2/tokens/" + again["id"])[0], 204)
        self.assertEqual(self.status(again["token"], "POST", "/v1/query/_apl", apl), 403)
        for asked, kept in (("2100-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
                            ("2010-01-01T00:00:00Z", "2010-01-01T00:00:00Z")):  # sooner, never later
            call("POST", f"/v2/tokens/{made['id']}/regenerate",
                 {"existingTokenExpiresAt": asked, "newTokenExpiresAt": None})
            self.assertEqual(call("GET", "/v2/tokens/" + made["id"])[1]["expiresAt"], kept)
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(call("DELETE", "/v2/tokens/" + made["id"])[0], 204)
        maker = self.make("--allow", "apiTokens|create")
        self.assertEqual(self.status(maker, "POST", "/v2/tokens", wanted), 403)
        for path in os.listdir(self.server.directory):
            file = os.path.join(self.server.directory, path)
            if os.path.isfile(file):
                with open(file, "rb") as held:
                    self.assertNotIn(secret.encode(), held.read(), path)
        self.assertFalse(any(secret in line for line in self.server.lines))

    def test_events_for_several_indexes_need_permission_for_all(self):
        token = self.make("--ingest", "ship")
        body = b'{"event":"e","index":"ship"}{"event":"e","index":"wreck"}'
        self.assertEqual(self.status(token, "POST", "/services/collector", body), 403)
        self.assertEqual(self.server.call("GET", "/v2/datasets/ship")[0], 404)

    def test_shippers_schemes(self):
        token = self.make("--ingest", "ship")
        basic = base64.b64encode(("x:" + token).encode()).decode()
        for scheme in ("Splunk " + token, "Basic " + basic, "Bearer " + token):
            status, answer = self.server.call("POST", "/services/collector", b'{"event":"e"}',
                                              {"Authorization": scheme})
            self.assertEqual(status, 200, answer)
        status, _ = self.server.call("POST", "/v1/ingest/ship/elastic/_bulk",
                                     b'{"index":{}}\n{"a":1}\n', {"Authorization": "ApiKey " + basic})
        self.assertEqual(status, 200)


class Life(unittest.TestCase):
    """Starting and stopping."""

    def test_no_auth_is_for_loopback_only(self):
        done = subprocess.run([EVQ, "--store", "/nonexistent", "serve", "--no-auth", "--listen",
                               "0.0.0.0:0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("loopback", done.stderr)

    def test_what_was_acknowledged_is_there_after_a_restart_and_cursors_hold(self):
        server = Server("--no-auth")
        for i in range(20):
            server.call("POST", "/v1/ingest/kept", [{"_time": f"2024-05-01T00:00:{i:02}Z", "n": i}])
        first = server.query("['kept'] | sort by _time asc | limit 5", "legacy")
        idle = socket.create_connection(("127.0.0.1", server.port))
        half = socket.create_connection(("127.0.0.1", server.port))
        half.sendall(b"POST /v1/ingest/kept HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[")
        started = time.monotonic()
        self.assertEqual(server.stop(keep=True), 0)
        self.assertLess(time.monotonic() - started, 15)
        idle.close()
        half.close()
        server = Server("--no-auth", store=server.directory)
        rest = server.query("['kept'] | sort by _time asc | limit 50", "legacy",
                            cursor=first["status"]["maxCursor"])
        self.assertEqual([match["data"]["n"] for match in rest["matches"]], list(range(5, 20)))
        self.assertEqual(server.stop(), 0)

    def test_an_empty_line_between_requests_is_not_the_beginning_of_one(self):
        server = Server("--no-auth")
        ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as client:
            client.sendall(ask)
            self.assertIn(b"200", client.recv(4096))
            for _ in range(2):
                client.sendall(b"\r\n")
                time.sleep(0.3)
            client.sendall(ask + b"\r\n")
            self.assertIn(b"200", client.recv(4096))
            time.sleep(0.3)
            started = time.monotonic()
            self.assertEqual(server.stop(), 0)  # who sends a request is waited for
            self.assertLess(time.monotonic() - started, 5)

    def test_who_waits_for_another_process_to_write_waits_no_longer_than_the_client(self):
        server = Server("--no-auth")
        server.call("POST", "/v1/ingest/d", [{"n": 1}])
        running = lambda: int(re.search(rb"evq_http_requests_running (\d+)",
                                        server.call("GET", "/metrics")[1]).group(1))
        requests = [b"POST /v1/ingest/d", b"POST /v1/ingest/d", b"POST /v2/datasets"]
        with open(server.directory + "/datasets/1.db.lock", "r+b") as one, \
                open(server.directory + "/catalog.db.lock", "r+b") as two:
            for lock in (one, two):
                fcntl.flock(lock, fcntl.LOCK_EX)
            clients = []
            for request, body in zip(requests, (b'[{"n":2}]', b'[{"n":3}]', b'{"name":"e"}')):
                client = socket.create_connection(("127.0.0.1", server.port))
                client.sendall(request + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                clients.append(client)
            self.wait_until(lambda: running() == 3)
            time.sleep(0.5)
            self.assertEqual(running(), 3)
            clients[0].close()  # whose thread may be the one that waits for both
            clients[2].close()
            time.sleep(0.5)
            fcntl.flock(one, fcntl.LOCK_UN)
            self.assertIn(b"200", clients[1].recv(100))
            self.wait_until(lambda: running() == 0)
            fcntl.flock(one, fcntl.LOCK_EX)
            clients[1].sendall(b"POST /v1/ingest/d HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nContent-Length: 9\r\n\r\n[{\"n\":4}]")
            self.wait_until(lambda: running() == 1)
            clients[1].close()
            self.wait_until(lambda: running() == 0)
            # One that has time enough is told.
            last = socket.create_connection(("127.0.0.1", server.port))
            last.sendall(b"POST /v1/ingest/d HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                         b"application/json\r\nContent-Length: 9\r\n\r\n[{\"n\":5}]")
            self.wait_until(lambda: running() == 1)
            started = time.monotonic()
            self.assertEqual(server.stop(keep=True), 0)
            self.assertLess(time.monotonic() - started, 15)
            self.assertIn(b"503", last.recv(100))
            last.close()
        server = Server("--no-auth", store=server.directory)
        found = {match["data"]["n"] for match in server.query("d", "legacy")["matches"]}
        self.assertLessEqual({1, 3}, found)
        self.assertFalse(found & {4, 5})
        self.assertEqual([d["name"] for d in server.call("GET", "/v2/datasets")[1]], ["d"])
        self.assertEqual(server.stop(), 0)

    def wait_until(self, condition):
        deadline = time.monotonic() + 20
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.02)

    def test_a_page_of_another_origin_may_use_the_api_when_told_so(self):
        server = Server("--no-auth", "--cors-origin", "http://app")
        status, _ = server.call("OPTIONS", "/v1/ingest/x", headers={"Origin": "http://app"})
        self.assertEqual((status, server.headers["Access-Control-Allow-Origin"]), (200, "http://app"))
        self.assertEqual(server.call("GET", "/v2/datasets", headers={"Origin": "http://app"})[0], 200)
        self.assertEqual(server.stop(), 0)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate with")
    def test_tls(self):
        with tempfile.TemporaryDirectory(prefix="evq-tls-") as directory:
            key, certificate = directory + "/key.pem", directory + "/certificate.pem"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                            "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                            "-keyout", key, "-out", certificate], check=True, capture_output=True)
            server = Server("--tls-cert", certificate, "--tls-key", key,
                            tls=ssl.create_default_context(cafile=certificate))
            events = [{"n": n, "text": "x" * 200} for n in range(5000)]
            self.assertEqual(server.call("POST", "/v1/ingest/private", events)[1]["ingested"], 5000)
            found = server.query("private | limit 5000", "legacy")["matches"]
            self.assertEqual(len({match["data"]["n"] for match in found}), 5000)
            self.who_takes_leave_cancels_its_query(server)
            self.assertNotIn(b"HTTP", server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            with socket.create_connection(("127.0.0.1", server.port)):  # shakes no hands
                self.assertEqual(server.call("GET", "/v2/datasets")[0], 200)
                started = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - started, 6)  # who waits for it waits 8 s

    def who_takes_leave_cancels_its_query(self, server):
        body = json.dumps({"apl": "range x from 1 to 1000000000 step 1 "
                                  "| extend n = strlen(strrep(tostring(x), 20000)) | summarize sum(n)"})
        running = lambda: b"evq_http_requests_running 0\n" not in server.call("GET", "/metrics")[1]
        sock = socket.create_connection(("127.0.0.1", server.port))
        with server.tls.wrap_socket(sock, server_hostname="127.0.0.1") as client:
            client.sendall((f"POST /v1/query/_apl HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            f"{server.token}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
            self.wait_until(running)
            client.setblocking(False)
            with self.assertRaises(ssl.SSLWantReadError):
                client.unwrap()  # says so, and waits for no answer
        self.wait_until(lambda: not running())

    def test_large_bodies_pass_through_a_file_that_leaves_no_trace(self):
        server = Server("--no-auth")
        lines = b"".join(b'{"n":%d,"text":"%s"}\n' % (i, b"x" * 200) for i in range(40000))
        status, answer = server.call("POST", "/v1/ingest/large", lines,
                                     {"Content-Type": "application/x-ndjson"})
        self.assertEqual((status, answer["ingested"]), (200, 40000))
        self.assertEqual([f for f in os.listdir(server.directory) if f.endswith(".tmp")], [])
        self.assertEqual(server.stop(), 0)

    def test_long_answers_wait_for_slow_readers_in_files(self):
        # More than queries may hold in memory, and each of the readers has that much to come.
        server = Server("--no-auth", "--memory-limit", "64MiB")
        for start in range(0, 40000, 10000):
            self.assertEqual(server.call("POST", "/v1/ingest/long", [
                {"_time": i * 1000 + 1700000000000, "n": i, "text": f"{i:06}" * 200}
                for i in range(start, start + 10000)])[0], 200)
        expected = {}
        for form in ("tabular", "legacy"):
            expected[form] = server.query("long | limit 40000", form)
        self.assertEqual(expected["tabular"]["tables"][0]["columns"][-2], list(range(39999, -1, -1)))
        self.assertEqual([match["data"]["n"] for match in expected["legacy"]["matches"]],
                         list(range(39999, -1, -1)))
        peak = server.peak_memory()
        readers = []
        for i in range(12):
            form = "legacy" if i % 2 else "tabular"
            body = json.dumps({"apl": "long | limit 40000"})
            reader = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            reader.request("POST", "/v1/query/_apl?format=" + form, body)
            readers.append((form, reader, reader.getresponse(), []))
            # Slow, but not so slow on a busy machine that the server gives one up.
            for _, _, response, pieces in readers:
                pieces.append(response.read(2 << 20))
        self.assertEqual(server.query("long | count")["tables"][0]["columns"], [[40000]])
        self.assertLess(server.peak_memory() - peak, 64 << 20)
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            rests = list(threads.map(lambda reader: reader[2].read(), readers[:8]))
        for (form, _, _, pieces), rest in zip(readers, rests):
            answer = json.loads(b"".join(pieces) + rest)
            rows = "matches" if form == "legacy" else "tables"
            self.assertEqual(answer[rows], expected[form][rows])
        for _, reader, _, _ in readers:
            reader.close()
        deadline = time.monotonic() + 30
        while server.unnamed_files() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(server.unnamed_files(), [])
        self.assertEqual([f for f in os.listdir(server.directory) if f.endswith(".tmp")], [])
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
