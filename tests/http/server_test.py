#!/usr/bin/env python3
"""The HTTP of a server as its clients see it: framing, methods, origins, errors, the log.

Usage: server_test.py EVQ.
"""

import email.utils
import gzip
import http.client
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from evq_server import EVQ, ServerCase
from processes import wait_until


class Http(ServerCase):
    def test_chunked_bodies_and_expect(self):
        head = ("POST /v1/ingest/chunks HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                "Connection: close\r\n")
        answer = self.server.raw((head + "Transfer-Encoding: chunked\r\n\r\n"
                                  "4\r\n[{\"a\r\n5\r\n\":1}]\r\n0\r\n\r\n").encode())
        self.assertIn(b'"ingested":1', answer)
        answer = self.server.raw((head + "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n"
                                  "[{\"a\":1}]").encode())
        self.assertTrue(answer.startswith(b"HTTP/1.1 100 "), answer)
        self.assertIn(b'"ingested":1', answer)

    def test_requests_as_old_clients_and_those_of_proxies_send_them(self):
        ask = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
        with self.server.connect() as sock:  # an empty line in two parts
            for part in ("\r", f"\n{ask}Connection: close\r\n\r\n"):
                sock.sendall(part.encode())
                time.sleep(0.2)
            self.assertTrue(sock.recv(100).startswith(b"HTTP/1.1 200 "))
        for text, answers in ((f"\r\n{ask}Connection: close\r\n\r\n", 1),
                              (f"{ask}\r\n\r\n{ask}Connection: close\r\n\r\n", 2),
                              ("GET http://localhost:1/healthz HTTP/1.1\r\nHost: y\r\nConnection: close\r\n\r\n", 1),
                              ("OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1)):
            answer = self.server.raw(text.encode())
            self.assertEqual(answer.count(b"HTTP/1.1 200 "), answers, text)
        # Nobody but HTTP/1.1 is told to go on.
        answer = self.server.raw(b"POST /v1/ingest/old HTTP/1.0\r\nContent-Length: 9\r\n"
                                 b"Expect: 100-continue\r\n\r\n" + b'[{"a":1}]')
        self.assertTrue(answer.startswith(b"HTTP/1.1 200 "), answer)
        # Such a client reads to the end of the connection unless it is told that there is none.
        kept = self.server.raw(b"GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
                               b"GET /healthz HTTP/1.0\r\n\r\n")
        self.assertEqual(kept.count(b"HTTP/1.1 200 "), 2, kept)
        self.assertEqual(kept.count(b"Connection: keep-alive\r\n"), 1, kept)
        self.assertEqual(kept.count(b"Connection: close\r\n"), 1, kept)

    def test_ambiguous_framing_is_refused_and_closed(self):
        cases = {
            "Content-Length: 2\r\nTransfer-Encoding: chunked": b"400",
            "Content-Length: 2\r\nContent-Length: 3": b"400",
            "Content-Length: -1": b"400",
            "Content-Length: 99999999999999999999": b"400",
            "Transfer-Encoding: gzip, chunked": b"501",
            "Transfer-Encoding: identity": b"501",
            "Content-Length: 999999999": b"413",
            "Host: y\r\nContent-Length: 2": b"400",
            "X: " + "a" * 20000: b"431",
        }
        for headers, status in cases.items():
            answer = self.server.raw(("POST /v1/ingest/bad HTTP/1.1\r\nHost: localhost\r\n" + headers +
                                      "\r\n\r\n{}").encode())
            self.assertIn(b" " + status + b" ", answer.split(b"\r\n")[0], headers[:60])
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, headers[:60])
        self.assertIn(b" 400 ", self.server.raw(b"GET /healthz HTTP/1.1\r\n\r\n"))
        self.assertIn(b" 400 ", self.server.raw(b"\x16\x03\x01\x02\x00\r\n\r\n"))
        cut = self.server.raw(b"POST /v1/ingest/cut HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n"
                              b'{"a":1}\n', more=False)
        self.assertEqual(cut, b"")
        self.assertEqual(self.server.call("GET", "/v2/datasets/cut")[0], 404)

    def test_a_quotation_beside_a_chunk_is_of_one_line(self):
        def send(extension):
            return self.server.raw(
                b"POST /v1/ingest/quoted HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
                b"9" + extension + b"\r\n[{\"a\":1}]\r\n0" + extension + b"\r\n\r\n")
        for extension in (b"", b";a", b";a=b;c", b';a="x y"', b';a="x\ty"', b';a="\xc3\xa9\xff"', b';a="\\""'):
            self.assertTrue(send(extension).startswith(b"HTTP/1.1 200"), extension)
        # What others on the way may take for the line's end.
        for extension in (b';a="x\ny"', b';a="x\ry"', b';a="x\r\ny"', b';a="\0"', b';a="\\\n"', b';a="\x7f"',
                          b';a="\x1b"', b";a\nb", b";a=\0"):
            answer = send(extension)
            self.assertTrue(answer.startswith(b"HTTP/1.1 400"), (extension, answer))
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, extension)

    def test_pipelined_requests_are_answered_in_order(self):
        one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        answer = self.server.raw(one + one + one.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        self.assertEqual(answer.count(b"HTTP/1.1 200 "), 3)

    def test_errors_are_objects(self):
        call = self.server.call
        for method, path, body, expected in (
                ("GET", "/nope", None, 404), ("PATCH", "/v2/datasets", None, 405),
                ("GET", "/v2/datasets/missing", None, 404),
                ("POST", "/v1/query/_apl?format=xml", {"apl": "x"}, 400),
                ("POST", "/v1/query/_apl?format=tabular", {"apl": "['nowhere']"}, 404),
                ("POST", "/v1/datasets/nowhere/query", {"limit": 1}, 404),
                ("POST", "/v1/query/_apl", b"", 422), ("POST", "/v1/query/_apl", b"{", 400),
                ("POST", "/v2/datasets", {"name": "../x"}, 400)):
            status, answer = call(method, path, body)
            self.assertEqual(status, expected, (path, answer))
            self.assertEqual(answer["code"], expected)
            self.assertIsInstance(answer["message"], str)
            self.assertTrue(self.server.headers["X-Axiom-Trace-Id"])
            if expected == 404:
                self.assertIn("not found", answer["message"].lower())
        status, _ = call("POST", "/v1/query/_apl", b'{"apl":"x"}', {"Content-Type": "text/plain"})
        self.assertEqual(status, 415)
        kind = {"Content-Type": "application/json"}
        packed = gzip.compress(b'{"apl":"print 1"}')
        status, _ = call("POST", "/v1/query/_apl", packed, {**kind, "Content-Encoding": "gzip"})
        self.assertEqual(status, 200)
        status, _ = call("POST", "/v1/query/_apl", packed, {**kind, "Content-Encoding": "br"})
        self.assertEqual(status, 415)
        bomb = gzip.compress(b" " * (2 << 20) + b'{"apl":"print 1"}')
        status, _ = call("POST", "/v1/query/_apl", bomb, {**kind, "Content-Encoding": "gzip"})
        self.assertEqual(status, 413)
        for wrong in ({"queryOptions": []}, {"libraries": [1]}):
            self.assertEqual(call("POST", "/v1/query/_apl", {"apl": "print 1", **wrong})[0], 400)
        status, answer = call("POST", "/v1/query/_apl", {"apl": "['six']\n| zap"})
        self.assertEqual((status, answer["detail"]["line"]), (400, 2))

    def test_slow_clients_delay_nobody(self):
        slow = []
        for i in range(100):
            sock = self.server.connect()
            sock.sendall(b"POST /v1/ingest/slow HTTP/1.1\r\nHost: localhost\r\n" +
                         (b"Content-Length: 1000\r\n\r\n[" if i % 2 else b"X-"))
            slow.append(sock)
        times = []
        for _ in range(20):
            started = time.monotonic()
            self.assertEqual(self.server.call("POST", "/v1/ingest/healthy", [{"a": 1}])[0], 200)
            times.append(time.monotonic() - started)
        for sock in slow:
            sock.close()
        self.assertLess(sorted(times)[10], 5, times)  # a head is waited for for ten

    def test_the_log_waits_for_nobody(self):
        for reads in (True, False):
            with tempfile.TemporaryDirectory(prefix="evq-log-") as directory:
                process = subprocess.Popen(
                    [EVQ, "--store", directory, "serve", "--no-auth", "--listen", "127.0.0.1:0"],
                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, bufsize=1)
                port = int(re.search(r":(\d+)$", process.stderr.readline().strip()).group(1))
                if not reads:
                    process.stderr.close()
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                for _ in range(1000):  # more than a pipe holds
                    connection.request("GET", "/healthz?" + "x" * 100)
                    self.assertEqual(connection.getresponse().read()[:1], b"{")
                if reads:  # to the last byte, so that no other line fits in
                    with open(f"/proc/{process.pid}/fd/2", "wb", buffering=0) as pipe:
                        os.set_blocking(pipe.fileno(), False)
                        while pipe.write(b"x"):
                            pass
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(30), 0)
                if reads:
                    process.stderr.close()

    def test_a_name_that_was_made_to_lead_here_is_refused(self):
        for host, expected in (("localhost", 200), ("LocalHost:8080", 200), ("127.0.0.1:1", 200),
                               ("127.1.2.3", 200), ("[::1]", 200), ("[::1]:80", 200),
                               ("evil.com", 403), ("127.evil.com", 403), ("localhost.evil.com:80", 403),
                               ("10.0.0.1", 403), ("[::2]", 403), ("", 403)):
            headers = {"Host": host, "Origin": "http://" + host}
            status, answer = self.server.call("GET", "/v2/datasets", headers=headers)
            self.assertEqual(status, expected, (host, answer))

    def test_every_answer_has_its_date(self):
        for method, path in (("GET", "/healthz"), ("GET", "/none"), ("OPTIONS", "/v2/datasets")):
            self.server.call(method, path)
            sent = email.utils.parsedate_to_datetime(self.server.headers["Date"]).timestamp()
            self.assertLess(abs(sent - time.time()), 10)

    def test_methods_are_allowed_once(self):
        self.assertEqual(self.server.call("POST", "/v2/datasets/x")[0], 405)
        self.assertEqual(self.server.headers["Allow"], "GET, HEAD, PUT, DELETE, OPTIONS")

    def test_every_path_says_which_methods_it_allows(self):
        methods = {}
        with open(os.path.join(os.path.dirname(__file__), "../../man/evq-http.7"), encoding="utf-8") as page:
            for line in page:
                if found := re.match(r"\.B ([A-Z]+) (/\S*)", line):
                    path = re.sub(r"{\w+}", "x", found.group(2).replace("\\-", "-"))
                    methods.setdefault(path, []).append(found.group(1))
        self.assertGreater(len(methods), 60)
        for path, known in methods.items():
            if "GET" in known:
                known.insert(known.index("GET") + 1, "HEAD")
            for method, status in (("OPTIONS", 200), ("BREW", 405)):
                self.assertEqual(self.server.call(method, path)[0], status, path)
                allowed = self.server.headers["Allow"].split(", ")
                self.assertEqual((allowed[-1], set(known) - set(allowed)), ("OPTIONS", set()), path)
                self.assertEqual(len(allowed), len(set(allowed)), path)
            self.assertIsNone(self.server.headers["Access-Control-Allow-Methods"])
        for method, status in (("OPTIONS", 200), ("BREW", 404)):
            self.assertEqual(self.server.call(method, "/none")[0], status)
            self.assertIsNone(self.server.headers["Allow"])

    def test_other_origins_are_refused(self):
        status, _ = self.server.call("GET", "/v2/datasets", headers={"Origin": "http://evil"})
        self.assertEqual(status, 403)

    def test_metrics_and_log(self):
        status, text = self.server.call("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertIn(b"evq_ingested_events_total ", text)
        values = dict(re.findall(r"^(\w+)(?:\{[^}]*\})? ([0-9.]+)$", text.decode(), re.M))
        for name in ("evq_build_info", "process_resident_memory_bytes", "process_open_fds",
                     "process_max_fds", "evq_disk_free_bytes"):
            self.assertGreater(float(values[name]), 0, name)
        self.assertLess(abs(float(values["process_start_time_seconds"]) - time.time()), 3600)
        self.server.call("GET", "/v2/datasets/logged?secret=1")
        wait_until(lambda: any(entry["path"] == "/v2/datasets/logged" for entry in self.server.logged()))
        self.assertFalse(any("secret" in line for line in self.server.lines))

    def test_the_log_stays_readable_whatever_is_asked_for(self):
        for place, code in enumerate((0x202e, 0x2028, 0x2029, 0x2066, 0x200f, 0x9b, 0xfeff)):
            self.server.raw(f"GET /é{place}{chr(code)}x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                            .encode())
            wait_until(lambda: any(entry["path"] == f"/é{place}{chr(code)}x" for entry in self.server.logged()))
            line = next(line for line in list(self.server.lines) if f"/é{place}" in line)
            self.assertIn(f"\\u{code:04x}x", line)
        self.assertIn(b"404", self.server.raw(
            b"GET /no-\xff\xfe\"text HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        wait_until(lambda: any(entry["path"] == "/no-\ufffd\ufffd\"text" for entry in self.server.logged()))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
