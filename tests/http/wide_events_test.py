#!/usr/bin/env python3
"""Events and streams of very many members, which the endpoints of other systems put together from
several places.

    python3 wide_events_test.py path/to/evq
"""

import json
import sys
import time
import unittest

sys.dont_write_bytecode = True
from evq_server import EVQ, ServerCase  # noqa: E402
from sanitizer import sanitizer_runtime  # noqa: E402
from shippers_test import PROTOBUF, field, snappy  # noqa: E402

SANITIZED = sanitizer_runtime(EVQ) is not None
TOO_MANY = "the event has more than 1000 fields"


def members(count, prefix="k"):
    return ",".join(f'"{prefix}{i}":1' for i in range(count))


class WideEvents(ServerCase):
    FLAGS = ("--no-auth", "--no-access-log")

    def splunk(self, event, fields="", index="wide"):
        body = f'{{"event":{{{event}}},"fields":{{{fields}}},"index":"{index}","host":"h"}}'
        return self.server.call("POST", "/services/collector", body)

    def loki(self, body, media="application/json"):
        return self.server.call("POST", "/loki/api/v1/push", body,
                                {"Content-Type": media, "X-Axiom-Dataset": "wide"})

    def test_members_are_not_all_compared_with_all(self):
        begin = time.monotonic()
        status, answer = self.splunk(members(80000), members(80000, "f"))
        self.assertEqual((status, answer["code"]), (400, 6))
        self.assertIn(TOO_MANY, answer["text"])
        self.assertLess(time.monotonic() - begin, 20)

    def test_members_of_two_places_meet_wherever_they_stand(self):
        for place in (0, 400, 799):
            index = f"meet{place}"
            event = [f'"k{i}":1' for i in range(800)]
            event[place] = '"both":1'
            self.assertEqual(self.splunk(",".join(event), '"z":1,"both":2,"a":1', index)[0], 200)
            rows = self.server.query(f"{index} | project both, _user_both, z, a, host")
            self.assertEqual(rows["tables"][0]["columns"], [[1], [2], [1], [1], ["h"]])

    def test_members_without_a_value_are_no_fields(self):
        nulls = ",".join(f'"n{i}":null' for i in range(1500))
        status, answer = self.splunk(nulls + ',"host":"own","a":1', '"a":2,' + nulls, "nulls")
        self.assertEqual((status, answer["code"]), (200, 0), answer)
        rows = self.server.query("nulls | project host, _user_host, a, _user_a")
        self.assertEqual(rows["tables"][0]["columns"], [["h"], ["own"], [1], [2]])

    def test_an_object_of_any_width_can_be_asked_for(self):
        """Of 3,960 members, whose names together are longer than a query may be."""
        events = [{"_time": "2024-05-01T10:00:00Z", "i": i, "n": {
            f"a_member_with_a_name_of_some_length_{i}_{j}": 1 for j in range(990)}} for i in range(4)]
        for event in (*events, {"_time": "2024-05-01T10:00:00Z", "i": 4}):
            self.assertEqual(self.server.call("POST", "/v1/ingest/members", json.dumps([event]))[0], 200)
        for op, count in (("exists", 4), ("not-exists", 1)):
            status, answer = self.server.call("POST", "/v1/datasets/members/query", {
                "startTime": "2024-05-01T00:00:00Z", "endTime": "2024-05-02T00:00:00Z",
                "filter": {"op": op, "field": "n"}, "aggregations": [{"op": "count", "field": "*"}]})
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["buckets"]["totals"][0]["aggregations"][0]["value"], count)

    def test_members_take_their_share_of_the_memory(self):
        count = 2500000
        status, answer = self.splunk('"host":"a",' + members(count))
        self.assertEqual((status, answer["code"]), (413, 27), answer)
        labels = "{" + members(count).replace(":1", ':"1"') + "}"
        entry = '["1714521600000000000","x"]'
        status, answer = self.loki(f'{{"streams":[{{"stream":{labels},"values":[{entry}]}}]}}')
        self.assertEqual(status, 413, answer)
        status, answer = self.loki('{"streams":[{"stream":{"a":"b"},"values":[["1714521600000000000","x",'
                                   + labels + "]]}]}")
        self.assertEqual(status, 413, answer)
        selector = "{" + ",".join(f'k{i}="1"' for i in range(count)) + "}"
        status, answer = self.loki(snappy(field(1, field(1, selector))), PROTOBUF)
        self.assertEqual(status, 413, answer)
        if not SANITIZED:
            self.assertLess(self.server.peak_memory(), 900 << 20)

    def test_wide_streams_are_told_as_any_event(self):
        labels = json.loads("{" + members(1100).replace(":1", ':"1"') + "}")
        status, answer = self.loki(json.dumps({"streams": [{
            "stream": labels, "values": [["1714521600000000000", "x"]]}]}))
        self.assertEqual(status, 400)
        self.assertIn(TOO_MANY, answer.decode())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
