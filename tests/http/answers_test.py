#!/usr/bin/env python3
"""What answers say, member by member: the tabular and the legacy form, series and totals, cursors,
batches, and the rules that strict client libraries decode by.

Usage: answers_test.py EVQ.
"""

import http.client
import json
import re
import sys
import unittest

from evq_server import ServerCase

# The names that axiom-go knows; it refuses a whole answer for any other.
GO_AGGREGATES = set(
    "count countif distinct distinctif sum sumif avg avgif min minif max maxif topk topkif "
    "percentiles percentilesif histogram histogramif stdev stdevif variance varianceif argmin "
    "argmax rate makeset makesetif makelist makelistif computed spotlight".split())
RFC3339 = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$")


def minute(m):
    return f"2024-05-01T00:{m:02}:00Z"


class Answers(ServerCase):
    @classmethod
    def fill(cls):
        events = [{"_time": minute(m), "status": 200 + m % 3, "d": m * 1.5, "user": f"u{m % 2}",
                   "geo": {"city": "x"}} for m in range(10)]
        cls.server.call("POST", "/v1/ingest/w", events)

    def test_check_compiles_and_does_not_run(self):
        status, answer = self.server.call("POST", "/v1/_check",
                                          {"apl": "w | where status == 200 | count"})
        self.assertEqual(status, 200)
        self.assertIn("scan w", answer["plan"])
        status, answer = self.server.call("POST", "/v1/_check", {"apl": "w\n| where stauts == 1"})
        self.assertEqual(status, 400)
        self.assertEqual((answer["detail"]["line"], answer["detail"]["column"]), (2, 9))
        for apl, told in (("w | where stauts == 1", (1, 16, "APL2003")), ("w | where (", (1, 1, "APL1008"))):
            detail = self.server.call("POST", "/v1/query/_apl", {"apl": apl})[1]["detail"]
            self.assertEqual((detail["errorType"], detail["compileErrorCode"], detail["id"]), told)
        self.assertIn("did you mean 'status'?", answer["message"])

    def test_a_hint_of_several_names_is_one_text(self):
        self.server.call("POST", "/v1/ingest/near", [{"pl1": 1, "pl2": 2, "pl3": 3, "one": 1}])
        for apl, message in (("near | where pl == 1", "unknown field 'pl' in 'near' (did you mean 'pl1'? also: pl2, pl3)"),
                             ("near | where oen == 1", "unknown field 'oen' in 'near' (did you mean 'one'?)")):
            self.assertEqual(self.server.call("POST", "/v1/query/_apl", {"apl": apl})[1]["message"], message)

    def test_profile_runs_the_query(self):
        status, answer = self.server.call("POST", "/v1/_profile",
                                          {"apl": "w | where d > 3 | summarize count() by user"})
        self.assertEqual(status, 200)
        self.assertRegex(answer["plan"], r"(?m)^ +2 +[0-9.]+ ms +aggregate ")
        self.assertRegex(answer["plan"], r"(?m)^ +7 +[0-9.]+ ms +scan w ")
        status, answer = self.server.call("POST", "/v1/_profile", {"apl": "w | where stauts == 1"})
        self.assertEqual(status, 400)
        self.assertIn("did you mean 'status'?", answer["message"])

    def test_rows_missing_for_the_default_limit_are_told(self):
        for members, told in (({"defaultLimit": 4}, ["default_limit_warning"]), ({"limit": 4}, []),
                              ({"defaultLimit": 11}, []), ({}, [])):
            for form in ("tabular", "legacy"):
                status, answer = self.server.call("POST", f"/v1/query/_apl?format={form}",
                                                  {"apl": "w", **members})
                self.assertEqual(status, 200)
                messages = answer["status"].get("messages", [])
                self.assertEqual([each["code"] for each in messages], told, (members, form))
                for message in messages:
                    self.assertIn("the first 4 rows", message["msg"])
        for apl in ("w | take 4", "w | summarize count() by status"):
            answer = self.server.call("POST", "/v1/query/_apl?format=tabular",
                                      {"apl": apl, "defaultLimit": 3})[1]
            self.assertNotIn("messages", answer["status"])

    def test_complete_names_what_may_stand_there(self):
        def complete(apl, **place):
            status, answer = self.server.call("POST", "/v1/_complete", {"apl": apl, **place})
            self.assertEqual(status, 200)
            for each in answer["candidates"]:
                self.assertEqual(set(each), {"kind", "name", "replacement", "signature", "doc"})
            return answer["begin"], answer["end"], {
                each["name"]: each for each in answer["candidates"]}

        begin, end, found = complete("w | where sta")
        self.assertEqual((begin, end), (10, 13))
        self.assertEqual((found["status"]["kind"], found["status"]["signature"]), ("field", "long"))
        self.assertEqual(found["startofday"]["kind"], "function")
        begin, end, found = complete("w | proj | take 1", cursor=8)
        self.assertEqual((begin, end), (4, 8))
        self.assertEqual(found["project"]["kind"], "operator")
        self.assertEqual(complete("w | where user == ")[2]["u1"]["replacement"], "'u1'")
        self.assertEqual(complete("")[2]["w"]["kind"], "dataset")

    def test_a_text_to_complete_is_no_longer_than_a_query(self):
        status, answer = self.server.call("POST", "/v1/_complete", {"apl": "w | sta".rjust(256 << 10)})
        self.assertEqual((status, answer["end"]), (200, 256 << 10))
        status, answer = self.server.call("POST", "/v1/_complete", {"apl": "w | sta".rjust((256 << 10) + 1)})
        self.assertEqual(status, 400)
        self.assertIn("longer than 262144 bytes", answer["message"])
        candidates = self.server.call("POST", "/v1/_complete", {"apl": "let aa = 1;" * 3 + "w | where a"})[1]["candidates"]
        self.assertEqual([each["name"] for each in candidates].count("aa"), 1)

    def decode_strictly(self, answer):
        """Types that axiom-go, axiom-py and axiom-rs insist on."""
        status = answer["status"]
        for name in ("elapsedTime", "blocksExamined", "blocksCached", "blocksMatched",
                     "rowsExamined", "rowsMatched", "numGroups", "cacheStatus"):
            self.assertIs(type(status[name]), int, name)
        self.assertGreater(status["elapsedTime"], 0)
        self.assertIs(type(status["isPartial"]), bool)
        self.assertEqual(status["cacheStatus"], 1)
        for name in ("minBlockTime", "maxBlockTime"):
            self.assertRegex(status[name], RFC3339)
        for name in ("minCursor", "maxCursor"):
            self.assertIs(type(status[name]), str)
        for message in status.get("messages", []):
            self.assertIn(message["priority"], ("trace", "debug", "info", "warn", "error", "fatal"))
            self.assertIs(type(message["count"]), int)
            self.assertTrue(message["code"] == "default_limit_warning" or
                            message["code"].startswith("apl_"), message)
            self.assertIs(type(message["msg"]), str)
        self.assertIs(type(answer["datasetNames"]), list)
        for fields in answer["fieldsMetaMap"].values():
            for field in fields:
                self.assertEqual(set(field), {"name", "type", "unit", "hidden", "description"})
        for table in answer.get("tables", []):
            self.assertIs(type(table["name"]), str)
            for source in table["sources"]:
                self.assertEqual(set(source), {"name"})
            for field in table["fields"]:
                if "agg" in field:
                    self.assertIn(field["agg"]["name"], GO_AGGREGATES)
                    self.assertIs(type(field["agg"]["fields"]), list)
                    self.assertIs(type(field["agg"]["args"]), list)
            for item in table["order"]:
                self.assertEqual(set(item), {"field", "desc"})
            if "range" in table:
                self.assertEqual(table["range"]["field"], "_time")
                self.assertRegex(table["range"]["start"], RFC3339)
                self.assertRegex(table["range"]["end"], RFC3339)
            if "buckets" in table:
                self.assertIs(type(table["buckets"]["size"]), int)
            # A table without fields has one empty column, which clients read as no rows.
            self.assertEqual(len(table["columns"]), max(1, len(table["fields"])))
            self.assertEqual(len({len(column) for column in table["columns"]}), 1)

    def ask(self, apl, form="tabular", **body):
        answer = self.server.query(apl, form, **body)
        self.decode_strictly(answer)
        return answer

    def test_every_form_of_answer_decodes_strictly(self):
        for apl in ("w", "w | where status > 9999", "w | summarize count() by user", "print x = 1",
                    "w | summarize take_any(user), dcount(user), percentile(d, 95), "
                    "percentiles(d, 50, 90), make_set(user), arg_max(_time, user), topk(user, 2), "
                    "histogram(d, 3), stdev(d), variance(d), max(d) / count()",
                    "w | summarize count() by bin_auto(_time)", "w | distinct user", "w | count",
                    "w | where true", "w | project d | top 3 by d", "w | extend x = d * 2"):
            self.ask(apl)
            legacy = self.ask(apl, "legacy")
            self.assertEqual(set(legacy["buckets"]), {"series", "totals"})
            asked = legacy["request"]  # axiom-py before 0.6 wants it, with these three members
            self.assertEqual(asked["resolution"], "auto")
            self.assertRegex(asked["startTime"], RFC3339)
            self.assertRegex(asked["endTime"], RFC3339)
            for match in legacy["matches"]:
                self.assertEqual(set(match), {"_time", "_sysTime", "_rowId", "data"})

    def test_events_come_newest_first_and_say_so(self):
        table = self.ask("w")["tables"][0]
        self.assertEqual(table["order"], [{"field": "_time", "desc": True}])
        table = self.ask("w", defaultOrder=[{"field": "_time", "desc": False}])["tables"][0]
        self.assertEqual(table["order"], [{"field": "_time", "desc": False}])
        self.assertEqual(table["columns"][1][0], minute(0))
        table = self.ask("w | sort by d asc")["tables"][0]
        self.assertEqual(table["order"], [{"field": "d", "desc": False}])

    def test_the_order_is_told_in_names_of_the_answer(self):
        order = lambda apl: [(each["field"], each["desc"])
                             for each in self.ask(apl)["tables"][0]["order"]]
        self.assertEqual(order("w | sort by d asc, user | project-rename e = d"),
                         [("e", False), ("user", True)])
        self.assertEqual(order("w | sort by d asc | project d2 = d"), [("d2", False)])
        self.assertEqual(order("w | sort by d asc, user | project d"), [("d", False), ("user", True)])
        self.assertEqual(order("w | sort by d asc, user | extend user = 'x'"), [("d", False)])
        self.assertEqual(order("w | sort by d asc | extend d = -d"), [])
        self.assertEqual(order("w | sort by strlen(user) asc"), [("strlen(user)", False)])

    def test_columns_are_no_aggregates_once_they_are_changed(self):
        def fields(apl):
            table = self.ask(apl)["tables"][0]
            return ([each["name"] for each in table["groups"]],
                    {each["name"]: each.get("agg", {}).get("name") for each in table["fields"]})
        self.assertEqual(fields("w | summarize l = make_list(d) by user"),
                         (["user"], {"user": None, "l": "makelist"}))
        self.assertEqual(fields("w | summarize l = make_list(d) by user | mv-expand l"),
                         (["user"], {"user": None, "l": None}))
        self.assertEqual(fields("w | summarize n = count() by status, user"
                                " | partition by user (summarize m = max(n))"),
                         ([], {"m": "max"}))

    def test_aggregates_that_clients_do_not_know_are_told_without_a_name(self):
        for call, name in (("presence(*)", None), ("presence(d, user)", None), ("make_bag(pack(user, d))", None),
                           ("take_any(d)", None), ("phrases(user, 2)", None), ("covariance(d, d)", None),
                           ("dcount(user)", "distinct"), ("variance(d)", "variance"), ("max(d)", "max")):
            fields = self.ask("w | summarize x = " + call)["tables"][0]["fields"]
            self.assertEqual([each.get("agg", {}).get("name") for each in fields], [name], call)

    def test_virtual_and_map_fields_go_along_with_the_events(self):
        made = self.server.call("POST", "/v2/vfields", {
            "dataset": "w", "name": "cost", "expression": "d * 10", "type": "number"})[1]
        self.server.call("POST", "/v2/datasets/w/mapfields", {"name": "attr"})
        for apl, column in (
                ("w | join kind=inner (w) on _time | project cost", 10),
                ("w | lookup (w | project _time, s = status) on _time | project cost, attr.x", 10),
                ("w | partition by user (where cost > 20 | project cost, attr.x)", 8),
                ("w | mv-apply x = pack_array(1, 2) to typeof(long) on (where cost > 20 | project x)",
                 16),
                ("w | top-nested 1 of user by sum(cost)", 1),
                ("w | sort by _time asc | scan with (step s: cost > 20 and isnull(attr.x);)", 8),
                ("w | project c = column_ifexists('cost', 0.0), status | where c > 20", 8)):
            table = self.ask(apl)["tables"][0]
            self.assertEqual(len(table["columns"][0]), column, apl)
        self.server.call("DELETE", "/v2/vfields/" + made["id"])
        self.server.call("DELETE", "/v2/datasets/w/mapfields/attr")

    def test_a_search_of_several_datasets_knows_the_virtual_fields_of_each(self):
        self.server.call("POST", "/v1/ingest/plain", [{"_time": minute(3), "word": "plain"}])
        made = self.server.call("POST", "/v2/vfields", {
            "dataset": "w", "name": "cost", "expression": "d * 10", "type": "number"})[1]
        for apl, rows in (
                ("search in (w, plain) cost == 30 | project cost", [30]),
                ("search in (plain, w) cost == 30 or word == 'plain' | project cost", [None, 30]),
                ("find in (plain, w) where cost > 120 project cost", [135]),
                ("union plain, w | where cost == 30 | project cost", [30])):
            columns = self.ask(apl)["tables"][0]["columns"][-1]
            self.assertEqual(sorted(columns, key=str, reverse=True), rows, apl)
        for gone in ("distinct *", "summarize arg_max(_time, *)"):
            status, answer = self.server.call("POST", "/v1/query/_apl", {
                "apl": f"w | {gone} | where cost == 30"})
            self.assertEqual(status, 400)
            self.assertIn("it is a virtual field of 'w'", answer["message"])
        self.server.call("DELETE", "/v2/vfields/" + made["id"])

    def test_a_parameter_has_its_declared_type_whatever_the_request_writes(self):
        def given(declared, value, result):
            status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular", {
                "apl": f"declare query_parameters(p:{declared}); print r = {result}",
                "variables": {"p": value}})
            return answer["tables"][0]["columns"][0][0] if status == 200 else (status, answer["message"])
        for declared, value, result, expected in (
                ("datetime", "2024-05-14T10:00:00Z", "startofday(p)", "2024-05-14T00:00:00Z"),
                ("timespan", "1h30m", "p / 1m", 90), ("long", "2490", "p * 2", 4980),
                ("long", 5.0, "gettype(p)", "long"), ("real", 5, "gettype(p)", "real"),
                ("real", "1e3", "p", 1000), ("string", 5, "strlen(p)", 1),
                ("string", True, "p", "true"), ("string", "", "isempty(p)", True),
                ("bool", "true", "not(p)", False), ("dynamic", '["US","DE"]', "'DE' in (p)", True),
                ("dynamic", ["US", "DE"], "'DE' in (p)", True), ("dynamic", "US", "tostring(p)", "US"),
                ("long", None, "isnull(p)", True)):
            self.assertEqual(given(declared, value, result), expected, (declared, value))
        for declared, value, shown in (
                ("long", "abc", "'abc'"), ("long", 5.5, "5.5"), ("long", True, "true"), ("long", "", "''"),
                ("datetime", "soon", "'soon'"), ("datetime", 5, "5"), ("timespan", 60, "60"),
                ("bool", "maybe", "'maybe'"), ("real", [1], "[1]"), ("string", {"a": 1}, '{"a":1}')):
            status, message = given(declared, value, "p")
            self.assertEqual(status, 400, message)
            self.assertIn(f"the parameter 'p' must be a {declared}; the request gives {shown}", message)

    def test_blocks_and_rows_are_counted_alike(self):
        for part in range(3):  # a chunk each
            self.server.call("POST", "/v1/ingest/parts", [
                {"_time": f"2024-05-01T0{part}:00:00Z", "n": 10 * part + i} for i in range(10)])
        counters = lambda apl: tuple(self.ask(apl)["status"][name] for name in (
            "blocksExamined", "blocksMatched", "rowsExamined", "rowsMatched"))
        for apl, expected in (("parts", (3, 3, 30, 30)), ("parts | limit 2", (3, 3, 30, 30)),
                              ("parts | count", (3, 3, 30, 30)),
                              ("parts | where n > 1000", (3, 0, 30, 0)),
                              ("parts | where n >= 25", (3, 1, 30, 5)),
                              ("parts | where _time < datetime(2024-05-01T01:00:00Z)", (1, 1, 10, 10))):
            self.assertEqual(counters(apl), expected, apl)

    def test_what_subqueries_match_is_not_counted(self):
        for form in ("tabular", "legacy"):
            status = self.ask("w | where d > toscalar(w | summarize avg(d) by user | summarize max(avg_d))",
                              form)["status"]
            self.assertEqual((status["rowsMatched"], status["numGroups"]), (4, 0))
            self.assertGreaterEqual(status["rowsExamined"], 10)

    def test_rows_made_from_no_events_all_match(self):  # the CLI shows nothing where nothing matched
        for apl, rows in (("print 1", 1), ("range i from 1 to 3 step 1", 3), ("w | count | getschema", 1),
                          ("w | project user, d | getschema", 2), ("print toscalar(w | count)", 1),
                          ("union (print 1), (print 2)", 2), ("w | where false | count", 0),
                          ("let t = materialize(w | where d > 1e9); t | count", 0),
                          ("print 1 | join kind=inner (w | where false) on $left.print_0 == $right.d", 0),
                          ("let t = datatable(k:string)['a', 'b']; "
                           "union t, (w | where false | project k = 'x')", 2),
                          ("w | where d > 1e9 | union (print a = 1)", 1),
                          ("range i from 1 to 3 step 1 | join kind=leftouter "
                           "(w | where false | summarize c = count() by i = toint(d)) on i", 3)):
            self.assertEqual(self.ask(apl)["status"]["rowsMatched"], rows, apl)

    def test_an_answer_without_fields_has_a_column_that_is_empty(self):
        # Axiom's library for JavaScript reads the number of rows off the first one.
        for apl in ("datatable(a:long)[1] | project-away a", "w | project user | project-away user"):
            table = self.ask(apl)["tables"][0]
            self.assertEqual((table["fields"], table["columns"]), ([], [[]]), apl)

    def test_the_range_is_what_was_asked_or_what_there_is(self):
        span = lambda answer: tuple(answer["tables"][0]["range"][end] for end in ("start", "end"))
        self.assertEqual(span(self.ask("w", startTime=minute(1), endTime=minute(20))),
                         (minute(1), minute(20)))
        self.assertEqual(span(self.ask("w | where status > 9999")), (minute(0), minute(9)))
        self.assertEqual(span(self.ask("w | summarize count() by bin(_time, 5m)",
                                       startTime=minute(1), endTime=minute(9))),
                         (minute(0), minute(10)))
        self.assertNotIn("range", self.ask("print x = 1")["tables"][0])

    def test_a_time_series_has_totals(self):
        answer = self.ask("w | summarize n = count(), avg(d) by bin(_time, 5m), user",
                          startTime=minute(1), endTime=minute(9))
        series, totals = answer["tables"]
        self.assertEqual(series["buckets"], {"field": "_time", "size": 300 * 10**9})
        self.assertEqual(series["groups"], [{"name": "_time"}, {"name": "user"}])
        self.assertEqual(series["order"], [{"field": "_time", "desc": False},
                                           {"field": "n", "desc": True}])
        self.assertEqual(totals["name"], "_totals")
        self.assertEqual(totals["groups"], [{"name": "user"}])
        self.assertEqual(totals["order"], [{"field": "n", "desc": True}])
        self.assertNotIn("buckets", totals)
        self.assertEqual([field["name"] for field in totals["fields"]], ["user", "n", "avg_d"])
        self.assertEqual(totals["columns"], [["u1", "u0"], [5, 4], [7.5, 7.5]])
        # The bin need not come first, may have a name, and may be sorted by.
        answer = self.ask("w | summarize count() by user, t = bin(_time, 5m) | sort by t desc")
        self.assertEqual(answer["tables"][1]["columns"], [["u0", "u1"], [5, 5]])
        answer = self.ask("w | summarize count() by bin_auto(_time)", startTime=minute(0),
                          endTime=minute(9))
        self.assertEqual(answer["tables"][0]["buckets"]["field"], "_time")
        self.assertEqual(answer["tables"][1]["columns"], [[10]])
        answer = self.ask("w | summarize count() by floor(_time, 5m)")
        self.assertEqual(answer["tables"][0]["buckets"], {"field": "_time", "size": 300 * 10**9})
        self.assertEqual(answer["tables"][1]["columns"], [[10]])
        widths = {None: 10_000, 1: 600_000, 2: 300_000, 3: 300_000, 10000: 100}
        for bins, milliseconds in widths.items():
            asked = {} if bins is None else {"maxBinAutoGroups": bins}
            answer = self.ask("w | summarize count() by bin_auto(_time)", startTime=minute(0),
                              endTime=minute(9), **asked)
            self.assertEqual(answer["tables"][0]["buckets"]["size"], milliseconds * 10**6, bins)
        for bins in (0, 10001, -1, 1.5, "15"):
            status, answer = self.server.call("POST", "/v1/query/_apl?format=tabular",
                                              {"apl": "w | count", "maxBinAutoGroups": bins})
            self.assertEqual((status, "maxBinAutoGroups" in answer["message"]), (400, True), answer)
        answer = self.ask("w | summarize count() by (a, b) = pack_array(user, status % 2),"
                          " bin(_time, 5m) | sort by a asc, b asc")
        self.assertEqual(answer["tables"][1]["columns"],
                         [["u0", "u0", "u1", "u1"], [0, 1, 0, 1], [4, 1, 3, 2]])
        # A chart's limit of groups, and what leaves the groups as they are.
        binned = "w | summarize n = count(), avg(d) by bin(_time, 5m), user"
        for after in ("| limit 1", "| take 1 | sort by _time desc | render timechart",
                      "| where user == 'u0'", "| limit 1 | extend twice = n * 2 | project-away twice"):
            answer = self.ask(f"{binned} {after}")
            self.assertEqual([table["columns"][1] for table in answer["tables"][:1]], [["u0", "u0"]], after)
            self.assertEqual(answer["tables"][1]["columns"], [["u0"], [5], [6.0]], after)
        answer = self.ask(f"{binned} | project n, who = user, t = _time, twice = n * 2 | sort by who asc")
        self.assertEqual(answer["tables"][1]["columns"], [[5, 5], ["u0", "u1"], [10, 10]])
        self.assertEqual(answer["tables"][1]["groups"], [{"name": "who"}])
        answer = self.ask("w | summarize count() by bin(_time, 5m) | take 1")
        self.assertEqual([table["columns"][-1] for table in answer["tables"]], [[5], [10]])
        # What may leave out a part of a group's rows, or makes others: no totals then.
        for after in ("where n > 1", "where _time > ago(1d)", "sort by n desc | take 1", "project n",
                      "extend h = bin(_time, 1h)", "distinct user"):
            self.assertEqual(len(self.ask(f"{binned} | {after}")["tables"]), 1, after)
        self.assertEqual(len(self.ask("w | summarize count() by user")["tables"]), 1)

    def test_legacy_series_and_totals(self):
        buckets = self.ask("w | summarize n = count() by bin(_time, 5m), user", "legacy")["buckets"]
        self.assertEqual([(one["startTime"], one["endTime"]) for one in buckets["series"]],
                         [(minute(0), minute(5)), (minute(5), minute(10))])
        totals = {total["group"]["user"]: total for total in buckets["totals"]}
        self.assertEqual(totals["u0"]["aggregations"], [{"op": "n", "value": 5}])
        for interval in buckets["series"]:
            for group in interval["groups"]:
                self.assertEqual(group["id"], totals[group["group"]["user"]]["id"])
                self.assertEqual(set(group["group"]), {"user"})
        limited = self.ask("w | summarize n = count() by bin(_time, 5m), user | limit 1", "legacy")["buckets"]
        self.assertEqual(limited["totals"], [{"id": limited["totals"][0]["id"], "group": {"user": "u0"},
                                              "aggregations": [{"op": "n", "value": 5}]}])
        self.assertEqual([len(interval["groups"]) for interval in limited["series"]], [1, 1])
        moved = self.ask("w | summarize n = count() by bin(_time, 5m), user | project n, user, _time",
                         "legacy")["buckets"]
        self.assertEqual([total["aggregations"] for total in moved["totals"]], [[{"op": "n", "value": 5}]] * 2)
        status, answer = self.server.call("POST", "/v1/datasets/w/query", {
            "startTime": minute(0), "endTime": minute(9), "resolution": "auto", "limit": 1,
            "aggregations": [{"op": "count", "field": "*"}], "groupBy": ["user"]})
        self.assertEqual(status, 200, answer)
        # The limit is one of groups, and cuts no series short.
        self.assertEqual([total["aggregations"] for total in answer["buckets"]["totals"]],
                         [[{"op": "COUNT", "value": 5}]])
        self.assertGreater(len(answer["buckets"]["series"]), 1)
        for interval in answer["buckets"]["series"]:
            self.assertEqual([group["group"] for group in interval["groups"]],
                             [answer["buckets"]["totals"][0]["group"]])
        for resolution, expected in (("60s", 200), ("300", 200), ("", 200), ("1d", 200), ("1w", 200), ("1d12h", 200),
                                     ("1.5h", 200), ("5min", 200), ("01:00:00", 200), ("2.00:00:00", 200),
                                     ("1h0m0s", 200), ("soon", 400), ("-5m", 400), ("-1d", 400), ("0d", 400)):
            self.assertEqual(self.server.call("POST", "/v1/datasets/w/query", {
                "resolution": resolution, "aggregations": [{"op": "count", "field": "*"}]})[0],
                expected, resolution)

    def test_legacy_events_keep_their_times_whatever_is_projected(self):
        whole = self.ask("w | take 3", "legacy")["matches"]
        bare = self.ask("w | take 3 | project status", "legacy")["matches"]
        for one, other in zip(whole, bare):
            for name in ("_time", "_sysTime", "_rowId"):
                self.assertEqual(one[name], other[name])
            self.assertEqual(list(other["data"]), ["status"])
        status, answer = self.server.call("POST", "/v1/datasets/w/query", {
            "limit": 1, "project": [{"field": "geo.city", "alias": "city"}]})
        self.assertEqual((status, answer["matches"][0]["data"]), (200, {"city": "x"}))
        self.assertEqual(answer["matches"][0]["_sysTime"], whole[0]["_sysTime"])

    def test_legacy_events_keep_their_times_whatever_is_put_in_their_place(self):
        whole = self.ask("w | take 1", "legacy")["matches"][0]
        for name, value in (("_time", 5), ("_sysTime", "x")):
            text = json.dumps(value)
            found = self.ask(f"w | take 1 | extend {name} = {text}", "legacy")["matches"][0]
            self.assertEqual((found["_time"], found["_sysTime"]), (whole["_time"], whole["_sysTime"]))
            self.assertEqual(found["data"][name], value)
            self.assertNotIn(name, whole["data"])
            status, answer = self.server.call("POST", "/v1/datasets/w/query", {
                "limit": 1, "virtualFields": [{"alias": name, "expr": text}]})
            self.assertEqual(status, 200, answer)
            match = answer["matches"][0]
            self.assertEqual((match["_time"], match["_sysTime"]), (whole["_time"], whole["_sysTime"]))
            self.assertEqual(match["data"][name], value)
        # A time that was worked out is one.
        found = self.ask("w | take 1 | extend _time = datetime(2020-01-01)", "legacy")["matches"][0]
        self.assertEqual(found["_time"], "2020-01-01T00:00:00Z")
        self.assertNotIn("_time", found["data"])

    def test_legacy_totals_have_ids_of_their_own(self):
        for query in ("datatable(a: long) [1, 1, 2]", "w | summarize n = count() by user | project n",
                      "w | summarize n = count() by user"):
            totals = self.ask(query, "legacy")["buckets"]["totals"]
            self.assertGreater(len(totals), 1)
            self.assertEqual([total["id"] for total in totals], list(range(1, len(totals) + 1)), query)

    def test_fields_are_described(self):
        self.server.call("PUT", "/v2/datasets/w/fields/d", {"unit": "ms", "description": "duration"})
        self.server.call("POST", "/v1/ingest/mixed", [{"v": 1}, {"v": 2.5}, {"v": "x"}])
        fields = {field["name"]: field for field in self.ask("w")["fieldsMetaMap"]["w"]}
        self.assertEqual(fields["d"], {"name": "d", "type": "float", "unit": "ms", "hidden": False,
                                       "description": "duration"})
        answer = self.ask("union w, mixed | project d, v")
        self.assertEqual([field["name"] for field in answer["fieldsMetaMap"]["w"]], ["d"])
        self.assertNotIn(answer["fieldsMetaMap"]["mixed"][0]["type"], ("integer", "float"))
        self.assertEqual(self.ask("w | summarize d = max(d)")["fieldsMetaMap"]["w"], [])
        # A column of several types is never declared a number.
        types = {field["name"]: field["type"] for field in self.ask("mixed")["tables"][0]["fields"]}
        self.assertNotIn(types["v"], ("integer", "float"))

    def test_a_cursor_column_when_asked_for(self):
        table = self.ask("w | take 2", includeCursorField=True)["tables"][0]
        names = [field["name"] for field in table["fields"]]
        cursors = table["columns"][names.index("_cursor")]
        page = self.ask("w | take 1", cursor=cursors[0])["tables"][0]
        again = [field["name"] for field in page["fields"]].index("_time")
        self.assertEqual(page["columns"][again], [minute(8)])
        page = self.ask("w | take 1", cursor=cursors[0], includeCursor=True)["tables"][0]
        self.assertEqual(page["columns"][again], [minute(9)])

    def test_fields_of_several_scalar_types_say_which(self):
        call = self.server.call
        call("POST", "/v1/ingest/kinds", [{"m": 1, "b": True, "l": [1]}, {"m": "two", "b": 2.5, "l": 1},
                                          {"m": None}])
        call("POST", "/v1/ingest/kinds", [{"n": 1, "m": 3}])
        call("POST", "/v1/ingest/kinds", [{"n": "x"}])
        expected = {"m": "integer|string", "b": "boolean|float", "l": "integer|array",
                    "n": "integer|string"}
        for _ in range(2):
            listed = call("GET", "/v2/datasets/kinds/fields")[1]
            self.assertEqual({f["name"]: f["type"] for f in listed if f["name"] in expected}, expected)
            answer = self.ask("['kinds'] | project m, b, l, n, s = toint(1)")
            self.assertEqual({f["name"]: f["type"] for f in answer["tables"][0]["fields"]},
                             {**expected, "s": "integer"})
            self.assertEqual({f["name"]: f["type"] for f in answer["fieldsMetaMap"]["kinds"]}, expected)
            # Merging blocks makes nothing of it.
            self.assertEqual(call("POST", "/v2/datasets/kinds/vacuum", {})[0], 200)
        answer = self.ask("['kinds'] | where n == 'x' | project n, m")
        self.assertEqual([f["type"] for f in answer["tables"][0]["fields"]], ["string", "array"])

    def union_pages(self, union, order, size, after_two=None):
        """The cursors of all rows, page by page."""
        seen, cursor, pages = [], "", 0
        while True:
            answer = self.ask(f"{union} | sort by _time {order} | limit {size}", cursor=cursor,
                              includeCursorField=True)
            self.assertGreaterEqual(answer["status"]["rowsMatched"], 18)
            seen += answer["tables"][0]["columns"][-1]
            last = answer["status"]["maxCursor" if order == "asc" else "minCursor"]
            if last == cursor:
                return seen
            cursor = last
            pages += 1
            if pages == 2 and after_two:
                after_two()

    def test_pages_of_a_union_hold_every_row_once(self):
        call = self.server.call
        times = [minute(m) for m in (1, 1, 2, 2, 2, 3)]
        for name in ("left", "right", "middle"):
            for part in (times[:4], times[4:]):
                call("POST", "/v1/ingest/" + name, [{"_time": t, "n": i} for i, t in enumerate(part)])
        union = "union left, right, (middle | where n >= 0)"
        for order in ("asc", "desc"):
            whole = self.ask(f"{union} | sort by _time {order} | limit 100", includeCursorField=True)
            cursors = whole["tables"][0]["columns"][-1]
            self.assertEqual(cursors, sorted(set(cursors), reverse=order == "desc"))
            self.assertEqual(len(cursors), 18)
            for size in (1, 4, 5):
                self.assertEqual(self.union_pages(union, order, size), cursors, (order, size))

        def arrive():  # behind the pages that were read, and as other blocks
            self.assertEqual(call("POST", "/v1/ingest/left", [{"_time": minute(0)}])[0], 200)
            for name in ("left", "right", "middle"):
                self.assertEqual(call("POST", f"/v2/datasets/{name}/vacuum", {})[0], 200)

        self.assertEqual(self.union_pages(union, "asc", 5, arrive), cursors[::-1])
        single = self.ask("left | sort by _time desc | limit 1")["status"]["maxCursor"]
        status, answer = call("POST", "/v1/query/_apl", {"apl": union, "cursor": single})
        self.assertEqual((status, "cursor" in answer["message"]), (400, True), answer)

    def test_a_batch_is_answered_as_events(self):
        status, raw = self.server.call("POST", "/v1/query/batch?maxConcurrency=4", [
            {"queryId": "a", "aplRequest": {"apl": "w | count"}},
            {"queryId": "b", "aplRequest": {"apl": "w | wher"}},
            {"queryId": "c", "aplRequest": {"apl": "w", "startTime": minute(8)}}])
        self.assertEqual(status, 200)
        self.assertEqual(self.server.headers["Content-Type"], "text/event-stream")
        events = raw.decode().split("\n\n")
        self.assertEqual(events.pop(), "")
        events = [json.loads(event.removeprefix("data: ")) for event in events]
        self.assertEqual([event["queryId"] for event in events], ["a", "b", "c"])
        self.assertEqual({event["kind"] for event in events}, {"apl"})
        self.assertEqual(events[0]["data"]["tables"][0]["columns"], [[10]])
        self.assertEqual(events[1]["error"]["code"], 400)
        self.decode_strictly(events[2]["data"])
        status, raw = self.server.call("POST", "/v1/query/batch", [
            {"queryId": "m", "mplRequest": {"mpl": "`metrics`:`cpu`"}},
            {"queryId": "a", "aplRequest": {"apl": "w | count"}}])
        events = [json.loads(line.removeprefix("data: ")) for line in raw.decode().split("\n\n") if line]
        self.assertEqual([(event["queryId"], event["kind"], "data" in event) for event in events],
                         [("m", "mpl", False), ("a", "apl", True)])
        self.assertEqual(events[0]["error"]["code"], 404)
        both = {"queryId": "a", "aplRequest": {"apl": "w"}, "mplRequest": {"mpl": "m"}}
        self.assertEqual(self.server.call("POST", "/v1/query/batch", [both])[0], 400)
        self.assertEqual(self.server.call("POST", "/v1/query/batch", b"")[0], 422)
        for wrong in ("0", "21", "-1", "x"):
            self.assertEqual(self.server.call("POST", "/v1/query/batch?maxConcurrency=" + wrong, [])[0],
                             400, wrong)
        self.assertEqual(self.server.call("POST", "/v1/query/batch", {"queryId": "a"})[0], 400)
        self.assertEqual(self.server.call("POST", "/v1/query/batch", [{"queryId": "a"}])[0], 400)

    def test_long_answers_are_sent_in_chunks(self):
        lines = "\n".join(json.dumps({"n": n, "text": "x" * 100}) for n in range(60000))
        self.server.call("POST", "/v1/ingest/long", lines, {"Content-Type": "application/x-ndjson"})
        answer = self.ask("long | project n, text", limit=100000)
        self.assertEqual(self.server.headers["Transfer-Encoding"], "chunked")
        self.assertTrue(answer["status"]["isPartial"])  # the server gives 50,000 rows at most
        self.assertEqual(len(set(answer["tables"][0]["columns"][0])), 50000)
        legacy = self.ask("long | project n, text | limit 5000", "legacy")
        self.assertEqual(len(legacy["matches"]), 5000)
        self.assertFalse(legacy["status"]["isPartial"])
        # HTTP/1.0 knows no chunks: the end of the connection is the end of the answer.
        body = json.dumps({"apl": "long | limit 5000"})
        raw = self.server.raw((f"POST /v1/query/_apl HTTP/1.0\r\nContent-Length: {len(body)}\r\n"
                               f"\r\n{body}").encode())
        head, _, text = raw.partition(b"\r\n\r\n")
        self.assertNotIn(b"chunked", head)
        self.assertEqual(len(json.loads(text)["matches"]), 5000)

    def test_an_abandoned_answer_harms_nobody(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("POST", "/v1/query/_apl", json.dumps({"apl": "w"}))
        connection.sock.close()
        self.assertEqual(self.server.call("GET", "/healthz")[0], 200)

    def test_senders_to_loki_find_the_server_ready(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request("GET", "/ready")
        answer = connection.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b"ready\n"))
        self.assertTrue(answer.getheader("Content-Type").startswith("text/plain"))
        connection.close()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
