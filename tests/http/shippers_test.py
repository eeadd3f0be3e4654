#!/usr/bin/env python3
"""Ingest as other systems speak it, where a real peer is not at hand: Loki's push in Protocol Buffers
and Snappy, and bodies that are too large or damaged.

    python3 shippers_test.py path/to/evq
"""

import gzip
import json
import os
import sys
import unittest
import zlib

sys.dont_write_bytecode = True
from evq_server import ServerCase, run_evq  # noqa: E402

PROTOBUF = "application/x-protobuf"


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def snappy(data):
    """One block of Snappy, all of it literals."""
    out = [varint(len(data))]
    for at in range(0, len(data), 60):
        piece = data[at:at + 60]
        out += bytes([(len(piece) - 1) << 2]), piece
    return b"".join(out)


def push_request(*streams):
    """streams: (labels, [(seconds, nanos, line, {metadata})])"""
    message = b""
    for labels, entries in streams:
        stream = field(1, labels)
        for seconds, nanos, line, metadata in entries:
            entry = field(1, field(1, seconds) + field(2, nanos)) + field(2, line)
            for name, value in metadata.items():
                entry += field(3, field(1, name) + field(2, value))
            stream += field(2, entry)
        message += field(1, stream + field(3, 12345))
    return message


class Loki(ServerCase):
    FLAGS = ("--no-auth", "--no-access-log")

    def push(self, body, **headers):
        sent = {"Content-Type": PROTOBUF, "X-Axiom-Dataset": "loki"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        return self.server.call("POST", "/loki/api/v1/push", body, sent)

    def test_a_push_in_protocol_buffers_and_snappy(self):
        message = push_request(
            ('{app="shop", path="C:\\\\x \\"y\\""}', [(1714521600, 123456789, "first", {"trace": "t1"}),
                                                  (1714521601, 0, "second\n", {})]),
            ("{}", [(1714521602, 5, "", {})]))
        for number, headers in enumerate(({}, {"Content_Encoding": "snappy"}, {"Content_Encoding": "Snappy"})):
            status, answer = self.push(snappy(message), X_Axiom_Dataset=f"loki{number}", **headers)
            self.assertEqual((status, answer), (204, b""))
            rows = self.server.query(f"loki{number} | sort by _time asc", "legacy")["matches"]
            self.assertEqual([(row["_time"], row["data"]) for row in rows], [
                ("2024-05-01T00:00:00.123456789Z",
                 {"app": "shop", "path": 'C:\\x "y"', "trace": "t1", "line": "first"}),
                ("2024-05-01T00:00:01Z", {"app": "shop", "path": 'C:\\x "y"', "line": "second\n"}),
                ("2024-05-01T00:00:02.000000005Z", {"line": ""})])

    def test_labels_are_read_as_go_quotes_them(self):
        for quoted, label in ((r"a\u200bb", "a\u200bb"), (r"\U0001f600 \x07\a\v\f\b", "\U0001f600 \x07\a\v\f\b"),
                              (r"\xc3\xa9", "é"), (r"\x00", "\0"), (r"\xff", "\ufffd"), (r"\q \u12 \ud800", r"\q \u12 \ud800"),
                              (r"C:\\users", "C:\\users")):
            self.assertEqual(self.push(snappy(push_request(('{a="%s"}' % quoted, [(1714521600, 0, "x", {})]))),
                                       X_Axiom_Dataset="quoted")[0], 204)
            self.assertEqual(self.server.query("quoted | take 1 | project a")["tables"][0]["columns"], [[label]], quoted)

    def test_names_of_labels_may_be_quoted_and_nothing_follows_them(self):
        entries = [(1714521600, 0, "x", {})]
        self.assertEqual(self.push(snappy(push_request(('{"quoted.name"="a", "b\\"c" = "d" , e="f",} ', entries))),
                                   X_Axiom_Dataset="names")[0], 204)
        rows = self.server.query("names | project ['quoted.name'], ['b\"c'], e, line")["tables"][0]["columns"]
        self.assertEqual(rows, [["a"], ["d"], ["f"], ["x"]])
        for labels in ('{job="a"} x', '{job="a"}}', '{"job"}', '{"job" x="a"}', '{""="a"}', '{="a"}', '{"job="a"}'):
            self.assertEqual(self.push(snappy(push_request((labels, entries))), X_Axiom_Dataset="named")[0], 400, labels)
        self.assertEqual(self.server.call("GET", "/v2/datasets/named")[0], 404)

    def test_an_entry_whose_time_is_beyond_all_is_refused_alone(self):
        message = snappy(push_request(("{}", [(1714521600, 0, "a", {}), (99999999999, 5, "b", {}), (1714521601, 0, "c", {})])))
        body = json.dumps({"streams": [{"stream": {}, "values": [
            ["1714521600000000000", "a"], ["99999999999000000005", "b"], ["", "b"], ["1714521601000000000", "c"]]}]})
        for dataset, sent, kind, words in (
                ("farp", message, PROTOBUF, b"1 of 3 entries were not kept: the value of '_time' "),
                ("farj", body, "application/json", b"2 of 4 entries were not kept: the value of '_time' ")):
            status, answer = self.push(sent, X_Axiom_Dataset=dataset, Content_Type=kind)
            self.assertEqual((status, words in answer), (400, True), answer)
            self.assertIn(b"99999999999", answer)
            rows = self.server.query(dataset + " | sort by _time asc", "legacy")["matches"]
            self.assertEqual([(row["_time"], row["data"]["line"]) for row in rows],
                             [("2024-05-01T00:00:00Z", "a"), ("2024-05-01T00:00:01Z", "c")], dataset)

    def test_whole_numbers_are_nanoseconds_in_both_forms(self):
        times = {"a": (1, 0), "b": (99999, 999999999), "c": (0, 1), "d": (-1, 999999999),
                 "e": (1714521600, 0)}
        values = [[str(seconds * 10**9 + nanos), line] for line, (seconds, nanos) in times.items()]
        message = push_request(("{}", [(seconds % (1 << 64), nanos, line, {})
                                       for line, (seconds, nanos) in times.items()]))
        json_body = json.dumps({"streams": [{"stream": {}, "values": values}]})
        for dataset, body, media in (("json_times", json_body, "application/json"),
                                     ("proto_times", snappy(message), PROTOBUF)):
            self.assertEqual(self.push(body, X_Axiom_Dataset=dataset, Content_Type=media)[0], 204)
            rows = self.server.query(f"{dataset} | order by line asc | project _time")
            self.assertEqual(rows["tables"][0]["columns"], [[
                "1970-01-01T00:00:01Z", "1970-01-02T03:46:39.999999999Z",
                "1970-01-01T00:00:00.000000001Z", "1969-12-31T23:59:59.999999999Z",
                "2024-05-01T00:00:00Z"]], dataset)

    def test_a_push_without_a_type_is_told_by_its_first_bytes(self):
        message = snappy(push_request(('{a="b"}', [(1714521600, 0, "x" * 95, {})])))
        self.assertEqual(message[:1], b"{")  # as an object begins
        body = b' {\n"streams": [{"stream": {"a": "b"}, "values": [["1714521600000000000", "x"]]}]}'
        for number, (sent, headers) in enumerate((
                (message, {}), (message, {"Content-Encoding": "snappy"}), (body, {}),
                (gzip.compress(body), {"Content-Encoding": "gzip"}), (gzip.compress(body), {}),
                (zlib.compress(body), {"Content-Encoding": "deflate"}))):
            status, answer = self.server.call("POST", "/loki/api/v1/push", sent,
                                              {"X-Axiom-Dataset": f"untyped{number}", **headers})
            self.assertEqual((status, answer), (204, b""), number)
            self.assertEqual(self.server.query(f"untyped{number} | project a")["tables"][0]["columns"], [["b"]])

    def test_a_body_that_is_no_json_is_told_where(self):
        for body, words in (("{", b"it is no JSON: line 1, column 2: the object is not closed"),
                            ('{"streams":\n[}', b"it is no JSON: line 2, column 2: expected a value"),
                            ("{} x", b"it is no JSON: line 1, column 4: unexpected text"),
                            ("{}", b"the body has no list of streams")):
            status, answer = self.push(body, Content_Type="application/json", X_Axiom_Dataset="placeless")
            self.assertEqual((status, words in answer), (400, True), (body, answer))

    def test_an_empty_push_is_well(self):
        self.assertEqual(self.push(snappy(b""))[0], 204)

    def test_an_empty_push_to_what_can_be_no_dataset_is_refused_like_others(self):
        entry = {"streams": [{"stream": {"a": "b"}, "values": [["1714521600000000000", "x"]]}]}
        for name in ("bad/name", "a, b", "-x", "n" * 129):
            for kind, empty, full in ((PROTOBUF, snappy(b""), snappy(push_request(('{a="b"}', [(1714521600, 0, "x", {})])))),
                                      ("application/json", {"streams": []}, entry)):
                answers = [self.push(body, X_Axiom_Dataset=name, Content_Type=kind) for body in (empty, full)]
                self.assertEqual(answers[0], answers[1], name)
                self.assertEqual(answers[0][0], 400, answers[0])

    def test_damaged_pushes_are_refused_and_store_nothing(self):
        whole = snappy(push_request(('{a="b"}', [(1714521600, 0, "x", {})])))
        for body, status in ((b"", 400), (b"\xff\xff\xff\xff\xff\xff", 400), (whole[:-1], 400),
                             (b"plain text", 400), (snappy(b"\x0a\x7f"), 400),
                             (snappy(push_request(("no labels", [(1, 0, "x", {})]))), 400),
                             (snappy(push_request(('{a="b', [(1, 0, "x", {})]))), 400),
                             (varint(65 << 20) + whole[1:], 413),
                             (varint((4 << 30) - 1) + b"\0", 413), (varint(4 << 30) + b"\0", 400)):
            answer = self.push(body, X_Axiom_Dataset="refused")
            self.assertEqual(answer[0], status, (body[:20], answer))
            self.assertTrue(answer[1], body[:20])
        self.assertEqual(self.push(whole, Content_Encoding="gzip")[0], 415)
        self.assertEqual(self.push(whole, Content_Type="text/plain")[0], 415)
        self.assertEqual(self.server.call("GET", "/v2/datasets/refused")[0], 404)

    def test_pushes_that_lose_entries_say_so(self):
        at = "1714521600000000000"
        for streams in ([{"stream": {}, "values": [["soon", "l"]]}], [{"stream": {}, "values": [[1, "l"]]}],
                        [{"stream": {}, "values": [[at, {}]]}], [{"stream": {}, "values": {}}],
                        [{"stream": "x", "values": [[at, "l"]]}], [{"values": [[at, "l"]]}],
                        [{"labels": '{a="b"}', "entries": [{"ts": "2024-05-01T00:00:00Z", "line": "l"}]}],
                        [{"stream": {"n" * 300: "x"}, "values": [[at, "l"]]}], [5], [None], {"stream": {}}, 5,
                        [{"stream": {}, "values": [[at, "l", 5]]}], [{"stream": {}, "values": [[at, "l", []]]}],
                        [{"stream": {}, "values": [[at, "l", {}, 1]]}], [{"stream": {}, "values": [at, "l"]}]):
            status, answer = self.push(json.dumps({"streams": streams}), Content_Type="application/json",
                                       X_Axiom_Dataset="lost")
            self.assertEqual(status, 400, streams)
            self.assertTrue(answer)
        good = {"stream": {}, "values": [[at, "l"]]}
        for streams, place in (([good, 5], b"streams[1]: "), ([good, {"stream": {}, "values": [[at, "l"], [at]]}],
                                                             b"streams[1].values[1]: ")):
            status, answer = self.push(json.dumps({"streams": streams}), Content_Type="application/json",
                                       X_Axiom_Dataset="placed")
            self.assertEqual((status, place in answer), (400, True), answer)
        self.assertEqual(self.server.call("GET", "/v2/datasets/placed")[0], 404)

    def test_labels_do_not_replace_the_entry(self):
        body = json.dumps({"streams": [{"stream": {"line": "no", "_time": "no", "a": "b"}, "values": [
            ["1714521600000000000", "yes"]]}]})
        sent = {"Content_Type": "application/json", "X_Axiom_Dataset": "", "X_Scope_OrgID": "tenant"}
        self.assertEqual(self.push(body, **sent)[0], 400)
        del sent["X_Axiom_Dataset"]
        status, answer = self.server.call("POST", "/loki/api/v1/push", body, {
            "Content-Type": "application/json", "X-Scope-OrgID": "tenant"})
        self.assertEqual(status, 204, answer)
        row = self.server.query("tenant", "legacy")["matches"][0]
        self.assertEqual((row["_time"], row["data"]), ("2024-05-01T00:00:00Z", {
            "a": "b", "line": "yes", "_user_line": "no", "_user_time": "no"}))

    def test_labels_whose_name_is_taken_are_kept_under_another_one(self):
        labels = {"line": "L", "_time": "z", "_raw": "r", "a": "stream", "_user_b": "other", "b": "stream"}
        metadata = {"a": "meta", "line": "M", "b": "meta", "_time": "m"}
        kept = {"_raw": "r", "a": "meta", "_user_a": "stream", "line": "text", "_user_line": "M",
                "_user_user_line": "L", "_user_time": "m", "_user_user_time": "z", "b": "meta",
                "_user_b": "other", "_user_user_b": "stream"}
        plain = {"_raw": "r", "a": "stream", "b": "stream", "_user_b": "other", "line": "plain",
                 "_user_line": "L", "_user_time": "z", "c": "d"}
        body = json.dumps({"streams": [{"stream": labels, "values": [
            ["1714521600000000000", "text", metadata], ["1714521601000000000", "plain", {"c": "d"}]]}]})
        selector = "{" + ", ".join(f'{name}="{value}"' for name, value in labels.items()) + "}"
        message = snappy(push_request((selector, [(1714521600, 0, "text", metadata),
                                                  (1714521601, 0, "plain", {"c": "d"})])))
        for dataset, sent, kind in (("clashj", body, "application/json"), ("clashp", message, PROTOBUF)):
            self.assertEqual(self.push(sent, X_Axiom_Dataset=dataset, Content_Type=kind)[0], 204)
            rows = self.server.query(dataset + " | sort by _time asc", "legacy")["matches"]
            self.assertEqual([row["data"] for row in rows], [kept, plain], dataset)
            self.assertEqual(rows[0]["_time"], "2024-05-01T00:00:00Z")

    def test_metadata_that_says_what_a_label_says_is_kept_once(self):
        labels, metadata = {"level": "info", "app": "x"}, {"level": "info", "app": "y"}
        at = "1714521600000000000"
        body = json.dumps({"streams": [{"stream": labels, "values": [
            [at, "l", metadata], [at, "l", {"level": "warn"}], [at, "l", labels]]}]})
        self.assertEqual(self.push(body, X_Axiom_Dataset="said", Content_Type="application/json")[0], 204)
        rows = self.server.query("said | sort by _time asc", "legacy")["matches"]
        self.assertEqual([row["data"] for row in rows], [
            {"level": "info", "app": "y", "_user_app": "x", "line": "l"},
            {"level": "warn", "_user_level": "info", "app": "x", "line": "l"}, {**labels, "line": "l"}])

    def test_names_that_renaming_makes_too_long_cost_their_entry(self):
        at = "1714521600000000000"
        longest = "_user" * 37 + "_" + "l" * 14
        self.assertEqual(len(longest), 200)

        def push(labels, *metadata):
            return self.push(json.dumps({"streams": [{"stream": labels, "values": [[at, "l", each] for each in metadata]}]}),
                             X_Axiom_Dataset="renamed", Content_Type="application/json")
        self.assertEqual(push({longest: "x"}, {}, {longest[5:]: "y"})[0], 204)
        # Another name of the second entry's label would be longer.
        for labels, metadata in (({longest: "x"}, {longest: "y"}), ({"n" * 201: "x"}, {"n" * 201: "y"}),
                                 ({longest[5:]: "x"}, {longest[5:]: "y", longest: "z"})):
            status, answer = push(labels, {"line": "of it"}, metadata)
            self.assertEqual(status, 400, answer)
            self.assertIn(b"of 2 entries were not kept: a field name is longer than 200 bytes", answer)

    def test_a_chain_of_clashing_names_is_not_followed_beyond_the_longest_name(self):
        chain = ["line"]
        while len(chain) < 2500:  # steps by the cube of it, of names that are long themselves
            chain.append("_user" + chain[-1] if chain[-1][0] == "_" else "_user_" + chain[-1])
        labels, metadata = (dict.fromkeys(chain, value) for value in "xy")
        status, answer = self.push(json.dumps({"streams": [{"stream": labels, "values": [
            ["1714521600000000000", "l", metadata]]}]}), X_Axiom_Dataset="chain", Content_Type="application/json")
        self.assertEqual(status, 400, answer)
        self.assertIn(b"1 of 1 entries were not kept: a field name is longer than 200 bytes", answer)

    def test_a_message_of_very_many_fields_is_refused(self):
        for count, status in ((1 << 20, 204), ((1 << 20) + 1, 413)):
            self.assertEqual(self.push(snappy(field(1, "") * count), X_Axiom_Dataset="wide")[0], status)

    def test_json_as_before(self):
        body = json.dumps({"streams": [{"stream": {"app": "x"}, "values": [
            ["1714521600000000001", "line", {"trace": "t"}]]}]})
        for sent, headers in ((body.encode(), {}), (gzip.compress(body.encode()),
                                                    {"Content_Encoding": "gzip"})):
            self.assertEqual(self.push(sent, Content_Type="application/json", X_Axiom_Dataset="lokij",
                                       **headers)[0], 204)
        rows = self.server.query("lokij", "legacy")["matches"]
        self.assertEqual([row["data"] for row in rows], 2 * [{"app": "x", "trace": "t", "line": "line"}])


class Elastic(ServerCase):
    """What Beats and Logstash set up before they send."""

    FLAGS = ("--no-access-log",)

    @classmethod
    def fill(cls):
        store = cls.server.directory
        cls.writer = run_evq(store, "token", "create", "--name", "w", "--ingest", "beats")
        cls.reader = run_evq(store, "token", "create", "--name", "r", "--query", "beats")

    def test_what_is_set_up_is_there_already(self):
        sent = {"Authorization": "Bearer " + self.writer}
        name = "filebeat-8.12.1"
        for base in ("/v1/ingest/beats/elastic", "/v1/datasets/beats/elastic"):
            for path, read in (
                    ("/_index_template/", lambda body: body["index_templates"][0]["name"]),
                    ("/_component_template/", lambda body: body["component_templates"][0]["name"]),
                    ("/_data_stream/", lambda body: body["data_streams"][0]["name"]),
                    ("/_template/", lambda body: next(iter(body))),
                    ("/_ilm/policy/", lambda body: next(iter(body))),
                    ("/_ingest/pipeline/", lambda body: next(iter(body)))):
                path = base + path + name
                self.assertEqual(self.server.call("HEAD", path, None, sent), (200, b""), path)
                status, answer = self.server.call("GET", path, None, sent)
                self.assertEqual((status, read(answer)), (200, name), path)
                self.assertEqual(self.server.headers["X-Elastic-Product"], "Elasticsearch")
                template = {"settings": {"x": "y" * (2 << 20)}}
                self.assertEqual(self.server.call("PUT", path, template, sent), (200, {"acknowledged": True}))
                self.assertEqual(self.server.call("PUT", path, None, sent), (200, {"acknowledged": True}))
                for method in ("HEAD", "GET", "PUT"):
                    refused = {"Authorization": "Bearer " + self.reader}
                    self.assertEqual(self.server.call(method, path, None, refused)[0], 403, path)
            self.assertEqual(self.server.call("GET", base + '/_template/a%22%5Cb', None, sent)[1].keys(), {'a"\\b'})
        self.assertEqual(self.server.call("GET", "/v2/datasets/beats")[0], 404)

    def test_notes_of_a_sender_beside_the_action_change_nothing(self):
        lines = ('{"index":{"_index":"x","pipeline":null},"attempts":0}\n{"a":1}\n'
                 '{"attempts":[1],"create":{},"note":{}}\n{"a":2}\n{"note":null,"delete":{"_id":"1"}}\n')
        status, answer = self.server.call("POST", "/v1/ingest/notes/elastic/_bulk", lines)
        self.assertEqual((status, [(action, item["status"]) for each in answer["items"]
                                   for action, item in each.items()]),
                         (200, [("index", 201), ("create", 201), ("delete", 404)]), answer)
        self.assertEqual(self.server.query("notes | sort by a asc | project a")["tables"][0]["columns"], [[1, 2]])


class Documents(ServerCase):
    """Documents that come alone, and what clients ask of an index around them."""

    FLAGS = ("--no-auth", "--no-access-log")
    ROOTS = ("/v1/ingest/{}/elastic", "/v1/datasets/{}/elastic")
    SHARDS = {"total": 1, "successful": 1, "failed": 0}

    def test_a_document_alone_is_stored(self):
        ways = [(method, f"/logs-2024/{path}", given) for path, methods, given in (
            ("_doc", ("POST",), None), ("_doc/a%20b", ("PUT", "POST"), "a b"), ("_create/7", ("PUT", "POST"), "7"),
            ("_doc/_x?refresh=true&pipeline=p", ("PUT",), "_x")) for method in methods]
        ids = set()
        for number, root in enumerate(self.ROOTS):
            root = root.format(f"alone{number}")
            for n, (method, path, given) in enumerate(ways):
                document = json.dumps({"@timestamp": f"2024-05-01T00:00:0{n}Z", "n": n, "r": 2.0, "o": {"a": [1]}}, indent=2)
                for data, headers in ((document.encode(), {}), (gzip.compress(document.encode()),
                                                               {"Content-Encoding": "gzip"})):
                    status, answer = self.server.call(method, root + path, data, {
                        "Content-Type": "application/vnd.elasticsearch+json; compatible-with=8", **headers})
                    self.assertEqual(status, 201, (method, path, answer))
                    self.assertEqual(self.server.headers["X-Elastic-Product"], "Elasticsearch")
                    made = answer.pop("_id")
                    ids.add(made)
                    self.assertEqual(made, given or made)
                    self.assertEqual(answer, {"_index": f"alone{number}", "_version": 1, "result": "created",
                                              "_shards": self.SHARDS, "_seq_no": 0, "_primary_term": 1})
            table = self.server.query(f"alone{number} | summarize count(), t = make_set(gettype(r)), o = take_any(tostring(['o.a'])) "
                                      "by n, at = tostring(_time) | sort by n asc | project n, at, count_, t, o")["tables"][0]
            count = len(ways)
            self.assertEqual(table["columns"], [list(range(count)), [f"2024-05-01T00:00:0{n}Z" for n in range(count)],
                                                    [2] * count, [["real"]] * count, ["[1]"] * count])
        self.assertEqual(len(ids), 3 + 4)  # one is made up for each of those that give none
        self.assertNotIn("", ids)

    def test_what_is_no_document_is_refused(self):
        for body in (b"", b" \n", b"[]", b'[{"a":1}]', b'{"a":1}{"a":2}', b'{"a":1}\n{"a":2}', b'{"a":1} x', b'{"a":', b"5"):
            for method, path in (("POST", "/i/_doc"), ("PUT", "/i/_doc/1"), ("PUT", "/i/_create/1")):
                status, answer = self.server.call(method, self.ROOTS[0].format("nodocs") + path, body)
                self.assertEqual((status, answer.get("status")), (400, 400), (body, answer))
                self.assertIn("one document", answer["error"]["reason"])
        self.assertEqual(self.server.call("GET", "/v2/datasets/nodocs")[0], 404)
        for body, reason in ((b'{"a":1,}', "expected a key"), (b'{"@timestamp":"never"}', "'@timestamp' is no time: 'never'"),
                             (b'{"a":' * 300 + b"1" + b"}" * 300, "deep")):
            status, answer = self.server.call("POST", self.ROOTS[0].format("nodocs") + "/i/_doc", body)
            self.assertEqual((status, answer["error"]["type"]), (400, "illegal_argument_exception"), (body, answer))
            self.assertIn(reason, answer["error"]["reason"])
        self.assertEqual(self.server.query("nodocs | count")["tables"][0]["columns"], [[0]])

    def test_each_item_of_a_bulk_has_its_id(self):
        lines = (b'{"index":{"_id":"a b\\n\\"c"}}\n{"n":1}\n{"create":{"_id":7}}\n{"n":2}\n{"index":{}}\n{"n":3}\n'
                 b'{"index":{"_id":""}}\n[4]\n{"index":{"_id":null}}\n{"n":5}\n{"delete":{"_id":"gone"}}\n'
                 b'{"update":{"_id":"old"}}\n{"doc":{}}\n{"index":{"_id":"x\\u0000y"}}\n{"n":6}\n{"index":{"_id":"last"}}\n{"n":7}\n')
        _, answer = self.server.call("POST", self.ROOTS[0].format("ids") + "/_bulk", lines)
        ids = [item["_id"] for each in answer["items"] for item in each.values()]
        self.assertEqual([ids[i] for i in (0, 1, 5, 6, 8)], ['a b\n"c', "7", "gone", "old", "last"])
        self.assertEqual([item["status"] for each in answer["items"] for item in each.values()],
                         [201, 201, 201, 400, 201, 404, 400, 201, 201])
        self.assertEqual((len(set(ids)), "" in ids), (9, False))
        _, again = self.server.call("POST", self.ROOTS[0].format("ids") + "/_bulk", lines)
        self.assertNotEqual(again["items"][2]["index"]["_id"], ids[2])
        # Of an answer that is sent in pieces as well.
        many = b"".join(b'{"index":{"_id":"i%d"}}\n{"n":1}\n' % n for n in range(20000))
        _, answer = self.server.call("POST", self.ROOTS[0].format("ids") + "/_bulk", many)
        self.assertEqual([item["index"]["_id"] for item in answer["items"]], [f"i{n}" for n in range(20000)])

    def test_an_id_is_as_long_as_in_elasticsearch_and_no_longer(self):
        root = self.ROOTS[0].format("long-ids")
        for size, status in ((512, 200), (513, 400)):
            lines = b'{"index":{"_id":"%s"}}\n{"n":1}\n' % (b"i" * size)
            got, answer = self.server.call("POST", root + "/_bulk", lines)
            self.assertEqual(got, status, answer)
            got, _ = self.server.call("PUT", root + "/logs/_doc/" + "i" * size, {"n": 1})
            self.assertEqual(got, 201 if status == 200 else 400)
        self.assertIn("action line 1 of the bulk body is refused: an _id is longer than 512 bytes",
                      answer["error"]["reason"])
        self.assertEqual(self.server.query("['long-ids'] | count")["tables"][0]["columns"], [[2]])

    def test_the_ids_of_a_long_answer_wait_in_a_file(self):
        number = lambda n: b"%08d" % n + b"i" * 500
        lines = b"".join(b'{"delete":{"_id":"%s"}}\n' % number(n) for n in range(40000))
        _, answer = self.server.call("POST", self.ROOTS[0].format("ids") + "/_bulk", lines)
        self.assertEqual([item["delete"]["_id"] for item in answer["items"]],
                         [number(n).decode() for n in range(40000)])
        request = (b"POST %s/_bulk HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
                   % (self.ROOTS[0].format("ids").encode(), len(lines)))
        with self.server.connect() as sock:
            sock.sendall(request + lines)
            self.assertTrue(sock.recv(1).startswith(b"H"))
            self.assertTrue(self.server.unnamed_files())

    def test_what_is_asked_of_an_index_is_true(self):
        for root in self.ROOTS:
            root = root.format("asked")
            for path in ("/_refresh", "/logs/_refresh", "/_all/_refresh"):
                for method in ("POST", "GET"):
                    self.assertEqual(self.server.call(method, root + path), (200, {"_shards": self.SHARDS}), path)
                    self.assertEqual(self.server.headers["X-Elastic-Product"], "Elasticsearch")
            self.assertEqual(self.server.call("HEAD", root + "/logs"), (200, b""))
            self.assertEqual(self.server.headers["X-Elastic-Product"], "Elasticsearch")
            self.assertEqual(self.server.call("GET", root + "/lo%22gs"),
                             (200, {'lo"gs': {"aliases": {}, "mappings": {}, "settings": {}}}))
            self.assertEqual(self.server.call("PUT", root + "/logs", {"mappings": {"properties": {}}}),
                             (200, {"acknowledged": True, "shards_acknowledged": True, "index": "logs"}))
        self.assertEqual(self.server.call("GET", "/v2/datasets/asked")[0], 404)

    def test_a_bulk_may_name_a_type(self):
        for root in self.ROOTS:
            for path in ("/logs/_doc/_bulk", "/logs/event/_bulk"):
                for method in ("POST", "PUT"):
                    status, answer = self.server.call(method, root.format("typed") + path, b'{"index":{}}\n{"a":1}\n')
                    self.assertEqual((status, answer.get("errors")), (200, False), answer)
        self.assertEqual(self.server.query("typed | where a == 1 | count")["tables"][0]["columns"], [[8]])

    def test_unknown_paths_are_told_as_elasticsearch_does(self):
        for root in self.ROOTS:
            for method, path, status in (
                    ("POST", "/_search", 404), ("GET", "/_cat", 404), ("GET", "/_cat/indices", 404), ("HEAD", "/_alias", 404),
                    ("POST", "/logs/_search", 404), ("POST", "/logs/_update/1", 404), ("PUT", "/_cluster", 404),
                    ("POST", "/_foo/_doc", 404), ("PUT", "/_foo", 404), ("GET", "/_nodes/_refresh", 404),
                    ("GET", "/logs/_doc/1", 405), ("DELETE", "/logs", 405), ("PUT", "/_refresh", 405)):
                found, answer = self.server.call(method, root.format("unknown") + path, None)
                self.assertEqual(found, status, (method, path))
                self.assertEqual(self.server.headers["X-Elastic-Product"], "Elasticsearch")
                if method != "HEAD":
                    kind = "resource_not_found_exception" if status == 404 else "illegal_argument_exception"
                    self.assertEqual((answer["status"], answer["error"]["type"]), (status, kind), answer)
                    self.assertIn("_bulk" if status == 404 else "method", answer["error"]["reason"])
        # So are those below the others' paths; the rest is Axiom's.
        self.assertEqual(self.server.call("POST", "/services/collector/x"), (404, {"text": "path not found", "code": 404}))
        self.assertEqual(self.server.call("GET", "/v1/logs")[1], {"code": 3, "message": "method not allowed here"})
        self.assertEqual(self.server.call("POST", "/v1/logs/x")[1], {"code": 5, "message": "path not found"})
        self.assertEqual(self.server.call("GET", "/v1/ingest/x/y"), (404, {"code": 404, "message": "path not found"}))


class Splunk(ServerCase):
    """Refusals as the event collector's clients read them."""

    FLAGS = ("--no-access-log", "--rate-limit", "100")

    def send(self, path, body=b'{"event":"x","index":"web"}', **headers):
        return self.server.call("POST", path, body, headers)

    def test_a_refusal_has_its_text_and_its_number(self):
        store = self.server.directory
        reader = run_evq(store, "token", "create", "--name", "r", "--query", "web")
        writer = "Splunk " + run_evq(store, "token", "create", "--name", "w", "--ingest", "web")
        for path in ("/services/collector", "/services/collector/event",
                     "/services/collector/event/1.0", "/services/collector/raw?index=web",
                     "/services/collector/raw/1.0?index=web"):
            for credentials, code in (("", 4), ("Splunk xaat-unknown", 4), ("Foo bar", 4),
                                      ("Splunk " + reader, 7)):
                status, answer = self.send(path, Authorization=credentials)
                self.assertEqual((status, answer["code"]), (403, code), (path, credentials))
                self.assertEqual(set(answer), {"text", "code"})
            self.assertEqual(self.send(path, Authorization=writer), (200, {"text": "Success", "code": 0}))
            status, answer = self.send(path, **{"Authorization": writer, "Content-Encoding": "br"})
            self.assertEqual((status, answer["code"]), (415, 6))

    def test_an_index_that_is_none_is_told(self):
        call = self.server.call
        for path, body in (("/services/collector", b'{"event":1}'), ("/services/collector/event", b'{"event":1,"index":""}'),
                           ("/services/collector/raw", b"line")):
            status, answer = call("POST", path, body)
            self.assertEqual((status, answer["code"]), (400, 7))
            self.assertTrue(answer["text"].startswith("Incorrect index: name the dataset"), answer)
            self.assertIn("?index=", answer["text"])
        status, answer = call("POST", "/services/collector?index=a/b", b'{"event":1}')
        self.assertEqual((status, answer["code"], answer["text"][:17]), (400, 7, "Incorrect index: "), answer)
        self.assertIn("a/b", answer["text"])

    def test_acknowledgements_are_disabled(self):
        self.assertEqual(self.server.call("POST", "/services/collector/ack?channel=c", {"acks": [0]}),
                         (400, {"text": "ACK is disabled", "code": 14}))

    def test_whole_reals_stay_reals(self):
        sent = b'{"event":{"a":3.0,"b":[1.0,1],"c":{"d":-0.0},"e":2},"fields":{"f":1e0},"host":4.0,"index":"reals","time":%s}'
        for time in (b"1714521600", b"1714521600.0"):
            self.assertEqual(self.server.call("POST", "/services/collector", sent % time)[0], 200)
        self.assertEqual(self.server.call("POST", "/services/collector/raw?index=reals", b'{"a":3.0}',
                                          {"Content-Type": "application/json"})[0], 200)
        for field in ("a", "b[0]", "['c.d']", "f", "host"):
            rows = self.server.query(f"reals | extend t = gettype({field}) | where t != 'null' | summarize by t")
            self.assertEqual(rows["tables"][0]["columns"], [["real"]], field)
        rows = self.server.query("reals | where isnotnull(e) | project gettype(b[1]), gettype(e), _time")
        self.assertEqual(rows["tables"][0]["columns"], [["long"] * 2, ["long"] * 2, ["2024-05-01T00:00:00Z"] * 2])

    def test_one_too_many_is_told_that_the_server_is_busy(self):
        made = run_evq(self.server.directory, "token", "create", "--name", "b", "--ingest", "web")
        answers = (self.send("/services/collector", Authorization="Splunk " + made)
                   for _ in range(300))  # a minute may end in between
        status, answer = next(each for each in answers if each[0] != 200)
        self.assertEqual((status, answer["code"]), (429, 9))


class OnlyDataset(ServerCase):
    """What the token says of where events go."""

    FLAGS = ("--no-access-log",)

    def test_loki_takes_the_only_dataset_of_the_token(self):
        body = json.dumps({"streams": [{"stream": {}, "values": [["1714521600000000000", "x"]]}]})
        for names, status in ((("one",), 204), (("one", "two"), 400)):
            token = run_evq(self.server.directory, "token", "create", "--name", "t",
                            *(word for name in names for word in ("--ingest", name)))
            answer = self.server.call("POST", "/loki/api/v1/push", body, {
                "Authorization": "Bearer " + token, "Content-Type": "application/json"})
            self.assertEqual(answer[0], status, answer)
        self.assertEqual(self.server.query("one | count")["tables"][0]["columns"], [[1]])


class Broken(ServerCase):
    """Texts and numbers that strict JSON does not have: in no form do they cost the events beside
    them, and all forms keep the same of them."""

    FLAGS = ("--no-auth", "--no-access-log")
    TEXTS = ((rb"cut \ud83d", "cut \ufffd"), (b"caf\xe9!", "caf\ufffd!"), (b"\xf0\x9f\x98", "\ufffd"),
             (rb"\udc00\ud800", "\ufffd" * 2), (rb"\ud83d\ude00 \u00e9", "\U0001f600 é"))
    FORMS = (
        ("/v1/ingest/{}", b'[{"t":"%s"},{"t":"ok"}]', "t"),
        ("/v1/ingest/{}/elastic/_bulk", b'{"index":{"_id":"%s"}}\n{"t":"%s"}\n{"index":{}}\n{"t":"ok"}\n', "t"),
        ("/services/collector?index={}", b'{"event":"ok"}{"event":"%s"}', "_raw"),
        ("/services/collector?index={}", b'[{"event":{"t":"%s"}},{"event":{"t":"ok"}}]', "t"),
        ("/services/collector/raw?index={}", b'{"t":"%s"}\n{"t":"ok"}', "t"),
        ("/loki/api/v1/push", b'{"streams":[{"stream":{"t":"%s"},"values":[["1714521600000000000","%s"]]},{"stream":'
         b'{"t":"ok"},"values":[["1714521600000000000","x",{"s":"%s"}]]}]}', "t"),
        ("/v1/logs", b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"ok"}},'
         b'{"body":{"stringValue":"%s"}}]}]}]}', "body"),
        ("/v1/traces", b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"ok"},{"name":"%s"}]}]}]}', "name"))

    def test_texts_are_kept(self):
        for number, (path, body, field_name) in enumerate(self.FORMS):
            for at, (sent, kept) in enumerate(self.TEXTS):
                dataset = f"texts{number}x{at}"
                status, answer = self.server.call("POST", path.format(dataset), body.replace(b"%s", sent),
                                                  {"Content-Type": "application/json", "X-Axiom-Dataset": dataset})
                self.assertIn(status, (200, 204), (path, sent, answer))
                rows = self.server.query(f"{dataset} | project v = ['{field_name}']")["tables"][0]["columns"][0]
                self.assertEqual(sorted(rows), sorted([kept, "ok"]), (path, sent))

    def test_numbers_beyond_every_real_are_null(self):
        for path, body in (
                ("/services/collector?index=huge", '{"event":{"n":1e400,"m":[1,-1e999],"k":1}}'),
                ("/services/collector?index=huge", '{"event":{"k":2},"fields":{"n":1e400},"time":1e400}'),
                ("/v1/logs", '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":"http.n","value":'
                 '{"doubleValue":1e400}}]}]}]}]}')):
            status, answer = self.server.call("POST", path, body, {"Content-Type": "application/json",
                                                                   "X-Axiom-Dataset": "huge"})
            self.assertEqual(status, 200, answer)
        columns = self.server.query("huge | where k == 1 | project m")["tables"][0]["columns"]
        self.assertEqual(columns, [[[1, None]]])
        self.assertEqual(self.server.query("huge | count")["tables"][0]["columns"], [[3]])
        self.assertEqual(self.server.call("POST", "/services/collector?index=huge", '{"event":{"n":NaN}}')[0], 400)


# Where each system sends, and the text of an error as its clients read it; fails for another form.
FORMS = (
    ("/services/collector/event?index=web", "application/json",
     lambda status, kind, body: (kind == "application/json" and {"text", "code"} <= set(json.loads(body))
                                 and json.loads(body)["text"])),
    ("/v1/ingest/web/elastic/_bulk", "application/x-ndjson",
     lambda status, kind, body: (kind == "application/json" and json.loads(body)["status"] == status
                                 and json.loads(body)["error"]["type"]
                                 and json.loads(body)["error"]["root_cause"][0]["reason"])),
    ("/v1/logs", "application/json",
     lambda status, kind, body: (kind == "application/json" and 0 < json.loads(body)["code"] < 17
                                 and json.loads(body)["message"])),
    ("/v1/traces", PROTOBUF,
     lambda status, kind, body: (kind == PROTOBUF and body[0] == 8 and 0 < body[1] < 17
                                 and body[2] == 18 and body[3] == len(body) - 4 and body[4:].decode())),
    ("/loki/api/v1/push", "application/json",
     lambda status, kind, body: (kind == "text/plain; charset=utf-8" and body.endswith(b"\n")
                                 and body.decode().strip("\n"))),
)


class Forms(ServerCase):
    """What the server refuses before a handler sees it, in the form of whom it is said to."""

    FLAGS = ("--no-access-log",)

    @classmethod
    def fill(cls):
        store = cls.server.directory
        cls.writer = run_evq(store, "token", "create", "--name", "w", "--ingest", "web")

    def head(self, path, kind, *lines, token=None):
        lines = (f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", "X-Axiom-Dataset: web",
                 f"Content-Type: {kind}", f"Authorization: Bearer {token or self.writer}", *lines)
        return "\r\n".join(lines).encode() + b"\r\n\r\n"

    def said(self, answer, read, status):
        head, body = answer.split(b"\r\n\r\n", 1)
        lines = head.decode().lower().split("\r\n")
        self.assertTrue(lines[0].startswith(f"http/1.1 {status} "), lines[0])
        kind = next(line for line in lines if line.startswith("content-type: "))
        text = read(status, kind.removeprefix("content-type: "), body)
        self.assertTrue(text, answer)
        return text

    def test_each_client_reads_why(self):
        for path, kind, read in FORMS:
            with self.subTest(path):
                answer = self.server.raw(self.head(path, kind, "Content-Length: 0", token="xaat-none"))
                self.assertIn("authentication failed", self.said(answer, read, 403))
                answer = self.server.raw(self.head(path, kind, "Content-Length: 999999999999"))
                self.assertIn("limit of 64 MiB", self.said(answer, read, 413))
                answer = self.server.raw(self.head(path, kind, "Content-Encoding: br", "Content-Length: 1") + b"x")
                self.assertTrue(self.said(answer, read, 415))
                answer = self.server.raw(self.head(path, kind, "Content-Length: 3") + b"\x0a{]")
                self.assertTrue(self.said(answer, read, 400))
                answer = self.server.raw(self.head(path, kind, "Transfer-Encoding: chunked") + b"xyz\r\n")
                self.assertTrue(self.said(answer, read, 400))

    def test_who_sends_too_slowly_is_told_so(self):
        sockets = []
        for path, kind, read in FORMS:
            sock = self.server.connect()
            sock.sendall(self.head(path, kind, "Content-Length: 10") + b"x")
            sockets.append((sock, read))
        for sock, read in sockets:
            with sock:
                answer = b"".join(iter(lambda: sock.recv(65536), b""))
            self.assertTrue(self.said(answer, read, 408))


class Refused(ServerCase):
    """A refused load leaves nothing, not even an empty dataset."""

    FLAGS = ("--no-auth", "--no-access-log")

    def test_a_refused_first_load_makes_no_dataset(self):
        post = self.server.call
        for path, body, kind, status in (
                ("/v1/ingest/first", b'[{"a":1},', "application/json", 400),
                ("/v1/ingest/first", b"a,a\n1,2\n", "text/csv", 400),
                ("/v1/ingest/first?timestamp-format=nonsense", b'{"a":1}', "application/json", 400),
                ("/v1/ingest/first/elastic/_bulk", b"no action\n{}\n", "application/json", 400),
                ("/services/collector?index=first", b'{"no":"event"}', "application/json", 400),
                ("/v1/ingest/first", b"\x1f\x8b damaged", "application/json", 400),
                ("/v1/ingest/-first", b'[{"a":1}]', "application/json", 400),
                ("/v1/ingest/first", b"[]", "application/pdf", 415)):
            answer = post("POST", path, body, {"Content-Type": kind})
            self.assertEqual(answer[0], status, (path, body, answer))
            self.assertEqual(post("GET", "/v2/datasets")[1], [], (path, body))
        self.assertEqual(post("POST", "/v1/ingest/first", [{"a": 1}])[0], 200)
        self.assertEqual(post("POST", "/v1/ingest/first", b'[{"a":1},', {"Content-Type": "application/json"})[0], 400)
        self.assertEqual(self.server.query("first | count")["tables"][0]["columns"], [[1]])

    def test_events_of_another_shape_are_told_by_number_and_nothing_is_kept(self):
        for envelope, code in (({}, 12), ({"event": None}, 12), ({"Event": "x"}, 12), ({"event": ""}, 13),
                               ({"event": "x", "fields": [1]}, 15), ({"event": "x", "fields": "a=b"}, 15),
                               ({"event": "x", "index": 5}, 7), ("text", 6), (5, 6)):
            body = json.dumps({"event": "good"}) + json.dumps(envelope)
            status, answer = self.server.call("POST", "/services/collector?index=shaped", body)
            self.assertEqual((status, answer["code"], answer["invalid-event-number"]), (400, code, 1), envelope)
            self.assertEqual(self.server.call("GET", "/v2/datasets/shaped")[0], 404)
        self.assertEqual(self.server.call("POST", "/services/collector?index=shaped", json.dumps(
            {"event": "x", "fields": None, "index": None}))[0], 200)

    def test_action_lines_of_another_shape_are_told_by_number(self):
        for lines, words in (('{"index":{}}\n{"a":1}\n\n{"a":2}\n{"a":3}\n', "action line 4 "),
                             ('{"index":{}}\n{"a":1}\n{"index":5}\n{"a":3}\n', "action line 3 "),
                             ('{"index":{}}\n{"a":1}\n[]\n{"a":3}\n', "action line 3 "),
                             ('{"index":{},"create":{}}\n{"a":1}\n', "action line 1 "), ("5\n{}\n", "action line 1 "),
                             ('{"delete":{}}\n{"create":{}}\n', "action line 2 of the bulk body has no document")):
            status, answer = self.server.call("POST", "/v1/ingest/actions/elastic/_bulk", lines)
            self.assertEqual(status, 400, lines)
            self.assertIn(words, answer["error"]["reason"])
        self.assertEqual(self.server.call("GET", "/v2/datasets/actions")[0], 404)

    def test_an_index_that_cannot_be_keeps_nothing_of_the_others(self):
        events = "".join(json.dumps({"event": {"a": 1}, "index": index}) for index in ("good", "not/good"))
        status, answer = self.server.call("POST", "/services/collector", events)
        self.assertEqual((status, answer["code"]), (400, 7))
        self.assertEqual(self.server.call("GET", "/v2/datasets/good")[0], 404)
        self.assertEqual(self.server.call("POST", "/services/collector?index=-x", '{"event":1}')[1]["code"], 7)

    def test_bodies_over_the_limit_are_refused_with_what_the_limit_is(self):
        long = b'{"a":"' + b"x" * (65 << 20) + b'"}\n'
        packed = gzip.compress(b"".join(b'{"index":{}}\n{"a":"%s%s"}\n' % (os.urandom(24).hex().encode(),
                                                                        b"x" * 950)
                                        for _ in range(70000)), 1)
        for path, headers, body in (
                ("/v1/ingest/big", {}, long),
                ("/v1/ingest/big/elastic/_bulk", {"Content-Encoding": "gzip"}, packed),
                ("/services/collector?index=big", {"Content-Encoding": "gzip"}, packed),
                ("/v1/logs", {"Content-Encoding": "gzip", "X-Axiom-Dataset": "big"}, packed)):
            try:
                status, answer = self.server.call("POST", path, body,
                                                  {"Content-Type": "application/json", **headers})
            except (BrokenPipeError, ConnectionResetError):
                continue  # refused while it was sent
            self.assertEqual(status, 413, (path, answer))
            self.assertIn("64 MiB", json.dumps(answer), path)
        self.assertEqual(self.server.call("GET", "/v2/datasets/big")[0], 404)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
