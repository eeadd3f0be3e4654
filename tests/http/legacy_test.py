#!/usr/bin/env python3
"""The older query endpoint, whose requests name fields in many members: where aliases count, and how
errors name the member that is wrong.

Usage: legacy_test.py EVQ.
"""

import unittest

from evq_server import ServerCase

RANGE = {"startTime": "2024-05-01T00:00:00Z", "endTime": "2024-05-01T01:00:00Z"}


class Legacy(ServerCase):
    @classmethod
    def fill(cls):
        cls.server.call("POST", "/v1/ingest/w", [
            {"_time": f"2024-05-01T00:0{i}:00Z", "n": i, "user": f"u{i % 3}", "geo": {"city": "xyz"[i % 3]},
             "swap": 10 - i} for i in range(6)])
        cls.server.call("POST", "/v1/ingest/deep", [
            {"_time": f"2024-05-01T00:0{i}:00Z", "i": i, **members} for i, members in enumerate((
                {"n": {"x": 1}}, {"n": {"y": {"z": 2}}}, {"n": 3}, {"nn": {"x": 1}}, {"k": {"a.b": 1}},
                {"n": 4, "n.x": 5}, {"k": {}}))])
        # Fields of events before the map, of which the later ones keep a part of that name.
        cls.server.call("POST", "/v1/ingest/mixed", [{"_time": "2024-05-01T00:00:00Z", "a": 1, "m": {"k": 1}}])
        for dataset in ("maps", "mixed"):
            cls.server.call("POST", "/v2/datasets", {"name": dataset})
            cls.server.call("POST", f"/v2/datasets/{dataset}/mapfields", {"name": "m"})
            cls.server.call("POST", f"/v1/ingest/{dataset}", [
                {"_time": "2024-05-01T00:01:00Z", "a": 2, "m": {"k": 2, "z": {"y": 3}, "app.io/x": "dots"}},
                {"_time": "2024-05-01T00:02:00Z", "a": 3, "m": {"k": 1}}])

    def ask(self, dataset="w", **members):
        status, answer = self.server.call("POST", f"/v1/datasets/{dataset}/query", {**RANGE, **members})
        self.assertEqual(status, 200, answer)
        return answer

    def rows(self, **members):
        return [match["data"] for match in self.ask(**members)["matches"]]

    def totals(self, **members):
        return [(total["group"], [each["value"] for each in total["aggregations"]])
                for total in self.ask(**members)["buckets"]["totals"]]

    def test_filters_and_orders_name_fields_or_their_aliases(self):
        project = [{"field": "n", "alias": "number"}, {"field": "geo.city", "alias": "city"}]
        above = [{"number": i, "city": "xyz"[i % 3]} for i in (5, 4)]
        for field in ("number", "n"):
            for order in ("number", "n"):
                self.assertEqual(self.rows(
                    project=project, filter={"op": ">", "field": field, "value": 3},
                    order=[{"field": order, "desc": True}]), above, (field, order))
        # In a tree of filters, and where it is asked whether there is such a field.
        self.assertEqual(self.rows(project=project, order=[{"field": "n"}], filter={
            "op": "and", "children": [{"op": "exists", "field": "city"},
                                      {"op": "not", "children": [
                                          {"op": "==", "field": "city", "value": "y"}]},
                                      {"op": "<", "field": "number", "value": 3}]}),
            [{"number": 0, "city": "x"}, {"number": 2, "city": "z"}])
        self.assertEqual(self.rows(project=project, filter={"op": "not-exists", "field": "city"}), [])

    def test_an_object_exists_where_one_of_its_members_does(self):
        for field, expected in (("n", [0, 1, 2, 5]), ("n.y", [1]), ("n.x", [0, 5]), ("nn", [3]), ("k", [4]),
                                ("none", []), ("i", [0, 1, 2, 3, 4, 5, 6])):
            for op, wanted in (("exists", expected), ("not-exists", sorted(set(range(7)) - set(expected)))):
                for each in ({"op": op, "field": field},
                             {"op": "and", "children": [{"op": ">=", "field": "i", "value": 0},
                                                        {"op": op, "field": field}]},
                             {"op": "not", "children": [{"op": "not", "children": [
                                 {"op": op, "field": field}]}]}):
                    rows = self.rows(dataset="deep", filter=each, order=[{"field": "i"}])
                    self.assertEqual([row["i"] for row in rows], wanted, each)
        # A virtual field is no object.
        rows = self.rows(dataset="deep", filter={"op": "exists", "field": "nn"},
                         virtualFields=[{"alias": "nn", "expr": "toint(iff(i > 4, '1', ''))"}])
        self.assertEqual(sorted(row["i"] for row in rows), [5, 6])

    def test_a_value_beside_an_object_of_its_name_is_kept_and_so_are_the_members(self):
        rows = self.rows(dataset="deep", filter={"op": "exists", "field": "n"}, order=[{"field": "i"}])
        self.assertEqual([{"n": row.pop("n"), **row} for row in rows], [
            {"n": {"x": 1}, "i": 0}, {"n": {"y": {"z": 2}}, "i": 1}, {"n": 3, "i": 2},
            {"n": 4, "n.x": 5, "i": 5}])
        for columns, data in (
                ("a = n, ['a.b'] = 'kept'", {"a": 4, "a.b": "kept"}),
                ("['a.b'] = 'kept', a = n", {"a": 4, "a.b": "kept"}),
                ("x.a = n, ['x.a.b.c'] = 1, ['x.a.b'] = 2, ['x.d'] = 3",
                 {"x": {"a": 4, "a.b": 2, "a.b.c": 1, "d": 3}}),
                ("a = n, ['a.b'] = 1, ['a\\\\.b'] = 2", {"a": 4, "a.b": 2, "a.b1": 1}),
                ("a = toint('none'), ['a.b'] = 1, c = n", {"a": {"b": 1}, "c": 4})):
            columns = columns.replace("x.a =", "['x.a'] =")
            answer = self.server.query(f"w | where n == 4 | project {columns}", "legacy")
            self.assertEqual(answer["matches"][0]["data"], data, columns)

    def test_an_order_may_name_what_is_left_out(self):
        project = [{"field": "user"}]
        self.assertEqual(self.rows(project=project, limit=2, order=[{"field": "n", "desc": True}]),
                         [{"user": "u2"}, {"user": "u1"}])
        self.assertEqual(self.rows(project=project, limit=3, order=[
            {"field": "geo.city"}, {"field": "swap"}]), [{"user": "u0"}, {"user": "u0"}, {"user": "u1"}])
        # What is left out is no member of an event.
        self.assertEqual(self.rows(project=project, virtualFields=[{"alias": "less", "expr": "-n"}],
                                   order=[{"field": "less"}], limit=1), [{"user": "u2"}])

    def test_an_alias_means_its_field_wherever_another_has_its_name(self):
        project = [{"field": "n", "alias": "swap"}, {"field": "swap", "alias": "n"}]
        self.assertEqual(self.rows(project=project, filter={"op": "<", "field": "swap", "value": 2},
                                   order=[{"field": "n"}]), [{"swap": 1, "n": 9}, {"swap": 0, "n": 10}])
        self.assertEqual(
            self.rows(project=[{"field": "_time", "alias": "when"}], limit=1, order=[{"field": "when"}]),
            [{"when": "2024-05-01T00:00:00Z"}])

    def test_aggregations_and_groups_name_aliases(self):
        members = {
            "project": [{"field": "n", "alias": "number"}, {"field": "user", "alias": "who"}],
            "aggregations": [{"op": "sum", "field": "number"}, {"op": "argmax", "field": "number",
                                                                "argument": "who", "alias": "top"}]}
        for group in ("who", "user"):
            for order in ("who", "user"):
                found = self.totals(**members, groupBy=[group], order=[{"field": order, "desc": True}])
                self.assertEqual([(total, values[0]) for total, values in found],
                                 [({group: f"u{i}"}, 3 + 2 * i) for i in (2, 1, 0)], (group, order))
        for order in ("number", "n", "SUM", "sum"):
            found = self.totals(**members, groupBy=["who"], order=[{"field": order, "desc": False}])
            self.assertEqual([values[0] for _, values in found], [3, 5, 7], order)

    def test_each_aggregation_is_called_by_its_alias_or_its_operator(self):
        count, total = {"op": "count", "field": "*"}, {"op": "sum", "field": "n"}
        for aggregations, names, values in (
                ([count, count], ["COUNT", "COUNT"], [6, 6]),
                ([count, total, total], ["COUNT", "SUM", "SUM"], [6, 15, 15]),
                ([{**count, "alias": "x"}, {**total, "alias": "x"}], ["x", "x"], [6, 15]),
                ([{**total, "alias": "COUNT"}, count, {**total, "alias": "COUNT 2"}],
                 ["COUNT", "COUNT", "COUNT 2"], [15, 6, 15])):
            answer = self.ask(aggregations=aggregations)
            found = answer["buckets"]["totals"][0]["aggregations"]
            self.assertEqual([each["op"] for each in found], names)
            self.assertEqual([each["value"] for each in found], values)
            answer = self.ask(aggregations=aggregations, resolution="1h")
            for group in answer["buckets"]["series"][0]["groups"] + answer["buckets"]["totals"]:
                self.assertEqual([each["op"] for each in group["aggregations"]], names)
        answer = self.ask(aggregations=[{**count, "alias": "user"}], groupBy=["user"])
        self.assertEqual([(each["group"], each["aggregations"]) for each in answer["buckets"]["totals"]],
                         [({"user": f"u{i}"}, [{"op": "user", "value": 2}]) for i in range(3)])

    def test_aggregations_up_to_a_limit(self):
        most = 10000
        for aggregations, name in (([{"op": "count", "alias": f"c{i}"} for i in range(most)], "c{}"),
                                   ([{"op": "count"}] * most, "COUNT")):
            found = self.ask(aggregations=aggregations)["buckets"]["totals"][0]["aggregations"]
            self.assertTrue(found == [{"op": name.format(i), "value": 6} for i in range(most)], name)
        status, answer = self.server.call("POST", "/v1/datasets/w/query",
                                          {**RANGE, "aggregations": [{"op": "count"}] * (most + 1)})
        self.assertEqual((status, answer["message"]), (400, "aggregations holds more than 10000 of them"))

    def test_virtual_fields_are_fields_of_every_member(self):
        virtual = [{"alias": "twice", "expr": "n * 2"}, {"alias": "more", "expr": "twice + 1"}]
        self.assertEqual(
            self.rows(virtualFields=virtual, filter={"op": ">", "field": "more", "value": 8},
                      project=[{"field": "more", "alias": "m"}], order=[{"field": "twice"}]),
            [{"m": 9}, {"m": 11}])
        self.assertEqual(
            self.totals(virtualFields=virtual, groupBy=["user", "v"], order=[{"field": "v"}],
                        project=[{"field": "more", "alias": "v"}], limit=2,
                        filter={"op": "<=", "field": "v", "value": 3},
                        aggregations=[{"op": "max", "field": "v"}]),
            [({"user": "u0", "v": 1}, [1]), ({"user": "u1", "v": 3}, [3])])

    def test_a_dotted_name_is_a_path_as_in_a_query(self):
        """Whatever reads m.k here and there sees the same events."""
        for dataset in ("maps", "mixed"):
            for op, value in (("==", 2), (">", 0), ("!=", 1), ("exists", None), ("not-exists", None)):
                apl = {"exists": "isnotnull(m.k)", "not-exists": "isnull(m.k)"}.get(op, f"m.k {op} {value}")
                wanted = self.server.query(f"{dataset} | where {apl} | project a", **RANGE)["tables"][0]
                found = self.rows(dataset=dataset, filter={"op": op, "field": "m.k", "value": value})
                self.assertEqual([event["a"] for event in found], wanted["columns"][0], (dataset, op))
            self.assertEqual([event["a"] for event in self.rows(
                dataset=dataset, order=[{"field": "m.k", "desc": True}], limit=2)], [2, 3])
            self.assertEqual(self.rows(dataset=dataset, limit=2, project=[
                {"field": "m.k"}, {"field": "m.z.y", "alias": "y"}]), [{"m": {"k": 1}}, {"m": {"k": 2}, "y": 3}])
            found = self.totals(dataset=dataset, groupBy=["m.k"], order=[{"field": "m.k"}], aggregations=[
                {"op": "sum", "field": "m.k"}, {"op": "max", "field": "m.z.y", "alias": "m.y"}])
            self.assertEqual(found[-2:], [({"m.k": 1}, [1, None]), ({"m.k": 2}, [2, 3])])
            found = self.ask(dataset=dataset, groupBy=["m.k"], resolution="1h", aggregations=[{"op": "count"}],
                             filter={"op": "exists", "field": "m.k"})["buckets"]
            self.assertEqual(sorted(total["group"]["m.k"] for total in found["totals"]), [1, 2])
        # One that no event has, below a map, and a key that has dots itself.
        self.assertEqual(self.rows(dataset="maps", filter={"op": "exists", "field": "m.none"}), [])
        for field in ("m.app.io/x", "m.app\\.io/x"):
            self.assertEqual(len(self.rows(dataset="maps", filter={"op": "==", "field": field, "value": "dots"})), 1)
            self.assertEqual(len(self.rows(dataset="maps", filter={"op": "exists", "field": field})), 1)
        # A virtual field of parts.
        virtual = [{"alias": "v", "expr": "bag_pack('k', n)"}]
        self.assertEqual(self.rows(virtualFields=virtual, project=[{"field": "v.k", "alias": "k"}],
                                   filter={"op": "==", "field": "v.k", "value": 4}), [{"k": 4}])

    def test_the_map_of_otlp_needs_no_declaration(self):
        text = lambda key, value: {"key": key, "value": {"stringValue": value}}
        span = {"traceId": "0" * 31 + "1", "spanId": "0" * 15 + "1", "name": "n",
                "startTimeUnixNano": "1714521600000000000", "endTimeUnixNano": "1714521600000000001",
                "attributes": [text("tier", "gold"), text("app.tier", "silver")]}
        status, _ = self.server.call("POST", "/v1/traces", {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]},
                                     {"X-Axiom-Dataset": "spans", "Content-Type": "application/json"})
        self.assertEqual(status, 200)
        for name, value in (("tier", "gold"), ("app.tier", "silver")):
            field = "attributes.custom." + name
            for op in ("==", "exists"):
                self.assertEqual(len(self.rows(dataset="spans", filter={
                    "op": op, "field": field, "value": value})), 1, (name, op))
            self.assertEqual(self.totals(dataset="spans", groupBy=[field], aggregations=[{"op": "count"}]),
                             [({field: value}, [1])])
        self.assertEqual(self.rows(filter={"op": "exists", "field": "attributes.custom.tier"}), [])

    def test_zero_values_are_not_given(self):
        zero = {"op": "", "field": "", "value": None, "caseSensitive": False, "children": None}
        three = {"op": "<", "field": "n", "value": 3}
        # As axiom-py sends them.
        self.assertEqual(self.totals(aggregations=[
            {"op": "sum", "field": "n", "alias": "", "argument": ""},
            {"op": "count", "field": "", "alias": "", "argument": ""},
            {"op": "max", "field": "n", "alias": "", "argument": []}],
            filter={"op": "and", "field": "", "value": "", "caseSensitive": False, "children": [three, zero]}),
            [({}, [3, 3, 2])])
        self.assertEqual(len(self.rows(filter={"op": "or", "children": [zero, three]})), 3)
        for nothing in (zero, {"op": "and"}, {"op": "or"}, {"op": "or", "children": None},
                        {"op": "or", "children": [zero]}, {"op": "and", "children": [{"op": "or"}]},
                        {"op": "and", "children": []}):
            self.assertEqual(len(self.rows(filter=nothing)), 6, nothing)
        # No alternative is true, which is another thing than no filter.
        self.assertEqual(self.rows(filter={"op": "or", "children": []}), [])
        self.assertEqual(self.rows(filter={"op": "and", "children": [three, {"op": "or", "children": []}]}), [])
        self.assertEqual(len(self.rows(order=[{"field": "", "desc": False}], groupBy=[""],
                                       project=[{"field": "", "alias": ""}])), 6)

    def test_a_limit_of_aggregations_is_one_of_groups(self):
        members = {"groupBy": ["user"], "limit": 2, "aggregations": [{"op": "sum", "field": "n"}],
                   "order": [{"field": "SUM", "desc": True}]}
        self.assertEqual(self.totals(**members), [({"user": "u2"}, [7]), ({"user": "u1"}, [5])])
        self.assertEqual(self.totals(groupBy=["user"], limit=2), [({"user": "u0"}, []), ({"user": "u1"}, [])])
        buckets = self.ask(**members, resolution="3m")["buckets"]
        self.assertEqual([total["group"]["user"] for total in buckets["totals"]], ["u2", "u1"])
        known = {total["id"]: total["group"] for total in buckets["totals"]}
        self.assertEqual(len(buckets["series"]), 2)
        for interval in buckets["series"]:
            self.assertEqual(sorted(group["group"]["user"] for group in interval["groups"]), ["u1", "u2"])
            for group in interval["groups"]:
                self.assertEqual(group["group"], known[group["id"]])
        # An interval that has none of these groups is left out, as one without events is.
        answer = self.ask(**{**members, "limit": 1}, resolution="1m")
        self.assertEqual([interval["startTime"] for interval in answer["buckets"]["series"]],
                         ["2024-05-01T00:02:00Z", "2024-05-01T00:05:00Z"])
        self.assertEqual(len(self.ask(**{**members, "limit": 0}, resolution="1m")["buckets"]["series"]), 6)

    def test_pages_whatever_is_projected(self):
        seen, cursor = [], ""
        for _ in range(4):
            answer = self.ask(project=[{"field": "n", "alias": "number"}], limit=2, cursor=cursor,
                              order=[{"field": "_time", "desc": False}])
            seen += [match["data"]["number"] for match in answer["matches"]]
            cursor = answer["status"]["maxCursor"]
            self.assertEqual(answer["status"]["rowsMatched"], 6)
        self.assertEqual(seen, list(range(6)))

    def test_errors_name_the_member_and_no_place_in_a_text(self):
        count = [{"op": "count", "field": "*"}]
        for member, body in (
                ("filter.field", {"filter": {"op": "==", "field": "nope", "value": 1}}),
                ("filter.children[1].field", {"filter": {"op": "and", "children": [
                    {"op": "==", "field": "n", "value": 1}, {"op": "<", "field": "nope", "value": 1}]}}),
                ("filter.children[0].children[0].op", {"filter": {"op": "or", "children": [
                    {"op": "not", "children": [{"op": "near", "field": "n", "value": 1}]}]}}),
                ("filter.value", {"filter": {"op": "regexp", "field": "user", "value": "("}}),
                ("filter.value", {"filter": {"op": "regexp", "field": "user", "value": 1}}),
                ("filter.field", {"filter": {"op": "=="}}),
                ("filter.children", {"filter": {"op": "not"}}),
                ("filter.children[0].value", {"filter": {"op": "and", "children": [
                    {"op": "==", "field": "n", "value": [1]}]}}),
                ("filter.children", {"filter": {"op": "and", "children": [7]}}),
                ("aggregations[1].field", {"aggregations": count + [{"op": "sum", "field": "nope"}]}),
                ("aggregations[1].field", {"aggregations": count + [{"op": "sum"}]}),
                ("aggregations[1].op", {"aggregations": count + [{"op": "median", "field": "n"}]}),
                ("aggregations[0].op", {"aggregations": [{"field": "n"}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "argmax", "field": "n", "argument": "nope"}]}),
                ("aggregations[1].argument", {"aggregations": count + [{"op": "topk", "field": "n"}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "topk", "field": "n", "argument": "3"}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "percentiles", "field": "n", "argument": ""}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "makeset", "field": "n", "argument": [1, 2]}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "argmax", "field": "n", "argument": {"field": "user"}}]}),
                ("aggregations[0].argument", {"aggregations": [
                    {"op": "sum", "field": "n", "argument": 5}]}),
                ("filter.op", {"filter": {"op": "", "field": "n", "value": 1}}),
                ("groupBy[1]", {"aggregations": count, "groupBy": ["user", "nope"]}),
                ("order[0].field", {"order": [{"field": "nope"}]}),
                ("order[1].field", {"aggregations": count, "groupBy": ["user"],
                                    "order": [{"field": "user"}, {"field": "nope"}]}),
                ("order[1].field", {"order": [{"field": "n"}, {"desc": True}]}),
                ("project[0].field", {"project": [{"field": "nope", "alias": "x"}]}),
                ("project[0].field", {"project": [{"field": "nope", "alias": "x"}],
                                      "filter": {"op": "==", "field": "n", "value": 1}}),
                ("virtualFields[1].expr", {"virtualFields": [{"alias": "a", "expr": "n"},
                                                             {"alias": "b", "expr": "nope + 1"}]}),
                ("virtualFields[0].expr", {"virtualFields": [{"alias": "a", "expr": "n +"}]}),
                ("virtualFields[0].alias", {"virtualFields": [{"expr": "n"}]})):
            status, answer = self.server.call("POST", "/v1/datasets/w/query", {**RANGE, **body})
            self.assertEqual(status, 400, answer)
            self.assertTrue(answer["message"].startswith((member + ": ", member + " ")), (member, answer))
            for place in ("line", "column", "length"):
                self.assertNotIn(place, answer.get("detail", {}), member)
        # A field that a member names by its alias is told of by that name's own member.
        status, answer = self.server.call("POST", "/v1/datasets/w/query", {
            **RANGE, "project": [{"field": "nope", "alias": "x"}], "order": [{"field": "x"}]})
        self.assertEqual(status, 400, answer)
        self.assertIn("'nope'", answer["message"])
        status, answer = self.server.call("POST", "/v1/datasets/none/query", RANGE)
        self.assertEqual((status, answer["message"].split(":")[0]), (404, "dataset not found"))

    def test_a_filter_of_groups_is_refused(self):
        body = {"aggregations": [{"op": "count", "alias": "c"}], "groupBy": ["user"]}
        for none in (None, {}, [], {"op": "", "field": "", "value": None}):
            self.assertEqual(len(self.totals(**body, having=none)), 3)
        for having in ({"op": ">", "field": "c", "value": 2}, "c > 2", [1], 0, {"field": "c"}):
            status, answer = self.server.call("POST", "/v1/datasets/w/query", {**RANGE, **body, "having": having})
            self.assertEqual(status, 400, having)
            self.assertIn("having is not supported", answer["message"])


if __name__ == "__main__":
    unittest.main(argv=["legacy_test"])
