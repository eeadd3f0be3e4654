#!/usr/bin/env python3
"""OTLP over HTTP: every field of the messages in both forms, which must give the same events, and
bodies of another shape, of which nothing may be stored or passed over.

    python3 otlp_test.py path/to/evq
"""

import base64
import copy
import gzip
import json
import struct
import sys
import unittest

sys.dont_write_bytecode = True
from evq_server import ServerCase  # noqa: E402

sys.setrecursionlimit(10000)  # for values that are nested deeper than the server takes them
PROTOBUF = "application/x-protobuf"
AT = 1714521600000000000


# ---- the messages: name of the JSON form -> (number, kind, repeated)
ANY = {"stringValue": (1, "text"), "boolValue": (2, "varint"), "intValue": (3, "varint"), "doubleValue": (4, "double"),
       "arrayValue": (5, {"values": (1, "any", True)}), "kvlistValue": (6, {"values": (1, "pair", True)}),
       "bytesValue": (7, "bytes")}
PAIR = {"key": (1, "text"), "value": (2, "any")}
RESOURCE = {"attributes": (1, "pair", True), "droppedAttributesCount": (2, "varint")}
SCOPE = {"name": (1, "text"), "version": (2, "text"), "attributes": (3, "pair", True),
         "droppedAttributesCount": (4, "varint")}
LOG = {"timeUnixNano": (1, "fixed64"), "severityNumber": (2, "varint"), "severityText": (3, "text"), "body": (5, "any"),
       "attributes": (6, "pair", True), "droppedAttributesCount": (7, "varint"), "flags": (8, "fixed32"),
       "traceId": (9, "hex"), "spanId": (10, "hex"), "observedTimeUnixNano": (11, "fixed64"), "eventName": (12, "text")}
EVENT = {"timeUnixNano": (1, "fixed64"), "name": (2, "text"), "attributes": (3, "pair", True),
         "droppedAttributesCount": (4, "varint")}
LINK = {"traceId": (1, "hex"), "spanId": (2, "hex"), "traceState": (3, "text"), "attributes": (4, "pair", True),
        "droppedAttributesCount": (5, "varint"), "flags": (6, "fixed32")}
SPAN = {"traceId": (1, "hex"), "spanId": (2, "hex"), "traceState": (3, "text"), "parentSpanId": (4, "hex"),
        "name": (5, "text"), "kind": (6, "varint"), "startTimeUnixNano": (7, "fixed64"),
        "endTimeUnixNano": (8, "fixed64"), "attributes": (9, "pair", True), "droppedAttributesCount": (10, "varint"),
        "events": (11, EVENT, True), "droppedEventsCount": (12, "varint"), "links": (13, LINK, True),
        "droppedLinksCount": (14, "varint"), "status": (15, {"message": (2, "text"), "code": (3, "varint")}),
        "flags": (16, "fixed32")}
LOGS = {"resourceLogs": (1, {"resource": (1, RESOURCE), "scopeLogs": (2, {
    "scope": (1, SCOPE), "logRecords": (2, LOG, True), "schemaUrl": (3, "text")}, True), "schemaUrl": (3, "text")}, True)}
TRACES = {"resourceSpans": (1, {"resource": (1, RESOURCE), "scopeSpans": (2, {
    "scope": (1, SCOPE), "spans": (2, SPAN, True), "schemaUrl": (3, "text")}, True), "schemaUrl": (3, "text")}, True)}


def varint(value):
    value &= (1 << 64) - 1
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def sized(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def single(number, kind, value):
    if kind == "varint":
        return varint(number << 3) + varint(int(value))
    if kind in ("fixed64", "double"):
        return varint(number << 3 | 1) + struct.pack("<d" if kind == "double" else "<Q", (
            float if kind == "double" else int)(value))
    if kind == "fixed32":
        return varint(number << 3 | 5) + struct.pack("<I", value)
    if kind == "text":
        return sized(number, value.encode())
    if kind == "hex":
        return sized(number, bytes.fromhex(value))
    if kind == "bytes":
        return sized(number, base64.b64decode(value))
    return sized(number, encode({"any": ANY, "pair": PAIR}.get(kind, kind) if isinstance(kind, str) else kind, value))


def encode(table, message, unknown=b""):
    """The bytes of a message of the JSON form."""
    out = unknown
    for name, value in message.items():
        number, kind, *repeated = table[name]
        for each in value if repeated else [value]:
            out += single(number, kind, each)
    return out


def text(value):
    return {"stringValue": value}


def pairs(**values):
    return [{"key": name.replace("__", "."), "value": value} for name, value in values.items()]


EVERY_KIND = pairs(
    text=text("a \"b\" ☃"), empty=text(""), yes={"boolValue": True}, no={"boolValue": False},
    int={"intValue": "-9223372036854775808"}, most={"intValue": "9223372036854775807"}, real={"doubleValue": -1.5e-300},
    whole={"doubleValue": 2.0}, raw={"bytesValue": base64.b64encode(bytes(range(256))).decode()},
    no_bytes={"bytesValue": ""}, none={}, no_items={"arrayValue": {}}, no_members={"kvlistValue": {}},
    items={"arrayValue": {"values": [text("x"), {"intValue": "1"}, {}, {"arrayValue": {"values": [{"boolValue": True}]}},
                                     {"kvlistValue": {"values": pairs(deep__name=text("y"))}}]}},
    members={"kvlistValue": {"values": pairs(a={"intValue": "1"}, b={"arrayValue": {"values": [{"doubleValue": 0.5}]}},
                                            c={"kvlistValue": {"values": pairs(d={"bytesValue": "AAEC"})}})}},
    http__request__method=text("GET"), http=text("above"), **{"": text("nameless")})

LOGS_BODY = {"resourceLogs": [
    {"resource": {"attributes": pairs(service__name=text("shop"), host__name=text("h")) + EVERY_KIND,
                  "droppedAttributesCount": 3},
     "scopeLogs": [{"scope": {"name": "lib", "version": "1.2", "attributes": EVERY_KIND, "droppedAttributesCount": 1},
                    "logRecords": [
         {"timeUnixNano": str(AT), "severityNumber": 17, "severityText": "ERROR", "body": text("it broke"),
          "attributes": EVERY_KIND, "droppedAttributesCount": 2, "flags": 1,
          "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174",
          "observedTimeUnixNano": str(AT + 5), "eventName": "broken"},
         {"observedTimeUnixNano": str(AT + 1), "body": {"kvlistValue": {"values": EVERY_KIND}}},
         {"timeUnixNano": "0", "observedTimeUnixNano": str(AT + 2), "body": {"arrayValue": {"values": [text("x")]}}},
         {"timeUnixNano": str(AT + 3), "body": {"bytesValue": "AAEC"}, "traceId": "", "severityText": ""},
         {"timeUnixNano": str(AT + 4), "body": {"intValue": "5"}}], "schemaUrl": "https://x/1"},
        {"logRecords": [{"timeUnixNano": str(AT + 5), "body": text("no scope")}]},
        {"scope": {}, "logRecords": []}],
     "schemaUrl": "https://x/2"},
    {"scopeLogs": [{"scope": {"name": "other"}, "logRecords": [{"timeUnixNano": str(AT + 6)}]}]},
    {"resource": {}}]}

TRACES_BODY = {"resourceSpans": [
    {"resource": {"attributes": pairs(service__name=text("shop"))},
     "scopeSpans": [{"scope": {"name": "lib", "version": "1.2", "attributes": EVERY_KIND}, "spans": [
         {"traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "traceState": "a=b,c=d",
          "parentSpanId": "abcdef0123456789", "name": "GET /", "kind": 2, "startTimeUnixNano": str(AT),
          "endTimeUnixNano": str(AT + 1234567), "attributes": EVERY_KIND, "droppedAttributesCount": 1,
          "events": [{"timeUnixNano": str(AT + 7), "name": "exception", "attributes": EVERY_KIND,
                      "droppedAttributesCount": 1}, {"name": "bare"}, {}],
          "droppedEventsCount": 2,
          "links": [{"traceId": "00" * 15 + "01", "spanId": "00" * 7 + "02", "traceState": "l=1",
                     "attributes": EVERY_KIND, "droppedAttributesCount": 4, "flags": 256}],
          "droppedLinksCount": 3, "status": {"message": "oh", "code": 2}, "flags": 257},
         {"name": "ok", "kind": 3, "startTimeUnixNano": str(AT + 1), "endTimeUnixNano": str(AT + 1),
          "status": {"code": 1}},
         {"name": "least", "startTimeUnixNano": str(AT + 2)}], "schemaUrl": "https://x/1"}]}]}

SIGNALS = (("/v1/logs", LOGS, LOGS_BODY, 7), ("/v1/traces", TRACES, TRACES_BODY, 3))


def zstd_frame(data):
    """A frame of raw blocks."""
    out = b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data))
    for at in range(0, len(data), 1000):
        piece = data[at:at + 1000]
        out += struct.pack("<I", len(piece) << 3 | (at + 1000 >= len(data)))[:3] + piece
    return out


class Otlp(ServerCase):
    FLAGS = ("--no-auth", "--no-access-log")

    def send(self, path, body, dataset, kind="application/json", **headers):
        if not isinstance(body, bytes):
            body = json.dumps(body).encode()
        return self.server.call("POST", path, body, {"Content-Type": kind, "X-Axiom-Dataset": dataset, **headers})

    def rows(self, dataset):
        matches = self.server.query(dataset + " | sort by _time asc", "legacy")["matches"]
        return [(match["_time"], match["data"]) for match in matches]

    def test_both_forms_of_every_field_give_the_same_events(self):
        for path, table, body, count in SIGNALS:
            name = path[4:]
            message = encode(table, body)
            plain = json.dumps(body).encode()
            snake = json.loads(json.dumps(body), object_pairs_hook=lambda members: {
                "".join("_" + c.lower() if c.isupper() else c for c in key): value for key, value in members})
            sent = {"json": (plain, "application/json", None), "proto": (message, PROTOBUF, None),
                    "gzip": (gzip.compress(message), PROTOBUF, "gzip"), "snake": (snake, "application/json", None),
                    "zstd": (zstd_frame(message), "application/protobuf", "zstd"),
                    "jsonzstd": (zstd_frame(plain), "application/json; charset=utf-8", "zstd")}
            for form, (data, kind, encoding) in sent.items():
                answer = self.send(path, data, name + form, kind, **({"Content-Encoding": encoding} if encoding else {}))
                proto = "protobuf" in kind
                self.assertEqual(answer, (200, b"" if proto else {}), (path, form))
                self.assertEqual(self.server.headers["Content-Type"], PROTOBUF if proto else "application/json")
            rows = self.rows(name + "json")
            self.assertEqual(len(rows), count)
            for form in sent:
                self.assertEqual(self.rows(name + form), rows, form)

    def test_what_the_fields_become(self):
        self.send("/v1/logs", encode(LOGS, LOGS_BODY), "becomeslogs", PROTOBUF)
        time, log = self.rows("becomeslogs")[0]
        self.assertEqual(time, "2024-05-01T00:00:00Z")
        self.assertEqual({name: log[name] for name in ("severity_number", "severity_text", "body", "trace_id", "span_id",
                                                       "event_name", "service")},
                         {"severity_number": 17, "severity_text": "ERROR", "body": "it broke", "event_name": "broken",
                          "trace_id": "5b8efff798038103d269b633813fc60c", "span_id": "eee19b7ec3c1b174",
                          "service": {"name": "shop"}})
        custom = log["attributes"]["custom"]
        self.assertEqual(custom["int"], -9223372036854775808)
        self.assertEqual(custom["raw"], base64.b64encode(bytes(range(256))).decode())
        self.assertEqual(custom["items"], ["x", 1, None, [True], {"deep.name": "y"}])
        self.assertEqual(custom["members"], {"a": 1, "b": [0.5], "c": {"d": "AAEC"}})
        self.assertEqual(custom[""], "nameless")
        self.assertEqual(log["scope"]["name"], "lib")
        self.send("/v1/traces", encode(TRACES, TRACES_BODY), "becomestraces", PROTOBUF)
        span = self.rows("becomestraces")[0][1]
        self.assertEqual((span["kind"], span["error"], span["status"], span["duration"], span["trace_state"]),
                         ("server", True, {"code": "ERROR", "message": "oh"}, "1.234567ms", "a=b,c=d"))
        self.assertEqual([event.get("name") for event in span["events"]], ["exception", "bare", None])
        self.assertEqual((span["links"][0]["trace_id"], span["links"][0]["trace_state"]), ("00" * 15 + "01", "l=1"))

    def test_the_last_of_a_oneof_counts_and_what_is_unknown_is_passed_over(self):
        both = sized(1, b"first") + varint(3 << 3) + varint(7)  # the text, then the integer
        unknown = (varint(1000 << 3) + varint(5) + sized(1001, b"\x01\x02\x03") + varint(1002 << 3 | 1) + bytes(8)
                   + varint(1003 << 3 | 5) + bytes(4))  # not packed, packed, fixed64, fixed32
        log = unknown + encode(LOG, {"timeUnixNano": str(AT), "eventName": "n"}) + sized(5, both)
        body = unknown + sized(1, unknown + sized(2, unknown + sized(2, log)))
        self.assertEqual(self.send("/v1/logs", body, "unknown", PROTOBUF), (200, b""))
        self.assertEqual(self.rows("unknown"), [("2024-05-01T00:00:00Z", {"body": 7, "event_name": "n"})])
        later = copy.deepcopy(LOGS_BODY)
        later["later"] = [{"x": 1}]
        later["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0]["later"] = 5
        self.assertEqual(self.send("/v1/logs", later, "later"), (200, {}))
        self.send("/v1/logs", LOGS_BODY, "sooner")
        self.assertEqual(self.rows("later"), self.rows("sooner"))
        # Nor is what no value has one.
        log = {"timeUnixNano": str(AT), "eventName": "n", "body": {"bogus": 1}, "attributes": pairs(
            http__a={"bogus": 1, "stringValue": "x"}, http__b={"stringValue": "y", "bogus": {}}, http__c={"bogus": []})}
        body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}
        self.assertEqual(self.send("/v1/logs", body, "bogus"), (200, {}))
        self.assertEqual(self.rows("bogus"), [("2024-05-01T00:00:00Z", {
            "event_name": "n", "attributes": {"http": {"a": "x", "b": "y"}}})])

    def test_a_body_without_a_type_is_told_by_its_first_bytes(self):
        for path, table, body, count in SIGNALS:
            name = "untyped" + path[4:]
            for data in (json.dumps(body), " \r" + json.dumps(body, indent=1), encode(table, body)):
                status, answer = self.server.call("POST", path, data, {"X-Axiom-Dataset": name})
                self.assertEqual((status, answer), (200, {} if isinstance(data, str) else b""), path)
            # Whose first bytes are a line feed, an opening brace and a quotation mark.
            message = sized(1, sized(1, sized(1, sized(1, b"k" * 30))) + sized(3, b"x" * 85))
            self.assertEqual(message[:4], b'\n{\n"')
            self.assertEqual(self.server.call("POST", path, message, {"X-Axiom-Dataset": name})[0], 200)
            self.assertEqual(len(self.rows(name)), 3 * count)

    def test_a_body_that_is_no_json_is_told_where(self):
        for body, words in (("{", "it is no JSON: line 1, column 2: the object is not closed"),
                            ('{"resourceLogs":\n[}', "it is no JSON: line 2, column 2: expected a value"),
                            ("{} x", "it is no JSON: line 1, column 4: unexpected text")):
            status, answer = self.send("/v1/logs", body.encode(), "placeless")
            self.assertEqual((status, answer["code"]), (400, 3), body)
            self.assertIn(words, answer["message"])

    def test_messages_in_pieces_are_put_together(self):
        for path, table, body, count in SIGNALS:
            def in_pieces(table, message):
                """Every message that is no item of a list as a piece for each of its members, then an empty one."""
                out = b""
                for name, value in message.items():
                    number, kind, *repeated = table[name]
                    kind = {"any": ANY, "pair": PAIR}.get(kind, kind) if isinstance(kind, str) else kind
                    for each in value if repeated else [value]:
                        if isinstance(kind, str):
                            out += single(number, kind, each)
                        elif repeated:
                            out += sized(number, in_pieces(kind, each))
                        else:
                            for part in each:
                                values = each[part] if len(kind[part]) == 3 else [each[part]]
                                for one in values:
                                    out += sized(number, in_pieces(kind, {part: [one] if len(kind[part]) == 3 else one}))
                            out += sized(number, b"")
                return out
            name = "pieces" + path[4:]
            self.assertEqual(self.send(path, encode(table, body), name + "whole", PROTOBUF), (200, b""))
            self.assertEqual(self.send(path, in_pieces(table, body), name, PROTOBUF), (200, b""))
            rows = self.rows(name)
            self.assertEqual(len(rows), count)
            self.assertEqual(rows, self.rows(name + "whole"))

    def test_the_pieces_of_a_oneof_begin_anew_with_another_value(self):
        def items(*values):
            return sized(5, encode({"values": (1, "any", True)}, {"values": [text(each) for each in values]}))
        for value, expected in ((items("a") + items("b", "c"), ["a", "b", "c"]),
                                (items("a") + items("b") + sized(1, b"t"), "t"),
                                (items("a") + items("b") + sized(1, b"t") + items("c"), ["c"]),
                                (items("a") + items("b") + sized(1, b"t") + items("c") + items("d"), ["c", "d"])):
            log = encode(LOG, {"timeUnixNano": str(AT)}) + sized(5, value)
            self.assertEqual(self.send("/v1/logs", sized(1, sized(2, sized(2, log))), "anew", PROTOBUF), (200, b""))
            self.assertEqual(self.server.query("anew | take 1", "legacy")["matches"][0]["data"], {"body": expected})
            self.assertEqual(self.server.call("DELETE", "/v2/datasets/anew")[0], 204)

    def test_pieces_are_put_together_up_to_a_limit(self):
        piece = sized(5, sized(1, b"y" * 1000))
        for pieces, status in ((16000, 200), (17000, 413)):
            log = encode(LOG, {"timeUnixNano": str(AT)}) + piece * pieces
            body = sized(1, sized(2, sized(2, log)))
            self.assertEqual(self.send("/v1/logs", body, "limit", PROTOBUF)[0], status, pieces)

    def test_a_message_of_more_fields_than_the_limit_is_told_so(self):
        severity = b"\x10\x01"
        for fields, status in ((1 << 20, 200), ((1 << 20) + 1, 413)):
            body = sized(1, sized(2, sized(2, severity * fields)))
            got, answer = self.send("/v1/logs", body, "many", PROTOBUF)
            self.assertEqual(got, status, fields)
        self.assertIn(b"more than 1048576 fields", answer)
        body = sized(1, sized(2, sized(2, b"") * 1100000))  # records of a scope
        self.assertEqual(self.send("/v1/logs", body, "many", PROTOBUF)[0], 413)

    def test_groups_are_passed_over(self):
        def group(number, inside):
            return varint(number << 3 | 3) + inside + varint(number << 3 | 4)
        inner = group(7, varint(1 << 3) + varint(5) + sized(2, b"\xff\xff") + group(8, b"") + group(7, b""))
        log = inner + encode(LOG, {"timeUnixNano": str(AT), "eventName": "n"}) + group(5, sized(1, b"x")) + group(6, b"")
        body = inner + sized(1, sized(2, inner + sized(2, log)) + inner) + group(1, b"")
        self.assertEqual(self.send("/v1/logs", body, "groups", PROTOBUF), (200, b""))
        self.assertEqual(self.rows("groups"), [("2024-05-01T00:00:00Z", {"event_name": "n"})])
        deep = b""
        for _ in range(100):
            deep = group(9, deep)
        self.assertEqual(self.send("/v1/logs", deep, "groups", PROTOBUF)[0], 200)
        for wrong in (varint(9 << 3 | 3), varint(9 << 3 | 4), varint(9 << 3 | 3) + varint(8 << 3 | 4), group(9, deep),
                      group(9, b"\x0a\x05a"), group(9, b"\x00"), group(9, varint(1 << 3 | 6)),
                      sized(1, varint(9 << 3 | 3)) + varint(9 << 3 | 4), varint(9 << 3 | 3) * 1000000):
            self.assertEqual(self.send("/v1/logs", wrong, "groups", PROTOBUF)[0], 400, wrong[:20])

    def test_numbers_as_writers_of_json_write_them(self):
        for number, row in (({"timeUnixNano": AT}, "2024-05-01T00:00:00Z"), ({"timeUnixNano": 1.7145216e18},
                                                                            "2024-05-01T00:00:00Z")):
            log = {**number, "severityNumber": 9.0, "body": {"intValue": 5.0}}
            self.assertEqual(self.send("/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}, "numbers"),
                             (200, {}))
            self.assertEqual(self.rows("numbers")[0], (row, {"body": 5, "severity_number": 9}))

    def test_reals_are_reals_whatever_their_value(self):
        def logs(value):
            return {"resourceLogs": [{"scopeLogs": [{"logRecords": [{
                "timeUnixNano": str(AT), "body": {"doubleValue": value}, "attributes": pairs(
                    own={"doubleValue": value}, http__ratio={"doubleValue": value},
                    list={"arrayValue": {"values": [{"doubleValue": value}]}},
                    map={"kvlistValue": {"values": pairs(a={"doubleValue": value})}})}]}]}]}

        def stored(dataset):
            places = ("body", "['attributes.custom']['own']", "['attributes.http.ratio']",
                      "['attributes.custom']['list'][0]", "['attributes.custom']['map']['a']")
            made = ", ".join(f"t{i} = gettype({place}), h{i} = toreal({place}) / 2" for i, place in enumerate(places))
            columns = self.server.query(f"{dataset} | project {made}")["tables"][0]["columns"]
            return [column[0] for column in columns]
        for number, value in enumerate((3, 3.0, -4e0, "3", "2.5", 1e300, "-1e-5", 2.5)):
            for form, sent in (("json", (logs(value), "application/json")),
                               ("proto", (encode(LOGS, logs(value)), PROTOBUF))):
                dataset = f"real{form}{number}"
                self.assertEqual(self.send("/v1/logs", sent[0], dataset, sent[1])[0], 200)
                self.assertEqual(stored(dataset), ["real", float(value) / 2] * 5, (form, value))
            types = {field["name"]: field["type"] for field in self.server.call(
                "GET", f"/v2/datasets/realjson{number}/fields")[1]}
            self.assertEqual((types["body"], types["attributes.http.ratio"]), ("float", "float"))
        for number, value in enumerate(("NaN", "Infinity", "-Infinity")):
            for form, sent in (("json", (logs(value), "application/json")),
                               ("proto", (encode(LOGS, logs(float(value))), PROTOBUF))):
                dataset = f"noreal{form}{number}"
                self.assertEqual(self.send("/v1/logs", sent[0], dataset, sent[1])[0], 200)
                custom = {"own": None, "list": [None], "map": {"a": None}}
                self.assertEqual(self.rows(dataset), [("2024-05-01T00:00:00Z", {"attributes": {"custom": custom}})])
        self.assertEqual(self.send("/v1/logs", logs("soon"), "notext")[0], 200)
        self.assertEqual(self.rows("notext")[0][1]["body"], "soon")

    def test_ids_are_hexadecimal(self):
        trace, span = "5B8EFFF798038103d269b633813fc60c", "EEE19b7ec3c1b174"

        def logs(**log):
            return {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": str(AT), **log}]}]}]}

        def spans(**members):
            return {"resourceSpans": [{"scopeSpans": [{"spans": [{"startTimeUnixNano": str(AT), **members}]}]}]}
        self.assertEqual(self.send("/v1/logs", logs(traceId=trace, spanId=span), "ids"), (200, {}))
        self.assertEqual(self.send("/v1/logs", logs(traceId="", spanId=None), "ids"), (200, {}))
        self.assertEqual(self.rows("ids"), [("2024-05-01T00:00:00Z", {
            "trace_id": trace.lower(), "span_id": span.lower()}), ("2024-05-01T00:00:00Z", {})])
        for name, digits, wrong in (
                ("traceId", 32, ("hello", trace[1:], trace + "0", trace[:-1] + "g", span, " " + trace[1:])),
                ("spanId", 16, ("hello", span[1:], span + "0", "x" + span[1:], trace)),
                ("parentSpanId", 16, ("hello", span[1:]))):
            sent = [(spans, "/v1/traces", "resourceSpans[0].scopeSpans[0].spans[0].")]
            sent += [(logs, "/v1/logs", "resourceLogs[0].scopeLogs[0].logRecords[0].")] if name != "parentSpanId" else []
            sent += [(lambda **link: spans(links=[{}, link]), "/v1/traces",
                      "resourceSpans[0].scopeSpans[0].spans[0].links[1].")] if name != "parentSpanId" else []
            for value in wrong:
                for make, path, place in sent:
                    for key in (name, "".join("_" + c.lower() if c.isupper() else c for c in name)):
                        status, answer = self.send(path, make(**{key: value}), "noids")
                        self.assertEqual((status, answer.get("code")), (400, 3), (path, key, value))
                        self.assertIn(f"{place}{key}: {digits} hexadecimal digits are expected", answer["message"])
                        self.assertNotIn("base64", answer["message"])
            packed = base64.b64encode(bytes(range(digits // 2))).decode()
            for value in (packed, packed.rstrip("=")):
                status, answer = self.send("/v1/traces", spans(**{name: value}), "noids")
                self.assertEqual(status, 400)
                self.assertIn(f".{name}: {digits} hexadecimal digits are expected", answer["message"])
                self.assertIn("base64", answer["message"])
        self.assertEqual(self.server.call("GET", "/v2/datasets/noids")[0], 404)

    def test_a_time_is_called_as_it_was_sent(self):
        good = {"timeUnixNano": str(AT)}
        for records, name, value in (
                ([good, {"timeUnixNano": "abc"}], "timeUnixNano", "abc"),
                ([{"observedTimeUnixNano": "x", "timeUnixNano": str(AT)}], "observedTimeUnixNano", "x"),
                ([good] * 1500 + [{"timeUnixNano": 0.5}, {"observedTimeUnixNano": "y"}], "timeUnixNano", "0.5 ns")):
            status, answer = self.send("/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}, "times")
            self.assertEqual((status, answer["partialSuccess"]["errorMessage"]),
                             (200, f"the value of '{name}' is no time: '{value}'"))
        for span, name in (({"startTimeUnixNano": "abc"}, "startTimeUnixNano"),
                           ({"startTimeUnixNano": str(AT), "endTimeUnixNano": "abc"}, "endTimeUnixNano")):
            status, answer = self.send("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}, "times")
            self.assertEqual((status, answer["partialSuccess"]["errorMessage"]),
                             (200, f"the value of '{name}' is no time: 'abc'"))
        most = encode(LOGS, {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": str((1 << 64) - 1)}]}]}]})
        self.assertIn(b"the value of 'timeUnixNano' is no time", self.send("/v1/logs", most, "times", PROTOBUF)[1])
        # Other reasons stay as they are.
        wide = {**good, "attributes": pairs(**{f"http__a{i}": text("x") for i in range(5000)})}
        status, answer = self.send("/v1/logs", {"resourceLogs": [{"scopeLogs": [{"logRecords": [
            wide, {"timeUnixNano": "abc"}]}]}]}, "times")
        self.assertEqual((status, answer["partialSuccess"]["rejectedLogRecords"]), (200, "2"), answer)
        self.assertIn("more than", answer["partialSuccess"]["errorMessage"])

    def test_metrics_are_refused_with_a_reason(self):
        status, answer = self.send("/v1/metrics", {"resourceMetrics": []}, "metrics")
        self.assertEqual((status, answer["code"]), (404, 5))
        self.assertIn("OTEL_METRICS_EXPORTER=none", answer["message"])
        status, answer = self.send("/v1/metrics", b"\x0a\x00", "metrics", PROTOBUF)
        self.assertEqual((status, answer[:3]), (404, b"\x08\x05\x12"))
        self.assertIn(b"OTEL_METRICS_EXPORTER=none", answer)
        self.assertEqual(self.server.headers["Content-Type"], PROTOBUF)

    def test_times_that_are_none_are_told(self):
        def logs(**log):
            return {"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}

        def spans(**span):
            return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        most = str((1 << 64) - 1)
        for path, table, body in (
                ("/v1/logs", LOGS, logs(timeUnixNano=most)), ("/v1/logs", LOGS, logs(observedTimeUnixNano=most)),
                ("/v1/logs", LOGS, logs(timeUnixNano=str(AT), observedTimeUnixNano=most)),
                ("/v1/traces", TRACES, spans(startTimeUnixNano=most)),
                ("/v1/traces", TRACES, spans(startTimeUnixNano=str(AT), endTimeUnixNano=most))):
            status, answer = self.send(path, body, "never")
            self.assertEqual((status, list(answer)), (200, ["partialSuccess"]), body)
            status, answer = self.send(path, encode(table, body), "never", PROTOBUF)
            self.assertEqual((status, answer[:1], answer[2:4]), (200, b"\x0a", b"\x08\x01"), body)
        for wrong in ("1.5e", 0.5, "soon", [], True):
            for path, body in (("/v1/logs", logs(timeUnixNano=wrong)),
                               ("/v1/traces", spans(startTimeUnixNano=str(AT), endTimeUnixNano=wrong))):
                status, answer = self.send(path, body, "never")
                self.assertEqual((status, list(answer)), (200, ["partialSuccess"]), body)
        late = spans(name="late", startTimeUnixNano=str(AT), endTimeUnixNano=str(AT - 10**9))
        self.assertEqual(self.send("/v1/traces", late, "clocks"), (200, {}))
        span = self.rows("clocks")[0][1]
        self.assertEqual((span["end_time"], "duration" in span), ("2024-04-30T23:59:59Z", False))
        event = {"name": "e", "timeUnixNano": "soon"}
        self.assertEqual(self.send("/v1/traces", spans(startTimeUnixNano=str(AT), events=[event]), "kept"), (200, {}))
        self.assertEqual(self.rows("kept")[0][1]["events"], [{"name": "e", "timestamp": "soon"}])

    def test_bodies_of_another_shape_are_refused_with_the_place(self):
        log = {"timeUnixNano": str(AT), "body": text("x")}
        in_log = "resourceLogs[0].scopeLogs[0].logRecords[1]"
        wrong = [
            ({"resourceLogs": {}}, "resourceLogs: a list"), ({"resourceLogs": [5]}, "resourceLogs[0]: an object"),
            ({"resourceLogs": [None]}, "resourceLogs[0]: an object"), ([], "an object"), (5, "an object"),
            ({"resourceSpans": []}, "it has no resourceLogs"), ({"resource_logs": "x"}, "resource_logs: a list"),
            ({"resourceLogs": [{"scopeLogs": "x"}]}, "resourceLogs[0].scopeLogs: a list"),
            ({"resourceLogs": [{"resource": []}]}, "resourceLogs[0].resource: an object"),
            ({"resourceLogs": [{"resource": {"attributes": {"a": 1}}}]}, "resourceLogs[0].resource.attributes: a list"),
            ({"resourceLogs": [{"scopeLogs": [{"scope": "x"}]}]}, "scopeLogs[0].scope: an object"),
            ({"resourceLogs": [{"scopeLogs": [{"scope": {"name": 5}}]}]}, "scopeLogs[0].scope.name: a text"),
            ({"resourceLogs": [{"scopeLogs": [{"logRecords": {}}]}]}, "scopeLogs[0].logRecords: a list")]
        wrong += [({"resourceLogs": [{"scopeLogs": [{"logRecords": [log, each]}]}]}, in_log + place) for each, place in (
            ("x", ": an object"), (None, ": an object"), ({**log, "body": "text"}, ".body: an object"),
            ({**log, "attributes": {"a": "b"}}, ".attributes: a list"), ({**log, "attributes": [5]}, ".attributes[0]: an"),
            ({**log, "attributes": [{"key": 1}]}, ".attributes[0].key: a text"),
            ({**log, "attributes": [{"key": "a", "value": 1}]}, ".attributes[0].value: an object"),
            ({**log, "body": {"stringValue": "a", "intValue": 1}}, ".body: it has several values"),
            ({**log, "body": {"arrayValue": []}}, ".body.arrayValue: an object"),
            ({**log, "body": {"arrayValue": {"values": {}}}}, ".body.arrayValue.values: a list"),
            ({**log, "body": {"kvlistValue": {"values": [{"key": "k", "value": [1]}]}}},
             ".body.kvlistValue.values[0].value: an object"),
            ({**log, "severityNumber": {}}, ".severityNumber: a number"), ({**log, "severityText": 5}, ".severityText: a text"),
            ({**log, "traceId": [1]}, ".traceId: a text"))]
        for body, place in wrong:
            status, answer = self.send("/v1/logs", body, "shape")
            self.assertEqual((status, answer["code"]), (400, 3), body)
            self.assertIn("malformed: " if place.startswith(("it", "an")) else "", answer["message"])
            self.assertIn(place, answer["message"])
        span = {"startTimeUnixNano": str(AT), "name": "s"}
        for each, place in ((5, ": an object"), ({**span, "events": {}}, ".events: a list"),
                            ({**span, "events": [5]}, ".events[0]: an"), ({**span, "links": [[]]}, ".links[0]: an"),
                            ({**span, "links": [{"attributes": {}}]}, ".links[0].attributes: a list"),
                            ({**span, "status": 2}, ".status: an object"), ({**span, "name": 5}, ".name: a text"),
                            ({**span, "status": {"code": []}}, ".status.code: a number"),
                            ({**span, "kind": True}, ".kind: a number")):
            status, answer = self.send("/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span, each]}]}]}, "shape")
            self.assertEqual((status, answer["code"]), (400, 3), each)
            self.assertIn("resourceSpans[0].scopeSpans[0].spans[1]" + place, answer["message"])
        self.assertEqual(self.server.call("GET", "/v2/datasets/shape")[0], 404)
        for path, records in (("/v1/logs", "resourceLogs"), ("/v1/traces", "resourceSpans")):
            for empty in ({}, {records: []}, {records: None}, {records: [{}]}, {records: [{"resource": None}]}):
                self.assertEqual(self.send(path, empty, "shape"), (200, {}), empty)

    def test_an_empty_request_to_what_can_be_no_dataset_is_refused_like_others(self):
        log = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "l"}}]}]}]}
        span = {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "s"}]}]}]}
        for name in ("bad/name", "otl, other", "-x", "n" * 129):
            for path, full in (("/v1/logs", log), ("/v1/traces", span)):
                answers = [self.server.call("POST", path, body, {"X-Axiom-Dataset": name}) for body in ({}, full)]
                self.assertEqual(answers[0], answers[1], (path, name))
                self.assertEqual(answers[0][0], 400, answers[0])
                self.assertEqual(self.send(path, b"", name, PROTOBUF)[0], 400, (path, name))
            self.assertEqual(self.send("/v1/logs", b"", "n" * 128, PROTOBUF)[0], 200)

    def test_damaged_messages_are_refused_as_a_status(self):
        for path, table, body, _ in SIGNALS:
            message = encode(table, body)
            self.assertEqual(self.send(path, b"", "damaged", PROTOBUF), (200, b""))
            for cut in list(range(1, 60)) + list(range(60, len(message), 97)):
                status, answer = self.send(path, message[:cut], "damaged", PROTOBUF)
                self.assertEqual(status, 400, cut)
                self.assertEqual(answer[:3], b"\x08\x03\x12")  # code 3, INVALID_ARGUMENT, then the message
                self.assertEqual(self.server.headers["Content-Type"], PROTOBUF)
            for wrong in (b"\x0a" + b"\x80" * 10 + b"\x01", b"\x80" * 10 + b"\x01\x00", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                          b"\x0a\x85\x80\x80\x00\x01"):
                self.assertEqual(self.send(path, wrong, "damaged", PROTOBUF)[0], 400, wrong)
        self.assertEqual(self.server.call("GET", "/v2/datasets/damaged")[0], 404)
        # A varint may be longer than it need be.
        self.assertEqual(self.send("/v1/logs", b"\x8a\x80\x00\x80\x80\x00", "damaged", PROTOBUF)[0], 200)

    def test_deep_values_are_refused_in_both_forms(self):
        for depth, fits in ((20, True), (300, False)):
            value = text("x")
            for _ in range(depth):
                value = {"arrayValue": {"values": [value]}}
            body = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"timeUnixNano": str(AT), "body": value}]}]}]}
            answers = [self.send("/v1/logs", body, "deepjson"), self.send("/v1/logs", encode(LOGS, body), "deepproto", PROTOBUF)]
            self.assertEqual([status for status, _ in answers], [200 if fits else 400] * 2, depth)
        self.assertEqual(self.rows("deepjson"), self.rows("deepproto"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
