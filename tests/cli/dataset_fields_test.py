"""Fields that a dataset has by definition: map fields, and virtual fields over the API."""

import json
import urllib.request

from evq_case import EvqCase, main


class DatasetFields(EvqCase):
    def rows(self, apl):
        return [json.loads(line) for line in self.out("-q", "query", apl).splitlines()]

    def define(self, **datasets):
        url, token, server = self.serve()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}
        for dataset, fields in datasets.items():
            for name, expression in fields.items():
                body = {"dataset": dataset, "name": name, "expression": expression}
                urllib.request.urlopen(urllib.request.Request(
                    url + "/v2/vfields", json.dumps(body).encode(), headers)).close()
        self.interrupt(server)

    def test_map_field(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","geo":{"city":"Rome"}}'])
        self.evq("dataset", "map-field", "add", "t", "geo")
        # Declared, but no event has it: the flattened field is all there is.
        self.assertEqual(self.rows("t | project a = geo.city, b = ['geo'].zip"),
                         [{"a": "Rome", "b": None}])
        self.ingest("t", ['{"_time":"2024-05-01T00:00:01Z","geo":{"city":"Oslo","a.b":{"c":1}}}'])
        self.assertEqual(
            self.rows("t | project flat = ['geo.city'], city = geo.city, city2 = ['geo']['city'], "
                      "c = ['geo']['a.b'].c"),
            [{"flat": None, "city": "Oslo", "city2": "Oslo", "c": 1},
             {"flat": "Rome", "city": None, "city2": None, "c": None}])
        self.assertEqual(self.rows("t | where geo.city == 'Oslo' | count"), [{"Count": 1}])
        self.assertEqual(self.rows("find in (t) where geo.city == 'Oslo' project geo.city, geo.none"),
                         [{"source_": "t", "geo.city": "Oslo", "geo.none": None}])

    def test_virtual_field(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","ms":1500,"path":"/a"}',
                          '{"_time":"2024-05-01T00:00:01Z","ms":20,"path":"/b"}'])
        self.define(t={"seconds": "ms / 1000.0 // of a request", "is slow": "seconds > 1",
                       "own": "own + 1", "broken": "nothing + 1"})
        self.assertEqual(self.rows("t | where ['is slow'] | project path, seconds"),
                         [{"path": "/a", "seconds": 1.5}])
        self.assertEqual(self.rows("t | extend path = 'x' | summarize sum(seconds) by ['is slow']"
                                   " | sort by sum_seconds asc"),
                         [{"is slow": False, "sum_seconds": 0.02},
                          {"is slow": True, "sum_seconds": 1.5}])
        self.assertNotIn("seconds", self.rows("t | take 1")[0])
        for name, text in (("own", "own"), ("broken", "the virtual field 'broken': unknown field"),
                           ("secnds", "did you mean 'seconds'?")):
            _, errors = self.evq("query", f"t | project x = {name}", status=None)
            self.assertIn(text, errors)

    def test_virtual_field_by_every_operator(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","id":1,"name":"Ann"}',
                          '{"_time":"2024-05-01T00:00:01Z","id":2,"name":"Bob"}'])
        self.ingest("u", ['{"_time":"2024-05-01T00:00:02Z","id":1,"name":"cy"}'])
        self.define(t={"low": "tolower(name)", "v.up": "toupper(name)", "bag": "bag_pack('k', name)"},
                    u={"low": "name"})
        # A dot in its name is no access.
        self.assertEqual(self.rows("t | where v.up == 'ANN' | project v.up, ['v.up'], bag.k"),
                         [{"v.up": "ANN", "v.up1": "ANN", "bag_k": "Ann"}])
        # Operators of lists of fields.
        for apl, rows in (
                ("t | project-keep low, id", [{"id": 2, "low": "bob"}, {"id": 1, "low": "ann"}]),
                ("t | project-reorder low | project-keep low, id",
                 [{"low": "bob", "id": 2}, {"low": "ann", "id": 1}]),
                ("t | project-rename x = low | project-keep x", [{"x": "bob"}, {"x": "ann"}]),
                ("t | project-away low, _*", [{"id": 2, "name": "Bob"}, {"id": 1, "name": "Ann"}]),
                ("t | project-by-names 'low', dynamic(['id', 'none'])",
                 [{"low": "bob", "id": 2}, {"low": "ann", "id": 1}]),
                ("t | redact 'n' on low | project-keep low", [{"low": "bob"}, {"low": "a**"}]),
                ("t | facet by low, v.up | project facet, value",
                 [{"facet": "low", "value": "ann"}, {"facet": "low", "value": "bob"},
                  {"facet": "v.up", "value": "ANN"}, {"facet": "v.up", "value": "BOB"}]),
                ("t | project-keep lo*", [{}, {}]),
                ("t | extend-valid low = iff(id == 1, '', 'new') | project low",
                 [{"low": "new"}, {"low": "ann"}]),
                # Searches of one field, which may be any value of a row.
                ("t | search low:'ann' or bag.k:'bo*' | project-keep id", [{"id": 2}, {"id": 1}]),
                ("search in (t, u) low:'ann' or low:'cy' | project id, low | sort by low asc",
                 [{"id": 1, "low": "ann"}, {"id": 1, "low": "cy"}]),
                ("find in (t, u) where id == 1 project low, v.up | sort by low asc",
                 [{"source_": "t", "low": "ann", "v.up": "ANN"},
                  {"source_": "u", "low": "cy", "v.up": None}])):
            self.assertEqual(self.rows(apl), rows, apl)
        for apl in ("t | project id | project-keep low", "t | count | facet by low"):
            _, errors = self.evq("query", apl, status=None)
            self.assertIn("unknown field", errors)

    def test_virtual_fields_that_name_themselves(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","ms":1}'])
        self.define(t={"own": "own + 1", "a": "ms + b", "b": "c * 2", "c": "ms + b", "inside": "own + own",
                       "under": "toscalar(t | summarize max(under))",
                       **{f"f{i}": f"f{i + 1} + 1" for i in range(40)}, "f40": "ms",
                       "deep": "shallow + 1", "shallow": "nothing"})
        for name, text in (
                ("own", "the virtual field 'own' refers to itself (own -> own)"),
                ("b", "the virtual field 'b' refers to itself (b -> c -> b)"),
                ("a", "the virtual field 'b' refers to itself (b -> c -> b)"),
                ("inside", "the virtual field 'own' refers to itself (own -> own)"),
                ("under", "the virtual field 'under' refers to itself (under -> under)"),
                ("f0", "the virtual field 'f0' leads to too many others"),
                ("deep", "the virtual field 'deep': the virtual field 'shallow': unknown field")):
            for query in (f"t | project x = {name}", f"t | union (t) | where {name} > 1"):
                _, errors = self.evq("query", query, status=None)
                self.assertIn(text, errors, query)
                if name != "deep":
                    self.assertEqual(errors.count("the virtual field"), 1, errors)
        self.assertEqual(self.rows("t | project f30"), [{"f30": 11}])

    def test_virtual_field_beside_other_tables(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","id":1,"ms":1500,'
                          '"more":"{\\"a\\":{\\"b\\":7}}"}',
                          '{"_time":"2024-05-01T00:00:01Z","id":2,"ms":20}'])
        self.ingest("u", ['{"_time":"2024-05-01T00:00:02Z","id":2,"ms":9000,"slow":true}',
                          '{"_time":"2024-05-01T00:00:03Z","id":3,"ms":4}'])
        self.define(t={"seconds": "ms / 1000.0", "slow": "seconds > 1", "own": "own + 1",
                       "parts": "parse_json(more)"},
                    u={"half": "ms / 2", "seconds": "'u'"})
        # Over a union each row's is that of its table.
        self.assertEqual(
            self.rows("t | union u | where isnotnull(seconds) | sort by _time asc"
                      " | project id, seconds, half"),
            [{"id": 1, "seconds": 1.5, "half": None}, {"id": 2, "seconds": 0.02, "half": None},
             {"id": 2, "seconds": "u", "half": 4500}, {"id": 3, "seconds": "u", "half": 2}])
        self.assertEqual(self.rows("union (t | where seconds > 1), u | where half > 1 | count"),
                         [{"Count": 2}])
        self.assertEqual(self.rows("union withsource=s t, u | summarize n = count() by half, s"
                                   " | sort by half asc"),
                         [{"half": None, "s": "t", "n": 2}, {"half": 2, "s": "u", "n": 1},
                          {"half": 4500, "s": "u", "n": 1}])
        # What is a column of another table is one column.
        self.assertEqual(self.rows("union t, u | sort by _time asc | project slow"),
                         [{"slow": True}, {"slow": False}, {"slow": True}, {"slow": None}])
        self.assertEqual(self.rows("let all = materialize(union t, u); all | where half == 2"
                                   " | project id"), [{"id": 3}])
        self.assertEqual(sorted(self.rows("union t, u | take 1")[0]),
                         ["_sysTime", "_time", "id", "more", "ms", "slow"])
        # On both sides of a join; what the left side has comes with a number.
        self.assertEqual(
            self.rows("t | join kind=leftouter u on id | sort by id asc"
                      " | project id, seconds, half, seconds1"),
            [{"id": 1, "seconds": 1.5, "half": None, "seconds1": None},
             {"id": 2, "seconds": 0.02, "half": 4500, "seconds1": "u"}])
        self.assertEqual(
            self.rows("u | join kind=rightouter t on id | sort by id1 asc"
                      " | project id1, half, seconds, parts.a.b"),
            [{"id1": 1, "half": None, "seconds": None, "parts_a_b": 7},
             {"id1": 2, "half": 4500, "seconds": "u", "parts_a_b": None}])
        self.assertEqual(self.rows("t | lookup u on id | where half > 0 | project half"),
                         [{"half": 4500}])
        self.assertEqual(self.rows("t | join u on $left.parts.a.b == $right.half | count"),
                         [{"Count": 0}])
        self.assertEqual(self.rows("t | project b = parts.a.b, c = parts['a'], d = parts.a['b'] + 1"
                                   " | where b == 7"), [{"b": 7, "c": {"b": 7}, "d": 8}])
        for query, text in (("t | union u | project own", "virtual field 'own'"),
                            ("t | union u | project hlf", "did you mean 'half'?")):
            _, errors = self.evq("query", query, status=None)
            self.assertIn(text, errors)

    def test_map_field_beside_other_tables(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","geo":{"city":"Rome"}}'])
        self.evq("dataset", "map-field", "add", "t", "geo")
        self.ingest("u", ['{"_time":"2024-05-01T00:00:02Z","x":1}'])
        self.evq("dataset", "map-field", "add", "u", "tags")
        self.assertEqual(self.rows("union t, u | sort by _time asc"
                                   " | project a = geo.city, b = tags.z"),
                         [{"a": "Rome", "b": None}, {"a": None, "b": None}])
        self.ingest("u", ['{"_time":"2024-05-01T00:00:03Z","tags":{"z":5}}'])
        self.assertEqual(self.rows("union t, u | where tags.z == 5 | count"), [{"Count": 1}])


if __name__ == "__main__":
    main()
