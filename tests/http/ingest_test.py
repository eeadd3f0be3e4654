#!/usr/bin/env python3
"""How events come in over HTTP: every format, encoding and shipper's protocol.

Usage: ingest_test.py EVQ.
"""

import gzip
import json
import sys
import threading
import time
import unittest
import zlib

from evq_server import ServerCase


class Ingest(ServerCase):
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

    def test_what_was_repaired_is_told(self):
        lines = b'{"n":1}\n{"n":"\xff"}\n{"n":1e400}\n'
        headers = {"Content-Type": "application/x-ndjson"}
        status, answer = self.server.call("POST", "/v1/ingest/repaired", lines, headers)
        self.assertEqual((status, answer["ingested"], answer["failed"]), (200, 3, 0))
        self.assertEqual(self.server.headers["X-Evq-Repaired"], "2; line 2: invalid UTF-8 became U+FFFD")
        self.assertEqual(self.server.headers["X-Evq-Untimed"], "3")
        self.assertNotIn("X-Evq-Relabelled", self.server.headers)
        self.server.call("POST", "/v1/ingest/repaired", b'{"n":1,"_time":"2024-05-01T10:20:30Z"}\n{"n":2,"l":1}',
                         {**headers, "X-Axiom-Event-Labels": '{"l":2}'})
        self.assertEqual((self.server.headers["X-Evq-Untimed"], self.server.headers["X-Evq-Relabelled"]), ("1", "1"))
        self.server.call("POST", "/v1/ingest/repaired", b'{"n":1,"_time":"2024-05-01T10:20:30Z"}', headers)
        self.assertNotIn("X-Evq-Untimed", self.server.headers)
        self.assertNotIn("X-Evq-Repaired", self.server.headers)
        for asked in ("true", "yes"):
            status, answer = self.server.call("POST", f"/v1/ingest/repaired?strict={asked}", lines, headers)
            self.assertEqual((status, answer["ingested"], answer["failed"]), (200, 1, 2))
        status, answer = self.server.call("POST", "/v1/ingest/repaired?strict=very", lines, headers)
        self.assertEqual((status, answer["message"]),
                         (400, "strict must be one of true/false, t/f, yes/no, y/n, on/off, 1/0"))

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
        for path in ("/v1/ingest/zlib", "/services/collector?index=zlib"):
            packed = zlib.compress(b'{"event":"e"}')
            kind = {"Content-Type": "application/json", "Content-Encoding": "deflate"}
            self.assertEqual(call("POST", path, packed, kind)[0], 200, path)
            for wrong in (packed[:-1], packed + b"x", packed[2:], gzip.compress(b"{}"), b"{}"):
                self.assertEqual(call("POST", path, wrong, kind)[0], 400, (path, wrong))
        self.assertEqual(self.server.query("zlib | count")["tables"][0]["columns"], [[2]])
        status, _ = call("POST", "/v1/ingest/forms", b'[{"n":9},', {"Content-Type": "application/json"})
        self.assertEqual(status, 400)
        found = self.server.query("['forms'] | where env == 'x' | count")
        self.assertEqual(found["tables"][0]["columns"], [[3]])

    def test_elasticsearch_bulk(self):
        body = ('{"index":{"_index":"x"}}\n{"@timestamp":"2024-05-01T00:00:05Z","m":"a"}\n'
                '{"create":{}}\n{"m":\n{"delete":{"_id":1}}\n')
        status, answer = self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", body.encode(),
                                          {"Content-Type": "application/x-ndjson"})
        self.assertEqual(status, 200)
        self.assertEqual([list(item.values())[0]["status"] for item in answer["items"]], [201, 400, 404])
        self.assertEqual([list(item.values())[0]["_index"] for item in answer["items"]], ["bulk"] * 3)
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
                    self.assertTrue(answer["items"][0]["create"].pop("_id"))
                    self.assertEqual(answer["items"], [{"create": {
                        "_index": "bulk", "status": 201, "result": "created", "_version": 1, "_seq_no": 0,
                        "_primary_term": 1, "_shards": {"total": 1, "successful": 1, "failed": 0}}}])
        self.assertEqual(self.server.query("['bulk'] | summarize dcount(way)")["tables"][0]["columns"], [[8]])
        many = b'{"index":{}}\n{"@timestamp":"x"}\n' * 1200 + b'{"index":{}}\n{"a":1}\n'
        answer = self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", many)[1]
        self.assertEqual({item["index"]["status"] for item in answer["items"][:1200]}, {400})
        mixed = b'{"index":{}}\n{"a":1}\n{"delete":{"_id":"x"}}\n{"create":{}}\n[2]\n{"index":{}}\n{"a":3}\n'
        status, answer = self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", mixed)
        self.assertEqual([(action, item["status"]) for each in answer["items"] for action, item in each.items()],
                         [("index", 201), ("delete", 404), ("create", 400), ("index", 201)])
        for wrong in (b'{"upsert":{}}\n{"doc":{}}\n', b"[1]\n{}\n", b'{"index":1}\n{}\n', b"{}\n{}\n"):
            self.assertEqual(self.server.call("POST", "/v1/ingest/bulk/elastic/_bulk", wrong)[0], 400, wrong)

    def test_what_elasticsearchs_typed_clients_require_is_there(self):
        root, again = (self.server.call("GET", f"/v1/ingest/{name}/elastic")[1] for name in ("bulk", "other"))
        self.assertEqual(root, again)
        self.assertTrue(root["cluster_uuid"])
        self.assertEqual(set(root), {"name", "cluster_name", "cluster_uuid", "version", "tagline"})
        texts = {"number", "build_flavor", "build_type", "build_hash", "build_date", "lucene_version", "distribution",
                 "minimum_wire_compatibility_version", "minimum_index_compatibility_version"}
        self.assertEqual(set(root["version"]), texts | {"build_snapshot"})
        self.assertTrue(all(isinstance(root["version"][name], str) for name in texts), root)
        self.assertIs(root["version"]["build_snapshot"], False)
        health = self.server.call("GET", "/v1/ingest/bulk/elastic/_cluster/health")[1]
        for name in ("number_of_nodes", "number_of_data_nodes", "active_primary_shards", "active_shards", "relocating_shards",
                     "initializing_shards", "unassigned_shards", "unassigned_primary_shards", "delayed_unassigned_shards",
                     "number_of_pending_tasks", "number_of_in_flight_fetch", "task_max_waiting_in_queue_millis"):
            self.assertIs(type(health[name]), int, name)
        self.assertEqual((health["timed_out"], health["active_shards_percent_as_number"]), (False, 100))
        license = self.server.call("GET", "/v1/ingest/bulk/elastic/_license")[1]["license"]
        self.assertLessEqual({"issue_date", "issue_date_in_millis", "issued_to", "issuer", "start_date_in_millis", "uid"},
                             set(license))
        stream = self.server.call("GET", "/v1/ingest/bulk/elastic/_data_stream/x")[1]["data_streams"][0]
        self.assertLessEqual({"hidden", "next_generation_managed_by", "prefer_ilm", "rollover_on_write", "settings"},
                             set(stream))
        policy = self.server.call("GET", "/v1/ingest/bulk/elastic/_ilm/policy/x")[1]["x"]
        self.assertLessEqual({"modified_date", "policy", "version"}, set(policy))

    def test_ingest_goes_on_where_the_dataset_is_deleted(self):
        refused, done = [], [0]

        def store(name):
            for n in range(40):
                status, answer = self.server.call("POST", "/v1/ingest/vanishing", [{"by": name, "n": n}] * 20)
                done[0] += 1
                if status != 200:
                    refused.append((status, answer))

        threads = [threading.Thread(target=store, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            seen = done[0]
            self.assertIn(self.server.call("DELETE", "/v2/datasets/vanishing")[0], (204, 404))
            while done[0] == seen and any(thread.is_alive() for thread in threads):
                time.sleep(0.001)
        self.assertEqual(refused, [])

    def test_of_splunks_members_with_one_name_none_is_lost(self):
        cases = (
            ({"host": "outer", "source": "osrc", "sourcetype": "st", "time": 1714521600,
              "event": {"host": "inner", "source": {"a": 1}, "m": 1, "_time": "2020-01-01T00:00:00Z"}},
             {"host": "outer", "source": "osrc", "sourcetype": "st", "m": 1, "_user_host": "inner", "_user_source": {"a": 1},
              "_user_time": "2020-01-01T00:00:00Z"}),
            ({"event": "text", "fields": {"_raw": "f", "a": 1}}, {"_raw": "text", "_user_raw": "f", "a": 1}),
            ({"event": {"m": 1}, "fields": {"m": 2, "n": 3}}, {"m": 1, "_user_m": 2, "n": 3}),
            ({"host": "h", "event": {"host": "h"}, "fields": {"host": "h"}}, {"host": "h"}),
            ({"host": "a", "event": {"host": "b", "_user_host": "d"}, "fields": {"host": "c"}},
             {"host": "a", "_user_host": "d", "_user_user_host": "b", "_user_user_user_host": "c"}))
        for number, (sent, kept) in enumerate(cases):
            dataset = f"clash{number}"
            status, answer = self.server.call("POST", f"/services/collector?index={dataset}", sent)
            self.assertEqual(status, 200, (sent, answer))
            rows = self.server.query(dataset, "legacy")["matches"]
            self.assertEqual([row["data"] for row in rows], [kept])
        self.assertEqual(self.server.query("clash0 | project _time")["tables"][0]["columns"], [["2024-05-01T00:00:00Z"]])
        # Of the URL, for events that have none of their own.
        for sent in ({"event": {"host": "own", "m": 1}}, {"event": {"m": 1}, "fields": {"host": "own"}},
                     {"host": "own", "event": {"m": 1}}, {"event": {"m": 1, "host": None}}):
            self.assertEqual(self.server.call("POST", "/services/collector?index=origins&host=urlhost", sent)[0], 200)
        rows = self.server.query("origins", "legacy")["matches"]
        self.assertEqual(sorted(row["data"]["host"] for row in rows), ["own"] * 3 + ["urlhost"])
        self.assertEqual({name for row in rows for name in row["data"]}, {"host", "m"})
        status, answer = self.server.call(
            "POST", "/services/collector/raw?index=clashes&host=urlhost&source=us&sourcetype=ut",
            b'{"host":"inner","source":"is","sourcetype":null,"a":1}{"a":2}', {"Content-Type": "application/json"})
        self.assertEqual(status, 200, answer)
        rows = self.server.query("clashes | sort by a asc | project host, source, sourcetype")["tables"][0]["columns"]
        self.assertEqual(rows, [["inner", "urlhost"], ["is", "us"], ["ut", "ut"]])

    def test_splunk(self):
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
        rows = self.server.query("['splunk'] | summarize count(), countif(isnotnull(_raw))")
        self.assertEqual(rows["tables"][0]["columns"], [[4], [3]])
        rows = self.server.query("['versions'] | count")["tables"][0]["columns"]
        self.assertEqual(rows, [[3]])
        json_type = {"Content-Type": "application/json"}
        for body, expected in ((b'{\n"a":1,\n"b":2}', 200), (b'[{"a":3},{"b":4}]', 200), (b"{}", 200),
                               (b" \n", 400)):
            self.assertEqual(call("POST", "/services/collector/raw?index=raws&host=h", body, json_type)[0],
                             expected, body)
        # Many senders call every body JSON: what is no objects throughout is lines.
        texts = (b"no JSON", b'{"a":1} x', b'{"a":', b"[1]", b"[2024-01-01 10:00:00] ERROR x", b"{unbalanced text",
                 b"[ERROR] foo\n[INFO] bar", b'{"a":1}\nplain text', b"[]")
        for body in texts:
            self.assertEqual(call("POST", "/services/collector/raw?index=raws&host=h", body, json_type)[0], 200, body)
        rows = self.server.query("['raws'] | summarize count(), sum(a), sum(b), countif(host == 'h')")
        self.assertEqual(rows["tables"][0]["columns"], [[15], [4], [6], [15]])
        rows = self.server.query("['raws'] | where isnotnull(_raw) | project _raw")["tables"][0]["columns"]
        self.assertEqual(sorted(rows[0]), sorted(b"\n".join(texts).decode().split("\n")))

    def test_all_digits_of_a_time_that_is_a_number(self):
        call = self.server.call
        time = b"1714557600.123456789"
        for body in (b'{"event":"a","time":%s}', b'{"fields":{"time":1},"time":%s,"event":{"time":2,"x":"\\"time"}}',
                     b'{"time":3,"event":[{"time":4}],"time": %s ,"index":"digits"}',
                     b'{"event":"e","ti\\u006de":"%s"}'):
            self.assertEqual(call("POST", "/services/collector?index=digits", body % time)[0], 200, body)
        call("POST", "/v1/ingest/digits", b'[{"_time":%s},{"time":%s,"data":{"a":1}}]' % (time, time))
        rows = self.server.query("digits | summarize count() by _time")["tables"][0]["columns"]
        self.assertEqual(rows, [["2024-05-01T10:00:00.123456789Z"], [6]])

    def test_the_index_of_splunk_events(self):
        body = b'{"event":"a","index":"q1"}{"event":"c"}{"event":"b","index":"q2"}'
        self.assertEqual(self.server.call("POST", "/services/collector", body)[0], 200)
        self.assertEqual(self.server.call("POST", "/services/collector?index=q3", body)[0], 200)
        rows = self.server.query("union withsource=at q1, q2, q3 | summarize count() by at, index "
                                 "| sort by at asc, index asc")
        self.assertEqual(rows["tables"][0]["columns"],
                         [["q1", "q1", "q2", "q3", "q3", "q3"], [None, "q1", "q2", None, "q1", "q2"],
                          [1] * 6])

    def test_events_of_several_indexes_of_which_some_are_wrong(self):
        call = self.server.call
        status, answer = call("POST", "/services/collector", b'{"event":"a","index":"w1"}{"event":"b","index":"no/ne"}')
        self.assertEqual((status, answer["code"]), (400, 7), answer)
        names = [dataset["name"] for dataset in call("GET", "/v2/datasets")[1]]
        self.assertNotIn("w1", names)  # nothing is stored before all names are good
        body = b'{"event":"a","index":"w1"}{"event":"b","index":"w2","time":"soon"}{"event":"c","index":"w3"}'
        status, answer = call("POST", "/services/collector", body)
        self.assertEqual((status, answer["code"], answer.get("invalid-event-number")), (400, 6, 1), answer)
        self.assertIn("1 of 3 events were not kept", answer["text"])
        rows = self.server.query("union withsource=at w1, w2, w3 | summarize count() by at | sort by at asc")
        self.assertEqual(rows["tables"][0]["columns"], [["w1", "w3"], [1, 1]])

    def test_loki(self):
        call = self.server.call
        push = {"streams": [{"stream": {"app": "x"}, "values": [["1714521600000000001", "l1"],
                                                                ["1714521600000000002", "l2"]]}]}
        self.assertEqual(call("POST", "/loki/api/v1/push", push, {"X-Axiom-Dataset": "loki"})[0], 204)
        rows = self.server.query("['loki'] | sort by _time asc | project _time, app, line")
        self.assertEqual(rows["tables"][0]["columns"], [
            ["2024-05-01T00:00:00.000000001Z", "2024-05-01T00:00:00.000000002Z"], ["x", "x"],
            ["l1", "l2"]])

    def test_opentelemetry(self):
        span = {"traceId": "aa" * 16, "spanId": "bb" * 8, "name": "get", "kind": 2,
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
        for path, records in (("traces", "resourceSpans"), ("logs", "resourceLogs")):
            self.assertEqual(self.server.call("POST", f"/v1/{path}", {records: []},
                                              {"X-Axiom-Dataset": "otel"}), (200, {}))
        for wrong in ({"resourceLogs": {}}, {"resourceLogs": [{"scopeLogs": "x"}]},
                      {"resourceLogs": [{"scopeLogs": [{"logRecords": {}}]}]},
                      {"resourceLogs": [{"scopeLogs": [{"logRecords": ["x"]}]}]}):
            self.assertEqual(self.server.call("POST", "/v1/logs", wrong, {"X-Axiom-Dataset": "otel"})[0],
                             400, wrong)

    def test_names_and_ids_of_opentelemetry_in_json(self):
        def send(path, outer, inner, records, dataset):
            return self.server.call("POST", path, {outer: [{inner[0]: [{inner[1]: records}]}]},
                                    {"X-Axiom-Dataset": dataset})

        at = {"startTimeUnixNano": "1714521600000000000"}
        spans = [{"name": "a", "kind": "SPAN_KIND_CLIENT", "status": {"code": "STATUS_CODE_OK"},
                  "traceId": "5B8EFFF798038103D269B633813FC60C", "spanId": "EEE19B7EC3C1B174",
                  "parentSpanId": "ABCDEF0123456789", **at},
                 {"name": "b", "kind": "SPAN_KIND_CONSUMER", "status": {"code": "STATUS_CODE_ERROR"}, **at},
                 {"name": "c", "kind": "SPAN_KIND_UNSPECIFIED", "status": {"code": "STATUS_CODE_UNSET"}, **at},
                 {"name": "d", "kind": "SPAN_KIND_OTHER", "status": {"code": "x"}, **at},
                 {"name": "e", "kind": 9, "status": {"code": 7}, **at}]  # numbers of later versions
        self.assertEqual(send("/v1/traces", "resourceSpans", ("scopeSpans", "spans"), spans, "enums"), (200, {}))
        rows = self.server.query("enums | sort by name asc | project kind, error, ['status.code'], trace_id, "
                                 "span_id, parent_span_id")["tables"][0]["columns"]
        self.assertEqual(rows, [["client", "consumer"] + ["unspecified"] * 3,
                                [False, True, False, False, False], ["OK", "ERROR", None, None, "7"],
                                ["5b8efff798038103d269b633813fc60c"] + [None] * 4,
                                ["eee19b7ec3c1b174"] + [None] * 4,
                                ["abcdef0123456789"] + [None] * 4])
        logs = [{"severityNumber": number, "timeUnixNano": "1714521600000000000", "traceId": "AB" * 16}
                for number in ("SEVERITY_NUMBER_INFO", "SEVERITY_NUMBER_FATAL4", 13, "SEVERITY_NUMBER_X")]
        self.assertEqual(send("/v1/logs", "resourceLogs", ("scopeLogs", "logRecords"), logs, "levels"), (200, {}))
        rows = self.server.query("levels | summarize make_list(severity_number), dcount(trace_id)")
        self.assertEqual(sorted(rows["tables"][0]["columns"][0][0]), [9, 13, 24])

    def test_times_of_opentelemetry_that_cannot_be_read_are_told(self):
        good = {"timeUnixNano": "1714521600000000000"}
        for wrong in ("soon", True, "99999999999999999999", {}):
            status, answer = self.server.call(
                "POST", "/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [
                    good, {"timeUnixNano": wrong}]}]}]}, {"X-Axiom-Dataset": "told"})
            self.assertEqual((status, answer["partialSuccess"]["rejectedLogRecords"]), (200, "1"), wrong)
            self.assertTrue(answer["partialSuccess"]["errorMessage"])
            status, answer = self.server.call(
                "POST", "/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [
                    {"name": "s", "startTimeUnixNano": wrong}]}]}]}, {"X-Axiom-Dataset": "told"})
            self.assertEqual((status, answer["partialSuccess"]["rejectedSpans"]), (200, "1"), wrong)
        for none in (0, "0", "", None):
            self.assertEqual(self.server.call(
                "POST", "/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [
                    {"timeUnixNano": none, "observedTimeUnixNano": "1714521600000000000"}]}]}]},
                {"X-Axiom-Dataset": "told"}), (200, {}), none)
        rows = self.server.query("told | summarize count() by _time")["tables"][0]["columns"]
        self.assertEqual(rows, [["2024-05-01T00:00:00Z"], [8]])

    def test_updates_of_elasticsearch_are_refused_one_by_one(self):
        lines = [{"index": {}}, {"m": 1}, {"update": {"_id": "a"}}, {"doc": {"m": 2}}, {"create": {}}, {"m": 3},
                 {"update": {"_id": "b"}}, {"doc": {"m": 4}, "doc_as_upsert": True}]
        body = "".join(json.dumps(line) + "\n" for line in lines)
        status, answer = self.server.call("POST", "/v1/ingest/updates/elastic/_bulk", body.encode(),
                                          {"Content-Type": "application/x-ndjson"})
        self.assertEqual((status, answer["errors"]), (200, True), answer)
        self.assertEqual([next(iter(item)) for item in answer["items"]],
                         ["index", "update", "create", "update"])
        results = [next(iter(item.values())) for item in answer["items"]]
        self.assertEqual([result["status"] for result in results], [201, 400, 201, 400])
        self.assertIn("update is not supported", results[1]["error"]["reason"])
        self.assertEqual(self.server.query("updates | summarize sum(m), count()")["tables"][0]["columns"],
                         [[4], [2]])
        only = '{"update":{}}\n{"doc":{}}\n'.encode()
        status, answer = self.server.call("POST", "/v1/ingest/updates/elastic/_bulk", only)
        self.assertEqual((status, answer["errors"], len(answer["items"])), (200, True, 1), answer)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
