"""externaldata: files and addresses from the command line, and what a server lets its users read."""

import gzip
import http.server
import json
import os
import socket
import subprocess
import threading
import time
import urllib.request

from evq_case import EVQ, EvqCase, main
from processes import open_files, wait_until


class Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        moved = {"/moved": "/people.csv", "/old/list?a=b": "people.csv", "/old/people.csv": "../people.csv",
                 "/old/host": f"//{self.headers['Host']}/old/list?of=people", "/deep/er/": "./../../../moved?again",
                 "/old/list?of=people": "?a=b", "/moved?again": f"http://{self.headers['Host']}/moved"}
        if self.path in moved:
            self.send_response(302)
            self.send_header("Location", moved[self.path])
            self.end_headers()
            return
        if self.path in ("/never-ends", "/too-long"):
            self.send_response(200)
            self.send_header("Content-Length", str(1 << (10 if self.path == "/never-ends" else 30)))
            self.end_headers()
            self.wfile.write(b"1\n")
            if self.path == "/never-ends":
                self.server.over.wait(60)
            return
        people = b"id,name\n1,Ann\n2,Bob\n"
        pages = {"/people.csv": people, "/people.csv.gz": gzip.compress(people),
                 "/marked.csv": b"\xef\xbb\xbfid,name\n2,B\xffb\n"}
        if self.path not in pages:
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(pages[self.path])

    def log_message(self, *_):
        pass


class External(EvqCase):
    def rows(self, apl):
        return [json.loads(line) for line in self.out("-q", "query", apl).splitlines()]

    def write(self, name, content):
        path = self.directory / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def web(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Web)
        server.over = threading.Event()
        self.addCleanup(server.over.set)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}"

    def test_mapping(self):
        events = self.write("events.json", """
{"timestamp": "2019-01-01 10:00:00", "data": {"tenant": "t1", "method": "Get", "odd key": [1, 2]}}
{"timestamp": "2019-01-01 10:00:01", "data": {"tenant": "t2"}}
""")
        read = f"externaldata (Timestamp:datetime, Tenant:string, Method:string) ['{events}'] "
        mapping = ('[{"Column":"Timestamp","Properties":{"Path":"$.timestamp"}},'
                   '{"column":"Tenant","properties":{"path":"$.data.tenant"}},'
                   '{"Column":"Method","path":"$.data[\\\'method\\\']"}]')
        self.assertEqual(self.rows(read + f"with (format='multijson', ingestionMapping='{mapping}')"),
                         [{"Timestamp": "2019-01-01T10:00:00Z", "Tenant": "t1", "Method": "Get"},
                          {"Timestamp": "2019-01-01T10:00:01Z", "Tenant": "t2", "Method": None}])
        read = f"externaldata (a:long, b:string, c:dynamic, d:string) ['{events}'] "
        mapping = ('[{"Column":"a","Properties":{"Path":"$.data[\'odd key\'][1]"}},'
                   '{"Column":"b","Properties":{"ConstValue":"x"}},'
                   '{"Column":"c","Properties":{"Path":"$"}}]')
        quoted = '@"' + mapping.replace('"', '""') + '"'
        self.assertEqual(self.rows(read + f"with (ingestionMapping={quoted}) "
                                   "| where a == 2 | project a, b, c.data.tenant, d"),
                         [{"a": 2, "b": "x", "c_data_tenant": "t1", "d": None}])
        cells = self.write("cells.csv", "1,Ann,x\n2,Bob\n")
        mapping = ('[{"Column":"name","Properties":{"Ordinal":"1"}},'
                   '{"Column":"last","Properties":{"Ordinal":2}},'
                   '{"Column":"from","Properties":{"ConstValue":"cells"}}]')
        read = f"externaldata (last:string, name:string, from:string) ['{cells}'] "
        self.assertEqual(self.rows(read + f"with (ingestionMapping='{mapping}')"),
                         [{"last": "x", "name": "Ann", "from": "cells"},
                          {"last": None, "name": "Bob", "from": "cells"}])

    def test_mappings_that_do_not_fit(self):
        cells = self.write("cells.csv", "1,Ann\n")
        for mapping, message in (
                ("[1", "ingestionMapping must be a JSON text"),
                ("[1]", "ingestionMapping must have a Column in each of its objects"),
                ('[{"Column":"a"}]', "must have a Path, an Ordinal or a ConstValue for each column"),
                ('[{"Column":"z","Properties":{"Ordinal":0}}]', "name columns of externaldata; 'z' is none"),
                ('[{"Column":"a","Properties":{"Ordinal":-1}}]', "must have ordinals from 0 to 9999"),
                ('[{"Column":"a","Properties":{"Path":"$.a[*]"}}]', "paths to one value"),
                ('[{"Column":"a","Properties":{"Transform":"SourceLocation"}}]',
                 "the transformation 'SourceLocation' of a mapping is not supported"),
                ('[{"Column":"a","Properties":{"Path":"$.a"}}]', "the ingestionMapping does not fit 'csv'")):
            with self.subTest(mapping):
                read = f"externaldata (a:string) ['{cells}'] with (ingestionMapping='{mapping}')"
                self.assertIn(message, self.evq("query", read, status=None)[1])

    def test_csv(self):
        path = self.write("a.csv", 'id,name,at,n\n1,"Ann, A.",2024-05-01,1.5\n2,"say ""hi""",,x\n\n3\n')
        self.assertEqual(
            self.rows(f'externaldata (id:long, name:string, at:datetime, n:real) ["{path}"] '
                      "with (format='csv', ignoreFirstRecord=True)"),
            [{"id": 1, "name": "Ann, A.", "at": "2024-05-01T00:00:00Z", "n": 1.5},
             {"id": 2, "name": 'say "hi"', "at": None, "n": None},
             {"id": 3, "name": None, "at": None, "n": None}])

    def test_csv_is_read_as_ingest_reads_it(self):
        path = self.write("a.csv", '1, "b,c" , x \r\n2,"d ""e""\nf",\n  \n3,,"",,more\n')
        self.assertEqual(self.rows(f'external_data (id:long) ["{path}"] | project id | take 1'), [{"id": 1}])
        self.assertEqual(self.rows(f'externaldata (id:long, a:string, b:string) ["{path}"]'),
                         [{"id": 1, "a": "b,c", "b": "x"},
                          {"id": 2, "a": 'd "e"\nf', "b": None},
                          {"id": 3, "a": None, "b": None}])
        for content, message in (('1,"a\nb"\n2,"d"e\n', "line 3: text after the closing quote of a cell"),
                                 ('1,a\n2,"b\n', "line 2: the quoted cell is not closed")):
            path = self.write("bad.csv", content)
            _, errors = self.evq("query", f'externaldata (id:long, a:string) ["{path}"]', status=4)
            self.assertIn(f"{path}: {message}", errors)

    def test_formats_by_name_and_packed(self):
        for name, content in (("t.tsv", "1\tx"), ("t.psv", "1|x"), ("t.scsv", "1;x"),
                              ("t.json", '[{"a": 1, "b": "x"}]'),
                              ("t.ndjson", '{"b": "x", "a": 1}\n'),
                              ("t.csv.gz", gzip.compress(b"1,x\n"))):
            path = self.write(name, content)
            self.assertEqual(self.rows(f'externaldata (a:long, b:string) ["{path}"]'),
                             [{"a": 1, "b": "x"}], name)

    def test_json_values(self):
        path = self.write("j.json", '{"a": {"b": [1, 2]}, "n": "7"}\n\n{\n "n": 8}\n')
        self.assertEqual(self.rows(f'externaldata (a:dynamic, ["a.b"]:dynamic, n:long) ["{path}"]'),
                         [{"a": {"b": [1, 2]}, "a.b": [1, 2], "n": 7},
                          {"a": None, "a.b": None, "n": 8}])
        path = self.write("bad.json", '{"a": 1}\n{"a": }\n')
        _, errors = self.evq("query", f'externaldata (a:long) ["{path}"]', status=4)
        self.assertIn("line 2 does not begin a JSON object", errors)

    def test_text(self):
        path = self.write("t.txt", "first\r\n\nlast")
        self.assertEqual(self.rows(f'externaldata (line:string) ["{path}"]'),
                         [{"line": "first"}, {"line": ""}, {"line": "last"}])
        self.assertEqual(self.rows(f'externaldata (all:string) ["{path}"] with (format=raw)'),
                         [{"all": "first\r\n\nlast"}])

    def test_bytes_that_are_no_utf8_are_repaired(self):
        for name, content in (("a.csv", b"caf\xe9"), ("a.txt", b"caf\xe9"), ("a.json", b'{"word":"caf\xe9"}')):
            path = self.write(name, content)
            self.assertEqual(self.rows(f'externaldata (word:string) ["{path}"]'), [{"word": "caf\ufffd"}], name)

    def test_as_a_lookup_table_from_several_files(self):
        first = self.write("1.csv", "a,red\n")
        second = self.write("2.csv", "b,blue\n")
        self.assertEqual(
            self.rows(f'let teams = externaldata (user:string, team:string) ["{first}", "{second}"];'
                      "datatable (user:string) ['b', 'c'] | lookup teams on user"),
            [{"user": "b", "team": "blue"}, {"user": "c", "team": None}])

    def test_address(self):
        base = self.web()
        for path in ("/people.csv", "/people.csv.gz", "/moved", "/old/people.csv", "/old/list?a=b",
                     "/old/host", "/deep/er/"):
            self.assertEqual(
                self.rows(f'externaldata (id:long, name:string) ["{base}{path}"] '
                          "with (skipFirstRow=true) | where id == 2"),
                [{"id": 2, "name": "Bob"}])
        self.assertEqual(self.rows(f'externaldata (id:string, name:string) ["{base}/marked.csv"]'),
                         [{"id": "id", "name": "name"}, {"id": "2", "name": "B\ufffdb"}])
        _, errors = self.evq("query", f'externaldata (id:long) ["{base}/none"]', status=None)
        self.assertIn("answers 404", errors)

    def test_an_address_that_takes_long_or_is_long(self):
        base = self.web()
        _, errors = self.evq("query", "--timeout", "0.5",
                             f'externaldata (id:long) ["{base}/never-ends"]', status=124)
        self.assertIn("longer than its limit of 500 ms", errors)
        _, errors = self.evq("query", f'externaldata (id:long) ["{base}/too-long"]', status=4)
        self.assertIn(f"the answer of {base} is larger than", errors)
        server = self.serve("--allow-external", base, "--timeout", "0.5")
        status, answer = self.ask(server, f'externaldata (id:long) ["{base}/never-ends"]')
        self.assertEqual(status, 422, answer)
        self.assertIn("longer than its limit", answer["message"])

    def test_a_query_ends_while_rows_are_made(self):
        path = self.directory / "many.json"
        path.write_text('{"id":1,"b":2,"c":3,"d":4}\n' * 600_000)
        query = f'externaldata (id:long) ["{path}"] | count'
        began = time.monotonic()
        self.evq("query", query)
        seconds = time.monotonic() - began
        # Halved until the limit falls where the rows are made, which takes most of the time: it
        # points at the file there, and at nothing once the rows are made.
        for _ in range(6):
            seconds /= 2
            limit_ms = int(seconds * 1000) | 1  # no whole second
            process = self.start("query", "--timeout", f"{limit_ms}ms", query)
            _, errors = process.communicate(timeout=60)
            if f"limit of {limit_ms} ms\n  --> query:1:25\n" in errors:
                break
        self.assertIn(f"limit of {limit_ms} ms\n  --> query:1:25\n", errors)
        self.assertEqual(process.returncode, 124, errors)

    def wait_until_open(self, process, path):
        wait_until(lambda: str(path) in open_files(process.pid) or process.poll() is not None)
        self.assertIsNone(process.poll(), "it did not open the pipe")

    def test_a_pipe_that_nobody_writes_to(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        query = f'externaldata (id:long) ["{pipe}"]'
        _, errors = self.evq("query", "--timeout", "0.5", query, status=124)
        self.assertIn("longer than its limit of 500 ms", errors)
        for words in (("query", query), ("ingest", "d", pipe), ("query", "--file", pipe, "pipe")):
            process = self.start(*words)
            self.wait_until_open(process, pipe)
            self.assertEqual(self.interrupt(process), 130, words)
        # A writer that opened it and says nothing is waited for no longer.
        writer = os.open(pipe, os.O_RDWR)
        self.addCleanup(os.close, writer)
        _, errors = self.evq("query", "--timeout", "0.5", query, status=124)
        self.assertIn("longer than its limit of 500 ms", errors)

    def test_what_a_pipe_brings(self):
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)
        process = self.start("query", f'externaldata (id:long) ["{pipe}"]', "-o", "csv")
        self.wait_until_open(process, pipe)
        pipe.write_bytes(b"1\n2\n")
        self.assertEqual(process.communicate(timeout=60)[0], "id\n1\n2\n")

    def test_a_name_that_no_server_resolves(self):
        """The system's resolver waits ten seconds for a name server that does not answer."""
        silent = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.addCleanup(silent.close)
        configured = self.directory / "resolv.conf"
        configured.write_text("nameserver 127.83.69.1\n")
        mount = ["unshare", "--mount", "sh", "-c",
                 'mount --bind "$0" "$(readlink -f /etc/resolv.conf)" && exec "$@"', str(configured)]
        if os.geteuid() != 0 or subprocess.run([*mount, "true"], capture_output=True).returncode != 0:
            self.skipTest("needs a mount of its own")
        silent.bind(("127.83.69.1", 53))
        began = time.monotonic()
        done = subprocess.run(
            [*mount, EVQ, "query", "--timeout", "0.5",
             'externaldata (id:long) ["http://an.unheard.of.example/x.csv"]'],
            env=self.environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 124, done.stderr)
        self.assertLess(time.monotonic() - began, 9)
        self.assertIn("longer than its limit of 500 ms", done.stderr)

    def test_mistakes(self):
        for apl, text in (('externaldata (a:long) ["/nowhere/x.csv"]', "/nowhere/x.csv"),
                          ('externaldata (a:long) ["x"] with (format="parquet")', "the formats are"),
                          ('externaldata (a:long) ["x"] with (shape="csv")', "no option 'shape'"),
                          ('externaldata (a:long, a:long) ["x"]', "'a' appears twice"),
                          ("externaldata (a:long) []", "names no file")):
            _, errors = self.evq("query", apl, status=None)
            self.assertIn(text, errors)

    def ask(self, server, apl):
        url, token, _ = server
        request = urllib.request.Request(url + "/v1/datasets/_apl?format=tabular",
                                         json.dumps({"apl": apl}).encode(),
                                         {"Content-Type": "application/json",
                                          "Authorization": "Bearer " + token})
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def test_server_refuses_unless_allowed(self):
        secret = self.write("secret.csv", "1\n")
        open_directory = self.directory / "open"
        open_directory.mkdir()
        (open_directory / "a.csv").write_text("7\n")
        (open_directory / "link.csv").symlink_to(secret)
        self.evq("ingest", "t", "-", input='{"a":1}\n')
        closed = self.serve()
        status, _ = self.ask(closed, f'externaldata (a:long) ["{secret}"]')
        self.assertEqual(status, 400)
        web = self.web()
        url, _, _ = self.serve("--allow-external", open_directory,
                               "--allow-external", web + "/people")
        server = (url, closed[1], None)
        status, answer = self.ask(server, f'externaldata (a:long) ["{open_directory}/a.csv"]')
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["tables"][0]["columns"], [[7]])
        for location in (secret, f"{open_directory}/../secret.csv", open_directory / "link.csv",
                         web + "/people.csv", web + "/moved", "http://127.0.0.1:1/people"):
            status, answer = self.ask(server, f'externaldata (a:long) ["{location}"]')
            self.assertEqual(status, 403, location)
            self.assertIn("may not read", answer["message"])

    def test_a_link_that_changes_while_it_is_opened(self):
        secret = self.write("secret.csv", "1\n")
        open_directory = self.directory / "open"
        open_directory.mkdir()
        (open_directory / "a.csv").write_text("7\n")
        self.evq("ingest", "t", "-", input='{"a":1}\n')
        server = self.serve("--allow-external", open_directory)
        link = open_directory / "link.csv"
        link.symlink_to(secret)
        stop = threading.Event()

        def change():
            while not stop.is_set():
                for name, target in (("good", "a.csv"), ("bad", secret)):
                    (open_directory / name).symlink_to(target)
                    os.replace(open_directory / name, link)

        changing = threading.Thread(target=change)
        changing.start()
        try:
            for _ in range(1000):
                status, answer = self.ask(server, f'externaldata (a:long) ["{link}"]')
                if status == 200:
                    self.assertEqual(answer["tables"][0]["columns"], [[7]])
                else:
                    self.assertEqual(status, 403, answer)
        finally:
            stop.set()
            changing.join()


if __name__ == "__main__":
    main()
