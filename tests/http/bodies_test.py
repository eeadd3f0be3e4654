#!/usr/bin/env python3
"""Bodies of every route that takes one: each of their members in turn becomes a value of every other
type, and the answer is what it should be or an error that is the client's, never the server's.

Usage: bodies_test.py EVQ.
"""

import copy
import json
import os
import struct
import sys
import unittest

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from evq_server import BOARD, T0, Server

JSON = {"Content-Type": "application/json"}
WRONG = (None, True, -1, 1.5, 1e300, 2 ** 63, "", "text", "x" * 70000, [], [1], ["a"], [[]], {},
         {"a": 1})
RANGE = {"startTime": "2000-01-01T00:00:00Z", "endTime": "2100-01-01T00:00:00Z"}

LEGACY = {
    **RANGE, "limit": 10, "resolution": "1h", "groupBy": ["s"], "includeCursor": True,
    "filter": {"op": "and", "children": [
        {"op": "or", "children": [{"op": "==", "field": "n", "value": 1},
                                  {"op": "contains", "field": "s", "value": "A",
                                   "caseSensitive": False}]},
        {"op": "not", "children": [{"op": "exists", "field": "none"}]}]},
    "aggregations": [{"op": "count", "field": "*", "alias": "many"},
                     {"op": "percentiles", "field": "n", "argument": [50, 99.5]},
                     {"op": "topk", "field": "s", "argument": 3}],
    "order": [{"field": "s", "desc": True}],
    "virtualFields": [{"alias": "twice", "expr": "n * 2"}],
    "continuationToken": "", "cursor": ""}

BODIES = (
    ("POST", "/v1/query/_apl?format=tabular", {
        "apl": "d | where n >= 0", **RANGE, "cursor": "", "includeCursor": True,
        "defaultOrder": [{"field": "_time", "desc": True}], "queryOptions": {"limit": "10"},
        "libraries": ["x"], "variables": {"v": 1}, "limit": 5, "maxBinAutoGroups": 40}),
    ("POST", "/v1/query/batch", [{"queryId": "a", "aplRequest": {"apl": "d | count", **RANGE}},
                                {"queryId": "b", "aplRequest": {"apl": "print 1"}}]),
    ("POST", "/v1/_check", {"apl": "d | count", **RANGE}),
    ("POST", "/v1/_profile", {"apl": "d | count", **RANGE}),
    ("POST", "/v1/_complete", {"apl": "d | whe", "offset": 7}),
    ("POST", "/v1/datasets/d/query", LEGACY),
    ("POST", "/v1/datasets/d/query", {**RANGE, "project": [{"field": "n", "alias": "m"}]}),
    ("POST", "/v2/datasets/_apl/delete", {"apl": "d | where n == 99", "commit": False, **RANGE}),
    ("POST", "/v2/apl-starred-queries", {"name": "q", "apl": "d", "dataset": "d",
                                         "metadata": {"k": "v"}, "who": "me", "kind": "apl",
                                         "query": {"apl": "d"}}),
    ("POST", "/v2/datasets/d/trim", {"maxDuration": "9999d"}),
    ("PUT", "/v2/datasets/d", {"description": "a", "useRetentionPeriod": True,
                               "retentionDays": 99999, "kind": "axiom:events:v1"}),
    ("PUT", "/v2/datasets/d/fields/n", {"description": "a", "unit": "ms", "hidden": False}),
    ("PUT", "/v2/datasets/d/mapfields", ["labels"]),
    ("POST", "/v2/datasets/d/mapfields", {"name": "more"}),
    ("POST", "/v2/tokens", {"name": "t", "description": "", "expiresAt": "2100-01-01T00:00:00Z",
                            "datasetCapabilities": {"d": {"ingest": ["create"], "query": ["read"]}},
                            "orgCapabilities": {"annotations": ["read"]}}),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "deploy", "title": "a", "url": "http://x/",
                                 "description": "b", "time": T0, "endTime": T0}),
    ("POST", "/v2/vfields", {"dataset": "d", "name": "v", "expression": "n + 1", "description": "",
                             "type": "long", "unit": ""}),
    ("POST", "/v2/monitors", {"name": "m", "aplQuery": "d | count", "intervalMinutes": 5}),
    ("POST", "/v2/dashboards", {"dashboard": {
        **BOARD, "description": "", "charts": [{"id": "c", "type": "Note", "name": "n", "text": "t"},
                                               {"id": "q", "type": "Table", "query": {"apl": "d"}}],
        "layout": [{"i": "c", "x": 0, "y": None, "w": 2, "h": 3}]}}),
    ("POST", "/v2/views", {"name": "w", "aplQuery": "d", "datasets": ["d"]}),
    ("POST", "/v1/logs", {"resourceLogs": [{
        "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "x"}}]},
        "scopeLogs": [{"scope": {"name": "s", "version": "1"}, "logRecords": [{
            "timeUnixNano": "1714521600000000000", "severityNumber": 9, "severityText": "INFO",
            "body": {"kvlistValue": {"values": [{"key": "a", "value": {"arrayValue": {"values": [
                {"intValue": "1"}, {"doubleValue": 1.5}, {"boolValue": True}]}}}]}},
            "attributes": [{"key": "k", "value": {"bytesValue": "AAE="}}],
            "traceId": "00" * 16, "spanId": "00" * 8, "flags": 1}]}]}]}),
    ("POST", "/loki/api/v1/push", {"streams": [{
        "stream": {"a": "b"}, "values": [["1714521600000000000", "line", {"m": "n"}]]}]}),
)


def places(value, path=()):
    """Every way from the body to a value inside it."""
    members = (value.items() if isinstance(value, dict)
               else enumerate(value) if isinstance(value, list) else ())
    for key, member in members:
        yield path + (key,)
        yield from places(member, path + (key,))


def replaced(body, path, value):
    changed = copy.deepcopy(body)
    at = changed
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return changed


class Bodies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-auth")
        events = [{"_time": T0, "n": i, "s": "ab"[i % 2], "b": i % 2 == 0} for i in range(20)]
        assert cls.server.call("POST", "/v1/ingest/d", events)[0] == 200

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def send(self, method, path, body):
        return self.server.call(method, path, json.dumps(body),
                                {**JSON, "X-Axiom-Dataset": "shipped"})

    def test_no_member_of_a_wrong_type_is_the_servers_fault(self):
        for method, path, body in BODIES:
            status, answer = self.send(method, path, body)
            self.assertLess(status, 300, (method, path, answer))
            for place in places(body):
                for value in WRONG:
                    status, answer = self.send(method, path, replaced(body, place, value))
                    told = (method, path, place, str(value)[:20], status, answer)
                    self.assertLess(status, 500, told)
                    if status < 400:
                        continue
                    if path == "/loki/api/v1/push":
                        self.assertTrue(answer, told)
                        continue
                    self.assertEqual(answer["code"], 3 if path == "/v1/logs" else status, told)
                    self.assertTrue(answer["message"], told)
            for value in WRONG:
                self.assertLess(self.send(method, path, value)[0], 500, (method, path, value))
        status, answer = self.server.call("POST", "/v1/ingest/d", [{"n": 1}])
        self.assertEqual((status, answer["ingested"]), (200, 1))

    def legacy(self, **members):
        status, answer = self.send("POST", "/v1/datasets/d/query", {**RANGE, "limit": 100, **members})
        return status, answer

    def matches(self, op, field, value=None, **more):
        status, answer = self.legacy(filter={"op": op, "field": field, "value": value, **more})
        self.assertEqual(status, 200, answer)
        return answer["status"]["rowsMatched"]

    def test_filters_of_legacy_queries(self):
        events = [{"_time": T0, "i": i, "r": i + 0.5, "t": text, "y": i % 2 == 0}
                  for i, text in enumerate(("alpha", "Alpha", "beta", 'q"\n\r\t\\', "gamma"))]
        self.assertEqual(self.server.call("POST", "/v1/ingest/d", [{"marker": 1, **e} for e in events])[0],
                         200)
        for op, field, value, count in (
                ("eq", "i", 1, 1), ("gt", "r", 2.5, 2), ("<=", "r", 2.5, 3), ("==", "y", True, 3),
                ("==", "y", False, 2), ("==", "t", 'q"\n\r\t\\', 1), ("starts-with", "t", "al", 2),
                ("ends-with", "t", "TA", 1), ("regexp", "t", "^[ab]", 2), ("exists", "t", None, 5),
                ("not-exists", "marker", None, self.matches("not-exists", "t")), ("==", "marker", None, 20),
                ("!=", "marker", None, 5), ("==", "i", -1, 0)):
            with self.subTest(op + " " + field):
                self.assertEqual(self.matches(op, field, value), count)
        # Some clients leave out what others send as false: both mean the same, for every operator.
        for op, value in (("==", "ALPHA"), ("!=", "ALPHA"), ("starts-with", "AL"), ("not-starts-with", "AL"),
                          ("ends-with", "HA"), ("not-ends-with", "HA"), ("contains", "LP"),
                          ("not-contains", "LP"), ("regexp", "^A"), ("not-regexp", "^A")):
            self.assertEqual(self.matches(op, "t", value),
                             self.matches(op, "t", value, caseSensitive=False), op)
        self.assertEqual(self.matches("starts-with", "t", "al", caseSensitive=True), 1)
        everything = self.matches("exists", "_time")
        for field, value, told, same in (
                ("t", "ALPHA", {}, 0), ("t", "ALPHA", {"caseSensitive": True}, 0),
                ("t", "ALPHA", {"caseSensitive": False}, 0), ("i", 1, {"caseSensitive": False}, 1)):
            self.assertEqual(self.matches("==", field, value, **told), same)
            self.assertEqual(self.matches("ne", field, value, **told), everything - same)
        status, answer = self.legacy(filter={"op": "not", "children": [
            {"op": "not-regexp", "field": "t", "value": "^al"}]})
        self.assertEqual((status, answer["status"]["rowsMatched"]), (200, 1), answer)
        for wrong in ({"op": "not", "children": []}, {"op": "like", "field": "t", "value": "x"},
                      {"op": "=="}, {"op": "regexp", "field": "t", "value": 1}):
            self.assertEqual(self.legacy(filter=wrong)[0], 400, wrong)
        for field, order in (("i", "desc"), ("SUM", "desc"), ("sum", "desc"), ("t", "asc")):
            status, answer = self.legacy(
                filter={"op": "exists", "field": "t"}, groupBy=["t"],
                aggregations=[{"op": "sum", "field": "i"}, {"op": "count", "field": "*"}],
                order=[{"field": field, "desc": order == "desc"}])
            self.assertEqual(status, 200, answer)
            keys = [[total["group"]["t"], total["aggregations"][0]["value"]][field != "t"]
                    for total in answer["buckets"]["totals"]]
            self.assertEqual(keys, sorted(keys, reverse=order == "desc"))
        for wrong in ({"op": "median", "field": "i"}, {"op": "sum"}):
            self.assertEqual(self.legacy(aggregations=[wrong])[0], 400, wrong)


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7f | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """One field of a protocol buffer: a message or text, an integer, or a double."""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def log_request(record):
    return field(1, field(2, field(2, record)))


class ProtocolBuffers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-auth")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def send(self, body, kind="application/x-protobuf"):
        return self.server.call("POST", "/v1/logs", body, {"Content-Type": kind,
                                                           "X-Axiom-Dataset": "p"})

    def test_every_kind_of_value(self):
        values = {"text": field(1, b"x"), "yes": field(2, 1), "n": field(3, 7), "r": field(4, 1.5),
                  "list": field(5, field(1, field(3, 1)) + field(1, field(1, b"a"))),
                  "map": field(6, field(1, field(1, b"k") + field(2, field(3, 2)))),
                  "raw": field(7, b"\0\1\2\3"), "nothing": b""}
        attributes = b"".join(field(6, field(1, name.encode()) + field(2, value))
                              for name, value in values.items())
        status, answer = self.send(log_request(field(5, field(1, b"hello")) + attributes))
        self.assertEqual((status, answer), (200, b""))
        _, answer = self.server.call("POST", "/v1/query/_apl?format=legacy", {"apl": "p", **RANGE})
        found = json.dumps(answer["matches"][0]["data"])
        for part in ("hello", "AAECAw==", "1.5", '"yes": true'):
            self.assertIn(part, found)

    def test_rejected_records_are_told_in_the_same_form(self):
        deep = b""
        for _ in range(200):
            deep = field(6, field(1, field(1, b"k") + field(2, deep)))
        name = field(1, b"http" + b".a" * 150) + field(2, field(1, b"x"))
        status, answer = self.send(log_request(field(6, name)) + log_request(field(5, field(1, b"x"))))
        self.assertEqual(status, 200)
        self.assertEqual(answer[:1], b"\x0a")
        self.assertEqual(answer[2:4], b"\x08\x01")
        self.assertEqual(self.send(log_request(field(5, deep)))[0], 400)

    def test_what_is_no_message_is_refused(self):
        good = log_request(field(5, field(1, b"hello")))
        for cut in range(1, len(good)):
            self.assertIn(self.send(good[:cut])[0], (200, 400), cut)
        for wrong in (b"\xff", b"\x0a\xff\xff\xff\xff\x0f", b"\x00\x00", b"\x0b", b"\x0c", b"\x0f\x01",
                      b"\x09\x01", b"\x0d\x01", b"\x80" * 11, varint(1 << 40) + b"\1"):
            self.assertEqual(self.send(wrong)[0], 400, wrong)
        self.assertEqual(self.send(good, "text/plain")[0], 415)
        self.assertEqual(self.server.call("POST", "/v1/logs", good,
                                          {"Content-Type": "application/x-protobuf"})[0], 400)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
