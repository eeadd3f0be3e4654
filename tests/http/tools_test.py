#!/usr/bin/env python3
"""What Axiom's own tools need beyond the client libraries: the MCP server, whose decoder refuses a
list for one member that is missing, the command line tool, and the scripts that edit dashboards.

Usage: tools_test.py EVQ.
"""

import sys
import unittest

from evq_server import BOARD, ServerCase


class Tools(ServerCase):
    @classmethod
    def fill(cls):
        cls.call = cls.server.call

    def test_listed_queries_have_what_the_mcp_server_requires(self):
        path = "/v2/apl-starred-queries"
        given = {"kind": "apl", "name": "n", "who": "me", "metadata": {}, "query": {"apl": "print 1"}}
        made = self.call("POST", path, given)[1]
        self.assertEqual(made, {**given, "id": made["id"]})  # as it was put
        self.assertEqual(self.call("GET", path)[1], [
            {**made, "dataset": "", "query": {"apl": "print 1", "queryOptions": {}}}])

    def test_monitors_have_what_the_mcp_server_requires(self):
        made = self.call("POST", "/v2/monitors", {"name": "m", "threshold": None, "operator": "Above",
                                                  "disabledUntil": None})[1]
        for name, value in (("type", "Threshold"), ("aplQuery", ""), ("intervalMinutes", 0),
                            ("rangeMinutes", 0), ("threshold", 0), ("operator", "Above")):
            self.assertEqual(made[name], value, name)
        self.assertNotIn("disabledUntil", made)  # a string, if it is there
        self.assertEqual(self.call("GET", "/v2/monitors/" + made["id"])[1], made)
        self.assertIn(made, self.call("GET", "/v2/monitors")[1])
        given = {"name": "m", "type": "MatchEvent", "aplQuery": "print 1", "intervalMinutes": 5, "rangeMinutes": 10,
                 "threshold": 1.5}
        changed = self.call("PUT", "/v2/monitors/" + made["id"], given)[1]
        self.assertEqual({name: changed[name] for name in given}, given)
        changed = self.call("PUT", "/v2/monitors/" + made["id"], {**given, "operator": ""})[1]
        self.assertNotIn("operator", changed)  # axiom-go's, of one that matches events
        self.assertNotIn("operator", self.call("POST", "/v2/monitors", {**given, "operator": ""})[1])

    def test_monitors_have_no_history(self):
        made = self.call("POST", "/v2/monitors", {"name": "m"})[1]
        history = f"/v2/monitors/{made['id']}/history"
        times = "?startTime=2026-05-03T00:00:00Z&endTime=2026-05-04T00:00:00Z"
        self.assertEqual(self.call("GET", history + times), (200, []))
        self.assertEqual(self.call("GET", history), (200, []))
        self.assertEqual(self.call("GET", history + "?startTime=soon")[0], 400)
        self.assertEqual(self.call("GET", "/v2/monitors/none/history" + times)[0], 404)
        self.assertEqual(self.call("GET", "/api/internal/monitors/history?monitorIds=" + made["id"]),
                         (200, {"data": {}, "fields": []}))
        self.assertEqual(self.call("GET", "/api/internal/integrations/dashboards"), (200, []))

    def test_one_chart_of_a_dashboard_is_patched(self):
        charts = [{"id": "a", "type": "Note", "text": "x", "deep": {"keep": 1, "drop": 2}},
                  {"id": "b", "type": "Note", "text": "y"}]
        board = {**BOARD, "charts": charts, "layout": [{"i": "a", "x": 0, "y": 0, "w": 6, "h": 4}]}
        del board["owner"]
        made = self.call("POST", "/v2/dashboards", {"dashboard": board})[1]["dashboard"]
        board["owner"] = "X-AXIOM-EVERYONE"  # the default, without which the MCP server reads no list
        self.assertEqual(made["dashboard"], board)
        uid = made["uid"]
        path = f"/v2/dashboards/uid/{uid}"
        patch = {"text": "z", "deep": {"drop": None, "add": [1]}, "name": "N"}
        status, answer = self.call("PATCH", path + "/charts/a", {"chart": patch, "version": 1,
                                                                 "message": "why"})
        self.assertEqual((status, answer["status"]), (200, "updated"), answer)
        merged = {"id": "a", "type": "Note", "text": "z", "deep": {"keep": 1, "add": [1]}, "name": "N"}
        self.assertEqual(answer["dashboard"]["dashboard"], {**board, "charts": [merged, charts[1]]})
        self.assertEqual(answer["dashboard"]["version"], 2)
        self.assertEqual(self.call("GET", path)[1], answer["dashboard"])
        for chart, body, wanted in (
                ("a", {"chart": {}, "version": 1}, 412), ("a", {"chart": {}}, 412),
                ("c", {"chart": {}, "version": 2}, 404), ("a", {"version": 2}, 400),
                ("a", {"chart": [], "version": 2}, 400), ("a", {"chart": {"id": "b"}, "version": 2}, 400),
                ("a", {"chart": {"id": None}, "version": 2}, 400), ("a", {"chart": {"type": None}, "version": 2}, 400)):
            self.assertEqual(self.call("PATCH", f"{path}/charts/{chart}", body)[0], wanted, (chart, body))
        status, answer = self.call("PATCH", path + "/charts/b", {"chart": {"id": "b", "text": None},
                                                                 "overwrite": True})
        self.assertEqual(answer["dashboard"]["dashboard"]["charts"], [merged, {"id": "b", "type": "Note"}])
        for _ in range(2):  # what no request could hold is not made by several either
            status, answer = self.call("PATCH", path + "/charts/b", {
                "chart": {f"k{answer['dashboard']['version']}": "x" * 600000}, "overwrite": True})
            self.assertIn(status, (200, 413), answer)
        self.assertEqual((status, self.call("GET", path)[1]["version"]), (413, 4))
        self.assertEqual(self.call("PATCH", "/v2/dashboards/uid/none/charts/a",
                                   {"chart": {}, "overwrite": True})[0], 404)

    def test_rows_of_no_dataset_match(self):
        # The command line tool prints nothing of an answer that nothing matched.
        for apl, rows in (("print a = 1", 1), ("range x from 1 to 5 step 1", 5),
                          ("datatable(a:long)[1,2,3] | where a > 1", 2)):
            self.assertEqual(self.server.query(apl)["status"]["rowsMatched"], rows, apl)

    def test_durations_of_spans_are_rounded_as_numbers(self):
        span = {"traceId": "1" * 32, "spanId": "2" * 16, "name": "op", "kind": 2,
                "startTimeUnixNano": "1700000000000000000", "endTimeUnixNano": "1700000000573060724"}
        self.call("POST", "/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
                  {"X-Axiom-Dataset": "spans"})
        table = self.server.query("spans | summarize ms = round(avg(duration) / 1000000.0, 2)")["tables"][0]
        self.assertEqual((table["fields"][0]["type"], table["columns"]), ("integer", [[573]]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
