#!/usr/bin/env python3
"""What requests may not be, route by route: the status and the words of the answer, and that what
stands just inside of a limit is taken.

Usage: refusals_test.py EVQ.
"""

import json
import os
import sys
import unittest
import urllib.parse

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cli"))
from evq_server import BOARD, T0, Server

STARRED = {"kind": "apl", "name": "n", "who": "me", "metadata": {}, "dataset": "d",
           "query": {"apl": "['d']", "queryOptions": {}}}
DEEP = '{"a":' * 120 + "1" + "}" * 120

# method, path, body, headers, status, a part of the message
REFUSED = (
    ("POST", "/v1/ingest/d?csv-delimiter=ab", "a,b\n1,2\n", {"Content-Type": "text/csv"}, 400,
     "csv-delimiter must be one character"),
    ("POST", "/v1/ingest/d?csv-delimiter=%22", "a,b\n1,2\n", {"Content-Type": "text/csv"}, 400,
     "and no quote or line end"),
    ("POST", "/v1/ingest/d?csv-delimiter=%0A", "a,b\n1,2\n", {"Content-Type": "text/csv"}, 400,
     "and no quote or line end"),
    ("POST", "/v1/ingest/d", [{"n": 1}], {"X-Axiom-Event-Labels": "[1]"}, 400,
     "X-Axiom-Event-Labels must be a JSON object"),
    ("POST", "/v1/ingest/d", [{"n": 1}], {"X-Axiom-Event-Labels": "{"}, 400,
     "X-Axiom-Event-Labels must be a JSON object"),
    ("POST", "/v1/ingest/d", "x", {"Content-Type": "text/html"}, 415, "text/csv"),
    ("POST", "/v1/ingest/d", "garbage", {}, 400, "neither JSON nor CSV"),
    ("POST", "/v1/ingest/d", "\r\n garbage, and more \n\n", {}, 400, "neither JSON nor CSV"),
    ("POST", "/v1/ingest/d", "x", {"Content-Encoding": "br"}, 415, "gzip, zstd or deflate"),
    ("POST", "/v1/query/_apl", '{"apl":\n "cut \\ud83d"}', {"Content-Type": "application/json"}, 400,
     "the body is not JSON: line 2, column 13: invalid string: surrogate"),
    ("POST", "/v1/query/_apl", b'{"apl":"caf\xe9"}', {"Content-Type": "application/json"}, 400,
     "the body is not JSON: line 1, column 13: invalid string: ill-formed UTF-8 byte"),
    ("POST", "/v2/annotations", '{"type" "x"}', {"Content-Type": "application/json"}, 400,
     "the body is not JSON: line 1, column 11: unexpected string literal"),
    ("POST", "/v2/annotations", '{"time":1e400}', {"Content-Type": "application/json"}, 400,
     "the body is not JSON: number overflow parsing '1e400'"),
    ("POST", "/v1/query/batch", [{"queryId": str(i), "aplRequest": {"apl": "print 1"}}
                                 for i in range(200)], {}, 400, "a batch has at most"),
    ("POST", "/v1/datasets/d/query", b"", {}, 422, "no body"),
    ("GET", "/v2/datasets/d/fields/none", None, {}, 404, "field not found"),
    ("GET", "/v2/datasets/none/fields/n", None, {}, 404, ""),
    ("PUT", "/v2/datasets/d", {"description": "x" * 65537}, {}, 400, "description is too long"),
    ("PUT", "/v2/datasets/d", {"retentionDays": 10 ** 12}, {}, 400, "retentionDays is too large"),
    ("PUT", "/v2/datasets/none", {"description": "x"}, {}, 404, ""),
    ("POST", "/v2/datasets/d/trim", {"maxDuration": "soon"}, {}, 400, "such as 1h30m0s"),
    ("POST", "/v2/datasets/d/trim", {"maxDuration": "-1h"}, {}, 400, "such as 1h30m0s"),
    ("POST", "/v2/datasets/d/mapfields", {"name": ""}, {}, 400, ""),
    ("PUT", "/v2/datasets/d/mapfields", {"name": "x"}, {}, 400, "a list of names"),
    ("PUT", "/v2/datasets/d/mapfields", {"mapFields": "x"}, {}, 400, "a list of strings"),
    ("POST", "/v1/datasets/d/query", {"filter": {"op": "==", "field": "n", "value": [1]}}, {}, 400,
     "must be a string, a number, true or false"),
    ("POST", "/v1/datasets/d/query", {"filter": {"op": "not", "children": [
        {"op": "==", "field": "n", "value": {}}]}}, {}, 400, "must be a string, a number, true or false"),
    ("POST", "/v2/datasets/d/mapfields", {"name": "__x__"}, {}, 400, ""),
    ("GET", "/v2/dashboards?limit=-1", None, {}, 400, "limit must be a number up to"),
    ("GET", "/v2/apl-starred-queries?limit=0", None, {}, 400, "limit must be a number from 1 to 1000"),
    ("GET", "/v2/apl-starred-queries?limit=1001", None, {}, 400, "limit must be a number up to 1000"),
    ("GET", "/v2/dashboards?limit=0", None, {}, 400, "limit must be a number from 1 to 1000"),
    ("GET", "/v2/dashboards?limit=1001", None, {}, 400, "limit must be a number up to 1000"),
    ("PUT", "/v2/dashboards/uid/a%20b", {"dashboard": {}}, {}, 400, "uid must be letters"),
    ("PUT", "/v2/dashboards/uid/gone", {"dashboard": BOARD, "version": 3}, {}, 412, "was deleted"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "Deploy"}, {}, 400, "small letters"),
    ("POST", "/v2/annotations", {"datasets": ["d", ""], "type": "deploy"}, {}, 400, "one character at least"),
    ("POST", "/v2/apl-starred-queries", '{"metadata":' + '{"a":' * 300 + "1" + "}" * 301,
     {"Content-Type": "application/json"}, 400, "nested too deep"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "a b"}, {}, 400, "small letters"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": ""}, {}, 400, "type is required"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "a" * 257}, {}, 400, "up to 256"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "a", "title": "é" * 257}, {}, 400,
     "title is longer than 256 characters"),
    ("POST", "/v2/annotations", {"datasets": ["d"], "type": "a", "url": "u" * 513}, {}, 400,
     "url is longer than 512 characters"),
    ("POST", "/v2/vfields", {"dataset": "d", "name": "n", "expression": "n + 1"}, {}, 409,
     "events of 'd' have a field 'n'"),
    ("GET", "/v2/dashboards?offset=x", None, {}, 400, "offset must be a number up to"),
    ("GET", "/v2/apl-starred-queries?limit=1e3", None, {}, 400, "limit must be a number up to"),
    ("GET", "/v2/apl-starred-queries?offset=99999999999999999999", None, {}, 400,
     "offset must be a number up to"),
    ("GET", "/v2/annotations?start=yesterdayish", None, {}, 400, "start must be an RFC 3339 time"),
    ("PUT", "/v2/annotations/none", {"title": "x"}, {}, 404, ""),
    ("DELETE", "/v2/dashboards/uid/none", None, {}, 404, "dashboard not found"),
    ("GET", "/v2/users/somebody", None, {}, 404, "user not found"),
    ("GET", "/v2/orgs/other", None, {}, 404, "organization not found"),
    ("POST", "/v2/tokens/none/regenerate", {"existingTokenExpiresAt": "2100-01-01T00:00:00Z"}, {}, 404,
     "token not found"),
    ("POST", "/v2/tokens/none/regenerate", {}, {}, 400, "existingTokenExpiresAt is required"),
    ("POST", "/v1/ingest/d", "a,a\n1,2\n", {"Content-Type": "text/csv"}, 400, "in the header X-Axiom-CSV-Fields"),
    ("POST", "/v1/ingest/d", '{"a":1}', {"Content-Type": "application/x-www-form-urlencoded"}, 415,
     "is 'application/x-www-form-urlencoded' (which is what curl sends unless it is told another: add -H 'Content-Type: application/json')"),
    ("POST", "/v1/ingest/d", '{"a":1}', {"Content-Type": "Text/Plain; charset=utf-8"}, 415, "text/csv, and is 'text/plain'"),
    ("POST", "/v2/datasets", '{"name":"x"}', {"Content-Type": "text/plain"}, 415, "must be application/json, and is 'text/plain'"),
    ("POST", "/v1/ingest/d", '{"a":1}', {"Content-Encoding": "br"}, 415, "and is 'br'"),
    ("POST", "/v1/ingest/d", '{"a":1}', {"Content-Encoding": "gzip"}, 400, "the body is not gzip-compressed"),
    ("POST", "/v1/ingest/d", b"\x1f\x8b\x08", {"Content-Encoding": "gzip"}, 400, "the compressed data ends too early"),
    ("POST", "/v2/tokens/none/regenerate", {"existingTokenExpiresAt": None}, {}, 400,
     "existingTokenExpiresAt is required"),
)

# The same of those who read errors in another form: path, body, headers, status, a part of the answer
REFUSED_SHIPPERS = (
    ("/services/collector?index=none", {"event": ""}, {}, 400, "cannot be blank"),
    ("/services/collector?index=none", {"event": None}, {}, 400, "is required"),
    ("/v1/ingest/d/elastic/_bulk", '{"index":{}}\n\n', {}, 400, "has no document"),
    ("/v1/ingest/d/elastic/_bulk", '{"index":{}}\n', {}, 400, "has no document"),
    ("/v1/ingest/d/elastic/_bulk", '{"upsert":{}}\n{"n":1}\n', {}, 400, "malformed"),
    ("/v1/ingest/d/elastic/_bulk", '{"index":1}\n{"n":1}\n', {}, 400, "malformed"),
    ("/v1/traces", b"\x0a", {"Content-Type": "application/x-protobuf",
                             "X-Axiom-Dataset": "d"}, 400, ""),
    ("/v1/traces", {}, {}, 400, "X-Axiom-Dataset header is required"),
)


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-auth")
        assert cls.server.call("POST", "/v1/ingest/d", [{"_time": T0, "n": 1}])[0] == 200

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def test_each_route_says_what_it_does_not_take(self):
        for method, path, body, headers, status, words in REFUSED:
            with self.subTest(method + " " + path):
                sent = dict(headers)
                if method != "GET" and not isinstance(body, (bytes, str)):
                    sent["Content-Type"] = "application/json"
                found, answer = self.server.call(method, path, body, sent)
                self.assertEqual(found, status, answer)
                self.assertEqual(answer["code"], status)
                self.assertIn(words, answer["message"])
                self.assertTrue(answer["message"])
        for path, body, headers, status, words in REFUSED_SHIPPERS:
            with self.subTest(path):
                found, answer = self.server.call("POST", path, body, headers)
                self.assertEqual(found, status, answer)
                self.assertIn(words, answer.decode("latin-1") if isinstance(answer, bytes) else json.dumps(answer))
        self.assertEqual(self.server.query("d | count")["tables"][0]["columns"], [[1]])

    def test_pages_of_others_are_refused_in_the_form_that_each_route_has(self):
        for headers, words, hint in (
                ({"Origin": "http://elsewhere"}, "requests of other origins are not allowed", {}),
                ({"Host": "elsewhere"}, "without tokens the server is called localhost, 127.0.0.1 or [::1], and the request "
                 "is for 'elsewhere' (ask for one of these names, or start the server without --no-auth)",
                 {"hint": "ask for one of these names, or start the server without --no-auth"})):
            for path, expected in (
                    ("/v1/ingest/d", {"code": 403, "message": words, **hint}),
                    ("/services/collector", {"text": words, "code": 4}),
                    ("/v1/logs", {"code": 7, "message": words}),
                    ("/loki/api/v1/push", (words + "\n").encode())):
                self.assertEqual(self.server.call("POST", path, {}, headers), (403, expected), path)
            status, answer = self.server.call("POST", "/v1/ingest/d/elastic/_bulk", {}, headers)
            self.assertEqual((status, answer["status"], answer["error"]["reason"]), (403, 403, words))

    def test_the_host_without_tokens_is_this_machine_and_a_port(self):
        for host, status in (("localhost", 200), ("LocalHost:80", 200), ("localhost:", 200),
                             ("127.0.0.1:65535", 200), ("[::1]", 200), ("[::1]:8080", 200),
                             ("localhost:65536", 403), ("localhost:1@evil", 403), ("localhost:-1", 403),
                             ("localhost:+1", 403), ("localhost:80.evil.example", 403),
                             ("localhost:1:1", 403), ("[::1]:x", 403), ("evil:80", 403)):
            self.assertEqual(self.server.call("GET", "/v2/datasets", headers={"Host": host})[0], status,
                             host)
        # A whole address says it in the place of the header, and of none in HTTP/1.0.
        for ask, status in (("http://localhost/v2/datasets HTTP/1.1\r\nHost: evil\r\n", b"200"),
                            ("http://evil/v2/datasets HTTP/1.1\r\nHost: localhost\r\n", b"403"),
                            ("http://localhost/v2/datasets HTTP/1.0\r\n", b"200"),
                            ("http://evil/v2/datasets HTTP/1.0\r\n", b"403"),
                            ("http://localhost/v2/datasets HTTP/1.1\r\n", b"400")):
            answer = self.server.raw(f"GET {ask}Connection: close\r\n\r\n".encode())
            self.assertEqual(answer.split(b" ")[1], status, ask)

    def test_just_inside_of_the_limits(self):
        call = self.server.call
        self.assertEqual(call("PUT", "/v2/datasets/d", {"description": "x" * 65536})[0], 200)
        for path in ("/v2/dashboards?limit=1000", "/v2/apl-starred-queries?limit=1000&offset=5"):
            self.assertEqual(call("GET", path)[0], 200)
        self.assertEqual(call("GET", "/v2/dashboards?limit=1")[0], 200)
        self.assertEqual(call("POST", "/v2/annotations", {"datasets": ["d"], "type": "a-0" * 85,
                                                          "title": "é" * 256})[0], 201)
        names = "a, b ,c"
        self.assertEqual(call("POST", "/v1/ingest/named?csv-delimiter=;", "1;2;3\n",
                              {"Content-Type": "text/csv ; header=absent",
                               "X-Axiom-CSV-Fields": names})[0], 200)
        self.assertEqual(self.server.query("named | project a, b, c")["tables"][0]["columns"],
                         [[1], [2], [3]])

    def test_names_of_csv_columns_are_held_to_what_a_header_is(self):
        def send(names, body, kind="text/csv"):
            return self.server.call("POST", "/v1/ingest/columns", body, {"Content-Type": kind,
                                                                         "X-Axiom-CSV-Fields": names})
        for names, body in (("x,x", "1,2\n"), ("x, y ,x", "1,2,3\n"), ("column2,", "1,2\n"), ("", "x,x\n1,2\n")):
            status, answer = send(names, body)
            self.assertEqual(status, 400, names)
            self.assertRegex(answer["message"], "repeats the field '(x|column2)', in columns 1 and [23]")
        self.assertEqual(self.server.call("GET", "/v2/datasets/columns")[0], 404)
        self.assertEqual(send("x,,y", "1,2,3\n")[0], 200)  # as a header x,,y
        self.assertEqual(self.server.query("columns | project x, column2, y")["tables"][0]["columns"],
                         [[1], [2], [3]])
        self.assertEqual(send("x,x", '[{"a":1}]', "application/json")[0], 200)

    def test_saved_queries_are_found_by_who_and_words(self):
        call = self.server.call
        for name, who in (("first", "me"), ("second", "you"), ("third", "you")):
            status, made = call("POST", "/v2/apl-starred-queries", {**STARRED, "name": name, "who": who})
            self.assertEqual(status, 200, made)
        def names(query):
            return [each["name"] for each in call("GET", "/v2/apl-starred-queries?dataset=d&" + query)[1]]
        every = names("")
        self.assertEqual(sorted(every), ["first", "second", "third"])
        self.assertEqual(names("who=all"), every)
        self.assertEqual(names("who=me"), ["first"])
        self.assertEqual(sorted(names("who=you")), ["second", "third"])
        self.assertEqual(names("qs=third"), ["third"])
        self.assertEqual(names("qs=THIRD"), ["third"])  # in any case
        self.assertEqual(names("qs=nothing"), [])
        self.assertEqual(names("qs=metadata"), [])  # no name and no query has it
        self.assertEqual(names("limit=1"), every[:1])
        self.assertEqual(names("offset=1"), every[1:])
        self.assertEqual(names("offset=3"), [])
        call("POST", "/v2/apl-starred-queries", {**STARRED, "name": "Größe ÄRGER", "query": {"apl": "d | where Σ == 1"}})
        for words in ("ärger", "ÄRGER", "GRÖ", "Where σ ==", "d | WHERE"):
            self.assertEqual(names("qs=" + urllib.parse.quote(words)), ["Größe ÄRGER"], words)

    def test_splunk_says_which_events_were_lost(self):
        body = ('{"index":"some","event":{"n":1}}{"index":"some","event":%s}'
                '{"index":"other","event":"x"}') % DEEP
        status, answer = self.server.call("POST", "/services/collector", body)
        self.assertEqual((status, answer["code"]), (400, 6), answer)
        self.assertIn("1 of 3 events were not kept: nested deeper", answer["text"])
        self.assertEqual(answer["invalid-event-number"], 1)
        for dataset in ("some", "other"):
            self.assertEqual(self.server.query(dataset + " | count")["tables"][0]["columns"], [[1]])
        status, answer = self.server.call("POST", "/services/collector?index=none", '{"event":%s}' % DEEP)
        self.assertEqual((status, answer["code"]), (400, 6), answer)
        # By its number in the request, of whatever index the others are.
        body = ('{"index":"zoo","event":1}{"index":"some","event":2}{"index":"zoo","event":3,"time":"soon"}'
                '{"index":"some","event":4,"time":"later"}')
        status, answer = self.server.call("POST", "/services/collector", body)
        self.assertEqual((status, answer["code"], answer["invalid-event-number"]), (400, 6, 2), answer)
        self.assertIn("2 of 4 events were not kept: the value of '_time' is no time: 'soon'", answer["text"])
        status, answer = self.server.call("POST", "/services/collector", '{"event":1}\n{"event":nul}')
        self.assertEqual((status, answer), (400, {
            "text": "Invalid data format", "code": 6, "invalid-event-number": 1,
            "detail": "line 2, column 10: expected a value"}))
        self.assertEqual(self.server.call("POST", "/services/collector/raw?index=raw", " \r\n\n")[1]["code"], 5)

    def test_splunk_lines_carry_where_they_are_from(self):
        status, answer = self.server.call(
            "POST", "/services/collector/raw?index=raw&host=h&source=s&sourcetype=t",
            'one "quoted"\\\r\n\r\n{"event":"two\\"}"}\n')
        self.assertEqual((status, answer["code"]), (200, 0), answer)
        columns = self.server.query("raw | sort by _raw asc | project _raw, host, source, sourcetype")
        self.assertEqual(columns["tables"][0]["columns"],
                         [['one "quoted"\\', '{"event":"two\\"}"}'], ["h"] * 2, ["s"] * 2, ["t"] * 2])
        status, answer = self.server.call(
            "POST", "/services/collector/event?index=origin&host=h&source=s&sourcetype=t",
            '{"event":"a"}{"event":"b","host":"own","sourcetype":null}')
        self.assertEqual(status, 200, answer)
        columns = self.server.query("origin | sort by _raw asc | project host, source, sourcetype")
        self.assertEqual(columns["tables"][0]["columns"], [["h", "own"], ["s"] * 2, ["t"] * 2])

    def post_lines(self, path, body, *lines):
        head = (f"POST {path} HTTP/1.1", "Host: localhost", "Connection: close", *lines, f"Content-Length: {len(body)}")
        answer = self.server.raw("\r\n".join(head).encode() + b"\r\n\r\n" + body)
        return int(answer[9:12]), answer.split(b"\r\n\r\n", 1)[1]

    def test_headers_that_are_sent_twice_are_joined_or_refused(self):
        json_type, body = "Content-Type: application/json", b'[{"n":1}]'
        for name, values in (("X-Axiom-Event-Labels", ('{"a":1}', '{"b":2}')), ("X-Axiom-Dataset", ("twice", "other")),
                             ("X-Scope-OrgID", ("twice", "other")), ("X-Axiom-Org-Id", ("a", "b")),
                             ("X-Service-Org-Id", ("a", "b"))):
            lines = (f"{name}: {values[0]}", f"{name.lower()}: {values[1]}")
            status, answer = self.post_lines("/v1/ingest/twice", body, json_type, *lines)
            self.assertEqual(status, 400, (lines, answer))
            self.assertIn(name.encode() + b" is given with different values", answer)
        self.assertEqual(self.server.call("GET", "/v2/datasets/twice")[0], 404)
        same = 2 * ('X-Axiom-Event-Labels: {"a":1}',)
        self.assertEqual(self.post_lines("/v1/ingest/same", body, json_type, *same)[0], 200)
        status, answer = self.post_lines("/v1/ingest/parts", b"1,2,3,4\n", "Content-Type: text/csv",
                                         "X-Axiom-CSV-Fields: a, b", "X-Axiom-CSV-Fields:", "x-axiom-csv-fields: c,d")
        self.assertEqual(status, 200, answer)
        self.assertEqual(self.server.query("parts | project a, b, c, d")["tables"][0]["columns"], [[1], [2], [3], [4]])

    def test_a_lone_line_is_csv_only_when_it_is_called_so(self):
        for body, headers in (("a,b\n", {"Content-Type": "text/csv"}), ("[]", {}), (" \n", {}),
                              ("1,2\n", {"X-Axiom-CSV-Fields": "a,b"}), ("a,b\n1,2", {})):
            status, answer = self.server.call("POST", "/v1/ingest/lone", body.encode(), headers)
            self.assertEqual((status, answer["failed"]), (200, 0), (body, answer))
        for pieces in ((b"gar", b"bage"), (b"garbage\n", b" \n")):
            chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
            answer = self.server.raw(b"POST /v1/ingest/none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                                     b"Transfer-Encoding: chunked\r\n\r\n" + chunks + b"0\r\n\r\n")
            self.assertEqual(answer[9:12], b"400", answer)
        self.assertEqual(self.server.call("GET", "/v2/datasets/none")[0], 404)

    def test_a_head_has_no_body(self):
        sent = b"HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /none HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = self.server.raw(sent + b"GET /none HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        heads = answer.split(b"\r\n\r\n")
        self.assertEqual([head.split(b"\r\n")[0][9:12] for head in heads[:3]], [b"200", b"404", b"404"])
        self.assertEqual(json.loads(heads[3])["code"], 404)


class Damaged(unittest.TestCase):
    def test_an_index_that_cannot_be_opened_keeps_nothing_of_the_others(self):
        # A failure of the server is one that senders repeat: what was kept would come twice.
        first = Server("--no-auth")
        for dataset in ("last", "known"):
            self.assertEqual(first.call("POST", "/v1/ingest/" + dataset, [{"n": 1}])[0], 200)
        self.assertEqual(first.stop(keep=True), 0)
        with open(os.path.join(first.directory, "datasets", "1.db"), "r+b") as file:
            file.write(b"no database " * 100)
        server = Server("--no-auth", store=first.directory)
        try:
            for other in ("known", "early"):
                body = "".join(json.dumps({"event": {"n": 2}, "index": index}) for index in (other, "last"))
                for _ in range(2):
                    status, answer = server.call("POST", "/services/collector", body)
                    self.assertEqual(status, 500, answer)
            self.assertEqual(server.query("known | count")["tables"][0]["columns"], [[1]])
            self.assertEqual(server.call("GET", "/v2/datasets/early")[0], 404)
            body = "".join(json.dumps({"event": {"n": 2}, "index": index}) for index in ("known", "early"))
            self.assertEqual(server.call("POST", "/services/collector", body)[0], 200)
            for dataset, count in (("known", 2), ("early", 1)):
                self.assertEqual(server.query(dataset + " | count")["tables"][0]["columns"], [[count]])
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
