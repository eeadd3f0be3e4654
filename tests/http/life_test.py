#!/usr/bin/env python3
"""Starting and stopping a server, and what becomes of the requests that are under way.

Usage: life_test.py EVQ.
"""

import concurrent.futures
import contextlib
import fcntl
import http.client
import json
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from evq_server import EVQ, T0, Server, run_evq
from processes import open_files, wait_until
from sanitizer import sanitizer_runtime


def has_taken(server, client):
    """Whether the server has read what a socket has sent, so that nothing of it lies in the kernel."""
    ends = [f"0100007F:{port:04X}" for port in (server.port, client.getsockname()[1])]
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in table:
            fields = line.split()
            if fields[1:3] == ends:
                return fields[4].endswith(":00000000")  # of the two queues, what is received
    return False


class Life(unittest.TestCase):
    def test_no_auth_is_for_loopback_only(self):
        done = subprocess.run([EVQ, "--store", "/nonexistent", "serve", "--no-auth", "--listen",
                               "0.0.0.0:0"], capture_output=True, text=True, timeout=20)
        self.assertEqual(done.returncode, 2)
        self.assertIn("loopback", done.stderr)

    def test_a_service_manager_is_told_when_connections_are_accepted(self):
        with tempfile.TemporaryDirectory() as folder, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager, \
                socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as abstract:
            manager.bind(os.path.join(folder, "notify"))
            abstract.bind(f"\0evq-test-{os.getpid()}")
            for listening, name in ((manager, os.path.join(folder, "notify")),
                                    (abstract, f"@evq-test-{os.getpid()}"),
                                    (None, os.path.join(folder, "nobody")), (None, "x" * 200)):
                server = Server("--no-auth", env={**os.environ, "NOTIFY_SOCKET": name})
                if listening is not None:
                    listening.settimeout(20)
                    self.assertEqual(listening.recv(100), b"READY=1")
                self.assertEqual(server.call("GET", "/healthz")[0], 200)
                self.assertEqual(server.stop(), 0)

    def test_what_was_acknowledged_is_there_after_a_restart_and_cursors_hold(self):
        server = Server("--no-auth")
        for i in range(20):
            server.call("POST", "/v1/ingest/kept", [{"_time": f"2024-05-01T00:00:{i:02}Z", "n": i}])
        first = server.query("['kept'] | sort by _time asc | limit 5", "legacy")
        idle = server.connect()
        half = server.connect()
        half.sendall(b"POST /v1/ingest/kept HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[")
        started = time.monotonic()
        self.assertEqual(server.stop(keep=True), 0)
        self.assertLess(time.monotonic() - started, 15)
        idle.close()
        half.close()
        server = Server("--no-auth", store=server.directory)
        rest = server.query("['kept'] | sort by _time asc | limit 50", "legacy",
                            cursor=first["status"]["maxCursor"])
        self.assertEqual([match["data"]["n"] for match in rest["matches"]], list(range(5, 20)))
        self.assertEqual(server.stop(), 0)

    def test_a_load_waits_for_a_server_that_restarts(self):
        server = Server("--no-auth")
        command = [EVQ, "--server", f"http://127.0.0.1:{server.port}", "ingest", "load"]
        load = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE)
        self.addCleanup(load.kill)
        load.stdin.write(b'{"n":1}\n')
        load.stdin.flush()
        wait_until(lambda: server.call("GET", "/v2/datasets/load")[0] == 200)
        self.assertEqual(server.stop(keep=True), 0)
        # A load that begins is told at once.
        self.assertEqual(subprocess.run(command, input=b'{"n":3}\n', capture_output=True,
                                        timeout=40).returncode, 6)
        load.stdin.write(b'{"n":2}\n')
        load.stdin.close()
        time.sleep(1)
        self.assertIsNone(load.poll())
        server = Server("--no-auth", store=server.directory, port=server.port)
        self.assertEqual(load.wait(60), 0, load.stderr.read())
        load.stderr.close()
        self.assertEqual(server.query("load | summarize make_list(n)")["tables"][0]["columns"], [[[1, 2]]])
        self.assertEqual(server.stop(), 0)

    @unittest.skipIf(sanitizer_runtime(EVQ) is not None,
                     "without a descriptor for its pipe, the sanitizer takes every object for damaged")
    def test_a_query_over_many_datasets_leaves_descriptors_for_others(self):
        server = Server("--no-auth")
        for number in range(150):
            self.assertEqual(server.call("POST", f"/v1/ingest/d{number}", [{"n": 1}])[0], 200)
        limit = len(open_files(server.process.pid)) + 60
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
        status, answer = server.call("POST", "/v1/query/_apl?format=tabular", {"apl": "union * | count"})
        self.assertEqual(status, 503, answer)
        self.assertRegex(answer["message"], "too many files are open|Too many open files")
        self.assertEqual(server.headers["Retry-After"], "1")
        for number in range(150):
            # What the query held may still be on its way back.
            status, answer = self.call_until_taken(server, "POST", f"/v1/ingest/d{number}", [{"n": 2}])
            self.assertEqual(status, 200, answer)
        self.assertEqual(server.query("d7 | count")["tables"][0]["columns"], [[2]])
        self.assertEqual(server.stop(), 0)

    def test_idle_connections_leave_descriptors_for_what_is_asked(self):
        server = Server("--no-auth")
        self.assertEqual(server.call("POST", "/v1/ingest/known", [{"n": 1}])[0], 200)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (300, 300))
        idle = [server.connect() for _ in range(400)]
        for number in range(8):
            status, answer = self.call_until_taken(server, "POST", f"/v1/ingest/new{number}", [{"n": 2}])
            self.assertEqual(status, 200, answer)
            status, answer = self.call_until_taken(
                server, "POST", "/v1/query/_apl?format=tabular", {"apl": f"union known, new{number} | count"})
            self.assertEqual(status, 200, answer)
            self.assertEqual(answer["tables"][0]["columns"], [[2]])
        _, text = self.call_until_taken(server, "GET", "/metrics")
        open_now = int(re.search(rb"^evq_http_connections (\d+)$", text, re.M).group(1))
        self.assertLessEqual(open_now, 300 // 2 * 9 // 8)  # some more while the oldest ones go
        for connection in idle:
            connection.close()
        self.assertEqual(server.stop(), 0)

    def test_readers_without_a_token_that_stop_in_an_answer_keep_nobody_out(self):
        server = Server("--cors-origin", "*")  # has longer answers
        self.assertEqual(server.call("GET", "/v2/datasets")[0], 200)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (300, 300))
        ask = b"OPTIONS /v2/datasets HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\n\r\n"
        readers = [socket.socket() for _ in range(200)]
        for reader in readers:
            self.addCleanup(reader.close)
            # So that the machines keep little of what is sent and not read yet.
            reader.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 88)
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            reader.settimeout(50)
            reader.connect(("127.0.0.1", server.port))
            with contextlib.suppress(ConnectionError):
                reader.sendall(ask * 90)
        sent = lambda: sum(line["path"] == "/v2/datasets" for line in server.logged())
        counts = [0]

        def stand():  # in the middle of what they have asked for
            counts.append(sent())
            time.sleep(0.2)
            return counts[-1] == counts[-2] > 0

        wait_until(stand)
        self.assertLess(counts[-1], 90 * 150)

        def ask_meanwhile():
            with contextlib.suppress(ConnectionError):
                return server.call("GET", "/v2/datasets")

        for _ in range(5):  # sooner than readers that stop are left
            answer = wait_until(ask_meanwhile, 20, "the server takes no connection")
            self.assertEqual(answer[0], 200)
        for reader in readers:
            reader.close()
        self.assertEqual(server.stop(), 0)

    def test_a_connection_without_a_token_has_an_end(self):
        answers_max = 100
        server = Server()
        ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        token = b"GET /v2/datasets HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n"
        wrong, right = token % b"xaat-wrong", token % server.token.encode()
        last = ask.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        for sent, answers in ((ask * 150, answers_max), (wrong * 150, answers_max),
                              (ask * 99 + right + ask * 150 + last, 251)):
            answer = server.raw(sent)
            self.assertEqual(answer.count(b"HTTP/1.1 "), answers)
            self.assertEqual(answer.count(b"Connection: close"), 1)
        self.assertEqual(server.stop(), 0)

    def test_whoever_goes_away_before_the_answer_is_in_the_log_and_the_counters(self):
        server = Server("--no-auth")
        endless = json.dumps({"apl": "range x from 1 to 1000000000 step 1 "
                                     "| extend n = strlen(strrep(tostring(x), 20000)) | summarize sum(n)"})
        for path, length, body in (("/v1/query/_apl", len(endless), endless), ("/v1/ingest/d", 100, "[")):
            with server.connect() as sock:
                sock.sendall((f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}"
                              f"\r\n\r\n{body}").encode())
                wait_until(lambda: has_taken(server, sock))
                time.sleep(0.5)
        gone = lambda: {line["path"]: line for line in server.logged() if line["status"] == 499}
        wait_until(lambda: len(gone()) == 2)
        self.assertEqual({path: line["request_bytes"] for path, line in gone().items()},
                         {"/v1/query/_apl": len(endless), "/v1/ingest/d": 1})
        metrics = server.call("GET", "/metrics")[1].decode()
        self.assertRegex(metrics, r'evq_http_responses_total\{class="4xx"\} 2\n')
        self.assertEqual(server.stop(), 0)

    def test_neither_half_a_head_nor_a_reader_that_stopped_keeps_a_server_for_long(self):
        lines = "".join(json.dumps({"n": n, "text": "x" * 200}) + "\n" for n in range(40_000))
        for sent, seconds in ((b"GET /healthz HTTP/1.1\r\nHost: loc", 6), (None, 20)):
            server = Server("--no-auth")
            self.assertEqual(server.call("POST", "/v1/ingest/d", lines,
                                         {"Content-Type": "application/x-ndjson"})[0], 200)
            body = json.dumps({"apl": "d | extend again = strcat(text, text, text)", "limit": 40_000})
            whole = (f"POST /v1/query/_apl?format=tabular HTTP/1.1\r\nHost: localhost\r\n"
                     f"Content-Length: {len(body)}\r\n\r\n{body}").encode()
            with server.connect() as sock:
                sock.sendall(sent or whole)
                if sent is None:
                    self.assertTrue(sock.recv(100).startswith(b"HTTP/1.1 200"))
                time.sleep(1)
                started = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - started, seconds)

    def test_a_second_signal_ends_what_the_first_one_lets_finish(self):
        server = Server("--no-auth")
        half = server.connect()
        self.addCleanup(half.close)
        half.sendall(b"POST /v1/ingest/kept HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n[")
        wait_until(lambda: server.call("GET", "/metrics")[1].find(b"evq_http_connections 2") > 0)
        server.process.send_signal(signal.SIGTERM)
        wait_until(lambda: any("stopping" in line for line in server.lines))
        self.assertIsNone(server.process.poll())
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(30), 0)
        self.assertLess(time.monotonic() - started, 6)  # not the eight seconds of the first
        shutil.rmtree(server.directory)

    def test_an_empty_line_between_requests_is_not_the_beginning_of_one(self):
        ask = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"
        seconds = 1
        while seconds > 0.7:  # the rest of a head is waited for for no longer than one
            server = Server("--no-auth")
            with server.connect() as idle, server.connect() as asking:
                idle.sendall(ask)
                self.assertIn(b"200", idle.recv(4096))
                for _ in range(2):
                    idle.sendall(b"\r\n")
                    wait_until(lambda: has_taken(server, idle))
                idle.sendall(ask + b"\r\n")
                self.assertIn(b"200", idle.recv(4096))
                asking.sendall(ask[:-2])
                wait_until(lambda: has_taken(server, asking))
                time.sleep(0.1)
                began = time.monotonic()
                server.process.send_signal(signal.SIGTERM)
                # Who sends a request is waited for: its end is still taken when the other one has been
                # closed.
                self.assertEqual(idle.recv(4096), b"")
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                    asking.sendall(ask[-2:])
                seconds = time.monotonic() - began
                if seconds <= 0.7:
                    self.assertIn(b"200", asking.recv(4096))
            self.assertEqual(server.stop(), 0)

    def test_a_terminal_that_is_gone_ends_a_server_unless_it_was_told_not_to_mind(self):
        for ignored in (False, True):
            before = signal.signal(signal.SIGHUP, signal.SIG_IGN if ignored else signal.SIG_DFL)
            try:
                server = Server("--no-auth")  # inherits it
            finally:
                signal.signal(signal.SIGHUP, before)
            server.process.send_signal(signal.SIGHUP)
            if ignored:
                self.assertEqual(server.call("GET", "/healthz")[0], 200)
                self.assertEqual(server.stop(), 0)
            else:
                self.assertEqual(server.process.wait(30), 0)
                shutil.rmtree(server.directory)

    def test_who_waits_for_another_process_to_write_waits_no_longer_than_the_client(self):
        server = Server("--no-auth")
        server.call("POST", "/v1/ingest/d", [{"n": 1}])
        running = lambda: int(re.search(rb"evq_http_requests_running (\d+)",
                                        server.call("GET", "/metrics")[1]).group(1))
        requests = [b"POST /v1/ingest/d", b"POST /v1/ingest/d", b"POST /v2/datasets"]
        with open(server.directory + "/datasets/1.db.lock", "r+b") as one, \
                open(server.directory + "/catalog.db.lock", "r+b") as two:
            for lock in (one, two):
                fcntl.flock(lock, fcntl.LOCK_EX)
            clients = []
            for request, body in zip(requests, (b'[{"n":2}]', b'[{"n":3}]', b'{"name":"e"}')):
                client = server.connect()
                client.sendall(request + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                clients.append(client)
            wait_until(lambda: running() == 3)
            time.sleep(0.5)
            self.assertEqual(running(), 3)
            clients[0].close()  # whose thread may be the one that waits for both
            clients[2].close()
            time.sleep(0.5)
            fcntl.flock(one, fcntl.LOCK_UN)
            self.assertIn(b"200", clients[1].recv(100))
            wait_until(lambda: running() == 0)
            fcntl.flock(one, fcntl.LOCK_EX)
            clients[1].sendall(b"POST /v1/ingest/d HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                               b"application/json\r\nContent-Length: 9\r\n\r\n[{\"n\":4}]")
            wait_until(lambda: running() == 1)
            clients[1].close()
            wait_until(lambda: running() == 0)
            # One that has time enough is told.
            last = server.connect()
            last.sendall(b"POST /v1/ingest/d HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                         b"application/json\r\nContent-Length: 9\r\n\r\n[{\"n\":5}]")
            wait_until(lambda: running() == 1)
            started = time.monotonic()
            self.assertEqual(server.stop(keep=True), 0)
            self.assertLess(time.monotonic() - started, 15)
            self.assertIn(b"503", last.recv(100))
            last.close()
        server = Server("--no-auth", store=server.directory)
        found = {match["data"]["n"] for match in server.query("d", "legacy")["matches"]}
        self.assertLessEqual({1, 3}, found)
        self.assertFalse(found & {4, 5})
        self.assertEqual([d["name"] for d in server.call("GET", "/v2/datasets")[1]], ["d"])
        self.assertEqual(server.stop(), 0)

    def call_until_taken(self, server, *request):
        def ask():
            with contextlib.suppress(ConnectionError):  # there is no descriptor for it, or no room
                return server.call(*request)

        return wait_until(ask, told="the server takes no connection")

    def test_events_are_taken_while_many_want_a_vacuum_that_waits(self):
        server = Server("--no-auth")
        for dataset in ("d", "e"):
            self.assertEqual(server.call("POST", "/v1/ingest/" + dataset, [{"n": 1}])[0], 200)
        with open(server.directory + "/datasets/1.db.lock", "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            clients = []
            for _ in range(80):
                client = server.connect()
                client.sendall(b"POST /v2/datasets/d/vacuum HTTP/1.1\r\nHost: localhost\r\n"
                               b"Content-Length: 0\r\n\r\n")
                clients.append(client)
            refused = []
            while not refused:  # whoever they are
                refused = select.select(clients, [], [], 20)[0]
                self.assertTrue(refused)
            self.assertIn(b"503", refused[0].recv(100))
            self.assertEqual(server.call("POST", "/v1/ingest/e", [{"n": 2}])[0], 200)
            fcntl.flock(lock, fcntl.LOCK_UN)
            self.assertTrue(any(b"200" in client.recv(100) for client in clients if client != refused[0]))
            for client in clients:
                client.close()
        self.assertEqual(server.stop(), 0)

    def test_nobody_is_admitted_later_because_another_process_writes(self):
        store = tempfile.mkdtemp(prefix="evq-http-")
        token = run_evq(store, "token", "create", "--name", "p", "--personal")
        server = Server(store=store)  # of an organization that nobody has asked for yet
        with open(store + "/catalog.db.lock", "r+b") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            status, answer = server.call("GET", "/v2/datasets", headers={
                "Authorization": "Bearer " + token, "X-Axiom-Org-Id": "other"})
            self.assertEqual((status, answer["message"]),
                             (403, "authentication failed: unknown organization"))
            self.assertEqual(server.call("GET", "/healthz")[0], 200)
        self.assertEqual(server.stop(), 0)

    def test_a_server_that_gets_no_threads_says_so_or_serves_and_ends_when_told(self):
        work = tempfile.mkdtemp(prefix="evq-threads-")
        self.addCleanup(shutil.rmtree, work)
        shim = work + "/thread_shim.so"
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-O1", "-o", shim,
                        os.path.join(os.path.dirname(os.path.abspath(__file__)), "thread_shim.c"),
                        "-ldl"], check=True)
        preload = " ".join(filter(None, (sanitizer_runtime(EVQ), shim)))
        refused = 0
        for threads in range(6):
            process = subprocess.Popen(
                [EVQ, "--store", work + "/store", "serve", "--no-auth", "--listen", "127.0.0.1:0"],
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                env={**os.environ, "LD_PRELOAD": preload, "EVQ_THREADS": str(threads)})
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.kill)
            waiting = threading.Timer(30, process.kill)
            waiting.start()
            line = process.stderr.readline()
            if "listening" in line:
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(30), 0, threads)
            else:
                refused += 1
                self.assertIn("the system has no thread", line, threads)
                self.assertEqual(process.wait(30), 6, threads)
            waiting.cancel()
        sanitizers = 1 if "tsan" in (sanitizer_runtime(EVQ) or "") else 0  # a thread of its own
        self.assertEqual(refused, 2 + sanitizers)  # the log's and the upkeep's

    def test_a_page_of_another_origin_may_use_the_api_when_told_so(self):
        server = Server("--no-auth", "--cors-origin", "http://app")
        status, _ = server.call("OPTIONS", "/v1/ingest/x", headers={"Origin": "http://app"})
        self.assertEqual((status, server.headers["Access-Control-Allow-Origin"]), (200, "http://app"))
        self.assertEqual(server.headers["Access-Control-Allow-Methods"], "GET, POST, PUT, PATCH, DELETE")
        self.assertLessEqual({"Retry-After", "X-Axiom-Trace-Id", "X-Evq-Error", "X-Evq-Repaired", "X-Evq-Untimed",
                              "X-Evq-Relabelled"},
                             set(server.headers["Access-Control-Expose-Headers"].split(", ")))
        allowed = server.headers["Access-Control-Allow-Headers"].split(", ")
        self.assertEqual(set(), {"authorization", "content-type", "x-axiom-dataset", "traceparent", "tracestate", "baggage",
                                 "x-scope-orgid"} - set(allowed), allowed)
        self.assertEqual(server.call("GET", "/v2/datasets", headers={"Origin": "http://app"})[0], 200)
        # Why it is refused is for the page as well.
        status, _ = server.call("GET", "/v2/datasets", headers={"Origin": "http://app", "Host": "app"})
        self.assertEqual((status, server.headers["Access-Control-Allow-Origin"]), (403, "http://app"))
        self.assertEqual(server.stop(), 0)

    @staticmethod
    def make_certificate(certificate, key):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate with")
    def test_a_certificate_is_renewed_without_a_new_start(self):
        with tempfile.TemporaryDirectory(prefix="evq-tls-") as directory:
            certificate, key = directory + "/certificate.pem", directory + "/key.pem"
            self.make_certificate(certificate, key)
            server = Server("--no-auth", "--tls-cert", certificate, "--tls-key", key,
                            tls=ssl.create_default_context(cafile=certificate))
            first = server.tls
            shown = lambda: ssl.get_server_certificate(("127.0.0.1", server.port))
            before = shown()
            self.make_certificate(directory + "/new.pem", directory + "/new-key.pem")
            os.replace(directory + "/new.pem", certificate)  # the key is still the old one
            wait_until(lambda: any("stays as it was" in line for line in server.lines))
            self.assertEqual(shown(), before)
            sock = server.connect()
            with first.wrap_socket(sock, server_hostname="127.0.0.1") as opened:
                os.replace(directory + "/new-key.pem", key)
                wait_until(lambda: shown() != before)
                self.assertEqual(pathlib.Path(certificate).read_text(), shown())
                wait_until(lambda: any("get the new certificate" in line for line in server.lines))
                opened.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.assertIn(b" 200 OK", opened.recv(4096))  # goes on with what it began with
            server.tls = ssl.create_default_context(cafile=certificate)
            self.assertEqual(server.call("GET", "/v2/datasets")[0], 200)
            self.assertEqual(server.stop(), 0)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl to make a certificate with")
    def test_tls(self):
        with tempfile.TemporaryDirectory(prefix="evq-tls-") as directory:
            key, certificate = directory + "/key.pem", directory + "/certificate.pem"
            self.make_certificate(certificate, key)
            server = Server("--tls-cert", certificate, "--tls-key", key,
                            tls=ssl.create_default_context(cafile=certificate))
            events = [{"n": n, "text": "x" * 200} for n in range(5000)]
            self.assertEqual(server.call("POST", "/v1/ingest/private", events)[1]["ingested"], 5000)
            found = server.query("private | limit 5000", "legacy")["matches"]
            self.assertEqual(len({match["data"]["n"] for match in found}), 5000)
            self.who_takes_leave_cancels_its_query(server)
            for _ in range(20):  # the answer comes before the body is there, and is not lost for that
                self.assertEqual(server.call("POST", "/v1/ingest/private", b"x" * (4 << 20),
                                             {"Authorization": "Bearer wrong"})[0], 403)
            self.assertNotIn(b"HTTP", server.raw(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))
            with server.connect():  # shakes no hands
                self.assertEqual(server.call("GET", "/v2/datasets")[0], 200)
                started = time.monotonic()
                self.assertEqual(server.stop(), 0)
                self.assertLess(time.monotonic() - started, 6)  # who waits for it waits 8 s
            server = Server("--no-auth", "--tls-cert", certificate, "--tls-key", key,
                            tls=ssl.create_default_context(cafile=certificate))
            for scheme, status in (("https", 200), ("http", 403)):  # its own pages, another's
                origin = {"Origin": f"{scheme}://127.0.0.1:{server.port}"}
                self.assertEqual(server.call("GET", "/v2/datasets", headers=origin)[0], status, scheme)
            self.assertEqual(server.stop(), 0)

    def who_takes_leave_cancels_its_query(self, server):
        body = json.dumps({"apl": "range x from 1 to 1000000000 step 1 "
                                  "| extend n = strlen(strrep(tostring(x), 20000)) | summarize sum(n)"})
        running = lambda: b"evq_http_requests_running 0\n" not in server.call("GET", "/metrics")[1]
        sock = server.connect()
        with server.tls.wrap_socket(sock, server_hostname="127.0.0.1") as client:
            client.sendall((f"POST /v1/query/_apl HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
                            f"{server.token}\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode())
            wait_until(running)
            client.setblocking(False)
            with self.assertRaises(ssl.SSLWantReadError):
                client.unwrap()  # says so, and waits for no answer
        wait_until(lambda: not running())

    def test_large_bodies_pass_through_a_file_that_leaves_no_trace(self):
        server = Server("--no-auth")
        lines = b"".join(b'{"n":%d,"text":"%s"}\n' % (i, b"x" * 200) for i in range(40000))
        status, answer = server.call("POST", "/v1/ingest/large", lines,
                                     {"Content-Type": "application/x-ndjson"})
        self.assertEqual((status, answer["ingested"]), (200, 40000))
        self.assertEqual([f for f in os.listdir(server.directory) if f.endswith(".tmp")], [])
        self.assertEqual(server.stop(), 0)

    def test_deletes_keep_to_the_memory_limit_as_queries_do(self):
        server = Server("--no-auth", "--memory-limit", "64MiB")
        self.assertEqual(server.call("POST", "/v1/ingest/d", [
            {"_time": T0, "n": i, "text": f"{i:0100}"} for i in range(20000)])[0], 200)
        grown = "d | where strlen(strrep(strrep(text, 100), 100)) == n"
        for path, body in (("/v1/query/_apl", {"apl": grown}),
                           ("/v2/datasets/_apl/delete", {"apl": grown, "commit": False}),
                           ("/v2/datasets/_apl/delete", {"apl": grown, "commit": True})):
            status, answer = server.call("POST", path, {"startTime": "2024-01-01", "endTime": "now", **body})
            self.assertEqual(status, 422, answer)
            self.assertRegex(answer["message"], "memory limit of 64 MiB exceeded in where")
        if sanitizer_runtime(EVQ) is None:  # its own memory would be measured
            self.assertLess(server.peak_memory(), 200 << 20)
        for apl, matched in (("d | where strlen(strrep(text, 10)) == 1000", 20000),
                             ("d | where text endswith '3' and n > 19000", 100)):
            status, answer = server.call("POST", "/v2/datasets/_apl/delete", {
                "apl": apl, "startTime": "2024-01-01", "endTime": "now", "commit": False})
            self.assertEqual((status, answer["rowsMatched"]), (200, matched))
        self.assertEqual(server.stop(), 0)

    def test_long_lists_wait_for_slow_readers_in_files(self):
        server = Server("--no-auth", "--no-access-log")
        make = lambda given: server.call("POST", *given)[0]
        objects = [("/v2/monitors", {"name": f"m{n}", "more": "x" * 60000}) for n in range(600)]
        datasets = [("/v2/datasets", {"name": f"d{n}", "description": "x" * 60000}) for n in range(100)]
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            self.assertEqual(set(threads.map(make, objects + datasets)), {200})
        sanitized = sanitizer_runtime(EVQ) is not None
        for path, count, items in (("/v2/datasets", 24, 100), ("/v2/monitors", 6, 600)):
            peak = server.peak_memory()
            readers = []
            # A sanitizer takes so long for all of them that the first is given up as too slow.
            for _ in range(count // 6 if sanitized else count):
                reader = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
                reader.request("GET", path)
                readers.append((reader, reader.getresponse()))
            if not sanitized:  # its own memory would be measured
                self.assertLess(server.peak_memory() - peak, 100 << 20, path)
            for reader, response in readers:
                self.assertEqual(len(json.loads(response.read())), items)
                reader.close()
        self.assertEqual(server.stop(), 0)

    def test_long_answers_wait_for_slow_readers_in_files(self):
        # More than queries may hold in memory, and each of the readers has that much to come.
        server = Server("--no-auth", "--memory-limit", "64MiB")
        for start in range(0, 40000, 10000):
            self.assertEqual(server.call("POST", "/v1/ingest/long", [
                {"_time": i * 1000 + 1700000000000, "n": i, "text": f"{i:06}" * 200}
                for i in range(start, start + 10000)])[0], 200)
        expected = {}
        for form in ("tabular", "legacy"):
            expected[form] = server.query("long | limit 40000", form)
        self.assertEqual(expected["tabular"]["tables"][0]["columns"][-2], list(range(39999, -1, -1)))
        self.assertEqual([match["data"]["n"] for match in expected["legacy"]["matches"]],
                         list(range(39999, -1, -1)))
        peak = server.peak_memory()
        readers = []
        for i in range(12):
            form = "legacy" if i % 2 else "tabular"
            body = json.dumps({"apl": "long | limit 40000"})
            reader = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            reader.request("POST", "/v1/query/_apl?format=" + form, body)
            readers.append((form, reader, reader.getresponse(), []))
            # Slow, but not so slow on a busy machine that the server gives one up.
            for _, _, response, pieces in readers:
                pieces.append(response.read(2 << 20))
        self.assertEqual(server.query("long | count")["tables"][0]["columns"], [[40000]])
        self.assertLess(server.peak_memory() - peak, 64 << 20)
        with concurrent.futures.ThreadPoolExecutor(8) as threads:
            rests = list(threads.map(lambda reader: reader[2].read(), readers[:8]))
        for (form, _, _, pieces), rest in zip(readers, rests):
            answer = json.loads(b"".join(pieces) + rest)
            rows = "matches" if form == "legacy" else "tables"
            self.assertEqual(answer[rows], expected[form][rows])
        for _, reader, _, _ in readers:
            reader.close()
        wait_until(lambda: not server.unnamed_files())
        self.assertEqual([f for f in os.listdir(server.directory) if f.endswith(".tmp")], [])
        self.assertEqual(server.stop(), 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
