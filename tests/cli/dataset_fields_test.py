"""Fields that a dataset has by definition: map fields, and virtual fields over the API."""

import json
import urllib.request

from evq_case import EvqCase, main


class DatasetFields(EvqCase):
    def rows(self, apl):
        return [json.loads(line) for line in self.out("-q", "query", apl).splitlines()]

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

    def test_virtual_field(self):
        self.ingest("t", ['{"_time":"2024-05-01T00:00:00Z","ms":1500,"path":"/a"}',
                          '{"_time":"2024-05-01T00:00:01Z","ms":20,"path":"/b"}'])
        url, token, server = self.serve()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + token}

        def define(name, expression):
            body = {"dataset": "t", "name": name, "expression": expression}
            urllib.request.urlopen(urllib.request.Request(
                url + "/v2/vfields", json.dumps(body).encode(), headers)).close()

        define("seconds", "ms / 1000.0 // of a request")
        define("is slow", "seconds > 1")
        define("own", "own + 1")
        define("broken", "nothing + 1")
        self.interrupt(server)
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


if __name__ == "__main__":
    main()
