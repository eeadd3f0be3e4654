#!/usr/bin/env python3
"""What is kept besides events: saved queries, datasets and their fields, annotations and the like.

Usage: resources_test.py EVQ.
"""

import json
import sys
import threading
import unittest
import urllib.parse

from evq_server import BOARD, T0, ServerCase


class Resources(ServerCase):
    def test_saved_queries(self):
        query = {"kind": "apl", "name": "n", "who": "me", "metadata": {"a": "b"}, "dataset": "d",
                 "query": {"apl": "['d']", "queryOptions": {"priority": "low"}}}
        path = "/v2/apl-starred-queries"
        status, made = self.server.call("POST", path, query)
        self.assertEqual(status, 200, made)
        self.assertEqual({**query, "id": made["id"]}, made)
        one = path + "/" + made["id"]
        self.assertEqual(self.server.call("GET", one)[1], made)
        status, changed = self.server.call("PUT", one, {
            **query, "id": "other", "name": "m", "dataset": None, "metadata": {},
            "query": {"apl": "a", "cursor": None, "variables": {"x": None},
                      "queryOptions": {"noFill": None}}})
        self.assertEqual((status, changed), (200, {  # null is what was not given
            "id": made["id"], "kind": "apl", "name": "m", "who": "me", "metadata": {},
            "query": {"apl": "a", "variables": {"x": None}, "queryOptions": {}}}))
        self.assertEqual(self.server.call("PUT", path + "/none", query)[0], 404)
        options = lambda **o: {**query, "query": {"apl": "x", "queryOptions": o}}
        for bad in ({**query, "kind": "mpl"}, {**query, "metadata": {"a": 1}}, {**query, "who": None},
                    options(priority="urgent"), options(surprise=1), options(noFill="true"),
                    options(maxSeries=1.5), options(shownColumns="é" * 10001), options(displayNull="no")):
            self.assertEqual(self.server.call("PUT", one, bad)[0], 400, bad)
        for good in (options(shownColumns="é" * 10000), options(displayNull=""), options(priority=None)):
            self.assertEqual(self.server.call("PUT", one, good)[0], 200, good)
        plain = self.server.call("PUT", one, {**query, "query": {"apl": "x"}})[1]
        self.assertEqual(plain["query"], {"apl": "x"})
        listed = next(each for each in self.server.call("GET", path)[1] if each["id"] == made["id"])
        self.assertEqual(listed, {**plain, "query": {"apl": "x", "queryOptions": {}}})
        self.assertEqual(self.server.call("DELETE", one)[0], 204)
        self.assertEqual(self.server.call("GET", one)[0], 404)

    def test_ids_of_saved_queries_are_text(self):
        query = {"kind": "apl", "name": "n", "who": "me", "metadata": {}, "query": {"apl": "d"}}
        path = "/v2/apl-starred-queries"
        for wrong in ("%FF", "a%C3", "x" * 257, "%C3%BC" * 129):
            status, answer = self.server.call("POST", f"{path}?id={wrong}", query)
            self.assertEqual(status, 400, wrong)
            self.assertIn("UTF-8 of at most 256 bytes", answer["message"])
        for good in ("x" * 256, "%C3%BC" * 128, "a%20b%07"):
            status, made = self.server.call("POST", f"{path}?id={good}", query)
            self.assertEqual((status, made["id"]), (200, urllib.parse.unquote(good)))
            self.assertIn(made["id"], [each["id"] for each in self.server.call("GET", path)[1]])
            self.assertEqual(self.server.call("DELETE", f"{path}/{good}")[0], 204)

    def test_a_dataset_that_goes_meanwhile_is_left_out_of_the_fields_of_all(self):
        # Many come before it, so that it goes between the list and its turn time and again.
        for number in range(40):
            self.server.call("POST", "/v1/ingest/" + f"steady{number:02}", [{"n": number}])
        done = threading.Event()

        def come_and_go():
            while not done.is_set():
                self.server.call("POST", "/v2/datasets", {"name": "zz"})
                self.server.call("DELETE", "/v2/datasets/zz")

        comer = threading.Thread(target=come_and_go)
        comer.start()
        try:
            for _ in range(150):
                status, listed = self.server.call("GET", "/v1/datasets/_fields")
                self.assertEqual(status, 200, listed)
                self.assertGreaterEqual(len(listed), 40)
        finally:
            done.set()
            comer.join()

    def test_datasets(self):
        call = self.server.call
        for version in ("/v1", "/v2"):
            name = "set" + version[1:]
            status, made = call("POST", version + "/datasets", {"name": name, "description": "d"})
            self.assertEqual((status, made["id"]), (200, name))
            self.assertEqual(call("POST", version + "/datasets", {"name": name})[0], 409)
            one = f"{version}/datasets/{name}"
            status, changed = call("PUT", one, {"description": "e", "retentionDays": 3})
            self.assertEqual((changed["description"], changed["retentionDays"]), ("e", 3))
            self.assertEqual((changed["created"], made["updatedAt"]), (made["created"], made["created"]))
            self.assertNotEqual(changed["updatedAt"], made["updatedAt"])
            self.assertEqual(call("GET", one)[1], changed)
            self.assertIn(changed, call("GET", version + "/datasets")[1])
            self.assertEqual(call("POST", one + "/trim", {"maxDuration": "1h0m0s"})[0],
                             200 if version == "/v1" else 204)
            self.assertEqual(call("DELETE", one)[0], 204)
            self.assertEqual(call("GET", one)[0], 404)
        status, _ = call("POST", "/v2/datasets", {"name": "never", "useRetentionPeriod": True})
        self.assertEqual(status, 400)
        for body, wrong in (({}, "name is required"), ({"name": None}, "name is required"),
                            ({"name": ""}, "'' cannot name a dataset")):
            status, answer = call("POST", "/v2/datasets", {"description": "d", **body})
            self.assertEqual((status, answer["message"][:len(wrong)]), (400, wrong))
        call("POST", "/v1/ingest/fielded", [{"ms": 1, "s": "x"}])
        fields = {f["name"]: f for f in call("GET", "/v2/datasets/fielded/fields")[1]}
        self.assertEqual(fields["ms"]["type"], "integer")
        status, field = call("PUT", "/v2/datasets/fielded/fields/ms", {"unit": "ms"})
        self.assertEqual((status, field["unit"]), (200, "ms"))
        for name, most in (("unit", 256), ("description", 4096)):
            self.assertEqual(call("PUT", "/v2/datasets/fielded/fields/ms", {name: "x" * most})[0], 200)
            status, answer = call("PUT", "/v2/datasets/fielded/fields/ms", {name: "x" * (most + 1)})
            self.assertEqual((status, answer["message"].startswith(name + " is longer than")), (400, True), answer)
        self.assertIn("fielded", [d["datasetName"] for d in call("GET", "/v1/datasets/_fields")[1]])
        maps = "/v2/datasets/fielded/mapfields"
        self.assertEqual(call("POST", maps, {"name": "m"}), (200, {"name": "m"}))
        self.assertEqual(call("POST", maps, {"name": "m"})[0], 409)
        self.assertEqual(call("PUT", maps, ["a", "b"]), (200, ["a", "b"]))
        for wrong in (b'["a"],"x":1', b'"a"', b"[1]", b'["a"'):
            self.assertEqual(call("PUT", maps, wrong, {"Content-Type": "application/json"})[0], 400, wrong)
        for name in ("_time", "_sysTime", "_rowId", "_cursor", "_source"):
            for method, body in (("POST", {"name": name}), ("PUT", [name])):
                status, answer = call(method, maps, body)
                self.assertEqual((status, answer["message"]), (400, f"'{name}' cannot be a map field: the name is evq's own"))
        older, newer = ("/v1/datasets/fielded", "/v2/datasets/fielded")
        for path in ("/fields", "/fields/ms", "/mapfields"):
            self.assertEqual(call("GET", older + path), call("GET", newer + path))
        self.assertEqual(call("PUT", older + "/fields/ms", {"description": "d"})[1]["description"], "d")
        self.assertEqual(call("POST", older + "/mapfields", {"name": "c"}), (200, {"name": "c"}))
        self.assertEqual(call("DELETE", older + "/mapfields/c")[0], 204)
        self.assertEqual(call("PUT", older + "/mapfields", ["a", "b"]), (200, ["a", "b"]))
        self.assertEqual(call("DELETE", maps + "/a")[0], 204)
        self.assertEqual(call("GET", "/v2/datasets/fielded")[1]["mapFields"], ["b"])
        info = call("GET", "/v1/datasets/fielded/info")[1]
        self.assertEqual((info["numEvents"], info["inputBytesHuman"]), (1, f"{info['inputBytes']} B"))
        call("POST", "/v1/ingest/fielded", [{"s": "x" * 100_000}] * 50)
        self.assertEqual(call("GET", "/v1/datasets/fielded/info")[1]["inputBytesHuman"], "5.0 MB")

    def test_dashboards_are_created_by_either_method(self):
        board = {"dashboard": BOARD}
        for method, path in (("POST", "/v2/dashboards"), ("PUT", "/v2/dashboards/uid/by-put")):
            status, made = self.server.call(method, path, {**board, "version": 0})
            self.assertEqual((status, made["status"], made["dashboard"]["version"]), (201, "created", 1))
        one = "/v2/dashboards/uid/by-put"
        self.assertEqual(self.server.call("GET", one)[1], made["dashboard"])
        self.assertEqual(self.server.call("PUT", one, board)[0], 412)
        for path, method in ((one, "PUT"), ("/v2/dashboards", "POST")):
            status, changed = self.server.call(method, path, {**board, "uid": "by-put", "overwrite": True})
            self.assertEqual((status, changed["status"]), (200, "updated"))

    def test_a_dashboard_has_what_clients_require(self):
        chart, place = {"id": "c", "type": "Note", "text": "t"}, {"i": "c", "x": 0, "y": None, "w": 1, "h": 1}
        good = {**BOARD, "charts": [chart], "layout": [place], "refreshTime": 15.0, "own": {"kept": 1}}
        status, made = self.server.call("POST", "/v2/dashboards", {"dashboard": good})
        self.assertEqual((status, made["dashboard"]["dashboard"]), (201, good))
        without = {name: value for name, value in good.items() if name != "owner"}
        self.assertEqual(self.server.call("POST", "/v2/dashboards", {"dashboard": without})[0], 201)
        wrong = [{name: None} for name in without if name != "own"] + [
            {"charts": {}}, {"charts": [5]}, {"charts": [chart] * 201}, {"layout": "x"}, {"refreshTime": "15"}, {"refreshTime": 16},
            {"schemaVersion": 1}, {"schemaVersion": "2"}, {"name": ""}, {"name": "x" * 101}, {"name": 5}, {"owner": 5},
            {"description": []}, {"timeWindowStart": 5}, {"against": 1}]
        wrong += [{"charts": [{**chart, **each}]} for each in ({"id": None}, {"id": 5}, {"type": ""}, {"name": 5}, {"query": "d"})]
        wrong += [{"layout": [{**place, **each}]} for each in ({"i": 5}, {"x": -1}, {"w": None}, {"h": 1.5}, {"y": "0"})]
        for each in wrong:
            status, answer = self.server.call("POST", "/v2/dashboards", {"dashboard": {**good, **each}})
            self.assertEqual(status, 400, each)
            self.assertIn(next(iter(each)), answer["message"])
        self.assertEqual(self.server.call("POST", "/v2/dashboards", {"dashboard": {}})[0], 400)

    def test_a_member_that_is_null_was_not_given(self):
        call = self.server.call
        chart = {"id": "c", "type": "Note", "text": None}
        board = {**BOARD, "charts": [chart]}
        nulls = dict.fromkeys(("description", "owner", "against", "againstTimestamp", "datasets", "own"))
        status, made = call("POST", "/v2/dashboards", {"dashboard": {**board, **nulls}})
        self.assertEqual((status, made["dashboard"]["dashboard"]), (201, {**board, "owner": "X-AXIOM-EVERYONE"}))
        uid = made["dashboard"]["uid"]
        self.assertEqual(call("GET", "/v2/dashboards/uid/" + uid)[1], made["dashboard"])
        self.assertIn(made["dashboard"], call("GET", "/v2/dashboards")[1])
        changed = call("PUT", "/v2/dashboards/uid/" + uid,
                       {"dashboard": {**board, **nulls, "description": "d"}, "overwrite": True})[1]
        self.assertEqual(changed["dashboard"]["dashboard"], {**board, "description": "d", "owner": "X-AXIOM-EVERYONE"})
        for kind, needed, nulls in (("views", {"name": "n"}, ("description", "datasets", "aplQuery")),
                                    ("vfields", {"dataset": "nulls", "name": "v", "expression": "1"},
                                     ("description", "type", "unit")),
                                    ("notifiers", {"name": "n"}, ("properties", "description")),
                                    ("monitors", {"name": "n"}, ("notifierIds", "notifierIDs", "columnName")),
                                    ("annotations", {"type": "t", "datasets": ["a"]}, ("title", "own"))):
            given = {**needed, "deep": {"x": None}, "list": [None]}
            status, made = call("POST", "/v2/" + kind, {**given, **dict.fromkeys(nulls)})
            self.assertIn(status, (200, 201), made)
            one = f"/v2/{kind}/{made['id']}"
            changed = call("PUT", one, {**given, **dict.fromkeys(nulls)})[1]
            for kept in (made, changed, call("GET", one)[1]):
                self.assertEqual({name: kept[name] for name in given}, given)
                self.assertFalse(set(nulls) & set(kept), kept)
            self.assertIn(kept, call("GET", "/v2/" + kind)[1])
            self.assertEqual(call("DELETE", one)[0], 204)

    def test_a_virtual_field_has_a_name_of_its_own(self):
        call = self.server.call
        call("POST", "/v1/ingest/owned", [{"held": 1, "a": 2}])
        field = lambda name, dataset="owned": {"dataset": dataset, "name": name, "expression": "a + 1"}
        status, first = call("POST", "/v2/vfields", field("v"))
        self.assertEqual(status, 200, first)
        for name, words in (("v", "has a virtual field 'v' already"), ("held", "have a field 'held'")):
            status, answer = call("POST", "/v2/vfields", field(name))
            self.assertEqual(status, 409)
            self.assertIn(words, answer["message"])
        second = call("POST", "/v2/vfields", field("w"))[1]
        self.assertEqual(call("PUT", "/v2/vfields/" + second["id"], field("v"))[0], 409)
        self.assertEqual(call("PUT", "/v2/vfields/" + first["id"], field("v"))[0], 200)
        self.assertEqual(call("POST", "/v2/vfields", field("v", "none-yet"))[0], 200)
        self.assertEqual(len(call("GET", "/v2/vfields?dataset=owned")[1]), 2)

    def test_a_virtual_field_is_named_as_a_field_may_be(self):
        field = lambda name, dataset="names": {"dataset": dataset, "name": name, "expression": "1"}
        for name in ("n" * 200, "é" * 100, "$__row", "__x"):
            status, made = self.server.call("POST", "/v2/vfields", field(name))
            self.assertEqual(status, 200, (name, made))
        for given in (field("n" * 201), field(""), field("_time"), field("_sysTime"), field("__x__"),
                      field("v", "no dataset"), field("v", "d" * 129)):
            for method, path in (("POST", "/v2/vfields"), ("PUT", "/v2/vfields/" + made["id"])):
                status, answer = self.server.call(method, path, given)
                self.assertEqual(status, 400, (given, answer))
        self.assertEqual(len(self.server.call("GET", "/v2/vfields?dataset=names")[1]), 4)

    def test_a_dataset_has_so_many_virtual_fields_and_no_more(self):
        call = self.server.call
        field = lambda name, dataset="crowded": {"dataset": dataset, "name": name, "expression": "1"}
        made = [call("POST", "/v2/vfields", field(f"v{n}"))[1]["id"] for n in range(200)]
        status, answer = call("POST", "/v2/vfields", field("more"))
        self.assertEqual(status, 400)
        self.assertIn("at most 200 virtual fields", answer["message"])
        status, other = call("POST", "/v2/vfields", field("more", "roomy"))
        self.assertEqual(status, 200)
        self.assertEqual(call("PUT", "/v2/vfields/" + other["id"], field("more"))[0], 400)
        self.assertEqual(call("PUT", "/v2/vfields/" + made[0], field("renamed"))[0], 200)
        self.assertEqual(call("DELETE", "/v2/vfields/" + made[1])[0], 204)
        self.assertEqual(call("PUT", "/v2/vfields/" + other["id"], field("more"))[0], 200)
        call("POST", "/v1/ingest/crowded", [{"a": 1}])
        found = self.server.query("crowded | project renamed, more, v199")
        self.assertEqual(found["tables"][0]["columns"], [[1], [1], [1]])

    def test_kept_objects_are_short(self):
        call = self.server.call
        most = 64 << 10
        for kind, needed in (("annotations", {"type": "deploy", "datasets": ["long"]}), ("monitors", {"name": "m"}),
                             ("vfields", {"dataset": "long", "name": "v", "expression": "1"}),
                             ("notifiers", {"name": "m"}), ("views", {"name": "m"})):
            def body(size):
                empty = json.dumps({**needed, "x": ""})
                return json.dumps({**needed, "x": "x" * (size - len(empty))})
            headers = {"Content-Type": "application/json"}
            status, made = call("POST", "/v2/" + kind, body(most), headers)
            self.assertIn(status, (200, 201), kind)
            for method, path in (("POST", "/v2/" + kind), ("PUT", f"/v2/{kind}/{made['id']}")):
                try:
                    status = call(method, path, body(most + 1), headers)[0]
                except (BrokenPipeError, ConnectionResetError):
                    status = 413  # while it was sent
                self.assertEqual(status, 413, (method, kind))

    def test_changes_do_not_make_an_annotation_long(self):
        made = self.server.call("POST", "/v2/annotations", {"type": "deploy", "datasets": ["grown"]})[1]
        one = "/v2/annotations/" + made["id"]
        self.assertEqual(self.server.call("PUT", one, {"a": "a" * 40000})[0], 200)
        status, answer = self.server.call("PUT", one, {"b": "b" * 40000})
        self.assertEqual(status, 413)
        self.assertIn("64 KiB", answer["message"])
        self.assertEqual(self.server.call("PUT", one, {"a": "", "b": "b" * 40000})[0], 200)
        self.assertEqual([len(self.server.call("GET", one)[1][name]) for name in "ab"], [0, 40000])

    def test_dashboards_are_listed_in_pages(self):
        call = self.server.call
        before = call("GET", "/v2/dashboards")[1]
        made = [call("POST", "/v2/dashboards", {"dashboard": {**BOARD, "name": f"p{n}"}})[1]["dashboard"]["uid"]
                for n in range(70)]
        listed = call("GET", "/v2/dashboards")[1]
        self.assertEqual([each["uid"] for each in listed][len(before):], made)
        for offset, limit in ((0, 1), (0, 32), (1, 33), (5, 64), (len(before) + 69, 5), (len(before) + 70, 5)):
            page = call("GET", f"/v2/dashboards?offset={offset}&limit={limit}")[1]
            self.assertEqual(page, listed[offset:offset + limit], (offset, limit))
        for uid in made:
            self.assertEqual(call("DELETE", "/v2/dashboards/uid/" + uid)[0], 204)

    def test_of_virtual_fields_of_one_name_one_is_kept(self):
        def statuses_of(calls):
            statuses = []
            askers = [threading.Thread(target=lambda each=each: statuses.append(self.server.call(*each)[0]))
                      for each in calls]
            for asker in askers:
                asker.start()
            for asker in askers:
                asker.join()
            return sorted(statuses)

        for turn in range(10):
            field = lambda name, turn=turn: {"dataset": f"raced{turn}", "name": name, "expression": "1"}
            made = ("POST", "/v2/vfields", field("v"))
            self.assertEqual(statuses_of([made] * 8), [200] + [409] * 7)
            others = [self.server.call("POST", "/v2/vfields", field(f"o{i}"))[1]["id"] for i in range(4)]
            self.assertEqual(statuses_of([("PUT", "/v2/vfields/" + each, field("w")) for each in others]),
                             [200] + [409] * 3)
            names = [each["name"] for each in self.server.call("GET", f"/v2/vfields?dataset=raced{turn}")[1]]
            self.assertEqual(len(set(names)), len(names), names)

    def test_times_of_annotations_are_times_to_clients(self):
        # One that is not RFC 3339 would make the whole list unreadable to Go's and Rust's clients.
        call = self.server.call
        for given, kept in (("2024-05-01", "2024-05-01T00:00:00Z"),
                            ("2024-05-01 10:00:00.50", "2024-05-01T10:00:00.5Z"),
                            ("2024-05-01T10:00:00", "2024-05-01T10:00:00Z"),
                            ("2024-05-01T10:00:00+0200", "2024-05-01T08:00:00Z"),
                            ("2024-05-01T10:00:00.000Z", "2024-05-01T10:00:00.000Z"),
                            ("2024-05-01T10:00:00+02:00", "2024-05-01T10:00:00+02:00"),
                            ("2500-01-01T00:00:00Z", "2500-01-01T00:00:00Z")):
            status, made = call("POST", "/v2/annotations", {
                "type": "deploy", "datasets": ["times"], "time": given, "endTime": given})
            self.assertEqual((status, made["time"], made["endTime"]), (201, kept, kept), given)
            one = "/v2/annotations/" + made["id"]
            self.assertEqual(call("GET", one)[1], made)
            self.assertEqual(call("PUT", one, {"endTime": "2600-01-02"})[0], 200)
            self.assertTrue(call("GET", one)[1]["endTime"].endswith("Z"))
            call("DELETE", one)

    def test_kept_members_have_the_types_that_clients_decode(self):
        call = self.server.call
        for wrong in ({"threshold": "x"}, {"disabled": "x"}, {"notifierIds": "x"}, {"operator": 5},
                      {"intervalMinutes": []}, {"disabledUntil": 5}, {"disabledUntil": "soon"}):
            self.assertEqual(call("POST", "/v2/monitors", {"name": "typed", **wrong})[0], 400, wrong)
        for name in ("notifierIds", "notifierIDs"):  # as axiom-js and axiom-go call it
            status, made = call("POST", "/v2/monitors", {"name": "typed", name: ["a", "b"]})
            self.assertEqual((status, made.get("notifierIds"), "notifierIDs" in made), (200, ["a", "b"], False))
            changed = call("PUT", "/v2/monitors/" + made["id"], {"name": "typed", name: ["c"]})[1]
            self.assertEqual((changed["notifierIds"], "notifierIDs" in changed), (["c"], False))
            self.assertEqual(call("GET", "/v2/monitors/" + made["id"])[1], changed)
            self.assertEqual(call("POST", "/v2/monitors", {"name": "typed", name: [5]})[0], 400)
        for other, status in ((["a"], 200), (["b"], 400), (None, 200)):
            given = {"name": "typed", "notifierIds": ["a"], "notifierIDs": other}
            self.assertEqual(call("POST", "/v2/monitors", given)[0], status, other)
        for given, kept in (("", None), (None, None), ("2024-05-01", T0),
                            ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z")):
            status, made = call("POST", "/v2/monitors", {"name": "typed", "disabledUntil": given,
                                                         "threshold": None, "notifierIds": None})
            self.assertEqual((status, made.get("disabledUntil")), (200, kept), given)
        for name in ("description", "type", "unit"):
            self.assertEqual(call("POST", "/v2/vfields", {"dataset": "typed", "name": "v",
                                                          "expression": "1", name: 5})[0], 400, name)
        for path, wrong in (("notifiers", {"properties": 5}), ("notifiers", {"properties": []}),
                            ("views", {"datasets": "a"}), ("views", {"datasets": [5]}), ("views", {"aplQuery": {}})):
            self.assertEqual(call("POST", "/v2/" + path, {"name": "typed", **wrong})[0], 400, (path, wrong))
        self.assertEqual(call("POST", "/v2/notifiers", {"name": "typed", "properties": {"email": {}}})[0], 200)

    def test_annotations_and_kept_objects(self):
        call = self.server.call
        status, made = call("POST", "/v2/annotations", {"type": "deploy", "datasets": ["a"],
                                                        "title": None})
        self.assertEqual(status, 201)
        self.assertTrue(made["id"].startswith("ann_"))
        one = "/v2/annotations/" + made["id"]
        status, changed = call("PUT", one, {"title": "t", "type": None})
        self.assertEqual((changed["title"], changed["type"]), ("t", "deploy"))
        self.assertEqual(call("GET", "/v2/annotations?datasets=a,b")[1], [changed])
        self.assertEqual(call("GET", "/v2/annotations?datasets=z")[1], [])
        for wrong in ({"datasets": "a"}, {"datasets": []}, {"type": 1}, {"type": ""}, {"time": "soon"},
                      {"title": {}}, {"endTime": 5}):
            self.assertEqual(call("PUT", one, wrong)[0], 400, wrong)
        self.assertEqual(call("GET", one)[1], changed)
        call("PUT", one, {"time": T0, "endTime": "2024-05-02T00:00:00Z"})
        self.assertEqual(call("PUT", one, {"endTime": "2024-04-30T00:00:00Z"})[0], 400)
        self.assertEqual(call("PUT", one, {"time": "2024-05-03T00:00:00Z"})[0], 400)
        self.assertEqual(call("PUT", one, {"endTime": T0})[0], 200)  # an instant
        self.assertEqual(call("PUT", one, {"endTime": "2024-05-02T00:00:00Z"})[0], 200)
        for query, count in (("start=2024-05-01T12:00:00Z", 1), ("end=2024-04-01T00:00:00Z", 0),
                             ("start=2024-05-03T00:00:00Z", 0), ("start=0001-01-01T00:00:00Z", 1),
                             ("start=2024-04-01T00:00:00%2B02:00&end=now", None)):
            status, found = call("GET", "/v2/annotations?datasets=a&" + query)
            self.assertEqual(status, 400 if count is None else 200, query)
            self.assertEqual(len(found) if count is not None else None, count, query)
        self.assertEqual(call("DELETE", one)[0], 204)
        for kind in ("monitors", "notifiers", "views"):
            status, kept = call("POST", "/v2/" + kind, {"name": "k", "deep": {"x": [1, 2.5]}})
            self.assertEqual((status, kept["deep"]), (200, {"x": [1, 2.5]}))
            self.assertEqual(call("GET", f"/v2/{kind}/{kept['id']}")[1], kept)
        self.assertEqual(call("POST", "/v2/vfields", {"name": "x"})[0], 400)
        for wrong in ("a +", "a | take 1", "a), b = (c", ""):
            status, answer = call("POST", "/v2/vfields", {"dataset": "d", "name": "x", "expression": wrong})
            self.assertEqual(status, 400, wrong)
        status, kept = call("POST", "/v2/monitors", {"name": "m", "aplQuery": "", "mplQuery": "`d`:`m`"})
        self.assertEqual((status, kept["aplQuery"], "mplQuery" in kept), (200, "`d`:`m`", False))
        # Go's client sends its empty members along.
        for kind in ("monitors", "notifiers"):
            given = {"name": "m", "createdAt": "0001-01-01T00:00:00Z", "createdBy": "",
                     "updatedAt": "0001-01-01T00:00:00Z"}
            made = call("POST", "/v2/" + kind, given)[1]
            self.assertGreater(made["createdAt"], "2024")
            self.assertEqual((made["createdBy"] != "", made["updatedAt"]), (True, made["createdAt"]))
            changed = call("PUT", f"/v2/{kind}/{made['id']}", given)[1]
            self.assertEqual([changed[name] for name in ("createdAt", "createdBy")],
                             [made[name] for name in ("createdAt", "createdBy")])
            self.assertGreater(changed["updatedAt"], made["updatedAt"])
        self.assertEqual(call("POST", "/v2/monitors", {"name": "m", "aplQuery": "a", "mplQuery": "b"})[0],
                         400)

    def test_a_dataset_has_map_fields_up_to_a_limit(self):
        call = self.server.call
        call("POST", "/v2/datasets", {"name": "mapped"})
        maps = "/v2/datasets/mapped/mapfields"
        names = [f"m{i}" for i in range(1000)]
        status, answer = call("PUT", maps, names + ["one more"])
        self.assertEqual((status, answer["message"]), (400, "a dataset has at most 1000 map fields"))
        self.assertEqual(call("PUT", maps, names), (200, names))
        status, answer = call("POST", maps, {"name": "one more"})
        self.assertEqual((status, answer["message"]), (400, "a dataset has at most 1000 map fields"))
        self.assertEqual(call("POST", maps, {"name": "m7"})[0], 409)
        self.assertEqual(call("DELETE", maps + "/m7")[0], 204)
        self.assertEqual(call("POST", maps, {"name": "one more"})[0], 200)
        self.assertEqual(call("GET", maps)[1], names[:7] + names[8:] + ["one more"])
        call("POST", "/v1/ingest/mapped", [{"m0": {"a": 1}, "one more": {"b": 2}, "m7": {"c": 3}}])
        found = self.server.query("mapped", "legacy")["matches"][0]["data"]
        self.assertEqual(found, {"m0": {"a": 1}, "one more": {"b": 2}, "m7": {"c": 3}})
        fields = {field["name"] for field in call("GET", "/v2/datasets/mapped/fields")[1]}
        self.assertEqual(fields - {"_time", "_sysTime"}, {"m0", "one more", "m7.c"})

    def test_no_change_of_a_dataset_is_lost(self):
        self.server.call("POST", "/v2/datasets", {"name": "shared"})
        path = "/v2/datasets/shared"
        names = [f"field{i}" for i in range(24)]
        statuses = []

        def change(name):
            statuses.append(self.server.call("POST", path + "/mapfields", {"name": name})[0])
            statuses.append(self.server.call("PUT", path, {"description": name})[0])

        threads = [threading.Thread(target=change, args=(name,)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(set(statuses), {200})
        self.assertEqual(sorted(self.server.call("GET", path + "/mapfields")[1]), sorted(names))

    def test_no_change_of_a_field_is_lost(self):
        self.server.call("POST", "/v1/ingest/described", [{"n": 1}])
        path = "/v2/datasets/described/fields/n"
        for turn in range(20):
            changes = {"unit": f"u{turn}", "description": f"d{turn}", "hidden": turn % 2 == 0}
            threads = [threading.Thread(target=self.server.call, args=("PUT", path, {name: value}))
                       for name, value in changes.items()]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            known = self.server.call("GET", path)[1]
            self.assertEqual({name: known[name] for name in changes}, changes)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
