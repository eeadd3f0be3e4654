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

    def ask(self, **members):
        status, answer = self.server.call("POST", "/v1/datasets/w/query", {**RANGE, **members})
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
                        project=[{"field": "more", "alias": "v"}], limit=1,
                        filter={"op": "<=", "field": "v", "value": 3},
                        aggregations=[{"op": "max", "field": "v"}]),
            [({"user": "u0", "v": 1}, [1]), ({"user": "u1", "v": 3}, [3])])

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
                ("aggregations[1]", {"aggregations": count + [{"op": "topk", "field": "n"}]}),
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
