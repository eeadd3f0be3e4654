"""The same commands on a server: --server and --token, answers as on a local store, and requests
that are repeated only when nothing was done."""

import contextlib
import http.server
import json
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import threading

from evq_case import EVQ, EvqCase, main


class FakeServer:
    """Answers POSTs as it is told: a list of statuses; 0 breaks the connection after the body."""

    def __init__(self, statuses, pages=None, failures=(), lasting=None):
        """`pages` are what GET answers, by path; what is not among them is not found. `failures` are
        the errors of events that every POST tells. `lasting` names the kind of all its refusals, which
        do not go away by waiting."""
        self.bodies = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outer.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
                status = statuses.pop(0)
                if status == 0:
                    self.close_connection = True
                    self.connection.shutdown(2)
                    return
                told = [{"timestamp": "2024-05-01T00:00:00Z", "error": error} for error in failures]
                body = json.dumps({"message": "no", "ingested": 1, "failed": len(told), "failures": told,
                                   "processedBytes": 8, "blocksCreated": 0,
                                   "walLength": 1}).encode()
                self.send_response(status)
                if lasting is not None:
                    self.send_header("X-Evq-Error", lasting)
                elif status in (429, 503):
                    self.send_header("Retry-After", "0")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_GET(self):
                page = (pages or {}).get(self.path)
                body = json.dumps({"message": "not found"} if page is None else page).encode()
                self.send_response(404 if page is None else 200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Server(EvqCase):
    def setUp(self):
        super().setUp()
        self.evq("dataset", "create", "first")
        self.url, self.token, self.process = self.serve()
        self.environment |= {"EVQ_SERVER": self.url, "EVQ_TOKEN": self.token}
        store = self.environment.pop("EVQ_STORE")
        self.local = ("--store", store)

    def test_a_hint_stands_below_its_message(self):
        for where in ((), self.local):
            self.assertEqual(self.evq(*where, "dataset", "create", "bad name!", status=2)[1],
                             "error: 'bad name!' cannot name a dataset\n  = a name has 1 to 128 letters, digits, "
                             "'-', '_' or '.', the first and last a letter or digit\n")

    def test_of_servers_that_start_at_once_one_shows_a_token(self):
        for turn in range(3):
            store = self.directory / f"fresh{turn}"
            servers = [self.start("--store", store, "serve", "--listen", "127.0.0.1:0")
                       for _ in range(3)]
            tokens = 0
            for server in servers:
                for line in server.stderr:
                    tokens += "first token" in line
                    if "listening on" in line:
                        break
                server.terminate()
                self.assertEqual(server.wait(timeout=30), 0)
            self.assertEqual(tokens, 1)

    def test_a_server_that_cannot_listen_shows_no_token(self):
        _, errors = self.evq("--store", "fresh", "serve", "--listen",
                             self.url.removeprefix("http://"), status=None)
        self.assertIn("in use", errors)
        self.assertNotIn("first token", errors)

    def test_mistakes_are_told_as_a_store_tells_them(self):
        self.ingest("web", ['{"_time":"2024-05-01T00:00:00Z","status":200,"user name":"x"}'])
        self.evq("dataset", "map-field", "add", "web", "labels")
        self.evq("starred", "put", "errors", "--apl", "web")
        for words in (("dataset", "info", "wbe"), ("dataset", "fields", "quite-other"),
                      ("dataset", "delete", "wbe", "--yes"), ("dataset", "create", "web"),
                      ("compact", "wbe"),
                      ("dataset", "map-field", "add", "wbe", "x"),
                      ("dataset", "map-field", "list", "wbe"),
                      ("dataset", "map-field", "remove", "wbe", "x"),
                      ("dataset", "map-field", "remove", "web", "label"),
                      ("dataset", "map-field", "remove", "web", "quite-other"),
                      ("starred", "get", "x"), ("starred", "run", "x"), ("starred", "delete", "x"),
                      ("starred", "get", "erors"), ("starred", "run", "erors"),
                      ("starred", "delete", "erors"),
                      ("token", "delete", "x"), ("query", "wbe"), ("query", "['wbe'] | count"),
                      ("query", "web | where ['user nmae'] == 'x'"), ("query", "web | wher x"),
                      ("query", "web | where status = 200"), ("query", "web |\n where stauts == 1"),
                      ("query", "web | summarize cout()"), ("query", "--cursor", "x", "web"),
                      ("tail", "wbe"), ("tail", "web", "summarize count()"), ("export", "wbe"),
                      ("delete", "web | count"), ("delete", "wbe | where status == 1")):
            with self.subTest(words):
                out, errors = self.evq(*words, status=None)
                self.assertEqual((out, errors), self.evq(*self.local, *words, status=None))

    def test_ingest_forms(self):
        inputs = {
            "ndjson": '{"i":0}\n{"i":1}\n',
            "array": '[{"i":0},\n {"i":1}]',
            "pretty": '{\n  "i": 0\n}\n{\n  "i": 1\n}\n',
            "rows": '["i","b"]\n[0,{"c":1}]\n[1]\n',
            "csv": 'i,"a, b"\n0,x\n1,"y\nz"\n',
        }
        for name, text in inputs.items():
            with self.subTest(name):
                report = json.loads(self.out("ingest", name, input=text))
                self.assertEqual((report["ingested"], report["failed"]), (2, 0))
                out = self.out(*self.local, "query", f"{name} | sort by i asc | project toint(i)",
                               "-o", "csv", "--no-header")
                self.assertEqual(out, "0\n1\n")
        self.assertEqual(
            json.loads(self.out("query", "csv | where i == 1 | project b = ['a, b']")),
            {"b": "y\nz"})

    def test_what_a_server_is_sent_becomes_what_a_store_takes(self):
        line = "2024-05-01T10:00:00Z started\n"
        inputs = {
            "shared": (b'{"a":1}{"a":"}{"} {"a":3}\n[{"a":4},{"a":5}]\n{"a":6},\n{"a":7} x\n\n{"a":8}{', ()),
            "strict": (b'{"a":1} {"a":2}\n{"a":3},\n', ("--strict",)),
            "one": (b'{"a":1}{"a":2}\n{"a":3},\n{"a":4}', ("--format", "ndjson")),
            "rows": (b'["a","b"]\n[1.0,1e400]\n[2.0,"\\ud800"]\n[3.0,"\xff"]\n[4.0,18446744073709551616]\n'
                     b'[5.0,{"k":1.0,"k":2}]\n[6.0,"\\x41"]\n[1,2,3]\n[7][8]\n', ()),
            "logfmt": (b"a=1 b=2\na=1 a= b=3\n", ()),
            "zeek": (b"#fields\tts\td\tc\n#types\ttime\tdouble\tcount\n"
                     b"1714558830\t5\t18446744073709551615\n1714558831.5\t1e400\t1\n", ()),
            "layout": (line.encode(), ("--timestamp-format", "2006-01-02")),
            "field": (line.encode(), ("--timestamp-field", "when")),
            "w3c": (b"#Fields: date time a\n2024-05-01 10:00:00 1\n", ("--timestamp-field", "when")),
        }
        for name, (text, options) in inputs.items():
            with self.subTest(name):
                (self.directory / name).write_bytes(text)
                taken = []
                for where, dataset in (((), name), (self.local, "local-" + name)):
                    done = subprocess.run(
                        [EVQ, *where, "-q", "ingest", dataset, name, *options], cwd=self.directory,
                        env=self.environment, capture_output=True, text=True, timeout=60)
                    report = json.loads(done.stdout)
                    times = " | extend early = _time < ago(1d)"
                    rows = json.loads(self.out("query", f"['{dataset}']{times} | project-away _sysTime"
                                               " | extend type = gettype(column_ifexists('a', 0))",
                                               "-o", "json"))
                    for row in rows:
                        if not row["early"]:
                            del row["_time"]
                    taken.append((report["ingested"], report["failed"], done.returncode,
                                  sorted(map(json.dumps, rows))))
                self.assertEqual(*taken)

    def test_plain_lines(self):
        line = "2024-05-01T10:00:00Z started on port 80"
        self.evq("ingest", "log", input=line + "\nand went on\n")
        self.assertEqual(
            self.out("query", "log | where message has 'port' | project _time, message"),
            f'{{"_time":"2024-05-01T10:00:00Z","message":"{line}"}}\n')

    def test_many_batches(self):
        count = 60_000
        report = json.loads(self.out("ingest", "many", "--label", "host=h", input="".join(
            f'{{"_time":{1714521600000 + i},"i":{i}}}\n' for i in range(count))))
        self.assertEqual(report["ingested"], count)
        self.assertEqual(self.out("query", "many | summarize count(), dcount(i), take_any(host)",
                                  "-o", "csv", "--no-header")[:6], f"{count},")
        out = self.out("query", "many | project i", "--all", "-o", "csv", "--no-header")
        self.assertEqual([int(line) for line in out.splitlines()], list(range(count))[::-1])

    def test_failures_have_the_places_of_the_input(self):
        lines = [f'{{"i":{i}}}' for i in range(25_000)]
        lines[3] = "bad"
        lines[20_000] = "worse"
        report = json.loads(self.evq("ingest", "app", "--reject-file", "rejects",
                                     input="\n".join(lines))[0])
        self.assertEqual(report["failed"], 2)
        self.assertTrue(report["failures"][0]["error"].startswith("line 4, column 1"))
        self.assertTrue(report["failures"][1]["error"].startswith("line 20001, column 1"))
        self.assertEqual((self.directory / "rejects").read_text(), "bad\nworse\n")
        self.evq("ingest", "app", "--strict", "--format", "ndjson", input="bad\n", status=4)
        repaired = b'{"a":"\xff"}\n{"a":"b"}\n'
        for where in ((), self.local):
            report = json.loads(self.out(*where, "ingest", "strict", "--strict", input=repaired, status=4))
            self.assertEqual((report["ingested"], report["failed"]), (1, 1))

    def test_too_many_failures_are_told_as_locally(self):
        text = '{"a":1}\nbad\nbad\n{"a":2}\n'
        told = "error: stdin: too many events failed: 2, the first in line 2, column 1: "
        for where, stored, hint in (((), 2, "2 events are stored"), (self.local, 0, "no event is stored")):
            with self.subTest(where):
                out, errors = self.evq(*where, "ingest", "few", "--max-errors", "1", "--format", "ndjson", input=text,
                                       status=4)
                self.assertIn(told, errors)
                self.assertTrue(errors.endswith(f"\n  = {hint}\n"), errors)
                self.assertEqual(json.loads(out)["ingested"], stored)

    def test_a_server_listens_at_every_address_of_its_name(self):
        names = {each[4][0] for each in socket.getaddrinfo("localhost", 0, type=socket.SOCK_STREAM)}
        url, _, _ = self.serve("--no-auth", listen="localhost:0")
        port = int(url.rsplit(":", 1)[1])
        for name in names:
            socket.create_connection((name, port), timeout=10).close()

    def test_a_client_by_ipv6_is_logged_as_urls_write_it(self):
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            self.skipTest("no IPv6 here")
        process = self.start("serve", "--no-auth", "--listen", "[::1]:0")
        for line in process.stderr:
            if "listening on" in line:
                break
        client = socket.create_connection(("::1", int(line.rsplit(":", 1)[1])), timeout=10)
        client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertIn(b"200", client.recv(100))
        self.assertEqual(json.loads(process.stderr.readline())["peer"], f"[::1]:{client.getsockname()[1]}")
        client.close()

    def test_every_rejected_line_is_written_down(self):
        lines = "".join(f"bad {i}\n" for i in range(2500))
        out, errors = self.evq("ingest", "app", "--format", "ndjson", "--reject-file", "rejects",
                               input=lines)
        self.assertEqual(json.loads(out)["failed"], 2500)
        self.assertEqual((self.directory / "rejects").read_text(), lines)
        self.assertIn("2490 more lines skipped", errors.replace(",", ""))

    def test_a_failure_without_a_place_rejects_no_line(self):
        fake = FakeServer([200], failures=("line 2, column 1: bad", "somewhere something is bad"))
        self.addCleanup(fake.close)
        report = json.loads(self.out("--server", fake.url, "ingest", "app", "--reject-file", "rejects",
                                     input='{"a":1}\n{"a":2}\n{"a":3}\n'))
        self.assertEqual((report["ingested"], report["failed"]), (1, 2))
        self.assertEqual((self.directory / "rejects").read_text(), '{"a":2}\n')

    def ingest_some(self):
        self.evq("ingest", "app", input="".join(
            f'{{"_time":{1714521600 + i},"i":{i},"real":{i}.5,"text":"t","ok":true,"list":[1,"x"]}}\n'
            for i in range(5)))

    def test_the_forms_of_the_api_are_the_local_ones(self):
        self.ingest_some()
        # A server keeps what it has decoded, a command has nothing to keep it for.
        without_cost = lambda text: re.sub(r'"(elapsedTime|blocksCached)":\d+', "", text)
        for query in ("app", "app | take 2 | project i", "app | summarize count() by bin(_time, 2s), ok",
                      "print 1", "app | where i > 100"):
            self.evq("starred", "put", "mine", "--apl", query)
            for form in ("tabular", "legacy"):
                for words in (("query", query), ("starred", "run", "mine")):
                    here = self.out(*self.local, *words, "-o", form)
                    self.assertEqual(without_cost(self.out(*words, "-o", form)), without_cost(here))
        for status, query in ((0, "app"), (1, "app | where i > 100")):
            for form in ("tabular", "legacy"):
                self.evq("query", query, "-o", form, "--fail-on-empty", status=status)

    def test_query_forms_are_the_local_ones(self):
        self.ingest_some()
        for query in ("app", "app | summarize n = count(), max(_time) by i",
                      "app | extend span = 90s | take 2"):
            for form in ("table", "json", "ndjson", "csv", "markdown", "line", "logfmt"):
                here = self.out(*self.local, "query", query, "-o", form)
                self.assertEqual(self.out("query", query, "-o", form), here)

    def test_compile_errors_have_their_place(self):
        self.evq("ingest", "app", input='{"status":1}\n')
        for query in ("app | where stauts == 1", "ap | count", "app | summarize cout()", "app |"):
            here = self.evq(*self.local, "query", query, status=3)[1]
            self.assertTrue(here.startswith("error["), here)
            self.assertEqual(self.evq("query", query, status=3)[1], here)

    def test_no_query_is_the_same_mistake(self):
        for words in (("query", ""), ("query", "--explain", ""), ("query", " "), ("delete", "")):
            here = self.evq(*self.local, *words, status=3)[1]
            self.assertIn("there is no query in this text", here)
            self.assertEqual(self.evq(*words, status=3)[1], here)

    def test_explain_is_the_local_one(self):
        self.evq("ingest", "app", input='{"status":1}\n')
        query = "app | where status == 1 | summarize count()"
        plan = self.out(*self.local, "query", query, "--explain")
        self.assertEqual(self.out("query", query, "--explain"), plan)
        errors = self.evq("query", "app | where stauts == 1", "--explain", status=3)[1]
        self.assertIn("did you mean 'status'?", errors)
        old = FakeServer([404])
        self.addCleanup(old.close)
        _, errors = self.evq("--server", old.url, "query", query, "--explain", status=2)
        self.assertIn("does not tell its plans", errors)

    def test_profile_is_the_local_one_but_for_the_time(self):
        self.evq("ingest", "app", input="".join(f'{{"status":{i % 3}}}\n' for i in range(90)))

        def timeless(*words):
            lines = self.out(*words, "query", query, "--profile").splitlines()
            self.assertRegex(lines[-1], "^1 of 1 blocks read, 90 rows examined; [0-9.]+ ms with ")
            for line in lines[1:-1]:
                self.assertRegex(line, "^ +[0-9]+ +[0-9.]+ ms  ")
            return [(line[:12], line[29:]) for line in lines[:-1]]

        query = "app | where status > 0 | summarize n = count() by status | where n > 1 | sort by n"
        rows = timeless(*self.local)
        made = {node.split()[0]: int(count) for count, node in rows[1:]}
        self.assertEqual((made["scan"], made["aggregate"], made["filter"]), (60, 2, 2))
        self.assertEqual(timeless(), rows)

    def test_check_is_of_the_servers_store(self):
        self.evq("ingest", "app", input="".join(f'{{"i":{i},"t":"x{i * 7919 % 1000}"}}\n'
                                                for i in range(5000)))
        self.assertEqual(self.out("check"), self.out(*self.local, "check"))
        self.assertTrue(self.out("check").endswith(", 5,000 events: sound\n"))
        store = pathlib.Path(self.local[1])
        damaged = self.directory / "damaged"
        self.process.terminate()
        self.process.wait()
        shutil.copytree(store, damaged)
        path = max(damaged.rglob("*.db"), key=lambda each: each.stat().st_size)
        content = bytearray(path.read_bytes())
        for place in range(len(content) // 2, len(content), 400):  # not all of them are used
            content[place] ^= 0x10
        path.write_bytes(content)
        url, _, _ = self.serve("--store", str(damaged))
        out, _ = self.evq("--server", url, "check", status=5)
        self.assertIn(path.name, out)
        self.assertEqual(self.evq("--store", str(damaged), "check", status=5)[0], out)
        fake = FakeServer([404, 200])
        self.addCleanup(fake.close)
        _, errors = self.evq("--server", fake.url, "check", status=2)
        self.assertIn("does not check its store", errors)
        _, errors = self.evq("--server", fake.url, "check", status=6)
        self.assertIn("lacks its list of problems", errors)

    def test_delete(self):
        self.evq("ingest", "app", input='{"i":1}\n')
        effect = json.loads(self.out("delete", "app | where i == 1"))
        self.assertEqual((effect["dryRun"], effect["rowsMatched"]), (True, 1))
        self.evq("delete", "app | where i == 1", "--commit", "--yes")
        self.assertEqual(self.out("query", "app | count", "-o", "csv"), "Count\n0\n")

    def test_datasets(self):
        self.evq("dataset", "create", "made", "--description", "by a test")
        self.evq("dataset", "create", "made", status=1)
        names = [json.loads(line)["name"] for line in self.out("dataset", "list").splitlines()]
        self.assertEqual(names, ["first", "made"])
        self.evq("ingest", "made", input='{"i":1}\n')
        info = json.loads(self.out("dataset", "info", "made"))
        self.assertEqual(info["numEvents"], 1)
        self.evq("ingest", "made", input='{"i":"x","l":[1],"r":1.5,"b":true,"t":null}\n')
        for words in (("list",), ("info", "made"), ("fields", "made")):
            for form in ("json", "ndjson", "table"):
                self.assertEqual(self.out("dataset", *words, "-o", form),
                                 self.out(*self.local, "dataset", *words, "-o", form))
        self.assertIn("i", self.out("dataset", "fields", "made", "-o", "table"))
        self.evq("dataset", "map-field", "add", "made", "labels")
        self.assertEqual(self.out("dataset", "map-field", "list", "made"), "labels\n")
        self.evq("dataset", "map-field", "remove", "made", "labels")
        self.evq("dataset", "delete", "made", "--yes")
        self.evq("dataset", "info", "made", status=1)

    def test_saved_queries(self):
        body = json.dumps({"kind": "apl", "name": "n", "who": "me", "metadata": {},
                           "query": {"apl": "app | count"}})
        self.evq("ingest", "app", input='{"i":1}\n')
        self.evq(*self.local, "starred", "put", "mine", input=body)
        self.assertEqual(json.loads(self.out("starred", "get", "mine"))["name"], "n")
        self.evq("starred", "put", "mine", input=body.replace('"n"', '"other"'))
        self.assertIn("other", self.out("starred", "list"))
        self.assertEqual(self.out("starred", "run", "mine"), '{"Count":1}\n')
        made = json.loads(self.out("starred", "put", "new", input=body))
        self.assertEqual(made["id"], "new")
        self.evq("starred", "put", "new", "--apl", "app | take 1")
        self.assertEqual(self.out("starred", "list"), self.out(*self.local, "starred", "list"))
        self.evq("starred", "delete", "new")
        self.evq("starred", "get", "new", status=1)

    def test_a_saved_query_has_its_variables(self):
        self.evq("ingest", "app", input="".join('{"i":%d,"s":"x%d"}\n' % (i, i) for i in range(9)))
        body = json.dumps({"kind": "apl", "name": "n", "who": "me", "metadata": {}, "query": {
            "apl": "declare query_parameters (least:long, name:string = 'x0'); "
                   "app | where i >= least or s == name | count",
            "variables": {"least": 7, "name": "x3"}}})
        self.evq("starred", "put", "mine", input=body)
        local = self.out(*self.local, "starred", "run", "mine")
        self.assertEqual(self.out("starred", "run", "mine"), local)
        for where in ((), self.local):
            self.assertIn('{"Count":3}', self.out(*where, "repl", input=".starred mine\n"))
        self.assertEqual(local, '{"Count":3}\n')

    def test_no_rows_are_no_rows(self):
        self.evq("ingest", "app", input='{"i":1}\n{"i":2}\n')
        for apl in ("app", "app | summarize count() by i"):
            self.assertEqual(self.out("query", "--limit", "0", apl), "")
            self.assertEqual(self.out(*self.local, "query", "--limit", "0", apl), "")

    def test_a_line_that_repeats_itself_is_no_bomb(self):
        line = json.dumps({"a": "x" * 900_000})
        self.evq("ingest", "app", input=(line + "\n") * 12)
        self.assertEqual(self.out("query", "app | count", "-o", "csv"), "Count\n12\n")

    def test_tokens(self):
        token = self.out("token", "create", "--name", "reader", "--query", "first").strip()
        self.evq("--token", token, "ingest", "first", input='{"i":1}\n', status=6)
        self.evq("--token", token, "query", "first | count")
        listed = [json.loads(line) for line in self.out("token", "list").splitlines()]
        found = [row["id"] for row in listed if row["name"] == "reader"]
        self.evq("token", "delete", found[0])
        self.assertNotIn("reader", self.out("token", "list"))
        self.assertTrue(self.out("org").strip())

    def test_personal_tokens(self):
        token = self.out("token", "create", "--name", "mine", "--personal").strip()
        self.assertTrue(token.startswith("xapt-"), token)
        self.assertEqual(self.out("token", "list"), self.out(*self.local, "token", "list"))
        _, errors = self.evq("--token", token, "dataset", "list", status=6)
        self.assertIn("--org", errors)
        org = self.out("--token", token, "org").strip()
        self.evq("--token", token, "--org", org, "ingest", "first", input='{"i":1}\n')
        out = self.out("--token", token, "--org", org, "query", "first | count")
        self.assertEqual(out, '{"Count":1}\n')
        mine = [row for row in map(json.loads, self.out("token", "list").splitlines())
                if row["name"] == "mine"]
        self.assertEqual([row["kind"] for row in mine], ["personal"])
        self.evq("token", "delete", mine[0]["id"])
        self.evq("--token", token, "--org", org, "dataset", "list", status=6)
        _, errors = self.evq("token", "delete", mine[0]["id"], status=1)
        self.assertEqual(errors, "error: token not found\n  = evq token list shows what there is\n")
        fake = FakeServer([404])
        self.addCleanup(fake.close)
        _, errors = self.evq("--server", fake.url, "token", "create", "--name", "p", "--personal",
                             status=2)
        self.assertIn("makes no personal tokens", errors)

    def test_the_organization(self):
        self.assertEqual(self.out("org"), self.out(*self.local, "org"))
        self.assertEqual(self.out("org", "set", "acme"), "acme\n")
        self.assertEqual(self.out(*self.local, "org"), "acme\n")
        for where in ((), self.local):
            _, errors = self.evq(*where, "org", "set", "a b", status=2)
            self.assertIn("'a b' cannot be the id of an organization", errors)
            self.evq(*where, "org", "set", "", status=2)
        fake = FakeServer([404])
        self.addCleanup(fake.close)
        _, errors = self.evq("--server", fake.url, "org", "set", "x", status=2)
        self.assertIn("does not let its id be chosen", errors)

    def test_a_dataset_that_is_deleted_once_it_was_named(self):
        web = {"id": "web", "name": "web", "description": "", "who": "me"}
        gone = {**web, "id": "gone", "name": "gone"}
        for datasets, listed in (([gone, web], json.dumps(web, separators=(",", ":")) + "\n"),
                                 ([gone], "")):
            fake = FakeServer([404, 200], {"/v2/datasets": datasets, "/v2/datasets/web": web})
            self.addCleanup(fake.close)
            self.assertEqual(self.out("--server", fake.url, "dataset", "list"), listed)
            self.evq("--server", fake.url, "compact")
            self.assertEqual(len(fake.bodies), len(datasets))
            self.evq("--server", fake.url, "dataset", "info", "gone", status=1)

    def test_a_server_that_knows_only_axioms_routes(self):
        dataset = {"id": "web", "name": "web", "description": "", "who": "me",
                   "created": "2024-05-01T00:00:00Z"}
        field = {"name": "status", "type": "integer"}
        token = {"id": "t1", "name": "shipper", "expiresAt": None}
        fake = FakeServer([404] * 9, {
            "/v2/datasets": [dataset], "/v2/datasets/web": dataset,
            "/v2/datasets/web/fields": [field], "/v2/datasets/web/mapfields": ["labels"],
            "/v2/tokens": [token], "/v2/orgs": [{"id": "acme", "name": "Acme"}],
            "/v2/apl-starred-queries?limit=1000": []})
        self.addCleanup(fake.close)
        there = ("--server", fake.url)
        for words in (("list",), ("info", "web")):
            self.assertEqual(json.loads(self.out(*there, "dataset", *words)), dataset)
        self.assertIn("│ web     │        │", self.out(*there, "dataset", "list", "-o", "table"))
        self.assertEqual(json.loads(self.out(*there, "dataset", "fields", "web")), field)
        self.assertEqual(self.out(*there, "dataset", "map-field", "list", "web"), "labels\n")
        self.assertEqual(json.loads(self.out(*there, "token", "list")), token)
        self.assertEqual(self.out(*there, "org"), "acme\n")
        self.assertEqual(self.out(*there, "starred", "list"), "")
        for words, text in ((("check",), "does not check its store"),
                            (("org", "set", "x"), "does not let its id be chosen"),
                            (("token", "create", "--name", "p", "--personal"),
                             "makes no personal tokens"),
                            (("query", "web", "--explain"), "does not tell its plans"),
                            (("query", "web", "--profile"), "this server")):
            _, errors = self.evq(*there, *words, status=2)
            self.assertIn(text, errors)

    def test_refusals(self):
        _, errors = self.evq("--token", "xaat-wrong", "dataset", "list", status=6)
        self.assertIn("evq config show", errors)
        self.process.terminate()
        self.process.wait()
        _, errors = self.evq("dataset", "list", status=6)
        self.assertIn("cannot connect to", errors)
        self.evq("--server", "localhost:1", "dataset", "list", status=2)

    def test_an_address_that_is_not_the_servers(self):
        _, errors = self.evq("--server", self.url + "/v1/", "query", "print 1", status=6)
        self.assertEqual(errors, "error: path not found\n  = is this the address of such a server, without "
                         "/v1 behind it? evq config show tells who named it\n")
        _, errors = self.evq("--server", self.url.replace("http:", "https:"), "dataset", "list",
                             status=6)
        self.assertIn("is it a plain http:// server?", errors)

    def test_only_a_refused_request_is_repeated(self):
        fake = FakeServer([503, 429, 200])
        self.addCleanup(fake.close)
        self.evq("--server", fake.url, "ingest", "app", input='{"i":1}\n')
        self.assertEqual(len(fake.bodies), 3)
        self.assertEqual(len(set(fake.bodies)), 1)
        for first, status in ((0, 6), (500, 6), (400, 2)):
            fake = FakeServer([first, 200])
            self.addCleanup(fake.close)
            _, errors = self.evq("--server", fake.url, "ingest", "app", input='{"i":1}\n',
                                 status=status)
            self.assertEqual(len(fake.bodies), 1)
            self.assertEqual("is unknown" in errors, first == 0)

    def test_a_refusal_that_lasts_is_not_waited_out(self):
        fake = FakeServer([503, 200], lasting="read-only")
        self.addCleanup(fake.close)
        self.evq("--server", fake.url, "ingest", "app", input='{"i":1}\n', status=5)
        self.assertEqual(len(fake.bodies), 1)

    def test_no_row_is_lost_in_silence(self):
        events = "".join('{"n":%d}\n' % i for i in range(50500))
        self.evq("ingest", "big", input=events)
        for words in (("export", "big | summarize c = count() by n", "--output", "c.csv"),
                      ("export", "big | sort by n asc", "--output", "s.csv"),
                      ("query", "--all", "big | summarize c = count() by n"),
                      ("query", "big | summarize c = count() by n"),
                      ("query", "--limit", "50200", "big | sort by n asc"),
                      ("query", "--all", "big", "-o", "tabular"),
                      ("query", "big | take 50200")):
            with self.subTest(words):
                out, errors = self.evq(*words, status=None)
                self.assertIn("at most 50000 rows", errors)
                self.assertEqual(out, "")
        self.assertFalse((self.directory / "c.csv").exists())
        self.assertEqual(self.out("query", "big | take 50000 | count").split(), ['{"Count":50000}'])
        self.assertEqual(len(self.out("query", "big | take 50000").splitlines()), 50000)
        self.assertEqual(len(self.out("query", "--all", "big").splitlines()), 50500)
        for apl in ("big", "big | sort by n asc", "big | take 1000", "big | top 1000 by n"):
            with self.subTest(apl):
                self.assertEqual(self.evq("query", apl)[1], self.evq(*self.local, "query", apl)[1])

    def test_a_deadline_is_one_of_a_silent_server(self):
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        out, errors = self.evq("--server", url, "query", "--timeout", "0.3", "print 1", status=124)
        self.assertEqual(out, "")
        self.assertIn("longer than its limit of 300 ms", errors)

    def test_the_servers_time_limit_is_one_too(self):
        url, token, _ = self.serve("--timeout", "0.2")
        _, errors = self.evq("--server", url, "--token", token, "query",
                             "range x from 1 to 100000000 step 1 | summarize dcount(x)", status=124)
        self.assertIn("longer than its limit of 200 ms", errors)

    def make_certificate(self):
        """The files of a key and of a certificate for localhost."""
        key, certificate = self.directory / "key.pem", self.directory / "cert.pem"
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(certificate)],
            capture_output=True)
        if made.returncode != 0:
            self.skipTest("no openssl to make a certificate with")
        return key, certificate

    def test_tls_is_verified(self):
        key, certificate = self.make_certificate()
        url, _, _ = self.serve(*self.local, "--tls-cert", certificate, "--tls-key", key)
        named = url.replace("127.0.0.1", "localhost")
        _, errors = self.evq("--server", named, "dataset", "list", status=6)
        self.assertIn("certificate verify failed", errors)
        self.assertIn("--ca-file", errors)
        plain = named.replace("https:", "http:")
        _, errors = self.evq("--server", plain, "dataset", "list", status=6)
        self.assertIn("is it an https:// server?", errors)
        self.evq("--server", named, "--ca-file", certificate, "dataset", "list")
        # The address is not a name of the certificate.
        self.evq("--server", url, "--ca-file", certificate, "dataset", "list", status=6)

    def test_a_tls_server_is_told_a_name_and_no_address(self):
        key, certificate = self.make_certificate()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        told = []
        context.sni_callback = lambda _socket, name, _context: told.append(name)

        def shake_hands(listener):
            for _ in range(2):
                connection, _ = listener.accept()
                with connection, contextlib.suppress(OSError):  # the client trusts nobody here
                    context.wrap_socket(connection, server_side=True).close()

        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = threading.Thread(target=shake_hands, args=(listener,))
            server.start()
            for host in ("127.0.0.1", "localhost"):
                _, errors = self.evq("--server", f"https://{host}:{listener.getsockname()[1]}",
                                     "dataset", "list", status=6)
                self.assertIn("certificate verify failed", errors)
            server.join()
        self.assertEqual(told, [None, "localhost"])


if __name__ == "__main__":
    main()
