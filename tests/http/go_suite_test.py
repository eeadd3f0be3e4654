#!/usr/bin/env python3
"""What the suite of Axiom's Go client asks for besides queries: datasets, map fields, tokens,
annotations, and members and times as it decodes them.

Usage: go_suite_test.py EVQ.
"""

import json
import sys
import time
import unittest

from evq_server import BOARD, ServerCase


class GoSuite(ServerCase):
    """The requests of axiom-go's own suite, and what it expects of the answers."""

    EVENTS = [{"time": f"17/May/2015:08:05:3{i} +0000", "remote_ip": f"93.180.71.{1 + i % 2}",
               "remote_user": "-", "request": "GET /downloads/product_1 HTTP/1.1", "response": 304,
               "bytes": 0, "referrer": "-", "agent": "Debian APT-HTTP/1.3"} for i in range(4)]
    FLAGS = ()

    @classmethod
    def fill(cls):
        cls.call = cls.server.call

    def ingest(self, body, expected_bytes, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        status, answer = self.call("POST", "/v1/datasets/go/ingest", body, headers)
        self.assertEqual(status, 200, answer)
        self.assertEqual((answer["ingested"], answer["failed"], answer["failures"]), (2, 0, []))
        self.assertEqual(answer["processedBytes"], expected_bytes)

    def test_datasets_suite(self):
        call = self.call
        _, created = call("POST", "/v2/datasets", {"name": "go", "description": "test"})
        _, updated = call("PUT", "/v2/datasets/go", {"description": "soon"})
        self.assertEqual(updated, call("GET", "/v2/datasets/go")[1])
        self.assertIn(updated, call("GET", "/v2/datasets")[1])
        self.assertEqual(set(created), {
            "id", "name", "description", "who", "created", "updatedAt", "kind", "canWrite",
            "useRetentionPeriod", "retentionDays", "mapFields"})
        spaced = json.dumps(self.EVENTS[:2], indent=2)
        label = '{"region":"eu-west-1"}'
        self.ingest(spaced, len(spaced) + 22, Content_Type="application/json",
                    X_Axiom_Event_Labels=label)
        lines = "".join(json.dumps(event) + "\n" for event in self.EVENTS[2:])
        self.ingest(lines, len(lines), Content_Type="application/x-ndjson")
        names = ",".join(self.EVENTS[0])
        rows = "\n\t\t".join(",".join(str(v) for v in event.values()) for event in self.EVENTS[:2])
        self.ingest(names + "\n\t\t" + rows, len(names) + 3 + len(rows), Content_Type="text/csv",
                    X_Axiom_CSV_Fields="")
        self.ingest(rows, len(rows), Content_Type="text/csv", X_Axiom_CSV_Fields=names)
        around = {"startTime": "now-1m", "endTime": "now+1m"}
        answer = self.server.query("['go']", **around)
        self.assertEqual((answer["status"]["rowsExamined"], answer["status"]["rowsMatched"]), (8, 8))
        self.assertEqual(len(answer["tables"][0]["fields"]), 11)  # 8, the label, _time and _sysTime
        answer = self.server.query("['go'] | summarize topk(remote_ip, 1)", **around)
        field = answer["tables"][0]["fields"][0]
        self.assertEqual(field["agg"], {"name": "topk", "fields": ["remote_ip"], "args": [1]})
        self.assertEqual(answer["tables"][0]["columns"][0][0],
                         [{"key": "93.180.71.1", "count": 4, "error": 0}])
        empty = {"op": "", "field": "", "value": None, "caseSensitive": False, "children": None}
        status, answer = call("POST", "/v1/datasets/go/query", {
            **around, "resolution": "auto", "aggregations": None, "groupBy": None, "filter": empty,
            "order": None, "limit": 0, "virtualFields": None, "project": None, "cursor": "",
            "includeCursor": False, "continuationToken": ""})
        self.assertEqual((status, len(answer["matches"])), (200, 8))
        status, answer = call("POST", "/v1/datasets/go/query", {
            **around, "resolution": "auto",
            "aggregations": [{"alias": "event_count", "op": "count", "field": "*", "argument": None}],
            "groupBy": ["success", "remote_ip"],
            "filter": {"op": "exists", "field": "response", "value": None, "caseSensitive": False,
                       "children": [{"op": "contains", "field": "request", "value": "GET",
                                     "caseSensitive": False, "children": None}]},
            "order": [{"field": "success", "desc": True}, {"field": "remote_ip", "desc": False}],
            "virtualFields": [{"alias": "success", "expr": "toint(response) < 400"}],
            "project": [{"field": "remote_ip", "alias": "ip"}]})
        self.assertEqual(status, 200, answer)
        totals = answer["buckets"]["totals"]
        self.assertEqual([total["group"]["remote_ip"] for total in totals],
                         ["93.180.71.1", "93.180.71.2"])
        self.assertEqual(totals[0]["aggregations"], [{"op": "event_count", "value": 4}])
        self.assertEqual(call("POST", "/v2/datasets/go/trim", {"maxDuration": "1s"})[0], 204)

    def test_map_fields_suite(self):
        call = self.call
        call("POST", "/v2/datasets", {"name": "maps"})
        path = "/v2/datasets/maps/mapfields"
        self.assertEqual(call("POST", path, {"name": "foo"}), (200, {"name": "foo"}))
        self.assertEqual(call("GET", "/v2/datasets/maps")[1]["mapFields"], ["foo"])
        for bad in ("foo", "__invalid__"):
            self.assertGreaterEqual(call("POST", path, {"name": bad})[0], 400)
        nested = lambda name: json.dumps([{name: {"bar": 1, "bar2": 2}}])
        kind = {"Content-Type": "application/json"}
        call("POST", "/v1/ingest/maps", nested("foo"), kind)
        self.assertEqual(call("DELETE", path + "/foo")[0], 204)
        self.assertEqual(call("DELETE", path + "/foo")[0], 404)
        call("POST", "/v1/ingest/maps", nested("bar"), kind)
        names = [f["name"] for f in self.server.query("['maps']")["tables"][0]["fields"]]
        self.assertEqual(names, ["_sysTime", "_time", "bar.bar", "bar.bar2", "foo"])
        self.assertEqual(call("PUT", path, [])[1], [])
        self.assertEqual(call("PUT", path, ["a", "b"])[1], ["a", "b"])
        for bad in (["dupe", "dupe"], ["__invalid__"]):
            self.assertGreaterEqual(call("PUT", path, bad)[0], 400)

    def test_tokens_suite(self):
        call = self.call
        soon = lambda s: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + s))
        wanted = {"name": "Test token", "expiresAt": soon(86400),
                  "datasetCapabilities": {"*": {"ingest": ["create"]}},
                  "orgCapabilities": {"users": ["create", "read", "update", "delete"]}}
        created = call("POST", "/v2/tokens", wanted)[1]
        secret = created.pop("token")
        self.assertTrue(secret.startswith("xaat-"))
        self.assertEqual(call("GET", "/v2/tokens/" + created["id"])[1], created)
        self.assertIn(created, call("GET", "/v2/tokens")[1])
        status, fresh = call("POST", f"/v2/tokens/{created['id']}/regenerate", {
            "existingTokenExpiresAt": soon(60), "newToken": {
                "name": "replacement", "description": "r", "expiresAt": soon(172800),
                "datasetCapabilities": {"*": {"query": ["read"]}},
                "orgCapabilities": {"users": ["read"]}}})
        self.assertEqual(status, 200, fresh)
        fresh.pop("token")
        self.assertNotEqual(fresh["id"], created["id"])
        self.assertEqual((fresh["name"], fresh["description"]), ("replacement", "r"))
        self.assertEqual(fresh["datasetCapabilities"], {"*": {"query": ["read"]}})
        listed = call("GET", "/v2/tokens")[1]
        self.assertNotIn(created, listed)
        self.assertIn(fresh, listed)
        for token in (created, fresh):
            self.assertEqual(call("DELETE", "/v2/tokens/" + token["id"])[0], 204)

    def test_clients_refuse_members_that_they_do_not_know(self):
        """axiom-go's suite decodes strictly; axiom-rs needs the addresses that axiom-go refuses."""
        call = self.call
        known = {"/v2/user": {"id", "name", "email", "role"},
                 "/v1/user": {"id", "name", "email", "emails", "role", "permissions"},
                 "/v2/users": {"id", "name", "email", "role"},
                 "/v1/orgs": {"id", "name", "slug", "plan", "role", "primaryEmail", "paymentStatus"},
                 "/v2/orgs": {"id", "name", "slug", "plan", "role", "primaryEmail", "paymentStatus"}}
        for path, members in known.items():
            answer = call("GET", path)[1]
            self.assertEqual(set(answer[0] if isinstance(answer, list) else answer), members, path)
        self.assertEqual(call("GET", "/v1/user")[1]["role"], "owner")  # a text in the older API
        self.assertEqual(call("GET", "/v2/user")[1]["role"], {"id": "owner", "name": "Owner"})
        call("POST", "/v1/ingest/strict", [{"a": 1}])
        for body in ({}, {"aggregations": [{"op": "count", "field": "*"}], "groupBy": ["a"]}):
            answer = call("POST", "/v1/datasets/strict/query", body)[1]
            self.assertEqual(set(answer), {"format", "status", "matches", "buckets"})
            self.assertEqual(answer["format"], "legacy")
        answer = self.server.query("strict", "legacy")
        self.assertEqual(set(answer), {"format", "request", "status", "matches", "buckets",
                                       "datasetNames", "fieldsMetaMap"})

    def test_zero_times_are_no_times(self):
        zero, soon = "0001-01-01T00:00:00Z", "2090-01-01T00:00:00Z"
        made = self.call("POST", "/v2/tokens", {"name": "z", "expiresAt": zero})[1]
        self.assertIsNone(made["expiresAt"])
        status, fresh = self.call("POST", f"/v2/tokens/{made['id']}/regenerate", {
            "existingTokenExpiresAt": soon, "newTokenExpiresAt": zero})
        self.assertEqual((status, fresh["expiresAt"]), (200, None))
        status, answer = self.call("POST", "/v2/tokens", {"name": "f", "expiresAt": "9999-12-31T00:00:00Z"})
        self.assertEqual(status, 200)
        self.assertGreater(answer["expiresAt"], "2262")

    def test_a_field_may_exist_or_not(self):
        self.call("POST", "/v1/ingest/maybe", [{"a": 1}, {"o": {"x": 1}}])
        for field, op, rows in (("o.x", "exists", 1), ("o.x", "not-exists", 1), ("nowhere", "exists", 0),
                                ("nowhere", "not-exists", 2)):
            status, answer = self.call("POST", "/v1/datasets/maybe/query",
                                       {"filter": {"op": op, "field": field}})
            self.assertEqual((status, len(answer["matches"])), (200, rows), (field, op))

    def test_the_rest_of_the_suite(self):
        call = self.call
        status, answer = call("GET", "/v2/datasets/nowhere")
        self.assertEqual(status, 404)
        self.assertTrue(self.server.headers["X-Axiom-Trace-Id"])
        self.assertEqual(call("GET", "/v2/user", headers={"Authorization": "Bearer xapt-123"})[0], 403)
        note = call("POST", "/v2/annotations", {"type": "deployment", "title": "T", "datasets": ["a"],
                                                "time": "0001-01-01T00:00:00Z"})[1]
        self.assertNotIn("0001", note["time"])
        self.assertEqual(len(call("GET", "/v2/annotations?datasets=a")[1]), 1)
        call("PUT", "/v2/annotations/" + note["id"], {"datasets": ["b"]})
        self.assertEqual(call("GET", "/v2/annotations?datasets=a")[1], [])
        made = call("POST", "/v2/vfields", {"dataset": "go", "name": "TestField",
                                            "expression": "a + b", "type": "number"})[1]
        changed = call("PUT", "/v2/vfields/" + made["id"], {
            "dataset": "go", "name": "Updated", "expression": "a * b", "type": "number"})[1]
        self.assertEqual(call("GET", "/v2/vfields/" + made["id"])[1], changed)
        board = {"uid": "go-board", "dashboard": BOARD}
        created = call("POST", "/v2/dashboards", board)[1]
        self.assertEqual((created["status"], created["dashboard"]["version"]), ("created", 1))
        self.assertEqual(call("POST", "/v2/dashboards", board)[0], 409)
        path = "/v2/dashboards/uid/go-board"
        self.assertEqual(call("PUT", path, {**board, "version": 7})[0], 412)
        self.assertEqual(call("PUT", path, {**board, "version": 1})[1]["status"], "updated")
        self.assertEqual(call("GET", path)[1]["version"], 2)
        self.assertEqual((call("DELETE", path)[0], call("GET", path)[0]), (204, 404))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
