#!/usr/bin/env python3
"""Tokens and what they permit, made on the command line and over HTTP.

Usage: tokens_test.py EVQ.
"""

import base64
import os
import sys
import threading
import time
import unittest

from evq_server import BOARD, ServerCase, run_evq
from processes import wait_until


class Tokens(ServerCase):
    FLAGS = ()

    @classmethod
    def fill(cls):
        assert cls.server.token.startswith("xaat-")
        cls.server.call("POST", "/v1/ingest/logs", [{"a": 1}])

    def make(self, *words):
        return run_evq(self.server.directory, "token", "create", "--name", "t", *words)

    def status(self, token, method, path, body=None, **headers):
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            sent["Authorization"] = "Bearer " + token
        else:
            sent["Authorization"] = ""
        return self.server.call(method, path, body, sent)[0]

    def test_failed_authentication_is_403_before_anything_else(self):
        for token in (None, "xaat-wrong", self.server.token + "x"):
            for method, path in (("GET", "/v2/datasets"), ("POST", "/v1/ingest/logs"), ("GET", "/none"),
                                 ("PATCH", "/v2/datasets"), ("GET", "/metrics")):
                self.assertEqual(self.status(token, method, path), 403, (token, path))
        self.assertEqual(self.status(None, "GET", "/healthz"), 200)
        self.assertEqual(self.status(None, "GET", "/ready"), 200)

    def test_who_waits_for_events_hears_none_once_the_token_is_gone(self):
        self.server.call("POST", "/v1/ingest/waited", [{"n": 1}])
        _, made = self.server.call("POST", "/v2/tokens", {
            "name": "reader", "datasetCapabilities": {"waited": {"query": ["read"]}}})
        answers = []

        def wait():
            body = {"startTime": "now-1h", "filter": {"op": "==", "field": "n", "value": 2}}
            began = time.monotonic()
            status = self.status(made["token"], "POST",
                                 "/v1/datasets/waited/query?streaming-duration=20s", body)
            answers.append((status, time.monotonic() - began))

        for remove in (lambda: self.server.call("DELETE", "/v2/tokens/" + made["id"]),
                       lambda: run_evq(self.server.directory, "token", "delete", made["id"])):
            waiting = threading.Thread(target=wait)
            waiting.start()
            time.sleep(1)
            self.assertEqual(answers, [])
            remove()
            waiting.join(25)
            status, seconds = answers.pop()
            self.assertEqual(status, 403)
            self.assertLess(seconds, 10)
            self.server.call("POST", "/v1/ingest/waited", [{"n": 3}])
            _, made = self.server.call("POST", "/v2/tokens", {
                "name": "reader", "datasetCapabilities": {"waited": {"query": ["read"]}}})

    def test_a_query_that_runs_ends_once_its_token_is_gone(self):
        endless = {"apl": "range x from 1 to 1000000000 step 1 "
                          "| extend n = strlen(strrep(tostring(x), 20000)) | summarize sum(n)"}
        answers = []
        running = lambda: b"evq_http_requests_running 0\n" not in self.server.call("GET", "/metrics")[1]
        for remove in (lambda one: self.server.call("DELETE", one),
                       lambda one: run_evq(self.server.directory, "token", "delete", one.split("/")[-1]),
                       lambda one: self.server.call("POST", one + "/regenerate",
                                                    {"existingTokenExpiresAt": "2020-01-01T00:00:00Z"})):
            _, made = self.server.call("POST", "/v2/tokens", {
                "name": "reader", "datasetCapabilities": {"logs": {"query": ["read"]}}})
            asker = threading.Thread(target=lambda: answers.append(
                self.server.call("POST", "/v1/query/_apl", endless,
                                 {"Authorization": "Bearer " + made["token"]})))
            asker.start()
            wait_until(running)
            remove("/v2/tokens/" + made["id"])
            asker.join(100)  # of the hours it would take
            status, answer = answers.pop()
            self.assertEqual(status, 403, answer)
            self.assertRegex(answer["message"], "unknown token|has expired")
            wait_until(lambda: not running())

    def test_nobody_hands_on_more_of_views_than_they_have(self):
        views = {"datasetCapabilities": {}, "viewCapabilities": {"v": {"query": ["read"]}}}
        for own, expected in (({}, 403), ({"viewCapabilities": {"w": {"query": ["read"]}}}, 403),
                              ({"viewCapabilities": {"v": {"share": ["read"]}}}, 403),
                              ({"datasetCapabilities": {"v": {"query": ["read"]}}}, 403),
                              ({"datasetCapabilities": {"*": {"query": ["read"]}}}, 200),
                              ({"viewCapabilities": {"v": {"query": ["read"]}}}, 200)):
            made = self.server.call("POST", "/v2/tokens", {
                "name": "maker", "orgCapabilities": {"apiTokens": ["create", "update"]}, **own})[1]
            sent = {"Authorization": "Bearer " + made["token"]}
            for path, body in (("/v2/tokens", {"name": "t", **views}),
                               (f"/v2/tokens/{made['id']}/regenerate",
                                {"existingTokenExpiresAt": "2100-01-01T00:00:00Z",
                                 "newToken": {"name": "t", **views}})):
                status, answer = self.server.call("POST", path, body, sent)
                self.assertEqual(status, expected, (path, own, answer))
                if status == 403:
                    self.assertIn("query|read on view v", answer["message"])

    def test_a_token_ends_none_that_may_do_more(self):
        call = self.server.call
        _, admin = call("POST", "/v2/tokens", {"name": "admin", "datasetCapabilities": {"*": {"query": ["read"]}},
                                               "orgCapabilities": {"apiTokens": ["update"]}})
        _, equal = call("POST", "/v2/tokens", {"name": "equal", "orgCapabilities": {"apiTokens": ["update"]}})
        _, renewer = call("POST", "/v2/tokens", {"name": "renewer", "orgCapabilities": {"apiTokens": ["update"]}})
        sent = {"Authorization": "Bearer " + renewer["token"]}
        gone = {"existingTokenExpiresAt": "2020-01-01T00:00:00Z"}
        for victim, expected in ((admin, 403), (equal, 200)):
            for body in ({**gone, "newToken": {"name": "x"}}, gone):
                status, answer = call("POST", f"/v2/tokens/{victim['id']}/regenerate", body, sent)
                self.assertEqual(status, expected, (victim["name"], body, answer))
            self.assertEqual(self.status(victim["token"], "GET", "/v2/user"), 200 if expected == 403 else 403)

    def test_a_token_that_expires_makes_none_that_lasts_longer(self):
        call = self.server.call
        end = "2090-01-01T00:00:00.5Z"
        rights = {"apiTokens": ["create", "update"]}
        _, made = call("POST", "/v2/tokens", {"name": "short", "expiresAt": end, "orgCapabilities": rights})
        personal = run_evq(self.server.directory, "token", "create", "--name", "p", "--personal",
                           "--expires", end)
        org = run_evq(self.server.directory, "org")
        asking = ({"Authorization": "Bearer " + made["token"]},
                  {"Authorization": "Bearer " + personal, "X-Axiom-Org-Id": org})
        again = {"existingTokenExpiresAt": "2100-01-01T00:00:00Z"}
        for asked, expected in ((None, 403), ("2090-01-01T00:00:00.500000001Z", 403),
                                ("0001-01-01T00:00:00Z", 403), (end, 200), ("2089-12-31T00:00:00Z", 200)):
            fresh = {"name": "t", "expiresAt": asked, "orgCapabilities": rights}
            for path, body in (("/v2/tokens", fresh), ("/v1/_tokens", fresh),
                               (f"/v2/tokens/{made['id']}/regenerate", {**again, "newTokenExpiresAt": asked}),
                               (f"/v2/tokens/{made['id']}/regenerate", {**again, "newToken": fresh})):
                for sent in asking:
                    status, answer = call("POST", path, body, sent)
                    self.assertEqual(status, expected, (path, asked, answer))
                    if status == 403:
                        self.assertIn("lasts longer (this one expires at 2090-01-01T00:00:00.5Z)",
                                      answer["message"])
        status, answer = call("POST", "/v1/_tokens", {"name": "own", "personal": True}, asking[1])
        self.assertEqual(status, 403, answer)
        # One that does not expire makes any, also in the place of one that does.
        status, answer = call("POST", f"/v2/tokens/{made['id']}/regenerate", again)
        self.assertEqual((status, answer["expiresAt"]), (200, None))

    def test_who_may_only_create_dashboards_replaces_none(self):
        call = self.server.call
        made = {rights: {"Authorization": "Bearer " + self.make(*(
            word for right in rights for word in ("--allow", "dashboards|" + right)))}
            for rights in (("create",), ("create", "update"))}
        board = {"uid": "kept", "dashboard": BOARD, "overwrite": True}
        for rights, uid, expected in ((("create",), "kept", 201), (("create",), "kept", 403),
                                      (("create", "update"), "kept", 200), (("create",), "other", 201)):
            status, answer = call("POST", "/v2/dashboards", {**board, "uid": uid}, made[rights])
            self.assertEqual(status, expected, (rights, uid, answer))
        self.assertEqual(call("GET", "/v2/dashboards/uid/kept")[1]["version"], 2)
        status, answer = call("POST", "/v2/dashboards", {**board, "overwrite": False}, made[("create",)])
        self.assertEqual(status, 409, answer)

    def test_dataset_permissions(self):
        ingest = self.make("--ingest", "logs")
        query = self.make("--query", "logs")
        apl = {"apl": "['logs'] | count"}
        self.assertEqual(self.status(ingest, "POST", "/v1/ingest/logs", [{"a": 2}]), 200)
        self.assertEqual(self.status(ingest, "POST", "/v1/ingest/other", [{"a": 2}]), 403)
        self.assertEqual(self.status(ingest, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(self.status(query, "POST", "/v1/query/_apl", apl), 200)
        self.assertEqual(self.status(query, "POST", "/v1/ingest/logs", [{"a": 2}]), 403)
        self.server.call("POST", "/v1/ingest/hidden", [{"a": 1}])
        for text in ("['hidden'] | count", "['logs'] | union ['hidden'] | count",
                     "['logs'] | join (['hidden']) on a", "let h = ['hidden']; ['logs'] | union h"):
            self.assertEqual(self.status(query, "POST", "/v1/query/_apl", {"apl": text}), 403, text)
        self.assertEqual(self.status(query, "POST", "/v1/datasets/hidden/query", {}), 403)
        remove = {"apl": "['logs']", "commit": False}
        self.assertEqual(self.status(query, "POST", "/v2/datasets/_apl/delete", remove), 403)
        update = self.make("--allow", "datasets|update")
        self.assertEqual(self.status(update, "POST", "/v2/datasets/_apl/delete", remove), 200)
        listed = self.server.call("GET", "/v2/datasets", None, {"Authorization": "Bearer " + query})[1]
        self.assertEqual([each["id"] for each in listed], ["logs"])

    def test_personal_tokens(self):
        token = self.make("--personal")
        self.assertTrue(token.startswith("xapt-"))
        org = run_evq(self.server.directory, "org")
        self.assertEqual(self.status(token, "GET", "/v2/datasets"), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id="wrong"), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=org), 200)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", X_Axiom_Org_Id=org), 200)
        for path in ("/v1/user", "/v2/user", "/v2/orgs"):
            self.assertEqual(self.status(token, "GET", path), 200)
        events = [{"a": 3}]
        self.assertEqual(self.status(token, "POST", "/v1/ingest/logs", events, X_Axiom_Org_Id=org), 403)
        self.assertEqual(
            self.status(token, "POST", "/v1/datasets/logs/ingest", events, X_Axiom_Org_Id=org), 200)

    def test_personal_tokens_over_the_api(self):
        call = self.server.call
        status, made = call("POST", "/v1/_tokens", {"name": "own", "personal": True})
        self.assertEqual(status, 200, made)
        org = run_evq(self.server.directory, "org")
        self.assertTrue(made["token"].startswith("xapt-"))
        self.assertEqual(
            self.status(made["token"], "GET", "/v2/datasets", x_service_org_id=org), 200)
        kinds = {each["id"]: each["kind"] for each in call("GET", "/v1/_tokens")[1]}
        self.assertEqual(kinds[made["id"]], "personal")
        self.assertIn("api", kinds.values())
        self.assertNotIn(made["id"], [each["id"] for each in call("GET", "/v2/tokens")[1]])
        # Whoever may make tokens but not do everything makes and revokes no personal one.
        some = self.make("--allow", "apiTokens|create", "--allow", "apiTokens|delete")
        for personal, expected in ((True, 403), (False, 200)):
            self.assertEqual(self.status(some, "POST", "/v1/_tokens",
                                         {"name": "x", "personal": personal}), expected)
        self.assertEqual(self.status(some, "DELETE", "/v1/_tokens/" + made["id"]), 403)
        self.assertEqual(call("DELETE", "/v1/_tokens/" + made["id"])[0], 204)
        self.assertEqual(call("DELETE", "/v1/_tokens/" + made["id"])[0], 404)
        self.assertEqual(
            self.status(made["token"], "GET", "/v2/datasets", x_service_org_id=org), 403)
        for wrong in ({}, {"name": "x", "personal": "yes"}, {"name": ""}):
            self.assertEqual(call("POST", "/v1/_tokens", wrong)[0], 400, wrong)

    def test_the_organization_can_be_renamed(self):
        call = self.server.call
        before = run_evq(self.server.directory, "org")
        token = self.make("--personal")
        status, changed = call("POST", "/v1/_set_org", {"id": "acme-1"})
        self.assertEqual((status, changed["id"]), (200, "acme-1"))
        self.assertEqual(run_evq(self.server.directory, "org"), "acme-1")
        self.assertEqual(call("GET", "/v2/orgs")[1][0]["id"], "acme-1")
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 403)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id="acme-1"), 200)
        for wrong in ("", "a b", "gr\u00fcn", "a\nb", "x" * 257, 7, None):
            self.assertEqual(call("POST", "/v1/_set_org", {"id": wrong})[0], 400, wrong)
        self.assertEqual(call("POST", "/v1/_set_org", {"id": before})[0], 200)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 200)
        run_evq(self.server.directory, "org", "set", "acme-2")  # another process
        wait_until(lambda: self.status(token, "GET", "/v2/datasets", x_service_org_id="acme-2") == 200)
        self.assertEqual(self.status(token, "GET", "/v2/datasets", x_service_org_id=before), 403)
        run_evq(self.server.directory, "org", "set", before)

    def test_a_token_that_is_gone_does_not_come_back(self):
        for _ in range(20):
            made = self.server.call("POST", "/v2/tokens", {"name": "short"})[1]["id"]
            asks = [threading.Thread(target=self.server.call, args=args) for args in (
                ("POST", f"/v2/tokens/{made}/regenerate", {"existingTokenExpiresAt": "2100-01-01T00:00:00Z"}),
                ("DELETE", "/v2/tokens/" + made))]
            for ask in asks:
                ask.start()
            for ask in asks:
                ask.join()
            self.assertEqual(self.server.call("GET", "/v2/tokens/" + made)[0], 404)

    def test_tokens_over_the_api(self):
        call = self.server.call
        wanted = {"name": "api", "description": "", "expiresAt": None, "datasetCapabilities": {
            "logs": {"query": ["read"]}}, "orgCapabilities": {"annotations": ["read"]}}
        status, made = call("POST", "/v2/tokens", wanted)
        self.assertEqual(status, 200, made)
        secret = made.pop("token")
        self.assertEqual({**wanted, "id": made["id"]}, made)
        self.assertEqual(call("GET", "/v2/tokens/" + made["id"])[1], made)
        apl = {"apl": "['logs'] | count"}
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 200)
        status, again = call("POST", f"/v2/tokens/{made['id']}/regenerate",
                             {"existingTokenExpiresAt": "2020-01-01T00:00:00Z", "newTokenExpiresAt": None})
        self.assertEqual(status, 200)
        self.assertNotEqual(again["id"], made["id"])
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(self.status(again["token"], "POST", "/v1/query/_apl", apl), 200)
        self.assertEqual(call("DELETE", "/v2/tokens/" + again["id"])[0], 204)
        self.assertEqual(self.status(again["token"], "POST", "/v1/query/_apl", apl), 403)
        for asked, kept in (("2100-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
                            ("2010-01-01T00:00:00Z", "2010-01-01T00:00:00Z")):  # sooner, never later
            call("POST", f"/v2/tokens/{made['id']}/regenerate",
                 {"existingTokenExpiresAt": asked, "newTokenExpiresAt": None})
            self.assertEqual(call("GET", "/v2/tokens/" + made["id"])[1]["expiresAt"], kept)
        self.assertEqual(self.status(secret, "POST", "/v1/query/_apl", apl), 403)
        self.assertEqual(call("DELETE", "/v2/tokens/" + made["id"])[0], 204)
        maker = self.make("--allow", "apiTokens|create")
        self.assertEqual(self.status(maker, "POST", "/v2/tokens", wanted), 403)
        for path in os.listdir(self.server.directory):
            file = os.path.join(self.server.directory, path)
            if os.path.isfile(file):
                with open(file, "rb") as held:
                    self.assertNotIn(secret.encode(), held.read(), path)
        self.assertFalse(any(secret in line for line in self.server.lines))

    def test_permissions_that_do_not_exist_are_refused(self):
        call = self.server.call
        made = call("POST", "/v2/tokens", {"name": "old"})[1]["id"]
        again = {"existingTokenExpiresAt": "2100-01-01T00:00:00Z"}
        for capabilities, *words in (
                ({"datasetCapabilities": {"x": {"ingest": ["fly"]}}}, "'x'", "'ingest|fly'", "create"),
                ({"datasetCapabilities": {"*": {"query": ["read", "create"]}}}, "'query|create'", "read"),
                ({"datasetCapabilities": {"x": {"dashboards": ["read"]}}}, "'dashboards'",
                 "ingest", "starredQueries", "virtualFields"),
                ({"datasetCapabilities": {"x": {"": []}}}, "''", "ingest"),
                ({"datasetCapabilities": {"pm*": {"query": ["read"]}}}, "datasetCapabilities", "'pm*'", "all datasets"),
                ({"datasetCapabilities": {"bad/name": {"query": ["read"]}}}, "'bad/name' cannot name a dataset"),
                ({"datasetCapabilities": {"": {}}}, "''"),
                ({"orgCapabilities": {"dataset": ["update"]}}, "'dataset'", "datasets", "apiTokens"),
                ({"orgCapabilities": {"ingest": ["create"]}}, "orgCapabilities", "'ingest'"),
                ({"orgCapabilities": {"auditLog": ["Read"]}}, "'auditLog|Read'", "read"),
                ({"viewCapabilities": {"v": {"ingest": ["create"]}}}, "'v'", "'ingest'", "query", "share"),
                ({"viewCapabilities": {"v": {"query": ["delete"]}}}, "'query|delete'", "read")):
            for path, body in (("/v2/tokens", {"name": "t", **capabilities}),
                               ("/v1/_tokens", {"name": "t", **capabilities}),
                               (f"/v2/tokens/{made}/regenerate",
                                {**again, "newToken": {"name": "t", **capabilities}})):
                status, answer = call("POST", path, body)
                self.assertEqual(status, 400, (path, capabilities, answer))
                for word in words:
                    self.assertIn(word, answer["message"], (path, capabilities))
        # Every one that clients of Axiom know, and what they send of the others.
        crud = ["create", "read", "update", "delete"]
        wanted = {
            "datasetCapabilities": {"logs": {
                "ingest": ["create"], "query": ["read"], "starredQueries": crud, "virtualFields": crud,
                "trim": ["update"], "vacuum": ["update"], "data": ["delete"],
                "share": ["create", "read", "delete"]}, "*": {"ingest": None, "query": []}},
            "orgCapabilities": {
                **dict.fromkeys(("annotations", "apiTokens", "dashboards", "datasets", "endpoints", "flows",
                                 "integrations", "monitors", "notifiers", "rbac", "users", "views"), crud),
                "auditLog": ["read"], "billing": ["read", "update"],
                "sharedAccessKeys": ["read", "update"]},
            "viewCapabilities": {"v": {"query": ["read"], "share": ["create", "read", "delete"]}}}
        status, answer = call("POST", "/v2/tokens", {"name": "all", **wanted})
        self.assertEqual(status, 200, answer)
        for name, given in wanted.items():
            self.assertEqual(answer[name], given)
        self.assertEqual(call("POST", "/v2/tokens", {
            "name": "none", "datasetCapabilities": {"logs": None}, "orgCapabilities": None,
            "viewCapabilities": None})[0], 200)

    def test_events_for_several_indexes_need_permission_for_all(self):
        token = self.make("--ingest", "ship")
        body = b'{"event":"e","index":"ship"}{"event":"e","index":"wreck"}'
        self.assertEqual(self.status(token, "POST", "/services/collector", body), 403)
        self.assertEqual(self.server.call("GET", "/v2/datasets/ship")[0], 404)

    def test_the_only_dataset_of_a_token_need_not_be_named(self):
        one = self.make("--ingest", "alone", "--query", "other")
        two = self.make("--ingest", "alone", "--ingest", "second")
        everything = self.make("--ingest", "*")
        audited = self.make("--ingest", "*", "--query", "alone")
        none = self.make("--query", "alone")
        log = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"body": {"stringValue": "l"}}]}]}]}
        span = {"resourceSpans": [{"scopeSpans": [{"spans": [{"name": "s"}]}]}]}
        for path, body, empty in (("/v1/logs", log, 400), ("/v1/traces", span, 400),
                                  ("/services/collector", {"event": "e"}, 400)):
            for token, status in ((one, 200), (two, empty), (everything, empty), (audited, empty), (none, empty)):
                self.assertEqual(self.status(token, "POST", path, body), status, path)
        self.assertEqual(self.server.query("alone | count")["tables"][0]["columns"], [[3]])
        # What is named goes there, or nowhere.
        status = self.server.call("POST", "/v1/logs", log, {"Authorization": "Bearer " + one,
                                                           "X-Axiom-Dataset": "second"})[0]
        self.assertEqual(status, 403)

    def test_shippers_schemes(self):
        token = self.make("--ingest", "ship")
        basic = base64.b64encode(("x:" + token).encode()).decode()
        for scheme in ("Splunk " + token, "Basic " + basic, "Bearer " + token):
            status, answer = self.server.call("POST", "/services/collector", b'{"event":"e"}',
                                              {"Authorization": scheme})
            self.assertEqual(status, 200, answer)
        for key in (basic, token):  # some clients send a key as they are given it
            status, _ = self.server.call("POST", "/v1/ingest/ship/elastic/_bulk",
                                         b'{"index":{}}\n{"a":1}\n', {"Authorization": "ApiKey " + key})
            self.assertEqual(status, 200)

    def test_whoever_authenticates_is_told_that_there_is_no_such_path(self):
        token = self.make("--ingest", "ship")
        paths = (("GET", "/v1/ingest/ship/elastic/_cat", 404), ("GET", "/v1/ingest/ship/elastic/_bulk", 405),
                 ("GET", "/services/collector", 405), ("POST", "/services/collector/ack", 400),
                 ("GET", "/loki/api/v1/push", 405), ("GET", "/loki/api/v1/labels", 404),
                 ("POST", "/v1/metrics", 404), ("GET", "/none", 404))
        for secret, refused in ((token, False), ("xaat-wrong", True), (token + "x", True)):
            pair = base64.b64encode(("x:" + secret).encode()).decode()
            for scheme in ("Bearer " + secret, "Splunk " + secret, "Basic " + pair, "ApiKey " + pair):
                for method, path, status in paths:
                    answer = self.server.call(method, path, None, {"Authorization": scheme})[0]
                    self.assertEqual(answer, 403 if refused else status, (scheme, method, path))
        for scheme in ("", "Splunk", "Basic " + token, "Basic !", "Digest " + token):
            for method, path, _ in paths:
                self.assertEqual(self.server.call(method, path, None, {"Authorization": scheme})[0], 403,
                                 (scheme, method, path))
        # What takes bearer tokens only takes no others because of that.
        self.assertEqual(self.server.call("GET", "/v2/user", None, {"Authorization": "Splunk " + token})[0],
                         403)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
