#!/usr/bin/env python3
"""Who may do what over HTTP: every route of the manual with every kind of credentials, every way a
query can name a dataset, and that what is forbidden looks as if it were not there.

    python3 access_test.py path/to/evq
"""

import itertools
import json
import os
import re
import sys
import time
import unittest

sys.dont_write_bytecode = True
from evq_server import Server, run_evq  # noqa: E402
from processes import wait_until  # noqa: E402

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../man/evq-http.7")
NO_ORGANIZATION = {"/v1/user", "/v2/user", "/v1/orgs", "/v2/orgs"}
NO_PERSONAL = ("/v1/ingest/", "/v1/datasets/{dataset}/elastic", "/services/", "/loki/",
               "/v2/datasets/_apl/delete")
LISTS = {"/v2/apl-starred-queries": "starredQueries", "/v2/vfields": "virtualFields"}
NUMBERS = itertools.count()
CAPABILITIES = {"query": ["read"], "ingest": ["create"], "trim": ["update"], "vacuum": ["update"],
                "data": ["delete"]}


def manual_routes():
    """(method, pattern, need) of each endpoint, as evq-http(7) lists them."""
    with open(MANUAL) as page:
        text = page.read().replace("\\-", "-")
    found = re.findall(r"^\.B (GET|POST|PUT|PATCH|DELETE) (\S+)\n.*\n(Needs .*)$", text, re.M)
    assert len(found) == len(re.findall(r"^\.B (?:GET|POST|PUT|PATCH|DELETE) /", text, re.M))
    return found


def body_of(pattern, dataset):
    """A body that is good enough to come to the question of permission."""
    apl = f"['{dataset}']"
    bodies = {
        "/v1/query/_apl": {"apl": apl}, "/v1/datasets/_apl": {"apl": apl},
        "/v1/_check": {"apl": apl}, "/v1/_profile": {"apl": apl}, "/v1/_complete": {"apl": apl},
        "/v1/query/batch": [{"queryId": "q", "aplRequest": {"apl": apl}}],
        "/v2/datasets/_apl/delete": {"apl": apl, "commit": False},
        "/v1/datasets/{dataset}/query": {},
        "/loki/api/v1/push": {"streams": [{"stream": {}, "values": [["1", "x"]]}]},
        "/v1/logs": {"resourceLogs": []}, "/v1/traces": {"resourceSpans": []},
        "/services/collector": {"event": "e"}, "/services/collector/event": {"event": "e"},
        "/services/collector/event/1.0": {"event": "e"}, "/services/collector/raw": b"line",
        "/services/collector/raw/1.0": b"line",
    }
    if pattern.startswith("/v2/apl-starred-queries"):
        return saved_query(dataset)
    if pattern.startswith("/v2/vfields"):
        return {"dataset": dataset, "name": f"v{next(NUMBERS)}", "expression": "a"}
    return bodies.get(pattern, {})


def saved_query(dataset):
    return {"kind": "apl", "name": "n", "who": "w", "metadata": {}, "dataset": dataset,
            "query": {"apl": f"['{dataset}']"}}


class Credentials(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-access-log")
        cls.org = run_evq(cls.server.directory, "org")
        cls.personal = run_evq(cls.server.directory, "token", "create", "--name", "p", "--personal")
        # Made with a future expiry, which a slow machine must be given the time for, and then ended.
        cls.expired = cls.token({"*": CAPABILITIES}, {})
        for each in cls.server.call("GET", "/v2/tokens")[1]:
            if each["name"] == "t":
                status, _ = cls.server.call("POST", f"/v2/tokens/{each['id']}/regenerate",
                                            {"existingTokenExpiresAt": "2020-01-01T00:00:00Z"})
                assert status == 200
        cls.server.call("POST", "/v1/ingest/logs", [{"a": 1}])

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    @classmethod
    def token(cls, datasets, organization, expires=None):
        status, made = cls.server.call("POST", "/v2/tokens", {
            "name": "t", "datasetCapabilities": datasets, "orgCapabilities": organization,
            "expiresAt": expires})
        assert status == 200, made
        return made["token"]

    def send(self, route, token, **headers):
        method, pattern, _ = route
        item = "none"
        for kept in ("/v2/apl-starred-queries", "/v2/vfields"):
            if pattern.startswith(kept):
                item = self.server.call("POST", kept, body_of(kept, "logs"))[1]["id"]
        path = (pattern.replace("{dataset}", "logs").replace("{id}", item).replace("{uid}", item)
                .replace("{field}", "a").replace("{name}", "n"))
        if pattern.startswith("/services/collector"):
            path += "?index=logs"
        sent = {"X-Axiom-Dataset": "logs", "Authorization": "Bearer " + token if token else "",
                "Content-Type": "application/json"}
        sent.update({name.replace("_", "-"): value for name, value in headers.items()})
        body = body_of(pattern, "logs") if method in ("POST", "PUT", "PATCH") else None
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
        status, answer = self.server.call(method, path, body, sent)
        if pattern == "/v1/query/batch" and status == 200 and b'"code":403' in answer:
            return 403
        return status

    def test_what_a_token_may_not_see_looks_as_if_it_were_not_there(self):
        token = self.token({"mine": {"starredQueries": ["read"], "virtualFields": ["read"]}}, {})
        headers = {"Authorization": "Bearer " + token}
        made = [self.server.call("POST", path, body_of(path, "secret"))[1]["id"]
                for path in ("/v2/apl-starred-queries", "/v2/vfields")]
        for path, hidden in zip(("/v2/apl-starred-queries", "/v2/vfields"), made):
            found = [self.server.call("GET", path + "/" + item, None, headers)
                     for item in (hidden, "none")]
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0][0], 403)
            found = [self.server.call("GET", path + "?dataset=" + name, None, headers)
                     for name in ("secret", "nonesuch")]
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0][0], 403)
            self.server.call("DELETE", path + "/" + hidden)
        self.assertEqual(self.server.call("GET", "/v2/apl-starred-queries?dataset=mine", None, headers),
                         (200, []))

    def test_a_list_does_not_tell_of_what_the_token_may_not_see(self):
        for path, resource in LISTS.items():
            tokens = [self.token({"mine": {each: ["read"]}}, {}) for each in (resource, "query")]
            lists = lambda: [self.server.call("GET", path + asked, None, {"Authorization": "Bearer " + token})
                             for token in tokens for asked in ("", "?dataset=mine", "?dataset=secret")]
            before = lists()
            self.assertEqual([status for status, _ in before], [200, 200, 403, 403, 403, 403], path)
            hidden, seen = (self.server.call("POST", path, body_of(path, name))[1]["id"]
                            for name in ("secret", "mine"))
            self.assertEqual(self.server.call("DELETE", f"{path}/{seen}")[0], 204)
            self.assertEqual(lists(), before, path)
            self.assertEqual(before[:2], [(200, []), (200, [])], path)
            seen = self.server.call("POST", path, body_of(path, "mine"))[1]["id"]
            self.assertEqual([[each["id"] for each in items] for _, items in lists()[:2]], [[seen], [seen]])
            for item in (hidden, seen):
                self.server.call("DELETE", f"{path}/{item}")

    def refused(self, route, token, **headers):
        self.assertEqual(self.send(route, token, **headers), 403, (route, headers))

    def allowed(self, route, token, **headers):
        status = self.send(route, token, **headers)
        self.assertNotIn(status, (401, 403, 405, 500, 501), (route, headers, status))

    def test_every_route_with_every_kind_of_credentials(self):
        crud = ["create", "read", "update", "delete"]
        for route in manual_routes():
            method, pattern, need = route
            if need == "Needs no token.":
                self.allowed(route, None)
                continue
            for token in (None, "xaat-unknown", self.server.token + "x", self.expired):
                self.refused(route, token)
            self.allowed(route, self.server.token)
            if pattern.startswith(NO_PERSONAL):
                self.refused(route, self.personal, x_service_org_id=self.org)
            else:
                self.allowed(route, self.personal, x_service_org_id=self.org)
                self.allowed(route, self.personal, X_Axiom_Org_Id=self.org)
                (self.allowed if pattern in NO_ORGANIZATION else self.refused)(route, self.personal)
            if need == "Needs any valid token.":
                self.allowed(route, self.token({}, {}))
                continue
            asked, scope = re.match(r"Needs (\S+) (?:on|of) (.*)\.", need).groups()
            resource, action = asked.split("|")
            self.refused(route, self.token({}, {}))
            if scope == "the organization":
                self.allowed(route, self.token({}, {resource: [action]}))
                rest = [each for each in crud if each != action]
                self.refused(route, self.token({"*": CAPABILITIES}, {resource: rest}))
            elif resource == "datasets":  # read and update of datasets are the organization's
                self.allowed(route, self.token({}, {resource: [action]}))
                self.refused(route, self.token({"other": CAPABILITIES}, {}))
            elif scope == "some dataset":  # the answer tells of those alone
                rest = {name: actions for name, actions in CAPABILITIES.items() if name != resource}
                for dataset in ("logs", "*", "other"):
                    self.allowed(route, self.token({dataset: {resource: [action]}}, {}))
                    self.refused(route, self.token({dataset: rest}, {}))
            else:
                rest = {name: actions for name, actions in CAPABILITIES.items() if name != resource}
                self.allowed(route, self.token({"logs": {resource: [action]}}, {}))
                self.allowed(route, self.token({"*": {resource: [action]}}, {}))
                elsewhere = self.token({"other": {resource: [action]}, "logs": rest}, {})
                if method == "GET" and pattern in LISTS:  # what is in them is asked apart
                    self.allowed(route, elsewhere)
                    elsewhere = self.token({"logs": rest}, {})
                self.refused(route, elsewhere)

    def test_use_of_a_token_is_noted(self):
        made = run_evq(self.server.directory, "token", "create", "--name", "noted")
        self.server.call("GET", "/v2/user", None, {"Authorization": "Bearer " + made})

        def last_used():
            listed = run_evq(self.server.directory, "token", "list").splitlines()
            return next(each["lastUsed"] for each in map(json.loads, listed)
                        if each["name"] == "noted")

        self.assertRegex(wait_until(last_used), r"^20\d\d-")


class Datasets(unittest.TestCase):
    """A token that may read one dataset, and queries that want another."""

    QUERIES = (
        "['NAME']", "['NAME'] | count", "logs | join (['NAME']) on a", "logs | lookup ['NAME'] on a",
        "logs | join kind=leftanti (['NAME'] | project a) on a", "union logs, ['NAME']",
        "logs | union ['NAME']", "logs | union (['NAME'] | where a == 1) | count",
        "let n = ['NAME']; n | count", "let n = view () { ['NAME'] }; n()",
        "let n = () { ['NAME'] | count }; n()", "logs | where a in (['NAME'] | project a)",
        "logs | where a in ((['NAME'] | project a))",
        "print n = toscalar(['NAME'] | count)", "logs | extend n = toscalar(['NAME'] | count)",
        "let n = materialize(['NAME']); n | count", "search in (['NAME']) 'x'",
        "search in (logs, ['NAME']) 'x'", "find in (['NAME']) where a == 1",
        "logs | where a == 1 | union (['NAME'] | take 1)",
        "['NAME'] | getschema", "union withsource=s logs, ['NAME'] | summarize count() by s",
        "logs | extend n = toscalar(logs | union ['NAME'] | count)",
    )

    @classmethod
    def setUpClass(cls):
        cls.server = Server("--no-access-log")
        for name in ("logs", "vault"):
            cls.server.call("POST", "/v1/ingest/" + name, [{"a": 1, "text": "secret " + name}])
        cls.reader = run_evq(cls.server.directory, "token", "create", "--name", "r", "--query", "logs",
                             "--ingest", "logs", "--allow", "logs:starredQueries|create")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def ask(self, method, path, body=None):
        return self.server.call(method, path, body, {"Authorization": "Bearer " + self.reader,
                                                     "X-Axiom-Dataset": "vault"})

    def test_no_way_of_naming_a_dataset_gets_round_permission(self):
        for query in self.QUERIES:
            answers = []
            for name in ("vault", "absent"):
                for path in ("/v1/query/_apl?format=tabular", "/v1/datasets/_apl?format=legacy",
                             "/v1/_check", "/v1/_profile"):
                    status, answer = self.ask("POST", path, {"apl": query.replace("NAME", name)})
                    if status == 400:  # an operator or form that the language does not have
                        self.assertNotIn("secret", json.dumps(answer))
                    answers.append((status, json.dumps(answer).replace(name, "NAME")))
            self.assertEqual(len(set(answers)), 1, (query, answers))
            self.assertEqual(answers[0][0], 403, (query, answers[0]))

    def test_who_may_query_nothing_has_nothing_computed(self):
        writer = run_evq(self.server.directory, "token", "create", "--name", "w", "--ingest", "logs")
        apl = "range x from 1 to 3 step 1 | summarize sum(x)"
        for path, body in (("/v1/query/_apl?format=tabular", {"apl": apl}),
                           ("/v1/datasets/_apl?format=legacy", {"apl": apl}),
                           ("/v1/_check", {"apl": apl}), ("/v1/_profile", {"apl": apl}),
                           ("/v1/_complete", {"apl": "d | "}),
                           ("/v1/query/batch", [{"queryId": "q", "aplRequest": {"apl": apl}}])):
            status, answer = self.server.call("POST", path, body, {"Authorization": "Bearer " + writer})
            self.assertEqual((status, answer["message"]),
                             (403, "the token lacks the permission query|read"), path)
            self.assertEqual(self.ask("POST", path, body)[0], 200, path)

    def test_wildcards_mean_what_the_token_may_read(self):
        for query in ("union *", "search 'secret'", "union l*, lo*", "find where text has 'secret'"):
            status, answer = self.ask("POST", "/v1/query/_apl?format=tabular", {"apl": query})
            self.assertEqual(status, 200, (query, answer))
            self.assertEqual(answer["datasetNames"], ["logs"], query)
            self.assertNotIn("vault", json.dumps(answer), query)

    def test_completion_knows_only_what_the_token_may_read(self):
        for apl in ("", "v", "vault | where ", "['vault'] | where text == ", "union "):
            status, answer = self.ask("POST", "/v1/_complete", {"apl": apl})
            self.assertEqual(status, 200, apl)
            self.assertNotIn("vault", json.dumps(answer["candidates"]), apl)
            self.assertNotIn("secret", json.dumps(answer), apl)
            # Nor does the note tell whether there is such a dataset.
            absent = self.ask("POST", "/v1/_complete", {"apl": apl.replace("vault", "absent")})[1]
            self.assertEqual(json.dumps(answer.get("note")).replace("vault", "absent"),
                             json.dumps(absent.get("note")), apl)
        names = [each["name"] for each in self.ask("POST", "/v1/_complete", {"apl": ""})[1]["candidates"]]
        self.assertIn("logs", names)

    def test_a_virtual_field_reads_with_the_rights_of_its_reader(self):
        status, made = self.server.call("POST", "/v2/vfields", {
            "dataset": "logs", "name": "spy", "expression": "toscalar(['vault'] | count)"})
        self.assertEqual(status, 200, made)
        status, answer = self.ask("POST", "/v1/query/_apl?format=tabular", {"apl": "logs | project spy"})
        self.assertIn(status, (400, 403), answer)
        self.assertEqual(self.server.call("DELETE", "/v2/vfields/" + made["id"])[0], 204)

    def test_what_is_forbidden_looks_as_if_it_were_not_there(self):
        requests = [("GET", "/v1/datasets/NAME"), ("GET", "/v2/datasets/NAME"),
                    ("GET", "/v1/datasets/NAME/info"), ("GET", "/v2/datasets/NAME/fields"),
                    ("GET", "/v2/datasets/NAME/fields/a"), ("GET", "/v2/datasets/NAME/mapfields"),
                    ("POST", "/v1/datasets/NAME/query"), ("POST", "/v1/ingest/NAME"),
                    ("POST", "/v1/datasets/NAME/ingest"), ("POST", "/v2/datasets/NAME/trim"),
                    ("DELETE", "/v2/datasets/NAME"), ("POST", "/v1/ingest/NAME/elastic/_bulk"),
                    ("POST", "/services/collector?index=NAME")]
        for method, path in requests:
            answers = set()
            for name in ("vault", "absent"):
                status, answer = self.ask(method, path.replace("NAME", name),
                                          {"event": "x"} if method == "POST" else None)
                answers.add((status, json.dumps(answer).replace(name, "NAME")))
            self.assertEqual(len(answers), 1, (method, path, answers))
            self.assertEqual(answers.pop()[0], 403, (method, path))
        status, listed = self.ask("GET", "/v1/datasets/_fields")
        self.assertEqual([each["datasetName"] for each in listed], ["logs"])
        status, batch = self.ask("POST", "/v1/query/batch", [
            {"queryId": name, "aplRequest": {"apl": f"['{name}']"}} for name in ("vault", "logs")])
        events = [json.loads(line[6:]) for line in batch.decode().split("\n\n") if line]
        self.assertEqual(events[0]["error"]["code"], 403)
        self.assertEqual(events[1]["data"]["datasetNames"], ["logs"])

    def test_deletes_and_saved_queries_ask_for_every_dataset(self):
        eraser = run_evq(self.server.directory, "token", "create", "--name", "e", "--allow",
                         "logs:data|delete")
        for apl, expected in (("logs | where a == 1", 200), ("vault", 403), ("absent", 403),
                              ("logs | where a in (['vault'] | project a)", 403)):
            status, answer = self.server.call("POST", "/v2/datasets/_apl/delete",
                                              {"apl": apl, "commit": False},
                                              {"Authorization": "Bearer " + eraser})
            self.assertEqual(status, expected, (apl, answer))
        status, _ = self.ask("POST", "/v2/apl-starred-queries", saved_query("vault"))
        self.assertEqual(status, 403)
        status, hidden = self.server.call("POST", "/v2/apl-starred-queries", saved_query("vault"))
        for method in ("GET", "PUT", "DELETE"):
            body = saved_query("logs") if method == "PUT" else None
            there, none = (self.ask(method, "/v2/apl-starred-queries/" + item, body)
                           for item in (hidden["id"], "none"))
            self.assertEqual(there, none, method)
        status, _ = self.ask("POST", "/v2/apl-starred-queries", saved_query("logs"))
        self.assertEqual(status, 200)


    def test_who_may_only_write_finds_a_dataset_and_reads_nothing_of_it(self):
        token = {kind: run_evq(self.server.directory, "token", "create", "--name", kind, f"--{kind}", "logs")
                 for kind in ("ingest", "query")}
        for kind, allowed in (("ingest", 403), ("query", 200)):
            sent = {"Authorization": "Bearer " + token[kind]}
            for path in ("/v1/datasets/logs", "/v2/datasets/logs", "/v1/datasets/logs/info",
                         "/v2/datasets/logs/info", "/v2/datasets/logs/fields", "/v2/datasets/logs/fields/a",
                         "/v2/datasets/logs/mapfields"):
                self.assertEqual(self.server.call("GET", path, None, sent)[0], allowed, (kind, path))
            listed = self.server.call("GET", "/v1/datasets/_fields", None, sent)[1]
            self.assertEqual([each["datasetName"] for each in listed], ["logs"] if allowed == 200 else [])
            for path in ("/v1/datasets", "/v2/datasets"):
                listed = self.server.call("GET", path, None, sent)[1]
                self.assertEqual([(each["name"], each["canWrite"]) for each in listed],
                                 [("logs", kind == "ingest")], path)
        self.assertIs(self.server.call("GET", "/v2/datasets/logs")[1]["canWrite"], True)

    def test_virtual_fields_are_a_right_of_their_own(self):
        made = self.server.call("POST", "/v2/vfields", {"dataset": "logs", "name": "own", "expression": "a"})[1]
        token = self.server.call("POST", "/v2/tokens", {
            "name": "d", "datasetCapabilities": {"logs": {"query": ["read"]}},
            "orgCapabilities": {"datasets": ["create", "read", "update", "delete"]}})[1]["token"]
        sent = {"Authorization": "Bearer " + token}
        one = "/v2/vfields/" + made["id"]
        body = {"dataset": "logs", "name": "own", "expression": "a + 1"}
        for method, path in (("GET", "/v2/vfields?dataset=logs"), ("GET", one), ("PUT", one), ("DELETE", one),
                             ("POST", "/v2/vfields")):
            self.assertEqual(self.server.call(method, path, body if method in ("PUT", "POST") else None, sent)[0],
                             403, (method, path))
        self.assertEqual(self.server.call("DELETE", one)[0], 204)

    def test_who_may_not_query_learns_no_names_of_fields(self):
        rights = {"virtualFields": ["create", "update"]}
        for query, taken in (([], 200), (["read"], 409)):
            token = self.server.call("POST", "/v2/tokens", {
                "name": "v", "datasetCapabilities": {"logs": {**rights, "query": query}}})[1]["token"]
            sent = {"Authorization": "Bearer " + token}
            made = []
            for name, expected in (("nothing", 200), ("text", taken)):
                body = {"dataset": "logs", "name": name, "expression": "1"}
                status, answer = self.server.call("POST", "/v2/vfields", body, sent)
                self.assertEqual(status, expected, (query, name, answer))
                made += [answer["id"]] if status == 200 else []
            body = {"dataset": "logs", "name": "a", "expression": "1"}
            self.assertEqual(self.server.call("PUT", "/v2/vfields/" + made[0], body, sent)[0], taken)
            for each in made:
                self.server.call("DELETE", "/v2/vfields/" + each)

    def test_a_pattern_is_no_dataset_to_delete_from(self):
        eraser = run_evq(self.server.directory, "token", "create", "--name", "e", "--allow",
                         "logs:data|delete")
        for apl in ("['*'] | where true", "['l*']", "search 'secret'"):
            answers = [self.server.call("POST", "/v2/datasets/_apl/delete", {"apl": apl, "commit": True},
                                        {"Authorization": "Bearer " + token})
                       for token in (eraser, self.server.token)]
            self.assertEqual(answers[0], answers[1], apl)
            self.assertEqual(answers[0][0], 400, answers)
        self.assertEqual(self.server.query("logs | count")["tables"][0]["columns"], [[1]])

    def test_a_delete_that_is_refused_says_what_may_not_be(self):
        for name in ("vault", "absent"):
            status, answer = self.ask("POST", "/v2/datasets/_apl/delete", {"apl": name, "commit": False})
            self.assertEqual((status, answer["message"]),
                             (403, f"no permission to delete from the dataset '{name}'"))


class Rates(unittest.TestCase):
    def test_more_requests_than_a_token_may_send_are_refused_with_429(self):
        server = Server("--no-access-log", "--rate-limit", "2")
        other = run_evq(server.directory, "token", "create", "--name", "o")

        def until_refused(**headers):
            """A new minute may begin at any time, so ask until two requests too many fall into one."""
            seen = []
            while len(seen) < 1000 and 429 not in seen:
                status, answer = server.call("GET", "/v2/user", None, headers)
                seen.append(status)
            return seen, answer

        seen, answer = until_refused()
        self.assertEqual((set(seen), seen[:2]), ({200, 429}, [200, 200]))
        self.assertEqual(server.headers["X-RateLimit-Limit"], "2")
        self.assertEqual(server.headers["X-RateLimit-Scope"], "user")
        self.assertEqual(server.headers["X-RateLimit-Remaining"], "0")
        self.assertLessEqual(int(server.headers["X-RateLimit-Reset"]), time.time() + 62)
        self.assertGreater(int(server.headers["Retry-After"]), 0)
        self.assertIn("rate limit", answer["message"])
        status, _ = server.call("GET", "/v2/user", None, {"Authorization": "Bearer " + other})
        self.assertEqual(status, 200)
        self.assertEqual(server.headers["X-RateLimit-Remaining"], "1")
        self.assertEqual(server.call("GET", "/healthz", None, {"Authorization": ""})[0], 200)
        self.assertNotIn("X-RateLimit-Limit", server.headers)
        seen, _ = until_refused(Authorization="Bearer xaat-guess")
        self.assertEqual(set(seen), {403, 429})
        self.assertEqual(server.headers["X-RateLimit-Scope"], "anonymous")
        self.assertEqual(server.stop(), 0)

    def test_without_a_limit_there_are_no_such_headers(self):
        server = Server("--no-access-log")
        self.assertEqual(server.call("GET", "/v2/user")[0], 200)
        self.assertNotIn("X-RateLimit-Limit", server.headers)
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
