#!/usr/bin/env python3
"""Documents of other systems are events as they are, each on its own: what their members are called,
which of many are refused, and what a long list of values takes.

    python3 foreign_test.py path/to/evq
"""

import json
import sys
import unittest

sys.dont_write_bytecode = True
from evq_server import EVQ, ServerCase  # noqa: E402
from otlp_test import LOGS, TRACES, encode  # noqa: E402
from sanitizer import sanitizer_runtime  # noqa: E402

PROTOBUF = "application/x-protobuf"
SANITIZED = sanitizer_runtime(EVQ) is not None


class Foreign(ServerCase):
    FLAGS = ("--no-auth", "--no-access-log")

    def bulk(self, dataset, documents, query=""):
        body = "".join('{"index":{}}\n' + (text if isinstance(text, str) else json.dumps(text)) + "\n"
                       for text in documents)
        status, answer = self.server.call("POST", f"/v1/ingest/{dataset}/elastic/_bulk{query}", body.encode())
        self.assertEqual(status, 200, answer)
        return [item["index"]["status"] for item in answer["items"]]

    def events(self, dataset):
        return [row["data"] for row in self.server.query(dataset + " | sort by _time asc", "legacy")["matches"]]

    def test_each_document_of_a_bulk_has_its_own_status(self):
        documents = [{"@timestamp": "never", "n": n} if n % 3 == 0 else {"n": n} for n in range(6000)]
        self.assertEqual(self.bulk("many", documents), [400 if n % 3 == 0 else 201 for n in range(6000)])
        self.assertEqual(self.server.query("many | count")["tables"][0]["columns"], [[4000]])
        body = "".join('{"index":{}}\n' + json.dumps(document) + "\n" for document in documents)
        items = self.server.call("POST", "/v1/ingest/many/elastic/_bulk", body.encode())[1]["items"]
        reasons = [item["index"]["error"]["reason"] for item in items if item["index"]["status"] == 400]
        self.assertTrue(all("is no time" in reason for reason in reasons[:1000]))
        self.assertTrue(all("only the first 1000 have their reasons" in reason for reason in reasons[1000:]))

    def test_what_would_be_several_events_is_no_document(self):
        self.assertEqual(self.bulk("lists", ('[{"a":1},{"a":2}]', '[{"a":3},5]', '{"a":4}{"a":5}', "[]", '{"a":6} ,', "7",
                                             '{"a":', '{"a":"]}"}', {"a": 8})),
                         [400, 400, 400, 400, 400, 400, 400, 201, 201])
        self.assertEqual([event["a"] for event in self.events("lists")], ["]}", 8])

    def test_members_of_axioms_grouped_form_mean_nothing_there(self):
        documents = [{"time": "12 ms", "data": {"x": 1}}, {"time": 12, "data": {"x": 2}},
                     {"time": 1, "data": {"x": 3}, "labels": {"l": "m"}}]
        self.assertEqual(self.bulk("grouped", documents), [201] * 3)
        for document in documents:
            self.assertEqual(self.server.call("POST", "/v1/ingest/alone/elastic/i/_doc", document)[0], 201)
            self.assertEqual(self.server.call("POST", "/services/collector?index=hec", {"event": document})[0], 200)
            self.assertEqual(self.server.call("POST", "/services/collector/raw?index=raw", document)[0], 200)
        for dataset in ("grouped", "alone", "hec", "raw"):
            rows = self.server.query(f"{dataset} | where _time > datetime(2025-01-01) | summarize n = count(), "
                                     "x = sum(data.x), t = make_set(tostring(time))")["tables"][0]["columns"]
            self.assertEqual(rows[:2], [[3], [6]], dataset)
            self.assertEqual(sorted(rows[2][0]), ["1", "12", "12 ms"], dataset)

    def test_a_bulk_may_name_the_field_of_its_times(self):
        self.assertEqual(self.bulk("named", [{"time": 1714521600000, "n": 1}], "?timestamp-field=time"), [201])
        self.assertNotIn("X-Evq-Untimed", self.server.headers)
        self.assertEqual(self.server.query("named | project _time")["tables"][0]["columns"], [["2024-05-01T00:00:00Z"]])
        self.assertEqual(self.bulk("named", [{"time": 1714521600000, "n": 1}]), [201])
        self.assertEqual(self.server.headers["X-Evq-Untimed"], "1")

    def test_an_index_is_up_as_its_cluster_is(self):
        for root in ("/v1/ingest/d/elastic", "/v1/datasets/d/elastic"):
            answers = [self.server.call("GET", root + "/_cluster/health" + index) for index in ("", "/logs-2024")]
            self.assertEqual(answers[0], answers[1])

    def test_loki_may_be_told_the_dataset_in_the_address(self):
        push = {"streams": [{"stream": {"a": "b"}, "values": [["1714521600000000000", "line"]]}]}
        self.assertEqual(self.server.call("POST", "/loki/api/v1/push?dataset=addressed", push)[0], 204)
        self.assertEqual(self.server.query("addressed | count")["tables"][0]["columns"], [[1]])
        status, answer = self.server.call("POST", "/loki/api/v1/push", push)
        self.assertEqual(status, 400)
        self.assertIn(b"?dataset=NAME", answer)

    def send_both(self, path, table, request, dataset):
        """The events that the two forms of a request become, which must be the same."""
        made = []
        for form, body, kind in (("j", request, "application/json"), ("p", encode(table, request), PROTOBUF)):
            status, answer = self.server.call("POST", path, body, {"Content-Type": kind, "X-Axiom-Dataset": dataset + form})
            self.assertEqual(status, 200, answer)
            made.append(self.events(dataset + form))
        self.assertEqual(made[0], made[1])
        return made[0]

    def test_ids_of_zeros_are_none(self):
        logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [
            {"timeUnixNano": "1", "traceId": "0" * 32, "spanId": "0" * 16},
            {"timeUnixNano": "2", "traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1"}]}]}]}
        self.assertEqual(self.send_both("/v1/logs", LOGS, logs, "ids"),
                         [{}, {"trace_id": "0" * 31 + "1", "span_id": "0" * 15 + "1"}])
        spans = {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"startTimeUnixNano": "1", "name": "root", "spanId": "0" * 15 + "2", "parentSpanId": "0" * 16}]}]}]}
        self.assertNotIn("parent_span_id", self.send_both("/v1/traces", TRACES, spans, "roots")[0])

    def test_a_span_that_begins_at_zero_has_no_duration(self):
        spans = {"resourceSpans": [{"scopeSpans": [{"spans": [
            {"startTimeUnixNano": "0", "endTimeUnixNano": "1700000000000000000", "name": "s"}]}]}]}
        span = self.send_both("/v1/traces", TRACES, spans, "zero")[0]
        self.assertNotIn("duration", span)
        self.assertEqual(span["end_time"], "2023-11-14T22:13:20Z")

    def test_a_record_that_is_nested_too_deep_is_refused_alone(self):
        def nested(levels):
            value = {"intValue": "1"}
            for _ in range(levels):
                value = {"arrayValue": {"values": [value]}}
            return value
        for levels, kept in ((60, 2), (97, 2), (120, 1)):
            logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [
                {"timeUnixNano": "1", "body": nested(levels)}, {"timeUnixNano": "2", "body": {"stringValue": "good"}}]}]}]}
            status, answer = self.server.call("POST", "/v1/logs", encode(LOGS, logs),
                                              {"Content-Type": PROTOBUF, "X-Axiom-Dataset": f"deep{levels}"})
            self.assertEqual(status, 200, (levels, answer))
            self.assertEqual(len(self.events(f"deep{levels}")), kept)

    def test_an_operator_of_two_names_is_none(self):
        self.assertEqual(self.bulk("ops", [{"n": 5}]), [201])
        for op, status in (("==", 200), ("=", 200), ("== =", 400), (" ", 400)):
            self.assertEqual(self.server.call("POST", "/v1/datasets/ops/query", {
                "startTime": "2020-01-01T00:00:00Z", "endTime": "2030-01-01T00:00:00Z", "resolution": "auto",
                "filter": {"op": op, "field": "n", "value": 5}})[0], status, op)

    @unittest.skipIf(SANITIZED, "a sanitizer's own memory would be measured")
    def test_values_are_counted_before_they_are_read(self):
        zeros = "0," * (20 << 20) + "0"
        for path, body, refused in (
                ("/v1/logs", '{"x":[%s]}' % zeros, (413,)),
                ("/loki/api/v1/push", '{"x":[%s]}' % zeros, (413,)),
                ("/services/collector?index=d", '{"event":[%s]}' % zeros, (413,)),
                ("/v1/ingest/d/elastic/_bulk", '{"index":{"x":[%s]}}\n{}\n' % zeros, (413,))):
            status, answer = self.server.call("POST", path, body.encode(), {
                "Content-Type": "application/json", "X-Axiom-Dataset": "values"})
            self.assertIn(status, refused, (path, answer))
        self.assertLess(self.server.peak_memory(), 320 << 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
